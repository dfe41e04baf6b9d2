/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/logical/tree.h"
#include "tests/sim/sim.h"

/* Two orders are kept: while nodes work on one, the other is read. */
struct work {
	uint32_t order[2];
	uint64_t nsec[2];
	uint32_t now; /* index of the present one */
};

struct sim_cost {
	uint32_t size;
	struct work of[];
};

struct sim_cost *sim_cost_create(uint32_t size)
{
	size_t bytes = sizeof(struct sim_cost) + size * sizeof(struct work);
	struct sim_cost *c =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (c == MAP_FAILED)
		return NULL;
	c->size = size;
	return c;
}

void sim_cost_begin(struct sim_cost *c, uint32_t rank, uint32_t order)
{
	struct work *w = &c->of[rank];

	w->now ^= 1;
	w->order[w->now] = order;
	w->nsec[w->now] = 0;
	if (rank == 0)
		sim_cost_write(c);
}

void sim_cost_add(struct sim_cost *c, uint32_t rank, uint64_t nsec)
{
	struct work *w = &c->of[rank];

	w->nsec[w->now] += nsec;
}

/* What the rank worked for the order; 0 when it was not asked. */
static uint64_t spent(const struct sim_cost *c, uint32_t rank, uint32_t order)
{
	const struct work *w = &c->of[rank];

	for (unsigned i = 0; i < 2; i++)
		if (w->order[i] == order)
			return w->nsec[i];
	return 0;
}

void sim_cost_write(const struct sim_cost *c)
{
	const char *path = getenv("DVMDBG_SIM_COST");
	const struct work *root = &c->of[0];
	uint32_t order = root->order[root->now ^ 1];
	uint64_t *way = calloc(c->size, sizeof(*way)), longest = 0, all = 0;
	FILE *f = path && order ? fopen(path, "ae") : NULL;
	uint32_t nodes = 0;

	for (uint32_t r = 0; f && way && r < c->size; r++) {
		int64_t above = tree_parent(r);
		uint64_t own = spent(c, r, order);

		way[r] = own + (above < 0 ? 0 : way[above]);
		longest = way[r] > longest ? way[r] : longest;
		all += own;
		nodes += own > 0;
	}
	if (f) {
		fprintf(f, "%u %.1f %u %.1f\n", order, (double)longest / 1e3, nodes,
			(double)all / 1e3);
		fclose(f);
	}
	free(way);
}
