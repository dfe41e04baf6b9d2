/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values and types of variables as text, as the language has them, and the way into their parts.
 */
#include "runtime/exec/native/internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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
	unsigned left, members; /* so many elements of arrays, members of structures */
};

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
	part.length = 0;
	part.points = false;
	part.base = 0;
	if (d->place.kind == LOCATION_MEMORY)
		part.place.addr += (uint64_t)off;
	else
		part.off += (uint64_t)off;
	return part;
}

/* Why it has no value. */
static void put_lack(const struct frame *f, const struct datum *d, struct buf *out)
{
	if (d->place.kind == LOCATION_MEMORY && !d->place.addr && f->fortran)
		datum_put(out, "<not present>");
	else if (d->place.kind == LOCATION_MEMORY)
		datum_put(out, "<no memory at 0x%" PRIx64 ">", d->place.addr);
	else
		datum_put(out, "%s", d->place.lack ? d->place.lack : GONE);
}

/* ---- numbers ---- */

/* A number of a type that the program does not have. */
static void put_own(struct writing *w, const struct datum *d)
{
	unsigned char bytes[16] = { 0 };
	char text[VALUE_TEXT];
	struct value v;

	if (!datum_read(w->f, d, bytes, value_size(d->base - 1))) {
		put_lack(w->f, d, w->out);
		return;
	}
	v = value_load(d->base - 1, bytes);
	datum_put(w->out, "%s", value_format(d->base - 1, &v, 0, text));
}

static void put_base(struct writing *w, const struct datum *d, Dwarf_Die *type)
{
	unsigned char bytes[NUMBER_BYTES] = { 0 };
	int n = dwarf_bytesize(type);

	if (n < 1 || n > NUMBER_BYTES || !datum_read(w->f, d, bytes, (size_t)n))
		put_lack(w->f, d, w->out);
	else
		number_put(type, bytes, w->out);
}

/* Bytes of a small whole number, extended with its sign, if that type (enum value_type) has one. */
static bool whole_number(struct frame *f, const struct datum *d, int n, int64_t *out, unsigned type)
{
	uint64_t word = 0;
	int rest = 64 - 8 * n;

	if (n < 1 || n > 8 || !datum_read(f, d, &word, (size_t)n))
		return false;
	*out = type < VALUE_TYPES && value_class(type) == VALUE_IS_UINT
		       ? (int64_t)word
		       : (int64_t)(word << rest) >> rest;
	return true;
}

typedef bool (*enumerator_fn)(const char *name, int64_t value, void *arg);

/* fn is true at the end. */
static bool each_enumerator(struct frame *f, Dwarf_Die *type, enumerator_fn fn, void *arg)
{
	Dwarf_Die child;
	int64_t is;

	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) == DW_TAG_enumerator && name &&
		    location_number(f, &child, DW_AT_const_value, 0, false, &is) &&
		    fn(name, is, arg))
			return true;
	}
	return false;
}

/* A value of an enumeration that is being named. */
struct enumerated {
	struct buf *out;
	uint64_t value, mask; /* the bits that it has */
	uint64_t left;	      /* not named yet */
	bool any, flags;      /* flags: each is one bit of its own */
};

static bool put_equal(const char *name, int64_t value, void *arg)
{
	struct enumerated *e = arg;

	if (((uint64_t)value ^ e->value) & e->mask)
		return false;
	datum_put(e->out, "%s", name);
	return true;
}

static bool count_flag(const char *name, int64_t value, void *arg)
{
	struct enumerated *e = arg;
	uint64_t bits = (uint64_t)value & e->mask;

	e->flags &= !(bits & (bits - 1)) && (!bits || !(e->left & bits));
	e->left |= bits;
	return false;
}

static bool put_flag(const char *name, int64_t value, void *arg)
{
	struct enumerated *e = arg;
	uint64_t bits = (uint64_t)value & e->mask;

	if (bits && bits & e->value) {
		datum_put(e->out, "%s%s", e->any ? " | " : "", name);
		e->any = true;
	}
	return false;
}

static void put_enumerated(struct writing *w, Dwarf_Die *type, int64_t value, unsigned bits)
{
	struct enumerated e = { .out = w->out,
				.value = (uint64_t)value,
				.mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX,
				.flags = true };

	if (each_enumerator(w->f, type, put_equal, &e))
		return;
	each_enumerator(w->f, type, count_flag, &e);
	if (e.flags && value && !(e.value & e.mask & ~e.left))
		each_enumerator(w->f, type, put_flag, &e);
	else
		datum_put(w->out, "%" PRId64, value);
}

static void put_enumeration(struct writing *w, const struct datum *d, Dwarf_Die *type)
{
	int n = dwarf_bytesize(type);
	int64_t value;

	if (whole_number(w->f, d, n, &value, number_enumeration(type)))
		put_enumerated(w, type, value, 8 * (unsigned)n);
	else
		put_lack(w->f, d, w->out);
}

/* ---- texts and pointers ---- */

static void put_quoted(struct buf *b, const char *text, size_t n, bool more)
{
	datum_put(b, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			datum_put(b, "\\%c", c);
		else if (c < ' ' || c == 127)
			datum_put(b, "\\%03o", c);
		else
			buf_put_raw(b, &c, 1);
	}
	datum_put(b, more ? "\"..." : "\"");
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

/* Bytes that may be numbers as well: a text of which all is text, up to its end. */
static bool is_text(Dwarf_Die *type, const char *text, size_t n)
{
	const char *name = dwarf_diename(type);
	size_t used = strnlen(text, n);

	if (name && !strcmp(name, "char"))
		return true;
	for (size_t i = 0; i < n; i++)
		if (i < used ? !isprint((unsigned char)text[i]) && !strchr("\t\n\r", text[i])
			     : text[i])
			return false;
	return used;
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
	datum_put(w->out, "%s%s", function ? "" : "&", name);
	if (off)
		datum_put(w->out, "+%" PRIu64, (uint64_t)off);
	return true;
}

/* A registered object, by the name that it has on all ranks. */
static bool put_object(struct writing *w, uint64_t addr)
{
	char name[200] = "";

	if (w->f->namer && !w->how->places)
		w->f->namer(w->f->namer_arg, addr, name, sizeof(name));
	if (*name)
		datum_put(w->out, "&%s", name);
	return *name;
}

static void put_datum(struct writing *w, const struct datum *d, unsigned depth);

static void put_target(struct writing *w, const struct datum *to, bool reference, unsigned depth)
{
	Dwarf_Die type;
	char text[TEXT_MOST];
	size_t n = 0;

	/* a text of which the compiler has kept the bytes alone */
	if (to->place.kind == LOCATION_BYTES && !w->f->fortran && datum_peeled(&to->type, &type) &&
	    is_char(&type)) {
		while (n < sizeof(text) && has_bytes(to, to->off + n, 1) &&
		       (text[n] = (char)to->place.bytes[to->off + n]))
			n++;
		put_quoted(w->out, text, n, !has_bytes(to, to->off + n, 1));
		return;
	}
	datum_put(w->out, reference || w->f->fortran ? "" : "-> ");
	put_datum(w, to, depth + 1);
}

/* known: the target's type, peeled. */
static void put_address(struct writing *w, const struct datum *d, Dwarf_Die target, bool known,
			bool reference, unsigned depth)
{
	struct datum to = { .typed = true };
	uint64_t addr = 0;

	if (d->place.kind == LOCATION_POINTER && depth <= w->how->deep) {
		to = *d;
		if (!datum_target(w->f, &to, &(struct err){ "" }))
			put_target(w, &to, reference, depth);
		else
			put_lack(w->f, d, w->out);
		return;
	}
	if (!datum_read(w->f, d, &addr, sizeof(addr))) {
		put_lack(w->f, d, w->out);
		return;
	}
	if (!addr) {
		datum_put(w->out, w->f->fortran ? "<not associated>" : "NULL");
		return;
	}
	if (w->how->addresses && !reference && !w->f->fortran)
		datum_put(w->out, "0x%" PRIx64 " ", addr);
	if (known && is_char(&target) && !w->f->fortran && put_string(w, addr))
		return;
	if (!reference && !w->f->fortran && put_object(w, addr))
		return;
	if (!(w->how->places && known && dwarf_tag(&target) == DW_TAG_array_type) &&
	    put_symbol(w, addr, known && dwarf_tag(&target) == DW_TAG_subroutine_type))
		return;
	if (!known || dwarf_tag(&target) == DW_TAG_subroutine_type || depth > w->how->deep) {
		datum_put(w->out, "<pointer>");
		return;
	}
	to.type = target;
	to.place = (struct location){ .kind = LOCATION_MEMORY, .addr = addr };
	to.length = d->length;
	put_target(w, &to, reference, depth);
}

/* C++: how far into an object, or a function of it. */
static void put_member_pointer(struct writing *w, const struct datum *d, Dwarf_Die *type)
{
	Dwarf_Die target;
	int64_t value;

	if (!whole_number(w->f, d, sizeof(value), &value, VALUE_LONG)) {
		put_lack(w->f, d, w->out);
	} else if (target_of(type, &target) && dwarf_tag(&target) == DW_TAG_subroutine_type) {
		if (!value)
			datum_put(w->out, "NULL");
		else if (!put_symbol(w, (uint64_t)value, true))
			datum_put(w->out, "<virtual function>");
	} else if (value == -1) {
		datum_put(w->out, "NULL");
	} else {
		datum_put(w->out, "<member at %" PRId64 ">", value);
	}
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
		datum_put(w->out, "0x%" PRIx64 " ", to.place.addr);
	datum_put(w->out, "-> ");
	put_own(w, &to);
}

/* So many characters of Fortran. */
static void put_characters(struct writing *w, const struct datum *d, uint64_t length)
{
	char text[TEXT_MOST];
	size_t n = length < TEXT_MOST ? (size_t)length : TEXT_MOST;

	if (!datum_read(w->f, d, text, n))
		put_lack(w->f, d, w->out);
	else
		put_quoted(w->out, text, n, n < length);
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

	if (!read_bits(w->f, d, type, &value))
		put_lack(w->f, d, w->out);
	else if (dwarf_tag(type) == DW_TAG_enumeration_type)
		put_enumerated(w, type, value, d->bits);
	else if (number_encoding(type) == DW_ATE_boolean)
		datum_put(w->out, "%s", value ? "true" : "false");
	else
		datum_put(w->out, "%" PRId64, value);
}

bool datum_is_member(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external)) ||
	       tag == DW_TAG_inheritance;
}

uint64_t datum_length(struct frame *f, const struct datum *d, Dwarf_Die *type, const char *member)
{
	char name[80];
	Dwarf_Die child, its;
	uint64_t length = 0;

	if (!f->fortran || !member)
		return 0;
	snprintf(name, sizeof(name), "_%s_length", member);
	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *has = dwarf_diename(&child);
		struct datum part;

		if (!has || strcasecmp(has, name) || !datum_type_at(&child, &its))
			continue;
		part = datum_part(d, &its, datum_member_at(f, &child));
		return datum_read(f, &part, &length, sizeof(length)) ? length : 0;
	}
	return 0;
}

/* A section: parts one behind the other. */
static void put_section(struct writing *w, const struct datum *d, unsigned depth)
{
	datum_put(w->out, "{");
	for (uint64_t i = 0; i < d->count; i++) {
		struct datum part = *d;

		if (i)
			datum_put(w->out, ", ");
		if (!w->left) {
			datum_put(w->out, "...");
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
	datum_put(w->out, "}");
}

/* A structure without members. */
static bool is_empty(Dwarf_Die *type)
{
	Dwarf_Die child, its, bare;

	if (dwarf_hasattr(type, DW_AT_declaration))
		return false;
	for (bool more = !dwarf_child(type, &child); more; more = !dwarf_siblingof(&child, &child))
		if (datum_is_member(&child) &&
		    (dwarf_tag(&child) == DW_TAG_member || !datum_type_at(&child, &its) ||
		     !datum_peeled(&its, &bare) || !is_empty(&bare)))
			return false;
	return true;
}

static void put_truths(struct writing *w, const struct library *known)
{
	unsigned char byte = 0;

	datum_put(w->out, "{");
	for (uint64_t i = 0; i < known->count; i++) {
		datum_put(w->out, i ? ", " : "");
		if (!w->left || (i % 8 == 0 && !frame_read(w->f, known->addr + i / 8, &byte, 1))) {
			datum_put(w->out, "...");
			break;
		}
		w->left--;
		datum_put(w->out, "%s", byte >> i % 8 & 1 ? "true" : "false");
	}
	datum_put(w->out, "}");
}

/* An object of the library as a text, an array or a pointer. */
static void put_library(struct writing *w, const struct library *known, unsigned depth)
{
	Dwarf_Die type;

	if (known->kind == LIBRARY_TEXT) {
		char text[TEXT_MOST];
		size_t n = known->count < TEXT_MOST ? known->count : TEXT_MOST;

		if (n && !frame_read(w->f, known->addr, text, n))
			datum_put(w->out, "<no memory at 0x%" PRIx64 ">", known->addr);
		else
			put_quoted(w->out, text, n, n < known->count);
		return;
	}
	if (known->kind == LIBRARY_BITS) {
		put_truths(w, known);
		return;
	}
	if (known->kind == LIBRARY_INNER) {
		put_datum(w, &known->inner, depth);
		return;
	}
	if (depth > w->how->deep + 1 || !datum_peeled(&known->type, &type)) {
		datum_put(w->out, "{...}");
		return;
	}
	put_section(w,
		    &(struct datum){ .type = known->type,
				     .typed = true,
				     .place = { .kind = LOCATION_MEMORY, .addr = known->addr },
				     .count = known->count,
				     .stride = known->stride },
		    depth + 1);
}

/* A base; for addresses also what the C++ library has between an object and its elements. */
static bool is_inner(const struct writing *w, Dwarf_Die *member)
{
	const char *name = dwarf_diename(member);
	return dwarf_tag(member) != DW_TAG_member ||
	       (w->how->places && name && !strncmp(name, "_M_", 3));
}

static void put_structure(struct writing *w, const struct datum *d, Dwarf_Die *type, unsigned depth)
{
	Dwarf_Die child, its, bare;
	struct datum object = *d;
	struct library known;
	unsigned n = 0;

	if (!w->how->places && datum_object(w->f, &object)) {
		put_datum(w, &object, depth);
		return;
	}
	if (!w->how->places && library_of(w->f, d, &known)) {
		put_library(w, &known, depth);
		return;
	}
	if (dwarf_hasattr(type, DW_AT_declaration)) {
		datum_put(w->out, "<its type is only declared>");
		return;
	}
	if (depth > w->how->deep) {
		datum_put(w->out, "{...}");
		return;
	}
	datum_put(w->out, "{");
	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child);
		struct datum part;

		if (!datum_is_member(&child) || !datum_type_at(&child, &its) ||
		    !datum_peeled(&its, &bare) ||
		    (dwarf_tag(&child) == DW_TAG_inheritance && is_empty(&bare)))
			continue;
		if (n++)
			datum_put(w->out, ", ");
		if (!w->members) {
			datum_put(w->out, "...");
			break;
		}
		w->members--;
		if (name && dwarf_tag(&child) == DW_TAG_member)
			datum_put(w->out, "%s = ", name);
		part = *d;
		if (!datum_bits(w->f, &child, &bare, &part))
			part = datum_part(d, &its, datum_member_of(w->f, &child, d, 0));
		part.length = datum_length(w->f, d, type, name);
		put_datum(w, &part, depth + !is_inner(w, &child));
	}
	datum_put(w->out, "}");
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

		if (frame_read(w->f, d->place.addr + (uint64_t)off, text, n) &&
		    is_text(&bare, text, n)) {
			put_quoted(w->out, text, strnlen(text, n),
				   strnlen(text, n) < (size_t)s->count[i] && n == TEXT_MOST);
			return;
		}
	}
	datum_put(w->out, "{");
	for (int64_t x = 0; x < s->count[i] && (s->stride[i] || !x); x++) {
		if (x)
			datum_put(w->out, ", ");
		if (!w->left) {
			datum_put(w->out, "...");
			break;
		}
		put_elements(w, d, s, k + 1, off + x * s->stride[i], depth);
	}
	datum_put(w->out, s->count[i] < 0 ? "...}" : s->stride[i] ? "}" : ", ...}");
}

/* Where it begins, and its bounds. */
static void put_bounds(struct writing *w, const struct shape *s)
{
	datum_put(w->out, "0x%" PRIx64, s->addr);
	for (unsigned i = 0; i < s->n; i++) {
		datum_put(w->out, i ? "," : " (");
		if (s->count[i] >= 0)
			datum_put(w->out, "%" PRId64 ":%" PRId64, s->lower[i],
				  s->lower[i] + s->count[i] - 1);
	}
	datum_put(w->out, ")");
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

	if (d->place.kind == LOCATION_GONE) {
		put_lack(w->f, d, w->out);
		return;
	}
	if (!shape_of(w->f, type, d, &s)) {
		datum_put(w->out, "<its shape is not known>");
		return;
	}
	if (s.lacks) {
		datum_put(w->out, "%s", s.lacks);
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

static void put_datum(struct writing *w, const struct datum *d, unsigned depth)
{
	Dwarf_Die type;
	int64_t length;

	if (d->points && !d->count) {
		put_points(w, d);
		return;
	}
	if (d->base && !d->count) {
		put_own(w, d);
		return;
	}
	if (d->base && d->count) {
		if (d->base != VALUE_CHAR + 1 || d->stride != 1 || !w->f->fortran)
			put_section(w, d, depth);
		else
			put_characters(w, d, d->count);
		return;
	}
	if (d->place.kind == LOCATION_GONE || !d->typed || depth > DATUM_DEEP ||
	    !datum_peeled(&d->type, &type)) {
		datum_put(w->out,
			  d->place.kind == LOCATION_GONE ? GONE : "<its type is not known>");
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
			length = shape_characters(w->f, d, &type);
			if (length < 0)
				datum_put(w->out, GONE);
			else
				put_characters(w, d, (uint64_t)length);
			break;
		case DW_TAG_enumeration_type:
			put_enumeration(w, d, &type);
			break;
		case DW_TAG_base_type:
			put_base(w, d, &type);
			break;
		case DW_TAG_ptr_to_member_type:
			put_member_pointer(w, d, &type);
			break;
		default:
			datum_put(w->out, "<its type is not known>");
		}
	}
}

void datum_value(struct frame *f, const struct datum *d, const struct shown *how, struct buf *out)
{
	struct writing w = {
		.f = f, .how = how, .out = out, .left = how->elements, .members = how->elements
	};

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
			    : !whole_number(f, d, dwarf_bytesize(&bare), &value,
					    number_enumeration(&bare)))
			return false;
		memcpy(bytes, &value, sizeof(value));
		return true;
	}
	*type = datum_number_type(&bare);
	return *type < VALUE_TYPES && datum_read(f, d, bytes, value_size(*type));
}
