/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Surveys: what operators of classes, functions of the C++ library and other small functions access
 * counts as accessed where they are called from. They are found by the frame pointer, which a
 * program has that was compiled without optimisation: a return address is that of a caller where
 * the instruction before it calls what is in one of these functions. The first one's code is where
 * DVMDBG_SURVEY_CALLS says, as the file has it.
 */
#include "runtime/record/record.h"

#include <link.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/base/peek.h"

#define RANGES 4096
#define DEEPEST 24
#define STACK_MOST 0x100000 /* bytes between a frame and its caller's */
#define CALL 0xe8	    /* of x86-64, followed by how far */
#define CALL_BYTES 5

static struct range {
	uint64_t lo, hi;
} range[RANGES]; /* in order, without gaps that have code between them */
static uint32_t nrange;

void callers_init(void)
{
	const char *s = getenv("DVMDBG_SURVEY_CALLS");

	while (s && *s && nrange < RANGES) {
		char *end;
		uint64_t base = _r_debug.r_map->l_addr, lo = strtoull(s, &end, 16), hi;

		if (end == s || *end != '-')
			return;
		s = end + 1;
		hi = strtoull(s, &end, 16);
		if (end == s)
			return;
		range[nrange++] = (struct range){ base + lo, base + hi };
		s = *end ? end + 1 : end;
	}
}

static const struct range *range_of(uint64_t pc)
{
	uint32_t lo = 0, hi = nrange;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (range[mid].hi <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < nrange && range[lo].lo <= pc ? &range[lo] : NULL;
}

/* The call that returns to the address is one of code in the range, or of code in front of it that
 * jumps there. */
static bool calls(uint64_t ret, const struct range *r)
{
	uint64_t v;
	int32_t far;

	if (!peek_8(ret - CALL_BYTES, &v) || (v & 0xff) != CALL)
		return false;
	far = (int32_t)(v >> 8);
	v = ret + (uint64_t)(int64_t)far;
	return v >= r->lo && v < r->hi;
}

uint64_t callers_site(uint64_t pc, const void *frame)
{
	uint64_t at = (uintptr_t)frame, fp, ret;
	const struct range *r;

	if (!nrange)
		return pc;
	/* the hooks leave the frame pointer as it is */
	for (unsigned i = 0; i < DEEPEST && (r = range_of(pc)) != NULL; i++, at = fp, pc = ret)
		if (!peek_8(at, &fp) || fp <= at || fp - at > STACK_MOST || fp % 8 ||
		    !peek_8(fp + 8, &ret) || !calls(ret, r))
			break;
	return pc;
}
