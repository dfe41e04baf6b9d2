/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditions: an expression over registered objects, as they are on one rank: the answer to
 * QUERY_TEST.
 */
#ifndef DVMDBG_EXEC_TEST_H
#define DVMDBG_EXEC_TEST_H

#include <stdint.h>

struct buf;
struct memory;
struct page_read;

/* Always writes an answer. The program has to be parked. */
void test_answer(struct page_read *r, struct memory *m, uint32_t rank, const char *text,
		 struct buf *out);

#endif
