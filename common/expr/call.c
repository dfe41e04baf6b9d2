/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions in expressions: of all elements of an array, or element by element.
 */
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/expr/internal.h"

#define MANY ARRAY_DIMS

struct function {
	const char *name;
	const char
		*op; /* of value_apply, for two or more arguments or for one that is no reduction */
	unsigned least, most; /* arguments */
	bool reduces;	      /* one argument: all of its elements … */
	enum reduce what;     /* … become that */
};

static const struct function functions[] = {
	{ "sum", NULL, 1, 1, true, REDUCE_SUM },
	{ "min", "min", 1, MANY, true, REDUCE_LEAST },
	{ "max", "max", 1, MANY, true, REDUCE_MOST },
	{ "minval", NULL, 1, 1, true, REDUCE_LEAST },
	{ "maxval", NULL, 1, 1, true, REDUCE_MOST },
	{ .name = "abs", .op = "abs", .least = 1, .most = 1 },
	{ .name = "mod", .op = "mod", .least = 2, .most = 2 },
	{ .name = "iand", .op = "&", .least = 2, .most = 2 },
	{ .name = "ior", .op = "|", .least = 2, .most = 2 },
	{ .name = "ieor", .op = "^", .least = 2, .most = 2 },
	{ .name = "int", .op = "(long)", .least = 1, .most = 1 },
	{ .name = "real", .op = "real", .least = 1, .most = 1 },
	{ .name = "dble", .op = "(double)", .least = 1, .most = 1 },
	{ .name = "cmplx", .op = "cmplx", .least = 1, .most = 2 },
};

static const struct function *function_of(const struct expr *e)
{
	if (e->kind != EXPR_NAME || e->spelling != '(')
		return NULL;
	for (size_t i = 0; i < e->nsub; i++)
		if (e->sub[i].all || e->sub[i].range || e->sub[i].vector)
			return NULL;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcasecmp(functions[i].name, e->name))
			return &functions[i];
	return NULL;
}

bool expr_is_call(const struct expr *e)
{
	return function_of(e);
}

static bool subscript_has_call(const struct expr_subscript *s)
{
	for (size_t k = 0; k < s->nvector; k++)
		if (expr_has_call(s->vector[k]))
			return true;
	return expr_has_call(s->first) || expr_has_call(s->last) || expr_has_call(s->step);
}

bool expr_has_call(const struct expr *e)
{
	if (!e)
		return false;
	if (expr_is_call(e) || expr_has_call(e->a) || expr_has_call(e->b))
		return true;
	for (size_t i = 0; i < e->nsub; i++)
		if (subscript_has_call(&e->sub[i]))
			return true;
	return false;
}

bool expr_calls(const struct eval *ev, const struct expr *e)
{
	return expr_is_call(e) && !(ev->scope->known && ev->scope->known(ev->scope->arg, e->name));
}

/* Of a name, by the scope alone; 1: it has to be fetched. */
static int reduce_name(const struct eval *ev, const struct expr *e, enum reduce what,
		       struct values *out)
{
	struct section sec;
	int rc;

	if (e->kind != EXPR_NAME || !ev->scope->reduce || expr_calls(ev, e))
		return 1;
	if (expr_eval_section(ev, e, &sec))
		return -1;
	rc = ev->scope->reduce(ev->scope->arg, what, e->name, e->nsub ? &sec : NULL, out, ev->err);
	section_clear(&sec);
	return rc;
}

/* All elements of the one argument. */
static int reduce(const struct eval *ev, const struct expr *e, enum reduce what, struct values *out)
{
	const struct expr *of = e->sub[0].first;
	struct values q = { 0 };
	int rc = reduce_name(ev, of, what, out);

	if (rc > 0) {
		rc = expr_eval_part(ev, of, &q);
		if (!rc && reduce_quantity(what, &q, out, ev->err))
			rc = err_prefix(ev->err, "column %zu", e->column + 1);
		values_clear(&q);
	}
	return !rc && values_collapse(out) ? err_set(ev->err, "out of memory") : rc;
}

/* Element by element: of the only argument, or of the first two, of that and the next, and so on.
 */
static int by_element(const struct eval *ev, const struct expr *e, const char *op,
		      struct values *out)
{
	struct expr step = { .kind = EXPR_BINARY, .column = e->column, .op = op };
	struct values a = { 0 }, b = { 0 };
	int rc = expr_eval_part(ev, e->sub[0].first, &a);

	step.a = step.b = e->sub[0].first;
	if (!rc && e->nsub == 1)
		rc = expr_apply(ev, &step, &a, NULL, out);
	for (size_t i = 1; !rc && i < e->nsub; i++) {
		struct values c = { 0 };

		step.b = e->sub[i].first;
		rc = expr_eval_part(ev, step.b, &b);
		rc = rc ? rc : expr_apply(ev, &step, &a, &b, &c);
		values_clear(&a);
		values_clear(&b);
		a = c;
	}
	if (!rc && e->nsub > 1)
		*out = a;
	else
		values_clear(&a);
	return rc;
}

int expr_call(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct function *f = function_of(e);

	if (e->nsub < f->least || e->nsub > f->most)
		return err_set(ev->err, "column %zu: %s takes %u argument%s, not %zu",
			       e->column + 1, f->name, f->least, f->least == 1 ? "" : "s", e->nsub);
	if (f->reduces && e->nsub == 1)
		return reduce(ev, e, f->what, out);
	return by_element(ev, e, f->op, out);
}
