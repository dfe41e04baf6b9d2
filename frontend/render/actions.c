/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of actionpoints and of what happens at them.
 */
#include "frontend/render/render.h"

#include <string.h>

#include "common/array/value.h"
#include "common/core/parse.h"

/* Of a set its members, which may be many, or its name. */
static void put_set(FILE *f, const json_t *a, const char *before, const char *key)
{
	const char *set = out_str(a, key);

	if (*set)
		fprintf(f, "%s%s", before, *set == '[' ? out_ranks(a, key) : set);
}

/* Where a watch is checked. */
static void put_checked(FILE *f, bool writes, bool iterations)
{
	if (writes && iterations)
		fputs(", checked at points, iterations, and writes to memory", f);
	else if (writes)
		fputs(", checked at every write and numbered point", f);
	else
		fprintf(f, ", checked at numbered points%s", iterations ? " and iterations" : "");
}

void out_text_actionpoint(FILE *f, const json_t *a)
{
	const char *kind = out_str(a, "kind");
	bool is_break = !*kind || !strcmp(kind, "break");

	fputs(is_break ? "actionpoint" : kind, f);
	out_form(f, a, " {id}: {location}");
	if (out_int(a, "count") > 1)
		out_form(f, a, ", every {count} hits");
	out_form(f, a, "<, iteration {iteration}><, if {condition}>");
	if (!strcmp(kind, "watch"))
		put_checked(f, json_is_true(out_get(a, "writes")),
			    json_is_true(out_get(a, "iterations")));
	out_form(f, a, "<, {length} bytes>");
	put_set(f, a, ", for ", "set");
	put_set(f, a, ", stops ", "stop");
	if (!json_is_true(out_get(a, "enabled")))
		fputs(", disabled", f);
	put_set(f, a, ", disabled for ", "off");
	out_form(f, a, "<, hit {hits|time}>");
	put_set(f, a, ", holds ", "held");
	put_set(f, a, ", waits for ", "missing");
	out_form(f, a, "< ({text})>\n");
}

void out_text_actions(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	size_t n = json_array_size(list), shown = out_entries(n);

	for (size_t i = 0; i < shown; i++)
		out_text_actionpoint(f, json_array_get(list, i));
	if (out_int(a, "deleted") && shown < n)
		fprintf(f, "... %zu more\n", n - shown);
	else
		out_more(f, n - shown, "actionpoint", "actions -all");
	if (!n)
		fputs("no actionpoints\n", f);
	if (out_int(a, "deleted") > 1)
		out_form(f, a, "{deleted} actionpoints deleted\n");
}

void out_text_export(FILE *f, const json_t *a)
{
	out_form(f, a, "{n|actionpoint} written to {file}\n");
}

void out_text_barrier(FILE *f, const json_t *a)
{
	bool satisfied = !strcmp(out_str(a, "state"), "satisfied");

	out_form(f, a, "Barrier {id}<, {location}>");
	fputs(satisfied ? ": all have come" : " holds no ranks any more", f);
	out_form(f, a, "  {ranks#}<?gone:  without {gone#}, which will not come>\n");
}

void out_text_vote(FILE *f, const json_t *a)
{
	out_form(f, a,
		 "Actionpoint {id}, {location}: {condition} differs: true on {true#}, "
		 "false on {false#}\n");
}

void out_text_write(FILE *f, const json_t *o, bool begins)
{
	const char *by = out_str(o, "by");

	if (!strcmp(by, "?")) {
		fputs(begins ? "Changed" : "changed", f);
		fputs(" by MPI, or by code without access hooks", f);
		return;
	}
	fputs(begins ? "Written" : "written", f);
	if (*out_str(o, "file"))
		fprintf(f, " at %s", path_base(out_str(o, "file")));
	out_form(f, o, "<:{line}><, iteration {iteration}>");
	if (*by)
		fputs(", by another thread", f);
}

/* The line behind whose write, the point, or the iteration, at which it was looked at. */
static void put_before(FILE *f, const json_t *a)
{
	const json_t *write = out_get(a, "write");

	if (write && *out_str(write, "file")) {
		fputs(path_base(out_str(write, "file")), f);
		out_form(f, write, "<:{line}>");
		return;
	}
	if (!out_get(a, "iteration")) {
		out_form(f, a, "{point}");
		return;
	}
	out_form(f, a, "iteration {iteration} of the loop");
	if (*out_str(a, "file"))
		fprintf(f, " at %s", path_base(out_str(a, "file")));
	out_form(f, a, "<:{line}>");
}

void out_text_watch(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	bool gone = json_is_true(out_get(a, "gone"));
	char old[VALUE_TEXT], new[VALUE_TEXT];

	out_form(f, a, "Watch {id}, {watch}: ");
	if (!gone && out_get(a, "write"))
		out_text_write(f, out_get(a, "write"), false);
	else {
		fputs(gone ? "gone at " : "changed before ", f);
		put_before(f, a);
	}
	if (gone) {
		out_form(f, a, out_get(a, "left") ? "  {ranks#}; it is watched on {left#}\n" :
						    "  {ranks#}; it is disabled\n");
		return;
	}
	out_form(f, a, "  {ranks#}<  {text}>\n");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);
		const char *kind = out_str(o, "kind");

		out_form(f, o, "  {element}  {ranks#}");
		fprintf(f, "  %s -> %s", out_text_value(kind, out_get(o, "old"), old),
			out_text_value(kind, out_get(o, "new"), new));
		fputc('\n', f);
	}
	out_form(f, a, "<  and {more} more elements\n>");
}
