/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contents of messages; the form of each is its msg_X_code. msg_X_get checks everything and
 * returns -1 on bytes that are not such a message, all of them. Texts that were got are borrowed
 * from the buffer.
 */
#ifndef DVMDBG_COMMON_MSG_H
#define DVMDBG_COMMON_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/logical/groups.h"
#include "common/protocol/trace_config.h"
#include "common/protocol/msg_list.h"
#include "common/logical/rankset.h"
#include "common/protocol/rule.h"
#include "common/array/section.h"
#include "common/checksum/checksum.h"
#include "common/array/bins.h"

#define MSG_ADDRS 8

/* Floating-point operations that raise SIGFPE. */
enum fpe_trap { FPE_TRAP_INVALID = 1, FPE_TRAP_DIVZERO = 2, FPE_TRAP_OVERFLOW = 4, FPE_TRAPS = 8 };

struct msg_params {
	uint8_t on_exit_run; /* the front end's end lets the program run on */
	uint8_t fpe;	     /* enum fpe_trap, or'ed */
	/* of a program that starts from now on: */
	uint8_t points;	     /* enum point_kind: what is numbered beside marks; MARKS: nothing */
	const void *marks;   /* marks beside the source (common/markcode/markcode.h); borrowed */
	uint32_t nmarks;     /* bytes; 0: there are none */
};
int msg_params_code(struct codec *c, struct msg_params *m);
CODEC_PAIR(msg_params, (void)0)

struct msg_join {
	uint32_t rank, size; /* size 0: not known */
	uint32_t pid;
	const char *version; /* PACKAGE_VERSION */
	const char *host, *listen;
	uint8_t orphan; /* its ancestors could not be reached: take it yourself */
	struct rankset subtree; /* itself and all below */
};
int msg_join_code(struct codec *c, struct msg_join *m);
CODEC_PAIR(msg_join, rankset_clear(&x->subtree))

/* Addresses of the ancestors, the nearest first; none: this connection is the tree link. */
struct msg_parent {
	uint32_t n;
	const char *addr[MSG_ADDRS];
	struct msg_params params;
};
int msg_parent_code(struct codec *c, struct msg_parent *m);
CODEC_PAIR(msg_parent, (void)0)

struct msg_attach {
	uint32_t rank;
	struct rankset subtree;
};
int msg_attach_code(struct codec *c, struct msg_attach *m);
CODEC_PAIR(msg_attach, rankset_clear(&x->subtree))

struct msg_rules {
	struct trace_config trace_config; /* in force with the rules */
	uint32_t nset, n, nwatch, nplace;
	/* owned by whoever decoded */
	struct rankset *set; /* rule.set and the like are indices + 1 */
	struct rule *rule;
	struct watch *watch;	   /* at most WATCH_MOST */
	struct trace_config_place *place; /* at most TRACE_CONFIG_PLACES */
};
void msg_rules_clear(struct msg_rules *m);
int msg_rules_code(struct codec *c, struct msg_rules *m);
CODEC_PAIR(msg_rules, msg_rules_clear(x))

/*
 * For the ranks of who. A rank that is loaded is started; one that is parked goes on, unless the
 * plan is PLAN_TO and it already is at or after the target; one that runs takes the plan as its
 * own.
 */
struct msg_go {
	struct rankset who;
	struct plan plan;
};
int msg_go_code(struct codec *c, struct msg_go *m);
CODEC_PAIR(msg_go, rankset_clear(&x->who))

/* Answered by a REPLY whose blobs are points (point_put): the furthest point each can be at. */
struct msg_freeze {
	uint32_t req;
	struct rankset who;
};
int msg_freeze_code(struct codec *c, struct msg_freeze *m);
CODEC_PAIR(msg_freeze, rankset_clear(&x->who))

/*      name     arguments                          blobs of the answer */
#define QUERY_LIST(X)                                                                              \
	X(STATUS, "none") /* report_status */                                                      \
	X(STACK, "none")  /* report_stack */                                                       \
	X(NAMES, "name")  /* array_desc_put_global of every live object, or of those named */      \
	X(LAYOUT, "name") /* global then local description of the object */                        \
	X(FETCH, "name, section, n") /* answer_fetch, then values; n: enum fetch_of */             \
	X(POINTS, "n, rank")	 /* answer_points, report_point each; times from `rank` only */    \
	X(HASH, "n")		 /* answer_hash over constructs 1 … n */                         \
	X(HALO, "name, n, rank") /* answer_halo, answer_array each; n: the least width of send     \
				    halos; rank: enum halo_shift and more */                                                                 \
	X(BINS, "name, section, bins") /* answer_head of an error, or bins */                      \
	X(ASSIGN,                                                                                  \
	  "name, section, n, value, rank, func") /* answer_assign; n: enum assign_to, or that of a \
			  variable, with LOCALS_VARIABLES, and func and rank as of LOCALS */       \
	X(TEST, "name")	     /* an expression: answer_head, its kind is of enum test_answer */     \
	X(REDUCE, "name, n") /* an expression: reduce_part of it; n: enum reduce */                \
	X(PROCESS, "none")   /* answer_process */                                                  \
	X(NATIVE, "n")	     /* answer_native; n: enum native_ask, or'ed */                        \
	X(MPI, "n")	     /* mpistate_report; n: 1 all of it, 0 the call alone */               \
	X(AGREE, "name, n, rank") /* what calls of MPI were given; rank: enum mpistate_agree */    \
	X(MOVES, "n")		  /* u8: 1 it has not moved for n tenths of a second, 0 it has */  \
	X(PAUSE, "none") /* answer_head: it stands where it was, which EVENT_STOP reports */       \
	X(YIELD, "n") /* answer_head: a rank that PAUSE has stopped is left to another debugger,   \
			 n: 1; 0: taken back */                                                                               \
	X(LOCALS,                                                                                  \
	  "name, n, rank, func") /* answer_locals, answer_call each, answer_variable each; name:   \
			  "a[3].x", "" all; func: of which function, "" the innermost; rank:       \
			  which of its calls, from 0; n: enum locals_ask, or'ed */                 \
	X(CALL,                                                                                    \
	  "name, n, rank, func") /* answer_called; name: "f(x, 3)"; n: enum call_ask; func, rank:  \
			    of the call whose variables the arguments are, as in LOCALS */         \
	X(ADDRESS, "name, section") /* answer_address */                                           \
	X(WATCH,                                                                                   \
	  "name, n, rank, func, id") /* answer_locals, answer_elements; name: what the actionpoint \
			  id watches from now on, as in LOCALS, the answer is without values; ""   \
			  what it is now; n: enum locals_ask, with LOCALS_SHAPE only whether it    \
			  can be watched */
enum query_kind {
#define X(name, args) QUERY_##name,
	QUERY_LIST(X)
#undef X
	QUERY_KINDS
};

/* What of a section becomes a value: what the rank owns, or its halo's copies of what others
 * own. */
enum assign_to { ASSIGN_OWN, ASSIGN_COPIES };

/*
 * Which elements are fetched. FETCH_INSIDE and FETCH_STORED are for sections that go beyond the
 * array's global bounds: what the rank owns of them, or all that it stores, its halo included.
 * FETCH_COPY + n: of an array that is partly replicated, what the rank has of copy n.
 */
enum fetch_of { FETCH_OWN, FETCH_INSIDE, FETCH_STORED, FETCH_COPY };

/*
 * As if the array had been registered otherwise: by a pointer to its first own element, with the
 * halo before it, or to its first stored one, where the opposite was said; HALO_AS_OWN + d: the
 * first in dimension d - 1 only.
 */
enum halo_shift { HALO_AS_IS, HALO_AS_STORED, HALO_AS_OWN };

/* What elements become: one value of that type (common/array/value.h), value_size bytes of it. */
struct msg_value {
	uint8_t type; /* enum value_type; VALUE_STRUCT: a text, of variables */
	unsigned char bytes[16];
	const char *text; /* with its quotes */
};

struct msg_query {
	uint32_t req;
	uint8_t kind;
	struct rankset who;
	const char *name;
	uint32_t n, rank;
	struct section section; /* bound; freed by msg_query_clear */
	struct bins_spec bins;	/* of QUERY_BINS */
	struct msg_value value; /* of QUERY_ASSIGN */
	const char
		*func; /* of QUERY_LOCALS and its like; "" when it does not matter */
	uint32_t id;   /* of QUERY_WATCH */
};
void msg_query_clear(struct msg_query *m);
int msg_query_code(struct codec *c, struct msg_query *m);
CODEC_PAIR(msg_query, msg_query_clear(x))

struct msg_kill {
	struct rankset who;
	uint8_t final; /* the supervisor leaves when its program is gone */
};
int msg_kill_code(struct codec *c, struct msg_kill *m);
CODEC_PAIR(msg_kill, rankset_clear(&x->who))

/*
 * The sums of all main points up to this one (side included) have been compared: ranks that hold go
 * on, or with stop park there as STOP_MISMATCH.
 */
struct msg_verdict {
	struct point point; /* never inside a task */
	uint8_t stop;
};
int msg_verdict_code(struct codec *c, struct msg_verdict *m);
CODEC_PAIR(msg_verdict, (void)0)

/* In place of a directory, whose paths are absolute: traces are packed as ever, and not kept. */
#define MSG_TRACE_NONE "none"

/*
 * What becomes of the traces that the trace config asks for; the last one before the program is
 * started counts. Paths as the supervisors see them; "" in both directories: no traces are taken.
 */
struct msg_trace {
	const char *record; /* directory where each rank writes trace.RANK.bin; or MSG_TRACE_NONE */
	const char *compare; /* directory with those of a reference */
	const char *program, *build_id; /* for the files: path, and hexadecimal, "" none */
	uint32_t ranks;
	uint64_t memory; /* bytes of each rank's area, TRACE_MEMORY */
	uint8_t effort;	 /* of compression, 1 … 9 */
	struct trace_tolerance tolerance;
	uint32_t max_errors; /* findings that are kept of a rank; 0: no limit */
	uint8_t moved;	     /* the reference is of another version of the program */
	uint8_t reductions;  /* calculate their results */
	uint8_t control;     /* control accesses (common/control), … */
	unsigned ngrid;	     /* … on so many dimensions of emulated processors */
	uint32_t grid[ARRAY_DIMS];
};
#define MSG_TRACE_LEAST (1u << 20) /* memory */
#define MSG_TRACE_MOST (UINT64_C(4) << 30)
int msg_trace_code(struct codec *c, struct msg_trace *m);
CODEC_PAIR(msg_trace, (void)0)

struct msg_reply {
	uint32_t req;
	struct rankset covered;
	struct groups groups;
};
void msg_reply_clear(struct msg_reply *m);
int msg_reply_code(struct codec *c, struct msg_reply *m);
CODEC_PAIR(msg_reply, msg_reply_clear(x))

/*      name     blob */
#define EVENT_LIST(X)                                                                              \
	X(STARTED, "report_started")                                                               \
	X(STOP, "report_stop")                                                                     \
	X(EXIT, "report_exit")                                                                     \
	X(FINDING, "report_finding")                                                               \
	X(TRACE, "report_trace")                                                                   \
	X(FOUND, "u32 number, trace_findings: what is new of them")                                \
	X(COVER, "u32 number, trace_cover")                                                        \
	X(OUTPUT, "report_output")                                                                 \
	X(REDUCED, "u32 number, reduction: parts of one result, which nodes merge")
enum event_kind {
#define X(name, blob) EVENT_##name,
	EVENT_LIST(X)
#undef X
	EVENT_KINDS
};

struct msg_event {
	uint8_t kind;
	uint32_t gen; /* the plan the ranks had; events of different plans are not merged */
	struct groups groups;
};
void msg_event_clear(struct msg_event *m);
int msg_event_code(struct codec *c, struct msg_event *m);
CODEC_PAIR(msg_event, msg_event_clear(x))

#endif
