/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of reductions that are calculated from the traces (ManualReductCalc): of the run, and of
 * traces that were recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/reductions/reductions.h"
#include "common/tracefile/tracefile.h"
#include "common/traceindex/traceindex.h"
#include "frontend/job/job.h"
#include "frontend/launch/launch.h"
#include "frontend/model/error_file.h"
#include "frontend/model/findings.h"
#include "frontend/model/session.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/verify/internal.h"
#include "frontend/verify/verify.h"

static bool wanted(const struct checker *c)
{
	return !checker_setting_is(c, "ManualReductCalc", "0") && !c->request.limited;
}

bool checker_calculates(const struct checker *c)
{
	return wanted(c) && !c->calculated.bare && !checker_setting_is(c, "EnableTrace", "0");
}

bool checker_has_results(const struct checker *c)
{
	return c->calculated.set && checker_calculates(c) &&
	       (!c->calculated.none || c->s->spec.nmarks);
}

void checker_open_calculated(struct checker *c, const struct program *p)
{
	struct checker_calculated *k = &c->calculated;

	if (!wanted(c))
		return;
	k->bare = !p->script && !p->hooked && !p->hooked_library;
	k->none = !p->script && !p->annotated && p->mpi == PROGRAM_MPI_NONE &&
		  !program_marks_elsewhere(p->path);
	k->set = reductions_set_create();
	xalloc_checked(k->set);
	k->found.most = (size_t)settings_number(c->s->set, "MaxErrors");
}

void checker_close_calculated(struct checker *c)
{
	reductions_set_destroy(c->calculated.set);
	trace_findings_clear(&c->calculated.found);
}

void checker_take_reduced(struct checker *c, struct reduction *r)
{
	struct err err = { "" };

	if (c->calculated.set && reductions_add(c->calculated.set, r, &c->calculated.found, &err))
		checker_incomplete(c, "%s", err.text);
}

void checker_report_calculated(struct checker *c)
{
	if (c->calculated.set && c->s->job)
		trace_findings_report(c->s, &c->calculated.found, job_set(c->s->job, JOB_ALL));
}

/* {"type": "reductions", …}; what was not calculated makes the report incomplete. */
static void sum_up(struct session *s, const struct reductions_counts *n, const char *why)
{
	const char *reason = why ? why : n->not ? reduction_why_text(n->why) : "";

	if (why)
		outcome_incomplete(s->outcome, "reductions are not calculated: %s", why);
	else if (n->not )
		outcome_incomplete(s->outcome,
				   "%llu result%s of reductions %s not calculated (%s: %s)",
				   (unsigned long long)n->not, n->not == 1 ? "" : "s",
				   n->not == 1 ? "is" : "are", n->what, reason);
	if (n->parts)
		outcome_incomplete(
			s->outcome,
			"%llu result%s of reductions %s calculated from what ranks give alone",
			(unsigned long long)n->parts, n->parts == 1 ? "" : "s",
			n->parts == 1 ? "is" : "are");
	out_answer(s->out,
		   json_pack("{s:s s:I s:I s:I s:I s:o s:s}", "type", "reductions", "calculated",
			     (json_int_t)n->calculated, "wrong", (json_int_t)n->wrong, "parts",
			     (json_int_t)n->parts, "not_calculated", (json_int_t)n->not, "first",
			     out_json_text(n->what), "why", reason));
}

void checker_sum_up_calculated(struct checker *c)
{
	static const struct reductions_counts none;

	if (!c->calculated.set || c->quiet)
		return;
	reductions_end(c->calculated.set);
	if (c->calculated.bare)
		sum_up(c->s, &none,
		       "the program has no access hooks; rebuild it with dvmdbg-cc or dvmdbg-fc");
	else if (!checker_calculates(c))
		sum_up(c->s, &none, "EnableTrace is 0");
	else
		sum_up(c->s, reductions_counts(c->calculated.set), NULL);
}

/* ---- recorded traces ---- */

struct walk {
	struct session *s;
	struct report_trace sum;
	struct trace_findings controlled;
	struct reductions_set *set;
	struct trace_findings *found;
	struct stream *stream;
};

/* Ctrl-C gives up. */
static int after_block(void *arg, uint64_t done, struct err *err)
{
	struct walk *w = arg;
	struct buf b = BUF_INIT;
	unsigned kind;
	int rc = 0;

	while (!rc && stream_part(w->stream, &kind, &b)) {
		struct reduction r;

		rc = b.bad || reduction_get(&r, &b) ? err_set(err, "out of memory")
						    : reductions_add(w->set, &r, w->found, err);
		buf_clear(&b);
	}
	return rc ? -1 : out_cut_short() ? 1 : 0;
}

static int take_findings(void *arg, struct trace_findings *l)
{
	struct walk *w = arg;

	xalloc_check(trace_findings_merge(&w->controlled, l));
	return 0;
}

static void add_counts(struct walk *w)
{
	struct report_trace r = { 0 };

	stream_count(w->stream, &r);
	w->sum.controlled += r.controlled;
	w->sum.units += r.units;
	for (unsigned i = 0; i < REPORT_UNCONTROLLED; i++)
		w->sum.uncontrolled[i] += r.uncontrolled[i];
	w->sum.threaded += r.threaded;
	w->sum.regions += r.regions;
	w->sum.tasks += r.tasks;
	for (unsigned i = 0; i < REPORT_UNTHREADED; i++)
		w->sum.unthreaded[i] += r.unthreaded[i];
}

static int walk_file(struct walk *w, const struct trace_reader *file, uint32_t ranks,
		     struct err *err)
{
	const struct trace_meta *m = trace_reader_meta(file);
	struct reductions *e = reductions_create(m->rank, ranks);
	int rc;

	w->stream = stream_create();
	if (!e || !w->stream)
		rc = err_set(err, "out of memory");
	else
		rc = stream_add(w->stream, &reductions_reader, e, err);
	if (!rc)
		rc = controlled_add(w->s, w->stream, m, err);
	if (!rc)
		rc = stream_file(w->stream, file, after_block, w, err);
	if (rc >= 0) {
		stream_findings(w->stream, take_findings, w);
		add_counts(w);
	}
	stream_destroy(w->stream);
	return rc;
}

static int walk_files(struct walk *w, struct trace_index *run, struct err *err)
{
	int rc = 0;

	for (uint32_t f = 0; f < trace_index_files(run) && !rc; f++) {
		const struct trace_reader *file = trace_index_map(run, f);

		rc = walk_file(w, file, trace_reader_meta(file)->ranks, err);
	}
	return rc;
}

int checker_calculate_offline(struct session *s, const char *dir, struct err *err)
{
	static const struct reductions_counts none;
	struct trace_index *run = trace_index_open(dir, 0, err);
	struct trace_findings found = { .most = (size_t)settings_number(s->set, "MaxErrors") };
	struct walk w = { .s = s, .set = reductions_set_create(), .found = &found };
	struct rankset all = { 0 };
	struct suppressions *no = NULL;
	size_t controlled = 0, suppressed = 0;
	int rc;

	xalloc_checked(w.set);
	if (!run || suppressions_open(&no, s->set, err)) {
		reductions_set_destroy(w.set);
		suppressions_destroy(no);
		trace_index_close(run);
		return -1;
	}
	findings_new_run(s->findings);
	error_file_new_run(s);
	if (*trace_index_note(run))
		outcome_incomplete(s->outcome, "%s: %s", dir, trace_index_note(run));
	rc = walk_files(&w, run, err);
	xrankset_add(&all, 0, trace_index_files(run) - 1);
	if (rc >= 0)
		trace_findings_report(s, &found, &all);
	if (rc >= 0)
		controlled = controlled_report(s, no, &w.controlled, &all, &suppressed);
	reductions_end(w.set);
	if (rc >= 0 && trace_reader_meta(trace_index_map(run, 0))->level < TRACE_CONFIG_FULL) {
		sum_up(s, &none, "the traces are not of level FULL");
		controlled_sum_up(s, &w.sum, 0, 0, "the traces are not of level FULL");
	} else if (rc >= 0) {
		sum_up(s, reductions_counts(w.set), NULL);
		controlled_hints(s, no, &w.controlled, trace_index_files(run));
		controlled_sum_up(s, &w.sum, controlled, suppressed, "");
	}
	outcome_report(s->outcome, s->out, "compared");
	rankset_clear(&all);
	trace_findings_clear(&found);
	trace_findings_clear(&w.controlled);
	suppressions_destroy(no);
	reductions_set_destroy(w.set);
	trace_index_close(run);
	return rc < 0 ? -1 : 0;
}
