/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of annotations: what was found, what was left out, where the patch is. */
#include "frontend/render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xalloc.h"

static void put_ranks(FILE *f, const json_t *ranks)
{
	size_t n = json_array_size(ranks), i;
	const json_t *e;

	json_array_foreach (ranks, i, e)
		fprintf(f, "%s%lld", !i ? "" : i + 1 < n ? ", " : " and ", json_integer_value(e));
}

/* Those with the same layout as the first are one line. */
static bool same(const json_t *a, const json_t *b)
{
	return json_equal(out_get(a, "split"), out_get(b, "split")) &&
	       json_equal(out_get(a, "evidence"), out_get(b, "evidence")) &&
	       json_equal(out_get(a, "halo"), out_get(b, "halo"));
}

static void put_halo(FILE *f, const json_t *halo)
{
	const json_t *e;
	size_t i;

	json_array_foreach (halo, i, e) {
		long long lo = json_integer_value(json_array_get(e, 0)),
			  hi = json_integer_value(json_array_get(e, 1));

		fprintf(f, lo == hi ? "%s%lld" : "%s%lld:%lld", i ? ", " : "", lo, hi);
	}
}

static void put_layout(FILE *f, const json_t *a)
{
	const json_t *split = out_get(a, "split"), *halo = out_get(a, "halo"), *e;
	size_t i, n = json_array_size(split), last = n;
	bool any = false;

	fprintf(f, "%zu-D, %s along dimension", n, *out_str(a, "cyclic") ? "cyclic" : "split");
	json_array_foreach (split, i, e)
		if (json_is_true(e))
			last = i;
	json_array_foreach (split, i, e) {
		if (!json_is_true(e))
			continue;
		fprintf(f, "%s%zu", !any ? " " : i == last ? " and " : ", ", i + 1);
		any = true;
	}
	if (*out_str(a, "cyclic") && strcmp(out_str(a, "cyclic"), "1"))
		fprintf(f, " in blocks of %s", out_str(a, "cyclic"));
	any = false;
	json_array_foreach (halo, i, e)
		any = any || json_integer_value(json_array_get(e, 0)) ||
		      json_integer_value(json_array_get(e, 1));
	if (!any)
		return;
	fputs(", halo ", f);
	put_halo(f, halo);
}

static void put_arrays(FILE *f, const json_t *arrays)
{
	const json_t *a, *b;
	size_t i, k;

	json_array_foreach (arrays, i, a) {
		bool before = false;

		if (!out_get(a, "split"))
			continue;
		for (k = 0; k < i && !before; k++) {
			b = json_array_get(arrays, k);
			before = out_get(b, "split") && same(a, b);
		}
		if (before)
			continue;
		fprintf(f, "  %s", out_str(a, "name"));
		for (k = i + 1; k < json_array_size(arrays); k++) {
			b = json_array_get(arrays, k);
			if (out_get(b, "split") && same(a, b))
				fprintf(f, ", %s", out_str(b, "name"));
		}
		fputs(": ", f);
		put_layout(f, a);
		out_form(f, a, "< ({evidence})>\n");
	}
}

/* The dimensions of an array for which something fits as well as in that entry: "1, 2", to be freed. */
static char *like_dimensions(const json_t *a, const json_t *like, size_t *first)
{
	const json_t *others = out_get(a, "others"), *e;
	char *text = NULL, *more;
	size_t i;

	json_array_foreach (others, i, e) {
		if (strcmp(out_str(e, "is"), out_str(like, "is")) ||
		    strcmp(out_str(e, "or"), out_str(like, "or")))
			continue;
		*first = text ? *first : i;
		more = text ? xasprintf("%s, %lld", text, (long long)out_int(e, "dimension")) :
			      xasprintf("%lld", (long long)out_int(e, "dimension"));
		free(text);
		text = more;
	}
	return text;
}

/* The same is said of that array. */
static bool same_others(const json_t *a, const json_t *like, const char *dimensions)
{
	size_t first;
	char *text = like_dimensions(a, like, &first);
	bool same = text && !strcmp(text, dimensions);

	free(text);
	return same;
}

/* Which extents may be others as well: those of which the same is said are one line. */
static void put_others(FILE *f, const json_t *arrays, size_t at)
{
	const json_t *a = json_array_get(arrays, at), *e;
	size_t i, k, first;

	json_array_foreach (out_get(a, "others"), i, e) {
		char *dimensions = like_dimensions(a, e, &first);
		bool before = first < i;

		for (k = 0; k < at && !before; k++)
			before = same_others(json_array_get(arrays, k), e, dimensions);
		if (!before) {
			fprintf(f, "    extent%s %s of %s", strchr(dimensions, ',') ? "s" : "",
				dimensions, out_str(a, "name"));
			for (k = at + 1; k < json_array_size(arrays); k++)
				if (same_others(json_array_get(arrays, k), e, dimensions))
					fprintf(f, ", %s",
						out_str(json_array_get(arrays, k), "name"));
			fprintf(f, ": taken for %s; %s fit%s too: train with another shape (--also)\n",
				out_str(e, "is"), out_str(e, "or"),
				strchr(out_str(e, "or"), ',') ? "" : "s");
		}
		free(dimensions);
	}
}

static bool same_place(const json_t *a, const json_t *b)
{
	return *out_str(a, "left_out") && *out_str(b, "left_out") &&
	       !strcmp(out_str(a, "name"), out_str(b, "name")) &&
	       !strcmp(out_str(a, "file"), out_str(b, "file")) &&
	       out_int(a, "line") == out_int(b, "line");
}

/* What one line allocates, or declares, is one line, with the first reason. */
static void put_left_out(FILE *f, const json_t *arrays)
{
	const json_t *a;
	size_t i, k;

	json_array_foreach (arrays, i, a) {
		unsigned n = 1;
		bool others = false, before = false;

		for (k = 0; k < i && !before; k++)
			before = same_place(json_array_get(arrays, k), a);
		if (before || !*out_str(a, "left_out"))
			continue;
		for (k = i + 1; k < json_array_size(arrays); k++) {
			const json_t *b = json_array_get(arrays, k);

			if (!same_place(a, b))
				continue;
			n++;
			others = others || strcmp(out_str(a, "left_out"), out_str(b, "left_out"));
		}
		if (n > 1)
			fprintf(f, "left out: %u allocated at %s:%lld: %s%s\n", n,
				out_str(a, "file"), (long long)out_int(a, "line"),
				out_str(a, "left_out"), others ? "; and the like" : "");
		else
			out_form(f, a,
				 "left out: <{name}, >allocated at {file}:{line}: {left_out}\n");
	}
}

static void put_trial(FILE *f, const json_t *trial)
{
	const json_t *findings = out_get(trial, "findings"), *e;
	size_t i;

	if (*out_str(trial, "error")) {
		out_form(f, trial, "trial: {command} with these marks: {error}\n");
		return;
	}
	fprintf(f, "trial: %s on ", out_str(trial, "command"));
	put_ranks(f, out_get(trial, "ranks"));
	if (out_int(trial, "reference") > 1)
		fprintf(f, " ranks against %lld", (long long)out_int(trial, "reference"));
	else
		fputs(" ranks against one", f);
	if (out_int(trial, "sums"))
		fprintf(f, ": %lld of %lld checksums equal%s\n", (long long)out_int(trial, "equal"),
			(long long)out_int(trial, "sums"),
			json_is_true(out_get(trial, "rounds")) ?
				", the others but for rounding that the program amplifies" :
				"");
	else
		fputs(": no checksum could be compared, so nothing is known of these marks\n", f);
	if (out_int(trial, "dropped"))
		fprintf(f, "  %lld mark%s could not be right, and %s been taken away\n",
			(long long)out_int(trial, "dropped"),
			out_int(trial, "dropped") == 1 ? "" : "s",
			out_int(trial, "dropped") == 1 ? "has" : "have");
	json_array_foreach (out_get(trial, "taken"), i, e)
		out_form(f, e, "    {mark}: {why}\n");
	json_array_foreach (findings, i, e) {
		fprintf(f, "  on %lld rank%s: ", (long long)out_int(e, "ranks"),
			out_int(e, "ranks") == 1 ? "" : "s");
		out_form(f, e, "{kind}: {text}<: {detail}><, {place}>\n");
	}
	if (json_is_true(out_get(trial, "suspicious")))
		fputs("  hardly a checksum is equal: do not rely on these marks before you know why; compare "
		      "each loop's range with what it goes over\n",
		      f);
	if (json_array_size(findings))
		fputs("  a mark is wrong, or the program is: locate --marks finds where\n", f);
}

void out_text_annotation(FILE *f, const json_t *a)
{
	const json_t *arrays = out_get(a, "arrays"), *loops = out_get(a, "loops"), *e;
	size_t i;

	fputs("Marks of runs on ", f);
	put_ranks(f, out_get(a, "ranks"));
	fprintf(f, " ranks, %lld size%s:\n", (long long)out_int(a, "sizes"),
		out_int(a, "sizes") == 1 ? "" : "s");
	put_arrays(f, arrays);
	json_array_foreach (out_get(a, "marks"), i, e)
		fprintf(f, "    %s\n", json_string_value(e));
	json_array_foreach (out_get(a, "notes"), i, e)
		fprintf(f, "note: %s\n", json_string_value(e));
	for (i = 0; i < json_array_size(arrays); i++)
		put_others(f, arrays, i);
	put_left_out(f, arrays);
	json_array_foreach (loops, i, e)
		out_form(f, e, "left out: the loop at {file}:{line}: {why_not}\n");
	if (out_get(a, "trial"))
		put_trial(f, out_get(a, "trial"));
	if (*out_str(out_get(a, "trial"), "error"))
		fputs("the marks cannot be used as they are\n", f);
	else if (*out_str(a, "patch"))
		fprintf(f, "patch: %s; patch -p0 < %s puts the marks into the source\n",
			out_str(a, "patch"), out_str(a, "patch"));
	else if (!*out_str(a, "file"))
		fputs("no array was found whose parts make up one array on all numbers of ranks\n",
		      f);
}

/* Of one array: what was proved, or why nothing was. */
static void put_checked(FILE *f, const json_t *a)
{
	out_form(f, a, "array {name} ({file}:{line}): {dims}-D, halo ");
	put_halo(f, out_get(a, "halo"));
	if (*out_str(a, "unproved")) {
		out_form(f, a, ": not proved: {unproved}\n");
		return;
	}
	out_form(f, a,
		 ": {right|halo element} in {exchanges|exchange}<, {periodic} of them round the "
		 "end>, ");
	out_form(f, a,
		 out_int(a, "wrong") ? "from their owners, others not\n" : "each from its owner\n");
}

void out_text_checked_marks(FILE *f, const json_t *a)
{
	const json_t *e;
	size_t i;

	json_array_foreach (out_get(a, "arrays"), i, e)
		put_checked(f, e);
	json_array_foreach (out_get(a, "findings"), i, e)
		out_form(f, e, "Finding: <array {array} ({file}:{line}): >{text}<, {place}>\n");
	json_array_foreach (out_get(a, "notes"), i, e)
		fprintf(f, "note: %s\n", json_string_value(e));
	if (!json_array_size(out_get(a, "arrays")) && !json_array_size(out_get(a, "findings")))
		fputs("no distributed array is marked before the first parallel construct ends\n",
		      f);
}
