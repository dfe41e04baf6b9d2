/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of the session: load run rerun kill detach quit exit. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "frontend/actionpoints.h"
#include "frontend/checker.h"
#include "frontend/cmd/go.h"
#include "frontend/cmd_list.h"
#include "frontend/cmd_parse.h"
#include "frontend/out.h"
#include "frontend/pair.h"
#include "frontend/program.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"

/* Ends what runs and loads what spec says. */
static int reload(struct session *s, struct err *err)
{
	shell_keep_result(s);
	rankset_clear(&s->shell->gone);
	memset(&s->shell->gone, 0, sizeof(s->shell->gone));
	return session_reload(s, err);
}

/* Lets all ranks run to the first actionpoint. */
static int run_all(struct session *s, const char *verb, struct err *err)
{
	struct rankset all = { 0 };
	int rc = rankset_copy(&all, job_set(s->job, JOB_ALL));

	rc = rc ? err_set(err, "out of memory")
		: go_and_wait(s, verb, &all, true, PLAN_CONT, 0, &all, err);
	rankset_clear(&all);
	return rc;
}

/* The program where it is given, or in EXECUTABLE_PATH; allocated. */
static char *find_program(struct session *s, const char *name)
{
	char path[PATH_MAX];

	if (!strchr(name, '/') && access(name, F_OK)) {
		for (const char *p = settings_text(s->set, "EXECUTABLE_PATH"); *p;) {
			int len = (int)strcspn(p, ":");

			snprintf(path, sizeof(path), "%.*s/%s", len, p, name);
			if (len && !access(path, X_OK))
				return strdup(path);
			p += len + (p[len] == ':');
		}
	}
	return strdup(name);
}

/* Asked before what runs is ended for it. */
static int can_start(const char *name, struct err *err)
{
	struct program p = { 0 };
	int rc = program_open(&p, name, err);

	program_clear(&p);
	return rc;
}

enum { LOAD_COPIES };

static int run_load(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *copies = call->option[LOAD_COPIES];
	struct cmd_words w;
	char *program;
	long n = s->spec.n;
	int rc;

	if (cmd_words_split(&w, call->rest, false, err))
		return -1;
	if (!w.n) {
		cmd_words_clear(&w);
		return err_set(err, "load: a program is needed: load PROGRAM [ARGS] [-copies n]");
	}
	if (copies)
		n = strtol(copies, NULL, 10);
	if (copies && (n < 1 || n > SHELL_MAX_RANKS)) {
		cmd_words_clear(&w);
		return err_set(err, "load -copies %s: 1 to %d ranks are allowed", copies,
			       SHELL_MAX_RANKS);
	}
	program = find_program(s, w.word[0]);
	if (program) {
		free(w.word[0]);
		w.word[0] = program;
	}
	rc = program ? can_start(program, err) : err_set(err, "out of memory");
	if (!rc && shell_set_argv(s, w.word, w.n))
		rc = err_set(err, "out of memory");
	cmd_words_clear(&w);
	if (rc)
		return err_prefix(err, "load");
	s->spec.n = (int)n;
	if (reload(s, err))
		return -1;
	out_note(s->out, "loaded %s, %d rank%s; run starts it", s->spec.argv[0], job_size(s->job),
		 job_size(s->job) == 1 ? "" : "s");
	return 0;
}

const struct cmd cmd_load = {
	.name = "load",
	.args = "executable [args] [-copies n]",
	.brief = "load a program; its ranks wait to be started",
	.help = "Ends the program that runs, if any, and starts the supervisors of the new one "
		"through the "
		"launcher. A name without a slash is also looked for in EXECUTABLE_PATH. "
		"Actionpoints stay.",
	.example = "load ./heat 1000 100 -copies 4",
	.completes = "file",
	.raw = true,
	.option = { [LOAD_COPIES] = { "copies", CMD_NUMBER, "the number of ranks" } },
	.run = run_load,
};

/* Takes "<in" and ">out" out of the words; *in and *out are borrowed from them. */
static int redirections(struct cmd_words *w, char **in, char **out, struct err *err)
{
	int kept = 0, rc = 0;

	for (int i = 0; i < w->n; i++) {
		char *word = w->word[i], **target = NULL;

		if (!w->quoted[i] && *word == '<')
			target = in;
		else if (!w->quoted[i] && *word == '>')
			target = out;
		if (!target) {
			w->word[kept++] = word;
			continue;
		}
		free(*target);
		if (word[1]) {
			*target = strdup(word + 1);
		} else if (i + 1 < w->n) {
			*target = w->word[++i];
		} else {
			*target = NULL;
			rc = err_set(err, "run: a file is needed after %s", word);
		}
		free(word);
	}
	w->n = kept;
	w->word[kept] = NULL;
	return rc;
}

static int redirect(struct session *s, const char *in, const char *out, struct err *err)
{
	FILE *f = NULL;

	if (in && access(in, R_OK))
		return err_set(err, "run: cannot read %s: %s", in, strerror(errno));
	if (out && !(f = fopen(out, "we")))
		return err_set(err, "run: cannot write %s: %s", out, strerror(errno));
	if (in) {
		char *copy = strdup(in);

		if (!copy) {
			if (f)
				fclose(f);
			return err_set(err, "out of memory");
		}
		free((char *)s->spec.input);
		s->spec.input = copy;
	}
	out_set_program(s->out, f);
	if (s->shell->output)
		fclose(s->shell->output);
	s->shell->output = f;
	return 0;
}

/* Puts the program's name before the new arguments. */
static int new_args(struct session *s, struct cmd_words *w)
{
	char **argv = calloc((size_t)w->n + 2, sizeof(*argv));
	int rc;

	if (!argv)
		return -1;
	argv[0] = s->spec.argv[0];
	memcpy(argv + 1, w->word, (size_t)w->n * sizeof(*argv));
	rc = shell_set_argv(s, argv, w->n + 1);
	free(argv);
	return rc;
}

static int run_run(struct session *s, struct cmd_call *call, struct err *err)
{
	struct cmd_words w;
	char *in = NULL, *out = NULL;
	bool changed;
	int rc;

	if (!s->spec.argv)
		return err_set(err, "run: no program is loaded; load PROGRAM loads one");
	if (cmd_words_split(&w, call->rest, false, err))
		return -1;
	changed = w.n > 0;
	rc = redirections(&w, &in, &out, err);
	if (!rc)
		rc = redirect(s, in, out, err);
	if (!rc && w.n && new_args(s, &w))
		rc = err_set(err, "out of memory");
	free(in);
	free(out);
	cmd_words_clear(&w);
	if (rc)
		return -1;
	/* Ranks that have been loaded and not started are what is wanted, unless something is new.
	 */
	if (changed || !s->job ||
	    !rankset_equal(job_set(s->job, JOB_LOADED), job_set(s->job, JOB_ALL)))
		rc = reload(s, err);
	return rc ? -1 : run_all(s, "run", err);
}

const struct cmd cmd_run = {
	.name = "run",
	.args = "[args] [<in] [>out]",
	.brief = "start the program, from its beginning, and wait for the first actionpoint",
	.help = "With arguments the program gets these from now on, else those it had. A program "
		"that has been "
		"started is ended first. <in is a file for its standard input, >out one for what "
		"it prints.",
	.example = "run 1000 100 --fault differing-eps",
	.completes = "file",
	.raw = true,
	.run = run_run,
};

static int run_rerun(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!s->spec.argv)
		return err_set(err, "rerun: no program is loaded; load PROGRAM loads one");
	if (reload(s, err))
		return -1;
	return run_all(s, "rerun", err);
}

const struct cmd cmd_rerun = {
	.name = "rerun",
	.args = "",
	.brief = "run again with the same arguments and actionpoints",
	.help = "Ends the program and starts it anew with the same arguments, the actionpoints and "
		"the settings "
		"as they are now, and runs to the first actionpoint. run gives it new arguments.",
	.example = "rerun",
	.run = run_rerun,
};

static int run_kill(struct session *s, struct cmd_call *call, struct err *err)
{
	if (pair_moves(s, &call->who) ? pair_kill(s, err) : job_kill(s->job, &call->who, err))
		return -1;
	go_wait(s, &call->who);
	return 0;
}

const struct cmd cmd_kill = {
	.name = "kill",
	.args = "",
	.brief = "kill the program's processes",
	.help = "Kills the processes of the set's members. The session goes on: rerun starts the "
		"program again.",
	.both = CMD_ONE,
	.example = "[3] kill",
	.needs_job = true,
	.run = run_kill,
};

static int run_detach(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!rankset_equal(&call->who, job_set(s->job, JOB_ALL)))
		return err_set(err, "detach: all ranks can be let go, not some of them");
	if (s->pair)
		out_note(s->out, "A is ended");
	pair_end(s);
	if (job_detach(s->job, err))
		return -1;
	checker_over(s->checker);
	shell_keep_result(s);
	job_destroy(s->job);
	s->job = NULL;
	out_note(s->out, "the program runs on without dvmdbg");
	return 0;
}

const struct cmd cmd_detach = {
	.name = "detach",
	.args = "",
	.brief = "let the program run on without the debugger",
	.help = "All ranks go on from where they are, without actionpoints, and the debugger lets "
		"go of them.",
	.example = "detach",
	.needs_job = true,
	.run = run_detach,
};

static int run_quit(struct session *s, struct cmd_call *call, struct err *err)
{
	s->quitting = true;
	return 0;
}

const struct cmd cmd_quit = {
	.name = "quit",
	.args = "",
	.brief = "end the session",
	.help = "The program is killed, or let run on when ON_EXIT is run.",
	.example = "quit",
	.run = run_quit,
};

const struct cmd cmd_exit = {
	.name = "exit",
	.args = "",
	.brief = "end the session, like quit",
	.help = "The program is killed, or let run on when ON_EXIT is run.",
	.example = "exit",
	.run = run_quit,
};
