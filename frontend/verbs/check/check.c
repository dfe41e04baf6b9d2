/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is calculated or controlled beside a run, or from its traces: check. */
#include "common/control/control.h"
#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/verify/verify.h"
#include "common/logical/rankset.h"

enum { CHECK_OFF, CHECK_GRID, CHECK_ONLY, CHECK_NOT };

static bool has_begun(const struct session *s)
{
	return s->job && !rankset_equal(job_set(s->job, JOB_LOADED), job_set(s->job, JOB_ALL));
}

static int run_check(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *value = call->option[CHECK_OFF] ? "0" : "1", *grid = call->option[CHECK_GRID];
	const char *only = call->option[CHECK_ONLY], *not = call->option[CHECK_NOT];
	uint32_t sizes[ARRAY_DIMS];
	unsigned n;

	if (call->argc > 1)
		return err_set(err, "check: one directory, not '%s'", call->rest);
	if (call->argc && call->option[CHECK_OFF])
		return err_set(err, "check -off takes no directory");
	if (grid && *grid && dyncontrol_grid_parse(grid, &n, sizes, err))
		return -1;
	if (grid && shell_set(s, "DynControlGrid", grid, err))
		return -1;
	if ((only && shell_set(s, "DynControlOnly", only, err)) ||
	    (not && shell_set(s, "DynControlNot", not, err)))
		return -1;
	if (call->argc)
		return checker_calculate_offline(s, call->argv[0], err);
	if (shell_set(s, "ManualReductCalc", value, err) ||
	    shell_set(s, "EnableDynControl", value, err))
		return -1;
	if (has_begun(s))
		out_note(s->out, "check: applies to the next run; type rerun");
	return 0;
}

const struct cmd cmd_check = {
	.name = "check",
	.args = "[DIR] [-grid PxQ] [-only LIST] [-not LIST] [-off]",
	.brief = "find errors of parallelisation by the accesses, and calculate reductions",
	.help = "In the next run, which may be recorded or compared as well, accesses are "
		"controlled "
		"and results of reductions are calculated. It needs no reference, but a program "
		"compiled with dvmdbg-cc or dvmdbg-fc, which is traced at level FULL. Found are "
		"iterations or tasks that depend on each other, elements that are read before they "
		"are written, variables that iterations change and that are neither reductions nor "
		"private, ones that are used before their reduction is complete, elements outside "
		"of "
		"an array or of another processor, halos that are written or stale, and exported "
		"elements that are changed while they are sent. -grid emulates so many processors "
		"on "
		"one rank: each has a block of every array and its halo, and executes the "
		"iterations "
		"that are mapped on its elements; halos are renewed where DVMDBG_HALO marks it. "
		"Of OpenMP all pairs of lines are found whose threads, tasks or parts of a "
		"construct "
		"access the same memory at the same time by the program's structure, whatever the "
		"threads did in this run. "
		"Each result that DVMDBG_REDUCTION or dvmdbg_reduction marks is calculated from "
		"what "
		"the iterations of all ranks do to its variable, its initial value, and the "
		"declared "
		"operation. Where the program's result is another, that is a finding with both "
		"results and what explains it. With DIR both are done with traces of level FULL "
		"that "
		"were recorded, and no program runs. -only and -not name the constructs (FILE:LINE "
		"of "
		"their marks), files and variables that control is for, or off for, as patterns "
		"with "
		"commas between. Declarations that no iteration needs are named in notes. -off "
		"ends "
		"it. It sets EnableDynControl, DynControlGrid, DynControlOnly, DynControlNot and "
		"ManualReductCalc.",
	.example = "check -grid 2x2",
	.completes = "file",
	.option = { [CHECK_OFF] = { "off", CMD_FLAG, "neither control nor calculate" },
		    [CHECK_GRID] = { "grid", CMD_STRING,
				     "emulate these processors on one rank; \"\": none" },
		    [CHECK_ONLY] = { "only", CMD_STRING,
				     "control these constructs and variables; \"\": all" },
		    [CHECK_NOT] = { "not", CMD_STRING, "but not these; \"\": all" } },
	.run = run_check,
};
