/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads pass to each other through the kernel: pipes, sockets, events, signals. Who reads
 * may have waited for any that has written before; which of them is not followed.
 */
#include "runtime/threads/internal.h"

#include <mqueue.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define AND ,

static char all; /* its address is what they wait with */

static void gives(void)
{
	thread_note('r', 0, (uintptr_t)&all);
}

static void takes(void)
{
	thread_note('a', 0, (uintptr_t)&all);
}

#define PASSES(type, name, parameters, types, ...) \
	STANDS_IN type name parameters             \
	{                                          \
		REAL(type, name, types);           \
                                                   \
		gives();                           \
		return real(__VA_ARGS__);          \
	}
#define GETS(type, name, parameters, types, ...) \
	STANDS_IN type name parameters           \
	{                                        \
		REAL(type, name, types);         \
		type result = real(__VA_ARGS__); \
                                                 \
		takes();                         \
		return result;                   \
	}
PASSES(ssize_t, write, (int fd, const void *p, size_t n), int AND const void *AND size_t, fd, p, n)
PASSES(ssize_t, send, (int fd, const void *p, size_t n, int flags),
       int AND const void *AND size_t AND int, fd, p, n, flags)
PASSES(int, eventfd_write, (int fd, eventfd_t value), int AND eventfd_t, fd, value)
PASSES(int, mq_send, (mqd_t q, const char *p, size_t n, unsigned priority),
       mqd_t AND const char *AND size_t AND unsigned, q, p, n, priority)
PASSES(int, pthread_kill, (pthread_t thread, int number), pthread_t AND int, thread, number)
PASSES(int, kill, (pid_t pid, int number), pid_t AND int, pid, number)
PASSES(int, raise, (int number), int, number)
GETS(ssize_t, read, (int fd, void *p, size_t n), int AND void *AND size_t, fd, p, n)
GETS(ssize_t, recv, (int fd, void *p, size_t n, int flags), int AND void *AND size_t AND int, fd, p,
     n, flags)
GETS(int, eventfd_read, (int fd, eventfd_t *value), int AND eventfd_t *, fd, value)
GETS(ssize_t, mq_receive, (mqd_t q, char *p, size_t n, unsigned *priority),
     mqd_t AND char *AND size_t AND unsigned *, q, p, n, priority)
GETS(int, sigwait, (const sigset_t *set, int *number), const sigset_t *AND int *, set, number)
GETS(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), const sigset_t *AND siginfo_t *, set,
     info)
