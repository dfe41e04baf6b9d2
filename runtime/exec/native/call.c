/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call of a function of the program, as it is typed: its arguments become registers, slots of the
 * stack and data, its result a value of its type.
 */
#include "runtime/exec/native/internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/array/values.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "runtime/exec/sys/memory.h"

#define LENGTHS 16    /* Fortran's characters among the arguments */
#define BOUND_MOST 32 /* arguments of what an object has bound */

/* An order that is being made. */
struct making {
	struct native *n;
	struct frame *frames; /* owned */
	int nframes;
	struct chosen at; /* whose variables the arguments are */
	struct frame *of; /* the call that a variable is of, which was found last */
	const struct native_objects *objects;
	struct native_called *c;
	struct page_call_order *o;
	unsigned nword, nvector, nstack;
	uint64_t *last; /* the word that was put last, no offset in the data; NULL: none */
	size_t ndata;
	uint64_t length[LENGTHS]; /* of texts, in the order of the arguments */
	unsigned nlength;
	bool doubles;			  /* all arguments are such */
	char *object, *bound[BOUND_MOST]; /* whose function it is, owned; the arguments with it */
};

static int too_many(struct err *err)
{
	return err_set(err, "these are more arguments than a call can have");
}

static int put_word(struct making *m, uint64_t word, bool in_data, struct err *err)
{
	if (m->nword < PAGE_CALL_WORDS) {
		m->o->word_in_data |= (uint32_t)in_data << m->nword;
		m->last = in_data ? NULL : &m->o->word[m->nword];
		m->o->word[m->nword++] = word;
		return 0;
	}
	if (m->nstack == PAGE_CALL_STACK)
		return too_many(err);
	m->o->stack_in_data |= (uint32_t)in_data << m->nstack;
	m->last = in_data ? NULL : &m->o->stack[m->nstack];
	m->o->stack[m->nstack++] = word;
	return 0;
}

static int put_vector(struct making *m, const void *bytes, size_t n, struct err *err)
{
	uint64_t word = 0;

	memcpy(&word, bytes, n);
	if (m->nvector < PAGE_CALL_VECTORS) {
		m->o->vector[m->nvector++] = word;
		return 0;
	}
	if (m->nstack == PAGE_CALL_STACK)
		return too_many(err);
	m->o->stack[m->nstack++] = word;
	return 0;
}

/* Its offset in the data; -1 and err. */
static int64_t put_data(struct making *m, const void *bytes, size_t n, struct err *err)
{
	size_t at = (m->ndata + 15) & ~(size_t)15;

	if (at > sizeof(m->o->data) || n > sizeof(m->o->data) - at)
		return err_set(err, "the arguments have too many bytes for a call");
	if (bytes)
		memcpy(m->o->data + at, bytes, n);
	m->ndata = at + n;
	return (int64_t)at;
}

static int put_in_data(struct making *m, const void *bytes, size_t n, struct err *err)
{
	int64_t at = put_data(m, bytes, n, err);

	return at < 0 ? -1 : put_word(m, (uint64_t)at, true, err);
}

/* A number of that type where the convention has it. */
static int put_number(struct making *m, unsigned type, const struct value *v, struct err *err)
{
	unsigned char bytes[16] = { 0 };
	struct value stored;

	if (value_store(type, bytes, v, err))
		return -1;
	switch (type) {
	case VALUE_FLOAT:
		return put_vector(m, bytes, 4, err);
	case VALUE_DOUBLE:
		return put_vector(m, bytes, 8, err);
	case VALUE_FCOMPLEX:
#if defined(__aarch64__)
		return put_vector(m, bytes, 4, err) || put_vector(m, bytes + 4, 4, err) ? -1 : 0;
#else
		return put_vector(m, bytes, 8, err);
#endif
	case VALUE_DCOMPLEX:
		return put_vector(m, bytes, 8, err) || put_vector(m, bytes + 8, 8, err) ? -1 : 0;
	}
	stored = value_load(type, bytes);
	return put_word(m, (uint64_t)stored.i, false, err);
}

/* ---- what an argument is ---- */

static int no_frame(void *arg, const char *name, const struct section *sec, struct values *out,
		    struct err *err)
{
	return err_set(err, "there is no variable %s: the code has no debug information", name);
}

static struct typing typing_of(const struct making *m)
{
	return (struct typing){ .f = m->at.f, .first = m->at.first, .last = m->at.last };
}

static int number_of(struct making *m, const char *text, struct value *out, struct err *err);

/* "(1, 2)", a complex number. 1; 0: it is none; -1 and err. */
static int complex_of(struct making *m, const char *text, struct value *out, struct err *err)
{
	struct expr_arguments a = { 0 };
	struct value im;
	char *call = NULL;
	int rc = 0;

	if (*text == '(' && asprintf(&call, "complex%s", text) < 0)
		return err_set(err, "out of memory");
	if (call && !expr_arguments(call, &a, &(struct err){ "" }) && a.n == 2) {
		rc = number_of(m, a.arg[0], out, err) || number_of(m, a.arg[1], &im, err) ? -1 : 1;
		if (rc > 0 && (value_apply("real", out, NULL, out, err) ||
			       value_apply("real", &im, NULL, &im, err) ||
			       value_apply("cmplx", out, &im, out, err)))
			rc = -1;
	}
	expr_arguments_clear(&a);
	free(call);
	return rc;
}

/* A registered number, which the function that was chosen has no variable of. */
static bool registered(struct making *m, const struct expr *e, struct value *out)
{
	unsigned char bytes[16];
	unsigned type;
	struct typing t = typing_of(m);
	struct elements_task shape = { .shape = true };
	bool is = e->kind == EXPR_NAME && !e->nsub && !e->inside &&
		  (!t.f || !typed_do(&t, e, &shape, &(struct err){ "" })) &&
		  m->objects->number(m->objects->arg, e->name, &type, bytes);

	typed_end(&t);
	if (is)
		*out = value_load(type, bytes);
	return is;
}

static int number_of(struct making *m, const char *text, struct value *out, struct err *err)
{
	struct typing t = typing_of(m);
	const struct expr_scope none = { .resolve = no_frame };
	const struct expr_scope scope = t.f ? typed_scope(&t) : none;
	struct rankset who = { 0 };
	struct values q = { 0 };
	int rc = complex_of(m, text, out, err);
	struct expr *e;

	if (rc)
		return rc < 0 ? -1 : 0;
	e = expr_parse(text, err);
	rc = e ? 0 : -1;
	if (e && registered(m, e, out)) {
		expr_destroy(e);
		return 0;
	}
	if (!rc && rankset_add(&who, 0, 0))
		rc = err_set(err, "out of memory");
	if (!rc)
		rc = expr_eval(e, &who, &scope, &q, err);
	if (!rc && (values_total(&q) != 1 || !value_size(q.type)))
		rc = err_set(err, "'%s' is not one number", text);
	if (!rc)
		*out = values_value(&q, 0, 0);
	values_clear(&q);
	rankset_clear(&who);
	expr_destroy(e);
	typed_end(&t);
	return rc;
}

/* The variable that the argument names, "&x" too: 1; 0: it is none. */
static int variable_of(struct making *m, const char *text, bool *address, struct datum *d)
{
	struct err none = { "" };
	const char *p = text;
	struct frame *f = m->at.f;

	*address = *p == '&';
	p += *address;
	while (*p == ' ')
		p++;
	if (!f || !(isalpha((unsigned char)*p) || *p == '_' || *p == '*'))
		return 0;
	m->of = m->at.f;
	return frame_path(&m->of, m->at.first, m->at.last, p, d, &none) > 0 && !d->points;
}

/* An address by what the types of the program say, "p + 1", "(double *)q": 1; 0: it is none. */
static int expression_of(struct making *m, const char *text, uint64_t *word)
{
	struct typing t = typing_of(m);
	struct err none = { "" };
	struct expr *e = t.f ? expr_parse(text, &none) : NULL;
	int rc = e ? typed_address(&t, e, word, &none) : 0;

	expr_destroy(e);
	typed_end(&t);
	return rc > 0;
}

static bool is_address(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

/* Where the datum is, as an address of the type that it has: elements of arrays, targets of
 * references. */
static bool address_of(struct making *m, const struct datum *d, bool descriptor, uint64_t *out)
{
	Dwarf_Die bare;
	struct shape s;
	struct datum to = *d;
	struct err none = { "" };

	if (!d->typed || dwarf_peel_type((Dwarf_Die *)&d->type, &bare))
		return false;
	if (dwarf_tag(&bare) == DW_TAG_array_type && !descriptor) {
		if (!shape_of(m->of, &bare, d, &s) || s.lacks)
			return false;
		*out = s.addr;
		return d->place.kind == LOCATION_MEMORY;
	}
	if (dwarf_tag(&bare) != DW_TAG_pointer_type && is_address(dwarf_tag(&bare)) &&
	    datum_target(m->of, &to, &none))
		return false;
	*out = to.place.addr;
	return to.place.kind == LOCATION_MEMORY;
}

static bool read_word(struct making *m, const struct datum *d, uint64_t *out)
{
	if (d->place.kind == LOCATION_MEMORY)
		return frame_read(m->of, d->place.addr, out, sizeof(*out));
	if (d->place.kind != LOCATION_BYTES || d->off + sizeof(*out) > d->place.n || d->place.lost)
		return false;
	memcpy(out, d->place.bytes + d->off, sizeof(*out));
	return true;
}

/* An argument that is an address: a text, &x, an array, a pointer, a registered object, a function,
 * a number. */
static int put_pointer(struct making *m, const char *text, struct err *err)
{
	struct function fn;
	struct datum d;
	struct value v;
	Dwarf_Die bare;
	uint64_t word;
	bool address;
	size_t n;
	char *s = *text == '"' ? expr_quoted(text, &n) : NULL;
	int rc;

	if (s) {
		rc = put_in_data(m, s, n + 1, err);
		free(s);
		return rc;
	}
	if (variable_of(m, text, &address, &d)) {
		bool pointer = d.typed && !dwarf_peel_type(&d.type, &bare) &&
			       dwarf_tag(&bare) == DW_TAG_pointer_type;
		bool array = d.typed && !pointer && dwarf_tag(&bare) == DW_TAG_array_type;

		if (address || array ? address_of(m, &d, address && !array, &word)
				     : pointer && read_word(m, &d, &word))
			return put_word(m, word, false, err);
		if (address || array || pointer)
			return err_set(
				err,
				"%s has no address: it is in a register, or its value is not known",
				text);
	}
	if (m->objects->address(m->objects->arg, text + (*text == '&'), &word))
		return put_word(m, word, false, err);
	if (function_find(m->n, m->c->frame.dwfl, m->at.f, text + (*text == '&'), NULL, &fn,
			  &(struct err){ "" }) > 0)
		return put_word(m, fn.entry, false, err);
	if (!strcmp(text, "NULL") || !strcmp(text, "nullptr"))
		return put_word(m, 0, false, err);
	if (expression_of(m, text, &word))
		return put_word(m, word, false, err);
	if (number_of(m, text, &v, err))
		return -1;
	if (v.class != VALUE_IS_INT && v.class != VALUE_IS_UINT)
		return err_set(err, "%s is no address", text);
	return put_word(m, (uint64_t)v.i, false, err);
}

/* How long characters are, which stands behind all arguments. */
static int put_length(struct making *m, const struct datum *d, const Dwarf_Die *type,
		      struct err *err)
{
	Dwarf_Die of = *type;
	Dwarf_Word size = 0;
	int64_t length;

	if (m->nlength == LENGTHS)
		return too_many(err);
	if (dwarf_tag(&of) == DW_TAG_array_type &&
	    (!datum_type_at(&of, &of) || !datum_peeled(&of, &of)))
		return err_set(err, "its length is not known");
	dwarf_aggregate_size(&of, &size);
	if (location_number(m->of, &of, DW_AT_string_length, d->place.addr, true, &length))
		size = (Dwarf_Word)length;
	m->length[m->nlength++] = size;
	return 0;
}

/* A dummy argument that is an array of characters. */
static bool has_length(Dwarf_Die *dummy)
{
	Dwarf_Die of;

	return dwarf_tag(dummy) == DW_TAG_array_type && datum_type_at(dummy, &of) &&
	       datum_peeled(&of, &of) && dwarf_tag(&of) == DW_TAG_string_type;
}

/* Fortran: the address of what is given, or of a copy of it in the data. */
static int put_reference(struct making *m, const char *text, Dwarf_Die *type, struct err *err)
{
	unsigned number = datum_number_type(type), have;
	bool descriptor = dwarf_hasattr(type, DW_AT_data_location), address, converted;
	unsigned char bytes[16] = { 0 };
	struct datum d;
	struct value v;
	uint64_t word, both[2];
	Dwarf_Die bare;

	/* one that is not present */
	if (m->c->fn.fortran && !strcasecmp(text, "NULL"))
		return put_word(m, 0, false, err);
	if (variable_of(m, text, &address, &d) && d.typed && !dwarf_peel_type(&d.type, &bare)) {
		bool array = dwarf_tag(&bare) == DW_TAG_array_type;
		int class = m->c->fn.fortran ? datum_table(m->of, type, &bare, &both[1], err) : 0;
		bool same = number >= VALUE_TYPES ||
			    (datum_number(m->of, &d, &have, bytes) && have == number) || array;

		if (class < 0)
			return err_prefix(err, "%s", text);
		if (class)
			/* the object's address, and the table of its type */
			return address_of(m, &d, false, &both[0])
				       ? put_in_data(m, both, sizeof(both), err)
				       : err_set(err, "%s has no address", text);
		if (m->c->fn.fortran && (function_takes_array(m->of, text, &d, &bare, type, err) ||
					 (has_length(type) && put_length(m, &d, &bare, err))))
			return -1;
		if (same && address_of(m, &d, descriptor, &word))
			return put_word(m, word, false, err);
		if (same && number >= VALUE_TYPES)
			return err_set(err, "%s has no address", text);
	}
	/* a number of another type is converted, as the copy of a variable is */
	converted = number < VALUE_TYPES &&
		    m->objects->number(m->objects->arg, text, &have, bytes) && have != number;
	if (!descriptor && !converted && m->objects->address(m->objects->arg, text, &word))
		return put_word(m, word, false, err);
	if (number >= VALUE_TYPES)
		return err_set(err, "'%s' is no variable that can be given here", text);
	memset(bytes, 0, sizeof(bytes));
	if (number_of(m, text, &v, err) || value_store(number, bytes, &v, err))
		return -1;
	return put_in_data(m, bytes, value_size(number), err);
}

/* Characters of Fortran: their address now, their length behind all arguments. */
static int put_characters(struct making *m, const char *text, struct err *err)
{
	size_t n = 0;
	char *s = expr_quoted(text, &n);
	struct datum d;
	Dwarf_Die bare;
	bool address;
	uint64_t word;
	int rc;

	if (m->nlength == LENGTHS) {
		free(s);
		return too_many(err);
	}
	if (s) {
		m->length[m->nlength++] = n;
		rc = put_in_data(m, s, n + 1, err);
		free(s);
		return rc;
	}
	if (!variable_of(m, text, &address, &d) || !d.typed || dwarf_peel_type(&d.type, &bare) ||
	    !address_of(m, &d, false, &word))
		return err_set(err, "'%s' is no variable that can be given here", text);
	if (dwarf_tag(&bare) != DW_TAG_string_type)
		return err_set(err, "%s has no characters, which the argument takes", text);
	return put_length(m, &d, &bare, err) || put_word(m, word, false, err) ? -1 : 0;
}

/* A pointer, an array, or the address of a variable. */
static bool is_place(struct making *m, const char *text)
{
	struct datum d;
	Dwarf_Die bare;
	bool address;

	return variable_of(m, text, &address, &d) &&
	       (address || (d.typed && !dwarf_peel_type(&d.type, &bare) &&
			    (dwarf_tag(&bare) == DW_TAG_pointer_type ||
			     dwarf_tag(&bare) == DW_TAG_array_type)));
}

/* One for which nothing is known of what the function takes: as C does it then. */
static int put_untyped(struct making *m, const char *text, struct err *err)
{
	static const uint8_t as[] = { [VALUE_IS_INT] = VALUE_LONG,
				      [VALUE_IS_UINT] = VALUE_ULONG,
				      [VALUE_IS_REAL] = VALUE_DOUBLE,
				      [VALUE_IS_COMPLEX] = VALUE_DCOMPLEX,
				      [VALUE_IS_BOOL] = VALUE_LONG };
	struct value v;

	if (*text == '"' || *text == '&' || is_place(m, text))
		return put_pointer(m, text, err);
	if (number_of(m, text, &v, err))
		return -1;
	return put_number(m, m->doubles ? VALUE_DOUBLE : as[v.class], &v, err);
}

/* Whether all of it has registers. */
static bool has_room(const struct making *m, const struct convention_argument *a)
{
	unsigned words = 0;

	for (unsigned i = 0; i < a->n; i++)
		words += a->whole[i];
	return m->nword + words <= PAGE_CALL_WORDS &&
	       m->nvector + a->n - words <= PAGE_CALL_VECTORS;
}

/* A structure by its value. */
static int put_structure(struct making *m, const char *text, Dwarf_Die *type, struct err *err)
{
	struct convention_argument a = { .way = CONVENTION_UNKNOWN };
	bool address = true, registers;
	struct datum d;

	if (!variable_of(m, text, &address, &d) || address)
		return err_set(err, "the function takes a structure here: give a variable of it");
	if (convention_argument(m->of, &d, text, type, &a, err))
		return -1;
	if (a.itself && m->o->keep)
		return err_set(err,
			       "the function takes a copy of %s, which only its constructor "
			       "can make: call it without -keep",
			       text);
	registers = a.way == CONVENTION_REGISTERS && has_room(m, &a);
	if (!registers && a.n > PAGE_CALL_STACK - m->nstack)
		return too_many(err);
	for (unsigned i = 0; i < a.n; i++)
		if (!registers)
			m->o->stack[m->nstack++] = a.word[i];
		else if (a.whole[i] ? put_word(m, a.word[i], false, err)
				    : put_vector(m, &a.word[i], sizeof(a.word[i]), err))
			return -1;
	return 0;
}

/* An expression that comes to an address, "(struct s *)p": the peeled type of what is there. */
static bool points_to(struct making *m, const char *text, Dwarf_Die *type)
{
	struct frame *f = m->at.f;
	struct datum d;

	return f && frame_path(&f, m->at.first, m->at.last, text, &d, &(struct err){ "" }) > 0 &&
	       d.points && d.typed && !d.skip && datum_peeled(&d.type, type);
}

/* What the argument is, for the choice of a function. */
static void describe(struct making *m, const char *text, struct function_argument *out)
{
	struct datum d;
	struct value v;
	Dwarf_Die bare;
	bool address;

	*out = (struct function_argument){ .kind = ARGUMENT_ANY };
	if (*text == '"') {
		*out = (struct function_argument){ .kind = ARGUMENT_TEXT };
	} else if (*text == '\'') {
		*out = (struct function_argument){ .kind = ARGUMENT_NUMBER, .number = VALUE_CHAR };
	} else if (variable_of(m, text, &address, &d)) {
		if (d.typed && !dwarf_peel_type(&d.type, &bare))
			function_describe(&bare, address, out);
	} else if (points_to(m, text, &bare)) {
		*out = (struct function_argument){ ARGUMENT_POINTER, .typed = true, .type = bare };
	} else if (!number_of(m, text, &v, &(struct err){ "" })) {
		out->kind = ARGUMENT_NUMBER;
		out->number = v.class == VALUE_IS_REAL	    ? VALUE_DOUBLE
			      : v.class == VALUE_IS_COMPLEX ? VALUE_DCOMPLEX
			      : v.class == VALUE_IS_BOOL    ? VALUE_BOOL
			      : v.i == (int)v.i		    ? VALUE_INT
							    : VALUE_LONG;
	}
}

/* The address that was put, of an object, becomes that of its part of the class. */
static int to_class(struct making *m, const char *text, Dwarf_Die *class, struct err *err)
{
	struct function_argument x;

	if (!m->last || !m->at.f)
		return 0;
	describe(m, text, &x);
	if (!x.typed || function_convert(m->at.f, &x.type, class, m->last) >= 0)
		return 0;
	return err_set(err, "%s is a virtual base, from which there is no way to the object", text);
}

/* As the declaration of the parameter has it. */
static int put_argument(struct making *m, Dwarf_Die *parameter, Dwarf_Die *place, const char *text,
			struct err *err)
{
	const struct function *fn = &m->c->fn;
	Dwarf_Die type, bare, target;
	unsigned number;
	struct value v;
	size_t n;
	char *s;
	int tag;

	if (!datum_type_at(parameter, &type) || dwarf_peel_type(&type, &bare))
		return put_untyped(m, text, err);
	tag = dwarf_tag(&bare);
	number = datum_number_type(&bare);
	if (fn->fortran && tag == DW_TAG_string_type)
		return put_characters(m, text, err);
	if (fn->fortran && (!is_address(tag) || dwarf_hasattr(&bare, DW_AT_data_location)) &&
	    function_by_reference(fn, place))
		return put_reference(m, text, &bare, err);
	if (tag == DW_TAG_reference_type && datum_type_at(&bare, &type) &&
	    !dwarf_peel_type(&type, &target))
		return put_reference(m, text, &target, err) || to_class(m, text, &target, err) ? -1
											       : 0;
	if (fn->cpp && is_address(tag) && !convention_is_object(parameter) &&
	    datum_type_at(&bare, &type) && datum_peeled(&type, &target) &&
	    datum_is_structure(&target))
		return put_pointer(m, text, err) || to_class(m, text, &target, err) ? -1 : 0;
	if (is_address(tag) || tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type)
		return put_pointer(m, text, err);
	if (number < VALUE_TYPES && value_size(number) == 1 && (s = expr_quoted(text, &n))) {
		v = (struct value){ .class = VALUE_IS_INT, .i = (unsigned char)*s };
		free(s);
		return n == 1 ? put_word(m, (uint64_t)v.i, false, err)
			      : err_set(err, "%s is not one character", text);
	}
	if (tag == DW_TAG_enumeration_type)
		number = VALUE_INT;
	if (datum_is_structure(&bare))
		return put_structure(m, text, &bare, err);
	if (number >= VALUE_TYPES)
		return err_set(err, "the function takes a long double here, which a call cannot "
				    "have");
	if ((value_class(number) == VALUE_IS_REAL || value_class(number) == VALUE_IS_COMPLEX) &&
	    is_place(m, text))
		return err_set(err, "the function takes a number, and %s is an address", text);
	return number_of(m, text, &v, err) || put_number(m, number, &v, err) ? -1 : 0;
}

/* ---- the whole call ---- */

struct describing {
	struct making *m;
	const struct expr_arguments *a;
};

static void describe_all(void *arg, struct function_argument *out)
{
	const struct describing *x = arg;

	for (size_t i = 0; i < x->a->n; i++)
		describe(x->m, x->a->arg[i], &out[i]);
}

/* The object of which a function of C++ is called, which is in the last word. */
static int put_object(struct making *m, const struct expr_arguments *a, struct err *err)
{
	struct function *fn = &m->c->fn;
	struct function_argument x;

	describe(m, a->arg[0], &x);
	if (x.kind != ARGUMENT_POINTER || !x.typed || !datum_is_structure(&x.type))
		return 0;
	if (function_of_object(m->at.f, fn, &x.type, function_is_scoped(a->name),
			       &m->o->word[m->nword - 1], err))
		return -1;
	m->o->function = fn->entry;
	return 0;
}

static int bad_argument(size_t i, const struct expr_arguments *a, struct err *err)
{
	/* the function is known, whatever else is not */
	err->code = ERR_OTHER;
	return err_prefix(err, "argument %zu of %s", i + 1, a->name);
}

static int put_arguments(struct making *m, const struct expr_arguments *a, struct err *err)
{
	struct function *fn = &m->c->fn;
	Dwarf_Die declared, place;
	bool more = !dwarf_child(&fn->declared, &declared), placed = !dwarf_child(&fn->die, &place);
	bool any = false, of_object = false;
	size_t i = 0, takes = 0;

	for (; convention_parameter(&declared, &more);
	     more = !dwarf_siblingof(&declared, &declared)) {
		Dwarf_Die *at = &declared;

		if (convention_parameter(&place, &placed))
			at = &place;
		if (dwarf_tag(&declared) == DW_TAG_unspecified_parameters) {
			any = true;
			break;
		}
		if (!convention_is_hidden(&declared)) {
			of_object |= !takes && fn->cpp && convention_is_object(&declared);
			takes++;
			if (i < a->n && (put_argument(m, &declared, at, a->arg[i], err) ||
					 (!i && fn->cpp && convention_is_object(&declared) &&
					  put_object(m, a, err))))
				return bad_argument(i, a, err);
			i += i < a->n;
		}
		if (placed)
			placed = !dwarf_siblingof(&place, &place);
	}
	if (a->n < takes || (a->n > takes && !any)) {
		takes -= of_object;
		return err_set(err, "%s takes %s%zu argument%s%s, not %zu%s", a->name,
			       of_object ? "the object and " : "", takes, takes == 1 ? "" : "s",
			       any ? " or more" : "", a->n - (of_object && a->n),
			       fn->fortran && i && i < takes
				       ? "; NULL is an optional one that is left out"
				       : "");
	}
	for (; i < a->n; i++)
		if (put_untyped(m, a->arg[i], err))
			return bad_argument(i, a, err);
	for (unsigned k = 0; k < m->nlength; k++)
		if (put_word(m, m->length[k], false, err))
			return -1;
	return 0;
}

/* Where a result goes that is no register's. */
static int put_result(struct making *m, struct err *err)
{
	struct native_called *c = m->c;
	Dwarf_Die bare;
	int64_t at;

	c->typed = function_result_type(&c->fn, &c->type) && !dwarf_peel_type(&c->type, &bare) &&
		   dwarf_tag(&bare) != DW_TAG_unspecified_type;
	if (!c->typed)
		return 0;
	if (function_result(&c->fn, &bare, &c->how, &c->form, &c->size, err))
		return -1;
	if (c->how == FUNCTION_VALUE)
		return 0;
	at = put_data(m, NULL, c->size, err);
	if (at < 0 || put_word(m, (uint64_t)at, true, err))
		return -1;
	c->at = (uint64_t)at;
	return c->how == FUNCTION_CHARACTERS ? put_word(m, c->size, false, err) : 0;
}

/* A function without debug information: what it returns has to be said. */
static int put_named(struct making *m, const struct expr_arguments *a, struct err *err)
{
	struct native_called *c = m->c;

	m->doubles = convention_takes_doubles(a->name);
	if (!*a->cast && !m->doubles)
		return err_set_code(err, ERR_NAME,
				    "there is no function %s with debug information; say what it "
				    "returns, as in (int)%s(…) or (double)%s(…)",
				    a->name, a->name, a->name);
	for (c->cast = *a->cast ? 0 : VALUE_DOUBLE; *a->cast && c->cast < VALUE_TYPES; c->cast++)
		if (!strcmp(value_type_name(c->cast), a->cast))
			break;
	if (c->cast == VALUE_TYPES && strcmp(a->cast, "void"))
		return err_set(err,
			       "'%s' is no type that such a call can return: say int, long, "
			       "double, float or "
			       "void",
			       a->cast);
	if (strlen(a->name) >= PAGE_CALL_NAME)
		return err_set(err, "there is no function %s", a->name);
	strcpy(m->o->name, a->name);
	if (c->cast == VALUE_FLOAT || c->cast == VALUE_DOUBLE || c->cast == VALUE_DCOMPLEX)
		c->form = PAGE_CALL_TWO_VECTORS;
	for (size_t i = 0; i < a->n; i++)
		if (put_untyped(m, a->arg[i], err))
			return bad_argument(i, a, err);
	return 0;
}

/* A variable that points to a function, "op", "x.op": the function is what it says now. */
static bool by_pointer(struct making *m, const char *path, struct function *fn)
{
	Dwarf_Die bare, to;
	uint64_t entry;
	bool address;
	struct datum d;

	if (!variable_of(m, path, &address, &d) || address || !d.typed ||
	    !datum_peeled(&d.type, &bare) || dwarf_tag(&bare) != DW_TAG_pointer_type ||
	    !datum_type_at(&bare, &to) || !datum_peeled(&to, &to) ||
	    dwarf_tag(&to) != DW_TAG_subroutine_type || !read_word(m, &d, &entry) || !entry)
		return false;
	*fn = (struct function){ .die = to, .declared = to, .entry = entry };
	fn->mod = dwfl_addrmodule(m->at.f->dwfl, entry);
	fn->fortran = m->at.f->fortran;
	fn->cpp = !fn->fortran;
	return fn->mod;
}

/* As a member of an object, which then is no argument. */
static bool by_member(struct making *m, struct expr_arguments *a, struct function *fn)
{
	const char *object = a->n ? a->arg[0] : "";
	char *path = NULL;
	bool is = *object &&
		  asprintf(&path, *object == '&' ? "%s.%s" : "%s->%s", object + (*object == '&'),
			   a->name) >= 0 &&
		  by_pointer(m, path, fn);

	free(path);
	a->arg += is;
	a->n -= is;
	return is;
}

/* An argument before those that are given, which belongs to m, NULL: "this"; false: there is no
 * room. */
static bool put_first(struct making *m, struct expr_arguments *a, char *object)
{
	if (a->n + 1 >= BOUND_MOST || m->object)
		return false;
	memcpy(m->bound + 1, a->arg, a->n * sizeof(*m->bound));
	m->bound[0] = object ? object : (char *)"this";
	m->object = object;
	a->arg = m->bound;
	a->n++;
	return true;
}

/* "c%area", of an object of Fortran, which becomes the first argument where it is one. */
static bool by_binding(struct making *m, struct expr_arguments *a, struct function *fn)
{
	const char *last = a->name + strcspn(a->name, ".%");
	bool address, passed, is;
	struct datum d;
	char *object;

	while (*last && last[1 + strcspn(last + 1, ".%")])
		last += 1 + strcspn(last + 1, ".%");
	object = *last ? strndup(a->name, (size_t)(last - a->name)) : NULL;
	is = object && variable_of(m, object, &address, &d) && !address &&
	     datum_binding(m->at.f, &d, last + 1, a->n, fn, &passed);
	if (!is || !passed || !put_first(m, a, object))
		free(object);
	return is;
}

/* In a function of an object of C++ others of it are called without naming it. */
static void give_object(struct making *m, struct expr_arguments *a)
{
	Dwarf_Die class, bare, to;
	bool address;
	struct datum d;
	uint64_t object;

	if (convention_needs_object(&m->c->fn, a->n, &class) && m->at.f &&
	    variable_of(m, "this", &address, &d) && read_word(m, &d, &object) &&
	    datum_peeled(&d.type, &bare) && datum_type_at(&bare, &to) && datum_peeled(&to, &to) &&
	    (function_convert(m->at.f, &to, &class, &object) > 0 ||
	     (dwarf_diename(&to) && dwarf_diename(&class) &&
	      !strcmp(dwarf_diename(&to), dwarf_diename(&class)))))
		put_first(m, a, NULL);
}

static int make(struct making *m, const struct expr_arguments *given_to, struct err *err)
{
	struct expr_arguments its = *given_to, *a = &its;
	struct native_called *c = m->c;
	struct describing x = { m, a };
	const struct function_arguments given = { a->n, describe_all, &x };
	int found;

	c->frame = (struct frame){ .capture = m->frames[0].capture,
				   .dwfl = m->frames[0].dwfl,
				   .native = m->n };
	c->cast = VALUE_TYPES;
	found = function_find(m->n, m->frames[0].dwfl, m->at.f, a->name, &given, &c->fn, err);
	if (found < 0)
		return -1;
	if (!found && m->at.f && !*a->cast)
		found = by_pointer(m, a->name, &c->fn) || by_member(m, a, &c->fn) ||
			by_binding(m, a, &c->fn);
	if (!found)
		return put_named(m, a, err);
	give_object(m, a);
	c->frame.mod = c->fn.mod;
	c->frame.pc = c->fn.entry;
	m->o->function = c->fn.entry;
	frame_open(&c->frame, &(struct err){ "" });
	return put_result(m, err) || put_arguments(m, a, err) ? -1 : 0;
}

struct native_called *native_call(struct native *n, const struct msg_query *q,
				  const struct native_objects *objects, struct page_call_order *out,
				  struct err *err)
{
	struct making m = { .n = n, .objects = objects, .o = out, .c = calloc(1, sizeof(*m.c)) };
	struct expr_arguments a = { 0 };
	struct msg_query whose = *q;
	int rc;

	memset(out, 0, sizeof(*out));
	m.nframes = m.c ? native_frames(n, true, 0, &m.frames, err) : err_set(err, "out of memory");
	for (int i = 0; i < m.nframes; i++)
		frame_open(&m.frames[i], &(struct err){ "" });
	whose.n = q->n & CALL_OUTERMOST ? LOCALS_OUTERMOST : 0;
	if (m.nframes > 0)
		m.at = frame_choose(m.frames, m.nframes, &whose);
	rc = m.nframes > 0 ? expr_arguments(q->name, &a, err)
	     : m.nframes   ? -1
			   : err_set(err, "it is in no function of the program's");
	if (!rc) {
		m.c->native = n;
		m.c->addresses = q->n & CALL_ADDRESSES;
		m.c->wanted = a.wanted ? strdup(a.wanted) : NULL;
		out->keep = (q->n & CALL_KEEP) != 0;
		rc = make(&m, &a, err);
		out->form = m.c->form;
	}
	for (int i = 0; i < m.nframes; i++)
		frame_close(&m.frames[i]);
	free(m.frames);
	expr_arguments_clear(&a);
	free(m.object);
	if (rc) {
		native_called_destroy(m.c);
		return NULL;
	}
	return m.c;
}
