/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the program by name, and how the processor's convention has their arguments and
 * results.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/debuginfo/debuginfo.h"
#include "runtime/page/page.h"

#ifndef DW_CC_pass_by_reference
#define DW_CC_pass_by_reference 4
#endif

struct search {
	struct native *n;
	const struct frame *near;
	const char *name, *scope; /* scope: nscope bytes, 0 any */
	size_t nscope;
	struct function *out;
	unsigned found;
	bool is_near;	  /* the one that is found is in the unit of near */
	const char *lack; /* why one of that name cannot be called */
	/* of the unit that is looked at */
	Dwfl_Module *mod;
	Dwarf_Die *cu;
	Dwarf_Addr bias;
	bool fortran, at_near;
};

static bool is_named(const struct search *w, const char *name)
{
	return name && !(w->fortran ? strcasecmp(name, w->name) : strcmp(name, w->name));
}

static bool is_scope(const struct search *w, const char *name)
{
	return name && strlen(name) == w->nscope &&
	       !(w->fortran ? strncasecmp(name, w->scope, w->nscope)
			    : memcmp(name, w->scope, w->nscope));
}

/* The compiler has made it for some of its callers, with other arguments. */
static bool is_clone(const char *symbol)
{
	return symbol && (strstr(symbol, ".isra.") || strstr(symbol, ".constprop.") ||
			  strstr(symbol, ".part."));
}

static void consider(struct search *w, Dwarf_Die *die)
{
	struct function *out = w->out;
	Dwarf_Attribute at;
	Dwarf_Addr code;

	if (dwarf_hasattr(die, DW_AT_declaration))
		return;
	if (dwarf_entrypc(die, &code)) {
		if (!w->lack)
			w->lack = "the compiler has inlined it wherever it is called: there is no "
				  "code of it to call";
		return;
	}
	if (is_clone(dwfl_module_addrname(w->mod, code + w->bias))) {
		w->lack = "the compiler has changed its arguments (-O2): compile its file with "
			  "-O0, or with "
			  "-fno-ipa-sra -fno-ipa-cp";
		return;
	}
	if (w->found && (w->is_near || out->entry == code + w->bias))
		return;
	w->found = w->at_near ? 1 : w->found + 1;
	w->is_near = w->at_near;
	*out = (struct function){ .die = *die, .declared = *die, .mod = w->mod, .code = code,
				  .entry = code + w->bias, .fortran = w->fortran };
	if (dwarf_attr(die, DW_AT_abstract_origin, &at))
		dwarf_formref_die(&at, &out->declared);
}

/* Of a unit, a module, a namespace; in: the scope that is asked for, or none is. */
static void walk(struct search *w, Dwarf_Die *parent, bool in)
{
	Dwarf_Die child;

	for (bool more = !dwarf_child(parent, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_module || tag == DW_TAG_namespace)
			walk(w, &child, in || is_scope(w, dwarf_diename(&child)));
		else if (tag == DW_TAG_subprogram && in && is_named(w, dwarf_diename(&child)))
			consider(w, &child);
	}
}

static int each_module(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, void *arg)
{
	struct search *w = arg;
	Dwarf_Die *cu = NULL;
	const char *file;

	if (native_is_library(w->n, native_module_path(mod)))
		return DWARF_CB_OK;
	w->mod = mod;
	while ((cu = dwfl_module_nextcu(mod, cu, &w->bias))) {
		file = dwarf_diename(cu);
		w->cu = cu;
		w->fortran = debuginfo_fortran(cu);
		w->at_near = w->near && w->near->mod == mod &&
			     dwarf_dieoffset(cu) == dwarf_dieoffset((Dwarf_Die *)&w->near->cu);
		walk(w, cu, !w->nscope || is_scope(w, file ? path_base(file) : NULL));
	}
	return DWARF_CB_OK;
}

int function_find(struct native *n, Dwfl *dwfl, const struct frame *near, const char *name,
		  struct function *out, struct err *err)
{
	struct search w = { .n = n, .near = near, .name = name, .out = out };
	const char *colon = NULL;

	for (const char *p = name; (p = strstr(p, "::")); p += 2)
		colon = p;
	if (colon) {
		w.scope = name;
		w.nscope = (size_t)(colon - name);
		w.name = colon + 2;
	}
	dwfl_getmodules(dwfl, each_module, &w, 0);
	if (w.found > 1)
		return err_set(err,
			       "there are %u functions %s: say of which file, as in file.c::%s",
			       w.found, name, w.name);
	if (!w.found && w.lack)
		return err_set(err, "%s: %s", name, w.lack);
	return w.found != 0;
}

bool function_by_reference(const struct function *fn, Dwarf_Die *parameter)
{
	Dwarf_Attribute at;
	Dwarf_Op *op;
	size_t n;
	unsigned last;

	if (!dwarf_attr_integrate(parameter, DW_AT_location, &at) ||
	    dwarf_getlocation_addr(&at, fn->code, &op, &n, 1) < 1 || !n)
		return true;
	last = op[n - 1].atom;
	if (last >= DW_OP_reg0 && last <= DW_OP_reg31)
		return false;
	return last != DW_OP_fbreg && last != DW_OP_stack_value && last != DW_OP_regx;
}

/* ---- results ---- */

#if defined(__x86_64__)
/* Marks the eightbytes that have something other than floating-point numbers; false: not in
 * registers. */
static bool classify(Dwarf_Die *type, uint64_t off, bool whole[2])
{
	Dwarf_Die bare, child, of;
	Dwarf_Word at;
	Dwarf_Attribute attr;
	unsigned number;
	int tag;

	if (dwarf_peel_type(type, &bare))
		return false;
	tag = dwarf_tag(&bare);
	if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
		for (bool more = !dwarf_child(&bare, &child); more;
		     more = !dwarf_siblingof(&child, &child)) {
			at = 0;
			if (dwarf_tag(&child) != DW_TAG_member &&
			    dwarf_tag(&child) != DW_TAG_inheritance)
				continue;
			if (dwarf_attr(&child, DW_AT_data_member_location, &attr))
				dwarf_formudata(&attr, &at);
			if (!datum_type_at(&child, &of) || !classify(&of, off + at, whole))
				return false;
		}
		return true;
	}
	if (tag == DW_TAG_array_type) {
		Dwarf_Word size = 0, one = 0;

		if (!datum_type_at(&bare, &of) || dwarf_aggregate_size(&bare, &size) ||
		    dwarf_aggregate_size(&of, &one) || !one)
			return false;
		for (at = 0; at < size; at += one)
			if (!classify(&of, off + at, whole))
				return false;
		return true;
	}
	if (off >= 16)
		return false;
	number = datum_number_type(&bare);
	if (tag == DW_TAG_base_type && number >= VALUE_TYPES && dwarf_bytesize(&bare) == 16)
		return false; /* long double */
	if (number != VALUE_FLOAT && number != VALUE_DOUBLE && number != VALUE_FCOMPLEX &&
	    number != VALUE_DCOMPLEX)
		whole[off / 8] = true;
	return true;
}

static void structure(Dwarf_Die *type, uint64_t size, enum function_result *how, uint32_t *form)
{
	static const uint32_t forms[2][2] = { { PAGE_CALL_TWO_VECTORS, PAGE_CALL_VECTOR_WORD },
					      { PAGE_CALL_WORD_VECTOR, PAGE_CALL_TWO_WORDS } };
	bool whole[2] = { false, false };
	Dwarf_Attribute at;
	Dwarf_Word convention = 0;

	if (dwarf_attr(type, DW_AT_calling_convention, &at))
		dwarf_formudata(&at, &convention);
	if (size > 16 || convention == DW_CC_pass_by_reference || !classify(type, 0, whole)) {
		*how = FUNCTION_MEMORY;
		return;
	}
	*form = forms[whole[0]][whole[1]];
}
#endif

int function_result(const struct function *fn, Dwarf_Die *type, enum function_result *how,
		    uint32_t *form, uint64_t *size, struct err *err)
{
	unsigned number = datum_number_type(type);
	Dwarf_Word bytes = 0;
	int tag = dwarf_tag(type);

	*how = FUNCTION_VALUE;
	*form = PAGE_CALL_TWO_WORDS;
	if (tag == DW_TAG_array_type && fn->fortran)
		return err_set(err, "%s returns an array: call a function that returns one value",
			       dwarf_diename((Dwarf_Die *)&fn->declared));
	if (dwarf_aggregate_size(type, &bytes) || !bytes || bytes > PAGE_CALL_DATA / 2)
		return err_set(err, "what it returns is not known, or too large");
	*size = bytes;
	if (tag == DW_TAG_string_type) {
		*how = FUNCTION_CHARACTERS;
		return 0;
	}
	if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
#if defined(__x86_64__)
		structure(type, bytes, how, form);
		return 0;
#else
		return err_set(err,
			       "it returns a structure, which calls on this processor cannot do");
#endif
	}
	if (number == VALUE_FLOAT || number == VALUE_DOUBLE || number == VALUE_FCOMPLEX ||
	    number == VALUE_DCOMPLEX)
		*form = PAGE_CALL_TWO_VECTORS;
	else if (tag == DW_TAG_base_type && number >= VALUE_TYPES && bytes == sizeof(long double))
		*form = PAGE_CALL_LONG_DOUBLE;
	else if (bytes > 8)
		return err_set(err, "it returns %llu bytes in a way that is not known",
			       (unsigned long long)bytes);
	return 0;
}
