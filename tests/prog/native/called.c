/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions to be called from the debugger, of all kinds of arguments and results; ones that crash, end, loop, call
 * MPI. The program stops at a parallel loop in work(), and checks in the end that nobody has changed its data.
 */
#include <complex.h>
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "dvmdbg.h"

#define N 8

enum colour { RED, GREEN = 5, BLUE };
struct pair {
	double x, y;
};
struct mixed {
	long n;
	double x;
};
struct large {
	int a[8];
};
union either {
	long n;
	double x;
};

int calls, rank, size;
double table[4] = { 1, 2, 3, 4 };
double *u;
static volatile int never;
static int children;

int square(int x) { return x * x; }
double half(double x) { return x / 2; }
float add_float(float a, float b) { return a + b; }
long ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a + 10 * b + c + d + e + f + g + h + 100 * i + 1000 * j;
}
double many(double a, int i, double b, int j, double c, double d, double e, double f, double g, double h, double k)
{
	return a + i + b + j + c + d + e + f + g + h + 1000 * k;
}
unsigned char low(unsigned x) { return (unsigned char)x; }
const char *word(int i) { return i ? "other" : "zero"; }
char *made(const char *text)
{
	char *s = malloc(strlen(text) + 3);

	sprintf(s, "<%s>", text);
	return s;
}
size_t length(const char *s) { return strlen(s); }
double total(const double *a, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += a[i];
	return sum;
}
int count(void) { return ++calls; }
void nothing(void) { calls += 100; }
struct pair pair_of(double x) { return (struct pair){ x, -x }; }
struct mixed mixed_of(long n) { return (struct mixed){ n, n / 2.0 }; }
struct pair pairs[2] = { { 1, 2 }, { 3, 4 } };
struct pair *pair_at(int i) { return pairs + i; }
double *element(int i) { return table + i; }
struct large large_of(int n) { return (struct large){ { n, n + 1 } }; }
double complex turned(double complex z) { return z * I; }
enum colour colour_of(int i) { return i ? BLUE : GREEN; }
long double longer(int x) { return x + 0.5L; }
int apply(int (*f)(int), int x) { return f(x); }
static int hidden(int x) { return x + rank; }
int first_char(char c) { return c; }
int by_value(struct pair p) { return (int)p.x; }
struct narrow {
	float x, y, z;
};
struct bits {
	unsigned a : 3, b : 30;
	unsigned long c : 40;
};
struct mixed mix = { 3, 4.5 };
struct large block = { { 1, 2, 3, 4, 5, 6, 7, 8 } };
struct narrow narrow = { 1, 2, 3 };
struct bits bits = { 5, 77, 123456789012UL };
double pairs_of(struct pair p, struct pair q) { return p.x + 10 * p.y + 100 * q.x + 1000 * q.y; }
double mixed_by(double x, struct mixed m, int k) { return x + 10 * m.n + 100 * m.x + 1000 * k; }
double large_by(int k, struct large b, double x) { return k + 10 * b.a[0] + 100 * b.a[7] + 10000 * x; }
double narrow_by(struct narrow n) { return n.x + 10 * n.y + 100 * n.z; }
unsigned long bits_by(struct bits b) { return b.a + 10 * b.b + 1000 * b.c; } /* of 40 bits */
double full(int a, int b, int c, int d, int e, struct bits on_stack, int f, struct mixed m)
{
	return a + 10 * b + 100 * c + 1000 * d + 1e4 * e + 1e5 * f + 1e6 * on_stack.a + 1e7 * m.n + m.x;
}
int set_errno(int e)
{
	errno = e;
	return errno;
}
int crash(int *p) { return *p; } /* @crash */
int divide(int a, int b) { return a / b; } /* @divide */
int deeper(int n)
{
	volatile char room[1024];

	room[0] = (char)n;
	return deeper(n + 1) + room[0];
}
int loop(int n)
{
	while (!never)
		n++;
	return n;
}
void fails(void) { abort(); }
void leaves(int status) { exit(status); }
double sum_all(double x)
{
	double sum;

	MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}
int rank_of(void)
{
	int r, n, bytes, up;

	MPI_Initialized(&up);
	MPI_Comm_rank(MPI_COMM_WORLD, &r);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Type_size(MPI_DOUBLE, &bytes);
	return 1000 * up + 100 * n + 10 * bytes + r + (MPI_Wtime() < 0);
}
int rank_of_none(void)
{
	int r = -1;

	MPI_Comm_rank(MPI_COMM_NULL, &r);
	return r;
}
int arrived(void)
{
	int flag;

	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	return flag;
}
int says(const char *text)
{
	printf("said %s\n", text);
	return (int)strlen(text);
}

static FILE *notes; /* CALLED_NOTES and the rank, when that is set */
int noted(int x) { return fprintf(notes, "noted %d\n", x); }
static void notes_open(void)
{
	char path[500];

	if (!getenv("CALLED_NOTES"))
		return;
	snprintf(path, sizeof(path), "%s.%d", getenv("CALLED_NOTES"), rank);
	notes = fopen(path, "w");
	fprintf(notes, "first\n"); /* that is in its buffer when functions are called */
}

static void on_child(int sig) { children++; }

static void work(double *a, int n)
{
	int mine = 10 + rank;
	double local[3] = { 0.5, 1.5, 2.5 };

	errno = 77;
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (int i = 0; i < n; i++)
		a[i] += 0 * (mine + local[0]);
	if (errno != 77)
		printf("errno is %d WRONG\n", errno);
}

/* Blocks all signals before it stays in a loop. */
int masks(int forever)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while (forever)
		;
	return 0;
}

int sends(int sig)
{
	return raise(sig);
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	sigset_t before, after;
	int lo, n;

	memset(&before, 0, sizeof(before)); /* of which the kernel fills a part */
	memset(&after, 0, sizeof(after));
	signal(SIGCHLD, on_child);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	lo = N * rank / size;
	n = N * (rank + 1) / size - lo;
	u = malloc((size_t)n * sizeof(*u));
	for (int i = 0; i < n; i++)
		u[i] = lo + i;
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { lo, lo + n - 1 } });
	DVMDBG_REPLICATED(rank);
	notes_open();
	printf("begins"); /* it has not been printed when functions are called */
	children = 0;
	sigprocmask(SIG_SETMASK, NULL, &before);
	for (int round = 0; round < 3; round++)
		work(u, n);
	sigprocmask(SIG_SETMASK, NULL, &after);
	printf(" and ends: calls %d, table %g, children %d, mask %s, waits %d\n", calls, table[0], children,
	       memcmp(&before, &after, sizeof(before)) ? "other" : "same", (int)waitpid(-1, NULL, WNOHANG));
	if (hidden(0) != rank)
		printf("WRONG\n");
	MPI_Finalize();
	return 0;
}
