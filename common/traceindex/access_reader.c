/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/traceindex/internal.h"

#include <string.h>

#include "common/trace/decode_impl.h"

void access_reader_slot(struct access_reader *t, const struct trace_block *b, uint32_t slot)
{
	const struct trace_slot *from = &b->slot[slot];
	uint32_t version = TRACE_NOWHERE;

	if (from->object != TRACE_NOWHERE)
		version = b->object[from->object].version;
	t->run = (struct trace_run){ 0 };
	t->turns = 0;
	t->place = 0;
	t->object = trace_entry(version, 0, 8);
	t->site = (uint16_t)(from->site < UINT16_MAX ? from->site : UINT16_MAX);
	t->size = from->flags & TRACE_SIZE;
	t->shift = trace_entry_shift(t->size);
	t->flags = from->flags & TRACE_WRITES ? TRACE_ACC_WRITE : 0;
}

/* The value, which the table has afterwards. 0, -1. */
static inline __attribute__((always_inline)) int take_value(struct trace_cursor_impl *i,
							    const struct access_reader *t,
							    unsigned op, uint32_t slot, uint64_t at,
							    uint64_t v[2])
{
	uint32_t entry = ((uint32_t)(at >> t->shift) + t->object) & (TRACE_VALUES - 1);
	uint32_t next = (entry + 1) & (TRACE_VALUES - 1);

	if (op & TRACE_PREDICTED_VALUE) {
		v[0] = i->value[entry];
		if (__builtin_expect(t->size == 16, 0))
			v[1] = i->value[next];
		return 0;
	}
	if (trace_unexpected(i, &i->slot[slot], t->size, v))
		return -1;
	i->value[entry] = v[0];
	if (__builtin_expect(t->size == 16, 0))
		i->value[next] = v[1];
	return 0;
}

static inline struct trace_acc access_of(const struct access_reader *t, uint64_t at, uint64_t value,
					 uint64_t record)
{
	bool own = at - t->run.own < t->run.nown;

	return (struct trace_acc){
		.key = t->run.key + (at - t->run.at),
		.value = value,
		.rec = (uint32_t)record,
		.site = t->site,
		.size = t->size,
		.flags = (uint8_t)(t->flags | (own ? TRACE_ACC_OWN : 0)),
	};
}

enum trace_taken access_reader(struct trace_cursor *c, struct access_reader *take, unsigned mute,
			       struct segment *s, uint32_t *slot, uint64_t *at_out, uint64_t v[2])
{
	struct trace_cursor_impl *i = c->impl;
	const unsigned char *p = i->p[TRACE_COL_OPS], *end = i->end[TRACE_COL_OPS];
	const uint32_t nslot = c->block->nslot;
	uint32_t prev = i->prev, n = s->nacc, cap = s->cap_acc;
	enum trace_taken rc = TRACE_TAKEN_OTHER;
	uint64_t record = c->record, at, far;
	struct trace_acc *acc = s->acc;

	if (i->damaged)
		return TRACE_TAKEN_BAD;
	if (cap > TRACE_SEG_MOST)
		cap = TRACE_SEG_MOST;
	v[0] = v[1] = 0;
	for (; p < end; record++) {
		unsigned op = *p, code = op >> 2;
		uint32_t k = prev + 1 + (uint32_t)trace_unzigzag(code);
		struct access_reader *t;
		bool dull;

		if (code > TRACE_CODE_FAR)
			break;
		if (__builtin_expect(n >= cap, 0)) {
			rc = TRACE_TAKEN_ROOM;
			break;
		}
		p++;
		rc = TRACE_TAKEN_BAD;
		if (__builtin_expect(code == TRACE_CODE_FAR, 0)) {
			if (trace_number_below(i, nslot, &far))
				break;
			k = (uint32_t)far;
		}
		if (__builtin_expect(k >= nslot, 0))
			break;
		prev = k;
		t = &take[k];
		if (trace_position(i, &i->slot[k], op, t->size, &at))
			break;
		dull = mute >> t->dull & 1;
		/* what was expected is in the table */
		if ((!dull || !(op & TRACE_PREDICTED_VALUE)) && take_value(i, t, op, k, at, v))
			break;
		rc = TRACE_TAKEN_OTHER;
		if (dull)
			continue;
		if (__builtin_expect(at - t->run.at >= t->run.n || t->size > t->unit, 0)) {
			rc = TRACE_TAKEN_ONE;
			*slot = k;
			*at_out = at;
			record++;
			break;
		}
		acc[n++] = access_of(t, at, v[0], record);
	}
	i->p[TRACE_COL_OPS] = p;
	i->prev = prev;
	i->damaged = rc == TRACE_TAKEN_BAD;
	c->record = record;
	s->nacc = n;
	return rc;
}

/* ---- iterations that do the same ---- */

/* Without the accesses that change nothing: not compared, always at the same place, and with the
 * value that is expected. */
static void drop_idle(const struct trace_cursor_impl *i, struct trace_again *a,
		      const struct access_reader *take)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < a->nstep; k++) {
		const struct trace_step *e = &a->step[k];
		const struct access_reader *t = &take[e->slot];

		if (!e->dull || !(e->op & TRACE_PREDICTED_VALUE) || t->turns == a->made_at ||
		    i->slot[e->slot].track.stride)
			a->step[kept++] = *e;
	}
	a->nstep = kept;
}

/* What n ops come to. */
static bool make_steps(const struct trace_cursor *c, struct trace_again *a,
		       struct access_reader *take, const unsigned char *ops, uint32_t n)
{
	const struct trace_cursor_impl *i = c->impl;
	uint32_t slot = i->prev;

	a->n = n;
	a->before = slot;
	a->live = a->nstep = 0;
	a->made_at++;
	for (uint32_t k = 0; k < n; k++) {
		unsigned code = ops[k] >> 2;
		struct access_reader *t;

		slot += 1 + (uint32_t)trace_unzigzag(code);
		if (code >= TRACE_CODE_FAR || slot >= c->block->nslot || slot > UINT16_MAX)
			return false;
		t = &take[slot];
		if (!t->dull && t->size > t->unit)
			return false;
		a->live += !t->dull;
		if (!(ops[k] & TRACE_PREDICTED_AT))
			t->turns = a->made_at;
		a->step[a->nstep++] = (struct trace_step){
			.slot = (uint16_t)slot,
			.record = (uint16_t)k,
			.op = ops[k],
			.dull = t->dull != ACCESS_LIVE,
			.plain = ops[k] & TRACE_PREDICTED_AT && t->size == 8,
		};
	}
	a->after = slot;
	drop_idle(i, a, take);
	return true;
}

/* Where the access of a step is, and its value when anybody needs it; the quick way for one of
 * eight bytes that is where it is expected. 0, -1. */
static inline int run_step(struct trace_cursor_impl *i, const struct trace_step *e,
			   const struct access_reader *t, uint64_t *at, uint64_t v[2])
{
	struct trace_slot_state *slot = &i->slot[e->slot];
	uint32_t entry;

	if (!e->plain)
		return trace_position(i, slot, e->op, t->size, at) ||
		       ((!e->dull || !(e->op & TRACE_PREDICTED_VALUE)) &&
			take_value(i, t, e->op, e->slot, *at, v));
	*at = trace_follow(&slot->track);
	entry = ((uint32_t)(*at >> 3) + t->object) & (TRACE_VALUES - 1);
	if (e->op & TRACE_PREDICTED_VALUE) {
		v[0] = i->value[entry];
		return 0;
	}
	if (i->end[TRACE_COL_WORDS] - i->p[TRACE_COL_WORDS] < 8)
		return -1;
	trace_value_get(i->p[TRACE_COL_WORDS], slot->last, v, 8);
	i->p[TRACE_COL_WORDS] += 8;
	i->value[entry] = v[0];
	return 0;
}

/* The accesses of one more iteration. 0, -1. */
static inline int run_steps(struct trace_cursor *c, const struct trace_again *a,
			    struct access_reader *take, struct segment *s)
{
	struct trace_cursor_impl *i = c->impl;
	struct trace_acc *acc = s->acc + s->nacc;
	const struct trace_step *e = a->step, *end = e + a->nstep;
	uint64_t at, v[2] = { 0, 0 };

	for (; e < end; e++) {
		struct access_reader *t = &take[e->slot];

		if (run_step(i, e, t, &at, v))
			break;
		if (e->dull)
			continue;
		if (__builtin_expect(at - t->run.at >= t->run.n, 0) &&
		    !trace_run_find(t->layout, at, &t->run)) {
			t->run.n = 0;
			continue;
		}
		*acc++ = (struct trace_acc){
			.key = t->run.key + (at - t->run.at),
			.value = v[0],
			.rec = (uint32_t)c->record + e->record,
			.site = t->site,
			.size = t->size,
			.flags = (uint8_t)(t->flags |
					   (at - t->run.own < t->run.nown ? TRACE_ACC_OWN : 0)),
		};
	}
	s->nacc = (uint32_t)(acc - s->acc);
	c->record += e < end ? e->record : a->n;
	i->p[TRACE_COL_OPS] += a->n;
	i->prev = a->after;
	i->damaged = e < end;
	return i->damaged ? -1 : 0;
}

static inline bool has_room(const struct trace_again *a, const struct segment *s)
{
	return s->nacc + a->live <= (s->cap_acc < TRACE_SEG_MOST ? s->cap_acc : TRACE_SEG_MOST);
}

int access_reader_again(struct trace_cursor *c, struct trace_again *a, struct access_reader *take,
			struct segment *s)
{
	struct trace_cursor_impl *i = c->impl;
	const unsigned char *ops = i->p[TRACE_COL_OPS], *last = a->ops;
	size_t left = (size_t)(i->end[TRACE_COL_OPS] - ops),
	       n = last ? (size_t)(ops - 1 - last) : 0;
	bool equal = last && n <= TRACE_AGAIN_MOST && n <= left && !memcmp(ops, last, n);

	a->ops = ops;
	a->equal = equal ? a->equal + 1 : 0;
	a->made = a->made && equal && n == a->n && i->prev == a->before;
	if (!a->made && a->equal >= 2)
		a->made = make_steps(c, a, take, ops, (uint32_t)n);
	a->made = a->made && has_room(a, s);
	return a->made ? run_steps(c, a, take, s) : 0;
}

/* Few bytes: no call. */
static inline bool same_ops(const unsigned char *a, const unsigned char *b, uint32_t n)
{
	uint64_t x, y, z, w;

	if (n < 8 || n > 16)
		return !memcmp(a, b, n);
	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	memcpy(&z, a + n - 8, 8);
	memcpy(&w, b + n - 8, 8);
	return x == y && z == w;
}

/* The next iteration has one index that is one more, and the same ops: which index, from 1; 0. */
static inline unsigned next_again(const struct trace_cursor_impl *i, const struct trace_again *a,
				  unsigned nidx)
{
	const unsigned char *op = i->p[TRACE_COL_OPS];
	size_t left = (size_t)(i->end[TRACE_COL_OPS] - op);

	if (left <= a->n || i->prev != a->before || !same_ops(op + 1, a->ops, a->n))
		return 0;
	return *op == (TRACE_CODE_ITER << 2 | TRACE_ITER_LAST)	  ? nidx
	       : *op == (TRACE_CODE_ITER << 2 | TRACE_ITER_FIRST) ? 1
								  : 0;
}

int access_reader_iterations(struct trace_cursor *c, struct trace_again *a,
			     struct access_reader *take, struct segment *s, int64_t *index,
			     uint8_t level)
{
	struct trace_cursor_impl *i = c->impl;
	int64_t *inner = c->frame[c->depth - 1].index;
	struct trace_scope *scope = &s->scope[s->nscope - 1];
	unsigned nidx = scope->nidx, d;

	while (a->made && s->nacc < TRACE_SEG_ACCESSES && s->nscope < TRACE_SEG_ACCESSES &&
	       s->nscope < s->cap_scope && s->nindex + ARRAY_DIMS <= s->cap_index &&
	       has_room(a, s) && (d = next_again(i, a, nidx))) {
		scope->nacc = s->nacc - scope->acc;
		scope->level = level;
		index[d - 1] = (int64_t)((uint64_t)index[d - 1] + 1);
		i->iter.last[d - 1] = inner[d - 1] = index[d - 1];
		s->changes[d - 1]++;
		scope[1].point = scope->point;
		scope[1].kind = scope->kind;
		scope[1].nidx = scope->nidx;
		scope[1].flags = 0;
		scope++;
		scope->acc = s->nacc;
		scope->rec = (uint32_t)c->record++;
		scope->index = s->nindex;
		trace_copy_index(&s->index[s->nindex], index, nidx);
		s->nindex += nidx;
		s->nscope++;
		a->ops = ++i->p[TRACE_COL_OPS];
		if (run_steps(c, a, take, s))
			return -1;
	}
	return 0;
}
