/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/logical/point.h"

#include <stdio.h>
#include <string.h>

#include "common/core/err.h"

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

int point_parse(struct point *p, const char *text, struct err *err)
{
	struct point now;
	const char *at = parse_numbers(&now, text);

	if (!at || (strcmp(at, "B") && strcmp(at, "E")))
		return err_set(err, "\"%s\" is not a point: it has the form N.B, N.E or N.TASK.M.B",
			       text);
	now.side = *at == 'B' ? POINT_BEGIN : POINT_END;
	*p = now;
	return 0;
}

const char *point_format(const struct point *p, char out[POINT_TEXT])
{
	char side = p->side == POINT_BEGIN ? 'B' : 'E';

	if (p->main == 0)
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

enum point_order point_compare(const struct point *a, const struct point *b)
{
	if (a->main != b->main || a->main == 0)
		return order(a->main, b->main);
	if (point_in_task(a) && point_in_task(b)) {
		if (a->task != b->task)
			return POINT_INCOMPARABLE;
		if (a->sub != b->sub)
			return order(a->sub, b->sub);
		return order(a->side, b->side);
	}
	if (point_in_task(a))
		return b->side == POINT_BEGIN ? POINT_AFTER : POINT_BEFORE;
	if (point_in_task(b))
		return a->side == POINT_BEGIN ? POINT_BEFORE : POINT_AFTER;
	return order(a->side, b->side);
}

int point_sort(const struct point *a, const struct point *b)
{
	enum point_order o = point_compare(a, b);

	return o == POINT_INCOMPARABLE ? (int)order(a->task, b->task) : (int)o;
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
	return (struct point){ .main = a->main, .side = POINT_END };
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

struct point point_clean(uint32_t main, uint32_t task, uint32_t sub, unsigned side)
{
	struct point p = { main, task, sub, side ? POINT_END : POINT_BEGIN };

	if (main == 0 || (sub == 0 && task != 0))
		return (struct point){ 0 };
	return p;
}

int point_code(struct codec *c, struct point *p)
{
	codec_u32(c, &p->main);
	codec_u32(c, &p->task);
	codec_u32(c, &p->sub);
	codec_below(c, &p->side, POINT_END + 1);
	codec_check(c, p->sub || !p->task);
	codec_check(c, p->main || (!p->sub && p->side == POINT_BEGIN));
	if (!codec_good(c) && c->get)
		*p = (struct point){ 0 };
	return codec_end(c);
}
