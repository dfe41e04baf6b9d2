/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the elements of a section are in this rank's memory: the answer to QUERY_ADDRESS. */
#include "runtime/exec/query/internal.h"

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "runtime/exec/page/page.h"

/* Where the first element of the layout, which is cut, is. */
static void put_first(const struct layout *l, const struct section *s, struct answer_address *a)
{
	int64_t offset = l->origin;

	a->ndim = (uint8_t)l->ndim;
	for (unsigned d = 0; d < l->ndim; d++) {
		a->index[d] = section_index(s, d, layout_at(l, d, 0));
		offset = (int64_t)((uint64_t)offset + (uint64_t)layout_offset(l, d, 0));
	}
	a->addr = (uint64_t)offset;
}

/* The first is one that the rank owns, if there is one. */
static int address(struct target *t, struct memory *m, const struct section *s,
		   struct answer_address *a, struct err *err)
{
	int8_t wrap[ARRAY_DIMS] = { 0 };
	struct layout own = { 0 };
	int rc = layout_section(&own, &t->desc, t->unit, s, err);

	a->own = rc ? 0 : layout_total(&own);
	a->copy = t->desc.copy != 0;
	if (a->own)
		put_first(&own, s, a);
	while (!rc) {
		struct layout held = { 0 };

		if (!layout_held(&held, &t->desc, t->unit))
			rc = err_set(err, "%s is too large", t->name);
		else if (layout_wrap(&held, &t->desc, wrap))
			rc = layout_cut(&held, s, err);
		if (!rc && !a->stored && !a->own && layout_total(&held))
			put_first(&held, s, a);
		a->stored += rc ? 0 : layout_total(&held);
		layout_clear(&held);
		if (!array_wrap_next(&t->desc, wrap))
			break;
	}
	if (a->stored)
		rc = rc ? rc : target_base(t, m, err);
	a->addr += t->base;
	layout_clear(&own);
	return rc;
}

void address_answer(struct page_read *r, struct memory *m, const char *name,
		    const struct section *section, struct buf *out)
{
	struct answer_address a = { .head.kind = ANSWER_DONE };
	struct section s = { 0 };
	struct err err = { "" };
	struct target t;
	struct object o;

	if (target_find(&t, &o, r, name, &err) || target_section(&t, section, &s, &err) ||
	    address(&t, m, &s, &a, &err))
		fetch_refuse(out, err.text);
	else
		answer_address_put(&a, out);
	section_clear(&s);
	target_clear(&t, &o);
}
