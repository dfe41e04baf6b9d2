/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/page_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/page/page.h"

int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->page = mmap(NULL, sizeof(*f->page), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->page == MAP_FAILED || page_read_init(&f->read, f->page))
		return -1;
	f->used = 8;
	f->memory.pid = getpid();
	f->memory.page = f->page;
	*state = f;
	return 0;
}

int teardown(void **state)
{
	struct fixture *f = *state;

	page_read_clear(&f->read);
	munmap(f->page, sizeof(*f->page));
	free(f);
	return 0;
}

uint32_t put(struct fixture *f, const void *data, size_t len)
{
	uint32_t off = f->used;

	memcpy(f->page->arena + off, data, len);
	f->used += (uint32_t)((len + 7) & ~(size_t)7);
	return off;
}

uint32_t text(struct fixture *f, const char *s)
{
	return put(f, s, strlen(s) + 1);
}

uint32_t place(struct fixture *f, const char *file, uint32_t line, unsigned kind)
{
	struct page_loc loc = { .file = text(f, file), .line = line, .kind = kind };

	return put(f, &loc, sizeof(loc));
}
