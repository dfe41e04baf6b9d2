/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of renderers, and those of answers that need few lines.
 */
#include "frontend/render/render.h"

#include <stdint.h>
#include <string.h>

#include "common/array/value.h"

static const json_t *item(const json_t *a, size_t i)
{
	return json_array_get(json_object_get(a, "list"), i);
}

static size_t items(const json_t *a)
{
	return json_array_size(json_object_get(a, "list"));
}

static void text_text(FILE *f, const json_t *a)
{
	fprintf(f, "%s\n", out_str(a, "text"));
}

static void text_settings(FILE *f, const json_t *a)
{
	int name = out_widest(out_get(a, "list"), "name", SIZE_MAX, 60);
	int value = out_widest(out_get(a, "list"), "value", SIZE_MAX, 60);

	for (size_t i = 0; i < items(a); i++) {
		const json_t *s = item(a, i);

		fprintf(f, "%-*s = %-*s  # %s (%s)\n", name, out_str(s, "name"), value,
			out_str(s, "value"), out_str(s, "help"), out_str(s, "allowed"));
	}
}

static void text_list(FILE *f, const json_t *a)
{
	for (size_t i = 0; i < items(a); i++) {
		const json_t *l = item(a, i);

		fprintf(f, "%s%6lld  %-10s %s\n", json_is_true(out_get(l, "current")) ? "->" : "  ",
			(long long)out_int(l, "line"), out_str(l, "points"), out_str(l, "text"));
	}
}

static void text_history(FILE *f, const json_t *a)
{
	for (size_t i = 0; i < items(a); i++)
		fprintf(f, "%5lld  %s\n", (long long)out_int(item(a, i), "number"),
			out_str(item(a, i), "text"));
}

/* A name and a text a line. */
static void put_pairs(FILE *f, const json_t *a, size_t shown)
{
	int width = out_widest(out_get(a, "list"), "name", SIZE_MAX, 60);

	for (size_t i = 0; i < shown; i++) {
		const json_t *p = item(a, i);

		fprintf(f, "%-*s  %s", width, out_str(p, "name"), out_str(p, "text"));
		if (*out_ranks(p, "ranks"))
			fprintf(f, "  = %s",
				items(a) == 1 ? out_str(p, "ranks") : out_ranks(p, "ranks"));
		fputc('\n', f);
	}
	if (!items(a) && *out_str(a, "text"))
		fprintf(f, "%s\n", out_str(a, "text"));
}

/* What there is a fixed number of. */
static void text_info(FILE *f, const json_t *a)
{
	put_pairs(f, a, items(a));
}

/* Aliases, logs, ties: as many as the user has made. */
static void text_pairs(FILE *f, const json_t *a)
{
	put_pairs(f, a, out_entries(items(a)));
	out_more_entries(f, items(a));
}

/* Its number is for rerun -to. */
static void put_finding(FILE *f, const json_t *a, bool numbered)
{
	out_form(f, a, "Finding {kind}  {ranks#}  {text}<: {detail}>");
	if (out_int(a, "count") > 1)
		out_form(f, a, ", {count} times");
	if (*out_str(a, "point"))
		out_form(f, a, ", at {point}");
	else
		out_form(f, a, "<@stack:, at the start>");
	out_form(f, a,
		 "< in iteration {iteration}><  {place}><@reference_rank:  rank {reference_rank} "
		 "there>");
	if (*out_str(a, "reference_place") &&
	    strcmp(out_str(a, "reference_place"), out_str(a, "place")) != 0)
		out_form(f, a, ", {reference_place}");
	out_form(f, a, numbered ? "  #{number}\n" : "\n");
}

static void text_finding(FILE *f, const json_t *a)
{
	put_finding(f, a, out_get(a, "number") != NULL);
}

static void put_finding_of(FILE *f, const json_t *a, bool message)
{
	put_finding(f, a, out_get(a, "number") != NULL);
	if (message && *out_str(a, "message"))
		out_form(f, a, "{message}\n");
}

static void text_findings(FILE *f, const json_t *a)
{
	size_t shown = out_entries(items(a));

	for (size_t i = 0; i < shown; i++)
		put_finding_of(f, item(a, i), out_get(a, "dvm") != NULL);
	out_more(f, items(a) - shown, "finding", "findings -all");
	if (!items(a) && *out_str(a, "running"))
		fprintf(f, "no findings so far; %s run\n", out_str(a, "running"));
	else if (!items(a))
		fputs("no findings\n", f);
}

/* "u: double [1000][1000], distributed, heat.c:31, on [0:3]" */
static void put_object(FILE *f, const json_t *o)
{
	const json_t *fields = out_get(o, "fields");

	out_form(f, o, "{name}: {kind}{shape}, {held}<, registered at {place}>, on {ranks#}");
	for (size_t i = 0; i < json_array_size(fields); i++) {
		const json_t *field = json_array_get(fields, i);

		out_form(f, field, "\n    .{name}: {kind}");
		if (out_int(field, "count") > 1)
			out_form(f, field, " [{count}]");
	}
	fputc('\n', f);
}

static void text_what(FILE *f, const json_t *a)
{
	size_t shown = out_entries(items(a));

	for (size_t i = 0; i < shown; i++)
		put_object(f, item(a, i));
	out_more(f, items(a) - shown, "object", "what -all");
	if (!items(a))
		fprintf(f, "%s\n", out_str(a, "text"));
	out_form(f, a, "<?silent:{silent#} did not answer within QUERY_TIMER\n>");
}

static void text_decomp(FILE *f, const json_t *a)
{
	int width = out_widest(out_get(a, "list"), "ranks", SIZE_MAX, 60);
	size_t shown = items(a) < out_room() ? items(a) : out_room();
	char how[300];

	out_form(f, a, "{name}{shape}, {held}\n");
	for (size_t i = 0; i < shown; i++) {
		const json_t *g = item(a, i);

		if (*out_str(g, "text"))
			fprintf(f, "  %-*s  %s", width, out_ranks(g, "ranks"), out_str(g, "text"));
		else
			fprintf(f, "  %s", out_ranks(g, "ranks"));
		out_form(f, g, "<  halo {halo}>");
		if (out_get(g, "copy"))
			fprintf(f, "  copy %lld", (long long)out_int(g, "copy"));
		fputc('\n', f);
	}
	snprintf(how, sizeof(how), "decomp %s -all", out_str(a, "name"));
	out_more(f, items(a) - shown, "group", how);
	out_form(f, a, "<?silent:  {silent#} did not answer within QUERY_TIMER\n>");
}

static void text_address(FILE *f, const json_t *a)
{
	int width = out_widest(out_get(a, "list"), "ranks", SIZE_MAX, 60);
	const json_t *notes = out_get(a, "notes");
	size_t shown = out_entries(items(a));

	for (size_t i = 0; i < shown; i++) {
		const json_t *g = item(a, i);

		fprintf(f, "%-*s", width, out_ranks(g, "ranks"));
		out_form(f, g, "  {element}  {address}  {held}<@many:, {many} elements><@halo:, and "
				"{halo} in its halo>\n");
	}
	out_more(f, items(a) - shown, "group", "what -address -all");
	if (!items(a))
		out_form(f, a, "{name} is in the memory of none of these ranks\n");
	for (size_t i = 0; i < json_array_size(notes); i++)
		fprintf(f, "  %s\n", json_string_value(json_array_get(notes, i)));
}

static void text_unreached(FILE *f, const json_t *a)
{
	const json_t *known = out_get(a, "known");

	out_form(f, a, "actionpoint {id} was never reached: {location}<; {text}>");
	for (size_t i = 0; i < json_array_size(known); i++)
		fprintf(f, "%s%s", i ? ", " : " ", json_string_value(json_array_get(known, i)));
	fputc('\n', f);
}

/* "u[3][4] = 0.5, was 0.25, on [2]" */
static void text_assign(FILE *f, const json_t *a)
{
	const json_t *before = out_get(a, "before"), *notes = out_get(a, "notes");
	const char *kind = out_str(a, "kind");
	char text[VALUE_TEXT];

	fprintf(f, "%s = %s", out_str(a, "target"),
		out_text_value(kind, out_get(a, "value"), text));
	if (before)
		fprintf(f, ", was %s", out_text_value(kind, before, text));
	if (out_int(a, "elements") > 1)
		out_form(f, a, ", {elements} elements");
	out_form(f, a, ", on {ranks#}<?copies:, copies on {copies#}>\n");
	for (size_t i = 0; i < json_array_size(notes); i++)
		fprintf(f, "  %s\n", json_string_value(json_array_get(notes, i)));
}

/* "Not fully compared: 20 checksums could not be compared; 3 points of the reference have no
 * partner."
 */
static void text_incomplete(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");

	out_form(f, a, "Not fully {what}: ");
	for (size_t i = 0; i < json_array_size(list); i++)
		fprintf(f, "%s%s", i ? "; " : "", json_string_value(json_array_get(list, i)));
	fputs(".\n", f);
}

static void text_gcore(FILE *f, const json_t *a)
{
	out_form(f, a, "rank {rank} is in {file}\n");
}

/* Messages are printed by output/output.c itself, these are for answers that hold them. */
static const struct out_text renderers[] = {
	{ "actionpoint", out_text_actionpoint },
	{ "actions", out_text_actions },
	{ "address", text_address },
	{ "aliases", text_pairs },
	{ "assign", text_assign },
	{ "barrier", out_text_barrier },
	{ "compared", out_text_compared },
	{ "compared-traces", out_text_compared_traces },
	{ "decomp", text_decomp },
	{ "diff", out_text_diff },
	{ "differ", out_text_differ },
	{ "elements", out_text_elements },
	{ "exit", out_text_exit },
	{ "export", out_text_export },
	{ "fields", out_text_differ },
	{ "finding", text_finding },
	{ "findings", text_findings },
	{ "focus", out_text_focus },
	{ "gcore", text_gcore },
	{ "gdb", out_text_gdb },
	{ "halo", out_text_halo },
	{ "annotation", out_text_annotation },
	{ "checked_marks", out_text_checked_marks },
	{ "hang", out_text_hang },
	{ "heatmap", out_text_heatmap },
	{ "help", out_text_help },
	{ "histogram", out_text_histogram },
	{ "history", text_history },
	{ "incomplete", text_incomplete },
	{ "info", text_info },
	{ "last-write", out_text_last_write },
	{ "levels", out_text_levels },
	{ "list", text_list },
	{ "locals", out_text_locals },
	{ "call", out_text_call },
	{ "locate", out_text_locate },
	{ "logs", text_pairs },
	{ "note", text_text },
	{ "over", text_text },
	{ "pair", text_info },
	{ "plot", out_text_plot },
	{ "points", out_text_points },
	{ "print", out_text_print },
	{ "recorded", out_text_recorded },
	{ "recorded-traces", out_text_recorded_traces },
	{ "controlled", out_text_controlled },
	{ "reductions", out_text_reductions },
	{ "save", out_text_save },
	{ "search", out_text_search },
	{ "sets", out_text_sets },
	{ "settings", text_settings },
	{ "stat", out_text_stat },
	{ "status", out_text_status },
	{ "stop", out_text_stop },
	{ "sums", out_text_sums },
	{ "text", text_text },
	{ "ties", text_pairs },
	{ "topic", out_text_topic },
	{ "trace", out_text_trace },
	{ "timeline", out_text_timeline },
	{ "trace-stat", out_text_trace_stat },
	{ "unreached", text_unreached },
	{ "verb", out_text_verb },
	{ "vote", out_text_vote },
	{ "waiting", out_text_waiting },
	{ "watch", out_text_watch },
	{ "what", text_what },
	{ "where", out_text_where },
	{ "calls", out_text_calls },
	{ "whichsets", out_text_whichsets },
};

void render_use(void)
{
	out_text_use(renderers, sizeof(renderers) / sizeof(renderers[0]));
}
