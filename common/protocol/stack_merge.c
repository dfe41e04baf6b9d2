/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/stack_merge.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/buf.h"
#include "common/core/memory.h"
#include "common/core/vec.h"
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
	uint32_t *name; /* a number for each frame, the same for the same name; NO_NAME: it aligns
			   nothing */
	uint32_t n;
	uint32_t from, to; /* the frames that are being aligned */
	size_t outer;	   /* which paths were equal so far: the same number */
};

#define NO_NAME 0

struct align {
	struct stack_merge *s;
	struct path *path; /* all of them */
	size_t n;
	struct path **order; /* those that have the present frame, equal ones in succession */
	size_t deep;
	size_t numbers; /* of `outer` that were given */
	struct err *err;
};

/* A set of paths, and what is being aligned of them. */
struct part {
	struct path **path;
	size_t n;
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

	return c ? c : frame_compare(&x->frame[x->from + at], &y->frame[y->from + at]);
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

static int no_memory(struct align *al)
{
	return err_set(al->err, "out of memory");
}

/*
 * Orders the paths that reach the level; equal ones get one number, the count of which is returned.
 * SIZE_MAX: no memory.
 */
static size_t order_level(struct align *al, const struct part *part, uint32_t level)
{
	size_t n = 0, *number;

	al->deep = 0;
	for (size_t i = 0; i < part->n; i++)
		if (part->path[i]->to - part->path[i]->from > level)
			al->order[al->deep++] = part->path[i];
	if (!al->deep)
		return 0;
	qsort_r(al->order, al->deep, sizeof(struct path *), path_compare, &level);
	/* numbers are given in a second pass: the comparison needs the old ones */
	number = memory_got(calloc(al->deep, sizeof *number));
	if (!number)
		return SIZE_MAX;
	for (size_t i = 0; i < al->deep; i++) {
		if (!i || path_compare(&al->order[i - 1], &al->order[i], &level))
			n++;
		number[i] = n - 1;
	}
	for (size_t i = 0; i < al->deep; i++)
		al->order[i]->outer = al->numbers + number[i];
	al->numbers += n;
	free(number);
	return n;
}

static int build_level(struct stack_merge_frame *f, struct align *al, uint32_t level, size_t n)
{
	f->variant = memory_got(calloc(n, sizeof *f->variant));
	if (!f->variant)
		return no_memory(al);
	f->n = n;
	for (size_t i = 0; i < al->deep; i++) {
		const struct path *p = al->order[i];
		struct stack_merge_variant *v = &f->variant[p->outer - (al->numbers - n)];

		v->frame = p->frame[p->from + level];
		if (rankset_add_set(&v->ranks, p->ranks) || rankset_add_set(&f->ranks, p->ranks))
			return no_memory(al);
	}
	qsort(f->variant, n, sizeof *f->variant, variant_compare);
	return 0;
}

/* Frames from `from` to `to` of each, by their depth; to the innermost, so they come outermost
 * first here. */
static int align_levels(struct align *al, const struct part *part)
{
	bool multi = false;

	for (uint32_t level = 0;; level++) {
		size_t n = order_level(al, part, level);
		struct stack_merge_frame *f;

		if (!n)
			return 0;
		f = n == SIZE_MAX ? NULL : vec_add(al->s->frame, al->s->n);
		if (!f)
			return no_memory(al);
		if (build_level(f, al, level, n))
			return -1;
		f->kind = frame_kind(f, al->s, multi);
		multi |= f->kind == STACK_MERGE_MULTI;
	}
}

static bool is_mpi(const struct report_frame *f)
{
	return f->kind == CONSTRUCT_MPI ||
	       (f->kind == CONSTRUCT_FUNCTION && !strncasecmp(f->place.func, "MPI_", 4));
}

/* Frames with the same name may be one logical frame: calls of a function, constructs in it. */
static int name_compare(const struct report_frame *a, const struct report_frame *b)
{
	int c = number_compare(a->kind == CONSTRUCT_FUNCTION, b->kind == CONSTRUCT_FUNCTION);

	c = c ? c : number_compare(a->kind == CONSTRUCT_DISPATCH, b->kind == CONSTRUCT_DISPATCH);
	c = c ? c : strcmp(a->place.func, b->place.func);
	if (c || !*a->place.func)
		return c ? c : place_compare(&a->place, &b->place);
	c = strcmp(a->place.file, b->place.file);
	return c ? c : strcmp(a->place.module, b->place.module);
}

struct named {
	const struct report_frame *frame;
	uint32_t *name;
};

static int named_compare(const void *a, const void *b)
{
	return name_compare(((const struct named *)a)->frame, ((const struct named *)b)->frame);
}

/* Calls of MPI align nothing: ranks are in the same one for many reasons. */
static int number_names(struct align *al)
{
	struct named *all;
	size_t n = 0, k = 0;
	uint32_t number = NO_NAME;

	for (size_t i = 0; i < al->n; i++)
		n += al->path[i].n;
	all = memory_got(calloc(n + 1, sizeof *all));
	if (!all)
		return no_memory(al);
	for (size_t i = 0; i < al->n; i++)
		for (uint32_t j = 0; j < al->path[i].n; j++)
			if (!is_mpi(&al->path[i].frame[j]))
				all[k++] = (struct named){ &al->path[i].frame[j],
							   &al->path[i].name[j] };
	qsort(all, k, sizeof *all, named_compare);
	for (size_t i = 0; i < k; i++) {
		if (!i || named_compare(&all[i - 1], &all[i]))
			number++;
		*all[i].name = number;
	}
	free(all);
	return 0;
}

/* Names in an order that a set of paths has in common. */
struct common {
	uint32_t name[REPORT_FRAMES];
	uint32_t n;
};

static bool has_all(const struct path *p, const struct common *c)
{
	uint32_t k = 0;

	for (uint32_t i = p->from; i < p->to && k < c->n; i++)
		k += p->name[i] == c->name[k];
	return k == c->n;
}

/* Leaves in c the longest sequence that the path has, too; of equally long ones the outermost. */
static void keep_common(struct common *c, const struct path *p)
{
	uint8_t longest[REPORT_FRAMES + 1][REPORT_FRAMES + 1] = { 0 };
	uint32_t n = 0, i, j, m = p->to - p->from;
	const uint32_t *name = p->name + p->from;

	if (has_all(p, c))
		return;
	for (i = c->n; i-- > 0;)
		for (j = m; j-- > 0;) {
			uint8_t a = longest[i + 1][j], b = longest[i][j + 1];

			longest[i][j] = c->name[i] == name[j]
						? (uint8_t)(longest[i + 1][j + 1] + 1)
					: a > b ? a
						: b;
		}
	for (i = j = 0; i < c->n && j < m;) {
		if (c->name[i] == name[j]) {
			c->name[n++] = c->name[i++];
			j++;
		} else if (longest[i + 1][j] >= longest[i][j + 1]) {
			i++;
		} else {
			j++;
		}
	}
	c->n = n;
}

/* The frames that all have that have any. */
static void find_common(const struct part *part, struct common *c)
{
	bool any = false;

	c->n = 0;
	for (size_t i = 0; i < part->n && (!any || c->n); i++) {
		const struct path *p = part->path[i];

		if (p->from == p->to)
			continue;
		if (any) {
			keep_common(c, p);
			continue;
		}
		any = true;
		for (uint32_t k = p->from; k < p->to; k++)
			if (p->name[k] != NO_NAME)
				c->name[c->n++] = p->name[k];
	}
}

/* What ranks of a part are doing between two common frames. */
struct roles {
	struct part active; /* have frames there, and are in no dispatch loop */
	struct part orders; /* in one */
	bool one;	    /* a single rank is active */
};

/* The announced dispatch loop among the frames that are aligned; to: there is none. */
static uint32_t announced(const struct path *p)
{
	uint32_t i = p->from;

	while (i < p->to && p->frame[i].kind != CONSTRUCT_DISPATCH)
		i++;
	return i;
}

/* Nothing but a call of a library, inside the announced dispatch loop. */
static bool idle(const struct path *p)
{
	uint32_t i = announced(p);

	return i < p->to && (i + 1 == p->to || (i + 2 == p->to && !p->frame[i + 1].place.line));
}

static bool same_frames(const struct path *a, const struct path *b)
{
	if (a->to - a->from != b->to - b->from)
		return false;
	for (uint32_t i = 0; i < a->to - a->from; i++)
		if (frame_compare(&a->frame[a->from + i], &b->frame[b->from + i]))
			return false;
	return true;
}

/* The path of rank 0, when that is of no other rank; NULL: there is none. */
static struct path *rank_zero(const struct part *part)
{
	for (size_t i = 0; i < part->n; i++)
		if (rankset_next(part->path[i]->ranks, 0) == 0)
			return rankset_count(part->path[i]->ranks) == 1 ? part->path[i] : NULL;
	return NULL;
}

/*
 * Whether it is a dispatch loop that nobody has announced: all but rank 0 are at one place in a
 * function. inside: of all a common frame follows, which that function has called; else they wait
 * in MPI, and rank 0 does not.
 */
static bool recognized(const struct part *part, bool inside)
{
	const struct path *zero = rank_zero(part), *other = NULL;
	uint32_t n;

	if (!zero || zero->from == zero->to || part->n < 2)
		return false;
	for (size_t i = 0; i < part->n; i++) {
		struct path *p = part->path[i];

		if (p == zero)
			continue;
		if (p->from == p->to || (other && !same_frames(other, p)))
			return false;
		other = p;
	}
	n = other->to - other->from;
	if (inside)
		return n == 1 && other->frame[other->from].kind == CONSTRUCT_FUNCTION &&
		       !is_mpi(&zero->frame[zero->to - 1]);
	return n <= 2 && is_mpi(&other->frame[other->to - 1]) &&
	       !is_mpi(&zero->frame[zero->to - 1]);
}

/* Sorts the part's paths by what they do, into r->active.path, which has room for all; the others
 * behind. */
static void find_roles(const struct part *part, bool inside, struct roles *r)
{
	bool guess = recognized(part, inside);
	uint32_t ranks = 0;

	r->active.n = 0;
	r->orders.n = 0;
	for (size_t i = 0; i < part->n; i++) {
		struct path *p = part->path[i];
		bool orders = guess ? p != rank_zero(part)
			      : inside ? announced(p) < p->to
				       : idle(p);

		if (p->from == p->to)
			continue;
		if (orders) {
			r->orders.path[r->orders.n++] = p;
		} else {
			r->active.path[r->active.n++] = p;
			ranks += rankset_count(p->ranks);
		}
	}
	r->one = ranks == 1;
}

/* The function of the dispatch loop, else what is called there. */
static const struct report_frame *dispatch_frame(const struct path *p)
{
	uint32_t i = announced(p);

	for (i = i < p->to ? i + 1 : p->to; i > p->from; i--)
		if (p->frame[i - 1].kind == CONSTRUCT_FUNCTION && !is_mpi(&p->frame[i - 1]))
			return &p->frame[i - 1];
	return announced(p) < p->to ? &p->frame[announced(p)] : &p->frame[p->to - 1];
}

static const char *waits_in(const struct path *p)
{
	const struct report_frame *f = &p->frame[p->to - 1];

	return is_mpi(f) && f != dispatch_frame(p) ? f->place.func : NULL;
}

/* Those that wait for orders, at the frame of the rank that gives them. */
static int put_dispatch(struct align *al, struct stack_merge_frame *f, const struct part *orders)
{
	for (size_t i = 0; i < orders->n; i++) {
		const struct report_frame *at = dispatch_frame(orders->path[i]);
		struct stack_merge_variant *v = NULL;

		const char *call = waits_in(orders->path[i]);

		for (size_t k = 0; k < f->ndispatch && !v; k++)
			if (!frame_compare(&f->dispatch[k].frame, at) &&
			    !strcmp(f->dispatch[k].call ? f->dispatch[k].call : "",
				    call ? call : ""))
				v = &f->dispatch[k];
		if (!v) {
			v = vec_add(f->dispatch, f->ndispatch);
			if (!v)
				return no_memory(al);
			v->frame = *at;
			v->call = call;
		}
		if (rankset_add_set(&v->ranks, orders->path[i]->ranks))
			return no_memory(al);
	}
	qsort(f->dispatch, f->ndispatch, sizeof *f->dispatch, variant_compare);
	return 0;
}

/* Behind a scalar frame ranks are compared anew: they have come there on different ways. */
static void begin_anew(struct align *al, const struct part *part)
{
	for (size_t i = 0; i < part->n; i++)
		part->path[i]->outer = al->numbers;
	al->numbers++;
}

static int align_part(struct align *al, const struct part *part);

/* What lies outside of a common frame (inside), or inside of the innermost one. */
static int align_gap(struct align *al, const struct part *part, bool inside)
{
	struct path **room = memory_got(calloc(2 * part->n, sizeof(struct path *)));
	struct roles r = { .active.path = room, .orders.path = room ? room + part->n : NULL };
	size_t outermost = al->s->n;
	int rc;

	if (!room)
		return no_memory(al);
	find_roles(part, inside, &r);
	if (r.orders.n && !r.active.n) {
		/* all are in the dispatch loop: it is what they do */
		rc = align_levels(al, part);
	} else if (r.orders.n && (r.one || !inside)) {
		rc = align_part(al, &r.active);
		if (!rc)
			rc = put_dispatch(al, &al->s->frame[outermost], &r.orders);
	} else {
		rc = align_levels(al, part);
	}
	if (!rc && inside && (r.orders.n || r.one))
		begin_anew(al, part);
	free(room);
	return rc;
}

/* Where the path has the name first. */
static uint32_t find_name(const struct path *p, uint32_t name)
{
	uint32_t i = p->from;

	while (i < p->to && p->name[i] != name)
		i++;
	return i;
}

/* The frames of each from `from` to `to`, which are as before afterwards. */
static int align_part(struct align *al, const struct part *part)
{
	uint32_t *range = memory_got(calloc(2 * part->n + 1, sizeof *range));
	struct common c;
	int rc = range ? 0 : no_memory(al);

	find_common(part, &c);
	for (size_t i = 0; !rc && i < part->n; i++) {
		range[2 * i] = part->path[i]->from;
		range[2 * i + 1] = part->path[i]->to;
	}
	for (uint32_t k = 0; !rc && k <= c.n; k++) {
		/* what is outside the common frame, then that */
		for (size_t i = 0; k < c.n && i < part->n; i++)
			part->path[i]->to = find_name(part->path[i], c.name[k]);
		rc = align_gap(al, part, k < c.n);
		if (rc || k == c.n)
			break;
		for (size_t i = 0; i < part->n; i++) {
			part->path[i]->from = part->path[i]->to;
			part->path[i]->to += part->path[i]->to < range[2 * i + 1];
		}
		rc = align_levels(al, part);
		for (size_t i = 0; i < part->n; i++) {
			part->path[i]->from = part->path[i]->to;
			part->path[i]->to = range[2 * i + 1];
		}
	}
	for (size_t i = 0; range && i < part->n; i++) {
		part->path[i]->from = range[2 * i];
		part->path[i]->to = range[2 * i + 1];
	}
	free(range);
	return rc;
}

static int read_paths(struct align *al, const struct groups *stacks)
{
	struct report_stack *stack = memory_got(calloc(1, sizeof *stack));
	int rc = stack ? 0 : no_memory(al);

	for (size_t i = 0; !rc && i < stacks->n; i++) {
		const struct rank_group *g = &stacks->group[i];
		struct buf b = buf_view(g->blob, g->len);
		struct path *p = &al->path[i];
		char ranks[64];

		p->ranks = &g->ranks;
		if (report_stack_get(stack, &b)) {
			rc = err_set(al->err, "the stack that %s sent cannot be read",
				     rankset_format(&g->ranks, ranks, sizeof ranks));
			break;
		}
		p->frame = memory_got(calloc(stack->n + 1, sizeof *p->frame));
		p->name = memory_got(calloc(stack->n + 1, sizeof *p->name));
		if (!p->frame || !p->name || rankset_add_set(&al->s->ranks, &g->ranks)) {
			rc = no_memory(al);
			break;
		}
		memcpy(p->frame, stack->frame, stack->n * sizeof *p->frame);
		p->n = p->to = stack->n;
	}
	free(stack);
	return rc;
}

/* Frames come outermost first from the alignment. */
static void turn_round(struct stack_merge *s)
{
	for (size_t i = 0; i < s->n / 2; i++) {
		struct stack_merge_frame f = s->frame[i];

		s->frame[i] = s->frame[s->n - 1 - i];
		s->frame[s->n - 1 - i] = f;
	}
}

static int align_all(struct align *al, const struct groups *stacks)
{
	struct part all = { memory_got(calloc(al->n + 1, sizeof(struct path *))), al->n };
	int rc = all.path ? read_paths(al, stacks) : no_memory(al);

	for (size_t i = 0; all.path && i < al->n; i++)
		all.path[i] = &al->path[i];
	if (!rc)
		rc = number_names(al);
	if (!rc)
		rc = align_part(al, &all);
	if (!rc)
		turn_round(al->s);
	free(all.path);
	return rc;
}

struct stack_merge *stack_merge_create(const struct groups *stacks, struct err *err)
{
	struct align al = { .n = stacks->n, .numbers = 1, .err = err };
	int rc;

	al.s = memory_got(calloc(1, sizeof *al.s));
	al.path = memory_got(calloc(al.n + 1, sizeof *al.path));
	al.order = memory_got(calloc(al.n + 1, sizeof(struct path *)));
	rc = al.s && al.path && al.order ? align_all(&al, stacks) : no_memory(&al);
	for (size_t i = 0; al.path && i < al.n; i++) {
		free(al.path[i].frame);
		free(al.path[i].name);
	}
	free(al.path);
	free(al.order);
	if (!rc)
		return al.s;
	stack_merge_destroy(al.s);
	return NULL;
}

static void clear_variants(struct stack_merge_variant *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rankset_clear(&v[i].ranks);
	free(v);
}

void stack_merge_destroy(struct stack_merge *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		clear_variants(s->frame[i].variant, s->frame[i].n);
		clear_variants(s->frame[i].dispatch, s->frame[i].ndispatch);
		rankset_clear(&s->frame[i].ranks);
	}
	free(s->frame);
	rankset_clear(&s->ranks);
	free(s);
}
