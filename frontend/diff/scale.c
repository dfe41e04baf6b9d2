/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The largest magnitudes in blocks of the reference, which differences are measured by.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/diff/internal.h"
#include "frontend/util/xalloc.h"

static double magnitude(unsigned type, const void *value)
{
	struct value v = value_load(type, value);
	double re = fabs(v.re), im = v.class == VALUE_IS_COMPLEX ? fabs(v.im) : 0;

	if (v.class != VALUE_IS_REAL && v.class != VALUE_IS_COMPLEX)
		return 0;
	return fmax(isfinite(re) ? re : 0, isfinite(im) ? im : 0);
}

/* Its positions from 0 in the array. */
static uint32_t block_of(const struct diff_input *in, uint64_t i)
{
	int64_t at[ARRAY_DIMS];

	diff_index(in->section, i, at);
	for (unsigned d = 0; d < in->section->ndim; d++)
		at[d] -= in->lower[d];
	return sum_plan_block(&in->plan, at);
}

double diff_limit_at(const struct diff_input *in, uint64_t i)
{
	uint32_t block = in->tol.scale ? block_of(in, i) : 0;

	if (!in->tol.scale)
		return 0;
	return sum_limit(in->tol.exp, in->type, in->tol.scale[block], in->tol.component[block]);
}

void diff_scale_use(struct diff_input *in, const double *scale)
{
	in->tol.scale = scale;
	in->tol.component = scale ? scale + in->plan.blocks : NULL;
}

/* What the comparison has seen of the array. */
static void add_known(const struct diff_input *in, const struct compare *known,
		      const struct array_desc *a, double *scale)
{
	const struct sums_array id = { .name = a->name,
				       .file = a->file ? a->file : (char[]){ "" },
				       .line = a->line,
				       .counter = a->counter };
	struct sum_tolerance tol = compare_limit(known, &id, &in->plan);

	if (tol.scale)
		memcpy(scale, tol.scale, in->plan.blocks * sizeof(*scale));
}

double *diff_scale(struct diff_input *in, const struct compare *known, const struct array_desc *a)
{
	size_t size = value_size(in->type);
	const unsigned char *ref = in->ref;
	double *scale;

	diff_scale_use(in, NULL);
	if (!size || sum_plan_array(&in->plan, in->section->ndim, in->extent, in->type, NULL))
		return NULL;
	scale = xcalloc(in->plan.blocks, 2 * sizeof(*scale));
	if (known)
		add_known(in, known, a, scale);
	for (uint64_t i = 0, n = section_total(in->section); i < n; i++, ref += size) {
		double m = magnitude(in->type, ref);
		double *of = m > 0 ? &scale[block_of(in, i)] : NULL;

		if (of && m > *of)
			*of = m;
	}
	sum_components(&in->plan, scale, scale + in->plan.blocks);
	diff_scale_use(in, scale);
	return scale;
}
