/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI reads and writes in a call is accessed by the thread that calls it.
 */
#include "common/openmp/internal.h"

#include <string.h>

#define MOST ((uint64_t)1 << 24) /* bytes of a call that are looked at */
#define TEXT 200

static bool read_moved(const struct trace_rec *r, struct trace_moved *m)
{
	char text[TEXT];
	size_t n = r->nbytes < TEXT ? r->nbytes : TEXT - 1;

	memcpy(text, r->bytes, n);
	text[n] = '\0';
	return trace_moved_read(m, text) && m->block && m->n && m->block <= MOST &&
	       m->n <= MOST / m->block;
}

int openmp_moved(struct openmp *e, const struct trace_rec *r)
{
	struct trace_moved m;
	uint32_t site, object;
	uint64_t base;

	if (!lane_now(e)->space || lane_now(e)->simd || !read_moved(r, &m))
		return 0;
	site = site_of_pc(e, m.pc);
	if (!site)
		return 0;
	object = object_at(e, m.addr);
	base = object < e->block->nobject ? e->object[object_known(e, object)].lo : 0;
	for (uint64_t i = 0; i < m.n; i++)
		for (uint64_t at = m.addr + i * m.stride, end = at + m.block; at < end;) {
			unsigned left = 8 - (unsigned)(at & 7);
			unsigned size = left < end - at ? left : (unsigned)(end - at);

			if (openmp_access_of(e, site, object, at - base,
					     size | (m.kind == 'G' ? TRACE_WRITES : 0)))
				return -1;
			at += size;
		}
	return e->failed ? -1 : 0;
}
