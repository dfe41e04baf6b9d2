/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions to the ranks with the session's timer, and the parts of answers that verbs share.
 */
#ifndef DVMDBG_FRONTEND_ASK_H
#define DVMDBG_FRONTEND_ASK_H

#include <jansson.h>

#include "common/protocol/msg.h"
#include "common/protocol/report.h"

struct err;
struct job_req;
struct session;

/*
 * job_query with QUERY_TIMER; silent may be NULL. -1 and err when no member can be asked; Ctrl-C is
 * no error: whoever has not answered then is silent.
 */
int ask(struct session *s, struct msg_query *q, const struct rankset *who, struct groups *answers,
	struct rankset *silent, struct err *err);
/* job_ask and job_await likewise. */
struct job_req *ask_ahead(struct session *s, struct msg_query *q, const struct rankset *who,
			  struct err *err);
void ask_await(struct session *s, struct job_req *r, struct groups *answers);
/* The ranks that are inside MPI_Init or MPI_Finalize. */
int ask_waiting(struct session *s, struct rankset *out, struct err *err);
/* "[0:3]" as a JSON string of any length. */
json_t *ask_ranks(const struct rankset *ranks);
/* Puts file and line of a place into o, when they are known. */
void ask_put_place(struct session *s, json_t *o, const struct place *place);
/* Puts the iteration that a frame is in into o, when it is in one. */
void ask_put_iteration(json_t *o, const struct report_frame *f);
/* Puts construct (brief: "PL"), place, point, iteration, ending, name of a frame into o. */
void ask_put_frame(struct session *s, json_t *o, const struct report_frame *f);

#endif
