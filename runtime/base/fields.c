/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fields: what is said of them is checked here. Those of an array of structures become arrays, each
 * with the structures' address, and named cells[].t.
 */
#include "runtime/base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/array/array.h"
#include "common/array/value.h"
#include "runtime/dvmdbg.h"

static bool any; /* field has been registered */

/* A member, or a member of one: "t", "pos.x". */
static bool name_ok(const char *s)
{
	bool first = true;

	for (; *s; s++) {
		if (*s == '.' ? first
			      : !(isalpha((unsigned char)*s) || *s == '_' ||
				  (!first && isdigit((unsigned char)*s))))
			return false;
		first = *s == '.';
	}
	return !first;
}

static bool fault(const struct var *v, const struct dvmdbg_field *f, const char *what)
{
	char text[160];
	struct text t = { text, 0, sizeof(text) };

	text_str(&t, "the field ");
	text_str(&t, f->name ? f->name : "?");
	text_str(&t, " ");
	text_str(&t, what);
	return var_fault(v, text, -1, "");
}

/* "has the bytes 8 to 15, …": of the structure, which has so many. */
static bool fault_bytes(const struct var *v, const struct dvmdbg_field *f, const char *what,
			const char *more)
{
	char text[160];
	struct text t = { text, 0, sizeof(text) };

	text_str(&t, "has the bytes ");
	text_num(&t, f->offset);
	text_str(&t, " to ");
	text_num(&t, (int64_t)f->offset + f->bytes - 1);
	text_str(&t, what);
	text_str(&t, more);
	return fault(v, f, text);
}

static bool inside(const struct var *v, const struct dvmdbg_field *f)
{
	char bytes[32];
	struct text t = { bytes, 0, sizeof(bytes) };

	if (f->offset <= v->e.elem_size && f->bytes <= v->e.elem_size - f->offset)
		return true;
	text_num(&t, v->e.elem_size);
	return fault_bytes(v, f, ", outside of the structure, which has ", bytes);
}

/* Of an array of structures: whatever would make one array of two, or elements that have no stride.
 */
static bool apart(const struct var *v, uint32_t i)
{
	const struct dvmdbg_field *f = &v->field[i];
	char text[100];
	struct text t = { text, 0, sizeof(text) };
	size_t size = var_size((unsigned)f->type);

	for (uint32_t k = 0; k < i; k++) {
		const struct dvmdbg_field *g = &v->field[k];

		if (!strcmp(f->name, g->name))
			return fault(v, f, "is named twice");
		if (f->offset < g->offset + g->bytes && g->offset < f->offset + f->bytes)
			return fault_bytes(v, f, ", some of which belong to the field ", g->name);
	}
	if (f->bytes % size) {
		text_str(&t, "has bytes that are not a multiple of the ");
		text_num(&t, (int64_t)size);
		text_str(&t, " of its type");
		return fault(v, f, text);
	}
	return true;
}

bool var_fields_ok(const struct var *v)
{
	for (uint32_t i = 0; i < v->e.nfield; i++) {
		const struct dvmdbg_field *f = &v->field[i];
		size_t size = f->type < 0 ? 0 : var_size((unsigned)f->type);

		if (!f->name || !name_ok(f->name))
			return fault(v, f, "is not named as a member is: t, or pos.x");
		if (!size)
			return fault(v, f,
				     "has a type that is not known: a number, a pointer, or "
				     "an array of them is, and members of structures are, as "
				     "pos.x");
		if (f->bytes < size)
			return fault(v, f, "has fewer bytes than its type");
		if (!inside(v, f) || (v->e.ndim && !apart(v, i)))
			return false;
	}
	return true;
}

/* cells[].t of cells, a pair of brackets for each dimension; p[]%at%x in Fortran. */
static bool name_make(const struct var *v, size_t own, const char *field, size_t len, char *out)
{
	bool fortran = v->e.order == 'F';
	int n = snprintf(out, VAR_NAME, "%.*s", (int)(own < VAR_NAME ? own : VAR_NAME - 1),
			 v->name);

	for (uint32_t d = 0; d < v->e.ndim && n < VAR_NAME; d++)
		n += snprintf(out + n, (size_t)(VAR_NAME - n), "[]");
	if (n < VAR_NAME)
		n += snprintf(out + n, (size_t)(VAR_NAME - n), ".%.*s", (int)len, field);
	for (char *c = out + own; fortran && n < VAR_NAME && *c; c++)
		*c = *c == '.' ? '%' : *c;
	return n < VAR_NAME;
}

/* Behind what shows that a member of an array is meant, a[].x, a(:, :)%x; 0: nothing does. */
static size_t behind_whole(const struct var *v, size_t *own)
{
	const char *at = memchr(v->name, v->by_name ? '(' : '[', v->len);
	size_t n;

	*own = n = at ? (size_t)(at - v->name) : v->len;
	for (; n + 1 < v->len && strchr("[](:, )", v->name[n]); n++)
		if (v->name[n] == ')' || (v->name[n] == ']' && v->name[n + 1] != '['))
			return n + 1;
	return 0;
}

const char *var_member_name(const struct var *v, char *out, size_t room)
{
	size_t own, at = v->name && v->e.ndim && !v->apart ? behind_whole(v, &own) : 0;

	if (!at || !own || at + 1 >= v->len || !strchr(v->by_name ? "%." : ".", v->name[at]) ||
	    room < VAR_NAME || !name_make(v, own, v->name + at + 1, v->len - at - 1, out))
		return NULL;
	any = true;
	return out;
}

bool var_name_matches(const char *have, const char *name, size_t len, bool any_case)
{
	char wanted[VAR_NAME];
	size_t n = 0;
	bool inside = false;

	if (len >= sizeof(wanted))
		return false;
	for (size_t i = 0; i < len; i++) {
		inside |= name[i] == '(';
		if (!inside)
			wanted[n++] = name[i];
		inside &= name[i] != ')';
	}
	wanted[n] = 0;
	return array_name_is(have, wanted, true, any_case) || array_name_in(have, wanted, any_case);
}

/* One more dimension, of the elements in each structure, from 0, in Fortran 1 on. */
static void add_part(struct var *v, int64_t count)
{
	struct page_entity *e = &v->e;
	uint32_t d = e->ndim++;

	e->lower[d] = e->own_lo[d] = e->order == 'F';
	e->extent[d] = count;
	e->own_hi[d] = e->own_lo[d] + count - 1;
	e->stride[d] = 1;
	v->part = true;
}

/* Its elements have a stride: a whole number of them goes from one structure to the next. */
static bool has_stride(const struct var *v, const struct dvmdbg_field *f)
{
	char text[160];
	struct text t = { text, 0, sizeof(text) };
	size_t size = var_size((unsigned)f->type);

	if (v->e.elem_size % size == 0)
		return true;
	text_str(&t, "has elements of ");
	text_num(&t, (int64_t)size);
	text_str(&t, " bytes, of which the ");
	text_num(&t, v->e.elem_size);
	text_str(&t, " of the structure are no multiple: it is left out");
	return fault(v, f, text);
}

static void register_field(const struct var *all, const struct dvmdbg_field *f)
{
	struct var v = *all;
	struct page_entity *e = &v.e;
	uint32_t size = (uint32_t)var_size((unsigned)f->type);
	int64_t ratio = e->elem_size / size;
	char name[VAR_NAME];

	if (!name_make(all, all->len, f->name, strlen(f->name), name)) {
		var_fault(all, "the name of its field is too long: ", -1, f->name);
		return;
	}
	any = true;
	v.name = name;
	v.len = strlen(name);
	v.field = NULL;
	e->nfield = 0;
	e->type = (uint8_t)f->type;
	e->elem_size = size;
	v.declared = -1;
	v.offset = e->offset = f->offset;
	v.apart = ratio;
	v.room *= (uint64_t)ratio;
	v.row *= (uint64_t)ratio;
	for (uint32_t d = 0; d < e->ndim; d++)
		if (__builtin_mul_overflow(e->stride[d], ratio, &e->stride[d])) {
			var_fault(all, "the stride", (int)d, " is too large");
			return;
		}
	if (f->bytes > size)
		add_part(&v, f->bytes / size);
	var_register(&v);
}

void var_register_fields(const struct var *v)
{
	bool part = false;

	for (uint32_t i = 0; i < v->e.nfield; i++)
		part |= v->field[i].type >= 0 &&
			v->field[i].bytes > var_size((unsigned)v->field[i].type);
	if (v->e.ndim < 1 || v->e.ndim + part > ARRAY_DIMS) {
		var_fault(v, "the number of dimensions is not 1 to 8", -1,
			  part ? ", with that of a field which is an array" : ": give .shape");
		var_refuse(v);
	} else if (!var_fields_ok(v)) {
		var_refuse(v);
	} else {
		for (uint32_t i = 0; i < v->e.nfield; i++)
			if (has_stride(v, &v->field[i]))
				register_field(v, &v->field[i]);
	}
}

/* Where the data of an object are; 0: nowhere. */
static uint64_t data_of(const struct page_entity *e)
{
	uint64_t at = 0;

	if (!e->by_pointer)
		return e->addr;
	if (probe(e->addr, sizeof(at), true))
		memcpy(&at, (const void *)(uintptr_t)e->addr, sizeof(at));
	return at;
}

static bool is_field(const struct page_entity *e)
{
	return array_name_structure(arena_at(e->name)) > 0;
}

bool var_begins(uint32_t i, uint64_t data)
{
	uint32_t loc;
	const struct page_entity *e = arena_at(var_entity(i, &loc));
	uint64_t at;

	if (!atomic_load(&e->live))
		return false;
	at = data_of(e);
	return at && (at == data || (is_field(e) && at + (uint64_t)e->offset == data));
}

/* Each structure has several elements of it. */
static bool has_part(const struct page_entity *e)
{
	return e->ndim > array_name_dims(arena_at(e->name));
}

unsigned var_fields_at(uint64_t data, uint64_t *at, unsigned most)
{
	uint32_t loc, count = any && data ? var_count() : 0;
	unsigned n = 0;

	for (uint32_t i = 0; i < 2 * count && n < most; i++) {
		const struct page_entity *e = arena_at(var_entity(i % count, &loc));

		if (atomic_load(&e->live) && is_field(e) && has_part(e) == (i >= count) &&
		    data_of(e) == data)
			at[n++] = data + (uint64_t)e->offset;
	}
	return n;
}

uint64_t var_field_first(uint64_t data)
{
	uint64_t at;

	return var_fields_at(data, &at, 1) ? at : data;
}

bool var_is_field_of(uint32_t i, const char *name, size_t len)
{
	uint32_t loc;
	const char *have = arena_at(((struct page_entity *)arena_at(var_entity(i, &loc)))->name);

	return len && array_name_structure(have) == len && !strncasecmp(have, name, len);
}

bool var_same_structure(uint32_t i, uint32_t k)
{
	uint32_t loc;
	const struct page_entity *a = arena_at(var_entity(i, &loc));
	const struct page_entity *b = arena_at(var_entity(k, &loc));
	const char *x = arena_at(a->name), *y = arena_at(b->name);
	size_t n = array_name_structure(x);

	return n && atomic_load(&a->live) && atomic_load(&b->live) && a->order == b->order &&
	       n == array_name_structure(y) && !strncmp(x, y, n) &&
	       (a->order == 'F' || a->addr == b->addr);
}
