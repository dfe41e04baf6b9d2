/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the comparison has found, on its way from the thread that compares to the one that talks to
 * the front end. Bounded: who has more to say waits.
 */
#ifndef DVMDBG_EXEC_TRACE_NEWS_H
#define DVMDBG_EXEC_TRACE_NEWS_H

#include <stdbool.h>

struct buf;
struct trace_news;

/* NULL: no memory. */
struct trace_news *trace_news_create(void);
void trace_news_destroy(struct trace_news *q); /* NULL is fine */
/*
 * The beginning of an event's content: a number, so that equal ones of one rank are not taken for
 * one.
 */
struct buf trace_news_begin(struct trace_news *q);
/*
 * An event of that kind; takes content over. Waits while there is much that was not taken. False: out
 * of memory.
 */
bool trace_news_add(struct trace_news *q, unsigned kind, struct buf *content);
/* The oldest: true and *content, to be cleared. */
bool trace_news_take(struct trace_news *q, unsigned *kind, struct buf *content);
/* Nobody waits any more. */
void trace_news_stop(struct trace_news *q);

#endif
