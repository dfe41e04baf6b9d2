/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user wants of the next run.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "frontend/verify/internal.h"
#include "frontend/reference/reference.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

static void free_names(char **name)
{
	for (size_t i = 0; name && name[i]; i++)
		free(name[i]);
	free(name);
}

static void clear(struct checker_request *w)
{
	free(w->record);
	free(w->compare);
	free(w->order_keep);
	free(w->order_follow);
	free_names(w->array);
	*w = (struct checker_request){ 0 };
}

void checker_forget(struct checker *c)
{
	clear(&c->request);
}

void checker_request_free(struct checker_request *w)
{
	if (w)
		clear(w);
	free(w);
}

static void set_dir(char **at, const char *dir)
{
	char *copy = xstrdup(dir);

	free(*at);
	*at = copy;
}

void checker_record(struct checker *c, const char *dir)
{
	set_dir(&c->request.record, dir);
	if (dir) {
		set_dir(&c->request.compare, NULL);
		return;
	}
	checker_arrays(c, NULL, NULL, 0);
	c->quiet |= c->made != NULL;
}

void checker_compare(struct checker *c, const char *dir)
{
	set_dir(&c->request.compare, dir);
	if (!dir) {
		c->quiet |= c->known != NULL;
		return;
	}
	checker_arrays(c, NULL, NULL, 0);
	set_dir(&c->request.record, NULL);
}

struct checker_request *checker_put_aside(struct checker *c)
{
	struct checker_request *w = xmalloc(sizeof(*w));

	*w = c->request;
	c->request = (struct checker_request){ 0 };
	return w;
}

void checker_restore(struct checker *c, struct checker_request *w)
{
	if (!w)
		return;
	checker_forget(c);
	c->request = *w;
	free(w);
}

void checker_arrays(struct checker *c, char *const *name, const struct point *at, size_t n)
{
	size_t count = 0;
	char **copy;

	while (name && name[count])
		count++;
	copy = name ? xcalloc(count + 1, sizeof(*copy)) : NULL;
	for (size_t i = 0; copy && i < count; i++)
		copy[i] = xstrdup(name[i]);
	free_names(c->request.array);
	c->request.array = copy;
	c->request.nat = name ? n : 0;
	for (size_t i = 0; i < c->request.nat; i++)
		c->request.at[i] = at[i];
}

const char *checker_recording(const struct checker *c)
{
	return c->request.record;
}

bool checker_drops(const struct checker *c)
{
	return c->request.record && !strcmp(c->request.record, CHECKER_NONE);
}

const char *checker_comparing(const struct checker *c)
{
	return c->request.compare;
}

void checker_tap(struct checker *c, void (*fn)(void *arg, struct sums_point *p), void *arg)
{
	c->tap = fn;
	c->tap_arg = arg;
}

bool checker_setting_is(const struct checker *c, const char *name, const char *value)
{
	return !strcmp(settings_text(c->s->set, name), value);
}

static struct point setting_point(const struct checker *c, const char *name)
{
	const char *text = settings_text(c->s->set, name);
	struct point p = { 0 };

	if (*text)
		point_parse(&p, text, NULL);
	return p;
}

/* The later of two starts (the earlier of two finishes); main 0: none. */
static struct point inner(const struct point *a, const struct point *b, enum point_order want)
{
	if (!a->main || !b->main)
		return a->main ? *a : *b;
	return point_compare(a, b) == want ? *a : *b;
}

void checker_inner(struct trace_config *g, const struct trace_config *other)
{
	g->start = inner(&g->start, &other->start, POINT_AFTER);
	g->finish = inner(&g->finish, &other->finish, POINT_BEFORE);
}

static uint32_t setting_limit(const struct checker *c, const char *name)
{
	return trace_config_limit(settings_number(c->s->set, name));
}

void checker_calls(struct checker *c, bool keep)
{
	c->request.calls = keep;
}

void checker_see_reads(struct checker *c)
{
	c->request.reads = true;
}

void checker_trace_only(struct checker *c, const struct checker_only *only)
{
	c->request.limited = only != NULL;
	c->request.only = only ? *only : (struct checker_only){ 0 };
}

/* Traces of a few objects, all of them. */
static void limit(const struct checker_only *only, struct trace_config *g)
{
	g->others = only->others;
	g->calls = 0;
	g->limits = (struct trace_config_limits){ 0 };
	g->nname = only->nname;
	memcpy(g->name, only->name, sizeof(g->name));
}

struct trace_config checker_trace_config(const struct checker *c)
{
	struct trace_config g = { 0 };

	if (c->request.record || c->request.compare || c->tap ||
	    checker_setting_is(c, "LEVEL", "CHECKSUM"))
		g.level = TRACE_CONFIG_CHECKSUM;
	g.trace = checker_level(c);
	/* what reductions are computed in is registered rarely */
	g.others = c->request.record || (c->calculated.set && checker_calculates(c)) ||
		   (c->controlled.wanted && checker_controls(c));
	g.calls = c->request.record && c->request.calls;
	g.reads = checker_setting_is(c, "ChecksumMode", "2");
	g.exact = checker_setting_is(c, "LEVEL", "CHECKSUM") ||
		  checker_setting_is(c, "EXACT_SUMS", "ON");
	g.drop = checker_setting_is(c, "SUMS", "drop");
	/* of two runs side by side the faster one waits at each point */
	g.hold =
		c->tap || checker_setting_is(c, "STOP_ON", "mismatch") || checker_saves_mismatch(c);
	g.start = setting_point(c, "StartPoint");
	g.finish = setting_point(c, "FinishPoint");
	if (c->tap)
		g.exact = false; /* both runs have to have the same */
	if (c->known) {
		const struct trace_config *theirs = &reference_info(c->known)->trace_config;

		if (reference_info(c->known)->bare && !c->traces.means)
			g.level = TRACE_CONFIG_NONE;
		g.reads = theirs->reads || c->request.reads || means_read(c->traces.means);
		g.exact = theirs->exact || c->traces.means;
		checker_inner(&g, theirs);
	}
	g.limits = (struct trace_config_limits){ setting_limit(c, "Ig_left"),
						 setting_limit(c, "Ig_right"),
						 setting_limit(c, "Iloc_left"),
						 setting_limit(c, "Iloc_right"),
						 setting_limit(c, "Irep_left") };
	if (c->known)
		checker_take_limits(c, &g.limits);
	if (c->request.limited)
		limit(&c->request.only, &g);
	g.uses = c->sees_uses && g.level && g.trace < TRACE_CONFIG_MODIFY;
	return g;
}

int checker_check_interval(const struct trace_config *g, struct err *err)
{
	enum point_order order;

	if (!g->level || !g->start.main || !g->finish.main)
		return 0;
	order = point_compare(&g->start, &g->finish);
	if (order == POINT_INCOMPARABLE)
		return err_set(err, "Start and finish points are incomparable values.");
	if (order != POINT_BEFORE)
		return err_set(err, "Start point is not less than finish point.");
	return 0;
}

static const struct {
	const char *name, *word;
} ends[] = { { "StartPoint", "start" }, { "FinishPoint", "finish" } };

int checker_allows(const char *name, const char *value, struct err *err)
{
	for (size_t i = 0; i < 2; i++) {
		struct point p;
		struct err why = { "" };

		if (!strcasecmp(name, ends[i].name) && value && *value &&
		    point_parse(&p, value, &why))
			return err_set(err, "Invalid %s point value: TraceOptions.%s = '%s'. %s",
				       ends[i].word, ends[i].name, value, why.text);
	}
	return 0;
}

int checker_crossed(const struct checker *c, const char *name, struct err *err)
{
	struct trace_config g = { .level = TRACE_CONFIG_CHECKSUM,
				  .start = setting_point(c, ends[0].name),
				  .finish = setting_point(c, ends[1].name) };

	if (name && strcasecmp(name, ends[0].name) && strcasecmp(name, ends[1].name))
		return 0;
	return checker_check_interval(&g, err);
}

int checker_can_start(const struct checker *c, struct err *err)
{
	struct trace_config g = checker_trace_config(c);

	if (!g.level && !g.trace)
		return 0;
	return checker_crossed(c, NULL, err);
}
