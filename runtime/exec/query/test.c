/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/query.h"

#include <inttypes.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"
#include "runtime/exec/page/page.h"
#include "runtime/exec/query/internal.h"

struct test {
	struct page_read *r;
	struct memory *m;
	struct rankset who; /* this rank alone */
	bool absent;	    /* something that is asked for is not here */
};

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
			q->count[q->ndim++] = section_count(sec, d);
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

static int resolve(void *arg, const char *name, const struct section *asked, struct values *out,
		   struct err *err)
{
	struct test *t = arg;
	struct section sec = { 0 };
	struct buf b = BUF_INIT;
	const void *bytes;
	int rc = shape(name, asked, t, &sec, out, err);

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

static bool known(void *arg, const char *name)
{
	struct test *t = arg;
	struct object o;
	int found = object_find(t->r, name, &o);

	if (found > 0)
		object_clear(&o);
	/* without memory it is asked for, and that is the error */
	return found != 0;
}

/* enum test_answer; of TEST_FAILED err says why. */
static unsigned evaluate(struct test *t, const char *text, struct err *err)
{
	const struct expr_scope scope = { .arg = t, .resolve = resolve, .known = known };
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

void test_answer(struct page_read *r, struct memory *m, uint32_t rank, const char *text,
		 struct buf *out)
{
	struct test t = { .r = r, .m = m };
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
