/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Aliases: a first word that represents other words; ';' in the body parts commands.
 */
#ifndef DVMDBG_FRONTEND_ALIAS_H
#define DVMDBG_FRONTEND_ALIAS_H

#include <stddef.h>

struct alias;
struct err;

/* With those that are in place at the start. */
struct alias *alias_create(void);
void alias_destroy(struct alias *a);
/* Makes or replaces one; the name must be one word. set: of ranks its commands are for, or NULL. */
int alias_set(struct alias *a, const char *name, const char *body, const char *set,
	      struct err *err);
int alias_unset(struct alias *a, const char *name, struct err *err);
void alias_unset_all(struct alias *a);
/* The body, borrowed, or NULL. */
const char *alias_find(const struct alias *a, const char *name);
/* The set that its commands are for, borrowed, or NULL. */
const char *alias_set_of(const struct alias *a, const char *name);
/* The i-th by name; NULL behind the last. */
const char *alias_at(const struct alias *a, size_t i, const char **body);

#endif
