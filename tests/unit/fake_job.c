/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/fake_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/render/render.h"
#include "frontend/main/main.h"
#include "frontend/action/action.h"
#include "frontend/output/outcome.h"
#include "frontend/model/actionpoints.h"
#include "frontend/verify/verify.h"
#include "frontend/model/findings.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"

#define ANSWERS 64

struct canned {
	enum query_kind kind;
	char *name;
	struct rankset ranks;
	unsigned char *bytes;
	size_t len;
};

struct job {
	struct rankset set[JOB_SETS];
	struct groups stops, exits;
	struct canned answer[ANSWERS];
	size_t n;
};

static struct job job;
static struct loop *loop;
static struct out *out;
static FILE *stream;
static char *printed, **shown;
static size_t printed_len, taken;
static char calls[1000];

static void call(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void call(const char *fmt, ...)
{
	size_t used = strlen(calls);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(calls + used, sizeof(calls) - used, fmt, ap);
	va_end(ap);
}

const char *fake_calls(void)
{
	static char copy[sizeof(calls)];

	strcpy(copy, calls);
	calls[0] = 0;
	return copy;
}

void fake_state(const char *ranks, enum job_set set)
{
	struct rankset r = { 0 };

	rankset_parse(&r, ranks, NULL);
	for (int i = JOB_ABSENT; i <= JOB_LOST; i++)
		rankset_remove_set(&job.set[i], &r);
	rankset_add_set(&job.set[set], &r);
	rankset_clear(&r);
}

void fake_forget(void)
{
	for (size_t i = 0; i < job.n; i++) {
		free(job.answer[i].name);
		free(job.answer[i].bytes);
		rankset_clear(&job.answer[i].ranks);
	}
	memset(job.answer, 0, sizeof(job.answer));
	job.n = 0;
}

void fake_answer(enum query_kind kind, const char *name, const char *ranks, struct buf *b)
{
	struct canned *c = &job.answer[job.n++];

	c->kind = kind;
	c->name = name ? strdup(name) : NULL;
	rankset_parse(&c->ranks, ranks, NULL);
	c->bytes = malloc(b->len + 1);
	if (b->len)
		memcpy(c->bytes, b->data, b->len);
	c->len = b->len;
	buf_clear(b);
}

struct session *fake_begin(char **text, bool json)
{
	struct session *s = calloc(1, sizeof(*s));
	struct err err = { "" };

	shown = text;
	*text = NULL;
	printed = NULL;
	taken = 0;
	main_use_verbs();
	render_use();
	stream = open_memstream(&printed, &printed_len);
	loop = loop_create(&err);
	out = out_create(stream, json);
	out_set_errors(out, NULL, "error: ");
	s->loop = loop;
	s->out = out;
	s->set = settings_create();
	s->acts = actionpoints_create();
	s->findings = findings_create();
	s->outcome = outcome_create();
	s->levels = levels_create();
	s->symbols = symbols_create();
	s->checker = checker_create(s);
	s->focus = strdup("all");
	s->job = &job;
	rankset_add(&job.set[JOB_ALL], 0, 3);
	fake_state("0:3", JOB_STOPPED);
	shell_create(s);
	shell_set_argv(s, (char *[]){ (char *)"./heat" }, 1);
	calls[0] = 0;
	return s;
}

const char *fake_printed(void)
{
	fflush(stream);
	free(*shown);
	*shown = strdup(printed + taken);
	taken = printed_len;
	return *shown;
}

void fake_end(struct session *s)
{
	shell_destroy(s);
	fake_forget();
	for (int i = 0; i < JOB_SETS; i++)
		rankset_clear(&job.set[i]);
	memset(&job, 0, sizeof(job));
	for (char **p = s->spec.argv; p && *p; p++)
		free(*p);
	free(s->spec.argv);
	free((char *)s->spec.input);
	checker_destroy(s->checker);
	settings_destroy(s->set);
	actionpoints_destroy(s->acts);
	findings_destroy(s->findings);
	outcome_destroy(s->outcome);
	levels_destroy(s->levels);
	symbols_destroy(s->symbols);
	for (size_t i = 0; i < SESSION_HOOKS && s->hooks[i]; i++)
		if (s->hooks[i]->over)
			s->hooks[i]->over(s);
	free(s->focus);
	free(s);
	out_destroy(out);
	loop_destroy(loop);
	fclose(stream);
	free(printed);
	free(*shown);
	*shown = NULL;
}

static void call_set(const char *what, const struct rankset *who)
{
	char text[100];

	call("%s %s;", what, rankset_format(who, text, sizeof(text)));
}

struct job *job_start(const struct job_spec *spec, struct loop *l, const struct job_watch *watch,
		      int timeout_ms, struct err *err)
{
	return &job;
}

void job_destroy(struct job *j)
{
	call("destroy;");
}

void job_end(struct job *j)
{
	call("end;");
}

bool job_gone(const struct job *j)
{
	return true;
}

int job_detach(struct job *j, struct err *err)
{
	call("detach;");
	return 0;
}

int job_size(const struct job *j)
{
	return (int)rankset_count(&j->set[JOB_ALL]);
}

const struct rankset *job_set(const struct job *j, enum job_set which)
{
	return &j->set[which];
}

bool job_over(const struct job *j)
{
	return !j->set[JOB_ABSENT].n && !j->set[JOB_LOADED].n && !j->set[JOB_RUNNING].n &&
	       !j->set[JOB_STOPPED].n;
}

bool job_annotated(const struct job *j)
{
	return true;
}

bool job_marked(const struct job *j)
{
	return true;
}

bool job_script(const struct job *j)
{
	return false;
}

bool job_attached(const struct job *j)
{
	return false;
}

bool job_needs_mpi(const struct job *j)
{
	return false;
}

bool job_hooked(const struct job *j)
{
	return false;
}

bool job_fortran(const struct job *j)
{
	(void)j;
	return false;
}

const char *job_path(const struct job *j)
{
	return "./heat";
}

const struct plan *job_plan(const struct job *j, uint32_t rank)
{
	return NULL;
}

uint32_t job_gen(const struct job *j)
{
	return 1;
}

uint64_t job_bytes_in(const struct job *j)
{
	return 1000;
}

int job_go(struct job *j, const struct rankset *who, enum plan_mode mode, uint32_t n,
	   const struct point *target, struct err *err)
{
	char text[100];

	call("go %s %d %u;", rankset_format(who, text, sizeof(text)), mode, n);
	return 0;
}

void job_resume(struct job *j, const struct rankset *who)
{
	call_set("resume", who);
}

void job_settle(struct job *j)
{
}

void job_halt(struct job *j, const struct rankset *who)
{
	call_set("halt", who);
}

bool job_halting(const struct job *j, const struct rankset *who)
{
	return false;
}

int64_t job_since(const struct job *j, uint32_t rank)
{
	return 0;
}

const struct groups *job_stops(const struct job *j)
{
	return &j->stops;
}

const struct groups *job_exits(const struct job *j)
{
	return &j->exits;
}

/* The canned answers that fit; who has none is silent. */
int job_query(struct job *j, struct msg_query *q, const struct rankset *who, int timeout_ms,
	      struct groups *answers, struct rankset *silent, struct err *err)
{
	rankset_copy(silent, who);
	for (size_t i = 0; i < j->n; i++) {
		const struct canned *c = &j->answer[i];
		struct rankset ranks = { 0 };

		if (c->kind != q->kind || (c->name && strcmp(c->name, q->name ? q->name : "")))
			continue;
		rankset_copy(&ranks, &c->ranks);
		rankset_intersect(&ranks, who);
		if (ranks.n)
			groups_add(answers, &ranks, c->bytes, c->len);
		rankset_remove_set(silent, &ranks);
		rankset_clear(&ranks);
	}
	return 0;
}

struct job_req {
	struct groups answers;
	struct rankset silent;
};

struct job_req *job_ask(struct job *j, struct msg_query *q, const struct rankset *who,
			struct err *err)
{
	struct job_req *r = calloc(1, sizeof(*r));

	if (q->kind == QUERY_FETCH)
		call_set("fetch", who);
	job_query(j, q, who, 0, &r->answers, &r->silent, err);
	return r;
}

void job_req_drop(struct job *j, struct job_req *r)
{
	groups_clear(&r->answers);
	rankset_clear(&r->silent);
	free(r);
}

void job_await(struct job *j, struct job_req *r, int timeout_ms, struct groups *answers)
{
	*answers = r->answers;
	r->answers = (struct groups){ 0 };
	job_req_drop(j, r);
}

bool job_points(struct job *j, enum point_kind points)
{
	call("points%s%s;", points ? " " : "", points ? point_kind_word(points) : "");
	return true;
}

void job_fpe(struct job *j, unsigned traps)
{
	call("fpe %u;", traps);
}

int job_kill(struct job *j, const struct rankset *who, struct err *err)
{
	call_set("kill", who);
	return 0;
}

int job_input(struct job *j, const char *text, size_t len, struct err *err)
{
	call(text ? "input %.*s;" : "no more input;", (int)len, text);
	return 0;
}

void job_trace(struct job *j, const struct msg_trace *m)
{
}

void job_trace_config(struct job *j, const struct trace_config *g)
{
	call("gauge %u;", g->level);
}

void job_verdict(struct job *j, const struct point *p, bool stop)
{
	char text[POINT_TEXT];

	call("verdict %s %d;", point_format(p, text), stop);
}

bool job_checking(struct job *j)
{
	return false;
}

bool job_held(const struct job *j, const struct point *after, struct point *p,
	      struct rankset *missing, struct rankset *waiting, int64_t *since)
{
	return false;
}

struct session *session_create(struct loop *turned, struct out *printer)
{
	return NULL;
}

void session_destroy(struct session *s)
{
}

void session_keep_nothing(struct session *s)
{
}

void session_unload(struct session *s)
{
	s->job = NULL;
}

int session_load(struct session *s, struct err *err)
{
	call("load %s;", s->spec.argv[0]);
	return 0;
}

int session_attach(struct session *s, const struct processes *p, struct err *err)
{
	return session_load(s, err);
}

void session_match(struct session *s)
{
}

int session_reload(struct session *s, struct err *err)
{
	call("reload");
	for (char **p = s->spec.argv; *p; p++)
		call(" %s", *p);
	call(";");
	fake_state("0:3", JOB_LOADED);
	s->job = &job;
	return 0;
}

void action_send(struct session *s)
{
	uint32_t n;

	free(actionpoints_rules(s->acts, &n));
	call("rules %u;", n);
}

enum stop_verdict session_wait(struct session *s, const struct rankset *who)
{
	call_set("wait", who);
	return VERDICT_STOPPED;
}

enum stop_verdict session_watch(struct session *s, const struct rankset *who, bool any)
{
	return any ? session_wait_any(s, who) : session_wait(s, who);
}

enum stop_verdict session_wait_any(struct session *s, const struct rankset *who)
{
	call_set("wait any", who);
	return VERDICT_STOPPED;
}

void session_wait_both(struct session *const s[2], const struct rankset *const who[2],
		       enum stop_verdict verdict[2], void (*done)(void *arg, int i), void *arg)
{
	for (int i = 0; i < 2; i++) {
		verdict[i] = session_wait(s[i], who[i]);
		if (done)
			done(arg, i);
	}
}

void session_show_stop(struct session *s, const struct rankset *who, enum stop_verdict verdict)
{
	call_set("show", who);
}
