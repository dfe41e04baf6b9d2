/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intervals from the end of one outermost parallel construct to the beginning of the next. All
 * ranks pass the same constructs, so that each decides by itself which intervals have tags: those
 * between two constructs of which few had them.
 */
#include "runtime/tags/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/array/value.h"
#include "common/mpistate/mpistate.h"
#include "runtime/base/elsewhere.h"

#define PAIRS 1024    /* of constructs that follow one another */
#define LEAST 4	      /* intervals of a pair have tags: a place may represent several constructs */
#define TIMES 8	      /* and at most so many, until both halves were seen */
#define QUIET 8	      /* intervals without any, and three for each pair: nothing new comes */
#define INTERVALS 600 /* with tags, in all */
#define PENDING 64    /* constructs that requests are waited for */
#define SMALL 1e9     /* what is computed from tags is larger, as good as surely; */
#define SINGLE 1e3    /* in single precision */

bool tags_on;
static bool integers;
static struct tagged *tagged; /* TAGS_ARRAYS */
static uint32_t ntagged;
static struct {
	uint32_t from, to, n;
	unsigned halves; /* a bit for each that it has seen */
} pair[PAIRS];
static uint32_t npair, quiet, intervals;
/* The interval that goes on. */
static uint32_t ended, ended_main, delayed;
static unsigned half;
static bool filled;
/* By loc: how often it has ended. */
static uint32_t *times;
/* What was noted of each object: its registration and why it is not filled, + 1. */
static uint32_t noted_serial[TAGS_ARRAYS], noted_why[TAGS_ARRAYS];

void tags_init(void)
{
	const char *dir = getenv("DVMDBG_TAGS");

	if (!dir || rt.page->rank >= TAGS_RANKS)
		return;
	integers = !getenv("DVMDBG_TAGS_REALS");
	tagged = rt_pages(TAGS_ARRAYS * sizeof(*tagged));
	times = rt_pages(RT_LOCS * sizeof(*times));
	tags_on = tagged && times && notes_open(dir);
}

static void leave(void)
{
	notes_close();
	tags_on = false;
}

/* ---- elements ---- */

struct walk {
	const struct tagged *t;
	int64_t i[ARRAY_DIMS];
	uint64_t addr, at;
	bool inside; /* the element may be filled */
};

static void walk_begin(struct walk *w, const struct tagged *t)
{
	*w = (struct walk){ .t = t, .addr = t->base, .inside = true };
	for (unsigned d = 0; d < t->ndim && !t->all; d++)
		w->inside = w->inside && t->in_lo[d] <= 0;
}

static bool walk_next(struct walk *w)
{
	const struct tagged *t = w->t;

	w->at++;
	for (unsigned d = t->ndim; d-- > 0;) {
		w->addr += (uint64_t)t->stride[d];
		if (++w->i[d] < t->n[d])
			break;
		w->addr -= (uint64_t)(t->n[d] * t->stride[d]);
		w->i[d] = 0;
	}
	w->inside = true;
	for (unsigned d = 0; d < t->ndim && !t->all; d++)
		w->inside = w->inside && w->i[d] >= t->in_lo[d] && w->i[d] <= t->in_hi[d];
	return w->at < t->total;
}

static void fill(struct tagged *t)
{
	struct walk w;
	struct tag own = { rt.page->rank, t->var, 0 };

	walk_begin(&w, t);
	do {
		void *p = (void *)(uintptr_t)w.addr;

		memcpy(t->saved + w.at * t->size, p, t->size);
		own.at = w.at;
		if (w.inside)
			tag_store(t->type, p, tag_bits(&own), half);
	} while (walk_next(&w));
}

/* ---- which arrays ---- */

static uint64_t data_of(const struct page_entity *e)
{
	uint64_t at = e->addr;

	if (e->by_pointer) {
		if (!probe(e->addr, sizeof(at), true))
			return 0;
		memcpy(&at, (void *)(uintptr_t)e->addr, sizeof(at));
	}
	return at ? at - (uint64_t)e->before : 0;
}

/* Places, and bytes in use; within: only what is inside of the array's box. */
static bool geometry(struct tagged *t, const struct page_entity *e)
{
	t->total = 1;
	for (uint32_t d = 0; d < e->ndim; d++) {
		bool list = e->list[d] != 0;
		int64_t own = list ? e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;
		int64_t first = e->own_lo[d] - e->halo_lo[d];

		if (own <= 0)
			return false;
		t->n[d] = own + e->halo_lo[d] + e->halo_hi[d];
		t->stride[d] = e->stride[d] * (int64_t)e->elem_size;
		t->own_lo[d] = e->halo_lo[d];
		t->own_hi[d] = e->halo_lo[d] + own - 1;
		t->in_lo[d] = list ? t->own_lo[d] : first < e->lower[d] ? e->lower[d] - first : 0;
		t->in_hi[d] = e->lower[d] + e->extent[d] - 1 - first;
		if (list || t->in_hi[d] > t->n[d] - 1)
			t->in_hi[d] = list ? t->own_hi[d] : t->n[d] - 1;
		if (__builtin_mul_overflow(t->total, (uint64_t)t->n[d], &t->total))
			return false;
	}
	return t->total <= TAGS_ELEMENTS;
}

static void reach(const struct tagged *t, bool all, uint64_t *lo, uint64_t *hi)
{
	*lo = t->base;
	*hi = t->base + t->size;
	for (unsigned d = 0; d < t->ndim; d++) {
		int64_t a = all ? 0 : t->in_lo[d], b = all ? t->n[d] - 1 : t->in_hi[d];
		int64_t s = t->stride[d];

		*lo += (uint64_t)((s < 0 ? b : a) * s);
		*hi += (uint64_t)((s < 0 ? a : b) * s);
	}
}

/* Of rows that are allocated one by one: what is inside of the box, in each. */
static bool find_rows(struct tagged *t, const struct page_entity *e)
{
	uint64_t first, end, bytes = t->size;

	memcpy(&t->row, (const void *)(uintptr_t)(e->table ? e->table : e->addr), sizeof(t->row));
	for (unsigned d = 1; d < t->ndim; d++)
		bytes += (uint64_t)(t->in_hi[d] * t->stride[d]);
	reach(t, false, &t->lo, &t->hi);
	return !block_find(t->row, &first, &end) || bytes <= end - t->row;
}

/* What is outside of the box has no memory, unless the block has room for it. */
static bool find_memory(struct tagged *t)
{
	uint64_t lo, hi, first, end;

	reach(t, false, &lo, &hi);
	t->block = 0;
	if (block_find(lo, &first, &end)) {
		t->block = first;
		if (hi > end)
			return false;
		reach(t, true, &lo, &hi);
		t->all = lo >= first && hi <= end;
	} else {
		reach(t, true, &lo, &hi);
	}
	t->lo = lo;
	t->hi = hi;
	return true;
}

static enum tags_why choose(struct tagged *t, const struct page_entity *e, uint32_t var)
{
	*t = (struct tagged){ .var = var, .serial = e->serial, .type = e->type,
			      .size = e->elem_size, .ndim = e->ndim, .way = tag_way(e->type) };
	if (t->way == TAG_NONE)
		return TAGS_TYPE;
	if (tag_is_integer(e->type) && !integers)
		return TAGS_INTEGER;
	t->base = data_of(e);
	if (!t->base || atomic_load(&e->freed) || var_gone(var) || !geometry(t, e))
		return TAGS_GONE;
	if (e->apart ? !find_rows(t, e) : !find_memory(t))
		return TAGS_GONE;
	if (!probe(t->lo, t->hi - t->lo, true)) {
		reach(t, false, &t->lo, &t->hi);
		t->all = false;
		if (!probe(t->lo, t->hi - t->lo, true))
			return TAGS_GONE;
	}
	for (uint32_t i = 0; i < ntagged; i++)
		if (tagged[i].lo < t->hi && t->lo < tagged[i].hi && tagged[i].base == t->base)
			return TAGS_SHARED;
	t->saved = rt_pages(t->total * t->size);
	return t->saved ? TAGS_TAGGED : TAGS_MANY;
}

static void note(const struct page_entity *e, uint32_t var, enum tags_why why)
{
	if (noted_serial[var] == e->serial && noted_why[var] == why + 1u)
		return;
	noted_serial[var] = e->serial;
	noted_why[var] = why + 1u;
	notes_array(e, var, why);
}

static void fill_all(void)
{
	ntagged = 0;
	elsewhere_fetch_rows();
	probe_start();
	var_forget_stack();
	for (uint32_t i = 0; i < var_count() && i < TAGS_ARRAYS; i++) {
		uint32_t loc;
		const struct page_entity *e = arena_at(var_entity(i, &loc));
		enum tags_why why;

		if (!atomic_load(&e->live) || e->kind != ARRAY_DISTRIBUTED || !e->ndim)
			continue;
		why = choose(&tagged[ntagged], e, i);
		note(e, i, why);
		if (why != TAGS_TAGGED)
			continue;
		fill(&tagged[ntagged]);
		ntagged++;
	}
	elsewhere_store_rows();
	filled = ntagged > 0;
	/* it may not come to its end */
	notes_flush();
}

/* ---- what has come, and back ---- */

static const struct tagged *tagged_of(uint32_t var)
{
	for (uint32_t i = 0; i < ntagged; i++)
		if (tagged[i].var == var)
			return &tagged[i];
	return NULL;
}

/* The value of the nearest own element: what comes to a halo is nearer to it than what was
 * there. */
static const void *nearest(const struct walk *w)
{
	const struct tagged *t = w->t;
	uint64_t at = 0;

	for (unsigned d = 0; d < t->ndim; d++) {
		int64_t i = w->i[d];

		i = i < t->own_lo[d] ? t->own_lo[d] : i > t->own_hi[d] ? t->own_hi[d] : i;
		at = at * (uint64_t)t->n[d] + (uint64_t)i;
	}
	return t->saved + at * t->size;
}

/* What the program has put there is none of the tags, nor was it computed from some. */
static bool is_its_own(const struct tagged *t, const void *p)
{
	struct value v = value_load(t->type, p);
	double most = t->type == VALUE_FLOAT || t->type == VALUE_FCOMPLEX ? SINGLE : SMALL;

	if (v.class == VALUE_IS_REAL || v.class == VALUE_IS_COMPLEX)
		return fabs(v.re) < most && fabs(v.im) < most;
	return v.i < (1 << 24) && v.i > -(1 << 24);
}

/* What the element has that was computed: it is left as it is (NULL), or was computed from tags. */
static const void *computed(const struct walk *w, const void *p)
{
	return !w->inside || is_its_own(w->t, p) ? NULL : w->t->saved + w->at * w->t->size;
}

/* What an element is to be that holds no tag of its own; notes: it is noted where that came
 * from. */
static const void *changed(const struct walk *w, const void *p, bool notes)
{
	const struct tagged *t = w->t, *s;
	unsigned which;
	uint64_t bits;
	uint32_t part;
	struct tag from;

	if (t->way == TAG_HALVES) {
		if (!tag_load_half(t->type, p, &part, &which))
			return computed(w, p);
		if (notes)
			notes_half(t->var, w->at, which, part);
		return t->saved + w->at * t->size;
	}
	if (!tag_load(t->type, p, &bits) || !tag_of_bits(bits, &from) ||
	    from.rank >= rt.page->size)
		return computed(w, p);
	if (from.rank != rt.page->rank) {
		if (notes)
			notes_moved(t->var, w->at, &from);
		return nearest(w);
	}
	s = tagged_of(from.array);
	if (s && s->type == t->type && from.at < s->total)
		return s->saved + from.at * s->size;
	return computed(w, p);
}

static bool holds_own(const struct walk *w, const void *p, const void *own)
{
	const struct tagged *t = w->t;

	return !memcmp(p, w->inside ? own : t->saved + w->at * t->size, t->size);
}

static void look(struct tagged *t)
{
	struct walk w;
	struct tag own = { rt.page->rank, t->var, 0 };
	unsigned char mine[16];

	walk_begin(&w, t);
	do {
		const void *p = (const void *)(uintptr_t)w.addr;

		if (!t->all && !w.inside && (w.addr < t->lo || w.addr + t->size > t->hi))
			continue;
		own.at = w.at;
		tag_store(t->type, mine, tag_bits(&own), half);
		if (!holds_own(&w, p, mine))
			changed(&w, p, true);
	} while (walk_next(&w));
}

/* The contents before; what came, and what was moved here, is as if it had not been tags. */
static void put_back(struct tagged *t)
{
	struct walk w;
	struct tag own = { rt.page->rank, t->var, 0 };
	unsigned char mine[16];

	walk_begin(&w, t);
	do {
		void *p = (void *)(uintptr_t)w.addr;
		const void *to = t->saved + w.at * t->size;

		if (!t->all && !w.inside && (w.addr < t->lo || w.addr + t->size > t->hi))
			continue;
		own.at = w.at;
		tag_store(t->type, mine, tag_bits(&own), half);
		if (!holds_own(&w, p, mine))
			to = changed(&w, p, false);
		if (to)
			memcpy(p, to, t->size);
	} while (walk_next(&w));
}

/* The dimension of rows without room between elements, and bytes from a row to the next; -1:
 * none. */
static int rows_of(const struct tagged *t, int64_t *pitch)
{
	int row = -1;

	*pitch = INT64_MAX;
	for (unsigned d = 0; d < t->ndim; d++) {
		int64_t s = t->stride[d] < 0 ? -t->stride[d] : t->stride[d];

		if (row < 0 && t->stride[d] == (int64_t)t->size)
			row = (int)d;
		else if (t->n[d] > 1 && s < *pitch)
			*pitch = s;
	}
	return *pitch == INT64_MAX || *pitch % (int64_t)t->size ? -1 : row;
}

/* The tag of another rank's element of this array; false: there is none. */
static bool has_another(const struct tagged *t, const void *p, struct tag *from)
{
	uint64_t bits;

	return tag_load(t->type, p, &bits) && tag_of_bits(bits, from) && from->array == t->var &&
	       from->rank != rt.page->rank && from->rank < rt.page->size;
}

static bool is_own_row(const struct walk *w, int row)
{
	for (unsigned d = 0; d < w->t->ndim; d++)
		if ((int)d != row && (w->i[d] < w->t->own_lo[d] || w->i[d] > w->t->own_hi[d]))
			return false;
	return true;
}

/*
 * What has come to the room behind rows, which a halo that is marked too narrow leaves there. It
 * gets the row's last value.
 */
static void look_between(struct tagged *t)
{
	int64_t pitch;
	int row = rows_of(t, &pitch);
	uint64_t n = 0, at = 0, end;
	bool own = false; /* the first is behind own elements */
	struct tag from, first = { 0 };
	struct walk w;

	if (row < 0 || t->way != TAG_WHOLE || (uint64_t)t->n[row] * t->size >= (uint64_t)pitch)
		return;
	walk_begin(&w, t);
	do {
		if (w.i[row] != t->n[row] - 1)
			continue;
		if (w.addr < t->lo)
			continue;
		end = w.addr + (uint64_t)pitch - (uint64_t)(t->n[row] - 1) * t->size;
		end = end < t->hi ? end : t->hi;
		for (uint64_t a = w.addr + t->size; a + t->size <= end; a += t->size) {
			if (!has_another(t, (void *)(uintptr_t)a, &from))
				continue;
			if (!n++ || (!own && is_own_row(&w, row))) {
				at = w.at;
				first = from;
				own = is_own_row(&w, row);
			}
			memcpy((void *)(uintptr_t)a, t->saved + w.at * t->size, t->size);
		}
	} while (walk_next(&w));
	if (n)
		notes_between(t->var, n, at, &first);
}

static bool is_there(const struct tagged *t)
{
	uint64_t first, end;

	if (t->gone || (t->block && (!block_find(t->lo, &first, &end) || first != t->block)))
		return false;
	/* of a function that has returned */
	if (t->lo < rt.caller && t->hi > rt.stack_top - RT_STACK_REACH && t->lo < rt.stack_top)
		return false;
	return probe(t->lo, t->hi - t->lo, true);
}

static void drop(struct tagged *t)
{
	if (t->saved)
		munmap(t->saved, t->total * t->size);
	t->saved = NULL;
	t->gone = true;
}

static void end_interval(uint32_t to)
{
	notes_interval(ended_main, ended, to);
	elsewhere_fetch_rows();
	probe_start();
	for (uint32_t i = 0; i < ntagged; i++) {
		tagged[i].gone = tagged[i].gone || !is_there(&tagged[i]);
		if (!tagged[i].gone)
			look(&tagged[i]);
	}
	for (uint32_t i = 0; i < ntagged; i++)
		if (!tagged[i].gone)
			look_between(&tagged[i]);
	notes_flush();
	for (uint32_t i = ntagged; i-- > 0;)
		if (!tagged[i].gone)
			put_back(&tagged[i]);
	elsewhere_store_rows();
	for (uint32_t i = 0; i < ntagged; i++)
		drop(&tagged[i]);
	ntagged = 0;
	filled = false;
	delayed = 0;
}

void tags_freed(uint64_t addr, uint64_t n)
{
	for (uint32_t i = 0; tags_on && filled && i < ntagged; i++)
		if (!tagged[i].gone && ((tagged[i].lo < addr + n && addr < tagged[i].hi) ||
					tagged[i].row - addr < n))
			tagged[i].gone = true;
}

/* ---- when ---- */

/* A request of this rank is under way. */
static bool is_pending(void)
{
	const struct mpistate_page *p = &rt.page->mpi_calls;

	for (uint32_t i = 0; i < MPISTATE_POSTED; i++)
		if (atomic_load_explicit(&p->posted[i].key, memory_order_relaxed) &&
		    atomic_load_explicit(&p->posted[i].active, memory_order_relaxed))
			return true;
	return false;
}

/* Whether intervals from there are to have tags. */
static bool is_wanted(uint32_t from)
{
	bool known = false;

	for (uint32_t i = 0; i < npair; i++) {
		if (pair[i].from != from)
			continue;
		known = true;
		if (pair[i].n < LEAST || (pair[i].halves != 3 && pair[i].n < TIMES))
			return true;
	}
	return !known;
}

/* The same on all ranks, whatever requests they have. */
static void pass(uint32_t to, bool tags)
{
	uint32_t i = 0;

	while (i < npair && (pair[i].from != ended || pair[i].to != to))
		i++;
	if (i == PAIRS)
		return;
	if (i == npair) {
		pair[npair].from = ended;
		pair[npair++].to = to;
		quiet = 0;
	}
	pair[i].n += tags;
	if (tags)
		pair[i].halves |= 1u << half;
}

void tags_begin(uint32_t loc)
{
	static bool wanted;

	if (!tags_on)
		return;
	if (ended_main) {
		wanted = is_wanted(ended);
		pass(loc, wanted || filled);
		quiet = wanted ? 0 : quiet + 1;
	}
	if (filled && loc && is_pending() && ++delayed < PENDING)
		return;
	if (filled) {
		end_interval(loc);
		intervals++;
	}
	ended_main = 0;
	if (intervals >= INTERVALS || quiet > QUIET + 3 * npair)
		leave();
}

void tags_end(uint32_t loc)
{
	uint32_t n;

	if (!tags_on)
		return;
	n = times[loc]++;
	ended = loc;
	ended_main = rt.main_n;
	if (filled || !is_wanted(loc))
		return;
	/* each half in intervals of even and of odd numbers */
	half = (n ^ n >> 1) & 1;
	fill_all();
}

void tags_finish(void)
{
	if (!tags_on)
		return;
	tags_begin(0);
	leave();
}
