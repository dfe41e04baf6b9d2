/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of a run: what the ranks are ordered to do with them, and what has become of them.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"
#include "common/tracediff/tracediff.h"
#include "common/coverage/coverage.h"
#include "common/traceindex/traceindex.h"
#include "frontend/model/ask.h"
#include "frontend/output/outcome.h"
#include "frontend/verify/internal.h"
#include "frontend/job/job.h"
#include "frontend/verify/verify.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define GONE "the directory %s is not there any more; record it again"

static uint8_t level_set(const struct checker *c)
{
	int level = trace_config_level_parse(settings_text(c->s->set, "LEVEL"));

	/* texts of these have constructs, and iterations of sequential loops */
	if (level > TRACE_CONFIG_FULL || level <= TRACE_CONFIG_NONE)
		return checker_wants_files(c) || (c->request.record && c->request.calls) ?
			       TRACE_CONFIG_MINIMAL :
			       TRACE_CONFIG_NONE;
	return (uint8_t)level;
}

uint8_t checker_level(const struct checker *c)
{
	uint8_t level = level_set(c);

	if (c->request.limited)
		return c->request.only.level;
	if (checker_setting_is(c, "EnableTrace", "0"))
		return TRACE_CONFIG_NONE;
	if ((checker_calculates(c) && c->calculated.set) ||
	    (checker_controls(c) && c->controlled.wanted))
		return TRACE_CONFIG_FULL;
	/* what is compared both have */
	if (c->known && (!level || level > c->traces.level))
		level = c->traces.level;
	if (c->traces.bare && level > TRACE_CONFIG_MINIMAL)
		level = TRACE_CONFIG_MINIMAL;
	return level;
}

int checker_open_traces(struct checker *c, struct err *err)
{
	struct checker_traces *t = &c->traces;

	if (!c->known || !trace_index_there(reference_dir(c->known)) ||
	    (c->request.limited && !c->request.only.level))
		return 0;
	t->ref = trace_index_open(reference_dir(c->known), 0, err);
	if (!t->ref)
		return -1;
	if (reference_info(c->known)->bare)
		t->means = means_of_traces(t->ref);
	t->level = trace_reader_meta(trace_index_map(t->ref, 0))->level;
	if (t->level > TRACE_CONFIG_FULL) {
		/* a text of level CHECKSUM: which iterations were executed it does not say */
		trace_index_close(t->ref);
		t->ref = NULL;
		t->level = TRACE_CONFIG_NONE;
		return 0;
	}
	t->covers = covers_create(t->ref, (uint32_t)job_size(c->s->job));
	t->found.most = (size_t)settings_number(c->s->set, "MaxErrors");
	if (*trace_index_note(t->ref))
		checker_incomplete(c, "%s: %s: only what it has is compared",
				   reference_dir(c->known), trace_index_note(t->ref));
	xalloc_checked(t->covers);
	return 0;
}

void checker_close_traces(struct checker *c)
{
	covers_destroy(c->traces.covers);
	trace_index_close(c->traces.ref);
	means_destroy(c->traces.means);
	trace_findings_clear(&c->traces.found);
	levels_destroy(c->traces.file);
	dvmtext_head_clear(&c->traces.head);
}

static void set_tolerance(const struct checker *c, struct msg_trace *m)
{
	m->tolerance = tolerance_trace(c->s->set);
	m->max_errors = (uint32_t)settings_number(c->s->set, "MaxErrors");
	m->moved = c->moved;
}

int checker_trace(struct checker *c, const char *build_id, struct err *err)
{
	struct msg_trace m = { .record = "",
			       .compare = "",
			       .program = job_path(c->s->job),
			       .build_id = build_id,
			       .ranks = (uint32_t)job_size(c->s->job),
			       .effort = 1 };
	char record[PATH_MAX], compare[PATH_MAX];

	set_tolerance(c, &m);
	m.reductions = checker_has_results(c);
	m.control = c->controlled.wanted && checker_controls(c);
	m.ngrid = c->controlled.ngrid;
	memcpy(m.grid, c->controlled.grid, sizeof(m.grid));
	m.memory = (uint64_t)settings_number(c->s->set, "TRACE_MEMORY") << 20;
	if (c->made) {
		/* supervisors have working directories of their own */
		if (!realpath(reference_dir(c->made), record))
			return err_set(err, GONE, reference_dir(c->made));
		m.record = record;
	}
	if (c->drops)
		m.record = MSG_TRACE_NONE;
	if (!c->made && c->request.limited && c->request.only.keep) {
		if (!realpath(c->request.only.keep, record))
			return err_set(err, GONE, c->request.only.keep);
		m.record = record;
	}
	if (c->traces.ref) {
		if (!realpath(reference_dir(c->known), compare))
			return err_set(err, GONE, reference_dir(c->known));
		m.compare = compare;
	}
	job_trace(c->s->job, &m);
	return 0;
}

/* Adds what n ranks say alike. */
static void add_report(struct checker_traces *t, const struct report_trace *r, uint64_t n)
{
	struct report_trace *sum = &t->sum;

	sum->blocks += n * r->blocks;
	sum->records += n * r->records;
	sum->bytes += n * r->bytes;
	sum->compared += n * r->compared;
	sum->equal += n * r->equal;
	sum->close += n * r->close;
	sum->unknown += n * r->unknown;
	sum->lost += n * r->lost;
	sum->iterations += n * r->iterations;
	sum->constructs += n * r->constructs;
	sum->values += n * r->values;
	sum->reductions += n * r->reductions;
	sum->controlled += n * r->controlled;
	sum->units += n * r->units;
	for (unsigned i = 0; i < REPORT_UNCONTROLLED; i++)
		sum->uncontrolled[i] += n * r->uncontrolled[i];
	sum->threaded += n * r->threaded;
	sum->regions += n * r->regions;
	sum->tasks += n * r->tasks;
	for (unsigned i = 0; i < REPORT_UNTHREADED; i++)
		sum->unthreaded[i] += n * r->unthreaded[i];
	if (r->beyond)
		sum->end = r->end;
	sum->beyond |= r->beyond;
	t->done += n;
}

void checker_take_trace(struct checker *c, const struct rankset *ranks,
			const struct report_trace *r)
{
	char who[128];

	if (r->state == REPORT_TRACE_DONE) {
		add_report(&c->traces, r, rankset_count(ranks));
		return;
	}
	checker_incomplete(c, "the trace of %s ends here: %s",
			   rankset_format(ranks, who, sizeof(who)), r->why);
}

/* Those of control apart; what the ranks did not keep is not known by its kind. */
static void take_others(struct trace_findings *to, const struct trace_findings *l)
{
	struct trace_finding f;
	uint64_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		kept += l->item[i].count;
		if (!trace_findings_get(l, i, &f) && !finding_is_control(f.kind))
			xalloc_check(trace_findings_add(to, &f));
	}
	to->total += l->total - kept;
	to->more = to->more || l->more;
}

void checker_take_found(struct checker *c, struct trace_findings *l)
{
	if (c->controlled.wanted)
		checker_take_controlled(c, l);
	if (c->traces.ref && c->controlled.wanted)
		take_others(&c->traces.found, l);
	else if (c->traces.ref)
		xalloc_check(trace_findings_merge(&c->traces.found, l));
}

void checker_take_cover(struct checker *c, struct cover *cover)
{
	struct err err = { "" };

	if (c->traces.covers && covers_add(c->traces.covers, cover, &c->traces.found, &err))
		checker_incomplete(c, "%s", err.text);
}

void checker_report_traces(struct checker *c)
{
	struct session *s = c->s;

	checker_report_calculated(c);
	checker_report_controlled(c);
	if (!c->traces.ref || !s->job)
		return;
	c->traces.reported += trace_findings_report(s, &c->traces.found, job_set(s->job, JOB_ALL));
}

const struct trace_findings *checker_found(const struct checker *c)
{
	return &c->traces.found;
}

const char *checker_mismatch_words(const struct checker *c)
{
	if (c->traces_differ)
		return c->sums_differ ? "checksums and traces differ" : "traces differ";
	return "checksums differ";
}

void checker_keep_lost(struct outcome *o, const struct tracediff_state *s)
{
	if (s->lost)
		outcome_incomplete(o, "records are lost: %llu access%s could not be compared",
				   (unsigned long long)s->lost, s->lost == 1 ? "" : "es");
}

void checker_put_unscaled(json_t *o, const struct tracediff_state *s, const struct settings *set,
			  const char *reference)
{
	const struct compare_tolerance tol = tolerance_compare(set);
	char *path = xasprintf("%s/" SUM_SCALES_FILE, reference), least[32];

	snprintf(least, sizeof(least), "%.4g", tol.rel_min);
	if (s->close && tol.mode == SUM_SCALED && access(path, F_OK))
		json_object_set_new(o, "least", json_string(least));
	free(path);
}

static void sum_up_comparison(struct checker *c, bool complete)
{
	const struct checker_traces *t = &c->traces;
	const struct report_trace *r = &t->sum;
	const struct tracediff_state state = { .compared = r->compared,
					       .equal = r->equal,
					       .close = r->close,
					       .unknown = r->unknown,
					       .lost = r->lost,
					       .iterations = r->iterations,
					       .constructs = r->constructs,
					       .values = r->values,
					       .reductions = r->reductions };

	json_t *o;

	checker_keep_lost(c->s->outcome, &state);
	o = traceview_compared_json(&state, &t->found, t->reported, reference_dir(c->known),
				    c->trace_config.trace, complete);
	checker_put_unscaled(o, &state, c->s->set, reference_dir(c->known));
	out_answer(c->s->out, o);
}

/* Ranks that died have not reported: what is in the files. */
static void count_files(struct checker *c)
{
	struct report_trace *r = &c->traces.sum;
	struct trace_index *ref = trace_index_open(reference_dir(c->made), 0, NULL);
	uint32_t n = ref ? trace_index_files(ref) : 0;

	if (ref)
		*r = (struct report_trace){ .state = REPORT_TRACE_DONE };
	for (uint32_t f = 0; f < n; f++) {
		const struct trace_reader *m = trace_index_map(ref, f);

		for (size_t i = 0; i < trace_reader_blocks(m); i++) {
			r->records += trace_reader_info(m, i)->records;
			r->bytes += trace_reader_info(m, i)->packed;
			r->blocks++;
		}
	}
	c->traces.done = n;
	trace_index_close(ref);
}

static void sum_up_recording(struct checker *c, bool complete)
{
	const struct report_trace *r = &c->traces.sum;
	json_t *o =
		json_pack("{s:s s:o s:s s:I s:I s:I s:b}", "type", "recorded-traces", "reference",
			  c->made ? out_json_text(reference_dir(c->made)) : json_null(), "level",
			  trace_config_level_word(c->trace_config.trace), "records",
			  (json_int_t)r->records, "blocks", (json_int_t)r->blocks, "bytes",
			  (json_int_t)r->bytes, "complete", complete);
	struct rankset on = { 0 };

	/* what they have not written yet is not counted */
	xrankset_copy(&on, job_set(c->s->job, JOB_RUNNING));
	xrankset_add_set(&on, job_set(c->s->job, JOB_STOPPED));
	if (on.n)
		json_object_set_new(o, "on", ask_ranks(&on));
	rankset_clear(&on);
	out_answer(c->s->out, o);
}

void checker_sum_up_traces(struct checker *c, bool complete)
{
	if (c->quiet)
		return;
	if (c->made && c->trace_config.trace != TRACE_CONFIG_NONE &&
	    c->traces.done < reference_info(c->made)->ranks)
		count_files(c);
	if (!c->traces.done) {
		if (c->traces.ref && reference_info(c->known)->bare && !c->traces.level)
			outcome_incomplete(c->s->outcome, CHECKER_OF_NONE,
					   reference_dir(c->known));
		return;
	}
	if (c->traces.ref)
		sum_up_comparison(c, complete);
	else if (c->made || c->drops)
		sum_up_recording(c, complete);
}

bool checker_traces_own(const struct checker *c)
{
	return c->made;
}

char *checker_traces_dir(const struct checker *c)
{
	if (c->made)
		return xstrdup(reference_dir(c->made));
	return c->known && c->traces.ref ? xstrdup(reference_dir(c->known)) : NULL;
}
