/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank: carries out the orders of the front end on its program, through the shared page, and
 * reports what becomes of it.
 */
#ifndef DVMDBG_EXEC_CONTROL_H
#define DVMDBG_EXEC_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct child;
struct control;
struct err;
struct msg_params;
struct msg_query;
struct msg_rules;
struct node;
struct plan;

/* bounce: do not try to read the program's memory directly. child is borrowed. */
struct control *control_create(struct child *child, bool bounce, struct err *err);
void control_destroy(struct control *c);
/* Where to report to; borrowed; NULL: nowhere. */
void control_report_to(struct control *c, struct node *node);

void control_params(struct control *c, const struct msg_params *params);
/* -1: out of memory, the former ones hold. */
int control_rules(struct control *c, const struct msg_rules *rules);
void control_go(struct control *c, const struct plan *plan);
void control_go_others(struct control *c, const struct plan *plan);
void control_freeze(struct control *c, uint32_t req);
void control_query(struct control *c, const struct msg_query *q);
void control_kill(struct control *c);
void control_resync(struct control *c);

/* The page may have changed. */
void control_inspect(struct control *c);
/* The program has ended. */
void control_ended(struct control *c);
/* Nothing runs: not started yet, or ended, or never to be started. */
bool control_is_idle(const struct control *c);
bool control_on_exit_run(const struct control *c);
/* Lets the program run on without a debugger. */
void control_release(struct control *c);

#endif
