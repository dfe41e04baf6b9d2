/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace_synth_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/array/value.h"

/* ---- what is what, for blocks ---- */

static int site_of(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ .place = { .file = "syn.c", .line = (uint32_t)pc } };
	return 0;
}

static int place_of(void *arg, uint32_t place, struct place *out)
{
	*out = (struct place){ .file = "syn.c", .func = "main", .line = place };
	return 0;
}

struct of_rank {
	struct synth *s;
	unsigned rank;
};

static int object_of(void *arg, uint32_t version, struct trace_object *out)
{
	const struct of_rank *x = arg;

	out->kind = TRACE_ARRAY;
	out->desc = x->s->object[version & 15]->at[x->rank].desc;
	return 0;
}

/* ---- writing ---- */

bool synth_open_now(const struct synth *s, const struct rank *r)
{
	const struct synth_plan *p = s->p;

	if (p->start.main && (point_compare(&p->start, &r->last) == POINT_AFTER ||
			      point_compare(&p->start, &r->last) == POINT_INCOMPARABLE))
		return false;
	return !p->finish.main || point_compare(&r->last, &p->finish) == POINT_BEFORE;
}

void synth_pen_close(struct synth *s, unsigned rank, unsigned thread)
{
	struct rank *r = &s->rank[rank];
	struct pen *pen = &r->pen[thread];
	struct of_rank arg = { s, rank };
	const struct trace_resolver resolver = { &arg, site_of, object_of, place_of, NULL };
	struct trace_block *b;
	struct err err;
	size_t n;

	if (!pen->open)
		return;
	n = trace_enc_close(pen->e);
	pen->open = false;
	b = calloc(1, sizeof(*b));
	assert_non_null(b);
	if (trace_block_from_raw(b, pen->raw, n, &resolver, &err))
		fail_msg("%s", err.text);
	s->sink(s->arg, rank, b);
}

struct trace_enc *synth_pen(struct synth *s, unsigned rank, unsigned thread)
{
	struct rank *r = &s->rank[rank];
	struct pen *pen = &r->pen[thread];
	size_t room = s->p->room ? s->p->room : 65536;
	struct trace_start start = { .rank = rank,
				     .thread = thread,
				     .seq = ++r->seq,
				     .point = r->last,
				     .frame = r->frame,
				     .nframe = r->depth };

	if (!pen->e) {
		pen->e = calloc(1, TRACE_ENC);
		pen->raw = calloc(1, room);
		assert_non_null(pen->e);
		assert_non_null(pen->raw);
	}
	if (!pen->open)
		trace_enc_open(pen->e, pen->raw, room, &start);
	pen->open = true;
	return pen->e;
}

void synth_begin(struct synth *s, unsigned r, unsigned kind, unsigned line,
		 const struct point *point, int64_t number)
{
	struct rank *k = &s->rank[r];
	struct trace_opening o = { .kind = (uint8_t)kind,
				   .place = line,
				   .ndim = kind == CONSTRUCT_TASK };
	struct trace_frame *f = &k->frame[k->depth];

	if (point) {
		o.point = *point;
		k->last = *point;
	}
	o.first[0] = o.last[0] = number;
	o.level = (uint8_t)(synth_open_now(s, k) ? s->p->level : TRACE_CONFIG_NONE);
	PUT(s, r, 0, trace_enc_begin(e, &o));
	*f = (struct trace_frame){
		.kind = (uint8_t)kind, .level = o.level, .place = line, .point = o.point
	};
	if (kind == CONSTRUCT_TASK) {
		f->nidx = 1;
		f->index[0] = number;
	}
	k->depth++;
	assert_true(k->depth < DEPTH);
}

void synth_end(struct synth *s, unsigned r, unsigned kind, unsigned line, const struct point *point,
	       bool left, uint64_t count)
{
	struct rank *k = &s->rank[r];
	struct point none = { 0 }, at = point ? *point : none;

	at.side = POINT_END;
	PUT(s, r, 0, trace_enc_end(e, kind, point ? &at : &none, line, left, count));
	k->depth--;
	if (point)
		k->last = at;
}

void synth_values(struct synth *s, unsigned r, unsigned line)
{
	for (unsigned i = 0; i < s->nobject && synth_open_now(s, &s->rank[r]); i++) {
		const struct synth_object *o = s->object[i];

		if (o->replicated)
			PUT(s, r, 0, trace_enc_value(e, o->version, line, o->data, 8, false));
	}
}

/* ---- where things are ---- */

void synth_part(const struct synth_plan *p, struct synth_object *o, unsigned rank)
{
	struct array_desc *a = &o->at[rank].desc;
	int64_t *list = o->at[rank].list;
	long rows = o->n[0], across = 1, step = 1;

	for (unsigned k = 2; p->dist == SYNTH_BLOCKS && o->ndim > 1 && k < 4; k++)
		if (p->ranks % k == 0 && p->ranks > k)
			across = (long)k;
	for (unsigned d = 0; d < o->ndim; d++) {
		a->own_lo[d] = 0;
		a->own_hi[d] = o->n[d] - 1;
		/* the third one is not dealt out */
		a->halo_lo[d] = a->halo_hi[d] = d < 2;
	}
	if (p->dist == SYNTH_CYCLIC) {
		a->list[0] = list;
		for (long i = (long)rank; i < rows; i += (long)p->ranks)
			list[a->list_n[0]++] = i;
		a->halo_lo[0] = a->halo_hi[0] = 0;
	} else {
		long down = (long)p->ranks / across, row = (long)rank / across,
		     col = (long)rank % across;

		a->own_lo[0] = rows * row / down;
		a->own_hi[0] = rows * (row + 1) / down - 1;
		if (p->dist == SYNTH_OVERLAP && row + 1 < down)
			a->own_hi[0]++;
		if (across > 1) {
			a->own_lo[1] = o->n[1] * col / across;
			a->own_hi[1] = o->n[1] * (col + 1) / across - 1;
		}
	}
	for (unsigned i = 0; i < o->ndim; i++) {
		unsigned d = p->order == 'F' ? i : o->ndim - 1 - i;

		a->stride[d] = step;
		step *= (a->list[d] ? a->list_n[d] : a->own_hi[d] - a->own_lo[d] + 1) +
			a->halo_lo[d] + a->halo_hi[d];
	}
	/* somewhere else on each rank */
	a->addr = 0x10000000u * (rank + 1) + 0x100000u * o->number;
}

/* Where it is here; false: not here at all. */
bool synth_local_at(const struct synth_object *o, unsigned rank, const int64_t *index, uint64_t *at,
		    bool *own)
{
	const struct array_desc *a = &o->at[rank].desc;
	int64_t n = 0;

	*own = true;
	for (unsigned d = 0; d < o->ndim; d++) {
		int64_t k = array_local(a, d, index[d]);

		if (k < 0) {
			*own = false;
			k = index[d] - a->own_lo[d] + a->halo_lo[d];
			if (a->list[d] || k < 0 || index[d] > a->own_hi[d] + a->halo_hi[d])
				return false;
		}
		n += k * a->stride[d];
	}
	*at = (uint64_t)n * 8;
	return true;
}
