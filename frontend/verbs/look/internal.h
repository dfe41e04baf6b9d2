/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is reported of a registered object.
 */
#ifndef DVMDBG_FRONTEND_VERBS_LOOK_INTERNAL_H
#define DVMDBG_FRONTEND_VERBS_LOOK_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>

#include "frontend/verbs/look/look.h"

struct err;
struct expr;
struct fetch_object;
struct rankset;
struct session;
struct values;

/* {"name": "u", "kind": "double", "shape": "[10][10]", "held": "distributed", …}, as in the answer
 * of `what`. */
json_t *object_json(struct session *s, const struct fetch_object *o);

/* An answer of the type "address": where the object, or a section of it, is in the memory of the
 * ranks of who. NULL and err, which is ERR_NAME when no object has the name. */
json_t *address_of(struct session *s, const struct rankset *who, const char *text, struct err *err);

/*
 * Where the verb search looks: in lines, each a JSON object with a member "text".
 */

struct search_place {
	const char *name; /* as after -in */
	bool newest;	  /* when there is too much, the last lines are the ones that matter */
	/*
	 * Adds groups of lines to the array: {"list": […], and what they are of}. -1 and err when
	 * it cannot be looked there, as when no program is loaded.
	 */
	int (*gather)(struct session *s, const struct rankset *who, json_t *groups,
		      struct err *err);
};

/* Ends with a name that is NULL. */
extern const struct search_place search_places[];

/* How print shows values, when not all of them; in picture.c. */
struct picture {
	struct session *s;
	const struct rankset *who;
	const struct expr *e;	  /* what the values are of */
	const char *text, *label; /* what is typed, what elements are named by */
	const struct section *section; /* of the object that e names; NULL: none is known */
	bool sorted, plot, histogram;
};
/* mask: of -where; NULL: all. An answer of the type "elements", "plot" or "histogram". NULL and
 * err. */
json_t *picture_of(const struct picture *p, const struct values *q, const struct values *mask,
		   struct err *err);

/* Makes of structures that differ, in an answer of the type "locals", their fields. */
void fields_apart(json_t *answer);
/* Of one variable in different functions: the values are grouped as if it were one function. */
void variables_together(json_t *answer);

#endif
