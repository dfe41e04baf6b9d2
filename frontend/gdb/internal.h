/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One gdb that is spoken to by its machine interface.
 */
#ifndef DVMDBG_FRONTEND_GDB_INTERNAL_H
#define DVMDBG_FRONTEND_GDB_INTERNAL_H

#include "frontend/gdb/gdb.h"

struct loop;
struct mi;

/* Starts it on the process; it is busy until it has attached. NULL and err. */
struct mi *mi_start(struct loop *loop, const char *gdb, pid_t pid, struct err *err);
/* Sends a command as it is typed at gdb's prompt. */
void mi_command(struct mi *m, const char *text);
/* It has not answered yet, or the program runs. */
bool mi_busy(const struct mi *m);
/* The last command was an error. */
bool mi_failed(const struct mi *m);
/* It, or the process, has ended. */
bool mi_gone(const struct mi *m);
/* What it has said since the last call; owned. */
char *mi_take(struct mi *m);
/* Stops the program. */
void mi_interrupt(struct mi *m);
/* Detaches from the process, which runs on, and ends it. NULL is fine. */
void mi_end(struct mi *m);

#endif
