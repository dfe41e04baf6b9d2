/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native stacks: the calls that are under way in ranks' threads, wherever these are: parked,
 * running, in MPI, crashed. A rank that runs is paused for less than a millisecond and goes on.
 */
#ifndef DVMDBG_FRONTEND_NATIVE_NATIVE_H
#define DVMDBG_FRONTEND_NATIVE_NATIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/groups.h"
#include "common/logical/rankset.h"
#include "common/logical/thread_set.h"
#include "common/protocol/answer.h"

struct err;
struct session;

/* A call. Strings are the symbols' or those of the stacks. */
struct native_frame {
	const char *func; /* "exchange", "MPI_Recv"; "" not known */
	const char *file; /* "" not known: without debug information, and of libraries */
	uint32_t line;
	bool library; /* a function of MPI or another library: what goes on in it is not shown */
	bool inlined; /* into the frame outside it */
};

/* Ranks whose stacks are the same. */
struct native_stack {
	struct rankset ranks;
	uint32_t thread; /* of native_ask_threads */
	unsigned state;	 /* enum native_state */
	const char *why; /* why there is none; NULL: there is */
	const char *near, *cause, *message; /* of a crash: as in answer_native */
	char *said; /* owned: message, where names of C++ were made readable; NULL */
	bool placed;
	struct native_frame *frame; /* outermost first */
	size_t n;
	uint32_t lost; /* outer calls that are not kept; UINT32_MAX: not known how many */
	struct answer_native
		*answer; /* as it came, with the logical stack when that was asked for */
};

struct native_stacks {
	struct native_stack *stack;
	size_t n;
	struct rankset silent; /* have not answered */
	/* of native_ask_threads, else 0: ranks are numbers of threads, thread + threads * rank */
	uint32_t threads;
	const struct thread_set *only; /* borrowed: those that answers show; NULL: all */
	struct groups answers; /* what strings are borrowed from; of threads: */
	struct groups **more;
	size_t nmore;
	char **text;	       /* and those made here */
	size_t ntext;
};

/* Asks for them; ask: enum native_ask. -1 and err when nobody can be asked. Clear it in either
 * case. */
int native_ask(struct session *s, const struct rankset *who, unsigned ask,
	       struct native_stacks *out, struct err *err);
/* Of their threads that are in `only`, NULL: of all. At most NATIVE_THREADS of each rank. */
#define NATIVE_THREADS 256
int native_ask_threads(struct session *s, const struct rankset *who, const struct thread_set *only,
		       struct native_stacks *out, struct err *err);
/* Answers show these threads alone, as they are with the others there. -1 and err: there are none of
 * them. */
int native_show_only(struct native_stacks *x, const struct thread_set *only, struct err *err);
/* "[0:3.1:2,4.0]", of numbers of threads as above, in a set of them. */
json_t *native_threads_text(const struct rankset *numbers, uint32_t threads);
void native_clear(struct native_stacks *x);

/*
 * The user's innermost frame: where a rank computes, or the call that it is in (library is then
 * what it has called, NULL: nothing); functions of system headers, as templates are, only where
 * there is no other. NULL: there is none.
 */
const struct native_frame *native_user_frame(const struct native_stack *x,
					     const struct native_frame **library);
/* The user's frame that has called MPI, whatever MPI has called since; outside of MPI the user's
 * innermost. */
const struct native_frame *native_calling_frame(const struct native_stack *x);

#define NATIVE_RECURSION 8 /* so many equal calls, or rounds of calls, in one another are one */

/*
 * The stacks as a tree, equal outer calls once, for an answer; threads of OpenMP in the calls that
 * have begun their regions: {"ranks", "name", "file", "line", "library", "openmp", "times",
 * "calls": [...]} each; those with most ranks come first. "times": the call, or the last "round" of
 * them, is there so often.
 */
json_t *native_tree(const struct native_stacks *x);
/* An answer of the type "calls": the tree, "lacking", "silent". */
json_t *native_answer(const struct native_stacks *x);
/* {"ranks", "text"} of those without a stack, for an answer; NULL: all have one. */
json_t *native_lacking(const struct native_stacks *x);

/*
 * Both stacks as one, as blobs of report_stack: constructs in the functions they are of. The
 * logical stacks have to be there.
 */
void native_join(struct session *s, const struct native_stacks *x, struct groups *out);

#endif
