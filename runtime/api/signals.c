/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sigaction, signal and the masks of signals, in front of the C library's: while there are traps in
 * the program's code, their handler stays, what the program sets for SIGTRAP gets the other ones,
 * and no thread blocks SIGTRAP: a trap would end the program then.
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

/* The set without SIGTRAP and call_signal, in *own, when it is to be blocked. */
static const sigset_t *without(int how, const sigset_t *set, sigset_t *own)
{
	bool traps = code_signal(NULL, NULL);

	if (!set || how == SIG_UNBLOCK || (!traps && !call_signal))
		return set;
	*own = *set;
	if (traps)
		sigdelset(own, SIGTRAP);
	if (call_signal)
		sigdelset(own, call_signal);
	return own;
}

RT_PUBLIC int sigprocmask(int how, const sigset_t *set, sigset_t *was)
{
	static int (*real)(int, const sigset_t *, sigset_t *);
	sigset_t own;

	if (!real)
		real = (int (*)(int, const sigset_t *, sigset_t *))next("sigprocmask");
	if (real)
		return real(how, without(how, set, &own), was);
	errno = ENOSYS;
	return -1;
}

RT_PUBLIC int pthread_sigmask(int how, const sigset_t *set, sigset_t *was)
{
	static int (*real)(int, const sigset_t *, sigset_t *);
	sigset_t own;

	if (!real)
		real = (int (*)(int, const sigset_t *, sigset_t *))next("pthread_sigmask");
	return real ? real(how, without(how, set, &own), was) : ENOSYS;
}
