/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The prompt. With a terminal readline's callback interface inside the loop, with completion and
 * history; without one lines from standard input.
 */
#ifndef DVMDBG_FRONTEND_CLI_H
#define DVMDBG_FRONTEND_CLI_H

struct err;
struct session;

/*
 * Runs commands until quit, the end of the input, SIGHUP or SIGTERM; then the session is quitting.
 * Returns too when the full screen is wanted (session.fill_screen). In a batch session the first
 * error ends it. 0, or -1 and err when the prompt cannot be set up.
 */
void cli_run(struct session *s);

#endif
