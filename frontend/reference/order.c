/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of messages that ranks have kept (doc/REFERENCE.md), as far as it is looked at here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/reference/internal.h"
#include "frontend/util/xalloc.h"

#define MAGIC "dvmdbg order 1\n"

enum { MATCH = 1, POST = 2 };

struct head {
	char magic[16];
	uint32_t ranks, rank, whole, spare;
};

struct record {
	uint32_t kind;
	int32_t a, b, spare;
};

/* The file of a rank behind its head; NULL: there is none that is one. */
static FILE *order_open(const char *dir, unsigned rank, struct head *h)
{
	char *path = xasprintf("%s/order.%u", dir, rank);
	FILE *f = reference_fopen(path);

	free(path);
	if (f && (fread(h, sizeof(*h), 1, f) != 1 || memcmp(h->magic, MAGIC, sizeof(MAGIC)))) {
		fclose(f);
		f = NULL;
	}
	return f;
}

static bool order_next(FILE *f, struct record *r)
{
	return fread(r, sizeof(*r), 1, f) == 1 && r->kind;
}

bool reference_has_order(const char *dir)
{
	struct record r;
	struct head h;
	bool any = false;
	FILE *f;

	for (unsigned rank = 0; !any && (f = order_open(dir, rank, &h)); rank++) {
		any = order_next(f, &r);
		fclose(f);
	}
	return any;
}

/* The next receive of f. */
static bool next_receive(FILE *f, struct record *r)
{
	while (order_next(f, r))
		if ((r->kind == MATCH || r->kind == POST) && r->a >= 0)
			return true;
	return false;
}

static bool rank_differs(FILE *a, FILE *b, int from[2])
{
	struct record x, y;

	while (next_receive(a, &x) && next_receive(b, &y)) {
		if (x.a == y.a)
			continue;
		from[0] = x.a;
		from[1] = y.a;
		return true;
	}
	return false;
}

bool reference_order_differs(const char *a, const char *b, unsigned *rank, int from[2])
{
	struct head ha, hb;
	bool differs = false, both = true;

	for (*rank = 0; both && !differs; ++*rank) {
		FILE *x = order_open(a, *rank, &ha), *y = order_open(b, *rank, &hb);

		both = x && y && ha.ranks == hb.ranks;
		differs = both && rank_differs(x, y, from);
		if (x)
			fclose(x);
		if (y)
			fclose(y);
	}
	--*rank;
	return differs;
}
