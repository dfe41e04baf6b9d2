/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/core/err.h"
#include "runtime/exec/sys/futex.h"

#define WATCH_SLEEP_MS 1000
/* A program that changes the page without end costs us little: at most so often do we look. */
#define WATCH_PAUSE_USEC 100

struct watch {
	_Atomic uint32_t *futex; /* borrowed */
	int fd;
	pthread_t thread;
	atomic_bool stop;
};

static void *watch_main(void *arg)
{
	struct watch *w = arg;
	uint32_t seen = 0;
	uint64_t one = 1;

	while (!atomic_load(&w->stop)) {
		uint32_t now = atomic_load(w->futex);

		if (now == seen) {
			futex_wait(w->futex, seen, WATCH_SLEEP_MS);
			continue;
		}
		seen = now;
		if (write(w->fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
			break;
		usleep(WATCH_PAUSE_USEC);
	}
	return NULL;
}

struct watch *watch_create(_Atomic uint32_t *futex, struct err *err)
{
	struct watch *w = calloc(1, sizeof(*w));
	sigset_t all, old;
	int e;

	if (!w) {
		err_set(err, "out of memory");
		return NULL;
	}
	w->futex = futex;
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd < 0) {
		err_set(err, "eventfd: %s", strerror(errno));
		free(w);
		return NULL;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&w->thread, NULL, watch_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (e) {
		err_set(err, "cannot start a thread: %s", strerror(e));
		close(w->fd);
		free(w);
		return NULL;
	}
	return w;
}

void watch_destroy(struct watch *w)
{
	if (!w)
		return;
	atomic_store(&w->stop, true);
	/* a change, so that a wait that is about to begin does not */
	atomic_fetch_add(w->futex, 1);
	futex_wake(w->futex);
	pthread_join(w->thread, NULL);
	close(w->fd);
	free(w);
}

int watch_fd(const struct watch *w)
{
	return w->fd;
}

void watch_clear(struct watch *w)
{
	uint64_t n;

	if (read(w->fd, &n, sizeof(n)) < 0)
		return;
}
