/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields of arrays of structures: each is an object, cells[].t, and the structures' name means
 * all of them.
 */
#ifndef DVMDBG_FRONTEND_FIELDS_H
#define DVMDBG_FRONTEND_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

struct array_desc;
struct err;
struct fetch_objects;
struct section;

/* Object i is a field of structures of that name ("cells@f.c:12" too), the first so called. */
bool fields_has(const struct fetch_objects *all, size_t i, const char *structures);
/* "cells.t" of the object cells[].t, as it is typed; allocated. */
char *fields_name(const struct array_desc *field, const char *structures);
/* "cells is an array of structures: name a field, cells.t"; 0: there are none of that name, else
 * -1. */
int fields_unnamed(const struct fetch_objects *all, const char *name, struct err *err);
/* Likewise of cells.z: "cells has no field 'z'; its fields: t". all: the objects that there are. */
int fields_unknown(const struct fetch_objects *all, const char *name, struct err *err);
/* Of a field that is an array, and a section of the structures alone: all of each. */
void fields_whole(const struct array_desc *a, struct section *s);
/* What elements are named by: of a field its own name, in which indices have their place. */
const char *fields_label(const struct array_desc *a, const char *name);

#endif
