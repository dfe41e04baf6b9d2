/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays whose elements are elsewhere: on a device, in a file, in a library's object. The program's
 * functions bring them to memory of ours before anybody looks at them, and take back what has been
 * changed there while the thread was parked: all else knows that memory only. Likewise arrays whose
 * rows are allocated one by one, unless they are at equal distances, which is a stride.
 */
#include "runtime/base/elsewhere.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/base/base.h"
#include "runtime/base/peek.h"

#define MOST PAGE_AWAY

static struct {
	uint64_t key, value; /* the address of the variable, and what a pointer points to */
	struct elsewhere e;
	unsigned char *here, *kept; /* NULL: not in use; kept: as it was brought */
} list[MOST];
static unsigned n;

static void drop(unsigned i)
{
	if (list[i].here)
		munmap(list[i].here, 2 * list[i].e.elem * list[i].e.count);
	list[i].here = NULL;
	list[i].key = list[i].value = 0;
}

static unsigned place(uint64_t key)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (list[i].here && list[i].key == key)
			return i;
	for (i = 0; i < n; i++)
		if (!list[i].here)
			return i;
	return i;
}

uint64_t elsewhere_add(uint64_t key, uint64_t value, const struct elsewhere *e, uint32_t *away)
{
	unsigned i = place(key);
	size_t bytes;

	if (i == MOST || !e->elem || __builtin_mul_overflow(e->elem, e->count, &bytes) ||
	    bytes > SIZE_MAX / 4)
		return 0;
	if (list[i].here && (list[i].e.elem != e->elem || list[i].e.count != e->count))
		drop(i);
	if (!list[i].here)
		list[i].here = rt_pages(bytes ? 2 * bytes : 1);
	if (!list[i].here)
		return 0;
	list[i].key = key;
	list[i].value = value;
	list[i].e = *e;
	list[i].kept = list[i].here + bytes;
	rt.page->away[i].fixed = !e->store && !e->table;
	atomic_store(&rt.page->away[i].status, 0);
	atomic_store(&rt.page->away[i].brought, 0);
	*away = i + 1;
	if (i == n)
		n++;
	return (uintptr_t)list[i].here;
}

const void *elsewhere_here(const void *at)
{
	uint64_t addr = (uintptr_t)at;

	for (unsigned i = 0; i < n; i++)
		if (list[i].here && addr && (list[i].key == addr || list[i].value == addr))
			return list[i].here;
	return at;
}

/* All rows, from where they are to memory of ours; those that cannot be read are freed, and left. */
static void fetch_rows(const struct elsewhere *e, unsigned char *here)
{
	const size_t bytes = e->row * e->elem;
	uint64_t at;

	for (size_t k = 0; k * e->row < e->count; k++)
		if (peek_8(e->table + k * e->apart, &at) && at)
			peek_bytes(here + k * bytes, at, bytes);
}

/* The elements from `from` to `to` - 1, back to their rows. 0, or a row is not there. */
static int store_rows(const struct elsewhere *e, const unsigned char *here, size_t from, size_t to)
{
	for (; from < to; from++) {
		uint64_t at;

		if (!peek_8(e->table + from / e->row * e->apart, &at) || !at)
			return -1;
		memcpy((unsigned char *)(uintptr_t)at + from % e->row * e->elem,
		       here + from * e->elem, e->elem);
	}
	return 0;
}

static void fetch(unsigned i)
{
	struct page_away *away = &rt.page->away[i];
	struct elsewhere *e = &list[i].e;
	int status;

	if (list[i].here && e->table) {
		fetch_rows(e, list[i].here);
		atomic_store(&away->brought, 1);
		memcpy(list[i].kept, list[i].here, e->elem * e->count);
	}
	if (!list[i].here || !e->fetch || !e->count)
		return;
	status = e->fetch(e->context, list[i].here, 0, e->count);
	atomic_store(&away->status, status);
	if (!status)
		atomic_store(&away->brought, 1);
	else if (!atomic_load(&away->brought))
		find_add(FINDING_PARTIAL, e->loc,
			 "the function that brings the elements of this array has failed: they are "
			 "not known, and compared as zeros");
	else
		find_add(FINDING_PARTIAL, e->loc,
			 "the function that brings the elements of this array has failed: they are "
			 "shown and "
			 "compared as they were before; DVMDBG_FORGET it before they go");
	memcpy(list[i].kept, list[i].here, e->elem * e->count);
}

uint64_t elsewhere_forget(uint64_t key)
{
	uint64_t here;

	for (unsigned i = 0; i < n; i++) {
		if (!list[i].here || list[i].key != key)
			continue;
		/* as it is at its end; the memory stays, for whoever still has the address, until
		 * the place is needed */
		fetch(i);
		here = (uintptr_t)list[i].here;
		list[i].key = list[i].value = 0;
		list[i].e.fetch = NULL;
		list[i].e.table = 0;
		return here;
	}
	return key;
}

void elsewhere_fetch(void)
{
	for (unsigned i = 0; i < n; i++)
		fetch(i);
}

void elsewhere_fetch_rows(void)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i].e.table)
			fetch(i);
}

/* The elements from `from` on that are not as they were brought; *to is behind them. */
static size_t changed(unsigned i, size_t from, size_t *to)
{
	size_t elem = list[i].e.elem, count = list[i].e.count;

	while (from < count &&
	       !memcmp(list[i].here + from * elem, list[i].kept + from * elem, elem))
		from++;
	for (*to = from;
	     *to < count && memcmp(list[i].here + *to * elem, list[i].kept + *to * elem, elem);)
		++*to;
	return from;
}

static void store_all(bool rows)
{
	for (unsigned i = 0; i < n; i++) {
		struct elsewhere *e = &list[i].e;
		size_t to;

		if (!list[i].here || (!e->table && (rows || !e->fetch)) ||
		    !memcmp(list[i].here, list[i].kept, e->elem * e->count))
			continue;
		for (size_t from = changed(i, 0, &to); from < e->count; from = changed(i, to, &to))
			if (e->table   ? store_rows(e, list[i].here, from, to)
			    : e->store ? e->store(e->context, list[i].here + from * e->elem, from,
						  to - from)
				       : -1)
				find_add(FINDING_PARTIAL, e->loc,
					 "elements of this array were assigned, and cannot be "
					 "stored where it is");
	}
}

void elsewhere_store(void)
{
	store_all(false);
}

void elsewhere_store_rows(void)
{
	store_all(true);
}

/* ---- rows that are allocated one by one ---- */

#define LOWEST 65536 /* no rows are below this */

/* Elements that are stored here along a dimension. */
static int64_t stored(const struct var *v, uint32_t d)
{
	int64_t own = var_is_list(&v->index[d]) ? v->e.list_n[d] :
						  v->e.own_hi[d] - v->e.own_lo[d] + 1;

	return own ? own + v->e.halo_lo[d] + v->e.halo_hi[d] : 0;
}

/* Its elements are in memory of ours, without gaps. */
static bool bring(struct var *v, uint64_t first, int64_t rows)
{
	struct page_entity *e = &v->e;
	struct elsewhere x = { .elem = e->elem_size,
			       .row = 1,
			       .loc = v->loc,
			       .table = e->addr,
			       .apart = v->rows };
	uint64_t here;

	for (uint32_t d = 1; d < e->ndim; d++)
		if (__builtin_mul_overflow(x.row, (size_t)stored(v, d), &x.row))
			return var_fault(v, "own and halo are too large", -1, "");
	x.count = x.row * (size_t)rows;
	if (!x.count)
		return true;
	here = elsewhere_add(e->addr, first, &x, &e->away);
	if (!here)
		return var_fault(v, "its rows do not lie at equal distances, and are too many", -1,
				 ": allocate all of them in one block");
	e->table = e->addr;
	e->apart = v->rows;
	e->addr = here;
	e->by_pointer = 0;
	for (uint32_t d = 0; d < e->ndim; d++)
		e->stride[d] = 0;
	return true;
}

bool var_rows_ok(struct var *v)
{
	struct page_entity *e = &v->e;
	uint64_t row, last = 0, first = 0;
	int64_t step = 0, rows;
	bool even = true;

	if (!v->rows)
		return true;
	if (e->ndim < 2 || e->order == 'F')
		return var_fault(v, "rows are of an array of several dimensions", -1,
				 ": give .shape");
	rows = stored(v, 0);
	for (int64_t i = 0; i < rows; i++, last = row) {
		if (!peek_8(e->addr + (uint64_t)i * v->rows, &row) || row < LOWEST || row >> 48)
			return var_fault(v, "own and halo need more rows than there are", -1,
					 ": the first argument has a pointer to each");
		first = i ? first : row;
		step = i == 1 ? (int64_t)(row - last) : step;
		even = even && (!i || (int64_t)(row - last) == step);
	}
	if (!even || step % e->elem_size)
		return bring(v, first, rows);
	e->stride[0] = step / e->elem_size;
	e->apart = v->rows;
	return true;
}
