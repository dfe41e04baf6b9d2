/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules go to the ranks when they are needed: at once while ranks run, else before the next go.
 */
#include "frontend/action/internal.h"

void acts_send_now(struct session *s)
{
	struct msg_rules m;

	s->rules_late = false;
	acts_orders(s, &m);
	job_orders(s->job, &m);
}

void acts_send(struct session *s)
{
	if (!s->job)
		return;
	if (job_set(s->job, JOB_RUNNING)->n) {
		acts_send_now(s);
		return;
	}
	s->rules_late = true;
}
