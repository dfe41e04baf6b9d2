/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of the historical debugger name an element as the source does, "A[i-1][j]": which element
 * that is they do not say. In a comparison with a run that knows, all elements of such an array are
 * one object, "A", on both sides: what an iteration writes to the array is compared in order, and
 * what it reads as a set.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/vec.h"
#include "common/traceindex/internal.h"

/* The bytes of the name in front of the indices; 0: it has none, or is no operand of a text. */
static size_t base_of(const struct array_desc *a)
{
	size_t n = a->name ? strcspn(a->name, "[(") : 0;

	return !a->ndim && (!a->file || !*a->file) && n && a->name[n] ? n : 0;
}

static bool same_elements(const struct object_fold *f, const struct array_desc *a)
{
	return f->type == a->type && f->elem_size == a->elem_size;
}

static bool is_known(const struct object_folds *l, const struct array_desc *a, size_t n)
{
	for (unsigned i = 0; i < l->n; i++)
		if (same_elements(&l->item[i], a) && strlen(l->item[i].name) == n &&
		    !memcmp(l->item[i].name, a->name, n))
			return true;
	return false;
}

static int add(struct object_folds *l, const struct array_desc *a, size_t n, bool fortran)
{
	struct object_fold *f;

	if (is_known(l, a, n))
		return 0;
	f = vec_add(l->item, l->n);
	if (!f)
		return -1;
	*f = (struct object_fold){ strndup(a->name, n), a->elem_size, a->type, fortran };
	return f->name ? 0 : -1;
}

void object_folds_clear(struct object_folds *l)
{
	for (unsigned i = 0; i < l->n; i++)
		free(l->item[i].name);
	free(l->item);
	*l = (struct object_folds){ 0 };
}

bool object_folds_find(const struct object_folds *l, const struct array_desc *a,
		       struct array_desc *out)
{
	size_t n = l->n && a->name ? base_of(a) : 0;

	if (!l->n || !a->name || (!a->ndim && !n))
		return false;
	n = n ? n : strlen(a->name);
	for (unsigned i = 0; i < l->n; i++) {
		const struct object_fold *f = &l->item[i];

		if (!same_elements(f, a) || strlen(f->name) != n ||
		    (f->fortran ? strncasecmp(f->name, a->name, n)
				: strncmp(f->name, a->name, n)))
			continue;
		*out = (struct array_desc){ .name = f->name,
					    .file = "",
					    .type = f->type,
					    .elem_size = f->elem_size,
					    .order = 'C',
					    .kind = ARRAY_DISTRIBUTED };
		return true;
	}
	return false;
}

/* Adds the arrays whose elements are named as in the source, or (arrays) those with indices. */
static int collect(struct object_folds *l, struct trace_index *r, bool arrays)
{
	int rc = 0;

	for (uint32_t f = 0; f < r->files && !rc; f++) {
		const char *origin = trace_reader_meta(r->file[f].map)->origin;

		if (!arrays && (!origin || !*origin))
			continue;
		for (size_t i = 0; i < r->file[f].n && !rc; i++) {
			struct trace_block *b = ref_block_load(r, f, i);

			for (uint32_t k = 0; b && k < b->nobject && !rc; k++) {
				const struct array_desc *a = &b->object[k].desc;
				size_t n = arrays ? 0 : base_of(a);

				if (arrays && a->ndim && a->name)
					n = strlen(a->name);
				rc = n ? add(l, a, n, a->name[n] == '(') : 0;
			}
			trace_block_free(b);
		}
	}
	return rc;
}

static bool has(const struct object_folds *l, const struct object_fold *f)
{
	for (unsigned i = 0; i < l->n; i++)
		if (f->fortran ? !strcasecmp(l->item[i].name, f->name)
			       : !strcmp(l->item[i].name, f->name))
			return true;
	return false;
}

/* Those that one names as the source does, and the other (NULL: a run that is recorded) by
 * indices. */
static int collect_both(struct object_folds *to, struct trace_index *r, struct trace_index *other)
{
	struct object_folds names = { 0 }, arrays = { 0 };
	int rc = collect(&names, r, false);

	if (!rc && names.n && other)
		rc = collect(&arrays, other, true);
	for (unsigned i = 0; i < names.n && !rc; i++) {
		struct object_fold *f = &names.item[i];
		struct array_desc a = { .name = f->name,
					.type = f->type,
					.elem_size = f->elem_size };

		if (!other || has(&arrays, f))
			rc = add(to, &a, strlen(f->name), f->fortran);
	}
	object_folds_clear(&names);
	object_folds_clear(&arrays);
	return rc;
}

int trace_index_fold(struct trace_index *r, struct trace_index *run)
{
	struct object_folds *l = object_ids_folds(r->idents);

	if (collect_both(l, r, run))
		return -1;
	return run ? collect_both(l, run, r) : 0;
}
