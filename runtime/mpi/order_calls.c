/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of the functions in which time decides. Fortran comes here too: its functions call those
 * of C, in Open MPI by their names with PMPI_. While nothing is kept or followed they only pass on.
 */
#include <string.h>

#include "runtime/mpi/order_mpi.h"

#define EXPORT __attribute__((visibility("default")))

/* The next definitions: of the names without and with a P. */
static void *plain[CALLS], *profiled[CALLS];

static __thread int inside __attribute__((tls_model("initial-exec")));

void *order_real(int call, const char *name)
{
	if (!profiled[call])
		profiled[call] = next_of(name);
	return profiled[call];
}

bool order_enter(void)
{
	if ((!order_on() && !receive_any()) || inside)
		return false;
	inside++;
	return true;
}

int order_leave(int rc)
{
	inside--;
	return rc;
}

#define X(name, params, ...)                                                                         \
	/* in stacks by that name */                                                                 \
	static int own_##name params __asm__("MPI_" #name "_");                                      \
	static int own_##name params                                                                 \
	{                                                                                            \
		return order_##name((__typeof__(&MPI_##name))plain[CALL_##name], __VA_ARGS__);       \
	}                                                                                            \
	EXPORT int PMPI_##name params                                                                \
	{                                                                                            \
		return order_##name(REAL(name), __VA_ARGS__);                                        \
	}
ORDER_CALLS(X)
#undef X

void *order_wrapper(const char *name, void *next)
{
	static const struct {
		const char *name;
		void *to;
	} own[] = {
#define X(name, ...) [CALL_##name] = { "MPI_" #name, (void *)own_##name },
		ORDER_CALLS(X)
#undef X
	};

	if (!next || !order_asked())
		return next;
	for (int i = 0; i < CALLS; i++)
		if (!strcmp(own[i].name, name)) {
			plain[i] = next;
			return own[i].to;
		}
	return next;
}
