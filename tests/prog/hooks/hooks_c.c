/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops whose accesses can be counted by hand, for hooks.sh, which links hooks_count.c. All are of
 * the arrays of struct data; everything else is not counted. Numbers are whole, so sums are exact.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 10

struct pair {
	double x, y, z;
};

struct data {
	double u[N][N], v[N][N], w[N][N];
	double s, coef[2];
	struct pair p, q;
	long index[N];
	char text[256], more[256];
};

void count_begin(const void *p, size_t n);
void count_end(const char *name);
int count_joined(void);
void count_heap_begin(void);
void count_heap_end(const char *name);

#define KERNEL __attribute__((noinline)) static void

KERNEL fill(struct data *d)
{
	memset(d, 0, sizeof(*d));
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			d->u[i][j] = d->v[i][j] = d->w[i][j] = i + j;
	for (int i = 0; i < N; i++)
		d->index[i] = (i * 3) % N;
	d->coef[0] = 2;
}

/* 64 elements: 5 reads and a write each. */
KERNEL stencil(int n, double (*restrict v)[N], double (*restrict u)[N])
{
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			v[i][j] = u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
}

/* The same, its size known to the compiler. */
KERNEL stencil_fixed(struct data *d)
{
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			d->v[i][j] = d->u[i][j] + d->u[i - 1][j] + d->u[i + 1][j] + d->u[i][j - 1] +
				     d->u[i][j + 1];
}

KERNEL in_place(int n, double (*u)[N])
{
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			u[i][j] = u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
}

/* Its sum lies in memory: read and written each time. */
KERNEL reduce(int n, double *a, double *s)
{
	for (int i = 0; i < n; i++)
		*s += a[i];
}

KERNEL recur(int n, double *a)
{
	for (int i = 1; i < n; i++)
		a[i] = a[i - 1] + a[i];
}

KERNEL zero(int n, double *a)
{
	for (int i = 0; i < n; i++)
		a[i] = 0;
}

KERNEL copy(int n, double *restrict a, const double *restrict b)
{
	for (int i = 0; i < n; i++)
		a[i] = b[i];
}

/* Two loops in one. */
KERNEL both(int n, double *restrict a, double *restrict b, const double *restrict c)
{
	for (int i = 0; i < n; i++) {
		a[i] = c[i];
		b[i] = c[i] + 1;
	}
}

KERNEL some(int n, double *a, const double *b)
{
	for (int i = 0; i < n; i++)
		if (b[i] > 4)
			a[i] = b[i];
}

KERNEL scatter(int n, double *restrict a, const long *restrict at, const double *restrict b)
{
	for (int i = 0; i < n; i++)
		a[at[i]] = b[i];
}

KERNEL multiply(int n, double (*restrict c)[N], double (*restrict a)[N], double (*restrict b)[N])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				c[i][j] += a[i][k] * b[k][j];
}

/* What does not change may be read once. */
KERNEL scale(int n, double *restrict a, const double *restrict coef)
{
	for (int i = 0; i < n; i++)
		a[i] *= coef[0];
}

/* What has just been written need not be read again. */
KERNEL again(int n, double *restrict a, double *restrict b)
{
	for (int i = 0; i < n; i++) {
		a[i] = i;
		b[i] = a[i] + 1;
	}
}

KERNEL structure(struct data *d)
{
	d->p = d->q;
}

#define COPIES(n)                                   \
	KERNEL copy_##n(char *to, const char *from) \
	{                                           \
		memcpy(to, from, n);                \
	}
COPIES(3)
COPIES(8)
COPIES(24)
COPIES(200)

KERNEL move(char *to, const char *from, size_t n)
{
	memmove(to, from, n);
}

KERNEL set(char *to, size_t n)
{
	memset(to, 1, n);
}

/* A write's value is there when memory goes or is copied over. */
KERNEL write_and_free(volatile double *p)
{
	p[1] = 42;
	free((void *)p);
}

KERNEL write_and_resize(volatile double *p)
{
	p[1] = 42;
	p = realloc((void *)p, 1 << 20);
	free((void *)p);
}

KERNEL write_and_copy(struct data *d)
{
	*(volatile double *)&d->s = 42;
	memset(&d->s, 0, sizeof(d->s));
}

KERNEL write_and_unmap(volatile double *p, size_t n)
{
	p[1] = 42;
	munmap((void *)p, n);
}

KERNEL change(volatile double *p)
{
	*p = 7;
}

/* What is called begins with a look at what was written … */
KERNEL write_and_call(volatile double *p)
{
	*p = 42;
	change(p);
}

__attribute__((no_sanitize("thread"))) KERNEL change_unseen(volatile double *p)
{
	*p = 7;
}

/* … but for what has no hooks: then the value is the one of the next event. */
KERNEL write_and_call_unseen(volatile double *p)
{
	*p = 42;
	change_unseen(p);
}

static void count(const char *name, struct data *d)
{
	count_end(name);
	fill(d);
	count_begin(d, sizeof(*d));
}

static void heap(void)
{
	void *volatile p, *q = NULL; /* volatile: or the compiler does without them */

	count_heap_begin();
	p = malloc(100);
	p = realloc(p, 1000);
	free(p);
	p = calloc(10, 10);
	p = reallocarray(p, 10, 100);
	free(p);
	p = aligned_alloc(64, 128);
	free(p);
	if (!posix_memalign(&q, 64, 128))
		p = q;
	free(p);
	free(NULL);
	count_heap_end("heap");
}

int main(int argc, char **argv)
{
	struct data *d = malloc(sizeof(*d));
	double *block;
	int n = argc > 99 ? 0 : N;

	(void)argv;
	printf("joined %d\n", count_joined());
	fill(d);
	count_begin(d, sizeof(*d));
	stencil(n, d->v, d->u), count("stencil", d);
	stencil_fixed(d), count("fixed", d);
	in_place(n, d->u), count("in-place", d);
	reduce(n, d->u[1], &d->s), count("reduce", d);
	recur(n, d->u[1]), count("recur", d);
	zero(n, d->u[1]), count("zero", d);
	copy(n, d->v[1], d->u[1]), count("copy", d);
	both(n, d->v[1], d->w[1], d->u[1]), count("both", d);
	some(n, d->v[1], d->u[0]), count("some", d);
	scatter(n, d->v[1], d->index, d->u[1]), count("scatter", d);
	multiply(n, d->w, d->u, d->v), count("multiply", d);
	structure(d), count("structure", d);
	copy_3(d->text, d->more), count("copy-3", d);
	copy_8(d->text, d->more), count("copy-8", d);
	copy_24(d->text, d->more), count("copy-24", d);
	copy_200(d->text, d->more), count("copy-200", d);
	move(d->text, d->text + 10, (size_t)n * 10), count("move", d);
	set(d->text, (size_t)n * 10), count("set", d);
	write_and_copy(d), count("write-copy", d);
	write_and_call(&d->s), count("write-call", d);
	write_and_call_unseen(&d->s), count("write-call-unseen", d);
	scale(n, d->u[1], d->coef), count("scale", d);
	again(n, d->u[1], d->v[1]), count_end("again");
	block = malloc(80);
	count_begin(block, 80);
	write_and_free(block), count_end("write-free");
	block = malloc(80);
	count_begin(block, 80);
	write_and_resize(block), count_end("write-resize");
	block = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	count_begin(block, 80);
	write_and_unmap(block, 4096), count_end("write-unmap");
	heap();
	free(d);
	return 0;
}
