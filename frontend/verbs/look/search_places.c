/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verb search looks through. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "frontend/model/ask.h"
#include "frontend/verbs/look/internal.h"
#include "frontend/data/fetch.h"
#include "frontend/model/findings.h"
#include "frontend/model/history.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/model/trail.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

static int need_job(const struct session *s, const struct rankset *who, struct err *err)
{
	if (!s->job)
		return err_set(err, "no program is loaded; load PROGRAM loads one");
	return who->n ? 0 : err_set(err, "the set has no members now");
}

static void add_group(json_t *groups, json_t *list)
{
	json_array_append_new(groups, json_pack("{s:o}", "list", list));
}

/* The text form of an answer without the newline at its end, as a JSON string. */
static json_t *rendered(json_t *answer)
{
	char *text = out_render(answer);
	size_t len = text ? strlen(text) : 0;
	json_t *o;

	while (len && text[len - 1] == '\n')
		text[--len] = 0;
	o = out_json_text(text ? text : "");
	free(text);
	json_decref(answer);
	return o;
}

/* The paths of source files, each once. */
struct files {
	struct session *s;
	char **path;
	size_t n;
};

static void add_file(void *arg, const char *path)
{
	struct files *f = arg;

	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->path[i], path))
			return;
	xvec_more(f->path, f->n, 1);
	f->path[f->n] = xstrdup(path);
	f->n += f->path[f->n] ? 1 : 0;
}

/* Under the name by which it is found; the same file may have several. */
static void add_source(void *arg, const char *path)
{
	struct files *f = arg;
	const struct session *s = f->s;
	const struct source_file *found =
		source_find(s->shell->source, path, settings_text(s->set, "SOURCE_PATH"),
			    s->spec.argv ? s->spec.argv[0] : NULL, NULL);
	char *real = found ? realpath(found->path, NULL) : NULL;

	if (real)
		add_file(f, real);
	free(real);
}

/* Files in which constructs were met. */
static void files_of_trail(struct files *f, const struct rankset *who)
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };
	struct files named = { 0 };

	if (!trail_ask(f->s, who, TRAIL_MOST, &answers, NULL, &trail, NULL)) {
		for (size_t i = 0; i < trail.n; i++) {
			struct place place = trail.item[i].r.place;

			symbols_resolve(f->s->symbols, &place);
			if (place.file && place.line)
				add_file(&named, place.file);
		}
	}
	for (size_t i = 0; i < named.n; i++) {
		add_source(f, named.path[i]);
		free(named.path[i]);
	}
	free(named.path);
	trail_clear(&trail);
	groups_clear(&answers);
}

static json_t *lines_of(const struct source_file *file)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < file->n; i++)
		json_array_append_new(list, json_pack("{s:I s:o}", "line", (json_int_t)i + 1,
						      "text", out_json_text(file->line[i])));
	return list;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int gather_source(struct session *s, const struct rankset *who, json_t *groups,
			 struct err *err)
{
	struct files f = { .s = s };

	if (!s->job && !s->shell->file)
		return need_job(s, who, err);
	if (s->shell->file)
		add_source(&f, s->shell->file);
	if (s->job) {
		symbols_sources(s->symbols, job_path(s->job), add_source, &f);
		if (who->n)
			files_of_trail(&f, who);
	}
	if (f.n)
		qsort(f.path, f.n, sizeof(*f.path), by_name);
	for (size_t i = 0; i < f.n; i++) {
		const struct source_file *file =
			source_find(s->shell->source, f.path[i], NULL, NULL, NULL);
		const char *slash = strrchr(f.path[i], '/');

		if (file)
			json_array_append_new(
				groups,
				json_pack("{s:o s:o s:o}", "file",
					  out_json_text(slash ? slash + 1 : f.path[i]), "path",
					  out_json_text(f.path[i]), "list", lines_of(file)));
		free(f.path[i]);
	}
	free(f.path);
	return json_array_size(groups)
		       ? 0
		       : err_set(err, "no source file of the program was found; set SOURCE_PATH to "
				      "its directory");
}

/* The line of this kind of construct at this place in list; a new one when there is none. */
static json_t *construct_at(struct session *s, json_t *list, unsigned kind,
			    const struct place *place)
{
	char at[512], text[1200];
	const char *func;
	struct place p = *place;
	json_t *line;
	size_t i;

	symbols_resolve(s->symbols, &p);
	func = p.func ? p.func : "";
	snprintf(text, sizeof(text), "%s  %s%s%s", construct_words(kind),
		 symbols_text(s->symbols, &p, at, sizeof(at)), *func ? "  " : "", func);
	json_array_foreach(list, i, line)
	{
		if (!strcmp(out_str(line, "text"), text))
			return line;
	}
	line = json_pack("{s:o s:s}", "text", out_json_text(text), "construct",
			 construct_words(kind));
	ask_put_place(s, line, &p);
	if (*func)
		json_object_set_new(line, "function", out_json_text(func));
	json_array_append_new(list, line);
	return line;
}

/* Those that are open now: also functions, sequential loops and tasks. */
static void open_constructs(struct session *s, const struct rankset *who, json_t *list)
{
	struct msg_query q = { .kind = QUERY_STACK };
	struct report_stack *stack = xcalloc(1, sizeof(*stack));
	struct groups answers = { 0 };

	if (!ask(s, &q, who, &answers, NULL, NULL)) {
		for (size_t i = 0; i < answers.n; i++) {
			struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

			if (report_stack_get(stack, &b))
				continue;
			for (uint32_t k = 0; k < stack->n; k++)
				json_object_set_new(construct_at(s, list, stack->frame[k].kind,
								 &stack->frame[k].place),
						    "open", json_true());
		}
	}
	free(stack);
	groups_clear(&answers);
}

static int gather_constructs(struct session *s, const struct rankset *who, json_t *groups,
			     struct err *err)
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };
	json_t *list, *line;
	char point[POINT_TEXT];

	if (need_job(s, who, err) || trail_ask(s, who, TRAIL_MOST, &answers, NULL, &trail, err)) {
		trail_clear(&trail);
		groups_clear(&answers);
		return -1;
	}
	list = json_array();
	for (size_t i = 0; i < trail.n; i++) {
		const struct report_point *r = &trail.item[i].r;

		if (r->point.side == POINT_END)
			continue;
		line = construct_at(s, list, r->kind, &r->place);
		point_format(&r->point, point);
		json_object_set_new(line, "times", json_integer(out_int(line, "times") + 1));
		json_object_set_new(line, "last", json_string(point));
	}
	open_constructs(s, who, list);
	add_group(groups, list);
	trail_clear(&trail);
	groups_clear(&answers);
	return 0;
}

static int gather_arrays(struct session *s, const struct rankset *who, json_t *groups,
			 struct err *err)
{
	struct fetch_objects objects;
	json_t *list;

	if (need_job(s, who, err) || fetch_names(s, "", who, &objects, err))
		return -1;
	list = json_array();
	for (size_t i = 0; i < objects.n; i++) {
		json_t *o = object_json(s, &objects.item[i]);

		json_object_set_new(o, "text",
				    rendered(json_pack("{s:s s:[O]}", "type", "what", "list", o)));
		json_array_append_new(list, o);
	}
	add_group(groups, list);
	fetch_objects_clear(&objects);
	return 0;
}

static int gather_points(struct session *s, const struct rankset *who, json_t *groups,
			 struct err *err)
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };
	json_t *list = NULL;
	int rc = need_job(s, who, err);

	if (!rc)
		rc = trail_ask(s, who, TRAIL_MOST, &answers, NULL, &trail, err);
	if (!rc)
		list = json_array();
	for (size_t i = 0; !rc && i < trail.n; i++) {
		const struct passed *p = &trail.item[i];
		char point[POINT_TEXT], place[512], text[700];
		json_t *line;

		snprintf(text, sizeof(text), "%s  %s  %s", point_format(&p->r.point, point),
			 construct_words(p->r.kind),
			 symbols_text(s->symbols, &p->r.place, place, sizeof(place)));
		line = json_pack("{s:o s:s}", "text", out_json_text(text), "point", point);
		if (!rankset_covers(&p->ranks, who))
			json_object_set_new(line, "ranks", ask_ranks(&p->ranks));
		json_array_append_new(list, line);
	}
	if (list)
		add_group(groups, list);
	trail_clear(&trail);
	groups_clear(&answers);
	return rc;
}

/* Without the command that searches. */
static int gather_history(struct session *s, const struct rankset *who, json_t *groups,
			  struct err *err)
{
	const struct history *h = s->shell->history;
	json_t *list = json_array();

	for (size_t i = 1; i <= history_count(h); i++) {
		const char *line = history_at(h, i);

		if (line && (i < history_count(h) || strncmp(line, "search", 6)))
			json_array_append_new(list, json_pack("{s:I s:o}", "number", (json_int_t)i,
							      "text", out_json_text(line)));
	}
	add_group(groups, list);
	return 0;
}

static int gather_findings(struct session *s, const struct rankset *who, json_t *groups,
			   struct err *err)
{
	json_t *answer = findings_list(s->findings, true), *list = json_array(), *one;
	size_t i;

	json_array_foreach(json_object_get(answer, "list"), i, one)
	{
		json_t *line = json_copy(one);

		json_object_set(line, "words", json_object_get(one, "text"));
		json_object_set_new(line, "text", rendered(json_incref(one)));
		json_array_append_new(list, line);
	}
	json_decref(answer);
	add_group(groups, list);
	return 0;
}

const struct search_place search_places[] = {
	{ "source", false, gather_source },
	{ "constructs", false, gather_constructs },
	{ "arrays", false, gather_arrays },
	{ "points", true, gather_points },
	{ "history", true, gather_history },
	{ "findings", true, gather_findings },
	{ NULL, false, NULL },
};
