/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where elements are that are to be watched, and of structures the numbers in them.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/err.h"

#define PARTS_MOST 1000
#define NAME_MOST 200 /* characters of a part's */

/* An element whose parts are being listed. */
struct listing {
	struct frame *f;
	const char *name; /* as it is typed, for errors */
	struct native_placed *out;
	uint64_t base; /* its address */
	struct err *err;
};

void native_placed_clear(struct native_placed *p)
{
	for (uint32_t i = 0; i < p->npart; i++)
		free(p->part[i].name);
	free(p->part);
	*p = (struct native_placed){ .part = NULL };
}

uint64_t native_placed_mask(const struct native_placed *p)
{
	const struct native_part *q = p->part;
	bool bits = p->npart == 1 && !*q->name && q->bits;

	return bits ? UINT64_MAX >> (64 - q->bits) << q->bit : 0;
}

static void pack_bits(const struct native_part *q, const unsigned char *from, unsigned char *to)
{
	uint64_t word = 0;
	int64_t value;

	memcpy(&word, from, (q->bit + q->bits + 7u) / 8);
	word = word >> q->bit << (64 - q->bits);
	value = q->how == NATIVE_SIGNED_BITS ? (int64_t)word >> (64 - q->bits)
					     : (int64_t)(word >> (64 - q->bits));
	memcpy(to, &value, sizeof(value));
}

void native_placed_pack(const struct native_placed *p, const unsigned char *element,
			unsigned char *out)
{
	for (uint32_t i = 0; i < p->npart; i++) {
		const struct native_part *q = &p->part[i];
		size_t size = value_size(q->type) * q->count;
		double real;

		switch (q->how) {
		case NATIVE_PLAIN:
			memcpy(out, element + q->offset, size);
			break;
		case NATIVE_BITS:
		case NATIVE_SIGNED_BITS:
			pack_bits(q, element + q->offset, out);
			break;
		case NATIVE_REAL:
		case NATIVE_QUAD:
			real = number_real(element + q->offset, q->how == NATIVE_QUAD);
			memcpy(out, &real, sizeof(real));
			break;
		}
		out += size;
	}
}

/* ---- parts ---- */

static int add_part(struct listing *p, const struct datum *d, const char *name,
		    struct native_part part)
{
	struct native_placed *out = p->out;
	struct native_part *grown;

	if (!part.count)
		return 0;
	if (out->npart == PARTS_MOST)
		return err_set(
			p->err,
			"%s has more than %d parts: choose what is to be watched, as in %s%s",
			p->name, PARTS_MOST, p->name, name);
	grown = realloc(out->part, (out->npart + 1) * sizeof(*grown));
	if (!grown)
		return err_set(p->err, "out of memory");
	out->part = grown;
	part.name = strdup(name);
	if (!part.name)
		return err_set(p->err, "out of memory");
	part.offset = (uint32_t)(d->place.addr - p->base);
	grown[out->npart++] = part;
	out->packed += (uint32_t)(value_size(part.type) * part.count);
	return 0;
}

static int add_bits(struct listing *p, const struct datum *d, Dwarf_Die *type, const char *name)
{
	unsigned number = dwarf_tag(type) == DW_TAG_enumeration_type ? number_enumeration(type)
								     : datum_number_type(type);
	bool has_sign = number < VALUE_TYPES && value_class(number) == VALUE_IS_INT;

	if (d->bit + d->bits > 64)
		return err_set(p->err, "%s%s is a field of bits in more than 8 bytes", p->name,
			       name);
	return add_part(p, d, name,
			(struct native_part){ .how = has_sign ? NATIVE_SIGNED_BITS : NATIVE_BITS,
					      .type = VALUE_LONG,
					      .bit = (uint8_t)d->bit,
					      .bits = (uint8_t)d->bits,
					      .count = 1 });
}

static int add_number(struct listing *p, const struct datum *d, Dwarf_Die *type, const char *name)
{
	struct native_part part = { .count = 1 };
	unsigned number = datum_number_type(type);
	int64_t characters;
	bool real = false;

	if (datum_is_pointer(type) || dwarf_tag(type) == DW_TAG_ptr_to_member_type) {
		number = VALUE_POINTER;
	} else if (dwarf_tag(type) == DW_TAG_enumeration_type) {
		number = number_enumeration(type);
	} else if (dwarf_tag(type) == DW_TAG_string_type) {
		characters = shape_characters(p->f, d, type);
		if (characters < 0 || characters > INT32_MAX)
			return err_set(p->err, "the length of %s%s is not known", p->name, name);
		number = VALUE_CHAR;
		part.count = (uint32_t)characters;
	} else if (number_is_wide(type, &real) && real) {
		number = VALUE_DOUBLE;
		part.how = number_is_quad(type) ? NATIVE_QUAD : NATIVE_REAL;
	} else if (number == VALUE_TYPES && number_is_wide(type, &real)) {
		return err_set(p->err,
			       "%s%s is a whole number of 16 bytes, which cannot be watched",
			       p->name, name);
	}
	if (number == VALUE_TYPES)
		return err_set(p->err, "%s%s is not a number", p->name, name);
	part.type = (uint8_t)number;
	return add_part(p, d, name, part);
}

static int add_parts(struct listing *p, const struct datum *d, const char *name, unsigned depth);

static int add_members(struct listing *p, const struct datum *d, Dwarf_Die *type, const char *name,
		       unsigned depth)
{
	Dwarf_Die child, its, bare;

	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		bool named = dwarf_tag(&child) == DW_TAG_member && dwarf_diename(&child);
		char full[NAME_MOST];
		struct datum part = *d;

		if (!datum_is_member(&child) || !datum_type_at(&child, &its) ||
		    !datum_peeled(&its, &bare))
			continue;
		snprintf(full, sizeof(full), "%s%s%s", name, named ? p->f->fortran ? "%" : "." : "",
			 named ? dwarf_diename(&child) : "");
		if (!datum_bits(p->f, &child, &bare, &part))
			part = datum_part(d, &its, datum_member_of(p->f, &child, d, 0));
		part.length = datum_length(p->f, d, type, dwarf_diename(&child));
		if (add_parts(p, &part, full, depth + 1))
			return -1;
	}
	return 0;
}

/* The indices of element i of an array as the language has them, and where it is. */
static int64_t name_element(const struct listing *p, const struct shape *s, uint64_t i, char *out,
			    size_t size)
{
	int64_t index[SHAPE_DIMS], off = 0;
	size_t n = 0;

	for (unsigned k = s->n; k--;) {
		unsigned d = shape_outer(s, k);
		int64_t at = (int64_t)(i % (uint64_t)s->count[d]);

		i /= (uint64_t)s->count[d];
		index[d] = s->lower[d] + at;
		off += at * s->stride[d];
	}
	for (unsigned d = 0; d < s->n && n < size; d++)
		n += (size_t)snprintf(out + n, size - n, "%s%" PRId64 "%s",
				      !p->f->fortran ? "["
				      : d	     ? ","
						     : "(",
				      index[d],
				      !p->f->fortran  ? "]"
				      : d + 1 == s->n ? ")"
						      : "");
	return off;
}

static int add_array(struct listing *p, const struct datum *d, Dwarf_Die *type, const char *name,
		     unsigned depth)
{
	uint64_t total = 1;
	Dwarf_Die bare;
	struct shape s;

	/* where its elements are, of one that is allocated or associated */
	if (dwarf_hasattr(type, DW_AT_data_location))
		return add_part(p, d, name,
				(struct native_part){ .type = VALUE_POINTER, .count = 1 });
	if (!shape_of(p->f, type, d, &s))
		return err_set(p->err, "the shape of %s%s is not known", p->name, name);
	for (unsigned i = 0; i < s.n; i++)
		total = s.count[i] <= 0 ? 0 : total * (uint64_t)s.count[i];
	if (s.n == 1 && datum_peeled(&s.element, &bare) && datum_number_type(&bare) == VALUE_CHAR)
		return add_part(
			p, d, name,
			(struct native_part){ .type = VALUE_CHAR, .count = (uint32_t)total });
	for (uint64_t i = 0; i < total; i++) {
		char full[NAME_MOST];
		size_t n = strlen(name);
		struct datum part;

		memcpy(full, name, n);
		part = datum_part(d, &s.element,
				  name_element(p, &s, i, full + n, sizeof(full) - n));
		if (add_parts(p, &part, full, depth + 1))
			return -1;
	}
	return 0;
}

static int add_parts(struct listing *p, const struct datum *d, const char *name, unsigned depth)
{
	Dwarf_Die type;

	if (!d->typed || depth > DATUM_DEEP || !datum_peeled(&d->type, &type))
		return err_set(p->err, "the type of %s%s is not known", p->name, name);
	if (d->bits)
		return add_bits(p, d, &type, name);
	if (datum_is_structure(&type))
		return add_members(p, d, &type, name, depth);
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return add_array(p, d, &type, name, depth);
	return add_number(p, d, &type, name);
}

/* What an element is made of, and how many bytes it has in memory. */
static int list_parts(struct elements *x, struct native_placed *out, struct err *err)
{
	struct listing p = { x->f, x->name, out, x->d.place.addr, err };
	struct native_part own = { .count = 1 };
	Dwarf_Die type = { 0 };

	if (x->d.base) {
		own.type = (uint8_t)(x->d.base - 1);
		out->size = (uint32_t)value_size(own.type);
		return add_part(&p, &x->d, "", own);
	}
	if (x->d.typed && datum_peeled(&x->d.type, &type) &&
	    dwarf_hasattr(&type, DW_AT_declaration))
		return elements_not_described(x, err);
	if (x->deferred)
		return err_set(err,
			       "the length of %s may change, which cannot be watched: watch a part of "
			       "it, as in %s(1:1)",
			       x->name, x->name);
	if (add_parts(&p, &x->d, "", 0))
		return -1;
	if (!out->npart)
		return err_set(err, "%s has no parts that could be watched", x->name);
	if (datum_is_structure(&type) && !x->d.bits)
		out->size = (uint32_t)datum_size(x->f, &x->d);
	for (uint32_t i = 0; i < out->npart; i++) {
		const struct native_part *q = &out->part[i];
		size_t n = q->bits  ? (q->bit + q->bits + 7u) / 8
			   : q->how ? 16
				    : value_size(q->type) * q->count;

		if (q->offset + n > out->size)
			out->size = (uint32_t)(q->offset + n);
	}
	return 0;
}

/* ---- where they are ---- */

#define STACK_POINTER 7 /* its number in DWARF, of x86-64 */

/* The return address of the user's call that has the address in its frame. */
static void find_call(struct frame *f, uint64_t addr, struct native_placed *out)
{
#ifdef __x86_64__
	uint64_t frame, least = UINT64_MAX, here = f->capture->reg[STACK_POINTER];

	for (int i = 0; i < f->nall; i++)
		if (location_frame(&f->all[i], &frame) && frame > addr && frame < least)
			least = frame;
	if (addr < here || least == UINT64_MAX)
		return;
	out->call = least - sizeof(out->from);
	if (!frame_read(f, out->call, &out->from, sizeof(out->from)))
		out->call = 0;
#endif
}

int elements_place(struct elements *x, struct native_placed *out, struct err *err)
{
	if (x->d.place.kind != LOCATION_MEMORY)
		return err_set(
			err, "%s is not in memory: it is in a register, a constant, or has been optimized out",
			x->name);
	if (list_parts(x, out, err))
		return -1;
	out->order = x->f->fortran ? 'F' : 'C';
	out->ndim = (uint8_t)x->ndim;
	out->addr = x->d.place.addr;
	for (unsigned i = 0; i < x->ndim; i++) {
		const struct elements_dim *d = &x->dim[i];

		if (d->place)
			return err_set(err, "%s: give a range of indices, not a list", x->name);
		out->addr += (uint64_t)d->base;
		out->count[i] = d->count;
		out->first[i] = d->first;
		out->step[i] = d->step;
		out->stride[i] = d->stride;
	}
	out->way = x->d.way;
	if (out->way.n)
		out->way.off[out->way.n - 1] = (int64_t)(out->addr - x->d.led);
	find_call(x->f, out->way.n ? out->way.base : out->addr, out);
	return 0;
}
