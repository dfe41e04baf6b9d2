/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/pieces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/layout.h"
#include "common/array/value.h"
#include "frontend/data/fields.h"
#include "frontend/data/owners.h"
#include "frontend/util/loop.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define PIECE_BYTES ((uint64_t)1 << 20) /* what all on the way keep memory for */
#define MOST_BYTES ((uint64_t)4 << 30)	/* of what is in memory at once */

/* One element shows the type and everything that fetching can find wrong. */
static int probe(struct pieces *p, struct err *err)
{
	struct section one = { 0 };
	struct fetched f;
	int rc = 0;

	one.ndim = p->section.ndim;
	for (unsigned d = 0; d < one.ndim; d++) {
		int64_t g = section_index(&p->section, d, 0);

		one.dim[d] =
			(struct section_dim){ .scalar = true, .first = g, .last = g, .step = 1 };
	}
	if (fetch_large(p->s, p->name, one.ndim ? &one : NULL, p->who, UINT64_MAX, &f, err))
		return -1;
	p->type = f.q.type;
	if (f.q.type == VALUE_STRUCT)
		rc = err_set(err, "%s is a structure: choose one of its fields, as in %s.%s",
			     p->name, p->name, f.desc.nfield ? f.desc.field[0].name : "x");
	else if (f.q.ndim)
		rc = err_set(err, "%s is a small array in a structure: print shows it", p->name);
	fetched_clear(&f);
	return rc;
}

int pieces_find(struct pieces *p, struct session *s, const char *name, const struct section *sec,
		const struct rankset *who, struct err *err)
{
	int rc;

	*p = (struct pieces){ .s = s, .name = name, .who = who, .notes = json_array() };
	if (owners_of(s, name, who, &p->owner, &p->nowner, err)) {
		pieces_clear(p);
		return -1;
	}
	p->rank = p->owner[0].rank;
	p->desc = p->owner[0].desc;
	if (sec)
		xalloc_check(section_copy(&p->section, sec));
	fields_whole(&p->desc, &p->section);
	rc = section_bind(&p->section, name, p->desc.ndim, p->desc.lower, p->desc.extent, err);
	if (!rc && section_total(&p->section) == 0)
		rc = err_set(err, "%s has no elements", name);
	if (!rc)
		rc = probe(p, err);
	if (rc)
		pieces_clear(p);
	return rc;
}

void pieces_clear(struct pieces *p)
{
	owners_free(p->owner, p->nowner);
	json_decref(p->notes);
	section_clear(&p->section);
	memset(p, 0, sizeof(*p));
}

/* Positions `from` … `from + n - 1` of a dimension, as a dimension of a section. */
static int cut_dim(struct section_dim *out, const struct section *s, unsigned d, uint64_t from,
		   uint64_t n)
{
	const struct section_dim *in = &s->dim[d];

	*out = (struct section_dim){ .scalar = in->scalar,
				     .first = section_index(s, d, from),
				     .last = section_index(s, d, from + n - 1),
				     .step = in->scalar ? 1 : in->step };
	if (!in->vector)
		return 0;
	out->vector = calloc(n, sizeof(*out->vector));
	if (!out->vector)
		return -1;
	memcpy(out->vector, in->vector + from, n * sizeof(*out->vector));
	out->n = (uint32_t)n;
	return 0;
}

/* "eps differs between ranks: [3], [0:2]: choose one, as in [3] save eps …" */
static int report_groups(const struct pieces *p, const struct fetched *f, struct err *err)
{
	char text[300] = "", set[80];
	size_t used = 0;

	for (size_t g = 0; g < f->q.n && used < sizeof(text); g++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 !g		   ? ""
					 : g + 1 == f->q.n ? " and "
							   : ", ",
					 rankset_format(&f->q.group[g].ranks, set, sizeof(set)));
	return err_set(err,
		       "%s is not the same on all ranks: %s have different values; choose one by a "
		       "set in front, as in [%u]",
		       p->name, text, f->q.group[0].ranks.run[0].lo);
}

static int check(const struct pieces *p, const struct fetched *f, struct err *err)
{
	if (f->nmissing)
		return err_set(err, "%s: %" PRIu64 " elements are missing: %s", p->name,
			       f->nmissing, fetched_lack(f));
	if (f->q.n > 1)
		return report_groups(p, f, err);
	if (f->q.type != p->type)
		return err_set(err, "%s has changed its type meanwhile", p->name);
	return 0;
}

/* A piece: some positions of dimension `dim`, all of the faster ones, one of each slower. */
struct cut {
	const struct pieces *p;
	unsigned rank[ARRAY_DIMS]; /* dimensions, slowest first */
	unsigned dim;		   /* in rank[]: the one that is cut */
	uint64_t at[ARRAY_DIMS],
		n; /* by dimension; positions of the piece in the one that is cut */
};

static void plan(struct cut *c, const struct pieces *p, bool fortran)
{
	uint64_t bytes = value_size(p->type);
	unsigned ndim = p->section.ndim;

	*c = (struct cut){ .p = p };
	for (unsigned k = 0; k < ndim; k++)
		c->rank[k] = fortran ? ndim - 1 - k : k;
	for (unsigned k = ndim; k--;) {
		uint64_t count = section_count(&p->section, c->rank[k]);

		c->dim = k;
		c->n = count;
		if (bytes * count > PIECE_BYTES) {
			c->n = PIECE_BYTES / bytes ? PIECE_BYTES / bytes : 1;
			break;
		}
		bytes *= count;
	}
}

static int piece_section(const struct cut *c, struct section *out, uint64_t *count)
{
	const struct section *s = &c->p->section;

	memset(out, 0, sizeof(*out));
	out->ndim = s->ndim;
	for (unsigned k = 0; k < s->ndim; k++) {
		unsigned d = c->rank[k];
		uint64_t from = k > c->dim ? 0 : c->at[d], all = section_count(s, d);

		count[d] = k < c->dim ? 1 : all - from;
		if (k == c->dim && count[d] > c->n)
			count[d] = c->n;
		if (cut_dim(&out->dim[d], s, d, from, count[d]))
			return -1;
	}
	return 0;
}

/* On to the next piece; false behind the last. */
static bool cut_on(struct cut *c)
{
	const struct section *s = &c->p->section;
	uint64_t step = c->n;

	for (unsigned k = c->dim + 1; s->ndim && k--; step = 1) {
		unsigned d = c->rank[k];

		c->at[d] += step;
		if (c->at[d] < section_count(s, d))
			return true;
		c->at[d] = 0;
	}
	return false;
}

/* A piece that has been asked for. */
struct piece {
	struct section section;
	uint64_t count[ARRAY_DIMS];
	struct fetch_part part;
};

/* Whoever has something of the section, and only once when it counts. */
static void find_owners(const struct pieces *p, const struct section *s, struct rankset *out)
{
	uint32_t size = (uint32_t)value_size(p->type);

	for (size_t i = 0; i < p->nowner; i++) {
		struct layout l = { 0 };

		if (p->desc.kind != ARRAY_DISTRIBUTED ||
		    layout_section(&l, &p->owner[i].desc, size, s, NULL) || layout_total(&l))
			xrankset_add(out, p->owner[i].rank, p->owner[i].rank);
		layout_clear(&l);
	}
}

/* Asks the owners of the current piece, where that is enough; else it is asked for when it is due.
 */
static int ask_piece(const struct cut *c, struct piece *x, struct err *err)
{
	const struct pieces *p = c->p;
	struct rankset who = { 0 };
	int rc = 0;

	*x = (struct piece){ 0 };
	if (piece_section(c, &x->section, x->count))
		return err_set(err,
			       "out of memory for the indices: choose a section without lists");
	if (p->section.ndim && !p->desc.copies)
		find_owners(p, &x->section, &who);
	if (who.n)
		rc = fetch_ahead(p->s, p->name, &p->desc, &x->section, &who, &x->part, err);
	rankset_clear(&who);
	return rc;
}

static void piece_clear(const struct pieces *p, struct piece *x)
{
	fetch_part_clear(p->s, &x->part);
	section_clear(&x->section);
}

/* What the owners have answered; where that is not all of it everybody is asked, who says why. */
static int take_piece(const struct pieces *p, struct piece *x, pieces_fn fn, void *arg,
		      struct err *err)
{
	struct fetched all = { .nmissing = 0 }, *f = &x->part.f;
	struct err ignored = { "" };
	int rc = 0;

	if (!x->part.req || fetch_await(p->s, &x->part, &ignored) || f->nmissing) {
		f = &all;
		rc = fetch_all(p->s, p->name, x->section.ndim ? &x->section : NULL, p->who, f, err);
	}
	if (!rc)
		rc = check(p, f, err);
	if (!rc && !json_array_size(p->notes))
		json_array_extend(p->notes, f->notes);
	if (!rc)
		rc = fn(arg, f->q.group[0].bytes, x->count, err);
	fetched_clear(&all);
	return rc;
}

/* Of the indices of the slowest dimension that has more than one, with the current piece. */
static double share_done(const struct cut *c)
{
	const struct section *s = &c->p->section;
	double done = 0, width = 1;

	for (unsigned k = 0; k <= c->dim && k < s->ndim; k++) {
		double count = (double)section_count(s, c->rank[k]);

		width /= count;
		done += width * ((double)c->at[c->rank[k]] + (k == c->dim ? (double)c->n : 0));
	}
	return done < 1 ? done : 1;
}

int pieces_fetch(const struct pieces *p, bool fortran, pieces_fn fn, void *arg, struct err *err)
{
	struct piece x[2] = { { .part = { .req = NULL } } };
	bool more = true;
	struct cut c;
	double done;
	int rc;

	plan(&c, p, fortran);
	rc = ask_piece(&c, &x[0], err);
	for (unsigned i = 0; !rc && more; i = !i) {
		done = share_done(&c);
		more = cut_on(&c);
		/* the next one is on its way meanwhile */
		if (more)
			rc = ask_piece(&c, &x[!i], err);
		rc = rc ? rc : take_piece(p, &x[i], fn, arg, err);
		/* then some have not answered, which is not what is wrong */
		if (loop_interrupted(p->s->loop))
			rc = err_set(err, "%s: interrupted", p->name);
		p->s->progress = done;
		piece_clear(p, &x[i]);
	}
	piece_clear(p, &x[0]);
	piece_clear(p, &x[1]);
	p->s->progress = 0;
	return rc;
}

/* The block that pieces are appended to. */
struct block {
	unsigned char *bytes;
	uint64_t used;
	unsigned ndim;
	size_t size;
};

static int append(void *arg, const void *elements, const uint64_t *count, struct err *err)
{
	struct block *b = arg;
	uint64_t total = b->size;

	for (unsigned d = 0; d < b->ndim; d++)
		total *= count[d];
	memcpy(b->bytes + b->used, elements, total);
	b->used += total;
	return 0;
}

void *pieces_all(const struct pieces *p, struct err *err)
{
	struct block b = { .ndim = p->section.ndim, .size = value_size(p->type) };
	uint64_t total = section_total(&p->section);

	if (total > MOST_BYTES / b.size) {
		err_set(err,
			"%s has %" PRIu64 " elements here, more than %" PRIu64
			" GiB, which is the limit of a comparison: choose a section",
			p->name, total, MOST_BYTES >> 30);
		return NULL;
	}
	b.bytes = malloc(total * b.size);
	if (!b.bytes) {
		xalloc_refused(total * b.size, "choose a smaller section", err);
		return NULL;
	}
	if (pieces_fetch(p, false, append, &b, err)) {
		free(b.bytes);
		return NULL;
	}
	return b.bytes;
}
