/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocated memory that nobody has registered, by address: a treap in memory of our own, of a
 * bounded number of blocks. A spinlock that nobody waits for long for: a handler may have
 * interrupted whoever has it, and then a block is not known, or one that is gone still is, until
 * others take its place.
 */
#include "runtime/record/record.h"

#include <sched.h>

#define NODES 65536
#define TRIES 1000
#define YIELD_AFTER 50

struct node {
	uint64_t addr, bytes, pc;
	uint32_t left, right, rank; /* 0: none */
	uint32_t number;	    /* of its entry in the page, 0: none so far */
	_Atomic uint32_t stamp;	    /* changes when the block goes */
};

_Atomic uint32_t nowhere_stamp;

static _Atomic uint64_t least = 24; /* bytes of a block that is kept: of a table of three rows */

static struct node *node; /* [0] is none */
static uint32_t used = 1, unused, root, seed = 2463534242u;
static atomic_flag locked = ATOMIC_FLAG_INIT;

int heap_init(void)
{
	node = rt_pages(NODES * sizeof(*node));
	return node ? 0 : -1;
}

static bool lock(void)
{
	for (unsigned i = 1; i < TRIES; i++) {
		if (!atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
			return true;
		if (i > YIELD_AFTER)
			sched_yield();
	}
	return false;
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&locked, memory_order_release);
}

static uint32_t random_rank(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Those below addr into *low, the others into *high. */
static void split(uint32_t at, uint64_t addr, uint32_t *low, uint32_t *high)
{
	while (at) {
		if (node[at].addr < addr) {
			*low = at;
			low = &node[at].right;
			at = *low;
		} else {
			*high = at;
			high = &node[at].left;
			at = *high;
		}
	}
	*low = *high = 0;
}

/* All of low are before all of high. */
static uint32_t join(uint32_t low, uint32_t high)
{
	uint32_t top = 0, *to = &top;

	while (low && high) {
		if (node[low].rank > node[high].rank) {
			*to = low;
			to = &node[low].right;
			low = *to;
		} else {
			*to = high;
			to = &node[high].left;
			high = *to;
		}
	}
	*to = low ? low : high;
	return top;
}

/* The block with the highest address up to addr, 0: none; *above: the address of the next one. */
static uint32_t below(uint64_t addr, uint64_t *above)
{
	uint32_t at = root, found = 0;

	while (at) {
		if (node[at].addr <= addr) {
			found = at;
			at = node[at].right;
		} else {
			*above = node[at].addr;
			at = node[at].left;
		}
	}
	return found;
}

static void take_out(uint64_t addr)
{
	uint32_t *at = &root, i;

	while (*at && node[*at].addr != addr)
		at = node[*at].addr < addr ? &node[*at].right : &node[*at].left;
	i = *at;
	if (!i)
		return;
	*at = join(node[i].left, node[i].right);
	atomic_fetch_add(&node[i].stamp, 1);
	node[i].left = unused;
	unused = i;
}

static void put_in(uint64_t addr, uint64_t bytes, uint64_t pc)
{
	uint32_t i = unused, *at = &root;
	uint32_t rank = random_rank();

	if (i)
		unused = node[i].left;
	else if (used < NODES)
		i = used++;
	if (!i)
		return;
	node[i].addr = addr;
	node[i].bytes = bytes;
	node[i].pc = pc;
	node[i].rank = rank;
	node[i].number = 0;
	while (*at && node[*at].rank > rank)
		at = node[*at].addr < addr ? &node[*at].right : &node[*at].left;
	split(*at, addr, &node[i].left, &node[i].right);
	*at = i;
}

void heap_keep_all(void)
{
	least = 1;
}

void heap_add(uint64_t addr, uint64_t bytes, uint64_t pc)
{
	uint64_t above;
	uint32_t i;

	if (bytes < atomic_load_explicit(&least, memory_order_relaxed) || addr + bytes < addr ||
	    !lock())
		return;
	/* what cannot be there any more, as we have not heard that it went */
	while ((i = below(addr + bytes - 1, &above)) && node[i].addr + node[i].bytes > addr)
		take_out(node[i].addr);
	put_in(addr, bytes, pc);
	atomic_fetch_add_explicit(&nowhere_stamp, 1, memory_order_relaxed);
	unlock();
}

void heap_remove(uint64_t addr)
{
	if (!lock())
		return;
	take_out(addr);
	unlock();
}

/* The number under which the page reports it; those that are reported long ago are reported
 * again. */
static uint32_t report(struct node *n)
{
	static uint32_t last;
	struct page_heap *h;

	if (n->number && last - n->number < PAGE_HEAP / 2)
		return n->number;
	/* a number is a version without its first bit, and no version is that of nothing */
	if (++last >= PAGE_VERSION_HEAP - 4)
		last = 1;
	h = &rt.page->trace.heap[last % PAGE_HEAP];
	atomic_store(&h->number, 0);
	h->addr = n->addr;
	h->bytes = n->bytes;
	h->pc = n->pc;
	atomic_store(&h->number, last);
	n->number = last;
	return last;
}

bool heap_find(uint64_t addr, struct access_spot *s, uint64_t *lo, uint64_t *hi)
{
	uint64_t above = UINT64_MAX;
	struct node *n;
	uint32_t i;

	if (!lock())
		return false;
	i = below(addr, &above);
	n = &node[i];
	if (i && addr - n->addr < n->bytes) {
		s->lo = s->base = n->addr;
		s->span = n->bytes;
		s->valid = &n->stamp;
		s->stamp = atomic_load_explicit(&n->stamp, memory_order_relaxed);
		s->object = PAGE_VERSION_HEAP | report(n);
		unlock();
		return true;
	}
	if (i && n->addr + n->bytes > *lo)
		*lo = n->addr + n->bytes;
	if (above < *hi)
		*hi = above;
	unlock();
	return false;
}
