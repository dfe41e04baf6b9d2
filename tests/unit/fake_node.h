/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree node for tests of the front end: one process that speaks for all ranks of a job and does
 * what the scenario says. The test program plays it itself when it is started in the place of
 * dvmdbg-exec.
 */
#ifndef DVMDBG_TESTS_FAKE_NODE_H
#define DVMDBG_TESTS_FAKE_NODE_H

#include <stdbool.h>

#include "frontend/job/job.h"

#define FAKE_RANKS 4

/* This process was started as a supervisor: call fake_node. */
bool fake_node_wanted(void);
int fake_node(char **argv);
/*
 * Makes a directory that DVMDBG_LIBDIR points to, with this program as dvmdbg-exec. The job's
 * specification for the scenario; strings are static.
 */
int fake_node_setup(void);
/* That directory; sockets of jobs are made there too. */
const char *fake_node_dir(void);
void fake_node_cleanup(void);
struct job_spec fake_spec(const char *scenario);

#endif
