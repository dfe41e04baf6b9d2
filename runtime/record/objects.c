/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered objects by address, for the access hooks. The owner makes the table again when
 * something was registered or forgotten, or a pointer points elsewhere; other threads read it
 * meanwhile, and try again when it has changed under them. What an object is recorded as is a
 * version: a description in the page that never changes, so that blocks can name it after it was
 * registered again.
 */
#include "runtime/record/record.h"

#include <string.h>
#include <strings.h>

#include "common/array/array.h"
#include "runtime/base/peek.h"

#define VERSIONS 16 /* of one object that are looked through for an equal one */
#define LEVELS 64
#define SEGMENTS (2 * VAR_MOST)
#define TRIES                                                                               \
	1000000 /* looks at what keeps changing, as who changes it was interrupted for good \
		 */

/* What is known of a registered object. */
struct known {
	uint32_t version; /* its newest, the others by next; 0: none so far */
	uint32_t serial;  /* of the registration that current is of */
	uint32_t current; /* the version, 0: it is not recorded */
	uint64_t base;	  /* where it was */
	/* as it was reported last: a version keeps the address that it was made at */
	uint64_t at; /* its memory */
	uint32_t reported;
	uint64_t reported_at;
};

struct extent {
	uint64_t lo, hi;
	uint64_t base; /* where the object begins, or would, with all rows as this one */
	uint32_t version; /* or ACCESS_SKIP */
	uint32_t serial;
	uint32_t shape; /* its version all the same */
	bool gaps;	/* not all of the memory is its elements' */
};

/* Of memory that one object has; or several between whose elements are those of others. */
struct segment {
	uint64_t lo, hi, base;
	uint32_t version;
	bool mixed;
};

static struct {
	_Atomic uint32_t turn; /* odd while it changes */
	uint32_t n, nextent;
	struct segment segment[SEGMENTS];
	struct extent extent[VAR_MOST]; /* as flatten has them */
} * table;

static struct {
	struct known known[VAR_MOST];
	struct extent extent[VAR_MOST];
	uint32_t open[VAR_MOST];
	uint32_t replicated[VAR_MOST]; /* numbers of objects */
	uint32_t nreplicated;
	uint32_t changes; /* var_changes() at the last look */
	bool stale;
} * own;

/* Objects with levels of their own. */
static struct object_level {
	uint32_t line, counter; /* 0: any; else the counter + 1 */
	unsigned level;
	char name[RULE_FILE];
} level[LEVELS];
static uint32_t nlevel;

_Atomic uint32_t objects_stamp;

int objects_init(void)
{
	if (own)
		return 0;
	table = rt_pages(sizeof(*table));
	own = rt_pages(sizeof(*own));
	if (!table || !own)
		return -1;
	own->stale = true;
	return 0;
}

void objects_filter(void)
{
	own->stale = true;
}

static const struct page_entity *entity(uint32_t i)
{
	uint32_t loc;

	return arena_at(var_entity(i, &loc));
}

/* Where its first element is now, 0: nowhere. */
static uint64_t base_of(const struct page_entity *e)
{
	uint64_t at;

	if (!e->by_pointer)
		return e->addr - (uint64_t)e->before;
	return peek_8(e->addr, &at) && at ? at - (uint64_t)e->before : 0;
}

static bool same_list(uint32_t a, uint32_t b, uint32_t n)
{
	if (!a != !b)
		return false;
	return !a || !memcmp(arena_at(a), arena_at(b), n * sizeof(int64_t));
}

static bool same_dim(const struct page_entity *a, const struct page_entity *b, uint32_t d)
{
	return a->lower[d] == b->lower[d] && a->extent[d] == b->extent[d] &&
	       a->own_lo[d] == b->own_lo[d] && a->own_hi[d] == b->own_hi[d] &&
	       a->halo_lo[d] == b->halo_lo[d] && a->halo_hi[d] == b->halo_hi[d] &&
	       a->stride[d] == b->stride[d] && a->list_n[d] == b->list_n[d] &&
	       same_list(a->list[d], b->list[d], a->list_n[d]);
}

static bool same(const struct page_entity *a, const struct page_entity *b)
{
	if (a->name != b->name || a->loc != b->loc || a->kind != b->kind || a->type != b->type ||
	    a->order != b->order || a->elem_size != b->elem_size || a->ndim != b->ndim ||
	    a->nfield != b->nfield || a->counter != b->counter || a->copies != b->copies ||
	    a->copy != b->copy)
		return false;
	for (uint32_t d = 0; d < a->ndim; d++)
		if (!same_dim(a, b, d))
			return false;
	return !a->nfield || !memcmp(arena_at(a->field), arena_at(b->field),
				     a->nfield * sizeof(struct page_field));
}

/* A copy in the arena, *to; false: no room. */
static bool copy_part(uint32_t *to, uint32_t from, size_t n)
{
	*to = 0;
	if (!from || !n)
		return true;
	*to = arena_take(n);
	if (*to)
		memcpy(arena_at(*to), arena_at(from), n);
	return *to != 0;
}

/* The arena offset of a new version, whose memory begins at base; 0: no room. */
static uint32_t make(struct known *k, const struct page_entity *e, uint64_t base)
{
	uint32_t off = arena_take(sizeof(*e));
	struct page_entity *v;

	if (!off)
		return 0;
	v = arena_at(off);
	memcpy(v, e, sizeof(*v));
	v->by_pointer = 0;
	v->before = 0;
	v->addr = base;
	for (uint32_t d = 0; d < e->ndim; d++)
		if (!copy_part(&v->list[d], e->list[d], e->list_n[d] * sizeof(int64_t)))
			return 0;
	if (!copy_part(&v->field, e->field, e->nfield * sizeof(struct page_field)))
		return 0;
	atomic_store(&v->next, k->version);
	atomic_store(&v->live, 1);
	k->version = off;
	return off;
}

/* The version of what is registered now. */
static uint32_t version_of(struct known *k, const struct page_entity *e, uint64_t base)
{
	uint32_t off = k->version;

	if (k->serial == e->serial && k->current)
		return k->current;
	for (unsigned n = 0; off && n < VERSIONS; n++) {
		const struct page_entity *v = arena_at(off);

		if (same(v, e))
			break;
		off = n + 1 < VERSIONS ? atomic_load(&v->next) : 0;
	}
	k->serial = e->serial;
	k->current = off ? off : make(k, e, base);
	return k->current;
}

/* Of what reductions are reported, under the place they are reported at. */
#define RESULTS 256
static struct result {
	uint32_t loc;
	struct known known;
} result[RESULTS];
static uint32_t nresult;

uint32_t objects_version(struct page_entity *e, const char *name, size_t len, uint32_t loc)
{
	struct result *r = NULL;

	e->name = arena_string(name, len);
	e->loc = rt_loc[loc].off;
	for (uint32_t i = 0; i < nresult && !r; i++)
		if (result[i].loc == loc)
			r = &result[i];
	if (!r && nresult < RESULTS) {
		r = &result[nresult++];
		r->loc = loc;
	}
	if (!r)
		return 0;
	e->serial = 1;
	if (r->known.current && same(arena_at(r->known.current), e))
		return r->known.current;
	r->known.current = 0;
	return version_of(&r->known, e, e->addr);
}

void objects_levels(const struct trace_config_place *p, uint32_t n)
{
	nlevel = 0;
	for (uint32_t i = 0; i < n && nlevel < LEVELS; i++) {
		if (p[i].kind != TRACE_CONFIG_ARRAY)
			continue;
		level[nlevel] =
			(struct object_level){ p[i].line, (uint32_t)p[i].vaddr, p[i].level, "" };
		memcpy(level[nlevel].name, p[i].file, RULE_FILE);
		level[nlevel++].name[RULE_FILE - 1] = '\0';
	}
}

/* The most of it that is recorded (enum trace_config_level). */
static unsigned level_of(const struct page_entity *e)
{
	const char *name = arena_at(e->name);
	const struct page_loc *loc = e->loc ? arena_at(e->loc) : NULL;

	unsigned least = TRACE_CONFIG_FULL;

	for (uint32_t i = 0; i < nlevel; i++) {
		const struct object_level *l = &level[i];

		if (l->level < least && !strcasecmp(l->name, name) &&
		    (!l->counter || l->counter == e->counter + 1) &&
		    (!l->line || !loc || !loc->line || l->line == loc->line))
			least = l->level;
	}
	return least;
}

static bool wanted(const struct page_entity *e)
{
	const struct trace_config *g = &rt.trace_config;
	const char *name = arena_at(e->name);

	for (unsigned i = 0; i < g->nname && i < TRACE_CONFIG_NAMES; i++)
		if (!strncasecmp(g->name[i], name, TRACE_CONFIG_NAME))
			return true;
	return !g->nname;
}

/* How many elements it has here in a dimension, with halos; not positive: none. */
static int64_t count_of(const struct page_entity *e, uint32_t d)
{
	int64_t n = e->list[d] ? e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;

	if (e->kind == ARRAY_REPLICATED)
		n = e->extent[d];
	return n <= 0 ? 0 : n + e->halo_lo[d] + e->halo_hi[d];
}

/* The memory that it has here; false: none. */
static bool extent_of(struct extent *x, const struct page_entity *e, uint64_t base)
{
	int64_t lo = 0, hi = e->elem_size, bytes = e->elem_size;

	for (uint32_t d = 0; d < e->ndim; d++) {
		int64_t n = count_of(e, d), reach;

		if (n <= 0 ||
		    __builtin_mul_overflow((n - 1) * e->stride[d], (int64_t)e->elem_size, &reach))
			return false;
		*(reach < 0 ? &lo : &hi) += reach;
		bytes *= n;
	}
	*x = (struct extent){ .lo = base + (uint64_t)lo,
			      .hi = base + (uint64_t)hi,
			      .base = base + (uint64_t)lo,
			      .serial = e->serial,
			      .gaps = bytes < hi - lo };
	return x->lo < x->hi;
}

static uint64_t width(const struct page_entity *e, uint32_t d)
{
	return e->stride[d] < 0 ? -(uint64_t)e->stride[d] : (uint64_t)e->stride[d];
}

/* The widest dimension that is not among done, of equal ones the longest. */
static uint32_t widest(const struct page_entity *e, uint32_t done)
{
	uint32_t best = 0;

	for (uint32_t d = 0; d < e->ndim; d++)
		if (!(done >> d & 1) &&
		    (done >> best & 1 || width(e, d) > width(e, best) ||
		     (width(e, d) == width(e, best) && count_of(e, d) > count_of(e, best))))
			best = d;
	return best;
}

/* Whether the byte, counted from where the array's memory begins, is one of an element, which then
 * begins *within bytes before it; else none begins before *next bytes behind it. */
static bool has_byte(const struct page_entity *e, uint64_t at, uint64_t *within, uint64_t *next)
{
	uint32_t done = 0;

	*next = UINT64_MAX;
	for (uint32_t i = 0; i < e->ndim; i++) {
		uint32_t d = widest(e, done);
		uint64_t step = width(e, d) * e->elem_size;

		done |= 1u << d;
		if (!step)
			continue;
		*next = step - at % step;
		if (at / step >= (uint64_t)count_of(e, d))
			return false;
		at %= step;
	}
	*within = at;
	return at < e->elem_size;
}

static bool is_there(const struct page_entity *e)
{
	return atomic_load_explicit(&e->live, memory_order_relaxed) &&
	       !atomic_load_explicit(&e->freed, memory_order_relaxed);
}

/* Whether something has changed since the last time. */
static bool changed(void)
{
	uint32_t now = var_changes();
	bool any = own->stale || now != own->changes;

	own->stale = false;
	own->changes = now;
	for (uint32_t i = 0; i < var_count(); i++) {
		const struct page_entity *e = entity(i);
		struct known *k = &own->known[i];
		uint64_t base;

		if (!is_there(e))
			continue;
		base = base_of(e);
		any |= base != k->base;
		k->base = base;
	}
	return any;
}

/* Rows that are copied to where the object is are accessed where they lie: extent n, which is all
 * of it, becomes one for each. Returns how many there are. */
static uint32_t spread(uint32_t n, const struct page_entity *e)
{
	const struct extent whole = own->extent[n];
	uint64_t bytes = (uint64_t)e->stride[0] * e->elem_size, row;
	uint32_t made = 0;

	for (uint64_t k = 0; k < (uint64_t)count_of(e, 0) && n + made < VAR_MOST; k++) {
		if (!peek_8(e->table + k * e->apart, &row))
			continue;
		own->extent[n + made] = whole;
		own->extent[n + made].lo = row;
		own->extent[n + made].hi = row + bytes;
		own->extent[n + made++].base = row - k * bytes;
	}
	return made;
}

/* All that is registered, in own->extent; returns how many have memory. */
static uint32_t collect(void)
{
	uint32_t n = 0;

	own->nreplicated = 0;
	for (uint32_t i = 0; i < var_count() && n < VAR_MOST; i++) {
		const struct page_entity *e = entity(i);
		uint64_t base = own->known[i].base;

		if (!is_there(e) || !base || !extent_of(&own->extent[n], e, base))
			continue;
		own->extent[n].version = version_of(&own->known[i], e, own->extent[n].lo);
		own->known[i].at = own->extent[n].lo;
		if (!own->extent[n].version)
			continue;
		own->extent[n].shape = own->extent[n].version;
		if (e->kind == ARRAY_REPLICATED && level_of(e) > TRACE_CONFIG_NONE)
			own->replicated[own->nreplicated++] = i;
		if (!wanted(e) || level_of(e) < TRACE_CONFIG_MODIFY)
			own->extent[n].version = ACCESS_SKIP;
		n += e->table ? spread(n, e) : 1;
	}
	return n;
}

/* By where they begin; of those that begin together the larger, then the older one first. */
static bool before(const struct extent *a, const struct extent *b)
{
	if (a->lo != b->lo)
		return a->lo < b->lo;
	return a->hi != b->hi ? a->hi > b->hi : a->serial < b->serial;
}

static void sift(struct extent *v, uint32_t i, uint32_t n)
{
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		struct extent x = v[i];

		if (child + 1 < n && before(&v[child], &v[child + 1]))
			child++;
		if (!before(&x, &v[child]))
			return;
		v[i] = v[child];
		v[child] = x;
	}
}

/* Heapsort: qsort may call malloc. */
static void sort(struct extent *v, uint32_t n)
{
	for (uint32_t i = n / 2; i--;)
		sift(v, i, n);
	while (n > 1) {
		struct extent x = v[--n];

		v[n] = v[0];
		v[0] = x;
		sift(v, 0, n);
	}
}

/* lo … hi belongs to x, in which others are. */
static void add_segment(uint64_t lo, uint64_t hi, const struct extent *x, bool others)
{
	if (lo < hi && table->n < SEGMENTS)
		table->segment[table->n++] =
			(struct segment){ lo, hi, x->base, x->version, others && x->gaps };
}

/* Of objects that are in others the inner one has the memory. */
static void flatten(const struct extent *x, uint32_t n)
{
	uint32_t *open = own->open, nopen = 0;
	uint64_t at = 0;

	table->n = 0;
	for (uint32_t i = 0; i <= n; i++) {
		uint64_t next = i < n ? x[i].lo : UINT64_MAX;

		while (nopen && x[open[nopen - 1]].hi <= next) {
			const struct extent *top = &x[open[--nopen]];

			add_segment(at, top->hi, top, nopen);
			at = top->hi > at ? top->hi : at;
		}
		if (nopen)
			add_segment(at, next, &x[open[nopen - 1]], nopen > 1);
		at = next;
		if (i < n)
			open[nopen++] = i;
	}
}

/* Where versions are now that were made elsewhere, as those of pointers that are swapped. */
static void report_moved(void)
{
	struct tracer *t = tracer_self;

	for (uint32_t i = 0; t && i < var_count(); i++) {
		struct known *k = &own->known[i];
		const struct page_entity *v = k->current ? arena_at(k->current) : NULL;

		if (!v || !k->base || (k->reported == k->current && k->reported_at == k->at))
			continue;
		if ((!k->reported && v->addr == k->at) || declare_moved_to(t, k->current, k->at)) {
			k->reported = k->current;
			k->reported_at = k->at;
		} else {
			own->stale = true;
		}
	}
}

void objects_refresh(void)
{
	var_forget_stack();
	objects_renew();
}

void objects_renew(void)
{
	uint32_t turn, n;

	if (!changed())
		return;
	n = collect();
	sort(own->extent, n);
	turn = atomic_load_explicit(&table->turn, memory_order_relaxed);
	atomic_store_explicit(&table->turn, turn + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	flatten(own->extent, n);
	memcpy(table->extent, own->extent, n * sizeof(*table->extent));
	table->nextent = n;
	atomic_store_explicit(&table->turn, turn + 2, memory_order_release);
	atomic_fetch_add(&nowhere_stamp, 1);
	atomic_fetch_add(&objects_stamp, 1);
	if (tracer_self)
		tracer_forget(tracer_self);
	report_moved();
}

/* What is at addr, or between which ones it is: *lo … *hi then, and version 0. */
static struct segment look(uint64_t addr)
{
	uint32_t low = 0, n = table->n < SEGMENTS ? table->n : SEGMENTS, high = n;
	struct segment gap = { .hi = UINT64_MAX };

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (table->segment[mid].lo <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && addr < table->segment[low - 1].hi)
		return table->segment[low - 1];
	if (low)
		gap.lo = table->segment[low - 1].hi;
	if (low < n)
		gap.hi = table->segment[low].lo;
	return gap;
}

/* Of several with gaps, as members of structures are, the one that has an element at addr, no more
 * than that; or the gap between two. */
static struct segment inspect_between(uint64_t addr, struct segment g)
{
	uint32_t n = table->nextent < VAR_MOST ? table->nextent : VAR_MOST;
	uint64_t within = 0, next = 0;

	g.lo = addr;
	for (uint32_t i = n; i--;) {
		const struct extent *x = &table->extent[i];
		const struct page_entity *e = objects_entity(x->shape);

		if (addr < x->lo || addr >= x->hi || !e)
			continue;
		if (has_byte(e, addr - x->base, &within, &next))
			return (struct segment){ addr - within, addr - within + e->elem_size, x->base,
						 x->version, true };
		if (next < g.hi - addr)
			g.hi = addr + next;
	}
	return g;
}

void objects_find(uint64_t addr, bool others, struct access_spot *s)
{
	uint32_t turn, stamp, tries = TRIES;
	struct segment g;

	do {
		turn = atomic_load_explicit(&table->turn, memory_order_acquire);
		stamp = atomic_load(&objects_stamp);
		g = look(addr);
		if (g.mixed)
			g = inspect_between(addr, g);
		atomic_thread_fence(memory_order_acquire);
	} while ((turn & 1 || turn != atomic_load_explicit(&table->turn, memory_order_relaxed)) &&
		 --tries);
	s->valid = &objects_stamp;
	s->stamp = stamp;
	s->base = g.base;
	s->object = g.version ? g.version : ACCESS_SKIP;
	s->unread = nlevel && g.version && g.version != ACCESS_SKIP &&
		    level_of(objects_entity(g.version)) < TRACE_CONFIG_FULL;
	if (!g.version && others) {
		s->valid = &nowhere_stamp;
		s->stamp = atomic_load(&nowhere_stamp);
		s->object = TRACE_NOWHERE;
		if (heap_find(addr, s, &g.lo, &g.hi)) {
			/* what is registered in it is not of the heap */
			g.lo = g.lo > s->lo ? g.lo : s->lo;
			g.hi = g.hi < s->lo + s->span ? g.hi : s->lo + s->span;
		}
	}
	s->lo = g.lo;
	s->span = g.hi - g.lo;
}

const struct page_entity *objects_entity(uint32_t version)
{
	if (!version || version & PAGE_VERSION_HEAP ||
	    version > PAGE_ARENA - sizeof(struct page_entity))
		return NULL;
	return arena_at(version);
}

void objects_versions(uint32_t i, void (*fn)(void *arg, struct page_entity *e), void *arg)
{
	uint32_t off = own->known[i].version;

	for (unsigned n = 0; off && n < VERSIONS; n++) {
		struct page_entity *e = arena_at(off);

		fn(arg, e);
		off = atomic_load(&e->next);
	}
}

bool objects_replicated(uint32_t i, struct trace_object_item *out)
{
	uint32_t k;

	if (i >= own->nreplicated)
		return false;
	k = own->replicated[i];
	out->e = entity(k);
	out->addr = own->known[k].base;
	out->version = own->known[k].current;
	return true;
}
