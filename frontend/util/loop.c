/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/loop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define LOOP_SIGNALS 65

struct source {
	int fd; /* -1: removed, to be taken out when no turn is under way */
	loop_want_fn want;
	loop_fd_fn fn;
	void *arg;
};

struct timer {
	int64_t when;
	loop_timer_fn fn;
	void *arg;
};

struct loop {
	struct source *source;
	size_t n, cap;
	struct timer *timer;
	size_t ntimer, timer_cap;
	unsigned depth; /* turns inside turns: callbacks may turn the loop themselves */
	int sigfd;
	sigset_t old_mask, mask; /* before loop_create; read through sigfd */
	struct sigaction old_pipe;
	struct {
		loop_signal_fn fn;
		void *arg;
	} signal[LOOP_SIGNALS];
	bool interrupted;
	unsigned interrupts;
	int deferred; /* by so many */
	unsigned deferred_at; /* interrupts, before those that are deferred */
};

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGWINCH, SIGCONT };

int64_t loop_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Takes all waiting signals from the signalfd. */
static void read_signals(void *arg, short revents)
{
	struct loop *l = arg;
	struct signalfd_siginfo info;

	while (read(l->sigfd, &info, sizeof(info)) == sizeof(info)) {
		unsigned sig = info.ssi_signo;

		if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP)
			loop_interrupt(l);
		if (sig < LOOP_SIGNALS && l->signal[sig].fn)
			l->signal[sig].fn(l->signal[sig].arg, (int)sig);
	}
}

struct loop *loop_create(struct err *err)
{
	struct loop *l = xcalloc(1, sizeof(*l));
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigemptyset(&l->mask);
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		sigaddset(&l->mask, handled[i]);
	pthread_sigmask(SIG_BLOCK, &l->mask, &l->old_mask);
	sigaction(SIGPIPE, &ignore, &l->old_pipe);
	l->sigfd = signalfd(-1, &l->mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (l->sigfd < 0) {
		err_set(err, "cannot receive signals: %s", strerror(errno));
		loop_destroy(l);
		return NULL;
	}
	loop_add(l, l->sigfd, NULL, read_signals, l);
	return l;
}

void loop_reset_signals(const struct loop *l)
{
	sigaction(SIGPIPE, &l->old_pipe, NULL);
	pthread_sigmask(SIG_SETMASK, &l->old_mask, NULL);
}

void loop_destroy(struct loop *l)
{
	if (!l)
		return;
	if (l->sigfd >= 0)
		close(l->sigfd);
	loop_reset_signals(l);
	free(l->source);
	free(l->timer);
	free(l);
}

void loop_add(struct loop *l, int fd, loop_want_fn want, loop_fd_fn fn, void *arg)
{
	xvec_room(l->source, l->cap, l->n + 1);
	l->source[l->n++] = (struct source){ .fd = fd, .want = want, .fn = fn, .arg = arg };
}

void loop_remove(struct loop *l, int fd)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->source[i].fd == fd)
			l->source[i].fd = -1;
}

/* Takes removed sources out; only when no turn holds indices into the array. */
static void compact(struct loop *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->source[i].fd >= 0)
			l->source[kept++] = l->source[i];
	l->n = kept;
}

void loop_cancel(struct loop *l, loop_timer_fn fn, void *arg)
{
	for (size_t i = 0; i < l->ntimer; i++) {
		if (l->timer[i].fn == fn && l->timer[i].arg == arg) {
			l->timer[i] = l->timer[--l->ntimer];
			return;
		}
	}
}

int loop_at(struct loop *l, int64_t when, loop_timer_fn fn, void *arg)
{
	loop_cancel(l, fn, arg);
	xvec_room(l->timer, l->timer_cap, l->ntimer + 1);
	l->timer[l->ntimer++] = (struct timer){ .when = when, .fn = fn, .arg = arg };
	return 0;
}

/* The index of the timer that is due first, or -1. */
static long first_timer(const struct loop *l)
{
	long best = -1;

	for (size_t i = 0; i < l->ntimer; i++)
		if (best < 0 || l->timer[i].when < l->timer[best].when)
			best = (long)i;
	return best;
}

/* At most as many as there are now, so that a timer that sets itself again does not hold the loop.
 */
static void run_timers(struct loop *l)
{
	int64_t now = loop_now();

	for (size_t left = l->ntimer; left > 0; left--) {
		long i = first_timer(l);
		struct timer t;

		if (i < 0 || l->timer[i].when > now)
			return;
		t = l->timer[i];
		l->timer[i] = l->timer[--l->ntimer];
		t.fn(t.arg);
	}
}

static bool always_handled(int sig)
{
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		if (handled[i] == sig)
			return true;
	return false;
}

void loop_signal(struct loop *l, int sig, loop_signal_fn fn, void *arg)
{
	sigset_t one;

	if (sig <= 0 || sig >= LOOP_SIGNALS)
		return;
	l->signal[sig].fn = fn;
	l->signal[sig].arg = arg;
	if (always_handled(sig))
		return;
	sigemptyset(&one);
	sigaddset(&one, sig);
	if (fn)
		sigaddset(&l->mask, sig);
	else
		sigdelset(&l->mask, sig);
	signalfd(l->sigfd, &l->mask, SFD_NONBLOCK | SFD_CLOEXEC);
	pthread_sigmask(fn ? SIG_BLOCK : SIG_UNBLOCK, &one, NULL);
}

/* Polls the sources that want something and calls those that have it. */
static int poll_sources(struct loop *l, int timeout_ms)
{
	size_t n = l->n;
	struct pollfd *p = xcalloc(n + 1, sizeof(*p));
	int got;

	for (size_t i = 0; i < n; i++) {
		struct source *s = &l->source[i];
		short want = s->fd < 0 ? 0 : s->want ? s->want(s->arg) : POLLIN;

		p[i].fd = want ? s->fd : -1;
		p[i].events = want;
	}
	got = poll(p, n, timeout_ms);
	for (size_t i = 0; got > 0 && i < n; i++) {
		struct source s = l->source[i];

		/* A callback before may have removed it, and its number may be another's by now. */
		if (p[i].fd >= 0 && p[i].revents && s.fd == p[i].fd)
			s.fn(s.arg, p[i].revents);
	}
	free(p);
	return got < 0 && errno != EINTR ? -1 : 0;
}

int loop_turn(struct loop *l, int timeout_ms)
{
	long t = first_timer(l);
	int rc;

	if (t >= 0) {
		int64_t left = l->timer[t].when - loop_now();

		left = left < 0 ? 0 : left;
		if (timeout_ms < 0 || left < timeout_ms)
			timeout_ms = left > 60000 ? 60000 : (int)left;
	}
	l->depth++;
	rc = poll_sources(l, timeout_ms);
	run_timers(l);
	if (--l->depth == 0)
		compact(l);
	return rc;
}

bool loop_interrupted(const struct loop *l)
{
	/* a second one is not to be kept waiting */
	return l->interrupted && (!l->deferred || l->interrupts - l->deferred_at > 1);
}

void loop_defer_interrupt(struct loop *l, bool defer)
{
	if (defer && !l->deferred)
		l->deferred_at = l->interrupts - l->interrupted;
	l->deferred += defer ? 1 : -1;
}

void loop_interrupt(struct loop *l)
{
	l->interrupted = true;
	l->interrupts++;
}

unsigned loop_interrupts(const struct loop *l)
{
	return l->interrupts;
}

void loop_clear_interrupt(struct loop *l)
{
	l->interrupted = false;
}
