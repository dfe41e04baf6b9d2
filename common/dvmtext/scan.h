/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of the historical text format, taken apart. Only trace_text*.c need this.
 */
#ifndef DVMDBG_COMMON_TRACE_TEXT_SCAN_H
#define DVMDBG_COMMON_TRACE_TEXT_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/trace/trace.h"

struct err;
struct dvmtext_array;
struct dvmtext_head;
struct dvmtext_loop;

/* A text file that is read line by line. */
struct text_file {
	FILE *in;
	const char *name;
	char *line; /* owned; without its newline */
	size_t room;
	unsigned long number; /* of the line, from 1 */
	bool whole;	      /* the line ended with a newline */
	const char *p;	      /* what is left of the line */
};

/* 1 a line, without blanks in front; 0 the end; -1 err: it cannot be read. */
int text_next(struct text_file *f, struct err *err);
void text_clear(struct text_file *f);
/* Words "NAME:LINE: …". Returns -1. */
int text_error(const struct text_file *f, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Each skips blanks, takes what it says, and moves on; false: it is not there, nothing moved. */
bool text_word(struct text_file *f, const char *word);
bool text_number(struct text_file *f, int64_t *v);
bool text_natural(struct text_file *f, uint32_t *v);
/* "…"; *text is borrowed from the line, and gets its own NUL. */
bool text_quoted(struct text_file *f, char **text);
bool text_end(struct text_file *f);

/* FULL; nothing or another word: -1, and nothing moved. */
int text_level(struct text_file *f);
const char *text_level_name(int level); /* "" for -1 */

/* As dvmtext_head_read; f is behind it then. */
int dvmtext_head_get(struct dvmtext_head *h, struct text_file *f, struct err *err);
/* One more at the end, zeroed; NULL: no memory. */
struct dvmtext_loop *dvmtext_add_loop(struct dvmtext_head *h);
struct dvmtext_array *dvmtext_add_array(struct dvmtext_head *h);

enum text_what {
	TEXT_NOTHING, /* an empty line, a comment */
	TEXT_BEGIN,
	TEXT_END,
	TEXT_ITER,
	TEXT_LEAVE,  /* ours: what follows is in no iteration */
	TEXT_BEFORE, /* BW, RV_BW */
	TEXT_WRITE,  /* AW, RV_AW */
	TEXT_READ,   /* RD, RV_RD */
	TEXT_RESULT, /* RV */
	TEXT_SKIP,
	TEXT_SUM,
	TEXT_STOP, /* END_TRACE */
};

/* A record. Texts are borrowed from the line; what a kind of record does not have is 0 or NULL. */
struct text_rec {
	uint8_t what;	/* enum text_what */
	bool reduction; /* RV_… */
	uint8_t kind;	/* BEGIN: enum construct_kind */
	uint8_t type;	/* enum value_type */
	uint8_t nidx;
	uint32_t number, parent, rank; /* BEGIN, END; rank: number of loop variables */
	struct point point;	       /* main 0: none */
	int64_t index[ARRAY_DIMS];
	char *operand; /* BEFORE, WRITE, READ; SUM: the array's name */
	char *value;   /* WRITE, READ, RESULT, SUM; NULL: #NAN, or FAILED */
	char *file;
	uint32_t line;
	uint32_t counter; /* SUM */
	char *access;	  /* SUM: "r", "w", "rw" */
};

/* Takes a record apart. -1: err names file, line, and what is wrong. */
int text_record(struct text_file *f, struct text_rec *r, struct err *err);

#endif
