/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the elements that differ are: by dimension, and by owner. */
#include <stdlib.h>
#include <string.h>

#include "frontend/diff/internal.h"

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

/* Of one owner, per dimension: positions where something differs, and whether at an edge. */
struct own {
	unsigned ndim;
	uint32_t n[ARRAY_DIMS];
	uint32_t *at[ARRAY_DIMS];	 /* borrowed from the part, compacted */
	unsigned char *edge[ARRAY_DIMS]; /* owned */
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

static int own_make(struct own *o, const struct diff_map *m, const struct array_desc *a,
		    struct array_part *p)
{
	memset(o, 0, sizeof(*o));
	o->ndim = p->ndim;
	for (unsigned d = 0; d < p->ndim; d++) {
		o->edge[d] = calloc(p->n[d] ? p->n[d] : 1, 1);
		if (!o->edge[d])
			return -1;
		o->at[d] = p->at[d];
		for (uint32_t i = 0; i < p->n[d]; i++) {
			uint32_t at = p->at[d][i];

			if (!m->hist[d][at])
				continue;
			o->edge[d][o->n[d]] =
				edge_of(m, a, d, section_index(m->in->section, d, at));
			o->at[d][o->n[d]++] = at;
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
	uint32_t i[ARRAY_DIMS] = { 0 };
	uint64_t total = 1;

	for (unsigned d = 0; d < o->ndim; d++)
		total *= o->n[d];
	for (uint64_t k = 0; k < total; k++) {
		unsigned char all = AT_END, any = 0;
		uint64_t at = 0;

		for (unsigned d = 0; d < o->ndim; d++)
			at = at * section_count(m->in->section, d) + o->at[d][i[d]];
		if (bit(bits, at)) {
			for (unsigned d = 0; d < o->ndim; d++) {
				all &= o->edge[d][i[d]];
				any |= o->edge[d][i[d]];
			}
			share->differ++;
			m->corners += o->ndim > 1 && all & AT_END;
			m->edges += any & AT_INNER_EDGE;
		}
		for (unsigned d = o->ndim; d-- && ++i[d] == o->n[d];)
			i[d] = 0;
	}
}

/* How many elements of the part are not on the rim of the array. */
static uint64_t inner(const struct diff_map *m, const struct array_part *p)
{
	uint64_t total = 1;

	for (unsigned d = 0; d < p->ndim; d++) {
		int64_t low = m->in->lower[d], high = low + m->in->extent[d] - 1;
		uint64_t n = 0;

		for (uint32_t i = 0; i < p->n[d]; i++) {
			int64_t g = section_index(m->in->section, d, p->at[d][i]);

			n += g != low && g != high;
		}
		total *= n;
	}
	return total;
}

static int count_owner(struct diff_map *m, const uint64_t *bits, size_t k)
{
	const struct array_desc *a = &m->in->owner[k].desc;
	struct array_part p;
	struct own o;
	int rc;

	if (a->ndim != m->in->section->ndim)
		return 0;
	if (array_part_make(&p, a, m->in->section, NULL))
		return -1;
	m->share[k].owns = array_part_total(&p);
	m->share[k].inner = inner(m, &p);
	rc = own_make(&o, m, a, &p);
	if (!rc)
		own_count(&o, m, bits, &m->share[k]);
	for (unsigned d = 0; d < p.ndim; d++)
		free(o.edge[d]);
	array_part_clear(&p);
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
	m->share = calloc(in->nowner, sizeof(*m->share));
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
