/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/outcome.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"

#define MOST 100 /* texts that are kept */

struct outcome {
	bool has[OUTCOME_KINDS];
	json_t *all;   /* owned; texts of what is incomplete */
	json_t *fresh; /* owned; those that no report has shown */
};

struct outcome *outcome_create(void)
{
	struct outcome *o = xcalloc(1, sizeof(*o));

	o->all = json_array();
	o->fresh = json_array();
	return o;
}

void outcome_destroy(struct outcome *o)
{
	if (!o)
		return;
	json_decref(o->all);
	json_decref(o->fresh);
	free(o);
}

void outcome_add(struct outcome *o, enum outcome_kind kind)
{
	o->has[kind] = true;
}

bool outcome_has(const struct outcome *o, enum outcome_kind kind)
{
	return o->has[kind];
}

/* Takes the text over. */
static void add_text(json_t *list, json_t *text)
{
	const json_t *x;
	size_t i;

	json_array_foreach(list, i, x)
	{
		if (json_equal(x, text) || i + 1 == MOST) {
			json_decref(text);
			return;
		}
	}
	json_array_append_new(list, text);
}

void outcome_incomplete(struct outcome *o, const char *fmt, ...)
{
	json_t *text;
	char *words;
	va_list ap;

	va_start(ap, fmt);
	words = xvasprintf(fmt, ap);
	va_end(ap);
	text = out_json_text(words);
	free(words);
	o->has[OUTCOME_INCOMPLETE] = true;
	add_text(o->fresh, json_incref(text));
	add_text(o->all, text);
}

void outcome_report(struct outcome *o, struct out *out, const char *what)
{
	json_t *list = o->fresh;

	if (!json_array_size(list))
		return;
	o->fresh = json_array();
	out_answer(out,
		   json_pack("{s:s s:s s:o}", "type", "incomplete", "what", what, "list", list));
}

void outcome_merge(struct outcome *o, const struct outcome *from)
{
	json_t *x;
	size_t i;

	for (unsigned k = 0; k < OUTCOME_KINDS; k++)
		o->has[k] |= from->has[k];
	json_array_foreach(from->all, i, x)
	{
		add_text(o->all, json_incref(x));
	}
	json_array_foreach(from->fresh, i, x)
	{
		add_text(o->fresh, json_incref(x));
	}
}

/* By kinds. */
static const struct {
	int status;
	const char *words;
} kinds[] = {
	[OUTCOME_FINDINGS] = { 1, "findings" },
	[OUTCOME_DEADLOCK] = { 3, "deadlock" },
	[OUTCOME_MISUSE] = { 1, "findings" },
	[OUTCOME_FAILED] = { 3, "program failed" },
	[OUTCOME_INCOMPLETE] = { 2, "incomplete" },
	[OUTCOME_ERROR] = { 2, "error" },
};

int outcome_status(const struct outcome *o)
{
	for (unsigned k = 0; k < OUTCOME_KINDS; k++)
		if (o->has[k])
			return kinds[k].status;
	return 0;
}

json_t *outcome_json(const struct outcome *o)
{
	json_t *holds = json_array();

	for (unsigned k = 0; k < OUTCOME_KINDS; k++)
		if (o->has[k] && (k != OUTCOME_MISUSE || !o->has[OUTCOME_FINDINGS]))
			json_array_append_new(holds, json_string(kinds[k].words));
	return json_pack("{s:s s:i s:o s:O}", "type", "result", "status", outcome_status(o),
			 "holds", holds, "incomplete", o->all);
}
