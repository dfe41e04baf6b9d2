/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb that does it all: locate. */
#include <stdlib.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/cmd/cmd.h"
#include "frontend/locate/locate.h"
#include "frontend/session/session.h"

enum {
	LOCATE_RANKS,
	LOCATE_REFERENCE,
	LOCATE_WITH,
	LOCATE_IMAGE,
	LOCATE_ALL,
	LOCATE_PROGRAM,
	LOCATE_THREADS
};

static int run_locate(struct session *s, struct cmd_call *call, struct err *err)
{
	struct locate_spec spec = { .ref_ranks = 1,
				    .dir = call->option[LOCATE_REFERENCE],
				    .with = call->option[LOCATE_WITH],
				    .ref_program = call->option[LOCATE_PROGRAM],
				    .image = call->option[LOCATE_IMAGE],
				    .all = call->option[LOCATE_ALL] != NULL,
				    .keep = true };
	const char *ranks = call->option[LOCATE_RANKS], *threads = call->option[LOCATE_THREADS];

	if (!s->spec.argv)
		return cmd_not_loaded("locate", err);
	if (s->pair)
		return err_set(err, "locate starts its own runs; type pair -off first");
	if (call->argc)
		return err_set(err, "locate takes options only, not '%s'", call->rest);
	if (spec.with && (spec.dir || ranks || threads))
		return err_set(err, "locate -with %s: the reference exists, so leave out %s",
			       spec.with,
			       ranks	 ? "-ranks"
			       : threads ? "-threads"
					 : "-reference");
	if (spec.ref_program && !spec.with)
		return err_set(err, "locate -program is for a reference that exists: name it "
				    "with -with DIR");
	if (threads && locate_threads_parse(threads, &spec.ref_threads, &spec.threads, err))
		return err_prefix(err, "locate -threads");
	if (threads)
		spec.ref_ranks = s->spec.n ? s->spec.n : 1;
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
	.args = "[-ranks n] [-threads A:B] [-reference DIR | -with DIR [-program FILE]] [-image "
		"file.png] [-all]",
	.brief = "find the first wrong element",
	.help = "Ends the program that runs. If that has access hooks, looks for a few seconds at "
		"halos that loops read while they are stale, which needs no reference. Runs the "
		"program on one rank (-ranks: on n) as the reference, then as it was loaded, "
		"compares the checksums at every point and stops "
		"at the first mismatch, runs both once more to compare their elements, and "
		"reports: the array, the first wrong element with both values, construct, "
		"iteration and source line, how many elements differ and where, stale halos, what "
		"to try. If the program was built with dvmdbg-cc or dvmdbg-fc, it then traces both "
		"runs from the last right point to the first wrong one, and reports the iteration, "
		"rank and line of the wrong write, and its operands. The session then is at the "
		"mismatch, and diff shows the array there. COMPARE, Exp and RelCompareMin set the "
		"tolerance. "
		"-threads 1:4 compares threads of OpenMP instead of ranks: the reference has one, "
		"the "
		"program four (OMP_NUM_THREADS), both on the ranks that it was loaded with; in one "
		"more "
		"run accesses of threads are controlled where it became wrong, else everywhere, "
		"and "
		"races are reported. -reference keeps the "
		"reference; -with uses one made with record, also of another program or other "
		"arguments, which is run again only if it is this program or named with "
		"-program; -image writes a picture of the differences. When a run fails or "
		"hangs "
		"(HANG_LIMIT), or with Ctrl-C, it ends and reports what is known. dvmdbg locate "
		"PROGRAM does this from the shell.",
	.example = "locate -image u.png",
	.completes = "file",
	.option = { [LOCATE_RANKS] = { "ranks", CMD_NUMBER, "ranks of the reference; default 1" },
		    [LOCATE_REFERENCE] = { "reference", CMD_STRING, "keep the reference here" },
		    [LOCATE_WITH] = { "with", CMD_STRING, "use this reference" },
		    [LOCATE_IMAGE] = { "image", CMD_STRING, "a picture of the differences" },
		    [LOCATE_ALL] = { "all", CMD_FLAG,
				     "list corners of halos, also those that nothing reads" },
		    [LOCATE_PROGRAM] = { "program", CMD_STRING,
					 "the program that made it, which may be run again" },
		    [LOCATE_THREADS] = { "threads", CMD_STRING,
					 "threads of the reference and of the program, as 1:4" } },
	.also = { [LOCATE_RANKS] = "ref-ranks",
		  [LOCATE_REFERENCE] = "o",
		  [LOCATE_WITH] = "r",
		  [LOCATE_PROGRAM] = "ref-program" },
	.values = { [LOCATE_REFERENCE] = "file",
		    [LOCATE_WITH] = "file",
		    [LOCATE_IMAGE] = "file",
		    [LOCATE_PROGRAM] = "file" },
	.run = run_locate,
};
