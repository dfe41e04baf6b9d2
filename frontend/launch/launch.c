/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"

#define INPUT_MS 5000 /* how long the program may take to make room in its input */
#define LINE_MS 100 /* how long a piece of a line waits for its end */

/* One of the launcher's outputs. */
struct stream {
	struct launch *l;
	int number; /* 1 or 2 */
	int fd;	    /* -1: at its end */
	size_t len;
	char text[8192];
};

struct launch {
	struct loop *loop;
	struct launch_watch watch;
	int control;
	int in; /* writing end of the launcher's standard input; -1: none */
	pid_t guard, pid;
	int status;  /* of the launcher; -1 not known */
	bool noted;  /* the guard has gone, with or without a note */
	bool orphan; /* without: the launcher may still be on its way out */
	bool reported; /* watch.ended was called */
	struct stream stream[2];
};

static void emit(struct stream *s, size_t len)
{
	if (len == 0)
		return;
	if (s->l->watch.output)
		s->l->watch.output(s->l->watch.arg, s->number, s->text, len);
	s->len -= len;
	memmove(s->text, s->text + len, s->len);
}

static void emit_rest(void *arg)
{
	struct stream *s = arg;

	emit(s, s->len);
}

/* Reports the end when there is nothing more to come. */
static void check_end(struct launch *l)
{
	if (l->reported || !l->noted || l->stream[0].fd >= 0 || l->stream[1].fd >= 0)
		return;
	l->reported = true;
	if (l->watch.ended)
		l->watch.ended(l->watch.arg, l->status);
}

static void close_stream(struct stream *s)
{
	if (s->fd < 0)
		return;
	loop_cancel(s->l->loop, emit_rest, s);
	loop_remove(s->l->loop, s->fd);
	close(s->fd);
	s->fd = -1;
}

static void read_stream(void *arg, short revents)
{
	struct stream *s = arg;
	ssize_t n = read(s->fd, s->text + s->len, sizeof(s->text) - s->len);
	const char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_stream(s);
		emit_rest(s);
		check_end(s->l);
		return;
	}
	s->len += (size_t)n;
	end = memrchr(s->text, '\n', s->len);
	if (end)
		emit(s, (size_t)(end + 1 - s->text));
	if (s->len == sizeof(s->text))
		emit(s, s->len);
	if (s->len)
		loop_at(s->l->loop, loop_now() + LINE_MS, emit_rest, s);
	else
		loop_cancel(s->l->loop, emit_rest, s);
}

/* What still is in the pipes, when nobody who matters can write any more. */
static void drain(struct launch *l)
{
	for (int i = 0; i < 2; i++) {
		struct pollfd p = { .fd = l->stream[i].fd, .events = POLLIN };

		while (p.fd >= 0 && l->stream[i].fd >= 0 && poll(&p, 1, 0) > 0)
			read_stream(&l->stream[i], p.revents);
		close_stream(&l->stream[i]);
		emit_rest(&l->stream[i]);
	}
}

/* The guard is gone: killed by someone if it left no note. Its PDEATHSIG ends the launcher. */
static void guard_gone(struct launch *l)
{
	loop_remove(l->loop, l->control);
	close(l->control);
	l->control = -1;
	waitpid(l->guard, NULL, 0);
	if (l->status < 0) {
		l->status = SIGKILL;
		l->orphan = l->pid > 0;
	}
	l->noted = true;
	drain(l);
	check_end(l);
}

static void read_control(void *arg, short revents)
{
	struct launch *l = arg;
	struct guard_note n;
	ssize_t got = recv(l->control, &n, sizeof(n), MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got != sizeof(n)) {
		guard_gone(l);
		return;
	}
	log_debug("launch", "guard says %d: %d", n.what, n.value);
	if (n.what == 0)
		l->pid = n.value;
	else
		l->status = n.value;
}

/* launcher words, -n N, -x NAME, exec, program, arguments. Strings borrowed, the array the
 * caller's. */
static char **make_argv(const struct launch_spec *spec, char number[16])
{
	size_t n = 8, at = 0, nenv = 0;
	char **words = spec->launcher->word, **argv;

	for (size_t i = 0; words && words[i]; i++)
		n++;
	for (size_t i = 0; spec->args && spec->args[i]; i++)
		n++;
	for (; spec->env[nenv].name; nenv++)
		n += 2;
	argv = xcalloc(n, sizeof(*argv));
	for (size_t i = 0; words && words[i]; i++)
		argv[at++] = words[i];
	if (words && spec->n > 0) {
		snprintf(number, 16, "%d", spec->n);
		argv[at++] = (char *)"-n";
		argv[at++] = number;
	}
	if (words && spec->launcher->openmpi && spec->launcher->remote) {
		for (size_t i = 0; i < nenv; i++) {
			if (!spec->env[i].value)
				continue;
			argv[at++] = (char *)"-x";
			argv[at++] = (char *)spec->env[i].name;
		}
	}
	argv[at++] = (char *)spec->exec;
	argv[at++] = (char *)spec->program;
	for (size_t i = 0; spec->args && spec->args[i]; i++)
		argv[at++] = spec->args[i];
	return argv;
}

static void close_pair(int fd[2])
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* Forks the guard. sock, out, err: pairs that exist; in: open. 0 or -1. */
static int fork_guard(struct launch *l, const struct launch_spec *spec, int in, int sock[2],
		      int out[2], int err_pipe[2], struct err *err)
{
	char number[16], **argv = make_argv(spec, number);
	struct guard_spec g = {
		.loop = l->loop,
		.control = sock[1],
		.in = in,
		.out = { out[0], out[1] },
		.err = { err_pipe[0], err_pipe[1] },
		.argv = argv,
		.env = spec->env,
		.dir = spec->dir,
		.scratch = spec->launcher->scratch,
		.run_on = spec->run_on,
	};

	fflush(NULL);
	l->guard = fork();
	if (l->guard == 0)
		guard_main(&g);
	free(argv);
	if (l->guard < 0)
		return err_set(err, "cannot start %s: %s", spec->exec, strerror(errno));
	return 0;
}

static void start_stream(struct launch *l, int number, int fd)
{
	struct stream *s = &l->stream[number - 1];

	fcntl(fd, F_SETFL, O_NONBLOCK);
	s->l = l;
	s->number = number;
	s->fd = fd;
	loop_add(l->loop, fd, NULL, read_stream, s);
}

/* What the launcher is to read; -1 and err. */
static int open_input(struct launch *l, const struct launch_spec *spec, struct err *err)
{
	int ends[2], in;

	if (spec->typed && !spec->input) {
		if (pipe2(ends, O_CLOEXEC) < 0)
			return err_set(err, "the program's input: %s", strerror(errno));
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		l->in = ends[1];
		return ends[0];
	}
	in = open(spec->input ? spec->input : "/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0)
		err_set(err, "the program's input %s: %s", spec->input, strerror(errno));
	return in;
}

/* Opens everything, forks, and watches. 0, or -1 with nothing left open. */
static int start(struct launch *l, const struct launch_spec *spec, struct err *err)
{
	int sock[2] = { -1, -1 }, out[2] = { -1, -1 }, errs[2] = { -1, -1 };
	int in = open_input(l, spec, err);

	if (in < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0 ||
	    pipe2(out, O_CLOEXEC) < 0 || pipe2(errs, O_CLOEXEC) < 0) {
		err_set(err, "cannot start a launcher: %s", strerror(errno));
	} else if (fork_guard(l, spec, in, sock, out, errs, err) == 0) {
		close(in);
		close(sock[1]);
		close(out[1]);
		close(errs[1]);
		l->control = sock[0];
		loop_add(l->loop, l->control, NULL, read_control, l);
		start_stream(l, 1, out[0]);
		start_stream(l, 2, errs[0]);
		return 0;
	}
	close(in);
	close_pair(sock);
	close_pair(out);
	close_pair(errs);
	return -1;
}

struct launch *launch_start(const struct launch_spec *spec, struct loop *loop,
			    const struct launch_watch *watch, struct err *err)
{
	struct launch *l = xcalloc(1, sizeof(*l));

	l->loop = loop;
	l->watch = *watch;
	l->control = -1;
	l->in = -1;
	l->status = -1;
	l->stream[0].fd = l->stream[1].fd = -1;
	if (start(l, spec, err) < 0) {
		launch_destroy(l);
		return NULL;
	}
	return l;
}

void launch_destroy(struct launch *l)
{
	if (!l)
		return;
	for (int i = 0; i < 2; i++)
		if (l->stream[i].fd >= 0)
			close_stream(&l->stream[i]);
	if (l->in >= 0)
		close(l->in);
	if (l->control >= 0) {
		loop_remove(l->loop, l->control);
		close(l->control);
	}
	free(l);
}

/* Writes what the pipe takes; 0 when it is full, -1 when nobody can read it any more. */
static ssize_t write_some(int fd, const char *text, size_t len)
{
	ssize_t n;

	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	return n < 0 && errno == EAGAIN ? 0 : n;
}

int launch_input(struct launch *l, const char *text, size_t len, struct err *err)
{
	int64_t until = loop_now() + INPUT_MS;

	if (l->in < 0)
		return err_set(err, "the program's input is not the terminal, or has ended");
	while (text && len) {
		ssize_t n = write_some(l->in, text, len);

		if (n < 0)
			return err_set(err, "the program's input has no reader any more");
		if (!n && (loop_now() > until || loop_interrupted(l->loop)))
			return err_set(err,
				       "the program does not read its input: %zu bytes are left",
				       len);
		if (!n)
			loop_turn(l->loop, 20);
		text += n;
		len -= (size_t)n;
	}
	if (text)
		return 0;
	close(l->in);
	l->in = -1;
	return 0;
}

bool launch_ended(const struct launch *l)
{
	return l->noted;
}

int launch_status(const struct launch *l)
{
	return l->noted ? l->status : -1;
}

static void report_guard(struct launch *l, char word)
{
	if (l->control >= 0)
		(void)!send(l->control, &word, 1, MSG_NOSIGNAL);
}

void launch_on_exit(struct launch *l, bool run_on)
{
	report_guard(l, run_on ? GUARD_RUN : GUARD_KILL);
}

void launch_end(struct launch *l)
{
	report_guard(l, GUARD_TERM);
}

void launch_kill(struct launch *l)
{
	int64_t until = loop_now() + GUARD_GRACE_MS + 1000;

	launch_end(l);
	while (!launch_ended(l) && loop_now() < until)
		loop_turn(l->loop, 50);
	while (l->orphan && kill(-l->pid, loop_now() < until ? 0 : SIGKILL) == 0)
		loop_turn(l->loop, 50);
	if (launch_ended(l))
		return;
	/* The guard itself hangs: the launcher follows it by PDEATHSIG. */
	kill(l->guard, SIGKILL);
	while (!launch_ended(l))
		loop_turn(l->loop, 50);
}

const char *launch_status_text(int status, char *out, size_t size)
{
	if (status == -1)
		snprintf(out, size, "runs");
	else if (WIFSIGNALED(status))
		snprintf(out, size, "was killed by SIG%s",
			 sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
	else
		snprintf(out, size, "exited with code %d", WEXITSTATUS(status));
	return out;
}
