/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/hang/hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/settings/settings.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define LOOK_MS 500   /* between questions whether anything moves */
#define LINE_MS 3000  /* without movement before a line shows for whom is waited, and between two */
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

/* Whether all that run have not moved for so long. */
static bool still(struct session *s, int64_t ms)
{
	struct msg_query q = { .kind = QUERY_MOVES, .n = (uint32_t)(ms / 100) };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	bool is = true;

	if (job_query(s->job, &q, job_set(s->job, JOB_RUNNING), ANSWER_MS, &answers, &silent, NULL))
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

/* Ends the job: true. */
static bool end_job(struct session *s, const char *why)
{
	out_warning(s->out, "%s", why);
	outcome_add(s->outcome, OUTCOME_FAILED);
	job_kill(s->job, job_set(s->job, JOB_ALL), NULL);
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
		out_answer(s->out, json_incref(o));
	}
	json_decref(o);
	s->hang.busy = false;
}

static bool report(struct session *s, int64_t now)
{
	enum hang_verdict verdict = HANG_NO_PROGRESS;
	json_t *o = hang_report(s, &verdict);
	char *text = o ? essence(o) : NULL;
	int64_t limit = 1000 * (int64_t)settings_number(s->set, "HANG_LIMIT");

	if (!text || !watched(s)) {
		json_decref(o);
		free(text);
		return false;
	}
	if (!s->hang.reported || strcmp(s->hang.reported, text)) {
		out_progress(s->out, NULL);
		hang_put_calls(s, o);
		out_answer(s->out, json_incref(o));
		free(s->hang.reported);
		s->hang.reported = text;
		text = NULL;
	}
	free(text);
	json_decref(o);
	if (!s->batch)
		return false;
	if (verdict == HANG_DEADLOCK)
		return end_job(s, "the job is ended, as a deadlock does not end by itself");
	if (limit && s->hang.since && now >= s->hang.since + limit)
		return end_job(s, "the job is ended, as nothing has moved for HANG_LIMIT seconds");
	return false;
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
		s->hang.since = 0;
		if (s->hang.line)
			out_progress(s->out, NULL);
		s->hang.line = 0;
	} else {
		bool over = still(s, timer), ended = false;

		if (!s->hang.since)
			s->hang.since = now - least;
		if (over) {
			ended = report(s, now);
			s->hang.next = now + LINE_MS;
		} else if (now >= s->hang.line + LINE_MS && watched(s)) {
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
