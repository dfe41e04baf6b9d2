/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types in debug information: from bytes of a variable to the element and field that they are, and
 * back. For symbol_data.c.
 */
#ifndef DVMDBG_FRONTEND_SYMBOL_TYPE_H
#define DVMDBG_FRONTEND_SYMBOL_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* A part of something with a type. */
struct type_part {
	Dwarf_Die die; /* the type, peeled */
	uint64_t off;  /* bytes in it */
	unsigned want; /* bytes of the access; 0: not known */
	uint64_t size; /* of what was found; 0: not known */
	unsigned type; /* enum value_type; VALUE_TYPES: no number */
};

/* Whether the unit is of Fortran. */
bool type_fortran(Dwarf_Die *cu);
/* The type of a variable or member, without typedef, const and the like; false: none. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
/* Bytes; 0: not known. Of what is allocated: of its descriptor. */
uint64_t type_size(Dwarf_Die *type, bool fortran);
/*
 * Appends "[3].t" or "(2,3)%t" of the byte p->off to text. What is left of the offset in the last
 * part is then in p->off, with its type and size.
 */
void type_name(struct type_part *p, bool fortran, char *text, size_t room);
/* The reverse: p->off of such a text, which begins behind the variable's name. -1: err. */
int type_find(struct type_part *p, bool fortran, const char *text, struct err *err);

#endif
