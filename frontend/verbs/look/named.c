/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/verbs/look/look.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "frontend/data/fetch.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

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
	if (rc && places && err->code == ERR_INDEX && !scope.registered(scope.arg, n->e->name)) {
		section_clear(&n->sec);
		n->by_rank = true;
		rc = 0;
	}
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
	return n->e->kind == EXPR_NAME && !n->by_rank ? n->e->name : n->e->source;
}

const struct section *named_section(const struct named *n)
{
	return n->e->kind == EXPR_NAME && n->e->nsub && !n->by_rank ? &n->sec : NULL;
}

/* ---- objects that hide variables ---- */

/* Whether the list, " u eps ", has the name. */
static bool has_word(const char *list, const char *name)
{
	char *word = xasprintf(" %s ", name);
	bool has = list && strstr(list, word);

	free(word);
	return has;
}

static void add_word(char **list, const char *name)
{
	char *grown = xasprintf("%s%s ", *list ? *list : " ", name);

	free(*list);
	*list = grown;
}

/* Names without a place or a part, but those that were noted. */
static void add_names(const struct expr *e, const char *noted, char **names)
{
	if (!e)
		return;
	if (e->kind == EXPR_NAME && !expr_name_has_place(e->name) &&
	    !strpbrk(e->name, "$.*&@[:- ") && !has_word(noted, e->name) &&
	    !has_word(*names, e->name))
		add_word(names, e->name);
	for (size_t i = 0; i < e->nsub; i++)
		add_names(e->sub[i].first, noted, names);
	add_names(e->a, noted, names);
	add_names(e->b, noted, names);
}

static void note_call(struct session *s, const json_t *call)
{
	const json_t *list = out_get(call, "variables");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = out_str(json_array_get(list, i), "name");

		if (has_word(s->shell->hidden, name))
			continue;
		add_word(&s->shell->hidden, name);
		out_note(s->out,
			 "%s is the registered object; %s: %s has another variable of that name, "
			 "which [#%u]%s means",
			 name, out_str(call, "ranks"), out_str(call, "name"), s->shell->level,
			 name);
	}
}

void named_note_hidden(struct session *s, const struct rankset *who, const struct expr *e)
{
	struct rankset stopped = { 0 };
	const json_t *calls;
	char *names = NULL;
	json_t *o = NULL;

	if (!s->job || s->shell->threads)
		return;
	add_names(e, s->shell->hidden, &names);
	xrankset_copy(&stopped, who);
	xrankset_intersect(&stopped, job_set(s->job, JOB_STOPPED));
	if (names && stopped.n)
		o = session_locals(s, &stopped, names, LOCALS_HIDDEN, &(struct err){ "" });
	calls = o ? out_get(o, "calls") : NULL;
	for (size_t i = 0; i < json_array_size(calls); i++)
		note_call(s, json_array_get(calls, i));
	json_decref(o);
	free(names);
	rankset_clear(&stopped);
}
