/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/checksum/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "common/core/memory.h"

#define TOTAL_MOST (UINT64_C(1) << 60)
#define BLOCK_WORTH 4096 /* elements that are worth a block of their own */
#define BLOCK_LEAST 64	 /* elements, before edges are rounded up */
#define UP(n) (((n) + SUM_ALIGNMENT - 1) / SUM_ALIGNMENT * SUM_ALIGNMENT)

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* Short, and not the only dimension of space: of several short ones the first longest is that. */
static bool is_component(const struct sum_plan *p, unsigned d)
{
	unsigned longest = 0;

	for (unsigned i = 1; i < p->ndim; i++)
		if (p->extent[i] > p->extent[longest])
			longest = i;
	return p->extent[d] > 1 && p->extent[d] <= SUM_COMPONENTS && (p->ndim == 1 || d != longest);
}

/* Cuts components apart, beginning with the shortest dimension of them. Returns the blocks. */
static unsigned cut_components(struct sum_plan *p, unsigned max_blocks)
{
	unsigned blocks = 1;

	for (int64_t extent = 2; extent <= SUM_COMPONENTS; extent++)
		for (unsigned d = 0; d < p->ndim; d++) {
			if (p->extent[d] != extent || !is_component(p, d) ||
			    blocks * (unsigned)extent > max_blocks)
				continue;
			p->grid[d] = (uint32_t)extent;
			blocks *= (unsigned)extent;
		}
	return blocks;
}

/* Cuts components apart, then halves blocks where they are longest. */
static void plan_blocks(struct sum_plan *p, unsigned max_blocks)
{
	unsigned blocks;

	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		p->grid[d] = p->edge[d] = 1; /* a scalar is used as if it had a dimension */
	blocks = cut_components(p, max_blocks);
	while (blocks * 2 <= max_blocks && p->total / (blocks * 2) >= BLOCK_LEAST) {
		int64_t longest = 1;
		unsigned at = 0;

		for (unsigned d = 0; d < p->ndim; d++) {
			int64_t edge = divide_up(p->extent[d], p->grid[d]);

			if (edge > longest) {
				longest = edge;
				at = d;
			}
		}
		p->grid[at] *= 2;
		blocks *= 2;
	}
	p->blocks = 1;
	for (unsigned d = 0; d < p->ndim; d++) {
		p->edge[d] = divide_up(p->extent[d], p->grid[d]);
		if (p->edge[d] < 1)
			p->edge[d] = 1;
		/* rounded up edges may need fewer blocks */
		p->grid[d] = p->extent[d] ? (uint32_t)divide_up(p->extent[d], p->edge[d]) : 1;
		p->blocks *= p->grid[d];
	}
}

int sum_plan_make(struct sum_plan *p, unsigned ndim, const int64_t *extent, unsigned type,
		  unsigned max_blocks, struct err *err)
{
	*p = (struct sum_plan){ .ndim = ndim, .total = 1 };
	if (ndim > ARRAY_DIMS)
		return err_set(err, "a checksum of %u dimensions; at most %d are possible", ndim,
			       ARRAY_DIMS);
	if (type >= VALUE_TYPES)
		return err_set(err, "no checksum of elements of type %s", value_type_name(type));
	if (max_blocks > SUM_BLOCKS)
		return err_set(err, "a checksum in %u blocks; at most %d are possible", max_blocks,
			       SUM_BLOCKS);
	p->type = (uint8_t)type;
	p->parts = value_class(type) == VALUE_IS_COMPLEX ? 2 : 1;
	for (unsigned d = 0; d < ndim; d++) {
		p->extent[d] = extent[d];
		if (extent[d] < 0)
			return err_set(err, "dimension %u of a checksum has extent %lld", d + 1,
				       (long long)extent[d]);
		if (extent[d] > 0 && p->total > TOTAL_MOST / (uint64_t)extent[d])
			return err_set(err, "a checksum of more than 2^60 elements");
		p->total *= (uint64_t)extent[d];
	}
	p->most_blocks = (uint16_t)(max_blocks ? max_blocks : SUM_BLOCKS);
	plan_blocks(p, p->most_blocks);
	return 0;
}

int sum_plan_array(struct sum_plan *p, unsigned ndim, const int64_t *extent, unsigned type,
		   struct err *err)
{
	uint64_t blocks, components;

	if (sum_plan_make(p, ndim, extent, type, 0, err))
		return -1;
	blocks = p->total / BLOCK_WORTH;
	components = cut_components(p, SUM_BLOCKS);
	blocks = blocks > components ? blocks : components;
	return sum_plan_make(p, ndim, extent, type,
			     blocks > SUM_BLOCKS ? SUM_BLOCKS : (unsigned)blocks, err);
}

void sum_plan_box(const struct sum_plan *p, uint32_t block, int64_t lo[ARRAY_DIMS],
		  int64_t hi[ARRAY_DIMS])
{
	for (unsigned d = p->ndim; d-- > 0; block /= p->grid[d]) {
		lo[d] = block % p->grid[d] * p->edge[d];
		hi[d] = lo[d] + p->edge[d] - 1;
		if (hi[d] >= p->extent[d])
			hi[d] = p->extent[d] - 1;
	}
}

uint32_t sum_plan_block(const struct sum_plan *p, const int64_t *at)
{
	int64_t block = 0;

	for (unsigned d = 0; d < p->ndim; d++)
		block = block * p->grid[d] + at[d] / p->edge[d];
	return (uint32_t)block;
}

uint32_t sum_plan_component(const struct sum_plan *p, uint32_t block)
{
	uint32_t id = 0, step = 1;

	for (unsigned d = p->ndim; d-- > 0; block /= p->grid[d])
		if (is_component(p, d) && p->grid[d] == p->extent[d]) {
			id += block % p->grid[d] * step;
			step *= p->grid[d];
		}
	return id;
}

bool sum_plan_equal(const struct sum_plan *a, const struct sum_plan *b)
{
	if (a->ndim != b->ndim || a->type != b->type || a->blocks != b->blocks ||
	    a->quick != b->quick)
		return false;
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->extent[d] != b->extent[d] || a->edge[d] != b->edge[d])
			return false;
	return true;
}

static void empty_cells(struct sum *s)
{
	for (uint32_t b = 0; b < s->plan.blocks; b++) {
		s->cell[b] = (struct sum_cell){ 0 };
		for (unsigned part = 0; part < 2; part++) {
			s->cell[b].part[part].least = INT64_MAX;
			s->cell[b].part[part].most = INT64_MIN;
		}
	}
	s->low = SUM_DIGITS;
	s->high = 0;
	s->load_count = 0;
	if (s->stage)
		s->stage->n = 0;
}

static size_t slots_of(const struct sum_plan *p)
{
	return (size_t)p->blocks * (p->parts + SUM_BLOCK_SIGNS) +
	       (p->quick ? 0 : SUM_SIGNS - SUM_BLOCK_SIGNS);
}

/* Bytes of the sums. */
static size_t slots_memory(const struct sum_plan *p)
{
	return slots_of(p) * (p->quick ? sizeof(double[2]) : SUM_DIGITS * sizeof(int64_t));
}

static void take_work(struct sum *s, struct sum_work *work)
{
	s->work = work;
	s->stage = &work->stage;
	s->tile = &work->tile;
	s->stage->n = 0;
	sum_quick_start(work);
}

int sum_prepare(struct sum *s, struct err *err)
{
	struct sum_work *work;

	if (s->work)
		return 0;
	work = memory_got(aligned_alloc(SUM_ALIGNMENT, UP(sizeof *work)));
	if (!work)
		return err_set(err, "no memory for a checksum");
	take_work(s, work);
	return 0;
}

/* Fills in all but cell, digit and work, which are there; the stage may hold anything. */
static int start(struct sum *s, const struct sum_plan *p, struct err *err)
{
	uint64_t step = SUM_STEP * p->parts;

	s->plan = *p;
	s->slots = slots_of(p);
	s->wide = false;
	if (sum_loader(s))
		return err_set(err, "no checksum of elements of type %s", value_type_name(p->type));
	s->rounded = p->quick ? (void *)s->digit : NULL;
	s->ops = sum_ops_best();
	for (unsigned d = p->ndim; d-- > 0; step *= (uint64_t)p->extent[d])
		s->step[d] = step;
	empty_cells(s);
	return 0;
}

struct sum *sum_create(const struct sum_plan *p, struct err *err)
{
	struct sum *s = memory_got(calloc(1, sizeof *s));

	if (!s)
		goto no_memory;
	s->cell = memory_got(calloc(p->blocks, sizeof *s->cell));
	s->digit = memory_got(calloc(1, slots_memory(p)));
	if (!s->cell || !s->digit)
		goto no_memory;
	if (start(s, p, err)) {
		sum_destroy(s);
		return NULL;
	}
	return s;
no_memory:
	sum_destroy(s);
	err_set(err, "no memory for a checksum of %u blocks", p->blocks);
	return NULL;
}

void sum_destroy(struct sum *s)
{
	if (!s)
		return;
	free(s->cell);
	free(s->digit);
	free(s->work);
	free(s);
}

/* The digits are behind the room for most cells, where no plan's cells have been. */
size_t sum_memory(const struct sum_plan *p)
{
	struct sum_plan most = { .parts = 2, .blocks = SUM_BLOCKS };

	return UP(sizeof(struct sum)) + UP(sizeof(struct sum_work)) +
	       UP(SUM_BLOCKS * sizeof(struct sum_cell)) + slots_memory(p ? p : &most);
}

struct sum *sum_create_in(void *memory, const struct sum_plan *p, struct err *err)
{
	struct sum *s = memory;
	char *at = memory;

	at += UP(sizeof *s);
	take_work(s, (struct sum_work *)at);
	at += UP(sizeof(struct sum_work));
	s->cell = (void *)at;
	s->digit = (void *)(at + UP(SUM_BLOCKS * sizeof(struct sum_cell)));
	return start(s, p, err) ? NULL : s;
}

void sum_reset(struct sum *s)
{
	if (s->rounded)
		memset(s->rounded, 0, s->slots * sizeof *s->rounded);
	else if (s->low < s->high)
		memset(s->digit + s->low * s->slots, 0,
		       (s->high - s->low) * s->slots * sizeof *s->digit);
	empty_cells(s);
}

const struct sum_plan *sum_plan_of(const struct sum *s)
{
	return &s->plan;
}

uint64_t sum_count(const struct sum *s)
{
	uint64_t count = 0;

	for (uint32_t b = 0; b < s->plan.blocks; b++)
		count += s->cell[b].count;
	return count;
}

uint64_t sum_hash(const struct sum *s)
{
	uint64_t hash = 0;

	for (uint32_t b = 0; b < s->plan.blocks; b++)
		hash += s->cell[b].hash;
	return hash;
}

static void merge_sums(struct sum *dst, const struct sum *src)
{
	if (dst->rounded) {
		for (size_t i = 0; i < src->slots; i++) {
			sum_round_add(dst, i, src->rounded[i][0]);
			sum_round_add(dst, i, src->rounded[i][1]);
		}
		return;
	}
	sum_reserve(dst, src->load_count + 1);
	if (src->low < src->high)
		sum_touch(dst, src->low, src->high);
	for (size_t i = src->low * src->slots; i < src->high * src->slots; i++)
		dst->digit[i] += src->digit[i];
}

int sum_merge(struct sum *dst, const struct sum *src, struct err *err)
{
	if (!sum_plan_equal(&dst->plan, &src->plan))
		return err_set(err, "checksums of arrays of different shape or type");
	merge_sums(dst, src);
	for (uint32_t b = 0; b < dst->plan.blocks; b++) {
		struct sum_cell *to = &dst->cell[b];
		const struct sum_cell *from = &src->cell[b];

		to->count += from->count;
		to->hash += from->hash;
		to->odd += from->odd;
		for (unsigned k = 0; k < dst->plan.parts; k++) {
			struct sum_point_sums *t = &to->part[k];
			const struct sum_point_sums *f = &from->part[k];

			t->least = f->least < t->least ? f->least : t->least;
			t->most = f->most > t->most ? f->most : t->most;
			t->nan += f->nan;
			t->up += f->up;
			t->dn += f->dn;
		}
	}
	return 0;
}
