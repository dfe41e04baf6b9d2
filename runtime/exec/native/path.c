/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into the parts of a variable: members, targets of pointers.
 */
#include "runtime/exec/native/internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"

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
		return err_set(err, "what it points to has no type: cast it, as in (double *)p");
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
			     .place = { .kind = LOCATION_MEMORY, .addr = addr },
			     .length = d->length };
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

int64_t datum_member_of(struct frame *f, Dwarf_Die *member, const struct datum *d, int64_t off)
{
	uint64_t object = d->place.addr + (uint64_t)off, at;

	if (dwarf_hasattr(member, DW_AT_virtuality) && d->place.kind == LOCATION_MEMORY &&
	    location_base(f, member, object, &at))
		return (int64_t)(at - object);
	return datum_member_at(f, member);
}

/* The member of that name in what is so many bytes behind d, then of what has no name or is
 * inherited. */
static bool find_member(struct frame *f, const struct datum *d, Dwarf_Die *type, const char *name,
			size_t n, Dwarf_Die *out, int64_t *off, unsigned depth)
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
		int64_t at = datum_is_member(&child) ? datum_member_of(f, &child, d, *off) : 0;
		int64_t inner = *off + at;

		if (datum_is_member(&child) && datum_type_at(&child, &its) &&
		    datum_peeled(&its, &bare) && datum_is_structure(&bare) &&
		    (!has || (!at && is_parent(f, has, &bare))) &&
		    find_member(f, d, &bare, name, n, out, &inner, depth + 1)) {
			*off = inner;
			return true;
		}
	}
	return false;
}

static bool has_function(Dwarf_Die *type, const char *name, size_t n, unsigned depth)
{
	Dwarf_Die child, base;

	for (bool more = depth < DATUM_DEEP && !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *has = dwarf_diename(&child);
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_subprogram && has && strlen(has) == n &&
		     !strncmp(has, name, n)) ||
		    (tag == DW_TAG_inheritance && datum_type_at(&child, &base) &&
		     datum_peeled(&base, &base) && has_function(&base, name, n, depth + 1)))
			return true;
	}
	return false;
}

static int no_member(Dwarf_Die *type, const char *name, size_t n, struct err *err)
{
	char list[200] = "";
	size_t used = 0;
	Dwarf_Die child;

	if (has_function(type, name, n, 0))
		return err_set(
			err,
			"'%.*s' is a function: type %.*s(&x, ...) to call it of an object x",
			(int)n, name, (int)n, name);
	for (bool more = !dwarf_child(type, &child); more && used < sizeof(list);
	     more = !dwarf_siblingof(&child, &child)) {
		const char *has = dwarf_diename(&child);

		if (datum_is_member(&child) && dwarf_tag(&child) == DW_TAG_member && has)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s %s",
						 used ? "," : "; its members:", has);
	}
	return err_set(err, "it has no member '%.*s'%s%s", (int)n, name, list,
		       used < sizeof(list) ? "" : ", ...");
}

/* ---- Fortran's polymorphic objects: descriptors with the address of the data, and a table ---- */

static bool is_class(struct frame *f, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return f->fortran && name && !strncmp(name, "__class_", 8);
}

/* Whether it is the type, or begins with what it has of that one. */
static bool is_extension(struct frame *f, Dwarf_Die type, Dwarf_Die *of)
{
	const char *name = dwarf_diename(of);
	Dwarf_Die first, its;

	for (unsigned i = 0; name && i < DATUM_DEEP; i++) {
		if (is_parent(f, name, &type))
			return true;
		if (dwarf_child(&type, &first) || !datum_type_at(&first, &its) ||
		    !datum_peeled(&its, &type) || !datum_is_structure(&type))
			break;
	}
	return false;
}

/* The name of the type in that of its table, "__shapes_MOD___vtab_shapes_Circle_t"; NULL: it is no
 * table. */
static const char *type_in(const char *symbol)
{
	const char *name = symbol ? strstr(symbol, "__vtab_") : NULL;

	while (name && *name && !isupper((unsigned char)*name))
		name++;
	return name && *name ? name : NULL;
}

/* The type that the table is of. */
static bool type_of_table(struct frame *f, uint64_t table, Dwarf_Die *out)
{
	Dwfl_Module *mod = dwfl_addrmodule(f->dwfl, table);
	GElf_Off off = 0;
	GElf_Sym sym;
	const char *name =
		mod ? dwfl_module_addrinfo(mod, table, &off, &sym, NULL, NULL, NULL) : NULL;
	struct type_named found;

	name = off ? NULL : type_in(name);
	if (!name || types_find(f, name, &found, &(struct err){ "" }) || !found.has)
		return false;
	return datum_peeled(&found.die, out);
}

bool datum_object(struct frame *f, struct datum *d)
{
	struct datum object = *d, table = *d;
	struct err none = { "" };
	Dwarf_Die type, declared;
	uint64_t addr = 0;

	if (!d->typed || d->count || !datum_peeled(&d->type, &type) || !is_class(f, &type) ||
	    datum_follow_member(f, &object, "_data", 5, &none) ||
	    !datum_peeled(&object.type, &type) || !datum_is_pointer(&type) ||
	    datum_target(f, &object, &none) || !datum_peeled(&object.type, &declared))
		return false;
	if (!datum_follow_member(f, &table, "_vptr", 5, &none) &&
	    datum_read(f, &table, &addr, sizeof(addr)) && type_of_table(f, addr, &type) &&
	    is_extension(f, type, &declared))
		object.type = type;
	*d = object;
	return datum_is_structure(&declared);
}

/* The table of a type, whatever module it is of. */
static bool table_of_type(struct frame *f, Dwarf_Die *type, uint64_t *out)
{
	const char *its = dwarf_diename(type), *name;
	int n = dwfl_module_getsymtab(f->mod);
	GElf_Addr addr;
	GElf_Sym sym;

	for (int i = 1; its && i < n; i++) {
		name = type_in(dwfl_module_getsym_info(f->mod, i, &sym, &addr, NULL, NULL, NULL));
		if (name && !strcasecmp(name, its) && sym.st_shndx != SHN_UNDEF) {
			*out = addr;
			return true;
		}
	}
	return false;
}

/* Where the table of that address has the binding of that name. */
static bool binding_in(struct frame *f, uint64_t table, const char *name, uint64_t *entry)
{
	Dwfl_Module *mod = dwfl_addrmodule(f->dwfl, table);
	GElf_Off off = 0;
	GElf_Sym sym;
	const char *symbol =
		mod ? dwfl_module_addrinfo(mod, table, &off, &sym, NULL, NULL, NULL) : NULL;
	const char *vtab = symbol && !off ? strstr(symbol, "__vtab_") : NULL;
	struct type_named found;
	Dwarf_Die type, child;
	char wanted[200];

	if (!vtab)
		return false;
	snprintf(wanted, sizeof(wanted), "__vtype_%s", vtab + 7);
	if (types_find(f, wanted, &found, &(struct err){ "" }) || !found.has ||
	    !datum_peeled(&found.die, &type))
		return false;
	for (bool more = !dwarf_child(&type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		const char *has = dwarf_diename(&child);

		if (has && *has != '_' && !strcasecmp(has, name))
			return frame_read(f, table + (uint64_t)datum_member_at(f, &child), entry,
					  sizeof(*entry)) &&
			       *entry;
	}
	return false;
}

/* Of the function that begins there. */
static bool function_at(struct frame *f, uint64_t entry, struct function *out)
{
	struct frame at = { .capture = f->capture,
			    .native = f->native,
			    .dwfl = f->dwfl,
			    .mod = dwfl_addrmodule(f->dwfl, entry),
			    .pc = entry };
	bool is = at.mod && !frame_open(&at, &(struct err){ "" }) && at.has_function;

	if (is)
		*out = (struct function){ .die = at.function,
					  .declared = at.function,
					  .mod = at.mod,
					  .entry = entry,
					  .code = entry - at.bias,
					  .fortran = true };
	frame_close(&at);
	return is;
}

bool datum_binding(struct frame *f, const struct datum *d, const char *name, size_t given,
		   struct function *out, bool *passed)
{
	struct datum part = *d;
	struct err none = { "" };
	uint64_t table, entry;
	Dwarf_Die type, child, its;
	size_t takes = 0;

	if (!f->fortran || !d->typed || !datum_peeled(&d->type, &type))
		return false;
	if (datum_is_pointer(&type) &&
	    (datum_target(f, &part, &none) || !datum_peeled(&part.type, &type)))
		return false;
	if (!datum_is_structure(&type) ||
	    (is_class(f, &type) ? datum_follow_member(f, &part, "_vptr", 5, &none) ||
					  !datum_read(f, &part, &table, sizeof(table))
				: !table_of_type(f, &type, &table)))
		return false;
	if (!binding_in(f, table, name, &entry) || !function_at(f, entry, out))
		return false;
	*passed = false;
	for (bool more = !dwarf_child(&out->declared, &child); convention_parameter(&child, &more);
	     more = !dwarf_siblingof(&child, &child)) {
		if (convention_is_hidden(&child) || takes++ || !datum_type_at(&child, &its) ||
		    !datum_peeled(&its, &type))
			continue;
		if (datum_is_pointer(&type) && datum_type_at(&type, &its))
			datum_peeled(&its, &type);
		*passed = is_class(f, &type);
	}
	*passed &= takes > given;
	return true;
}

int datum_table(struct frame *f, Dwarf_Die *dummy, Dwarf_Die *given, uint64_t *table,
		struct err *err)
{
	struct datum data = { .type = *dummy, .typed = true, .place.kind = LOCATION_MEMORY };
	struct err none = { "" };
	Dwarf_Die declared;

	if (!is_class(f, dummy) || is_class(f, given))
		return 0;
	if (datum_follow_member(f, &data, "_data", 5, &none) ||
	    !datum_peeled(&data.type, &declared) || !datum_is_pointer(&declared) ||
	    !datum_type_at(&declared, &declared) || !datum_peeled(&declared, &declared) ||
	    !datum_is_structure(&declared))
		return err_set(err, "the argument is of a class that cannot be given");
	if (!datum_is_structure(given) || !is_extension(f, *given, &declared))
		return err_set(err, "the argument is of class %s", dwarf_diename(&declared));
	if (!table_of_type(f, given, table))
		return err_set(err, "the table of type %s is not known", dwarf_diename(given));
	return 1;
}

/* As datum_length, of a member that may be of a type which that one extends. */
static uint64_t length_of(struct frame *f, const struct datum *d, Dwarf_Die *type, const char *name,
			  size_t n)
{
	char its[80];
	int64_t off = 0;
	uint64_t length = 0;
	Dwarf_Die member, bare;
	int len = snprintf(its, sizeof(its), "_%.*s_length", (int)n, name);
	struct datum part;

	if (!f->fortran || len >= (int)sizeof(its) ||
	    !find_member(f, d, type, its, (size_t)len, &member, &off, 0) ||
	    !datum_type_at(&member, &bare))
		return 0;
	part = datum_part(d, &bare, off);
	return datum_read(f, &part, &length, sizeof(length)) ? length : 0;
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
	if (*name != '_' && datum_object(f, d))
		datum_peeled(&d->type, &type);
	else if (is_class(f, &type) && *name != '_' &&
		 (datum_follow_member(f, d, "_data", 5, err) || to_structure(f, d, &type, err)))
		return -1;
	if (!find_member(f, d, &type, name, n, &member, &off, 0))
		return names_static(f, &type, name, n, d) ? 0 : no_member(&type, name, n, err);
	if (!datum_type_at(&member, &its))
		return no_member(&type, name, n, err);
	whole = datum_part(d, &its, off - datum_member_at(f, &member));
	if (datum_peeled(&its, &bare) && datum_bits(f, &member, &bare, &whole)) {
		*d = whole;
	} else {
		length = length_of(f, d, &type, name, n);
		*d = datum_part(d, &its, off);
		d->length = length;
	}
	return 0;
}
