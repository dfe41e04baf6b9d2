/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run: dvmdbg starts the program, each rank notes what it receives. It is ended when all ranks
 * have seen enough, or time is over.
 */
#include "frontend/tags/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"

#define LOOK 50	      /* ms between looks at the files */
#define TO_END 15000 /* ms that the end of the run may take */

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static char **words(const struct tags_request *r, const char *count)
{
	const char *const first[] = { r->dvmdbg, "--json", "--batch", "-e", "run", "-n", count };
	size_t n = sizeof(first) / sizeof(*first), more = 0, args = 0;
	char **all;

	while (r->option && r->option[more])
		more++;
	while (r->argv[args])
		args++;
	all = xcalloc(n + more + args + 5, sizeof(*all));
	memcpy(all, first, sizeof(first));
	for (size_t i = 0; i < more; i++)
		all[n++] = r->option[i];
	if (r->marks) {
		all[n++] = (char *)"--marks";
		all[n++] = (char *)r->marks;
	}
	all[n++] = (char *)"--";
	for (size_t i = 0; i < args; i++)
		all[n++] = r->argv[i];
	return all;
}

static void become(char *const *argv, const char *dir, bool reals, int to)
{
	int in = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (in < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0)
		_exit(127);
	setenv("DVMDBG_TAGS", dir, 1);
	if (reals)
		setenv("DVMDBG_TAGS_REALS", "1", 1);
	else
		unsetenv("DVMDBG_TAGS_REALS");
	execv(argv[0], argv);
	_exit(127);
}

static bool all_complete(const char *dir, uint32_t ranks)
{
	bool all = true;

	for (uint32_t i = 0; i < ranks && all; i++) {
		char *path = xasprintf("%s/%" PRIu32, dir, i);

		all = !access(path, F_OK);
		free(path);
	}
	return all;
}

/* Reads answers until the run is over; it is ended as soon as it is of no more use. */
static void follow(pid_t pid, int from, const char *dir, uint32_t ranks, unsigned seconds,
		   struct tagged_run *to)
{
	int64_t end = now() + (int64_t)seconds * 1000, killed = 0;
	size_t n = 0, room = 1 << 16;
	char *text = xmalloc(room);

	for (;;) {
		struct pollfd p = { .fd = from, .events = POLLIN };
		ssize_t got;

		if (!killed && (all_complete(dir, ranks) || now() > end)) {
			to->late = now() > end && !all_complete(dir, ranks);
			kill(pid, SIGTERM);
			killed = now();
		} else if (killed && now() - killed > TO_END) {
			kill(pid, SIGKILL);
		}
		if (poll(&p, 1, LOOK) <= 0)
			continue;
		got = read(from, text + n, room - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
		if (n + 1 == room)
			text = xrealloc(text, room *= 2);
	}
	text[n] = 0;
	to->answers = text;
	to->died = !killed && !all_complete(dir, ranks);
}

int tags_run(const struct tags_request *r, const char *dir, bool reals, struct tagged_run *to,
	     struct err *err)
{
	int out[2], status = 0;
	char count[16], **argv;
	pid_t pid;

	*to = (struct tagged_run){ 0 };
	if (pipe2(out, O_CLOEXEC) < 0)
		return err_set(err, "cannot start a run: %s", strerror(errno));
	snprintf(count, sizeof(count), "%" PRIu32, r->ranks);
	argv = words(r, count);
	pid = fork();
	if (!pid)
		become(argv, dir, reals, out[1]);
	close(out[1]);
	free(argv);
	if (pid > 0)
		follow(pid, out[0], dir, r->ranks, r->seconds ? r->seconds : TAGS_SECONDS, to);
	close(out[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !out_cut_short())
		return 0;
	free(to->answers);
	to->answers = NULL;
	return err_set(err, pid > 0 ? "interrupted" : "cannot start a run: no process can be made");
}
