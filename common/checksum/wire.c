/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoded: the plan; u16 number of blocks that have elements; for each, ascending, its number, cell
 * and sums; then the sums of the whole array. A sum is u8 first digit, u8 number of digits, and
 * these as i32.
 */
#include "common/checksum/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"

#define WIRE_VERSION 1

enum { CELL_ODD = 1, CELL_NUMBERS = 2 }; /* flags: what follows */

void sum_plan_put(const struct sum_plan *p, struct buf *b)
{
	buf_put_u8(b, WIRE_VERSION);
	buf_put_u8(b, p->type);
	buf_put_u8(b, (uint8_t)p->ndim);
	for (unsigned d = 0; d < p->ndim; d++)
		buf_put_i64(b, p->extent[d]);
	buf_put_u16(b, p->most_blocks);
}

int sum_plan_get(struct sum_plan *p, struct buf *b, struct err *err)
{
	int64_t extent[ARRAY_DIMS];
	unsigned version = buf_get_u8(b), type = buf_get_u8(b), ndim = buf_get_u8(b), most;

	*p = (struct sum_plan){ 0 };
	if (!b->bad && version != WIRE_VERSION)
		return err_set(err, "checksum of version %u; this program reads version %d",
			       version, WIRE_VERSION);
	for (unsigned d = 0; d < ndim && d < ARRAY_DIMS; d++)
		extent[d] = buf_get_i64(b);
	most = buf_get_u16(b);
	if (b->bad || most == 0)
		return err_set(err, "a checksum's geometry is cut off or damaged");
	return sum_plan_make(p, ndim, extent, type, most, err);
}

static bool numbers_in(const struct sum_tally *t)
{
	return t->least <= t->most;
}

static void tally_put(const struct sum_tally *t, struct buf *b)
{
	bool odd = t->nan || t->up || t->dn;

	buf_put_u8(b, (uint8_t)((odd ? CELL_ODD : 0) | (numbers_in(t) ? CELL_NUMBERS : 0)));
	if (numbers_in(t)) {
		buf_put_i64(b, t->least);
		buf_put_i64(b, t->most);
	}
	if (odd) {
		buf_put_u64(b, t->nan);
		buf_put_u64(b, t->up);
		buf_put_u64(b, t->dn);
	}
}

static int tally_get(struct sum_tally *t, const struct sum_plan *p, uint64_t count, struct buf *b)
{
	uint8_t flags = buf_get_u8(b);

	*t = (struct sum_tally){ .least = INT64_MAX, .most = INT64_MIN };
	if (flags & ~(CELL_ODD | CELL_NUMBERS))
		return -1;
	if (flags & CELL_NUMBERS) {
		t->least = buf_get_i64(b);
		t->most = buf_get_i64(b);
		if (t->least > t->most || !sum_key_fits(p, t->least) || !sum_key_fits(p, t->most))
			return -1;
	}
	if (flags & CELL_ODD) {
		t->nan = buf_get_u64(b);
		t->up = buf_get_u64(b);
		t->dn = buf_get_u64(b);
	}
	if (t->nan > count || t->up > count - t->nan || t->dn > count - t->nan - t->up)
		return -1;
	/* numbers are there exactly when not all are odd */
	return (t->nan + t->up + t->dn < count) == !!(flags & CELL_NUMBERS) ? 0 : -1;
}

static void exact_put(const struct sum *s, size_t slot, struct buf *b)
{
	int64_t digit[SUM_DIGITS];
	unsigned low = 0, high = SUM_DIGITS;

	sum_take(s, slot, digit);
	while (high > 0 && !digit[high - 1])
		high--;
	while (low < high && !digit[low])
		low++;
	buf_put_u8(b, (uint8_t)low);
	buf_put_u8(b, (uint8_t)(high - low));
	for (unsigned i = low; i < high; i++)
		buf_put_u32(b, (uint32_t)(uint64_t)digit[i]);
}

static int exact_get(struct sum *s, size_t slot, struct buf *b)
{
	unsigned low = buf_get_u8(b), n = buf_get_u8(b);

	if (low + n > SUM_DIGITS)
		return -1;
	if (n)
		sum_touch(s, low, low + n);
	for (unsigned i = low; i < low + n; i++)
		s->digit[i * s->slots + slot] = (int32_t)buf_get_u32(b);
	return 0;
}

void sum_put(const struct sum *s, struct buf *b)
{
	unsigned own = s->plan.parts + SUM_BLOCK_SIGNS;
	uint16_t blocks = 0;

	sum_plan_put(&s->plan, b);
	for (uint32_t i = 0; i < s->plan.blocks; i++)
		blocks += s->cell[i].count != 0;
	buf_put_u16(b, blocks);
	for (uint32_t i = 0; i < s->plan.blocks; i++) {
		const struct sum_cell *cell = &s->cell[i];

		if (!cell->count)
			continue;
		buf_put_u16(b, (uint16_t)i);
		buf_put_u64(b, cell->count);
		buf_put_u64(b, cell->hash);
		buf_put_u64(b, cell->odd);
		for (unsigned part = 0; part < s->plan.parts; part++)
			tally_put(&cell->part[part], b);
		for (unsigned k = 0; k < own; k++)
			exact_put(s, sum_slot(s, i, k), b);
	}
	for (unsigned k = own; k < s->plan.parts + SUM_SIGNS; k++)
		exact_put(s, sum_slot(s, 0, k), b);
}

size_t sum_put_most(const struct sum_plan *p)
{
	const size_t plan = 3 + ARRAY_DIMS * 8 + 2, tally = 1 + 5 * 8, exact = 2 + SUM_DIGITS * 4;
	size_t blocks = p ? p->blocks : SUM_BLOCKS, parts = p ? p->parts : 2;
	size_t block = 2 + 3 * 8 + parts * tally + (parts + SUM_BLOCK_SIGNS) * exact;

	return plan + 2 + blocks * block + (SUM_SIGNS - SUM_BLOCK_SIGNS) * exact;
}

/* One block, whose number must be at least *next. */
static int cell_get(struct sum *s, uint32_t *next, struct buf *b)
{
	uint32_t i = buf_get_u16(b);
	struct sum_cell *cell;

	if (b->bad || i < *next || i >= s->plan.blocks)
		return -1;
	*next = i + 1;
	cell = &s->cell[i];
	cell->count = buf_get_u64(b);
	cell->hash = buf_get_u64(b);
	cell->odd = buf_get_u64(b);
	if (!cell->count)
		return -1;
	for (unsigned part = 0; part < s->plan.parts; part++)
		if (tally_get(&cell->part[part], &s->plan, cell->count, b))
			return -1;
	for (unsigned k = 0; k < s->plan.parts + SUM_BLOCK_SIGNS; k++)
		if (exact_get(s, sum_slot(s, i, k), b))
			return -1;
	return b->bad ? -1 : 0;
}

struct sum *sum_get(struct buf *b, struct err *err)
{
	struct sum_plan plan;
	struct sum *s;
	uint32_t blocks, next = 0;

	if (sum_plan_get(&plan, b, err))
		return NULL;
	s = sum_create(&plan, err);
	if (!s)
		return NULL;
	blocks = buf_get_u16(b);
	for (uint32_t i = 0; i < blocks; i++)
		if (cell_get(s, &next, b))
			goto damaged;
	for (unsigned k = plan.parts + SUM_BLOCK_SIGNS; k < plan.parts + SUM_SIGNS; k++)
		if (exact_get(s, sum_slot(s, 0, k), b))
			goto damaged;
	if (b->bad)
		goto damaged;
	s->load_count = 1;
	return s;
damaged:
	sum_destroy(s);
	err_set(err, "a checksum is cut off or damaged");
	return NULL;
}

static void put_double(struct buf *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	buf_put_u64(b, bits);
}

static double get_double(struct buf *b)
{
	uint64_t bits = buf_get_u64(b);
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static void block_put(const struct sum_block *block, unsigned parts, struct buf *b)
{
	buf_put_u64(b, block->count);
	buf_put_u64(b, block->hash);
	buf_put_u64(b, block->odd);
	for (unsigned k = 0; k < parts; k++) {
		const struct sum_numbers *n = &block->part[k];
		struct sum_tally t = { n->least, n->most, n->nan, n->up, n->dn };

		tally_put(&t, b);
		put_double(b, n->sum);
	}
	for (unsigned k = 0; k < SUM_BLOCK_SIGNS; k++)
		put_double(b, block->sign[k]);
}

static int block_get(struct sum_block *block, const struct sum_plan *p, struct buf *b)
{
	block->count = buf_get_u64(b);
	block->hash = buf_get_u64(b);
	block->odd = buf_get_u64(b);
	for (unsigned k = 0; k < p->parts; k++) {
		struct sum_numbers *n = &block->part[k];
		struct sum_tally t;

		if (tally_get(&t, p, block->count, b))
			return -1;
		*n = (struct sum_numbers){ get_double(b), t.least, t.most, t.nan, t.up, t.dn };
	}
	for (unsigned k = 0; k < SUM_BLOCK_SIGNS; k++)
		block->sign[k] = get_double(b);
	return b->bad ? -1 : 0;
}

/* Of an array in one block the whole and the block are the same, and written once. */
void sum_result_put(const struct sum_result *r, struct buf *b)
{
	unsigned parts = r->plan.parts;

	sum_plan_put(&r->plan, b);
	block_put(&r->all, parts, b);
	for (unsigned k = 0; k < parts; k++)
		put_double(b, r->mean[k]);
	for (unsigned k = SUM_BLOCK_SIGNS; k < SUM_SIGNS; k++)
		put_double(b, r->sign[k]);
	for (uint32_t i = 0; r->plan.blocks > 1 && i < r->plan.blocks; i++)
		block_put(&r->block[i], parts, b);
}

struct sum_result *sum_result_get(struct buf *b, struct err *err)
{
	struct sum_result *r = calloc(1, sizeof *r);
	unsigned parts;

	if (!r) {
		err_set(err, "no memory for a checksum");
		return NULL;
	}
	if (sum_plan_get(&r->plan, b, err))
		goto out;
	r->block = calloc(r->plan.blocks, sizeof *r->block);
	if (!r->block) {
		err_set(err, "no memory for a checksum of %u blocks", r->plan.blocks);
		goto out;
	}
	parts = r->plan.parts;
	if (block_get(&r->all, &r->plan, b))
		goto damaged;
	for (unsigned k = 0; k < parts; k++)
		r->mean[k] = get_double(b);
	memcpy(r->sign, r->all.sign, sizeof r->all.sign);
	for (unsigned k = SUM_BLOCK_SIGNS; k < SUM_SIGNS; k++)
		r->sign[k] = get_double(b);
	r->block[0] = r->all;
	for (uint32_t i = 0; r->plan.blocks > 1 && i < r->plan.blocks; i++)
		if (block_get(&r->block[i], &r->plan, b))
			goto damaged;
	if (!b->bad)
		return r;
damaged:
	err_set(err, "a checksum is cut off or damaged");
out:
	sum_result_destroy(r);
	return NULL;
}
