/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watched values: the ranks notice by themselves that something has changed; what, is found out
 * here by comparison with what was there before.
 */
#include "frontend/action/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/logical/construct.h"
#include "frontend/model/ask.h"
#include "frontend/data/fetch.h"
#include "frontend/data/fields.h"
#include "frontend/data/owners.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/data/value_json.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define MOST 1000000 /* elements whose values are kept */
#define TOLD 10	     /* changes that are shown */
#define JOINED 100   /* of which equal ones of several ranks become one */

static void seen_clear(struct action_seen *x)
{
	rankset_clear(&x->ranks);
	free(x->bytes);
	free(x->missing);
}

static void values_empty(struct action_values *v)
{
	for (size_t i = 0; i < v->n; i++)
		seen_clear(&v->seen[i]);
	free(v->seen);
	v->seen = NULL;
	v->n = 0;
}

void action_values_clear(struct action *a)
{
	for (struct action_values *v = a->values, *next; v; v = next) {
		next = v->next;
		values_empty(v);
		rankset_clear(&v->placed);
		rankset_clear(&v->asked);
		free(v);
	}
	a->values = NULL;
}

struct action_values *action_values_of(struct action *a, uint32_t id)
{
	struct action_values *v = a->values;

	while (v && v->id != id)
		v = v->next;
	if (v)
		return v;
	v = xcalloc(1, sizeof(*v));
	v->id = id;
	v->next = a->values;
	a->values = v;
	return v;
}

static int fetch(struct action *a, const struct watch *w, const struct rankset *who,
		 struct fetched *out, struct err *err)
{
	struct section sec = { .ndim = w->ndim };

	for (unsigned d = 0; d < w->ndim; d++) {
		sec.dim[d].first = w->first[d];
		sec.dim[d].last = w->last[d];
		sec.dim[d].step = w->step[d];
		sec.dim[d].scalar = w->first[d] == w->last[d];
		sec.dim[d].open_first = w->first[d] == INT64_MIN;
		sec.dim[d].open_last = w->last[d] == INT64_MAX;
	}
	if (w->native)
		return action_native_fetch(a, w, who, out, err);
	return fetch_large(a->s, w->name, w->ndim ? &sec : NULL, who, MOST, out, err);
}

static bool distributed(const struct fetched *f)
{
	return f->desc.kind == ARRAY_DISTRIBUTED && f->desc.ndim;
}

/* Keeps one group; -1: out of memory. */
static int keep_group(struct action_values *v, const struct rankset *ranks,
		      const unsigned char *bytes, const unsigned char *missing)
{
	struct action_seen *grown = xrealloc(v->seen, (v->n + 1) * sizeof(*grown)), *x;
	size_t size = v->total * v->elem_size;

	v->seen = grown;
	x = &grown[v->n];
	*x = (struct action_seen){ .bytes = malloc(size + 1),
				   .missing = missing ? malloc(v->total) : NULL };
	if (!x->bytes || (missing && !x->missing)) {
		seen_clear(x);
		return -1;
	}
	xrankset_copy(&x->ranks, ranks);
	memcpy(x->bytes, bytes, size);
	if (missing)
		memcpy(x->missing, missing, v->total);
	v->n++;
	return 0;
}

/* As a command that fails: a batch does not end with success. */
static void fails(const struct action *a)
{
	if (a->s->batch)
		outcome_add(a->s->outcome, OUTCOME_ERROR);
}

/* For lack of memory the values are not known: the next change of them is not seen. */
static void report_unkept(const struct action *a, const char *name, const char *why)
{
	out_error(a->s->out,
		  "watch %s: the values that it has now could not be kept: %s; the next change of "
		  "them is not shown",
		  name, why);
	fails(a);
}

/* Elements of a distributed object that have come take the place of what was kept. */
static void keep_pieces(struct action_values *v, const struct fetched *f)
{
	struct action_seen *x = &v->seen[0];

	for (uint64_t i = 0; i < v->total; i++) {
		if (f->missing && f->missing[i])
			continue;
		memcpy(x->bytes + i * v->elem_size, f->q.group[0].bytes + i * v->elem_size,
		       v->elem_size);
		if (x->missing)
			x->missing[i] = 0;
	}
	xrankset_add_set(&x->ranks, &f->q.group[0].ranks);
}

/* -1: some are lost for lack of memory. */
static int keep(struct action_values *v, const struct fetched *f)
{
	uint64_t total = values_total(&f->q);
	size_t kept = 0;
	int rc = 0;

	if (v->total != total || v->elem_size != f->q.elem_size)
		values_empty(v);
	v->total = total;
	v->elem_size = f->q.elem_size;
	if (distributed(f) && v->n && f->q.n) {
		keep_pieces(v, f);
		return 0;
	}
	for (size_t g = 0; g < f->q.n; g++)
		for (size_t i = 0; i < v->n; i++)
			xrankset_remove_set(&v->seen[i].ranks, &f->q.group[g].ranks);
	for (size_t i = 0; i < v->n; i++) {
		if (v->seen[i].ranks.n)
			v->seen[kept++] = v->seen[i];
		else
			seen_clear(&v->seen[i]);
	}
	v->n = kept;
	for (size_t g = 0; g < f->q.n; g++)
		rc |= keep_group(v, &f->q.group[g].ranks, f->q.group[g].bytes, f->missing);
	return rc;
}

/* The indices of element i of what was fetched. */
static void element_index(const struct fetched *f, uint64_t i, int64_t *index)
{
	for (unsigned d = f->section.ndim; d--;) {
		uint64_t n = section_count(&f->section, d);

		index[d] = section_index(&f->section, d, n ? i % n : 0);
		i /= n ? n : 1;
	}
}

/* "u[3][4]", "u(3,4)" for element i of what was fetched; the object alone when it is one. */
static const char *element(const struct fetched *f, const char *name, uint64_t i, char *out,
			   size_t size)
{
	int64_t index[ARRAY_DIMS];

	element_index(f, i, index);
	return names_element(fields_label(&f->desc, name), f->desc.order == 'F', f->section.ndim,
			     index, out, size);
}

/* A number that has changed on ranks. */
struct change {
	char *element; /* owned */
	json_t *old, *new;
	const char *kind;
	struct rankset ranks;
	uint64_t at; /* bytes */
};

/* Changes that are found; `kept` of n are here. */
struct changes {
	struct change *item; /* owned */
	size_t kept;
	uint64_t last; /* the highest place of those that are kept */
	uint64_t n;
	unsigned char *counted; /* owned; a bit for each byte: a number there has changed */
	struct owner *owner; /* owned; of a distributed object: what each of the finders owns */
	size_t nowner;
};

static void change_clear(struct change *x)
{
	free(x->element);
	json_decref(x->old);
	json_decref(x->new);
	rankset_clear(&x->ranks);
}

static void changes_clear(struct changes *c)
{
	for (size_t i = 0; i < c->kept; i++)
		change_clear(&c->item[i]);
	free(c->item);
	free(c->counted);
	owners_free(c->owner, c->nowner);
}

static int by_place(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return rankset_next(&a->ranks, 0) < rankset_next(&b->ranks, 0) ? -1 : 1;
}

static json_t *changes_json(const struct changes *c)
{
	json_t *list = json_array();

	if (c->kept)
		qsort(c->item, c->kept, sizeof(*c->item), by_place);
	for (size_t i = 0; i < c->kept && i < TOLD; i++) {
		const struct change *x = &c->item[i];

		json_array_append_new(list, json_pack("{s:o s:o s:O s:O s:s}", "ranks",
						      ask_ranks(&x->ranks), "element",
						      out_json_text(x->element), "old", x->old,
						      "new", x->new, "kind", x->kind));
	}
	return list;
}

/* Takes it over; an equal one of other ranks is the same. */
static void change_add(struct changes *c, struct change *x)
{
	for (size_t i = 0; i < c->kept; i++) {
		struct change *to = &c->item[i];

		if (to->at != x->at || !json_equal(to->old, x->old) || !json_equal(to->new, x->new))
			continue;
		xrankset_add_set(&to->ranks, &x->ranks);
		change_clear(x);
		return;
	}
	c->n++;
	*xvec_add(c->item, c->kept) = *x;
}

/* Whether it is the first change of the number at that byte. */
static bool is_first(struct changes *c, uint64_t at)
{
	unsigned char bit = (unsigned char)(1u << at % 8);
	bool is = !(c->counted[at / 8] & bit);

	c->counted[at / 8] |= bit;
	return is;
}

/* Those of ranks that own element i; all of them when it is not known. */
static void ranks_of(const struct fetched *f, const struct changes *c, uint64_t i,
		     const struct rankset *ranks, struct rankset *own)
{
	int64_t index[ARRAY_DIMS];

	element_index(f, i, index);
	for (size_t k = 0; k < c->nowner; k++) {
		const struct owner *x = &c->owner[k];
		bool owns = x->desc.ndim == f->section.ndim;

		for (unsigned d = 0; owns && d < x->desc.ndim; d++)
			owns = array_local(&x->desc, d, index[d]) >= 0;
		if (owns)
			xrankset_add(own, x->rank, x->rank);
	}
	if (!own->n)
		xrankset_copy(own, ranks);
}

/* A number of the elements that are compared: of structures that of a field, or its text. */
struct number {
	unsigned type;
	const char *field; /* ".x"; "": the element itself */
	int64_t index;	   /* in the field, if that is an array; -1 */
	size_t at, size;   /* bytes */
	bool text;
};

static json_t *value_of(const struct number *x, const unsigned char *element)
{
	const char *text = (const char *)element + x->at;
	json_t *o;
	char *quoted;

	if (!x->text)
		return value_json(x->type, text);
	quoted = xasprintf("\"%.*s\"", (int)strnlen(text, x->size), text);
	o = out_json_text(quoted);
	free(quoted);
	return o;
}

/* It differs in element i. */
static void add_change(const struct fetched *f, const char *name, uint64_t i,
		       const struct number *x, const unsigned char *old, const unsigned char *new,
		       const struct rankset *ranks, struct changes *c)
{
	char text[400], index[32] = "";
	struct change y = { .kind = x->text ? "text" : value_type_name(x->type),
			    .at = i * f->q.elem_size + x->at };
	bool first = is_first(c, y.at);

	/* each group comes in this order */
	if (c->kept >= JOINED && (first || y.at > c->last)) {
		c->n += first;
		return;
	}
	c->last = y.at > c->last ? y.at : c->last;
	if (x->index >= 0)
		snprintf(index, sizeof(index), "[%" PRId64 "]", x->index);
	y.element = xasprintf("%s%s%s%s", element(f, name, i, text, sizeof(text)),
			      !*x->field || strchr(".%([", *x->field) ? "" : ".", x->field, index);
	y.old = value_of(x, old);
	y.new = value_of(x, new);
	ranks_of(f, c, i, ranks, &y.ranks);
	change_add(c, &y);
}

/* The numbers of an element that differ. */
static void compare_element(const struct fetched *f, const char *name, uint64_t i,
			    const unsigned char *old, const unsigned char *new,
			    const struct rankset *ranks, struct changes *c)
{
	struct number x = { .type = f->q.type, .field = "", .index = -1, .size = f->q.elem_size };

	if (f->q.type != VALUE_STRUCT)
		add_change(f, name, i, &x, old, new, ranks, c);
	for (uint32_t k = 0; f->q.type == VALUE_STRUCT && k < f->q.nfield; k++) {
		const struct array_field *field = &f->q.field[k];
		uint32_t n = field->count;

		x = (struct number){ .type = field->type,
				     .field = field->name,
				     .index = -1,
				     .size = value_size(field->type),
				     .text = n > 1 && field->type == VALUE_CHAR };
		if (x.text)
			x.size = n, n = 1;
		for (uint32_t j = 0; j < n; j++) {
			x.at = field->offset + j * x.size;
			x.index = n > 1 ? (int64_t)j : -1;
			if (memcmp(old + x.at, new + x.at, x.size))
				add_change(f, name, i, &x, old, new, ranks, c);
		}
	}
}

static void compare(const struct fetched *f, const char *name, const struct values_group *g,
		    const struct action_seen *old, const struct rankset *ranks, struct changes *c)
{
	uint64_t total = values_total(&f->q);

	for (uint64_t i = 0; i < total; i++) {
		size_t at = i * f->q.elem_size;

		if (!(f->missing && f->missing[i]) && !(old->missing && old->missing[i]) &&
		    memcmp(g->bytes + at, old->bytes + at, f->q.elem_size))
			compare_element(f, name, i, old->bytes + at, g->bytes + at, ranks, c);
	}
}

/* Compares with what was kept of the same ranks. */
static void find_changes(const struct action_values *v, const struct fetched *f, const char *name,
			 const struct rankset *who, struct changes *c)
{
	if (v->total != values_total(&f->q) || v->elem_size != f->q.elem_size)
		return;
	c->counted = xcalloc(v->total * v->elem_size / 8 + 1, 1);
	for (size_t g = 0; g < f->q.n; g++)
		for (size_t i = 0; i < v->n; i++) {
			struct rankset part = { 0 };

			if (distributed(f))
				xrankset_copy(&part, who);
			else {
				xrankset_copy(&part, &f->q.group[g].ranks);
				xrankset_intersect(&part, &v->seen[i].ranks);
			}
			if (part.n)
				compare(f, name, &f->q.group[g], &v->seen[i], &part, c);
			rankset_clear(&part);
		}
}

void action_write_put(struct session *s, const struct report_stop *r, json_t *o)
{
	json_t *write;

	if (r->reason != STOP_WRITE)
		return;
	write = json_object();
	if (!*r->place.module)
		json_object_set_new(write, "by", json_string("?"));
	else if (r->code)
		json_object_set_new(write, "by", json_string("thread"));
	ask_put_place(s, write, &r->place);
	if (r->frame.kind < CONSTRUCT_KINDS && !r->code)
		ask_put_iteration(write, &r->frame);
	json_object_set_new(o, "write", write);
}

static json_t *answer(struct action *a, const struct actionpoint *ap,
		      const struct action_stop *stop, const struct rankset *who)
{
	char point[POINT_TEXT];
	json_t *o = json_pack("{s:s s:I s:o s:s s:o}", "type", "watch", "id",
			      (json_int_t)ap->rule.id, "watch", out_json_text(ap->text), "point",
			      point_format(&stop->r.point, point), "ranks", ask_ranks(who));

	action_write_put(a->s, &stop->r, o);
	if (stop->r.reason != STOP_WRITE && stop->r.frame.kind == CONSTRUCT_SL &&
	    !stop->r.frame.ending) {
		ask_put_place(a->s, o, &stop->r.frame.place);
		ask_put_iteration(o, &stop->r.frame);
	}
	return o;
}

/* Whether the condition is not false for those of the stop; without one it is true. */
static bool holds(struct action *a, const struct actionpoint *ap, const struct action_stop *stop)
{
	struct action_stop part = { .r = stop->r };
	bool yes = true;

	if (ap->cond) {
		xrankset_copy(&part.ranks, &stop->ranks);
		action_vote(a, ap, &part);
		yes = part.real.n > 0;
	}
	rankset_clear(&part.ranks);
	rankset_clear(&part.real);
	return yes;
}

/* The object is not there any more: nothing is left to be watched, unless it is a variable of a
 * call, that others are still in. */
static void lose(struct action *a, struct actionpoint *ap, const struct action_stop *stop,
		 const struct rankset *who)
{
	json_t *o = answer(a, ap, stop, who);
	struct action_values *v = action_values_of(a, ap->rule.id);

	json_object_set_new(o, "gone", json_true());
	if (ap->watch.native)
		xrankset_remove_set(&v->placed, who);
	if (v->placed.n)
		json_object_set_new(o, "left", ask_ranks(&v->placed));
	out_answer(a->s->out, o);
	if (v->placed.n)
		return;
	ap->enabled = false;
	if (v)
		values_empty(v);
	action_send(a->s);
}

/* Nobody of who has registered the object. */
static bool is_gone(struct action *a, const struct watch *w, const struct rankset *who)
{
	struct fetch_objects objects;
	bool gone;

	if (w->native)
		return true;
	if (fetch_names(a->s, w->name, who, &objects, NULL))
		return false;
	gone = !objects.n && !objects.silent.n;
	fetch_objects_clear(&objects);
	return gone;
}

/* Whether it is a reason to stay. */
static bool look(struct action *a, struct actionpoint *ap, struct action_stop *stop,
		 const struct rankset *who)
{
	struct action_values *v = action_values_of(a, ap->rule.id);
	struct changes c = { .n = 0 };
	struct err err = { "" };
	struct fetched f;
	bool real;
	json_t *o;

	if (fetch(a, &ap->watch, who, &f, &err)) {
		if (err.code != ERR_MEMORY && is_gone(a, &ap->watch, who)) {
			lose(a, ap, stop, who);
			return false;
		}
		/* too large, or ranks that do not answer: that it has changed is all that is known
		 */
		o = answer(a, ap, stop, who);
		json_object_set_new(o, "text", out_json_text(err.text));
		if (err.code == ERR_MEMORY)
			fails(a);
		out_answer(a->s->out, o);
		xrankset_add_set(&stop->real, &stop->ranks);
		return true;
	}
	if (distributed(&f))
		owners_of(a->s, f.field ? f.desc.name : ap->watch.name, who, &c.owner, &c.nowner,
			  NULL);
	if (v)
		find_changes(v, &f, ap->watch.name, who, &c);
	real = c.n && holds(a, ap, stop);
	if (real) {
		o = answer(a, ap, stop, who);
		json_object_set_new(o, "list", changes_json(&c));
		if (c.n > TOLD)
			json_object_set_new(o, "more", json_integer((json_int_t)(c.n - TOLD)));
		out_answer(a->s->out, o);
		xrankset_add_set(&stop->real, &stop->ranks);
	}
	if (v && keep(v, &f))
		report_unkept(a, ap->watch.name, "out of memory");
	changes_clear(&c);
	fetched_clear(&f);
	return real;
}

static bool says_changed(const struct report_stop *r, uint32_t id)
{
	for (unsigned i = 0; i < r->nact; i++)
		if (r->act[i] == id)
			return r->changed >> i & 1;
	return false;
}

/* All ranks that stand at that point and have found a change. */
static void finders(const struct action *a, uint32_t id, const struct point *p, struct rankset *out)
{
	const struct groups *stops = job_stops(a->s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && r.reason == STOP_POINT && says_changed(&r, id) &&
		    !memcmp(&r.point, p, sizeof(*p)))
			xrankset_add_set(out, &stops->group[i].ranks);
	}
}

/* The comparison for all of them at once, where all come to the same point; else for this stop. */
static bool inspect_once(struct action *a, struct actionpoint *ap, struct action_stop *stop)
{
	struct action_mark *done = action_mark_find(&a->inspected, ap->rule.id, &stop->r.point);
	struct rankset who = { 0 };
	bool real;

	if (action_common(&stop->r))
		finders(a, ap->rule.id, &stop->r.point, &who);
	else if (says_changed(&stop->r, ap->rule.id))
		xrankset_copy(&who, &stop->ranks);
	if (done && action_common(&stop->r))
		xrankset_remove_set(&who, &done->ranks);
	if (!who.n)
		return false;
	while ((done = action_mark_find(&a->inspected, ap->rule.id, NULL)) &&
	       point_compare(&done->point, &stop->r.point) != POINT_EQUAL)
		action_marks_drop(&a->inspected, done);
	if (stop->r.reason != STOP_WRITE)
		action_mark_add(&a->inspected, ap->rule.id, &stop->r.point, &who);
	real = look(a, ap, stop, &who);
	rankset_clear(&who);
	return real;
}

void action_watch(struct action *a, struct actionpoint *ap, struct action_stop *stop)
{
	bool stays = action_decided(a, ap, stop), real = inspect_once(a, ap, stop);

	if (real && action_common(&stop->r) && !(ap->stop && !*ap->stop))
		action_decide(a, ap, stop);
	if (stays)
		xrankset_add_set(&stop->real, &stop->ranks);
	if (!real && !stays)
		action_mark_add(&a->quiet, ap->rule.id, NULL, &stop->ranks);
}

void action_watch_begin(struct action *a, const struct actionpoint *ap)
{
	struct rankset who = { 0 };
	struct err err = { "" };
	struct fetched f;

	if (!a || !a->s->job || action_trigger(a, ap, &who) ||
	    rankset_intersect(&who, job_set(a->s->job, JOB_STOPPED)) || !who.n) {
		rankset_clear(&who);
		return;
	}
	if (!fetch(a, &ap->watch, &who, &f, &err)) {
		if (keep(action_values_of(a, ap->rule.id), &f))
			report_unkept(a, ap->watch.name, "out of memory");
		fetched_clear(&f);
	} else if (err.code == ERR_MEMORY) {
		report_unkept(a, ap->watch.name, err.text);
	}
	rankset_clear(&who);
}

void action_assigned(struct action *a)
{
	for (size_t i = 0; a && i < actionpoints_count(a->s->acts); i++) {
		const struct actionpoint *ap = actionpoints_at(a->s->acts, i);

		if (ap->kind == ACT_WATCH && ap->enabled)
			action_watch_begin(a, ap);
	}
}
