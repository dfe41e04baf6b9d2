/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/layout.h"

#include <stdlib.h>

#include "common/array/array.h"
#include "common/core/err.h"

/* Offsets of a wild description may wrap. */
static int64_t times(uint64_t n, int64_t stride)
{
	return (int64_t)(n * (uint64_t)stride);
}

static void advance(struct layout *l, int64_t bytes)
{
	l->origin = (int64_t)((uint64_t)l->origin + (uint64_t)bytes);
}

bool layout_add(struct layout *l, const struct layout_dim *dim, bool halo)
{
	unsigned d = l->ndim++;
	__int128 lo = dim->own_lo, hi = dim->own_hi, low = dim->lower, begin = lo - dim->halo_lo;
	bool any = lo <= hi, fits;
	int64_t stride, skip;

	fits = !__builtin_mul_overflow(dim->stride, (int64_t)l->size, &stride);
	if (dim->list) {
		lo = begin + dim->halo_lo;
		hi = lo + dim->n - 1;
	} else {
		lo = halo && any ? begin : lo;
		hi = halo && any ? hi + dim->halo_hi : hi;
	}
	/* once round the end at most */
	if (!dim->list && (halo || hi - lo >= INT64_MAX)) {
		__int128 beyond = halo && dim->periodic ? dim->extent : 0;

		lo = lo < low - beyond ? low - beyond : lo;
		hi = hi < low + dim->extent + beyond ? hi : low + dim->extent + beyond - 1;
	}
	l->lower[d] = dim->lower;
	l->first[d] = (int64_t)lo;
	l->count[d] = hi < lo ? 0 : (int64_t)(hi - lo + 1);
	l->stride[d] = stride;
	l->list[d] = dim->list;
	fits &= !__builtin_mul_overflow(lo - begin, stride, &skip) &&
		!__builtin_add_overflow(l->origin, skip, &skip);
	advance(l, times((uint64_t)(lo - begin), stride));
	return fits;
}

static bool make(struct layout *l, const struct array_desc *a, uint32_t size, bool halo)
{
	bool fits = true;

	*l = (struct layout){ .size = size };
	for (unsigned d = 0; d < a->ndim; d++)
		fits &= layout_add(l,
				   &(struct layout_dim){ .lower = a->lower[d],
							 .extent = a->extent[d],
							 .own_lo = a->own_lo[d],
							 .own_hi = a->own_hi[d],
							 .halo_lo = a->halo_lo[d],
							 .halo_hi = a->halo_hi[d],
							 .stride = a->stride[d],
							 .list = a->list[d],
							 .n = a->list_n[d],
							 .periodic = a->periodic >> d & 1 },
				   halo);
	return fits;
}

bool layout_own(struct layout *l, const struct array_desc *a, uint32_t size)
{
	bool fits = make(l, a, size, false);

	if (a->copy && a->ndim)
		layout_numbers(l, 0, 0, 0);
	return fits;
}

bool layout_part(struct layout *l, const struct array_desc *a, uint32_t size)
{
	return make(l, a, size, false);
}

bool layout_held(struct layout *l, const struct array_desc *a, uint32_t size)
{
	return make(l, a, size, true);
}

void layout_box(struct layout *l, unsigned ndim, const int64_t *lo, const int64_t *hi,
		uint32_t size)
{
	uint64_t stride = size;

	*l = (struct layout){ .ndim = ndim, .size = size };
	for (unsigned d = ndim; d-- > 0; stride *= (uint64_t)l->count[d]) {
		l->first[d] = lo[d];
		l->count[d] = (int64_t)((uint64_t)hi[d] - (uint64_t)lo[d] + 1);
		l->stride[d] = (int64_t)stride;
	}
}

void layout_clear(struct layout *l)
{
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		free(l->room[d]);
	*l = (struct layout){ 0 };
}

void layout_numbers(struct layout *l, unsigned d, int64_t from, int64_t count)
{
	l->count[d] = count;
	if (!count)
		return;
	if (l->list[d])
		l->list[d] += from;
	else
		l->first[d] = (int64_t)((uint64_t)l->first[d] + (uint64_t)from);
	if (l->place[d])
		l->place[d] += from;
	else
		advance(l, times((uint64_t)from, l->stride[d]));
}

bool layout_wrap(struct layout *l, const struct array_desc *a, const int8_t *wrap)
{
	for (unsigned d = 0; d < l->ndim; d++) {
		if (!wrap[d])
			continue;
		if (l->list[d])
			layout_numbers(l, d, 0, 0);
		else
			l->first[d] -= wrap[d] * a->extent[d];
	}
	return layout_total(l) != 0;
}

void layout_within(struct layout *l, unsigned d, int64_t lo, int64_t hi)
{
	int64_t last = (int64_t)((uint64_t)l->first[d] + (uint64_t)l->count[d] - 1);
	int64_t first = lo > l->first[d] ? lo : l->first[d];

	last = hi < last ? hi : last;
	if (!l->count[d] || last < first)
		layout_numbers(l, d, 0, 0);
	else
		layout_numbers(l, d, (int64_t)((uint64_t)first - (uint64_t)l->first[d]),
			       (int64_t)((uint64_t)last - (uint64_t)first + 1));
}

/* An index that is here, and its number. */
struct owned {
	int64_t g, number;
};

static int owned_compare(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	if (x->g != y->g)
		return x->g < y->g ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The list, sorted; an index that is listed twice stays once, at its first place. NULL: memory. */
static struct owned *sorted(const struct layout *l, unsigned d, int64_t *n)
{
	int64_t count = l->count[d];
	struct owned *own = calloc((size_t)count + 1, sizeof(*own));

	*n = 0;
	if (!own)
		return NULL;
	for (int64_t k = 0; k < count; k++)
		own[k] = (struct owned){ l->list[d][k], k };
	qsort(own, (size_t)count, sizeof(*own), owned_compare);
	for (int64_t k = 0; k < count; k++)
		if (!*n || own[*n - 1].g != own[k].g)
			own[(*n)++] = own[k];
	return own;
}

/* The number of index g, -1: it is not here. own is NULL for a box. */
static int64_t number_of(const struct layout *l, unsigned d, const struct owned *own, int64_t n,
			 int64_t g)
{
	int64_t lo = 0, hi = n;

	if (!own) {
		uint64_t number = (uint64_t)g - (uint64_t)l->first[d];

		return g >= l->first[d] && number < (uint64_t)l->count[d] ? (int64_t)number : -1;
	}
	while (lo < hi) {
		int64_t mid = lo + (hi - lo) / 2;

		if (own[mid].g < g)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && own[lo].g == g ? own[lo].number : -1;
}

/* What of a dimension is left: positions, and behind them places. */
struct chosen {
	int64_t *at, *place, n;
};

static int chosen_room(struct chosen *c, int64_t n, struct err *err)
{
	c->at = calloc(2 * (size_t)n + 2, sizeof(*c->at));
	c->place = c->at ? c->at + n + 1 : NULL;
	return c->at ? 0 : err_set(err, "out of memory");
}

/* It becomes the dimension; lists are left out where they are regular. */
static void chosen_use(struct layout *l, unsigned d, struct chosen *c)
{
	bool next = true, even = true;
	int64_t stride = c->n > 1 ? (int64_t)((uint64_t)c->place[1] - (uint64_t)c->place[0]) : 0;

	for (int64_t i = 1; i < c->n; i++) {
		next &= c->at[i] == c->at[i - 1] + 1;
		even &= (int64_t)((uint64_t)c->place[i] - (uint64_t)c->place[i - 1]) == stride;
	}
	free(l->room[d]);
	l->room[d] = c->at;
	l->lower[d] = 0;
	l->count[d] = c->n;
	l->first[d] = c->n ? c->at[0] : 0;
	l->list[d] = next ? NULL : c->at;
	l->place[d] = even ? NULL : c->place;
	if (even && c->n > 1)
		l->stride[d] = stride;
	if (even && c->n)
		advance(l, c->place[0]);
}

static int cut_by_vector(struct layout *l, unsigned d, const struct section_dim *dim,
			 const struct owned *own, int64_t nown, struct err *err)
{
	struct chosen c = { .n = 0 };

	if (chosen_room(&c, dim->n, err))
		return -1;
	for (uint32_t i = 0; i < dim->n; i++) {
		int64_t number = number_of(l, d, own, nown, dim->vector[i]);

		if (number < 0)
			continue;
		c.at[c.n] = i;
		c.place[c.n++] = layout_offset(l, d, number);
	}
	chosen_use(l, d, &c);
	return 0;
}

/* Indices ascend, so do positions of a range that ascends; one that descends meets them backwards.
 */
static int cut_list_by_range(struct layout *l, unsigned d, const struct section *s,
			     const struct owned *own, int64_t nown, struct err *err)
{
	const struct section_dim *dim = &s->dim[d];
	bool down = !dim->scalar && dim->step < 0;
	__int128 step = dim->scalar ? 1 : dim->step;
	uint64_t count = section_count(s, d);
	struct chosen c = { .n = 0 };

	if (chosen_room(&c, nown, err))
		return -1;
	for (int64_t k = 0; k < nown; k++) {
		const struct owned *x = &own[down ? nown - 1 - k : k];
		__int128 way = (__int128)x->g - dim->first;

		if (way % step || way / step < 0 || way / step >= (__int128)count)
			continue;
		c.at[c.n] = (int64_t)(way / step);
		c.place[c.n++] = layout_offset(l, d, x->number);
	}
	chosen_use(l, d, &c);
	return 0;
}

/* Positions of first:last:step that are in lo … hi: from *begin, as many as returned. */
static uint64_t range_within(const struct section_dim *dim, uint64_t count, int64_t lo, int64_t hi,
			     uint64_t *begin)
{
	__int128 first = dim->first, step = dim->scalar ? 1 : dim->step, from, to;

	if (step > 0) {
		from = lo <= first ? 0 : (lo - first + step - 1) / step;
		to = hi < first ? -1 : (hi - first) / step;
	} else {
		from = hi >= first ? 0 : (first - hi - step - 1) / -step;
		to = lo > first ? -1 : (first - lo) / -step;
	}
	if (to >= (__int128)count)
		to = (__int128)count - 1;
	*begin = (uint64_t)from;
	return to < from ? 0 : (uint64_t)(to - from) + 1;
}

static void cut_box_by_range(struct layout *l, unsigned d, const struct section *s)
{
	int64_t lo = l->first[d];
	int64_t hi = (int64_t)((uint64_t)lo + (uint64_t)l->count[d] - 1);
	uint64_t begin = 0, n = 0;

	if (l->count[d])
		n = range_within(&s->dim[d], section_count(s, d), lo, hi, &begin);
	l->lower[d] = 0;
	l->count[d] = (int64_t)n;
	l->first[d] = (int64_t)begin;
	if (!n)
		return;
	advance(l, times((uint64_t)section_index(s, d, begin) - (uint64_t)lo, l->stride[d]));
	if (!s->dim[d].scalar)
		l->stride[d] = times((uint64_t)s->dim[d].step, l->stride[d]);
}

int layout_cut_dim(struct layout *l, unsigned d, const struct section *s, struct err *err)
{
	const struct section_dim *dim = &s->dim[d];
	struct owned *own = NULL;
	int64_t nown = 0;
	int rc;

	if (!l->list[d] && !dim->vector) {
		cut_box_by_range(l, d, s);
		return 0;
	}
	if (l->list[d])
		own = sorted(l, d, &nown);
	if (l->list[d] && !own)
		return err_set(err, "out of memory");
	rc = dim->vector ? cut_by_vector(l, d, dim, own, nown, err)
			 : cut_list_by_range(l, d, s, own, nown, err);
	free(own);
	return rc;
}

int layout_cut(struct layout *l, const struct section *s, struct err *err)
{
	for (unsigned d = 0; d < l->ndim; d++)
		if (layout_cut_dim(l, d, s, err))
			return -1;
	return 0;
}

int layout_section(struct layout *l, const struct array_desc *a, uint32_t size,
		   const struct section *s, struct err *err)
{
	layout_own(l, a, size);
	if (s->ndim != a->ndim)
		return err_set(err, "%s has %u dimensions, the section %u", a->name ? a->name : "?",
			       a->ndim, s->ndim);
	for (unsigned d = 0; d < a->ndim; d++)
		if (section_count(s, d) > UINT32_MAX)
			return err_set(err, "the section has too many indices in dimension %u",
				       d + 1);
	if (!layout_cut(l, s, err))
		return 0;
	layout_clear(l);
	return -1;
}

struct layout layout_numbered(const struct layout *l)
{
	struct layout out = *l;

	for (unsigned d = 0; d < ARRAY_DIMS; d++) {
		out.lower[d] = out.first[d] = 0;
		out.list[d] = NULL;
		out.room[d] = NULL;
	}
	return out;
}

uint64_t layout_total(const struct layout *l)
{
	uint64_t total = 1;
	bool over = false;

	for (unsigned d = 0; d < l->ndim; d++) {
		if (!l->count[d])
			return 0;
		over |= __builtin_mul_overflow(total, (uint64_t)l->count[d], &total);
	}
	return over ? UINT64_MAX : total;
}

bool layout_reach(const struct layout *l, int64_t *lo, int64_t *hi)
{
	bool over = __builtin_add_overflow(l->origin, (int64_t)l->size, hi);

	*lo = l->origin;
	for (unsigned d = 0; d < l->ndim; d++) {
		int64_t least = 0, most = 0, n = l->count[d];

		if (!n)
			return false;
		if (!l->place[d])
			over |= __builtin_mul_overflow(n - 1, l->stride[d],
						       l->stride[d] < 0 ? &least : &most);
		for (int64_t i = 0; l->place[d] && i < n; i++) {
			least = !i || l->place[d][i] < least ? l->place[d][i] : least;
			most = !i || l->place[d][i] > most ? l->place[d][i] : most;
		}
		over |= __builtin_add_overflow(*lo, least, lo);
		over |= __builtin_add_overflow(*hi, most, hi);
	}
	return !over;
}

static uint64_t width(const struct layout *l, unsigned d)
{
	return l->stride[d] < 0 ? -(uint64_t)l->stride[d] : (uint64_t)l->stride[d];
}

/* Whether dimension a, the lower one, is walked inside of b. */
static bool inside(const struct layout *l, unsigned a, unsigned b)
{
	if ((l->count[a] == 1) != (l->count[b] == 1))
		return l->count[b] == 1;
	return width(l, a) < width(l, b);
}

void layout_walk_order(struct layout_walk *w, enum layout_order order)
{
	for (unsigned d = 0; d < w->ndim; d++) {
		unsigned k = d;

		for (; k > 0 && (order == LAYOUT_F ||
				 (order == LAYOUT_MEMORY && inside(w->l, w->order[k - 1], d)));
		     k--)
			w->order[k] = w->order[k - 1];
		w->order[k] = d;
	}
	w->outer = w->ndim ? w->ndim - 1 : 0;
}

void layout_walk(struct layout_walk *w, const struct layout *l, enum layout_order order)
{
	*w = (struct layout_walk){ .l = l, .ndim = l->ndim };
	for (unsigned d = 0; d < l->ndim; d++) {
		w->to[d] = l->count[d];
		w->at.end |= !l->count[d];
	}
	layout_walk_order(w, order);
}

void layout_walk_dense(struct layout_walk *w, const uint64_t *extent)
{
	uint64_t weight = 1;

	for (unsigned d = w->ndim; d-- > 0; weight *= extent[d])
		w->weight[d] = weight;
}

/* How many numbers from i on are equally far apart in both ways, as it is from i to i + 1. */
static int64_t even(const struct layout *l, unsigned d, int64_t i, int64_t to)
{
	int64_t n = 2;

	if ((!l->list[d] && !l->place[d]) || to - i < 2)
		return to - i;
	while (i + n < to &&
	       layout_at(l, d, i + n) - layout_at(l, d, i + n - 1) ==
		       layout_at(l, d, i + 1) - layout_at(l, d, i) &&
	       layout_offset(l, d, i + n) - layout_offset(l, d, i + n - 1) ==
		       layout_offset(l, d, i + 1) - layout_offset(l, d, i))
		n++;
	return n;
}

bool layout_next(struct layout_walk *w, struct layout_run *r)
{
	const struct layout *l = w->l;
	struct layout_cursor *at = &w->at;
	unsigned d = w->ndim ? w->order[w->ndim - 1] : 0;
	int64_t i, from = w->from[d];

	if (at->end)
		return false;
	if (!w->n) {
		layout_begin(w, at);
	} else if (!w->ndim) {
		at->end = true;
	} else if ((at->i[d] += w->n) == w->to[d]) {
		at->i[d] = from;
		layout_step(w, at);
	}
	if (at->end)
		return false;
	*r = (struct layout_run){ .n = 1, .offset = at->offset, .key = at->key };
	w->n = 1;
	if (!w->ndim)
		return true;
	i = at->i[d];
	w->n = even(l, d, i, w->to[d]);
	r->n = (uint64_t)w->n;
	r->offset += layout_offset(l, d, i) - layout_offset(l, d, from);
	r->key += (layout_at(l, d, i) - layout_at(l, d, from)) * w->weight[d];
	r->stride = l->stride[d];
	r->step = w->weight[d];
	if (w->n > 1 && l->place[d])
		r->stride = layout_offset(l, d, i + 1) - layout_offset(l, d, i);
	if (w->n > 1 && l->list[d])
		r->step *= layout_at(l, d, i + 1) - layout_at(l, d, i);
	return true;
}

void layout_coordinates(const struct layout_walk *w, uint64_t k, uint64_t *at)
{
	for (unsigned d = 0; d < w->ndim; d++) {
		int64_t i = w->at.i[d];

		if (d == w->order[w->ndim - 1])
			i += (int64_t)k;
		at[d] = layout_at(w->l, d, i);
	}
}

void layout_join(struct layout *l, enum layout_order order)
{
	struct layout from = *l;
	struct layout_walk w = { .l = &from, .ndim = l->ndim };
	unsigned n = 0;

	layout_walk_order(&w, order);
	for (unsigned k = 0; k < w.ndim; k++) {
		unsigned d = w.order[k];
		bool regular = !from.place[d];

		if (regular && from.count[d] == 1)
			continue;
		if (n && regular && !l->place[n - 1] &&
		    times((uint64_t)from.count[d], from.stride[d]) == l->stride[n - 1])
			l->count[--n] *= from.count[d];
		else
			l->count[n] = from.count[d];
		l->stride[n] = from.stride[d];
		l->place[n] = from.place[d];
		l->lower[n] = l->first[n] = 0;
		l->list[n++] = NULL;
	}
	l->ndim = n;
}
