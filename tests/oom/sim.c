/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session over a simulated tree in which one call site of a node fails once: each command answers
 * as without, or it is said that something is missing; the session ends in time, and no node
 * crashes. A part of the sites, or with DVMDBG_LONG all.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/session/session.h"
#include "tests/sim/play.h"
#include "tests/sim/sim.h"
#include "tests/unit/fake_node.h"

#define RANKS 20 /* three nodes have others below them */
#define LIMIT 30 /* seconds for a session */
#define PART 12	 /* sites that are tried unless all are */
#define TEXT 65536

static const struct {
	const char *scenario;
	const char *line[10];
} plays[] = {
	{ "groups",
	  { "step", "where", "status", "print x", "print u[5:30]", "differ", "points",
	    "decomp u" } },
	{ "exits", { "status", "cont", "status" } },
};
#define PLAYS (sizeof(plays) / sizeof(plays[0]))

/* What came of it, in memory that both processes have. */
struct shared {
	char text[TEXT]; /* answers, one behind another, each with its NUL */
	size_t len;
	bool whole; /* the session was begun and ended */
};

static struct shared *shared;
static char dir[] = "/tmp/oom-sim.XXXXXX", record[64], once[64], errors[64];

static void add_text(const char *text)
{
	size_t n = strlen(text) + 1;

	if (shared->len + n > TEXT)
		_exit(98);
	memcpy(shared->text + shared->len, text, n);
	shared->len += n;
}

/* In a process of its own. */
static void play_all(size_t which)
{
	struct play *p;
	struct err err;
	int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);

	alarm(LIMIT);
	setenv("DVMDBG_SIM_START", "10", 1);
	dup2(fd, STDERR_FILENO);
	p = play_begin(RANKS, plays[which].scenario, false);
	if (!p)
		_exit(0);
	shell_set(play_session(p), "QUERY_TIMER", "2", &err);
	shell_set(play_session(p), "STOP_TIMER", "2", &err);
	for (const char *const *line = plays[which].line; *line; line++)
		add_text(play_run(p, *line).text);
	play_end(p);
	shared->whole = true;
	_exit(0);
}

/* The status of the process. */
static int run(size_t which)
{
	int status = 0;
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		play_all(which);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		exit(99);
	return status;
}

static char *read_file(const char *path)
{
	static char text[TEXT * 8];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return text;
}

/* Whether something is said to be missing. */
static bool says(const char *text)
{
	static const char *const words[] = { "out of memory",	"no answer",
					     "did not answer",	"has not connected",
					     "never connected", "exited with code" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* All answers as one text. */
static const char *all_text(void)
{
	for (size_t i = 0; i + 1 < shared->len; i++)
		if (shared->text[i] == '\0')
			shared->text[i] = '\n';
	return shared->text;
}

/* NULL: all is as it should be; else what is not. */
static const char *judge(int status, const struct shared *right)
{
	static char what[TEXT];
	const char *errs = read_file(errors);
	bool same = shared->len == right->len && !memcmp(shared->text, right->text, right->len);

	if (WIFSIGNALED(status))
		snprintf(what, sizeof(what), "the front end ended with signal %d",
			 WTERMSIG(status));
	else if (WEXITSTATUS(status))
		snprintf(what, sizeof(what), "the front end ended with %d", WEXITSTATUS(status));
	else if (strstr(errs, "ended by signal"))
		snprintf(what, sizeof(what), "%.1000s", errs);
	else if ((same && shared->whole) || says(errs) || says(all_text()))
		return NULL;
	else
		snprintf(what, sizeof(what), "another answer, and no word of it: %.3000s%s",
			 all_text(), errs);
	return what;
}

static void show(const char *line, const char *what)
{
	char command[512], self[256] = "", *offsets = strrchr(line, ' ') + 1;

	printf("# %s\n", line);
	for (const char *at = what; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0'))
		printf("#   %.*s\n", (int)strcspn(at, "\n"), at);
	fflush(stdout);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return;
	snprintf(command, sizeof(command),
		 "addr2line -spfe %s $(echo %s | tr , ' ') | sed 's/^/#     /'", self, offsets);
	if (system(command))
		printf("#     no addr2line\n");
}

/* The record's lines, an array to be freed; each site once. */
static char **read_sites(size_t *n)
{
	char *text = strdup(read_file(record)), **line = NULL;

	*n = 0;
	for (char *l = strtok(text, "\n"); l; l = strtok(NULL, "\n")) {
		size_t i = 0;

		while (i < *n && strncmp(line[i], l, 16))
			i++;
		if (i < *n)
			continue;
		line = realloc(line, (*n + 1) * sizeof(*line));
		line[(*n)++] = l;
	}
	return line;
}

static bool play_sites(size_t which)
{
	struct shared *right = malloc(sizeof(*right));
	size_t n, tried = 0, bad = 0, step;
	char **line;

	unlink(record);
	setenv("DVMDBG_FAIL_RECORD", record, 1);
	if (run(which) || !shared->whole) {
		printf("# %s: no session\n%s", plays[which].scenario, read_file(errors));
		return false;
	}
	*right = *shared;
	unsetenv("DVMDBG_FAIL_RECORD");
	line = read_sites(&n);
	step = getenv("DVMDBG_LONG") || n < PART ? 1 : n / PART;
	setenv("DVMDBG_FAIL_ONCE", once, 1);
	for (size_t i = 0; i < n; i += step, tried++) {
		const char *what;

		setenv("DVMDBG_FAIL_SITE", line[i], 1);
		unlink(once);
		what = judge(run(which), right);
		if (what)
			show(line[i], what);
		bad += what != NULL;
	}
	unsetenv("DVMDBG_FAIL_SITE");
	unsetenv("DVMDBG_FAIL_ONCE");
	printf("# %s: %zu of %zu sites, %zu failures\n", plays[which].scenario, tried, n, bad);
	free(line);
	free(right);
	return tried > 0 && !bad;
}

int main(int argc, char **argv)
{
	struct rlimit no_core = { 0, 0 };
	unsigned failures = 0;

	(void)argc;
	if (fake_node_wanted())
		return sim_main(argv);
	setrlimit(RLIMIT_CORE, &no_core);
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED || !mkdtemp(dir) || fake_node_setup() < 0)
		return 99;
	snprintf(record, sizeof(record), "%s/record", dir);
	snprintf(once, sizeof(once), "%s/once", dir);
	snprintf(errors, sizeof(errors), "%s/errors", dir);
	for (size_t i = 0; i < PLAYS; i++) {
		bool good = play_sites(i);

		printf("%s %zu - lack of memory in nodes: %s\n", good ? "ok" : "not ok", i + 1,
		       plays[i].scenario);
		failures += !good;
	}
	printf("1..%zu\n", PLAYS);
	fake_node_cleanup();
	unlink(record);
	unlink(once);
	unlink(errors);
	rmdir(dir);
	return failures > 0;
}
