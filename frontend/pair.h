/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two runs side by side: A, another run beside the session's own, which is B. They go on together,
 * their checksums are compared at each point, and both stop at the first that does not match. Points
 * correspond by their numbers, or, when something is tied, tied constructs by how often they have
 * ended.
 */
#ifndef DVMDBG_FRONTEND_PAIR_H
#define DVMDBG_FRONTEND_PAIR_H

#include <stdint.h>

#include "common/rule.h"

struct compare;
struct err;
struct pair;
struct session;

/*
 * Makes the pair and puts it into s: n ranks of argv (NULL: the session's program and arguments) as A.
 * Both are loaded, neither is started. Ends a former pair.
 */
int pair_make(struct session *s, int n, char *const *argv, struct err *err);
/* Takes it out of s and ends A; fine without one. */
void pair_end(struct session *s);
/* A; borrowed. */
struct session *pair_other(const struct pair *p);
/* "A  1 rank  ./heat 100 20"; side 'A' or 'B'; returns out. */
const char *pair_label(const struct session *s, char side, char *out, size_t size);

/* B is about to be loaded: both sides' checksums come to the pair. */
void pair_before_load(struct session *s);
/* After B has been loaded: A is loaded anew, and the comparison begins anew. */
int pair_loaded(struct session *s, struct err *err);
/* B goes on by this plan: A does too. */
void pair_resume(struct session *s, enum plan_mode mode, uint32_t n);
/* B has stopped or ended: waits for A, shows where it is, and tells mismatches. */
void pair_wait(struct session *s);

/*
 * "A.u@heat.c:61" and "B.phi@solver.f90:120": what u is when the construct at heat.c:61 ends in A is what
 * phi is when that at solver.f90:120 ends in B. From then on only what is tied is compared.
 */
int pair_tie(struct pair *p, const char *a, const char *b, struct err *err);
void pair_untie(struct pair *p);
/* The i-th tie as text, NULL behind the last; out as in pair_label. */
const char *pair_tie_text(const struct pair *p, size_t i, char *out, size_t size);
const struct compare *pair_comparison(const struct pair *p);

#endif
