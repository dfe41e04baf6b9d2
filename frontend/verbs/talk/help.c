/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "frontend/model/alias.h"
#include "frontend/cmd/cmd.h"
#include "frontend/util/names.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"

static json_t *pair(const char *name, const char *text)
{
	return json_pack("{s:o s:o}", "name", out_json_text(name), "text", out_json_text(text));
}

/* Number i of the table. */
static json_t *verb_json(size_t i)
{
	const struct cmd *c = cmd_at(i);
	json_t *options = json_array();

	for (int k = 0; k < CMD_OPTIONS && c->option[k].name; k++)
		json_array_append_new(options, pair(c->option[k].name, c->option[k].help));
	return json_pack("{s:s s:s s:s s:s s:s s:o s:s s:b s:s}", "type", "verb", "name", c->name,
			 "args", c->args, "brief", c->brief, "text", c->help, "options", options,
			 "example", c->example, "standard", cmd_standard(i), "group",
			 cmd_group_title(cmd_group(i)));
}

/* The paragraphs of text, parted by newlines. */
static json_t *paragraphs(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t n = strcspn(text, "\n");

		json_array_append_new(list, json_stringn(text, n));
		text += n + (text[n] == '\n');
	}
	return list;
}

static void topic_answer(struct session *s, const struct topic *t)
{
	json_t *examples = json_array();

	for (int i = 0; i < TOPIC_EXAMPLES && t->example[i]; i++)
		json_array_append_new(examples, json_string(t->example[i]));
	out_answer(s->out,
		   json_pack("{s:s s:s s:s s:o s:o}", "type", "topic", "name", t->name, "brief",
			     t->brief, "text", paragraphs(t->text), "examples", examples));
}

/* Whether there is such a setting; it is reported then. */
static bool setting_answer(struct session *s, const char *name)
{
	char allowed[256], brief[400], example[200];

	for (size_t i = 0; settings_name(i); i++) {
		if (strcasecmp(settings_name(i), name + (*name == '$')))
			continue;
		snprintf(brief, sizeof(brief), "a setting: %s; now '%s', default '%s'",
			 settings_allowed(i, allowed, sizeof(allowed)),
			 settings_text(s->set, settings_name(i)), settings_default(i));
		snprintf(example, sizeof(example), "set %s = %s", settings_name(i),
			 *settings_default(i) ? settings_default(i) : "\"\"");
		out_answer(s->out,
			   json_pack("{s:s s:s s:o s:o s:[s]}", "type", "topic", "name",
				     settings_name(i), "brief", out_json_text(brief), "text",
				     paragraphs(settings_more(i)), "examples", example));
		return true;
	}
	return false;
}

static void alias_answer(struct session *s, const char *name, const char *body)
{
	out_answer(s->out, json_pack("{s:s s:[o]}", "type", "aliases", "list", pair(name, body)));
}

/* Adds name when it is near what was asked for. */
static size_t add_near(char *names, size_t size, size_t used, const char *asked, const char *name)
{
	char *had = strstr(names, name);
	size_t n = strlen(name);

	/* "points" is a verb and a topic */
	if (had && had[-1] == ' ' && (!had[n] || had[n] == ' '))
		return used;
	if (used >= size || !names_near(asked, name))
		return used;
	return used + (size_t)snprintf(names + used, size - used, " %s", name);
}

/* Warns that there is no help, with what is near. */
static void unknown(struct session *s, const char *asked)
{
	char names[400] = "";
	const char *name;
	size_t used = 0;

	for (size_t i = 0; cmd_at(i); i++)
		used = add_near(names, sizeof(names), used, asked, cmd_at(i)->name);
	for (size_t i = 0; topics[i].name; i++)
		used = add_near(names, sizeof(names), used, asked, topics[i].name);
	for (size_t i = 0; (name = alias_at(s->shell->alias, i, NULL)); i++)
		if (strlen(name) > 2)
			used = add_near(names, sizeof(names), used, asked, name);
	for (size_t i = 0; (name = settings_name(i)); i++)
		used = add_near(names, sizeof(names), used, asked, name);
	if (*names)
		out_warning(s->out, "there is no help for '%.100s'; near:%s", asked, names);
	else
		out_warning(s->out,
			    "there is no help for '%.100s'; help lists verbs and topics, search "
			    "searches the program",
			    asked);
}

static void list_all(struct session *s)
{
	json_t *list = json_array(), *about = json_array(), *o;

	for (size_t i = 0; cmd_at(i); i++) {
		o = pair(cmd_at(i)->name, cmd_at(i)->brief);
		json_object_set_new(o, "group", json_string(cmd_group_title(cmd_group(i))));
		json_array_append_new(list, o);
	}
	for (size_t i = 0; topics[i].name; i++)
		json_array_append_new(about, pair(topics[i].name, topics[i].brief));
	out_answer(s->out,
		   json_pack("{s:s s:o s:o}", "type", "help", "list", list, "topics", about));
}

/* The number of the verb in the table; -1 when it has none of that name or unambiguous beginning.
 */
static int find_verb(const char *name, struct err *err)
{
	const struct cmd *c = cmd_find(name, err);

	for (int i = 0; c && cmd_at(i); i++)
		if (cmd_at(i) == c)
			return i;
	return -1;
}

static int run_help(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *asked = call->rest, *body;
	const struct topic *topic;
	struct err why = { "" };
	int verb;

	if (!call->argc) {
		list_all(s);
		return 0;
	}
	topic = topic_find(asked);
	if (topic)
		topic_answer(s, topic);
	body = alias_find(s->shell->alias, asked);
	if (body)
		alias_answer(s, asked, body);
	/* "points" is a verb as well; a beginning is meant only when nothing else fits */
	verb = find_verb(asked, &why);
	if (verb >= 0 && ((!topic && !body) || !strcmp(cmd_at(verb)->name, asked))) {
		out_answer(s->out, verb_json((size_t)verb));
		return 0;
	}
	if (topic || body || setting_answer(s, asked))
		return 0;
	/* the reason why it is not served, what gdb's word is here, or which verbs begin like it */
	if (strncmp(why.text, "unknown", 7))
		return err_set(err, "%s", why.text);
	unknown(s, asked);
	return 0;
}

const struct cmd cmd_help = {
	.name = "help",
	.args = "[verb | topic | setting | alias]",
	.brief = "this list, or the help of a verb or topic",
	.help = "Without a word it lists all verbs and topics, a line for each. With the name of a "
		"verb, a topic, a setting or an alias it explains that, with an example. For other "
		"words it lists similar ones; for a word of gdb, the command of dvmdbg.",
	.example = "help break",
	.no_set = true,
	.completes = "verb|topic|setting",
	.run = run_help,
};
