/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How objects of the C++ library are shown: strings as texts, vectors as arrays, pointers that own
 * as pointers. By the members that libstdc++ has.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <string.h>

#include "common/core/err.h"

#define COUNT_MOST (UINT64_C(1) << 40) /* more elements are a vector that nobody has made yet */

static bool named(Dwarf_Die *type, const char *name)
{
	const char *has = dwarf_diename(type);

	return has && !strncmp(has, name, strlen(name));
}

/* "a.b" of it. */
static bool member(struct frame *f, const struct datum *d, const char *path, struct datum *out)
{
	struct err none = { "" };

	*out = *d;
	for (;;) {
		size_t n = strcspn(path, ".");

		if (datum_follow_member(f, out, path, n, &none))
			return false;
		if (!path[n])
			return true;
		path += n + 1;
	}
}

static bool address(struct frame *f, const struct datum *d, const char *path, uint64_t *out,
		    struct datum *at)
{
	return member(f, d, path, at) && datum_read(f, at, out, sizeof(*out));
}

static uint64_t cell_of(const struct datum *at)
{
	return at->place.kind == LOCATION_MEMORY ? at->place.addr : 0;
}

static bool text(struct frame *f, const struct datum *d, Dwarf_Die *type, struct library *out)
{
	Dwarf_Die pointer;
	struct datum at;
	uint64_t head[2];

	if (!named(type, "basic_string<char,"))
		return false;
	/* Where its type is only declared, as clang leaves it: a pointer, then the length. */
	if (!address(f, d, "_M_dataplus._M_p", &head[0], &at) ||
	    !address(f, d, "_M_string_length", &head[1], &at)) {
		if (!dwarf_hasattr(type, DW_AT_declaration) ||
		    !datum_read(f, d, head, sizeof(head)))
			return false;
	}
	*out = (struct library){ .kind = LIBRARY_TEXT, .addr = head[0], .count = head[1] };
	if (member(f, d, "_M_dataplus._M_p", &at) && datum_peeled(&at.type, &pointer) &&
	    datum_type_at(&pointer, &out->type)) {
		out->stride = 1;
		out->cell = cell_of(&at);
	}
	return head[0] && head[1] < COUNT_MOST;
}

static bool vector(struct frame *f, const struct datum *d, Dwarf_Die *type, struct library *out)
{
	uint64_t from, to, size;
	struct datum at;
	struct err none = { "" };
	Dwarf_Die pointer;

	if (!named(type, "vector<") || named(type, "vector<bool") ||
	    !address(f, d, "_M_impl._M_finish", &to, &at) ||
	    !address(f, d, "_M_impl._M_start", &from, &at))
		return false;
	*out = (struct library){ .kind = LIBRARY_ARRAY, .addr = from, .cell = cell_of(&at) };
	if (!datum_peeled(&at.type, &pointer) || !datum_type_at(&pointer, &out->type))
		return false;
	at = (struct datum){ .type = out->type, .typed = true };
	if (datum_step(f, &at, &size, &none) || to < from || (to - from) / size > COUNT_MOST)
		return false;
	out->count = (to - from) / size;
	out->stride = (int64_t)size;
	return true;
}

static bool valarray(struct frame *f, const struct datum *d, Dwarf_Die *type, struct library *out)
{
	struct datum at, one;
	uint64_t count;
	Dwarf_Die pointer;

	*out = (struct library){ .kind = LIBRARY_ARRAY };
	if (!named(type, "valarray<") || !address(f, d, "_M_size", &count, &at) ||
	    !address(f, d, "_M_data", &out->addr, &at) || count > COUNT_MOST ||
	    !datum_peeled(&at.type, &pointer) || !datum_type_at(&pointer, &out->type))
		return false;
	out->cell = cell_of(&at);
	one = (struct datum){ .type = out->type, .typed = true };
	out->count = count;
	return !datum_step(f, &one, (uint64_t *)&out->stride, &(struct err){ "" });
}

static bool bits(struct frame *f, const struct datum *d, Dwarf_Die *type, struct library *out)
{
	uint64_t from, to;
	uint32_t rest = 0;
	struct datum at;

	if (!named(type, "vector<bool") || !address(f, d, "_M_impl._M_start._M_p", &from, &at) ||
	    !address(f, d, "_M_impl._M_finish._M_p", &to, &at) ||
	    !member(f, d, "_M_impl._M_finish._M_offset", &at) ||
	    !datum_read(f, &at, &rest, sizeof(rest)))
		return false;
	*out = (struct library){ .kind = LIBRARY_BITS,
				 .addr = from,
				 .count = 8 * (to - from) + rest };
	return to >= from && out->count < COUNT_MOST;
}

/* The first pointer in it: the one that it owns, its way to delete that has none. */
static bool first_pointer(struct frame *f, const struct datum *d, struct datum *out, unsigned depth)
{
	Dwarf_Die type, child, its;
	bool more = depth && datum_peeled(&d->type, &type) && datum_is_structure(&type) &&
		    !dwarf_child(&type, &child);

	if (d->typed && datum_peeled(&d->type, &type) && datum_is_pointer(&type)) {
		*out = *d;
		return true;
	}
	for (; more; more = !dwarf_siblingof(&child, &child)) {
		struct datum part;

		if (!datum_is_member(&child) || !datum_type_at(&child, &its))
			continue;
		part = datum_part(d, &its, datum_member_at(f, &child));
		if (first_pointer(f, &part, out, depth - 1))
			return true;
	}
	return false;
}

/* A member that is all that there is to it. */
static bool wrapped(struct frame *f, const struct datum *d, Dwarf_Die *type, struct library *out)
{
	static const struct {
		const char *type, *path;
	} known[] = {
		{ "array<", "_M_elems" },
		{ "complex<", "_M_value" },
		{ "shared_ptr<", "_M_ptr" },
	};

	*out = (struct library){ .kind = LIBRARY_INNER };
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (named(type, known[i].type) && member(f, d, known[i].path, &out->inner))
			return true;
	return named(type, "unique_ptr<") && first_pointer(f, d, &out->inner, 8);
}

bool library_of(struct frame *f, const struct datum *d, struct library *out)
{
	Dwarf_Die type;

	if (!d->typed || d->count || f->fortran || !datum_peeled(&d->type, &type) ||
	    !datum_is_structure(&type))
		return false;
	return text(f, d, &type, out) || vector(f, d, &type, out) || valarray(f, d, &type, out) ||
	       bits(f, d, &type, out) || wrapped(f, d, &type, out);
}
