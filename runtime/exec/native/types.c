/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types by their names, as casts and sizes have them, and the names of types.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/debuginfo/debuginfo.h"

#define SCOPES_MOST 16 /* in one another */

/* The words of a type, as it was written. */
struct words {
	unsigned longs, shorts, chars, ints, floats, doubles, bools, complexes, voids;
	bool is_unsigned, is_signed;
	int tag;	  /* DW_TAG_structure_type … of "struct x"; 0: any */
	const char *name; /* of the last word that is none of C's own; n: 0 there is none */
	size_t n;
	const char *scope; /* before it: "a::b" */
	size_t nscope;
	unsigned stars;
};

static bool take_own(struct words *w, const char *s, size_t n)
{
	struct {
		const char *word;
		unsigned *count;
	} const own[] = { { "long", &w->longs },	{ "short", &w->shorts },
			  { "char", &w->chars },	{ "int", &w->ints },
			  { "float", &w->floats },	{ "double", &w->doubles },
			  { "bool", &w->bools },	{ "_Bool", &w->bools },
			  { "complex", &w->complexes }, { "_Complex", &w->complexes },
			  { "void", &w->voids } };

	if (n == 8 && !strncmp(s, "unsigned", n))
		return w->is_unsigned = true;
	if (n == 6 && !strncmp(s, "signed", n))
		return w->is_signed = true;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strlen(own[i].word) == n && !strncmp(s, own[i].word, n))
			return ++*own[i].count;
	return false;
}

static void take_name(struct words *w, const char *s, size_t n)
{
	size_t i = names_last(s, n);

	w->name = s + i;
	w->n = n - i;
	w->scope = s;
	w->nscope = i ? i - 2 : 0;
}

/* Up to a blank or a star, but for those in "<int, 3>". */
static size_t word_length(const char *s)
{
	size_t n = strcspn(s, " *<");

	while (s[n] == '<') {
		for (unsigned depth = 1; depth && s[n]; n++)
			depth += (s[n + 1] == '<') - (s[n + 1] == '>');
		n += s[n] == '>';
		n += strcspn(s + n, " *<");
	}
	return n;
}

static void take_words(const char *text, struct words *w)
{
	static const struct {
		const char *word;
		int tag;
	} tags[] = { { "struct", DW_TAG_structure_type },
		     { "class", DW_TAG_structure_type },
		     { "union", DW_TAG_union_type },
		     { "enum", DW_TAG_enumeration_type },
		     { "const", 0 },
		     { "volatile", 0 },
		     { "restrict", 0 } };
	size_t n;

	*w = (struct words){ .tag = 0 };
	for (const char *s = text; *s; s += n) {
		bool known = false;

		n = word_length(s);
		if (!n) {
			w->stars += *s == '*';
			n = 1;
			continue;
		}
		for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]) && !known; i++) {
			known = strlen(tags[i].word) == n && !strncmp(s, tags[i].word, n);
			if (known && tags[i].tag)
				w->tag = tags[i].tag;
		}
		if (!known && !take_own(w, s, n))
			take_name(w, s, n);
	}
}

/* enum value_type of C's own words; VALUE_TYPES: there is none. */
static unsigned own_type(const struct words *w)
{
	if (w->voids)
		return VALUE_TYPES;
	if (w->floats)
		return w->complexes ? VALUE_FCOMPLEX : VALUE_FLOAT;
	if (w->doubles)
		return w->longs ? VALUE_TYPES : w->complexes ? VALUE_DCOMPLEX : VALUE_DOUBLE;
	if (w->bools)
		return VALUE_BOOL;
	if (w->chars)
		return w->is_unsigned ? VALUE_UCHAR : w->is_signed ? VALUE_SCHAR : VALUE_CHAR;
	if (w->shorts)
		return w->is_unsigned ? VALUE_USHORT : VALUE_SHORT;
	if (w->longs)
		return w->is_unsigned ? VALUE_ULONG : VALUE_LONG;
	return w->is_unsigned ? VALUE_UINT : VALUE_INT;
}

/* ---- looking for it ---- */

struct search {
	const struct frame *f;
	const struct words *w;
	unsigned own; /* enum value_type; VALUE_TYPES: it has a name */
	bool fortran, found;
	Dwarf_Die *out;
};

static bool is_it(const struct search *s, Dwarf_Die *die, const char *scope)
{
	const struct words *w = s->w;
	int tag = dwarf_tag(die);
	const char *last;

	if (tag == DW_TAG_base_type && s->own < VALUE_TYPES)
		return datum_number_type(die) == s->own;
	if (s->own < VALUE_TYPES || dwarf_hasattr(die, DW_AT_declaration))
		return false;
	if (tag == DW_TAG_class_type)
		tag = DW_TAG_structure_type;
	if (w->tag ? tag != w->tag
		   : tag != DW_TAG_typedef && tag != DW_TAG_structure_type &&
			     tag != DW_TAG_union_type && tag != DW_TAG_enumeration_type &&
			     tag != DW_TAG_base_type)
		return false;
	if (!names_equal(dwarf_diename(die), w->name, w->n, s->fortran))
		return false;
	if (!w->nscope)
		return true;
	last = w->scope + names_last(w->scope, w->nscope);
	return names_equal(scope, last, (size_t)(w->scope + w->nscope - last), s->fortran);
}

/* deep: types that are declared in functions as well. */
static void walk(struct search *s, Dwarf_Die *parent, bool deep, unsigned depth)
{
	Dwarf_Die child;

	for (bool more = !dwarf_child(parent, &child); more && !s->found;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (is_it(s, &child, dwarf_diename(parent))) {
			*s->out = child;
			s->found = true;
		} else if (depth < SCOPES_MOST &&
			   (tag == DW_TAG_namespace || tag == DW_TAG_module ||
			    tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
			    (deep && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)))) {
			walk(s, &child, deep, depth + 1);
		}
	}
}

static int each_module(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, void *arg)
{
	struct search *s = arg;
	Dwarf_Addr bias;

	if (native_is_library(s->f->native, native_module_path(mod)))
		return DWARF_CB_OK;
	for (Dwarf_Die *cu = NULL; !s->found && (cu = dwfl_module_nextcu(mod, cu, &bias));) {
		s->fortran = debuginfo_fortran(cu);
		walk(s, cu, false, 0);
	}
	return s->found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* In the unit of the call first, in its functions too. */
static bool find(struct frame *f, const struct words *w, unsigned own, Dwarf_Die *out)
{
	struct search s = { .f = f, .w = w, .own = own, .fortran = f->fortran, .out = out };

	for (int i = 0; i < f->nscope && !s.found; i++)
		walk(&s, &f->scope[i], true, 0);
	if (!s.found)
		walk(&s, &f->cu, true, 0);
	if (!s.found)
		dwfl_getmodules(f->dwfl, each_module, &s, 0);
	return s.found;
}

int types_find(struct frame *f, const char *text, struct type_named *out, struct err *err)
{
	struct words w;
	unsigned own;

	take_words(text, &w);
	*out = (struct type_named){ .stars = w.stars };
	own = w.n ? VALUE_TYPES : own_type(&w);
	if (w.voids)
		return 0;
	if (!w.n && own == VALUE_TYPES)
		return err_set(err, "numbers of type '%s' cannot be computed with", text);
	out->has = find(f, &w, own, &out->die);
	if (!out->has && own < VALUE_TYPES)
		out->base = own + 1;
	if (!out->has && !out->base)
		return err_set_code(err, ERR_NAME, "there is no type '%s' in the program", text);
	return 0;
}

bool types_pointer(Dwarf_Die *to, Dwarf_Die *out)
{
	Dwarf_Die cu, child, type;

	if (!dwarf_diecu(to, &cu, NULL, NULL))
		return false;
	for (bool more = !dwarf_child(&cu, &child); more; more = !dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_pointer_type || !datum_type_at(&child, &type) ||
		    dwarf_dieoffset(&type) != dwarf_dieoffset(to))
			continue;
		*out = child;
		return true;
	}
	return false;
}

int types_target(struct type_named *type, struct datum *to, struct err *err)
{
	Dwarf_Die pointer;

	*to = (struct datum){ .type = type->die, .typed = type->has, .base = type->base };
	for (unsigned i = 1; i < type->stars; i++) {
		if (!to->typed || !types_pointer(&to->type, &pointer))
			return err_set(err, "the program has no type of pointers to such pointers");
		to->type = pointer;
	}
	return 0;
}

/* ---- the names of types ---- */

void datum_put(struct buf *b, const char *fmt, ...)
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

static void put_type(struct frame *f, const Dwarf_Die *of, const struct datum *d, struct buf *out,
		     unsigned depth);

static void put_dims(struct frame *f, Dwarf_Die *type, const struct datum *d, struct buf *out)
{
	bool round = f->fortran;
	struct shape s;

	if (!d || !shape_of(f, type, d, &s) || s.lacks) {
		datum_put(out, round ? " (:)" : " []");
		return;
	}
	for (unsigned i = d->skip; i < s.n; i++) {
		datum_put(out, round ? i ? "," : " (" : i == d->skip ? " [" : "[");
		if (s.count[i] >= 0 && s.lower[i] != f->fortran)
			datum_put(out, "%" PRId64 ":%" PRId64, s.lower[i],
				  s.lower[i] + s.count[i] - 1);
		else if (s.count[i] >= 0)
			datum_put(out, "%" PRId64, s.count[i]);
		if (!round)
			datum_put(out, "]");
	}
	if (round)
		datum_put(out, ")");
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
			datum_put(out, "void");
		if (f->fortran)
			datum_put(out, ", pointer");
		else
			datum_put(out, tag == DW_TAG_pointer_type ? " *" : " &");
	} else if (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
		   tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type) {
		if (tag == DW_TAG_const_type && !f->fortran)
			datum_put(out, "const ");
		if (has)
			put_type(f, &inner, d, out, depth + 1);
		else
			datum_put(out, "void");
	} else if (tag == DW_TAG_subroutine_type) {
		datum_put(out, "function");
	} else if (tag == DW_TAG_string_type) {
		datum_put(out, "character");
	} else {
		datum_put(out, "%s%s",
			  tag == DW_TAG_structure_type	   ? f->fortran ? "type " : "struct "
			  : tag == DW_TAG_union_type	   ? "union "
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
		datum_put(out, "%s",
			  d->base     ? value_type_name(d->base - 1)
			  : d->points ? "void"
				      : "");
	if (d->points)
		datum_put(out, " *");
}
