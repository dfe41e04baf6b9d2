/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares a scope of any size, in any order: what the reference did is read on until the element
 * in question turns up. When both go the same way, little has to be remembered.
 */
#include "common/tracediff/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define STEP 1024u /* accesses of the reference at a time */

static struct cmp_join *join_make(struct tracediff *c, uint32_t streams)
{
	struct cmp_join *j = calloc(1, sizeof(*j));

	if (j)
		j->stream = calloc(streams, sizeof(*j->stream));
	if (!j || !j->stream ||
	    join_table_init(&j->t, c->ref->idents, c->o.memory ? c->o.memory : JOIN_MEMORY)) {
		if (j)
			free(j->stream);
		free(j);
		c->failed = true;
		return NULL;
	}
	j->n = streams;
	j->level = j->trace_index_level = 3;
	j->want.index = j->index;
	return j;
}

struct cmp_join *cmp_join_loop(struct tracediff *c, const struct point *p)
{
	struct cmp_join *j = join_make(c, c->ref->files);

	if (!j)
		return NULL;
	j->whole = true;
	j->want.point = *p;
	for (uint32_t f = 0; f < j->n; f++)
		join_parts(c, j, f, &j->stream[f].parts);
	return j;
}

struct cmp_join *cmp_join_scope(struct tracediff *c, const struct ref_want *w,
				const struct ref_at *at)
{
	struct cmp_join *j = join_make(c, 1);

	if (!j)
		return NULL;
	j->want = *w;
	memcpy(j->index, w->index, w->nidx * sizeof(*w->index));
	j->want.index = j->index;
	j->at = *at;
	join_parts(c, j, 0, &j->stream[0].parts);
	return j;
}

void cmp_join_free(struct cmp_join *j)
{
	if (!j)
		return;
	for (uint32_t f = 0; f < j->n; f++)
		ref_parts_end(&j->stream[f].parts);
	join_table_clear(&j->t);
	free(j->stream);
	free(j->flags);
	join_deferred_free(j->held);
	free(j->late);
	free(j->second_table);
	free(j);
}

size_t cmp_join_deferred(const struct cmp_join *j)
{
	return j->t.held + j->second_cap * sizeof(*j->late) + join_deferred_bytes(j->held);
}

void join_parts(struct tracediff *c, const struct cmp_join *j, uint32_t f, struct ref_parts *p)
{
	if (j->whole)
		ref_parts_whole(p, c->ref, f, &j->want.point);
	else
		ref_parts_begin(p, c->ref, &j->want, &j->at);
}

static uint32_t file_of(const struct cmp_join *j, const struct join_stream *s)
{
	return j->whole ? (uint32_t)(s - j->stream) : j->at.file;
}

/* ---- reading on in the reference ---- */

/* Elements that are not on this rank are never asked for. */
static void row_make(const struct object_id *o, uint64_t key, struct join_row *row)
{
	const struct array_desc *a = o->now;
	int64_t index[ARRAY_DIMS], lo, hi, first, last;
	uint32_t within;
	uint64_t piece = o->desc.elem_size, begin;
	unsigned d, whole;

	object_id_index(o, key & TRACE_KEY_MASK, index, &within);
	*row = (struct join_row){ key - within, piece, key - within, piece };
	if (!o->desc.ndim || !a || a->ndim != o->desc.ndim)
		return;
	whole = object_id_desc_whole(a, &piece);
	d = object_id_desc_dim(a, whole);
	lo = o->desc.lower[d];
	hi = lo + (o->desc.extent[d] - 1);
	begin = (key & TRACE_KEY_MASK) % piece + ((uint64_t)index[d] - (uint64_t)lo) * piece;
	row->key = key - begin;
	row->n = (uint64_t)o->desc.extent[d] * piece;
	for (unsigned i = whole + 1; i < a->ndim && !o->moves; i++)
		if (!object_id_desc_has_dim(a, object_id_desc_dim(a, i),
					    index[object_id_desc_dim(a, i)], true)) {
			row->nkeep = 0;
			return;
		}
	row->keep = row->key;
	row->nkeep = row->n;
	if (a->list[d] || o->moves || __builtin_sub_overflow(a->own_lo[d], a->halo_lo[d], &first) ||
	    __builtin_add_overflow(a->own_hi[d], a->halo_hi[d], &last))
		return;
	first = first > lo ? first : lo;
	last = last < hi ? last : hi;
	row->keep = row->key + ((uint64_t)first - (uint64_t)lo) * piece;
	row->nkeep = last >= first ? ((uint64_t)last - (uint64_t)first + 1) * piece : 0;
}

static bool relevant(struct tracediff *c, struct join_stream *s, const struct trace_acc *a)
{
	struct join_row *row = &s->row[a->site & (JOIN_ROWS - 1)];

	if (a->key - row->key >= row->n)
		row_make(object_id_get(c->ref->idents, (unsigned)(a->key >> TRACE_KEY_BITS)),
			 a->key, row);
	return a->key - row->keep < row->nkeep;
}

void join_mark(struct tracediff *c, struct cmp_join *j, unsigned ident, uint8_t flag)
{
	if (ident >= j->nflags) {
		unsigned n = object_id_count(c->ref->idents);
		uint8_t *grown = realloc(j->flags, n);

		if (!grown) {
			c->failed = true;
			return;
		}
		memset(grown + j->nflags, 0, n - j->nflags);
		j->flags = grown;
		j->nflags = n;
	}
	j->flags[ident] |= flag;
}

static void take(struct tracediff *c, struct cmp_join *j, struct join_stream *s,
		 const struct trace_acc *a)
{
	struct join_element e;

	if (join_ident(&j->t, a->key)->folded)
		return;
	if (!(a->flags & TRACE_ACC_WRITE) || join_is_write(j, a))
		join_mark(c, j, (unsigned)(a->key >> TRACE_KEY_BITS),
			  a->flags & TRACE_ACC_WRITE ? JOIN_WRITTEN : JOIN_READ);
	if (a->size == join_ident(&j->t, a->key)->unit && relevant(c, s, a) &&
	    join_element(&j->t, a->key, &e))
		join_ref(&j->t, &e, a, join_is_write(j, a), file_of(j, s));
}

/* Up to STEP accesses; false: the stream is over. */
static bool step(struct tracediff *c, struct cmp_join *j, struct join_stream *s)
{
	const struct trace_scope *scope;
	uint32_t end;

	if (s->over)
		return false;
	if (!s->begun || s->pos == s->parts.scope->nacc) {
		bool more = s->begun && s->parts.scope->flags & TRACE_SCOPE_MORE;

		s->begun = true;
		s->pos = 0;
		s->over = !ref_parts_next(&s->parts);
		/* its end may be cut off */
		if (s->over && (j->whole || more) &&
		    trace_index_cut(c->ref, file_of(j, s), &j->want.point))
			j->lossy = true;
		if (s->over)
			return false;
		scope = s->parts.scope;
		j->lossy = j->lossy || scope->flags & TRACE_SCOPE_LOSSY;
		if (scope->level < j->trace_index_level)
			j->trace_index_level = scope->level;
	}
	scope = s->parts.scope;
	end = scope->nacc - s->pos > STEP ? s->pos + STEP : scope->nacc;
	for (; s->pos < end; s->pos++)
		take(c, j, s, &s->parts.seg->s.acc[scope->acc + s->pos]);
	return true;
}

/* How likely it is that the stream has the element. */
static int chance(const struct object_id *o, uint32_t file, const int64_t *index)
{
	const struct array_desc *a = o->ref ? o->ref[file] : NULL;

	if (!a)
		return 1;
	return object_id_desc_has(a, index, false) ? 3 : object_id_desc_has(a, index, true) ? 2 : 0;
}

/* The stream that is most likely to have the element; NULL: all are over. */
static struct join_stream *likely(const struct tracediff *c, struct cmp_join *j, uint64_t key)
{
	const struct object_id *o =
		object_id_get(c->ref->idents, (unsigned)(key >> TRACE_KEY_BITS));
	struct join_stream *best = NULL;
	int64_t index[ARRAY_DIMS];
	uint32_t within;
	int most = -1;

	object_id_index(o, key & TRACE_KEY_MASK, index, &within);
	for (uint32_t f = 0; f < j->n; f++) {
		struct join_stream *s = &j->stream[f];
		int how = s->over ? -1 : chance(o, file_of(j, s), index);

		if (how > most) {
			most = how;
			best = s;
		}
	}
	return best;
}

/* Reads on where the element is most likely to turn up; false: all has been read. */
static bool advance(struct tracediff *c, struct cmp_join *j, uint64_t key)
{
	struct join_stream *s;
	bool some = false;

	/* what is where is known after a look */
	for (uint32_t f = 0; f < j->n && j->n > 1; f++)
		if (!j->stream[f].begun)
			some = step(c, j, &j->stream[f]) || some;
	while (!some && (s = likely(c, j, key)))
		some = step(c, j, s);
	return some;
}

unsigned join_writes(struct tracediff *c, struct cmp_join *j, uint64_t key)
{
	struct join_element e;

	while (advance(c, j, key))
		;
	return join_element(&j->t, key, &e) ? join_nref(e.page, e.i) : 0;
}

/* ---- what is done here ---- */

/* The best that any value of the reference compares; *ref: one of them. */
static enum tolerance_verdict look(const struct tracediff *c, const struct cmp_join *j,
			      const struct join_element *e, const struct trace_acc *a, unsigned nth,
			      struct cmp_suspicion *s)
{
	enum tolerance_verdict best = TRACE_OTHER;
	struct join_at at = { 0 };
	uint64_t ref;

	s->has_ref = false;
	while (best == TRACE_OTHER && join_next(&j->t, e, nth, &at, &ref)) {
		if (!s->has_ref)
			s->ref = ref;
		s->has_ref = true;
		best = a->value == ref ? TRACE_SAME : cmp_number(c, a->key, a->size, a->value, ref);
	}
	return best;
}

/* It is what the reference writes last, which is *ref: the `of`th; false as well: not known. */
static bool is_last(const struct tracediff *c, const struct cmp_join *j,
		    const struct join_element *e, const struct trace_acc *a, unsigned of,
		    struct cmp_suspicion *last)
{
	last->has_ref = false;
	return of && look(c, j, e, a, of, last) != TRACE_OTHER;
}

/* An element of which something is held is written, as the reference does. */
static void again(struct tracediff *c, struct cmp_join *j, const struct join_element *e,
		  const struct trace_acc *a, unsigned nth)
{
	unsigned of = join_nref(e->page, e->i);
	struct cmp_suspicion last;
	bool right = nth == of || is_last(c, j, e, a, of, &last);

	join_rewritten(j, e, a->key, right);
	if (right && nth >= of && join_flags(j, (unsigned)(a->key >> TRACE_KEY_BITS)) & JOIN_LOOSE)
		join_mark(c, j, (unsigned)(a->key >> TRACE_KEY_BITS), JOIN_ANY);
}

/* The nth write of the element in a construct without marks is another one there. */
static void held_back(struct tracediff *c, struct cmp_join *j, const struct join_element *e,
		      const struct trace_acc *a, struct cmp_suspicion *s, unsigned nth)
{
	struct join_write w = { .nth = nth, .of = join_writes(c, j, a->key), .newest = true };
	struct cmp_suspicion last = { 0 };

	if (j->lossy)
		return;
	w.right = is_last(c, j, e, a, w.of, &last);
	if (last.has_ref)
		w.last = &last.ref;
	join_hold(c, j, e, s, &w);
}

static void count(struct tracediff *c, enum tolerance_verdict how)
{
	c->state.compared++;
	c->state.equal += how == TRACE_SAME;
	c->state.close += how == TRACE_CLOSE;
	c->state.unknown += how == TRACE_UNKNOWN;
}

/* An element is written more often than can be counted: only what it is in the end is looked at. */
static void very_often(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n, uint32_t i,
		       const struct join_element *e)
{
	const struct trace_acc *a = &n->acc[i];
	struct cmp_suspicion s = { .kind = FINDING_VALUE,
				   .access = true,
				   .write = true,
				   .has_now = true,
				   .size = a->size,
				   .ident = (int32_t)(a->key >> TRACE_KEY_BITS),
				   .key = a->key,
				   .now = a->value };

	if (j->lossy || j->trace_index_level < 2 || !join_writes(c, j, a->key) || e->page->dropped)
		return;
	cmp_scope_spot(c, n, i, &s);
	held_back(c, j, e, a, &s, JOIN_OFTEN);
}

/* The access has another value than the reference, or none that it could have. */
static void differs(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n, uint32_t i,
		    const struct join_element *e, struct cmp_suspicion *s, unsigned nth)
{
	const struct trace_acc *a = &n->acc[i];

	s->kind = FINDING_VALUE;
	s->write = a->flags & TRACE_ACC_WRITE;
	s->has_now = true;
	s->size = a->size;
	s->ident = (int32_t)(a->key >> TRACE_KEY_BITS);
	s->key = a->key;
	s->now = a->value;
	if (e->page->dropped || e->page->cut) {
		join_later(c, j, n, i, nth, join_nnow(e->page, e->i));
		return;
	}
	cmp_scope_spot(c, n, i, s);
	if (!s->has_ref)
		s->kind = FINDING_USE;
	if (s->write && j->whole && join_writes(c, j, a->key)) {
		count(c, TRACE_UNKNOWN);
		held_back(c, j, e, a, s, nth);
		return;
	}
	/* of a whole loop, parts may come from a buffer, or from MPI, in one run */
	if (!s->has_ref && (join_received(j, s->write, (unsigned)s->ident) ||
			    (!s->write && (j->whole || !join_reads(j, (unsigned)s->ident))) ||
			    !cmp_use(c, s, j->whole ? UINT32_MAX : j->at.file))) {
		count(c, TRACE_UNKNOWN);
		return;
	}
	count(c, TRACE_OTHER);
	join_suspect(c, j, s, nth, join_nnow(e->page, e->i));
}

static void feed_one(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n, uint32_t i)
{
	const struct trace_acc *a = &n->acc[i];
	struct cmp_suspicion s = { .access = true };
	bool write = a->flags & TRACE_ACC_WRITE;
	struct join_element e;
	enum tolerance_verdict how;
	unsigned nth = 0;

	if ((!write && j->trace_index_level < 3) || !join_element(&j->t, a->key, &e)) {
		count(c, TRACE_UNKNOWN);
		return;
	}
	if (write)
		join_set(e.page->mine, e.i, true);
	/* what is copied into a halo is seen where it is read */
	if (write && !join_is_write(j, a)) {
		count(c, TRACE_UNKNOWN);
		return;
	}
	if (write && j->whole)
		join_written(c, j, a);
	if (write)
		nth = join_now(&j->t, &e);
	if (nth == JOIN_OFTEN) {
		count(c, TRACE_UNKNOWN);
		if (j->whole)
			very_often(c, j, n, i, &e);
		return;
	}
	do
		how = e.page->dropped ? TRACE_OTHER : look(c, j, &e, a, nth, &s);
	while (how == TRACE_OTHER && !e.page->dropped && !(write && s.has_ref && j->n == 1) &&
	       advance(c, j, a->key));
	if (write && how != TRACE_OTHER && join_has(e.page->odd, e.i))
		again(c, j, &e, a, nth);
	/* what it has written here itself is looked at there */
	if (how != TRACE_OTHER || j->lossy || j->trace_index_level < (write ? 2 : 3) ||
	    (!write && j->whole && (join_has(e.page->mine, e.i) || cmp_adds_next(n, i)))) {
		count(c, how == TRACE_OTHER ? TRACE_UNKNOWN : how);
		c->state.lost += how == TRACE_OTHER && j->lossy;
		return;
	}
	differs(c, j, n, i, &e, &s, nth);
}

void cmp_join_feed(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n)
{
	if (n->level < j->level)
		j->level = n->level;
	j->lossy = j->lossy || n->lossy || n->s->flags & TRACE_SCOPE_LOSSY;
	for (uint32_t i = 0; i < n->n; i++) {
		const struct trace_acc *a = &n->acc[i];

		j->seq++;
		if (a->size == join_ident(&j->t, a->key)->unit && !j->t.failed &&
		    !join_ident(&j->t, a->key)->folded)
			feed_one(c, j, n, i);
		else
			count(c, TRACE_UNKNOWN);
	}
}

/* ---- the end ---- */

static bool overlap(const struct array_desc *a, const struct array_desc *b)
{
	for (unsigned d = 0; d < a->ndim; d++) {
		if (a->list[d] || b->list[d])
			continue;
		if (a->own_hi[d] < b->own_lo[d] || b->own_hi[d] < a->own_lo[d])
			return false;
	}
	return true;
}

/* Whether the file can have written what is this rank's own. */
static bool may_own(const struct tracediff *c, uint32_t file)
{
	bool known = false;

	for (unsigned i = 0; i < object_id_count(c->ref->idents); i++) {
		const struct object_id *o = object_id_get(c->ref->idents, i);

		if (!o->now || o->desc.kind != ARRAY_DISTRIBUTED)
			continue;
		if (!o->ref || !o->ref[file])
			continue;
		known = true;
		if (o->moves || overlap(o->now, o->ref[file]))
			return true;
	}
	return !known;
}

static struct cover_item *cover_item(struct cover *v, const struct array_desc *a)
{
	struct cover_item *item;

	for (size_t i = 0; i < v->nitem; i++)
		if (!strcmp(v->item[i].name, a->name) && !strcmp(v->item[i].file, a->file) &&
		    v->item[i].counter == a->counter)
			return &v->item[i];
	item = vec_add(v->item, v->nitem);
	if (!item)
		return NULL;
	*item = (struct cover_item){
		.line = a->line, .counter = a->counter, .order = a->order, .ndim = (uint8_t)a->ndim
	};
	item->name = strdup(a->name);
	item->file = strdup(a->file ? a->file : "");
	item->written = index_set_create(a->ndim ? a->ndim : 1);
	item->unwritten = index_set_create(a->ndim ? a->ndim : 1);
	item->fewer = index_set_create(a->ndim ? a->ndim : 1);
	if (item->name && item->file && item->written && item->unwritten && item->fewer)
		return item;
	cover_item_clear(item);
	v->nitem--;
	return NULL;
}

/* The indices in the order in which they run. */
static void by_speed(const struct array_desc *a, const int64_t *index, int64_t *out)
{
	out[0] = 0;
	for (unsigned d = 0; d < a->ndim; d++)
		out[d] = index[a->order == 'F' ? a->ndim - 1 - d : d];
}

/* The nth write of an element is missing, or wrong in the end. */
static void unwritten(struct tracediff *c, struct cmp_join *j, uint64_t key, unsigned nth,
		      unsigned kind)
{
	struct cmp_suspicion s = { .kind = (uint8_t)kind,
				   .access = true,
				   .write = true,
				   .ident = (int32_t)(key >> TRACE_KEY_BITS),
				   .key = key,
				   .point = j->want.point,
				   .nidx = j->want.nidx,
				   .fewer = kind == FINDING_UNWRITTEN && nth > 1,
				   .missing = 1 };

	s.size = object_id_get(c->ref->idents, (unsigned)s.ident)->unit;
	memcpy(s.index, j->index, j->want.nidx * sizeof(*j->index));
	join_suspect(c, j, &s, nth, 0);
}

/* Another order does not explain what was written last, and none of these is reported. */
static bool wrong_in_the_end(const struct cmp_join *j, const struct join_element *e, unsigned ident)
{
	uint8_t flags = join_flags(j, ident);

	return flags & JOIN_LOOSE && flags & JOIN_ANY && !(flags & JOIN_TOLD) &&
	       join_has(e->page->odd, e->i) && !join_has(e->page->right, e->i);
}

static void page_end(struct tracediff *c, struct cmp_join *j, struct join_page *p,
		     struct cover *cover)
{
	unsigned ident = (unsigned)(p->id >> TRACE_KEY_BITS);
	struct join_element e = { .page = p };
	bool own, done;
	uint64_t key;
	const struct object_id *o = object_id_get(c->ref->idents, ident);
	struct cover_item *item = NULL;
	int64_t index[ARRAY_DIMS], out[ARRAY_DIMS];
	uint32_t within;

	if (!p->count && !p->nref && !p->nnow)
		return;
	if (cover)
		item = cover_item(cover, &o->desc);
	if (cover && !item) {
		c->failed = true;
		return;
	}
	for (unsigned i = 0; i < JOIN_PAGE; i++) {
		uint64_t byte = ((p->id & TRACE_KEY_MASK) * JOIN_PAGE + i) * o->unit;
		unsigned now = join_nnow(p, i), ref = join_nref(p, i);

		if ((!now && !ref) || byte >= o->bytes)
			continue;
		object_id_index(o, byte, index, &within);
		by_speed(&o->desc, index, out);
		key = byte | (uint64_t)ident << TRACE_KEY_BITS;
		e.i = i;
		own = o->in_now && !o->moves && object_id_desc_has(o->now, index, false);
		done = ref <= now || ref == JOIN_OFTEN || !own ||
		       (j->whole && join_ended(c, j, &e, key, now, ref));
		if (item && now && done)
			index_set_add(item->written, out);
		if (item && own && now && now >= ref && ref && wrong_in_the_end(j, &e, ident))
			unwritten(c, j, key, ref, FINDING_VALUE);
		if (done)
			continue;
		if (!item)
			unwritten(c, j, key, now + 1, FINDING_UNWRITTEN);
		else
			index_set_add(item->unwritten, out);
		if (item && now)
			index_set_add(item->fewer, out);
	}
}

void cmp_join_finish(struct tracediff *c, struct cmp_join *j, bool complete, struct cover *cover)
{
	cmp_join_settle(c, j);
	join_decide(c, j, complete);
	if (!complete || j->lossy || j->level < 2 || j->t.failed)
		return;
	if (j->whole && !cover)
		return;
	for (uint32_t f = 0; f < j->n; f++)
		if (may_own(c, file_of(j, &j->stream[f])))
			while (step(c, j, &j->stream[f]))
				;
	if (j->lossy || j->trace_index_level < 2) {
		if (cover)
			cover->partial = true;
		return;
	}
	for (size_t i = 0; i <= j->t.mask; i++)
		if (j->t.slot[i])
			page_end(c, j, j->t.slot[i], cover);
}
