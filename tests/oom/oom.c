/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every call site that allocates fails once, each in a process of its own: no crash, no hang, and
 * no wrong result without a report. With a case's name only that is run, and told in detail; with a
 * site's hash behind it that one fails here, for a debugger.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "tests/oom/cases.h"
#include "tests/oom/fail.h"

#define LIMIT 20 /* seconds for a run */

enum end { END_RIGHT, END_REPORTED, END_WRONG, ENDS };

/* What a run tells the driver, in memory that both have. */
struct shared {
	struct result result;
	int end;     /* enum end */
	bool passed; /* the site */
};

static const struct oom_case *const lists[] = { cases_common, cases_exec, cases_trace };
static struct shared *shared;
static unsigned failures;

void case_add(struct result *r, const void *data, size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++)
		r->hash = (r->hash ^ at[i]) * UINT64_C(0x100000001b3);
}

void case_text(struct result *r, const char *text)
{
	case_add(r, text, strlen(text) + 1);
}

int case_buf(struct result *r, const struct buf *b)
{
	if (b->bad)
		return -1;
	case_add(r, b->data, b->len);
	return 0;
}

/* From one place only: it is in all sites. */
__attribute__((noinline)) static int perform(const struct oom_case *c, struct result *r)
{
	int rc;

	fail_outermost(__builtin_return_address(0));
	rc = c->run(r);
	return rc;
}

/* In a process of its own. */
static void child(const struct oom_case *c, uint64_t site, uint64_t right)
{
	int rc;

	alarm(LIMIT);
	fail_at(site);
	rc = perform(c, &shared->result);
	fail_stop();
	shared->passed = fail_done();
	shared->end = rc ? END_REPORTED : shared->result.hash == right ? END_RIGHT : END_WRONG;
	_exit(0);
}

static void show_site(const struct oom_case *c, const struct fail_site *s, const char *what)
{
	char text[256], command[512], self[256] = "";
	size_t n = 0;

	fail_format(s, text, sizeof(text));
	printf("# %s: %s at %s\n", c->name, what, text);
	fflush(stdout);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return;
	n = (size_t)snprintf(command, sizeof(command), "addr2line -spfe %s", self);
	for (unsigned i = 0; i < s->n; i++)
		n += (size_t)snprintf(command + n, sizeof(command) - n, " 0x%zx", s->at[i] - 1);
	snprintf(command + n, sizeof(command) - n, " 2>&1 | sed 's/^/#     /'");
	if (system(command))
		printf("#     no addr2line\n");
}

/* How it ended when that site failed; ENDS: that was shown as a failure. */
static enum end run_site(const struct oom_case *c, const struct fail_site *s, uint64_t right)
{
	char what[64];
	int status;
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	shared->end = ENDS;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		child(c, s->hash, right);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		exit(99);
	if (WIFSIGNALED(status))
		snprintf(what, sizeof(what), "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) || shared->end == ENDS)
		snprintf(what, sizeof(what), "exit status %d", WEXITSTATUS(status));
	else if (!shared->passed)
		snprintf(what, sizeof(what), "a site that is not passed again");
	else if (shared->end == END_WRONG)
		snprintf(what, sizeof(what), "a wrong result without a report");
	else
		return shared->end;
	show_site(c, s, what);
	return ENDS;
}

static struct fail_site *copy_sites(size_t *n)
{
	const struct fail_site *from = fail_sites(n);
	struct fail_site *to = calloc(*n ? *n : 1, sizeof(*to));

	if (!to)
		exit(99);
	memcpy(to, from, *n * sizeof(*to));
	return to;
}

static bool run_case(const struct oom_case *c, bool detail)
{
	size_t n, count[ENDS + 1] = { 0 };
	struct result first = { 0 };
	struct fail_site *site;
	int rc;

	fail_pause(true);
	if (c->prepare)
		c->prepare();
	fail_pause(false);
	fail_record();
	rc = perform(c, &first);
	fail_stop();
	site = copy_sites(&n);
	if (rc)
		printf("# %s fails without lack of memory: %s\n", c->name, first.err.text);
	for (size_t i = 0; !rc && i < n; i++) {
		enum end end = run_site(c, &site[i], first.hash);

		count[end]++;
		if (detail && end != ENDS)
			show_site(c, &site[i],
				  end == END_RIGHT ? "right" : shared->result.err.text);
	}
	printf("# %s: %zu sites, %zu right, %zu reported, %zu failures\n", c->name, n,
	       count[END_RIGHT], count[END_REPORTED], count[ENDS]);
	free(site);
	if (c->clean)
		c->clean();
	return !rc && n && !count[ENDS];
}

static void one_site(const struct oom_case *c, const char *hash)
{
	struct result r = { 0 };

	fail_pause(true);
	if (c->prepare)
		c->prepare();
	fail_pause(false);
	fail_at(strtoull(hash, NULL, 16));
	printf("# returns %d, %s\n", perform(c, &r), r.err.text);
	fail_stop();
}

int main(int argc, char **argv)
{
	struct rlimit no_core = { 0, 0 };
	unsigned n = 0;

	setrlimit(RLIMIT_CORE, &no_core);
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 99;
	for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++)
		for (const struct oom_case *c = lists[l]; c->name; c++) {
			bool good;

			if (argc > 1 && strcmp(argv[1], c->name))
				continue;
			if (argc > 2) {
				one_site(c, argv[2]);
				continue;
			}
			good = run_case(c, argc > 1);
			printf("%s %u - lack of memory: %s\n", good ? "ok" : "not ok", ++n,
			       c->name);
			failures += !good;
		}
	printf("1..%u\n", n);
	return failures > 0;
}
