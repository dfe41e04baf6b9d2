/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/checksum/checksum.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "common/core/memory.h"

static void take_point_sums(struct sum_numbers *n, const struct sum_point_sums *t)
{
	n->least = t->least < n->least ? t->least : n->least;
	n->most = t->most > n->most ? t->most : n->most;
	n->nan += t->nan;
	n->up += t->up;
	n->dn += t->dn;
}

static void start_block(struct sum_block *b)
{
	*b = (struct sum_block){ 0 };
	for (unsigned k = 0; k < 2; k++) {
		b->part[k].least = INT64_MAX;
		b->part[k].most = INT64_MIN;
	}
}

static void take_cell(struct sum_block *b, const struct sum_cell *cell, unsigned parts)
{
	b->count += cell->count;
	b->hash += cell->hash;
	b->odd += cell->odd;
	for (unsigned k = 0; k < parts; k++)
		take_point_sums(&b->part[k], &cell->part[k]);
}

/* Adds what is in the slot to total (settled digits: 2^31 such sums fit), and rounds it. */
static double take_slot(const struct sum *s, size_t slot, int64_t total[SUM_DIGITS])
{
	int64_t digit[SUM_DIGITS];

	if (s->rounded)
		return sum_rounded(s, slot);
	sum_take(s, slot, digit);
	for (unsigned i = 0; i < SUM_DIGITS; i++)
		total[i] += digit[i];
	return sum_round(digit, 1);
}

static void finish_whole(const struct sum *s, struct sum_result *r,
			 int64_t total[2 + SUM_SIGNS][SUM_DIGITS])
{
	unsigned parts = s->plan.parts;

	for (unsigned k = 0; k < parts + SUM_SIGNS; k++) {
		if (k >= parts + SUM_BLOCK_SIGNS)
			take_slot(s, sum_slot(s, 0, k), total[k]);
		sum_settle(total[k]);
	}
	for (unsigned k = 0; k < parts; k++) {
		struct sum_numbers *n = &r->all.part[k];
		uint64_t finite = r->all.count - n->nan - n->up - n->dn;

		n->sum = sum_round(total[k], 1);
		r->mean[k] = finite ? sum_round(total[k], finite) : 0;
	}
	for (unsigned k = 0; k < SUM_SIGNS; k++)
		r->sign[k] = sum_round(total[parts + k], 1);
	memcpy(r->all.sign, r->sign, sizeof r->all.sign);
}

/* The same of a quick sum, by the sums of the blocks. */
static void finish_quick(struct sum_result *r)
{
	for (unsigned k = 0; k < r->plan.parts; k++) {
		struct sum_numbers *n = &r->all.part[k];
		uint64_t finite = r->all.count - n->nan - n->up - n->dn;

		for (uint32_t i = 0; i < r->plan.blocks; i++)
			n->sum += r->block[i].part[k].sum;
		r->mean[k] = finite ? n->sum / (double)finite : 0;
	}
	for (unsigned k = 0; k < SUM_BLOCK_SIGNS; k++)
		for (uint32_t i = 0; i < r->plan.blocks; i++)
			r->sign[k] += r->block[i].sign[k];
	memcpy(r->all.sign, r->sign, sizeof r->all.sign);
}

struct sum_result *sum_finish(const struct sum *s, struct err *err)
{
	struct sum_result *r = memory_got(calloc(1, sizeof *r));
	int64_t total[2 + SUM_SIGNS][SUM_DIGITS] = { 0 };
	unsigned parts = s->plan.parts;

	if (r)
		r->block = memory_got(calloc(s->plan.blocks, sizeof *r->block));
	if (!r || !r->block) {
		sum_result_destroy(r);
		err_set(err, "no memory for a checksum of %u blocks", s->plan.blocks);
		return NULL;
	}
	r->plan = s->plan;
	start_block(&r->all);
	for (uint32_t i = 0; i < s->plan.blocks; i++) {
		struct sum_block *b = &r->block[i];

		start_block(b);
		if (!s->cell[i].count)
			continue;
		take_cell(b, &s->cell[i], parts);
		take_cell(&r->all, &s->cell[i], parts);
		for (unsigned k = 0; k < parts; k++)
			b->part[k].sum = take_slot(s, sum_slot(s, i, k), total[k]);
		for (unsigned k = 0; k < SUM_BLOCK_SIGNS; k++)
			b->sign[k] = take_slot(s, sum_slot(s, i, parts + k), total[parts + k]);
	}
	if (s->rounded)
		finish_quick(r);
	else
		finish_whole(s, r, total);
	return r;
}

void sum_result_destroy(struct sum_result *r)
{
	if (!r)
		return;
	free(r->block);
	free(r);
}

double sum_mean(const struct sum_result *r, unsigned part)
{
	const struct sum_numbers *n = &r->all.part[part];

	if (n->nan || (n->up && n->dn))
		return NAN;
	if (n->up)
		return INFINITY;
	return n->dn ? -INFINITY : r->mean[part];
}

static bool is_wide(const struct sum_plan *p)
{
	enum value_class class = value_class(p->type);

	return value_size(p->type) == 8 && (class == VALUE_IS_INT || class == VALUE_IS_UINT);
}

bool sum_key_fits(const struct sum_plan *p, int64_t key)
{
	enum value_class class = value_class(p->type);
	double v;

	if (is_wide(p))
		return true;
	v = sum_unkey(key);
	if (class == VALUE_IS_REAL || class == VALUE_IS_COMPLEX)
		return isfinite(v);
	return fabs(v) <= UINT32_MAX && v == trunc(v);
}

struct value sum_key_value(const struct sum_plan *p, int64_t key)
{
	struct value v = { .class = value_class(p->type) };

	if (v.class == VALUE_IS_COMPLEX)
		v.class = VALUE_IS_REAL; /* one part */
	if (v.class == VALUE_IS_REAL)
		v.re = sum_unkey(key);
	else if (!is_wide(p))
		v.i = (int64_t)sum_unkey(key);
	else
		v.i = v.class == VALUE_IS_UINT ? key ^ INT64_MIN : key;
	return v;
}

/* What compares two blocks, or two whole arrays. */
struct contrast {
	double norm;	/* the estimate, with what rounding of the sums may hide */
	double extreme; /* how far an extreme moved */
	double scale;	/* the greatest magnitude */
	double moved;	/* how far an extreme moved, in units of its own */
	bool counts, odd;
};

static double estimate(const double *a, const double *b, unsigned n)
{
	double square = 0, least = 0, scale = 0;

	for (unsigned k = 0; k < n; k++) {
		double larger = fmax(fabs(a[k]), fabs(b[k])), off = fabs(a[k] - b[k]);

		/* sums that overflowed say nothing, unless they are the same */
		if (!isfinite(off))
			off = a[k] == b[k] ? 0 : INFINITY;
		else
			least = fmax(least, larger * DBL_EPSILON);
		scale = fmax(scale, off);
	}
	if (scale == 0 || isinf(scale))
		return scale + least;
	for (unsigned k = 0; k < n; k++) {
		double off = fabs(a[k] - b[k]) / scale;

		square += isfinite(off) ? off * off : 0;
	}
	return scale * sqrt(square / n) + least;
}

/* Numbers of a plan as doubles; good enough to see how far they moved. */
static double key_double(const struct sum_plan *p, int64_t key)
{
	struct value v = sum_key_value(p, key);

	if (v.class == VALUE_IS_REAL)
		return v.re;
	return v.class == VALUE_IS_UINT ? (double)(uint64_t)v.i : (double)v.i;
}

static double magnitude(const struct sum_plan *p, const struct sum_numbers *n)
{
	if (n->least > n->most)
		return 0;
	return fmax(fabs(key_double(p, n->least)), fabs(key_double(p, n->most)));
}

double sum_block_magnitude(const struct sum_plan *p, const struct sum_block *b)
{
	double most = 0;

	for (unsigned k = 0; k < p->parts; k++)
		most = fmax(most, magnitude(p, &b->part[k]));
	return most;
}

/* |x - y| in units of the larger one */
static double moved(double x, double y)
{
	return x == y ? 0 : fabs(x - y) / fmax(fabs(x), fabs(y));
}

static void contrast_part(const struct sum_plan *p, const struct sum_numbers *a,
			  const struct sum_numbers *b, struct contrast *c)
{
	double least[2], most[2];

	if (a->nan != b->nan || a->up != b->up || a->dn != b->dn)
		c->odd = true;
	if (a->least > a->most || b->least > b->most)
		return;
	least[0] = key_double(p, a->least);
	least[1] = key_double(p, b->least);
	most[0] = key_double(p, a->most);
	most[1] = key_double(p, b->most);
	c->extreme = fmax(c->extreme, fmax(fabs(least[0] - least[1]), fabs(most[0] - most[1])));
	c->moved = fmax(c->moved, fmax(moved(least[0], least[1]), moved(most[0], most[1])));
	c->scale = fmax(c->scale, fmax(magnitude(p, a), magnitude(p, b)));
}

static struct contrast contrast(const struct sum_plan *p, const struct sum_block *a,
				const struct sum_block *b)
{
	struct contrast c = { .norm = estimate(a->sign, b->sign, SUM_BLOCK_SIGNS),
			      .counts = a->count != b->count,
			      .odd = a->odd != b->odd };

	for (unsigned k = 0; k < p->parts; k++)
		contrast_part(p, &a->part[k], &b->part[k], &c);
	return c;
}

static bool same(const struct sum_block *a, const struct sum_block *b)
{
	return a->hash == b->hash && a->count == b->count;
}

static void shape_text(const struct sum_plan *p, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "%s", value_type_name(p->type));

	for (unsigned d = 0; d < p->ndim && n < size; d++)
		n += (size_t)snprintf(out + n, size - n, "%s%lld", d ? " x " : " ",
				      (long long)p->extent[d]);
	if (n < size)
		snprintf(out + n, size - n, " in %u block%s", p->blocks, p->blocks == 1 ? "" : "s");
}

static void set_in(uint8_t set[SUM_BLOCKS / 8], uint32_t block)
{
	set[block / 8] |= (uint8_t)(1u << block % 8);
}

bool sum_in(const uint8_t set[SUM_BLOCKS / 8], uint32_t block)
{
	return block < SUM_BLOCKS && (set[block / 8] >> block % 8 & 1);
}

/* What the reference has had in blocks, and in their components; of SUM_SCALED. */
struct scales {
	double now[SUM_BLOCKS], block[SUM_BLOCKS], component[SUM_BLOCKS];
};

static void scales_make(struct scales *s, const struct sum_result *ref,
			const struct sum_tolerance *tol)
{
	for (uint32_t i = 0; i < ref->plan.blocks; i++) {
		s->now[i] = sum_block_magnitude(&ref->plan, &ref->block[i]);
		s->block[i] = fmax(s->now[i], tol->scale ? tol->scale[i] : 0);
	}
	sum_components(&ref->plan, s->block, s->component);
}

/* How much an element of a block may differ; *norm: the 2-norm of all n. */
static double limit_of(const struct sum_tolerance *tol, const struct sum_plan *p, uint32_t i,
		       const struct contrast *c, const struct scales *s, double n, double *norm)
{
	if (tol->mode == SUM_SCALED) {
		*norm = sum_limit(tol->exp, p->type, s->block[i], s->component[i] * sqrt(n));
		return sum_limit(tol->exp, p->type, s->block[i], s->component[i]);
	}
	*norm = tol->exp;
	if (tol->mode == SUM_RELATIVE)
		*norm *= fmax(tol->rel_min, c->scale);
	return *norm;
}

/* Judges a block that differs; its tolerance is added to the 2-norm *all. */
static void compare_block(const struct sum_result *ref, uint32_t i, const struct contrast *c,
			const struct scales *s, const struct sum_tolerance *tol, bool exact,
			struct sum_difference *out, double *all)
{
	double norm, limit = limit_of(tol, &ref->plan, i, c, s, (double)ref->block[i].count, &norm);
	bool wrong;

	/* so written that NaN, from a damaged file, is wrong */
	wrong = exact || c->counts || c->odd || !(c->norm <= norm) || !(c->extreme <= limit);
	*all = hypot(*all, norm); /* the square of a small number would be 0 */
	out->counts |= c->counts;
	out->odd |= c->odd;
	out->most = fmax(out->most, c->extreme);
	if (!out->differ || c->norm > out->worst_norm) {
		out->worst = i;
		out->worst_norm = c->norm;
	}
	out->differ++;
	set_in(out->in_differ, i);
	if (wrong) {
		out->wrong++;
		set_in(out->in_wrong, i);
	} else if (tol->mode == SUM_SCALED) {
		out->small += c->moved > tol->exp || c->norm > tol->exp * s->now[i];
	}
}

int sum_compare(const struct sum_result *a, const struct sum_result *b,
		const struct sum_tolerance *tol, struct sum_difference *out, struct err *err)
{
	enum value_class class = value_class(a->plan.type);
	bool exact =
		tol->mode == SUM_EXACT || (class != VALUE_IS_REAL && class != VALUE_IS_COMPLEX);
	struct scales scales;
	char here[256], there[256];
	double all = 0;

	*out = (struct sum_difference){ .verdict = SUM_EQUAL };
	if (!sum_plan_equal(&a->plan, &b->plan)) {
		shape_text(&a->plan, here, sizeof here);
		shape_text(&b->plan, there, sizeof there);
		return err_set(err, "checksums of different arrays: %s, and %s", here, there);
	}
	for (uint32_t i = 0; i < a->plan.blocks; i++) {
		if (!same(&a->block[i], &b->block[i])) {
			struct contrast c = contrast(&a->plan, &a->block[i], &b->block[i]);

			if (!out->differ)
				scales_make(&scales, a, tol);
			compare_block(a, i, &c, &scales, tol, exact, out, &all);
		}
	}
	if (!out->differ)
		return 0;
	out->norm = fmax(estimate(a->sign, b->sign, a->plan.quick ? SUM_BLOCK_SIGNS : SUM_SIGNS),
			 out->most);
	if (!out->wrong && !(out->norm <= all)) {
		/* the better estimate says what those of the blocks missed */
		out->wrong = 1;
		set_in(out->in_wrong, out->worst);
	}
	out->verdict = out->wrong ? SUM_FAULT : SUM_ROUNDING;
	return 0;
}
