/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DVMDBG_COMMON_REDUCTIONS_INTERNAL_H
#define DVMDBG_COMMON_REDUCTIONS_INTERNAL_H

#include "common/reductions/reductions.h"

/* Values as folds have them. */
enum cell_view { CELL_REAL, CELL_INT, CELL_VIEWS };

/* What iterations do by the values that they read: set it to one, add one, multiply by one. */
enum cell_way { CELL_COPY, CELL_ADD, CELL_TIMES, CELL_WAYS };
#define CELL_WAY_FOLDS 4 /* SUM, PROD, MAX, MIN of these values */

struct cell_sums {
	uint64_t fold[REDUCTION_FOLDS];
	uint16_t based, against;
	double scale;
	/* an iteration that lowers it, one that raises it: the first of each */
	struct cell_step {
		bool there;
		uint8_t nidx;
		int64_t index[ARRAY_DIMS];
		uint64_t from, to;
	} step[2];
};

/* A piece of memory that is no element of a distributed array. */
struct cell {
	uint64_t addr; /* 0: free */
	uint8_t size;
	bool known; /* now is what is there */
	bool fresh; /* it was read since it was written last */
	bool iter;  /* iterations have changed it since it was set */
	bool sets;  /* one of them without what was there before */
	bool changed, threads;
	bool anew; /* MPI has put a result there: what is there next is an initial value */
	uint64_t first, now;
	uint64_t unit, written; /* of the last access, of the last write */
	uint32_t opened;	/* constructs that were begun before the last access */
	uint64_t count;
	uint8_t loop_kind;
	struct point loop;
	struct cell_sums sums[CELL_VIEWS];
	/* of reals */
	uint16_t ways; /* a bit for each that all changes were made in */
	uint16_t hits[CELL_WAYS];
	double way[CELL_WAYS][CELL_WAY_FOLDS];
};

/* Where the thread is. */
struct cell_at {
	uint64_t unit; /* rises with each iteration, and with each construct that begins or ends */
	uint32_t opened; /* constructs that have begun */
	bool iter;	 /* in an iteration of a parallel loop, or a task */
	uint8_t nidx;
	int64_t index[ARRAY_DIMS];
	uint8_t loop_kind;
	struct point loop;
};

#define CELL_RECENT 8 /* values that were read in this unit */
struct cell_recent {
	double value[CELL_RECENT];
	unsigned n;
};

/* Cells by their addresses. */
struct cell_table {
	uint64_t *key;	   /* owned, as the cells: addresses, 0: free */
	struct cell *cell; /* in the places of their keys */
	uint32_t n;
	uint32_t moves; /* how often they have gone to other places */
	bool full;	/* no more are made */
};

int cell_table_create(struct cell_table *t); /* -1: no memory */
void cell_table_clear(struct cell_table *t);
struct cell *cell_find(const struct cell_table *t, uint64_t addr); /* NULL: there is none */
/*
 * One that is not there; NULL: there is no room. opened: constructs that have begun; when the table
 * is full those go that none since the last but one has touched.
 */
struct cell *cell_make(struct cell_table *t, uint64_t addr, unsigned size, uint32_t opened);

/* Nothing is known any more of variables there. */
void cell_table_forget(struct cell_table *t, uint64_t addr, uint64_t bytes);

void cell_begin(struct cell *c, uint64_t addr, unsigned size);
void cell_read(struct cell *c, uint64_t value, const struct cell_at *at);
void cell_write(struct cell *c, uint64_t value, const struct cell_at *at,
		const struct cell_recent *recent);

/* The number of `size` bytes as folds have it. */
uint64_t cell_number(enum cell_view view, uint64_t bytes, unsigned size);
/* a op b, for folds; op is 1 … REDUCTION_FOLDS. And what changes nothing. */
uint64_t fold_apply(enum cell_view view, unsigned op, uint64_t a, uint64_t b);
uint64_t fold_neutral(enum cell_view view, unsigned op);
static inline double fold_real(uint64_t bits)
{
	double d;

	__builtin_memcpy(&d, &bits, sizeof(d));
	return d;
}
static inline uint64_t fold_bits(double d)
{
	uint64_t bits;

	__builtin_memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* The fold whose value an operation is judged by. */
static inline unsigned fold_of(unsigned op)
{
	return op == REDUCTION_MAXLOC ? REDUCTION_MAX : op == REDUCTION_MINLOC ? REDUCTION_MIN : op;
}

/* What the result is by that fold. once: an initial value that is the same on all ranks counts
 * once. */
uint64_t element_result(const struct reduction *r, const struct reduction_element *e, unsigned op,
			bool once);

/* Judges a reduction of which all ranks have reported: true, and *f, whose texts are borrowed from
 * r and text, when the program's result is another. */
bool reduction_judge(const struct reduction *r, struct trace_finding *f, char *text, size_t room);

#endif
