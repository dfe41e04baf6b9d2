/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What control.c, answer.c and sums.c share.
 */
#ifndef DVMDBG_RUNTIME_EXEC_RANK_INTERNAL_H
#define DVMDBG_RUNTIME_EXEC_RANK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/core/buf.h"
#include "common/protocol/report.h"
#include "common/protocol/rule.h"
#include "common/protocol/trace_config.h"
#include "common/tracefile/tracefile.h"
#include "runtime/exec/native/native.h"
#include "runtime/exec/page/page.h"
#include "runtime/exec/sys/memory.h"

struct buf;
struct child;
struct control;
struct err;
struct msg_params;
struct msg_query;
struct msg_rules;
struct msg_trace;
struct msg_verdict;
struct native;
struct native_called;
struct node;
struct page;
struct plan;
struct printed;
struct trace_news;
struct traces;

/*
 * One rank: carries out the orders of the front end on its program, through the shared page, and
 * reports what becomes of it.
 */

/* bounce: do not try to read the program's memory directly. child is borrowed. */
struct control *control_create(struct child *child, bool bounce, struct err *err);
void control_destroy(struct control *c);
/* Where to report to; borrowed; NULL: nowhere. */
void control_report_to(struct control *c, struct node *node);

void control_params(struct control *c, const struct msg_params *params);
/* -1: out of memory, the former ones hold. */
int control_rules(struct control *c, const struct msg_rules *rules);
void control_go(struct control *c, const struct plan *plan);
void control_go_others(struct control *c, const struct plan *plan);
void control_freeze(struct control *c, uint32_t req);
void control_query(struct control *c, const struct msg_query *q);
void control_kill(struct control *c);
void control_resync(struct control *c);

/* The page may have changed. */
void control_inspect(struct control *c);
/* The program has ended. */
void control_ended(struct control *c);
/* For how many tenths of a second the program has not moved, to the tenth; when control_watch_due
 * is over, it is time to look. */
uint32_t control_still(struct control *c);
int64_t control_watch_due(const struct control *c); /* CLOCK_MONOTONIC in milliseconds; -1: never */
/* Nothing runs: not started yet, or ended, or never to be started. */
bool control_is_idle(const struct control *c);
bool control_on_exit_run(const struct control *c);
/* Stops the program where it is and reports that; control_go lets it go on. -1 and err: it runs
 * on. */
int control_pause(struct control *c, struct err *err);
/* Lets the program run on without a debugger. */
void control_release(struct control *c);

#define PLACED_MOST (2 * WATCH_MOST) /* also such as are not watched any more */

struct control {
	struct child *child; /* borrowed */
	struct node *node;   /* borrowed */
	struct page *page;   /* borrowed from child */
	struct page_read read;
	struct memory memory;
	struct native *native; /* owned */
	uint32_t rank;
	struct rule *rule; /* owned; those that are for this rank */
	uint32_t nrule;
	uint32_t version; /* of the rules; which: the list in the page that has it */
	uint32_t which, written;
	struct watch watch[WATCH_MOST];
	uint32_t nwatch;
	struct placed {
		bool used;
		uint32_t id; /* the actionpoint */
		struct native_placed at;
	} placed[PLACED_MOST]; /* placed.c */
	struct trace_config_place *place; /* owned */
	uint32_t nplace;
	struct trace_config trace_config;
	struct plan plan; /* the newest that was sent here; its gen is that of our reports */
	uint32_t rule_seq, go_gen; /* ours to write; the page only has copies */
	uint32_t before; /* gen of the last plan of those that have supervised it before us */
	int start_errno;	   /* the program could not be started */
	bool dead;		   /* killed before it was started */
	bool on_exit_run;
	uint8_t fpe;	    /* enum fpe_trap, or'ed */
	bool yielded;	    /* it stands, and another debugger has it */
	bool froze_running; /* was ordered to freeze while it ran, no plan since */

	struct page_sums sums;
	bool sums_left;		     /* the queue was not emptied, for others to have their turn */
	struct point reported_where; /* instead of checksums, once the queue is broken */
	uint64_t verdict;	     /* ours; the page only has a copy */

	/* tracing.c */
	struct buf trace_order; /* msg_trace; empty: there is none */
	struct traces *traces;	/* NULL: nothing is traced */
	uint32_t trace_stop;	/* stop_count of the stop that waits for blocks up to trace_goal */
	uint64_t trace_goal;
	int64_t trace_wait, trace_since; /* looked last, waits since; 0: does not wait */
	uint64_t trace_found; /* findings when it was asked last whether there are new ones */
	bool trace_over;      /* the program has ended, and it knows that */
	bool trace_partial, trace_report; /* could not be reported: that, and trace_untold */
	struct report_trace trace_untold;

	struct modules modules;	 /* where code of the program is */
	uint64_t moves;		 /* page_read_moves, when it was looked at last … */
	int64_t moved_at, watched_at; /* … and since when, and that time */

	struct native_called *called; /* calls.c, owned; NULL: no call is under way */
	uint32_t call_request;	      /* ours; the page only has a copy */
	uint64_t oom_kills; /* when it was started */
	struct printed *printed; /* owned; output.c, NULL: nothing has been printed */
	struct buf left; /* the native stack where it has called exit; empty: it has not */
	/* what has been reported */
	bool reported_started, reported_exit;
	uint8_t reported_annotated, reported_abi;
	uint32_t reported_findings;
	bool reported_stop;
	uint32_t reported_stop_count, reported_stop_gen;
	int64_t reported_stop_at;
	struct report_exit exit; /* here, as it is large and must not fail */
	bool kept;		 /* decided to stay parked, at that stop, under that gen */
	uint32_t kept_count, kept_gen;
};

/* placed.c: the answer to QUERY_WATCH, of a program that stands; and where the elements of a watch
 * that is native are here. */
void placed_answer(struct control *c, const struct msg_query *q, struct buf *out);
void placed_fill(const struct control *c, struct watch *w);
void placed_clear(struct control *c);

/* output.c */
/* To be waited for; -1: not now. */
int control_output_fd(const struct control *c, unsigned i);
/* The program may have printed something; all: it has ended. */
void control_output(struct control *c, bool all);
/* Sends up what may have been lost on its way. */
void control_output_again(struct control *c);
void control_output_clear(struct control *c);
/* answer.c: the program has called exit, and waits until its stack has been read. */
void control_leaves(struct control *c);
/* calls.c */
/* The answer to QUERY_CALL. */
void control_call(struct control *c, const struct msg_query *q, struct buf *out);
void control_call_clear(struct control *c);
bool control_is_parked(const struct control *c);
bool control_is_started(const struct control *c); /* and has not ended */
bool control_is_over(const struct control *c);

/*
 * What the comparison has found, on its way from the thread that compares to the one that talks to
 * the front end. Bounded: who has more to say waits.
 */

/* NULL: no memory. */
struct trace_news *trace_news_create(void);
void trace_news_destroy(struct trace_news *q); /* NULL is fine */
/*
 * The beginning of an event's content: a number, so that equal ones of one rank are not taken for
 * one.
 */
struct buf trace_news_begin(struct trace_news *q);
/*
 * An event of that kind; takes content over. Waits while there is much that was not taken. False:
 * out of memory.
 */
bool trace_news_add(struct trace_news *q, unsigned kind, struct buf *content);
/* The oldest: true and *content, to be cleared. */
bool trace_news_take(struct trace_news *q, unsigned *kind, struct buf *content);
/* Nobody waits any more. */
void trace_news_stop(struct trace_news *q);

/*
 * Checksums of one rank: from its queue to the node, and verdicts the other way.
 */

/*
 * Hands on what is in the queue, while the way up is free; all: in any case, as something is
 * reported next that must not overtake it.
 */
void control_sums(struct control *c, bool all);
/* There may be more to hand on at once. */
bool control_sums_left(const struct control *c);
void control_verdict(struct control *c, const struct msg_verdict *m);
/* The link up is another: what was reported last may be lost, and who holds would wait for ever. */
void control_sums_resync(struct control *c);
/* Whoever holds goes on, now and later. */
void control_sums_release(struct control *c);

/*
 * A thread that takes blocks of traces out of the area behind the page, makes them whole with what
 * the page says of places, objects and modules, and writes them to a file, compares them, or both.
 * It trusts nothing in the page. What it has to say waits until the main thread asks.
 */

struct traces_spec {
	struct page *page; /* borrowed, as the area */
	unsigned char *area;
	size_t bytes;
	struct trace_meta meta;	       /* borrowed for the call */
	const struct msg_trace *order; /* the same */
};

/* Opens what it needs and starts the thread. NULL and err: no file, no reference, no memory. */
struct traces *traces_create(const struct traces_spec *spec, struct err *err);
/* Ends the thread; what it had not taken is lost, but the file is closed. NULL is fine. */
void traces_destroy(struct traces *t);
/* Readable when there may be something new: it has caught up, has failed, or has come to its end.
 */
int traces_fd(const struct traces *t);
void traces_clear(struct traces *t);
/* Whether all blocks up to that number have been taken and dealt with. */
bool traces_reached(const struct traces *t, uint64_t closed);
/* The program has ended; what it has left, half blocks too, is taken. complete: it ended by itself.
 */
void traces_finish(struct traces *t, bool complete);
bool traces_finished(const struct traces *t);
/*
 * What was found and is new, as the content of an event: its kind and true, *b to be cleared;
 * false: nothing. While much of it waits, nothing is compared.
 */
bool traces_news(struct traces *t, unsigned *kind, struct buf *b);
/* How many different findings there have been. */
uint64_t traces_found(const struct traces *t);
/* What has become of it, once after a failure and once at the end: true and *r, whose text is
 * borrowed. */
bool traces_report(struct traces *t, struct report_trace *r);
/* A block could not be read, so that its records are missing: once true and why, borrowed. */
bool traces_partial(struct traces *t, const char **why);

/*
 * Traces of one rank: what the front end has ordered, when they begin and end, and that no stop
 * or end is reported before what was recorded up to it is where it belongs.
 */

void control_trace(struct control *c, const struct msg_trace *m);
/* Readable when control_trace_inspect is due; -1: never. */
int control_trace_fd(const struct control *c);
/* When it is due in any case, in milliseconds of CLOCK_MONOTONIC, or -1. */
int64_t control_trace_due(const struct control *c);
void control_trace_inspect(struct control *c);
/* Reports what was found, when the way up is free. */
void control_trace_news(struct control *c);

/* For control.c. The program is about to be started: makes the area when it shall be traced. */
void tracing_start(struct control *c);
/* Whether what was recorded before this stop, or up to the end, has been dealt with; asks once more
 * when it has not. */
bool tracing_stopped(struct control *c);
bool tracing_ended(struct control *c);
/* For sums.c: whether something was found that was not asked about so far. */
bool tracing_differs(struct control *c);
/* The next call of that is to be true: this one could not be reported. */
void tracing_differ_again(struct control *c);
/* Reports once more what could not be reported. */
void tracing_resync(struct control *c);
/* Whether the closed blocks up to that number have been dealt with. */
bool tracing_reached(const struct control *c, uint64_t blocks);
/* Nobody asks for it any more: the file is closed, the program runs on untraced. */
void tracing_release(struct control *c);

#endif
