/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/dvmtext/dvmtext.h"
#include "frontend/data/fetch.h"
#include "frontend/data/fields.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

/* An element that is looked for, and what is known of its object. */
struct wanted {
	struct traceview_element e;
	bool met, variable, fits; /* the object is there; it has that many dimensions */
	unsigned has;		  /* dimensions of the object */
	char shape[400];	  /* "u[0:39][0:39]", "cells[0:9].v[0:2]" */
	size_t dims;		  /* "[0:39][0:39]" begins here, of what is no field */
	bool inside;
	struct fetch_objects fields; /* of structures; their descriptions have only names */
};

static void put_shape(struct wanted *w, const struct array_desc *a)
{
	bool fortran = a->order == 'F';
	size_t n = (size_t)snprintf(w->shape, sizeof(w->shape), "%.255s", a->name), name = n;

	w->has = a->ndim;
	w->inside = true;
	for (unsigned d = 0; d < a->ndim && n < sizeof(w->shape); d++) {
		int64_t last = a->lower[d] + a->extent[d] - 1;

		n += (size_t)snprintf(w->shape + n, sizeof(w->shape) - n,
				      "%s%" PRId64 ":%" PRId64 "%s", fortran ? d ? "," : "(" : "[",
				      a->lower[d], last,
				      fortran ? d + 1 < a->ndim ? "" : ")" : "]");
		if (w->e.ndim == a->ndim && (w->e.index[d] < a->lower[d] || w->e.index[d] > last))
			w->inside = false;
	}
	array_name_place(w->shape, name);
	w->dims = array_name_structure(a->name) ? 0 : name;
	w->fits = w->e.ndim == a->ndim;
}

/* The fields of all structures, each once. */
static void keep_field(struct wanted *w, const struct array_desc *a)
{
	struct fetch_object *x;

	if (!array_name_structure(a->name))
		return;
	for (size_t i = 0; i < w->fields.n; i++)
		if (!strcmp(w->fields.item[i].desc.name, a->name))
			return;
	x = xvec_add(w->fields.item, w->fields.n);
	*x = (struct fetch_object){ .desc = { .name = xstrdup(a->name), .order = a->order } };
}

/* Looks for it in the tables of a block. */
static void look(struct wanted *w, struct symbols *s, const struct trace_block *b, const char *text)
{
	struct trace_range range;

	for (uint32_t i = 0; i < b->nobject; i++) {
		const struct array_desc *a = &b->object[i].desc;

		if (b->object[i].kind == TRACE_HEAP || !a->name)
			continue;
		keep_field(w, a);
		if (!array_is_named(a, w->e.name))
			continue;
		w->met = true;
		if (!w->fits || !w->inside)
			put_shape(w, a);
	}
	w->variable |= trace_name_ranges(s, b, text, &range, 1) > 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fetch_object *)a)->desc.name,
		      ((const struct fetch_object *)b)->desc.name);
}

static void inspect_all(struct wanted *w, struct symbols *s, const struct trace_files *f,
			const char *text)
{
	traceview_element_parse(text, &w->e);
	for (size_t i = 0; i < trace_files_count(f); i++) {
		const struct trace_reader *m = trace_files_map(f, i);

		for (size_t k = 0; k < trace_reader_blocks(m) && !(w->met && w->fits); k++) {
			struct trace_block *b = trace_reader_block(m, k, NULL);

			if (b)
				look(w, s, b, text);
			trace_block_free(b);
		}
	}
	if (w->fields.n)
		qsort(w->fields.item, w->fields.n, sizeof(*w->fields.item), by_name);
}

/* What is wrong with it as an element of an object that is there; false: nothing. */
static bool is_wrong(const struct wanted *w, const char *text, char *out, size_t size)
{
	struct err why = { "" };

	if (w->met && w->e.whole && !w->fits)
		snprintf(out, size, "%s: %s has %u dimension%s%s%s", text, w->e.name, w->has,
			 w->has == 1 ? "" : "s", w->has ? ", " : "",
			 w->has ? w->shape + w->dims : "");
	else if (w->met && w->e.whole && !w->inside)
		snprintf(out, size, "%s is outside of %s", text, w->shape);
	else if (!w->met && (fields_unnamed(&w->fields, w->e.name, &why) ||
			     fields_unknown(&w->fields, w->e.name, &why)))
		snprintf(out, size, "%s: %s", text, why.text);
	else
		return false;
	return true;
}

const char *traceview_element_miss(struct symbols *s, struct trace_index *ref, const char *text,
				   char *out, size_t size)
{
	struct trace_files f = { .ref = ref };
	struct wanted it = { .has = 0 };
	bool wrong;

	inspect_all(&it, s, &f, text);
	wrong = is_wrong(&it, text, out, size);
	fetch_objects_clear(&it.fields);
	return wrong ? out : NULL;
}

static bool has_rank(const struct trace_files *f, const struct trace_want *w)
{
	for (size_t i = 0; i < trace_files_count(f); i++)
		if (rankset_has(&w->ranks, trace_reader_meta(trace_files_map(f, i))->rank))
			return true;
	return false;
}

static const char *ranks_of(const struct trace_files *f, char out[100])
{
	struct rankset all = { 0 };

	for (size_t i = 0; i < trace_files_count(f); i++) {
		uint32_t rank = trace_reader_meta(trace_files_map(f, i))->rank;

		xrankset_add(&all, rank, rank);
	}
	rankset_format(&all, out, 100);
	rankset_clear(&all);
	return out;
}

const char *trace_miss(struct symbols *s, const struct trace_files *f, const struct trace_want *w,
		       char *out, size_t size)
{
	const char *text = w->element ? w->element : w->array;
	struct wanted it = { .has = 0 };
	char ranks[100], why[600];

	snprintf(out, size, "no record matches");
	if (w->ranks.n && !has_rank(f, w)) {
		snprintf(out, size, "no record matches: these are traces of %s",
			 ranks_of(f, ranks));
		return out;
	}
	if (!text && w->calls && !traceview_has_calls(f))
		snprintf(out, size,
			 "there are no calls of MPI in these traces; record -mpi keeps them");
	if (!text)
		return out;
	inspect_all(&it, s, f, text);
	if (w->element && it.met && !it.e.whole)
		snprintf(out, size,
			 "-element %s: give numbers as indices; -array shows all "
			 "elements",
			 text);
	else if (w->element && is_wrong(&it, text, why, sizeof(why)))
		snprintf(out, size, "-element %s", why);
	else if (!w->element && !it.variable && is_wrong(&it, text, why, sizeof(why)) && !it.met)
		snprintf(out, size, "-array %s", why);
	else if (!it.met && !it.variable)
		snprintf(out, size, "there is no object or variable %s in these traces",
			 w->element ? it.e.name : text);
	else
		snprintf(out, size, "no record of %s matches", text);
	fetch_objects_clear(&it.fields);
	return out;
}
