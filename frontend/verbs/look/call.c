/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb that has ranks call a function: call. */
#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/action/action.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"

extern const struct cmd cmd_call;

enum { CALL_KEEPS, CALL_LIMIT };

static int run_call(struct session *s, struct cmd_call *call, struct err *err)
{
	int64_t seconds = settings_number(s->set, "CALL_TIMER");
	const char *limit = call->option[CALL_LIMIT];
	bool keep = call->option[CALL_KEEPS];
	json_t *o;

	if (!*call->rest)
		return err_set(err, "call: give a function and its arguments, as in call f(x, 3)");
	if (limit && parse_int(limit, 1, 86400, &seconds))
		return err_set(err, "call: -limit is a number of seconds from 1 to 86400, not '%s'",
			       limit);
	if (cmd_only_stopped(s, &cmd_call, &call->who, err))
		return -1;
	o = session_call(s, &call->who, call->rest, keep, (int)seconds, err);
	if (!o)
		return err_prefix(err, "call");
	if (keep)
		action_assigned(s->action);
	out_answer(s->out, o);
	return 0;
}

const struct cmd cmd_call = {
	.name = "call",
	.args = "function(arguments) [-keep] [-limit seconds]",
	.brief = "have ranks call a function of the program, and show what it returns",
	.help = "Each rank of the set calls the function with its own arguments: numbers, "
		"\"texts\", variables of the "
		"frame that up and down have chosen, &x, elements of registered arrays in global "
		"indices, and "
		"expressions of them. The function is known by its debug information; file.c::f "
		"and module::f "
		"choose among several. One without is called as (double)f(x), which says what it "
		"returns. "
		"Fortran's arguments are given by reference, NULL for an optional one that is "
		"left out, and c%area() calls what the object c has bound to that name; of C++, "
		"area(&x) calls what the "
		"object x has of a virtual function, and Shape::area(&x) the one that is named. "
		"By default a copy of the process "
		"calls it, "
		"and all that it changes in memory is thrown away; what it writes to files is "
		"written, but for what "
		"Fortran's units and ofstreams that were open before have in their buffers. With "
		"-keep the "
		"process itself does: registers, stack, signal mask and errno are restored, other "
		"effects remain. A "
		"signal, exit, and a call of MPI that is not local (MPI_Comm_rank is) end the "
		"call, and "
		"are shown; so do Ctrl-C and "
		"CALL_TIMER.",
	.both = CMD_ONE,
	.example = "call residual(u, n)",
	.raw = true,
	.needs_job = true,
	.option = { [CALL_KEEPS] = { "keep", CMD_FLAG,
				     "in the process itself, not in a copy of it" },
		    [CALL_LIMIT] = { "limit", CMD_NUMBER,
				     "seconds after which it is ended, instead of CALL_TIMER" } },
	.run = run_call,
};
