/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a checker says: warnings, findings, and how a run compares in the end.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/logical/construct.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/finding_kind.h"
#include "frontend/verify/internal.h"
#include "frontend/model/error_file.h"
#include "frontend/model/findings.h"
#include "frontend/output/outcome.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "common/array/value.h"
#include "frontend/reference/reference.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define WARNINGS 100 /* the most of a run */

void checker_once_clear(struct checker_once *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->text[i]);
	free(o->text);
	*o = (struct checker_once){ 0 };
}

/* Whether text is reported the first time; takes it over. */
static bool first_time(struct checker_once *o, char *text)
{
	for (size_t i = 0; i < o->n; i++) {
		if (!strcmp(o->text[i], text)) {
			free(text);
			return false;
		}
	}
	if (o->n == WARNINGS) {
		free(text);
		return false;
	}
	xvec_more(o->text, o->n, 1);
	o->text[o->n++] = text;
	return true;
}

/* What a warning is about: of an array that fails at every point only the first is reported. */
static char *warning_key(const char *text)
{
	const char *at = strstr(text, " at the point ");

	return at ? xstrndup(text, (size_t)(at - text)) : xstrdup(text);
}

/* Takes the text over. */
static void warn(struct checker *c, char *text, bool incomplete)
{
	/* the documents' own begins with the word */
	const char *message = strncmp(text, "Warning: ", 9) ? text : text + 9;

	if (first_time(&c->once, warning_key(text))) {
		out_warning(c->s->out, "%s", message);
		if (incomplete)
			outcome_incomplete(c->s->outcome, "%s", message);
	}
	free(text);
}

void checker_warn(struct checker *c, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	warn(c, text, false);
}

void checker_incomplete(struct checker *c, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	warn(c, text, true);
}

uint8_t checker_finding(enum mismatch_kind kind)
{
	static const uint8_t kinds[] = {
		[MISMATCH_VALUE] = FINDING_CHECKSUM,	  [MISMATCH_COPIES] = FINDING_REPLICATED,
		[MISMATCH_CONSTRUCT] = FINDING_CONSTRUCT, [MISMATCH_SHAPE] = FINDING_SHAPE,
		[MISMATCH_PARTS] = FINDING_PARTS,	  [MISMATCH_ABSENT] = FINDING_ABSENT
	};

	return kinds[kind];
}

/*
 * Of copies the ranks are those that are not the reference's, or else all but
 * the largest group, when there is one that is largest.
 */
int checker_ranks(const struct session *s, const struct mismatch *m, struct rankset *out)
{
	size_t most = 0, other = SIZE_MAX;

	if (m->kind != MISMATCH_COPIES)
		return s->job ? rankset_copy(out, job_set(s->job, JOB_ALL)) : 0;
	if (m->wrong.n) {
		xrankset_copy(out, &m->wrong);
		return 0;
	}
	for (size_t i = 1; i < m->copies.n; i++) {
		size_t n = rankset_count(&m->copies.group[i].ranks);
		size_t had = rankset_count(&m->copies.group[most].ranks);

		other = n == had ? i : n > had ? SIZE_MAX : other;
		most = n > had ? i : most;
	}
	for (size_t i = 0; i < m->copies.n; i++)
		if (i != most || other != SIZE_MAX)
			xrankset_add_set(out, &m->copies.group[i].ranks);
	return 0;
}

void checker_show_finding(struct checker *c, uint8_t kind, const struct point *at,
			  const struct rankset *ranks, const char *where, const char *text)
{
	struct report_finding r = { .kind = kind, .point = *at, .detail = text };
	struct session *s = c->s;

	if (!findings_add(s->findings, ranks, &r, where))
		return;
	outcome_add(s->outcome, OUTCOME_FINDINGS);
	error_file_report(s, findings_get(s->findings, findings_count(s->findings)));
}

size_t checker_report(struct checker *c)
{
	size_t before = c->reported, most = (size_t)settings_number(c->s->set, "MaxErrors");

	for (; c->reported < compare_count(c->compare) && c->reported < most; c->reported++) {
		const struct mismatch *m = compare_mismatch(c->compare, c->reported);
		/* no construct has the number of the end of the program */
		const struct point at = m->finish ? (struct point){ 0 } : m->point;
		struct rankset ranks = { 0 };

		if (!(c->apart && m->kind != MISMATCH_COPIES ? rankset_add(&ranks, 0, c->apart - 1)
							     : checker_ranks(c->s, m, &ranks)))
			checker_show_finding(c, checker_finding(m->kind), &at, &ranks, m->where,
				     m->text ? m->text : "");
		rankset_clear(&ranks);
	}
	return c->reported - before;
}

/* The last numbered point of the reference of a kind that this run has; main 0: none. */
static struct point last_point(const struct checker *c)
{
	struct reference *r = c->known;
	struct point last = { 0 };

	for (size_t i = reference_count(r); i-- > 0;) {
		const struct sums_point *p = reference_at(r, i, NULL);

		if (p && !p->point.sub && p->kind != CONSTRUCT_FINISH &&
		    checker_has_kind(c, &p->point)) {
			last = p->point;
			break;
		}
	}
	return last;
}

/* The first end of a numbered construct in the reference behind p; NULL: none. */
static const struct sums_point *next_end(const struct checker *c, const struct point *p)
{
	const struct sums_point *x;

	for (size_t i = 0; (x = reference_at(c->known, i, NULL)); i++)
		if (!x->point.sub && checker_has_kind(c, &x->point) && x->point.side == POINT_END &&
		    x->kind != CONSTRUCT_FINISH &&
		    (!p->main || point_compare(p, &x->point) == POINT_BEFORE))
			return x;
	return NULL;
}

/* The run has come to its end: was it as long as that of the reference? */
static void report_length(struct checker *c, bool complete)
{
	const struct compare_state *state = compare_state(c->compare);
	struct point last = last_point(c), here = { 0 };
	const struct trace_config *g = &c->trace_config;
	char a[POINT_TEXT], b[POINT_TEXT];
	const struct sums_point *next;

	if (c->length_reported)
		return;
	c->length_reported = true;
	if (c->last && c->last->kind == CONSTRUCT_FINISH)
		here = (struct point){ .main = c->last->point.main - 1, .side = POINT_END };
	else if (c->last)
		here = c->last->point;
	if (c->call.main && point_compare(&here, &c->call) == POINT_BEFORE)
		here = c->call;
	if (c->beyond && !last.main)
		checker_incomplete(c,
				   "the reference has no points: %llu constructs were not compared",
				   (unsigned long long)c->beyond);
	else if (c->beyond)
		checker_incomplete(
			c,
			"the run went on after %s, where the reference ends: %llu more construct%s "
			"not compared",
			point_format(&last, a), (unsigned long long)c->beyond,
			c->beyond == 1 ? " was" : "s were");
	if (!complete || !last.main || c->beyond ||
	    ((g->start.main || g->finish.main) && !trace_config_open(g, &last)) ||
	    point_compare(&here, &last) != POINT_BEFORE)
		return;
	next = next_end(c, &here);
	if (next && !state->rounds && !c->reported && !g->drop) {
		if (compare_ended(c->compare, next) > 0)
			checker_report(c);
	} else {
		checker_incomplete(c, "the run ended %s%s, the reference goes on to %s",
				   here.main ? "after " : "without checksums",
				   here.main ? point_format(&here, b) : "", point_format(&last, a));
	}
}

bool checker_complete(const struct job *j)
{
	const struct groups *exits = j ? job_exits(j) : NULL;

	if (!j || !job_over(j) || job_set(j, JOB_LOST)->n)
		return false;
	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) || r.how != EXIT_CODE || r.released || r.aborted)
			return false;
	}
	return true;
}

void checker_keep_uncompared(struct outcome *o, const struct compare_state *s)
{
	uint64_t n = s->skipped;

	if (n)
		outcome_incomplete(o, "%llu checksum%s could not be compared",
				   (unsigned long long)n, n == 1 ? "" : "s");
}

/* Both runs came to their end, and yet nothing was compared there. */
static bool end_missed(const struct checker *c)
{
	const struct compare_state *s = compare_state(c->compare);

	return !s->finish && s->arrays && reference_info(c->known)->complete && !c->deaf &&
	       !c->trace_config.finish.main && !c->reported && !c->beyond &&
	       !reference_note(c->known);
}

/* The run is over: what of its sums was not compared. */
static void keep_incomplete(struct checker *c, bool complete)
{
	const struct compare_state *s = compare_state(c->compare);
	unsigned long long n = c->without;

	if (complete && !s->arrays)
		outcome_incomplete(c->s->outcome, "there was nothing to compare");
	if (complete && end_missed(c))
		outcome_incomplete(c->s->outcome,
				   "the end of the program could not be compared");
	if (n)
		outcome_incomplete(
			c->s->outcome,
			"%llu point%s of this run %s incomplete, as ranks sent nothing of %s", n,
			n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "it" : "them");
	n = c->alone;
	if (n)
		outcome_incomplete(c->s->outcome, "%llu point%s of the reference %s no partner", n,
				   n == 1 ? "" : "s", n == 1 ? "has" : "have");
	checker_keep_uncompared(c->s->outcome, s);
}

void checker_report_printed(struct checker *c)
{
	const char *line[2], *number[2];
	size_t n = checker_printed(c, 0, line, number);
	struct rankset ranks = { 0 };
	struct point none = { 0 };

	xrankset_copy(&ranks, job_set(c->s->job, JOB_ALL));
	for (size_t i = 0; i < n; i++) {
		char *text;

		checker_printed(c, i, line, number);
		text = xasprintf("\"%s\" was printed, \"%s\" in the reference: %s != %s", line[1],
				 line[0], number[1], number[0]);
		checker_show_finding(c, FINDING_PRINTED, &none, &ranks, "", text);
		free(text);
	}
	rankset_clear(&ranks);
	if (c->printed_diff.alone)
		out_note(c->s->out, "printed lines without a counterpart in the other run: %zu",
			 c->printed_diff.alone);
}

/* What was gone before it could be compared once more. */
static void report_unended(struct checker *c)
{
	const struct sums_array *a;
	char at[POINT_TEXT], id[600];
	struct point last;

	for (size_t i = 0; (a = compare_unended(c->compare, i, &last)); i++)
		checker_warn(c,
			     "array %s was compared up to %s: its memory was gone before its end "
			     "could be seen; %s",
			     sums_array_id(a, id, sizeof(id)), point_format(&last, at),
			     a->order == 'F'
				     ? "call dvmdbg_forget before it is deallocated, or its "
				       "subroutine ends"
				     : "call DVMDBG_FORGET before its function returns");
}

void checker_ended(struct checker *c)
{
	bool complete = checker_complete(c->s->job);

	if (!c->begun || !c->known || c->deaf)
		return;
	report_length(c, complete);
	keep_incomplete(c, complete);
}

static json_t *point_json(const struct point *p)
{
	char text[POINT_TEXT];

	return json_string(point_format(p, text));
}

static const char *verdict_of(const struct checker *c, const struct compare_state *s)
{
	if (c->reported || c->printed_diff.n)
		return "findings";
	if (!s->arrays)
		return "nothing";
	return s->rounds ? "rounding" : "equal";
}

void checker_put_small(json_t *o, const struct compare_state *s)
{
	if (!s->small)
		return;
	json_object_set_new(o, "small", json_integer((json_int_t)s->small));
	json_object_set_new(o, "small_from", point_json(&s->small_from));
	json_object_set_new(o, "small_array", out_json_text(s->small_array));
	json_object_set_new(o, "small_where", out_json_text(s->small_where));
}

void checker_put_tolerance(json_t *o, const struct compare_state *s, const struct settings *set)
{
	const struct compare_tolerance c = tolerance_compare(set);
	struct sum_tolerance tol = tolerance_of(set, VALUE_DOUBLE);
	struct sum_tolerance single = tolerance_of(set, VALUE_FLOAT);
	char text[120];
	size_t n;

	json_object_set_new(o, "compare", json_string(tolerance_mode(&tol)));
	json_object_set_new(o, "exp", c.exp < 0 ? json_string("auto") : json_real(c.exp));
	n = strlen(tolerance_text(&tol, text, sizeof(text)));
	if (s->rounds_single && tol.mode != SUM_EXACT && c.exp < 0)
		snprintf(text + n, sizeof(text) - n, ", %.4g in single precision", single.exp);
	json_object_set_new(o, "tolerance", json_string(text));
}

static void sum_up_comparison(struct checker *c, bool complete)
{
	const struct compare_state *s;
	json_t *o;

	if (!c->deaf)
		report_length(c, complete);
	keep_incomplete(c, complete);
	if (!c->deaf && complete)
		report_unended(c);
	s = compare_state(c->compare);
	o = json_pack("{s:s s:o s:s s:I s:I s:I s:I s:I s:I s:I s:b}", "type", "compared",
		      "reference", out_json_text(reference_dir(c->known)), "verdict",
		      verdict_of(c, s), "sums", (json_int_t)s->arrays, "arrays",
		      (json_int_t)s->names, "points", (json_int_t)s->points, "equal",
		      (json_int_t)s->equal, "rounding", (json_int_t)s->rounding, "skipped",
		      (json_int_t)s->skipped, "findings",
		      (json_int_t)(c->reported + c->printed_diff.n), "complete", complete);
	json_object_set_new(o, "printed", json_integer((json_int_t)c->printed_diff.n));
	json_object_set_new(o, "last", s->last.main ? point_json(&s->last) : json_null());
	json_object_set_new(o, "end", json_boolean(s->finish));
	if (s->rounds) {
		json_object_set_new(o, "rounding_from", point_json(&s->rounds_from));
		json_object_set_new(o, "rounding_array", out_json_text(s->rounds_array));
		json_object_set_new(o, "rounding_most", json_real(s->rounds_most));
	}
	checker_put_small(o, s);
	checker_put_tolerance(o, s, c->s->set);
	if (c->given_up)
		json_object_set_new(o, "given_up", json_integer((json_int_t)c->given_up));
	out_answer(c->s->out, o);
}

static void sum_up_recording(struct checker *c, bool complete)
{
	const struct reference_info *info = reference_info(c->made);
	size_t n = reference_count(c->made);
	const struct sums_point *last = n ? reference_at(c->made, n - 1, NULL) : NULL;
	bool end = last && last->kind == CONSTRUCT_FINISH;
	json_int_t points = (json_int_t)info->points - end;
	json_int_t sums = (json_int_t)info->sums - (end ? (json_int_t)last->n : 0);
	json_t *o = json_pack("{s:s s:o s:I s:I s:b s:I s:i s:b}", "type", "recorded", "reference",
			      out_json_text(reference_dir(c->made)), "points", points, "sums", sums,
			      "end", end, "bytes", (json_int_t)info->bytes, "ranks",
			      (int)info->ranks, "complete", complete);

	out_answer(c->s->out, o);
}

void checker_sum_up(struct checker *c, bool complete)
{
	/* of traces alone there are no checksums, of texts means */
	if (c->quiet)
		return;
	if (c->known && reference_info(c->known)->bare) {
		if (c->traces.means)
			means_sum_up(c, c->traces.means, reference_dir(c->known), complete);
		return;
	}
	if (c->known)
		sum_up_comparison(c, complete);
	else if (c->made)
		sum_up_recording(c, complete);
	else if (c->drops)
		out_note(c->s->out, "record none: the checksums of %llu point%s were dropped",
			 (unsigned long long)c->points, c->points == 1 ? "" : "s");
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "40 3 --fault x" of an argument list, without the program; to be freed. */
static char *arguments(char *const *argv)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = xmemstream(&text, &len);

	for (size_t i = 1; argv && argv[0] && argv[i]; i++)
		fprintf(f, "%s%s", i > 1 ? " " : "", argv[i]);
	xmemstream_close(f);
	return text;
}

void checker_report_reference(struct checker *c, const char *path, char *const *argv,
			      const char *build_id, const char *marks)
{
	const struct reference_info *info = reference_info(c->known);
	const char *dir = reference_dir(c->known), *note = reference_note(c->known);
	char *theirs = arguments(info->argv), *ours = arguments(argv);
	bool other = strcmp(base(info->program), base(path)) != 0;

	c->moved = strcmp(info->build_id, build_id) != 0;
	if (other)
		checker_warn(c, "the reference %s is of another program: %s, this is %s", dir,
			     info->program, path);
	else if (c->moved && !info->bare)
		checker_warn(c,
			     "the reference %s is of another version of %s: points correspond by "
			     "their numbers, arrays by their names",
			     dir, base(path));
	/* texts do not say it */
	if (theirs && ours && !info->bare && strcmp(theirs, ours))
		checker_warn(c,
			     "the reference %s is of a run with other arguments: \"%s\", this has "
			     "\"%s\"",
			     dir, theirs, ours);
	if (strcmp(info->marks, marks) && !info->bare)
		checker_warn(c, "the reference %s was recorded with%s marks beside the source%s",
			     dir,
			     !*info->marks ? "out"
			     : *marks	   ? " other"
					   : "",
			     *marks ? "" : ", and this run is without");
	if (note)
		checker_incomplete(c, "%s", note);
	free(theirs);
	free(ours);
}
