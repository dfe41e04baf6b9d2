/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of a run's messages: where the ranks keep it, and whose they follow. They are given
 * both when they are started.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/job/job.h"
#include "frontend/model/session.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/util/xalloc.h"
#include "frontend/verify/internal.h"

void checker_order(struct checker *c, bool keep)
{
	c->request.order = keep;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void checker_order_in(struct checker *c, const char *keep, const char *follow)
{
	struct checker_request *w = &c->request;

	free(w->order_keep);
	free(w->order_follow);
	w->order_keep = copy(keep);
	w->order_follow = copy(follow);
	w->order_given = true;
}

/* Ranks may be started elsewhere. To be freed; NULL: there is none. */
static char *absolute(const char *dir, const char *suffix)
{
	char *here = dir && *dir != '/' ? getcwd(NULL, 0) : NULL, *path = NULL;
	size_t len = dir ? strlen(dir) : 0;

	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (dir && (here || *dir == '/'))
		path = xasprintf("%s%s%.*s%s", here ? here : "", here ? "/" : "", (int)len, dir,
				 suffix);
	free(here);
	return path;
}

void checker_order_spec(const struct checker *c, struct job_spec *spec)
{
	const struct checker_request *w = &c->request;
	char *keep = NULL, *follow = NULL;

	if (w->order_given) {
		keep = absolute(w->order_keep, "");
		follow = absolute(w->order_follow, "");
	} else if (w->compare && reference_has_order(w->compare)) {
		follow = absolute(w->compare, "");
	}
	if (w->record && w->order && !keep && !checker_drops(c))
		keep = absolute(w->record, REFERENCE_PARTIAL);
	free((char *)spec->order_keep);
	free((char *)spec->order_follow);
	spec->order_keep = keep;
	spec->order_follow = follow;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool checker_order_changed(const struct checker *c, const struct job_spec *spec)
{
	struct job_spec now = { 0 };
	bool changed;

	checker_order_spec(c, &now);
	changed = !same(now.order_keep, spec->order_keep) ||
		  !same(now.order_follow, spec->order_follow);
	free((char *)now.order_keep);
	free((char *)now.order_follow);
	return changed;
}

void checker_report_order(struct checker *c)
{
	const struct reference_info *info = reference_info(c->known);
	const char *dir = reference_dir(c->known);
	int n = job_size(c->s->job);

	if (!c->s->spec.order_follow || !info->order || !reference_has_order(dir))
		return;
	if ((int)info->ranks == n)
		out_note(c->s->out, "the order of messages that %s has is followed", dir);
	else
		out_note(c->s->out,
			 "the order of messages that %s has is of %u rank%s, and is not followed",
			 dir, info->ranks, info->ranks == 1 ? "" : "s");
}
