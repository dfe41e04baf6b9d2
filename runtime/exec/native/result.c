/* SPDX-License-Identifier: BSD-3-Clause */
/*
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
