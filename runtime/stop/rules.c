/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our own copy of the supervisor's stop rules, arranged so that a mark asks only those that can
 * hit: rules for points sorted, rules for places remembered per place.
 */
#include "runtime/stop/stop.h"
#include "runtime/record/record.h"

#include <assert.h>
#include <string.h>

#define COUNTS 65536 /* a power of two, twice PAGE_RULES_MAX */
#define MATCHES 65536

static_assert(PAGE_RULES_MAX * 2 <= COUNTS, "the table of counts must stay half empty");

/* Hits of one actionpoint; outlives changes of the rules. */
struct count {
	uint32_t id;
	uint32_t used;
	uint32_t hits;
	uint32_t mark; /* the mark it has been counted at last */
};

struct set {
	struct rule rule[PAGE_RULES_MAX];
	uint32_t count_at[PAGE_RULES_MAX]; /* of each rule, in counts[cur] */
	uint32_t by_point[PAGE_RULES_MAX]; /* rules for points, ascending */
	uint32_t by_place[PAGE_RULES_MAX]; /* the others */
	uint32_t match[MATCHES];	   /* rules per place: runs that rt_loc.match_at names */
	struct count counts[2][COUNTS];
};

static struct set *set;
static uint32_t seq, gen = 1; /* gen: of the matches kept per place */
static uint32_t npoint, nplace, nmatch, mark;
static unsigned cur;	/* which counts are valid */
static uint32_t loaded; /* the version of the rules that are here */
static bool iterations; /* some rules name iterations */

int rules_init(void)
{
	set = rt_pages(sizeof(*set));
	return set ? 0 : -1;
}

bool rules_changed(void)
{
	return atomic_load_explicit(&rt.page->rule_seq, memory_order_acquire) != seq;
}

bool rules_any(void)
{
	return npoint + nplace > 0;
}

/* Order of points as numbers: for search, not for time. */
static int point_key(const struct point *a, const struct point *b)
{
	if (a->main != b->main)
		return a->main < b->main ? -1 : 1;
	if (a->task != b->task && point_kind(a) == POINT_KIND_MARKS)
		return a->task < b->task ? -1 : 1;
	if (a->sub != b->sub)
		return a->sub < b->sub ? -1 : 1;
	return a->side == b->side ? 0 : a->side < b->side ? -1 : 1;
}

static bool rule_before(uint32_t a, uint32_t b)
{
	int c = point_key(&set->rule[a].point, &set->rule[b].point);

	return c ? c < 0 : a < b;
}

static void sift(uint32_t *v, uint32_t i, uint32_t n)
{
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		uint32_t x = v[i];

		if (child + 1 < n && rule_before(v[child], v[child + 1]))
			child++;
		if (!rule_before(x, v[child]))
			return;
		v[i] = v[child];
		v[child] = x;
	}
}

/* Heapsort: qsort may call malloc. */
static void sort(uint32_t *v, uint32_t n)
{
	for (uint32_t i = n / 2; i--;)
		sift(v, i, n);
	while (n > 1) {
		uint32_t x = v[--n];

		v[n] = v[0];
		v[0] = x;
		sift(v, 0, n);
	}
}

static uint32_t count_find(const struct count *t, uint32_t id)
{
	uint32_t i = id * 2654435761u % COUNTS;

	while (t[i].used && t[i].id != id)
		i = (i + 1) % COUNTS;
	return i;
}

/* Takes the valid order; false: it has the rules that are here already. */
static bool copy(struct plan *plan, uint32_t *n)
{
	static struct watch watch[WATCH_MOST];
	static struct trace_config_place level[TRACE_CONFIG_PLACES];
	uint32_t nwatch, nlevel, version;
	bool fresh;

	do {
		const struct page_order *o;

		seq = atomic_load(&rt.page->rule_seq);
		o = &rt.page->order[seq & 1];
		version = o->version;
		fresh = version != loaded;
		*plan = o->plan;
		rt.trace_config = o->trace_config;
		*n = o->n < PAGE_RULES_MAX ? o->n : PAGE_RULES_MAX;
		nwatch = o->nwatch < WATCH_MOST ? o->nwatch : WATCH_MOST;
		nlevel = o->nplace < TRACE_CONFIG_PLACES ? o->nplace : TRACE_CONFIG_PLACES;
		if (fresh) {
			memcpy(set->rule, rt.page->rules[o->which & 1], *n * sizeof(*set->rule));
			memcpy(watch, o->watch, nwatch * sizeof(*watch));
			memcpy(level, rt.page->place[o->which & 1], nlevel * sizeof(*level));
		}
		atomic_thread_fence(memory_order_seq_cst);
	} while (rules_changed());
	stack_resolve(&plan->target);
	stack_resolve(&rt.trace_config.start);
	stack_resolve(&rt.trace_config.finish);
	loaded = version;
	if (fresh) {
		watched_set(watch, nwatch);
		gate_places(level, nlevel);
	}
	return fresh;
}

void rules_load(struct plan *plan)
{
	struct count *old = set->counts[cur], *new = set->counts[cur ^ 1];
	uint32_t n;

	if (!copy(plan, &n))
		return;
	if (npoint + nplace || n)
		memset(new, 0, sizeof(set->counts[0]));
	npoint = nplace = nmatch = 0;
	iterations = false;
	for (uint32_t i = 0; i < n; i++) {
		struct rule *r = &set->rule[i];
		uint32_t at = count_find(new, r->id), was = count_find(old, r->id);

		r->file[RULE_FILE - 1] = 0;
		if (!new[at].used)
			new[at] = (struct count){ r->id, 1, old[was].used ? old[was].hits : 0, 0 };
		set->count_at[i] = at;
		iterations |= r->niter > 0;
		if (r->kind == RULE_POINT)
			set->by_point[npoint++] = i;
		else
			set->by_place[nplace++] = i;
	}
	sort(set->by_point, npoint);
	cur ^= 1;
	gen++;
}

static bool place_matches(const struct rule *r, const struct rt_loc *l)
{
	return arena_loc_is(r->kind, r->file, r->line, r->vaddr, l);
}

struct hits {
	const struct rt_frame *f;
	enum stop_at at;
	uint32_t *act;
	unsigned n;
};

unsigned rules_act_put(uint32_t act[REPORT_ACTS], unsigned n, uint32_t id)
{
	unsigned at;

	for (at = n; at && act[at - 1] > id; at--)
		;
	if (at == REPORT_ACTS || (at && act[at - 1] == id))
		return n;
	if (n == REPORT_ACTS)
		n--;
	memmove(&act[at + 1], &act[at], (n - at) * sizeof(*act));
	act[at] = id;
	return n + 1;
}

/* The iteration that has just been marked, or the task that begins, is one that r names. */
static bool iteration_matches(const struct rule *r, const struct hits *h)
{
	const struct page_frame *pf;
	uint32_t depth = rt.loop;

	/* without hooks there are no marks in it: whoever set this is to be informed */
	if (h->at == STOP_AT_BEGIN && h->f->kind == CONSTRUCT_PL)
		return !access_hooked();
	if (h->at == STOP_AT_BEGIN)
		depth = h->f->kind == CONSTRUCT_TASK ? rt.depth : 0;
	if (!depth || depth > PAGE_FRAMES)
		return false;
	pf = &rt.page->frame[depth - 1];
	if (pf->nidx != r->niter)
		return false;
	for (unsigned i = 0; i < r->niter && i < RULE_ITERS; i++)
		if (!(r->any >> i & 1) && pf->idx[i] != r->iter[i])
			return false;
	return true;
}

static bool applies(const struct rule *r, const struct hits *h)
{
	if (r->niter)
		return iteration_matches(r, h);
	return h->at != STOP_AT_ITERATION;
}

bool rules_is_early(const struct point *from)
{
	return (from->main || point_is_after(from)) &&
	       point_compare(point_is_second(from) ? &rt.before : &rt.last, from) == POINT_BEFORE;
}

static void hit(struct hits *h, uint32_t i)
{
	const struct rule *r = &set->rule[i];
	struct count *c = &set->counts[cur][set->count_at[i]];

	if (!applies(r, h) || (r->common && (!h->f->numbered || h->f->point.sub)))
		return;
	if (rules_is_early(&r->from))
		return;
	if (c->mark == mark)
		return;
	c->mark = mark;
	c->hits++;
	if (r->count > 1 && c->hits % r->count)
		return;
	h->n = rules_act_put(h->act, h->n, r->id);
}

static void match_points(struct hits *h, const struct point *p)
{
	uint32_t lo = 0, hi = npoint;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (point_key(&set->rule[set->by_point[mid]].point, p) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < npoint && !point_key(&set->rule[set->by_point[lo]].point, p); lo++)
		hit(h, set->by_point[lo]);
}

static void match_places(struct hits *h, struct rt_loc *l)
{
	if (l->match_gen == gen) {
		for (uint32_t i = 0; i < l->match_n; i++)
			hit(h, set->match[l->match_at + i]);
		return;
	}
	l->match_at = nmatch;
	l->match_n = 0;
	for (uint32_t i = 0; i < nplace; i++) {
		if (!place_matches(&set->rule[set->by_place[i]], l))
			continue;
		hit(h, set->by_place[i]);
		if (l->match_at + l->match_n < MATCHES)
			set->match[l->match_at + l->match_n] = set->by_place[i];
		l->match_n++;
	}
	/* a run that does not fit any more is found again each time */
	if (l->match_at + l->match_n > MATCHES)
		return;
	nmatch += l->match_n;
	l->match_gen = gen;
}

bool rules_iterations(void)
{
	return iterations;
}

unsigned rules_match(const struct rt_frame *f, enum stop_at at, uint32_t act[REPORT_ACTS])
{
	struct hits h = { .f = f, .at = at, .act = act };

	if (at == STOP_AT_ITERATION && !iterations)
		return 0;
	mark++;
	if (npoint && f->numbered && at != STOP_AT_ITERATION)
		match_points(&h, &rt.last);
	if (nplace && at != STOP_AT_END)
		match_places(&h, &rt_loc[f->loc]);
	return h.n;
}
