/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/trace_config.h"

#include <string.h>
#include <strings.h>

static const struct {
	uint8_t level;
	const char *word;
} levels[] = {
#define X(name, number, word) { number, word },
	TRACE_CONFIG_LEVEL_LIST(X)
#undef X
};

const char *trace_config_level_word(unsigned level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].word;
	return "?";
}

int trace_config_level_parse(const char *text)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcasecmp(levels[i].word, text) ||
		    (text[0] == '0' + levels[i].level && !text[1]))
			return levels[i].level;
	return -1;
}

static void limits_code(struct codec *c, struct trace_config_limits *l)
{
	codec_u32(c, &l->ig_left);
	codec_u32(c, &l->ig_right);
	codec_u32(c, &l->iloc_left);
	codec_u32(c, &l->iloc_right);
	codec_u32(c, &l->irep_left);
}

int trace_config_code(struct codec *c, struct trace_config *g)
{
	codec_u8(c, &g->level);
	codec_check(c, g->level == TRACE_CONFIG_NONE || g->level == TRACE_CONFIG_CHECKSUM);
	codec_flag(c, &g->exact);
	codec_flag(c, &g->reads);
	codec_flag(c, &g->drop);
	codec_flag(c, &g->hold);
	point_code(c, &g->start);
	point_code(c, &g->finish);
	codec_below(c, &g->trace, TRACE_CONFIG_FULL + 1);
	codec_flag(c, &g->others);
	codec_flag(c, &g->calls);
	codec_flag(c, &g->uses);
	limits_code(c, &g->limits);
	codec_below(c, &g->nname, TRACE_CONFIG_NAMES + 1);
	for (unsigned i = 0; i < g->nname; i++) {
		codec_text_in(c, g->name[i], sizeof(g->name[i]));
		codec_check(c, *g->name[i]);
	}
	return codec_end(c);
}

bool trace_config_open(const struct trace_config *g, const struct point *p)
{
	enum point_order from, to;

	if (g->level != TRACE_CONFIG_CHECKSUM)
		return false;
	from = g->start.main ? point_compare(p, &g->start) : POINT_AFTER;
	to = g->finish.main ? point_compare(p, &g->finish) : POINT_BEFORE;
	return (from == POINT_EQUAL || from == POINT_AFTER) &&
	       (to == POINT_EQUAL || to == POINT_BEFORE);
}

int trace_config_place_code(struct codec *c, struct trace_config_place *p)
{
	codec_u8(c, &p->kind);
	codec_check(c, (p->kind != RULE_POINT && p->kind <= RULE_ADDR) ||
			       p->kind == TRACE_CONFIG_ARRAY);
	codec_below(c, &p->level, TRACE_CONFIG_FULL + 1);
	codec_u32(c, &p->line);
	codec_u64(c, &p->vaddr);
	codec_text_in(c, p->file, sizeof(p->file));
	codec_below(c, &p->nrange, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < p->nrange; d++) {
		codec_i64(c, &p->first[d]);
		codec_i64(c, &p->last[d]);
		codec_i64(c, &p->step[d]);
		codec_check(c, p->step[d] > 0);
	}
	return codec_end(c);
}

/* Where the region that is open is: p is one of its own points, or outside of it. */
static enum point_order region_order(uint32_t region, const struct point *p)
{
	if (region != p->main)
		return region < p->main ? POINT_BEFORE : POINT_AFTER;
	return p->side == POINT_BEGIN ? POINT_AFTER : POINT_BEFORE;
}

static bool in_task_of(const struct trace_config_at *at, const struct point *p)
{
	return at->in_task && at->task == p->task;
}

static bool after_start(const struct point *start, const struct trace_config_at *at)
{
	enum point_order o;

	if (!start->main)
		return true;
	if (point_kind(start) != POINT_KIND_MARKS) {
		o = point_compare(&at->last, start);
		return o == POINT_EQUAL || o == POINT_AFTER;
	}
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

static bool before_finish(const struct point *finish, const struct trace_config_at *at)
{
	if (!finish->main)
		return true;
	if (point_kind(finish) != POINT_KIND_MARKS)
		return point_compare(&at->last, finish) == POINT_BEFORE;
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

bool trace_config_inside(const struct trace_config *g, const struct trace_config_at *at)
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
		       const struct trace_config_range *r)
{
	for (unsigned d = 0; d < n && d < r->ndim; d++) {
		bool up = r->first[d] <= r->last[d];

		if (near_bound(left, index[d], up ? r->first[d] : r->last[d]) ||
		    near_bound(right, index[d], up ? r->last[d] : r->first[d]))
			return true;
	}
	return false;
}

bool trace_config_iteration(const struct trace_config_limits *l, unsigned n, const int64_t *index,
			    const struct trace_config_range *whole,
			    const struct trace_config_range *part)
{
	if (!l->ig_left && !l->ig_right && !l->iloc_left && !l->iloc_right)
		return true;
	if (!whole->ndim)
		return true;
	return near_range(l->ig_left, l->ig_right, n, index, whole) ||
	       near_range(l->iloc_left, l->iloc_right, n, index, part->ndim ? part : whole);
}

bool trace_config_place_has(const struct trace_config_place *p, unsigned n, const int64_t *index)
{
	for (unsigned d = 0; d < n && d < p->nrange; d++) {
		if (index[d] < p->first[d] || index[d] > p->last[d])
			return false;
		if (((uint64_t)index[d] - (uint64_t)p->first[d]) % (uint64_t)p->step[d])
			return false;
	}
	return true;
}
