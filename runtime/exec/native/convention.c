/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How structures are handed to functions and returned: in registers by their eightbytes, or in
 * memory. System V Application Binary Interface, AMD64 Architecture Processor Supplement, 3.2.3.
 * What a function that was called has returned.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "runtime/exec/sys/memory.h"

#if defined(__x86_64__)
/* Marks the eightbytes that have something other than floating-point numbers; false: not in
 * registers. */
static bool classify(Dwarf_Die *type, uint64_t off, bool whole[2])
{
	Dwarf_Die bare, child, of;
	Dwarf_Word at;
	Dwarf_Attribute attr;
	unsigned number;
	int tag;

	if (dwarf_peel_type(type, &bare))
		return false;
	tag = dwarf_tag(&bare);
	if (datum_is_structure(&bare)) {
		for (bool more = !dwarf_child(&bare, &child); more;
		     more = !dwarf_siblingof(&child, &child)) {
			at = 0;
			if (dwarf_tag(&child) != DW_TAG_member &&
			    dwarf_tag(&child) != DW_TAG_inheritance)
				continue;
			if (dwarf_attr(&child, DW_AT_data_member_location, &attr))
				dwarf_formudata(&attr, &at);
			else if (dwarf_attr(&child, DW_AT_data_bit_offset, &attr) &&
				 !dwarf_formudata(&attr, &at))
				at = at / 64 * 8; /* a field of bits is within one eightbyte */
			if (!datum_type_at(&child, &of) || !classify(&of, off + at, whole))
				return false;
		}
		return true;
	}
	if (tag == DW_TAG_array_type) {
		Dwarf_Word size = 0, one = 0;

		if (!datum_type_at(&bare, &of) || dwarf_aggregate_size(&bare, &size) ||
		    dwarf_aggregate_size(&of, &one) || !one)
			return false;
		for (at = 0; at < size; at += one)
			if (!classify(&of, off + at, whole))
				return false;
		return true;
	}
	if (off >= 16)
		return false;
	number = datum_number_type(&bare);
	if (tag == DW_TAG_base_type && number >= VALUE_TYPES && dwarf_bytesize(&bare) == 16)
		return false; /* long double */
	if (number != VALUE_FLOAT && number != VALUE_DOUBLE && number != VALUE_FCOMPLEX &&
	    number != VALUE_DCOMPLEX)
		whole[off / 8] = true;
	return true;
}

static unsigned number_at(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute at;
	Dwarf_Word value = 0;

	return dwarf_attr(die, name, &at) && !dwarf_formudata(&at, &value) ? (unsigned)value : 0;
}

/* Whether the constructor copies or moves an object of the class. */
static bool is_copying(Dwarf_Die *constructor, Dwarf_Die *class)
{
	Dwarf_Die child, type, of;

	for (bool more = !dwarf_child(constructor, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    dwarf_hasattr(&child, DW_AT_artificial))
			continue;
		return datum_type_at(&child, &type) && datum_peeled(&type, &type) &&
		       datum_is_pointer(&type) && dwarf_tag(&type) != DW_TAG_pointer_type &&
		       datum_type_at(&type, &of) && datum_peeled(&of, &of) &&
		       dwarf_dieoffset(&of) == dwarf_dieoffset(class);
	}
	return false;
}

/* Destructors, and what copies, which somebody has written; virtual functions. */
static bool is_special(Dwarf_Die *function, Dwarf_Die *class)
{
	const char *name = dwarf_diename(function), *its = dwarf_diename(class);

	if (number_at(function, DW_AT_virtuality))
		return true;
	if (!name || !its || dwarf_hasattr(function, DW_AT_artificial) ||
	    number_at(function, DW_AT_defaulted) == DW_DEFAULTED_in_class)
		return false;
	return *name == '~' || (strlen(name) == strcspn(its, "<") &&
				!strncmp(name, its, strlen(name)) && is_copying(function, class));
}

/* Whether a function of C++ has a copy that a constructor makes: the class, or a part of it, has
 * something special. */
static bool has_special(Dwarf_Die *type, unsigned depth)
{
	Dwarf_Die child, of, bare;

	for (bool more = depth < DATUM_DEEP && !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && is_special(&child, type))
			return true;
		if (tag != DW_TAG_inheritance && (tag != DW_TAG_member || !datum_is_member(&child)))
			continue;
		if (tag == DW_TAG_inheritance && number_at(&child, DW_AT_virtuality))
			return true;
		if (!datum_type_at(&child, &of) || !datum_peeled(&of, &bare))
			continue;
		if (dwarf_tag(&bare) == DW_TAG_array_type &&
		    (!datum_type_at(&bare, &of) || !datum_peeled(&of, &bare)))
			continue;
		if (datum_is_structure(&bare) && has_special(&bare, depth + 1))
			return true;
	}
	return false;
}

static enum convention_way way_of(Dwarf_Die *type, uint64_t size, bool whole[2])
{
	unsigned how = number_at(type, DW_AT_calling_convention);

	whole[0] = whole[1] = false;
	/* clang says so, gcc does not */
	if (how == DW_CC_pass_by_reference || (how != DW_CC_pass_by_value && has_special(type, 0)))
		return CONVENTION_REFERENCE;
	return size <= 16 && classify(type, 0, whole) ? CONVENTION_REGISTERS : CONVENTION_MEMORY;
}
#else
static enum convention_way way_of(Dwarf_Die *type, uint64_t size, bool whole[2])
{
	return CONVENTION_UNKNOWN;
}
#endif

int convention_result(Dwarf_Die *type, uint64_t size, enum function_result *how, uint32_t *form,
		      struct err *err)
{
	static const uint32_t forms[2][2] = { { PAGE_CALL_TWO_VECTORS, PAGE_CALL_VECTOR_WORD },
					      { PAGE_CALL_WORD_VECTOR, PAGE_CALL_TWO_WORDS } };
	bool whole[2];

	switch (way_of(type, size, whole)) {
	case CONVENTION_UNKNOWN:
		return err_set(err,
			       "it returns a structure, which calls on this processor cannot do");
	case CONVENTION_REGISTERS:
		*form = forms[whole[0]][whole[1]];
		break;
	default:
		*how = FUNCTION_MEMORY;
	}
	return 0;
}

/* It is that structure; references are followed. */
static int check_type(struct frame *f, struct datum *d, const char *text, Dwarf_Die *type,
		      struct err *err)
{
	const char *name = dwarf_diename(type), *its;
	Dwarf_Word size = 0;
	Dwarf_Die bare;

	while (d->typed && datum_peeled(&d->type, &bare) && datum_is_pointer(&bare) &&
	       dwarf_tag(&bare) != DW_TAG_pointer_type)
		if (datum_target(f, d, err))
			return err_prefix(err, "%s", text);
	if (!d->typed || !datum_peeled(&d->type, &bare) || !datum_is_structure(&bare))
		return err_set(err, "the function takes a structure here, and %s is none", text);
	its = dwarf_diename(&bare);
	if (dwarf_aggregate_size(type, &size) || !size || datum_size(f, d) != size ||
	    (name && its && strcmp(name, its)))
		return err_set(err, "the function takes %s here, and %s is %s",
			       name ? name : "another structure", text, its ? its : "another one");
	return 0;
}

int convention_argument(struct frame *f, const struct datum *given, const char *text,
			Dwarf_Die *type, struct convention_argument *out, struct err *err)
{
	struct datum d = *given;
	uint64_t size;

	if (check_type(f, &d, text, type, err))
		return -1;
	size = datum_size(f, &d);
	*out = (struct convention_argument){ .n = (unsigned)((size + 7) / 8) };
	out->way = way_of(type, size, out->whole);
	switch (out->way) {
	case CONVENTION_UNKNOWN:
		return err_set(err, "the function takes a structure here, which calls on this "
				    "processor cannot do");
	case CONVENTION_REFERENCE:
		if (d.place.kind != LOCATION_MEMORY)
			return err_set(err, "%s has no address: it is in a register", text);
		out->way = CONVENTION_REGISTERS;
		out->itself = true;
		out->whole[0] = true;
		out->word[0] = d.place.addr;
		out->n = 1;
		return 0;
	default:
		if (size > sizeof(out->word))
			return err_set(err, "%s has too many bytes for a call: %llu", text,
				       (unsigned long long)size);
		if (!datum_read(f, &d, out->word, size))
			return err_set(err, "%s has no value: it has been optimized out", text);
		return 0;
	}
}

bool convention_has_copy(Dwarf_Die *type)
{
	bool whole[2];

	return way_of(type, 1, whole) == CONVENTION_REFERENCE;
}

/* ---- parameters ---- */

bool convention_parameter(Dwarf_Die *child, bool *more)
{
	while (*more && dwarf_tag(child) != DW_TAG_formal_parameter &&
	       dwarf_tag(child) != DW_TAG_unspecified_parameters)
		*more = !dwarf_siblingof(child, child);
	return *more;
}

bool convention_is_hidden(Dwarf_Die *parameter)
{
	const char *name = dwarf_diename(parameter);

	return dwarf_hasattr_integrate(parameter, DW_AT_artificial) && name &&
	       (*name == '_' || *name == '.');
}

bool convention_is_object(Dwarf_Die *parameter)
{
	return dwarf_hasattr_integrate(parameter, DW_AT_artificial);
}

bool convention_needs_object(const struct function *fn, size_t given, Dwarf_Die *class)
{
	Dwarf_Die child, declared = fn->declared, type;
	bool more = fn->cpp && !dwarf_child(&declared, &child), of = false;
	size_t takes = 0;

	for (; convention_parameter(&child, &more); more = !dwarf_siblingof(&child, &child))
		if (!takes++)
			of = convention_is_object(&child) && datum_type_at(&child, &type) &&
			     datum_peeled(&type, &type) && datum_type_at(&type, class) &&
			     datum_peeled(class, class);
	return of && takes == given + 1;
}

void function_describe(Dwarf_Die *type, bool address, struct function_argument *out)
{
	Dwarf_Die to;
	unsigned number = datum_number_type(type);
	int tag = dwarf_tag(type);
	bool reference = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;

	*out = (struct function_argument){ .kind = ARGUMENT_OBJECT, .typed = true, .type = *type };
	if (reference && datum_type_at(type, &to) && datum_peeled(&to, &to)) {
		function_describe(&to, address, out);
	} else if (address) {
		out->kind = ARGUMENT_POINTER;
	} else if (tag == DW_TAG_pointer_type || tag == DW_TAG_array_type) {
		out->kind = ARGUMENT_POINTER;
		out->typed = datum_type_at(type, &to) && datum_peeled(&to, &out->type);
	} else if (number < VALUE_TYPES) {
		out->kind = ARGUMENT_NUMBER;
		out->number = number;
	}
}

bool convention_takes_doubles(const char *name)
{
	static const char *const known[] = {
		"sqrt",	 "cbrt",   "pow",    "exp",	 "exp2",  "expm1", "log",  "log2",  "log10",
		"log1p", "sin",	   "cos",    "tan",	 "asin",  "acos",  "atan", "atan2", "sinh",
		"cosh",	 "tanh",   "asinh",  "acosh",	 "atanh", "floor", "ceil", "round", "trunc",
		"rint",	 "fabs",   "fmod",   "hypot",	 "fmin",  "fmax",  "fdim", "fma",   "erf",
		"erfc",	 "tgamma", "lgamma", "copysign", "j0",	  "j1",	   "y0",   "y1",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i], name))
			return true;
	return false;
}

/* ---- results ---- */

static const struct shown all_of_it = { .elements = 200, .deep = 3 };

static void result_place(const struct native_called *c, const struct page_call_result *r,
			 struct datum *d)
{
	*d = (struct datum){ .type = c->type, .typed = c->typed };
	if (c->how != FUNCTION_VALUE) {
		d->place = (struct location){ .kind = LOCATION_MEMORY, .addr = r->data + c->at };
		return;
	}
	d->place.kind = LOCATION_BYTES;
	d->place.n = 16;
	switch (c->form) {
	case PAGE_CALL_TWO_VECTORS:
		memcpy(d->place.bytes, r->vector, 16);
#if defined(__aarch64__)
		if (c->size == 8)
			memcpy(d->place.bytes + 4, &r->vector[1], 4);
#endif
		break;
	case PAGE_CALL_WORD_VECTOR:
		memcpy(d->place.bytes, r->word, 8);
		memcpy(d->place.bytes + 8, r->vector, 8);
		break;
	case PAGE_CALL_VECTOR_WORD:
		memcpy(d->place.bytes, r->vector, 8);
		memcpy(d->place.bytes + 8, r->word, 8);
		break;
	case PAGE_CALL_LONG_DOUBLE:
		memcpy(d->place.bytes, r->wide, 16);
		break;
	default:
		memcpy(d->place.bytes, r->word, 16);
	}
}

/* Of a function that was called by its symbol. */
static void cast_value(struct native_called *c, const struct page_call_result *r,
		       struct answer_called *out)
{
	char text[VALUE_TEXT];
	struct value v;

	if (c->cast >= VALUE_TYPES)
		return;
	out->number = (uint8_t)c->cast;
	memcpy(out->bytes, c->form == PAGE_CALL_TWO_VECTORS ? r->vector : r->word, 16);
	v = value_load(c->cast, out->bytes);
	value_format(c->cast, &v, 0, text);
	buf_put_raw(&c->value_text, text, strlen(text));
	buf_put_raw(&c->type_text, value_type_name(c->cast), strlen(value_type_name(c->cast)));
}

/* What is wanted of the result, or why there is none. */
static void put_wanted(struct native_called *c, const struct datum *d, struct answer_called *out)
{
	struct err err = { "" };
	const char *why = err.text;
	unsigned number;

	if (!c->typed) {
		err_set(&err, "it returns nothing that has parts");
	} else if (!typed_result(&c->frame, d, c->wanted, &number, out->bytes, &err)) {
		out->number = (uint8_t)number;
		return;
	}
	if (!strncmp(why, "column ", 7) && strstr(why, ": "))
		why = strstr(why, ": ") + 2;
	out->head.kind = ANSWER_ERROR;
	buf_put_raw(&c->value_text, why, strlen(why));
}

/* A reference is shown as what it refers to. */
static void follow_reference(struct frame *f, struct datum *d)
{
	struct datum to = *d;
	Dwarf_Die type;

	if (datum_peeled(&d->type, &type) && datum_is_pointer(&type) &&
	    dwarf_tag(&type) != DW_TAG_pointer_type && !datum_target(f, &to, &(struct err){ "" }))
		*d = to;
}

void native_called_value(struct native_called *c, const struct page_call_result *r,
			 struct answer_called *out)
{
	struct memory *program = c->frame.capture->memory, there = *program;
	struct shown how = all_of_it;
	unsigned number;
	struct datum d;

	out->number = VALUE_TYPES;
	buf_clear(&c->type_text);
	buf_clear(&c->value_text);
	how.addresses = c->addresses;
	result_place(c, r, &d);
	/* of the copy that holds it */
	if (r->pid && r->pid != program->pid) {
		there.pid = r->pid;
		there.bounce = false;
	}
	c->frame.capture->memory = &there;
	if (c->wanted) {
		put_wanted(c, &d, out);
	} else if (c->typed) {
		datum_type(&c->frame, &d, &c->type_text);
		follow_reference(&c->frame, &d);
		datum_value(&c->frame, &d, &how, &c->value_text);
		if (datum_number(&c->frame, &d, &number, out->bytes))
			out->number = (uint8_t)number;
	} else {
		cast_value(c, r, out);
	}
	c->frame.capture->memory = program;
	buf_put_u8(&c->type_text, 0);
	buf_put_u8(&c->value_text, 0);
	out->type = c->type_text.bad ? "" : (const char *)c->type_text.data;
	out->value = c->value_text.bad ? "<out of memory>" : (const char *)c->value_text.data;
	if (out->head.kind == ANSWER_ERROR)
		out->head.why = out->value;
}

void native_called_destroy(struct native_called *c)
{
	if (!c)
		return;
	frame_close(&c->frame);
	buf_clear(&c->type_text);
	buf_clear(&c->value_text);
	free(c->wanted);
	free(c);
}

int typed_result(struct frame *f, const struct datum *result, const char *text, unsigned *type,
		 unsigned char *bytes, struct err *err)
{
	struct typing t = { .f = f, .result = result };
	struct elements_task task = { .shape = false };
	struct expr *e = expr_parse(text, err);
	int rc = e ? typed_do(&t, e, &task, err) : -1;

	if (!rc)
		rc = err_set(err, "there is no such part of it");
	else if (rc > 0 && task.a.ndim)
		rc = err_set(err, "these are several elements: choose one");
	else if (rc > 0)
		memcpy(bytes, task.a.bytes, task.a.n);
	*type = task.a.type;
	free(task.a.room);
	expr_destroy(e);
	typed_end(&t);
	return rc < 0 ? -1 : 0;
}
