/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stream of a rank: the blocks of its records, in the order in which they were closed. Any
 * number of readers take part in it: the writer of trace files, the comparison, the calculation of
 * reductions. The supervisor feeds it while the program runs, stream_file from a recorded file; a
 * reader does not know which.
 *
 * A new reader is a struct stream_class and a line where readers are added: for a run in
 * runtime/exec/rank/traces.c, for files where its verb opens them.
 */
#ifndef DVMDBG_COMMON_STREAM_STREAM_H
#define DVMDBG_COMMON_STREAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/trace/decode.h"
#include "common/tracereport/tracereport.h"

struct buf;
struct err;
struct report_trace;
struct stream;
struct trace_reader;

/*
 * What a reader does. All but name may be NULL. All of it is called by one thread. What fails with
 * -1 and err ends the stream for all its readers, but for destroy.
 */
struct stream_class {
	const char *name;
	/* A block; who needs it longer takes trace_block_keep of it. */
	int (*block)(void *self, struct trace_block *b, struct err *err);
	/*
	 * Each record of the block, behind block, with what is open behind it: at->frame[0 … depth
	 * - 1]. Blocks are decoded once for all readers that want records, not at all for none.
	 */
	int (*record)(void *self, const struct trace_rec *r, const struct trace_cursor *at,
		      struct err *err);
	/*
	 * In place of record, for accesses and iterations: all that follow each other, in order.
	 * Only where all readers that want records have it; else they come one by one. The cursor's
	 * frames are as they were before the first, and may be moved with trace_batch_enter.
	 */
	int (*steps)(void *self, const struct trace_batch *steps, struct trace_cursor *at,
		     struct err *err);
	/* The run has ended; complete: by itself, and nothing is missing. */
	int (*end)(void *self, bool complete, struct err *err);
	/* What was found so far, borrowed: new ones are sent with trace_findings_take. */
	struct trace_findings *(*findings)(void *self);
	/*
	 * What has to be brought together with that of the other ranks, one item a call: appended
	 * to *out, *kind is its enum event_kind. False: there is no more now.
	 */
	bool (*part)(void *self, unsigned *kind, struct buf *out);
	/* Its counts: the members that are its own. */
	void (*count)(const void *self, struct report_trace *r);
	void (*destroy)(void *self);
};

struct stream *stream_create(void);    /* NULL: no memory */
void stream_destroy(struct stream *s); /* and its readers; NULL is fine */
/* Takes self over, also when this fails for lack of memory. Readers are called in this order. */
int stream_add(struct stream *s, const struct stream_class *class, void *self, struct err *err);
/* The one that writes them to a file; f is taken over, and is complete when the run is. */
struct trace_writer;
int stream_add_writer(struct stream *s, struct trace_writer *f, struct err *err);
unsigned stream_readers(const struct stream *s);
/* Takes b over. -1: err, a reader has failed or the block is damaged. */
int stream_block(struct stream *s, struct trace_block *b, struct err *err);
int stream_end(struct stream *s, bool complete, struct err *err);
/* Calls fn for the findings of each reader that has some. Stops at the first other than 0. */
int stream_findings(struct stream *s, int (*fn)(void *arg, struct trace_findings *l), void *arg);
/* The next item of any reader, as struct stream_class has it. */
bool stream_part(struct stream *s, unsigned *kind, struct buf *out);
/* Occurrences that all readers have found. */
uint64_t stream_found(struct stream *s);
void stream_count(const struct stream *s, struct report_trace *r);

/*
 * Feeds all blocks of a file, and the end. after (may be NULL) is called behind each block and
 * behind the end with how many blocks are done; other than 0: it gives up. 0, that number, or -1
 * and err.
 */
int stream_file(struct stream *s, const struct trace_reader *file,
		int (*after)(void *arg, uint64_t done, struct err *err), void *arg,
		struct err *err);

#endif
