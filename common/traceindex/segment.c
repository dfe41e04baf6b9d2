/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/traceindex/traceindex.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"

static uint64_t name_hash(uint64_t h, const char *path)
{
	const char *slash = strrchr(path, '/');

	return hash_text(h, slash ? slash + 1 : path);
}

uint64_t segment_place_hash(const struct place *p)
{
	uint64_t h = HASH_START;

	if (p->file && *p->file)
		h = name_hash(h, p->file) + p->line;
	else if (p->module && *p->module)
		h = name_hash(h, p->module) + p->vaddr * UINT64_C(0x9e3779b97f4a7c15);
	else
		return 0;
	return h ? h : 1;
}

void segment_clear(struct segment *s)
{
	free(s->acc);
	free(s->scope);
	free(s->event);
	free(s->index);
	free(s->bytes);
	*s = (struct segment){ 0 };
}

size_t segment_bytes(const struct segment *s)
{
	return sizeof(*s) + s->cap_acc * sizeof(*s->acc) + s->cap_scope * sizeof(*s->scope) +
	       s->cap_event * sizeof(*s->event) + s->cap_index * sizeof(*s->index) + s->cap_bytes;
}
