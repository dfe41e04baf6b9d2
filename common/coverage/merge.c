/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who has the covers of all ranks finds what none of them has executed.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/coverage/coverage.h"
#include "common/logical/construct.h"
#include "common/traceindex/traceindex.h"
#include "common/tracereport/tracereport.h"

struct covers {
	struct trace_index *ref; /* borrowed */
	uint32_t ranks;
	struct cover *item; /* owned */
	size_t n;
	struct ownership owners;
};

struct covers *covers_create(struct trace_index *ref, uint32_t ranks)
{
	struct covers *s = calloc(1, sizeof(*s));

	if (s) {
		s->ref = ref;
		s->ranks = ranks;
	}
	return s;
}

void covers_destroy(struct covers *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		cover_clear(&s->item[i]);
	ownership_clear(&s->owners);
	free(s->item);
	free(s);
}

/* ---- what is missing ---- */

/* Of the reference, and where it was seen first. */
struct missing {
	struct index_set *set; /* owned */
	bool any;
	uint32_t file;
	uint8_t nidx;
	int64_t index[ARRAY_DIMS], order[ARRAY_DIMS];
	uint64_t key; /* of an element that it works on; UINT64_MAX: not known */
};

static bool earlier(const int64_t *a, const int64_t *b)
{
	for (unsigned i = 0; i < ARRAY_DIMS; i++)
		if (a[i] != b[i])
			return a[i] < b[i];
	return false;
}

/* The element that the scope writes first; one that it reads when it writes none. */
static uint64_t works_on(const struct ref_parts *p)
{
	const struct trace_acc *a = &p->seg->s.acc[p->scope->acc];
	uint32_t n = p->scope->nacc;

	for (uint32_t i = 0; i < n; i++)
		if (a[i].flags & TRACE_ACC_WRITE)
			return a[i].key;
	return n ? a[0].key : UINT64_MAX;
}

static void missing_add(struct missing *m, struct trace_index *r, const struct ref_parts *p)
{
	const struct trace_scope *s = p->scope;
	const int64_t *index = &p->seg->s.index[s->index];
	int64_t order[ARRAY_DIMS];

	if (!m->set)
		m->set = index_set_create(s->nidx);
	if (!m->set || index_set_dims(m->set) != s->nidx)
		return;
	index_set_add(m->set, index);
	trace_index_sort_key(r, &p->at, p->seg, order);
	if (m->any && !earlier(order, m->order))
		return;
	m->any = true;
	m->file = p->at.file;
	m->nidx = s->nidx;
	memcpy(m->index, index, s->nidx * sizeof(*index));
	memcpy(m->order, order, sizeof(order));
	m->key = works_on(p);
}

/* Who owns what it works on would have to do it. */
static uint32_t rank_of(const struct covers *s, const struct missing *m)
{
	const struct object_id *o;
	int64_t index[ARRAY_DIMS];
	uint32_t within;

	if (m->key == UINT64_MAX)
		return TRACE_NO_RANK;
	o = object_id_get(s->ref->idents, (unsigned)(m->key >> TRACE_KEY_BITS));
	object_id_index(o, m->key & TRACE_KEY_MASK, index, &within);
	return ownership_find(&s->owners, o->desc.name, o->desc.counter, o->desc.ndim, index);
}

static void look_for(struct trace_index *r, const struct cover *c, struct missing *m)
{
	struct ref_parts p;

	for (uint32_t f = 0; f < r->files; f++) {
		ref_parts_whole(&p, r, f, &c->point);
		while (ref_parts_next(&p)) {
			const struct trace_scope *s = p.scope;

			if (s->kind == TRACE_SCOPE_BODY || s->flags & TRACE_SCOPE_CONT || !s->nidx)
				continue;
			if (c->iterations && index_set_dims(c->iterations) == s->nidx &&
			    index_set_has(c->iterations, &p.seg->s.index[s->index]))
				continue;
			missing_add(m, r, &p);
		}
	}
}

static void finding_init(struct trace_finding *f, const struct cover *c, unsigned kind)
{
	*f = (struct trace_finding){ .kind = (uint8_t)kind,
				     .count = 1,
				     .point = c->point,
				     .rank = TRACE_NO_RANK,
				     .ref_rank = TRACE_NO_RANK,
				     .nframe = 1 };
	f->spot.place = c->place;
	f->frame[0] =
		(struct report_frame){ .kind = c->kind, .point = c->point, .place = c->place };
}

static int check_iterations(struct covers *s, const struct cover *c, struct trace_findings *out)
{
	uint64_t have = c->iterations ? index_set_count(c->iterations) : 0;
	struct missing m = { 0 };
	struct trace_finding f;
	int rc = 0;

	if (!c->heard || (c->iterations && index_set_lost(c->iterations)))
		return 0;
	if (!c->extra && c->ref_files == s->ref->files && c->ref_count == have)
		return 0;
	look_for(s->ref, c, &m);
	if (m.any && !index_set_lost(m.set)) {
		finding_init(&f, c, FINDING_MISSING);
		f.rank = rank_of(s, &m);
		f.ref_rank = s->ref->file[m.file].rank;
		f.nidx = m.nidx;
		f.missing = index_set_count(m.set);
		memcpy(f.index, m.index, sizeof(f.index));
		memcpy(f.order, m.order, sizeof(m.order));
		rc = trace_findings_add(out, &f);
	}
	index_set_destroy(m.set);
	return rc;
}

/* The key of the element in the reference; UINT64_MAX: the object is not known by now. */
static uint64_t key_of(const struct trace_index *r, const struct cover_item *item,
		       const int64_t *index)
{
	for (unsigned i = 0; i < object_id_count(r->idents); i++) {
		const struct object_id *o = object_id_get(r->idents, i);

		if (o->in_ref && o->desc.ndim == item->ndim && o->desc.counter == item->counter &&
		    !strcmp(o->desc.name, item->name))
			return (object_id_byte(o, index) & TRACE_KEY_MASK) |
			       (uint64_t)i << TRACE_KEY_BITS;
	}
	return UINT64_MAX;
}

/* The write that was found, into ref_spot and the value. */
static void report_write(struct trace_index *r, const struct ref_at *at, const struct trace_acc *a,
			 struct trace_finding *f, struct trace_block **block)
{
	const struct object_id *o = object_id_get(r->idents, (unsigned)(a->key >> TRACE_KEY_BITS));
	const struct trace_tolerance tol = { 0 };
	struct inspect *look = calloc(2, sizeof(*look));

	f->ref_rank = r->file[at->file].rank;
	f->value.type = o->unit_type < VALUE_TYPES ? o->unit_type : VALUE_TYPES;
	f->value.size = a->size;
	f->value.has_ref = true;
	f->value.ref = a->value;
	if (ref_in_line(r)) {
		f->order[0] = (int64_t)at->block;
		f->order[1] = a->rec;
	}
	*block = ref_block_load(r, at->file, at->block);
	if (look && *block) {
		inspect_look(look, &(struct inspect_at){ .block = *block, .rec = a->rec }, false);
		inspect_from(f, look + 1, look, false, &tol);
	}
	if (!look || look->failed)
		trace_index_note_no_memory(r);
	free(look);
}

/* Looks for the first write of the element, or, when this run has some, the last; *block stays for
 * the texts. */
static void look_at(struct trace_index *r, const struct cover *c, const struct cover_item *item,
		    struct trace_finding *f, struct trace_block **block)
{
	const unsigned wanted = TRACE_ACC_WRITE | TRACE_ACC_OWN;
	struct trace_acc found = { 0 };
	struct ref_at at = { 0 };
	struct ref_parts p;
	bool any = false;

	for (uint32_t file = 0; !any && file < r->files; file++) {
		ref_parts_whole(&p, r, file, &c->point);
		while ((!any || f->fewer) && ref_parts_next(&p)) {
			/* objects become known by and by */
			uint64_t key = key_of(r, item, f->thing.index);

			for (uint32_t i = 0; i < p.scope->nacc && (!any || f->fewer); i++) {
				const struct trace_acc *a = &p.seg->s.acc[p.scope->acc + i];

				if (a->key != key || (a->flags & wanted) != wanted)
					continue;
				any = true;
				at = p.at;
				found = *a;
			}
		}
		ref_parts_end(&p);
	}
	if (any)
		report_write(r, &at, &found, f, block);
}

static int check_item(struct covers *s, const struct cover *c, const struct cover_item *item,
		      struct trace_findings *out)
{
	struct trace_thing *t;
	struct trace_finding f;
	struct trace_block *block = NULL;
	int64_t run[ARRAY_DIMS];
	int rc;

	index_set_remove(item->unwritten, item->written);
	if (index_set_lost(item->unwritten) || !index_set_first(item->unwritten, run))
		return 0;
	finding_init(&f, c, FINDING_UNWRITTEN);
	f.write = true;
	f.missing = index_set_count(item->unwritten);
	f.fewer = index_set_has(item->fewer, run);
	t = &f.thing;
	*t = (struct trace_thing){ .what = TRACE_WHAT_ARRAY,
				   .order = item->order,
				   .ndim = item->ndim,
				   .name = item->name,
				   .file = item->file,
				   .line = item->line,
				   .counter = item->counter };
	for (unsigned d = 0; d < item->ndim; d++) {
		t->index[d] = run[item->order == 'F' ? item->ndim - 1 - d : d];
		f.order[d] = run[d];
	}
	f.rank = ownership_find(&s->owners, item->name, item->counter, item->ndim, t->index);
	look_at(s->ref, c, item, &f, &block);
	rc = trace_findings_add(out, &f);
	trace_block_free(block);
	return rc;
}

/* ---- collecting ---- */

static int check(struct covers *s, struct cover *c, struct trace_findings *out)
{
	if (c->partial)
		return 0;
	if (check_iterations(s, c, out))
		return -1;
	for (size_t i = 0; i < c->nitem; i++)
		if (check_item(s, c, &c->item[i], out))
			return -1;
	return 0;
}

static struct cover *item_of(struct covers *s, const struct point *p)
{
	for (size_t i = 0; i < s->n; i++)
		if (ref_same(&s->item[i].point, p))
			return &s->item[i];
	return vec_add(s->item, s->n);
}

/* All ranks have passed the construct: it is judged, and loops in its tasks. */
static int complete(struct covers *s, uint32_t main, struct trace_findings *out)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct cover *c = &s->item[i];

		if (c->point.main != main) {
			s->item[kept++] = *c;
			continue;
		}
		if (!rc)
			rc = check(s, c, out);
		cover_clear(c);
	}
	s->n = kept;
	return rc;
}

int covers_add(struct covers *s, struct cover *c, struct trace_findings *out, struct err *err)
{
	struct cover *to = item_of(s, &c->point);
	bool whole;
	uint32_t main = c->point.main;
	int rc = to ? ownership_move(&s->owners, &c->owners) : -1;

	if (to && !to->ranks) {
		*to = *c;
		*c = (struct cover){ 0 };
	} else if (!rc) {
		rc = cover_merge(to, c);
	}
	cover_clear(c);
	whole = !rc && !to->point.sub && to->ranks >= s->ranks;
	if (whole)
		rc = complete(s, main, out) || trace_index_no_memory(s->ref) ? -1 : 0;
	return rc ? err_set(err, "out of memory") : 0;
}
