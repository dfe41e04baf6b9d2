/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations that add to the same elements, as particles do to a grid and edges to cells: what is
 * there already depends on which of them came before, and in a halo on when it is added to what the
 * owner has. What an iteration adds does not depend on it, and is compared instead.
 */
#include <string.h>

#include "common/tracediff/internal.h"
#include "common/array/value.h"

#define LOOKS 16u /* at the reference for an array, in vain: each reads a loop of it */
#define NEAR 32u  /* accesses between the read and the write of a sum */

static double real_of(unsigned type, uint64_t bits)
{
	double d;
	float f;
	uint32_t half = (uint32_t)bits;

	if (type == VALUE_FLOAT) {
		memcpy(&f, &half, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

static uint64_t bits_of(unsigned type, double d)
{
	float f = (float)d;
	uint32_t half;
	uint64_t bits;

	if (type == VALUE_FLOAT) {
		memcpy(&half, &f, sizeof(half));
		return half;
	}
	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* What there would be if it were added to the other's. */
static uint64_t added(unsigned type, unsigned size, const struct cmp_sum *what, uint64_t to)
{
	uint64_t sum = to + (what->to - what->from);

	if (value_class(type) == VALUE_IS_REAL)
		return bits_of(type, real_of(type, to) +
					     (real_of(type, what->to) - real_of(type, what->from)));
	return size < 8 ? sum & ((UINT64_C(1) << 8 * size) - 1) : sum;
}

static bool same_sum(const struct tracediff *c, uint64_t key, unsigned size,
		     const struct cmp_sum *now, const struct cmp_sum *ref)
{
	const struct object_id *o =
		object_id_get(c->ref->idents, (unsigned)(key >> TRACE_KEY_BITS));
	unsigned type =
		object_id_type(o, (uint32_t)((key & TRACE_KEY_MASK) % o->desc.elem_size), size);

	if (type >= VALUE_TYPES || size != value_size(type))
		return false;
	if (value_class(type) != VALUE_IS_REAL && value_class(type) != VALUE_IS_INT &&
	    value_class(type) != VALUE_IS_UINT)
		return false;
	/* the larger one of both is rounded more */
	return cmp_number(c, key, size, added(type, size, now, ref->from), ref->to) !=
		       TRACE_OTHER ||
	       cmp_number(c, key, size, now->to, added(type, size, ref, now->from)) != TRACE_OTHER;
}

static bool wanted(const void *arg, uint64_t lo, uint64_t hi)
{
	const uint64_t *key = arg;

	return lo <= *key && *key <= hi;
}

static bool writes(const struct ref_parts *p, uint64_t key)
{
	const struct trace_acc *a = &p->seg->s.acc[p->scope->acc];

	for (uint32_t n = 0; n < p->scope->nacc; n++, a++)
		if (a->key == key && a->flags & TRACE_ACC_WRITE)
			return true;
	return false;
}

/* More than one iteration of the reference's writes the element. */
static bool look(struct tracediff *c, const struct point *point, uint64_t key)
{
	struct ref_parts p;
	unsigned n = 0;

	for (uint32_t f = 0; n < 2 && f < c->ref->files; f++) {
		ref_parts_whole(&p, c->ref, f, point);
		p.wanted = wanted;
		p.arg = &key;
		while (n < 2 && ref_parts_next(&p))
			n += !(p.scope->flags & TRACE_SCOPE_CONT) && writes(&p, key);
		ref_parts_end(&p);
	}
	return n > 1;
}

/* How often that was looked for in vain, for the array; NULL: there are too many arrays. */
static unsigned *looks_of(struct tracediff *c, uint32_t ident)
{
	for (unsigned i = 0; i < CMP_LOOKED; i++) {
		if (!c->inspected[i].ident)
			c->inspected[i].ident = ident;
		if (c->inspected[i].ident == ident)
			return &c->inspected[i].looks;
	}
	return NULL;
}

/* Of one such element it is taken that the loop adds to the whole array. */
static bool shared(struct tracediff *c, const struct point *point, uint64_t key)
{
	struct cmp_loop *l = cmp_loop_get(c, point);
	uint32_t ident = (uint32_t)(key >> TRACE_KEY_BITS) + 1;
	unsigned *looks = looks_of(c, ident);

	if (!l || !looks)
		return false;
	for (unsigned i = 0; i < CMP_SUMS && l->sums[i]; i++)
		if (l->sums[i] == ident)
			return true;
	if (*looks == LOOKS)
		return false;
	++*looks;
	if (!look(c, point, key))
		return false;
	*looks = 0;
	for (unsigned i = 0; i < CMP_SUMS; i++)
		if (!l->sums[i]) {
			l->sums[i] = ident;
			break;
		}
	return true;
}

bool cmp_adds(struct tracediff *c, const struct point *point, uint64_t key, unsigned size,
	      const struct cmp_sum *now, const struct cmp_sum *ref)
{
	if (!now->written || !ref->written || now->read != ref->read)
		return false;
	if (now->read && !same_sum(c, key, size, now, ref))
		return false;
	return (now->read && !now->own) || shared(c, point, key);
}

bool cmp_adds_next(const struct cmp_now *n, uint32_t i)
{
	const struct trace_acc *a = &n->acc[i];

	if (a->flags & (TRACE_ACC_OWN | TRACE_ACC_WRITE))
		return false;
	for (uint32_t k = i + 1; k < n->n && k - i < NEAR; k++)
		if (n->acc[k].key == a->key)
			return n->acc[k].flags & TRACE_ACC_WRITE;
	return n->n - i < NEAR && n->s->flags & TRACE_SCOPE_MORE;
}
