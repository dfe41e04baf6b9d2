/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that takes blocks of traces out of the area behind the page, makes them whole with what
 * the page says of places, objects and modules, and writes them to a file, compares them, or both.
 * It trusts nothing in the page. What it has to say waits until the main thread asks.
 */
#ifndef DVMDBG_EXEC_TRACES_H
#define DVMDBG_EXEC_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/report.h"
#include "common/tracefile/writer.h"

struct buf;
struct err;
struct msg_trace;
struct page;
struct traces;

struct traces_spec {
	struct page *page; /* borrowed, as the area */
	unsigned char *area;
	size_t bytes;
	struct trace_meta meta;	       /* borrowed for the call */
	const struct msg_trace *order; /* the same */
};

/* Opens what it needs and starts the thread. NULL and err: no file, no reference, no memory. */
struct traces *traces_create(const struct traces_spec *spec, struct err *err);
/* Ends the thread; what it had not taken is lost, but the file is closed. NULL is fine. */
void traces_destroy(struct traces *t);
/* Readable when there may be something new: it has caught up, has failed, or has come to its end.
 */
int traces_fd(const struct traces *t);
void traces_clear(struct traces *t);
/* Whether all blocks up to that number have been taken and dealt with. */
bool traces_reached(const struct traces *t, uint64_t closed);
/* The program has ended; what it has left, half blocks too, is taken. complete: it ended by itself.
 */
void traces_finish(struct traces *t, bool complete);
bool traces_finished(const struct traces *t);
/*
 * What was found and is new, as the content of an event: its kind and true, *b to be cleared;
 * false: nothing. While much of it waits, nothing is compared.
 */
bool traces_news(struct traces *t, unsigned *kind, struct buf *b);
/* How many different findings there have been. */
uint64_t traces_found(const struct traces *t);
/* What has become of it, once after a failure and once at the end: true and *r, whose text is
 * borrowed. */
bool traces_report(struct traces *t, struct report_trace *r);
/* A block could not be read, so that its records are missing: once true and why, borrowed. */
bool traces_partial(struct traces *t, const char **why);

#endif
