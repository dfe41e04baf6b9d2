/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of registered objects: the answer to QUERY_FETCH.
 */
#ifndef DVMDBG_EXEC_FETCH_H
#define DVMDBG_EXEC_FETCH_H

#include <stdint.h>

#include "common/array/section.h"

struct buf;
struct err;
struct layout;
struct memory;
struct object;
struct page_read;

#define FETCH_MAX (64u << 20) /* bytes from one rank in one answer */

/* Always writes an answer, if only why there is none. The program has to be parked. */
void fetch_answer(struct page_read *r, struct memory *m, const char *name,
		  const struct section *section, struct buf *out);
/*
 * Reads the elements of the part, whose offsets count from local element 0, to out, with the last
 * dimension fastest. Bytes between the fields of structures become 0.
 */
int fetch_part(const struct object *o, const struct layout *p, struct memory *m,
	       unsigned char *out, struct err *err);
/* Writes ANSWER_ERROR. */
void fetch_refuse(struct buf *out, const char *why);

#endif
