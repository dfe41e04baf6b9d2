/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <strings.h>

#include "runtime/base/base.h"

#define MOST 64

/* Where such an array is, and its name. */
static struct refused {
	uint64_t at, data; /* data: what a pointer variable at `at` pointed to */
	uint32_t name;	   /* arena offset */
} refused[MOST];
static unsigned n;

void var_refuse(const struct var *v)
{
	struct refused *r = &refused[n % MOST];
	uint32_t name = v->name && v->len ? arena_string(v->name, v->len) : 0;

	if (!v->e.addr || !name)
		return;
	for (unsigned i = 0; i < n && i < MOST; i++)
		if (refused[i].at == v->e.addr && refused[i].name == name)
			r = &refused[i];
	n += r == &refused[n % MOST];
	*r = (struct refused){ .at = v->e.addr, .data = v->e.addr, .name = name };
	probe_start();
	if (v->e.by_pointer && probe(v->e.addr, sizeof(void *), true))
		memcpy(&r->data, (const void *)(uintptr_t)v->e.addr, sizeof(void *));
}

bool var_refused(uint64_t data)
{
	for (unsigned i = 0; i < n && i < MOST; i++)
		if (refused[i].data == data)
			return true;
	return false;
}

bool var_refused_name(const char *name, size_t len)
{
	for (unsigned i = 0; i < n && i < MOST; i++) {
		const char *have = arena_at(refused[i].name);

		if (!strncasecmp(have, name, len) && !have[len])
			return true;
	}
	return false;
}
