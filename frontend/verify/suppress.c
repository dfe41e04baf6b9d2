/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings of dynamic control that are not to be reported: a file of lines "KIND PLACE VARIABLE",
 * each a pattern as shells have them. PLACE is FILE or FILE:LINE. What follows '#' is a comment.
 * And constructs and variables that control is restricted to, or switched off for.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/vec.h"
#include "frontend/model/findings.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"
#include "frontend/verify/internal.h"
#include "frontend/verify/verify.h"

struct suppressions {
	struct suppression {
		char *kind, *place, *name;
	} * item; /* owned */
	size_t n;
	char *only, *not; /* words; "": all, none; owned */
};

#define BETWEEN_WORDS " ,\t"

void suppressions_destroy(struct suppressions *s)
{
	for (size_t i = 0; s && i < s->n; i++) {
		free(s->item[i].kind);
		free(s->item[i].place);
		free(s->item[i].name);
	}
	if (s) {
		free(s->item);
		free(s->only);
		free(s->not);
	}
	free(s);
}

static bool is_kind(const char *pattern)
{
	for (unsigned k = 0; k < FINDING_KINDS; k++)
		if (finding_is_control(k) && !fnmatch(pattern, finding_kind_key(k), 0))
			return true;
	return false;
}

static int add_line(struct suppressions *s, char *line, const char *path, unsigned number,
		     struct err *err)
{
	char *save = NULL, *word[4];
	struct suppression *to;

	line[strcspn(line, "#\n")] = '\0';
	for (unsigned i = 0; i < 4; i++)
		word[i] = strtok_r(i ? NULL : line, " \t\r", &save);
	if (!word[0])
		return 0;
	if (!word[2] || word[3])
		return err_set(err,
			       "%s:%u: a line is 'KIND PLACE VARIABLE', as 'stale heat.c:61 u'; * "
			       "matches any",
			       path, number);
	if (!is_kind(word[0]))
		return err_set(err, "%s:%u: '%s' is no kind of finding of control", path, number,
			       word[0]);
	to = vec_add(s->item, s->n);
	xalloc_checked(to);
	to->kind = xstrdup(word[0]);
	to->place = xstrdup(word[1]);
	to->name = xstrdup(word[2]);
	return 0;
}

static int read_file(struct suppressions *s, const char *path, struct err *err)
{
	char *line = NULL;
	unsigned number = 0;
	size_t room = 0;
	int rc = 0;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return err_set(err, "Suppressions: %s: %s", path, strerror(errno));
	while (!rc && getline(&line, &room, f) >= 0)
		rc = add_line(s, line, path, ++number, err);
	free(line);
	fclose(f);
	return rc;
}

int suppressions_open(struct suppressions **out, const struct settings *set, struct err *err)
{
	const char *path = settings_text(set, "Suppressions");
	struct suppressions *s = xcalloc(1, sizeof(*s));

	*out = s;
	s->only = xstrdup(settings_text(set, "DynControlOnly"));
	s->not = xstrdup(settings_text(set, "DynControlNot"));
	return *path ? read_file(s, path, err) : 0;
}

static bool is_place(const char *pattern, const char *place)
{
	char *file = xstrdup(place), *colon = strrchr(file, ':');
	bool is = !fnmatch(pattern, place, 0);

	if (colon)
		*colon = '\0';
	is = is || !fnmatch(pattern, file, 0);
	free(file);
	return is;
}

bool suppressions_have(const struct suppressions *s, unsigned kind, const char *place,
		       const char *name)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (!fnmatch(s->item[i].kind, finding_kind_key(kind), 0) &&
		    is_place(s->item[i].place, place) && !fnmatch(s->item[i].name, name, 0))
			return true;
	return false;
}

/* Where it is: the access, or a construct around it. */
static bool is_there(struct symbols *symbols, const struct trace_finding *f, const char *pattern)
{
	char place[600];

	if (*trace_spot_text(symbols, &f->spot, place, sizeof(place)) && is_place(pattern, place))
		return true;
	for (unsigned i = 0; i < f->nframe; i++) {
		struct trace_spot spot = { .place = f->frame[i].place };

		if (*trace_spot_text(symbols, &spot, place, sizeof(place)) &&
		    is_place(pattern, place))
			return true;
	}
	return false;
}

/* Whether a word of the list is a construct that it is in, or its variable. */
static bool is_in(const char *list, struct symbols *symbols, const struct trace_finding *f,
		  const char *name)
{
	char *words = xstrdup(list), *save = NULL;
	bool is = false;

	for (char *w = strtok_r(words, BETWEEN_WORDS, &save); w && !is;
	     w = strtok_r(NULL, BETWEEN_WORDS, &save))
		is = !fnmatch(w, name, 0) || is_there(symbols, f, w);
	free(words);
	return is;
}

static bool is_off(const struct suppressions *s, struct symbols *symbols,
		   const struct trace_finding *f, const char *name)
{
	return (*s->only && !is_in(s->only, symbols, f, name)) ||
	       (*s->not && is_in(s->not, symbols, f, name));
}

size_t suppressions_filter(const struct suppressions *s, struct symbols *symbols,
			   const struct trace_findings *from, struct trace_findings *to)
{
	struct trace_finding f;
	char place[600], name[600];
	size_t n = 0;

	for (size_t i = 0; i < from->n; i++) {
		if (trace_findings_get(from, i, &f) || f.kind == FINDING_UNUSED)
			continue;
		trace_spot_text(symbols, &f.spot, place, sizeof(place));
		trace_finding_name(symbols, &f, name, sizeof(name));
		if (s && is_off(s, symbols, &f, name))
			continue;
		if (suppressions_have(s, f.kind, place, name))
			n++;
		else
			xalloc_check(trace_findings_add(to, &f));
	}
	return n;
}

/* "stale heat.c:61 u" */
static void put_line(FILE *f, const json_t *finding)
{
	const char *kind = json_string_value(json_object_get(finding, "kind"));
	const char *place = json_string_value(json_object_get(finding, "place"));
	const char *name = json_string_value(json_object_get(finding, "variable"));

	if (kind && is_kind(kind))
		fprintf(f, "%s %s %s\n", kind, place ? place : "*", name && *name ? name : "*");
}

int suppressions_write(const char *path, const json_t *list, struct err *err)
{
	FILE *f = fopen(path, "we");
	const json_t *finding;
	size_t i;

	if (!f)
		return err_set(err, "%s: %s", path, strerror(errno));
	fputs("# Findings of control that are not reported: KIND PLACE VARIABLE\n", f);
	json_array_foreach(list, i, finding) put_line(f, finding);
	return fclose(f) ? err_set(err, "%s: %s", path, strerror(errno)) : 0;
}
