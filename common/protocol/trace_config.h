/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What checksums and traces a run is to take: the settings that the front end sends with the stop
 * rules and the runtime obeys at each mark.
 */
#ifndef DVMDBG_COMMON_GAUGE_H
#define DVMDBG_COMMON_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/logical/point.h"
#include "common/protocol/rule.h"

/* Levels of detail (SEMANTICS 2), with the documents' numbers. */
#define GAUGE_LEVEL_LIST(X)                                                               \
	X(NONE, 0, "NONE")                                                                \
	X(MINIMAL, 1, "MINIMAL")   /* begin and end of constructs, iterations, results of \
				      reductions, values of replicated objects */         \
	X(MODIFY, 2, "MODIFY")	   /* and writes */                                       \
	X(FULL, 3, "FULL")	   /* and reads */                                        \
	X(CHECKSUM, 4, "CHECKSUM") /* sums of arrays at the ends of PL and TR */
enum gauge_level {
#define X(name, number, word) GAUGE_##name = number,
	GAUGE_LEVEL_LIST(X)
#undef X
};

/* "FULL"; "?" for a number that is none. */
const char *gauge_level_word(unsigned level);
/* The number of a word, in any case, or of a digit; -1: it is none. */
int gauge_level_parse(const char *text);

#define GAUGE_NAMES 8
#define GAUGE_NAME 64 /* with its NUL; longer names are no names of the filter */

/*
 * Limits of iterations that are traced: steps from a bound, plus 1; 0: no limit. See
 * gauge_iteration.
 */
struct gauge_limits {
	uint32_t ig_left, ig_right;	/* from the bounds of the loop */
	uint32_t iloc_left, iloc_right; /* from the bounds of this process's part of it */
	uint32_t irep_left; /* the first irep_left - 1 iterations of a sequential loop */
};

/* A limit as users give it: -1 none. */
static inline uint32_t gauge_limit(long steps)
{
	return steps < 0 ? 0 : steps >= UINT32_MAX ? UINT32_MAX : (uint32_t)steps + 1;
}

/* Zeroed: nothing is taken. */
struct gauge {
	uint8_t level; /* GAUGE_CHECKSUM: sums are taken; else GAUGE_NONE */
	uint8_t trace; /* GAUGE_NONE … GAUGE_FULL: of constructs that have no level of their own */
	uint8_t reads;	/* ChecksumMode 2: arrays that are only read as well */
	uint8_t drop;	/* when the queue is full points are given up; else the program waits */
	uint8_t hold;	/* STOP_ON mismatch: at each point wait for the verdict */
	uint8_t others; /* traces: accesses to what nobody has registered as well */
	uint8_t nname;	/* traces: only of objects with these names; 0: of all */
	struct point start, finish; /* inclusive; main 0: from the start, to the end */
	struct gauge_limits limits;
	char name[GAUGE_NAMES][GAUGE_NAME];
};

int gauge_code(struct codec *c, struct gauge *g);
CODEC_PAIR(gauge, *x = (struct gauge){ 0 })
/*
 * Whether sums are taken at p: level CHECKSUM and start <= p <= finish. A point in another task
 * than start's or finish's of the same region is outside.
 */
bool gauge_open(const struct gauge *g, const struct point *p);

/*
 * A construct's own level, and which of its iterations are traced. Or an object's level: accesses
 * to it are recorded as far as both levels want them. file is its name, line where it was
 * registered (0: anywhere), vaddr its counter + 1 (0: any).
 */
#define GAUGE_PLACES 1024
#define GAUGE_ARRAY 100 /* the kind of that */
struct gauge_place {
	uint8_t kind;	/* RULE_LINE, RULE_NAME or RULE_ADDR, as in struct rule; GAUGE_ARRAY */
	uint8_t level;	/* GAUGE_NONE … GAUGE_FULL */
	uint8_t nrange; /* dimensions that are limited; 0: all iterations */
	uint32_t line;
	uint64_t vaddr;
	char file[RULE_FILE];
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS], step[ARRAY_DIMS]; /* step > 0 */
};
int gauge_place_code(struct codec *c, struct gauge_place *p);
CODEC_PAIR(gauge_place, (void)0)
#define GAUGE_PLACE_LEAST 16 /* bytes of one with an empty name, on the wire */

/* Where a rank is between two points. */
struct gauge_at {
	struct point last; /* passed; main 0: none */
	uint32_t region;   /* the number of the task region that is open, 0: none */
	bool in_task;
	bool fresh; /* in a task: no point in it has been passed */
	bool loop;  /* the last main point is that of a parallel loop */
	uint32_t task;
};

/*
 * Whether what follows is between start and finish (SEMANTICS 2). When one of them lies in a task,
 * of that task's region only that task is. A start or finish in a task of what is a parallel loop
 * means the whole loop.
 */
bool gauge_inside(const struct gauge *g, const struct gauge_at *at);

/* The bounds of a loop, or of this process's part of it; either may be the larger. ndim 0: not
 * known. */
struct gauge_range {
	unsigned ndim;
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS];
};

/*
 * Whether an iteration of a parallel loop is traced: when no limit is set or the bounds are not
 * known, or it lies, in any dimension, within that many steps of a bound.
 */
bool gauge_iteration(const struct gauge_limits *l, unsigned n, const int64_t *index,
		     const struct gauge_range *whole, const struct gauge_range *part);
/* Whether it is one of those that the construct's place names. */
bool gauge_place_has(const struct gauge_place *p, unsigned n, const int64_t *index);

#endif
