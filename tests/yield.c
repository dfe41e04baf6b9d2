/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the programs of the shell tests, so that ranks that wait leave the processors to others. Open MPI yields
 * (mpi_yield_when_idle), which with four ranks on two processors still takes half of them; MPICH 4 over UCX polls without
 * ever yielding (MPIR_CVAR_POLLS_BEFORE_YIELD has no effect there). What yields again and again, with nothing done in
 * between, sleeps. And what Open MPI has loaded to see whether it can be used stays loaded: to unload it takes a tenth of
 * a start. Built without -g: no line of this is a line of the user's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 50	 /* yields in vain before it sleeps */
#define NAP 100000	 /* ns; after NAPS of them it is twice as long, NAPS_LONGER times at most */
#define NAPS 8
#define NAPS_LONGER 6
#define WORK 20000	 /* ns: what takes longer between two yields is not waiting */

unsigned ucp_worker_progress(void *worker);

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int sched_yield(void)
{
	static __thread int64_t last;
	static __thread unsigned vain;
	struct timespec nap = { 0, NAP };

	vain = now() - last < WORK ? vain + 1 : 0;
	if (vain < PATIENCE) {
		syscall(SYS_sched_yield);
	} else {
		unsigned longer = (vain - PATIENCE) / NAPS;

		nap.tv_nsec <<= longer < NAPS_LONGER ? longer : NAPS_LONGER;
		syscall(SYS_nanosleep, &nap, NULL);
	}
	last = now();
	return 0;
}

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

int dlclose(void *library)
{
	static int (*unload)(void *);
	struct link_map *map;

	if (!dlinfo(library, RTLD_DI_LINKMAP, &map) && strstr(map->l_name, "/mca_"))
		return 0;
	if (!unload)
		*(void **)&unload = dlsym(RTLD_NEXT, "dlclose");
	return unload(library);
}
