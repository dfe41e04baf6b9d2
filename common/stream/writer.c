/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/stream/stream.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/protocol/report.h"
#include "common/tracefile/tracefile.h"

struct writer {
	struct trace_writer *file; /* NULL: closed */
	uint64_t bytes;
};

static int writer_block(void *self, struct trace_block *b, struct err *err)
{
	struct writer *w = self;
	int rc = trace_writer_put(w->file, b, err);

	w->bytes = trace_writer_bytes(w->file);
	return rc;
}

static int writer_end(void *self, bool complete, struct err *err)
{
	struct writer *w = self;
	struct trace_writer *f = w->file;

	w->file = NULL;
	return f ? trace_writer_close(f, complete, err) : 0;
}

static void writer_count(const void *self, struct report_trace *r)
{
	r->bytes = ((const struct writer *)self)->bytes;
}

static void writer_destroy(void *self)
{
	struct err err = { "" };

	writer_end(self, false, &err);
	free(self);
}

static const struct stream_class writer = { .name = "writer",
					    .block = writer_block,
					    .end = writer_end,
					    .count = writer_count,
					    .destroy = writer_destroy };

int stream_add_writer(struct stream *s, struct trace_writer *f, struct err *err)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w) {
		trace_writer_close(f, false, NULL);
		return err_set(err, "out of memory");
	}
	w->file = f;
	return stream_add(s, &writer, w, err);
}
