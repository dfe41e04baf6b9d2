/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/action/action.h"
#include "frontend/locate/locate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/export/save.h"
#include "frontend/hang/hang.h"
#include "frontend/job/job.h"
#include "frontend/model/actionpoints.h"
#include "frontend/model/findings.h"
#include "frontend/output/outcome.h"
#include "frontend/verify/verify.h"
#include "frontend/locate/internal.h"
#include "frontend/util/loop.h"
#include "frontend/util/private_dir.h"
#include "frontend/output/text.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/reference/reference.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

#define SAID_LINES 6	/* of a program that failed */
#define MOST_KEPT ((uint64_t)1 << 26) /* elements */

void locate_note(struct locate *l, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	json_array_append_new(l->notes, out_json_text(text));
	free(text);
}

const char *locate_size(const struct locate *l, char out[LOCATE_SIZE])
{
	int n = snprintf(out, LOCATE_SIZE, "%d rank%s", l->stage_ranks,
			 l->stage_ranks == 1 ? "" : "s");

	if (l->stage_threads)
		snprintf(out + n, LOCATE_SIZE - (size_t)n, ", %d thread%s", l->stage_threads,
			 l->stage_threads == 1 ? "" : "s");
	return out;
}

bool locate_varies(const struct locate *l)
{
	if (l->race_explains)
		return false;
	return l->now_again == AGAIN_OTHER || l->ref_again == AGAIN_OTHER || l->raced;
}

const char *locate_name(const struct mismatch *m, char *out, size_t size)
{
	const char *slash = strrchr(m->id.file, '/');

	if (*m->id.file)
		snprintf(out, size, "%s@%s:%u#%u", m->id.name, slash ? slash + 1 : m->id.file,
			 m->id.line, m->id.counter);
	else
		snprintf(out, size, "%s", m->id.name);
	return out;
}

const char *locate_thing(const struct locate *l, const struct trace_thing *t,
			 char out[LOCATE_TEXT])
{
	const char *slash = t->file ? strrchr(t->file, '/') : NULL;
	size_t n = strlen(trace_thing_text(t, out, LOCATE_TEXT));

	if (t->what != TRACE_WHAT_ARRAY || !t->file || !*t->file || !locate_has_others(l, t->name))
		return out;
	n += (size_t)snprintf(out + n, LOCATE_TEXT - n, " of %s@%s:%u", t->name,
			      slash ? slash + 1 : t->file, t->line);
	if (t->counter && n < LOCATE_TEXT)
		snprintf(out + n, LOCATE_TEXT - n, "#%u", t->counter);
	return out;
}

bool locate_add_name(struct checker_only *only, const char *name)
{
	for (unsigned i = 0; i < only->nname && i < TRACE_CONFIG_NAMES; i++)
		if (!strcmp(only->name[i], name))
			return true;
	if (only->nname >= TRACE_CONFIG_NAMES || strlen(name) >= TRACE_CONFIG_NAME)
		return false;
	strcpy(only->name[only->nname++], name);
	return true;
}

char *locate_temporary(int *lock, struct err *err)
{
	char *dir;

	*lock = private_dir_temporary(&dir);
	if (*lock >= 0)
		return dir;
	err_set(err,
		"the reference cannot be stored: %s: %s; name another place with -o DIR or "
		"TMPDIR",
		dir, strerror(errno));
	free(dir);
	return NULL;
}

/* Where the reference is, or will be: a directory of our own when none is named. */
static int make_dir(struct locate *l, struct err *err)
{
	const char *given = l->spec->with ? l->spec->with : l->spec->dir;

	if (given) {
		l->dir = xstrdup(given);
		return 0;
	}
	l->top = locate_temporary(&l->lock, err);
	if (!l->top)
		return -1;
	l->dir = xasprintf("%s/ref", l->top);
	return 0;
}

void locate_remove(const char *dir, int lock)
{
	private_dir_scratch_remove(dir);
	close(lock);
}

void locate_keep(struct locate *l, struct session *r)
{
	struct session_kept *k = &l->s->kept;
	uint64_t total = 1;
	struct saved saved;
	char name[400];

	for (unsigned d = 0; d < l->m->plan.ndim; d++)
		total *= (uint64_t)l->m->plan.extent[d];
	if (!l->spec->keep || !l->m->plan.ndim || total > MOST_KEPT)
		return;
	session_keep_nothing(l->s);
	k->dir = locate_temporary(&k->lock, NULL);
	if (!k->dir)
		return;
	k->name = xstrdup(locate_name(l->m, name, sizeof(name)));
	k->file = xasprintf("%s/array.npy", k->dir);
	k->at = l->m->point;
	k->ranks = job_size(r->job);
	k->number++;
	if (save_array(r, k->name, NULL, job_set(r->job, JOB_ALL), k->file, &saved, NULL))
		session_keep_nothing(l->s);
}

/* ---- why a run has failed ---- */

/* The last lines of what the program of r has printed become a note. */
void locate_note_output(struct locate *l, struct second *r)
{
	const char *text = second_output(r), *from;
	size_t len = strlen(text);
	int lines = 0;

	while (len && text[len - 1] == '\n')
		len--;
	for (from = text + len; from > text; from--)
		if (from[-1] == '\n' && ++lines == SAID_LINES)
			break;
	if (len)
		locate_note(l, "its output: %.*s", (int)(text + len - from), from);
}

/* Warnings of the run that nobody has seen become notes. */
void locate_note_warnings(struct locate *l, struct second *r)
{
	const char *line = second_warnings(r), *word = "warning: ";

	while (*line) {
		size_t len = strcspn(line, "\n");

		if (!strncmp(line, word, strlen(word)))
			locate_note(l, "%s: %.*s", l->stage, (int)(len - strlen(word)),
				    line + strlen(word));
		line += len + (line[len] == '\n');
	}
}

/* What the ranks of a run that failed are doing, among the answers of the session. */
void locate_show_ranks(struct locate *l, struct session *s, bool hung)
{
	struct out *own = s->out;
	json_t *waits;

	if (!s->job)
		return;
	s->out = l->s->out;
	session_show_stop(s, job_set(s->job, JOB_ALL), hung ? VERDICT_PARTIAL : VERDICT_BAD);
	s->out = own;
	waits = hung ? hang_report(s, NULL) : NULL;
	if (waits)
		out_answer(l->s->out, waits);
}

json_t *locate_finding(const struct session *s, enum finding_kind kind)
{
	json_t *all = findings_list(s->findings, false), *f, *found = NULL;
	size_t i;

	json_array_foreach(json_object_get(all, "list"), i, f)
	{
		const char *key = json_string_value(json_object_get(f, "kind"));

		if (!found && key && !strcmp(key, finding_kind_key(kind)) &&
		    json_object_get(f, "detail"))
			found = json_incref(f);
	}
	json_decref(all);
	return found;
}

/* The error inside MPI that ended the run of s, in words; to be freed. NULL: there was none. */
static char *mpi_error(const struct session *s)
{
	json_t *f = locate_finding(s, FINDING_MPI);
	const char *text = json_string_value(json_object_get(f, "detail"));
	const char *place = json_string_value(json_object_get(f, "place"));
	const char *point = json_string_value(json_object_get(f, "point"));
	const char *ranks = json_string_value(json_object_get(f, "ranks"));
	size_t call = text && !strncmp(text, "MPI_", 4) ? strcspn(text, ":") : 0;
	char *out = NULL;

	if (text)
		out = xasprintf("%.*s failed on %s%s%s%s%s: %s", call ? (int)call : 13,
				call ? text : "a call of MPI", ranks ? ranks : "?",
				place && strcmp(place, "?") ? " at " : "",
				place && strcmp(place, "?") ? place : "", point ? ", after " : "",
				point ? point : "", call ? text + call + 2 : text);
	json_decref(f);
	return out;
}

/* The run of s has failed: why, the first time. */
void locate_fail(struct locate *l, const struct session *s, const char *why)
{
	char *mpi = mpi_error(s), size[LOCATE_SIZE];

	if (!l->failure)
		l->failure = xasprintf("%s, %s: %s", l->stage, locate_size(l, size),
				       mpi ? mpi : why);
	free(mpi);
}

/* The run of s has come to a deadlock, which has ended it: that is why it failed. */
bool locate_failed_stuck(struct locate *l, const struct session *s)
{
	json_t *f = locate_finding(s, FINDING_DEADLOCK);
	const char *ranks = json_string_value(json_object_get(f, "ranks"));
	const char *text = json_string_value(json_object_get(f, "detail"));
	const char *place = json_string_value(json_object_get(f, "place"));
	char *why;

	if (!f)
		return false;
	why = xasprintf("%s can never go on: %s%s%s", ranks ? ranks : "?", text ? text : "?",
			place && *place ? ", at " : "", place ? place : "");
	locate_fail(l, s, why);
	free(why);
	json_decref(f);
	return true;
}

/* ---- the whole ---- */

/* By its name alone, where that is enough. */
static void name_kept(struct locate *l)
{
	struct session_kept *k = &l->s->kept;

	if (!k->name || l->ambiguous)
		return;
	free(k->name);
	k->name = xstrdup(l->m->id.name);
}

static void grade(struct locate *l)
{
	if (l->parted)
		l->verdict = LOCATE_PARTED;
	else if (l->m)
		l->verdict = LOCATE_MISMATCH;
	else if (l->interrupted)
		l->verdict = LOCATE_INTERRUPTED;
	else if (l->traced)
		l->verdict = LOCATE_TRACED;
	else if (l->failure)
		l->verdict = LOCATE_FAILED;
	else if (l->bare)
		l->verdict = LOCATE_EQUAL;
	else if ((l->state.arrays || l->spec->threads) && locate_printed(l))
		l->verdict = LOCATE_PRINTED;
	else if (!l->state.arrays)
		l->verdict = LOCATE_BLIND;
	else
		l->verdict = l->state.rounds ? LOCATE_ROUNDING : LOCATE_EQUAL;
}

/* What is said of arrays that are not where their marks say is no proof. */
static void doubt_marks(struct locate *l)
{
	json_t *f = l->s->marks_file ? locate_finding(l->s, FINDING_REGISTER) : NULL;

	if (!f)
		return;
	l->halo.sure = false;
	if (l->because && l->grade == SLICE_PROVED) {
		l->grade = SLICE_POSSIBLE;
		locate_note(l, "no cause is sure, as marks are wrong: %s", out_str(f, "detail"));
	}
	json_decref(f);
}

static int run_all(struct locate *l, struct err *err)
{
	int rc = make_dir(l, err);

	if (!rc && !l->spec->with)
		locate_stale_reads(l);
	if (!rc && !l->interrupted)
		rc = locate_reference(l, err);
	if (!rc && l->bare)
		rc = locate_compare_trace(l, err);
	else if (!rc && (l->points || l->spec->threads))
		rc = locate_compare(l, err);
	if (rc < 0)
		return -1;
	if (l->points && !l->bare && !l->interrupted)
		locate_look_parted(l);
	if (!l->interrupted && !l->bare)
		locate_look_early(l);
	if (l->m && !l->interrupted)
		locate_inspect(l);
	name_kept(l);
	if (l->m && !l->interrupted)
		locate_trace(l);
	doubt_marks(l);
	locate_take_early(l);
	locate_look_races(l);
	grade(l);
	if (l->verdict == LOCATE_PRINTED)
		locate_trace_printed(l);
	return 0;
}

/* Both actionpoints and STOP_ON are ours for a while. */
static int with_own_stops(struct locate *l, struct err *err)
{
	struct session *s = l->s;
	struct actionpoints *users = s->acts, *none = actionpoints_create();
	char *stop_on = xstrdup(settings_text(s->set, "STOP_ON"));
	int rc;

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

/* What counts for the exit status. */
static void set_status(struct session *s, enum locate_verdict verdict)
{
	if (verdict == LOCATE_MISMATCH || verdict == LOCATE_PRINTED || verdict == LOCATE_PARTED ||
	    verdict == LOCATE_TRACED)
		outcome_add(s->outcome, OUTCOME_FINDINGS);
	else if (verdict == LOCATE_FAILED)
		outcome_add(s->outcome, OUTCOME_FAILED);
	else if (verdict == LOCATE_INTERRUPTED)
		outcome_add(s->outcome, OUTCOME_ERROR);
	else if (verdict == LOCATE_BLIND)
		outcome_add(s->outcome, OUTCOME_INCOMPLETE);
}

int locate(struct session *s, const struct locate_spec *spec, struct err *err)
{
	struct locate l = { .s = s,
			    .spec = spec,
			    .begun = loop_now(),
			    .ref_ranks = spec->ref_ranks,
			    .annotated = true,
			    .notes = json_array() };
	struct checker_request *aside = checker_put_aside(s->checker);
	int rc;

	session_keep_nothing(s);
	loop_clear_interrupt(s->loop);
	err->text[0] = '\0';
	pair_end(s);
	if (spec->threads)
		s->spec.threads = spec->threads;
	rc = with_own_stops(&l, err);
	out_progress(s->out, NULL);
	if (!rc) {
		if (l.stale_read && locate_harmless(&l))
			locate_note(&l, "%s: nothing that was compared depends on it",
				    out_str(l.stale_read, "text"));
		/* what was doubted before there was a reference is right */
		if (locate_harmless(&l))
			l.nshifted = 0;
		set_status(s, l.verdict);
		if ((l.stale_read && !locate_harmless(&l)) || l.nshifted || l.nraces)
			outcome_add(s->outcome, OUTCOME_FINDINGS);
		out_answer(s->out, locate_report(&l));
		outcome_report(s->outcome, s->out, "compared");
		if (s->job)
			action_send(s);
	}
	locate_look_clear(&l);
	checker_compare(s->checker, NULL);
	checker_trace_only(s->checker, NULL);
	checker_restore(s->checker, aside);
	reference_destroy(l.ref);
	if (l.top)
		locate_remove(l.top, l.lock);
	free(l.top);
	if (l.order_dir)
		locate_remove(l.order_dir, l.order_lock);
	free(l.order_dir);
	json_decref(l.notes);
	json_decref(l.stale_read);
	json_decref(l.parted);
	json_decref(l.traced);
	json_decref(l.races);
	free(l.failure);
	free(l.set_by);
	free(l.ref_path);
	free(l.dir);
	return rc;
}
