/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all of the runtime shares, and how it is switched off.
 */
#include "runtime/base/base.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

struct rt rt;
RT_PUBLIC int dvmdbg_active;
RT_PUBLIC _Atomic int dvmdbg_iterations;
__thread bool rt_owner __attribute__((tls_model("initial-exec")));

uint64_t rt_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

void *rt_pages(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int deathsig = -1;

void rt_deathsig(void)
{
	int want = atomic_load(&rt.page->on_exit_run) ? 0 : SIGKILL;

	if (rt.kept)
		return;
	/* it belongs to the thread that asks for it */
	if (want == deathsig || !rt_owner)
		return;
	deathsig = want;
	prctl(PR_SET_PDEATHSIG, want);
}

void rt_off(void)
{
	dvmdbg_active = 0;
	atomic_store(&dvmdbg_iterations, 0);
	atomic_store(rt.on, 0);
	if (rt.at_off)
		rt.at_off();
	atomic_store(&rt.page->state, PAGE_OFF);
	wait_notify();
}
