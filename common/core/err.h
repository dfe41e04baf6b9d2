/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An error text on its way up. The lowest layer that knows the cause words it, the top prints it.
 */
#ifndef DVMDBG_COMMON_ERR_H
#define DVMDBG_COMMON_ERR_H

struct err {
	char text[1024];
};

/* Words the error (err may be NULL), keeps errno, returns -1. A text that is too long is cut. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "text: " in front of what err says already. Returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
