/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much a run of tests takes on: DVMDBG_TEST_SET is quick, check (what is run when nothing is
 * said), compiler, all or long.
 */
#ifndef TESTS_UNIT_SET_H
#define TESTS_UNIT_SET_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether all that there is shall be tested, and not one of each kind only. */
static inline bool in_set_all(void)
{
	const char *set = getenv("DVMDBG_TEST_SET");

	return set && (!strcmp(set, "all") || !strcmp(set, "long"));
}

/*
 * How many repetitions: those of the set all; otherwise many, and few under sanitizers, which take
 * ten times as long for each and look for what a few of a kind show. The build without them runs
 * the many as well.
 */
static inline unsigned in_set_times(unsigned all, unsigned many, unsigned few)
{
#ifdef __SANITIZE_ADDRESS__
	return in_set_all() ? all : few;
#else
	return in_set_all() ? all : many;
#endif
}

#endif
