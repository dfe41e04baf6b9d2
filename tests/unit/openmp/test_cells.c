/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control of OpenMP: what is kept of accesses. */
#include "tests/unit/openmp/run.h"

static void a_limit_is_reported(void **state)
{
	struct report_trace count = { 0 };
	struct err err = { "" };
	struct run r;

	(void)state;
	begin_with(&r, &(struct openmp_options){ .memory = 100 });
	team(&r, 2);
	for (uint64_t i = 0; i < 16; i++)
		touch(&r, 0, TRACE_WRITE, i, 1);
	assert_int_equal(openmp_reader.end(r.e, true, &err), 0);
	openmp_reader.count(r.e, &count);
	assert_int_equal(count.unthreaded[OPENMP_WHY_LIMIT], 1);
	assert_int_equal(count.threaded, 16);
	openmp_reader.destroy(r.e);
}

/* What conflicts in a run of random sweeps, by comparing each access with each other. */
#define ACCESSES 4000

struct random_run {
	struct run r;
	uint32_t seed;
	struct done {
		unsigned unit, site;
		bool write;
		uint64_t from, to;
	} done[ACCESSES];
	unsigned n, units, unit[2];
	bool apart; /* of each element, one access */
	unsigned events, elements, sites, stays;
	unsigned reads; /* of one write; where all conflicts little is seen */
	bool wanted[SITES][SITES];
	struct trace_slot slot[8 * SITES];
	struct trace_batch batch;
};

static uint32_t slot_of(unsigned site, bool write, unsigned size)
{
	return 8 * site + 4 * write + (unsigned)__builtin_ctz(size);
}

static void make_slots(struct random_run *z)
{
	for (unsigned i = 0; i < 8 * SITES; i++)
		z->slot[i] = (struct trace_slot){
			.site = i / 8, .flags = (uint8_t)(1u << i % 4 | (i & 4 ? TRACE_WRITES : 0))
		};
	for (unsigned t = 0; t < 2; t++) {
		z->r.block[t].slot = z->slot;
		z->r.block[t].nslot = 8 * SITES;
	}
}

static unsigned any(struct random_run *z, unsigned n)
{
	z->seed = z->seed * 1664525u + 1013904223u;
	return (z->seed >> 8) % n;
}

static void random_access(struct random_run *z, unsigned thread, unsigned kind, uint64_t at,
			  unsigned size)
{
	struct done *to = &z->done[z->n];

	if (z->n == ACCESSES)
		return;
	*to = (struct done){ z->unit[thread], kind / 2, kind & 1, at, at + size };
	for (unsigned i = 0; i < z->n; i++) {
		const struct done *d = &z->done[i];

		if (d->unit != to->unit && (d->write || to->write) && d->from < to->to &&
		    to->from < d->to)
			z->wanted[d->site][to->site] = z->wanted[to->site][d->site] = true;
	}
	z->n++;
	z->batch.step[z->batch.n++] =
		(struct trace_batch_item){ .slot = slot_of(to->site, to->write, size), .at = at };
}

/* What a thread has accessed since then. */
static void random_take(struct random_run *z, unsigned thread)
{
	struct err err = { "" };

	z->r.at.block = &z->r.block[thread];
	assert_int_equal(openmp_reader.block(z->r.e, &z->r.block[thread], &err), 0);
	assert_int_equal(openmp_reader.steps(z->r.e, &z->batch, &z->r.at, &err), 0);
	z->batch.n = 0;
}

/* A thread goes on to another iteration, or through a part of the array at some lines. */
static void random_step(struct random_run *z)
{
	unsigned thread = any(z, 2), kinds = 1 + any(z, 3), kind[3];
	unsigned lo = any(z, z->elements), hi = lo + 1 + any(z, z->elements - lo);
	unsigned size = 1u << any(z, 4), from = any(z, 8);

	if (!any(z, z->stays)) {
		does(&z->r, thread, "N 2");
		z->unit[thread] = z->units++;
	}
	/* what happens in an iteration does not matter to what it accesses */
	if (!any(z, z->events)) {
		char text[60];

		snprintf(text, sizeof(text), "L 5 %x 0;l 5 %x 0", 0x100 + z->n, 0x100 + z->n);
		does(&z->r, thread, text);
	}
	for (unsigned i = 0; i < kinds; i++)
		kind[i] = 2 * any(z, z->sites) + !any(z, z->reads);
	if (from + size > 8)
		from = 0;
	z->apart = any(z, 3) || size * (hi - lo) < 16;
	/* a batch has room for all */
	for (unsigned i = lo; i < hi && z->batch.n + 24 <= TRACE_BATCH; i++)
		for (unsigned k = 0; k < kinds; k++)
			for (unsigned j = 0; j < 8; j += z->apart ? 8 : size)
				random_access(z, thread, kind[k], i * 8 + (z->apart ? from : j),
					      size);
	random_take(z, thread);
}

static void random_end(struct random_run *z, bool found[SITES][SITES])
{
	struct trace_findings *l;
	struct err err = { "" };

	assert_int_equal(openmp_reader.end(z->r.e, true, &err), 0);
	l = openmp_reader.findings(z->r.e);
	for (size_t i = 0; i < l->n; i++) {
		struct trace_finding f;
		unsigned a, b;

		assert_int_equal(trace_findings_get(l, i, &f), 0);
		a = f.spot.place.line - 1;
		b = f.ref_spot.place.line - 1;
		found[a][b] = found[b][a] = true;
	}
	openmp_reader.destroy(z->r.e);
}

static void random_runs_have_what_conflicts(void **state)
{
	static struct random_run z;

	(void)state;
	for (uint32_t seed = 1; seed <= 2000; seed++) {
		bool found[SITES][SITES] = { { false } };

		memset(&z, 0, sizeof(z));
		z.seed = seed;
		z.elements = 1 + any(&z, 16);
		z.sites = 1 + any(&z, SITES);
		z.stays = 1 + any(&z, 6);
		z.events = 1 + any(&z, 60);
		z.reads = 1 + any(&z, 1u << any(&z, 9));
		begin_with(&z.r, &(struct openmp_options){ .most = 1000 });
		make_slots(&z);
		team(&z.r, 2);
		for (unsigned t = 0; t < 2; t++) {
			does(&z.r, t, "G 0;N 2");
			for (unsigned i = any(&z, 2) ? 0 : 40; i-- > 0;)
				does(&z.r, t, "N 2");
			z.unit[t] = z.units++;
		}
		for (unsigned i = 2 + any(&z, 50); i-- > 0;)
			random_step(&z);
		random_end(&z, found);
		for (unsigned a = 0; a < SITES; a++)
			for (unsigned b = 0; b < SITES; b++)
				if (found[a][b] != z.wanted[a][b])
					fail_msg("seed %u: lines %u and %u: found %d", seed, a + 1,
						 b + 1, found[a][b]);
	}
}

/* Three lines read each element of a row: rows have one chain of entries, whatever their length. */
static void rows_share_what_is_known(void **state)
{
	struct report_trace count = { 0 };
	struct err err = { "" };
	struct run r;

	(void)state;
	begin_with(&r, &(struct openmp_options){ .memory = (uint64_t)1 << 20 });
	r.object.desc.extent[0] = 100000;
	r.object.desc.own_hi[0] = 99999;
	team(&r, 2);
	for (unsigned t = 0; t < 2; t++) {
		does(&r, t, "G 0;N 2");
		for (uint64_t i = 0; i < 100000; i++)
			for (uint32_t line = 1; line <= 3; line++)
				touch(&r, t, TRACE_READ, i, line);
	}
	touch(&r, 0, TRACE_WRITE, 99999, 4);
	openmp_reader.end(r.e, true, &err);
	openmp_reader.count(r.e, &count);
	assert_int_equal(count.unthreaded[OPENMP_WHY_LIMIT], 0);
	expect(&r, "4w-1r 4w-2r 4w-3r");
}

static void iterations_without_events_take_no_more_than_their_accesses(void **state)
{
	struct report_trace count = { 0 };
	struct err err = { "" };
	struct run r;

	(void)state;
	begin_with(&r, &(struct openmp_options){ .memory = (uint64_t)4 << 20 });
	r.object.desc.extent[0] = 100000;
	r.object.desc.own_hi[0] = 99999;
	team(&r, 2);
	does(&r, 0, "G 0");
	does(&r, 1, "G 0");
	for (uint64_t i = 0; i < 100000; i++) {
		does(&r, i % 2, "N 2");
		touch(&r, i % 2, TRACE_WRITE, i, 1);
	}
	touch(&r, 1, TRACE_READ, 99997, 2);
	openmp_reader.end(r.e, true, &err);
	openmp_reader.count(r.e, &count);
	assert_int_equal(count.unthreaded[OPENMP_WHY_LIMIT], 0);
	expect(&r, "1w-2r");
}

/* The accesses before it are those of the iteration, too. */
static void what_happens_late_in_an_iteration_orders_what_follows(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "G 0");
	for (unsigned i = 0; i < 50; i++)
		does(&r, 0, "N 2");
	writes(&r, 0, 1);
	does(&r, 0, "C 20 - 0");
	reads(&r, 0, 2);
	does(&r, 1, "S 20 1 0 870000");
	writes(&r, 1, 3);
	does(&r, 1, "s 20");
	does(&r, 0, "N 2");
	touch(&r, 0, TRACE_WRITE, 4, 4);
	does(&r, 0, "N 2");
	touch(&r, 0, TRACE_READ, 4, 5);
	/* the task is behind line 1, and beside line 2 */
	expect(&r, "3w-2r 4w-5r");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_is_reported),
		cmocka_unit_test(random_runs_have_what_conflicts),
		cmocka_unit_test(rows_share_what_is_known),
		cmocka_unit_test(iterations_without_events_take_no_more_than_their_accesses),
		cmocka_unit_test(what_happens_late_in_an_iteration_orders_what_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
