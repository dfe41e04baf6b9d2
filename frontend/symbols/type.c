/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/symbols/internal.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/debuginfo/debuginfo.h"
#include "common/array/value.h"
#include "common/core/parse.h"

#define DEEP 32 /* structures in one another */
/* gfortran's descriptor: 40 bytes, and 24 for each dimension */
#define DESCRIPTOR 40
#define DESCRIPTOR_DIM 24

struct dims {
	unsigned n;
	int64_t lower[ARRAY_DIMS];
	uint64_t count[ARRAY_DIMS]; /* 0: not known */
	bool by_column;
};

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute at;
	Dwarf_Die it;

	return dwarf_attr_integrate(die, DW_AT_type, &at) && dwarf_formref_die(&at, &it) &&
	       dwarf_peel_type(&it, type) == 0;
}

/* What is allocated or associated while the program runs: only its descriptor stands here. */
static bool is_described(Dwarf_Die *type)
{
	return dwarf_hasattr(type, DW_AT_data_location) || dwarf_hasattr(type, DW_AT_allocated) ||
	       dwarf_hasattr(type, DW_AT_associated);
}

/* A constant of the dimension; false: it is none. */
static bool constant(Dwarf_Die *die, unsigned name, int64_t *out)
{
	Dwarf_Attribute at;
	Dwarf_Sword value;

	if (!dwarf_attr_integrate(die, name, &at) || debuginfo_number(&at, &value))
		return false;
	*out = value;
	return true;
}

static void take_dim(Dwarf_Die *die, bool fortran, struct dims *d)
{
	int64_t upper, count;

	if (!constant(die, DW_AT_lower_bound, &d->lower[d->n]))
		d->lower[d->n] = fortran;
	d->count[d->n] = 0;
	if (constant(die, DW_AT_count, &count) && count > 0)
		d->count[d->n] = (uint64_t)count;
	else if (constant(die, DW_AT_upper_bound, &upper) && upper >= d->lower[d->n])
		d->count[d->n] = (uint64_t)(upper - d->lower[d->n]) + 1;
	d->n++;
}

static void take_dims(Dwarf_Die *type, bool fortran, struct dims *d)
{
	Dwarf_Die child;

	*d = (struct dims){ .by_column = dwarf_arrayorder(type) == DW_ORD_col_major || fortran };
	if (dwarf_child(type, &child))
		return;
	do
		if (dwarf_tag(&child) == DW_TAG_subrange_type && d->n < ARRAY_DIMS)
			take_dim(&child, fortran, d);
	while (dwarf_siblingof(&child, &child) == 0);
}

uint64_t type_size(Dwarf_Die *type, bool fortran)
{
	Dwarf_Word size;
	struct dims d;

	if (is_described(type)) {
		take_dims(type, fortran, &d);
		return DESCRIPTOR + DESCRIPTOR_DIM * (d.n ? d.n : 1);
	}
	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

/* The dimension that runs k-th fastest. */
static unsigned dim_at(const struct dims *d, unsigned k)
{
	return d->by_column ? k : d->n - 1 - k;
}

static void say(char *text, size_t room, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(char *text, size_t room, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	if (n < room)
		vsnprintf(text + n, room - n, fmt, ap);
	va_end(ap);
}

unsigned type_number(Dwarf_Die *type, unsigned want)
{
	static const uint8_t whole[] = {
		[1] = VALUE_SCHAR, [2] = VALUE_SHORT, [4] = VALUE_INT, [8] = VALUE_LONG
	};
	static const uint8_t natural[] = {
		[1] = VALUE_UCHAR, [2] = VALUE_USHORT, [4] = VALUE_UINT, [8] = VALUE_ULONG
	};
	int64_t encoding = 0;
	Dwarf_Die beneath;
	int n = dwarf_bytesize(type), tag = dwarf_tag(type);

	if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type)
		return VALUE_POINTER;
	if (n < 1 || n > 16)
		return VALUE_TYPES;
	/* of an enumeration clang shows only the type beneath */
	if (!constant(type, DW_AT_encoding, &encoding) && type_of(type, &beneath))
		constant(&beneath, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_float)
		return n == 4 ? VALUE_FLOAT : n == 8 ? VALUE_DOUBLE : VALUE_TYPES;
	if (encoding == DW_ATE_complex_float && n == 8)
		return want == 4 ? VALUE_FLOAT : VALUE_FCOMPLEX;
	if (encoding == DW_ATE_complex_float)
		return want == 8 ? VALUE_DOUBLE : VALUE_DCOMPLEX;
	if (n > 8 || !whole[n])
		return VALUE_TYPES;
	if (encoding == DW_ATE_boolean && (n == 1 || n == 4))
		return n == 1 ? VALUE_BOOL : VALUE_LOGICAL;
	if (encoding == DW_ATE_signed_char)
		return VALUE_CHAR;
	if (encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char)
		return natural[n];
	return whole[n];
}

/* The end of the way: a number, a pointer, or what has no parts that are known. */
static void end_at(struct type_part *p, bool fortran)
{
	int tag = dwarf_tag(&p->die);

	p->size = type_size(&p->die, fortran);
	if (tag == DW_TAG_string_type)
		p->type = VALUE_CHAR;
	else if (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type ||
		 tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type)
		p->type = type_number(&p->die, p->want);
	else
		p->type = VALUE_TYPES;
}

uint64_t type_member_at(Dwarf_Die *member)
{
	Dwarf_Attribute at;
	int64_t n;
	Dwarf_Op *op;
	size_t nop;

	if (constant(member, DW_AT_data_member_location, &n))
		return (uint64_t)n;
	if (constant(member, DW_AT_data_bit_offset, &n))
		return (uint64_t)n / 8;
	if (dwarf_attr(member, DW_AT_data_member_location, &at) &&
	    !dwarf_getlocation(&at, &op, &nop) && nop == 1 && op[0].atom == DW_OP_plus_uconst)
		return op[0].number;
	return 0;
}

static bool is_member(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external)) ||
	       tag == DW_TAG_inheritance;
}

static bool is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

/* How well a member of that type suits the access: the same size, has parts, neither. */
static int suits(const struct type_part *p, Dwarf_Die *type, uint64_t size)
{
	if (!p->want || size == p->want)
		return 3;
	return is_structure(type) || dwarf_tag(type) == DW_TAG_array_type ? 2 : 1;
}

/* The member that has byte p->off: of a union the one that suits best. */
static bool pick_member(const struct type_part *p, bool fortran, Dwarf_Die *out, Dwarf_Die *type)
{
	Dwarf_Die child, it;
	int best = 0;

	if (dwarf_child((Dwarf_Die *)&p->die, &child))
		return false;
	do {
		uint64_t at, size;

		if (!is_member(&child) || !type_of(&child, &it))
			continue;
		at = type_member_at(&child);
		size = type_size(&it, fortran);
		if (p->off < at || p->off - at >= (size ? size : 1) || suits(p, &it, size) <= best)
			continue;
		best = suits(p, &it, size);
		*out = child;
		*type = it;
	} while (best < 3 && dwarf_siblingof(&child, &child) == 0);
	return best > 0;
}

/* Goes into the member; false: no member is there (a gap). */
static bool into_member(struct type_part *p, bool fortran, char *text, size_t room)
{
	Dwarf_Die member, type;
	const char *name;

	if (!pick_member(p, fortran, &member, &type))
		return false;
	name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
	if (name)
		say(text, room, "%c%s", fortran ? '%' : '.', name);
	p->off -= type_member_at(&member);
	p->die = type;
	return true;
}

/* Goes into the element; false: its type is not known, or it is beyond the end. */
static bool into_element(struct type_part *p, bool fortran, char *text, size_t room)
{
	uint64_t size, rest, index[ARRAY_DIMS] = { 0 };
	Dwarf_Die type;
	struct dims d;

	take_dims(&p->die, fortran, &d);
	if (!d.n || !type_of(&p->die, &type) || !(size = type_size(&type, fortran)))
		return false;
	rest = p->off / size;
	for (unsigned k = 0; k < d.n; k++) {
		unsigned i = dim_at(&d, k);
		bool last = k + 1 == d.n;

		/* the slowest one may be open, as of "int a[]" */
		if (!last && !d.count[i])
			return false;
		index[i] = last ? rest : rest % d.count[i];
		rest = last ? 0 : rest / d.count[i];
	}
	for (unsigned i = 0; i < d.n; i++)
		say(text, room, fortran ? "%s%lld" : "%s%lld]", fortran ? i ? "," : "(" : "[",
		    (long long)(d.lower[i] + (int64_t)index[i]));
	if (fortran)
		say(text, room, ")");
	p->off %= size;
	p->die = type;
	return true;
}

void type_name(struct type_part *p, bool fortran, char *text, size_t room)
{
	for (unsigned depth = 0; depth < DEEP; depth++) {
		int tag = dwarf_tag(&p->die);

		if (is_described(&p->die)) {
			say(text, room, "'s descriptor");
			break;
		}
		if (is_structure(&p->die)      ? !into_member(p, fortran, text, room)
		    : tag == DW_TAG_array_type ? !into_element(p, fortran, text, room)
					       : true)
			break;
	}
	end_at(p, fortran);
}

/* ---- the reverse ---- */

/* "[3]" or one more of "(2,3)" at *text; -1: err. */
static int index_at(const char **text, const struct dims *d, unsigned i, bool fortran,
		    int64_t *index, struct err *err)
{
	const char *at = *text, *end = at + 1;

	if (*at != (fortran ? i ? ',' : '(' : '['))
		return err_set(err, "%u %s needed", d->n, d->n == 1 ? "index is" : "indices are");
	end += strspn(end, " ");
	if (parse_int_at(&end, index))
		return err_set(err, "a number is needed at '%s'", at + 1);
	if (*index < d->lower[i] ||
	    (d->count[i] && (uint64_t)(*index - d->lower[i]) >= d->count[i]))
		return err_set(err, "index %lld is outside of %lld:%lld", (long long)*index,
			       (long long)d->lower[i],
			       (long long)(d->lower[i] + (int64_t)d->count[i] - 1));
	end += strspn(end, " ");
	if (!fortran || i + 1 == d->n) {
		if (*end != (fortran ? ')' : ']'))
			return err_set(err, "'%c' is missing at '%s'", fortran ? ')' : ']', end);
		end++;
	}
	*text = end;
	return 0;
}

static int find_element(struct type_part *p, bool fortran, const char **text, struct err *err)
{
	uint64_t size, at = 0, step = 1;
	int64_t index[ARRAY_DIMS];
	Dwarf_Die type;
	struct dims d;

	take_dims(&p->die, fortran, &d);
	if (is_described(&p->die))
		return err_set(err,
			       "it is allocated at run time: its elements are heap memory, named "
			       "by the place of the allocation");
	if (!d.n || !type_of(&p->die, &type) || !(size = type_size(&type, fortran)))
		return err_set(err, "the shape of the array is not known");
	for (unsigned i = 0; i < d.n; i++)
		if (index_at(text, &d, i, fortran, &index[i], err))
			return -1;
	for (unsigned k = 0; k < d.n; k++) {
		unsigned i = dim_at(&d, k);

		at += (uint64_t)(index[i] - d.lower[i]) * step;
		step *= d.count[i] ? d.count[i] : 1;
	}
	p->off += at * size;
	p->die = type;
	return 0;
}

static bool named_member(struct type_part *p, const char *name, size_t n, bool fortran,
			 unsigned depth)
{
	Dwarf_Die child, type;

	if (depth > DEEP || dwarf_child(&p->die, &child))
		return false;
	do {
		const char *is = is_member(&child) ? dwarf_diename(&child) : NULL;
		struct type_part in;

		if (!is_member(&child) || !type_of(&child, &type))
			continue;
		in = (struct type_part){ .die = type, .off = p->off + type_member_at(&child) };
		if (dwarf_tag(&child) == DW_TAG_member && is) {
			if (strlen(is) != n ||
			    (fortran ? strncasecmp(is, name, n) : strncmp(is, name, n)) != 0)
				continue;
		} else if (!named_member(&in, name, n, fortran, depth + 1)) {
			continue; /* without a name: what is in it counts as here */
		}
		*p = in;
		return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static int find_member(struct type_part *p, bool fortran, const char **text, struct err *err)
{
	const char *name = *text + 1;
	size_t n = strcspn(name, "[(.%");

	if (!named_member(p, name, n, fortran, 0))
		return err_set(err, "there is no field %.*s", (int)n, name);
	*text = name + n;
	return 0;
}

int type_find(struct type_part *p, bool fortran, const char *text, struct err *err)
{
	while (*text) {
		bool structure = is_structure(&p->die);
		int rc;

		if ((*text == '.' || *text == '%') && structure)
			rc = find_member(p, fortran, &text, err);
		else if ((*text == '[' || *text == '(') && dwarf_tag(&p->die) == DW_TAG_array_type)
			rc = find_element(p, fortran, &text, err);
		else
			rc = err_set(err, "'%s' is not an element or field of it", text);
		if (rc)
			return -1;
	}
	end_at(p, fortran);
	return 0;
}
