/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/array/value.h"

void array_fields_clear(struct array_field *field, uint32_t n)
{
	for (uint32_t i = 0; field && i < n; i++)
		free(field[i].name);
	free(field);
}

void array_desc_clear(struct array_desc *a)
{
	free(a->name);
	free(a->file);
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		free(a->list[d]);
	array_fields_clear(a->field, a->nfield);
	*a = (struct array_desc){ 0 };
}

/* Behind the brackets in which indices stand. */
static const char *behind_brackets(const char *s)
{
	while (s[0] == '[' && s[1] == ']')
		s += 2;
	return s;
}

bool array_name_is(const char *name, const char *wanted, bool fortran, bool any_case)
{
	for (;; name++, wanted++) {
		char a, b;

		name = behind_brackets(name);
		wanted = behind_brackets(wanted);
		a = fortran && *name == '%' ? '.' : *name;
		b = fortran && *wanted == '%' ? '.' : *wanted;
		if (a != b && !(any_case && tolower((unsigned char)a) == tolower((unsigned char)b)))
			return false;
		if (!a)
			return true;
	}
}

bool array_is_named(const struct array_desc *a, const char *name)
{
	bool fortran = a->order == 'F';

	return a->name && array_name_is(a->name, name, fortran, fortran);
}

size_t array_name_structure(const char *name)
{
	const char *at = strstr(name, "[]");

	return at && *behind_brackets(at) ? (size_t)(at - name) : 0;
}

unsigned array_name_dims(const char *name)
{
	const char *at = name + array_name_structure(name);

	return at == name ? 0 : (unsigned)(behind_brackets(at) - at) / 2;
}

bool array_name_in(const char *name, const char *structure, bool any_case)
{
	size_t n = array_name_structure(name);

	return n && n == strlen(structure) &&
	       !(any_case ? strncasecmp(name, structure, n) : strncmp(name, structure, n));
}

/* Behind the first n indices at s, "[3]{…}" or "(1,2"; NULL: there are fewer. */
static const char *behind_indices(const char *s, bool fortran, unsigned n)
{
	unsigned depth = 0;

	if (*s != (fortran ? '(' : '['))
		return NULL;
	for (; n && *s; s++) {
		depth += *s == '[' || *s == '(' || *s == '{';
		if (*s == ']' || *s == ')' || *s == '}')
			n -= !--depth;
		else if (*s == ',' && depth == 1 && fortran)
			n--;
		if (!n)
			return fortran ? s : s + 1;
	}
	return NULL;
}

char *array_name_place(char *text, size_t name)
{
	size_t head = array_name_structure(text), length = strlen(text), n, tail;
	const char *field, *more;
	char *copy;
	bool fortran;

	if (!head || head >= name || name >= length)
		return text;
	field = behind_brackets(text + head);
	tail = (size_t)(text + name - field);
	fortran = text[name] == '(';
	more = behind_indices(text + name, fortran, array_name_dims(text));
	copy = more ? strdup(text) : NULL;
	if (!copy)
		return text;
	n = (size_t)(more - text) - name;
	memcpy(text + head, copy + name, n);
	length = head + n;
	if (fortran)
		text[length++] = ')';
	memcpy(text + length, copy + (field - text), tail);
	length += tail;
	more = copy + name + n;
	if (fortran && *more == ',')
		text[length++] = '(';
	more += fortran;
	memcpy(text + length, more, strlen(more) + 1);
	free(copy);
	return text;
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

bool array_wrap_next(const struct array_desc *a, int8_t wrap[ARRAY_DIMS])
{
	for (unsigned d = 0; d < a->ndim; d++) {
		if (!(a->periodic >> d & 1))
			continue;
		wrap[d] = wrap[d] ? (wrap[d] > 0 ? -1 : 0) : 1;
		if (wrap[d])
			return true;
	}
	return false;
}

/* The order of indices; in small letters: it is periodic, and in which dimensions follows. */
static void order_code(struct codec *c, struct array_desc *a)
{
	uint8_t order = (uint8_t)(a->order | (a->periodic ? 0x20 : 0));

	codec_u8(c, &order);
	if (c->get) {
		a->order = order & ~0x20;
		a->periodic = 0;
	}
	if (order & 0x20) {
		codec_u32(c, &a->periodic);
		codec_check(c, a->periodic != 0);
	}
	codec_check(c, a->order == 'C' || a->order == 'F');
}

static void field_code(struct codec *c, struct array_field *f, uint32_t elem_size)
{
	codec_text_copy(c, &f->name);
	codec_u8(c, &f->type);
	codec_u32(c, &f->offset);
	codec_u32(c, &f->count);
	codec_check(c, value_size(f->type) && f->count);
	codec_check(c, f->offset + (uint64_t)f->count * value_size(f->type) <= elem_size);
}

void array_fields_code(struct codec *c, struct array_field **field, uint32_t *n, uint32_t elem_size)
{
	/* the bytes of a field with an empty name */
	enum { FIELD_LEAST = 10 };

	codec_list(c, field, n, UINT32_MAX, FIELD_LEAST);
	for (uint32_t i = 0; i < *n && codec_good(c); i++)
		field_code(c, &(*field)[i], elem_size);
}

void array_kind_code(struct codec *c, uint8_t *kind, uint32_t *copies)
{
	/* what is partly replicated is a kind of its own there */
	enum { COPIES = ARRAY_REPLICATED + 1 };
	uint8_t both = *copies ? COPIES : *kind;

	codec_below(c, &both, COPIES + 1);
	if (c->get) {
		*kind = both == COPIES ? ARRAY_DISTRIBUTED : both;
		*copies = 0;
	}
	if (both != COPIES)
		return;
	codec_u32(c, copies);
	codec_check(c, *copies > 1 && *copies <= INT32_MAX);
}

int array_global_code(struct codec *c, struct array_desc *a)
{
	int64_t high;

	codec_text_copy(c, &a->name);
	codec_text_copy(c, &a->file);
	codec_u32(c, &a->line);
	codec_u32(c, &a->counter);
	array_kind_code(c, &a->kind, &a->copies);
	codec_u8(c, &a->type);
	order_code(c, a);
	codec_u32(c, &a->elem_size);
	codec_check(c, *a->name && a->elem_size);
	codec_check(c, a->type == VALUE_STRUCT || value_size(a->type) == a->elem_size);
	codec_below(c, &a->ndim, ARRAY_DIMS + 1);
	codec_check(c, a->periodic >> a->ndim == 0);
	for (unsigned d = 0; d < a->ndim; d++) {
		codec_i64(c, &a->lower[d]);
		codec_i64(c, &a->extent[d]);
		codec_check(c, a->extent[d] >= 0 &&
				       !__builtin_add_overflow(a->lower[d], a->extent[d], &high));
		codec_check(c, !(a->periodic >> d & 1) || array_wraps(a->lower[d], a->extent[d]));
	}
	array_fields_code(c, &a->field, &a->nfield, a->elem_size);
	for (uint32_t i = 0; i < a->nfield && codec_good(c); i++)
		codec_check(c, *a->field[i].name);
	return codec_end(c);
}

int array_desc_get_global(struct array_desc *a, struct buf *b)
{
	*a = (struct array_desc){ 0 };
	if (!array_global_code(CODEC_GET(b), a))
		return 0;
	array_desc_clear(a);
	return -1;
}

static void list_code(struct codec *c, int64_t **list, uint32_t *n)
{
	uint32_t count = *list ? *n : 0;
	bool there = *list != NULL;

	codec_flag(c, &there);
	if (c->get) {
		free(*list);
		*list = NULL;
		*n = count = codec_take_count(c, there ? UINT32_MAX : 0, 8);
		if (there)
			*list = codec_room(c, count, sizeof(**list));
		if (!*list)
			*n = count = 0;
	} else {
		codec_u32(c, &count);
	}
	codec_i64s(c, *list, count);
}

int array_local_code(struct codec *c, struct array_desc *a)
{
	unsigned ndim = a->ndim;

	codec_u8(c, &ndim);
	codec_check(c, ndim == a->ndim);
	if (a->copies) {
		codec_u32(c, &a->copy);
		codec_check(c, a->copy < a->copies);
	}
	for (unsigned d = 0; d < a->ndim && codec_good(c); d++) {
		codec_i64(c, &a->own_lo[d]);
		codec_i64(c, &a->own_hi[d]);
		codec_i64(c, &a->halo_lo[d]);
		codec_i64(c, &a->halo_hi[d]);
		codec_check(c, a->halo_lo[d] >= 0 && a->halo_hi[d] >= 0);
		list_code(c, &a->list[d], &a->list_n[d]);
	}
	return codec_end(c);
}
