/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs for processes that others have started, or look at: attach core gdb gcore. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/protocol/answer.h"
#include "common/protocol/report.h"
#include "frontend/model/ask.h"
#include "frontend/cmd/cmd.h"
#include "frontend/gdb/gdb.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/launch/launch.h"
#include "frontend/native/native.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"
#include "frontend/verbs/run/run.h"

/* The executable can be started here, and something follows it. */
static int check_executable(const struct cmd_call *call, const char *verb, const char *needed,
			    struct err *err)
{
	struct program p = { 0 };
	int rc;

	if (call->argc < 2)
		return err_set(err, "%s: an executable and %s are needed", verb, needed);
	rc = program_open(&p, call->argv[0], err);
	program_clear(&p);
	return rc ? err_prefix(err, "%s", verb) : 0;
}

/* Numbers of processes, with blanks or commas between them; those that are not there are
 * reported. */
static int take_pids(struct session *s, const char *word, pid_t **list, size_t *n,
		     struct err *err)
{
	for (const char *p = word; *p;) {
		int64_t pid;

		if (parse_int_at(&p, &pid) || pid < 1 || pid > INT32_MAX || (*p && *p != ','))
			return err_set(err, "attach: '%s' is not a process number", word);
		p += *p == ',';
		if (kill((pid_t)pid, 0) && errno == ESRCH)
			out_warning(s->out, "attach: there is no process %" PRIi64 " on this host",
				    pid);
		else
			*xvec_add(*list, *n) = (pid_t)pid;
	}
	return 0;
}

/* Whom it has found, and what cannot be had of them. */
static void report_attached(struct session *s, const struct processes *p, const char *executable)
{
	char text[256], *real = executable ? realpath(executable, NULL) : NULL;

	out_note(s->out, "attached to %s, %zu rank%s of %u: %s", p->program, p->n,
		 p->n == 1 ? "" : "s", p->size,
		 rankset_format(job_set(s->job, JOB_ALL), text, sizeof(text)));
	if (p->elsewhere)
		out_warning(s->out,
			    "%zu rank%s on other hosts, %s is one: attach reaches those on this "
			    "host; for the others type it there",
			    p->elsewhere, p->elsewhere == 1 ? " is" : "s are", p->host);
	if (real && strcmp(real, p->program))
		out_warning(s->out, "the processes run %s, not %s", p->program, executable);
	if (job_annotated(s->job))
		out_note(s->out,
			 "it was started with DVMDBG_ATTACH: its points and arrays are there since its "
			 "start; detach lets it run on");
	else if (program_is_annotated(p->program))
		out_note(s->out,
			 "it is annotated, but there are no points and arrays: its runtime is off, "
			 "or another dvmdbg has it. A job that is to have them is started with "
			 "DVMDBG_ATTACH=1 in its environment; run starts this one again with "
			 "them");
	else
		out_note(s->out,
			 "there are no points and arrays; where -native shows the calls that ranks "
			 "are in, halt stops them, detach lets them run on");
	free(real);
}

static int run_attach(struct session *s, struct cmd_call *call, struct err *err)
{
	struct processes p = { 0 };
	pid_t *list = NULL;
	size_t n = 0;
	bool named = call->argc && !isdigit((unsigned char)call->argv[0][0]);
	int rc = 0;

	if (named ? check_executable(call, "attach", "process numbers", err) : !call->argc)
		return named ? -1 : err_set(err, "attach: process numbers are needed");
	for (int i = named; i < call->argc && !rc; i++)
		rc = take_pids(s, call->argv[i], &list, &n, err);
	if (!rc && !n)
		rc = err_set(err, "attach: none of these processes is there");
	if (!rc && run_may_end(s, "Attach")) {
		rc = processes_find(&p, list, n, err) || session_attach(s, &p, err) ?
			     err_prefix(err, "attach") :
			     0;
		if (!rc)
			report_attached(s, &p, named ? call->argv[0] : NULL);
	}
	processes_clear(&p);
	free(list);
	return rc;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.args = "[executable] pids",
	.brief = "look at a job that runs already",
	.help = "pids is the process of its launcher (mpiexec, srun), or those of some ranks, on "
		"this host; ranks are found by the launcher's table of processes, or below it. "
		"The ranks run on. where -native shows the calls that they are in, hang who is in "
		"the same call still, halt and go stop them and let them go on, gdb RANK opens "
		"one. An annotated program that was started with DVMDBG_ATTACH=1 in its "
		"environment has its points and arrays, for break, wait, step, print and all that "
		"needs no checksums and traces; any other has none, and run starts it again with "
		"them. detach, quit, and the end of dvmdbg in any way let it run on: it is never "
		"killed.",
	.example = "attach 4711",
	.completes = "file",
	.no_set = true,
	.run = run_attach,
};

/* "FILE", or "RANK:FILE"; without a rank it is the one behind the former. */
static int take_core(char *word, struct processes *p, struct err *err)
{
	const char *file = word, *mark = word;
	struct process x = { .rank = p->n ? p->list[p->n - 1].rank + 1 : 0 };
	size_t len = strlen(word);
	uint64_t rank;

	if (len && word[len - 1] == ',')
		word[len - 1] = 0;
	if (!parse_uint_at(&mark, &rank) && *mark == ':' && rank < SHELL_MAX_RANKS) {
		file = mark + 1;
		x.rank = (uint32_t)rank;
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].rank >= x.rank)
			return err_set(err, "core: ranks have to ascend: %s comes behind rank %u",
				       word, p->list[i].rank);
	if (access(file, R_OK))
		return err_set(err, "core: cannot read %s: %s", file, strerror(errno));
	x.core = file;
	*xvec_add(p->list, p->n) = x;
	return 0;
}

static int run_core(struct session *s, struct cmd_call *call, struct err *err)
{
	struct processes p = { 0 };
	char text[256];
	int rc = check_executable(call, "core", "core files", err);

	for (int i = 1; i < call->argc && !rc; i++)
		rc = take_core(call->argv[i], &p, err);
	if (!rc && run_may_end(s, "Core")) {
		p.program = realpath(call->argv[0], NULL);
		p.size = p.list[p.n - 1].rank + 1;
		*xvec_add(p.argv, p.argc) = xstrdup(call->argv[0]);
		if (!p.program)
			rc = err_set(err, "core: %s: %s", call->argv[0], strerror(errno));
		else if (session_attach(s, &p, err))
			rc = err_prefix(err, "core");
		else
			out_note(s->out,
				 "ranks %s are core files of %s: where, up, down, list, locals and "
				 "print "
				 "show them as they were",
				 rankset_format(job_set(s->job, JOB_ALL), text, sizeof(text)),
				 p.program);
	}
	processes_clear(&p);
	return rc;
}

const struct cmd cmd_core = {
	.name = "core",
	.args = "executable files",
	.brief = "look at core files, one a rank",
	.help = "The files are ranks 0, 1, …; RANK:FILE names another rank. where, up, down, list, "
		"locals and print "
		"show the ranks as they were, merged as those of a job that runs. A core file has "
		"no "
		"points and no registered objects, and nothing of it runs; run starts the "
		"program. gcore writes one of a rank that lives.",
	.example = "core ./heat rank0.core 3:rank3.core",
	.completes = "file",
	.no_set = true,
	.run = run_core,
};

/* The rank's process on this host; -1 and err with the reason, which names host and process. */
static pid_t find_process(struct session *s, uint32_t rank, struct err *err)
{
	struct msg_query q = { .kind = QUERY_PROCESS };
	struct groups answers = { 0 };
	struct rankset who = { 0 };
	char here[256] = "";
	pid_t pid = -1;
	int rc;

	xrankset_add(&who, rank, rank);
	rc = ask(s, &q, &who, &answers, NULL, err);

	gethostname(here, sizeof(here) - 1);
	if (!rc && !answers.n)
		rc = err_set(err, "rank %u does not answer", rank);
	if (!rc) {
		struct buf b = buf_view(answers.group[0].blob, answers.group[0].len);
		struct answer_process a;

		if (answer_process_get(&a, &b) || !a.pid)
			err_set(err,
				"rank %u has no process: it has not been started, or has "
				"ended",
				rank);
		else if (strcmp(a.host, here) != 0)
			err_set(err,
				"rank %u is process %u on the host %s; type gdb -p %u there",
				rank, a.pid, a.host, a.pid);
		else
			pid = (pid_t)a.pid;
	}
	groups_clear(&answers);
	rankset_clear(&who);
	return pid;
}

/* What gdb is to do at once: choose the user's innermost frame of that rank; allocated, NULL: it is
 * not known. */
static char *frame_command(struct session *s, uint32_t rank)
{
	struct native_stacks x = { 0 };
	struct rankset who = { 0 };
	char *text = NULL;

	xrankset_add(&who, rank, rank);
	if (!native_ask(s, &who, 0, &x, NULL) && x.n) {
		const struct native_frame *f = native_user_frame(&x.stack[0], NULL);

		if (f && *f->file && f->line && !strpbrk(f->file, " '\""))
			text = xasprintf("frame function %s:%u", f->file, f->line);
		else if (f && *f->func)
			text = xasprintf("frame function %s", f->func);
	}
	native_clear(&x);
	rankset_clear(&who);
	return text;
}

/*
 * A rank that halt has stopped where it was is left to gdb, or (n: 0) taken back: two debuggers
 * cannot hold one process. Meanwhile no time passes for reports of hangs.
 */
static int yield(struct session *s, uint32_t rank, unsigned n, struct err *err)
{
	struct msg_query q = { .kind = QUERY_YIELD, .n = n };
	struct groups answers = { 0 };
	struct rankset who = { 0 };
	int rc;

	xrankset_add(&who, rank, rank);
	rc = ask(s, &q, &who, &answers, NULL, err);
	if (!rc && answers.n) {
		struct buf b = buf_view(answers.group[0].blob, answers.group[0].len);
		struct answer_head head;

		if (!answer_head_get(&head, &b) && head.kind == ANSWER_ERROR)
			rc = err_set(err, "rank %u cannot be stopped again: %s", rank, head.why);
	}
	if (!n)
		s->hang.next = loop_now() + 1000 * (int64_t)settings_number(s->set, "HANG_TIMER");
	groups_clear(&answers);
	rankset_clear(&who);
	return rc;
}

/* In a forked child: gdb on the process, in a group of its own that has the terminal. */
static _Noreturn void become_gdb(const struct loop *loop, const char *gdb, pid_t pid,
				 const char *command)
{
	char number[16];

	setpgid(0, 0);
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, getpid());
	signal(SIGTTOU, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	loop_reset_signals(loop);
	snprintf(number, sizeof(number), "%d", (int)pid);
	execl(gdb, "gdb", "-q", "-p", number, command ? "-ex" : (char *)NULL, command,
	      (char *)NULL);
	_exit(127);
}

/* Gives the terminal to gdb until it ends; ranks are listened to meanwhile. */
static int lend_terminal(struct session *s, const char *gdb, pid_t pid, const char *command,
			 struct err *err)
{
	struct termios modes;
	bool known = !tcgetattr(STDIN_FILENO, &modes);
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0)
		become_gdb(s->loop, gdb, pid, command);
	if (child < 0)
		return err_set(err, "gdb: cannot be started: %s", strerror(errno));
	setpgid(child, child);
	out_hold(s->out, true);
	while (waitpid(child, &status, WNOHANG) == 0) {
		if (s->quitting)
			kill(child, SIGTERM);
		loop_turn(s->loop, 50);
	}
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, getpgrp());
	signal(SIGTTOU, SIG_DFL);
	if (known)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
	out_hold(s->out, false);
	loop_clear_interrupt(s->loop);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(err, "gdb: %s cannot be started", gdb);
	return 0;
}

static int gdb_one(struct session *s, const char *word, struct err *err)
{
	uint64_t rank;
	char *gdb, *command;
	pid_t pid;
	int rc;

	if (parse_uint(word, 0, UINT64_MAX, &rank))
		return err_set(err, "gdb: give the number of one rank, or -all");
	if (rank >= (unsigned long)job_size(s->job))
		return err_set(err, "gdb: there is no rank %lu: ranks are 0 to %d", rank,
			       job_size(s->job) - 1);
	pid = find_process(s, (uint32_t)rank, err);
	if (pid < 0)
		return err_prefix(err, "gdb");
	if (!s->interactive || s->fill_screen)
		return err_set(err,
			       "gdb: this needs the prompt of a terminal; type gdb -p %d in "
			       "another one for rank %lu, or use [%lu] gdb -all COMMAND",
			       (int)pid, rank, rank);
	gdb = program_find("gdb");
	if (!gdb)
		return err_set(err, "gdb: gdb was not found in PATH; rank %lu is process %d", rank,
			       (int)pid);
	out_note(s->out,
		 "gdb runs on rank %lu, process %d; quit in gdb returns to this "
		 "prompt",
		 rank, (int)pid);
	command = frame_command(s, (uint32_t)rank);
	rc = yield(s, (uint32_t)rank, 1, err);
	if (!rc) {
		rc = lend_terminal(s, gdb, pid, command, err);
		if (yield(s, (uint32_t)rank, 0, rc ? NULL : err))
			rc = -1;
	}
	free(command);
	free(gdb);
	return rc;
}

/* Whether the rank waits at a point. */
static bool is_parked(struct session *s, uint32_t rank)
{
	const struct groups *stops = job_stops(s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (rankset_has(&stops->group[i].ranks, rank) && !report_stop_get(&r, &b))
			return rankset_has(job_set(s->job, JOB_STOPPED), rank) &&
			       !stop_is_end(r.reason) && r.reason != STOP_PAUSED;
	}
	return false;
}

/* One on each rank of the set that is on this host; ranks that are not are reported. */
static int begin_all(struct session *s, const struct rankset *who, struct err *err)
{
	struct gdb_rank *list = NULL;
	char *gdb = program_find("gdb");
	size_t n = 0;
	int rc;

	if (!gdb)
		return err_set(err, "gdb: gdb was not found in PATH");
	for (int64_t r = rankset_next(who, 0); r >= 0; r = rankset_next(who, r + 1)) {
		struct err why = { "" };
		pid_t pid = find_process(s, (uint32_t)r, &why);
		char *frame = pid < 0 ? NULL : frame_command(s, (uint32_t)r);
		struct gdb_rank *x;

		if (pid < 0 || yield(s, (uint32_t)r, 1, &why)) {
			out_warning(s->out, "gdb: %s", why.text);
			free(frame);
			continue;
		}
		x = xvec_add(list, n);
		*x = (struct gdb_rank){ (uint32_t)r, pid, frame, is_parked(s, (uint32_t)r) };
	}
	rc = n ? gdb_begin(s, gdb, list, n, err) : err_set(err, "there is no process to attach to");
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)list[i].frame);
	free(list);
	free(gdb);
	return rc ? err_prefix(err, "gdb") : 0;
}

/* Who was stopped where it was is stopped again; the others come to their next points. */
static int end_all(struct session *s)
{
	struct rankset had = { 0 }, running = { 0 };

	xrankset_copy(&had, gdb_ranks(s));
	s->shell->gdb = false;
	gdb_end(s, &running);
	for (int64_t r = rankset_next(&had, 0); r >= 0; r = rankset_next(&had, r + 1))
		if (!rankset_has(&running, (uint32_t)r))
			yield(s, (uint32_t)r, 0, NULL);
	if (running.n)
		go_wait(s, &running);
	rankset_clear(&had);
	rankset_clear(&running);
	return 0;
}

static bool is_quit(const char *text)
{
	return !strcmp(text, "quit") || !strcmp(text, "q") || !strcmp(text, "exit");
}

static int gdb_all(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *text = *call->rest ? call->rest : "frame";
	bool quits = is_quit(text);
	char ranks[200];
	json_t *o;

	if (!gdb_ranks(s) && quits)
		return err_set(err, "gdb: none runs");
	if (!gdb_ranks(s) && begin_all(s, &call->who, err))
		return -1;
	if (quits)
		return end_all(s);
	if (!*call->rest && s->interactive && !s->fill_screen) {
		out_note(s->out, "what is typed goes to gdb on %s; quit returns to points",
			 rankset_format(gdb_ranks(s), ranks, sizeof(ranks)));
		s->shell->gdb = true;
	}
	o = gdb_command(s, &call->who, text, err);
	if (!gdb_ranks(s))
		s->shell->gdb = false;
	if (!o)
		return err_prefix(err, "gdb");
	out_answer(s->out, o);
	return 0;
}

enum { GDB_ALL };

static int run_gdb(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->option[GDB_ALL])
		return gdb_all(s, call, err);
	if (gdb_ranks(s))
		return err_set(err, "gdb: gdb -all has ranks; gdb -all quit ends that");
	return gdb_one(s, call->rest, err);
}

const struct cmd cmd_gdb = {
	.name = "gdb",
	.args = "rank | -all [command]",
	.brief = "a native debugger on that rank, or one on each rank of the set",
	.help = "gdb RANK starts gdb on the rank's process in this terminal, where dvmdbg has "
		"stopped it, and chooses the "
		"user's innermost frame; the runtime's frames are inside of it. A rank that halt "
		"has "
		"stopped where it was stays stopped. quit in gdb detaches from the process and "
		"returns "
		"to the prompt. gdb -all COMMAND starts one gdb on each rank of the set and brings "
		"the ranks out of the "
		"runtime into the user's code; the command goes to all of them, and equal answers "
		"are shown once with "
		"their ranks. next, step, finish, until, break at any line, print work as in gdb; "
		"ranks that have to wait for "
		"each other do so. dvmdbg's actionpoints do not stop them meanwhile. Ctrl-C stops "
		"the program. Without a command "
		"all that is typed goes there. quit has the ranks go on to their next points. The "
		"ranks must be on this host; "
		"gdb's own start-up files are not read.",
	.example = "gdb -all next",
	.raw = true,
	.needs_job = true,
	.option = { [GDB_ALL] = { "all", CMD_FLAG, "one on each rank of the set" } },
	.run = run_gdb,
};

#define GCORE_MS 100 /* between looks whether it has ended */

/* gdb writes the file; what it says goes to a pipe, whose end is kept. -1 and err. */
static int write_core(struct session *s, const char *gdb, pid_t pid, const char *file,
		      struct err *err)
{
	char number[16], *command = xasprintf("generate-core-file %s", file);
	struct stat st;
	int status = 0, null;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		null = open("/dev/null", O_RDWR);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		loop_reset_signals(s->loop);
		snprintf(number, sizeof(number), "%d", (int)pid);
		execl(gdb, "gdb", "-q", "-nx", "-batch", "-p", number, "-ex", command,
		      (char *)NULL);
		_exit(127);
	}
	free(command);
	if (child < 0)
		return err_set(err, "gdb cannot be started: %s", strerror(errno));
	while (waitpid(child, &status, WNOHANG) == 0) {
		if (s->quitting || loop_interrupted(s->loop))
			kill(child, SIGTERM);
		loop_turn(s->loop, GCORE_MS);
	}
	if (loop_interrupted(s->loop))
		return err_set(err, "interrupted");
	if (!WIFEXITED(status) || WEXITSTATUS(status) || stat(file, &st) || !st.st_size)
		return err_set(err, "gdb has not written %s; type gdb -p %d to see why", file,
			       (int)pid);
	return 0;
}

static int run_gcore(struct session *s, struct cmd_call *call, struct err *err)
{
	uint64_t rank;
	char *gdb;
	pid_t pid;
	int rc;

	if (call->argc != 2 || parse_uint(call->argv[0], 0, UINT64_MAX, &rank))
		return err_set(err, "gcore: give the number of one rank, and a file");
	if (rank >= (uint64_t)job_size(s->job))
		return err_set(err, "gcore: there is no rank %" PRIu64 ": ranks are 0 to %d", rank,
			       job_size(s->job) - 1);
	if (!access(call->argv[1], F_OK))
		return err_set(err, "gcore: %s is there already; give another file", call->argv[1]);
	pid = find_process(s, (uint32_t)rank, err);
	if (pid < 0)
		return err_prefix(err, "gcore");
	gdb = program_find("gdb");
	if (!gdb)
		return err_set(err,
			       "gcore: gdb writes the file, and was not found in PATH: install the "
			       "package gdb");
	rc = yield(s, (uint32_t)rank, 1, err);
	if (!rc) {
		rc = write_core(s, gdb, pid, call->argv[1], err);
		if (yield(s, (uint32_t)rank, 0, rc ? NULL : err))
			rc = -1;
	}
	free(gdb);
	if (rc)
		return err_prefix(err, "gcore");
	out_answer(s->out, json_pack("{s:s s:I s:o}", "type", "gcore", "rank", (json_int_t)rank,
				     "file", out_json_text(call->argv[1])));
	return 0;
}

const struct cmd cmd_gcore = {
	.name = "gcore",
	.args = "rank file",
	.brief = "writes a core file of that rank, which goes on as before",
	.help = "gdb writes the rank's memory and registers to the file, while the rank stands "
		"still. "
		"core shows it, or gdb PROGRAM FILE. The rank must be on this host.",
	.example = "gcore 3 rank3.core",
	.completes = "file",
	.needs_job = true,
	.run = run_gcore,
};
