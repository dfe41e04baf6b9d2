/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "common/protocol/point_sums.h"
#include "common/tracediff/tracediff.h"
#include "common/tracefile/tracefile.h"
#include "frontend/verify/internal.h"
#include "frontend/model/error_file.h"
#include "frontend/model/findings.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* ---- traces ---- */

/* Ctrl-C gives up. */
static int watch_interrupt(void *arg, uint64_t done, uint64_t total)
{
	return out_cut_short();
}

static const struct trace_meta *meta_of(const struct trace_index *r)
{
	return trace_reader_meta(trace_index_map(r, 0));
}

/* Reports them; how many there are, one for each source line. */
static size_t report_found(struct session *s, const struct trace_findings *found, uint32_t ranks,
			   bool numbered)
{
	struct rankset all = { 0 };
	json_t *list;
	size_t n;

	if (numbered) {
		xrankset_add(&all, 0, ranks - 1);
		n = trace_findings_report(s, found, &all);
		rankset_clear(&all);
		return n;
	}
	list = trace_findings_json(s->symbols, found, ranks);
	n = json_array_size(list);
	if (n)
		outcome_add(s->outcome, OUTCOME_FINDINGS);
	out_answer(s->out, json_pack("{s:s s:o}", "type", "findings", "list", list));
	return n;
}

/* Adds the levels that arrays have in a directory's traces. */
static void take_cut(struct levels *cut, const char *dir)
{
	struct reference *r = reference_open(dir, NULL);

	if (r)
		levels_take(cut, reference_info(r)->levels, TRACE_CONFIG_FULL, NULL);
	reference_destroy(r);
}

/* Nothing is found about an array that only one of the runs has recorded as a whole. */
static int drop_cut(struct trace_findings *l, const char *run, const char *dir)
{
	struct levels *cut = levels_create();
	struct trace_findings left = { .most = l->most };
	struct trace_finding f;
	int rc = 0;

	take_cut(cut, run);
	take_cut(cut, dir);
	for (size_t i = 0; levels_count(cut) && i < l->n && !rc; i++)
		if (!trace_findings_get(l, i, &f) &&
		    !(f.thing.what == TRACE_WHAT_ARRAY &&
		      levels_cut(cut, f.thing.name, f.thing.counter)))
			rc = trace_findings_add(&left, &f);
	if (levels_count(cut)) {
		left.more = l->more;
		trace_findings_clear(l);
		*l = left;
	}
	levels_destroy(cut);
	return rc;
}

static bool is_nothing(const struct tracediff_state *s)
{
	return !s->compared && !s->iterations && !s->reductions && !s->values;
}

/* A text of checksums and one without any have constructs in common, no values; one of level NONE
 * with any. */
static void keep_nothing(struct session *s, const char *run, unsigned level, const char *dir,
			 unsigned other)
{
	const char *sums = level == TRACE_CONFIG_CHECKSUM ? run : dir;

	if (level == TRACE_CONFIG_NONE || other == TRACE_CONFIG_NONE)
		outcome_incomplete(s->outcome, CHECKER_OF_NONE,
				   level == TRACE_CONFIG_NONE ? run : dir);
	else if ((level == TRACE_CONFIG_CHECKSUM) != (other == TRACE_CONFIG_CHECKSUM))
		outcome_incomplete(
			s->outcome,
			"%s has checksums alone, of which %s has none: there was nothing to "
			"compare",
			sums, sums == run ? dir : run);
}

static int compare_traces(struct session *s, struct trace_index *run, struct trace_index *reference,
			  const char *run_dir, const char *dir, bool numbered, bool means,
			  struct err *err)
{
	struct tracediff_files_options o = { .tolerance = tolerance_trace(s->set),
					     .most = (uint32_t)settings_number(s->set, "MaxErrors"),
					     .moved = strcmp(meta_of(run)->build_id,
							     meta_of(reference)->build_id) != 0,
					     .progress = watch_interrupt };
	struct trace_findings found = { .most = o.most };
	struct tracediff_state state = { 0 };
	unsigned level = meta_of(run)->level, other = meta_of(reference)->level;
	int rc = tracediff_files(run, reference, &o, &found, &state, err);
	size_t reported;
	json_t *answer;

	if (rc >= 0 && drop_cut(&found, run_dir, dir))
		rc = err_set(err, "out of memory");
	/* of texts of level CHECKSUM all that is compared are checksums, as a rule */
	if (rc >= 0 && means && !found.n && is_nothing(&state)) {
		trace_findings_clear(&found);
		return 0;
	}
	if (rc >= 0 && is_nothing(&state))
		keep_nothing(s, run_dir, level, dir, other);
	if (rc >= 0) {
		checker_keep_lost(s->outcome, &state);
		reported = report_found(s, &found, trace_index_files(run), numbered);
		answer = traceview_compared_json(&state, &found, reported, dir,
						 other < level ? other : level, !rc);
		checker_put_unscaled(answer, &state, s->set, dir);
		out_answer(s->out, answer);
	}
	trace_findings_clear(&found);
	return rc < 0 ? -1 : 0;
}

/* What is not there of a run's traces. */
static void report_note(struct session *s, const char *dir, const struct trace_index *r)
{
	if (!*trace_index_note(r))
		return;
	out_warning(s->out, "%s: %s: only what it has is compared", dir, trace_index_note(r));
	outcome_incomplete(s->outcome, "%s: %s", dir, trace_index_note(r));
}

int checker_traces_offline(struct session *s, const char *run_dir, const char *dir, bool numbered,
			   struct err *err)
{
	struct trace_index *run = trace_index_open(run_dir, 0, err);
	struct trace_index *reference = run ? trace_index_open(dir, 0, err) : NULL;
	bool means;
	int rc = -1;

	if (reference) {
		report_note(s, run_dir, run);
		report_note(s, dir, reference);
		means = means_offline(s, run_dir, run, dir, reference);
		rc = compare_traces(s, run, reference, run_dir, dir, numbered, means, err);
	}
	outcome_report(s->outcome, s->out, "compared");
	trace_index_close(run);
	trace_index_close(reference);
	return rc;
}

/* ---- checksums ---- */

static bool has(const char *dir, const char *file)
{
	char *path;
	bool there;

	path = xasprintf("%s/%s", dir, file);
	there = access(path, R_OK) == 0;
	free(path);
	return there;
}

/* What a construct only reads, which the reference does not report. */
static void drop_reads(struct sums_point *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct sums_array *a = &p->array[i];

		if (a->kind == ARRAY_DISTRIBUTED &&
		    (a->flags & (POINT_SUMS_READ | POINT_SUMS_WRITE)) == POINT_SUMS_READ)
			sums_array_clear(a);
		else
			p->array[n++] = *a;
	}
	p->n = n;
}

/* Point i of the run; NULL: it cannot be read, *i is the next that may be. */
static struct sums_point *take(struct checker *c, struct reference *run, size_t *i)
{
	struct err err = { "" };
	const struct sums_point *p = reference_at(run, *i, &err);
	struct sums_point *copy = p ? checker_copy_point(p) : NULL;
	size_t next;

	if (p) {
		++*i;
		return copy;
	}
	next = reference_next_block(run, *i);
	checker_incomplete(c, "%s: %zu points are not compared", err.text, next - *i);
	*i = next;
	return NULL;
}

/* False: the last points of the run cannot be read. */
static bool compare_points(struct checker *c, struct reference *run)
{
	const struct trace_config *ours = &reference_info(run)->trace_config;
	bool drop = ours->reads && !reference_info(c->known)->trace_config.reads;
	size_t i = 0;
	bool lost = false;

	while (i < reference_count(run) && !c->deaf && !out_cut_short()) {
		struct sums_point *p = take(c, run, &i);

		if (!p) {
			compare_lose(c->compare, false);
			lost = true;
			continue;
		}
		if (!trace_config_open(&c->trace_config, &p->point)) {
			sums_point_destroy(p);
			continue;
		}
		if (drop)
			drop_reads(p);
		c->points++;
		checker_forget_points(c, &p->point);
		c->last = p;
		checker_take_point(c, p, lost);
		lost = lost && p->point.sub;
	}
	return !lost;
}

/* Both are open: the comparison of what both have taken. */
static int compare_sums(struct checker *c, struct reference *run, struct err *err)
{
	const struct reference_info *info = reference_info(run);
	const struct trace_config *theirs = &reference_info(c->known)->trace_config;
	struct compare_tolerance tol = tolerance_compare(c->s->set);
	bool whole;

	if (theirs->reads && !info->trace_config.reads)
		return err_set(err,
			       "%s was recorded with ChecksumMode 2 and %s with 1; compare %s %s "
			       "compares what both have",
			       reference_dir(c->known), reference_dir(run), reference_dir(c->known),
			       reference_dir(run));
	if (theirs->exact != info->trace_config.exact)
		return err_set(
			err,
			"%s was recorded with exact sums and %s without, so their checksums "
			"cannot be compared; record one of them again with another EXACT_SUMS",
			reference_dir(theirs->exact ? c->known : run),
			reference_dir(theirs->exact ? run : c->known));
	checker_report_reference(c, info->program, info->argv, info->build_id, info->marks);
	if (reference_note(run))
		checker_incomplete(c, "%s", reference_note(run));
	tol.moved = c->moved;
	tol.alone = reference_info(c->known)->ranks == 1 && info->ranks == 1;
	c->trace_config = info->trace_config;
	checker_inner(&c->trace_config, theirs);
	if (checker_check_interval(&c->trace_config, err))
		return err_prefix(err, "%s and %s have no point in common", reference_dir(run),
				  reference_dir(c->known));
	c->compare = compare_create(&tol);
	c->apart = info->ranks;
	whole = compare_points(c, run) && info->complete && !reference_damaged(run);
	checker_sum_up(c, whole && !out_cut_short());
	if (!compare_state(c->compare)->arrays)
		outcome_incomplete(c->s->outcome, "there was nothing to compare");
	return 0;
}

static int sums_apart(struct session *s, const char *run_dir, const char *dir, struct err *err)
{
	struct reference *run = reference_open(run_dir, err);
	struct checker *c = run ? checker_create(s) : NULL;
	int rc = -1;

	if (c && (c->known = reference_open(dir, err)))
		rc = compare_sums(c, run, err);
	checker_destroy(c);
	reference_destroy(run);
	return rc;
}

/* Directories that have nothing but traces, as of trace import, are fine. */
int checker_compare_offline(struct session *s, const char *run, const char *dir, struct err *err)
{
	bool traces = trace_index_there(run), both = traces && trace_index_there(dir);
	bool sums = !both || (has(run, "manifest.json") && has(dir, "manifest.json"));
	int rc = 0;

	findings_new_run(s->findings);
	error_file_new_run(s);
	if (sums)
		rc = sums_apart(s, run, dir, err);
	if (!rc && !both && (traces || trace_index_there(dir)))
		out_note(s->out, "only %s has traces: checksums are compared", traces ? run : dir);
	if (rc || !both) {
		outcome_report(s->outcome, s->out, "compared");
		return rc;
	}
	return checker_traces_offline(s, run, dir, true, err);
}
