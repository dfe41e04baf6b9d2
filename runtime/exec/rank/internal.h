/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What control.c, answer.c and sums.c share.
 */
#ifndef DVMDBG_EXEC_CONTROL_IMPL_H
#define DVMDBG_EXEC_CONTROL_IMPL_H

#include <sys/types.h>

#include "common/core/buf.h"
#include "common/protocol/trace_config.h"
#include "common/protocol/rule.h"
#include "runtime/exec/rank/control.h"
#include "runtime/exec/sys/memory.h"
#include "runtime/exec/page/read.h"
#include "runtime/exec/page/sums.h"

struct control {
	struct child *child; /* borrowed */
	struct node *node;   /* borrowed */
	struct page *page;   /* borrowed from child */
	struct page_read read;
	struct memory memory;
	uint32_t rank;
	struct rule *rule; /* owned; those that are for this rank */
	uint32_t nrule;
	uint32_t version; /* of the rules; which: the list in the page that has it */
	uint32_t which, written;
	struct watch watch[WATCH_MOST];
	uint32_t nwatch;
	struct trace_config_place *place; /* owned */
	uint32_t nplace;
	struct trace_config trace_config;
	struct plan plan; /* the newest that was sent here; its gen is that of our reports */
	uint32_t rule_seq, go_gen; /* ours to write; the page only has copies */
	int start_errno;	   /* the program could not be started */
	bool dead;		   /* killed before it was started */
	bool on_exit_run;
	bool froze_running; /* was ordered to freeze while it ran, no plan since */

	struct page_sums sums;
	bool sums_left; /* the queue was not emptied, for others to have their turn */
	struct point reported_where; /* instead of checksums, once the queue is broken */
	uint64_t verdict;	 /* ours; the page only has a copy */

	/* tracing.c */
	struct buf trace_order; /* msg_trace; empty: there is none */
	struct traces *traces;	/* NULL: nothing is traced */
	uint32_t trace_stop;	/* stop_count of the stop that waits for blocks up to trace_goal */
	uint64_t trace_goal;
	int64_t trace_wait, trace_since; /* looked last, waits since; 0: does not wait */
	uint64_t trace_found;		 /* findings when it was asked last whether there are new ones */
	bool trace_over;		 /* the program has ended, and it knows that */
	bool trace_partial, trace_report; /* could not be reported: that, and trace_untold */
	struct report_trace trace_untold;

	/* what has been reported */
	bool reported_started, reported_exit;
	uint8_t reported_annotated, reported_abi;
	uint32_t reported_findings;
	bool reported_stop;
	uint32_t reported_stop_count, reported_stop_gen;
	int64_t reported_stop_at;
	struct report_exit exit; /* here, as it is large and must not fail */
	bool kept; /* decided to stay parked, at that stop, under that gen */
	uint32_t kept_count, kept_gen;
};

bool control_is_parked(const struct control *c);
bool control_is_started(const struct control *c); /* and has not ended */
bool control_is_over(const struct control *c);

#endif
