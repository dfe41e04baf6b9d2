/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The answer to QUERY_ZOOM: this rank's part of a section, reduced to cells.
 */
#ifndef DVMDBG_EXEC_ZOOM_H
#define DVMDBG_EXEC_ZOOM_H

#include <stdint.h>

struct buf;
struct memory;
struct page_read;
struct section;
struct bins_spec;

/* The program has to be parked; rank is ours. */
void bins_answer(struct page_read *r, struct memory *m, uint32_t rank, const char *name,
		 const struct section *section, const struct bins_spec *spec, struct buf *out);

#endif
