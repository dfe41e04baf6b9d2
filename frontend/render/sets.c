/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of answers about sets. */
#include <stdint.h>
#include <string.h>

#include "frontend/render/render.h"

void out_text_focus(FILE *f, const json_t *a)
{
	fprintf(f, "[%s] = %s", out_str(a, "set"), out_ranks(a, "ranks"));
	if (*out_str(a, "text"))
		fprintf(f, "  defined as [%s]", out_str(a, "text"));
	fputc('\n', f);
}

/* Of a set that is evaluated at each use it is said that these are its members now. */
void out_text_sets(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	int name = out_widest(list, "name", SIZE_MAX, 60),
	    text = out_widest(list, "text", SIZE_MAX, 60);
	size_t n = json_array_size(list), shown = out_entries(n);

	for (size_t i = 0; i < shown; i++) {
		const json_t *p = json_array_get(list, i);
		bool fixed = json_is_true(out_get(p, "static"));

		fprintf(f, "%-*s  %-*s  %s%s\n", name, out_str(p, "name"), text, out_str(p, "text"),
			fixed ? "Set includes: " : "Set currently includes: ",
			out_ranks(p, "ranks"));
	}
	out_more(f, n - shown, "set", "viewset -all");
}

/* "[0:2]  all stopped edge" */
void out_text_whichsets(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	size_t n = json_array_size(list), shown = n < out_room() ? n : out_room();
	int width = out_widest(list, "ranks", SIZE_MAX, 60);

	for (size_t i = 0; i < shown; i++) {
		const json_t *g = json_array_get(list, i), *sets = out_get(g, "sets");

		fprintf(f, "%-*s ", width, out_ranks(g, "ranks"));
		for (size_t k = 0; k < json_array_size(sets); k++)
			fprintf(f, " %s", json_string_value(json_array_get(sets, k)));
		fputs(json_array_size(sets) ? "\n" : " is in no set\n", f);
	}
	out_more(f, n - shown, "group", "whichsets -all");
}
