/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replicated objects at the boundaries of constructs, and results of reductions.
 *
 * What each run said last of an object counts, so that it does not matter whether a run reports
 * all objects at each boundary or of those that have changed. Large ones come in parts, and later
 * as a fingerprint as long as they stay what they are.
 */
#include <stdlib.h>
#include <string.h>

#include "common/tracediff/internal.h"
#include "common/array/value.h"

#define LARGE (64u << 20) /* bytes of a value in parts: more are none */

static struct cmp_known *known_of(struct tracediff *c, unsigned ident)
{
	unsigned n = object_id_count(c->ref->idents);
	struct cmp_known *grown;

	if (ident < c->nknown)
		return &c->known[ident];
	grown = realloc(c->known, n * sizeof(*grown));
	if (!grown) {
		c->failed = true;
		return NULL;
	}
	memset(grown + c->nknown, 0, (n - c->nknown) * sizeof(*grown));
	c->known = grown;
	c->nknown = n;
	return &c->known[ident];
}

/* Room for n bytes of it; false: it is not known then. */
static bool reported_room(struct tracediff *c, struct cmp_reported *s, uint64_t n)
{
	unsigned char *grown;

	s->whole = s->printed = s->valid = false;
	s->got = 0;
	if (n == s->n && s->bytes)
		return true;
	grown = realloc(s->bytes, n ? n : 1);
	if (!grown) {
		c->failed = true;
		return false;
	}
	s->bytes = grown;
	s->n = n;
	return true;
}

/* The next part of one that is large. It counts when all of it has come, in order. */
static void say_part(struct tracediff *c, struct cmp_reported *s, const unsigned char *bytes,
		     const struct trace_event *e)
{
	uint64_t n = e->nbytes;
	struct fingerprint print = { 0 };

	if (e->before > LARGE || e->count > LARGE)
		return;
	if (!e->before && !reported_room(c, s, n + e->count))
		return;
	if (!n || s->whole || s->got != e->before || s->n != e->before + n + e->count)
		return;
	memcpy(s->bytes + e->before, bytes, n);
	s->got += n;
	if (e->count)
		return;
	fingerprint_add(&print, s->bytes, s->n);
	fingerprint_end(&print, s->print);
	s->whole = s->printed = s->valid = s->fresh = true;
}

/* It is what it was, or all that is known of it is this. */
static void say_print(struct cmp_reported *s, const unsigned char *bytes)
{
	if (!s->printed || memcmp(s->print, bytes, FINGERPRINT_BYTES))
		s->whole = false;
	memcpy(s->print, bytes, FINGERPRINT_BYTES);
	s->printed = s->valid = s->fresh = true;
}

static void say(struct tracediff *c, struct cmp_reported *s, const unsigned char *bytes,
		const struct trace_event *e)
{
	if (e->hashed == TRACE_VALUE_PART) {
		say_part(c, s, bytes, e);
	} else if (e->hashed == TRACE_VALUE_PRINT) {
		if (e->nbytes == FINGERPRINT_BYTES)
			say_print(s, bytes);
	} else if (reported_room(c, s, e->nbytes)) {
		if (e->nbytes)
			memcpy(s->bytes, bytes, e->nbytes);
		s->whole = s->valid = s->fresh = true;
	}
}

void cmp_value_now(struct tracediff *c, const struct trace_event *e, bool counts)
{
	struct cmp_known *k = e->ident < 0 ? NULL : known_of(c, (unsigned)e->ident);

	if (!k)
		return;
	say(c, &k->now, &c->seg.bytes[e->bytes], e);
	k->now.fresh = k->now.fresh && counts;
	k->at = cmp_suspicion_of(c, FINDING_VALUE, e);
	k->at.point = c->at;
	k->at.ident = e->ident;
}

void cmp_value_ref(struct tracediff *c, const struct segment *s, const struct trace_event *e)
{
	struct cmp_known *k = e->ident < 0 ? NULL : known_of(c, (unsigned)e->ident);

	if (k)
		say(c, &k->ref, &s->bytes[e->bytes], e);
}

void cmp_value_forget(struct tracediff *c)
{
	for (unsigned i = 0; i < c->nknown; i++) {
		struct cmp_known *k = &c->known[i];

		k->now.valid = k->ref.valid = false;
		k->now.fresh = k->ref.fresh = false;
		k->pending = false;
	}
	cmp_written_forget(c, -1);
}

void cmp_value_lost(struct tracediff *c, bool ref)
{
	for (unsigned i = 0; i < c->nknown; i++) {
		struct cmp_reported *s = ref ? &c->known[i].ref : &c->known[i].now;

		s->valid = s->fresh = s->whole = s->printed = false;
		s->got = 0;
		c->known[i].pending = false;
	}
	cmp_written_forget(c, -1);
}

void cmp_value_free(struct tracediff *c)
{
	cmp_written_forget(c, -1);
	for (unsigned i = 0; i < c->nknown; i++) {
		free(c->known[i].now.bytes);
		free(c->known[i].ref.bytes);
		free(c->known[i].wrong);
	}
	free(c->known);
	c->known = NULL;
	c->nknown = 0;
}

/* The value, and where it is in the object. */
static void value_at(struct cmp_suspicion *s, const unsigned char *now, const unsigned char *ref,
		     const struct tolerance_at *at)
{
	s->key = (uint64_t)at->byte | (uint64_t)s->ident << TRACE_KEY_BITS;
	s->size = at->size;
	s->has_now = s->has_ref = at->size > 0;
	s->now = tolerance_load(now + at->packed, at->size);
	s->ref = tolerance_load(ref + at->packed, at->size);
}

/* What is known of it, *n bytes that are the same when it is. */
static const unsigned char *reported_bytes(const struct cmp_reported *s, uint64_t *n)
{
	*n = s->printed ? FINGERPRINT_BYTES : s->n;
	return s->printed ? s->print : s->bytes;
}

static enum tolerance_verdict compare(const struct tracediff *c, const struct cmp_known *k,
				      unsigned ident, struct tolerance_at *at)
{
	const struct object_id *o = object_id_get(c->ref->idents, ident);
	const struct cmp_reported *a = &k->now, *b = &k->ref;

	*at = (struct tolerance_at){ 0 };
	if (!a->valid || !b->valid)
		return TRACE_UNKNOWN;
	if (a->printed && b->printed && !memcmp(a->print, b->print, sizeof(a->print)))
		return TRACE_SAME;
	if (a->whole && b->whole && a->n == b->n)
		return tolerance_object(&c->o.tolerance, &o->desc, a->bytes, b->bytes, a->n, false,
					at);
	if (!a->printed || !b->printed)
		return TRACE_UNKNOWN;
	return tolerance_object(&c->o.tolerance, &o->desc, a->print, b->print, sizeof(a->print),
				true, at);
}

/* Remembers what is wrong, so that it is reported once as long as it stays that. */
static void remember(struct cmp_known *k)
{
	uint64_t n;
	const unsigned char *bytes = reported_bytes(&k->now, &n);
	unsigned char *grown = realloc(k->wrong, n ? n : 1);

	k->nwrong = 0;
	if (!grown)
		return;
	k->wrong = grown;
	memcpy(k->wrong, bytes, n);
	k->nwrong = n;
}

static bool still(const struct cmp_known *k)
{
	uint64_t n;
	const unsigned char *bytes = reported_bytes(&k->now, &n);

	return k->nwrong && k->nwrong == n && !memcmp(k->wrong, bytes, n);
}

static void wrong(struct tracediff *c, struct cmp_known *k, unsigned ident,
		  const struct tolerance_at *at, const struct point *p, bool last)
{
	struct cmp_suspicion s = k->at;
	bool same = still(k);

	if (k->bad && same) {
		cmp_written_forget(c, (int32_t)ident);
		return;
	}
	s.ident = (int32_t)ident;
	s.point = *p;
	s.key = (uint64_t)ident << TRACE_KEY_BITS;
	if (k->now.whole && k->ref.whole)
		value_at(&s, k->now.bytes, k->ref.bytes, at);
	/* at an end a reduction may be under way */
	if (p->side == POINT_END && !k->bad && !last) {
		if (!k->pending || !same)
			k->since = s;
		k->pending = true;
		remember(k);
		return;
	}
	if (k->pending && same)
		s = k->since;
	k->pending = false;
	k->bad = true;
	remember(k);
	if (!cmp_written_suspect(c, &s))
		cmp_suspect(c, &s);
	cmp_written_forget(c, s.ident);
}

void cmp_value_compare(struct tracediff *c, const struct point *p, bool last)
{
	for (unsigned i = 0; i < c->nknown; i++) {
		struct cmp_known *k = &c->known[i];
		bool reported = k->now.fresh && k->ref.fresh;
		struct tolerance_at at;
		enum tolerance_verdict how;

		if (k->now.fresh && !k->ref.got && !k->ref.valid && !k->ref.n &&
		    (last || p->side == POINT_BEGIN))
			cmp_written_judge(c, (int32_t)i, &k->now);
		k->now.fresh = k->ref.fresh = false;
		if (!reported)
			continue;
		how = compare(c, k, i, &at);
		c->state.values += how != TRACE_UNKNOWN;
		if (how == TRACE_OTHER) {
			wrong(c, k, i, &at, p, last);
		} else if (how != TRACE_UNKNOWN) {
			k->bad = k->pending = false;
			k->nwrong = 0;
			cmp_written_forget(c, (int32_t)i);
		}
	}
}

/* ---- reductions ---- */

unsigned cmp_bytes_type(unsigned size, uint64_t x, uint64_t y)
{
	if (size == 8)
		return x >> 52 & 0x7ff || y >> 52 & 0x7ff ? VALUE_DOUBLE : VALUE_LONG;
	if (size == 4)
		return x >> 23 & 0xff || y >> 23 & 0xff ? VALUE_FLOAT : VALUE_INT;
	return VALUE_TYPES;
}

static enum tolerance_verdict compare_bytes(const struct tracediff *c, const unsigned char *a,
				     const unsigned char *b, uint32_t n)
{
	uint64_t x = tolerance_load(a, n), y = tolerance_load(b, n);
	unsigned type;

	if (!memcmp(a, b, n))
		return TRACE_SAME;
	type = cmp_bytes_type(n, x, y);
	if (type < VALUE_TYPES)
		return tolerance_check(&c->o.tolerance, type, n, x, y);
	return n <= 8 ? TRACE_OTHER : TRACE_UNKNOWN;
}

void cmp_reduction(struct tracediff *c, const struct trace_event *now, const struct ref_walk *w)
{
	const struct trace_event *ref = w->event;
	const unsigned char *a = &c->seg.bytes[now->bytes], *b = &w->seg->s.bytes[ref->bytes];
	struct cmp_suspicion s = cmp_suspicion_of(c, FINDING_REDUCTION, now);
	enum tolerance_verdict how = TRACE_UNKNOWN;
	struct tolerance_at at = { 0 };

	s.ident = now->ident;
	s.place = now->place;
	if (now->nbytes == ref->nbytes && now->ident >= 0)
		how = tolerance_object(&c->o.tolerance,
				       &object_id_get(c->ref->idents, (unsigned)now->ident)->desc,
				       a, b, now->nbytes, false, &at);
	else if (now->nbytes == ref->nbytes)
		how = compare_bytes(c, a, b, now->nbytes);
	c->state.reductions += how != TRACE_UNKNOWN;
	if (how != TRACE_OTHER)
		return;
	if (now->ident >= 0) {
		value_at(&s, a, b, &at);
	} else {
		s.has_now = s.has_ref = true;
		s.size = (uint8_t)(now->nbytes < 8 ? now->nbytes : 8);
		s.now = tolerance_load(a, s.size);
		s.ref = tolerance_load(b, s.size);
	}
	s.ref_at = (struct cmp_ref_spot){ true, w->file, w->block, ref->rec };
	s.order[0] = w->file ? 0 : (int64_t)w->block;
	s.order[1] = w->file ? 0 : ref->rec;
	cmp_suspect(c, &s);
}
