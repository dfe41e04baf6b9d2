/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb that shows who waits for whom in MPI: hang. */
#include "frontend/verbs/look/look.h"

#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/hang/hang.h"
#include "frontend/job/job.h"
#include "frontend/model/session.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"

enum { HANG_ALL };

static int run_hang(struct session *s, struct cmd_call *call, struct err *err)
{
	bool attached = job_attached(s->job), still = false;
	int timer = 1000 * (int)settings_number(s->set, "HANG_TIMER");
	json_t *o = attached ? hang_stacks(s, timer, &still, err) : hang_report(s, NULL);

	if (!o && attached)
		return err_prefix(err, "hang");
	/* the question of one command, which its status answers */
	if (still && s->batch)
		outcome_add(s->outcome, OUTCOME_FAILED);
	if (!o)
		return err_set(err, "hang: no rank is there to be asked");
	if (!attached)
		hang_put_calls(s, o);
	if (call->option[HANG_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	return 0;
}

const struct cmd cmd_hang = {
	.name = "hang",
	.args = "[-all]",
	.brief = "who waits for whom in MPI, and whether that is a deadlock",
	.help = "For each rank the call of MPI that it is in, with peer, tag, communicator and "
		"line, since when nothing has moved there, and for which ranks it waits. The "
		"verdict is a deadlock only when these ranks can never go on: they wait for each "
		"other, for a rank that has finalized or ended, or in collectives that do not "
		"match. Ranks that compute or poll may still act: then no progress is seen, and no "
		"more is said. The same is reported automatically when nothing has moved for "
		"HANG_TIMER seconds; a deadlock is a finding. A batch session then ends the job; "
		"one "
		"without a terminal waits no longer, and goes on with the next line. Behind it are "
		"the "
		"calls of functions that all ranks are in, as where -native shows them. Of a job "
		"that was attached to only the stacks are known: it is "
		"looked at twice, HANG_TIMER seconds apart, to see who is in the same call still; "
		"that is never called a deadlock.",
	.both = CMD_SHOW,
	.example = "hang",
	.needs_job = true,
	.option = { [HANG_ALL] = { "all", CMD_FLAG, "all groups of ranks, however many" } },
	.run = run_hang,
};
