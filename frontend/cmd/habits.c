/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/cmd.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

struct habit {
	const char *words; /* gdb's, with blanks between */
	const char *has;   /* what there is here … */
	const char *type;  /* … and what to type */
};

static const struct habit verbs[] = {
	{ "tbreak tb thbreak hbreak", "actionpoints, which stay until they are deleted",
	  "break PLACE, and delete NUMBER after the stop" },
	{ "until advance adv", "actionpoints and steps",
	  "break PLACE and cont, or step N for N numbered points" },
	{ "nexti ni stepi si", "steps between numbered points, none of instructions", "step" },
	{ "x", "values of registered objects, no memory", "print EXPR -format x" },
	{ "display undisplay disp", "aliases",
	  "alias look where; print EXPR and then look after each stop" },
	{ "frame f select-frame", "up and down from frame to frame",
	  "where for all frames, then up N or down N" },
	{ "thread t inferior", "sets of ranks",
	  "status for all, focus [N] to choose, [N] where for once" },
	{ "ptype whatis", "types and shapes of registered objects", "what NAME" },
	{ "compile", "no code that is compiled into the program",
	  "call f(x) for functions that it has" },
	{ "jump j return ret", "no change of where a rank is", "assign NAME VALUE for values" },
	{ "condition cond", "conditions given with the actionpoint", "break PLACE -if CONDITION" },
	{ "ignore", "counts given with the actionpoint", "break PLACE -count N" },
	{ "commands", "aliases and files of commands",
	  "alias look where; print EXPR, or input FILE" },
	{ "rwatch awatch", "no watching of reads", "help watch" },
	{ "catch handle signal", "stops at crashes and aborts without being asked",
	  "status after the stop" },
	{ "file exec-file symbol-file", "programs that are loaded with their ranks",
	  "load PROGRAM ARGS -copies N" },
	{ "show version", "settings and facts about the session",
	  "set NAME, set for all, or info" },
	{ "echo printf output inspect dprintf", "values in full",
	  "print EXPR, with -format .3f for digits" },
	{ "define document", "aliases", "alias NAME COMMAND; COMMAND" },
	{ "layout refresh winheight", "a full screen", "tui, or tui source" },
	{ "directory dir", "a setting for it", "set SOURCE_PATH = DIR:DIR" },
	{ "interrupt stop", "a stop at the furthest common point", "halt, or Ctrl-C" },
	{ "clear", "numbers of actionpoints", "actions, then delete NUMBER" },
	{ "reverse-step reverse-next reverse-continue rs rn rc checkpoint",
	  "points with the same numbers in every run", "break POINT and rerun" },
	{ "disassemble disas", "source, no instructions", "list" },
	{ "shell make python py", "no commands for other programs", "Ctrl-Z for the shell" },
	{ "forward-search reverse-search", "patterns", "search REGEX -in source" },
	{ "rbreak", "patterns, and actionpoints one by one",
	  "search REGEX -in constructs, then break PLACE" },
	{ "starti", "a first stop where you want one", "break PLACE and run, or step" },
	{ "cd pwd", "the directory it was started in", "quit, and start it in the other one" },
	{ "skip", "no steps into functions", "step -over for task regions" },
	{ "generate-core-file", "core files of a rank", "gcore RANK FILE" },
	{ "dump", "arrays in files", "save ARRAY FILE.npy" },
	{ "apropos complete", "help of everything there is", "help" },
	{ "tty", "files for the program's input and output", "run <IN >OUT" },
};

/*
 * What follows a verb that exists: how it begins ('#' is a digit), a word that is in it behind a
 * blank, and which error it was: its code (ERR_OTHER: any), and the character it is about (0: any).
 */
static const struct rest {
	const char *verb, *begins, *holds;
	enum err_code code;
	char at;
	const char *has, *type;
} rests[] = {
	{ "where", "f", "", ERR_NUMBER, 0, "a verb for variables of frames",
	  "locals, and where -args" },
	{ "where", "-#", "", ERR_NUMBER, 0, "the innermost frames first", "where -all" },
	{ "cont", "#", "", ERR_WORDS, 0, "counts given with the actionpoint",
	  "break PLACE -count N, or step N for N numbered points" },
	{ "break", "", "if ", ERR_LOCATION, 0, "conditions behind -if",
	  "break PLACE -if CONDITION" },
	{ "break", "", "thread ", ERR_LOCATION, 0, "sets of ranks before the verb",
	  "[N] break PLACE" },
	{ "watch", "", "if ", ERR_END, 0, "conditions behind -if", "watch NAME -if CONDITION" },
	{ "watch", "-l", "", ERR_NUMBER, 0, "objects, where they are", "watch NAME" },
	{ "delete", "b", "", ERR_NUMBER, 0, "numbers or all",
	  "delete -all, or -break for those of break" },
	{ "disable", "b", "", ERR_NUMBER, 0, "numbers or all",
	  "disable -all, or -break for those of break" },
	{ "enable", "b", "", ERR_NUMBER, 0, "numbers or all",
	  "enable -all, or -break for those of break" },
	{ "enable", "o", "", ERR_NUMBER, 0, "actionpoints that stay as they are",
	  "enable NUMBER, and disable NUMBER after the stop" },
	{ "kill", "#", "", ERR_WORDS, 0, "sets of ranks before the verb", "[N] kill" },
	{ "save", "breakpoints", "", ERR_NAME, 0, "a verb for that", "export FILE" },
	{ "print", "$", "", ERR_SYNTAX, '$', "no values of its own",
	  "history, and !N for an earlier command" },
	{ "print", "*", "", ERR_NAME, 0, "objects by their names", "print NAME" },
	{ "print", "\"", "", ERR_SYNTAX, '"', "no texts of its own", "print NAME -format s" },
	{ "print", "", "", ERR_OTHER, '=', "a verb that changes objects", "assign NAME VALUE" },
	{ "print", "", "", ERR_END, ',', "one expression a command", "print EXPR" },
};

static const struct habit settings[] = {
	{ "var variable", "a verb that changes objects", "assign NAME VALUE" },
	{ "args", "arguments behind run", "run ARGS" },
	{ "listsize", "a setting for it", "set MAX_LIST = 30" },
	{ "history", "a setting for it", "set MAX_HISTORY = 100" },
	{ "logging", "a verb for it", "log FILE" },
	{ "width height pagination confirm", "no need of it", "set for what there is" },
	{ "scheduler-lock scheduler-locking", "sets of ranks", "[N] cont" },
	{ "follow-fork-mode detach-on-fork", "all ranks of the launcher", "status" },
	{ "environment env", "the environment dvmdbg was started in", "quit, and set it there" },
	{ "style print", "options of print", "help print" },
};

/* What info shows: the first subject that begins as what is typed. */
static const struct {
	const char *subject, *line;
} subjects[] = {
	{ "breakpoints", "actions" },
	{ "locals", "locals" },
	{ "threads", "status" },
	{ "stack", "where" },
	{ "args", "locals -args" },
	{ "variables", "what" },
	{ "frame", "where 1" },
	{ "inferiors", "status -pid" },
	{ "watchpoints", "actions -watch" },
	{ "source", "list $EXEC" },
	{ "line", "list $EXEC" },
	{ "actionpoints", "actions" },
	{ "program", "status" },
	{ "proc", "status -pid" },
	{ "points", "points" },
	{ "sets", "viewset" },
	{ "settings", "set" },
	{ "findings", "findings" },
	{ "history", "history" },
	{ "aliases", "alias" },
	{ "ranks", "status" },
	{ "objects", "what" },
	{ "address", "what -address " },
};

/* Subjects of gdb's that info has not. */
static const struct habit odd_subjects[] = {
	{ "r reg registers all-registers float vector",
	  "values of registered objects, no registers", "gdb RANK for a native debugger" },
	{ "functions func fu scope symbol types macro",
	  "constructs, and objects that the program registers",
	  "search REGEX -in constructs, or what" },
	{ "display", "aliases", "alias" },
	{ "signals handle", "stops at crashes and aborts without being asked", "status" },
	{ "sharedlibrary sharedlib share dll files target auxv",
	  "nothing of the system's side of processes", "gdb RANK for a native debugger" },
	{ "all", "the session's facts", "info" },
	{ "win", "a full screen", "tui" },
	{ "checkpoints", "points with the same numbers in every run", "break POINT and rerun" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Whether word, of n letters, is one of the words. */
static bool among(const char *words, const char *word, size_t n)
{
	for (const char *p = words; *p;) {
		size_t len = strcspn(p, " ");

		if (len == n && !strncmp(p, word, n))
			return true;
		p += len + strspn(p + len, " ");
	}
	return false;
}

static bool say(const struct habit *table, size_t count, const char *before, const char *word,
		size_t n, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!among(table[i].words, word, n))
			continue;
		err_set(err, "%s%s: dvmdbg has %s: type %s", before, word, table[i].has,
			table[i].type);
		return true;
	}
	return false;
}

static bool is_print(const char *verb, size_t n)
{
	return n && (!strncmp("print", verb, n) || among("output inspect", verb, n));
}

char *habit_format(const char *verb, const char *rest)
{
	static const char formats[][2] = { "dd", "uu", "xx", "oo", "tb", "cc", "ff", "ss" };
	size_t n = strcspn(verb, "/");

	if (!verb[n] || !is_print(verb, n) || !verb[n + 1] || verb[n + 2])
		return NULL;
	for (size_t i = 0; i < COUNT(formats); i++)
		if (formats[i][0] == verb[n + 1])
			return xasprintf("%s -format %c", rest, formats[i][1]);
	return NULL;
}

static bool begins(const char *text, const char *with)
{
	for (; *with; with++, text++)
		if (*with == '#' ? !isdigit((unsigned char)*text) : *with != *text)
			return false;
	return true;
}

/* Whether word, if there is one, stands in text behind a blank. */
static bool holds(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	return !*word || (p && p > text && p[-1] == ' ');
}

bool habit_rest(const char *verb, const char *rest, struct err *err)
{
	rest += strspn(rest, " \t");
	for (size_t i = 0; *rest && i < COUNT(rests); i++) {
		const struct rest *r = &rests[i];

		if (strcmp(r->verb, verb) || !begins(rest, r->begins) || !holds(rest, r->holds) ||
		    (r->code && r->code != err->code) || (r->at && r->at != err->at))
			continue;
		err_set(err, "%s %.100s: dvmdbg has %s: type %s", verb, rest, r->has, r->type);
		return true;
	}
	return false;
}

bool habit_verb(const char *verb, struct err *err)
{
	size_t n = strcspn(verb, "/&");

	/* p/x u */
	if (verb[n] == '/' && is_print(verb, n)) {
		err_set(err, "%s: dvmdbg has an option for that: type print EXPR -format %s", verb,
			verb[n + 1] ? verb + n + 1 : "x");
		return true;
	}
	if (verb[n] == '&' && !verb[n + 1] && n) {
		err_set(err, "%s: dvmdbg has a verb that does not wait: type go", verb);
		return true;
	}
	return say(verbs, COUNT(verbs), "", verb, n, err);
}

bool habits_set(const char *name, struct err *err)
{
	return say(settings, COUNT(settings), "set ", name, strlen(name), err);
}

const char *habit_subject(size_t i)
{
	return i < COUNT(subjects) ? subjects[i].subject : NULL;
}

const char *habits_info(const char *subject, struct err *err)
{
	char names[400] = "";
	size_t used = 0;

	if (say(odd_subjects, COUNT(odd_subjects), "info ", subject, strlen(subject), err))
		return NULL;
	for (size_t i = 0; i < COUNT(subjects); i++)
		if (!strncmp(subjects[i].subject, subject, strlen(subject)))
			return subjects[i].line;
	for (size_t i = 0; i < COUNT(subjects) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
					 subjects[i].subject);
	err_set(err,
		"info %s: dvmdbg has no such subject; info alone describes the session, the "
		"subjects are%s",
		subject, names);
	return NULL;
}

bool habit_at(size_t i, const char **words, const char **has, const char **type)
{
	if (i >= COUNT(verbs))
		return false;
	*words = verbs[i].words;
	*has = verbs[i].has;
	*type = verbs[i].type;
	return true;
}
