/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shapes of arrays: bounds and strides, which may be numbers, variables, or in a descriptor; lengths
 * of characters.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <string.h>

static bool take_dim(struct frame *f, Dwarf_Die *die, const struct datum *d, struct shape *s)
{
	uint64_t object = d->place.addr;
	bool here = d->place.kind == LOCATION_MEMORY;
	int64_t upper, count;
	unsigned i = s->n;

	if (i == SHAPE_DIMS)
		return false;
	if (!location_number(f, die, DW_AT_lower_bound, object, here, &s->lower[i]))
		s->lower[i] = f->fortran;
	s->count[i] = -1;
	if (location_number(f, die, DW_AT_count, object, here, &count))
		s->count[i] = count;
	else if (location_number(f, die, DW_AT_upper_bound, object, here, &upper))
		s->count[i] = upper >= s->lower[i] ? upper - s->lower[i] + 1 : 0;
	if (!location_number(f, die, DW_AT_byte_stride, object, here, &s->stride[i]))
		s->stride[i] = 0;
	s->n++;
	return true;
}

/* Where there are no strides elements follow one another. What is behind an extent that is not
 * known has none. */
static void set_strides(struct shape *s, uint64_t size)
{
	int64_t next = (int64_t)size;

	for (unsigned k = 0; k < s->n; k++) {
		unsigned i = s->by_column ? k : s->n - 1 - k;

		if (!s->stride[i])
			s->stride[i] = next;
		if (s->count[i] < 0 || __builtin_mul_overflow(s->stride[i], s->count[i], &next))
			next = 0;
	}
}

static bool is_absent(struct frame *f, Dwarf_Die *type, unsigned attribute, uint64_t object)
{
	int64_t there;

	return location_number(f, type, attribute, object, true, &there) && !there;
}

/*
 * Whether there is a descriptor of gfortran's at that address: when nothing reads it any more
 * optimised code may not have made it, or have used its place again.
 */
static bool is_descriptor(struct frame *f, uint64_t at, unsigned ndim, uint64_t size)
{
	struct {
		uint64_t data, offset, bytes;
		int32_t version;
		int8_t rank, type;
		int16_t attribute;
	} head;
	Dwarf_Attribute producer;
	const char *by =
		dwarf_attr(&f->cu, DW_AT_producer, &producer) ? dwarf_formstring(&producer) : NULL;

	if (!f->fortran || !by || strncmp(by, "GNU Fortran", 11))
		return true;
	return frame_read(f, at, &head, sizeof(head)) && head.rank == (int)ndim &&
	       (!size || head.bytes == size);
}

bool shape_of(struct frame *f, Dwarf_Die *type, const struct datum *d, struct shape *s)
{
	Dwarf_Die child;
	Dwarf_Word size = 0;
	int64_t addr;

	*s = (struct shape){ .addr = d->place.addr };
	if (!datum_type_at(type, &s->element) || dwarf_child(type, &child))
		return false;
	s->by_column = f->fortran || dwarf_arrayorder(type) == DW_ORD_col_major;
	if (d->place.kind == LOCATION_MEMORY && !s->addr && f->fortran)
		s->lacks = "<not present>";
	else if (d->place.kind == LOCATION_MEMORY && is_absent(f, type, DW_AT_allocated, s->addr))
		s->lacks = "<not allocated>";
	else if (d->place.kind == LOCATION_MEMORY && is_absent(f, type, DW_AT_associated, s->addr))
		s->lacks = "<not associated>";
	do
		if (dwarf_tag(&child) == DW_TAG_subrange_type && !take_dim(f, &child, d, s))
			return false;
	while (dwarf_siblingof(&child, &child) == 0);
	if (dwarf_hasattr(type, DW_AT_data_location) && !s->lacks) {
		if (d->place.kind != LOCATION_MEMORY ||
		    !location_number(f, type, DW_AT_data_location, s->addr, true, &addr))
			return false;
		s->addr = (uint64_t)addr;
	}
	dwarf_aggregate_size(&s->element, &size);
	set_strides(s, size);
	return s->n && (s->lacks || !dwarf_hasattr(type, DW_AT_data_location) ||
			is_descriptor(f, d->place.addr, s->n, size));
}

uint64_t datum_size(struct frame *f, const struct datum *d)
{
	Dwarf_Word size = 0;
	struct shape s;
	Dwarf_Die type;
	unsigned i;

	if (!d->typed || !datum_peeled(&d->type, &type))
		return 0;
	if (dwarf_tag(&type) == DW_TAG_array_type) {
		if (!shape_of(f, &type, d, &s))
			return 0;
		i = shape_outer(&s, 0);
		return s.count[i] < 0 ? 0 : (uint64_t)(s.stride[i] * s.count[i]);
	}
	return dwarf_aggregate_size(&type, &size) ? 0 : size;
}

unsigned shape_outer(const struct shape *s, unsigned k)
{
	return s->by_column ? s->n - 1 - k : k;
}

int64_t shape_characters(struct frame *f, const struct datum *d, Dwarf_Die *type)
{
	int64_t length = dwarf_bytesize(type), where;

	if (length < 0 && location_number(f, type, DW_AT_string_length, 0, false, &length) &&
	    length > INT32_MAX) {
		/* it was its address */
		where = length;
		length = 0;
		frame_read(f, (uint64_t)where, &length, sizeof(length));
	}
	return length <= 0 && d->length ? (int64_t)d->length : length;
}
