/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text format of the historical debugger (SEMANTICS 3): its head, which is a configuration file
 * as well, and its records, to and from native traces.
 */
#ifndef DVMDBG_COMMON_DVMTEXT_DVMTEXT_H
#define DVMDBG_COMMON_DVMTEXT_DVMTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/trace/decode.h"

struct err;
struct trace_reader;

/* NAME = value of the head; texts without their quotes. */
struct trace_setting {
	char *name, *value;
	bool quoted;
};

/* ARR: "A" (4) [2] {"jacobi.c", 15, 0, 1} = LEVEL */
struct dvmtext_array {
	char *name, *file;
	uint32_t type, ndim, line, counter;
	bool distributed;
	int level; /* enum trace_config_level, -1: as the program's */
	/* enum value_type that the format does not have, behind a '#' too; 0: it is `type` */
	uint32_t own;
	/* its global indices, which ours write behind a '#'; shaped false: not said */
	bool shaped;
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS];
};

/* ("A", "jacobi.c", 15, 0, "rw") behind EL */
struct dvmtext_use {
	char *name, *file;
	uint32_t line, counter;
	bool read, written;
};

/* A loop or task region of the program's text, with what is in it. */
struct dvmtext_loop {
	uint8_t kind;	 /* CONSTRUCT_PL, SL, TR */
	uint32_t number; /* from 1; as it stands in the file */
	uint32_t parent; /* number of the construct around it, 0 none */
	uint32_t depth;	 /* 0 outermost */
	uint32_t ndim;
	char *file;
	uint32_t line;
	int level; /* enum trace_config_level, -1: inherited */
	/* (dim:first,last,step): the iterations to be traced; a dimension that is not given has
	 * step 0 */
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS], step[ARRAY_DIMS];
	bool noted; /* the ranges stand behind a '#': for information */
	struct dvmtext_use *use;
	uint32_t nuse;
	/* by which indices make the linear number of an iteration; the last is 0: not known. Heads
	 * of texts do not say it; native traces of texts keep it */
	uint64_t weight[ARRAY_DIMS];
	bool unsaid; /* it is none of the file's: not to be written */
	/* the comments about it, from its writer; 0 0 0 0 none */
	uint64_t bytes, lines, iterations, memory;
	uint64_t native; /* bytes of the native trace; the original has no such line */
};

struct dvmtext_head {
	struct trace_setting *setting;
	struct dvmtext_array *array;
	struct dvmtext_loop *loop; /* in the order of the file: a parent before what is in it */
	uint32_t nsetting, narray, nloop;
	uint64_t bytes, lines, memory, native; /* of the whole, from the comments */
};

void dvmtext_head_clear(struct dvmtext_head *h);
/* "FULL"; NULL when it is not there. */
const char *dvmtext_setting(const struct dvmtext_head *h, const char *name);
/* Appends or replaces. -1: no memory. */
int dvmtext_set(struct dvmtext_head *h, const char *name, const char *value, bool quoted);
/* The construct of this kind at the place, NULL none. */
const struct dvmtext_loop *dvmtext_loop_at(const struct dvmtext_head *h, unsigned kind,
					   const char *file, uint32_t line);
/* The construct of this kind and place in another one (0: in none); NULL: it is not there. */
struct dvmtext_loop *dvmtext_loop_in(const struct dvmtext_head *h, unsigned kind, const char *file,
				     uint32_t line, uint32_t parent);
/*
 * Reads a head, up to its END_HEADER (or the end of the file: a configuration file may end so).
 * name: of the file, for errors, which name the line as well. -1: err.
 */
int dvmtext_head_read(struct dvmtext_head *h, FILE *in, const char *name, struct err *err);
/* Writes it; config: as a configuration file, with the costs as comments. -1: errno. */
int dvmtext_head_write(const struct dvmtext_head *h, FILE *out, bool config);

/* What an import found. */
struct dvmtext_count {
	uint64_t lines, records, count[TRACE_OPS];
	uint64_t unfinished;	     /* BW without its AW */
	bool ended;		     /* END_TRACE was there */
	struct dvmtext_head head;    /* dvmtext_head_clear it */
};

/*
 * Reads a text trace (gzip'ed ones have to be unpacked before) and writes a native one, beside and
 * renamed. Every operand becomes an object that is named by its text without blanks and literal
 * indices ("A[i][j]", and "A" with [2][1] for "A[2][1]"): distributed when it has indices,
 * replicated otherwise. rank: whose trace it is: the
 * text does not say. Errors name the file, the line and what is wrong there. count may be NULL.
 */
int dvmtext_import(const char *from, const char *to, uint32_t rank, struct dvmtext_count *count,
		   struct err *err);

/* How an export looks. */
struct dvmtext_form {
	unsigned indent; /* blanks a level */
	bool dense;	 /* iterations in which nothing is recorded are left out */
	/*
	 * As at level NONE or CHECKSUM: constructs alone, or constructs, iterations of sequential
	 * loops, and checksums. Else all that is recorded.
	 */
	bool none, checksum;
};

/* CS(…) behind an EL. Texts are borrowed until the next call. */
struct dvmtext_sum {
	const char *name, *file, *value; /* value NULL: FAILED */
	uint32_t line, counter, type, ndim;
	bool distributed, read, written;
};

/* Bytes and lines of a stream. */
struct dvmtext_counter {
	uint64_t bytes, lines;
};

/* How an export names things; each may be NULL. */
struct dvmtext_names {
	void *arg;
	/* the source line of a site, from debug information: 0, or -1 when it is not known */
	int (*line)(void *arg, const struct trace_site *s, const char **file, uint32_t *line);
	/* the variable at an address that nobody registered: NULL when it is not known */
	const char *(*variable)(void *arg, const struct trace_block *b, const struct trace_rec *r);
	/* the i-th checksum at the end of a construct; false: there are no more */
	bool (*sum)(void *arg, const struct point *at, size_t i, struct dvmtext_sum *out);
	const struct dvmtext_form *form; /* NULL: indent 2, all iterations */
	/*
	 * What the text costs: counter: what has come out of the stream, at the least behind
	 * fflush; costs gets the head with the bytes and lines of each construct, to be cleared.
	 * Both or none.
	 */
	const struct dvmtext_counter *counter;
	struct dvmtext_head *costs;
};

/*
 * Writes a text trace. Element names have index values: "A[2][1]", "A(1,2)" for Fortran's order.
 * Accesses to memory without a name are "0x7ff…", or "malloc#3+16" for the heap. Threads follow one
 * another within each block's place in the order. -1: err names the file.
 */
int dvmtext_export(const struct trace_reader *m, FILE *out, const char *name,
		   const struct dvmtext_names *names, struct err *err);

/* The operand's text of an access as above, without debug information. Returns out. */
char *dvmtext_operand(const struct trace_block *b, const struct trace_rec *r, char *out,
		      size_t room);

#endif
