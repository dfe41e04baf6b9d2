/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of locate as text.
 */
#include <stdbool.h>
#include <string.h>

#include "frontend/out_text.h"

static bool is(const json_t *a, const char *key, const char *text)
{
	return !strcmp(out_str(a, key), text);
}

static void text_iteration(FILE *f, const json_t *a)
{
	const json_t *index = out_get(a, "iteration");

	if (!json_array_size(index))
		return;
	fputs(" in iteration ", f);
	for (size_t i = 0; i < json_array_size(index); i++)
		fprintf(f, "%s%lld", i ? "," : "",
			(long long)json_integer_value(json_array_get(index, i)));
	fprintf(f, " of the loop at %s", out_str(a, "loop"));
}

/* The one sentence that matters. */
static void text_headline(FILE *f, const json_t *a)
{
	if (!is(a, "kind", "value") && !is(a, "kind", "copies")) {
		fprintf(f, "%s.\n", out_str(a, "text"));
		return;
	}
	fprintf(f, "%s %s", json_is_true(out_get(a, "replicated")) ? "replicated" : "array",
		out_str(a, "array"));
	if (strcmp(out_str(a, "element"), out_str(a, "array")))
		fprintf(f, ", element %s", out_str(a, "element"));
	fprintf(f, ", first wrong at %s", out_str(a, "point"));
	text_iteration(f, a);
	if (json_is_true(out_get(a, "between")))
		fprintf(f, ", after the %s at %s", out_str(a, "construct"), out_str(a, "where"));
	else
		fprintf(f, ", in the %s at %s", out_str(a, "construct"), out_str(a, "where"));
	if (out_get(a, "rank"))
		fprintf(f, ", on rank %lld", (long long)out_int(a, "rank"));
	if (out_get(a, "because"))
		fprintf(f, ", because %s", out_str(a, "because"));
	fputs(".\n", f);
}

static void text_values(FILE *f, const json_t *a)
{
	long long ref = (long long)out_int(a, "reference_ranks");
	long long now = (long long)out_int(a, "program_ranks");

	if (out_get(a, "value") && !out_get(a, "copies")) {
		fprintf(f, "  reference  %s  (%lld rank%s)\n", out_str(a, "reference_value"), ref,
			ref == 1 ? "" : "s");
		fprintf(f, "  this run   %s  (%lld rank%s)\n", out_str(a, "value"), now,
			now == 1 ? "" : "s");
	}
	if (out_get(a, "means"))
		fprintf(f, "  means      reference %.17g, this run %.17g\n",
			json_real_value(json_array_get(out_get(a, "means"), 0)),
			json_real_value(json_array_get(out_get(a, "means"), 1)));
	for (size_t i = 0; i < json_array_size(out_get(a, "copies")); i++) {
		const json_t *c = json_array_get(out_get(a, "copies"), i);

		fprintf(f, "  copies     %s on %s\n", out_str(c, "value"), out_str(c, "ranks"));
	}
}

static void text_extent(FILE *f, const json_t *a)
{
	if (!out_get(a, "differ") || !*out_str(a, "shape"))
		return;
	fprintf(f, "  differ     %lld of %lld elements, on %s; most %s: %s, not %s\n",
		(long long)out_int(a, "differ"), (long long)out_int(a, "total"),
		*out_str(a, "ranks") ? out_str(a, "ranks") : "?", out_str(a, "worst"),
		out_str(a, "worst_value"), out_str(a, "worst_reference"));
	fprintf(f, "  shape      %s\n", out_str(a, "shape"));
	if (out_get(a, "image"))
		fprintf(f, "  picture    %s\n", out_str(a, "image"));
}

static void text_halos(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "stale_halos");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *h = json_array_get(list, i);

		fprintf(f, "  %s %s on rank %lld, %s, from rank %lld: %lld of %lld stale",
			i ? "          " : "halo      ", out_str(h, "array"),
			(long long)out_int(h, "rank"), out_str(h, "side"),
			(long long)out_int(h, "owner"), (long long)out_int(h, "differ"),
			(long long)out_int(h, "total"));
		if (json_is_string(out_get(h, "since")))
			fprintf(f, " since %s", out_str(h, "since"));
		fputc('\n', f);
	}
	if (list && !json_array_size(list) && out_int(a, "halo_elements"))
		fputs("  halo       none that the wrong elements can come from was stale\n", f);
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
	fprintf(f, "  point      %s; previous correct point %s\n", out_str(a, "point"),
		json_is_string(out_get(a, "previous")) ? out_str(a, "previous") : "absent");
	text_extent(f, a);
	text_halos(f, a);
	text_source(f, a);
	if (out_get(a, "stack")) {
		fputs("\n", f);
		out_text_where(f, out_get(a, "stack"));
	}
	text_list(f, out_get(a, "others"), "wrong as well:", "text");
	text_list(f, out_get(a, "hints"), "what to try:", NULL);
}

/* How closely it looked. */
static void text_looked(FILE *f, const json_t *a)
{
	const json_t *c = out_get(a, "compared");

	fprintf(f,
		"%lld checksums of %lld arrays and replicated objects at %lld points were "
		"compared, %lld "
		"elements in all",
		(long long)out_int(c, "sums"), (long long)out_int(c, "arrays"),
		(long long)out_int(c, "points"), (long long)out_int(c, "elements"));
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
	fprintf(f, "\n%lld run%s, %.2f s; the reference has %lld points in %lld bytes",
		(long long)out_int(a, "runs"), out_int(a, "runs") == 1 ? "" : "s",
		json_real_value(out_get(a, "seconds")), (long long)out_int(a, "reference_points"),
		(long long)out_int(a, "reference_bytes"));
	if (*out_str(a, "reference"))
		fprintf(f, ", in %s", out_str(a, "reference"));
	fputs(".\n", f);
}
