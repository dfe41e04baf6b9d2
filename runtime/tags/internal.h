/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DVMDBG_RUNTIME_TAGS_INTERNAL_H
#define DVMDBG_RUNTIME_TAGS_INTERNAL_H

#include "common/tags/tags.h"
#include "runtime/base/base.h"
#include "runtime/tags/tags.h"

/* An array that is filled: its stored elements, in which `at` of a tag counts. */
struct tagged {
	uint32_t var, serial;
	unsigned type, size, ndim;
	enum tag_way way;
	int64_t n[ARRAY_DIMS], stride[ARRAY_DIMS]; /* stride: bytes */
	int64_t in_lo[ARRAY_DIMS], in_hi[ARRAY_DIMS]; /* places inside of the array's box */
	int64_t own_lo[ARRAY_DIMS], own_hi[ARRAY_DIMS];
	uint64_t base, total;
	uint64_t lo, hi;   /* bytes in use */
	uint64_t block;	   /* where the allocated block begins that it is in; 0: not known */
	uint64_t row;	   /* the first one, of rows that are allocated one by one; 0: it is none */
	bool all;	   /* also what is outside of the box is its own memory */
	bool gone;
	unsigned char *saved; /* total elements */
};

/* notes.c */
bool notes_open(const char *dir);
void notes_array(const struct page_entity *e, uint32_t var, enum tags_why why);
void notes_interval(uint32_t main, uint32_t from, uint32_t to);
/* Element `at` of the array has another one's tag. */
void notes_moved(uint32_t var, uint64_t at, const struct tag *from);
void notes_half(uint32_t var, uint64_t at, unsigned half, uint32_t bits);
/* n elements behind rows of the array have elements of it; the first, behind `at`, that one. */
void notes_between(uint32_t var, uint64_t n, uint64_t at, const struct tag *from);
void notes_flush(void);
/* It is complete: its name says so. */
void notes_close(void);

#endif
