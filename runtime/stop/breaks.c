/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breakpoints in the code of the program: an instruction that traps in place of the one that is
 * there. Who comes to one parks there, once, with all its registers; then the instruction is put
 * back and executed. Where they are comes with the program's start.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/stop/stop.h"

#define BREAKS 256

#if defined(__x86_64__)
typedef uint8_t trap_code;
static const trap_code trap = 0xcc;
#elif defined(__aarch64__)
typedef uint32_t trap_code;
static const trap_code trap = 0xd4200000;
#else
typedef uint8_t trap_code;
static const trap_code trap;
#endif

static struct {
	uint64_t addr;
	trap_code was;
	_Atomic uint32_t set; /* it is in the code */
} at[BREAKS];
static uint32_t n;
static struct sigaction former;

static int poke(uint64_t addr, trap_code code)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = pwrite(fd, &code, sizeof(code), (off_t)addr) == (ssize_t)sizeof(code) ? 0 : -1;
	close(fd);
	return rc;
}

/* Where the thread is, or goes on when to is not 0. */
static uint64_t pc_of(void *context, uint64_t to)
{
	ucontext_t *c = context;
#if defined(__x86_64__)
	if (to)
		c->uc_mcontext.gregs[REG_RIP] = (greg_t)to;
	return (uint64_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	if (to)
		c->uc_mcontext.pc = to;
	return c->uc_mcontext.pc;
#else
	return 0;
#endif
}

static void handler(int sig, siginfo_t *info, void *context)
{
	struct park p = { .reason = STOP_HALT, .gen = rt.plan.gen, .context = context };
	int e = errno;
	uint64_t pc = pc_of(context, 0);

#if defined(__x86_64__)
	pc--;
#endif
	for (uint32_t i = 0; i < n; i++) {
		uint32_t set = 1;

		if (at[i].addr != pc)
			continue;
		pc_of(context, pc);
		/* of several threads one stops; all execute what was there */
		if (!atomic_compare_exchange_strong(&at[i].set, &set, 0)) {
			errno = e;
			return;
		}
		poke(pc, at[i].was);
		if (rt_is_on() && rt_owner)
			while (!park(&p, false))
				p.gen = atomic_load(&rt.page->go_gen);
		errno = e;
		return;
	}
	sigaction(sig, &former, NULL);
	(void)info;
	errno = e;
}

void breaks_install(void)
{
	struct sigaction ours = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	if (!n || sigaction(SIGTRAP, NULL, &now) < 0 ||
	    (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler))
		return;
	former = now;
	sigemptyset(&ours.sa_mask);
	sigaction(SIGTRAP, &ours, NULL);
}

void breaks_init(void)
{
	const char *s = getenv("DVMDBG_BREAKS");

	if (!s || !trap)
		return;
	while (*s && n < BREAKS) {
		char *end;
		uint64_t addr = strtoull(s, &end, 16) + _r_debug.r_map->l_addr;

		if (end == s)
			return;
		memcpy(&at[n].was, (const void *)(uintptr_t)addr, sizeof(trap_code));
		at[n].addr = addr;
		atomic_store(&at[n].set, 1);
		n++;
		breaks_install();
		if (poke(addr, trap) < 0)
			n--;
		s = *end ? end + 1 : end;
	}
}
