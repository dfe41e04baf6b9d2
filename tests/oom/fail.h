/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets one call site that allocates fail once. A site is where our own code asks for memory, with
 * the callers of that, as offsets in its module: it is the same in each run. Linked into a test
 * with
 * --wrap (fail_wrap.c), or preloaded into processes of a session (fail_preload.c).
 *
 * In the environment: DVMDBG_FAIL_PROGRAM, the program that it is for; DVMDBG_FAIL_RECORD, a file
 * to which each new site is appended as "HASH MODULE OFFSET,OFFSET,…"; DVMDBG_FAIL_SITE, the hash
 * of the one that fails; DVMDBG_FAIL_ONCE, a file that the process which has failed creates: no
 * other fails then.
 */
#ifndef DVMDBG_TESTS_OOM_FAIL_H
#define DVMDBG_TESTS_OOM_FAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAIL_DEPTH 6	/* return addresses that make a site */
#define FAIL_SITES 8192 /* in one record */

struct fail_site {
	uint64_t hash;
	const char *module; /* the name of its file */
	unsigned n;
	uintptr_t at[FAIL_DEPTH]; /* offsets in the module */
};

/* Whether a function that was called from there shall fail now; errno is ENOMEM then. */
bool fail_now(const void *caller);

/* For a test that has it linked: sites are recorded from here to fail_stop. */
void fail_record(void);
/* From here to fail_stop the site fails, the first time it is passed. */
void fail_at(uint64_t hash);
void fail_stop(void);
/* What this thread does from here to fail_pause (false) is the test's own: it does not fail. */
void fail_pause(bool pause);
/* Callers from the one with that return address on are no part of sites. */
void fail_outermost(const void *caller);
/* What was recorded; borrowed. */
const struct fail_site *fail_sites(size_t *n);
/* Whether the site of fail_at was passed. */
bool fail_done(void);
/* "HASH MODULE OFFSET,…" */
void fail_format(const struct fail_site *s, char *out, size_t size);

#endif
