/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/debuginfo/debuginfo.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 64 /* of a first value, that are compared */
#define DEEP 64	 /* scopes in one another that are looked into */

/* The variable's first value. */
struct first {
	const char *name;
	Dwarf_Word size;
	unsigned char byte[BYTES];
	size_t n;
};

int debuginfo_number(Dwarf_Attribute *at, Dwarf_Sword *out)
{
	Dwarf_Word value;

	switch (dwarf_whatform(at)) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
		if (dwarf_formudata(at, &value))
			return -1;
		*out = (Dwarf_Sword)value;
		return 0;
	}
	return dwarf_formsdata(at, out);
}

bool debuginfo_fortran(Dwarf_Die *cu)
{
	switch (dwarf_srclang(cu)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return true;
	}
	return false;
}

static bool first_of(Dwarf_Die *variable, struct first *f)
{
	Dwarf_Attribute at;
	Dwarf_Block block;
	Dwarf_Sword value;
	Dwarf_Die type;

	*f = (struct first){ .name = dwarf_diename(variable) };
	if (!f->name || !dwarf_attr_integrate(variable, DW_AT_type, &at) ||
	    !dwarf_formref_die(&at, &type) || dwarf_aggregate_size(&type, &f->size) || !f->size ||
	    !dwarf_attr_integrate(variable, DW_AT_const_value, &at))
		return false;
	if (!dwarf_formblock(&at, &block)) {
		f->n = block.length < BYTES ? block.length : BYTES;
		memcpy(f->byte, block.data, f->n);
	} else if (!debuginfo_number(&at, &value)) {
		f->n = f->size < sizeof(value) ? f->size : sizeof(value);
		memcpy(f->byte, &value, f->n);
	}
	return f->n > 0 && f->n <= f->size;
}

/* "n.29" of n. */
static bool is_symbol_of(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(symbol, name, n) || symbol[n] != '.' || !symbol[n + 1])
		return false;
	for (symbol += n + 1; isdigit((unsigned char)*symbol); symbol++)
		;
	return !*symbol;
}

/* What the file has at the symbol is the first value, and can be written to. */
static bool begins_with(Dwfl_Module *mod, const GElf_Sym *sym, const struct first *f)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(mod, &bias);
	Elf_Scn *scn = elf ? elf_getscn(elf, sym->st_shndx) : NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	uint64_t off;

	if (!scn || !gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_WRITE) ||
	    sym->st_value < sh.sh_addr)
		return false;
	off = sym->st_value - sh.sh_addr;
	if (off > sh.sh_size || sh.sh_size - off < f->n)
		return false;
	if (sh.sh_type == SHT_NOBITS) {
		for (size_t i = 0; i < f->n; i++)
			if (f->byte[i])
				return false;
		return true;
	}
	data = elf_getdata(scn, NULL);
	return data && data->d_size >= off + f->n &&
	       !memcmp((const char *)data->d_buf + off, f->byte, f->n);
}

/* A variable at or below the scope is said to be at the address. */
static bool is_taken(Dwarf_Die *scope, Dwarf_Addr at, unsigned depth)
{
	Dwarf_Die child;
	bool more = depth < DEEP && !dwarf_child(scope, &child);

	for (; more; more = !dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Op *op;
		size_t n;

		if (dwarf_tag(&child) == DW_TAG_variable) {
			if (dwarf_attr(&child, DW_AT_location, &attr) &&
			    !dwarf_getlocation(&attr, &op, &n) && n && op[0].atom == DW_OP_addr &&
			    op[0].number == at)
				return true;
		} else if (is_taken(&child, at, depth + 1)) {
			return true;
		}
	}
	return false;
}

enum debuginfo_constant debuginfo_constant(Dwfl_Module *mod, Dwarf_Die *cu, Dwarf_Die *variable,
					   Dwarf_Addr *vaddr)
{
	enum debuginfo_constant is = DEBUGINFO_CONSTANT;
	Dwarf_Addr bias = 0;
	struct first f;
	int n;

	if (dwarf_tag(variable) != DW_TAG_variable || !debuginfo_fortran(cu) ||
	    !first_of(variable, &f))
		return is;
	n = dwfl_module_getsymtab(mod);
	dwfl_module_getdwarf(mod, &bias);
	for (int i = 0; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr at;
		const char *name = dwfl_module_getsym_info(mod, i, &sym, &at, NULL, NULL, NULL);

		if (!name || sym.st_size != f.size || GELF_ST_TYPE(sym.st_info) != STT_OBJECT ||
		    !is_symbol_of(name, f.name) || !begins_with(mod, &sym, &f) ||
		    is_taken(cu, at - bias, 0))
			continue;
		is = is == DEBUGINFO_CONSTANT ? DEBUGINFO_MEMORY : DEBUGINFO_UNKNOWN;
		*vaddr = at;
	}
	return is;
}

/* What may hold code whose addresses are not within its own. */
static bool may_hold(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return true;
	}
	return false;
}

static int scopes_below(Dwarf_Die *die, Dwarf_Addr addr, Dwarf_Die **scopes, unsigned depth)
{
	Dwarf_Die child, *grown;
	bool more = depth < DEEP && !dwarf_child(die, &child);

	for (; more; more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child), n;
		bool has = dwarf_haspc(&child, addr) == 1, host = !has && may_hold(tag);

		if (!has && !host && tag != DW_TAG_module && tag != DW_TAG_namespace)
			continue;
		n = scopes_below(&child, addr, scopes, depth + 1);
		if (host && n)
			return n; /* the host is a call of its own */
		if (n < 0 || (!has && !n))
			continue;
		grown = realloc(*scopes, (size_t)(n + 1) * sizeof(**scopes));
		if (!grown)
			return -1;
		*scopes = grown;
		grown[n] = child;
		return n + 1;
	}
	return 0;
}

int debuginfo_scopes(Dwarf_Die *cu, Dwarf_Addr addr, Dwarf_Die **scopes)
{
	Dwarf_Die *found = NULL, inner;
	int n = dwarf_getscopes(cu, addr, &found);
	bool has = false;

	*scopes = NULL;
	for (int i = 0; i < n && !has; i++)
		has = dwarf_tag(&found[i]) == DW_TAG_subprogram;
	if (has)
		inner = found[0];
	free(found);
	/* behind an inlined one these are of where it was written, not of where it is */
	return has ? dwarf_getscopes_die(&inner, scopes) : scopes_below(cu, addr, scopes, 0);
}

Dwarf_Off debuginfo_declared(Dwarf_Die *function, Dwarf_Die *out)
{
	Dwarf_Attribute at;

	*out = *function;
	while (dwarf_attr(out, DW_AT_abstract_origin, &at) ||
	       dwarf_attr(out, DW_AT_specification, &at))
		if (!dwarf_formref_die(&at, out))
			break;
	return dwarf_dieoffset(out);
}
