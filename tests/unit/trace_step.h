/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Short runs and references, record by record, and what comes of comparing them.
 */
#ifndef DVMDBG_TESTS_UNIT_TRACE_STEP_H
#define DVMDBG_TESTS_UNIT_TRACE_STEP_H

#include "common/logical/construct.h"
#include "common/tracediff/tracediff.h"

enum what { STOP, BEGIN, END, ITER, ACCESS, LONG, RESULT, SKIP, VALUE, LOST };

struct step {
	enum what what;
	unsigned n;    /* construct, object */
	unsigned main; /* number of the construct; of a task: its own */
	unsigned line;
	int64_t index;
	double value;
	unsigned flags; /* left; of an access */
	unsigned level; /* of a construct, + 1 */
};

#define STEP(...)           \
	{                   \
		__VA_ARGS__ \
	}
#define OVER STEP(.what = STOP)
#define AWAY STEP(.what = SKIP)
#define AWAY_AT(at) STEP(.what = SKIP, .line = at)
#define GAP STEP(.what = LOST)
#define PL(no) STEP(BEGIN, .n = CONSTRUCT_PL, .main = no, .line = no)
#define PL_END(no) STEP(END, .n = CONSTRUCT_PL, .main = no, .line = no)
#define SL(at) STEP(BEGIN, .n = CONSTRUCT_SL, .line = at)
#define SL_END(at) STEP(END, .n = CONSTRUCT_SL, .line = at)
#define TR(no) STEP(BEGIN, .n = CONSTRUCT_TR, .main = no, .line = no)
#define TR_END(no) STEP(END, .n = CONSTRUCT_TR, .main = no, .line = no)
#define TASK(k) STEP(BEGIN, .n = CONSTRUCT_TASK, .line = 500, .index = k)
#define TASK_END(k) STEP(END, .n = CONSTRUCT_TASK, .line = 500, .index = k)
#define I(i) STEP(ITER, .index = i)
#define R(o, i, v) STEP(ACCESS, .n = o, .line = 100 + o, .index = i, .value = v)
#define W(o, i, v) \
	STEP(ACCESS, .n = o, .line = 200 + o, .index = i, .value = v, .flags = TRACE_WRITES)
#define SUM(o, v) STEP(RESULT, .n = o, .line = 300 + o, .value = v)
#define SAY(o, v) STEP(VALUE, .n = o, .line = 1, .value = v)

/* u, x: distributed arrays of 100 doubles; s, m: replicated doubles; f: floats, distributed. */
enum { U = 1, X, S, M, F, NOBODY };

/* A file of the reference; the directory is emptied with the first one. */
void record(unsigned rank, unsigned ranks, bool complete, unsigned level, const struct step *s);

/* One rank, the tolerance as usual, covers. */
extern const struct tracediff_options usual;
struct result {
	struct trace_findings found;
	struct tracediff_state state;
};
/* What comes of one rank, all of whose covers are there. */
struct result compare(const struct tracediff_options *o, unsigned level, const struct step *s);
/* How many findings there are; of the first one kind and line. */
void expect(struct result r, size_t n, unsigned kind, unsigned line);
/* Both on one rank at level FULL: no finding; one finding. */
void same(const struct step *ref, const struct step *now);
void other(const struct step *ref, const struct step *now, unsigned kind, unsigned line);

#endif
