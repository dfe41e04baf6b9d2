/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stop rules and plans: what a rank needs to know to stop by itself.
 */
#ifndef DVMDBG_COMMON_RULE_H
#define DVMDBG_COMMON_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/logical/point.h"
#include "common/array/section.h"

enum rule_kind {
	RULE_POINT = 0, /* at this point */
	RULE_LINE = 1,	/* where a construct, task or function mark at file:line begins */
	RULE_NAME = 2,	/* where the function mark or named construct begins */
	/*
	 * Like RULE_LINE, for a call between module address vaddr and vaddr + line - 1 (from debug
	 * information; line 0: exactly at vaddr). file: the module, "": any.
	 */
	RULE_ADDR = 3,
};

#define RULE_FILE 256
#define RULE_ITERS 4 /* indices of an iteration that a rule can name */

struct rule {
	uint32_t id;	/* the actionpoint */
	uint8_t kind;
	/*
	 * On the wire, numbers of sets of ranks that travel with the rules, from 1: for whom it
	 * holds (0: all), and who stops with those, at numbered points outside tasks, where all
	 * ranks come (0: nobody else).
	 */
	uint16_t set, stop;
	bool common; /* on a rank that only stops with others: holds at numbered points outside
			tasks */
	/*
	 * niter > 0: holds at iteration marks with these indices instead, those of any (a bit each)
	 * whatever they are; and where a parallel loop begins there, whose iterations are not
	 * marked.
	 */
	uint8_t niter, any;
	int64_t iter[RULE_ITERS];
	uint32_t count; /* stop at every count-th hit; 0 and 1: every one */
	struct point point;
	struct point
		from; /* silent before this point (set while running); main 0: from the start */
	uint32_t line;
	uint64_t vaddr;
	char file[RULE_FILE]; /* RULE_LINE: the last components of a path; RULE_NAME: the function
			       */
};

#define WATCH_MOST 32
#define WATCH_HOPS 4
/*
 * Elements that are looked at, at each numbered point. Whoever finds them changed stops; with a
 * stop set all stop, at numbered points outside tasks, until it is known whether anybody has.
 */
struct watch {
	uint32_t id; /* the actionpoint */
	uint16_t set, stop; /* as in struct rule */
	bool look, hold; /* on a rank: it is in the one set, in the other */
	struct point start; /* as `from` of struct rule, but for writes that hooks see */
	uint8_t ndim; /* 0: the whole object */
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS], step[ARRAY_DIMS]; /* global; step > 0 */
	char name[RULE_FILE]; /* "u", "p.x" */
	/*
	 * No registered object, but what QUERY_WATCH has found. On a rank the supervisor knows where
	 * it is: elements of size bytes at addr (0: it is not known here), in each of ndim dimensions
	 * `last` of them, `step` bytes apart. nhop: addr is that of a word, and they are so many
	 * bytes behind where it points; so often.
	 */
	bool native;
	uint8_t nhop;
	uint32_t size;
	uint64_t addr, mask; /* mask: the bits of an element of up to 8 bytes; 0: all */
	int64_t hop[WATCH_HOPS];
	/* of a call's own: where its return address is, and that; 0: it is not. In the front end
	 * `call` is whether it is */
	uint64_t call, from;
};

enum plan_mode {
	PLAN_CONT = 0,	/* run until a rule says stop */
	PLAN_STEP = 1,	/* and at the n-th numbered point */
	PLAN_ITER = 2,	/* and at the n-th iteration mark of a sequential loop or task */
	PLAN_FINISH = 3, /* and at the end of the construct that is innermost now */
	PLAN_TO = 4,	/* and at the first point that is not before `target` */
};

struct plan {
	uint32_t gen; /* rises with every plan of a job; a stop is a stop after this */
	uint32_t since; /* the gen it had when it was new: a rank that obeys it keeps its steps to
			   go */
	uint8_t mode;
	uint32_t n;
	struct point target;
};

int rule_code(struct codec *c, struct rule *r);
CODEC_PAIR(rule, (void)0)
int watch_code(struct codec *c, struct watch *w);
CODEC_PAIR(watch, (void)0)
int plan_code(struct codec *c, struct plan *p);
CODEC_PAIR(plan, (void)0)

/* file "src/heat.c" names path "/home/a/src/heat.c": equal, or equal from some '/' on. */
bool rule_file_matches(const char *file, const char *path);

#endif
