/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dynamic control (EnableDynControl): errors of parallelisation that the traces show by themselves,
 * of the run, and of traces that were recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "common/control/control.h"
#include "common/core/err.h"
#include "common/openmp/openmp.h"
#include "common/tracefile/tracefile.h"
#include "common/traceindex/traceindex.h"
#include "frontend/job/job.h"
#include "frontend/launch/launch.h"
#include "frontend/model/session.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"
#include "frontend/verify/internal.h"
#include "frontend/verify/verify.h"

bool checker_controls(const struct checker *c)
{
	return checker_setting_is(c, "EnableDynControl", "1") && !c->request.limited &&
	       !c->controlled.bare && !checker_setting_is(c, "EnableTrace", "0");
}

int checker_open_controlled(struct checker *c, const struct program *p, struct err *err)
{
	struct checker_controlled *k = &c->controlled;
	const char *grid = settings_text(c->s->set, "DynControlGrid");

	k->wanted = checker_setting_is(c, "EnableDynControl", "1") && !c->request.limited;
	k->bare = k->wanted && !p->script && !p->hooked && !p->hooked_library;
	k->found.most = (size_t)settings_number(c->s->set, "MaxErrors");
	k->ngrid = 0;
	if (k->wanted &&
	    suppressions_open(&k->suppressions, c->s->set, err))
		return -1;
	if (!k->wanted || !*grid)
		return 0;
	if (dyncontrol_grid_parse(grid, &k->ngrid, k->grid, err))
		return -1;
	if (job_size(c->s->job) > 1)
		return err_set(err,
			       "a grid of processors is emulated on one rank, not on %u; leave out "
			       "--grid (DynControlGrid), or start one rank",
			       (unsigned)job_size(c->s->job));
	return 0;
}

void checker_close_controlled(struct checker *c)
{
	trace_findings_clear(&c->controlled.found);
	suppressions_destroy(c->controlled.suppressions);
}

void checker_take_controlled(struct checker *c, const struct trace_findings *l)
{
	struct trace_finding f;

	for (size_t i = 0; i < l->n; i++)
		if (!trace_findings_get(l, i, &f) && finding_is_control(f.kind))
			xalloc_check(trace_findings_add(&c->controlled.found, &f));
}

void checker_controlled_found(const struct checker *c, struct trace_findings *out)
{
	suppressions_filter(c->controlled.suppressions, c->s->symbols, &c->controlled.found, out);
}

size_t controlled_report(struct session *s, const struct suppressions *no,
			 const struct trace_findings *l, const struct rankset *all,
			 size_t *suppressed)
{
	struct trace_findings rest = { 0 };
	size_t n;

	*suppressed = suppressions_filter(no, s->symbols, l, &rest);
	n = trace_findings_report(s, &rest, all);
	trace_findings_clear(&rest);
	return n;
}

void controlled_hints(struct session *s, const struct suppressions *no,
		      const struct trace_findings *l, size_t ranks)
{
	struct trace_finding f;
	char place[600];

	for (size_t i = 0; i < l->n; i++) {
		if (trace_findings_get(l, i, &f) || f.kind != FINDING_UNUSED || f.count < ranks)
			continue;
		trace_spot_text(s->symbols, &f.spot, place, sizeof(place));
		if (!suppressions_have(no, f.kind, place, ""))
			out_note(s->out, "%s: %s", place, f.note);
	}
}

void checker_report_controlled(struct checker *c)
{
	struct checker_controlled *k = &c->controlled;

	if (k->wanted && c->s->job)
		k->reported += controlled_report(c->s, k->suppressions, &k->found,
						 job_set(c->s->job, JOB_ALL), &k->suppressed);
}

static void add_incomplete(struct session *s, const struct report_trace *r)
{
	static const char *const what[CONTROL_WHYS] = { [CONTROL_WHY_UNMARKED] = "parallel loop",
							[CONTROL_WHY_UNMAPPED] = "parallel loop",
							[CONTROL_WHY_HALOS] = "array",
							[CONTROL_WHY_LOST] = "gap" };

	for (unsigned i = 0; i < CONTROL_WHYS; i++)
		if (r->uncontrolled[i])
			outcome_incomplete(s->outcome, "control: %llu %s%s: %s",
					   (unsigned long long)r->uncontrolled[i], what[i],
					   r->uncontrolled[i] == 1 ? "" : "s",
					   dyncontrol_why_text(i));
}

/* What of OpenMP was not checked. */
static json_t *unthreaded(const struct report_trace *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < OPENMP_WHYS; i++) {
		const char *what, *why = openmp_why_text(i, &what);

		if (r->unthreaded[i])
			json_array_append_new(
				list, json_sprintf("OpenMP: %llu %s%s: %s",
						   (unsigned long long)r->unthreaded[i], what,
						   r->unthreaded[i] == 1 ? "" : "s", why));
	}
	return list;
}

json_t *checker_unthreaded(const struct checker *c)
{
	return unthreaded(&c->traces.sum);
}

static void add_unthreaded(struct session *s, const struct report_trace *r)
{
	json_t *list = unthreaded(r), *text;
	size_t i;

	json_array_foreach(list, i, text)
		outcome_incomplete(s->outcome, "%s", json_string_value(text));
	json_decref(list);
}

/* {"type": "controlled", …} */
static void sum_up(struct session *s, const struct report_trace *r, size_t findings,
		   size_t suppressed, const char *why)
{
	json_t *o =
		json_pack("{s:s s:I s:I s:I s:I s:I s:I s:I s:s}", "type", "controlled", "accesses",
			  (json_int_t)r->controlled, "iterations", (json_int_t)r->units, "threaded",
			  (json_int_t)r->threaded, "regions", (json_int_t)r->regions, "tasks",
			  (json_int_t)r->tasks, "findings", (json_int_t)findings, "suppressed",
			  (json_int_t)suppressed, "why", why);

	if (*why)
		outcome_incomplete(s->outcome, "accesses are not controlled: %s", why);
	add_incomplete(s, r);
	add_unthreaded(s, r);
	out_answer(s->out, o);
}

void checker_sum_up_controlled(struct checker *c)
{
	static const struct report_trace none;

	if (!c->controlled.wanted || c->quiet)
		return;
	if (c->controlled.bare)
		sum_up(c->s, &none, 0, 0,
		       "the program has no access hooks; rebuild it with dvmdbg-cc or dvmdbg-fc");
	else if (!checker_controls(c))
		sum_up(c->s, &none, 0, 0, "EnableTrace is 0");
	else {
		if (c->traces.done < (uint64_t)job_size(c->s->job))
			outcome_incomplete(
				c->s->outcome,
				"control: the run had not ended on all ranks; what these did "
				"is not counted");
		controlled_hints(c->s, c->controlled.suppressions, &c->controlled.found,
				 job_size(c->s->job));
		sum_up(c->s, &c->traces.sum, c->controlled.reported, c->controlled.suppressed, "");
	}
}

/* ---- recorded traces ---- */

static int add_openmp(struct stream *to, const struct trace_meta *m, struct err *err)
{
	struct openmp *e = openmp_create(&(struct openmp_options){ .rank = m->rank });

	return e ? stream_add(to, &openmp_reader, e, err) : err_set(err, "out of memory");
}

int controlled_add(struct session *s, struct stream *to, const struct trace_meta *m,
		   struct err *err)
{
	const char *grid = settings_text(s->set, "DynControlGrid");
	struct dyncontrol_options o = { .rank = m->rank, .ranks = m->ranks, .pattern = -1 };
	struct dyncontrol *e;

	if (*grid && dyncontrol_grid_parse(grid, &o.ngrid, o.grid, err))
		return -1;
	if (o.ngrid && m->ranks > 1)
		return err_set(
			err, "a grid of processors is emulated on one rank; these traces are of %u",
			m->ranks);
	e = dyncontrol_create(&o);
	if (!e)
		return err_set(err, "out of memory");
	return stream_add(to, &dyncontrol_reader, e, err) || add_openmp(to, m, err) ? -1 : 0;
}

static int keep_findings(void *arg, struct trace_findings *l)
{
	xalloc_check(trace_findings_merge(arg, l));
	return 0;
}

int checker_control_traces(struct trace_index *run, struct trace_findings *out, struct err *err)
{
	int rc = 0;

	for (uint32_t f = 0; f < trace_index_files(run) && !rc; f++) {
		const struct trace_reader *file = trace_index_map(run, f);
		const struct trace_meta *m = trace_reader_meta(file);
		const struct dyncontrol_options o = { .rank = m->rank,
						      .ranks = m->ranks,
						      .pattern = -1 };
		struct dyncontrol *e = dyncontrol_create(&o);
		struct stream *s = stream_create();

		rc = !e || !s ? err_set(err, "out of memory")
			      : stream_add(s, &dyncontrol_reader, e, err);
		if (!rc && stream_file(s, file, NULL, NULL, err) < 0)
			rc = -1;
		if (!rc)
			stream_findings(s, keep_findings, out);
		stream_destroy(s);
	}
	return rc;
}

void controlled_sum_up(struct session *s, const struct report_trace *r, size_t findings,
		       size_t suppressed, const char *why)
{
	sum_up(s, r, findings, suppressed, why);
}
