/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules go to the ranks when they are needed: at once while ranks run, else before the next go.
 */
#include "frontend/action/internal.h"

void action_send_now(struct session *s)
{
	struct msg_rules m;

	s->rules_dirty = false;
	action_orders(s, &m);
	job_orders(s->job, &m);
}

void action_send(struct session *s)
{
	if (!s->job)
		return;
	if (job_set(s->job, JOB_RUNNING)->n) {
		action_send_now(s);
		return;
	}
	s->rules_dirty = true;
}
