/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Atomic operations of each size, for hooks.sh: each once, with the hooks told what they are, then
 * from several threads at the same time, where every sum has to be right, and with OpenMP. Ends
 * with 1 when one is wrong.
 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define TIMES 20000

void count_begin(const void *p, size_t n);
void count_end(const char *name);

static int wrong;

static void want(int right, const char *what, int bytes)
{
	if (right)
		return;
	printf("%s of %d bytes is wrong\n", what, bytes);
	wrong = 1;
}

#define CST __ATOMIC_SEQ_CST

/* once: 9 operations that are told once, a compare-exchange that fails (1), two that do not (2
 * each). */
#define SIZE(bits, type)                                                                        \
	struct shared_##bits {                                                                  \
		type added, both, xored, set, cleared, cas, weak, token, lock, plain, stored;   \
		type taken;                                                                     \
	};                                                                                      \
	static _Alignas(16) struct shared_##bits shared_##bits;                                 \
                                                                                                \
	__attribute__((noinline)) static void once_##bits(type *a)                              \
	{                                                                                       \
		const int n = (bits) / 8;                                                       \
		type c = 0;                                                                     \
                                                                                                \
		__atomic_store_n(a, 7, CST);                                                    \
		want(__atomic_load_n(a, CST) == 7, "load", n);                                  \
		want(__atomic_exchange_n(a, 12, CST) == 7, "exchange", n);                      \
		want(__atomic_fetch_add(a, 5, CST) == 12, "add", n);                            \
		want(__atomic_sub_fetch(a, 3, CST) == 14, "sub", n);                            \
		want(__atomic_fetch_and(a, 11, CST) == 14, "and", n);                           \
		want(__atomic_or_fetch(a, 5, CST) == 15, "or", n);                              \
		want(__atomic_fetch_xor(a, 6, CST) == 15, "xor", n);                            \
		want(__atomic_fetch_nand(a, 3, CST) == 9, "nand", n);                           \
		want(!__atomic_compare_exchange_n(a, &c, 1, 0, CST, CST), "cas", n);            \
		want(c == (type) ~(type)1, "cas", n);                                           \
		want(__atomic_compare_exchange_n(a, &c, 1, 0, CST, CST), "cas", n);             \
		want(__sync_bool_compare_and_swap(a, 1, 2), "cas", n);                          \
		__atomic_thread_fence(CST);                                                     \
		__atomic_signal_fence(CST);                                                     \
		want(*a == 2, "all", n);                                                        \
	}                                                                                       \
                                                                                                \
	static void many_##bits(int me)                                                         \
	{                                                                                       \
		struct shared_##bits *s = &shared_##bits;                                       \
		type taken = 0, old;                                                            \
                                                                                                \
		for (int i = 0; i < TIMES; i++) {                                               \
			__atomic_fetch_add(&s->added, 1, __ATOMIC_RELAXED);                     \
			__atomic_fetch_add(&s->both, 3, CST);                                   \
			__atomic_fetch_sub(&s->both, 2, __ATOMIC_ACQ_REL);                      \
			__atomic_fetch_xor(&s->xored, (type)(1 << me), CST);                    \
			__atomic_fetch_or(&s->set, (type)(1 << me), CST);                       \
			__atomic_fetch_and(&s->cleared, (type) ~(1 << me), CST);                \
			old = __atomic_load_n(&s->weak, __ATOMIC_RELAXED);                      \
			while (!__atomic_compare_exchange_n(&s->weak, &old, (type)(old + 1), 1, \
							    CST, __ATOMIC_RELAXED))             \
				;                                                               \
			do                                                                      \
				old = __atomic_load_n(&s->cas, CST);                            \
			while (!__sync_bool_compare_and_swap(&s->cas, old, (type)(old + 1)));   \
			taken += __atomic_exchange_n(&s->token, 1, CST);                        \
			while (__atomic_exchange_n(&s->lock, 1, __ATOMIC_ACQUIRE))              \
				;                                                               \
			s->plain++;                                                             \
			__atomic_store_n(&s->lock, 0, __ATOMIC_RELEASE);                        \
		}                                                                               \
		__atomic_fetch_add(&s->taken, taken, CST);                                      \
	}                                                                                       \
                                                                                                \
	static void check_##bits(void)                                                          \
	{                                                                                       \
		const struct shared_##bits *s = &shared_##bits;                                 \
		const type all = (type)(THREADS * TIMES);                                       \
		const int n = (bits) / 8;                                                       \
                                                                                                \
		want(s->added == all, "sum", n);                                                \
		want(s->both == all, "difference", n);                                          \
		want(s->xored == 0, "xor of threads", n);                                       \
		want(s->set == (1 << THREADS) - 1, "or of threads", n);                         \
		want(s->cleared == 0, "and of threads", n);                                     \
		want(s->weak == all, "weak exchange", n);                                       \
		want(s->cas == all, "exchange of threads", n);                                  \
		want((type)(s->taken + s->token) == all, "tokens", n);                          \
		want(s->plain == all, "sum under a lock", n);                                   \
	}

SIZE(8, unsigned char)
SIZE(16, unsigned short)
SIZE(32, unsigned)
SIZE(64, unsigned long)
#ifdef __SIZEOF_INT128__
SIZE(128, unsigned __int128)
#endif

static void *run(void *arg)
{
	int me = *(int *)arg;

	many_8(me);
	many_16(me);
	many_32(me);
	many_64(me);
#ifdef __SIZEOF_INT128__
	many_128(me);
#endif
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int me[THREADS];

	for (int i = 0; i < THREADS; i++) {
		me[i] = i;
		if (pthread_create(&thread[i], NULL, run, &me[i]))
			want(0, "pthread_create", 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check_8();
	check_16();
	check_32();
	check_64();
#ifdef __SIZEOF_INT128__
	check_128();
#endif
}

#ifdef _OPENMP
static void openmp(void)
{
	int n = 0, last = 0;
	long big = 0;
	float f = 0;
	double x = 0, reduced = 0, most = 0;

#pragma omp parallel for num_threads(THREADS) reduction(+ : reduced) reduction(max : most)
	for (int i = 0; i < TIMES; i++) {
		int before;

#pragma omp atomic
		n++;
#pragma omp atomic
		big += i;
#pragma omp atomic
		f += 1;
#pragma omp atomic
		x += 0.5;
#pragma omp atomic capture
		{
			before = last;
			last += 2;
		}
#pragma omp critical
		want(before % 2 == 0, "capture", 4);
		reduced += i;
		most = most > i ? most : i;
	}
	want(n == TIMES, "OpenMP's sum", 4);
	want(big == (long)TIMES * (TIMES - 1) / 2, "OpenMP's sum", 8);
	want(f == TIMES, "OpenMP's sum of float", 4);
	want(x == TIMES * 0.5, "OpenMP's sum of double", 8);
	want(last == 2 * TIMES, "OpenMP's capture", 4);
	want(reduced == (double)TIMES * (TIMES - 1) / 2, "OpenMP's reduction", 8);
	want(most == TIMES - 1, "OpenMP's maximum", 8);
}
#endif

#ifdef _OPENMP
/* Operations that are no single ones of the processor: each is to be seen as a write. */
static struct {
	double d;
	float f;
	short s;
	unsigned char c;
	int i;
} made = { 1, 1, 2, 3, 4 };

static void openmp_once(double by)
{
#pragma omp atomic
	made.d += by;
#pragma omp atomic
	made.f *= (float)by;
#pragma omp atomic
	made.s *= (short)by;
#pragma omp atomic
	made.c /= (unsigned char)by;
#pragma omp atomic
	made.i <<= 2;
	want(made.d == 4, "OpenMP's sum", 8);
	want(made.f == 3, "OpenMP's product", 4);
	want(made.s == 6, "OpenMP's product", 2);
	want(made.c == 1, "OpenMP's quotient", 1);
	want(made.i == 16, "OpenMP's shift", 4);
}
#endif

static struct {
	unsigned char a8;
	unsigned short a16;
	unsigned a32;
	unsigned long a64;
#ifdef __SIZEOF_INT128__
	unsigned __int128 a128;
#endif
} one;

int main(void)
{
	count_begin(&one, sizeof(one));
	once_8(&one.a8);
	once_16(&one.a16);
	once_32(&one.a32);
	once_64(&one.a64);
#ifdef __SIZEOF_INT128__
	once_128(&one.a128);
#endif
	count_end("once");
#ifdef _OPENMP
	count_begin(&made, sizeof(made));
	openmp_once(3);
	count_end("openmp");
#endif
	shared_8.cleared = shared_16.cleared = shared_32.cleared = shared_64.cleared = 15;
#ifdef __SIZEOF_INT128__
	shared_128.cleared = 15;
#endif
	threads(); /* the gate is shut, then open */
	shared_8 = (struct shared_8){ .cleared = 15 };
	shared_16 = (struct shared_16){ .cleared = 15 };
	shared_32 = (struct shared_32){ .cleared = 15 };
	shared_64 = (struct shared_64){ .cleared = 15 };
#ifdef __SIZEOF_INT128__
	shared_128 = (struct shared_128){ .cleared = 15 };
#endif
	count_begin(&one, sizeof(one));
	threads();
#ifdef _OPENMP
	openmp();
#endif
	count_end("threads");
	return wrong;
}
