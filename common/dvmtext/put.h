/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An export of a text trace: its state, and how single records are written. Only trace_text*.c need
 * this.
 */
#ifndef DVMDBG_COMMON_TRACE_TEXT_PUT_H
#define DVMDBG_COMMON_TRACE_TEXT_PUT_H

#include <stdio.h>

#include "common/dvmtext/text.h"

/* A line of the program, by the block's table; file is owned. */
struct text_line {
	char *file;
	uint32_t line;
	bool known;
};

/* What is known of a loop beside what the head says: the indices of its iterations. */
struct extent {
	uint8_t ndim;
	bool said; /* by its beginning; else from what was seen */
	bool varies; /* it was said otherwise before */
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS], step[ARRAY_DIMS];
};

struct text_export {
	const struct trace_reader *map;
	const struct dvmtext_names *names;
	FILE *out;
	struct err *err;
	struct dvmtext_head head;
	struct extent *extent; /* by loop */
	uint32_t nextent;
	struct trace_block *block;
	struct trace_cursor *cursor;
	struct text_line *site, *place; /* of the block */
	/* the constructs that have lines, outermost first: positions in head.loop */
	uint32_t open[TRACE_FRAMES];
	struct point begun[TRACE_FRAMES];
	uint32_t depth;
	bool started, writing;
	struct dvmtext_form form;
	/* the iteration that is left out unless something is recorded in it */
	bool held;
	uint32_t held_depth;
	int64_t held_number, held_index[ARRAY_DIMS];
	unsigned held_nidx;
};

/* Words that memory is gone. Returns -1. */
int text_no_memory(struct text_export *x);
/* A copy of a text that can stand in quotes; NULL: no memory. */
char *text_plain(const char *text);
/* The source line of a site or a place of the block; NULL: no memory. */
const struct text_line *text_site_line(struct text_export *x, uint32_t site);
const struct text_line *text_place_line(struct text_export *x, uint32_t place);
/* An iteration that was held back is reported. */
void text_flush(struct text_export *x);
/* Begins a line; what was held back comes before it. */
void text_indent(struct text_export *x);
/* "{file, line}, point" and the end of the line; at may be NULL. */
void text_put_place(struct text_export *x, const struct text_line *l, const struct point *at);
/* Any record but those of constructs and iterations. -1: no memory. */
int text_put_record(struct text_export *x, const struct trace_rec *r);

#endif
