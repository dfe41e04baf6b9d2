/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Halos and what other ranks may hold of this one's part: the answer to QUERY_HALO.
 */
#ifndef DVMDBG_EXEC_RIM_H
#define DVMDBG_EXEC_RIM_H

#include <stdint.h>

struct buf;
struct memory;
struct page_read;

/*
 * The halos inside the global arrays, and the rims, at least `width` wide where other ranks follow,
 * of the distributed arrays called name, "": of all. Always writes an answer. The program has to be
 * parked.
 */
void send_halo_answer(struct page_read *r, struct memory *m, const char *name, uint32_t width,
		struct buf *out);

#endif
