/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers into a file, in pieces: in NumPy's format, or, when its name ends in .txt, as text: a
 * line for each index of all dimensions but the last, an empty line where another plane begins, and
 * on top, behind #, what it is. Written beside and renamed: an error leaves what was there.
 */
#ifndef DVMDBG_FRONTEND_EXPORT_H
#define DVMDBG_FRONTEND_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"

struct err;
struct export;

enum export_kind { EXPORT_NPY, EXPORT_TEXT, EXPORT_PICTURE, EXPORT_OTHER };

struct export_shape {
	unsigned type; /* enum value_type */
	unsigned ndim;
	int64_t extent[ARRAY_DIMS];
	bool fortran; /* elements come with the first index fastest, which only .npy can show */
};

/* By the ending of the name: .npy, .txt, .png. */
enum export_kind export_kind(const char *path);
/* about: lines for the top of a text, each with a newline. All that is no text becomes .npy. */
struct export *export_create(const char *path, const struct export_shape *shape, const char *about,
			     struct err *err);
int export_write(struct export *e, const void *elements, size_t count, struct err *err);
int export_close(struct export *e, struct err *err);
void export_abandon(struct export *e); /* NULL is fine */
/* All at once. */
int export_all(const char *path, const struct export_shape *shape, const char *about,
	       const void *elements, struct err *err);

#endif
