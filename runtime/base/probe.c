/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether memory can be read, asked before checksums are taken of it: an array may have been freed
 * without being forgotten.
 */
#include "runtime/base/base.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define BATCH 1024   /* pages tried by one call; a pipe takes so many bytes */
#define MAPPED 65536 /* pages asked about by one mincore */
#define SMALL 64     /* pages remembered */

static uint64_t page_bytes;
static uint64_t small[SMALL]; /* pages that can be read, at this mark */
static uint32_t nsmall;

void probe_start(void)
{
	if (!page_bytes)
		page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	nsmall = 0;
}

static bool mapped(uint64_t page, uint64_t n)
{
	static unsigned char in_core[MAPPED];

	for (uint64_t some; n; n -= some, page += some * page_bytes) {
		some = n < MAPPED ? n : MAPPED;
		if (mincore((void *)(uintptr_t)page, some * page_bytes, in_core) < 0)
			return false;
	}
	return true;
}

/* One byte of each page through a pipe, where a process may not look at itself. */
static bool try_by_pipe(const struct iovec *page, int n)
{
	char bytes[BATCH];
	bool readable = false;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return true; /* mapped is all that can be known */
	readable = writev(fd[1], page, n) == n;
	(void)!read(fd[0], bytes, sizeof(bytes));
	close(fd[0]);
	close(fd[1]);
	return readable;
}

static bool try_pages(uint64_t page, uint64_t n)
{
	static struct iovec remote[BATCH];
	char bytes[BATCH];
	struct iovec local = { bytes, 0 };

	for (uint64_t some; n; n -= some) {
		ssize_t got;

		some = n < BATCH ? n : BATCH;
		for (uint64_t i = 0; i < some; i++, page += page_bytes)
			remote[i] = (struct iovec){ (void *)(uintptr_t)page, 1 };
		local.iov_len = some;
		got = process_vm_readv(getpid(), &local, 1, remote, some, 0);
		if (got == (ssize_t)some)
			continue;
		if (got >= 0 || (errno != ENOSYS && errno != EPERM) ||
		    !try_by_pipe(remote, (int)some))
			return false;
	}
	return true;
}

static bool remembered(uint64_t page)
{
	for (uint32_t i = 0; i < nsmall && i < SMALL; i++)
		if (small[i] == page)
			return true;
	return false;
}

/* In the part of the stack that is in use; not when the program has changed stacks. */
static bool on_stack(uint64_t addr, uint64_t len)
{
	return rt.stack_top - rt.caller < RT_STACK_REACH && addr >= rt.caller &&
	       addr < rt.stack_top && len <= rt.stack_top - addr;
}

bool probe(uint64_t addr, uint64_t len, bool sure)
{
	uint64_t first = addr & ~(page_bytes - 1), n;

	if (!len)
		return true;
	if (addr + (len - 1) < addr)
		return false;
	if (on_stack(addr, len))
		return true;
	n = ((addr + (len - 1)) & ~(page_bytes - 1)) / page_bytes - first / page_bytes + 1;
	if (n == 1 && remembered(first))
		return true;
	if (n > 1) {
		uint64_t last = first + (n - 1) * page_bytes;

		return mapped(first, n) &&
		       (sure ? try_pages(first, n) : try_pages(first, 1) && try_pages(last, 1));
	}
	if (!try_pages(first, 1))
		return false;
	small[nsmall++ % SMALL] = first;
	return true;
}
