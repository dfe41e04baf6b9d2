/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/list.h"

/* Origins of verbs. */
enum origin { OURS, HPD };

static const struct {
	enum cmd_group group;
	enum origin origin;
} verb[] = {
#define X(name, in, from) { CMD_GROUP_##in, from },
	CMD_LIST(X)
#undef X
};

static const char *const title[] = {
#define X(name, words) words,
	CMD_GROUP_LIST(X)
#undef X
};

const char *cmd_group_title(enum cmd_group group)
{
	return title[group];
}

enum cmd_group cmd_group(size_t i)
{
	return verb[i].group;
}

bool cmd_standard(size_t i)
{
	return verb[i].origin == HPD;
}
