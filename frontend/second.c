/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/second.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/err.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/settings.h"

struct second {
	struct session *session;
	struct out *out;
	FILE *sink;
};

static char **copy_argv(char *const *argv)
{
	size_t n = 0;
	char **copy;

	while (argv[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++)
		copy[i] = strdup(argv[i]);
	return copy;
}

static void copy_settings(struct settings *to, const struct settings *from)
{
	const char *name;

	for (size_t i = 0; (name = settings_name(i)); i++)
		settings_set(to, name, settings_text(from, name), NULL);
	settings_set(to, "ON_EXIT", "kill", NULL);
}

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

struct second *second_create(struct session *s, int n, struct err *err)
{
	struct second *r = calloc(1, sizeof(*r));

	if (!r) {
		err_set(err, "out of memory");
		return NULL;
	}
	r->sink = fopen("/dev/null", "we");
	r->out = r->sink ? out_create(r->sink, true) : NULL;
	r->session = r->out ? session_create(s->loop, r->out, err) : NULL;
	if (!r->session) {
		second_destroy(r);
		err_set(err, "out of memory");
		return NULL;
	}
	out_set_errors(r->out, r->sink, "");
	copy_settings(r->session->set, s->set);
	r->session->spec = (struct job_spec){
		.n = n,
		.argv = copy_argv(s->spec.argv),
		.launcher = copy_text(s->spec.launcher),
		.transport = copy_text(s->spec.transport),
		.input = copy_text(s->spec.input),
	};
	return r;
}

void second_destroy(struct second *r)
{
	if (!r)
		return;
	session_destroy(r->session);
	out_destroy(r->out);
	if (r->sink)
		fclose(r->sink);
	free(r);
}

struct session *second_session(const struct second *r)
{
	return r->session;
}

/* Whether all ranks that stand have passed exactly p. */
static bool all_at(const struct job *j, const struct point *p)
{
	const struct differ *stops = job_stops(j);
	bool some = false;

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b))
			return false;
		/* those in other tasks of the region, or outside, wait at its end */
		if (point_compare(&r.point, p) != POINT_EQUAL && !(p->task || p->sub))
			return false;
		some = true;
	}
	return some && rankset_equal(job_set(j, JOB_STOPPED), job_set(j, JOB_ALL));
}

/* "[3] was killed by SIGSEGV at 5.B", from the ends of ranks. */
static int why_failed(const struct job *j, struct err *err)
{
	const struct differ *exits = job_exits(j);
	char ranks[128], point[POINT_TEXT];

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) || (r.how == EXIT_CODE && !r.code && !r.aborted))
			continue;
		rankset_format(&exits->group[i].ranks, ranks, sizeof(ranks));
		point_format(&r.point, point);
		if (r.how == EXIT_SIGNAL)
			return err_set(err, "%s ended by signal %d (%s) after %s", ranks, r.code,
				       strsignal(r.code), point);
		if (r.how == EXIT_NOEXEC)
			return err_set(err, "%s could not be started: %s", ranks,
				       strerror(r.code));
		return err_set(err, "%s ended with exit code %d after %s", ranks, r.code, point);
	}
	if (job_set(j, JOB_LOST)->n)
		return err_set(err, "the supervisor of %s is gone",
			       rankset_format(job_set(j, JOB_LOST), ranks, sizeof(ranks)));
	if (job_set(j, JOB_BAD)->n)
		return err_set(err, "%s stopped at an error",
			       rankset_format(job_set(j, JOB_BAD), ranks, sizeof(ranks)));
	return 0;
}

/* Ranks that neither stopped nor ended in time. */
static enum run_end stuck(const struct job *j, const struct point *p, struct err *err)
{
	char text[POINT_TEXT], stands[128], runs[128];

	rankset_format(job_set(j, JOB_STOPPED), stands, sizeof(stands));
	rankset_format(job_set(j, JOB_RUNNING), runs, sizeof(runs));
	err_set(err, "%s stand%s%s, but %s do not arrive", stands, p ? " at " : "",
		p ? point_format(p, text) : "", runs);
	return RUN_FAILED;
}

enum run_end run_to(struct session *s, const struct point *p, struct err *err)
{
	struct rankset all = { 0 };
	enum stop_verdict verdict;
	char text[POINT_TEXT];

	if (rankset_copy(&all, job_set(s->job, JOB_ALL))) {
		err_set(err, "out of memory");
		return RUN_FAILED;
	}
	if (job_go(s->job, &all, p ? PLAN_TO : PLAN_CONT, 0, p, err)) {
		rankset_clear(&all);
		return RUN_FAILED;
	}
	verdict = session_wait(s, &all);
	rankset_clear(&all);
	if (verdict == VERDICT_INTERRUPT)
		return RUN_INTERRUPTED;
	if (why_failed(s->job, err))
		return p || verdict != VERDICT_OVER || job_set(s->job, JOB_BAD)->n ? RUN_FAILED
										   : RUN_OVER;
	if (verdict == VERDICT_OVER) {
		if (!p)
			return RUN_OVER;
		err_set(err, "it ended before %s", point_format(p, text));
		return RUN_FAILED;
	}
	if (verdict == VERDICT_PARTIAL)
		return stuck(s->job, p, err);
	return p && all_at(s->job, p) ? RUN_THERE : RUN_HELD;
}
