/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracefile/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/trace/block.h"
#include "common/tracefile/internal.h"

struct trace_reader {
	char *path; /* owned */
	int fd;
	uint64_t size;
	unsigned char *head; /* owned; what meta's texts are in */
	struct trace_meta meta;
	struct entry {
		struct trace_info info;
		uint32_t head;	/* bytes of its head */
		uint64_t order; /* where it belongs */
	} * entry;
	size_t n;
	bool complete;
	char note[512];
};

/* n bytes at the offset, whole; -1 with errno, 0 when the file has become shorter. */
static int read_at(const struct trace_reader *m, void *to, size_t n, uint64_t at)
{
	unsigned char *p = to;

	while (n) {
		ssize_t got = pread(m->fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			errno = got ? errno : 0;
			return -1;
		}
		p += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

static uint64_t piece_bytes(const struct trace_piece *p)
{
	return (uint64_t)TRACE_PIECE + p->head + PACK_HASH + p->packed;
}

/* The piece at the offset, if all of it is in the file: 0, 1 the file ends before, 2 it is none. */
static int read_piece(const struct trace_reader *m, uint64_t at, struct trace_piece *p)
{
	unsigned char bytes[TRACE_PIECE];
	struct buf b;

	if (at > m->size || m->size - at < sizeof(bytes) || read_at(m, bytes, sizeof(bytes), at))
		return 1;
	b = buf_view(bytes, sizeof(bytes));
	trace_piece_code(CODEC_GET(&b), p);
	if ((p->magic != TRACE_BLOCK_MAGIC && p->magic != TRACE_INDEX_MAGIC) ||
	    p->head > TRACE_HEAD_MOST || p->raw > TRACE_CONTENT_MOST)
		return 2;
	return piece_bytes(p) > m->size - at;
}

/* Its content, after its hash was looked at; from malloc. NULL and err. */
static unsigned char *read_content(const struct trace_reader *m, uint64_t at,
				   const struct trace_piece *p, struct err *err)
{
	size_t before = TRACE_PIECE + p->head, all = (size_t)piece_bytes(p);
	unsigned char *bytes = malloc(all), *content = malloc(p->raw ? p->raw : 1);
	unsigned char hash[PACK_HASH];

	if (!bytes || !content) {
		err_set(err, "out of memory");
	} else if (read_at(m, bytes, all, at)) {
		err_set(err, "%s: %s", m->path,
			errno ? strerror(errno) : "became shorter while it was read");
	} else {
		pack_hash(hash, bytes, before, bytes + before + PACK_HASH, p->packed);
		if (!memcmp(hash, bytes + before, PACK_HASH) &&
		    !pack_undo(content, p->raw, bytes + before + PACK_HASH, p->packed)) {
			free(bytes);
			return content;
		}
		err_set(err, "%s: the block at byte %llu is damaged", m->path,
			(unsigned long long)at);
	}
	free(bytes);
	free(content);
	return NULL;
}

/* Appends a block; the head is checked. 0, 1 damaged, -1 no memory. */
static int add(struct trace_reader *m, uint64_t at, const struct trace_piece *p, const void *head)
{
	struct buf b = buf_view(head, p->head);
	struct entry *e;

	if (vec_more(m->entry, m->n, 1))
		return -1;
	e = &m->entry[m->n];
	if (trace_info_get(&e->info, &b) || buf_left(&b))
		return 1;
	e->head = p->head;
	e->info.offset = at;
	e->info.raw = p->raw;
	e->info.packed = p->packed;
	m->n++;
	return 0;
}

static int note(struct trace_reader *m, uint64_t at, const char *what)
{
	snprintf(m->note, sizeof(m->note),
		 "%s is %s at byte %llu: only the %zu blocks before can be used", m->path, what,
		 (unsigned long long)at, m->n);
	return 1;
}

/* The piece at *at, when there is no index. 0: another one follows; 1: that was all; -1: no memory.
 */
static int scan_piece(struct trace_reader *m, uint64_t *at)
{
	static const char *const words[] = { "", "cut off", "damaged" };
	struct trace_piece p;
	unsigned char *head;
	int rc;

	if (*at == m->size)
		return 1;
	rc = read_piece(m, *at, &p);
	if (rc)
		return note(m, *at, words[rc]);
	if (p.magic == TRACE_INDEX_MAGIC)
		return 1;
	head = malloc(p.head + 1);
	if (!head)
		return -1;
	rc = read_at(m, head, p.head, *at + TRACE_PIECE) ? 1 : add(m, *at, &p, head);
	free(head);
	if (rc)
		return rc < 0 ? -1 : note(m, *at, words[2]);
	*at += piece_bytes(&p);
	return 0;
}

static int scan(struct trace_reader *m, uint64_t at)
{
	int rc;

	m->n = 0;
	do
		rc = scan_piece(m, &at);
	while (!rc);
	return rc < 0 ? -1 : 0;
}

/* The blocks that the index lists have to follow one another. 0, 1 no index, -1 no memory. */
static int take_index(struct trace_reader *m, struct buf *in, uint64_t at, uint64_t end)
{
	while (buf_left(in)) {
		struct trace_piece p = { .magic = TRACE_BLOCK_MAGIC };
		struct trace_index_entry e;
		int rc;

		if (trace_index_entry_get(&e, in) || e.offset != at || e.nhead > TRACE_HEAD_MOST ||
		    e.raw > TRACE_CONTENT_MOST || e.bytes < TRACE_PIECE + PACK_HASH + e.nhead ||
		    e.bytes > end - at)
			return 1;
		p.raw = e.raw;
		p.head = (uint32_t)e.nhead;
		p.packed = e.bytes - TRACE_PIECE - PACK_HASH - p.head;
		rc = add(m, at, &p, e.head);
		if (rc)
			return rc;
		at += e.bytes;
	}
	return in->bad || at != end;
}

/* Blocks begin at the offset. 0, 1: there is none to be trusted, -1: no memory. */
static int read_index(struct trace_reader *m, uint64_t first)
{
	unsigned char bytes[TRACE_TAIL], head[TRACE_INDEX_HEAD], *content;
	struct trace_index_head h;
	struct trace_piece p;
	struct trace_tail tail;
	struct buf b;
	uint64_t at;
	int rc;

	if (m->size < first + TRACE_TAIL || read_at(m, bytes, TRACE_TAIL, m->size - TRACE_TAIL))
		return 1;
	b = buf_view(bytes, sizeof(bytes));
	trace_tail_get(&tail, &b);
	at = tail.index;
	if (tail.magic != TRACE_END_MAGIC || at < first || read_piece(m, at, &p) ||
	    p.magic != TRACE_INDEX_MAGIC || piece_bytes(&p) != m->size - TRACE_TAIL - at || !p.head)
		return 1;
	content = read_content(m, at, &p, NULL);
	if (!content)
		return 1;
	b = buf_view(content, p.raw);
	rc = take_index(m, &b, first, at);
	free(content);
	if (!rc && p.head >= sizeof(head) && !read_at(m, head, sizeof(head), at + TRACE_PIECE)) {
		b = buf_view(head, sizeof(head));
		m->complete = !trace_index_head_get(&h, &b) && h.complete;
	}
	return rc;
}

/* The head of the file. The offset behind it, 0 and err when it is none. */
static uint64_t read_head(struct trace_reader *m, struct err *err)
{
	unsigned char start[TRACE_MAGIC_BYTES + 4], hash[PACK_HASH];
	struct buf b;
	uint32_t n, format = TRACE_FORMAT;

	if (m->size < sizeof(start) || read_at(m, start, sizeof(start), 0) ||
	    memcmp(start, TRACE_MAGIC, TRACE_MAGIC_BYTES)) {
		err_set(err, "%s is empty or not a trace", m->path);
		return 0;
	}
	b = buf_view(start + TRACE_MAGIC_BYTES, 4);
	n = buf_get_u32(&b);
	if (n > TRACE_HEAD_MOST || m->size - sizeof(start) < n + PACK_HASH) {
		err_set(err, "%s is cut off in its head", m->path);
		return 0;
	}
	m->head = malloc(n + PACK_HASH);
	if (!m->head) {
		err_set(err, "out of memory");
		return 0;
	}
	if (!read_at(m, m->head, n + PACK_HASH, sizeof(start))) {
		b = buf_view(m->head, n);
		pack_hash(hash, start, sizeof(start), m->head, n);
		if (!memcmp(hash, m->head + n, PACK_HASH) && !trace_meta_get(&m->meta, &format, &b))
			return sizeof(start) + n + PACK_HASH;
	}
	if (format == TRACE_FORMAT)
		err_set(err, "%s is damaged in its head", m->path);
	else
		err_set(err, "%s has format %u, and this program reads format %u", m->path, format,
			TRACE_FORMAT);
	return 0;
}

/* 0, -1 with errno: no regular file. Never waits, as a pipe would. */
static int open_file(struct trace_reader *m)
{
	struct stat st;

	m->fd = open(m->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (m->fd < 0 || fstat(m->fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	m->size = (uint64_t)st.st_size;
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->info.offset > y->info.offset) - (x->info.offset < y->info.offset);
}

/* Into the order in which they were closed: one may have been written before another one that was
 * closed a moment earlier. Those without a number stay behind the one before them. */
static void sort(struct trace_reader *m)
{
	uint64_t last = 0;
	bool sorted = true;

	for (size_t i = 0; i < m->n; i++) {
		struct entry *e = &m->entry[i];

		e->order = e->info.seq ? e->info.seq : last;
		sorted = sorted && e->order >= last;
		last = e->order;
	}
	if (!sorted)
		qsort(m->entry, m->n, sizeof(*m->entry), by_order);
}

struct trace_reader *trace_reader_open(const char *path, struct err *err)
{
	struct trace_reader *m = calloc(1, sizeof(*m));
	uint64_t first = 0;
	int rc;

	if (m)
		m->fd = -1;
	if (!m || !(m->path = strdup(path)))
		err_set(err, "out of memory");
	else if (open_file(m))
		err_set(err, "%s: %s", path, strerror(errno));
	else
		first = read_head(m, err);
	if (first) {
		rc = read_index(m, first);
		if (rc > 0)
			rc = scan(m, first);
		if (!rc) {
			sort(m);
			return m;
		}
		err_set(err, "out of memory");
	}
	trace_reader_close(m);
	return NULL;
}

void trace_reader_close(struct trace_reader *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	free(m->entry);
	free(m->head);
	free(m->path);
	free(m);
}

const struct trace_meta *trace_reader_meta(const struct trace_reader *m)
{
	return &m->meta;
}

bool trace_reader_complete(const struct trace_reader *m)
{
	return m->complete;
}

const char *trace_reader_note(const struct trace_reader *m)
{
	return m->note;
}

size_t trace_reader_blocks(const struct trace_reader *m)
{
	return m->n;
}

const struct trace_info *trace_reader_info(const struct trace_reader *m, size_t i)
{
	return i < m->n ? &m->entry[i].info : NULL;
}

struct trace_block *trace_reader_block(const struct trace_reader *m, size_t i, struct err *err)
{
	struct trace_block *b;
	struct trace_piece p;
	unsigned char *content;

	if (i >= m->n) {
		err_set(err, "%s has %zu blocks", m->path, m->n);
		return NULL;
	}
	p = (struct trace_piece){ TRACE_BLOCK_MAGIC, m->entry[i].head, m->entry[i].info.raw,
				  m->entry[i].info.packed };
	content = read_content(m, m->entry[i].info.offset, &p, err);
	if (!content)
		return NULL;
	b = calloc(1, sizeof(*b));
	if (!b) {
		free(content);
		err_set(err, "out of memory");
		return NULL;
	}
	b->info = m->entry[i].info;
	if (!trace_block_get(b, content, p.raw, err))
		return b;
	err_prefix(err, "%s", m->path);
	free(b);
	return NULL;
}
