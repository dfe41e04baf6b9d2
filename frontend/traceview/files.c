/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/traceview.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/core/err.h"

int trace_files_open(struct trace_files *f, const char *path, struct err *err)
{
	struct stat st;

	*f = (struct trace_files){ 0 };
	if (stat(path, &st))
		return err_set(err, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode) || trace_index_text(path))
		f->ref = trace_index_open(path, 0, err);
	else
		f->one = trace_reader_open(path, err);
	return f->ref || f->one ? 0 : -1;
}

void trace_files_close(struct trace_files *f)
{
	trace_index_close(f->ref);
	trace_reader_close(f->one);
	*f = (struct trace_files){ 0 };
}

size_t trace_files_count(const struct trace_files *f)
{
	return f->ref ? trace_index_files(f->ref) : f->one ? 1 : 0;
}

const struct trace_reader *trace_files_map(const struct trace_files *f, size_t i)
{
	return f->ref ? trace_index_map(f->ref, (uint32_t)i) : f->one;
}
