/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the shared page. The program may write anything there at any moment, so every byte is
 * copied before it is looked at, every offset, length and number is checked, and nothing waits for
 * ever: what is wrong reads as absent. Texts end at their NUL or are cut, and hold no control
 * characters.
 */
#ifndef DVMDBG_EXEC_PAGE_READ_H
#define DVMDBG_EXEC_PAGE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/finding_kind.h"
#include "common/protocol/report.h"
#include "runtime/page/page.h"

struct buf;

#define PAGE_READ_TEXT (256u << 10) /* bytes of texts that one report can hold */
#define PAGE_READ_STRING 1024	    /* longer texts are cut */
#define PAGE_READ_TRIES 2000	    /* looks at something that keeps changing, */
#define PAGE_READ_MS 50		    /* but not for longer */

struct page_read {
	struct page *page; /* borrowed */
	char *text;	   /* owned: what the strings of reports point to, until page_read_reset */
	size_t used;
};

/* -1 when out of memory. */
int page_read_init(struct page_read *r, struct page *page);
void page_read_clear(struct page_read *r);
/* Gives up the strings of all reports made so far. The others below do not do it by themselves. */
void page_read_reset(struct page_read *r);

/* enum page_state; a number that is none reads as PAGE_FRESH. */
unsigned page_read_state(const struct page_read *r);
unsigned page_read_mpi(const struct page_read *r); /* enum mpi_state */

/* Copies len bytes of the arena; false when they do not lie in it. Offset 0 is absent. */
bool page_read_arena(const struct page_read *r, uint32_t off, void *out, size_t len);
/* Never NULL. */
const char *page_read_string(struct page_read *r, uint32_t off);
/* Returns the kind it was first used for, CONSTRUCT_KINDS when it is absent. */
unsigned page_read_place(struct page_read *r, uint32_t off, struct place *out);

/* The last point passed. */
struct point page_read_point(const struct page_read *r);
/* And the age of that point in seconds; since the runtime's start when there is none. */
uint32_t page_read_age(const struct page_read *r);
void page_read_hash(const struct page_read *r, uint32_t *n, uint64_t *hash);
void page_read_stack(struct page_read *r, struct report_stack *out);
/* The innermost frame; kind CONSTRUCT_KINDS when there is none. */
void page_read_innermost(struct page_read *r, struct report_frame *out);
void page_read_stop(struct page_read *r, struct report_stop *out);
/* What the page knows of the end: all but how, code, core, released. */
void page_read_exit(struct page_read *r, struct report_exit *out);
/* false: there is no i-th finding, or it is not one. */
bool page_read_finding(struct page_read *r, uint32_t i, struct report_finding *out);
uint32_t page_read_findings(const struct page_read *r);

/* The answers to QUERY_POINTS (the last n, 0: all that is known) and QUERY_HASH. */
void page_read_points(struct page_read *r, uint32_t n, bool times, struct buf *out);
void page_read_hash_at(struct page_read *r, uint32_t n, struct buf *out);

#endif
