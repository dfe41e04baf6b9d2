/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the verb search looks: in lines, each a JSON object with a member "text".
 */
#ifndef DVMDBG_FRONTEND_CMD_SEARCH_H
#define DVMDBG_FRONTEND_CMD_SEARCH_H

#include <stdbool.h>

#include <jansson.h>

struct err;
struct rankset;
struct session;

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
