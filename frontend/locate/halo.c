/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which stale halos explain what is wrong. A halo that nothing in the loop sets is looked at where
 * the loop begins; one that the loop sets itself, where it ends: there it has to be as its owner
 * was at one of the two. Wrong elements are explained when they are within the halo's width of what
 * is stale; those of a loop that works in place also when they go on from there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/checksum/checksum.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "frontend/job/job.h"
#include "frontend/locate/internal.h"
#include "frontend/reference/reference.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

#define MOST_WRONG ((uint64_t)1 << 20) /* elements of a rank that are looked at */
#define MOST_ARRAYS 64
#define MOST_ELEMENTS ((uint64_t)1 << 22) /* of an array that is fetched */
#define NEAR \
	2 /* so much longer or shorter may an array be that is on the faces between elements */

struct group;

/* A stale halo that may matter. */
struct suspect {
	const struct halo_entry *e;
	struct group *group;
	int map[ARRAY_DIMS]; /* of a dimension of the wrong array: its own, -1: none */
	bool like;	     /* it has the shape of the wrong array */
	bool proof;	     /* the loop sets it, and it is wrong at the end */
	unsigned sides;
	uint64_t hits;	/* wrong elements that it explains */
	uint64_t alone; /* … that no other halo of the array does */
	bool first;	/* … the first of the first rank */
};

/* Those of one array. */
struct group {
	struct suspect *s;
	size_t n;
	bool own;   /* it is the wrong array */
	bool blank; /* what its stale halos hold is zero: nothing has ever set them, perhaps */
	bool proof;
	uint64_t here, all; /* wrong elements that it explains: on the first rank, on all */
	bool end;	    /* … the first or last of the first rank */
	unsigned level;	    /* 2: it is the cause, 1: perhaps, 0: nothing says so */
	double touched;	    /* the part of its stale halos that has wrong elements beside it */
};

struct search {
	struct locate *l;
	const struct sums_point *reads; /* NULL: it is not known what the construct reads */
	const struct array_desc *wrong;
	struct suspect *s;
	size_t n;
	struct group *group;
	size_t ngroup;
	uint64_t here, all, owned; /* wrong elements on the first rank, on all; the first owns */
};

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_array(const struct halo_entry *e, const struct sums_array *a)
{
	return !strcmp(e->name, a->name) && e->counter == a->counter &&
	       !strcmp(e->file, base(a->file)) && e->line == a->line;
}

static bool read_by(const struct sums_point *p, const struct halo_entry *e)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->array[i].flags & POINT_SUMS_READ && is_array(e, &p->array[i]))
			return true;
	return false;
}

static int64_t apart(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* Which dimensions of e are those of the wrong array; false: it has another shape. */
static bool map_dims(struct suspect *s, const struct array_desc *w)
{
	const struct halo_entry *e = s->e;
	unsigned i = 0, mapped = 0;

	for (unsigned j = 0; j < w->ndim; j++) {
		unsigned k = i;

		s->map[j] = -1;
		while (k < e->ndim && apart(e->extent[k], w->extent[j]) > NEAR)
			k++;
		if (k == e->ndim || (k > i && e->ndim <= w->ndim))
			continue;
		s->map[j] = (int)k;
		mapped++;
		i = k + 1;
	}
	for (unsigned k = 0; k < e->ndim; k++) {
		bool there = !e->side[k];

		for (unsigned j = 0; j < w->ndim; j++)
			there |= s->map[j] == (int)k;
		if (!there)
			return false;
	}
	return mapped == (e->ndim < w->ndim ? e->ndim : w->ndim);
}

static int64_t widest(const struct halo_entry *e)
{
	int64_t most = 1;

	for (unsigned d = 0; d < e->ndim; d++) {
		most = e->halo_lo[d] > most ? e->halo_lo[d] : most;
		most = e->halo_hi[d] > most ? e->halo_hi[d] : most;
	}
	return most;
}

/* How far from a stale element in dimension d of it what is computed from it may be. */
static int64_t reach(const struct halo_entry *e, unsigned d)
{
	return e->side[d] < 0 ? e->halo_lo[d] : e->side[d] > 0 ? e->halo_hi[d] : widest(e);
}

/* Of another shape: an element at that edge of what its owner has. */
static bool at_edge(const struct suspect *s, const struct array_desc *own, const int64_t *g)
{
	const struct halo_entry *e = s->e;

	if (e->ndim != own->ndim)
		return false;
	for (unsigned d = 0; d < e->ndim; d++)
		if ((e->side[d] < 0 && g[d] - own->own_lo[d] >= reach(e, d)) ||
		    (e->side[d] > 0 && own->own_hi[d] - g[d] >= reach(e, d)))
			return false;
	return true;
}

/* Whether the element can have been computed from what is stale. */
static bool explains(const struct search *x, const struct suspect *s, const struct array_desc *own,
		     const int64_t *g)
{
	const struct halo_entry *e = s->e;
	const struct array_desc *w = x->wrong;

	if (!s->like)
		return at_edge(s, own, g);
	for (unsigned j = 0; j < w->ndim; j++) {
		int k = s->map[j];
		int64_t at, far;

		if (k < 0)
			continue;
		at = g[j] - w->lower[j] + e->lower[k];
		far = reach(e, (unsigned)k) + apart(e->extent[k], w->extent[j]);
		if (at < halo_lo_here(e, k) - far || at > halo_hi_here(e, k) + far)
			return false;
	}
	return true;
}

/* The same halo at the end of the construct, where it is stale as well; NULL: it is not. */
static const struct halo_entry *at_end(const struct locate_halo *h, const struct halo_entry *e)
{
	size_t lo = 0, hi = h->end.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int o = halo_order(&h->end.entry[mid], e);

		if (!o)
			return &h->end.entry[mid];
		if (o < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static void add_suspect(struct search *x, const struct halo_entry *e, bool proof)
{
	struct suspect *s = &x->s[x->n];

	if (x->reads && !read_by(x->reads, e))
		return;
	*s = (struct suspect){ .e = e, .proof = proof };
	s->like = map_dims(s, x->wrong);
	/* without knowing what is read, another shape says that it has nothing to do with it */
	if (!s->like && !x->reads)
		return;
	for (unsigned d = 0; d < e->ndim; d++)
		s->sides += e->side[d] != 0;
	x->n++;
}

static int by_array(const void *pa, const void *pb)
{
	const struct suspect *a = pa, *b = pb;

	return halo_order(a->e, b->e);
}

static void find_suspects(struct search *x)
{
	const struct locate_halo *h = &x->l->halo;

	x->s = xcalloc(h->begin.n + h->end.n + 1, sizeof(*x->s));
	for (size_t i = 0; i < h->begin.n; i++) {
		const struct halo_entry *e = &h->begin.entry[i], *later = at_end(h, e);

		/* What is no longer stale, or was set, the loop has renewed. */
		if (!h->ended || (later && !later->renewed))
			add_suspect(x, e, false);
	}
	for (size_t i = 0; i < h->end.n; i++) {
		const struct halo_entry *e = &h->end.entry[i];

		if (e->renewed && (e->fresh || e->former < e->differ))
			add_suspect(x, e, true);
	}
	if (x->n)
		qsort(x->s, x->n, sizeof(*x->s), by_array);
}

static bool is_zero(const struct value *v)
{
	bool real = v->class == VALUE_IS_REAL || v->class == VALUE_IS_COMPLEX;

	return real ? v->re == 0 && (v->class == VALUE_IS_REAL || v->im == 0) : !v->i;
}

static void find_groups(struct search *x)
{
	x->group = xcalloc(x->n + 1, sizeof(*x->group));
	for (size_t i = 0; i < x->n; i++) {
		struct suspect *s = &x->s[i];
		struct group *g = x->ngroup ? &x->group[x->ngroup - 1] : NULL;

		if (!g || strcmp(g->s->e->array, s->e->array)) {
			if (x->ngroup == MOST_ARRAYS)
				x->n = i;
			if (x->ngroup == MOST_ARRAYS)
				break;
			g = &x->group[x->ngroup++];
			g->s = s;
			g->own = is_array(s->e, &x->l->m->id);
			g->blank = true;
		}
		g->n++;
		g->blank &= is_zero(&s->e->halo);
		g->proof |= s->proof;
		s->group = g;
	}
}

/* The wrong elements of one rank. */
struct share {
	const struct owner *owner;
	bool here; /* the first wrong element is its */
	uint64_t n, last;
	uint64_t first_groups, last_groups; /* that explain the first, the last of them */
};

/* One wrong element: of each array only the halos count that are the nearest, faces before corners.
 */
static void take_element(struct search *x, struct share *h, const int64_t *g)
{
	uint64_t groups = 0;

	for (size_t k = 0; k < x->ngroup; k++) {
		struct group *a = &x->group[k];
		unsigned least = ARRAY_DIMS + 1, n = 0;
		struct suspect *one = NULL; /* the only one */

		for (size_t i = 0; i < a->n; i++)
			if (a->s[i].e->rank == h->owner->rank && a->s[i].sides < least &&
			    explains(x, &a->s[i], &h->owner->desc, g))
				least = a->s[i].sides;
		for (size_t i = 0; i < a->n && least <= ARRAY_DIMS; i++) {
			struct suspect *s = &a->s[i];

			if (s->e->rank != h->owner->rank || s->sides != least ||
			    !explains(x, s, &h->owner->desc, g))
				continue;
			s->hits++;
			s->first |= h->here && !h->n;
			one = one || n++ ? NULL : s;
		}
		if (one)
			one->alone++;
		if (least > ARRAY_DIMS)
			continue;
		groups |= UINT64_C(1) << k;
		a->all++;
		a->here += h->here;
	}
	if (!h->n++)
		h->first_groups = groups;
	h->last_groups = groups;
}

static bool is_wrong(const struct diff *d, uint64_t i)
{
	return d->bits[i / 64] >> (i % 64) & 1;
}

/* The wrong elements in the own part of a rank, in the order of memory. */
static void take_rank(struct search *x, struct share *h)
{
	const struct locate_values *v = &x->l->values;
	const struct array_desc *own = &h->owner->desc;
	const struct section *sec = &v->now.section;
	uint64_t extent[ARRAY_DIMS], at[ARRAY_DIMS];
	int64_t g[ARRAY_DIMS] = { 0 };
	struct layout_walk w;
	struct layout_run r;
	struct layout l;

	for (unsigned d = 0; d < own->ndim; d++) {
		if (own->list[d])
			return;
		extent[d] = section_count(sec, d);
	}
	if (layout_section(&l, own, 1, sec, NULL))
		return;
	layout_walk(&w, &l, own->order == 'F' ? LAYOUT_F : LAYOUT_C);
	layout_walk_dense(&w, extent);
	while (h->n < MOST_WRONG && layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n && h->n < MOST_WRONG; k++) {
			if (!is_wrong(&v->diff, r.key + k * r.step))
				continue;
			layout_coordinates(&w, k, at);
			for (unsigned d = 0; d < own->ndim; d++)
				g[d] = section_index(sec, d, at[d]);
			take_element(x, h, g);
		}
	layout_clear(&l);
}

static uint64_t volume(const struct array_desc *own)
{
	uint64_t n = 1;

	for (unsigned d = 0; d < own->ndim; d++)
		n *= (uint64_t)(own->own_hi[d] - own->own_lo[d] + 1);
	return n;
}

static void take_all(struct search *x)
{
	const struct locate_values *v = &x->l->values;

	for (size_t i = 0; i < v->nowner; i++) {
		struct share h = { .owner = &v->owner[i],
				   .here = v->owner[i].rank == v->diff.first_owner };

		if (!rankset_has(&v->diff.owners, h.owner->rank))
			continue;
		take_rank(x, &h);
		x->all += h.n;
		if (!h.here)
			continue;
		x->here = h.n;
		x->owned = volume(&h.owner->desc);
		for (size_t k = 0; k < x->ngroup; k++)
			x->group[k].end = (h.first_groups | h.last_groups) >> k & 1;
	}
}

/*
 * Whether most of the halos on those sides that matter at all have wrong elements beside them; sets
 * touched, which counts all sides.
 */
static bool consistent(struct group *g)
{
	uint64_t faces = 0, touched = 0, same = 0, same_touched = 0;

	for (size_t i = 0; i < g->n; i++) {
		bool side = false;

		for (size_t k = 0; k < g->n && !side; k++)
			side = g->s[k].hits &&
			       !memcmp(g->s[k].e->side, g->s[i].e->side, sizeof(g->s[i].e->side));
		if ((g->s[i].sides > 1 && !g->s[i].hits) || (g->proof && !g->s[i].proof))
			continue;
		faces++;
		touched += g->s[i].hits > 0;
		same += side;
		same_touched += g->s[i].hits > 0;
	}
	g->touched = faces ? (double)touched / (double)faces : 0;
	/* one that may never have been received at all: all around it something is to be wrong */
	if (g->blank && !g->proof && 2 * touched <= faces)
		return false;
	return 2 * same_touched >= same;
}

/*
 * What explains anything are corners alone: most loops do not read them, so wrong elements that are
 * not beside them speak against them.
 */
static bool of_corners(const struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->s[i].hits && g->s[i].sides < 2)
			return false;
	return true;
}

static void grade(const struct search *x, struct group *g)
{
	bool sure = consistent(g), corners = of_corners(g);
	bool whole = x->owned && x->here >= x->owned - x->owned / 10;
	bool like = g->s->like;

	if (!g->all)
		return;
	if (g->here == x->here && g->here)
		g->level = 2;
	else if (corners)
		g->level = 2 * g->here > x->here;
	else if (g->own && g->end && (g->proof || !whole))
		g->level = 2;
	else if (g->here ? 2 * g->here >= x->here || g->own : 2 * g->all >= x->all)
		g->level = 1;
	if (g->level == 2 && (!like || !sure || (!g->own && 2 * g->all < x->all)))
		g->level = 1;
}

/* <0, 0, >0: a explains more than b, as much, less. */
static int weigh(const struct group *a, const struct group *b)
{
	double x = a->touched * (double)a->all, y = b->touched * (double)b->all;

	if (a->level != b->level)
		return a->level > b->level ? -1 : 1;
	if (x < y || x > y)
		return x > y ? -1 : 1;
	/* what the loop sets itself it may not read from others */
	return a->own - b->own;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int o = weigh(a, b);

	return o ? o : a->blank - b->blank;
}

static struct point date_of(const struct locate_halo *h, const struct halo_entry *e)
{
	for (size_t i = 0; i < h->ndated; i++)
		if (!strcmp(h->dated[i].e->array, e->array))
			return h->dated[i].since;
	return (struct point){ 0 };
}

/* Those that it takes to explain what is wrong. */
static void report(struct search *x, const struct group *g)
{
	struct locate_halo *h = &x->l->halo;
	struct point at = date_of(h, g->s->e);
	bool some = false;

	for (size_t i = 0; i < g->n; i++)
		some |= g->s[i].alone > 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct suspect *s = &g->s[i];

		if (g->own && g->proof && !s->proof)
			continue;
		if (!s->hits || (some && !s->alone)) {
			if (s->sides < 2)
				continue;
			/* a corner that nothing has to have read */
			h->corners++;
			h->corner_elements += s->e->differ;
			if (!x->l->spec->all)
				continue;
		}
		h->reported[h->n].since = s->proof ? (struct point){ 0 } : at;
		h->reported[h->n++].e = s->e;
	}
}

/* The halo that the first wrong element comes from, else the one beside most of them. */
static const struct halo_entry *cause_of(const struct search *x, const struct group *g)
{
	uint32_t first = x->l->values.diff.first_owner;
	const struct suspect *best = NULL;

	for (size_t i = 0; i < g->n; i++) {
		const struct suspect *s = &g->s[i];
		bool here = s->e->rank == first;

		if (!s->hits || (best && best->first > s->first))
			continue;
		if (!best || s->first > best->first || here > (best->e->rank == first) ||
		    (here == (best->e->rank == first) && s->hits > best->hits))
			best = s;
	}
	return best ? best->e : NULL;
}

static bool same_extents(const struct halo_entry *a, const struct halo_entry *b)
{
	return !memcmp(a->extent, b->extent, a->ndim * sizeof(*a->extent));
}

static bool near(const struct halo_entry *a, const struct halo_entry *b)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (apart(a->extent[d], b->extent[d]) > NEAR)
			return false;
	return true;
}

/*
 * What is on the faces between elements is often computed on both sides of a boundary: then the
 * halo that it was computed from is stale there as well.
 */
static void find_origin(struct search *x, const struct halo_entry *cause)
{
	struct locate_halo *h = &x->l->halo;

	for (size_t i = 0; x->reads && i < h->begin.n; i++) {
		const struct halo_entry *e = &h->begin.entry[i];

		if (e->rank == cause->rank && e->owner == cause->owner && e->ndim == cause->ndim &&
		    !memcmp(e->side, cause->side, sizeof(e->side)) && !read_by(x->reads, e) &&
		    near(e, cause) && !same_extents(e, cause)) {
			h->origin = e;
			return;
		}
	}
}

static void choose(struct search *x)
{
	struct locate_halo *h = &x->l->halo;
	struct group *g = x->group;

	for (size_t k = 0; k < x->ngroup; k++)
		grade(x, &x->group[k]);
	if (x->ngroup)
		qsort(g, x->ngroup, sizeof(*g), by_weight);
	h->reported = xcalloc(x->n + 1, sizeof(*h->reported));
	if (!x->ngroup)
		return;
	/* two that explain it as well: it may be either */
	h->sure = g->level == 2 && (x->ngroup < 2 || weigh(&g[0], &g[1]));
	if (g->level)
		h->cause = cause_of(x, g);
	for (size_t k = 0; k < x->ngroup; k++)
		if (!g->level || !weigh(&g[0], &g[k]))
			report(x, &g[k]);
	if (h->cause)
		find_origin(x, h->cause);
}

void locate_choose_halos(struct locate *l, const struct sums_point *at)
{
	struct search x = { .l = l, .wrong = &l->values.now.desc };

	for (size_t i = 0; at && i < at->n; i++)
		if (at->array[i].flags & POINT_SUMS_READ)
			x.reads = at;
	l->halo.reads = x.reads != NULL;
	/* What the loop has not set, and what was wrong before it, is not made from halos. */
	if (l->values.unwritten || l->values.spoilt || l->values.now.section.ndim != x.wrong->ndim)
		return;
	find_suspects(&x);
	find_groups(&x);
	take_all(&x);
	choose(&x);
	free(x.group);
	free(x.s);
}

/*
 * Since when halos are stale: the end of the construct that last changed the array, by the
 * reference, when the array still has the sum that it had there. (A pointer may have come to mean
 * other memory.)
 */

/* In another run lines may have moved. */
static bool in_reference(const struct halo_entry *e, const struct sums_array *a)
{
	return !strcmp(e->name, a->name) && e->counter == a->counter &&
	       !strcmp(e->file, base(a->file));
}

/* The whole array as it is in s has the sum; then it has not changed since. */
static bool has_sum(struct session *s, const struct sums_array *a, const struct halo_entry *e)
{
	struct fetched f = { 0 };
	struct err err = { "" };
	struct sum *sum = NULL;
	char name[300];
	bool same = false;

	if (*e->file)
		snprintf(name, sizeof(name), "%s@%s:%u#%u", e->name, e->file, e->line, e->counter);
	else
		snprintf(name, sizeof(name), "%s", e->name);
	if (!fetch_large(s, name, NULL, job_set(s->job, JOB_ALL), MOST_ELEMENTS, &f, &err) &&
	    f.q.n && !f.nmissing && a->sum && values_total(&f.q) == a->sum->plan.total)
		sum = sum_create(&a->sum->plan, &err);
	if (sum) {
		struct layout part = { .data = f.q.group[0].bytes };
		int64_t step = f.q.elem_size;

		for (unsigned d = e->ndim; d-- > 0; step *= e->extent[d]) {
			part.count[d] = e->extent[d];
			part.stride[d] = step;
		}
		same = !sum_add(sum, &part, &err) && sum_hash(sum) == a->sum->all.hash;
	}
	sum_destroy(sum);
	fetched_clear(&f);
	return same;
}

/* The last point before the construct at whose end the array got what it has; main 0: not known. */
static struct point since(struct locate *l, struct session *s, const struct halo_entry *e)
{
	struct point at = { 0 }, begin = l->m->point;
	struct err err = { "" };
	const struct sums_point *x;
	bool same = false;

	begin.side = POINT_BEGIN;
	for (size_t i = 0; l->ref && (x = reference_at(l->ref, i, &err)); i++) {
		enum point_order o = point_compare(&x->point, &begin);

		if (o == POINT_AFTER)
			break;
		for (size_t k = 0; k < x->n && o != POINT_INCOMPARABLE; k++)
			if (in_reference(e, &x->array[k]) && x->array[k].flags & POINT_SUMS_CHANGED)
				at = x->point;
	}
	x = at.main ? reference_point(l->ref, &at, &err) : NULL;
	for (size_t k = 0; x && k < x->n; k++)
		if (in_reference(e, &x->array[k]))
			same = has_sum(s, &x->array[k], e);
	return same ? at : (struct point){ 0 };
}

void locate_date_halos(struct locate *l, struct session *s)
{
	struct locate_halo *h = &l->halo;

	for (size_t i = 0; i < h->begin.n && h->ndated < LOCATE_DATED; i++) {
		const struct halo_entry *e = &h->begin.entry[i];

		if (i && !strcmp(e->array, e[-1].array))
			continue;
		h->dated[h->ndated++] = (struct locate_stale){ e, since(l, s, e) };
	}
}
