/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What two runs have printed, line by line. Lines whose texts are equal without their numbers are
 * pairs, in whatever order ranks have printed them; their numbers are compared.
 */
#ifndef DVMDBG_FRONTEND_VERIFY_PRINTED_H
#define DVMDBG_FRONTEND_VERIFY_PRINTED_H

#include <stdbool.h>
#include <stddef.h>

#define PRINTED_MOST ((size_t)1 << 20) /* bytes that are kept of a run, from its start */

/* Zeroed: nothing was printed. */
struct printed {
	char *text; /* owned; n bytes, and a NUL */
	size_t n, cap;
	bool cut; /* there was more */
};

/* A pair of lines with other numbers. */
struct printed_pair {
	char *ref, *now;	   /* owned; the lines */
	char *number_ref, *number; /* owned; the first numbers in them that differ */
};

struct printed_diff {
	struct printed_pair *pair; /* owned */
	size_t n;
	size_t compared; /* numbers */
	size_t alone;	 /* lines with numbers that have no counterpart, in either run */
};

void printed_add(struct printed *p, const char *text, size_t len);
void printed_clear(struct printed *p);
/*
 * Compares now with ref. Numbers are equal within rel of the larger one, or one unit of the digit
 * that is printed last; whole numbers have to be the same. Left out are lines with a word of
 * `ignore`, in any case and with an s at its end or a letter before it, and those that `again`,
 * another run of the reference, has otherwise (NULL: there was none).
 */
void printed_compare(const struct printed *ref, const struct printed *now,
		     const struct printed *again, double rel, const char *ignore,
		     struct printed_diff *out);
void printed_diff_clear(struct printed_diff *d);

#endif
