/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads have waited for, in the order of the run: a clock says how many operations of each
 * thread are before it. One clock has only what is so in each run: threads that are begun and
 * joined, barriers, what is executed once, semaphores that are posted by one thread, or as often as
 * they are waited for. The other one has locks and atomic operations, too.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

enum { CERTAIN, SEEN, KINDS };

#define TASKS 2048u		  /* threads of an interval */
#define NUMBERS ((size_t)1 << 24) /* of clocks that are kept */
#define FEW 64u			  /* tasks of OpenMP that have locks */
#define ENDED UINT32_MAX

/* The clock of a thread behind so many of its operations. */
struct snap {
	uint32_t tick;
	size_t at; /* in pool */
};

/* What passes clocks on: a lock, an atomic variable, a semaphore, a barrier … */
struct chan {
	uint64_t key;
	/* owned; a barrier has one for every second time, a lock one of those who have read */
	uint32_t *clock[2];
	uint32_t *certain[2];
	uint32_t poster, waiter; /* + 1; 0: none, ENDED: several */
	uint32_t posts, posted, waited, arrived;
	uint32_t given;	      /* posts that clock[0] has */
	struct instant *post; /* owned */
	bool once;
};

struct clocks {
	uint32_t n;
	uint32_t *place; /* owned: of each task, + 1; 0: it has no operations */
	uint32_t ntask;
	uint32_t *now[KINDS]; /* owned: n of each task */
	struct snap **snap[KINDS];
	uint32_t *nsnap[KINDS];
	uint32_t *pool[KINDS];
	size_t npool[KINDS], room[KINDS];
	bool full[KINDS];
	uint8_t *half; /* of each task: of the barrier that it is at */
	struct chan *chan;
	uint32_t nchan;
	struct hash chan_at;
	bool failed;
};

void clocks_free(struct clocks *c)
{
	if (!c)
		return;
	for (unsigned k = 0; k < KINDS; k++) {
		for (uint32_t i = 0; c->snap[k] && i < c->n; i++)
			free(c->snap[k][i]);
		free(c->snap[k]);
		free(c->nsnap[k]);
		free(c->now[k]);
		free(c->pool[k]);
	}
	for (uint32_t i = 0; i < c->nchan; i++) {
		for (unsigned k = 0; k < 2; k++) {
			free(c->chan[i].clock[k]);
			free(c->chan[i].certain[k]);
		}
		free(c->chan[i].post);
	}
	free(c->chan);
	free(c->half);
	free(c->place);
	hash_clear(&c->chan_at);
	free(c);
}

static struct chan *chan_of(struct clocks *c, uint64_t key)
{
	struct chan *to;

	for (uint32_t at = 0, i; hash_next(&c->chan_at, key, &at, &i);)
		if (c->chan[i].key == key)
			return &c->chan[i];
	to = vec_add(c->chan, c->nchan);
	if (!to || hash_put(&c->chan_at, key, c->nchan - 1)) {
		c->failed = true;
		return NULL;
	}
	to->key = key;
	return to;
}

static uint32_t *clock_of(const struct clocks *c, unsigned kind, uint32_t task)
{
	return &c->now[kind][(size_t)task * c->n];
}

static bool join(const struct clocks *c, uint32_t *to, const uint32_t *from)
{
	bool grown = false;

	for (uint32_t i = 0; from && i < c->n; i++) {
		grown |= from[i] > to[i];
		to[i] = from[i] > to[i] ? from[i] : to[i];
	}
	return grown;
}

/* Made when there is none; NULL: no memory. */
static uint32_t *made(struct clocks *c, uint32_t **clock)
{
	if (!*clock)
		*clock = calloc(c->n, sizeof(**clock));
	c->failed |= !*clock;
	return *clock;
}

static void keep(struct clocks *c, unsigned kind, uint32_t task, uint32_t tick)
{
	struct snap *to;

	if (c->full[kind])
		return;
	if (c->npool[kind] + c->n > NUMBERS) {
		c->full[kind] = true;
		return;
	}
	to = vec_add(c->snap[kind][task], c->nsnap[kind][task]);
	if (!to || vec_room(c->pool[kind], c->room[kind], c->npool[kind] + c->n)) {
		c->failed = true;
		return;
	}
	*to = (struct snap){ tick, c->npool[kind] };
	memcpy(&c->pool[kind][to->at], clock_of(c, kind, task), c->n * sizeof(uint32_t));
	c->npool[kind] += c->n;
}

/* NULL: the task has not waited for anything up to there. */
static const uint32_t *clock_at(const struct clocks *c, unsigned kind, uint32_t task, uint32_t tick)
{
	uint32_t lo = 0, hi = c->nsnap[kind][task];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->snap[kind][task][mid].tick <= tick)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &c->pool[kind][c->snap[kind][task][lo - 1].at] : NULL;
}

/* The task of the operation has waited for what the clock has. */
static void take(struct clocks *c, unsigned kind, const struct sync *o, const uint32_t *clock)
{
	if (join(c, clock_of(c, kind, o->task), clock))
		keep(c, kind, o->task, o->tick + 1);
}

/* ---- operations ---- */

static void with_thread(struct clocks *c, const struct sync *o)
{
	uint32_t child = o->key < c->n ? (uint32_t)o->key : o->task;

	if (child == o->task)
		return;
	for (unsigned k = 0; k < KINDS; k++) {
		uint32_t *mine = clock_of(c, k, o->task), *other = clock_of(c, k, child);

		if (o->what == SYNC_JOIN) {
			other[child] = ENDED;
			take(c, k, o, other);
		} else {
			join(c, other, mine);
			keep(c, k, child, 0);
		}
	}
}

static void release(struct clocks *c, const struct sync *o, struct chan *x)
{
	uint32_t *to = made(c, &x->clock[o->n == MUTEX_READ]);

	if (to)
		join(c, to, clock_of(c, SEEN, o->task));
	if (o->what != SYNC_ONCE)
		return;
	x->once = true;
	to = made(c, &x->certain[0]);
	if (to)
		join(c, to, clock_of(c, CERTAIN, o->task));
}

static void acquire(struct clocks *c, const struct sync *o, const struct chan *x)
{
	take(c, SEEN, o, x->clock[0]);
	/* those who read do not wait for each other */
	if (o->n != MUTEX_READ)
		take(c, SEEN, o, x->clock[1]);
	if (x->once)
		take(c, CERTAIN, o, x->certain[0]);
}

static bool take_post(const struct clocks *c, unsigned kind, uint32_t *to,
		      const struct instant *post)
{
	bool grown = join(c, to, clock_at(c, kind, post->task, post->tick));

	if (to[post->task] > post->tick)
		return grown;
	to[post->task] = post->tick + 1;
	return true;
}

static void posts(struct clocks *c, const struct sync *o, struct chan *x)
{
	uint32_t *to = made(c, &x->certain[0]);

	if (to)
		join(c, to, clock_of(c, CERTAIN, o->task));
	if (x->posted < x->posts)
		x->post[x->posted++] = (struct instant){ o->task, o->tick };
}

/* A semaphore that was made with n - 1 (n 0: not known): so many need not wait for a post. Who
 * waits as often as all others have posted has waited for all of them. */
static void waits(struct clocks *c, const struct sync *o, struct chan *x)
{
	uint32_t *to = made(c, &x->clock[0]), *mine = clock_of(c, CERTAIN, o->task), has;

	if (!to)
		return;
	x->waited++;
	has = !o->n ? x->posted : x->waited < o->n ? 0 : x->waited - (o->n - 1);
	for (; x->given < has && x->given < x->posted; x->given++)
		take_post(c, SEEN, to, &x->post[x->given]);
	take(c, SEEN, o, to);
	if (o->n != 1)
		return;
	if (x->waited == x->posts)
		take(c, CERTAIN, o, x->certain[0]);
	else if (x->poster != ENDED && x->waiter != ENDED && x->waited <= x->posted &&
		 take_post(c, CERTAIN, mine, &x->post[x->waited - 1]))
		keep(c, CERTAIN, o->task, o->tick + 1);
}

static void with_barrier(struct clocks *c, const struct sync *o, struct chan *x)
{
	unsigned half = c->half[o->task];

	if (o->what == SYNC_DEPART) {
		take(c, SEEN, o, x->clock[half]);
		take(c, CERTAIN, o, x->certain[half]);
		return;
	}
	half = o->n ? x->arrived / o->n & 1 : 0;
	c->half[o->task] = (uint8_t)half;
	if (!made(c, &x->clock[half]) || (o->n && !made(c, &x->certain[half])))
		return;
	if (o->n && x->arrived % o->n == 0) {
		memset(x->clock[half], 0, c->n * sizeof(uint32_t));
		memset(x->certain[half], 0, c->n * sizeof(uint32_t));
	}
	x->arrived++;
	join(c, x->clock[half], clock_of(c, SEEN, o->task));
	if (o->n)
		join(c, x->certain[half], clock_of(c, CERTAIN, o->task));
}

static void follow(struct clocks *c, const struct sync *o)
{
	struct chan *x;

	for (unsigned k = 0; k < KINDS; k++)
		clock_of(c, k, o->task)[o->task] = o->tick + 1;
	if (o->what == SYNC_CREATE || o->what == SYNC_JOIN) {
		with_thread(c, o);
		return;
	}
	x = chan_of(c, o->key);
	if (!x)
		return;
	switch (o->what) {
	case SYNC_RELEASE:
	case SYNC_ONCE:
		release(c, o, x);
		break;
	case SYNC_ACQUIRE:
	case SYNC_OVER:
		acquire(c, o, x);
		break;
	case SYNC_POST:
		posts(c, o, x);
		break;
	case SYNC_WAIT:
		waits(c, o, x);
		break;
	default:
		with_barrier(c, o, x);
	}
}

/* Who posts semaphores, and how often, has to be known before. */
static void count_posts(struct clocks *c, const struct sync *o)
{
	struct chan *x = o->what == SYNC_POST || o->what == SYNC_WAIT ? chan_of(c, o->key) : NULL;
	uint32_t *who;

	if (!x)
		return;
	x->posts += o->what == SYNC_POST;
	who = o->what == SYNC_POST ? &x->poster : &x->waiter;
	*who = !*who || *who == o->task + 1 ? o->task + 1 : ENDED;
}

static int by_seq(const void *a, const void *b)
{
	const struct sync *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static bool make(struct clocks *c)
{
	for (unsigned k = 0; k < KINDS; k++) {
		c->now[k] = calloc((size_t)c->n * c->n + 1, sizeof(**c->now));
		c->snap[k] = calloc(c->n + 1, sizeof(**c->snap));
		c->nsnap[k] = calloc(c->n + 1, sizeof(**c->nsnap));
		if (!c->now[k] || !c->snap[k] || !c->nsnap[k])
			return false;
	}
	c->half = calloc(c->n + 1, sizeof(*c->half));
	return c->half;
}

/* Of tasks of OpenMP only those that have locks some thread may wait with. */
static void choose(const struct openmp *e, struct space *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nsync; i++)
		if (e->lock[s->sync[i].key].waited)
			s->sync[n++] = s->sync[i];
	s->nsync = n;
}

static bool place(struct clocks *c, const struct space *s)
{
	c->ntask = s->ntask;
	c->place = calloc(s->ntask + 1, sizeof(*c->place));
	if (!c->place)
		return false;
	for (uint32_t i = 0; s->threads && i < s->ntask; i++)
		c->place[i] = ++c->n;
	for (uint32_t i = 0; !s->threads && i < s->nsync; i++)
		if (!c->place[s->sync[i].task])
			c->place[s->sync[i].task] = ++c->n;
	return true;
}

static void follow_all(struct clocks *c, struct space *s)
{
	if (s->nsync)
		qsort(s->sync, s->nsync, sizeof(*s->sync), by_seq);
	for (uint32_t i = 0; i < s->nsync; i++) {
		s->sync[i].task = c->place[s->sync[i].task] - 1;
		count_posts(c, &s->sync[i]);
	}
	for (uint32_t i = 0; i < c->nchan && !c->failed; i++) {
		c->chan[i].post = calloc(c->chan[i].posts + 1, sizeof(*c->chan[i].post));
		c->failed |= !c->chan[i].post;
	}
	for (uint32_t i = 0; i < s->nsync && !c->failed; i++)
		follow(c, &s->sync[i]);
	s->nsync = 0;
}

struct clocks *clocks_make(const struct openmp *e, struct space *s)
{
	struct clocks *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (!s->threads)
		choose(e, s);
	c->failed = !place(c, s);
	/* with more of OpenMP's nothing is known of them */
	if (!s->threads && c->n > FEW) {
		memset(c->place, 0, s->ntask * sizeof(*c->place));
		c->n = 0;
		s->nsync = 0;
	}
	if (c->n > TASKS) {
		c->full[CERTAIN] = c->full[SEEN] = true;
		c->n = 0;
		return c;
	}
	c->failed = c->failed || !make(c);
	if (!c->failed)
		follow_all(c, s);
	if (c->failed) {
		clocks_free(c);
		return NULL;
	}
	return c;
}

/* ---- what is before what ---- */

static bool is_before(const struct clocks *c, unsigned kind, const struct instant *a,
		      const struct instant *b)
{
	uint32_t from = c->place[a->task], to = c->place[b->task];
	const uint32_t *clock;

	if (!from || !to)
		return false;
	clock = clock_at(c, kind, to - 1, b->tick);
	return clock && clock[from - 1] > a->tick;
}

bool clocks_are_full(const struct clocks *c)
{
	return c->full[CERTAIN];
}

bool clocks_certain(const struct clocks *c, const struct instant *a, const struct instant *b)
{
	return a->task == b->task || c->full[CERTAIN] || is_before(c, CERTAIN, a, b) ||
	       is_before(c, CERTAIN, b, a);
}

bool clocks_seen(const struct clocks *c, const struct instant *a, const struct instant *b)
{
	return a->task == b->task || c->full[SEEN] || is_before(c, SEEN, a, b) ||
	       is_before(c, SEEN, b, a);
}
