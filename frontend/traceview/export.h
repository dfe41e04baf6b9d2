/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces as texts of the historical format, with names from the debug information and as the
 * settings WriteEmptyIter and SpaceIndent want them.
 */
#ifndef DVMDBG_FRONTEND_TRACE_EXPORT_H
#define DVMDBG_FRONTEND_TRACE_EXPORT_H

struct err;
struct session;
struct trace_reader;

/* to "-": the standard output. What was written is reported. */
int trace_export(struct session *s, const struct trace_reader *m, const char *to, struct err *err);

#endif
