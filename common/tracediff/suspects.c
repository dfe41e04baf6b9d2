/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Suspicions, and the findings that are made of them at the end of each block, when the records are
 * read once more for source positions, the construct stack and operands.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"
#include "common/tracediff/internal.h"
#include "common/tracereport/tracereport.h"
#include "common/array/value.h"

#define SUSPECTS 65536u /* more kinds, positions and objects are only counted */

uint64_t cmp_site_hash(const struct trace_block *b, uint32_t site)
{
	return site < b->nsite ? segment_place_hash(&b->site[site].place) : 0;
}

/* Whether that rank of the reference has the element, in a halo or as its own. */
static bool lies_there(const struct tracediff *c, const struct object_id *o, uint64_t key,
		       uint32_t file)
{
	const struct array_desc *a = file < c->ref->files && o->ref ? o->ref[file] : NULL;
	int64_t index[ARRAY_DIMS];
	uint32_t within;

	if (!a || o->moves || a->kind != ARRAY_DISTRIBUTED)
		return true;
	object_id_index(o, key & TRACE_KEY_MASK, index, &within);
	return object_id_desc_has(a, index, true);
}

bool cmp_use(const struct tracediff *c, struct cmp_suspicion *s, uint32_t file)
{
	const struct object_id *o = object_id_get(c->ref->idents, (unsigned)s->ident);

	/* it may come later */
	if (!o->in_ref)
		trace_index_meet(c->ref, c->o.rank % c->ref->files);
	if (o->in_ref)
		return lies_there(c, o, s->key, file);
	/* an iteration that both have writes what the other run nowhere touches */
	if (object_id_other(c->ref->idents, (unsigned)s->ident, true) < 0)
		return s->write;
	s->kind = FINDING_SHAPE;
	return true;
}

struct cmp_suspicion cmp_suspicion_of(const struct tracediff *c, unsigned kind,
				      const struct trace_event *e)
{
	struct cmp_suspicion s = { .kind = (uint8_t)kind,
				   .ident = -1,
				   .point = e->point.main ? e->point : c->at,
				   .place = e->place,
				   .at = { c->block, e->rec } };

	if (e->op == TRACE_ITER) {
		s.nidx = e->nidx;
		memcpy(s.index, &c->seg.index[e->index], e->nidx * sizeof(*s.index));
	} else if (e->in_task) {
		s.nidx = 1;
		s.index[0] = e->task;
	}
	return s;
}

/* ---- the table of suspects ---- */

static uint64_t key_of(const struct cmp_suspicion *s)
{
	return s->place ^ (uint64_t)s->kind << 40 ^ (uint64_t)s->write << 50 ^
	       (uint64_t)(uint32_t)s->ident;
}

static bool is_equal(const struct cmp_suspicion *a, const struct cmp_suspicion *b)
{
	return a->kind == b->kind && a->write == b->write && a->ident == b->ident &&
	       a->place == b->place;
}

static struct cmp_suspect *suspect_find(const struct tracediff *c, const struct cmp_suspicion *s)
{
	uint64_t key = key_of(s);

	for (uint32_t at = 0, i; hash_next(&c->suspects, key, &at, &i);)
		if (is_equal(&c->suspect[i].first, s))
			return &c->suspect[i];
	return NULL;
}

static void suspect_add(struct tracediff *c, const struct cmp_suspicion *s)
{
	if (c->nsuspect >= SUSPECTS) {
		c->findings.total++;
		c->findings.more = true;
		return;
	}
	if (vec_more(c->suspect, c->nsuspect, 1) ||
	    hash_put(&c->suspects, key_of(s), c->nsuspect)) {
		c->failed = true;
		return;
	}
	c->suspect[c->nsuspect++] = (struct cmp_suspect){ .first = *s, .count = 1, .fresh = true };
}

bool cmp_suspected(const struct tracediff *c, const struct cmp_suspicion *s)
{
	return suspect_find(c, s) != NULL;
}

void cmp_suspect(struct tracediff *c, const struct cmp_suspicion *s)
{
	struct cmp_suspect *known = suspect_find(c, s);

	if (!known) {
		suspect_add(c, s);
		return;
	}
	known->count++;
	if (finding_order(&s->point, s->order, 0, &known->first.point, known->first.order, 0) < 0) {
		known->first = *s;
		known->fresh = true;
	}
}

/* ---- findings ---- */

static void report_thing(const struct tracediff *c, const struct cmp_suspicion *s,
			 struct trace_finding *f)
{
	const struct object_id *o = NULL;
	unsigned type = cmp_bytes_type(s->size, s->now, s->ref);
	uint32_t within;

	if (s->ident >= 0) {
		o = object_id_get(c->ref->idents, (unsigned)s->ident);
		object_id_index(o, s->key & TRACE_KEY_MASK, f->thing.index, &within);
		inspect_array(&o->desc, within, &f->thing);
		inspect_half(&o->desc, s->size, &f->thing);
		type = object_id_type(o, within, s->size);
	}
	if (!s->has_now && !s->has_ref) {
		/* it is not known which element */
		if (o && o->desc.kind == ARRAY_REPLICATED)
			f->thing.ndim = 0;
		return;
	}
	f->value = (struct trace_pair){ .type = (uint8_t)type,
					.size = s->size,
					.has_now = s->has_now,
					.has_ref = s->has_ref,
					.now = s->now,
					.ref = s->ref };
	if (s->has_now && s->has_ref) {
		struct trace_tolerance tol = c->o.tolerance;

		if (o)
			tol = cmp_tolerance(c, o, s->key, type);
		f->off = tolerance_off(&tol, f->value.type, s->now, s->ref, &f->limit);
	}
}

/* Of this run: the block before is held as long as nothing newer came of its thread. */
static void inspect_now(const struct tracediff *c, struct inspect *l, const struct cmp_spot *at)
{
	struct inspect_at x = { .block = at->block, .rec = at->rec };

	if (!at->block)
		return;
	inspect_look(l, &x, false);
	for (uint32_t i = 0; i < c->nthread && inspect_wants_before(l); i++)
		if (c->thread[i].block == at->block)
			x.before = c->thread[i].before;
	if (!x.before)
		return;
	memset(l, 0, sizeof(*l));
	inspect_look(l, &x, false);
}

/* Of the reference. The blocks, which are to be freed, are held. */
static void inspect_ref(const struct tracediff *c, struct inspect *l, const struct cmp_ref_spot *at,
			struct trace_block *held[3])
{
	struct inspect_at x = { .rec = at->rec };

	if (!at->valid)
		return;
	x.block = held[1] = ref_block_load(c->ref, at->file, at->block);
	if (!x.block)
		return;
	inspect_look(l, &x, true);
	if (inspect_wants_before(l))
		x.before = held[0] = ref_block_adjacent(c->ref, at->file, at->block, -1);
	if (inspect_wants_after(l))
		x.after = held[2] = ref_block_adjacent(c->ref, at->file, at->block, 1);
	if (!x.before && !x.after)
		return;
	memset(l, 0, sizeof(*l));
	inspect_look(l, &x, true);
}

/* The key is made when it is wanted. */
static void report_into(struct tracediff *c, const struct cmp_suspicion *s, uint64_t count,
			struct trace_findings *to, struct buf *key)
{
	struct trace_finding f = { .kind = s->kind,
				   .count = count,
				   .point = s->point,
				   .rank = c->o.rank,
				   .ref_rank = TRACE_NO_RANK,
				   .nidx = s->nidx,
				   .write = s->write,
				   .mode = c->o.tolerance.mode,
				   .fewer = s->fewer,
				   .missing = s->missing };
	struct inspect *now = calloc(2, sizeof(*now)), *ref = now + 1;
	struct trace_block *held[3] = { NULL };

	if (!now) {
		c->failed = true;
		return;
	}
	memcpy(f.order, s->order, sizeof(f.order));
	memcpy(f.index, s->index, sizeof(f.index));
	report_thing(c, s, &f);
	inspect_now(c, now, &s->at);
	inspect_ref(c, ref, &s->ref_at, held);
	if (s->ref_at.valid)
		f.ref_rank = c->ref->file[s->ref_at.file].rank;
	inspect_from(&f, now, ref, s->access && s->write, &c->o.tolerance);
	if (trace_findings_add(to, &f) || now->failed || ref->failed)
		c->failed = true;
	if (key)
		finding_key_code(CODEC_PUT(key), &f);
	for (unsigned i = 0; i < 3; i++)
		trace_block_free(held[i]);
	free(now);
}

static void report(struct tracediff *c, struct cmp_suspect *sus)
{
	struct buf key = BUF_INIT;

	report_into(c, &sus->first, sus->count, &c->findings, &key);
	if (key.bad) {
		c->failed = true;
		buf_clear(&key);
	} else {
		free(sus->key);
		sus->key = key.data;
		sus->nkey = (uint32_t)key.len;
	}
	sus->fresh = false;
	sus->count = 0;
}

void cmp_report_later(struct tracediff *c, const struct cmp_suspicion *s, struct trace_findings *to)
{
	report_into(c, s, 1, to, NULL);
}

void cmp_suspect_deferred(struct tracediff *c, const struct cmp_suspicion *s, uint64_t count,
			  const struct trace_findings *made)
{
	struct cmp_suspect *sus;

	if (!made->n) {
		cmp_suspect(c, s);
		sus = suspect_find(c, s);
		if (sus)
			sus->count += count - 1;
		return;
	}
	if (trace_findings_merge(&c->findings, made))
		c->failed = true;
	if (suspect_find(c, s))
		return;
	suspect_add(c, s);
	sus = suspect_find(c, s);
	if (!sus)
		return;
	/* it has been made */
	sus->fresh = false;
	sus->count = 0;
	sus->nkey = made->item[0].nkey;
	sus->key = malloc(sus->nkey ? sus->nkey : 1);
	if (sus->key)
		memcpy(sus->key, made->item[0].key, sus->nkey);
	else
		sus->nkey = 0;
}

void cmp_report(struct tracediff *c)
{
	for (uint32_t i = 0; i < c->nsuspect; i++) {
		struct cmp_suspect *sus = &c->suspect[i];

		if (sus->fresh) {
			report(c, sus);
		} else if (sus->count) {
			trace_findings_count(&c->findings, sus->key, sus->nkey, sus->count);
			sus->count = 0;
		}
		/* blocks do not stay */
		sus->first.at.block = NULL;
	}
}
