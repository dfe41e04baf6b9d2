/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with threads of their own, one a case, as in cases.c; compiled with -DTHREADS=4, with so
 * many. "@partial NAME": nothing is found, but that the threads wait for each other in each run is
 * not known.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>
#include <sys/resource.h>

#include "run.h"

#ifndef THREADS
#define THREADS 2
#endif
#define TIMES 50

static int x, y, z, ready;
static double a[THREADS * 8 + 1];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t bar;
static sem_t sem, back;

static long me(void *arg)
{
	return (long)(intptr_t)arg;
}

static void with(void *(*fn)(void *))
{
	pthread_t t[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, fn, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void two(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, (void *)0);
	pthread_create(&t[1], NULL, other, (void *)1);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* @pair counter w w ww x
 * @pair counter w w wr x */
static void *count(void *arg)
{
	for (int i = 0; i < TIMES; i++)
		x++; /* @counter.w */
	return arg;
}
static void counter(void)
{
	with(count);
}

/* @right mutex */
static void *count_locked(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}
static void mutex(void)
{
	with(count_locked);
	x++;
}

/* @pair names 1 2 ww x
 * @pair names 1 2 wr x
 * @pair names 2 1 wr x */
static void *named_one(void *arg)
{
	pthread_mutex_lock(&m);
	x++; /* @names.1 */
	pthread_mutex_unlock(&m);
	return arg;
}
static void *named_two(void *arg)
{
	if (pthread_mutex_trylock(&m2))
		pthread_mutex_lock(&m2);
	x++; /* @names.2 */
	pthread_mutex_unlock(&m2);
	return arg;
}
static void names(void)
{
	two(named_one, named_two);
}

/* @pair half f l wr x
 * @pair half f l ww x
 * @pair half l f wr x */
static void *half_free(void *arg)
{
	x++; /* @half.f */
	return arg;
}
static void *half_locked(void *arg)
{
	pthread_mutex_lock(&m);
	x++; /* @half.l */
	pthread_mutex_unlock(&m);
	return arg;
}
static void half(void)
{
	two(half_free, half_locked);
}

/* @pair early w r wr x */
static void *set_it(void *arg)
{
	x = 1; /* @early.w */
	return arg;
}
static void early(void)
{
	pthread_t t;

	pthread_create(&t, NULL, set_it, NULL);
	y = x; /* @early.r */
	pthread_join(t, NULL);
}

/* @right late */
static void late(void)
{
	pthread_t t;

	x = 5;
	pthread_create(&t, NULL, set_it, NULL);
	z = 7;
	pthread_join(t, NULL);
	y = x;
	pthread_create(&t, NULL, set_it, NULL);
	pthread_join(t, NULL);
}

/* @right parts */
static void *fill(void *arg)
{
	for (int i = 0; i < 8; i++)
		a[me(arg) * 8 + i] = i;
	return arg;
}
static void parts(void)
{
	with(fill);
	for (int i = 0; i < THREADS * 8; i++)
		a[THREADS * 8] += a[i];
}

/* @pair overlap w r wr a */
static void *fill_and_read(void *arg)
{
	double sum = 0;

	for (int i = 0; i < 8; i++)
		a[me(arg) * 8 + i] = i; /* @overlap.w */
	for (int i = 1; i <= 8; i++)
		sum += a[me(arg) * 8 + i]; /* @overlap.r */
	return (void *)(intptr_t)(sum > 1e9);
}
static void overlap(void)
{
	with(fill_and_read);
}

/* @right barrier */
static void *phases(void *arg)
{
	long other = (me(arg) + 1) % THREADS;

	for (int i = 0; i < 300; i++) {
		a[me(arg)] = i + a[THREADS + other];
		pthread_barrier_wait(&bar);
		a[THREADS + me(arg)] = a[other];
		pthread_barrier_wait(&bar);
	}
	return arg;
}
static void barrier(void)
{
	pthread_barrier_init(&bar, NULL, THREADS);
	with(phases);
}

/* @pair one-barrier w r wr a */
static void *one_phase(void *arg)
{
	long other = (me(arg) + 1) % THREADS;
	double sum = 0;

	for (int i = 0; i < 10; i++) {
		a[me(arg)] = i; /* @one-barrier.w */
		pthread_barrier_wait(&bar);
		sum += a[other]; /* @one-barrier.r */
	}
	return (void *)(intptr_t)(sum > 1e9);
}
static void one_barrier(void)
{
	pthread_barrier_init(&bar, NULL, THREADS);
	with(one_phase);
}

/* @right readers */
static void *read_and_write(void *arg)
{
	int sum = 0;

	for (int i = 0; i < TIMES; i++) {
		pthread_rwlock_rdlock(&rw);
		sum += x;
		pthread_rwlock_unlock(&rw);
		pthread_rwlock_wrlock(&rw);
		x = sum & 7;
		pthread_rwlock_unlock(&rw);
	}
	return arg;
}
static void readers(void)
{
	with(read_and_write);
}

/* @pair reader-writes w w ww x
 * @pair reader-writes w w wr x */
static void *write_as_reader(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	x++; /* @reader-writes.w */
	pthread_rwlock_unlock(&rw);
	return arg;
}
static void reader_writes(void)
{
	with(write_as_reader);
}

/* @right spinning */
static void *spin_count(void *arg)
{
	pthread_spin_lock(&spin);
	x++;
	pthread_spin_unlock(&spin);
	return arg;
}
static void spinning(void)
{
	pthread_spin_init(&spin, 0);
	with(spin_count);
}

/* @right recursive */
static pthread_mutex_t deep;
static void *twice(void *arg)
{
	pthread_mutex_lock(&deep);
	pthread_mutex_lock(&deep);
	y++;
	pthread_mutex_unlock(&deep);
	x++;
	pthread_mutex_unlock(&deep);
	return arg;
}
static void recursive(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&deep, &attr);
	with(twice);
}

/* @right queue */
static int item[TIMES], n;
static void *produce(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&m);
		item[n++] = i;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&m);
	}
	return arg;
}
static void *consume(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&m);
		while (!n)
			pthread_cond_wait(&cond, &m);
		y += item[--n];
		pthread_mutex_unlock(&m);
	}
	return arg;
}
static void queue(void)
{
	two(produce, consume);
}

/* @partial handed */
static void *hand_over(void *arg)
{
	x = 5;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&m);
	return arg;
}
static void *take_over(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&cond, &m);
	pthread_mutex_unlock(&m);
	x++;
	return arg;
}
static void handed(void)
{
	two(hand_over, take_over);
}

/* @pair beside w w ww y
 * @pair beside w w wr y */
static void *count_beside(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
		y++; /* @beside.w */
	}
	return arg;
}
static void beside(void)
{
	with(count_beside);
}

/* @right semaphores */
static void *ping(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		x = i;
		sem_post(&sem);
		sem_wait(&back);
	}
	return arg;
}
static void *pong(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		sem_wait(&sem);
		y += x;
		sem_post(&back);
	}
	return arg;
}
static void semaphores(void)
{
	sem_init(&sem, 0, 0);
	sem_init(&back, 0, 0);
	two(ping, pong);
}

/* @pair no-answer w r wr x */
static void *ping_only(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		x = i; /* @no-answer.w */
		sem_post(&sem);
	}
	return arg;
}
static void *pong_only(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		sem_wait(&sem);
		y += x; /* @no-answer.r */
	}
	return arg;
}
static void no_answer(void)
{
	sem_init(&sem, 0, 0);
	two(ping_only, pong_only);
}

/* @right binary */
static void *count_binary(void *arg)
{
	sem_wait(&sem);
	x++;
	sem_post(&sem);
	return arg;
}
static void binary(void)
{
	sem_init(&sem, 0, 1);
	with(count_binary);
}

/* @right gathered */
static void *give(void *arg)
{
	a[me(arg)] = 1;
	sem_post(&sem);
	return arg;
}
static void gathered(void)
{
	pthread_t t;

	sem_init(&sem, 0, 0);
	for (long i = 0; i < THREADS; i++) {
		pthread_create(&t, NULL, give, (void *)(intptr_t)i);
		pthread_detach(t);
	}
	for (int i = 0; i < THREADS; i++)
		sem_wait(&sem);
	for (int i = 0; i < THREADS; i++)
		a[THREADS] += a[i];
}

/* What main waits for orders nothing. */
static rlim_t files(rlim_t less)
{
	struct rlimit now;

	getrlimit(RLIMIT_NOFILE, &now);
	now.rlim_cur -= less;
	if (less)
		setrlimit(RLIMIT_NOFILE, &now);
	return now.rlim_cur;
}

/* @pair detached w r wr x */
static void *set_detached(void *arg)
{
	x = 1; /* @detached.w */
	files(1);
	return arg;
}
static void detached(void)
{
	rlim_t before = files(0);
	pthread_t t;

	pthread_create(&t, NULL, set_detached, NULL);
	pthread_detach(t);
	while (files(0) == before)
		usleep(1000);
	y = x; /* @detached.r */
}

/* @right once */
static pthread_once_t flag = PTHREAD_ONCE_INIT;
static void init(void)
{
	z = 3;
}
static void *use_once(void *arg)
{
	pthread_once(&flag, init);
	a[me(arg)] = z;
	return arg;
}
static void once(void)
{
	with(use_once);
}

/* @pair argument w r wr i */
static void *read_argument(void *arg)
{
	a[0] = *(long *)arg; /* @argument.r */
	return NULL;
}
static void argument(void)
{
	pthread_t t;
	long i = 0;

	pthread_create(&t, NULL, read_argument, &i);
	i++; /* @argument.w */
	pthread_join(t, NULL);
}

/* @right own-stack */
static void *add_up(void *arg)
{
	double own[64];
	long *place = arg;

	for (int i = 0; i < 64; i++)
		own[i] = i;
	for (int i = 0; i < 64; i++)
		*place += (long)own[i];
	return NULL;
}
static void own_stack(void)
{
	pthread_t t[THREADS];
	long sum[THREADS] = { 0 };

	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&t[i], NULL, add_up, &sum[i]);
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	}
}

/* @right blocks */
static void *allocate(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		int *p = malloc(16), *q = malloc(200);

		p[0] = i;
		q[0] = p[0];
		free(p);
		free(q);
	}
	return arg;
}
static void blocks(void)
{
	with(allocate);
}

/* @pair list h r wr head
 * @pair list h h ww head */
struct node {
	struct node *next;
};
static struct node *head;
static void *push(void *arg)
{
	struct node *p = malloc(sizeof(*p));

	p->next = head; /* @list.r */
	head = p;	/* @list.h */
	return arg;
}
static void list(void)
{
	with(push);
}

/* @right gate */
static void *pass(void *arg)
{
	pthread_mutex_lock(&m);
	y = x;
	pthread_mutex_unlock(&m);
	return arg;
}
static void gate(void)
{
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, pass, NULL);
	x = 3;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
}

/* @right nested-threads */
static void *inner(void *arg)
{
	a[me(arg)] = 1;
	return arg;
}
static void *outer(void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, inner, arg);
	pthread_join(t, NULL);
	a[me(arg)] += 1;
	return arg;
}
static void nested_threads(void)
{
	with(outer);
	a[0] += 1;
}

/* @pair standard w w ww x
 * @pair standard w w wr x */
static mtx_t mtx;
static int count_c11(void *arg)
{
	mtx_lock(&mtx);
	y++;
	mtx_unlock(&mtx);
	x++; /* @standard.w */
	return arg != NULL;
}
static void c11(void)
{
	thrd_t t[THREADS];

	mtx_init(&mtx, mtx_plain);
	for (int i = 0; i < THREADS; i++)
		thrd_create(&t[i], count_c11, NULL);
	for (int i = 0; i < THREADS; i++)
		thrd_join(t[i], NULL);
}

/* @right standard-right */
static once_flag first = ONCE_FLAG_INIT;
static cnd_t cnd;
static int count_c11_right(void *arg)
{
	call_once(&first, init);
	mtx_lock(&mtx);
	y += z;
	if (++n < THREADS)
		while (n < THREADS)
			cnd_wait(&cnd, &mtx);
	else
		cnd_broadcast(&cnd);
	mtx_unlock(&mtx);
	return arg != NULL;
}
static void c11_right(void)
{
	thrd_t t[THREADS];

	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	for (int i = 0; i < THREADS; i++)
		thrd_create(&t[i], count_c11_right, NULL);
	for (int i = 0; i < THREADS; i++)
		thrd_join(t[i], NULL);
	y = z;
}

/* @partial pipe */
static int ends[2];
static void *tell(void *arg)
{
	x = 4;
	return write(ends[1], &x, 1) == 1 ? arg : NULL;
}
static void *hear(void *arg)
{
	char c;

	if (read(ends[0], &c, 1) == 1)
		y = x;
	return arg;
}
static void through_a_pipe(void)
{
	if (!pipe(ends))
		two(tell, hear);
}

int main(int argc, char **argv)
{
	static const struct named_case cases[] = {
		{ "counter", counter },	      { "mutex", mutex },
		{ "names", names },	      { "half", half },
		{ "early", early },	      { "late", late },
		{ "parts", parts },	      { "overlap", overlap },
		{ "barrier", barrier },	      { "one-barrier", one_barrier },
		{ "readers", readers },	      { "reader-writes", reader_writes },
		{ "spinning", spinning },     { "recursive", recursive },
		{ "queue", queue },	      { "handed", handed },
		{ "beside", beside },	      { "semaphores", semaphores },
		{ "no-answer", no_answer },   { "binary", binary },
		{ "gathered", gathered },     { "detached", detached },
		{ "once", once },	      { "argument", argument },
		{ "own-stack", own_stack },   { "blocks", blocks },
		{ "list", list },	      { "gate", gate },
		{ "nested-threads", nested_threads }, { "standard", c11 },
		{ "standard-right", c11_right }, { "pipe", through_a_pipe }
	};

	return run_named(argc, argv, cases, sizeof(cases) / sizeof(*cases));
}
