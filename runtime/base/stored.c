/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where registered objects are: arrays in a module's own memory (global and static ones), of which
 * the debug information says how they are declared; and what has the byte at an address.
 */
#include <dlfcn.h>
#include <string.h>

#include "runtime/base/base.h"

/* "4 800 heat.c:35 u": the type, the bytes, the registration, the name. */
void var_stored(const struct var *v, uint64_t addr, int64_t bytes)
{
	const struct rt_loc *l = &rt_loc[v->loc];
	const char *base = l->file ? strrchr(l->file, '/') : NULL;
	char detail[192];
	struct text t = { detail, 0, sizeof(detail) };
	Dl_info info;

	/* Fortran's descriptors have the type of the array */
	if (v->by_name || !l->file || !dladdr((void *)(uintptr_t)addr, &info))
		return;
	text_num(&t, v->e.type);
	text_str(&t, " ");
	text_num(&t, bytes);
	text_str(&t, " ");
	text_str(&t, base ? base + 1 : l->file);
	text_str(&t, ":");
	text_num(&t, l->line);
	text_str(&t, " ");
	for (size_t i = 0; i < v->len && i < 64; i++)
		text_str(&t, (char[]){ v->name[i], 0 });
	find_stored(v->loc, addr, detail);
}

/* Bytes from the first stored element to the end of the last. */
static uint64_t extent_of(const struct page_entity *e)
{
	int64_t n = 1;

	for (uint32_t d = 0; d < e->ndim; d++) {
		int64_t own = e->list[d] ? e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;

		if (e->stride[d] > 0)
			n += (own + e->halo_lo[d] + e->halo_hi[d] - 1) * e->stride[d];
	}
	return n > 0 ? (uint64_t)n * e->elem_size : 0;
}

uint32_t var_having(uint64_t addr)
{
	uint32_t found = 0, serial = 0, loc;

	probe_start();
	for (uint32_t i = 0; i < var_count(); i++) {
		uint32_t off = var_entity(i, &loc);
		const struct page_entity *e = arena_at(off);
		uint64_t at = e->addr;

		if (!atomic_load(&e->live) || e->serial < serial)
			continue;
		if (e->by_pointer && !probe(at, sizeof(at), true))
			continue;
		if (e->by_pointer)
			memcpy(&at, (const void *)(uintptr_t)at, sizeof(at));
		at -= (uint64_t)e->before;
		if (at && addr >= at && addr - at < extent_of(e)) {
			found = off;
			serial = e->serial;
		}
	}
	return found;
}
