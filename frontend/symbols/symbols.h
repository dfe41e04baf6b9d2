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

#include "common/logical/point.h"
#include "common/markcode/markcode.h"

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
/* How many bytes the largest variable, or common block, there has from that address on, and its
 * name; 0: there is none. */
uint64_t symbols_data_room(struct symbols *s, const char *module, uint64_t vaddr, char *text,
			   size_t room);
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
/* The build id of the module's file, at most n bytes; returns how many, 0: it has none. */
unsigned symbols_build_id(struct symbols *s, const char *module, unsigned char *id, unsigned n);
/* Where the function of that symbol begins in the module; 0 when it has none. */
uint64_t symbols_address(struct symbols *s, const char *module, const char *name);
/* A function that the code at an address is of. */
struct symbol_call {
	const char *func; /* these are the symbols' own; func is "" when it is not known */
	const char *file; /* NULL: not known */
	uint32_t line;
};
/*
 * What the code at vaddr is of: functions that were inlined there, the innermost first, and last
 * the one that they are inlined into, with the line in each. Returns how many, from 1 to max;
 * without debug information it is the symbol alone.
 */
unsigned symbols_calls(struct symbols *s, const char *module, uint64_t vaddr,
		       struct symbol_call *out, unsigned max);
struct symbol_range {
	uint64_t vaddr;
	uint32_t len; /* bytes */
};
/* Code of a function of the module, and where it is declared; file is the symbols' own. */
struct symbol_body {
	uint64_t low, high;
	const char *file, *name;
	uint32_t line;
};
void symbols_bodies(struct symbols *s, const char *module,
		    void (*fn)(void *arg, const struct symbol_body *b), void *arg);
/*
 * A member or function of one of C++'s classes that is private or protected, in the program's own
 * sources; where the class is declared, file NULL: not known. Strings are the symbols' own.
 */
struct symbol_closed {
	const char *name, *class, *file;
	uint32_t line;
};
/* Gives fn all of them, some more than once. */
void symbols_closed(struct symbols *s, const char *module,
		    void (*fn)(void *arg, const struct symbol_closed *m), void *arg);
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
/* One more announcement of the file, at that line; line: the one that the others are around. */
void symbol_marks_add(struct symbol_marks *to, uint32_t at, uint32_t line);
/*
 * kind: and what is of that kind. False: the module's code does not show all of them. file as in
 * rule_file_matches.
 */
bool symbols_marks(struct symbols *s, const char *module, const char *file, uint32_t line,
		   enum point_kind kind, struct symbol_marks *out);
/* Where a function is in the source; file is owned by the symbols, last may be its first line. */
struct symbol_function {
	const char *file;
	uint32_t first, last;
};
/* False when the module's debug information has no function of that name. */
bool symbols_function(struct symbols *s, const char *module, const char *name,
		      struct symbol_function *out);
/*
 * The variable of the function at an address of the code, from_sp bytes above the stack pointer
 * that it has there, from_bp above the frame pointer: with element and field into text. NULL: none.
 */
const char *symbols_local_at(struct symbols *s, const char *module, uint64_t vaddr, int64_t from_sp,
			     int64_t from_bp, char *text, size_t room);
/*
 * How many bytes the variable there has from that place on, of a block that the address of the code
 * is in, and its name. 0: there is none, its size is not known, or the code is optimised, so that
 * another one may have its place.
 */
uint64_t symbols_local_room(struct symbols *s, const char *module, uint64_t vaddr, int64_t from_sp,
			    int64_t from_bp, char *text, size_t room);
/*
 * As that, of what the compiler passes to the function at an address of the code as one structure
 * (gcc: to the body of a region of OpenMP), within bytes behind its beginning.
 */
const char *symbols_passed_at(struct symbols *s, const char *module, uint64_t vaddr, int64_t within,
			      char *text, size_t room);
/*
 * The byte `within` memory that the call at a place of the code allocates, by the variable that the
 * statement there assigns: "a[333]", "s->cell[2].t", "a(3)"; in Fortran with more dimensions
 * "a+48". NULL: the statement assigns none, or several, or there is no source. Else returns text.
 */
const char *symbols_block_at(struct symbols *s, const struct place *place, uint64_t within,
			     char *text, size_t room);
/* The byte `within` what a pointer leads to, which is an expression of C at an address of the
 * code: "a[3].t". NULL: it is no pointer, or what it leads to has no size. */
const char *symbols_pointed_at(struct symbols *s, const char *module, uint64_t vaddr,
			       const char *pointer, uint64_t within, char *text, size_t room);

/* ---- marks beside the source: places in the code, and what is computed there ---- */

/* Operations of common/markcode that come to one number; owned. */
struct symbol_code {
	struct markcode_op *op;
	uint32_t n;
};

/* Code at the beginning of a line, or lines. */
struct symbol_site {
	uint64_t vaddr;
	const char *file; /* owned by the symbols */
	uint32_t line;	  /* the first of them that has code */
	const char *func;
	uint64_t low, high; /* of the function */
};
/* By line, less than *n, whether it has code of the file; owned by the caller. NULL: none has. */
bool *symbols_code(struct symbols *s, const char *module, const char *file, uint32_t *n);
#define SYMBOL_SITES 32
/*
 * Where the code of lines first to last of a file begins, in each function that has it: at most
 * SYMBOL_SITES. With first equal to last, of the next line that has code. Returns how many; -1 and
 * err: none, with what is missing.
 */
int symbols_sites(struct symbols *s, const char *module, const char *file, uint32_t first,
		  uint32_t last, struct symbol_site *out, struct err *err);
/* Where the code of a loop is entered and left, in one function. */
struct symbol_loop {
	uint64_t *entry, *exit; /* owned; exit: where the program is then */
	uint32_t nentry, nexit;
	bool again; /* iterations come to an entry, too */
};
/* Of lines first to last, in the function of the site. Clear it in either case. */
int symbols_loop(struct symbols *s, const char *module, const struct symbol_site *site,
		 uint32_t first, uint32_t last, struct symbol_loop *out, struct err *err);
void symbol_loop_clear(struct symbol_loop *x);
/* Where the function at the site returns; owned array. -1 and err: its code is not known. */
int symbols_returns(struct symbols *s, const char *module, const struct symbol_site *site,
		    uint64_t **vaddr, uint32_t *n, struct err *err);
/* The line of the code at an address; 0: not known. */
uint32_t symbols_line(struct symbols *s, const char *module, uint64_t vaddr);
/* Adds the address of the frame (DWARF's CFA) at an address of the code. */
int symbols_frame(struct symbols *s, const char *module, uint64_t vaddr, struct symbol_code *out,
		  struct err *err);

#define SYMBOL_DIMS 4
/* What an expression of the source's language means at an address of the code. */
struct symbol_object {
	struct symbol_code address; /* of its memory; n 0: it has none */
	struct symbol_code
		value; /* of an integer; of a pointer or array where it leads; n 0: none */
	bool pointer;		    /* it is a pointer; the rest is about what that points to */
	unsigned ndim;		    /* indices that it may have, at most SYMBOL_DIMS */
	struct symbol_code stride[SYMBOL_DIMS]; /* bytes, by dimension */
	bool fortran;
	unsigned type;	/* enum value_type of elements; VALUE_TYPES: none of them */
	uint32_t elem;	/* bytes of an element */
	uint64_t whole; /* bytes of itself, where it is no pointer; 0: not known */
};
/* -1 and err: what of it is not known there. Clear it in either case. */
int symbols_object(struct symbols *s, const char *module, uint64_t vaddr, const char *text,
		   struct symbol_object *out, struct err *err);
void symbol_object_clear(struct symbol_object *o);
/* Gives fn the members of the structures that the elements are of what the text means there. */
void symbols_members(struct symbols *s, const char *module, uint64_t vaddr, const char *text,
		     void (*fn)(void *arg, const char *name), void *arg);

enum symbol_language { SYMBOL_C, SYMBOL_CXX, SYMBOL_FORTRAN, SYMBOL_LANGUAGES };
/* The level of optimisation in what gcc says of how it compiled: '0', '1', 'g', … */
char symbols_level(const char *how);

/* A compilation unit: its source, from dir where path is not absolute, the compiler with its
 * options, and directories that it has included from, NULL at the end. */
struct symbol_unit {
	const char *path, *dir, *how;
	const char *const *include;
	enum symbol_language language;
};
/* Gives fn those of the module that are of these languages. */
void symbols_units(struct symbols *s, const char *module,
		   void (*fn)(void *arg, const struct symbol_unit *u), void *arg);
/* Whether a module has all functions that another defines, at the same lines; else lacks is one that
 * it has not. */
bool symbols_has_functions_of(struct symbols *s, const char *module, const char *other,
			      char *lacks, size_t size);
/* Gives fn the source file of each compilation unit of the module, with its directory. */
void symbols_sources(struct symbols *s, const char *module, void (*fn)(void *arg, const char *path),
		     void *arg);

#endif
