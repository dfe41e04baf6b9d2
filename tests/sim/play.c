/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/sim/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/core/err.h"
#include "frontend/render/render.h"
#include "frontend/main/main.h"
#include "frontend/cmd/cmd.h"
#include "frontend/job/job.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"

struct play {
	struct loop *loop;
	struct session *s;
	FILE *f;
	char *text;
	size_t len;
};

/* The launcher is told -n and the number: they go to the simulation in the environment. */
static char launcher[] = "sh -c 'export DVMDBG_SIM_SIZE=$2; shift 2; exec \"$@\"' launch";

struct play *play_begin(uint32_t ranks, const char *scenario, bool json)
{
	struct play *p = calloc(1, sizeof(*p));
	char *argv[] = { (char *)"/bin/true", (char *)scenario, NULL };
	const char *timer = getenv("DVMDBG_SIM_START");
	struct err err = { "" };
	struct out *out;

	main_use_verbs();
	render_use();
	p->loop = loop_create(&err);
	p->f = open_memstream(&p->text, &p->len);
	out = p->f ? out_create(p->f, json) : NULL;
	out_set_errors(out, NULL, "");
	p->s = p->loop && out ? session_create(p->loop, out) : NULL;
	if (p->s) {
		shell_create(p->s);
		shell_set_argv(p->s, argv, 2);
	}
	if (p->s && !shell_set(p->s, "START_TIMER", timer ? timer : "300", &err) &&
	    !shell_set(p->s, "QUERY_TIMER", "300", &err) &&
	    !shell_set(p->s, "STOP_TIMER", "300", &err)) {
		p->s->spec.n = (int)ranks;
		p->s->spec.launcher = strdup(launcher);
		p->s->spec.transport = strdup("unix");
		if (!session_load(p->s, &err))
			return p;
	}
	fprintf(stderr, "%s\n", err.text);
	play_end(p);
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct play_result play_run(struct play *p, const char *line)
{
	struct play_result r = { 0 };
	uint64_t bytes = p->s->job ? job_bytes_in(p->s->job) : 0;
	double since = now();

	fflush(p->f);
	rewind(p->f);
	r.rc = cmd_line(p->s, line);
	r.seconds = now() - since;
	fputc(0, p->f);
	fflush(p->f);
	r.bytes = (p->s->job ? job_bytes_in(p->s->job) : 0) - bytes;
	r.text = p->text;
	for (const char *t = p->text; *t;) {
		size_t n = strcspn(t, "\n");

		r.lines++;
		r.columns = n > r.columns ? n : r.columns;
		t += n + (t[n] == '\n');
	}
	return r;
}

struct session *play_session(struct play *p)
{
	return p->s;
}

void play_end(struct play *p)
{
	struct out *out = p->s ? p->s->out : NULL;

	if (p->s) {
		shell_destroy(p->s);
		session_destroy(p->s);
	}
	out_destroy(out);
	loop_destroy(p->loop);
	if (p->f)
		fclose(p->f);
	free(p->text);
	free(p);
}
