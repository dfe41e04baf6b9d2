/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What memory is called that no access names: blocks by where they were allocated, variables on the
 * stack by the registers at the marks of the constructs that are open, whose frames have them.
 */
#include "common/control/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define MADE 65536u /* blocks that are kept, the last ones */

struct made {
	uint64_t lo, hi, pc;
};

/* Of what has opened a construct, which is that deep. */
struct opened {
	unsigned depth;
	uint64_t pc, sp, bp;
};

int names_block(struct dyncontrol *e, uint64_t lo, uint64_t hi, uint64_t pc)
{
	struct made *to;

	if (e->nmade < MADE)
		to = vec_add(e->made, e->nmade);
	else
		to = &e->made[e->made_next++ % MADE];
	if (!to)
		return -1;
	*to = (struct made){ lo, hi, pc };
	e->made_last = NULL;
	return 0;
}

/* The block that was allocated there last; NULL: not known. */
static const struct made *block_at(struct dyncontrol *e, uint64_t addr)
{
	const struct made *m = e->made_last;

	if (m && addr >= m->lo && addr < m->hi)
		return m;
	for (size_t i = e->nmade; i-- > 0;) {
		m = &e->made[(e->made_next + i) % e->nmade];
		if (addr >= m->lo && addr < m->hi)
			return e->made_last = m;
	}
	return NULL;
}

bool memory_is_padding(struct dyncontrol *e, uint64_t addr)
{
	const struct made *m = block_at(e, addr);

	return m && shadow_is_padding(&e->shadow, addr, m->lo, m->hi);
}

int names_opened(struct dyncontrol *e, const char *text)
{
	struct opened o = { .depth = e->at->depth }, *to;

	if (lane_now(e)->thread ||
	    sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNx64, &o.pc, &o.sp, &o.bp) != 3)
		return 0;
	while (e->nopened && e->opened[e->nopened - 1].depth >= o.depth)
		e->nopened--;
	to = vec_add(e->opened, e->nopened);
	if (!to)
		return -1;
	*to = o;
	return 0;
}

static bool spot_of_call(const struct dyncontrol *e, uint64_t pc, struct trace_spot *out)
{
	struct trace_site site = { 0 };

	if (!pc || !trace_block_module(e->block, pc - 1, &site))
		return false;
	*out = trace_spot_of_site(&site);
	return true;
}

static void name_block(struct dyncontrol *e, uint64_t addr, struct trace_thing *t)
{
	const struct made *m = block_at(e, addr);

	if (!m || !spot_of_call(e, m->pc, &t->spot))
		return;
	t->what = TRACE_WHAT_HEAP;
	t->within = addr - m->lo;
}

/* The frame that is nearest below it, of a construct that is open, or was the last one. */
static void name_local(const struct dyncontrol *e, uint64_t addr, struct trace_thing *t)
{
	const struct opened *o = NULL;

	for (size_t i = 0; i < e->nopened; i++)
		if (e->opened[i].sp <= addr && e->opened[i].depth <= e->at->depth + 1 &&
		    (!o || e->opened[i].sp > o->sp))
			o = &e->opened[i];
	if (!o || !spot_of_call(e, o->pc, &t->spot))
		return;
	t->what = TRACE_WHAT_STACK;
	t->ndim = 2;
	t->index[0] = (int64_t)(addr - o->sp);
	t->index[1] = (int64_t)(addr - o->bp);
}

void name_memory(struct dyncontrol *e, uint64_t addr, struct trace_thing *t)
{
	struct trace_site site;

	if (t->what != TRACE_WHAT_ADDRESS || (t->name && *t->name) ||
	    trace_block_module(e->block, addr, &site))
		return;
	if (memory_is_block(e, addr & ~(uint64_t)7))
		name_block(e, addr, t);
	else
		name_local(e, addr, t);
}

void name_address(struct dyncontrol *e, uint64_t addr, struct trace_thing *t)
{
	const struct made *m = block_at(e, addr);

	*t = (struct trace_thing){ .what = TRACE_WHAT_ADDRESS, .within = addr };
	t->name = t->file = t->field = "";
	t->spot.place = (struct place){ .file = "", .func = "", .module = "" };
	for (uint32_t i = 0; i < e->block->nobject; i++) {
		const struct trace_object *o = &e->block->object[i];
		const uint64_t from = object_address(e, o);
		struct trace_shape shape;

		if (o->kind == TRACE_HEAP || !o->desc.name || addr < from)
			continue;
		/* what was in memory that is allocated again is in the block, too */
		if (m && !array_is_there(e, o))
			continue;
		trace_shape_make(&shape, &o->desc);
		if (trace_shape_find(&shape, addr - from, t->index, NULL) == TRACE_OUTSIDE)
			continue;
		inspect_array(&o->desc, 0, t);
		return;
	}
	name_memory(e, addr, t);
}

void names_forget(struct dyncontrol *e)
{
	free(e->made);
	free(e->opened);
}
