/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interval in which checksums are taken, beside a list of points.
 */
#ifndef DVMDBG_FRONTEND_TUI_SPAN_H
#define DVMDBG_FRONTEND_TUI_SPAN_H

struct point;

/*
 * Two cells beside the point p of a list: "S " where the interval starts, "F " where it finishes,
 * "SF" both, "│ " inside; "  " outside, and everywhere when neither end is set (main 0: not set).
 */
const char *span_mark(const struct point *start, const struct point *finish, const struct point *p);

#endif
