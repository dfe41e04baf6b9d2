/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of places that conflict: each is one finding, with how often. */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"

static uint64_t pair_key(const struct openmp *e, const struct race *r)
{
	return hash_mix(hash_mix(hash_mix(r->site[0], r->site[1]), e->object[r->object].class),
			(uint64_t)(r->flags[0] << 2 | r->flags[1]));
}

bool race_is_known(struct openmp *e, const struct race *r)
{
	uint64_t key = pair_key(e, r);

	for (uint32_t at = 0, i; hash_next(&e->pair_at, key, &at, &i);) {
		struct pair *p = &e->pair[i];

		if (p->site[0] != r->site[0] || p->site[1] != r->site[1] ||
		    p->class != e->object[r->object].class || p->flags[0] != r->flags[0] ||
		    p->flags[1] != r->flags[1])
			continue;
		p->count += r->count;
		e->findings.total += p->key ? r->count : 0;
		return true;
	}
	return false;
}

/* Operands: the other place, the region, and what the note names by number. */
static int find(struct openmp *e, const struct race *r, struct pair *p)
{
	static const struct place nowhere = { .file = "", .func = "", .module = "" };
	struct trace_finding f = { .kind = FINDING_RACE,
				   .count = r->count,
				   .point = r->point,
				   .rank = e->o.rank,
				   .ref_rank = TRACE_NO_RANK,
				   .write = r->flags[0] & ENTRY_WRITE,
				   .operation = "",
				   .note = r->note,
				   .noperand = 2 + r->nlock,
				   .order = { r->order[0], r->order[1] } };
	struct buf key = BUF_INIT;

	f.spot = e->site[r->site[0] - 1].spot;
	f.ref_spot = e->site[r->site[1] - 1].spot;
	object_thing(&e->object[r->object], r->at, r->size, &f.thing);
	if (r->call)
		stack_thing(e, r->call, r->at, &f.thing);
	f.operand[0].thing.name = f.operand[0].thing.file = f.operand[0].thing.field = "";
	f.operand[0].thing.spot.place = f.operand[0].ref_spot.place = nowhere;
	f.operand[1] = f.operand[0];
	f.operand[0].write = r->flags[1] & ENTRY_WRITE;
	f.operand[0].spot = f.ref_spot;
	f.operand[1].spot.place = nowhere;
	if (r->region)
		f.operand[1].spot = e->site[r->region - 1].spot;
	for (unsigned i = 0; i < r->nlock; i++) {
		struct trace_operand *lock = &f.operand[2 + i];
		const struct object *o = &e->object[object_of_variable(e, r->lock[i])];

		*lock = f.operand[1];
		lock->spot.place = nowhere;
		object_thing(o, r->lock[i], 1, &lock->thing);
	}
	finding_key_code(CODEC_PUT(&key), &f);
	p->nkey = (uint32_t)key.len;
	p->key = key.bad ? NULL : malloc(key.len);
	if (p->key)
		memcpy(p->key, key.data, key.len);
	buf_clear(&key);
	return !p->key || trace_findings_add(&e->findings, &f) ? -1 : 0;
}

int race_add(struct openmp *e, const struct race *r)
{
	const struct object *o = &e->object[r->object];
	struct pair *p = vec_add(e->pair, e->npair);

	if (!p || hash_put(&e->pair_at, pair_key(e, r), e->npair - 1))
		return -1;
	*p = (struct pair){
		{ r->site[0], r->site[1] }, { r->flags[0], r->flags[1] }, o->class, 0, NULL, 0
	};
	if (o->what != OBJECT_FOREIGN)
		return find(e, r, p);
	e->why[OPENMP_WHY_FOREIGN]++;
	return 0;
}

void pairs_flush(struct openmp *e)
{
	for (uint32_t i = 0; i < e->npair; i++) {
		struct pair *p = &e->pair[i];

		if (!p->count || !p->key)
			continue;
		/* it has been added to the total already */
		e->findings.total -= p->count;
		trace_findings_count(&e->findings, p->key, p->nkey, p->count);
		p->count = 0;
	}
}

void pairs_free(struct openmp *e)
{
	for (uint32_t i = 0; i < e->npair; i++)
		free(e->pair[i].key);
	free(e->pair);
	hash_clear(&e->pair_at);
}
