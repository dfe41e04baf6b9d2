/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/stream/stream.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/protocol/report.h"
#include "common/tracefile/tracefile.h"

struct stream {
	struct reader {
		const struct stream_class *class;
		void *self;
	} * reader;
	size_t n;
	bool records; /* some reader wants them … */
	bool singly;  /* … and has no `steps` */
	struct trace_batch *steps;
	struct trace_cursor *cursor;
};

struct stream *stream_create(void)
{
	return calloc(1, sizeof(struct stream));
}

static void drop(const struct reader *r)
{
	if (r->class->destroy)
		r->class->destroy(r->self);
}

void stream_destroy(struct stream *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		drop(&s->reader[i]);
	trace_cursor_free(s->cursor);
	free(s->steps);
	free(s->reader);
	free(s);
}

int stream_add(struct stream *s, const struct stream_class *class, void *self, struct err *err)
{
	const struct reader made = { class, self };
	struct reader *r = vec_add(s->reader, s->n);

	if (!r) {
		drop(&made);
		return err_set(err, "out of memory");
	}
	*r = made;
	s->records |= class->record != NULL;
	s->singly |= class->record && !class->steps;
	return 0;
}

unsigned stream_readers(const struct stream *s)
{
	return (unsigned)s->n;
}

static int take_record(struct stream *s, const struct trace_rec *rec, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++)
		if (s->reader[i].class->record)
			rc = s->reader[i].class->record(s->reader[i].self, rec, s->cursor, err);
	return rc;
}

static const struct trace_batch_item *last_iteration(const struct trace_batch *steps)
{
	for (unsigned i = steps->n; i-- > 0;)
		if (steps->step[i].slot == TRACE_NONE)
			return &steps->step[i];
	return NULL;
}

/* All accesses and iterations up to the next record of another kind. */
static int take_steps(struct stream *s, struct err *err)
{
	struct trace_batch *steps = s->steps;
	int rc;

	do {
		rc = trace_block_batch(s->cursor, steps);
		for (size_t i = 0; i < s->n && steps->n; i++) {
			const struct reader *r = &s->reader[i];

			if (!r->class->steps)
				continue;
			if (r->class->steps(r->self, steps, s->cursor, err))
				return -1;
			trace_batch_enter(s->cursor, steps, NULL);
		}
		trace_batch_enter(s->cursor, steps, last_iteration(steps));
	} while (!rc && steps->n == TRACE_BATCH);
	return rc ? err_set(err, "a block of the trace is damaged") : 0;
}

static int take_records(struct stream *s, const struct trace_block *b, struct err *err)
{
	struct trace_rec rec;
	int rc;

	if (!s->cursor)
		s->cursor = trace_cursor_open(b);
	else if (trace_cursor_start(s->cursor, b))
		return err_set(err, "out of memory");
	if (!s->cursor)
		return err_set(err, "out of memory");
	if (!s->singly && !s->steps && !(s->steps = malloc(sizeof(*s->steps))))
		return err_set(err, "out of memory");
	if (!s->singly && take_steps(s, err))
		return -1;
	while ((rc = trace_block_next(s->cursor, &rec)) == 1)
		if (take_record(s, &rec, err) || (!s->singly && take_steps(s, err)))
			return -1;
	return rc < 0 ? err_set(err, "a block of the trace is damaged") : 0;
}

int stream_block(struct stream *s, struct trace_block *b, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++)
		if (s->reader[i].class->block)
			rc = s->reader[i].class->block(s->reader[i].self, b, err);
	if (!rc && s->records)
		rc = take_records(s, b, err);
	trace_block_free(b);
	return rc;
}

int stream_end(struct stream *s, bool complete, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++)
		if (s->reader[i].class->end)
			rc = s->reader[i].class->end(s->reader[i].self, complete, err);
	return rc;
}

int stream_findings(struct stream *s, int (*fn)(void *arg, struct trace_findings *l), void *arg)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++)
		if (s->reader[i].class->findings)
			rc = fn(arg, s->reader[i].class->findings(s->reader[i].self));
	return rc;
}

bool stream_part(struct stream *s, unsigned *kind, struct buf *out)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->reader[i].class->part &&
		    s->reader[i].class->part(s->reader[i].self, kind, out))
			return true;
	return false;
}

uint64_t stream_found(struct stream *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->reader[i].class->findings)
			n += s->reader[i].class->findings(s->reader[i].self)->n;
	return n;
}

void stream_count(const struct stream *s, struct report_trace *r)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->reader[i].class->count)
			s->reader[i].class->count(s->reader[i].self, r);
}

int stream_file(struct stream *s, const struct trace_reader *file,
		int (*after)(void *arg, uint64_t done, struct err *err), void *arg, struct err *err)
{
	const size_t n = trace_reader_blocks(file);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct trace_block *b = trace_reader_block(file, i, err);

		if (!b || stream_block(s, b, err))
			return -1;
		rc = after ? after(arg, i + 1, err) : 0;
	}
	if (rc)
		return rc;
	if (stream_end(s, trace_reader_complete(file), err))
		return -1;
	return after ? after(arg, n, err) : 0;
}
