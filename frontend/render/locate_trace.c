/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locate has from traces, as text: the wrong write, and what it was computed from.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/render/render.h"

#define LABEL 600

static bool is(const json_t *a, const char *key, const char *text)
{
	return !strcmp(out_str(a, key), text);
}

static const char *title(const json_t *w)
{
	const char *kind = out_str(w, "kind");

	if (!strcmp(kind, "missing") || !strcmp(kind, "iteration") || !strcmp(kind, "twice"))
		return "iteration";
	if (!strcmp(kind, "unwritten") || !strcmp(kind, "reduction"))
		return kind;
	if (!*out_str(w, "element"))
		return "differs";
	if (!json_array_size(out_get(w, "index")) && is(w, "access", "read") &&
	    !json_array_size(out_get(w, "iteration")))
		return "value";
	return is(w, "access", "write") ? "written" : "read";
}

static const char *value_of(const json_t *o, const char *key, char *out)
{
	const json_t *v = out_get(o, key);

	if (!out_get(o, "kind_of_value"))
		return json_is_string(v) ? json_string_value(v) : "?";
	return out_text_value(out_str(o, "kind_of_value"), v, out);
}

static void put_halo(FILE *f, const json_t *o)
{
	if (out_get(o, "halo_of"))
		fprintf(f, "; in the halo, rank %lld owns it", (long long)out_int(o, "halo_of"));
	else if (out_get(o, "unowned"))
		fputs("; in the halo, no rank owns it", f);
}

/* "in iteration (3,4)", or, outside of constructs, since when. */
static void put_when(FILE *f, const json_t *o)
{
	const json_t *iteration = out_get(o, "iteration");

	if (json_array_size(iteration)) {
		fputs(" in iteration ", f);
		out_text_index(f, iteration);
	} else if (json_is_true(out_get(o, "outside"))) {
		fputs(", outside of parallel loops", f);
		if (*out_str(o, "point"))
			fprintf(f, ", after %s", out_str(o, "point"));
		else
			fputs(", at the start", f);
		fputc(',', f);
	}
}

/* Where and when. */
static void text_where(FILE *f, const json_t *w)
{
	const json_t *source = out_get(w, "source");
	const char *place = out_str(w, "place"), *there = out_str(w, "reference_place");

	fputs("            ", f);
	if (*place)
		fprintf(f, " at %s", place);
	put_when(f, w);
	if (out_get(w, "operation"))
		fprintf(f, ", its access %lld to arrays,", (long long)out_int(w, "operation"));
	if (out_get(w, "rank"))
		fprintf(f, " on rank %lld", (long long)out_int(w, "rank"));
	if (*there && strcmp(place, there) != 0)
		fprintf(f, ", in the reference at %s", there);
	else if (out_get(w, "reference_rank"))
		fputs(", in the reference", f);
	if (out_get(w, "reference_rank"))
		fprintf(f, " on rank %lld", (long long)out_int(w, "reference_rank"));
	if (out_int(w, "count") > 1)
		fprintf(f, "; %lld like it", (long long)out_int(w, "count") - 1);
	put_halo(f, w);
	fputc('\n', f);
	for (size_t i = 0; i < json_array_size(source); i++)
		fprintf(f, "             %lld  %s\n",
			(long long)out_int(json_array_get(source, i), "line"),
			out_str(json_array_get(source, i), "text"));
}

/* "p[3]", and of several that one line registers which: "p[3] of p@f.c:12#1". Returns out. */
static const char *element_of(const json_t *o, char out[LABEL])
{
	if (out_int(o, "counter"))
		snprintf(out, LABEL, "%s of %s@%s#%lld", out_str(o, "element"), out_str(o, "array"),
			 out_str(o, "registered"), (long long)out_int(o, "counter"));
	else
		snprintf(out, LABEL, "%s", out_str(o, "element"));
	return out;
}

/* known: all that the reference reads in the iteration. */
static void text_operand(FILE *f, const json_t *o, bool first, int width, bool known)
{
	char text[VALUE_TEXT], label[LABEL];
	bool other = json_is_true(out_get(o, "differs"));

	fprintf(f, "  %-10s %-*s  %s", first ? "from" : "", width, element_of(o, label),
		out_get(o, "value") ? value_of(o, "value", text) : "not read here");
	if (other || !out_get(o, "value"))
		fprintf(f, ", %s in the reference", value_of(o, "reference_value", text));
	else if (known && !out_get(o, "reference_value"))
		fputs(", not read in the reference", f);
	put_halo(f, o);
	fputc('\n', f);
}

/* The same was read before. */
static bool repeated(const json_t *list, size_t i)
{
	const json_t *o = json_array_get(list, i);

	for (size_t k = 0; k < i; k++) {
		const json_t *x = json_array_get(list, k);

		if (is(x, "element", out_str(o, "element")) &&
		    out_int(x, "counter") == out_int(o, "counter") &&
		    json_equal(out_get(x, "value"), out_get(o, "value")) &&
		    json_equal(out_get(x, "reference_value"), out_get(o, "reference_value")))
			return true;
	}
	return false;
}

/* One write of an operand: "27 since omp.c:66 on rank 0". */
static void put_origin(FILE *f, const json_t *o, bool ref)
{
	fprintf(f, "%s", out_str(o, "value"));
	if (*out_str(o, "place"))
		fprintf(f, " since %s", out_str(o, "place"));
	put_when(f, o);
	fprintf(f, " on rank %lld%s%s", (long long)out_int(o, "rank"),
		ref ? " of the reference" : "",
		json_is_true(out_get(o, "overwritten")) ? ", changed since by code that is not "
							  "traced"
							: "");
}

static void text_origin(FILE *f, const json_t *w, const json_t *start)
{
	const json_t *o = out_get(w, "origin");
	const json_t *here = out_get(o, "here"), *there = out_get(o, "reference");

	if (!o)
		return;
	fprintf(f, "  origin     %s%s: ", out_get(o, "halo") ? "the copy of " : "",
		out_str(o, "element"));
	if (here)
		put_origin(f, here, false);
	else
		fputs("no traced statement sets it here", f);
	if (there) {
		fputs("; ", f);
		put_origin(f, there, true);
	} else if (!out_get(o, "halo")) {
		fputs("; nothing sets it in the reference", f);
	}
	if ((!here || (!there && !out_get(o, "halo"))) && json_is_string(start))
		fprintf(f, " after %s", json_string_value(start));
	fputc('\n', f);
}

static void text_operands(FILE *f, const json_t *w, const json_t *start)
{
	const json_t *list = out_get(w, "operands");
	bool known = json_is_true(out_get(w, "reference_known"));
	size_t n = json_array_size(list);
	char label[LABEL];
	int width = 0;

	for (size_t i = 0; i < n; i++) {
		int len = (int)strlen(element_of(json_array_get(list, i), label));

		width = len > width ? len : width;
	}
	for (size_t i = 0; i < n; i++)
		if (!repeated(list, i))
			text_operand(f, json_array_get(list, i), !i, width, known);
	text_origin(f, w, start);
}

void out_text_locate_trace(FILE *f, const json_t *a)
{
	const json_t *t = out_get(a, "trace"), *w = out_get(t, "write");
	const json_t *since = out_get(t, out_get(t, "since") ? "since" : "start");

	if (w) {
		fprintf(f, "  %-10s %s\n", title(w), out_str(w, "text"));
		text_where(f, w);
		text_operands(f, w, out_get(t, "start"));
	}
	if (*out_str(t, "why"))
		fprintf(f, "  traced     from %s to %s: %s\n",
			json_is_string(since) ? json_string_value(since) : "the start",
			out_str(t, "finish"), out_str(t, "why"));
	if (*out_str(t, "set_at") &&
	    strcmp(out_str(t, "set_at"), out_str(w, "reference_place")) != 0)
		fprintf(f, "  set at     %s, in the reference\n", out_str(t, "set_at"));
}

void out_text_locate_traceable(FILE *f, const json_t *a)
{
	const json_t *t = out_get(a, "trace");

	if (is(t, "state", "unhooked"))
		fputs("\nRebuild with dvmdbg-cc or dvmdbg-fc to get the iteration and source line "
		      "of the wrong write.\n",
		      f);
	if (out_get(t, "number"))
		fprintf(f, "\n`rerun -to finding %lld` goes there.\n",
			(long long)out_int(t, "number"));
}
