/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces: what is common to those who write and those who read them. doc/TRACE.md describes the
 * bytes.
 *
 * A thread of the program fills raw blocks (encode.h). The supervisor makes decodable blocks of
 * them (decode.h) and writes these to a file (common/tracefile) or compares them. Files are read
 * with common/traceindex; common/dvmtext has the historical text format.
 */
#ifndef DVMDBG_COMMON_TRACE_H
#define DVMDBG_COMMON_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/logical/point.h"
#include "common/protocol/report.h"

enum trace_op {
	TRACE_BEGIN, /* of a construct */
	TRACE_END,
	TRACE_ITER, /* an iteration begins; the one before has ended */
	TRACE_READ,
	TRACE_WRITE,	 /* with the value that is there after it */
	TRACE_VALUE,	 /* of a registered replicated object, at a construct's boundary */
	TRACE_REDUCTION, /* the result of a reduction */
	TRACE_SKIP,	 /* "SKP": end of a block of own computations in the sequential branch */
	TRACE_LOST,	 /* records that are missing here */
	TRACE_NOTE,	 /* text */
	TRACE_SUM,	 /* a checksum, in imported traces */
	TRACE_BEFORE,	 /* a write begins, in imported traces */
	TRACE_CALL,	 /* of MPI, that has returned: call.h */
	TRACE_OPS
};

/* Kinds of NOTE. What a text trace has that its other records do not say stands in front of
 * them. */
enum trace_note_kind {
	TRACE_NOTE_PLAIN,
	TRACE_NOTE_LINEAR =
		100,	   /* the linear number of the next iteration, where it is another one */
	TRACE_NOTE_NUMBER, /* of the next construct: "2(4) [2]", as it stood */
	TRACE_NOTE_COMMENT,
};

/* What bytes of a VALUE are. */
enum trace_value_form {
	TRACE_VALUE_WHOLE,
	TRACE_VALUE_PRINT, /* a fingerprint of it */
	TRACE_VALUE_PART,  /* of it; `at` bytes come before them, value[0] behind */
	TRACE_VALUE_FORMS
};

/*
 * A NOTE of this kind: a reduction of MPI begins. "FROM TO COUNT BYTES OP TYPE COMMUNICATOR SIZE
 * RANK ROOT DATA": hexadecimal addresses and the identity of the communicator, all else decimal;
 * BYTES of an element; names as MPI has them, ? not known; ROOT -1: all ranks have the result;
 * DATA: what is combined, in hexadecimal, - not known. In place FROM is TO.
 */
#define TRACE_NOTE_REDUCES 16

/*
 * A NOTE of this kind is for dynamic control (common/control): a letter, an address in hexadecimal,
 * and decimal numbers. BYTES 0: all of the array or block.
 *
 *	P R D ADDRESS BYTES PC	private, read only, a reduction variable, in the construct that
 *				begins next, by the call before PC; likewise
 *	A ADDRESS N LO … HI … PC	iterations depend on each other: on N indices below, above;
 *	C ADDRESS BYTES PC	it computes the halo of an array itself;
 *	T NUMBER		of the task that begins next: it depends on that one, and on those
 *				that this one depends on
 *	O ADDRESS N SHIFT … INDEX …	iterations of the construct that has begun are mapped on
 *				that array: which index of the loop (from 0; -1: any) and what is
 *				added
 *	F PC SP BP		the construct that has begun was opened by the call before PC, with
 *				these registers (hexadecimal)
 *	S ADDRESS BYTES		a reduction has been started, up to its REDUCTION
 *	H ADDRESS, h ADDRESS	the renewal of a halo begins, is complete
 *	B ADDRESS BYTES		a buffer that remote elements are loaded into from now on
 *	M ADDRESS BYTES PC	memory is allocated
 *	Z W ADDRESS BYTES	it has been set by what is not recorded, is of a window that other
 *				ranks write
 *	G U ADDRESS BLOCK STRIDE N PC CALL	MPI has written N blocks, or is to read them
 *	V ADDRESS VERSION	from now on the memory of that version of an object is there
 *	X			not all that MPI writes could be followed
 */
#define TRACE_NOTE_CONTROL 17

/*
 * A NOTE of this kind is an event of OpenMP in its thread (common/openmp): a letter and numbers.
 * Regions and tasks have numbers that are never used again in the process; ROOT is the outermost
 * region around a task, INTERVAL how many barriers of that came before. Kinds are those of OMPT;
 * addresses (STACK, PC, KEY, ADDRESS) are hexadecimal.
 *
 *	T LO HI OWN_LO OWN_HI	of the thread: its stack, and the variables that each thread has
 *	P REGION N PC SP BP CODE DATA
 *				the task that runs begins a region, of N threads (0: as many as
 *				usual), by the call before PC, with these registers; its threads
 *				call CODE with DATA (0: not known); p REGION: it is complete
 *	I TASK REGION ROOT INTERVAL INDEX N STACK LEAGUE
 *				an implicit task begins on this thread, INDEX of N, with frames
 *				below STACK; LEAGUE 1: in one of several teams (target, teams);
 *				i TASK: it has ended
 *	C TASK FLAGS PC SP BP ID ADDRESS BYTES
 *				the task that runs creates one, with that memory for its copies;
 *				FLAGS u: and waits for its end; w: and this is nothing but a wait
 *				for what it depends on
 *	D TASK KIND ADDRESS	it depends on that
 *	A ID ADDRESS BYTES	memory for the copies of a task that is going to be created
 *	S TASK ROOT INTERVAL STACK ID ADDRESS BYTES
 *				a task begins, or goes on, on this thread, with that memory (ID
 *				0: not known)
 *	s TASK			it is complete
 *	B KIND, b KIND		the task waits, has waited: b at a barrier, w for its tasks, g at
 *				the end of a group of tasks, which B begins
 *	W KIND COUNT PC, w …	a construct that shares work begins, ends
 *	M, m			what only one of the threads does begins, ends
 *	L KIND KEY PC KEPT SEQ, l …	of mutual exclusion: it has it, gives it back; KEPT 1: some thread
 *				had that lock while it waited at a barrier; SEQ as of H
 *	K ADDRESS		the critical region that it has next is that variable's (0: of
 *				none); of a lock KEY is the variable
 *	N ON			what it executes from here on is another part of the construct that
 *				shares work (ON 0: of none), as a section, or a chunk of a loop;
 *				ON 2: an iteration of a loop, of a chunk or a task; 3: the loop of
 *				these has ended; 4: up to a 3 loops are statements with arrays,
 *				whose elements do not depend on each other
 *	O KIND ADDRESS NUMBER	an atomic operation there acquires (q), releases (r); what has read
 *				what another wrote has the higher number
 *	U			the program has asked for the number of the thread
 *	G PC			a loop that the compiler divides among threads, before PC
 *	V LENGTH PC SP BP, V	an iteration of a SIMD loop begins, of which LENGTH may run at the
 *				same time (0: any number; 2^30 more: it reduces into an array), in
 *				the function that has these registers before PC; v: the loop has
 *				ended
 *	X WORD V…		the iteration waits (WORD q) for that of these numbers, or
 *				others for this one (p)
 *	F TASK			the event that the task waits for is fulfilled
 *	Y ADDR BYTES [NAME]	these bytes are the private variable, which has no value; without
 *				a name: they are copied, whether they have one or not
 *	R, r			the runtime combines the results of a reduction
 *	Q ADDRESS BYTES		copies of what tasks reduce, each a thread's own
 *	H WHAT NUMBER SEQ KEY ROOT
 *				threads that the program has begun by itself, which have the number
 *				of the ROOT of all; SEQ is the order of the run, with that of O.
 *				WHAT n: the thread is the first to begin one; c: begins NUMBER,
 *				before the PC that is KEY, with SP BP behind; s: is NUMBER; e: ends;
 *				j: has joined NUMBER; f: all are joined; l: has a lock KEY of kind
 *				NUMBER (20; 21: to read), u: gives it back; r, a: the same, for a
 *				while, waiting for a condition; p, w: a semaphore is posted, waited
 *				for (NUMBER - 1: what it was made with; 0: not known); b, d: comes
 *				to a barrier of NUMBER threads, has left it; o: what is done once is
 *				over, q: and was seen to be; x: it waits for the end of another one;
 *				i: it is in interval NUMBER from here on (s: KEY); k: interval KEY
 *				ends, when NUMBER have left it (f: the last one)
 */
#define TRACE_NOTE_OPENMP 18

#define TRACE_FRESH 0xa5 /* each byte of a private variable, where it has no value yet */

/* Flags of an access: those of runtime/hooks/hooks.h, HOOK_…, without HOOK_RMW: that is two
 * records. */
#define TRACE_SIZE 0x1fu /* bytes: 1, 2, 4, 8 or 16 */
#define TRACE_WRITES 0x20u
#define TRACE_ATOMIC 0x40u
#define TRACE_REDUCED 0x80u /* of a reduction variable (RV_RD, RV_AW of the text format) */

#define TRACE_NOWHERE UINT32_MAX /* no registered object: `at` is the address */
#define TRACE_NONE UINT32_MAX	 /* no site, no place */
#define TRACE_FRAMES 64		 /* depth of the construct stack that is kept */
#define TRACE_AT_BITS 61	 /* `at` is below 2^61 */

/*
 * One record. What a kind of record does not have is 0, TRACE_NONE or TRACE_NOWHERE. site, object
 * and place are positions, from 0, in the tables of the block that the record is from.
 */
struct trace_rec {
	uint8_t op;    /* enum trace_op */
	uint8_t size;  /* READ, WRITE, BEFORE: bytes, 1 2 4 8 16 */
	uint8_t kind;  /* BEGIN, END: enum construct_kind. REDUCTION: enum dvmdbg's number of the
			* operation, 0 not said. NOTE, LOST: as the writer said */
	uint8_t left;  /* END: the construct was left in the middle of an iteration (break, goto) */
	uint8_t nidx;  /* BEGIN: dimensions of the range; of a task: 1. ITER: indices */
	uint8_t flags; /* READ, WRITE, BEFORE: TRACE_WRITES, TRACE_ATOMIC, TRACE_REDUCED as they
			* were given
			*/
	uint8_t hashed; /* VALUE: enum trace_value_form */
	uint8_t level;	/* BEGIN: enum trace_config_level that is in force inside */
	uint32_t site;	/* READ, WRITE, BEFORE, REDUCTION, CALL: in block->site */
	uint32_t object; /* READ, WRITE, BEFORE, VALUE, REDUCTION, SUM: in block->object, or
			    TRACE_NOWHERE */
	uint32_t place; /* BEGIN, END, SKIP, VALUE: in block->place */
	/* BEGIN, END: its number, main 0 when the kind has none. All others: the last point passed.
	 */
	struct point point;
	/*
	 * READ, WRITE, BEFORE: bytes from the object's address (array_desc.addr: local element 0,
	 * halo counted), or the address itself for TRACE_NOWHERE. VALUE: bytes of it before these.
	 */
	uint64_t at;
	/*
	 * READ, WRITE: the bytes, as a little-endian number; value[1] is 0 unless size is 16. END:
	 * value[0] is how many iterations were executed, recorded or not, UINT64_MAX: not known.
	 * LOST: value[0] is how many records. VALUE: bytes of it behind these. CALL: when it began,
	 * in nanoseconds since 1970, and how long it took.
	 */
	uint64_t value[2];
	/* the first nidx of each are set, no others */
	int64_t index[ARRAY_DIMS];  /* ITER: indices. BEGIN: first of the global range; of a task:
				       its number */
	int64_t last[ARRAY_DIMS];   /* BEGIN: last of the global range, inclusive */
	int64_t step[ARRAY_DIMS];   /* BEGIN: its step, not 0 */
	const unsigned char *bytes; /* VALUE, REDUCTION, NOTE, SUM, CALL; borrowed from the block */
	uint32_t nbytes;
};

/*
 * A program or library, where it was loaded: address in the process = load + its own address. Texts
 * and bytes are owned by the block.
 */
struct trace_module {
	const char *path;
	const unsigned char *build_id;
	uint32_t nbuild_id; /* 0: it has none */
	uint64_t load;
	uint64_t lo, hi; /* its image, code and data, in its own addresses: lo <= x < hi; both 0:
			  * not known */
};

/* Where in the program an access is. Texts and bytes are owned by the block. */
struct trace_site {
	struct place
		place; /* module and vaddr for the debug information; or file and line (imported) */
	const unsigned char *build_id;	   /* of the module */
	uint32_t nbuild_id;		   /* 0: it has none */
	const struct trace_module *module; /* NULL: only its path is known, or file and line */
};

enum trace_object_kind {
	TRACE_ARRAY, /* registered, as desc; desc.kind separates distributed from
			replicated */
	TRACE_HEAP,  /* allocated memory that nobody registered: desc has elem_size 1, extent its
			bytes */
	/*
	 * Of an imported trace, named by the operand's text: a scalar, or, when all indices are
	 * numbers, an array as big as the indices that occur.
	 */
	TRACE_OPERAND,
};

/*
 * A version of an object: what was said by one registration. The number is the same in all blocks
 * of a rank; another number may describe the same.
 */
struct trace_object {
	uint32_t version;
	uint8_t kind;  /* enum trace_object_kind */
	uint32_t site; /* HEAP: where it was allocated, in block->site, or TRACE_NONE */
	uint64_t pc;   /* for resolvers: HEAP: the program's number for that, 0 not known */
	struct array_desc desc; /* owned by the block; addr is where it was in that process */
};

/* A construct that is open. */
struct trace_frame {
	uint8_t kind;	    /* enum construct_kind */
	uint8_t nidx;	    /* indices of the iteration that runs; 0: none */
	uint8_t level;	    /* enum trace_config_level that is in force inside */
	uint32_t place;	    /* in block->place; while it is encoded: the writer's number for it */
	struct point point; /* of its beginning; main 0 when it has none */
	int64_t index[ARRAY_DIMS];
};

/* What a block says of itself without being decoded. */
struct trace_info {
	uint32_t rank, thread; /* thread 0: the one that runs main */
	uint64_t seq;	    /* rises from block to block of a rank, in the order they were closed */
	struct point first; /* the last point passed where the block begins; main 0: none */
	struct point last;  /* the last point passed where it ends */
	uint64_t records, count[TRACE_OPS];
	bool half; /* its thread died while it was filled: whole records up to there */
	/*
	 * When all iterations of parallel loops in it are of one loop: that, and the box of their
	 * indices, ends included; else boxed is 0. A loop that is open at the beginning and in an
	 * iteration counts.
	 */
	uint8_t loops;	     /* parallel loops that have iterations here: 0, 1, 2 for more */
	uint8_t boxed;	     /* dimensions of the box */
	struct point box_of; /* the point of its beginning */
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
	uint32_t packed, raw; /* bytes in the file and when decoded; 0: not from a file */
	uint64_t offset;      /* in the file */
};

/* Where bytes of an object are in global indices. */
enum trace_where {
	TRACE_OUTSIDE, /* no element (a gap between rows), or beyond it */
	TRACE_OWN,     /* an element that this rank owns */
	TRACE_HALO,    /* a copy of another rank's element */
	TRACE_EDGE, /* halo of an index list, or beyond the global range: it has no global index */
};

/* A description prepared for many look-ups. */
struct trace_shape {
	const struct array_desc *desc; /* borrowed */
	unsigned ndim, by[ARRAY_DIMS]; /* dimensions, the widest stride first */
	uint64_t stride[ARRAY_DIMS],
		n[ARRAY_DIMS];	 /* bytes, and local elements with halo; by `by` */
	bool turned[ARRAY_DIMS]; /* the stride is negative */
};

/* Elements that are here in dimension d, halo counted. */
uint64_t trace_desc_length(const struct array_desc *a, unsigned d);
void trace_shape_make(struct trace_shape *s, const struct array_desc *a);
/*
 * The element of which the byte `at` is a part: its global indices, with lower counted in, into
 * index[0 … ndim - 1], and into *offset (may be NULL) how far in the element it is. Returns enum
 * trace_where; index is set for OWN and HALO, and, when it is not listed, for EDGE: as if the array
 * went on there.
 */
enum trace_where trace_shape_find(const struct trace_shape *s, uint64_t at, int64_t *index,
				  uint32_t *offset);
/* Which indices are owned is a list in some dimension. */
bool trace_shape_listed(const struct trace_shape *s);

/* What MPI has written ('G') or is to read ('U') in a call, of a NOTE of TRACE_NOTE_CONTROL: n
 * blocks of that many bytes, stride bytes apart. */
struct trace_moved {
	char kind;
	uint64_t addr, block, stride, n, pc;
	char call[41]; /* its name */
};

/* False when the text says none. Any numbers come. */
bool trace_moved_read(struct trace_moved *m, const char *text);

/* "READ"; "?" for a number that is none. */
const char *trace_op_name(unsigned op);

#endif
