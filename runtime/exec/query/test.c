/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "common/protocol/own_value.h"
#include "common/array/value.h"
#include "runtime/exec/native/native.h"
#include "runtime/exec/page/page.h"
#include "runtime/exec/query/internal.h"

/* Type and shape of the section of an object; sec: bound. */
static int shape(const char *name, const struct section *asked, struct test *t, struct section *sec,
		 struct values *q, struct err *err)
{
	struct target target = { .name = name };
	struct object o;
	int rc, found = object_find(t->r, name, &o);

	if (found <= 0)
		return err_set(err, found ? "out of memory" : "no object %s is registered", name);
	target_make(&target, &o);
	q->type = target.type;
	q->elem_size = (uint32_t)value_size(target.type);
	rc = asked ? section_copy(sec, asked) : 0;
	if (!rc)
		rc = section_bind(sec, name, target.desc.ndim, target.desc.lower,
				  target.desc.extent, err);
	for (unsigned d = 0; !rc && d < sec->ndim; d++)
		if (!sec->dim[d].scalar)
			values_add_dim(q, sec, d);
	q->order = (char)target.desc.order;
	if (!rc && !q->elem_size)
		rc = err_set(err, "%s is a structure: name one of its fields", name);
	array_desc_clear(&target.desc);
	object_clear(&o);
	return rc;
}

/* The values behind what fetch_answer says; NULL: they are not all here, or err. */
static const void *values(struct buf *b, const struct values *q, struct test *t, struct err *err)
{
	uint64_t total = values_total(q), n;
	struct answer_fetch a;

	/* they are our own bytes: only memory can lack */
	if (b->bad || answer_fetch_get(&a, b)) {
		err_set(err, "out of memory");
		return NULL;
	}
	n = a.head.kind == ANSWER_PIECE ? layout_total(&a.piece) : a.count;
	layout_clear(&a.piece);
	if (a.head.kind == ANSWER_ERROR) {
		err_set(err, "%s", a.head.why);
		return NULL;
	}
	t->absent |= n != total;
	if (t->absent || buf_left(b) < total * q->elem_size) {
		err_set(err, "not all of it is on this rank");
		return NULL;
	}
	return b->data + b->pos;
}

/* "$rank" and the like. */
static int resolve_own(struct test *t, const char *name, const struct section *sec,
		       struct values *out, struct err *err)
{
	enum own_value which = own_value_find(name, err);
	struct report_stack *stack = calloc(1, sizeof(*stack));
	int64_t number = 0;
	struct point point = { 0 };
	int rc = -1;

	if (!stack)
		err_set(err, "out of memory");
	else if (sec)
		err_set(err, "%s is not an array", name);
	else
		rc = which == OWN_VALUES ? -1 : 0;
	if (!rc && which == OWN_ITERATION)
		page_read_stack(t->r, stack);
	if (!rc && which == OWN_POINT)
		point = page_read_point(t->r);
	if (!rc)
		number = which == OWN_RANK     ? (int64_t)rankset_next(&t->who, 0)
			 : which == OWN_NRANKS ? (int64_t)page_read_ranks(t->r)
			 : which == OWN_POINT  ? (int64_t)point_number(&point)
					       : 0;
	rc = rc ? rc : own_value_add(which, &t->who, number, stack, out, err);
	free(stack);
	return rc;
}

static bool is_object(const struct test *t, const char *name)
{
	struct object o;
	int found = object_find(t->r, name, &o);

	if (found > 0)
		object_clear(&o);
	/* without memory it is asked for, and that is the error */
	return found != 0;
}

/* What the text comes to in the user's innermost call, of that name. */
static int numbers(struct test *t, const struct buf *text, const char *name, struct values *out,
		   struct err *err)
{
	struct answer_elements a = { .ndim = 0 };
	int found = text->bad ? err_set(err, "out of memory")
			      : native_numbers(t->native, true, (const char *)text->data, &a, err);

	if (!found)
		err_set(err, "there is no object and no variable %s", name);
	if (found > 0) {
		*out = (struct values){ .type = a.type,
					.elem_size = (uint32_t)value_size(a.type),
					.ndim = a.ndim,
					.order = (char)a.order };
		memcpy(out->count, a.count, sizeof(out->count));
		memcpy(out->first, a.first, sizeof(out->first));
		memcpy(out->step, a.step, sizeof(out->step));
		if (values_add(out, &t->who, a.bytes))
			found = err_set(err, "out of memory");
	}
	free(a.room);
	return found > 0 ? 0 : -1;
}

static int resolve_variable(struct test *t, const char *name, const struct section *sec,
			    struct values *out, struct err *err)
{
	struct buf path = BUF_INIT;
	int rc;

	expr_put_path(name, sec, &path);
	buf_put_u8(&path, 0);
	rc = numbers(t, &path, name, out, err);
	buf_clear(&path);
	return rc;
}

/* As it stands in the source, so that columns are the same. */
static int resolve_typed(void *arg, const struct expr *e, struct values *out, struct err *err)
{
	struct buf text = BUF_INIT;
	struct test *t = arg;
	int rc;

	if (!t->native)
		return err_set(err, "column %zu: there are no variables here", e->column + 1);
	for (size_t i = 0; i < e->from; i++)
		buf_put_raw(&text, " ", 1);
	buf_put_raw(&text, e->source + e->from, e->end - e->from);
	buf_put_u8(&text, 0);
	rc = numbers(t, &text, "of it", out, err);
	buf_clear(&text);
	return rc;
}

int test_resolve(void *arg, const char *name, const struct section *asked, struct values *out,
		 struct err *err)
{
	struct test *t = arg;
	struct section sec = { 0 };
	struct buf b = BUF_INIT;
	const void *bytes;
	int rc;

	if (*name == '$')
		return resolve_own(t, name, asked, out, err);
	if (t->native && !is_object(t, name))
		return resolve_variable(t, name, asked, out, err);
	rc = shape(name, asked, t, &sec, out, err);

	if (!rc) {
		fetch_answer(t->r, t->m, name, &sec, FETCH_OWN, &b);
		bytes = values(&b, out, t, err);
		if (!bytes)
			rc = -1;
		else if (values_add(out, &t->who, bytes))
			rc = err_set(err, "out of memory");
	}
	buf_clear(&b);
	section_clear(&sec);
	if (rc)
		values_clear(out);
	return rc;
}

bool test_known(void *arg, const char *name)
{
	struct test *t = arg;
	struct answer_elements a;
	bool is = is_object(t, name);

	if (is || !t->native)
		return is;
	is = native_numbers(t->native, true, name, &a, &(struct err){ "" }) > 0 &&
	     (a.ndim || a.type == VALUE_POINTER) && (a.order == 'F' || !expr_function_named(name));
	free(a.room);
	return is;
}

/* enum test_answer; of TEST_FAILED err says why. */
static unsigned evaluate(struct test *t, const char *text, struct err *err)
{
	const struct expr_scope scope = {
		.arg = t, .resolve = test_resolve, .known = test_known, .typed = resolve_typed
	};
	struct expr *e = expr_parse(text, err);
	struct values q = { 0 };
	unsigned answer = TEST_FAILED;
	struct value v;

	if (!e)
		return TEST_FAILED;
	if (expr_eval(e, &t->who, &scope, &q, err)) {
		answer = t->absent ? TEST_ABSENT : TEST_FAILED;
	} else if (values_total(&q) != 1 || q.type == VALUE_STRUCT) {
		err_set(err, "%s is not a single number, but %" PRIu64, text, values_total(&q));
	} else {
		v = values_value(&q, 0, 0);
		answer = value_truth(&v) ? TEST_YES : TEST_NO;
	}
	values_clear(&q);
	expr_destroy(e);
	return answer;
}

void test_answer(struct page_read *r, struct memory *m, struct native *native, uint32_t rank,
		 const char *text, struct buf *out)
{
	struct test t = { .r = r, .m = m, .native = native };
	struct err err = { "" };
	struct answer_head a = { .kind = TEST_FAILED, .why = err.text };

	page_read_reset(r);
	if (rankset_add(&t.who, rank, rank))
		err_set(&err, "out of memory");
	else
		a.kind = (uint8_t)evaluate(&t, text, &err);
	answer_head_put(&a, out);
	rankset_clear(&t.who);
}
