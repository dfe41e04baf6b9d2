/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into the parts of a variable: members, indices, targets of pointers.
 */
#include "runtime/exec/native/internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/core/parse.h"

/* Of a pointer that the compiler has done without: it knows the variable. */
static void implied_target(struct frame *f, struct datum *d, const Dwarf_Die *type)
{
	Dwarf_Die to = d->place.to;
	int64_t off = d->place.off;
	struct datum whole = { .typed = true };

	location_of(f, &to, &whole.place);
	*d = datum_part(&whole, type, off);
}

int datum_step(struct frame *f, const struct datum *d, uint64_t *size, struct err *err)
{
	Dwarf_Die type;

	*size = datum_size(f, d);
	if (*size)
		return 0;
	if (d->typed && datum_peeled(&d->type, &type) &&
	    (dwarf_tag(&type) == DW_TAG_array_type || datum_is_structure(&type)))
		return err_set(err, "how large an element is is not known: the compiler has left "
				    "it out");
	*size = 1;
	return 0;
}

int datum_target(struct frame *f, struct datum *d, struct err *err)
{
	Dwarf_Die type, target;
	struct library known;
	uint64_t addr = 0;

	if (library_of(f, d, &known) && known.kind == LIBRARY_INNER)
		*d = known.inner;
	if (!d->typed || d->count || !datum_peeled(&d->type, &type) || !datum_is_pointer(&type))
		return err_set(err, "it is no pointer");
	if (!datum_type_at(&type, &target))
		return err_set(err, "what it points to has no type");
	if (d->place.kind == LOCATION_POINTER) {
		implied_target(f, d, &target);
		return 0;
	}
	if (!datum_read(f, d, &addr, sizeof(addr)))
		return err_set(err, "the pointer is not known: it has been optimized out");
	if (!addr)
		return err_set(err, "the pointer is NULL");
	*d = (struct datum){ .type = target,
			     .typed = true,
			     .place = { .kind = LOCATION_MEMORY, .addr = addr } };
	return 0;
}

/* Fortran's polymorphic object, which is a descriptor with the address of the data. */
static bool is_class(struct frame *f, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return f->fortran && name && !strncmp(name, "__class_", 8);
}

/* Pointers to structures are followed, and references. */
static int to_structure(struct frame *f, struct datum *d, Dwarf_Die *type, struct err *err)
{
	for (unsigned i = 0; i < DATUM_DEEP; i++) {
		if (!d->typed || d->count || !datum_peeled(&d->type, type))
			break;
		if (datum_is_structure(type))
			return 0;
		if (!datum_is_pointer(type))
			break;
		if (datum_target(f, d, err))
			return -1;
	}
	return err_set(err, "it is no structure");
}

/* The member that holds what a Fortran type has of the one that it extends. */
static bool is_parent(struct frame *f, const char *member, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return f->fortran && name && !strcasecmp(member, name);
}

static bool is_named(struct frame *f, Dwarf_Die *member, const char *name, size_t n)
{
	const char *has = dwarf_tag(member) == DW_TAG_member ? dwarf_diename(member) : NULL;

	return has && strlen(has) == n &&
	       !(f->fortran ? strncasecmp(has, name, n) : strncmp(has, name, n));
}

/* The member of that name, then of what has no name or is inherited. */
static bool find_member(struct frame *f, Dwarf_Die *type, const char *name, size_t n,
			Dwarf_Die *out, int64_t *off, unsigned depth)
{
	Dwarf_Die child, its, bare;

	for (bool more = !dwarf_child(type, &child); more; more = !dwarf_siblingof(&child, &child))
		if (datum_is_member(&child) && is_named(f, &child, name, n)) {
			*out = child;
			*off += datum_member_at(f, &child);
			return true;
		}
	for (bool more = depth < DATUM_DEEP && !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *has = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
		int64_t at = datum_is_member(&child) ? datum_member_at(f, &child) : 0;
		int64_t inner = *off + at;

		if (datum_is_member(&child) && datum_type_at(&child, &its) &&
		    datum_peeled(&its, &bare) && datum_is_structure(&bare) &&
		    (!has || (!at && is_parent(f, has, &bare))) &&
		    find_member(f, &bare, name, n, out, &inner, depth + 1)) {
			*off = inner;
			return true;
		}
	}
	return false;
}

int datum_follow_member(struct frame *f, struct datum *d, const char *name, size_t n,
			struct err *err)
{
	Dwarf_Die type, member, its, bare;
	struct datum whole;
	uint64_t length;
	int64_t off = 0;

	if (to_structure(f, d, &type, err))
		return -1;
	if (is_class(f, &type) && *name != '_' &&
	    (datum_follow_member(f, d, "_data", 5, err) || to_structure(f, d, &type, err)))
		return -1;
	if (!find_member(f, &type, name, n, &member, &off, 0) || !datum_type_at(&member, &its))
		return err_set(err, "it has no member '%.*s'", (int)n, name);
	whole = datum_part(d, &its, off - datum_member_at(f, &member));
	if (datum_peeled(&its, &bare) && datum_bits(f, &member, &bare, &whole)) {
		*d = whole;
	} else {
		length = datum_length(f, d, &type, dwarf_diename(&member));
		*d = datum_part(d, &its, off);
		d->length = length;
	}
	return 0;
}

/* An index, or "2:5"; *text behind it. */
static int take_index(const char **text, int64_t *first, int64_t *last, struct err *err)
{
	const char *p = *text + strspn(*text, " ");

	if (parse_int_at(&p, first))
		return err_set(err, "a number is needed at '%s'", *text);
	*last = *first;
	p += strspn(p, " ");
	if (*p == ':') {
		p++;
		p += strspn(p, " ");
		if (parse_int_at(&p, last) || *last < *first)
			return err_set(err, "a section is first:last, as in [2:5]");
		p += strspn(p, " ");
	}
	*text = p;
	return 0;
}

/* Goes on in one dimension; the last one may be a section. */
static int index_one(struct datum *d, int64_t lower, int64_t count, int64_t stride, int64_t first,
		     int64_t last, struct err *err)
{
	if (d->count && last > first)
		return err_set(err, "only one index can be a section");
	if (!stride && first != lower)
		return err_set(err, "the shape is not known: it has been optimized out");
	if (count >= 0 && (first < lower || last >= lower + count))
		return err_set(err, "index %" PRId64 " is outside of %" PRId64 ":%" PRId64,
			       first < lower ? first : last, lower, lower + count - 1);
	if (d->place.kind == LOCATION_MEMORY)
		d->place.addr += (uint64_t)((first - lower) * stride);
	else
		d->off += (uint64_t)((first - lower) * stride);
	if (last > first) {
		d->count = (uint64_t)(last - first) + 1;
		d->stride = stride;
	}
	return 0;
}

static int index_pointer(struct frame *f, struct datum *d, int64_t first, int64_t last,
			 struct err *err)
{
	uint64_t size;

	if (datum_target(f, d, err) || datum_step(f, d, &size, err))
		return -1;
	return index_one(d, 0, -1, (int64_t)size, first, last, err);
}

static int follow_indices(struct frame *f, struct datum *d, const char **text, struct err *err);

/* "[3]" of a vector, or of what a pointer that owns leads to. */
static int index_library(struct frame *f, struct datum *d, const struct library *known,
			 const char **text, struct err *err)
{
	int64_t first, last;

	if (known->kind == LIBRARY_INNER) {
		*d = known->inner;
		return follow_indices(f, d, text, err);
	}
	++*text;
	if (take_index(text, &first, &last, err))
		return -1;
	if (**text != ']')
		return err_set(err, "']' is missing at '%s'", *text);
	++*text;
	*d = (struct datum){ .type = known->type,
			     .typed = known->kind == LIBRARY_ARRAY,
			     .place = { .kind = LOCATION_MEMORY, .addr = known->addr } };
	if (!d->typed)
		return err_set(err, "its elements are shown as a whole");
	return index_one(d, 0, (int64_t)known->count, known->stride, first, last, err);
}

/* All indices of "(2,3)", or one "[3]" of several. */
static int follow_indices(struct frame *f, struct datum *d, const char **text, struct err *err)
{
	bool round = **text == '(';
	unsigned given = 0, skip;
	struct datum whole;
	struct library known;
	Dwarf_Die type;
	struct shape s;

	while (d->typed && !d->count && datum_peeled(&d->type, &type) && datum_is_pointer(&type) &&
	       dwarf_tag(&type) != DW_TAG_pointer_type && !f->fortran)
		if (datum_target(f, d, err))
			return -1;
	if (library_of(f, d, &known))
		return index_library(f, d, &known, text, err);
	if (!d->typed || d->count || !datum_peeled(&d->type, &type))
		return err_set(err, "a section has no parts");
	skip = d->skip;
	whole = *d;
	for (bool more = true; more; given++) {
		int64_t first, last;
		unsigned i;

		++*text;
		if (take_index(text, &first, &last, err))
			return -1;
		more = round && **text == ',';
		if (!more && **text != (round ? ')' : ']'))
			return err_set(err, "'%c' is missing at '%s'", round ? ')' : ']', *text);
		if (datum_is_pointer(&type) && !more && !given) {
			++*text;
			return index_pointer(f, d, first, last, err);
		}
		if (dwarf_tag(&type) != DW_TAG_array_type || !shape_of(f, &type, &whole, &s))
			return err_set(err, "it is no array");
		if (s.lacks)
			return err_set(err, "the array is %s", s.lacks);
		if (!skip && !given)
			d->place.addr = s.addr;
		i = skip + given;
		if (i >= s.n)
			return err_set(err, "it has %u dimension%s", s.n, s.n == 1 ? "" : "s");
		if (index_one(d, s.lower[i], s.count[i], s.stride[i], first, last, err))
			return -1;
	}
	++*text;
	if (round && given != s.n)
		return err_set(err, "%u indices are needed", s.n);
	d->skip = skip + given;
	if (d->skip == s.n) {
		d->type = s.element;
		d->skip = 0;
	}
	return 0;
}

int datum_follow(struct frame *f, struct datum *d, const char *path, struct err *err)
{
	const char *p = path;
	struct library known;

	while (*p) {
		size_t skip = *p == '-' && p[1] == '>' ? 2 : *p == '.' || *p == '%' ? 1 : 0, n;

		if (*p == ' ') {
			p++;
		} else if (skip) {
			p += skip;
			p += strspn(p, " ");
			for (n = 0; isalnum((unsigned char)p[n]) || p[n] == '_'; n++)
				;
			if (!n)
				return err_set(err, "a name is missing at '%s'", path);
			if (*p != '_' && library_of(f, d, &known) && known.kind == LIBRARY_INNER)
				*d = known.inner;
			if (datum_follow_member(f, d, p, n, err))
				return -1;
			p += n;
		} else if (*p == '[' || *p == '(') {
			if (follow_indices(f, d, &p, err))
				return -1;
		} else {
			return err_set(err, "'%s' is no part of it", p);
		}
	}
	return 0;
}
