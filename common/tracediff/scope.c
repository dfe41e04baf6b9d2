/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares a whole scope with its counterpart. Nearly always both have done the same in the same
 * order, and one pass says so. Else the writes of each element are compared in order, and each read
 * with all that the reference had there.
 */
#include <stdlib.h>
#include <string.h>

#include "common/tracediff/internal.h"

#define PARTS 8

/* Its counterpart. */
struct ref {
	const struct trace_acc *acc;
	uint32_t n;
	uint8_t level;
	bool lossy;
	struct ref_at at;
	struct ref_part {
		uint32_t from, rec;
		size_t block;
	} part[PARTS];
	unsigned nparts;
	int64_t order[ARRAY_DIMS]; /* set when something is wrong */
	bool gathered;
	struct ref_seg *seg;	/* pinned, when not gathered */
	struct ref_parts parts; /* when gathered */
};

/* An access that has no counterpart, and which of the reference's it is shown with. */
struct bad {
	uint8_t kind; /* enum finding_kind; 0: it is fine */
	bool has_ref;
	uint32_t ref; /* access of the reference */
	uint64_t value;
	struct cmp_ref_spot at;
};

struct entry {
	uint64_t key;
	uint32_t i;
};

struct trace_tolerance cmp_tolerance(const struct tracediff *c, const struct object_id *o,
				     uint64_t key, unsigned type)
{
	const struct sum_scale id = { .name = o->desc.name,
				      .file = o->desc.file,
				      .line = o->desc.line,
				      .counter = o->desc.counter };
	int64_t index[ARRAY_DIMS];
	uint32_t within;

	object_id_index(o, key & TRACE_KEY_MASK, index, &within);
	return tolerance_scaled(&c->o.tolerance, type, &id, index);
}

enum tolerance_verdict cmp_number(const struct tracediff *c, uint64_t key, unsigned size,
				  uint64_t now, uint64_t ref)
{
	struct trace_tolerance tol;
	const struct object_id *o;
	uint32_t within;
	unsigned type;

	if (now == ref)
		return TRACE_SAME;
	o = object_id_get(c->ref->idents, (unsigned)(key >> TRACE_KEY_BITS));
	within = (uint32_t)((key & TRACE_KEY_MASK) % o->desc.elem_size);
	type = object_id_type(o, within, size);
	tol = cmp_tolerance(c, o, key, type);
	return tolerance_check(&tol, type, size, now, ref);
}

static enum tolerance_verdict count(struct tracediff *c, enum tolerance_verdict j)
{
	c->state.compared++;
	c->state.equal += j == TRACE_SAME;
	c->state.close += j == TRACE_CLOSE;
	c->state.unknown += j == TRACE_UNKNOWN;
	return j;
}

/* ---- the reference's side ---- */

static void ref_unload(struct ref *r)
{
	if (r->gathered)
		ref_parts_end(&r->parts);
	else
		ref_seg_put(r->seg);
	r->seg = NULL;
}

static void part_add(struct ref *r, uint32_t from)
{
	const struct ref_parts *p = &r->parts;

	if (r->nparts && r->part[r->nparts - 1].block == p->at.block)
		return;
	if (r->nparts < PARTS)
		r->part[r->nparts++] = (struct ref_part){
			from, p->scope->flags & TRACE_SCOPE_CONT ? 0 : p->scope->rec, p->at.block
		};
}

/* One that has several parts. 0, 1: it is too large, -1: no memory. */
static int ref_gather(struct tracediff *c, const struct ref_want *w, struct ref *r)
{
	r->gathered = true;
	ref_parts_begin(&r->parts, c->ref, w, &r->at);
	while (ref_parts_next(&r->parts)) {
		const struct trace_scope *s = r->parts.scope;

		part_add(r, r->n);
		r->lossy = r->lossy || s->flags & TRACE_SCOPE_LOSSY;
		r->level = s->level < r->level ? s->level : r->level;
		if (r->n + s->nacc > 2 * CMP_CARRY)
			return 1;
		if (!cmp_room((void **)&c->gather, &c->gather_cap, r->n + s->nacc,
			      sizeof(*c->gather)))
			return -1;
		if (s->nacc)
			memcpy(&c->gather[r->n], &r->parts.seg->s.acc[s->acc],
			       s->nacc * sizeof(*c->gather));
		r->n += s->nacc;
		r->acc = c->gather;
		if (!(s->flags & TRACE_SCOPE_MORE))
			return 0;
	}
	/* it goes on nowhere: its thread has ended with it, or the file does */
	r->lossy = r->lossy || trace_index_cut(c->ref, r->at.file, &w->point);
	return 0;
}

/* As ref_gather. A scope in one part, as most are, stays where it is. */
static int ref_load(struct tracediff *c, const struct ref_want *w, const struct ref_at *at,
		    struct ref *r)
{
	const struct trace_scope *s = trace_index_scope(c->ref, at, &r->seg);

	r->at = *at;
	r->n = 0;
	r->nparts = 0;
	r->gathered = r->lossy = false;
	r->level = 3;
	if (!s)
		return -1;
	if (s->flags & TRACE_SCOPE_MORE) {
		ref_seg_put(r->seg);
		return ref_gather(c, w, r);
	}
	r->acc = &r->seg->s.acc[s->acc];
	r->n = s->nacc;
	r->level = s->level;
	r->lossy = s->flags & TRACE_SCOPE_LOSSY;
	r->nparts = 1;
	r->part[0] = (struct ref_part){ 0, s->rec, at->block };
	return 0;
}

/* ---- comparing ---- */

/* Both did the same in the same order; the reference may have read more in the end. */
static bool same_all(struct tracediff *c, const struct cmp_now *n, const struct ref *r)
{
	const struct trace_acc *a = n->acc, *b = r->acc;
	uint32_t close = 0, unknown = 0, i;

	if (n->n > r->n || n->level != r->level)
		return false;
	for (i = 0; i < n->n; i++, a++, b++) {
		if (a->key != b->key || a->size != b->size ||
		    (a->flags ^ b->flags) & TRACE_ACC_WRITE)
			return false;
		if (__builtin_expect(a->value != b->value, 0)) {
			enum tolerance_verdict j =
				cmp_number(c, a->key, a->size, a->value, b->value);

			if (j == TRACE_OTHER)
				return false;
			close += j == TRACE_CLOSE;
			unknown += j == TRACE_UNKNOWN;
		}
	}
	for (; i < r->n; i++, b++)
		if (b->flags & TRACE_ACC_WRITE)
			return false;
	c->state.compared += n->n;
	c->state.equal += n->n - close - unknown;
	c->state.close += close;
	c->state.unknown += unknown;
	return true;
}

static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* By element, and in the order of execution; in what both levels record. NULL: no memory. */
static struct entry *sorted(const struct trace_acc *acc, uint32_t *n, unsigned level, void **list,
			    uint32_t *cap)
{
	struct entry *e = cmp_room(list, cap, *n, sizeof(*e));
	uint32_t kept = 0;

	for (uint32_t i = 0; e && i < *n; i++)
		if (level >= 3 || (level == 2 && acc[i].flags & TRACE_ACC_WRITE))
			e[kept++] = (struct entry){ acc[i].key, i };
	if (e && kept)
		qsort(e, kept, sizeof(*e), entry_order);
	*n = kept;
	return e;
}

/* The entries of one element. */
struct group {
	const struct entry *e;
	uint32_t n;
};

static struct group group_at(const struct entry *e, uint32_t n, uint32_t from)
{
	struct group g = { &e[from], 0 };

	while (from + g.n < n && g.e[g.n].key == g.e[0].key)
		g.n++;
	return g;
}

/* Whether the reference reads the array here: then another element of it is a mistake. */
static bool reads_array(const struct trace_acc *acc, const struct entry *e, uint32_t n,
			uint64_t key)
{
	uint32_t lo = 0, hi = n;

	key >>= TRACE_KEY_BITS;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (e[mid].key >> TRACE_KEY_BITS < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && e[lo].key >> TRACE_KEY_BITS == key; lo++)
		if (!(acc[e[lo].i].flags & TRACE_ACC_WRITE))
			return true;
	return false;
}

/* The next write of the group, from *at on, which moves behind it; NULL: none. */
static const struct entry *next_write(const struct trace_acc *acc, const struct group *g,
				      uint32_t *at)
{
	while (*at < g->n) {
		const struct entry *e = &g->e[(*at)++];

		if (acc[e->i].flags & TRACE_ACC_WRITE)
			return e;
	}
	return NULL;
}

/* e: the counterpart; NULL: there is none. */
static struct bad check_write(struct tracediff *c, const struct trace_acc *a,
			      const struct trace_acc *ref, const struct entry *e)
{
	if (!e) {
		count(c, TRACE_SAME);
		return (struct bad){ .kind = FINDING_USE };
	}
	if (ref[e->i].size != a->size) {
		count(c, TRACE_UNKNOWN);
		return (struct bad){ 0 };
	}
	if (count(c, cmp_number(c, a->key, a->size, a->value, ref[e->i].value)) != TRACE_OTHER)
		return (struct bad){ 0 };
	return (struct bad){ .kind = FINDING_VALUE, .has_ref = true, .ref = e->i };
}

/* *at: where the last read had its counterpart; it is looked for from there on, all round. */
static struct bad check_read(struct tracediff *c, const struct trace_acc *a,
			     const struct trace_acc *ref, const struct group *g, uint32_t *at)
{
	struct bad bad = { .kind = FINDING_VALUE };
	enum tolerance_verdict best = TRACE_OTHER;

	for (uint32_t n = 0; n < g->n && best == TRACE_OTHER; n++) {
		uint32_t k = *at + n < g->n ? *at + n : *at + n - g->n;
		const struct trace_acc *b = &ref[g->e[k].i];

		if (b->size != a->size) {
			best = TRACE_UNKNOWN;
			continue;
		}
		best = cmp_number(c, a->key, a->size, a->value, b->value);
		if (best != TRACE_OTHER)
			*at = k;
		/* it is shown with the read that comes next there */
		if (!bad.has_ref ||
		    (ref[bad.ref].flags & TRACE_ACC_WRITE && !(b->flags & TRACE_ACC_WRITE))) {
			bad.has_ref = true;
			bad.ref = g->e[k].i;
		}
	}
	count(c, best);
	return best == TRACE_OTHER ? bad : (struct bad){ 0 };
}

static struct cmp_sum sum_of(const struct trace_acc *acc, const struct group *g)
{
	const struct trace_acc *first = &acc[g->e[0].i], *last = &acc[g->e[g->n - 1].i];

	return (struct cmp_sum){ .from = first->value,
				 .to = last->value,
				 .read = !(first->flags & TRACE_ACC_WRITE),
				 .written = last->flags & TRACE_ACC_WRITE,
				 .own = first->flags & TRACE_ACC_OWN };
}

/* Values of an element that differ only in what other iterations have made of it before. */
static void check_sum(struct tracediff *c, const struct cmp_now *n, const struct group *ours,
		      const struct ref *r, const struct group *theirs, struct bad *bad)
{
	const struct trace_acc *a = &n->acc[ours->e[0].i];
	struct cmp_sum now, ref;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < ours->n; i++) {
		if (bad[ours->e[i].i].kind && bad[ours->e[i].i].kind != FINDING_VALUE)
			return;
		wrong += bad[ours->e[i].i].kind != 0;
	}
	if (ours->n != theirs->n || a->size != r->acc[theirs->e[0].i].size)
		return;
	now = sum_of(n->acc, ours);
	ref = sum_of(r->acc, theirs);
	if (!now.read && n->level >= 3 && r->level >= 3)
		return;
	if (!cmp_adds(c, &n->s->point, a->key, a->size, &now, &ref))
		return;
	c->state.unknown += wrong;
	for (uint32_t i = 0; i < ours->n; i++)
		bad[ours->e[i].i].kind = 0;
}

static uint32_t reads_of(const struct trace_acc *acc, const struct group *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		n += !(acc[g->e[i].i].flags & TRACE_ACC_WRITE);
	return n;
}

/* Elements have no indices there, and what a statement of a reduction reads is not in such traces:
 * reads of more of them than there cannot be distinguished. */
static bool is_blurred(struct tracediff *c, const struct cmp_now *n, const struct group *ours,
		       const struct ref *r, const struct group *theirs)
{
	return object_id_get(c->ref->idents, (unsigned)(ours->e->key >> TRACE_KEY_BITS))->folded &&
	       reads_of(n->acc, ours) > reads_of(r->acc, theirs);
}

static void check_group(struct tracediff *c, const struct cmp_now *n, const struct group *ours,
			const struct ref *r, const struct group *theirs, const struct entry *all,
			uint32_t nall, struct bad *bad)
{
	const bool blurred = is_blurred(c, n, ours, r, theirs);
	uint32_t written = 0, read = 0;
	bool wrong = false;

	for (uint32_t i = 0; i < ours->n; i++) {
		const struct trace_acc *a = &n->acc[ours->e[i].i];
		struct bad *b = &bad[ours->e[i].i];

		if (a->flags & TRACE_ACC_WRITE) {
			*b = check_write(c, a, r->acc, next_write(r->acc, theirs, &written));
		} else if (blurred) {
			count(c, TRACE_UNKNOWN);
		} else if (theirs->n) {
			*b = check_read(c, a, r->acc, theirs, &read);
			/* the next one comes behind it */
			read += !b->kind && read + 1 < theirs->n;
		} else {
			bool known = reads_array(r->acc, all, nall, a->key);

			count(c, known ? TRACE_SAME : TRACE_UNKNOWN);
			*b = (struct bad){ .kind = known ? FINDING_USE : 0 };
		}
		wrong = wrong || b->kind;
	}
	if (wrong)
		check_sum(c, n, ours, r, theirs, bad);
}

/* ---- suspicions ---- */

void cmp_scope_spot(const struct tracediff *c, const struct cmp_now *n, uint32_t i,
		    struct cmp_suspicion *s)
{
	const struct cmp_thread *t = c->now;

	s->nidx = n->s->nidx;
	memcpy(s->index, n->index, s->nidx * sizeof(*s->index));
	s->point = n->s->point;
	if (i < n->gone)
		return;
	s->at.block = i < n->gone + n->old ? t->before : t->block;
	s->at.rec = i < n->n ? n->acc[i].rec : n->rec;
	s->place = i < n->n && s->at.block ? cmp_site_hash(s->at.block, n->acc[i].site) : 0;
}

/* Where the reference's access i is; r->n: where its scope begins. */
static struct cmp_ref_spot spot_ref(const struct ref *r, uint32_t i)
{
	unsigned k = 0;

	while (k + 1 < r->nparts && r->part[k + 1].from <= i)
		k++;
	return (struct cmp_ref_spot){ .valid = r->nparts > 0,
				      .file = r->at.file,
				      .block = r->part[k].block,
				      .rec = i < r->n ? r->acc[i].rec : r->part[k].rec };
}

static void suspect_access(struct tracediff *c, const struct cmp_now *n, uint32_t i,
			   const struct ref *r, const struct bad *b)
{
	const struct trace_acc *a = &n->acc[i];
	struct cmp_suspicion s = { .kind = b->kind,
				   .access = true,
				   .write = a->flags & TRACE_ACC_WRITE,
				   .has_now = true,
				   .has_ref = b->has_ref,
				   .size = a->size,
				   .ident = (int32_t)(a->key >> TRACE_KEY_BITS),
				   .key = a->key,
				   .now = a->value };

	memcpy(s.order, r->order, sizeof(r->order));
	s.order[ARRAY_DIMS] = i;
	/* of an iteration that several ranks have, the owner's is compared */
	s.order[ARRAY_DIMS + 1] = !(a->flags & TRACE_ACC_OWN);
	if (b->kind == FINDING_USE && !cmp_use(c, &s, r->at.file)) {
		c->state.unknown++;
		return;
	}
	cmp_scope_spot(c, n, i, &s);
	s.ref_at = b->at;
	s.ref = b->value;
	cmp_suspect(c, &s);
}

/* Elements that the reference writes, and that this rank, whose they are, does not. */
static void check_unwritten(struct tracediff *c, const struct cmp_now *n, const struct group *ours,
			    const struct ref *r, const struct group *theirs)
{
	const struct object_id *o;
	const struct entry *missing, *write, *last = NULL, *end;
	int64_t index[ARRAY_DIMS];
	uint32_t within, from, i = 0, k = 0;

	for (;;) {
		from = i;
		missing = next_write(r->acc, theirs, &k);
		write = missing ? next_write(n->acc, ours, &i) : NULL;
		if (!write)
			break;
		last = write;
	}
	if (!missing)
		return;
	o = object_id_get(c->ref->idents, (unsigned)(missing->key >> TRACE_KEY_BITS));
	object_id_index(o, missing->key & TRACE_KEY_MASK, index, &within);
	if (!o->in_now || o->moves || !object_id_desc_has(o->now, index, false))
		return;
	for (end = write = missing; last && write; write = next_write(r->acc, theirs, &k))
		end = write;
	struct cmp_suspicion s = { .kind = FINDING_UNWRITTEN,
				   .access = true,
				   .write = true,
				   .has_now = last,
				   .has_ref = true,
				   .fewer = last,
				   .size = r->acc[missing->i].size,
				   .ident = (int32_t)(missing->key >> TRACE_KEY_BITS),
				   .key = missing->key,
				   .now = last ? n->acc[last->i].value : 0,
				   .ref = r->acc[end->i].value,
				   .missing = 1 };
	memcpy(s.order, r->order, sizeof(r->order));
	/* before it is read, unwritten */
	s.order[ARRAY_DIMS] = from < ours->n ? ours->e[from].i : n->n;
	s.order[ARRAY_DIMS + 1] = -1;
	cmp_scope_spot(c, n, n->n, &s);
	s.ref_at = spot_ref(r, missing->i);
	cmp_suspect(c, &s);
}

/* ---- the slow way ---- */

/* Fills bad[] of all accesses; false: no memory. How many are bad is added to *nbad. */
static bool check(struct tracediff *c, const struct cmp_now *n, const struct ref *r,
		  struct bad *bad, uint32_t *nbad, bool unwritten)
{
	unsigned level = n->level < r->level ? n->level : r->level;
	uint32_t na = n->n, nb = r->n, j = 0;
	struct entry *a = sorted(n->acc, &na, level, &c->sort_now, &c->sort_now_cap);
	struct entry *b = sorted(r->acc, &nb, level, &c->sort_ref, &c->sort_ref_cap);
	struct group ours, theirs;

	if (!a || !b)
		return false;
	memset(bad, 0, n->n * sizeof(*bad));
	for (uint32_t i = 0; i < na; i += ours.n) {
		ours = group_at(a, na, i);
		while (j < nb && b[j].key < ours.e[0].key)
			j++;
		theirs = (struct group){ b, 0 };
		if (j < nb && b[j].key == ours.e[0].key)
			theirs = group_at(b, nb, j);
		check_group(c, n, &ours, r, &theirs, b, nb, bad);
	}
	for (uint32_t i = 0; i < n->n; i++) {
		if (!bad[i].kind)
			continue;
		++*nbad;
		bad[i].at = spot_ref(r, bad[i].has_ref ? bad[i].ref : r->n);
		bad[i].value = bad[i].has_ref ? r->acc[bad[i].ref].value : 0;
	}
	j = 0;
	for (uint32_t i = 0; unwritten && level >= 2 && i < nb; i += theirs.n) {
		theirs = group_at(b, nb, i);
		while (j < na && a[j].key < theirs.e[0].key)
			j++;
		ours = (struct group){ a, 0 };
		if (j < na && a[j].key == theirs.e[0].key)
			ours = group_at(a, na, j);
		check_unwritten(c, n, &ours, r, &theirs);
	}
	return true;
}

/* Other ranks of the reference may have executed it as well, each its part: what one of them has is
 * fine. */
static void pardon(struct tracediff *c, struct cmp_loop *l, const struct ref_want *w,
		   const struct cmp_now *n, const struct ref *first, struct bad *bad)
{
	struct tracediff_state state = c->state; /* counted once */
	struct bad *again = malloc((n->n ? n->n : 1) * sizeof(*again));
	uint32_t nbad;
	struct ref_at at;
	struct ref r;

	for (uint32_t f = 0; again && f < c->ref->files; f++) {
		if (f == first->at.file || !trace_index_find(c->ref, f, w, &l->hint[f], &at))
			continue;
		nbad = 0;
		if (!ref_load(c, w, &at, &r) && check(c, n, &r, again, &nbad, false))
			for (uint32_t i = 0; i < n->n; i++)
				if (!again[i].kind ||
				    (bad[i].kind == FINDING_USE && again[i].has_ref))
					bad[i] = again[i];
		ref_unload(&r);
	}
	free(again);
	c->state = state;
}

static void compare_slow(struct tracediff *c, struct cmp_loop *l, const struct ref_want *w,
			 const struct cmp_now *n, struct ref *r)
{
	struct bad *bad = cmp_room((void **)&c->bad, &c->bad_cap, n->n + 1, sizeof(*bad));
	struct ref_seg *seg;
	uint32_t nbad = 0;

	if (trace_index_scope(c->ref, &r->at, &seg))
		trace_index_sort_key(c->ref, &r->at, seg, r->order);
	ref_seg_put(seg);
	if (!bad || !check(c, n, r, bad, &nbad, n->complete)) {
		c->failed = true;
		return;
	}
	/* what r has gathered may be overwritten */
	if (nbad && c->ref->files > 1)
		pardon(c, l, w, n, r, bad);
	for (uint32_t i = 0; nbad && i < n->n; i++)
		if (bad[i].kind)
			suspect_access(c, n, i, r, &bad[i]);
}

int cmp_scope(struct tracediff *c, struct cmp_loop *l, const struct ref_want *w,
	      const struct cmp_now *n, const struct ref_at *at, bool lossy)
{
	struct ref r;
	int rc = ref_load(c, w, at, &r);

	if (rc < 0)
		c->failed = true;
	/* of one that is recorded without accesses it is known that both execute it */
	c->state.iterations += !rc && !lossy && !r.lossy;
	if (!rc && !lossy && !r.lossy && n->level >= 2 && r.level >= 2) {
		if (!same_all(c, n, &r))
			compare_slow(c, l, w, n, &r);
	} else if (!rc) {
		uint64_t left = n->level >= 2 ? n->n : 0;

		c->state.unknown += left;
		c->state.lost += lossy || r.lossy ? left : 0;
	}
	ref_unload(&r);
	return rc > 0;
}
