/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a block once more, for one record: where it stands in the source, inside of what, and the
 * reads around it in the same iteration.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/logical/construct.h"
#include "common/tracereport/tracereport.h"
#include "common/traceindex/traceindex.h"
#include "common/tracereport/tracereport.h"
#include "common/array/value.h"

static void keep_read(struct inspect_read *to, const struct trace_block *b,
		      const struct trace_rec *r)
{
	to->block = b;
	to->rec.op = r->op;
	to->rec.size = r->size;
	to->rec.site = r->site;
	to->rec.object = r->object;
	to->rec.at = r->at;
	to->rec.flags = 0;
	memcpy(to->rec.value, r->value, sizeof(r->value));
}

/* Blocks number their objects differently; the versions are the program's. */
static uint32_t version_of(const struct trace_block *b, const struct trace_rec *r)
{
	return r->object < b->nobject ? b->object[r->object].version : TRACE_NOWHERE;
}

/* What was read is another by now: as a sum, that each iteration adds to. */
static void overwrite(struct inspect *l, const struct trace_block *b, const struct trace_rec *r)
{
	uint32_t version = version_of(b, r);

	for (unsigned i = 0; i < l->nread && i < TELL_READS; i++) {
		struct inspect_read *x = &l->read[i];

		if (x->rec.at == r->at && x->rec.size == r->size &&
		    version_of(x->block, &x->rec) == version)
			x->rec.flags = TRACE_WRITES;
	}
}

static void keep_frames(struct inspect *l, const struct trace_cursor *c)
{
	unsigned depth = c->depth < TRACE_FRAMES ? c->depth : TRACE_FRAMES;

	l->lost = depth > TRACE_FINDING_DEPTH ? depth - TRACE_FINDING_DEPTH : 0;
	l->nframe = depth - l->lost;
	memcpy(l->frame, c->frame + l->lost, l->nframe * sizeof(*l->frame));
}

/* An iteration, a task, or a loop: what was read before is not what it computes from. */
static bool begins(const struct trace_cursor *c, const struct trace_rec *r)
{
	if (r->op == TRACE_BEGIN)
		return r->kind == CONSTRUCT_PL || r->kind == CONSTRUCT_TASK;
	return r->op == TRACE_ITER && c->depth && c->depth <= TRACE_FRAMES &&
	       c->frame[c->depth - 1].kind == CONSTRUCT_PL;
}

/* The thread's block begins where the cursor has come to. */
static bool goes_on(const struct trace_cursor *c, const struct trace_block *b)
{
	const struct trace_frame *x, *y;

	if (c->depth > TRACE_FRAMES || c->depth != b->nframe)
		return false;
	if (!c->depth)
		return !point_sort(&c->block->info.last, &b->info.first);
	x = &c->frame[c->depth - 1];
	y = &b->frame[c->depth - 1];
	return x->kind == y->kind && !point_sort(&x->point, &y->point) && x->nidx == y->nidx &&
	       !memcmp(x->index, y->index, x->nidx * sizeof(*x->index));
}

/* The reads up to the end of the iteration; depth: of what it is in. */
static void look_on(struct inspect *l, struct trace_cursor *c, struct trace_rec *r, unsigned depth)
{
	while (l->nlate < TELL_READS && trace_block_next(c, r) == 1) {
		if (begins(c, r) || c->depth < depth) {
			l->ended = true;
			return;
		}
		if (r->op == TRACE_READ)
			keep_read(&l->late[l->nlate++], c->block, r);
	}
}

/* Inside of an iteration that is marked, or a task. */
bool inspect_in_iteration(const struct inspect *l)
{
	for (unsigned i = 0; i < l->nframe; i++)
		if (l->frame[i].kind == CONSTRUCT_TASK ||
		    (l->frame[i].kind == CONSTRUCT_PL && l->frame[i].nidx))
			return true;
	return false;
}

/*
 * Where no iterations are marked: from which read on a write may be computed from, those since the
 * last one, or, when there are none, since the one before.
 */
struct since {
	unsigned last, before;
};

/* What is put into other memory may be on its way into an array. */
static void since_write(struct since *s, unsigned nread, const struct trace_block *b,
			const struct trace_rec *r)
{
	if (nread > s->last && r->object < b->nobject && b->object[r->object].kind != TRACE_HEAP)
		*s = (struct since){ nread, s->last };
}

static void forget_reads(struct inspect *l, struct since *since, bool begun)
{
	l->begun = begun;
	l->nread = 0;
	*since = (struct since){ 0 };
}

/* What a record that stands before it says of it. */
static void pass(struct inspect *l, struct since *since, const struct trace_cursor *c,
		 const struct trace_rec *r)
{
	if (begins(c, r))
		forget_reads(l, since, true);
	if (r->op == TRACE_READ) {
		keep_read(&l->read[l->nread++ % TELL_READS], c->block, r);
	} else if (r->op == TRACE_WRITE) {
		since_write(since, l->nread, c->block, r);
		overwrite(l, c->block, r);
	}
}

/* What the block before has of the iteration that goes on in b. */
static void look_before(struct inspect *l, struct since *since, struct trace_cursor *c,
			struct trace_rec *r, const struct trace_block *b)
{
	while (trace_block_next(c, r) == 1)
		pass(l, since, c, r);
	if (!goes_on(c, b))
		forget_reads(l, since, false);
	l->failed |= trace_cursor_start(c, b) != 0;
}

static void look_here(struct inspect *l, struct since *since, struct trace_cursor *c,
		      struct trace_rec *r, uint32_t rec)
{
	while (!l->failed && trace_block_next(c, r) == 1) {
		if (c->record - 1 != rec) {
			pass(l, since, c, r);
			continue;
		}
		/* an iteration or a loop may be what is looked for */
		if (begins(c, r))
			forget_reads(l, since, true);
		l->rec = *r;
		l->found = true;
		keep_frames(l, c);
		l->since = since->last;
		if (r->op == TRACE_WRITE && !inspect_in_iteration(l))
			l->first = l->nread > since->last ? since->last : since->before;
		return;
	}
}

void inspect_look(struct inspect *l, const struct inspect_at *at, bool on)
{
	struct trace_cursor *c = trace_cursor_open(at->before ? at->before : at->block);
	struct trace_rec *r = calloc(1, sizeof(*r));
	struct since since = { 0 };
	unsigned depth;

	l->block = at->block;
	l->failed = !c || !r;
	if (!l->failed && at->before)
		look_before(l, &since, c, r, at->block);
	if (!l->failed)
		look_here(l, &since, c, r, at->rec);
	if (l->found && on) {
		depth = c->depth;
		look_on(l, c, r, depth);
		if (at->after && !l->ended && goes_on(c, at->after)) {
			l->failed = trace_cursor_start(c, at->after) != 0;
			if (!l->failed)
				look_on(l, c, r, depth);
		}
	}
	trace_cursor_free(c);
	free(r);
}

bool inspect_wants_before(const struct inspect *l)
{
	return l->found && !l->begun;
}

bool inspect_wants_after(const struct inspect *l)
{
	return l->found && !l->ended && l->nlate < TELL_READS && inspect_in_iteration(l);
}

void inspect_spot(struct trace_spot *to, const struct trace_block *b, uint32_t site, uint32_t place)
{
	if (site < b->nsite) {
		to->place = b->site[site].place;
		to->build_id = b->site[site].build_id;
		to->nbuild_id = b->site[site].nbuild_id;
	} else if (place < b->nplace) {
		to->place = b->place[place];
	}
}

void trace_spot_clear(struct trace_spot *s)
{
	free((char *)s->place.file);
	free((char *)s->place.func);
	free((char *)s->place.module);
	free((unsigned char *)s->build_id);
}

bool trace_spot_copy(struct trace_spot *to, const struct trace_spot *from)
{
	*to = *from;
	to->place.file = from->place.file ? strdup(from->place.file) : NULL;
	to->place.func = from->place.func ? strdup(from->place.func) : NULL;
	to->place.module = from->place.module ? strdup(from->place.module) : NULL;
	to->build_id = from->nbuild_id ? malloc(from->nbuild_id) : NULL;
	if (to->build_id)
		memcpy((unsigned char *)to->build_id, from->build_id, from->nbuild_id);
	if ((from->place.file && !to->place.file) || (from->place.func && !to->place.func) ||
	    (from->place.module && !to->place.module) || (from->nbuild_id && !to->build_id)) {
		trace_spot_clear(to);
		*to = (struct trace_spot){ 0 };
		return false;
	}
	return true;
}

uint64_t trace_spot_key(const struct trace_spot *s)
{
	uint64_t h = hash_mix(HASH_START, s->place.vaddr);

	h = hash_mix(h, s->place.line);
	if (s->place.file)
		h = hash_text(h, s->place.file);
	return s->place.module ? hash_text(h, s->place.module) : h;
}

static bool is_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

bool trace_spot_is(const struct trace_spot *a, const struct trace_spot *b)
{
	return a->place.vaddr == b->place.vaddr && a->place.line == b->place.line &&
	       is_text(a->place.module, b->place.module) && is_text(a->place.file, b->place.file);
}

struct trace_spot trace_spot_of_site(const struct trace_site *site)
{
	struct trace_spot spot = { .place = site->place,
				   .build_id = site->build_id,
				   .nbuild_id = site->nbuild_id };

	if (!spot.nbuild_id && site->module) {
		spot.build_id = site->module->build_id;
		spot.nbuild_id = site->module->nbuild_id;
	}
	return spot;
}

void inspect_array(const struct array_desc *a, uint32_t within, struct trace_thing *t)
{
	t->what = TRACE_WHAT_ARRAY;
	t->array_kind = a->kind;
	t->order = a->order;
	t->ndim = (uint8_t)a->ndim;
	t->name = a->name;
	t->file = a->file;
	t->line = a->line;
	t->counter = a->counter;
	t->within = within;
	for (uint32_t i = 0; i < a->nfield; i++) {
		const struct array_field *f = &a->field[i];

		if (within >= f->offset && within < f->offset + f->count * value_size(f->type)) {
			t->field = f->name;
			t->within = within - f->offset;
		}
	}
}

void inspect_half(const struct array_desc *a, unsigned size, struct trace_thing *t)
{
	bool is_complex = a->type == VALUE_FCOMPLEX || a->type == VALUE_DCOMPLEX;

	if (is_complex && 2 * size == a->elem_size && !t->field)
		t->field = t->within ? "im" : "re";
}

static void spot_of_address(struct trace_spot *to, const struct trace_block *b, uint64_t address)
{
	struct trace_site s;

	if (!trace_block_module(b, address, &s))
		return;
	to->place = s.place;
	to->build_id = s.build_id;
	to->nbuild_id = s.nbuild_id;
}

/* Out of the bounds of an array: which one, and how far. */
static void report_adjacent(const struct trace_block *b, const struct trace_rec *r,
			  struct trace_thing *t)
{
	const struct array_desc *a;
	uint32_t object;

	if (!out_of_bounds(b, r->at, r->size, NULL, NULL, &object, &t->index[0]))
		return;
	a = &b->object[object].desc;
	t->order = a->order;
	t->ndim = 1;
	t->name = a->name;
	t->file = a->file;
	t->line = a->line;
	t->counter = a->counter;
}

void inspect_what(const struct trace_block *b, const struct trace_rec *r, struct trace_thing *t)
{
	const struct trace_object *o;
	struct trace_shape shape;
	uint32_t within = 0;
	enum trace_where where;

	t->what = TRACE_WHAT_ADDRESS;
	t->within = r->at;
	if (r->object >= b->nobject) {
		spot_of_address(&t->spot, b, r->at);
		if (!t->spot.place.module)
			report_adjacent(b, r, t);
		return;
	}
	o = &b->object[r->object];
	if (o->kind == TRACE_HEAP || !o->desc.name) {
		t->what = TRACE_WHAT_HEAP;
		t->counter = o->version & INT32_MAX;
		inspect_spot(&t->spot, b, o->site, TRACE_NONE);
		return;
	}
	trace_shape_make(&shape, &o->desc);
	where = trace_shape_find(&shape, r->at, t->index, &within);
	if (where == TRACE_OWN || where == TRACE_HALO ||
	    (where == TRACE_EDGE && !trace_shape_listed(&shape))) {
		inspect_array(&o->desc, within, t);
		inspect_half(&o->desc, r->size, t);
	} else {
		t->within += o->desc.addr;
	}
}

/* The type that a read of the thing has. */
unsigned inspect_type(const struct trace_block *b, const struct trace_rec *r)
{
	const struct array_desc *a;
	uint32_t beside;
	int64_t bytes;

	if (r->object >= b->nobject) {
		if (!out_of_bounds(b, r->at, r->size, NULL, NULL, &beside, &bytes))
			return VALUE_TYPES;
		a = &b->object[beside].desc;
		return value_size(a->type) == r->size ? a->type : VALUE_TYPES;
	}
	a = &b->object[r->object].desc;
	if (!a->elem_size || b->object[r->object].kind == TRACE_HEAP)
		return VALUE_TYPES;
	return object_id_desc_type(a, (uint32_t)(r->at % a->elem_size), r->size);
}

static void frames_from(struct trace_finding *f, const struct inspect *now)
{
	f->nframe = (uint8_t)now->nframe;
	f->lost = (uint8_t)(now->lost < UINT8_MAX ? now->lost : UINT8_MAX);
	for (unsigned i = 0; i < now->nframe; i++) {
		const struct trace_frame *from = &now->frame[i];
		struct report_frame *to = &f->frame[i];

		*to = (struct report_frame){ .kind = from->kind,
					     .nidx = from->nidx,
					     .point = from->point };
		memcpy(to->idx, from->index, from->nidx * sizeof(*to->idx));
		if (from->place < now->block->nplace)
			to->place = now->block->place[from->place];
	}
}

/* The iteration of the parallel loop, or the task, around it. */
static void iteration_from(struct trace_finding *f, const struct inspect *l)
{
	for (unsigned i = l->nframe; i-- > 0 && !f->nidx;) {
		const struct trace_frame *x = &l->frame[i];

		if (x->kind != CONSTRUCT_PL && x->kind != CONSTRUCT_TASK)
			continue;
		f->nidx = x->nidx;
		memcpy(f->index, x->index, x->nidx * sizeof(*f->index));
	}
}

void inspect_from(struct trace_finding *f, const struct inspect *now, const struct inspect *ref,
		  bool operands, const struct trace_tolerance *tol)
{
	if (ref->found)
		inspect_spot(&f->ref_spot, ref->block, ref->rec.site, ref->rec.place);
	if (!now->found)
		return;
	inspect_spot(&f->spot, now->block, now->rec.site, now->rec.place);
	/* of an iteration as such: where its loop is */
	if (!f->spot.place.file && now->nframe &&
	    now->frame[now->nframe - 1].place < now->block->nplace)
		f->spot.place = now->block->place[now->frame[now->nframe - 1].place];
	frames_from(f, now);
	if (now->rec.op == TRACE_READ || now->rec.op == TRACE_WRITE)
		iteration_from(f, now);
	if (operands)
		inspect_operands(f, now, ref, tol);
}
