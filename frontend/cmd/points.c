/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of passed points and of the source: points list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/construct.h"
#include "common/err.h"
#include "frontend/actionpoints.h"
#include "frontend/ask.h"
#include "frontend/cmd_list.h"
#include "frontend/out.h"
#include "frontend/search.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"
#include "frontend/source.h"
#include "frontend/symbol.h"

#define POINTS_MOST 100000

/* A passed point and the ranks that have passed it; places stay in the answers. */
struct passed {
	struct report_point r;
	struct rankset ranks;
};

struct trail {
	struct passed *item;
	size_t n, cap;
};

static void trail_clear(struct trail *t)
{
	for (size_t i = 0; i < t->n; i++)
		rankset_clear(&t->item[i].ranks);
	free(t->item);
	memset(t, 0, sizeof(*t));
}

/* The order of the list; the tasks of a region follow one another by number. */
static int by_point(const void *pa, const void *pb)
{
	const struct passed *a = pa, *b = pb;
	enum point_order o = point_compare(&a->r.point, &b->r.point);

	if (o == POINT_BEFORE || o == POINT_AFTER)
		return o == POINT_BEFORE ? -1 : 1;
	return a->r.point.task != b->r.point.task ? (a->r.point.task < b->r.point.task ? -1 : 1)
						  : 0;
}

/* The first of the sorted ones that is not before r. */
static size_t trail_find(const struct trail *t, size_t sorted, const struct report_point *r)
{
	struct passed key = { .r = *r };
	size_t lo = 0, hi = sorted;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_point(&t->item[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Adds a point that ranks have passed: to one of the sorted ones, else behind all. */
static int trail_add(struct trail *t, size_t sorted, const struct report_point *r,
		     const struct rankset *ranks)
{
	for (size_t i = trail_find(t, sorted, r); i < sorted; i++) {
		struct passed *p = &t->item[i];

		if (point_compare(&p->r.point, &r->point) != POINT_EQUAL)
			break;
		if (p->r.kind != r->kind || !place_equal(&p->r.place, &r->place))
			continue;
		if (r->usec)
			p->r.usec = r->usec;
		return rankset_add_set(&p->ranks, ranks);
	}
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 64;
		struct passed *grown = realloc(t->item, cap * sizeof(*grown));

		if (!grown)
			return -1;
		t->item = grown;
		t->cap = cap;
	}
	t->item[t->n] = (struct passed){ .r = *r };
	return rankset_copy(&t->item[t->n++].ranks, ranks);
}

/* The points that the ranks of who have passed, at most n each, oldest first. */
static int trail_ask(struct session *s, const struct rankset *who, uint32_t n,
		     struct differ *answers, struct rankset *silent, struct trail *out,
		     struct err *err)
{
	struct msg_query q = { .kind = QUERY_POINTS,
			       .n = n,
			       .rank = (uint32_t)rankset_next(who, 0) };

	if (ask(s, &q, who, answers, silent, err))
		return -1;
	for (size_t i = 0; i < answers->n; i++) {
		struct buf b = buf_view(answers->group[i].blob, answers->group[i].len);
		uint32_t count = buf_get_u32(&b);
		size_t sorted = out->n;

		for (uint32_t k = 0; k < count; k++) {
			struct report_point r;

			report_point_get(&r, &b);
			if (b.bad)
				break;
			if (trail_add(out, sorted, &r, &answers->group[i].ranks))
				return err_set(err, "out of memory");
		}
		if (out->n > sorted)
			qsort(out->item, out->n, sizeof(*out->item), by_point);
	}
	return 0;
}

static json_t *passed_json(struct session *s, const struct passed *p, const struct rankset *who)
{
	char point[POINT_TEXT];
	json_t *o = json_pack("{s:s s:s}", "point", point_format(&p->r.point, point), "construct",
			      construct_words(p->r.kind));

	ask_put_place(s, o, &p->r.place);
	if (p->r.usec)
		json_object_set_new(o, "seconds", json_real((double)p->r.usec / 1e6));
	if (!rankset_covers(&p->ranks, who))
		json_object_set_new(o, "ranks", ask_ranks(&p->ranks));
	return o;
}

/* Whether the pattern matches the point as it is shown: "3.B  parallel loop  heat.c:61". */
static bool wanted(struct session *s, const struct search *pattern, const struct passed *p)
{
	char point[POINT_TEXT], place[512], text[700];

	if (!pattern)
		return true;
	snprintf(text, sizeof(text), "%s  %s  %s", point_format(&p->r.point, point),
		 construct_words(p->r.kind),
		 symbols_text(s->symbols, &p->r.place, place, sizeof(place)));
	return search_match(pattern, text);
}

enum { POINTS_LAST };

static int run_points(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *last = call->option[POINTS_LAST];
	long n = last ? strtol(last, NULL, 10) : settings_number(s->set, "MAX_LIST");
	struct search *pattern = NULL;
	struct differ answers = { 0 };
	struct rankset silent = { 0 };
	struct trail trail = { 0 };
	json_t *list, *o;
	size_t first;
	int rc;

	if (n < 1 || n > POINTS_MOST)
		return err_set(err, "points -last %s: 1 to %d are allowed", last, POINTS_MOST);
	if (*call->rest) {
		pattern = search_create(call->rest, err);
		if (!pattern)
			return -1;
	}
	/* A pattern is looked for in all that is kept; the newest of what fits is shown. */
	rc = trail_ask(s, &call->who, pattern ? POINTS_MOST : (uint32_t)n, &answers, &silent,
		       &trail, err);
	list = json_array();
	for (first = trail.n; !rc && first && json_array_size(list) < (size_t)n; first--)
		if (wanted(s, pattern, &trail.item[first - 1]))
			json_array_insert_new(list, 0,
					      passed_json(s, &trail.item[first - 1], &call->who));
	if (rc) {
		json_decref(list);
	} else {
		o = json_pack("{s:s s:o}", "type", "points", "list", list);
		if (trail.n && !json_array_size(list))
			json_object_set_new(o, "text", json_string("no point fits the pattern"));
		if (silent.n)
			json_object_set_new(o, "silent", ask_ranks(&silent));
		out_answer(s->out, o);
	}
	search_destroy(pattern);
	trail_clear(&trail);
	differ_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

const struct cmd cmd_points = {
	.name = "points",
	.args = "[regex] [-last n]",
	.brief = "the points passed so far, with construct, place and time",
	.help = "The newest come last; MAX_LIST of them unless -last says otherwise. A pattern "
		"(PCRE2) is looked "
		"for in the line as it is shown. Times are seconds since the start of the first "
		"rank of the "
		"set, for the points that it has passed. Ranks are told where not all members have "
		"passed the point.",
	.both = CMD_SHOW,
	.example = "points heat.c:6. -last 5",
	.raw = true,
	.needs_job = true,
	.option = { [POINTS_LAST] = { "last", CMD_NUMBER, "how many, the newest" } },
	.run = run_points,
};

/* Where a passed point is. */
static int place_of_point(struct session *s, const struct rankset *who, const struct point *point,
			  char **file, uint32_t *line, struct err *err)
{
	struct differ answers = { 0 };
	struct trail trail = { 0 };
	char text[POINT_TEXT];
	int rc = s->job ? trail_ask(s, who, POINTS_MOST, &answers, NULL, &trail, err)
			: err_set(err, "list %s: no program is loaded", point_format(point, text));

	*file = NULL;
	for (size_t i = 0; !rc && i < trail.n && !*file; i++) {
		struct place place = trail.item[i].r.place;

		if (point_compare(&trail.item[i].r.point, point) != POINT_EQUAL)
			continue;
		symbols_resolve(s->symbols, &place);
		*file = strdup(place.file);
		*line = place.line;
	}
	if (!rc && !*file)
		rc = err_set(err, "point %s has not been passed", point_format(point, text));
	trail_clear(&trail);
	differ_clear(&answers);
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
	struct differ answers = { 0 };
	struct trail trail = { 0 };

	if (!s->job || !who->n || trail_ask(s, who, POINTS_MOST, &answers, NULL, &trail, NULL))
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
	differ_clear(&answers);
}

/* The file and the line around which or from which list shows. */
struct target {
	char *file; /* owned */
	uint32_t line;
	bool middle; /* line is in the middle, not the first */
};

/* Where the open function of that name announces itself. */
static int place_of_function(struct session *s, const struct rankset *who, const char *name,
			     struct target *t, struct err *err)
{
	struct msg_query q = { .kind = QUERY_STACK };
	struct report_stack *stack = calloc(1, sizeof(*stack));
	struct differ answers = { 0 };

	if (stack && s->job && who->n && !ask(s, &q, who, &answers, NULL, NULL)) {
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
				t->file = strdup(place.file);
				t->line = place.line;
			}
		}
	}
	free(stack);
	differ_clear(&answers);
	return t->file ? 0
		       : err_set(err,
				 "list %s: no function that is open now has that name; give "
				 "file:line, a line of the current file, or a point",
				 name);
}

/* The path by which the program knows the file, when it has passed a point in it; allocated. */
static char *full_path(struct session *s, const struct rankset *who, const char *file)
{
	struct differ answers = { 0 };
	struct trail trail = { 0 };
	char *found = NULL;

	if (s->shell->file && rule_file_matches(file, s->shell->file))
		return strdup(s->shell->file);
	if (s->job && who->n && !trail_ask(s, who, POINTS_MOST, &answers, NULL, &trail, NULL)) {
		for (size_t i = 0; i < trail.n && !found; i++) {
			struct place place = trail.item[i].r.place;

			symbols_resolve(s->symbols, &place);
			if (rule_file_matches(file, place.file))
				found = strdup(place.file);
		}
	}
	trail_clear(&trail);
	differ_clear(&answers);
	return found ? found : strdup(file);
}

static int find_target(struct session *s, struct cmd_call *call, struct target *t, struct err *err)
{
	struct shell *sh = s->shell;
	struct location loc;
	char file[1024];
	bool here = !strcmp(call->rest, "$EXEC");

	t->middle = true;
	if (here && shell_place(s, file, sizeof(file), &t->line)) {
		t->file = strdup(file);
	} else if (here) {
		return err_set(err, "list $EXEC: no rank is stopped at a place with a source");
	} else if (!call->argc) {
		if (!sh->file)
			return err_set(err, "list: there is no current place yet; give file:line");
		t->file = strdup(sh->file);
		t->middle = !sh->listed;
		t->line = sh->listed ? sh->listed + 1 : sh->line;
	} else if (location_parse(&loc, call->rest, sh->file, err)) {
		return -1;
	} else if (loc.kind == RULE_POINT) {
		return place_of_point(s, &call->who, &loc.point, &t->file, &t->line, err);
	} else if (loc.kind == RULE_NAME) {
		return place_of_function(s, &call->who, loc.file, t, err);
	} else {
		t->file = full_path(s, &call->who, loc.file);
		t->line = loc.line;
	}
	return t->file ? 0 : err_set(err, "out of memory");
}

enum { LIST_LENGTH };

static int run_list(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *length = call->option[LIST_LENGTH];
	long n = length ? strtol(length, NULL, 10) : settings_number(s->set, "MAX_LIST");
	const struct source_file *f = NULL;
	struct target t = { 0 };
	uint32_t first, here = 0;
	char stopped[1024] = "";
	json_t *lines;

	if (n < 1 || n > 10000)
		return err_set(err, "list -length %s: 1 to 10000 are allowed", length);
	if (find_target(s, call, &t, err))
		return -1;
	f = source_find(s->shell->source, t.file, settings_text(s->set, "SOURCE_PATH"),
			s->spec.argv ? s->spec.argv[0] : NULL, err);
	if (f && (!t.line || t.line > f->n)) {
		err_set(err, "%s has %u lines, there is no line %u", t.file, f->n, t.line);
		f = NULL;
	}
	if (!f) {
		free(t.file);
		return -1;
	}
	first = t.middle ? (t.line > n / 2 ? t.line - (uint32_t)(n / 2) : 1) : t.line;
	shell_place(s, stopped, sizeof(stopped), &here);
	lines = json_array();
	for (uint32_t i = first; i <= f->n && i - first < n; i++) {
		json_t *line = json_pack("{s:I s:o}", "line", (json_int_t)i, "text",
					 out_json_text(f->line[i - 1]));

		if (i == here && rule_file_matches(t.file, stopped))
			json_object_set_new(line, "current", json_true());
		json_array_append_new(lines, line);
		s->shell->listed = i;
	}
	mark_constructs(s, &call->who,
			*stopped && rule_file_matches(t.file, stopped) ? stopped : t.file, lines);
	out_answer(s->out, json_pack("{s:s s:o s:o}", "type", "list", "file", out_json_text(t.file),
				     "list", lines));
	free(s->shell->file);
	s->shell->file = t.file;
	if (t.middle)
		s->shell->line = t.line;
	return 0;
}

const struct cmd cmd_list = {
	.name = "list",
	.args = "[loc | $EXEC] [-length n]",
	.brief = "source lines, with the numbers of constructs",
	.help = "Without a location it goes on where the last list ended, at first around the "
		"current place. "
		"-> marks where the ranks are stopped; beside a line stands the newest number of "
		"the "
		"construct on it. Sources are looked for under their own path, in SOURCE_PATH, "
		"beside the program.",
	.both = CMD_PLACE,
	.example = "list heat.c:61 -length 30",
	.completes = "point",
	.option = { [LIST_LENGTH] = { "length", CMD_NUMBER,
				      "how many lines; MAX_LIST without it" } },
	.run = run_list,
};
