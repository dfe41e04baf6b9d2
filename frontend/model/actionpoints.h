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

#include "common/protocol/rule.h"

struct err;
struct actionpoints;

enum act_kind { ACT_BREAK, ACT_BARRIER, ACT_WATCH, ACT_KINDS };

/* Texts are owned. Sets are without brackets, as focus_eval takes them. */
struct actionpoint {
	enum act_kind kind;
	struct rule
		rule; /* rule.id is the id, rule.count as given; of ACT_WATCH only the id counts */
	struct watch watch; /* of ACT_WATCH */
	char *text;	    /* the location as shown: "heat.c:61", "13.B", "solve"; "u[3][4]" */
	char *who;	    /* for whom it holds; NULL: all */
	char *off;	    /* members of who for whom it is disabled; NULL: none */
	char *stop;	    /* who stops with them; NULL: as the place says; "": nobody */
	char *cond;	    /* NULL: none */
	char *length;	    /* bytes to be watched, as given; NULL: all */
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
 * current_file too) or a procedure's name. The error shows what a location can be.
 */
int location_parse(struct location *loc, const char *text, const char *current_file,
		   struct err *err);
/* "13.B", "heat.c:61", "solve"; returns out. */
const char *location_format(const struct location *loc, char *out, size_t size);

/* "break", "barrier", "watch" */
const char *act_kind_name(enum act_kind kind);
/* "5", "(5,*)": the indices into r; the error says what is allowed. */
int actionpoints_iteration_parse(struct rule *r, const char *text, struct err *err);
/* The form that actionpoints_iteration_parse reads; "" when r names none. Returns out. */
const char *actionpoints_iteration_format(const struct rule *r, char *out, size_t size);

struct actionpoints *actionpoints_create(void);
void actionpoints_destroy(struct actionpoints *a);
/* Adds one; the id or -1. The pointer of actionpoints_find lasts until the next add or delete. */
int64_t actionpoints_add(struct actionpoints *a, const struct location *loc, uint32_t count);
/* One of another kind, whose text is what is watched. */
int64_t actionpoints_add_watch(struct actionpoints *a, const struct watch *w, const char *text);
struct actionpoint *actionpoints_find(struct actionpoints *a, uint32_t id);
/* -1 and err when there is none with the id. */
int actionpoints_delete(struct actionpoints *a, uint32_t id, struct err *err);
/* Makes `to` the same as `from`; how often they were hit stays of each. */
void actionpoints_copy(struct actionpoints *to, const struct actionpoints *from);
size_t actionpoints_count(const struct actionpoints *a);
/* The i-th in the order of ids. */
struct actionpoint *actionpoints_at(struct actionpoints *a, size_t i);
/* Counts a logical stop at id. */
void actionpoints_hit(struct actionpoints *a, uint32_t id);
/* A new run begins: no hits in it so far. */
void actionpoints_new_run(struct actionpoints *a);
/* *member becomes a copy of text, which may be NULL. */
int actionpoint_set(char **member, const char *text);
/*
 * The rules of the enabled ones with a place, *n of them, to be freed by the caller with free; NULL
 * when there is none (then *n is 0).
 */
struct rule *actionpoints_rules(const struct actionpoints *a, uint32_t *n);

#endif
