/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/save_rank.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/export/about.h"
#include "frontend/data/halo_block.h"

#define MOST_BYTES ((uint64_t)4 << 30) /* of what is in memory at once */

void rank_values_clear(struct rank_values *v)
{
	free(v->elements);
	memset(v, 0, sizeof(*v));
}

/* On to the next element of the section, the last dimension fastest. */
static void next_index(const struct section *s, uint64_t *at, int64_t *index)
{
	for (unsigned d = s->ndim; d--;) {
		at[d] = at[d] + 1 < section_count(s, d) ? at[d] + 1 : 0;
		index[d] = section_index(s, d, at[d]);
		if (at[d])
			return;
	}
}

/* Values become the rank's; absent has a byte for each, 1: it has none. *n counts those. */
static int fill(struct fetched *f, const struct pieces *p, const struct halo_block *b,
		unsigned char *absent, uint64_t *n, struct err *err)
{
	const struct section *s = &p->section;
	size_t size = value_size(p->type), offset = f->field ? f->field->offset : 0;
	uint64_t at[ARRAY_DIMS] = { 0 }, total = section_total(s);
	int64_t index[ARRAY_DIMS];

	for (unsigned d = 0; d < s->ndim; d++)
		index[d] = section_index(s, d, 0);
	*n = 0;
	for (uint64_t i = 0; i < total; i++, next_index(s, at, index)) {
		unsigned char *to = f->q.group[0].bytes + i * size;
		const unsigned char *copy;

		if (halo_block_owns(b, index)) {
			if (f->missing && f->missing[i])
				return err_set(err, "%s: rank %u does not send all that it owns",
					       p->name, b->rank);
			continue;
		}
		copy = halo_block_copy(b, index);
		if (copy)
			memcpy(to, copy + offset, size);
		absent[i] = !copy;
		*n += !copy;
	}
	return 0;
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
		return err_set(err, "out of memory");
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
static void tell(struct rank_values *v, const struct pieces *p, const struct halo_block *b,
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
		return err_set(err, "out of memory");
	rc = fill(f, p, b, absent, &none, err);
	if (!rc)
		rc = convert(v, p, f->q.group[0].bytes, absent, none, err);
	if (!rc)
		tell(v, p, b, none);
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
