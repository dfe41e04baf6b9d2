/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The steps that sweeps make, and the pitches of arrays: of those that the steps suggest, the most
 * whose boxes are full; and dimensions that only loops show.
 */
#include "frontend/annotate/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/markcode/markcode.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"

#define CANDIDATES 24
#define GAIN 0.01 /* in fullness, of one more dimension */

/* ---- steps ---- */

static void made(struct walk_level *l, int64_t step, uint64_t n)
{
	struct walk_step *least = &l->made[0];

	for (unsigned i = 0; i < WALK_STEPS; i++) {
		if (l->made[i].step == step) {
			l->made[i].n += n;
			return;
		}
		if (l->made[i].n < least->n)
			least = &l->made[i];
	}
	/* the one seen least gives way: what is frequent stays */
	least->step = step;
	least->n = n;
}

static void go(struct walk *w, unsigned k, int64_t at)
{
	struct walk_level *l = &w->level[k];

	if (!l->any) {
		l->any = true;
		l->begin = l->last = at;
		return;
	}
	if (at == l->last) /* the same element again is no step */
		return;
	if (!l->step) {
		l->step = at - l->last;
		l->length = 1;
		l->last = at;
		return;
	}
	if (at - l->last == l->step) {
		l->length++;
		l->last = at;
		return;
	}
	/* a run has ended; one step alone may be the way from one to the next */
	made(l, l->step, l->length);
	if (k + 1 < WALK_LEVELS)
		go(w, k + 1, l->begin);
	l->begin = l->last = at;
	l->step = 0;
	l->length = 0;
}

void walk_to(struct walk *w, int64_t at)
{
	go(w, 0, at);
}

void walk_end(struct walk *w)
{
	for (unsigned k = 0; k < WALK_LEVELS; k++) {
		struct walk_level *l = &w->level[k];

		if (!l->any)
			continue;
		if (l->step)
			made(l, l->step, l->length);
		if (k + 1 < WALK_LEVELS)
			go(w, k + 1, l->begin);
		l->any = false;
	}
}

/* ---- pitches ---- */

static uint64_t first_bit(const uint64_t *w, uint64_t from, uint64_t bits)
{
	for (uint64_t e = from; e < bits; e++) {
		if (e % 64 == 0 && !w[e / 64]) {
			e += 63;
			continue;
		}
		if (w[e / 64] >> e % 64 & 1)
			return e;
	}
	return UINT64_MAX;
}

bool sweep_box(const struct sweep *s, const struct part *p, unsigned ndim, unsigned unit,
	       int64_t *lo, int64_t *n, double *fill)
{
	int64_t hi[LAYOUT_DIMS];
	uint64_t bits = s->room * 64, found = 0;
	double area = 1;

	for (uint64_t e = first_bit(s->touched, 0, bits); e != UINT64_MAX;
	     e = first_bit(s->touched, e + 1, bits)) {
		int64_t at = (int64_t)(e * s->size / unit);

		for (unsigned d = 0; d < ndim; d++) {
			int64_t i = at / p->pitch[d];

			at %= p->pitch[d];
			if (!found || i < lo[d])
				lo[d] = i;
			if (!found || i > hi[d])
				hi[d] = i;
		}
		found++;
	}
	if (!found)
		return false;
	for (unsigned d = 0; d < ndim; d++) {
		n[d] = hi[d] - lo[d] + 1;
		area *= (double)n[d];
	}
	*fill = (double)found / area;
	return true;
}

#define MOST_SPARED 2 /* layers at a border */

/* From where to where the lines go that access the part; but: not those that set lo … hi - 1. */
static bool hull(const struct rank_seen *s, const struct part *p, const struct array_guess *a,
		 const int64_t *but_lo, const int64_t *but_hi, int64_t *from, int64_t *end)
{
	bool any = false;

	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];
		int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS];
		bool all = but_lo && w->write;
		double fill;

		if (w->region != p->region || w->size > a->unit ||
		    !sweep_box(w, p, a->ndim, a->unit, lo, n, &fill))
			continue;
		for (unsigned d = 0; d < a->ndim; d++)
			all = all && lo[d] == but_lo[d] && lo[d] + n[d] == but_hi[d];
		for (unsigned d = 0; !all && d < a->ndim; d++) {
			from[d] = !any || lo[d] < from[d] ? lo[d] : from[d];
			end[d] = !any || lo[d] + n[d] > end[d] ? lo[d] + n[d] : end[d];
		}
		any = any || !all;
	}
	return any;
}

void part_used(const struct rank_seen *s, const struct part *p, const struct array_guess *a,
	       int64_t *from, int64_t *end)
{
	int64_t lo[LAYOUT_DIMS], hi[LAYOUT_DIMS];

	if (hull(s, p, a, NULL, NULL, lo, hi) && hull(s, p, a, lo, hi, from, end))
		return;
	for (unsigned d = 0; d < a->ndim; d++) {
		from[d] = p->own_lo[d];
		end[d] = p->own_lo[d] + p->own_n[d];
	}
}

bool part_at_border(const struct array_run *x, const struct part *p, unsigned d, bool hi)
{
	return hi ? p->first[d] + p->own_n[d] == x->shape[d] : !p->first[d];
}

/* How much more is touched at a border, the same in all runs; 0: nothing, or not the same. */
static int64_t spared(const struct guesses *g, const struct array_guess *a, unsigned d, bool hi)
{
	int64_t by = -1;

	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t from[LAYOUT_DIMS], end[LAYOUT_DIMS], now;

			if (!part_at_border(&a->run[k], p, d, hi) ||
			    !hull(&g->training[k].rank[r], p, a, NULL, NULL, from, end))
				continue;
			now = hi ? end[d] - p->own_lo[d] - p->own_n[d] : p->own_lo[d] - from[d];
			if (by >= 0 && now != by)
				return 0;
			by = now;
		}
	return by > 0 && by <= MOST_SPARED ? by : 0;
}

/* What is declared behind the whole array is room. */
static void cut_whole(const struct guesses *g, struct array_guess *a)
{
	const struct region *m = &g->training[0].rank[0].region[a->run[0].part[0].region];

	for (unsigned d = 0; (m->name || m->nextent) && d < a->ndim; d++)
		for (uint32_t k = 0; k < g->ntraining; k++)
			for (uint32_t r = 0; r < g->training[k].ranks; r++) {
				struct part *p = &a->run[k].part[r];
				int64_t end = p->own_lo[d] - p->first[d] + a->run[k].shape[d];

				if (end < p->stored[d] && end >= p->own_lo[d] + p->own_n[d])
					p->stored[d] = end;
			}
}

void part_borders(const struct guesses *g, struct array_guess *a)
{
	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t lo = spared(g, a, d, false), hi = spared(g, a, d, true);

		for (uint32_t k = 0; k < g->ntraining; k++) {
			struct array_run *x = &a->run[k];

			for (uint32_t r = 0; r < g->training[k].ranks; r++) {
				struct part *p = &x->part[r];
				bool first = part_at_border(x, p, d, false),
				     last = part_at_border(x, p, d, true);

				p->own_n[d] += (first ? lo : 0) + (last ? hi : 0);
				p->own_lo[d] -= first ? lo : 0;
				p->first[d] += first ? 0 : lo;
			}
			x->shape[d] += lo + hi;
		}
	}
	cut_whole(g, a);
}

bool sweep_row(const struct sweep *s, const struct part *p, unsigned ndim, unsigned unit,
	       unsigned along, int64_t index)
{
	uint64_t bits = s->room * 64, all = 1, found = 0;

	for (unsigned d = 0; d < ndim; d++)
		all *= d == along ? 1 : (uint64_t)p->own_n[d];
	for (uint64_t e = first_bit(s->touched, 0, bits); e != UINT64_MAX;
	     e = first_bit(s->touched, e + 1, bits)) {
		int64_t at = (int64_t)(e * s->size / unit);
		bool in = true;

		for (unsigned d = 0; d < ndim; d++) {
			int64_t i = at / p->pitch[d] - p->own_lo[d];

			at %= p->pitch[d];
			in = in && (d == along ? i == index : i >= 0 && i < p->own_n[d]);
		}
		found += in;
	}
	return found && 2 * found >= all;
}

bool sweep_middle(const struct sweep *s, const struct part *p, unsigned ndim, unsigned unit,
		  const int64_t *lo, const int64_t *n)
{
	uint64_t bits = s->room * 64;

	for (uint64_t e = first_bit(s->touched, 0, bits); e != UINT64_MAX;
	     e = first_bit(s->touched, e + 1, bits)) {
		int64_t at = (int64_t)(e * s->size / unit);
		bool middle = true;

		for (unsigned d = 0; d < ndim; d++) {
			int64_t i = at / p->pitch[d] - lo[d];

			at %= p->pitch[d];
			middle = middle && i >= n[d] / 3 && i < n[d] - n[d] / 3;
		}
		if (middle)
			return true;
	}
	return false;
}

bool sweep_unpacks(const struct rank_seen *r, const struct sweep *s)
{
	for (uint32_t i = 0; i < r->nsweep; i++) {
		const struct sweep *from = &r->sweep[i];

		if (!from->write && from->line == s->line && !strcmp(from->file, s->file) &&
		    from->region != s->region && !r->region[from->region].value)
			return true;
	}
	return false;
}

#define LEAST_IN_ROW 3 /* elements of a dimension inside of a row */

struct candidates {
	struct walk_step of[CANDIDATES]; /* in elements */
	unsigned count;
	uint64_t all;
};

static void candidate(struct candidates *c, int64_t step, uint64_t n)
{
	if (step < 0)
		step = -step;
	c->all += n;
	for (unsigned i = 0; i < c->count; i++) {
		if (c->of[i].step == step) {
			c->of[i].n += n;
			return;
		}
	}
	if (c->count < CANDIDATES)
		c->of[c->count++] = (struct walk_step){ step, n };
}

/* How full the boxes of the sweeps over a region are, each weighed by its elements. */
static double boxes(const struct rank_seen *s, uint32_t region, const struct part *p, unsigned ndim,
		    unsigned unit)
{
	double in = 0, all = 0;

	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];
		int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS];
		double fill;

		if (w->region != region || w->size != unit || w->elements < 4 ||
		    !sweep_box(w, p, ndim, unit, lo, n, &fill))
			continue;
		all += (double)w->elements;
		in += (double)w->elements * fill;
	}
	return all > 0 ? in / all : 0;
}

static void dense(struct part *p, const struct region *r, unsigned unit, unsigned ndim)
{
	int64_t rest = (int64_t)(r->bytes / unit);

	p->pitch[ndim - 1] = 1;
	for (unsigned d = 0; d < ndim; d++) {
		p->stored[d] = rest / p->pitch[d];
		if (d + 1 < ndim)
			rest = p->pitch[d];
		/* what is between rows is none of theirs */
		if (r->rows && rest == (int64_t)(r->rows->pitch / unit))
			rest = (int64_t)(r->rows->bytes / unit);
	}
}

static int by_step(const void *a, const void *b)
{
	const struct walk_step *x = a, *y = b;

	return x->step < y->step ? -1 : x->step > y->step;
}

/* A pitch is one more dimension when boxes are fuller with it, or when it is what loops step in. */
static bool better(const struct candidates *c, unsigned i, double now, double good)
{
	return now > good + GAIN || (now > good - 1e-9 && c->of[i].n * 4 >= c->all);
}

/* What sweeps over the region step in. */
static void candidates_of(const struct rank_seen *s, uint32_t region, unsigned unit,
			  struct candidates *c)
{
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];

		if (w->region != region || w->size != unit)
			continue;
		for (unsigned k = 0; k < WALK_LEVELS; k++)
			for (unsigned j = 0; j < WALK_STEPS; j++)
				if (w->walk.level[k].made[j].n > 1 &&
				    w->walk.level[k].made[j].step % unit == 0)
					candidate(c, w->walk.level[k].made[j].step / unit,
						  w->walk.level[k].made[j].n);
	}
	qsort(c->of, c->count, sizeof(*c->of), by_step);
}

/* One more dimension of that pitch; false: it is no multiple of the next denser one, or the wider
 * one not of it. */
static bool with_pitch(struct part *p, unsigned n, int64_t step)
{
	unsigned k = 0;

	while (k < n && p->pitch[k] > step)
		k++;
	if (k == n || p->pitch[k] == step || step % p->pitch[k] || (k && p->pitch[k - 1] % step))
		return false;
	memmove(p->pitch + k + 1, p->pitch + k, (n - k) * sizeof(*p->pitch));
	p->pitch[k] = step;
	return true;
}

/*
 * The pitches of a region: of those that steps suggest, or that another rank has (like), the most
 * whose boxes are full.
 */
static unsigned pitches_on(const struct rank_seen *s, uint32_t region, unsigned max, struct part *p,
			   unsigned *unit, const struct part *like, unsigned nlike)
{
	const struct region *r = &s->region[region];
	struct candidates c = { .count = 0 };
	struct part best = { .region = region };
	unsigned n = 1;
	double good;

	*unit = r->unit;
	if (r->nextent) {
		*p = (struct part){ .region = region };
		region_pitches(r, p);
		return r->nextent;
	}
	for (unsigned d = 0; d + 1 < nlike; d++)
		candidate(&c, like->pitch[d], 0);
	candidates_of(s, region, *unit, &c);
	if (r->rows)
		candidate(&c, (int64_t)(r->rows->pitch / *unit), c.all + 1);
	dense(&best, r, *unit, 1);
	good = boxes(s, region, &best, 1, *unit);
	while (n < max) {
		struct part from = best;
		bool any = false;

		for (unsigned i = 0; i < c.count; i++) {
			struct part try = from;
			double now;

			/* of rows that are allocated by themselves a line may take every second
			 * element, as in multigrids */
			if ((r->rows && c.of[i].step < LEAST_IN_ROW) ||
			    !with_pitch(&try, n, c.of[i].step))
				continue;
			dense(&try, r, *unit, n + 1);
			now = boxes(s, region, &try, n + 1, *unit);
			if (try.stored[0] < 2 || !better(&c, i, now, good) ||
			    (any && now <= good + 1e-9))
				continue;
			best = try;
			good = now;
			any = true;
		}
		if (!any)
			break;
		n++;
	}
	*p = best;
	return n;
}

void sweep_pitches(const struct training *t, struct part *parts, unsigned max, unsigned *n,
		   unsigned *unit)
{
	uint32_t best = 0;

	for (uint32_t r = 0; r < t->ranks; r++) {
		n[r] = pitches_on(&t->rank[r], parts[r].region, max, &parts[r], &unit[r], NULL, 0);
		best = n[r] > n[best] ? r : best;
	}
	/* one with few rows shows less than others */
	for (uint32_t r = 0; r < t->ranks; r++) {
		struct part own;
		unsigned of, m;

		if (n[r] == n[best] || unit[r] != unit[best])
			continue;
		m = pitches_on(&t->rank[r], parts[r].region, max, &own, &of, &parts[best], n[best]);
		if (m <= n[r])
			continue;
		parts[r] = own;
		n[r] = m;
	}
}

/* ---- regions ---- */

static uint32_t region_like(const struct rank_seen *s, const struct region *like)
{
	for (uint32_t i = 0; i < s->nregion; i++) {
		const struct region *r = &s->region[i];

		if (like->name ? r->name && !strcmp(r->name, like->name) :
				 !r->name && r->line == like->line && r->nth == like->nth &&
					 r->file == like->file)
			return i;
	}
	return UINT32_MAX;
}

bool guesses_regions(const struct training *t, struct array_guess *a, struct array_run *x,
		     const struct region *like)
{
	for (uint32_t r = 0; r < t->ranks; r++) {
		x->part[r].region = region_like(&t->rank[r], like);
		if (x->part[r].region != UINT32_MAX)
			continue;
		snprintf(a->why_not, sizeof(a->why_not),
			 "rank %u of %u does not have it: ranks that have blocks in different "
			 "numbers are not understood",
			 r, t->ranks);
		return false;
	}
	return true;
}

/* ---- dimensions that loops show ---- */

static bool shape_known(const struct guesses *g, uint32_t array)
{
	return g->training[0].rank[0].region[g->array[array].run[0].part[0].region].nextent;
}

/* How many elements of the array the loops go over that are inside of the first n of a nest; false:
 * it is not known. */
static bool row_of_loops(const struct loop *const *in, unsigned n, unsigned depth,
			 const struct env *env, int64_t *row)
{
	int64_t from, to;

	*row = 1;
	for (; n < depth; n++) {
		const struct loop *x = in[n];

		if (!x->from || !x->to || x->down || !env_value(env, x->from, &from) ||
		    !env_value(env, x->to, &to) || to + !x->below <= from)
			return false;
		*row *= to + !x->below - from;
	}
	return true;
}

/* One more dimension; false: there is none. */
static bool fold(struct guesses *g, const struct draft_loop *l, uint32_t array)
{
	const struct loop *in[LAYOUT_DIMS];
	struct env *env = xcalloc(DRAFT_ENV, sizeof(*env));
	uint32_t n = place_environments(g, l->scan, l->loop->first, l->loop->first, env), i = 0;
	int64_t *row = xcalloc(g->ntraining, sizeof(*row)), now;
	unsigned depth = draft_nest(l->scan, l->loop, in, LAYOUT_DIMS), ndim = g->array[array].ndim;
	bool good = n && depth > ndim && !shape_known(g, array);

	for (uint32_t k = 0; good && k < g->ntraining; k++) {
		for (uint32_t r = 0; good && r < g->training[k].ranks; r++, i++) {
			good = row_of_loops(in, ndim, depth, &env[i], &now) &&
			       (!r || row[k] == now);
			row[k] = now;
		}
	}
	/* what is as large has rows that are as long, also where no loop goes over all of them */
	for (uint32_t j = 0; good && j < g->narray; j++)
		if (j != array && ((g->array[j].ndim == ndim &&
				    guesses_as_large(g, &g->array[j], &g->array[array])) ||
				   g->array[j].component_of == array + 1))
			guesses_fold(g, j, row);
	if (good)
		guesses_fold(g, array, row);
	free(env);
	free(row);
	return g->array[array].ndim > ndim;
}

/* complex(8), std::complex<double>, or a pointer that is shown with a number of these. */
static bool is_of_complex(const struct variable *v)
{
	return strstr(v->value, "-> (") || strstr(v->value, "-> {_M_value = (") ||
	       strstr(v->type, "complex") || strstr(v->type, "_Complex");
}

/* It is shown as complex numbers where ranks have stopped. */
static bool is_complex(const struct guesses *g, const struct array_guess *a)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	uint64_t base = s->region[a->run[0].part[0].region].base;

	for (uint32_t i = 0; i < s->nstop; i++) {
		for (uint32_t k = 0; k < s->stop[i].nframe; k++) {
			const struct frame_seen *f = &s->stop[i].frame[k];

			for (uint32_t j = 0; j < f->nvariable; j++)
				if (f->variable[j].pointer &&
				    (uint64_t)f->variable[j].number == base &&
				    is_of_complex(&f->variable[j]))
					return true;
		}
	}
	return false;
}

#define LOOKS 8 /* lines that access a variable, which are asked what it is */

/* The number that the code comes to whatever the program does. */
static bool constant(const struct symbol_code *c, int64_t *value)
{
	int64_t stack[4];
	unsigned n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct markcode_op *op = &c->op[i];

		if (op->op == MARKCODE_CONST && n < 4) {
			stack[n++] = op->value;
		} else if (op->op == MARKCODE_MUL && n > 1) {
			n--;
			stack[n - 1] *= stack[n];
		} else if ((op->op == MARKCODE_ADD || op->op == MARKCODE_SUB) && n > 1) {
			n--;
			stack[n - 1] += op->op == MARKCODE_ADD ? stack[n] : -stack[n];
		} else {
			return false;
		}
	}
	*value = n ? stack[0] : 0;
	return n == 1 && stack[0] > 0;
}

/* The dimensions of a variable that is an array of structures: that of their parts comes last.
 * False: it is none, or has too many. */
static bool structures_of(const struct symbol_object *o, struct region *r)
{
	int64_t wider = (int64_t)r->bytes, stride;
	unsigned n = o->ndim;

	if (o->type < VALUE_TYPES || o->pointer || o->fortran || !n || n >= LAYOUT_DIMS ||
	    !r->unit || o->elem <= r->unit || o->elem % r->unit)
		return false;
	for (unsigned d = 0; d < n; d++) {
		if (!constant(&o->stride[d], &stride) || wider % stride)
			return false;
		r->extent[d] = wider / stride;
		wider = stride;
	}
	r->extent[n] = wider / r->unit;
	if (wider != o->elem)
		return false;
	r->nextent = n + 1;
	r->structures = true;
	return true;
}

static void structures_seen(const struct draft *m, struct rank_seen *s, uint32_t region)
{
	struct symbol_site site[SYMBOL_SITES];
	struct region *r = &s->region[region];
	struct symbol_object o;
	struct err none;
	unsigned looks = 0;

	for (uint32_t i = 0; i < s->nsweep && looks < LOOKS && !r->structures; i++) {
		const struct sweep *w = &s->sweep[i];

		if (w->region != region || marks_fortran(w->file) ||
		    symbols_sites(m->symbols, m->program, w->file, w->line, w->line, site, &none) <=
			    0)
			continue;
		looks++;
		if (!symbols_object(m->symbols, m->program, site[0].vaddr, r->name, &o, &none)) {
			if (!structures_of(&o, r))
				looks = LOOKS;
		}
		symbol_object_clear(&o);
	}
}

void training_structures(const struct draft *m, struct training *t, uint32_t n)
{
	struct rank_seen *first = &t[0].rank[0];

	for (uint32_t i = 0; i < first->nregion; i++) {
		const struct region *x = &first->region[i];

		if (!x->name || x->stack || x->nextent)
			continue;
		structures_seen(m, first, i);
		for (uint32_t k = 0; x->structures && k < n; k++)
			for (uint32_t r = 0; r < t[k].ranks; r++)
				for (uint32_t j = 0; j < t[k].rank[r].nregion; j++) {
					struct region *o = &t[k].rank[r].region[j];

					if (o == x || !o->name || strcmp(o->name, x->name) ||
					    o->bytes != x->bytes || o->unit != x->unit)
						continue;
					memcpy(o->extent, x->extent, sizeof(o->extent));
					o->nextent = x->nextent;
					o->structures = true;
				}
	}
}

/* Its declaration has the distances of structures. */
static bool is_declared(const struct guesses *g, const struct array_guess *a)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	uint32_t region = a->run[0].part[0].region;

	return region < s->nregion && s->region[region].structures;
}

/* Elements of a std::vector, as the debug information has it. */
static bool is_vector(const char *name)
{
	static const char *const start = "._M_impl._M_start";
	size_t n = strlen(name), m = strlen(start);

	return n > m && !strcmp(name + n - m, start);
}

/* A pointer to structures leads there. */
static bool is_of_structures(const struct guesses *g, const struct array_guess *a)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	uint32_t region = a->run[0].part[0].region;

	if (is_declared(g, a))
		return true;
	for (uint32_t i = 0; region < s->nregion && i < s->nstop; i++) {
		for (uint32_t k = 0; k < s->stop[i].nframe; k++) {
			const struct frame_seen *f = &s->stop[i].frame[k];

			for (uint32_t j = 0; j < f->nvariable; j++) {
				const struct variable *v = &f->variable[j];

				if ((uint64_t)v->number == s->region[region].base &&
				    variable_of_structures(v) &&
				    (is_vector(v->name) || !strpbrk(v->name, ".>[")))
					return true;
			}
		}
	}
	return false;
}

void draft_fold(struct draft *m, struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++) {
		struct array_guess *a = &g->array[i];

		if (a->tiles && is_complex(g, a) && !guesses_pair(g, i))
			snprintf(
				a->why_not, sizeof(a->why_not),
				"its elements are complex, and its parts no whole numbers of them");
		if (a->tiles && !*a->why_not && !a->cyclic &&
		    ((!a->full && !a->room) || is_declared(g, a)) && is_of_structures(g, a))
			guesses_structures(g, i);
	}

	for (uint32_t i = 0; i < m->nloop; i++) {
		const struct draft_loop *l = &m->loop[i];

		for (uint32_t j = 0; j < l->run[0].nwrites; j++)
			while (fold(g, l, l->run[0].writes[j]))
				;
		for (uint32_t j = 0; j < l->run[0].nreads; j++)
			while (fold(g, l, l->run[0].reads[j]))
				;
	}
	guesses_halos(g);
	for (uint32_t i = 0; i < g->narray; i++) {
		struct array_guess *a = &g->array[i];

		if (*a->why_not && !a->stack && !a->listed && is_of_structures(g, a))
			snprintf(a->why_not, sizeof(a->why_not), STRUCTURES);
	}
}

bool declared_room(const struct draft *m, const struct array_guess *a, const struct place_of *p,
		   const char *name)
{
	struct symbol_site site[SYMBOL_SITES];
	struct symbol_object o;
	struct err none;
	int64_t wide, dense;
	bool room = false;

	if (!m->symbols || symbols_sites(m->symbols, m->program, p->scan->path, p->stop, p->stop,
					 site, &none) <= 0)
		return false;
	if (!symbols_object(m->symbols, m->program, site[0].vaddr, name, &o, &none) &&
	    o.ndim == a->ndim && o.type < VALUE_TYPES && !o.pointer && !o.fortran)
		for (uint32_t k = 0; k < a->nrun; k++) {
			const struct part *x = &a->run[k].part[0];

			for (unsigned d = 1; d < a->ndim; d++)
				room = room || (constant(&o.stride[d - 1], &wide) &&
						constant(&o.stride[d], &dense) &&
						wide > dense * (x->own_n[d] + a->halo_lo[d] +
								a->halo_hi[d]));
		}
	symbol_object_clear(&o);
	return room;
}
