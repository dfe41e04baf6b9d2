/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/diff/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "frontend/model/ask.h"
#include "frontend/verify/verify.h"
#include "frontend/diff/internal.h"
#include "frontend/data/fetch.h"
#include "frontend/pair/pair.h"
#include "frontend/data/pieces.h"
#include "frontend/reference/reference.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

/* The point where all ranks of who stand; false when they are at different ones. */
static bool standing_at(const struct session *s, const struct rankset *who, struct point *out)
{
	const struct groups *stops = job_stops(s->job);
	bool any = false;

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!rankset_meets(&stops->group[i].ranks, who))
			continue;
		if (report_stop_get(&r, &b) || (any && point_compare(&r.point, out) != POINT_EQUAL))
			return false;
		*out = r.point;
		any = true;
	}
	return any && out->main;
}

/* "p.x@heat.c:12" without its place. */
static void base_name(const char *name, char *out, size_t size)
{
	const char *at = strrchr(name, '@');

	snprintf(out, size, "%.*s", at ? (int)(at - name) : (int)strlen(name), name);
}

/* What locate has kept is that array: its file, to be freed. */
static char *kept_file(const struct session *s, const char *name, const struct point *point,
		       char from[DIFF_FROM])
{
	const struct session_kept *k = &s->kept;
	char kept[200];

	if (!k->file)
		return NULL;
	base_name(k->name, kept, sizeof(kept));
	if (strcmp(kept, name) || point_compare(&k->at, point) != POINT_EQUAL)
		return NULL;
	snprintf(from, DIFF_FROM, "the reference run of locate on %d rank%s", k->ranks,
		 k->ranks == 1 ? "" : "s");
	return xstrdup(k->file);
}

/* Nothing to compare with, after locate: -1 always. */
static int only_kept(const struct session_kept *k, const char *name, const char *at,
		     struct err *err)
{
	char kept[200], there[POINT_TEXT];

	base_name(k->name, kept, sizeof(kept));
	point_format(&k->at, there);
	return err_set(
		err,
		"locate kept only %s at %s of the reference. Type rerun -to %s, then diff %s. For "
		"%s at %s: record DIR -arrays %s -at %s in a run of the reference, then compare "
		"DIR in this one",
		kept, there, there, kept, name, at, name, at);
}

/* The file of the session's reference; NULL and err when it has none. */
static char *reference_file(struct session *s, const struct pieces *p, char from[DIFF_FROM],
			    struct err *err)
{
	struct reference *ref = s->checker ? checker_reference(s->checker) : NULL;
	struct point point = { 0 };
	char name[200], at[POINT_TEXT];
	char *path;

	/* that of locate, which is gone */
	if (ref && access(reference_dir(ref), F_OK))
		ref = NULL;
	base_name(p->name, name, sizeof(name));
	if (!standing_at(s, p->who, &point)) {
		err_set(err,
			"%s cannot be compared with a reference here: the ranks are not at one "
			"numbered point; -with FILE.npy compares with a file",
			name);
		return NULL;
	}
	point_format(&point, at);
	path = kept_file(s, name, &point, from);
	if (path)
		return path;
	if (!ref && s->kept.file) {
		only_kept(&s->kept, name, at, err);
		return NULL;
	}
	if (!ref) {
		err_set(err,
			"there is nothing to compare %s with: 'record DIR -arrays %s -at %s' in "
			"another run, then 'compare DIR' in this one; or give -with FILE.npy, made "
			"by 'save %s FILE.npy'",
			name, name, at, name);
		return NULL;
	}
	path = reference_array_path(ref, name, &point);
	snprintf(from, DIFF_FROM, "the reference %.500s", reference_dir(ref));
	if (!access(path, R_OK))
		return path;
	err_set(err,
		"the reference %.200s has no array %s of %s: 'record %.200s -arrays %s -at "
		"%s' saves it; or give -with FILE.npy",
		reference_dir(ref), name, at, reference_dir(ref), name, at);
	free(path);
	return NULL;
}

void *diff_reference(struct session *s, const struct pieces *p, const char *with,
		     char from[DIFF_FROM], struct err *err)
{
	char *path;
	void *values;

	if (!with && pair_both(s))
		return pair_values(s, p, from, DIFF_FROM, err);
	path = with ? xstrdup(with) : reference_file(s, p, from, err);
	if (!path)
		return NULL;
	if (with)
		snprintf(from, DIFF_FROM, "%.500s", with);
	values = diff_npy_read(path, p, err);
	free(path);
	return values;
}
