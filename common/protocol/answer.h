/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers to QUERY, where they are no reports: each is the blob of a group. Texts that were got are
 * borrowed from the buffer, as in reports.
 */
#ifndef DVMDBG_COMMON_ANSWER_H
#define DVMDBG_COMMON_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/array/layout.h"
#include "common/core/codec.h"
#include "common/protocol/report.h"

/* What an answer that may be a refusal begins with: the kind, of ANSWER_ERROR a text. */
enum answer_kind {
	ANSWER_ERROR = 0, /* why says why there is no other answer */
	ANSWER_DONE = 1,
	ANSWER_VALUE = 1, /* to QUERY_FETCH: of a replicated object */
	ANSWER_PIECE = 2, /* the same: of a distributed one */
};
struct answer_head {
	uint8_t kind;
	const char *why; /* ANSWER_ERROR */
};
int answer_head_code(struct codec *c, struct answer_head *a);
CODEC_PAIR(answer_head, (void)0)

/* To QUERY_FETCH; the bytes of the values follow, row by row of the section. */
struct answer_fetch {
	struct answer_head head;
	uint8_t type;	     /* enum value_type */
	uint64_t count;	     /* ANSWER_VALUE: how many values */
	struct layout piece; /* ANSWER_PIECE: positions in the section, a count may be 0 */
};
int answer_fetch_code(struct codec *c, struct answer_fetch *a);
CODEC_PAIR(answer_fetch, layout_clear(&x->piece))

/* To QUERY_ASSIGN. */
struct answer_assign {
	struct answer_head head;
	uint64_t elements; /* that were written */
};
int answer_assign_code(struct codec *c, struct answer_assign *a);
CODEC_PAIR(answer_assign, (void)0)

/* To QUERY_ADDRESS: where elements of a section are in the memory of a rank. */
struct answer_address {
	struct answer_head head;
	uint64_t stored; /* so many are here, halo and copies included; 0: none, and no address */
	uint64_t own;	 /* of these, that the rank owns; of a replicated object all */
	bool copy;	 /* it stores another copy than the one that counts */
	uint64_t addr;	 /* of the first of them, in the order of the section */
	uint8_t ndim;
	int64_t index[ARRAY_DIMS]; /* its global indices */
};
int answer_address_code(struct codec *c, struct answer_address *a);
CODEC_PAIR(answer_address, (void)0)

/* To QUERY_TEST: how an expression, as a condition, turns out on a rank. */
enum test_answer {
	TEST_FAILED = ANSWER_ERROR, /* it cannot be evaluated */
	TEST_NO = 1,
	TEST_YES = 2,
	TEST_ABSENT = 3, /* it needs elements that the rank does not own */
};

/* To QUERY_POINTS: so many report_point follow, newest last. */
struct answer_points {
	uint32_t n;
};
int answer_points_code(struct codec *c, struct answer_points *a);
CODEC_PAIR(answer_points, (void)0)

/* To QUERY_HASH. */
struct answer_hash {
	uint8_t known, kind; /* kind and place: of the construct with that number */
	uint64_t hash;	     /* over the constructs up to it */
	struct place place;
};
int answer_hash_code(struct codec *c, struct answer_hash *a);
CODEC_PAIR(answer_hash, (void)0)

/* To QUERY_PROCESS. */
struct answer_process {
	uint32_t pid; /* 0: none */
	const char *host;
};
int answer_process_code(struct codec *c, struct answer_process *a);
CODEC_PAIR(answer_process, (void)0)

/* What QUERY_NATIVE asks for. */
enum native_ask {
	NATIVE_LOGICAL = 1, /* the logical stack too */
	NATIVE_WHOLE = 2,   /* calls inside libraries one by one, and what calls main */
	NATIVE_THREAD = 4,  /* of the thread whose place by age is the query's rank, 0 runs main:
			     * DONE without  calls when it is in no function of the program, ERROR:
			     * there is none */
};

/* Where a thread was when its calls were read. */
enum native_state {
	NATIVE_RUNNING, /* it ran, and was paused for that */
	NATIVE_PARKED,	/* it waits for orders at a mark */
	NATIVE_LEFT,	/* it has called exit before MPI_Finalize, and has ended since */
	NATIVE_CRASHED, /* it has caught a signal that ends the program, or calls MPI_Abort */
	NATIVE_STATES
};

/*
 * A call that is under way. Of a run of calls inside libraries only the outermost is there: the
 * function that the user's code has called.
 */
struct native_call {
	uint8_t library;    /* it is such a one; vaddr is where the function begins */
	const char *module; /* file with the code, "" when that is not known */
	uint64_t vaddr; /* in the module's own address space: the call itself, not what it returns
			   to */
};
int native_call_code(struct codec *c, struct native_call *f);
CODEC_PAIR(native_call, (void)0)

#define NATIVE_CALLS 128
/* To QUERY_NATIVE: the native stack of the rank's thread, or of the one that has crashed. */
struct answer_native {
	struct answer_head head; /* ANSWER_ERROR: why there is none; the logical stack is there */
	uint8_t state;		 /* enum native_state */
	uint32_t n;
	uint32_t lost; /* it ends early: so many outer calls are not kept; UINT32_MAX: not known how
			  many */
	struct native_call call[NATIVE_CALLS]; /* outermost first */
	/* of a crash; "" nothing known */
	const char *near;  /* what is at its address */
	const char *cause; /* "integer division by zero", "the stack has overflowed" */
	uint8_t placed;	   /* the signal has an address */
	const char *message; /* by the C library: the assertion, the damage that malloc has found */
	struct report_stack stack; /* as asked for */
};
int answer_native_code(struct codec *c, struct answer_native *a);
CODEC_PAIR(answer_native, (void)0)

/* What QUERY_LOCALS asks for. */
enum locals_ask {
	LOCALS_ARGUMENTS = 1,
	LOCALS_VARIABLES = 2, /* those that are no arguments */
	LOCALS_FRAMES = 4,    /* of all of the user's calls, the innermost first */
	LOCALS_OUTERMOST =
		8, /* of several calls of the function they are counted from the outermost one */
	LOCALS_ADDRESSES = 16, /* pointers with their addresses, which differ between ranks */
	LOCALS_LONG = 32,      /* as much of arrays as a user wants who asks for one */
	LOCALS_PLACES = 64,    /* of arrays where they begin, and bounds: "0x7f10 (0:65,1:64)" */
	LOCALS_NUMBERS = 128,  /* answer_elements follows instead of a call */
	LOCALS_SHAPE = 256,    /* the same without values */
	LOCALS_HIDDEN = 512,   /* name: "u eps"; those of them that are registered, and variables of
				  the call too, in other memory; without types and values */
	LOCALS_LASTING = 1024, /* of QUERY_WATCH: no variable that ends with its call */
};
/* And of which thread, by its place by age; 0 runs main. */
#define LOCALS_THREAD(place) ((uint32_t)(place) << 16)
#define LOCALS_THREAD_OF(ask) ((ask) >> 16)

/* To QUERY_LOCALS: so many calls follow; none: it has no variable of that name. */
struct answer_locals {
	struct answer_head head; /* ANSWER_ERROR: why there are none */
	uint32_t n;
};
int answer_locals_code(struct codec *c, struct answer_locals *a);
CODEC_PAIR(answer_locals, (void)0)

/* A call of it: so many variables follow. */
struct answer_call {
	const char *func; /* "" not known */
	const char *lack; /* why there are no variables; "" there are, or it has none */
	uint32_t n;
};
int answer_call_code(struct codec *c, struct answer_call *a);
CODEC_PAIR(answer_call, (void)0)

struct answer_variable {
	uint8_t argument;
	uint8_t number; /* enum value_type of bytes; VALUE_TYPES: it is no number, or not known */
	unsigned char bytes[16];
	const char *name, *type, *value; /* as the language has them */
};
int answer_variable_code(struct codec *c, struct answer_variable *a);
CODEC_PAIR(answer_variable, (void)0)

/* What QUERY_CALL asks for. */
enum call_ask {
	CALL_BEGIN = 1, /* call it; the answer is CALLED_WAITS */
	CALL_LOOK = 2,	/* how it is with the call */
	CALL_STOP = 4,	/* the same, and it is to end */
	CALL_KEEP = 8,	/* with BEGIN: in the process itself, not in a copy of it */
	CALL_OUTERMOST = 16, /* as LOCALS_OUTERMOST */
	CALL_ADDRESSES = 32, /* as LOCALS_ADDRESSES */
};

enum called_how {
	CALLED_WAITS, /* it has not ended yet */
	CALLED_RETURNED,
	CALLED_SIGNAL,
	CALLED_EXIT,
	CALLED_MPI,
	CALLED_STOPPED,
	CALLED_UNKNOWN, /* there is no function of that name; value says so */
	CALLED_HOWS
};

/* To QUERY_CALL. */
struct answer_called {
	struct answer_head head;
	uint8_t how;   /* enum called_how */
	int32_t code;  /* the signal; the status of exit */
	uint8_t null;  /* the signal is about an address near 0 */
	uint8_t overflow; /* its stack was full */
	const char *module; /* where that was; "" not known */
	uint64_t vaddr;
	const char *mpi; /* CALLED_MPI: the function; else "" */
	uint8_t number; /* of CALLED_RETURNED, as in answer_variable */
	unsigned char bytes[16];
	const char *type, *value; /* "" : it returns nothing */
};
int answer_called_code(struct codec *c, struct answer_called *a);
CODEC_PAIR(answer_called, (void)0)

/* Numbers of a variable; indices as in struct values (common/array/values.h). */
struct answer_elements {
	uint8_t type, order, ndim; /* enum value_type or VALUE_STRUCT; order: 'C', 'F' */
	/* of structures: their size, and their numbers without gaps, each called as behind the
	 * structure, ".x[2]" */
	uint32_t elem_size;
	struct array_field *field; /* owned when it was got */
	uint32_t nfield;
	uint64_t count[ARRAY_DIMS];
	int64_t first[ARRAY_DIMS], step[ARRAY_DIMS];
	size_t n;
	const void *bytes; /* borrowed, when it was got; the last dimension fastest */
	unsigned char *room; /* for who has made them */
};
int answer_elements_code(struct codec *c, struct answer_elements *a);
CODEC_PAIR(answer_elements, array_fields_clear(x->field, x->nfield))

/* To QUERY_HALO: so many arrays follow. */
struct answer_halo {
	struct answer_head head;
	uint32_t n;
};
int answer_halo_code(struct codec *c, struct answer_halo *a);
CODEC_PAIR(answer_halo, (void)0)

/*
 * One array of it. Unless it is left out, two lists of boxes follow: of the halo inside the array,
 * one per side, edge and corner, and of the own part along the faces behind which other ranks are.
 */
struct answer_array {
	struct array_desc desc;	 /* owned when it was got; local too, unless it is left out */
	struct answer_head head; /* ANSWER_ERROR: it is left out */
};
int answer_array_code(struct codec *c, struct answer_array *a);
CODEC_PAIR(answer_array, array_desc_clear(&x->desc))

/* How many boxes follow. */
int answer_boxes_code(struct codec *c, uint32_t *n);
/* A box in global indices, both ends inclusive, and its elements, the last dimension fastest. */
struct halo_box {
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
	const unsigned char *bytes; /* borrowed from the answer */
};
/* The number of its elements; UINT64_MAX: more. */
uint64_t halo_box_volume(const struct halo_box *x, unsigned ndim);
/* A box of that array, in which it is. */
int halo_box_code(struct codec *c, struct halo_box *x, const struct array_desc *a);

#endif
