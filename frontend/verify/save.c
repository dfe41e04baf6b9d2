/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole arrays that are written down on the way: into a reference that is made, and as the settings
 * SaveArrayFilename and SaveArrayID ask.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "common/protocol/rule.h"
#include "frontend/verify/internal.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/export/save.h"
#include "frontend/output/outcome.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

#define NAME_TEXT 600

/* Reads a text in quotes (or up to a comma or bracket) and what separates it from the next. */
static const char *read_part(const char *at, char out[NAME_TEXT])
{
	char quote = *at == '"' || *at == '\'' ? *at++ : 0;
	char ends[] = { quote ? quote : ',', quote ? quote : ')', '\0' };
	size_t len = strcspn(at, ends);

	if (len >= NAME_TEXT || (quote && at[len] != quote))
		return NULL;
	memcpy(out, at, len);
	out[len] = '\0';
	at += len + (quote != 0);
	at += strspn(at, " ");
	at += *at == ',';
	return at + strspn(at, " ");
}

/*
 * The object that an identifier names: ("u", "heat.c", 31, 0), as messages have it, gives
 * "u@heat.c:31#0"; a name stays as it is.
 */
static int name_of(const char *id, char out[NAME_TEXT], struct err *err)
{
	char part[4][NAME_TEXT];
	const char *at = id + strspn(id, " (");
	size_t n = 0;

	for (; n < 4 && *at && *at != ')'; n++) {
		at = read_part(at, part[n]);
		if (!at)
			return err_set(err, "Invalid array ID specification %s.", id);
	}
	if ((n != 1 && n != 4) || !*part[0] ||
	    (n == 4 && (strspn(part[2], "0123456789") != strlen(part[2]) || !*part[2] ||
			strspn(part[3], "0123456789") != strlen(part[3]) || !*part[3])))
		return err_set(err, "Invalid array ID specification %s.", id);
	if (n == 1 || !*part[1])
		snprintf(out, NAME_TEXT, "%s", part[0]);
	else
		snprintf(out, NAME_TEXT, "%.280s@%.280s:%.10s#%.10s", part[0], part[1], part[2],
			 part[3]);
	return 0;
}

/* The point where SaveArrayID is to be saved; main 0: none. */
static struct point save_point(const struct checker *c)
{
	const struct settings *set = c->s->set;
	struct point p = { 0 };

	if (*settings_text(set, "SaveArrayFilename") && *settings_text(set, "SaveArrayID") &&
	    *settings_text(set, "FinishPoint"))
		point_parse(&p, settings_text(set, "FinishPoint"), NULL);
	return p;
}

int checker_save_check(const struct checker *c, struct err *err)
{
	const char *id = settings_text(c->s->set, "SaveArrayID");
	char name[NAME_TEXT];

	return *id ? name_of(id, name, err) : 0;
}

/* The i-th point with an errand; false behind the last. */
static bool errand(const struct checker *c, size_t i, struct point *p)
{
	size_t n = c->made && c->request.array ? c->request.nat : 0;

	if (i < n)
		*p = c->request.at[i];
	else if (i == n)
		*p = save_point(c);
	return i <= n && p->main;
}

uint32_t checker_rules(const struct checker *c, struct rule *out)
{
	struct point p;
	uint32_t n = 0;

	for (size_t i = 0; c->begun && errand(c, i, &p); i++)
		out[n++] = (struct rule){ .id = CHECKER_RULE_ID, .kind = RULE_POINT, .point = p };
	return n;
}

/* Saves it and says so, in the documents' words; as: the path that is reported. */
static void save(struct checker *c, const char *name, const char *id, const char *path,
		 const char *as, const struct point *p, const struct rankset *who)
{
	char at[POINT_TEXT];
	struct err err = { "" };
	struct saved saved;

	point_format(p, at);
	if (save_array(c->s, name, NULL, who, path, &saved, &err)) {
		if (err.code == ERR_NAME)
			out_warning(c->s->out, "Array %s was not found at the point %s: %s", id, at,
				    err.text);
		else if (err.code == ERR_FILE)
			out_warning(c->s->out, "Can't open file %s for writing: %s", as, err.text);
		else
			out_warning(c->s->out,
				    "An error occurred during saving array %s to file %s at the "
				    "point %s: %s",
				    id, as, at, err.text);
		outcome_incomplete(c->s->outcome, "array %s was not saved at %s", id, at);
	} else {
		out_note(c->s->out,
			 "Array %s has been successfully saved to file %s at the point %s", id, as,
			 at);
	}
}

/* Where the file will be when the reference is finished; to be freed. */
static char *final_path(const struct checker *c, const char *path)
{
	static const char suffix[] = ".partial";
	const char *dir = reference_dir(c->made), *file = strrchr(path, '/');
	size_t len = strlen(dir);

	if (len > strlen(suffix) && !strcmp(dir + len - strlen(suffix), suffix))
		len -= strlen(suffix);
	return xasprintf("%.*s/arrays%s", (int)len, dir, file ? file : path);
}

/* The name without "@file:line", which the reference's files go by. */
static void save_for_reference(struct checker *c, const struct point *p, const struct rankset *who)
{
	for (size_t i = 0; c->request.array[i]; i++) {
		const char *name = c->request.array[i], *at = strrchr(name, '@');
		char *base = xstrndup(name, at ? (size_t)(at - name) : strlen(name));
		char *path = reference_array_path(c->made, base, p);

		char *as = path ? final_path(c, path) : NULL;

		if (as)
			save(c, name, name, path, as, p, who);
		free(base);
		free(path);
		free(as);
	}
}

static bool equal(const struct point *a, const struct point *b)
{
	return b->main && point_compare(a, b) == POINT_EQUAL;
}

/* All errands at p are done. */
static void note_done(struct checker *c, const struct point *p)
{
	struct point x;

	for (size_t i = 0; errand(c, i, &x); i++)
		if (equal(p, &x))
			c->errands |= 1u << i;
}

void checker_save_over(struct checker *c)
{
	char at[POINT_TEXT];
	struct point p;

	for (size_t i = 0; errand(c, i, &p); i++) {
		if (c->errands >> i & 1)
			continue;
		checker_incomplete(c, "the run did not reach %s, where arrays were to be saved",
				   point_format(&p, at));
	}
}

/* What is to be done at p, where who stand. True: there was something. */
static bool run_errands(struct checker *c, const struct point *p, const struct rankset *who)
{
	const char *id = settings_text(c->s->set, "SaveArrayID");
	struct point own = save_point(c);
	char name[NAME_TEXT];
	bool done = false;

	for (size_t i = 0; c->made && c->request.array && i < c->request.nat && !done; i++) {
		if (!equal(p, &c->request.at[i]))
			continue;
		save_for_reference(c, p, who);
		note_done(c, p);
		done = true;
	}
	if (equal(p, &own) && !name_of(id, name, NULL)) {
		const char *path = settings_text(c->s->set, "SaveArrayFilename");

		save(c, name, id, path, path, p, who);
		note_done(c, p);
		done = true;
	}
	return done;
}

bool checker_saves_mismatch(const struct checker *c)
{
	return c->request.compare && !c->array_saved &&
	       *settings_text(c->s->set, "SaveArrayFilename") &&
	       !*settings_text(c->s->set, "SaveArrayID");
}

/* The array that has just been found to differ, into SaveArrayFilename. */
static void save_mismatch(struct checker *c, const struct point *p, const struct rankset *who)
{
	const char *path = settings_text(c->s->set, "SaveArrayFilename");
	const struct mismatch *m = NULL;
	char id[NAME_TEXT], name[NAME_TEXT];

	if (!*path || c->array_saved || !c->known)
		return;
	for (size_t i = 0; i < compare_count(c->compare) && !m; i++)
		if (compare_mismatch(c->compare, i)->id.name)
			m = compare_mismatch(c->compare, i);
	if (!m || name_of(sums_array_id(&m->id, id, sizeof(id)), name, NULL))
		return;
	c->array_saved = true;
	save(c, name, id, path, path, p, who);
}

/* What the members of who that have stopped have in common. */
struct stand {
	struct point point;
	bool same; /* all are there */
	bool ours; /* by a rule of ours, … */
	bool only; /* … and for nothing else */
	bool mismatch;
};

/* Whether a mismatch stops the ranks for us alone, to save the array. */
static bool is_our_mismatch(const struct checker *c, unsigned reason)
{
	return reason == STOP_MISMATCH && !c->tap &&
	       *settings_text(c->s->set, "SaveArrayFilename") &&
	       !checker_setting_is(c, "STOP_ON", "mismatch");
}

static struct stand stand_of(const struct checker *c, const struct rankset *who)
{
	const struct groups *stops = job_stops(c->s->job);
	struct stand st = { .only = true };
	bool any = false;

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!rankset_meets(&stops->group[i].ranks, who) || report_stop_get(&r, &b))
			continue;
		st.same = (!any || st.same) && (!any || equal(&r.point, &st.point));
		st.same = any ? st.same : r.point.main != 0;
		st.point = r.point;
		any = true;
		st.mismatch |= r.reason == STOP_MISMATCH;
		st.ours |= is_our_mismatch(c, r.reason);
		st.only &= r.reason == STOP_POINT || is_our_mismatch(c, r.reason);
		for (unsigned k = 0; k < r.nact; k++) {
			st.ours |= r.act[k] == CHECKER_RULE_ID;
			st.only &= r.act[k] == CHECKER_RULE_ID;
		}
	}
	return st;
}

bool checker_saved(struct checker *c, const struct rankset *who)
{
	struct job *j = c->s->job;
	const struct plan *plan;
	struct stand st;
	struct err err = { "" };

	if (!c->begun || !j || !rankset_covers(job_set(j, JOB_STOPPED), who))
		return false;
	st = stand_of(c, who);
	if (!st.same)
		return false;
	if (st.mismatch) {
		save_mismatch(c, &st.point, who);
		checker_changed(c, NULL); /* no rank has to wait for another mismatch */
	}
	if (!st.ours || (!run_errands(c, &st.point, who) && !st.mismatch) || !st.only)
		return false;
	plan = job_plan(j, (uint32_t)rankset_next(who, 0));
	if (!plan || (plan->mode != PLAN_CONT && plan->mode != PLAN_TO))
		return false;
	if (job_go(j, who, plan->mode, plan->n, &plan->target, &err)) {
		out_warning(c->s->out, "%s", err.text);
		return false;
	}
	return true;
}
