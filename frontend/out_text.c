/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/out_text.h"

#include <stdbool.h>
#include <string.h>

#include "common/value.h"

const char *out_str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

json_int_t out_int(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

const json_t *out_get(const json_t *o, const char *key)
{
	return json_object_get(o, key);
}

static const json_t *item(const json_t *a, size_t i)
{
	return json_array_get(json_object_get(a, "list"), i);
}

static size_t items(const json_t *a)
{
	return json_array_size(json_object_get(a, "list"));
}

/* The widest text of key in the answer's list. */
static int widest(const json_t *a, const char *key)
{
	size_t max = 0;

	for (size_t i = 0; i < items(a); i++) {
		size_t len = strlen(out_str(item(a, i), key));

		max = len > max ? len : max;
	}
	return max > 60 ? 60 : (int)max;
}

static void text_text(FILE *f, const json_t *a)
{
	fprintf(f, "%s\n", out_str(a, "text"));
}

static void text_actionpoint(FILE *f, const json_t *a)
{
	long long count = (long long)out_int(a, "count");
	const json_t *hits = out_get(a, "hits");

	fprintf(f, "actionpoint %lld: %s", (long long)out_int(a, "id"), out_str(a, "location"));
	if (count > 1)
		fprintf(f, ", every %lld hits", count);
	if (json_is_false(out_get(a, "enabled")))
		fputs(", disabled", f);
	if (json_integer_value(hits))
		fprintf(f, ", hit %lld time%s", (long long)json_integer_value(hits),
			json_integer_value(hits) == 1 ? "" : "s");
	if (*out_str(a, "text"))
		fprintf(f, " (%s)", out_str(a, "text"));
	fputc('\n', f);
}

static void text_actions(FILE *f, const json_t *a)
{
	for (size_t i = 0; i < items(a); i++)
		text_actionpoint(f, item(a, i));
	if (!items(a))
		fputs("no actionpoints\n", f);
}

static void text_settings(FILE *f, const json_t *a)
{
	int name = widest(a, "name"), value = widest(a, "value");

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

/* A name and a text a line: aliases, sets, help. */
static void text_pairs(FILE *f, const json_t *a)
{
	int width = widest(a, "name");

	for (size_t i = 0; i < items(a); i++) {
		const json_t *p = item(a, i);

		fprintf(f, "%-*s  %s", width, out_str(p, "name"), out_str(p, "text"));
		if (*out_str(p, "ranks"))
			fprintf(f, "  = %s", out_str(p, "ranks"));
		fputc('\n', f);
	}
	if (!items(a) && *out_str(a, "text"))
		fprintf(f, "%s\n", out_str(a, "text"));
}

/* A text folded at 92 columns, indented. */
static void put_folded(FILE *f, const char *text)
{
	size_t column = 0;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " ");

		if (column && column + n > 92) {
			fputc('\n', f);
			column = 0;
		}
		fprintf(f, "%s%.*s", column ? " " : "    ", (int)n, p);
		column += n + 1;
		p += n;
		p += strspn(p, " ");
	}
	fputc('\n', f);
}

static void text_verb(FILE *f, const json_t *a)
{
	const json_t *options = out_get(a, "options");

	fprintf(f, "%s%s%s\n", out_str(a, "name"), *out_str(a, "args") ? " " : "",
		out_str(a, "args"));
	if (*out_str(a, "brief"))
		put_folded(f, out_str(a, "brief"));
	put_folded(f, out_str(a, "text"));
	for (size_t i = 0; i < json_array_size(options); i++)
		fprintf(f, "      -%-10s %s\n", out_str(json_array_get(options, i), "name"),
			out_str(json_array_get(options, i), "text"));
	if (*out_str(a, "example"))
		fprintf(f, "    Example: %s\n", out_str(a, "example"));
}

static void text_finding(FILE *f, const json_t *a)
{
	fprintf(f, "Finding %s  %s  %s", out_str(a, "kind"), out_str(a, "ranks"),
		out_str(a, "text"));
	if (*out_str(a, "detail"))
		fprintf(f, ": %s", out_str(a, "detail"));
	if (*out_str(a, "point"))
		fprintf(f, ", at %s", out_str(a, "point"));
	if (*out_str(a, "place"))
		fprintf(f, "  %s", out_str(a, "place"));
	fputc('\n', f);
}

static void text_findings(FILE *f, const json_t *a)
{
	for (size_t i = 0; i < items(a); i++)
		text_finding(f, item(a, i));
	if (!items(a))
		fputs("no findings\n", f);
}

/* "u: double [1000][1000], distributed, heat.c:31, on [0:3]" */
static void put_object(FILE *f, const json_t *o)
{
	const json_t *fields = out_get(o, "fields");

	fprintf(f, "%s: %s%s, %s", out_str(o, "name"), out_str(o, "kind"), out_str(o, "shape"),
		out_str(o, "held"));
	if (*out_str(o, "place"))
		fprintf(f, ", registered at %s", out_str(o, "place"));
	fprintf(f, ", on %s", out_str(o, "ranks"));
	for (size_t i = 0; i < json_array_size(fields); i++) {
		const json_t *field = json_array_get(fields, i);

		fprintf(f, "\n    .%s: %s", out_str(field, "name"), out_str(field, "kind"));
		if (out_int(field, "count") > 1)
			fprintf(f, " [%lld]", (long long)out_int(field, "count"));
	}
	fputc('\n', f);
}

static void text_what(FILE *f, const json_t *a)
{
	for (size_t i = 0; i < items(a); i++)
		put_object(f, item(a, i));
	if (!items(a))
		fprintf(f, "%s\n", out_str(a, "text"));
	if (*out_str(a, "silent"))
		fprintf(f, "%s no answer\n", out_str(a, "silent"));
}

static void text_decomp(FILE *f, const json_t *a)
{
	int width = widest(a, "ranks");

	fprintf(f, "%s%s, %s\n", out_str(a, "name"), out_str(a, "shape"), out_str(a, "held"));
	for (size_t i = 0; i < items(a); i++) {
		const json_t *g = item(a, i);

		if (*out_str(g, "text"))
			fprintf(f, "  %-*s  %s", width, out_str(g, "ranks"), out_str(g, "text"));
		else
			fprintf(f, "  %s", out_str(g, "ranks"));
		if (*out_str(g, "halo"))
			fprintf(f, "  halo %s", out_str(g, "halo"));
		fputc('\n', f);
	}
	if (*out_str(a, "silent"))
		fprintf(f, "  %s no answer\n", out_str(a, "silent"));
}

static void text_focus(FILE *f, const json_t *a)
{
	fprintf(f, "[%s] = %s\n", out_str(a, "set"), out_str(a, "ranks"));
}

static void text_unreached(FILE *f, const json_t *a)
{
	const json_t *known = out_get(a, "known");

	fprintf(f, "actionpoint %lld was never reached: %s", (long long)out_int(a, "id"),
		out_str(a, "location"));
	if (*out_str(a, "text"))
		fprintf(f, "; %s", out_str(a, "text"));
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
		fprintf(f, ", %lld elements", (long long)out_int(a, "elements"));
	fprintf(f, ", on %s\n", out_str(a, "ranks"));
	for (size_t i = 0; i < json_array_size(notes); i++)
		fprintf(f, "  %s\n", json_string_value(json_array_get(notes, i)));
}

/* Messages are printed by out.c itself, these are for answers that hold them. */
static const struct {
	const char *type;
	out_text_fn fn;
} table[] = {
	{ "actionpoint", text_actionpoint },
	{ "actions", text_actions },
	{ "aliases", text_pairs },
	{ "assign", text_assign },
	{ "compared", out_text_compared },
	{ "decomp", text_decomp },
	{ "diff", out_text_diff },
	{ "differ", out_text_differ },
	{ "exit", out_text_exit },
	{ "finding", text_finding },
	{ "findings", text_findings },
	{ "focus", text_focus },
	{ "halo", out_text_halo },
	{ "heatmap", out_text_heatmap },
	{ "help", text_pairs },
	{ "history", text_history },
	{ "info", text_pairs },
	{ "list", text_list },
	{ "locate", out_text_locate },
	{ "note", text_text },
	{ "over", text_text },
	{ "pair", text_pairs },
	{ "points", out_text_points },
	{ "print", out_text_print },
	{ "recorded", out_text_recorded },
	{ "save", out_text_save },
	{ "sets", text_pairs },
	{ "settings", text_settings },
	{ "stat", out_text_stat },
	{ "status", out_text_status },
	{ "stop", out_text_stop },
	{ "sums", out_text_sums },
	{ "text", text_text },
	{ "ties", text_pairs },
	{ "unreached", text_unreached },
	{ "verb", text_verb },
	{ "waiting", out_text_waiting },
	{ "what", text_what },
	{ "where", out_text_where },
};

out_text_fn out_text_find(const char *type)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].type, type))
			return table[i].fn;
	return NULL;
}
