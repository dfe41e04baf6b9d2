/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader: follows the variables of a rank, and makes a part of each result that is marked.
 */
#include "common/reductions/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/protocol/msg.h"

#define LINKS 32 /* calls of MPI whose result is not marked yet */
#define NOTE_MOST 4096u
#define LINK_BYTES ((uint64_t)REDUCTION_ELEMENTS * 16)

/* What a call of MPI combines, as it was then. */
struct link {
	uint64_t from, to, count, comm;
	unsigned bytes;	     /* of an element */
	unsigned char *data; /* owned; what is combined, NULL: not known */
	uint64_t ndata;
	uint32_t size;
	int root;
	uint32_t rank; /* in the communicator */
	char op[41], type[41];
	struct cell *cell; /* owned, by address */
	size_t n;
};

/* What is the same for all accesses of a slot. */
struct quick {
	uint64_t base;
	struct cell *cell; /* of the last one, at `addr`; NULL: none */
	uint64_t addr;
	uint32_t moves; /* of the table, then */
	uint8_t size;
	bool distributed, heap, write;
};

struct reductions {
	uint32_t rank, ranks;
	struct cell_table cells;
	bool lost;
	struct cell_at at;
	struct cell_recent recent;
	uint64_t heap[4]; /* heap memory that was read last */
	unsigned nheap;
	uint32_t thread; /* of the block */
	const struct trace_block *block;
	struct quick *quick; /* by the block's slots */
	size_t quick_room;
	struct link link[LINKS]; /* the newest at nlink - 1, modulo LINKS */
	size_t nlink;
	struct point point; /* of the last mark, with so many behind it */
	uint32_t marks;
	struct reduction *part; /* that wait */
	size_t npart;
};

struct reductions *reductions_create(uint32_t rank, uint32_t ranks)
{
	struct reductions *e = calloc(1, sizeof(*e));

	if (!e || cell_table_create(&e->cells)) {
		free(e);
		return NULL;
	}
	e->rank = rank;
	e->ranks = ranks;
	e->at.unit = 1;
	return e;
}

/* ---- where the thread is ---- */

static void look(struct reductions *e, const struct trace_frame *frame, unsigned depth)
{
	const struct trace_frame *in = NULL;

	for (unsigned i = 0; i < depth; i++)
		if ((frame[i].kind == CONSTRUCT_PL || frame[i].kind == CONSTRUCT_TASK) &&
		    frame[i].nidx)
			in = &frame[i];
	e->at.iter = in != NULL;
	if (!in)
		return;
	e->at.nidx = in->nidx;
	memcpy(e->at.index, in->index, sizeof(e->at.index));
	e->at.loop_kind = in->kind;
	e->at.loop = in->point;
	/* a task has no number: its region has */
	for (unsigned i = 0; i < depth && in->kind == CONSTRUCT_TASK; i++)
		if (frame[i].kind == CONSTRUCT_TR)
			e->at.loop = frame[i].point;
}

static void move(struct reductions *e, const struct trace_cursor *at)
{
	e->at.unit++;
	e->recent.n = 0;
	look(e, at->frame, at->depth < TRACE_FRAMES ? at->depth : TRACE_FRAMES);
}

/* ---- accesses ---- */

static void keep_recent(struct reductions *e, uint64_t bytes, unsigned size)
{
	if (size != 4 && size != 8)
		return;
	e->recent.value[e->recent.n++ % CELL_RECENT] =
		fold_real(cell_number(CELL_REAL, bytes, size));
}

static bool read_before(const struct reductions *e, uint64_t addr)
{
	for (unsigned i = 0; i < 4; i++)
		if (e->heap[i] == addr)
			return true;
	return false;
}

/* The cell of an access of the main thread; NULL: none. Of the heap only what is read and then
 * written. */
static struct cell *cell_of(struct reductions *e, struct cell *c, uint64_t addr, unsigned size,
			    bool heap, bool write)
{
	if (c && c->size != size)
		cell_begin(c, addr, size);
	if (c || !heap)
		return c ? c : cell_make(&e->cells, addr, size, e->at.opened);
	if (!write)
		e->heap[e->nheap++ % 4] = addr;
	return write && read_before(e, addr) ?
		       cell_make(&e->cells, addr, size, e->at.opened) :
		       NULL;
}

/* c: the cell that is there, NULL: none is. Returns that which is there now. */
static struct cell *take_piece(struct reductions *e, struct cell *c, uint64_t addr, uint64_t bytes,
			       const struct quick *q)
{
	unsigned size = q->size == 16 ? 8 : q->size;

	if (e->thread) {
		c = q->write ? c : NULL;
		if (q->write && !c && !q->heap)
			c = cell_make(&e->cells, addr, size, e->at.opened);
		if (c)
			c->threads = true;
		return c;
	}
	c = cell_of(e, c, addr, size, q->heap, q->write);
	if (c && q->write)
		cell_write(c, bytes, &e->at, &e->recent);
	else if (c)
		cell_read(c, bytes, &e->at);
	return c;
}

/* An access to what is no element of a distributed array. */
static void take_plain(struct reductions *e, struct quick *q, uint64_t at, uint64_t value,
		       uint64_t more)
{
	uint64_t addr = q->base + at;
	bool known;

	if (!q->cell || q->addr != addr || q->moves != e->cells.moves)
		q->cell = cell_find(&e->cells, addr);
	known = q->cell != NULL;
	q->cell = take_piece(e, q->cell, addr, value, q);
	q->addr = addr;
	q->moves = e->cells.moves;
	if (q->size == 16)
		take_piece(e, cell_find(&e->cells, addr + 8), addr + 8, more, q);
	/* what is read again and again is what is changed itself */
	if (!q->write && !e->thread && e->at.iter && !known)
		keep_recent(e, value, q->size == 16 ? 8 : q->size);
}

/* Elements of distributed arrays are no variables of reductions. */
static inline void take_access(struct reductions *e, struct quick *q, uint64_t at, uint64_t value,
			       uint64_t more)
{
	if (!q->distributed)
		take_plain(e, q, at, value, more);
	else if (!q->write && !e->thread && e->at.iter)
		keep_recent(e, value, q->size == 16 ? 8 : q->size);
}

static struct quick quick_of(const struct trace_block *b, uint32_t object, unsigned flags)
{
	const struct trace_object *o = object == TRACE_NOWHERE ? NULL : &b->object[object];

	return (struct quick){ .base = o ? o->desc.addr : 0,
			       .size = flags & TRACE_SIZE,
			       .write = flags & TRACE_WRITES,
			       .heap = o && o->kind == TRACE_HEAP,
			       .distributed = o && o->kind != TRACE_HEAP &&
					      o->desc.kind == ARRAY_DISTRIBUTED };
}

/* ---- calls of MPI ---- */

static int by_address(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Copies of the cells in the memory that is combined. */
static int copy_cells(struct reductions *e, struct link *l, uint64_t from, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i++) {
		struct cell *c = cell_find(&e->cells, from + i), *to;

		if (!c || c->opened > e->at.opened)
			continue;
		to = vec_add(l->cell, l->n);
		if (!to)
			return -1;
		*to = *c;
		/* what was read so far was for this */
		c->fresh = false;
	}
	if (l->n)
		qsort(l->cell, l->n, sizeof(*l->cell), by_address);
	return 0;
}

/* The bytes that the call combines, from the text of its note; NULL: not known, or no memory. */
static unsigned char *get_data(const char *text, uint64_t n)
{
	unsigned char *to = strlen(text) == 2 * n ? malloc(n) : NULL;

	for (uint64_t i = 0; to && i < n; i++) {
		unsigned v;

		if (sscanf(text + 2 * i, "%2x", &v) != 1) {
			free(to);
			return NULL;
		}
		to[i] = (unsigned char)v;
	}
	return to;
}

/* MPI puts its result there: what is there next is an initial value. */
static void cells_anew(struct reductions *e, const struct link *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct cell *c = cell_find(&e->cells, l->cell[i].addr);

		if (c)
			c->anew = true;
	}
}

static int link_make(struct reductions *e, struct link *l, const char *data)
{
	uint64_t bytes = l->count * l->bytes;

	if (l->bytes > 64 || l->count > LINK_BYTES || bytes > LINK_BYTES || !bytes)
		return 0;
	l->data = get_data(data, bytes);
	l->ndata = l->data ? bytes : 0;
	if (copy_cells(e, l, l->from, bytes))
		return -1;
	if (l->from == l->to)
		cells_anew(e, l);
	return 0;
}

static void link_clear(struct link *l)
{
	free(l->cell);
	free(l->data);
	*l = (struct link){ 0 };
}

/* Memory that is allocated again: nothing is known of what is there. */
static void take_memory(struct reductions *e, const char *text)
{
	uint64_t addr, bytes;

	if ((*text == 'M' || *text == 'Z') &&
	    sscanf(text + 1, "%" SCNx64 " %" SCNu64, &addr, &bytes) == 2)
		cell_table_forget(&e->cells, addr, bytes);
}

static int take_note(struct reductions *e, const struct trace_rec *r)
{
	struct link l = { 0 }, *to;
	char text[NOTE_MOST + 1];
	int at = 0;

	if (r->nbytes > NOTE_MOST)
		return 0;
	memcpy(text, r->bytes, r->nbytes);
	text[r->nbytes] = '\0';
	if (r->kind == TRACE_NOTE_CONTROL)
		take_memory(e, text);
	if (r->kind != TRACE_NOTE_REDUCES || e->thread)
		return 0;
	if (sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNu64 " %u %40s %40s %" SCNx64 " %u %u %d %n",
		   &l.from, &l.to, &l.count, &l.bytes, l.op, l.type, &l.comm, &l.size, &l.rank,
		   &l.root, &at) != 10)
		return 0;
	if (link_make(e, &l, text + at)) {
		link_clear(&l);
		return -1;
	}
	to = &e->link[e->nlink++ % LINKS];
	link_clear(to);
	*to = l;
	return 0;
}

static bool is_in(uint64_t at, uint64_t addr, uint64_t n)
{
	return at && at >= addr && at - addr < n;
}

/*
 * The newest call whose result is there, in n bytes from addr on; else one that has combined what
 * is there, whose result the program has copied back; NULL: none.
 */
static struct link *link_find(struct reductions *e, uint64_t addr, uint64_t n)
{
	for (unsigned copied = 0; copied < 2; copied++)
		for (size_t i = 0; i < LINKS && i < e->nlink; i++) {
			struct link *l = &e->link[(e->nlink - 1 - i) % LINKS];

			if (!copied ? is_in(l->to, addr, n)
				    : l->to && l->root < 0 && is_in(l->from, addr, n))
				return l;
		}
	return NULL;
}

/* ---- results ---- */

/* How the bytes of a result are laid out. */
struct form {
	unsigned type, size; /* of the value */
	uint32_t n;	     /* elements */
	uint64_t stride;     /* in memory */
	bool has_place, place_real;
	unsigned place_at, place_size; /* in memory */
	unsigned place_bytes;	       /* in the record */
	unsigned record;	       /* bytes of an element there */
};

static bool is_location(unsigned op)
{
	return op == REDUCTION_MAXLOC || op == REDUCTION_MINLOC;
}

static const struct {
	const char *type;
	uint8_t value, place, at, size;
} pairs[] = { { "MPI_DOUBLE_INT", VALUE_DOUBLE, 4, 8, 16 },
	      { "MPI_FLOAT_INT", VALUE_FLOAT, 4, 4, 8 },
	      { "MPI_2INT", VALUE_INT, 4, 4, 8 },
	      { "MPI_LONG_INT", VALUE_LONG, 4, 8, 16 } };

/* A value and where it is: a structure whose fields are known, two elements, or a type of MPI. */
static bool form_pair(struct form *l, const struct array_desc *a, const struct link *k,
		      uint32_t nbytes)
{
	l->has_place = true;
	l->n = 1;
	if (a->nfield >= 2) {
		l->type = a->field[0].type;
		l->size = (unsigned)value_size(l->type);
		l->place_at = a->field[1].offset - a->field[0].offset;
		l->place_size = l->place_bytes = (unsigned)value_size(a->field[1].type);
		l->record = l->size;
		return (l->size == 4 || l->size == 8) && l->place_size && l->place_size <= 8 &&
		       nbytes >= l->record + l->place_bytes;
	}
	if (a->type < VALUE_TYPES && value_size(a->type) && nbytes == 2 * value_size(a->type)) {
		l->type = a->type;
		l->size = l->place_at = l->place_size = l->place_bytes = l->record =
			(unsigned)value_size(a->type);
		l->place_real = value_class(a->type) == VALUE_IS_REAL;
		return l->size == 4 || l->size == 8;
	}
	for (unsigned i = 0; k && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (strcmp(pairs[i].type, k->type) || nbytes != pairs[i].size)
			continue;
		l->type = pairs[i].value;
		l->size = (unsigned)value_size(l->type);
		l->place_at = l->record = pairs[i].at;
		l->place_size = l->place_bytes = pairs[i].place;
		return true;
	}
	return false;
}

static unsigned form_of(struct form *l, const struct array_desc *a, const struct link *k,
			unsigned op, uint32_t nbytes)
{
	*l = (struct form){ .type = a->type };
	if (!op || op > REDUCTION_OPS)
		return REDUCTION_WHY_OPERATION;
	if (is_location(op))
		return form_pair(l, a, k, nbytes) ? REDUCTION_WHY_DONE : REDUCTION_WHY_TYPE;
	if (a->nfield || a->type >= VALUE_TYPES)
		return REDUCTION_WHY_TYPE;
	/* the sum of complex numbers is that of their halves */
	if (a->type == VALUE_FCOMPLEX || a->type == VALUE_DCOMPLEX) {
		if (op != REDUCTION_SUM)
			return REDUCTION_WHY_TYPE;
		l->type = a->type == VALUE_FCOMPLEX ? VALUE_FLOAT : VALUE_DOUBLE;
	}
	l->size = (unsigned)value_size(l->type);
	if (!l->size || l->size > 8 || nbytes % l->size)
		return REDUCTION_WHY_TYPE;
	if (value_class(l->type) == VALUE_IS_REAL && op > REDUCTION_MIN)
		return REDUCTION_WHY_TYPE;
	l->n = nbytes / l->size;
	l->stride = l->record = l->size;
	return l->n > REDUCTION_ELEMENTS ? REDUCTION_WHY_LARGE : REDUCTION_WHY_DONE;
}

static const struct cell *copy_find(const struct link *k, uint64_t addr)
{
	struct cell key = { .addr = addr };

	return k->n ? bsearch(&key, k->cell, k->n, sizeof(*k->cell), by_address) : NULL;
}

/* What the rank gives of a variable of a value. */
static void element_put(struct reduction_element *x, const struct cell *c, unsigned view)
{
	const struct cell_sums *s = &c->sums[view];

	x->init = cell_number(view, c->first, c->size);
	x->init_same = true;
	x->based = s->based;
	x->against = s->against;
	x->count = c->count;
	x->scale = s->scale;
	for (unsigned op = 1; op <= REDUCTION_FOLDS; op++) {
		x->init_fold[op - 1] =
			s->based & 1u << op ? fold_neutral(view, op)
			: view == CELL_REAL || op < REDUCTION_AND || op >= REDUCTION_BAND
				? x->init
				: x->init != 0;
		x->fold[op - 1] = s->fold[op - 1];
	}
	if (view == CELL_REAL)
		x->scale += fold_real(x->init) < 0 ? -fold_real(x->init) : fold_real(x->init);
}

/* Iterations do something else than they have to, all of them: what that is, and what the declared
 * operation makes of the same values. */
static void element_other_way(struct reduction *r, struct reduction_element *x,
			      const struct cell *c)
{
	static const uint8_t op_of_way[] = { REDUCTION_MAX, REDUCTION_SUM, REDUCTION_PROD };
	const unsigned op = fold_of(r->op);
	enum cell_way own = op == REDUCTION_SUM	   ? CELL_ADD
			    : op == REDUCTION_PROD ? CELL_TIMES
						   : CELL_COPY;

	if (op > REDUCTION_MIN || r->integer || c->ways & 1u << own || !c->iter)
		return;
	for (enum cell_way w = 0; w < CELL_WAYS; w++) {
		if (!(c->ways & 1u << w) || c->hits[w] < 3)
			continue;
		x->fold[op - 1] = fold_bits(c->way[w][op - 1]);
		r->performed = op_of_way[w];
		/* it only falls */
		if (w == CELL_COPY && !c->sums[CELL_REAL].step[1].there)
			r->performed = REDUCTION_MIN;
		return;
	}
}

static void keep_contradiction(struct reduction *r, const struct cell *c, unsigned view)
{
	const unsigned op = fold_of(r->op);
	const struct cell_step *s = &c->sums[view].step[op == REDUCTION_MIN];

	if (r->contradicted || (op != REDUCTION_MAX && op != REDUCTION_MIN) || !s->there)
		return;
	r->contradicted = true;
	r->nidx = s->nidx;
	memcpy(r->index, s->index, sizeof(r->index));
	r->from = s->from;
	r->to = s->to;
}

static unsigned why_cell(const struct reductions *e, const struct cell *c)
{
	return !c		    ? (e->cells.full ? REDUCTION_WHY_LARGE : REDUCTION_WHY_UNSEEN)
	       : c->threads	    ? REDUCTION_WHY_THREADS
	       : c->changed	    ? REDUCTION_WHY_CHANGED
	       : !c->known	    ? REDUCTION_WHY_UNSEEN
	       : e->lost && c->iter ? REDUCTION_WHY_LOST
				    : REDUCTION_WHY_DONE;
}

static uint64_t bytes_at(const unsigned char *p, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, p, size < 8 ? size : 8);
	return v;
}

/*
 * The cell as the call combines it. Compilers keep variables in registers, and what is stored in
 * the end may be unseen: then all that is known is what the rank gives.
 */
static const struct cell *cell_given(const struct link *k, const struct cell *c, uint64_t addr,
				     unsigned size, struct cell *out)
{
	static const struct cell_at nowhere;
	static const struct cell_recent nothing;
	uint64_t at = addr - k->from, bytes;

	if (!k->data || at + size > k->ndata)
		return c;
	bytes = bytes_at(k->data + at, size);
	if (c && c->size == size && c->known && c->now == bytes)
		return c;
	cell_begin(out, addr, size);
	cell_write(out, bytes, &nowhere, &nothing);
	return out;
}

/* Locations are integers, or, beside a real number in Fortran, such a number. */
static uint64_t place_number(const struct reduction *r, const struct form *l, uint64_t bytes)
{
	bool real = l->place_real && !r->integer;
	uint64_t v = cell_number(real ? CELL_REAL : CELL_INT, bytes, l->place_size);

	return real ? (uint64_t)(int64_t)fold_real(v) : v;
}

/* Element i from the cells of the call, or as they are now. */
static void take_element(struct reductions *e, struct reduction *r, const struct form *l,
			 const struct link *k, uint64_t base, uint32_t i,
			 const struct trace_rec *rec)
{
	struct reduction_element *x = &r->element[i];
	enum cell_view view = r->integer ? CELL_INT : CELL_REAL;
	const unsigned char *bytes = rec->bytes + (size_t)i * l->record;
	uint64_t addr = base + i * l->stride;
	struct cell given;
	const struct cell *c = k ? copy_find(k, addr) : cell_find(&e->cells, addr), *p;
	unsigned why;

	c = k ? cell_given(k, c, addr, l->size, &given) : c;
	why = c && c->size != l->size ? REDUCTION_WHY_TYPE : why_cell(e, c);
	r->why = why > r->why ? (uint8_t)why : r->why;
	x->result = cell_number(view, bytes_at(bytes, l->size), l->size);
	x->result_rank = e->rank;
	x->other_rank = TRACE_NO_RANK;
	if (why)
		return;
	element_put(x, c, view);
	element_other_way(r, x, c);
	keep_contradiction(r, c, view);
	r->sets |= c->sets;
	if (c->iter) {
		r->iterates = true;
		r->loop = c->loop;
		r->loop_kind = c->loop_kind;
	}
	if (r->n == 1) {
		r->nparts = 1;
		r->part[0].rank = e->rank;
		r->part[0].value = cell_number(view, c->now, c->size);
	}
	if (!l->has_place)
		return;
	x->result_place = place_number(r, l, bytes_at(bytes + l->record, l->place_bytes));
	p = k ? copy_find(k, addr + l->place_at) : cell_find(&e->cells, addr + l->place_at);
	p = k ? cell_given(k, p, addr + l->place_at, l->place_size, &given) : p;
	if (!p || !p->known) {
		r->why = REDUCTION_WHY_UNSEEN;
		return;
	}
	x->nplace = 1;
	x->place[0] = place_number(r, l, p->now);
}

static int take_elements(struct reductions *e, struct reduction *r, const struct form *l,
			 const struct link *k, uint64_t base, const struct trace_rec *rec)
{
	r->element = calloc(l->n, sizeof(*r->element));
	if (!r->element)
		return -1;
	r->n = l->n;
	r->type = (uint8_t)l->type;
	r->integer = value_class(l->type) != VALUE_IS_REAL;
	for (uint32_t i = 0; i < l->n; i++)
		take_element(e, r, l, k, base, i, rec);
	return 0;
}

/* Who takes part, and where the mark is. */
static int take_head(struct reductions *e, struct reduction *r, const struct link *k,
		     const struct trace_rec *rec)
{
	const struct trace_object *o = &e->block->object[rec->object];
	struct trace_spot spot = { 0 };

	inspect_spot(&spot, e->block, rec->site, rec->place);
	if (point_sort(&e->point, &rec->point))
		e->marks = 0;
	e->point = r->point = rec->point;
	r->ordinal = e->marks++;
	r->comm = k ? k->comm : 0;
	r->size = k ? k->size : e->ranks;
	r->ranks = 1;
	r->rank = e->rank;
	r->op = rec->kind <= REDUCTION_OPS ? rec->kind : 0;
	r->type = VALUE_TYPES;
	/* of several dimensions: as they lie in memory */
	r->order = o->desc.order;
	r->lower = o->desc.ndim == 1 ? o->desc.lower[0] : o->desc.order == 'F';
	r->name = strdup(o->desc.name ? o->desc.name : "");
	r->mpi_op = strdup(k && strcmp(k->op, "?") ? k->op : "");
	r->place = (struct place){ .file = strdup(spot.place.file ? spot.place.file : ""),
				   .func = strdup(spot.place.func ? spot.place.func : ""),
				   .module = strdup(spot.place.module ? spot.place.module : ""),
				   .line = spot.place.line,
				   .vaddr = spot.place.vaddr };
	if (spot.nbuild_id && (r->build_id = malloc(spot.nbuild_id))) {
		memcpy(r->build_id, spot.build_id, spot.nbuild_id);
		r->nbuild_id = spot.nbuild_id;
	}
	return r->name && r->mpi_op && r->place.file && r->place.func && r->place.module ? 0 : -1;
}

static int take_result(struct reductions *e, const struct trace_rec *rec)
{
	struct reduction *r;
	const struct trace_object *o;
	struct link *k;
	struct form l;
	uint64_t most;
	int rc;

	if (e->thread || rec->object == TRACE_NOWHERE || !rec->nbytes)
		return 0;
	r = vec_add(e->part, e->npart);
	if (!r)
		return -1;
	*r = (struct reduction){ 0 };
	o = &e->block->object[rec->object];
	most = rec->nbytes;
	for (unsigned d = 0; d < o->desc.ndim && most < LINK_BYTES; d++)
		most = o->desc.elem_size * (uint64_t)o->desc.extent[d] > most
			       ? o->desc.elem_size * (uint64_t)o->desc.extent[d]
			       : most;
	k = link_find(e, o->desc.addr, most);
	rc = take_head(e, r, k, rec);
	r->why = (uint8_t)form_of(&l, &o->desc, k, rec->kind, rec->nbytes);
	/* only the root has it */
	if (!rc && !r->why && k && k->root >= 0 && (uint32_t)k->root != k->rank)
		r->why = REDUCTION_WHY_DONE;
	if (!rc && !r->why && !k && e->ranks > 1)
		r->why = REDUCTION_WHY_LINK;
	if (!rc && !r->why)
		rc = take_elements(e, r, &l, k, k ? k->from : o->desc.addr, rec);
	for (uint32_t i = 0; k && k->root >= 0 && (uint32_t)k->root != k->rank && i < r->n; i++)
		r->element[i].result_rank = TRACE_NO_RANK;
	if (k)
		k->to = 0;
	return rc;
}

/* ---- the reader ---- */

static void engine_destroy(void *self)
{
	struct reductions *e = self;

	for (unsigned i = 0; i < LINKS; i++)
		link_clear(&e->link[i]);
	for (size_t i = 0; i < e->npart; i++)
		reduction_clear(&e->part[i]);
	free(e->part);
	free(e->quick);
	cell_table_clear(&e->cells);
	free(e);
}

static int engine_block(void *self, struct trace_block *b, struct err *err)
{
	struct reductions *e = self;

	if (vec_room(e->quick, e->quick_room, b->nslot + 1))
		return err_set(err, "out of memory");
	for (uint32_t i = 0; i < b->nslot; i++)
		e->quick[i] = quick_of(b, b->slot[i].object, b->slot[i].flags);
	e->block = b;
	e->thread = b->info.thread;
	if (!e->thread)
		look(e, b->frame, b->nframe);
	return 0;
}

static int engine_record(void *self, const struct trace_rec *r, const struct trace_cursor *at,
			 struct err *err)
{
	struct reductions *e = self;
	struct quick one;
	int rc = 0;

	switch (r->op) {
	case TRACE_READ:
	case TRACE_WRITE:
		one = quick_of(e->block, r->object,
			       r->size | (r->op == TRACE_WRITE ? TRACE_WRITES : 0));
		take_access(e, &one, r->at, r->value[0], r->value[1]);
		break;
	case TRACE_BEGIN:
		if (!e->thread)
			e->at.opened += r->kind == CONSTRUCT_PL || r->kind == CONSTRUCT_TR;
		/* fall through */
	case TRACE_END:
	case TRACE_ITER:
		if (!e->thread)
			move(e, at);
		break;
	case TRACE_LOST:
		e->lost = true;
		break;
	case TRACE_NOTE:
		rc = take_note(e, r);
		break;
	case TRACE_REDUCTION:
		rc = take_result(e, r);
		break;
	}
	return rc ? err_set(err, "out of memory") : 0;
}

/* An iteration of the construct that is innermost. */
static void take_iteration(struct reductions *e, const struct trace_batch *s,
			   const struct trace_batch_item *step, struct trace_cursor *at)
{
	if (at->depth && at->depth <= TRACE_FRAMES && step->nidx &&
	    at->frame[at->depth - 1].kind == CONSTRUCT_PL) {
		e->at.unit++;
		e->recent.n = 0;
		e->at.iter = true;
		e->at.nidx = (uint8_t)step->nidx;
		memcpy(e->at.index, &s->index[step->at], step->nidx * sizeof(e->at.index[0]));
		e->at.loop_kind = CONSTRUCT_PL;
		e->at.loop = at->frame[at->depth - 1].point;
		return;
	}
	trace_batch_enter(at, s, step);
	move(e, at);
}

static int engine_steps(void *self, const struct trace_batch *s, struct trace_cursor *at,
			struct err *err)
{
	struct reductions *e = self;

	(void)err;
	for (unsigned i = 0; i < s->n; i++) {
		const struct trace_batch_item *step = &s->step[i];

		if (step->slot != TRACE_NONE)
			take_access(e, &e->quick[step->slot], step->at, step->value, s->more[i]);
		else if (!e->thread)
			take_iteration(e, s, step, at);
	}
	return 0;
}

static bool engine_part(void *self, unsigned *kind, struct buf *out)
{
	struct reductions *e = self;

	if (!e->npart)
		return false;
	*kind = EVENT_REDUCED;
	reduction_put(&e->part[0], out);
	reduction_clear(&e->part[0]);
	memmove(&e->part[0], &e->part[1], (e->npart - 1) * sizeof(e->part[0]));
	e->npart--;
	return true;
}

const struct stream_class reductions_reader = { .name = "reductions",
						.block = engine_block,
						.record = engine_record,
						.steps = engine_steps,
						.part = engine_part,
						.destroy = engine_destroy };
