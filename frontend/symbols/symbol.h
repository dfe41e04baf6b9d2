/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debug information (libdw): from an address in a module's own address space to a source position.
 * Modules stay open and answers are kept for the life of the object.
 */
#ifndef DVMDBG_FRONTEND_SYMBOL_H
#define DVMDBG_FRONTEND_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct place;
struct symbols;

struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *s);
/*
 * Fills in file, line and func of a place that has only module and vaddr; a place that has a file
 * stays as it is. Strings are owned by s. Without debug information file becomes the module's base
 * name, line 0 and func the symbol that holds the address, or "".
 */
void symbols_resolve(struct symbols *s, struct place *p);
/* "heat.c:61"; "libx.so+0x1234" when nothing better is known. Base names only. Returns out. */
const char *symbols_text(struct symbols *s, const struct place *p, char *out, unsigned size);
/*
 * Gives fn the sources of the module that were compiled without access hooks, as the compiler's
 * options in the debug information have it (dvmdbg-cc has clang write them there).
 */
void symbols_unhooked(struct symbols *s, const char *module,
		      void (*fn)(void *arg, const char *path), void *arg);
/*
 * Whether the module's file is still the one with this build id (n bytes). True when that cannot be
 * known: n is 0, or there is no such file.
 */
bool symbols_build_is(struct symbols *s, const char *module, const unsigned char *id, unsigned n);
/* Where the function of that symbol begins in the module; 0 when it has none. */
uint64_t symbols_address(struct symbols *s, const char *module, const char *name);
struct symbol_range {
	uint64_t vaddr;
	uint32_t len; /* bytes */
};
/*
 * Where the code of file:line lies in the module, at most max ranges; file as in rule_file_matches.
 * Returns their number, 0 when there is none.
 */
unsigned symbols_lines(struct symbols *s, const char *module, const char *file, uint32_t line,
		       struct symbol_range *range, unsigned max);
/* Where a function is in the source; file is owned by the symbols, last may be its first line. */
struct symbol_function {
	const char *file;
	uint32_t first, last;
};
/* False when the module's debug information has no function of that name. */
bool symbols_function(struct symbols *s, const char *module, const char *name,
		      struct symbol_function *out);
/* Gives fn the source file of each compilation unit of the module, with its directory. */
void symbols_sources(struct symbols *s, const char *module, void (*fn)(void *arg, const char *path),
		     void *arg);

#endif
