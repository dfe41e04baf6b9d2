/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checksums that a rank takes at points, and how they get into the queue of the page.
 */
#ifndef DVMDBG_RUNTIME_STOP_INTERNAL_H
#define DVMDBG_RUNTIME_STOP_INTERNAL_H

#include "runtime/stop/stop.h"

/* A registered object, or a field of one, as far as it can have checksums. */
struct item {
	uint32_t var;	 /* number of the object */
	uint32_t field;	 /* index + 1 among its fields; 0: the whole object */
	uint32_t entity; /* arena offset */
	uint32_t loc;	 /* where it was registered */
	uint32_t serial; /* of the registration that what follows says */
	uint32_t counter;
	bool usable;	     /* it consists of numbers */
	bool by_pointer;     /* addr is that of a pointer variable */
	uint8_t kind, order; /* as in struct page_entity */
	uint64_t addr, own;  /* own: elements that lie here */
	int64_t low, high; /* bytes from the object's address: what is read, high exclusive */
	uint64_t lists;	     /* hash of the index lists */
	struct sum_plan plan;
	struct layout part; /* what lies here; all but data */

	uint64_t tried[2]; /* addresses where all of it could be read */
	uint32_t tries;
	bool lost;    /* a finding has said that it cannot be read */
	bool based;   /* hash is known */
	bool written; /* it has changed since that was first taken */
	bool told;    /* the supervisor knows hash */
	bool again;   /* reported at an end: and at the next beginning, if still there */
	bool pending; /* fresh is in the record that is being made */
	uint64_t hash, fresh;
	unsigned char raw[16], fresh_raw[16]; /* a scalar's bytes, with hash and with fresh */
};

enum item_look {
	ITEM_NOTHING, /* it is not there, or cannot be read */
	ITEM_SAME,    /* it is as it was reported */
	ITEM_SUM,     /* there is a sum, and fresh is its hash */
};

/* sums_item.c */
/* Brings all items in step with what is registered; false: there is no memory. */
bool items_refresh(void);
uint32_t items_count(void);
struct item *item_at(uint32_t i);
/* It is registered now and consists of numbers. */
bool item_live(const struct item *it);
/* Adds up what lies here; *sum stays valid until the next call. */
enum item_look item_sum(struct item *it, struct sum **sum);
/* fresh is from now on the hash that was taken last. */
void item_settle(struct item *it, bool told);
/* The newest object whose data lie at that address now; VAR_NONE: there is none. */
uint32_t item_find(uint64_t data);

/* queue.c */
/*
 * Appends a record of n bytes to the page's queue and informs the supervisor. hold: the point where
 * the thread is going to wait for the verdict, main << 1 | side, else 0. When there is no room it
 * waits, or gives up when the gauge says so and it is not to hold; a freeze, a crash, and rules
 * that want no sums here end the wait too. False: given up.
 */
bool queue_put(const void *record, uint32_t n, uint64_t hold);
/* Waits for the verdict about that point; true: sums differ there. */
bool queue_hold(uint64_t hold);

#endif
