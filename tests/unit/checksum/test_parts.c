/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/sum_help.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/array/value.h"

enum how { BLOCK, CYCLIC, RANDOM };

/* Which of the indices of a dimension of n are part p's of parts. */
static int64_t deal(enum how how, int64_t n, int64_t parts, int64_t p, const int64_t *owner,
		    int64_t *list)
{
	int64_t count = 0;

	for (int64_t i = 0; i < n; i++)
		if ((how == BLOCK    ? i * parts / n
		     : how == CYCLIC ? i % parts
				     : owner[i] % parts) == p)
			list[count++] = i;
	for (int64_t i = count - 1; how == RANDOM && i > 0; i--) {
		int64_t k = (int64_t)(draw() % (uint64_t)(i + 1)), t = list[i];

		list[i] = list[k];
		list[k] = t;
	}
	return count;
}

#define EXTENT_MOST 3000

/* The array in parts[0] x parts[1] pieces, added by as many sums, merged in random order. */
static struct sum *in_pieces(const struct layout *whole, const struct sum_plan *plan, enum how how,
			     const int64_t parts[2])
{
	static int64_t owner[2][EXTENT_MOST], list[2][EXTENT_MOST];
	struct sum *piece[64], *all;
	int64_t n = parts[0] * parts[1];

	for (unsigned d = 0; d < 2; d++)
		for (int64_t i = 0; i < EXTENT_MOST; i++)
			owner[d][i] = (int64_t)(draw() >> 2);
	for (int64_t p = 0; p < n; p++) {
		struct layout part = *whole;
		int64_t at[2] = { p % parts[0], p / parts[0] };

		piece[p] = sum_create(plan, NULL);
		assert_non_null(piece[p]);
		piece[p]->ops = &sum_ops_list[draw() % sum_ops_count];
		while (!piece[p]->ops->usable())
			piece[p]->ops++;
		for (unsigned d = 0; d < 2 && d < plan->ndim; d++) {
			part.count[d] =
				deal(how, plan->extent[d], parts[d], at[d], owner[d], list[d]);
		}
		/* each element lies where it did, so they are added one by one */
		for (int64_t i = 0; i < part.count[0]; i++) {
			struct layout row = part;
			int64_t one = list[0][i];

			row.list[0] = NULL;
			row.first[0] = one;
			row.count[0] = 1;
			row.data = (const char *)whole->data + one * whole->stride[0];
			for (int64_t k = 0; plan->ndim > 1 && k < part.count[1]; k++) {
				struct layout cell = row;

				cell.list[1] = NULL;
				cell.first[1] = list[1][k];
				cell.count[1] = 1;
				cell.data = (const char *)row.data + list[1][k] * whole->stride[1];
				add(piece[p], &cell);
			}
			if (plan->ndim == 1)
				add(piece[p], &row);
		}
	}
	while (n > 1) {
		int64_t a = (int64_t)(draw() % (uint64_t)n), b;
		struct buf wire = BUF_INIT;
		struct sum *travelled;

		do
			b = (int64_t)(draw() % (uint64_t)n);
		while (a == b);
		sum_put(piece[b], &wire);
		travelled = sum_get(&wire, NULL);
		assert_non_null(travelled);
		assert_int_equal(buf_left(&wire), 0);
		assert_int_equal(sum_merge(piece[a], travelled, NULL), 0);
		sum_destroy(travelled);
		sum_destroy(piece[b]);
		buf_clear(&wire);
		piece[b] = piece[--n];
	}
	all = piece[0];
	return all;
}

static void every_distribution_gives_the_same_bits(void **state)
{
	static char data[EXTENT_MOST * 16];

	for (unsigned type = 0; type < VALUE_TYPES; type++) {
		int64_t size = (int64_t)value_size(type), extent[2] = { 2900 };

		for (unsigned ndim = 1; ndim <= 2; ndim++) {
			struct layout whole = { .data = data };
			struct sum *one;

			if (ndim == 2) {
				extent[0] = 41;
				extent[1] = 67;
			}
			fill_any(type, data, EXTENT_MOST);
			one = create(ndim, extent, type);
			memcpy(whole.count, extent, sizeof extent);
			whole.stride[0] = ndim == 1 ? size : size * extent[1];
			whole.stride[1] = size;
			add(one, &whole);
			assert_int_equal(sum_count(one), one->plan.total);
			for (enum how how = BLOCK; how <= RANDOM; how++) {
				int64_t parts[2] = { 1 + (int64_t)(draw() % 7),
						     ndim == 1 ? 1 : 1 + (int64_t)(draw() % 3) };
				struct sum *many = in_pieces(&whole, &one->plan, how, parts);

				assert_same(one, many);
				sum_destroy(many);
			}
			sum_destroy(one);
		}
	}
}

static void boxes_and_lists_give_the_same_bits(void **state)
{
	enum { N = 40, M = 60 };
	static double data[N][M], packed[N][M];
	int64_t extent[] = { N, M }, row[2][N], n[2] = { 0, 0 };
	struct sum *one = create(2, extent, VALUE_DOUBLE), *two;

	fill_any(VALUE_DOUBLE, (char *)data, N * M);
	add(one, &(struct layout){ .data = data, .count = { N, M }, .stride = { M * 8, 8 } });
	/* rows dealt by a list that jumps back and forth; columns in two boxes, with lower bounds
	 */
	two = create(2, extent, VALUE_DOUBLE);
	for (int64_t i = 0; i < N; i++) {
		int64_t p = draw() % 2, r = i * 7 % N;

		row[p][n[p]++] = 100 + r;
	}
	for (unsigned p = 0; p < 2; p++) {
		for (int64_t i = 0; i < n[p]; i++)
			memcpy(packed[i], data[row[p][i] - 100], sizeof packed[i]);
		for (int64_t first = 0; first < M; first += 23)
			add(two, &(struct layout){
					 .data = &packed[0][first],
					 .lower = { 100, -5 },
					 .first = { 0, first - 5 },
					 .list = { row[p] },
					 .count = { n[p], M - first < 23 ? M - first : 23 },
					 .stride = { M * 8, 8 },
				 });
	}
	assert_same(one, two);
	/* columns by a list in the inner dimension, from the last backwards in memory */
	sum_reset(two);
	for (int64_t j = 0; j < N; j++) {
		int64_t at[] = { j, 0 };

		assert_int_equal(sum_add_run(two, at, 1, 8, M, data[j], NULL), 0);
	}
	assert_same(one, two);
	sum_reset(two);
	{
		int64_t list[M];

		for (int64_t j = 0; j < M; j++)
			list[j] = M - 1 - j;
		add(two, &(struct layout){ .data = &data[0][M - 1],
					   .list = { NULL, list },
					   .count = { N, M },
					   .stride = { M * 8, -8 } });
	}
	assert_same(one, two);
	sum_destroy(one);
	sum_destroy(two);
}

static void storage_order_does_not_matter(void **state)
{
	enum { A = 9, B = 14, C = 31 };
	static float c[A][B][C], f[C][B][A];
	static double plane_c[80][70], plane_f[70][80];
	int64_t extent[] = { A, B, C }, plane[] = { 80, 70 };
	struct sum *x = create(3, extent, VALUE_FLOAT), *y = create(3, extent, VALUE_FLOAT);

	fill_any(VALUE_FLOAT, (char *)c, A * B * C);
	for (int i = 0; i < A * B * C; i++)
		f[i % C][i / C % B][i / C / B] = c[i / C / B][i / C % B][i % C];
	add(x,
	    &(struct layout){ .data = c, .count = { A, B, C }, .stride = { B * C * 4, C * 4, 4 } });
	add(y,
	    &(struct layout){ .data = f, .count = { A, B, C }, .stride = { 4, A * 4, A * B * 4 } });
	assert_same(x, y);
	sum_destroy(x);
	sum_destroy(y);
	x = create(2, plane, VALUE_DOUBLE);
	y = create(2, plane, VALUE_DOUBLE);
	fill_any(VALUE_DOUBLE, (char *)plane_c, 80 * 70);
	for (int i = 0; i < 80 * 70; i++)
		plane_f[i % 70][i / 70] = plane_c[i / 70][i % 70];
	add(x, &(struct layout){ .data = plane_c, .count = { 80, 70 }, .stride = { 560, 8 } });
	add(y, &(struct layout){ .data = plane_f, .count = { 80, 70 }, .stride = { 8, 640 } });
	assert_same(x, y);
	sum_destroy(x);
	sum_destroy(y);
}

/* Blocks are boxes that cover everything once. */
static void blocks_cover_the_array(void **state)
{
	static const int64_t shapes[][4] = { { 1 },
					     { 63 },
					     { 1000000 },
					     { 4000, 4000 },
					     { 5, 64, 64, 64 },
					     { 3, 1, 100000 },
					     { 300, 301 },
					     { 17, 0 },
					     { 257, 3, 129 } };

	for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
		struct sum_plan p;
		uint64_t covered = 0;
		unsigned ndim = 1;

		while (ndim < 4 && shapes[k][ndim])
			ndim++;
		if (k == 7)
			ndim = 2;
		assert_int_equal(sum_plan_make(&p, ndim, shapes[k], VALUE_INT, 0, NULL), 0);
		assert_true(p.blocks >= 1 && p.blocks <= SUM_BLOCKS);
		for (uint32_t b = 0; b < p.blocks; b++) {
			int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
			uint64_t volume = 1;

			sum_plan_box(&p, b, lo, hi);
			for (unsigned d = 0; d < ndim; d++) {
				assert_true(hi[d] >= lo[d] || p.total == 0);
				volume *= (uint64_t)(hi[d] - lo[d] + 1);
			}
			covered += volume;
		}
		assert_int_equal(covered, p.total);
	}
	{
		struct sum_plan p;

		assert_int_equal(
			sum_plan_make(&p, 2, (int64_t[]){ 4000, 4000 }, VALUE_INT, 0, NULL), 0);
		assert_int_equal(p.blocks, 256);
		assert_int_equal(p.edge[0], 250);
		assert_int_equal(p.edge[1], 250);
	}
}

/* A block has elements of one component, as far as there are blocks. */
static void components_are_apart(void **state)
{
	static const struct {
		unsigned ndim;
		int64_t extent[4], edge[4];
		uint32_t blocks;
	} list[] = {
		{ 1, { 5 }, { 1 }, 5 },
		{ 1, { 16 }, { 1 }, 16 },
		{ 1, { 17 }, { 17 }, 1 },
		{ 2, { 1000, 2 }, { 125, 1 }, 16 },
		{ 3, { 5, 64, 64 }, { 1, 8, 16 }, 160 },
		{ 2, { 12, 12 }, { 12, 1 }, 12 },
		{ 2, { 3, 5 }, { 1, 5 }, 3 },
		{ 3, { 16, 16, 1000 }, { 1, 1, 1000 }, 256 },
		/* 4096 components are too many: of the second dimension they are together */
		{ 4, { 1000, 16, 16, 2 }, { 125, 1, 16, 1 }, 256 },
		{ 4, { 100, 1, 2, 17 }, { 13, 1, 1, 9 }, 32 },
	};

	for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
		struct sum_plan p;

		assert_int_equal(
			sum_plan_make(&p, list[k].ndim, list[k].extent, VALUE_DOUBLE, 0, NULL), 0);
		for (unsigned d = 0; d < p.ndim; d++)
			if (p.edge[d] != list[k].edge[d] || p.blocks != list[k].blocks)
				fail_msg("case %zu: %u blocks, edge %u is %d", k, p.blocks, d,
					 (int)p.edge[d]);
		for (uint32_t b = 0; b < p.blocks; b++) {
			int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];

			sum_plan_box(&p, b, lo, hi);
			assert_int_equal(sum_plan_block(&p, lo), b);
			assert_int_equal(sum_plan_block(&p, hi), b);
		}
	}
}

static void registered_arrays_give_their_part(void **state)
{
	/* rows 4 … 6 of 3 … 10, two columns of halo on the left, one row above */
	static double local[5][8];
	struct array_desc a = { .ndim = 2,
				.type = VALUE_DOUBLE,
				.elem_size = 8,
				.lower = { 3, 1 },
				.extent = { 8, 5 },
				.own_lo = { 4, 1 },
				.own_hi = { 6, 5 },
				.halo_lo = { 1, 2 },
				.halo_hi = { 1, 1 },
				.stride = { 8, 1 } };
	double global[8][5];
	struct sum *s = create(2, a.extent, VALUE_DOUBLE), *t = create(2, a.extent, VALUE_DOUBLE);
	struct layout part;

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 8; j++)
			local[i][j] = NAN;
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 5; j++) {
			global[i][j] = i * 10 + j;
			if (i >= 1 && i <= 3)
				local[i - 1 + 1][j + 2] = global[i][j];
		}
	assert_true(layout_own(&part, &a, 8));
	part.data = local;
	add(s, &part);
	add(t,
	    &(struct layout){
		    .data = global[1], .first = { 1, 0 }, .count = { 3, 5 }, .stride = { 40, 8 } });
	assert_same(s, t);
	sum_destroy(s);
	sum_destroy(t);
}

/* Whatever the bytes are: no crash, and what is taken can be used. */
static void forged_bytes_do_no_harm(void **state)
{
	static double v[4000];
	int64_t extent[] = { 50, 40, 2 };
	struct sum *s = create(3, extent, VALUE_DOUBLE), *got;
	struct buf wire = BUF_INIT, cut;
	unsigned char *copy;

	fill_any(VALUE_DOUBLE, (char *)v, 4000);
	add(s, &(struct layout){ .data = v, .count = { 50, 40, 2 }, .stride = { 80 * 8, 16, 8 } });
	sum_put(s, &wire);
	for (size_t n = 0; n < wire.len; n += 1 + n / 50) {
		struct err err = { "" };

		cut = buf_view(wire.data, n);
		assert_null(sum_get(&cut, &err));
		assert_true(err.text[0] != '\0');
	}
	copy = malloc(wire.len);
	assert_non_null(copy);
	for (unsigned round = 0; round < 3000; round++) {
		memcpy(copy, wire.data, wire.len);
		for (unsigned k = 0; k <= round % 5; k++)
			copy[draw() % (round % 2 ? wire.len : 60)] = (unsigned char)draw();
		cut = buf_view(copy, wire.len);
		got = sum_get(&cut, NULL);
		if (got) {
			struct sum_result *r = finish(got);

			sum_merge(got, s, NULL);
			sum_merge(got, got, NULL);
			sum_result_destroy(r);
			sum_destroy(got);
		}
	}
	free(copy);
	buf_clear(&wire);
	sum_destroy(s);
}

static void bad_input_is_reported(void **state)
{
	int64_t extent[] = { 10, 20 }, list[] = { 3, 10 };
	struct sum *s = create(2, extent, VALUE_INT);
	struct sum_plan p;
	struct err err = { "" };
	int data[200] = { 0 };
	struct layout part = { .data = data, .first = { 5, 0 }, .count = { 6, 1 } };

	assert_int_equal(sum_add(s, &part, &err), -1);
	assert_string_equal(err.text, "index 5 (of 6) in dimension 1 is outside the array: 0 to 9");
	part = (struct layout){ .data = data, .list = { list }, .count = { 2, 1 } };
	assert_int_equal(sum_add(s, &part, &err), -1);
	assert_string_equal(err.text,
			    "index 10 (of 2) in dimension 1 is outside the array: 0 to 9");
	part = (struct layout){ .data = data, .count = { 1, -1 } };
	assert_int_equal(sum_add(s, &part, &err), -1);
	part = (struct layout){ .data = data, .first = { INT64_MAX }, .count = { INT64_MAX, 1 } };
	assert_int_equal(sum_add(s, &part, &err), -1);
	assert_int_equal(sum_count(s), 0);
	part = (struct layout){ .data = data, .first = { 99, 99 }, .count = { 0, 5 } };
	assert_int_equal(sum_add(s, &part, &err), -1); /* dimension 2 is wrong all the same */
	part = (struct layout){ .data = data, .first = { 99, 0 }, .count = { 0, 5 } };
	assert_int_equal(sum_add(s, &part, &err), 0);
	assert_int_equal(sum_plan_make(&p, 1, (int64_t[]){ -1 }, VALUE_INT, 0, &err), -1);
	assert_int_equal(sum_plan_make(&p, 9, extent, VALUE_INT, 0, &err), -1);
	assert_int_equal(sum_plan_make(&p, 1, extent, VALUE_STRUCT, 0, &err), -1);
	assert_int_equal(sum_plan_make(&p, 1, extent, VALUE_INT, 257, &err), -1);
	assert_int_equal(
		sum_plan_make(&p, 2, (int64_t[]){ INT64_MAX, INT64_MAX }, VALUE_INT, 0, &err), -1);
	sum_destroy(s);
}

static void scalars_and_empty_arrays_work(void **state)
{
	double v = 2.5;
	int64_t none[] = { 7, 0 };
	struct sum *s = create(0, NULL, VALUE_DOUBLE);
	struct sum_result *r;

	add(s, &(struct layout){ .data = &v });
	r = finish(s);
	assert_true(sum_mean(r, 0) == 2.5 && r->all.count == 1);
	sum_result_destroy(r);
	sum_destroy(s);
	s = create(2, none, VALUE_DOUBLE);
	add(s, &(struct layout){ .data = &v, .count = { 7, 0 } });
	r = finish(s);
	assert_int_equal(r->all.count, 0);
	assert_true(sum_mean(r, 0) == 0);
	sum_result_destroy(r);
	sum_destroy(s);
}

/* One piece of memory serves sums of every plan, one after the other. */
static void sums_live_in_memory_of_the_caller(void **state)
{
	static const struct {
		unsigned ndim, type;
		int64_t extent[2];
	} shapes[] = { { 2, VALUE_DCOMPLEX, { 200, 300 } }, { 0, VALUE_INT, { 0 } },
		       { 1, VALUE_LONG, { 70000 } },	    { 1, VALUE_DOUBLE, { 100 } },
		       { 2, VALUE_FLOAT, { 1, 40000 } },    { 2, VALUE_DCOMPLEX, { 200, 300 } } };
	void *memory = aligned_alloc(64, (sum_memory(NULL) + 63) / 64 * 64);
	char *data = malloc(70000 * 16);

	memset(memory, 0, sum_memory(NULL));
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct sum *s = create(shapes[i].ndim, shapes[i].extent, shapes[i].type), *in;
		const int64_t *n = shapes[i].extent;
		struct layout part = { .data = data, .count = { n[0], n[1] } };
		int64_t bytes = (int64_t)value_size(shapes[i].type);
		struct buf b = BUF_INIT;

		part.stride[0] = shapes[i].ndim == 2 ? n[1] * bytes : bytes;
		part.stride[1] = bytes;
		fill_any(shapes[i].type, data, 70000);
		assert_true(sum_memory(sum_plan_of(s)) <= sum_memory(NULL));
		in = sum_create_in(memory, sum_plan_of(s), NULL);
		assert_ptr_equal(in, memory);
		assert_int_equal(sum_hash(in), 0);
		add(s, &part);
		add(in, &part);
		assert_same(s, in);
		assert_int_equal(sum_hash(s), sum_hash(in));
		assert_int_not_equal(sum_hash(s), 0);
		sum_put(in, &b);
		assert_in_range(b.len, 1, sum_put_most(sum_plan_of(s)));
		assert_true(sum_put_most(sum_plan_of(s)) <= sum_put_most(NULL));
		buf_clear(&b);
		sum_reset(in);
		sum_destroy(s);
	}
	free(memory);
	free(data);
}

/* Numbers of every size in one block need most digits. */
static void the_most_bytes_are_known(void **state)
{
	const int64_t n = 4096;
	double v[4096];
	struct sum_plan plan;
	struct sum *s;
	struct buf b = BUF_INIT;

	for (int i = 0; i < 4096; i++)
		v[i] = i == 7 ? NAN : ldexp(draw() % 2 ? -1.1 : 1.3, i % 2098 - 1074);
	assert_int_equal(sum_plan_make(&plan, 1, &n, VALUE_DOUBLE, 1, NULL), 0);
	s = sum_create(&plan, NULL);
	add(s, &(struct layout){ .data = v, .count = { n }, .stride = { 8 } });
	sum_put(s, &b);
	assert_true(b.len <= sum_put_most(&plan));
	assert_true(b.len > sum_put_most(&plan) / 2);
	buf_clear(&b);
	sum_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_distribution_gives_the_same_bits),
		cmocka_unit_test(boxes_and_lists_give_the_same_bits),
		cmocka_unit_test(storage_order_does_not_matter),
		cmocka_unit_test(blocks_cover_the_array),
		cmocka_unit_test(components_are_apart),
		cmocka_unit_test(registered_arrays_give_their_part),
		cmocka_unit_test(forged_bytes_do_no_harm),
		cmocka_unit_test(bad_input_is_reported),
		cmocka_unit_test(scalars_and_empty_arrays_work),
		cmocka_unit_test(sums_live_in_memory_of_the_caller),
		cmocka_unit_test(the_most_bytes_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
