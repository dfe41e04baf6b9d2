/* SPDX-License-Identifier: BSD-3-Clause */
/* Places in the code and what memory is, kept beyond the block that has them. */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"

/* ---- places ---- */

/* + 1; 0: no memory. */
static uint32_t spot_known(struct openmp *e, const struct trace_spot *spot)
{
	uint64_t key = trace_spot_key(spot);
	struct known_site *to;

	for (uint32_t at = 0, i; hash_next(&e->site_at, key, &at, &i);)
		if (trace_spot_is(&e->site[i].spot, spot))
			return i + 1;
	to = vec_add(e->site, e->nsite);
	if (!to || !trace_spot_copy(&to->spot, spot) || hash_put(&e->site_at, key, e->nsite - 1)) {
		e->failed = true;
		return 0;
	}
	return e->nsite;
}

uint32_t site_known(struct openmp *e, uint32_t site)
{
	struct trace_spot spot = { 0 };

	if (site >= e->block->nsite)
		return 0;
	if (!e->block_site[site]) {
		inspect_spot(&spot, e->block, site, TRACE_NONE);
		e->block_site[site] = spot_known(e, &spot);
	}
	return e->block_site[site];
}

uint32_t site_of_pc(struct openmp *e, uint64_t pc)
{
	struct trace_site site;
	struct trace_spot spot;

	if (!pc || !trace_block_module(e->block, pc - 1, &site))
		return 0;
	spot = trace_spot_of_site(&site);
	return spot_known(e, &spot);
}

/* ---- memory ---- */

static struct array_desc *copy_desc(const struct array_desc *d)
{
	struct array_desc *to = calloc(1, sizeof(*to));
	struct buf b = BUF_INIT;

	array_desc_put_global(d, &b);
	array_desc_put_local(d, &b);
	if (to && !b.bad && !array_desc_get_global(to, &b) && !array_desc_get_local(to, &b)) {
		to->addr = d->addr;
		buf_clear(&b);
		return to;
	}
	buf_clear(&b);
	if (to)
		array_desc_clear(to);
	free(to);
	return NULL;
}

/* Bytes of its memory; 0: that is not known. */
static uint64_t bytes_of(const struct array_desc *d)
{
	struct trace_shape s;
	uint64_t n = d->elem_size, more;

	if (!d->addr || !d->ndim)
		return d->addr ? n : 0;
	trace_shape_make(&s, d);
	for (unsigned k = 0; k < s.ndim; k++)
		if (!s.n[k] || __builtin_mul_overflow(s.n[k] - 1, s.stride[k], &more) ||
		    __builtin_add_overflow(n, more, &n))
			return 0;
	return n;
}

static int describe(struct openmp *e, struct object *o, const struct trace_object *from)
{
	struct trace_spot spot = { 0 };

	o->version = from->version;
	o->what = from->kind == TRACE_HEAP || !from->desc.name ? OBJECT_HEAP : OBJECT_ARRAY;
	o->class = HASH_START;
	o->lo = from->desc.addr;
	o->hi = o->lo + bytes_of(&from->desc);
	if (o->what == OBJECT_HEAP) {
		inspect_spot(&spot, e->block, from->site, TRACE_NONE);
		o->class = hash_mix(trace_spot_key(&spot), OBJECT_HEAP);
		return trace_spot_copy(&o->spot, &spot) ? 0 : -1;
	}
	o->class = hash_mix(hash_text(o->class, from->desc.name), from->desc.counter);
	o->desc = copy_desc(&from->desc);
	return o->desc ? 0 : -1;
}

/* The number of a new object; UINT32_MAX: no memory. */
static uint32_t object_add(struct openmp *e)
{
	struct object *o = vec_add(e->object, e->nobject);

	if (!o) {
		e->failed = true;
		return UINT32_MAX;
	}
	return e->nobject - 1;
}

uint32_t object_known(struct openmp *e, uint32_t object)
{
	const struct trace_object *from = &e->block->object[object];
	uint32_t to;

	if (e->block_object[object])
		return e->block_object[object] - 1;
	for (uint32_t at = 0, i; hash_next(&e->version_at, from->version, &at, &i);)
		if (e->object[i].version == from->version) {
			e->block_object[object] = i + 1;
			return i;
		}
	to = object_add(e);
	if (to == UINT32_MAX || describe(e, &e->object[to], from) ||
	    hash_put(&e->version_at, from->version, to)) {
		e->failed = true;
		return 0;
	}
	e->block_object[object] = to + 1;
	return to;
}

uint32_t object_at(struct openmp *e, uint64_t addr)
{
	for (uint32_t i = 0; i < e->block->nobject; i++) {
		const struct object *o = &e->object[object_known(e, i)];

		if (addr >= o->lo && addr < o->hi)
			return i;
	}
	return TRACE_NOWHERE;
}

uint32_t object_of_block(struct openmp *e, uint32_t site)
{
	const struct trace_spot none = { .place = { .file = "", .func = "", .module = "" } };
	const struct trace_spot *spot = site ? &e->site[site - 1].spot : &none;
	uint32_t *known = site ? &e->site[site - 1].block : &e->block_without_site, to;

	if (*known)
		return *known - 1;
	to = object_add(e);
	if (to == UINT32_MAX)
		return OBJECT_FOREIGN;
	*known = to + 1;
	e->object[to].what = OBJECT_HEAP;
	e->object[to].class = hash_mix(trace_spot_key(spot), OBJECT_HEAP);
	if (!trace_spot_copy(&e->object[to].spot, spot))
		e->failed = true;
	return to;
}

static int add_module(struct openmp *e, const struct trace_module *m)
{
	const struct trace_spot spot = { .place = { .file = "", .func = "", .module = m->path },
					 .build_id = m->build_id,
					 .nbuild_id = m->nbuild_id };
	struct module_now *to, now;
	struct object *o;
	uint32_t i = 0;

	while (i < e->nobject &&
	       (e->object[i].what != OBJECT_MODULE || e->object[i].load != m->load ||
		!trace_spot_is(&e->object[i].spot, &spot)))
		i++;
	if (i == e->nobject) {
		if (object_add(e) == UINT32_MAX)
			return -1;
		o = &e->object[i];
		o->what = OBJECT_MODULE;
		o->load = m->load;
		o->class = hash_text(HASH_START, m->path);
		if (!trace_spot_copy(&o->spot, &spot))
			return -1;
	}
	to = vec_add(e->module, e->nmodule);
	if (!to)
		return -1;
	*to = now = (struct module_now){ m->load + m->lo, m->load + m->hi, i };
	for (uint32_t k = 0; k < e->never; k++)
		if (e->ever[k].object == i) {
			e->ever[k] = now;
			return 0;
		}
	to = vec_add(e->ever, e->never);
	if (to)
		*to = now;
	return to ? 0 : -1;
}

int names_begin(struct openmp *e)
{
	const struct trace_block *b = e->block;

	/* the first two: memory of a library, and stacks */
	while (e->nobject < 2) {
		uint32_t i = object_add(e);

		if (i == UINT32_MAX)
			return -1;
		e->object[i].what = i ? OBJECT_STACK : OBJECT_FOREIGN;
		e->object[i].class = i;
	}
	if (vec_room(e->block_site, e->room_site, b->nsite + 1) ||
	    vec_room(e->block_object, e->room_object, b->nobject + 1))
		return -1;
	memset(e->block_site, 0, (b->nsite + 1) * sizeof(*e->block_site));
	memset(e->block_object, 0, (b->nobject + 1) * sizeof(*e->block_object));
	free(e->module);
	e->module = NULL;
	e->nmodule = 0;
	for (uint32_t i = 0; i < b->nmodule; i++)
		if (b->module[i].hi && add_module(e, &b->module[i]))
			return -1;
	return 0;
}

uint32_t object_of_module(struct openmp *e, uint64_t addr)
{
	for (uint32_t i = 0; i < e->nmodule; i++)
		if (addr - e->module[i].lo < e->module[i].hi - e->module[i].lo)
			return e->module[i].object;
	return OBJECT_FOREIGN;
}

uint32_t object_of_variable(struct openmp *e, uint64_t addr)
{
	uint32_t is = object_of_module(e, addr);

	for (uint32_t i = e->never; i-- > 0 && is == OBJECT_FOREIGN;)
		if (addr - e->ever[i].lo < e->ever[i].hi - e->ever[i].lo)
			is = e->ever[i].object;
	return is;
}

static void array_thing(const struct object *o, uint64_t at, unsigned size, struct trace_thing *out)
{
	struct trace_shape shape;
	uint32_t within = 0;
	enum trace_where where;

	trace_shape_make(&shape, o->desc);
	where = trace_shape_find(&shape, at, out->index, &within);
	inspect_array(o->desc, within, out);
	inspect_half(o->desc, size, out);
	if (where == TRACE_OUTSIDE)
		out->ndim = 0;
}

const struct call *stack_call(const struct openmp *e, const struct space *s, uint64_t at)
{
	const struct call *found = NULL;

	/* frames are above each other: that of the last one below it */
	for (uint32_t i = 0; i < e->nroot; i++) {
		const struct call *c = &e->root[i].call;

		if (e->root[i].id == s->root && c->sp && c->sp <= at)
			found = c;
	}
	for (uint32_t i = 0; i < s->ncall; i++)
		if (s->call[i].sp <= at && (!found || s->call[i].sp > found->sp))
			found = &s->call[i];
	return found;
}

void stack_thing(const struct openmp *e, const struct call *found, uint64_t at,
		 struct trace_thing *out)
{
	if (!found->site || at >= e->lane[found->lane].hi || at < e->lane[found->lane].lo)
		return;
	out->what = TRACE_WHAT_STACK;
	out->spot = e->site[found->site - 1].spot;
	out->ndim = 2;
	out->index[0] = (int64_t)(at - found->sp);
	out->index[1] = (int64_t)(at - found->bp);
	if (!found->code || at < found->data)
		return;
	out->ndim = 4;
	out->index[2] = (int64_t)(at - found->data);
	out->index[3] = (int64_t)e->site[found->code - 1].spot.place.vaddr;
}

void object_thing(const struct object *o, uint64_t at, unsigned size, struct trace_thing *out)
{
	static const struct place nowhere = { .file = "", .func = "", .module = "" };

	*out = (struct trace_thing){ .name = "", .file = "", .field = "" };
	out->spot.place = nowhere;
	out->within = at;
	switch (o->what) {
	case OBJECT_ARRAY:
		array_thing(o, at, size, out);
		if (!out->field)
			out->field = "";
		break;
	case OBJECT_HEAP:
		out->what = TRACE_WHAT_HEAP;
		out->spot = o->spot;
		break;
	case OBJECT_MODULE:
		out->what = TRACE_WHAT_ADDRESS;
		out->spot = o->spot;
		out->spot.place.vaddr = at - o->load;
		break;
	default:
		out->what = TRACE_WHAT_ADDRESS;
		break;
	}
}

void names_free(struct openmp *e)
{
	for (uint32_t i = 0; i < e->nsite; i++)
		trace_spot_clear(&e->site[i].spot);
	for (uint32_t i = 0; i < e->nobject; i++) {
		trace_spot_clear(&e->object[i].spot);
		if (e->object[i].desc)
			array_desc_clear(e->object[i].desc);
		free(e->object[i].desc);
	}
	free(e->site);
	free(e->object);
	free(e->module);
	free(e->ever);
	free(e->block_site);
	free(e->block_object);
	hash_clear(&e->site_at);
	hash_clear(&e->version_at);
}
