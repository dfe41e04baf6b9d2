/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads of OpenMP: what a thread executes of a parallel region or a task is a function that the
 * compiler has made of it. The thread that has begun the region calls it as well, so its calls are
 * around those of the others; where threads may be of several regions, the calls that all of these
 * have in common are.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/native/internal.h"
#include "frontend/util/xvec.h"

#define NESTED 8	/* regions in each other */
#define MOST 20000u /* stacks that are looked through, as regions that begin themselves have many */

/* How a call has to do with a part of OpenMP's that another thread is in, the surest first. */
enum way {
	WAY_CALLS, /* it has called the same part */
	WAY_ENDS,  /* it waits for others in the function that the part is of */
	WAY_ANY,   /* main's thread has begun a region: a task is executed by whoever has time */
	WAYS
};

struct looking {
	const struct native_stacks *x;
	const struct native_frame *part;
	enum way way;
	uint32_t rank;
	struct calls *common;
	bool any;
	unsigned depth;
	unsigned *left; /* of MOST */
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_part(const char *func)
{
	return strstr(func, "_omp_fn") || strstr(func, "omp_outlined") ||
	       strstr(func, "omp_task_entry");
}

bool calls_are_part(const struct native_stack *st)
{
	return st->thread && st->n && !st->lost && is_part(st->frame[0].func);
}

static bool begins_region(const struct native_frame *f)
{
	return f->library && (begins(f->func, "GOMP_parallel") || begins(f->func, "GOMP_teams") ||
			      begins(f->func, "__kmpc_fork"));
}

const char *calls_part(const struct native_frame *outer, const struct native_frame *f)
{
	if (begins_region(f))
		return "parallel region";
	if (f->library || begins_region(outer) ||
	    !(begins(outer->func, "GOMP_") || begins(outer->func, "__kmpc_")))
		return NULL;
	/* clang begins tasks with a function that has no name */
	return is_part(f->func) || (!*f->func && begins(outer->func, "__kmpc")) ?
		       "task" :
		       NULL;
}

static void put(struct calls *c, const struct native_frame *f)
{
	*xvec_add(c->frame, c->n) = f;
}

/* What was found so far keeps what it has in common with these calls. */
static void keep_common(struct looking *l, const struct calls *c)
{
	size_t n = 0;

	if (!l->any) {
		for (size_t i = 0; i < c->n; i++)
			put(l->common, c->frame[i]);
		l->any = true;
		return;
	}
	while (n < c->n && n < l->common->n &&
	       native_same(c->frame[n], l->common->frame[n]))
		n++;
	l->common->n = n;
}

static void outer_calls(const struct native_stacks *x, const struct native_stack *st,
			uint32_t rank, unsigned depth, unsigned *left, struct calls *out);

/* Waits for the others at the end of a region in the function that the part is of: it has left
 * GOMP_parallel by a jump. */
static bool ends_region(const struct native_stack *st, size_t k, const struct native_frame *part)
{
	const struct native_frame *f = &st->frame[k];
	const char *base = strstr(part->func, "._omp_fn");
	size_t n = base ? (size_t)(base - part->func) : 0;

	return n && k && f->library && k + 1 == st->n && begins(f->func, "in libgomp") &&
	       !strncmp(st->frame[k - 1].func, part->func, n) && !st->frame[k - 1].func[n];
}

static bool has_begun(const struct looking *l, const struct native_stack *st, size_t k)
{
	const struct native_frame *next = k + 1 < st->n ? &st->frame[k + 1] : NULL;

	if (l->way == WAY_ENDS)
		return ends_region(st, k, l->part);
	return begins_region(&st->frame[k]) &&
	       (l->way == WAY_ANY || (next && !strcmp(next->func, l->part->func) &&
				      !strcmp(next->file, l->part->file)));
}

/* The calls up to one that may have begun the region. */
static void look(struct looking *l, const struct native_stack *st)
{
	for (size_t k = 0; k < st->n; k++) {
		struct calls c = { 0 };

		if (!has_begun(l, st, k))
			continue;
		outer_calls(l->x, st, l->rank, l->depth + 1, l->left, &c);
		for (size_t i = 0; i <= k; i++)
			put(&c, &st->frame[i]);
		keep_common(l, &c);
		free(c.frame);
	}
}

static void outer_calls(const struct native_stacks *x, const struct native_stack *st,
			uint32_t rank, unsigned depth, unsigned *left, struct calls *out)
{
	struct looking l = {
		.x = x, .rank = rank, .common = out, .depth = depth, .left = left
	};

	if (depth == NESTED || !calls_are_part(st))
		return;
	l.part = &st->frame[0];
	for (l.way = 0; l.way < WAYS && !l.any; l.way++)
		for (size_t i = 0; i < x->n; i++) {
			const struct native_stack *other = &x->stack[i];

			if (other == st || (l.way == WAY_ANY && other->thread) ||
			    !rankset_has(&other->ranks, rank * x->threads + other->thread) ||
			    !*left)
				continue;
			--*left;
			look(&l, other);
		}
}

void calls_outer(const struct native_stacks *x, const struct native_stack *st, uint32_t number,
		 struct calls *out)
{
	unsigned left = MOST;

	*out = (struct calls){ 0 };
	if (x->threads)
		outer_calls(x, st, number / x->threads, 0, &left, out);
	/* what was not looked through might have said less */
	if (!left)
		out->n = 0;
}
