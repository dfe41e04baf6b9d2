/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a block that is being made: each number of the program is explained once and gets
 * a position. Sites, objects and places are kept as the bytes that the content will have.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/trace/block.h"

/* From numbers of the program to positions. */
struct numbers {
	struct number {
		uint64_t key;
		uint32_t at; /* position + 1; 0: free */
	} * entry;
	uint32_t n, cap; /* a power of two */
};

struct trace_tables {
	const struct trace_resolver *resolver;
	struct numbers sites, objects, places;
	struct buf modules, site, object, place, frames;
	struct known {
		char *path; /* owned */
		uint64_t load;
	} * module; /* to find them again */
	uint32_t nmodule, nframe;
	bool bad;
};

static struct number *look(const struct numbers *m, uint64_t key)
{
	uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (i &= m->cap - 1; m->entry[i].at && m->entry[i].key != key; i = (i + 1) & (m->cap - 1))
		;
	return &m->entry[i];
}

static int grow(struct numbers *m)
{
	struct numbers more = { .cap = m->cap ? 2 * m->cap : 64 };

	more.entry = calloc(more.cap, sizeof(*more.entry));
	if (!more.entry)
		return -1;
	for (uint32_t i = 0; i < m->cap; i++)
		if (m->entry[i].at)
			*look(&more, m->entry[i].key) = m->entry[i];
	more.n = m->n;
	free(m->entry);
	*m = more;
	return 0;
}

/* The position of key; *fresh: it is new. */
static uint32_t position(struct trace_tables *t, struct numbers *m, uint64_t key, bool *fresh)
{
	struct number *e;

	*fresh = false;
	if (2 * m->n >= m->cap && grow(m)) {
		t->bad = true;
		return TRACE_NONE;
	}
	e = look(m, key);
	if (!e->at) {
		*e = (struct number){ key, ++m->n };
		*fresh = true;
	}
	return e->at - 1;
}

struct trace_tables *trace_tables_create(const struct trace_resolver *r)
{
	struct trace_tables *t = calloc(1, sizeof(*t));

	if (t)
		t->resolver = r;
	return t;
}

void trace_tables_destroy(struct trace_tables *t)
{
	if (!t)
		return;
	free(t->sites.entry);
	free(t->objects.entry);
	free(t->places.entry);
	buf_clear(&t->modules);
	buf_clear(&t->site);
	buf_clear(&t->object);
	buf_clear(&t->place);
	buf_clear(&t->frames);
	for (uint32_t i = 0; i < t->nmodule; i++)
		free(t->module[i].path);
	free(t->module);
	free(t);
}

/* The number of a module, from 1; 0: none. The same library may be loaded elsewhere a second time.
 */
static uint32_t add_module(struct trace_tables *t, const struct trace_module *m)
{
	struct known *known;

	if (!m->path || !*m->path)
		return 0;
	for (uint32_t i = t->nmodule; i > 0; i--)
		if (t->module[i - 1].load == m->load && !strcmp(t->module[i - 1].path, m->path))
			return i;
	known = vec_add(t->module, t->nmodule);
	if (!known || !(known->path = strdup(m->path))) {
		t->bad = true;
		return 0;
	}
	known->load = m->load;
	trace_module_code(CODEC_PUT(&t->modules), (struct trace_module *)m);
	return t->nmodule;
}

static uint32_t module_of(struct trace_tables *t, const struct trace_site *s)
{
	const struct trace_module only = { .path = s->place.module,
					   .build_id = s->build_id,
					   .nbuild_id = s->nbuild_id };

	return add_module(t, s->module ? s->module : &only);
}

void trace_tables_modules(struct trace_tables *t)
{
	const struct trace_resolver *r = t->resolver;
	struct trace_module m = { 0 };

	for (uint32_t i = 0; r && r->module && !r->module(r->arg, i, &m); i++)
		add_module(t, &m);
}

uint32_t trace_tables_site(struct trace_tables *t, uint64_t pc)
{
	const struct trace_resolver *r = t->resolver;
	struct trace_site s = { 0 };
	uint32_t module;
	bool fresh;
	uint32_t at = position(t, &t->sites, pc, &fresh);

	if (fresh) {
		if (!r || !r->site || r->site(r->arg, pc, &s))
			s = (struct trace_site){ .place.vaddr = pc };
		module = module_of(t, &s) - 1;
		trace_site_code(CODEC_PUT(&t->site), &s, &module, t->nmodule);
	}
	return at;
}

/* Whether a reader will take what was put at `from`. */
static bool readable(struct buf *b, size_t from)
{
	struct buf in = buf_view(b->data + from, b->len - from);
	struct codec c = { .b = &in, .get = true };
	struct trace_object o = { 0 };

	if (b->bad)
		return false;
	trace_object_code(&c, &o, UINT32_MAX);
	array_desc_clear(&o.desc);
	b->bad = c.no_memory;
	return codec_good(&c);
}

uint32_t trace_tables_object(struct trace_tables *t, uint32_t version)
{
	const struct trace_resolver *r = t->resolver;
	struct trace_object o = { .version = version, .site = TRACE_NONE };
	struct trace_object unknown = { .version = version,
					.kind = TRACE_HEAP,
					.site = TRACE_NONE,
					.desc = { .name = (char[]){ "?" },
						  .file = (char[]){ "" },
						  .type = VALUE_UCHAR,
						  .order = 'C',
						  .elem_size = 1 } };
	size_t before = t->object.len;
	bool fresh;
	uint32_t at = position(t, &t->objects, version, &fresh);
	int rc;

	if (!fresh)
		return at;
	rc = r && r->object ? r->object(r->arg, version, &o) : -1;
	if (rc == TRACE_NO_MEMORY)
		t->object.bad = true;
	if (!rc) {
		o.site = o.pc ? trace_tables_site(t, o.pc) : TRACE_NONE;
		trace_object_code(CODEC_PUT(&t->object), &o, t->sites.n);
		if (readable(&t->object, before))
			return at;
		t->object.len = before;
	}
	trace_object_code(CODEC_PUT(&t->object), &unknown, t->sites.n);
	return at;
}

uint32_t trace_tables_place(struct trace_tables *t, uint32_t place)
{
	const struct trace_resolver *r = t->resolver;
	struct place p = { .file = "", .func = "", .module = "" };
	bool fresh;
	uint32_t at = position(t, &t->places, place, &fresh);

	if (!fresh)
		return at;
	if (!r || !r->place || r->place(r->arg, place, &p))
		p = (struct place){ .file = "", .func = "", .module = "" };
	place_put(&p, &t->place);
	return at;
}

void trace_tables_frame(struct trace_tables *t, const struct trace_frame *f)
{
	trace_frame_code(CODEC_PUT(&t->frames), (struct trace_frame *)f, t->places.n);
	t->nframe++;
}

static void put_table(struct buf *b, uint32_t n, const struct buf *bytes)
{
	buf_put_u32(b, n);
	buf_put_raw(b, bytes->data, bytes->len);
	b->bad = b->bad || bytes->bad;
}

unsigned char *trace_tables_content(struct trace_tables *t, const struct trace_slot *slot,
				    uint32_t nslot, const struct trace_col col[TRACE_COLS],
				    size_t *n)
{
	struct buf b = BUF_INIT;

	put_table(&b, t->nmodule, &t->modules);
	put_table(&b, t->sites.n, &t->site);
	put_table(&b, t->places.n, &t->place);
	put_table(&b, t->objects.n, &t->object);
	buf_put_u32(&b, nslot);
	for (uint32_t i = 0; i < nslot; i++)
		trace_slot_code(CODEC_PUT(&b), (struct trace_slot *)&slot[i], t->sites.n,
				t->objects.n);
	put_table(&b, t->nframe, &t->frames);
	for (unsigned c = 0; c < TRACE_COLS; c++)
		buf_put_u32(&b, (uint32_t)col[c].n);
	for (unsigned c = 0; c < TRACE_COLS; c++)
		buf_put_raw(&b, col[c].data, col[c].n);
	if (t->bad || b.bad) {
		buf_clear(&b);
		return NULL;
	}
	*n = b.len;
	return b.data;
}
