/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled once per ABI.
 */
#include "runtime/order/order_next.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#ifdef OPEN_MPI
static const char *const libs[] = { "libmpi.so.40", "libmpi_mpifh.so.40",
				    "libmpi_usempif08.so.40" };
#else
static const char *const libs[] = { "libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12" };
#endif

void *order_next_of(const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; !at && i < sizeof(libs) / sizeof(libs[0]); i++) {
		void *lib = dlopen(libs[i], RTLD_LAZY | RTLD_NOLOAD);

		if (lib) {
			at = dlsym(lib, name);
			dlclose(lib);
		}
	}
	return at;
}

void *order_object_of(const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);

	return at ? at : order_next_of(name);
}
