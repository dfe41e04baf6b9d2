/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preloaded MPI library, compiled once per ABI with that ABI's mpi.h: informs libdvmdbg when
 * MPI is up, lends it a way to let messages move, and announces MPI_Abort. All other calls are in
 * calls.c and wrapped.c. Each wrapper calls the next definition of its own name, so that other
 * tools that wrap MPI stay in the chain. Nothing of MPI is linked: programs without MPI, like a
 * shell between the supervisor and the program, can be preloaded with this too.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/protocol/report.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/internal.h"
#include "runtime/order/order.h"
#include "runtime/base/mpi_table.h"

#define EXPORT __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)
static MPI_Comm self;
static int have_self;
/* Fortran's wrappers may or may not pass through C's: only the outermost call counts. */
static __thread int depth __attribute__((tls_model("initial-exec")));

static __typeof__(&PMPI_Test) test;
static MPI_Request never;
static char nothing;

/*
 * Asks for a message that nobody sends: MPI works while it looks. (MPI_Iprobe would do for Open
 * MPI, but MPICH does nothing in it for a communicator of one process.)
 */
static void progress(void)
{
	int flag;

	for (int i = 0; i < 8; i++)
		test(&never, &flag, MPI_STATUS_IGNORE);
}

static const struct rt_mpi_ops one_thread = { progress, 1 };
static const struct rt_mpi_ops any_thread = { progress, 0 };

static void state(enum mpi_state s)
{
	check_is_outside = s == MPI_STATE_NONE || s == MPI_STATE_DOWN;
	state_changed();
	if (dvmdbg_mpi_state)
		dvmdbg_mpi_state(s, ABI);
}

/* As calls.c does for all other functions. */
static void called(const char *name)
{
	if (dvmdbg_mpi_refuse)
		dvmdbg_mpi_refuse(name);
	if (dvmdbg_mpi_call)
		dvmdbg_mpi_call();
}

#define THREADS 256 /* before MPI_Init; with more none counts as MPI's own */
static uint32_t user_thread[THREADS];
static int user_threads;

/* All threads but those of the list: how many there are, of which at most `room` are put. */
static int list_threads(const uint32_t *known, int nknown, uint32_t *out, int room)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);
		int i = 0;

		while (i < nknown && known[i] != tid)
			i++;
		if (!tid || i < nknown)
			continue;
		if (n < room)
			out[n] = tid;
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Whose calls a deadlock may wait for. */
static void put_threads(struct mpistate_page *p, int level)
{
	if (user_threads <= THREADS)
		list_threads(user_thread, user_threads, p->inner, MPISTATE_INNER);
	atomic_store(&p->several,
		     level != MPI_THREAD_SINGLE && level != MPI_THREAD_FUNNELED);
}

static uint64_t init_since; /* 0: calls are not recorded */
static const void *init_place;

static void init_begin(const void *pc)
{
	called("MPI_Init");
	if (depth++)
		return;
	slot_find_switch();
	init_since = traced_on() ? traced_now() : 0;
	init_place = pc;
	if (dvmdbg_mpi_page && dvmdbg_mpi_page())
		user_threads = list_threads(NULL, 0, user_thread, THREADS);
	state(MPI_STATE_IN_INIT);
}

/* Which thread may let messages move; NULL: none, another one may be inside MPI just now. */
static const struct rt_mpi_ops *ops_for(int level)
{
	if (level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED)
		return &one_thread;
	return level == MPI_THREAD_MULTIPLE ? &any_thread : NULL;
}

/* A communicator of our own, so that the program's wildcards never meet our request. */
static int progress_begin(void)
{
	if (NEXT(PMPI_Comm_dup, "PMPI_Comm_dup")(COMM_SELF, &self) != MPI_SUCCESS)
		return 0;
	test = NEXT(PMPI_Test, "PMPI_Test");
	have_self = NEXT(PMPI_Irecv, "PMPI_Irecv")(&nothing, 1, CHAR, 0, 0, self, &never) ==
		    MPI_SUCCESS;
	if (!have_self)
		NEXT(PMPI_Comm_free, "PMPI_Comm_free")(&self);
	return have_self;
}

static void progress_end(void)
{
	if (!have_self)
		return;
	have_self = 0;
	NEXT(PMPI_Cancel, "PMPI_Cancel")(&never);
	NEXT(PMPI_Wait, "PMPI_Wait")(&never, MPI_STATUS_IGNORE);
	NEXT(PMPI_Comm_free, "PMPI_Comm_free")(&self);
}

static void init_end(int ok)
{
	const struct rt_mpi_ops *ops;
	int level, rank, ranks;

	if (--depth)
		return;
	state(ok ? MPI_STATE_UP : MPI_STATE_NONE);
	if (!ok || !dvmdbg_mpi_on || !dvmdbg_mpi_on())
		return;
	NEXT(PMPI_Query_thread, "PMPI_Query_thread")(&level);
	if (dvmdbg_mpi_page && dvmdbg_mpi_page()) {
		put_threads(dvmdbg_mpi_page(), level);
		objects_begin(dvmdbg_mpi_page());
	}
	NEXT(PMPI_Comm_rank, "PMPI_Comm_rank")(COMM_WORLD, &rank);
	NEXT(PMPI_Comm_size, "PMPI_Comm_size")(COMM_WORLD, &ranks);
	check_up(level);
	error_begin();
	order_begin(rank, ranks, level != MPI_THREAD_MULTIPLE);
	ops = ops_for(level);
	dvmdbg_mpi_attach(ops && progress_begin() ? ops : NULL);
	if (init_since && dvmdbg_mpi_page)
		traced_init(dvmdbg_mpi_page(), init_since, init_place);
}

static void finalize_begin(const void *pc)
{
	called("MPI_Finalize");
	if (depth++)
		return;
	if (dvmdbg_mpi_finish)
		dvmdbg_mpi_finish(pc);
	order_end();
	state_finalize(pc, __builtin_frame_address(0));
	state(MPI_STATE_IN_FINALIZE);
	if (dvmdbg_mpi_detach)
		dvmdbg_mpi_detach();
	progress_end();
}

static void finalize_end(void)
{
	if (--depth)
		return;
	traced_finalized();
	state(MPI_STATE_DOWN);
}

static void abort_begin(int code)
{
	called("MPI_Abort");
	if (!depth++ && dvmdbg_mpi_abort)
		dvmdbg_mpi_abort(code);
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
	int rc;

	init_begin(CALLER);
	rc = NEXT(MPI_Init, "MPI_Init")(argc, argv);
	init_end(rc == MPI_SUCCESS);
	return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int rc;

	init_begin(CALLER);
	rc = NEXT(MPI_Init_thread, "MPI_Init_thread")(argc, argv, required, provided);
	init_end(rc == MPI_SUCCESS);
	return rc;
}

EXPORT int MPI_Finalize(void)
{
	int rc;

	finalize_begin(CALLER);
	rc = NEXT(MPI_Finalize, "MPI_Finalize")();
	finalize_end();
	return rc;
}

EXPORT int MPI_Abort(MPI_Comm comm, int code)
{
	int rc;

	abort_begin(code);
	rc = NEXT(MPI_Abort, "MPI_Abort")(comm, code);
	depth--;
	return rc;
}

/*
 * Fortran: all arguments are addresses; ierr is NULL where mpi_f08 left it out. One set of wrappers
 * per spelling: the compilers' four manglings, and mpi_f08's.
 */
#define FORTRAN(init, init_thread, finalize, abort_)                       \
	EXPORT void init(int *ierr);                                       \
	EXPORT void init_thread(int *required, int *provided, int *ierr);  \
	EXPORT void finalize(int *ierr);                                   \
	EXPORT void abort_(void *comm, int *code, int *ierr);              \
	void init(int *ierr)                                               \
	{                                                                  \
		init_begin(CALLER);                                              \
		NEXT(init, #init)(ierr);                                   \
		init_end(!ierr || *ierr == MPI_SUCCESS);                   \
	}                                                                  \
	void init_thread(int *required, int *provided, int *ierr)          \
	{                                                                  \
		init_begin(CALLER);                                              \
		NEXT(init_thread, #init_thread)(required, provided, ierr); \
		init_end(!ierr || *ierr == MPI_SUCCESS);                   \
	}                                                                  \
	void finalize(int *ierr)                                           \
	{                                                                  \
		finalize_begin(CALLER);                                    \
		NEXT(finalize, #finalize)(ierr);                           \
		finalize_end();                                            \
	}                                                                  \
	void abort_(void *comm, int *code, int *ierr)                      \
	{                                                                  \
		abort_begin(*code);                                        \
		NEXT(abort_, #abort_)(comm, code, ierr);                   \
		depth--;                                                   \
	}

FORTRAN(mpi_init_, mpi_init_thread_, mpi_finalize_, mpi_abort_)
FORTRAN(mpi_init__, mpi_init_thread__, mpi_finalize__, mpi_abort__)
FORTRAN(mpi_init, mpi_init_thread, mpi_finalize, mpi_abort)
FORTRAN(MPI_INIT, MPI_INIT_THREAD, MPI_FINALIZE, MPI_ABORT)
FORTRAN(mpi_init_f08_, mpi_init_thread_f08_, mpi_finalize_f08_, mpi_abort_f08_)
