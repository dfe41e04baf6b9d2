/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The argument of verbs of arrays: a name, perhaps with a section.
 */
#ifndef DVMDBG_FRONTEND_CMD_NAMED_H
#define DVMDBG_FRONTEND_CMD_NAMED_H

#include "common/expr/expr.h"

struct err;
struct rankset;
struct session;

struct named {
	struct expr *e; /* an EXPR_NAME */
	struct section sec;
};

/* who are asked for what stands in subscripts; verb is for the error. Cleared by the caller. */
int named_parse(struct named *n, struct session *s, const struct rankset *who, const char *verb,
		const char *text, struct err *err);
void named_clear(struct named *n);
/* Not bound; NULL: no section was given. */
const struct section *named_section(const struct named *n);

#endif
