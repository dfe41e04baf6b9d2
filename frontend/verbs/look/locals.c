/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb locals. */
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"

enum { LOCALS_ARGS, LOCALS_TYPES, LOCALS_ALL, LOCALS_WHERE, LOCALS_CALLS };

/* With the types of variables behind their names. */
static void put_types(json_t *o)
{
	const json_t *calls = out_get(o, "calls");

	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *list = out_get(json_array_get(calls, i), "variables");

		for (size_t k = 0; k < json_array_size(list); k++)
			json_object_set_new(json_array_get(list, k), "typed", json_true());
	}
}

/* What is asked for, of whom. */
struct wanted {
	struct session *s;
	const char *name;
	unsigned what;
};

static json_t *locals_for(void *arg, const struct rankset *who, struct err *err)
{
	const struct wanted *w = arg;

	return session_locals(w->s, who, w->name, w->what, err);
}

static int run_locals(struct session *s, struct cmd_call *call, struct err *err)
{
	unsigned what = LOCALS_ARGUMENTS;
	struct wanted w;
	json_t *o;

	if (call->argc > 1)
		return err_set(err, "locals takes one name, not '%s'", call->rest);
	if (!call->option[LOCALS_ARGS])
		what |= LOCALS_VARIABLES;
	if (call->option[LOCALS_WHERE])
		what |= LOCALS_PLACES;
	if (call->option[LOCALS_CALLS] && call->argc)
		return err_set(err, "locals: -calls is for all variables, not for '%s'",
			       call->rest);
	if (call->option[LOCALS_CALLS])
		what |= LOCALS_FRAMES | LOCALS_ADDRESSES;
	if (call->argc || call->option[LOCALS_ALL])
		what |= LOCALS_LONG;
	w = (struct wanted){ s, call->rest, what };
	o = s->shell->threads ? session_each_thread(s, &call->who, locals_for, &w, err)
			      : locals_for(&w, &call->who, err);
	if (!o)
		return err_prefix(err, "locals");
	if (call->option[LOCALS_ARGS])
		json_object_set_new(o, "args", json_true());
	if (call->option[LOCALS_TYPES])
		put_types(o);
	if (call->option[LOCALS_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	return 0;
}

const struct cmd cmd_locals = {
	.name = "locals",
	.args = "[variable] [-args] [-types] [-addresses] [-calls] [-all]",
	.brief = "arguments and variables of the function that ranks are in",
	.help = "Those of the frame that up and down have chosen, at first the innermost one of "
		"the user's; by the "
		"debug information, so that -g is needed. Equal values are shown once, others with "
		"their "
		"ranks. Ranks may be anywhere, as for where. What the compiler has done without is "
		"shown as "
		"<optimized out>. Pointers are followed once, -> 1.5; with one rank their "
		"addresses "
		"are shown too. A variable may have parts, p->x, a[2:5], m%b(1,3). print shows "
		"them as well "
		"where no registered object has the name.",
	.both = CMD_SHOW,
	.example = "locals",
	.yields = "locate",
	.needs_job = true,
	.option = { [LOCALS_WHERE] = { "addresses", CMD_FLAG,
				       "of arrays their addresses and bounds, not their elements; "
				       "with "
				       "-all the elements where there are no more than 8" },
		    [LOCALS_CALLS] = { "calls", CMD_FLAG,
				       "of all of the user's calls, the innermost first, and "
				       "addresses of pointers" },
		    [LOCALS_ARGS] = { "args", CMD_FLAG, "arguments alone" },
		    [LOCALS_TYPES] = { "types", CMD_FLAG, "with the types of variables" },
		    [LOCALS_ALL] = { "all", CMD_FLAG,
				     "all groups of ranks and all parts, however many" } },
	.run = run_locals,
};
