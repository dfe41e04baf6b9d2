/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What unwinding needs, taken from the program in as short a time as can be. PTRACE_SEIZE and
 * PTRACE_INTERRUPT send no signal, and the kernel lets go of the thread when we die.
 */
#include "runtime/exec/native/internal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/proc.h"
#include "common/core/log.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/sys/core.h"
#include "runtime/exec/sys/memory.h"

#define RED_ZONE 256u /* bytes below the stack pointer that functions may use */
#define STOP_NS 500000000 /* for the thread to stop: it may be in the kernel */
#define RUNS_NS 1500000000 /* the same when it waits for a processor */
#define SOON_NS 5000000	  /* and until then we look often */
#define LOOK_NS 20000
#define LOOK_LATER_NS 1000000
#define PIECE (64u << 10)
#define PIECES 64

#if defined(__x86_64__)
#define SP 7
#else
#define SP 31
#endif

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void read_as_needed(struct capture *c)
{
	c->live = true;
	c->wanted = 0;
	for (unsigned i = 0; i < CAPTURE_PAGES; i++)
		c->page[i].addr = 0;
}

void capture_core(struct capture *c, const struct core *core)
{
	memcpy(c->reg, core->reg, sizeof(c->reg));
	c->thread = core->thread;
	memcpy(c->vector, core->vector, sizeof(c->vector));
	c->has_vector = core->has_vector;
	read_as_needed(c);
}

int capture_parked(struct capture *c, const struct page *page, struct err *err)
{
	struct page_regs regs;

	memcpy(&regs, &page->regs, sizeof(regs));
	if (!regs.have)
		return err_set(err, "its registers are not known");
	for (unsigned i = 0; i < PAGE_REGS; i++)
		c->reg[i] = regs.have >> i & 1 ? regs.reg[i] : 0;
	c->thread = regs.thread;
	c->has_vector = false;
	read_as_needed(c);
	return 0;
}

/* Whether the thread runs, or would if it had a processor. */
static bool is_runnable(pid_t tid)
{
	char path[64], text[512];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end && !strncmp(end, ") R", 3);
}

/* Waits until the thread stands: 0 and *status; -1: it has ended, or does not stop. */
static int wait_stopped(pid_t pid, int *status, struct err *err)
{
	int64_t since = now_ns(), waits;

	for (;;) {
		struct timespec t = { 0, LOOK_NS };
		siginfo_t info = { 0 };

		if (waitid(P_PID, (id_t)pid, &info,
			   WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL))
			return err_set(err, "waitid: %s", strerror(errno));
		/* ends are for whoever reaps */
		if (info.si_pid && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
			return err_set(err, "the program has ended");
		if (info.si_pid)
			return waitpid(pid, status, __WALL) == pid
				       ? 0
				       : err_set(err, "waitpid: %s", strerror(errno));
		/* when it stops later, child_reap lets it go */
		waits = now_ns() - since;
		if (waits > STOP_NS && (waits > RUNS_NS || !is_runnable(pid)))
			return err_set(err, "it does not stop: the kernel is busy with it");
		if (waits > SOON_NS)
			t.tv_nsec = LOOK_LATER_NS;
		nanosleep(&t, NULL);
	}
}

static int read_registers(struct capture *c, pid_t pid)
{
	struct user_regs_struct r;
	struct iovec iov = { &r, sizeof(r) };

	c->thread = 0;
	if (ptrace(PTRACE_GETREGSET, pid, (void *)(uintptr_t)NT_PRSTATUS, &iov))
		return -1;
	c->has_vector = false;
#if defined(__x86_64__)
	{
		struct user_fpregs_struct fp;
		struct iovec vectors = { &fp, sizeof(fp) };

		const uint64_t reg[17] = { r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi,
					   r.rbp, r.rsp, r.r8,	r.r9,  r.r10, r.r11,
					   r.r12, r.r13, r.r14, r.r15, r.rip };

		memcpy(c->reg, reg, sizeof(reg));
		c->thread = r.fs_base;
		c->has_vector =
			!ptrace(PTRACE_GETREGSET, pid, (void *)(uintptr_t)NT_PRFPREG, &vectors);
		if (c->has_vector)
			memcpy(c->vector, fp.xmm_space, sizeof(c->vector));
	}
#elif defined(__aarch64__)
	iov = (struct iovec){ &c->thread, sizeof(c->thread) };
	if (ptrace(PTRACE_GETREGSET, pid, (void *)(uintptr_t)NT_ARM_TLS, &iov))
		c->thread = 0;
	memcpy(c->reg, r.regs, 31 * sizeof(uint64_t));
	c->reg[31] = r.sp;
	c->reg[32] = r.pc;
#endif
	return 0;
}

/* Copies what is there above the stack pointer; it may end earlier. */
static void read_stack(struct capture *c, pid_t pid, size_t bytes)
{
	c->low = c->reg[SP] - RED_ZONE;
	c->n = 0;
	while (c->n < bytes) {
		struct iovec to = { c->stack + c->n, 0 }, from[PIECES];
		unsigned long k = 0;
		ssize_t got;

		for (; k < PIECES && c->n + to.iov_len < bytes; k++) {
			size_t left = bytes - c->n - to.iov_len;

			from[k].iov_base = (void *)(uintptr_t)(c->low + c->n + to.iov_len);
			from[k].iov_len = left < PIECE ? left : PIECE;
			to.iov_len += from[k].iov_len;
		}
		got = process_vm_readv(pid, &to, 1, from, k, 0);
		if (got > 0)
			c->n += (size_t)got;
		if (got < (ssize_t)to.iov_len)
			break;
	}
}

int capture_hold(pid_t tid, int *status, struct err *err)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return errno == ESRCH ? err_set(err, "the program has ended")
				      : proc_trace_refused(tid, errno, err);
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		return err_set(err, "it cannot be paused: %s", strerror(errno));
	return wait_stopped(tid, status, err);
}

/* Room for so much of a stack; the thread need not stand for that. */
static int prepare(struct capture *c, size_t bytes, struct err *err)
{
	c->live = false;
	c->wanted = 0;
	c->n = 0;
	if (c->memory->bounce)
		return err_set(err, "the kernel forbids to read its memory");
	if (bytes > c->room) {
		unsigned char *grown = realloc(c->stack, bytes);

		if (!grown)
			return err_set(err, "out of memory");
		/* its pages are there before the program stands */
		memset(grown, 0, bytes);
		c->stack = grown;
		c->room = bytes;
	}
	return 0;
}

int capture_held(struct capture *c, pid_t pid, size_t bytes, struct err *err)
{
	if (prepare(c, bytes, err))
		return -1;
	if (read_registers(c, pid))
		return err_set(err, "its registers cannot be read");
	read_stack(c, pid, bytes);
	return 0;
}

int capture_paused(struct capture *c, pid_t pid, size_t bytes, struct err *err)
{
	int64_t asked, since;
	int status, rc;

	if (prepare(c, bytes, err))
		return -1;
	asked = now_ns();
	if (capture_hold(pid, &status, err))
		return -1;
	since = now_ns();
	rc = read_registers(c, pid);
	if (!rc)
		read_stack(c, pid, bytes);
	child_unpause(pid, status);
	log_debug("native", "paused for %lld us after %lld us, %zu bytes of stack",
		  (long long)(now_ns() - since) / 1000, (long long)(since - asked) / 1000, c->n);
	return rc ? err_set(err, "its registers cannot be read") : 0;
}

/* The page of a parked thread that holds addr; NULL: it cannot be read. */
static const unsigned char *page_at(struct capture *c, uint64_t addr)
{
	uint64_t base = addr / CAPTURE_PAGE * CAPTURE_PAGE, bad;
	unsigned i = (unsigned)(base / CAPTURE_PAGE % CAPTURE_PAGES);
	struct memory_span span = { base, CAPTURE_PAGE };

	if (c->page[i].addr == base)
		return c->page[i].bytes;
	c->page[i].addr = 0;
	if (!base || memory_read(c->memory, &span, 1, c->page[i].bytes, &bad))
		return NULL;
	c->page[i].addr = base;
	return c->page[i].bytes;
}

bool capture_word(struct capture *c, uint64_t addr, uint64_t *out)
{
	const unsigned char *page;

	if (!c->live) {
		if (addr >= c->low && addr - c->low + sizeof(*out) <= c->n) {
			memcpy(out, c->stack + (addr - c->low), sizeof(*out));
			return true;
		}
		if (addr > c->low && addr - c->low < CAPTURE_MOST)
			c->wanted = addr;
		return false;
	}
	/* words are in one page when they are aligned, as on a stack */
	if (addr % CAPTURE_PAGE > CAPTURE_PAGE - sizeof(*out))
		return false;
	page = page_at(c, addr);
	if (page)
		memcpy(out, page + addr % CAPTURE_PAGE, sizeof(*out));
	return page != NULL;
}

bool capture_vector(const struct capture *c, uint64_t reg, unsigned char *out)
{
	const uint64_t first = 17;

	if (!c->has_vector || reg < first ||
	    reg - first >= sizeof(c->vector) / sizeof(c->vector[0]))
		return false;
	memcpy(out, c->vector[reg - first], sizeof(c->vector[0]));
	return true;
}

void capture_clear(struct capture *c)
{
	free(c->stack);
	c->stack = NULL;
	c->n = c->room = 0;
}
