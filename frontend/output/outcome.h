/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an invocation has come to: what it found, what it could not compare, how the program ended,
 * and what dvmdbg itself could not do. The only place that makes the exit status of it.
 */
#ifndef DVMDBG_FRONTEND_OUTCOME_H
#define DVMDBG_FRONTEND_OUTCOME_H

#include <stdbool.h>

#include <jansson.h>

struct out;
struct outcome;

/* The most important first: the exit status is that of the first that holds. */
enum outcome_kind {
	OUTCOME_FINDINGS,   /* 1: something is wrong, or differs */
	OUTCOME_DEADLOCK,   /* 3: the run was ended for it, or nobody waits for it any longer */
	OUTCOME_MISUSE,	    /* 1: of MPI; it may be why the deadlock came */
	OUTCOME_FAILED,	    /* 3: the program failed, ended badly or hung */
	OUTCOME_INCOMPLETE, /* 2: not everything was compared, or recorded */
	OUTCOME_ERROR,	    /* 2: wrong usage, set-up, or dvmdbg cannot go on */
	OUTCOME_KINDS
};

struct outcome *outcome_create(void);
void outcome_destroy(struct outcome *o); /* NULL is fine */
void outcome_add(struct outcome *o, enum outcome_kind kind);
bool outcome_has(const struct outcome *o, enum outcome_kind kind);
/*
 * What could not be compared, or recorded, and why: "blocks of rank 1 are damaged". One line,
 * without a full stop. Equal texts are kept once.
 */
void outcome_incomplete(struct outcome *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * A report ends: when something was incomplete since the last one, says so in its last line, an
 * answer of the type "incomplete". what: "compared", "recorded", "shown".
 */
void outcome_report(struct outcome *o, struct out *out, const char *what);
/* Adds what another run of the invocation has come to, for instance side A of a pair. */
void outcome_merge(struct outcome *o, const struct outcome *from);
/* 0 nothing of that, else the status of the most important. */
int outcome_status(const struct outcome *o);
/* {"type": "result", "status": 1, "holds": ["findings", …], "incomplete": [texts]} */
json_t *outcome_json(const struct outcome *o);

#endif
