/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A section of an array out of a .npy file.
 */
#ifndef DVMDBG_FRONTEND_DIFF_NPY_H
#define DVMDBG_FRONTEND_DIFF_NPY_H

struct err;
struct pieces;

/*
 * The elements of the section p, the last dimension fastest, to be freed. The file has the whole
 * array, or just the section; its type must be the array's. NULL and err.
 */
void *diff_npy_read(const char *path, const struct pieces *p, struct err *err);

#endif
