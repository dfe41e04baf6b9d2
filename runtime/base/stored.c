/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that lie in a module's own memory (global and static ones): who has the debug information
 * compares how they are declared with how they are registered.
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
