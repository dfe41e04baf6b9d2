/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training runs: dvmdbg runs the program, with commands that ask at each stop. */
#include "frontend/annotate/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/util/xvec.h"

#define FRAMES 3 /* that are asked about */
#define PASSES "3" /* of each line over an array, that are recorded */

static FILE *commands(uint32_t ranks, const struct breaks *b, const char *dir)
{
	FILE *f = tmpfile();

	if (!f)
		return NULL;
	fprintf(f, "record %s\nlevel FULL\nrun\n", dir);
	/* ranks that wait for others arrive at the same place later */
	for (uint32_t k = 0; b->n && k < b->n + 2 * (ranks - 1); k++) {
		for (uint32_t r = 0; r < ranks; r++) {
			fprintf(f, "focus [%" PRIu32 "]\nwhere -native\n", r);
			for (unsigned i = 0; i < FRAMES; i++)
				fprintf(f, "locals %s\nup\n", b->fortran ? "-addresses" : "-types -all");
			fprintf(f, "down %d\n", FRAMES);
		}
		fputs("focus all\ncont\n", f);
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

int training_run(const char *dvmdbg, char *const *argv, uint32_t ranks, const struct breaks *b,
		 const char *dir, char **answers, struct err *err)
{
	FILE *in = commands(ranks, b, dir);
	char *breaks = breaks_text(b), count[16], **all;
	int out[2], status = 0;
	size_t n = 0;
	pid_t pid;

	while (argv[n])
		n++;
	if (!in || pipe2(out, O_CLOEXEC) < 0)
		return err_set(err, "cannot start a training run: %s", strerror(errno));
	snprintf(count, sizeof(count), "%" PRIu32, ranks);
	all = xcalloc(n + 9, sizeof(*all));
	all[0] = (char *)dvmdbg;
	all[1] = "--json";
	all[2] = "-n";
	all[3] = count;
	all[4] = "--set";
	all[5] = "STOP_TIMER=1";
	all[6] = "--";
	memcpy(all + 7, argv, n * sizeof(*all));
	pid = fork();
	if (!pid) {
		dup2(fileno(in), 0);
		dup2(out[1], 1);
		setenv("DVMDBG_BREAKS", breaks, 1);
		setenv("DVMDBG_SURVEY", PASSES, 1);
		execv(dvmdbg, all);
		_exit(127);
	}
	close(out[1]);
	*answers = pid > 0 ? read_all(out[0]) : xstrdup("");
	close(out[0]);
	fclose(in);
	free(breaks);
	free(all);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return err_set(err, "cannot start a training run: %s", strerror(errno));
	return 0;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static int rank_of(const json_t *o)
{
	int r;

	return sscanf(text_of(o, "ranks"), "[%d]", &r) == 1 ? r : -1;
}

/* Frames of a chain of calls, the outermost first in it, innermost first in the stop. */
static void take_calls(struct stop_seen *s, const json_t *calls)
{
	const json_t *o = json_array_get(calls, 0);
	struct frame_seen *f;

	if (!o)
		return;
	take_calls(s, json_object_get(o, "calls"));
	f = xvec_add(s->frame, s->nframe);
	f->func = xstrdup(text_of(o, "name"));
	f->file = xstrdup(text_of(o, "file"));
	f->line = (uint32_t)json_integer_value(json_object_get(o, "line"));
}

static void take_variable(struct frame_seen *f, const json_t *o)
{
	const json_t *g = json_array_get(json_object_get(o, "groups"), 0);

	variables_add(f, text_of(o, "name"), text_of(g, "kind"), text_of(g, "value"));
}

static void take_locals(struct stop_seen *s, uint32_t level, const json_t *o)
{
	const json_t *c = json_array_get(json_object_get(o, "calls"), 0), *v;
	struct frame_seen *f;
	size_t i;

	if (level >= s->nframe)
		return;
	f = &s->frame[level];
	if (f->nvariable || strcmp(f->func, text_of(c, "name")))
		return;
	json_array_foreach (json_object_get(c, "variables"), i, v)
		take_variable(f, v);
}

void training_stops(struct training *t, char *answers)
{
	struct stop_seen *s = NULL;
	uint32_t level = 0;

	for (char *line = strtok(answers, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *o = json_loads(line, 0, NULL);
		const char *type = text_of(o, "type");

		if (!strcmp(type, "calls")) {
			const json_t *tree = json_object_get(o, "tree");
			int r = rank_of(json_array_get(tree, 0));

			s = NULL;
			if (r >= 0 && (uint32_t)r < t->ranks) {
				s = xvec_add(t->rank[r].stop, t->rank[r].nstop);
				take_calls(s, tree);
				level = 0;
			}
		} else if (!strcmp(type, "locals") && s) {
			take_locals(s, level++, o);
		}
		json_decref(o);
	}
}
