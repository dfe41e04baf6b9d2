/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into the parts of a variable: members, targets of pointers.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"

int datum_target(struct frame *f, struct datum *d, struct err *err)
{
	Dwarf_Die type, target;
	uint64_t addr = 0;

	if (!d->typed || d->count || !datum_peeled(&d->type, &type) || !datum_is_pointer(&type))
		return err_set(err, "it is no pointer");
	if (!datum_type_at(&type, &target))
		return err_set(err, "what it points to has no type: cast it, as in (double *)p");
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
