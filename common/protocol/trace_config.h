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
#define TRACE_CONFIG_LEVEL_LIST(X)                                                        \
	X(NONE, 0, "NONE")                                                                \
	X(MINIMAL, 1, "MINIMAL")   /* begin and end of constructs, iterations, results of \
				      reductions, values of replicated objects */         \
	X(MODIFY, 2, "MODIFY")	   /* and writes */                                       \
	X(FULL, 3, "FULL")	   /* and reads */                                        \
	X(CHECKSUM, 4, "CHECKSUM") /* sums of arrays at the ends of PL and TR */
enum trace_config_level {
#define X(name, number, word) TRACE_CONFIG_##name = number,
	TRACE_CONFIG_LEVEL_LIST(X)
#undef X
};

/* "FULL"; "?" for a number that is none. */
const char *trace_config_level_word(unsigned level);
/* The number of a word, in any case, or of a digit; -1: it is none. */
int trace_config_level_parse(const char *text);

#define TRACE_CONFIG_NAMES 8
#define TRACE_CONFIG_NAME 64 /* with its NUL; longer names are no names of the filter */

/*
 * Limits of iterations that are traced: steps from a bound, plus 1; 0: no limit. See
 * trace_config_iteration.
 */
struct trace_config_limits {
	uint32_t ig_left, ig_right;	/* from the bounds of the loop */
	uint32_t iloc_left, iloc_right; /* from the bounds of this process's part of it */
	uint32_t irep_left; /* the first irep_left - 1 iterations of a sequential loop */
};

/* A limit as users give it: -1 none. */
static inline uint32_t trace_config_limit(long steps)
{
	return steps < 0 ? 0 : steps >= UINT32_MAX ? UINT32_MAX : (uint32_t)steps + 1;
}

/* Zeroed: nothing is taken. */
struct trace_config {
	uint8_t level; /* TRACE_CONFIG_CHECKSUM: sums are taken; else TRACE_CONFIG_NONE */
	uint8_t trace; /* TRACE_CONFIG_NONE … TRACE_CONFIG_FULL: of constructs that have no level of
			  their own */
	uint8_t exact;	/* sums are exact, not quick ones (common/checksum) */
	uint8_t reads;	/* ChecksumMode 2: arrays that are only read as well */
	uint8_t drop;	/* when the queue is full points are given up; else the program waits */
	uint8_t hold;	/* STOP_ON mismatch: at each point wait for the verdict */
	uint8_t others; /* traces: accesses to what nobody has registered as well */
	uint8_t calls;	/* traces: calls of MPI as well */
	uint8_t uses; /* of what constructs use that do not say it: what the access hooks see */
	uint8_t nname;	/* traces: only of objects with these names; 0: of all */
	struct point start, finish; /* inclusive; main 0: from the start, to the end */
	struct trace_config_limits limits;
	char name[TRACE_CONFIG_NAMES][TRACE_CONFIG_NAME];
};

int trace_config_code(struct codec *c, struct trace_config *g);
CODEC_PAIR(trace_config, *x = (struct trace_config){ 0 })
/*
 * Whether sums are taken at p: level CHECKSUM and start <= p <= finish. A point in another task
 * than start's or finish's of the same region is outside.
 */
bool trace_config_open(const struct trace_config *g, const struct point *p);

/*
 * A construct's own level, and which of its iterations are traced. Or an object's level: accesses
 * to it are recorded as far as both levels want them. file is its name, line where it was
 * registered (0: anywhere), vaddr its counter + 1 (0: any).
 */
#define TRACE_CONFIG_PLACES 1024
#define TRACE_CONFIG_ARRAY 100 /* the kind of that */
struct trace_config_place {
	uint8_t kind; /* RULE_LINE, RULE_NAME or RULE_ADDR, as in struct rule; TRACE_CONFIG_ARRAY */
	uint8_t level;	/* TRACE_CONFIG_NONE … TRACE_CONFIG_FULL */
	uint8_t nrange; /* dimensions that are limited; 0: all iterations */
	uint32_t line;
	uint64_t vaddr;
	char file[RULE_FILE];
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS], step[ARRAY_DIMS]; /* step > 0 */
};
int trace_config_place_code(struct codec *c, struct trace_config_place *p);
CODEC_PAIR(trace_config_place, (void)0)
#define TRACE_CONFIG_PLACE_LEAST 16 /* bytes of one with an empty name, on the wire */

/* Where a rank is between two points. */
struct trace_config_at {
	struct point last; /* passed; main 0: none */
	uint32_t region;   /* the number of the task region that is open, 0: none */
	bool in_task;
	bool fresh; /* in a task: no point in it has been passed */
	bool loop;  /* the last main point is that of a parallel loop */
	uint32_t task;
};

/*
 * Whether what follows is between start and finish (SEMANTICS 2). When one of them is in a task,
 * of that task's region only that task is. A start or finish in a task of what is a parallel loop
 * means the whole loop.
 */
bool trace_config_inside(const struct trace_config *g, const struct trace_config_at *at);

/* The bounds of a loop, or of this process's part of it; either may be the larger. ndim 0: not
 * known. */
struct trace_config_range {
	unsigned ndim;
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS];
};

/*
 * Whether an iteration of a parallel loop is traced: when no limit is set or the bounds are not
 * known, or it is, in any dimension, within that many steps of a bound.
 */
bool trace_config_iteration(const struct trace_config_limits *l, unsigned n, const int64_t *index,
			    const struct trace_config_range *whole,
			    const struct trace_config_range *part);
/* Whether it is one of those that the construct's place names. */
bool trace_config_place_has(const struct trace_config_place *p, unsigned n, const int64_t *index);

#endif
