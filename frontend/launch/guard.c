/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/launch/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/util/loop.h"
#include "frontend/util/private_dir.h"

struct guard {
	const struct guard_spec *spec;
	pid_t launcher;
	int sigfd;
	bool front_end; /* still there */
	bool run_on;
	int64_t kill_at; /* 0: not being ended */
	int status;
	char scratch[PATH_MAX]; /* the launcher's; "": it has none */
};

/* What gives Open MPI's launchers, of version 4 and of 5, where their files are to be. */
static const char *const mpi_base[] = { "OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base" };

/* Closes all descriptors from 3 on but the given ones. */
static void close_others(const int *keep, size_t n)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		int fd = atoi(e->d_name);
		bool kept = fd < 3 || fd == dirfd(d);

		for (size_t i = 0; i < n; i++)
			kept = kept || keep[i] == fd;
		if (!kept)
			close(fd);
	}
	if (d)
		closedir(d);
}

/*
 * All launchers of a user have their files below one directory, and one that ends takes it away
 * while another begins, which then fails: each of ours has one for itself, where the user wants
 * them. It is held until the guard ends.
 */
static void make_scratch(struct guard *g)
{
	const char *base[] = { getenv(mpi_base[0]), getenv(mpi_base[1]), getenv("TMPDIR"), "/tmp" };
	size_t i = 0;

	while (!base[i] || !base[i][0])
		i++;
	if (private_dir_scratch(base[i], g->scratch, sizeof(g->scratch)) < 0)
		g->scratch[0] = '\0';
}

/* The child that becomes the launcher. */
static _Noreturn void become_launcher(const struct guard_spec *g, const char *scratch, pid_t guard)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != guard)
		_exit(127);
	dup2(g->in, 0);
	dup2(g->out[1], 1);
	dup2(g->err[1], 2);
	close_others(NULL, 0);
	for (const struct guard_env *e = g->env; e->name; e++) {
		if (e->value)
			setenv(e->name, e->value, 1);
		else
			unsetenv(e->name);
	}
	for (size_t i = 0; scratch[0] && i < sizeof(mpi_base) / sizeof(mpi_base[0]); i++)
		setenv(mpi_base[i], scratch, 1);
	loop_reset_signals(g->loop);
	execv(g->argv[0], g->argv);
	dprintf(2, "dvmdbg: cannot run %s: %s\n", g->argv[0], strerror(errno));
	_exit(127);
}

static void note(const struct guard *g, int what, int value)
{
	struct guard_note n = { .what = what, .value = value };

	if (g->front_end)
		(void)!send(g->spec->control, &n, sizeof(n), MSG_NOSIGNAL);
}

static void end_launcher(struct guard *g)
{
	if (g->kill_at)
		return;
	kill(-g->launcher, SIGTERM);
	g->kill_at = loop_now() + GUARD_GRACE_MS;
}

static void read_control(struct guard *g)
{
	char word[16];
	ssize_t n = recv(g->spec->control, word, sizeof(word), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		g->front_end = false;
		if (!g->run_on)
			end_launcher(g);
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (word[i] == GUARD_TERM)
			end_launcher(g);
		else
			g->run_on = word[i] == GUARD_RUN;
	}
}

/* The front end is gone but the program runs: its output must not fill the pipe. */
static bool copy_output(int from, int to)
{
	char text[4096];
	ssize_t n = read(from, text, sizeof(text));

	if (n > 0)
		(void)!write(to, text, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void read_signals(struct guard *g)
{
	struct signalfd_siginfo info;

	while (read(g->sigfd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGTERM)
			end_launcher(g);
}

/* What it left in its group ends too, while the group's number cannot be another's yet. */
static bool launcher_ended(struct guard *g)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)g->launcher, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    info.si_pid != g->launcher)
		return false;
	kill(-g->launcher, SIGKILL);
	return waitpid(g->launcher, &g->status, 0) == g->launcher;
}

/* Until the launcher has ended. */
static void watch(struct guard *g)
{
	int out = g->spec->out[0], err = g->spec->err[0];

	while (!launcher_ended(g)) {
		struct pollfd p[4] = {
			{ .fd = g->sigfd, .events = POLLIN },
			{ .fd = g->front_end ? g->spec->control : -1, .events = POLLIN },
			{ .fd = g->front_end ? -1 : out, .events = POLLIN },
			{ .fd = g->front_end ? -1 : err, .events = POLLIN },
		};
		int left = -1;

		if (g->kill_at) {
			left = (int)(g->kill_at - loop_now());
			if (left <= 0) {
				kill(-g->launcher, SIGKILL);
				g->kill_at += 1000;
				left = 0;
			}
		}
		if (poll(p, 4, left) <= 0)
			continue;
		read_signals(g);
		if (p[1].revents)
			read_control(g);
		if (p[2].revents && !copy_output(out, 1))
			out = -1;
		if (p[3].revents && !copy_output(err, 2))
			err = -1;
	}
}

void guard_main(const struct guard_spec *spec)
{
	struct guard g = { .spec = spec, .front_end = true, .run_on = spec->run_on };
	const int keep[] = { spec->control, spec->in,	  spec->out[0],
			     spec->out[1],  spec->err[0], spec->err[1] };
	pid_t self = getpid();
	sigset_t all;

	setpgid(0, 0);
	prctl(PR_SET_NAME, "dvmdbg-guard");
	signal(SIGPIPE, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	close_others(keep, sizeof(keep) / sizeof(keep[0]));
	if (spec->scratch)
		make_scratch(&g);
	g.launcher = fork();
	if (g.launcher == 0)
		become_launcher(spec, g.scratch, self);
	if (g.launcher < 0) {
		if (g.scratch[0])
			private_dir_scratch_remove(g.scratch);
		note(&g, 1, 127 << 8);
		_exit(127);
	}
	setpgid(g.launcher, g.launcher);
	close(spec->in);
	close(spec->out[1]);
	close(spec->err[1]);
	g.sigfd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
	note(&g, 0, g.launcher);
	watch(&g);
	if (g.scratch[0])
		private_dir_scratch_remove(g.scratch);
	note(&g, 1, g.status);
	if (!g.front_end && spec->dir)
		private_dir_remove(spec->dir);
	_exit(0);
}
