/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/traceindex/access_reader.h"

#include "common/trace/decode_impl.h"

void trace_take_slot(struct trace_take *t, const struct trace_block *b, uint32_t slot)
{
	const struct trace_slot *from = &b->slot[slot];
	uint32_t version = TRACE_NOWHERE;

	if (from->object != TRACE_NOWHERE)
		version = b->object[from->object].version;
	t->run = (struct trace_run){ 0 };
	t->object = trace_entry(version, 0, 8);
	t->site = (uint16_t)(from->site < UINT16_MAX ? from->site : UINT16_MAX);
	t->size = from->flags & TRACE_SIZE;
	t->shift = trace_entry_shift(t->size);
	t->flags = from->flags & TRACE_WRITES ? TRACE_ACC_WRITE : 0;
}

/* The value, which the table has afterwards. 0, -1. */
static inline int take_value(struct trace_cursor_impl *i, const struct trace_take *t, unsigned op,
			     uint32_t slot, uint64_t at, uint64_t v[2])
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

enum trace_taken trace_take(struct trace_cursor *c, struct trace_take *take, bool all_dull,
			    struct trace_seg *s, uint32_t *slot, uint64_t *at_out, uint64_t v[2])
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
		struct trace_take *t;
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
		dull = t->dull || all_dull;
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
		acc[n++] = (struct trace_acc){
			.key = t->run.key + (at - t->run.at),
			.value = v[0],
			.rec = (uint32_t)record,
			.site = t->site,
			.size = t->size,
			.flags = (uint8_t)(t->flags |
					   (at - t->run.own < t->run.nown ? TRACE_ACC_OWN : 0)),
		};
	}
	i->p[TRACE_COL_OPS] = p;
	i->prev = prev;
	i->damaged = rc == TRACE_TAKEN_BAD;
	c->record = record;
	s->nacc = n;
	return rc;
}
