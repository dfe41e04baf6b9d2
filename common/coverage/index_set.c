/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/coverage/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "common/coverage/internal.h"

struct index_set *index_set_create(unsigned n)
{
	struct index_set *s = calloc(1, sizeof(*s));

	if (s)
		index_set_reset(s, n);
	return s;
}

void index_set_destroy(struct index_set *s)
{
	if (!s)
		return;
	free(s->tuple);
	free(s->bits);
	free(s->table);
	free(s);
}

void index_set_reset(struct index_set *s, unsigned n)
{
	if (n != s->n) { /* pages have another size */
		free(s->tuple);
		free(s->bits);
		s->tuple = NULL;
		s->bits = NULL;
		s->cap = 0;
	}
	if (s->table && s->mask > 4095) {
		free(s->table);
		s->table = NULL;
	} else if (s->table) {
		memset(s->table, 0, (s->mask + 1) * sizeof(*s->table));
	}
	s->n = n;
	s->pages = 0;
	s->last = 0;
	s->count = 0;
	s->lost = false;
}

void index_set_lose(struct index_set *s)
{
	index_set_reset(s, s->n);
	s->lost = true;
}

static size_t hash_of(const int64_t *t, unsigned n)
{
	uint64_t h = n;

	for (unsigned d = 0; d < n; d++)
		h = (h ^ (uint64_t)t[d]) * UINT64_C(0xff51afd7ed558ccd);
	return (size_t)(h ^ h >> 31);
}

static bool page_is(const struct index_set *s, uint32_t at, const int64_t *tuple)
{
	const int64_t *have = &s->tuple[(size_t)at * s->n];

	for (unsigned d = s->n; d-- > 0;)
		if (have[d] != tuple[d])
			return false;
	return true;
}

static int table_grow(struct index_set *s)
{
	uint32_t mask = s->table ? s->mask * 2 + 1 : 63;
	uint32_t *table = calloc((size_t)mask + 1, sizeof(*table));

	if (!table)
		return -1;
	for (uint32_t i = 0; i < s->pages; i++) {
		size_t at = hash_of(&s->tuple[(size_t)i * s->n], s->n) & mask;

		while (table[at])
			at = (at + 1) & mask;
		table[at] = i + 1;
	}
	free(s->table);
	s->table = table;
	s->mask = mask;
	return 0;
}

static int pages_grow(struct index_set *s)
{
	uint32_t cap = s->cap ? 2 * s->cap : 32;
	size_t each = s->n * sizeof(*s->tuple) + sizeof(*s->bits) + 2 * sizeof(*s->table);
	int64_t *tuple;
	struct set_bits *bits;

	if (cap * each > 2 * INDEX_SET_MEMORY)
		return -1;
	tuple = realloc(s->tuple, cap * s->n * sizeof(*tuple));
	if (tuple)
		s->tuple = tuple;
	bits = realloc(s->bits, cap * sizeof(*bits));
	if (bits)
		s->bits = bits;
	if (!tuple || !bits)
		return -1;
	s->cap = cap;
	return 0;
}

int64_t set_page(struct index_set *s, const int64_t *tuple, bool make)
{
	size_t at;

	if (s->last < s->pages && page_is(s, s->last, tuple))
		return s->last;
	if (!s->table && (!make || table_grow(s)))
		return -1;
	at = hash_of(tuple, s->n) & s->mask;
	for (; s->table[at]; at = (at + 1) & s->mask)
		if (page_is(s, s->table[at] - 1, tuple))
			return s->last = s->table[at] - 1;
	if (!make || (s->pages == s->cap && pages_grow(s)))
		return -1;
	memcpy(&s->tuple[(size_t)s->pages * s->n], tuple, s->n * sizeof(*tuple));
	s->bits[s->pages] = (struct set_bits){ { 0 } };
	s->table[at] = ++s->pages;
	s->last = s->pages - 1;
	if (2 * (uint64_t)s->pages > s->mask && table_grow(s))
		return -1;
	return s->pages - 1;
}

/* The page an index vector is on, into tuple; its bit is returned. */
static unsigned split(const struct index_set *s, const int64_t *index, int64_t *tuple)
{
	int64_t last = index[s->n - 1];

	memcpy(tuple, index, s->n * sizeof(*tuple));
	tuple[s->n - 1] = last >> 8;
	return (unsigned)(last & 255);
}

/* The page found last has the index vector, too: nearly always. */
static inline bool on_last(const struct index_set *s, const int64_t *index)
{
	unsigned last = s->n - 1;
	const int64_t *have;

	if (s->last >= s->pages)
		return false;
	have = &s->tuple[(size_t)s->last * s->n];
	if (have[last] != index[last] >> 8)
		return false;
	for (unsigned d = 0; d < last; d++)
		if (have[d] != index[d])
			return false;
	return true;
}

int index_set_add(struct index_set *s, const int64_t *index)
{
	int64_t tuple[ARRAY_DIMS], page;
	unsigned bit = (unsigned)(index[s->n - 1] & 255);
	uint64_t *word, mask = UINT64_C(1) << (bit & 63);

	if (s->lost)
		return -1;
	if (on_last(s, index)) {
		page = s->last;
	} else {
		split(s, index, tuple);
		page = set_page(s, tuple, true);
	}
	if (page < 0) {
		index_set_lose(s);
		return -1;
	}
	word = &s->bits[page].word[bit >> 6];
	if (*word & mask)
		return 0;
	*word |= mask;
	s->count++;
	return 1;
}

void index_set_add_run(struct index_set *s, const int64_t *index, uint64_t count)
{
	int64_t at[ARRAY_DIMS];

	memcpy(at, index, s->n * sizeof(*at));
	for (; count && !s->lost; count--, at[s->n - 1]++)
		index_set_add(s, at);
}

bool index_set_has(const struct index_set *s, const int64_t *index)
{
	struct index_set *look = (struct index_set *)s; /* what was found last is remembered */
	int64_t tuple[ARRAY_DIMS], page;
	unsigned bit = split(s, index, tuple);

	page = set_page(look, tuple, false);
	return page >= 0 && s->bits[page].word[bit >> 6] >> (bit & 63) & 1;
}

unsigned index_set_dims(const struct index_set *s)
{
	return s->n;
}

uint64_t index_set_count(const struct index_set *s)
{
	return s->count;
}

bool index_set_lost(const struct index_set *s)
{
	return s->lost;
}

static unsigned ones(const struct set_bits *b)
{
	unsigned n = 0;

	for (unsigned k = 0; k < 4; k++)
		n += (unsigned)__builtin_popcountll(b->word[k]);
	return n;
}

void index_set_merge(struct index_set *a, const struct index_set *b)
{
	if (b->lost || (b->count && a->n != b->n && a->count)) {
		index_set_lose(a);
		return;
	}
	if (a->lost || !b->count)
		return;
	if (a->n != b->n)
		index_set_reset(a, b->n);
	for (uint32_t i = 0; i < b->pages; i++) {
		int64_t page = set_page(a, &b->tuple[(size_t)i * b->n], true);

		if (page < 0) {
			index_set_lose(a);
			return;
		}
		a->count -= ones(&a->bits[page]);
		for (unsigned k = 0; k < 4; k++)
			a->bits[page].word[k] |= b->bits[i].word[k];
		a->count += ones(&a->bits[page]);
	}
}

void index_set_remove(struct index_set *a, const struct index_set *b)
{
	if (b->lost || (b->count && a->n != b->n && a->count)) {
		index_set_lose(a);
		return;
	}
	if (a->lost || a->n != b->n)
		return;
	for (uint32_t i = 0; i < b->pages; i++) {
		int64_t page = set_page(a, &b->tuple[(size_t)i * b->n], false);

		if (page < 0)
			continue;
		a->count -= ones(&a->bits[page]);
		for (unsigned k = 0; k < 4; k++)
			a->bits[page].word[k] &= ~b->bits[i].word[k];
		a->count += ones(&a->bits[page]);
	}
}

bool index_set_first(const struct index_set *s, int64_t *index)
{
	const int64_t *best = NULL;
	uint32_t at = 0;

	for (uint32_t i = 0; i < s->pages; i++) {
		const int64_t *t = &s->tuple[(size_t)i * s->n];

		if (ones(&s->bits[i]) && (!best || set_order(t, best, s->n) < 0)) {
			best = t;
			at = i;
		}
	}
	if (!best)
		return false;
	memcpy(index, best, s->n * sizeof(*index));
	index[s->n - 1] = (int64_t)((uint64_t)index[s->n - 1] << 8);
	for (unsigned k = 0; k < 4; k++)
		if (s->bits[at].word[k]) {
			index[s->n - 1] += 64 * k + __builtin_ctzll(s->bits[at].word[k]);
			break;
		}
	return true;
}
