/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of the session: load run kill detach quit exit. */
#include "frontend/verbs/run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/model/actionpoints.h"
#include "frontend/verify/verify.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/launch/launch.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

int run_reload(struct session *s, struct err *err)
{
	shell_keep_result(s);
	rankset_clear(&s->shell->gone);
	memset(&s->shell->gone, 0, sizeof(s->shell->gone));
	return session_reload(s, err);
}

/* What it has printed last may still be on its way to the files that it was started with. */
static void end_run(struct session *s)
{
	shell_keep_result(s);
	session_unload(s);
}

int run_all(struct session *s, const char *verb, struct err *err)
{
	struct rankset all = { 0 };
	int rc;

	xrankset_copy(&all, job_set(s->job, JOB_ALL));
	rc = go_and_wait(s, verb, &all, true, PLAN_CONT, 0, &all, err);
	rankset_clear(&all);
	return rc;
}

/* The program in one of the directories of path, allocated; NULL when it is in none. */
static char *find_in(const char *path, const char *name)
{
	const char *env = getenv("PATH");
	char file[PATH_MAX];

	for (const char *p = path; p && *p;) {
		int len = (int)strcspn(p, ":");
		char *found = NULL;

		snprintf(file, sizeof(file), "%.*s/%s", len, p, name);
		if (len == 5 && !strncmp(p, "$PATH", 5) && env != path)
			found = find_in(env, name);
		else if (len && !access(file, X_OK))
			found = xstrdup(file);
		if (found)
			return found;
		p += len + (p[len] == ':');
	}
	return NULL;
}

/* The program where it is given, or in EXECUTABLE_PATH; allocated. */
static char *find_program(struct session *s, const char *name)
{
	char *found = NULL;

	if (!strchr(name, '/'))
		found = find_in(settings_text(s->set, "EXECUTABLE_PATH"), name);
	return found ? found : xstrdup(name);
}

bool run_may_end(struct session *s, const char *what)
{
	char text[256];
	struct rankset live = { 0 };
	bool yes = true;

	/* who was attached to runs on */
	if (!s->job || s->shell->script || job_attached(s->job))
		return true;
	xrankset_copy(&live, job_set(s->job, JOB_RUNNING));
	xrankset_add_set(&live, job_set(s->job, JOB_STOPPED));
	if (live.n)
		yes = shell_confirm(s, CHECKS_NORMAL, "%s is alive and will be ended. %s?",
				    rankset_format(&live, text, sizeof(text)), what);
	rankset_clear(&live);
	return yes;
}

/* Asked before what runs is ended for it. */
static int can_start(const char *name, struct err *err)
{
	struct program p = { 0 };
	int rc = program_open(&p, name, err);

	program_clear(&p);
	return rc;
}

static void report_ranks(struct session *s)
{
	char text[256];

	out_detail(s->out, "its processes are %s",
		   rankset_format(job_set(s->job, JOB_ALL), text, sizeof(text)));
}

enum { LOAD_COPIES };

static int run_load(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *copies = call->option[LOAD_COPIES];
	struct words w;
	char *program;
	bool again = s->job;
	long n = s->spec.n;
	int rc;

	if (words_split(&w, call->rest, false, err))
		return -1;
	if (!w.n) {
		words_clear(&w);
		return err_set(err, "load: give a program: load PROGRAM [ARGS] [-copies n]");
	}
	if (copies)
		n = strtol(copies, NULL, 10);
	if (copies && (n < 1 || n > SHELL_MAX_RANKS)) {
		words_clear(&w);
		return err_set(err, "load -copies %s: 1 to %d ranks are allowed", copies,
			       SHELL_MAX_RANKS);
	}
	program = find_program(s, w.word[0]);
	free(w.word[0]);
	w.word[0] = program;
	rc = can_start(program, err);
	if (!rc && !run_may_end(s, "Load")) {
		words_clear(&w);
		return 0;
	}
	if (!rc)
		shell_set_argv(s, w.word, w.n);
	words_clear(&w);
	if (rc)
		return err_prefix(err, "load");
	s->spec.n = (int)n;
	if (run_reload(s, err))
		return -1;
	if (again)
		out_note(s->out, "the new ranks replace the old ones");
	out_note(s->out, "loaded %s, %d rank%s; run starts it", s->spec.argv[0], job_size(s->job),
		 job_size(s->job) == 1 ? "" : "s");
	report_ranks(s);
	return 0;
}

const struct cmd cmd_load = {
	.name = "load",
	.args = "executable [args] [-copies n]",
	.brief = "load a program; its ranks wait to be started",
	.help = "Ends the program that runs, if any, and starts the supervisors of the new one "
		"through the launcher. A name without a slash is searched in EXECUTABLE_PATH. "
		"Actionpoints stay.",
	.example = "load ./heat 1000 100 -copies 4",
	.no_set = true,
	.completes = "file",
	.raw = true,
	.option = { [LOAD_COPIES] = { "copies", CMD_NUMBER, "the number of ranks" } },
	.run = run_load,
};

/* From now on the program's streams go where r says, which is taken over; *in is borrowed from it.
 */
static int redirect(struct session *s, struct redirect *r, struct err *err)
{
	struct redirect *old = &s->shell->redirect;
	char *in = xstrdup(r->in);

	/* an input that no run has named is the session's own */
	if (r->in || old->in) {
		free((char *)s->spec.input);
		s->spec.input = in;
	}
	out_set_program(s->out, r->f[0], r->f[1]);
	redirect_clear(old);
	*old = *r;
	memset(r, 0, sizeof(*r));
	return 0;
}

/* Files that are written begin again with each run. */
static int redirect_again(struct session *s, struct err *err)
{
	int rc;

	out_set_program(s->out, NULL, NULL);
	rc = redirect_open(&s->shell->redirect, err);
	if (!rc)
		out_set_program(s->out, s->shell->redirect.f[0], s->shell->redirect.f[1]);
	return rc;
}

/* Puts the program's name before the new arguments. */
static void new_args(struct session *s, struct words *w)
{
	char **argv = xcalloc((size_t)w->n + 2, sizeof(*argv));

	argv[0] = s->spec.argv[0];
	memcpy(argv + 1, w->word, (size_t)w->n * sizeof(*argv));
	shell_set_argv(s, argv, w->n + 1);
	free(argv);
}

/* With what was typed behind run: arguments and streams are these from now on. */
static int run_anew(struct session *s, struct words *w, struct redirect *r, struct err *err)
{
	if (redirect_open(r, err))
		return -1;
	end_run(s);
	if (w->n)
		new_args(s, w);
	return redirect(s, r, err) ? -1 : run_reload(s, err);
}

int run_same(struct session *s, struct err *err)
{
	end_run(s);
	return redirect_again(s, err) ? -1 : run_reload(s, err);
}

/* As before. Ranks that have been loaded and not started are what is wanted. */
static int run_again(struct session *s, struct err *err)
{
	if (s->job && rankset_equal(job_set(s->job, JOB_LOADED), job_set(s->job, JOB_ALL)))
		return redirect_again(s, err);
	return run_same(s, err);
}

static int run_run(struct session *s, struct cmd_call *call, struct err *err)
{
	struct redirect r = { 0 };
	struct words w;
	bool changed;
	int rc;

	if (!s->spec.argv)
		return cmd_not_loaded("run", err);
	if (words_split(&w, call->rest, false, err))
		return -1;
	changed = w.n > 0;
	rc = redirect_take(&r, &w, err);
	if (!rc && !run_may_end(s, "Run it from its beginning"))
		rc = 1;
	if (!rc)
		rc = changed ? run_anew(s, &w, &r, err) : run_again(s, err);
	redirect_clear(&r);
	words_clear(&w);
	return rc > 0 ? 0 : rc < 0 ? -1 : run_all(s, "run", err);
}

const struct cmd cmd_run = {
	.name = "run",
	.args = "[args] [<in] [>out] [2>err]",
	.brief = "start the program, from its beginning, and wait for the first actionpoint",
	.help = "Arguments or files given here are kept for later runs; without any, the program "
		"runs again with the previous ones. A program that has been started is ended "
		"first. <in is a file for its standard input, >out and 2>err are files for its "
		"output and errors; >>out and 2>>err append, 2>&1 sends errors where the output "
		"goes, &>both sends both to one file. The rest appears here.",
	.example = "run 1000 100 --fault differing-eps",
	.completes = "file",
	.raw = true,
	.run = run_run,
};

/* Those of the set that run; the user is asked about them. */
static bool may_kill(struct session *s, const struct rankset *who)
{
	struct rankset running = { 0 };
	char text[256];
	bool yes = true;

	xrankset_copy(&running, who);
	xrankset_intersect(&running, job_set(s->job, JOB_RUNNING));
	if (running.n)
		yes = shell_confirm(s, CHECKS_NORMAL, "%s runs. Kill it?",
				    rankset_format(&running, text, sizeof(text)));
	rankset_clear(&running);
	return yes;
}

static int run_kill(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!may_kill(s, &call->who))
		return 0;
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
	bool over;

	if (!rankset_equal(&call->who, job_set(s->job, JOB_ALL)))
		return err_set(err, "detach: this releases all ranks; leave out the set");
	if (s->pair)
		out_note(s->out, "A is ended");
	pair_end(s);
	over = job_over(s->job);
	if (job_detach(s->job, err))
		return -1;
	checker_over(s->checker);
	shell_keep_result(s);
	job_destroy(s->job);
	s->job = NULL;
	out_note(s->out, over ? "the program has ended" : "the program runs on without dvmdbg");
	return 0;
}

const struct cmd cmd_detach = {
	.name = "detach",
	.args = "",
	.brief = "let the program run on without the debugger",
	.help = "All ranks go on from where they are, without actionpoints, and the debugger "
		"releases them. A job that was attached to goes on as if nobody had been there.",
	.example = "detach",
	.needs_job = true,
	.run = run_detach,
};

static int run_quit(struct session *s, struct cmd_call *call, struct err *err)
{
	s->quitting = settings_is(s->set, "ON_EXIT", "run") || run_may_end(s, "Quit");
	return 0;
}

const struct cmd cmd_quit = {
	.name = "quit",
	.args = "",
	.brief = "end the session",
	.help = "The program is killed, or let run on when ON_EXIT is run. At the prompt it asks "
		"first when ranks of it live, unless ERROR_CHECKS is MIN.",
	.example = "quit",
	.no_set = true,
	.run = run_quit,
};

const struct cmd cmd_exit = {
	.name = "exit",
	.args = "",
	.brief = "end the session, like quit",
	.help = "The program is killed, or let run on when ON_EXIT is run. At the prompt it asks "
		"first when ranks of it live, unless ERROR_CHECKS is MIN.",
	.example = "exit",
	.no_set = true,
	.run = run_quit,
};
