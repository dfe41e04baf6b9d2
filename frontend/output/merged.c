/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/merged.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define WAIT_MS 60   /* of a line for the same of other ranks */
#define QUIET_MS 150 /* after which a line that is not ended is shown */
#define MOST 2000    /* lines that wait */
#define LONGEST 65536

struct line {
	int stream;
	char *text; /* owned */
	size_t len;
	struct rankset ranks;
	int64_t since;
};

/* What a rank has printed of a line. */
struct part {
	char *text; /* owned */
	size_t len, room;
	int64_t since; /* its last piece came */
};

struct merged {
	struct loop *loop; /* borrowed */
	struct merged_watch watch;
	struct line *line;
	size_t n;
	struct part *part; /* of rank r in stream s: 2 * r + s - 1 */
	size_t nparts, open; /* open: that are not empty */
	bool busy;
};

static void on_time(void *arg);

struct merged *merged_create(struct loop *loop, const struct merged_watch *watch)
{
	struct merged *m = xcalloc(1, sizeof(*m));

	m->loop = loop;
	m->watch = *watch;
	return m;
}

/* Shows the first k; what is printed meanwhile may ask for that again. */
static void show(struct merged *m, size_t k)
{
	if (m->busy)
		return;
	m->busy = true;
	for (size_t i = 0; i < k; i++) {
		struct line *l = &m->line[i];

		m->watch.lines(m->watch.arg, &l->ranks, l->stream, l->text, l->len);
		free(l->text);
		rankset_clear(&l->ranks);
	}
	if (k)
		memmove(m->line, m->line + k, (m->n - k) * sizeof(*m->line));
	m->n -= k;
	m->busy = false;
}

/* A rank's line joins an equal one that is not older than the last of that rank. */
static void add_line(struct merged *m, uint32_t rank, int stream, const char *text, size_t len)
{
	struct line *to = NULL;

	m->watch.line(m->watch.arg, stream, text, len);
	for (size_t i = m->n; i-- > 0 && !rankset_has(&m->line[i].ranks, rank);) {
		struct line *l = &m->line[i];

		if (l->stream == stream && l->len == len && !memcmp(l->text, text, len))
			to = l;
	}
	if (!to) {
		to = xvec_add(m->line, m->n);
		to->stream = stream;
		to->text = xmalloc(len + 1);
		memcpy(to->text, text, len);
		to->len = len;
		to->since = loop_now();
	}
	xrankset_add(&to->ranks, rank, rank);
}

static struct part *part_of(struct merged *m, uint32_t rank, int stream)
{
	size_t at = 2 * (size_t)rank + (stream == 2);

	if (at >= m->nparts) {
		size_t n = 2 * (size_t)rank + 2;

		m->part = xrealloc(m->part, n * sizeof(*m->part));
		memset(m->part + m->nparts, 0, (n - m->nparts) * sizeof(*m->part));
		m->nparts = n;
	}
	return &m->part[at];
}

static void end_part(struct merged *m, size_t i)
{
	struct part *p = &m->part[i];
	size_t len = p->len;

	if (!len)
		return;
	p->len = 0;
	m->open--;
	add_line(m, (uint32_t)(i / 2), i % 2 ? 2 : 1, p->text, len);
}

static void keep(struct merged *m, uint32_t rank, int stream, const char *text, size_t len)
{
	struct part *p = part_of(m, rank, stream);

	if (!len)
		return;
	if (p->len + len > p->room) {
		p->room = 2 * (p->len + len);
		p->text = xrealloc(p->text, p->room);
	}
	m->open += !p->len;
	memcpy(p->text + p->len, text, len);
	p->len += len;
	p->since = loop_now();
	if (p->len >= LONGEST)
		end_part(m, 2 * (size_t)rank + (stream == 2));
}

static void take_one(struct merged *m, uint32_t rank, int stream, const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end + 1 - text) : len;
		struct part *p = part_of(m, rank, stream);

		if (!end) {
			keep(m, rank, stream, text, n);
		} else if (p->len) {
			keep(m, rank, stream, text, n);
			end_part(m, 2 * (size_t)rank + (stream == 2));
		} else {
			add_line(m, rank, stream, text, n);
		}
		text += n;
		len -= n;
	}
}

/* When the first that waits has waited long enough. */
static void set_timer(struct merged *m)
{
	int64_t due = m->n ? m->line[0].since + WAIT_MS : INT64_MAX;

	for (size_t i = 0; m->open && i < m->nparts; i++)
		if (m->part[i].len && m->part[i].since + QUIET_MS < due)
			due = m->part[i].since + QUIET_MS;
	if (due < INT64_MAX)
		loop_at(m->loop, due, on_time, m);
	else
		loop_cancel(m->loop, on_time, m);
}

static void on_time(void *arg)
{
	struct merged *m = arg;
	int64_t now = loop_now();
	size_t k = 0;

	while (k < m->n && m->line[k].since + WAIT_MS <= now)
		k++;
	show(m, k);
	for (size_t i = 0; m->open && i < m->nparts; i++)
		if (m->part[i].len && m->part[i].since + QUIET_MS <= now)
			end_part(m, i);
	set_timer(m);
}

void merged_take(struct merged *m, const struct rankset *ranks, size_t n, int stream,
		 const char *text, size_t len)
{
	size_t whole = 0;

	for (int64_t r = rankset_next(ranks, 0); r >= 0; r = rankset_next(ranks, (uint32_t)r + 1))
		take_one(m, (uint32_t)r, stream, text, len);
	while (whole < m->n && rankset_count(&m->line[whole].ranks) >= n)
		whole++;
	if (m->n > MOST && whole < m->n - MOST / 2)
		whole = m->n - MOST / 2;
	show(m, whole);
	set_timer(m);
}

void merged_flush(struct merged *m)
{
	show(m, m->n);
	set_timer(m);
}

void merged_end(struct merged *m)
{
	for (size_t i = 0; i < m->nparts; i++)
		end_part(m, i);
	merged_flush(m);
}

void merged_destroy(struct merged *m)
{
	if (!m)
		return;
	merged_end(m);
	loop_cancel(m->loop, on_time, m);
	for (size_t i = 0; i < m->nparts; i++)
		free(m->part[i].text);
	free(m->part);
	free(m->line);
	free(m);
}
