/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the programs of the shell tests: a rank of MPICH 4 over UCX that waits polls without ever yielding its
 * processor (MPIR_CVAR_POLLS_BEFORE_YIELD has no effect there), so that four ranks on two processors wait for whole time
 * slices. Open MPI has mpi_yield_when_idle for that. Built without -g: no line of this is a line of the user's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*progress)(void *);
	unsigned events;

	if (!progress)
		*(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
	events = progress(worker);
	if (!events)
		sched_yield();
	return events;
}
