/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that trap, in the program's code in place of those that are there, and who is asked
 * about them. The program's own handler of SIGTRAP gets what is nobody's.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/stop/stop.h"

/* The C library's own, behind ours of runtime/api/signals.c. */
extern int __sigaction(int sig, const struct sigaction *set, struct sigaction *was);

#define TAKERS 2
#define TRAPS 4096

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
	_Atomic uint32_t users; /* who want it to trap */
} at[TRAPS];
static uint32_t n;
static code_taker taker[TAKERS];
static struct sigaction former; /* what the program has set */
static bool installed;
void (*code_home)(void *context);

/* Where /proc is not there, its page becomes writable for a moment. */
static int poke_page(uint64_t addr, trap_code code)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t first = addr & ~(uint64_t)(size - 1);
	size_t len = (addr + sizeof(code) - first + size - 1) & ~(size - 1);

	if (mprotect((void *)(uintptr_t)first, len, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return -1;
	memcpy((void *)(uintptr_t)addr, &code, sizeof(code));
	return mprotect((void *)(uintptr_t)first, len, PROT_READ | PROT_EXEC);
}

static int poke(uint64_t addr, trap_code code)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC), rc;

	if (fd < 0)
		return poke_page(addr, code);
	rc = pwrite(fd, &code, sizeof(code), (off_t)addr) == (ssize_t)sizeof(code) ? 0 : -1;
	close(fd);
	return rc ? poke_page(addr, code) : 0;
}

uint64_t code_pc(void *context, uint64_t to)
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

static uint32_t find(uint64_t addr)
{
	uint32_t i = 0;

	while (i < n && at[i].addr != addr)
		i++;
	return i;
}

bool code_traps(uint64_t addr)
{
	uint32_t i = find(addr);

	return i < n && at[i].users;
}

int code_trap(uint64_t addr, bool set)
{
	uint32_t i = find(addr);

	if (!trap || i == TRAPS)
		return -1;
	if (i == n) {
		if (!set)
			return 0;
		memcpy(&at[i].was, (const void *)(uintptr_t)addr, sizeof(trap_code));
		at[i].addr = addr;
		n++;
	}
	if (set ? at[i].users++ : !at[i].users || --at[i].users)
		return 0;
	return poke(addr, set ? trap : at[i].was);
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	if (former.sa_flags & SA_SIGINFO && former.sa_sigaction)
		former.sa_sigaction(sig, info, context);
	else if (former.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN)
		former.sa_handler(sig);
	else {
		/* it happens again, or was sent and is sent once more: then it ends the program */
		__sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		if (info->si_code <= 0)
			raise(sig);
	}
}

static void handler(int sig, siginfo_t *info, void *context)
{
	int e = errno;
	uint64_t pc = code_pc(context, 0);

#if defined(__x86_64__)
	pc--;
#endif
	for (unsigned i = TAKERS; i-- > 0 && info->si_code > 0;) {
		if (taker[i] && taker[i](pc, context)) {
			errno = e;
			return;
		}
	}
	pass_on(sig, info, context);
	errno = e;
}

void code_install(void)
{
	struct sigaction ours = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	if (!taker[0] || __sigaction(SIGTRAP, NULL, &now) < 0 ||
	    (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler))
		return;
	former = now;
	sigemptyset(&ours.sa_mask);
	__sigaction(SIGTRAP, &ours, NULL);
}

bool code_signal(const struct sigaction *set, struct sigaction *was)
{
	const struct sigaction now = former;

	if (!installed || !rt_is_on())
		return false;
	if (set)
		former = *set;
	if (was)
		*was = now;
	return true;
}

int code_watch(code_taker fn)
{
	unsigned i = 0;

	if (!trap)
		return -1;
	while (i < TAKERS && taker[i])
		i++;
	if (i == TAKERS)
		return -1;
	taker[i] = fn;
	code_install();
	installed = true;
	return 0;
}
