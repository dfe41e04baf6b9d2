/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: what the user has set up (program, actionpoints, focus, settings, findings) and the
 * job that runs, if any. It outlives jobs: rerun makes a new one.
 */
#ifndef DVMDBG_FRONTEND_SESSION_H
#define DVMDBG_FRONTEND_SESSION_H

#include <stdbool.h>

#include "common/logical/rankset.h"
#include "common/protocol/rule.h"
#include "frontend/job/job.h"

struct actionpoints;
struct acts;
struct checker;
struct err;
struct findings;
struct halo_watch;
struct levels;
struct loop;
struct out;
struct pair;
struct second;
struct settings;
struct shell;
struct symbols;

struct session {
	struct loop *loop;
	struct out *out;
	struct job *job;      /* NULL: nothing is loaded */
	struct job_spec spec; /* argv and strings owned here */
	struct actionpoints *acts;
	struct acts *judge; /* owned; of this run: decides about stops at actionpoints */
	bool rules_late;    /* the job has older rules, as nothing runs that would need them */
	struct settings *set;
	struct findings *findings;
	struct checker *checker;
	struct levels *levels;	/* owned; of constructs, as given by the user */
	struct second *leaving; /* owned; other runs that have been ended, for second_reap */
	struct pair *pair;	/* owned; another run beside this one, NULL: none */
	const char *stop_words; /* why it was told to stop at a point; NULL: as checksums differ */
	char side; /* of a pair, 'A' or 'B': commands are for it alone; 0: they are not */
	struct halo_watch
		*halo; /* owned; of this run: since when halos are stale; NULL: not known */
	struct symbols *symbols; /* debug information, for places without a file */
	char *focus;		 /* the text of the current set, "all" at first */
	struct shell
		*shell; /* the commands' own state (shell.h); borrowed, NULL without commands */
	bool batch, interactive;
	bool can_fill_screen;  /* there is a terminal for the full screen … */
	bool fill_screen;      /* … and it is wanted now */
	bool unheard;	       /* nobody reads what the program prints */
	bool error_file_begun; /* ErrorFile has what is of this run, or is to be added to */
	bool quitting;
	int ended_by;	     /* the signal that has ended it, 0 none; nobody types into it */
	int status;	     /* exit status so far: 0, 1, 2, 3 */
	double progress;     /* 0 … 1, of what is fetched in parts just now; 0: of nothing */
	int64_t output_at;   /* loop_now of the program's last output */
	struct rankset told; /* ranks whose end session_show_stop has shown */
	struct rankset bad;  /* ranks that had stopped badly when a wait ended last */
};

/* How a wait for a logical stop ended. */
enum stop_verdict {
	VERDICT_STOPPED,   /* all members have stopped or ended */
	VERDICT_PARTIAL,   /* some have, the timer ran out for the others */
	VERDICT_BAD,	   /* one stopped badly, the others were halted */
	VERDICT_OVER,	   /* the job is over */
	VERDICT_INTERRUPT, /* Ctrl-C: members were halted */
};

struct session *session_create(struct loop *loop, struct out *out, struct err *err);
/* Ends the job as ON_EXIT says. */
void session_destroy(struct session *s);
/* Loads the program of spec: supervisors are started, the program is not. */
int session_load(struct session *s, struct err *err);
/* Ends what runs, loads anew, sends the rules. */
int session_reload(struct session *s, struct err *err);
/*
 * Sends the enabled actionpoints to the job, if there is one: at once when ranks run, else when
 * some are told to go on.
 */
int session_send_rules(struct session *s, struct err *err);
/* Turns the loop until the members have stopped, by the policies STOP_TIMER and BAD_STOP
 * (entity.c). */
enum stop_verdict session_wait(struct session *s, const struct rankset *who);
/* The same until any member has stopped or ended; the others run on. */
enum stop_verdict session_wait_any(struct session *s, const struct rankset *who);
/* As these two, but Ctrl-C only ends the waiting: the members run on. */
enum stop_verdict session_watch(struct session *s, const struct rankset *who, bool any);
/* The same for two sessions at once; done is called as soon as one is waited for no longer. */
void session_wait_both(struct session *const s[2], const struct rankset *const who[2],
		       enum stop_verdict verdict[2], void (*done)(void *arg, int i), void *arg);
/* Prints where the members are: "Point 3.B  [0:3]  parallel loop  heat.c:61", ends, reasons. */
void session_show_stop(struct session *s, const struct rankset *who, enum stop_verdict verdict);

#endif
