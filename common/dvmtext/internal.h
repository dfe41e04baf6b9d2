/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How accesses of native traces are written in text. Only the files of this room need this.
 */
#ifndef DVMDBG_COMMON_DVMTEXT_INTERNAL_H
#define DVMDBG_COMMON_DVMTEXT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/core/hash.h"
#include "common/dvmtext/dvmtext.h"
#include "common/trace/encode.h"
#include "common/trace/decode.h"
#include "common/trace/trace.h"

struct dvmtext_array;
struct dvmtext_head;
struct dvmtext_loop;
struct err;

#define TRACE_TEXT_VALUE 96

/* The enum value_type of what an access reads or writes: what was registered, or the likeliest. */
unsigned dvmtext_type(const struct trace_block *b, const struct trace_rec *r);
/* The number that the format has for a type, of the same class and not smaller. */
unsigned dvmtext_type_number(unsigned type);
/* That of the real and the imaginary part of a complex type. */
unsigned dvmtext_part(unsigned type);
/* " = 1.5", or "#NAN". Returns out. */
char *dvmtext_value(unsigned type, const void *bytes, char out[TRACE_TEXT_VALUE]);

/*
 * Operands of text traces: "A [ i ][ j ]", "A[2][1]", "A(1,2)", and the objects they become.
 * Only the files of this room need this.
 */

/* An operand's text taken apart. */
struct text_operand {
	const char *
		name; /* owned by the table: without blanks, and without indices that are numbers */
	uint8_t order; /* 'C', 'F'; 0: no indices, or not all are numbers */
	bool indexed;  /* it has brackets */
	uint8_t ndim;
	uint32_t within; /* the bytes behind a '+' */
	int64_t index[ARRAY_DIMS];
};

/* What an import knows of its operands. */
struct text_objects {
	struct text_object {
		char *name; /* owned */
		uint8_t type, order, ndim;
		bool indexed;
		bool sum; /* an array of a checksum, which is known by where it is declared */
		int64_t low[ARRAY_DIMS], high[ARRAY_DIMS]; /* of the indices seen */
		uint64_t
			elements; /* 0: too many to have a place each: the first is taken for all */
		char *file;	  /* owned; where it is declared, NULL when it is not known */
		uint32_t line, counter;
	} * object;
	uint32_t n;
	struct hash table;		 /* of objects by name, type and dimensions */
	const struct dvmtext_head *head; /* borrowed, for the types of its arrays; NULL: none */
	uint32_t near[256];		 /* arrays of the head by name: where it was found last */
};

void text_objects_clear(struct text_objects *o);
/*
 * The number of the object that an operand of this type is of, made when it is new, and what its
 * indices are: first round: they widen its bounds; then, when *at is given, the bytes from its
 * beginning. TRACE_NOWHERE: no memory.
 */
uint32_t text_objects_find(struct text_objects *o, const char *operand, unsigned type,
			   uint64_t *at);
/* That of an array as a checksum names it. TRACE_NOWHERE: no memory. */
uint32_t text_objects_array(struct text_objects *o, const char *name, const char *file,
			    uint32_t line, uint32_t counter);
/* The type of what is read or written of object n, where the text has `type`. */
unsigned text_objects_value(const struct text_objects *o, uint32_t n, unsigned type);
/* Where object n is declared, and that it is an array; the first that is said holds. -1: no memory.
 */
int text_objects_declare(struct text_objects *o, uint32_t n, const char *file, uint32_t line,
			 uint32_t counter, bool distributed);
/* Behind the first round. -1: no memory. */
int text_objects_fix(struct text_objects *o, const struct dvmtext_head *h);
/* For a resolver; out borrows from o. -1: there is no such object. */
int text_objects_describe(const struct text_objects *o, uint32_t n, struct trace_object *out);

/* Reads a value of a type as it stands in a trace into bytes of that type; -1: it is none. */
int text_value(unsigned type, const char *text, unsigned char out[16]);

/*
 * An export of a text trace: its state, and how single records are written. Only the files of this
 * room need this.
 */

/* A line of the program, by the block's table; file is owned. */
struct text_line {
	char *file;
	uint32_t line;
	bool known;
};

/* What is known of a loop beside what the head says: the indices of its iterations. */
struct extent {
	uint8_t ndim;
	bool known;   /* by its beginning; else from what was seen */
	bool varies; /* it was said otherwise before */
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS], step[ARRAY_DIMS];
};

struct text_export {
	const struct trace_reader *map;
	const struct dvmtext_names *names;
	FILE *out;
	struct err *err;
	struct dvmtext_head head;
	uint32_t kept; /* loops that the trace's own head has */
	bool verbatim; /* it is that of a text, which is to come out as it was */
	struct extent *extent; /* by loop */
	struct trace_block *block;
	struct trace_cursor *cursor;
	struct text_line *site, *place; /* of the block */
	/* the constructs that have lines, outermost first: positions in head.loop */
	uint32_t open[TRACE_FRAMES];
	uint32_t number[TRACE_FRAMES]; /* as they are written */
	struct point begun[TRACE_FRAMES];
	uint64_t seen[TRACE_FRAMES]; /* iterations */
	struct dvmtext_counter from[TRACE_FRAMES]; /* of the stream, where it began */
	uint32_t depth;
	bool started, writing;
	char said[64];	 /* by a note: the next construct's number, parent and rank; "" nothing */
	bool numbered;	 /* by a note: the next iteration's linear number is … */
	int64_t linear;
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
/* What stands in quotes: quotes and what is no text would not be read back. */
void text_put_name(struct text_export *x, const char *text);
/* A VALUE, in a comment; false: of a kind that is not written. */
bool text_put_values(struct text_export *x, const struct trace_rec *r);
/* The results of an array, which RV: has no place for; nothing of what is no array of numbers. */
void text_put_results(struct text_export *x, const struct trace_rec *r,
		      const struct text_line *where);
/* A line of a checksum. */
void text_put_sum(struct text_export *x, const struct dvmtext_sum *s);
/* Any record but those of constructs and iterations. -1: no memory. */
int text_put_record(struct text_export *x, const struct trace_rec *r);

/*
 * Lines of the historical text format, taken apart. Only the files of this room need this.
 */

/* In a comment of ours in front of a RV: its variable, which the format does not name. */
#define TEXT_RESULT_OF "RV of "
/* In front of an EL: of a construct not all of whose iterations are there: how many there were. */
#define TEXT_EXECUTED "EXECUTED: "
/* The value of a replicated object, and the result of a reduction of an array, see values.c. */
#define TEXT_VALUE "VALUE: "
#define TEXT_RESULTS "RESULTS: "

struct text_object_value {
	char operand[256], file[512];
	uint32_t line, counter;
	uint8_t type, form; /* enum value_type, enum trace_value_form */
	uint64_t before, behind;
	unsigned char bytes[TRACE_BYTES_MOST];
	uint32_t n; /* of bytes */
};
/* Out of the text of a comment; false: it is none. */
bool text_take_values(const char *p, struct text_object_value *v);
/* Likewise of the results of a reduction, and the line of its mark. */
bool text_take_results(const char *p, struct text_object_value *v, char file[512], uint32_t *line);

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
/* Words "NAME:LINE:COLUMN: …", the column of what is left of the line. Returns -1. */
int text_error(const struct text_file *f, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What is left is all of the line, for errors about that. */
void text_back(struct text_file *f);

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

/* Writes it as a trace of a text keeps it: with all that was worked out of the records. -1:
 * errno. */
int dvmtext_head_keep(const struct dvmtext_head *h, FILE *out);
/* The linear number of an iteration by the weights of its indices. */
int64_t dvmtext_linear(const uint64_t *weight, unsigned n, const int64_t *index);

/* As dvmtext_head_read; f is behind it then. */
int dvmtext_head_get(struct dvmtext_head *h, struct text_file *f, struct err *err);
/* One more at the end, zeroed; NULL: no memory. */
struct dvmtext_loop *dvmtext_add_loop(struct dvmtext_head *h);
struct dvmtext_array *dvmtext_add_array(struct dvmtext_head *h);

enum text_what {
	TEXT_NOTHING, /* an empty line */
	TEXT_COMMENT,
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
	int64_t linear; /* ITER: the number in front */
	int64_t index[ARRAY_DIMS];
	char *operand; /* BEFORE, WRITE, READ; SUM: the array's name */
	char *value;   /* WRITE, READ, RESULT, SUM; NULL: #NAN, or FAILED. COMMENT: its text */
	char *file;
	uint32_t line;
	uint32_t counter; /* SUM */
	char *access;	  /* SUM: "r", "w", "rw" */
};

/* Takes a record apart. -1: err names file, line, and what is wrong. */
int text_record(struct text_file *f, struct text_rec *r, struct err *err);

#endif
