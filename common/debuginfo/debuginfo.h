/* SPDX-License-Identifier: BSD-3-Clause */
/* What compilers' debug information says wrongly. */
#ifndef DVMDBG_COMMON_DEBUGINFO_H
#define DVMDBG_COMMON_DEBUGINFO_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

enum debuginfo_constant {
	DEBUGINFO_CONSTANT, /* it is one, or is not of Fortran */
	DEBUGINFO_MEMORY,   /* it is in memory, and may be another value now */
	DEBUGINFO_UNKNOWN,  /* it may be in several places */
};

/* The unit is of Fortran. */
bool debuginfo_fortran(Dwarf_Die *cu);

/*
 * Of a variable that has DW_AT_const_value: gfortran gives the first value of a saved variable
 * there when it is the bound of an argument somewhere. The variable is then the symbol NAME.NUMBER.
 * cu: its unit. *vaddr: where it is, as the module's addresses are.
 */
enum debuginfo_constant debuginfo_constant(Dwfl_Module *mod, Dwarf_Die *cu, Dwarf_Die *variable,
					   Dwarf_Addr *vaddr);

/*
 * A number that an attribute has: of a fixed number of bytes it has no sign, as compilers mean it.
 * -1: it has none.
 */
int debuginfo_number(Dwarf_Attribute *at, Dwarf_Sword *out);

/* What a function was declared as, for any of the code that was made of it; its offset. */
Dwarf_Off debuginfo_declared(Dwarf_Die *function, Dwarf_Die *out);

/*
 * The scopes that the code is in, the innermost first, to be freed: also procedures of Fortran's
 * modules, which have no addresses themselves, and those inside of other functions, or of classes
 * in them, whose addresses are elsewhere. How many; -1: out of memory.
 */
int debuginfo_scopes(Dwarf_Die *cu, Dwarf_Addr addr, Dwarf_Die **scopes);

#endif
