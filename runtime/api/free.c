/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * free, in front of the program's own: an object whose block goes is compared before that. Only
 * blocks that the owner thread frees are looked at; a look-up in a small table says which.
 */
#include "runtime/base/base.h"
#include "runtime/dvmdbg.h"
#include "runtime/record/record.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

static void (*next_free)(void *);

/* Of the compiler's sanitizers, which call free before they are ready for anything else. */
extern void __interceptor_free(void *p) __attribute__((weak));

/* What dlsym frees while it looks is left where it is. */
static bool find_next(void)
{
	static __thread bool looking __attribute__((tls_model("initial-exec")));

	if (looking)
		return false;
	looking = true;
	next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	looking = false;
	return next_free != NULL;
}

static void look(void *p)
{
	if (!dvmdbg_active || !rt.announced || !rt_enter())
		return;
	if (var_block_freed((uintptr_t)p, malloc_usable_size(p)))
		gate_objects();
	rt_leave();
}

static bool called;

RT_PUBLIC void free(void *p)
{
	if (!called)
		called = true;
	if (__interceptor_free) {
		__interceptor_free(p);
		return;
	}
	if (!p || (!next_free && !find_next()))
		return;
	look(p);
	next_free(p);
}

/*
 * An allocator in the program, or a sanitizer, has its own free, and blocks go without our knowledge:
 * then nothing is compared when the program ends, as that may be other data by then.
 */
__attribute__((constructor)) static void find_whether_seen(void)
{
	void *(*volatile get)(size_t) = malloc;
	void (*volatile put)(void *) = free;

	called = false;
	put(get(1));
	rt.sees_free = called;
}
