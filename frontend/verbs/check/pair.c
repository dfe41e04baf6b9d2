/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of two runs side by side: pair tie untie. */
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

static void report_sides(struct session *s)
{
	char a[400], b[400];

	out_answer(s->out,
		   json_pack("{s:s s:[{s:s s:s},{s:s s:s}]}", "type", "pair", "list", "name", "A",
			     "text", pair_label(pair_other(s->pair), 'A', a, sizeof(a)) + 3, "name",
			     "B", "text", pair_label(s, 'B', b, sizeof(b)) + 3));
}

enum { PAIR_N, PAIR_OFF };

static int make(struct session *s, const struct cmd_call *call, struct err *err)
{
	const char *copies = call->option[PAIR_N];
	struct words w;
	int64_t n = 1;
	int rc;

	if (copies && parse_int(copies, 1, SHELL_MAX_RANKS, &n))
		return err_set(err, "pair -n %s: 1 to %d ranks are allowed", copies,
			       SHELL_MAX_RANKS);
	if (words_split(&w, call->rest, false, err))
		return -1;
	shell_keep_result(s);
	rc = pair_make(s, (int)n, w.n ? w.word : NULL, err);
	words_clear(&w);
	if (!rc)
		report_sides(s);
	return rc;
}

static int run_pair(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->option[PAIR_OFF]) {
		if (call->argc || call->option[PAIR_N])
			return err_set(err, "pair -off takes no other words");
		if (!s->pair)
			return err_set(err, "pair -off: there is no pair");
		pair_end(s);
		return 0;
	}
	if (!s->spec.argv)
		return cmd_not_loaded("pair", err);
	if (s->pair && !call->argc && !call->option[PAIR_N]) {
		report_sides(s);
		return 0;
	}
	return make(s, call, err) ? err_prefix(err, "pair") : 0;
}

const struct cmd cmd_pair = {
	.name = "pair",
	.args = "[program args] [-n ranks] | -off",
	.brief = "a second run in parallel, compared live",
	.help = "Loads a second run, A, on n ranks (default 1), of the same program and arguments "
		"or of others, and loads the session's own run, B, again. Both go on together: "
		"cont, step, rerun, halt, kill apply to both. Their checksums are compared at each "
		"point, the faster run waits, and both stop at the first mismatch. print, where, "
		"up, down, what, status, points, list, differ, decomp, sums, halo, findings and "
		"info show both; diff compares an array of both element by element. A: or B: "
		"before a command chooses one, a set before it chooses ranks of B. Actionpoints "
		"and settings apply to both. When one side ends, the other goes on alone. tie "
		"relates constructs and arrays that do not correspond by number and name. dvmdbg "
		"pair -n 1 : -n 4 PROGRAM does this from the shell.",
	.example = "pair -n 1",
	.completes = "file",
	.raw = true,
	.option = { [PAIR_N] = { "n", CMD_NUMBER, "ranks of A; default 1" },
		    [PAIR_OFF] = { "off", CMD_FLAG, "end A and go on with B alone" } },
	.run = run_pair,
};

static int show_ties(struct session *s)
{
	json_t *list = json_array();
	char text[600];

	for (size_t i = 0; pair_tie_text(s->pair, i, text, sizeof(text)); i++)
		json_array_append_new(
			list, json_pack("{s:s s:o}", "name", "tie", "text", out_json_text(text)));
	out_answer(s->out, out_json_list("ties", list,
					 "nothing is tied: points correspond by their numbers"));
	return 0;
}

static int run_tie(struct session *s, struct cmd_call *call, struct err *err)
{
	char *copy, *equal;
	size_t len;
	int rc;

	if (!s->pair)
		return err_set(err, "tie: there is no pair; type pair first");
	if (!call->argc)
		return show_ties(s);
	copy = xstrdup(call->rest);
	equal = strchr(copy, '=');
	if (!equal) {
		free(copy);
		return err_set(err, "tie '%s': the form is A.ARRAY@FILE:LINE = B.ARRAY@FILE:LINE",
			       call->rest);
	}
	*equal++ = '\0';
	equal += strspn(equal, " \t");
	for (len = strlen(copy); len && (copy[len - 1] == ' ' || copy[len - 1] == '\t');)
		copy[--len] = '\0';
	rc = pair_tie(s->pair, copy, equal, err);
	free(copy);
	return rc ? err_prefix(err, "tie") : 0;
}

const struct cmd cmd_tie = {
	.name = "tie",
	.args = "[A.array@file:line = B.array@file:line]",
	.brief = "what corresponds in a pair of different programs",
	.help = "Compares an array (or a replicated object) at the end of a construct in A with "
		"one at the end of a construct in B, the first time with the first, and so on; "
		"points without a tie are not compared any more. Elements correspond by their "
		"distance from the first index of each dimension. In print, diff and others the "
		"name in B represents that in A. The programs may execute their constructs in "
		"different orders. The end of the run reports ties that were never compared, and "
		"what could have been tied. Without arguments it shows the ties.",
	.example = "tie A.u@heat.c:61 = B.phi@solver.f90:120",
	.completes = "object",
	.raw = true,
	.run = run_tie,
};

static int run_untie(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!s->pair)
		return err_set(err, "untie: there is no pair; type pair first");
	pair_untie(s->pair);
	return 0;
}

const struct cmd cmd_untie = {
	.name = "untie",
	.args = "",
	.brief = "remove all ties",
	.help = "Points correspond by their numbers again.",
	.example = "untie",
	.run = run_untie,
};
