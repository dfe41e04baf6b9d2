/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/expr/expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/internal.h"

static int no_memory(struct err *err)
{
	return err_set(err, "out of memory");
}

static int eval_number(const struct eval *ev, const struct expr *e, struct values *out)
{
	static const unsigned natural[] = {
		[VALUE_IS_INT] = VALUE_LONG,	[VALUE_IS_UINT] = VALUE_ULONG,
		[VALUE_IS_REAL] = VALUE_DOUBLE, [VALUE_IS_COMPLEX] = VALUE_DCOMPLEX,
		[VALUE_IS_BOOL] = VALUE_BOOL,
	};
	unsigned char bytes[16];

	out->type = natural[e->number.class];
	out->elem_size = (uint32_t)value_size(out->type);
	if (value_store(out->type, bytes, &e->number, ev->err))
		return -1;
	return values_add(out, ev->who, bytes) ? no_memory(ev->err) : 0;
}

/* A text: 'x' is a number, as in C. */
static int eval_text(const struct eval *ev, const struct expr *e, struct values *out)
{
	size_t n = strlen(e->name), len = 0;
	bool escaped = n == 4 && e->name[1] == '\\';
	const char quoted[] = { '"', '\\', escaped ? e->name[2] : 0, '"', 0 };
	char *text = escaped ? expr_quoted(quoted, &len) : NULL;
	char byte = text ? *text : e->name[1];

	free(text);
	if (*e->name != '\'' || (n != 3 && !escaped))
		return err_set(ev->err,
			       "column %zu: a text is no number; functions of the program take "
			       "texts",
			       e->column + 1);
	out->type = VALUE_CHAR;
	out->elem_size = 1;
	return values_add(out, ev->who, &byte) ? no_memory(ev->err) : 0;
}

/* "the index differs between ranks: [3]: 7   [0:2]: 5" */
static int differing_index(const struct expr *e, const struct values *q, struct err *err)
{
	char list[512] = "", text[VALUE_TEXT], ranks[64];
	size_t used = 0, i;
	struct value v;

	for (i = 0; i < q->n && i < 4; i++) {
		v = values_value(q, i, 0);
		used += (size_t)snprintf(list + used, sizeof list - used, "   %s: %s",
					 rankset_format(&q->group[i].ranks, ranks, sizeof ranks),
					 value_format(q->type, &v, 0, text));
	}
	return err_set_code(err, ERR_INDEX, "column %zu: the index differs between ranks:%s%s",
			    e->column + 1, list + (used ? 2 : 0), i < q->n ? "   …" : "");
}

/* Evaluates an expression that stands as an index: whole numbers, the same on all ranks. */
static int eval_index(const struct eval *ev, const struct expr *e, struct values *q)
{
	enum value_class class;

	if (expr_eval_part(ev, e, q))
		return -1;
	class = value_class(q->type);
	if (q->type == VALUE_STRUCT || (class != VALUE_IS_INT && class != VALUE_IS_UINT))
		return err_set(ev->err,
			       "column %zu: an index must be an integer, this is of type %s",
			       e->column + 1, value_type_name(q->type));
	if (q->n > 1 && !q->ndim)
		return differing_index(e, q, ev->err);
	if (q->n > 1)
		return err_set(ev->err, "column %zu: the index vector differs between ranks",
			       e->column + 1);
	return 0;
}

static int index_value(const struct expr *e, const struct values *q, uint64_t i, int64_t *out,
		       struct err *err)
{
	struct value v = values_value(q, 0, i);

	*out = v.i;
	if (v.class == VALUE_IS_UINT && v.i < 0)
		return err_set(err, "column %zu: the index %" PRIu64 " is too large", e->column + 1,
			       (uint64_t)v.i);
	return 0;
}

static int scalar_index(const struct eval *ev, const struct expr *e, int64_t *out)
{
	struct values q = { 0 };
	int rc = eval_index(ev, e, &q);

	if (!rc && q.ndim)
		rc = err_set(ev->err,
			     "column %zu: a single index is needed, this has %u dimension%s",
			     e->column + 1, q.ndim, q.ndim == 1 ? "" : "s");
	if (!rc)
		rc = index_value(e, &q, 0, out, ev->err);
	values_clear(&q);
	return rc;
}

/* A single index, or an object of one dimension as an index vector. */
static int any_index(const struct eval *ev, const struct expr *e, struct section_dim *dim)
{
	struct values q = { 0 };
	int rc = eval_index(ev, e, &q);

	if (!rc && (q.ndim > 1 || (q.ndim && q.count[0] > UINT32_MAX)))
		rc = err_set(ev->err, "column %zu: an index vector must have one dimension",
			     e->column + 1);
	if (!rc && !q.ndim) {
		dim->scalar = true;
		rc = index_value(e, &q, 0, &dim->first, ev->err);
	} else if (!rc) {
		dim->n = (uint32_t)q.count[0];
		dim->vector = calloc(dim->n ? dim->n : 1, sizeof *dim->vector);
		rc = dim->vector ? 0 : no_memory(ev->err);
		for (uint32_t i = 0; !rc && i < dim->n; i++)
			rc = index_value(e, &q, i, &dim->vector[i], ev->err);
	}
	values_clear(&q);
	return rc;
}

static int eval_range(const struct eval *ev, const struct expr_subscript *s,
		      struct section_dim *dim)
{
	dim->open_first = !s->first;
	dim->open_last = !s->last;
	dim->step = 1;
	if (s->first && scalar_index(ev, s->first, &dim->first))
		return -1;
	if (s->last && scalar_index(ev, s->last, &dim->last))
		return -1;
	if (s->step && scalar_index(ev, s->step, &dim->step))
		return -1;
	if (!dim->step)
		return err_set(ev->err, "column %zu: the step is 0", s->step->column + 1);
	return 0;
}

static int eval_subscript(const struct eval *ev, const struct expr_subscript *s,
			  struct section_dim *dim)
{
	if (s->all) {
		dim->all = true;
		return 0;
	}
	if (s->range)
		return eval_range(ev, s, dim);
	if (!s->vector)
		return any_index(ev, s->first, dim);
	dim->n = (uint32_t)s->nvector;
	dim->vector = calloc(s->nvector, sizeof *dim->vector);
	if (!dim->vector)
		return no_memory(ev->err);
	for (size_t i = 0; i < s->nvector; i++)
		if (scalar_index(ev, s->vector[i], &dim->vector[i]))
			return -1;
	return 0;
}

int expr_eval_section(const struct eval *ev, const struct expr *e, struct section *sec)
{
	*sec = (struct section){ .ndim = (unsigned)e->nsub };
	if (e->mixed)
		return err_set(ev->err,
			       "column %zu: there is no function %s; subscripts are all in [ ], or "
			       "all in ( )",
			       e->column + 1, e->name);
	for (size_t d = 0; d < e->nsub; d++) {
		if (eval_subscript(ev, &e->sub[d], &sec->dim[d])) {
			section_clear(sec);
			return -1;
		}
	}
	return 0;
}

/* Where the name stands in an expression that is more than it. */
static int at_column(const struct expr *e, struct err *err)
{
	bool all = !e->from && !e->source[e->end + strspn(e->source + e->end, " ")];

	return all ? -1 : err_prefix(err, "column %zu", e->column + 1);
}

/* "shown->area(1)" of C++, where there is no such field: the session knows how it is called. 1: it
 * is no function. */
static int call_member(const struct eval *ev, const struct expr *e, struct values *out)
{
	struct expr call = *e;
	struct err err = { "" };
	size_t open;
	int rc;

	if (!ev->scope->call || !ev->err || ev->err->code == ERR_NAME || e->spelling != '(' ||
	    !e->inside || e->source[e->end - 1] != ')' || !strpbrk(e->name, ".-") ||
	    strpbrk(e->name, "@#&*"))
		return 1;
	open = *e->inside ? strspn(e->inside, " ") : e->end - 1;
	while (open && e->source[open - 1] != '(')
		open--;
	if (open <= e->column)
		return 1;
	call.name = strndup(e->source + e->column, open - 1 - e->column);
	if (!call.name)
		return no_memory(ev->err);
	call.behind = call.nsub = call.narguments = 0;
	values_clear(out);
	rc = ev->scope->call(ev->scope->arg, &call, "", out, &err);
	free(call.name);
	if (rc <= 0)
		*ev->err = err;
	return rc;
}

/* What was wrong before is not. */
static int found_otherwise(const struct eval *ev)
{
	if (ev->err)
		*ev->err = (struct err){ "" };
	return 0;
}

/* A registered object is in it, of which a rank may have a part only. */
static bool has_registered(const struct expr_scope *s, const struct expr *e)
{
	bool has = e && e->kind == EXPR_NAME && *e->name != '$' &&
		   (!s->registered || s->registered(s->arg, e->name));

	for (size_t i = 0; e && !has && i < e->nsub; i++) {
		const struct expr_subscript *x = &e->sub[i];

		has = has_registered(s, x->first) || has_registered(s, x->last) ||
		      has_registered(s, x->step);
		for (size_t k = 0; !has && k < x->nvector; k++)
			has = has_registered(s, x->vector[k]);
	}
	return has || (e && (has_registered(s, e->a) || has_registered(s, e->b)));
}

/* What cannot be had with the same index, or the same choice, on all ranks each may have for
 * itself, of its variables. */
static bool by_each_rank(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct expr_scope *s = ev->scope;

	values_clear(out);
	return s->typed && ev->err && ev->err->code != ERR_NAME && !has_registered(s, e) &&
	       !s->typed(s->arg, e, out, &(struct err){ "" });
}

/* "i%n", which may be a remainder as well as Fortran's field. */
static bool is_remainder(const struct eval *ev, const struct expr *e, struct values *out)
{
	size_t n = e->end - e->from, at = 0;
	struct expr *other = NULL;
	char *text = NULL;
	bool is = false;

	while (at < n && e->source[e->from + at] != '%')
		at++;
	if (e->nsub || e->inside || at == n ||
	    memchr(e->source + e->from + at + 1, '%', n - at - 1))
		return false;
	if (asprintf(&text, "%.*s %% %.*s", (int)at, e->source + e->from, (int)(n - at - 1),
		     e->source + e->from + at + 1) >= 0)
		other = expr_parse(text, &(struct err){ "" });
	if (other && other->kind == EXPR_BINARY) {
		const struct eval one = { ev->who, ev->scope, &(struct err){ "" } };

		values_clear(out);
		is = !expr_eval_part(&one, other, out);
	}
	expr_destroy(other);
	free(text);
	return is;
}

static int eval_name(const struct eval *ev, const struct expr *e, struct values *out)
{
	struct section sec;
	int rc = expr_call_parts(ev, e, out);

	if (rc <= 0)
		return rc;
	if (expr_calls_program(ev, e))
		return expr_call_program(ev, e, "", out);
	if (expr_eval_section(ev, e, &sec)) {
		if (call_member(ev, e, out) <= 0)
			return out->n ? 0 : -1;
		return ev->err && ev->err->code == ERR_INDEX && by_each_rank(ev, e, out)
			       ? found_otherwise(ev)
			       : -1;
	}
	rc = ev->scope->resolve(ev->scope->arg, e->name, e->nsub ? &sec : NULL, out, ev->err);
	section_clear(&sec);
	if (rc && call_member(ev, e, out) <= 0)
		rc = out->n ? 0 : -1;
	if (rc && is_remainder(ev, e, out))
		return found_otherwise(ev);
	if (rc)
		return at_column(e, ev->err);
	if (!out->n)
		return err_set(ev->err, "no rank has a value of %s", e->name);
	return values_collapse(out) ? no_memory(ev->err) : 0;
}

static int check_operand(const struct expr *e, const struct values *q, struct err *err)
{
	if (q->type != VALUE_STRUCT)
		return 0;
	return err_set(err, "column %zu: %s is a structure: choose a field, as in %s.x",
		       e->column + 1, e->kind == EXPR_NAME ? e->name : "this",
		       e->kind == EXPR_NAME ? e->name : "p");
}

int expr_no_pointer(const struct expr *e, const struct values *q, struct err *err)
{
	const char *text = e->source ? e->source + e->from : e->name;
	int n = e->source ? (int)(e->end - e->from) : text ? (int)strlen(text) : 0;

	if (q->type != VALUE_POINTER)
		return 0;
	return err_set(
		err,
		"column %zu: %.*s is a pointer, and its length is not known: say of how many "
		"elements, as in %.*s[0:9] or %.*s@10",
		e->column + 1, n, text, n, text, n, text);
}

/* What is computed with numbers, which addresses are not. */
static bool is_numeric(const struct expr *e)
{
	const char *op = e->op;

	return !strcmp(op, "*") || !strcmp(op, "/") || !strcmp(op, "**") ||
	       (!e->b && !strcmp(op, "-")) || (isalpha((unsigned char)*op) && strcmp(op, "merge"));
}

int expr_shape(const struct expr *e, const struct values *a, const struct values *b,
	       struct values *out, struct err *err)
{
	const struct values *shape = a->ndim ? a : b;

	if (check_operand(e->a, a, err) || (e->b && check_operand(e->b, b, err)))
		return -1;
	if (is_numeric(e) &&
	    (expr_no_pointer(e->a, a, err) || (e->b && expr_no_pointer(e->b, b, err))))
		return -1;
	if (a->ndim && b->ndim) {
		bool same = a->ndim == b->ndim;

		for (unsigned d = 0; same && d < a->ndim; d++)
			if (a->count[d] != b->count[d])
				return err_set(err,
					       "column %zu: \"%s\" needs equal shapes: dimension "
					       "%u has %" PRIu64 " and %" PRIu64 " elements",
					       e->column + 1, e->op, d + 1, a->count[d],
					       b->count[d]);
		if (!same)
			return err_set(err,
				       "column %zu: \"%s\" needs equal shapes: these have %u and "
				       "%u dimensions",
				       e->column + 1, e->op, a->ndim, b->ndim);
	}
	out->type = value_result_type(e->op, a->type, b->type);
	out->elem_size = (uint32_t)value_size(out->type);
	values_like(out, shape);
	return 0;
}

/* volatile: gcc 12 drops two neighbouring conversions there and back when it vectorises them. */
static double to_single(double x)
{
	volatile float single = (float)x;

	return (double)single;
}

/* One element: the result is rounded to single where the type of the result is. */
static int apply_one(const struct expr *e, const struct value *x, const struct value *y,
		     unsigned type, unsigned char *to, struct err *err)
{
	struct value v;

	if (value_apply(e->op, x, y, &v, err))
		return -1;
	if (type == VALUE_FLOAT || type == VALUE_FCOMPLEX) {
		v.re = to_single(v.re);
		v.im = to_single(v.im);
	}
	return value_store(type, to, &v, err);
}

/* Of doubles that follow one another, two at a time. */
static void absolute(const double *x, double *to, uint64_t n)
{
	typedef int64_t words __attribute__((vector_size(16)));
	const words no_sign = { INT64_MAX, INT64_MAX };
	uint64_t i = 0;
	words v;

	for (; i + 2 <= n; i += 2) {
		memcpy(&v, x + i, sizeof(v));
		v &= no_sign;
		memcpy(to + i, &v, sizeof(v));
	}
	for (; i < n; i++)
		to[i] = fabs(x[i]);
}

/* The commonest operators on doubles; an operand of one number has a step of 0. False: it is none
 * of them. */
static bool apply_doubles(const char *op, const double *x, const double *y, const size_t *step,
			  double *to, uint64_t n)
{
	if (!y && strcmp(op, "abs"))
		return false;
	if (y && (op[1] || !strchr("+-*/", *op)))
		return false;
	if (!y && step[0] == 1) {
		absolute(x, to, n);
		return true;
	}
	for (uint64_t i = 0; !y && i < n; i++)
		to[i] = fabs(x[i * step[0]]);
	if (!y)
		return true;
	switch (*op) {
	case '+':
		for (uint64_t i = 0; i < n; i++)
			to[i] = x[i * step[0]] + y[i * step[1]];
		break;
	case '-':
		for (uint64_t i = 0; i < n; i++)
			to[i] = x[i * step[0]] - y[i * step[1]];
		break;
	case '*':
		for (uint64_t i = 0; i < n; i++)
			to[i] = x[i * step[0]] * y[i * step[1]];
		break;
	default:
		for (uint64_t i = 0; i < n; i++)
			to[i] = x[i * step[0]] / y[i * step[1]];
	}
	return true;
}

/* The same for a piece, when it is of doubles alone. */
static bool apply_fast(const struct expr *e, const struct values *a, const struct values *b,
		       const struct values_piece *piece, const struct values *out,
		       unsigned char *bytes, uint64_t total)
{
	const size_t step[2] = { a->ndim > 0, b && b->ndim > 0 };

	if (out->type != VALUE_DOUBLE || a->type != VALUE_DOUBLE || (b && b->type != VALUE_DOUBLE))
		return false;
	return apply_doubles(e->op, (const double *)(const void *)a->group[piece->i].bytes,
			     b ? (const double *)(const void *)b->group[piece->j].bytes : NULL,
			     step, (double *)(void *)bytes, total);
}

/* Computes the group of one piece and adds it to out. b NULL: unary. */
static int apply_piece(const struct expr *e, const struct values *a, const struct values *b,
		       const struct values_piece *piece, struct values *out, struct err *err)
{
	uint64_t total = values_total(out), size;
	unsigned char *bytes;
	struct value x, y;
	char ranks[64];
	int rc = 0;

	if (__builtin_mul_overflow(total, (uint64_t)out->elem_size, &size))
		return no_memory(err);
	bytes = malloc(size ? size : 1);
	if (!bytes)
		return no_memory(err);
	if (apply_fast(e, a, b, piece, out, bytes, total))
		total = 0;
	for (uint64_t i = 0; !rc && i < total; i++) {
		x = values_value(a, piece->i, a->ndim ? i : 0);
		if (b)
			y = values_value(b, piece->j, b->ndim ? i : 0);
		rc = apply_one(e, &x, b ? &y : NULL, out->type, bytes + i * out->elem_size, err);
	}
	if (rc)
		err_prefix(err, "column %zu: %s", e->column + 1,
			   rankset_format(&piece->ranks, ranks, sizeof ranks));
	else
		return values_adopt(out, &piece->ranks, bytes) ? no_memory(err) : 0;
	free(bytes);
	return rc;
}

static int apply_pieces(const struct expr *e, const struct values *a, const struct values *b,
			const struct values_piece *piece, size_t n, struct values *out,
			struct err *err)
{
	int rc = 0;

	for (size_t k = 0; !rc && k < n; k++)
		rc = apply_piece(e, a, b, &piece[k], out, err);
	return rc;
}

static bool is_unsigned(const struct values *q)
{
	return q->type != VALUE_POINTER && value_class(q->type) == VALUE_IS_UINT;
}

/* The same as unsigned numbers, which may have room where those with a sign have none; with what
 * was wrong before when they have not. */
static int apply_unsigned(const struct expr *e, const struct values *a, const struct values *b,
			  const struct values_piece *piece, size_t n, struct values *out)
{
	struct err none = { "" };

	values_clear(out);
	if (expr_shape(e, a, b ? b : a, out, &none))
		return -1;
	out->type = VALUE_ULONG;
	return apply_pieces(e, a, b, piece, n, out, &none);
}

/* "~": all bits of the promoted type, as C has it, are the other ones. */
static int complement(const struct eval *ev, const struct expr *e, const struct values *a,
		      struct values *out)
{
	bool is32 = a->type == VALUE_UINT, is64 = a->type == VALUE_ULONG;
	struct values mask = { .type = is32 || is64 ? VALUE_ULONG : VALUE_LONG, .elem_size = 8 };
	struct expr step = { .kind = EXPR_BINARY, .column = e->column, .op = "^" };
	enum value_class class = value_class(a->type);
	uint64_t bits = is32 ? UINT32_MAX : UINT64_MAX;
	int rc = 0;

	if (a->type != VALUE_STRUCT && (class == VALUE_IS_REAL || class == VALUE_IS_COMPLEX))
		return err_set(ev->err, "column %zu: \"~\" needs whole numbers, this is of type %s",
			       e->column + 1, value_type_name(a->type));
	for (size_t i = 0; !rc && i < a->n; i++)
		rc = values_add(&mask, &a->group[i].ranks, &bits) ? no_memory(ev->err) : 0;
	step.a = step.b = e->a;
	rc = rc ? rc : expr_apply(ev, &step, a, &mask, out);
	values_clear(&mask);
	return rc;
}

int expr_apply(const struct eval *ev, const struct expr *e, const struct values *a,
	       const struct values *b, struct values *out)
{
	struct values_piece *piece;
	size_t n;
	int rc = 0;

	if (!b && !strcmp(e->op, "~"))
		return complement(ev, e, a, out);
	if (expr_shape(e, a, b ? b : a, out, ev->err))
		return -1;
	if (values_refine(a, b ? b : a, &piece, &n))
		return no_memory(ev->err);
	if (!n)
		rc = err_set(ev->err, "column %zu: no rank has both operands of \"%s\"",
			     e->column + 1, e->op);
	rc = rc ? rc : apply_pieces(e, a, b, piece, n, out, ev->err);
	if (rc && n && out->type == VALUE_LONG && *e->op != '(' &&
	    (is_unsigned(a) || (b && is_unsigned(b))))
		rc = apply_unsigned(e, a, b, piece, n, out);
	values_pieces_free(piece, n);
	if (!rc && values_collapse(out))
		rc = no_memory(ev->err);
	return rc;
}

/* The left side of && or || alone gives the result. */
static bool decides(const struct expr *e, const struct values *a)
{
	struct value v;

	if (a->n != 1 || a->ndim || a->type == VALUE_STRUCT)
		return false;
	v = values_value(a, 0, 0);
	return value_truth(&v) ? !strcmp(e->op, "||") : !strcmp(e->op, "&&");
}

static bool is_sum(const struct eval *ev, const struct expr *e)
{
	return ev->scope->typed && e->kind == EXPR_BINARY && !e->op[1] && strchr("+-", *e->op);
}

/* Pointers move by what they point to, which the program knows. */
static bool moves_pointer(const struct eval *ev, const struct expr *e, const struct values *a,
			  const struct values *b)
{
	return is_sum(ev, e) && (a->type == VALUE_POINTER || b->type == VALUE_POINTER);
}

/* What has no numbers may have an address: an array of structures. */
static bool is_pointer_sum(const struct eval *ev, const struct expr *e, struct values *out)
{
	values_clear(out);
	return (e->a->kind == EXPR_TYPED || e->b->kind == EXPR_TYPED || e->a->kind == EXPR_NAME ||
		e->b->kind == EXPR_NAME) &&
	       ev->err->code != ERR_NAME && ev->err->code != ERR_FIELD &&
	       !ev->scope->typed(ev->scope->arg, e, out, &(struct err){ "" });
}

/* A variable that has no numbers to compute with may have some as the type that it is cast to. */
static bool is_cast_only(const struct eval *ev, const struct expr *e, struct values *out)
{
	bool (*known)(void *, const char *) = ev->scope->registered;

	values_clear(out);
	if (e->kind != EXPR_UNARY || *e->op != '(' || !ev->scope->typed ||
	    ev->err->code == ERR_NAME || e->a->spelling == '(')
		return false;
	if (e->a->kind != EXPR_TYPED &&
	    (e->a->kind != EXPR_NAME || (known && known(ev->scope->arg, e->a->name))))
		return false;
	return !ev->scope->typed(ev->scope->arg, e, out, &(struct err){ "" });
}

bool expr_as_cast(const struct expr *e, struct expr *cast, struct expr *operand)
{
	const struct expr *type = e->a;

	/* what binds tighter than the sign is not cast with it: (whole)-x*2 */
	if (e->kind != EXPR_BINARY || e->op[1] || !strchr("*-+", *e->op) ||
	    type->kind != EXPR_NAME || !type->bracketed || type->nsub || type->inside ||
	    strpbrk(type->name, ".-@[#*&$") || (e->b->kind == EXPR_BINARY && !e->b->bracketed))
		return false;
	*operand = (struct expr){ .kind = *e->op == '*' ? EXPR_TYPED : EXPR_UNARY,
				  .column = e->column,
				  .source = e->source,
				  .from = e->column,
				  .end = e->end,
				  .op = e->op,
				  .a = e->b };
	*cast = (struct expr){ .kind = EXPR_TYPED,
			       .column = e->a->from,
			       .source = e->source,
			       .from = e->from,
			       .end = e->end,
			       .op = "cast",
			       .name = type->name,
			       .a = operand };
	return true;
}

/* Where there is no such object ranks may have a type of that name. */
static bool is_cast(const struct eval *ev, const struct expr *e, struct values *out)
{
	struct expr cast, operand;

	values_clear(out);
	return ev->scope->typed && ev->err && ev->err->code == ERR_NAME &&
	       expr_as_cast(e, &cast, &operand) &&
	       !ev->scope->typed(ev->scope->arg, e, out, &(struct err){ "" });
}

/* "(real)*p" is read as a product: where there is no such object it may be meant as a cast. */
static void propose_cast(const struct eval *ev, const struct expr *e)
{
	const struct expr *type = e->a, *of = e->b;

	/* the sign is of what stands behind it, whatever follows */
	while (of && of->kind == EXPR_BINARY && !of->bracketed)
		of = of->a;

	if (e->kind != EXPR_BINARY || type->kind != EXPR_NAME || !type->bracketed || type->nsub ||
	    !ev->scope->typed || !ev->err || ev->err->code != ERR_NAME || !strchr("*-+&", *e->op) ||
	    e->op[1])
		return;
	err_set_code(ev->err, ERR_NAME,
		     "column %zu: there is no object '%s'; when it is a type, type (%s)(%s%.*s)",
		     type->column + 1, type->name, type->name, e->op, (int)(of->end - of->from),
		     of->source + of->from);
}

/* "c ? a : b": of one condition only what it chooses is evaluated, as in C. */
static int eval_choice(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct expr *const of[] = { e->b->a, e->b->b, e->a };
	struct values c = { 0 };
	struct value v;
	int rc = expr_eval_part(ev, e->a, &c);

	if (rc)
		return -1;
	if (c.n != 1 || c.ndim || c.type == VALUE_STRUCT) {
		rc = expr_choose(ev, e, of, &c, out);
		if (rc && by_each_rank(ev, e, out))
			rc = found_otherwise(ev);
	} else {
		v = values_value(&c, 0, 0);
		rc = expr_eval_part(ev, of[value_truth(&v) ? 0 : 1], out);
	}
	values_clear(&c);
	return rc;
}

static bool is_logic(const struct expr *e)
{
	return !strcmp(e->op, "&&") || !strcmp(e->op, "||");
}

/* An address is not compared with each element of an array. */
static int check_pointers(const struct expr *e, const struct values *a, const struct values *b,
			  struct err *err)
{
	bool left = a->type == VALUE_POINTER && !a->ndim && b->ndim,
	     right = b->type == VALUE_POINTER && !b->ndim && a->ndim;
	const struct expr *array = left ? e->b : e->a;

	if (!(left && b->type != VALUE_POINTER) && !(right && a->type != VALUE_POINTER))
		return 0;
	return err_set(
		err,
		"column %zu: one is a pointer, the other one has elements: take its address, "
		"as in &%s",
		e->column + 1, array->kind == EXPR_NAME ? array->name : "u[0]");
}

static int eval_operator(const struct eval *ev, const struct expr *e, struct values *out)
{
	struct values a = { 0 }, b = { 0 };
	bool called = e->kind == EXPR_UNARY && *e->op == '(' && expr_calls_program(ev, e->a);
	int rc = called ? expr_call_program(ev, e->a, e->op, &a) : expr_eval_part(ev, e->a, &a);

	if (rc && is_cast(ev, e, out))
		return found_otherwise(ev);
	if (rc)
		propose_cast(ev, e);
	if (!rc && e->kind == EXPR_UNARY) {
		rc = expr_apply(ev, e, &a, NULL, out);
	} else if (!rc && decides(e, &a)) {
		/* applied to itself, it gives its own truth */
		rc = expr_apply(ev, e, &a, &a, out);
	} else if (!rc) {
		rc = expr_eval_part(ev, e->b, &b);
		rc = rc ? rc : check_pointers(e, &a, &b, ev->err);
		if (!rc && moves_pointer(ev, e, &a, &b))
			rc = ev->scope->typed(ev->scope->arg, e, out, ev->err);
		else if (!rc)
			rc = expr_apply(ev, e, &a, &b, out);
	}
	values_clear(&a);
	values_clear(&b);
	if (rc && (is_cast_only(ev, e, out) || (is_logic(e) && by_each_rank(ev, e, out))))
		return found_otherwise(ev);
	return rc && is_sum(ev, e) && is_pointer_sum(ev, e, out) ? found_otherwise(ev) : rc;
}

int expr_typed(const struct eval *ev, const struct expr *e, struct values *out)
{
	int rc = expr_call_parts(ev, e, out);

	if (rc <= 0)
		return rc;
	if (!ev->scope->typed)
		return err_set(
			ev->err,
			"column %zu: types and addresses are known of variables of a program "
			"alone",
			e->column + 1);
	if (ev->scope->typed(ev->scope->arg, e, out, ev->err))
		return -1;
	return values_collapse(out) ? no_memory(ev->err) : 0;
}

/* Subscripts of the field of each structure of an array: the text alone says so. */
static bool is_of_fields(const struct eval *ev, const struct expr *e)
{
	const struct expr_scope *s = ev->scope;

	return e->kind == EXPR_NAME && e->late && s->typed &&
	       !(s->registered && s->registered(s->arg, e->name)) &&
	       (!s->known || s->known(s->arg, e->name));
}

int expr_eval_part(const struct eval *ev, const struct expr *e, struct values *out)
{
	int rc;

	*out = (struct values){ 0 };
	if (e->kind == EXPR_NUMBER)
		rc = eval_number(ev, e, out);
	else if (expr_calls(ev, e))
		rc = expr_call(ev, e, out);
	else if (is_of_fields(ev, e))
		rc = expr_typed(ev, e, out);
	else if (e->kind == EXPR_NAME)
		rc = eval_name(ev, e, out);
	else if (e->kind == EXPR_TYPED)
		rc = expr_typed(ev, e, out);
	else if (e->kind == EXPR_TEXT)
		rc = eval_text(ev, e, out);
	else if (*e->op == '?')
		rc = eval_choice(ev, e, out);
	else if (expr_compares_text(e))
		rc = expr_compare_text(ev, e, out);
	else
		rc = eval_operator(ev, e, out);
	if (rc)
		values_clear(out);
	return rc;
}

int expr_eval(const struct expr *e, const struct rankset *who, const struct expr_scope *scope,
	      struct values *out, struct err *err)
{
	struct rank_run zero = { 0, 0 };
	struct rankset first = { .run = &zero, .n = 1, .cap = 1 };
	struct eval ev = { rankset_count(who) ? who : &first, scope, err };

	return expr_eval_part(&ev, e, out);
}

int expr_section(const struct expr *name, const struct rankset *who, const struct expr_scope *scope,
		 struct section *out, struct err *err)
{
	struct rank_run zero = { 0, 0 };
	struct rankset first = { .run = &zero, .n = 1, .cap = 1 };
	struct eval ev = { rankset_count(who) ? who : &first, scope, err };

	return expr_eval_section(&ev, name, out);
}
