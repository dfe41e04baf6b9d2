/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arrays in NumPy's file format, version 1.0 (numpy/lib/format.py), written in pieces: no whole
 * array has to be in memory.
 */
#ifndef DVMDBG_FRONTEND_NPY_H
#define DVMDBG_FRONTEND_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"

struct err;
struct npy;

/*
 * A new file, written beside and renamed by npy_close. type: enum value_type. fortran: the first
 * index runs fastest in the file. Elements are given in the file's order.
 */
struct npy *npy_create(const char *path, unsigned type, unsigned ndim, const int64_t *extent,
		       int fortran, struct err *err);
int npy_write(struct npy *f, const void *elements, size_t count, struct err *err);

/* A file of one of our types, little- or big-endian; errors name the file and what is wrong. */
struct npy *npy_open(const char *path, struct err *err);
unsigned npy_type(const struct npy *f);
unsigned npy_ndim(const struct npy *f);
const int64_t *npy_extent(const struct npy *f);
int npy_fortran(const struct npy *f);
/* count elements from number `at` on, in the file's order, in the machine's byte order. */
int npy_read(struct npy *f, uint64_t at, void *elements, size_t count, struct err *err);

/* Finishes a new file. An error leaves no file. */
int npy_close(struct npy *f, struct err *err);
void npy_abandon(struct npy *f); /* NULL is fine; a new file is removed */

#endif
