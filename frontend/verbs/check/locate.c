/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb that does it all: locate. */
#include <stdlib.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/cmd/list.h"
#include "frontend/locate/locate.h"
#include "frontend/session/session.h"
#include "frontend/session/shell.h"

enum { LOCATE_RANKS, LOCATE_REFERENCE, LOCATE_WITH, LOCATE_IMAGE };

static int run_locate(struct session *s, struct cmd_call *call, struct err *err)
{
	struct locate_spec spec = { .ref_ranks = 1,
				    .dir = call->option[LOCATE_REFERENCE],
				    .with = call->option[LOCATE_WITH],
				    .image = call->option[LOCATE_IMAGE] };
	const char *ranks = call->option[LOCATE_RANKS];

	if (!s->spec.argv)
		return err_set(err, "locate: no program is loaded; load PROGRAM loads one");
	if (s->pair)
		return err_set(err,
			       "locate makes runs of its own; pair -off ends the other one first");
	if (call->argc)
		return err_set(err, "locate takes options only, not '%s'", call->rest);
	if (spec.with && (spec.dir || ranks))
		return err_set(
			err, "locate -with %s: there is nothing to be made, so %s cannot be given",
			spec.with, ranks ? "-ranks" : "-reference");
	if (ranks) {
		int64_t n;

		if (parse_int(ranks, 1, SHELL_MAX_RANKS, &n))
			return err_set(err, "locate -ranks %s: 1 to %d ranks are allowed", ranks,
				       SHELL_MAX_RANKS);
		spec.ref_ranks = (int)n;
	}
	shell_keep_result(s);
	return locate(s, &spec, err) ? err_prefix(err, "locate") : 0;
}

const struct cmd cmd_locate = {
	.name = "locate",
	.args = "[-ranks n] [-reference DIR | -with DIR] [-image file.png]",
	.brief = "find the first wrong element",
	.help = "Ends what runs. Runs the program on one rank (-ranks: on n) as the reference, "
		"then as "
		"it was loaded, compares the checksums at every point and stops at the first that "
		"does "
		"not match, runs both once more to look at what is there, and reports: the array, "
		"the "
		"first wrong element with both values, construct, iteration and source line, how "
		"many "
		"elements differ and where, halos that were stale, what to try. Of a program built "
		"with "
		"dvmdbg-cc or dvmdbg-fc it then traces both from the last right point to the first "
		"wrong one, and tells the iteration, rank and line of the wrong write, and what it "
		"was computed from. The session then "
		"stands "
		"at the mismatch. COMPARE, Exp and RelCompareMin say how equal numbers have to be. "
		"-reference keeps the reference; -with takes one that there is, made with record, "
		"perhaps "
		"by another program or with other arguments; -image makes a picture of what "
		"differs. "
		"A run that fails, hangs (HANG_TIMER), or Ctrl-C ends it with what is known. "
		"dvmdbg locate PROGRAM does this from the shell.",
	.example = "locate -image u.png",
	.completes = "file",
	.option = { [LOCATE_RANKS] = { "ranks", CMD_NUMBER, "ranks of the reference, else 1" },
		    [LOCATE_REFERENCE] = { "reference", CMD_STRING, "keep the reference here" },
		    [LOCATE_WITH] = { "with", CMD_STRING, "the reference, instead of making one" },
		    [LOCATE_IMAGE] = { "image", CMD_STRING, "a picture of what differs" } },
	.also = { [LOCATE_RANKS] = "ref-ranks", [LOCATE_REFERENCE] = "o", [LOCATE_WITH] = "r" },
	.values = { [LOCATE_REFERENCE] = "file", [LOCATE_WITH] = "file", [LOCATE_IMAGE] = "file" },
	.run = run_locate,
};
