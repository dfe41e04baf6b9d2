/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "runtime/exec/sys/memory.h"
#include "runtime/exec/page/page.h"

int target_base(struct target *t, struct memory *m, struct err *err)
{
	struct memory_span span = { t->desc.addr, sizeof(t->base) };
	uint64_t bad;

	if (t->away.is && !t->away.brought && t->away.status)
		return err_set(err,
			       "nothing of %s is known: its .fetch has failed with status %d; make "
			       "that function return 0",
			       t->name, t->away.status);
	if (t->away.is && !t->away.brought)
		return err_set(err,
			       "nothing of %s is known: its .fetch has not been called yet; go on "
			       "to a point",
			       t->name);
	t->base = t->desc.addr;
	if (t->by_pointer) {
		if (memory_read(m, &span, 1, &t->base, &bad))
			return err_set(err,
				       "the pointer %s cannot be read at address 0x%" PRIx64 ": %s",
				       t->name, bad, strerror(errno));
		if (t->base == 0)
			return err_set(err, "%s is a null pointer", t->name);
	}
	t->base += t->offset;
	return 0;
}

void target_make(struct target *t, struct object *o)
{
	const struct array_field *f = o->field;

	t->desc = o->desc;
	memset(&o->desc, 0, sizeof(o->desc));
	t->type = t->desc.type;
	t->unit = t->size = t->desc.elem_size;
	t->count = 1;
	t->by_pointer = o->by_pointer;
	t->away = o->away;
	t->offset = 0 - (uint64_t)o->before;
	if (!f)
		return;
	t->offset += f->offset;
	t->type = f->type;
	t->count = f->count;
	t->size = (uint32_t)value_size(f->type) * f->count;
	if (t->desc.ndim || f->count == 1)
		return;
	t->unit = t->size = (uint32_t)value_size(f->type);
	t->count = 1;
	t->desc.ndim = 1;
	t->desc.lower[0] = t->desc.own_lo[0] = t->desc.halo_lo[0] = t->desc.halo_hi[0] = 0;
	t->desc.extent[0] = f->count;
	t->desc.own_hi[0] = (int64_t)f->count - 1;
	t->desc.stride[0] = 1;
}

int target_find(struct target *t, struct object *o, struct page_read *r, const char *name,
		struct err *err)
{
	int found;

	*t = (struct target){ .name = name };
	memset(o, 0, sizeof(*o));
	page_read_reset(r);
	found = object_find(r, name, o);
	if (found < 0)
		return err_set(err, "out of memory");
	if (!found)
		return err_set(err, "no object %s is registered", name);
	target_make(t, o);
	return 0;
}

void target_clear(struct target *t, struct object *o)
{
	array_desc_clear(&t->desc);
	object_clear(o);
}

int target_section(const struct target *t, const struct section *asked, struct section *out,
		   struct err *err)
{
	if (asked->ndim == 0) {
		out->ndim = t->desc.ndim;
		for (unsigned d = 0; d < out->ndim; d++)
			out->dim[d].all = true;
	} else if (section_copy(out, asked)) {
		return err_set(err, "out of memory");
	}
	return section_bind(out, t->name, t->desc.ndim, t->desc.lower, t->desc.extent, err);
}

bool query_number(struct page_read *r, struct memory *m, const char *name, unsigned *type,
		  unsigned char *bytes)
{
	struct err err = { "" };
	struct memory_span span;
	struct target t;
	struct object o;
	uint64_t bad;
	bool known;

	if (target_find(&t, &o, r, name, &err))
		return false;
	known = !t.desc.ndim && t.count == 1 && value_size(t.type) && !target_base(&t, m, &err);
	span = (struct memory_span){ t.base, value_size(t.type) };
	known = known && !memory_read(m, &span, 1, bytes, &bad);
	*type = t.type;
	target_clear(&t, &o);
	return known;
}

bool query_address(struct page_read *r, struct memory *m, const char *name, uint64_t *out)
{
	struct err err = { "" };
	struct target t;
	struct object o;
	bool known;

	if (target_find(&t, &o, r, name, &err))
		return false;
	known = !target_base(&t, m, &err);
	*out = t.base;
	target_clear(&t, &o);
	return known;
}
