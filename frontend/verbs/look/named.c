/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/verbs/look/look.h"

#include <string.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/data/fetch.h"
#include "frontend/session/session.h"

void named_clear(struct named *n)
{
	expr_destroy(n->e);
	section_clear(&n->sec);
}

int named_parse(struct named *n, struct session *s, const struct rankset *who, const char *verb,
		const char *text, struct err *err)
{
	struct fetch f = { .s = s, .who = who };
	struct expr_scope scope = session_scope(&f);
	int rc = 0;

	memset(n, 0, sizeof(*n));
	n->e = expr_parse(text, err);
	if (!n->e)
		return -1;
	if (n->e->kind != EXPR_NAME || (expr_is_call(n->e) && !scope.known(&f, n->e->name)))
		rc = err_set(err,
			     "%s: '%s' is not an array; give a name or a section, as in u[2:5][*]",
			     verb, text);
	else
		rc = expr_section(n->e, who, &scope, &n->sec, err);
	fetch_clear(&f);
	if (rc)
		named_clear(n);
	return rc;
}

const struct section *named_section(const struct named *n)
{
	return n->e->nsub ? &n->sec : NULL;
}
