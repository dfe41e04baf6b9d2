/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of two runs is tied by name, and what each of them has reported at all, so that a tie to
 * what is not there can be explained.
 */
#ifndef DVMDBG_FRONTEND_PAIR_TIE_H
#define DVMDBG_FRONTEND_PAIR_TIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/sumdiff/sums.h"

struct err;

enum { PAIR_A, PAIR_B };

/* An array at the end of a construct of each side. */
struct tie {
	char *array[2], *where[2]; /* owned; where: "heat.c:61", without folders */
	uint64_t compared;
	/* A replicated object is reported when it changes: what was reported of it last. */
	struct sums_array known[2];
	bool reported[2];
};

/* A construct that a side has reported. */
struct tie_place {
	char *where; /* owned */
	char **name; /* owned; n arrays and objects that were reported there */
	size_t n;
	uint64_t ends; /* how often it has ended */
};

/* Zeroed: nothing. */
struct ties {
	struct tie *list;
	size_t n;
	struct tie_place *place[2];
	size_t nplace[2];
};

/* Whether it is like "A.u@heat.c:61". */
int tie_check(const char *text, int side, struct err *err);
/* "A.u@heat.c:61" and "B.phi@solver.f90:120"; -1 and err when they are not like that, or tied
 * already. */
int ties_add(struct ties *t, const char *a, const char *b, struct err *err);
/* Takes all ties away; what the sides have reported stays. */
void ties_clear(struct ties *t);
/* Both runs begin again: nothing has been reported or compared. */
void ties_forget(struct ties *t);
/* A point of a side has come. */
void ties_inspect(struct ties *t, int side, const struct sums_point *p);
/* "A.u@heat.c:61 = B.phi@solver.f90:120"; returns out. */
const char *tie_text(const struct tie *tie, char *out, size_t size);
/*
 * Why a tie has not been compared, or not as often as it could have been: "A has reported no
 * construct at heat.c:62, but at heat.c:35, heat.c:61". False: there is nothing to report.
 */
bool tie_trouble(const struct ties *t, const struct tie *tie, char *out, size_t size);

#endif
