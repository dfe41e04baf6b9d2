/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"
#include "runtime/exec/sys/memory.h"
#include "runtime/exec/page/page.h"
#include "runtime/exec/query/internal.h"

#define VALUE_BYTES 16 /* at most */

/* Elements that are written together. */
struct batch {
	struct memory *m;
	size_t size, n;
	struct memory_span span[MEMORY_BATCH];
	unsigned char bytes[MEMORY_BATCH * VALUE_BYTES]; /* the value, again and again */
	uint64_t bad;
};

static int flush(struct batch *b)
{
	size_t n = b->n;

	b->n = 0;
	return n ? memory_write(b->m, b->span, n, b->bytes, &b->bad) : 0;
}

static int add(struct batch *b, uint64_t addr)
{
	b->span[b->n++] = (struct memory_span){ addr, b->size };
	return b->n == MEMORY_BATCH ? flush(b) : 0;
}

/* Every element of the part, and of a field that is an array all its values. */
static int walk(const struct target *t, const struct layout *p, struct batch *b)
{
	struct layout_walk w;
	struct layout_run r;

	layout_walk(&w, p, LAYOUT_MEMORY);
	while (layout_next(&w, &r))
		for (uint64_t i = 0; i < r.n; i++) {
			uint64_t addr = t->base + (uint64_t)r.offset + i * (uint64_t)r.stride;

			for (uint32_t k = 0; k < t->count; k++)
				if (add(b, addr + k * b->size))
					return -1;
		}
	return flush(b);
}

static int write_part(struct target *t, const struct layout *p, struct memory *m,
		      const struct msg_value *value, struct err *err)
{
	struct batch *b = calloc(1, sizeof(*b));
	int rc = -1;

	if (!b)
		return err_set(err, "out of memory");
	b->m = m;
	b->size = value_size(t->type);
	for (size_t i = 0; i < MEMORY_BATCH; i++)
		memcpy(b->bytes + i * b->size, value->bytes, b->size);
	if (target_base(t, m, err))
		rc = -1;
	else if (walk(t, p, b))
		err_set(err, "%s cannot be written at address 0x%" PRIx64 ": %s", t->name, b->bad,
			strerror(errno));
	else
		rc = 0;
	free(b);
	return rc;
}

static bool is_wrapped(const int8_t *wrap)
{
	static const int8_t none[ARRAY_DIMS];

	return memcmp(wrap, none, sizeof(none)) != 0;
}

/*
 * The part of the section in the rank's own part, or in what it holds with its halo. *count: the
 * elements of it that are meant: those are all, or all but the own ones, which have the value
 * already. wrap: of copies those that are so many extents further in a periodic array.
 */
static int cut(const struct target *t, const struct section *s, unsigned to,
	       const int8_t *wrap, struct layout *p, uint64_t *count, struct err *err)
{
	struct layout own = { 0 };
	int rc = layout_section(to == ASSIGN_OWN ? p : &own, &t->desc, t->unit, s, err);

	*count = 0;
	if (!rc && to == ASSIGN_OWN) {
		*count = layout_total(p);
	} else if (!rc && t->desc.kind != ARRAY_REPLICATED) {
		if (!layout_held(p, &t->desc, t->unit))
			rc = err_set(err, "%s is too large", t->name);
		else
			rc = layout_wrap(p, &t->desc, wrap) ? layout_cut(p, s, err) : 0;
		if (!rc)
			*count = layout_total(p) - (is_wrapped(wrap) ? 0 : layout_total(&own));
	}
	layout_clear(&own);
	return rc;
}

static int assign(struct target *t, struct memory *m, const struct section *asked, unsigned to,
		  const struct msg_value *value, uint64_t *count, struct err *err)
{
	int8_t wrap[ARRAY_DIMS] = { 0 };
	struct section s = { 0 };
	int rc = -1;

	*count = 0;
	if (t->away.fixed)
		err_set(err,
			"%s was registered without .store: what is assigned could not be taken to "
			"where it is; give it a .store",
			t->name);
	else if (t->type != value->type || !value_size(t->type))
		err_set(err, "%s is of another type", t->name);
	else
		rc = target_section(t, asked, &s, err);
	while (!rc) {
		struct layout p = { 0 };
		uint64_t n;

		rc = cut(t, &s, to, wrap, &p, &n, err);
		if (!rc && n)
			rc = write_part(t, &p, m, value, err);
		*count += rc ? 0 : n * t->count;
		layout_clear(&p);
		if (to == ASSIGN_OWN || !array_wrap_next(&t->desc, wrap))
			break;
	}
	section_clear(&s);
	return rc;
}

void assign_answer(struct page_read *r, struct memory *m, const char *name,
		   const struct section *section, unsigned to, const struct msg_value *value,
		   struct buf *out)
{
	struct target t;
	struct object o;
	struct err err = { "" };
	struct answer_assign a = { .head.kind = ANSWER_DONE };

	if (target_find(&t, &o, r, name, &err) ||
	    assign(&t, m, section, to, value, &a.elements, &err)) {
		fetch_refuse(out, err.text);
	} else {
		answer_assign_put(&a, out);
	}
	target_clear(&t, &o);
}
