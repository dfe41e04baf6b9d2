/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * completion.bash and completion.zsh, with what stands between two '@' replaced: @modes@ and others
 * by names from the tables. A line that begins with "@each LIST KIND@" is put once for each item of
 * the list that is of this kind; lines of one list that follow each other share its items.
 */
#include "frontend/main/internal.h"

#include <stdbool.h>
#include <string.h>

#include "frontend/cmd/cmd.h"
#include "frontend/main/completion.h"
#include "frontend/settings/settings.h"

struct item {
	const char *kind; /* "": the only one of the list */
	const char *name;
	const char *words; /* "=a|=b" or "a|b" */
	size_t mode;
	const struct option_help *option; /* NULL: none */
};

/* Lines of a template that share the items of a list. */
struct group {
	FILE *f;
	const char *list, *at, *end;
};

static bool in_mode(const struct option_help *o, size_t mode)
{
	return o->help && o->modes & 1u << mode;
}

/* -r is compare's and, under the same name, locate's: it is listed once, for both. */
static bool listed_in_mode(const struct option_help *o, size_t mode)
{
	return in_mode(o, mode) || (o->modes & 1u << mode && o->name[2] == 0 && o->value);
}

/* ---- what stands between two '@' ---- */

static void put_name(FILE *f, const struct item *x)
{
	fputs(x->name, f);
}

static void put_words(FILE *f, const struct item *x)
{
	for (const char *p = x->words; *p; p++)
		if (*p != '=')
			fputc(*p == '|' ? ' ' : *p, f);
}

static void put_modes(FILE *f, const char *between)
{
	for (size_t i = 0; options_mode(i); i++)
		fprintf(f, "%s%s", i ? between : "", options_mode(i));
}

static void put_modes_blank(FILE *f, const struct item *x)
{
	put_modes(f, " ");
}

static void put_modes_bar(FILE *f, const struct item *x)
{
	put_modes(f, "|");
}

static void put_settings(FILE *f, const struct item *x)
{
	for (size_t i = 0; settings_name(i); i++)
		fprintf(f, "%s%s", i ? " " : "", settings_name(i));
}

static void put_verbs(FILE *f, const struct item *x)
{
	for (size_t i = 0; cmd_at(i); i++)
		fprintf(f, "%s%s", i ? " " : "", cmd_at(i)->name);
}

/* Options of the mode. */
static void put_options(FILE *f, const struct item *x)
{
	const struct option_help *o;
	const char *before = "";

	for (size_t i = 0; (o = options_at(i)); i++)
		if (listed_in_mode(o, x->mode)) {
			fprintf(f, "%s%s", before, o->name);
			before = " ";
		}
}

/* Options with a value. */
static void put_valued(FILE *f, const struct item *x)
{
	const struct option_help *o;
	const char *before = "";

	for (size_t i = 0; (o = options_at(i)); i++)
		if (o->value) {
			fprintf(f, "%s%s", before, o->name);
			before = "|";
		}
}

/* Text of a description of zsh, in which brackets, colons and quotes have a meaning. */
static void put_text(FILE *f, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '\'')
			fputs("'\\''", f);
		else if (strchr("[]:\\", *p))
			fprintf(f, "\\%c", *p);
		else
			fputc(*p, f);
	}
}

/* Of an option that has no help itself: that of another mode's option of this name. */
static const char *help_of(const struct option_help *o)
{
	const struct option_help *other;

	for (size_t i = 0; !o->help && (other = options_at(i)); i++)
		if (other->help && !strcmp(other->name, o->name))
			return other->help;
	return o->help ? o->help : "";
}

static void put_help(FILE *f, const struct item *x)
{
	put_text(f, help_of(x->option));
}

static void put_value(FILE *f, const struct item *x)
{
	put_text(f, x->option->value);
}

static void put_again(FILE *f, const struct item *x)
{
	if (!strcmp(x->name, "-x") || !strcmp(x->name, "-e") || !strcmp(x->name, "--set"))
		fputc('*', f);
}

static void put_sign(FILE *f, const struct item *x)
{
	fputc(x->name[1] == '-' ? '=' : '+', f);
}

static const struct {
	const char *name;
	void (*put)(FILE *f, const struct item *x);
} fields[] = {
	{ "name", put_name },	     { "words", put_words },	   { "modes", put_modes_blank },
	{ "modes|", put_modes_bar }, { "settings", put_settings }, { "verbs", put_verbs },
	{ "options", put_options },  { "valued|", put_valued },	   { "help", put_help },
	{ "value", put_value },	     { "again", put_again },	   { "sign", put_sign },
};

/* The text from p to end; x: the item of its line. */
static void put(FILE *f, const char *p, const char *end, const struct item *x)
{
	for (; p < end; p++) {
		size_t n = *p == '@' ? strspn(p + 1, "abcdefghijklmnopqrstuvwxyz|") : 0, i;

		for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (n && p[n + 1] == '@' && strlen(fields[i].name) == n &&
			    !memcmp(fields[i].name, p + 1, n))
				break;
		if (i == sizeof(fields) / sizeof(fields[0])) {
			fputc(*p, f);
			continue;
		}
		fields[i].put(f, x);
		p += n + 1;
	}
}

/* ---- lists ---- */

/* "@each LIST KIND@": whether the line at p is for the list; its text, and its kind. */
static const char *each(const char *p, const char *list, const char **kind, size_t *n)
{
	size_t len = strlen(list);

	if (strncmp(p, "@each ", 6) || strncmp(p + 6, list, len) || !strchr(" @", p[6 + len]))
		return NULL;
	p += 6 + len + (p[6 + len] == ' ');
	*kind = p;
	*n = strcspn(p, "@");
	return p + *n + 1;
}

static void put_item(const struct group *g, const struct item *x)
{
	for (const char *p = g->at, *next; p < g->end; p = next) {
		const char *kind, *text;
		size_t n;

		next = strchr(p, '\n') + 1;
		text = each(p, g->list, &kind, &n);
		if (strlen(x->kind) == n && !memcmp(x->kind, kind, n))
			put(g->f, text, next, x);
	}
}

static const char *kind_of(const struct option_help *o)
{
	return !o->value ? "none" : !*o->values ? "any" : *o->values == '=' ? "words" : o->values;
}

static void put_option(const struct group *g, const struct option_help *o)
{
	struct item x = { kind_of(o), o->name, o->values, .option = o };

	put_item(g, &x);
}

static void each_setting(const struct group *g)
{
	for (size_t i = 0; settings_name(i); i++) {
		struct item x = { "", settings_name(i), settings_choices(i) };

		if (*x.words)
			put_item(g, &x);
	}
}

static bool first_of_name(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(options_at(k)->name, options_at(i)->name))
			return false;
	return true;
}

/* Options whose values are known, each name once. */
static void each_value(const struct group *g)
{
	const struct option_help *o;

	for (size_t i = 0; (o = options_at(i)); i++)
		if (o->value && *o->values && first_of_name(i))
			put_option(g, o);
}

static void each_mode(const struct group *g)
{
	for (size_t m = 0; options_mode(m); m++) {
		struct item x = { "", options_mode(m), .mode = m };

		put_item(g, &x);
	}
}

/* The modes with their options. */
static void each_option(const struct group *g)
{
	const struct option_help *o;

	for (size_t m = 0; options_mode(m); m++) {
		struct item begin = { "mode", options_mode(m) }, end = { "end", "" };

		put_item(g, &begin);
		for (size_t i = 0; (o = options_at(i)); i++)
			if (listed_in_mode(o, m) && *help_of(o))
				put_option(g, o);
		put_item(g, &end);
	}
}

static const struct {
	const char *name;
	void (*each)(const struct group *g);
} lists[] = {
	{ "setting", each_setting },
	{ "value", each_value },
	{ "mode", each_mode },
	{ "option", each_option },
};

/* The lines of a list at p; where they end. */
static const char *put_list(FILE *f, const char *p)
{
	struct group g = { .f = f, .at = p, .end = p };
	const char *kind;
	size_t i = 0, n;

	while (!each(p, lists[i].name, &kind, &n))
		i++;
	g.list = lists[i].name;
	while (each(g.end, g.list, &kind, &n))
		g.end = strchr(g.end, '\n') + 1;
	lists[i].each(&g);
	return g.end;
}

int shell_script(const char *shell, FILE *f)
{
	const char *p = !strcmp(shell, "bash")	? completion_bash
			: !strcmp(shell, "zsh") ? completion_zsh
						: NULL;
	const struct item none = { 0 };

	for (const char *next; p && *p; p = next) {
		next = strchr(p, '\n') + 1;
		if (!strncmp(p, "@each ", 6))
			next = put_list(f, p);
		else
			put(f, p, next, &none);
	}
	return p ? 0 : -1;
}
