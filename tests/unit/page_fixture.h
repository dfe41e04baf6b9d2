/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A shared page such as a program leaves it, for tests of what the supervisor reads there.
 */
#ifndef TESTS_UNIT_PAGE_FIXTURE_H
#define TESTS_UNIT_PAGE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/exec/sys/memory.h"
#include "runtime/exec/page/page.h"

struct fixture {
	struct page *page;
	struct page_read read;
	struct memory memory;
	uint32_t used; /* of the arena */
	uint32_t last; /* entity */
};

/* For cmocka, round each test; the state is the fixture. */
int setup(void **state);
int teardown(void **state);
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Into the arena; they return the offset there. */
uint32_t put(struct fixture *f, const void *data, size_t len);
uint32_t text(struct fixture *f, const char *s);
uint32_t place(struct fixture *f, const char *file, uint32_t line, unsigned kind);

#endif
