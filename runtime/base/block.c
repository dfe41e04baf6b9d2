/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The block of the C library's allocator in which an address is, for the check of registrations.
 * Blocks are found by going over the heap from its beginning, or over a mapping of their own, as
 * an address in the middle of a block does not show where that begins. Where anything is not as
 * glibc leaves it, as with another allocator, nothing is known. Other threads, as those of MPI,
 * may change blocks, and give pages back, meanwhile: heads are copied by the kernel, which does not
 * fault, and a block counts when it is found twice.
 */
#include "runtime/base/base.h"
#include "runtime/base/peek.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define STEPS 200000 /* blocks of a heap that are gone over */
#define PAGE_MASK UINT64_C(4095)
#define HEAD 16 /* bytes of a block's head, and what its size is a multiple of */

enum { PREV_IN_USE = 1, MAPPED = 2, OTHER_ARENA = 4, FLAGS = 7 };

struct mapping {
	uint64_t lo, hi;
	bool heap, plain; /* plain: private, readable, of no file */
};

static bool is_glibc(void)
{
	static int known = -1;
	Dl_info ours, theirs;

	if (known < 0)
		known = dladdr(dlsym(RTLD_DEFAULT, "malloc"), &ours) &&
			dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &theirs) &&
			ours.dli_fbase == theirs.dli_fbase;
	return known == 1;
}

static uint64_t hex(const char **p)
{
	uint64_t v = 0;

	for (;; ++*p) {
		char c = **p;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return v;
	}
}

/* "LO-HI rw-p OFFSET DEVICE INODE   PATH" */
static void mapping_parse(const char *line, struct mapping *m)
{
	const char *p = line;
	unsigned fields = 0;

	m->lo = hex(&p);
	p += *p == '-';
	m->hi = hex(&p);
	m->plain = !strncmp(p, " rw-p", 5);
	while (*p && fields < 4) {
		while (*p == ' ')
			p++;
		while (*p && *p != ' ')
			p++;
		fields++;
	}
	while (*p == ' ')
		p++;
	m->heap = !strcmp(p, "[heap]");
	m->plain &= m->heap || !*p;
}

/* Feeds the file line by line to parse; true: the mapping of addr is in *m. */
static bool mapping_find(uint64_t addr, struct mapping *m)
{
	static char text[4096];
	char line[256];
	size_t len = 0;
	ssize_t n;
	bool found = false;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while (!found && (n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n && !found; i++) {
			if (text[i] != '\n') {
				if (len + 1 < sizeof(line))
					line[len++] = text[i];
				continue;
			}
			line[len] = 0;
			/* the inode is 0 where there is no path, and is the path's field then */
			if (len >= 2 && line[len - 1] == '0' && line[len - 2] == ' ')
				line[len - 1] = 0;
			len = 0;
			mapping_parse(line, m);
			found = addr >= m->lo && addr < m->hi;
		}
	close(fd);
	return found;
}

/* Heads of blocks, as they are copied: bytes from `at` on. */
struct heads {
	uint64_t at, n;
	const struct mapping *in;
	bool gone; /* something could not be read */
};

#define READ_PAGES 8 /* at a time: a program has thousands of small blocks */

static unsigned char copied[READ_PAGES * (PAGE_MASK + 1)];

/* The eight bytes at an address of the mapping; 0 and `gone`: they are not there any more. */
static uint64_t word(struct heads *h, uint64_t addr)
{
	struct iovec local = { copied, sizeof(copied) }, remote;
	uint64_t v = 0;
	ssize_t got;

	if (h->gone || addr < h->in->lo || addr + sizeof(v) > h->in->hi) {
		h->gone = true;
		return 0;
	}
	if (addr < h->at || addr + sizeof(v) > h->at + h->n) {
		if (local.iov_len > h->in->hi - addr)
			local.iov_len = h->in->hi - addr;
		remote = (struct iovec){ (void *)(uintptr_t)addr, local.iov_len };
		got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
		h->at = addr;
		h->n = got > 0 ? (uint64_t)got : 0;
		if (got < 0 && (errno == ENOSYS || errno == EPERM)) {
			h->gone = !peek_8(addr, &v);
			return v;
		}
	}
	h->gone = addr + sizeof(v) > h->at + h->n;
	if (!h->gone)
		memcpy(&v, copied + (addr - h->at), sizeof(v));
	return v;
}

/* The block of its own mapping whose head is at `at`, in a mapping that ends at end; 0: it is none.
 */
static uint64_t mapped_bytes(struct heads *h, uint64_t at, uint64_t end)
{
	uint64_t size = word(h, at + 8), n = size & ~(uint64_t)FLAGS;

	if (word(h, at) || (size & FLAGS) != MAPPED || !n || n & PAGE_MASK || n > end - at)
		return 0;
	return n;
}

static bool in_mapped(uint64_t addr, const struct mapping *m, uint64_t *lo, uint64_t *hi)
{
	struct heads h = { .in = m };
	/* a block that addr begins; else what is before it has to be blocks as well */
	uint64_t at = (addr & PAGE_MASK) == HEAD ? addr - HEAD : m->lo, n;

	for (unsigned i = 0; i < STEPS; i++, at += n) {
		n = at < m->hi ? mapped_bytes(&h, at, m->hi) : 0;
		if (!n || h.gone)
			return false;
		*lo = at + HEAD;
		*hi = at + n;
		if (addr < *hi)
			return addr >= *lo;
	}
	return false;
}

static bool in_heap(uint64_t addr, const struct mapping *m, uint64_t *lo, uint64_t *hi)
{
	struct heads h = { .in = m };
	uint64_t n;

	for (uint64_t at = m->lo, i = 0; i < STEPS; i++, at += n) {
		uint64_t size = word(&h, at + 8);

		n = size & ~(uint64_t)FLAGS;
		/* what is behind the last block is nobody's */
		if (h.gone || size & (MAPPED | OTHER_ARENA) || n < 2 * HEAD || n % HEAD ||
		    n >= m->hi - at)
			return false;
		*lo = at + HEAD;
		*hi = at + n + 8;
		if (addr < at + n)
			return addr >= *lo && word(&h, at + n + 8) & PREV_IN_USE && !h.gone;
	}
	return false;
}

static bool find_in(uint64_t addr, const struct mapping *m, uint64_t *lo, uint64_t *hi)
{
	return m->heap ? in_heap(addr, m, lo, hi) : in_mapped(addr, m, lo, hi);
}

bool block_find(uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	uint64_t first, end;
	struct mapping m;

	if (!is_glibc() || !mapping_find(addr, &m) || !m.plain || !find_in(addr, &m, lo, hi))
		return false;
	return find_in(addr, &m, &first, &end) && first == *lo && end == *hi;
}
