/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An array that is not distributed correctly: who owns what, which elements nobody owns, and which
 * more than one rank does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/layout.h"
#include "common/core/err.h"
#include "frontend/diff/diff.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"

#define MOST_ELEMENTS ((uint64_t)1 << 26) /* a byte for each */
#define OWNERS 16			  /* ranks that are reported */
#define BOX_TEXT 400

/* Elements of one kind, and the box around them, from 0. */
struct spot {
	uint64_t n;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
};

/* Whether element k of the run is in the array: lists may say anything. */
static bool inside(const struct layout_walk *w, uint64_t k, const struct sum_plan *p)
{
	uint64_t at[ARRAY_DIMS];

	layout_coordinates(w, k, at);
	for (unsigned d = 0; d < p->ndim; d++)
		if (at[d] >= (uint64_t)p->extent[d])
			return false;
	return true;
}

/* Counts the rank at each element that it owns. */
static void mark(const struct array_desc *a, const struct mismatch *m, unsigned char *count)
{
	const struct sum_plan *p = &m->plan;
	struct layout_walk w;
	struct layout_run r;
	struct layout l;

	layout_own(&l, a, 1);
	memcpy(l.lower, m->id.lower, p->ndim * sizeof(l.lower[0]));
	layout_walk(&w, &l, LAYOUT_C);
	layout_walk_dense(&w, (const uint64_t *)p->extent);
	while (layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n; k++)
			if (inside(&w, k, p) && count[r.key + k * r.step] < 2)
				count[r.key + k * r.step]++;
}

static void spot_add(struct spot *s, const struct sum_plan *p, uint64_t at)
{
	for (unsigned d = p->ndim; d-- > 0; at /= (uint64_t)p->extent[d]) {
		int64_t x = (int64_t)(at % (uint64_t)p->extent[d]);

		s->lo[d] = s->n && s->lo[d] < x ? s->lo[d] : x;
		s->hi[d] = s->n && s->hi[d] > x ? s->hi[d] : x;
	}
	s->n++;
}

static uint64_t box_total(const struct spot *s, unsigned ndim)
{
	uint64_t total = 1;

	for (unsigned d = 0; d < ndim; d++)
		total *= (uint64_t)(s->hi[d] - s->lo[d] + 1);
	return total;
}

/* "u(-12:12,12)" or "u[0:4][2]" of a box from 0. */
static const char *box_text(const struct mismatch *m, const int64_t *lo, const int64_t *hi,
			    char out[BOX_TEXT])
{
	bool c = m->id.order == 'C';
	int used = snprintf(out, BOX_TEXT, "%.100s%s", m->id.name, c ? "" : "(");

	for (unsigned d = 0; d < m->plan.ndim && used < BOX_TEXT - 60; d++) {
		int64_t first = lo[d] + m->id.lower[d], last = hi[d] + m->id.lower[d];

		used += snprintf(out + used, BOX_TEXT - (size_t)used, "%s%" PRId64,
				 c   ? "["
				 : d ? ","
				     : "",
				 first);
		if (last != first)
			used += snprintf(out + used, BOX_TEXT - (size_t)used, ":%" PRId64, last);
		used += snprintf(out + used, BOX_TEXT - (size_t)used, "%s", c ? "]" : "");
	}
	snprintf(out + used, BOX_TEXT - (size_t)used, "%s", c ? "" : ")");
	return out;
}

static json_t *spot_json(const struct mismatch *m, const struct spot *s)
{
	char text[BOX_TEXT];

	return json_pack("{s:I s:o s:b}", "n", (json_int_t)s->n, "box",
			 out_json_text(box_text(m, s->lo, s->hi, text)), "all",
			 s->n == box_total(s, m->plan.ndim));
}

/* What a rank owns: the box around it, and how many elements. */
static json_t *owner_json(const struct mismatch *m, const struct owner *o)
{
	struct spot s;
	struct layout l;
	char text[BOX_TEXT];
	json_t *out;

	layout_own(&l, &o->desc, 1);
	s.n = layout_total(&l);
	for (unsigned d = 0; s.n && d < l.ndim; d++) {
		int64_t lower = m->id.lower[d];

		s.lo[d] = l.first[d] - lower;
		s.hi[d] = s.lo[d] + l.count[d] - 1;
		for (int64_t i = 0; l.list[d] && i < l.count[d]; i++) {
			int64_t x = l.list[d][i] - lower;

			s.lo[d] = !i || x < s.lo[d] ? x : s.lo[d];
			s.hi[d] = !i || x > s.hi[d] ? x : s.hi[d];
		}
	}
	out = json_pack("{s:i s:I}", "rank", (int)o->rank, "n", (json_int_t)s.n);
	if (s.n)
		json_object_set_new(out, "box", out_json_text(box_text(m, s.lo, s.hi, text)));
	return out;
}

static void put_spots(struct locate *l, const struct owner *owner, size_t n)
{
	const struct sum_plan *p = &l->m->plan;
	unsigned char *count = p->total <= MOST_ELEMENTS ? calloc(p->total + 1, 1) : NULL;
	struct spot none = { 0 }, twice = { 0 };

	for (size_t i = 0; i < n && count; i++)
		if (owner[i].desc.ndim == p->ndim)
			mark(&owner[i].desc, l->m, count);
	for (uint64_t i = 0; i < p->total && count; i++)
		if (count[i] != 1)
			spot_add(count[i] ? &twice : &none, p, i);
	if (none.n)
		json_object_set_new(l->parts, "none", spot_json(l->m, &none));
	if (twice.n)
		json_object_set_new(l->parts, "twice", spot_json(l->m, &twice));
	free(count);
}

void locate_look_parts(struct locate *l)
{
	struct owner *owner;
	struct err err = { "" };
	char name[400];
	json_t *list;
	size_t n;

	if (owners_all(l->s, locate_name(l->m, name, sizeof(name)), &owner, &n, &err)) {
		locate_note(l, "%s", err.text);
		return;
	}
	list = json_array();
	for (size_t i = 0; i < n && i < OWNERS; i++)
		if (owner[i].desc.ndim == l->m->plan.ndim)
			json_array_append_new(list, owner_json(l->m, &owner[i]));
	l->parts = json_pack("{s:o s:I}", "owners", list, "ranks", (json_int_t)n);
	put_spots(l, owner, n);
	owners_free(owner, n);
}
