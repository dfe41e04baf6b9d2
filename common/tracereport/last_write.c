/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracereport/tracereport.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/traceindex/traceindex.h"
#include "common/array/value.h"

/* The search in one file, backwards. */
struct back {
	size_t next; /* blocks that are left */
	bool found;
	struct trace_finding f; /* texts are in block, before and named */
	struct trace_block *block, *before;
	/* the last block so far, backwards, in which the object is: what it is, and its address */
	struct trace_block *named;
	uint32_t object;
	/* of memory that has moved among names, as pointers are swapped: where the element's is
	 * at the end of the search; has_moved: when that has been found out, whether it has */
	struct trace_moves moves;
	bool asked, has_moved;
	uint64_t memory;
};

struct search {
	const struct trace_last *w;
	struct trace_index *ref;
	struct back *back; /* one a file */
	bool known;
	bool any;
	struct point best;
	uint64_t done, total;
};

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct array_field *field_of(const struct trace_last *w, const struct array_desc *a)
{
	for (uint32_t i = 0; i < a->nfield; i++)
		if (!strcmp(a->field[i].name, w->field) && w->nth <= a->field[i].count)
			return &a->field[i];
	return NULL;
}

/* "re" or "im" of complex numbers. */
static bool is_half(const struct trace_last *w, const struct array_desc *a)
{
	return (a->type == VALUE_FCOMPLEX || a->type == VALUE_DCOMPLEX) &&
	       (!strcmp(w->field, "re") || !strcmp(w->field, "im"));
}

/* A single variable that one rank owns: an array of one element, which has no index when it is asked
 * for. */
static bool is_single(const struct trace_last *w, const struct array_desc *a)
{
	return !w->ndim && a->ndim == 1 && a->extent[0] == 1;
}

static int64_t index_of(const struct trace_last *w, const struct array_desc *a, unsigned d)
{
	return is_single(w, a) ? a->lower[d] : w->index[d];
}

static bool is_it(const struct trace_last *w, const struct trace_object *o)
{
	const struct array_desc *a = &o->desc;

	if (w->field && !field_of(w, a) && !is_half(w, a))
		return false;
	return o->kind != TRACE_HEAP && array_is_named(a, w->name) &&
	       (a->ndim == w->ndim || is_single(w, a)) &&
	       (!w->file || !strcmp(base(a->file), base(w->file))) &&
	       (!w->line || a->line == w->line) &&
	       (w->counter == UINT32_MAX || a->counter == w->counter);
}

/* The local position in dimension d, -1: it is another rank's. */
static int64_t local_of(const struct trace_last *w, const struct array_desc *a, unsigned d)
{
	int64_t g = index_of(w, a, d), k = array_local(a, d, g);

	if (k >= 0 || !w->halo || a->list[d] || g < a->own_lo[d] - a->halo_lo[d] ||
	    g > a->own_hi[d] + a->halo_hi[d])
		return k;
	return g - a->own_lo[d] + a->halo_lo[d];
}

/* Where the element is on this rank; false: it is another one's. */
static bool place_of(const struct trace_last *w, const struct array_desc *a, uint64_t *at)
{
	uint64_t n = 0;

	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t k = local_of(w, a, d);

		if (k < 0 || !a->stride[d])
			return false;
		/* one that is turned round is counted from the other end */
		if (a->stride[d] < 0)
			n -= (trace_desc_length(a, d) - 1) * (uint64_t)a->stride[d];
		n += (uint64_t)k * (uint64_t)a->stride[d];
	}
	*at = n * a->elem_size;
	return true;
}

/* Where the variable that nobody registered is in the block's process; false: not known there. */
static bool address_of(struct search *s, const struct trace_block *b, uint64_t *at)
{
	for (uint32_t i = 0; i < b->nmodule; i++) {
		const struct trace_module *m = &b->module[i];

		if (strcmp(m->path, s->w->module) != 0 || s->w->vaddr < m->lo ||
		    s->w->vaddr >= m->hi)
			continue;
		*at = m->load + s->w->vaddr;
		s->known = true;
		return true;
	}
	return false;
}

/* The objects of a block that are it, and where the element is; at: UINT64_MAX elsewhere. *any: one
 * that has it. */
static uint64_t *places(struct search *s, const struct trace_block *b, uint32_t *any)
{
	uint64_t *at = malloc((b->nobject ? b->nobject : 1) * sizeof(*at));

	*any = UINT32_MAX;
	for (uint32_t i = 0; at && i < b->nobject; i++) {
		at[i] = UINT64_MAX;
		if (s->w->module || !is_it(s->w, &b->object[i]))
			continue;
		s->known = true;
		if (place_of(s->w, &b->object[i].desc, &at[i]))
			*any = i;
	}
	return at;
}

/* The bytes of the element, or of the field that is meant. */
struct bytes {
	uint64_t first, n;
};

static struct bytes bytes_of(const struct trace_last *w, const struct array_desc *a, uint64_t at)
{
	const struct array_field *f = w->field ? field_of(w, a) : NULL;
	size_t size = f ? value_size(f->type) : 0;

	if (w->field && is_half(w, a)) {
		size = value_size(a->type) / 2;
		return (struct bytes){ at + (strcmp(w->field, "im") ? 0 : size), size };
	}
	if (f && w->nth)
		return (struct bytes){ at + f->offset + (w->nth - 1) * size, size };
	if (f)
		return (struct bytes){ at + f->offset, f->count * size };
	return (struct bytes){ at + (w->size ? w->offset : 0), w->size ? w->size : a->elem_size };
}

static bool meets(const struct bytes *x, uint64_t at, unsigned size)
{
	return at + size > x->first && at < x->first + x->n;
}

static bool counts(const struct trace_last *w, const struct trace_rec *r)
{
	return !w->before.main || point_compare(&r->point, &w->before) == POINT_BEFORE;
}

/* The search in one block. */
struct within {
	const struct trace_last *w;
	const struct trace_block *b;
	const uint64_t *at;	       /* of its objects */
	const struct array_desc *desc; /* the object, as it is known; NULL: it is not */
	uint64_t element;	       /* … and where the element is */
	struct bytes bytes;	       /* as addresses */
	uint64_t *addr; /* owned: of the objects, by then; NULL: their names are enough */
	uint64_t base;	/* where the object is at the end of the search */
	bool later;		       /* the object is in a later block */
	/* what was found; maybe: when the object comes after it, for memory that is registered
	 * later on has no name before */
	struct trace_rec last, maybe;
	uint32_t rec, maybe_rec; /* UINT32_MAX: none */
};

/* The block begins where writes count. */
static bool begins_before(const struct trace_last *w, const struct trace_info *x)
{
	return !w->before.main || point_compare(&x->first, &w->before) == POINT_BEFORE;
}

/* The address that a record of memory without a name is about; false: it has one. */
static bool nameless(const struct trace_block *b, const struct trace_rec *r, uint64_t *addr)
{
	*addr = r->at;
	if (r->object == TRACE_NOWHERE)
		return true;
	if (r->object >= b->nobject || b->object[r->object].kind != TRACE_HEAP)
		return false;
	*addr += b->object[r->object].desc.addr;
	return true;
}

static bool is_named(const struct within *x, const struct trace_rec *r)
{
	switch (r->op) {
	case TRACE_READ:
	case TRACE_WRITE:
	case TRACE_VALUE:
	case TRACE_REDUCTION:
		return r->object < x->b->nobject && x->at[r->object] != UINT64_MAX;
	default:
		return false;
	}
}

static void confirm(struct within *x)
{
	if (x->maybe_rec == UINT32_MAX)
		return;
	x->last = x->maybe;
	x->rec = x->maybe_rec;
	x->maybe_rec = UINT32_MAX;
}

/* By its address, whatever name the memory had then. */
static void look_at_memory(struct within *x, const struct trace_rec *r, uint32_t rec)
{
	uint64_t addr;

	trace_move_take(x->b, r, x->addr);
	if (r->op != TRACE_WRITE || !counts(x->w, r))
		return;
	if (!nameless(x->b, r, &addr)) {
		if (r->object >= x->b->nobject)
			return;
		addr = x->addr[r->object] + r->at;
	}
	if (!meets(&x->bytes, addr, r->size))
		return;
	x->last = *r;
	x->last.object = TRACE_NOWHERE;
	x->last.at = addr - x->bytes.first + bytes_of(x->w, x->desc, x->element).first;
	x->rec = rec;
}

static void look_at(struct within *x, const struct trace_rec *r, uint32_t rec)
{
	struct bytes own;
	uint64_t addr;

	if (x->addr) {
		look_at_memory(x, r, rec);
		return;
	}
	if (x->w->module) {
		if (r->op == TRACE_WRITE && r->object == TRACE_NOWHERE &&
		    meets(&x->bytes, r->at, r->size) && counts(x->w, r)) {
			x->last = *r;
			x->rec = rec;
		}
		return;
	}
	if (is_named(x, r)) {
		confirm(x);
		own = bytes_of(x->w, &x->b->object[r->object].desc, x->at[r->object]);
		if (r->op == TRACE_WRITE && meets(&own, r->at, r->size) && counts(x->w, r)) {
			x->last = *r;
			x->rec = rec;
		}
	} else if (r->op == TRACE_WRITE && x->desc && nameless(x->b, r, &addr) &&
		   meets(&x->bytes, addr, r->size) && counts(x->w, r)) {
		x->maybe = *r;
		x->maybe.at = addr - x->desc->addr;
		x->maybe_rec = rec;
	}
}

/* 0, -1 no memory. */
static int look_through(struct within *x)
{
	struct trace_cursor *c = trace_cursor_open(x->b);
	struct trace_rec *r = calloc(1, sizeof(*r));

	x->rec = x->maybe_rec = UINT32_MAX;
	if (x->desc) {
		x->bytes = bytes_of(x->w, x->desc, x->element);
		x->bytes.first += x->addr ? x->base : x->desc->addr;
	} else if (x->w->module) {
		x->bytes = (struct bytes){ x->element, x->w->size };
	}
	while (c && r && trace_block_next(c, r) == 1)
		look_at(x, r, (uint32_t)(c->record - 1));
	if (x->later)
		confirm(x);
	trace_cursor_free(c);
	free(r);
	return c && r ? 0 : -1;
}

/* Of what was found in a block. */
static int take(struct search *s, uint32_t file, const struct within *x)
{
	const struct trace_rec *r = &x->last;
	bool named = r->object < x->b->nobject && x->at[r->object] != UINT64_MAX;
	const struct array_desc *a = named ? &x->b->object[r->object].desc : x->desc;
	uint64_t at = named ? x->at[r->object] : x->element;
	const struct trace_tolerance tol = { 0 };
	struct inspect *look = calloc(2, sizeof(*look));
	struct inspect_at at_rec = { .block = x->b, .rec = x->rec };
	struct back *k = &s->back[file];
	struct trace_finding *f = &k->f;

	if (!look)
		return -1;
	*f = (struct trace_finding){ .kind = FINDING_VALUE,
				     .count = 1,
				     .point = r->point,
				     .rank = s->ref->file[file].rank,
				     .ref_rank = TRACE_NO_RANK,
				     .write = true };
	/* in the order of time, as well as it is known; in the reference that of other findings */
	f->order[0] = (int64_t)k->next;
	f->order[1] = x->rec;
	inspect_look(look, &at_rec, false);
	if (inspect_wants_before(look))
		at_rec.before = k->before = ref_block_adjacent(s->ref, file, k->next, -1);
	if (k->before) {
		memset(look, 0, sizeof(*look));
		inspect_look(look, &at_rec, false);
	}
	inspect_from(f, look, look + 1, true, &tol);
	f->value.size = r->size > 8 ? 8 : r->size;
	if (a) {
		uint32_t offset = (uint32_t)(r->at > at ? r->at - at : 0);

		inspect_array(a, offset, &f->thing);
		inspect_half(a, r->size, &f->thing);
		for (unsigned d = 0; d < a->ndim; d++)
			f->thing.index[d] = index_of(s->w, a, d);
		f->value.type = (uint8_t)object_id_desc_type(a, offset, f->value.size);
	} else {
		f->thing.what = TRACE_WHAT_ADDRESS;
		f->thing.within = r->at;
		f->value.type = VALUE_TYPES;
	}
	f->value.has_now = true;
	f->value.now = r->value[0];
	free(look);
	k->found = true;
	if (!s->any || point_sort(&f->point, &s->best) > 0)
		s->best = f->point;
	s->any = true;
	return 0;
}

/* The addresses of the block's objects at its beginning; NULL: no memory. */
static uint64_t *addresses(struct search *s, uint32_t file, const struct trace_block *b, size_t at)
{
	uint64_t *addr = malloc((b->nobject + 1) * sizeof(*addr));

	for (uint32_t i = 0; addr && i < b->nobject; i++)
		addr[i] = trace_moves_before(&s->back[file].moves, s->ref, file, at, &b->object[i]);
	return addr;
}

/* Where the object is when the search begins, and whether it has moved before. 0, -1 no memory. */
static int find_memory(struct search *s, uint32_t file, const struct trace_block *b,
		       const struct trace_object *o)
{
	struct back *k = &s->back[file];
	struct trace_cursor *c = trace_cursor_open(b);
	struct trace_rec *r = calloc(1, sizeof(*r));
	uint32_t version;
	uint64_t addr;

	k->memory = trace_moves_before(&k->moves, s->ref, file, k->next, o);
	k->has_moved = k->memory != o->desc.addr;
	while (c && r && trace_block_next(c, r) == 1 && counts(s->w, r))
		if (trace_move_is(r, &version, &addr) && version == o->version) {
			k->memory = addr;
			k->has_moved = true;
		}
	k->asked = true;
	trace_cursor_free(c);
	free(r);
	return c && r ? 0 : -1;
}

/* Looks through a block; 0, -1 no memory. Takes b over. */
static int search_block(struct search *s, uint32_t file, struct trace_block *b)
{
	struct back *k = &s->back[file];
	struct within *x = calloc(1, sizeof(*x));
	uint32_t any;
	uint64_t *at = places(s, b, &any);
	int rc = x && at ? 0 : -1;

	if (!rc) {
		*x = (struct within){ .w = s->w, .b = b, .at = at, .later = k->named != NULL };
		if (any != UINT32_MAX)
			x->desc = &b->object[any].desc;
		else if (k->named)
			x->desc = &k->named->object[k->object].desc;
		x->rec = UINT32_MAX;
		if (x->desc && !k->asked && begins_before(s->w, ref_info(s->ref, file, k->next)))
			rc = find_memory(s, file, b,
					 any != UINT32_MAX ? &b->object[any]
							   : &k->named->object[k->object]);
		if (!rc && x->desc && k->has_moved) {
			x->base = k->memory;
			x->addr = addresses(s, file, b, k->next);
			rc = x->addr ? 0 : -1;
		}
		if (!rc && (s->w->module ? address_of(s, b, &x->element)
					 : x->desc && place_of(s->w, x->desc, &x->element)))
			rc = look_through(x);
		if (!rc && x->rec != UINT32_MAX)
			rc = take(s, file, x);
		free(x->addr);
	}
	free(x);
	free(at);
	if (k->found)
		k->block = b;
	if (any != UINT32_MAX && !k->found) {
		trace_block_free(k->named);
		k->named = b;
		k->object = any;
	} else if (!k->found) {
		trace_block_free(b);
	}
	return rc;
}

/* Whether the block can have a write that counts, or is the first that names the object. */
static bool may(const struct search *s, const struct back *k, const struct trace_info *x)
{
	if (!k->named && !s->w->module)
		return true;
	if (!x->count[TRACE_WRITE])
		return false;
	return begins_before(s->w, x);
}

/* The file whose next block, backwards, is the latest; files: none can have anything later. */
static uint32_t latest(const struct search *s)
{
	uint32_t best = s->ref->files;

	for (uint32_t f = 0; f < s->ref->files; f++) {
		const struct back *k = &s->back[f];
		const struct point *end;

		if (k->found || !k->next ||
		    (s->w->rank != TRACE_NO_RANK && s->ref->file[f].rank != s->w->rank))
			continue;
		end = &ref_info(s->ref, f, k->next - 1)->last;
		if (s->any && point_sort(end, &s->best) < 0)
			continue;
		if (best == s->ref->files ||
		    point_sort(end, &ref_info(s->ref, best, s->back[best].next - 1)->last) > 0)
			best = f;
	}
	return best;
}

/* 0, -1 with err, -2 given up. */
static int search(struct search *s, struct err *err)
{
	uint32_t f;

	while ((f = latest(s)) < s->ref->files) {
		size_t at = --s->back[f].next;
		struct trace_block *b;

		s->done++;
		if (!may(s, &s->back[f], ref_info(s->ref, f, at)))
			continue;
		if (s->w->progress && s->w->progress(s->w->arg, s->done, s->total))
			return -2;
		b = trace_reader_block(s->ref->file[f].map, at, err);
		if (!b)
			return -1;
		if (search_block(s, f, b))
			return err_set(err, "out of memory");
	}
	return 0;
}

int trace_last_write(struct trace_index *r, const struct trace_last *w, struct trace_findings *out,
		     bool *known, struct err *err)
{
	struct search s = { .w = w, .ref = r };
	int rc, n = 0;

	s.back = calloc(r->files, sizeof(*s.back));
	if (!s.back)
		return err_set(err, "out of memory");
	for (uint32_t f = 0; f < r->files; f++) {
		s.back[f].next = r->file[f].n;
		s.total += r->file[f].n;
	}
	rc = search(&s, err);
	for (uint32_t f = 0; f < r->files; f++) {
		struct back *k = &s.back[f];

		if (!rc && k->found && !point_sort(&k->f.point, &s.best)) {
			if (trace_findings_add(out, &k->f))
				rc = err_set(err, "out of memory");
			n++;
		}
		trace_block_free(k->block);
		trace_block_free(k->before);
		trace_block_free(k->named);
		trace_moves_clear(&k->moves);
	}
	free(s.back);
	if (known)
		*known = s.known;
	return rc ? rc : n;
}
