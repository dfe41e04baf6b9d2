/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of references, for the files of this room.
 */
#ifndef DVMDBG_FRONTEND_REFERENCE_INTERNAL_H
#define DVMDBG_FRONTEND_REFERENCE_INTERNAL_H

#include <stdio.h>
#include <sys/types.h>

#include "common/core/buf.h"
#include "frontend/reference/reference.h"

#define REFERENCE_FORMAT 2 /* 1: blocks of checksums were not cut along components */
#define REFERENCE_MAGIC "dvmdbg reference"
#define REFERENCE_BLOCK_MAGIC 0x4b425644u /* "DVBK" */
#define REFERENCE_HEAD 16		  /* bytes of a block's head: magic, points, raw, packed */
#define REFERENCE_HASH 16
#define REFERENCE_POINT 16 /* bytes of a point in a block's list, and u32 behind it */
#define REFERENCE_RAW_MOST (1u << 30)

struct reference_entry {
	struct point point;
	uint32_t block, offset; /* in the block's raw bytes */
};

struct reference_block {
	uint64_t at;	      /* of its head in the file */
	size_t list;	      /* bytes of head and list */
	uint32_t raw, packed; /* bytes of the points, and as they are in the file */
};

struct reference {
	char *dir, *part; /* owned; part: where a new one is made, NULL when it is read */
	struct reference_info info;
	char **argv; /* owned; info.argv */
	FILE *f;
	/* a new one: the block that is being filled */
	struct buf raw;
	struct reference_entry *pending;
	size_t npending, nsums; /* points, and what they have of checksums */
	struct sum_scales scales; /* of all arrays that were added */
	bool failed;
	bool damaged; /* one that is read: points are missing at its end */
	off_t end; /* behind the last whole block */
	/* index */
	struct reference_entry *entry; /* in the order of the run */
	size_t n, cap;
	uint32_t *sorted; /* by point */
	bool kind[POINT_KINDS]; /* of points among the first kinds_of */
	size_t kinds_of;
	struct reference_block *block;
	size_t nblock;
	struct buf open; /* the raw bytes of block `opened` */
	uint32_t opened;
	struct sums_point *lent;
	char note[256];
};

/* file.c: sums.bin. Errors name the file. */
int reference_file_create(struct reference *r, struct err *err);
/* Refuses a directory in which another process is making one. */
int reference_file_busy(const char *dir, struct err *err);
int reference_file_add(struct reference *r, const struct sums_point *p, struct err *err);
int reference_file_flush(struct reference *r, struct err *err);
/* For reading; NULL with errno (EINVAL: no regular file). Never waits, as a pipe would. */
FILE *reference_fopen(const char *path);
/* Reads the heads of all whole blocks; what is wrong goes into r->note. */
int reference_file_open(struct reference *r, struct err *err);
/* The bytes of entry i; borrowed until another block is opened. */
int reference_file_get(struct reference *r, size_t i, struct buf *out, struct err *err);

/* manifest.c: manifest.json */
int reference_manifest_write(struct reference *r, const char *dir, struct err *err);
int reference_manifest_read(struct reference *r, struct err *err);
void reference_info_copy(struct reference *r, const struct reference_info *info);
void reference_info_clear(struct reference *r);

#endif
