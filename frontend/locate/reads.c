/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Without a reference, and before one is made: a loop of the program alone that reads halo which is
 * not as its owner is, which the loop itself does not renew, and from which it computes something
 * that the rank owns. A short run from beginning to beginning finds loops that may; in a second one
 * these are traced, and show the elements that they really read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/traceindex/traceindex.h"
#include "common/tracereport/tracereport.h"
#include "frontend/launch/launch.h"
#include "frontend/locate/internal.h"
#include "frontend/marks/marks.h"
#include "frontend/model/findings.h"
#include "frontend/output/text.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/verify/verify.h"

#define MOST_POINTS 400
#define NO_HALOS 12  /* constructs after which there are none to come */
#define SUMS_MS 2000 /* for what a loop reads to be reported */
#define MOST_TRIES 3 /* … with fewer marks */
#define MOST_MS 4000 /* for all of the first run, and between two points of both */
#define MOST_LOOPS 8 /* that are traced … */
#define MOST_SHIFTED 16 /* points at which registrations are doubted */
#define MOST_FAR 40  /* … within so many constructs */
#define ROUNDING 1e-9

/* A stale side of a rank's halo that the loop reads and does not renew. */
struct held {
	const struct halo_entry *e;	/* borrowed from the loop's report */
	const struct halo_kept *kept;	/* … too */
	uint64_t count[ARRAY_DIMS], all; /* elements */
	double most;			/* the largest that its owners have */
};

/* A loop that may read stale halos. */
struct suspect_loop {
	struct point point; /* its beginning */
	char where[300];
	struct halo_report begin;
	struct held *held; /* owned */
	size_t nheld;
};

struct reads {
	struct locate *l;
	char *top;
	int lock;  /* holds that */
	char *dir; /* of the last run: one that ends later may still finish its own */
	unsigned runs, looked;
	struct checker_only only; /* the arrays of these loops … */
	bool all;		  /* … are not known */
	struct suspect_loop loop[MOST_LOOPS];
	size_t n;
};

/* ---- a loop's reads of what the rank does not own, in traces ---- */

void locate_foreign_reads(struct trace_index *t, uint32_t file, const struct point *loop,
			  bool (*fn)(void *arg, const struct locate_read *r), void *arg)
{
	struct ref_parts p;
	bool more = true;

	ref_parts_whole(&p, t, file, loop);
	while (more && ref_parts_next(&p))
		for (uint32_t i = 0; i < p.scope->nacc && more; i++) {
			const struct trace_acc *a = &p.seg->s.acc[p.scope->acc + i];
			struct locate_read r = { .parts = &p, .at = i, .acc = a };

			if (a->flags & (TRACE_ACC_WRITE | TRACE_ACC_OWN))
				continue;
			r.object =
				object_id_get(t->idents, (unsigned)(a->key >> TRACE_KEY_BITS));
			if (!r.object || r.object->desc.kind != ARRAY_DISTRIBUTED)
				continue;
			object_id_index(r.object, a->key & TRACE_KEY_MASK, r.index, &r.within);
			more = fn(arg, &r);
		}
	ref_parts_end(&p);
}

/* ---- … of halos that are reported ---- */

struct marking {
	struct locate_halo *h;
	uint32_t rank;
};

static bool mark(void *arg, const struct locate_read *r)
{
	const struct marking *m = arg;
	const struct array_desc *a = &r->object->desc;

	for (size_t i = 0; i < m->h->n; i++) {
		const struct halo_entry *e = m->h->reported[i].e;
		bool in = e->rank == m->rank && !strcmp(e->name, a->name) &&
			  e->counter == a->counter;

		for (unsigned d = 0; in && d < e->ndim; d++)
			in = r->index[d] >= halo_lo_here(e, d) && r->index[d] <= halo_hi_here(e, d);
		if (in)
			m->h->reported[i].read = HALO_READ;
	}
	return true;
}

/* No limits leave out iterations. */
static bool is_whole(const struct locate *l)
{
	static const char *const limits[] = { "Ig_left", "Ig_right", "Iloc_left", "Iloc_right" };

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (settings_number(l->s->set, limits[i]) >= 0)
			return false;
	return true;
}

void locate_mark_reads(struct locate_traced *t)
{
	struct locate_halo *h = &t->l->halo;
	struct marking m = { .h = h };
	struct point begin = t->l->m->point;

	if (!h->n || begin.sub || begin.task || !t->again || !is_whole(t->l) ||
	    !locate_traces_open(t))
		return;
	begin.side = POINT_BEGIN;
	for (uint32_t f = 0; f < trace_index_files(t->now_traces); f++)
		if (trace_index_cut(t->now_traces, f, &begin))
			return;
	for (size_t i = 0; i < h->n; i++)
		h->reported[i].read = HALO_UNREAD;
	for (uint32_t f = 0; f < trace_index_files(t->now_traces); f++) {
		m.rank = t->now_traces->file[f].rank;
		locate_foreign_reads(t->now_traces, f, &begin, mark, &m);
	}
}

/* ---- the first run: which loops may read stale halos ---- */

/* A directory for the next run; borrowed. */
static const char *next_dir(struct reads *x)
{
	free(x->dir);
	x->dir = xasprintf("%s/%u", x->top, x->runs++);
	return x->dir;
}

/* A loop that says nothing of what it reads may read anything. */
static bool reads_array(const struct sums_point *p, const struct halo_entry *e, bool *announced)
{
	*announced = false;
	for (size_t i = 0; i < p->n; i++) {
		if (!(p->array[i].flags & POINT_SUMS_READ))
			continue;
		*announced = true;
		if (!strcmp(p->array[i].name, e->name) && p->array[i].counter == e->counter)
			return true;
	}
	return !*announced;
}

/* What the loop at whose end r stands reads, once the ranks have reported it; NULL: that is
 * unknown. */
static const struct sums_point *reads_at(struct second *r, const struct point *p)
{
	struct session *s = second_session(r);
	int64_t until = loop_now() + SUMS_MS;
	const struct sums_point *at;

	while ((checker_awaits(s->checker) || checker_may_await(s->checker)) &&
	       loop_now() < until && !loop_interrupted(s->loop))
		loop_turn(s->loop, 20);
	at = checker_at(s->checker, p);
	return at && point_compare(&at->point, p) == POINT_EQUAL ? at : NULL;
}

/* What was kept of the side of e. */
static const struct halo_kept *kept_of(const struct halo_report *r, const struct halo_entry *e)
{
	for (size_t i = 0; i < r->nkept; i++)
		if (r->kept[i].rank == e->rank && !strcmp(r->kept[i].array, e->array) &&
		    !memcmp(r->kept[i].side, e->side, sizeof(e->side)))
			return &r->kept[i];
	return NULL;
}

static const struct halo_entry *entry_like(const struct halo_report *r, const struct halo_entry *e)
{
	for (size_t i = 0; i < r->n; i++)
		if (!halo_order(&r->entry[i], e))
			return &r->entry[i];
	return NULL;
}

static void hold(struct suspect_loop *k, const struct halo_entry *later)
{
	const struct halo_entry *e = entry_like(&k->begin, later);
	struct held h = { .e = e, .all = 1 };
	size_t size;

	h.kept = e ? kept_of(&k->begin, e) : NULL;
	if (!h.kept)
		return;
	for (unsigned d = 0; d < e->ndim; d++) {
		h.count[d] = (uint64_t)(h.kept->hi[d] - h.kept->lo[d] + 1);
		h.all *= h.count[d];
	}
	size = h.kept->n / h.all;
	for (uint64_t i = 0; i < h.all && e->type < VALUE_TYPES && size == value_size(e->type);
	     i++) {
		struct value v = value_load(e->type, h.kept->halo + h.kept->n + i * size);

		if (h.kept->halo[2 * h.kept->n + i] && v.class == VALUE_IS_REAL &&
		    fabs(v.re) > h.most)
			h.most = fabs(v.re);
	}
	k->held[k->nheld++] = h;
}

static void forget(struct suspect_loop *k)
{
	halo_report_clear(&k->begin);
	free(k->held);
	*k = (struct suspect_loop){ .nheld = 0 };
}

/* Of loops at one place the first counts. */
static bool is_known(const struct reads *x, const char *where)
{
	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->loop[i].where, where))
			return true;
	return false;
}

/* The loop at whose beginning r stands: it may read stale halo, and does not set it before. */
static void look(struct reads *x, struct second *r, struct suspect_loop *k)
{
	struct session *s = second_session(r);
	struct halo_report end = { .n = 0 };
	struct point p = k->point;
	const struct sums_point *at;
	bool announced = true;

	if (x->looked++ < MOST_SHIFTED && !x->l->nshifted)
		locate_look_registered(x->l, s);
	p.side = POINT_END;
	at = locate_on(x->l, r, &p) ? NULL : reads_at(r, &p);
	if (at && !is_known(x, at->where) && !halo_check_again(s, &k->begin, &end, NULL)) {
		k->held = xcalloc(end.n + 1, sizeof(*k->held));
		for (size_t i = 0; i < end.n; i++)
			if (!end.entry[i].renewed && reads_array(at, &end.entry[i], &announced))
				hold(k, &end.entry[i]);
	}
	for (size_t i = 0; k->nheld && i < at->n; i++)
		if (at->array[i].kind == ARRAY_DISTRIBUTED)
			x->all |= !locate_add_name(&x->only, at->array[i].name);
	x->all |= k->nheld && !announced;
	if (k->nheld) {
		snprintf(k->where, sizeof(k->where), "%s", at->where);
		x->n++;
	} else {
		forget(k);
	}
	halo_report_clear(&end);
}

/* Marks that were found, and that the run cannot take: parts that are not where they say. True:
 * some are gone now. */
static bool drop_unfit(struct locate *l, const struct session *s)
{
	json_t *all = findings_list(s->findings, false), *f;
	const char *kind = finding_kind_key(FINDING_REGISTER);
	bool any = false;
	size_t i;

	json_array_foreach(json_object_get(all, "list"), i, f)
	{
		const char *text = out_str(f, "detail"), *colon = strstr(text, ": ");
		char name[300];

		if (!l->spec->automatic || !colon || strcmp(out_str(f, "kind"), kind) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
		if (!marks_drop_array(l->s->marks_file, name))
			continue;
		locate_note(l, "the marks of %s are left out: %s", name, colon + 2);
		any = true;
	}
	json_decref(all);
	return any;
}

/* False: marks were left out, so it is to be done once more. */
static bool find_loops(struct reads *x)
{
	struct point p = { .main = 1, .side = POINT_BEGIN };
	int64_t until = loop_now() + MOST_MS;
	struct second *r = locate_alone(x->l, next_dir(x), NULL, &p, NULL);
	bool some = false, unfit;

	for (unsigned i = 0; r && i < MOST_POINTS && x->n < MOST_LOOPS && loop_now() < until; i++) {
		struct suspect_loop *k = &x->loop[x->n];

		if ((i && locate_on(x->l, r, &p)) ||
		    (x->n && p.main > x->loop[0].point.main + MOST_FAR))
			break;
		*k = (struct suspect_loop){ .point = p };
		if (halo_check_again(second_session(r), NULL, &k->begin, NULL))
			break;
		some |= k->begin.arrays || k->begin.unowned;
		if (!some && i >= NO_HALOS)
			break;
		if (k->begin.n)
			look(x, r, k);
		else
			forget(k);
		p.main++;
	}
	unfit = r && drop_unfit(x->l, second_session(r));
	second_retire(x->l->s, r);
	return !unfit;
}

/* ---- the second: what they read ---- */

/* What of a stale halo is read. */
struct stale_read {
	const struct suspect_loop *loop;
	const struct halo_entry *e;
	bool used;  /* the same iteration sets something that the rank owns */
	uint64_t n; /* such reads of that halo */
	int64_t first[ARRAY_DIMS];
	char place[300], sets[300];
};

struct graded {
	struct reads *x;
	struct trace_index *t;
	uint32_t file;
	const struct suspect_loop *k;
	struct stale_read best;
};

/* Beyond rounding. */
static bool far(double a, double b, double most)
{
	return isnan(a) != isnan(b) || (!isnan(a) && !(fabs(a - b) <= ROUNDING * most));
}

/* What was read of element `at` of the side is what the halo had, and not what its owner had. */
static bool differs(const struct held *h, uint64_t at, const struct locate_read *r)
{
	size_t size = h->kept->n / h->all, n = r->acc->size > 8 ? 8 : r->acc->size;
	const unsigned char *halo = h->kept->halo + at * size + r->within, *own = halo + h->kept->n;
	unsigned type = object_id_type(r->object, r->within, r->acc->size);

	if (r->within + n > size || !h->kept->halo[2 * h->kept->n + at] || !memcmp(halo, own, n) ||
	    memcmp(halo, &r->acc->value, n) != 0)
		return false;
	if (type >= VALUE_TYPES || value_class(type) != VALUE_IS_REAL || value_size(type) != n)
		return true;
	return far(value_load(type, halo).re, value_load(type, own).re, h->most);
}

/* The stale side that the read is of; NULL: of none. */
static const struct held *held_of(const struct graded *j, const struct locate_read *r)
{
	const struct array_desc *a = &r->object->desc;

	for (size_t i = 0; i < j->k->nheld; i++) {
		const struct held *h = &j->k->held[i];
		uint64_t at = 0;
		bool in = h->e->rank == j->t->file[j->file].rank && !strcmp(h->e->name, a->name) &&
			  h->e->counter == a->counter;

		for (unsigned d = 0; in && d < h->e->ndim; d++) {
			in = r->index[d] >= halo_lo_here(h->e, d) &&
			     r->index[d] <= halo_hi_here(h->e, d);
			at = at * h->count[d] + (uint64_t)(r->index[d] - h->kept->lo[d]);
		}
		if (in && differs(h, at, r))
			return h;
	}
	return NULL;
}

/*
 * The element of its own that the rank sets in the iteration after the read; false: it sets none,
 * and *other says whether it sets what it does not own instead.
 */
static bool sets_own(const struct graded *j, const struct locate_read *r, char out[300],
		     bool *other)
{
	const struct ref_parts *p = r->parts;

	*other = false;
	for (uint32_t i = r->at + 1; i < p->scope->nacc; i++) {
		const struct trace_acc *a = &p->seg->s.acc[p->scope->acc + i];
		const struct object_id *o =
			object_id_get(j->t->idents, (unsigned)(a->key >> TRACE_KEY_BITS));
		int64_t g[ARRAY_DIMS] = { 0 };
		uint32_t within;

		if (!(a->flags & TRACE_ACC_WRITE) || !o || o->desc.kind != ARRAY_DISTRIBUTED)
			continue;
		*other = true;
		if (!(a->flags & TRACE_ACC_OWN) || p->scope->kind != TRACE_SCOPE_ITER)
			continue;
		object_id_index(o, a->key & TRACE_KEY_MASK, g, &within);
		diff_element(o->desc.name, (uint8_t)o->desc.order, o->desc.ndim, g, out, 300);
		return true;
	}
	return false;
}

static void put_place(struct graded *j, const struct locate_read *r)
{
	struct trace_block *b = ref_block_load(j->t, r->parts->at.file, r->parts->at.block);
	struct trace_spot spot = { .nbuild_id = 0 };

	if (!b)
		return;
	inspect_spot(&spot, b, r->acc->site, TRACE_NONE);
	trace_spot_text(j->x->l->s->symbols, &spot, j->best.place, sizeof(j->best.place));
	trace_block_free(b);
}

/* One that is used says more than one that may not be. */
static bool take_read(void *arg, const struct locate_read *r)
{
	struct graded *j = arg;
	struct stale_read *b = &j->best;
	const struct held *h = held_of(j, r);
	char sets[300] = "";
	bool used, other;

	if (!h)
		return true;
	used = sets_own(j, r, sets, &other);
	/* it computes other halo from it */
	if (!used && other && r->parts->scope->kind == TRACE_SCOPE_ITER)
		return true;
	if (b->e && (b->used > used || (b->used == used && (b->e != h->e || b->loop != j->k)))) {
		return true;
	}
	if (!b->e || used > b->used) {
		*b = (struct stale_read){ .loop = j->k, .e = h->e, .used = used };
		memcpy(b->first, r->index, sizeof(b->first));
		strcpy(b->sets, sets);
		put_place(j, r);
	}
	b->n++;
	return true;
}

/* The loops in a run that is traced; false: they read nothing that was stale. */
static bool grade(struct reads *x, struct stale_read *out)
{
	struct graded j = { .x = x };
	struct point end = x->loop[x->n - 1].point;
	struct second *r;

	end.side = POINT_END;
	x->only.level = TRACE_CONFIG_FULL;
	if (x->all)
		x->only.nname = 0;
	r = locate_alone(x->l, next_dir(x), &x->loop[0].point, &end, &x->only);
	if (!r)
		return false;
	checker_over(second_session(r)->checker);
	second_retire(x->l->s, r);
	j.t = trace_index_open(x->dir, 0, NULL);
	for (size_t i = 0; j.t && i < x->n && !j.best.used; i++) {
		j.k = &x->loop[i];
		for (j.file = 0; j.file < trace_index_files(j.t); j.file++)
			locate_foreign_reads(j.t, j.file, &j.k->point, take_read, &j);
	}
	/* texts are in the report, not in the traces */
	trace_index_close(j.t);
	*out = j.best;
	return out->n;
}

/* In a sentence. */
static void put_text(const struct stale_read *r, const char *element, json_t *o)
{
	char at[POINT_TEXT];
	char *text =
		xasprintf("the loop at %s reads %s on rank %u%s%s, which at %s is not what its "
			  "owner, rank %u, has (%llu read%s of that halo)%s%s%s",
			  r->loop->where, element, r->e->rank, *r->place ? " at " : "", r->place,
			  point_format(&r->loop->point, at), r->e->owner, (unsigned long long)r->n,
			  r->n == 1 ? "" : "s", r->used ? ", and then sets " : "", r->sets,
			  r->used ? " in the same iteration" : "");

	json_object_set_new(o, "text", out_json_text(text));
	free(text);
}

static json_t *read_json(const struct stale_read *r)
{
	const struct halo_entry *e = r->e;
	char side[100], element[300], at[POINT_TEXT];
	json_t *o = json_pack("{s:o s:o s:i s:i s:s s:I s:s s:o s:o}", "array",
			      out_json_text(e->array), "element",
			      out_json_text(diff_element(e->name, e->order, e->ndim, r->first,
							 element, sizeof(element))),
			      "rank", (int)e->rank, "owner", (int)e->owner, "side",
			      halo_side(e, side, sizeof(side)), "reads", (json_int_t)r->n, "point",
			      point_format(&r->loop->point, at), "where",
			      out_json_text(r->loop->where), "place", out_json_text(r->place));

	json_object_set_new(o, "grade",
			    json_string(slice_grade_word(r->used ? SLICE_LIKELY : SLICE_POSSIBLE)));
	if (r->used)
		json_object_set_new(o, "sets", out_json_text(r->sets));
	put_text(r, element, o);
	return o;
}

/* Shown at once; the reference then says whether the answer depends on it. */
static void show(const struct locate *l, const struct stale_read *r)
{
	if (r->used)
		out_note(l->s->out,
			 "%s. A wrong answer is likely; the reference shows whether it is",
			 out_str(l->stale_read, "text"));
}

bool locate_harmless(const struct locate *l)
{
	return l->verdict == LOCATE_EQUAL || l->verdict == LOCATE_ROUNDING;
}

json_t *locate_stale_cause(const struct locate *l)
{
	const json_t *r = l->stale_read;
	const char *sets = out_str(r, "sets"), *name = l->m->id.name;
	size_t n = name ? strlen(name) : 0; /* of a construct none */
	struct point at;
	char text[LOCATE_TEXT];

	/* what was computed from it is what is wrong, then or later */
	if (!r || !n || strncmp(sets, name, n) != 0 || !strchr("([", sets[n]) ||
	    point_parse(&at, out_str(r, "point"), NULL) || point_sort(&at, &l->m->point) > 0)
		return NULL;
	snprintf(text, sizeof(text),
		 "the halo of %s from rank %lld was stale when %s read %s on rank %lld",
		 out_str(r, "array"), (long long)out_int(r, "owner"), out_str(r, "place"),
		 out_str(r, "element"), (long long)out_int(r, "rank"));
	return out_json_text(text);
}

static bool is_hooked(const char *path)
{
	struct program p = { 0 };
	bool hooked = !program_open(&p, path, NULL) && (p.hooked || p.hooked_library);

	program_clear(&p);
	return hooked;
}

void locate_stale_reads(struct locate *l)
{
	struct reads x = { .l = l };
	struct err err = { "" };
	struct stale_read found = { .n = 0 };

	if (l->s->spec.n < 2 || !is_hooked(l->s->spec.argv[0]))
		return;
	x.top = locate_temporary(&x.lock, &err);
	if (!x.top)
		return;
	l->quick_ms = MOST_MS;
	for (unsigned i = 0; i < MOST_TRIES && !find_loops(&x); i++) {
		while (x.n)
			forget(&x.loop[--x.n]);
		x.only = (struct checker_only){ 0 };
		x.all = false;
	}
	if (x.n && !l->nshifted && !l->interrupted && grade(&x, &found)) {
		l->stale_read = read_json(&found);
		show(l, &found);
	}
	l->quick_ms = 0;
	for (size_t i = 0; i < x.n; i++)
		forget(&x.loop[i]);
	locate_remove(x.top, x.lock);
	free(x.dir);
	free(x.top);
}
