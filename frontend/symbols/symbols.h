/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables that have memory of their own for the whole run (global, static, of a Fortran module or
 * common block), by address and by name: from the debug information, and without it from the
 * symbols that are left, as far as a name and a size go.
 */
#ifndef DVMDBG_FRONTEND_SYMBOLS_SYMBOLS_H
#define DVMDBG_FRONTEND_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct place;
struct source;
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

/*
 * Source files of the program: found by their own path, in SOURCE_PATH, beside the program, here,
 * and where they were compiled. Files stay in memory as long as they do not change.
 */

/* Lines without their ends; lines count from 1: line[0] is the first. Owned by the source. */
struct source_file {
	char *path;
	char **line;
	uint32_t n;
};

/* symbols shows where sources were compiled; borrowed, may be NULL. */
struct source *source_create(struct symbols *symbols);
void source_destroy(struct source *s);
/*
 * The file that name means; path is a list of directories with ':', program the program's path (may
 * be NULL). Lasts until the next call. The error shows where it was looked for.
 */
const struct source_file *source_find(struct source *s, const char *name, const char *path,
				      const char *program, struct err *err);

/*
 * Debug information (libdw): from an address in a module's own address space to a source position.
 * Modules stay open and answers are kept for the life of the object.
 */

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
/* A function that the code at an address is of. */
struct symbol_call {
	const char *func; /* these are the symbols' own; func is "" when it is not known */
	const char *file; /* NULL: not known */
	uint32_t line;
};
/*
 * What the code at vaddr is of: functions that were inlined there, the innermost first, and last the one that
 * they are inlined into, with the line in each. Returns how many, from 1 to max; without debug information it
 * is the symbol alone.
 */
unsigned symbols_calls(struct symbols *s, const char *module, uint64_t vaddr,
		       struct symbol_call *out, unsigned max);
struct symbol_range {
	uint64_t vaddr;
	uint32_t len; /* bytes */
};
/*
 * Where the code of file:line is in the module, at most max ranges; file as in rule_file_matches.
 * Returns their number, 0 when there is none.
 */
unsigned symbols_lines(struct symbols *s, const char *module, const char *file, uint32_t line,
		       struct symbol_range *range, unsigned max);
/* The lines of a file on which a module announces constructs, around one of them. */
struct symbol_marks {
	bool here;		 /* on it */
	uint32_t next, previous; /* the nearest ones behind and before it; 0: none */
	size_t total;		 /* of the whole module */
};
/*
 * mpi: and collective calls of MPI. False: the module's code does not show all of them. file as in
 * rule_file_matches.
 */
bool symbols_marks(struct symbols *s, const char *module, const char *file, uint32_t line,
		   bool mpi, struct symbol_marks *out);
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
