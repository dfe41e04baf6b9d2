/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of OpenMP that share the iterations of a marked loop: what a thread does behind its last
 * one is of none, and what excludes or is atomic is OpenMP's to judge (common/openmp).
 */
#include "common/control/internal.h"

#include <inttypes.h>
#include <stdio.h>

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

/* Where the thread's own memory is: its stack, and the variables that each thread has. */
static void take_thread(struct lane *l, const char *text)
{
	uint64_t lo, hi, own_lo, own_hi;

	if (sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &lo, &hi, &own_lo,
		   &own_hi) != 4)
		return;
	l->stack_lo = lo;
	l->stack_hi = hi;
	l->own_lo = own_lo;
	l->own_hi = own_hi;
}

/* Who begins a region has of its stack only what comes from then on. */
static void take_frames(struct lane *l, const char *text)
{
	uint64_t stack;

	if (sscanf(text, "%*s %*s %*s %" SCNx64, &stack) == 1 && stack)
		l->stack_hi = stack;
}

void dyncontrol_openmp(struct dyncontrol *e, const char *text)
{
	struct lane *l = lane_now(e);
	bool iteration = text[0] == 'N' && text[1] == ' ' && text[2] == '2';

	switch (text[0]) {
	case 'T':
		take_thread(l, text + 1);
		break;
	case 'P':
		take_frames(l, text + 1);
		break;
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

bool dyncontrol_is_own(const struct lane *l, uint64_t addr)
{
	return l->shared && ((addr >= l->stack_lo && addr < l->stack_hi) ||
			     (addr >= l->own_lo && addr < l->own_hi));
}
