/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of types, as the language has them. */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/array/value.h"
#include "common/core/buf.h"

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
