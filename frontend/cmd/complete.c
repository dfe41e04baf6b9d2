/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/cmd.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"
#include "frontend/data/fetch.h"
#include "frontend/model/actionpoints.h"
#include "frontend/model/alias.h"
#include "frontend/model/ask.h"
#include "frontend/model/focus.h"
#include "frontend/model/trail.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define POINTS_OFFERED 50
#define PLACES_LOOKED 4096

/* ---- kinds of words: names that the tables and the session know ---- */

/* A word that is being typed, and where candidates for it go. */
struct offer {
	struct complete *c;
	const char *typed; /* borrowed; len bytes of it */
	size_t len;
	const char *line;   /* borrowed; of which both are parts */
	const char *before; /* borrowed; the word before it, "" when there is none */
	size_t before_len;
};

/* Offers before and word together, when that begins with what is typed. */
static void offer(struct offer *o, const char *before, const char *word)
{
	char *text = xasprintf("%s%s", before, word);

	if (strncmp(text, o->typed, o->len)) {
		free(text);
		return;
	}
	for (size_t i = 0; i < o->c->n; i++) {
		if (!strcmp(o->c->word[i], text)) {
			free(text);
			return;
		}
	}
	xvec_more(o->c->word, o->c->n, 1);
	o->c->word[o->c->n++] = text;
}

/* In the table's spelling, however it is typed. */
static void offer_any_case(struct offer *o, const char *before, const char *word)
{
	size_t n = strlen(before);
	struct offer any = { .c = o->c, .typed = "" };

	if (n <= o->len && !strncmp(before, o->typed, n) &&
	    !strncasecmp(word, o->typed + n, o->len - n))
		offer(&any, before, word);
}

static void offer_aliases(struct offer *o, struct session *s)
{
	const char *name;

	for (size_t i = 0; (name = alias_at(s->shell->alias, i, NULL)); i++)
		offer(o, "", name);
}

static void offer_verbs(struct offer *o, struct session *s)
{
	for (size_t i = 0; cmd_at(i); i++)
		offer(o, "", cmd_at(i)->name);
	offer_aliases(o, s);
}

static void offer_topics(struct offer *o, struct session *s)
{
	for (size_t i = 0; topics[i].name; i++)
		offer(o, "", topics[i].name);
}

/* What of a set is before the member that is being typed, "[0,": its length. */
static size_t set_begun(const struct offer *o)
{
	size_t n = o->len;

	while (n && !strchr(",[{!", o->typed[n - 1]))
		n--;
	return n;
}

static void offer_subjects(struct offer *o, struct session *s)
{
	const char *name;

	for (size_t i = 0; (name = habit_subject(i)); i++)
		offer(o, "", name);
}

/* In brackets, or behind those members that are typed; names alone where names are asked for. */
static void offer_set(struct offer *o, const char *name)
{
	size_t n = set_begun(o);
	char before[128], text[160];

	if (n >= sizeof(before))
		return;
	snprintf(before, sizeof(before), "%.*s", (int)n, o->typed);
	snprintf(text, sizeof(text), "%s%.100s%s", n ? "" : "[", name,
		 n && *before == '{' ? "}" : "]");
	offer(o, before, text);
	if (!n)
		offer(o, "", name);
}

static void offer_sets(struct offer *o, struct session *s)
{
	const char *name;

	for (size_t i = 0; (name = focus_builtin(i)); i++)
		offer_set(o, name);
	for (size_t i = 0; (name = focus_name(s->shell->focus, i, NULL)); i++)
		offer_set(o, name);
}

/* Names of sets that were defined, without brackets. */
static void offer_own_sets(struct offer *o, struct session *s)
{
	const char *name;

	for (size_t i = 0; (name = focus_name(s->shell->focus, i, NULL)); i++)
		offer(o, "", name);
}

/* The words of "one|two" after `before`. */
static void offer_choices(struct offer *o, const char *before, const char *choices)
{
	for (const char *p = choices; *p;) {
		size_t n = strcspn(p, "|");
		char word[64];

		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		offer_any_case(o, before, word);
		p += n + (p[n] == '|');
	}
}

/* A setting, or behind "NAME=" what it can be. */
static void offer_settings(struct offer *o, struct session *s)
{
	size_t n = strcspn(o->typed, "= ");
	bool valued = n < o->len && o->typed[n] == '=', dollar = o->typed[0] == '$';
	const char *name;
	char before[128];

	for (size_t i = 0; (name = settings_name(i)); i++) {
		if (!valued) {
			offer_any_case(o, dollar ? "$" : "", name);
			continue;
		}
		if (strlen(name) != n - dollar ||
		    strncasecmp(name, o->typed + dollar, n - dollar) || n + 1 >= sizeof(before))
			continue;
		snprintf(before, sizeof(before), "%.*s", (int)n + 1, o->typed);
		offer_choices(o, before, settings_choices(i));
	}
}

/* The word before the one at `at`, which is a part of line; *n is its length, 0 when there is none.
 */
static const char *word_before(const char *line, const char *at, size_t *n)
{
	const char *end = at;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	for (at = end; at > line && !isspace((unsigned char)at[-1]);)
		at--;
	*n = (size_t)(end - at);
	return at;
}

/* What the setting before can be: "set NAME ", "set NAME = ". */
static void offer_values(struct offer *o, struct session *s)
{
	const char *name, *word = o->before;
	size_t n = o->before_len;
	bool equals = n == 1 && *word == '=';

	if (equals)
		word = word_before(o->line, word, &n);
	if (n && *word == '$') {
		word++;
		n--;
	}
	for (size_t i = 0; (name = settings_name(i)); i++) {
		if (strlen(name) != n || strncasecmp(name, word, n))
			continue;
		offer_choices(o, "", settings_choices(i));
		if (!equals && !o->len)
			offer(o, "", "=");
	}
}

static void offer_ids(struct offer *o, struct session *s)
{
	char text[16];

	for (size_t i = 0; i < actionpoints_count(s->acts); i++) {
		snprintf(text, sizeof(text), "%u", actionpoints_at(s->acts, i)->rule.id);
		offer(o, "", text);
	}
}

static void offer_findings(struct offer *o, struct session *s)
{
	for (unsigned i = 0; i < FINDING_KINDS; i++)
		offer(o, "", finding_kind_key(i));
}

static bool stopped(const struct session *s)
{
	return s->job && job_set(s->job, JOB_STOPPED)->n;
}

/* Fields of the object whose name ends where typed has its '.' (at). */
static void offer_fields(struct offer *o, const struct fetch_object *object, const char *before)
{
	const struct array_desc *d = &object->desc;

	for (uint32_t i = 0; i < d->nfield; i++)
		offer(o, before, d->field[i].name);
}

/* Names in the expression's last word: what is before the name stays. */
static void offer_objects(struct offer *o, struct session *s)
{
	struct fetch_objects objects;
	size_t at = o->len, owner;
	char before[256];

	o->c->open = true;
	if (!stopped(s))
		return;
	while (at && (isalnum((unsigned char)o->typed[at - 1]) || o->typed[at - 1] == '_'))
		at--;
	if (at >= sizeof(before) ||
	    fetch_names(s, "", job_set(s->job, JOB_STOPPED), &objects, NULL))
		return;
	memcpy(before, o->typed, at);
	before[at] = 0;
	owner = at ? at - 1 : 0;
	while (owner && (isalnum((unsigned char)before[owner - 1]) || before[owner - 1] == '_'))
		owner--;
	for (size_t i = 0; i < objects.n; i++) {
		const char *name = objects.item[i].desc.name;
		size_t n = strlen(name);

		if (!at || before[at - 1] != '.')
			offer(o, before, name);
		else if (at - 1 - owner == n && !strncmp(before + owner, name, n))
			offer_fields(o, &objects.item[i], before);
	}
	fetch_objects_clear(&objects);
}

/* What the stopped ranks have passed last, at most n points. */
static void with_trail(struct offer *o, struct session *s, uint32_t n,
		       void (*fn)(struct offer *o, struct session *s, const struct report_point *r))
{
	struct groups answers = { 0 };
	struct trail trail = { 0 };

	if (stopped(s) &&
	    !trail_ask(s, job_set(s->job, JOB_STOPPED), n, &answers, NULL, &trail, NULL))
		for (size_t i = 0; i < trail.n; i++)
			fn(o, s, &trail.item[i].r);
	trail_clear(&trail);
	groups_clear(&answers);
}

static void offer_point(struct offer *o, struct session *s, const struct report_point *r)
{
	char text[POINT_TEXT];

	offer(o, "", point_format(&r->point, text));
}

static void offer_points(struct offer *o, struct session *s)
{
	with_trail(o, s, POINTS_OFFERED, offer_point);
}

static void offer_place(struct offer *o, struct session *s, const struct report_point *r)
{
	char text[512];

	if (strchr(symbols_text(s->symbols, &r->place, text, sizeof(text)), ':'))
		offer(o, "", text);
}

/* Functions that are open announce themselves, so they can be stopped at again. */
static void offer_functions(struct offer *o, struct session *s)
{
	struct msg_query q = { .kind = QUERY_STACK };
	struct report_stack *stack = xcalloc(1, sizeof(*stack));
	struct groups answers = { 0 };

	if (stopped(s) && !ask(s, &q, job_set(s->job, JOB_STOPPED), &answers, NULL, NULL)) {
		for (size_t i = 0; i < answers.n; i++) {
			struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

			if (report_stack_get(stack, &b))
				continue;
			for (uint32_t k = 0; k < stack->n; k++) {
				struct place place = stack->frame[k].place;

				symbols_resolve(s->symbols, &place);
				if (stack->frame[k].kind == CONSTRUCT_FUNCTION && place.func &&
				    *place.func)
					offer(o, "", place.func);
			}
		}
	}
	free(stack);
	groups_clear(&answers);
}

/* file:line of constructs that were met, and functions. */
static void offer_constructs(struct offer *o, struct session *s)
{
	with_trail(o, s, PLACES_LOOKED, offer_place);
	offer_functions(o, s);
}

/* Numbers such as those of history begin with nothing that could be offered; files are readline's.
 */
static void offer_files(struct offer *o, struct session *s)
{
	o->c->files = true;
}

static const struct {
	const char *what;
	void (*fn)(struct offer *o, struct session *s);
} kinds[] = {
	{ "verb", offer_verbs },
	{ "topic", offer_topics },
	{ "set", offer_sets },
	{ "ownset", offer_own_sets },
	{ "setting", offer_settings },
	{ "value", offer_values },
	{ "actionpoint", offer_ids },
	{ "alias", offer_aliases },
	{ "object", offer_objects },
	{ "point", offer_points },
	{ "construct", offer_constructs },
	{ "finding", offer_findings },
	{ "subject", offer_subjects },
	{ "file", offer_files },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static size_t find_kind(const char *kind, size_t n)
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (strlen(kinds[i].what) == n && !strncmp(kinds[i].what, kind, n))
			break;
	return i;
}

int complete_known(const char *kind, size_t n)
{
	return *kind == '=' || find_kind(kind, n) < KINDS;
}

/*
 * Offers all of the kinds in `what`, of n bytes: "object|=$EXEC" as in struct cmd's completes. A
 * kind that is not known offers nothing.
 */
static void offer_kinds(struct offer *o, struct session *s, const char *what, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t len = strcspn(what + at, "| "), k;
		char word[64];

		if (what[at] == '=') {
			snprintf(word, sizeof(word), "%.*s", (int)len - 1, what + at + 1);
			offer(o, "", word);
		} else {
			k = find_kind(what + at, len);
			if (k < KINDS)
				kinds[k].fn(o, s);
		}
		at += len + 1;
	}
}

/* ---- what a word of a line can be ---- */

/* Where the verb of the line begins: behind blanks, "A:" of a pair, and a set. */
static size_t verb_at(struct session *s, const char *line)
{
	size_t at = strspn(line, " \t");
	char *set = NULL;
	int used;

	if (s->pair && (line[at] == 'A' || line[at] == 'B') && line[at + 1] == ':') {
		at += 2;
		at += strspn(line + at, " \t");
	}
	used = focus_prefix(line + at, &set, NULL);
	free(set);
	at += used > 0 ? (size_t)used : 0;
	return at + strspn(line + at, " \t");
}

/*
 * The verb that the n letters at line + at mean, through an alias; *body is what the alias has
 * behind its last verb, or "".
 */
static const struct cmd *verb_of(struct session *s, const char *text, size_t n, const char **body)
{
	char word[64];
	const char *last;

	*body = "";
	if (!n || n >= sizeof(word))
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)n, text);
	last = alias_find(s->shell->alias, word);
	if (!last)
		return cmd_find(word, NULL);
	/* what is typed goes to the last command of the body */
	if (strrchr(last, ';'))
		last = strrchr(last, ';') + 1;
	last += strspn(last, " \t");
	n = strcspn(last, " \t");
	*body = last + n;
	snprintf(word, sizeof(word), "%.*s", (int)n, last);
	return cmd_find(word, NULL);
}

/* Words of a line up to a byte, as far as completion needs them. */
struct before {
	int words;	  /* that are no options and no values of options */
	const char *last; /* the word before, borrowed; NULL: none */
	size_t last_len;
	int option; /* whose value the word is; -1: of none */
};

static int option_of(const struct cmd *cmd, const char *word, size_t n)
{
	int found = -1;

	for (int i = 0; i < CMD_OPTIONS && cmd->option[i].name; i++) {
		if (strncmp(cmd->option[i].name, word, n))
			continue;
		if (strlen(cmd->option[i].name) == n)
			return i;
		found = found < 0 ? i : CMD_OPTIONS;
	}
	return found < CMD_OPTIONS ? found : -1;
}

/* Goes through the words between from and to. */
static struct before inspect_before(const struct cmd *cmd, const char *from, const char *to)
{
	struct before b = { .option = -1 };

	while (from < to) {
		size_t n;

		from += strspn(from, " \t");
		n = strcspn(from, " \t");
		if (from >= to || !n)
			break;
		if (b.option >= 0 && cmd->option[b.option].kind != CMD_EXPR) {
			b.option = -1;
		} else if (*from == '-' && n > 1) {
			b.option = option_of(cmd, from + 1, n - 1);
			if (b.option >= 0 && cmd->option[b.option].kind == CMD_FLAG)
				b.option = -1;
		} else if (b.option < 0) {
			b.words++;
		}
		b.last = from;
		b.last_len = n;
		from += n;
	}
	return b;
}

/* The kinds of word number i of a verb: the part of completes that is for it. */
static const char *kinds_of(const char *completes, int i, size_t *n)
{
	*n = completes ? strcspn(completes, " ") : 0;
	for (; i > 0 && completes && completes[*n]; i--) {
		completes += *n + 1;
		*n = strcspn(completes, " ");
	}
	return completes;
}

static void offer_options(struct offer *o, const struct cmd *cmd)
{
	for (int i = 0; i < CMD_OPTIONS && cmd->option[i].name; i++)
		offer(o, "-", cmd->option[i].name);
}

/* A set before the verb, closed or not, or a verb right behind one: "[0:1]pri". */
static void offer_first(struct offer *o, struct session *s, const char *line, size_t at)
{
	size_t glued = (size_t)(o->typed - line) < at ? at - (size_t)(o->typed - line) : 0;
	char before[128];
	struct complete verbs = { 0 };
	struct offer inner = { .c = &verbs, .typed = line + at, .before = "" };

	if (*o->typed != '[' && *o->typed != '{') {
		offer_kinds(o, s, "verb", 4);
		return;
	}
	if (!glued || glued >= o->len || glued >= sizeof(before)) {
		offer_kinds(o, s, "set", 3);
		return;
	}
	inner.len = o->len - glued;
	snprintf(before, sizeof(before), "%.*s", (int)glued, o->typed);
	offer_kinds(&inner, s, "verb", 4);
	for (size_t i = 0; i < verbs.n; i++) {
		offer(o, before, verbs.word[i]);
		free(verbs.word[i]);
	}
	free(verbs.word);
}

struct complete complete_line(struct session *s, const char *line, size_t start, size_t end)
{
	struct complete c = { 0 };
	struct offer o = {
		.c = &c, .line = line, .typed = line + start, .len = end - start, .before = ""
	};
	size_t at = verb_at(s, line), n = strcspn(line + at, " \t");
	const char *body, *what;
	const struct cmd *cmd;
	struct before b;

	if (at + n >= end) {
		offer_first(&o, s, line, at);
		return c;
	}
	cmd = verb_of(s, line + at, n, &body);
	if (!cmd)
		return c;
	b = inspect_before(cmd, line + at + n, line + start);
	if (b.last) {
		o.before = b.last;
		o.before_len = b.last_len;
	}
	/* an expression goes on up to the next option */
	if (b.option >= 0 && !(line[start] == '-' && cmd->option[b.option].kind == CMD_EXPR)) {
		what = cmd->values[b.option];
		if (!what && cmd->option[b.option].kind == CMD_SET)
			what = "set";
		if (!what && cmd->option[b.option].kind == CMD_EXPR)
			what = "object";
		offer_kinds(&o, s, what ? what : "", what ? strlen(what) : 0);
	} else if (line[start] == '-') {
		offer_options(&o, cmd);
	} else {
		b.words += inspect_before(cmd, body, body + strlen(body)).words;
		what = kinds_of(cmd->completes, b.words, &n);
		offer_kinds(&o, s, what ? what : "", n);
	}
	return c;
}
