/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The answer to QUERY_ASSIGN: elements of a section that this rank owns become a value.
 */
#ifndef DVMDBG_EXEC_ASSIGN_H
#define DVMDBG_EXEC_ASSIGN_H

struct buf;
struct memory;
struct msg_value;
struct page_read;
struct section;

/* The program has to be parked. Nothing is written unless the value is of the object's type. */
void assign_answer(struct page_read *r, struct memory *m, const char *name,
		   const struct section *section, const struct msg_value *value, struct buf *out);

#endif
