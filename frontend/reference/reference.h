/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reference: what a run of the program gave at its points, in a directory that can be moved and
 * inspected. manifest.json says what it is of; sums.bin holds the points in checksummed blocks;
 * arrays/NAME@POINT.npy are whole arrays. It is written beside, as DIR.partial, and renamed when it
 * is finished. Format: doc/REFERENCE.md.
 */
#ifndef DVMDBG_FRONTEND_REFERENCE_REFERENCE_H
#define DVMDBG_FRONTEND_REFERENCE_REFERENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/trace_config.h"
#include "frontend/sumdiff/sumdiff.h"

struct err;
struct reference;

/* Where one is written goes by its name and this. */
#define REFERENCE_PARTIAL ".partial"

/* What it is of. Strings are owned by the reference; for _create borrowed during the call. */
struct reference_info {
	const char *program, *build_id,
		*version; /* build_id "" when the file has none; version: of dvmdbg */
	const char
		*marks; /* marks_id of the marks beside the source; "" or NULL: there were none */
	char *const *argv; /* NULL-terminated; argv[0] is the program as it was typed */
	uint32_t ranks;
	struct trace_config trace_config;
	bool chosen;	/* a configuration file said which arrays constructs use */
	json_t *levels; /* of constructs and arrays in its traces, as levels_kept; NULL: none */
	bool order;	/* the order of its messages was kept */
	bool complete;	/* the run came to its end */
	bool bare;	/* there are only traces of it (texts, imported ones): no checksums */
	uint64_t points, bytes; /* of sums.bin */
	uint64_t sums;		/* of a new one: what it has kept */
};

/*
 * A new one. dir must not exist, or be empty, or be a reference: that one is replaced when the new
 * one is finished. Errors name the directory and the cause.
 */
struct reference *reference_create(const char *dir, const struct reference_info *info,
				   struct err *err);
/* Appends; on an error (disk full) what was written stays readable, and further calls do
 * nothing. */
int reference_add(struct reference *r, const struct sums_point *p, struct err *err);
/* Where the whole array is to be written; a path to be freed. */
char *reference_array_path(const struct reference *r, const char *name, const struct point *p);
/* The directory has decisions about the order of messages, of any rank. */
bool reference_has_order(const char *dir);
/* Where a rank of two runs has received from different ranks first, the numbers of which are in
 * from; false: nowhere, or one of them has no order, or their numbers of ranks differ. */
bool reference_order_differs(const char *a, const char *b, unsigned *rank, int from[2]);
/* Keeps what the run has printed, after it is finished; the error names the file. */
int reference_put_output(const struct reference *r, const char *text, size_t n, struct err *err);
/* That, at most so many bytes; to be freed. NULL: it was not kept. */
char *reference_output(const struct reference *r, size_t most);
/* Writes manifest and renames. r can be read from then on. */
int reference_finish(struct reference *r, bool complete, struct err *err);

/*
 * Opens one for reading. Blocks that are cut off or damaged end what can be read: reference_note
 * says so. Fails when there is no manifest, a newer format, or no whole block where points should
 * be.
 */
struct reference *reference_open(const char *dir, struct err *err);
void reference_destroy(struct reference *r); /* an unfinished new one is removed; NULL is fine */
const struct reference_info *reference_info(const struct reference *r);
const char *reference_dir(const struct reference *r);
/* What is missing or damaged, in words; NULL: nothing. */
const char *reference_note(const struct reference *r);
/* It does not have all the points that were written. */
bool reference_damaged(const struct reference *r);
/* The point, NULL when it has none; borrowed until the next call. err: it cannot be read. */
const struct sums_point *reference_point(struct reference *r, const struct point *p,
					 struct err *err);
/* The i-th in the order of the run, NULL behind the last; borrowed until the next call. */
const struct sums_point *reference_at(struct reference *r, size_t i, struct err *err);
size_t reference_count(const struct reference *r);
/* Whether it has points of that kind. */
bool reference_has_kind(struct reference *r, enum point_kind kind);
/* The first point behind point i that is not in the same block of the file, which is damaged. */
size_t reference_next_block(const struct reference *r, size_t i);

#endif
