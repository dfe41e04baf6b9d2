/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the program that are in no call of MPI, and may be about to make one. One that waits
 * for another thread of the program (a futex without a time limit) is not.
 */
#include "runtime/exec/page/page.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

static bool is_inner(const struct mpistate_page *p, uint32_t tid)
{
	for (unsigned i = 0; i < MPISTATE_INNER && p->inner[i]; i++)
		if (p->inner[i] == tid)
			return true;
	return false;
}

static bool is_in_call(const struct mpistate_page *p, uint32_t tid)
{
	for (unsigned i = 0; i < MPISTATE_THREADS; i++)
		if (atomic_load(&p->slot[i].tid) == tid)
			return atomic_load(&p->slot[i].in);
	return false;
}

/* The system call that it is in: its number and arguments, as /proc shows them. */
static bool waits_for_thread(pid_t pid, uint32_t tid)
{
	char path[64];
	long call = -1;
	uint64_t limit = 1;
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/task/%" PRIu32 "/syscall", (int)pid, tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fscanf(f, "%ld %*x %*x %*x %" SCNx64, &call, &limit);
	fclose(f);
	return n == 2 && call == SYS_futex && !limit;
}

bool page_threads_may_call(const struct mpistate_page *p, pid_t pid)
{
	const struct dirent *e;
	char path[64];
	bool may = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !may && (e = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);

		may = tid && !is_inner(p, tid) && !is_in_call(p, tid) &&
		      !waits_for_thread(pid, tid);
	}
	if (dir)
		closedir(dir);
	return may;
}
