/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/super.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/finding_kind.h"

struct super s;

void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

void report(unsigned mode, uint32_t n, const char *target, bool go)
{
	uint32_t which = (s.p->rule_seq + 1) & 1;
	struct page_order *r = &s.p->order[which];

	r->n = s.n;
	r->which = which;
	r->version = s.p->rule_seq + 1;
	r->trace_config = s.trace_config;
	memcpy(s.p->rules[which], s.rule, s.n * sizeof(*s.rule));
	r->nwatch = s.nwatch;
	memcpy(r->watch, s.watch, s.nwatch * sizeof(*s.watch));
	r->nplace = s.nplace;
	memcpy(s.p->place[which], s.place, s.nplace * sizeof(*s.place));
	r->plan = (struct plan){ .gen = ++s.gen, .mode = (uint8_t)mode, .n = n };
	if (target)
		assert_int_equal(point_parse(&r->plan.target, target, NULL), 0);
	atomic_fetch_add(&s.p->rule_seq, 1);
	if (!go)
		return;
	atomic_store(&s.p->go_gen, s.gen);
	atomic_fetch_add(&s.p->wake, 1);
	syscall(SYS_futex, &s.p->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

struct rule *rule_add(uint32_t id, unsigned kind)
{
	struct rule *r = &s.rule[s.n++];

	*r = (struct rule){ .id = id, .kind = (uint8_t)kind };
	return r;
}

struct rule *rule_at(uint32_t id, const char *point)
{
	struct rule *r = rule_add(id, RULE_POINT);

	assert_int_equal(point_parse(&r->point, point, NULL), 0);
	return r;
}

struct rule *rule_line(uint32_t id, const char *file, uint32_t line)
{
	struct rule *r = rule_add(id, RULE_LINE);

	strcpy(r->file, file);
	r->line = line;
	return r;
}

static const char *program(void)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "tests/prog/%s", s.prog ? s.prog : "points/marks");
	return path;
}

void child_run(const char *situation)
{
	char page[64];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(page, sizeof(page), "/proc/%d/fd/%d", (int)getppid(), s.fd);
	setenv("DVMDBG_PAGE", page, 1);
	/* a sanitizer's handlers would count as the program's own */
	setenv("ASAN_OPTIONS",
	       "detect_leaks=0:use_sigaltstack=0:handle_segv=0:handle_abort=0:handle_sigfpe=0", 1);
	while (!atomic_load(&s.p->program_pid))
		pause_ms(1);
	execl(program(), "marks", situation, (char *)NULL);
	_exit(127);
}

void start(const char *situation, unsigned mode, uint32_t n, const char *target)
{
	size_t page = (sizeof(*s.p) + 65535) / 65536 * 65536;
	struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	s.fd = memfd_create("page", MFD_CLOEXEC);
	assert_true(s.fd >= 0);
	assert_int_equal(ftruncate(s.fd, (off_t)(page + s.area)), 0);
	s.p = mmap(NULL, sizeof(*s.p), PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
	assert_true(s.p != MAP_FAILED);
	if (s.area) {
		s.blocks =
			mmap(NULL, s.area, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, (off_t)page);
		assert_true(s.blocks != MAP_FAILED);
		s.p->trace.offset = page;
		s.p->trace.nblock = PAGE_BLOCKS;
		s.p->trace.block_bytes = (uint32_t)(s.area / PAGE_BLOCKS);
	}
	s.p->magic = PAGE_MAGIC;
	s.p->version = PAGE_VERSION;
	s.p->exec_pid = getpid();
	report(mode, n, target, true);
	s.pid = fork();
	assert_true(s.pid >= 0);
	if (!s.pid)
		child_run(situation);
	atomic_store(&s.p->program_pid, s.pid);
}

int setup(void **state)
{
	(void)state;
	memset(&s, 0, offsetof(struct super, rule));
	return 0;
}

int teardown(void **state)
{
	(void)state;
	if (s.pid > 0 && !s.ended) {
		kill(s.pid, SIGKILL);
		waitpid(s.pid, &s.status, 0);
	}
	if (s.p)
		munmap(s.p, sizeof(*s.p));
	if (s.blocks)
		munmap(s.blocks, s.area);
	close(s.fd);
	return 0;
}

bool stopped(void)
{
	for (int ms = 0; ms < PATIENCE; ms++) {
		if (atomic_load(&s.p->state) == PAGE_PARKED &&
		    atomic_load(&s.p->stop_count) != s.stops) {
			s.stops = atomic_load(&s.p->stop_count);
			return true;
		}
		if (s.ended || waitpid(s.pid, &s.status, WNOHANG) == s.pid) {
			s.ended = true;
			return false;
		}
		pause_ms(1);
	}
	fail_msg("neither stopped nor ended");
	return false;
}

const char *where(void)
{
	static char text[POINT_TEXT];
	struct point p = { .main = (uint32_t)(s.p->point_main_side >> 1),
			   .side = s.p->point_main_side & 1 };

	p.task = (uint32_t)(s.p->point_task_sub >> 32);
	p.sub = (uint32_t)s.p->point_task_sub;
	return point_format(&p, text);
}

void expect_stop(const char *point, unsigned reason)
{
	assert_true(stopped());
	assert_string_equal(where(), point);
	assert_int_equal(s.p->reason, reason);
	assert_int_equal(s.p->stop_gen, s.gen);
	assert_int_equal(s.p->stack_seq % 2, 0);
}

void expect_exit(int code)
{
	assert_false(stopped());
	assert_true(WIFEXITED(s.status));
	assert_int_equal(WEXITSTATUS(s.status), code);
}

void expect_death(int sig)
{
	assert_false(stopped());
	assert_true(WIFSIGNALED(s.status));
	assert_int_equal(WTERMSIG(s.status), sig);
}

const char *text(uint32_t off)
{
	assert_true(off < PAGE_ARENA);
	return (const char *)s.p->arena + off;
}

const struct page_frame *top(void)
{
	assert_in_range(s.p->depth, 1, PAGE_FRAMES);
	return &s.p->frame[s.p->depth - 1];
}

const struct page_loc *place(const struct page_frame *f)
{
	return (const struct page_loc *)(s.p->arena + f->loc);
}

const struct page_entity *object(const char *name)
{
	const struct page_entity *e, *found = NULL;

	for (uint32_t off = s.p->first_entity; off; off = e->next) {
		e = (const struct page_entity *)(s.p->arena + off);
		if (e->live && !strcmp(text(e->name), name) &&
		    (!found || e->serial > found->serial))
			found = e;
	}
	return found;
}

void peek(uint64_t addr, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)(uintptr_t)addr, n };

	assert_int_equal(process_vm_readv(s.pid, &local, 1, &remote, 1, 0), n);
}

unsigned findings(unsigned kind, const char *detail)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s.p->finding_n && i < PAGE_FINDINGS; i++)
		if (s.p->finding[i].kind == kind && strstr(s.p->finding[i].detail, detail))
			n++;
	return n;
}

unsigned faults(void)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s.p->finding_n && i < PAGE_FINDINGS; i++)
		n += s.p->finding[i].kind < FINDING_KINDS;
	return n;
}

void use(const char *prog)
{
	s.prog = prog;
	if (access(program(), X_OK) < 0)
		skip();
}
