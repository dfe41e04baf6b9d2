/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What symbol.c and data.c share. Nobody else needs this.
 */
#ifndef DVMDBG_FRONTEND_SYMBOLS_INTERNAL_H
#define DVMDBG_FRONTEND_SYMBOLS_INTERNAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/symbols/symbols.h"

struct Dwfl;
struct Dwfl_Module;
struct blocks;
struct err;
struct marks;
struct symbols;
struct variables;

/* A file with code, as libdw sees it: alone in an address space, at its own addresses. */
struct module {
	struct module *next;
	char *path;
	struct Dwfl *dwfl; /* NULL: cannot be read */
	struct Dwfl_Module *mod;
	struct variables *variables; /* owned; NULL: nobody has asked */
	struct marks *marks;	     /* owned; NULL: nobody has asked */
	struct blocks *blocks;	     /* owned; NULL: nobody has asked */
	struct paths *paths;	     /* owned; see symbols_path */
};

/*
 * A source's file as all have it: libdw leaves out where the unit was compiled when the source is in
 * a folder of that. Lasts as long as the module. NULL is fine.
 */
const char *symbols_path(const struct module *m, Dwarf_Die *cu, const char *file);

/* Opened once; its dwfl is NULL when there is nothing to be read. */
struct module *symbols_module(struct symbols *s, const char *path);
/*
 * The compilation unit that holds the address, also without a table of addresses: clang makes none,
 * and then the one that is found may be another, of an archive that has one.
 */
Dwarf_Die *symbols_unit(const struct module *m, uint64_t vaddr, Dwarf_Addr *bias);
/* Whether a source was not written for the program: the access hooks', and what compilers link. */
bool symbols_is_foreign(const char *path);
/* As rule_file_matches; a name without a folder means a source of the program. */
bool symbols_file_is(const char *file, const char *path);
void variables_destroy(struct variables *v); /* NULL is fine */
void marks_destroy(struct marks *x);	     /* NULL is fine */
void blocks_destroy(struct blocks *b);	     /* NULL is fine */
/* The scopes of the code at an address of a unit, as they are in each other there, the innermost
 * first; to be freed. */
int symbols_scopes(Dwarf_Die *cu, Dwarf_Addr addr, Dwarf_Die **scopes);
/* The file that a declaration in this unit stands in, owned by libdw; NULL: not known. */
const char *symbols_declared_in(Dwarf_Die *cu, Dwarf_Die *die);

/*
 * Types in debug information: from bytes of a variable to the element and field that they are, and
 * back. For data.c.
 */

/* A part of something with a type. */
struct type_part {
	Dwarf_Die die; /* the type, peeled */
	uint64_t off;  /* bytes in it */
	unsigned want; /* bytes of the access; 0: not known */
	uint64_t size; /* of what was found; 0: not known */
	unsigned type; /* enum value_type; VALUE_TYPES: no number */
};

/* The type of a variable or member, without typedef, const and the like; false: none. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
/* Bytes; 0: not known. Of what is allocated: of its descriptor. */
uint64_t type_size(Dwarf_Die *type, bool fortran);
/* enum value_type of a number; of a part of a complex one, which has so many bytes, what that
 * is. */
unsigned type_number(Dwarf_Die *type, unsigned want);
/* Where a member begins in its structure; a field of bits: the byte it begins in. */
uint64_t type_member_at(Dwarf_Die *member);
/*
 * Appends "[3].t" or "(2,3)%t" of the byte p->off to text. What is left of the offset in the last
 * part is then in p->off, with its type and size.
 */
void type_name(struct type_part *p, bool fortran, char *text, size_t room);
/* The reverse: p->off of such a text, which begins behind the variable's name. -1: err. */
int type_find(struct type_part *p, bool fortran, const char *text, struct err *err);

/* ---- code.c: where things are at an address of the code ---- */

struct code_scope {
	const struct module *m;
	struct Dwfl_Module *mod;
	uint64_t vaddr;
	Dwarf_Addr bias;
	Dwarf_Die *cu, function;
	bool has_function, fortran;
	Dwarf_Die *scope; /* owned; the innermost first, those around the function as well */
	int nscope;
	unsigned level; /* whose frame is looked at: 0 the function's, 1 that of its host, … */
};

void code_add(struct symbol_code *c, unsigned op, unsigned arg, int64_t value);
void code_append(struct symbol_code *c, const struct symbol_code *more);
void code_clear(struct symbol_code *c);
/* -1 and err: there is no debug information. Close it in either case. */
int code_scope_open(struct symbols *s, const char *module, uint64_t vaddr, struct code_scope *x,
		    struct err *err);
void code_scope_close(struct code_scope *x);
/* Appends a location's steps; object: what DW_OP_push_object_address gives, NULL: nothing. *value:
 * they give the value, else its address. False: it cannot be known there. */
bool code_of_location(const struct code_scope *x, Dwarf_Attribute *attr, const Dwarf_Op *op,
		      size_t n, const struct symbol_code *object, struct symbol_code *out,
		      bool *value);
/* The frame's address. */
bool code_of_frame(const struct code_scope *x, struct symbol_code *out);
bool code_of_variable(const struct code_scope *x, Dwarf_Die *die, struct symbol_code *out,
		      bool *value);
/* An attribute that is a number, about the object. */
bool code_of_number(const struct code_scope *x, Dwarf_Die *die, unsigned name,
		    const struct symbol_code *object, struct symbol_code *out);

#define CODE_DIMS 15

/* A dimension, as programs that give its numbers. */
struct code_dim {
	struct symbol_code lower, count, stride; /* stride: bytes; count n 0: not known */
};

struct code_dims {
	unsigned n;
	struct code_dim dim[CODE_DIMS];
	struct symbol_code data; /* where the elements begin */
};

/* The array's dimensions, and strides where they follow from the extents. False: not known. */
bool code_dims_of(const struct code_scope *x, Dwarf_Die *type, const struct symbol_code *object,
		  struct code_dims *d);
void code_dims_clear(struct code_dims *d);

/* ---- named.c: declarations by their names ---- */

struct named {
	const char *name;
	size_t n;
	bool fortran;
	const char *within; /* "mesh::inner::", nwithin bytes, in front of the name */
	size_t nwithin;
	const Dwarf_Die *other; /* than this one; NULL: any */
};

/* A variable, or an enumerator, in the scopes of the code up to its function. */
bool named_local(const struct named *w, const struct code_scope *x, Dwarf_Die *out);
/* In those around the function, in its unit, then in all units. 1: not there; -1 and err: there are
 * several. */
int named_outside(const struct named *w, const struct code_scope *x, Dwarf_Die *out,
		   struct err *err);
/* A member of a structure or its bases; adds to *off how far it is behind the beginning. */
bool named_part(const struct named *w, Dwarf_Die *type, Dwarf_Die *out, uint64_t *off);
/* Of a class of the C++ library the member that its elements are, or that points to what it holds;
 * *off likewise. False: it is none of those that are known. */
bool named_held(Dwarf_Die *type, Dwarf_Die *out, uint64_t *off);

#endif
