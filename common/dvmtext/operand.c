/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/dvmtext/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/core/vec.h"
#include "common/dvmtext/dvmtext.h"
#include "common/array/value.h"

#define OPERAND_MOST 4096 /* bytes of an operand that are looked at */

void text_objects_clear(struct text_objects *o)
{
	for (uint32_t i = 0; i < o->n; i++) {
		free(o->object[i].name);
		free(o->object[i].file);
	}
	free(o->object);
	hash_clear(&o->table);
	*o = (struct text_objects){ 0 };
}

/* A whole number at *p, which moves behind it. */
static bool literal(const char **p, int64_t *v)
{
	return **p != '+' && !parse_int_at(p, v);
}

/* "[2][1]" or "(1,2)", perhaps "+8", up to the end of the text; false: something else. */
static bool literals(const char *p, struct text_operand *o)
{
	char close = *p == '[' ? ']' : ')';
	int64_t within = 0;

	o->order = *p == '[' ? 'C' : 'F';
	o->ndim = 0;
	while (*p == '[' || *p == '(' || *p == ',') {
		p++;
		if (o->ndim == ARRAY_DIMS || !literal(&p, &o->index[o->ndim++]))
			return false;
		if (*p == close && (p[1] == '[' || p[1] == '+' || !p[1]))
			p++;
		else if (*p != ',' || close == ']')
			return false;
	}
	if (*p == '+') {
		p++;
		if (!literal(&p, &within) || within < 0 || within > UINT32_MAX)
			return false;
		o->within = (uint32_t)within;
	}
	return !*p && o->ndim;
}

/* The array has values of that type, or its parts are. */
static bool has_type(const struct dvmtext_array *a, unsigned type)
{
	return a->type < VALUE_TYPES &&
	       (a->type == type ||
		(value_class(a->type) == VALUE_IS_COMPLEX && dvmtext_part(a->type) == type));
}

/* What the head says of the operand's array; NULL: nothing. */
static const struct dvmtext_array *array_of(struct text_objects *o, const struct text_operand *key,
					    unsigned type)
{
	uint32_t h = type, *near;

	for (const char *p = key->name; *p; p++)
		h = 31 * h + (unsigned char)*p;
	near = &o->near[h % 256];
	for (uint32_t k = 0; o->head && key->ndim && k < o->head->narray; k++) {
		const struct dvmtext_array *a = &o->head->array[(*near + k) % o->head->narray];

		if (a->ndim == key->ndim && has_type(a, type) && !strcmp(a->name, key->name)) {
			*near = (uint32_t)(a - o->head->array);
			return a;
		}
	}
	return NULL;
}

/* The bytes in the element are the imaginary part of a complex number. */
static bool is_imaginary(struct text_objects *o, const struct text_operand *key, unsigned type)
{
	const struct dvmtext_array *a = array_of(o, key, type);

	return a && a->type != type && key->within == value_size(type);
}

/* room has OPERAND_MOST bytes, for the name. */
static void parse(struct text_objects *all, const char *text, unsigned type, char *room,
		  struct text_operand *o)
{
	size_t n = 0, brackets;

	for (; *text && n < OPERAND_MOST - 1; text++)
		if (*text != ' ' && *text != '\t')
			room[n++] = *text;
	room[n] = '\0';
	*o = (struct text_operand){ .name = room };
	brackets = strcspn(room, "[(");
	o->indexed = brackets && room[brackets];
	if (o->indexed && literals(room + brackets, o)) {
		char first = room[brackets];

		room[brackets] = '\0';
		if (!o->within || is_imaginary(all, o, type))
			return;
		room[brackets] = first;
	}
	o->order = 0;
	o->ndim = 0;
	o->within = 0;
	if (!*room)
		strcpy(room, "?");
}

static uint64_t key_of(const struct text_operand *o, unsigned type)
{
	return hash_text(
		hash_mix(HASH_START, type | (uint64_t)o->ndim << 8 | (uint64_t)o->order << 16),
		o->name);
}

static bool same(const struct text_object *x, const struct text_operand *o, unsigned type)
{
	return !x->sum && x->type == type && x->order == o->order && x->ndim == o->ndim &&
	       !strcmp(x->name, o->name);
}

static struct text_object *look_up(struct text_objects *o, const struct text_operand *key,
				   unsigned type)
{
	uint64_t hash = key_of(key, type);
	struct text_object *x;

	for (uint32_t at = 0, i; hash_next(&o->table, hash, &at, &i);)
		if (same(&o->object[i], key, type))
			return &o->object[i];
	if (vec_more(o->object, o->n, 1))
		return NULL;
	x = &o->object[o->n];
	*x = (struct text_object){ .name = strdup(key->name),
				   .type = (uint8_t)type,
				   .order = key->order,
				   .ndim = key->ndim,
				   .indexed = key->indexed };
	if (!x->name || hash_put(&o->table, hash, o->n)) {
		free(x->name);
		return NULL;
	}
	memcpy(x->low, key->index, sizeof(x->low));
	memcpy(x->high, key->index, sizeof(x->high));
	o->n++;
	return x;
}

uint32_t text_objects_array(struct text_objects *o, const char *name, const char *file,
			    uint32_t line, uint32_t counter)
{
	uint64_t hash = hash_text(hash_mix(hash_mix(HASH_START, line), counter), name);
	struct text_object *x;

	for (uint32_t at = 0, i; hash_next(&o->table, hash, &at, &i);) {
		x = &o->object[i];
		if (x->sum && x->line == line && x->counter == counter && !strcmp(x->name, name) &&
		    !strcmp(x->file, file))
			return i;
	}
	if (vec_more(o->object, o->n, 1))
		return TRACE_NOWHERE;
	x = &o->object[o->n];
	*x = (struct text_object){ .name = strdup(name),
				   .file = strdup(file),
				   .type = VALUE_DOUBLE, /* unless the head says it */
				   .sum = true,
				   .indexed = true,
				   .line = line,
				   .counter = counter };
	for (uint32_t k = 0; o->head && k < o->head->narray; k++)
		if (o->head->array[k].line == line && o->head->array[k].counter == counter &&
		    o->head->array[k].type <= VALUE_LLONG && !strcmp(o->head->array[k].name, name))
			x->type = (uint8_t)o->head->array[k].type;
	if (x->name && x->file && !hash_put(&o->table, hash, o->n))
		return o->n++;
	free(x->name);
	free(x->file);
	return TRACE_NOWHERE;
}

static int64_t extent(const struct text_object *x, unsigned d)
{
	return x->high[d] - x->low[d] + 1;
}

/* The dimension that is the k-th slowest in memory. */
static unsigned slow(const struct text_object *x, unsigned k)
{
	return x->order == 'F' ? x->ndim - 1 - k : k;
}

uint32_t text_objects_find(struct text_objects *o, const char *operand, unsigned type, uint64_t *at)
{
	char room[OPERAND_MOST];
	const struct dvmtext_array *a;
	struct text_operand key;
	struct text_object *x;
	uint64_t element = 0;

	parse(o, operand, type, room, &key);
	a = array_of(o, &key, type);
	if (a)
		type = a->own ? a->own : a->type;
	x = look_up(o, &key, type);
	if (!x)
		return TRACE_NOWHERE;
	for (unsigned k = 0; k < x->ndim; k++) {
		unsigned d = slow(x, k);

		if (!at) {
			x->low[d] = key.index[d] < x->low[d] ? key.index[d] : x->low[d];
			x->high[d] = key.index[d] > x->high[d] ? key.index[d] : x->high[d];
		} else if (x->elements) {
			element = element * (uint64_t)extent(x, d) +
				  (uint64_t)(key.index[d] - x->low[d]);
		}
	}
	if (at)
		*at = element * value_size(type) + key.within;
	return (uint32_t)(x - o->object);
}

unsigned text_objects_value(const struct text_objects *o, uint32_t n, unsigned type)
{
	unsigned own = o->object[n].type;

	return value_class(own) == VALUE_IS_COMPLEX && type != own ? dvmtext_part(own) : own;
}

int text_objects_declare(struct text_objects *o, uint32_t n, const char *file, uint32_t line,
			 uint32_t counter, bool distributed)
{
	struct text_object *x = &o->object[n];

	if (x->file)
		return 0;
	x->file = strdup(file);
	x->line = line;
	x->counter = counter;
	x->indexed = distributed;
	return x->file ? 0 : -1;
}

/* How many elements the bounds hold; 0: too many. */
static uint64_t elements_of(const struct text_object *x)
{
	uint64_t elements = 1;

	for (unsigned d = 0; d < x->ndim; d++) {
		int64_t n;

		if (__builtin_sub_overflow(x->high[d], x->low[d], &n) ||
		    __builtin_add_overflow(n, 1, &n) ||
		    __builtin_mul_overflow(elements, (uint64_t)n, &elements) ||
		    elements > UINT64_C(1) << 48)
			return 0;
	}
	return elements;
}

/* An array is as big as the head says, and at least as the indices that occur. */
static void set_shape(struct text_object *x, const struct dvmtext_array *a)
{
	for (unsigned d = 0; a->shaped && a->ndim == x->ndim && d < x->ndim; d++) {
		x->low[d] = a->first[d] < x->low[d] ? a->first[d] : x->low[d];
		x->high[d] = a->last[d] > x->high[d] ? a->last[d] : x->high[d];
	}
}

int text_objects_fix(struct text_objects *o, const struct dvmtext_head *h)
{
	for (uint32_t i = 0; i < o->n; i++) {
		struct text_object *x = &o->object[i];

		for (uint32_t k = 0; k < h->narray; k++) {
			const struct dvmtext_array *a = &h->array[k];

			if (x->sum || strcmp(a->name, x->name) != 0)
				continue;
			if (!x->file || (x->line == a->line && x->counter == a->counter))
				set_shape(x, a);
			if (text_objects_declare(o, i, a->file, a->line, a->counter,
						 a->distributed))
				return -1;
		}
		x->elements = elements_of(x);
	}
	return 0;
}

int text_objects_describe(const struct text_objects *o, uint32_t n, struct trace_object *out)
{
	const struct text_object *x = &o->object[n];
	static char nothing[1];
	struct array_desc *a = &out->desc;
	int64_t stride = 1;

	if (n >= o->n)
		return -1;
	*out = (struct trace_object){ .version = n, .kind = TRACE_OPERAND, .site = TRACE_NONE };
	a->name = x->name;
	a->file = x->file ? x->file : nothing;
	a->line = x->line;
	a->counter = x->counter;
	a->kind = x->indexed ? ARRAY_DISTRIBUTED : ARRAY_REPLICATED;
	a->type = x->type;
	a->order = x->order ? x->order : 'C';
	a->elem_size = (uint32_t)value_size(x->type);
	a->ndim = x->elements ? x->ndim : 0;
	for (unsigned k = a->ndim; k-- > 0;) {
		unsigned d = slow(x, k);

		a->lower[d] = a->own_lo[d] = x->low[d];
		a->own_hi[d] = x->high[d];
		a->extent[d] = extent(x, d);
		a->stride[d] = stride;
		stride *= a->extent[d];
	}
	return 0;
}

/* A number, or two in brackets. */
static int parts(const char *text, double v[2])
{
	char *end;

	v[1] = 0;
	text += strspn(text, " \t(");
	v[0] = strtod(text, &end);
	if (end == text)
		return -1;
	text = end + strspn(end, " \t,");
	if (*text && *text != ')') {
		v[1] = strtod(text, &end);
		if (end == text)
			return -1;
		text = end;
	}
	return text[strspn(text, " \t)i")] ? -1 : 0;
}

static int whole(unsigned type, const char *text, unsigned char out[16])
{
	int64_t v;

	text += strspn(text, " \t");
	if (parse_int_at(&text, &v) || text[strspn(text, " \t")])
		return -1;
	/* little-endian, as everything that is recorded */
	memcpy(out, &v, value_size(type));
	return 0;
}

int text_value(unsigned type, const char *text, unsigned char out[16])
{
	double v[2] = { NAN, NAN };
	float f[2];

	memset(out, 0, 16);
	if (value_class(type) != VALUE_IS_REAL && value_class(type) != VALUE_IS_COMPLEX)
		return text ? whole(type, text, out) : 0;
	if (text && parts(text, v))
		return -1;
	if (type == VALUE_FLOAT || type == VALUE_FCOMPLEX) {
		f[0] = (float)v[0];
		f[1] = (float)v[1];
		memcpy(out, f, value_size(type));
	} else {
		memcpy(out, v, value_size(type));
	}
	return 0;
}
