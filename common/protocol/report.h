/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks report, and its form on the wire: each report is the blob of a differ group, so two
 * ranks that are in the same situation have the same bytes. Strings of a report that was read are
 * borrowed from the buffer it was read from.
 */
#ifndef DVMDBG_COMMON_REPORT_H
#define DVMDBG_COMMON_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/logical/point.h"
#include "common/array/section.h"

/*
 * A source position. Either file and line (from annotations in C), or, with file "", module and
 * vaddr: the address of the call in the module's own address space, for the debug information.
 */
struct place {
	const char *file, *func;
	uint32_t line;
	const char *module;
	uint64_t vaddr;
};
int place_code(struct codec *c, struct place *p);
CODEC_PAIR(place, (void)0)
bool place_equal(const struct place *a, const struct place *b);

/* One frame of a rank's construct stack, outermost first in a stack. */
struct report_frame {
	uint8_t kind;	/* enum construct_kind */
	uint8_t nidx;	/* > 0: inside an iteration (of a task: its number) */
	uint8_t ending; /* 1: at its end */
	int64_t idx[ARRAY_DIMS];
	struct point point; /* main 0 where the kind is not numbered; side END when it is ending */
	struct place place;
};
int report_frame_code(struct codec *c, struct report_frame *f);
CODEC_PAIR(report_frame, (void)0)
#define REPORT_FRAMES 64
struct report_stack {
	uint32_t n;
	uint32_t lost; /* frames deeper than REPORT_FRAMES */
	struct report_frame frame[REPORT_FRAMES];
};
int report_stack_code(struct codec *c, struct report_stack *s);
CODEC_PAIR(report_stack, (void)0)

/* States of a rank. words are what a user reads */
#define RANK_STATE_LIST(X)                                                  \
	X(LOADED, "loaded")	/* its supervisor waits to start it */      \
	X(STARTING, "starting") /* started, the runtime has not reported */ \
	X(RUNNING, "running")                                               \
	X(STOPPED, "stopped")                                               \
	X(EXITED, "exited")                                                 \
	X(LOST, "lost") /* its supervisor is gone */
enum rank_state {
#define X(name, words) RANK_##name,
	RANK_STATE_LIST(X)
#undef X
		RANK_STATES
};
const char *rank_state_words(unsigned state);

enum mpi_state {
	MPI_STATE_NONE,
	MPI_STATE_IN_INIT,
	MPI_STATE_UP,
	MPI_STATE_IN_FINALIZE,
	MPI_STATE_DOWN
};

/* Why a program thread is parked. */
#define STOP_REASON_LIST(X)                                                                  \
	X(POINT, "actionpoint") /* actionpoints hit: act[] */                                \
	X(STEP, "step")                                                                      \
	X(HALT, "halt")                                                                      \
	X(SIGNAL, "signal")	/* about to die of signal `code` at fault address `fault` */ \
	X(ABORT, "MPI_Abort")	/* about to call MPI_Abort with `code` */                    \
	X(MISMATCH, "mismatch") /* held for the verdict about its checksums, which differ */ \
	X(PAUSED, "paused")	/* by ptrace, wherever it was: it came to no mark */         \
	X(ERROR, "error of MPI") /* about to be ended by MPI with error `code` */            \
	X(CORE, "core file")	/* it is a core file: nothing of it runs */                  \
	X(WRITE, "write")	/* what actionpoints act[] watch has been written at `place` */
enum stop_reason {
#define X(name, words) STOP_##name,
	STOP_REASON_LIST(X)
#undef X
		STOP_REASONS
};

/* The program is about to end, at a place that is no mark. */
static inline bool stop_is_end(unsigned reason)
{
	return reason == STOP_SIGNAL || reason == STOP_ABORT || reason == STOP_ERROR;
}

/* Actionpoints are the reason: at a mark, or behind a write. */
static inline bool stop_is_actionpoint(unsigned reason)
{
	return reason == STOP_POINT || reason == STOP_WRITE;
}

#define REPORT_ACTS 40 /* all watches, and some others */
/*
 * A rank has stopped. `hash` is a running hash over the places of constructs 1 … hash_n: ranks that
 * agree about the numbering have equal ones.
 */
struct report_stop {
	uint8_t reason;
	uint8_t done; /* the plan ends here too, whatever becomes of the actionpoints */
	uint8_t nact;
	uint64_t changed;	   /* a bit for each of act: what it watches has changed */
	uint32_t act[REPORT_ACTS]; /* actionpoint ids, ascending */
	int32_t code;
	uint64_t fault;
	uint32_t hash_n;
	uint64_t hash;
	struct point point;	   /* the last point passed or stopped at; main 0: none yet */
	struct report_frame frame; /* the innermost frame; kind CONSTRUCT_KINDS: no frame */
	struct place place; /* of a write, which another thread has done when code is 1; without
			       module: MPI has done it, or code without access hooks */
};
int report_stop_code(struct codec *c, struct report_stop *r);
CODEC_PAIR(report_stop, (void)0)

/* A rank's program has started, or more has become known of it. */
struct report_started {
	uint8_t annotated; /* as in report_status */
	uint8_t mpi_abi;   /* 0 none, 1 Open MPI, 2 MPICH */
};
int report_started_code(struct codec *c, struct report_started *r);
CODEC_PAIR(report_started, (void)0)

/* UNKNOWN: of a process that was attached to, whose status goes to who has started it. */
enum exit_how { EXIT_CODE, EXIT_SIGNAL, EXIT_NOEXEC, EXIT_UNKNOWN };
/* A rank's program is gone. */
struct report_exit {
	uint8_t how;
	int32_t code;	     /* exit code, signal, or errno of the failed start */
	uint8_t core;	     /* a core was dumped */
	uint8_t mpi;	     /* enum mpi_state at the end */
	uint8_t had_runtime; /* the runtime had reported in this process */
	uint8_t released;    /* it died because the debugger killed it */
	uint8_t no_memory;   /* the kernel has killed a process for lack of memory while it ran, and
				this one by SIGKILL */
	int32_t abort_code;  /* of MPI_Abort; only when aborted */
	uint8_t aborted;
	uint32_t hash_n;
	uint64_t hash;
	struct point point; /* last one passed */
	struct report_stack stack;
};
int report_exit_code(struct codec *c, struct report_exit *r);
CODEC_PAIR(report_exit, (void)0)

/* How far a rank's traces have come: reported when they fail and when the program has ended. */
#define REPORT_UNCONTROLLED 4
#define REPORT_UNTHREADED 8
enum report_trace_state { REPORT_TRACE_DONE, REPORT_TRACE_FAILED };
struct report_trace {
	uint8_t state;	  /* enum report_trace_state; after FAILED nothing more is recorded */
	uint8_t complete; /* DONE: the program has ended by itself, and all it did is there */
	uint64_t blocks, records, bytes; /* that were taken; bytes: of the file, 0 none */
	/* of a comparison, as in struct tracediff_state */
	uint64_t compared, equal, close, unknown, lost, iterations, constructs, values, reductions;
	/* of dynamic control: accesses in iterations and tasks, these; what was not checked, by
	 * enum control_why */
	uint64_t controlled, units, uncontrolled[REPORT_UNCONTROLLED];
	/* of OpenMP: accesses in parallel regions, these, tasks; what was not checked, by enum
	 * openmp_why */
	uint64_t threaded, regions, tasks, unthreaded[REPORT_UNTHREADED];
	uint8_t beyond;
	struct point last, end;
	const char *why;		 /* FAILED: in words */
};
int report_trace_code(struct codec *c, struct report_trace *r);
CODEC_PAIR(report_trace, (void)0)

/* A rank's answer to QUERY_STATUS. seconds is age of the last point, in whole seconds. */
struct report_status {
	uint8_t state;	   /* enum rank_state */
	uint8_t mpi;	   /* enum mpi_state */
	uint8_t annotated; /* constructs or objects were announced, or libdvmdbg is there */
	uint8_t reason;	   /* enum stop_reason, when stopped */
	uint32_t gen;	   /* of the last go it obeyed */
	uint32_t seconds;
	struct point point;
	struct report_frame frame; /* innermost; kind CONSTRUCT_KINDS: none */
};
int report_status_code(struct codec *c, struct report_status *r);
CODEC_PAIR(report_status, (void)0)

/* What a rank has printed. Numbers begin with 1 and count the pieces of both streams. */
struct report_output {
	uint32_t number;
	uint8_t stream; /* 1 or 2 */
	const char *text; /* borrowed; not ended by 0 */
	size_t n;
};
int report_output_code(struct codec *c, struct report_output *r);
CODEC_PAIR(report_output, (void)0)

/* One passed point in an answer to QUERY_POINTS. */
struct report_point {
	struct point point;
	uint8_t kind;
	struct place place;
	uint64_t usec; /* since the program's start; 0 unless this rank was asked for times */
};
int report_point_code(struct codec *c, struct report_point *r);
CODEC_PAIR(report_point, (void)0)

#endif
