/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/core.h"
#include "runtime/exec/sys/futex.h"
#include "runtime/page/page.h"

/* Moves at most MEMORY_BATCH spans: out of the program to data, or with `write` into it. */
static int move_batch(struct memory *m, const struct memory_span *span, size_t n,
		      unsigned char *data, bool write, uint64_t *bad)
{
	struct iovec remote[MEMORY_BATCH], local = { .iov_base = data };
	size_t done;
	ssize_t got;

	for (size_t i = 0; i < n; i++) {
		remote[i].iov_base = (void *)(uintptr_t)span[i].addr;
		remote[i].iov_len = span[i].len;
		local.iov_len += span[i].len;
	}
	*bad = span[0].addr;
	got = write ? process_vm_writev(m->pid, &local, 1, remote, n, 0)
		    : process_vm_readv(m->pid, &local, 1, remote, n, 0);
	if (got < 0)
		return -1;
	done = (size_t)got;
	if (done == local.iov_len)
		return 0;
	/* it stops at the first span that cannot be had, and says only how far it came */
	for (size_t i = 0; i < n; i++) {
		if (done < span[i].len) {
			*bad = span[i].addr;
			break;
		}
		done -= span[i].len;
	}
	errno = EFAULT;
	return -1;
}

/* One request of at most PAGE_BOUNCE bytes, served by the parked thread. */
static int bounce(struct memory *m, uint64_t addr, unsigned char *data, size_t len, bool write)
{
	struct page_bounce *b = &m->page->bounce;
	int64_t until = clock_msec() + MEMORY_BOUNCE_MS;
	uint32_t request;
	int error;

	b->addr = addr;
	b->len = (uint32_t)len;
	b->write = write;
	if (write)
		memcpy(b->data, data, len);
	b->error = EIO;
	request = atomic_fetch_add(&b->request, 1) + 1;
	atomic_fetch_add(&m->page->wake, 1);
	futex_wake(&m->page->wake);
	for (;;) {
		uint32_t seen = atomic_load(&m->page->event_seq);

		if (atomic_load(&b->answer) == request)
			break;
		if (clock_msec() >= until || atomic_load(&m->page->state) != PAGE_PARKED) {
			errno = ETIMEDOUT;
			return -1;
		}
		futex_wait(&m->page->event_seq, seen, 10);
	}
	memcpy(&error, &b->error, sizeof(error));
	if (error) {
		errno = error > 0 ? error : EFAULT;
		return -1;
	}
	if (!write)
		memcpy(data, b->data, len);
	return 0;
}

static int move_bounced(struct memory *m, const struct memory_span *span, size_t n,
			unsigned char *data, bool write, uint64_t *bad)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t at = 0; at < span[i].len;) {
			size_t len = span[i].len - at;

			if (len > PAGE_BOUNCE)
				len = PAGE_BOUNCE;
			*bad = span[i].addr;
			if (bounce(m, span[i].addr + at, data, len, write))
				return -1;
			data += len;
			at += len;
		}
	}
	return 0;
}

static int read_core(struct memory *m, const struct memory_span *span, size_t n,
		     unsigned char *data, uint64_t *bad)
{
	for (size_t i = 0; i < n; i++) {
		*bad = span[i].addr;
		if (!core_read(m->core, span[i].addr, data, span[i].len)) {
			errno = EFAULT;
			return -1;
		}
		data += span[i].len;
	}
	return 0;
}

static int move(struct memory *m, const struct memory_span *span, size_t n, unsigned char *data,
		bool write, uint64_t *bad)
{
	while (n) {
		size_t part = n < MEMORY_BATCH ? n : MEMORY_BATCH;

		if (!m->bounce && move_batch(m, span, part, data, write, bad)) {
			if (errno != EPERM && errno != ENOSYS)
				return -1;
			m->bounce = true;
		}
		if (m->bounce && move_bounced(m, span, part, data, write, bad))
			return -1;
		for (size_t i = 0; i < part; i++)
			data += span[i].len;
		span += part;
		n -= part;
	}
	return 0;
}

int memory_read(struct memory *m, const struct memory_span *span, size_t n, void *out,
		uint64_t *bad)
{
	return m->core ? read_core(m, span, n, out, bad) : move(m, span, n, out, false, bad);
}

int memory_write(struct memory *m, const struct memory_span *span, size_t n, const void *from,
		 uint64_t *bad)
{
	if (m->core) {
		*bad = n ? span->addr : 0;
		errno = EROFS;
		return -1;
	}
	/* only read from */
	return move(m, span, n, (unsigned char *)(uintptr_t)from, true, bad);
}
