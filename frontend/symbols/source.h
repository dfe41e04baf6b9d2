/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source files of the program: found by their own path, in SOURCE_PATH, beside the program, here,
 * and where they were compiled. Files stay in memory as long as they do not change.
 */
#ifndef DVMDBG_FRONTEND_SOURCE_H
#define DVMDBG_FRONTEND_SOURCE_H

#include <stdint.h>

struct err;
struct source;
struct symbols;

/* Lines without their ends; lines count from 1: line[0] is the first. Owned by the source. */
struct source_file {
	char *path;
	char **line;
	uint32_t n;
};

/* symbols shows where sources were compiled; borrowed, may be NULL. */
struct source *source_create(struct symbols *symbols);
void source_destroy(struct source *s);
/*
 * The file that name means; path is a list of directories with ':', program the program's path (may
 * be NULL). Lasts until the next call. The error shows where it was looked for.
 */
const struct source_file *source_find(struct source *s, const char *name, const char *path,
				      const char *program, struct err *err);

#endif
