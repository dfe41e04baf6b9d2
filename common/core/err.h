/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An error text on its way up. The lowest layer that knows the cause words it, the top prints it.
 */
#ifndef DVMDBG_COMMON_ERR_H
#define DVMDBG_COMMON_ERR_H

/* Kinds of errors for those who answer them; whoever words the error knows. */
enum err_code {
	ERR_OTHER,
	ERR_NUMBER,   /* a number is needed, or the number of something that exists */
	ERR_WORDS,    /* no words are allowed there */
	ERR_LOCATION, /* no place in the source, and no construct */
	ERR_NAME,     /* no object of that name */
	ERR_FIELD,    /* structures, where a field has to be named, or one that they do not have */
	ERR_SYNTAX,   /* no expression; at: the character that does not belong there */
	ERR_END,      /* more than an expression; at: the character behind it */
	ERR_MEMORY,   /* not enough for something of any size, as an array */
	ERR_GONE,     /* the compiler has not kept it */
	ERR_FILE,     /* a file cannot be made */
	ERR_INDEX,    /* an index that differs between ranks */
	ERR_VALUE     /* a call that returns no number */
};

struct err {
	char text[1024];
	unsigned char code; /* enum err_code */
	char at;
};

/* Words the error (err may be NULL), keeps errno, returns -1. A text that is too long is cut. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with a code; that of err_set is ERR_OTHER. */
int err_set_code(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "text: " in front of what err says already; the code stays. Returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
