/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/cmd.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

static int list_options(const struct cmd *cmd, const char *given, const char *why, struct err *err)
{
	char names[400] = "";
	size_t used = 0;

	for (int i = 0; i < CMD_OPTIONS && cmd->option[i].name && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " -%s",
					 cmd->option[i].name);
	if (!*names)
		return err_set(err, "%s -%s: %s; %s has no options", cmd->name, given, why,
			       cmd->name);
	return err_set(err, "%s -%s: %s; %s has%s", cmd->name, given, why, cmd->name, names);
}

/* The index of the option with this name or, unless exact, unambiguous prefix. -1 none, -2 several.
 */
static int find_option(const struct cmd *cmd, const char *name, bool exact)
{
	int found = -1;

	for (int i = 0; i < CMD_OPTIONS && cmd->option[i].name; i++) {
		const char *also = cmd->also[i];

		if (!strcmp(cmd->option[i].name, name) || (also && !strcmp(also, name)))
			return i;
		if (exact || strncmp(cmd->option[i].name, name, strlen(name)))
			continue;
		found = found == -1 ? i : -2;
	}
	return found;
}

static bool is_number(const char *text)
{
	size_t n = strlen(text);

	return n && n < 10 && strspn(text, "0123456789") == n;
}

/* Takes value (NULL: none is left) for option i. */
static int take_value(const struct cmd *cmd, int i, const char *value, struct cmd_call *call,
		      struct cmd_parsed *parsed, struct err *err)
{
	const struct cmd_option *o = &cmd->option[i];
	static const char *const needed[] = { "", "a number", "a value", "a set like [0:3]",
					      "a condition" };

	if (o->kind != CMD_FLAG && !value)
		return err_set_code(err, o->kind == CMD_NUMBER ? ERR_NUMBER : ERR_OTHER,
				    "%s -%s: %s is needed after it", cmd->name, o->name,
				    needed[o->kind]);
	if (o->kind == CMD_NUMBER && !is_number(value))
		return err_set_code(err, ERR_NUMBER,
				    "%s -%s: '%s' is not a number from 0 to 999999999", cmd->name,
				    o->name, value);
	free(parsed->value[i]);
	parsed->value[i] = xstrdup(o->kind == CMD_FLAG ? "" : value);
	call->option[i] = parsed->value[i];
	return 0;
}

/* "u > 1", and not 'x'=='y'. */
static bool is_in_quotes(const char *typed)
{
	size_t n = 1;

	if (*typed != '"' && *typed != '\'')
		return false;
	while (typed[n] && typed[n] != *typed)
		n += typed[n] == '\\' && *typed == '"' && typed[n + 1] ? 2 : 1;
	return typed[n] && !typed[n + 1];
}

/* The words from *i + 1 to the next option as one text, allocated; they are freed. NULL: none.
 * Quotes are those of texts in it, but for a single word that is all in quotes. */
static char *take_words(const struct cmd *cmd, struct words *w, int *i)
{
	const int first = *i + 1;
	char *text = NULL, *grown;

	while (*i + 1 < w->n) {
		const char *word = w->word[*i + 1];

		if (!w->quoted[*i + 1] && *word == '-' && isalpha((unsigned char)word[1]) &&
		    find_option(cmd, word + 1, false) != -1)
			break;
		++*i;
		grown = xasprintf("%s%s%s", text ? text : "", text ? " " : "", w->typed[*i]);
		free(text);
		text = grown;
	}
	if (*i == first && is_in_quotes(text)) {
		free(text);
		text = xstrdup(w->word[first]);
	}
	for (int k = first; k <= *i; k++)
		free(w->word[k]);
	return text;
}

/* Options anywhere between the words; "--" ends them. */
static int parse_words(const struct cmd *cmd, struct cmd_call *call, struct cmd_parsed *parsed,
		       struct err *err)
{
	struct words *w = &parsed->words;
	int kept = 0, rc = 0;
	bool options = true;

	for (int i = 0; i < w->n; i++) {
		char *word = w->word[i];
		int o;

		if (rc || !options || w->quoted[i] || word[0] != '-' ||
		    (word[1] != '-' && !isalpha((unsigned char)word[1]))) {
			w->word[kept++] = word;
			continue;
		}
		if (!strcmp(word, "--")) {
			options = false;
			free(word);
			continue;
		}
		o = find_option(cmd, word + 1, false);
		if (o < 0 && word[1] == '-')
			o = find_option(cmd, word + 2, true);
		if (o < 0) {
			rc = list_options(cmd, word + 1,
					  o == -1 ? "unknown option" : "ambiguous option", err);
		} else if (cmd->option[o].kind == CMD_FLAG) {
			rc = take_value(cmd, o, NULL, call, parsed, err);
		} else {
			char *value = cmd->option[o].kind == CMD_EXPR ? take_words(cmd, w, &i)
				      : i + 1 < w->n		      ? w->word[++i]
								      : NULL;

			rc = take_value(cmd, o, value, call, parsed, err);
			free(value);
		}
		free(word);
	}
	w->n = kept;
	w->word[kept] = NULL;
	return rc;
}

/* Behind the value at `text`: a word, of an expression all up to the next option. */
static char *value_end(const struct cmd *cmd, int o, char *text)
{
	char *end = text + strcspn(text, " \t"), *next;

	if (cmd->option[o].kind != CMD_EXPR)
		return end;
	for (;;) {
		char *word = end + strspn(end, " \t"), keep;
		int option;

		next = word + strcspn(word, " \t");
		keep = *next;
		*next = 0;
		option = *word == '-' ? find_option(cmd, word + 1, true) : -1;
		*next = keep;
		if (!*word || option >= 0)
			return end;
		end = next;
	}
}

/* Words that are exactly an option become blanks, so columns in the rest stay as typed. */
static int blank_options(const struct cmd *cmd, char *rest, struct cmd_call *call,
			 struct cmd_parsed *parsed, struct err *err)
{
	char quote = 0;

	for (char *p = rest; *p; p++) {
		char *end, *value = NULL, keep;
		int o;

		if (quote || *p == '"' || *p == '\'') {
			quote = quote == *p ? 0 : quote ? quote : *p;
			continue;
		}
		if (*p != '-' || (p > rest && !isspace((unsigned char)p[-1])))
			continue;
		end = p + strcspn(p, " \t");
		keep = *end;
		*end = 0;
		o = find_option(cmd, p + 1, true);
		*end = keep;
		if (o < 0)
			continue;
		memset(p, ' ', (size_t)(end - p));
		if (cmd->option[o].kind != CMD_FLAG) {
			value = end + strspn(end, " \t");
			end = value_end(cmd, o, value);
			value = *value ? xstrndup(value, (size_t)(end - value)) : NULL;
		}
		if (take_value(cmd, o, value, call, parsed, err)) {
			free(value);
			return -1;
		}
		free(value);
		memset(p, ' ', (size_t)(end - p));
		p = end - 1;
	}
	return 0;
}

static void trim_end(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = 0;
}

/* The words again as one text. */
static char *join(const struct words *w)
{
	size_t len = 1, at = 0;
	char *text;

	for (int i = 0; i < w->n; i++)
		len += strlen(w->word[i]) + 1;
	text = xcalloc(1, len);
	for (int i = 0; i < w->n; i++)
		at += (size_t)sprintf(text + at, "%s%s", i ? " " : "", w->word[i]);
	return text;
}

int cmd_parse(const struct cmd *cmd, const char *text, struct cmd_call *call,
	      struct cmd_parsed *parsed, struct err *err)
{
	memset(parsed, 0, sizeof(*parsed));
	memset(call->option, 0, sizeof(call->option));
	text += strspn(text, " \t");
	if (cmd->raw) {
		parsed->rest = xstrdup(text);
		if (blank_options(cmd, parsed->rest, call, parsed, err))
			goto fail;
		trim_end(parsed->rest);
		/* The words are only a help here: a rest with an odd quote is no error. */
		if (words_split(&parsed->words, parsed->rest, false, NULL) &&
		    words_split(&parsed->words, "", false, err))
			goto fail;
	} else {
		if (words_split(&parsed->words, text, true, err)) {
			err_prefix(err, "%s", cmd->name);
			goto fail;
		}
		if (parse_words(cmd, call, parsed, err))
			goto fail;
		parsed->rest = join(&parsed->words);
	}
	call->rest = parsed->rest + (cmd->raw ? strspn(parsed->rest, " \t") : 0);
	call->argc = parsed->words.n;
	call->argv = parsed->words.word;
	return 0;
fail:
	cmd_parsed_clear(parsed);
	return -1;
}

void cmd_parse_hint(const struct cmd *cmd, const char *rest, struct err *err)
{
	if (!cmd->raw || !rest || !*err->text || strchr(err->text, '\n'))
		return;
	for (const char *p = rest; *p; p += strcspn(p, " \t"), p += strspn(p, " \t")) {
		char *word = *p == '-' ? xstrndup(p + 1, strcspn(p + 1, " \t")) : NULL;
		int o = word && *word ? find_option(cmd, word, false) : -1;

		free(word);
		if (o < 0)
			continue;
		err_set(err, "%s; options of %s cannot be shortened: -%s", err->text, cmd->name,
			cmd->option[o].name);
		return;
	}
}

void cmd_parsed_clear(struct cmd_parsed *parsed)
{
	words_clear(&parsed->words);
	free(parsed->rest);
	for (int i = 0; i < CMD_OPTIONS; i++)
		free(parsed->value[i]);
	memset(parsed, 0, sizeof(*parsed));
}
