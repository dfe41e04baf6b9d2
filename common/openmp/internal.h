/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DVMDBG_COMMON_OPENMP_INTERNAL_H
#define DVMDBG_COMMON_OPENMP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/hash.h"
#include "common/logical/point.h"
#include "common/openmp/openmp.h"

/*
 * A task is a row of steps: a step ends where it creates a task or a region, or has waited for
 * some. Tasks, regions and groups of an interval are numbered in it; numbers that may be missing
 * are + 1, 0 is none.
 */
enum task_kind {
	TASK_UNKNOWN, /* it runs, and its creation was not seen yet */
	TASK_TEAM,    /* the implicit task of a thread of the outermost region, in this interval */
	TASK_NESTED,  /* the implicit task of an inner region */
	TASK_EXPLICIT,
	/*
	 * What one thread executes of a construct of which each part is for any one (single,
	 * sections): another one might have. Also an iteration of a loop.
	 */
	TASK_PART
};

/*
 * Iterations of a loop in which nothing happens but accesses are one part as long as they follow
 * each other in a thread; each has a turn in it. When something happens in one
 * after all, it becomes a part of its own, and what it has accessed before is that's first step.
 */
struct alias {
	uint32_t task, turn, seg;
};

#define STEP_NEVER INT32_MAX

struct task {
	uint64_t id; /* 0: a part */
	uint8_t kind;
	bool started;			   /* lane and stack are known */
	bool aliased;			   /* some of its turns are parts of their own */
	uint32_t parent;		   /* + 1 */
	int32_t step;			   /* that runs */
	int32_t created;		   /* the parent's last step before it */
	int32_t joined;			   /* the parent's first step behind its end */
	int32_t real_created, real_joined; /* of a part: where it was executed */
	uint32_t loop;			   /* + 1: of a part: the loop it is an iteration of */
	uint32_t group;			   /* + 1: of tasks, that it is in */
	uint32_t open_group;		   /* + 1: the innermost that it has begun */
	uint32_t region;   /* + 1: the inner region it belongs to; 0: the outermost */
	uint32_t interval; /* of that region, in which it runs, or was created */
	int32_t *begun;	   /* NESTED: the step that begins each interval; owned */
	uint32_t nbegun;
	uint32_t waiting;    /* + 1: the last child that was not waited for */
	uint32_t next;	     /* + 1: of the parent's */
	uint32_t *successor; /* owned: that depend on its end */
	uint32_t nsuccessor;
	struct depend *depend; /* owned: of its children, by address */
	uint32_t ndepend;
	uint32_t lane;		    /* whose stack its frames are on, … */
	uint64_t stack;		    /* … below that */
	uint64_t bottom;	    /* of a thread of the program's own: and from there on */
	uint32_t tick;		    /* as that: how many operations it has done */
	bool releases;		    /* … the last one is an atomic one, whose access follows */
	uint32_t *lock, *exclusive; /* owned: that it has, as numbers of locks; by dependences */
	uint32_t nlock, nexclusive;
	uint32_t set;	 /* of them */
	uint32_t always; /* the set of what its dependences exclude */
};

/* What tasks of one parent say of an address. */
struct depend {
	uint64_t addr;
	int kind;	/* of the last that write */
	uint32_t *out;	/* owned: the last that write, … */
	uint32_t *in;	/* … that read since then, … */
	uint32_t *base; /* … and what comes before all of out, where these are not ordered */
	uint32_t nout, nin, nbase;
};

/* Who has begun a region: its stack pointer there, 0 not known. */
struct begun {
	bool known;
	uint32_t lane;
	uint64_t sp;
};

/* An inner region. */
struct region {
	uint64_t id;
	uint32_t parent; /* + 1: the task that began it */
	int32_t created, joined;
	uint32_t set; /* of locks that its parent had */
	struct begun begun;
};

struct group {
	uint32_t owner, outer; /* outer: + 1 */
	int32_t end;
};

/* A loop of which the thread's iterations are known beforehand: they run at the same time, from
 * where it begins there to where it ends. */
struct loop {
	uint32_t owner;
	int32_t end;
};

/* Accesses of one step with the same locks. */
struct seg {
	uint32_t task;
	int32_t step;
	uint32_t set;
};

#define ENTRY_WRITE 1u
#define ENTRY_ATOMIC 2u

struct entry {
	uint32_t seg, turn, site, next; /* next: + 1 */
	uint8_t mask, flags;		/* bytes of the cell */
	bool alone;			/* in the chain of one cell only */
};

/* An atomic operation, in its order: accesses of the task up to that step are before those behind
 * what acquires later; an acquiring one's own are from that step on. */
struct order {
	uint64_t addr, number;
	uint32_t task;
	int32_t step;
	bool acquires;
};

/* An operation on a lock that some thread had while it waited at a barrier; in its task's order. */
struct hand {
	uint32_t task, lock;
	int32_t behind; /* the first step that is behind it */
	bool acquires;
	bool kept; /* … before the interval */
};

/* All that the task does up to that step is before what the other does from that one on. */
struct edge {
	uint32_t task, to;
	int32_t step, behind;
};

/* Iterations wait for each other: a turn in an ordered region, which begins behind all that had it
 * before; or a post (the step is the last before it), and a wait for that (the first behind it). */
enum wait_kind { WAIT_POST, WAIT_SINK, WAIT_TURN };
struct wait {
	uint64_t key, number; /* number: of turns */
	uint32_t task;
	int32_t step, end; /* end: the turn's last */
	uint8_t kind;
};

/*
 * What threads of the program's own do for each other, in the order of the run (seq); tick: the
 * task's operations before it; n: what a semaphore or barrier was made with, of semaphores + 1.
 * Those up to DEPART are so in each run. Of CREATE and JOIN key is the number of a task.
 */
enum sync_what {
	SYNC_RELEASE,
	SYNC_ACQUIRE,
	SYNC_CREATE,
	SYNC_JOIN,
	SYNC_ONCE, /* what is executed once is over */
	SYNC_OVER, /* … and was seen to be */
	SYNC_POST,
	SYNC_WAIT,
	SYNC_ARRIVE,
	SYNC_DEPART
};
struct sync {
	uint64_t seq, key;
	uint32_t task, tick, n;
	uint8_t what;
};

/* Of an entry of an interval of such threads: the first and the last access. */
struct ticks {
	uint32_t first, last;
};

struct instant {
	uint32_t task, tick;
};

/* An access to memory of which it is not known yet whether it is the stack of another thread, or
 * which task has its frames there. */
struct later {
	uint64_t at;
	uint32_t seg, turn, site;
	uint32_t owner; /* if it is no stack */
	uint32_t tick;
	uint8_t size, flags;
};

/*
 * Memory, by cells of eight bytes. What the bits say of a cell: own: of a thread's stack or made by
 * it: the thread is sure to be the same; full: accesses were left out.
 */
#define PAGE_CELLS 32u
#define PAGE_BYTES (8 * PAGE_CELLS)
struct page {
	uint64_t at;	 /* the address, in pages */
	uint32_t owner;	 /* what the address is in: a version, a task + 1 */
	uint32_t object; /* number of a struct object */
	uint32_t own, written, full;
	uint32_t entry[PAGE_CELLS]; /* + 1: the last */
};

/* Registers of a function of the program that has called the runtime: its variables are above sp.
 */
struct call {
	uint32_t lane, site,
		code; /* places, + 1: of the call, of what threads call in the region */
	uint64_t sp, bp;
	uint64_t data; /* what they call that with, in the frame; 0: not known */
};

/* All that happens between two barriers of an outermost region. */
struct space {
	uint64_t root;
	uint64_t serial; /* from 1 on */
	uint32_t interval;
	uint32_t arrived;	     /* threads that have passed it */
	uint32_t left, total;	     /* of threads of the program's own; total 0: not known yet */
	uint32_t owner_lane;	     /* + 1: of their owner, when it is in it */
	uint32_t created, completed; /* tasks; threads of other teams may execute them */
	struct task *task;
	struct region *region;
	struct group *group;
	struct loop *loop;
	struct seg *seg;
	struct call *call;
	uint32_t *implicit; /* numbers of the tasks of teams, of inner regions too */
	uint32_t ncall, nimplicit, nloop;
	struct page *page;
	struct entry *entry;
	struct alias *alias;
	uint32_t nalias;
	struct later *later;
	struct order *order;
	struct hand *hand;
	struct edge *edge;
	struct wait *wait;
	struct sync *sync;
	struct ticks *tick;    /* of each entry, when ticks */
	struct clocks *clocks; /* owned; while it is judged */
	uint32_t nlater, norder, nhand, nedge, nwait, nsync;
	size_t room_tick;
	uint32_t ntask, nregion, ngroup, nseg;
	size_t npage, room_page, nentry, room_entry;
	struct hash task_at, region_at, seg_at, page_at, alias_at;
	bool limited;
	bool unsure;	     /* iterations wait for each other more often than is followed */
	bool locked_regions; /* inner regions were begun under locks */
	bool ticks;	     /* operations of its tasks are followed */
	bool threads;	     /* its tasks are threads that the program has begun by itself */
	bool unfollowed;     /* … with more locks and atomic operations than are kept */
};

/* An outermost region. */
struct root {
	uint64_t id;
	uint32_t n;	    /* threads; 0: not known yet */
	uint32_t site;	    /* + 1 */
	struct point point; /* the last one before it */
	struct call call;
	struct begun begun;
	bool numbered; /* what a thread accesses may depend on which one it is */
	bool league;   /* of teams, each of which may have several threads */
	bool threads;  /* of threads that the program has begun by itself */
};

struct frame {
	uint64_t id, root;
	uint32_t interval;
	bool team;	  /* the implicit task of the outermost region */
	bool alone;	  /* in a region of one thread */
	bool thread;	  /* a thread that the program has begun by itself, or their owner */
	bool owner;	  /* that */
	bool away;	  /* it waits for the end of another one, and is in no interval */
	uint64_t stack;	  /* its frames are below */
	uint32_t part;	  /* + 1: number of the task that is what it executes of a construct, … */
	uint32_t turn;	  /* … and that of the iteration in it */
	uint32_t plain;	  /* iterations in which nothing has happened, one after the other */
	uint64_t gathers; /* the part has several iterations: serial number of its interval */
	uint32_t site;	  /* + 1: the place of a loop of which nothing was seen yet */
	bool busy;	  /* it has accessed something since */
	bool elements;	  /* loops are statements with arrays */
	bool chunk;	  /* the OpenMP runtime has given it what it executes */
	uint32_t loop;	  /* + 1: whose iterations it executes, … */
	int32_t begun;	  /* … and the task's last step before it */
	uint32_t loops;	  /* that it has come to: as many as other threads of its team there */
};

/* Addresses, sorted, none twice: what is there now. The OpenMP runtime gives memory to one task
 * after the other. */
struct ranges {
	struct range {
		uint64_t lo, hi, id;
	} * range; /* owned */
	uint32_t n;
};

/* A private variable was read there that has no value. */
struct unset {
	uint32_t site, name;
};

/* What a thread does. */
struct lane {
	uint32_t thread;
	uint64_t lo, hi, own_lo, own_hi; /* its stack, and the variables that each thread has */
	struct frame *frame;
	size_t nframe;
	struct space *space;  /* of the innermost frame; NULL: none */
	uint32_t task;	      /* number there, of the frame's task */
	uint32_t seg;	      /* + 1: of accesses now */
	bool reads, writes;   /* other than variables of its own, since it has a lock, or none */
	bool foreign;	      /* it has accessed something, and is not OpenMP's */
	uint32_t turn;	      /* + 1: of waits; the ordered region that it is in */
	uint64_t variable;    /* of the critical region that it has next; 0: none */
	struct simd *simd;    /* owned; NULL: it is in no SIMD loop */
	struct ranges copies; /* of tasks that it has created or run */
	struct ranges fresh;  /* private variables without a value; the id: + 1 of names */
	struct unset *unset;  /* owned: that were read, and may be copied into a task */
	uint32_t nunset;
	struct ranges made; /* blocks that it has allocated for itself; the id is of the region */
};

/* OMPT's numbers. */
enum {
	MUTEX_LOCK = 1,
	MUTEX_NEST = 3,
	MUTEX_TRY_NEST = 4,
	MUTEX_CRITICAL = 5,
	MUTEX_ATOMIC = 6,
	MUTEX_ORDERED = 7,
	/* of ours: not OpenMP's; for those who only read */
	MUTEX_THREAD = 20,
	MUTEX_READ = 21
};

struct lock {
	int kind;
	uint64_t key;
	uint64_t variable; /* the program's; 0: none */
	bool waited;	   /* some thread has only read while it had it */
	uint32_t writers;  /* READ: + 1, the number of the same lock for those who write */
};

struct set {
	uint32_t *lock; /* owned; sorted */
	uint32_t n;
};

enum object_what { OBJECT_FOREIGN, OBJECT_STACK, OBJECT_MODULE, OBJECT_HEAP, OBJECT_ARRAY };

/* What memory is known as: for names. The first two objects have the numbers of their kinds. */
struct object {
	uint8_t what;
	uint32_t version;
	uint64_t class;		/* the same for what is one in findings */
	struct trace_spot spot; /* MODULE: the module; HEAP: where it was allocated; owned */
	uint64_t load;
	struct array_desc *desc; /* ARRAY; owned */
	uint64_t lo, hi;	 /* HEAP, ARRAY: its memory; 0: not known */
};

struct known_site {
	struct trace_spot spot; /* texts are owned */
	uint32_t block;		/* + 1: the object that blocks are which it allocates */
};

/* Two places that conflict. */
struct pair {
	uint32_t site[2];
	uint8_t flags[2];
	uint64_t class;
	uint64_t count;	    /* not reported yet */
	unsigned char *key; /* owned: as findings know it; NULL: it is foreign */
	uint32_t nkey;
};

struct openmp {
	struct point point; /* of the record */
	struct openmp_options o;
	const struct trace_block *block;
	struct lane *lane;
	size_t nlane;
	uint32_t now;
	struct space **space; /* owned */
	size_t nspace;
	struct root *root;
	uint32_t nroot;
	struct hash root_at;
	struct lock *lock;
	uint32_t nlock;
	struct hash lock_at;
	struct set *set;
	uint32_t nset;
	struct hash set_at;
	struct object *object;
	uint32_t nobject;
	struct hash version_at;
	struct known_site *site;
	uint32_t nsite;
	struct hash site_at;
	bool readers;			     /* some lock has been had for reading */
	uint32_t *block_site, *block_object; /* of the block's: number + 1 */
	size_t room_site, room_object;
	struct module_now {
		uint64_t lo, hi;
		uint32_t object;
	} * module, *ever; /* owned; of the block, and of any */
	uint32_t nmodule, never;
	struct ranges small;   /* blocks that are too small for an object; the id: of the next */
	struct ranges reduced; /* copies of what tasks reduce, each a thread's own */
	uint32_t *small_at;    /* owned; + 1: where they were allocated */
	uint32_t nsmall, block_without_site; /* + 1: the object of those */
	struct pair *pair;
	uint32_t npair;
	struct hash pair_at;
	struct trace_findings findings;
	struct space *ordered; /* the interval that `before` is about */
	struct memo *memo;     /* owned */
	uint64_t serials;      /* of intervals */
	struct moves *moves;   /* owned; NULL: there was no access yet */
	struct coarse {	       /* loops whose iterations some threads have not shown */
		uint32_t site; /* + 1 */
		bool shown;    /* another one has: it had none */
	} * coarse;	       /* owned */
	uint32_t ncoarse;
	char **fresh; /* owned: names of private variables */
	uint32_t nfresh;
	uint64_t accesses, regions, tasks;
	uint64_t why[OPENMP_WHYS];
	bool failed; /* no memory */
};

static inline struct lane *lane_now(struct openmp *e)
{
	return &e->lane[e->now];
}

/* A note: a letter, perhaps a word, and numbers. */
#define EVENT_NUMBERS 8
struct event {
	char kind, word;
	unsigned n;
	uint64_t v[EVENT_NUMBERS];
};

/* events.c */
int openmp_note(struct openmp *e, const struct trace_rec *r);
struct root *root_of(struct openmp *e,
		     uint64_t id); /* made when it is not known; NULL: no memory */
/* The task whose accesses these are: of the innermost frame, or the part that it executes. */
static inline uint32_t lane_unit(const struct lane *l)
{
	const struct frame *f = &l->frame[l->nframe - 1];

	return f->part ? f->part - 1 : l->task;
}

/* The innermost frame; NULL: the thread is in no region. */
static inline struct frame *lane_top(struct lane *l)
{
	return l->nframe ? &l->frame[l->nframe - 1] : NULL;
}
/* It is in another step, or has other locks. */
static inline void lane_moved(struct lane *l)
{
	l->seg = 0;
}

/* The innermost frame is another one, or what it is in. */
int lane_settle(struct openmp *e, struct lane *l);
/* The thread is in a call of the program's: pc behind it, sp, bp. */
void lane_calls(struct openmp *e, struct lane *l, const uint64_t v[3]);
/* What is over is judged and forgotten. */
int spaces_judge(struct openmp *e);

/* So many operations of the task are before its access. What an atomic operation releases has its
 * own access, too. */
static inline uint32_t task_tick(const struct task *t, unsigned flags)
{
	return t->tick - (t->releases && flags & ENTRY_ATOMIC);
}

/* threads.c; an event of a thread that the program has begun by itself */
int event_thread(struct openmp *e, struct lane *l, const struct event *v);
/* From here on entries say when. */
int space_ticks(struct space *s);
int sync_add(struct space *s, uint32_t task, enum sync_what what, uint64_t seq, uint64_t key,
	     uint32_t n);
/* The thread whose stack has the address; UINT32_MAX: none, or one after the other. */
uint32_t thread_owner(const struct space *s, uint64_t addr);

/* clocks.c */
/* Of an interval that is complete, whose operations it sorts: of threads, or of locks that tasks
 * of OpenMP may wait with. NULL: no memory. */
struct clocks *clocks_make(const struct openmp *e, struct space *s);
void clocks_free(struct clocks *c); /* NULL is fine */
/* There were more threads and operations than can be followed: all counts as ordered. */
bool clocks_are_full(const struct clocks *c);
/* Whether one is before the other in each run; in this one. */
bool clocks_certain(const struct clocks *c, const struct instant *a, const struct instant *b);
bool clocks_seen(const struct clocks *c, const struct instant *a, const struct instant *b);

/* loops.c; events of work, of parts and iterations, of a loop that the compiler divides */
int event_work(struct openmp *e, struct lane *l, const struct event *v);
int event_part(struct openmp *e, struct lane *l, const struct event *v);
int event_divided(struct openmp *e, struct lane *l, const struct event *v);
/* Something happens in what the thread executes. */
int lane_happens(struct openmp *e, struct lane *l);
/* The seg of an access in that turn. */
uint32_t seg_of_turn(const struct space *s, uint32_t seg, uint32_t turn);
/* The loop of which the thread executes iterations is over, if it is in one. */
int lane_loop_end(struct openmp *e, struct lane *l, struct frame *f);
/* Of the loop there was no iteration on this thread: it had none, or they are not seen. */
int frame_unseen(struct openmp *e, struct frame *f, bool shown);
/* What the thread accesses may depend on its number. */
int lane_numbered(struct openmp *e, struct lane *l);
/* A note of a block that the thread has allocated. */
int lane_made(struct openmp *e, struct lane *l, const struct trace_rec *r);

/* space.c */
struct space *space_get(struct openmp *e, uint64_t root, uint32_t interval);
void space_free(struct space *s);
/* The number of the task, made when it is not known yet; UINT32_MAX: no memory. */
uint32_t space_task(struct openmp *e, struct space *s, uint64_t id);
/* loop: + 1, of which it is an iteration, begun behind that step; 0: of none. */
uint32_t space_part(struct openmp *e, struct space *s, uint32_t parent, uint32_t loop,
		    int32_t begun);
/* Whether a part that begins there is like that one. */
bool space_is_part(const struct space *s, uint32_t part, uint32_t parent, uint32_t loop,
		   int32_t begun);
/* It is the implicit task of a thread. */
int space_implicit(struct space *s, uint32_t task, unsigned kind);
uint32_t space_region(struct openmp *e, struct space *s, uint64_t id);
uint32_t space_seg(struct openmp *e, struct space *s, uint32_t task);
int task_lock(struct openmp *e, struct task *t, int kind, uint64_t key, bool held);
/* The lock is that variable of the program. */
int lock_known_as(struct openmp *e, int kind, uint64_t key, uint64_t variable);
int task_inherit(struct task *t, const struct task *from);
/* The thread has passed a barrier: what it has locked as one task it has as the next one. */
int task_keeps(struct openmp *e, struct space *s, uint32_t task, const struct task *from);
/* UINT32_MAX: no memory. */
uint32_t lock_number(struct openmp *e, int kind, uint64_t key);
/* Whether they have one lock in common; in two teams: one that the whole device has. */
bool sets_meet(const struct openmp *e, uint32_t a, uint32_t b, bool two_teams);
int task_depends(struct openmp *e, struct space *s, uint32_t parent, uint32_t task, int kind,
		 uint64_t addr);

/* order.c */
/* The task above it; + 1, 0: none is known. */
uint32_t task_parent(const struct space *s, const struct task *t);
/* The implicit task of the outermost region that the task is below; UINT32_MAX: not known. */
uint32_t task_team(const struct space *s, uint32_t task);
/* Whether what a does is before what b does, or behind it. own: on the stack of their thread. */
bool segs_are_ordered(struct openmp *e, struct space *s, uint32_t a, uint32_t b, bool own);
/* As that, also by atomic operations, as they were in this run. */
bool segs_were_ordered(struct openmp *e, struct space *s, uint32_t a, uint32_t b, bool own);
/* A note of one. */
int order_add(struct space *s, uint32_t task, bool acquires, uint64_t addr, uint64_t number);
void order_forget(struct openmp *e);

/* handover.c */
struct hands;
/* The task acquires or releases the lock, which ends its step; or has had it before the
 * interval. */
int hand_add(struct space *s, uint32_t task, uint32_t lock, bool acquires);
int hand_keep(struct space *s, uint32_t task, uint32_t lock);
/* Of an interval that is complete. NULL: no memory. */
struct hands *hands_make(const struct space *s);
void hands_free(struct hands *h); /* NULL is fine */
/* Of the i-th of hands_tasks: the first step that is behind all that the task does up to that one;
 * false: none is. */
uint32_t hands_tasks(const struct hands *h);
bool hands_next(const struct hands *h, uint32_t task, int32_t step, uint32_t i, uint32_t *to,
		int32_t *behind);

/* fresh.c; a note of a private variable that has no value */
int lane_fresh(struct openmp *e, struct lane *l, const struct trace_rec *r);
/* The thread has accessed something; that value is there. */
int fresh_access(struct openmp *e, uint32_t site, uint32_t object, uint64_t at, unsigned flags,
		 uint64_t value);
/* What was read without a value is a finding; copied: but not what was read right before that,
 * where a task is created: its copies need not have a value. */
int unset_report(struct openmp *e, struct lane *l, uint32_t copied);
/* The innermost task is another one: variables are no more. */
int fresh_forget(struct openmp *e, struct lane *l);

/* edges.c */
/* The unit of the task whose end the event is fulfilled for: what waits for it is behind this. */
int edge_fulfil(struct space *s, uint32_t task, uint32_t detached);
int wait_add(struct openmp *e, struct lane *l, enum wait_kind kind, uint64_t key, uint64_t number);
void wait_end(struct lane *l);
/* Of a loop that is the frame's newest. */
uint64_t wait_key(const struct lane *l, const uint64_t *v, unsigned n);
/* Of an interval that is complete: what waits make known, and all are sorted. */
int edges_make(struct space *s);
/* The first of the task's from that step on. */
uint32_t edges_of(const struct space *s, uint32_t task, int32_t step);

/* memory.c */
/* These n bytes are that from here on, and nothing else; id 0: they are nothing. */
int ranges_put(struct ranges *r, uint64_t id, uint64_t addr, uint64_t n);
/* What is there; NULL: nothing. */
const struct range *range_of(const struct ranges *r, uint64_t addr);
/* The block was allocated by the call before pc. */
int small_add(struct openmp *e, uint64_t addr, uint64_t bytes, uint64_t pc);
/* What that task has accessed there before are the copies of another one, which it creates. */
void later_claim(struct space *s, uint32_t unit, uint64_t id, uint64_t addr, uint64_t n);
/* All tasks of the interval are known: what was left for later. */
int space_settle(struct openmp *e, struct space *s);
int openmp_access(struct openmp *e, uint32_t site, uint32_t object, uint64_t at, unsigned flags);
/* Accesses of one place to bytes behind each other, which are counted already; not in SIMD loops.
 */
int openmp_sweep(struct openmp *e, const struct trace_slot *slot, uint64_t at, uint64_t bytes);
/* Of a place as site_of_pc has it. */
int openmp_access_of(struct openmp *e, uint32_t place, uint32_t object, uint64_t at,
		     unsigned flags);
/* cells.c */
/* What is accessed, and by whom. */
struct touch {
	uint64_t at;	/* address, or offset in the object */
	uint32_t owner; /* as of a page; and object and own */
	uint32_t seg, object, tick, site, turn;
	uint8_t flags; /* as of an entry */
	bool own;
};
/* So many bytes. The same access again adds nothing. */
int space_touch(struct openmp *e, struct space *s, const struct touch *t, unsigned size);

/* moved.c: MPI has written or read memory in a call of this thread: a note of control, 'G' or 'U'.
 */
int openmp_moved(struct openmp *e, const struct trace_rec *r);
/* The newest object that has the address; its number in the block, TRACE_NOWHERE: there is none. */
uint32_t object_at(struct openmp *e, uint64_t addr);

/* judge.c */
/* All that conflicts in it is found. */
int space_judge(struct openmp *e, struct space *s);
int coarse_report(struct openmp *e);

/* simd.c */
int event_simd(struct openmp *e, struct lane *l, const struct event *v);
/* An access in a SIMD loop; at: address, or offset in the object. */
int simd_access(struct openmp *e, struct lane *l, uint32_t site, uint32_t object, uint64_t at,
		unsigned flags);
/* What conflicts in it is found, and it is forgotten. */
int simd_end(struct openmp *e, struct lane *l);
void simd_free(struct lane *l);

/* pairs.c */
/* A conflict, or some: the place that writes is the first. */
#define RACE_LOCKS 6
struct race {
	uint32_t site[2];
	uint8_t flags[2];
	uint32_t object;
	uint64_t at; /* address, or offset in the object */
	unsigned size;
	const char *note;	   /* borrowed, as call is; @N: the variable of lock[N - 2] */
	const struct call *call;   /* in whose frame it is; NULL: in none */
	uint32_t region;	   /* + 1: where it begins */
	struct point point;	   /* the last one before that */
	uint64_t lock[RACE_LOCKS]; /* variables of locks and critical regions */
	unsigned nlock;
	int64_t order[2];
	uint64_t count;
};
/* It is counted; else race_add adds it. Only for that note and call are needed. */
bool race_is_known(struct openmp *e, const struct race *r);
int race_add(struct openmp *e, const struct race *r);
void pairs_flush(struct openmp *e);
void pairs_free(struct openmp *e);

/* names.c */
int names_begin(struct openmp *e);
void names_free(struct openmp *e);
uint32_t site_known(struct openmp *e, uint32_t site);
/* The place of an address in the program. + 1; 0: not known */
uint32_t site_of_pc(struct openmp *e, uint64_t pc);
uint32_t object_known(struct openmp *e, uint32_t object);
/* A block that was allocated at that site. */
uint32_t object_of_block(struct openmp *e, uint32_t site);
/* The module that has the address, as an object; OBJECT_FOREIGN: none. */
uint32_t object_of_module(struct openmp *e, uint64_t addr);
/* As that, also when the module is one of an earlier block. */
uint32_t object_of_variable(struct openmp *e, uint64_t addr);
/* What is at that address of a stack, as far as calls show. */
void stack_thing(const struct openmp *e, const struct call *found, uint64_t at,
		 struct trace_thing *out);
/* The call that is made in the frame there; NULL: not known. */
const struct call *stack_call(const struct openmp *e, const struct space *s, uint64_t at);
/* What is at that place of the object; texts are borrowed. */
void object_thing(const struct object *o, uint64_t at, unsigned size, struct trace_thing *out);

#endif
