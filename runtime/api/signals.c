/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sigaction and signal, in front of the C library's: while there are traps in the program's code, their
 * handler stays, and what the program sets for SIGTRAP gets the other ones.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>

#include "runtime/stop/stop.h"

extern int __sigaction(int sig, const struct sigaction *set, struct sigaction *was);

static void *next(const char *name)
{
	static __thread bool looking __attribute__((tls_model("initial-exec")));
	void *found;

	if (looking)
		return NULL;
	looking = true;
	found = dlsym(RTLD_NEXT, name);
	looking = false;
	return found;
}

RT_PUBLIC int sigaction(int sig, const struct sigaction *set, struct sigaction *was)
{
	if (sig == SIGTRAP && code_signal(set, was))
		return 0;
	return __sigaction(sig, set, was);
}

RT_PUBLIC __sighandler_t signal(int sig, __sighandler_t handler)
{
	static __sighandler_t (*real)(int, __sighandler_t);
	struct sigaction set = { .sa_handler = handler, .sa_flags = SA_RESTART }, was;

	sigemptyset(&set.sa_mask);
	if (sig == SIGTRAP && code_signal(&set, &was))
		return was.sa_handler;
	if (!real)
		real = (__sighandler_t (*)(int, __sighandler_t))next("signal");
	if (real)
		return real(sig, handler);
	errno = ENOSYS;
	return SIG_ERR;
}
