/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of variables. Their addresses are apart from them: most look-ups find nothing, and a
 * cell is large.
 */
#include "common/reductions/internal.h"

#include <stdlib.h>

#define CELLS 32768u /* places, a power of two */
#define FULL (CELLS / 4 * 3)
#define PROBES 64u

int cell_table_create(struct cell_table *t)
{
	*t = (struct cell_table){ .key = calloc(CELLS, sizeof(*t->key)),
				  .cell = calloc(CELLS, sizeof(*t->cell)) };
	if (t->key && t->cell)
		return 0;
	cell_table_clear(t);
	return -1;
}

void cell_table_clear(struct cell_table *t)
{
	free(t->key);
	free(t->cell);
	*t = (struct cell_table){ 0 };
}

static uint32_t place_of(uint64_t addr)
{
	return (uint32_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (CELLS - 1);
}

struct cell *cell_find(const struct cell_table *t, uint64_t addr)
{
	for (uint32_t i = 0, at = place_of(addr); i < PROBES; i++, at = (at + 1) & (CELLS - 1)) {
		if (t->key[at] == addr)
			return &t->cell[at];
		if (!t->key[at])
			return NULL;
	}
	return NULL;
}

static struct cell *put(struct cell_table *t, uint64_t addr)
{
	for (uint32_t i = 0, at = place_of(addr); i < PROBES; i++, at = (at + 1) & (CELLS - 1)) {
		if (t->key[at])
			continue;
		t->key[at] = addr;
		t->n++;
		return &t->cell[at];
	}
	return NULL;
}

/* Those that no construct since the last but one has touched go. */
static void drop(struct cell_table *t, uint32_t opened)
{
	struct cell_table old = *t, new;

	if (cell_table_create(&new)) {
		t->full = true;
		return;
	}
	new.moves = old.moves + 1;
	for (uint32_t i = 0; i < CELLS; i++) {
		struct cell *to;

		if (!old.key[i] || old.cell[i].opened + 1 < opened)
			continue;
		to = put(&new, old.key[i]);
		if (to)
			*to = old.cell[i];
	}
	new.full = old.full || new.n > FULL / 2;
	cell_table_clear(&old);
	*t = new;
}

struct cell *cell_make(struct cell_table *t, uint64_t addr, unsigned size, uint32_t opened)
{
	struct cell *c;

	if (!addr || t->full)
		return NULL;
	if (t->n >= FULL)
		drop(t, opened);
	c = put(t, addr);
	if (!c) {
		t->full = true;
		return NULL;
	}
	cell_begin(c, addr, size);
	return c;
}

void cell_table_forget(struct cell_table *t, uint64_t addr, uint64_t bytes)
{
	for (uint64_t i = 0; bytes <= CELLS && i < bytes; i++) {
		struct cell *c = cell_find(t, addr + i);

		if (c)
			cell_begin(c, c->addr, c->size);
	}
	for (uint32_t i = 0; bytes > CELLS && i < CELLS; i++)
		if (t->key[i] && t->key[i] - addr < bytes)
			cell_begin(&t->cell[i], t->cell[i].addr, t->cell[i].size);
}
