/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb proginput: lines for the program's standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

enum { PROGINPUT_END };

/* Whether the program can be given anything; -1 and err with the reason. */
static int check(const struct session *s, struct err *err)
{
	if (!s->job)
		return cmd_not_loaded("proginput", err);
	if (job_over(s->job))
		return err_set(err, "proginput: the program has ended");
	if (s->spec.input)
		return err_set(err, "proginput: the program reads %s, given with run <file",
			       s->spec.input);
	if (!s->spec.typed)
		return err_set(err,
			       "proginput: a batch session has no input for the program; give it a "
			       "file with run <file");
	return 0;
}

static int give_line(struct session *s, const char *text, struct err *err)
{
	char *line = xasprintf("%s\n", text);
	int rc = job_input(s->job, line, strlen(line), err);

	free(line);
	return rc ? err_prefix(err, "proginput") : 0;
}

static int run_proginput(struct session *s, struct cmd_call *call, struct err *err)
{
	if (check(s, err))
		return -1;
	if (call->option[PROGINPUT_END])
		return job_input(s->job, NULL, 0, err) ? err_prefix(err, "proginput") : 0;
	if (*call->rest)
		return give_line(s, call->rest, err);
	if (!s->interactive || s->fill_screen)
		return err_set(err,
			       "proginput: only the prompt of a terminal takes lines; proginput "
			       "TEXT sends one line");
	out_detail(s->out, "lines go to the program now; Ctrl-C ends that");
	s->shell->proginput = true;
	return 0;
}

const struct cmd cmd_proginput = {
	.name = "proginput",
	.args = "[text] [-end]",
	.brief = "send typed lines to the program, until Ctrl-C",
	.help = "Typed lines go to the program's standard input, which launchers connect to rank "
		"0. There is no prompt; Ctrl-C brings it back, Ctrl-D ends the program's input. "
		"With a text it sends that line and the prompt stays.",
	.example = "proginput 4",
	.raw = true,
	.no_set = true,
	.option = { [PROGINPUT_END] = { "end", CMD_FLAG, "end the program's input" } },
	.run = run_proginput,
};
