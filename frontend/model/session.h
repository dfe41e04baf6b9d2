/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: what the user has set up (program, actionpoints, focus, settings, findings) and the
 * job that runs, if any. It outlives jobs: rerun makes a new one. What is done with it is in
 * session/session.h.
 */
#ifndef DVMDBG_FRONTEND_MODEL_SESSION_H
#define DVMDBG_FRONTEND_MODEL_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/util/redirect.h"
#include "common/logical/rankset.h"
#include "common/logical/thread_set.h"
#include "common/protocol/rule.h"
#include "frontend/job/job.h"

struct actionpoints;
struct action;
struct checker;
struct err;
struct findings;
struct gdb_set;
struct halo_watch;
struct levels;
struct loop;
struct out;
struct outcome;
struct pair;
struct second;
struct settings;
struct shell;
struct expr_scope;
struct fetch;
struct fetched;
struct symbols;
struct values;

struct session;

/*
 * What others do when a session's job comes and goes. Each may be NULL. Called in the order in
 * which they were added.
 */
struct session_hooks {
	void (*loading)(struct session *s);		   /* the program is about to be loaded */
	int (*loaded)(struct session *s, struct err *err); /* it is; -1 and err: it is ended */
	void (*over)(struct session *s);		   /* a job, if there was one, is gone */
	void (*closing)(struct session *s); /* the session is about to end, its job is there */
	void (*closed)(struct session *s);  /* the session ends, its job is gone */
};

#define SESSION_HOOKS 4u

/*
 * The array that locate has found to differ first, as its reference run had it there: for diff,
 * until the next locate or the session's end. Zeroed: there is none.
 */
struct session_kept {
	char *dir; /* owned; of the session's own, with the file; lock holds it */
	int lock;
	char *name, *file; /* owned; the array, with its place; its .npy file */
	struct point at;
	int ranks;	 /* of the reference */
	unsigned number; /* of that locate in the session */
};

/* What is known of whether the job hangs (hang/watch.c). */
struct hang_state {
	int64_t next, line,
		since;	/* loop_now: looks again, has shown a line, nothing moves; or 0 */
	int64_t looked; /* loop_now: has looked for the cause since something has moved last; or 0
			 */
	bool busy;
	bool left;      /* who waits shall not wait any longer */
	char *reported; /* owned; what was reported last, NULL: nothing */
};

struct session {
	struct loop *loop;
	struct out *out;
	struct job *job;      /* NULL: nothing is loaded */
	struct job_spec spec; /* argv and strings owned here */
	char *marks_file;     /* owned; marks beside the source, which each run compiles anew; NULL:
				 none */
	char *marks_id; /* owned; what they were when this run was loaded; NULL: there were none */
	struct actionpoints *acts;
	/* What expressions of verbs and conditions may name: session_scope; NULL: objects alone. */
	struct expr_scope (*expressions)(struct fetch *f);
	/* What is watched without being registered: session_watched; NULL: nothing can be. */
	int (*watched)(struct session *s, const struct rankset *who, const char *text, uint32_t id,
		       unsigned what, struct fetched *out, struct err *err);
	struct action *action; /* owned; of this run: decides about stops at actionpoints */
	bool rules_dirty;     /* the job has older rules, as nothing runs that would need them */
	struct settings *set;
	struct findings *findings;
	struct checker *checker;
	struct levels *levels; /* owned; of constructs, as given by the user */
	const struct session_hooks *hooks[SESSION_HOOKS]; /* borrowed */
	struct second *leaving; /* owned; other runs that have been ended, for second_reap */
	struct session_kept kept;
	struct pair *pair;	/* owned; another run beside this one, NULL: none */
	struct gdb_set *gdb; /* owned; native debuggers on ranks, NULL: none */
	bool shift_shown; /* of this run: contents that are adjacent to their registration were
			     reported */
	const char *stop_words; /* why it stops at a point; NULL: as checksums differ */
	char side; /* of a pair, 'A' or 'B': commands are for it alone; 0: they are not */
	struct halo_watch
		*halo; /* owned; of this run: since when halos are stale; NULL: not known */
	struct symbols *symbols; /* debug information, for places without a file */
	struct hang_state hang;
	char *focus;		 /* the text of the current set, "all" at first */
	struct shell *shell; /* the commands' own state (session/shell.h); borrowed, NULL without
				commands */
	bool batch, interactive;
	bool can_fill_screen;  /* there is a terminal for the full screen … */
	bool fill_screen;      /* … and it is wanted now */
	bool unheard;	       /* nobody reads what the program prints */
	bool error_file_begun; /* ErrorFile has what is of this run, or is to be added to */
	bool quitting;
	int ended_by;		 /* the signal that has ended it, 0 none; nobody types into it */
	struct merged *merged;	 /* owned; what the program prints, on its way to the screen */
	size_t *awaiting, nawaiting; /* owned; numbers of findings, on their way to it: other ranks
					may have them too */
	bool flushing;		 /* these two are being shown */
	struct outcome *outcome; /* owned; what the exit status comes from */
	double progress;	 /* 0 … 1, of what is fetched in parts just now; 0: of nothing */
	int64_t output_at;	 /* loop_now of the program's last output */
	struct rankset crashed;	 /* ranks whose crash session_show_stop has shown */
	struct rankset reported; /* ranks whose end session_show_stop has shown */
	struct rankset bad;	 /* ranks that had stopped badly when a wait ended last */
};

/* What the commands of a session remember between them; what is done with it is in
 * session/session.h. */
struct shell {
	struct focus *focus;
	struct alias *alias;
	struct history *history;
	struct source *source;
	/* Of the verb that runs: what its set names of threads; NULL: none are named. Borrowed. */
	const struct thread_set *threads;
	unsigned thread;      /* whose variables are asked for, by age; 0: the one that runs main */
	unsigned level;	      /* the frame chosen with up and down, from the innermost, */
	struct rankset level_who; /* in the stack of these ranks (session_level) */
	char *file;	      /* owned; the current file, NULL before any */
	uint32_t line;	      /* the current line in it; 0: none */
	uint32_t listed;      /* the last line that list has shown; 0: none since the last stop */
	uint32_t listed_from; /* the first of them */
	struct logs *logs;    /* of the verb log */
	struct redirect redirect; /* of run … <in >out */
	const char *script; /* the file whose commands are run, NULL at the prompt; borrowed */
	unsigned script_line;
	unsigned nesting; /* of scripts and aliases */
	char *pending;	  /* owned; lines that ended in a backslash */
	char *hidden;	  /* owned; " u eps ": it was noted that variables have the names of objects */
	char *draft;	  /* owned; a line that was being typed when the full screen came or went */
	char *show;	  /* owned; what the full screen shall show, as the verb tui was given it */
	struct rankset gone; /* ranks that `go` has sent off and that nobody waits for */
	bool proginput;	     /* what is typed is for the program, until Ctrl-C */
	bool gdb;	     /* what is typed is for gdb -all, until quit */
	bool awaited;	     /* the verb wait waits: what is typed is for the program */
	/* Asks on the full screen: true, the answer is yes. NULL: the terminal is not its own. */
	bool (*ask)(void *arg, const char *question);
	void *ask_arg; /* borrowed */
};

/* Adds them unless they are there. At most SESSION_HOOKS. */
void session_hook(struct session *s, const struct session_hooks *hooks);

#endif
