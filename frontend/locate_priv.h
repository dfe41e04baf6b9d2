/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locate has found out, shared by locate*.c.
 */
#ifndef DVMDBG_FRONTEND_LOCATE_PRIV_H
#define DVMDBG_FRONTEND_LOCATE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "frontend/compare.h"
#include "frontend/diff.h"
#include "frontend/fetch.h"
#include "frontend/halo.h"
#include "frontend/locate.h"

struct session;

enum locate_verdict {
	LOCATE_EQUAL,
	LOCATE_ROUNDING,
	LOCATE_MISMATCH,
	LOCATE_BLIND,	    /* there was nothing to compare */
	LOCATE_INTERRUPTED, /* Ctrl-C */
};

/* The elements of the mismatching object that were looked at, in both runs. */
struct locate_values {
	bool there;
	struct fetched ref, now;
	struct diff diff; /* total 0: of a scalar */
	struct diff_owner *owner; /* owned */
	size_t nowner;
};

/* Halos that the construct may have read while they were stale. */
struct locate_halo {
	bool asked;
	struct halo_report report; /* at the beginning of the construct */
	/* Entries that touch what is wrong: why it is wrong, most likely. Borrowed from report. */
	const struct halo_entry *cause[16];
	struct point since[16]; /* the owner wrote it last there; main 0: not known */
	size_t n;
};

struct locate {
	struct session *s;
	const struct locate_spec *spec;
	char *dir;	 /* owned; of the reference */
	bool temporary;
	unsigned runs;
	int64_t begun;
	enum locate_verdict verdict;
	const char *stage;	  /* what was being done */
	const struct mismatch *m; /* borrowed from the session's comparison */
	struct compare_state state;
	uint64_t bytes, points; /* of the reference */
	struct locate_values values;
	struct locate_halo halo;
	json_t *notes, *stack, *differ;
};

/* locate_look.c: fills values, halo, stack; what cannot be had becomes a note. */
void locate_look(struct locate *l);
void locate_look_clear(struct locate *l);
/* locate_report.c: the answer. */
json_t *locate_report(struct locate *l);
void locate_note(struct locate *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The name to ask the ranks for: with its place where there is one. */
const char *locate_name(const struct mismatch *m, char *out, size_t size);

#endif
