/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training runs: dvmdbg runs the program, with commands that ask at each stop. */
#include "frontend/annotate/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "frontend/launch/launch.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/util/xvec.h"

#define FRAMES 3   /* that are asked about */
#define ROUNDS 500 /* of stops, at most */
#define PASSES "3" /* of each line over an array, that are recorded */

static FILE *commands(uint32_t ranks, const struct breaks *b, const char *dir)
{
	FILE *f = tmpfile();

	if (!f)
		return NULL;
	fprintf(f, "record %s\nlevel FULL\nrun\n", dir);
	/* ranks that wait for others arrive at the same place later: at worst each stops alone */
	for (uint32_t k = 0; k < b->n * ranks && k < ROUNDS; k++) {
		fprintf(f, "[stopped] where -native\n[stopped] locals -calls %s\n",
			b->fortran ? "-addresses" : "-types -all -addresses");
		for (uint32_t i = 0; i < b->nname; i++)
			fprintf(f, "[stopped] locals %s -addresses\n", b->name[i]);
		fputs("cont\n", f);
	}
	fflush(f);
	rewind(f);
	return f;
}

static char *breaks_text(const struct breaks *b)
{
	char *text, *s;

	s = text = xmalloc(b->n * 18 + 1);
	*s = 0;
	for (uint32_t i = 0; i < b->n; i++)
		s += sprintf(s, "%s%" PRIx64, i ? "," : "", b->at[i]);
	return text;
}

static char *read_all(int fd)
{
	size_t n = 0, room = 1 << 16;
	char *text = xmalloc(room);
	ssize_t got;

	while ((got = read(fd, text + n, room - n - 1)) > 0 || (got < 0 && errno == EINTR)) {
		n += got > 0 ? (size_t)got : 0;
		if (n + 1 == room)
			text = xrealloc(text, room *= 2);
	}
	text[n] = 0;
	return text;
}

int run_dvmdbg(char *const *argv, FILE *in, const struct breaks *b, char **answers, struct err *err)
{
	char *breaks = b ? breaks_text(b) : NULL;
	int out[2], status = 0;
	pid_t pid;

	*answers = NULL;
	if (pipe2(out, O_CLOEXEC) < 0) {
		free(breaks);
		return err_set(err, "cannot start a run: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		int fd = in ? fileno(in) : open("/dev/null", O_RDONLY);

		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (fd < 0 || dup2(fd, 0) < 0 || dup2(out[1], 1) < 0)
			_exit(127);
		if (breaks) {
			setenv("DVMDBG_BREAKS", breaks, 1);
			setenv("DVMDBG_SURVEY", PASSES, 1);
			setenv("DVMDBG_SURVEY_CALLS", b->calls ? b->calls : "", 1);
		}
		execv(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	*answers = pid > 0 ? read_all(out[0]) : xstrdup("");
	close(out[0]);
	free(breaks);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !out_cut_short())
		return 0;
	free(*answers);
	*answers = NULL;
	return err_set(err, pid > 0 ? "interrupted" : "cannot start a run: no process can be made");
}

/* The words in front of the program's, and those. */
char **run_words(const char *const *first, char *const *argv)
{
	size_t n = 0, k = 0;
	char **all;

	while (argv[n])
		n++;
	while (first[k])
		k++;
	all = xcalloc(n + k + 1, sizeof(*all));
	for (size_t i = 0; i < k; i++)
		all[i] = (char *)first[i];
	for (size_t i = 0; i < n; i++)
		all[k + i] = argv[i];
	return all;
}

/* The last error that a run has reported. */
static void take_error(const char *answers, struct err *err)
{
	err_set(err, "the program could not be run");
	for (const char *line = answers; *line;
	     line += strcspn(line, "\n") + !!strchr(line, '\n')) {
		json_t *o = json_loadb(line, strcspn(line, "\n"), 0, NULL);

		if (!strcmp(out_str(o, "type"), "error"))
			err_set(err, "%s", out_str(o, "text"));
		json_decref(o);
	}
}

int training_run(const char *dvmdbg, char *const *argv, uint32_t ranks, const struct breaks *b,
		 const char *dir, char **answers, struct err *err)
{
	FILE *in = commands(ranks, b, dir);
	char count[16], **all;
	int rc;

	if (!in)
		return err_set(err, "cannot start a training run: %s", strerror(errno));
	snprintf(count, sizeof(count), "%" PRIu32, ranks);
	all = run_words((const char *const[]){ dvmdbg, "--json", "-n", count, "--set",
					       "STOP_TIMER=0", "--", NULL },
			argv);
	rc = run_dvmdbg(all, in, b, answers, err);
	fclose(in);
	free(all);
	if (!rc && access(dir, F_OK) < 0) {
		take_error(*answers, err);
		rc = -1;
	}
	return rc;
}

static bool has_rank(const json_t *o, uint32_t rank)
{
	char *set_text = xstrdup(out_str(o, "ranks"));
	struct rankset set = { 0 };
	bool has;

	set_text[strcspn(set_text, "]")] = 0;
	has = *set_text == '[' && !rankset_parse(&set, set_text + 1, NULL) &&
	      rankset_has(&set, rank);
	rankset_clear(&set);
	free(set_text);
	return has;
}

/* The first of the list that the rank is one of; NULL: none. */
static const json_t *of_rank(const json_t *list, uint32_t rank)
{
	const json_t *o;
	size_t i;

	json_array_foreach (list, i, o)
		if (has_rank(o, rank))
			return o;
	return NULL;
}

/* Frames of a rank's calls, the outermost first in the tree, innermost first in the stop. */
static void take_calls(struct stop_seen *s, const json_t *tree, uint32_t rank)
{
	const json_t *o = of_rank(tree, rank);
	struct frame_seen *f;

	if (!o)
		return;
	take_calls(s, json_object_get(o, "calls"), rank);
	f = xvec_add(s->frame, s->nframe);
	f->func = xstrdup(out_str(o, "name"));
	f->file = xstrdup(out_str(o, "file"));
	f->line = (uint32_t)json_integer_value(json_object_get(o, "line"));
}

static void take_variable(struct frame_seen *f, const json_t *o, uint32_t rank)
{
	const json_t *g = of_rank(json_object_get(o, "groups"), rank);

	if (g)
		variables_add(f, out_str(o, "name"), out_str(g, "kind"), out_str(g, "value"));
}

/* A variable of a module, which was asked for by its name. */
static void take_module(struct stop_seen *s, const json_t *calls, uint32_t rank)
{
	const json_t *variables = json_object_get(of_rank(calls, rank), "variables");
	const json_t *v = json_array_get(variables, 0);

	if (json_array_size(variables) != 1 || !s->nframe)
		return;
	for (uint32_t i = 0; i < s->frame[0].nvariable; i++)
		if (!strcmp(s->frame[0].variable[i].name, out_str(v, "name")))
			return;
	if (!s->modules.file)
		s->modules.file = xstrdup(s->frame[0].file);
	take_variable(&s->modules, v, rank);
}

/* Those of the innermost calls; calls of one name are one. */
static void take_locals(struct stop_seen *s, const json_t *calls, uint32_t rank)
{
	const json_t *c, *v;
	size_t i, k;

	json_array_foreach (calls, i, c) {
		uint32_t at = 0;

		while (at < s->nframe && at < FRAMES &&
		       (strcmp(s->frame[at].func, out_str(c, "name")) || s->frame[at].nvariable))
			at++;
		if (at == s->nframe || at == FRAMES || !has_rank(c, rank))
			continue;
		json_array_foreach (json_object_get(c, "variables"), k, v)
			take_variable(&s->frame[at], v, rank);
	}
}

/* What one answer shows of a rank; which: of the answers about variables at a stop. */
static void take_answer(struct rank_seen *x, uint32_t rank, const json_t *o, uint32_t which)
{
	const json_t *tree = json_object_get(o, "tree"), *calls = json_object_get(o, "calls");
	struct stop_seen *s = x->nstop ? &x->stop[x->nstop - 1] : NULL;

	if (tree && of_rank(tree, rank))
		take_calls(xvec_add(x->stop, x->nstop), tree, rank);
	else if (!tree && s && !which)
		take_locals(s, calls, rank);
	else if (!tree && s)
		take_module(s, calls, rank);
}

void training_stops(struct training *t, char *answers)
{
	uint32_t which = 0;

	for (char *line = strtok(answers, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *o = json_loads(line, 0, NULL);
		const char *type = out_str(o, "type");
		bool calls = !strcmp(type, "calls");

		if (calls || !strcmp(type, "locals")) {
			for (uint32_t r = 0; r < t->ranks; r++)
				take_answer(&t->rank[r], r, o, which);
			which = calls ? 0 : which + 1;
		}
		json_decref(o);
	}
}
