/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of locate as text.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/render/render.h"

#define LABEL 600
#define SIDES 6	 /* of halos that are reported */
#define COPIES 8 /* groups that are reported */

static bool is(const json_t *a, const char *key, const char *text)
{
	return !strcmp(out_str(a, key), text);
}

/* ---- what traces show: the wrong write, and what it was computed from ---- */

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
		out_form(f, o, "; in the halo, rank {halo_of} owns it");
	else
		out_form(f, o, "<@unowned:; in the halo, no rank owns it>");
}

/* "in iteration (3,4)", or, outside of constructs, since when. */
static void put_when(FILE *f, const json_t *o)
{
	const json_t *iteration = out_get(o, "iteration");

	if (json_array_size(iteration)) {
		out_form(f, o, " in iteration {iteration}");
	} else if (json_is_true(out_get(o, "outside"))) {
		out_form(f, o, ", outside of parallel loops<, after {point}>");
		fputs(*out_str(o, "point") ? "," : ", at the start,", f);
	}
}

/* Where and when. */
static void text_where(FILE *f, const json_t *w)
{
	const json_t *source = out_get(w, "source");
	const char *place = out_str(w, "place"), *there = out_str(w, "reference_place");

	out_form(f, w, "            < at {place}>");
	put_when(f, w);
	out_form(f, w, "<@operation:, its access {operation} to arrays,><@rank: on rank {rank}>");
	if (*there && strcmp(place, there) != 0)
		out_form(f, w, ", in the reference at {reference_place}");
	else
		out_form(f, w, "<@reference_rank:, in the reference>");
	out_form(f, w, "<@reference_rank: on rank {reference_rank}>");
	if (out_int(w, "count") > 1)
		fprintf(f, "; %lld like it", (long long)out_int(w, "count") - 1);
	put_halo(f, w);
	fputc('\n', f);
	out_form_each(f, source, SIZE_MAX, "             {line}  {text}\n");
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

/* Both runs read it, and the same, as far as that is known. */
static bool is_same(const json_t *o, bool known)
{
	return !json_is_true(out_get(o, "differs")) && out_get(o, "value") &&
	       (!known || out_get(o, "reference_value"));
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
	out_form(f, o, "{value}< since {place}>");
	put_when(f, o);
	out_form(f, o, ref ? " on rank {rank} of the reference" : " on rank {rank}");
	out_form(f, o, "<?overwritten:, changed since by code that is not traced>");
}

static void text_origin(FILE *f, const json_t *w, const json_t *start)
{
	const json_t *o = out_get(w, "origin");
	const json_t *here = out_get(o, "here"), *there = out_get(o, "reference");

	if (!o)
		return;
	out_form(f, o, "  origin     <@halo:the copy of >{element}: ");
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

/* Where the loop writes instead. */
static void text_astray(FILE *f, const json_t *w)
{
	const json_t *o = out_get(w, "astray");

	if (!o)
		return;
	out_form(f, o,
		 "  instead    iteration {iteration} writes {element}; in the reference "
		 "{reference_element}<: {rule}>");
	if (out_int(o, "count") > 1)
		fprintf(f, " (seen in %lld writes)", (long long)out_int(o, "count"));
	fputc('\n', f);
}

static void text_operands(FILE *f, const json_t *w, const json_t *start)
{
	const json_t *list = out_get(w, "operands");
	bool known = json_is_true(out_get(w, "reference_known"));
	size_t n = json_array_size(list), shown = 0;
	char label[LABEL];
	int width = 0;

	for (size_t i = 0; i < n; i++) {
		int len = (int)strlen(element_of(json_array_get(list, i), label));

		width = len > width ? len : width;
	}
	/* what differs first */
	for (size_t i = 0; i < 2 * n; i++) {
		const json_t *o = json_array_get(list, i % n);

		if (is_same(o, known) == (i >= n) && !repeated(list, i % n))
			text_operand(f, o, !shown++, width, known);
	}
	if (n && json_is_true(out_get(w, "cut")))
		fputs("             more may be read than is listed\n", f);
	text_origin(f, w, start);
}

static void text_trace(FILE *f, const json_t *a)
{
	const json_t *t = out_get(a, "trace"), *w = out_get(t, "write");
	const json_t *since = out_get(t, out_get(t, "since") ? "since" : "start");

	if (w) {
		fprintf(f, "  %-10s %s\n", title(w), out_str(w, "text"));
		text_where(f, w);
		text_astray(f, w);
		text_operands(f, w, out_get(t, "start"));
	}
	if (*out_str(t, "why"))
		fprintf(f, "  traced     from %s to %s: %s\n",
			json_is_string(since) ? json_string_value(since) : "the start",
			out_str(t, "finish"), out_str(t, "why"));
	if (*out_str(t, "set_at") &&
	    strcmp(out_str(t, "set_at"), out_str(w, "reference_place")) != 0)
		out_form(f, t, "  set at     {set_at}, in the reference\n");
}

static void text_traceable(FILE *f, const json_t *a)
{
	const json_t *t = out_get(a, "trace");

	if (is(t, "state", "unhooked"))
		fputs("\nRebuild with dvmdbg-cc or dvmdbg-fc to get the iteration and source line "
		      "of the wrong write.\n",
		      f);
	out_form(f, t, "<@number:\n`rerun -to finding {number}` goes there.\n>");
}

/* ---- what values show ---- */

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

	out_form(f, a, " between {after} and {point}");
	if (!before && !now)
		return;
	fprintf(f, ", in %siteration ", one ? "" : now ? "or before " : "or after ");
	if (one && !json_equal(before, now)) {
		put_index(f, before);
		fputs(" or ", f);
	}
	put_index(f, now ? now : before);
	out_form(f, a, now ? " of the loop at {loop}" : " of the loop at {loop_before}");
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
	fputs(json_is_true(out_get(a, "between")) ? ", after" : begin ? ", before" : ", in", f);
	out_form(f, a, " the {construct} at {where}");
}

/* After the last construct, or when the object went. */
static void text_end(FILE *f, const json_t *a)
{
	bool finish = json_is_true(out_get(a, "finish")), gone = json_is_true(out_get(a, "gone"));

	fputs(", wrong", f);
	if (finish && json_is_string(out_get(a, "last")))
		out_form(f, a, " after the last point {last}, when");
	else if (finish)
		fputs(" when", f);
	else
		out_form(f, a, "< between {previous} and {point}>, when");
	fputs(gone ? " it was forgotten or freed" : " the program ended", f);
}

/* It was wrong before the construct in which that was found. */
static void text_spoilt(FILE *f, const json_t *a)
{
	out_form(f, a, ", already wrong at {begin}");
	text_iteration(f, a);
	if (json_is_string(out_get(a, "previous")))
		out_form(f, a, ": it became wrong between {previous} and {begin}");
	else
		fputs(": set wrong before it", f);
	out_form(f, a, ", not in the {construct} at {where}");
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

	out_form(f, a, "array {array} is not distributed correctly: ");
	if (none) {
		out_form(f, none, "{n} of ");
		out_form(f, a, "{total} elements ");
		out_form(f, none, "{n?is:are} owned by no rank");
	}
	if (twice && none) {
		out_form(f, twice, ", {n} by more than one");
	} else if (twice) {
		out_form(f, twice, "{n} of ");
		out_form(f, a, "{total} elements ");
		out_form(f, twice, "{n?is:are} owned by more than one rank");
	}
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
		out_form(f, a, "{text}.\n");
		return;
	}
	out_form(f, a,
		 out_get(a, "label") ? "{replicated?replicated:array} {label}"
				     : "{replicated?replicated:array} {array}");
	if (strcmp(out_str(a, "element"), out_str(a, "array")))
		out_form(f, a, ", element {element}");
	if (json_is_true(out_get(a, "finish")) || json_is_true(out_get(a, "gone"))) {
		text_end(f, a);
	} else if (json_is_true(out_get(a, "spoilt"))) {
		text_spoilt(f, a);
	} else {
		fputs(unknown(a) ? ", copies first differ" : ", first wrong", f);
		text_when(f, a);
	}
	out_form(f, a, "<?left:, which left it unchanged>");
	if (out_get(a, "rank"))
		out_form(f, a, ", on rank {rank}");
	else if (is(a, "kind", "copies") && *ranks)
		fprintf(f, ", on rank%s %s", strpbrk(ranks, ":,") ? "s" : "", ranks);
	if (out_get(a, "because"))
		out_form(f, a, ", because {because}.\n");
	else
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

/* Causes that are not proved. */
static void text_causes(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "causes");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *c = json_array_get(list, i);

		if (!is(c, "grade", "proved"))
			fprintf(f, "  %-10s %s\n", out_str(c, "grade"), out_str(c, "text"));
	}
}

/* "u[3]: 1 here, 2 in the reference, set at f.c:12 in iteration 3 on rank 1" */
static void text_step(FILE *f, const json_t *x, const char *how)
{
	const char *there = out_str(x, "reference_place");

	out_form(f, x, "{element}: {value}<, {reference_value} in the reference>");
	fprintf(f, ", %s", how);
	out_form(f, x, "< at {place}>");
	if (json_array_size(out_get(x, "iteration")))
		out_form(f, x, " in iteration {iteration}");
	out_form(f, x, " on rank {rank}");
	if (*there && !is(x, "place", there))
		out_form(f, x, " (in the reference at {reference_place})");
	fputc('\n', f);
}

/* From the root to what is wrong. */
static void text_chain(FILE *f, const json_t *a)
{
	const json_t *c = out_get(a, "chain"), *list = out_get(c, "steps"),
		     *right = out_get(c, "right");
	const json_t *read = out_get(c, "read"), *instead = out_get(c, "instead");
	size_t n = json_array_size(list);

	if (!c || (n < 2 && !instead) || is(c, "end", "open"))
		return;
	fputs("  chain      ", f);
	if (instead) {
		text_step(f, instead, "taken");
		fputs("             ", f);
	}
	if (right && is(c, "end", "stale")) {
		text_step(f, right, "right");
		fputs("             ", f);
	}
	if (read) {
		text_step(f, read, "read");
		fputs("             ", f);
	}
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputs("             ", f);
		text_step(f, json_array_get(list, i), "set");
	}
	if (json_is_true(out_get(c, "shortened")))
		fputs("             steps in the middle are left out\n", f);
	if (json_is_true(out_get(c, "bounded")))
		fputs("             there were more writes than are looked at\n", f);
}

static void text_values(FILE *f, const json_t *a)
{
	out_form(f, a,
		 "<@reference_value:  reference  {reference_value}  ({reference_ranks|rank}>"
		 "<@reference_value:<@reference_threads:, {reference_threads|thread}>)\n>");
	if (out_get(a, "value") && is(a, "kind", "copies") && !unknown(a))
		out_form(f, a, "  this run   {value}  (on {ranks} of {program_ranks|rank})\n");
	else if (out_get(a, "value") && !unknown(a))
		out_form(f, a, "  this run   {value}  ({program_ranks|rank}<@program_threads:, "
			       "{program_threads|thread}>)\n");
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
	if (!out_int(a, "differ")) {
		out_form(f, a,
			 "  differ     small differences: {rounding} of {total} elements, none by "
			 "more "
			 "than {tolerance}; together they are more; most {worst}: {worst_value}, "
			 "not "
			 "{worst_reference}\n");
		return;
	}
	out_form(f, a,
		 "  differ     {differ} of {total} elements<, on {ranks}>; most {worst}: "
		 "{worst_value}, not {worst_reference}\n"
		 "  shape      {shape}\n"
		 "<@image:  picture    {image}\n>");
}

static void put_spot(FILE *f, const char *title, const json_t *s)
{
	if (!s)
		return;
	fprintf(f, "  %-10s ", title);
	out_form(f, s, "{all?:within }{box}: {n|element}\n");
}

/* Who owns what. */
static void text_parts(FILE *f, const json_t *a)
{
	const json_t *p = out_get(a, "parts"), *list = out_get(p, "owners");

	put_spot(f, "unowned", out_get(p, "none"));
	put_spot(f, "twice", out_get(p, "twice"));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);

		fputs(i ? "            " : "  owned     ", f);
		out_form(f, o, " rank {rank}: <{box}, >{n|element}\n");
	}
	if (out_int(p, "ranks") > (json_int_t)json_array_size(list))
		fprintf(f, "             %lld more ranks\n",
			(long long)out_int(p, "ranks") - (long long)json_array_size(list));
}

/* Beside two or more sides of the rank's part. */
static bool is_corner(const json_t *side)
{
	const char *where = out_str(side, "side");

	return !strncmp(where, "corner:", 7) || !strncmp(where, "edge:", 5);
}

/* Traces show that the loop does not read it. */
static bool is_unread(const json_t *side)
{
	return json_is_false(out_get(side, "read"));
}

static void text_side(FILE *f, const json_t *h)
{
	out_form(f, h,
		 " {array} on {ranks}, {side}, from {owners}: {differ} of {total} stale"
		 "< since {since}>");
	fputs(is_corner(h) && is_unread(h) ? "; the loop does not read it\n" : "\n", f);
	out_form(f, h,
		 "<@holds:             on rank {on} {found} of {stale} have values of other "
		 "elements<@from:, which rank {from} owns>: {holds}\n>");
}

static void text_halos(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "stale_sides");
	size_t n = json_array_size(list), faces = 0, shown = 0;
	bool all = json_is_true(out_get(a, "all"));
	long long corners = all ? 0 : out_int(a, "corners");
	long long stale = out_int(a, "corner_elements");

	for (size_t i = 0; i < n; i++)
		faces += !is_corner(json_array_get(list, i));

	for (size_t i = 0; i < n; i++) {
		const json_t *h = json_array_get(list, i);

		if (!all && is_corner(h) && is_unread(h))
			continue;
		if (faces && !all && is_corner(h) && !json_is_true(out_get(h, "read"))) {
			corners++;
			stale += out_int(h, "differ");
			continue;
		}
		if (shown++ >= SIDES && !all)
			continue;
		fputs(shown > 1 ? "            " : "  halo      ", f);
		text_side(f, h);
	}
	if (shown > SIDES && !all)
		fprintf(f, "             %zu more sides\n", shown - SIDES);
	if (corners)
		fprintf(f,
			"             and %lld corner%s or edge%s with %lld stale element%s "
			"(locate "
			"-all lists them)\n",
			corners, corners == 1 ? "" : "s", corners == 1 ? "" : "s", stale,
			stale == 1 ? "" : "s");
	if (list && !n && out_int(a, "halo_elements") && !json_is_true(out_get(a, "spoilt")) &&
	    !json_is_true(out_get(a, "unwritten")))
		out_form(f, a,
			 "  halo       none that the wrong elements can come from was stale"
			 "<?halo_beyond:; what no rank owns, beyond the array, is not "
			 "compared>\n");
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
		spoilt				   ? "wrong already"
		: json_is_true(out_get(a, "left")) ? "this run has not changed it since"
						   : "the same value as at the end here");
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

/* Registrations that are wrong stand before what follows from them. */
static void text_shifted(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "shifted");

	for (size_t i = 0; i < json_array_size(list); i++)
		fprintf(f, "%s.\n", json_string_value(json_array_get(list, i)));
	if (json_array_size(list) && out_get(a, "kind"))
		fputs("\nWhat was found may only follow from that: ", f);
}

static void text_mismatch(FILE *f, const json_t *a)
{
	text_shifted(f, a);
	text_headline(f, a);
	fputc('\n', f);
	text_causes(f, a);
	text_chain(f, a);
	text_values(f, a);
	fprintf(f, "  point      %s", out_str(a, "point"));
	fputs(json_is_true(out_get(a, "finish")) ? ", the end of the program" : "", f);
	if (json_is_string(out_get(a, "previous")))
		fprintf(f, "; previous correct point %s\n", out_str(a, "previous"));
	else
		fputs("; not compared before\n", f);
	out_form(f, a, "<  set by     {set_by}\n>");
	if (!json_is_true(out_get(a, "finish")))
		text_begin(f, a);
	text_trace(f, a);
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
	text_traceable(f, a);
}

/* How closely it looked. */
static void text_looked(FILE *f, const json_t *a)
{
	out_form(f, out_get(a, "compared"),
		 "{sums|checksum} of {arrays|array} and replicated {arrays?object:objects} at "
		 "{points|point} {sums?was:were} compared, {elements|element} in all"
		 "<, up to {last}><?end: and at the end of the program>"
		 "<; {skipped} could not be>.\n");
}

static void text_rounding(FILE *f, const json_t *a)
{
	const json_t *r = out_get(a, "rounding_from");

	fprintf(f,
		"only rounding differs, within %s: from %s on, first in %s at %s, by at most %.2g "
		"(absolute)",
		out_str(a, "tolerance"), out_str(r, "point"), out_str(r, "array"),
		out_str(r, "where"), json_real_value(out_get(r, "most")));
	out_text_small(f, a);
	fputs(". ", f);
}

/* The registered objects are equal, what was printed is not. */
static void text_printed(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "printed");
	size_t n = json_array_size(list), shown = out_entries(n);

	fputs(out_int(out_get(a, "compared"), "sums")
		      ? "printed results differ, after registered objects that do not:\n"
		      : "printed results differ:\n",
	      f);
	for (size_t i = 0; i < shown; i++)
		out_form(f, json_array_get(list, i),
			 "  reference  {reference}\n  this run   {line}\n"
			 "  number     {number} here, {reference_number} in the reference\n");
	if (n > shown)
		out_more_entries(f, n - shown);
}

/* Where ranks go different ways. */
static void text_parted(FILE *f, const json_t *a)
{
	out_form(f, out_get(a, "parted"),
		 "ranks go different ways< after {after}><, in iteration {iteration}>< of the loop "
		 "at "
		 "{loop}>: {text}.< In the reference there is the {reference} at {point}.>\n");
	out_form(f, a, "<{failure}. >");
}

/* The reference is a trace alone: what differs from it first. */
static void text_traced(FILE *f, const json_t *a)
{
	const json_t *x = out_get(a, "finding");
	char text[VALUE_TEXT];

	if (out_get(x, "value") && *out_str(x, "element")) {
		out_form(f, x, "{element}, first wrong< at {point}>");
		put_when(f, x);
		fputs(is(x, "access", "write") ? ", written" : ", read", f);
		out_form(f, x, "< at {place}><@rank:, on rank {rank}>.\n");
		fprintf(f, "  here       %s\n", value_of(x, "value", text));
		if (out_get(x, "reference_value"))
			fprintf(f, "  reference  %s\n", value_of(x, "reference_value", text));
	} else {
		out_form(f, x, "{text}< at {point}><, at {place}>, on {ranks}: {detail}.\n");
	}
	text_operands(f, x, NULL);
	out_form(f, x, "<\n`rerun -to finding {number}` goes there.\n>");
}

static void text_no_fault(FILE *f, const json_t *a)
{
	bool same = out_int(a, "reference_ranks") == out_int(a, "program_ranks");
	bool some = out_int(out_get(a, "compared"), "sums") > 0;

	if (is(a, "verdict", "traced"))
		text_traced(f, a);
	else if (is(a, "verdict", "equal") && json_is_true(out_get(a, "reference_is_trace")))
		out_form(f, a, "nothing differs from the trace {reference}. ");
	else if (is(a, "verdict", "equal") && out_get(a, "program_threads"))
		out_form(f, a,
			 "nothing differs: {reference_threads} and {program_threads} threads, on "
			 "{program_ranks|rank}, give the same bits. ");
	else if (is(a, "verdict", "equal") && same)
		out_form(f, a,
			 "nothing differs: both runs, on {reference_ranks|rank}, give the same "
			 "bits. ");
	else if (is(a, "verdict", "equal"))
		out_form(f, a,
			 "nothing differs: {reference_ranks} and {program_ranks} ranks give the "
			 "same "
			 "bits. ");
	else if (is(a, "verdict", "parted"))
		text_parted(f, a);
	else if (is(a, "verdict", "printed"))
		text_printed(f, a);
	else if (is(a, "verdict", "rounding"))
		text_rounding(f, a);
	else if (is(a, "verdict", "interrupted"))
		out_form(f, a,
			 some ? "interrupted during {interrupted}; nothing was found so far. "
			      : "interrupted during {interrupted}; nothing was found so far.\n");
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
	text_shifted(f, a);
	if (out_get(a, "stale_read") && !is(a, "verdict", "equal") && !is(a, "verdict", "rounding"))
		out_form(f, out_get(a, "stale_read"),
			 "\nwithout a reference: a wrong answer is {grade}, as {text}\n");
	text_list(f, out_get(a, "hints"), "what to try:", NULL);
}

/* Where threads of OpenMP access the same memory at the same time. */
static void text_races(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "races");
	json_int_t all = out_int(a, "race_count");

	if (!list)
		return;
	if (!all) {
		fputs("\nNo race of its threads was found there.\n", f);
		return;
	}
	if (is(a, "verdict", "equal") || is(a, "verdict", "rounding"))
		fputs("\nBut threads race, so another run may differ:\n", f);
	else
		fputs("\nraces of threads:\n", f);
	out_form_each(f, list, SIZE_MAX,
		      "  - {text}<, in the parallel region at {region}>, {count} {count?time:times}"
		      "<, first at {point}>\n");
	if (all > (json_int_t)json_array_size(list))
		fprintf(f, "    %lld more: dvmdbg check lists all\n",
			(long long)all - (long long)json_array_size(list));
}

void out_text_locate(FILE *f, const json_t *a)
{
	if (out_get(a, "kind")) {
		text_mismatch(f, a);
		out_form(f, a,
			 "<\ninterrupted during {interrupted}: this is what is known so far.\n>"
			 "<\n{failure}.\n>");
	} else {
		text_no_fault(f, a);
	}
	text_races(f, a);
	text_list(f, out_get(a, "notes"), "notes:", NULL);
	out_form(f, a, "\n{runs|run}");
	fprintf(f, ", %.2f s", json_real_value(out_get(a, "seconds")));
	out_form(f, a,
		 json_is_true(out_get(a, "reference_is_trace"))
			 ? "; the reference is the trace {reference}.\n"
			 : "; the reference has {reference_points|point} in {reference_bytes} "
			   "bytes<, in {reference}>.\n");
}
