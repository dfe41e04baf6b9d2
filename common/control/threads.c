/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of OpenMP that share the iterations of a marked loop: what a thread does behind its last
 * one is of none. What excludes or is atomic, and memory that is not registered, is for
 * common/openmp to judge, as the order of records of several threads is that of one run.
 */
#include "common/control/internal.h"

static void leave_loop(struct lane *l)
{
	if (l->shared)
		l->unit = 0;
	l->loop = l->shared = false;
	l->unit_outside = 0;
}

static void exclude(struct lane *l)
{
	if (!l->held++ && l->shared) {
		l->unit_outside = l->unit;
		l->unit = 0;
	}
}

static void exclude_no_more(struct lane *l)
{
	if (!l->held || --l->held)
		return;
	if (l->unit_outside)
		l->unit = l->unit_outside;
	l->unit_outside = 0;
}

void dyncontrol_openmp(struct dyncontrol *e, const char *text)
{
	struct lane *l = lane_now(e);
	bool iteration = text[0] == 'N' && text[1] == ' ' && text[2] == '2';

	switch (text[0]) {
	case 'G': /* a loop that the compiler divides, */
	case 'W': /* or the runtime */
		l->loop = true;
		break;
	case 'N':
		if (iteration)
			l->loop = true;
		else
			leave_loop(l);
		break;
	case 'R': /* results are combined, */
	case 'B': /* it waits, */
	case 'w': /* or has left the construct */
	case 'i':
	case 'p':
		leave_loop(l);
		break;
	case 'L':
		exclude(l);
		break;
	case 'l':
		exclude_no_more(l);
		break;
	}
}

bool dyncontrol_is_apart(const struct dyncontrol *e, const struct trace_rec *r)
{
	return r->flags & TRACE_ATOMIC && e->lane[e->now].shared;
}
