/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/traceview.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "common/tracereport/tracereport.h"
#include "common/traceindex/traceindex.h"
#include "common/array/value.h"
#include "frontend/symbols/symbols.h"

static const char *name_of(struct symbols *s, const struct trace_spot *p, unsigned size,
			   const char *func, struct symbol_data *out, char *text, size_t room)
{
	const struct place *at = &p->place;
	const char *slash;
	struct symbol_data data;

	out = out ? out : &data;
	if (!at->module || !*at->module)
		return NULL;
	if (symbols_build_is(s, at->module, p->build_id, p->nbuild_id) &&
	    symbols_data_at(s, at->module, at->vaddr, size, func, out, text, room))
		return text;
	*out = (struct symbol_data){ .vaddr = at->vaddr, .type = VALUE_TYPES };
	slash = strrchr(at->module, '/');
	snprintf(text, room, "%s+0x%" PRIx64, slash ? slash + 1 : at->module, at->vaddr);
	return text;
}

const char *trace_spot_name(struct symbols *s, const struct trace_spot *p, unsigned size,
			    struct symbol_data *out, char *text, size_t room)
{
	return name_of(s, p, size, NULL, out, text, room);
}

const char *trace_access_name(struct symbols *s, const struct trace_block *b,
			      const struct trace_rec *r, struct symbol_data *out, char *text,
			      size_t room)
{
	struct trace_site site;
	struct trace_spot spot;
	struct place from = { 0 };

	if (r->object != TRACE_NOWHERE || !trace_block_module(b, r->at, &site))
		return NULL;
	spot = (struct trace_spot){ site.place, site.build_id, site.nbuild_id };
	if (r->site < b->nsite)
		from = b->site[r->site].place;
	symbols_resolve(s, &from);
	return name_of(s, &spot, r->size, from.func, out, text, room);
}

/* The variable in one module; as symbols_data_find. */
static int find_in(struct symbols *s, const struct trace_module *m, const char *text,
		   struct symbol_data *out, struct err *err)
{
	if (!symbols_build_is(s, m->path, m->build_id, m->nbuild_id))
		return 0;
	return symbols_data_find(s, m->path, text, out, err);
}

unsigned trace_name_ranges(struct symbols *s, const struct trace_block *b, const char *text,
			   struct trace_range *range, unsigned n)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < b->nmodule && found < n; i++) {
		struct symbol_data data;

		if (b->module[i].hi && find_in(s, &b->module[i], text, &data, NULL) > 0 &&
		    data.size)
			range[found++] =
				(struct trace_range){ b->module[i].load + data.vaddr, data.size };
	}
	return found;
}

/* Looks into the modules of one block. */
static int find_block(struct symbols *s, const struct trace_block *b, const char *text,
		      struct symbol_data *out, const char **module, struct err *err)
{
	for (uint32_t i = 0; i < b->nmodule; i++) {
		int rc = find_in(s, &b->module[i], text, out, err);

		if (!rc)
			continue;
		*module = b->module[i].path;
		return rc;
	}
	return 0;
}

int traceview_name_find(struct symbols *s, const struct trace_index *ref, const char *text,
			struct symbol_data *out, const char **module, struct trace_block **hold,
			struct err *err)
{
	int rc = 0;

	*hold = NULL;
	/* a library may have come late: the last block knows all that are there then */
	for (uint32_t f = 0; f < trace_index_files(ref) && !rc; f++) {
		const struct trace_reader *m = trace_index_map(ref, f);
		size_t n = trace_reader_blocks(m), at[2] = { 0, n - 1 };

		for (unsigned k = 0; k < 2 && k < n && !rc; k++) {
			trace_block_free(*hold);
			*hold = trace_reader_block(m, at[k], NULL);
			rc = *hold ? find_block(s, *hold, text, out, module, err) : 0;
		}
	}
	if (rc <= 0) {
		trace_block_free(*hold);
		*hold = NULL;
	}
	return rc;
}
