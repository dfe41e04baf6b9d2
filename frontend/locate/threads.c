/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Between one thread of OpenMP and several: one more run, in which accesses of threads are
 * controlled, shows where they race. That explains what differs, and is said also when nothing
 * does, as a race may come out right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/job/job.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"

#define THREADS 1024
#define MOST_MS 60000  /* a run in which nothing differs is controlled for so long */
#define AGAIN_MS 20000 /* one in which something does for this, and … */
#define AGAIN 20       /* … so many times as long as all before it */
#define RACES 6	       /* that are reported */

int locate_threads_parse(const char *text, int *ref, int *now, struct err *err)
{
	const char *colon = strchr(text, ':');
	char first[20] = "1";
	int64_t a, b;

	if (colon)
		snprintf(first, sizeof(first), "%.*s", (int)(colon - text), text);
	if (parse_int(first, 1, THREADS, &a) || parse_int(colon ? colon + 1 : text, 1, THREADS, &b))
		return err_set(
			err,
			"'%s': the threads of the reference and of the run are two numbers, as "
			"1:4, of 1 to %d each; one number is that of the run",
			text, THREADS);
	*ref = (int)a;
	*now = (int)b;
	return 0;
}

/* ---- the run ---- */

struct controlled {
	struct locate *l;
	struct run_watch watch;
	int64_t before; /* what all runs up to it have taken, ms */
};

static void not_for_ever(void *arg, struct session *s)
{
	struct controlled *c = arg;

	locate_show_progress(c->l, s);
	if (!c->l->m && loop_now() - c->l->stage_begun > MOST_MS)
		c->watch.enough =
			"accesses are controlled for a minute only where nothing differs; "
			"dvmdbg check controls a whole run";
	else if (loop_now() - c->l->stage_begun > AGAIN_MS + AGAIN * c->before)
		c->watch.enough = "it takes much longer than all runs before it";
}

/* Where it became wrong; from.main 0: from the start, to.main 0: to the end. */
static void interval(const struct locate *l, struct point *from, struct point *to)
{
	*from = *to = (struct point){ 0 };
	if (!l->m)
		return;
	*from = l->m->previous;
	if (!l->m->finish && !l->m->gone)
		*to = l->m->point;
	if (from->main && to->main && point_compare(from, to) != POINT_BEFORE)
		*from = (struct point){ 0 };
}

/* ---- what it shows ---- */

/* The variable, or else where its memory was allocated. */
static char *name_of(const json_t *o)
{
	const char *name = out_str(o, "variable"), *allocated = out_str(o, "allocated");

	if (!*name && *allocated)
		return xasprintf("the block that is allocated at %s", allocated);
	return xstrdup(*name ? name : out_str(o, "element"));
}

/* "threads access t at the same time: it is written at a.c:36 and read at a.c:37" */
static char *text_of(const json_t *o)
{
	const char *at = out_str(o, "place"), *other = out_str(o, "other_place");
	bool write = !strcmp(out_str(o, "other_access"), "write");
	char *name = name_of(o), *text;

	if (write && !strcmp(at, other))
		text = xasprintf("threads write %s at the same time, at %s", name, at);
	else
		text = xasprintf(
			"threads access %s at the same time: it is written at %s and %s at "
			"%s",
			name, at, write ? "written" : "read", other);
	free(name);
	return text;
}

static bool is_at(const json_t *race, const char *place)
{
	return *place && (!strcmp(out_str(race, "place"), place) ||
			  !strcmp(out_str(race, "other_place"), place));
}

/* The race is about memory of that name, or an element or member of it. */
static bool is_on(const json_t *race, const char *name)
{
	const char *variable = out_str(race, "variable");
	size_t n = strlen(name);

	return n && !strncmp(variable, name, n) && (!variable[n] || strchr("[(.%", variable[n]));
}

/* How much a race says about what is wrong: it is on that, on what its statement reads, or
 * elsewhere. */
static int weight_of(const struct locate *l, const json_t *race)
{
	const json_t *w = out_get(l->trace, "write");
	const json_t *list = out_get(w, "operands");
	bool here = is_at(race, out_str(w, "place"));
	bool operand = false;

	for (size_t i = 0; i < json_array_size(list); i++)
		operand |= is_on(race, out_str(json_array_get(list, i), "element"));
	if (is_on(race, l->m->id.name))
		return here ? 4 : 3;
	return here || operand ? 2 : 1;
}

/* The one that explains most; the first of these. */
static const json_t *choose(const struct locate *l, int *weight)
{
	const json_t *best = NULL;

	*weight = 0;
	for (size_t i = 0; i < json_array_size(l->races); i++) {
		const json_t *race = json_array_get(l->races, i);
		int n = weight_of(l, race);

		if (n <= *weight)
			continue;
		*weight = n;
		best = race;
	}
	return best;
}

static void advise(struct locate *l, const json_t *race)
{
	char *name = name_of(race);

	locate_say(
		&l->advice,
		"give each thread its own copy of %s (private, reduction), or order the accesses: "
		"critical, atomic, a barrier, or a loop whose iterations do not need each other",
		name);
	free(name);
}

/* A race on the wrong object itself is the proof; one elsewhere may be another fault. */
static void explain(struct locate *l)
{
	int weight;
	const json_t *race = choose(l, &weight);
	enum slice_grade grade = weight > 2 ? SLICE_PROVED : SLICE_LIKELY;
	bool known = l->because && !l->vague && !locate_varies(l);

	/* elsewhere in the interval it is as good as what is only supposed */
	if (!race || (known && (weight < 2 || l->grade > grade)))
		return;
	locate_because(l, 0, "%s", out_str(race, "text"));
	l->grade = grade;
	l->vague = false;
	l->race_explains = true;
	advise(l, race);
	if (l->trace)
		locate_root(l, out_str(race, "place"));
}

static json_t *race_json(const struct locate *l, const struct trace_finding *f)
{
	json_t *o = trace_finding_json(l->s->symbols, f);
	char place[LOCATE_TEXT], at[POINT_TEXT], *text;

	if (*trace_spot_text(l->s->symbols, &f->spot, place, sizeof(place)))
		json_object_set_new(o, "place", out_json_text(place));
	if (f->point.main)
		json_object_set_new(o, "point", json_string(point_format(&f->point, at)));
	text = text_of(o);
	json_object_set_new(o, "text", out_json_text(text));
	free(text);
	return o;
}

/* Two places of one line are one for the reader. */
static void race_add(json_t *list, json_t *race)
{
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		if (strcmp(out_str(o, "text"), out_str(race, "text")) ||
		    strcmp(out_str(o, "region"), out_str(race, "region")))
			continue;
		json_object_set_new(o, "count",
				    json_integer(out_int(o, "count") + out_int(race, "count")));
		json_decref(race);
		return;
	}
	json_array_append_new(list, race);
}

/* partial: not all of the run was seen, so that it means nothing when there are none. */
static void take_races(struct locate *l, const struct checker *c, bool partial)
{
	struct trace_findings found = { 0 };
	json_t *rest = checker_unthreaded(c), *text;
	size_t i;

	checker_controlled_found(c, &found);
	l->races = json_array();
	for (i = 0; i < found.n; i++) {
		struct trace_finding f;

		if (!trace_findings_get(&found, i, &f) && f.kind == FINDING_RACE)
			race_add(l->races, race_json(l, &f));
	}
	trace_findings_clear(&found);
	json_array_foreach(rest, i, text) locate_note(l, "%s", json_string_value(text));
	json_decref(rest);
	l->nraces = json_array_size(l->races);
	if (!l->nraces && partial) {
		json_decref(l->races);
		l->races = NULL;
	}
	if (l->m)
		explain(l);
	else if (l->nraces)
		advise(l, json_array_get(l->races, 0));
	while (json_array_size(l->races) > RACES)
		json_array_remove(l->races, json_array_size(l->races) - 1);
}

void locate_look_races(struct locate *l)
{
	struct controlled c = { .l = l,
				.watch = { .tick = not_for_ever, .arg = &c },
				.before = loop_now() - l->begun };
	bool several = l->spec->threads > 1 || l->spec->ref_threads > 1;
	struct point from, to;
	struct second *r;

	if (!several || !l->s->job || l->interrupted || (l->failure && !l->m))
		return;
	if (!job_hooked(l->s->job)) {
		locate_note(l, "races of threads are found in programs that were compiled with "
			       "dvmdbg-cc or dvmdbg-fc, with -fopenmp");
		return;
	}
	interval(l, &from, &to);
	r = locate_controlled(l, &from, &to, &c.watch);
	if (!r)
		return;
	take_races(l, second_session(r)->checker, c.watch.enough || l->interrupted);
	second_retire(l->s, r);
}
