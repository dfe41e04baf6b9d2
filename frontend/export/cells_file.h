/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of cells into a file: as it looks (.png, a pixel a cell), or its numbers (.npy, .txt).
 */
#ifndef DVMDBG_FRONTEND_CELLS_FILE_H
#define DVMDBG_FRONTEND_CELLS_FILE_H

#include <stddef.h>
#include <stdint.h>

struct about;
struct err;

struct cells_file {
	const char *verb;    /* for errors */
	uint32_t rows, cols; /* cells; of a folded dimension one row … */
	uint32_t columns;    /* … of which so many stand side by side */
	const struct about *about;
	void *arg;				    /* of both functions */
	uint32_t (*colour)(void *arg, size_t cell); /* 0xRRGGBB */
	double (*number)(void *arg, size_t cell);
};

/*
 * image: a file for the picture; save: one for what its ending says. Either may be NULL. -1 and
 * err, which shows what endings there are.
 */
int cells_file_write(const struct cells_file *c, const char *image, const char *save,
		     struct err *err);
/* Whether the names of both will do, asked before anything is fetched. */
int cells_file_check(const char *verb, const char *image, const char *save, struct err *err);

#endif
