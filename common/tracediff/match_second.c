/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a join cannot say from its table, because the memory was needed, is looked up in the
 * reference once more: for many accesses at a time, before the block that they are in is given up.
 */
#include <stdlib.h>
#include <string.h>

#include "common/tracediff/internal.h"

/* Keys that wait, so that the rest of the reference can be passed over. */
static void span_add(struct cmp_join *j, uint64_t key)
{
	struct ref_keys *k = j->span;

	if (j->nspan > JOIN_SPANS)
		return;
	while (k < j->span + j->nspan && (k->lo ^ key) >> TRACE_KEY_BITS)
		k++;
	if (k == j->span + j->nspan) {
		if (++j->nspan > JOIN_SPANS)
			return;
		*k = (struct ref_keys){ key, key };
	}
	if (key < k->lo)
		k->lo = key;
	if (key > k->hi)
		k->hi = key;
}

static bool spans(const void *arg, uint64_t lo, uint64_t hi)
{
	const struct cmp_join *j = arg;

	if (j->nspan > JOIN_SPANS)
		return true;
	for (uint32_t i = 0; i < j->nspan; i++)
		if (lo <= j->span[i].hi && hi >= j->span[i].lo)
			return true;
	return false;
}

static uint32_t *second_slot(const struct cmp_join *j, uint64_t key)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t mask = 2 * JOIN_LATE - 1, at = (uint32_t)(h >> 40) & mask;

	while (j->second_table[at] && j->late[j->second_table[at] - 1].key != key)
		at = (at + 1) & mask;
	return &j->second_table[at];
}

/* The same for writes that are not the first with the key, by their number. */
static uint32_t *second_write_slot(const struct cmp_join *j, uint64_t key, uint32_t nth)
{
	uint64_t h = (key + nth * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *table = j->second_table + 2 * JOIN_LATE;
	uint32_t mask = 2 * JOIN_LATE - 1, at = (uint32_t)(h >> 40) & mask;

	while (table[at] &&
	       (j->late[table[at] - 1].key != key || j->late[table[at] - 1].nth != nth))
		at = (at + 1) & mask;
	return &table[at];
}

/* Reads that are not the first with the key, by their value: of many of an element, in
 * second_index. */
static uint32_t *second_value_slot(const struct cmp_join *j, uint64_t key, uint64_t value)
{
	uint64_t h =
		(key + value * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *table = j->second_table + 4 * JOIN_LATE;
	uint32_t mask = 2 * JOIN_LATE - 1, at = (uint32_t)(h >> 40) & mask;

	while (table[at] &&
	       (j->late[table[at] - 1].key != key || j->late[table[at] - 1].now != value))
		at = (at + 1) & mask;
	return &table[at];
}

void join_later(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n, uint32_t i,
		uint32_t nth, uint32_t after)
{
	const struct trace_acc *a = &n->acc[i];
	struct join_second *l;
	uint32_t *slot;

	if (j->nlate == JOIN_LATE)
		cmp_join_settle(c, j);
	if (!j->second_table)
		j->second_table = calloc(6 * JOIN_LATE, sizeof(*j->second_table));
	if (!j->second_table ||
	    !cmp_room((void **)&j->late, &j->second_cap, j->nlate + 1, sizeof(*j->late))) {
		c->failed = true;
		return;
	}
	slot = second_slot(j, a->key);
	l = &j->late[j->nlate++];
	*l = (struct join_second){ .key = a->key,
				   .now = a->value,
				   .rec = a->rec,
				   .nth = nth,
				   .after = after,
				   .site = a->site,
				   .size = a->size,
				   .block = i < n->gone		   ? 2
					    : i < n->gone + n->old ? 1
								   : 0,
				   .write = a->flags & TRACE_ACC_WRITE };
	/* behind the first, which the table has */
	if (*slot && nth) {
		slot = second_write_slot(j, a->key, nth);
		l->next = *slot;
		*slot = j->nlate;
	} else if (*slot) {
		l->next = j->late[*slot - 1].next;
		j->late[*slot - 1].next = j->nlate;
		j->late[*slot - 1].behind++;
	} else {
		*slot = j->nlate;
		span_add(j, a->key);
	}
}

/* The reference's access, which is write number nth of its rank (0: a read), may be the one. */
static void second_meet(struct tracediff *c, struct join_second *l, const struct trace_acc *a,
			unsigned nth)
{
	if (l->settled || a->size != l->size || (l->nth && l->nth != nth))
		return;
	if (!l->has_ref)
		l->ref = a->value;
	l->has_ref = true;
	l->settled = l->now == a->value ||
		     cmp_number(c, a->key, a->size, l->now, a->value) != TRACE_OTHER;
}

/* Those behind the first with a key; one that is settled leaves them: an element may be read
 * often. */
static void second_meet_all(struct tracediff *c, struct cmp_join *j, uint32_t *at,
			    const struct trace_acc *a, unsigned nth)
{
	while (*at) {
		struct join_second *l = &j->late[*at - 1];

		second_meet(c, l, a, nth);
		if (l->settled)
			*at = l->next;
		else
			at = &l->next;
	}
}

/* Those that have read just this. */
static void second_meet_same(struct cmp_join *j, const struct trace_acc *a)
{
	uint32_t at = *second_value_slot(j, a->key, a->value);

	for (; at; at = j->late[at - 1].same) {
		struct join_second *l = &j->late[at - 1];

		if (l->settled || l->size != a->size)
			continue;
		if (!l->has_ref)
			l->ref = a->value;
		l->has_ref = true;
		l->settled = true;
	}
}

/* How the reads behind the first with a key are looked at. */
enum second_pass {
	LATE_ALL,  /* each by every access */
	LATE_SAME, /* those with the access's value only */
	LATE_REST  /* what that has left */
};

static void second_access(struct tracediff *c, struct cmp_join *j, const struct trace_acc *a,
			  enum second_pass pass)
{
	uint32_t at = *second_slot(j, a->key);
	struct join_second *first;
	unsigned nth = 0;

	if (!at)
		return;
	first = &j->late[at - 1];
	if (pass == LATE_REST) {
		second_meet_all(c, j, &first->next, a, 0);
		return;
	}
	if (join_is_write(j, a)) {
		nth = ++first->writes;
		first->end = a->value;
	}
	second_meet(c, first, a, nth);
	if (pass == LATE_ALL)
		second_meet_all(c, j, &first->next, a, nth);
	else
		second_meet_same(j, a);
	for (at = nth ? *second_write_slot(j, a->key, nth) : 0; at; at = j->late[at - 1].next)
		second_meet(c, &j->late[at - 1], a, nth);
}

/* What the stream has written last of it. */
static void second_end(struct tracediff *c, const struct cmp_join *j, struct join_second *l)
{
	const struct join_second *first = &j->late[*second_slot(j, l->key) - 1];
	uint64_t end = first->end;

	if (!l->nth || !first->writes || l->right)
		return;
	l->ended = true;
	l->right = cmp_number(c, l->key, l->size, l->now, end) != TRACE_OTHER;
	if (l != first)
		l->end = end;
}

static void second_pass(struct tracediff *c, struct cmp_join *j, uint32_t f, enum second_pass pass)
{
	struct ref_parts p;

	join_parts(c, j, f, &p);
	p.wanted = spans;
	p.arg = j;
	while (ref_parts_next(&p))
		for (uint32_t n = 0; n < p.scope->nacc; n++)
			second_access(c, j, &p.seg->s.acc[p.scope->acc + n], pass);
	ref_parts_end(&p);
}

/* A read that is not the first with its key. */
static bool is_behind(const struct cmp_join *j, uint32_t i)
{
	return !j->late[i].nth && *second_slot(j, j->late[i].key) != i + 1;
}

/*
 * Each of many reads of an element with a value of its own, as of a sum that grows in memory, would
 * be looked at for each access there. Whether that is so; then they can be found by their values.
 */
static bool second_index(struct cmp_join *j)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < j->nlate; i++)
		most = j->late[i].behind > most ? j->late[i].behind : most;
	if (most <= JOIN_DEEP)
		return false;
	memset(j->second_table + 4 * JOIN_LATE, 0, 2 * JOIN_LATE * sizeof(*j->second_table));
	for (uint32_t i = 0; i < j->nlate; i++) {
		uint32_t *slot;

		if (!is_behind(j, i))
			continue;
		slot = second_value_slot(j, j->late[i].key, j->late[i].now);
		j->late[i].same = *slot;
		*slot = i + 1;
	}
	return true;
}

/* All that stream f has of the elements in question. */
static void second_scan(struct tracediff *c, struct cmp_join *j, uint32_t f, bool deep)
{
	bool left = false;

	for (uint32_t i = 0; i < j->nlate; i++)
		j->late[i].writes = 0;
	second_pass(c, j, f, deep ? LATE_SAME : LATE_ALL);
	for (uint32_t i = 0; deep && !left && i < j->nlate; i++)
		left = !j->late[i].settled && is_behind(j, i);
	if (left)
		second_pass(c, j, f, LATE_REST);
	for (uint32_t i = 0; j->whole && i < j->nlate; i++)
		second_end(c, j, &j->late[i]);
}

/* A write of a construct without marks, beside the last one there. */
static void second_write(struct tracediff *c, struct cmp_join *j, const struct join_second *l,
			 struct cmp_suspicion *s)
{
	struct join_write w = { .nth = l->nth, .of = join_writes(c, j, l->key), .right = l->right };
	struct join_element e;

	if (!join_element(&j->t, l->key, &e) || j->lossy)
		return;
	w.newest = l->nth == join_nnow(e.page, e.i);
	if (l->ended)
		w.last = &l->end;
	if (!l->settled)
		join_hold(c, j, &e, s, &w);
	else if (w.newest && join_has(e.page->odd, e.i))
		join_rewritten(j, &e, l->key, l->right);
}

static void second_suspect(struct tracediff *c, struct cmp_join *j, const struct join_second *l)
{
	const struct trace_block *block[] = { c->now->block, c->now->before, NULL };
	struct cmp_suspicion s = { .kind = l->has_ref ? FINDING_VALUE : FINDING_USE,
				   .access = true,
				   .write = l->write,
				   .has_now = true,
				   .has_ref = l->has_ref,
				   .size = l->size,
				   .ident = (int32_t)(l->key >> TRACE_KEY_BITS),
				   .key = l->key,
				   .now = l->now,
				   .ref = l->ref,
				   .point = j->want.point,
				   .nidx = j->want.nidx,
				   .at = { block[l->block], l->rec } };

	memcpy(s.index, j->index, j->want.nidx * sizeof(*j->index));
	if (s.at.block)
		s.place = cmp_site_hash(s.at.block, l->site);
	if (l->write && j->whole && join_writes(c, j, l->key)) {
		second_write(c, j, l, &s);
		return;
	}
	if (!l->has_ref && (join_received(j, l->write, (unsigned)s.ident) ||
			    (!l->nth && (j->whole || !join_reads(j, (unsigned)s.ident))) ||
			    !cmp_use(c, &s, j->whole ? UINT32_MAX : j->at.file)))
		return;
	/* it has written that itself */
	if (j->whole && !l->write && l->after)
		return;
	join_suspect(c, j, &s, l->nth, l->after);
}

void cmp_join_settle(struct tracediff *c, struct cmp_join *j)
{
	bool deep;

	if (!j->nlate)
		return;
	deep = second_index(j);
	for (uint32_t f = 0; f < j->n; f++)
		second_scan(c, j, f, deep);
	for (uint32_t i = 0; i < j->nlate; i++) {
		const struct join_second *l = &j->late[i];

		c->state.compared++;
		c->state.equal += l->settled;
		if (!l->settled)
			second_suspect(c, j, l);
		else if (l->write && j->held)
			second_write(c, j, l, NULL);
	}
	memset(j->second_table, 0, 4 * JOIN_LATE * sizeof(*j->second_table));
	j->nlate = 0;
	j->nspan = 0;
}

/*
 * Where the reference has the nth write of the element, into s->ref_at; of a read the first one at
 * the same source position that comes after so many writes, or else the first of all its accesses.
 */
static bool locate(struct tracediff *c, const struct cmp_join *j, uint32_t f,
		   struct cmp_suspicion *s, uint32_t nth, uint32_t after, uint64_t *value)
{
	struct ref_parts p;
	uint32_t writes = 0;
	unsigned best = 0; /* 1 any access, 2 at the position, 3 it is */

	join_parts(c, j, f, &p);
	while (best < 3 && ref_parts_next(&p)) {
		const struct trace_acc *a = &p.seg->s.acc[p.scope->acc];

		for (uint32_t n = 0; n < p.scope->nacc && best < 3; n++, a++) {
			bool write = join_is_write(j, a);
			unsigned good = nth ? 0 : 1;

			if (a->key != s->key)
				continue;
			writes += write;
			if (nth == JOIN_OFTEN && write)
				good = 2; /* not counted any more: the last one */
			else if (nth && write && writes == nth)
				good = 3;
			else if (!nth && !write &&
				 s->place == ref_site(c->ref, p.at.file, p.at.block, a->site))
				good = writes < after ? 2 : 3;
			if (good < best || !good || (good == best && nth != JOIN_OFTEN))
				continue;
			best = good;
			*value = a->value;
			s->ref_at = (struct cmp_ref_spot){ true, p.at.file, p.at.block, a->rec };
		}
	}
	ref_parts_end(&p);
	return best > 0;
}

static void last_value(struct tracediff *c, const struct cmp_join *j, uint32_t f,
		       const struct cmp_suspicion *s, uint64_t *value)
{
	struct cmp_suspicion last = *s;

	locate(c, j, f, &last, JOIN_OFTEN, 0, value);
}

/* In the reference's order; of several ranks or threads, in the order of the elements. */
static void order_of(const struct tracediff *c, struct cmp_suspicion *s)
{
	const struct object_id *o = object_id_get(c->ref->idents, (unsigned)s->ident);
	int64_t index[ARRAY_DIMS];
	uint32_t within;

	if (ref_in_line(c->ref)) {
		s->order[0] = (int64_t)s->ref_at.block;
		s->order[1] = s->ref_at.rec;
		return;
	}
	object_id_index(o, s->key & TRACE_KEY_MASK, index, &within);
	for (unsigned d = 0; d < o->desc.ndim; d++)
		s->order[d] = index[o->desc.order == 'F' ? o->desc.ndim - 1 - d : d];
	/* of one element, as its rank did it */
	s->order[ARRAY_DIMS] = (int64_t)s->ref_at.block;
	s->order[ARRAY_DIMS + 1] = s->ref_at.rec;
}

void join_order(struct tracediff *c, struct cmp_join *j, struct cmp_suspicion *s, uint32_t nth,
		uint32_t after, uint64_t seq)
{
	uint64_t value = 0;

	/* only the first is reported, and what comes later is later */
	s->order[0] = INT64_MAX;
	s->order[1] = (int64_t)seq;
	for (uint32_t f = 0; !cmp_suspected(c, s) && f < j->n; f++) {
		if (!locate(c, j, f, s, nth, after, &value))
			continue;
		s->order[1] = 0;
		order_of(c, s);
		if (s->fewer)
			last_value(c, j, f, s, &value);
		if (s->kind == FINDING_VALUE || s->kind == FINDING_UNWRITTEN) {
			s->has_ref = true;
			s->ref = value;
		}
		break;
	}
}

void join_suspect(struct tracediff *c, struct cmp_join *j, struct cmp_suspicion *s, uint32_t nth,
		  uint32_t after)
{
	join_order(c, j, s, nth, after, j->seq);
	cmp_suspect(c, s);
}
