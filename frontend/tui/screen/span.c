/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/screen/span.h"

#include <stdbool.h>

#include "common/protocol/trace_config.h"
#include "common/logical/point.h"

const char *span_mark(const struct point *start, const struct point *finish, const struct point *p)
{
	const struct trace_config g = { .level = TRACE_CONFIG_CHECKSUM,
					.start = *start,
					.finish = *finish };
	bool first = start->main && point_compare(p, start) == POINT_EQUAL;
	bool last = finish->main && point_compare(p, finish) == POINT_EQUAL;

	if (first || last)
		return first && last ? "SF" : first ? "S " : "F ";
	return (start->main || finish->main) && trace_config_open(&g, p) ? "│ " : "  ";
}
