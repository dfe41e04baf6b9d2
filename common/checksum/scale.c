/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest magnitudes that a reference has had in the blocks of its arrays, and the file in
 * which they are stored with its traces.
 */
#include "common/checksum/checksum.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/fingerprint.h"
#include "common/core/memory.h"

#define MAGIC 0x43535644u /* "DVSC" */
#define MOST 65536u	  /* arrays */
#define NOISE 16	  /* units in the last place of 1 */

static bool is_single(unsigned type)
{
	return type == VALUE_FLOAT || type == VALUE_FCOMPLEX;
}

double sum_limit(double exp, unsigned type, double scale, double component)
{
	double noise = NOISE * (is_single(type) ? (double)FLT_EPSILON : DBL_EPSILON);

	return fmax(exp * scale, fmin(exp, noise) * component);
}

void sum_components(const struct sum_plan *p, const double *scale, double *largest)
{
	double of[SUM_BLOCKS] = { 0 };
	uint32_t id[SUM_BLOCKS];

	for (uint32_t i = 0; i < p->blocks; i++) {
		/* a few numbers, as of a vector's sums: what cancels in one of them is of all */
		id[i] = p->ndim == 1 ? 0 : sum_plan_component(p, i);
		of[id[i]] = fmax(of[id[i]], scale[i]);
	}
	for (uint32_t i = 0; i < p->blocks; i++)
		largest[i] = of[id[i]];
}

void sum_scales_clear(struct sum_scales *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].name);
		free(s->list[i].file);
		free(s->list[i].block);
	}
	free(s->list);
	*s = (struct sum_scales){ 0 };
}

static bool is_it(const struct sum_scale *x, const char *name, const char *file, uint32_t line,
		  uint32_t counter)
{
	return x->line == line && x->counter == counter && !strcmp(x->name, name) &&
	       !strcmp(x->file, file ? file : "");
}

static struct sum_scale *find(struct sum_scales *s, const char *name, const char *file,
			      uint32_t line, uint32_t counter)
{
	if (s->last < s->n && is_it(&s->list[s->last], name, file, line, counter))
		return &s->list[s->last];
	for (size_t i = 0; i < s->n; i++)
		if (is_it(&s->list[i], name, file, line, counter)) {
			s->last = i;
			return &s->list[i];
		}
	return NULL;
}

static struct sum_scale *add(struct sum_scales *s, const char *name, const char *file,
			     uint32_t line, uint32_t counter)
{
	struct sum_scale *grown = memory_got(realloc(s->list, (s->n + 1) * sizeof(*s->list)));
	struct sum_scale *x;

	if (!grown)
		return NULL;
	s->list = grown;
	x = &grown[s->n];
	*x = (struct sum_scale){ .name = memory_got(strdup(name)),
				 .file = memory_got(strdup(file ? file : "")),
				 .line = line,
				 .counter = counter };
	if (!x->name || !x->file) {
		free(x->name);
		free(x->file);
		return NULL;
	}
	s->n++;
	return x;
}

/* It has the blocks of the plan, of which nothing is known yet when they are others. */
static int replan(struct sum_scale *x, const struct sum_plan *p)
{
	double *block;

	if (x->block && sum_plan_equal(&x->plan, p))
		return 0;
	block = memory_got(calloc(p->blocks, 2 * sizeof(*block)));
	if (!block)
		return -1;
	free(x->block);
	x->block = block;
	x->plan = *p;
	return 0;
}

int sum_scales_take(struct sum_scales *s, const struct sum_scale *id, const struct sum_result *r)
{
	struct sum_scale *x = find(s, id->name, id->file, id->line, id->counter);

	if (!x)
		x = add(s, id->name, id->file, id->line, id->counter);
	if (!x || replan(x, &r->plan))
		return -1;
	memcpy(x->lower, id->lower, sizeof(x->lower));
	for (uint32_t i = 0; i < r->plan.blocks; i++)
		x->block[i] = fmax(x->block[i], sum_block_magnitude(&r->plan, &r->block[i]));
	sum_components(&x->plan, x->block, x->block + x->plan.blocks);
	return 0;
}

double sum_scales_unit(struct sum_scales *s, const struct sum_scale *id, const int64_t *index,
		       double exp)
{
	const struct sum_scale *x = find(s, id->name, id->file, id->line, id->counter);
	int64_t at[ARRAY_DIMS] = { 0 };
	uint32_t block;

	if (!x)
		return 0;
	for (unsigned d = 0; d < x->plan.ndim; d++) {
		at[d] = index[d] - x->lower[d];
		if (at[d] < 0 || at[d] >= x->plan.extent[d])
			return 0;
	}
	block = sum_plan_block(&x->plan, at);
	if (!(exp > 0))
		return x->block[block];
	return sum_limit(exp, x->plan.type, x->block[block], x->block[x->plan.blocks + block]) /
	       exp;
}

/* ---- the file: magic, arrays, fingerprint ---- */

static void scale_code(struct codec *c, struct sum_scale *x)
{
	struct sum_plan plan = x->plan;

	codec_text_copy(c, &x->name);
	codec_text_copy(c, &x->file);
	codec_u32(c, &x->line);
	codec_u32(c, &x->counter);
	codec_i64s(c, x->lower, ARRAY_DIMS);
	if (sum_plan_code(c, &plan) || (c->get && replan(x, &plan))) {
		codec_fail(c);
		return;
	}
	for (uint32_t i = 0; i < plan.blocks; i++) {
		codec_f64(c, &x->block[i]);
		codec_check(c, x->block[i] >= 0 && isfinite(x->block[i]));
	}
	sum_components(&x->plan, x->block, x->block + x->plan.blocks);
}

static void mark(const struct buf *b, unsigned char out[FINGERPRINT_BYTES])
{
	struct fingerprint f = { 0 };

	fingerprint_add(&f, b->data, b->len);
	fingerprint_end(&f, out);
}

int sum_scales_put(struct sum_scales *s, struct buf *b)
{
	struct codec *c = CODEC_PUT(b);
	unsigned char print[FINGERPRINT_BYTES];
	uint32_t magic = MAGIC;

	codec_u32(c, &magic);
	codec_each(c, &s->list, &s->n, MOST, 1, scale_code);
	mark(b, print);
	codec_bytes(c, print, sizeof(print));
	return codec_end(c);
}

int sum_scales_get(struct sum_scales *s, const void *data, size_t n)
{
	struct buf all, b;
	struct codec *c;
	unsigned char print[FINGERPRINT_BYTES];
	uint32_t magic = 0;

	*s = (struct sum_scales){ 0 };
	if (n < sizeof(print))
		return -1;
	n -= sizeof(print);
	all = b = buf_view(data, n);
	mark(&all, print);
	if (memcmp(print, (const char *)data + n, sizeof(print)))
		return -1;
	c = CODEC_GET(&b);
	codec_u32(c, &magic);
	codec_check(c, magic == MAGIC);
	codec_each(c, &s->list, &s->n, MOST, 1, scale_code);
	if (!codec_whole(c))
		return 0;
	sum_scales_clear(s);
	return -1;
}

int sum_scales_save(struct sum_scales *s, const char *path, struct err *err)
{
	struct buf b = BUF_INIT;
	FILE *f = fopen(path, "we");
	int rc = f && !sum_scales_put(s, &b) && fwrite(b.data, 1, b.len, f) == b.len ? 0 : -1;

	if (f && fclose(f))
		rc = -1;
	buf_clear(&b);
	return rc ? err_set(err, "%s: %s", path, strerror(errno)) : 0;
}

int sum_scales_load(struct sum_scales *s, const char *path)
{
	FILE *f = fopen(path, "re");
	struct buf b = BUF_INIT;
	char part[4096];
	size_t n;
	int rc;

	*s = (struct sum_scales){ 0 };
	while (f && (n = fread(part, 1, sizeof(part), f)) > 0)
		buf_put_raw(&b, part, n);
	rc = !f || b.bad ? -1 : sum_scales_get(s, b.data, b.len);
	if (f)
		fclose(f);
	buf_clear(&b);
	return rc;
}
