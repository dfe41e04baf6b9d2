/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions in expressions: of all elements of an array, or element by element.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/expr/internal.h"

#define MANY ARRAY_DIMS

/* How a function comes to its value. */
enum way {
	REDUCES,  /* all elements of its one argument become `what` */
	ELEMENTS, /* op of value_apply, element by element */
	EITHER,	  /* the first with one argument, the second with more */
	CHOOSES,  /* merge(a, b, mask) */
	MEASURES, /* sizeof(a) */
	CONVERTS, /* real(a, kind): Fortran's kinds are bytes of a part */
	BOUNDS,	  /* size(a, dim), lbound, ubound */
	LENGTHS,  /* len(name), len_trim */
};

struct function {
	const char *name;
	enum way way;
	unsigned least, most; /* arguments */
	enum reduce what;
	const char *op;
};

static const struct function functions[] = {
	{ "sum", REDUCES, 1, 2, REDUCE_SUM, NULL },
	{ "min", EITHER, 1, MANY, REDUCE_LEAST, "min" },
	{ "max", EITHER, 1, MANY, REDUCE_MOST, "max" },
	{ "minval", REDUCES, 1, 2, REDUCE_LEAST, NULL },
	{ "maxval", REDUCES, 1, 2, REDUCE_MOST, NULL },
	{ "mean", REDUCES, 1, 2, REDUCE_MEAN, NULL },
	{ "norm", REDUCES, 1, 2, REDUCE_NORM, NULL },
	{ "norm2", REDUCES, 1, 2, REDUCE_NORM, NULL },
	{ "count", REDUCES, 1, 1, REDUCE_COUNT, NULL },
	{ "any", REDUCES, 1, 1, REDUCE_ANY, NULL },
	{ "all", REDUCES, 1, 1, REDUCE_ALL, NULL },
	{ "minloc", REDUCES, 1, 1, REDUCE_LEAST_AT, NULL },
	{ "maxloc", REDUCES, 1, 1, REDUCE_MOST_AT, NULL },
	{ "merge", CHOOSES, 3, 3, 0, NULL },
	{ "abs", ELEMENTS, 1, 1, 0, "abs" },
	{ "sqrt", ELEMENTS, 1, 1, 0, "sqrt" },
	{ "exp", ELEMENTS, 1, 1, 0, "exp" },
	{ "log", ELEMENTS, 1, 1, 0, "log" },
	{ "log10", ELEMENTS, 1, 1, 0, "log10" },
	{ "sin", ELEMENTS, 1, 1, 0, "sin" },
	{ "cos", ELEMENTS, 1, 1, 0, "cos" },
	{ "tan", ELEMENTS, 1, 1, 0, "tan" },
	{ "asin", ELEMENTS, 1, 1, 0, "asin" },
	{ "acos", ELEMENTS, 1, 1, 0, "acos" },
	{ "atan", ELEMENTS, 1, 1, 0, "atan" },
	{ "atan2", ELEMENTS, 2, 2, 0, "atan2" },
	{ "sinh", ELEMENTS, 1, 1, 0, "sinh" },
	{ "cosh", ELEMENTS, 1, 1, 0, "cosh" },
	{ "tanh", ELEMENTS, 1, 1, 0, "tanh" },
	{ "fabs", ELEMENTS, 1, 1, 0, "abs" },
	{ "sign", ELEMENTS, 2, 2, 0, "sign" },
	{ "nint", ELEMENTS, 1, 1, 0, "nint" },
	{ "isnan", ELEMENTS, 1, 1, 0, "isnan" },
	{ "isinf", ELEMENTS, 1, 1, 0, "isinf" },
	{ "mod", ELEMENTS, 2, 2, 0, "mod" },
	{ "iand", ELEMENTS, 2, 2, 0, "&" },
	{ "ior", ELEMENTS, 2, 2, 0, "|" },
	{ "ieor", ELEMENTS, 2, 2, 0, "^" },
	{ "not", ELEMENTS, 1, 1, 0, "~" },
	{ "shiftl", ELEMENTS, 2, 2, 0, "<<" },
	{ "shifta", ELEMENTS, 2, 2, 0, ">>" },
	{ "int", CONVERTS, 1, 2, 0, "int" },
	{ "real", CONVERTS, 1, 2, 0, "real" },
	{ "dble", ELEMENTS, 1, 1, 0, "(double)" },
	{ "cmplx", CONVERTS, 1, 3, 0, "cmplx" },
	{ "aimag", ELEMENTS, 1, 1, 0, "aimag" },
	{ "sizeof", MEASURES, 1, 1, 0, NULL },
	{ "size", BOUNDS, 1, 2, 0, NULL },
	{ "lbound", BOUNDS, 1, 2, 0, NULL },
	{ "ubound", BOUNDS, 1, 2, 0, NULL },
	{ "len", LENGTHS, 1, 1, 0, NULL },
	{ "len_trim", LENGTHS, 1, 1, 0, NULL },
};

const char *expr_functions(void)
{
	return "sum min max minval maxval mean norm norm2 count any all minloc maxloc merge abs "
	       "fabs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh sign nint "
	       "isnan isinf mod iand ior ieor not shiftl shifta int real dble cmplx aimag sizeof "
	       "size lbound ubound len len_trim";
}

bool expr_function_named(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcasecmp(functions[i].name, name))
			return true;
	return false;
}

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

static bool is_reduction(const struct expr *e)
{
	const struct function *f = function_of(e);

	return f && (f->way == REDUCES || (f->way == EITHER && e->nsub == 1));
}

/* Whether it holds for e or for something in it. */
static bool has(const struct expr *e, bool (*is)(const struct expr *e))
{
	if (!e)
		return false;
	if (is(e) || has(e->a, is) || has(e->b, is))
		return true;
	for (size_t i = 0; i < e->nsub; i++) {
		const struct expr_subscript *s = &e->sub[i];

		for (size_t k = 0; k < s->nvector; k++)
			if (has(s->vector[k], is))
				return true;
		if (has(s->first, is) || has(s->last, is) || has(s->step, is))
			return true;
	}
	return false;
}

bool expr_has_call(const struct expr *e)
{
	return has(e, expr_is_call);
}

bool expr_has_reduction(const struct expr *e)
{
	return has(e, is_reduction);
}

static bool is_of_session(const struct expr *e)
{
	return e->kind == EXPR_TYPED ||
	       (e->kind == EXPR_NAME && (strchr(e->name, '[') || (e->inside && !expr_is_call(e))));
}

bool expr_needs_session(const struct expr *e)
{
	return has(e, is_of_session);
}

static bool is_program_call(const struct expr *e)
{
	return e->kind == EXPR_NAME && e->behind && !expr_is_call(e);
}

const struct expr *expr_toward_call(const struct expr *e)
{
	const struct function *f = function_of(e);

	if (e->kind == EXPR_TYPED && *e->op != '&')
		return e->a;
	if (f && f->way == MEASURES && e->nsub == 1)
		return e->sub[0].first;
	if (e->kind != EXPR_BINARY || e->op[1] || !strchr("+-", *e->op))
		return NULL;
	return has(e->a, is_program_call) ? e->a : e->b;
}

const struct expr *expr_call_within(const struct expr *e, char **name)
{
	const struct expr *in = e, *next = e->kind == EXPR_BINARY ? NULL : expr_toward_call(e);
	size_t n;

	*name = NULL;
	for (; next; next = expr_toward_call(in))
		in = next;
	if (in->kind != EXPR_NAME || !in->behind)
		return NULL;
	n = strcspn(in->name, ".-");
	if (in == e && !in->name[n] && in->nsub == in->narguments)
		return NULL;
	*name = strndup(in->name, n);
	if (*name && (strpbrk(*name, "*&#@[") || expr_function_named(*name))) {
		free(*name);
		*name = NULL;
	}
	return *name ? in : NULL;
}

int expr_no_function(const struct eval *ev, const struct expr *e)
{
	if (expr_function_named(e->name))
		return err_set_code(
			ev->err, ERR_NAME,
			"column %zu: there is no object '%.100s', and the function takes no ranges",
			e->column + 1, e->name);
	return err_set_code(
		ev->err, ERR_NAME,
		"column %zu: there is no object and no function '%.100s'; functions are: %s",
		e->column + 1, e->name, expr_functions());
}

bool expr_calls_program(const struct eval *ev, const struct expr *e)
{
	struct expr_name n;

	return e->kind == EXPR_NAME && e->spelling == '(' && !expr_calls(ev, e) &&
	       !expr_name_split(e->name, &n) && !*n.fields && !n.nqualifier && n.process < 0 &&
	       n.frame < 0 && ev->scope->known && !ev->scope->known(ev->scope->arg, e->name);
}

int expr_call_program(const struct eval *ev, const struct expr *e, const char *cast,
		      struct values *out)
{
	int rc = ev->scope->call && !expr_function_named(e->name) && e->inside
			 ? ev->scope->call(ev->scope->arg, e, cast, out, ev->err)
			 : 1;

	if (rc > 0)
		return expr_no_function(ev, e);
	if (rc)
		return err_prefix(ev->err, "column %zu", e->column + 1);
	return values_collapse(out) ? err_set(ev->err, "out of memory") : 0;
}

int expr_call_parts(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct expr_scope *scope = ev->scope;
	char *name;
	int rc = 1;

	if (scope->call && scope->known && expr_call_within(e, &name)) {
		if (!scope->known(scope->arg, name))
			rc = scope->call(scope->arg, e, "", out, ev->err);
		free(name);
	}
	if (rc < 0)
		return err_prefix(ev->err, "column %zu", e->column + 1);
	return !rc && values_collapse(out) ? err_set(ev->err, "out of memory") : rc;
}

bool expr_calls(const struct eval *ev, const struct expr *e)
{
	return expr_is_call(e) && !(ev->scope->known && ev->scope->known(ev->scope->arg, e->name));
}

/* All elements of the one argument. */
static int reduce(const struct eval *ev, const struct expr *e, enum reduce what, struct values *out)
{
	const struct expr *of = e->sub[0].first;
	struct values q = { 0 };
	uint64_t left_out = 0;
	int rc = 1;

	if (ev->scope->reduce && of->kind != EXPR_NUMBER && !expr_has_reduction(of))
		rc = ev->scope->reduce(ev->scope->arg, what, of, e->inside, out, ev->err);
	if (rc > 0) {
		rc = expr_eval_part(ev, of, &q);
		if (!rc && !q.ndim)
			rc = expr_no_pointer(of, &q, ev->err);
		if (!rc && reduce_quantity(what, &q, out, &left_out, ev->err))
			rc = err_prefix(ev->err, "column %zu", e->column + 1);
		if (!rc && left_out && ev->scope->left_out)
			ev->scope->left_out(ev->scope->arg, what, of, left_out);
		values_clear(&q);
	}
	return !rc && values_collapse(out) ? err_set(ev->err, "out of memory") : rc;
}

/* The elements of one group where the mask is true, as a row; then what they become. */
static int reduce_piece(const struct values *a, const struct values *mask,
			const struct values_piece *piece, enum reduce what, struct values *out,
			uint64_t *left_out, struct err *err)
{
	uint64_t total = values_total(a), n = 0, more = 0;
	unsigned char *bytes = malloc(total * a->elem_size + 1);
	struct values row = { .type = a->type, .elem_size = a->elem_size, .ndim = 1 }, one = { 0 };
	int rc = 0;

	for (uint64_t i = 0; bytes && i < total; i++) {
		struct value m = values_value(mask, piece->j, mask->ndim ? i : 0);

		if (value_truth(&m))
			memcpy(bytes + n++ * a->elem_size,
			       a->group[piece->i].bytes + i * a->elem_size, a->elem_size);
	}
	row.count[0] = n;
	if (!bytes || values_add(&row, &piece->ranks, bytes))
		rc = err_set(err, "out of memory");
	if (!rc)
		rc = reduce_quantity(what, &row, &one, &more, err);
	if (!rc) {
		out->type = one.type;
		out->elem_size = one.elem_size;
		*left_out += more;
		if (values_add(out, &piece->ranks, one.group[0].bytes))
			rc = err_set(err, "out of memory");
	}
	values_clear(&row);
	values_clear(&one);
	free(bytes);
	return rc;
}

/* sum(a, mask) */
static int reduce_masked(const struct eval *ev, const struct expr *e, const struct function *f,
			 struct values *out)
{
	const struct expr *of = e->sub[0].first;
	struct expr step = { .kind = EXPR_BINARY,
			     .column = e->column,
			     .op = f->name,
			     .a = e->sub[0].first,
			     .b = e->sub[1].first };
	struct values a = { 0 }, mask = { 0 }, shape = { 0 };
	struct values_piece *piece = NULL;
	uint64_t left_out = 0;
	size_t n = 0;
	int rc = expr_eval_part(ev, of, &a) || expr_eval_part(ev, step.b, &mask) ? -1 : 0;

	if (!rc && (mask.type != VALUE_BOOL || (mask.ndim && !a.ndim)))
		rc = err_set(ev->err,
			     "column %zu: behind the array %s takes a mask, as in %s(u, u > 0); for "
			     "one dimension give a section",
			     step.b->column + 1, f->name, f->name);
	rc = rc ? rc : expr_shape(&step, &a, &mask, &shape, ev->err);
	if (!rc && values_refine(&a, &mask, &piece, &n))
		rc = err_set(ev->err, "out of memory");
	for (size_t k = 0; !rc && k < n; k++)
		if (reduce_piece(&a, &mask, &piece[k], f->what, out, &left_out, ev->err))
			rc = err_prefix(ev->err, "column %zu", e->column + 1);
	if (!rc && left_out && ev->scope->left_out)
		ev->scope->left_out(ev->scope->arg, f->what, of, left_out);
	if (!rc && values_collapse(out))
		rc = err_set(ev->err, "out of memory");
	values_pieces_free(piece, n);
	values_clear(&a);
	values_clear(&mask);
	return rc;
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

/* a where the mask is true, else b: computed as a * mask would be, but for what is chosen. */
struct choice {
	const struct values *a, *b, *mask;
	const struct values_piece *ab, *m; /* of a and b, and of these and the mask */
};

static int choose_piece(const struct choice *x, struct values *out, struct err *err)
{
	uint64_t total = values_total(out);
	unsigned char *bytes = calloc(total + 1, out->elem_size);
	int rc = 0;

	if (!bytes)
		return err_set(err, "out of memory");
	for (uint64_t i = 0; !rc && i < total; i++) {
		struct value m = values_value(x->mask, x->m->j, x->mask->ndim ? i : 0), v;

		if (value_truth(&m))
			v = values_value(x->a, x->ab->i, x->a->ndim ? i : 0);
		else
			v = values_value(x->b, x->ab->j, x->b->ndim ? i : 0);
		rc = value_store(out->type, bytes + i * out->elem_size, &v, err);
	}
	if (!rc && values_add(out, &x->m->ranks, bytes))
		rc = err_set(err, "out of memory");
	free(bytes);
	return rc;
}

/* The groups of a and b, each of which has its number as its value. */
static int number_pieces(const struct values_piece *piece, size_t n, struct values *out)
{
	*out = (struct values){ .type = VALUE_ULONG, .elem_size = 8 };
	for (size_t k = 0; k < n; k++)
		if (values_add(out, &piece[k].ranks, &(uint64_t){ k }))
			return -1;
	return 0;
}

static int choose_pieces(const struct eval *ev, struct choice *x, struct values *out)
{
	struct values_piece *ab = NULL, *m = NULL;
	struct values number = { 0 };
	size_t nab = 0, nm = 0;
	int rc = values_refine(x->a, x->b, &ab, &nab) || number_pieces(ab, nab, &number) ||
				 values_refine(&number, x->mask, &m, &nm)
			 ? err_set(ev->err, "out of memory")
			 : 0;

	for (size_t k = 0; !rc && k < nm; k++) {
		x->ab = &ab[m[k].i];
		x->m = &m[k];
		rc = choose_piece(x, out, ev->err);
	}
	values_pieces_free(ab, nab);
	values_pieces_free(m, nm);
	values_clear(&number);
	return !rc && !out->n ? err_set(ev->err, "no rank has all three operands") : rc;
}

int expr_choose(const struct eval *ev, const struct expr *e, const struct expr *const of[3],
		const struct values *mask, struct values *out)
{
	struct expr step = { .kind = EXPR_BINARY,
			     .column = e->column,
			     .op = e->op ? "?:" : "merge",
			     .a = (struct expr *)of[0],
			     .b = (struct expr *)of[1] };
	struct values v[2] = { { 0 } }, shape = { 0 }, all = { 0 };
	struct choice x = { .a = &v[0], .b = &v[1], .mask = mask };
	int rc = 0;

	for (int i = 0; i < 2 && !rc; i++)
		rc = expr_eval_part(ev, of[i], &v[i]);
	rc = rc ? rc : expr_shape(&step, &v[0], &v[1], &shape, ev->err);
	step.a = (struct expr *)of[2];
	rc = rc ? rc : expr_shape(&step, mask, &shape, &all, ev->err);
	if (!rc) {
		values_like(out, &all);
		out->type = v[0].type == v[1].type ? v[0].type : shape.type;
		out->elem_size = (uint32_t)value_size(out->type);
		rc = choose_pieces(ev, &x, out);
	}
	if (!rc && values_collapse(out))
		rc = err_set(ev->err, "out of memory");
	for (int i = 0; i < 2; i++)
		values_clear(&v[i]);
	return rc;
}

/* merge(a, b, mask) */
static int choose(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct expr *const of[] = { e->sub[0].first, e->sub[1].first, e->sub[2].first };
	struct values mask = { 0 };
	int rc = expr_eval_part(ev, of[2], &mask);

	rc = rc ? rc : expr_choose(ev, e, of, &mask, out);
	values_clear(&mask);
	return rc;
}

/* The kind that is given last; 0: none is. */
static int kind_of(const struct eval *ev, const struct expr *of, int64_t *kind)
{
	struct values q = { 0 };
	enum value_class class;
	int rc = expr_eval_part(ev, of, &q);

	class = value_class(q.type);
	if (!rc && (q.n != 1 || q.ndim || (class != VALUE_IS_INT && class != VALUE_IS_UINT)))
		rc = -2;
	if (!rc)
		*kind = values_value(&q, 0, 0).i;
	values_clear(&q);
	return rc;
}

/* The cast for what is converted to that kind; 0: none was given. NULL: there is no such kind. */
static const char *cast_of(const char *name, unsigned from, int64_t kind)
{
	bool complex = value_class(from) == VALUE_IS_COMPLEX;

	if (*name == 'i')
		return kind == 0 || kind == 8 ? "(long)"
		       : kind == 4	      ? "(int)"
		       : kind == 2	      ? "(short)"
		       : kind == 1	      ? "(signed char)"
					      : NULL;
	/* the part of a complex number keeps its kind, all else is of default kind */
	if (!kind)
		kind = *name == 'r' && complex && from == VALUE_DCOMPLEX ? 8 : 4;
	if (kind != 4 && kind != 8)
		return NULL;
	if (*name == 'r')
		return kind == 4 ? "(float)" : "(double)";
	return kind == 4 ? "(float complex)" : "(double complex)";
}

static int convert(const struct eval *ev, const struct expr *e, const char *name,
		   struct values *out)
{
	struct expr step = { .kind = EXPR_UNARY, .column = e->column, .a = e->sub[0].first };
	size_t parts = *name == 'c' && e->nsub > 1 ? 2 : 1;
	struct expr only = *e;
	struct values a = { 0 };
	int64_t kind = 0;
	int rc = 0;

	only.nsub = parts;
	if (e->nsub > parts)
		rc = kind_of(ev, e->sub[parts].first, &kind);
	if (!rc)
		rc = parts == 2 ? by_element(ev, &only, "cmplx", &a)
				: expr_eval_part(ev, step.a, &a);
	step.op = rc || (e->nsub > parts && !kind) ? NULL : cast_of(name, a.type, kind);
	if (rc == -2 || (!rc && !step.op))
		rc = err_set(ev->err, "column %zu: a kind of %s is %s", e->column + 1, name,
			     *name == 'i' ? "1, 2, 4 or 8" : "4 or 8");
	if (!rc)
		rc = expr_apply(ev, &step, &a, NULL, out);
	values_clear(&a);
	return rc;
}

/* The program has a pointer of that name. */
static bool is_pointer(const struct eval *ev, const char *name)
{
	size_t n = strlen(name) + 3;
	char *text = malloc(n);
	struct err none = { "" };
	struct expr *e = NULL;
	struct values q = { 0 };
	bool is = false;

	if (text) {
		snprintf(text, n, "*&%s", name);
		e = expr_parse(text, &none);
	}
	if (e && ev->scope->typed && !ev->scope->typed(ev->scope->arg, e, &q, &none))
		is = q.type == VALUE_POINTER && !q.ndim;
	values_clear(&q);
	expr_destroy(e);
	free(text);
	return is;
}

/* Bytes of all elements. */
static int measure(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct expr *of = e->sub[0].first;
	bool (*known)(void *, const char *) =
		ev->scope->registered ? ev->scope->registered : ev->scope->known;
	bool ours = of->kind != EXPR_NAME || expr_is_call(of) || !ev->scope->typed ||
		    (known && known(ev->scope->arg, of->name));
	struct values q = { 0 };
	uint64_t bytes;
	int rc = expr_call_parts(ev, e, out);

	if (rc <= 0)
		return rc;
	/* of a variable or of a type */
	if (!ours || of->kind == EXPR_TYPED)
		return expr_typed(ev, e, out);
	rc = expr_eval_part(ev, of, &q);
	if (rc && of->kind == EXPR_NAME && ev->scope->typed &&
	    !ev->scope->typed(ev->scope->arg, e, out, &(struct err){ "" }))
		return 0;
	if (!rc && q.ndim && of->kind == EXPR_NAME && !of->nsub && is_pointer(ev, of->name))
		rc = err_set(ev->err,
			     "column %zu: %s is a registered array and a pointer of the program: "
			     "sizeof(%s%.*s) is of the elements, sizeof([#0]%s) of the pointer",
			     of->column + 1, of->name, of->name, 3 * (int)q.ndim,
			     "[*][*][*][*][*][*][*][*]", of->name);
	if (!rc) {
		bytes = values_total(&q) * q.elem_size;
		*out = (struct values){ .type = VALUE_ULONG, .elem_size = sizeof(bytes) };
		rc = values_add(out, ev->who, &bytes) ? err_set(ev->err, "out of memory") : 0;
	}
	values_clear(&q);
	return rc;
}

/* A bound of dimension d, or its size. */
static int64_t bound_of(const struct values *q, bool whole, const char *name, unsigned d)
{
	int64_t lower = whole && q->count[d] ? values_index(q, d, 0) : q->order == 'F';

	return *name == 's'   ? (int64_t)q->count[d]
	       : *name == 'l' ? lower
			      : lower + (int64_t)q->count[d] - 1;
}

/* size(a), lbound(a, 1): dimensions are counted from 1, as in Fortran. */
static int bounds(const struct eval *ev, const struct expr *e, const char *name, struct values *out)
{
	const struct expr *of = e->sub[0].first;
	bool whole = of->kind == EXPR_NAME && !of->nsub;
	int64_t dim = 0, list[ARRAY_DIMS];
	struct values q = { 0 };
	unsigned n = 1;
	int rc = expr_eval_part(ev, of, &q);

	if (!rc && !q.ndim)
		rc = err_set(ev->err, "column %zu: %s needs an array, and this is one number",
			     of->column + 1, name);
	if (!rc && e->nsub == 2 && (kind_of(ev, e->sub[1].first, &dim) || dim < 1 || dim > q.ndim))
		rc = err_set(ev->err, "column %zu: dimensions are 1 to %u here",
			     e->sub[1].first->column + 1, q.ndim);
	if (!rc) {
		*out = (struct values){ .type = VALUE_LONG, .elem_size = sizeof(*list) };
		if (dim)
			list[0] = bound_of(&q, whole, name, (unsigned)dim - 1);
		else if (*name == 's')
			list[0] = (int64_t)values_total(&q);
		else
			for (n = 0; n < q.ndim; n++)
				list[n] = bound_of(&q, whole, name, n);
		out->ndim = n > 1;
		out->count[0] = n;
		out->order = q.order;
		rc = values_add(out, ev->who, list) ? err_set(ev->err, "out of memory") : 0;
	}
	values_clear(&q);
	return rc;
}

int expr_call(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct function *f = function_of(e);

	if (e->nsub < f->least || e->nsub > f->most)
		return err_set(ev->err, "column %zu: %s takes %u%s argument%s, not %zu",
			       e->column + 1, f->name, f->least,
			       f->most == f->least	? ""
			       : f->most == MANY	? " or more"
			       : f->most - f->least > 1 ? " to 3"
							: " or 2",
			       f->most == 1 ? "" : "s", e->nsub);
	if (is_reduction(e) && e->nsub == 2)
		return reduce_masked(ev, e, f, out);
	if (is_reduction(e))
		return reduce(ev, e, f->what, out);
	if (f->way == MEASURES)
		return measure(ev, e, out);
	if (f->way == BOUNDS)
		return bounds(ev, e, f->name, out);
	if (f->way == LENGTHS)
		return expr_text_length(ev, e->sub[0].first, f->name[3], out);
	if (f->way == CONVERTS)
		return convert(ev, e, f->op, out);
	return f->way == CHOOSES ? choose(ev, e, out) : by_element(ev, e, f->op, out);
}
