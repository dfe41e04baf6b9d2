/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trace files as a user names them: a file, or a directory with those of all ranks.
 */
#ifndef DVMDBG_FRONTEND_TRACE_FILES_H
#define DVMDBG_FRONTEND_TRACE_FILES_H

#include <stddef.h>

#include "common/tracefile/reader.h"
#include "common/traceindex/index.h"

struct err;

/* Zeroed: nothing is open. */
struct trace_files {
	struct trace_index *ref; /* owned; of a directory */
	struct trace_reader *one; /* owned; of a file */
};

int trace_files_open(struct trace_files *f, const char *path, struct err *err);
void trace_files_close(struct trace_files *f);
size_t trace_files_count(const struct trace_files *f);
/* In the order of ranks; borrowed. */
const struct trace_reader *trace_files_map(const struct trace_files *f, size_t i);

#endif
