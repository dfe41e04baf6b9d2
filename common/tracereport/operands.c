/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a write was computed from: the reads before it in its iteration, each with the reference's
 * read of the same element, on whatever line that is.
 */
#include <stdlib.h>
#include <string.h>

#include "common/traceindex/traceindex.h"
#include "common/tracereport/tracereport.h"
#include "common/array/value.h"

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* One address in one module, wherever that was loaded; of two builds, and of memory that has no
 * such name (on a stack), nothing is known. */
static bool same_spot(const struct trace_spot *a, const struct trace_spot *b)
{
	bool in_a = a->place.module && *a->place.module, in_b = b->place.module && *b->place.module;

	if (!in_a || !in_b)
		return in_a == in_b;
	if (strcmp(file_name(a->place.module), file_name(b->place.module)) != 0)
		return false;
	if (a->nbuild_id != b->nbuild_id ||
	    (a->nbuild_id && memcmp(a->build_id, b->build_id, a->nbuild_id) != 0))
		return true;
	return a->place.vaddr == b->place.vaddr;
}

static bool same_thing(const struct trace_thing *a, const struct trace_thing *b)
{
	if (a->what != b->what || a->what == TRACE_WHAT_NONE)
		return a->what == b->what;
	if (a->what == TRACE_WHAT_ADDRESS && (a->name || b->name))
		return a->name && b->name && !strcmp(a->name, b->name) &&
		       a->index[0] == b->index[0];
	if (a->what == TRACE_WHAT_ADDRESS)
		return same_spot(&a->spot, &b->spot);
	if (a->what == TRACE_WHAT_HEAP)
		return a->within == b->within && same_spot(&a->spot, &b->spot);
	return a->ndim == b->ndim && a->within == b->within && a->counter == b->counter &&
	       !strcmp(a->name, b->name) &&
	       !memcmp(a->index, b->index, a->ndim * sizeof(*a->index));
}

/* A read of an iteration. */
struct seen {
	const struct trace_block *block;
	const struct trace_rec *r;
	struct trace_thing thing;
	uint64_t place; /* a hash */
};

/* Those of an iteration, in the order of execution. */
struct reads {
	struct seen item[2 * TELL_READS];
	unsigned n, before; /* as many of them before the record */
	bool cut;	    /* there are more before it */
};

static void see(struct reads *all, const struct inspect_read *r)
{
	struct seen *s = &all->item[all->n++];
	struct trace_spot spot = { 0 };

	*s = (struct seen){ .block = r->block, .r = &r->rec };
	inspect_what(r->block, &r->rec, &s->thing);
	inspect_spot(&spot, r->block, r->rec.site, TRACE_NONE);
	s->place = segment_place_hash(&spot.place);
}

static void see_all(struct reads *all, const struct inspect *l)
{
	unsigned held = l->nread - l->first;

	all->cut = held > TELL_READS || (!l->begun && !l->first);
	if (held > TELL_READS)
		held = TELL_READS;
	for (unsigned i = l->nread - held; i < l->nread; i++)
		see(all, &l->read[i % TELL_READS]);
	all->before = all->n;
	for (unsigned i = 0; i < l->nlate; i++)
		see(all, &l->late[i]);
}

static bool same_read(const struct seen *a, const struct seen *b)
{
	return a->r->size == b->r->size &&
	       (a->place == b->place || a->thing.what == TRACE_WHAT_ARRAY) &&
	       same_thing(&a->thing, &b->thing);
}

/* How many of the reads first … end - 1 are like it; when there are more than nth, *at is that one.
 */
static unsigned count_like(const struct seen *like, const struct reads *all, unsigned first,
			   unsigned end, unsigned nth, const struct seen **at)
{
	unsigned n = 0;

	for (unsigned i = first; i < end; i++) {
		if (!same_read(like, &all->item[i]))
			continue;
		if (n++ == nth)
			*at = &all->item[i];
	}
	return n;
}

/* One with the same value, however often it is read, on the same line if there is one; NULL: none
 * that is held. */
static const struct seen *same_value(const struct seen *like, const struct reads *all)
{
	const struct seen *at = NULL;

	for (unsigned i = 0; i < all->n; i++) {
		const struct seen *s = &all->item[i];

		if (!same_read(like, s) || like->r->value[0] != s->r->value[0])
			continue;
		if (s->place == like->place)
			return s;
		at = at ? at : s;
	}
	return at;
}

/*
 * The reference's counterpart of read k: of the same element, as often read before, on whatever
 * line; NULL: the iteration does not read it there.
 */
static const struct seen *match(const struct reads *now, unsigned k, const struct reads *ref)
{
	const struct seen *s = &now->item[k], *at = NULL;
	unsigned nth = count_like(s, now, 0, k, 0, &at);
	unsigned here = count_like(s, now, 0, now->before, 0, &at), there;

	at = NULL;
	there = count_like(s, ref, 0, ref->before, nth, &at);
	if (there && there != here) {
		unsigned later = here - nth;

		at = same_value(s, ref);
		if (!at)
			count_like(s, ref, 0, ref->before, there > later ? there - later : 0, &at);
	}
	if (there)
		return at;
	there = count_like(s, ref, ref->before, ref->n, nth, &at);
	/* how often it was read before is not known: only one of its values may be said */
	if (now->cut && there > 1)
		return same_value(s, ref);
	if (there && !at)
		count_like(s, ref, ref->before, ref->n, 0, &at);
	return at;
}

static void operand_from(struct trace_operand *o, const struct seen *s)
{
	*o = (struct trace_operand){ .thing = s->thing };
	inspect_spot(&o->spot, s->block, s->r->site, TRACE_NONE);
	o->value.type = (uint8_t)inspect_type(s->block, s->r);
	/* of long ones the first half */
	o->value.size = s->r->size > 8 ? 8 : s->r->size;
	o->value.has_now = true;
	o->value.now = s->r->value[0];
}

/* Bits that no whole number, address or piece of text is likely to have. */
static bool is_double(uint64_t v)
{
	unsigned e = v >> 52 & 0x7ff;

	return (e > 823 && e < 1223) || !v || (v & ~(UINT64_C(1) << 63)) == UINT64_C(0x7ff8) << 48;
}

static bool is_float(uint64_t v)
{
	unsigned e = v >> 23 & 0xff;

	return (e > 97 && e < 157) || !v || (v & 0x7fffffff) == 0x7fc00000;
}

/*
 * What nobody registered has no type. Real numbers are known by their bits; all else may depend on
 * who owns what, or on where memory is, and is not compared.
 */
void inspect_guess_type(struct trace_pair *v)
{
	if (v->size == 8 && is_double(v->now) && is_double(v->ref))
		v->type = VALUE_DOUBLE;
	else if (v->size == 4 && is_float(v->now) && is_float(v->ref))
		v->type = VALUE_FLOAT;
}

enum tolerance_verdict inspect_compare(const struct trace_tolerance *tol,
				       const struct trace_thing *thing, const struct trace_pair *v)
{
	const struct trace_tolerance scaled = inspect_tolerance(tol, thing, v->type);

	return tolerance_check(&scaled, v->type, v->size, v->now, v->ref);
}

struct trace_tolerance inspect_tolerance(const struct trace_tolerance *tol,
					 const struct trace_thing *thing, unsigned type)
{
	const struct sum_scale id = { .name = (char *)thing->name,
				      .file = (char *)thing->file,
				      .line = thing->line,
				      .counter = thing->counter };

	if (thing->what == TRACE_WHAT_ARRAY)
		return tolerance_scaled(tol, type, &id, thing->index);
	return tolerance_scaled(tol, type, &(struct sum_scale){ 0 }, thing->index);
}

/* Of an element of no known type, a structure's, any difference counts: it is shown, not judged. */
static bool operand_differs(const struct trace_operand *o, const struct trace_tolerance *tol)
{
	const struct trace_pair *v = &o->value;
	enum tolerance_verdict how = inspect_compare(tol, &o->thing, v);

	return how == TRACE_OTHER || (how == TRACE_UNKNOWN && v->type >= VALUE_TYPES &&
				      v->now != v->ref && o->thing.what == TRACE_WHAT_ARRAY);
}

/* The operand has been taken already, with the same values. */
static bool taken(const struct trace_operand *o, const struct trace_operand *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct trace_pair *a = &o->value, *b = &list[i].value;

		if (same_thing(&o->thing, &list[i].thing) && o->thing.what == TRACE_WHAT_ARRAY &&
		    a->size == b->size && a->now == b->now && a->has_ref == b->has_ref &&
		    (!a->has_ref || a->ref == b->ref))
			return true;
	}
	return false;
}

/* The first operand, or the last, that is the same in both runs goes; false: none is. */
static bool drop_same(struct trace_operand *list, unsigned *n, bool from_end)
{
	for (unsigned i = 0; i < *n; i++) {
		unsigned k = from_end ? *n - 1 - i : i;

		if (list[k].other || !list[k].value.has_now || !list[k].value.has_ref)
			continue;
		memmove(&list[k], &list[k + 1], (*n - k - 1) * sizeof(*list));
		--*n;
		return true;
	}
	return false;
}

/* What only the reference reads before it, behind the n operands there are; sure: for it. */
static unsigned add_unread(struct trace_operand *list, unsigned n, const struct inspect *ref,
			   const struct reads *there, const struct reads *here, bool sure)
{
	/* the others were read for other elements */
	unsigned last = ref->nread - there->before;

	for (unsigned k = ref->since > last ? ref->since - last : 0; k < there->before; k++) {
		const struct seen *s = &there->item[k], *at = NULL;
		struct trace_operand o;

		if (s->thing.what != TRACE_WHAT_ARRAY ||
		    count_like(s, here, 0, here->before, 0, &at))
			continue;
		operand_from(&o, s);
		o.other = sure;
		o.value.has_now = false;
		o.value.has_ref = true;
		o.value.ref = o.value.now;
		o.value.now = 0;
		if (!taken(&o, list, n) && (n < TRACE_OPERANDS || drop_same(list, &n, false)))
			list[n++] = o;
	}
	return n;
}

/*
 * The last reads before it, each with the reference's; what is read again is reported once. When
 * there are too many, those go first that are the same in both runs.
 */
static void operands_of(struct trace_finding *f, const struct reads *now, const struct reads *ref,
			const struct trace_tolerance *tol)
{
	struct trace_operand list[TRACE_OPERANDS]; /* from the last backwards */
	unsigned n = 0;

	f->cut = now->cut;
	for (unsigned k = now->before; k-- > 0;) {
		const struct seen *s = &now->item[k], *r = match(now, k, ref);
		struct trace_operand o;

		if (s->thing.what != TRACE_WHAT_ARRAY && s->r->flags & TRACE_WRITES)
			continue;
		operand_from(&o, s);
		if (r) {
			o.value.has_ref = true;
			o.value.ref = r->r->value[0];
			inspect_spot(&o.ref_spot, r->block, r->r->site, TRACE_NONE);
			if (o.thing.what != TRACE_WHAT_ARRAY && o.value.type >= VALUE_TYPES)
				inspect_guess_type(&o.value);
			o.other = operand_differs(&o, tol) ||
				  (s->r->size > 8 && s->r->value[1] != r->r->value[1]);
		}
		/* of what is not registered only what differs shows something */
		if (taken(&o, list, n) || (ref->n && o.thing.what != TRACE_WHAT_ARRAY && !o.other &&
					   (r || !o.thing.name)))
			continue;
		f->cut |= n == TRACE_OPERANDS;
		if (n < TRACE_OPERANDS ||
		    ((o.other || (!r && f->ref_whole)) && drop_same(list, &n, true)))
			list[n++] = o;
	}
	f->noperand = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		f->operand[i] = list[n - 1 - i];
}

void inspect_operands(struct trace_finding *f, const struct inspect *now, const struct inspect *ref,
		      const struct trace_tolerance *tol)
{
	struct reads *all = calloc(2, sizeof(*all));
	/* where no iterations are marked, another statement is in another state of things */
	bool apart = ref->found && ref->rec.op == TRACE_WRITE && !inspect_in_iteration(now) &&
		     segment_place_hash(&f->spot.place) != segment_place_hash(&f->ref_spot.place);

	/* what is read for other elements depends on which of them a rank has */
	bool alone = ref->found && !apart && ref->begun && now->begun && !ref->since &&
		     !now->since && ref->nread <= TELL_READS;

	if (!all)
		return;
	see_all(&all[0], now);
	if (ref->found && !apart)
		see_all(&all[1], ref);
	f->ref_whole = ref->found && !apart && ref->begun && ref->ended && !ref->first &&
		       ref->nread <= TELL_READS;
	operands_of(f, &all[0], &all[1], tol);
	if ((f->ref_whole || alone) && !all[0].cut)
		f->noperand =
			(uint8_t)add_unread(f->operand, f->noperand, ref, &all[1], &all[0], alone);
	free(all);
}
