/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw blocks into decodable ones: records are taken apart into columns, and the program's numbers
 * become positions in tables that explain them.
 */
#include <stdlib.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/trace/block.h"
#include "common/trace/encode.h"

struct column {
	unsigned char *data;
	size_t n, cap;
};

struct raw {
	const struct trace_raw *head;
	const unsigned char *p, *end;
	struct trace_tables *tables;
	struct trace_info info;
	struct column col[TRACE_COLS];
	struct trace_slot *slot;
	uint64_t (*last)[2]; /* by slot: its last value that was not expected */
	uint32_t nslot, prev;
	bool nowhere; /* there are accesses to what is no object, or addresses: modules are known */
	struct trace_iter iter;
	struct trace_open {
		uint8_t kind;
		struct point point;
	} open[TRACE_FRAMES];
	unsigned depth;
};

static int fetch(struct raw *r, uint64_t *v)
{
	const unsigned char *p = trace_get(r->p, r->end, v);

	if (!p)
		return -1;
	r->p = p;
	return 0;
}

static void number(struct raw *r, uint64_t v)
{
	struct column *c = &r->col[TRACE_COL_NUMBERS];

	c->n = (size_t)(trace_put(c->data + c->n, v) - c->data);
}

/* Room for what the rest of the block can become, and for what one rare record adds. */
static int reserve(struct raw *r)
{
	struct column *c = &r->col[TRACE_COL_NUMBERS];

	return vec_room(c->data, c->cap, c->n + (size_t)(r->end - r->p) + 256);
}

/* A number as it is. */
static int copy(struct raw *r, uint64_t *v)
{
	if (fetch(r, v))
		return -1;
	number(r, *v);
	return 0;
}

/* Numbers of the program become positions in tables, from 1; 0 is none. */
static int copy_place(struct raw *r)
{
	uint64_t v;
	uint32_t at;

	if (fetch(r, &v) || v > UINT32_MAX)
		return -1;
	at = trace_tables_place(r->tables, (uint32_t)v);
	number(r, (uint64_t)at + 1);
	return 0;
}

static int copy_object(struct raw *r)
{
	uint64_t v;

	if (fetch(r, &v) || v > UINT32_MAX)
		return -1;
	number(r,
	       v == TRACE_NOWHERE ? 0 : (uint64_t)trace_tables_object(r->tables, (uint32_t)v) + 1);
	return 0;
}

static int copy_site(struct raw *r)
{
	uint64_t v;

	if (fetch(r, &v))
		return -1;
	number(r, (uint64_t)trace_tables_site(r->tables, v) + 1);
	return 0;
}

static int copy_point(struct raw *r, struct point *at, unsigned side)
{
	uint64_t v[3];

	for (unsigned i = 0; i < 3; i++)
		if (copy(r, &v[i]) || v[i] > UINT32_MAX)
			return -1;
	*at = point_clean((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], side);
	return 0;
}

static int copy_bytes(struct raw *r)
{
	struct column *c = &r->col[TRACE_COL_BYTES];
	uint64_t n;

	if (copy(r, &n) || n > TRACE_BYTES_MOST || n > (size_t)(r->end - r->p))
		return -1;
	memcpy(c->data + c->n, r->p, n);
	c->n += n;
	r->p += n;
	return 0;
}

/* The iteration of the innermost construct, for the box. */
static void in_iteration(struct raw *r, unsigned n, const int64_t *index)
{
	struct trace_info *i = &r->info;
	const struct trace_open *o;

	if (!r->depth || r->depth > TRACE_FRAMES || !n)
		return;
	o = &r->open[r->depth - 1];
	if (o->kind != CONSTRUCT_PL)
		return;
	if (!i->loops) {
		i->loops = 1;
		i->boxed = (uint8_t)n;
		i->box_of = o->point;
		memcpy(i->lo, index, n * sizeof(*index));
		memcpy(i->hi, index, n * sizeof(*index));
	} else if (i->boxed != n || point_sort(&i->box_of, &o->point)) {
		i->loops = 2;
		i->boxed = 0;
	}
	for (unsigned d = 0; d < i->boxed; d++) {
		i->lo[d] = index[d] < i->lo[d] ? index[d] : i->lo[d];
		i->hi[d] = index[d] > i->hi[d] ? index[d] : i->hi[d];
	}
}

static int iteration(struct raw *r, unsigned how)
{
	uint64_t n = r->iter.n, step;
	int64_t index[ARRAY_DIMS];

	if (how == TRACE_ITER_SAID && (copy(r, &n) || n > ARRAY_DIMS))
		return -1;
	for (unsigned d = 0; d < n; d++) {
		if (how == TRACE_ITER_SAID && copy(r, &step))
			return -1;
		step = how == TRACE_ITER_SAID	 ? trace_unzigzag(step)
		       : how == TRACE_ITER_AGAIN ? (uint64_t)r->iter.step[d]
						 : d == (how == TRACE_ITER_LAST ? n - 1 : 0);
		index[d] = (int64_t)((uint64_t)r->iter.last[d] + step);
	}
	trace_iter_set(&r->iter, (unsigned)n, index, how);
	in_iteration(r, (unsigned)n, index);
	r->info.count[TRACE_ITER]++;
	return 0;
}

static void push(struct raw *r, unsigned kind, const struct point *at)
{
	if (r->depth < TRACE_FRAMES)
		r->open[r->depth] = (struct trace_open){ (uint8_t)kind, *at };
	r->depth++;
}

static int begin(struct raw *r)
{
	uint64_t kind, level, n, v;
	struct point at;

	if (copy(r, &kind) || kind >= CONSTRUCT_KINDS || copy(r, &level) || level > UINT8_MAX ||
	    copy_place(r) || copy_point(r, &at, POINT_BEGIN) || copy(r, &n) || n > ARRAY_DIMS)
		return -1;
	for (unsigned i = 0; i < 3 * n; i++)
		if (copy(r, &v))
			return -1;
	push(r, (unsigned)kind, &at);
	if (at.main && construct_numbered((unsigned)kind))
		r->info.last = at;
	return 0;
}

static int end(struct raw *r)
{
	uint64_t kind, left, iterations;
	struct point at;

	if (copy(r, &kind) || kind >= CONSTRUCT_KINDS || copy(r, &left) || left > 1 ||
	    copy_place(r) || copy_point(r, &at, POINT_END) || copy(r, &iterations))
		return -1;
	r->depth -= r->depth > 0;
	if (at.main && construct_numbered((unsigned)kind))
		r->info.last = at;
	return 0;
}

static int value_form(struct raw *r)
{
	uint64_t form, v;

	if (copy(r, &form) || form >= TRACE_VALUE_FORMS)
		return -1;
	return form == TRACE_VALUE_PART ? copy(r, &v) || copy(r, &v) : 0;
}

static void add_modules(struct raw *r)
{
	if (!r->nowhere)
		trace_tables_modules(r->tables);
	r->nowhere = true;
}

static int rare_fields(struct raw *r, unsigned op)
{
	uint64_t kind, v;

	switch (op) {
	case TRACE_BEGIN:
		return begin(r);
	case TRACE_END:
		return end(r);
	case TRACE_VALUE:
		return copy_object(r) || copy_place(r) || value_form(r) || copy_bytes(r);
	case TRACE_REDUCTION:
		return copy_object(r) || copy_site(r) || copy(r, &kind) || kind > UINT8_MAX ||
		       copy_bytes(r);
	case TRACE_SKIP:
		return copy_place(r);
	case TRACE_LOST:
		return copy(r, &kind) || kind > UINT8_MAX || copy(r, &v);
	case TRACE_NOTE:
		if (copy(r, &kind) || kind > UINT8_MAX)
			return -1;
		/* it has addresses of the program's code */
		if (kind == TRACE_NOTE_OPENMP)
			add_modules(r);
		return copy_bytes(r);
	case TRACE_SUM:
		return copy_object(r) || copy_bytes(r);
	case TRACE_BEFORE:
		return copy_object(r) || copy_site(r) || copy(r, &kind) || kind > UINT8_MAX ||
		       !trace_size_good(kind & TRACE_SIZE) || copy(r, &v);
	case TRACE_CALL:
		return copy_site(r) || copy(r, &v) || copy(r, &v) || copy_bytes(r);
	default:
		return -1;
	}
}

static int rare(struct raw *r, unsigned *op)
{
	if (r->p == r->end || reserve(r))
		return -1;
	*op = *r->p++;
	if (*op >= TRACE_OPS || rare_fields(r, *op) || reserve(r))
		return -1;
	r->info.count[*op]++;
	return 0;
}

static int define(struct raw *r)
{
	struct trace_slot *s;
	uint64_t pc;
	uint32_t object;

	if (r->end - r->p < 13 || r->nslot == TRACE_ENC_SLOTS ||
	    !trace_size_good(r->p[12] & TRACE_SIZE))
		return -1;
	memcpy(&pc, r->p, 8);
	memcpy(&object, r->p + 8, 4);
	s = &r->slot[r->nslot++];
	s->site = trace_tables_site(r->tables, pc);
	s->object =
		object == TRACE_NOWHERE ? TRACE_NOWHERE : trace_tables_object(r->tables, object);
	s->flags = r->p[12];
	r->p += 13;
	if (object == TRACE_NOWHERE)
		add_modules(r);
	return 0;
}

/* A value that was not expected, into the column for its size. */
static int copy_value(struct raw *r, uint32_t slot, unsigned size)
{
	static const uint8_t lane[] = { [1] = TRACE_COL_BYTES,
					[2] = TRACE_COL_BYTES,
					[4] = TRACE_COL_HALVES,
					[8] = TRACE_COL_WORDS,
					[16] = TRACE_COL_WORDS };
	struct column *c = &r->col[lane[size]];
	uint64_t v[2];

	if (size > (size_t)(r->end - r->p))
		return -1;
	trace_load(v, r->p, size);
	trace_value_put(c->data + c->n, r->last[slot], v, size);
	c->n += size;
	r->p += size;
	return 0;
}

static int access_record(struct raw *r, unsigned op)
{
	unsigned code = op >> 2, flags;
	uint32_t slot = r->prev + 1 + (uint32_t)trace_unzigzag(code);
	struct column *numbers = &r->col[TRACE_COL_NUMBERS];
	const unsigned char *p;
	uint64_t v;

	if (code == TRACE_CODE_FAR) {
		if (copy(r, &v) || v > UINT32_MAX)
			return -1;
		slot = (uint32_t)v;
	}
	if (slot >= r->nslot)
		return -1;
	r->prev = slot;
	flags = r->slot[slot].flags;
	if (!(op & TRACE_PREDICTED_AT)) {
		p = trace_get(r->p, r->end, &v);
		if (!p)
			return -1;
		memcpy(numbers->data + numbers->n, r->p, (size_t)(p - r->p));
		numbers->n += (size_t)(p - r->p);
		r->p = p;
	}
	if (!(op & TRACE_PREDICTED_VALUE) && copy_value(r, slot, flags & TRACE_SIZE))
		return -1;
	r->info.count[flags & TRACE_WRITES ? TRACE_WRITE : TRACE_READ]++;
	return 0;
}

/* One record. 0, -1 damaged: nothing of it is kept. */
static int record(struct raw *r)
{
	struct column *ops = &r->col[TRACE_COL_OPS];
	unsigned op = *r->p++, second = TRACE_OPS;
	int rc;

	while (op == TRACE_CODE_NEW << 2) {
		if (define(r) || r->p == r->end)
			return -1;
		op = *r->p++;
	}
	switch (op >> 2) {
	case TRACE_CODE_ITER:
		rc = iteration(r, op & 3);
		break;
	case TRACE_CODE_RARE:
		rc = op & 3 ? -1 : rare(r, &second);
		break;
	default:
		rc = op >> 2 > TRACE_CODE_FAR ? -1 : access_record(r, op);
	}
	if (rc)
		return -1;
	/* last: numbers and values without their op are never read */
	ops->data[ops->n++] = (unsigned char)op;
	if (second < TRACE_OPS)
		ops->data[ops->n++] = (unsigned char)second;
	r->info.records++;
	return 0;
}

/* The frames that are open at the beginning. */
static int frames(struct raw *r)
{
	uint32_t n = r->head->nframe;

	if (n > TRACE_FRAMES || n * sizeof(struct trace_frame) > (size_t)(r->end - r->p))
		return -1;
	for (uint32_t i = 0; i < n; i++, r->p += sizeof(struct trace_frame)) {
		struct trace_frame f;

		memcpy(&f, r->p, sizeof(f));
		if (f.kind >= CONSTRUCT_KINDS || f.nidx > ARRAY_DIMS)
			return -1;
		f.place = trace_tables_place(r->tables, f.place);
		f.point.side = POINT_BEGIN;
		trace_tables_frame(r->tables, &f);
		push(r, f.kind, &f.point);
		in_iteration(r, f.nidx, f.index);
	}
	return 0;
}

static int make_columns(struct raw *r, size_t used)
{
	for (unsigned c = 0; c < TRACE_COLS; c++) {
		r->col[c].cap = used + 512;
		r->col[c].data = malloc(r->col[c].cap);
		if (!r->col[c].data)
			return -1;
	}
	r->slot = calloc(TRACE_ENC_SLOTS, sizeof(*r->slot));
	r->last = calloc(TRACE_ENC_SLOTS, sizeof(*r->last));
	return r->slot && r->last ? 0 : -1;
}

/* Reads the records and hands everything on to b. */
static int convert(struct trace_block *b, struct raw *r, struct err *err)
{
	struct trace_col col[TRACE_COLS];
	unsigned char *data;
	size_t n;

	r->p = (const unsigned char *)(r->head + 1);
	if (make_columns(r, (size_t)(r->end - r->p)))
		return err_set(err, "out of memory");
	if (frames(r))
		return err_set(err, "a block of the trace is damaged at its beginning");
	while (r->p < r->end)
		if (record(r)) {
			r->info.half = true;
			break;
		}
	for (unsigned c = 0; c < TRACE_COLS; c++)
		col[c] = (struct trace_col){ r->col[c].data, r->col[c].n };
	data = trace_tables_content(r->tables, r->slot, r->nslot, col, &n);
	if (!data)
		return err_set(err, "out of memory");
	b->info = r->info;
	return trace_block_get(b, data, n, err);
}

int trace_block_from_raw(struct trace_block *b, const void *mem, size_t n,
			 const struct trace_resolver *resolver, struct err *err)
{
	const struct trace_raw *now = mem;
	struct raw r = { .prev = UINT32_MAX };
	uint32_t used = 0;
	bool closed = false;
	struct trace_raw *head;
	int rc;

	*b = (struct trace_block){ 0 };
	if (n >= sizeof(*now)) {
		closed = atomic_load_explicit(&now->closed, memory_order_acquire);
		used = atomic_load_explicit(&now->used, memory_order_acquire);
	}
	if (used < sizeof(*now) || used > n || used > TRACE_BLOCK_MOST)
		return err_set(err, "this is not a block of a trace, or an empty one");
	/* once and for all: whoever runs wild may change it while it is read */
	head = malloc(used);
	if (!head)
		return err_set(err, "out of memory");
	memcpy(head, mem, used);
	if (head->magic != TRACE_RAW_MAGIC) {
		free(head);
		return err_set(err, "this is not a block of a trace");
	}
	r.head = head;
	r.end = (const unsigned char *)head + used;
	r.info = (struct trace_info){ .rank = head->rank,
				      .thread = head->thread,
				      .seq = head->seq,
				      .first = head->point,
				      .last = head->point,
				      .half = !closed };
	r.tables = trace_tables_create(resolver);
	rc = r.tables ? convert(b, &r, err) : err_set(err, "out of memory");
	trace_tables_destroy(r.tables);
	for (unsigned c = 0; c < TRACE_COLS; c++)
		free(r.col[c].data);
	free(r.slot);
	free(r.last);
	free(head);
	return rc;
}
