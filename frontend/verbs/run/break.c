/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs that make actionpoints: break barrier watch. */
#include "frontend/verbs/run/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/model/actionpoints.h"
#include "frontend/action/action.h"
#include "frontend/cmd/cmd.h"
#include "frontend/model/focus.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

static void put_set(json_t *o, const char *key, const char *text)
{
	if (text)
		json_object_set_new(o, key, json_sprintf("[%s]", text + (*text == '!')));
}

json_t *act_json(struct session *s, const struct actionpoint *ap, const char *text)
{
	json_t *o = json_pack("{s:s s:I s:s s:o s:b}", "type", "actionpoint", "id",
			      (json_int_t)ap->rule.id, "kind", act_kind_name(ap->kind), "location",
			      out_json_text(ap->text), "enabled", ap->enabled);
	/* what goes without saying is said only to those who want to hear all */
	const char *all = out_verbose(s->out) == OUT_ALL ? "all" : NULL;
	char iter[100];

	if (ap->rule.count > 1)
		json_object_set_new(o, "count", json_integer(ap->rule.count));
	if (ap->rule.niter)
		json_object_set_new(
			o, "iteration",
			json_string(actionpoints_iteration_format(&ap->rule, iter, sizeof(iter))));
	if (ap->cond)
		json_object_set_new(o, "condition", out_json_text(ap->cond));
	put_set(o, "set", ap->who ? ap->who : all);
	put_set(o, "off", ap->off);
	put_set(o, "stop", ap->stop ? ap->stop : ap->kind == ACT_BARRIER ? NULL : all);
	if (ap->kind == ACT_WATCH && s->job && job_hooked(s->job))
		json_object_set_new(o, "writes", json_true());
	if (ap->kind == ACT_WATCH && ap->watch.native &&
	    (ap->watch.call || !(s->job && job_hooked(s->job))))
		json_object_set_new(o, "iterations", json_true());
	if (ap->length)
		json_object_set_new(o, "length", json_string(ap->length));
	if (ap->hits)
		json_object_set_new(o, "hits", json_integer(ap->hits));
	action_describe(s->action, ap, o);
	if (text)
		json_object_set_new(o, "text", json_string(text));
	return o;
}

/*
 * The set for which an actionpoint is made, as it is kept: allocated, NULL for all. Sets that may
 * change are kept as they are now, except all and exec(NAME).
 */
static void trigger(struct session *s, const struct cmd_call *call, char **out)
{
	const char *text = call->set ? call->set : s->focus;

	*out = NULL;
	if (!strcmp(text, "all") || !strcmp(text, "*"))
		return;
	*out = !strncmp(text, "exec(", 5) || !s->job ? xstrdup(text) : focus_freeze(&call->who);
}

/* The stop set as it is kept: allocated; NULL when none is given. */
static int stop_set(struct session *s, const char *verb, const char *given, char **out,
		    struct err *err)
{
	struct rankset ranks = { 0 };
	char *set = NULL;
	int rc = 0;

	*out = NULL;
	if (!given)
		return 0;
	if (!strcmp(given, "[]") || !strcmp(given, "{}"))
		set = xstrdup("");
	else if (focus_prefix(given, &set, err) < 0)
		return -1;
	else if (!set)
		set = xstrdup(given);
	if (*set && shell_eval(s, set, &ranks, err))
		rc = err_prefix(err, "%s -stop", verb);
	rankset_clear(&ranks);
	if (rc)
		free(set);
	else
		*out = set;
	return rc;
}

/* A barrier that has the same place and some of the same members; NULL: none. */
static const struct actionpoint *same_barrier(struct session *s, const struct actionpoint *ap)
{
	struct rankset own = { 0 }, other = { 0 };
	const struct actionpoint *found = NULL;

	for (size_t i = 0; !found && i < actionpoints_count(s->acts); i++) {
		const struct actionpoint *x = actionpoints_at(s->acts, i);

		if (x == ap || x->kind != ACT_BARRIER || strcmp(x->text, ap->text))
			continue;
		if (!s->job || action_members(s, ap->who, NULL, &own, NULL) ||
		    action_members(s, x->who, NULL, &other, NULL) || rankset_meets(&own, &other))
			found = x;
	}
	rankset_clear(&own);
	rankset_clear(&other);
	return found;
}

/* Informs the ranks and the user of the new actionpoint, or takes it back. */
static void establish(struct session *s, uint32_t id)
{
	action_send(s);
	if (out_verbose(s->out) > OUT_ERR)
		out_answer(s->out, act_json(s, actionpoints_find(s->acts, id), NULL));
}

/* The sets of a new actionpoint; -1: it has been deleted. */
static int give_sets(struct session *s, uint32_t id, const struct cmd_call *call, const char *verb,
		     const char *stop, struct err *err)
{
	struct actionpoint *ap = actionpoints_find(s->acts, id);
	int rc;

	trigger(s, call, &ap->who);
	rc = stop_set(s, verb, stop, &ap->stop, err);

	if (rc)
		actionpoints_delete(s->acts, id, NULL);
	return rc ? -1 : 0;
}

enum { BREAK_COUNT, BREAK_IF, BREAK_ITER, BREAK_STOP };

static int check_condition(const char *verb, const char *text, struct err *err)
{
	struct expr *e = text ? expr_parse(text, err) : NULL;

	if (text && !e)
		return err_prefix(err, "%s -if", verb);
	expr_destroy(e);
	return 0;
}

static int check_iteration(struct session *s, const struct location *loc, const char *text,
			   struct rule *r, struct err *err)
{
	enum action_loop marks;

	if (!text)
		return 0;
	if (loc->kind == RULE_POINT)
		return err_set(err, "break -iter: a point has no iterations; give the place of a "
				    "sequential loop or of a task, as file:line");
	marks = action_place_loop(s, loc);
	if (marks != ACTS_LOOP_NONE && marks != ACTS_LOOP_MARKED && !(s->job && job_hooked(s->job)))
		return err_set(err, "break %s:%u -iter: %s", loc->file, loc->line,
			       action_place_unseen(loc->file));
	return actionpoints_iteration_parse(r, text, err);
}

static int run_break(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *count = call->option[BREAK_COUNT], *cond = call->option[BREAK_IF];
	long n = count ? strtol(count, NULL, 10) : 0;
	struct rule iter = { 0 };
	struct actionpoint *ap;
	struct location loc;
	int64_t id;

	if (count && n < 1)
		return err_set(err, "break -count %s: a number from 1 is needed", count);
	if (count && cond)
		return err_set(err, "break: only one of -count and -if can be given");
	if (call->argc > 1)
		return err_set_code(err, ERR_LOCATION, "break takes one location, not '%s'",
				    call->rest);
	if (location_parse(&loc, call->rest, action_place_file(s), err) ||
	    check_condition("break", cond, err) || action_place_move(s, &loc, err) ||
	    check_iteration(s, &loc, call->option[BREAK_ITER], &iter, err))
		return -1;
	id = actionpoints_add(s->acts, &loc, (uint32_t)n);
	if (id < 0 || give_sets(s, (uint32_t)id, call, "break", call->option[BREAK_STOP], err))
		return -1;
	ap = actionpoints_find(s->acts, (uint32_t)id);
	ap->rule.niter = iter.niter;
	ap->rule.any = iter.any;
	memcpy(ap->rule.iter, iter.iter, sizeof(iter.iter));
	if (actionpoint_set(&ap->cond, cond)) {
		actionpoints_delete(s->acts, (uint32_t)id, NULL);
		return err_set(err, "out of memory");
	}
	establish(s, (uint32_t)id);
	return 0;
}

const struct cmd cmd_break = {
	.name = "break",
	.args = "loc [-count n | -if condition] [-iter i] [-stop set]",
	.brief = "stop where execution comes to a place",
	.help = "A location is a point (13.B, 256.3.4.E), file:line, #file#line, a line of the "
		"current file, or a function or construct that announces its name. A line stops "
		"where the construct on it begins; a line on which none begins is replaced by the "
		"next one with a warning, as far as the program's code shows it. It applies to the "
		"ranks of the set. At a "
		"numbered point all other ranks stop with them, unless -stop names those that do; "
		"elsewhere the others run on. The ranks vote on a condition: those that come to "
		"the point wait for each other, go on when it is false on all of them, and stop "
		"otherwise; when it differs, both groups are shown. -iter selects iterations of "
		"sequential loops and tasks: 5, or (5,*). In programs built with dvmdbg-cc it also "
		"selects marked iterations of parallel loops that the main thread executes. "
		"Actionpoints have numbers from 0 that are not used again, and survive a rerun.",
	.both = CMD_ACTS,
	.example = "break heat.c:61 -count 10",
	.completes = "point|construct|file",
	.option = { [BREAK_COUNT] = { "count", CMD_NUMBER, "stop at every n-th hit only" },
		    [BREAK_IF] = { "if", CMD_EXPR, "stop only where this is true on some rank" },
		    [BREAK_ITER] = { "iter", CMD_STRING, "stop in this iteration only" },
		    [BREAK_STOP] = { "stop", CMD_SET, "which ranks stop too; [] for no others" } },
	.run = run_break,
};

enum { BARRIER_STOP };

static int run_barrier(struct session *s, struct cmd_call *call, struct err *err)
{
	const struct actionpoint *same;
	struct actionpoint *ap;
	struct location loc;
	int64_t id;

	if (call->argc > 1)
		return err_set(err, "barrier takes one location, not '%s'", call->rest);
	if (location_parse(&loc, call->rest, action_place_file(s), err) ||
	    action_place_move(s, &loc, err))
		return -1;
	id = actionpoints_add(s->acts, &loc, 0);
	if (id < 0 || give_sets(s, (uint32_t)id, call, "barrier", call->option[BARRIER_STOP], err))
		return -1;
	ap = actionpoints_find(s->acts, (uint32_t)id);
	ap->kind = ACT_BARRIER;
	same = same_barrier(s, ap);
	if (same) {
		err_set(err, "barrier %s: there is barrier %u for some of these ranks already",
			ap->text, same->rule.id);
		actionpoints_delete(s->acts, (uint32_t)id, NULL);
		return -1;
	}
	establish(s, (uint32_t)id);
	return 0;
}

const struct cmd cmd_barrier = {
	.name = "barrier",
	.args = "loc [-stop set]",
	.brief = "hold ranks at a place until all of the set have come to it",
	.help = "A barrier holds the members of the set that come to the location: cont, go and "
		"step do not move them. When all have come, dvmdbg reports the barrier and they "
		"can go on. A barrier does not wait for ranks that end. delete and disable release "
		"the ranks. actions shows which ranks are held and which are missing.",
	.both = CMD_ACTS,
	.example = "[0:1] barrier heat.c:61",
	.completes = "point|construct|file",
	.option = { [BARRIER_STOP] = { "stop", CMD_SET, "ranks to halt when all have come" } },
	.run = run_barrier,
};

enum { WATCH_LENGTH, WATCH_IF, WATCH_STOP };

static int run_watch(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *cond = call->option[WATCH_IF];
	struct actionpoint *ap;
	struct watch w;
	int64_t id;

	if (!call->argc)
		return err_set(
			err,
			"watch: give a variable, an element as u[3][4], a section as u[0:9][4], or "
			"what a pointer leads to, as p->x; 'what' lists the objects, 'locals' the "
			"variables");
	if (check_condition("watch", cond, err) ||
	    action_watch_parse(s, call->rest, call->option[WATCH_LENGTH], &call->who, &w, err) ||
	    action_watch_condition(s, &w, call->rest, cond, &call->who, err))
		return -1;
	id = actionpoints_add_watch(s->acts, &w, call->rest);
	if (id < 0 || give_sets(s, (uint32_t)id, call, "watch", call->option[WATCH_STOP], err))
		return -1;
	ap = actionpoints_find(s->acts, (uint32_t)id);
	if (actionpoint_set(&ap->length, call->option[WATCH_LENGTH]) ||
	    actionpoint_set(&ap->cond, cond)) {
		actionpoints_delete(s->acts, (uint32_t)id, NULL);
		return err_set(err, "out of memory");
	}
	if (w.native && action_watch_place(s->action, ap, err)) {
		actionpoints_delete(s->acts, (uint32_t)id, NULL);
		return -1;
	}
	action_watch_begin(s->action, ap);
	establish(s, (uint32_t)id);
	return 0;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.args = "var [-length n] [-if condition] [-stop set]",
	.brief = "stop when a value has changed",
	.help = "A variable, an element or a section of an array, or what a pointer leads to. Of "
		"registered objects (of several with this name, the last) each rank checks what it "
		"owns. What is not registered must be in memory where the ranks are stopped; that "
		"place is watched from then on, also when the pointer changes; only elements of "
		"vectors of C++ and of allocatable arrays are followed when these move. A variable "
		"of a call is watched until the call returns. Of structures all numbers are "
		"watched, of what is allocated or pointed to its address alone. In a "
		"program built with dvmdbg-cc or dvmdbg-fc a rank stops behind the write that "
		"changes it, and the line and iteration of the write are shown; what MPI changes "
		"is seen after its call. Everything is also checked at every numbered point, and "
		"in other programs only there: the change was made since the previous point. The "
		"ranks that find a change stop and show the old and the new value, unless the "
		"condition is false on all of them; the others, or those of -stop, are halted "
		"where they are. What is not registered is also checked at each iteration of a "
		"sequential loop where hooks may not show its writes: in other programs, and of "
		"variables of a call, which the compiler accesses by itself. When the variable is "
		"gone, dvmdbg reports it and disables the "
		"watch. A check takes as long as reading the watched memory; up to 32 variables "
		"can be watched. In a new run what is not registered is found at 1.B again, but "
		"for variables of calls, whose watches are disabled.",
	.both = CMD_ACTS,
	.example = "watch u[3][4]",
	.completes = "object",
	.option = { [WATCH_LENGTH] = { "length", CMD_NUMBER,
				       "bytes from the element on, instead of all its bytes" },
		    [WATCH_IF] = { "if", CMD_EXPR, "stop only where this is true on some rank" },
		    [WATCH_STOP] = { "stop", CMD_SET, "which ranks stop too; [] for no others" } },
	.run = run_watch,
};
