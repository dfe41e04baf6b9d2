/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reference did with elements, while it is compared with what is done here in another
 * order: for each element its first value in the scope, further ones in a chain, and how often each
 * run has written it. In pages of neighbours; when there is no room, pages that were not used for
 * long lose their values and keep their counts.
 */
#ifndef DVMDBG_COMMON_TRACE_JOIN_H
#define DVMDBG_COMMON_TRACE_JOIN_H

#include "common/traceindex/object_id.h"
#include "common/traceindex/segment.h"

#define JOIN_PAGE 256u /* elements */
#define JOIN_MEMORY ((size_t)8 << 20)
#define JOIN_OFTEN UINT16_MAX /* writes that are counted no more */
#define JOIN_CHAIN 64u	      /* values of an element that are kept at the least */

/* A further value. */
struct join_value {
	uint64_t value;
	uint32_t next;	/* position + 1; 0 the last one */
	uint16_t write; /* which write of its file; 0: a read */
	uint16_t file;
};

struct join_page {
	uint64_t id;			 /* of the object, and elements / JOIN_PAGE */
	struct join_page *older, *newer; /* itself: in no order */
	uint32_t used;			 /* when it was moved in the order last */
	bool dropped;			 /* values are gone */
	bool cut;			 /* old values of some elements are */
	uint64_t *value;		 /* NULL when dropped */
	uint16_t *write; /* which write the first value is; 0: it was read only; beside value */
	uint32_t *chain; /* NULL: no chains */
	uint8_t met[JOIN_PAGE / 8];
	/* a bit of each element: written here, be it a halo; some write was not as the reference's;
	 * of those, the last one is what the reference's last one is */
	uint8_t mine[JOIN_PAGE / 8], odd[JOIN_PAGE / 8], right[JOIN_PAGE / 8];
	/* of each element: writes of the reference, writes here, the file whose writes those are;
	 * NULL: they are the same for all */
	uint16_t *count;
	uint16_t nref, nnow, file;
};

struct join_table {
	const struct object_ids *idents; /* borrowed */
	struct join_page **slot;	   /* owned */
	size_t mask, pages;
	struct join_page lru; /* newer: the one used longest ago */
	struct join_value *value;
	uint32_t nvalue, value_cap, value_free; /* free: position + 1 */
	size_t held, limit;
	bool failed;
	/* the object and the page that were asked for last, and how often a page was */
	const struct object_id *ident;
	unsigned ident_id;
	uint32_t now;
};

/* An element in the table. */
struct join_element {
	struct join_page *page;
	unsigned i;
};

/* The object of a key. */
static inline const struct object_id *join_ident(struct join_table *t, uint64_t key)
{
	unsigned id = (unsigned)(key >> TRACE_KEY_BITS);

	if (!t->ident || t->ident_id != id) {
		t->ident = object_id_get(t->idents, id);
		t->ident_id = id;
	}
	return t->ident;
}

int join_table_init(struct join_table *t, const struct object_ids *idents, size_t limit);
void join_table_clear(struct join_table *t);
/* The element of an access, made when it is new; false: no memory. */
bool join_element(struct join_table *t, uint64_t key, struct join_element *e);
/* Whether the reference has met it. */
static inline bool join_met(const struct join_element *e)
{
	return e->page->met[e->i >> 3] >> (e->i & 7) & 1;
}
static inline bool join_has(const uint8_t *bits, unsigned i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}
static inline void join_set(uint8_t *bits, unsigned i, bool on)
{
	bits[i >> 3] = (uint8_t)((bits[i >> 3] & ~(1u << (i & 7))) | (unsigned)on << (i & 7));
}
/* How often each run has written it, up to JOIN_OFTEN. */
static inline unsigned join_nref(const struct join_page *p, unsigned i)
{
	return p->count ? p->count[i] : p->nref;
}
static inline unsigned join_nnow(const struct join_page *p, unsigned i)
{
	return p->count ? p->count[JOIN_PAGE + i] : p->nnow;
}
/* It is written here; returns how often by now. */
unsigned join_now(struct join_table *t, const struct join_element *e);
/* What the reference's file did; writes: it is a write that is counted. */
void join_ref(struct join_table *t, const struct join_element *e, const struct trace_acc *a,
	      bool writes, unsigned file);
/*
 * Values of the element, one after the other: *at begins as 0. With write > 0 only those of that
 * write. False: no more.
 */
struct join_at {
	uint32_t next;
	bool begun;
};
bool join_next(const struct join_table *t, const struct join_element *e, unsigned write,
	       struct join_at *at, uint64_t *value);

#endif
