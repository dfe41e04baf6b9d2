/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starting the program, for several groups of verbs.
 */
#ifndef DVMDBG_FRONTEND_CMD_RUN_H
#define DVMDBG_FRONTEND_CMD_RUN_H

struct err;
struct session;

/* Ends what runs and loads what the session's spec says. */
int run_reload(struct session *s, struct err *err);
/* The same, with the files its streams were redirected to begun again. */
int run_same(struct session *s, struct err *err);
/* Lets all ranks run to the first actionpoint, and shows where they are. */
int run_all(struct session *s, const char *verb, struct err *err);

#endif
