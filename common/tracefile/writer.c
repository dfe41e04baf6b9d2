/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracefile/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/tracefile/internal.h"

struct trace_writer {
	char *path, *made; /* owned; made: where it is written */
	int fd; /* -1: nothing is written */
	uint64_t end; /* behind the last whole block */
	uint64_t records;
	size_t blocks;
	int effort;
	struct buf index;
	char failed[256]; /* why nothing is written any more; "" it is */
};

/* -1 with errno. Beyond a limit of file sizes it is EFBIG, not a signal that ends the process. */
static int write_at(int fd, const unsigned char *p, size_t n, uint64_t at)
{
	const struct timespec none = { 0, 0 };
	sigset_t mine, before, pending;
	int rc = 0, why = 0;

	if (fd < 0)
		return 0;
	sigemptyset(&mine);
	sigaddset(&mine, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &mine, &before);
	while (n && !rc) {
		ssize_t done = pwrite(fd, p, n, (off_t)at);

		if (done > 0) {
			p += done;
			n -= (size_t)done;
			at += (uint64_t)done;
		} else if (!done || errno != EINTR) {
			why = done ? errno : ENOSPC;
			rc = -1;
		}
	}
	sigpending(&pending);
	if (why == EFBIG && sigismember(&pending, SIGXFSZ) && !sigismember(&before, SIGXFSZ))
		sigtimedwait(&mine, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return rc;
}

/* Nothing is written any more; what is behind the last whole block is cut off. */
static int fail(struct trace_writer *f, const char *why, struct err *err)
{
	if (f->fd >= 0 && ftruncate(f->fd, (off_t)f->end))
		why = why ? why : strerror(errno);
	snprintf(f->failed, sizeof(f->failed), "%s; the trace ends after %zu blocks, %llu records",
		 why, f->blocks, (unsigned long long)f->records);
	return err_set(err, "%s: %s", f->made, f->failed);
}

static void destroy(struct trace_writer *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	buf_clear(&f->index);
	free(f->path);
	free(f->made);
	free(f);
}

/* A piece: its head, in which the sizes and the hash are filled in, and the packed bytes. */
static int put_piece(struct trace_writer *f, uint32_t magic, const struct buf *head,
		     const void *raw, size_t nraw, size_t *total)
{
	size_t room = pack_bound(nraw), before = TRACE_PIECE + head->len + PACK_HASH, packed;
	unsigned char *piece = malloc(before + room);
	struct buf b = BUF_INIT;
	int rc = -1;

	errno = ENOMEM;
	packed = piece ? pack_bytes(piece + before, room, raw, nraw, f->effort) : 0;
	trace_piece_code(CODEC_PUT(&b), &(struct trace_piece){ magic, (uint32_t)head->len,
							       (uint32_t)nraw, (uint32_t)packed });
	buf_put_raw(&b, head->data, head->len);
	if (packed && !b.bad && !head->bad) {
		memcpy(piece, b.data, b.len);
		pack_hash(piece + b.len, piece, b.len, piece + before, packed);
		rc = write_at(f->fd, piece, before + packed, f->end);
		*total = before + packed;
	}
	buf_clear(&b);
	free(piece);
	return rc;
}

static int put_head(struct trace_writer *f, const struct trace_meta *m)
{
	unsigned char hash[PACK_HASH];
	struct buf b = BUF_INIT, meta = BUF_INIT;
	int rc = -1;

	trace_meta_put(m, &meta);
	buf_put_raw(&b, TRACE_MAGIC, TRACE_MAGIC_BYTES);
	buf_put_blob(&b, meta.data, meta.len);
	errno = ENOMEM;
	if (!b.bad && !meta.bad) {
		pack_hash(hash, b.data, b.len, NULL, 0);
		buf_put_raw(&b, hash, sizeof(hash));
	}
	if (!b.bad && !meta.bad && !write_at(f->fd, b.data, b.len, 0)) {
		f->end = b.len;
		rc = 0;
	}
	buf_clear(&b);
	buf_clear(&meta);
	return rc;
}

/* What is put into it goes nowhere. */
static struct trace_writer *create_none(const struct trace_meta *m, struct err *err)
{
	struct trace_writer *f = calloc(1, sizeof(*f));

	if (f) {
		f->fd = -1;
		f->effort = 1;
		f->path = strdup("");
		f->made = strdup("");
	}
	if (f && f->path && f->made && !put_head(f, m))
		return f;
	destroy(f);
	err_set(err, "out of memory");
	return NULL;
}

static struct trace_writer *create(const char *path, const char *suffix, const struct trace_meta *m,
				   struct err *err)
{
	struct trace_writer *f = calloc(1, sizeof(*f));
	struct stat st;

	if (f)
		f->fd = -1;
	if (!f || !(f->path = strdup(path)) || asprintf(&f->made, "%s%s", path, suffix) < 0) {
		destroy(f);
		err_set(err, "out of memory");
		return NULL;
	}
	f->effort = 1;
	/* O_NONBLOCK: a pipe would wait for its reader */
	f->fd = open(f->made, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	if (f->fd >= 0 && !fstat(f->fd, &st) && !S_ISREG(st.st_mode)) {
		err_set(err, "%s: not a regular file", f->made);
	} else if (f->fd < 0 || ftruncate(f->fd, 0) || put_head(f, m)) {
		err_set(err, "%s: %s", f->made, strerror(errno));
	} else {
		return f;
	}
	destroy(f);
	return NULL;
}

struct trace_writer *trace_writer_create(const char *path, const struct trace_meta *m,
					 struct err *err)
{
	return path ? create(path, "", m, err) : create_none(m, err);
}

struct trace_writer *trace_writer_create_adjacent(const char *path, const struct trace_meta *m,
						  struct err *err)
{
	return create(path, ".partial", m, err);
}

void trace_writer_effort(struct trace_writer *f, int level)
{
	f->effort = level < 1 ? 1 : level > 9 ? 9 : level;
}

uint64_t trace_writer_bytes(const struct trace_writer *f)
{
	return f->end;
}

int trace_writer_put(struct trace_writer *f, const struct trace_block *b, struct err *err)
{
	struct buf head = BUF_INIT;
	size_t n = 0;
	int rc;

	if (*f->failed)
		return err_set(err, "%s: %s", f->made, f->failed);
	trace_info_put(&b->info, &head);
	rc = put_piece(f, TRACE_BLOCK_MAGIC, &head, b->data, b->ndata, &n);
	if (rc) {
		buf_clear(&head);
		return fail(f, strerror(errno), err);
	}
	trace_index_entry_put(&(struct trace_index_entry){ f->end, (uint32_t)n, (uint32_t)b->ndata,
							   head.data, head.len },
			      &f->index);
	buf_clear(&head);
	f->end += n;
	f->blocks++;
	f->records += b->info.records;
	return 0;
}

/* The index and, at the very end, where it is. */
static int put_index(struct trace_writer *f, bool complete)
{
	struct buf head = BUF_INIT, tail = BUF_INIT;
	uint64_t at = f->end;
	size_t n = 0;
	int rc;

	trace_index_head_put(&(struct trace_index_head){ complete, f->blocks, f->records }, &head);
	trace_tail_put(&(struct trace_tail){ at, TRACE_END_MAGIC }, &tail);
	rc = f->index.bad || tail.bad ||
	     put_piece(f, TRACE_INDEX_MAGIC, &head, f->index.data, f->index.len, &n) ||
	     write_at(f->fd, tail.data, tail.len, at + n);
	buf_clear(&head);
	buf_clear(&tail);
	return rc ? -1 : 0;
}

int trace_writer_close(struct trace_writer *f, bool complete, struct err *err)
{
	bool beside = strcmp(f->path, f->made) != 0;
	int rc = 0;

	if (put_index(f, complete && !*f->failed)) {
		if (!*f->failed)
			fail(f, strerror(errno), NULL);
		else if (ftruncate(f->fd, (off_t)f->end))
			complete = false; /* readers skip what is left of it */
	}
	if (*f->failed)
		rc = err_set(err, "%s: %s", f->made, f->failed);
	if (f->fd >= 0 && close(f->fd) && !rc)
		rc = err_set(err, "%s: %s", f->made, strerror(errno));
	f->fd = -1;
	if (!rc && complete && beside && rename(f->made, f->path))
		rc = err_set(err, "%s: %s", f->path, strerror(errno));
	destroy(f);
	return rc;
}
