/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What symbol.c and symbol_data.c share. Nobody else needs this.
 */
#ifndef DVMDBG_FRONTEND_SYMBOL_IMPL_H
#define DVMDBG_FRONTEND_SYMBOL_IMPL_H

#include <elfutils/libdw.h>

struct Dwfl;
struct Dwfl_Module;
struct symbols;
struct variables;

/* A file with code, as libdw sees it: alone in an address space, at its own addresses. */
struct module {
	struct module *next;
	char *path;
	struct Dwfl *dwfl; /* NULL: cannot be read */
	struct Dwfl_Module *mod;
	struct variables *variables; /* owned; NULL: nobody has asked */
};

/* Opened once; its dwfl is NULL when there is nothing to be read. */
struct module *symbols_module(struct symbols *s, const char *path);
void variables_destroy(struct variables *v); /* NULL is fine */
/* The file that a declaration in this unit stands in, owned by libdw; NULL: not known. */
const char *symbols_declared_in(Dwarf_Die *cu, Dwarf_Die *die);

#endif
