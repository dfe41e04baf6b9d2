/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two runs side by side: A, another run beside the session's own, which is B. They go on together,
 * their checksums are compared at each point, and both stop at the first that does not match.
 * Points correspond by their numbers, or, when something is tied, tied constructs by how often they
 * have ended.
 */
#ifndef DVMDBG_FRONTEND_PAIR_H
#define DVMDBG_FRONTEND_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/protocol/rule.h"
#include "frontend/session/session.h"

struct compare;
struct err;
struct pair;
struct pieces;
struct rankset;

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
void *pair_values(struct session *s, const struct pieces *p, char *from, size_t size, struct err *err);

/* What the two runs have shown so far; NULL before the first. */
const struct compare *pair_comparison(const struct pair *p);

#endif
