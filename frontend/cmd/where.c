/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs that tell where ranks are: where up down status. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/buf.h"
#include "common/construct.h"
#include "common/err.h"
#include "common/lstack.h"
#include "frontend/ask.h"
#include "frontend/cmd_list.h"
#include "frontend/out.h"
#include "frontend/out_text.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"
#include "frontend/stack_answer.h"
#include "frontend/symbol.h"

/* A number as the only word; fallback when there is none; -1 and err. */
static long number_arg(const struct cmd_call *call, const char *verb, long fallback,
		       struct err *err)
{
	char *end;
	long n;

	if (!call->argc)
		return fallback;
	n = strtol(call->argv[0], &end, 10);
	if (call->argc > 1 || *end || end == call->argv[0] || n < 1 || n > 1000000)
		return err_set(err, "%s '%s': one number from 1 to 1000000 is allowed", verb,
			       call->rest);
	return n;
}

enum { WHERE_ALL, WHERE_ARGS };

static int run_where(struct session *s, struct cmd_call *call, struct err *err)
{
	long n = number_arg(call, "where", settings_number(s->set, "MAX_LEVELS"), err);
	struct differ answers = { 0 };
	struct rankset silent = { 0 };
	struct lstack *stack;
	size_t count;

	if (n < 0)
		return -1;
	count = call->option[WHERE_ALL] ? SIZE_MAX : (size_t)n;
	stack = stack_ask(s, &call->who, &answers, &silent, err);
	if (stack)
		out_answer(s->out,
			   stack_answer(s, stack, s->shell->level, 0, count, &answers, &silent));
	else if (silent.n)
		err_prefix(err, "where");
	lstack_destroy(stack);
	differ_clear(&answers);
	rankset_clear(&silent);
	return stack ? 0 : -1;
}

const struct cmd cmd_where = {
	.name = "where",
	.args = "[n | -all]",
	.brief = "the logical stack: constructs, iterations, functions",
	.help = "The innermost frame comes first. A frame is scalar (one rank is in it), "
		"synchronized (all at "
		"the same place), unsynchronized (same construct, other place or iteration), or "
		"multi (no "
		"relation); the last two have a line per group of ranks, the smallest first.",
	.both = CMD_SHOW,
	.example = "where 3",
	.needs_job = true,
	.option = { [WHERE_ALL] = { "all", CMD_FLAG, "all frames, however many" },
		    [WHERE_ARGS] = { "args", CMD_FLAG,
				     "accepted; procedures' arguments are not known" } },
	.run = run_where,
};

/* Makes the frame `level` the current one and shows it. */
static int go_level(struct session *s, const struct rankset *who, long level, struct err *err)
{
	struct differ answers = { 0 };
	struct rankset silent = { 0 };
	struct lstack *stack = stack_ask(s, who, &answers, &silent, err);
	json_t *o;
	int rc = stack ? 0 : -1;

	if (stack && !stack->n)
		rc = err_set(err, "no construct or function is open");
	else if (stack && level >= (long)stack->n)
		rc = err_set(err, "the outermost frame is %zu", stack->n - 1);
	else if (stack && level < 0)
		rc = err_set(err, "the innermost frame is 0");
	if (!rc) {
		struct place place = stack->frame[level].variant[0].frame.place;

		s->shell->level = (unsigned)level;
		s->shell->listed = 0;
		symbols_resolve(s->symbols, &place);
		if (place.file && *place.file && place.line) {
			free(s->shell->file);
			s->shell->file = strdup(place.file);
			s->shell->line = place.line;
		}
		o = stack_answer(s, stack, s->shell->level, (size_t)level, 1, &answers, &silent);
		json_object_set_new(o, "one", json_true());
		out_answer(s->out, o);
	}
	lstack_destroy(stack);
	differ_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

static int run_up(struct session *s, struct cmd_call *call, struct err *err)
{
	long n = number_arg(call, "up", 1, err);

	return n < 0 ? -1 : go_level(s, &call->who, (long)s->shell->level + n, err);
}

const struct cmd cmd_up = {
	.name = "up",
	.args = "[n]",
	.brief = "choose the frame that is n further out",
	.help = "The chosen frame is where list shows the source.",
	.both = CMD_SHOW,
	.example = "up 2",
	.needs_job = true,
	.run = run_up,
};

static int run_down(struct session *s, struct cmd_call *call, struct err *err)
{
	long n = number_arg(call, "down", 1, err);

	return n < 0 ? -1 : go_level(s, &call->who, (long)s->shell->level - n, err);
}

const struct cmd cmd_down = {
	.name = "down",
	.args = "[n]",
	.brief = "choose the frame that is n further in",
	.help = "The chosen frame is where list shows the source.",
	.both = CMD_SHOW,
	.example = "down",
	.needs_job = true,
	.run = run_down,
};

static const char *reason_words(unsigned reason)
{
	static const char *const words[] = {
#define X(name, text) text,
		STOP_REASON_LIST(X)
#undef X
	};

	return reason < STOP_REASONS ? words[reason] : "?";
}

static const char *mpi_words(unsigned state)
{
	static const char *const words[] = { "before MPI_Init", "inside MPI_Init", "in MPI",
					     "inside MPI_Finalize", "after MPI_Finalize" };

	return state < sizeof(words) / sizeof(words[0]) ? words[state] : "?";
}

enum { STATUS_MPI };

static json_t *status_group(struct session *s, const struct report_status *r, bool mpi)
{
	json_t *o = json_pack("{s:s}", "state", rank_state_words(r->state));
	char point[POINT_TEXT];

	if (r->state == RANK_STOPPED && r->reason == STOP_MISMATCH && s->stop_words)
		json_object_set_new(o, "reason", json_string(s->stop_words));
	else if (r->state == RANK_STOPPED)
		json_object_set_new(o, "reason", json_string(reason_words(r->reason)));
	if (r->frame.kind < CONSTRUCT_KINDS) {
		ask_put_frame(s, o, &r->frame);
		json_object_del(o, "point");
	}
	if (r->point.main)
		json_object_set_new(o, "point", json_string(point_format(&r->point, point)));
	if (mpi || r->mpi == MPI_STATE_IN_INIT || r->mpi == MPI_STATE_IN_FINALIZE)
		json_object_set_new(o, "mpi", json_string(mpi_words(r->mpi)));
	return o;
}

/* One line of the answer; ages differ by little between equal ranks: the largest is shown. */
struct line {
	json_t *o;
	struct rankset ranks;
	uint32_t seconds;
	bool aged;
};

struct lines {
	struct line *line;
	size_t n;
};

/* Takes o. */
static void add_line(struct lines *l, json_t *o, const struct rankset *ranks, uint32_t seconds,
		     bool aged)
{
	struct line *grown;

	for (size_t i = 0; i < l->n; i++) {
		if (!json_equal(l->line[i].o, o))
			continue;
		rankset_add_set(&l->line[i].ranks, ranks);
		if (seconds > l->line[i].seconds)
			l->line[i].seconds = seconds;
		json_decref(o);
		return;
	}
	grown = realloc(l->line, (l->n + 1) * sizeof(*grown));
	if (!grown) {
		json_decref(o);
		return;
	}
	l->line = grown;
	grown[l->n] = (struct line){ .o = o, .seconds = seconds, .aged = aged };
	rankset_copy(&grown[l->n++].ranks, ranks);
}

/* Adds the members of who that are in a set about which nobody need be asked. */
static void add_known(struct session *s, struct lines *l, const struct rankset *who,
		      enum job_set set, const char *words)
{
	struct rankset part = { 0 };

	if (!rankset_copy(&part, who) && !rankset_intersect(&part, job_set(s->job, set)) && part.n)
		add_line(l, json_pack("{s:s}", "state", words), &part, 0, false);
	rankset_clear(&part);
}

/* Since when the first of them stands like that: "2026-04-01T12:00:00". */
static void put_since(struct session *s, json_t *o, const struct rankset *ranks)
{
	int64_t first = 0;
	struct tm tm;
	time_t when;
	char text[32];

	for (int64_t r = rankset_next(ranks, 0); r >= 0; r = rankset_next(ranks, (uint32_t)r + 1)) {
		int64_t since = job_since(s->job, (uint32_t)r);

		if (since && (!first || since < first))
			first = since;
	}
	when = (time_t)first;
	if (first && localtime_r(&when, &tm) && strftime(text, sizeof(text), "%FT%T", &tm))
		json_object_set_new(o, "since", json_string(text));
}

/* Whether it is known since when ranks are in that state. */
static bool dated(const char *state)
{
	return !strcmp(state, "stopped") || !strcmp(state, "exited") || !strcmp(state, "lost") ||
	       !strcmp(state, "running");
}

static json_t *take_lines(struct session *s, struct lines *l)
{
	json_t *groups = json_array();

	for (size_t i = 0; i < l->n; i++) {
		struct line *x = &l->line[i];

		json_object_set_new(x->o, "ranks", ask_ranks(&x->ranks));
		if (x->aged)
			json_object_set_new(x->o, "seconds", json_integer(x->seconds));
		else if (dated(out_str(x->o, "state")))
			put_since(s, x->o, &x->ranks);
		json_array_append_new(groups, x->o);
		rankset_clear(&x->ranks);
	}
	free(l->line);
	return groups;
}

/* Ended members: how, beside where they were seen last. */
static void add_ended(struct session *s, struct lines *l, const struct rankset *who)
{
	const struct differ *exits = job_exits(s->job);

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct rankset part = { 0 };
		struct report_exit *r = calloc(1, sizeof(*r));
		char point[POINT_TEXT], name[32];
		json_t *o;

		if (r && !report_exit_get(r, &b) && !rankset_copy(&part, &exits->group[i].ranks) &&
		    !rankset_intersect(&part, who) && part.n) {
			o = json_pack("{s:s s:i}", "state", "exited", "code", (int)r->code);
			if (r->how == EXIT_SIGNAL) {
				const char *sig = sigabbrev_np(r->code);

				snprintf(name, sizeof(name), sig ? "SIG%s" : "signal",
					 sig ? sig : "");
				json_object_set_new(o, "signal", json_string(name));
			}
			if (r->stack.n)
				ask_put_frame(s, o, &r->stack.frame[r->stack.n - 1]);
			json_object_del(o, "point");
			if (r->point.main)
				json_object_set_new(o, "point",
						    json_string(point_format(&r->point, point)));
			add_line(l, o, &part, 0, false);
		}
		rankset_clear(&part);
		free(r);
	}
}

static int run_status(struct session *s, struct cmd_call *call, struct err *err)
{
	struct msg_query q = { .kind = QUERY_STATUS };
	struct differ answers = { 0 };
	struct rankset silent = { 0 }, asked = { 0 };
	struct lines lines = { 0 };
	struct report_status r;
	json_t *o;

	if (!s->job) {
		out_answer(s->out, json_pack("{s:s s:s}", "type", "status", "text",
					     s->spec.argv ? "nothing runs" : "nothing is loaded"));
		return 0;
	}
	/* What is known here need not be asked; others may be lost or may never have come. */
	if (!rankset_copy(&asked, &call->who) &&
	    !rankset_remove_set(&asked, job_set(s->job, JOB_EXITED)))
		ask(s, &q, &asked, &answers, &silent, NULL);
	for (size_t i = 0; i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

		if (report_status_get(&r, &b))
			continue;
		add_line(&lines, status_group(s, &r, call->option[STATUS_MPI]),
			 &answers.group[i].ranks, r.seconds,
			 r.state == RANK_RUNNING && r.point.main);
	}
	rankset_remove_set(&silent, job_set(s->job, JOB_LOST));
	if (silent.n)
		add_line(&lines, json_pack("{s:s}", "state", "no answer"), &silent, 0, false);
	add_ended(s, &lines, &call->who);
	add_known(s, &lines, &call->who, JOB_LOST, "lost");
	add_known(s, &lines, &call->who, JOB_ABSENT, "not heard of");
	o = json_pack("{s:s s:o s:i s:o}", "type", "status", "program",
		      out_json_text(s->spec.argv[0]), "n", job_size(s->job), "groups",
		      take_lines(s, &lines));
	out_answer(s->out, o);
	differ_clear(&answers);
	rankset_clear(&silent);
	rankset_clear(&asked);
	return 0;
}

const struct cmd cmd_status = {
	.name = "status",
	.args = "[-mpi]",
	.brief = "what the ranks are doing: state, point, age",
	.help = "Ranks in the same state are one line. Of running ranks the last point they passed "
		"is shown, "
		"and how long ago that was.",
	.both = CMD_SHOW,
	.example = "status",
	.option = { [STATUS_MPI] = { "mpi", CMD_FLAG,
				     "in which part of an MPI program's life they are" } },
	.run = run_status,
};
