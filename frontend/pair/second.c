/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair/pair.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "frontend/verify/verify.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/words.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define OUTPUT_KEPT 2000 /* bytes of what the program has printed */
#define TICK_MS 200
#define OUTPUT_MS 200

/* The last of what was written to a stream. */
struct tail {
	FILE *f; /* owned */
	size_t len;
	char text[OUTPUT_KEPT + 1];
};

struct second {
	struct session *session;
	struct out *out;
	FILE *sink;
	struct tail output, warnings;
	struct second *next; /* of those that leave */
};

/* Keeps what fits, from the beginning of a line. */
static ssize_t tail_write(void *arg, const char *text, size_t len)
{
	struct tail *t = arg;
	size_t n = len > OUTPUT_KEPT ? OUTPUT_KEPT : len;
	size_t drop = t->len + n > OUTPUT_KEPT ? t->len + n - OUTPUT_KEPT : 0;
	char *line;

	memmove(t->text, t->text + drop, t->len - drop);
	memcpy(t->text + t->len - drop, text + len - n, n);
	t->len = t->len - drop + n;
	t->text[t->len] = '\0';
	line = drop ? strchr(t->text, '\n') : NULL;
	if (line && line[1]) {
		t->len -= (size_t)(line + 1 - t->text);
		memmove(t->text, line + 1, t->len + 1);
	}
	return (ssize_t)len;
}

static int tail_open(struct tail *t)
{
	t->f = fopencookie(t, "w", (cookie_io_functions_t){ .write = tail_write });
	return t->f ? 0 : -1;
}

static void tail_close(struct tail *t)
{
	if (t->f)
		fclose(t->f);
}

const char *second_output(struct second *r)
{
	int64_t until = loop_now() + OUTPUT_MS;

	/* it may be on its way through the launcher */
	while (loop_now() < until && !loop_interrupted(r->session->loop))
		loop_turn(r->session->loop, (int)(until - loop_now()));
	fflush(r->output.f);
	return r->output.text;
}

const char *second_warnings(struct second *r)
{
	fflush(r->warnings.f);
	return r->warnings.text;
}

static void copy_settings(struct settings *to, const struct settings *from)
{
	const char *name;

	for (size_t i = 0; (name = settings_name(i)); i++)
		settings_set(to, name, settings_text(from, name), NULL);
	settings_set(to, "ON_EXIT", "kill", NULL);
	settings_set(to, "SaveArrayFilename", "", NULL);
}

struct second *second_create(struct session *s, int n, char *const *argv, struct err *err)
{
	struct second *r = xcalloc(1, sizeof(*r));

	second_reap(s, false);
	r->sink = fopen("/dev/null", "we");
	if (r->sink && !tail_open(&r->output) && !tail_open(&r->warnings))
		r->out = out_create(r->sink, false);
	r->session = r->out ? session_create(s->loop, r->out) : NULL;
	if (!r->session) {
		second_destroy(r);
		if (!*err->text)
			err_set(err, "a second run: its output cannot be kept: %s",
				strerror(errno));
		return NULL;
	}
	out_set_errors(r->out, r->warnings.f, "");
	out_set_program(r->out, r->output.f, r->output.f);
	r->session->unheard = true;
	copy_settings(r->session->set, s->set);
	r->session->spec = (struct job_spec){
		.n = n,
		.argv = words_list_copy(argv ? argv : s->spec.argv),
		.launcher = xstrdup(s->spec.launcher),
		.transport = xstrdup(s->spec.transport),
		.input = xstrdup(s->spec.input),
		.threads = s->spec.threads,
	};
	r->session->marks_file = xstrdup(s->marks_file);
	return r;
}

void second_destroy(struct second *r)
{
	if (!r)
		return;
	session_destroy(r->session);
	out_destroy(r->out);
	tail_close(&r->output);
	tail_close(&r->warnings);
	if (r->sink)
		fclose(r->sink);
	free(r);
}

static void reap_all(struct session *s)
{
	second_reap(s, true);
}

static const struct session_hooks hooks = { .closed = reap_all };

void second_retire(struct session *s, struct second *r)
{
	if (!r)
		return;
	if (r->session->job)
		job_end(r->session->job);
	session_hook(s, &hooks);
	r->next = s->leaving;
	s->leaving = r;
	second_reap(s, false);
}

void second_reap(struct session *s, bool all)
{
	struct second **at = &s->leaving;

	while (*at) {
		struct second *r = *at;

		if (all || !r->session->job || job_gone(r->session->job)) {
			*at = r->next;
			second_destroy(r);
		} else {
			at = &r->next;
		}
	}
}

struct session *second_session(const struct second *r)
{
	return r->session;
}

/* Whether all ranks that stand have passed exactly p. */
static bool all_at(const struct job *j, const struct point *p)
{
	const struct groups *stops = job_stops(j);
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

static const char *after(const struct point *p, char out[POINT_TEXT + 8])
{
	char text[POINT_TEXT];

	if (!p->main)
		return strcpy(out, "before any point");
	snprintf(out, POINT_TEXT + 8, "after %s", point_format(p, text));
	return out;
}

static const char *signal_name(int sig, char out[32])
{
	const char *name = sigabbrev_np(sig);

	snprintf(out, 32, name ? "SIG%s" : "signal %s%d", name ? name : "", sig);
	return out;
}

/* "[1] was stopped by SIGSEGV after 5.E", from ranks that stand at an error. */
static int why_stopped(const struct job *j, struct err *err)
{
	const struct groups *stops = job_stops(j);
	char ranks[128], point[POINT_TEXT + 8], name[32];

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b) || !stop_is_end(r.reason))
			continue;
		rankset_format(&stops->group[i].ranks, ranks, sizeof(ranks));
		after(&r.point, point);
		if (r.reason == STOP_SIGNAL)
			return err_set(err, "%s was stopped by %s %s", ranks,
				       signal_name(r.code, name), point);
		return err_set(err, "%s called MPI_Abort with code %d %s", ranks, r.code, point);
	}
	return 0;
}

/* "[3] was killed by SIGKILL after 5.B", from the ends of ranks. */
static int why_ended(const struct job *j, struct err *err)
{
	const struct groups *exits = job_exits(j);
	char ranks[128], point[POINT_TEXT + 8], name[32];

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) || (r.how == EXIT_CODE && !r.code && !r.aborted))
			continue;
		rankset_format(&exits->group[i].ranks, ranks, sizeof(ranks));
		after(&r.point, point);
		if (r.aborted)
			return err_set(err, "%s called MPI_Abort with code %d %s", ranks,
				       r.abort_code, point);
		if (r.how == EXIT_SIGNAL)
			return err_set(err, "%s was killed by %s %s", ranks,
				       signal_name(r.code, name), point);
		if (r.how == EXIT_NOEXEC)
			return err_set(err, "%s could not be started: %s", ranks, strerror(r.code));
		return err_set(err, "%s exited with code %d %s", ranks, r.code, point);
	}
	return 0;
}

/* "[0] exited with code 0 without MPI_Finalize, the others had not ended". */
static int why_left(const struct job *j, struct err *err)
{
	struct rankset left = { 0 };
	char ranks[128];

	if (!session_left_others(j, &left))
		return 0;
	rankset_format(&left, ranks, sizeof(ranks));
	rankset_clear(&left);
	return err_set(err, "%s exited with code 0 without MPI_Finalize; others had not ended",
		       ranks);
}

/* -1 and err: something is wrong with ranks. */
static int why_failed(const struct job *j, struct err *err)
{
	char ranks[128];

	if (why_stopped(j, err) || why_ended(j, err) || why_left(j, err))
		return -1;
	if (job_set(j, JOB_LOST)->n && rankset_equal(job_set(j, JOB_LOST), job_set(j, JOB_ALL)))
		return err_set(err,
			       "the launcher ended all ranks, as it does after an error inside "
			       "MPI; the program's output says which");
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
	err_set(err, "%s stopped%s%s, %s did not arrive", stands, p ? " at " : "",
		p ? point_format(p, text) : "", runs);
	return p ? RUN_STUCK : RUN_FAILED;
}

/* A point has come, or none for too long. */
static void watch(void *arg)
{
	struct run_watch *w = arg;
	uint64_t points = checker_points(w->s->checker);
	int64_t now = loop_now();

	if (now - w->since > w->longest_ms)
		w->longest_ms = now - w->since;
	if (points != w->points) {
		w->points = points;
		w->since = now;
	} else if (w->quiet_ms && now - w->since > w->quiet_ms && !w->hung) {
		w->hung = true;
		loop_interrupt(w->s->loop);
	}
	if (w->tick)
		w->tick(w->arg, w->s);
	if (w->enough && !w->hung) {
		w->hung = true;
		loop_interrupt(w->s->loop);
	}
	loop_at(w->s->loop, now + TICK_MS, watch, w);
}

/* session_wait, watched. */
static enum stop_verdict wait_for(struct session *s, const struct rankset *who, struct run_watch *w)
{
	enum stop_verdict verdict;

	if (!w)
		return session_wait(s, who);
	w->s = s;
	w->hung = false;
	w->points = checker_points(s->checker);
	w->since = loop_now();
	loop_at(s->loop, w->since + TICK_MS, watch, w);
	verdict = session_wait(s, who);
	loop_cancel(s->loop, watch, w);
	return verdict;
}

static enum run_end hung(const struct run_watch *w, struct err *err)
{
	if (w->enough)
		err_set(err, "given up, as %s", w->enough);
	else
		err_set(err, "given up, as no point was passed for %.0f s",
			(double)(loop_now() - w->since) / 1000);
	return RUN_FAILED;
}

enum run_end second_run_to(struct session *s, const struct point *p, struct run_watch *w,
			   struct err *err)
{
	struct rankset all = { 0 };
	enum stop_verdict verdict;
	char text[POINT_TEXT];

	xrankset_copy(&all, job_set(s->job, JOB_ALL));
	if (job_go(s->job, &all, p ? PLAN_TO : PLAN_CONT, 0, p, err)) {
		rankset_clear(&all);
		return RUN_FAILED;
	}
	verdict = wait_for(s, &all, w);
	rankset_clear(&all);
	if (w && w->hung)
		return hung(w, err);
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
