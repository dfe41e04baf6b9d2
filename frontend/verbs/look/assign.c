/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb that changes values: assign. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/array/value.h"
#include "common/array/values.h"
#include "frontend/action/action.h"
#include "frontend/gdb/gdb.h"
#include "frontend/model/ask.h"
#include "frontend/data/assemble.h"
#include "frontend/data/owners.h"
#include "frontend/verbs/look/look.h"
#include "frontend/cmd/cmd.h"
#include "frontend/util/literal.h"
#include "frontend/output/output.h"
#include "frontend/data/pieces.h"
#include "frontend/session/session.h"
#include "frontend/data/value_json.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

extern const struct cmd cmd_assign;

enum { ASSIGN_FORCE, ASSIGN_OWNER };

/* What is to be done. */
struct assigning {
	struct named target;
	struct pieces p;
	struct msg_value value;
	json_t *notes;
	bool variable;	       /* of the chosen frame, and no object */
	struct rankset ranks;  /* that have written something */
	uint64_t elements;     /* that have become the value; copies count once */
	struct rankset copies; /* ranks that have written copies of them in their halos */
};

/*
 * The end of the target: a blank or "=" outside brackets. Behind a blank subscripts may go on; a
 * parenthesis is one only where there were none so far, and not when it must be the value.
 */
static char *target_end(char *text, bool subscripts)
{
	int depth = 0;
	bool any = !subscripts;
	char *p;

	for (p = text; *p; p++) {
		char next = strchr(" \t", *p) ? p[strspn(p, " \t")] : 0;

		depth += strchr("[({", *p) ? 1 : strchr("])}", *p) ? -1 : 0;
		any |= depth > 0;
		if (!depth && (*p == '=' || (next && next != '[' && (next != '(' || any))))
			break;
	}
	return *p ? p : NULL;
}

/*
 * Parts "u[3] [4] = 1 + 2" into target and value, which point into text; NULL: there is no value.
 * *single: that is so only if the target is a single complex number, as in "z (1,2)".
 */
static char *value_in(char *text, bool *single)
{
	char *p = target_end(text, true), *end;

	*single = !p;
	if (!p)
		p = target_end(text, false);
	if (!p)
		return NULL;
	end = p;
	p += strspn(p, " \t");
	if (*p == '=' && p[1] != '=')
		p += 1 + strspn(p + 1, " \t");
	*end = 0;
	return *p ? p : NULL;
}

/* What is no literal is evaluated, and must be one number, on each rank. */
static int evaluate(struct session *s, const struct rankset *who, const char *text,
		    struct values *q, struct err *err)
{
	struct fetch f = { .s = s, .who = who, .limit = FETCH_MOST };
	struct expr_scope scope = session_scope(&f);
	struct expr *e = expr_parse(text, err);
	int rc;

	*q = (struct values){ 0 };
	if (!e)
		return err_prefix(err, "assign: the value '%.100s'", text);
	rc = expr_eval(e, who, &scope, q, err);
	if (!rc && (values_total(q) != 1 || !value_size(q->type)))
		rc = err_set(err, "assign: '%s' is not a single number", text);
	fetch_clear(&f);
	expr_destroy(e);
	return rc;
}

/* The value in the target's type; with force a fraction is cut off. */
static int convert(struct assigning *a, struct value v, bool force, struct err *err)
{
	enum value_class class = value_class(a->p.type);

	a->value.type = (uint8_t)a->p.type;
	if (!value_store(a->p.type, a->value.bytes, &v, err))
		return 0;
	if (force && v.class == VALUE_IS_REAL && (class == VALUE_IS_INT || class == VALUE_IS_UINT))
		v.re = trunc(v.re);
	else if (force && v.class == VALUE_IS_COMPLEX)
		v.class = VALUE_IS_REAL;
	else
		return err_prefix(err, "assign: %s is of type %s", a->p.name,
				  value_type_name(a->p.type));
	return value_store(a->p.type, a->value.bytes, &v, err);
}

static void take_answer(struct assigning *a, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct answer_assign answer;
	uint64_t n;

	if (answer_assign_get(&answer, &b)) {
		fetch_note(a->notes, &g->ranks, "sent an answer that cannot be read");
		return;
	}
	if (answer.head.kind == ANSWER_ERROR) {
		fetch_note(a->notes, &g->ranks, answer.head.why);
		return;
	}
	n = answer.elements;
	if (a->p.desc.kind == ARRAY_REPLICATED)
		a->elements = n > a->elements ? n : a->elements;
	else
		a->elements += n * rankset_count(&g->ranks);
	if (n)
		xrankset_add_set(&a->ranks, &g->ranks);
}

/* Of copies in halos. */
static void take_copies(struct assigning *a, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct answer_assign answer;

	if (answer_assign_get(&answer, &b))
		fetch_note(a->notes, &g->ranks, "sent an answer that cannot be read");
	else if (answer.head.kind == ANSWER_ERROR)
		fetch_note(a->notes, &g->ranks, answer.head.why);
	else if (answer.elements)
		xrankset_add_set(&a->copies, &g->ranks);
}

static int write_copies_of(struct assigning *a, struct session *s, const struct section *section,
			   struct err *err)
{
	struct msg_query q = { .kind = QUERY_ASSIGN,
			       .name = a->p.name,
			       .value = a->value,
			       .n = ASSIGN_COPIES,
			       .func = "" };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	int rc;

	xalloc_check(section_copy(&q.section, section));
	rc = ask(s, &q, job_set(s->job, JOB_STOPPED), &answers, &silent, err);
	if (!rc && silent.n)
		fetch_note(a->notes, &silent, "did not answer");
	for (size_t i = 0; !rc && i < answers.n; i++)
		take_copies(a, &answers.group[i]);
	section_clear(&q.section);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

/* Leaves of a dimension the indices that the rank owns; false: it owns none. */
static bool keep_own(struct section_dim *x, const struct array_desc *d, unsigned dim)
{
	uint64_t n = x->vector ? x->n : (uint64_t)((x->last - x->first) / x->step) + 1;
	int64_t *kept = xcalloc(n + 1, sizeof(*kept));
	uint32_t have = 0;

	for (uint64_t i = 0; i < n; i++) {
		int64_t at = x->scalar	 ? x->first
			     : x->vector ? x->vector[i]
					 : x->first + (int64_t)i * x->step;
		bool own = !d->list[dim] && at >= d->own_lo[dim] && at <= d->own_hi[dim];

		for (uint32_t k = 0; d->list[dim] && k < d->list_n[dim] && !own; k++)
			own = d->list[dim][k] == at;
		if (own)
			kept[have++] = at;
		if (x->scalar)
			break;
	}
	if (x->scalar || !have) {
		free(kept);
		return have;
	}
	free(x->vector);
	x->vector = kept;
	x->n = have;
	x->all = false;
	return true;
}

/* What the rank owns of the target, to be cleared; false: nothing. */
static bool own_part(const struct assigning *a, const struct owner *o, struct section *part)
{
	bool any = true;

	xalloc_check(section_copy(part, &a->p.section));
	for (unsigned d = 0; any && d < part->ndim; d++)
		any = keep_own(&part->dim[d], &o->desc, d);
	return any;
}

/* What only some ranks were to write: of each of these its own part. */
static int write_copies_of_some(struct assigning *a, struct session *s, struct err *err)
{
	struct owner *owner;
	size_t n;
	int rc = owners_of(s, a->p.desc.name, &a->ranks, &owner, &n, err);

	for (size_t i = 0; !rc && i < n; i++) {
		struct section part;

		if (own_part(a, &owner[i], &part))
			rc = write_copies_of(a, s, &part, err);
		section_clear(&part);
	}
	if (!rc)
		owners_free(owner, n);
	return rc;
}

/* Halos have the value too, wherever they are, unless the owner alone was to be written. */
static int write_copies(struct assigning *a, struct session *s, const struct rankset *who,
			struct err *err)
{
	if (a->p.desc.kind == ARRAY_REPLICATED || !a->elements)
		return 0;
	if (rankset_covers(who, job_set(s->job, JOB_STOPPED)))
		return write_copies_of(a, s, &a->p.section, err);
	return write_copies_of_some(a, s, err);
}

/* Where the text alone says which subscripts are whose; NULL: name and section do. */
static char *text_of_late(const struct assigning *a)
{
	const struct expr *e = a->target.e;

	return e->late && !a->target.by_rank ? xstrndup(e->source + e->from, e->end - e->from)
					     : NULL;
}

static int write_it(struct assigning *a, struct session *s, const struct rankset *who,
		    struct err *err)
{
	struct msg_query q = {
		.kind = QUERY_ASSIGN, .name = a->p.name, .value = a->value, .func = ""
	};
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	int rc;

	if (a->variable) {
		char *text = text_of_late(a);

		rc = session_local_assign(s, who, text ? text : a->p.name,
					  text ? NULL : named_section(&a->target), &a->value,
					  &answers, &silent, err);
		free(text);
	} else {
		xalloc_check(section_copy(&q.section, &a->p.section));
		rc = ask(s, &q, who, &answers, &silent, err);
	}
	if (!rc && silent.n)
		fetch_note(a->notes, &silent, "did not answer");
	for (size_t i = 0; !rc && i < answers.n; i++)
		take_answer(a, &answers.group[i]);
	section_clear(&q.section);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

/* What stands there before; *before is NULL when that is not one value. -1: no memory for it. */
static int value_before(const struct assigning *a, struct session *s, const struct rankset *who,
			json_t **before, struct err *err)
{
	struct err why = { "" };
	struct fetched f;

	*before = NULL;
	if (a->value.type == VALUE_STRUCT)
		return 0;
	if (a->variable) {
		char *text = text_of_late(a);
		struct values q;

		if (!session_local_values(s, who, text ? text : a->p.name,
					  text ? NULL : named_section(&a->target), &q, &why) &&
		    q.n == 1 && values_total(&q) == 1)
			*before = value_json(q.type, q.group[0].bytes);
		values_clear(&q);
		free(text);
		return 0;
	}
	if (section_total(&a->p.section) != 1)
		return 0;
	if (fetch_large(s, a->p.name, named_section(&a->target), who, 1, &f, &why))
		return why.code != ERR_MEMORY
			       ? 0
			       : err_set(err, "assign: nothing was changed: %s", why.text);
	if (f.q.n == 1 && !f.nmissing && value_size(f.q.type))
		*before = value_json(f.q.type, f.q.group[0].bytes);
	fetched_clear(&f);
	return 0;
}

static json_t *answer(const struct assigning *a, const char *target, json_t *before)
{
	bool text = a->value.type == VALUE_STRUCT;
	json_t *o = json_pack("{s:s s:o s:o s:s s:o s:I s:o}", "type", "assign", "target",
			      out_json_text(target), "name", out_json_text(a->p.name), "kind",
			      text ? "text" : value_type_name(a->p.type), "value",
			      text ? out_json_text(a->value.text)
				   : value_json(a->p.type, a->value.bytes),
			      "elements", (json_int_t)a->elements, "ranks", ask_ranks(&a->ranks));

	if (before)
		json_object_set(o, "before", before);
	if (a->copies.n)
		json_object_set_new(o, "copies", ask_ranks(&a->copies));
	if (json_array_size(a->notes))
		json_object_set(o, "notes", a->notes);
	return o;
}

/* The number for these ranks: one, or several where they may differ. */
static int find_value(const struct assigning *a, struct session *s, const struct rankset *who,
		      const char *value, bool differs, struct values *q, struct err *err)
{
	struct err why = { "" };
	int rc = evaluate(s, who, value, q, &why);

	if (!rc && q->n > 1 && !differs)
		rc = err_set(&why, "assign: '%s' is not the same on all ranks", value);
	if (rc)
		err_set(err, "%.700s; for %.100s, %s, %s is allowed", why.text, a->p.name,
			value_type_name(a->p.type), literal_allowed(a->p.type));
	return rc;
}

/* The value for these ranks, in the target's type. */
static int prepare(struct assigning *a, struct session *s, const struct rankset *who,
		   const char *value, bool force, struct err *err)
{
	struct values q = { 0 };
	struct value v;
	int rc = 0;

	if (!literal_parse(value, a->p.type, &v)) {
		rc = find_value(a, s, who, value, false, &q, err);
		if (!rc)
			v = values_value(&q, 0, 0);
	}
	rc = rc ? rc : convert(a, v, force, err);
	values_clear(&q);
	return rc;
}

/* Writes what has been prepared, and shows it. owner: copies in halos stay as they are. */
static int assign(struct assigning *a, struct session *s, const struct rankset *who,
		  const char *target, bool owner, struct err *err)
{
	json_t *before;
	int rc;

	if (value_before(a, s, who, &before, err))
		return -1;
	rc = write_it(a, s, who, err);
	if (!rc && !a->variable && !owner)
		rc = write_copies(a, s, who, err);
	if (!rc && !a->elements)
		rc = err_set(err, "assign: %s was not written: %s", target,
			     json_array_size(a->notes)
				     ? json_string_value(json_array_get(a->notes, 0))
				     : "no rank of the set owns it");
	if (!rc)
		action_assigned(s->action);
	if (!rc && out_verbose(s->out) > OUT_ERR)
		out_answer(s->out, answer(a, target, before));
	json_decref(before);
	return rc;
}

/* ---- values that differ: {[0:2]: 4, [3]: 5} ---- */

struct differing {
	struct differing_part {
		struct rankset ranks;
		char *value; /* owned */
	} * part;
	size_t n;
};

static void differing_clear(struct differing *d)
{
	for (size_t i = 0; i < d->n; i++) {
		rankset_clear(&d->part[i].ranks);
		free(d->part[i].value);
	}
	free(d->part);
	*d = (struct differing){ 0 };
}

/* Up to the comma or the end outside brackets. */
static size_t value_length(const char *p)
{
	size_t n = 0;

	for (int depth = 0; p[n] && (depth || (p[n] != ',' && p[n] != '}')); n++)
		depth += strchr("[({", p[n]) ? 1 : strchr("])}", p[n]) ? -1 : 0;
	return n;
}

/* "[0:2]: 4" at *p, which goes behind it. */
static int take_part(struct differing *d, const char **p, const struct rankset *who,
		     struct err *err)
{
	struct rankset beyond = { 0 };
	struct differing_part *part;
	char *set, ranks[64];
	size_t n;
	int rc;

	*p += strspn(*p, " \t");
	n = **p == '[' ? strcspn(*p, "]") : 0;
	if (!n || (*p)[n] != ']')
		return err_set(err, "assign: values that differ are written as {[0:2]: 4, [3]: 5}");
	part = xvec_add(d->part, d->n);
	*part = (struct differing_part){ .value = NULL };
	set = xstrndup(*p + 1, n - 1);
	rc = rankset_parse(&part->ranks, set, err);
	free(set);
	*p += n + 1;
	*p += strspn(*p, " \t");
	if (!rc && **p != ':')
		rc = err_set(err, "assign: ':' and a value are needed behind the ranks");
	if (rc)
		return -1;
	++*p;
	*p += strspn(*p, " \t");
	n = value_length(*p);
	part->value = xstrndup(*p, n);
	*p += n;
	xrankset_copy(&beyond, &part->ranks);
	xrankset_remove_set(&beyond, who);
	if (beyond.n)
		rc = err_set(err, "assign: %s: not of the ranks that are asked",
			     rankset_format(&beyond, ranks, sizeof(ranks)));
	for (size_t i = 0; !rc && i + 1 < d->n; i++)
		if (rankset_meets(&d->part[i].ranks, &part->ranks))
			rc = err_set(err, "assign: a rank has two values");
	rankset_clear(&beyond);
	return rc;
}

static int differing_parse(struct differing *d, const char *text, const struct rankset *who,
			   struct err *err)
{
	const char *p = text + 1;

	do {
		if (take_part(d, &p, who, err))
			return -1;
	} while (*p == ',' && *++p);
	if (*p != '}' || p[1 + strspn(p + 1, " \t")])
		return err_set(err, "assign: ',' or '}' is needed behind a value");
	return 0;
}

/* What was written for other ranks is not reported again. */
static void begin_part(struct assigning *a)
{
	a->elements = 0;
	rankset_clear(&a->ranks);
	json_array_clear(a->notes);
}

/* Some of these ranks will write something. */
static int check_owned(const struct assigning *a, struct session *s, const struct rankset *who,
		       const char *target, struct err *err)
{
	struct owner *owner;
	bool any = false;
	char ranks[64];
	size_t n;

	if (a->p.desc.kind == ARRAY_REPLICATED)
		return 0;
	if (owners_of(s, a->p.desc.name, who, &owner, &n, err))
		return -1;
	for (size_t i = 0; !any && i < n; i++) {
		struct section part;

		any = own_part(a, &owner[i], &part);
		section_clear(&part);
	}
	owners_free(owner, n);
	return any ? 0
		   : err_set(err, "assign: nothing was changed: %s owns no element of %s",
			     rankset_format(who, ranks, sizeof(ranks)), target);
}

/* All values fit, and have a rank to write them, before the first is written. */
static int assign_differing(struct assigning *a, struct session *s, const struct cmd_call *call,
			    const char *target, const struct differing *d, struct err *err)
{
	bool force = call->option[ASSIGN_FORCE];
	int rc = 0;

	for (size_t i = 0; !rc && i < d->n; i++)
		rc = prepare(a, s, &d->part[i].ranks, d->part[i].value, force, err) ||
		     check_owned(a, s, &d->part[i].ranks, target, err);
	for (size_t i = 0; !rc && i < d->n; i++) {
		begin_part(a);
		rc = prepare(a, s, &d->part[i].ranks, d->part[i].value, force, err);
		rc = rc ? rc
			: assign(a, s, &d->part[i].ranks, target, call->option[ASSIGN_OWNER], err);
	}
	return rc;
}

/* An expression is evaluated once: what it calls has effects. What each rank has for itself may get
 * another number on each; all fit before the first is written. */
static int assign_expression(struct assigning *a, struct session *s, const struct cmd_call *call,
			     const char *target, const char *value, struct err *err)
{
	bool force = call->option[ASSIGN_FORCE], one;
	struct values q = { 0 };
	int rc = find_value(a, s, &call->who, value, a->p.desc.kind == ARRAY_REPLICATED, &q, err);

	for (size_t i = 0; !rc && i < q.n; i++)
		rc = convert(a, values_value(&q, i, 0), force, err);
	one = q.n == 1;
	for (size_t i = 0; !rc && i < q.n; i++) {
		begin_part(a);
		rc = convert(a, values_value(&q, i, 0), force, err);
		rc = rc ? rc
			: assign(a, s, one ? &call->who : &q.group[i].ranks, target,
				 call->option[ASSIGN_OWNER], err);
	}
	values_clear(&q);
	return rc;
}

static int assign_value(struct assigning *a, struct session *s, const struct cmd_call *call,
			const char *target, const char *value, struct err *err)
{
	struct differing d = { 0 };
	struct value v;
	int rc;

	if (*value == '{') {
		rc = differing_parse(&d, value, &call->who, err);
		rc = rc ? rc : assign_differing(a, s, call, target, &d, err);
		differing_clear(&d);
		return rc;
	}
	if (!literal_parse(value, a->p.type, &v))
		return assign_expression(a, s, call, target, value, err);
	rc = convert(a, v, call->option[ASSIGN_FORCE], err);
	return rc ? rc : assign(a, s, &call->who, target, call->option[ASSIGN_OWNER], err);
}

/* A text or a structure, for a variable that is no registered object. */
static bool is_no_number(const struct assigning *a, struct session *s, const struct cmd_call *call,
			 const char *value)
{
	struct fetch f = { .s = s, .who = &call->who };
	struct expr_scope scope = session_scope(&f);
	struct err err = { "" };
	size_t n;
	char *text = expr_quoted(value, &n);
	bool is = !scope.registered(scope.arg, named_text(&a->target));
	unsigned type;

	/* one character is a number, too; a structure becomes another one */
	if (is && (!text || (*value == '\'' && n == 1)))
		is = session_local_type(s, &call->who, named_text(&a->target),
					named_section(&a->target), &type, &err)
			     ? err.code != ERR_NAME
			     : text && type == VALUE_CHAR;
	free(text);
	fetch_clear(&f);
	return is;
}

static int assign_text(struct assigning *a, struct session *s, const struct cmd_call *call,
		       const char *target, const char *value, struct err *err)
{
	a->variable = true;
	a->p.name = named_text(&a->target);
	a->p.desc.kind = ARRAY_REPLICATED;
	a->value = (struct msg_value){ .type = VALUE_STRUCT, .text = value };
	return assign(a, s, &call->who, target, true, err);
}

/* All members stand: a part of them is not changed alone. copies: the others, which may hold
 * copies. */
static int check_standing(struct session *s, const struct rankset *who, bool copies,
			  struct err *err)
{
	static const struct {
		enum job_set set;
		const char *words;
	} why[] = { { JOB_RUNNING, "running; halt stops those that run" },
		    { JOB_LOADED, "not started yet; cont starts the program" } };
	const char *held = copies ? ", and may hold copies; -owner leaves these as they are" : "";
	char text[200];
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(why) / sizeof(why[0]); i++) {
		struct rankset part = { 0 };

		xrankset_copy(&part, who);
		xrankset_intersect(&part, job_set(s->job, why[i].set));
		if (part.n)
			rc = err_set(err, "assign: nothing was changed: %s: %s%s",
				     rankset_format(&part, text, sizeof(text)),
				     gdb_why(s, &part) ? gdb_why(s, &part) : why[i].words, held);
		rankset_clear(&part);
	}
	return rc;
}

static int no_value(struct err *err)
{
	return err_set(err, "assign: give a target and a value, as in assign u[3][4] 0.5");
}

/* Of a registered structure's member that is an array: that it cannot be changed so, and how. */
static int refuse_member(struct session *s, const struct rankset *who, const struct named *target,
			 struct err *err)
{
	const char *name = named_text(target), *dot = strchr(name, '.');
	struct fetch_objects found = { 0 };
	bool member = dot && !fetch_names(s, name, who, &found, NULL) && found.n &&
		      !found.item[0].desc.ndim && found.item[0].desc.nfield;

	fetch_objects_clear(&found);
	if (!member)
		return -1;
	return err_set(err,
		       "assign: %s is an array in a registered structure, whose elements cannot be "
		       "chosen; (%.*s)%s[0] is an element of the program's variable, which can be "
		       "changed where it is visible",
		       name, (int)(dot - name), name, dot);
}

static int find_target(struct assigning *a, struct session *s, const struct cmd_call *call,
		       bool single, struct err *err)
{
	const char *name = named_text(&a->target);
	bool variable =
		a->target.e->kind == EXPR_TYPED || a->target.by_rank || expr_name_has_place(name);
	struct err own = { "" };
	unsigned type;

	if (variable || pieces_find(&a->p, s, name, named_section(&a->target), &call->who, err)) {
		if (!variable && err->code != ERR_NAME)
			return refuse_member(s, &call->who, &a->target, err);
		if (session_local_type(s, &call->who, name, named_section(&a->target), &type,
				       &own)) {
			if (variable || own.code != ERR_NAME)
				*err = own;
			return -1;
		}
		a->variable = true;
		a->p.name = name;
		a->p.type = type;
		a->p.desc.kind = ARRAY_REPLICATED;
	}
	return single && a->p.section.ndim ? no_value(err) : 0;
}

/* Of several threads each would need its own; registered objects are the process's. */
static int choose_thread(struct session *s, struct err *err)
{
	const struct thread_set *t = s->shell->threads;

	for (size_t i = 0; t && i < t->n; i++) {
		if (t->part[i].first != t->part[i].last || t->part[i].first != t->part[0].first)
			return err_set(err,
				       "assign: choose one thread, as in [0.1], or [0] for the "
				       "one that runs main");
		s->shell->thread = t->part[i].first;
	}
	return 0;
}

static int run_assign(struct session *s, struct cmd_call *call, struct err *err)
{
	struct assigning a = { 0 };
	char *target = xstrdup(call->rest), *value;
	bool single = false, text;
	int rc;

	if (choose_thread(s, err)) {
		free(target);
		return -1;
	}
	value = value_in(target, &single);
	if (!value)
		rc = no_value(err);
	else if (check_standing(s, &call->who, false, err) ||
		 cmd_only_stopped(s, &cmd_assign, &call->who, err))
		rc = -1;
	else
		rc = named_parse_place(&a.target, s, &call->who, "assign", target, err);
	if (!rc) {
		a.notes = json_array();
		text = is_no_number(&a, s, call, value);
		rc = text ? 0 : find_target(&a, s, call, single, err);
		if (!rc && a.p.desc.kind != ARRAY_REPLICATED && !call->option[ASSIGN_OWNER])
			rc = check_standing(s, job_set(s->job, JOB_ALL), true, err);
		if (!rc)
			rc = text ? assign_text(&a, s, call, target, value, err)
				  : assign_value(&a, s, call, target, value, err);
		if (!rc)
			named_note_hidden(s, &call->who, a.target.e);
		pieces_clear(&a.p);
		named_clear(&a.target);
		json_decref(a.notes);
	}
	rankset_clear(&a.ranks);
	rankset_clear(&a.copies);
	free(target);
	s->shell->thread = 0;
	return rc;
}

const struct cmd cmd_assign = {
	.name = "assign",
	.args = "target value [-owner] [-force]",
	.brief = "change an object, or elements of an array",
	.help = "The target is an object, a field, an element or a section in global indices; "
		"every element of it gets the value: a number, nan, inf, true, a complex number "
		"(1,2) or 1+2i, a text in quotes for characters, a variable for a structure of its "
		"type, an expression that is one number, "
		"or values by rank, {[0:2]: 4, "
		"[3]: 5}; what each rank has for itself may get a number of each rank's own, as "
		"lo + $rank. A name that "
		"no object has is a variable of the chosen frame, as for print. The owner writes "
		"an element, "
		"and every rank that holds a copy of it in its halo writes that too, in or out of "
		"the set; "
		"-owner leaves copies as they are until the program exchanges them. Each rank of "
		"the set writes a "
		"replicated object. Ranks that are written must be stopped. A value that does not "
		"fit the type is refused; -force "
		"cuts off fractions and imaginary parts.",
	.both = CMD_ONE,
	.example = "assign u[17][4] 0.5",
	.completes = "object object",
	.raw = true,
	.needs_job = true,
	.option = { [ASSIGN_FORCE] = { "force", CMD_FLAG,
				       "convert the value to the type of the target" },
		    [ASSIGN_OWNER] = { "owner", CMD_FLAG,
				       "the owner alone; copies in halos keep their values" } },
	.run = run_assign,
};
