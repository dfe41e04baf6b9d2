/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/dvmtext/dvmtext.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xrankset.h"

#define NAME 256

/* An element that is looked for, and what is known of its object. */
struct wanted {
	char name[NAME];
	unsigned ndim;
	int64_t index[ARRAY_DIMS];
	bool numbers;		  /* all indices are numbers */
	bool met, variable, fits; /* the object is there; it has that many dimensions */
	unsigned has;		  /* dimensions of the object */
	char shape[200];	  /* "[0:39][0:39]" */
	bool inside;
};

/* "u[3][4]", "a(3,4)", "u" */
static void take_element(struct wanted *w, const char *text)
{
	size_t n = strcspn(text, "[(");
	const char *at = text + n;
	char *end;

	snprintf(w->name, sizeof(w->name), "%.*s", (int)n, text);
	w->numbers = true;
	while (*at && w->ndim < ARRAY_DIMS) {
		w->index[w->ndim++] = strtoll(at + 1, &end, 10);
		w->numbers = w->numbers && end != at + 1;
		at += 1 + strcspn(at + 1, "[,");
	}
}

static void put_shape(struct wanted *w, const struct array_desc *a)
{
	bool fortran = a->order == 'F';
	size_t n = 0;

	w->has = a->ndim;
	w->inside = true;
	for (unsigned d = 0; d < a->ndim && n < sizeof(w->shape); d++) {
		int64_t last = a->lower[d] + a->extent[d] - 1;

		n += (size_t)snprintf(w->shape + n, sizeof(w->shape) - n,
				      "%s%" PRId64 ":%" PRId64 "%s", fortran ? d ? "," : "(" : "[",
				      a->lower[d], last,
				      fortran ? d + 1 < a->ndim ? "" : ")" : "]");
		if (w->ndim == a->ndim && (w->index[d] < a->lower[d] || w->index[d] > last))
			w->inside = false;
	}
	w->fits = w->ndim == a->ndim;
}

/* Looks for it in the tables of a block. */
static void look(struct wanted *w, struct symbols *s, const struct trace_block *b, const char *text)
{
	struct trace_range range;

	for (uint32_t i = 0; i < b->nobject; i++) {
		const struct array_desc *a = &b->object[i].desc;

		if (b->object[i].kind == TRACE_HEAP || !a->name || strcmp(a->name, w->name) != 0)
			continue;
		w->met = true;
		if (!w->fits || !w->inside)
			put_shape(w, a);
	}
	w->variable |= trace_name_ranges(s, b, text, &range, 1) > 0;
}

static void inspect_all(struct wanted *w, struct symbols *s, const struct trace_files *f,
			const char *text)
{
	for (size_t i = 0; i < trace_files_count(f); i++) {
		const struct trace_reader *m = trace_files_map(f, i);

		for (size_t k = 0; k < trace_reader_blocks(m) && !(w->met && w->fits); k++) {
			struct trace_block *b = trace_reader_block(m, k, NULL);

			if (b)
				look(w, s, b, text);
			trace_block_free(b);
		}
	}
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
	char ranks[100];

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
	take_element(&it, text);
	inspect_all(&it, s, f, text);
	if (!it.met && !it.variable)
		snprintf(out, size, "there is no object or variable %s in these traces",
			 w->element ? it.name : text);
	else if (w->element && it.met && !it.numbers)
		snprintf(out, size,
			 "-element %s: give numbers as indices; -array shows all "
			 "elements",
			 text);
	else if (w->element && it.met && !it.fits)
		snprintf(out, size, "-element %s: %s has %u dimension%s%s%s", text, it.name, it.has,
			 it.has == 1 ? "" : "s", it.has ? ", " : "", it.shape);
	else if (w->element && it.met && !it.inside)
		snprintf(out, size, "-element %s is outside of %s%s", text, it.name, it.shape);
	else
		snprintf(out, size, "no record of %s matches", text);
	return out;
}
