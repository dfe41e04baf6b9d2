/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/logical/point.h"

#include <stdio.h>
#include <string.h>

#include "common/core/err.h"

#define AFTER 2u  /* in the side: behind the point */
#define SECOND 4u /* and behind the next one */

static const char *const kind_words[] = {
#define X(name, word) word,
	POINT_KIND_LIST(X)
#undef X
};

const char *point_kind_word(unsigned kind)
{
	return kind < POINT_KINDS ? kind_words[kind] : "?";
}

static bool is_unmarked(const struct point *p)
{
	return point_kind(p) != POINT_KIND_MARKS;
}

/* Constructs in a task count from 1, so sub decides; a task's own number may be 0. */
static bool point_in_task(const struct point *p)
{
	return p->sub != 0;
}

/* Reads a number of decimal digits below 2^32 without leading zeros; NULL when there is none. */
static const char *parse_number(const char *at, uint32_t *out)
{
	uint64_t v = 0;

	if (*at < '0' || *at > '9' || (at[0] == '0' && at[1] >= '0' && at[1] <= '9'))
		return NULL;
	for (; *at >= '0' && *at <= '9'; at++) {
		v = v * 10 + (uint64_t)(*at - '0');
		if (v > UINT32_MAX)
			return NULL;
	}
	*out = (uint32_t)v;
	return at;
}

/* Reads the numbers of a point and the '.' behind each; at the side's letter, or NULL. */
static const char *parse_numbers(struct point *p, const char *at)
{
	uint32_t number[3];
	size_t n = 0;

	while (*at >= '0' && *at <= '9') {
		if (n == 3)
			return NULL;
		at = parse_number(at, &number[n++]);
		if (!at || *at++ != '.')
			return NULL;
	}
	if ((n != 1 && n != 3) || number[0] == 0)
		return NULL;
	*p = (struct point){ .main = number[0] };
	if (n == 3) {
		if (number[2] == 0)
			return NULL;
		p->task = number[1];
		p->sub = number[2];
	}
	return at;
}

/* The kind of the prefix, behind which *at is then. */
static enum point_kind parse_kind(const char **at)
{
	for (unsigned k = POINT_KIND_MARKS + 1; k < POINT_KINDS; k++) {
		size_t n = strlen(kind_words[k]);

		if (strncmp(*at, kind_words[k], n) || (*at)[n] != ':')
			continue;
		*at += n + 1;
		return (enum point_kind)k;
	}
	return POINT_KIND_MARKS;
}

int point_parse(struct point *p, const char *text, struct err *err)
{
	const char *rest = text, *at;
	enum point_kind kind = parse_kind(&rest);
	struct point now;

	at = parse_numbers(&now, rest);
	if (!at || (strcmp(at, "B") && strcmp(at, "E")))
		return err_set(err,
			       "\"%s\" is not a point: it has the form N.B, N.E, N.TASK.M.B, "
			       "mpi:N.B or omp:N.B",
			       text);
	if (kind && (now.sub || now.main > POINT_UNMARKED_MOST))
		return err_set(err,
			       "\"%s\" is not a point: %s are %s:1.B to %s:%u.E, and in no task", text,
			       kind == POINT_KIND_MPI ? "collective calls" : "parallel regions",
			       kind_words[kind], kind_words[kind], POINT_UNMARKED_MOST);
	if (kind)
		now.main = point_main(kind, now.main);
	else if (is_unmarked(&now))
		return err_set(err, "\"%s\" is not a point: numbers end at 2147483647", text);
	now.side = *at == 'B' ? POINT_BEGIN : POINT_END;
	*p = now;
	return 0;
}

const char *point_format(const struct point *p, char out[POINT_TEXT])
{
	char side = p->side & POINT_END ? 'E' : 'B';

	if (is_unmarked(p))
		snprintf(out, POINT_TEXT, "%s:%u.%c", point_kind_word(point_kind(p)),
			 point_number(p), side);
	else if (p->main == 0)
		snprintf(out, POINT_TEXT, "start");
	else if (point_in_task(p))
		snprintf(out, POINT_TEXT, "%u.%u.%u.%c", p->main, p->task, p->sub, side);
	else
		snprintf(out, POINT_TEXT, "%u.%c", p->main, side);
	return out;
}

static enum point_order order(uint32_t a, uint32_t b)
{
	return a < b ? POINT_BEFORE : a > b ? POINT_AFTER : POINT_EQUAL;
}

/* Sides, and places behind them, in their order. */
static uint32_t side_order(const struct point *p)
{
	return (p->side & POINT_END) * AFTER + (point_is_after(p) ? 1 : 0);
}

/* A mark's point and one of another kind. */
static enum point_order order_kinds(const struct point *mark, const struct point *other)
{
	uint64_t begin = (uint64_t)mark->main << 1, base = (uint64_t)other->task - 1;

	if (mark->main == UINT32_MAX)
		return POINT_AFTER;
	if (!mark->main || !other->task)
		return POINT_BEFORE;
	if (point_in_task(mark))
		return base == begin  ? POINT_INCOMPARABLE
		       : base < begin ? POINT_AFTER
				      : POINT_BEFORE;
	return (begin | (mark->side & POINT_END)) <= base ? POINT_BEFORE : POINT_AFTER;
}

enum point_order point_compare(const struct point *a, const struct point *b)
{
	enum point_order o;

	if (is_unmarked(a) != is_unmarked(b)) {
		o = is_unmarked(b) ? order_kinds(a, b) : order_kinds(b, a);
		return is_unmarked(b) || o == POINT_INCOMPARABLE ? o : (enum point_order)-(int)o;
	}
	/* of two runs, each with its own kind */
	if (is_unmarked(a) && point_kind(a) != point_kind(b) && a->task != b->task)
		return order(a->task, b->task);
	if (a->main != b->main)
		return order(a->main, b->main);
	if (is_unmarked(a) || !a->main)
		return order(side_order(a), side_order(b));
	if (point_in_task(a) && point_in_task(b)) {
		if (a->task != b->task)
			return POINT_INCOMPARABLE;
		if (a->sub != b->sub)
			return order(a->sub, b->sub);
		return order(side_order(a), side_order(b));
	}
	if (point_in_task(a))
		return b->side & POINT_END ? POINT_BEFORE : POINT_AFTER;
	if (point_in_task(b))
		return a->side & POINT_END ? POINT_AFTER : POINT_BEFORE;
	return order(side_order(a), side_order(b));
}

int point_sort(const struct point *a, const struct point *b)
{
	enum point_order o = point_compare(a, b);

	if (o != POINT_INCOMPARABLE)
		return (int)o;
	/* in a region, but in none of its tasks */
	if (is_unmarked(a) != is_unmarked(b))
		return is_unmarked(a) ? POINT_AFTER : POINT_BEFORE;
	return (int)order(a->task, b->task);
}

struct point point_furthest(const struct point *a, const struct point *b)
{
	switch (point_compare(a, b)) {
	case POINT_BEFORE:
		return *b;
	case POINT_EQUAL:
	case POINT_AFTER:
		return *a;
	case POINT_INCOMPARABLE:
		break;
	}
	return (struct point){ .main = is_unmarked(a) ? b->main : a->main, .side = POINT_END };
}

static uint32_t successor(uint32_t n)
{
	return n == UINT32_MAX ? n : n + 1;
}

struct point point_next(const struct point *p)
{
	struct point next = *p;

	if (p->main == 0)
		return (struct point){ .main = 1, .side = POINT_BEGIN };
	if (p->side == POINT_BEGIN) {
		next.side = POINT_END;
		return next;
	}
	next.side = POINT_BEGIN;
	if (point_in_task(p))
		next.sub = successor(p->sub);
	else
		next.main = successor(p->main);
	return next;
}

struct point point_after(const struct point *p)
{
	struct point after = *p;

	if (!point_is_after(p))
		after.side |= AFTER;
	return after;
}

struct point point_second(const struct point *after)
{
	struct point second = point_after(after);

	second.side |= SECOND;
	return second;
}

uint64_t point_order_number(const struct point *p)
{
	uint32_t side = p->side & POINT_END;

	if (!p->main)
		return 0;
	if (p->main == UINT32_MAX)
		return UINT64_MAX;
	if (!is_unmarked(p))
		return ((uint64_t)p->main << 1 | side) << 32;
	return (uint64_t)(p->task ? p->task - 1 : 0) << 32 | (p->main << 1 | side);
}

bool point_of_order_number(struct point *p, uint64_t number)
{
	uint32_t mark = (uint32_t)(number >> 32), other = (uint32_t)number;

	*p = (struct point){ .main = mark >> 1, .side = mark & 1 };
	if (other)
		*p = (struct point){ .main = other >> 1 | POINT_MPI, mark + 1, 0, other & 1 };
	return point_number(p) && p->main != UINT32_MAX;
}

struct point point_clean(uint32_t main, uint32_t task, uint32_t sub, unsigned side)
{
	struct point p = { main, task, sub, side ? POINT_END : POINT_BEGIN };

	if (main == 0 || (is_unmarked(&p) ? sub || !point_number(&p) : sub == 0 && task != 0))
		return (struct point){ 0 };
	return p;
}

static int code(struct codec *c, struct point *p, uint32_t sides)
{
	codec_u32(c, &p->main);
	codec_u32(c, &p->task);
	codec_u32(c, &p->sub);
	codec_below(c, &p->side, sides);
	codec_check(c, is_unmarked(p) ? point_number(p) && !p->sub : p->sub || !p->task);
	codec_check(c, p->main || (!p->sub && !(p->side & POINT_END)));
	if (!codec_good(c) && c->get)
		*p = (struct point){ 0 };
	return codec_end(c);
}

int point_code(struct codec *c, struct point *p)
{
	return code(c, p, POINT_END + 1);
}

int point_target_code(struct codec *c, struct point *p)
{
	return code(c, p, (AFTER | SECOND | POINT_END) + 1);
}

void point_target_put(const struct point *p, struct buf *b)
{
	struct point copy = *p;

	point_target_code(CODEC_PUT(b), &copy);
}

int point_target_get(struct point *p, struct buf *b)
{
	*p = (struct point){ 0 };
	return point_target_code(CODEC_GET(b), p);
}
