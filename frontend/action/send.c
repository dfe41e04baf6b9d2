/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules go to the ranks when they are needed: at once while ranks run, else before the next go.
 */
#include "frontend/action/internal.h"

int acts_send_now(struct session *s, struct err *err)
{
	struct msg_rules m;

	s->rules_late = false;
	if (acts_orders(s, &m, err))
		return -1;
	job_orders(s->job, &m);
	return 0;
}

int acts_send(struct session *s, struct err *err)
{
	if (!s->job)
		return 0;
	if (job_set(s->job, JOB_RUNNING)->n)
		return acts_send_now(s, err);
	s->rules_late = true;
	return 0;
}
