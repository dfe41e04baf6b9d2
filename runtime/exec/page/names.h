/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the numbers in blocks mean, from the shared page. For one thread.
 */
#ifndef DVMDBG_EXEC_PAGE_NAMES_H
#define DVMDBG_EXEC_PAGE_NAMES_H

#include <stdint.h>

#include "common/trace/decode.h"

struct page;
struct page_names;

/* NULL: no memory. */
struct page_names *page_names_create(struct page *page);
void page_names_destroy(struct page_names *t); /* NULL is fine */
/* For the block that was opened as number `opened`; valid until the next call. */
const struct trace_resolver *page_names_resolver(struct page_names *t, uint64_t opened);

#endif
