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

#endif
