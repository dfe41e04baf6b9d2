/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/stack_merge.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/memory.h"
#include "common/logical/construct.h"
#include "common/core/err.h"

const char *stack_merge_kind_words(unsigned kind)
{
	static const char *const words[STACK_MERGE_KINDS] = {
#define X(name, words_) words_,
		STACK_MERGE_KIND_LIST(X)
#undef X
	};

	return kind < STACK_MERGE_KINDS ? words[kind] : "?";
}

/* The stack of one group of ranks, while aligning. */
struct path {
	const struct rankset *ranks; /* borrowed */
	struct report_frame *frame;
	uint32_t n;
	size_t outer; /* which paths were equal so far: the same number */
};

struct align {
	struct path *path;
	size_t n;
	struct path **order; /* those that have the present frame, equal ones side by side */
	size_t deep;
	uint32_t level;
};

static int number_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int place_compare(const struct place *a, const struct place *b)
{
	int c = number_compare(a->line, b->line);

	c = c ? c : strcmp(a->file, b->file);
	c = c ? c : strcmp(a->func, b->func);
	c = c ? c : number_compare(a->vaddr, b->vaddr);
	return c ? c : strcmp(a->module, b->module);
}

static int frame_compare(const struct report_frame *a, const struct report_frame *b)
{
	int c = number_compare(a->kind, b->kind);

	c = c ? c : number_compare(a->ending, b->ending);
	c = c ? c : number_compare(a->nidx, b->nidx);
	for (unsigned i = 0; !c && i < a->nidx && i < ARRAY_DIMS; i++)
		c = (a->idx[i] > b->idx[i]) - (a->idx[i] < b->idx[i]);
	c = c ? c : number_compare(a->point.main, b->point.main);
	c = c ? c : number_compare(a->point.task, b->point.task);
	c = c ? c : number_compare(a->point.sub, b->point.sub);
	c = c ? c : number_compare(a->point.side, b->point.side);
	return c ? c : place_compare(&a->place, &b->place);
}

static int path_compare(const void *a, const void *b, void *level)
{
	const struct path *x = *(struct path *const *)a, *y = *(struct path *const *)b;
	uint32_t at = *(uint32_t *)level;
	int c = number_compare(x->outer, y->outer);

	return c ? c : frame_compare(&x->frame[at], &y->frame[at]);
}

static int variant_compare(const void *a, const void *b)
{
	const struct stack_merge_variant *x = a, *y = b;
	int c = number_compare(rankset_count(&x->ranks), rankset_count(&y->ranks));

	return c ? c
		 : number_compare((uint64_t)rankset_next(&x->ranks, 0),
				  (uint64_t)rankset_next(&y->ranks, 0));
}

static bool related(const struct report_frame *a, const struct report_frame *b)
{
	if (a->kind == b->kind && !place_compare(&a->place, &b->place))
		return true;
	return *a->place.func && !strcmp(a->place.func, b->place.func) &&
	       !strcmp(a->place.file, b->place.file) && !strcmp(a->place.module, b->place.module);
}

static enum stack_merge_kind frame_kind(const struct stack_merge_frame *f,
					const struct stack_merge *s, bool multi)
{
	if (multi)
		return STACK_MERGE_MULTI;
	if (f->n == 1)
		return rankset_count(&f->ranks) == 1 && rankset_count(&s->ranks) > 1
			       ? STACK_MERGE_SCALAR
			       : STACK_MERGE_SYNCHRONIZED;
	for (size_t i = 1; i < f->n; i++)
		if (!related(&f->variant[0].frame, &f->variant[i].frame))
			return STACK_MERGE_MULTI;
	return STACK_MERGE_UNSYNCHRONIZED;
}

/* Orders the paths that reach the level; equal ones get one number, the count of which is returned.
 */
static size_t order_level(struct align *al)
{
	size_t n = 0, *number;

	al->deep = 0;
	for (size_t i = 0; i < al->n; i++)
		if (al->path[i].n > al->level)
			al->order[al->deep++] = &al->path[i];
	if (!al->deep)
		return 0;
	qsort_r(al->order, al->deep, sizeof(struct path *), path_compare, &al->level);
	/* numbers are given in a second pass: the comparison needs the old ones */
	number = memory_got(calloc(al->deep, sizeof *number));
	if (!number)
		return SIZE_MAX;
	for (size_t i = 0; i < al->deep; i++) {
		if (!i || path_compare(&al->order[i - 1], &al->order[i], &al->level))
			n++;
		number[i] = n - 1;
	}
	for (size_t i = 0; i < al->deep; i++)
		al->order[i]->outer = number[i];
	free(number);
	return n;
}

static int build_level(struct stack_merge_frame *f, struct align *al, size_t n)
{
	f->variant = memory_got(calloc(n, sizeof *f->variant));
	if (!f->variant)
		return -1;
	f->n = n;
	for (size_t i = 0; i < al->deep; i++) {
		struct stack_merge_variant *v = &f->variant[al->order[i]->outer];

		v->frame = al->order[i]->frame[al->level];
		if (rankset_add_set(&v->ranks, al->order[i]->ranks) ||
		    rankset_add_set(&f->ranks, al->order[i]->ranks))
			return -1;
	}
	qsort(f->variant, n, sizeof *f->variant, variant_compare);
	return 0;
}

static int read_paths(struct align *al, struct stack_merge *s, const struct groups *stacks,
		      struct err *err)
{
	struct report_stack *stack = memory_got(calloc(1, sizeof *stack));
	int rc = stack ? 0 : err_set(err, "out of memory");

	for (size_t i = 0; !rc && i < stacks->n; i++) {
		const struct rank_group *g = &stacks->group[i];
		struct buf b = buf_view(g->blob, g->len);
		char ranks[64];

		al->path[i].ranks = &g->ranks;
		if (report_stack_get(stack, &b)) {
			rc = err_set(err, "the stack that %s sent cannot be read",
				     rankset_format(&g->ranks, ranks, sizeof ranks));
			break;
		}
		al->path[i].frame =
			memory_got(calloc(stack->n ? stack->n : 1, sizeof *stack->frame));
		if (!al->path[i].frame || rankset_add_set(&s->ranks, &g->ranks)) {
			rc = err_set(err, "out of memory");
			break;
		}
		memcpy(al->path[i].frame, stack->frame, stack->n * sizeof *stack->frame);
		al->path[i].n = stack->n;
	}
	free(stack);
	return rc;
}

/* Frames come outermost first here and are turned round at the end. */
static int align_all(struct align *al, struct stack_merge *s, struct err *err)
{
	bool multi = false;
	size_t n;

	for (al->level = 0; al->level < REPORT_FRAMES; al->level++) {
		struct stack_merge_frame *f = &s->frame[s->n];

		n = order_level(al);
		if (!n)
			break;
		if (n == SIZE_MAX)
			return err_set(err, "out of memory");
		s->n++;
		if (build_level(f, al, n))
			return err_set(err, "out of memory");
		f->kind = frame_kind(f, s, multi);
		multi |= f->kind == STACK_MERGE_MULTI;
	}
	for (size_t i = 0; i < s->n / 2; i++) {
		struct stack_merge_frame f = s->frame[i];

		s->frame[i] = s->frame[s->n - 1 - i];
		s->frame[s->n - 1 - i] = f;
	}
	return 0;
}

struct stack_merge *stack_merge_create(const struct groups *stacks, struct err *err)
{
	size_t n = stacks->n ? stacks->n : 1;
	struct align al = { .n = stacks->n };
	struct stack_merge *s = memory_got(calloc(1, sizeof *s));
	int rc = -1;

	al.path = memory_got(calloc(n, sizeof *al.path));
	al.order = memory_got(calloc(n, sizeof(struct path *)));
	if (s)
		s->frame = memory_got(calloc(REPORT_FRAMES, sizeof *s->frame));
	if (!s || !s->frame || !al.path || !al.order)
		err_set(err, "out of memory");
	else
		rc = read_paths(&al, s, stacks, err);
	if (!rc)
		rc = align_all(&al, s, err);
	for (size_t i = 0; al.path && i < stacks->n; i++)
		free(al.path[i].frame);
	free(al.path);
	free(al.order);
	if (!rc)
		return s;
	stack_merge_destroy(s);
	return NULL;
}

void stack_merge_destroy(struct stack_merge *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < s->frame[i].n; k++)
			rankset_clear(&s->frame[i].variant[k].ranks);
		free(s->frame[i].variant);
		rankset_clear(&s->frame[i].ranks);
	}
	free(s->frame);
	rankset_clear(&s->ranks);
	free(s);
}
