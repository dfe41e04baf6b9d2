/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings the hooks of this program or shared library together with libdvmdbg, when that is there.
 */
#include "runtime/hooks/gate.h"

#include <assert.h>
#include <dlfcn.h>

struct dvmdbg_hooks dvmdbg_hooks_ = { .abi = HOOKS_ABI, .size = sizeof(struct dvmdbg_hooks) };

/* What inline.s has objects look at, which are as old as their compilation. */
static_assert(offsetof(struct dvmdbg_hooks, gate) == 8, "dvmdbg_gate_ is that");
__asm__(".globl dvmdbg_gate_\n"
	".hidden dvmdbg_gate_\n"
	".set dvmdbg_gate_, dvmdbg_hooks_ + 8");

static void (*part)(struct dvmdbg_hooks *h);

/*
 * Before all other constructors of this object, so that their accesses are seen, and after its
 * destructors. Looked up by name: whether a weak reference of an executable is left for the loader
 * depends on the linker. What a failed look-up leaves for dlerror is taken away, for the program is
 * not to see it.
 */
__attribute__((constructor(101))) static void hooks_join(void)
{
	int (*join)(struct dvmdbg_hooks *);

	*(void **)&join = dlsym(RTLD_DEFAULT, "dvmdbg_hooks_join");
	if (join && !join(&dvmdbg_hooks_))
		*(void **)&part = dlsym(RTLD_DEFAULT, "dvmdbg_hooks_part");
	(void)dlerror();
}

__attribute__((destructor(101))) static void hooks_part(void)
{
	if (part)
		part(&dvmdbg_hooks_);
}
