/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locate has found, as an answer.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/checksum/checksum.h"
#include "frontend/model/ask.h"
#include "frontend/verify/verify.h"
#include "frontend/locate/internal.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xrankset.h"

#define CONTEXT 3 /* lines before and behind */

static json_t *value_json(unsigned type, const struct value *v)
{
	char text[VALUE_TEXT];

	return json_string(value_format(type, v, 0, text));
}

static json_t *point_json(const struct point *p)
{
	char text[POINT_TEXT];

	return p->main ? json_string(point_format(p, text)) : json_null();
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The whole path of a file that frames of the stack are in; else its base name again. */
const char *locate_path(const struct locate *l, const char *name)
{
	json_t *f, *v;
	size_t i, k;

	json_array_foreach(json_object_get(l->stack, "frames"), i, f)
	{
		json_array_foreach(json_object_get(f, "variants"), k, v)
		{
			const char *file = json_string_value(json_object_get(v, "file"));

			if (file && !strcmp(base(file), name))
				return file;
		}
	}
	return name;
}

/* The lines around the construct's, the last ":" of where is before the number. */
static json_t *source_json(struct locate *l)
{
	const char *where = l->m->where, *colon = strrchr(where, ':');
	const struct source_file *f;
	struct err err = { "" };
	json_t *list;
	char name[512];
	long line;

	if (!colon || !l->s->shell)
		return NULL;
	line = strtol(colon + 1, NULL, 10);
	snprintf(name, sizeof(name), "%.*s", (int)(colon - where), where);
	f = source_find(l->s->shell->source, locate_path(l, name),
			settings_text(l->s->set, "SOURCE_PATH"),
			l->s->job ? job_path(l->s->job) : NULL, &err);
	if (!f || line < 1 || (uint32_t)line > f->n)
		return NULL;
	list = json_array();
	for (long i = line > CONTEXT ? line - CONTEXT : 1; i <= line + CONTEXT && i <= (long)f->n;
	     i++)
		json_array_append_new(list, json_pack("{s:I s:o s:b}", "line", (json_int_t)i,
						      "text", out_json_text(f->line[i - 1]),
						      "current", i == line));
	return list;
}

/* The innermost sequential loop around the construct: "iteration 6 of the loop at heat.c:52". */
void locate_put_iteration(const json_t *stack, json_t *o, const char *key, const char *loop)
{
	json_t *frames = json_object_get(stack, "frames"), *f;
	size_t i;

	json_array_foreach(frames, i, f)
	{
		json_t *v = json_array_get(json_object_get(f, "variants"), 0);
		const char *kind = json_string_value(json_object_get(v, "construct"));
		const char *file = json_string_value(json_object_get(v, "file"));
		json_t *index = json_object_get(v, "iteration");
		json_int_t line;
		char text[300];

		if (!kind || strcmp(kind, construct_brief(CONSTRUCT_SL)) || !json_array_size(index))
			continue;
		line = json_integer_value(json_object_get(v, "line"));
		snprintf(text, sizeof(text), line ? "%s:%lld" : "%s", file ? base(file) : "?",
			 (long long)line);
		json_object_set(o, key, index);
		json_object_set_new(o, loop, out_json_text(text));
		return;
	}
}

/* Whose copies are wrong. */
static void put_ranks(struct locate *l, json_t *o)
{
	struct rankset ranks = { 0 };
	char text[VALUE_TEXT];

	if (l->m->kind == MISMATCH_COPIES) {
		locate_wrong_ranks(l->m, &ranks);
		if (ranks.n)
			json_object_set_new(o, "ranks", ask_ranks(&ranks));
	}
	rankset_clear(&ranks);
	if (l->m->truth && l->m->plan.total == 1)
		json_object_set_new(
			o, "reference_value",
			out_json_text(compare_sum_text(l->m->truth, text, sizeof(text))));
	else if (l->m->truth)
		json_object_set_new(o, "reference_mean", json_real(sum_mean(l->m->truth, 0)));
}

/* The object could not be looked at: traces may know an element and its rank. */
static void put_traced(struct locate *l, json_t *o)
{
	const json_t *write = json_object_get(l->trace, "write");
	const char *name = l->m->id.name;
	const char *element = json_string_value(json_object_get(write, "element"));

	if (l->m->kind == MISMATCH_VALUE && element && strcspn(element, "[(") == strlen(name) &&
	    !strncmp(element, name, strlen(name))) {
		json_object_set_new(o, "element", out_json_text(element));
		json_object_set(o, "rank", json_object_get(write, "rank"));
	} else {
		json_object_set_new(o, "element", out_json_text(name));
	}
	if (l->m->kind == MISMATCH_VALUE)
		json_object_set_new(o, "means", json_pack("[f, f]", l->m->ref[0], l->m->now[0]));
}

static void put_values(struct locate *l, json_t *o)
{
	const struct locate_values *v = &l->values;
	const struct diff *d = &v->diff;
	const char *name = l->m->id.name;
	uint8_t order = l->m->id.order;
	unsigned ndim = v->now.desc.ndim, type = v->now.q.type;
	char text[400];

	put_ranks(l, o);
	if (!v->there) {
		put_traced(l, o);
		return;
	}
	if (v->now.field)
		ndim = v->now.section.ndim;
	json_object_set_new(
		o, "element",
		out_json_text(diff_element(name, order, ndim, d->first, text, sizeof(text))));
	if (l->m->kind != MISMATCH_COPIES || l->m->truth)
		json_object_set_new(o, "reference_value", value_json(type, &d->first_ref));
	json_object_set_new(o, "value", value_json(type, &d->first_now));
	json_object_set_new(o, "differ", json_integer((json_int_t)d->differ));
	json_object_set_new(o, "rounding", json_integer((json_int_t)d->rounding));
	json_object_set_new(o, "total", json_integer((json_int_t)l->m->plan.total));
	json_object_set_new(o, "largest",
			    isfinite(d->largest) ? json_real(d->largest) : json_string("inf"));
	json_object_set_new(
		o, "worst",
		out_json_text(diff_element(name, order, ndim, d->worst, text, sizeof(text))));
	json_object_set_new(o, "worst_reference", value_json(type, &d->worst_ref));
	json_object_set_new(o, "worst_value", value_json(type, &d->worst_now));
	if (d->shape && ndim)
		json_object_set_new(o, "shape", out_json_text(d->shape));
	if (d->first_owner != UINT32_MAX)
		json_object_set_new(o, "rank", json_integer(d->first_owner));
	if (d->owners.n)
		json_object_set_new(o, "ranks", ask_ranks(&d->owners));
}

static json_t *halo_json(const struct halo_entry *e, const struct point *since)
{
	char side[100], first[300];
	json_t *o = json_pack("{s:o s:i s:i s:s s:I s:I}", "array", out_json_text(e->array), "rank",
			      (int)e->rank, "owner", (int)e->owner, "side",
			      halo_side(e, side, sizeof(side)), "differ", (json_int_t)e->differ,
			      "total", (json_int_t)e->total);

	json_object_set_new(o, "element",
			    out_json_text(diff_element(e->array, e->order, e->ndim, e->first, first,
						       sizeof(first))));
	json_object_set_new(o, "since", point_json(since));
	return o;
}

static bool same_side(const struct halo_entry *a, const struct halo_entry *b)
{
	return !strcmp(a->array, b->array) && !memcmp(a->side, b->side, sizeof(a->side));
}

/* Whose values the first of the side's halos has that has those of others. */
static void put_astray(const struct locate *l, size_t i, json_t *o)
{
	const struct locate_halo *h = &l->halo;
	const struct locate_astray *a = NULL;
	char rule[LOCATE_RULE];

	for (size_t k = i; k < h->n && !a; k++)
		if (same_side(h->reported[k].e, h->reported[i].e))
			a = locate_astray_of(l, h->reported[k].e);
	if (!a)
		return;
	json_object_set_new(o, "holds", out_json_text(locate_astray_text(a, rule)));
	json_object_set_new(o, "found", json_integer((json_int_t)a->found));
	json_object_set_new(o, "stale", json_integer((json_int_t)a->stale));
	json_object_set_new(o, "on", json_integer(a->e->rank));
	if (a->from != a->e->owner)
		json_object_set_new(o, "from", json_integer(a->from));
}

/* One side of an array on all ranks; NULL: an earlier entry is of it. */
static json_t *side_json(const struct locate *l, size_t i)
{
	const struct locate_halo *h = &l->halo;
	const struct halo_entry *first = h->reported[i].e;
	struct rankset ranks = { 0 }, owners = { 0 };
	json_int_t differ = 0, total = 0;
	bool read = false, known = true;
	char side[100];
	json_t *o;

	for (size_t k = 0; k < h->n; k++) {
		const struct halo_entry *e = h->reported[k].e;

		if (!same_side(e, first))
			continue;
		if (k < i) {
			rankset_clear(&ranks);
			rankset_clear(&owners);
			return NULL;
		}
		xrankset_add(&ranks, e->rank, e->rank);
		xrankset_add(&owners, e->owner, e->owner);
		differ += (json_int_t)e->differ;
		total += (json_int_t)e->total;
		read |= h->reported[k].read == HALO_READ;
		known &= h->reported[k].read != HALO_UNKNOWN;
	}
	o = json_pack("{s:o s:s s:o s:o s:I s:I s:o}", "array", out_json_text(first->array), "side",
		      halo_side(first, side, sizeof(side)), "ranks", ask_ranks(&ranks), "owners",
		      ask_ranks(&owners), "differ", differ, "total", total, "since",
		      point_json(&h->reported[i].since));
	if (known)
		json_object_set_new(o, "read", json_boolean(read));
	put_astray(l, i, o);
	rankset_clear(&ranks);
	rankset_clear(&owners);
	return o;
}

static void put_halos(struct locate *l, json_t *o)
{
	const struct locate_halo *h = &l->halo;
	json_t *list, *sides;

	if (!h->asked)
		return;
	list = json_array();
	sides = json_array();
	for (size_t i = 0; i < h->n; i++) {
		json_t *side = side_json(l, i);

		json_array_append_new(list, halo_json(h->reported[i].e, &h->reported[i].since));
		if (side)
			json_array_append_new(sides, side);
	}
	json_object_set_new(o, "stale_halos", list);
	json_object_set_new(o, "stale_sides", sides);
	if (h->n && h->corners && h->reported[0].read == HALO_UNKNOWN) {
		json_object_set_new(o, "corners", json_integer((json_int_t)h->corners));
		json_object_set_new(o, "corner_elements",
				    json_integer((json_int_t)h->corner_elements));
	}
	json_object_set_new(o, "reads_known", json_boolean(h->reads));
	json_object_set_new(o, "halo_elements",
			    json_integer(h->refuted ? 0 : (json_int_t)h->begin.elements));
	json_object_set_new(o, "halo_beyond", json_boolean(locate_beyond(&l->values)));
}

/* Traces have no write of it. */
static bool is_left(const struct locate *l)
{
	const json_t *kind = json_object_get(json_object_get(l->trace, "write"), "kind");
	const char *word = kind ? json_string_value(kind) : "";

	return !strcmp(word, finding_kind_key(FINDING_UNWRITTEN)) ||
	       !strcmp(word, finding_kind_key(FINDING_MISSING));
}

/* What the first wrong element was where the construct begins. */
static void put_begin(struct locate *l, json_t *o)
{
	const struct locate_values *v = &l->values;
	struct point begin = l->m->point;

	if (!v->began)
		return;
	begin.side = POINT_BEGIN;
	json_object_set_new(o, "begin", point_json(&begin));
	json_object_set_new(o, "begin_reference", value_json(v->now.q.type, &v->first_ref_begin));
	json_object_set_new(o, "begin_value", value_json(v->now.q.type, &v->first_now_begin));
	json_object_set_new(o, "spoilt", json_boolean(v->spoilt));
	json_object_set_new(o, "unwritten", json_boolean(v->unwritten));
	json_object_set_new(o, "left", json_boolean(v->unwritten && is_left(l)));
}

/* Others that mismatch too, at this point or later. */
static json_t *others_json(struct locate *l)
{
	const struct compare *c = checker_comparison(l->s->checker);
	json_t *list = json_array();

	for (size_t i = 0; c && i < compare_count(c); i++) {
		const struct mismatch *m = compare_mismatch(c, i);

		if (m != l->m && m->kind != MISMATCH_CONSTRUCT && !locate_passed_over(l, m))
			json_array_append_new(list, json_pack("{s:o s:o s:o}", "array",
							      out_json_text(m->id.name), "point",
							      point_json(&m->point), "text",
							      out_json_text(m->text)));
	}
	return list;
}

/* "the halo of u from rank 1 was stale", by the values alone; NULL: nothing says so. */
static json_t *by_halo(const struct locate *l)
{
	const struct halo_entry *e = l->halo.cause;
	char text[300];

	if (!e)
		return NULL;
	if (e->rank == l->values.diff.first_owner)
		snprintf(text, sizeof(text), "the halo of %s from rank %u was stale", e->array,
			 e->owner);
	else
		snprintf(text, sizeof(text), "the halo of %s was stale on rank %u", e->array,
			 e->rank);
	return out_json_text(text);
}

static void add_cause(json_t *list, enum slice_grade g, json_t *text)
{
	json_array_append_new(list,
			      json_pack("{s:s s:o}", "grade", slice_grade_word(g), "text", text));
}

/* What may be the cause, the surest first; of what is not the same in each run nothing is said. */
static void put_causes(struct locate *l, json_t *o)
{
	json_t *list, *halo = l->because && l->grade == SLICE_PROVED ? NULL : by_halo(l);
	enum slice_grade g = l->halo.sure ? SLICE_LIKELY : SLICE_POSSIBLE;

	/* what is elsewhere than is thought says nothing; of runs that are not the same each time
	 * the traced one may show what waits are missing for */
	if (l->nshifted || (locate_varies(l) && !l->early)) {
		json_decref(halo);
		if (!l->nshifted && l->because && l->about & LOCATE_STALE) {
			list = json_array();
			add_cause(list, SLICE_POSSIBLE,
				  json_sprintf("in the traced run %s", l->because));
			json_object_set(o, "grade",
					json_object_get(json_array_get(list, 0), "grade"));
			json_object_set_new(o, "causes", list);
		}
		return;
	}
	list = json_array();
	if (halo && l->because && g > l->grade)
		add_cause(list, g, halo);
	if (l->because)
		add_cause(list, l->grade, out_json_text(l->because));
	if (halo && !(l->because && g > l->grade)) {
		if (l->because && l->about & LOCATE_HALO)
			json_decref(halo);
		else
			add_cause(list, g, halo);
	}
	halo = json_array_size(list) ? NULL : locate_stale_cause(l);
	if (halo)
		add_cause(list, SLICE_LIKELY, halo);
	if (l->because && l->grade == SLICE_PROVED)
		json_object_set_new(o, "because", out_json_text(l->because));
	if (json_array_size(list)) {
		json_object_set(o, "grade", json_object_get(json_array_get(list, 0), "grade"));
		json_object_set_new(o, "causes", list);
	} else {
		json_decref(list);
	}
	if (l->chain)
		json_object_set(o, "chain", l->chain);
}

static void set_if(json_t *o, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(o, key, value);
}

static void put_mismatch(struct locate *l, json_t *o)
{
	static const char *const kinds[] = {
		[MISMATCH_VALUE] = "value",	    [MISMATCH_COPIES] = "copies",
		[MISMATCH_CONSTRUCT] = "construct", [MISMATCH_SHAPE] = "shape",
		[MISMATCH_PARTS] = "parts",	    [MISMATCH_ABSENT] = "absent"
	};
	const struct mismatch *m = l->m;
	char id[512];

	json_object_set_new(o, "kind", json_string(kinds[m->kind]));
	json_object_set_new(o, "text", out_json_text(m->text));
	json_object_set_new(o, "point", point_json(&m->point));
	json_object_set_new(o, "previous", point_json(&m->previous));
	json_object_set_new(o, "between", json_boolean(m->between));
	json_object_set_new(o, "gone", json_boolean(m->gone));
	json_object_set_new(o, "finish", json_boolean(m->finish));
	if (m->finish)
		json_object_set_new(o, "last", point_json(&m->last));
	if (m->between)
		json_object_set_new(o, "after", point_json(&m->after));
	json_object_set_new(o, "construct", json_string(construct_words(m->construct)));
	json_object_set_new(o, "where", out_json_text(m->where));
	json_object_set_new(o, "function", out_json_text(m->func ? m->func : ""));
	if (!l->elsewhere)
		locate_put_iteration(l->stack, o, "iteration", "loop");
	if (l->stack_before)
		locate_put_iteration(l->stack_before, o, "iteration_before", "loop_before");
	if (m->kind != MISMATCH_CONSTRUCT) {
		json_object_set_new(o, "array", out_json_text(m->id.name));
		json_object_set_new(o, "id", out_json_text(sums_array_id(&m->id, id, sizeof(id))));
		if (l->ambiguous) {
			locate_name(m, id, sizeof(id));
			/* as halos are reported */
			if (!m->id.counter && strrchr(id, '#'))
				*strrchr(id, '#') = '\0';
			json_object_set_new(o, "label", out_json_text(id));
		}
		json_object_set_new(o, "replicated", json_boolean(m->id.kind == ARRAY_REPLICATED));
		put_values(l, o);
	}
	if (m->copies.n)
		json_object_set_new(o, "copies", locate_copies_json(l));
	if (l->parts)
		json_object_set(o, "parts", l->parts);
	if (m->kind == MISMATCH_PARTS)
		json_object_set_new(o, "total", json_integer((json_int_t)m->plan.total));
	put_halos(l, o);
	put_begin(l, o);
	put_causes(l, o);
	set_if(o, "source", source_json(l));
	if (l->stack)
		json_object_set(o, "stack", l->stack);
	json_object_set_new(o, "others", others_json(l));
	if (l->trace)
		json_object_set(o, "trace", l->trace);
	if (l->values.image)
		json_object_set_new(o, "image", out_json_text(l->spec->image));
}

static json_t *shifted_json(const struct locate *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->nshifted; i++)
		json_array_append_new(list, out_json_text(l->shifted[i].text));
	return list;
}

/* How closely it was looked. */
static void put_looked(struct locate *l, json_t *o)
{
	const struct compare_state *c = &l->state;

	json_object_set_new(o, "compared",
			    json_pack("{s:I s:I s:I s:I s:I s:I s:I s:I}", "points",
				      (json_int_t)c->points, "sums", (json_int_t)c->arrays,
				      "arrays", (json_int_t)c->names, "equal", (json_int_t)c->equal,
				      "rounding", (json_int_t)c->rounding, "faults",
				      (json_int_t)c->faults, "skipped", (json_int_t)c->skipped,
				      "elements", (json_int_t)c->ref_elements));
	json_object_set_new(json_object_get(o, "compared"), "last", point_json(&c->last));
	json_object_set_new(json_object_get(o, "compared"), "end", json_boolean(c->finish));
	if (c->rounds)
		json_object_set_new(
			o, "rounding_from",
			json_pack("{s:o s:o s:o s:f}", "point", point_json(&c->rounds_from),
				  "array", out_json_text(c->rounds_array), "where",
				  out_json_text(c->rounds_where), "most", c->rounds_most));
	checker_put_small(o, c);
	checker_put_tolerance(o, c, l->s->set);
}

/* Whether what was found was there again. */
static void put_again(json_t *o, const char *key, enum locate_again again)
{
	if (again != AGAIN_UNKNOWN)
		json_object_set_new(o, key, json_boolean(again == AGAIN_SAME));
}

/* Lines that were printed with other numbers. */
static json_t *printed_json(struct locate *l)
{
	const char *line[2], *number[2];
	json_t *list = json_array();

	for (size_t i = 0; i < checker_printed(l->s->checker, i, line, number); i++)
		json_array_append_new(list, json_pack("{s:o s:o s:o s:o}", "reference",
						      out_json_text(line[0]), "line",
						      out_json_text(line[1]), "reference_number",
						      out_json_text(number[0]), "number",
						      out_json_text(number[1])));
	return list;
}

json_t *locate_report(struct locate *l)
{
	static const char *const words[] = {
		[LOCATE_EQUAL] = "equal",	[LOCATE_ROUNDING] = "rounding",
		[LOCATE_MISMATCH] = "mismatch", [LOCATE_BLIND] = "nothing to compare",
		[LOCATE_FAILED] = "failed",	[LOCATE_INTERRUPTED] = "interrupted",
		[LOCATE_PRINTED] = "printed",	[LOCATE_PARTED] = "parted",
		[LOCATE_TRACED] = "traced"
	};
	json_t *o = json_pack("{s:s s:s s:i s:i s:i s:f s:I s:I}", "type", "locate", "verdict",
			      words[l->verdict], "reference_ranks", l->ref_ranks, "program_ranks",
			      l->s->spec.n ? l->s->spec.n : 1, "runs", (int)l->runs, "seconds",
			      (double)(loop_now() - l->begun) / 1000, "reference_bytes",
			      (json_int_t)l->bytes, "reference_points", (json_int_t)l->points);

	if (l->spec->threads) {
		json_object_set_new(o, "reference_threads", json_integer(l->spec->ref_threads));
		json_object_set_new(o, "program_threads", json_integer(l->spec->threads));
	}
	if (!l->top && l->dir)
		json_object_set_new(o, "reference", out_json_text(l->dir));
	if (l->interrupted)
		json_object_set_new(o, "interrupted", out_json_text(l->stage ? l->stage : ""));
	if (l->nshifted)
		json_object_set_new(o, "shifted", shifted_json(l));
	if (l->stale_read)
		json_object_set(o, "stale_read", l->stale_read);
	set_if(o, "parted", json_incref(l->parted));
	if (l->spec->all)
		json_object_set_new(o, "all", json_true());
	set_if(o, "failure", l->failure ? out_json_text(l->failure) : NULL);
	if (l->m)
		put_mismatch(l, o);
	set_if(o, "finding", json_incref(l->traced));
	if (l->races) {
		json_object_set(o, "races", l->races);
		json_object_set_new(o, "race_count", json_integer((json_int_t)l->nraces));
	}
	if (l->bare)
		json_object_set_new(o, "reference_is_trace", json_true());
	if (l->verdict == LOCATE_PRINTED)
		json_object_set_new(o, "printed", printed_json(l));
	set_if(o, "set_by", l->set_by ? out_json_text(l->set_by) : NULL);
	put_again(o, "reference_again", l->ref_again);
	put_again(o, "again", l->now_again);
	put_looked(l, o);
	json_object_set_new(o, "hints", locate_hints(l));
	json_object_set(o, "notes", l->notes);
	return o;
}
