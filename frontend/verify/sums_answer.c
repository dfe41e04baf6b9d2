/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/verify/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "common/array/value.h"
#include "frontend/data/fetch.h"
#include "frontend/data/fields.h"
#include "frontend/model/ask.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/names.h"

#define TURN_MS 50
#define TASK_MS 1000 /* for checksums that there may not be */

/* JSON has no number for NaN and infinities: these are texts. */
static json_t *number(double x)
{
	if (isfinite(x))
		return json_real(x);
	return json_string(isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
}

/* One number, or both parts of a complex one. */
static json_t *mean_json(const struct sum_result *r)
{
	json_t *pair;

	if (r->plan.parts < 2)
		return number(sum_mean(r, 0));
	pair = json_array();
	json_array_append_new(pair, number(sum_mean(r, 0)));
	json_array_append_new(pair, number(sum_mean(r, 1)));
	return pair;
}

static json_t *value(const struct sum_plan *p, int64_t key)
{
	struct value v = sum_key_value(p, key);

	if (v.class == VALUE_IS_REAL)
		return number(v.re);
	if (v.class == VALUE_IS_UINT)
		return json_real((double)(uint64_t)v.i);
	return json_integer(v.i);
}

/* Of the real parts; null when no number is finite. */
static void put_extremes(json_t *o, const struct sum_result *r)
{
	const struct sum_numbers *n = &r->all.part[0];
	bool any = n->least <= n->most;
	uint64_t nan = n->nan, inf = n->up + n->dn;

	json_object_set_new(o, "min", any ? value(&r->plan, n->least) : json_null());
	json_object_set_new(o, "max", any ? value(&r->plan, n->most) : json_null());
	if (r->plan.parts > 1) {
		nan += r->all.part[1].nan;
		inf += r->all.part[1].up + r->all.part[1].dn;
	}
	json_object_set_new(o, "nan", json_integer((json_int_t)nan));
	json_object_set_new(o, "inf", json_integer((json_int_t)inf));
}

/* What is compared with, if anything. */
struct reference_view {
	struct checker *checker;
	const struct compare *compare;
	const struct sums_point *point; /* of the reference; NULL: it has none */
};

static const struct sum_result *reference_of(const struct reference_view *b,
					     const struct sums_array *a)
{
	const struct sums_array *found;

	if (!b->compare)
		return NULL;
	if (a->kind == ARRAY_REPLICATED)
		return compare_known(b->compare, a);
	found = b->point ? sums_point_find(b->point, a) : NULL;
	return found ? found->sum : NULL;
}

static const char *verdict(const struct reference_view *b, const struct sums_array *a,
			   const struct sum_result *ref)
{
	struct sum_tolerance tol;
	struct sum_difference d;

	if (!a->sum)
		return "failed";
	if (a->copies.n)
		return "copies differ";
	if (!b->compare)
		return "";
	if (!ref)
		return "not in the reference";
	tol = compare_limit(b->compare, a, &a->sum->plan);
	if (!sum_plan_equal(&a->sum->plan, &ref->plan) || sum_compare(ref, a->sum, &tol, &d, NULL))
		return "other shape";
	return d.verdict == SUM_EQUAL	   ? "equal"
	       : d.verdict == SUM_ROUNDING ? "rounding"
					   : "differs";
}

static json_t *array_json(const struct reference_view *b, const struct sums_array *a)
{
	const struct sum_result *ref = reference_of(b, a);
	char id[600];
	json_t *o = json_pack("{s:o s:o s:s s:s s:o}", "name", out_json_text(a->name), "id",
			      out_json_text(sums_array_id(a, id, sizeof(id))), "held",
			      a->kind == ARRAY_REPLICATED ? "replicated" : "distributed", "verdict",
			      verdict(b, a, ref), "ranks", ask_ranks(&a->ranks));

	if (a->sum) {
		json_object_set_new(o, "mean", mean_json(a->sum));
		json_object_set_new(o, "count", json_integer((json_int_t)a->sum->all.count));
		json_object_set_new(o, "hash", json_sprintf("%016" PRIx64, a->sum->all.hash));
		put_extremes(o, a->sum);
		json_object_set_new(o, "blocks", json_integer(a->sum->plan.blocks));
	} else {
		json_object_set_new(o, "text", out_json_text(a->failed ? a->failed : ""));
	}
	if (ref)
		json_object_set_new(o, "reference", mean_json(ref));
	return o;
}

static void put_arrays(json_t *list, const struct reference_view *b, const struct sums_point *p,
		       const char *name, unsigned kind)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->array[i].kind == kind &&
		    (!name ||
		     array_name_is(p->array[i].name, name, true, names_fortran(p->array[i].file))))
			json_array_append_new(list, array_json(b, &p->array[i]));
}

/* Until the checksums of the point where the ranks stand are there. */
static void await(struct session *s)
{
	int64_t until = loop_now() + 1000 * (int64_t)settings_number(s->set, "QUERY_TIMER");

	while (checker_awaits(s->checker) && loop_now() < until && !loop_interrupted(s->loop))
		loop_turn(s->loop, TURN_MS);
	until = loop_now() + TASK_MS;
	while (checker_may_await(s->checker) && loop_now() < until && !loop_interrupted(s->loop))
		loop_turn(s->loop, TURN_MS);
}

/* The newest point of the task where ranks of who stand, else of all. NULL: there is none. */
static const struct sums_point *newest(struct session *s, const struct rankset *who)
{
	const struct groups *stops = s->job ? job_stops(s->job) : NULL;
	const struct sums_point *at;

	for (size_t i = 0; stops && i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (rankset_meets(&stops->group[i].ranks, who) && !report_stop_get(&r, &b) &&
		    r.point.sub && (at = checker_at(s->checker, &r.point)))
			return at;
	}
	return checker_last(s->checker);
}

/* Why there is none of that name (NULL: of anything) at the point where the ranks stand. */
static int nothing(struct session *s, const struct sums_point *p, const struct rankset *who,
		   const char *name, struct err *err)
{
	const struct point *before = p && name ? checker_summed_at(s->checker, name) : NULL;
	struct fetch_objects found = { 0 };
	char at[POINT_TEXT], then[POINT_TEXT];
	int rc = 0;

	if (!p)
		return err_set(err, "sums: no checksums have been taken; type level CHECKSUM, "
				    "record or compare before the program starts");
	point_format(&p->point, at);
	if (before)
		return err_set(err,
			       "sums: there is no checksum of %s at %s; the newest is that of %s",
			       name, at, point_format(before, then));
	if (name && s->job && !fetch_names(s, name, who, &found, NULL))
		rc = found.n	      ? fields_unnamed(&found, name, err)
		     : found.silent.n ? 0
				      : fetch_unknown(s, name, who, err);
	fetch_objects_clear(&found);
	return rc ? err_prefix(err, "sums")
		  : err_set(err, "sums: there is no checksum of %s at %s, and was none before",
			    name ? name : "anything", at);
}

json_t *sums_answer(struct session *s, const struct rankset *who, const char *name, struct err *err)
{
	struct reference_view view = { .checker = s->checker };
	const struct sums_point *last;
	struct sums_point *objects;
	json_t *list, *o;
	char at[POINT_TEXT];

	await(s);
	last = newest(s, who);
	if (!last) {
		nothing(s, NULL, who, name, err);
		return NULL;
	}
	objects = checker_objects(s->checker, err);
	if (!objects)
		return NULL;
	view.compare = checker_comparison(s->checker);
	if (view.compare)
		view.point = reference_point(checker_reference(s->checker), &last->point, NULL);
	list = json_array();
	put_arrays(list, &view, last, name, ARRAY_DISTRIBUTED);
	put_arrays(list, &view, objects, name, ARRAY_REPLICATED);
	sums_point_destroy(objects);
	if (!json_array_size(list)) {
		json_decref(list);
		nothing(s, last, who, name, err);
		return NULL;
	}
	o = json_pack("{s:s s:s s:o s:s s:o}", "type", "sums", "point",
		      point_format(&last->point, at), "where", out_json_text(last->where),
		      "construct", construct_words(last->kind), "list", list);
	if (view.compare)
		json_object_set_new(o, "reference",
				    out_json_text(reference_dir(checker_reference(s->checker))));
	return o;
}
