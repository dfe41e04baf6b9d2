/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the preloaded MPI library keeps in the shared page of the calls that can block: the newest
 * call of each thread with its arguments as they were given, and what is needed to understand them:
 * requests, communicators, how many messages went where. The program writes, without clocks, locks
 * or system calls in calls that repeat; the supervisor reads (runtime/exec/page) and takes nothing
 * of it for granted.
 */
#ifndef DVMDBG_COMMON_MPISTATE_MPISTATE_H
#define DVMDBG_COMMON_MPISTATE_MPISTATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/mpistate/list.h"
#include "common/mpistate/race.h"

/* What a call does with its rank. */
enum mpistate_class {
	MPISTATE_SEND,	    /* sends, and may wait for the receiver */
	MPISTATE_RECV,	    /* receives */
	MPISTATE_SENDRECV,  /* both */
	MPISTATE_POST,	    /* begins a send or a receive: a request */
	MPISTATE_INIT,	    /* makes a request that is to be started */
	MPISTATE_START,	    /* starts these */
	MPISTATE_WAIT,	    /* for all requests */
	MPISTATE_WAITANY,   /* for one of them */
	MPISTATE_TEST,	    /* asks for all, and returns */
	MPISTATE_TESTANY,   /* asks for one of them, and returns */
	MPISTATE_CANCEL,    /* a request that may end without its message */
	MPISTATE_PROBE,	    /* waits for a message */
	MPISTATE_IPROBE,    /* asks for one, and returns */
	MPISTATE_MRECV,	    /* receives what a probe has found */
	MPISTATE_ALL,	    /* a collective: of all from all */
	MPISTATE_FROM,	    /* from the root */
	MPISTATE_TO,	    /* to the root */
	MPISTATE_SCAN,	    /* from lower ranks */
	MPISTATE_NEIGHBOR,  /* from neighbours of a topology */
	MPISTATE_IALL,	    /* the same, as requests */
	MPISTATE_IFROM,
	MPISTATE_ITO,
	MPISTATE_ISCAN,
	MPISTATE_INEIGHBOR,
	MPISTATE_GROUP,	    /* a collective of some of the communicator's ranks */
	MPISTATE_NAME,	    /* gives a communicator its name */
	MPISTATE_LOCAL,	    /* makes or frees something, and waits for nobody */
	MPISTATE_OTHER,	    /* may wait, for what is not known */
	MPISTATE_CLASSES
};

enum mpistate_call {
#define X(name, lower, upper, class, args, c, fortran) MPISTATE_CALL_##name,
	MPISTATE_LIST(X)
#undef X
#define X(name, class, args, c) MPISTATE_CALL_##name,
		MPISTATE_LIST_LATER(X)
#undef X
	/* wrapped by hand */
	MPISTATE_CALL_Init,
	MPISTATE_CALL_Finalize,
	MPISTATE_CALLS
};

#define MPISTATE_WORDS 14     /* the most arguments */
#define MPISTATE_THREADS 16   /* threads whose calls are kept */
#define MPISTATE_REQUESTS 64  /* requests of one call that are kept */
#define MPISTATE_OBJECTS 1024 /* communicators, windows and files at a time */
#define MPISTATE_POSTED 8192  /* requests that are known; a power of two */
#define MPISTATE_PAIRS 4096   /* (communicator, peer, tag); a power of two */
#define MPISTATE_MEMBERS (1u << 20)
#define MPISTATE_TYPES 96
#define MPISTATE_RECENT 8 /* collectives of a communicator; a power of two */
#define MPISTATE_GIVEN 65536 /* collectives with what was given; the first half stays */
#define MPISTATE_PARTS (1u << 17)
#define MPISTATE_NAME 64

/* Where in the arguments of a call things are; -1: it has none. */
struct mpistate_shape {
	uint8_t class; /* enum mpistate_class */
	uint8_t words;
	uint8_t large; /* counts have 64 bits */
	int8_t count, type, dest, dest_tag;	/* of what is sent, or of all there is */
	int8_t source, source_tag, recv_count, recv_type;
	int8_t comm, win, file, root, op;
	int8_t made_request, request, value, number, requests, flag;
	int8_t made_comm, made_win, made_file, ends_comm, ends_win, ends_file;
	int8_t made_type, made_group, made_op, commits, ends_type, ends_group, ends_op;
};

/* "MPI_Send"; "?" for a number that is no call. */
const char *mpistate_call_name(unsigned call);
/* The arguments of a call, a letter each as in list.h. */
const char *mpistate_call_args(unsigned call);
unsigned mpistate_call_class(unsigned call);
/* The class of what MPI_Start begins when the request is made by that call; else that of the call. */
unsigned mpistate_call_starts(unsigned call);
/* The argument of a collective that its result goes to; -1: it has none. */
int8_t mpistate_call_result(unsigned call);
/* What that comes to; all -1 for a number that is no call. */
struct mpistate_shape mpistate_shape(unsigned call);

/* Of a class: it is a collective of all ranks of the communicator, or begins one. */
static inline bool mpistate_is_collective(unsigned class)
{
	return class >= MPISTATE_ALL && class <= MPISTATE_INEIGHBOR;
}

/* A persistent collective is made: that is a collective, too. */
static inline bool mpistate_makes_collective(unsigned call)
{
	return call >= MPISTATE_CALL_Barrier_init && call <= MPISTATE_CALL_Scatterv_init_c;
}

/* It returns, whether it has succeeded or not. */
static inline bool mpistate_is_poll(unsigned class)
{
	return class == MPISTATE_TEST || class == MPISTATE_TESTANY || class == MPISTATE_IPROBE;
}

/* The newest call of a thread. Written by that alone. */
struct mpistate_slot {
	_Atomic uint32_t tid; /* of the thread; 0: the slot is free */
	_Atomic uint32_t seq; /* odd while what follows changes */
	_Atomic uint32_t in;  /* the call has not returned */
	_Atomic uint32_t polls; /* tests and probes without success since the thread has moved */
	_Atomic uint64_t moves; /* calls begun and completed, without these */
	uint32_t call;	/* enum mpistate_call + 1; 0: none so far */
	uint32_t fortran;
	uint64_t pc;	/* where it returns to */
	uint64_t word[MPISTATE_WORDS]; /* Fortran's numbers are read from their addresses */
	uint32_t nrequest, all_requests; /* kept, and of the call */
	uint64_t request[MPISTATE_REQUESTS];
	uint32_t coll_object, coll_n; /* a collective: index + 1 of its object, its number there */
	_Atomic uint32_t spin_call; /* of calls that only read windows, in vain: that + 1; 0: none */
	_Atomic uint64_t spin_pc;
};

/*
 * Data, as the basic types in their order: so many of one, or a hash. Equal for equal data,
 * whatever types describe them.
 */
struct mpistate_sig {
	uint64_t len;	     /* basic elements; MPISTATE_SIG_UNKNOWN */
	uint64_t hash;	     /* of data of several types */
	uint32_t base, pad;  /* kind (a letter) << 8 | bytes; 0: of several types, or none; or … */
};
#define MPISTATE_SIG_UNKNOWN UINT64_MAX
#define MPISTATE_SIG_LIST 2 /* … a base: a list of them, each for another rank */
#define MPISTATE_SIG_BASE(kind, bytes) ((uint32_t)(kind) << 8 | (bytes))

enum mpistate_what { MPISTATE_COMM, MPISTATE_WIN, MPISTATE_FILE, MPISTATE_WHATS };

/* A collective that was begun. */
struct mpistate_begun {
	uint32_t call; /* enum mpistate_call + 1 */
	int32_t root;  /* -1: it has none; of intercommunicators also MPISTATE_NULL, MPISTATE_ROOT */
	uint64_t pc;
	uint32_t object; /* arena offset of what is registered where its result goes; 0: nothing */
	uint32_t main;	 /* the newest numbered construct then */
};

/*
 * A collective with what this rank has given, for comparison with the others. Sums are over all of
 * its communicator up to this one: of what has to be the same on all ranks, and of parts that are
 * for one other rank each, taken from what is expected of others: over all ranks that is 0.
 */
struct mpistate_given {
	_Atomic uint32_t number; /* among those of its communicator; 0: nothing is here */
	uint32_t call;		 /* enum mpistate_call + 1 */
	uint64_t id;		 /* of the communicator */
	int32_t root;		 /* -1: it has none */
	uint32_t op;		 /* MPISTATE_OP_… below */
	uint64_t pc;
	struct mpistate_sig sig;
	uint64_t sum, parts_sum;
	uint32_t part, nsent,
		nreceived;	  /* in the page's parts: what goes to each rank, comes from each */
	uint32_t object;	  /* index of the communicator, when it is still there */
	uint32_t size, rank;	  /* of the communicator, and in it */
	uint32_t unknown;	  /* what data these are */
	uint32_t parts;		  /* it has parts */
};
#define MPISTATE_GIVEN_NO_OP 0	    /* else the number of one that is predefined, or */
#define MPISTATE_GIVEN_USER_OP 1000 /* one of the program's own */
#define MPISTATE_GIVEN_ANY_OP 1001  /* one that is not known */

/* Among the collectives so far, where the n-th (from 0) is kept. */
static inline uint32_t mpistate_given_at(uint32_t n)
{
	return n < MPISTATE_GIVEN / 2 ? n : MPISTATE_GIVEN / 2 + n % (MPISTATE_GIVEN / 2);
}

/* A communicator, or what has the ranks of one. */
struct mpistate_object {
	_Atomic uint32_t serial; /* never the same for two; 0: nothing is here */
	uint32_t what;		 /* enum mpistate_what */
	uint64_t handle;
	int64_t fortran; /* its handle there */
	uint64_t id;	 /* the same on all its ranks */
	uint32_t size;	 /* intercommunicators: of the remote group, to which ranks refer */
	uint32_t inter;
	uint32_t local;	 /* of these: ranks of the own group; 0: who is in the other is not known */
	uint32_t second; /* and whether the own group comes second where both are counted */
	uint32_t members; /* index of their ranks of MPI_COMM_WORLD; 0: not known, or … */
	uint32_t world;	  /* … 1: they are the same */
	uint32_t made_by; /* enum mpistate_call + 1 */
	uint64_t made_pc;
	_Atomic uint32_t children; /* made of it so far */
	_Atomic uint32_t begun_n;  /* collectives so far */
	uint32_t rank;		   /* this one's, in it */
	uint64_t sum, parts_sum;   /* over these: struct mpistate_given */
	struct mpistate_begun begun[MPISTATE_RECENT]; /* the n-th at n % MPISTATE_RECENT */
	char name[MPISTATE_NAME];
};

/* What a request is: found by its handle, of which the newest counts. */
struct mpistate_posted {
	_Atomic uint64_t key; /* handle, Fortran's with the highest bit */
	uint32_t call, stamp;
	uint64_t pc, word[MPISTATE_WORDS];
	uint32_t fortran;
	uint32_t coll_object, coll_n;
	_Atomic uint32_t active; /* operations under way with this handle, which MPI may share */
	uint32_t persistent, starts; /* it can be started; has been, so many times */
	uint32_t overwritten; /* enum mpistate_call + 1 that has put another in the place of this
				 one */
	uint64_t at;	      /* where the program has its handle */
	uint32_t base;	      /* of what is received: as in struct mpistate_kind */
	uint32_t serial;      /* of its communicator */
};
#define MPISTATE_FORTRAN_KEY (UINT64_C(1) << 63)
#define MPISTATE_PROBES 8 /* places where a request or a pair may be */

/* Messages whose data are all of one basic type. */
struct mpistate_kind {
	uint32_t base, n; /* as in struct mpistate_sig, and how many messages */
	uint64_t pc;	  /* of the newest */
	uint32_t call, pad; /* enum mpistate_call + 1 */
};
#define MPISTATE_KINDS 4
#define MPISTATE_BASE_MIXED 1 /* of several types, at least two in each message */

/* Messages of one tag from or to a rank of a communicator. */
struct mpistate_pair {
	_Atomic uint32_t serial; /* of the communicator; 0: free */
	int32_t peer, tag; /* MPISTATE_ANY */
	uint32_t sends, recvs;
	uint32_t call; /* the newest send: enum mpistate_call + 1 */
	uint32_t count;
	int32_t world; /* the peer's rank in MPI_COMM_WORLD */
	uint64_t pc, type;
	uint64_t id; /* of the communicator; 0: what its messages are is not followed */
	uint32_t any, received; /* sends that fit anything; receives that are complete */
	struct mpistate_kind sent[MPISTATE_KINDS], got[MPISTATE_KINDS];
};
/*
 * Of windows, as if they were messages. POSTED: MPI_Win_post sends one to each of its group,
 * MPI_Win_start receives it; received: that are no longer waited for. COMPLETED: MPI_Win_complete
 * sends, MPI_Win_wait receives. The others: to the target (ANY: all) of a lock that is taken, from
 * it when that is given back; any: one is waited for.
 */
#define MPISTATE_TAG_POSTED (-11)
#define MPISTATE_TAG_COMPLETED (-12)
#define MPISTATE_TAG_SHARED (-13)
#define MPISTATE_TAG_EXCLUSIVE (-14)
/* Of communicators: how often the persistent collective that is number n there was started, to ANY. */
#define MPISTATE_TAG_STARTED(n) (-1000 - (int32_t)(n))
#define MPISTATE_ANY (-1)
#define MPISTATE_NULL (-2)    /* MPI_PROC_NULL */
#define MPISTATE_UNKNOWN (-3) /* a rank of MPI_COMM_WORLD that cannot be told */
#define MPISTATE_ROOT (-4)    /* MPI_ROOT, as the root of an intercommunicator's collective */

struct mpistate_type {
	uint64_t handle;
	int64_t fortran;
	char name[24];
};

/* The numbers that this MPI uses. */
struct mpistate_numbers {
	int32_t any_source, any_tag, proc_null, root;
	uint32_t request_bytes;
	uint64_t request_null;
	int64_t request_null_fortran;
};

/* A root as a call has it, with our numbers for MPI's. */
static inline int32_t mpistate_root(const struct mpistate_numbers *n, uint32_t inter, int32_t root)
{
	if (!inter)
		return root;
	return root == n->root ? MPISTATE_ROOT : root == n->proc_null ? MPISTATE_NULL : root;
}

/* A file with code that calls MPI. */
struct mpistate_module {
	_Atomic uint32_t there; /* all else is written */
	uint32_t pad;
	uint64_t lo, hi; /* its code, in memory */
	uint64_t load;	 /* what is added to its own addresses */
	char path[1024];
};
#define MPISTATE_MODULES 32
#define MPISTATE_INNER 16 /* threads that MPI has for itself */

/* A buffer of a call that is no block of malloc's: what it is is found by debug information. */
struct mpistate_extent {
	_Atomic uint32_t there;
	uint32_t call; /* enum mpistate_call + 1 */
	uint32_t arg;  /* from 1 */
	uint32_t writes;
	uint64_t pc;	 /* where the call returns to */
	uint64_t addr, bytes;
	uint64_t sp, bp; /* the caller's registers, when it calls */
};
#define MPISTATE_EXTENTS 64

struct mpistate_page {
	_Atomic uint32_t on; /* numbers, types and MPI_COMM_WORLD are there */
	_Atomic uint32_t serial; /* the last one given out */
	_Atomic uint32_t lost; /* calls of threads that have no slot */
	_Atomic uint32_t pairs_lost; /* messages that are in no pair */
	_Atomic uint32_t cancelled; /* receives may have ended without a message */
	_Atomic uint32_t blind; /* receives that have taken a message of which nothing is known */
	_Atomic uint32_t failed; /* how many messages were sent or received is not known */
	_Atomic uint32_t final; /* MPI_Finalize has been called */
	_Atomic uint32_t posted_lost; /* requests under way that are no longer kept */
	_Atomic uint32_t members_n;
	_Atomic uint32_t
		unsure; /* calls were not seen, or by several threads: nothing is compared */
	_Atomic uint32_t given_n, parts_n;
	_Atomic uint32_t several; /* other threads than main's may call MPI */
	uint32_t inner[MPISTATE_INNER]; /* those that MPI_Init has made; 0: no more */
	struct mpistate_numbers numbers;
	struct mpistate_slot slot[MPISTATE_THREADS];
	struct mpistate_object object[MPISTATE_OBJECTS];
	struct mpistate_type type[MPISTATE_TYPES];
	struct mpistate_posted posted[MPISTATE_POSTED];
	struct mpistate_pair pair[MPISTATE_PAIRS];
	int32_t members[MPISTATE_MEMBERS]; /* [0] is never given out */
	struct mpistate_module module[MPISTATE_MODULES];
	struct mpistate_given given[MPISTATE_GIVEN];
	struct mpistate_sig parts[MPISTATE_PARTS];
	struct mpistate_race race;
	_Atomic uint32_t nextent;
	struct mpistate_extent extent[MPISTATE_EXTENTS];
};

/* Spreads a key over 64 bits; for the tables above and identities of communicators. */
static inline uint64_t mpistate_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);

	return x ^ x >> 32;
}

static inline uint32_t mpistate_pair_at(uint32_t serial, int32_t peer, int32_t tag)
{
	uint64_t x = mpistate_mix((uint64_t)serial << 32 | (uint32_t)peer, (uint32_t)tag);

	return (uint32_t)x & (MPISTATE_PAIRS - 1);
}

static inline uint32_t mpistate_posted_at(uint64_t key)
{
	return (uint32_t)mpistate_mix(key, 0) & (MPISTATE_POSTED - 1);
}

#endif
