/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/findings.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

struct finding {
	struct rankset ranks;
	uint8_t kind;
	struct point point;
	char *where, *detail; /* owned */
	unsigned run;
	void *key; /* owned; of those that have one */
	size_t nkey;
	struct findings_goal goal; /* its texts are owned */
	json_t *more;		   /* owned; NULL: nothing */
};

struct findings {
	struct finding *item;
	size_t n, cap;
	unsigned run;
	bool leaks;	  /* they are shown */
	struct hash keys; /* of findings of the newest run that have one */
};

struct findings *findings_create(void)
{
	return xcalloc(1, sizeof(struct findings));
}

static void goal_clear(struct findings_goal *g)
{
	free((char *)g->place.file);
	free((char *)g->place.module);
	*g = (struct findings_goal){ 0 };
}

static void clear(struct finding *f)
{
	rankset_clear(&f->ranks);
	free(f->where);
	free(f->detail);
	free(f->key);
	goal_clear(&f->goal);
	json_decref(f->more);
}

void findings_destroy(struct findings *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		clear(&f->item[i]);
	free(f->item);
	hash_clear(&f->keys);
	free(f);
}

void findings_new_run(struct findings *f)
{
	f->run++;
	hash_reset(&f->keys);
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

/* Room for another, which counts when f->n does. */
static struct finding *append(struct findings *f)
{
	struct finding *x;

	xvec_room(f->item, f->cap, f->n + 1);
	x = &f->item[f->n];
	memset(x, 0, sizeof(*x));
	x->run = f->run;
	return x;
}

static void fill(struct finding *x, const struct rankset *ranks, const struct report_finding *r,
		 const char *where)
{
	char *place = xstrdup(where), *detail = xstrdup(r->detail ? r->detail : "");

	xrankset_copy(&x->ranks, ranks);
	free(x->where);
	free(x->detail);
	x->where = place;
	x->detail = detail;
	x->kind = r->kind;
	x->point = r->point;
}

bool findings_add(struct findings *f, const struct rankset *ranks, const struct report_finding *r,
		  const char *where)
{
	struct finding *x = find(f, r, where);

	if (x) {
		xrankset_add_set(&x->ranks, ranks);
		return false;
	}
	x = append(f);
	fill(x, ranks, r, where);
	f->n++;
	return true;
}

static void goal_copy(struct findings_goal *to, const struct findings_goal *goal)
{
	struct findings_goal g = *goal;

	g.place = (struct place){ .line = goal->place.line, .vaddr = goal->place.vaddr };
	g.place.file = xstrdup(goal->place.file);
	g.place.module = xstrdup(goal->place.module);
	goal_clear(to);
	*to = g;
}

/* The finding with that key, made when there is none. */
static struct finding *keyed(struct findings *f, const void *key, size_t n, bool *fresh)
{
	uint64_t hash = hash_bytes(HASH_START, key, n);
	struct finding *x;

	*fresh = false;
	for (uint32_t at = 0, i; hash_next(&f->keys, hash, &at, &i);)
		if (f->item[i].nkey == n && !memcmp(f->item[i].key, key, n))
			return &f->item[i];
	*fresh = true;
	x = append(f);
	x->key = xmemdup(key, n);
	x->nkey = n;
	xalloc_check(hash_put(&f->keys, hash, (uint32_t)f->n));
	return x;
}

size_t findings_put(struct findings *f, const void *key, size_t n, const struct rankset *ranks,
		    const struct report_finding *r, const char *where,
		    const struct findings_goal *goal, json_t *more, bool *fresh)
{
	struct finding *x = keyed(f, key, n, fresh);

	fill(x, ranks, r, where);
	goal_copy(&x->goal, goal);
	json_decref(x->more);
	x->more = more;
	f->n += *fresh;
	return (size_t)(x - f->item) + 1;
}

bool findings_goal(const struct findings *f, size_t n, struct findings_goal *out)
{
	if (!n || n > f->n)
		return false;
	*out = f->item[n - 1].goal;
	if (!out->point.main)
		*out = (struct findings_goal){ .point = f->item[n - 1].point };
	return true;
}

size_t findings_count(const struct findings *f)
{
	return f->n;
}

json_t *findings_one(const struct rankset *ranks, const struct report_finding *r, const char *where)
{
	char set[256], point[POINT_TEXT];
	json_t *o = json_pack("{s:s s:s s:s s:s}", "type", "finding", "kind",
			      finding_kind_key(r->kind), "text", finding_kind_text(r->kind),
			      "ranks", rankset_format(ranks, set, sizeof(set)));

	if (r->point.main)
		json_object_set_new(o, "point", json_string(point_format(&r->point, point)));
	if (*where)
		json_object_set_new(o, "place", json_string(where));
	if (r->detail && *r->detail)
		json_object_set_new(o, "detail", json_string(r->detail));
	return o;
}

json_t *findings_get(const struct findings *f, size_t n)
{
	const struct finding *x = &f->item[n - 1];
	struct report_finding r = { .kind = x->kind, .point = x->point, .detail = x->detail };
	json_t *o = findings_one(&x->ranks, &r, x->where);

	json_object_set_new(o, "number", json_integer((json_int_t)n));
	if (x->more)
		json_object_update(o, x->more);
	return o;
}

void findings_show_leaks(struct findings *f, bool on)
{
	f->leaks = on;
}

json_t *findings_list(const struct findings *f, bool all_runs)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++)
		if ((all_runs || f->item[i].run == f->run) &&
		    (f->leaks || f->item[i].kind != FINDING_LEAK))
			json_array_append_new(list, findings_get(f, i + 1));
	return json_pack("{s:s s:o}", "type", "findings", "list", list);
}
