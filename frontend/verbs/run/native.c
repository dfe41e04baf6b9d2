/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs for what dvmdbg itself does not look at: attach core gdb. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/protocol/answer.h"
#include "frontend/model/ask.h"
#include "frontend/cmd/cmd.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/launch/launch.h"
#include "frontend/session/session.h"
#include "frontend/util/xrankset.h"

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

static int run_attach(struct session *s, struct cmd_call *call, struct err *err)
{
	if (check_executable(call, "attach", "process numbers", err))
		return -1;
	for (int i = 1; i < call->argc; i++) {
		const char *p = call->argv[i];
		int64_t pid;

		if (parse_int_at(&p, &pid) || pid < 1 || pid > INT32_MAX ||
		    (*p && strcmp(p, ",") != 0))
			return err_set(err, "attach: '%s' is not a process number", call->argv[i]);
		if (kill((pid_t)pid, 0) && errno == ESRCH)
			out_warning(s->out, "attach: there is no process %" PRIi64 " on this host",
				    pid);
	}
	return err_set(err,
		       "attach: dvmdbg debugs only programs that it has started, as the runtime "
		       "numbers the points from the start; type load %s",
		       call->argv[0]);
}

const struct cmd cmd_attach = {
	.name = "attach",
	.args = "executable pids",
	.brief = "explains why running processes cannot be attached to",
	.help = "The runtime in the program numbers points from the program's start. A process "
		"that was started without the runtime has no numbers; load and run start the "
		"program with it.",
	.example = "attach ./heat 4711",
	.completes = "file",
	.no_set = true,
	.run = run_attach,
};

static int run_core(struct session *s, struct cmd_call *call, struct err *err)
{
	if (check_executable(call, "core", "core files", err))
		return -1;
	for (int i = 1; i < call->argc; i++) {
		size_t len = strlen(call->argv[i]);

		if (len && call->argv[i][len - 1] == ',')
			call->argv[i][len - 1] = 0;
		if (access(call->argv[i], R_OK))
			return err_set(err, "core: cannot read %s: %s", call->argv[i],
				       strerror(errno));
	}
	return err_set(err,
		       "core: a core file has no points and no registered objects; open it with "
		       "gdb %s %s",
		       call->argv[0], call->argv[1]);
}

const struct cmd cmd_core = {
	.name = "core",
	.args = "executable files",
	.brief = "explains why core files cannot be loaded",
	.help = "dvmdbg gets its information from the runtime of a living program. A rank that "
		"crashes under dvmdbg is stopped before it dies and can be inspected then.",
	.example = "core ./heat core.4711",
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
		rc = err_set(err, "gdb: rank %u does not answer", rank);
	if (!rc) {
		struct buf b = buf_view(answers.group[0].blob, answers.group[0].len);
		struct answer_process a;

		if (answer_process_get(&a, &b) || !a.pid)
			err_set(err,
				"gdb: rank %u has no process: it has not been started, or has "
				"ended",
				rank);
		else if (strcmp(a.host, here) != 0)
			err_set(err,
				"gdb: rank %u is process %u on the host %s; type gdb -p %u there",
				rank, a.pid, a.host, a.pid);
		else
			pid = (pid_t)a.pid;
	}
	groups_clear(&answers);
	rankset_clear(&who);
	return pid;
}

/* In a forked child: gdb on the process, in a group of its own that has the terminal. */
static _Noreturn void become_gdb(const struct loop *loop, const char *gdb, pid_t pid)
{
	char number[16];

	setpgid(0, 0);
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, getpid());
	signal(SIGTTOU, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	loop_reset_signals(loop);
	snprintf(number, sizeof(number), "%d", (int)pid);
	execl(gdb, "gdb", "-q", "-p", number, (char *)NULL);
	_exit(127);
}

/* Gives the terminal to gdb until it ends; ranks are listened to meanwhile. */
static int lend_terminal(struct session *s, const char *gdb, pid_t pid, struct err *err)
{
	struct termios modes;
	bool known = !tcgetattr(STDIN_FILENO, &modes);
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0)
		become_gdb(s->loop, gdb, pid);
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

static int run_gdb(struct session *s, struct cmd_call *call, struct err *err)
{
	uint64_t rank;
	char *gdb;
	pid_t pid;
	int rc;

	if (call->argc != 1 || parse_uint(call->argv[0], 0, UINT64_MAX, &rank))
		return err_set(err, "gdb: give the number of one rank");
	if (rank >= (unsigned long)job_size(s->job))
		return err_set(err, "gdb: there is no rank %lu: ranks are 0 to %d", rank,
			       job_size(s->job) - 1);
	pid = find_process(s, (uint32_t)rank, err);
	if (pid < 0)
		return -1;
	if (!s->interactive || s->fill_screen)
		return err_set(err,
			       "gdb: this needs the prompt of a terminal; type gdb -p %d in "
			       "another one for rank %lu",
			       (int)pid, rank);
	gdb = program_find("gdb");
	if (!gdb)
		return err_set(err, "gdb: gdb was not found in PATH; rank %lu is process %d", rank,
			       (int)pid);
	out_note(s->out,
		 "gdb runs on rank %lu, process %d; quit in gdb returns to this "
		 "prompt",
		 rank, (int)pid);
	rc = lend_terminal(s, gdb, pid, err);
	free(gdb);
	return rc;
}

const struct cmd cmd_gdb = {
	.name = "gdb",
	.args = "rank",
	.brief = "a native debugger on that rank, in this terminal",
	.help = "Starts gdb on the rank's process, which is where dvmdbg has parked it, with the "
		"runtime's frames innermost. quit in gdb detaches from the process and returns to "
		"the prompt. The rank must be on this host.",
	.example = "gdb 3",
	.needs_job = true,
	.run = run_gdb,
};
