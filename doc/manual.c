/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the manual from the tables that the debugger itself reads: doc/manual TEMPLATE writes the
 * template to standard output. A line "@COMMANDS@", "@SETTINGS@", "@TOPICS@" or "@HABITS@" in it is
 * replaced by that chapter, in Markdown when the template's name ends in .md.in, else for man.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/main/main.h"
#include "frontend/cmd/cmd.h"
#include "frontend/settings/settings.h"

/* How a chapter is written. */
struct form {
	void (*text)(const char *text, size_t n); /* as it is, whatever characters it has */
	void (*section)(const char *title);
	/* an entry with a name, and what else stands on its line */
	void (*entry)(const char *name, const char *rest);
	void (*option)(const char *name, const char *value, const char *help);
	void (*paragraph)(void);
	void (*example)(const char *const *line);
};

static void man_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if ((c == '.' || c == '\'') && (!i || text[i - 1] == '\n'))
			fputs("\\&", stdout);
		if (c == '-')
			fputs("\\-", stdout);
		else if (c == '\\')
			fputs("\\e", stdout);
		else if (c == '\'')
			fputs("\\(aq", stdout);
		else if (c == '"')
			fputs("\\(dq", stdout);
		else if (c == '^')
			fputs("\\(ha", stdout);
		else if (c == '~')
			fputs("\\(ti", stdout);
		else
			putchar(c);
	}
}

static void man_section(const char *title)
{
	printf(".SS \"%s\"\n", title);
}

static void man_entry(const char *name, const char *rest)
{
	printf(".TP\n.BI \"");
	man_text(name, strlen(name));
	if (*rest) {
		fputs("\" \" ", stdout);
		man_text(rest, strlen(rest));
	}
	puts("\"");
}

static void man_option(const char *name, const char *value, const char *help)
{
	printf(".br\n.B \\-%s", name);
	if (*value)
		printf(" \\fI%s\\fR", value);
	putchar('\n');
	man_text(help, strlen(help));
	puts(".");
}

static void man_paragraph(void)
{
	puts(".IP");
}

static void man_example(const char *const *line)
{
	puts(".br\nExample:");
	for (size_t i = 0; line[i]; i++) {
		fputs(i ? ".br\n.B \"" : ".B \"", stdout);
		man_text(line[i], strlen(line[i]));
		puts("\"");
	}
}

/* Characters that Markdown would take for its own. */
static void md_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr("\\`*_[]<>|#", text[i]))
			putchar('\\');
		putchar(text[i]);
	}
}

static void md_section(const char *title)
{
	printf("\n## %s\n", title);
}

static void md_entry(const char *name, const char *rest)
{
	printf("\n### %s\n\n`%s%s%s`\n\n", name, name, *rest ? " " : "", rest);
}

static void md_option(const char *name, const char *value, const char *help)
{
	printf("* `-%s%s%s`: ", name, *value ? " " : "", value);
	md_text(help, strlen(help));
	putchar('\n');
}

static void md_paragraph(void)
{
	putchar('\n');
}

static void md_example(const char *const *line)
{
	puts("\n```");
	for (size_t i = 0; line[i]; i++)
		puts(line[i]);
	puts("```");
}

static const struct form man = { man_text,   man_section,   man_entry,
				 man_option, man_paragraph, man_example };
static const struct form md = {
	md_text, md_section, md_entry, md_option, md_paragraph, md_example
};

/* A line of a table as a sentence: it begins with a capital letter, and ends with a stop. */
static void sentence(const struct form *f, const char *text)
{
	size_t n = strlen(text);
	char first = (char)toupper((unsigned char)*text);

	if (!n)
		return;
	f->text(&first, 1);
	f->text(text + 1, n - 1);
	puts(strchr(".!?:", text[n - 1]) ? "" : ".");
}

static void paragraphs(const struct form *f, const char *text)
{
	for (bool first = true; *text; first = false) {
		size_t n = strcspn(text, "\n");

		if (!first)
			f->paragraph();
		f->text(text, n);
		putchar('\n');
		text += n + (text[n] == '\n');
	}
}

static void put_verb(const struct form *f, size_t i)
{
	static const char *const value[] = { [CMD_FLAG] = "",
					     [CMD_NUMBER] = "n",
					     [CMD_STRING] = "text",
					     [CMD_SET] = "set",
					     [CMD_EXPR] = "expression" };
	const struct cmd *c = cmd_at(i);
	const char *example[] = { c->example, NULL };

	f->entry(c->name, c->args);
	sentence(f, c->brief);
	f->paragraph();
	paragraphs(f, c->help);
	f->paragraph();
	puts(cmd_standard(i) ? "A verb of the HPD standard." : "A verb of ours.");
	if (c->option[0].name && f == &md)
		f->paragraph();
	for (int k = 0; k < CMD_OPTIONS && c->option[k].name; k++)
		f->option(c->option[k].name, value[c->option[k].kind], c->option[k].help);
	f->example(example);
}

static void put_commands(const struct form *f)
{
	for (int group = 0; group < CMD_GROUPS; group++) {
		f->section(cmd_group_title((enum cmd_group)group));
		for (size_t i = 0; cmd_at(i); i++)
			if (cmd_group(i) == (enum cmd_group)group)
				put_verb(f, i);
	}
}

static void put_settings(const struct form *f)
{
	char allowed[300], text[600];

	for (size_t i = 0; settings_name(i); i++) {
		const char *preset = settings_default(i), *more = settings_more(i);
		size_t n = strcspn(more, "\n");

		f->entry(settings_name(i), "");
		snprintf(text, sizeof(text), "%.*s", (int)n, more);
		sentence(f, text);
		if (more[n]) {
			f->paragraph();
			paragraphs(f, more + n + 1);
			f->paragraph();
		}
		snprintf(text, sizeof(text), "%s; default %s",
			 settings_allowed(i, allowed, sizeof(allowed)), *preset ? preset : "empty");
		sentence(f, text);
	}
}

static void put_topics(const struct form *f)
{
	for (size_t i = 0; topics[i].name; i++) {
		f->entry(topics[i].name, "");
		sentence(f, topics[i].brief);
		f->paragraph();
		paragraphs(f, topics[i].text);
		f->example(topics[i].example);
	}
}

/* What gdb's words are answered with. */
static void put_habits(const struct form *f)
{
	const char *words, *has, *type;

	if (f == &md)
		puts("| in gdb | dvmdbg has | type |\n|---|---|---|");
	for (size_t i = 0; habit_at(i, &words, &has, &type); i++) {
		if (f != &md)
			f->entry(words, "");
		else
			fputs("| ", stdout);
		f->text(words, f == &md ? strlen(words) : 0);
		fputs(f == &md ? " | " : "", stdout);
		f->text(has, strlen(has));
		fputs(f == &md ? " | " : ": type ", stdout);
		f->text(type, strlen(type));
		puts(f == &md ? " |" : ".");
	}
}

/* The chapter that replaces a line of a template; false when it is a line as others. */
static bool put_chapter(const struct form *f, const char *line)
{
	static const struct {
		const char *line;
		void (*put)(const struct form *f);
	} chapters[] = {
		{ "@COMMANDS@\n", put_commands },
		{ "@SETTINGS@\n", put_settings },
		{ "@TOPICS@\n", put_topics },
		{ "@HABITS@\n", put_habits },
	};

	for (size_t i = 0; i < sizeof(chapters) / sizeof(chapters[0]); i++) {
		if (strcmp(chapters[i].line, line))
			continue;
		chapters[i].put(f);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "re") : NULL;
	const struct form *f = argc == 2 && strstr(argv[1], ".md.in") ? &md : &man;
	char *line = NULL;
	size_t cap = 0;
	bool bad;

	main_use_verbs();
	if (!in) {
		fprintf(stderr, "usage: manual TEMPLATE\n");
		return 1;
	}
	while (getline(&line, &cap, in) > 0)
		if (!put_chapter(f, line))
			fputs(line, stdout);
	bad = ferror(in);
	free(line);
	fclose(in);
	return bad || fflush(stdout) ? 1 : 0;
}
