/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoded: the plan; u16 number of blocks that have elements; for each, ascending, its number, cell
 * and sums; then the sums of the whole array. A sum is u8 first digit, u8 number of digits, and
 * these as i32.
 */
#include "common/checksum/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/memory.h"

/* 1 and 2 were the same with blocks that were not cut along components. */
#define WIRE_EXACT 3
#define WIRE_QUICK 4 /* each sum is an f64, and there are those of blocks only */

enum { CELL_ODD = 1, CELL_NUMBERS = 2 }; /* flags: what follows */

int sum_plan_code(struct codec *c, struct sum_plan *p)
{
	int64_t extent[ARRAY_DIMS];
	unsigned version = p->quick ? WIRE_QUICK : WIRE_EXACT, type = p->type, ndim = p->ndim,
		 most = p->most_blocks;

	codec_u8(c, &version);
	if (codec_good(c) && version != WIRE_EXACT && version != WIRE_QUICK) {
		err_set(c->err, "checksum of version %u; this program reads versions %d and %d",
			version, WIRE_EXACT, WIRE_QUICK);
		return codec_fail(c);
	}
	codec_u8(c, &type);
	codec_u8(c, &ndim);
	memcpy(extent, p->extent, sizeof(extent));
	codec_i64s(c, extent, ndim < ARRAY_DIMS ? ndim : ARRAY_DIMS);
	codec_u16(c, &most);
	codec_check(c, most);
	if (!c->get)
		return codec_end(c);
	if (!codec_good(c))
		return err_set(c->err, "a checksum's geometry is cut off or damaged");
	if (sum_plan_make(p, ndim, extent, type, most, c->err))
		return codec_fail(c);
	p->quick = version == WIRE_QUICK;
	return 0;
}

static void point_sums_code(struct codec *c, struct sum_point_sums *t, const struct sum_plan *p,
			    uint64_t count)
{
	unsigned flags = (t->nan || t->up || t->dn ? CELL_ODD : 0) |
			 (t->least <= t->most ? CELL_NUMBERS : 0);

	codec_below(c, &flags, (CELL_ODD | CELL_NUMBERS) + 1);
	if (c->get)
		*t = (struct sum_point_sums){ .least = INT64_MAX, .most = INT64_MIN };
	if (flags & CELL_NUMBERS) {
		codec_i64(c, &t->least);
		codec_i64(c, &t->most);
		codec_check(c, t->least <= t->most && sum_key_fits(p, t->least) &&
				       sum_key_fits(p, t->most));
	}
	if (flags & CELL_ODD) {
		codec_u64(c, &t->nan);
		codec_u64(c, &t->up);
		codec_u64(c, &t->dn);
	}
	codec_check(c,
		    t->nan <= count && t->up <= count - t->nan && t->dn <= count - t->nan - t->up);
	/* numbers are there exactly when not all are odd */
	codec_check(c, (t->nan + t->up + t->dn < count) == !!(flags & CELL_NUMBERS));
}

static void slot_code(struct codec *c, struct sum *s, size_t slot)
{
	int64_t digit[SUM_DIGITS];
	unsigned low = 0, n = 0;
	double rounded;

	if (s->rounded) {
		rounded = c->get ? 0 : sum_rounded(s, slot);
		codec_f64(c, &rounded);
		if (c->get)
			s->rounded[slot][0] = rounded;
		return;
	}
	if (!c->get) {
		sum_take(s, slot, digit);
		for (n = SUM_DIGITS; n > 0 && !digit[n - 1];)
			n--;
		while (low < n && !digit[low])
			low++;
		n -= low;
	}
	codec_u8(c, &low);
	codec_u8(c, &n);
	codec_check(c, low + n <= SUM_DIGITS);
	if (!codec_good(c) || !n)
		return;
	if (c->get)
		sum_touch(s, low, low + n);
	for (unsigned i = low; i < low + n; i++) {
		int32_t d = c->get ? 0 : (int32_t)digit[i];

		codec_u32(c, &d);
		if (c->get)
			s->digit[i * s->slots + slot] = d;
	}
}

/* One block, whose number is at least *block when it is got. */
static void cell_code(struct codec *c, struct sum *s, uint32_t *block)
{
	uint32_t i = *block;
	struct sum_cell *cell;

	codec_u16(c, &i);
	codec_check(c, i >= *block && i < s->plan.blocks);
	if (!codec_good(c))
		return;
	*block = i;
	cell = &s->cell[i];
	codec_u64(c, &cell->count);
	codec_u64(c, &cell->hash);
	codec_u64(c, &cell->odd);
	codec_check(c, cell->count);
	for (unsigned part = 0; part < s->plan.parts; part++)
		point_sums_code(c, &cell->part[part], &s->plan, cell->count);
	for (unsigned k = 0; k < s->plan.parts + SUM_BLOCK_SIGNS; k++)
		slot_code(c, s, sum_slot(s, i, k));
}

static int cells_code(struct codec *c, struct sum *s)
{
	uint16_t blocks = 0;
	uint32_t i = 0;

	for (i = 0; !c->get && i < s->plan.blocks; i++)
		blocks += s->cell[i].count != 0;
	codec_u16(c, &blocks);
	i = 0;
	for (unsigned n = 0; n < blocks && codec_good(c); n++, i++) {
		while (!c->get && !s->cell[i].count)
			i++;
		cell_code(c, s, &i);
	}
	for (unsigned k = s->plan.parts + SUM_BLOCK_SIGNS;
	     !s->rounded && k < s->plan.parts + SUM_SIGNS; k++)
		slot_code(c, s, sum_slot(s, 0, k));
	return codec_end(c);
}

int sum_code(struct codec *c, struct sum **s)
{
	struct sum_plan plan;

	if (!c->get) {
		sum_plan_code(c, &(*s)->plan);
		return cells_code(c, *s);
	}
	plan = (struct sum_plan){ 0 };
	if (sum_plan_code(c, &plan))
		return -1;
	*s = sum_create(&plan, c->err);
	if (!*s)
		return codec_fail(c);
	if (cells_code(c, *s))
		return err_set(c->err, "a checksum is cut off or damaged");
	(*s)->load_count = 1;
	return 0;
}

void sum_put(const struct sum *s, struct buf *b)
{
	struct sum *from = (struct sum *)s;

	sum_code(CODEC_PUT(b), &from);
}

struct sum *sum_get(struct buf *b, struct err *err)
{
	struct codec c = { .b = b, .get = true, .err = err };
	struct sum *s = NULL;

	if (!sum_code(&c, &s))
		return s;
	sum_destroy(s);
	return NULL;
}

size_t sum_put_most(const struct sum_plan *p)
{
	const size_t plan = 3 + ARRAY_DIMS * 8 + 2, point_sums = 1 + 5 * 8,
		     exact = 2 + SUM_DIGITS * 4;
	size_t blocks = p ? p->blocks : SUM_BLOCKS, parts = p ? p->parts : 2;
	size_t block = 2 + 3 * 8 + parts * point_sums + (parts + SUM_BLOCK_SIGNS) * exact;

	return plan + 2 + blocks * block + (SUM_SIGNS - SUM_BLOCK_SIGNS) * exact;
}

static void block_code(struct codec *c, struct sum_block *block, const struct sum_plan *p)
{
	codec_u64(c, &block->count);
	codec_u64(c, &block->hash);
	codec_u64(c, &block->odd);
	for (unsigned k = 0; k < p->parts; k++) {
		struct sum_numbers *n = &block->part[k];
		struct sum_point_sums t = { n->least, n->most, n->nan, n->up, n->dn };

		point_sums_code(c, &t, p, block->count);
		codec_f64(c, &n->sum);
		if (c->get)
			*n = (struct sum_numbers){ n->sum, t.least, t.most, t.nan, t.up, t.dn };
	}
	for (unsigned k = 0; k < SUM_BLOCK_SIGNS; k++)
		codec_f64(c, &block->sign[k]);
}

/* Of an array in one block the whole and the block are the same, and written once. */
static int result_code(struct codec *c, struct sum_result *r)
{
	if (sum_plan_code(c, &r->plan))
		return -1;
	if (c->get) {
		r->block = memory_got(calloc(r->plan.blocks, sizeof *r->block));
		if (!r->block) {
			err_set(c->err, "no memory for a checksum of %u blocks", r->plan.blocks);
			return codec_fail(c);
		}
	}
	block_code(c, &r->all, &r->plan);
	for (unsigned k = 0; k < r->plan.parts; k++)
		codec_f64(c, &r->mean[k]);
	for (unsigned k = SUM_BLOCK_SIGNS; !r->plan.quick && k < SUM_SIGNS; k++)
		codec_f64(c, &r->sign[k]);
	if (c->get) {
		memcpy(r->sign, r->all.sign, sizeof r->all.sign);
		r->block[0] = r->all;
	}
	for (uint32_t i = 0; r->plan.blocks > 1 && i < r->plan.blocks && codec_good(c); i++)
		block_code(c, &r->block[i], &r->plan);
	if (codec_good(c))
		return 0;
	return err_set(c->err, "a checksum is cut off or damaged");
}

int sum_result_code(struct codec *c, struct sum_result **r)
{
	if (c->get && !(*r = memory_got(calloc(1, sizeof **r)))) {
		err_set(c->err, "no memory for a checksum");
		return codec_fail(c);
	}
	return result_code(c, *r);
}

void sum_result_put(const struct sum_result *r, struct buf *b)
{
	result_code(CODEC_PUT(b), (struct sum_result *)r);
}

struct sum_result *sum_result_get(struct buf *b, struct err *err)
{
	struct codec c = { .b = b, .get = true, .err = err };
	struct sum_result *r = NULL;

	if (!sum_result_code(&c, &r))
		return r;
	sum_result_destroy(r);
	return NULL;
}
