/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which objects constructs read and write that do not say it: at level CHECKSUM nothing is kept of
 * accesses but that they were. A version of an object has two pairs of bits: of the construct
 * outside of tasks, and of the one in a task, each cleared when that begins.
 */
#include "runtime/record/record.h"

#include "common/protocol/point_sums.h"

#define BITS (POINT_SUMS_READ | POINT_SUMS_WRITE)
#define SHIFT(inside) ((inside) ? 2 : 0)
#define SPOTS 8

static struct {
	bool open;  /* one is open that does not say what it uses */
	bool known; /* … or has just ended */
} use[2];

static __thread struct access_spot spot[SPOTS] __attribute__((tls_model("initial-exec")));

static void clear(void *arg, struct page_entity *e)
{
	atomic_fetch_and(&e->used, ~*(const uint32_t *)arg);
}

static void add(void *arg, struct page_entity *e)
{
	*(uint32_t *)arg |= atomic_load(&e->used);
}

void uses_begin(bool inside, bool said)
{
	uint32_t bits = (uint32_t)BITS << SHIFT(inside);

	use[inside].open = use[inside].known = !said && !objects_init();
	if (!use[inside].open)
		return;
	objects_refresh();
	for (uint32_t i = 0; i < var_count(); i++)
		objects_versions(i, clear, &bits);
	access_uses(true);
}

void uses_end(bool inside)
{
	bool was = use[inside].open;

	use[inside].open = false;
	if (was && !use[!inside].open)
		access_uses(false);
}

bool uses_known(bool inside)
{
	return use[inside].known;
}

uint8_t uses_of(uint32_t var, bool inside)
{
	uint32_t bits = 0;

	objects_versions(var, add, &bits);
	return bits >> SHIFT(inside) & BITS;
}

/* Where the address is; neighbours are mostly in the same object as the last time. */
static const struct access_spot *find(uint64_t addr)
{
	struct access_spot *s = NULL;

	for (unsigned i = 0; i < SPOTS; i++) {
		s = &spot[i];
		if (addr - s->lo < s->span &&
		    atomic_load_explicit(s->valid, memory_order_relaxed) == s->stamp)
			return s;
	}
	s = &spot[addr >> 12 & (SPOTS - 1)];
	objects_find(addr, false, s);
	return s;
}

void uses_access(uint64_t addr, uint64_t n, bool read, bool written)
{
	uint32_t bits = (read ? POINT_SUMS_READ : 0) | (written ? POINT_SUMS_WRITE : 0);

	bits |= bits << SHIFT(true);
	for (uint64_t left; n; addr += left, n -= left) {
		const struct access_spot *s = find(addr);
		struct page_entity *e;

		left = s->lo + s->span - addr;
		left = left && left < n ? left : n;
		if (s->object == ACCESS_SKIP)
			continue;
		e = arena_at(s->object);
		if ((atomic_load_explicit(&e->used, memory_order_relaxed) & bits) != bits)
			atomic_fetch_or(&e->used, bits);
	}
}
