/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The native stack of the program's thread: which calls are under way, as addresses in files.
 */
#ifndef DVMDBG_RUNTIME_EXEC_NATIVE_NATIVE_H
#define DVMDBG_RUNTIME_EXEC_NATIVE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/protocol/answer.h"

struct buf;
struct err;
struct memory;
struct msg_query;
struct native;
struct page;

/* Both are borrowed. NULL: no memory. */
struct native *native_create(struct page *page, struct memory *memory);
void native_destroy(struct native *n); /* NULL is fine */

/* Writes what is registered at an address, "u[3][4]"; "": nothing is. */
typedef void (*native_namer)(void *arg, uint64_t addr, char *out, size_t size);
/* Whether the registered object of that name has the address in its memory: 1, 0, -1: there is no
 * such object. */
typedef int (*native_holder)(void *arg, const char *name, uint64_t addr);
/* Pointers to registered objects are shown as these from now on. */
void native_name_with(struct native *n, native_namer namer, native_holder holder, void *arg);
/*
 * Fills in head, state, n, lost and call of a zeroed answer, of the program m.pid; what is said
 * there stays until the next call. parked: it waits, and the page has its registers. Else it is
 * paused for less than a millisecond, in which registers and stack are copied. ask: enum
 * native_ask.
 */
void native_stack(struct native *n, bool parked, unsigned ask, struct answer_native *out);
/* The same of the thread at that place by age, 0 runs main: DONE without calls where it is in no
 * function of the program. */
void native_thread(struct native *n, bool parked, unsigned place, unsigned ask,
		   struct answer_native *out);
/*
 * The answer to QUERY_LOCALS: arguments and variables of the user's calls, as their debug
 * information has them. parked: as of native_stack.
 */
void native_locals(struct native *n, bool parked, const struct msg_query *q, struct buf *out);
/*
 * What the line that the user's innermost call is at has accessed at that address: "p is NULL",
 * "g->d[17512]", "a(1,i): index 12 of dimension 2 is outside 1:10"; "": it is not known. What
 * native_stack has said is gone.
 */
void native_accessed(struct native *n, bool parked, uint64_t addr, char *out, size_t size);
/*
 * Numbers of a variable of the user's innermost call, "p->x[2:5]": 1; 0: there is none of that
 * name. Free out->room in either case.
 */
int native_numbers(struct native *n, bool parked, const char *path, struct answer_elements *out,
		   struct err *err);
/*
 * The way to what lies where a pointer leads that moves with its object, of a vector or an
 * allocatable array: from base the word there and so many bytes, n times.
 */
#define NATIVE_HOPS 4
struct native_way {
	unsigned n;
	uint64_t base;
	int64_t off[NATIVE_HOPS];
};
/* A number of an element, as it is in memory. */
struct native_part {
	char *name; /* owned: ".in.x[2]", "%v(3)"; "": the element itself */
	enum {
		NATIVE_PLAIN,
		NATIVE_BITS,	    /* LONG of so many bits, from that one on */
		NATIVE_SIGNED_BITS, /* likewise */
		NATIVE_REAL,	    /* of 16 bytes, as DOUBLE */
		NATIVE_QUAD,	    /* likewise, with four times the precision of a float */
	} how;
	uint8_t type; /* enum value_type that it becomes */
	uint8_t bit, bits;
	uint32_t offset, count; /* count > 1: of a text */
};
/* Where elements are: in each dimension count of them, stride bytes apart, with the indices first,
 * first + step, … */
struct native_placed {
	struct native_part *part; /* owned: what an element is made of */
	uint32_t npart;
	uint32_t size, packed; /* bytes of an element in memory, and of its parts one by one */
	uint8_t order, ndim;   /* 'C', 'F' */
	uint64_t addr, count[ARRAY_DIMS];
	int64_t first[ARRAY_DIMS], step[ARRAY_DIMS], stride[ARRAY_DIMS];
	uint64_t call, from;   /* of a call's own: where its return address is, and that; 0 */
	struct native_way way; /* to addr; n 0: it stays */
};
void native_placed_clear(struct native_placed *p);
/* The bits of an element of up to 8 bytes that it has; 0: all. */
uint64_t native_placed_mask(const struct native_placed *p);
/* The parts of an element, whose `size` bytes are those, one by one as their types have them. */
void native_placed_pack(const struct native_placed *p, const unsigned char *element,
			unsigned char *out);
/* Those that a variable, or an expression that comes to a place in memory, has, as QUERY_WATCH
 * asks. 1; 0: there is no variable of that name; -1 and err. Clear *out in either case. */
int native_place(struct native *n, bool parked, const struct msg_query *q,
		 struct native_placed *out, struct err *err);
/* A variable becomes a value, as QUERY_ASSIGN has it; *count: how many elements. */
int native_assign(struct native *n, bool parked, const struct msg_query *q, uint64_t *count,
		  struct err *err);
/*
 * Stops all threads of the program where they are, until native_resume; when we die the kernel lets
 * them go on. -1 and err: it runs on.
 */
int native_pause(struct native *n, struct err *err);
void native_resume(struct native *n);
bool native_paused(const struct native *n);
/* Leaves a program that native_pause has stopped to another debugger: it stands still by
 * SIGSTOP. */
void native_yield(struct native *n);
/* Ends that, and stops the program as native_pause does. */
int native_take_back(struct native *n, struct err *err);

/*
 * Calls of functions of the program, which is parked (call.c).
 */

struct answer_called;
struct native_called;
struct page_call_order;
struct page_call_result;

/* Where the elements of a registered object begin; false: there is no such object, or it has no
 * memory. */
struct native_objects {
	void *arg;
	bool (*address)(void *arg, const char *name, uint64_t *out);
	/* One that is a number, its type and bytes. */
	bool (*number)(void *arg, const char *name, unsigned *type, unsigned char *bytes);
};

/* Makes the order for a call as QUERY_CALL has it. NULL and err: it cannot be made. */
struct native_called *native_call(struct native *n, const struct msg_query *q,
				  const struct native_objects *objects, struct page_call_order *out,
				  struct err *err);
/* Type and value of what it has returned, into out; what is said there stays until c is
 * destroyed. */
void native_called_value(struct native_called *c, const struct page_call_result *r,
			 struct answer_called *out);
void native_called_destroy(struct native_called *c); /* NULL is fine */

#endif
