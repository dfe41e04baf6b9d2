/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared page: everything that passes between dvmdbg-exec and the program it supervises. A
 * memfd that the supervisor makes; the program maps it through /proc/<supervisor>/fd/<n> (named in
 * DVMDBG_PAGE) and keeps no descriptor open. Both sides sleep on futexes in it. The supervisor
 * treats everything in it as hostile: a program that runs wild can write anything here.
 *
 * A program that is started with DVMDBG_ATTACH makes it itself, and keeps the descriptor, for a
 * supervisor that comes later, and may go (dvmdbg attach).
 *
 * Who writes what: "exec" members only the supervisor, the others only the program (its owner
 * thread, or the signal handler of a crash).
 */
#ifndef DVMDBG_RUNTIME_PAGE_H
#define DVMDBG_RUNTIME_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/protocol/trace_config.h"
#include "common/logical/point.h"
#include "common/protocol/rule.h"
#include "common/array/section.h"
#include "common/markcode/markcode.h"
#include "common/mpistate/mpistate.h"

#define PAGE_MAGIC 0x31475044u /* "DPG1" */
#define PAGE_VERSION 21

#define PAGE_FILE "dvmdbg" /* the name of the memfd */
#define PAGE_FRAMES 64
#define PAGE_HISTORY 65536  /* constructs remembered; a power of two */
#define PAGE_ARENA (16u << 20) /* bytes; sparse until used */
#define PAGE_RULES (8u << 20)  /* bytes of each of the two lists of rules; sparse */
#define PAGE_BOUNCE 65536
#define PAGE_FINDINGS 256
#define PAGE_AWAY 256 /* arrays whose elements are not in memory */
#define PAGE_ABORT_TEXT 256 /* bytes of what the C library has said before it aborted */
#define PAGE_SUMS (8u << 20) /* bytes of the queue of checksums; a power of two; sparse */

enum page_state {
	PAGE_FRESH = 0,	  /* the runtime has not come up */
	PAGE_RUNNING = 1,
	PAGE_PARKED = 2,  /* the owner thread waits in stop/stop.c */
	PAGE_OFF = 3,	  /* the runtime has switched itself off; the program runs on */
};

enum page_leaving { PAGE_STAYS = 0, PAGE_LEAVES = 1, PAGE_LEAVES_SEEN = 2 };

struct page_frame {
	uint8_t kind;	/* enum construct_kind */
	uint8_t nidx;	/* iteration index values in idx; 0: not inside an iteration */
	uint8_t ending; /* at its end */
	uint8_t pad;
	uint32_t loc;	/* arena offset of a struct page_loc */
	uint32_t main, task, sub; /* point number when numbered */
	uint32_t pad2;
	int64_t idx[ARRAY_DIMS];
};

/* The global range of a frame's iterations, as announced; ndim 0: not said. */
struct page_range {
	uint32_t ndim, pad;
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS];
	uint64_t on; /* address of the array they are mapped on, 0: none */
};

/* A source position, interned once. Offsets 0 mean absent. */
struct page_loc {
	uint32_t file;	 /* arena offset of a string; 0: use module and vaddr */
	uint32_t line;
	uint32_t func;	 /* string */
	uint32_t module; /* string, path of the object that holds the call */
	uint64_t vaddr;	 /* address of the call in that object's own address space */
	uint32_t kind;	 /* enum construct_kind it was first used for */
	uint32_t pad;
};

/* A registered object; its fields follow as arena offsets. See common/array/array.h for the
 * meaning. */
struct page_entity {
	_Atomic uint32_t live; /* 0: forgotten, or being changed */
	uint32_t name;	 /* string */
	uint32_t loc;
	uint8_t kind;	 /* enum array_kind */
	uint8_t type;
	uint8_t order;	 /* 'C' or 'F' */
	uint8_t by_pointer; /* addr is that of a pointer variable */
	uint32_t elem_size;
	uint32_t ndim;
	uint64_t addr;
	int64_t before; /* bytes from the first stored element to where addr, or its pointer, points
			 */
	int64_t offset; /* of a field: bytes from the beginning of its structure; addr is that of
			   the structures */
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	int64_t own_lo[ARRAY_DIMS], own_hi[ARRAY_DIMS];
	int64_t halo_lo[ARRAY_DIMS], halo_hi[ARRAY_DIMS];
	int64_t stride[ARRAY_DIMS];
	uint32_t list[ARRAY_DIMS]; /* arena offset of int64_t[list_n], 0: box */
	uint32_t list_n[ARRAY_DIMS];
	uint32_t nfield;
	uint32_t field;	 /* arena offset of struct page_field[nfield] */
	uint32_t copies, copy, periodic; /* as in struct array_desc */
	uint32_t serial; /* rises with every registration: among equal names the highest is meant */
	uint32_t away; /* number from 1 in page.away; 0: its elements are in memory */
	uint32_t apart; /* bytes from the pointer to a row to the next one; 0: it is one block */
	uint64_t table; /* where the first one is; the rows are copied to addr, one behind the
			   other. 0: they are not, addr is that of the first pointer */
	_Atomic uint32_t next; /* arena offset of the next entity, 0: last */
	uint32_t
		counter; /* objects of this name and place that were there when it was registered */
	_Atomic uint32_t freed; /* its memory has gone since; it is live until it is forgotten */
	_Atomic uint32_t used; /* of a version of it: see runtime/record/uses.c */
};

/* Of an array whose elements the program's functions bring. */
struct page_away {
	uint32_t fixed;		  /* there is no function that takes them back */
	_Atomic uint32_t brought; /* once at least */
	_Atomic int32_t status;	  /* of the last call */
};

struct page_field {
	uint32_t name, type, offset, count;
};

/* One construct that has begun, for `points` and the numbering check. */
struct page_history {
	uint32_t main, task, sub;
	uint32_t loc;
	uint64_t begin_usec, end_usec; /* since start; end 0: still open */
	uint64_t hash; /* running over places of main constructs, after this one */
};

struct page_finding {
	uint32_t kind; /* enum finding_kind */
	uint32_t loc;
	uint64_t pc; /* where it is when there is no loc; 0: not known */
	struct point point;
	char detail[192];
};

/*
 * One of two; the one that page.rule_seq & 1 selects is valid. Plans change often and rules seldom:
 * the list is the one that `which` names, and has been copied already when version is the same. The
 * other list is free to be written.
 */
struct page_order {
	uint32_t n, which, version;
	uint32_t nwatch, nplace; /* they belong to the version too */
	struct plan plan;
	struct trace_config trace_config;
	struct watch watch[WATCH_MOST];
};

#define PAGE_RULES_MAX (PAGE_RULES / sizeof(struct rule))

/*
 * Traces. The area, behind the page in the same memfd, is cut into blocks that threads of the
 * program fill with records (common/trace/encode.h) and the supervisor takes. Free ones are taken
 * by whoever needs one; the supervisor frees them, and raises wake when `waiting` is set.
 */
#define PAGE_BLOCKS 64
enum page_block_state { PAGE_BLOCK_FREE = 0, PAGE_BLOCK_FILLING = 1, PAGE_BLOCK_FULL = 2 };

struct page_block {
	_Atomic uint32_t state; /* enum page_block_state */
	uint32_t thread;
	_Atomic uint64_t opened; /* which one it was to be opened, from 1 */
	_Atomic uint64_t closed; /* and to be closed */
};

/* Where code with access hooks is, or lay. */
#define PAGE_MODULES 256
struct page_module {
	_Atomic uint32_t there; /* all else is written */
	uint32_t nid;		/* bytes of the build-id, 0: none */
	uint64_t load;		/* what is added to its own addresses */
	uint64_t lo, hi;	/* its code, hi exclusive */
	uint64_t image_lo, image_hi; /* all of it, in its own addresses */
	uint64_t hooks;		/* where it has its struct dvmdbg_hooks */
	uint64_t since;		/* the last block that was opened before it was there */
	_Atomic uint64_t
		until; /* unloaded: blocks that were opened later than this one do not mean it */
	unsigned char id[32];
	char path[1024];
};

/* Allocated memory that records name, as number n; entry n % PAGE_HEAP. */
#define PAGE_HEAP 16384 /* a power of two */
struct page_heap {
	_Atomic uint32_t number; /* 0 while it changes */
	uint32_t pad;
	uint64_t addr, bytes, pc;
};

/* What records give for an object: the arena offset of a struct page_entity that never changes
 * (addr is where it was first), or one of the heap's: */
#define PAGE_VERSION_HEAP 0x80000000u /* | number */
/* What they give for a place in the code that is no access's: */
#define PAGE_SITE_LOC (UINT64_C(1) << 63) /* | arena offset of a struct page_loc */

struct page_trace {
	uint64_t offset;		/* exec: of the area in the memfd; 0: there is none */
	uint32_t block_bytes, nblock;	/* exec */
	_Atomic uint32_t stopped;	/* exec: nothing is recorded any more */
	_Atomic uint32_t waiting;	/* threads that wait for a free block */
	_Atomic uint32_t bell; /* futex of the supervisor's thread, raised with each full block */
	_Atomic uint32_t nmodule;
	_Atomic uint64_t opened, closed; /* blocks so far */
	struct page_block block[PAGE_BLOCKS];
	struct page_module module[PAGE_MODULES];
	struct page_heap heap[PAGE_HEAP];
};

/*
 * The queue of checksums, a ring of PAGE_SUMS bytes. A record begins at a multiple of 8 and wraps
 * round the end: struct page_point_sums, then n times struct page_sum with its bytes behind it,
 * padded to a multiple of 8. head and tail count bytes since the program's start and never go back.
 */
struct page_point_sums {
	uint32_t bytes; /* of the whole record, a multiple of 8 */
	uint32_t loc;
	struct point point;
	uint32_t kind;
	uint32_t n;
	uint32_t dropped; /* points given up since the record before; these are not in the queue */
	uint32_t pad;
	uint64_t blocks; /* closed blocks of traces that come before it */
};

struct page_sum {
	uint32_t entity; /* arena offset */
	uint32_t field;	 /* index + 1 among its fields; 0: the whole object */
	uint32_t counter;
	uint8_t kind, order, flags, ndim; /* flags: enum point_sums_flag */
	uint32_t bytes;	 /* of what sum_put made, without padding */
	uint32_t copies, copy, pad; /* as in struct array_desc */
	int64_t lower[ARRAY_DIMS];
};

/*
 * A memory request that a parked thread serves when process_vm_readv is not allowed. Raise request,
 * then wake, and FUTEX_WAKE on wake: a parked thread sleeps on that one only.
 */
struct page_bounce {
	_Atomic uint32_t request; /* exec: raised by one per request */
	_Atomic uint32_t answer;  /* set to request when done (event_seq is raised too) */
	uint64_t addr;
	uint32_t len;
	uint32_t write; /* 0 read into data, 1 write from data */
	int32_t error;	/* errno, 0 done */
	unsigned char data[PAGE_BOUNCE];
};

/*
 * A function of the program that a parked thread calls, in a copy of the process or in the process
 * itself. The supervisor writes order, raises request, then wake, and FUTEX_WAKE on wake; answer
 * becomes request when there is a result (event_seq is raised too). A copy then lives on, so that
 * what the result points to can be read, until release is request.
 */
#if defined(__aarch64__)
#define PAGE_CALL_WORDS 8
#else
#define PAGE_CALL_WORDS 6
#endif
#define PAGE_CALL_VECTORS 8
#define PAGE_CALL_STACK 16
#define PAGE_CALL_DATA 8192
#define PAGE_CALL_NAME 128

/* Where a function leaves its result. */
enum page_call_form {
	PAGE_CALL_TWO_WORDS,   /* or one, or nothing */
	PAGE_CALL_TWO_VECTORS, /* or one */
	PAGE_CALL_WORD_VECTOR,
	PAGE_CALL_VECTOR_WORD,
	PAGE_CALL_LONG_DOUBLE,
	PAGE_CALL_FORMS
};

/* How a call has ended. */
enum page_call_end {
	PAGE_CALL_RETURNED,
	PAGE_CALL_SIGNAL,  /* code: the signal */
	PAGE_CALL_EXIT,	   /* it has called exit; code: the status */
	PAGE_CALL_MPI,	   /* it has called MPI; name: the function */
	PAGE_CALL_STOPPED, /* by request */
	PAGE_CALL_NO_NAME, /* there is no function of that name */
	PAGE_CALL_NO_COPY, /* the process cannot be copied; code: errno */
	PAGE_CALL_NOT_HERE, /* not in the process itself: it has crashed */
	PAGE_CALL_ENDS
};

struct page_call_order {
	uint64_t function; /* 0: the one of that name */
	char name[PAGE_CALL_NAME];
	uint64_t word[PAGE_CALL_WORDS], vector[PAGE_CALL_VECTORS], stack[PAGE_CALL_STACK];
	/* a bit for each word (of the stack: each slot) that is an offset in data, of which it gets
	 * the address */
	uint32_t word_in_data, stack_in_data;
	uint32_t form; /* enum page_call_form */
	uint32_t keep; /* in the process itself */
	unsigned char data[PAGE_CALL_DATA];
};

struct page_call_result {
	uint32_t end; /* enum page_call_end */
	int32_t code;
	int32_t pid; /* of the process that has the result in its memory */
	uint32_t placed; /* the signal has an address */
	uint64_t fault, pc;
	uint64_t word[2], vector[2];
	unsigned char wide[16];
	char name[PAGE_CALL_NAME];
	uint64_t data; /* where it has the data of the order */
	uint32_t overflow; /* its stack was full */
};

struct page_call {
	_Atomic uint32_t request, stop, release; /* exec; stop is request: give up */
	_Atomic uint32_t answer;
	struct page_call_order order; /* exec */
	struct page_call_result result;
};

/*
 * Registers of a thread that is parked, by their numbers in DWARF; an unwinder begins with them.
 * They hold while state is PAGE_PARKED, as what they point to does.
 */
#define PAGE_REGS 33
struct page_regs {
	uint64_t have; /* a bit for each that is there; 0: none are */
	uint64_t reg[PAGE_REGS];
	uint64_t thread; /* address of the thread's control block */
	uint64_t stack;	 /* below it are no frames of the program; 0: not known */
};

struct page {
	uint32_t magic, version;
	uint32_t rank, size;		/* exec */
	_Atomic int32_t exec_pid;	/* exec; 0: nobody supervises */
	_Atomic int32_t program_pid;	/* exec: pid of the child; the runtime starts only there */
	_Atomic uint32_t on_exit_run;	/* exec: what to do when the supervisor is gone */
	uint32_t points;		/* exec: enum point_kind: what is numbered beside marks */
	uint32_t kept;			/* program: the page is its own, for dvmdbg attach */

	/* exec: what to do. wake is the futex of parked threads, raised with every change below. */
	_Atomic uint32_t wake;
	_Atomic uint32_t rule_seq;	/* raised when the other order is complete */
	/*
	 * A parked thread goes on when this is newer than stop_gen: (int32_t)(go_gen - stop_gen) >
	 * 0. It is raised only for a rank that is to be released. One that runs takes a new plan
	 * from the order alone, so go_gen may then be older than the stop_gen of its next stop.
	 */
	_Atomic uint32_t go_gen;
	_Atomic uint32_t freeze;	/* park at the next point */
	_Atomic uint32_t fpe;		/* exec: enum fpe_trap, or'ed: what raises SIGFPE */
	_Atomic uint32_t fatal;		/* die now: kill without stopping for signals */

	/* program: what is. event_seq is the futex of the supervisor, raised with every change. */
	_Atomic uint32_t event_seq;
	_Atomic uint32_t state;		/* enum page_state */
	_Atomic uint32_t stop_gen;	/* gen of the plan that was obeyed, from the copied order */
	_Atomic uint32_t stop_count;	/* stops so far */
	uint32_t reason;		/* enum stop_reason */
	uint32_t done;			/* the plan ends here too */
	uint64_t changed;		/* a bit for each of act: what it watches has changed */
	int32_t code;
	uint64_t fault;
	int32_t sig_code, sig_pid;	/* of a signal: si_code, and who has sent it */
	char abort_text[PAGE_ABORT_TEXT]; /* an assertion that has failed, damage that malloc has
					     found; ends with 0 */
	/*
	 * LEAVES: a thread has called exit, regs are its, and it waits a moment until the
	 * supervisor, which reads its stack, makes it SEEN.
	 */
	_Atomic uint32_t leaving;	/* enum page_leaving */
	uint32_t nact;
	uint32_t act[40]; /* REPORT_ACTS */
	struct page_regs regs;		/* of the thread that is parked */
	_Atomic uint32_t mpi;		/* enum mpi_state */
	uint32_t mpi_abi;		/* 0 none, 1 Open MPI, 2 MPICH */
	int32_t abort_code;
	uint32_t aborted;
	_Atomic uint32_t annotated;	/* something was announced */

	/* program: where it is; stack_seq is odd while it changes (a seqlock) */
	_Atomic uint32_t stack_seq;
	uint32_t depth;			/* may exceed PAGE_FRAMES: deeper ones are not kept */
	struct page_frame frame[PAGE_FRAMES];
	struct page_range range[PAGE_FRAMES];
	/*
	 * Last point passed: main << 1 | side, and task << 32 | sub. They change inside the
	 * seqlock: read both under stack_seq. A program that died or crashed inside it may leave
	 * stack_seq odd for good.
	 */
	_Atomic uint64_t point_main_side;
	_Atomic uint64_t point_task_sub;
	_Atomic uint64_t point_usec;	/* CLOCK_MONOTONIC of the last point */
	uint64_t start_usec;		/* CLOCK_MONOTONIC when the runtime came up */
	_Atomic uint64_t hash;
	_Atomic uint32_t hash_n;

	_Atomic uint32_t history_n;	/* entries ever written to history */
	_Atomic uint32_t first_entity;	/* arena offset */
	_Atomic uint32_t finding_n;	/* findings so far; only PAGE_FINDINGS are kept */
	struct page_finding finding[PAGE_FINDINGS];
	struct page_away away[PAGE_AWAY];
	_Atomic uint32_t arena_used;	/* offset 0 is never given out */

	/*
	 * Checksums. sums_head is written by the program when a record is complete, event_seq is
	 * raised then. sums_tail by the supervisor when it has taken one; it raises wake when
	 * sums_waiting is set. A program that holds stores its point (point_order_number) in
	 * sums_hold before sums_head, and goes on when verdict >= that, or parks with STOP_MISMATCH
	 * when verdict_stop says so then.
	 */
	_Atomic uint64_t sums_head;
	_Atomic uint64_t sums_tail;	/* exec */
	_Atomic uint32_t sums_waiting;	/* for room in the queue */
	_Atomic uint64_t sums_hold;	/* 0: does not hold */
	_Atomic uint64_t verdict;	/* exec: point_order_number, never goes back within a run */
	_Atomic uint32_t verdict_stop;	/* exec: written before verdict */

	struct page_bounce bounce;
	struct page_call call;
	unsigned char sums[PAGE_SUMS];
	struct page_history history[PAGE_HISTORY];
	struct page_order order[2];	    /* exec */
	unsigned char rules[2][PAGE_RULES]; /* exec: struct rule each */
	struct trace_config_place place[2][TRACE_CONFIG_PLACES]; /* exec: beside rules */
	struct page_trace trace;
	struct mpistate_page mpi_calls;
	/* exec: marks beside the source, before the program starts; 0 bytes: there are none */
	uint64_t marks_n;
	_Alignas(8) unsigned char marks[MARKCODE_MOST];
	unsigned char arena[PAGE_ARENA];
};

#endif
