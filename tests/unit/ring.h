/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The supervisor's side of the queue of checksums, for tests with super.h.
 */
#ifndef TESTS_UNIT_RING_H
#define TESTS_UNIT_RING_H

#include "common/checksum/checksum.h"
#include "common/core/buf.h"
#include "common/protocol/point_sums.h"

#include "tests/unit/super.h"

#define RING_SUMS 32

struct ring_sum {
	char name[64]; /* "par.dt" of a field */
	struct page_sum head;
	struct buf bytes; /* of sum_put; a view into the record */
};

struct ring_record {
	char point[POINT_TEXT];
	struct page_point_sums head;
	struct ring_sum sum[RING_SUMS];
	unsigned char bytes[1 << 20];
};

/* The gauge of the next plan: CHECKSUM everywhere. */
void trace_config_on(void);
/* The next record, which is taken out; it waits for one. NULL: the program has ended without. */
const struct ring_record *ring_take(void);
/* As ring_take, but there must be one, of that point and with so many sums. */
const struct ring_record *ring_expect(const char *point, unsigned n);
/* The sum of that object in a record; it must be there. */
const struct ring_sum *ring_sum(const struct ring_record *r, const char *name);
bool ring_has(const struct ring_record *r, const char *name);
/* What sum_put made; the caller owns it. */
struct sum *ring_decode(const struct ring_sum *sum);
/* The sum as a number. */
double ring_total(const struct ring_sum *sum);
/* Raises wake. */
void ring_wake(void);

#endif
