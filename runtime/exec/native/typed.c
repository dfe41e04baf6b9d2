/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions with the types of the program: places, which have an address, pointers, which move by
 * what they point to, casts to named types and their sizes. What is left are numbers (common/expr).
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/section.h"
#include "common/array/value.h"
#include "common/array/values.h"
#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/expr/expr.h"
#include "common/protocol/msg.h"
#include "common/protocol/answer.h"

#define DEEP 100 /* operands in one another */

enum typed_kind { TYPED_NUMBER, TYPED_PLACE, TYPED_POINTER };

/* What an operand comes to; zeroed: nothing. */
struct typed {
	enum typed_kind kind;
	struct values number;
	struct elements x; /* TYPED_PLACE; of all: the call that it is of */
	struct datum to;   /* TYPED_POINTER: what it points to */
};

static int evaluate(struct typing *t, const struct expr *e, struct typed *out, struct err *err);

static void typed_clear(struct typed *v)
{
	values_clear(&v->number);
	elements_clear(&v->x);
}

void typed_end(struct typing *t)
{
	for (size_t i = 0; i < t->ntext; i++)
		free(t->text[i]);
	free(t->text);
	t->text = NULL;
	t->ntext = 0;
}

static int at(const struct expr *e, struct err *err)
{
	return err_prefix(err, "column %zu", e->column + 1);
}

/* As it is written, for errors. */
static const char *text_of(struct typing *t, const struct expr *e)
{
	char *text;

	if (e->kind == EXPR_NAME && !e->bracketed)
		return e->name;
	if (vec_more(t->text, t->ntext, 1))
		return "it";
	text = strndup(e->source + e->from, e->end - e->from);
	t->text[t->ntext++] = text;
	return text ? text : "it";
}

/* ---- numbers, as common/expr has them ---- */

static const struct rankset *one_rank(void)
{
	static struct rank_run zero = { 0, 0 };
	static const struct rankset one = { .run = &zero, .n = 1, .cap = 1 };

	return &one;
}

static int number(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	const struct expr_scope scope = typed_scope(t);

	out->kind = TYPED_NUMBER;
	if (expr_eval(e, one_rank(), &scope, &out->number, err))
		return -1;
	if (out->number.type == VALUE_STRUCT)
		return err_set(err, "column %zu: it is a structure", e->column + 1);
	return 0;
}

static int put_number(struct typed *out, unsigned type, const void *bytes, struct err *err)
{
	out->kind = TYPED_NUMBER;
	out->number = (struct values){ .type = type, .elem_size = (uint32_t)value_size(type) };
	return values_add(&out->number, one_rank(), bytes) ? err_set(err, "out of memory") : 0;
}

/* ---- names ---- */

/* What stands behind the variable: fields, subscripts, stars, "@10". after: as of elements. */
static int follow(struct elements *x, const struct expr_name *n, const char *text,
		  const struct section *s, const unsigned char *after, struct err *err)
{
	const char *many = strchr(n->fields, '@');

	x->name = text;
	x->s = s;
	x->after = after;
	x->place = true;
	if (!x->d.typed)
		return err_set(err, "the type of %s is not known", text);
	if (elements_fields(x, n->fields, err))
		return -1;
	x->early = x->ndim > 0;
	if (elements_rest(x, n->stars, many, err) ||
	    (many && elements_many(x, many + 1, n->stars, err)))
		return -1;
	if (s && x->used < s->ndim)
		return err_set(err, "%s has %u dimension%s, not %u", text, x->used,
			       x->used == 1 ? "" : "s", s->ndim);
	x->s = NULL;
	x->after = NULL;
	return 0;
}

/* A member of the object whose function it is, which goes before what is outside of it. */
static bool is_own_member(struct typing *t, const struct expr_name *n, struct datum *self)
{
	struct err none = { "" };
	struct datum member;
	Dwarf_Die die;

	if (t->f->fortran || n->nqualifier || memchr(n->word, ':', n->nword) ||
	    names_local(t->f, t->first, t->last, n->word, n->nword, &die) ||
	    !names_local(t->f, t->first, t->last, "this", 4, &die))
		return false;
	datum_of(t->f, &die, self);
	member = *self;
	/* a lambda has captured it, as clang says so */
	if (datum_follow_member(t->f, &member, n->word, n->nword, &none) &&
	    ((member = *self, datum_follow_member(t->f, &member, "this", 4, &none)) ||
	     datum_follow_member(t->f, &member, n->word, n->nword, &none)))
		return false;
	*self = member;
	return true;
}

static int name_at(struct typing *t, const char *text, const struct section *s,
		   const unsigned char *after, struct typed *out, struct err *err)
{
	struct elements *x = &out->x;
	struct expr_name n;
	int found;

	if (expr_name_split(text, &n))
		return err_set(err, "'%s' is no name of a variable", text);
	if (t->result && n.nword == strlen(EXPR_RESULT) && !strncmp(n.word, EXPR_RESULT, n.nword))
		x->d = *t->result, found = 1;
	else if (n.process < 0 && n.thread < 0 && n.frame < 0 && is_own_member(t, &n, &x->d))
		found = 1;
	else
		found = names_find(&x->f, t->first, t->last, &n, &x->d, err);
	if (!found)
		err_set_code(err, ERR_NAME, "there is no variable '%s'", text);
	if (found <= 0)
		return -1;
	out->kind = TYPED_PLACE;
	if (follow(x, &n, text, s, after, err))
		return -1;
	if (!n.address)
		return 0;
	if (x->ndim || x->d.place.kind != LOCATION_MEMORY || x->d.bits)
		return err_set(err, "%s has no address", text);
	out->kind = TYPED_POINTER;
	out->to = x->d;
	return 0;
}

static int name(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	const struct expr_scope scope = typed_scope(t);
	unsigned char after[ARRAY_DIMS];
	struct section s;
	int rc = expr_section(e, one_rank(), &scope, &s, err);

	for (size_t i = 0; i < e->nsub; i++)
		after[i] = e->sub[i].after;
	if (!rc)
		rc = name_at(t, e->name, e->nsub ? &s : NULL, e->spelling == '(' ? after : NULL,
			     out, err);
	section_clear(&s);
	return rc;
}

/* ---- pointers ---- */

static bool is_void(const struct datum *to)
{
	return !to->typed && !to->base;
}

static uint64_t size_of(struct typed *v, const struct datum *d)
{
	Dwarf_Die bare;
	struct shape s;

	if (d->base)
		return value_size(d->base - 1);
	if (!d->typed || !datum_peeled(&d->type, &bare))
		return 1;
	if (d->skip && shape_of(v->x.f, &bare, d, &s))
		return (uint64_t)s.stride[d->skip - 1];
	return datum_size(v->x.f, d);
}

/* An array is the address of its first element. */
static int decay_array(struct typed *v, Dwarf_Die *type, struct err *err)
{
	struct elements *x = &v->x;
	struct shape s;

	if (x->d.place.kind != LOCATION_MEMORY)
		return err_set(err, "%s has no address", x->name);
	if (!shape_of(x->f, type, &x->d, &s) || s.lacks)
		return err_set(err, "%s is %s", x->name,
			       s.lacks ? s.lacks : "an array of unknown shape");
	v->to = x->d;
	if (!x->d.skip)
		v->to.place.addr = s.addr;
	v->to.skip = x->d.skip + 1;
	if (v->to.skip == s.n) {
		v->to.skip = 0;
		v->to.type = s.element;
	}
	v->kind = TYPED_POINTER;
	return 0;
}

/* Makes a pointer of a place that has one, or is an array. 1; 0: it is none; -1 and err. */
static int to_pointer(struct typed *v, struct err *err)
{
	struct elements *x = &v->x;
	struct library known;
	uint64_t addr = 0;
	Dwarf_Die type;

	if (v->kind == TYPED_POINTER)
		return 1;
	if (v->kind == TYPED_PLACE && !x->ndim && library_of(x->f, &x->d, &known) &&
	    known.kind == LIBRARY_INNER)
		x->d = known.inner;
	if (v->kind != TYPED_PLACE || x->d.bits || !x->d.typed || !datum_peeled(&x->d.type, &type))
		return 0;
	/* references, and pointers of Fortran */
	if (datum_is_pointer(&type) && (dwarf_tag(&type) != DW_TAG_pointer_type || x->f->fortran)) {
		if (x->ndim || datum_target(x->f, &x->d, err) || !datum_peeled(&x->d.type, &type))
			return x->ndim ? 0 : -1;
	}
	if (x->ndim)
		return datum_is_pointer(&type)
			       ? err_set(err, "%s are several pointers: choose one", x->name)
			       : 0;
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return decay_array(v, &type, err) ? -1 : 1;
	if (!datum_is_pointer(&type))
		return 0;
	if (x->d.place.kind == LOCATION_POINTER) {
		if (datum_target(x->f, &x->d, err))
			return -1;
		v->to = x->d;
		v->kind = TYPED_POINTER;
		return 1;
	}
	if (!datum_read(x->f, &x->d, &addr, sizeof(addr)))
		return err_set(err, "%s is not known: it has been optimized out", x->name);
	v->to = (struct datum){ .place = { .kind = LOCATION_MEMORY, .addr = addr } };
	v->to.typed = datum_type_at(&type, &v->to.type);
	v->kind = TYPED_POINTER;
	return 1;
}

/* What the pointer leads to becomes the place. */
static int target(struct typed *v, struct err *err)
{
	if (is_void(&v->to))
		return err_set(err, "what it points to has no type: cast it, as in (double *)p");
	if (v->to.place.kind == LOCATION_MEMORY && !v->to.place.addr)
		return err_set(err, "the pointer is NULL");
	v->kind = TYPED_PLACE;
	v->x.d = v->to;
	v->x.place = true;
	return 0;
}

/* The one number that it is. */
static int whole_of(const struct typed *v, int64_t *out, struct err *err)
{
	enum value_class class = value_class(v->number.type);
	struct value n;

	if (values_total(&v->number) != 1 || (class != VALUE_IS_INT && class != VALUE_IS_UINT))
		return err_set(err, "a pointer moves by one whole number");
	n = values_value(&v->number, 0, 0);
	*out = n.i;
	return 0;
}

static int difference(struct typed *a, struct typed *b, struct typed *out, struct err *err)
{
	uint64_t size = size_of(a, &a->to);
	int64_t n = (int64_t)(a->to.place.addr - b->to.place.addr);

	if (!size || size != size_of(b, &b->to))
		return err_set(err, "they point to values of different sizes");
	n /= (int64_t)size;
	return put_number(out, VALUE_LONG, &n, err);
}

/* What the pointer leads to has been kept out of memory: -1 and err. */
static int no_address(const struct typed *v, struct err *err)
{
	return v->to.place.kind == LOCATION_MEMORY
		       ? 0
		       : err_set(err, "what the pointer leads to is not in memory");
}

/* p + 3, 3 + p, p - 3, p - q. 1: neither is a pointer. */
static int sum(const struct expr *e, struct typed *a, struct typed *b, struct typed *out,
	       struct err *err)
{
	int pa = to_pointer(a, err), pb = pa < 0 ? -1 : to_pointer(b, err);
	struct typed *p = pa ? a : b;
	int64_t n = 0;

	if (pa < 0 || pb < 0 || (pa && no_address(a, err)) || (pb && no_address(b, err)))
		return -1;
	if (!pa && !pb)
		return 1;
	if (pa && pb && *e->op == '-')
		return difference(a, b, out, err);
	if ((pa && pb) || (pb && *e->op == '-'))
		return err_set(err, "pointers cannot be %s", pa ? "added" : "taken from numbers");
	if (whole_of(pa ? b : a, &n, err))
		return -1;
	out->x.f = p->x.f;
	out->kind = TYPED_POINTER;
	out->to = p->to;
	if (!size_of(p, &p->to))
		return err_set(err, "the size of what it points to is not known");
	if (*e->op == '-')
		n = -n;
	out->to.place.addr += (uint64_t)n * size_of(p, &p->to);
	return 0;
}

/* An operand of a sum: what is no place is a number. */
static int summand(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	int rc = evaluate(t, e, out, err);

	if (rc || out->kind != TYPED_PLACE)
		return rc;
	rc = to_pointer(out, err);
	if (rc)
		return rc < 0 ? at(e, err) : 0;
	typed_clear(out);
	return number(t, e, out, err);
}

static int binary(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	struct typed a = { .x.f = t->f }, b = { .x.f = t->f };
	bool sums = !e->op[1] && strchr("+-", *e->op);
	int rc = sums ? summand(t, e->a, &a, err) || summand(t, e->b, &b, err) : 0;

	if (!rc && sums) {
		rc = sum(e, &a, &b, out, err);
		if (rc < 0)
			at(e, err);
		if (rc > 0 && (a.number.type == VALUE_POINTER || b.number.type == VALUE_POINTER))
			rc = err_set(err, "column %zu: what the pointer points to is not known",
				     e->column + 1);
	}
	typed_clear(&a);
	typed_clear(&b);
	if (rc < 0 || (sums && !rc))
		return rc < 0 ? -1 : 0;
	return number(t, e, out, err);
}

/* ---- casts and sizes ---- */

/* Numbers become those of a type, element by element. */
static int cast_number(struct typing *t, const struct expr *e, unsigned type, struct typed *out,
		       struct err *err)
{
	char op[64];
	struct expr one = *e;

	snprintf(op, sizeof(op), "(%s)", value_type_name(type));
	one.kind = EXPR_UNARY;
	one.op = op;
	return number(t, &one, out, err);
}

static int cast_plain(struct typing *t, const struct expr *e, Dwarf_Die *type, struct typed *out,
		      struct err *err)
{
	unsigned n = dwarf_tag(type) == DW_TAG_enumeration_type ? number_enumeration(type)
								: datum_number_type(type);
	Dwarf_Die own;

	if (n < VALUE_TYPES)
		return cast_number(t, e, n, out, err);
	if (evaluate(t, e->a, out, err))
		return -1;
	if (out->kind == TYPED_PLACE && out->x.d.typed && datum_peeled(&out->x.d.type, &own) &&
	    dwarf_dieoffset(&own) == dwarf_dieoffset(type))
		return 0;
	return err_set(err,
		       "column %zu: a value cannot become a '%s': cast its address, as in "
		       "*(%s *)&x",
		       e->column + 1, e->name, e->name);
}

/* To a base, or from one, the address may change. */
static int class_cast(struct typing *t, struct datum *from, const struct datum *to, struct err *err)
{
	Dwarf_Die class, other;

	if (!from->typed || !to->typed || !datum_peeled(&from->type, &class) ||
	    !datum_peeled(&to->type, &other) ||
	    function_convert(t->f, &class, &other, &from->place.addr) >= 0)
		return 0;
	return err_set(err, "it is a virtual base, from which there is no way to the object");
}

static int cast(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	struct type_named type;
	Dwarf_Die bare;
	struct datum to;
	int64_t addr = 0;
	int rc;

	if (types_find(t->f, e->name, &type, err))
		return at(e, err);
	if (!type.stars && type.has && datum_peeled(&type.die, &bare) &&
	    dwarf_tag(&bare) == DW_TAG_pointer_type) {
		type = (struct type_named){ .stars = 1 };
		type.has = datum_type_at(&bare, &type.die);
	}
	if (!type.stars && !type.has)
		return type.base ? cast_number(t, e, type.base - 1, out, err)
				 : err_set(err, "column %zu: void has no values", e->column + 1);
	if (!type.stars)
		return datum_peeled(&type.die, &bare) ? cast_plain(t, e, &bare, out, err) : -1;
	if (types_target(&type, &to, err) || evaluate(t, e->a, out, err))
		return at(e, err);
	rc = to_pointer(out, err);
	if (rc > 0 && no_address(out, err))
		rc = -1;
	else if (rc > 0 && type.stars == 1 && class_cast(t, &out->to, &to, err))
		rc = -1;
	else if (rc > 0)
		addr = (int64_t)out->to.place.addr;
	else if (!rc && out->kind == TYPED_PLACE)
		typed_clear(out), rc = number(t, e->a, out, err);
	if (rc < 0 || (!rc && whole_of(out, &addr, err)))
		return at(e, err);
	to.place = (struct location){ .kind = LOCATION_MEMORY, .addr = (uint64_t)addr };
	values_clear(&out->number);
	out->kind = TYPED_POINTER;
	out->to = to;
	return 0;
}

static uint64_t count_of(const struct elements *x)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < x->ndim; i++)
		if (__builtin_mul_overflow(n, x->dim[i].count, &n))
			return 0;
	return n;
}

/* Bytes of all elements of a place. */
static uint64_t size_of_place(struct typed *v)
{
	struct elements *x = &v->x;
	uint64_t n = count_of(x);
	Dwarf_Die type;
	struct shape s;

	if (x->d.typed && datum_peeled(&x->d.type, &type) &&
	    dwarf_tag(&type) == DW_TAG_array_type && shape_of(x->f, &type, &x->d, &s) && !s.lacks) {
		struct datum one = { .type = s.element, .typed = true };

		for (unsigned i = x->d.skip; i < s.n; i++)
			n *= s.count[i] < 0 ? 0 : (uint64_t)s.count[i];
		return n * size_of(v, &one);
	}
	return n * size_of(v, &x->d);
}

static int size_of_type(struct typing *t, const struct expr *e, const char *text, uint64_t *size,
			struct err *err)
{
	struct typed v = { .x.f = t->f };
	struct type_named type;
	struct datum d;

	if (types_find(t->f, text, &type, err))
		return -1;
	d = (struct datum){ .type = type.die, .typed = type.has, .base = type.base };
	*size = type.stars ? sizeof(void *) : size_of(&v, &d);
	return *size ? 0 : err_set(err, "column %zu: its size is not known", e->column + 1);
}

/* Of a type, a variable, or what an expression comes to; of: it. */
static int size(struct typing *t, const struct expr *e, const struct expr *of, struct typed *out,
		struct err *err)
{
	struct typed v = { .x.f = t->f };
	struct err none = { "" };
	uint64_t n = 0;
	int rc;

	if (!of) {
		rc = size_of_type(t, e, e->name, &n, err);
	} else {
		rc = evaluate(t, of, &v, err);
		if (rc && err->code == ERR_NAME && of->kind == EXPR_NAME && !of->nsub &&
		    !size_of_type(t, e, of->name, &n, &none))
			rc = 0;
		else if (!rc)
			n = v.kind == TYPED_POINTER ? sizeof(void *)
			    : v.kind == TYPED_PLACE ? size_of_place(&v)
						    : values_total(&v.number) * v.number.elem_size;
		if (!rc && !n)
			rc = err_set(err, "the size is not known");
	}
	typed_clear(&v);
	return rc ? at(e, err) : put_number(out, VALUE_ULONG, &n, err);
}

/* ---- parts ---- */

static int subscripts(struct typing *t, const struct expr *e, struct typed *v, struct err *err)
{
	const struct expr_scope scope = typed_scope(t);
	struct elements *x = &v->x;
	struct section s;
	int rc;

	x->used = 0;
	x->place = true;
	if (expr_section(e, one_rank(), &scope, &s, err))
		return -1;
	x->s = &s;
	rc = 0;
	if (v->kind == TYPED_POINTER) {
		uint64_t size = size_of(v, &v->to);

		rc = target(v, err) || elements_index(x, 0, -1, (int64_t)size, err);
	} else if (v->kind == TYPED_NUMBER) {
		rc = err_set(err, "a number has no elements");
	}
	if (!rc)
		rc = elements_rest(x, 0, false, err);
	if (!rc && x->used < s.ndim)
		rc = err_set(err, "%s has %u dimension%s, not %u", x->name, x->used,
			     x->used == 1 ? "" : "s", s.ndim);
	x->s = NULL;
	section_clear(&s);
	return rc;
}

/* What "*", "&", "[", "." and "@" do with their operand. */
static int part(struct typing *t, const struct expr *e, struct typed *v, struct err *err)
{
	struct elements *x = &v->x;
	int rc = 0;

	x->name = text_of(t, *e->op == '*' ? e : e->a);
	x->s = NULL;
	switch (*e->op) {
	case '[':
		return subscripts(t, e, v, err);
	case '*':
		rc = to_pointer(v, err);
		return rc > 0 ? target(v, err) : rc ? -1 : err_set(err, "it is no pointer");
	case '&':
		if (v->kind != TYPED_PLACE || x->ndim || x->d.place.kind != LOCATION_MEMORY ||
		    x->d.bits)
			return err_set(err, "it has no address");
		v->kind = TYPED_POINTER;
		v->to = x->d;
		return 0;
	}
	if (v->kind == TYPED_POINTER)
		rc = target(v, err);
	else if (v->kind == TYPED_NUMBER)
		rc = err_set(err, "it is a number, not a variable");
	if (!rc)
		rc = *e->op == '@' ? elements_many(x, e->name, true, err)
				   : elements_fields(x, e->name, err);
	x->early |= *e->op == '.' && x->ndim;
	return rc;
}

static int of_operand(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	if (evaluate(t, e->a, out, err))
		return -1;
	return part(t, e, out, err) ? at(e, err) : 0;
}

/* "(double)x": of what has more digits, too, which all else refuses. */
static int cast_own(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	int rc;

	if (t->cast)
		return err_set(err, "column %zu: it is not a number", e->column + 1);
	t->cast = true;
	rc = number(t, e, out, err);
	t->cast = false;
	return rc;
}

/* A type has that name, and no variable. */
static bool is_type_alone(struct typing *t, const char *text)
{
	struct typed v = { .x = { .f = t->f } };
	struct type_named type;
	struct err none = { "" };
	bool is = name_at(t, text, NULL, false, &v, &none) && none.code == ERR_NAME &&
		  !types_find(t->f, text, &type, &none);

	typed_clear(&v);
	return is;
}

static int of_kind(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	const struct expr_scope scope = typed_scope(t);
	struct expr as, operand;

	switch (e->kind) {
	case EXPR_NAME:
		if (e->spelling == '(' && !strcasecmp(e->name, "sizeof") && e->nsub == 1)
			return size(t, e, e->sub[0].first, out, err);
		if (e->spelling == '(' && !strpbrk(e->name, ".#@[") && !scope.known(t, e->name))
			return number(t, e, out, err);
		return name(t, e, out, err);
	case EXPR_BINARY:
		if (expr_as_cast(e, &as, &operand) && is_type_alone(t, as.name))
			return cast(t, &as, out, err);
		return binary(t, e, out, err);
	case EXPR_TYPED:
		if (!strcmp(e->op, "cast"))
			return cast(t, e, out, err);
		if (!strcmp(e->op, "sizeof"))
			return size(t, e, e->a, out, err);
		return of_operand(t, e, out, err);
	case EXPR_UNARY:
		return *e->op == '(' ? cast_own(t, e, out, err) : number(t, e, out, err);
	default:
		return number(t, e, out, err);
	}
}

static int evaluate(struct typing *t, const struct expr *e, struct typed *out, struct err *err)
{
	int rc;

	if (t->depth == DEEP)
		return err_set(err, "column %zu: the expression is nested too deeply",
			       e->column + 1);
	t->depth++;
	rc = of_kind(t, e, out, err);
	t->depth--;
	return rc;
}

/* ---- what is made of it ---- */

static int put_pointer(struct typed *v, struct err *err)
{
	uint64_t addr = v->to.place.addr;

	if (no_address(v, err))
		return -1;
	elements_clear(&v->x);
	return put_number(v, VALUE_POINTER, &addr, err);
}

/* Numbers that are there already. */
static int take_numbers(struct typed *v, struct elements_task *task, struct err *err)
{
	struct answer_elements *a = &task->a;
	const struct values *q = &v->number;

	if (task->value)
		return err_set(err, "it is no variable that can be changed");
	if (task->placed)
		return err_set(err, "it is calculated, and has no place in memory");
	*a = (struct answer_elements){ .type = (uint8_t)q->type,
				       .order = q->order ? (uint8_t)q->order : 'C',
				       .ndim = (uint8_t)q->ndim };
	for (unsigned i = 0; i < q->ndim; i++) {
		a->count[i] = q->count[i];
		a->first[i] = values_index(q, i, 0);
		a->step[i] = q->step[i] ? q->step[i] : 1;
	}
	if (task->shape)
		return 0;
	a->n = values_total(q) * q->elem_size;
	a->room = malloc(a->n + 1);
	a->bytes = a->room;
	if (!a->room)
		return err_set(err, "out of memory");
	memcpy(a->room, q->group[0].bytes, a->n);
	return 0;
}

/* 0: it is a name, and there is none such. */
static int unknown(const struct expr *e, const struct err *err)
{
	return e->kind == EXPR_NAME && !e->inside && err->code == ERR_NAME ? 0 : -1;
}

/* Its numbers, or it becomes the value. */
static int finish(struct typed *v, struct elements_task *task, struct err *err)
{
	if (v->kind == TYPED_POINTER && put_pointer(v, err))
		return -1;
	return v->kind == TYPED_NUMBER ? take_numbers(v, task, err) : elements_do(&v->x, task, err);
}

/* A structure becomes what another variable has. */
static int copy(struct typing *t, struct typed *v, struct elements_task *task, struct err *err)
{
	struct expr *e = expr_parse(task->value->text, err);
	struct datum from;
	struct frame *of;
	int rc = e ? typed_datum(t, e, &of, &from, err) : -1;

	if (rc > 0)
		rc = elements_copy(&v->x, of, &from, task->value->text, &task->written, err);
	else if (!rc)
		rc = err_set(err, "there is no variable '%s'", task->value->text);
	expr_destroy(e);
	return rc;
}

int typed_do(struct typing *t, const struct expr *e, struct elements_task *task, struct err *err)
{
	struct typed v = { .x = { .f = t->f, .cast = t->cast, .shape = task->shape } };
	int rc = evaluate(t, e, &v, err) ? unknown(e, err) : 1;
	bool copies = task->value && task->value->type == VALUE_STRUCT &&
		      !strchr("\"'", *task->value->text) && v.kind == TYPED_PLACE;

	if (rc > 0 && (copies ? copy(t, &v, task, err) : finish(&v, task, err)))
		rc = -1;
	typed_clear(&v);
	return rc;
}

int typed_address(struct typing *t, const struct expr *e, uint64_t *out, struct err *err)
{
	struct typed v = { .x = { .f = t->f, .cast = t->cast } };
	int rc = evaluate(t, e, &v, err) ? -1 : to_pointer(&v, err);

	if (rc > 0 && no_address(&v, err))
		rc = -1;
	*out = v.to.place.addr;
	typed_clear(&v);
	return rc;
}

int typed_datum(struct typing *t, const struct expr *e, struct frame **f, struct datum *d,
		struct err *err)
{
	struct typed v = { .x = { .f = t->f, .cast = t->cast } };
	int rc = evaluate(t, e, &v, err) ? unknown(e, err) : 1;
	struct elements *x = &v.x;

	if (rc > 0 && v.kind == TYPED_POINTER) {
		*d = v.to;
		d->place =
			(struct location){ .kind = LOCATION_BYTES, .n = sizeof(v.to.place.addr) };
		memcpy(d->place.bytes, &v.to.place.addr, d->place.n);
		d->points = true;
	} else if (rc > 0 && v.kind == TYPED_PLACE) {
		*d = x->d;
		if (x->ndim > 1 || x->early || (x->ndim && x->dim[0].step != 1)) {
			rc = err_set(err, "it is a section");
		} else if (x->ndim) {
			if (d->place.kind == LOCATION_MEMORY)
				d->place.addr += (uint64_t)x->dim[0].base;
			else
				d->off += (uint64_t)x->dim[0].base;
			d->count = x->dim[0].count;
			d->stride = x->dim[0].stride;
		}
	} else if (rc > 0) {
		rc = err_set(err, "it is a number");
	}
	*f = x->f;
	typed_clear(&v);
	return rc;
}

/* ---- as operands of common/expr ---- */

static int to_values(struct typed *v, struct values *out, struct err *err)
{
	struct elements_task task = { .shape = false };
	const struct answer_elements *a = &task.a;
	int rc = finish(v, &task, err);

	if (!rc) {
		*out = (struct values){ .type = a->type,
					.elem_size = (uint32_t)value_size(a->type),
					.ndim = a->ndim,
					.order = (char)a->order };
		memcpy(out->count, a->count, sizeof(out->count));
		memcpy(out->first, a->first, sizeof(out->first));
		memcpy(out->step, a->step, sizeof(out->step));
		if (values_add(out, one_rank(), a->bytes))
			rc = err_set(err, "out of memory");
	}
	free(a->room);
	return rc;
}

static int resolve(void *arg, const char *text, const struct section *sec, struct values *out,
		   struct err *err)
{
	struct typing *t = arg;
	struct typed v = { .x = { .f = t->f, .cast = t->cast } };
	int rc = name_at(t, text, sec, false, &v, err);

	rc = rc ? rc : to_values(&v, out, err);
	typed_clear(&v);
	return rc;
}

static int resolve_typed(void *arg, const struct expr *e, struct values *out, struct err *err)
{
	struct typing *t = arg;
	struct typed v = { .x = { .f = t->f, .cast = t->cast } };
	int rc = evaluate(t, e, &v, err);

	rc = rc ? rc : to_values(&v, out, err);
	typed_clear(&v);
	return rc;
}

/* What can have subscripts in "(": in C only where no function has the name. */
static bool known(void *arg, const char *text)
{
	struct typing *t = arg;
	struct typed v = { .x = { .f = t->f, .cast = t->cast } };
	struct err none = { "" };
	bool is = !name_at(t, text, NULL, false, &v, &none) &&
		  (v.kind == TYPED_POINTER || to_pointer(&v, &none) > 0 || v.x.ndim ||
		   elements_are_characters(&v.x)) &&
		  (v.x.f->fortran || !expr_function_named(text));

	typed_clear(&v);
	return is;
}

static int no_call(void *arg, const struct expr *e, const char *cast, struct values *out,
		   struct err *err)
{
	return err_set(err, "%s: functions of the program cannot be called here", e->name);
}

struct expr_scope typed_scope(struct typing *t)
{
	return (struct expr_scope){ .arg = t,
				    .resolve = resolve,
				    .known = known,
				    .typed = resolve_typed,
				    .call = no_call };
}
