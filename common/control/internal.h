/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DVMDBG_COMMON_CONTROL_INTERNAL_H
#define DVMDBG_COMMON_CONTROL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/control/control.h"
#include "common/core/hash.h"

/* ---- shadow.c: what is known of each piece of memory ---- */

enum cell_where { CELL_UNKNOWN, CELL_OWN, CELL_HALO, CELL_EDGE };
#define CELL_WHERE 0x03u
#define CELL_SEVERAL 0x04u /* more than one iteration has read it, since `read` has */
#define CELL_LOOSE 0x08u   /* the last write was in no iteration */
#define CELL_FRESH 0x10u   /* it was allocated, and only what init says was written */
#define CELL_HEAP 0x40u	   /* it is in a block that was allocated */
#define CELL_FOREIGN 0x20u /* what writes it is not seen: memory of a window */
#define CELL_WIDE 0x80u	   /* it was written by 8 bytes at once, or more */

/* Numbers of iterations and of other events rise while the program runs; 0: never. */
struct cell {
	uint32_t write, read;  /* by the last write; by an iteration that reads */
	uint16_t wsite, rsite; /* where, as site numbers + 1; 0: not known */
	uint8_t init;	       /* FRESH: bytes that were written, a bit each */
	uint8_t flags;
};

#define SHADOW_PAGE_SHIFT 12
#define SHADOW_PAGE (1u << SHADOW_PAGE_SHIFT)
#define SHADOW_CACHE 256u
struct shadow_page {
	uint64_t number;   /* address >> SHADOW_PAGE_SHIFT, + 1; 0: free */
	struct cell *cell; /* owned; NULL: all as `flags` says */
	uint8_t shift;	   /* a cell is of 1 << shift bytes */
	uint8_t flags;	   /* of cells that are not there yet */
	bool used;	   /* a write into it was seen */
	uint8_t sizes;	   /* of the program's writes: their sum, each once */
};

struct shadow {
	struct shadow_page *page; /* owned; room of them, a power of two */
	size_t n, room;
	uint32_t cache[SHADOW_CACHE]; /* place + 1 */
	uint64_t bytes;
	uint32_t changes; /* rises when cells of a page may be elsewhere, or it is not used any more
			   */
};

void shadow_clear(struct shadow *s);
/*
 * The cells of an access of so many bytes (at most 16), first and count; they are made when there
 * are none. NULL: no memory. More than one where cells are smaller, or it is not aligned; of an
 * access over two pages those of the first.
 */
struct cell *shadow_find(struct shadow *s, uint64_t addr, unsigned size, unsigned *n,
			 unsigned *shift);
/* Whether a write was seen in the neighbourhood (its page). */
bool shadow_is_used(struct shadow *s, uint64_t addr);
void shadow_use(struct shadow *s, uint64_t addr, unsigned size);
/*
 * Whether what is not written there may be room that a structure leaves so that its next member is
 * aligned: something else is written within the size of a larger member that is near, in the block
 * lo … hi - 1.
 */
bool shadow_is_padding(struct shadow *s, uint64_t addr, uint64_t lo, uint64_t hi);
/* Nothing is known of that memory any more but the flags. -1: no memory. */
int shadow_reset(struct shadow *s, uint64_t addr, uint64_t bytes, unsigned flags);
/* Calls fn for each cell that is there. */
void shadow_each(struct shadow *s, uint64_t addr, uint64_t bytes,
		 void (*fn)(void *arg, struct cell *c, uint64_t at, unsigned bytes), void *arg);

/* ---- arrays.c: distributed arrays, and whose their elements are ---- */

#define EVENTS 16 /* loops that wrote an array, the last ones */

/* What all ranks together have written of an array in a loop, as far as this one can conclude. */
struct written {
	uint32_t base, end; /* numbers before the loop, and behind it */
	uint16_t site;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
	uint8_t parity;		  /* of the sum of the indices: 1 even, 2 odd */
	uint8_t each[ARRAY_DIMS]; /* likewise of each */
};

struct array {
	uint64_t lo, hi; /* its memory */
	uint64_t addr;
	unsigned ndim;
	uint32_t elem_size;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	int64_t own_lo[ARRAY_DIMS], own_hi[ARRAY_DIMS], halo_lo[ARRAY_DIMS], halo_hi[ARRAY_DIMS];
	int64_t stride[ARRAY_DIMS];
	uint32_t periodic; /* a bit for each dimension */
	bool listed, replicated, fortran;
	uint64_t structure, field; /* of a field of structures: hashes of both names; else 0 */
	/* emulated: the dimension of the array that each of the grid's has; -1: none */
	int grid[ARRAY_DIMS];
	bool on_grid;
	bool guessed; /* nothing has shown which dimensions: no halo, no loop that is mapped on it
		       */
	struct written event[EVENTS];
	unsigned nevent;
	/* renewals that are marked */
	uint32_t started, completed; /* numbers; 0: never */
	uint32_t renewed;	     /* when the last complete one had begun */
	bool renewing;
	bool doubted; /* halos that could not be judged were read */
	bool gone;    /* its memory is allocated again, and nothing has accessed it since */
};

/* What the block's objects are. */
struct slot {
	const struct array_desc *desc;
	uint64_t addr;	     /* where it is now */
	struct array *array; /* NULL: none that is distributed */
	struct trace_shape shape;
	bool seen, heap, replicated;
};

/* ---- what the program declares ---- */

/* A NOTE for the construct that begins next. */
struct clause {
	char kind; /* enum trace_control */
	uint64_t lo, hi;
	unsigned n; /* ACROSS: dimensions; 0: any distance */
	int64_t before[ARRAY_DIMS], behind[ARRAY_DIMS];
	int64_t number;
	uint64_t pc; /* behind the call of the mark; 0: not known */
	bool used;
};

#define SAMPLES 64u
/* Of the writes of a writer: whether the n-th is looked at. */
static inline bool writer_samples(uint64_t n)
{
	return n <= SAMPLES || n % 61 == 0;
}

/* A place that writes an array in a loop. */
struct writer {
	struct array *array;
	uint16_t site;
	uint64_t n;
	bool begun;
	uint32_t fits[ARRAY_DIMS]; /* a bit for each index of the loop with a constant difference */
	int64_t off[ARRAY_DIMS][ARRAY_DIMS];
	uint8_t parity, each[ARRAY_DIMS];
};

/* A parallel loop or a region of tasks that is open. */
struct level {
	uint8_t kind; /* enum construct_kind */
	struct point point;
	uint32_t begun; /* the number where it began; … */
	uint32_t base;	/* … before its first iteration */
	uint32_t start; /* of the task that runs */
	int64_t task;
	uint64_t accesses; /* to distributed arrays */
	uint64_t iterations;
	unsigned ndim; /* of its range; 0: not said */
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS];
	struct clause *clause;
	size_t nclause;
	/* what iterations are mapped on */
	uint64_t on;
	unsigned non;
	int64_t off[ARRAY_DIMS];
	int by[ARRAY_DIMS]; /* the loop's index for each of the array's; -1: any */
	struct array *on_array;
	bool looked; /* for it, among all objects */
	struct writer *writer;
	size_t nwriter;
	/* indices of its iterations, so that they can be named: nidx each, from base + 1 on */
	int32_t *log;
	uint32_t *logged; /* their numbers */
	size_t nlog, nlogged;
	uint8_t nidx;
	bool log_lost;
	struct task_begun {
		uint32_t start;
		uint32_t behind; /* start of the task that was found to be after this one */
		int64_t number;
	} * task_begun;
	size_t ntask;
	/* which is declared to be after which, as places in task_begun */
	struct task_after {
		uint32_t task, after;
	} * after;
	size_t nafter;
	uint32_t ordered; /* start of the task for which `behind` was set last */
};

/* What a thread does. */
struct lane {
	uint32_t thread;
	uint32_t unit; /* the number of its iteration; 0: it is in none */
	uint8_t nidx;
	int64_t index[ARRAY_DIMS];
	bool moved; /* what follows is not that of this iteration yet: lane_settle */
	bool placed;		    /* it is known where its element is: */
	bool own;		    /* on this rank */
	uint32_t coord[ARRAY_DIMS]; /* the processor's, of the emulated grid */
	int64_t element[ARRAY_DIMS];
	/* In a loop that threads of OpenMP share, and its iteration has begun there; how many locks
	 * it holds, and the iteration that goes on when it has given them back. */
	bool loop, shared;
	uint32_t held, unit_outside;
};

/* Memory that is given by the program, with what is going on there. */
struct region {
	uint64_t lo, hi;
	uint32_t since;
	bool open;
	/* of a reduction: the call of MPI that reads it, 0: none yet, and where its result goes */
	uint64_t pc, to_lo, to_hi;
	bool stored; /* written since: by the result, when the mark of its end follows */
};

struct known_site {
	struct trace_spot spot; /* texts and bytes are owned */
	struct array *array[2]; /* that it has read, and written last: a copy has both */
	uint32_t astray;	/* the iteration in which it left that one */
};

/* What may be wrong, and is when nothing declares it before the end. */
struct doubt {
	uint64_t lo, hi;
	struct array *array; /* STALE: judged when a renewal of this is marked */
	char kind;
	uint8_t finding;
	unsigned char *data; /* owned; a trace_finding */
	size_t n;
	uint64_t count, key;
};

struct found_key {
	uint64_t key;
	uint64_t count;
	unsigned char *data; /* owned: what distinguishes it */
	uint32_t n;
};

#define LEVELS 64

struct dyncontrol {
	struct dyncontrol_options o;
	struct shadow shadow;
	uint32_t serial;
	struct lane *lane;
	size_t nlane;
	uint32_t now; /* place in lane */
	struct level level[LEVELS];
	unsigned nlevel;
	const struct trace_block *block;
	const struct trace_cursor *at;
	struct point point;
	struct slot *slot;
	size_t slot_room;
	struct quick *quick; /* by the block's slots: steps.c */
	size_t quick_room;
	uint64_t far_lo, far_hi; /* addresses that no array of the block is near to */
	uint16_t *site; /* of the block's: number + 1 */
	size_t site_room;
	struct known_site *known;
	size_t nknown;
	struct hash known_at;
	struct array **array;
	size_t narray;
	struct clause *clause; /* for the construct that begins next */
	size_t nclause;
	struct region *reduction; /* asynchronous ones */
	size_t nreduction;
	struct region *remote;
	size_t nremote;
	struct doubt *doubt;
	size_t ndoubt;
	struct hash doubt_at;
	struct found_key *key;
	size_t nkey;
	struct hash key_at;
	struct trace_findings findings;
	uint32_t astray; /* the last iteration in which a place left its array */
	bool unsure;	 /* not all that MPI writes is known */
	uint64_t why[CONTROL_WHYS];
	uint64_t accesses, iterations, loops;
	bool failed; /* no memory */
	struct place_now {
		uint32_t version;
		uint64_t addr;
	} * moved; /* versions that are elsewhere than they were made */
	size_t nmoved;
	struct hint *hint; /* owned */
	size_t nhint;
	struct made *made; /* owned: blocks of memory; full: where the next one goes */
	size_t nmade, made_next;
	const struct made *made_last; /* that was looked for; NULL: none */
	struct opened *opened; /* owned: frames of constructs */
	size_t nopened;
};

/* Whose access is checked. */
struct access {
	const struct trace_rec *rec; /* NULL: none, then spot is where it is */
	const struct trace_spot *spot;
	struct slot *slot; /* NULL: no object */
	uint64_t addr;
	unsigned size;
	bool write;
	uint16_t site;
	struct lane *lane;
	int64_t index[ARRAY_DIMS]; /* of the element */
	bool indexed;
};

struct lane *lane_now(struct dyncontrol *e);
struct level *level_now(struct dyncontrol *e);

/* arrays.c */
uint64_t object_address(const struct dyncontrol *e, const struct trace_object *o);
/* The version is there from now on. */
int slot_moved(struct dyncontrol *e, uint32_t version, uint64_t addr);
struct slot *slot_of(struct dyncontrol *e, uint32_t object);
/*
 * The same, of one of the block's objects that has been accessed in it, or begins at addr; else
 * NULL. A block also has objects that are not there any more, or not yet.
 */
struct slot *slot_at(struct dyncontrol *e, uint32_t object, uint64_t addr);
/* Whether it is an array that was accessed since its memory was allocated. */
bool array_is_there(const struct dyncontrol *e, const struct trace_object *o);
/* The array that has the address; NULL: none that is known. */
struct array *array_at(struct dyncontrol *e, uint64_t addr);
bool access_index(struct access *a);
enum cell_where access_where(struct dyncontrol *e, struct access *a, struct cell *c);
/* Emulated: whose the element is; false: it is not distributed. */
void array_owner(const struct dyncontrol *e, const struct array *a, const int64_t *index,
		 uint32_t coord[ARRAY_DIMS]);
/* The element of which one beyond an end of the array is a copy; false: it is none. */
bool array_wrap(const struct array *a, const int64_t *index, int64_t *to);
/* Whether the element is in the halo of that processor. */
bool array_in_halo(const struct dyncontrol *e, const struct array *a, const int64_t *index,
		   const uint32_t coord[ARRAY_DIMS]);
/* The block of a processor in one of the array's dimensions. */
void array_block(const struct dyncontrol *e, const struct array *a, unsigned g, uint32_t q,
		 int64_t *lo, int64_t *hi);
/* Whether an own element is in the halo of another processor, when that is wide enough. */
bool array_is_exported(const struct dyncontrol *e, const struct array *a, const int64_t *index,
		       const uint32_t coord[ARRAY_DIMS]);
/* Where the iteration that runs is mapped to: found out at once; when lane_settle is called
 * next. */
void lane_place(struct dyncontrol *e, struct lane *l);
void lane_move(struct dyncontrol *e, struct lane *l);
static inline void lane_settle(struct dyncontrol *e, struct lane *l)
{
	if (l->moved)
		lane_place(e, l);
}
/* The element of an address outside of what is stored, as if the array went on there. */
bool array_beyond(const struct array *a, uint64_t addr, int64_t *index, bool *inside);

/* writers.c: what loops write */
void writer_add(struct dyncontrol *e, struct access *a);
void writers_end(struct dyncontrol *e, struct level *l);
/* The last loop in which others wrote the element after `since`; NULL: none. */
const struct written *written_since(const struct array *a, const int64_t *index, uint32_t since);

/* steps.c: accesses that there is nothing to say about, quickly */
int dyncontrol_record(struct dyncontrol *e, const struct trace_rec *r);
int dyncontrol_steps(void *self, const struct trace_batch *s, struct trace_cursor *at,
		     struct err *err);
/* For the slots of a block that begins; -1: no memory. And when an object is elsewhere. */
int quick_begin(struct dyncontrol *e);
void quick_forget(struct dyncontrol *e);

/* access.c */
/* Whether the address, a multiple of 8, is in a block that was allocated. */
bool memory_is_block(struct dyncontrol *e, uint64_t addr);
int dyncontrol_access(struct dyncontrol *e, const struct trace_rec *r);
/* Memory between blocks is nobody's: the array in the block that is nearest; NULL: none is near. */
struct array *access_beside(struct dyncontrol *e, uint64_t addr, unsigned size);
/* Of an element of an array: iterations of the loop may depend on each other there, by what it
 * declares. */
bool access_may_depend(const struct lane *lane, uint64_t addr, struct level *l, uint32_t other);
/* MPI has written it, or is to read it; block 0: of the array, it is not known how much. */
int dyncontrol_got(struct dyncontrol *e, const struct trace_moved *m);
int dyncontrol_used(struct dyncontrol *e, const struct trace_moved *m);

/* marks.c */
int dyncontrol_note(struct dyncontrol *e, const struct trace_rec *r);
/* threads.c. An event of OpenMP in the thread; and whether an access is atomic in a loop that
 * threads share. */
void dyncontrol_openmp(struct dyncontrol *e, const char *text);
bool dyncontrol_is_apart(const struct dyncontrol *e, const struct trace_rec *r);
int dyncontrol_begin(struct dyncontrol *e, const struct trace_rec *r);
void dyncontrol_end(struct dyncontrol *e, const struct trace_rec *r);
int dyncontrol_iteration(struct dyncontrol *e, const struct trace_rec *r);
/* Whether iterations that the cursor's innermost frame has are those of the level. */
bool dyncontrol_iterates(struct dyncontrol *e);
/* Such an iteration begins; n 0: the last one has ended. */
int dyncontrol_iterate(struct dyncontrol *e, unsigned n, const int64_t *index);
void dyncontrol_reduced(struct dyncontrol *e, uint64_t lo, uint64_t hi);
/* What was stored into variables there, whose reductions are not complete, is no result. */
int reductions_settle(struct dyncontrol *e, uint64_t lo, uint64_t hi);
/* MPI reads or writes there. */
int reductions_moved(struct dyncontrol *e, const struct trace_moved *m);
void level_clear(struct level *l);
/* A clause of the construct for that memory; NULL: none. */
struct clause *level_clause(struct level *l, char kind, uint64_t addr);
/* Whether the task that runs is declared to be after that of the number `unit`, at once or by
 * others between. */
bool level_is_after(struct level *l, uint32_t unit);

/* finding.c */
/* The number of the access's place + 1; 0: none, or too many. */
uint16_t site_of(struct dyncontrol *e, uint32_t site);
/*
 * One more; other: the place of the other access + 1. The access's own element is named unless
 * thing says another. note: what is wrong, after the element's name.
 */
int dyncontrol_find(struct dyncontrol *e, unsigned kind, const struct access *a,
		    const struct trace_thing *thing, uint16_t other, const char *note);
/* Counts one more of those that are known, which needs no note; false: it is not known. */
bool dyncontrol_found(struct dyncontrol *e, unsigned kind, const struct access *a);
bool dyncontrol_doubted(struct dyncontrol *e, char why, unsigned kind, const struct access *a);
/* The same, when nothing that is declared later explains it. */
int dyncontrol_doubt(struct dyncontrol *e, char why, unsigned kind, const struct access *a,
		     struct array *array, uint16_t other, const char *note);
/* What was declared takes doubts back: of that memory, of that kind. */
void doubts_drop(struct dyncontrol *e, char why, uint64_t lo, uint64_t hi);
int doubts_confirm(struct dyncontrol *e, char why, const struct array *array);
/* Nothing explains those of that memory any more. */
int doubts_settle(struct dyncontrol *e, char why, uint64_t lo, uint64_t hi);
void findings_flush(struct dyncontrol *e);
/* "iteration (3,4)", "iteration 3", "task 2": the one that runs; by its number. */
const char *unit_text(const struct dyncontrol *e, const struct lane *l, char *out, size_t room);
/* The indices of an iteration of the loop, by its number; NULL: not known. */
const int32_t *unit_index(const struct level *l, uint32_t unit);
const char *unit_of_text(const struct dyncontrol *e, const struct level *l, uint32_t unit,
			 char *out, size_t room);
void dyncontrol_forget(struct dyncontrol *e);
/* One that is no error (FINDING_UNUSED), where the access's spot is. */
int dyncontrol_hint(struct dyncontrol *e, const struct access *a, const char *note);

/* names.c */
/* A block is allocated by the call before pc. */
int names_block(struct dyncontrol *e, uint64_t lo, uint64_t hi, uint64_t pc);
/* Whether what is not written there is room that a structure leaves. */
bool memory_is_padding(struct dyncontrol *e, uint64_t addr);
/* "PC SP BP" of the call that has opened the construct. */
int names_opened(struct dyncontrol *e, const char *text);
/* Of a thing that is an address alone: a variable on the stack, or in a block. */
void name_memory(struct dyncontrol *e, uint64_t addr, struct trace_thing *t);
/* What is at that address: an element of an array, or such. */
void name_address(struct dyncontrol *e, uint64_t addr, struct trace_thing *t);
void names_forget(struct dyncontrol *e);

/* hints.c: declarations that no iteration needs */
int hint_declared(struct dyncontrol *e, const struct clause *c);
/* The construct ends: what of its declarations was used. */
void hints_used(struct dyncontrol *e, const struct level *l);
int hints_end(struct dyncontrol *e);
void hints_forget(struct dyncontrol *e);

#endif
