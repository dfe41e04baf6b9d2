/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What writes of both runs have read, beside each other.
 */
#include <stdlib.h>
#include <string.h>

#include "common/traceslice/internal.h"

static bool same_read(const struct slice_at *a, const struct slice_at *b)
{
	struct trace_thing x, y;

	if (slice_access_of(a)->size != slice_access_of(b)->size)
		return false;
	slice_thing(a, &x);
	slice_thing(b, &y);
	if (x.what == TRACE_WHAT_ARRAY || y.what == TRACE_WHAT_ARRAY)
		return slice_same_element(&x, &y);
	return slice_site(a) == slice_site(b);
}

/* How many reads of the list before i are like it: which of them it is. */
unsigned slice_nth(const struct slice_at *list, unsigned i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i; k++)
		n += same_read(&list[k], &list[i]);
	return n;
}

const struct slice_at *slice_counterpart(const struct slice_at *read, unsigned nth,
					 const struct slice_at *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (same_read(read, &list[i]) && !nth--)
			return &list[i];
	return NULL;
}

struct slice_both *slice_both_get(const struct slice_at *at, const struct slice_at *at_ref,
				  enum slice_reach reach)
{
	struct slice_both *r = malloc(sizeof(*r));
	bool now, ref, all;

	if (!r)
		return NULL;
	r->nnow = slice_reads(at, reach, r->now, &now);
	r->nref = slice_reads(at_ref, reach, r->ref, &ref);
	/* what was read for it may have been kept since the beginning */
	r->nall = slice_reads(at_ref, SLICE_FAR, r->all, &all);
	r->whole = now && ref && all;
	r->cut = r->nref == SLICE_READS || r->nall == SLICE_READS;
	return r;
}

/* The last read of the same bits before a write outside of loops: what it has copied. Of zeros,
 * which bounds and the like have as well, that is not known. */
bool slice_copied_from(const struct slice_at *write, struct slice_at *out)
{
	const struct slice_access *w = slice_access_of(write);
	struct slice_at *list = malloc(SLICE_READS * sizeof(*list));
	bool whole, found = false;
	unsigned n = list ? slice_reads(write, SLICE_NEAR, list, &whole) : 0;

	for (int far = 0; far < 2 && list && w->value && !found; far++) {
		if (far)
			n = slice_reads(write, SLICE_FAR, list, &whole);
		for (unsigned i = 0; i < n && !found; i++) {
			const struct slice_access *a = slice_access_of(&list[i]);

			found = a->value == w->value && a->size == w->size && a->addr != w->addr;
			if (found)
				*out = list[i];
		}
	}
	free(list);
	return found;
}

/* No other element of the array has had these bits on that rank: which one was sent is known. */
bool slice_is_alone(const struct slice_at *at)
{
	const struct slice_access *v = slice_access_of(at);
	struct trace_thing t, other;

	slice_thing(at, &t);
	for (size_t i = 0; i < at->run->index->file[at->file].n; i++) {
		const struct slice_block *x = slice_run_block(at->run, at->file, i);

		for (uint32_t k = 0; x && k < x->n; k++) {
			const struct slice_access *a = &x->access[k];
			const struct slice_at one = { at->run, at->file, k, i };

			if (a->value != v->value || a->size != v->size || !slice_is_element(&one) ||
			    slice_is_halo(&one))
				continue;
			slice_thing(&one, &other);
			if (!strcmp(other.name, t.name) && !slice_same_element(&other, &t))
				return false;
		}
	}
	return true;
}

/*
 * Of a sum or a counter that nobody registered: it is written between the read and the write of the
 * node, which takes it from there, if at all.
 */
bool slice_is_running(const struct slice_at *read, const struct slice_at *write)
{
	const struct slice_block *x = slice_block_of(read);
	const struct slice_access *a = slice_access_of(read);

	for (uint32_t i = read->access + 1; i < write->access; i++)
		if (x->access[i].write && x->access[i].addr == a->addr &&
		    x->access[i].size == a->size)
			return !slice_is_element(read);
	return false;
}

/* Of what the write replaces, before something else was set: it was read for that. */
bool slice_is_replaced(const struct slice_at *read, const struct slice_at *write)
{
	const struct slice_block *x = slice_block_of(read);
	const struct slice_access *a = slice_access_of(read);

	if (a->addr != slice_access_of(write)->addr || slice_is_element(read))
		return false;
	for (uint32_t i = read->access + 1; i < write->access; i++)
		if (x->access[i].write)
			return true;
	return false;
}

bool slice_both_has_element(const struct slice_both *l)
{
	for (unsigned i = 0; i < l->nnow; i++)
		if (slice_is_element(&l->now[i]))
			return true;
	return false;
}

/* An element that only the reference reads for it. */
bool slice_both_has_unread(const struct slice_both *l)
{
	for (unsigned i = 0; i < l->nref; i++)
		if (slice_is_element(&l->ref[i]) &&
		    !slice_counterpart(&l->ref[i], 0, l->now, l->nnow))
			return true;
	return false;
}
