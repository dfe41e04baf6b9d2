/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables that have memory of their own for the whole run (global, static, of a Fortran module or
 * common block), by address and by name: from the debug information, and without it from the
 * symbols that are left, as far as a name and a size go.
 */
#ifndef DVMDBG_FRONTEND_SYMBOL_DATA_H
#define DVMDBG_FRONTEND_SYMBOL_DATA_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct symbols;

/* What a text as "grid.cell[3].t" means, or what is at an address. */
struct symbol_data {
	uint64_t vaddr;	  /* in the module's own address space */
	uint64_t size;	  /* bytes; 0: not known */
	unsigned type;	  /* enum value_type, VALUE_TYPES: no number, or not known */
	const char *file; /* where it is declared, owned by the symbols; NULL: not known */
	uint32_t line;
};

/*
 * The variable that has the address, with the element and field that `size` bytes there are:
 * "grid.cell[3].t", "core::a(2,3)"; "grid+48" when no more is known. NULL: no variable has it. Else
 * returns text; out may be NULL. func: the function that has the access, which decides when a
 * common block has several names for it; NULL: not known.
 */
const char *symbols_data_at(struct symbols *s, const char *module, uint64_t vaddr, unsigned size,
			    const char *func, struct symbol_data *out, char *text, size_t room);
/*
 * The reverse, for "t", "file.c::t", "function::t", "module::t" and elements and fields of them: 1;
 * 0: the module has no such variable; -1: it has, but no such element or field, or several have the
 * name.
 */
int symbols_data_find(struct symbols *s, const char *module, const char *text,
		      struct symbol_data *out, struct err *err);

#endif
