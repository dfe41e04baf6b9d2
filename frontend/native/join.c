/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The logical and the native stack of ranks as one: both know the functions, and a construct is in
 * the innermost call of the function that has announced it.
 */
#include "frontend/native/native.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/buf.h"
#include "common/core/parse.h"
#include "common/logical/construct.h"
#include "common/protocol/report.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"

struct join {
	struct report_frame *frame;
	uint32_t n, room;
};

static void put(struct join *j, const struct report_frame *f)
{
	if (j->n < j->room)
		j->frame[j->n] = *f;
	j->n++;
}

static void put_call(struct join *j, const struct native_frame *f)
{
	put(j, &(struct report_frame){ .kind = CONSTRUCT_FUNCTION,
				       .place = { .file = f->file,
						  .func = *f->func ? f->func : "?",
						  .line = f->line,
						  .module = "" } });
}

/* Fortran's names have no case; marks name a template's instance without its arguments. */
static bool same_function(const char *mark, const char *native)
{
	size_t n = strlen(mark);

	return !strcasecmp(mark, native) || (n && !strncmp(mark, native, n) && native[n] == '<');
}

/* Whether the construct was announced in that function. */
static bool lies_in(const struct place *p, const struct native_frame *f)
{
	return !f->library && *f->func && p->func && same_function(p->func, f->func) &&
	       (!*f->file || !p->file || !*p->file ||
		!strcmp(path_base(p->file), path_base(f->file)));
}

/* The call, from `from` on, that the logical frame is in or is; n: none. */
static size_t find(const struct native_stack *st, size_t from, const struct place *p)
{
	for (size_t i = from; i < st->n; i++)
		if (lies_in(p, &st->frame[i]))
			return i;
	return st->n;
}

/* A collective call that is a point is in the user's innermost call, and is what that has called.
 */
static size_t put_collective(struct join *j, const struct native_stack *st, size_t at,
			     const struct report_frame *f)
{
	for (; at < st->n && !st->frame[at].library; at++)
		put_call(j, &st->frame[at]);
	put(j, f);
	return at < st->n ? at + 1 : at;
}

/*
 * A parallel region is in the outermost call that is at its line, and is what that has called: the
 * OpenMP runtime. False: no call is there.
 */
static bool put_region(struct join *j, const struct native_stack *st, size_t *at,
		       const struct report_frame *f, const struct place *p)
{
	size_t in = *at;

	while (in < st->n && (st->frame[in].library || st->frame[in].line != p->line || !p->file ||
			      strcmp(path_base(p->file), path_base(st->frame[in].file)) != 0))
		in++;
	if (!p->line || in == st->n)
		return false;
	while (*at <= in)
		put_call(j, &st->frame[(*at)++]);
	put(j, f);
	*at += *at < st->n && st->frame[*at].library;
	return true;
}

static void join(struct session *s, const struct native_stack *st, struct join *j)
{
	const struct report_stack *r = &st->answer->stack;
	size_t at = 0; /* calls before it have been put */

	for (uint32_t i = 0; i < r->n; i++) {
		struct place p = r->frame[i].place;
		bool function = r->frame[i].kind == CONSTRUCT_FUNCTION;
		size_t in;

		if (r->frame[i].kind == CONSTRUCT_MPI) {
			at = put_collective(j, st, at, &r->frame[i]);
			continue;
		}
		symbols_resolve(s->symbols, &p);
		if (r->frame[i].kind == CONSTRUCT_OMP && put_region(j, st, &at, &r->frame[i], &p))
			continue;
		/* a construct may be in the call that was put last */
		in = find(st, !function && at ? at - 1 : at, &p);
		for (; in < st->n && at < in + !function; at++)
			put_call(j, &st->frame[at]);
		/* the function is announced, and this is the call of it */
		if (function && in < st->n)
			at = in + 1;
		put(j, &r->frame[i]);
	}
	for (; at < st->n; at++)
		put_call(j, &st->frame[at]);
}

static bool same_call(const struct report_frame *a, const struct report_frame *b)
{
	return a->kind == CONSTRUCT_FUNCTION && b->kind == CONSTRUCT_FUNCTION &&
	       a->place.line == b->place.line && a->place.func && b->place.func &&
	       !strcmp(a->place.func, b->place.func) && a->place.file && b->place.file &&
	       !strcmp(a->place.file, b->place.file);
}

/*
 * Of a function that calls itself at one place again and again the outermost and the innermost call
 * are left. Returns how many others there were.
 */
static uint32_t fold(struct join *j)
{
	uint32_t n = 0, all = j->n;

	for (uint32_t i = 0, end; i < all; i = end) {
		for (end = i + 1; end < all && same_call(&j->frame[i], &j->frame[end]); end++)
			;
		for (uint32_t k = i; k < end; k++)
			if (end - i < NATIVE_RECURSION || k == i || k + 1 == end)
				j->frame[n++] = j->frame[k];
	}
	j->n = n;
	return all - n;
}

/* Of a stack that is too deep the middle is left out: what is outside and what is innermost says
 * most. */
static void put_stack(const struct join *j, const struct report_stack *from,
		      struct report_stack *out)
{
	uint32_t outer = REPORT_FRAMES / 2, inner = REPORT_FRAMES - outer;

	*out = (struct report_stack){ .lost = from->lost };
	if (j->n <= REPORT_FRAMES) {
		outer = j->n;
		inner = 0;
	}
	out->n = outer + inner;
	out->lost += j->n - out->n;
	memcpy(out->frame, j->frame, outer * sizeof(*j->frame));
	memcpy(out->frame + outer, j->frame + j->n - inner, inner * sizeof(*j->frame));
}

void native_join(struct session *s, const struct native_stacks *x, struct groups *out)
{
	struct report_stack *whole = xcalloc(1, sizeof(*whole));

	for (size_t i = 0; i < x->n; i++) {
		const struct native_stack *st = &x->stack[i];
		struct join j = { .room = (uint32_t)st->n + REPORT_FRAMES };
		struct buf b = BUF_INIT;
		uint32_t folded;

		j.frame = xcalloc(j.room, sizeof(*j.frame));
		join(s, st, &j);
		folded = fold(&j);
		put_stack(&j, &st->answer->stack, whole);
		whole->lost += folded;
		report_stack_put(whole, &b);
		xalloc_check(b.bad ? -1 : groups_add(out, &st->ranks, b.data, b.len));
		buf_clear(&b);
		free(j.frame);
	}
	free(whole);
}
