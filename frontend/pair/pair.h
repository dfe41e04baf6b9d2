/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two runs side by side: A, another run beside the session's own, which is B. They go on together,
 * their checksums are compared at each point, and both stop at the first that does not match.
 * Points correspond by their numbers, or, when something is tied, tied constructs by how often they
 * have ended.
 */
#ifndef DVMDBG_FRONTEND_PAIR_PAIR_H
#define DVMDBG_FRONTEND_PAIR_PAIR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/point.h"
#include "common/protocol/rule.h"
#include "frontend/session/session.h"

struct compare;
struct err;
struct pair;
struct pieces;
struct rankset;
struct second;
struct session;

/*
 * Makes the pair and puts it into s: n ranks of argv (NULL: the session's program and arguments) as
 * A. Both are loaded, neither is started. Ends a former pair.
 */
int pair_make(struct session *s, int n, char *const *argv, struct err *err);
/* Takes it out of s and ends A; B goes on alone. Fine without one. */
void pair_end(struct session *s);
/* A; borrowed. */
struct session *pair_other(const struct pair *p);
/* Commands of s are for both sides: there is a pair, and none of its sides was chosen. */
bool pair_both(const struct session *s);
/* "A  1 rank  ./heat 100 20"; side 'A' or 'B'; returns out. */
const char *pair_label(const struct session *s, char side, char *out, size_t size);
/* What compares the runs of a pair, else the session's run with its reference; NULL: nothing does.
 */
const struct compare *pair_compared(const struct session *s);
/* A prints what follows, or keeps it to itself. */
void pair_hush(struct pair *p, bool hush);
/* A gets the actionpoints of B. */
void pair_share_actions(struct session *s);

/* Commands are for both, and who is all of B that can still do something. */
bool pair_moves(const struct session *s, const struct rankset *who);
/*
 * Lets what stands or is loaded of both sides go on. *b: B has such ranks. 1: neither has; -1 and
 * err.
 */
int pair_go(struct session *s, enum plan_mode mode, uint32_t n, bool *b, struct err *err);
/* 1: nothing runs. */
int pair_halt(struct session *s);
int pair_kill(struct session *s, struct err *err);
/* Waits for both. */
enum stop_verdict pair_wait(struct session *s);
/* After B has been shown, if it was: shows where A is if it has moved, and shows mismatches. */
void pair_show(struct session *s);
/* The same when A was moved alone. */
void pair_inspect(struct session *s);

/*
 * "A.u@heat.c:61" and "B.phi@solver.f90:120": what u is when the construct at heat.c:61 ends in A
 * is what phi is when that at solver.f90:120 ends in B. From then on only what is tied is compared.
 * An array that a side does not have, though it has some, is an error.
 */
int pair_tie(struct pair *p, const char *a, const char *b, struct err *err);
void pair_untie(struct pair *p);
/* The i-th tie as text, NULL behind the last; out as in pair_label. */
const char *pair_tie_text(const struct pair *p, size_t i, char *out, size_t size);

/*
 * The command's words for A: names of B's arrays that are tied are those of A's, with the
 * subscripts of the same elements. NULL: they are the same; else to be freed.
 */
char *pair_translate(struct session *s, const char *text);
/*
 * The values of A's array that corresponds to the pieces of B; from: "A, 1 rank, at 3.E".
 */
void *pair_values(struct session *s, const struct pieces *p, char *from, size_t size,
		  struct err *err);

/* What the two runs have shown so far; NULL before the first. */
const struct compare *pair_comparison(const struct pair *p);

/*
 * Another run of the session's program beside it, without a user: its output and notes are
 * dropped. For locate and pair.
 */

/*
 * The same program, launcher and settings, on n ranks; argv NULL: the same arguments. Loaded by
 * session_load or second_run_to.
 */
struct second *second_create(struct session *s, int n, char *const *argv, struct err *err);
void second_destroy(struct second *r);			/* ends its program; NULL is fine */
struct session *second_session(const struct second *r); /* borrowed */
/* The last that the program and its launcher have printed, whole lines; "" nothing. */
const char *second_output(struct second *r); /* turns the loop for a moment */
/* Lines of warnings that nobody has seen, the last ones. */
const char *second_warnings(struct second *r);
/*
 * Ends its program without waiting for the launcher, which takes its time: s keeps r until
 * second_reap finds that all of it is gone. NULL is fine.
 */
void second_retire(struct session *s, struct second *r);
/* Destroys what was retired and is gone; all: waits for the others. */
void second_reap(struct session *s, bool all);

/* What became of a run. */
enum run_end {
	RUN_THERE,  /* all ranks stand at the point */
	RUN_OVER,   /* ended by itself, well or with an exit code: err says so */
	RUN_HELD,   /* stands somewhere else: for a verdict, or an actionpoint */
	RUN_STUCK,  /* some stand at the point, and others do not arrive: err says who */
	RUN_FAILED, /* err says what happened: a rank died, or does not go on */
	RUN_INTERRUPTED,
};

/* How a run goes. */
struct run_watch {
	int64_t quiet_ms; /* it is given up when no point comes for so long; 0: never */
	void (*tick)(void *arg, struct session *s); /* now and then; NULL: not */
	void *arg;
	const char *enough; /* tick may set it: the run is given up, as … */
	/* second_run_to fills in the longest time without a point, and whether it was given up */
	int64_t longest_ms;
	bool hung;
	/* its own */
	struct session *s;
	uint64_t points;
	int64_t since;
};

/*
 * Lets all ranks go on to p, NULL: to the end, and waits. The program must be loaded. Nothing is
 * printed. w may be NULL.
 */
enum run_end second_run_to(struct session *s, const struct point *p, struct run_watch *w,
			   struct err *err);

#endif
