/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a copy of the process prints. Its buffers begin with what the program has not printed yet,
 * which the program itself prints later: the copy drops that, and writes what has come since. Of
 * the C library's streams all are known. std::cout with a buffer of its own is flushed by its
 * function, once into nothing and once to where it leads; one that the program has led elsewhere is
 * left alone. Fortran's units write at once to terminals and pipes; what they have in buffers for
 * files is left, as they know where in the file they are. Threads that the copy has not may hold
 * the locks of all these.
 */
#include "runtime/stop/internal.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/time.h>
#include <unistd.h>

#define FLUSH_MOST 300000 /* us that a flush may wait for a lock */

/* The head of the C library's streams. */
extern FILE *_IO_list_all __attribute__((weak));

static struct {
	void *(*flush)(void *stream);
	void *(*buffer)(const void *ios);
	void *stream[2];
} cpp;
static bool streams; /* they can be flushed */
static sigjmp_buf late;

void printed_find(void)
{
	*(void **)&cpp.flush = dlsym(RTLD_DEFAULT, "_ZNSo5flushEv");
	*(void **)&cpp.buffer =
		dlsym(RTLD_DEFAULT, "_ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv");
	cpp.stream[0] = dlsym(RTLD_DEFAULT, "_ZSt4cout");
	cpp.stream[1] = dlsym(RTLD_DEFAULT, "_ZSt4clog");
	streams = cpp.flush && cpp.buffer;
}

/* Its buffer is the library's own, in which also the functions of streams are. */
static bool is_standard(void *stream)
{
	const char *table = *(const char **)stream;
	const void *buffer = NULL;
	Dl_info its, known;

	/* where basic_ios is in it, as the C++ ABI has it; without <iostream> nobody has made it */
	if (table)
		buffer = cpp.buffer(
			(const char *)stream +
			*(const ptrdiff_t *)(const void *)(table - 3 * sizeof(ptrdiff_t)));
	return buffer && dladdr(buffer, &its) && dladdr(*(void **)&cpp.flush, &known) &&
	       its.dli_fbase == known.dli_fbase;
}

static void on_late(int sig)
{
	siglongjmp(late, 1);
}

/* False: somebody has a lock, and what has not been flushed stays so. */
static bool flush_streams(void)
{
	struct sigaction a = { .sa_handler = on_late }, former;
	struct itimerval until = { .it_value.tv_usec = FLUSH_MOST }, none = { 0 };
	volatile bool done = false;
	sigset_t set, mask;

	sigaction(SIGALRM, &a, &former);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	if (!sigsetjmp(late, 0)) {
		setitimer(ITIMER_REAL, &until, NULL);
		for (size_t i = 0; i < 2; i++)
			if (cpp.stream[i] && is_standard(cpp.stream[i]))
				cpp.flush(cpp.stream[i]);
		done = true;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGALRM, &former, NULL);
	return done;
}

/* The same, while nothing that is written to 1 and 2 comes anywhere. */
static bool drop_streams(void)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC), kept[2];
	bool done = nothing >= 0;

	for (int i = 0; i < 2; i++) {
		kept[i] = done ? fcntl(1 + i, F_DUPFD_CLOEXEC, 3) : -1;
		done = kept[i] >= 0 && dup2(nothing, 1 + i) >= 0;
	}
	done = done && flush_streams();
	for (int i = 0; i < 2; i++)
		if (kept[i] >= 0)
			dup2(kept[i], 1 + i), close(kept[i]);
	if (nothing >= 0)
		close(nothing);
	return done;
}

static void each_stream(void (*fn)(FILE *f))
{
	if (!&_IO_list_all)
		return;
	for (FILE *f = _IO_list_all; f; f = f->_chain) {
		if (ftrylockfile(f))
			continue;
		/* one that is read has what comes next in its buffer */
		if (__fpending(f))
			fn(f);
		funlockfile(f);
	}
}

static void flush(FILE *f)
{
	fflush_unlocked(f);
}

void printed_drop(void)
{
	each_stream(__fpurge);
	streams = streams && drop_streams();
}

void printed_flush(void)
{
	signal(SIGPIPE, SIG_IGN);
	if (streams)
		flush_streams();
	each_stream(flush);
}
