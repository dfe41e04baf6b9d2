/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside libdvmdbg: the construct stack, the numbering of points, checksums at them, and where a
 * thread parks. All of it belongs to the owner thread, but for mark_iteration and crashes.
 */
#ifndef DVMDBG_RUNTIME_STOP_STOP_H
#define DVMDBG_RUNTIME_STOP_STOP_H

#include "common/protocol/point_sums.h"
#include "common/protocol/trace_config.h"
#include "runtime/base/base.h"

struct sigaction;

/* stack.c */
/* Returns the id to close it with. number: of a task. range may be NULL. */
uint32_t stack_open(int kind, int64_t number, uint32_t loc, const struct stack_range *range);
void stack_close(uint32_t id, bool left);
void stack_end(int kind, uint64_t pc); /* the innermost of that kind */
/* parallel: of a parallel loop, else of the innermost loop of any kind. */
void stack_iteration(unsigned n, const int64_t *index, bool parallel, uint64_t pc);
/*
 * The program comes to its end, at that place: a construct that nobody has announced, whose points
 * are those where all that is registered is compared once more. Once; nothing when that is not
 * asked for.
 */
void stack_finish(uint64_t pc);
/* Has a point of MPI as it was typed give its place, when it was passed. */
void stack_resolve(struct point *p);
/* The owner's thread begins a parallel region of OpenMP at pc, or has ended the innermost: with
 * points of these the outermost is one. */
void stack_region(const void *pc, bool begins);
/* Parallel loops are in none that is known. */
void stack_no_iteration(void);
/* The same as stack_iteration for whoever calls it, in any thread. frame: of the function that the
 * program has called. */
void stack_mark_iteration(unsigned n, const int64_t *index, bool parallel, uint64_t pc,
			  const void *frame);

/* rules.c */
int rules_init(void);
bool rules_changed(void);
/* Copies the valid block, rt.trace_config too; *plan is the one in it. */
void rules_load(struct plan *plan);
bool rules_any(void);
bool rules_iterations(void); /* there are rules for iterations */
enum stop_at { STOP_AT_BEGIN, STOP_AT_END, STOP_AT_ITERATION };
/* Ids of rules that say stop here, ascending, at most REPORT_ACTS; returns how many there are. */
unsigned rules_match(const struct rt_frame *f, enum stop_at at, uint32_t act[REPORT_ACTS]);
/* The last point is before that one, from which on a rule was set. */
bool rules_is_early(const struct point *from);
/* Puts an id among n ascending ones, the highest gives way when there is no room; the new n. */
unsigned rules_act_put(uint32_t act[REPORT_ACTS], unsigned n, uint32_t id);

/* watched.c */
/* These are watched from now on; those with a known id stay as they are. */
void watched_set(const struct watch *w, uint32_t n);
bool watched_any(void);
/* Some are looked at at iteration marks of sequential loops too: no hook shows their writes. */
bool watched_iterations(void);
/*
 * Adds to the n ids those that have changed since they were looked at last, have come, or are gone,
 * with their bits in *changed, and those that hold here. Returns how many there are.
 */
unsigned watched_inspect(const struct rt_frame *f, uint32_t act[REPORT_ACTS], unsigned n,
			 uint64_t *changed);
/* What they are now is what they were last. */
void watched_rebase(void);
/*
 * As watched_inspect, when some of them have been written: adds those that have changed, with their
 * bits in *changed.
 */
unsigned watched_written(uint32_t act[REPORT_ACTS], uint64_t *changed);

/* stop.c */
/* Takes checksums; parks when a rule, the plan, the verdict or the supervisor says so. */
void stop_check(enum stop_at at, const struct rt_frame *f);
/*
 * In the middle of the program, behind a write that has been done: parks when what is watched has
 * changed. pc and other as in writes_report_to.
 */
void stop_written(uint64_t pc, bool other);
/* Whether an iteration of a parallel loop can be stopped at. */
bool stop_iterations(void);
/* Takes over rules, plan and trace config when there are newer ones. */
void stop_reload(void);
/* Has iterations of parallel loops reported when rules or the plan are about some, or traces have
 * them. */
void stop_want_iterations(void);

/* park.c */
struct park {
	enum stop_reason reason;
	uint32_t gen;
	bool done;	  /* the plan ends here */
	uint64_t changed; /* a bit for each of act */
	int32_t code;
	uint64_t fault;
	uint32_t nact;
	uint32_t act[REPORT_ACTS];
	const void *context; /* of the signal handler that parks; NULL: none does */
};
/*
 * Informs the supervisor and waits for a plan newer than gen. False when there was one already:
 * nothing has been waited for. poll: MPI may be called.
 */
bool park(const struct park *p, bool poll);
/* The thread that crashes has the page for itself: any other one only waits for the end. */
_Noreturn void park_for_end(void);

/* traps.c: those of the owner's thread; it runs no other code of ours that computes */
/* Makes them what the page says. */
void traps_load(void);
void traps_hold(void);
void traps_release(void);

/* code.c: instructions that trap */
/* Asked about a trap at pc; true: it was its own, and the context says how to go on. */
typedef bool (*code_taker)(uint64_t pc, void *context);
/* At most two, the last one is asked first; -1: there are no traps here. */
int code_watch(code_taker fn);
/* Once more, when language runtimes have installed their signal handlers. */
void code_install(void);
/* The program sets what becomes of SIGTRAP, or asks: true, and this is kept for what is not
 * ours. */
bool code_signal(const struct sigaction *set, struct sigaction *former);
/* By this one a call of the debugger's that does not end is ended: the program cannot block it
 * meanwhile. 0: there is none. */
extern int call_signal;
/* Where a copied instruction was: asked with the context of a crash, which then says that. */
extern void (*code_home)(void *context);
/* Puts one into the code, or what was there back when all have done so who put it there. -1: that
 * cannot be changed. */
int code_trap(uint64_t addr, bool set);
/* Somebody's is there. */
bool code_traps(uint64_t addr);
/* Where the thread of a handler's context is, or goes on when to is not 0. */
uint64_t code_pc(void *context, uint64_t to);

/* breaks.c: breakpoints in the code, as the environment says */
void breaks_init(void);

/* crash.c */
int crash_init(void);
/* A thread has called exit while MPI is up: the supervisor has a moment to read where. */
void crash_leaving(void);
/* Takes over the signals nobody but a language runtime or MPI handles. */
void crash_install(void);

/* An array that a construct is said to access: by its address, or as object number var. */
struct access_array {
	const void *at; /* NULL: var says which */
	uint32_t var;	/* VAR_NONE: not looked for yet, or not registered */
	uint8_t flags;	/* POINT_SUMS_READ or POINT_SUMS_WRITE */
	bool all;	/* where var is a field: all fields of its structures are meant */
};

struct access {
	uint32_t n;
	struct access_array array[2 * ARRAY_DIMS];
};

/* sums.c */
/* At the beginning of a numbered construct; a NULL: it does not say what it accesses. */
void sums_access(const struct rt_frame *f, const struct access *a);
/* It ends: what it does from here on is no longer its. */
void sums_used(const struct rt_frame *f);
/*
 * Object var is about to go: what it holds now is compared at the next point outside tasks. Of
 * several of one name and place that go between two points the first counts.
 */
void sums_end(uint32_t var);
/* Whether checksums are to be taken at the last point. */
static inline bool sums_due(void)
{
	return rt.trace_config.level && trace_config_open(&rt.trace_config, &rt.last);
}
/*
 * Takes them, at the beginning or the end of f, and waits for the verdict when that is asked for.
 * True: the verdict is that they differ, so the thread is to be parked.
 */
bool sums_take(const struct rt_frame *f);

#endif
