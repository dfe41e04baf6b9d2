/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All verbs, in the order of help. X(verb, group, origin): the entry is cmd_<verb>, in
 * verbs/; the group is one of CMD_GROUP_LIST; HPD is a verb of the standard, OURS is not.
 */
#include "frontend/main/main.h"

#include "frontend/cmd/cmd.h"

#define VERB_LIST(X)                  \
	X(load, RUNS, HPD)            \
	X(run, RUNS, HPD)             \
	X(rerun, RUNS, OURS)          \
	X(attach, RUNS, HPD)          \
	X(detach, RUNS, HPD)          \
	X(kill, RUNS, HPD)            \
	X(core, RUNS, HPD)            \
	X(gdb, RUNS, OURS)            \
	X(gcore, RUNS, OURS)          \
	X(quit, RUNS, HPD)            \
	X(exit, RUNS, HPD)            \
	X(cont, EXECUTION, HPD)       \
	X(go, EXECUTION, HPD)         \
	X(wait, EXECUTION, HPD)       \
	X(halt, EXECUTION, HPD)       \
	X(step, EXECUTION, HPD)       \
	X(sync, EXECUTION, OURS)      \
	X(break, ACTIONS, HPD)        \
	X(barrier, ACTIONS, HPD)      \
	X(watch, ACTIONS, HPD)        \
	X(actions, ACTIONS, HPD)      \
	X(delete, ACTIONS, HPD)       \
	X(enable, ACTIONS, HPD)       \
	X(disable, ACTIONS, HPD)      \
	X(export, ACTIONS, HPD)       \
	X(where, LOOKING, HPD)        \
	X(up, LOOKING, HPD)           \
	X(down, LOOKING, HPD)         \
	X(status, LOOKING, HPD)       \
	X(hang, LOOKING, OURS)        \
	X(points, LOOKING, OURS)      \
	X(list, LOOKING, HPD)         \
	X(locals, LOOKING, OURS)      \
	X(search, LOOKING, OURS)      \
	X(print, DATA, HPD)           \
	X(assign, DATA, HPD)          \
	X(call, DATA, OURS)           \
	X(what, DATA, HPD)            \
	X(differ, DATA, OURS)         \
	X(decomp, DATA, OURS)         \
	X(stat, DATA, OURS)           \
	X(heatmap, DATA, OURS)        \
	X(save, DATA, OURS)           \
	X(diff, DATA, OURS)           \
	X(halo, DATA, OURS)           \
	X(record, CHECKING, OURS)     \
	X(compare, CHECKING, OURS)    \
	X(check, CHECKING, OURS)      \
	X(sums, CHECKING, OURS)       \
	X(findings, CHECKING, OURS)   \
	X(trace, CHECKING, OURS)      \
	X(last_write, CHECKING, OURS) \
	X(locate, CHECKING, OURS)     \
	X(pair, CHECKING, OURS)       \
	X(tie, CHECKING, OURS)        \
	X(untie, CHECKING, OURS)      \
	X(level, CHECKING, OURS)      \
	X(limit, CHECKING, OURS)      \
	X(start, CHECKING, OURS)      \
	X(finish, CHECKING, OURS)     \
	X(focus, SETS, HPD)           \
	X(defset, SETS, HPD)          \
	X(undefset, SETS, HPD)        \
	X(viewset, SETS, HPD)         \
	X(whichsets, SETS, HPD)       \
	X(set, TALKING, HPD)          \
	X(unset, TALKING, HPD)        \
	X(info, TALKING, HPD)         \
	X(alias, TALKING, HPD)        \
	X(unalias, TALKING, HPD)      \
	X(history, TALKING, HPD)      \
	X(input, TALKING, HPD)        \
	X(log, TALKING, HPD)          \
	X(proginput, TALKING, HPD)    \
	X(help, TALKING, HPD)         \
	X(tui, TALKING, OURS)

#define X(verb, group, origin) extern const struct cmd cmd_##verb;
VERB_LIST(X)
#undef X

#define OURS false
#define HPD true

static const struct cmd_entry verbs[] = {
#define X(verb, in, origin) { &cmd_##verb, CMD_GROUP_##in, origin },
	VERB_LIST(X)
#undef X
};

void main_use_verbs(void)
{
	cmd_use(verbs, sizeof(verbs) / sizeof(verbs[0]));
}
