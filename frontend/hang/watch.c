/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/hang/hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/error_file.h"
#include "frontend/model/findings.h"
#include "frontend/model/session.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/settings/settings.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define LOOK_MS 500   /* between questions whether anything moves */
#define LINE_MS                                                                                   \
	3000 /* without movement before a line shows for whom is waited, between two, and between \
		reports */
#define LAST_MS 500   /* without movement, where a wait has ended otherwise */
#define ANSWER_MS 2000

/* Nothing is stopped or to come: those that run wait for no one but each other. */
static bool watched(const struct session *s)
{
	const struct job *j = s->job;

	return j && !job_attached(j) && job_set(j, JOB_RUNNING)->n && !job_set(j, JOB_STOPPED)->n &&
	       !job_set(j, JOB_LOADED)->n && !job_set(j, JOB_ABSENT)->n &&
	       !job_halting(j, job_set(j, JOB_ALL));
}

bool hang_still(struct session *s, const struct rankset *ranks, int64_t ms)
{
	struct msg_query q = { .kind = QUERY_MOVES, .n = (uint32_t)(ms / 100) };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	bool is = true;

	if (job_query(s->job, &q, ranks, ANSWER_MS, &answers, &silent, NULL))
		is = false;
	for (size_t i = 0; i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

		is &= buf_get_u8(&b) == 1 && !b.bad;
	}
	is &= !silent.n && answers.n;
	groups_clear(&answers);
	rankset_clear(&silent);
	return is;
}

/* Whether all that run have not moved for so long. */
static bool still(struct session *s, int64_t ms)
{
	return hang_still(s, job_set(s->job, JOB_RUNNING), ms);
}

/* What of a report is the same as long as nothing changes. */
static char *essence(const json_t *report)
{
	json_t *o = json_deep_copy(report), *group;
	char *text;
	size_t i;

	json_object_del(o, "seconds");
	json_array_foreach (json_object_get(o, "groups"), i, group) {
		json_object_del(group, "seconds");
	}
	text = json_dumps(o, JSON_SORT_KEYS | JSON_COMPACT);
	json_decref(o);
	return text;
}

static void show_line(struct session *s, const json_t *report)
{
	const json_t *group;
	size_t i;
	char text[200];

	json_array_foreach (out_get(report, "groups"), i, group) {
		if (!*out_str(group, "waits_for"))
			continue;
		snprintf(text, sizeof(text), "nothing has moved for %.0f s: %s in %s for %s",
			 json_real_value(out_get(report, "seconds")), out_str(group, "ranks"),
			 out_str(group, "call"), out_str(group, "waits_for"));
		out_progress(s->out, text);
		return;
	}
}

void hang_watch_reset(struct session *s)
{
	free(s->hang.reported);
	s->hang = (struct hang_state){ 0 };
}

/* "MPI_Recv at f.c:12" of the first group that can never go on, and its place. */
static char *first_stuck(const json_t *report, char *where, size_t size)
{
	const json_t *group;
	const char *file, *base;
	size_t i;

	*where = '\0';
	json_array_foreach (out_get(report, "groups"), i, group) {
		if (!json_is_true(out_get(group, "stuck")))
			continue;
		file = out_str(group, "file");
		base = strrchr(file, '/');
		if (*file)
			snprintf(where, size, "%s:%d", base ? base + 1 : file,
				 (int)out_int(group, "line"));
		return xasprintf("%s in %s", out_str(group, "ranks"), out_str(group, "call"));
	}
	return xstrdup("");
}

/* A deadlock is a finding: the first of its causes, and where the first of its ranks waits. */
static void keep_finding(struct session *s, const json_t *report)
{
	const json_t *cause = json_array_get(out_get(report, "causes"), 0);
	const struct findings_goal none = { .rank = 0 };
	struct report_finding r = { .kind = FINDING_DEADLOCK };
	struct rankset stuck = { 0 };
	struct err err = { "" };
	char where[512], *text = first_stuck(report, where, sizeof(where));
	char *ranks = xstrdup(out_str(report, "stuck") + 1); /* without its brackets */
	bool fresh = false;
	size_t n;

	ranks[strcspn(ranks, "]")] = '\0';
	r.detail = cause ? out_str(cause, "text") : text;
	if (!rankset_parse(&stuck, ranks, &err)) {
		n = findings_put(s->findings, "deadlock", strlen("deadlock"), &stuck, &r, where,
				 &none, NULL, &fresh);
		/* the report is on the screen already */
		if (fresh && *settings_text(s->set, "ErrorFile"))
			error_file_report(s, findings_get(s->findings, n));
	}
	rankset_clear(&stuck);
	free(ranks);
	free(text);
}

/* Ends the job: true. */
static bool end_job(struct session *s, enum outcome_kind outcome, const char *why)
{
	out_warning(s->out, "%s", why);
	outcome_add(s->outcome, outcome);
	job_kill(s->job, job_set(s->job, JOB_ALL), NULL);
	return true;
}

/* Nobody is there to interrupt the wait: the next line of the input can look at it. True. */
static bool stop_waiting(struct session *s, enum outcome_kind outcome)
{
	outcome_add(s->outcome, outcome);
	s->hang.left = true;
	return true;
}

void hang_watch_last(struct session *s)
{
	enum hang_verdict verdict = HANG_NO_PROGRESS;
	json_t *o;

	if (!s->job || job_attached(s->job) || s->hang.reported || s->hang.busy ||
	    !settings_number(s->set, "HANG_TIMER") || !job_set(s->job, JOB_RUNNING)->n ||
	    !still(s, LAST_MS))
		return;
	s->hang.busy = true;
	o = hang_report(s, &verdict);
	if (o && verdict == HANG_DEADLOCK) {
		s->hang.reported = essence(o);
		hang_put_calls(s, o);
		keep_finding(s, o);
		out_answer(s->out, json_incref(o));
	}
	json_decref(o);
	s->hang.busy = false;
}

/* A rank has moved while it was looked at. */
static bool has_moved(const struct session *s, const json_t *report)
{
	double timer = (double)settings_number(s->set, "HANG_TIMER");

	return json_real_value(out_get(report, "seconds")) < timer / 2;
}

static bool report(struct session *s, int64_t now)
{
	enum hang_verdict verdict = HANG_NO_PROGRESS;
	json_t *o = hang_report(s, &verdict);
	char *text = o ? essence(o) : NULL;
	int64_t limit = 1000 * (int64_t)settings_number(s->set, "HANG_LIMIT");
	bool over;

	if (!text || !watched(s) || (verdict != HANG_DEADLOCK && has_moved(s, o))) {
		json_decref(o);
		free(text);
		return false;
	}
	if (!s->hang.reported || strcmp(s->hang.reported, text)) {
		out_progress(s->out, NULL);
		hang_put_calls(s, o);
		if (verdict == HANG_DEADLOCK)
			keep_finding(s, o);
		out_answer(s->out, json_incref(o));
		free(s->hang.reported);
		s->hang.reported = text;
		text = NULL;
	}
	free(text);
	json_decref(o);
	over = limit && s->hang.since && now >= s->hang.since + limit;
	if (s->interactive || (verdict != HANG_DEADLOCK && !over))
		return false;
	if (!s->batch)
		return stop_waiting(s, verdict == HANG_DEADLOCK ? OUTCOME_DEADLOCK : OUTCOME_FAILED);
	if (verdict == HANG_DEADLOCK)
		return end_job(s, OUTCOME_DEADLOCK, "the job is ended, as a deadlock does not end by itself");
	return end_job(s, OUTCOME_FAILED, "the job is ended, as nothing has moved for HANG_LIMIT seconds");
}

void hang_look(struct session *s)
{
	int64_t timer = 1000 * (int64_t)settings_number(s->set, "HANG_TIMER");

	if (!timer || s->hang.busy || !watched(s) || !still(s, timer))
		return;
	s->hang.busy = true;
	report(s, loop_now());
	s->hang.busy = false;
}

bool hang_watch(struct session *s)
{
	int64_t timer = 1000 * (int64_t)settings_number(s->set, "HANG_TIMER"), now = loop_now();
	int64_t least = timer < LINE_MS ? timer : LINE_MS;

	if (!timer || s->hang.busy || now < s->hang.next || !watched(s))
		return false;
	s->hang.busy = true;
	s->hang.next = now + LOOK_MS;
	if (!still(s, least)) {
		if (s->hang.line)
			out_progress(s->out, NULL);
		s->hang.since = s->hang.line = s->hang.looked = 0;
	} else {
		bool over = still(s, timer), ended = false;

		if (!s->hang.since)
			s->hang.since = now - least;
		if (over && now >= s->hang.looked + LINE_MS) {
			ended = report(s, now);
			s->hang.looked = now;
		} else if (!over && now >= s->hang.line + LINE_MS && watched(s)) {
			json_t *o = hang_report(s, NULL);

			s->hang.line = now;
			if (o)
				show_line(s, o);
			json_decref(o);
		}
		s->hang.busy = false;
		return ended;
	}
	s->hang.busy = false;
	return false;
}
