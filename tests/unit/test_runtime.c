/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdvmdbg under a supervisor that this test plays: numbering, stops, findings, objects, crashes.
 * The program is tests/prog/marks, or what DVMDBG_TEST_MARKS names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <poll.h>
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

#include "common/array.h"
#include "common/construct.h"
#include "common/finding.h"
#include "common/value.h"
#include "runtime/page.h"

#define PATIENCE 10000 /* ms */

struct super {
	struct page *p;
	int fd;
	pid_t pid;
	int status; /* of waitpid, when it has ended */
	bool ended;
	uint32_t stops; /* seen */
	uint32_t gen;
	const char *prog;
	uint32_t n;
	struct rule rule[10000];
};

static struct super s;

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Rules and plan into the other block; go: let it run. */
static void tell(unsigned mode, uint32_t n, const char *target, bool go)
{
	struct page_rules *r = (struct page_rules *)s.p->rules[(s.p->rule_seq + 1) & 1];

	r->n = s.n;
	memcpy(r->rule, s.rule, s.n * sizeof(*s.rule));
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

static struct rule *rule_add(uint32_t id, unsigned kind)
{
	struct rule *r = &s.rule[s.n++];

	*r = (struct rule){ .id = id, .kind = (uint8_t)kind };
	return r;
}

static struct rule *rule_at(uint32_t id, const char *point)
{
	struct rule *r = rule_add(id, RULE_POINT);

	assert_int_equal(point_parse(&r->point, point, NULL), 0);
	return r;
}

static struct rule *rule_line(uint32_t id, const char *file, uint32_t line)
{
	struct rule *r = rule_add(id, RULE_LINE);

	strcpy(r->file, file);
	r->line = line;
	return r;
}

static const char *program(void)
{
	static char path[PATH_MAX];
	const char *dir = getenv("DVMDBG_TEST_PROG");

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "tests/prog", s.prog ? s.prog : "marks");
	return path;
}

static void child_run(const char *situation)
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

/* Starts the program with the rules that have been added, and a first plan. */
static void start(const char *situation, unsigned mode, uint32_t n, const char *target)
{
	struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	s.fd = memfd_create("page", MFD_CLOEXEC);
	assert_true(s.fd >= 0);
	assert_int_equal(ftruncate(s.fd, sizeof(*s.p)), 0);
	s.p = mmap(NULL, sizeof(*s.p), PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
	assert_true(s.p != MAP_FAILED);
	s.p->magic = PAGE_MAGIC;
	s.p->version = PAGE_VERSION;
	s.p->exec_pid = getpid();
	tell(mode, n, target, true);
	s.pid = fork();
	assert_true(s.pid >= 0);
	if (!s.pid)
		child_run(situation);
	atomic_store(&s.p->program_pid, s.pid);
}

static int setup(void **state)
{
	(void)state;
	memset(&s, 0, offsetof(struct super, rule));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (s.pid > 0 && !s.ended) {
		kill(s.pid, SIGKILL);
		waitpid(s.pid, &s.status, 0);
	}
	if (s.p)
		munmap(s.p, sizeof(*s.p));
	close(s.fd);
	return 0;
}

/* True: it has parked once more; false: it has ended, with s.status. */
static bool stopped(void)
{
	for (int ms = 0; ms < PATIENCE; ms++) {
		if (atomic_load(&s.p->state) == PAGE_PARKED &&
		    atomic_load(&s.p->stop_count) != s.stops) {
			s.stops = atomic_load(&s.p->stop_count);
			return true;
		}
		if (waitpid(s.pid, &s.status, WNOHANG) == s.pid) {
			s.ended = true;
			return false;
		}
		pause_ms(1);
	}
	fail_msg("neither stopped nor ended");
	return false;
}

static const char *where(void)
{
	static char text[POINT_TEXT];
	struct point p = { .main = (uint32_t)(s.p->point_main_side >> 1),
			   .side = s.p->point_main_side & 1 };

	p.task = (uint32_t)(s.p->point_task_sub >> 32);
	p.sub = (uint32_t)s.p->point_task_sub;
	return point_format(&p, text);
}

static void expect_stop(const char *point, unsigned reason)
{
	assert_true(stopped());
	assert_string_equal(where(), point);
	assert_int_equal(s.p->reason, reason);
	assert_int_equal(s.p->stop_gen, s.gen);
	assert_int_equal(s.p->stack_seq % 2, 0);
}

static void expect_exit(int code)
{
	assert_false(stopped());
	assert_true(WIFEXITED(s.status));
	assert_int_equal(WEXITSTATUS(s.status), code);
}

static void expect_death(int sig)
{
	assert_false(stopped());
	assert_true(WIFSIGNALED(s.status));
	assert_int_equal(WTERMSIG(s.status), sig);
}

static const char *text(uint32_t off)
{
	assert_true(off < PAGE_ARENA);
	return (const char *)s.p->arena + off;
}

static const struct page_frame *top(void)
{
	assert_in_range(s.p->depth, 1, PAGE_FRAMES);
	return &s.p->frame[s.p->depth - 1];
}

static const struct page_loc *place(const struct page_frame *f)
{
	return (const struct page_loc *)(s.p->arena + f->loc);
}

/* The newest live object of that name. */
static const struct page_entity *object(const char *name)
{
	const struct page_entity *e, *found = NULL;

	for (uint32_t off = s.p->first_entity; off; off = e->next) {
		e = (const struct page_entity *)(s.p->arena + off);
		if (e->live && !strcmp(text(e->name), name))
			found = e;
	}
	return found;
}

static void peek(uint64_t addr, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)(uintptr_t)addr, n };

	assert_int_equal(process_vm_readv(s.pid, &local, 1, &remote, 1, 0), n);
}

static unsigned findings(unsigned kind, const char *detail)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s.p->finding_n && i < PAGE_FINDINGS; i++)
		if (s.p->finding[i].kind == kind && strstr(s.p->finding[i].detail, detail))
			n++;
	return n;
}

static void test_numbering(void **state)
{
	static const char *const points[] = {
		"1.B",	   "1.E",     "2.B",	 "2.1.1.B", "2.1.1.E", "2.2.1.B",
		"2.2.1.E", "2.2.2.B", "2.2.2.E", "2.E",	    "3.B",     "3.E",
		"4.B",	   "4.E",     "5.B",	 "5.1.1.B", "5.1.1.E",
	};

	start("plain", PLAN_STEP, 1, NULL);
	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		expect_stop(points[i], STOP_STEP);
		tell(PLAN_STEP, 1, NULL, true);
	}
	assert_true(stopped());
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_string_equal(where(), "10.E");
	assert_int_equal(s.p->hash_n, 10);
	assert_int_equal(s.p->finding_n, 0);
	assert_int_equal(s.p->depth, 0);
	assert_int_equal(s.p->history_n, 10 + 3 * 3);
	for (uint32_t i = 0; i < s.p->history_n; i++)
		assert_true(s.p->history[i].end_usec >= s.p->history[i].begin_usec);
}

static void test_stack(void **state)
{
	rule_at(7, "5.2.1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("5.2.1.B", STOP_POINT);
	assert_int_equal(s.p->nact, 1);
	assert_int_equal(s.p->act[0], 7);
	assert_int_equal(s.p->depth, 5);
	assert_int_equal(s.p->frame[0].kind, CONSTRUCT_FUNCTION);
	assert_string_equal(text(place(&s.p->frame[0])->func), "plain");
	assert_int_equal(s.p->frame[1].kind, CONSTRUCT_SL);
	assert_int_equal(s.p->frame[1].nidx, 1);
	assert_int_equal(s.p->frame[1].idx[0], 2);
	assert_int_equal(s.p->range[1].ndim, 1);
	assert_int_equal(s.p->range[1].last[0], 3);
	assert_int_equal(s.p->frame[2].kind, CONSTRUCT_TR);
	assert_int_equal(s.p->frame[2].main, 5);
	assert_int_equal(s.p->frame[3].kind, CONSTRUCT_TASK);
	assert_int_equal(s.p->frame[3].idx[0], 2);
	assert_int_equal(top()->kind, CONSTRUCT_PL);
	assert_non_null(strstr(text(place(top())->file), "marks.c"));
	assert_int_equal(s.p->annotated, 1);
}

static void test_end_frame(void **state)
{
	rule_at(0, "1.E");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.E", STOP_POINT);
	assert_int_equal(top()->kind, CONSTRUCT_PL);
	assert_int_equal(top()->ending, 1);
	assert_int_equal(s.p->history[0].main, 1);
	/* the loop that ends is over: the next end is that of the loop around it */
	tell(PLAN_FINISH, 0, NULL, true);
	expect_stop("9.E", STOP_STEP);
	assert_int_equal(top()->kind, CONSTRUCT_SL);
}

static void test_finish(void **state)
{
	rule_at(0, "2.2.1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("2.2.1.B", STOP_POINT);
	s.n = 0;
	tell(PLAN_FINISH, 0, NULL, true);
	expect_stop("2.2.1.E", STOP_STEP);
	tell(PLAN_FINISH, 0, NULL, true);
	expect_stop("2.2.2.E", STOP_STEP); /* of the task */
	assert_int_equal(top()->kind, CONSTRUCT_TASK);
	assert_int_equal(top()->ending, 1);
	tell(PLAN_FINISH, 0, NULL, true);
	expect_stop("2.E", STOP_STEP);
	tell(PLAN_FINISH, 0, NULL, true);
	expect_stop("9.E", STOP_STEP); /* of the sequential loop */
	assert_int_equal(top()->kind, CONSTRUCT_SL);
	tell(PLAN_FINISH, 0, NULL, true);
	expect_stop("10.E", STOP_STEP); /* of the function */
	tell(PLAN_FINISH, 0, NULL, true);
	expect_exit(0);
}

static void test_iterations(void **state)
{
	rule_at(0, "1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	tell(PLAN_ITER, 1, NULL, true);
	expect_stop("3.E", STOP_STEP);
	assert_int_equal(top()->kind, CONSTRUCT_SL);
	assert_int_equal(top()->idx[0], 2);
	tell(PLAN_ITER, 1, NULL, true);
	expect_stop("6.E", STOP_STEP);
	assert_int_equal(top()->idx[0], 3);
	tell(PLAN_STEP, 3, NULL, true); /* 8.B */
	expect_stop("8.B", STOP_STEP);
	tell(PLAN_ITER, 2, NULL, true);
	expect_stop("8.1.1.E", STOP_STEP);
	assert_int_equal(top()->kind, CONSTRUCT_TASK);
	assert_int_equal(top()->idx[0], 2);
}

static uint32_t line_of_first_loop;

static void test_places(void **state)
{
	struct rule *r;

	rule_at(0, "1.B");
	r = rule_add(9, RULE_NAME);
	strcpy(r->file, "plain");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("start", STOP_POINT);
	assert_int_equal(s.p->act[0], 9);
	assert_int_equal(top()->kind, CONSTRUCT_FUNCTION);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("1.B", STOP_POINT);
	line_of_first_loop = place(top())->line;
	s.n = 0;
	rule_line(1, "prog/marks.c", line_of_first_loop)->count = 2;
	rule_line(0, "other.c", line_of_first_loop);
	rule_line(3, "marks.c", line_of_first_loop);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("4.B", STOP_POINT);
	assert_int_equal(s.p->nact, 1);
	assert_int_equal(s.p->act[0], 3);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("7.B", STOP_POINT);
	assert_int_equal(s.p->nact, 2);
	assert_int_equal(s.p->act[0], 1);
	assert_int_equal(s.p->act[1], 3);
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

static void test_from_and_count(void **state)
{
	struct rule *r;

	rule_at(0, "1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	r = rule_line(4, "marks.c", place(top())->line);
	assert_int_equal(point_parse(&r->from, "5.B", NULL), 0);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("7.B", STOP_POINT);
	assert_int_equal(s.p->act[0], 4);
}

/* Counts go on when the rules change. */
static void test_count_kept(void **state)
{
	rule_at(0, "1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	rule_line(5, "marks.c", place(top())->line)->count = 2;
	rule_at(6, "5.B");
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("5.B", STOP_POINT);
	rule_at(8, "9.B");
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("7.B", STOP_POINT);
	assert_int_equal(s.p->act[0], 5);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("9.B", STOP_POINT);
}

static void test_many_rules(void **state)
{
	for (uint32_t i = 0; i < 10000; i++)
		rule_add(i, RULE_POINT)->point =
			(struct point){ .main = 100000 - i * 10, .side = i % 2 };
	start("many", PLAN_CONT, 0, NULL);
	expect_stop("10.E", STOP_POINT);
	assert_int_equal(s.p->act[0], 9999);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("20.B", STOP_POINT);
	s.n = 0;
	rule_at(0, "100000.E");
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("100000.E", STOP_POINT);
	assert_int_equal(s.p->history_n, 100000);
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

static void test_halt(void **state)
{
	rule_at(1, "1.E");
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	atomic_store(&s.p->freeze, 1);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("1.B", STOP_HALT);
	atomic_store(&s.p->freeze, 0);
	tell(PLAN_TO, 0, "8.2.1.E", true);
	expect_stop("1.E", STOP_POINT);
	tell(PLAN_TO, 0, "8.2.1.E", true);
	expect_stop("8.2.1.E", STOP_HALT);
	/* a target that has been passed keeps it parked, under the new plan */
	tell(PLAN_TO, 0, "3.B", true);
	expect_stop("8.2.1.E", STOP_HALT);
	/* inside another task of the same region there is no before and after */
	tell(PLAN_TO, 0, "8.1.1.B", true);
	expect_stop("8.E", STOP_HALT);
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

/* A plan that arrives while the program runs. */
static void test_plan_while_running(void **state)
{
	rule_at(0, "90000.B");
	start("many", PLAN_CONT, 0, NULL);
	while (!s.p->point_main_side)
		pause_ms(1);
	atomic_store(&s.p->freeze, 1);
	assert_true(stopped());
	atomic_store(&s.p->freeze, 0);
	s.n = 0;
	tell(PLAN_TO, 0, "99999.E", true);
	expect_stop("99999.E", STOP_HALT);
}

static void test_objects(void **state)
{
	const struct page_entity *u, *v, *eps;
	uint64_t at_u, at_v;
	double value[2];

	rule_at(0, "4.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("4.B", STOP_POINT);
	u = object("u");
	v = object("v");
	eps = object("eps");
	assert_non_null(u);
	assert_non_null(v);
	assert_non_null(eps);
	assert_int_equal(u->by_pointer, 1);
	assert_int_equal(u->type, VALUE_DOUBLE);
	assert_int_equal(u->extent[0], 8);
	assert_int_equal(u->own_hi[0], 3);
	assert_int_equal(u->stride[0], 1);
	assert_int_equal(v->own_hi[0], 0); /* one element, not the default */
	assert_int_equal(v->halo_lo[0], 1);
	assert_int_equal(eps->ndim, 0);
	assert_int_equal(eps->kind, ARRAY_REPLICATED);
	peek(eps->addr, value, sizeof(*value));
	assert_true(value[0] == 0.5);
	/* swapped in the program, so v has what the first loop wrote */
	peek(u->addr, &at_u, sizeof(at_u));
	peek(v->addr, &at_v, sizeof(at_v));
	peek(at_v, value, sizeof(value));
	assert_true(value[1] == 1.5);
	assert_int_not_equal(at_u, at_v);
}

static void test_registered_again(void **state)
{
	const struct page_entity *e;
	const struct page_field *f;
	uint64_t at;

	start("again", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	assert_int_equal(object("u")->extent[0], 4);
	tell(PLAN_STEP, 2, NULL, true);
	expect_stop("2.B", STOP_STEP);
	e = object("u");
	assert_int_equal(e->extent[0], 3);
	peek(e->addr, &at, sizeof(at));
	tell(PLAN_STEP, 2, NULL, true);
	expect_stop("3.B", STOP_STEP);
	e = object("pair");
	assert_int_equal(e->type, VALUE_STRUCT);
	assert_int_equal(e->elem_size, 24);
	assert_int_equal(e->nfield, 2);
	f = (const struct page_field *)(s.p->arena + e->field);
	assert_string_equal(text(f[1].name), "y");
	assert_int_equal(f[1].type, VALUE_DOUBLE);
	assert_int_equal(f[1].offset, 8);
	assert_int_equal(f[1].count, 2);
	e = object("grid");
	assert_int_equal(e->stride[0], 5);
	assert_int_equal(e->by_pointer, 0);
	e = object("u");
	assert_int_equal(e->list_n[0], 3);
	assert_int_equal(((const int64_t *)(s.p->arena + e->list[0]))[2], 4);
	assert_int_equal(s.p->finding_n, 0);
	tell(PLAN_STEP, 2, NULL, true);
	expect_stop("4.B", STOP_STEP);
	assert_null(object("u")); /* forgotten, and the one of the function that has returned */
}

static void test_wrong_objects(void **state)
{
	start("wrong", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	assert_int_equal(findings(FINDING_REGISTER, "u: own 0:4 in dimension 1 is outside 0:3"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "u: the number of dimensions"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "u: the halo in dimension 1 is negative"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "u: index 9 in dimension 1 is outside 0:7"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pairs: the type of the elements"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "grid: own and halo need more"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pair: the type of the elements"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pair: outside the structure is field z"), 1);
	assert_int_equal(s.p->first_entity, 0);
}

static void test_nesting(void **state)
{
	start("nesting", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_NESTING, "a parallel loop inside a parallel loop"), 1);
	assert_int_equal(findings(FINDING_NESTING, "a task outside a task region"), 1);
	assert_int_equal(findings(FINDING_NESTING, "in none of its tasks"), 1);
	assert_int_equal(findings(FINDING_NESTING, "the number of a task is negative"), 1);
	assert_int_equal(findings(FINDING_NESTING, "an iteration mark outside any loop"), 1);
	assert_int_equal(s.p->finding_n, 5);
	assert_string_equal(where(), "3.E");
	assert_int_equal(s.p->depth, 0);
}

static void test_left(void **state)
{
	start("left", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_LEFT, "parallel loop"), 1); /* once per place */
	assert_int_equal(findings(FINDING_LEFT, "task region"), 1);
	assert_int_equal(findings(FINDING_UNBALANCED, "parallel loop"), 1);
	assert_int_equal(s.p->finding_n, 3);
	assert_int_equal(s.p->depth, 0);
	/* how 1: loop and region; 2, 3: the loop; 4: both; then one more */
	assert_string_equal(where(), "7.E");
}

static void test_thread(void **state)
{
	start("thread", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_THREAD, "parallel loop at marks.c:"), 1);
	assert_int_equal(s.p->finding_n, 1);
	assert_string_equal(where(), "1.E");
	assert_int_equal(s.p->first_entity, 0);
}

static void test_crash(void **state)
{
	static const struct {
		const char *situation;
		int sig;
		bool fault;
	} cases[] = {
		{ "segv", SIGSEGV, true },	 { "overflow", SIGSEGV, true },
		{ "other_segv", SIGSEGV, true }, { "aborts", SIGABRT, false },
		{ "killed", SIGFPE, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setup(NULL);
		start(cases[i].situation, PLAN_CONT, 0, NULL);
		assert_true(stopped());
		assert_int_equal(s.p->reason, STOP_SIGNAL);
		assert_int_equal(s.p->code, cases[i].sig);
		assert_int_equal(s.p->fault != 0, cases[i].fault);
		if (strcmp(cases[i].situation, "other_segv")) {
			assert_string_equal(where(), "1.B");
			assert_int_equal(top()->kind, CONSTRUCT_PL);
		}
		tell(PLAN_CONT, 0, NULL, true);
		expect_death(cases[i].sig);
		if (i + 1 < sizeof(cases) / sizeof(*cases))
			teardown(NULL);
	}
}

static void test_own_handler(void **state)
{
	start("handler", PLAN_CONT, 0, NULL);
	expect_exit(40 + SIGSEGV);
}

static void test_fork(void **state)
{
	start("forks", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_string_equal(where(), "2.E");
	assert_int_equal(s.p->hash_n, 2);
	assert_int_equal(s.p->first_entity, 0);
}

static void test_closed_descriptors(void **state)
{
	start("closes", PLAN_STEP, 4, NULL);
	expect_stop("2.1.1.B", STOP_STEP);
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_string_equal(where(), "10.E");
}

static void test_exec(void **state)
{
	rule_at(0, "1.B");
	start("execs", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("1.B", STOP_POINT); /* of the next image */
	assert_non_null(object("eps"));
	assert_int_equal(s.p->history_n, 1);
	s.n = 0;
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_string_equal(where(), "10.E");
}

/* Rank of a stack that is deeper than is kept, or followed. */
static void test_deep(void **state)
{
	start("deep", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	assert_int_equal(s.p->depth, 72);
	s.n = 0;
	tell(PLAN_STEP, 2, NULL, true);
	expect_stop("2.B", STOP_STEP); /* that in the deeper one is not seen */
	assert_int_equal(s.p->depth, 1);
	assert_int_equal(findings(FINDING_PARTIAL, "deeper than 1024"), 1);
}

static int bounce(bool write_it, uint64_t addr, void *data, uint32_t len)
{
	struct page_bounce *b = &s.p->bounce;

	b->addr = addr;
	b->len = len;
	b->write = write_it;
	if (write_it && len <= PAGE_BOUNCE)
		memcpy(b->data, data, len);
	atomic_fetch_add(&b->request, 1);
	atomic_fetch_add(&s.p->wake, 1);
	syscall(SYS_futex, &s.p->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	for (int ms = 0; atomic_load(&b->answer) != b->request; ms++) {
		assert_true(ms < PATIENCE);
		pause_ms(1);
	}
	if (!write_it && !b->error)
		memcpy(data, b->data, len);
	return b->error;
}

static void test_bounce(void **state)
{
	double value = 0;
	uint64_t addr;

	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	addr = object("eps")->addr;
	assert_int_equal(bounce(false, addr, &value, sizeof(value)), 0);
	assert_true(value == 0.5);
	value = 0.75;
	assert_int_equal(bounce(true, addr, &value, sizeof(value)), 0);
	value = 0;
	assert_int_equal(bounce(false, addr, &value, sizeof(value)), 0);
	assert_true(value == 0.75);
	assert_int_equal(bounce(false, 16, &value, sizeof(value)), EFAULT);
	assert_int_equal(bounce(false, addr, &value, PAGE_BOUNCE + 1), EINVAL);
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

static void test_fatal(void **state)
{
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	atomic_store(&s.p->fatal, 1);
	atomic_fetch_add(&s.p->wake, 1);
	syscall(SYS_futex, &s.p->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	expect_death(SIGKILL);
}

/* The supervisor is gone (another process than the parent): dies, or runs on, as was asked. */
static void test_orphan(void **state)
{
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	atomic_store(&s.p->on_exit_run, 1);
	s.p->exec_pid = 1;
	expect_exit(0);
	assert_int_equal(s.p->state, PAGE_OFF);
	teardown(NULL);
	setup(NULL);
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	s.p->exec_pid = 1;
	expect_death(SIGKILL);
}

/* Without a page, or with one for another process, the marks do nothing. */
static void test_off(void **state)
{
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	teardown(NULL);
	setup(NULL);
	s.fd = memfd_create("page", MFD_CLOEXEC);
	assert_int_equal(ftruncate(s.fd, sizeof(*s.p)), 0);
	s.p = mmap(NULL, sizeof(*s.p), PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
	s.p->magic = PAGE_MAGIC;
	s.p->version = PAGE_VERSION;
	s.p->program_pid = 1;
	s.pid = fork();
	if (!s.pid)
		child_run("plain");
	expect_exit(0);
	assert_int_equal(s.p->state, PAGE_FRESH);
	assert_int_equal(s.p->event_seq, 0);
}

/* Skips the test when the program has not been built. */
static void use(const char *prog)
{
	s.prog = prog;
	if (access(program(), X_OK) < 0)
		skip();
}

static void expect_dim(const char *name, unsigned d, int64_t lower, int64_t extent, int64_t own_hi,
		       int64_t halo, int64_t stride)
{
	const struct page_entity *e = object(name);

	assert_non_null(e);
	assert_in_range(d, 0, e->ndim - 1);
	assert_int_equal(e->order, 'F');
	assert_int_equal(e->lower[d], lower);
	assert_int_equal(e->extent[d], extent);
	assert_int_equal(e->own_lo[d], lower);
	assert_int_equal(e->own_hi[d], own_hi);
	assert_int_equal(e->halo_lo[d], halo);
	assert_int_equal(e->halo_hi[d], halo);
	assert_int_equal(e->stride[d], stride);
}

static void test_fortran(void **state)
{
	double value[2];

	use("fmarks");
	start("", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	expect_dim("u", 0, 1, 12, 6, 1, 1);
	expect_dim("u", 1, 1, 6, 6, 0, 8);
	expect_dim("odd", 1, 1, 3, 3, 0, 12);
	expect_dim("v", 0, 0, 6, 5, 0, 1);
	expect_dim("none", 0, 1, 9, 0, 0, 1);
	expect_dim("w", 0, 1, 3, 3, 0, 1);
	expect_dim("tag", 0, 1, 8, 8, 0, 1);
	assert_int_equal(object("tag")->type, VALUE_CHAR);
	assert_int_equal(object("ok")->type, VALUE_LOGICAL);
	assert_int_equal(object("w")->type, VALUE_INT);
	assert_int_equal(object("z")->type, VALUE_DCOMPLEX);
	peek(object("z")->addr, value, sizeof(value));
	assert_true(value[0] == 1 && value[1] == 2);
	assert_int_equal(findings(FINDING_REGISTER, "wide: own and halo need more"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "long: shape is not one integer"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "real: shape is not one integer"), 1);
	assert_int_equal(s.p->finding_n, 3);
	assert_int_equal(s.p->depth, 3);
	assert_string_equal(text(place(&s.p->frame[0])->func), "solve");
	assert_int_equal(s.p->range[2].ndim, 2);
	assert_int_equal(s.p->range[2].last[1], 6);
	assert_non_null(strstr(text(place(top())->module), "fmarks"));
	tell(PLAN_TO, 0, "2.2.1.B", true);
	expect_stop("2.2.1.B", STOP_HALT);
	/* the call's address is what a rule can name */
	rule_add(3, RULE_ADDR)->vaddr = place(&s.p->frame[2])->vaddr;
	tell(PLAN_CONT, 0, NULL, true);
	expect_stop("4.B", STOP_POINT);
	s.n = 0;
	tell(PLAN_TO, 0, "5.B", true);
	expect_stop("5.B", STOP_HALT);
	expect_dim("v", 1, 1, 12, 12, 0, 6);
	peek(object("v")->addr, value, sizeof(value));
	assert_true(value[0] == 3);
	assert_null(object("u"));
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_int_equal(findings(FINDING_LEFT, "parallel loop"), 1);
	assert_int_equal(findings(FINDING_UNBALANCED, "parallel loop"), 1);
}

static void test_openmp(void **state)
{
	use("omp");
	start("", PLAN_STEP, 4, NULL);
	expect_stop("2.E", STOP_STEP);
	assert_int_equal(s.p->frame[0].idx[0], 2);
	tell(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_int_equal(s.p->finding_n, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbering),
		TEST(test_stack),
		TEST(test_end_frame),
		TEST(test_finish),
		TEST(test_iterations),
		TEST(test_places),
		TEST(test_from_and_count),
		TEST(test_count_kept),
		TEST(test_many_rules),
		TEST(test_halt),
		TEST(test_plan_while_running),
		TEST(test_objects),
		TEST(test_registered_again),
		TEST(test_wrong_objects),
		TEST(test_nesting),
		TEST(test_left),
		TEST(test_thread),
		TEST(test_crash),
		TEST(test_own_handler),
		TEST(test_fork),
		TEST(test_closed_descriptors),
		TEST(test_exec),
		TEST(test_deep),
		TEST(test_bounce),
		TEST(test_fatal),
		TEST(test_orphan),
		TEST(test_off),
		TEST(test_fortran),
		TEST(test_openmp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
