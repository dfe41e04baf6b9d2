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

int datum_target(struct frame *f, struct datum *d, struct err *err)
{
	Dwarf_Die type, target;
	uint64_t addr = 0;

	if (!d->typed || d->count || !datum_peeled(&d->type, &type) || !datum_is_pointer(&type))
		return err_set(err, "it is no pointer");
	if (!datum_type_at(&type, &target))
		return err_set(err, "what it points to has no type");
	if (!datum_read(f, d, &addr, sizeof(addr)))
		return err_set(err, "the pointer is not known: it has been optimized out");
	if (!addr)
		return err_set(err, "the pointer is NULL");
	*d = (struct datum){ .type = target,
			     .typed = true,
			     .place = { .kind = LOCATION_MEMORY, .addr = addr } };
	return 0;
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

/* The member of that name, also of what has no name or is inherited. */
static bool find_member(struct frame *f, Dwarf_Die *type, const char *name, size_t n,
			Dwarf_Die *out, int64_t *off, unsigned depth)
{
	Dwarf_Die child, its, bare;

	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *has = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
		int64_t at = datum_member_at(f, &child);

		if (!datum_is_member(&child))
			continue;
		if (has && strlen(has) == n &&
		    !(f->fortran ? strncasecmp(has, name, n) : strncmp(has, name, n))) {
			*out = child;
			*off += at;
			return true;
		}
		if (!has && depth < DATUM_DEEP && datum_type_at(&child, &its) &&
		    datum_peeled(&its, &bare) && datum_is_structure(&bare)) {
			int64_t inner = *off + at;

			if (find_member(f, &bare, name, n, out, &inner, depth + 1)) {
				*off = inner;
				return true;
			}
		}
	}
	return false;
}

int datum_follow_member(struct frame *f, struct datum *d, const char *name, size_t n,
			struct err *err)
{
	Dwarf_Die type, member, its;
	struct datum whole;
	int64_t off = 0;

	if (to_structure(f, d, &type, err))
		return -1;
	if (!find_member(f, &type, name, n, &member, &off, 0) || !datum_type_at(&member, &its))
		return err_set(err, "it has no member '%.*s'", (int)n, name);
	whole = datum_part(d, &its, off - datum_member_at(f, &member));
	if (datum_peeled(&its, &type) && datum_bits(f, &member, &type, &whole))
		*d = whole;
	else
		*d = datum_part(d, &its, off);
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
	Dwarf_Word size = 0;
	Dwarf_Die bare;

	if (datum_target(f, d, err))
		return -1;
	if (datum_peeled(&d->type, &bare))
		dwarf_aggregate_size(&bare, &size);
	return index_one(d, 0, -1, (int64_t)(size ? size : 1), first, last, err);
}

/* All indices of "(2,3)", or one "[3]" of several. */
static int follow_indices(struct frame *f, struct datum *d, const char **text, struct err *err)
{
	bool round = **text == '(';
	unsigned given = 0, skip = d->skip;
	struct datum whole = *d;
	Dwarf_Die type;
	struct shape s;

	if (!d->typed || d->count || !datum_peeled(&d->type, &type))
		return err_set(err, "a section has no parts");
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
