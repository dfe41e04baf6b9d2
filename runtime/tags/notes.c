/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of this rank. Elements that follow in equal steps are one record. */
#include "runtime/tags/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM ((size_t)1 << 20)
#define FILE_MOST ((uint64_t)256 << 20) /* bytes; then there are no more notes */

static struct {
	int fd;
	uint64_t written;
	char name[512], complete[512];
	unsigned char *at; /* ROOM bytes */
	size_t n;
	struct tags_moved moved;
	struct tags_halves halves;
} out = { .fd = -1 };

static void put_out(void)
{
	size_t done = 0;

	while (done < out.n) {
		ssize_t got = write(out.fd, out.at + done, out.n - done);

		if (got <= 0)
			break;
		done += (size_t)got;
	}
	out.written += out.n;
	out.n = 0;
}

/* A buffer for a record at the end; end of it: record_end. */
static struct buf record_begin(enum tags_record kind)
{
	struct buf b = { .cap = TAGS_RECORD_MOST };

	if (out.n + TAGS_RECORD_MOST + 8 > ROOM)
		put_out();
	memcpy(out.at + out.n, &(uint32_t){ kind }, 4);
	b.data = out.at + out.n + 8;
	return b;
}

static void record_end(const struct buf *b)
{
	if (b->bad || out.written > FILE_MOST)
		return;
	memcpy(out.at + out.n + 4, &(uint32_t){ (uint32_t)b->len }, 4);
	out.n += 8 + b->len;
}

bool notes_open(const char *dir)
{
	snprintf(out.name, sizeof(out.name), "%s/%u.run", dir, rt.page->rank);
	snprintf(out.complete, sizeof(out.complete), "%s/%u", dir, rt.page->rank);
	out.at = rt_pages(ROOM);
	out.fd = out.at ? open(out.name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (out.fd < 0)
		return false;
	memcpy(out.at, &(uint64_t){ TAGS_MAGIC }, 8);
	out.n = 8;
	return true;
}

static void put_list(const struct page_entity *e, uint32_t var, uint32_t d)
{
	const int64_t *index = arena_at(e->list[d]);

	for (uint32_t i = 0; i < e->list_n[d]; i += TAGS_LIST) {
		uint32_t n = e->list_n[d] - i < TAGS_LIST ? e->list_n[d] - i : TAGS_LIST;
		struct tags_list l = { var, d, i, n, index + i };
		struct buf b = record_begin(TAGS_LISTED);

		tags_list_code(CODEC_PUT(&b), &l);
		record_end(&b);
	}
}

void notes_array(const struct page_entity *e, uint32_t var, enum tags_why why)
{
	const struct page_loc *l = arena_at(e->loc);
	struct tags_array a = { .number = var, .counter = e->counter, .since = rt.main_n,
				.name = arena_at(e->name), .line = l->line, .vaddr = l->vaddr,
				.type = e->type, .order = e->order, .why = (uint8_t)why,
				.ndim = e->ndim };
	struct buf b;

	a.file = l->file ? arena_at(l->file) : "";
	a.module = l->module ? arena_at(l->module) : "";
	for (uint32_t d = 0; d < e->ndim; d++) {
		a.lower[d] = e->lower[d];
		a.extent[d] = e->extent[d];
		a.own_lo[d] = e->own_lo[d];
		a.own_hi[d] = e->own_hi[d];
		a.halo_lo[d] = e->halo_lo[d];
		a.halo_hi[d] = e->halo_hi[d];
		a.list_n[d] = e->list[d] ? e->list_n[d] : UINT32_MAX;
	}
	if (strlen(a.name) + strlen(a.file) + strlen(a.module) > TAGS_RECORD_MOST / 2)
		return;
	b = record_begin(TAGS_ARRAY);
	tags_array_code(CODEC_PUT(&b), &a);
	record_end(&b);
	for (uint32_t d = 0; d < e->ndim; d++)
		if (e->list[d])
			put_list(e, var, d);
}

void notes_interval(uint32_t main, uint32_t from, uint32_t to)
{
	struct tags_interval i = { main, from, to };
	struct buf b;

	b = record_begin(TAGS_INTERVAL);
	tags_interval_code(CODEC_PUT(&b), &i);
	record_end(&b);
}

static void put_moved(void)
{
	struct buf b;

	if (!out.moved.n)
		return;
	b = record_begin(TAGS_MOVED);
	tags_moved_code(CODEC_PUT(&b), &out.moved);
	record_end(&b);
	out.moved.n = 0;
}

static void put_halves(void)
{
	struct buf b;

	if (!out.halves.n)
		return;
	b = record_begin(TAGS_HALF);
	tags_halves_code(CODEC_PUT(&b), &out.halves);
	record_end(&b);
	out.halves.n = 0;
}

void notes_moved(uint32_t var, uint64_t at, const struct tag *from)
{
	struct tags_moved *m = &out.moved;
	bool same = m->n && m->array == var && m->from_rank == from->rank &&
		    m->from_array == from->array;

	if (same && m->n == 1) {
		m->step = (int64_t)(at - m->at);
		m->from_step = (int64_t)(from->at - m->from);
		m->n++;
		return;
	}
	if (same && at == m->at + m->n * (uint64_t)m->step &&
	    from->at == m->from + m->n * (uint64_t)m->from_step) {
		m->n++;
		return;
	}
	put_moved();
	*m = (struct tags_moved){ .array = var, .from_rank = from->rank, .from_array = from->array,
				  .n = 1, .at = at, .from = from->at };
}

void notes_half(uint32_t var, uint64_t at, unsigned half, uint32_t bits)
{
	struct tags_halves *h = &out.halves;

	if (h->n && (h->array != var || h->half != half || h->n == TAGS_HALVES ||
		     (h->n > 1 && at != h->at + h->n * (uint64_t)h->step)))
		put_halves();
	if (!h->n) {
		h->array = var;
		h->half = half;
		h->at = at;
		h->step = 0;
	} else if (h->n == 1) {
		h->step = (int64_t)(at - h->at);
	}
	h->bits[h->n++] = bits;
}

void notes_between(uint32_t var, uint64_t n, uint64_t at, const struct tag *from)
{
	struct tags_between t = { var, from->rank, n, at, from->at };
	struct buf b = record_begin(TAGS_BETWEEN);

	tags_between_code(CODEC_PUT(&b), &t);
	record_end(&b);
}

void notes_flush(void)
{
	put_moved();
	put_halves();
	put_out();
}

void notes_close(void)
{
	if (out.fd < 0)
		return;
	notes_flush();
	close(out.fd);
	out.fd = -1;
	rename(out.name, out.complete);
}
