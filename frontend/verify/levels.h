/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Levels of detail that constructs have for themselves, by their places: given by level, or by a
 * configuration file.
 */
#ifndef DVMDBG_FRONTEND_LEVELS_H
#define DVMDBG_FRONTEND_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/protocol/trace_config.h"

struct err;
struct levels;
struct location;
struct session;
struct dvmtext_head;

struct levels *levels_create(void);
void levels_destroy(struct levels *l); /* NULL is fine */
/* The construct's own level; -1: it has none any more. */
int levels_set(struct levels *l, const struct location *loc, int level, struct err *err);
void levels_forget(struct levels *l);
/* Those of a configuration file take the place of all. How many have a level or ranges: *n. */
int levels_read(struct levels *l, const struct dvmtext_head *h, size_t *n, struct err *err);
size_t levels_count(const struct levels *l);
/* The highest (enum trace_config_level). */
unsigned levels_highest(const struct levels *l);
/* What ranks are sent: *n of them, owned by the caller; NULL when there is none. -1: err. */
void levels_places(const struct levels *l, struct session *s, struct trace_config_place **out,
		   uint32_t *n);
/*
 * As a reference keeps them: [{"file": "heat.c", "line": 61, "level": "FULL", "ranges": [[first,
 * last, step], …]}, {"name": "solve", …}, {"array": "u", "line": 32, "counter": 0, "level":
 * "MODIFY"}, …]; those of more follow, either may be NULL.
 */
json_t *levels_kept(const struct levels *l, const struct levels *more);
/* Appends such; constructs have the level `most` at most. */
int levels_take(struct levels *l, const json_t *list, unsigned most, struct err *err);
void levels_forget_arrays(struct levels *l);
/* Not all accesses to the array are recorded; l NULL: they are. */
bool levels_cut(const struct levels *l, const char *name, uint32_t counter);
/* [{"location": "heat.c:61", "level": "FULL"}, …] of constructs */
json_t *levels_json(const struct levels *l);

#endif
