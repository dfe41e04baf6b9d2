/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a record of a trace costs on one core: to encode in the program, to convert and to compress
 * in the supervisor, to read back; and its bytes, in the raw block and in the file:
 * bench_trace [ROUNDS]. Medians over rounds that are interleaved between the programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/core/err.h"
#include "common/tracefile/tracefile.h"
#include "common/trace/decode.h"
#include "common/trace/encode.h"
#include "tests/bench/trace_work.h"

#define RECORDS 4000000
#define ROOM (1u << 20)
#define BLOCKS_MOST 80
#define ROUNDS_MOST 51

enum { ENCODE, CONVERT, PACK, UNPACK, DECODE, STEPS };

static const struct {
	const char *name;
	void (*make)(struct work *w);
} programs[] = {
	{ "5-point stencil, double", work_heat },
	{ "5-point stencil, float", work_heat_float },
	{ "LU, 5 components a cell", work_lu },
	{ "sparse matrix", work_sparse },
	{ "at random", work_random },
};
#define PROGRAMS (sizeof(programs) / sizeof(*programs))

struct result {
	double ns[STEPS][ROUNDS_MOST];
	double raw, packed; /* bytes a record */
	uint64_t sum;	    /* so that nothing is left out */
};

static struct result results[PROGRAMS];
static struct trace_enc enc;
static unsigned char *blocks; /* BLOCKS_MOST raw blocks */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), by_size);
	return v[n / 2];
}

static bool put(const struct work_rec *r)
{
	int64_t index[4];

	if (__builtin_expect(r->pc != 0, 1))
		return trace_enc_access(&enc, r->pc, r->flags, r->object, r->at, r->value);
	for (unsigned d = 0; d < r->nidx; d++)
		index[d] = r->index[d];
	return trace_enc_iter(&enc, r->nidx, index);
}

/* Records all of w; how many blocks it took. */
static unsigned encode(const struct work *w, size_t used[BLOCKS_MOST])
{
	const struct trace_start start = { .rank = 0 };
	unsigned n = 0;

	trace_enc_open(&enc, blocks, ROOM, &start);
	for (size_t i = 0; i < w->n; i++) {
		if (put(&w->rec[i]))
			continue;
		used[n++] = trace_enc_close(&enc);
		if (n == BLOCKS_MOST)
			return n;
		trace_enc_open(&enc, blocks + (size_t)n * ROOM, ROOM, &start);
		i--;
	}
	used[n++] = trace_enc_close(&enc);
	return n;
}

static void die(const char *what)
{
	fprintf(stderr, "bench_trace: %s\n", what);
	exit(1);
}

static uint64_t decode(const struct trace_block *b)
{
	static struct trace_cursor *c;
	struct trace_rec r;
	uint64_t sum = 0;
	int rc;

	if (!c)
		c = trace_cursor_open(b);
	else if (trace_cursor_start(c, b))
		die("out of memory");
	while ((rc = trace_block_next(c, &r)) > 0)
		sum += r.at + r.value[0];
	if (rc)
		die("a block cannot be read");
	return sum;
}

/* One block through all that follows its encoding. */
static void follow(const unsigned char *mem, double t[STEPS], struct result *x)
{
	struct trace_block b;
	unsigned char *packed, *back;
	double at = now();
	size_t n;

	if (trace_block_from_raw(&b, mem, ROOM, NULL, NULL))
		die("a block cannot be converted");
	t[CONVERT] += now() - at;
	packed = malloc(pack_bound(b.ndata));
	back = malloc(b.ndata);
	at = now();
	n = pack_bytes(packed, pack_bound(b.ndata), b.data, b.ndata, 1);
	t[PACK] += now() - at;
	at = now();
	if (!n || pack_undo(back, b.ndata, packed, n))
		die("a block cannot be compressed");
	t[UNPACK] += now() - at;
	at = now();
	x->sum += decode(&b);
	t[DECODE] += now() - at;
	x->packed += (double)n;
	free(packed);
	free(back);
	trace_block_clear(&b);
}

static void one(unsigned program, unsigned round, const struct work *w)
{
	struct result *x = &results[program];
	double t[STEPS] = { 0 }, at = now();
	size_t used[BLOCKS_MOST], bytes = 0;
	unsigned n = encode(w, used);

	t[ENCODE] = now() - at;
	x->packed = 0;
	for (unsigned i = 0; i < n; i++) {
		bytes += used[i];
		follow(blocks + (size_t)i * ROOM, t, x);
	}
	x->raw = (double)bytes / (double)w->n;
	x->packed /= (double)w->n;
	for (unsigned s = 0; s < STEPS; s++)
		x->ns[s][round] = t[s] / (double)w->n * 1e9;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 7;
	struct work w[PROGRAMS];

	if (!rounds || rounds > ROUNDS_MOST)
		die("1 … 51 rounds");
	blocks = calloc(BLOCKS_MOST, ROOM);
	for (unsigned p = 0; p < PROGRAMS; p++) {
		w[p] = (struct work){ calloc(RECORDS, sizeof(struct work_rec)), 0, RECORDS };
		if (!blocks || !w[p].rec)
			die("out of memory");
		programs[p].make(&w[p]);
	}
	for (unsigned r = 0; r < rounds; r++)
		for (unsigned p = 0; p < PROGRAMS; p++)
			one(p, r, &w[p]);
	printf("| a record of | raw bytes | bytes in the file | encode ns | convert | compress | "
	       "decompress | decode |\n|---|---|---|---|---|---|---|---|\n");
	for (unsigned p = 0; p < PROGRAMS; p++) {
		printf("| %s | %.2f | %.2f |", programs[p].name, results[p].raw, results[p].packed);
		for (unsigned s = 0; s < STEPS; s++)
			printf(" %.1f |", median(results[p].ns[s], rounds));
		putchar('\n');
		free(w[p].rec);
	}
	free(blocks);
	return 0;
}
