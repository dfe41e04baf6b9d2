/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers to questions about values: sections, halos, bins, assignments, conditions.
 */
#ifndef DVMDBG_RUNTIME_EXEC_QUERY_QUERY_H
#define DVMDBG_RUNTIME_EXEC_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"

/*
 * The answer to QUERY_ASSIGN: elements of a section that this rank owns become a value, or the
 * copies in its halo.
 */

struct bins_spec;
struct buf;
struct err;
struct layout;
struct memory;
struct msg_value;
struct native;
struct object;
struct page_read;
struct section;

/* The program has to be parked. Nothing is written unless the value is of the object's type. to:
 * enum assign_to. */
void assign_answer(struct page_read *r, struct memory *m, const char *name,
		   const struct section *section, unsigned to, const struct msg_value *value,
		   struct buf *out);

/*
 * The answer to QUERY_BINS: this rank's part of a section, reduced to cells.
 */

/* The program has to be parked; rank is ours. */
void bins_answer(struct page_read *r, struct memory *m, uint32_t rank, const char *name,
		 const struct section *section, const struct bins_spec *spec, struct buf *out);

/*
 * The answer to QUERY_ADDRESS: where elements of a section are, halo and copies included. The
 * program has to be parked.
 */
void address_answer(struct page_read *r, struct memory *m, const char *name,
		    const struct section *section, struct buf *out);

/*
 * Values of registered objects: the answer to QUERY_FETCH.
 */

#define FETCH_MAX (64u << 20) /* bytes from one rank in one answer */

/*
 * Always writes an answer, if only why there is none. The program has to be parked. of: enum
 * fetch_of; sections that may go beyond the array are bound.
 */
void fetch_answer(struct page_read *r, struct memory *m, const char *name,
		  const struct section *section, unsigned of, struct buf *out);
/*
 * Reads the elements of the part, whose offsets count from local element 0, to out, with the last
 * dimension fastest. Bytes between the fields of structures become 0.
 */
int fetch_part(const struct object *o, const struct layout *p, struct memory *m, unsigned char *out,
	       struct err *err);
/* Writes ANSWER_ERROR. */
void fetch_refuse(struct buf *out, const char *why);

/*
 * Halos and what other ranks may hold of this one's part: the answer to QUERY_HALO.
 */

/*
 * The halos inside the global arrays, and the rims, at least `width` wide where other ranks follow,
 * of the distributed arrays called name, "": of all; where they would be with that shift (enum
 * halo_shift and more). Always writes an answer. The program has to be parked.
 */
void send_halo_answer(struct page_read *r, struct memory *m, const char *name, uint32_t width,
		      uint32_t shift, struct buf *out);

/*
 * What is at an address: "in u[3][4]", "3 elements before u[0][0]"; "" when nothing is registered
 * near it.
 */
void near_words(struct page_read *r, struct memory *m, uint64_t addr, char *out, size_t size);

/* Whether the address is in the memory of the object of that name, all of its halo included, or is
 * that of the pointer to it: 1, 0, -1: there is no such object. */
int query_holds(struct page_read *r, struct memory *m, const char *name, uint64_t addr);

/* What is known of the signal that the program has stopped at; each "" when nothing is. */
struct crash_words {
	char near[512];	 /* "3 elements before u[0][0]", "8 bytes behind an allocated block of 4096
			    bytes" */
	char cause[128]; /* "integer division by zero" */
	char message[256];	 /* by the C library */
	bool placed;	 /* the signal has an address */
	bool overflowed; /* the stack has */
};
/* The program has to be parked. */
void crash_words(struct page_read *r, struct memory *m, struct crash_words *out);

/* Where the first stored element of the object is, or the field is; false: there is no such object,
 * or it has no memory. */
bool query_number(struct page_read *r, struct memory *m, const char *name, unsigned *type,
		  unsigned char *bytes);
bool query_address(struct page_read *r, struct memory *m, const char *name, uint64_t *out);

/*
 * Conditions: an expression over registered objects, as they are on one rank: the answer to
 * QUERY_TEST.
 */

/*
 * Always writes an answer. The program has to be parked. native: for variables of the user's
 * innermost call; NULL: objects alone.
 */
void test_answer(struct page_read *r, struct memory *m, struct native *native, uint32_t rank,
		 const char *text, struct buf *out);

/*
 * The answer to QUERY_REDUCE: what this rank owns of the arrays in an expression, reduced. what:
 * enum reduce. Always writes an answer. The program has to be parked.
 */
void reduce_answer(struct page_read *r, struct memory *m, uint32_t rank, const char *text,
		   unsigned what, struct buf *out);

#endif
