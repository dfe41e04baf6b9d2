/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside libdvmdbg: traces. Marks (stack.c) report to gate.c what begins and ends; it decides how
 * much is recorded and opens the access hooks, which end in access.c. Records go into blocks behind
 * the page (trace.c), each thread's into its own.
 *
 * A thread is inside its tracer while `busy` is set: what a signal handler does then is not
 * recorded. Other threads may close its block only as tracer_close_other does.
 */
#ifndef DVMDBG_RUNTIME_RECORD_RECORD_H
#define DVMDBG_RUNTIME_RECORD_RECORD_H

#include <signal.h>

#include "common/trace/encode.h"
#include "runtime/base/base.h"
#include "runtime/hooks/hooks.h"

struct page_entity;
struct stack_range;

#define TRACERS 256	  /* threads that are recorded at the same time */
#define TRACER_SITES 1024 /* a power of two */
#define TRACER_WRITES 1u  /* what a thread records: of `want` */
#define TRACER_READS 2u
#define TRACER_ITERATIONS 4u

/* Where the accesses of one place in the code have gone last: lo <= address < lo + span. */
struct access_spot {
	uint64_t pc, lo, span;
	uint64_t base;		       /* `at` counts from there */
	const _Atomic uint32_t *valid; /* holds while *valid is stamp */
	uint32_t stamp;
	uint32_t object; /* a version, TRACE_NOWHERE, or ACCESS_SKIP */
	uint32_t unread; /* reads of it are not recorded */
	uint32_t unit;	 /* bytes of its elements; 0: it is no object */
	uint32_t plain;	 /* so many bytes are no more than an element, to be recorded as such */
};
#define ACCESS_SKIP (UINT32_MAX - 1) /* is not recorded */

/* A write that has not been done yet, so that its value is read at the thread's next event. */
struct trace_pending {
	uint64_t addr;
	size_t n;	/* of a range, else 0 */
	unsigned flags; /* 0: there is none */
	uint32_t object;
	uint32_t unit; /* as of its spot */
	uint64_t at, pc;
};

/* How a parallel loop limits its iterations, for those who mark them. */
struct trace_loop {
	bool parallel; /* it is one */
	bool any;      /* there are limits */
	struct trace_config_limits limits;
	struct trace_config_range whole, part;
	const struct trace_config_place *place; /* its own, NULL: none */
};

struct tracer {
	_Atomic uint32_t busy;
	_Atomic uint32_t ready; /* a block is open, and nothing has to be looked at first */
	uint32_t want, others;
	struct trace_pending pending;
	uint32_t missed;	/* accesses in signal handlers, not reported yet */
	uint32_t number;	/* of the thread */
	_Atomic uint32_t taken; /* a thread has it */
	_Atomic uint32_t lock;	/* for whoever opens and closes its block */
	_Atomic int32_t block;	/* -1: none is open */
	_Atomic uint64_t begun; /* gate.version when it was opened */
	uint64_t version;	/* of the gate that was looked at last */
	_Atomic uint32_t stuck; /* it did not come out when it was waited for */
	bool lost;		/* it can never have the lock again */
	uint32_t objects;	/* objects_stamp of what the spots say */
	bool stale;		/* the iteration that runs is not in the block */
	bool skip;		/* that iteration is not traced */
	bool entering;		/* the iteration is about to be recorded */
	uint32_t shared;     /* gate.want; like all up to loop, of other threads than the owner */
	uint64_t loop_begun; /* gate.begun, likewise */
	uint8_t nidx;
	int64_t index[ARRAY_DIMS];   /* of the parallel loop, when nidx */
	_Atomic uint64_t iterations; /* marked and not reported, of another thread than the owner */
	struct trace_loop loop;
	struct trace_frame frame[TRACE_FRAMES]; /* where a block begins */
	struct access_spot spot[TRACER_SITES];
	struct trace_enc enc;
};

/* There is no membarrier: who comes in makes a fence. */
extern bool tracer_fences;
extern __thread struct tracer *tracer_self __attribute__((tls_model("initial-exec")));

/* trace.c */
/* What sites have found is looked for again. */
void tracer_forget(struct tracer *t);
/* The blocks of a former program in this process are handed over; waits until they are taken, not
 * for long. */
void access_reader_over(struct page *p);
/* 0, or -1: there is no area, or no memory: nothing is recorded. */
int trace_init(void);
bool trace_is_there(void);
/* The tracer of this thread, made when it has none; NULL: there is none to be had. */
struct tracer *tracer_join(void);
/*
 * Makes a block ready for records, closes the present one first when it is full. False: nothing is
 * recorded any more, or this thread is not. May wait for a free block.
 */
bool tracer_turn(struct tracer *t, bool full);
/* As the thread itself, inside: closes its block, if one is open. */
void tracer_shut(struct tracer *t);
/* All blocks of all threads, by one that is inside; gives up on a thread that is in the way for
 * long. done: the others have made their last writes, and those are recorded. */
void tracers_close(bool done);
/* Those of the others. */
void tracers_close_others(bool done);
/* Other threads look at the gate before their next record. */
void tracers_alert(void);
/* Iterations that other threads have marked since this was asked last. */
uint64_t tracers_iterations(void);
bool tracers_any_other(void);
/* The end of the process: what was recorded is handed over. */
void trace_leave(void);
/* What comes from now on is in other blocks; threads may be running. */
void trace_cut(void);
/* The same before a stop, in which this thread records nothing; true: trace_park_end is due. */
bool trace_park_begin(void);
void trace_park_end(void);
/* A write to that address has not been done, for it has failed. */
void trace_fault(uint64_t fault);

/*
 * The thread's tracer, when it may record now; then tracer_leave is due. It is ready when that is
 * nonzero; else tracer_turn has to say so.
 */
static inline struct tracer *tracer_enter(void)
{
	struct tracer *t = tracer_self;

	if (__builtin_expect(!t, 0)) {
		t = tracer_join();
		if (!t)
			return NULL;
	}
	if (__builtin_expect(atomic_load_explicit(&t->busy, memory_order_relaxed) != 0, 0)) {
		t->missed++;
		return NULL;
	}
	atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	/* whoever wants to close our block makes this a real fence, by membarrier */
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(tracer_fences, 0))
		atomic_thread_fence(memory_order_seq_cst);
	return t;
}

static inline void tracer_leave(struct tracer *t)
{
	atomic_store_explicit(&t->busy, 0, memory_order_release);
}

static inline bool tracer_ready(struct tracer *t)
{
	return __builtin_expect(atomic_load_explicit(&t->ready, memory_order_relaxed) != 0, 1) ||
	       tracer_turn(t, false);
}

/* Calls an encoder until there was room for its record; false: nothing is recorded any more. */
#define TRACE_PUT(t, call)                             \
	({                                             \
		bool put_ = tracer_ready(t);           \
                                                       \
		while (put_ && !(call))                \
			put_ = tracer_turn((t), true); \
		put_;                                  \
	})

/* access.c */
void access_complete(struct tracer *t); /* the pending write, when there is one */
static inline void access_flush(struct tracer *t)
{
	if (t->pending.flags)
		access_complete(t);
}
/* Opens and shuts the hooks of the program and its libraries; wanted: allocations are. */
void access_gate(bool open, bool wanted);
/* Some part of the program has hooks. */
bool access_hooked(void);
/* There is a page now. */
void access_start(void);
/* Hooks report to uses.c as well. */
void access_uses(bool open);

/*
 * uses.c: which objects a construct reads and writes that does not say it (trace_config.uses).
 * inside: it is in a task. said: it says it. By the owner, with uses_end for each.
 */
void uses_begin(bool inside, bool said);
void uses_end(bool inside);
/* Whether the construct that is open, or has just ended, was seen from its beginning. */
bool uses_known(bool inside);
/* How it has used the object: 0, POINT_SUMS_READ, POINT_SUMS_WRITE or both. */
uint8_t uses_of(uint32_t var, bool inside);
/* By hooks, in any thread. */
void uses_access(uint64_t addr, uint64_t n, bool read, bool written);

/*
 * declare.c: notes for dynamic control, by kind, as common/trace/trace.h has them.
 */
struct rt_mpi_moved;
/* pc: behind the call of the mark; 0: of none. */
void declare_range(char kind, uint64_t addr, uint64_t bytes, uint64_t pc);
/* Iterations depend on each other as far as n indices below and above. */
void declare_across(uint64_t addr, unsigned n, const int64_t *below, const int64_t *above,
		    uint64_t pc);
void declare_after(int64_t task);
/* Of the construct that has begun. */
void declare_on(struct tracer *t, const struct stack_range *r);
/* As the thread, inside: that version's memory is there from now on. False: nothing is recorded
 * now. */
bool declare_moved_to(struct tracer *t, uint32_t version, uint64_t addr);
/* What a thread does in OpenMP, a note of the kind TRACE_NOTE_OPENMP. False: nothing is recorded
 * now. */
bool declare_openmp(const char *text);

/* openmp.c; a note of the thread, where reads are recorded: behind one that says where its stack
 * is */
void openmp_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define OPENMP_THREAD __thread __attribute__((tls_model("initial-exec")))
/* Memory that the thread got last for a task that it is going to create; id 0: for none. */
struct task_memory {
	uint64_t id, at, n;
};
extern OPENMP_THREAD struct task_memory task_memory;
struct task_memory openmp_memory(const void *at, size_t n);
/* The call of the program that begins the region which the thread begins next, with its registers,
 * and what is called with what in it; pc 0: that which has called the OpenMP runtime. */
struct begun_by {
	uintptr_t pc, sp, bp, code, data;
};
extern OPENMP_THREAD struct begun_by begun_by;
/* The thread comes to another loop or task. */
void openmp_loop(void);
/* So many bytes are read at once. */
void openmp_copied(uintptr_t from, size_t n);
struct dvmdbg_hooks;
void openmp_join(struct dvmdbg_hooks *h);

/* NULL: not all that MPI writes can be followed. */
void declare_moved(char kind, const struct rt_mpi_moved *m, uint64_t pc);

/* gate.c */
/* What other threads read: version is odd while the rest, or the stack in the page, changes. */
struct gate_shared {
	_Atomic uint64_t version;
	_Atomic uint64_t begun; /* version after the last BEGIN */
	uint32_t want, others;
	uint32_t depth; /* frames of the page that blocks begin with, of those the ones that were
			   said */
	bool announced[PAGE_FRAMES];
	uint8_t level[PAGE_FRAMES];
	struct trace_loop loop;
};
extern struct gate_shared gate;
extern bool gate_active; /* traces are taken at all */
static inline bool openmp_is_recorded(void)
{
	return gate_active && gate.want & TRACER_READS;
}
/* Marks, by the owner. */
void gate_begin(const struct rt_frame *f, int64_t number, const struct stack_range *range);
void gate_end(const struct rt_frame *f, bool left);
void gate_iteration(unsigned n, const int64_t *index);
/* Before the owner moves on: a block that a pending write begins says where that was. */
void gate_flush(void);
/* An object was registered, or forgotten: accesses from here on are to it, or no longer. */
void gate_objects(void);
/* The trace config, or levels of places, have changed. */
void gate_reload(void);
void gate_places(const struct trace_config_place *p, uint32_t n);
int gate_init(void);
/* The result of a reduction, as e says where and what it is; name: what it is called when it is not
 * registered. */
struct rt_mpi_reduces;
/* A reduction of MPI begins: a note, where reads are recorded. */
void gate_reduces(const struct rt_mpi_reduces *r);
/* A call of MPI has returned to pc, in any thread: a record, where calls are wanted. */
struct trace_call;
void gate_call(const struct trace_call *c, uint64_t pc);
void gate_reduction(struct page_entity *e, const char *name, size_t len, uint32_t loc, unsigned op);
/* The end of computations of this rank's own in the sequential branch, at the place. Recorded at
 * every level, as constructs are. */
void gate_skip(uint32_t loc);
/* MPI ends: what was written behind the last construct is compared there. */
void gate_finish(void);
/* A mark of another thread. */
void gate_other_iteration(unsigned n, const int64_t *index);
/*
 * What is open where a block of t begins: at most TRACE_FRAMES, and the last point. Other threads
 * take over what is shared with them, too.
 */
uint32_t gate_inspect(struct tracer *t, struct trace_frame *frame, struct point *point);

/* objects.c: registered objects by address. The owner refreshes, all threads look up. */
int objects_init(void);
/* Makes them agree with what is registered and where pointers point now; objects on a part of the
 * stack that is gone are forgotten. */
void objects_refresh(void);
/* That without forgetting any: where it is not known how much of the stack is gone. */
void objects_renew(void);
extern _Atomic uint32_t objects_stamp; /* changes whenever they do: what spots say holds no more */
/* The names of the filter have changed. */
void objects_filter(void);
/* Those of n that are levels of objects; objects_filter has to follow. */
void objects_levels(const struct trace_config_place *p, uint32_t n);
/* Fills in all but pc of the spot round the address. */
void objects_find(uint64_t addr, bool others, struct access_spot *s);
struct trace_object_item {
	const struct page_entity *e; /* what was registered */
	uint64_t addr;
	uint32_t version;
};
/* The version of something that is not registered; 0: no room. */
uint32_t objects_version(struct page_entity *e, const char *name, size_t len, uint32_t loc);
/* The i-th replicated object; false behind the last. */
bool objects_replicated(uint32_t i, struct trace_object_item *out);
/* Calls fn for each version of object i. */
void objects_versions(uint32_t i, void (*fn)(void *arg, struct page_entity *e), void *arg);
/* What is registered as that version; NULL: none, or it is of the heap. */
const struct page_entity *objects_entity(uint32_t version);

/* heap.c: allocated memory, from any thread. */
int heap_init(void);
void heap_add(uint64_t addr, uint64_t bytes, uint64_t pc);
void heap_remove(uint64_t addr);
/* Small blocks are kept, too, from here on. */
void heap_keep_all(void);
/* As objects_find, between lo and hi; false: not in any that is known, and *s is as it was. */
bool heap_find(uint64_t addr, struct access_spot *s, uint64_t *lo, uint64_t *hi);
extern _Atomic uint32_t nowhere_stamp; /* changes when what was nobody's may be somebody's */

/* values.c: the values of all replicated objects, at a construct's boundary; place is loc's. */
void values_record(struct tracer *t, uint32_t place);
/* A reduction's result, at the place loc's. */
void values_reduction(struct tracer *t, const struct page_entity *e, uint32_t version,
		      uint32_t place, unsigned op);

/* ---- callers.c: small functions count as part of what calls them, in surveys ---- */

void callers_init(void);
/* pc, or where the function that it is in, if it is one of those, was called from. frame: of the
 * function that a hook has called. */
uint64_t callers_site(uint64_t pc, const void *frame);

#endif
