/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIMD loops: iterations that are near enough to each other go on in step, each instruction for all
 * of them. So an access of an earlier iteration has to be at an earlier place of its iteration than
 * the access of a later one with which it conflicts.
 */
#include "common/openmp/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define CELLS (1u << 20) /* places in memory that are followed in a loop */

struct access {
	uint64_t iteration; /* + 1; 0: none */
	uint32_t step, site;
};

/* Where accesses of a loop begin. */
struct simd_cell {
	uint64_t at;
	uint32_t object;
	uint32_t touched; /* iterations that access it */
	uint64_t last;	  /* the last of them, + 1 */
	struct access write, read;
	struct access bad[2]; /* the first that conflict: the earlier, the later */
	uint8_t bad_flags[2];
	uint64_t nbad;
};

struct simd {
	struct point point; /* the last one before it */
	uint64_t length;    /* iterations that may run at the same time; 0: any number */
	bool reduces;	    /* into an array: its elements are private */
	uint64_t iteration;
	uint32_t step; /* accesses of this iteration */
	bool limited;
	struct call call;
	struct simd_cell *cell; /* owned */
	uint32_t ncell;
	struct hash at;
};

#define REDUCES ((uint64_t)1 << 30)

void simd_free(struct lane *l)
{
	if (!l->simd)
		return;
	free(l->simd->cell);
	hash_clear(&l->simd->at);
	free(l->simd);
	l->simd = NULL;
}

int event_simd(struct openmp *e, struct lane *l, const struct event *v)
{
	struct simd *s = l->simd;

	if (v->kind == 'v')
		return simd_end(e, l);
	if (v->n == 4) {
		if (simd_end(e, l))
			return -1;
		s = l->simd = calloc(1, sizeof(*s));
		if (!s)
			return -1;
		s->point = e->point;
		s->length = v->v[0] & ~REDUCES;
		s->reduces = v->v[0] & REDUCES;
		s->call = (struct call){
			.lane = e->now, .site = site_of_pc(e, v->v[1]), .sp = v->v[2], .bp = v->v[3]
		};
	}
	if (s) {
		s->iteration++;
		s->step = 0;
	}
	return 0;
}

static struct simd_cell *cell_of(struct openmp *e, struct simd *s, uint32_t object, uint64_t at)
{
	uint64_t key = hash_mix(hash_mix(HASH_START, at), object);
	struct simd_cell *c;

	for (uint32_t k = 0, i; hash_next(&s->at, key, &k, &i);)
		if (s->cell[i].at == at && s->cell[i].object == object)
			return &s->cell[i];
	if (s->ncell == CELLS) {
		e->why[OPENMP_WHY_LIMIT] += !s->limited;
		s->limited = true;
		return NULL;
	}
	c = vec_add(s->cell, s->ncell);
	if (!c || hash_put(&s->at, key, s->ncell - 1)) {
		e->failed = true;
		return NULL;
	}
	c->at = at;
	c->object = object;
	return c;
}

/* Whether the two are not in the order of the iterations. */
static bool is_wrong(const struct simd *s, const struct access *earlier, const struct access *now)
{
	uint64_t apart = now->iteration - earlier->iteration;

	return earlier->iteration && apart && (!s->length || apart < s->length) &&
	       earlier->step >= now->step;
}

static void check(const struct simd *s, struct simd_cell *c, const struct access *earlier,
		  unsigned earlier_flags, const struct access *now, unsigned flags)
{
	if (!is_wrong(s, earlier, now))
		return;
	if (!c->nbad++) {
		c->bad[0] = *earlier;
		c->bad[1] = *now;
		c->bad_flags[0] = (uint8_t)earlier_flags;
		c->bad_flags[1] = (uint8_t)flags;
	}
}

int simd_access(struct openmp *e, struct lane *l, uint32_t site, uint32_t object, uint64_t at,
		unsigned flags)
{
	struct simd *s = l->simd;
	const struct access now = { s->iteration, s->step++, site };
	bool stack = object == OBJECT_STACK;
	struct simd_cell *c;

	if (object == OBJECT_FOREIGN || (stack && s->reduces) || flags & ENTRY_ATOMIC)
		return 0;
	c = cell_of(e, s, object, at);
	if (!c)
		return e->failed ? -1 : 0;
	c->touched += c->last != now.iteration;
	c->last = now.iteration;
	if (!(flags & ENTRY_WRITE)) {
		check(s, c, &c->write, ENTRY_WRITE, &now, 0);
		if (c->read.iteration != now.iteration || c->read.step < now.step)
			c->read = now;
		return 0;
	}
	/* on the stack it may be another variable, of the iteration alone */
	if (!stack) {
		check(s, c, &c->write, ENTRY_WRITE, &now, ENTRY_WRITE);
		check(s, c, &c->read, 0, &now, ENTRY_WRITE);
	}
	c->write = now;
	return 0;
}

static int report(struct openmp *e, const struct simd *s, const struct simd_cell *c)
{
	uint64_t apart = c->bad[1].iteration - c->bad[0].iteration;
	unsigned first = c->bad_flags[0] & ENTRY_WRITE ? 0 : 1;
	struct race r = { .site = { c->bad[first].site, c->bad[!first].site },
			  .flags = { c->bad_flags[first], c->bad_flags[!first] },
			  .object = c->object,
			  .at = c->at,
			  .size = 1,
			  .point = s->point };
	char note[100];

	snprintf(note, sizeof(note), "iterations of a SIMD loop that are %" PRIu64 " apart", apart);
	r.note = note;
	r.call = c->object == OBJECT_STACK ? &s->call : NULL;
	r.count = c->nbad;
	return race_is_known(e, &r) ? 0 : race_add(e, &r);
}

int simd_end(struct openmp *e, struct lane *l)
{
	struct simd *s = l->simd;
	int rc = 0;

	if (!s)
		return 0;
	for (uint32_t i = 0; i < s->ncell && !rc; i++) {
		const struct simd_cell *c = &s->cell[i];

		/* what each iteration accesses on the stack is private, or a reduction's */
		if (c->nbad && !(c->object == OBJECT_STACK && c->touched == s->iteration))
			rc = report(e, s, c);
	}
	simd_free(l);
	return rc;
}
