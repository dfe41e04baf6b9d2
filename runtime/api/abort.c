/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * abort, in front of the C library's: libgfortran's takes our handler of SIGABRT away before it, so
 * that nobody would see where that was.
 */
#include "runtime/base/base.h"
#include "runtime/stop/stop.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

RT_PUBLIC void abort(void)
{
	void (*next)(void) = (void (*)(void))dlsym(RTLD_NEXT, "abort");

	if (rt_is_on())
		crash_install();
	if (next)
		next();
	raise(SIGABRT);
	_exit(127);
}
