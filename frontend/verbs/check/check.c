/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is calculated or controlled beside a run, or from its traces: check. */
#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/verify/verify.h"
#include "common/logical/rankset.h"

enum { CHECK_OFF };

static bool has_begun(const struct session *s)
{
	return s->job && !rankset_equal(job_set(s->job, JOB_LOADED), job_set(s->job, JOB_ALL));
}

static int run_check(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *value = call->option[CHECK_OFF] ? "0" : "1";

	if (call->argc > 1)
		return err_set(err, "check: one directory, not '%s'", call->rest);
	if (call->argc && call->option[CHECK_OFF])
		return err_set(err, "check -off takes no directory");
	if (call->argc)
		return checker_calculate_offline(s, call->argv[0], err);
	if (shell_set(s, "ManualReductCalc", value, err))
		return -1;
	if (has_begun(s))
		out_note(s->out, "check: applies to the next run; type rerun");
	return 0;
}

const struct cmd cmd_check = {
	.name = "check",
	.args = "[DIR] [-off]",
	.brief = "calculate the results of reductions from the iterations of the trace",
	.help = "In the next run, which may be recorded or compared as well, each result that "
		"DVMDBG_REDUCTION or dvmdbg_reduction marks is calculated from what the iterations "
		"of "
		"all ranks do to its variable, its initial value, and the declared operation. It "
		"needs no reference, but a program compiled with dvmdbg-cc or dvmdbg-fc, which is "
		"traced at level FULL. Where the program's result is another, that is a finding "
		"with "
		"both results and what explains it: another operation, the part of a rank that is "
		"missing, an initial value that is counted on each rank. With DIR that is done "
		"with "
		"traces of level FULL that were recorded, and no program runs. -off ends it. It is "
		"the setting ManualReductCalc.",
	.example = "check",
	.completes = "file",
	.option = { [CHECK_OFF] = { "off", CMD_FLAG, "do not calculate" } },
	.run = run_check,
};
