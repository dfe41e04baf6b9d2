/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands of text traces: "A [ i ][ j ]", "A[2][1]", "A(1,2)", and the objects they become.
 * Only trace_text*.c need this.
 */
#ifndef DVMDBG_COMMON_TRACE_TEXT_OPERAND_H
#define DVMDBG_COMMON_TRACE_TEXT_OPERAND_H

#include "common/core/hash.h"
#include "common/trace/decode.h"

struct dvmtext_head;

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
		int64_t low[ARRAY_DIMS], high[ARRAY_DIMS]; /* of the indices seen */
		uint64_t
			elements; /* 0: too many to have a place each: the first is taken for all */
		char *file;	  /* owned; where it is declared, NULL when it is not known */
		uint32_t line, counter;
	} * object;
	uint32_t n;
	struct hash table; /* of objects by name, type and dimensions */
	const struct dvmtext_head *head; /* borrowed, for the types of its arrays; NULL: none */
	uint32_t near[256]; /* arrays of the head by name: where it was found last */
};

void text_objects_clear(struct text_objects *o);
/*
 * The number of the object that an operand of this type is of, made when it is new, and what its
 * indices are: first round: they widen its bounds; then, when *at is given, the bytes from its
 * beginning. TRACE_NOWHERE: no memory.
 */
uint32_t text_objects_find(struct text_objects *o, const char *operand, unsigned type,
			   uint64_t *at);
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

#endif
