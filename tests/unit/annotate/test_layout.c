/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "frontend/annotate/internal.h"

#define COLUMNS 7

/* How an array of rows is made on each rank: all rows are numbered with what they hold. */
struct made {
	int64_t rows;	 /* of the whole */
	int64_t halo;	 /* rows and columns, all round */
	int64_t beside;	 /* rows that are allocated behind, and not used */
	int64_t block;	 /* rows in turn; 0: one block on each rank */
	bool rim;	 /* the first and last row of the whole are read only */
};

static void access_one(struct rank_seen *s, struct sweep *w, int64_t e, bool write, int64_t value)
{
	struct region *r = &s->region[0];

	w->region = 0;
	w->write = write;
	w->size = 8;
	w->file = "a.c";
	w->room = (r->bytes / 8 + 64) / 64;
	if (!w->touched)
		w->touched = calloc(w->room, 8);
	if (!(w->touched[e / 64] >> e % 64 & 1))
		w->elements++;
	w->touched[e / 64] |= UINT64_C(1) << e % 64;
	w->n++;
	walk_to(&w->walk, e * 8);
	if (write) {
		r->value[e] = (uint64_t)value;
		r->valued[e / 8] |= UINT64_C(0xff) << e % 8 * 8;
	}
}

static int64_t rows_of(const struct made *m, uint32_t ranks, uint32_t rank, int64_t *first)
{
	int64_t n = 0;

	if (!m->block) {
		*first = m->rows * rank / ranks;
		return m->rows * (rank + 1) / ranks - *first;
	}
	*first = -1;
	for (int64_t i = 0; i < m->rows; i++)
		n += i / m->block % ranks == rank;
	return n;
}

static void make_rank(struct rank_seen *s, const struct made *m, uint32_t ranks, uint32_t rank)
{
	int64_t first, rows = rows_of(m, ranks, rank, &first), pitch = COLUMNS + 2 * m->halo;
	struct region *r = s->region = calloc(1, sizeof(*r));

	s->nregion = 1;
	r->file = "a.c";
	r->line = 1;
	r->unit = 8;
	r->bytes = (uint64_t)((rows + 2 * m->halo + m->beside * (rank + 1)) * pitch) * 8;
	r->value = calloc(r->bytes / 8 + 1, 8);
	r->valued = calloc(r->bytes / 64 + 1, 8);
	s->sweep = calloc(2, sizeof(*s->sweep));
	s->nsweep = 2;
	for (int64_t i = 0; i < rows; i++) {
		int64_t global = m->block ? (i / m->block * ranks + rank) * m->block + i % m->block
					  : first + i;
		bool reads = m->rim && (global == 0 || global == m->rows - 1);

		for (int64_t j = 0; j < COLUMNS; j++)
			access_one(s, &s->sweep[reads], (i + m->halo) * pitch + j + m->halo, !reads,
				   global * 100 + j);
	}
	s->sweep[0].line = 10;
	s->sweep[1].line = 11;
	for (int k = 0; k < 2; k++) {
		s->sweep[k].file = "a.c";
		s->sweep[k].size = 8;
		if (!s->sweep[k].touched)
			s->nsweep = 1;
		walk_end(&s->sweep[k].walk);
	}
}

static uint32_t counts[] = { 1, 3 };

static void make(struct training *t, struct guesses *g, const struct made *m)
{
	for (int k = 0; k < 2; k++) {
		t[k] = (struct training){ .ranks = counts[k] };
		t[k].rank = calloc(counts[k], sizeof(*t[k].rank));
		for (uint32_t r = 0; r < counts[k]; r++)
			make_rank(&t[k].rank[r], m, counts[k], r);
	}
	guesses_make(g, t, 2);
	guesses_halos(g);
	assert_int_equal(g->narray, 1);
}

static void clear(struct training *t, struct guesses *g)
{
	guesses_clear(g);
	for (int k = 0; k < 2; k++)
		training_clear(&t[k]);
}

static void test_blocks(void **state)
{
	struct made m = { .rows = 11, .halo = 1 };
	struct training t[2];
	struct guesses g;
	const struct array_guess *a;

	make(t, &g, &m);
	a = &g.array[0];
	assert_string_equal(a->why_not, "");
	assert_true(a->tiles);
	assert_int_equal(a->ndim, 2);
	assert_int_equal(a->run[1].shape[0], 11);
	assert_int_equal(a->run[1].shape[1], COLUMNS);
	assert_int_equal(a->run[1].grid[0], 3);
	assert_int_equal(a->run[1].part[1].first[0], 3);
	assert_int_equal(a->run[1].part[1].own_n[0], 4);
	assert_int_equal(a->run[1].part[1].own_lo[0], 1);
	for (int d = 0; d < 2; d++) {
		assert_int_equal(a->halo_lo[d], 1);
		assert_int_equal(a->halo_hi[d], 1);
	}
	clear(t, &g);
}

/* What an allocation has more than anyone uses is no halo. */
static void test_capacity(void **state)
{
	struct made m = { .rows = 11, .halo = 1, .beside = 5 };
	struct training t[2];
	struct guesses g;

	make(t, &g, &m);
	assert_string_equal(g.array[0].why_not, "");
	assert_int_equal(g.array[0].halo_lo[0], 1);
	assert_int_equal(g.array[0].halo_hi[0], 0);
	clear(t, &g);
}

/* Rows at the rim that nobody writes belong to the own parts there, not to halos. */
static void test_rim(void **state)
{
	struct made m = { .rows = 17, .halo = 1, .rim = true };
	struct training t[2];
	struct guesses g;
	const struct array_guess *a;

	make(t, &g, &m);
	a = &g.array[0];
	assert_string_equal(a->why_not, "");
	assert_int_equal(a->halo_lo[0], 1);
	assert_int_equal(a->halo_hi[0], 1);
	assert_int_equal(a->run[1].shape[0], 17);
	assert_int_equal(a->run[1].part[0].own_n[0], 5);
	assert_int_equal(a->run[1].part[2].first[0], 11);
	assert_int_equal(a->run[0].part[0].own_n[0], 17);
	clear(t, &g);
}

/* Sizes of parts in turn make up the whole as blocks do: values show that they are none. */
static void test_in_turn(void **state)
{
	struct made m = { .rows = 11, .block = 2 };
	struct training t[2];
	struct guesses g;

	make(t, &g, &m);
	assert_true(g.array[0].tiles && g.array[0].cyclic);
	assert_string_equal(g.array[0].why_not, "");
	assert_int_equal(g.array[0].run[1].block, 2 * COLUMNS);
	guesses_fold(&g, 0, (const int64_t[]){ COLUMNS, COLUMNS });
	assert_int_equal(g.array[0].ndim, 2);
	assert_int_equal(g.array[0].run[1].block, 2);
	assert_int_equal(guesses_index(&g, &g.array[0], 1, 1, 0, 0), 2);
	clear(t, &g);
	m.halo = 1; /* indices beside blocks are no own ones */
	make(t, &g, &m);
	assert_false(g.array[0].tiles);
	assert_non_null(
		strstr(g.array[0].why_not, "in turn, in blocks of 2, and there are others"));
	clear(t, &g);
}

/* What does not run on one rank is held against fewer ranks. */
static void test_not_alone(void **state)
{
	struct made m = { .rows = 17, .halo = 1 };
	struct training t[2];
	struct guesses g;
	const struct array_guess *a;

	counts[0] = 2;
	counts[1] = 4;
	make(t, &g, &m);
	a = &g.array[0];
	assert_string_equal(a->why_not, "");
	assert_true(a->tiles);
	assert_int_equal(a->run[0].grid[0], 2);
	assert_int_equal(a->run[1].grid[0], 4);
	assert_int_equal(a->run[1].shape[0], 17);
	assert_int_equal(a->run[0].part[1].first[0], 8);
	assert_int_equal(a->run[1].part[3].first[0], 12);
	assert_int_equal(a->halo_lo[0], 1);
	clear(t, &g);
	m.rows = 32;
	m.block = 2;
	make(t, &g, &m);
	assert_false(g.array[0].tiles);
	assert_non_null(strstr(g.array[0].why_not, "at other places in the run on fewer"));
	clear(t, &g);
	counts[0] = 4;
	make(t, &g, &m);
	assert_false(g.array[0].tiles);
	clear(t, &g);
	counts[0] = 1;
	counts[1] = 3;
}

/* A buffer that is cleared before messages come into it holds what they bring. */
static void test_unpacked(void **state)
{
	uint64_t value[1] = { 1 };
	struct region region[2] = { 0 };
	struct sweep sweep[] = { { .file = "a.c", .line = 7, .region = 0, .write = true },
				 { .file = "a.c", .line = 7, .region = 1 },
				 { .file = "a.c", .line = 5, .region = 1, .write = true } };
	struct rank_seen s = { .region = region, .nregion = 2, .sweep = sweep, .nsweep = 3 };

	assert_true(sweep_unpacks(&s, &sweep[0]));
	region[1].value = value;
	assert_false(sweep_unpacks(&s, &sweep[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_rim),
		cmocka_unit_test(test_in_turn),
		cmocka_unit_test(test_not_alone),
		cmocka_unit_test(test_unpacked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
