/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of programs that are not there: a program is executed once, in order, on global arrays,
 * and what each of N ranks would have recorded of it is dealt out, with any distribution, order of
 * iterations and number of threads. So programs are correct by construction, and faults can be put
 * in one by one.
 */
#ifndef DVMDBG_TESTS_UNIT_TRACE_SYNTH_H
#define DVMDBG_TESTS_UNIT_TRACE_SYNTH_H

#include "common/trace/decode.h"
#include "common/trace/encode.h"

enum synth_dist { SYNTH_ROWS, SYNTH_BLOCKS, SYNTH_CYCLIC, SYNTH_OVERLAP };

struct synth_plan {
	unsigned ranks, threads; /* threads: in parallel loops; 0 is 1 */
	enum synth_dist dist;
	bool marks;	/* iterations of parallel loops are marked */
	bool backwards; /* they are executed from the last to the first */
	bool redundant; /* ranks execute their neighbours' rows at the border as well */
	char order;	/* 'C' or 'F' */
	unsigned level; /* 1 … 3 */
	struct point start, finish;
	size_t room;   /* of a raw block; 0: 64 KiB */
	int64_t limit; /* > 0: only iterations that far from the border are recorded */
};

enum synth_wrong {
	SYNTH_NONE,
	SYNTH_VALUE,   /* access `access` of the iteration has another value */
	SYNTH_ELEMENT, /* … is to the next element in the row */
	SYNTH_OMIT,    /* … is not done */
	SYNTH_SKIPPED, /* the iteration is not executed */
	SYNTH_TWICE,
	SYNTH_EXTRA,  /* one more iteration, with index + 100 */
	SYNTH_LINE,   /* the construct has another source line */
	SYNTH_LEFT,   /* it is left in the middle */
	SYNTH_GLOBAL, /* the program itself computes something else: synth_bad */
	SYNTH_LOST,   /* records are lost in the iteration */
};

struct synth_fault {
	enum synth_wrong wrong;
	uint32_t construct; /* main number */
	int64_t index[3];   /* iteration */
	unsigned access;
	double by; /* added to a value */
	int rank;  /* -1: the owner */
};

struct synth;
struct synth_object;
typedef void synth_program(struct synth *s, long n, long steps);
/* Takes the block over (trace_block_free). */
typedef void synth_sink(void *arg, unsigned rank, struct trace_block *b);

void synth_run(const struct synth_plan *p, synth_program *program, long n, long steps,
	       const struct synth_fault *fault, synth_sink *sink, void *arg);
/* The same into DIR/trace.RANK.bin. cut > 0: files end after so many blocks, as after a death. */
void synth_record(const char *dir, const struct synth_plan *p, synth_program *program, long n,
		  long steps, const struct synth_fault *fault, size_t cut);

/* ---- for programs ---- */
/* n1, n2: 0 when there are fewer dimensions. wide: complex. */
struct synth_object *synth_array(struct synth *s, const char *name, long n0, long n1, long n2);
struct synth_object *synth_replicated(struct synth *s, const char *name, double value);
/* Its new value, in all ranks. */
void synth_set(struct synth *s, struct synth_object *o, double value);
void synth_swap(struct synth_object *a, struct synth_object *b);
void synth_reduce(struct synth *s, struct synth_object *o, double value, unsigned line);

/* Iterations run where the elements of `on` with their indices are. */
void synth_loop(struct synth *s, const struct synth_object *on, unsigned line);
void synth_iteration(struct synth *s, unsigned n, const int64_t *index);
double synth_read(struct synth *s, const struct synth_object *o, unsigned line, long i, long j,
		  long k);
void synth_write(struct synth *s, struct synth_object *o, unsigned line, long i, long j, long k,
		 double value);
/* A local variable, that nobody registered. */
void synth_local(struct synth *s, unsigned line, bool write, double value);
void synth_loop_end(struct synth *s);
/* In an iteration. */
void synth_inner(struct synth *s, unsigned line);
void synth_inner_iteration(struct synth *s, int64_t index);
void synth_inner_end(struct synth *s);

void synth_sequential(struct synth *s, unsigned line);
void synth_step(struct synth *s, int64_t index);
void synth_sequential_end(struct synth *s, bool left);
void synth_region(struct synth *s, unsigned line);
/* Executed by the rank that has row number - 1 of the object. */
void synth_task(struct synth *s, unsigned line, int64_t number, const struct synth_object *on);
/* In a task, outside of its loops: elements 0 … n - 1 of a row are read and written, + value. */
void synth_task_write(struct synth *s, struct synth_object *o, unsigned line, int64_t row, long n,
		      double value);
void synth_task_end(struct synth *s);
void synth_region_end(struct synth *s);
/* The number of the main construct that is open, or was last. */
uint32_t synth_construct(const struct synth *s);
/* Whether iterations are executed from the last to the first. */
bool synth_backwards(const struct synth *s);
/* What has to be added because of a GLOBAL fault, in the iteration that is open. */
double synth_bad(const struct synth *s);

/* ---- some ---- */
synth_program synth_jacobi; /* a stencil with halos, a reduction, replicated variables */
synth_program synth_seidel; /* the same in place */
synth_program synth_transpose;
synth_program synth_tasks; /* a region with loops in its tasks, and accesses outside of them */
synth_program synth_nest;  /* inner loops, sums in place, three dimensions */
synth_program synth_heavy; /* few iterations, and tasks, with very many accesses each */

#endif
