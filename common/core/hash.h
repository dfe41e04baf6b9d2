/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table that finds the items of an array by a key: it holds the items' numbers, and the items
 * stay with the caller, who compares them, for several may have one key. The key is a number, or is
 * made of what identifies an item by hash_text, hash_bytes and hash_mix:
 *
 *	for (uint32_t at = 0, i; hash_next(&h, key, &at, &i);)
 *		if (is_wanted(&item[i]))
 *			return &item[i];
 */
#ifndef DVMDBG_COMMON_CORE_HASH_H
#define DVMDBG_COMMON_CORE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t mark; /* of the key */
	uint32_t item; /* number + 1; 0: free */
};

/* All zero: an empty table without memory. */
struct hash {
	struct hash_slot *slot; /* owned */
	uint32_t n, mask;	/* items; slots - 1 */
};

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* The key h with the bytes, the text, the number added to it (FNV-1a, and multiplication). */
static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
	for (const unsigned char *p = data; n--; p++)
		h = (h ^ *p) * UINT64_C(0x100000001b3);
	return h;
}

static inline uint64_t hash_text(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h;
}

static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static inline uint32_t hash_mark(uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 32;
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The next item with the key, into *item; *at begins as 0. False: there is no further one. */
static inline bool hash_next(const struct hash *h, uint64_t key, uint32_t *at, uint32_t *item)
{
	uint32_t mark = hash_mark(key);

	while (h->slot) {
		const struct hash_slot *s = &h->slot[(mark + (*at)++) & h->mask];

		if (s->mark == mark && s->item) {
			*item = s->item - 1;
			return true;
		}
		if (!s->item)
			return false;
	}
	return false;
}

/* Adds an item, whose number is below UINT32_MAX. -1: no memory, nothing is added. */
int hash_put(struct hash *h, uint64_t key, uint32_t item);
/* Forgets all items; reset keeps the memory. */
void hash_reset(struct hash *h);
void hash_clear(struct hash *h);

#endif
