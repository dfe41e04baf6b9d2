/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals that end the program: the thread is parked in the handler, so that values and stack can
 * be looked at; told to go on, it gets the former disposition and dies of the signal.
 */
#include "runtime/base/peek.h"
#include "runtime/base/regs.h"
#include "runtime/stop/internal.h"
#include "runtime/record/record.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK 65536
#define LEAVING_USEC 1000000 /* that the supervisor has to look where exit was called */

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))
static struct sigaction former[SIGNALS];
static bool ready;

/* Where the C library keeps what it has printed before abort: a number, then the text; NULL:
 * nothing yet. */
static struct abort_text {
	unsigned bytes;
	char text[];
} **abort_text;

/* Gives the signal back and lets it happen: again by itself, or when it was sent, sent once more.
 */
static void pass_on(int sig, const siginfo_t *info)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (signals[i] == sig)
			sigaction(sig, &former[i], NULL);
	if (info->si_code <= 0 || sig == SIGABRT)
		syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), sig);
}

static void stack_unlock(void)
{
	uint32_t s = atomic_load(&rt.page->stack_seq);

	if (s & 1)
		atomic_store(&rt.page->stack_seq, s + 1);
}

/* What is known of a signal but its number and address. */
static void keep_details(int sig, const siginfo_t *info)
{
	const struct abort_text *s = abort_text && sig == SIGABRT ? *abort_text : NULL;
	char *to = rt.page->abort_text;
	unsigned n = 0;

	rt.page->sig_code = info->si_code;
	rt.page->sig_pid = info->si_code <= 0 ? info->si_pid : 0;
	for (; s && n + 1 < PAGE_ABORT_TEXT && s->text[n]; n++)
		to[n] = s->text[n];
	to[n] = 0;
	if (!n && sig == SIGABRT && rt.page->sig_pid == getpid())
		thrown_words(to, PAGE_ABORT_TEXT);
}

static void handler(int sig, siginfo_t *info, void *context)
{
	int e = errno;
	uint32_t first = 0, me;

	if ((sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0 && peek_fixup(context))
		return;
	if (code_home)
		code_home(context);
	me = (uint32_t)syscall(SYS_gettid);
	if (rt_is_on() && rt_supervised() &&
	    atomic_compare_exchange_strong(&rt.crashed, &first, me)) {
		struct park p = { .reason = STOP_SIGNAL,
				  .code = sig,
				  .gen = rt.plan.gen,
				  .context = context };

		p.fault = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0;
		if (rt_owner)
			stack_unlock();
		keep_details(sig, info);
		trace_fault(p.fault);
		while (!park(&p, false))
			p.gen = atomic_load(&rt.page->go_gen);
	} else if (rt_is_on() && first && first != me) {
		park_for_end();
	}
	pass_on(sig, info);
	errno = e;
}

/* Handlers of language runtimes and MPI only print and die: ours goes first and then gives way to
 * them. */
static bool is_runtime(const struct sigaction *a)
{
	static const char *const libs[] = {
		"libgfortran", "libopen-pal", "libopen-rte", "libmpi",
		"libmpich",    "libpmix",     "libucs",	     "libprrte"
	};
	Dl_info info;
	const char *base;

	if (!dladdr((void *)(uintptr_t)a->sa_handler, &info) || !info.dli_fname)
		return false;
	base = strrchr(info.dli_fname, '/');
	base = base ? base + 1 : info.dli_fname;
	for (unsigned i = 0; i < sizeof(libs) / sizeof(libs[0]); i++)
		if (!strncmp(base, libs[i], strlen(libs[i])))
			return true;
	return false;
}

void crash_install(void)
{
	struct sigaction ours = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	code_install();
	if (!ready)
		return;
	thrown_find();
	sigemptyset(&ours.sa_mask);
	for (unsigned i = 0; i < SIGNALS; i++) {
		if (sigaction(signals[i], NULL, &now) < 0 || now.sa_handler == SIG_IGN)
			continue;
		if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler)
			continue;
		if (now.sa_handler != SIG_DFL && !is_runtime(&now))
			continue;
		former[i] = now;
		sigaction(signals[i], &ours, NULL);
	}
}

/* -1: there is no stack for the handlers, and they are not installed. */
int crash_init(void)
{
	stack_t s = { .ss_sp = rt_pages(STACK), .ss_size = STACK };

	if (!s.ss_sp || sigaltstack(&s, NULL) < 0)
		return -1;
	ready = true;
	abort_text = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
	crash_install();
	return 0;
}

static bool was_seen(uint64_t until)
{
	return atomic_load(&rt.page->leaving) != PAGE_LEAVES || rt_usec() > until;
}

void crash_leaving(void)
{
	if (!rt_is_on() || !rt_supervised() || atomic_load(&rt.page->mpi) != MPI_STATE_UP ||
	    atomic_load(&rt.page->state) != PAGE_RUNNING || atomic_load(&rt.crashed))
		return;
	regs_here(&rt.page->regs);
	atomic_store(&rt.page->leaving, PAGE_LEAVES);
	wait_notify();
	wait_for(was_seen, rt_usec() + LEAVING_USEC);
}
