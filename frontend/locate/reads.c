/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Without a reference: a loop of the program alone that reads halo which is not as its owner is,
 * and which the loop itself does not renew. A run from beginning to beginning finds the loop; in a
 * second one it is traced, and shows the elements that it really reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/traceindex/traceindex.h"
#include "common/tracereport/tracereport.h"
#include "frontend/launch/launch.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/verify/verify.h"

#define MOST_POINTS 1000
#define SUMS_MS 5000 /* for what a loop reads to be reported */
#define MOST_MS 20000
#define MOST_LOOPS 4 /* that are traced */
#define MOST_SHIFTED 16 /* points at which registrations are doubted */

/* A loop that may read stale halos, and those. */
struct suspect_loop {
	struct point point; /* its beginning */
	char where[300];
	struct halo_report begin;
	struct checker_only only; /* the arrays that it reads, with stale halos */
};

struct reads {
	struct locate *l;
	char *top;
	int lock;  /* holds that */
	char *dir; /* of the last run: one that ends later may still finish its own */
	unsigned runs, looked;
	struct suspect_loop loop[MOST_LOOPS];
	size_t n;
};

/* A directory for the next run; borrowed. */
static const char *next_dir(struct reads *x)
{
	free(x->dir);
	x->dir = xasprintf("%s/%u", x->top, x->runs++);
	return x->dir;
}

static bool reads_array(const struct sums_point *p, const struct halo_entry *e)
{
	for (size_t i = 0; p && i < p->n; i++)
		if (p->array[i].flags & POINT_SUMS_READ && !strcmp(p->array[i].name, e->name) &&
		    p->array[i].counter == e->counter)
			return true;
	return false;
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

/* The loop at whose beginning r stands: it may read stale halo, and does not set it before. */
static void look(struct reads *x, struct second *r, struct point *p)
{
	struct session *s = second_session(r);
	struct suspect_loop *k = &x->loop[x->n];
	struct halo_report end = { .n = 0 };
	const struct sums_point *at;

	*k = (struct suspect_loop){ .point = *p, .only.level = TRACE_CONFIG_FULL };
	if (halo_check_again(s, NULL, &k->begin, NULL) || !k->begin.n) {
		halo_report_clear(&k->begin);
		return;
	}
	if (x->looked++ < MOST_SHIFTED && !x->l->nshifted)
		x->l->nshifted = halo_shifted(s, x->l->shifted);
	p->side = POINT_END;
	at = locate_on(x->l, r, p) ? NULL : reads_at(r, p);
	if (at && halo_check_again(s, &k->begin, &end, NULL))
		at = NULL;
	for (size_t i = 0; at && i < end.n; i++)
		if (!end.entry[i].renewed && reads_array(at, &end.entry[i]))
			locate_add_name(&k->only, end.entry[i].name);
	if (k->only.nname) {
		snprintf(k->where, sizeof(k->where), "%s", at->where);
		x->n++;
	} else {
		halo_report_clear(&k->begin);
	}
	halo_report_clear(&end);
}

static void find_loops(struct reads *x)
{
	struct point p = { .main = 1, .side = POINT_BEGIN };
	struct second *r = locate_alone(x->l, next_dir(x), &p, NULL);
	int64_t until = loop_now() + MOST_MS;

	for (unsigned i = 0; r && i < MOST_POINTS && x->n < MOST_LOOPS && loop_now() < until; i++) {
		if (i && locate_on(x->l, r, &p))
			break;
		look(x, r, &p);
		p = (struct point){ .main = p.main + 1, .side = POINT_BEGIN };
	}
	second_retire(x->l->s, r);
}

/* What of the stale halo is read. */
struct stale_read {
	const struct halo_entry *e;
	uint64_t n;
	int64_t first[ARRAY_DIMS];
	char place[300];
};

/* Whether the element of the rank's halo was stale: its entry. */
static const struct halo_entry *stale_entry(const struct halo_report *r, uint32_t rank,
					    const struct array_desc *a, const int64_t *g)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct halo_entry *e = &r->entry[i];
		bool in = e->rank == rank && !strcmp(e->name, a->name) &&
			  e->counter == a->counter && e->differ == e->total;

		for (unsigned d = 0; in && d < e->ndim; d++)
			in = g[d] >= e->lo[d] && g[d] <= e->hi[d];
		if (in)
			return e;
	}
	return NULL;
}

static void put_place(struct reads *x, struct trace_index *t, const struct ref_parts *p,
		      const struct trace_acc *a, struct stale_read *out)
{
	struct trace_block *b = ref_block_load(t, p->at.file, p->at.block);
	struct trace_spot spot = { .nbuild_id = 0 };

	if (!b)
		return;
	inspect_spot(&spot, b, a->site, TRACE_NONE);
	trace_spot_text(x->l->s->symbols, &spot, out->place, sizeof(out->place));
	trace_block_free(b);
}

/* The reads of one rank; the first that reads of a stale halo is the one that is reported. */
static void take_file(struct reads *x, const struct suspect_loop *k, struct trace_index *t,
		      uint32_t file, struct stale_read *out)
{
	struct ref_parts p;

	ref_parts_whole(&p, t, file, &k->point);
	while (ref_parts_next(&p)) {
		for (uint32_t i = 0; i < p.scope->nacc; i++) {
			const struct trace_acc *a = &p.seg->s.acc[p.scope->acc + i];
			const struct object_id *o =
				object_id_get(t->idents, (unsigned)(a->key >> TRACE_KEY_BITS));
			int64_t g[ARRAY_DIMS] = { 0 };
			const struct halo_entry *e;
			uint32_t within;

			if (a->flags & (TRACE_ACC_WRITE | TRACE_ACC_OWN) || !o)
				continue;
			object_id_index(o, a->key & TRACE_KEY_MASK, g, &within);
			e = stale_entry(&k->begin, t->file[file].rank, &o->desc, g);
			if (!e || (out->e && out->e != e))
				continue;
			if (!out->n++) {
				out->e = e;
				memcpy(out->first, g, sizeof(g));
				put_place(x, t, &p, a, out);
			}
		}
	}
	ref_parts_end(&p);
}

/* The loop in a run that is traced; false: it reads nothing that was stale. */
static bool judge(struct reads *x, const struct suspect_loop *k, struct stale_read *out)
{
	struct point end = k->point;
	struct trace_index *t;
	struct second *r;

	*out = (struct stale_read){ .n = 0 };
	end.side = POINT_END;
	r = locate_alone(x->l, next_dir(x), &end, &k->only);
	if (!r)
		return false;
	checker_over(second_session(r)->checker);
	second_retire(x->l->s, r);
	t = trace_index_open(x->dir, 0, NULL);
	for (uint32_t f = 0; t && f < trace_index_files(t) && !out->n; f++)
		take_file(x, k, t, f, out);
	/* texts are in the report, not in the traces */
	trace_index_close(t);
	return out->n;
}

static json_t *read_json(const struct suspect_loop *k, const struct stale_read *r)
{
	const struct halo_entry *e = r->e;
	char side[100], element[300], at[POINT_TEXT];

	return json_pack("{s:o s:o s:i s:i s:s s:I s:s s:o s:o}", "array", out_json_text(e->array),
			 "element",
			 out_json_text(diff_element(e->name, e->order, e->ndim, r->first, element,
						    sizeof(element))),
			 "rank", (int)e->rank, "owner", (int)e->owner, "side",
			 halo_side(e, side, sizeof(side)), "reads", (json_int_t)r->n, "point",
			 point_format(&k->point, at), "where", out_json_text(k->where), "place",
			 out_json_text(r->place));
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
	struct stale_read found;

	if (l->s->spec.n < 2 || !is_hooked(l->s->spec.argv[0]))
		return;
	x.top = locate_temporary(&x.lock, &err);
	if (!x.top)
		return;
	find_loops(&x);
	for (size_t i = 0; i < x.n && !l->stale_read && !l->nshifted && !l->interrupted; i++)
		if (judge(&x, &x.loop[i], &found))
			l->stale_read = read_json(&x.loop[i], &found);
	for (size_t i = 0; i < x.n; i++)
		halo_report_clear(&x.loop[i].begin);
	locate_remove(x.top, x.lock);
	free(x.dir);
	free(x.top);
}
