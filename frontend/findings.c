/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/findings.h"

#include <stdlib.h>
#include <string.h>

struct finding {
	struct rankset ranks;
	uint8_t kind;
	struct point point;
	char *where, *detail; /* owned */
	unsigned run;
};

struct findings {
	struct finding *item;
	size_t n, cap;
	unsigned run;
};

struct findings *findings_create(void)
{
	return calloc(1, sizeof(struct findings));
}

static void clear(struct finding *f)
{
	rankset_clear(&f->ranks);
	free(f->where);
	free(f->detail);
}

void findings_destroy(struct findings *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		clear(&f->item[i]);
	free(f->item);
	free(f);
}

void findings_new_run(struct findings *f)
{
	f->run++;
}

static struct finding *find(struct findings *f, const struct report_finding *r, const char *where)
{
	for (size_t i = f->n; i-- && f->item[i].run == f->run;) {
		struct finding *x = &f->item[i];

		if (x->kind == r->kind && point_compare(&x->point, &r->point) == POINT_EQUAL &&
		    !strcmp(x->where, where) && !strcmp(x->detail, r->detail ? r->detail : ""))
			return x;
	}
	return NULL;
}

bool findings_add(struct findings *f, const struct rankset *ranks, const struct report_finding *r,
		  const char *where)
{
	struct finding *x = find(f, r, where);

	if (x) {
		rankset_add_set(&x->ranks, ranks);
		return false;
	}
	if (f->n == f->cap) {
		size_t cap = f->cap ? 2 * f->cap : 16;
		struct finding *grown = realloc(f->item, cap * sizeof(*grown));

		if (!grown)
			return false;
		f->item = grown;
		f->cap = cap;
	}
	x = &f->item[f->n];
	memset(x, 0, sizeof(*x));
	x->kind = r->kind;
	x->point = r->point;
	x->run = f->run;
	x->where = strdup(where);
	x->detail = strdup(r->detail ? r->detail : "");
	if (!x->where || !x->detail || rankset_copy(&x->ranks, ranks)) {
		clear(x);
		return false;
	}
	f->n++;
	return true;
}

size_t findings_count(const struct findings *f)
{
	return f->n;
}

json_t *findings_one(const struct rankset *ranks, const struct report_finding *r, const char *where)
{
	char set[256], point[POINT_TEXT];
	json_t *o = json_pack("{s:s s:s s:s s:s}", "type", "finding", "kind", finding_key(r->kind),
			      "text", finding_text(r->kind), "ranks",
			      rankset_format(ranks, set, sizeof(set)));

	if (r->point.main)
		json_object_set_new(o, "point", json_string(point_format(&r->point, point)));
	if (*where)
		json_object_set_new(o, "place", json_string(where));
	if (r->detail && *r->detail)
		json_object_set_new(o, "detail", json_string(r->detail));
	return o;
}

json_t *findings_list(const struct findings *f, bool all_runs)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++) {
		const struct finding *x = &f->item[i];
		struct report_finding r = { .kind = x->kind,
					    .point = x->point,
					    .detail = x->detail };

		if (all_runs || x->run == f->run)
			json_array_append_new(list, findings_one(&x->ranks, &r, x->where));
	}
	return json_pack("{s:s s:o}", "type", "findings", "list", list);
}
