/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What becomes of ranks that stop at actionpoints: conditions are put to the vote, barriers hold
 * their members, watched values are compared, others are halted with them, and those that had no
 * reason to stop go on as if they had not. Belongs to one run of a session.
 */
#ifndef DVMDBG_FRONTEND_ACTION_ACTION_H
#define DVMDBG_FRONTEND_ACTION_ACTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/logical/rankset.h"
#include "frontend/model/focus.h"

struct action;
struct actionpoint;
struct err;
struct location;
struct msg_rules;
struct rankset;
struct report_stop;
struct session;
struct watch;

struct action *action_create(struct session *s);
void action_destroy(struct action *a);

/*
 * Decides about the stops since the last call. True: some ranks have been sent on, or could not be
 * decided about yet; they count as running. NULL is fine everywhere below.
 */
bool action_settle(struct action *a);
/* Stopped ranks that are not decided about, as others may still come to their place. */
const struct rankset *action_pending(const struct action *a);
/* Ranks that are held at barriers. */
const struct rankset *action_held(const struct action *a);
/* "[0:2] held at barrier 4, which waits for [3]", for those of who; false: none is held. */
bool action_held_words(const struct action *a, const struct rankset *who, char *out, size_t size);
/* Ranks that are about to go on: what is known of their stops is over. */
void action_going(struct action *a, const struct rankset *who);
/* Actionpoints have been deleted or disabled, or ranks have ended: barriers may let go. */
void action_changed(struct action *a);
/* Whether a stop of ranks is one at this actionpoint: its condition was not false. */
bool action_shows(const struct action *a, uint32_t id, const struct rankset *ranks);
/* Ranks that a barrier has let go since the last call are to be shown with others: adds them. */
void action_shown(struct action *a, struct rankset *who);
/* Adds to who the stop sets of the actionpoints that any of them has stopped at. */
void action_add_stop_sets(const struct action *a, struct rankset *who);
/* Of a barrier: who is held there, and who is missing. */
void action_describe(const struct action *a, const struct actionpoint *ap, json_t *o);
/* Its stopped ranks find out where what is no registered object is. -1 and err: one does not. */
int action_watch_place(struct action *a, const struct actionpoint *ap, struct err *err);
/* In this run nobody could find out, nor say that it is not there. */
bool action_never_placed(struct action *a, const struct actionpoint *ap);
/* The present values of what a watch names are those that it compares with. */
void action_watch_begin(struct action *a, const struct actionpoint *ap);

/*
 * Into o, of a stop behind a write: write, with its file and line as far as they are known, by
 * ("thread": another than that which calls MPI; "?": MPI, or code without access hooks), iteration.
 */
void action_write_put(struct session *s, const struct report_stop *r, json_t *o);

/* The user has changed values: watches compare with these. */
void action_assigned(struct action *a);

/* The members of a set as text has it (NULL: all), without those of off. */
int action_members(struct session *s, const char *text, const char *off, struct rankset *out,
		   struct err *err);
/* Rules, sets and watched elements of all enabled actionpoints; cleared with msg_rules_clear. */
void action_orders(struct session *s, struct msg_rules *out);

/*
 * Sends the enabled actionpoints to the job, if there is one: at once when ranks run, else when
 * some are started or go on.
 */
void action_send(struct session *s);
/* At once; there is a job. */
void action_send_now(struct session *s);

/* What expressions about sets are evaluated in. */
struct focus_env action_focus_env(struct session *s);

/*
 * Places and variables of actionpoints, checked as far as they can be known when they are given.
 */

/* The file that a line alone is in: the current one, at first that of main; NULL: none. */
const char *action_place_file(struct session *s);
/* -1 and err for a file or line that the program cannot have; what cannot be known is a warning. */
int action_place_check(struct session *s, const struct location *loc, struct err *err);
/*
 * The same; and a line on which no construct begins becomes the next one of its file on which one
 * does, with a warning; -1 and err where there is none. Where the program's code does not show all
 * of them, nothing is changed.
 */
int action_place_move(struct session *s, struct location *loc, struct err *err);
/* What the source shows of a parallel loop that begins there. */
enum action_loop {
	ACTS_LOOP_NONE,	  /* there is none, or the source is not found */
	ACTS_LOOP_BARE,	  /* its iterations are not marked */
	ACTS_LOOP_HOOKED, /* they are in programs with access hooks: DVMDBG_PL_ITERATION */
	ACTS_LOOP_MARKED, /* they are in all: DVMDBG_ITERATION */
};
/* The source shows that no construct is announced there. */
bool action_place_bare(struct session *s, const struct location *loc);
enum action_loop action_place_loop(struct session *s, const struct location *loc);
/* Of a parallel loop whose iterations are asked for and not seen: what to do. */
const char *action_place_unseen(const char *file);
/* "u[3][4]" and, when it is not NULL, the bytes from there on. The id is not set. */
int action_watch_parse(struct session *s, const char *text, const char *length,
		       const struct rankset *who, struct watch *w, struct err *err);
/* -1: the rank of the watched element, text, cannot evaluate the condition (may be NULL) alone. */
int action_watch_condition(struct session *s, const struct watch *w, const char *text,
			   const char *cond, const struct rankset *who, struct err *err);

#endif
