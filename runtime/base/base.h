/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside libdvmdbg. Everything here belongs to the owner, the thread that ran the constructor;
 * other threads and forked children fail rt_enter. Nothing allocates after the constructor.
 */
#ifndef DVMDBG_RUNTIME_RT_H
#define DVMDBG_RUNTIME_RT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"
#include "common/logical/point.h"
#include "common/protocol/report.h"
#include "common/protocol/rule.h"
#include "runtime/page/page.h"

#define RT_PUBLIC __attribute__((visibility("default")))
#define RT_FRAMES 1024			     /* constructs followed; deeper ones are only counted */
#define RT_LOCS 16384			     /* places known */
#define RT_OVERFLOW UINT32_MAX		     /* id of a construct that is too deep to be followed */
#define RT_STACK_REACH ((uint64_t)120 << 20) /* nothing else is mapped so close under its top */

struct layout;
struct rt_mpi_ops;

/* A place: loc[0] is the unknown one. */
struct rt_loc {
	const char *file, *func; /* as the program passed them: identity, and borrowed text */
	uint64_t pc;		 /* of a call without file and line */
	uint32_t line, kind;
	uint32_t off;			       /* of its struct page_loc in the arena, 0: no room */
	uint32_t match_gen, match_at, match_n; /* rules that name it, for stop/rules.c */
	uint32_t level_gen, level_at;	       /* its level of traces, for record/gate.c */
	uint64_t found;			       /* findings reported here, a bit each */
	uint32_t checked; /* objects registered here that were compared with their blocks */
	uint32_t func_len;
	bool unended;	    /* a construct that begins here has been seen to lack its end */
	bool named;	    /* func is its own name, not that of the function around it */
	uint64_t hash;	    /* of what is equal on all ranks */
	uint64_t vaddr;	    /* of pc in its module */
	const char *module; /* in the arena, NULL: file and line are known */
};

struct rt_frame {
	uint32_t id, loc;
	uint8_t kind;
	bool numbered, misplaced, ending;
	uint32_t loop_depth;	    /* sequential loops and task regions open, this one included */
	uint32_t loop_outer;	    /* rt.loop before this one */
	uint32_t history;	    /* index + 1, 0: none */
	uint64_t caller;	    /* rt.caller where it was opened */
	uint64_t mark, mark_caller; /* where its last iteration was marked, and rt.caller there */
	uint64_t result; /* of a collective call: what all ranks receive is put there; 0: nothing is
			  */
	struct point point;
};

struct rt {
	struct page *page;
	_Atomic uint32_t *on; /* 1; alone on a page that reads 0 in forked children, with [1]: a
			       * thread has records, [2]: calls of MPI are recorded */
	bool busy;	/* inside the runtime already: a mark from a signal handler is ignored */
	bool announced; /* the first mark has been seen */
	bool exiting;	/* exit has been called: nothing waits any more */
	bool sees_free; /* free comes to us: what is registered in the end is there */
	bool kept; /* the page is our own: supervisors come and go */
	int saved_errno;
	uint64_t caller; /* the last mark: no variable of the program that lives is below */

	/* stack.c */
	struct rt_frame frame[RT_FRAMES];
	uint32_t depth, overflow, next_id;
	uint32_t loop; /* index + 1 of the innermost frame that takes iteration marks */
	uint32_t open[CONSTRUCT_KINDS];
	uint32_t misplaced;	      /* open frames that are */
	uint32_t main_n;	      /* numbered so far */
	uint32_t unmarked_n;	      /* calls of MPI, or regions of OpenMP, numbered so far */
	uint32_t mark;		      /* main << 1 | side of the last mark's point outside tasks */
	struct point before;	      /* the point that was passed before the last */
	uint32_t region, task, sub_n; /* inside a task: where, and numbered in it so far */
	struct point last;	      /* last point passed */
	uint64_t hash;
	uint64_t start_usec;

	/* stop/stop.c: the plan that is obeyed */
	struct plan plan;
	uint32_t plan_left;		  /* steps or iterations to go */
	uint32_t plan_depth;		  /* PLAN_ITER: loop depth where it began */
	uint32_t plan_finish;		  /* PLAN_FINISH: id of the frame, 0: none */
	struct trace_config trace_config; /* what checksums to take; set by rules_load */

	const struct rt_mpi_ops *mpi; /* to poll while parked, NULL: not allowed */
	_Atomic uint32_t crashed;     /* the thread that is parked in stop/crash.c */
	void (*at_first)(void);	      /* the first mark */
	void (*at_mark)(void);	      /* every mark, once it has entered; NULL: nothing */
	void (*at_iterations)(bool);  /* iterations of parallel loops are wanted, or no more */
	void (*at_region)(const void *pc, int begins); /* OpenMP, a parallel region */
	void (*at_off)(void);	      /* what else is to be done when it is switched off */
	void (*at_end)(uint32_t var); /* that object is about to go */
	uint64_t stack_top;	      /* near the top of the owner's stack */
};

extern struct rt rt;
extern struct rt_loc *rt_loc;
extern int dvmdbg_active;
extern _Atomic int dvmdbg_iterations;

/* state.c */
extern __thread bool rt_owner __attribute__((tls_model("initial-exec")));
/* Somebody takes notice of what is in the page. */
static inline bool rt_supervised(void)
{
	return atomic_load(&rt.page->exec_pid) != 0;
}
/* Switches the runtime off for good; the program runs on. */
void rt_off(void);
/* Keeps "die with the supervisor" in step with page.on_exit_run. */
void rt_deathsig(void);
/* Fresh zeroed pages for ourselves, NULL when there are none. */
void *rt_pages(size_t n);
uint64_t rt_usec(void); /* CLOCK_MONOTONIC */

/* Whether marks of parallel loops' iterations have to be reported: the same that a hooked program
 * asks. */
static inline bool rt_iterations(void)
{
	return __builtin_expect(atomic_load_explicit(&dvmdbg_iterations, memory_order_relaxed) != 0,
				0);
}

static inline bool rt_is_on(void)
{
	return rt.on && atomic_load_explicit(rt.on, memory_order_relaxed);
}

/* True when the caller, who is no mark, may go on; then rt_leave is due. */
static inline __attribute__((always_inline)) bool rt_enter_unmarked(void)
{
	if (!rt_owner || !rt_is_on() || rt.busy)
		return false;
	rt.busy = true;
	rt.caller = (uintptr_t)__builtin_frame_address(0);
	rt.saved_errno = errno;
	return true;
}

/* The same of a mark: there are some. */
static inline __attribute__((always_inline)) bool rt_enter(void)
{
	if (!rt_enter_unmarked())
		return false;
	if (!rt.announced)
		rt.at_first();
	if (__builtin_expect(rt.at_mark != NULL, 0))
		rt.at_mark();
	return true;
}

static inline void rt_leave(void)
{
	errno = rt.saved_errno;
	rt.busy = false;
}

/* arena.c: offsets in page.arena; 0 when there is no room (a finding says so once). */
int arena_init(void);
uint32_t arena_take(size_t n); /* zeroed, aligned to 8 */
uint32_t arena_string(const char *s, size_t len);
static inline void *arena_at(uint32_t off)
{
	return rt.page->arena + off;
}

/* Places, as indices of rt_loc. func need not end with NUL; its text must stay. */
/* named: func is the construct's own name. */
uint32_t arena_loc_of_line(int kind, const char *file, int line, const char *func, bool named);
uint32_t arena_loc_of_pc(int kind, uint64_t pc, const char *func, size_t len);

/* Whether file and line, a name or an address, as in struct rule, are that of the place. */
bool arena_loc_is(unsigned kind, const char *file, uint32_t line, uint64_t vaddr,
		  const struct rt_loc *l);

/* find.c: once per kind and place; detail says what, in words. */
void find_add(enum finding_kind kind, uint32_t loc, const char *detail);
/* FINDING_STORED at an address in a module, from the registration at loc. */
void find_stored(uint32_t loc, uint64_t addr, const char *detail);
/* The same from any thread, at an address of code. */
void find_at(enum finding_kind kind, uint64_t pc, const char *detail);
/* From any thread, once per process. */
void find_thread(const char *what, const char *file, int line);
struct text {
	char *at;
	size_t n, cap;
};
void text_str(struct text *t, const char *s);
void text_num(struct text *t, int64_t v);

/* What a mark says of a loop: its range, and what it is mapped on. */
struct access;
struct stack_range {
	uint32_t ndim;
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS];
	uint64_t on;
	/* of the array it is mapped on: what is added to which of the loop's indices, from 0 (-1:
	 * any) */
	uint32_t non;
	int64_t shift[ARRAY_DIMS], by[ARRAY_DIMS];
	const struct access *access; /* NULL: not said */
	uint64_t pc, sp, bp;	     /* of the program's call of the mark; pc 0: not known */
};

/* In the function that the program calls, with its frame, and where it returns to. */
static inline void rt_called_by(struct stack_range *r, const void *frame, uint64_t pc)
{
	r->pc = r->sp = r->bp = 0;
#if defined(__x86_64__)
	if (((const uint64_t *)frame)[1] != pc)
		return;
	r->pc = pc;
	r->bp = ((const uint64_t *)frame)[0];
	r->sp = (uintptr_t)frame + 2 * sizeof(uint64_t);
#endif
}

/* vars.c */
/* A list of integers, borrowed: where the first is, bytes of each, and from one to the next. Or
 * blocks of them. */
struct var_list {
	const void *first;
	unsigned bytes;
	ptrdiff_t step;
	int64_t from, every,
		block; /* block not 0: from, from + 1, … block of them, and again from `every` on */
};
/* There is a list. */
static inline bool var_is_list(const struct var_list *l)
{
	return l->first || l->block;
}
int64_t var_list_at(const struct var_list *l, uint32_t i);
struct var {
	const char *name;
	size_t len;
	bool by_name; /* the name alone is the identity */
	uint32_t loc;
	struct page_entity e;		   /* all but name, loc, next, field, list */
	struct var_list index[ARRAY_DIMS]; /* with e.list_n; if var_is_list */
	const struct dvmdbg_field *field;  /* borrowed, with e.nfield */
	uint64_t room;			   /* elements that the memory has, 0: not known */
	uint64_t row;	/* elements between rows as the type says, 0: it does not */
	bool first_own; /* the address is that of the first own element, not of the first stored */
	int declared; /* type of the expression, where another one is given; -1: it is not known */
	int64_t offset; /* of a field: bytes from the address to it in the first structure */
	int64_t apart;	/* elements from one structure to the next; 0: it is no field */
	bool part;	/* the last dimension is the field's own, an array in each structure */
	uint32_t rows; /* bytes from the pointer to a row to the next one; addr is that of the first
			  pointer; 0: the array is one block */
};
/* Bytes of an element of a type; 0 when the type does not say. */
size_t var_size(unsigned type);
/*
 * Own indices of dimension d are not all from own_lo to own_hi, but every step the next `block` of
 * them (0: 1); step 0: all.
 */
void var_every(struct var *v, uint32_t d, int64_t step, int64_t block);
/* Its part belongs to copy number `copy` of `copies`; see struct dvmdbg_array. */
void var_copies(struct var *v, int copies, int copy);
/* It is of one rank only: of this one, if owns. */
void var_mapped(struct var *v, bool owns);
void var_register(struct var *v);
/* elsewhere.c: the stride of an array whose rows are allocated one by one; what is wrong with them
 * is a finding. */
bool var_rows_ok(struct var *v);
/* A finding: the registration of v is not valid. False. dim: "in dimension dim + 1"; -1: none. */
bool var_fault(const struct var *v, const char *what, int dim, const char *more);

#define VAR_NAME 300 /* room for a name */
/* fields.c: of the fields of v; what is wrong with them is a finding. */
bool var_fields_ok(const struct var *v);
/*
 * A member of an array of structures alone is registered as a[].x, or a(:)%x: its name, with
 * brackets for each dimension, in out. NULL: it is named as it is.
 */
const char *var_member_name(const struct var *v, char *out, size_t room);
/* An object is called so, or is a field of structures that are; p(:)%x of p[]%x as well. */
bool var_name_matches(const char *have, const char *name, size_t len, bool any_case);
/* v is an array of structures: each of its fields becomes an array. */
void var_register_fields(const struct var *v);
/*
 * Where the fields of the structures are that begin at data, in at, which has room for `most`;
 * those that are arrays themselves come last. Returns how many: 0, there is only something else, or
 * nothing.
 */
unsigned var_fields_at(uint64_t data, uint64_t *at, unsigned most);
/* The first of them, on which iterations are mapped; data where there are none. */
uint64_t var_field_first(uint64_t data);
/* Object i is a field of structures of that name. */
bool var_is_field_of(uint32_t i, const char *name, size_t len);
/* Objects i and k are fields of the same structures. */
bool var_same_structure(uint32_t i, uint32_t k);

/* Whether an array that was registered there, or under that name, has no elements at all. */
bool var_empty(uint64_t data);
bool var_empty_name(const char *name, size_t len);
void var_forget(uint64_t addr);
/* The block that begins there is going to be freed. True: it was registered, and is not looked at
 * until it is again. */
bool var_freed(uint64_t addr);
/* The same of a block of n bytes, which nobody else looks after: objects in it are forgotten. */
bool var_block_freed(uint64_t addr, uint64_t n);
/* Object i is known by a pointer, and what that pointed to is not there any more. */
bool var_gone(uint32_t i);
void var_forget_name(const char *name, size_t len);
/* Forgets what is on the part of the stack that is no more. */
void var_forget_stack(void);
/* Objects ever registered; they keep their numbers 0 … var_count() - 1. */
#define VAR_MOST 8192
#define VAR_NONE UINT32_MAX
uint32_t var_count(void);
/* The arena offset of object i, and where it was registered last. */
uint32_t var_entity(uint32_t i, uint32_t *loc);
/* What of it is here; lists stay in the arena. False: it is too large for offsets of 64 bits. */
bool var_layout(const struct page_entity *e, struct layout *l);
/* Object i is live, and its data begin at that address now; that of a structure is all its fields'.
 */
bool var_begins(uint32_t i, uint64_t data);
/* The newest live object of that name, whatever the case of letters, or a field of structures of
 * that name; VAR_NONE: there is none. */
uint32_t var_find(const char *name, size_t len);
/* Changes with every registration, and when something is forgotten. */
uint32_t var_changes(void);

/* block.c: the allocated block that addr is in, *lo … *hi - 1. False: it is not known. */
bool block_find(uint64_t addr, uint64_t *lo, uint64_t *hi);

/* stored.c: the newest object that has the byte there, as its offset in the arena; 0: none has. */
uint32_t var_having(uint64_t addr);
/*
 * stored.c: an array whose bytes begin at addr, in no block of an allocator: when they are in a
 * module, FINDING_STORED reports where, once per place.
 */
void var_stored(const struct var *v, uint64_t addr, int64_t bytes);

/*
 * refused.c: registrations that are refused are findings already; that constructs name such an
 * array is none of its own.
 */
void var_refuse(const struct var *v);
bool var_refused(uint64_t data);
bool var_refused_name(const char *name, size_t len);

/* wait.c: raises event_seq, which wakes the supervisor. */
void wait_notify(void);
/*
 * Sleeps until done(arg) or the runtime is off; meanwhile serves the supervisor, and dies or goes
 * off with it. done is asked whenever page.wake has changed, and every second at least.
 */
void wait_polling(bool (*done)(uint64_t arg), uint64_t arg, bool poll);
/* The same in any thread, without a word to MPI; memory is read for the supervisor by the owner
 * only. */
void wait_for(bool (*done)(uint64_t arg), uint64_t arg);
/* One look of wait_polling, and a sleep of ns at the most; false: the runtime is off. */
bool wait_turn(long ns, bool poll);
/* Until page.wake changes, a second at the most. */
void wait_sleep(void);

/* probe.c */
/* Bytes at addr can be read. sure: also where mapped pages are not for reading; takes longer. */
bool probe(uint64_t addr, uint64_t len, bool sure);
/* To be called at each mark: small ranges are remembered. */
void probe_start(void);

#endif
