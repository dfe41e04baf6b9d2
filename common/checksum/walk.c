/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way through the elements of a part: block by block, rows in the order of memory.
 */
#include "common/checksum/checksum.h"

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

#include "common/array/value.h"
#include "common/core/err.h"

#define CACHE_LINE 64
#define SHORT_ROW 16 /* elements; a call for each would cost more than they do */
#define AHEAD 2048   /* bytes of rows that are asked for before they are needed */
#define MXCSR_DEFAULT 0x1f80

/* 0 when every index of the part is in the array; else says which is not. */
static int check_part(const struct sum_plan *p, const struct layout *part, struct err *err)
{
	for (unsigned d = 0; d < p->ndim; d++) {
		/* unsigned: positions outside on either side are too large */
		uint64_t extent = (uint64_t)p->extent[d], lower = (uint64_t)part->lower[d];
		uint64_t count = (uint64_t)part->count[d], bad = (uint64_t)part->first[d];
		const int64_t *list = part->list[d];

		if (count == 0 ||
		    (!list && bad - lower < extent && count <= extent - (bad - lower)))
			continue;
		for (uint64_t i = 0; list && i < count; i++) {
			bad = (uint64_t)list[i];
			if (bad - lower >= extent)
				break;
			if (i + 1 == count)
				list = NULL;
		}
		if (part->list[d] && !list)
			continue;
		return err_set(
			err,
			"index %lld (of %lld) in dimension %u is outside the array: %lld to %lld",
			(long long)bad, (long long)count, d + 1, (long long)lower,
			(long long)(lower + extent - 1));
	}
	return 0;
}

/* The end of the index numbers, beginning with i, that are in one block; without a list, in so many
 * of them. */
static int64_t stretch(const struct sum_plan *p, const struct layout *part, unsigned d, int64_t i,
		       unsigned blocks)
{
	int64_t block = (int64_t)layout_at(part, d, i) / p->edge[d];

	if (!part->list[d]) {
		int64_t end = (block + blocks) * p->edge[d] - (int64_t)layout_at(part, d, 0);

		return end < part->count[d] ? end : part->count[d];
	}
	while (++i < part->count[d] && (int64_t)layout_at(part, d, i) / p->edge[d] == block)
		;
	return i;
}

/* Asks for n elements, a stage at most, to be brought near while the stage is worked on. */
static inline void prefetch(const char *at, int64_t stride, int64_t n)
{
	if (stride <= 0 || stride > CACHE_LINE)
		return;
	n = (n < SUM_STAGE ? n : SUM_STAGE) * stride;
	for (int64_t i = 0; i < n; i += CACHE_LINE)
		__builtin_prefetch(at + i);
}

/* Adds the elements of a row, in the inner dimension, to the stage. */
static void add_row(struct sum *s, const struct layout_walk *w, uint32_t block, const char *at,
		    uint64_t key)
{
	struct sum_stage *st = s->stage;
	unsigned d = w->order[w->ndim - 1];
	uint64_t step = s->step[d], first = layout_at(w->l, d, w->from[d]);
	int64_t i = w->from[d], stride = w->l->stride[d];

	while (i < w->to[d]) {
		size_t n = SUM_STAGE - st->n;

		if ((int64_t)n > w->to[d] - i)
			n = (size_t)(w->to[d] - i);
		s->load(st, st->n, at, stride, n);
		if (w->l->list[d]) {
			for (size_t k = 0; k < n; k++)
				st->key[st->n + k] =
					key + (layout_at(w->l, d, i + (int64_t)k) - first) * step;
		} else {
			s->ops->keys(st->key + st->n, key + (layout_at(w->l, d, i) - first) * step,
				     step, n);
		}
		st->n += n;
		i += (int64_t)n;
		at += (int64_t)n * stride;
		if (st->n == SUM_STAGE) {
			if (i < w->to[d])
				prefetch(at, stride, w->to[d] - i);
			sum_flush(s, block);
		}
	}
}

static void add_tile(struct sum *s, uint32_t block, const char *at, uint64_t key)
{
	struct sum_stage *st = s->stage;
	size_t n = s->tile->n;

	if (st->n + n > SUM_STAGE)
		sum_flush(s, block);
	s->pick(st, st->n, at, s->tile->at, n);
	s->ops->moved(st->key + st->n, key, s->tile->key, n);
	st->n += n;
}

/* Makes the tile: inner dimensions, as many as fit, when rows are short. */
static void lay_tile(struct sum *s, struct layout_walk *w)
{
	struct sum_tile *t = s->tile;
	unsigned inner = w->order[w->ndim - 1];

	w->outer = w->ndim - 1;
	t->n = 0;
	if (w->to[inner] - w->from[inner] >= SHORT_ROW)
		return;
	t->at[0] = 0;
	t->key[0] = 0;
	t->n = 1;
	for (w->outer = w->ndim; w->outer > 0; w->outer--) {
		unsigned d = w->order[w->outer - 1];
		size_t count = (size_t)(w->to[d] - w->from[d]), row = t->n;
		uint64_t first = layout_at(w->l, d, w->from[d]);

		if (row * count > SUM_STAGE)
			return;
		for (size_t j = 1; j < count; j++) {
			int64_t i = w->from[d] + (int64_t)j;
			uint64_t key = (layout_at(w->l, d, i) - first) * s->step[d];

			for (size_t k = 0; k < row; k++, t->n++) {
				t->at[t->n] = t->at[k] + (int64_t)j * w->l->stride[d];
				t->key[t->n] = t->key[k] + key;
			}
		}
	}
}

static void prefetch_tile(const struct sum_tile *t, const char *at)
{
	for (size_t i = 0; i < t->n; i += CACHE_LINE / sizeof(double))
		__builtin_prefetch(at + t->at[i]);
}

/* The block of the window's first element. */
static uint32_t first_block(const struct sum *s, const struct layout_walk *w)
{
	uint32_t block = 0;

	for (unsigned d = 0; d < w->ndim; d++)
		block = block * s->plan.grid[d] +
			(uint32_t)((int64_t)layout_at(w->l, d, w->from[d]) / s->plan.edge[d]);
	return block;
}

/*
 * How many blocks a row goes through at once: of doubles that a quick sum takes where they are, so
 * that memory is read as it comes. 0: block by block.
 */
static unsigned abreast(const struct sum *s, const struct layout_walk *w)
{
	unsigned inner = w->order[w->ndim - 1];

	return s->rounded && s->plan.type == VALUE_DOUBLE && !w->l->list[inner] &&
			       w->l->stride[inner] == sizeof(double) &&
			       s->plan.edge[inner] >= SHORT_ROW
		       ? SUM_ABREAST
		       : 0;
}

/* Adds the elements of blocks that are adjacent to one another in the inner dimension. */
static void add_abreast(struct sum *s, struct layout_walk *w)
{
	unsigned inner = w->order[w->ndim - 1], k;
	int64_t edge = s->plan.edge[inner], from = w->from[inner], to = w->to[inner];
	int64_t first = edge - (int64_t)layout_at(w->l, inner, from) % edge;
	uint32_t block = first_block(s, w), next = 1;
	struct layout_cursor now;

	for (unsigned d = inner + 1; d < w->ndim; d++)
		next *= s->plan.grid[d];
	w->outer = w->ndim - 1;
	for (layout_begin(w, &now); !now.end; layout_step(w, &now)) {
		const double *row = (const void *)((const char *)w->l->data + now.offset);
		int64_t end = first;

		k = 0;
		for (int64_t i = 0; i < to - from; i = end, end += edge, k++) {
			end = end < to - from ? end : to - from;
			sum_quick_row(s, block + k * next, k, row + i,
				      now.key + (uint64_t)i * s->step[inner], s->step[inner],
				      (size_t)(end - i));
		}
	}
	for (k = 0; k < SUM_ABREAST; k++)
		sum_quick_flush(s, block + k * next, k);
}

/* Adds the elements of one block. */
static void add_box(struct sum *s, struct layout_walk *w)
{
	unsigned inner = w->order[w->ndim - 1];
	int64_t stride = w->l->stride[inner], n = w->to[inner] - w->from[inner];
	int64_t row = n * (stride < 0 ? -stride : stride) + 1;
	const char *data = w->l->data;
	struct layout_cursor now, ahead;
	uint32_t block = first_block(s, w);

	lay_tile(s, w);
	layout_begin(w, &now);
	ahead = now;
	for (int64_t bytes = 0; bytes < AHEAD && !ahead.end; bytes += s->tile->n ? AHEAD : row)
		layout_step(w, &ahead);
	for (; !now.end; layout_step(w, &now)) {
		if (!ahead.end) {
			if (s->tile->n)
				prefetch_tile(s->tile, data + ahead.offset);
			else
				prefetch(data + ahead.offset, stride, n);
			layout_step(w, &ahead);
		}
		if (s->tile->n)
			add_tile(s, block, data + now.offset, now.key);
		else
			add_row(s, w, block, data + now.offset, now.key);
	}
	sum_flush(s, block);
}

/* The window of a dimension that begins with number i. */
static void window(const struct sum *s, struct layout_walk *w, unsigned d, int64_t i, unsigned many)
{
	w->from[d] = i;
	w->to[d] = stretch(&s->plan, w->l, d, i, many && d == w->order[w->ndim - 1] ? many : 1);
}

/* Goes to the next blocks that have elements; false after the last. */
static bool next_window(const struct sum *s, struct layout_walk *w, unsigned many)
{
	for (unsigned k = w->ndim; k-- > 0;) {
		unsigned d = w->order[k];
		bool wrapped = w->to[d] == w->l->count[d];

		window(s, w, d, wrapped ? 0 : w->to[d], many);
		if (!wrapped)
			return true;
	}
	return false;
}

static void add_all(struct sum *s, struct layout_walk *w)
{
	unsigned many = abreast(s, w);

	for (unsigned d = 0; d < w->ndim; d++)
		window(s, w, d, 0, many);
	do
		if (many)
			add_abreast(s, w);
		else
			add_box(s, w);
	while (next_window(s, w, many));
}

/*
 * Calls add_all in the arithmetic that it needs: round to nearest, denormals kept, no traps. The
 * pointer keeps the compiler from moving arithmetic out of it.
 */
static void add_in_default_mode(struct sum *s, struct layout_walk *w)
{
	static void (*volatile const add)(struct sum *, struct layout_walk *) = add_all;
#if defined(__x86_64__)
	unsigned mode = _mm_getcsr();

	_mm_setcsr(MXCSR_DEFAULT);
	add(s, w);
	_mm_setcsr(mode);
#else
	fenv_t mode;

	fegetenv(&mode);
	fesetenv(FE_DFL_ENV);
	add(s, w);
	fesetenv(&mode);
#endif
}

int sum_add(struct sum *s, const struct layout *part, struct err *err)
{
	struct layout_walk w;
	struct layout one;

	if (check_part(&s->plan, part, err) || sum_prepare(s, err))
		return -1;
	w.l = part;
	w.ndim = s->plan.ndim;
	if (!w.ndim) { /* a scalar is a row of one in dimension 0 */
		one = (struct layout){ .data = part->data, .origin = part->origin, .count = { 1 } };
		w.l = &one;
		w.ndim = 1;
	}
	for (unsigned d = 0; d < w.ndim; d++) {
		if (w.l->count[d] == 0)
			return 0;
		w.from[d] = 0;
		w.weight[d] = s->step[d];
	}
	w.seed = SUM_SEED;
	layout_walk_order(&w, LAYOUT_MEMORY);
	add_in_default_mode(s, &w);
	return 0;
}

int sum_add_run(struct sum *s, const int64_t *at, unsigned dim, int64_t stride_bytes, int64_t count,
		const void *data, struct err *err)
{
	struct layout part = { .data = data };

	for (unsigned d = 0; d < s->plan.ndim; d++) {
		part.first[d] = at[d];
		part.count[d] = d == dim ? count : 1;
		part.stride[d] = d == dim ? stride_bytes : 0;
	}
	return sum_add(s, &part, err);
}
