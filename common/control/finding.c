/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings, one for each kind, place and array; and doubts, which become findings when nothing that
 * the program declares later explains them.
 */
#include "common/control/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"

#define SITES_MOST 65534u

/* ---- places ---- */

static uint16_t site_known(struct dyncontrol *e, uint32_t site)
{
	struct trace_spot spot = { 0 };
	struct known_site *to;
	uint64_t key;

	inspect_spot(&spot, e->block, site, TRACE_NONE);
	key = trace_spot_key(&spot);
	for (uint32_t at = 0, i; hash_next(&e->known_at, key, &at, &i);)
		if (trace_spot_is(&e->known[i].spot, &spot))
			return (uint16_t)(i + 1);
	if (e->nknown >= SITES_MOST)
		return 0;
	to = vec_add(e->known, e->nknown);
	if (!to || !trace_spot_copy(&to->spot, &spot) ||
	    hash_put(&e->known_at, key, (uint32_t)e->nknown - 1)) {
		e->failed = true;
		return 0;
	}
	return (uint16_t)e->nknown;
}

uint16_t site_of(struct dyncontrol *e, uint32_t site)
{
	if (site >= e->block->nsite)
		return 0;
	if (!e->site[site])
		e->site[site] = site_known(e, site);
	return e->site[site];
}

/* ---- texts ---- */

static const char *index_text(const char *word, const int64_t *index, unsigned n, char *out,
			      size_t room)
{
	size_t at = (size_t)snprintf(out, room, n == 1 ? "%s " : "%s (", word);

	for (unsigned d = 0; d < n && at < room; d++)
		at += (size_t)snprintf(out + at, room - at, "%s%" PRId64, d ? "," : "", index[d]);
	if (n > 1 && at < room)
		snprintf(out + at, room - at, ")");
	return out;
}

const char *unit_text(const struct dyncontrol *e, const struct lane *l, char *out, size_t room)
{
	const struct level *in = e->nlevel ? &e->level[e->nlevel - 1] : NULL;

	if (in && in->kind == CONSTRUCT_TR) {
		snprintf(out, room, "task %" PRId64, in->task);
		return out;
	}
	return index_text("iteration", l->index, l->nidx, out, room);
}

const int32_t *unit_index(const struct level *l, uint32_t unit)
{
	size_t low = 0, high = l->nlogged, at = high ? unit - l->logged[0] : 0;

	/* mostly nothing else has got a number between them */
	if (at < high && l->logged[at] == unit)
		return l->log_lost ? NULL : &l->log[at * l->nidx];
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->logged[mid] < unit)
			low = mid + 1;
		else
			high = mid;
	}
	return !l->log_lost && low < l->nlogged && l->logged[low] == unit ? &l->log[low * l->nidx]
									  : NULL;
}

const char *unit_of_text(const struct dyncontrol *e, const struct level *l, uint32_t unit,
			 char *out, size_t room)
{
	int64_t index[ARRAY_DIMS];
	const int32_t *at;

	(void)e;
	if (l->kind == CONSTRUCT_TR) {
		for (size_t k = l->ntask; k-- > 0;) {
			if (l->task_begun[k].start > unit)
				continue;
			snprintf(out, room, "task %" PRId64, l->task_begun[k].number);
			return out;
		}
		snprintf(out, room, "another task");
		return out;
	}
	at = unit_index(l, unit);
	if (!at) {
		snprintf(out, room, "another iteration");
		return out;
	}
	for (unsigned d = 0; d < l->nidx; d++)
		index[d] = at[d];
	return index_text("iteration", index, l->nidx, out, room);
}

/* ---- findings ---- */

static void frames_of(const struct dyncontrol *e, struct trace_finding *f)
{
	const struct trace_cursor *at = e->at;
	unsigned depth = at->depth < TRACE_FRAMES ? at->depth : TRACE_FRAMES;
	unsigned skip = depth > TRACE_FINDING_DEPTH ? depth - TRACE_FINDING_DEPTH : 0;
	unsigned lost = at->depth - depth + skip;

	f->lost = (uint8_t)(lost < UINT8_MAX ? lost : UINT8_MAX);
	for (unsigned i = skip; i < depth; i++) {
		const struct trace_frame *from = &at->frame[i];
		struct report_frame *to = &f->frame[f->nframe++];

		*to = (struct report_frame){ .kind = from->kind,
					     .nidx = from->nidx,
					     .point = from->point };
		memcpy(to->idx, from->index, from->nidx * sizeof(to->idx[0]));
		if (from->place < e->block->nplace)
			to->place = e->block->place[from->place];
		else
			to->place = (struct place){ .file = "", .func = "", .module = "" };
	}
}

static void value_of(const struct dyncontrol *e, struct trace_finding *f, const struct access *a)
{
	const struct trace_rec *r = a->rec;

	if (!r || (r->op != TRACE_READ && r->op != TRACE_WRITE) || r->size > 8)
		return;
	f->value = (struct trace_pair){ .type = (uint8_t)inspect_type(e->block, r),
					.size = r->size,
					.has_now = true,
					.now = r->value[0] };
	if (f->value.type >= VALUE_TYPES)
		inspect_guess_type(&f->value);
}

static void finding_of(struct dyncontrol *e, struct trace_finding *f, unsigned kind,
		       const struct access *a, const struct trace_thing *thing, uint16_t other,
		       const char *note)
{
	static const struct place nowhere = { .file = "", .func = "", .module = "" };
	/* both ways of the same */
	const bool either = kind == FINDING_DEPENDENCE || kind == FINDING_SHARED;
	const struct trace_rec *r = a->rec;

	*f = (struct trace_finding){ .kind = (uint8_t)kind,
				     .count = 1,
				     .point = e->point,
				     .rank = e->o.rank,
				     .ref_rank = TRACE_NO_RANK,
				     .write = a->write && !either,
				     .note = note,
				     .operation = "" };
	f->spot.place = f->ref_spot.place = nowhere;
	if (r)
		inspect_spot(&f->spot, e->block, r->site, r->place);
	else if (a->spot)
		f->spot = *a->spot;
	if (other)
		f->ref_spot = e->known[other - 1].spot;
	f->thing.name = f->thing.file = f->thing.field = "";
	f->thing.spot.place = nowhere;
	if (thing)
		f->thing = *thing;
	else if (r)
		inspect_what(e->block, r, &f->thing);
	if (!thing && r && !a->slot)
		name_memory(e, a->addr, &f->thing);
	value_of(e, f, a);
	/* a task has no index: its number is in the note */
	if (a->lane && a->lane->unit && e->nlevel && e->level[e->nlevel - 1].kind == CONSTRUCT_PL) {
		f->nidx = a->lane->nidx;
		memcpy(f->index, a->lane->index, f->nidx * sizeof(f->index[0]));
		memcpy(f->order, f->index, f->nidx * sizeof(f->index[0]));
	}
	f->order[TRACE_ORDER - 1] = e->serial;
	frames_of(e, f);
}

static uint64_t key_of(const struct access *a, unsigned kind, const struct trace_thing *thing)
{
	uint64_t h = hash_mix(HASH_START, kind << 1 | a->write);

	h = hash_mix(h, a->spot ? trace_spot_key(a->spot) : a->site);
	if (a->slot && a->slot->array)
		return hash_mix(h, a->slot->array->addr);
	if (thing && thing->name)
		return hash_text(h, thing->name);
	if (a->slot)
		return hash_mix(h, a->slot->addr);
	return hash_mix(h, a->addr);
}

/* One that is known is only counted; *key: what distinguishes it otherwise. */
static bool is_counted(struct dyncontrol *e, uint64_t key)
{
	for (uint32_t at = 0, i; hash_next(&e->key_at, key, &at, &i);)
		if (e->key[i].key == key) {
			e->key[i].count++;
			e->findings.total++;
			return true;
		}
	return false;
}

static int key_put(struct dyncontrol *e, uint64_t key, struct trace_finding *f)
{
	struct found_key *to = vec_add(e->key, e->nkey);
	struct buf b = BUF_INIT;

	finding_key_code(CODEC_PUT(&b), f);
	if (!to || b.bad || hash_put(&e->key_at, key, (uint32_t)e->nkey - 1)) {
		buf_clear(&b);
		return -1;
	}
	to->key = key;
	to->data = malloc(b.len);
	to->n = (uint32_t)b.len;
	if (to->data)
		memcpy(to->data, b.data, b.len);
	buf_clear(&b);
	return to->data ? 0 : -1;
}

bool dyncontrol_found(struct dyncontrol *e, unsigned kind, const struct access *a)
{
	return is_counted(e, key_of(a, kind, NULL));
}

int dyncontrol_find(struct dyncontrol *e, unsigned kind, const struct access *a,
		    const struct trace_thing *thing, uint16_t other, const char *note)
{
	uint64_t key = key_of(a, kind, thing);
	struct trace_finding f;

	if (is_counted(e, key))
		return 0;
	finding_of(e, &f, kind, a, thing, other, note);
	return key_put(e, key, &f) || trace_findings_add(&e->findings, &f) ? -1 : 0;
}

void findings_flush(struct dyncontrol *e)
{
	for (size_t i = 0; i < e->nkey; i++) {
		struct found_key *k = &e->key[i];

		if (!k->count)
			continue;
		/* it has been added to the total already */
		e->findings.total -= k->count;
		trace_findings_count(&e->findings, k->data, k->n, k->count);
		k->count = 0;
	}
}

int dyncontrol_hint(struct dyncontrol *e, const struct access *a, const char *note)
{
	struct trace_finding f;

	finding_of(e, &f, FINDING_UNUSED, a, NULL, 0, note);
	f.point = (struct point){ 0 };
	return trace_findings_add(&e->findings, &f);
}

/* ---- doubts ---- */

/* All of a variable that is registered, or of a block. */
static void doubt_extent(const struct access *a, struct doubt *d)
{
	uint64_t bytes = a->slot ? a->slot->desc->elem_size : 0;

	d->lo = a->addr;
	d->hi = a->addr + a->size;
	if (!a->slot || a->slot->array)
		return;
	for (unsigned i = 0; i < a->slot->desc->ndim; i++)
		bytes *= (uint64_t)a->slot->desc->extent[i];
	if (a->slot->addr + bytes < d->hi)
		return;
	d->lo = a->slot->addr;
	d->hi = d->lo + bytes;
}

/* The place of a doubt with that key; *known: there is one that stands. NULL: no memory. */
static struct doubt *doubt_place(struct dyncontrol *e, uint64_t key, char why, unsigned kind,
				 bool *known)
{
	struct doubt *d;

	*known = false;
	for (uint32_t at = 0, i; hash_next(&e->doubt_at, key, &at, &i);) {
		d = &e->doubt[i];
		if (d->key != key || d->kind != why || d->finding != kind)
			continue;
		/* one that was taken back leaves its place to the next */
		*known = d->data != NULL;
		return d;
	}
	d = vec_add(e->doubt, e->ndoubt);
	return d && !hash_put(&e->doubt_at, key, (uint32_t)e->ndoubt - 1) ? d : NULL;
}

bool dyncontrol_doubted(struct dyncontrol *e, char why, unsigned kind, const struct access *a)
{
	uint64_t key = hash_mix(key_of(a, kind, NULL), (unsigned char)why);

	for (uint32_t at = 0, i; hash_next(&e->doubt_at, key, &at, &i);) {
		struct doubt *d = &e->doubt[i];

		if (d->key != key || d->kind != why || d->finding != kind)
			continue;
		d->count += d->data != NULL;
		return d->data;
	}
	return false;
}

int dyncontrol_doubt(struct dyncontrol *e, char why, unsigned kind, const struct access *a,
		     struct array *array, uint16_t other, const char *note)
{
	uint64_t key = hash_mix(key_of(a, kind, NULL), (unsigned char)why);
	struct trace_finding f;
	struct buf b = BUF_INIT;
	bool known;
	struct doubt *d = doubt_place(e, key, why, kind, &known);

	if (!d)
		return -1;
	if (known) {
		d->count++;
		return 0;
	}
	finding_of(e, &f, kind, a, NULL, other, note);
	trace_finding_put(&f, &b);
	doubt_extent(a, d);
	d->key = key;
	d->array = array;
	d->kind = why;
	d->finding = (uint8_t)kind;
	d->count = 1;
	d->n = b.len;
	d->data = b.bad ? NULL : malloc(b.len);
	if (d->data)
		memcpy(d->data, b.data, b.len);
	buf_clear(&b);
	return d->data ? 0 : -1;
}

void doubts_drop(struct dyncontrol *e, char why, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < e->ndoubt; i++) {
		struct doubt *d = &e->doubt[i];

		if (d->kind != why || d->hi <= lo || d->lo >= hi)
			continue;
		free(d->data);
		d->data = NULL;
	}
}

static int doubt_confirm(struct dyncontrol *e, struct doubt *d)
{
	struct trace_finding f;
	struct buf b = buf_view(d->data, d->n);
	int rc = trace_finding_get(&f, &b);

	f.count = d->count;
	rc = rc || trace_findings_add(&e->findings, &f);
	free(d->data);
	d->data = NULL;
	return rc ? -1 : 0;
}

int doubts_confirm(struct dyncontrol *e, char why, const struct array *array)
{
	for (size_t i = 0; i < e->ndoubt; i++) {
		struct doubt *d = &e->doubt[i];

		if (d->data && d->kind == why && (!array || d->array == array) &&
		    doubt_confirm(e, d))
			return -1;
	}
	return 0;
}

int doubts_settle(struct dyncontrol *e, char why, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < e->ndoubt; i++) {
		struct doubt *d = &e->doubt[i];

		if (d->data && d->kind == why && d->lo < hi && d->hi > lo && doubt_confirm(e, d))
			return -1;
	}
	return 0;
}

void dyncontrol_forget(struct dyncontrol *e)
{
	for (size_t i = 0; i < e->nknown; i++)
		trace_spot_clear(&e->known[i].spot);
	free(e->known);
	hash_clear(&e->known_at);
	for (size_t i = 0; i < e->nkey; i++)
		free(e->key[i].data);
	free(e->key);
	hash_clear(&e->key_at);
	for (size_t i = 0; i < e->ndoubt; i++)
		free(e->doubt[i].data);
	free(e->doubt);
	hash_clear(&e->doubt_at);
	trace_findings_clear(&e->findings);
	hints_forget(e);
	names_forget(e);
}
