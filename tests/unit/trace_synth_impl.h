/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of trace_synth: what a run is while it is made.
 */
#ifndef DVMDBG_TESTS_UNIT_TRACE_SYNTH_IMPL_H
#define DVMDBG_TESTS_UNIT_TRACE_SYNTH_IMPL_H

#include "common/array/array.h"
#include "tests/unit/trace_synth.h"

#define OBJECTS 16
#define RANKS 8
#define THREADS 4
#define DEPTH 8

struct synth_object {
	char name[16];
	unsigned number, ndim;
	bool replicated;
	long n[3];
	double *data; /* the global array */
	struct layout {
		struct array_desc desc;
		int64_t list[512];
	} * at; /* of each rank */
	uint32_t version;
};

struct access {
	bool write, local;
	uint16_t line;
	uint8_t kind; /* 0 access, 1 inner loop begins, 2 its iteration, 3 it ends */
	struct synth_object *o;
	int64_t index[3];
	double value;
};

struct iteration {
	int64_t index[3];
	unsigned n;
	size_t first, count;
};

struct pen {
	struct trace_enc *e;
	unsigned char *raw;
	bool open;
};

struct rank {
	struct pen pen[THREADS];
	struct trace_frame frame[DEPTH];
	unsigned depth;
	struct point last;
	uint64_t seq;
};

struct synth {
	const struct synth_plan *p;
	const struct synth_fault *fault;
	synth_sink *sink;
	void *arg;
	struct synth_object *object[OBJECTS];
	unsigned nobject;
	struct rank rank[RANKS];
	uint32_t main_n, task_n, task;
	int only; /* the rank that executes the task that is open, -1 all */
	/* the loop that is open */
	const struct synth_object *on;
	unsigned line;
	struct iteration *it;
	size_t nit, it_cap;
	struct access *acc;
	size_t nacc, acc_cap;
};

/* trace_synth_rank.c: what ranks write. */
bool synth_open_now(const struct synth *s, const struct rank *r);
void synth_pen_close(struct synth *s, unsigned rank, unsigned thread);
struct trace_enc *synth_pen(struct synth *s, unsigned rank, unsigned thread);
/* Does it, in a new block when there is no room. */
#define PUT(s, rank, thread, call)                                \
	do {                                                      \
		struct trace_enc *e = synth_pen(s, rank, thread); \
		if (call)                                         \
			break;                                    \
		synth_pen_close(s, rank, thread);                 \
		e = synth_pen(s, rank, thread);                   \
		assert_true(call);                                \
	} while (0)
void synth_begin(struct synth *s, unsigned r, unsigned kind, unsigned line,
		 const struct point *point, int64_t number);
void synth_end(struct synth *s, unsigned r, unsigned kind, unsigned line, const struct point *point,
	       bool left, uint64_t count);
void synth_values(struct synth *s, unsigned r, unsigned line);
/* Where an element is on a rank; false: not at all. */
bool synth_local_at(const struct synth_object *o, unsigned rank, const int64_t *index, uint64_t *at,
		    bool *own);
void synth_part(const struct synth_plan *p, struct synth_object *o, unsigned rank);

#endif
