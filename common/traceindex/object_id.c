/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/traceindex/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/array/value.h"
#include "common/core/hash.h"
#include "common/core/vec.h"

struct object_ids {
	uint32_t files;
	struct object_id **item; /* owned; pointers stay */
	unsigned n;
	struct hash table; /* of items by name and counter */
	bool failed;	   /* one could not be kept for lack of memory */
	struct object_folds folds;
};

struct object_ids *object_ids_create(uint32_t files)
{
	struct object_ids *t = calloc(1, sizeof(*t));

	if (t)
		t->files = files;
	return t;
}

static void desc_free(struct array_desc *a)
{
	if (a)
		array_desc_clear(a);
	free(a);
}

static void ident_free(struct object_id *o, uint32_t files)
{
	if (!o)
		return;
	for (uint32_t f = 0; o->ref && f < files; f++)
		desc_free(o->ref[f]);
	desc_free(o->now);
	free(o->ref);
	free(o->ref_version);
	array_desc_clear(&o->desc);
	free(o);
}

void object_ids_destroy(struct object_ids *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->n; i++)
		ident_free(t->item[i], t->files);
	free(t->item);
	hash_clear(&t->table);
	object_folds_clear(&t->folds);
	free(t);
}

struct object_folds *object_ids_folds(struct object_ids *t)
{
	return &t->folds;
}

struct object_id *object_id_get(const struct object_ids *t, unsigned id)
{
	return t->item[id];
}

unsigned object_id_count(const struct object_ids *t)
{
	return t->n;
}

static const char *base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static uint64_t key_of(const struct array_desc *a)
{
	return hash_text(HASH_START ^ a->counter, a->name ? a->name : "");
}

/* A variable of a text, which does not say where it is declared. */
static bool is_operand(const struct array_desc *a)
{
	return !a->ndim && !*base(a->file);
}

static bool same_name(const struct array_desc *a, const struct array_desc *b)
{
	return a->counter == b->counter &&
	       !strcmp(a->name ? a->name : "", b->name ? b->name : "") &&
	       (!strcmp(base(a->file), base(b->file)) || is_operand(a) || is_operand(b));
}

static bool same_shape(const struct array_desc *a, const struct array_desc *b)
{
	if (a->ndim != b->ndim || a->type != b->type || a->elem_size != b->elem_size ||
	    (a->ndim && a->order != b->order) || a->kind != b->kind || a->nfield != b->nfield)
		return false;
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->lower[d] != b->lower[d] || a->extent[d] != b->extent[d])
			return false;
	for (uint32_t i = 0; i < a->nfield; i++)
		if (a->field[i].type != b->field[i].type ||
		    a->field[i].offset != b->field[i].offset ||
		    a->field[i].count != b->field[i].count)
			return false;
	return true;
}

struct array_desc *object_id_desc_copy(const struct array_desc *a)
{
	struct array_desc *copy = calloc(1, sizeof(*copy));
	struct buf b = BUF_INIT;
	bool good;

	array_desc_put_global(a, &b);
	array_desc_put_local(a, &b);
	good = copy && !b.bad && !array_desc_get_global(copy, &b) &&
	       !array_desc_get_local(copy, &b);
	buf_clear(&b);
	if (!good) {
		desc_free(copy);
		return NULL;
	}
	copy->addr = a->addr;
	memcpy(copy->stride, a->stride, sizeof(copy->stride));
	return copy;
}

/* What is compared as one value: parts of complex numbers, the least field of a structure. */
static void units(struct object_id *o)
{
	const struct array_desc *a = &o->desc;
	uint32_t least = 8;

	o->unit_type = a->type;
	o->unit = (uint8_t)(a->elem_size < 8 ? a->elem_size : 8);
	if (a->type == VALUE_FCOMPLEX || a->type == VALUE_DCOMPLEX) {
		o->unit_type = a->type == VALUE_FCOMPLEX ? VALUE_FLOAT : VALUE_DOUBLE;
		o->unit = (uint8_t)value_size(o->unit_type);
	} else if (a->type == VALUE_STRUCT) {
		for (uint32_t i = 0; i < a->nfield; i++) {
			uint32_t bits = a->field[i].offset | (uint32_t)value_size(a->field[i].type);

			bits |= a->elem_size | 8;
			bits &= -bits;
			least = bits < least ? bits : least;
		}
		o->unit = (uint8_t)(a->nfield ? least : 1);
	}
	o->bytes = a->elem_size;
	for (unsigned d = 0; d < a->ndim; d++)
		if (__builtin_mul_overflow(o->bytes, (uint64_t)a->extent[d], &o->bytes))
			o->bytes = UINT64_MAX;
}

static int ident_add(struct object_ids *t, const struct array_desc *a)
{
	struct object_id *o = calloc(1, sizeof(*o));
	struct array_desc *copy = object_id_desc_copy(a);

	if (!o || !copy || t->n >= TRACE_IDENTS || vec_more(t->item, t->n, 1) ||
	    hash_put(&t->table, key_of(a), t->n)) {
		t->failed = t->failed || t->n < TRACE_IDENTS;
		free(o);
		desc_free(copy);
		return -1;
	}
	o->desc = *copy;
	free(copy);
	units(o);
	t->item[t->n++] = o;
	return (int)t->n - 1;
}

bool object_ids_failed(const struct object_ids *t)
{
	return t->failed;
}

int object_id_of(struct object_ids *t, const struct array_desc *a)
{
	uint64_t key = key_of(a);

	for (uint32_t at = 0, i; hash_next(&t->table, key, &at, &i);) {
		const struct array_desc *known = &t->item[i]->desc;

		if (same_name(known, a) && same_shape(known, a))
			return (int)i;
	}
	return ident_add(t, a);
}

int object_id_other(const struct object_ids *t, unsigned id, bool in_ref)
{
	const struct array_desc *a = &t->item[id]->desc;
	uint64_t key = key_of(a);

	for (uint32_t at = 0, i; hash_next(&t->table, key, &at, &i);) {
		const struct object_id *o = t->item[i];

		if (i != id && same_name(&o->desc, a) && (in_ref ? o->in_ref : o->in_now))
			return (int)i;
	}
	return -1;
}

static bool same_part(const struct array_desc *a, const struct array_desc *b)
{
	bool same = a->ndim == b->ndim;

	for (unsigned d = 0; same && d < a->ndim; d++) {
		same = !a->list[d] == !b->list[d] && a->own_lo[d] == b->own_lo[d] &&
		       a->own_hi[d] == b->own_hi[d] && a->halo_lo[d] == b->halo_lo[d] &&
		       a->halo_hi[d] == b->halo_hi[d];
		if (same && a->list[d])
			same = a->list_n[d] == b->list_n[d] &&
			       !memcmp(a->list[d], b->list[d], a->list_n[d] * sizeof(*a->list[d]));
	}
	return same;
}

int object_id_place(struct object_ids *t, unsigned id, uint32_t file, uint32_t version,
		    const struct array_desc *a)
{
	struct object_id *o = t->item[id];
	struct array_desc **where = &o->now, *copy;
	uint32_t *known = &o->now_version;

	if (file < t->files) {
		if (!o->ref)
			o->ref = calloc(t->files, sizeof(struct array_desc *));
		if (!o->ref_version)
			o->ref_version = calloc(t->files, sizeof(*o->ref_version));
		if (!o->ref || !o->ref_version) {
			t->failed = true;
			return -1;
		}
		where = &o->ref[file];
		known = &o->ref_version[file];
		o->in_ref = true;
	} else {
		o->in_now = true;
	}
	if (*where && *known == version)
		return 0;
	copy = object_id_desc_copy(a);
	if (!copy) {
		t->failed = true;
		return -1;
	}
	o->moves = o->moves || (*where && !same_part(*where, copy));
	desc_free(*where);
	*where = copy;
	*known = version;
	return 0;
}

void object_ids_forget(struct object_ids *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		desc_free(t->item[i]->now);
		t->item[i]->now = NULL;
		t->item[i]->in_now = false;
	}
}

uint64_t object_id_byte(const struct object_id *o, const int64_t *index)
{
	const struct array_desc *a = &o->desc;
	uint64_t n = 0;

	for (unsigned i = 0; i < a->ndim; i++) {
		unsigned d = a->order == 'F' ? a->ndim - 1 - i : i;

		n = n * (uint64_t)a->extent[d] + ((uint64_t)index[d] - (uint64_t)a->lower[d]);
	}
	return n * a->elem_size;
}

void object_id_index(const struct object_id *o, uint64_t byte, int64_t *index, uint32_t *within)
{
	const struct array_desc *a = &o->desc;
	uint64_t n = byte / a->elem_size;

	*within = (uint32_t)(byte % a->elem_size);
	for (unsigned i = a->ndim; i > 0; i--) {
		unsigned d = a->order == 'F' ? a->ndim - i : i - 1;
		uint64_t extent = a->extent[d] > 0 ? (uint64_t)a->extent[d] : 1;

		index[d] = (int64_t)((uint64_t)a->lower[d] + n % extent);
		n /= extent;
	}
}

unsigned object_id_desc_type(const struct array_desc *a, uint32_t within, unsigned size)
{
	unsigned type = a->type, whole = 1;
	uint32_t from = 0;

	for (uint32_t i = 0; type == VALUE_STRUCT && i < a->nfield; i++) {
		const struct array_field *f = &a->field[i];

		if (within >= f->offset && within < f->offset + f->count * value_size(f->type)) {
			type = f->type;
			from = f->offset;
		}
	}
	if (type >= VALUE_TYPES)
		return VALUE_TYPES;
	whole = (unsigned)value_size(type);
	if (value_class(type) == VALUE_IS_COMPLEX && size == whole / 2) {
		type = type == VALUE_FCOMPLEX ? VALUE_FLOAT : VALUE_DOUBLE;
		whole /= 2;
	}
	return size == whole && (within - from) % whole == 0 ? type : VALUE_TYPES;
}

unsigned object_id_type(const struct object_id *o, uint32_t within, unsigned size)
{
	/* nearly always */
	if (size == o->unit && o->unit_type != VALUE_STRUCT)
		return within % size ? VALUE_TYPES : o->unit_type;
	return object_id_desc_type(&o->desc, within, size);
}

unsigned object_id_desc_whole(const struct array_desc *a, uint64_t *bytes)
{
	uint64_t elements = 1, n;
	unsigned i;

	*bytes = a->elem_size;
	for (i = 0; i + 1 < a->ndim; i++) {
		unsigned d = object_id_desc_dim(a, i);

		if (a->list[d] || a->halo_lo[d] || a->halo_hi[d] || a->own_lo[d] != a->lower[d] ||
		    a->extent[d] <= 0 || a->own_hi[d] != a->lower[d] + (a->extent[d] - 1) ||
		    a->stride[d] < 0 || (uint64_t)a->stride[d] != elements ||
		    __builtin_mul_overflow(elements, (uint64_t)a->extent[d], &n) ||
		    __builtin_mul_overflow(n, (uint64_t)a->elem_size, bytes))
			break;
		elements = n;
	}
	*bytes = elements * a->elem_size;
	return i;
}

/* A list's halo has no global indices. */
bool object_id_desc_has_dim(const struct array_desc *a, unsigned d, int64_t g, bool halo)
{
	if (a->list[d])
		return array_local(a, d, g) >= 0;
	if (a->own_hi[d] < a->own_lo[d])
		return false;
	if (g < a->own_lo[d])
		return halo && (uint64_t)a->own_lo[d] - (uint64_t)g <= (uint64_t)a->halo_lo[d];
	if (g > a->own_hi[d])
		return halo && (uint64_t)g - (uint64_t)a->own_hi[d] <= (uint64_t)a->halo_hi[d];
	return true;
}

bool object_id_desc_has(const struct array_desc *a, const int64_t *index, bool halo)
{
	if (!a)
		return false;
	for (unsigned d = 0; d < a->ndim; d++)
		if (!object_id_desc_has_dim(a, d, index[d], halo))
			return false;
	return true;
}
