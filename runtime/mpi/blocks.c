/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in memory the data of a type lie: blocks, found by taking the type apart once. Compiled
 * once per ABI.
 */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/race.h"

#define FLAT_MOST 512 /* blocks of one type that are kept */
#define DEPTH 16      /* types in types */

struct block {
	int64_t at;
	uint64_t bytes;
};

/* The blocks of one element of a type, as they come. */
struct blocks {
	int64_t extent;
	bool known;
	unsigned n;
	struct block block[FLAT_MOST];
};

/* What a type is made of. */
struct contents {
	int ni, na, nd, combiner;
	int *ints;
	MPI_Aint *addrs;
	MPI_Datatype *types;
};

static bool add(struct blocks *b, int64_t at, uint64_t bytes)
{
	struct block *last = b->n ? &b->block[b->n - 1] : NULL;

	if (!bytes)
		return true;
	if (last && last->at + (int64_t)last->bytes == at) {
		last->bytes += bytes;
		return true;
	}
	if (b->n == FLAT_MOST)
		return false;
	b->block[b->n++] = (struct block){ at, bytes };
	return true;
}

static int64_t extent_of(MPI_Datatype t)
{
	MPI_Aint lb = 0, extent = 0;

	NEXT(PMPI_Type_get_extent, "PMPI_Type_get_extent")(t, &lb, &extent);
	return extent;
}

static void contents_clear(struct contents *c)
{
	for (int i = 0; c->types && i < c->nd; i++) {
		int ni, na, nd, combiner = MPI_COMBINER_NAMED;

		NEXT(PMPI_Type_get_envelope, "PMPI_Type_get_envelope")
		(c->types[i], &ni, &na, &nd, &combiner);
		if (combiner != MPI_COMBINER_NAMED)
			NEXT(PMPI_Type_free, "PMPI_Type_free")(&c->types[i]);
	}
	free(c->ints);
	free(c->addrs);
	free(c->types);
}

static bool contents_get(MPI_Datatype t, struct contents *c)
{
	*c = (struct contents){ .combiner = MPI_COMBINER_NAMED };
	if (NEXT(PMPI_Type_get_envelope, "PMPI_Type_get_envelope")(t, &c->ni, &c->na, &c->nd,
								     &c->combiner))
		return false;
	if (c->combiner == MPI_COMBINER_NAMED)
		return true;
	c->ints = calloc((size_t)c->ni + 1, sizeof(*c->ints));
	c->addrs = calloc((size_t)c->na + 1, sizeof(*c->addrs));
	c->types = calloc((size_t)c->nd + 1, sizeof(*c->types));
	if (c->ints && c->addrs && c->types &&
	    !NEXT(PMPI_Type_get_contents, "PMPI_Type_get_contents")(t, c->ni, c->na, c->nd, c->ints,
								    c->addrs, c->types))
		return true;
	c->nd = 0;
	contents_clear(c);
	return false;
}

static bool flatten(struct blocks *b, MPI_Datatype t, int64_t at, int64_t n, unsigned depth);

/* n groups of so many of the first type, each a stride behind the one before. */
static bool strided(struct blocks *b, const struct contents *c, int64_t at, int n, int block,
		    int64_t stride, unsigned depth)
{
	bool good = true;

	for (int i = 0; i < n && good; i++)
		good = flatten(b, c->types[0], at + i * stride, block, depth);
	return good;
}

/* Dimensions from the one that is closest in memory. */
static bool subarray(struct blocks *b, const struct contents *c, int64_t at, unsigned depth)
{
	int n = c->ints[0], order = c->ints[3 * n + 1];
	const int *sizes = c->ints + 1, *part = sizes + n, *from = part + n;
	int64_t step[8], index[8] = { 0 }, width = extent_of(c->types[0]);
	bool fortran = order == MPI_ORDER_FORTRAN;
	int near = fortran ? 0 : n - 1;

	if (n < 1 || n > 8)
		return false;
	for (int i = 0, k; i < n; i++) {
		k = fortran ? i : n - 1 - i;
		step[k] = width;
		width *= sizes[k];
	}
	for (int i = 0; i < n; i++) {
		at += from[i] * step[i];
		if (part[i] < 1)
			return true;
	}
	for (;;) {
		int64_t here = at;
		int i;

		for (i = 0; i < n; i++)
			here += index[i] * step[i];
		if (!flatten(b, c->types[0], here, part[near], depth))
			return false;
		for (i = 0; i < n; i++) {
			int k = fortran ? i : n - 1 - i;

			if (k == near)
				continue;
			if (++index[k] < part[k])
				break;
			index[k] = 0;
		}
		if (i == n)
			return true;
	}
}

static bool listed(struct blocks *b, const struct contents *c, int64_t at, unsigned depth)
{
	int n = c->ints[0];
	int64_t width = extent_of(c->types[0]);
	bool good = true;

	for (int i = 0; i < n && good; i++)
		switch (c->combiner) {
		case MPI_COMBINER_INDEXED:
			good = flatten(b, c->types[0], at + c->ints[1 + n + i] * width,
				       c->ints[1 + i], depth);
			break;
		case MPI_COMBINER_HINDEXED:
			good = flatten(b, c->types[0], at + c->addrs[i], c->ints[1 + i], depth);
			break;
		case MPI_COMBINER_INDEXED_BLOCK:
			good = flatten(b, c->types[0], at + c->ints[2 + i] * width, c->ints[1],
				       depth);
			break;
		case MPI_COMBINER_HINDEXED_BLOCK:
			good = flatten(b, c->types[0], at + c->addrs[i], c->ints[1], depth);
			break;
		default:
			good = flatten(b, c->types[i], at + c->addrs[i], c->ints[1 + i], depth);
		}
	return good;
}

/* One element. */
static bool flatten_one(struct blocks *b, const struct contents *c, MPI_Datatype t, int64_t at,
			unsigned depth)
{
	int size = 0;

	switch (c->combiner) {
	case MPI_COMBINER_NAMED:
		return !NEXT(PMPI_Type_size, "PMPI_Type_size")(t, &size) && size >= 0 &&
		       add(b, at, (uint64_t)size);
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_RESIZED:
		return flatten(b, c->types[0], at, 1, depth);
	case MPI_COMBINER_CONTIGUOUS:
		return flatten(b, c->types[0], at, c->ints[0], depth);
	case MPI_COMBINER_VECTOR:
		return strided(b, c, at, c->ints[0], c->ints[1],
			       c->ints[2] * extent_of(c->types[0]), depth);
	case MPI_COMBINER_HVECTOR:
		return strided(b, c, at, c->ints[0], c->ints[1], c->addrs[0], depth);
	case MPI_COMBINER_INDEXED:
	case MPI_COMBINER_HINDEXED:
	case MPI_COMBINER_INDEXED_BLOCK:
	case MPI_COMBINER_HINDEXED_BLOCK:
	case MPI_COMBINER_STRUCT:
		return listed(b, c, at, depth);
	case MPI_COMBINER_SUBARRAY:
		return subarray(b, c, at, depth);
	}
	return false;
}

static bool flatten(struct blocks *b, MPI_Datatype t, int64_t at, int64_t n, unsigned depth)
{
	struct contents c;
	int64_t extent = extent_of(t);
	bool good = depth < DEPTH && contents_get(t, &c);
	int size = 0;

	if (!good)
		return false;
	if (c.combiner == MPI_COMBINER_NAMED && n > 0 &&
	    !NEXT(PMPI_Type_size, "PMPI_Type_size")(t, &size) && size == extent)
		return add(b, at, (uint64_t)n * (uint64_t)size);
	for (int64_t i = 0; i < n && good; i++)
		good = flatten_one(b, &c, t, at + i * extent, depth + 1);
	contents_clear(&c);
	return good;
}

static const struct blocks *blocks_get(struct handle *h)
{
	struct blocks *b = h->blocks, *less;
	MPI_Datatype t = h->predefined || h->word[0] ? (MPI_Datatype)(uintptr_t)h->word[0] :
						       TYPE_NULL;

	if (b)
		return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->extent = extent_of(t);
	b->known = flatten(b, t, 0, 1, 0);
	less = realloc(b, sizeof(*b) - (FLAT_MOST - b->n) * sizeof(b->block[0]));
	h->blocks = less ? less : b;
	return h->blocks;
}

/* Whether all blocks are alike, and as far from one another. */
static bool is_regular(const struct blocks *b)
{
	for (unsigned i = 1; i < b->n; i++)
		if (b->block[i].bytes != b->block[0].bytes ||
		    b->block[i].at - b->block[i - 1].at != b->block[1].at - b->block[0].at ||
		    b->block[i].at < b->block[0].at)
			return false;
	return true;
}

static unsigned basic(const struct handle *h, int64_t count, struct mpistate_piece *piece)
{
	uint64_t bytes = (uint64_t)count * (handles_base(h) & 0xff);

	*piece = (struct mpistate_piece){ 0, bytes, bytes, 1 };
	return 1;
}

unsigned blocks_of(const struct handle *type, int64_t count,
		   struct mpistate_piece piece[BLOCKS_MOST])
{
	const struct blocks *b;
	unsigned n = 0;

	if (!type || !type->live || count <= 0)
		return 0;
	if (type->predefined && handles_base(type))
		return basic(type, count, piece);
	b = blocks_get((struct handle *)type);
	if (!b || !b->known || !b->n)
		return 0;
	if (b->n == 1) {
		bool dense = b->extent == (int64_t)b->block[0].bytes;

		if (b->extent < (int64_t)b->block[0].bytes && count > 1)
			return 0;
		*piece = (struct mpistate_piece){ b->block[0].at, b->block[0].bytes,
						  (uint64_t)b->extent, (uint64_t)count };
		if (dense || count == 1)
			*piece = (struct mpistate_piece){ piece->lo, piece->block * piece->n,
							  piece->block * piece->n, 1 };
		return 1;
	}
	if (is_regular(b) && count <= BLOCKS_MOST) {
		for (; n < count; n++)
			piece[n] = (struct mpistate_piece){
				b->block[0].at + n * b->extent, b->block[0].bytes,
				(uint64_t)(b->block[1].at - b->block[0].at), b->n
			};
		return n;
	}
	if (count > BLOCKS_MOST || count * b->n > BLOCKS_MOST)
		return 0;
	for (int64_t i = 0; i < count; i++)
		for (unsigned k = 0; k < b->n; k++)
			piece[n++] = (struct mpistate_piece){ b->block[k].at + i * b->extent,
							      b->block[k].bytes,
							      b->block[k].bytes, 1 };
	return n;
}

static int by_place(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

bool blocks_overlap(struct handle *type)
{
	const struct blocks *b = type->word[0] ? blocks_get(type) : NULL;
	struct block *list = b && b->known && b->n > 1 ? calloc(b->n, sizeof(*list)) : NULL;
	bool meet = false;

	if (!list)
		return false;
	memcpy(list, b->block, b->n * sizeof(*list));
	qsort(list, b->n, sizeof(*list), by_place);
	for (unsigned i = 1; i < b->n && !meet; i++)
		meet = list[i].at < list[i - 1].at + (int64_t)list[i - 1].bytes;
	free(list);
	return meet;
}

void blocks_forget(struct handle *type)
{
	free(type->blocks);
	type->blocks = NULL;
}
