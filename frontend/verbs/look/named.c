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

/* What an expression comes to is a variable, "*(p + 1)". */
static bool is_place(const struct expr *e)
{
	return e->kind == EXPR_TYPED && strlen(e->op) == 1 && *e->op != '&';
}

static int parse(struct named *n, struct session *s, const struct rankset *who, const char *verb,
		 const char *text, bool places, struct err *err)
{
	struct fetch f = { .s = s, .who = who };
	struct expr_scope scope = session_scope(&f);
	int rc = 0;

	memset(n, 0, sizeof(*n));
	n->e = expr_parse(text, err);
	if (!n->e)
		return -1;
	if (places && is_place(n->e))
		rc = 0;
	else if (n->e->kind != EXPR_NAME || (expr_is_call(n->e) && !scope.known(&f, n->e->name)))
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

int named_parse(struct named *n, struct session *s, const struct rankset *who, const char *verb,
		const char *text, struct err *err)
{
	return parse(n, s, who, verb, text, false, err);
}

int named_parse_place(struct named *n, struct session *s, const struct rankset *who,
		      const char *verb, const char *text, struct err *err)
{
	return parse(n, s, who, verb, text, true, err);
}

const char *named_text(const struct named *n)
{
	return n->e->kind == EXPR_NAME ? n->e->name : n->e->source;
}

const struct section *named_section(const struct named *n)
{
	return n->e->kind == EXPR_NAME && n->e->nsub ? &n->sec : NULL;
}
