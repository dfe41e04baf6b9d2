/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From "the answer differs" to the first wrong element: a reference run, a run that is compared
 * with it and stops at the first mismatch, and a re-run of both to look at what is there.
 */
#ifndef DVMDBG_FRONTEND_LOCATE_LOCATE_H
#define DVMDBG_FRONTEND_LOCATE_LOCATE_H

#include <stdbool.h>

struct err;
struct session;

struct locate_spec {
	int ref_ranks;	  /* of the reference that is made; 1 or more */
	int ref_threads;  /* of OpenMP in the reference; 0: as in the environment, as is … */
	int threads;	  /* … that in the program's runs */
	const char *dir;  /* where that is kept; NULL: it is removed in the end */
	const char *with; /* a reference that there is, instead of making one; NULL: none */
	/* The program that made `with`, which may be run again; NULL: this one may, no other. */
	const char *ref_program;
	const char *image; /* a picture of what differs; NULL: none */
	bool automatic;	   /* marks are those that runs of the program have shown */
	const char *suspect; /* what was seen then that may be the fault; NULL: nothing */
	const char *unlike;  /* the line that was seen to set other values, in words; NULL: none */
	bool all;	   /* corners of halos are listed one by one */
	bool keep;	   /* the session goes on: the array is kept for diff */
};

/* "1:4", or "4", which is 1:4, into threads. -1: err. */
int locate_threads_parse(const char *text, int *ref, int *now, struct err *err);

/*
 * Ends what runs, does it all, prints one answer of the type "locate", and leaves the session
 * stopped at the mismatch. The session's actionpoints do not count meanwhile. A run that fails, or
 * Ctrl-C, ends it with what is known by then. The session's status becomes 1: there is a mismatch;
 * 2: nothing could be compared, or Ctrl-C; 3: a run has failed. -1 and err: it could not begin.
 */
int locate(struct session *s, const struct locate_spec *spec, struct err *err);

#endif
