/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gdb's machine interface: records a line each (gdb's manual, "GDB/MI Output Syntax").
 */
#include "frontend/gdb/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"

#define END_MS 2000 /* for it to detach and end */

struct mi {
	struct loop *loop; /* borrowed */
	pid_t child;
	int to, from;
	struct buf line; /* bytes of a line that is not whole */
	struct buf text; /* what it has said */
	unsigned awaited; /* answers */
	bool running, failed, gone;
};

static void say(struct mi *m, const char *text, size_t n)
{
	buf_put_raw(&m->text, text, n);
}

/* A C string in quotes; returns behind it. */
static const char *say_quoted(struct mi *m, const char *p)
{
	static const char from[] = "ntr\"\\", to[] = "\n\t\r\"\\";
	const char *known;

	for (p += *p == '"'; *p && *p != '"'; p++) {
		char c = *p;

		if (c == '\\' && p[1] >= '0' && p[1] <= '7') {
			char *end;
			char octal[4] = { p[1], p[2], p[2] ? p[3] : 0, 0 };

			c = (char)strtol(octal, &end, 8);
			p += end - octal;
		} else if (c == '\\' && p[1]) {
			known = strchr(from, *++p);
			c = known ? to[known - from] : *p;
		}
		say(m, &c, 1);
	}
	return p;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void take_result(struct mi *m, const char *p)
{
	const char *message = strstr(p, "msg=\"");

	if (m->awaited)
		m->awaited--;
	m->failed = begins(p, "error");
	if (begins(p, "running"))
		m->running = true;
	if (begins(p, "exit"))
		m->gone = true;
	if (m->failed && message) {
		say_quoted(m, message + 4);
		say(m, "\n", 1);
	}
}

static void take_line(struct mi *m, const char *p)
{
	log_debug("gdb", "%s", p);
	/* the token of a result */
	p += strspn(p, "0123456789");
	switch (*p) {
	case '~':
		say_quoted(m, p + 1);
		break;
	case '^':
		take_result(m, p + 1);
		break;
	case '*':
		if (begins(p, "*running"))
			m->running = true;
		if (begins(p, "*stopped"))
			m->running = false;
		if (strstr(p, "reason=\"exited") && begins(p, "*stopped"))
			m->gone = true;
		break;
	}
}

static void readable(void *arg, short revents)
{
	struct mi *m = arg;
	char bytes[4096];
	ssize_t n = read(m->from, bytes, sizeof(bytes));

	if (n <= 0) {
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		m->gone = true;
		loop_remove(m->loop, m->from);
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			buf_put_raw(&m->line, &bytes[i], 1);
			continue;
		}
		buf_put_u8(&m->line, 0);
		if (!m->line.bad)
			take_line(m, (const char *)m->line.data);
		buf_clear(&m->line);
	}
}

static void send_line(struct mi *m, const char *text)
{
	char *line = xasprintf("%s\n", text);
	size_t n = strlen(line);

	if (write(m->to, line, n) != (ssize_t)n)
		m->gone = true;
	else
		m->awaited++;
	free(line);
}

static _Noreturn void become(const struct loop *loop, const char *gdb, int in, int out)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* what Ctrl-C means is decided here */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	loop_reset_signals(loop);
	execl(gdb, "gdb", "-q", "-nx", "--interpreter=mi3", (char *)NULL);
	_exit(127);
}

struct mi *mi_start(struct loop *loop, const char *gdb, pid_t pid, struct err *err)
{
	static const char *const first[] = {
		"-gdb-set mi-async on",
		"-gdb-set confirm off",
		"-gdb-set pagination off",
		"-gdb-set width 0",
		"-gdb-set print thread-events off",
		"-gdb-set style enabled off",
		"-gdb-set print inferior-events off",
		"-gdb-set breakpoint pending off",
		/* a rank that halt has stopped was let go by it */
		"-interpreter-exec console \"handle SIGCONT nostop noprint pass\"",
		"-interpreter-exec console \"set debuginfod enabled off\"",
	};
	struct mi *m = xcalloc(1, sizeof(*m));
	char attach[64];
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC)) {
		free(m);
		err_set(err, "gdb cannot be started: %s", strerror(errno));
		return NULL;
	}
	if (pipe2(from, O_CLOEXEC)) {
		err_set(err, "gdb cannot be started: %s", strerror(errno));
		close(to[0]);
		close(to[1]);
		free(m);
		return NULL;
	}
	fflush(NULL);
	m->child = fork();
	if (m->child == 0)
		become(loop, gdb, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	m->to = to[1];
	m->from = from[0];
	m->loop = loop;
	fcntl(m->from, F_SETFL, O_NONBLOCK);
	loop_add(loop, m->from, NULL, readable, m);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		send_line(m, first[i]);
	snprintf(attach, sizeof(attach), "-target-attach %d", (int)pid);
	send_line(m, attach);
	return m;
}

void mi_command(struct mi *m, const char *text)
{
	struct buf b = BUF_INIT;
	static const char head[] = "-interpreter-exec console \"";

	m->failed = false;
	buf_put_raw(&b, head, sizeof(head) - 1);
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_put_u8(&b, '\\');
		buf_put_u8(&b, (uint8_t)*p);
	}
	buf_put_raw(&b, "\"", 2);
	xalloc_check(b.bad ? -1 : 0);
	send_line(m, (const char *)b.data);
	buf_clear(&b);
}

bool mi_busy(const struct mi *m)
{
	return !m->gone && (m->awaited || m->running);
}

bool mi_failed(const struct mi *m)
{
	return m->failed;
}

bool mi_gone(const struct mi *m)
{
	return m->gone;
}

char *mi_take(struct mi *m)
{
	char *text;

	buf_put_u8(&m->text, 0);
	text = xstrdup(m->text.bad ? "" : (const char *)m->text.data);
	buf_clear(&m->text);
	return text;
}

void mi_interrupt(struct mi *m)
{
	/* while a console's command lets the program run gdb reads no -exec-interrupt */
	if (m->running && !m->gone)
		kill(m->child, SIGINT);
}

void mi_end(struct mi *m)
{
	int64_t until = loop_now() + END_MS;

	if (!m)
		return;
	if (!m->gone) {
		send_line(m, "-target-detach");
		send_line(m, "-gdb-exit");
	}
	close(m->to);
	while (waitpid(m->child, NULL, WNOHANG) == 0) {
		if (loop_now() > until)
			kill(m->child, SIGKILL);
		loop_turn(m->loop, 10);
	}
	loop_remove(m->loop, m->from);
	close(m->from);
	buf_clear(&m->line);
	buf_clear(&m->text);
	free(m);
}
