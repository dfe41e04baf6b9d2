/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the elements that differ are: by dimension, and by owner. */
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "frontend/diff/internal.h"

#include "frontend/util/xalloc.h"

/* How many elements of each position differ, in one pass over the bits. */
static void count_positions(struct diff_map *m, const uint64_t *bits)
{
	const struct section *s = m->in->section;
	uint64_t row = s->ndim ? section_count(s, s->ndim - 1) : 1, begin = 0, here = 0;
	uint64_t count[ARRAY_DIMS], at[ARRAY_DIMS] = { 0 };

	for (unsigned d = 0; d < s->ndim; d++)
		count[d] = section_count(s, d);
	for (uint64_t w = 0; w <= m->total / 64; w++) {
		for (uint64_t left = bits[w]; left; left &= left - 1) {
			uint64_t i = w * 64 + (unsigned)__builtin_ctzll(left);

			if (!s->ndim)
				continue;
			if (i - begin >= row) { /* a row further down: its outer positions */
				uint64_t k = i / row;

				for (unsigned d = 0; here && d + 1 < s->ndim; d++)
					m->hist[d][at[d]] += here;
				begin = k * row;
				here = 0;
				for (unsigned d = s->ndim - 1; d--; k /= count[d])
					at[d] = k % count[d];
			}
			here++;
			m->hist[s->ndim - 1][i - begin]++;
		}
	}
	for (unsigned d = 0; here && d + 1 < s->ndim; d++)
		m->hist[d][at[d]] += here;
}

static void make_box(struct diff_map *m)
{
	const struct section *s = m->in->section;

	for (unsigned d = 0; d < s->ndim; d++) {
		bool any = false;

		for (uint64_t i = 0; i < section_count(s, d); i++) {
			int64_t g = section_index(s, d, i);

			if (!m->hist[d][i])
				continue;
			m->lo[d] = any && m->lo[d] < g ? m->lo[d] : g;
			m->hi[d] = any && m->hi[d] > g ? m->hi[d] : g;
			any = true;
		}
	}
}

enum { AT_INNER_EDGE = 1, AT_END = 2 };

/* Of one owner: the positions where something differs, and whether they are at an edge. */
struct own {
	struct layout at;
	unsigned char *edge[ARRAY_DIMS]; /* owned; by number */
};

static unsigned char edge_of(const struct diff_map *m, const struct array_desc *a, unsigned d,
			     int64_t g)
{
	int64_t low = m->in->lower[d], high = low + m->in->extent[d] - 1;
	unsigned char edge = 0;

	if (a->list[d] || (g != a->own_lo[d] && g != a->own_hi[d]))
		return 0;
	if (a->own_hi[d] - a->own_lo[d] >= 2)
		edge = AT_END;
	if ((g == a->own_lo[d] && g > low) || (g == a->own_hi[d] && g < high))
		edge |= AT_INNER_EDGE;
	return edge;
}

static void own_clear(struct own *o)
{
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		free(o->edge[d]);
	layout_clear(&o->at);
}

static int own_make(struct own *o, const struct diff_map *m, const struct array_desc *a,
		    const struct layout *p)
{
	memset(o, 0, sizeof(*o));
	o->at.ndim = p->ndim;
	for (unsigned d = 0; d < p->ndim; d++) {
		size_t room = (size_t)p->count[d] + 1;
		int64_t *n = &o->at.count[d];

		o->edge[d] = calloc(room, 1);
		o->at.list[d] = o->at.room[d] = xcalloc(room, sizeof(*o->at.room[d]));
		if (!o->edge[d] || !o->at.room[d])
			return -1;
		for (int64_t i = 0; i < p->count[d]; i++) {
			uint64_t at = layout_at(p, d, i);

			if (!m->hist[d][at])
				continue;
			o->edge[d][*n] = edge_of(m, a, d, section_index(m->in->section, d, at));
			o->at.room[d][(*n)++] = (int64_t)at;
		}
	}
	return 0;
}

static bool bit(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

/* Counts the elements of the product that differ. */
static void own_count(const struct own *o, struct diff_map *m, const uint64_t *bits,
		      struct diff_share *share)
{
	uint64_t extent[ARRAY_DIMS];
	unsigned ndim = o->at.ndim;
	struct layout_walk w;
	struct layout_run r;

	for (unsigned d = 0; d < ndim; d++)
		extent[d] = section_count(m->in->section, d);
	layout_walk(&w, &o->at, LAYOUT_C);
	layout_walk_dense(&w, extent);
	while (layout_next(&w, &r)) {
		unsigned char outer_all = AT_END, outer_any = 0;

		for (unsigned d = 0; d + 1 < ndim; d++) {
			outer_all &= o->edge[d][w.at.i[d]];
			outer_any |= o->edge[d][w.at.i[d]];
		}
		for (uint64_t k = 0; k < r.n; k++) {
			unsigned char edge;

			if (!bit(bits, r.key + k * r.step))
				continue;
			edge = ndim ? o->edge[ndim - 1][w.at.i[ndim - 1] + (int64_t)k] : 0;
			share->differ++;
			m->corners += ndim > 1 && outer_all & edge & AT_END;
			m->edges += (outer_any | edge) & AT_INNER_EDGE;
		}
	}
}

/* How many elements of the part are not on the rim of the array. */
static uint64_t inner(const struct diff_map *m, const struct layout *p)
{
	uint64_t total = 1;

	for (unsigned d = 0; d < p->ndim; d++) {
		int64_t low = m->in->lower[d], high = low + m->in->extent[d] - 1;
		uint64_t n = 0;

		for (int64_t i = 0; i < p->count[d]; i++) {
			int64_t g = section_index(m->in->section, d, layout_at(p, d, i));

			n += g != low && g != high;
		}
		total *= n;
	}
	return total;
}

static int count_owner(struct diff_map *m, const uint64_t *bits, size_t k)
{
	const struct array_desc *a = &m->in->owner[k].desc;
	struct layout p, whole = { 0 };
	struct own o;
	int rc;

	if (a->ndim != m->in->section->ndim)
		return 0;
	if (layout_section(&p, a, 1, m->in->section, NULL))
		return -1;
	m->share[k].owns = layout_total(&p);
	m->share[k].inner = inner(m, &p);
	/* of a section that is only a part of what it owns */
	if (layout_part(&whole, a, 1) && layout_total(&whole) > m->share[k].owns)
		m->share[k].owns = m->share[k].inner = layout_total(&whole);
	layout_clear(&whole);
	rc = own_make(&o, m, a, &p);
	if (!rc)
		own_count(&o, m, bits, &m->share[k]);
	own_clear(&o);
	layout_clear(&p);
	return rc;
}

int diff_map_make(struct diff_map *m, const struct diff_input *in, const struct diff *d)
{
	memset(m, 0, sizeof(*m));
	m->in = in;
	m->total = d->total;
	m->differ = d->differ;
	for (unsigned k = 0; k < in->section->ndim; k++) {
		m->hist[k] = calloc(section_count(in->section, k) + 1, sizeof(**m->hist));
		if (!m->hist[k])
			return -1;
	}
	count_positions(m, d->bits);
	make_box(m);
	if (!in->owner || !in->nowner)
		return 0;
	m->share = xcalloc(in->nowner, sizeof(*m->share));
	for (size_t k = 0; m->share && k < in->nowner; k++)
		if (count_owner(m, d->bits, k))
			return -1;
	return m->share ? 0 : -1;
}

void diff_map_clear(struct diff_map *m)
{
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		free(m->hist[d]);
	free(m->share);
	memset(m, 0, sizeof(*m));
}
