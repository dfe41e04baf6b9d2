/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "runtime/exec/clock.h"
#include "runtime/exec/futex.h"
#include "runtime/page.h"

/* Reads at most MEMORY_BATCH spans. */
static int read_batch(struct memory *m, const struct memory_span *span, size_t n,
		      unsigned char *out, uint64_t *bad)
{
	struct iovec remote[MEMORY_BATCH], local = { .iov_base = out };
	size_t done;
	ssize_t got;

	for (size_t i = 0; i < n; i++) {
		remote[i].iov_base = (void *)(uintptr_t)span[i].addr;
		remote[i].iov_len = span[i].len;
		local.iov_len += span[i].len;
	}
	*bad = span[0].addr;
	got = process_vm_readv(m->pid, &local, 1, remote, n, 0);
	if (got < 0)
		return -1;
	done = (size_t)got;
	if (done == local.iov_len)
		return 0;
	/* it stops at the first span it cannot read, and says only how far it came */
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
static int bounce_read(struct memory *m, uint64_t addr, unsigned char *out, size_t len)
{
	struct page_bounce *b = &m->page->bounce;
	int64_t until = clock_msec() + MEMORY_BOUNCE_MS;
	uint32_t request;
	int error;

	b->addr = addr;
	b->len = (uint32_t)len;
	b->write = 0;
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
	memcpy(out, b->data, len);
	return 0;
}

static int read_bounced(struct memory *m, const struct memory_span *span, size_t n,
			unsigned char *out, uint64_t *bad)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t at = 0; at < span[i].len;) {
			size_t len = span[i].len - at;

			if (len > PAGE_BOUNCE)
				len = PAGE_BOUNCE;
			*bad = span[i].addr;
			if (bounce_read(m, span[i].addr + at, out, len))
				return -1;
			out += len;
			at += len;
		}
	}
	return 0;
}

int memory_read(struct memory *m, const struct memory_span *span, size_t n, void *out,
		uint64_t *bad)
{
	unsigned char *to = out;

	while (n) {
		size_t part = n < MEMORY_BATCH ? n : MEMORY_BATCH;

		if (!m->bounce && read_batch(m, span, part, to, bad)) {
			if (errno != EPERM && errno != ENOSYS)
				return -1;
			m->bounce = true;
		}
		if (m->bounce && read_bounced(m, span, part, to, bad))
			return -1;
		for (size_t i = 0; i < part; i++)
			to += span[i].len;
		span += part;
		n -= part;
	}
	return 0;
}
