/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/parse.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "frontend/model/actionpoints.h"
#include "frontend/model/ask.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/model/trail.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define MOST_LINES 10000

/* Where a passed point is. */
static int place_of_point(struct session *s, const struct rankset *who, const struct point *point,
			  char **file, uint32_t *line, struct err *err)
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };
	char text[POINT_TEXT];
	int rc = s->job ? trail_ask(s, who, TRAIL_MOST, &answers, NULL, &trail, err)
			: err_set(err, "list %s: no program is loaded", point_format(point, text));

	*file = NULL;
	for (size_t i = 0; !rc && i < trail.n && !*file; i++) {
		struct place place = trail.item[i].r.place;

		if (point_compare(&trail.item[i].r.point, point) != POINT_EQUAL)
			continue;
		symbols_resolve(s->symbols, &place);
		*file = xstrdup(place.file);
		*line = place.line;
	}
	if (!rc && !*file)
		rc = err_set(err, "point %s has not been passed", point_format(point, text));
	trail_clear(&trail);
	groups_clear(&answers);
	return rc;
}

static json_int_t line_of(const json_t *line)
{
	return json_integer_value(json_object_get(line, "line"));
}

/* The newest numbers of constructs per line of the file: "3" beside line 61. */
static void mark_constructs(struct session *s, const struct rankset *who, const char *file,
			    json_t *lines)
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };

	if (!s->job || !who->n || trail_ask(s, who, TRAIL_MOST, &answers, NULL, &trail, NULL))
		goto out;
	for (size_t i = 0; i < trail.n; i++) {
		struct place place = trail.item[i].r.place;
		char text[POINT_TEXT];
		json_t *line;

		symbols_resolve(s->symbols, &place);
		if (strcmp(place.file, file))
			continue;
		line = json_array_get(lines, (size_t)place.line -
						     (size_t)line_of(json_array_get(lines, 0)));
		if (!line || line_of(line) != place.line)
			continue;
		point_format(&trail.item[i].r.point, text);
		text[strlen(text) - 2] = 0;
		json_object_set_new(line, "points", json_string(text));
	}
out:
	trail_clear(&trail);
	groups_clear(&answers);
}

/* The file and the line around which or from which list shows. */
struct target {
	char *file; /* owned */
	uint32_t line;
	uint32_t last; /* of a procedure that is shown whole; 0: as many as are requested */
	bool middle;   /* line is in the middle, not the first */
	bool exact;    /* last was asked for */
};

/* Where debug information has the function, else where an open one announces itself. */
static int place_of_function(struct session *s, const struct rankset *who, const char *name,
			     struct target *t, struct err *err)
{
	struct msg_query q = { .kind = QUERY_STACK };
	struct report_stack *stack = xcalloc(1, sizeof(*stack));
	struct groups answers = { 0 };
	struct symbol_function f;

	if (s->job && symbols_function(s->symbols, job_path(s->job), name, &f)) {
		t->file = xstrdup(f.file);
		t->line = f.first;
		t->last = f.last > f.first ? f.last : 0;
	}
	if (!t->file && s->job && who->n && !ask(s, &q, who, &answers, NULL, NULL)) {
		for (size_t i = 0; i < answers.n && !t->file; i++) {
			struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

			if (report_stack_get(stack, &b))
				continue;
			for (uint32_t k = 0; k < stack->n && !t->file; k++) {
				struct place place = stack->frame[k].place;

				symbols_resolve(s->symbols, &place);
				if (stack->frame[k].kind != CONSTRUCT_FUNCTION ||
				    strcmp(place.func, name))
					continue;
				t->file = xstrdup(place.file);
				t->line = place.line;
			}
		}
	}
	free(stack);
	groups_clear(&answers);
	return t->file ? 0
		       : err_set(err,
				 "list %s: no open function and no function of the debug "
				 "information has that name; give file:line, a line of the current "
				 "file, or a point",
				 name);
}

/* A source file of the debug information that a name means. */
struct unit_search {
	const char *file;
	char *found; /* allocated */
};

static void inspect_at_unit(void *arg, const char *path)
{
	struct unit_search *u = arg;

	if (!u->found && rule_file_matches(u->file, path))
		u->found = xstrdup(path);
}

/* The path by which the program knows the file, when it has passed a point in it; allocated. */
static char *full_path(struct session *s, const struct rankset *who, const char *file)
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };
	char *found = NULL;

	if (s->shell->file && rule_file_matches(file, s->shell->file))
		return xstrdup(s->shell->file);
	if (s->job && who->n && !trail_ask(s, who, TRAIL_MOST, &answers, NULL, &trail, NULL)) {
		for (size_t i = 0; i < trail.n && !found; i++) {
			struct place place = trail.item[i].r.place;

			symbols_resolve(s->symbols, &place);
			if (rule_file_matches(file, place.file))
				found = xstrdup(place.file);
		}
	}
	trail_clear(&trail);
	groups_clear(&answers);
	if (!found && s->job) {
		struct unit_search u = { .file = file };

		symbols_sources(s->symbols, job_path(s->job), inspect_at_unit, &u);
		found = u.found;
	}
	return found ? found : xstrdup(file);
}

/* Members of the set that are at the place that is shown, and those that are not. */
struct where {
	char file[1024];
	uint32_t line;
	struct rankset here, elsewhere;
};

static void where_clear(struct where *w)
{
	rankset_clear(&w->here);
	rankset_clear(&w->elsewhere);
}

/* Where those that have stopped so are: at a mark, or where they have crashed or were halted. */
static bool place_of_stop(struct session *s, struct report_stop *r, const struct rankset *ranks,
			  char *file, size_t size, uint32_t *line)
{
	if (session_at_no_mark(r))
		return session_native_place(s, ranks, file, size, line);
	if (r->frame.kind >= CONSTRUCT_KINDS)
		return false;
	symbols_resolve(s->symbols, &r->frame.place);
	snprintf(file, size, "%s", r->frame.place.file);
	*line = r->frame.place.line;
	return *file && *line;
}

/* Adds a group of stopped ranks: the first decides about the place. */
static void add_group(struct session *s, struct where *w, const struct rank_group *g,
		      const struct rankset *who)
{
	struct buf b = buf_view(g->blob, g->len);
	struct rankset part = { 0 };
	struct report_stop r;
	char file[1024];
	uint32_t line;

	if (report_stop_get(&r, &b))
		return;
	xrankset_copy(&part, &g->ranks);
	xrankset_intersect(&part, who);
	if (!part.n || !place_of_stop(s, &r, &part, file, sizeof(file), &line)) {
		rankset_clear(&part);
		return;
	}
	if (!w->here.n) {
		snprintf(w->file, sizeof(w->file), "%s", file);
		w->line = line;
	}
	if (w->line == line && !strcmp(w->file, file))
		xrankset_add_set(&w->here, &part);
	else
		xrankset_add_set(&w->elsewhere, &part);
	rankset_clear(&part);
}

/* Where the members of the set are; nothing is here when none is stopped at a place. */
static void find_where(struct session *s, const struct rankset *who, struct where *w)
{
	const struct groups *stops = s->job ? job_stops(s->job) : NULL;

	for (size_t i = 0; stops && i < stops->n; i++)
		add_group(s, w, &stops->group[i], who);
}

/* Members that run have no place. */
static int check_stopped(struct session *s, const struct rankset *who, struct err *err)
{
	struct rankset running = { 0 };
	char text[200];
	int rc = 0;

	if (s->job) {
		xrankset_copy(&running, who);
		xrankset_intersect(&running, job_set(s->job, JOB_RUNNING));
		if (running.n)
			rc = err_set(err, "list $EXEC: %s: running; halt stops those that run",
				     rankset_format(&running, text, sizeof(text)));
	}
	rankset_clear(&running);
	return rc;
}

/* The path of the source file that the word names; allocated, NULL when it names none. */
static char *file_named(struct session *s, const struct rankset *who, const char *word)
{
	char *path;

	if (!strchr(word, '.') || strchr(word, ':') || *word == '#')
		return NULL;
	path = full_path(s, who, word);
	if (path && source_find(s->shell->source, path, settings_text(s->set, "SOURCE_PATH"),
				s->spec.argv ? s->spec.argv[0] : NULL, NULL))
		return path;
	free(path);
	return NULL;
}

/* Where list goes on, or begins when nothing has been listed. back: before what was listed. */
static int go_on(struct session *s, bool back, struct target *t, struct err *err)
{
	struct shell *sh = s->shell;
	struct symbol_function f;

	if (!sh->file && s->job && symbols_function(s->symbols, job_path(s->job), "main", &f)) {
		t->file = xstrdup(f.file);
		t->line = f.first;
		return 0;
	}
	if (!sh->file)
		return err_set(err, "list: there is no current place yet; give file:line");
	t->file = xstrdup(sh->file);
	t->middle = !sh->listed;
	t->line = !sh->listed ? sh->line : back ? sh->listed_from - 1 : sh->listed + 1;
	return 0;
}

/* "10,20" or "heat.c:10,20", as gdb has it: these lines. False: it is none; without a file there is
 * err. */
static bool take_lines_of(struct session *s, struct cmd_call *call, struct target *t,
			  struct err *err)
{
	const char *comma = call->argc == 1 ? strrchr(call->rest, ',') : NULL;
	struct location loc;
	uint64_t last;
	char *first;

	if (!comma || parse_uint(comma + 1, 0, UINT32_MAX, &last))
		return false;
	first = xstrndup(call->rest, (size_t)(comma - call->rest));
	if (location_parse(&loc, first, s->shell->file, NULL) || loc.kind != RULE_LINE) {
		free(first);
		return false;
	}
	free(first);
	t->file = full_path(s, &call->who, loc.file);
	t->line = loc.line;
	t->last = last;
	t->exact = true;
	t->middle = false;
	if (last >= loc.line)
		return true;
	free(t->file);
	t->file = NULL;
	err_set(err, "list %s: the last line comes before the first", call->rest);
	return true;
}

static int find_target(struct session *s, struct cmd_call *call, bool back, const struct where *w,
		       struct target *t, struct err *err)
{
	struct shell *sh = s->shell;
	struct location loc;

	t->middle = true;
	if (take_lines_of(s, call, t, err))
		return t->file ? 0 : -1;
	if (!strcmp(call->rest, "$EXEC")) {
		if (check_stopped(s, &call->who, err))
			return -1;
		if (!w->here.n)
			return err_set(err,
				       "list $EXEC: no rank is stopped at a place with a source");
		t->file = xstrdup(w->file);
		t->line = w->line;
	} else if (!call->argc) {
		return go_on(s, back, t, err);
	} else if ((t->file = file_named(s, &call->who, call->rest))) {
		t->line = 1;
		t->middle = false;
	} else if (location_parse(&loc, call->rest, sh->file, err)) {
		return -1;
	} else if (loc.kind == RULE_POINT) {
		return place_of_point(s, &call->who, &loc.point, &t->file, &t->line, err);
	} else if (loc.kind == RULE_NAME) {
		t->middle = false;
		return place_of_function(s, &call->who, loc.file, t, err);
	} else {
		t->file = full_path(s, &call->who, loc.file);
		t->line = loc.line;
	}
	return 0;
}

/* The first line to be shown of n around, from, or (n < 0) up to the target, and in *count how
 * many. */
static uint32_t first_line(const struct target *t, long n, bool given, uint32_t *count)
{
	long first = t->line;

	*count = (uint32_t)labs(n);
	if (n < 0)
		first = (long)t->line + n + 1;
	else if (t->last && !given)
		*count = t->last - t->line + 1;
	else if (t->middle)
		first = (long)t->line - n / 2;
	if (first < 1) {
		/* The window as far as it is in the file. */
		*count = (uint32_t)((long)*count + first - 1);
		first = 1;
	}
	return (uint32_t)first;
}

static json_t *take_lines(struct session *s, const struct source_file *f, const struct target *t,
			  uint32_t first, uint32_t count, const struct where *w)
{
	json_t *lines = json_array();

	for (uint32_t i = first; i <= f->n && i - first < count; i++) {
		json_t *line = json_pack("{s:I s:o}", "line", (json_int_t)i, "text",
					 out_json_text(f->line[i - 1]));

		if (w->here.n && i == w->line && rule_file_matches(t->file, w->file))
			json_object_set_new(line, "current", json_true());
		json_array_append_new(lines, line);
		s->shell->listed = i;
	}
	s->shell->listed_from = first;
	return lines;
}

/* The brace that ends a function in C, whose last line with code is last: an inlined one has none
 * there. */
static uint32_t closing_line(const struct source_file *f, uint32_t last)
{
	uint32_t i = last;

	while (i < f->n && strchr(" \t", *f->line[i]))
		i++;
	return i < f->n && *f->line[i] == '}' && *f->line[last - 1] != '}' ? i + 1 : last;
}

/* Shows the target; its file is taken over. */
static int show(struct session *s, struct cmd_call *call, struct target *t, long n, bool given,
		const struct where *w, struct err *err)
{
	const struct source_file *f =
		source_find(s->shell->source, t->file, settings_text(s->set, "SOURCE_PATH"),
			    s->spec.argv ? s->spec.argv[0] : NULL, err);
	uint32_t first, count;
	json_t *lines;

	if (f && !call->argc && (t->line > f->n || !t->line)) {
		out_note(s->out, t->line ? "%s ends with line %u" : "%s begins with line 1",
			 t->file, f->n);
		free(t->file);
		return 0;
	}
	if (f && (!t->line || t->line > f->n)) {
		err_set(err, "%s has %u lines, there is no line %u", t->file, f->n, t->line);
		f = NULL;
	}
	if (!f) {
		free(t->file);
		return -1;
	}
	if (t->last && !t->exact)
		t->last = closing_line(f, t->last);
	first = first_line(t, n, given, &count);
	lines = take_lines(s, f, t, first, count, w);
	mark_constructs(s, &call->who,
			w->here.n && rule_file_matches(t->file, w->file) ? w->file : t->file,
			lines);
	out_answer(s->out, json_pack("{s:s s:o s:o}", "type", "list", "file",
				     out_json_text(t->file), "list", lines));
	free(s->shell->file);
	s->shell->file = t->file;
	if (t->middle || call->argc)
		s->shell->line = t->line;
	return 0;
}

enum { LIST_LENGTH };

static int run_list(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *length = call->option[LIST_LENGTH];
	char here[200], there[200];
	long n = settings_number(s->set, "MAX_LIST");
	struct target t = { 0 };
	struct where w = { 0 };
	int rc;

	if (length && (parse_int(length, -MOST_LINES, MOST_LINES, &n) || !n))
		return err_set(err, "list -length %s: 1 to %d are allowed, and -1 to -%d", length,
			       MOST_LINES, MOST_LINES);
	/* as gdb has it: what comes before */
	if (!strcmp(call->rest, "-")) {
		call->rest = "";
		call->argc = 0;
		n = -labs(n);
	}
	find_where(s, &call->who, &w);
	rc = find_target(s, call, n < 0, &w, &t, err);
	if (!rc)
		rc = show(s, call, &t, n, length, &w, err);
	if (!rc && w.elsewhere.n && !strcmp(call->rest, "$EXEC"))
		out_warning(s->out, "this is where %s is; %s is elsewhere",
			    rankset_format(&w.here, here, sizeof(here)),
			    rankset_format(&w.elsewhere, there, sizeof(there)));
	where_clear(&w);
	return rc;
}

const struct cmd cmd_list = {
	.name = "list",
	.args = "[loc | line,line | - | $EXEC] [-length n]",
	.brief = "source lines, with the numbers of constructs",
	.help = "Without a location it goes on where the last list ended, at first around the "
		"current place. A line is shown in the middle, a file from its start, a function "
		"whole; 10,20 shows these lines, - the lines before those shown last. $EXEC is "
		"where the set's ranks are stopped; -> marks that line. The newest number of the "
		"construct on a line is shown next to it. Sources are searched under their own "
		"path, in SOURCE_PATH, in the directory of the program, and where they were "
		"compiled.",
	.both = CMD_PLACE,
	.example = "list heat.c:61 -length 30",
	.completes = "point|construct|file|=$EXEC",
	.option = { [LIST_LENGTH] = { "length", CMD_STRING,
				      "how many lines, negative: before the place; default "
				      "MAX_LIST" } },
	.run = run_list,
};
