/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is done again and again while one allocation in it fails. A case returns 0 and what it has
 * found out (case_add), or -1 when the code under test has reported an error; it must not return 0
 * with another result than without failures.
 */
#ifndef DVMDBG_TESTS_OOM_CASES_H
#define DVMDBG_TESTS_OOM_CASES_H

#include <stddef.h>
#include <stdint.h>

#include "common/core/err.h"

struct buf;

struct result {
	uint64_t hash;	/* of all that was added */
	struct err err; /* what was reported, if that is in words */
};

struct oom_case {
	const char *name;
	void (*prepare)(void); /* once, before all runs; NULL: nothing is needed */
	int (*run)(struct result *r);
	void (*clean)(void); /* once, behind all runs */
};

extern const struct oom_case cases_common[], cases_exec[], cases_trace[];

void case_add(struct result *r, const void *data, size_t len);
void case_text(struct result *r, const char *text);
/* Adds the bytes; -1 when the buffer is bad. */
int case_buf(struct result *r, const struct buf *b);

#endif
