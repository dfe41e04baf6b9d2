/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * free and munmap, in front of the program's own: an object whose block goes is compared before
 * that. Only blocks that the owner thread frees are looked at; a look-up in a small table says
 * which. Memory of MPI's windows goes by either.
 */
#include "runtime/base/base.h"
#include "runtime/dvmdbg.h"
#include "runtime/record/record.h"
#include "runtime/tags/tags.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*next_free)(void *);
static int (*next_munmap)(void *, size_t);

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

static bool begin(void)
{
	return dvmdbg_active && rt.announced && rt_enter();
}

static void end(void *p, size_t n)
{
	tags_freed((uintptr_t)p, n);
	if (var_block_freed((uintptr_t)p, n))
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
	if (begin())
		end(p, malloc_usable_size(p));
	next_free(p);
}

RT_PUBLIC int munmap(void *p, size_t n)
{
	static __thread bool looking __attribute__((tls_model("initial-exec")));

	if (!next_munmap && !looking) {
		looking = true;
		next_munmap = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
		looking = false;
	}
	if (begin())
		end(p, n);
	return next_munmap ? next_munmap(p, n) : (int)syscall(SYS_munmap, p, n);
}

/*
 * An allocator in the program, or a sanitizer, has its own free, and blocks go without our
 * knowledge: then nothing is compared when the program ends, as that may be other data by then.
 */
__attribute__((constructor)) static void find_whether_seen(void)
{
	void *(*volatile get)(size_t) = malloc;
	void (*volatile put)(void *) = free;

	called = false;
	put(get(1));
	rt.sees_free = called;
}
