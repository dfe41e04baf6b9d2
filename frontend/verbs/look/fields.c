/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A structure that differs between ranks, field by field: what is equal is there once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "frontend/model/ask.h"
#include "frontend/model/merge_equal.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"
#include "frontend/verbs/look/internal.h"

#define DEEP 8 /* structures in one another */

struct field {
	char *name; /* owned */
	struct merge_equal values;
};

struct field_list {
	struct field *item;
	size_t n;
};

static void field_list_clear(struct field_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->item[i].name);
		merge_equal_clear(&l->item[i].values);
	}
	free(l->item);
}

/* Up to the comma or brace that ends a field's value; texts are skipped. */
static size_t value_length(const char *p)
{
	size_t n = 0;
	bool text = false;

	for (int depth = 0; p[n]; n++) {
		if (p[n] == '"')
			text = !text;
		else if (text && p[n] == '\\' && p[n + 1])
			n++;
		else if (text)
			continue;
		else if (!depth && (p[n] == ',' || p[n] == '}'))
			break;
		else
			depth += strchr("{(", p[n]) ? 1 : strchr("})", p[n]) ? -1 : 0;
	}
	return n;
}

/* The fields of "{x = 1, y = {…}}"; false: it is no structure, or has other fields than those
 * before. */
static bool take(struct field_list *l, const char *text, const struct rankset *ranks)
{
	bool first = !l->n;
	const char *p = text + 1;
	size_t k = 0;

	if (*text != '{')
		return false;
	for (; *p && *p != '}'; k++) {
		const char *sign = strstr(p, " = ");
		size_t n = sign ? (size_t)(sign - p) : 0, length;
		char *value;

		if (!n || strcspn(p, "{}(),\"") < n)
			return false;
		if (first)
			*xvec_add(l->item, l->n) = (struct field){ .name = xstrndup(p, n) };
		if (k >= l->n || strlen(l->item[k].name) != n || strncmp(l->item[k].name, p, n))
			return false;
		p = sign + 3;
		length = value_length(p);
		value = xstrndup(p, length);
		merge_equal_add(&l->item[k].values,
				json_pack("{s:s s:o}", "kind", "", "value", out_json_text(value)),
				ranks, -1);
		free(value);
		p += length;
		p += strspn(p, ", ");
	}
	return k && k == l->n;
}

/* "[0:2,4]" */
static int take_ranks(struct rankset *ranks, const char *text)
{
	size_t n = strlen(text);
	char *inside = xstrndup(text + (*text == '['), n > 1 && *text == '[' ? n - 2 : n);
	int rc = rankset_parse(ranks, inside, NULL);

	free(inside);
	return rc;
}

static void add_variable(json_t *to, const char *name, json_t *groups, unsigned deep);

/* Each field as a variable of its own. */
static void add_fields(json_t *to, const char *name, struct field_list *l, unsigned deep)
{
	for (size_t i = 0; i < l->n; i++) {
		struct merge_equal *v = &l->item[i].values;
		json_t *groups = json_array();
		char full[400];

		merge_equal_sort(v);
		for (size_t k = 0; k < v->n; k++) {
			json_object_set_new(v->group[k].answer, "ranks",
					    ask_ranks(&v->group[k].ranks));
			json_array_append(groups, v->group[k].answer);
		}
		snprintf(full, sizeof(full), strchr("*&", *name) ? "(%s).%s" : "%s.%s", name,
			 l->item[i].name);
		add_variable(to, full, groups, deep + 1);
	}
}

/* Takes the groups over. */
static void add_variable(json_t *to, const char *name, json_t *groups, unsigned deep)
{
	struct field_list l = { 0 };
	bool parts = json_array_size(groups) > 1 && deep < DEEP;

	for (size_t i = 0; parts && i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);
		struct rankset ranks = { 0 };

		parts = !take_ranks(&ranks, out_str(g, "ranks")) &&
			take(&l, out_str(g, "value"), &ranks);
		rankset_clear(&ranks);
	}
	if (parts) {
		add_fields(to, name, &l, deep);
		json_decref(groups);
	} else {
		json_array_append_new(
			to, json_pack("{s:o s:o}", "name", out_json_text(name), "groups", groups));
	}
	field_list_clear(&l);
}

void fields_apart(json_t *answer)
{
	const json_t *calls = out_get(answer, "calls");

	for (size_t i = 0; i < json_array_size(calls); i++) {
		json_t *call = json_array_get(calls, i), *list = json_array();
		const json_t *old = out_get(call, "variables");

		for (size_t k = 0; k < json_array_size(old); k++) {
			const json_t *v = json_array_get(old, k);

			add_variable(list, out_str(v, "name"),
				     json_incref((json_t *)out_get(v, "groups")), 0);
		}
		json_object_set_new(call, "variables", list);
	}
}

/* ---- ranks in different functions ---- */

static bool alike(const json_t *a, const json_t *b, const char *key)
{
	return json_equal(out_get(a, key), out_get(b, key));
}

/* Equal values are one group. */
static void join_group(json_t *groups, json_t *g)
{
	struct rankset ranks = { 0 }, more = { 0 };
	json_t *x = NULL;

	for (size_t i = 0; i < json_array_size(groups); i++) {
		x = json_array_get(groups, i);
		if (alike(x, g, "value") && alike(x, g, "kind"))
			break;
		x = NULL;
	}
	if (!x) {
		json_array_append(groups, g);
	} else if (!take_ranks(&ranks, out_str(x, "ranks")) &&
		   !take_ranks(&more, out_str(g, "ranks"))) {
		xrankset_add_set(&ranks, &more);
		json_object_set_new(x, "ranks", ask_ranks(&ranks));
	}
	rankset_clear(&ranks);
	rankset_clear(&more);
}

static void join_variable(json_t *variables, json_t *v)
{
	const json_t *groups = out_get(v, "groups");

	for (size_t i = 0; i < json_array_size(variables); i++) {
		json_t *x = json_array_get(variables, i);

		if (!alike(x, v, "name"))
			continue;
		for (size_t k = 0; k < json_array_size(groups); k++)
			join_group(json_object_get(x, "groups"), json_array_get(groups, k));
		return;
	}
	json_array_append(variables, v);
}

void variables_together(json_t *answer)
{
	json_t *calls = json_object_get(answer, "calls"), *first = json_array_get(calls, 0);

	for (size_t i = 1; i < json_array_size(calls); i++) {
		const json_t *list = out_get(json_array_get(calls, i), "variables");

		for (size_t k = 0; k < json_array_size(list); k++)
			join_variable(json_object_get(first, "variables"), json_array_get(list, k));
	}
	while (json_array_size(calls) > 1)
		json_array_remove(calls, 1);
}
