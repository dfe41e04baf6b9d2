/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of actionpoints and of what happens at them.
 */
#include "frontend/render/render.h"

#include <string.h>

#include "common/array/value.h"

static void put_times(FILE *f, long long hits)
{
	if (hits)
		fprintf(f, ", hit %lld time%s", hits, hits == 1 ? "" : "s");
}

static void put_word(FILE *f, const json_t *a, const char *before, const char *key)
{
	if (*out_str(a, key))
		fprintf(f, "%s%s", before, out_str(a, key));
}

/* Of a set its members, which may be many, or its name. */
static void put_set(FILE *f, const json_t *a, const char *before, const char *key)
{
	const char *set = out_str(a, key);

	if (*set)
		fprintf(f, "%s%s", before, *set == '[' ? out_ranks(a, key) : set);
}

void out_text_actionpoint(FILE *f, const json_t *a)
{
	const char *kind = out_str(a, "kind");
	bool is_break = !*kind || !strcmp(kind, "break");

	fprintf(f, "%s %lld: %s", is_break ? "actionpoint" : kind, (long long)out_int(a, "id"),
		out_str(a, "location"));
	if (out_int(a, "count") > 1)
		fprintf(f, ", every %lld hits", (long long)out_int(a, "count"));
	put_word(f, a, ", iteration ", "iteration");
	put_word(f, a, ", if ", "condition");
	if (!strcmp(kind, "watch"))
		fputs(", checked at numbered points", f);
	if (*out_str(a, "length"))
		fprintf(f, ", %s bytes", out_str(a, "length"));
	put_set(f, a, ", for ", "set");
	put_set(f, a, ", stops ", "stop");
	if (!json_is_true(out_get(a, "enabled")))
		fputs(", disabled", f);
	put_set(f, a, ", disabled for ", "off");
	put_times(f, (long long)out_int(a, "hits"));
	put_set(f, a, ", holds ", "held");
	put_set(f, a, ", waits for ", "missing");
	if (*out_str(a, "text"))
		fprintf(f, " (%s)", out_str(a, "text"));
	fputc('\n', f);
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
		fprintf(f, "%lld actionpoints deleted\n", (long long)out_int(a, "deleted"));
}

void out_text_export(FILE *f, const json_t *a)
{
	fprintf(f, "%lld actionpoint%s written to %s\n", (long long)out_int(a, "n"),
		out_int(a, "n") == 1 ? "" : "s", out_str(a, "file"));
}

void out_text_barrier(FILE *f, const json_t *a)
{
	bool satisfied = !strcmp(out_str(a, "state"), "satisfied");

	fprintf(f, "Barrier %lld", (long long)out_int(a, "id"));
	put_word(f, a, ", ", "location");
	fprintf(f, satisfied ? ": all have come" : " holds no ranks any more");
	fprintf(f, "  %s", out_ranks(a, "ranks"));
	if (*out_str(a, "gone"))
		fprintf(f, "  without %s, which will not come", out_ranks(a, "gone"));
	fputc('\n', f);
}

void out_text_vote(FILE *f, const json_t *a)
{
	fprintf(f, "Actionpoint %lld, %s: %s differs: true on %s, false on %s\n",
		(long long)out_int(a, "id"), out_str(a, "location"), out_str(a, "condition"),
		out_ranks(a, "true"), out_ranks(a, "false"));
}

void out_text_watch(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	char old[VALUE_TEXT], new[VALUE_TEXT];

	fprintf(f, "Watch %lld, %s: ", (long long)out_int(a, "id"), out_str(a, "watch"));
	if (json_is_true(out_get(a, "gone"))) {
		fprintf(f, "gone at %s  %s; it is disabled\n", out_str(a, "point"),
			out_ranks(a, "ranks"));
		return;
	}
	fprintf(f, "changed before %s  %s", out_str(a, "point"), out_ranks(a, "ranks"));
	put_word(f, a, "  ", "text");
	fputc('\n', f);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);
		const char *kind = out_str(o, "kind");

		fprintf(f, "  %s  %s", out_str(o, "element"), out_ranks(o, "ranks"));
		if (!json_is_null(out_get(o, "new")))
			fprintf(f, "  %s -> %s", out_text_value(kind, out_get(o, "old"), old),
				out_text_value(kind, out_get(o, "new"), new));
		fputc('\n', f);
	}
	if (out_int(a, "more"))
		fprintf(f, "  and %lld more elements\n", (long long)out_int(a, "more"));
}
