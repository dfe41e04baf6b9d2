/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values and types of variables as text, as the language has them, and the way into their parts.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"

#define TEXT_MOST 200 /* characters of a string */

#define GONE "<optimized out>"

/* What is being written. */
struct writing {
	struct frame *f;
	const struct shown *how;
	struct buf *out;
	unsigned left; /* elements */
};

static void put(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct buf *b, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		buf_put_raw(b, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

bool datum_type_at(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute at;

	return dwarf_attr_integrate(die, DW_AT_type, &at) && dwarf_formref_die(&at, type);
}

/* Without typedef, const and the like. */
bool datum_peeled(const Dwarf_Die *type, Dwarf_Die *out)
{
	return dwarf_peel_type((Dwarf_Die *)type, out) == 0;
}

/* What a pointer points to, peeled; false: nothing that is known. */
static bool target_of(Dwarf_Die *pointer, Dwarf_Die *out)
{
	Dwarf_Die type;

	return datum_type_at(pointer, &type) && datum_peeled(&type, out);
}

bool datum_is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

bool datum_is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool has_bytes(const struct datum *d, uint64_t off, size_t n)
{
	if (off + n > d->place.n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (d->place.lost >> (off + i) & 1)
			return false;
	return true;
}

/* Its first n bytes. */
bool datum_read(struct frame *f, const struct datum *d, void *out, size_t n)
{
	if (d->place.kind == LOCATION_MEMORY)
		return frame_read(f, d->place.addr, out, n);
	if (d->place.kind != LOCATION_BYTES || !has_bytes(d, d->off, n))
		return false;
	memcpy(out, d->place.bytes + d->off, n);
	return true;
}

/* The part at so many bytes, of that type. */
struct datum datum_part(const struct datum *d, const Dwarf_Die *type, int64_t off)
{
	struct datum part = *d;

	part.type = *type;
	part.typed = true;
	part.skip = 0;
	part.bits = 0;
	part.count = 0;
	part.points = false;
	part.base = 0;
	if (d->place.kind == LOCATION_MEMORY)
		part.place.addr += (uint64_t)off;
	else
		part.off += (uint64_t)off;
	return part;
}

/* Why it has no value. */
static void put_lack(const struct datum *d, struct buf *out)
{
	if (d->place.kind == LOCATION_MEMORY)
		put(out, "<no memory at 0x%" PRIx64 ">", d->place.addr);
	else
		put(out, GONE);
}

/* ---- numbers ---- */

unsigned datum_number_type(Dwarf_Die *type)
{
	static const uint8_t whole[] = {
		[1] = VALUE_SCHAR, [2] = VALUE_SHORT, [4] = VALUE_INT, [8] = VALUE_LONG
	};
	static const uint8_t natural[] = {
		[1] = VALUE_UCHAR, [2] = VALUE_USHORT, [4] = VALUE_UINT, [8] = VALUE_ULONG
	};
	Dwarf_Attribute at;
	Dwarf_Word encoding = 0;
	int n = dwarf_bytesize(type);

	if (dwarf_tag(type) != DW_TAG_base_type || n < 1 || n > 16)
		return VALUE_TYPES;
	if (dwarf_attr_integrate(type, DW_AT_encoding, &at))
		dwarf_formudata(&at, &encoding);
	switch (encoding) {
	case DW_ATE_float:
		return n == 4 ? VALUE_FLOAT : n == 8 ? VALUE_DOUBLE : VALUE_TYPES;
	case DW_ATE_complex_float:
		return n == 8 ? VALUE_FCOMPLEX : n == 16 ? VALUE_DCOMPLEX : VALUE_TYPES;
	case DW_ATE_boolean:
		return n == 1	? VALUE_BOOL
		       : n == 4 ? VALUE_LOGICAL
		       : n == 8 ? VALUE_LONG
				: VALUE_TYPES;
	case DW_ATE_signed_char:
		return n == 1 ? VALUE_CHAR : VALUE_TYPES;
	}
	if (n > 8 || !whole[n])
		return VALUE_TYPES;
	if (encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
	    encoding == DW_ATE_UTF)
		return natural[n];
	return whole[n];
}

/* A number of a type that the program does not have. */
static void put_own(struct writing *w, const struct datum *d)
{
	unsigned char bytes[16] = { 0 };
	char text[VALUE_TEXT];
	struct value v;

	if (!datum_read(w->f, d, bytes, value_size(d->base - 1))) {
		put_lack(d, w->out);
		return;
	}
	v = value_load(d->base - 1, bytes);
	put(w->out, "%s", value_format(d->base - 1, &v, 0, text));
}

static void put_base(struct writing *w, const struct datum *d, Dwarf_Die *type)
{
	unsigned char bytes[16] = { 0 };
	unsigned number = datum_number_type(type);
	int n = dwarf_bytesize(type);
	char text[VALUE_TEXT];
	struct value v;

	if (n < 1 || n > (int)sizeof(bytes) || !datum_read(w->f, d, bytes, (size_t)n)) {
		put_lack(d, w->out);
	} else if (number < VALUE_TYPES) {
		v = value_load(number, bytes);
		put(w->out, "%s", value_format(number, &v, 0, text));
	} else if (n == sizeof(long double)) {
		long double x;

		memcpy(&x, bytes, sizeof(x));
		put(w->out, "%.18Lg", x);
	} else {
		put(w->out, "<a number of %d bytes>", n);
	}
}

/* Bytes of a small whole number, extended with its sign. */
static bool whole_number(struct frame *f, const struct datum *d, int n, int64_t *out)
{
	uint64_t word = 0;
	int rest = 64 - 8 * n;

	if (n < 1 || n > 8 || !datum_read(f, d, &word, (size_t)n))
		return false;
	*out = (int64_t)(word << rest) >> rest;
	return true;
}

static void put_enumeration(struct writing *w, const struct datum *d, Dwarf_Die *type)
{
	int n = dwarf_bytesize(type);
	Dwarf_Die child;
	int64_t value, is;

	if (!whole_number(w->f, d, n, &value)) {
		put_lack(d, w->out);
		return;
	}
	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) == DW_TAG_enumerator && name &&
		    location_number(w->f, &child, DW_AT_const_value, 0, false, &is) &&
		    (n == 8 ? is == value : !((uint64_t)(is ^ value) << (64 - 8 * n)))) {
			put(w->out, "%s", name);
			return;
		}
	}
	put(w->out, "%" PRId64, value);
}

/* ---- texts and pointers ---- */

static void put_quoted(struct buf *b, const char *text, size_t n, bool more)
{
	put(b, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			put(b, "\\%c", c);
		else if (c < ' ' || c == 127)
			put(b, "\\%03o", c);
		else
			buf_put_raw(b, &c, 1);
	}
	put(b, more ? "\"..." : "\"");
}

/* A text that ends with a zero, from the program's memory. */
static bool put_string(struct writing *w, uint64_t addr)
{
	char text[TEXT_MOST];
	size_t n = 0;

	while (n < sizeof(text) && frame_read(w->f, addr + n, text + n, 1) && text[n])
		n++;
	if (!n && !frame_read(w->f, addr, text, 1))
		return false;
	put_quoted(w->out, text, n, n == sizeof(text));
	return true;
}

static bool is_char(Dwarf_Die *type)
{
	const char *name = dwarf_tag(type) == DW_TAG_base_type ? dwarf_diename(type) : NULL;

	return name && dwarf_bytesize(type) == 1 && strstr(name, "char") != NULL;
}

/* A variable or function of a file, by its symbol. */
static bool put_symbol(struct writing *w, uint64_t addr, bool function)
{
	Dwfl_Module *mod = dwfl_addrmodule(w->f->dwfl, addr);
	GElf_Off off = 0;
	GElf_Sym sym;
	const char *name =
		mod ? dwfl_module_addrinfo(mod, addr, &off, &sym, NULL, NULL, NULL) : NULL;
	int kind = name ? GELF_ST_TYPE(sym.st_info) : -1;

	if (kind != (function ? STT_FUNC : STT_OBJECT) || (off && off >= sym.st_size))
		return false;
	put(w->out, "%s%s", function ? "" : "&", name);
	if (off)
		put(w->out, "+%" PRIu64, (uint64_t)off);
	return true;
}

/* A registered object, by the name that it has on all ranks. */
static bool put_object(struct writing *w, uint64_t addr)
{
	char name[200] = "";

	if (w->f->namer && !w->how->places)
		w->f->namer(w->f->namer_arg, addr, name, sizeof(name));
	if (*name)
		put(w->out, "&%s", name);
	return *name;
}

static void put_datum(struct writing *w, const struct datum *d, unsigned depth);

/* known: the target's type, peeled. */
static void put_address(struct writing *w, const struct datum *d, Dwarf_Die target, bool known,
			bool reference, unsigned depth)
{
	struct datum to = { .typed = true };
	uint64_t addr = 0;

	if (!datum_read(w->f, d, &addr, sizeof(addr))) {
		put_lack(d, w->out);
		return;
	}
	if (!addr) {
		put(w->out, w->f->fortran ? "<not associated>" : "NULL");
		return;
	}
	if (w->how->addresses && !reference && !w->f->fortran)
		put(w->out, "0x%" PRIx64 " ", addr);
	if (known && is_char(&target) && !w->f->fortran && put_string(w, addr))
		return;
	if (!reference && !w->f->fortran && put_object(w, addr))
		return;
	if (!(w->how->places && known && dwarf_tag(&target) == DW_TAG_array_type) &&
	    put_symbol(w, addr, known && dwarf_tag(&target) == DW_TAG_subroutine_type))
		return;
	if (!known || dwarf_tag(&target) == DW_TAG_subroutine_type ||
	    dwarf_hasattr(&target, DW_AT_declaration) || depth > w->how->deep) {
		put(w->out, "<pointer>");
		return;
	}
	to.type = target;
	to.place = (struct location){ .kind = LOCATION_MEMORY, .addr = addr };
	put(w->out, reference || w->f->fortran ? "" : "-> ");
	put_datum(w, &to, depth + 1);
}

static void put_pointer(struct writing *w, const struct datum *d, Dwarf_Die *type, unsigned depth)
{
	Dwarf_Die target = { 0 };
	bool known = target_of(type, &target);

	put_address(w, d, target, known, dwarf_tag(type) != DW_TAG_pointer_type, depth);
}

/* An address that an expression comes to. */
static void put_points(struct writing *w, const struct datum *d)
{
	Dwarf_Die target = { 0 };
	bool known = d->typed && datum_peeled(&d->type, &target);
	struct datum to = { .base = d->base };

	if (!d->base) {
		put_address(w, d, target, known && !d->skip, false, 0);
		return;
	}
	to.place.kind = LOCATION_MEMORY;
	memcpy(&to.place.addr, d->place.bytes, sizeof(to.place.addr));
	if (w->how->addresses)
		put(w->out, "0x%" PRIx64 " ", to.place.addr);
	put(w->out, "-> ");
	put_own(w, &to);
}

/* Fortran's character: its length may be a variable. */
static void put_characters(struct writing *w, const struct datum *d, Dwarf_Die *type)
{
	char text[TEXT_MOST];
	int64_t length = dwarf_bytesize(type), where;
	size_t n;

	if (length < 0 && location_number(w->f, type, DW_AT_string_length, 0, false, &length) &&
	    length > INT32_MAX) {
		/* it was its address */
		where = length;
		length = 0;
		frame_read(w->f, (uint64_t)where, &length, sizeof(length));
	}
	if (length < 0) {
		put(w->out, GONE);
		return;
	}
	n = length < TEXT_MOST ? (size_t)length : TEXT_MOST;
	if (!datum_read(w->f, d, text, n))
		put_lack(d, w->out);
	else
		put_quoted(w->out, text, n, n < (size_t)length);
}

/* ---- structures ---- */

int64_t datum_member_at(struct frame *f, Dwarf_Die *member)
{
	Dwarf_Attribute at;
	int64_t n;
	Dwarf_Op *op;
	size_t nop;

	if (dwarf_attr(member, DW_AT_data_member_location, &at) &&
	    !dwarf_getlocation(&at, &op, &nop) && nop == 1 && op[0].atom == DW_OP_plus_uconst)
		return (int64_t)op[0].number;
	return location_number(f, member, DW_AT_data_member_location, 0, false, &n) ? n : 0;
}

bool datum_bits(struct frame *f, Dwarf_Die *member, Dwarf_Die *type, struct datum *d)
{
	int64_t bits, at, old, size;

	if (!location_number(f, member, DW_AT_bit_size, 0, false, &bits) || bits < 1 || bits > 64)
		return false;
	if (!location_number(f, member, DW_AT_data_bit_offset, 0, false, &at)) {
		at = 8 * datum_member_at(f, member);
		if (location_number(f, member, DW_AT_bit_offset, 0, false, &old)) {
			if (!location_number(f, member, DW_AT_byte_size, 0, false, &size))
				size = dwarf_bytesize(type);
			at += size * 8 - old - bits;
		}
	}
	*d = datum_part(d, type, at / 8);
	d->bits = (unsigned)bits;
	d->bit = (unsigned)(at % 8);
	return true;
}

/* The value of a field of bits; false: it is not known. */
static bool read_bits(struct frame *f, const struct datum *d, Dwarf_Die *type, int64_t *out)
{
	unsigned n = (d->bit + d->bits + 7) / 8, number = datum_number_type(type);
	uint64_t word = 0;

	if (n > sizeof(word) || !datum_read(f, d, &word, n))
		return false;
	word = word >> d->bit << (64 - d->bits);
	if (number < VALUE_TYPES && value_class(number) == VALUE_IS_INT)
		*out = (int64_t)word >> (64 - d->bits);
	else
		*out = (int64_t)(word >> (64 - d->bits));
	return true;
}

static void put_bits(struct writing *w, const struct datum *d, Dwarf_Die *type)
{
	int64_t value;

	if (read_bits(w->f, d, type, &value))
		put(w->out, "%" PRId64, value);
	else
		put_lack(d, w->out);
}

bool datum_is_member(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external)) ||
	       tag == DW_TAG_inheritance;
}

static void put_structure(struct writing *w, const struct datum *d, Dwarf_Die *type, unsigned depth)
{
	Dwarf_Die child, its, bare;
	unsigned n = 0;

	if (depth > w->how->deep) {
		put(w->out, "{...}");
		return;
	}
	put(w->out, "{");
	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child);
		struct datum part;

		if (!datum_is_member(&child) || !datum_type_at(&child, &its) ||
		    !datum_peeled(&its, &bare))
			continue;
		if (n++)
			put(w->out, ", ");
		if (!w->left) {
			put(w->out, "...");
			break;
		}
		w->left--;
		if (name && dwarf_tag(&child) == DW_TAG_member)
			put(w->out, "%s = ", name);
		part = *d;
		if (!datum_bits(w->f, &child, &bare, &part))
			part = datum_part(d, &its, datum_member_at(w->f, &child));
		put_datum(w, &part, depth + (dwarf_tag(&child) == DW_TAG_member)); /* or a base */
	}
	put(w->out, "}");
}

/* ---- arrays ---- */

static void put_elements(struct writing *w, const struct datum *d, const struct shape *s,
			 unsigned k, int64_t off, unsigned depth)
{
	bool last = k == s->n;
	unsigned i = last ? 0 : shape_outer(s, k);
	Dwarf_Die bare;

	if (last) {
		struct datum part = datum_part(d, &s->element, off);

		w->left -= w->left > 0;
		put_datum(w, &part, depth + 1);
		return;
	}
	if (k + 1 == s->n && !s->by_column && d->place.kind == LOCATION_MEMORY &&
	    datum_peeled(&s->element, &bare) && is_char(&bare) && s->count[i] > 0) {
		char text[TEXT_MOST];
		size_t n = s->count[i] < TEXT_MOST ? (size_t)s->count[i] : TEXT_MOST;

		if (frame_read(w->f, d->place.addr + (uint64_t)off, text, n)) {
			put_quoted(w->out, text, strnlen(text, n),
				   strnlen(text, n) < (size_t)s->count[i] && n == TEXT_MOST);
			return;
		}
	}
	put(w->out, "{");
	for (int64_t x = 0; x < s->count[i] && (s->stride[i] || !x); x++) {
		if (x)
			put(w->out, ", ");
		if (!w->left) {
			put(w->out, "...");
			break;
		}
		put_elements(w, d, s, k + 1, off + x * s->stride[i], depth);
	}
	put(w->out, s->count[i] < 0 ? "...}" : s->stride[i] ? "}" : ", ...}");
}

/* Where it begins, and its bounds. */
static void put_bounds(struct writing *w, const struct shape *s)
{
	put(w->out, "0x%" PRIx64, s->addr);
	for (unsigned i = 0; i < s->n; i++) {
		put(w->out, i ? "," : " (");
		if (s->count[i] >= 0)
			put(w->out, "%" PRId64 ":%" PRId64, s->lower[i],
			    s->lower[i] + s->count[i] - 1);
	}
	put(w->out, ")");
}

static bool is_small(const struct shape *s, unsigned most)
{
	int64_t n = 1;

	for (unsigned i = 0; i < s->n && n >= 0 && n <= most; i++)
		n *= s->count[i];
	return n >= 0 && n <= most;
}

static void put_array(struct writing *w, const struct datum *d, Dwarf_Die *type, unsigned depth)
{
	struct datum data = *d;
	struct shape s;

	if (d->place.kind == LOCATION_GONE || !shape_of(w->f, type, d, &s)) {
		put(w->out, d->place.kind == LOCATION_GONE ? GONE : "<its shape is not known>");
		return;
	}
	if (s.lacks) {
		put(w->out, "%s", s.lacks);
		return;
	}
	if (w->how->places && !d->skip && d->place.kind == LOCATION_MEMORY &&
	    !is_small(&s, w->how->small)) {
		put_bounds(w, &s);
		return;
	}
	/* with all indices it is an element, and place its own */
	if (!d->skip)
		data.place.addr = s.addr;
	put_elements(w, &data, &s, d->skip, 0, depth);
}

/* A section: parts one behind the other. */
static void put_section(struct writing *w, const struct datum *d, unsigned depth)
{
	put(w->out, "{");
	for (uint64_t i = 0; i < d->count; i++) {
		struct datum part = *d;

		if (i)
			put(w->out, ", ");
		if (!w->left) {
			put(w->out, "...");
			break;
		}
		w->left--;
		part.count = 0;
		if (d->place.kind == LOCATION_MEMORY)
			part.place.addr += i * (uint64_t)d->stride;
		else
			part.off += i * (uint64_t)d->stride;
		put_datum(w, &part, depth);
	}
	put(w->out, "}");
}

static void put_datum(struct writing *w, const struct datum *d, unsigned depth)
{
	Dwarf_Die type;

	if (d->points && !d->count) {
		put_points(w, d);
		return;
	}
	if (d->base && !d->count) {
		put_own(w, d);
		return;
	}
	if (d->base && d->count) {
		put_section(w, d, depth);
		return;
	}
	if (d->place.kind == LOCATION_GONE || !d->typed || depth > DATUM_DEEP ||
	    !datum_peeled(&d->type, &type)) {
		put(w->out, d->place.kind == LOCATION_GONE ? GONE : "<its type is not known>");
		return;
	}
	if (d->bits) {
		put_bits(w, d, &type);
	} else if (d->count) {
		put_section(w, d, depth);
	} else if (datum_is_pointer(&type)) {
		put_pointer(w, d, &type, depth);
	} else if (datum_is_structure(&type)) {
		put_structure(w, d, &type, depth);
	} else {
		switch (dwarf_tag(&type)) {
		case DW_TAG_array_type:
			put_array(w, d, &type, depth);
			break;
		case DW_TAG_string_type:
			put_characters(w, d, &type);
			break;
		case DW_TAG_enumeration_type:
			put_enumeration(w, d, &type);
			break;
		case DW_TAG_base_type:
			put_base(w, d, &type);
			break;
		default:
			put(w->out, "<its type is not known>");
		}
	}
}

void datum_value(struct frame *f, const struct datum *d, const struct shown *how, struct buf *out)
{
	struct writing w = { .f = f, .how = how, .out = out, .left = how->elements };

	put_datum(&w, d, 0);
}

bool datum_of(struct frame *f, Dwarf_Die *die, struct datum *out)
{
	*out = (struct datum){ 0 };
	out->typed = datum_type_at(die, &out->type);
	location_of(f, die, &out->place);
	return out->typed;
}

bool datum_number(struct frame *f, const struct datum *d, unsigned *type, unsigned char *bytes)
{
	Dwarf_Die bare;

	if (d->points)
		return false;
	if (d->base) {
		*type = d->base - 1;
		return !d->count && datum_read(f, d, bytes, value_size(*type));
	}
	if (!d->typed || d->count || !datum_peeled(&d->type, &bare))
		return false;
	/* a reference is what it refers to */
	if (datum_is_pointer(&bare) && dwarf_tag(&bare) != DW_TAG_pointer_type) {
		struct datum to = *d;

		return !datum_target(f, &to, &(struct err){ "" }) &&
		       datum_number(f, &to, type, bytes);
	}
	if (d->bits || dwarf_tag(&bare) == DW_TAG_enumeration_type) {
		int64_t value;

		*type = VALUE_LONG;
		if (d->bits ? !read_bits(f, d, &bare, &value)
			    : !whole_number(f, d, dwarf_bytesize(&bare), &value))
			return false;
		memcpy(bytes, &value, sizeof(value));
		return true;
	}
	*type = datum_number_type(&bare);
	return *type < VALUE_TYPES && datum_read(f, d, bytes, value_size(*type));
}

/* ---- names of types ---- */

static void put_type(struct frame *f, const Dwarf_Die *of, const struct datum *d, struct buf *out,
		     unsigned depth);

static void put_dims(struct frame *f, Dwarf_Die *type, const struct datum *d, struct buf *out)
{
	bool round = f->fortran;
	struct shape s;

	if (!d || !shape_of(f, type, d, &s) || s.lacks) {
		put(out, round ? " (:)" : " []");
		return;
	}
	for (unsigned i = d->skip; i < s.n; i++) {
		put(out, round ? i ? "," : " (" : i == d->skip ? " [" : "[");
		if (s.count[i] >= 0 && s.lower[i] != f->fortran)
			put(out, "%" PRId64 ":%" PRId64, s.lower[i], s.lower[i] + s.count[i] - 1);
		else if (s.count[i] >= 0)
			put(out, "%" PRId64, s.count[i]);
		if (!round)
			put(out, "]");
	}
	if (round)
		put(out, ")");
}

static void put_type(struct frame *f, const Dwarf_Die *of, const struct datum *d, struct buf *out,
		     unsigned depth)
{
	Dwarf_Die type = *of, inner;
	bool has = datum_type_at(&type, &inner);
	const char *name = dwarf_diename(&type);
	int tag = dwarf_tag(&type);

	if (depth > DATUM_DEEP)
		return;
	if (tag == DW_TAG_array_type && has) {
		put_type(f, &inner, NULL, out, depth + 1);
		put_dims(f, &type, d, out);
	} else if (datum_is_pointer(&type)) {
		if (has)
			put_type(f, &inner, NULL, out, depth + 1);
		else
			put(out, "void");
		if (f->fortran)
			put(out, ", pointer");
		else
			put(out, tag == DW_TAG_pointer_type ? " *" : " &");
	} else if (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
		   tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type) {
		if (tag == DW_TAG_const_type && !f->fortran)
			put(out, "const ");
		if (has)
			put_type(f, &inner, d, out, depth + 1);
		else
			put(out, "void");
	} else if (tag == DW_TAG_subroutine_type) {
		put(out, "function");
	} else if (tag == DW_TAG_string_type) {
		put(out, "character");
	} else {
		put(out, "%s%s",
		    tag == DW_TAG_structure_type ? f->fortran ? "type " : "struct "
		    : tag == DW_TAG_union_type	 ? "union "
		    : tag == DW_TAG_enumeration_type ? "enum "
						     : "",
		    name ? name : "{...}");
	}
}

void datum_type(struct frame *f, const struct datum *d, struct buf *out)
{
	if (d->typed)
		put_type(f, &d->type, d->points ? NULL : d, out, 0);
	else
		put(out, "%s", d->base ? value_type_name(d->base - 1) : d->points ? "void" : "");
	if (d->points)
		put(out, " *");
}
