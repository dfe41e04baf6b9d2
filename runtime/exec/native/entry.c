/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What registers had when a function was entered: what its caller has passed, where the caller's
 * debug information says how it can still be had.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <string.h>

#include "common/debuginfo/debuginfo.h"

#define DEEP 64 /* blocks in one another */

/* The call that returns to that address. */
static bool call_at(Dwarf_Die *die, Dwarf_Addr returns, unsigned depth, Dwarf_Die *out)
{
	Dwarf_Die child;

	for (bool more = depth < DEEP && !dwarf_child(die, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		Dwarf_Attribute at;
		Dwarf_Addr addr;

		if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) {
			if ((dwarf_attr(&child, DW_AT_call_return_pc, &at) ||
			     dwarf_attr(&child, DW_AT_low_pc, &at)) &&
			    !dwarf_formaddr(&at, &addr) && addr == returns) {
				*out = child;
				return true;
			}
		} else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
			   call_at(&child, returns, depth + 1, out)) {
			return true;
		}
	}
	return false;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute at;
	const char *name =
		dwarf_attr_integrate(die, DW_AT_linkage_name, &at) ? dwarf_formstring(&at) : NULL;

	return name ? name : dwarf_diename(die);
}

/* Whether it calls that function, and not one that has jumped to it at its own end. */
static bool calls(Dwarf_Die *site, Dwarf_Die *function)
{
	Dwarf_Attribute at;
	Dwarf_Die callee, one, other;
	const char *a, *b;

	if ((!dwarf_attr(site, DW_AT_call_origin, &at) &&
	     !dwarf_attr(site, DW_AT_abstract_origin, &at)) ||
	    !dwarf_formref_die(&at, &callee))
		return false;
	if (debuginfo_declared(&callee, &one) == debuginfo_declared(function, &other))
		return true;
	a = linkage_name(&one);
	b = linkage_name(&other);
	return a && b && !strcmp(a, b);
}

/* Whether the argument is passed in that register. */
static bool is_in(Dwarf_Die *parameter, unsigned atom)
{
	Dwarf_Attribute at;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_attr(parameter, DW_AT_location, &at) && !dwarf_getlocation(&at, &ops, &n) &&
	       n == 1 && ops[0].atom == atom;
}

bool entry_value(struct frame *f, const Dwarf_Op *ops, size_t n, uint64_t *out)
{
	bool data = n == 2 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
		    !ops[0].number &&
		    (ops[1].atom == DW_OP_deref || ops[1].atom == DW_OP_deref_size);
	unsigned atom = data ? ops[0].atom - DW_OP_breg0 + DW_OP_reg0 : ops[0].atom;
	struct frame *outer = f->direct ? f->outer : NULL;
	Dwarf_Die site, child;
	int64_t value;

	if ((!data && (n != 1 || atom < DW_OP_reg0 || atom > DW_OP_reg31)) || !outer ||
	    !outer->has_function ||
	    !call_at(&outer->function, outer->pc + 1 - outer->bias, 0, &site) ||
	    !calls(&site, &f->function))
		return false;
	for (bool more = !dwarf_child(&site, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		unsigned name = data ? DW_AT_call_data_value : DW_AT_call_value;
		unsigned old = data ? DW_AT_GNU_call_site_data_value : DW_AT_GNU_call_site_value;

		if (!is_in(&child, atom))
			continue;
		if (!location_number(outer, &child, name, 0, false, &value) &&
		    !location_number(outer, &child, old, 0, false, &value))
			return false;
		*out = (uint64_t)value;
		return true;
	}
	return false;
}
