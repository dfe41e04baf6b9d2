/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in text: decimal digits with a sign before them, without blanks. A function either takes
 * the whole text or, with _at in its name, the front of it, and moves *text behind the number. What
 * is no number, or none from lo to hi, leaves *v and *text as they are and returns -1.
 */
#ifndef DVMDBG_COMMON_CORE_PARSE_H
#define DVMDBG_COMMON_CORE_PARSE_H

#include <stdint.h>
#include <string.h>

struct err;

/* text may be NULL: that is no number. */
int parse_int(const char *text, int64_t lo, int64_t hi, int64_t *v);
int parse_uint(const char *text, uint64_t lo, uint64_t hi, uint64_t *v);
/* As strtod reads it, so also 0x1p-3; finite. */
int parse_real(const char *text, double lo, double hi, double *v);

/* With err: "name: 'text' is not a whole number from lo to hi". */
int parse_uint_of(const char *name, const char *text, uint64_t lo, uint64_t hi, uint64_t *v,
		  struct err *err);
/* With err: "name: 'text' is not a number from lo to hi". */
int parse_real_of(const char *name, const char *text, double lo, double hi, double *v,
		  struct err *err);

/* The number at the front of *text, of any size that 64 bits hold. */
int parse_int_at(const char **text, int64_t *v);
int parse_uint_at(const char **text, uint64_t *v);
/* Also "inf" and "nan". */
int parse_real_at(const char **text, double *v);

/* A file's name: what is behind the last slash, borrowed from path; "" of NULL. */
static inline const char *path_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

#endif
