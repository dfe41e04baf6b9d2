/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the part of a section that a rank owns is read: as lines along the dimension whose elements
 * are closest, each in bites of bounded size, each bite in segments that go into one cell.
 */
#ifndef DVMDBG_RUNTIME_EXEC_QUERY_INTERNAL_H
#define DVMDBG_RUNTIME_EXEC_QUERY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/array/bins.h"
#include "common/array/layout.h"
#include "common/array/section.h"
#include "common/logical/rankset.h"
#include "runtime/exec/page/page.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/sys/memory.h"

struct err;
struct memory;
struct object;
struct page_read;
struct target;
struct values;

#define BINS_CHUNK (512u << 10) /* bytes read at once: they stay in the cache */
#define BINS_GAP 256		/* bytes between two elements that are rather read than skipped */

/* Elements that are in one row, column or point of the picture. */
struct bins_seg {
	uint64_t i; /* number of the first; they go down when plan.down */
	uint32_t n;
	uint32_t cell; /* along the inner dimension; 0 when that is not shown */
	uint32_t off;  /* bytes from the bite's first one */
};

struct bins_bite {
	size_t seg, nseg, span, nspan;
	uint32_t bytes;
};

struct bins_plan {
	const struct section *section; /* borrowed; steps are 1 */
	struct layout part;	       /* owned; what of it is read */
	struct layout_walk lines;      /* through part; the last dimension is that of lines */
	unsigned inner;		       /* that dimension */
	bool down;
	uint32_t step; /* bytes between neighbours of a segment, when they have been read */
	struct bins_seg *seg;
	struct memory_span *span; /* addresses count from a line's first element */
	struct bins_bite *bite;
	size_t nseg, nspan, nbite;
	bool bad; /* out of memory */
};

/* s is bound and stays, with steps of 1; spec.part is left, and nothing else. */
int bins_plan_make(struct bins_plan *p, const struct target *t, const struct section *s,
		   const struct bins_spec *spec, struct err *err);
void bins_plan_clear(struct bins_plan *p);

/*
 * A registered object as something whose elements are read: the object itself, or a field of it.
 */

/* Elements of `size` bytes, in steps of `unit` bytes times the strides. */
struct target {
	struct array_desc desc; /* as object_find gave it, or that of a field seen as an array */
	const char *name;
	bool by_pointer;
	struct object_away away;
	uint64_t offset; /* of the first stored element, and of the field in it */
	uint64_t base;	 /* set by target_base */
	uint8_t type;
	uint32_t unit;
	uint32_t size;	/* a multiple of the type's size */
	uint32_t count; /* values in an element: > 1 for a field that is an array */
};

/* Takes the description out of o. A field of a single structure is seen as an object of its own. */
void target_make(struct target *t, struct object *o);
/*
 * The object called that, which the page registers now; o has what t borrows. -1 and err when there
 * is none. target_clear in either case.
 */
int target_find(struct target *t, struct object *o, struct page_read *r, const char *name,
		struct err *err);
void target_clear(struct target *t, struct object *o);
/* The address of element 0 now: a pointer is followed at the time of asking. -1 also when elements
 * that the program's function brings have never come. */
int target_base(struct target *t, struct memory *m, struct err *err);
/* Reads all elements of the part, in its order, to out; target_base has been called. */
int target_read(const struct target *t, const struct layout *p, struct memory *m,
		unsigned char *out, struct err *err);
/* The section as this rank's description understands it; without subscripts the whole object. */
int target_section(const struct target *t, const struct section *asked, struct section *out,
		   struct err *err);

/* What names in an expression mean on one rank. */
struct test {
	struct page_read *r;
	struct memory *m;
	struct native *native; /* NULL: objects alone */
	struct rankset who; /* this rank alone */
	bool absent;	    /* something that is asked for is not here */
};
/* For struct expr_scope; arg is a struct test. */
int test_resolve(void *arg, const char *name, const struct section *asked, struct values *out,
		 struct err *err);
bool test_known(void *arg, const char *name);

#endif
