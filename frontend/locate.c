/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/locate.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "frontend/actionpoints.h"
#include "frontend/checker.h"
#include "frontend/locate_priv.h"
#include "frontend/loop.h"
#include "frontend/out.h"
#include "frontend/reference.h"
#include "frontend/second.h"
#include "frontend/session.h"
#include "frontend/settings.h"

void locate_note(struct locate *l, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_array_append_new(l->notes, out_json_text(text));
}

const char *locate_name(const struct mismatch *m, char *out, size_t size)
{
	const char *slash = strrchr(m->id.file, '/');

	if (*m->id.file)
		snprintf(out, size, "%s@%s:%u", m->id.name, slash ? slash + 1 : m->id.file,
			 m->id.line);
	else
		snprintf(out, size, "%s", m->id.name);
	return out;
}

/* A directory of our own for the reference. */
static int make_dir(struct locate *l, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	if (l->spec->dir) {
		l->dir = strdup(l->spec->dir);
		return l->dir ? 0 : err_set(err, "out of memory");
	}
	if (asprintf(&l->dir, "%s/dvmdbg-locate-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0) {
		l->dir = NULL;
		return err_set(err, "out of memory");
	}
	l->temporary = true;
	if (!mkdtemp(l->dir)) {
		err_set(err, "%s: %s", l->dir, strerror(errno));
		free(l->dir);
		l->dir = NULL;
		return -1;
	}
	return 0;
}

/* Removes a directory that we made, two levels deep at most. */
static void remove_dir(const char *dir, int depth)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    asprintf(&path, "%s/%s", dir, e->d_name) < 0)
			continue;
		if (unlink(path) && depth)
			remove_dir(path, depth - 1);
		free(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static void stage(struct locate *l, const char *what, int ranks)
{
	l->stage = what;
	l->runs++;
	out_note(l->s->out, "run %u: %s, %d rank%s", l->runs, what, ranks, ranks == 1 ? "" : "s");
}

/* 0 went well, 1 Ctrl-C, -1 failed: err begins with what was being done. */
static int judge_run(struct locate *l, enum run_end end, struct err *err)
{
	if (end == RUN_INTERRUPTED) {
		l->verdict = LOCATE_INTERRUPTED;
		return 1;
	}
	return end == RUN_FAILED ? err_prefix(err, "%s", l->stage) : 0;
}

static int record(struct locate *l, struct err *err)
{
	struct second *r = second_create(l->s, l->spec->ref_ranks, err);
	struct session *ref = r ? second_session(r) : NULL;
	const struct reference_info *info;
	struct reference *made;
	int rc = -1;

	stage(l, "the reference", l->spec->ref_ranks);
	if (ref && !settings_set(ref->set, "STOP_ON", "none", err) &&
	    !checker_record(ref->checker, l->dir, err) && !session_load(ref, err)) {
		rc = judge_run(l, run_to(ref, NULL, err), err);
		if (!rc && *err->text)
			locate_note(l, "the reference: %s", err->text);
		err->text[0] = '\0';
	}
	if (!rc)
		checker_over(ref->checker);
	made = rc ? NULL : checker_reference(ref->checker);
	info = made ? reference_info(made) : NULL;
	if (info) {
		l->bytes = info->bytes;
		l->points = info->points;
	} else if (!rc) {
		rc = err_set(err, "the reference could not be made");
	}
	second_destroy(r);
	return rc;
}

static int compare(struct locate *l, struct err *err)
{
	struct session *s = l->s;
	const struct compare *c;
	int rc = -1;

	stage(l, "compared with it", s->spec.n ? s->spec.n : 1);
	if (!checker_compare(s->checker, l->dir, err) && !session_load(s, err)) {
		rc = judge_run(l, run_to(s, NULL, err), err);
		if (rc >= 0 && *err->text)
			locate_note(l, "the run that was compared: %s", err->text);
	}
	c = checker_comparison(s->checker);
	if (c)
		l->state = *compare_state(c);
	l->m = c ? compare_first(c) : NULL;
	/* it died, but it had shown what is wrong before */
	if (rc < 0 && l->m) {
		locate_note(l, "%s", err->text);
		rc = 0;
	}
	if (!rc)
		l->verdict = l->m		 ? LOCATE_MISMATCH
			     : l->state.rounds	 ? LOCATE_ROUNDING
			     : l->state.arrays	 ? LOCATE_EQUAL
						 : LOCATE_BLIND;
	else if (rc > 0 && l->m)
		l->verdict = LOCATE_MISMATCH;
	return rc;
}

static int run_all(struct locate *l, struct err *err)
{
	int rc = make_dir(l, err);

	if (!rc)
		rc = record(l, err);
	if (!rc && !l->points) {
		l->verdict = LOCATE_BLIND;
		return 0;
	}
	if (!rc)
		rc = compare(l, err);
	if (rc < 0)
		return -1;
	if (l->m && !rc)
		locate_look(l);
	return 0;
}

/* Both actionpoints and STOP_ON are ours for a while. */
static int with_own_stops(struct locate *l, struct err *err)
{
	struct session *s = l->s;
	struct actionpoints *users = s->acts, *none = actionpoints_create();
	char *stop_on = strdup(settings_text(s->set, "STOP_ON"));
	int rc;

	if (!none || !stop_on) {
		actionpoints_destroy(none);
		free(stop_on);
		return err_set(err, "out of memory");
	}
	s->acts = none;
	rc = settings_set(s->set, "STOP_ON", "mismatch", err);
	if (!rc)
		rc = run_all(l, err);
	settings_set(s->set, "STOP_ON", stop_on, NULL);
	s->acts = users;
	actionpoints_destroy(none);
	free(stop_on);
	return rc;
}

int locate(struct session *s, const struct locate_spec *spec, struct err *err)
{
	struct locate l = { .s = s, .spec = spec, .begun = loop_now(), .notes = json_array() };
	json_t *answer;
	int rc;

	loop_clear_interrupt(s->loop);
	err->text[0] = '\0';
	rc = with_own_stops(&l, err);
	if (!rc) {
		answer = locate_report(&l);
		if (l.verdict == LOCATE_MISMATCH && s->status < 1)
			s->status = 1;
		out_answer(s->out, answer);
		if (s->job)
			session_send_rules(s, NULL);
	}
	locate_look_clear(&l);
	checker_compare(s->checker, NULL, NULL);
	if (l.temporary && l.dir)
		remove_dir(l.dir, 2);
	json_decref(l.notes);
	free(l.dir);
	return rc;
}
