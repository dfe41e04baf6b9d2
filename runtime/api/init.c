/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts the runtime in the program's process, and in no other, and switches it off.
 */
#include "runtime/base/omp_table.h"
#include "runtime/marks/marks.h"
#include "runtime/stop/stop.h"
#include "runtime/record/record.h"
#include "runtime/tags/tags.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char no_page[] = "libdvmdbg: there is no memory for the runtime: it is switched off, "
			      "and the program runs on\n";

/* The page DVMDBG_PAGE names, if it is ours and meant for this process, else NULL. */
static struct page *page_open(void)
{
	const char *path = getenv("DVMDBG_PAGE");
	struct page *p;
	struct stat st;
	int fd;

	if (!path || !*path)
		return NULL;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(*p)) {
		close(fd);
		return NULL;
	}
	p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED) {
		/* without the page nobody else can say it */
		if (write(STDERR_FILENO, no_page, sizeof(no_page) - 1) < 0)
			return NULL;
		return NULL;
	}
	if (p->magic == PAGE_MAGIC && p->version == PAGE_VERSION &&
	    atomic_load(&p->program_pid) == getpid())
		return p;
	munmap(p, sizeof(*p));
	return NULL;
}

/*
 * A page of our own, for who attaches later: with DVMDBG_ATTACH in the environment. Its descriptor
 * stays open, as that is how it is found. NULL: not wanted, or not to be had.
 */
static struct page *page_keep(void)
{
	const char *want = getenv("DVMDBG_ATTACH");
	struct page *p;
	int fd;

	if (!want || !*want || !strcmp(want, "0"))
		return NULL;
	fd = memfd_create(PAGE_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return NULL;
	p = MAP_FAILED;
	if (!ftruncate(fd, sizeof(*p)) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED) {
		close(fd);
		return NULL;
	}
	p->magic = PAGE_MAGIC;
	p->version = PAGE_VERSION;
	p->size = 1;
	atomic_store(&p->program_pid, getpid());
	atomic_store(&p->on_exit_run, 1);
	p->kept = 1;
	rt.kept = true;
	return p;
}

/* After an exec in the same process the page holds what the former program said. */
static void page_reset(struct page *p)
{
	uint32_t seq = atomic_load(&p->stack_seq) | 1;

	/* what its blocks name is in the arena */
	access_reader_over(p);
	atomic_store(&p->state, PAGE_FRESH);
	atomic_store(&p->stack_seq, seq);
	p->depth = 0;
	atomic_store(&p->point_main_side, 0);
	atomic_store(&p->point_task_sub, 0);
	atomic_store(&p->point_usec, 0);
	atomic_store(&p->stack_seq, seq + 1);
	atomic_store(&p->hash, 0);
	atomic_store(&p->hash_n, 0);
	atomic_store(&p->history_n, 0);
	atomic_store(&p->first_entity, 0);
	atomic_store(&p->finding_n, 0);
	atomic_store(&p->arena_used, 8);
	p->reason = 0;
	p->code = 0;
	p->fault = 0;
	p->sig_code = p->sig_pid = 0;
	p->abort_text[0] = 0;
	atomic_store(&p->leaving, PAGE_STAYS);
	p->nact = 0;
	atomic_store(&p->mpi, MPI_STATE_NONE);
	p->mpi_abi = 0;
	p->abort_code = 0;
	p->aborted = 0;
	atomic_store(&p->annotated, 0);
	/* the supervisor sees by start_usec that the queue begins again */
	atomic_store(&p->sums_head, 0);
	atomic_store(&p->sums_tail, 0);
	atomic_store(&p->sums_waiting, 0);
	atomic_store(&p->sums_hold, 0);
	atomic_store(&p->bounce.answer, atomic_load(&p->bounce.request));
	p->start_usec = rt.start_usec;
}

/* Where the wipe of the switch is not to be had. */
static void forked(void)
{
	if (rt.on)
		atomic_store(rt.on, 0);
	/* its block is not there any more */
	tracer_self = NULL;
}

/* The switch: a forked child reads 0 there and cannot reach the page. 0 or -1. */
static int switch_init(void)
{
	size_t n = (size_t)sysconf(_SC_PAGESIZE);

	rt.on = rt_pages(n);
	if (!rt.on)
		return -1;
	if (madvise(rt.on, n, MADV_WIPEONFORK) < 0 && pthread_atfork(NULL, NULL, forked))
		return -1;
	madvise(rt.page, sizeof(*rt.page), MADV_DONTFORK);
	return 0;
}

/* The program's hooks are asked no more. */
static void shut(void)
{
	access_gate(false, false);
}

/* At the first mark: by now language runtimes have installed their signal handlers. */
static void first(void)
{
	rt.announced = true;
	atomic_store(&rt.page->annotated, 1);
	wait_notify();
	crash_install();
}

/* The program runs without the runtime, and the supervisor learns why. */
static void start_failed(void)
{
	page_reset(rt.page);
	find_add(FINDING_PARTIAL, 0,
		 "there is no memory for the runtime: it is switched off, and the program runs on");
	atomic_store(&rt.page->state, PAGE_OFF);
	wait_notify();
}

__attribute__((constructor)) static void rt_start(void)
{
	int e = errno;

	rt.page = getenv("DVMDBG_PAGE") ? page_open() : page_keep();
	rt.start_usec = rt_usec();
	if (!rt.page || switch_init() < 0 || arena_init() < 0 || rules_init() < 0) {
		if (rt.page)
			start_failed();
		errno = e;
		return;
	}
	rt_owner = true;
	rt.stack_top = (uintptr_t)__builtin_frame_address(0);
	page_reset(rt.page);
#ifdef PR_SET_PTRACER
	if (!rt.kept)
		prctl(PR_SET_PTRACER, atomic_load(&rt.page->exec_pid), 0, 0, 0);
#endif
	rt.at_first = first;
	rt.at_region = dvmdbg_region;
	rt.at_off = shut;
	rt.at_end = sums_end;
	rt_deathsig();
	if (crash_init() < 0)
		find_add(FINDING_PARTIAL, 0,
			 "there is no memory for signal handlers: crashes are not stopped at");
	rules_load(&rt.plan);
	rt.plan_left = rt.plan.n;
	atomic_store(rt.on, 1);
	dvmdbg_active = 1;
	if (trace_init() == 0) {
		access_start();
		gate_reload();
	} else if (rt.page->trace.offset) {
		find_add(FINDING_PARTIAL, 0, "there is no memory for traces");
	}
	marks_init();
	stop_want_iterations();
	traps_load();
	breaks_init();
	tags_init();
	atomic_store(&rt.page->state, PAGE_RUNNING);
	wait_notify();
	errno = e;
}

/*
 * A program that has not called MPI_Finalize is compared where it calls exit. What its functions
 * have on the stack may be gone by then.
 */
static void finish(void)
{
	if (!rt.announced || !rt_enter())
		return;
	rt.exiting = true;
	rt.mpi = NULL;
	rt.caller = rt.stack_top;
	stack_finish(0);
	rt_leave();
}

/* What is in blocks that are not full, and in the last write, is handed over. */
__attribute__((destructor)) static void rt_end(void)
{
	int e = errno;

	if (rt.page) {
		crash_leaving();
		finish();
		trace_leave();
	}
	errno = e;
}
