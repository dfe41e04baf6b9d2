/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How constructs are traced: levels of their own, the configuration file (FileLoopInfo), and
 * whether the program is built for it.
 */
#include "frontend/verify/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/logical/groups.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "common/protocol/point_sums.h"
#include "common/coverage/coverage.h"
#include "common/dvmtext/dvmtext.h"
#include "frontend/job/job.h"
#include "frontend/verify/verify.h"
#include "frontend/output/output.h"
#include "frontend/launch/launch.h"
#include "frontend/reference/reference.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/symbols/symbols.h"
#include "frontend/traceview/traceview.h"
#include "frontend/model/trail.h"
#include "frontend/util/xalloc.h"

/* A file that a setting names, with its directory, to be freed; NULL: it is not set. */
static char *path_of(const struct checker *c, const char *file)
{
	const char *dir = settings_text(c->s->set, "TracePath");

	if (!*file)
		return NULL;
	if (*file == '/' || !*dir)
		return xstrdup(file);
	return xasprintf("%s/%s", dir, file);
}

static char *config_path(const struct checker *c)
{
	return path_of(c, settings_text(c->s->set, "FileLoopInfo"));
}

void checker_follow_mode(struct checker *c)
{
	char *path;

	if (c->request.by_file)
		checker_compare(c, NULL);
	c->request.by_file = false;
	if (c->request.record || c->request.compare || !checker_setting_is(c, "TraceMode", "3"))
		return;
	path = path_of(c, settings_text(c->s->set, "TraceFile"));
	if (path)
		checker_compare(c, path);
	c->request.by_file = path != NULL;
	free(path);
}

static bool writes(const struct checker *c)
{
	return checker_setting_is(c, "TraceMode", "0") || checker_setting_is(c, "TraceMode", "2");
}

bool checker_wants_files(const struct checker *c)
{
	if (!c->request.record || checker_drops(c))
		return false;
	return (*settings_text(c->s->set, "Ext") && !checker_setting_is(c, "TraceMode", "0")) ||
	       (writes(c) && *settings_text(c->s->set, "FileLoopInfo"));
}

static bool is_declared(const struct dvmtext_head *h, const struct dvmtext_use *u)
{
	for (uint32_t i = 0; i < h->narray; i++) {
		const struct dvmtext_array *a = &h->array[i];

		if (!strcasecmp(a->name, u->name) && a->counter == u->counter &&
		    a->line == u->line && !strcmp(a->file, u->file))
			return true;
	}
	return false;
}

/* Warns of arrays in access lists that the file does not declare, by an edit perhaps. */
static void report_undefined(struct checker *c, const struct dvmtext_head *h)
{
	for (uint32_t i = 0; i < h->nloop; i++)
		for (uint32_t k = 0; k < h->loop[i].nuse; k++) {
			const struct dvmtext_use *u = &h->loop[i].use[k];

			if (!is_declared(h, u))
				checker_warn(c,
					     "FileLoopInfo: Reference to undefined array (\"%s\", "
					     "\"%s\", %u, %u) in the access list of construct %u: "
					     "no ARR line of the file declares it",
					     u->name, u->file, u->line, u->counter,
					     h->loop[i].number);
		}
}

static int read_file(struct checker *c, FILE *f, const char *path, struct err *err)
{
	struct dvmtext_head *h = &c->traces.head;
	int rc = dvmtext_head_read(h, f, path, err);
	size_t n = 0;

	if (!rc)
		c->traces.file = levels_create();
	rc = rc ? rc : levels_read(c->traces.file, h, &n, err);
	if (!rc)
		report_undefined(c, h);
	if (!rc)
		out_detail(c->s->out, "%s: levels of %zu of %u constructs, %zu of %u arrays", path,
			   n, h->nloop, levels_count(c->traces.file) - n, h->narray);
	return rc;
}

int checker_read_levels(struct checker *c, struct err *err)
{
	char *path = config_path(c);
	int rc = 0;
	FILE *f;

	if (!path || writes(c)) {
		free(path);
		return 0;
	}
	f = fopen(path, "re");
	if (!f)
		checker_warn(c,
			     "FileLoopInfo: %s: %s; no construct has a level of its own by that "
			     "(record writes it with TraceMode 0 or 2)",
			     path, strerror(errno));
	else
		rc = read_file(c, f, path, err);
	if (f)
		fclose(f);
	free(path);
	return rc;
}

int checker_take_levels(struct checker *c, struct err *err)
{
	const json_t *theirs = c->known ? reference_info(c->known)->levels : NULL;
	int own = trace_config_level_parse(settings_text(c->s->set, "LEVEL"));

	if (!c->known)
		return 0;
	if (!c->traces.file)
		c->traces.file = levels_create();
	levels_forget_arrays(c->traces.file);
	/* what is compared both have: when a lower level is set, that */
	if (levels_take(c->traces.file, theirs,
			own > TRACE_CONFIG_NONE && own < TRACE_CONFIG_FULL ? (unsigned)own
									   : TRACE_CONFIG_FULL,
			err))
		return err_prefix(err, "%s/manifest.json", reference_dir(c->known));
	return 0;
}

static uint32_t limit_of(const struct dvmtext_head *h, const char *name)
{
	const char *text = dvmtext_setting(h, name);

	return text ? trace_config_limit(strtol(text, NULL, 10)) : 0;
}

void checker_take_limits(const struct checker *c, struct trace_config_limits *l)
{
	const char *text = c->traces.ref
				   ? trace_reader_meta(trace_index_map(c->traces.ref, 0))->head
				   : "";
	FILE *f = *text ? fmemopen((void *)text, strlen(text), "r") : NULL;
	struct dvmtext_head h;
	bool own = false;

	if (f && !dvmtext_head_read(&h, f, "the head of the reference's trace", NULL)) {
		*l = (struct trace_config_limits){ limit_of(&h, "IG_LEFT"),
						   limit_of(&h, "IG_RIGHT"), 0, 0,
						   limit_of(&h, "IREP_LEFT") };
		own = limit_of(&h, "ILOC_LEFT") || limit_of(&h, "ILOC_RIGHT");
		dvmtext_head_clear(&h);
	}
	if (f)
		fclose(f);
	/* a rank's own part is another one there: what the reference has is compared */
	l->iloc_left = l->iloc_right = 0;
	if (own)
		l->ig_left = l->ig_right = 0;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What the file says of the construct that has ended at p; NULL: nothing. */
static const struct dvmtext_loop *loop_at(const struct checker *c, const struct sums_point *p)
{
	const struct dvmtext_head *h = &c->traces.head;
	char where[600];

	for (uint32_t i = 0; i < h->nloop; i++) {
		const struct dvmtext_loop *l = &h->loop[i];

		snprintf(where, sizeof(where), "%s:%u", base(l->file), l->line);
		if (l->kind == p->kind && l->nuse && !strcmp(where, p->where))
			return l;
	}
	return NULL;
}

static const struct dvmtext_use *use_of(const struct dvmtext_loop *l, const struct sums_array *a)
{
	for (uint32_t i = 0; i < l->nuse; i++)
		if (!strcasecmp(l->use[i].name, a->name) && l->use[i].counter == a->counter)
			return &l->use[i];
	return NULL;
}

bool checker_has_uses(const struct checker *c)
{
	for (uint32_t i = 0; i < c->traces.head.nloop; i++)
		if (c->traces.head.loop[i].nuse)
			return !checker_setting_is(c, "TrapArraysAnyway", "1");
	return false;
}

static void count_source(void *arg, const char *path)
{
	(void)path;
	++*(unsigned *)arg;
}

bool checker_can_see_uses(struct checker *c, const struct program *p)
{
	unsigned without = 0;

	if (!c->request.record || c->request.limited || !p->hooked || checker_has_uses(c) ||
	    checker_highest(c) == TRACE_CONFIG_MODIFY || checker_highest(c) == TRACE_CONFIG_FULL ||
	    !checker_setting_is(c, "LEVEL", "CHECKSUM"))
		return false;
	/* what these do is not seen */
	symbols_unhooked(c->s->symbols, p->path, count_source, &without);
	return !without;
}

/* Leaves out what the access hooks have not seen on any rank; what has changed was written. */
static void apply_seen(const struct checker *c, struct sums_point *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct sums_array *a = &p->array[i];

		if (a->flags & POINT_SUMS_SEEN) {
			if (a->flags & POINT_SUMS_CHANGED)
				a->flags |= POINT_SUMS_WRITE;
			else if (a->flags & POINT_SUMS_WRITE)
				a->flags |= POINT_SUMS_CHANGED;
			if (!(a->flags & POINT_SUMS_WRITE) &&
			    !(a->flags & POINT_SUMS_READ && c->trace_config.reads)) {
				sums_array_clear(a);
				continue;
			}
			a->flags &= (uint8_t)~POINT_SUMS_SEEN;
		}
		p->array[n++] = *a;
	}
	p->n = n;
}

void checker_apply_uses(const struct checker *c, struct sums_point *p)
{
	const struct dvmtext_loop *l;
	size_t n = 0;

	if (p->point.side != POINT_END)
		return;
	apply_seen(c, p);
	if (checker_setting_is(c, "TrapArraysAnyway", "1") || !(l = loop_at(c, p)))
		return;
	for (size_t i = 0; i < p->n; i++) {
		struct sums_array *a = &p->array[i];
		unsigned announced = a->flags & (POINT_SUMS_READ | POINT_SUMS_WRITE);
		const struct dvmtext_use *u = use_of(l, a);

		/* both or neither: the annotation does not say it */
		if (a->kind == ARRAY_DISTRIBUTED &&
		    (!announced || announced == (POINT_SUMS_READ | POINT_SUMS_WRITE))) {
			if (!u || (!u->written && !c->trace_config.reads)) {
				sums_array_clear(a);
				continue;
			}
			a->flags &= (uint8_t)~announced;
			a->flags |= (uint8_t)((u->read ? POINT_SUMS_READ : 0) |
					      (u->written ? POINT_SUMS_WRITE : 0));
		}
		p->array[n++] = *a;
	}
	p->n = n;
}

unsigned checker_highest(const struct checker *c)
{
	unsigned most = checker_level(c), own = levels_highest(c->s->levels),
		 file = c->traces.file ? levels_highest(c->traces.file) : TRACE_CONFIG_NONE;

	most = own > most ? own : most;
	return file > most ? file : most;
}

void checker_places(const struct checker *c, struct trace_config_place **out, uint32_t *n)
{
	struct trace_config_place *more = NULL;
	uint32_t nmore = 0;

	*out = NULL;
	*n = 0;
	if (!c->begun || c->request.limited || checker_setting_is(c, "EnableTrace", "0"))
		return;
	levels_places(c->s->levels, c->s, out, n);
	if (c->traces.file)
		levels_places(c->traces.file, c->s, &more, &nmore);
	/* what the user has typed comes first */
	if (!*out) {
		*out = more;
		*n = nmore;
		return;
	}
	nmore = nmore < TRACE_CONFIG_PLACES - *n ? nmore : TRACE_CONFIG_PLACES - *n;
	if (nmore)
		memcpy(*out + *n, more, nmore * sizeof(*more));
	*n += nmore;
	free(more);
}

/* Sources that are compiled without hooks. */
struct without {
	char names[400];
	unsigned n;
};

static void note_source(void *arg, const char *path)
{
	struct without *w = arg;
	const char *slash = strrchr(path, '/');
	size_t used = strlen(w->names);

	snprintf(w->names + used, sizeof(w->names) - used, "%s%s", w->n ? ", " : "",
		 slash ? slash + 1 : path);
	w->n++;
}

/* What of the program is not seen. */
static void report_parts(struct checker *c, const struct program *p)
{
	struct without w = { "", 0 };

	symbols_unhooked(c->s->symbols, p->path, note_source, &w);
	if (p->hooked && w.n)
		checker_warn(c,
			     "%s of %s %s compiled without access hooks: what %s reads and writes "
			     "is not traced; rebuild with dvmdbg-cc or dvmdbg-fc",
			     w.names, job_path(c->s->job), w.n == 1 ? "is" : "are",
			     w.n == 1 ? "it" : "they");
	else if (!p->hooked)
		checker_warn(c,
			     "only libraries of %s have access hooks: what the program itself "
			     "reads and writes is not traced; rebuild it with dvmdbg-cc or "
			     "dvmdbg-fc",
			     job_path(c->s->job));
}

static int refuse(const struct checker *c, const struct program *p, unsigned level, struct err *err)
{
	if (p->sanitized)
		return err_set(err,
			       "level %s: %s uses the compiler's thread sanitizer, so reads and "
			       "writes are not traced; rebuild it with dvmdbg-cc or dvmdbg-fc, "
			       "without -fsanitize=thread. MINIMAL works without",
			       trace_config_level_word(level), job_path(c->s->job));
	return err_set(err,
		       "level %s: %s has no access hooks, so reads and writes are not traced; "
		       "rebuild it with dvmdbg-cc or dvmdbg-fc (CC=dvmdbg-cc FC=dvmdbg-fc). "
		       "MINIMAL works without",
		       trace_config_level_word(level), job_path(c->s->job));
}

int checker_check_hooks(struct checker *c, const struct program *p, struct err *err)
{
	int set = trace_config_level_parse(settings_text(c->s->set, "LEVEL"));
	unsigned level = checker_highest(c);

	if ((!c->request.record && !c->traces.ref) || level < TRACE_CONFIG_MODIFY ||
	    level > TRACE_CONFIG_FULL || c->request.limited || p->script)
		return 0;
	if (p->hooked || p->hooked_library) {
		report_parts(c, p);
		return 0;
	}
	/* asked for, or only what the reference has */
	if (!c->traces.ref || set == TRACE_CONFIG_MODIFY || set == TRACE_CONFIG_FULL)
		return refuse(c, p, level, err);
	c->traces.bare = true;
	/* which iterations are executed is not known either */
	covers_destroy(c->traces.covers);
	c->traces.covers = NULL;
	checker_warn(c,
		     "%s has no access hooks%s: traces of level %s are compared as at MINIMAL; "
		     "rebuild it with dvmdbg-cc or dvmdbg-fc",
		     job_path(c->s->job), p->sanitized ? ", as it uses the thread sanitizer" : "",
		     trace_config_level_word(level));
	return 0;
}

/* The last point that any rank has passed; main 0: none. */
static struct point last_passed(const struct job *j)
{
	const struct groups *exits = job_exits(j);
	struct point last = { 0 };

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (!report_exit_get(&r, &b) && point_sort(&r.point, &last) > 0)
			last = r.point;
	}
	return last;
}

/* A point in a task that nobody has passed, of a region that all that is known of goes back to. */
static bool is_missed(struct checker *c, const struct point *p)
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };
	bool known = false, passed = false;

	if (!p->sub || trail_ask(c->s, job_set(c->s->job, JOB_ALL), TRAIL_MOST, &answers, NULL,
				 &trail, NULL)) {
		trail_clear(&trail);
		groups_clear(&answers);
		return false;
	}
	for (size_t i = 0; i < trail.n; i++) {
		const struct point *at = &trail.item[i].r.point;

		known |= at->main == p->main && !at->sub && at->side == POINT_BEGIN;
		passed |= point_compare(at, p) == POINT_EQUAL;
	}
	trail_clear(&trail);
	groups_clear(&answers);
	return known && !passed;
}

void checker_report_interval(struct checker *c)
{
	const struct point last = last_passed(c->s->job);
	const struct {
		const char *name;
		struct point p;
	} ends[] = { { "StartPoint", c->trace_config.start },
		     { "FinishPoint", c->trace_config.finish } };
	char at[POINT_TEXT], end[POINT_TEXT];

	if (!c->trace_config.level && !c->trace_config.trace)
		return;
	for (size_t i = 0; i < 2; i++) {
		point_format(&ends[i].p, at);
		if (c->no_region[i])
			continue;
		if (ends[i].p.main && last.main && point_compare(&last, &ends[i].p) == POINT_BEFORE)
			checker_warn(c, "%s %s was not reached: the run ended after %s",
				     ends[i].name, at, point_format(&last, end));
		else if (is_missed(c, &ends[i].p))
			checker_warn(c, "%s %s was not reached: no task of region %u has it",
				     ends[i].name, at, ends[i].p.main);
	}
}

/* The run had a construct where the file has one. */
static bool has_place(struct reference *r, const struct dvmtext_loop *l)
{
	const struct sums_point *p;
	char where[600];

	snprintf(where, sizeof(where), "%s:%u", base(l->file), l->line);
	for (size_t i = 0; (p = reference_at(r, i, NULL)); i++)
		if (p->kind == l->kind && !strcmp(where, p->where))
			return true;
	return false;
}

void checker_report_missing(struct checker *c)
{
	const struct dvmtext_head *h = &c->traces.head;

	/* checksums know nothing of sequential loops, and of constructs outside of an interval */
	if (!c->made || c->trace_config.start.main || c->trace_config.finish.main)
		return;
	for (uint32_t i = 0; i < h->nloop; i++)
		if (h->loop[i].kind != CONSTRUCT_SL && !has_place(c->made, &h->loop[i]))
			checker_warn(
				c,
				"FileLoopInfo: construct %u of the file, a %s at %s:%u, was not "
				"in this run",
				h->loop[i].number, construct_words(h->loop[i].kind),
				base(h->loop[i].file), h->loop[i].line);
}

static void remove_traces(struct trace_files *f, const char *dir)
{
	size_t n = trace_files_count(f);

	for (size_t i = 0; i < n; i++) {
		char *path = xasprintf("%s/trace.%u.bin", dir,
				       trace_reader_meta(trace_files_map(f, i))->rank);

		unlink(path);
		free(path);
	}
}

/* RANK.Ext of each rank; "" in Ext: none. */
static void write_texts(struct checker *c, const struct trace_files *f)
{
	const char *ext = settings_text(c->s->set, "Ext");
	size_t n = *ext ? trace_files_count(f) : 0;
	int set = trace_config_level_parse(settings_text(c->s->set, "LEVEL"));
	struct err err = { "" };

	for (size_t i = 0; i < n; i++) {
		const struct trace_reader *m = trace_files_map(f, i);
		char name[300], *path;

		snprintf(name, sizeof(name), "%u.%s", trace_reader_meta(m)->rank, ext);
		path = path_of(c, name);
		if (path && traceview_export(c->s, m, set, c->made, path, &err))
			checker_warn(c, "Ext: %s", err.text);
		free(path);
	}
}

static bool is_edited(const struct dvmtext_head *h)
{
	bool edited = false;

	for (uint32_t i = 0; i < h->nloop; i++) {
		const struct dvmtext_loop *l = &h->loop[i];

		edited = edited || l->level >= 0;
		for (unsigned d = 0; d < l->ndim && d < ARRAY_DIMS; d++)
			edited = edited || (!l->noted && l->step[d]);
	}
	for (uint32_t i = 0; i < h->narray; i++)
		edited = edited || h->array[i].level >= 0;
	return edited;
}

/* Levels and ranges that were set by hand are not lost when the file is rewritten. */
static void keep_edited(struct checker *c, const char *path)
{
	char *old = xasprintf("%s.old", path);
	FILE *f = fopen(path, "re");
	struct dvmtext_head h;
	bool edited = false;

	if (f && !dvmtext_head_read(&h, f, path, NULL)) {
		edited = is_edited(&h);
		dvmtext_head_clear(&h);
	}
	if (f)
		fclose(f);
	if (edited && !rename(path, old))
		out_note(c->s->out,
			 "%s had levels or ranges of its own: it is kept as %s; with TraceMode 1 "
			 "it is read",
			 path, old);
	free(old);
}

void checker_write_levels(struct checker *c)
{
	const char *dir = c->made ? reference_dir(c->made) : NULL;
	bool statistic = checker_setting_is(c, "PrintStatistic", "1");
	char *path = writes(c) ? config_path(c) : NULL;
	struct trace_files f = { 0 };
	struct err err = { "" };

	if (!dir || !c->traces.done || (!path && !statistic && !*settings_text(c->s->set, "Ext"))) {
		free(path);
		return;
	}
	if (trace_files_open(&f, dir, &err))
		checker_warn(c, "%s", err.text);
	else if (statistic)
		out_answer(c->s->out, traceview_stat(&f));
	if (!checker_setting_is(c, "TraceMode", "0"))
		write_texts(c, &f);
	if (path && f.ref) {
		keep_edited(c, path);
		if (traceview_costs_write(&f, c->s->symbols,
					  settings_number(c->s->set, "WrtHeaderProc"),
					  checker_setting_is(c, "LEVEL", "CHECKSUM") ? c->made
										     : NULL,
					  path, &err))
			checker_warn(c, "FileLoopInfo: %s; the traces are kept", err.text);
		else
			out_note(c->s->out, "wrote %s", path);
		if (checker_setting_is(c, "TraceMode", "0") && !*err.text)
			remove_traces(&f, dir);
	}
	trace_files_close(&f);
	free(path);
}
