/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the program that ranks call: numbers of registered objects are put into the
 * arguments, then all ranks begin, and are asked until all have ended.
 */
#include "frontend/session/internal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/array/values.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/protocol/report.h"
#include "frontend/data/fetch.h"
#include "frontend/model/ask.h"
#include "frontend/model/merge_equal.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define PAUSE_MOST 50 /* ms between two questions how it is */
#define END_SECONDS 5 /* that a function may take to end when it is to */

struct calling {
	struct session *s;
	const char *text;
	unsigned flags; /* of CALL_BEGIN */
	int seconds;
	struct parts parts;
	struct values *values; /* what it returns as numbers, when they are wanted; borrowed */
	bool unknown;	       /* there is no such function */
	bool odd;	       /* it returns what is no number */
	const char *wanted;    /* of what it returns; NULL: all */
	struct rankset open;   /* have not ended */
	bool stop, interrupted;
	struct merge_equal results;
	json_t *lacking;
};

static void lack(struct calling *c, const struct rankset *ranks, const char *why)
{
	json_array_append_new(c->lacking, json_pack("{s:o s:o}", "ranks", ask_ranks(ranks), "text",
						    out_json_text(why)));
}

/* ---- arguments ---- */

/*
 * What only the session knows in it becomes numbers. A name is left to the ranks, which give
 * functions also where it is.
 */
static int add_argument(struct calling *c, const char *text, const struct rankset *who,
			struct err *err)
{
	struct expr *e = expr_parse(text, &(struct err){ "" });
	bool place = e && !e->nsub && (e->kind != EXPR_NAME || *e->name != '$');
	int rc = 0;

	if (e)
		rc = parts_expression(&c->parts, c->s, who, e, place, err);
	else
		parts_append(&c->parts, text, strlen(text));
	expr_destroy(e);
	return rc;
}

static void add_text(struct calling *c, const char *text)
{
	parts_append(&c->parts, text, strlen(text));
}

static int make_parts(struct calling *c, const struct rankset *who, struct err *err)
{
	struct expr_arguments a;
	int rc = expr_arguments(c->text, &a, err);

	parts_begin(&c->parts, who);
	if (!rc && *a.cast) {
		add_text(c, "(");
		add_text(c, a.cast);
		add_text(c, ")");
	}
	if (!rc) {
		add_text(c, a.name);
		add_text(c, "(");
	}
	for (size_t i = 0; i < a.n && !rc; i++) {
		if (i)
			add_text(c, ", ");
		rc = add_argument(c, a.arg[i], who, err);
		if (rc)
			err_prefix(err, "argument %zu of %s", i + 1, a.name);
	}
	add_text(c, ")");
	if (c->wanted) {
		add_text(c, "\n");
		add_text(c, c->wanted);
	}
	expr_arguments_clear(&a);
	return rc;
}

/* ---- what ranks answer ---- */

/* "SIGSEGV at heat.c:12 in f, at an address near 0". */
static char *signal_text(struct calling *c, const struct answer_called *a)
{
	struct place p = { .module = a->module, .vaddr = a->vaddr };
	const char *name = sigabbrev_np(a->code);
	char at[300] = "", *sig = name ? xasprintf("SIG%s", name) : xasprintf("signal %d", a->code),
	     *text;

	if (*a->module) {
		symbols_resolve(c->s->symbols, &p);
		if (p.file && *p.file)
			snprintf(at, sizeof(at), p.line ? " at %s:%u" : " in %s", path_base(p.file),
				 p.line);
		if (p.func && *p.func)
			snprintf(at + strlen(at), sizeof(at) - strlen(at), " in %s", p.func);
	}
	text = xasprintf("%s%s%s", sig, at,
			 a->overflow ? ": the stack has overflowed"
			 : a->null   ? ", at an address near 0"
				     : "");
	free(sig);
	return text;
}

static char *sentence(struct calling *c, const struct answer_called *a)
{
	switch (a->how) {
	case CALLED_SIGNAL:
		return signal_text(c, a);
	case CALLED_EXIT:
		return xasprintf("it has called exit (%d)", a->code);
	case CALLED_MPI:
		/* what went wrong there is no name of a function */
		if (strpbrk(a->mpi, " :"))
			return xasprintf("it was stopped where a call of MPI fails: %s", a->mpi);
		return xasprintf(
			"it was stopped where it calls %s: the other ranks would not take part",
			a->mpi);
	case CALLED_STOPPED:
		return c->interrupted ? xstrdup("it was ended by Ctrl-C")
				      : xasprintf("it was ended after %d s; -limit gives it more",
						  c->seconds);
	}
	return xstrdup("it has returned");
}

static void take_values(struct calling *c, const struct answer_called *a,
			const struct rankset *ranks)
{
	struct values *to = c->values;
	char *text = a->how == CALLED_RETURNED ? NULL : sentence(c, a);

	if (text) {
		lack(c, ranks, text);
	} else if (a->number == VALUE_TYPES) {
		c->odd |= *a->value;
		lack(c, ranks,
		     *a->value ? "what it returns is no number: call shows it"
			       : "it returns nothing");
	} else if (to->elem_size && to->type != a->number) {
		lack(c, ranks, "it is of another type than on other ranks");
	} else {
		to->type = a->number;
		to->elem_size = (uint32_t)value_size(a->number);
		xalloc_check(values_add(to, ranks, a->bytes));
	}
	free(text);
}

static void take_result(struct calling *c, const struct answer_called *a,
			const struct rankset *ranks)
{
	static const char *const hows[] = { [CALLED_RETURNED] = "returned",
					    [CALLED_SIGNAL] = "signal",
					    [CALLED_EXIT] = "exit",
					    [CALLED_MPI] = "mpi",
					    [CALLED_STOPPED] = "stopped" };
	json_t *o;
	char *text;

	if (c->values) {
		take_values(c, a, ranks);
		return;
	}
	o = json_pack("{s:s}", "how", hows[a->how]);
	if (a->how == CALLED_RETURNED && *a->value) {
		json_object_set_new(o, "kind", out_json_text(a->type));
		json_object_set_new(o, "value", out_json_text(a->value));
	} else {
		text = sentence(c, a);
		json_object_set_new(o, "text", out_json_text(text));
		free(text);
	}
	merge_equal_add(&c->results, o, ranks, -1);
}

/* What ranks say of EXPR_RESULT, of the call as it was typed. */
static void lack_part(struct calling *c, const struct rankset *ranks, const char *why)
{
	size_t n = strlen(EXPR_RESULT);
	char *text = xstrdup(""), *grown;
	const char *at;

	for (; c->wanted && (at = strstr(why, EXPR_RESULT)); why = at + n) {
		grown = xasprintf("%s%.*s%s", text, (int)(at - why), why, c->text);
		free(text);
		text = grown;
	}
	grown = xasprintf("%s%s", text, why);
	lack(c, ranks, grown);
	free(grown);
	free(text);
}

/* Of ranks that have begun, or were asked how it is. */
static void take(struct calling *c, const struct groups *answers)
{
	for (size_t i = 0; i < answers->n; i++) {
		const struct rank_group *g = &answers->group[i];
		struct buf b = buf_view(g->blob, g->len);
		struct answer_called a;
		int bad = answer_called_get(&a, &b);

		if (!bad && a.head.kind == ANSWER_DONE && a.how == CALLED_WAITS) {
			xrankset_add_set(&c->open, &g->ranks);
			continue;
		}
		xrankset_remove_set(&c->open, &g->ranks);
		if (bad)
			lack(c, &g->ranks, "the answer cannot be read");
		else if (a.head.kind == ANSWER_ERROR)
			lack_part(c, &g->ranks, a.head.why);
		else if (a.how == CALLED_UNKNOWN)
			c->unknown = true, lack(c, &g->ranks, a.value);
		else
			take_result(c, &a, &g->ranks);
	}
}

static int begin(struct calling *c, const struct chosen *x, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->parts.n && !rc; i++) {
		struct msg_query q = { .kind = QUERY_CALL,
				       .name = c->parts.item[i].text,
				       .func = x->func,
				       .rank = x->call,
				       .n = CALL_BEGIN | c->flags };
		struct groups answers = { 0 };
		struct rankset who = { 0 }, silent = { 0 };

		if (x->flags & LOCALS_OUTERMOST)
			q.n |= CALL_OUTERMOST;
		xrankset_copy(&who, &c->parts.item[i].ranks);
		xrankset_intersect(&who, &x->ranks);
		if (who.n)
			rc = ask(c->s, &q, &who, &answers, &silent, err);
		if (!rc)
			take(c, &answers);
		/* they may have begun all the same */
		xrankset_add_set(&c->open, &silent);
		groups_clear(&answers);
		rankset_clear(&who);
		rankset_clear(&silent);
	}
	return rc;
}

/* Whoever has ended meanwhile: its program is no more. */
static void drop_ended(struct calling *c)
{
	struct rankset gone = { 0 };

	xrankset_copy(&gone, &c->open);
	xrankset_intersect(&gone, job_set(c->s->job, JOB_EXITED));
	if (gone.n) {
		lack(c, &gone, "the program has ended in it");
		xrankset_remove_set(&c->open, &gone);
	}
	rankset_clear(&gone);
}

/* Until all have ended, or nothing helps. */
static int wait_all(struct calling *c, struct err *err)
{
	int64_t end = loop_now() + 1000 * (int64_t)c->seconds, last = INT64_MAX;
	int pause = 1, rc = 0;

	while (c->open.n && !rc && loop_now() < last) {
		struct msg_query q = { .kind = QUERY_CALL, .n = c->stop ? CALL_STOP : CALL_LOOK };
		struct groups answers = { 0 };

		rc = ask(c->s, &q, &c->open, &answers, NULL, err);
		if (!rc)
			take(c, &answers);
		groups_clear(&answers);
		drop_ended(c);
		if (!c->open.n)
			break;
		loop_turn(c->s->loop, pause);
		pause = pause * 2 < PAUSE_MOST ? pause * 2 : PAUSE_MOST;
		if (!c->stop && (loop_interrupted(c->s->loop) || loop_now() >= end)) {
			c->interrupted = loop_interrupted(c->s->loop);
			loop_clear_interrupt(c->s->loop);
			c->stop = true;
			last = loop_now() + 1000 * END_SECONDS;
		}
	}
	if (c->open.n && !rc)
		lack(c, &c->open, "the function does not end; kill ends the program");
	return rc;
}

static json_t *answer(struct calling *c)
{
	json_t *groups = json_array(), *o;

	merge_equal_sort(&c->results);
	for (size_t i = 0; i < c->results.n; i++) {
		struct merge_equal_group *g = &c->results.group[i];

		json_object_set_new(g->answer, "ranks", ask_ranks(&g->ranks));
		json_array_append(groups, g->answer);
	}
	o = json_pack("{s:s s:o s:o}", "type", "call", "call", out_json_text(c->text), "groups",
		      groups);
	if (json_array_size(c->lacking))
		json_object_set(o, "lacking", c->lacking);
	if (c->flags & CALL_KEEP && c->results.n)
		json_object_set_new(o, "kept", json_true());
	return o;
}

/* Has them call it, until all have ended. */
static int run(struct calling *c, const struct rankset *who, struct err *err)
{
	struct choice choice;
	int rc = choice_find(c->s, who, CHOICE_SHELL, &choice, err);

	if (!rc)
		rc = make_parts(c, who, err);
	if (!rc && choice.lacking.n)
		lack(c, &choice.lacking, "they have no such frame");
	for (size_t i = 0; i < choice.n && !rc; i++)
		rc = begin(c, &choice.item[i], err);
	if (!rc)
		rc = wait_all(c, err);
	choice_clear(&choice);
	return rc;
}

static void calling_clear(struct calling *c)
{
	parts_clear(&c->parts);
	merge_equal_clear(&c->results);
	rankset_clear(&c->open);
	json_decref(c->lacking);
}

json_t *session_call(struct session *s, const struct rankset *who, const char *text, bool keep,
		     int seconds, struct err *err)
{
	struct calling c = { .s = s, .text = text, .seconds = seconds, .lacking = json_array() };
	json_t *o = NULL;
	int rc;

	c.flags = (keep ? CALL_KEEP : 0) | (rankset_count(who) == 1 ? CALL_ADDRESSES : 0);
	rc = run(&c, who, err);
	if (!rc && !c.results.n)
		rc = err_set(err, "%s",
			     json_array_size(c.lacking)
				     ? out_str(json_array_get(c.lacking, 0), "text")
				     : "no rank has called it");
	if (!rc)
		o = answer(&c);
	calling_clear(&c);
	return o;
}

int call_values(struct session *s, const struct rankset *who, const char *text, const char *wanted,
		struct values *out, struct err *err)
{
	struct calling c = { .s = s, .text = text, .lacking = json_array(), .values = out };
	const json_t *why;
	int rc;

	c.wanted = wanted;
	c.seconds = (int)settings_number(s->set, "CALL_TIMER");
	rc = run(&c, who, err);
	why = json_array_get(c.lacking, 0);
	if (!rc && c.unknown && !out->n)
		rc = 1;
	else if (!rc && why)
		rc = err_set_code(err, c.odd ? ERR_VALUE : ERR_OTHER, "%s: %s: %s",
				  out_str(why, "ranks"), text, out_str(why, "text"));
	else if (!rc && !out->n)
		rc = err_set(err, "%s: no rank has called it", text);
	if (rc)
		values_clear(out);
	calling_clear(&c);
	return rc;
}

/* ---- parts of what they return ---- */

/* An expression, as ranks evaluate it: so much of its source is done. */
struct wanting {
	struct session *s;
	const struct rankset *who;
	const struct expr *call;
	size_t done;
	char *text;
};

static void want(struct wanting *w, const char *text, size_t n)
{
	char *grown = xasprintf("%s%.*s", w->text, (int)n, text);

	free(w->text);
	w->text = grown;
}

/* An index becomes its number: ranks have no variables when they have called the function. */
static int want_index(struct wanting *w, const struct expr *e, struct err *err)
{
	struct fetch f = { .s = w->s, .who = w->who, .limit = FETCH_MOST };
	const struct expr_scope scope = session_scope(&f);
	struct values q = { 0 };
	char text[VALUE_TEXT];
	struct value v;
	int rc;

	if (!e || e->kind == EXPR_NUMBER)
		return 0;
	rc = expr_eval(e, w->who, &scope, &q, err);
	if (!rc && (q.n != 1 || q.ndim || value_class(q.type) > VALUE_IS_UINT))
		rc = err_set(err, "column %zu: '%.*s' is not one whole number on all ranks",
			     e->column + 1, (int)(e->end - e->from), e->source + e->from);
	if (!rc) {
		v = values_value(&q, 0, 0);
		value_format(q.type == VALUE_CHAR ? VALUE_SCHAR : q.type, &v, 0, text);
		want(w, e->source + w->done, e->from - w->done);
		want(w, text, strlen(text));
		w->done = e->end;
	}
	values_clear(&q);
	fetch_clear(&f);
	return rc;
}

/* 1: it is a sum with what is no number, which calls the function otherwise. */
static int want_tree(struct wanting *w, const struct expr *e, struct err *err)
{
	const struct expr *next = e == w->call ? NULL : expr_toward_call(e);
	bool sums = next && e->kind == EXPR_BINARY;
	int rc = sums && next == e->b && want_index(w, e->a, err) ? 1 : 0;

	if (next && !rc)
		rc = want_tree(w, next, err);
	if (!rc && sums && next == e->a && want_index(w, e->b, err))
		rc = 1;

	if (e == w->call) {
		want(w, e->source + w->done, e->column - w->done);
		want(w, EXPR_RESULT, strlen(EXPR_RESULT));
		w->done = e->behind;
	}
	for (size_t i = e == w->call ? e->narguments : 0; !rc && i < e->nsub && !expr_is_call(e);
	     i++) {
		const struct expr_subscript *x = &e->sub[i];

		rc = want_index(w, x->first, err) || want_index(w, x->last, err) ||
				     want_index(w, x->step, err)
			     ? -1
			     : 0;
		for (size_t k = 0; !rc && k < x->nvector; k++)
			rc = want_index(w, x->vector[k], err);
	}
	return rc;
}

int call_part_values(struct session *s, const struct rankset *who, const struct expr *e,
		     struct values *out, struct err *err)
{
	struct wanting w = { .s = s, .who = who, .done = e->from, .text = xstrdup("") };
	char *name = NULL, *text = NULL;
	int rc = 1;

	w.call = expr_call_within(e, &name);
	if (w.call)
		rc = want_tree(&w, e, err);
	if (w.call && !rc) {
		want(&w, e->source + w.done, e->end - w.done);
		text = xasprintf("%.*s", (int)(w.call->behind - w.call->column),
				 w.call->source + w.call->column);
		rc = call_values(s, who, text, w.text, out, err);
	}
	free(text);
	free(name);
	free(w.text);
	return rc;
}
