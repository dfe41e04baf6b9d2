/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/point_sums.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/checksum/checksum.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/memory.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"

#define FLAGS                                                                           \
	(POINT_SUMS_READ | POINT_SUMS_WRITE | POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN | \
	 POINT_SUMS_GONE | POINT_SUMS_SEEN | POINT_SUMS_AGAIN)

static void copy_clear(struct point_sums_copy *c)
{
	rankset_clear(&c->ranks);
	sum_destroy(c->sum);
	*c = (struct point_sums_copy){ 0 };
}

void point_sums_item_clear(struct point_sums_item *i)
{
	for (size_t k = 0; k < i->npart; k++)
		copy_clear(&i->part[k]);
	free(i->part);
	free(i->name);
	free(i->file);
	free(i->module);
	rankset_clear(&i->ranks);
	sum_destroy(i->sum);
	groups_clear(&i->copies);
	*i = (struct point_sums_item){ 0 };
}

void point_sums_clear(struct point_sums *t)
{
	for (size_t i = 0; i < t->n; i++)
		point_sums_item_clear(&t->item[i]);
	free(t->item);
	free(t->file);
	free(t->func);
	free(t->module);
	rankset_clear(&t->passed);
	rankset_clear(&t->dropped);
	rankset_clear(&t->differ);
	*t = (struct point_sums){ 0 };
}

struct place point_sums_place(const struct point_sums *t)
{
	return (struct place){ .file = t->file ? t->file : "",
			       .func = t->func ? t->func : "",
			       .line = t->place_line,
			       .module = t->module ? t->module : "",
			       .vaddr = t->vaddr };
}

int point_sums_set_place(struct point_sums *t, const struct place *p)
{
	free(t->file);
	free(t->func);
	free(t->module);
	t->file = memory_got(strdup(p->file ? p->file : ""));
	t->func = memory_got(strdup(p->func ? p->func : ""));
	t->module = memory_got(strdup(p->module ? p->module : ""));
	t->place_line = p->line;
	t->vaddr = p->vaddr;
	return t->file && t->func && t->module ? 0 : -1;
}

static int order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int identifier_order(const struct point_sums_item *a, const struct point_sums_item *b)
{
	int c = strcmp(a->name, b->name);

	c = c ? c : strcmp(a->file, b->file);
	c = c ? c : order(a->line, b->line);
	return c ? c : order(a->counter, b->counter);
}

int point_sums_item_compare(const struct point_sums_item *a, const struct point_sums_item *b)
{
	int c = identifier_order(a, b);

	c = c ? c : order(a->flags & POINT_SUMS_GONE, b->flags & POINT_SUMS_GONE);
	c = c ? c : order(a->kind, b->kind);
	c = c ? c : order(a->split, b->split);
	c = c ? c : order(a->order, b->order);
	c = c ? c : order(a->plan.type, b->plan.type);
	c = c ? c : order(a->plan.most_blocks, b->plan.most_blocks);
	c = c ? c : order(a->plan.ndim, b->plan.ndim);
	for (unsigned d = 0; c == 0 && d < a->plan.ndim; d++) {
		c = order(a->plan.extent[d], b->plan.extent[d]);
		c = c ? c : order(a->lower[d], b->lower[d]);
	}
	return c;
}

static int by_compare(const void *a, const void *b)
{
	return point_sums_item_compare(a, b);
}

/* Items with one identifier are added before their geometry is known. */
static void settle(struct point_sums *t)
{
	for (size_t i = 1; i < t->n; i++) {
		if (point_sums_item_compare(&t->item[i - 1], &t->item[i]) <= 0)
			continue;
		qsort(t->item, t->n, sizeof(t->item[0]), by_compare);
		return;
	}
}

/* A new item behind all others; NULL: no memory, or too many. */
static struct point_sums_item *append(struct point_sums *t, const char *name, const char *file)
{
	struct point_sums_item *i;

	if (t->n == POINT_SUMS_ITEMS)
		return NULL;
	if (vec_room(t->item, t->cap, t->n + 1))
		return NULL;
	i = &t->item[t->n];
	*i = (struct point_sums_item){ .name = memory_got(strdup(name ? name : "")) };
	i->file = memory_got(strdup(file ? file : ""));
	if (!i->name || !i->file) {
		point_sums_item_clear(i);
		return NULL;
	}
	t->n++;
	return i;
}

struct point_sums_item *point_sums_add(struct point_sums *t, const char *name, const char *file,
				       uint32_t line, uint32_t counter)
{
	struct point_sums_item *i = append(t, name, file), item;
	size_t at = t->n - 1;

	if (!i)
		return NULL;
	i->line = line;
	i->counter = counter;
	item = *i;
	while (at && identifier_order(&t->item[at - 1], &item) > 0)
		at--;
	memmove(&t->item[at + 1], &t->item[at], (t->n - 1 - at) * sizeof(item));
	t->item[at] = item;
	return &t->item[at];
}

static bool has_place(const struct point_sums *t)
{
	return (t->file && *t->file) || (t->module && *t->module);
}

static bool place_wins(const struct point_sums *dst, const struct point_sums *src)
{
	if (!has_place(src))
		return false;
	return !has_place(dst) || rankset_next(&src->passed, 0) < rankset_next(&dst->passed, 0);
}

static void place_take(struct point_sums *dst, struct point_sums *src)
{
	free(dst->file);
	free(dst->func);
	free(dst->module);
	dst->file = src->file;
	dst->func = src->func;
	dst->module = src->module;
	src->file = src->func = src->module = NULL;
	dst->place_line = src->place_line;
	dst->vaddr = src->vaddr;
	dst->kind = src->kind;
}

int point_sums_item_set_module(struct point_sums_item *i, const char *module, uint64_t vaddr)
{
	char *copy = memory_got(strdup(module));

	if (!copy)
		return -1;
	free(i->module);
	i->module = copy;
	i->vaddr = vaddr;
	return 0;
}

/* Of two places where it was registered the lower one is shown, whoever comes first. */
static void module_merge(struct point_sums_item *dst, struct point_sums_item *src)
{
	int c = dst->module && src->module ? strcmp(src->module, dst->module) : 0;

	if (!src->module || c > 0 || (dst->module && !c && src->vaddr >= dst->vaddr))
		return;
	free(dst->module);
	dst->module = src->module;
	dst->vaddr = src->vaddr;
	src->module = NULL;
}

/* The copy of that number, made empty when there is none; NULL: no memory. */
static struct point_sums_copy *copy_of(struct point_sums_item *i, uint32_t number)
{
	struct point_sums_copy *x;
	size_t at = i->npart;

	while (at && i->part[at - 1].number > number)
		at--;
	if (at && i->part[at - 1].number == number)
		return &i->part[at - 1];
	x = vec_add(i->part, i->npart);
	if (!x)
		return NULL;
	x = &i->part[at];
	memmove(x + 1, x, (i->npart - 1 - at) * sizeof(*x));
	*x = (struct point_sums_copy){ .number = number };
	return x;
}

/* Adds the sum, which is taken over where x has none. */
static int copy_add(struct point_sums_copy *x, struct sum **sum)
{
	if (x->sum)
		return sum_merge(x->sum, *sum, NULL) ? -1 : 0;
	x->sum = *sum;
	*sum = NULL;
	return 0;
}

int point_sums_item_add_copy(struct point_sums_item *i, uint32_t number, uint32_t rank,
			     struct sum *sum)
{
	struct point_sums_copy *x = copy_of(i, number);
	int rc = x && !rankset_add(&x->ranks, rank, rank) ? copy_add(x, &sum) : -1;

	sum_destroy(sum);
	return rc;
}

static int parts_merge(struct point_sums_item *dst, struct point_sums_item *src)
{
	int rc = 0;

	for (size_t k = 0; k < src->npart; k++) {
		struct point_sums_copy *from = &src->part[k], *x = copy_of(dst, from->number);

		if (!x || rankset_add_set(&x->ranks, &from->ranks) || copy_add(x, &from->sum))
			rc = -1;
	}
	return rc;
}

bool point_sums_item_counted(const struct point_sums_item *i)
{
	if (!i->split)
		return i->sum && sum_count(i->sum) == i->plan.total;
	for (size_t k = 0; k < i->npart; k++)
		if (sum_count(i->part[k].sum) != i->plan.total)
			return false;
	return i->npart == i->split;
}

/* Both are the same object. */
static int item_merge(struct point_sums_item *dst, struct point_sums_item *src)
{
	int rc = 0;

	dst->flags |= src->flags;
	module_merge(dst, src);
	if (rankset_add_set(&dst->ranks, &src->ranks) ||
	    groups_merge(&dst->copies, &src->copies) || parts_merge(dst, src))
		rc = -1;
	if (dst->sum && src->sum)
		return sum_merge(dst->sum, src->sum, NULL) ? -1 : rc;
	if (src->sum) {
		dst->sum = src->sum;
		src->sum = NULL;
	}
	return rc;
}

/* Merges two ordered lists into a new one. */
static int items_merge(struct point_sums *dst, struct point_sums *src)
{
	size_t a = 0, b = 0, n = 0;
	struct point_sums_item *to;
	int rc = 0;

	settle(dst);
	settle(src);
	to = memory_got(calloc(dst->n + src->n, sizeof(*to)));
	if (!to)
		return -1;
	while (a < dst->n || b < src->n) {
		int c = a == dst->n   ? 1
			: b == src->n ? -1
				      : point_sums_item_compare(&dst->item[a], &src->item[b]);
		struct point_sums_item *from = c > 0 ? &src->item[b++] : &dst->item[a++];

		if (c == 0 && item_merge(from, &src->item[b++]))
			rc = -1;
		if (n == POINT_SUMS_ITEMS) {
			point_sums_item_clear(from);
			rc = -1;
			continue;
		}
		to[n++] = *from;
		*from = (struct point_sums_item){ 0 };
	}
	free(dst->item);
	dst->item = to;
	dst->cap = dst->n + src->n;
	dst->n = n;
	return rc;
}

int point_sums_merge(struct point_sums *dst, struct point_sums *src)
{
	int rc = 0;

	if (place_wins(dst, src))
		place_take(dst, src);
	if (rankset_add_set(&dst->passed, &src->passed) ||
	    rankset_add_set(&dst->dropped, &src->dropped) ||
	    rankset_add_set(&dst->differ, &src->differ))
		rc = -1;
	if (src->n && items_merge(dst, src))
		rc = -1;
	return rc;
}

int point_sums_give_up(struct point_sums *t)
{
	for (size_t i = 0; i < t->n; i++)
		point_sums_item_clear(&t->item[i]);
	t->n = 0;
	return rankset_add_set(&t->dropped, &t->passed);
}

/* Whether all copies are sums of that plan, by ranks that have the object. */
static bool copies_are_sums(const struct point_sums_item *i)
{
	for (size_t k = 0; k < i->copies.n; k++) {
		const struct rank_group *g = &i->copies.group[k];
		struct buf b = buf_view(g->blob, g->len);
		struct sum *s = sum_get(&b, NULL);
		bool good = s && buf_left(&b) == 0 && sum_plan_equal(sum_plan_of(s), &i->plan);

		sum_destroy(s);
		if (!good || !rankset_covers(&i->ranks, &g->ranks))
			return false;
	}
	return i->copies.n > 0;
}

static int part_code(struct codec *c, struct point_sums_copy *x)
{
	codec_u32(c, &x->number);
	rankset_code(c, &x->ranks);
	return sum_code(c, &x->sum);
}

static void parts_code(struct codec *c, struct point_sums_item *i)
{
	/* number, one run of ranks, the plan of a sum */
	enum { LEAST = 20 };

	codec_each(c, &i->part, &i->npart, i->split, LEAST, part_code);
	codec_check(c, i->npart > 0);
	if (!c->get || !codec_good(c))
		return;
	i->plan = *sum_plan_of(i->part[0].sum);
	for (size_t k = 0; k < i->npart; k++) {
		const struct point_sums_copy *x = &i->part[k];

		codec_check(c, x->number < i->split && (!k || x->number > x[-1].number) &&
				       x->ranks.n && rankset_covers(&i->ranks, &x->ranks) &&
				       sum_plan_equal(sum_plan_of(x->sum), &i->plan));
	}
}

static void sums_code(struct codec *c, struct point_sums_item *i)
{
	if (i->split) {
		parts_code(c, i);
		return;
	}
	if (i->kind == ARRAY_DISTRIBUTED) {
		sum_code(c, &i->sum);
		if (c->get && codec_good(c))
			i->plan = *sum_plan_of(i->sum);
		return;
	}
	sum_plan_code(c, &i->plan);
	groups_code(c, &i->copies);
	codec_check(c, copies_are_sums(i));
}

static void module_code(struct codec *c, struct point_sums_item *i)
{
	const char *module = i->module;
	uint64_t vaddr = i->vaddr;

	codec_text(c, &module);
	codec_u64(c, &vaddr);
	codec_check(c, !*module || !point_sums_item_set_module(i, module, vaddr));
}

static void item_code(struct codec *c, struct point_sums *t, struct point_sums_item *i)
{
	int64_t high;

	codec_text_copy(c, &i->name);
	codec_text_copy(c, &i->file);
	if (codec_good(c) && !*i->file)
		module_code(c, i);
	codec_u32(c, &i->line);
	codec_u32(c, &i->counter);
	array_kind_code(c, &i->kind, &i->split);
	codec_u8(c, &i->order);
	codec_check(c, i->order == 'C' || i->order == 'F');
	codec_u8(c, &i->flags);
	codec_check(c, !(i->flags & ~FLAGS));
	rankset_code(c, &i->ranks);
	codec_check(c, i->ranks.n && rankset_covers(&t->passed, &i->ranks));
	if (!codec_good(c))
		return;
	sums_code(c, i);
	for (unsigned d = 0; d < i->plan.ndim; d++) {
		codec_i64(c, &i->lower[d]);
		codec_check(c, !__builtin_add_overflow(i->lower[d], i->plan.extent[d], &high));
	}
}

static void head_code(struct codec *c, struct point_sums *t)
{
	struct place place = point_sums_place(t);

	point_code(c, &t->point);
	codec_u8(c, &t->kind);
	place_code(c, &place);
	codec_check(c, t->point.main && construct_numbered(t->kind));
	codec_check(c, !point_sums_set_place(t, &place));
	rankset_code(c, &t->passed);
	rankset_code(c, &t->dropped);
	rankset_code(c, &t->differ);
	codec_check(c, t->passed.n && rankset_covers(&t->passed, &t->dropped) &&
			       rankset_covers(&t->passed, &t->differ));
}

int point_sums_code(struct codec *c, struct point_sums *t)
{
	/* the bytes of an item without names, of one run of ranks, with the plan of a sum */
	enum { LEAST = 31 };

	head_code(c, t);
	codec_list(c, &t->item, &t->n, POINT_SUMS_ITEMS, LEAST);
	if (c->get)
		t->cap = t->n;
	for (size_t i = 0; i < t->n && codec_good(c); i++)
		item_code(c, t, &t->item[i]);
	if (c->get && codec_good(c))
		settle(t);
	for (size_t i = 1; i < t->n; i++)
		codec_check(c, point_sums_item_compare(&t->item[i - 1], &t->item[i]) != 0);
	return codec_whole(c);
}

int point_sums_get(struct point_sums *t, struct buf *b, struct err *err)
{
	*t = (struct point_sums){ 0 };
	if (!point_sums_code(CODEC_GET(b), t))
		return 0;
	point_sums_clear(t);
	return err_set(err, "a message of checksums is cut off or damaged");
}
