/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/rank/internal.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/control/control.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "common/openmp/openmp.h"
#include "common/protocol/msg.h"
#include "common/reductions/reductions.h"
#include "common/tracediff/tracediff.h"
#include "common/trace/encode.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/futex.h"
#include "runtime/exec/page/page.h"
#include "runtime/page/page.h"

#define SLEEP_MS 1000
#define REF_LEAST ((size_t)4 << 20)   /* bytes for decoded blocks of the reference */
#define LOOPS_LEAST ((size_t)1 << 20) /* and for loops that are compared */
#define NEWS_MS 100 /* between two times that findings are reported while blocks come in */
#define GAP_MS 2000 /* for a block that is closed, and not reported yet */

struct traces {
	struct page *page; /* borrowed, as the area */
	unsigned char *area;
	uint32_t block_bytes;
	struct page_names *names;
	struct stream *stream;	 /* to its readers; NULL: not any more */
	struct trace_index *ref; /* NULL: not compared */
	bool writes;
	int64_t taken; /* when findings were reported last */

	pthread_t thread;
	bool started;
	int fd;
	atomic_bool stop, finish, complete, finished;
	_Atomic uint64_t reached; /* blocks that were dealt with, by their numbers */
	uint64_t gap;		  /* since when the next block has been missing, 0: it is not */

	_Atomic uint64_t found;
	struct trace_news *news;

	pthread_mutex_t lock; /* for what follows */
	struct report_trace report;
	bool reported_failed, reported_done, failed, done;
	char why[sizeof(((struct err *)NULL)->text)];
	bool reported_damaged;
	char damaged[sizeof(((struct err *)NULL)->text)]; /* the first block that was no good; "" */
};

static void report_news(struct traces *t)
{
	uint64_t one = 1;

	if (write(t->fd, &one, sizeof(one)) < 0)
		log_debug("traces", "eventfd: %s", strerror(errno));
}

static struct page_block *block_of(struct traces *t, unsigned i)
{
	return &t->page->trace.block[i];
}

/* The program may use it again. Should it die before it begins the block again, nothing is in
 * it. */
static void set_free(struct traces *t, unsigned i)
{
	struct trace_raw *raw = (struct trace_raw *)(t->area + (size_t)i * t->block_bytes);
	struct page *p = t->page;

	atomic_store(&raw->used, 0);
	atomic_store(&block_of(t, i)->state, PAGE_BLOCK_FREE);
	if (!atomic_load(&p->trace.waiting))
		return;
	atomic_fetch_add(&p->wake, 1);
	futex_wake(&p->wake);
}

/* Nothing is recorded any more; the program goes on without. */
static void fail(struct traces *t, const char *why)
{
	atomic_store(&t->page->trace.stopped, 1);
	atomic_fetch_add(&t->page->wake, 1);
	futex_wake(&t->page->wake);
	pthread_mutex_lock(&t->lock);
	if (!t->failed)
		snprintf(t->why, sizeof(t->why), "%s", why);
	t->failed = true;
	pthread_mutex_unlock(&t->lock);
	report_news(t);
}

static void count(struct traces *t, uint64_t records)
{
	pthread_mutex_lock(&t->lock);
	t->report.blocks++;
	t->report.records += records;
	pthread_mutex_unlock(&t->lock);
}

/* What it had is missing: that is reported, of the first one. */
static void give_up(struct traces *t, const char *why)
{
	pthread_mutex_lock(&t->lock);
	if (!*t->damaged)
		snprintf(t->damaged, sizeof(t->damaged), "%s", why);
	pthread_mutex_unlock(&t->lock);
	report_news(t);
}

/* Without memory the front end does not learn of it: that is reported. */
static void add_news(struct traces *t, unsigned kind, struct buf *b)
{
	if (!trace_news_add(t->news, kind, b))
		give_up(t, "out of memory");
	report_news(t);
}

/* What other ranks' is brought together with. */
static void report_parts(struct traces *t)
{
	unsigned kind;

	for (;;) {
		struct buf b = trace_news_begin(t->news);

		if (!stream_part(t->stream, &kind, &b)) {
			buf_clear(&b);
			return;
		}
		add_news(t, kind, &b);
	}
}

static int report_new(void *arg, struct trace_findings *l)
{
	struct trace_findings out = { 0 };
	struct traces *t = arg;
	int n = trace_findings_take(l, &out);

	if (n < 0)
		give_up(t, "out of memory");
	if (n > 0) {
		struct buf b = trace_news_begin(t->news);

		trace_findings_put(&out, &b);
		add_news(t, EVENT_FOUND, &b);
	}
	trace_findings_clear(&out);
	return 0;
}

/* What is new is reported, but not with each block. */
static void report_findings(struct traces *t, bool now)
{
	int64_t time = clock_msec();

	if (!t->stream || (!now && time < t->taken + NEWS_MS))
		return;
	t->taken = time;
	stream_findings(t->stream, report_new, t);
	report_parts(t);
}

static void count_readers(struct traces *t)
{
	pthread_mutex_lock(&t->lock);
	stream_count(t->stream, &t->report);
	pthread_mutex_unlock(&t->lock);
	atomic_store(&t->found, stream_found(t->stream));
}

/* Takes b over. */
static void deal_with(struct traces *t, struct trace_block *b)
{
	uint64_t records = b->info.records;
	struct err err = { "" };

	if (t->failed) {
		trace_block_free(b);
		return;
	}
	if (stream_block(t->stream, b, &err))
		fail(t, err.text);
	else
		count(t, records);
	count_readers(t);
	report_findings(t, false);
}

/* The block that i has, to be freed; NULL: it is empty or damaged, or there is no memory. */
static struct trace_block *read_block(struct traces *t, unsigned i)
{
	struct trace_block *b = calloc(1, sizeof(*b));
	unsigned char *raw = t->area + (size_t)i * t->block_bytes;
	uint64_t opened = atomic_load(&block_of(t, i)->opened);
	struct err err = { "out of memory" };

	/* nothing: its thread had just taken it */
	if (b && !atomic_load(&((struct trace_raw *)raw)->used)) {
		free(b);
		return NULL;
	}
	if (b && trace_block_from_raw(b, raw, t->block_bytes, page_names_resolver(t->names, opened),
				      &err) == 0)
		return b;
	give_up(t, err.text);
	free(b);
	return NULL;
}

/* Takes block i, which is full, or half full and will be no fuller. */
static void take(struct traces *t, unsigned i)
{
	struct trace_block *b = t->failed ? NULL : read_block(t, i);

	set_free(t, i);
	if (b)
		deal_with(t, b);
}

/* The block that was closed first, -1: there is none. */
static int first_full(struct traces *t, uint64_t *closed)
{
	int found = -1;

	*closed = UINT64_MAX;
	for (unsigned i = 0; i < PAGE_BLOCKS; i++) {
		uint64_t n;

		/* first: the number is that of this filling only when it is full */
		if (atomic_load(&block_of(t, i)->state) != PAGE_BLOCK_FULL)
			continue;
		n = atomic_load(&block_of(t, i)->closed);
		if (n >= *closed)
			continue;
		*closed = n;
		found = (int)i;
	}
	return found;
}

/* Whether to wait for a block before this one: its thread has not come to say that it is full. */
static bool wait_for_gap(struct traces *t, uint64_t closed)
{
	int64_t now = clock_msec();

	if (closed <= atomic_load(&t->reached) + 1 || atomic_load(&t->finish)) {
		t->gap = 0;
		return false;
	}
	if (!t->gap)
		t->gap = (uint64_t)now;
	if (now < (int64_t)t->gap + GAP_MS)
		return true;
	t->gap = 0;
	return false;
}

/* Takes all that is there; true: it may have to wait for a gap. */
static bool take_all(struct traces *t)
{
	uint64_t closed;
	int i;

	while (!atomic_load(&t->stop) && (i = first_full(t, &closed)) >= 0) {
		if (wait_for_gap(t, closed))
			return true;
		take(t, (unsigned)i);
		/* one that was not waited for may come later */
		if (closed > atomic_load(&t->reached))
			atomic_store(&t->reached, closed);
	}
	return false;
}

/* Of a program that has ended: blocks that were not closed, in the order in which they were opened.
 */
static void take_halves(struct traces *t)
{
	for (unsigned n = 0; n < PAGE_BLOCKS && !atomic_load(&t->stop); n++) {
		uint64_t first = UINT64_MAX;
		int found = -1;

		for (unsigned i = 0; i < PAGE_BLOCKS; i++) {
			uint64_t opened = atomic_load(&block_of(t, i)->opened);

			if (atomic_load(&block_of(t, i)->state) != PAGE_BLOCK_FILLING ||
			    opened >= first)
				continue;
			first = opened;
			found = (int)i;
		}
		if (found < 0)
			return;
		take(t, (unsigned)found);
	}
}

static void end(struct traces *t)
{
	bool whole = atomic_load(&t->complete);
	struct err err = { "" };

	take_all(t);
	take_halves(t);
	if (!t->failed && stream_end(t->stream, whole, &err))
		fail(t, err.text);
	count_readers(t);
	report_findings(t, true);
	/* a file that is not complete is closed by this */
	stream_destroy(t->stream);
	t->stream = NULL;
	pthread_mutex_lock(&t->lock);
	t->report.complete = t->writes && whole && !t->failed;
	t->done = true;
	pthread_mutex_unlock(&t->lock);
	atomic_store(&t->finished, true);
	report_news(t);
}

static void *traces_main(void *arg)
{
	struct traces *t = arg;
	_Atomic uint32_t *bell = &t->page->trace.bell;
	uint64_t reported = 0;

	while (!atomic_load(&t->stop) && !atomic_load(&t->finish)) {
		uint32_t seen = atomic_load(bell);
		bool gap = take_all(t);
		uint64_t reached = atomic_load(&t->reached);

		if (reached != reported) {
			report_findings(t, true);
			reported = reached;
			report_news(t);
		}
		if (!atomic_load(&t->stop) && !atomic_load(&t->finish))
			futex_wait(bell, seen, gap ? 1 : SLEEP_MS);
	}
	end(t);
	return NULL;
}

static int start(struct traces *t, struct err *err)
{
	sigset_t all, old;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&t->thread, NULL, traces_main, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (e)
		return err_set(err, "cannot start a thread: %s", strerror(e));
	t->started = true;
	return 0;
}

static int open_file(struct traces *t, const struct traces_spec *spec, struct err *err)
{
	const char *dir = spec->order->record;
	struct trace_writer *f;
	char *path = NULL;

	if (!*dir)
		return 0;
	if (strcmp(dir, MSG_TRACE_NONE) &&
	    asprintf(&path, "%s/trace.%u.bin", dir, spec->meta.rank) < 0)
		return err_set(err, "out of memory");
	f = trace_writer_create(path, &spec->meta, err);
	free(path);
	if (!f)
		return -1;
	trace_writer_effort(f, spec->order->effort);
	t->writes = true;
	return stream_add_writer(t->stream, f, err);
}

/* So many thirty-seconds of the memory. */
static size_t share(const struct msg_trace *m, unsigned n, size_t least)
{
	size_t bytes = (size_t)(m->memory / 32 * n);

	return bytes > least ? bytes : least;
}

static int open_reference(struct traces *t, const struct traces_spec *spec, struct err *err)
{
	const struct msg_trace *m = spec->order;
	struct tracediff_options o = { .rank = spec->meta.rank,
				       .ranks = spec->meta.ranks,
				       .tolerance = m->tolerance,
				       .most = m->max_errors,
				       .moved = m->moved,
				       .covers = true,
				       .memory = share(m, 4, LOOPS_LEAST),
				       .start = spec->meta.start,
				       .finish = spec->meta.finish };

	struct tracediff *cmp;

	if (!*m->compare)
		return 0;
	t->ref = trace_index_open(m->compare, share(m, 7, REF_LEAST), err);
	if (t->ref && trace_index_fold(t->ref, NULL))
		return err_set(err, "out of memory");
	cmp = t->ref ? tracediff_create(t->ref, &o, err) : NULL;
	return cmp ? stream_add(t->stream, &tracediff_reader, cmp, err) : -1;
}

static int open_reductions(struct traces *t, const struct traces_spec *spec, struct err *err)
{
	struct reductions *e;

	if (!spec->order->reductions)
		return 0;
	e = reductions_create(spec->meta.rank, spec->meta.ranks);
	return e ? stream_add(t->stream, &reductions_reader, e, err)
		 : err_set(err, "out of memory");
}

/*
 * The C library fills memory that it allocates, by this variable: what is read before it is written
 * is seen by its value then, whoever writes it. It does not fill what comes out of its caches of
 * threads.
 */
#define FILLS "MALLOC_PERTURB_"
#define TUNABLES "GLIBC_TUNABLES"

static int open_openmp(struct traces *t, const struct traces_spec *spec, struct err *err)
{
	struct openmp *e = openmp_create(&(struct openmp_options){
		.rank = spec->meta.rank, .most = spec->order->max_errors });

	return e ? stream_add(t->stream, &openmp_reader, e, err) : err_set(err, "out of memory");
}

static int open_control(struct traces *t, const struct traces_spec *spec, struct err *err)
{
	const struct msg_trace *m = spec->order;
	struct dyncontrol_options o = { .rank = spec->meta.rank,
				     .ranks = spec->meta.ranks,
				     .ngrid = m->ngrid,
				     .most = m->max_errors };
	struct dyncontrol *e;

	if (!m->control)
		return 0;
	setenv(FILLS, "90", 0);
	setenv(TUNABLES, "glibc.malloc.tcache_count=0", 0);
	o.pattern = atoi(getenv(FILLS)) & 0xff;
	o.pattern = o.pattern ? o.pattern ^ 0xff : -1;
	memcpy(o.grid, m->grid, sizeof(o.grid));
	e = dyncontrol_create(&o);
	if (!e)
		return err_set(err, "out of memory");
	if (stream_add(t->stream, &dyncontrol_reader, e, err))
		return -1;
	return open_openmp(t, spec, err);
}

/*
 * Blocks come and go by the thousand, each of a mebibyte and more: their pages are kept, which the
 * kernel would fill with zeros each time.
 */
#define KEEP_PIECE (32 << 20) /* the most that mallopt takes */
#define KEEP_FREE (128 << 20)

static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, KEEP_PIECE);
	mallopt(M_TRIM_THRESHOLD, KEEP_FREE);
	mallopt(M_ARENA_MAX, 1);
}

struct traces *traces_create(const struct traces_spec *spec, struct err *err)
{
	struct traces *t = calloc(1, sizeof(*t));

	if (!t) {
		err_set(err, "out of memory");
		return NULL;
	}
	keep_memory();
	pthread_mutex_init(&t->lock, NULL);
	t->news = trace_news_create();
	t->stream = stream_create();
	t->page = spec->page;
	t->area = spec->area;
	t->block_bytes = (uint32_t)(spec->bytes / PAGE_BLOCKS);
	t->report.why = t->why;
	t->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->fd < 0)
		err_set(err, "eventfd: %s", strerror(errno));
	else if (!t->news || !t->stream || !(t->names = page_names_create(spec->page)))
		err_set(err, "out of memory");
	else if (!open_file(t, spec, err) && !open_reference(t, spec, err) &&
		 !open_reductions(t, spec, err) && !open_control(t, spec, err) && !start(t, err))
		return t;
	traces_destroy(t);
	return NULL;
}

void traces_destroy(struct traces *t)
{
	if (!t)
		return;
	atomic_store(&t->stop, true);
	if (t->news)
		trace_news_stop(t->news);
	atomic_fetch_add(&t->page->trace.bell, 1);
	futex_wake(&t->page->trace.bell);
	if (t->started)
		pthread_join(t->thread, NULL);
	stream_destroy(t->stream);
	trace_index_close(t->ref);
	trace_news_destroy(t->news);
	page_names_destroy(t->names);
	if (t->fd >= 0)
		close(t->fd);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

int traces_fd(const struct traces *t)
{
	return t->fd;
}

void traces_clear(struct traces *t)
{
	uint64_t n;

	if (read(t->fd, &n, sizeof(n)) < 0)
		return;
}

bool traces_reached(const struct traces *t, uint64_t closed)
{
	return atomic_load(&t->reached) >= closed;
}

void traces_finish(struct traces *t, bool complete)
{
	atomic_store(&t->complete, complete);
	atomic_store(&t->finish, true);
	atomic_fetch_add(&t->page->trace.bell, 1);
	futex_wake(&t->page->trace.bell);
}

bool traces_finished(const struct traces *t)
{
	return atomic_load(&t->finished);
}

uint64_t traces_found(const struct traces *t)
{
	return atomic_load(&t->found);
}

bool traces_news(struct traces *t, unsigned *kind, struct buf *b)
{
	return trace_news_take(t->news, kind, b);
}

bool traces_partial(struct traces *t, const char **why)
{
	bool new;

	pthread_mutex_lock(&t->lock);
	new = *t->damaged && !t->reported_damaged;
	t->reported_damaged |= new;
	pthread_mutex_unlock(&t->lock);
	/* it is not written a second time */
	*why = t->damaged;
	return new;
}

bool traces_report(struct traces *t, struct report_trace *r)
{
	bool new = false;

	pthread_mutex_lock(&t->lock);
	*r = t->report;
	r->state = REPORT_TRACE_DONE;
	if (t->failed && !t->reported_failed) {
		t->reported_failed = new = true;
		r->state = REPORT_TRACE_FAILED;
	} else if (t->done && !t->reported_done) {
		t->reported_done = new = true;
		r->why = "";
	}
	pthread_mutex_unlock(&t->lock);
	return new;
}
