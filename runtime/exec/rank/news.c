/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/rank/internal.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/core/buf.h"
#include "common/core/log.h"

#define MOST (4u << 20) /* bytes that wait */

struct news {
	struct news *next;
	unsigned kind; /* enum event_kind */
	struct buf content;
};

struct trace_news {
	pthread_mutex_t lock;
	pthread_cond_t taken;
	struct news *first, **last;
	size_t bytes;
	uint32_t number;
	bool stopped;
};

struct trace_news *trace_news_create(void)
{
	struct trace_news *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->taken, NULL);
	q->last = &q->first;
	return q;
}

void trace_news_destroy(struct trace_news *q)
{
	struct buf b;
	unsigned kind;

	if (!q)
		return;
	while (trace_news_take(q, &kind, &b))
		buf_clear(&b);
	pthread_cond_destroy(&q->taken);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

struct buf trace_news_begin(struct trace_news *q)
{
	struct buf b = BUF_INIT;

	buf_put_u32(&b, ++q->number);
	return b;
}

bool trace_news_add(struct trace_news *q, unsigned kind, struct buf *content)
{
	struct news *n = calloc(1, sizeof(*n));

	if (!n || content->bad) {
		buf_clear(content);
		free(n);
		return false;
	}
	n->kind = kind;
	n->content = *content;
	pthread_mutex_lock(&q->lock);
	while (q->bytes > MOST && !q->stopped)
		pthread_cond_wait(&q->taken, &q->lock);
	*q->last = n;
	q->last = &n->next;
	q->bytes += n->content.len;
	pthread_mutex_unlock(&q->lock);
	return true;
}

bool trace_news_take(struct trace_news *q, unsigned *kind, struct buf *content)
{
	struct news *n;

	pthread_mutex_lock(&q->lock);
	n = q->first;
	if (n) {
		q->first = n->next;
		if (!q->first)
			q->last = &q->first;
		q->bytes -= n->content.len;
		*kind = n->kind;
		*content = n->content;
		pthread_cond_signal(&q->taken);
	}
	pthread_mutex_unlock(&q->lock);
	if (!n)
		return false;
	free(n);
	return true;
}

void trace_news_stop(struct trace_news *q)
{
	pthread_mutex_lock(&q->lock);
	q->stopped = true;
	pthread_cond_signal(&q->taken);
	pthread_mutex_unlock(&q->lock);
}
