/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the program that a parked thread calls for the debugger: in a copy of the process,
 * which is thrown away, or in the process itself. They run on a stack of their own; a signal that
 * would end the process, a call of MPI and the supervisor's word end the call instead.
 */
#include "runtime/base/mpi_table.h"
#include "runtime/stop/internal.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK (8u << 20)  /* of the function */
#define GUARD (64u << 10) /* below it: whoever comes here has no stack left */
#define HANDLER_STACK (64u << 10)
#define LOOK 1000000L	    /* ns between two looks at the copy */
#define LOOK_KEEP 20000000L /* ns between two looks whether to give up */

/* Of crashes, then what the function may send to itself: guarded where the program has no handler.
 */
static const int signals[] = { SIGSEGV, SIGBUS,	 SIGFPE,  SIGILL,    SIGABRT, SIGSYS,  SIGPIPE,
			       SIGTERM, SIGALRM, SIGQUIT, SIGVTALRM, SIGHUP,  SIGUSR1, SIGUSR2 };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))
#define CRASHES 5

/* What a process and its copy share. */
struct area {
	_Atomic uint32_t done, release;
	pid_t parent;
	struct page_call_order order;
	struct page_call_result result;
	unsigned char handler_stack[HANDLER_STACK];
};

static struct area *area; /* of the call that is under way */
static unsigned char *stack;
static ucontext_t caller, callee;
static volatile bool calling;
static struct sigaction former[SIGNALS];
int call_signal;

static struct area *area_new(void)
{
	void *p = mmap(NULL, sizeof(struct area), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool stack_new(void)
{
	stack = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED) {
		stack = NULL;
		return false;
	}
	return !mprotect(stack, GUARD, PROT_NONE);
}

/* ---- the call itself ---- */

struct two_words {
	uint64_t a, b;
};
struct two_vectors {
	double a, b;
};
struct word_vector {
	uint64_t a;
	double b;
};
struct vector_word {
	double a;
	uint64_t b;
};

/*
 * All registers for arguments and as many slots of the stack, whatever the function takes of them;
 * what is variable in number says on x86-64 how many vector registers there are.
 */
#if defined(__aarch64__)
#define WORD_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define WORDS(w) w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
#else
#define WORD_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define WORDS(w) w[0], w[1], w[2], w[3], w[4], w[5]
#endif
#define VECTOR_TYPES double, double, double, double, double, double, double, double
#define VECTORS(v) v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
#define SLOT_TYPES                                                                                \
	uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, \
		uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define SLOTS(s)                                                                                \
	s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], \
		s[14], s[15]
#define CALL_AS(type) \
	((type(*)(WORD_TYPES, VECTOR_TYPES, SLOT_TYPES, ...))at)(WORDS(w), VECTORS(v), SLOTS(s))

static void call_at(void *at, const uint64_t *w, const double *v, const uint64_t *s,
		    struct page_call_result *r)
{
	struct two_words words;
	struct two_vectors vectors;
	struct word_vector first;
	struct vector_word second;
	long double wide;

	switch (area->order.form) {
	case PAGE_CALL_TWO_VECTORS:
		vectors = CALL_AS(struct two_vectors);
		memcpy(r->vector, &vectors, sizeof(vectors));
		break;
	case PAGE_CALL_WORD_VECTOR:
		first = CALL_AS(struct word_vector);
		r->word[0] = first.a;
		memcpy(r->vector, &first.b, sizeof(first.b));
		break;
	case PAGE_CALL_VECTOR_WORD:
		second = CALL_AS(struct vector_word);
		memcpy(r->vector, &second.a, sizeof(second.a));
		r->word[0] = second.b;
		break;
	case PAGE_CALL_LONG_DOUBLE:
		wide = CALL_AS(long double);
		memcpy(r->wide, &wide,
		       sizeof(wide) < sizeof(r->wide) ? sizeof(wide) : sizeof(r->wide));
		break;
	default:
		words = CALL_AS(struct two_words);
		r->word[0] = words.a;
		r->word[1] = words.b;
	}
}

static void *function_of(const struct page_call_order *o)
{
	char name[PAGE_CALL_NAME];

	if (o->function)
		return (void *)(uintptr_t)o->function;
	memcpy(name, o->name, sizeof(name));
	name[sizeof(name) - 1] = 0;
	return dlsym(RTLD_DEFAULT, name);
}

/* On the function's stack; what is after it is behind swapcontext in call_guarded. */
static void body(void)
{
	struct page_call_order *o = &area->order;
	struct page_call_result *r = &area->result;
	void *at = function_of(o);
	double v[PAGE_CALL_VECTORS];

	if (!at) {
		r->end = PAGE_CALL_NO_NAME;
		return;
	}
	for (unsigned i = 0; i < PAGE_CALL_WORDS; i++)
		if (o->word_in_data >> i & 1)
			o->word[i] += (uintptr_t)o->data;
	for (unsigned i = 0; i < PAGE_CALL_STACK; i++)
		if (o->stack_in_data >> i & 1)
			o->stack[i] += (uintptr_t)o->data;
	memcpy(v, o->vector, sizeof(v));
	errno = 0;
	call_at(at, o->word, v, o->stack, r);
	r->end = PAGE_CALL_RETURNED;
}

/* From inside of the call, also in handlers of signals: it ends here. */
static _Noreturn void leave(enum page_call_end end, int code)
{
	area->result.end = end;
	area->result.code = code;
	setcontext(&caller);
	abort();
}

/* Of MPI what neither sends nor waits nor changes anything: it asks what this rank knows. */
static bool is_local(const char *name)
{
	static const char *const local[] = {
		"Cart_coords",
		"Cart_get",
		"Cart_rank",
		"Cart_shift",
		"Cartdim_get",
		"Comm_compare",
		"Comm_get_name",
		"Comm_get_parent",
		"Comm_rank",
		"Comm_remote_size",
		"Comm_size",
		"Comm_test_inter",
		"Dims_create",
		"Error_class",
		"Error_string",
		"Finalized",
		"Get_address",
		"Get_count",
		"Get_elements",
		"Get_library_version",
		"Get_processor_name",
		"Get_version",
		"Graph_get",
		"Graph_neighbors",
		"Graph_neighbors_count",
		"Graphdims_get",
		"Group_compare",
		"Group_rank",
		"Group_size",
		"Group_translate_ranks",
		"Initialized",
		"Is_thread_main",
		"Op_commutative",
		"Pack_size",
		"Query_thread",
		"Topo_test",
		"Type_extent",
		"Type_get_envelope",
		"Type_get_extent",
		"Type_get_extent_x",
		"Type_get_name",
		"Type_get_true_extent",
		"Type_lb",
		"Type_match_size",
		"Type_size",
		"Type_size_x",
		"Type_ub",
	};
	const char *call = strncasecmp(name, "MPI_", 4) ? "" : name + 4;

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
		size_t n = strlen(local[i]);
		const char *end = call + n;

		/* as Fortran has it, too */
		if (!strncasecmp(call, local[i], n) &&
		    (!*end || !strcmp(end, "_") || !strcmp(end, "__") || !strcmp(end, "_f08_")))
			return true;
	}
	return false;
}

void dvmdbg_mpi_refuse(const char *name)
{
	char *to;
	size_t n;

	if (!calling || !rt_owner || is_local(name))
		return;
	to = area->result.name;
	n = strlen(name);
	n = n < PAGE_CALL_NAME ? n : PAGE_CALL_NAME - 1;
	memcpy(to, name, n);
	to[n] = 0;
	area->result.pc = (uintptr_t)__builtin_return_address(0);
	leave(PAGE_CALL_MPI, 0);
}

static uint64_t pc_of(const ucontext_t *c)
{
#if defined(__x86_64__)
	return (uint64_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return c->uc_mcontext.pc;
#else
	return 0;
#endif
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct page_call_result *r = &area->result;
	uint64_t low = (uintptr_t)stack;

	bool foreign = info->si_code == SI_USER && info->si_pid != getpid();

	/* another thread's, or sent from outside: it happens again, and is taken as any other time
	 */
	if (!calling || !rt_owner || foreign) {
		for (unsigned i = 0; i < SIGNALS; i++)
			if (signals[i] == sig)
				sigaction(sig, &former[i], NULL);
		if (info->si_code <= 0)
			raise(sig);
		return;
	}
	r->placed = info->si_code > 0;
	r->fault = r->placed ? (uintptr_t)info->si_addr : 0;
	r->pc = pc_of(context);
	r->overflow = r->placed && r->fault >= low && r->fault - low < GUARD;
	leave(PAGE_CALL_SIGNAL, sig);
}

static void guard(void)
{
	struct sigaction a = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigemptyset(&a.sa_mask);
	for (unsigned i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &former[i]);
		if (i < CRASHES || former[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &a, NULL);
	}
}

/* A handler that parks has signals blocked, and its stack is in use: that is left as soon as body
 * begins. */
static void body_of_copy(void)
{
	stack_t own = { .ss_sp = area->handler_stack, .ss_size = HANDLER_STACK };
	sigset_t set;

	sigaltstack(&own, NULL);
	sigemptyset(&set);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	body();
}

static void call_guarded(void (*fn)(void))
{
	if (!stack_new()) {
		area->result.end = PAGE_CALL_NO_COPY;
		area->result.code = ENOMEM;
		return;
	}
	getcontext(&callee);
	callee.uc_stack.ss_sp = stack + GUARD;
	callee.uc_stack.ss_size = STACK;
	callee.uc_link = &caller;
	makecontext(&callee, fn, 0);
	area->result.data = (uintptr_t)area->order.data;
	area->result.pid = getpid();
	calling = true;
	swapcontext(&caller, &callee);
	calling = false;
}

/* ---- in a copy of the process ---- */

static void futex(_Atomic uint32_t *at, int op, uint32_t value, long ns)
{
	struct timespec t = { 0, ns };

	syscall(SYS_futex, at, op, value, op == FUTEX_WAIT ? &t : NULL, NULL, 0);
}

/* A function that a signal has ended may have been inside of its streams. */
static _Noreturn void copy_end(void)
{
	if (area->result.end != PAGE_CALL_SIGNAL)
		printed_flush();
	atomic_store(&area->done, 1);
	futex(&area->done, FUTEX_WAKE, 1, 0);
	while (!atomic_load(&area->release) && getppid() == area->parent)
		futex(&area->release, FUTEX_WAIT, 0, 100000000L);
	_exit(0);
}

/* The function calls exit: nothing that belongs to the program's end is done here. */
static void on_exit_called(int status, void *arg)
{
	area->result.end = PAGE_CALL_EXIT;
	area->result.code = status;
	calling = false;
	copy_end();
}

static _Noreturn void in_copy(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != area->parent)
		_exit(0);
	/* the page is not here, and all of the runtime is off; calls of MPI still come to us */
	atomic_store(rt.on, 0);
	atomic_store(&rt.on[1], 1);
	printed_drop();
	on_exit(on_exit_called, NULL);
	guard();
	call_guarded(body_of_copy);
	copy_end();
}

/*
 * As fork, but the program gets no SIGCHLD for it, cannot wait for it, and no handler of
 * pthread_atfork runs: it does not notice. The C library keeps the thread's number where the kernel
 * clears it at the end.
 */
static pid_t copy_process(void)
{
	void *tid = NULL;

#ifdef PR_GET_TID_ADDRESS
	if (prctl(PR_GET_TID_ADDRESS, &tid, 0, 0, 0))
		tid = NULL;
#endif
#if defined(__aarch64__)
	return (pid_t)syscall(SYS_clone, tid ? 0x01000000 : 0, NULL, NULL, NULL, tid);
#else
	return (pid_t)syscall(SYS_clone, tid ? 0x01000000 : 0, NULL, NULL, tid, NULL);
#endif
}

static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	while (syscall(SYS_wait4, pid, NULL, __WALL, NULL) < 0 && errno == EINTR)
		;
}

static void answer(struct page_call *c, uint32_t request)
{
	c->result = area->result;
	atomic_store(&c->answer, request);
	wait_notify();
}

/* It has ended without a word. */
static bool has_ended(pid_t pid, struct page_call_result *r)
{
	int status = 0;

	if (syscall(SYS_wait4, pid, &status, WNOHANG | __WALL, NULL) != pid)
		return false;
	r->end = WIFSIGNALED(status) ? PAGE_CALL_SIGNAL : PAGE_CALL_EXIT;
	r->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

struct waiting {
	struct page_call *call;
	uint32_t request;
	bool poll;
	bool (*go)(uint64_t arg);
	uint64_t arg;
};

static bool is_over(const struct waiting *w)
{
	return !wait_turn(LOOK, w->poll) || w->go(w->arg);
}

static void call_in_copy(const struct waiting *w)
{
	struct page_call_result *r = &area->result;
	struct page_call *c = w->call;
	pid_t pid;

	area->parent = getpid();
	printed_find();
	pid = copy_process();
	if (pid == 0)
		in_copy();
	if (pid < 0) {
		r->end = PAGE_CALL_NO_COPY;
		r->code = errno;
		answer(c, w->request);
		return;
	}
	while (!atomic_load(&area->done)) {
		if (has_ended(pid, r)) {
			answer(c, w->request);
			return;
		}
		if (atomic_load(&c->stop) == w->request) {
			r->end = PAGE_CALL_STOPPED;
			break;
		}
		if (is_over(w))
			break;
	}
	if (rt_is_on()) {
		answer(c, w->request);
		while (atomic_load(&c->release) != w->request && !is_over(w))
			;
	}
	reap(pid);
}

/* ---- in the process itself ---- */

static void on_look(int sig, siginfo_t *info, void *context)
{
	struct page_call *c = &rt.page->call;

	if (calling && rt_owner && atomic_load(&c->stop) == atomic_load(&c->request))
		leave(PAGE_CALL_STOPPED, 0);
}

/* The function calls exit: the handler that was added last comes first. */
static void on_exit_kept(int status, void *arg)
{
	if (calling && rt_owner)
		leave(PAGE_CALL_EXIT, status);
}

/* A signal that the program does not use; 0: it uses all. */
static int free_signal(void)
{
	struct sigaction a;

	for (int sig = SIGRTMAX; sig >= SIGRTMIN; sig--)
		if (!sigaction(sig, NULL, &a) && a.sa_handler == SIG_DFL)
			return sig;
	return 0;
}

static bool look_start(int sig, timer_t *timer)
{
	struct sigaction a = { .sa_sigaction = on_look, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig };
	struct itimerspec every = { { 0, LOOK_KEEP }, { 0, LOOK_KEEP } };
	sigset_t set;

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
	event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
	sigemptyset(&a.sa_mask);
	if (!sig || sigaction(sig, &a, NULL))
		return false;
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return !timer_create(CLOCK_MONOTONIC, &event, timer) &&
	       !timer_settime(*timer, 0, &every, NULL);
}

static void call_kept(const struct waiting *w)
{
	int sig = free_signal(), kept = errno;
	sigset_t mask;
	timer_t timer;
	bool looks;
	uint32_t mpi;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	guard();
	looks = look_start(sig, &timer);
	call_signal = looks ? sig : 0;
	on_exit(on_exit_kept, NULL);
	mpi = atomic_exchange(&rt.on[1], 1);
	call_guarded(body);
	atomic_store(&rt.on[1], mpi);
	call_signal = 0;
	if (looks)
		timer_delete(timer);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &former[i], NULL);
	if (sig)
		signal(sig, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (stack)
		munmap(stack, GUARD + STACK);
	stack = NULL;
	errno = kept;
	answer(w->call, w->request);
}

void call_serve(bool crashed, bool poll, bool (*go)(uint64_t arg), uint64_t arg)
{
	struct page_call *c = &rt.page->call;
	struct waiting w = { c, atomic_load(&c->request), poll, go, arg };
	bool keep;

	if (w.request == atomic_load_explicit(&c->answer, memory_order_relaxed))
		return;
	area = area_new();
	if (!area) {
		c->result = (struct page_call_result){ .end = PAGE_CALL_NO_COPY, .code = ENOMEM };
		atomic_store(&c->answer, w.request);
		wait_notify();
		return;
	}
	area->order = c->order;
	keep = area->order.keep;
	if (keep && (crashed || !rt_owner)) {
		area->result.end = PAGE_CALL_NOT_HERE;
		answer(c, w.request);
		keep = false;
	} else if (keep) {
		call_kept(&w);
	} else {
		call_in_copy(&w);
	}
	/* what was kept may point to a text of the order */
	if (!keep)
		munmap(area, sizeof(*area));
	area = NULL;
}
