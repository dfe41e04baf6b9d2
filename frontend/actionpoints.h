/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Actionpoints: one pool of ids from 0 that are never used twice. They belong to the session and
 * survive its jobs.
 */
#ifndef DVMDBG_FRONTEND_ACTIONPOINTS_H
#define DVMDBG_FRONTEND_ACTIONPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rule.h"

struct err;
struct actionpoints;

struct actionpoint {
	struct rule rule; /* rule.id is the id, rule.count as given */
	char *text;	  /* owned; the location as shown: "heat.c:61", "13.B", "solve" */
	bool enabled;
	uint32_t hits;	   /* logical stops at it, in all runs */
	uint32_t run_hits; /* in the newest run */
};

/* What a location in a command means. */
struct location {
	enum rule_kind kind; /* POINT, LINE or NAME */
	struct point point;
	char file[RULE_FILE]; /* of LINE the file, of NAME the procedure */
	uint32_t line;
};

/*
 * Reads "13.B", "file:line", "#file#line", "line" (in current_file, may be NULL), "$EXEC" (in
 * current_file too) or a procedure's name. The error tells what a location can be.
 */
int location_parse(struct location *loc, const char *text, const char *current_file,
		   struct err *err);
/* "13.B", "heat.c:61", "solve"; returns out. */
const char *location_format(const struct location *loc, char *out, size_t size);

struct actionpoints *actionpoints_create(void);
void actionpoints_destroy(struct actionpoints *a);
/* Adds one; the id or -1. The pointer of actionpoints_find lasts until the next add or delete. */
int64_t actionpoints_add(struct actionpoints *a, const struct location *loc, uint32_t count,
			 struct err *err);
struct actionpoint *actionpoints_find(struct actionpoints *a, uint32_t id);
/* -1 and err when there is none with the id. */
int actionpoints_delete(struct actionpoints *a, uint32_t id, struct err *err);
/* Makes `to` the same as `from`; how often they were hit stays of each. -1: out of memory. */
int actionpoints_copy(struct actionpoints *to, const struct actionpoints *from);
size_t actionpoints_count(const struct actionpoints *a);
/* The i-th in the order of ids. */
struct actionpoint *actionpoints_at(struct actionpoints *a, size_t i);
/* Counts a logical stop at id. */
void actionpoints_hit(struct actionpoints *a, uint32_t id);
/* A new run begins: no hits in it so far. */
void actionpoints_new_run(struct actionpoints *a);
/*
 * The rules of the enabled ones, *n of them, to be freed by the caller with free; NULL when there
 * is none or no memory (then *n is 0, err is set).
 */
struct rule *actionpoints_rules(const struct actionpoints *a, uint32_t *n, struct err *err);

#endif
