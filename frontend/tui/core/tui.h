/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full screen. It is made once, listens to what is reported from then on, and takes the
 * terminal when it is wanted.
 */
#ifndef DVMDBG_FRONTEND_TUI_TUI_H
#define DVMDBG_FRONTEND_TUI_TUI_H

struct err;
struct session;
struct tui;

/* The session must outlive it. */
struct tui *tui_create(struct session *s);
void tui_destroy(struct tui *t);
/*
 * Takes the terminal until the session is quitting or the full screen is not wanted any more
 * (session.fill_screen). -1 and err when the terminal will not do; it is not wanted then.
 */
int tui_run_screen(struct tui *t, struct err *err);

#endif
