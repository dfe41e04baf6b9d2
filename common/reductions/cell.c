/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done to one variable. A change is from a value that was read to the next that is written.
 * For each operation the fold of all contributions is kept: of SUM to - from, of PROD to / from, of
 * MAX and MIN to, and so on; what the operation cannot do (MAX that lowers) is noted.
 */
#include "common/reductions/internal.h"

#include <math.h>
#include <string.h>

#define RICH 3 /* changes with values that are not equal by chance */

uint64_t cell_number(enum cell_view view, uint64_t bytes, unsigned size)
{
	unsigned shift = 64 - 8 * size;
	uint32_t half = (uint32_t)bytes;
	float f;

	if (view == CELL_INT)
		return size < 8 ? (uint64_t)((int64_t)(bytes << shift) >> shift) : bytes;
	if (size == 8)
		return bytes;
	if (size != 4)
		return 0;
	memcpy(&f, &half, sizeof(f));
	return fold_bits((double)f);
}

uint64_t fold_neutral(enum cell_view view, unsigned op)
{
	switch (op) {
	case REDUCTION_PROD:
		return view == CELL_REAL ? fold_bits(1) : 1;
	case REDUCTION_MAX:
		return view == CELL_REAL ? fold_bits(-INFINITY) : (uint64_t)INT64_MIN;
	case REDUCTION_MIN:
		return view == CELL_REAL ? fold_bits(INFINITY) : (uint64_t)INT64_MAX;
	case REDUCTION_AND:
	case REDUCTION_EQV:
		return 1;
	case REDUCTION_BAND:
		return UINT64_MAX;
	}
	return 0;
}

/* Those of all operations are combined for each change: their code is made for each by itself. */
#define EVERY static inline __attribute__((always_inline))
#define EACH_REAL(X) X(REDUCTION_SUM) X(REDUCTION_PROD) X(REDUCTION_MAX) X(REDUCTION_MIN)
#define EACH_INT(X)                                                                          \
	EACH_REAL(X)                                                                         \
	X(REDUCTION_AND) X(REDUCTION_OR) X(REDUCTION_XOR) X(REDUCTION_EQV) X(REDUCTION_BAND) \
		X(REDUCTION_BOR) X(REDUCTION_BXOR)

EVERY uint64_t apply_real(unsigned op, double a, double b)
{
	switch (op) {
	case REDUCTION_SUM:
		return fold_bits(a + b);
	case REDUCTION_PROD:
		return fold_bits(a * b);
	case REDUCTION_MAX:
		return fold_bits(b > a || isnan(b) ? b : a);
	case REDUCTION_MIN:
		return fold_bits(b < a || isnan(b) ? b : a);
	}
	return 0;
}

EVERY uint64_t apply_int(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case REDUCTION_SUM:
		return a + b;
	case REDUCTION_PROD:
		return a * b;
	case REDUCTION_MAX:
		return (int64_t)a > (int64_t)b ? a : b;
	case REDUCTION_MIN:
		return (int64_t)a < (int64_t)b ? a : b;
	case REDUCTION_AND:
		return a && b;
	case REDUCTION_OR:
		return a || b;
	case REDUCTION_XOR:
		return !a != !b;
	case REDUCTION_EQV:
		return !a == !b;
	case REDUCTION_BAND:
		return a & b;
	case REDUCTION_BOR:
		return a | b;
	case REDUCTION_BXOR:
		return a ^ b;
	}
	return 0;
}

EVERY uint64_t apply(enum cell_view view, unsigned op, uint64_t a, uint64_t b)
{
	return view == CELL_REAL ? apply_real(op, fold_real(a), fold_real(b)) : apply_int(op, a, b);
}

uint64_t fold_apply(enum cell_view view, unsigned op, uint64_t a, uint64_t b)
{
	return apply(view, op, a, b);
}

/* ---- one change ---- */

/* What makes `to` of `from`. False: nothing does. */
EVERY bool part_real(unsigned op, double from, double to, uint64_t *part)
{
	*part = fold_bits(to);
	switch (op) {
	case REDUCTION_SUM:
		*part = fold_bits(isinf(from) || isinf(to) ? (from == to ? 0 : to) : to - from);
		return true;
	case REDUCTION_PROD:
		*part = fold_bits(from == to ? 1 : to / from);
		return from != 0 || to == 0 || isnan(to);
	case REDUCTION_MAX:
		return !(to < from);
	case REDUCTION_MIN:
		return !(to > from);
	}
	return false;
}

EVERY bool part_int(unsigned op, uint64_t from, uint64_t to, uint64_t *part)
{
	*part = to;
	switch (op) {
	case REDUCTION_SUM:
		*part = to - from;
		return true;
	case REDUCTION_PROD:
		*part = from == to	     ? 1
			: !from		     ? to
			: from == UINT64_MAX ? 0 - to
					     : (uint64_t)((int64_t)to / (int64_t)from);
		return from == to || (from && to == *part * from);
	case REDUCTION_MAX:
		return (int64_t)to >= (int64_t)from;
	case REDUCTION_MIN:
		return (int64_t)to <= (int64_t)from;
	case REDUCTION_AND:
		*part = to || !from;
		return from || !to;
	case REDUCTION_OR:
		return !from || to;
	case REDUCTION_XOR:
		*part = !from != !to;
		return true;
	case REDUCTION_EQV:
		*part = !from == !to;
		return true;
	case REDUCTION_BAND:
		*part = to | ~from;
		return !(to & ~from);
	case REDUCTION_BOR:
		return !(from & ~to);
	case REDUCTION_BXOR:
		*part = from ^ to;
		return true;
	}
	return false;
}

static void keep_step(struct cell_sums *s, bool raises, uint64_t from, uint64_t to,
		      const struct cell_at *at)
{
	struct cell_step *step = &s->step[raises];

	if (step->there || !at->iter)
		return;
	*step = (struct cell_step){ .there = true, .nidx = at->nidx, .from = from, .to = to };
	memcpy(step->index, at->index, sizeof(step->index));
}

static void keep_steps(struct cell_sums *s, enum cell_view view, uint64_t from, uint64_t to,
		       const struct cell_at *at)
{
	bool up = view == CELL_REAL ? fold_real(to) > fold_real(from) : (int64_t)to > (int64_t)from;
	bool down =
		view == CELL_REAL ? fold_real(to) < fold_real(from) : (int64_t)to < (int64_t)from;

	if (up || down)
		keep_step(s, up, from, to, at);
}

/* In iterations what contradicts is combined all the same; outside it begins anew. */
EVERY void change_fold(struct cell_sums *s, enum cell_view view, unsigned op, uint64_t from,
		       uint64_t to, bool iter)
{
	uint64_t *fold = &s->fold[op - 1], part;
	bool can = view == CELL_REAL ? part_real(op, fold_real(from), fold_real(to), &part)
				     : part_int(op, from, to, &part);

	if (can || iter)
		*fold = apply(view, op, *fold, can ? part : to);
	else
		*fold = to;
	s->based |= (uint16_t)(!can && !iter ? 1u << op : 0);
	s->against |= (uint16_t)(!can && iter ? 1u << op : 0);
	if (view == CELL_REAL && op == REDUCTION_SUM)
		s->scale += fabs(fold_real(part));
}

static void change_real(struct cell_sums *s, uint64_t from, uint64_t to, const struct cell_at *at)
{
#define X(op) change_fold(s, CELL_REAL, op, from, to, at->iter);
	EACH_REAL(X)
#undef X
	keep_steps(s, CELL_REAL, from, to, at);
}

static void change_int(struct cell_sums *s, uint64_t from, uint64_t to, const struct cell_at *at)
{
#define X(op) change_fold(s, CELL_INT, op, from, to, at->iter);
	EACH_INT(X)
#undef X
	keep_steps(s, CELL_INT, from, to, at);
}

/* Set without what was there before: the value is what the iteration has for it. */
static void set_real(struct cell_sums *s, uint64_t to)
{
#define X(op) s->fold[op - 1] = apply(CELL_REAL, op, s->fold[op - 1], to);
	EACH_REAL(X)
#undef X
	s->scale += fabs(fold_real(to));
}

static void set_int(struct cell_sums *s, uint64_t to)
{
#define X(op) s->fold[op - 1] = apply(CELL_INT, op, s->fold[op - 1], to);
	EACH_INT(X)
#undef X
}

/* ---- by what it was changed ---- */

static void fold_way(double *fold, double t)
{
	fold[0] += t;
	fold[1] *= t;
	fold[2] = fmax(fold[2], t);
	fold[3] = fmin(fold[3], t);
}

/* Numbers that are not equal by chance: not small ones, nor simple fractions. */
static bool is_rich(double d, unsigned size)
{
	uint64_t bits = fold_bits(d);

	return isfinite(d) && (bits & (size == 8 ? 0xffffffu : UINT64_C(0x1fffffff0))) != 0;
}

static bool is_way(enum cell_way way, double from, double to, double t)
{
	switch (way) {
	case CELL_COPY:
		return to == t;
	case CELL_ADD:
		return to == from + t;
	case CELL_TIMES:
		return to == from * t;
	default:
		return false;
	}
}

/* Tries values that were read, and simple things that are made of one or two. */
static bool try_way(enum cell_way way, unsigned size, double from, double to,
		    const struct cell_recent *r, double *t)
{
	unsigned n = r->n < CELL_RECENT ? r->n : CELL_RECENT;

	for (unsigned i = 0; i < n; i++) {
		double a = r->value[i], of[3] = { a, fabs(a), a * a };

		for (unsigned k = 0; k < 3; k++)
			if (is_way(way, from, to, *t = size == 4 ? (double)(float)of[k] : of[k]))
				return true;
		for (unsigned j = 0; j < i; j++) {
			double b = r->value[j], two[4] = { a * b, fabs(a - b), a - b, b - a };

			for (unsigned k = 0; k < 4; k++)
				if (is_way(way, from, to, *t = two[k]))
					return true;
		}
	}
	return false;
}

static void see_ways(struct cell *c, uint64_t from_bytes, uint64_t to_bytes,
		     const struct cell_recent *recent)
{
	double from = fold_real(cell_number(CELL_REAL, from_bytes, c->size));
	double to = fold_real(cell_number(CELL_REAL, to_bytes, c->size)), t;

	if (from == to || (c->size != 4 && c->size != 8))
		return;
	for (enum cell_way way = 0; way < CELL_WAYS; way++) {
		if (!(c->ways & 1u << way))
			continue;
		if (!try_way(way, c->size, from, to, recent, &t)) {
			c->ways &= (uint16_t) ~(1u << way);
			continue;
		}
		fold_way(c->way[way], t);
		if (from != 0 && is_rich(to, c->size) && is_rich(t, c->size) &&
		    c->hits[way] < UINT16_MAX)
			c->hits[way]++;
	}
}

/* ---- accesses ---- */

static void cell_set(struct cell *c, uint64_t value)
{
	c->first = c->now = value;
	c->known = true;
	c->fresh = c->iter = c->sets = c->changed = c->anew = false;
	c->count = 0;
	c->loop = (struct point){ 0 };
	for (unsigned v = 0; v < CELL_VIEWS; v++) {
		c->sums[v] = (struct cell_sums){ 0 };
		for (unsigned op = 1; op <= REDUCTION_FOLDS; op++)
			c->sums[v].fold[op - 1] = fold_neutral(v, op);
	}
	c->ways = (1u << CELL_WAYS) - 1;
	for (unsigned way = 0; way < CELL_WAYS; way++) {
		c->hits[way] = 0;
		c->way[way][0] = 0;
		c->way[way][1] = 1;
		c->way[way][2] = -INFINITY;
		c->way[way][3] = INFINITY;
	}
}

void cell_begin(struct cell *c, uint64_t addr, unsigned size)
{
	*c = (struct cell){ .addr = addr, .size = (uint8_t)size };
}

static void cell_touch(struct cell *c, const struct cell_at *at)
{
	c->unit = at->unit;
	c->opened = at->opened;
}

void cell_read(struct cell *c, uint64_t value, const struct cell_at *at)
{
	if (!c->known || c->anew) {
		cell_set(c, value);
	} else if (value != c->now) {
		/* MPI, or code without hooks: between constructs that is how it is set */
		if (at->iter && c->iter && c->opened == at->opened)
			c->changed = true;
		else
			cell_set(c, value);
		c->now = value;
	}
	c->fresh = true;
	cell_touch(c, at);
}

static void cell_change(struct cell *c, uint64_t from, uint64_t to, const struct cell_at *at,
			const struct cell_recent *recent)
{
	change_real(&c->sums[CELL_REAL], cell_number(CELL_REAL, from, c->size),
		    cell_number(CELL_REAL, to, c->size), at);
	change_int(&c->sums[CELL_INT], cell_number(CELL_INT, from, c->size),
		   cell_number(CELL_INT, to, c->size), at);
	c->count++;
	if (at->iter)
		see_ways(c, from, to, recent);
}

static void cell_contribute(struct cell *c, const struct cell_at *at)
{
	c->iter = true;
	c->loop = at->loop;
	c->loop_kind = at->loop_kind;
}

void cell_write(struct cell *c, uint64_t value, const struct cell_at *at,
		const struct cell_recent *recent)
{
	bool again = c->known && c->unit == at->unit && c->written == at->unit;

	if (c->anew && !c->fresh)
		c->known = false;
	/* read here, behind the loop: it is scaled or the like; else it is set for what comes
	 * next */
	if (!at->iter && c->fresh && c->iter && c->unit == at->unit) {
		cell_change(c, c->now, value, at, recent);
	} else if (!at->iter || !c->known) {
		cell_set(c, value);
	} else if (c->fresh || (again && !(value == c->first && c->now != c->first))) {
		/* a value that is kept in a register is not read again */
		cell_change(c, c->now, value, at, recent);
		cell_contribute(c, at);
	} else {
		set_real(&c->sums[CELL_REAL], cell_number(CELL_REAL, value, c->size));
		set_int(&c->sums[CELL_INT], cell_number(CELL_INT, value, c->size));
		c->count++;
		c->ways = 0;
		c->sets = true;
		cell_contribute(c, at);
	}
	c->now = value;
	c->fresh = false;
	c->written = at->unit;
	cell_touch(c, at);
}
