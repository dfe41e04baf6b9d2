/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/page/page.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"

struct page_names {
	struct page_read read;
	struct trace_resolver resolver;
	uint64_t opened;
	struct page_module module; /* the one that an access was found in last */
	struct trace_module lent_module;
	struct array_desc desc; /* lent last */
	bool lent;
};

static bool load_module(struct page_names *t, unsigned i, struct page_module *m)
{
	const struct page_module *at = &t->read.page->trace.module[i];

	if (!atomic_load(&at->there))
		return false;
	memcpy(m, at, sizeof(*m));
	__asm__ volatile("" ::: "memory");
	m->path[sizeof(m->path) - 1] = '\0';
	for (char *c = m->path; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	if (m->nid > sizeof(m->id))
		m->nid = 0;
	return true;
}

static const struct trace_module *lend_module(struct page_names *t)
{
	const struct page_module *m = &t->module;

	t->lent_module = (struct trace_module){
		.path = m->path, .build_id = m->id, .nbuild_id = m->nid, .load = m->load
	};
	if (m->image_lo < m->image_hi) {
		t->lent_module.lo = m->image_lo;
		t->lent_module.hi = m->image_hi;
	}
	return &t->lent_module;
}

static bool module_has(const struct page_names *t, const struct page_module *m, uint64_t pc)
{
	uint64_t until = atomic_load(&m->until);

	return pc >= m->lo && pc < m->hi && (!until || t->opened <= until);
}

static bool find_module(struct page_names *t, uint64_t pc)
{
	uint32_t n = atomic_load(&t->read.page->trace.nmodule);

	if (module_has(t, &t->module, pc))
		return true;
	for (unsigned i = 0; i < n && i < PAGE_MODULES; i++)
		if (load_module(t, i, &t->module) && module_has(t, &t->module, pc))
			return true;
	memset(&t->module, 0, sizeof(t->module));
	return false;
}

/* A call of MPI in a file without hooks: its path and the address in it. */
static int find_caller(struct page_names *t, uint64_t pc, struct trace_site *out)
{
	for (unsigned i = 0; i < MPISTATE_MODULES; i++) {
		const struct mpistate_module *m = &t->read.page->mpi_calls.module[i];

		if (!atomic_load_explicit(&m->there, memory_order_acquire))
			return -1;
		if (pc <= m->lo || pc > m->hi)
			continue;
		out->place = (struct place){ .file = "", .func = "" };
		out->place.module = page_read_text(&t->read, m->path, sizeof(m->path));
		out->place.vaddr = pc - 1 - m->load;
		return 0;
	}
	return -1;
}

static int find_site(void *arg, uint64_t pc, struct trace_site *out)
{
	struct page_names *t = arg;

	memset(out, 0, sizeof(*out));
	page_read_reset(&t->read);
	if (pc & PAGE_SITE_LOC) {
		page_read_place(&t->read, (uint32_t)pc, &out->place);
		return 0;
	}
	/* what we get is where the call returns to */
	if (!find_module(t, pc - 1))
		return find_caller(t, pc, out);
	out->place = (struct place){ .file = "", .func = "", .module = t->module.path };
	out->place.vaddr = pc - 1 - t->module.load;
	out->build_id = t->module.id;
	out->nbuild_id = t->module.nid;
	out->module = lend_module(t);
	return 0;
}

/* Those that were there all the time. */
static int find_data(void *arg, uint32_t i, struct trace_module *out)
{
	struct page_names *t = arg;
	uint32_t n = atomic_load(&t->read.page->trace.nmodule), seen = 0;
	uint64_t until;

	for (unsigned k = 0; k < n && k < PAGE_MODULES; k++) {
		if (!load_module(t, k, &t->module))
			continue;
		until = atomic_load(&t->module.until);
		if (t->opened <= t->module.since || (until && t->opened > until) || seen++ != i)
			continue;
		*out = *lend_module(t);
		return 0;
	}
	return -1;
}

static void give_back(struct page_names *t)
{
	if (t->lent)
		array_desc_clear(&t->desc);
	t->lent = false;
}

static int find_heap(struct page_names *t, uint32_t number, struct trace_object *out)
{
	const struct page_heap *at = &t->read.page->trace.heap[number % PAGE_HEAP];
	struct page_heap h;

	memcpy(&h, at, sizeof(h));
	atomic_thread_fence(memory_order_acquire);
	if (!number || atomic_load(&at->number) != number || h.bytes > INT64_MAX / 4)
		return -1;
	t->desc = (struct array_desc){ .name = strdup("heap"), .file = strdup("") };
	t->lent = true;
	if (!t->desc.name || !t->desc.file)
		return TRACE_NO_MEMORY;
	t->desc.type = VALUE_UCHAR;
	t->desc.order = 'C';
	t->desc.elem_size = 1;
	t->desc.ndim = 1;
	t->desc.extent[0] = (int64_t)h.bytes;
	t->desc.own_hi[0] = (int64_t)h.bytes - 1;
	t->desc.stride[0] = 1;
	t->desc.addr = h.addr;
	out->kind = TRACE_HEAP;
	out->pc = h.pc;
	out->desc = t->desc;
	return 0;
}

static int find_object(void *arg, uint32_t version, struct trace_object *out)
{
	struct page_names *t = arg;
	int found;

	give_back(t);
	page_read_reset(&t->read);
	out->site = TRACE_NONE;
	if (version & PAGE_VERSION_HEAP)
		return find_heap(t, version & ~PAGE_VERSION_HEAP, out);
	found = object_version(&t->read, version, &t->desc);
	if (found)
		return found < 0 ? TRACE_NO_MEMORY : -1;
	t->lent = true;
	out->kind = TRACE_ARRAY;
	out->desc = t->desc;
	return 0;
}

static int find_place(void *arg, uint32_t place, struct place *out)
{
	struct page_names *t = arg;

	page_read_reset(&t->read);
	page_read_place(&t->read, place, out);
	return 0;
}

struct page_names *page_names_create(struct page *page)
{
	struct page_names *t = calloc(1, sizeof(*t));

	if (!t || page_read_init(&t->read, page)) {
		free(t);
		return NULL;
	}
	t->resolver = (struct trace_resolver){ t, find_site, find_object, find_place, find_data };
	return t;
}

void page_names_destroy(struct page_names *t)
{
	if (!t)
		return;
	give_back(t);
	page_read_clear(&t->read);
	free(t);
}

const struct trace_resolver *page_names_resolver(struct page_names *t, uint64_t opened)
{
	give_back(t);
	/* it may have been unloaded since */
	memset(&t->module, 0, sizeof(t->module));
	t->opened = opened;
	return &t->resolver;
}
