/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/array.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/array/value.h"

void array_desc_clear(struct array_desc *a)
{
	free(a->name);
	free(a->file);
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		free(a->list[d]);
	for (uint32_t i = 0; i < a->nfield; i++)
		free(a->field[i].name);
	free(a->field);
	*a = (struct array_desc){ 0 };
}

bool array_is_named(const struct array_desc *a, const char *name)
{
	return a->name && !(a->order == 'F' ? strcasecmp(a->name, name) : strcmp(a->name, name));
}

int64_t array_local(const struct array_desc *a, unsigned d, int64_t g)
{
	uint64_t halo = (uint64_t)a->halo_lo[d]; /* unsigned: a wild description may wrap */

	if (!a->list[d]) {
		if (g < a->own_lo[d] || g > a->own_hi[d])
			return -1;
		return (int64_t)((uint64_t)g - (uint64_t)a->own_lo[d] + halo);
	}
	for (uint32_t k = 0; k < a->list_n[d]; k++)
		if (a->list[d][k] == g)
			return (int64_t)(k + halo);
	return -1;
}

void array_desc_put_global(const struct array_desc *a, struct buf *b)
{
	buf_put_str(b, a->name);
	buf_put_str(b, a->file);
	buf_put_u32(b, a->line);
	buf_put_u32(b, a->counter);
	buf_put_u8(b, a->kind);
	buf_put_u8(b, a->type);
	buf_put_u8(b, a->order);
	buf_put_u32(b, a->elem_size);
	buf_put_u8(b, (uint8_t)a->ndim);
	for (unsigned d = 0; d < a->ndim; d++) {
		buf_put_i64(b, a->lower[d]);
		buf_put_i64(b, a->extent[d]);
	}
	buf_put_u32(b, a->nfield);
	for (uint32_t i = 0; i < a->nfield; i++) {
		buf_put_str(b, a->field[i].name);
		buf_put_u8(b, a->field[i].type);
		buf_put_u32(b, a->field[i].offset);
		buf_put_u32(b, a->field[i].count);
	}
}

static int get_fields(struct array_desc *a, struct buf *b)
{
	uint32_t n = buf_get_u32(b);

	/* a field is at least an empty string and 9 bytes: the count cannot outgrow the message */
	if (b->bad || n > buf_left(b) / 10)
		return -1;
	a->field = calloc(n ? n : 1, sizeof *a->field);
	if (!a->field)
		return -1;
	for (a->nfield = 0; a->nfield < n; a->nfield++) {
		struct array_field *f = &a->field[a->nfield];
		const char *name = buf_get_str(b);

		f->type = buf_get_u8(b);
		f->offset = buf_get_u32(b);
		f->count = buf_get_u32(b);
		if (b->bad || !*name || !value_size(f->type) || !f->count ||
		    f->offset + (uint64_t)f->count * value_size(f->type) > a->elem_size)
			return -1;
		f->name = strdup(name);
		if (!f->name)
			return -1;
	}
	return 0;
}

static int get_global(struct array_desc *a, struct buf *b)
{
	int64_t high;

	a->name = strdup(buf_get_str(b));
	a->file = strdup(buf_get_str(b));
	a->line = buf_get_u32(b);
	a->counter = buf_get_u32(b);
	a->kind = buf_get_u8(b);
	a->type = buf_get_u8(b);
	a->order = buf_get_u8(b);
	a->elem_size = buf_get_u32(b);
	a->ndim = buf_get_u8(b);
	if (b->bad || !a->name || !a->file || !*a->name || a->kind > ARRAY_REPLICATED ||
	    (a->order != 'C' && a->order != 'F') || a->ndim > ARRAY_DIMS || !a->elem_size)
		return -1;
	if (a->type != VALUE_STRUCT && value_size(a->type) != a->elem_size)
		return -1;
	for (unsigned d = 0; d < a->ndim; d++) {
		a->lower[d] = buf_get_i64(b);
		a->extent[d] = buf_get_i64(b);
		if (a->extent[d] < 0 || __builtin_add_overflow(a->lower[d], a->extent[d], &high))
			return -1;
	}
	return get_fields(a, b);
}

int array_desc_get_global(struct array_desc *a, struct buf *b)
{
	*a = (struct array_desc){ 0 };
	if (!get_global(a, b) && !b->bad)
		return 0;
	array_desc_clear(a);
	return -1;
}

void array_desc_put_local(const struct array_desc *a, struct buf *b)
{
	buf_put_u8(b, (uint8_t)a->ndim);
	for (unsigned d = 0; d < a->ndim; d++) {
		buf_put_i64(b, a->own_lo[d]);
		buf_put_i64(b, a->own_hi[d]);
		buf_put_i64(b, a->halo_lo[d]);
		buf_put_i64(b, a->halo_hi[d]);
		buf_put_u8(b, a->list[d] != NULL);
		buf_put_u32(b, a->list[d] ? a->list_n[d] : 0);
		for (uint32_t k = 0; a->list[d] && k < a->list_n[d]; k++)
			buf_put_i64(b, a->list[d][k]);
	}
}

static int get_list(struct array_desc *a, unsigned d, struct buf *b)
{
	uint8_t present = buf_get_u8(b);
	uint32_t n = buf_get_u32(b);

	free(a->list[d]);
	a->list[d] = NULL;
	a->list_n[d] = 0;
	if (b->bad || present > 1 || buf_left(b) / 8 < n || (!present && n))
		return -1;
	if (!present)
		return 0;
	a->list[d] = calloc(n ? n : 1, sizeof *a->list[d]);
	if (!a->list[d])
		return -1;
	a->list_n[d] = n;
	for (uint32_t k = 0; k < n; k++)
		a->list[d][k] = buf_get_i64(b);
	return 0;
}

int array_desc_get_local(struct array_desc *a, struct buf *b)
{
	if (buf_get_u8(b) != a->ndim || b->bad)
		return -1;
	for (unsigned d = 0; d < a->ndim; d++) {
		a->own_lo[d] = buf_get_i64(b);
		a->own_hi[d] = buf_get_i64(b);
		a->halo_lo[d] = buf_get_i64(b);
		a->halo_hi[d] = buf_get_i64(b);
		if (a->halo_lo[d] < 0 || a->halo_hi[d] < 0 || get_list(a, d, b))
			return -1;
	}
	return b->bad ? -1 : 0;
}
