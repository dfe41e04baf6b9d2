/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of help. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frontend/render/render.h"

#define COLUMNS 92

/* A text folded between words, indented. */
static void put_folded(FILE *f, const char *text)
{
	size_t column = 0;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " ");

		if (column && column + n > COLUMNS) {
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

static void put_pairs(FILE *f, const json_t *list)
{
	int width = out_widest(list, "name", SIZE_MAX, INT_MAX);
	const char *group = "";

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *p = json_array_get(list, i);

		if (strcmp(group, out_str(p, "group"))) {
			group = out_str(p, "group");
			fprintf(f, "%s\n", group);
		}
		fprintf(f, "  %-*s  %s\n", width, out_str(p, "name"), out_str(p, "text"));
	}
}

void out_text_help(FILE *f, const json_t *a)
{
	put_pairs(f, out_get(a, "list"));
	fputs("Topics\n", f);
	put_pairs(f, out_get(a, "topics"));
	fputs("help VERB, help TOPIC and help SETTING explain one.\n", f);
}

void out_text_verb(FILE *f, const json_t *a)
{
	const json_t *options = out_get(a, "options");
	int width = out_widest(options, "name", SIZE_MAX, INT_MAX);

	fprintf(f, "%s%s%s\n", out_str(a, "name"), *out_str(a, "args") ? " " : "",
		out_str(a, "args"));
	put_folded(f, out_str(a, "brief"));
	put_folded(f, out_str(a, "text"));
	for (size_t i = 0; i < json_array_size(options); i++)
		fprintf(f, "      -%-*s  %s\n", width, out_str(json_array_get(options, i), "name"),
			out_str(json_array_get(options, i), "text"));
	fprintf(f, "    Example: %s\n", out_str(a, "example"));
}

void out_text_topic(FILE *f, const json_t *a)
{
	const json_t *text = out_get(a, "text"), *examples = out_get(a, "examples");

	fprintf(f, "%s: %s\n", out_str(a, "name"), out_str(a, "brief"));
	for (size_t i = 0; i < json_array_size(text); i++)
		put_folded(f, json_string_value(json_array_get(text, i)));
	for (size_t i = 0; i < json_array_size(examples); i++)
		fprintf(f, "    %s%s\n", i ? "         " : "Example: ",
			json_string_value(json_array_get(examples, i)));
}
