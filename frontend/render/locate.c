/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of locate as text.
 */
#include <stdbool.h>
#include <string.h>

#include "frontend/render/render.h"

#define SIDES 6	 /* of halos that are reported */
#define COPIES 8 /* groups that are reported */

static bool is(const json_t *a, const char *key, const char *text)
{
	return !strcmp(out_str(a, key), text);
}

static void put_index(FILE *f, const json_t *index)
{
	for (size_t i = 0; i < json_array_size(index); i++)
		fprintf(f, "%s%lld", i ? "," : "",
			(long long)json_integer_value(json_array_get(index, i)));
}

static void text_iteration(FILE *f, const json_t *a)
{
	const json_t *index = out_get(a, "iteration");

	if (!json_array_size(index))
		return;
	fputs(" in iteration ", f);
	put_index(f, index);
	fprintf(f, " of the loop at %s", out_str(a, "loop"));
}

/* "between 1.E and 2.B, in iteration 1 or 2 of the loop at mc.c:7" */
static void text_between(FILE *f, const json_t *a)
{
	const json_t *before = out_get(a, "iteration_before"), *now = out_get(a, "iteration");
	bool one = before && now && is(a, "loop", out_str(a, "loop_before"));

	fprintf(f, " between %s and %s", out_str(a, "after"), out_str(a, "point"));
	if (!before && !now)
		return;
	fprintf(f, ", in %siteration ", one ? "" : now ? "or before " : "or after ");
	if (one && !json_equal(before, now)) {
		put_index(f, before);
		fputs(" or ", f);
	}
	put_index(f, now ? now : before);
	fprintf(f, " of the loop at %s", out_str(a, now ? "loop" : "loop_before"));
}

/* When it was wrong first, and where in the program that is. */
static void text_when(FILE *f, const json_t *a)
{
	const char *point = out_str(a, "point");
	size_t len = strlen(point);
	bool begin = len && point[len - 1] == 'B';

	if (json_is_true(out_get(a, "between"))) {
		text_between(f, a);
	} else {
		fprintf(f, " at %s", point);
		text_iteration(f, a);
	}
	fprintf(f, ", %s the %s at %s",
		json_is_true(out_get(a, "between")) ? "after"
		: begin				    ? "before"
						    : "in",
		out_str(a, "construct"), out_str(a, "where"));
}

/* It was wrong before the construct in which that was found. */
static void text_spoilt(FILE *f, const json_t *a)
{
	fprintf(f, ", already wrong at %s", out_str(a, "begin"));
	text_iteration(f, a);
	if (json_is_string(out_get(a, "previous")))
		fprintf(f, ": it became wrong between %s and %s", out_str(a, "previous"),
			out_str(a, "begin"));
	else
		fputs(": set wrong before it", f);
	fprintf(f, ", not in the %s at %s", out_str(a, "construct"), out_str(a, "where"));
}

/* Without a reference's copy to compare with it is unknown which is right. */
static bool unknown(const json_t *a)
{
	return is(a, "kind", "copies") && !out_get(a, "reference_value") &&
	       !out_get(a, "reference_mean");
}

/* "25 of 625 elements are owned by no rank" */
static void text_dealt(FILE *f, const json_t *a)
{
	const json_t *none = out_get(out_get(a, "parts"), "none");
	const json_t *twice = out_get(out_get(a, "parts"), "twice");

	fprintf(f, "array %s is not distributed correctly: ", out_str(a, "array"));
	if (none)
		fprintf(f, "%lld of %lld elements %s owned by no rank",
			(long long)out_int(none, "n"), (long long)out_int(a, "total"),
			out_int(none, "n") == 1 ? "is" : "are");
	if (twice && none)
		fprintf(f, ", %lld by more than one", (long long)out_int(twice, "n"));
	else if (twice)
		fprintf(f, "%lld of %lld elements %s owned by more than one rank",
			(long long)out_int(twice, "n"), (long long)out_int(a, "total"),
			out_int(twice, "n") == 1 ? "is" : "are");
	fputs(", first", f);
	text_when(f, a);
	fputs(".\n", f);
}

/* The one sentence that matters. */
static void text_headline(FILE *f, const json_t *a)
{
	const char *ranks = out_str(a, "ranks");

	if (out_get(out_get(a, "parts"), "none") || out_get(out_get(a, "parts"), "twice")) {
		text_dealt(f, a);
		return;
	}
	if (!is(a, "kind", "value") && !is(a, "kind", "copies")) {
		fprintf(f, "%s.\n", out_str(a, "text"));
		return;
	}
	fprintf(f, "%s %s", json_is_true(out_get(a, "replicated")) ? "replicated" : "array",
		out_str(a, out_get(a, "label") ? "label" : "array"));
	if (strcmp(out_str(a, "element"), out_str(a, "array")))
		fprintf(f, ", element %s", out_str(a, "element"));
	if (json_is_true(out_get(a, "spoilt"))) {
		text_spoilt(f, a);
	} else {
		fputs(unknown(a) ? ", copies first differ" : ", first wrong", f);
		text_when(f, a);
	}
	if (json_is_true(out_get(a, "unwritten")))
		fputs(", which left it unchanged", f);
	if (out_get(a, "rank"))
		fprintf(f, ", on rank %lld", (long long)out_int(a, "rank"));
	else if (is(a, "kind", "copies") && *ranks)
		fprintf(f, ", on rank%s %s", strpbrk(ranks, ":,") ? "s" : "", ranks);
	if (out_get(a, "because"))
		fprintf(f, ", because %s", out_str(a, "because"));
	else if (out_get(a, "perhaps"))
		fprintf(f, ", possibly because %s", out_str(a, "perhaps"));
	fputs(".\n", f);
}

/* The value of each group of copies: of an array the first element that differs, and the mean. */
static void text_copies(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "copies");
	const char *element = out_str(a, "element");
	bool whole = !strcmp(element, out_str(a, "array"));
	int width = 0;

	for (size_t i = 0; i < json_array_size(list) && i < COPIES; i++) {
		int len = (int)strlen(out_str(json_array_get(list, i), "ranks"));

		width = len > width ? len : width;
	}
	for (size_t i = 0; i < json_array_size(list) && i < COPIES; i++) {
		const json_t *c = json_array_get(list, i), *mean = out_get(c, "mean");
		const char *value = out_str(c, "value");

		fprintf(f, "  %s %-*s  ", i ? "          " : "copies    ", width,
			out_str(c, "ranks"));
		if (*value)
			fprintf(f, "%s%s%s", whole ? "" : element, whole ? "" : " = ", value);
		if (mean)
			fprintf(f, "%smean %.17g", *value ? ", " : "", json_real_value(mean));
		if (out_get(c, "wrong"))
			fputs(json_is_true(out_get(c, "wrong")) ? ": wrong" : ": right", f);
		fputc('\n', f);
	}
	if (json_array_size(list) > COPIES)
		fprintf(f, "             %zu more\n", json_array_size(list) - COPIES);
}

static void text_values(FILE *f, const json_t *a)
{
	long long ref = (long long)out_int(a, "reference_ranks");
	long long now = (long long)out_int(a, "program_ranks");

	if (out_get(a, "reference_value"))
		fprintf(f, "  reference  %s  (%lld rank%s)\n", out_str(a, "reference_value"), ref,
			ref == 1 ? "" : "s");
	if (out_get(a, "value") && is(a, "kind", "copies") && !unknown(a))
		fprintf(f, "  this run   %s  (on %s of %lld rank%s)\n", out_str(a, "value"),
			out_str(a, "ranks"), now, now == 1 ? "" : "s");
	else if (out_get(a, "value") && !unknown(a))
		fprintf(f, "  this run   %s  (%lld rank%s)\n", out_str(a, "value"), now,
			now == 1 ? "" : "s");
	if (out_get(a, "means"))
		fprintf(f, "  means      reference %.17g, this run %.17g\n",
			json_real_value(json_array_get(out_get(a, "means"), 0)),
			json_real_value(json_array_get(out_get(a, "means"), 1)));
	text_copies(f, a);
}

static void text_extent(FILE *f, const json_t *a)
{
	if (!out_get(a, "differ") || !*out_str(a, "shape"))
		return;
	fprintf(f, "  differ     %lld of %lld elements", (long long)out_int(a, "differ"),
		(long long)out_int(a, "total"));
	if (*out_str(a, "ranks"))
		fprintf(f, ", on %s", out_str(a, "ranks"));
	fprintf(f, "; most %s: %s, not %s\n", out_str(a, "worst"), out_str(a, "worst_value"),
		out_str(a, "worst_reference"));
	fprintf(f, "  shape      %s\n", out_str(a, "shape"));
	if (out_get(a, "image"))
		fprintf(f, "  picture    %s\n", out_str(a, "image"));
}

static void put_spot(FILE *f, const char *title, const json_t *s)
{
	long long n = (long long)out_int(s, "n");

	if (s)
		fprintf(f, "  %-10s %s%s: %lld element%s\n", title,
			json_is_true(out_get(s, "all")) ? "" : "within ", out_str(s, "box"), n,
			n == 1 ? "" : "s");
}

/* Who owns what. */
static void text_parts(FILE *f, const json_t *a)
{
	const json_t *p = out_get(a, "parts"), *list = out_get(p, "owners");

	put_spot(f, "unowned", out_get(p, "none"));
	put_spot(f, "twice", out_get(p, "twice"));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);

		fprintf(f, "  %s rank %lld: %s%s%lld element%s\n", i ? "          " : "owned     ",
			(long long)out_int(o, "rank"), out_str(o, "box"),
			*out_str(o, "box") ? ", " : "", (long long)out_int(o, "n"),
			out_int(o, "n") == 1 ? "" : "s");
	}
	if (out_int(p, "ranks") > (json_int_t)json_array_size(list))
		fprintf(f, "             %lld more ranks\n",
			(long long)out_int(p, "ranks") - (long long)json_array_size(list));
}

static void text_halos(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "stale_sides");
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n && i < SIDES; i++) {
		const json_t *h = json_array_get(list, i);

		fprintf(f, "  %s %s on %s, %s, from %s: %lld of %lld stale",
			i ? "          " : "halo      ", out_str(h, "array"), out_str(h, "ranks"),
			out_str(h, "side"), out_str(h, "owners"), (long long)out_int(h, "differ"),
			(long long)out_int(h, "total"));
		if (json_is_string(out_get(h, "since")))
			fprintf(f, " since %s", out_str(h, "since"));
		fputc('\n', f);
	}
	if (n > SIDES)
		fprintf(f, "             %zu more sides\n", n - SIDES);
	if (list && !n && out_int(a, "halo_elements") && !json_is_true(out_get(a, "spoilt")) &&
	    !json_is_true(out_get(a, "unwritten")))
		fputs("  halo       none that the wrong elements can come from was stale\n", f);
}

/* How the first wrong element was where the construct begins, when that shows something. */
static void text_begin(FILE *f, const json_t *a)
{
	bool spoilt = json_is_true(out_get(a, "spoilt"));
	char title[40];

	if (!spoilt && !json_is_true(out_get(a, "unwritten")))
		return;
	snprintf(title, sizeof(title), "at %s", out_str(a, "begin"));
	fprintf(f, "  %-10s %s here, %s in the reference: %s\n", title, out_str(a, "begin_value"),
		out_str(a, "begin_reference"),
		spoilt ? "wrong already" : "this run has not changed it since");
}

static void text_source(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "source");

	if (json_array_size(list))
		fputc('\n', f);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *l = json_array_get(list, i);

		fprintf(f, "%s%6lld  %s\n", json_is_true(out_get(l, "current")) ? "->" : "  ",
			(long long)out_int(l, "line"), out_str(l, "text"));
	}
}

static void text_list(FILE *f, const json_t *list, const char *title, const char *key)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *x = json_array_get(list, i);

		if (!i)
			fprintf(f, "\n%s\n", title);
		fprintf(f, "  - %s\n", key ? out_str(x, key) : json_string_value(x));
	}
}

static void text_mismatch(FILE *f, const json_t *a)
{
	text_headline(f, a);
	fputc('\n', f);
	text_values(f, a);
	if (json_is_string(out_get(a, "previous")))
		fprintf(f, "  point      %s; previous correct point %s\n", out_str(a, "point"),
			out_str(a, "previous"));
	else
		fprintf(f, "  point      %s; not compared before\n", out_str(a, "point"));
	text_begin(f, a);
	out_text_locate_trace(f, a);
	text_extent(f, a);
	text_parts(f, a);
	text_halos(f, a);
	text_source(f, a);
	if (out_get(a, "stack")) {
		fputs("\n", f);
		out_text_where(f, out_get(a, "stack"));
	}
	text_list(f, out_get(a, "others"), "also wrong:", "text");
	text_list(f, out_get(a, "hints"), "what to try:", NULL);
	out_text_locate_traceable(f, a);
}

static const char *s(json_int_t n)
{
	return n == 1 ? "" : "s";
}

/* How closely it looked. */
static void text_looked(FILE *f, const json_t *a)
{
	const json_t *c = out_get(a, "compared");
	json_int_t sums = out_int(c, "sums"), arrays = out_int(c, "arrays");
	json_int_t points = out_int(c, "points"), elements = out_int(c, "elements");

	fprintf(f,
		"%lld checksum%s of %lld array%s and replicated object%s at %lld point%s %s "
		"compared, %lld element%s in all",
		(long long)sums, s(sums), (long long)arrays, s(arrays), s(arrays),
		(long long)points, s(points), sums == 1 ? "was" : "were", (long long)elements,
		s(elements));
	if (out_int(c, "skipped"))
		fprintf(f, "; %lld could not be", (long long)out_int(c, "skipped"));
	fputs(".\n", f);
}

static void text_rounding(FILE *f, const json_t *a)
{
	const json_t *r = out_get(a, "rounding_from");

	fprintf(f,
		"only rounding differs, within tolerance: from %s on, first in %s at %s, by at "
		"most %.2g. ",
		out_str(r, "point"), out_str(r, "array"), out_str(r, "where"),
		json_real_value(out_get(r, "most")));
}

static void text_no_fault(FILE *f, const json_t *a)
{
	long long ref = (long long)out_int(a, "reference_ranks");
	long long now = (long long)out_int(a, "program_ranks");
	bool some = out_int(out_get(a, "compared"), "sums") > 0;

	if (is(a, "verdict", "equal") && ref == now)
		fprintf(f, "nothing differs: both runs, on %lld rank%s, give the same bits. ", ref,
			ref == 1 ? "" : "s");
	else if (is(a, "verdict", "equal"))
		fprintf(f, "nothing differs: %lld and %lld ranks give the same bits. ", ref, now);
	else if (is(a, "verdict", "rounding"))
		text_rounding(f, a);
	else if (is(a, "verdict", "interrupted"))
		fprintf(f, "interrupted during %s; nothing was found so far. ",
			out_str(a, "interrupted"));
	else if (is(a, "verdict", "failed"))
		fprintf(f, "%s. %s", out_str(a, "failure"),
			some ? "Up to there nothing differs: " : "Nothing could be compared.\n");
	else
		fputs("nothing could be compared: there is no checksum of an array or replicated "
		      "object at "
		      "any point.\n",
		      f);
	if (some)
		text_looked(f, a);
	else if (is(a, "verdict", "interrupted"))
		fputc('\n', f);
	text_list(f, out_get(a, "hints"), "what to try:", NULL);
}

void out_text_locate(FILE *f, const json_t *a)
{
	if (out_get(a, "kind")) {
		text_mismatch(f, a);
		if (*out_str(a, "interrupted"))
			fprintf(f, "\ninterrupted during %s: this is what is known so far.\n",
				out_str(a, "interrupted"));
		if (*out_str(a, "failure"))
			fprintf(f, "\n%s.\n", out_str(a, "failure"));
	} else {
		text_no_fault(f, a);
	}
	text_list(f, out_get(a, "notes"), "notes:", NULL);
	fprintf(f, "\n%lld run%s, %.2f s; the reference has %lld point%s in %lld bytes",
		(long long)out_int(a, "runs"), out_int(a, "runs") == 1 ? "" : "s",
		json_real_value(out_get(a, "seconds")), (long long)out_int(a, "reference_points"),
		out_int(a, "reference_points") == 1 ? "" : "s",
		(long long)out_int(a, "reference_bytes"));
	if (*out_str(a, "reference"))
		fprintf(f, ", in %s", out_str(a, "reference"));
	fputs(".\n", f);
}
