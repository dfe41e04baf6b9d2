/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/gauge.h"

#include "common/buf.h"

void gauge_put(const struct gauge *g, struct buf *b)
{
	buf_put_u8(b, g->level);
	buf_put_u8(b, g->reads);
	buf_put_u8(b, g->drop);
	buf_put_u8(b, g->hold);
	point_put(&g->start, b);
	point_put(&g->finish, b);
}

int gauge_get(struct gauge *g, struct buf *b)
{
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
