/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All verbs, in the order of help. X(verb): the entry is cmd_<verb>, in cmd/<group>.c.
 */
#ifndef DVMDBG_FRONTEND_CMD_LIST_H
#define DVMDBG_FRONTEND_CMD_LIST_H

#include "frontend/cmd.h"

#define CMD_LIST(X)  \
	X(load)      \
	X(run)       \
	X(rerun)     \
	X(cont)      \
	X(go)        \
	X(wait)      \
	X(halt)      \
	X(step)      \
	X(break)     \
	X(actions)   \
	X(delete)    \
	X(enable)    \
	X(disable)   \
	X(where)     \
	X(up)        \
	X(down)      \
	X(status)    \
	X(points)    \
	X(list)      \
	X(print)     \
	X(assign)    \
	X(what)      \
	X(differ)    \
	X(decomp)    \
	X(stat)      \
	X(heatmap)   \
	X(save)      \
	X(diff)      \
	X(halo)      \
	X(level)     \
	X(start)     \
	X(finish)    \
	X(record)    \
	X(compare)   \
	X(sums)      \
	X(findings)  \
	X(locate)    \
	X(pair)      \
	X(tie)       \
	X(untie)     \
	X(focus)     \
	X(defset)    \
	X(undefset)  \
	X(viewset)   \
	X(whichsets) \
	X(set)       \
	X(unset)     \
	X(info)      \
	X(alias)     \
	X(unalias)   \
	X(history)   \
	X(input)     \
	X(log)       \
	X(help)      \
	X(tui)       \
	X(kill)      \
	X(detach)    \
	X(quit)      \
	X(exit)

#define X(verb) extern const struct cmd cmd_##verb;
CMD_LIST(X)
#undef X

#endif
