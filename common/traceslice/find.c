/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes that are looked for, backwards: by address on one rank, by element on any, by value.
 */
#include <string.h>

#include "common/traceslice/internal.h"

static bool meets(const struct slice_access *a, uint64_t addr, unsigned size)
{
	return addr + size > a->addr && addr < a->addr + a->size;
}

/* The last write to the bytes in a block, before access `end`; false: none. */
static bool in_block(const struct slice_block *x, uint32_t end, uint64_t addr, unsigned size,
		     uint32_t *at)
{
	for (uint32_t i = end; i-- > 0;)
		if (x->access[i].write && meets(&x->access[i], addr, size)) {
			*at = i;
			return true;
		}
	return false;
}

/*
 * Of other threads, which are in order with this one by points only: a write behind what was found
 * and before the access.
 */
static void of_others(const struct slice_at *from, uint32_t thread, struct slice_at *best)
{
	const struct slice_access *a = slice_access_of(from);
	const struct point *before = &slice_scope_of(from)->point;

	for (size_t i = 0; i < from->run->index->file[from->file].n; i++) {
		const struct trace_info *info = ref_info(from->run->index, from->file, i);
		const struct slice_block *x;

		if (info->thread == thread || !info->count[TRACE_WRITE] ||
		    !(x = slice_run_block(from->run, from->file, i)))
			continue;
		for (uint32_t k = 0; k < x->n; k++) {
			const struct point *p = &x->scope[x->access[k].scope].point;
			struct slice_at at = { from->run, from->file, k, i };

			if (x->access[k].write && meets(&x->access[k], a->addr, a->size) &&
			    point_sort(p, before) < 0 &&
			    (!best->run || point_sort(p, &slice_scope_of(best)->point) >= 0))
				*best = at;
		}
	}
}

bool slice_write_before(const struct slice_at *from, struct slice_at *out)
{
	const struct slice_access *a = slice_access_of(from);
	uint32_t thread = ref_info(from->run->index, from->file, from->block)->thread;
	bool threads = false;

	*out = (struct slice_at){ .run = NULL };
	for (size_t i = 0; i < from->run->index->file[from->file].n; i++)
		threads |= ref_info(from->run->index, from->file, i)->thread != thread;
	for (size_t i = from->block + 1; i-- > 0;) {
		const struct trace_info *info = ref_info(from->run->index, from->file, i);
		const struct slice_block *x;
		uint32_t k;

		if (info->thread != thread || !info->count[TRACE_WRITE] ||
		    !(x = slice_run_block(from->run, from->file, i)) ||
		    !in_block(x, i == from->block ? from->access : x->n, a->addr, a->size, &k))
			continue;
		*out = (struct slice_at){ from->run, from->file, k, i };
		break;
	}
	if (threads)
		of_others(from, thread, out);
	return out->run;
}

bool slice_write_of(const struct slice_at *at, struct slice_at *out)
{
	*out = *at;
	return slice_access_of(at)->write ||
	       (slice_write_before(at, out) &&
		slice_access_of(out)->value == slice_access_of(at)->value);
}

static bool is_object(const struct trace_object *o, const struct trace_thing *t)
{
	const struct array_desc *a = &o->desc;

	return o->kind == TRACE_ARRAY && a->ndim == t->ndim && array_is_named(a, t->name) &&
	       a->counter == t->counter;
}

/* Whether the access is one to the element, on a part (halo: or in a halo) that has it. */
static bool is_element(const struct slice_at *at, const struct trace_thing *t, bool halo)
{
	const struct slice_block *x = slice_block_of(at);
	const struct slice_access *a = &x->access[at->access];
	struct trace_thing other;

	if (a->object >= x->b->nobject || !is_object(&x->b->object[a->object], t) ||
	    !object_id_desc_has(&x->b->object[a->object].desc, t->index, halo))
		return false;
	slice_thing(at, &other);
	return other.what == TRACE_WHAT_ARRAY && other.within == t->within &&
	       !memcmp(other.index, t->index, t->ndim * sizeof(*t->index));
}

static bool same_scope(const struct slice_scope *a, const struct slice_scope *b)
{
	return !point_sort(&a->point, &b->point) && a->loop == b->loop && a->nidx == b->nidx &&
	       !memcmp(a->index, b->index, a->nidx * sizeof(*a->index));
}

/* The block names the object. */
static bool names(const struct slice_block *x, const struct trace_thing *t, bool halo)
{
	for (uint32_t i = 0; i < x->b->nobject; i++)
		if (is_object(&x->b->object[i], t) &&
		    object_id_desc_has(&x->b->object[i].desc, t->index, halo))
			return true;
	return false;
}

static bool counts(const struct slice_search *s, const struct slice_block *x,
		   const struct slice_access *a)
{
	const struct slice_scope *in = &x->scope[a->scope];

	return a->write && (!s->until->main || point_sort(&in->point, s->until) <= 0) &&
	       (!s->in || same_scope(in, s->in)) && (!s->value || a->value == *s->value);
}

/* The last one in the block. */
static bool search_block(const struct slice_search *s, size_t block, struct slice_at *out)
{
	const struct slice_block *x = slice_run_block(s->run, s->file, block);

	if (!x || !names(x, s->thing, s->halo))
		return false;
	for (uint32_t i = x->n; i-- > 0;) {
		struct slice_at at = { s->run, s->file, i, block };

		if (!counts(s, x, &x->access[i]) || !is_element(&at, s->thing, s->halo))
			continue;
		*out = at;
		return true;
	}
	return false;
}

bool slice_element_write(const struct slice_search *s, struct slice_at *out)
{
	struct slice_at at;
	bool any = false;

	/* blocks of threads are in order by points only */
	for (size_t i = s->run->index->file[s->file].n; i-- > 0;) {
		const struct trace_info *info = ref_info(s->run->index, s->file, i);

		if (!info->count[TRACE_WRITE] ||
		    (any && point_sort(&info->last, &slice_scope_of(out)->point) < 0) ||
		    !search_block(s, i, &at))
			continue;
		if (!any ||
		    point_sort(&slice_scope_of(&at)->point, &slice_scope_of(out)->point) > 0)
			*out = at;
		any = true;
	}
	return any;
}

uint32_t slice_owner(struct slice_run *r, const struct trace_thing *t)
{
	for (uint32_t f = 0; f < r->index->files; f++)
		for (size_t i = r->index->file[f].n; i-- > 0;) {
			const struct slice_block *x = slice_run_block(r, f, i);

			if (x && names(x, t, false))
				return f;
		}
	return r->index->files;
}

/*
 * The last write of the bits on a rank, not behind the point; in the rank's own halo only where
 * there is no other: that is sent on by exchanges in two steps only.
 */
static bool value_in(struct slice_run *r, uint32_t file, const struct slice_access *v,
		     const struct point *until, struct slice_at *out)
{
	bool any = false;

	for (size_t i = r->index->file[file].n; i-- > 0;) {
		const struct slice_block *x = slice_run_block(r, file, i);

		for (uint32_t k = x ? x->n : 0; k-- > 0;) {
			const struct slice_access *a = &x->access[k];
			struct slice_at at;

			if (!a->write || a->value != v->value || a->size != v->size ||
			    point_sort(&x->scope[a->scope].point, until) > 0)
				continue;
			at = (struct slice_at){ r, file, k, i };
			if (!slice_is_halo(&at)) {
				*out = at;
				return true;
			}
			if (!any)
				*out = at;
			any = true;
		}
	}
	return any;
}

/* Bits that are everywhere say nothing: zeros, ones, small whole numbers. */
static bool is_telling(const struct slice_access *v)
{
	if (v->size == 8)
		return v->value > UINT32_MAX && v->value << 28;
	return v->size == 4 && v->value > UINT16_MAX && (uint32_t)(v->value << 16);
}

/* Of a size that numbers have. */
static bool is_number(const struct slice_access *v)
{
	return v->size == 4 || v->size == 8;
}

bool slice_sender(const struct slice_at *read, uint32_t first, struct slice_at *out, bool *many)
{
	const struct slice_access *v = slice_access_of(read);
	const struct point *until = &slice_scope_of(read)->point;
	struct slice_run *r = read->run;
	struct slice_at at;
	bool any = false;

	*many = false;
	if (first < r->index->files && first != read->file && v->value && is_number(v) &&
	    value_in(r, first, v, until, out))
		return true;
	if (!is_telling(v))
		return false;
	for (uint32_t f = 0; f < r->index->files; f++) {
		if (f == read->file || !value_in(r, f, v, until, &at))
			continue;
		if (!any ||
		    point_sort(&slice_scope_of(&at)->point, &slice_scope_of(out)->point) > 0)
			*out = at;
		*many |= any;
		any = true;
	}
	return any;
}

bool slice_twin(struct slice_run *r, const struct slice_at *like, uint64_t value,
		struct slice_at *out)
{
	const struct point *until = &slice_scope_of(like)->point;
	unsigned size = slice_access_of(like)->size;
	uint64_t site = slice_site(like);

	out->run = NULL;
	for (uint32_t f = 0; f < r->index->files; f++)
		for (size_t i = r->index->file[f].n; i-- > 0;) {
			const struct slice_block *x = slice_run_block(r, f, i);

			for (uint32_t k = x ? x->n : 0; k-- > 0;) {
				const struct slice_access *a = &x->access[k];
				const struct slice_at at = { r, f, k, i };
				const struct point *p = &x->scope[a->scope].point;

				if (!a->write || a->value != value || a->size != size ||
				    point_sort(p, until) > 0 || slice_site(&at) != site)
					continue;
				if (!out->run || point_sort(p, &slice_scope_of(out)->point) > 0)
					*out = at;
				k = 0;
				i = 0;
			}
		}
	return out->run;
}

/* Whether an access to the element counts: all in the loop, and the last one before it. */
static bool states(const struct slice_at *at, const struct trace_thing *t, const struct point *loop,
		   bool before)
{
	int order = point_sort(&slice_scope_of(at)->point, loop);

	return order <= 0 && (!order || !before) && is_element(at, t, false);
}

void slice_states(struct slice_run *r, uint32_t file, const struct trace_thing *t,
		  const struct point *loop, bool (*fn)(void *arg, const struct slice_at *at),
		  void *arg)
{
	bool before = false;

	for (size_t i = r->index->file[file].n; i-- > 0;) {
		const struct slice_block *x = slice_run_block(r, file, i);

		if (!x || !names(x, t, false))
			continue;
		for (uint32_t k = x->n; k-- > 0;) {
			struct slice_at at = { r, file, k, i };

			if (!states(&at, t, loop, before))
				continue;
			before |= point_sort(&slice_scope_of(&at)->point, loop) < 0;
			if (!fn(arg, &at))
				return;
		}
		if (before)
			return;
	}
}

bool slice_sets_too(const struct slice_at *read, const struct slice_at *write)
{
	struct trace_thing t;
	struct slice_search s = { .run = read->run,
				  .file = read->file,
				  .thing = &t,
				  .until = &slice_scope_of(read)->point,
				  .value = &slice_access_of(read)->value };
	struct slice_at at;

	slice_thing(write, &t);
	return t.what == TRACE_WHAT_ARRAY && slice_element_write(&s, &at);
}

/* The access before i is of the same kind and statement, and its bytes end where those of i
 * begin. */
static bool goes_on(const struct slice_block *x, uint32_t i)
{
	const struct slice_access *a = &x->access[i], *b = i && i < x->n ? a - 1 : NULL;

	return b && b->write == a->write && b->site == a->site && b->scope == a->scope &&
	       b->addr + b->size == a->addr;
}

/*
 * The read that a write of several elements at once is a copy of: memcpy and assignments of
 * structures read all of them, and write them then. False: it is none.
 */
static bool copied_read(const struct slice_block *x, uint32_t write, uint32_t *out)
{
	const struct slice_access *w = &x->access[write], *r;
	uint32_t first = write, i, end;

	while (goes_on(x, first))
		first--;
	if (!first || x->access[first - 1].write || (first == write && !goes_on(x, write + 1)))
		return false;
	end = i = first - 1;
	while (goes_on(x, i))
		i--;
	for (uint64_t from = x->access[i].addr; i <= end; i++) {
		r = &x->access[i];
		if (r->addr - from != w->addr - x->access[first].addr)
			continue;
		*out = i;
		return r->scope == w->scope && r->size == w->size && r->value == w->value;
	}
	return false;
}

unsigned slice_reads(const struct slice_at *write, enum slice_reach reach, struct slice_at *out,
		     bool *whole)
{
	const struct slice_block *x = slice_block_of(write);
	const struct slice_access *w = &x->access[write->access];
	const struct slice_scope *scope = &x->scope[w->scope];
	bool half = slice_is_half(write);
	uint32_t copied;
	unsigned n = 0;

	*whole = true;
	if (copied_read(x, write->access, &copied)) {
		*out = *write;
		out->access = copied;
		return 1;
	}
	*whole = scope->begun;
	for (uint32_t i = write->access; i-- > 0;) {
		const struct slice_access *a = &x->access[i];

		if (a->scope != w->scope)
			break;
		if (a->write &&
		    (reach == SLICE_JUST || (reach == SLICE_NEAR && a->site == w->site)) &&
		    !(half && i + 1 == write->access && a->addr + a->size == w->addr))
			break;
		if (a->write)
			continue;
		if (n == SLICE_READS) {
			*whole = false;
			break;
		}
		out[n] = *write;
		out[n++].access = i;
	}
	return n;
}
