/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line of dvmdbg.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/verify/verify.h"
#include "frontend/main/internal.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/outcome.h"
#include "frontend/session/session.h"
#include "frontend/locate/locate.h"
#include "frontend/util/loop.h"
#include "frontend/util/private_dir.h"
#include "frontend/main/main.h"
#include "frontend/render/render.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/settings/settings.h"
#include "frontend/tui/core/core.h"
#include "frontend/util/xalloc.h"

enum { STATUS_CLEAN = 0, STATUS_USAGE = 2 };

/* SIGTERM, SIGHUP, and Ctrl-C in a batch session. */
static void on_end(void *arg, int sig)
{
	struct session *s = arg;

	s->quitting = true;
	if (!s->interactive)
		s->ended_by = sig;
}

/* Modes without a prompt: a file on standard input is the program's, each run reads it from its
 * start. */
static void take_input(struct session *s)
{
	struct stat st;

	if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode))
		s->spec.input = xstrdup("/proc/self/fd/0");
}

/* What was typed for the i-th setting: an option of its own represents some. */
static const char *typed_as(const struct options *o, size_t i)
{
	static const struct {
		const char *set, *option;
	} known[] = { { "LEVEL=", "--level" },
		      { "StartPoint=", "--start" },
		      { "FinishPoint=", "--finish" } };

	for (size_t k = 0; k < o->nmade; k++)
		for (size_t n = 0; o->made[k] == o->set[i] && n < sizeof(known) / sizeof(*known);
		     n++)
			if (!strncmp(o->set[i], known[n].set, strlen(known[n].set)))
				return known[n].option;
	return "--set";
}

/* Settings and program of the command line. */
static int setup(struct session *s, const struct options *o, struct err *err)
{
	if (o->par && historical_file(s, o->par, err))
		return err_prefix(err, "--par");
	for (size_t i = 0; i < o->nset; i++) {
		const char *mark = strchr(o->set[i], '=');
		char *name = xstrndup(o->set[i], (size_t)(mark - o->set[i]));
		int rc = shell_set(s, name, mark + 1, err);

		free(name);
		if (rc)
			return err_prefix(err, "%s", typed_as(o, i));
	}
	s->spec.n = o->n;
	if (o->launcher)
		s->spec.launcher = xstrdup(o->launcher);
	if (o->transport)
		s->spec.transport = xstrdup(o->transport);
	if (o->marks)
		s->marks_file = xstrdup(o->marks);
	if (o->mode == MODE_RECORD)
		checker_record(s->checker, o->dir);
	if (o->mode == MODE_RECORD)
		checker_order(s->checker, o->order);
	if (o->mode == MODE_RECORD)
		checker_calls(s->checker, o->calls);
	if (o->mode == MODE_COMPARE && !o->run)
		checker_compare(s->checker, o->dir);
	if (o->mode == MODE_CHECK && (settings_set(s->set, "ManualReductCalc", "1", err) ||
				      settings_set(s->set, "EnableDynControl", "1", err)))
		return -1;
	if (o->grid && settings_set(s->set, "DynControlGrid", o->grid, err))
		return -1;
	if (o->mode != MODE_RUN && o->mode != MODE_PAIR)
		take_input(s);
	if (!o->nprogram || o->mode == MODE_TRACE || o->mode == MODE_ATTACH || o->run)
		return 0;
	shell_set_argv(s, o->program, o->nprogram);
	if (o->mode == MODE_LOCATE || o->mode == MODE_ANNOTATE)
		return 0; /* they load by themselves */
	if (o->mode == MODE_PAIR)
		return pair_make(s, o->other_n ? o->other_n : 1, o->other, err);
	return session_load(s, err);
}

/* As the verb, with what the options say. */
static int run_locate(struct session *s, const struct options *o)
{
	int like = o->threads && o->n ? o->n : 1;
	struct locate_spec spec = { .ref_ranks = o->ref_ranks ? o->ref_ranks : like,
				    .ref_threads = o->ref_threads,
				    .threads = o->threads,
				    .dir = o->dir,
				    .with = o->with,
				    .ref_program = o->ref_program,
				    .image = o->image,
				    .automatic = o->automatic,
				    .all = o->all };
	struct err err = { "" };
	struct found_marks found = { .held = -1, .built = { .held = -1 } };
	int rc;

	if (o->automatic && main_find_marks(s, o, &found))
		return -1;
	spec.suspect = found.suspect;
	spec.unlike = found.unlike;
	rc = locate(s, &spec, &err);
	if (rc)
		out_error(s->out, "locate: %s", err.text);
	main_drop_marks(&found);
	return rc;
}

/* The verb with these words. */
static int run_verb(struct session *s, const char *verb, char *const *word, int n)
{
	char *line = NULL;
	size_t len = 0;
	FILE *f = xmemstream(&line, &len);
	int rc;

	fputs(verb, f);
	for (int i = 0; i < n; i++) {
		const char *w = word[i];
		/* options are none in quotes */
		bool plain = *w && !w[strcspn(w, " \t\"'\\[](){}")];

		fprintf(f, plain ? " %s" : " \"", w);
		for (; !plain && *w; w++)
			fprintf(f, "%s%c", strchr("\"\\", *w) ? "\\" : "", *w);
		if (!plain)
			fputc('"', f);
	}
	xmemstream_close(f);
	rc = cmd_line(s, line);
	free(line);
	return rc;
}

/* To a job that runs already. */
static int attach(struct session *s, const struct options *o)
{
	char *const *word = o->npid ? (char *const *)o->pid : o->program;

	return run_verb(s, "attach", word, o->npid ? o->npid : o->nprogram);
}

/* The commands of -x and -e. In a batch session the first error ends it. */
static int run_first(struct session *s, const struct options *o)
{
	for (size_t i = 0; i < o->nfirst && !s->quitting; i++) {
		struct err err = { "" };
		int rc;

		if (o->first[i].file) {
			rc = cmd_file(s, o->first[i].text, &err);
			if (rc && *err.text)
				out_error(s->out, "%s", err.text);
		} else {
			s->shell->script = "-e";
			s->shell->script_line = (unsigned)i + 1;
			rc = cmd_line(s, o->first[i].text);
			s->shell->script = NULL;
		}
		if (rc && s->batch) {
			outcome_add(s->outcome, OUTCOME_ERROR);
			return -1;
		}
	}
	return 0;
}

/* The prompt and the full screen take turns until the session ends. */
static void converse(struct session *s, struct tui *tui, struct err *err)
{
	while (!s->quitting) {
		if (s->fill_screen) {
			if (tui_run_screen(tui, err))
				out_error(s->out, "%s", err->text);
		} else
			cli_run(s);
	}
}

static int finish(struct session *s, const struct options *o)
{
	/* locate itself reports that it was interrupted */
	int ended_by = o->mode != MODE_LOCATE ? s->ended_by : 0;

	pair_end(s);
	if (s->job)
		checker_over(s->checker);
	shell_keep_result(s);
	outcome_report(s->outcome, s->out, "compared");
	if (ended_by) {
		out_error(s->out, "interrupted by SIG%s", sigabbrev_np(ended_by));
		outcome_add(s->outcome, OUTCOME_ERROR);
	}
	if (s->batch && out_is_json(s->out))
		out_answer(s->out, outcome_json(s->outcome));
	return outcome_status(s->outcome);
}

/* The session from its set-up to its end; its exit status. */
static int run(struct session *s, struct tui *tui, const struct options *o)
{
	struct err err = { "" };

	s->can_fill_screen = tui;
	if (o->tui && !tui) {
		out_error(s->out, "--tui needs a terminal, and neither --batch nor --json");
		outcome_add(s->outcome, OUTCOME_ERROR);
		return finish(s, o);
	}
	/* the prompt asks, not the full screen */
	if (main_run_init(s, o->init) && s->batch) {
		outcome_add(s->outcome, OUTCOME_ERROR);
		return finish(s, o);
	}
	s->fill_screen |= o->tui;
	if (setup(s, o, &err)) {
		out_error(s->out, "%s", err.text);
		outcome_add(s->outcome, OUTCOME_ERROR);
		return finish(s, o);
	}
	if ((o->mode == MODE_ATTACH || o->npid) && attach(s, o)) {
		outcome_add(s->outcome, OUTCOME_ERROR);
		return finish(s, o);
	}
	if (s->interactive && !o->json)
		out_set_errors(s->out, NULL, "");
	/* locate reports what it knows by then */
	if (s->batch && o->mode != MODE_LOCATE)
		loop_signal(s->loop, SIGINT, on_end, s);
	if (run_first(s, o) || s->quitting)
		return finish(s, o);
	if (o->mode == MODE_LOCATE) {
		if (run_locate(s, o))
			outcome_add(s->outcome, OUTCOME_ERROR);
	} else if (o->mode == MODE_ANNOTATE) {
		if (o->check ? main_check_marks(s, o) : main_annotate(s, o))
			outcome_add(s->outcome, OUTCOME_ERROR);
	} else if (o->mode == MODE_TRACE) {
		if (run_verb(s, "trace", o->program, o->nprogram))
			outcome_add(s->outcome, OUTCOME_ERROR);
	} else if (o->run) {
		char *const dirs[] = { (char *)o->run, (char *)o->dir };

		if (run_verb(s, "compare", dirs, 2))
			outcome_add(s->outcome, OUTCOME_ERROR);
	} else if (o->mode == MODE_CHECK && o->dir) {
		char *const dir[] = { (char *)o->dir };

		if (run_verb(s, "check", dir, 1))
			outcome_add(s->outcome, OUTCOME_ERROR);
	} else if (o->npid) {
		if (cmd_line(s, "hang") || cmd_line(s, "where -native"))
			outcome_add(s->outcome, OUTCOME_ERROR);
	} else if (o->mode == MODE_RECORD || o->mode == MODE_COMPARE ||
		   o->mode == MODE_CHECK || o->mode == MODE_HANG) {
		if (cmd_line(s, "run"))
			outcome_add(s->outcome, OUTCOME_ERROR);
	} else if (!(s->batch && o->nfirst))
		converse(s, tui, &err);
	return finish(s, o);
}

/* A terminal without a prompt has its width all the same. */
static void take_width(struct out *out)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		out_set_columns(out, size.ws_col);
}

static int start(const struct options *o)
{
	struct err err = { "" };
	struct loop *loop = loop_create(&err);
	struct out *out = loop ? out_create(stdout, o->json) : NULL;
	struct session *s = out ? session_create(loop, out) : NULL;
	struct tui *tui = NULL;
	int status = STATUS_USAGE;

	if (out)
		take_width(out);
	if (s) {
		private_dir_sweep();
		shell_create(s);
		s->batch = o->batch ||
			   (o->mode != MODE_RUN && o->mode != MODE_PAIR && o->mode != MODE_ATTACH);
		s->spec.typed = !s->batch;
		s->interactive = !s->batch && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
		loop_signal(loop, SIGHUP, on_end, s);
		loop_signal(loop, SIGTERM, on_end, s);
		tui = s->interactive && !o->json ? tui_create(s) : NULL;
		status = run(s, tui, o);
	} else {
		fprintf(stderr, "dvmdbg: %s\n", *err.text ? err.text : "out of memory");
	}
	tui_destroy(tui);
	if (s)
		shell_destroy(s);
	session_destroy(s);
	out_destroy(out);
	loop_destroy(loop);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	int rc;

	xalloc_init();
	main_use_verbs();
	main_use_views();
	render_use();
	rc = options_parse(&o, argc, argv);
	log_init("dvmdbg");
	if (!rc)
		rc = start(&o);
	else
		rc = rc > 0 ? STATUS_CLEAN : STATUS_USAGE;
	options_clear(&o);
	return rc;
}
