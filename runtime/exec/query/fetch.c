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

#define FETCH_GAP 128	       /* bytes between two elements that are rather read than skipped */
#define FETCH_CHUNK (1u << 20) /* bytes read before they are sorted into the answer */
#define FETCH_RUN 4096	       /* bytes that are read by themselves */
#define FETCH_ELEMS 65536      /* elements, likewise */

/* Elements on their way: spans to read, and where their bytes go. */
struct gather {
	struct memory *m;
	unsigned char *out;
	uint32_t size;
	struct memory_span span[MEMORY_BATCH];
	size_t nspan, bytes;
	unsigned char *chunk;
	struct {
		uint32_t from; /* in chunk */
		size_t to;     /* in out */
	} * elem;
	size_t nelem;
	uint64_t bad;
};

void fetch_refuse(struct buf *out, const char *why)
{
	answer_head_put(&(struct answer_head){ ANSWER_ERROR, why }, out);
}

static int gather_flush(struct gather *g)
{
	if (g->nspan == 0)
		return 0;
	if (memory_read(g->m, g->span, g->nspan, g->chunk, &g->bad))
		return -1;
	for (size_t i = 0; i < g->nelem; i++)
		memcpy(g->out + g->elem[i].to, g->chunk + g->elem[i].from, g->size);
	g->nspan = g->nelem = g->bytes = 0;
	return 0;
}

/* Adds the element at addr, whose bytes belong at `to`; a neighbour of the last one joins its span.
 */
static int gather_add(struct gather *g, uint64_t addr, size_t to)
{
	struct memory_span *last = g->nspan ? &g->span[g->nspan - 1] : NULL;
	uint64_t gap = last ? addr - (last->addr + last->len) : UINT64_MAX;

	if (gap > FETCH_GAP)
		gap = UINT64_MAX;
	if (g->nelem == FETCH_ELEMS || g->bytes + FETCH_GAP + g->size > FETCH_CHUNK ||
	    (gap == UINT64_MAX && g->nspan == MEMORY_BATCH)) {
		if (gather_flush(g))
			return -1;
		gap = UINT64_MAX;
	}
	if (gap == UINT64_MAX) {
		g->span[g->nspan++] = (struct memory_span){ addr, g->size };
	} else {
		last->len += gap + g->size;
		g->bytes += gap;
	}
	g->elem[g->nelem].from = (uint32_t)g->bytes;
	g->elem[g->nelem++].to = to;
	g->bytes += g->size;
	return 0;
}

/* Elements that are one behind the other, there as here, need not be sorted. */
static int gather_run(struct gather *g, uint64_t addr, size_t to, uint64_t n)
{
	struct memory_span span = { addr, n * g->size };

	return memory_read(g->m, &span, 1, g->out + to, &g->bad);
}

/* Gathers all elements of the part, in the order of memory. */
static int walk(const struct target *t, const struct layout *p, struct gather *g)
{
	struct layout part = layout_numbered(p);
	uint64_t extent[ARRAY_DIMS];
	struct layout_walk w;
	struct layout_run r;

	for (unsigned d = 0; d < p->ndim; d++)
		extent[d] = (uint64_t)p->count[d];
	layout_walk(&w, &part, LAYOUT_MEMORY);
	layout_walk_dense(&w, extent);
	while (layout_next(&w, &r)) {
		if (r.stride == (int64_t)g->size && r.step == 1 && r.n * g->size >= FETCH_RUN) {
			if (gather_run(g, t->base + (uint64_t)r.offset, (size_t)r.key * g->size,
				       r.n))
				return -1;
			continue;
		}
		for (uint64_t i = 0; i < r.n; i++) {
			uint64_t k = r.stride < 0 ? r.n - 1 - i : i;
			uint64_t addr = t->base + (uint64_t)r.offset + k * (uint64_t)r.stride;

			if (gather_add(g, addr, (size_t)(r.key + k * r.step) * g->size))
				return -1;
		}
	}
	return gather_flush(g);
}

int target_read(const struct target *t, const struct layout *p, struct memory *m,
		unsigned char *out, struct err *err)
{
	struct gather *g = calloc(1, sizeof(*g));
	int ret = -1;

	if (!g)
		return err_set(err, "out of memory");
	g->m = m;
	g->out = out;
	g->size = t->size;
	g->chunk = malloc(FETCH_CHUNK + (size_t)t->size);
	g->elem = malloc(FETCH_ELEMS * sizeof(*g->elem));
	if (!g->chunk || !g->elem)
		err_set(err, "out of memory");
	else if (walk(t, p, g))
		err_set(err, "%s cannot be read at address 0x%" PRIx64 ": %s", t->name, g->bad,
			strerror(errno));
	else
		ret = 0;
	free(g->chunk);
	free(g->elem);
	free(g);
	return ret;
}

/* Bytes between fields are no part of the value: two equal structures shall be equal. */
static int blank_gaps(const struct target *t, unsigned char *data, uint64_t n, struct err *err)
{
	unsigned char *keep = calloc(1, t->size);

	if (!keep)
		return err_set(err, "out of memory");
	if (t->desc.nfield) {
		for (uint32_t i = 0; i < t->desc.nfield; i++) {
			const struct array_field *f = &t->desc.field[i];

			memset(keep + f->offset, 0xff, f->count * value_size(f->type));
		}
		for (uint64_t k = 0; k < n; k++)
			for (uint32_t i = 0; i < t->size; i++)
				data[k * t->size + i] &= keep[i];
	}
	free(keep);
	return 0;
}

static int answer_put(struct target *t, const struct layout *p, struct memory *m,
		      const struct section *s, struct buf *out, struct err *err)
{
	bool value = t->desc.kind == ARRAY_REPLICATED || t->desc.ndim == 0;
	uint64_t total = layout_total(p);
	struct answer_fetch a = {
		.head.kind = value ? ANSWER_VALUE : ANSWER_PIECE,
		.type = t->type,
		.count = total * t->count,
		.piece = *p, /* borrowed */
	};
	size_t had = out->len;
	unsigned char *data;

	if (total > FETCH_MAX / t->size)
		return err_set(err,
			       "%s: %" PRIu64 " elements of %u bytes on one rank are more than "
			       "%u MiB; ask for a section",
			       t->name, total, t->size, FETCH_MAX >> 20);
	if (value && total != section_total(s))
		return err_set(err, "%s is not completely on this rank", t->name);
	if (!value && t->count > 1)
		return err_set(err, "%s: array fields of a distributed array cannot be shown",
			       t->name);
	answer_fetch_put(&a, out);
	data = buf_put_room(out, total * t->size);
	if (!data) {
		out->bad = false;
		out->len = had;
		return err_set(err, "out of memory");
	}
	/* a rank that owns nothing need not have allocated anything */
	if ((total && (target_base(t, m, err) || target_read(t, p, m, data, err))) ||
	    (t->type == VALUE_STRUCT && blank_gaps(t, data, total, err))) {
		out->len = had;
		return -1;
	}
	return 0;
}

int fetch_part(const struct object *o, const struct layout *p, struct memory *m, unsigned char *out,
	       struct err *err)
{
	struct target t = {
		.desc = o->desc, /* borrowed */
		.name = o->desc.name,
		.by_pointer = o->by_pointer,
		.away = o->away,
		.offset = 0 - (uint64_t)o->before,
		.type = o->desc.type,
		.unit = o->desc.elem_size,
		.size = o->desc.elem_size,
		.count = 1,
	};

	if (target_base(&t, m, err) || target_read(&t, p, m, out, err))
		return -1;
	return t.type == VALUE_STRUCT ? blank_gaps(&t, out, layout_total(p), err) : 0;
}

/* What of a section that may go beyond the array is here: owned, or stored. */
static int beyond(const struct target *t, struct layout *p, const struct section *s, unsigned of,
		  struct err *err)
{
	struct array_desc a = t->desc; /* borrowed */
	bool any = true;

	if (of > FETCH_STORED || s->ndim != a.ndim || a.kind != ARRAY_DISTRIBUTED)
		return err_set(err, "%s cannot be fetched like that", t->name);
	for (unsigned d = 0; d < a.ndim; d++) {
		if (section_count(s, d) > UINT32_MAX)
			return err_set(err, "the section has too many indices");
		any &= a.list[d] || a.own_lo[d] <= a.own_hi[d];
	}
	/* bounds that leave all of the halo in */
	for (unsigned d = 0; d < a.ndim && any && of == FETCH_STORED; d++)
		if (!a.list[d]) {
			a.lower[d] = a.own_lo[d] - a.halo_lo[d];
			a.extent[d] = a.own_hi[d] + a.halo_hi[d] - a.lower[d] + 1;
		}
	if (of == FETCH_STORED)
		layout_held(p, &a, t->unit);
	else
		layout_own(p, &a, t->unit);
	return layout_cut(p, s, err);
}

/* What of copy number `copy` is here: nothing, unless it is the one that this rank has. */
static int copy_of(const struct target *t, struct layout *p, const struct section *s,
		   uint32_t copy, struct err *err)
{
	if (!layout_part(p, &t->desc, t->unit))
		return err_set(err, "%s is too large", t->name);
	if (t->desc.ndim && (!t->desc.copies || t->desc.copy != copy))
		layout_numbers(p, 0, 0, 0);
	return layout_cut(p, s, err);
}

static int fetch(struct target *t, struct memory *m, const struct section *asked, unsigned of,
		 struct buf *out, struct err *err)
{
	struct section s = { 0 };
	struct layout p = { 0 };
	int ret = -1;

	if (of >= FETCH_COPY)
		ret = target_section(t, asked, &s, err) || copy_of(t, &p, &s, of - FETCH_COPY, err)
			      ? -1
			      : answer_put(t, &p, m, &s, out, err);
	else if (of)
		ret = beyond(t, &p, asked, of, err) ? -1 : answer_put(t, &p, m, asked, out, err);
	else if (target_section(t, asked, &s, err) == 0 &&
		 layout_section(&p, &t->desc, t->unit, &s, err) == 0)
		ret = answer_put(t, &p, m, &s, out, err);
	layout_clear(&p);
	section_clear(&s);
	return ret;
}

void fetch_answer(struct page_read *r, struct memory *m, const char *name,
		  const struct section *section, unsigned of, struct buf *out)
{
	struct target t;
	struct object o;
	struct err err;

	if (target_find(&t, &o, r, name, &err) || fetch(&t, m, section, of, out, &err))
		fetch_refuse(out, err.text);
	target_clear(&t, &o);
}
