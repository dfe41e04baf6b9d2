/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/complete.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/buf.h"
#include "common/err.h"
#include "common/report.h"
#include "frontend/actionpoints.h"
#include "frontend/alias.h"
#include "frontend/ask.h"
#include "frontend/cmd.h"
#include "frontend/fetch.h"
#include "frontend/focus.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"

#define POINTS_OFFERED 50

struct offer {
	struct complete *c;
	const char *typed;
	size_t len;
};

/* Offers word, after `before`, when it begins as what is typed. */
static void offer(struct offer *o, const char *before, const char *word)
{
	char **grown, *text;

	if (asprintf(&text, "%s%s", before, word) < 0)
		return;
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
	grown = realloc(o->c->word, (o->c->n + 1) * sizeof(*grown));
	if (!grown) {
		free(text);
		return;
	}
	o->c->word = grown;
	grown[o->c->n++] = text;
}

static void offer_verbs(struct offer *o, struct session *s)
{
	const char *name;

	for (size_t i = 0; cmd_table[i]; i++)
		offer(o, "", cmd_table[i]->name);
	for (size_t i = 0; (name = alias_at(s->shell->alias, i, NULL)); i++)
		offer(o, "", name);
}

static void offer_sets(struct offer *o, struct session *s)
{
	const char *name;
	char text[128];

	for (size_t i = 0; (name = focus_builtin(i)); i++) {
		snprintf(text, sizeof(text), "[%s]", name);
		offer(o, "", text);
	}
	for (size_t i = 0; (name = focus_name(s->shell->focus, i, NULL)); i++) {
		snprintf(text, sizeof(text), "[%.100s]", name);
		offer(o, "", text);
	}
}

static void offer_settings(struct offer *o, struct session *s)
{
	const char *name;

	for (size_t i = 0; (name = settings_name(i)); i++) {
		/* In the table's spelling, however it is typed. */
		if (!strncasecmp(name, o->typed, o->len)) {
			struct offer any = { o->c, "", 0 };

			offer(&any, "", name);
		}
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

static void offer_aliases(struct offer *o, struct session *s)
{
	const char *name;

	for (size_t i = 0; (name = alias_at(s->shell->alias, i, NULL)); i++)
		offer(o, "", name);
}

/* Names in the expression's last word: what is before the name stays. */
static void offer_objects(struct offer *o, struct session *s)
{
	struct fetch_objects objects;
	char before[256];
	size_t at = o->len;

	o->c->open = true;
	if (!s->job || !job_set(s->job, JOB_STOPPED)->n)
		return;
	while (at && (isalnum((unsigned char)o->typed[at - 1]) || o->typed[at - 1] == '_'))
		at--;
	if (at >= sizeof(before) ||
	    fetch_names(s, "", job_set(s->job, JOB_STOPPED), &objects, NULL))
		return;
	memcpy(before, o->typed, at);
	before[at] = 0;
	for (size_t i = 0; i < objects.n; i++)
		offer(o, before, objects.item[i].desc.name);
	fetch_objects_clear(&objects);
}

static void offer_points(struct offer *o, struct session *s)
{
	struct msg_query q = { .kind = QUERY_POINTS, .n = POINTS_OFFERED, .rank = UINT32_MAX };
	struct differ answers = { 0 };
	char text[POINT_TEXT];

	o->c->files = true;
	if (!s->job || !job_set(s->job, JOB_STOPPED)->n)
		return;
	if (!ask(s, &q, job_set(s->job, JOB_STOPPED), &answers, NULL, NULL) && answers.n) {
		struct buf b = buf_view(answers.group[0].blob, answers.group[0].len);
		uint32_t n = buf_get_u32(&b);

		for (uint32_t i = 0; i < n; i++) {
			struct report_point r;

			report_point_get(&r, &b);
			if (b.bad)
				break;
			offer(o, "", point_format(&r.point, text));
		}
	}
	differ_clear(&answers);
}

static void offer_files(struct offer *o, struct session *s)
{
	o->c->files = true;
}

static const struct {
	const char *what;
	void (*fn)(struct offer *o, struct session *s);
} offers[] = {
	{ "verb", offer_verbs },      { "set", offer_sets },	  { "setting", offer_settings },
	{ "actionpoint", offer_ids }, { "alias", offer_aliases }, { "object", offer_objects },
	{ "point", offer_points },    { "file", offer_files },
};

/* The verb of the line before the word, found through its prefix set and alias; NULL when none is.
 */
static const struct cmd *verb_before(struct session *s, const char *line, size_t start)
{
	char word[64], first[64];
	const char *body;
	char *set;
	int used = focus_prefix(line, &set, NULL);
	size_t at = used > 0 ? (size_t)used : 0, n;

	free(set);
	at += strspn(line + at, " \t");
	n = strcspn(line + at, " \t");
	if (at + n >= start || !n || n >= sizeof(word))
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)n, line + at);
	body = alias_find(s->shell->alias, word);
	if (body) {
		snprintf(first, sizeof(first), "%.*s", (int)strcspn(body, " \t;"), body);
		return cmd_find(first, NULL);
	}
	return cmd_find(word, NULL);
}

/* Nothing but a set stands before the word. */
static bool at_verb(const char *line, size_t start)
{
	char *set;
	int used = focus_prefix(line, &set, NULL);
	size_t at = used > 0 ? (size_t)used : 0;

	free(set);
	return at + strspn(line + at, " \t") >= start;
}

struct complete complete_line(struct session *s, const char *line, size_t start, size_t end)
{
	struct complete c = { 0 };
	struct offer o = { &c, line + start, end - start };
	const struct cmd *cmd;

	if (at_verb(line, start)) {
		if (line[start] == '[')
			offer_sets(&o, s);
		else
			offer_verbs(&o, s);
		return c;
	}
	cmd = verb_before(s, line, start);
	if (!cmd)
		return c;
	if (line[start] == '-') {
		for (int i = 0; i < CMD_OPTIONS && cmd->option[i].name; i++)
			offer(&o, "-", cmd->option[i].name);
		return c;
	}
	for (size_t i = 0; cmd->completes && i < sizeof(offers) / sizeof(offers[0]); i++)
		if (!strcmp(offers[i].what, cmd->completes))
			offers[i].fn(&o, s);
	return c;
}
