/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions of C and Fortran about variables in scope: names, numbers, + - * / and the remainder,
 * brackets, elements, members, and bounds of Fortran's arrays; compiled for the runtime.
 */
#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "frontend/symbols/internal.h"
#include "frontend/util/xalloc.h"

#define DEEP 32 /* brackets in one another */

/* What has been read so far. */
struct operand {
	struct symbol_code code; /* owned */
	bool address; /* of memory that holds it; else it is the value */
	bool typed;   /* else it is a whole number */
	Dwarf_Die type; /* peeled */
	unsigned skip; /* of an array so many dimensions have an index already */
};

struct reading {
	struct code_scope *x;
	const char *text, *at;
	unsigned deep;
	struct err *err;
};

static int expression(struct reading *r, struct operand *o);
static int compared(struct reading *r, struct operand *o);

static int fail(struct reading *r, const char *why)
{
	return err_set(r->err, "'%s': %s", r->text, why);
}

static void skip_blanks(struct reading *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static bool take(struct reading *r, const char *word)
{
	skip_blanks(r);
	if (strncmp(r->at, word, strlen(word)))
		return false;
	r->at += strlen(word);
	return true;
}

static void drop(struct operand *o)
{
	code_clear(&o->code);
	*o = (struct operand){ 0 };
}

static void append(struct symbol_code *to, struct symbol_code *more, unsigned op)
{
	code_append(to, more);
	code_add(to, op, 0, 0);
	code_clear(more);
}

/* ---- types ---- */

static bool is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static bool is_array(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_array_type;
}

static bool is_whole(Dwarf_Die *type)
{
	unsigned t = type_number(type, (unsigned)dwarf_bytesize(type));
	int tag = dwarf_tag(type);

	return (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type) && t < VALUE_TYPES &&
	       value_class(t) != VALUE_IS_REAL && value_class(t) != VALUE_IS_COMPLEX;
}

static bool is_unsigned(Dwarf_Die *type)
{
	unsigned t = type_number(type, (unsigned)dwarf_bytesize(type));

	return t < VALUE_TYPES && value_class(t) == VALUE_IS_UINT;
}

/* ---- names ---- */

/* A reference is what it refers to, and Fortran's pointers to what has no descriptor are what they
 * point to. */
static int through(struct reading *r, struct operand *o)
{
	int tag = dwarf_tag(&o->type);

	if (tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type &&
	    !(r->x->fortran && is_pointer(&o->type)))
		return 0;
	if (o->address)
		code_add(&o->code, MARKCODE_LOAD, 8, 0);
	o->address = true;
	return type_of(&o->type, &o->type) ? 0 : fail(r, "what it refers to is not known");
}

static int gone(struct reading *r, const struct named *w)
{
	return err_set_code(r->err, ERR_GONE,
			    "where '%.*s' is there is not known: it has been optimised away; "
			    "compile with -O0 or -Og",
			    (int)w->n, w->name);
}

static int variable(struct reading *r, const struct named *w, Dwarf_Die *die, struct operand *o)
{
	struct code_scope *x = r->x;
	bool value = false;

	if (dwarf_tag(die) == DW_TAG_enumerator) {
		if (!code_of_number(x, die, DW_AT_const_value, NULL, &o->code))
			return fail(r, "its value is not known");
		return 0;
	}
	if (!code_of_variable(x, die, &o->code, &value))
		return gone(r, w);
	if (!type_of(die, &o->type))
		return err_set(r->err, "the type of '%.*s' is not known", (int)w->n, w->name);
	o->typed = true;
	o->address = !value;
	return through(r, o);
}

/* Makes a number of it. */
static int to_value(struct reading *r, struct operand *o)
{
	if (!o->typed)
		return 0;
	if (is_array(&o->type))
		return fail(r, "an array is no number");
	if (is_pointer(&o->type)) {
		if (o->address)
			code_add(&o->code, MARKCODE_LOAD, 8, 0);
	} else if (!is_whole(&o->type)) {
		return fail(r, "only whole numbers can be computed with");
	} else {
		int n = dwarf_bytesize(&o->type);
		bool u = is_unsigned(&o->type);

		if (n < 1 || n > 8)
			return fail(r, "a number of more than 8 bytes");
		code_add(&o->code, o->address ? (u ? MARKCODE_LOAD : MARKCODE_LOADS)
					      : (u ? MARKCODE_CUT : MARKCODE_CUTS),
			 (unsigned)n, 0);
		o->typed = false;
	}
	o->address = false;
	return 0;
}

/* ---- parts ---- */

static int index_pointer(struct reading *r, struct operand *o, struct operand *i)
{
	Dwarf_Die target;
	Dwarf_Word size;

	if (!type_of(&o->type, &target) || dwarf_aggregate_size(&target, &size))
		return fail(r, "the size of its elements is not known");
	if (to_value(r, o))
		return -1;
	code_append(&o->code, &i->code);
	code_add(&o->code, MARKCODE_CONST, 0, (int64_t)size);
	code_add(&o->code, MARKCODE_MUL, 0, 0);
	code_add(&o->code, MARKCODE_ADD, 0, 0);
	o->type = target;
	o->address = true;
	return 0;
}

/* An index of the next dimension of an array. */
static int index_array(struct reading *r, struct operand *o, struct operand *i)
{
	unsigned k = o->skip;
	struct code_dims d = { 0 };
	int rc = 0;

	if (!o->address)
		return fail(r, "the array is in no memory there");
	if (!code_dims_of(r->x, &o->type, &o->code, &d)) {
		/* of an array without bounds the first index needs none */
		rc = fail(r, "the bounds of the array are not known there");
	} else {
		append(&i->code, &d.dim[k].lower, MARKCODE_SUB);
		append(&i->code, &d.dim[k].stride, MARKCODE_MUL);
		if (!k) {
			code_clear(&o->code);
			code_append(&o->code, &d.data);
		}
		append(&o->code, &i->code, MARKCODE_ADD);
		o->skip++;
		if (o->skip == d.n) {
			o->skip = 0;
			rc = type_of(&o->type, &o->type) ? 0 : fail(r, "its elements have no type");
		}
	}
	code_dims_clear(&d);
	return rc;
}

/* What an object of the C++ library holds, in its place. */
static void into_held(struct operand *o)
{
	Dwarf_Die die;
	uint64_t off;

	if (!o->typed || !o->address || is_pointer(&o->type) || is_array(&o->type) ||
	    !named_held(&o->type, &die, &off) || !type_of(&die, &o->type))
		return;
	code_add(&o->code, MARKCODE_CONST, 0, (int64_t)off);
	code_add(&o->code, MARKCODE_ADD, 0, 0);
}

static int indexed(struct reading *r, struct operand *o, struct operand *i)
{
	int rc;

	into_held(o);
	if (to_value(r, i))
		rc = -1;
	else if (!o->typed || (!is_pointer(&o->type) && !is_array(&o->type)))
		rc = fail(r, "what has an index is no array");
	else
		rc = is_array(&o->type) ? index_array(r, o, i) : index_pointer(r, o, i);
	drop(i);
	return rc;
}

static int index_list(struct reading *r, struct operand *o, const char *close)
{
	do {
		struct operand i = { 0 };

		if (expression(r, &i)) {
			drop(&i);
			return -1;
		}
		if (indexed(r, o, &i))
			return -1;
	} while (r->x->fortran && take(r, ","));
	return take(r, close) ? 0 : fail(r, "a bracket is not closed");
}

static struct named word(struct reading *r)
{
	struct named w = { .fortran = r->x->fortran };

	skip_blanks(r);
	w.within = w.name = r->at;
	while (isalnum((unsigned char)*r->at) || *r->at == '_') {
		r->at++;
		/* of a namespace */
		if (!w.fortran && !strncmp(r->at, "::", 2))
			w.name = r->at += 2;
	}
	w.n = (size_t)(r->at - w.name);
	w.nwithin = (size_t)(w.name - w.within);
	return w;
}

static int member_named(struct reading *r, const struct named *w, struct operand *o)
{
	uint64_t off = 0;
	Dwarf_Die die;

	if (!o->typed || !o->address || !named_part(w, &o->type, &die, &off))
		return err_set(r->err, "'%s': there is no member '%.*s'", r->text, (int)w->n,
			       w->name);
	if (dwarf_hasattr(&die, DW_AT_bit_size))
		return fail(r, "fields of bits cannot be used");
	code_add(&o->code, MARKCODE_CONST, 0, (int64_t)off);
	code_add(&o->code, MARKCODE_ADD, 0, 0);
	if (!type_of(&die, &o->type))
		return fail(r, "the type of a member is not known");
	return through(r, o);
}

static int member(struct reading *r, struct operand *o)
{
	const struct named w = word(r);

	return member_named(r, &w, o);
}

/* What a pointer points to. */
static int target(struct reading *r, struct operand *o)
{
	Dwarf_Die type;

	into_held(o);
	if (!o->typed || !is_pointer(&o->type) || !type_of(&o->type, &type))
		return fail(r, "what * or -> stands at is no pointer");
	if (to_value(r, o))
		return -1;
	o->type = type;
	o->address = true;
	return 0;
}

/* A member of the object whose function it is. 1: there is none of that name. */
static int own_member(struct reading *r, const struct named *w, struct operand *o)
{
	const struct named self = { .name = "this", .n = 4 };
	Dwarf_Die die, type, found;
	uint64_t off = 0;

	if (r->x->fortran || w->nwithin || !named_local(&self, r->x, &die) ||
	    !type_of(&die, &type) || !is_pointer(&type) || !type_of(&type, &type) ||
	    !named_part(w, &type, &found, &off))
		return 1;
	return variable(r, &self, &die, o) || target(r, o) || member_named(r, w, o) ? -1 : 0;
}

static int name(struct reading *r, const struct named *w, struct operand *o)
{
	Dwarf_Die die;
	int rc;

	if (!w->nwithin && named_local(w, r->x, &die))
		return variable(r, w, &die, o);
	rc = own_member(r, w, o);
	if (rc <= 0)
		return rc;
	rc = named_outside(w, r->x, &die, r->err);
	if (rc > 0)
		return err_set(r->err, "there is no variable '%.*s' in scope", (int)w->n, w->name);
	return rc ? rc : variable(r, w, &die, o);
}

static int postfix(struct reading *r, struct operand *o)
{
	bool fortran = r->x->fortran;

	for (;;) {
		if (take(r, fortran ? "(" : "[")) {
			if (index_list(r, o, fortran ? ")" : "]"))
				return -1;
		} else if (!fortran && take(r, "->")) {
			if (target(r, o) || member(r, o))
				return -1;
		} else if (take(r, fortran ? "%" : ".")) {
			if (member(r, o))
				return -1;
		} else {
			return 0;
		}
	}
}

/* ---- functions: bounds of Fortran's arrays, the smaller and the larger of two ---- */

static int bound(struct reading *r, const struct named *w, struct operand *o)
{
	char *end;
	long k = 1;
	struct code_dims d = { 0 };
	struct operand a = { 0 };
	struct code_dim *i;
	int rc = -1;

	if (expression(r, &a))
		goto out;
	if (take(r, ",")) {
		k = strtol(r->at, &end, 10);
		r->at = end;
	}
	if (!take(r, ")") || !a.typed || !is_array(&a.type) || !a.address ||
	    !code_dims_of(r->x, &a.type, &a.code, &d) || k < 1 || k > (long)d.n) {
		fail(r, "size, lbound and ubound need an array, and the number of a dimension");
		goto out;
	}
	i = &d.dim[k - 1];
	if (w->n == 4 || !strncasecmp(w->name, "u", 1)) {
		if (!i->count.n) {
			fail(r, "that bound of the array is not known");
			goto out;
		}
		code_append(&o->code, &i->count);
		if (w->n != 4) {
			append(&o->code, &i->lower, MARKCODE_ADD);
			code_add(&o->code, MARKCODE_CONST, 0, 1);
			code_add(&o->code, MARKCODE_SUB, 0, 0);
		}
	} else {
		code_append(&o->code, &i->lower);
	}
	rc = 0;
out:
	code_dims_clear(&d);
	drop(&a);
	return rc;
}

static int two_of(struct reading *r, unsigned op, struct operand *o)
{
	struct operand b = { 0 };
	int rc = -1;

	if (expression(r, o) || to_value(r, o))
		return -1;
	if (!take(r, ","))
		return fail(r, "min, max and mod have two arguments");
	if (!expression(r, &b) && !to_value(r, &b)) {
		append(&o->code, &b.code, op);
		rc = take(r, ")") ? 0 : fail(r, "a bracket is not closed");
	}
	drop(&b);
	return rc;
}

/* Of these numbers of ranks, of which the code has a list: 1 where the program has as many. */
static void add_case(struct symbol_code *to, unsigned op, long long value)
{
	code_add(to, op, 0, 0);
	code_add(to, MARKCODE_CONST, 0, value);
	code_add(to, MARKCODE_EQ, 0, 0);
}

static bool whole(struct reading *r, long long *value)
{
	char *end;

	skip_blanks(r);
	errno = 0;
	*value = strtoll(r->at, &end, 10);
	if (errno || end == r->at)
		return false;
	r->at = end;
	return true;
}

/*
 * "of_rank(1 = 0; 4 = 0 13 26 39)": a number for each rank, by how many there are. Of other numbers
 * of ranks it cannot be computed: it is divided by 0 there.
 */
static int of_rank(struct reading *r, struct operand *o)
{
	struct symbol_code known = { 0 };
	bool good = true;

	code_add(&o->code, MARKCODE_CONST, 0, 0);
	code_add(&known, MARKCODE_CONST, 0, 0);
	do {
		long long ranks, value;

		good = whole(r, &ranks) && take(r, "=");
		for (long long k = 0; good && k < ranks; k++) {
			good = whole(r, &value);
			add_case(&o->code, MARKCODE_RANKS, ranks);
			add_case(&o->code, MARKCODE_RANK, k);
			code_add(&o->code, MARKCODE_AND, 0, 0);
			code_add(&o->code, MARKCODE_CONST, 0, value);
			code_add(&o->code, MARKCODE_MUL, 0, 0);
			code_add(&o->code, MARKCODE_ADD, 0, 0);
		}
		add_case(&known, MARKCODE_RANKS, ranks);
		code_add(&known, MARKCODE_ADD, 0, 0);
	} while (good && take(r, ";"));
	append(&o->code, &known, MARKCODE_DIV);
	return good && take(r, ")") ? 0 : fail(r, "of_rank(RANKS = NUMBER ...; ...) is meant");
}

static int function(struct reading *r, const struct named *w, struct operand *o)
{
	static const struct {
		const char *name;
		unsigned op; /* MARKCODE_DOES: a bound */
	} known[] = { { "min", MARKCODE_MIN },	  { "max", MARKCODE_MAX },
		      { "mod", MARKCODE_MOD },	  { "size", MARKCODE_DOES },
		      { "lbound", MARKCODE_DOES }, { "ubound", MARKCODE_DOES } };

	skip_blanks(r);
	if (*r->at == '(' && w->n == 7 && !strncmp(w->name, "of_rank", 7)) {
		r->at++;
		return of_rank(r, o);
	}
	for (size_t i = 0; *r->at == '(' && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].name) != w->n || strncasecmp(w->name, known[i].name, w->n) ||
		    (!r->x->fortran && i > 1))
			continue;
		r->at++;
		return known[i].op == MARKCODE_DOES ? bound(r, w, o) : two_of(r, known[i].op, o);
	}
	return 1;
}

static int number(struct reading *r, struct operand *o)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(r->at, &end, 0);
	if (errno || isalpha((unsigned char)*end) || *end == '.' || *end == '_') {
		/* 1L, 1u, 1_8 */
		while (!errno && (strchr("uUlL", *end) && *end))
			end++;
		if (!errno && r->x->fortran && *end == '_')
			for (end++; isdigit((unsigned char)*end); end++)
				;
		if (errno || isalnum((unsigned char)*end) || *end == '.' || *end == '_')
			return fail(r, "only whole numbers can be computed with");
	}
	r->at = end;
	code_add(&o->code, MARKCODE_CONST, 0, v);
	return 0;
}

static int primary(struct reading *r, struct operand *o)
{
	struct named w;
	int rc;

	skip_blanks(r);
	if (isdigit((unsigned char)*r->at))
		return number(r, o);
	if (take(r, "(")) {
		if (expression(r, o) || compared(r, o))
			return -1;
		return take(r, ")") ? postfix(r, o) : fail(r, "a bracket is not closed");
	}
	w = word(r);
	if (!w.n)
		return fail(r, *r->at ? "names, numbers, + - * / % and brackets are allowed"
				      : "it ends too soon");
	rc = function(r, &w, o);
	if (rc <= 0)
		return rc;
	return name(r, &w, o) ? -1 : postfix(r, o);
}

static int unary(struct reading *r, struct operand *o)
{
	if (take(r, "+"))
		return unary(r, o) || to_value(r, o) ? -1 : 0;
	if (take(r, "-")) {
		if (unary(r, o) || to_value(r, o))
			return -1;
		code_add(&o->code, MARKCODE_NEG, 0, 0);
		return 0;
	}
	if (!r->x->fortran && take(r, "*"))
		return unary(r, o) || target(r, o) ? -1 : 0;
	return primary(r, o);
}

static int binary(struct reading *r, struct operand *o, unsigned op, int (*next)(struct reading *r,
										 struct operand *o))
{
	struct operand b = { 0 };
	int rc = -1;

	if (!to_value(r, o) && !next(r, &b) && !to_value(r, &b)) {
		rc = 0;
		if (o->typed || b.typed)
			rc = fail(r, "pointers cannot be computed with");
		append(&o->code, &b.code, op);
	}
	drop(&b);
	return rc;
}

/* x when o is true, else y: y + (o != 0) * (x - y). */
static int either(struct reading *r, struct operand *o)
{
	struct operand x = { 0 }, y = { 0 };
	int rc = -1;

	if (expression(r, &x) || to_value(r, &x))
		goto out;
	if (!take(r, ":")) {
		fail(r, "a choice is CONDITION ? NUMBER : NUMBER");
		goto out;
	}
	if (expression(r, &y) || to_value(r, &y))
		goto out;
	if (o->typed || x.typed || y.typed) {
		fail(r, "pointers cannot be computed with");
		goto out;
	}
	code_append(&x.code, &y.code);
	code_add(&x.code, MARKCODE_SUB, 0, 0);
	code_add(&o->code, MARKCODE_CONST, 0, 0);
	code_add(&o->code, MARKCODE_NE, 0, 0);
	append(&o->code, &x.code, MARKCODE_MUL);
	append(&o->code, &y.code, MARKCODE_ADD);
	rc = 0;
out:
	drop(&x);
	drop(&y);
	return rc;
}

/* Behind the first number in brackets: compared with another one, and what is chosen by that. */
static int compared(struct reading *r, struct operand *o)
{
	static const struct {
		const char *text;
		unsigned op;
	} known[] = { { "<=", MARKCODE_LE }, { ">=", MARKCODE_GE }, { "==", MARKCODE_EQ },
		      { "!=", MARKCODE_NE }, { "<", MARKCODE_LT },  { ">", MARKCODE_GT } };
	bool done = r->x->fortran;

	for (size_t i = 0; !done && i < sizeof(known) / sizeof(known[0]); i++) {
		done = take(r, known[i].text);
		if (done && binary(r, o, known[i].op, expression))
			return -1;
	}
	if (r->x->fortran || !take(r, "?"))
		return 0;
	return to_value(r, o) ? -1 : either(r, o);
}

static int term(struct reading *r, struct operand *o)
{
	if (unary(r, o))
		return -1;
	for (;;) {
		unsigned op;

		if (take(r, "*"))
			op = MARKCODE_MUL;
		else if (take(r, "/"))
			op = MARKCODE_DIV;
		else if (!r->x->fortran && take(r, "%"))
			op = MARKCODE_MOD;
		else
			return 0;
		if (binary(r, o, op, unary))
			return -1;
	}
}

static int expression(struct reading *r, struct operand *o)
{
	int rc = 0;

	if (++r->deep > DEEP)
		return fail(r, "too many brackets in one another");
	rc = term(r, o);
	while (!rc) {
		unsigned op;

		if (take(r, "+"))
			op = MARKCODE_ADD;
		else if (take(r, "-"))
			op = MARKCODE_SUB;
		else
			break;
		rc = binary(r, o, op, term);
	}
	r->deep--;
	return rc;
}

/* ---- the whole ---- */

/* std::complex is a structure of one number, which is complex. */
static void into_complex(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	const char *name;
	Dwarf_Die child, it;

	if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) || dwarf_child(type, &child))
		return;
	do {
		name = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
		if (name && !strcmp(name, "_M_value") && type_of(&child, &it)) {
			*type = it;
			return;
		}
	} while (!dwarf_siblingof(&child, &child));
}

/* What the elements of a pointer's target, an array, or the variable itself are. */
static void describe(Dwarf_Die *type, struct symbol_object *out)
{
	Dwarf_Die t = *type;
	Dwarf_Word size = 0;

	while (is_array(&t) && type_of(&t, &t))
		;
	into_complex(&t);
	dwarf_aggregate_size(&t, &size);
	out->type = is_pointer(&t) ? VALUE_POINTER : type_number(&t, (unsigned)size);
	if (dwarf_tag(&t) == DW_TAG_structure_type || dwarf_tag(&t) == DW_TAG_union_type ||
	    dwarf_tag(&t) == DW_TAG_class_type)
		out->type = VALUE_TYPES;
	out->elem = size < UINT32_MAX ? (uint32_t)size : 0;
}

static void add_stride(struct symbol_object *out, const struct symbol_code *bytes)
{
	if (out->ndim < SYMBOL_DIMS)
		code_append(&out->stride[out->ndim], bytes);
	out->ndim++;
}

/* Bytes between neighbours: of an array, or of a pointer to elements or arrays. */
static void take_strides(const struct reading *r, const struct operand *o,
			 struct symbol_object *out)
{
	struct symbol_code step = { 0 };
	Dwarf_Die own = o->type, to;
	Dwarf_Die *type = &own;
	struct code_dims d = { 0 };
	Dwarf_Word size;

	if (is_pointer(&own)) {
		if (!type_of(&own, &to))
			return;
		type = &to;
		if (!is_array(&to)) {
			if (!dwarf_aggregate_size(&to, &size)) {
				code_add(&step, MARKCODE_CONST, 0, (int64_t)size);
				add_stride(out, &step);
			}
			code_clear(&step);
			return;
		}
	}
	if (code_dims_of(r->x, type, &o->code, &d)) {
		if (type == &to && d.dim[0].count.n) {
			code_append(&step, &d.dim[0].stride);
			code_append(&step, &d.dim[0].count);
			code_add(&step, MARKCODE_MUL, 0, 0);
			add_stride(out, &step);
		}
		for (unsigned i = o->skip; i < d.n; i++)
			add_stride(out, &d.dim[i].stride);
	}
	code_clear(&step);
	code_dims_clear(&d);
}

static int finish(struct reading *r, struct operand *o, struct symbol_object *out)
{
	Dwarf_Word size;
	Dwarf_Die type;
	struct code_dims d = { 0 };

	out->fortran = r->x->fortran;
	out->type = VALUE_TYPES;
	if (!o->typed) {
		code_append(&out->value, &o->code);
		return 0;
	}
	if (o->address)
		code_append(&out->address, &o->code);
	out->pointer = is_pointer(&o->type);
	type = o->type;
	if (out->pointer && type_of(&o->type, &type))
		describe(&type, out);
	else
		describe(&o->type, out);
	if (out->pointer || is_array(&o->type))
		take_strides(r, o, out);
	if (is_array(&o->type)) {
		/* where the elements are, which a descriptor says */
		if (!code_dims_of(r->x, &o->type, &o->code, &d))
			return fail(r, "where its elements are is not known");
		code_append(&out->value, o->skip ? &o->code : &d.data);
		if (r->x->fortran && dwarf_hasattr(&o->type, DW_AT_data_location)) {
			code_clear(&out->address);
			code_append(&out->address, &d.data);
		}
		code_dims_clear(&d);
	} else if (out->pointer || is_whole(&o->type)) {
		if (to_value(r, o))
			return -1;
		code_append(&out->value, &o->code);
	}
	if (!out->pointer && !o->skip && !dwarf_hasattr(&type, DW_AT_data_location) &&
	    !dwarf_aggregate_size(&type, &size))
		out->whole = size;
	return 0;
}

/* The whole text. */
static int read_all(struct reading *r, struct operand *o)
{
	int rc = expression(r, o);

	skip_blanks(r);
	if (!rc && *r->at)
		rc = fail(r, "names, numbers, + - * / % and brackets are allowed");
	return rc;
}

int symbols_object(struct symbols *s, const char *module, uint64_t vaddr, const char *text,
		   struct symbol_object *out, struct err *err)
{
	struct code_scope x;
	struct reading r = { .x = &x, .text = text, .at = text, .err = err };
	struct operand o = { 0 };
	int rc;

	*out = (struct symbol_object){ 0 };
	rc = code_scope_open(s, module, vaddr, &x, err);
	if (!rc)
		rc = read_all(&r, &o);
	if (!rc) {
		into_held(&o);
		rc = finish(&r, &o, out);
	}
	drop(&o);
	code_scope_close(&x);
	return rc;
}

void symbols_members(struct symbols *s, const char *module, uint64_t vaddr, const char *text,
		     void (*fn)(void *arg, const char *name), void *arg)
{
	struct code_scope x;
	struct err none;
	struct reading r = { .x = &x, .text = text, .at = text, .err = &none };
	struct operand o = { 0 };
	Dwarf_Die t, child;

	if (!code_scope_open(s, module, vaddr, &x, &none) && !read_all(&r, &o) && o.typed) {
		t = o.type;
		while ((is_pointer(&t) || is_array(&t)) && type_of(&t, &t))
			;
		if (!is_pointer(&t) && !is_array(&t) && !dwarf_child(&t, &child))
			do {
				if (dwarf_tag(&child) == DW_TAG_member && dwarf_diename(&child) &&
				    !dwarf_hasattr(&child, DW_AT_external))
					fn(arg, dwarf_diename(&child));
			} while (!dwarf_siblingof(&child, &child));
	}
	drop(&o);
	code_scope_close(&x);
}

const char *symbols_pointed_at(struct symbols *s, const char *module, uint64_t vaddr,
			       const char *pointer, uint64_t within, char *text, size_t room)
{
	struct code_scope x;
	struct reading r = { .x = &x, .text = pointer, .at = pointer };
	struct operand o = { 0 };
	struct type_part part = { .want = 0 };
	uint64_t size = 0;

	if (!code_scope_open(s, module, vaddr, &x, NULL) && !read_all(&r, &o) && o.typed &&
	    is_pointer(&o.type) && type_of(&o.type, &part.die))
		size = type_size(&part.die, false);
	if (size) {
		snprintf(text, room, "%s[%" PRIu64 "]", pointer, within / size);
		part.off = within % size;
		type_name(&part, false, text, room);
	}
	drop(&o);
	code_scope_close(&x);
	return size ? text : NULL;
}

void symbol_object_clear(struct symbol_object *o)
{
	code_clear(&o->address);
	code_clear(&o->value);
	for (unsigned i = 0; i < SYMBOL_DIMS; i++)
		code_clear(&o->stride[i]);
	*o = (struct symbol_object){ 0 };
}
