/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/hash.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/memory.h"

#define HASH_FIRST 64u /* slots */

static void slot_fill(struct hash_slot *slot, uint32_t mask, struct hash_slot with)
{
	uint32_t at = with.mark & mask;

	while (slot[at].item)
		at = (at + 1) & mask;
	slot[at] = with;
}

static int hash_grow(struct hash *h)
{
	size_t n = h->slot ? 2 * ((size_t)h->mask + 1) : HASH_FIRST;
	struct hash_slot *slot = n <= UINT32_MAX ? memory_got(calloc(n, sizeof(*slot))) : NULL;

	if (!slot)
		return -1;
	for (size_t i = 0; h->slot && i <= h->mask; i++)
		if (h->slot[i].item)
			slot_fill(slot, (uint32_t)n - 1, h->slot[i]);
	free(h->slot);
	h->slot = slot;
	h->mask = (uint32_t)n - 1;
	return 0;
}

int hash_put(struct hash *h, uint64_t key, uint32_t item)
{
	/* half of the slots stay free; without memory one, or searches would not end */
	if (!h->slot || h->n >= h->mask / 2)
		if (hash_grow(h) && (!h->slot || h->n >= h->mask))
			return -1;
	slot_fill(h->slot, h->mask, (struct hash_slot){ hash_mark(key), item + 1 });
	h->n++;
	return 0;
}

void hash_reset(struct hash *h)
{
	if (h->n)
		memset(h->slot, 0, ((size_t)h->mask + 1) * sizeof(*h->slot));
	h->n = 0;
}

void hash_clear(struct hash *h)
{
	free(h->slot);
	*h = (struct hash){ 0 };
}
