/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of memory with a cell for each 8 bytes; where accesses are smaller, for each 4 or 1.
 */
#include "common/control/internal.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT SHADOW_PAGE_SHIFT
#define PAGE_BYTES SHADOW_PAGE
#define NEAR 32 /* bytes, of what may be in one structure */
#define WORD_SHIFT 3
#define ROOM_START 1024

void shadow_clear(struct shadow *s)
{
	for (size_t i = 0; i < s->room; i++)
		free(s->page[i].cell);
	free(s->page);
	*s = (struct shadow){ 0 };
}

static size_t place_of(const struct shadow *s, uint64_t number)
{
	return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (s->room - 1);
}

static int grow(struct shadow *s)
{
	struct shadow old = *s;
	size_t room = s->room ? 2 * s->room : ROOM_START;

	s->page = calloc(room, sizeof(*s->page));
	if (!s->page) {
		*s = old;
		return -1;
	}
	s->room = room;
	memset(s->cache, 0, sizeof(s->cache));
	for (size_t i = 0; i < old.room; i++) {
		size_t at;

		if (!old.page[i].number)
			continue;
		for (at = place_of(s, old.page[i].number); s->page[at].number;)
			at = (at + 1) & (room - 1);
		s->page[at] = old.page[i];
	}
	free(old.page);
	return 0;
}

/* NULL: it is not there, or not to be had. */
static struct shadow_page *page_find(struct shadow *s, uint64_t addr, bool make)
{
	uint64_t number = (addr >> PAGE_SHIFT) + 1;
	uint32_t *cached = &s->cache[number % SHADOW_CACHE];
	size_t at;

	if (*cached && s->page[*cached - 1].number == number)
		return &s->page[*cached - 1];
	if (make && 2 * (s->n + 1) > s->room && grow(s))
		return NULL;
	if (!s->room)
		return NULL;
	for (at = place_of(s, number); s->page[at].number != number;
	     at = (at + 1) & (s->room - 1)) {
		if (s->page[at].number)
			continue;
		if (!make)
			return NULL;
		s->page[at] = (struct shadow_page){ .number = number, .shift = WORD_SHIFT };
		s->n++;
		break;
	}
	*cached = (uint32_t)at + 1;
	return &s->page[at];
}

static size_t cells_of(const struct shadow_page *p)
{
	return PAGE_BYTES >> p->shift;
}

/* Cells of so many bytes, each as the one that it was a part of. */
static int page_cells(struct shadow *s, struct shadow_page *p, unsigned shift)
{
	size_t n = PAGE_BYTES >> shift;
	struct cell *cell = calloc(n, sizeof(*cell));

	if (!cell)
		return -1;
	for (size_t i = 0; i < n; i++) {
		unsigned part = (unsigned)(i << shift) & 7;

		if (!p->cell) {
			cell[i].flags = p->flags;
			continue;
		}
		cell[i] = p->cell[i << shift >> p->shift];
		if (p->shift == WORD_SHIFT)
			cell[i].init = (uint8_t)(cell[i].init >> part);
		else if (p->shift > shift)
			cell[i].init = (uint8_t)(cell[i].init >> (part & ((1u << p->shift) - 1)));
	}
	s->changes++;
	s->bytes += n * sizeof(*cell) - (p->cell ? cells_of(p) * sizeof(*cell) : 0);
	free(p->cell);
	p->cell = cell;
	p->shift = (uint8_t)shift;
	return 0;
}

static unsigned shift_for(uint64_t addr, unsigned size)
{
	if (size >= 8 && !(addr & 7))
		return 3;
	return size >= 4 && !(addr & 3) ? 2 : 0;
}

struct cell *shadow_find(struct shadow *s, uint64_t addr, unsigned size, unsigned *n,
			 unsigned *shift)
{
	struct shadow_page *p = page_find(s, addr, true);
	unsigned wanted = shift_for(addr, size);
	size_t first, last;

	if (!p || ((!p->cell || p->shift > wanted) && page_cells(s, p, wanted)))
		return NULL;
	first = (addr & (PAGE_BYTES - 1)) >> p->shift;
	last = ((addr & (PAGE_BYTES - 1)) + size - 1) >> p->shift;
	if (last >= cells_of(p))
		last = cells_of(p) - 1;
	*n = (unsigned)(last - first + 1);
	*shift = p->shift;
	return &p->cell[first];
}

bool shadow_is_used(struct shadow *s, uint64_t addr)
{
	const struct shadow_page *p = page_find(s, addr, false);

	return p && p->used;
}

void shadow_use(struct shadow *s, uint64_t addr, unsigned size)
{
	struct shadow_page *p = page_find(s, addr, false);

	if (!p)
		return;
	p->used = true;
	p->sizes |= (uint8_t)size;
}

struct beside {
	bool written, wide;
};

static void look_beside(void *arg, struct cell *c, uint64_t at, unsigned bytes)
{
	struct beside *b = arg;

	(void)at;
	b->written |= !(c->flags & CELL_FRESH) || c->init & ((1u << bytes) - 1);
	b->wide |= (c->flags & CELL_WIDE) != 0;
}

static struct beside beside(struct shadow *s, uint64_t lo, uint64_t bytes)
{
	struct beside b = { 0 };

	shadow_each(s, lo, bytes, look_beside, &b);
	return b;
}

bool shadow_is_padding(struct shadow *s, uint64_t addr, uint64_t lo, uint64_t hi)
{
	const struct shadow_page *p = page_find(s, addr, false);
	uint64_t word = addr & ~UINT64_C(7);

	if (!p)
		return false;
	for (unsigned size = 4; size > 1; size /= 2)
		if (p->sizes & size && beside(s, addr & ~(uint64_t)(size - 1), size).written)
			return true;
	if (!beside(s, word, 8).written)
		return false;
	lo = word - lo > NEAR ? word - NEAR : lo;
	hi = hi - word > NEAR + 8 ? word + NEAR + 8 : hi;
	return beside(s, lo, hi - lo).wide;
}

static void cells_reset(struct shadow_page *p, size_t first, size_t end, unsigned flags)
{
	for (size_t i = first; i < end; i++)
		p->cell[i] = (struct cell){ .flags = (uint8_t)flags };
}

int shadow_reset(struct shadow *s, uint64_t addr, uint64_t bytes, unsigned flags)
{
	uint64_t end = addr + bytes;

	s->changes++;
	while (addr < end) {
		uint64_t next = (addr | (PAGE_BYTES - 1)) + 1, to = next < end ? next : end;
		bool whole = to - addr == PAGE_BYTES;
		struct shadow_page *p = page_find(s, addr, flags || !whole);

		if (!p && (flags || !whole))
			return -1;
		if (p && whole) {
			s->bytes -= p->cell ? cells_of(p) * sizeof(*p->cell) : 0;
			free(p->cell);
			p->cell = NULL;
			p->shift = WORD_SHIFT;
			p->flags = (uint8_t)flags;
			p->used = false;
			p->sizes = 0;
		} else if (p) {
			size_t unit = (size_t)1 << p->shift;

			if (!p->cell && page_cells(s, p, p->shift))
				return -1;
			cells_reset(p, ((addr & (PAGE_BYTES - 1)) + unit - 1) >> p->shift,
				    (((to - 1) & (PAGE_BYTES - 1)) >> p->shift) + 1, flags);
		}
		addr = to;
	}
	return 0;
}

void shadow_each(struct shadow *s, uint64_t addr, uint64_t bytes,
		 void (*fn)(void *arg, struct cell *c, uint64_t at, unsigned bytes), void *arg)
{
	uint64_t end = addr + bytes;

	while (addr < end) {
		uint64_t next = (addr | (PAGE_BYTES - 1)) + 1, to = next < end ? next : end;
		struct shadow_page *p = page_find(s, addr, false);

		while (p && p->cell && addr < to) {
			unsigned unit = 1u << p->shift;
			size_t at = (addr & (PAGE_BYTES - 1)) >> p->shift;

			fn(arg, &p->cell[at], addr & ~(uint64_t)(unit - 1), unit);
			addr = (addr & ~(uint64_t)(unit - 1)) + unit;
		}
		addr = to;
	}
}
