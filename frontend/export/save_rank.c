/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/save_rank.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/export/about.h"
#include "frontend/data/halo_block.h"
#include "frontend/util/xalloc.h"

#define MOST_BYTES ((uint64_t)4 << 30) /* of what is in memory at once */

void rank_values_clear(struct rank_values *v)
{
	free(v->elements);
	memset(v, 0, sizeof(*v));
}

/* What is being filled in: a byte for each element in absent, 1: the rank does not have it. */
struct filling {
	const struct section *section;
	unsigned char *to, *absent;
	const unsigned char *missing; /* of its own; NULL: none */
	size_t size;
};

/* Elements of the layout are there, with the values at `from`; NULL: they have them already. */
static int fill_from(const struct filling *f, const struct layout *l, const unsigned char *from)
{
	uint64_t extent[ARRAY_DIMS];
	struct layout_walk w;
	struct layout_run r;

	for (unsigned d = 0; d < l->ndim; d++)
		extent[d] = section_count(f->section, d);
	layout_walk(&w, l, LAYOUT_C);
	layout_walk_dense(&w, extent);
	while (layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n; k++) {
			uint64_t i = r.key + k * r.step;

			if (!from && f->missing && f->missing[i])
				return -1;
			if (from && f->absent[i])
				memcpy(f->to + i * f->size, from + r.offset + (int64_t)k * r.stride,
				       f->size);
			f->absent[i] = 0;
		}
	return 0;
}

/* Values become the rank's: its own, and those in its halo. *n counts those that it does not have.
 */
static int fill(struct fetched *f, const struct pieces *p, const struct halo_block *b,
		unsigned char *absent, uint64_t *n, struct err *err)
{
	struct filling x = { &p->section, f->q.group[0].bytes, absent, f->missing,
			     value_size(p->type) };
	const struct array_desc *a = &b->part->desc;
	uint64_t total = section_total(&p->section);
	struct layout l;
	int rc = layout_section(&l, a, a->elem_size, &p->section, err);

	memset(absent, 1, total);
	if (!rc && fill_from(&x, &l, NULL))
		rc = err_set(err, "%s: rank %u does not send all that it owns", p->name, b->rank);
	layout_clear(&l);
	for (size_t i = 0; !rc && i < b->part->nhalo; i++) {
		const struct halo_box *box = &b->part->box[i];

		layout_box(&l, a->ndim, box->lo, box->hi, a->elem_size);
		rc = layout_cut(&l, &p->section, err);
		if (!rc)
			fill_from(&x, &l, box->bytes + (f->field ? f->field->offset : 0));
		layout_clear(&l);
	}
	*n = 0;
	for (uint64_t i = 0; i < total; i++)
		*n += absent[i];
	return rc;
}

/* As doubles, which know NaN; -1: one of them is too large for that. */
static int widen(const struct pieces *p, const unsigned char *bytes, const unsigned char *absent,
		 double *out)
{
	size_t size = value_size(p->type);
	uint64_t total = section_total(&p->section);

	for (uint64_t i = 0; i < total; i++) {
		struct value v = value_load(p->type, bytes + i * size);
		__int128 x = 0;

		value_as_int(&v, &x);
		out[i] = (double)x;
		if (!absent[i] && (__int128)out[i] != x)
			return -1;
	}
	return 0;
}

/* Type and elements of v; those that are absent become NaN. */
static int convert(struct rank_values *v, const struct pieces *p, const unsigned char *bytes,
		   const unsigned char *absent, uint64_t none, struct err *err)
{
	enum value_class class = value_class(p->type);
	bool real = class == VALUE_IS_REAL || class == VALUE_IS_COMPLEX;
	const struct value nan_value = { .class = real ? (uint8_t) class : VALUE_IS_REAL,
					 .re = NAN,
					 .im = class == VALUE_IS_COMPLEX ? NAN : 0 };
	uint64_t total = section_total(&p->section);
	size_t size;

	v->type = none && !real ? VALUE_DOUBLE : p->type;
	size = value_size(v->type);
	v->elements = malloc(total * size);
	if (!v->elements)
		return xalloc_refused(total * size, "choose a smaller section", err);
	if (v->type == p->type)
		memcpy(v->elements, bytes, total * size);
	else if (widen(p, bytes, absent, v->elements))
		return err_set(err,
			       "%s: the rank does not have all of these elements, and some numbers "
			       "are too large for doubles with nan for the rest: choose a section",
			       p->name);
	for (uint64_t i = 0; none && i < total; i++)
		if (absent[i])
			value_store(v->type, (char *)v->elements + i * size, &nan_value, NULL);
	return 0;
}

/* "as rank 2 has it: its block cube[0:5][12:19][0:29] and its halo; nan: it has not" */
static void report(struct rank_values *v, const struct pieces *p, const struct halo_block *b,
		   uint64_t none)
{
	const struct array_desc *a = &b->part->desc;
	struct section own = { .ndim = a->ndim };
	char text[ABOUT_SECTION];

	for (unsigned d = 0; d < a->ndim; d++)
		own.dim[d] = (struct section_dim){ .first = a->own_lo[d],
						   .last = a->own_hi[d],
						   .step = 1 };
	about_section(p->name, (char)p->desc.order, &own, text, sizeof(text));
	snprintf(v->about, sizeof(v->about), "as rank %u has it: its block %.180s and its halo%s",
		 b->rank, text, none ? "; nan: missing" : "");
}

static int take(struct rank_values *v, const struct pieces *p, const struct halo_block *b,
		struct fetched *f, struct err *err)
{
	uint64_t total = section_total(&p->section), none;
	unsigned char *absent = calloc(total, 1);
	int rc;

	if (!absent)
		return xalloc_refused(total, "choose a smaller section", err);
	rc = fill(f, p, b, absent, &none, err);
	if (!rc)
		rc = convert(v, p, f->q.group[0].bytes, absent, none, err);
	if (!rc)
		report(v, p, b, none);
	free(absent);
	return rc;
}

int rank_values_take(struct rank_values *v, const struct pieces *p, uint32_t rank, struct err *err)
{
	uint64_t total = section_total(&p->section);
	struct halo_block b;
	struct fetched f;
	int rc;

	memset(v, 0, sizeof(*v));
	if (!rankset_has(p->who, rank))
		return err_set(err, "rank %u is not in the set", rank);
	if (total > MOST_BYTES / value_size(p->type))
		return err_set(err,
			       "%s has %" PRIu64 " elements here, more than %" PRIu64
			       " GiB, which is the limit of save -halo: choose a section",
			       p->name, total, MOST_BYTES >> 30);
	rc = halo_block_ask(&b, p->s, p->desc.name, p->desc.ndim, rank, err);
	if (!rc)
		rc = fetch_large(p->s, p->name, &p->section, p->who, UINT64_MAX, &f, err);
	if (!rc) {
		rc = take(v, p, &b, &f, err);
		fetched_clear(&f);
	}
	halo_block_clear(&b);
	return rc;
}
