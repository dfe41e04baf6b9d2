/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debug output by domain, for ourselves: DVMDBG_DEBUG=tree,conn or "all" writes to
 * DVMDBG_DEBUG_FILE (default: standard error). Silent and almost free otherwise.
 */
#ifndef DVMDBG_COMMON_LOG_H
#define DVMDBG_COMMON_LOG_H

#include <stdbool.h>

/* Who speaks, e.g. "exec 3". Call once at start; reads the environment. */
void log_init(const char *who);
bool log_wants(const char *domain);
void log_debug(const char *domain, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
