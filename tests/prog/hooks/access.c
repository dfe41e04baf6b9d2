/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays the access hooks by hand, in every situation the runtime must take, one a name: access
 * SITUATION. For test_access. READ and WRITE stand before the access, as a compiler would put them.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/dvmdbg.h"
#include "runtime/hooks/hooks.h"

#define N 16

static struct dvmdbg_hooks h = { .abi = HOOKS_ABI, .size = sizeof(h) };

__attribute__((noinline)) static void tell(const volatile void *at, unsigned flags)
{
	if (h.gate)
		h.access((const void *)at, flags, __builtin_return_address(0));
}

/* Each is a place of its own in the code: a return address. */
#define READ(x) (tell(&(x), sizeof(x)), (void)(x))
#define WRITE(x, v) (tell(&(x), sizeof(x) | HOOK_WRITE), (x) = (v))
#define FLUSH() (h.gate ? h.flush() : (void)0)

static double a[N], b[N], eps = 0.5, nobody;
static int small;
static double *u = a, *v = b;

static void fail(int line)
{
	fprintf(stderr, "access.c:%d\n", line);
	_exit(9);
}
#define CHECK(x) ((x) ? (void)0 : fail(__LINE__))

static void arrays(void)
{
	DVMDBG_ARRAY(u, .shape = { N });
	DVMDBG_ARRAY(v, .shape = { N });
}

/* A write's value is that of the next event, whatever that is. */
static void deferred(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double *gone = page;

	arrays();
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } })
	{
		WRITE(u[0], 1.5);
		READ(v[0]); /* an access */
		WRITE(u[1], 2.5);
		WRITE(u[1], 3.5); /* another write */
		u[1] = 4.5;	  /* that nobody has told of */
		FLUSH();
		u[1] = 5.5;
		WRITE(u[2], 6.5);
	} /* a mark */
	u[2] = 7.5;
	DVMDBG_PL()
	{
		WRITE(*gone, 8.5);
		munmap(page, 4096);
		READ(v[1]); /* what was written cannot be read any more */
		errno = 77;
		WRITE(u[3], 9.5);
		READ(u[3]);
		CHECK(errno == 77);
	}
	WRITE(u[4], 10.5);
	u[4] = 11.5; /* the process ends */
}

static void sizes(void)
{
	static struct {
		char pad, c;
		short s;
		int i;
		float f;
		__int128 w;
	} x = { 0, 1, 2, 3, 4, 5 };

	DVMDBG_REPLICATED(small);
	DVMDBG_PL()
	{
		READ(x.c);
		READ(x.s);
		READ(x.i);
		READ(x.w);
		small = 7;
		/* reads, and then writes */
		tell(&small, sizeof(small) | HOOK_RMW | HOOK_ATOMIC);
		small = 8;
		FLUSH();
		tell((char *)&x.i + 1, 4); /* not aligned */
	}
}

static void ranges(void)
{
	arrays();
	for (int i = 0; i < N; i++)
		u[i] = i;
	DVMDBG_PL()
	{
		h.copy(v, u + 2, 4 * sizeof(double), __builtin_return_address(0));
		memcpy(v, u + 2, 4 * sizeof(double));
		FLUSH();
		h.copy(v + 8, NULL, 2 * sizeof(double), __builtin_return_address(0));
		memset(v + 8, 0, 2 * sizeof(double));
		FLUSH();
		h.range((char *)u + 4, 20, 0, __builtin_return_address(0));
	}
}

static void swap(void)
{
	double *t;

	arrays();
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int it = 1; it <= 3; it++) {
		DVMDBG_ITERATION(it);
		DVMDBG_PL()
		{
			WRITE(v[3], it);
			READ(u[3]);
		}
		t = u;
		u = v;
		v = t;
	}
	DVMDBG_FORGET(u);
	DVMDBG_PL()
	{
		READ(u[0]);
		READ(v[0]);
	}
}

/* Loops 1 and 2, region 3 with two tasks of two loops, loop 4; each reads and writes once. */
static void step(int k)
{
	DVMDBG_PL(.range = { { 0, 3 } })
	for (int i = 0; i < 4; i++) {
		dvmdbg_pl_iteration_at(1, i, 0, 0, 0, 0, 0, 0, 0);
		WRITE(u[i], 10 * k + i);
		READ(eps);
	}
}

static void levels(void)
{
	arrays();
	DVMDBG_REPLICATED(eps);
	step(1);
	step(2);
	DVMDBG_TR()
	{
		for (int k = 1; k <= 2; k++)
			DVMDBG_TASK(k)
		{
			step(30 + k);
			step(40 + k);
		}
	}
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int it = 1; it <= 3; it++) {
		DVMDBG_ITERATION(it);
		WRITE(v[it], it);
		DVMDBG_PL()
		{
			READ(v[0]);
		}
	}
}

/* Where nothing is asked for, nobody is told. */
static void shut(void)
{
	CHECK(!h.gate);
	arrays();
	CHECK(!h.gate);
	DVMDBG_PL()
	{
		CHECK(!h.gate);
	}
	CHECK(!h.gate);
}

static void *other(void *arg)
{
	long me = (long)arg;

	for (int i = 0; i < 3; i++) {
		dvmdbg_pl_iteration_at(1, 10 * me + i, 0, 0, 0, 0, 0, 0, 0);
		WRITE(u[me], me + i);
		READ(eps);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[3];

	arrays();
	DVMDBG_REPLICATED(eps);
	for (int it = 0; it < 2; it++) {
		DVMDBG_PL(.on = u, .range = { { 0, 39 } })
		{
			for (long k = 1; k <= 3; k++)
				CHECK(!pthread_create(&t[k - 1], NULL, other, (void *)k));
			other(NULL);
			for (int k = 0; k < 3; k++)
				pthread_join(t[k], NULL);
		}
	}
}

static _Atomic int ready, go;

static void *lasting(void *arg)
{
	ready = 1;
	for (int i = 0; i < 2; i++) {
		WRITE(u[5], 5.5 + i);
		ready = 2 + 2 * i;
		while (go < i + 1)
			;
	}
	return arg;
}

/* A thread that goes on while constructs begin and end: its last write belongs to the one it was
 * in. */
static void overlap(void)
{
	pthread_t t;

	arrays();
	DVMDBG_PL()
	{
		CHECK(!pthread_create(&t, NULL, lasting, NULL));
		while (ready < 2)
			;
	}
	DVMDBG_PL()
	{
		go = 1;
		while (ready < 4)
			;
	}
	go = 2;
	pthread_join(t, NULL);
}

static void *spin(void *arg)
{
	while (!go)
		for (int i = 0; i < N; i++)
			WRITE(nobody, i);
	return arg;
}

/* More threads than blocks: they take them from each other. */
static void crowd(void)
{
	pthread_t t[80];

	DVMDBG_PL()
	{
		for (int i = 0; i < 80; i++)
			CHECK(!pthread_create(&t[i], NULL, spin, NULL));
		for (int i = 0; i < 200000; i++)
			WRITE(nobody, i);
		go = 1;
		for (int i = 0; i < 80; i++)
			pthread_join(t[i], NULL);
	}
}

static void on_signal(int sig)
{
	WRITE(small, sig);
	small++;
}

static void signals(void)
{
	signal(SIGUSR1, on_signal);
	arrays();
	DVMDBG_PL()
	{
		WRITE(u[0], 1.5);
		raise(SIGUSR1);
		READ(u[0]);
	}
}

static void much(void)
{
	arrays();
	DVMDBG_PL()
	{
		for (long i = 0; i < 3000000; i++)
			WRITE(u[i % N], (double)rand());
	}
}

static void forks(void)
{
	int status;

	arrays();
	DVMDBG_PL()
	{
		pid_t pid;

		WRITE(u[0], 1.5);
		pid = fork();
		if (!pid) {
			for (long i = 0; i < 100000; i++)
				WRITE(u[i % N], 2.5);
			FLUSH();
			_exit(h.gate ? 4 : 3);
		}
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
		READ(u[1]);
	}
}

static void values(void)
{
	static double big[100];
	struct pair {
		char c;
		double d;
	} pair = { 1, 2.5 };
	double total = 6;

	DVMDBG_REPLICATED(eps);
	DVMDBG_REPLICATED(big);
	DVMDBG_STRUCT(pair, DVMDBG_FIELD(pair, c), DVMDBG_FIELD(pair, d));
	DVMDBG_PL()
	{
		eps = 0.75;
		big[3] = 1;
	}
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
	DVMDBG_REDUCTION(eps, DVMDBG_MAX);
}

__attribute__((noinline)) static void look(const double *p)
{
	READ(*p);
	__asm__ volatile(""); /* no tail call: it would be of another place each time */
}

static void heap(void)
{
	double *p = malloc(10 * sizeof(*p)), *w = p;

	CHECK(h.heap);
	h.allocated(p, 10 * sizeof(*p), __builtin_return_address(0));
	memset(p, 0, 10 * sizeof(*p));
	DVMDBG_PL()
	{
		WRITE(p[2], 1.5);
		READ(p[2]);
		READ(nobody);
		look(p + 3);
	}
	DVMDBG_ARRAY(w, .shape = { 10 });
	DVMDBG_PL()
	{
		READ(p[2]);
		look(p + 3);
	}
	DVMDBG_FORGET(w);
	h.freed(p);
	DVMDBG_PL()
	{
		READ(p[2]);
		look(p + 3);
	}
	free(p);
}

static void crash(void)
{
	arrays();
	DVMDBG_PL()
	{
		WRITE(u[0], 1.5);
		WRITE(*(volatile double *)(size_t)(small + 16), 2.5);
	}
}

static void killed(void)
{
	arrays();
	DVMDBG_PL()
	{
		WRITE(u[0], 1.5);
		READ(u[0]);
		raise(SIGKILL);
	}
}

static void leaves(void)
{
	arrays();
	DVMDBG_SL()
	for (int i = 0; i < 3; i++) {
		DVMDBG_ITERATION(i);
		DVMDBG_PL()
		{
			WRITE(u[0], 1.5);
			exit(0);
		}
	}
}

static void execs(void)
{
	arrays();
	DVMDBG_PL()
	{
		WRITE(u[0], 1.5);
		FLUSH();
	}
	execl("/proc/self/exe", "access", "sizes", (char *)NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} situations[] = {
	{ "deferred", deferred }, { "sizes", sizes },	{ "ranges", ranges },
	{ "swap", swap },	  { "levels", levels }, { "threads", threads },
	{ "overlap", overlap },	  { "crowd", crowd },	{ "signals", signals },
	{ "much", much },	  { "forks", forks },	{ "values", values },
	{ "heap", heap },	  { "crash", crash },	{ "killed", killed },
	{ "leaves", leaves },	  { "execs", execs },	{ "shut", shut },
};

int main(int argc, char **argv)
{
	if (dvmdbg_hooks_join(&h))
		return 8;
	for (size_t i = 0; i < sizeof(situations) / sizeof(situations[0]); i++) {
		if (argc < 2 || strcmp(argv[1], situations[i].name))
			continue;
		situations[i].run();
		if (!strcmp(argv[1], "deferred"))
			return 0; /* without a word to the runtime */
		dvmdbg_hooks_part(&h);
		return 0;
	}
	return 7;
}
