/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations by their names, as the scopes of the code have them. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "frontend/symbols/internal.h"

/* What gfortran calls the result of a function, which the source calls as the function. */
#define RESULT "__result_"

static bool is_named(const struct named *w, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	if (w->fortran && name && !strncmp(name, RESULT, strlen(RESULT)))
		name += strlen(RESULT);
	return name && strlen(name) == w->n &&
	       (!w->other || dwarf_dieoffset((Dwarf_Die *)w->other) != dwarf_dieoffset(die)) &&
	       !(w->fortran ? strncasecmp(name, w->name, w->n) : strncmp(name, w->name, w->n));
}

/* What is left to be found in the scope; false: it is not there. */
static bool into(const struct named *w, Dwarf_Die *scope, struct named *left)
{
	const char *name = dwarf_diename(scope);
	size_t n = name ? strlen(name) : 0;

	*left = *w;
	if (!w->nwithin)
		return true;
	if (n + 2 > w->nwithin || strncmp(w->within, name, n) || strncmp(w->within + n, "::", 2))
		return dwarf_tag(scope) != DW_TAG_namespace || !name;
	left->within += n + 2;
	left->nwithin -= n + 2;
	return true;
}

/* It is declared within them: the declaration is elsewhere, in its namespace or class. */
static bool is_within(const struct named *w, Dwarf_Die *die)
{
	Dwarf_Die declaration, *around = NULL;
	Dwarf_Attribute at;
	size_t left = w->nwithin;
	int n;

	if (!left || !dwarf_attr(die, DW_AT_specification, &at) ||
	    !dwarf_formref_die(&at, &declaration))
		return !left;
	n = dwarf_getscopes_die(&declaration, &around);
	/* the innermost comes first */
	for (int i = 1; i < n && left; i++) {
		const char *name = dwarf_diename(&around[i]);
		size_t len = name ? strlen(name) + 2 : 0;

		if (dwarf_tag(&around[i]) == DW_TAG_compile_unit || len > left ||
		    (len && strncmp(w->within + left - len, name, len - 2)))
			break;
		left -= len;
	}
	free(around);
	return !left;
}

/* A variable, or an enumerator, of that name. */
static bool find_in(Dwarf_Die *scope, const struct named *w, Dwarf_Die *out)
{
	struct named left;
	Dwarf_Die child;

	for (bool more = !dwarf_child(scope, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		bool is = is_named(w, &child) && is_within(w, &child);

		if (is && (tag == DW_TAG_enumerator ||
			   ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ||
			     tag == DW_TAG_constant) &&
			    !dwarf_hasattr(&child, DW_AT_declaration)))) {
			*out = child;
			return true;
		}
		if ((tag == DW_TAG_common_block || tag == DW_TAG_module ||
		     tag == DW_TAG_namespace || tag == DW_TAG_enumeration_type) &&
		    into(w, &child, &left) && find_in(&child, &left, out))
			return true;
	}
	return false;
}

bool named_local(const struct named *w, const struct code_scope *x, Dwarf_Die *out)
{
	for (int i = 0; i < x->nscope; i++) {
		if (find_in(&x->scope[i], w, out))
			return true;
		if (dwarf_tag(&x->scope[i]) == DW_TAG_subprogram)
			return false;
	}
	return false;
}

int named_outside(const struct named *w, const struct code_scope *x, Dwarf_Die *out,
		   struct err *err)
{
	struct named again = *w;
	Dwarf_Die *cu = NULL, second, at;
	Dwarf_Addr bias;

	for (int i = 0; i < x->nscope; i++) {
		at = x->scope[i];
		if (dwarf_tag(&at) != DW_TAG_compile_unit && find_in(&at, w, out))
			return 0;
	}
	if (find_in(x->cu, w, out)) {
		/* of a namespace, without its name */
		again.other = out;
		if (!x->fortran && find_in(x->cu, &again, &second))
			return err_set(err,
				       "several variables are called '%.*s': write the namespace "
				       "in front of it",
				       (int)w->n, w->name);
		return 0;
	}
	while ((cu = dwfl_module_nextcu(x->mod, cu, &bias)))
		if (find_in(cu, w, out))
			return 0;
	return 1;
}

/* An object of a class without members. */
static bool is_empty(Dwarf_Die *member)
{
	Dwarf_Die type, child;

	if (!type_of(member, &type) || (dwarf_tag(&type) != DW_TAG_structure_type &&
					 dwarf_tag(&type) != DW_TAG_class_type))
		return false;
	for (bool more = !dwarf_child(&type, &child); more; more = !dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_member || dwarf_tag(&child) == DW_TAG_inheritance)
			return false;
	return true;
}

/* Of several bases that have the name, as std::unique_ptr's, one that has something is meant. */
bool named_part(const struct named *w, Dwarf_Die *type, Dwarf_Die *out, uint64_t *off)
{
	Dwarf_Die child, base, found;
	bool have = false;
	uint64_t to = 0;

	for (bool more = !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_member && is_named(w, &child)) {
			*out = child;
			*off += type_member_at(&child);
			return true;
		}
		if ((tag == DW_TAG_inheritance ||
		     (tag == DW_TAG_member && !dwarf_diename(&child))) &&
		    type_of(&child, &base)) {
			uint64_t at = *off + type_member_at(&child);

			if (!named_part(w, &base, &found, &at))
				continue;
			if (have && is_empty(&found))
				continue;
			have = true;
			*out = found;
			to = at;
			if (!is_empty(&found))
				break;
		}
	}
	*off = have ? to : *off;
	return have;
}

bool named_held(Dwarf_Die *type, Dwarf_Die *out, uint64_t *off)
{
	static const char *const paths[][4] = {
		{ "_M_elems" },			       /* std::array */
		{ "_M_impl", "_M_start" },	       /* std::vector */
		{ "_M_t", "_M_t", "_M_head_impl" }, /* std::unique_ptr */
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		Dwarf_Die now = *type;
		unsigned k = 0;

		*off = 0;
		while (paths[i][k] &&
		       named_part(&(struct named){ .name = paths[i][k], .n = strlen(paths[i][k]) },
				  &now, out, off) &&
		       type_of(out, &now))
			k++;
		if (!paths[i][k])
			return true;
	}
	return false;
}
