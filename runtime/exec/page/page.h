/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the shared page of a program, which may have written anything there.
 */
#ifndef DVMDBG_RUNTIME_EXEC_PAGE_PAGE_H
#define DVMDBG_RUNTIME_EXEC_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/logical/point.h"
#include "common/mpistate/agree.h"
#include "common/mpistate/report.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/report.h"
#include "common/trace/decode.h"
#include "runtime/exec/sys/module.h"
#include "runtime/page/page.h"

/*
 * What the numbers in blocks mean, from the shared page. For one thread.
 */

struct buf;
struct page;
struct page_names;
struct page_read;
struct point_sums;

/* NULL: no memory. */
struct page_names *page_names_create(struct page *page);
void page_names_destroy(struct page_names *t); /* NULL is fine */
/* For the block that was opened as number `opened`; valid until the next call. */
const struct trace_resolver *page_names_resolver(struct page_names *t, uint64_t opened);

/*
 * Registered objects as the page shows them, checked and turned into array_desc.
 */

/* Its elements are not in memory: the program's functions bring them. */
struct object_away {
	bool is, fixed; /* fixed: nothing takes back what is changed */
	bool brought;	/* what is in memory is what they were when the rank stopped */
	int32_t status; /* of the function that brings them, the last time */
};

struct object {
	struct array_desc desc;
	bool by_pointer;		 /* desc.addr is that of a pointer to it */
	int64_t before; /* bytes from the first stored element to where that is */
	struct object_away away;
	const struct array_field *field; /* borrowed from desc; the part that was named, or NULL */
};

/*
 * Finds "u", "p.x" (a field of p), and of several registered at different places "u@file:line";
 * without a place the one registered last. 1 and *o, to be cleared; 0 when there is none; -1 when
 * out of memory.
 */
int object_find(struct page_read *r, const char *name, struct object *o);
void object_clear(struct object *o);

/*
 * Calls fn for each live object of that name, for fields the structure, "" for all; until one is
 * not 0, which it returns. -1: out of memory.
 */
int object_each(struct page_read *r, const char *name, int (*fn)(void *arg, const struct object *o),
		void *arg);

/*
 * A version of an object, by its offset in the arena; 0 and *a, to be cleared; 1: there is none;
 * -1: out of memory.
 */
int object_version(struct page_read *r, uint32_t off, struct array_desc *a);

/* The answers to QUERY_NAMES ("" for all) and QUERY_LAYOUT; empty when there is none, bad without
 * memory. */
void object_put_names(struct page_read *r, const char *name, struct buf *out);
void object_put_layout(struct page_read *r, const char *name, struct buf *out);

/*
 * Reads the shared page. The program may write anything there at any moment, so every byte is
 * copied before it is looked at, every offset, length and number is checked, and nothing waits for
 * ever: what is wrong reads as absent. Texts end at their NUL or are cut, and hold no control
 * characters.
 */

#define PAGE_READ_TEXT (256u << 10) /* bytes of texts that one report can hold */
#define PAGE_READ_STRING 1024	    /* longer texts are cut */
#define PAGE_READ_TRIES 2000	    /* looks at something that keeps changing, */
#define PAGE_READ_MS 50		    /* but not for longer */

struct page_read {
	struct page *page; /* borrowed */
	char *text;	   /* owned: what the strings of reports point to, until page_read_reset */
	size_t used;
};

/* -1 when out of memory. */
int page_read_init(struct page_read *r, struct page *page);
void page_read_clear(struct page_read *r);
/* Gives up the strings of all reports made so far. The others below do not do it by themselves. */
void page_read_reset(struct page_read *r);

/* enum page_state; a number that is none reads as PAGE_FRESH. */
unsigned page_read_state(const struct page_read *r);
unsigned page_read_mpi(const struct page_read *r); /* enum mpi_state */

/* Copies len bytes of the arena; false when they are not in it. Offset 0 is absent. */
bool page_read_arena(const struct page_read *r, uint32_t off, void *out, size_t len);
/* Never NULL. */
const char *page_read_string(struct page_read *r, uint32_t off);
/* The same of a text elsewhere in the page, that has so many bytes at most. */
const char *page_read_text(struct page_read *r, const char *at, size_t room);
/* Returns the kind it was first used for, CONSTRUCT_KINDS when it is absent. */
unsigned page_read_place(struct page_read *r, uint32_t off, struct place *out);

/* The last point passed. */
struct point page_read_point(const struct page_read *r);
/* And the age of that point in seconds; since the runtime's start when there is none. */
uint32_t page_read_ranks(const struct page_read *r); /* of the job */
uint32_t page_read_age(const struct page_read *r);
void page_read_hash(const struct page_read *r, uint32_t *n, uint64_t *hash);
void page_read_stack(struct page_read *r, struct report_stack *out);
/* The innermost frame; kind CONSTRUCT_KINDS when there is none. */
void page_read_innermost(struct page_read *r, struct report_frame *out);
void page_read_stop(struct page_read *r, struct report_stop *out);
/* What the page knows of the end: all but how, code, core, released. */
void page_read_exit(struct page_read *r, struct report_exit *out);
/* false: there is no i-th finding, or it is not one. pc: where it is when it has no place. */
bool page_read_finding(struct page_read *r, uint32_t i, struct report_finding *out, uint64_t *pc);
uint32_t page_read_findings(const struct page_read *r);

/* The answers to QUERY_POINTS (the last n, 0: all that is known) and QUERY_HASH. */
void page_read_points(struct page_read *r, uint32_t n, bool times, struct buf *out);
void page_read_hash_at(struct page_read *r, uint32_t n, struct buf *out);

/*
 * What the program, process pid, does in MPI; *out is to be cleared. full: also what is needed to
 * understand what others wait for.
 */
void page_read_calls(struct page_read *r, struct modules *modules, pid_t pid, bool full,
		     struct mpistate_report *out);
/* Whether threads of the process that are in no call of MPI, but may make one, go on. */
bool page_threads_may_call(const struct mpistate_page *p, pid_t pid);
/* The debugger holds it: that, with the call that it is in. */
void page_read_stopped(struct mpistate_report *out);
/* Another number when the rank has moved: passed a mark, begun a call of MPI or come back from
 * it. */
uint64_t page_read_moves(const struct page_read *r);

/*
 * What calls of MPI were given, also of a program that is gone: the answers to QUERY_AGREE. *out is
 * to be cleared.
 */
void page_read_agree(struct page_read *r, struct agree_list *out);
void page_read_agree_one(struct page_read *r, uint64_t id, uint32_t number, struct agree_one *out);
uint64_t page_read_balance(const struct page_read *r, uint32_t rank, uint64_t *number);
void page_read_messages(struct page_read *r, struct agree_messages *out);
void page_read_extents(struct page_read *r, struct agree_extents *out);
void page_read_clashes(struct page_read *r, struct agree_clashes *out);
/* false: no memory. */
bool page_read_race(struct page_read *r, struct agree_race *out);

/*
 * Takes checksums out of the queue in the shared page. Each record is copied before it is looked
 * at; a queue that holds what cannot be is given up for good: from then on it is only kept empty,
 * so that the program does not wait for room.
 */

struct page_sums {
	struct page_read *read; /* borrowed */
	uint32_t rank;		/* ours: that in the page may be overwritten */
	uint64_t tail;		/* bytes taken */
	uint64_t start;		/* page.start_usec of the program whose queue this is */
	bool broken;
	bool lost; /* the record that was taken last, for lack of memory; of it is known: */
	uint8_t lost_kind;
	struct point lost_point;
};

void page_sums_init(struct page_sums *s, struct page_read *read, uint32_t rank);
/*
 * The oldest record: 1 and *t, which the caller clears, and the bytes it had; 0 when there is none.
 * -1, and *t empty, when it could not be read, by lack of memory or because the queue is broken
 * now.
 */
int page_sums_take(struct page_sums *s, struct point_sums *t, size_t *bytes);
/* How many blocks of traces come before the oldest record; 0 when there is none. */
uint64_t page_sums_blocks(struct page_sums *s);
/* Empties the queue. True when there was something in it. */
bool page_sums_discard(struct page_sums *s);
/* Point sums of p that says only that this rank has passed it. 0 or -1 (memory). */
int page_sums_empty(struct page_sums *s, const struct point *p, struct point_sums *t);

#endif
