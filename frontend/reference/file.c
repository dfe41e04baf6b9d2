/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sums.bin, see doc/REFERENCE.md: blocks of points, each compressed and with a hash.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/tracefile/tracefile.h"
#include "frontend/reference/internal.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define BLOCK_RAW (1u << 18) /* bytes after which a block is full */
#define BLOCK_POINTS 64
#define LEVEL 3

/* A process that writes has a lock, which goes with it, however it ends. */
static struct flock whole(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

int reference_file_busy(const char *dir, struct err *err)
{
	struct flock lock = whole();
	char *path;
	int fd, rc = 0;

	path = xasprintf("%s/sums.bin", dir);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !fcntl(fd, F_GETLK, &lock) && lock.l_type != F_UNLCK)
		rc = err_set(err, "%s: process %ld records there now", dir, (long)lock.l_pid);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

int reference_file_create(struct reference *r, struct err *err)
{
	struct flock lock = whole();
	char *path = xasprintf("%s/sums.bin", r->part);

	r->f = fopen(path, "wbe");
	r->end = REFERENCE_HEAD;
	/* a file system that has no locks is used without */
	if (r->f)
		fcntl(fileno(r->f), F_SETLK, &lock);
	if (!r->f || fwrite(REFERENCE_MAGIC, REFERENCE_HEAD, 1, r->f) != 1 || fflush(r->f)) {
		err_set(err, "%s: %s", path, strerror(errno));
		free(path);
		return -1;
	}
	free(path);
	return 0;
}

static void entry_code(struct codec *c, struct reference_entry *e)
{
	codec_u32(c, &e->point.main);
	codec_u32(c, &e->point.task);
	codec_u32(c, &e->point.sub);
	codec_u32(c, &e->point.side);
	codec_u32(c, &e->offset);
}

/* What a block begins with; entries of its points follow. */
struct block_head {
	uint32_t magic, points, raw, packed;
};

static void block_head_code(struct codec *c, struct block_head *h)
{
	codec_u32(c, &h->magic);
	codec_u32(c, &h->points);
	codec_u32(c, &h->raw);
	codec_u32(c, &h->packed);
}

static void put_head(struct buf *b, const struct reference *r, size_t packed)
{
	struct block_head h = { REFERENCE_BLOCK_MAGIC, (uint32_t)r->npending,
				(uint32_t)r->raw.len, (uint32_t)packed };

	block_head_code(CODEC_PUT(b), &h);
	for (size_t i = 0; i < r->npending; i++)
		entry_code(CODEC_PUT(b), &r->pending[i]);
}

static int write_block(struct reference *r, const void *packed, size_t len)
{
	unsigned char hash[REFERENCE_HASH];
	struct buf head = BUF_INIT;
	bool bad;

	put_head(&head, r, len);
	if (head.bad) {
		errno = ENOMEM;
		buf_clear(&head);
		return -1;
	}
	pack_hash(hash, head.data, head.len, packed, len);
	bad = fwrite(head.data, head.len, 1, r->f) != 1 ||
	      fwrite(hash, sizeof(hash), 1, r->f) != 1 || fwrite(packed, len, 1, r->f) != 1 ||
	      fflush(r->f);
	buf_clear(&head);
	return bad ? -1 : 0;
}

int reference_file_flush(struct reference *r, struct err *err)
{
	size_t most = pack_bound(r->raw.len), len;
	void *packed;
	int rc = 0;

	if (!r->npending || r->failed)
		return 0;
	packed = malloc(most);
	len = packed ? pack_bytes(packed, most, r->raw.data, r->raw.len, LEVEL) : 0;
	if (!len || write_block(r, packed, len)) {
		int why = errno ? errno : ENOMEM;

		r->failed = true;
		/* half a block is of no use, and the manifest needs room; when it stays, readers
		 * skip it */
		__fpurge(r->f);
		if (!ftruncate(fileno(r->f), r->end))
			fseeko(r->f, r->end, SEEK_SET);
		rc = err_set(err, "%s: %s; the reference ends before %zu points", r->part,
			     strerror(why), r->npending);
	} else {
		r->info.points += r->npending;
		r->info.sums += r->nsums;
		r->end = ftello(r->f);
	}
	free(packed);
	buf_reset(&r->raw);
	r->npending = r->nsums = 0;
	return rc;
}

int reference_file_add(struct reference *r, const struct sums_point *p, struct err *err)
{
	xvec_more(r->pending, r->npending, 1);
	r->pending[r->npending++] = (struct reference_entry){ p->point, 0, (uint32_t)r->raw.len };
	r->nsums += p->n;
	sums_point_put(p, &r->raw);
	xalloc_check(r->raw.bad);
	if (r->raw.len < BLOCK_RAW && r->npending < BLOCK_POINTS)
		return 0;
	return reference_file_flush(r, err);
}

static int note(struct reference *r, uint64_t at, const char *what)
{
	snprintf(r->note, sizeof(r->note),
		 "%s/sums.bin is %s at byte %llu: only the %zu points before can be used", r->dir,
		 what, (unsigned long long)at, r->n);
	return 1;
}

static int add_entries(struct reference *r, struct buf *list, uint32_t points, uint32_t raw)
{
	for (uint32_t i = 0; i < points; i++) {
		struct reference_entry *e;

		xvec_room(r->entry, r->cap, r->n + 1);
		e = &r->entry[r->n];
		entry_code(CODEC_GET(list), e);
		e->block = (uint32_t)r->nblock;
		if (e->offset >= raw || !e->point.main || e->point.side > 1)
			return 1;
		r->n++;
	}
	return 0;
}

/* One block at the file's position. 0, 1: the end or damage, -1: memory. */
static int read_block(struct reference *r, uint64_t size)
{
	unsigned char head[REFERENCE_HEAD], *list = NULL;
	uint64_t at = (uint64_t)ftello(r->f);
	struct buf b = buf_view(head, sizeof(head));
	struct reference_block *x;
	struct block_head h;
	size_t before = r->n, bytes;
	int rc;

	if (at == size)
		return 1;
	if (fread(head, sizeof(head), 1, r->f) != 1)
		return note(r, at, "cut off");
	block_head_code(CODEC_GET(&b), &h);
	bytes = (size_t)h.points * (REFERENCE_POINT + 4);
	if (h.magic != REFERENCE_BLOCK_MAGIC || !h.points || h.raw > REFERENCE_RAW_MOST)
		return note(r, at, "damaged");
	if (bytes + REFERENCE_HASH + h.packed > size - at - REFERENCE_HEAD)
		return note(r, at, "cut off");
	xvec_more(r->block, r->nblock, 1);
	list = malloc(bytes);
	if (!list) {
		free(list);
		return -1;
	}
	x = &r->block[r->nblock];
	if (fread(list, bytes, 1, r->f) != 1) {
		free(list);
		return note(r, at, "cut off");
	}
	*x = (struct reference_block){ at, REFERENCE_HEAD + bytes, h.raw, h.packed };
	b = buf_view(list, bytes);
	rc = add_entries(r, &b, h.points, h.raw);
	free(list);
	if (rc) {
		r->n = before;
		return rc < 0 ? -1 : note(r, at, "damaged");
	}
	r->nblock++;
	if (fseeko(r->f, (off_t)h.packed + REFERENCE_HASH, SEEK_CUR))
		return note(r, at, "cut off");
	return 0;
}

FILE *reference_fopen(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return NULL;
	}
	return fdopen(fd, "rb");
}

int reference_file_open(struct reference *r, struct err *err)
{
	char magic[REFERENCE_HEAD], *path;
	struct stat st;
	int rc;

	path = xasprintf("%s/sums.bin", r->dir);
	r->f = reference_fopen(path);
	if (!r->f || fstat(fileno(r->f), &st)) {
		err_set(err, "%s: %s", path, strerror(errno));
		free(path);
		return -1;
	}
	if (fread(magic, sizeof(magic), 1, r->f) != 1 ||
	    memcmp(magic, REFERENCE_MAGIC, sizeof(magic))) {
		err_set(err, "%s is empty or not a file of checksums", path);
		free(path);
		return -1;
	}
	free(path);
	do
		rc = read_block(r, (uint64_t)st.st_size);
	while (!rc);
	return rc < 0 ? err_set(err, "%s/sums.bin: out of memory for the list of a block", r->dir)
		      : 0;
}

static int damaged(struct reference *r, uint32_t block, struct err *err)
{
	return err_set(err, "%s/sums.bin: the block at byte %llu is damaged", r->dir,
		       (unsigned long long)r->block[block].at);
}

static int unpack(struct reference *r, uint32_t i, const void *packed, struct err *err)
{
	const struct reference_block *x = &r->block[i];
	void *raw = malloc(x->raw);

	if (!raw)
		return xalloc_refused(x->raw, "a block of checksums has so many", err);
	if (pack_undo(raw, x->raw, packed, x->packed)) {
		free(raw);
		return damaged(r, i, err);
	}
	r->open = (struct buf){ .data = raw, .len = x->raw, .cap = x->raw };
	r->opened = i;
	return 0;
}

/* Reads, checks and unpacks a block. */
static int open_block(struct reference *r, uint32_t i, struct err *err)
{
	const struct reference_block *x = &r->block[i];
	unsigned char hash[REFERENCE_HASH], *bytes;
	size_t all = x->list + REFERENCE_HASH + x->packed;
	int rc;

	if (r->open.data && r->opened == i)
		return 0;
	buf_clear(&r->open);
	bytes = malloc(all);
	if (!bytes)
		return xalloc_refused(all, "a block of checksums has so many", err);
	if (fseeko(r->f, (off_t)x->at, SEEK_SET) || fread(bytes, all, 1, r->f) != 1) {
		free(bytes);
		return damaged(r, i, err);
	}
	pack_hash(hash, bytes, x->list, bytes + x->list + REFERENCE_HASH, x->packed);
	rc = memcmp(hash, bytes + x->list, sizeof(hash))
		     ? damaged(r, i, err)
		     : unpack(r, i, bytes + x->list + REFERENCE_HASH, err);
	free(bytes);
	return rc;
}

int reference_file_get(struct reference *r, size_t i, struct buf *out, struct err *err)
{
	const struct reference_entry *e = &r->entry[i];

	if (open_block(r, e->block, err))
		return -1;
	*out = buf_view(r->open.data + e->offset, r->open.len - e->offset);
	return 0;
}
