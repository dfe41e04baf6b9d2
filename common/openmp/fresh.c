/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private variables that are read before they have a value: dvmdbg-omp-marks shows where they have
 * none, and they are filled there, so that what code without hooks writes is no finding. A task may
 * get copies of what has no value.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define TEXT 200
#define NEAR 1024u /* bytes of code before the call that creates a task */
#define UNSET 64u  /* reads of which it is not known yet whether they are for a task */

/* + 1; 0: no memory. */
static uint32_t name_known(struct openmp *e, const char *name)
{
	char **to;

	for (uint32_t i = 0; i < e->nfresh; i++)
		if (!strcmp(e->fresh[i], name))
			return i + 1;
	to = vec_add(e->fresh, e->nfresh);
	if (!to)
		return 0;
	*to = strdup(name);
	e->nfresh -= !*to;
	return *to ? e->nfresh : 0;
}

int lane_fresh(struct openmp *e, struct lane *l, const struct trace_rec *r)
{
	char text[TEXT], *end;
	size_t n = r->nbytes < TEXT ? r->nbytes : TEXT - 1;
	uint64_t addr, bytes;
	uint32_t name = 0;

	memcpy(text, r->bytes, n);
	text[n] = '\0';
	addr = strtoull(text + 1, &end, 16);
	bytes = strtoull(end, &end, 16);
	if (*end == ' ') {
		name = name_known(e, end + 1);
		if (!name)
			return -1;
	}
	return name || l->fresh.n ? ranges_put(&l->fresh, name, addr, bytes) : 0;
}

static int report(struct openmp *e, const struct unset *u)
{
	static const struct place nowhere = { .file = "", .func = "", .module = "" };
	struct trace_finding f = { .kind = FINDING_UNINIT,
				   .count = 1,
				   .point = e->point,
				   .rank = e->o.rank,
				   .ref_rank = TRACE_NO_RANK,
				   .operation = "",
				   .note = "it is private, and has no value yet" };

	f.thing = (struct trace_thing){
		.what = TRACE_WHAT_ARRAY, .name = e->fresh[u->name - 1], .file = "", .field = ""
	};
	f.thing.spot.place = f.ref_spot.place = nowhere;
	f.spot = e->site[u->site - 1].spot;
	return trace_findings_add(&e->findings, &f);
}

int unset_report(struct openmp *e, struct lane *l, uint32_t copied)
{
	const struct place *task = copied ? &e->site[copied - 1].spot.place : NULL;
	int rc = 0;

	for (uint32_t i = 0; i < l->nunset && !rc; i++)
		if (!task || task->vaddr - e->site[l->unset[i].site - 1].spot.place.vaddr > NEAR)
			rc = report(e, &l->unset[i]);
	l->nunset = 0;
	return rc;
}

int fresh_forget(struct openmp *e, struct lane *l)
{
	l->fresh.n = 0;
	return unset_report(e, l, 0);
}

/* Code without hooks may write such a byte: of fewer than four it is not known. */
static bool has_no_value(uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		if ((value >> 8 * i & 0xff) != TRACE_FRESH)
			return false;
	return size >= 4;
}

/* These bytes have a value from here on. */
static int written(struct ranges *r, struct range there, uint64_t at, unsigned size)
{
	uint64_t end = at + size;

	if (ranges_put(r, 0, at, size) || ranges_put(r, there.id, there.lo, at - there.lo))
		return -1;
	return end < there.hi ? ranges_put(r, there.id, end, there.hi - end) : 0;
}

int fresh_access(struct openmp *e, uint32_t site, uint32_t object, uint64_t at, unsigned flags,
		 uint64_t value)
{
	struct lane *l = lane_now(e);
	unsigned size = flags & TRACE_SIZE;
	const struct range *there = object < e->block->nobject ? NULL : range_of(&l->fresh, at);
	struct unset *to;
	uint32_t place;

	if (!there)
		return 0;
	if (flags & TRACE_WRITES)
		return written(&l->fresh, *there, at, size);
	if (size > 8 || !has_no_value(value, size) || at + size > there->hi)
		return 0;
	place = site_known(e, site);
	if (!place || e->failed)
		return e->failed ? -1 : 0;
	if (l->nunset == UNSET && unset_report(e, l, 0))
		return -1;
	to = vec_add(l->unset, l->nunset);
	if (to)
		*to = (struct unset){ place, (uint32_t)there->id };
	return to ? 0 : -1;
}
