/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers of variables: of arrays, of sections of them, of members of their elements, of what
 * pointers lead to, and addresses.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/section.h"
#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "runtime/exec/sys/memory.h"

#define BYTES_MOST (64u << 20)
#define SPAN_MOST (1u << 20) /* bytes that are read at once */
#define WIDE 8		     /* so many times more than are needed are rather read than skipped */

void elements_clear(struct elements *x)
{
	for (unsigned i = 0; i < x->ndim; i++)
		free(x->dim[i].place);
	x->ndim = 0;
}

static void move(struct elements *x, int64_t bytes)
{
	if (x->d.place.kind == LOCATION_MEMORY)
		x->d.place.addr += (uint64_t)bytes;
	else
		x->d.off += (uint64_t)bytes;
}

void elements_led(struct datum *d, const struct datum *was, uint64_t cell, uint64_t led)
{
	struct native_way way = was->way;

	if (way.n == NATIVE_HOPS)
		way.n = 0;
	if (way.n)
		way.off[way.n - 1] = (int64_t)(cell - was->led);
	else
		way.base = cell;
	way.n += cell != 0;
	d->way = way;
	d->led = led;
}

/* A range or a list that is bound, of elements so many bytes apart. */
static int keep_dim(struct elements *x, const struct section_dim *s, uint64_t count, int64_t lower,
		    int64_t stride, struct err *err)
{
	struct elements_dim *to = &x->dim[x->ndim];

	if (x->ndim == ARRAY_DIMS)
		return err_set(err, "%s has too many dimensions", x->name);
	*to = (struct elements_dim){ .count = count };
	x->ndim++;
	if (!s->vector) {
		to->first = s->first;
		to->step = s->step;
		to->base = (s->first - lower) * stride;
		to->stride = s->step * stride;
		return 0;
	}
	to->place = calloc(s->n + 1, sizeof(*to->place));
	if (!to->place)
		return err_set(err, "out of memory");
	for (uint32_t i = 0; i < s->n; i++)
		to->place[i] = (s->vector[i] - lower) * stride;
	return 0;
}

/* How many subscripts stand here. */
static unsigned given(const struct elements *x)
{
	unsigned n = 0;

	while (x->s && x->used + n < x->s->ndim &&
	       (!x->after || x->after[x->used + n] <= x->walked))
		n++;
	return n;
}

static bool is_given(const struct elements *x)
{
	return given(x) > 0;
}

/* Which dimension of its array the next subscript is of; others stand behind other fields. */
static unsigned dimension(const struct elements *x)
{
	unsigned d = 0;

	while (d < x->used && (!x->after || x->after[x->used - 1 - d] == x->after[x->used]))
		d++;
	return d;
}

int elements_index(struct elements *x, int64_t lower, int64_t count, int64_t stride,
		   struct err *err)
{
	struct section one = { .ndim = 1 };
	const struct section_dim *asked = is_given(x) ? &x->s->dim[x->used] : NULL;
	int64_t low = lower, extent = count;
	unsigned d = asked ? dimension(x) : x->used;
	int rc;

	if (count < 0 && (!asked || asked->all || asked->open_last || asked->open_first))
		return err_set(
			err, "how many elements %s has is not known: give both ends, as in %s[0:9]",
			x->name, x->name);
	if (count < 0) {
		low = -(INT64_C(1) << 40);
		extent = INT64_C(1) << 41;
	}
	if (!stride && count > 1)
		return err_set(err, "%s: the shape is not known: it has been optimized out",
			       x->name);
	if (!stride && count < 0)
		return err_set(err,
			       "%s: where its elements are is not known: the compiler has left the "
			       "bounds of another dimension out; look at it in the function that "
			       "gives it (up)",
			       x->name);
	if (!asked)
		one.dim[0].all = true;
	else if (section_copy(&one, &(struct section){ .ndim = 1, .dim[0] = *asked }))
		return err_set(err, "out of memory");
	x->used += asked != NULL;
	rc = section_bind_dim(&one.dim[0], x->name, d, low, extent, err);
	if (!rc && one.dim[0].scalar)
		move(x, (one.dim[0].first - lower) * stride);
	else if (!rc)
		rc = keep_dim(x, &one.dim[0], section_count(&one, 0), lower, stride, err);
	section_clear(&one);
	return rc;
}

static int add_array(struct elements *x, Dwarf_Die *type, struct err *err)
{
	struct shape s;
	unsigned i = x->d.skip;
	int rc = 0;

	if (!shape_of(x->f, type, &x->d, &s))
		return err_set(err,
			       x->d.place.kind == LOCATION_GONE ? "%s has been optimized out"
								: "the shape of %s is not known",
			       x->name);
	if (x->ndim && !x->shape && !x->d.skip && dwarf_hasattr(type, DW_AT_data_location))
		return err_set(err, "elements of %s have arrays of their own: choose one", x->name);
	if (s.lacks)
		return err_set(err, "%s is %s", x->name, s.lacks);
	if (x->f->fortran && is_given(x) && given(x) < s.n - i)
		return err_set(err, "%s has %u dimensions, not %u: give an index, or ':', for each",
			       x->name, s.n, given(x));
	if (x->d.place.kind == LOCATION_MEMORY && !x->d.skip) {
		if (s.addr != x->d.place.addr && dwarf_hasattr(type, DW_AT_allocated))
			elements_led(&x->d, &x->d, x->d.place.addr, s.addr);
		x->d.place.addr = s.addr;
	}
	for (; !rc && i < s.n && (!x->place || is_given(x)); i++)
		rc = elements_index(x, s.lower[i], s.count[i], s.stride[i], err);
	x->d.skip = i < s.n ? i : 0;
	if (i == s.n)
		x->d.type = s.element;
	return rc;
}

/* Of what has members all elements are meant. */
static int add_whole(struct elements *x, Dwarf_Die *type, struct err *err)
{
	bool place = x->place;
	int rc;

	x->place = false;
	rc = add_array(x, type, err);
	x->place = place;
	return rc;
}

/* What a pointer leads to. */
static int follow(struct elements *x, struct err *err)
{
	if (x->ndim)
		return err_set(
			err,
			"pointers of several elements of %s lead to different places: choose one",
			x->name);
	return datum_target(x->f, &x->d, err) ? err_prefix(err, "%s", x->name) : 0;
}

/* An index of a pointer: of what follows its target. */
static int index_target(struct elements *x, struct err *err)
{
	Dwarf_Die type;
	uint64_t size;

	if (follow(x, err))
		return -1;
	if (x->d.typed && datum_peeled(&x->d.type, &type) &&
	    dwarf_tag(&type) == DW_TAG_subroutine_type)
		return err_set(err, "%s is a pointer to a function: call %s(...) calls it", x->name,
			       x->name);
	if (datum_step(x->f, &x->d, &size, err))
		return err_prefix(err, "%s", x->name);
	return elements_index(x, 0, -1, (int64_t)size, err);
}

/* The array or pointer that an object of the C++ library is shown as: 1, the way goes on there. */
static int add_library(struct elements *x, struct err *err)
{
	struct datum was = x->d;
	struct library known;

	if (!library_of(x->f, &x->d, &known))
		return 0;
	if (known.kind == LIBRARY_INNER) {
		x->d = known.inner;
		return 1;
	}
	if (x->ndim)
		return err_set(err, "elements of %s have arrays of their own: choose one", x->name);
	if (known.kind != LIBRARY_ARRAY &&
	    !(known.kind == LIBRARY_TEXT && known.stride && is_given(x)))
		return err_set(
			err, known.kind == LIBRARY_TEXT ? "%s is a text" : "%s is a vector of bits",
			x->name);
	x->d = (struct datum){ .type = known.type,
			       .typed = true,
			       .place = { .kind = LOCATION_MEMORY, .addr = known.addr } };
	elements_led(&x->d, &was, known.cell, known.addr);
	return elements_index(x, 0, (int64_t)known.count, known.stride, err) ? -1 : 1;
}

/* Until it is a structure, whose member comes next; arrow: it stands behind "->"; hidden: it is
 * one of the library's own. */
static int to_structure(struct elements *x, bool arrow, bool hidden, struct err *err)
{
	Dwarf_Die type;

	for (unsigned i = 0; i < DATUM_DEEP && x->d.typed && datum_peeled(&x->d.type, &type); i++) {
		bool has_index = is_given(x);
		int rc;

		rc = hidden ? 0 : add_library(x, err);
		if (rc < 0)
			return -1;
		if (rc)
			continue;
		if (datum_is_structure(&type))
			return 0;
		if (dwarf_tag(&type) == DW_TAG_array_type)
			rc = add_whole(x, &type, err);
		else if (!datum_is_pointer(&type))
			break;
		else if (has_index && !arrow && !x->f->fortran &&
			 dwarf_tag(&type) == DW_TAG_pointer_type)
			rc = index_target(x, err);
		else
			rc = follow(x, err);
		if (rc)
			return -1;
	}
	return err_set(err, "%s: what has members must be a structure", x->name);
}

int elements_fields(struct elements *x, const char *fields, struct err *err)
{
	while (*fields && *fields != '@') {
		bool arrow = *fields == '-';
		size_t n;

		fields += 1 + arrow;
		n = strcspn(fields, ".-@");
		if (to_structure(x, arrow, *fields == '_', err))
			return -1;
		if (x->after && is_given(x))
			return err_set(err, "%s: more indices than dimensions stand before '%.*s'",
				       x->name, (int)n, fields);
		x->walked++;
		if (datum_follow_member(x->f, &x->d, fields, n, err))
			return err_prefix(err, "%s", x->name);
		fields += n;
	}
	return 0;
}

/* Its type is declared only. */
int elements_not_described(const struct elements *x, struct err *err)
{
	return err_set(err, "the debug information does not say what %s is: %s", x->name,
		       x->f->fortran ? "gfortran leaves out arguments whose lower bounds are "
				       "variables; go up to the call, or register the array"
				     : "its type is declared elsewhere");
}

/* "*a" of C: the first element, as the array is its address. */
static int first_of_array(struct elements *x, Dwarf_Die *type, struct err *err)
{
	struct shape s;

	if (x->ndim || x->d.place.kind != LOCATION_MEMORY || !shape_of(x->f, type, &x->d, &s) ||
	    s.lacks)
		return err_set(err, "%s: the shape of the array is not known", x->name);
	if (!x->d.skip)
		x->d.place.addr = s.addr;
	x->d.skip++;
	if (x->d.skip == s.n) {
		x->d.skip = 0;
		x->d.type = s.element;
	}
	return 0;
}

bool elements_are_characters(const struct elements *x)
{
	Dwarf_Die type;

	return !x->d.bits && !x->d.base && x->d.typed && datum_peeled(&x->d.type, &type) &&
	       dwarf_tag(&type) == DW_TAG_string_type;
}

/* Characters of Fortran are an array of them. */
static int add_characters(struct elements *x, struct err *err)
{
	Dwarf_Die type;
	int64_t n = datum_peeled(&x->d.type, &type) ? shape_characters(x->f, &x->d, &type) : -1;

	if (n < 0)
		return err_set(err, "the length of %s is not known", x->name);
	x->d.base = VALUE_CHAR + 1;
	return elements_index(x, 1, n, 1, err);
}

int elements_rest(struct elements *x, unsigned stars, bool many, struct err *err)
{
	Dwarf_Die type;

	for (unsigned i = 0; i < DATUM_DEEP && x->d.typed && datum_peeled(&x->d.type, &type); i++) {
		bool pointer = datum_is_pointer(&type) && !x->d.bits;
		bool plain = dwarf_tag(&type) == DW_TAG_pointer_type;
		int rc = x->place && !is_given(x) && !stars ? 0 : add_library(x, err);

		if (rc > 0)
			continue;
		if (rc < 0)
			return -1;
		if (dwarf_tag(&type) == DW_TAG_array_type && !is_given(x) && stars &&
		    !x->f->fortran) {
			if (first_of_array(x, &type, err))
				return -1;
			stars--;
			continue;
		}
		if (dwarf_tag(&type) == DW_TAG_array_type && !is_given(x) && many && !x->ndim)
			break;
		if (dwarf_tag(&type) == DW_TAG_string_type && is_given(x) && !x->d.base)
			rc = add_characters(x, err);
		else if (dwarf_tag(&type) == DW_TAG_array_type && !(x->place && !is_given(x)))
			rc = add_array(x, &type, err);
		else if (pointer && (!plain || x->f->fortran))
			rc = follow(x, err), x->deferred = elements_are_characters(x);
		else if (pointer && is_given(x) && !many)
			rc = index_target(x, err);
		else if (pointer && stars)
			stars--, rc = follow(x, err);
		else
			break;
		if (rc)
			return -1;
	}
	if (stars)
		return err_set(err, "%s is no pointer", x->name);
	if (is_given(x) && x->d.typed && datum_peeled(&x->d.type, &type) &&
	    dwarf_hasattr(&type, DW_AT_declaration))
		return elements_not_described(x, err);
	return 0;
}

int elements_many(struct elements *x, const char *count, bool itself, struct err *err)
{
	uint64_t size = 0;
	struct shape s;
	Dwarf_Die type;
	int64_t n;

	if (parse_int(count, 1, BYTES_MOST, &n))
		return err_set(err, "%s: a number of elements is needed behind '@'", x->name);
	if (!x->d.base && (!x->d.typed || !datum_peeled(&x->d.type, &type)))
		return err_set(err, "the type of %s is not known", x->name);
	if (x->d.base) {
		size = value_size(x->d.base - 1);
	} else if (datum_is_pointer(&type) && !itself) {
		if (follow(x, err))
			return -1;
	} else if (dwarf_tag(&type) == DW_TAG_array_type && shape_of(x->f, &type, &x->d, &s) &&
		   s.n == 1 && !s.lacks) {
		/* so many from its first element on */
		if (x->d.place.kind == LOCATION_MEMORY)
			x->d.place.addr = s.addr;
		x->d.type = s.element;
	}
	if (!x->d.base)
		size = datum_size(x->f, &x->d);
	if (x->ndim || x->d.place.kind != LOCATION_MEMORY || !size)
		return err_set(err, "%s: '@' needs a pointer or an object in memory", x->name);
	if (elements_index(x, x->f->fortran, n, (int64_t)size, err))
		return -1;
	return elements_rest(x, 0, false, err);
}

/* ---- reading ---- */

static uint64_t total_of(const struct elements *x)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < x->ndim; i++)
		if (__builtin_mul_overflow(n, x->dim[i].count, &n))
			return UINT64_MAX;
	return n;
}

static int64_t place_of(const struct elements_dim *d, uint64_t i)
{
	return d->place ? d->place[i] : d->base + (int64_t)i * d->stride;
}

/* An element at so many bytes. */
static bool read_one(struct elements *x, int64_t off, size_t size, unsigned char *to)
{
	struct datum part = datum_part(&x->d, &x->d.type, off);
	unsigned type;

	part.bits = x->d.bits;
	part.bit = x->d.bit;
	return part.bits ? datum_number(x->f, &part, &type, to) : datum_read(x->f, &part, to, size);
}

/* n elements that are evenly apart, with one read where that is worth it. */
static bool read_run(struct elements *x, int64_t off, const struct elements_dim *d, size_t size,
		     unsigned char *to)
{
	uint64_t width = (uint64_t)(d->stride < 0 ? -d->stride : d->stride);
	uint64_t each = d->count, span;
	unsigned char *room = NULL;
	bool ok = true;

	if (x->d.place.kind == LOCATION_MEMORY && !d->place && !x->d.bits && width <= WIDE * size)
		room = malloc(SPAN_MOST + size);
	if (width)
		each = SPAN_MOST / width;
	for (uint64_t i = 0; ok && i < d->count; i += room ? each : 1) {
		uint64_t n = d->count - i < each ? d->count - i : each;
		int64_t from = off + place_of(d, d->stride < 0 ? i + n - 1 : i);

		if (!room) {
			ok = read_one(x, off + place_of(d, i), size, to + i * size);
			continue;
		}
		span = (n - 1) * width + size;
		ok = frame_read(x->f, x->d.place.addr + (uint64_t)from, room, span);
		for (uint64_t k = 0; ok && k < n; k++)
			memcpy(to + (i + k) * size, room + (d->stride < 0 ? n - 1 - k : k) * width,
			       size);
	}
	free(room);
	return ok;
}

static bool read_all(struct elements *x, unsigned k, int64_t off, size_t size, unsigned char **to)
{
	bool ok = true;

	if (k == x->ndim) {
		ok = read_one(x, off, size, *to);
		*to += size;
		return ok;
	}
	if (k + 1 == x->ndim) {
		ok = read_run(x, off, &x->dim[k], size, *to);
		*to += x->dim[k].count * size;
		return ok;
	}
	for (uint64_t i = 0; ok && i < x->dim[k].count; i++)
		ok = read_all(x, k + 1, off + place_of(&x->dim[k], i), size, to);
	return ok;
}

/* enum value_type of elements; VALUE_TYPES: they are no numbers. rounded: those of 16 bytes may be
 * DOUBLE. */
static unsigned number_of(struct elements *x, bool rounded, struct err *err)
{
	unsigned type = VALUE_TYPES;
	Dwarf_Die bare;
	bool real;

	if (x->d.base)
		return x->d.base - 1;
	if (!x->d.typed || !datum_peeled(&x->d.type, &bare)) {
		err_set(err, "the type of %s is not known", x->name);
		return VALUE_TYPES;
	}
	if (datum_is_pointer(&bare))
		return VALUE_POINTER;
	if (x->d.bits)
		return VALUE_LONG;
	type = dwarf_tag(&bare) == DW_TAG_enumeration_type ? number_enumeration(&bare)
							   : datum_number_type(&bare);
	if (type == VALUE_TYPES && number_is_wide(&bare, &real)) {
		/* what its values have room in is seen when they are read */
		if (!real || x->cast || rounded)
			return real ? VALUE_DOUBLE : VALUE_LONG;
		err_set(err,
			"%s is of type %s, and dvmdbg computes with double: cast it, as in "
			"(double)%s",
			x->name, dwarf_diename(&bare), x->name);
	} else if (type == VALUE_TYPES && dwarf_hasattr(&bare, DW_AT_declaration))
		elements_not_described(x, err);
	else if (type == VALUE_TYPES && datum_is_structure(&bare))
		err_set(err,
			strchr(x->name, '@') ? "%s is a structure: choose a field, as in (%s).x"
					     : "%s is a structure: choose a field, as in %s.x",
			x->name, x->name);
	else if (type == VALUE_TYPES)
		err_set(err, "%s is not a number", x->name);
	return type;
}

static bool is_wide(const struct elements *x, Dwarf_Die *bare, bool *real)
{
	return !x->d.base && !x->d.bits && x->d.typed &&
	       datum_peeled((Dwarf_Die *)&x->d.type, bare) && number_is_wide(bare, real);
}

/* Numbers of 16 bytes that have been read become such as are computed with. */
static int narrow(const struct elements *x, Dwarf_Die *bare, uint64_t total,
		  struct answer_elements *a, struct err *err)
{
	bool real;

	a->type = (uint8_t)number_narrow(bare, a->room, total);
	a->n = total * value_size(a->type);
	if (x->cast || a->type != VALUE_DOUBLE || (number_is_wide(bare, &real) && real))
		return 0;
	return err_set(err,
		       "%s has more than 64 bits, which dvmdbg does not compute with: cast it, "
		       "as in (double)%s",
		       x->name, x->name);
}

static int read_elements(struct elements *x, bool shape, struct answer_elements *a, struct err *err)
{
	uint64_t total = total_of(x);
	unsigned type = number_of(x, shape, err);
	Dwarf_Die bare;
	bool real, wide = is_wide(x, &bare, &real);
	size_t size = wide ? 16 : value_size(type);
	unsigned char *to;

	if (type == VALUE_TYPES)
		return -1;
	if (total > BYTES_MOST / size)
		return err_set(err, "%s: these are %" PRIu64 " elements: choose a section", x->name,
			       total);
	a->type = (uint8_t)type;
	a->order = x->f->fortran ? 'F' : 'C';
	a->ndim = (uint8_t)x->ndim;
	for (unsigned i = 0; i < x->ndim; i++) {
		a->count[i] = x->dim[i].count;
		a->first[i] = x->dim[i].first;
		a->step[i] = x->dim[i].step;
	}
	/* whole numbers of 16 bytes show their type by their values */
	if (shape && (!wide || real))
		return 0;
	a->n = total * size;
	a->room = to = malloc(a->n + 1);
	a->bytes = a->room;
	if (!a->room)
		return err_set(err, "out of memory");
	if (x->d.place.kind == LOCATION_GONE)
		return err_set(err, "%s has been optimized out", x->name);
	if (x->f->fortran && x->d.place.kind == LOCATION_MEMORY && !x->d.place.addr)
		return err_set(err, "%s is not present", x->name);
	if (!read_all(x, 0, 0, size, &to))
		return err_set(err,
			       x->d.place.kind == LOCATION_MEMORY
				       ? "%s cannot be read at address 0x%" PRIx64
				       : "%s has been optimized out",
			       x->name, x->d.place.addr);
	return wide ? narrow(x, &bare, total, a, err) : 0;
}

/* ---- writing ---- */

/* Whether a field of bits has room for the value. */
static int check_bits(const struct elements *x, int64_t value, struct err *err)
{
	unsigned rest = 64 - x->d.bits, type;
	Dwarf_Die bare;
	bool has_sign;

	if (!x->d.typed || !datum_peeled((Dwarf_Die *)&x->d.type, &bare))
		return err_set(err, "the type of %s is not known", x->name);
	type = datum_number_type(&bare);
	has_sign = type < VALUE_TYPES && value_class(type) == VALUE_IS_INT;
	if (has_sign && (value < INT64_MIN >> rest || value > INT64_MAX >> rest))
		return err_set(err,
			       "%s is a field of %u bits: %" PRId64 " is not between %" PRId64
			       " and %" PRId64,
			       x->name, x->d.bits, value, INT64_MIN >> rest, INT64_MAX >> rest);
	if (!has_sign && (value < 0 || (uint64_t)value > UINT64_MAX >> rest))
		return err_set(err,
			       "%s is a field of %u bit%s without a sign: %" PRId64
			       " is not between 0 and %" PRIu64,
			       x->name, x->d.bits, x->d.bits == 1 ? "" : "s", value,
			       UINT64_MAX >> rest);
	return 0;
}

/* The bits there of so many bytes become the value; the others stay. */
static bool write_bits(struct elements *x, uint64_t addr, const unsigned char *value)
{
	size_t n = (x->d.bit + x->d.bits + 7) / 8;
	uint64_t mask = UINT64_MAX >> (64 - x->d.bits) << x->d.bit, word = 0, bits, bad;
	struct memory_span span = { addr, n };

	memcpy(&bits, value, sizeof(bits));
	if (n > sizeof(word) || !frame_read(x->f, addr, &word, n))
		return false;
	word = (word & ~mask) | (bits << x->d.bit & mask);
	return !memory_write(x->f->capture->memory, &span, 1, &word, &bad);
}

static int write_all(struct elements *x, unsigned k, int64_t off, const unsigned char *bytes,
		     size_t size, uint64_t *count, struct err *err)
{
	struct memory_span span = { x->d.place.addr + (uint64_t)off, size };
	uint64_t bad = span.addr;
	int rc = 0;

	if (k == x->ndim) {
		if (x->d.bits ? !write_bits(x, span.addr, bytes)
			      : memory_write(x->f->capture->memory, &span, 1, bytes, &bad))
			return err_set(err, "%s cannot be written at address 0x%" PRIx64, x->name,
				       bad);
		++*count;
		return 0;
	}
	for (uint64_t i = 0; !rc && i < x->dim[k].count; i++)
		rc = write_all(x, k + 1, off + place_of(&x->dim[k], i), bytes, size, count, err);
	return rc;
}

static int write_elements(struct elements *x, const struct elements_task *task, uint64_t *count,
			  struct err *err)
{
	const struct msg_value *v = task->value;
	unsigned type = number_of(x, true, err);
	unsigned char bytes[16];
	int64_t value;
	Dwarf_Die bare;
	bool real, wide = is_wide(x, &bare, &real);

	if (type == VALUE_TYPES)
		return -1;
	if (wide && v->type == VALUE_ULONG)
		type = VALUE_ULONG;
	if (wide && type == v->type && !number_widen(&bare, type, v->bytes, bytes))
		return err_set(err, "the value does not fit into %s, which is unsigned", x->name);
	if (type != v->type)
		return err_set(err, "%s is of another type", x->name);
	if (x->d.bits) {
		memcpy(&value, v->bytes, sizeof(value));
		if (check_bits(x, value, err))
			return -1;
	}
	if (x->d.place.kind != LOCATION_MEMORY)
		return err_set(err,
			       "%s is not in memory: it is in a register, a constant, or has been "
			       "optimized out",
			       x->name);
	return write_all(x, 0, 0, wide ? bytes : v->bytes, wide ? sizeof(bytes) : value_size(type),
			 count, err);
}

/* How many characters there are, of Fortran's or in the last dimension, which is taken away then.
 */
static int64_t characters_of(struct elements *x, int64_t *off)
{
	const struct elements_dim *d = x->ndim ? &x->dim[x->ndim - 1] : NULL;
	Dwarf_Die type;

	*off = 0;
	/* a part of Fortran's */
	if (x->d.base == VALUE_CHAR + 1 && x->f->fortran && d && d->stride == 1) {
		*off = d->base;
		x->ndim--;
		return (int64_t)d->count;
	}
	if (x->d.bits || x->d.base || !x->d.typed || !datum_peeled(&x->d.type, &type))
		return -1;
	if (dwarf_tag(&type) == DW_TAG_string_type)
		return shape_characters(x->f, &x->d, &type);
	if (x->f->fortran || dwarf_tag(&type) != DW_TAG_base_type || dwarf_bytesize(&type) != 1 ||
	    (d && (d->stride != 1 || d->place)))
		return -1;
	if (d) {
		*off = d->base;
		x->ndim--;
	}
	return d ? (int64_t)d->count : 1;
}

/* A text is padded with blanks in Fortran; in C a zero is behind it, but in a single char. */
static int write_text(struct elements *x, const char *quoted, uint64_t *count, struct err *err)
{
	int64_t off, room = characters_of(x, &off);
	size_t n = 0, most;
	char *text, *quotes;
	int rc;

	if (room < 0 || room > INT32_MAX)
		return err_set(err, "%s holds no characters of its own", x->name);
	if (x->d.place.kind != LOCATION_MEMORY)
		return err_set(err,
			       "%s is not in memory: it is in a register, a constant, or has been "
			       "optimized out",
			       x->name);
	quotes = expr_quoted(quoted, &n);
	most = (size_t)room - (!x->f->fortran && room > 1);
	text = malloc((size_t)room + 1);
	if (!quotes || !text) {
		rc = err_set(err, "out of memory");
	} else if (n > most) {
		rc = err_set(err, "%s has room for %zu characters, and the text has %zu", x->name,
			     most, n);
	} else {
		memset(text, x->f->fortran ? ' ' : 0, (size_t)room);
		memcpy(text, quotes, n);
		rc = write_all(x, 0, off, (unsigned char *)text, (size_t)room, count, err);
	}
	free(quotes);
	free(text);
	return rc;
}

/* Bytes alone are no copy of it: something of it is allocated, or it has a constructor for that. */
static bool owns_memory(struct frame *f, Dwarf_Die *type, unsigned depth)
{
	Dwarf_Die child, its, bare;
	bool owns = depth > DATUM_DEEP || (!f->fortran && convention_has_copy(type));

	for (bool more = !owns && !dwarf_child(type, &child); more && !owns;
	     more = !dwarf_siblingof(&child, &child)) {
		if (!datum_is_member(&child) || !datum_type_at(&child, &its) ||
		    !datum_peeled(&its, &bare))
			continue;
		owns = datum_is_structure(&bare)
			       ? owns_memory(f, &bare, depth + 1)
			       : f->fortran && (datum_is_pointer(&bare) ||
						dwarf_hasattr(&bare, DW_AT_data_location));
	}
	return owns;
}

int elements_copy(struct elements *x, struct frame *of, const struct datum *from, const char *text,
		  uint64_t *count, struct err *err)
{
	uint64_t size;
	Dwarf_Die type, its;
	unsigned char *bytes;
	int rc = -1;

	x->place = false;
	if (elements_rest(x, 0, false, err))
		return -1;
	if (x->d.bits || !x->d.typed || !datum_peeled(&x->d.type, &type) ||
	    !datum_is_structure(&type))
		return number_of(x, true, err) == VALUE_TYPES
			       ? -1
			       : err_set(err, "%s is no number", text);
	size = datum_size(x->f, &x->d);
	if (!from->typed || from->count || from->points || !datum_peeled(&from->type, &its) ||
	    !datum_is_structure(&its) || datum_size(of, from) != size || !dwarf_diename(&its) ||
	    !dwarf_diename(&type) || strcmp(dwarf_diename(&its), dwarf_diename(&type)))
		return err_set(err, "%s is a structure, and %s is none of its type", x->name, text);
	if (owns_memory(x->f, &type, 0))
		return err_set(err,
			       "%s has components that are allocated, pointers, or made by "
			       "constructors: assign its parts one by one",
			       x->name);
	if (x->d.place.kind != LOCATION_MEMORY)
		return err_set(err, "%s is not in memory", x->name);
	bytes = malloc(size + 1);
	if (!bytes)
		return err_set(err, "out of memory");
	rc = datum_read(of, from, bytes, size) ? write_all(x, 0, 0, bytes, size, count, err)
					       : err_set(err, "%s has no value", text);
	free(bytes);
	return rc;
}

int elements_do(struct elements *x, struct elements_task *task, struct err *err)
{
	x->place = false;
	if (elements_rest(x, 0, false, err))
		return -1;
	if (task->placed)
		return elements_place(x, task->placed, err);
	if (task->value && task->value->type == VALUE_STRUCT)
		return write_text(x, task->value->text, &task->written, err);
	if (!task->value && elements_are_characters(x) && add_characters(x, err))
		return -1;
	return task->value ? write_elements(x, task, &task->written, err)
			   : read_elements(x, task->shape, &task->a, err);
}
