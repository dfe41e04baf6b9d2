/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/trace_config.h"

#include <string.h>
#include <strings.h>

#include "common/core/buf.h"

static const struct {
	uint8_t level;
	const char *word;
} levels[] = {
#define X(name, number, word) { number, word },
	GAUGE_LEVEL_LIST(X)
#undef X
};

const char *gauge_level_word(unsigned level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].word;
	return "?";
}

int gauge_level_parse(const char *text)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcasecmp(levels[i].word, text) ||
		    (text[0] == '0' + levels[i].level && !text[1]))
			return levels[i].level;
	return -1;
}

static void limits_put(const struct gauge_limits *l, struct buf *b)
{
	buf_put_u32(b, l->ig_left);
	buf_put_u32(b, l->ig_right);
	buf_put_u32(b, l->iloc_left);
	buf_put_u32(b, l->iloc_right);
	buf_put_u32(b, l->irep_left);
}

static void limits_get(struct gauge_limits *l, struct buf *b)
{
	l->ig_left = buf_get_u32(b);
	l->ig_right = buf_get_u32(b);
	l->iloc_left = buf_get_u32(b);
	l->iloc_right = buf_get_u32(b);
	l->irep_left = buf_get_u32(b);
}

void gauge_put(const struct gauge *g, struct buf *b)
{
	buf_put_u8(b, g->level);
	buf_put_u8(b, g->reads);
	buf_put_u8(b, g->drop);
	buf_put_u8(b, g->hold);
	point_put(&g->start, b);
	point_put(&g->finish, b);
	buf_put_u8(b, g->trace);
	buf_put_u8(b, g->others);
	limits_put(&g->limits, b);
	buf_put_u8(b, g->nname);
	for (unsigned i = 0; i < g->nname && i < GAUGE_NAMES; i++)
		buf_put_str(b, g->name[i]);
}

static void names_get(struct gauge *g, struct buf *b)
{
	g->nname = buf_get_u8(b);
	if (g->nname > GAUGE_NAMES)
		b->bad = true;
	for (unsigned i = 0; i < g->nname && !b->bad; i++) {
		const char *name = buf_get_str(b);
		size_t len = name ? strlen(name) : 0;

		if (!len || len >= GAUGE_NAME)
			b->bad = true;
		else
			memcpy(g->name[i], name, len + 1);
	}
}

int gauge_get(struct gauge *g, struct buf *b)
{
	*g = (struct gauge){ 0 };
	g->level = buf_get_u8(b);
	g->reads = buf_get_u8(b);
	g->drop = buf_get_u8(b);
	g->hold = buf_get_u8(b);
	if (g->level != GAUGE_NONE && g->level != GAUGE_CHECKSUM)
		b->bad = true;
	if (g->reads > 1 || g->drop > 1 || g->hold > 1)
		b->bad = true;
	if (point_get(&g->start, b) || point_get(&g->finish, b))
		b->bad = true;
	g->trace = buf_get_u8(b);
	g->others = buf_get_u8(b);
	if (g->trace > GAUGE_FULL || g->others > 1)
		b->bad = true;
	limits_get(&g->limits, b);
	names_get(g, b);
	if (b->bad)
		*g = (struct gauge){ 0 };
	return b->bad ? -1 : 0;
}

bool gauge_open(const struct gauge *g, const struct point *p)
{
	enum point_order from, to;

	if (g->level != GAUGE_CHECKSUM)
		return false;
	from = g->start.main ? point_compare(p, &g->start) : POINT_AFTER;
	to = g->finish.main ? point_compare(p, &g->finish) : POINT_BEFORE;
	return (from == POINT_EQUAL || from == POINT_AFTER) &&
	       (to == POINT_EQUAL || to == POINT_BEFORE);
}

void gauge_place_put(const struct gauge_place *p, struct buf *b)
{
	buf_put_u8(b, p->kind);
	buf_put_u8(b, p->level);
	buf_put_u32(b, p->line);
	buf_put_u64(b, p->vaddr);
	buf_put_str(b, p->file);
	buf_put_u8(b, p->nrange);
	for (unsigned d = 0; d < p->nrange && d < ARRAY_DIMS; d++) {
		buf_put_i64(b, p->first[d]);
		buf_put_i64(b, p->last[d]);
		buf_put_i64(b, p->step[d]);
	}
}

int gauge_place_get(struct gauge_place *p, struct buf *b)
{
	const char *file;
	size_t len;

	*p = (struct gauge_place){ 0 };
	p->kind = buf_get_u8(b);
	p->level = buf_get_u8(b);
	p->line = buf_get_u32(b);
	p->vaddr = buf_get_u64(b);
	file = buf_get_str(b);
	len = file ? strlen(file) : RULE_FILE;
	p->nrange = buf_get_u8(b);
	if (p->kind == RULE_POINT || (p->kind > RULE_ADDR && p->kind != GAUGE_ARRAY) ||
	    p->level > GAUGE_FULL ||
	    len >= RULE_FILE || p->nrange > ARRAY_DIMS)
		b->bad = true;
	if (!b->bad)
		memcpy(p->file, file, len + 1);
	for (unsigned d = 0; d < p->nrange && !b->bad; d++) {
		p->first[d] = buf_get_i64(b);
		p->last[d] = buf_get_i64(b);
		p->step[d] = buf_get_i64(b);
		if (p->step[d] <= 0)
			b->bad = true;
	}
	return b->bad ? -1 : 0;
}

/* Where the region that is open lies: p is one of its own points, or outside of it. */
static enum point_order region_order(uint32_t region, const struct point *p)
{
	if (region != p->main)
		return region < p->main ? POINT_BEFORE : POINT_AFTER;
	return p->side == POINT_BEGIN ? POINT_AFTER : POINT_BEFORE;
}

static bool in_task_of(const struct gauge_at *at, const struct point *p)
{
	return at->in_task && at->task == p->task;
}

static bool after_start(const struct point *start, const struct gauge_at *at)
{
	enum point_order o;

	if (!start->main)
		return true;
	if (at->region && start->sub && start->main == at->region) {
		if (!in_task_of(at, start) || at->fresh)
			return false;
	} else if (at->region) {
		return region_order(at->region, start) == POINT_AFTER;
	} else if (start->sub && at->loop && start->main == at->last.main) {
		return true;
	}
	o = point_compare(&at->last, start);
	return o == POINT_EQUAL || o == POINT_AFTER;
}

static bool before_finish(const struct point *finish, const struct gauge_at *at)
{
	if (!finish->main)
		return true;
	if (at->region && finish->sub && finish->main == at->region) {
		if (!in_task_of(at, finish))
			return false;
		if (at->fresh)
			return true;
	} else if (at->region) {
		return region_order(at->region, finish) == POINT_BEFORE;
	}
	return point_compare(&at->last, finish) == POINT_BEFORE;
}

bool gauge_inside(const struct gauge *g, const struct gauge_at *at)
{
	return after_start(&g->start, at) && before_finish(&g->finish, at);
}

/* Within limit - 1 steps of the bound. */
static bool near_bound(uint32_t limit, int64_t index, int64_t bound)
{
	uint64_t away = index < bound ? (uint64_t)bound - (uint64_t)index
				      : (uint64_t)index - (uint64_t)bound;

	return limit && away < limit;
}

static bool near_range(uint32_t left, uint32_t right, unsigned n, const int64_t *index,
		       const struct gauge_range *r)
{
	for (unsigned d = 0; d < n && d < r->ndim; d++) {
		bool up = r->first[d] <= r->last[d];

		if (near_bound(left, index[d], up ? r->first[d] : r->last[d]) ||
		    near_bound(right, index[d], up ? r->last[d] : r->first[d]))
			return true;
	}
	return false;
}

bool gauge_iteration(const struct gauge_limits *l, unsigned n, const int64_t *index,
		     const struct gauge_range *whole, const struct gauge_range *part)
{
	if (!l->ig_left && !l->ig_right && !l->iloc_left && !l->iloc_right)
		return true;
	if (!whole->ndim)
		return true;
	return near_range(l->ig_left, l->ig_right, n, index, whole) ||
	       near_range(l->iloc_left, l->iloc_right, n, index, part->ndim ? part : whole);
}

bool gauge_place_has(const struct gauge_place *p, unsigned n, const int64_t *index)
{
	for (unsigned d = 0; d < n && d < p->nrange; d++) {
		if (index[d] < p->first[d] || index[d] > p->last[d])
			return false;
		if (((uint64_t)index[d] - (uint64_t)p->first[d]) % (uint64_t)p->step[d])
			return false;
	}
	return true;
}
