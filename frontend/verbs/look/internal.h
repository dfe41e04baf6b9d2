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
struct fetch_object;
struct rankset;
struct session;

/* {"name": "u", "kind": "double", "shape": "[10][10]", "held": "distributed", …}, as in the answer
 * of `what`. */
json_t *object_json(struct session *s, const struct fetch_object *o);

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

#endif
