/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays whose elements are elsewhere, as memory of ours. Of the owner's thread.
 */
#ifndef DVMDBG_RUNTIME_BASE_ELSEWHERE_H
#define DVMDBG_RUNTIME_BASE_ELSEWHERE_H

#include <stddef.h>
#include <stdint.h>

struct elsewhere {
	/* The program's: elements first … first + count - 1 of what this rank stores; 0, or they
	 * have failed. */
	int (*fetch)(void *context, void *to, size_t first, size_t count);
	int (*store)(void *context, const void *from, size_t first, size_t count);
	void *context;
	size_t elem, count; /* bytes of an element, elements */
	uint32_t loc;
	/* instead of functions: rows of so many elements, each at what a pointer says; the pointers
	 * are `apart` bytes apart, the first one at table */
	uint64_t table;
	size_t row, apart;
};

/*
 * key: the address of the variable that names it; value: what that points to. Returns where its
 * elements are from now on, after elsewhere_fetch; 0: there is no memory, or no more room. *away: as
 * in struct page_entity.
 */
uint64_t elsewhere_add(uint64_t key, uint64_t value, const struct elsewhere *e, uint32_t *away);
/* Where the elements of the array are that the program names by at; at itself where that is none of
 * these. */
const void *elsewhere_here(const void *at);
/* Returns where they were; key where it is none of these. */
uint64_t elsewhere_forget(uint64_t key);
/* Brings all elements. */
void elsewhere_fetch(void);
/* Takes those back that are not as they were brought. */
void elsewhere_store(void);

/* The same of rows that are copied, alone. */
void elsewhere_fetch_rows(void);
void elsewhere_store_rows(void);

#endif
