/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a value comes from, in the traces of one run: who has written what was read for it, and
 * what was read for that. By depth, so that what is left out is the farthest.
 */
#include <stdlib.h>
#include <string.h>

#include "common/traceslice/internal.h"

struct origin {
	struct slice_at at; /* the write; of HISTORY_UNSEEN the read */
	enum history_how how;
	int from; /* -1: the first */
	unsigned depth;
	int same; /* another origin that is this write; -1: none */
	bool put;
};

struct history_hold {
	struct slice_run run;
	size_t bytes;
	struct origin origin[HISTORY_STEPS];
	unsigned n;
};

/* The owner's own element, as it was read from a halo. */
struct owned {
	uint64_t value;
	unsigned size;
	struct slice_at at;
};

static bool is_as_read(void *arg, const struct slice_at *at)
{
	struct owned *o = arg;
	const struct slice_access *a = slice_access_of(at);

	if (a->size != o->size || a->value != o->value)
		return true;
	if (!slice_write_of(at, &o->at))
		o->at.run = NULL;
	return !o->at.run;
}

/* A halo that is behind: its owner has written that, and something else since. */
static bool is_behind(const struct slice_at *read, uint32_t owner, const struct trace_thing *t,
		      struct slice_at *out)
{
	const struct slice_access *a = slice_access_of(read);
	struct slice_search q = { .run = read->run,
				  .file = owner,
				  .thing = t,
				  .until = &slice_scope_of(read)->point,
				  .value = &a->value };

	return slice_is_number(read) && slice_element_write(&q, out) &&
	       slice_access_of(out)->size == a->size;
}

static bool by_owner(const struct slice_at *read, struct slice_at *out)
{
	const struct slice_access *a = slice_access_of(read);
	struct owned o = { .value = a->value, .size = a->size };
	struct trace_thing t;
	uint32_t owner;

	if (!slice_is_halo(read))
		return false;
	slice_thing(read, &t);
	owner = slice_owner(read->run, &t);
	if (owner == read->run->index->files)
		return false;
	slice_states(read->run, owner, &t, &slice_scope_of(read)->point, is_as_read, &o);
	*out = o.at;
	return o.at.run || is_behind(read, owner, &t, out);
}

/* The write whose value was read. */
static void find_origin(const struct slice_at *read, struct origin *o)
{
	bool many;

	if (slice_write_before(read, &o->at) && slice_same_bits(&o->at, read)) {
		o->how = HISTORY_LOCAL;
	} else if (by_owner(read, &o->at)) {
		o->how = HISTORY_OWNER;
	} else if (slice_sender(read, read->run->index->files, &o->at, &many) && !many &&
		   !slice_sets_too(read, &o->at)) {
		o->how = HISTORY_MESSAGE;
	} else {
		o->how = HISTORY_UNSEEN;
		o->at = *read;
	}
}

/* Indices, bounds and addresses that nobody registered are no part of a value. */
static bool is_operand(const struct slice_at *read)
{
	return slice_is_element(read) || slice_is_number(read);
}

static bool was_read(const struct slice_at *list, unsigned n, const struct slice_at *read)
{
	const struct slice_access *a = slice_access_of(read);

	for (unsigned i = 0; i < n; i++) {
		const struct slice_access *b = slice_access_of(&list[i]);

		if (a->addr == b->addr && a->size == b->size && a->value == b->value)
			return true;
	}
	return false;
}

/* False: there is no room for it. */
static bool add(struct history_hold *h, struct origin o)
{
	o.same = -1;
	for (unsigned i = 0; i < h->n && o.how != HISTORY_UNSEEN && o.same < 0; i++)
		if (slice_same(&h->origin[i].at, &o.at))
			o.same = (int)i;
	if (h->n == HISTORY_STEPS)
		return false;
	h->origin[h->n++] = o;
	return true;
}

/* What was read for the write. False: something is left out. */
static bool expand(struct history_hold *h, unsigned at, struct slice_at *list)
{
	const struct origin of = h->origin[at];
	bool whole, all = true;
	unsigned n;

	if (of.same >= 0 || of.how == HISTORY_UNSEEN)
		return true;
	n = slice_reads(&of.at, SLICE_NEAR, list, &whole);
	if (of.depth == HISTORY_DEPTH)
		return !n;
	/* in the order of execution */
	for (unsigned i = n; i-- > 0 && all;) {
		struct origin o = { .from = (int)at, .depth = of.depth + 1 };

		if (!is_operand(&list[i]) || was_read(list + i + 1, n - i - 1, &list[i]))
			continue;
		find_origin(&list[i], &o);
		all = add(h, o);
	}
	return all;
}

/* What was read for a write is put behind it where it comes first. */
static void put_steps(struct history_hold *h, unsigned at, unsigned depth, struct history *out)
{
	struct origin *o = &h->origin[at];
	unsigned all = o->same < 0 ? at : (unsigned)o->same;
	struct history_step *s = &out->step[out->n++];
	bool first = !h->origin[all].put, any = false;

	/* before what follows: where values are equal by chance a write may come from itself */
	h->origin[all].put = true;
	*s = (struct history_step){ .depth = depth, .how = o->how };
	slice_finding(&o->at, &s->access);
	slice_guess_type(&s->access);
	for (unsigned i = all + 1; i < h->n; i++) {
		if (h->origin[i].from != (int)all)
			continue;
		any = true;
		if (first)
			put_steps(h, i, depth + 1, out);
	}
	s->again = any && !first;
}

/* The write of that block and record, as the search for the last one leaves them, when what it has
 * written was registered then. */
static bool is_found(struct history_hold *h, const struct trace_finding *f, struct slice_at *out)
{
	const struct trace_index *index = h->run.index;

	*out = (struct slice_at){ .run = &h->run, .block = (size_t)f->order[0] };
	for (; out->file < index->files; out->file++) {
		const struct slice_block *x = NULL;

		if (index->file[out->file].rank == f->rank && out->block < index->file[out->file].n)
			x = slice_block_of(out);
		for (out->access = 0; x && out->access < x->n; out->access++)
			if (x->access[out->access].rec == f->order[1] &&
			    x->access[out->access].write)
				return slice_is_element(out);
	}
	return false;
}

/* The write that was found to be the last one, else the last one of that name. */
static bool begin(struct history_hold *h, const struct trace_finding *f)
{
	struct origin o = { .from = -1 };
	struct slice_search q = { .run = &h->run, .thing = &f->thing, .until = &f->point };

	if (f->thing.what != TRACE_WHAT_ARRAY)
		return false;
	if (is_found(h, f, &o.at))
		return add(h, o);
	q.value = f->value.has_now ? &f->value.now : NULL;
	for (unsigned halo = 0; halo < 2; halo++)
		for (q.file = 0; q.file < h->run.index->files; q.file++) {
			q.halo = halo;
			if (h->run.index->file[q.file].rank == f->rank &&
			    slice_element_write(&q, &o.at))
				return add(h, o);
		}
	return false;
}

int history_make(struct trace_index *index, const struct trace_finding *write, struct history *out)
{
	struct slice_at *list = malloc(SLICE_READS * sizeof(*list));
	struct history_hold *h = calloc(1, sizeof(*h));
	int rc = -1;

	memset(out, 0, sizeof(*out));
	out->hold = h;
	if (list && h && !slice_run_open(&h->run, index, &h->bytes)) {
		rc = begin(h, write);
		for (unsigned i = 0; i < h->n; i++)
			out->shortened |= !expand(h, i, list);
		if (rc)
			put_steps(h, 0, 0, out);
	}
	free(list);
	return rc;
}

void history_clear(struct history *s)
{
	if (s->hold)
		slice_run_close(&s->hold->run);
	free(s->hold);
	*s = (struct history){ .n = 0 };
}
