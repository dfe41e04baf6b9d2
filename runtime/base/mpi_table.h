/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between libdvmdbg and the preloaded MPI library, which calls all of this from the thread that
 * calls MPI. Outside a debugged program all of it does nothing.
 */
#ifndef DVMDBG_RUNTIME_RT_MPI_H
#define DVMDBG_RUNTIME_RT_MPI_H

enum rt_mpi_abi { RT_MPI_NONE = 0, RT_MPI_OPENMPI = 1, RT_MPI_MPICH = 2 };

struct rt_mpi_ops {
	void (*progress)(void); /* lets messages move; returns soon */
	int same_thread;	/* progress only from the thread that attached */
};

#define RT_MPI_API __attribute__((visibility("default"), weak))

/* 1 in a program that runs under dvmdbg. */
int dvmdbg_mpi_on(void) RT_MPI_API;
/* state: enum mpi_state; abi: enum rt_mpi_abi. */
void dvmdbg_mpi_state(int state, int abi) RT_MPI_API;
/* ops stay borrowed until detach; NULL: no progress is possible. */
void dvmdbg_mpi_attach(const struct rt_mpi_ops *ops) RT_MPI_API;
void dvmdbg_mpi_detach(void) RT_MPI_API;
/* 1: collective calls on MPI_COMM_WORLD are points. */
int dvmdbg_mpi_points(void) RT_MPI_API;
/*
 * One begins: name of the function, return address, and where it puts what all ranks receive, NULL:
 * they do not. Returns what to end it with, 0: it is not numbered. Both may park the caller.
 */
unsigned dvmdbg_mpi_begin(const char *name, const void *pc, const void *result) RT_MPI_API;
void dvmdbg_mpi_end(unsigned id) RT_MPI_API;
/* The program calls MPI_Finalize, at that place, and MPI is still up. */
void dvmdbg_mpi_finish(const void *pc) RT_MPI_API;
/*
 * Four words that stay where they are, for wrappers that are called often: 1 in a program that runs
 * under dvmdbg; 1 when dvmdbg_mpi_call has something to do; 1 when dvmdbg_mpi_traced has; 1 when
 * dvmdbg_mpi_moved has. NULL: there are none.
 */
const _Atomic unsigned *dvmdbg_mpi_switch(void) RT_MPI_API;
/*
 * The function of that name is about to be called, or what went wrong in one. Does not return when
 * that is inside of a function which the debugger has called: of MPI these have what is local.
 */
void dvmdbg_mpi_refuse(const char *name) RT_MPI_API;
/* Any other function is about to be called, in whatever thread. */
void dvmdbg_mpi_call(void) RT_MPI_API;
/*
 * A reduction of MPI begins, blocking or not: what it combines, where its result goes, and among
 * which ranks. Traces keep it, so that results can be calculated from what the ranks have computed.
 */
struct rt_mpi_reduces {
	const void *from, *to;
	unsigned long count;	/* elements */
	unsigned bytes;		/* of an element */
	const char *op, *type;	/* MPI_SUM, MPI_DOUBLE; "?": the program's own, or not known */
	unsigned long comm;	/* the same on all its ranks, and never 0 */
	unsigned size;		/* of the communicator */
	int root;		/* -1: all ranks have the result */
	unsigned rank;
};
void dvmdbg_mpi_reduces(const struct rt_mpi_reduces *r) RT_MPI_API;
/* A call of MPI has returned to pc, in any thread: a record of the trace, when calls are wanted
 * there. */
struct trace_call;
void dvmdbg_mpi_traced(const struct trace_call *c, const void *pc) RT_MPI_API;
/*
 * MPI has written (kind 'G'), or is to read (kind 'U'), n blocks of bytes, stride bytes apart;
 * block 0: it is not known how much. In a call at pc. NULL: not all that it writes can be followed.
 */
struct rt_mpi_moved {
	unsigned long addr, block, stride, n;
	const char *call;
};
void dvmdbg_mpi_moved(int kind, const struct rt_mpi_moved *m, const void *pc) RT_MPI_API;
/* How many bytes of the block that malloc has given lie from there on; 0: that is not known, or not
 * looked for any more. */
unsigned long dvmdbg_mpi_block(const void *at) RT_MPI_API;
/* That memory is of a window: other ranks write it. */
void dvmdbg_mpi_window(const void *at, unsigned long bytes) RT_MPI_API;
/* Recorded decisions are not followed any longer, for that reason. */
void dvmdbg_mpi_order(const char *why) RT_MPI_API;
/* Where calls that can block are kept; NULL: nowhere. */
struct mpistate_page;
struct mpistate_page *dvmdbg_mpi_page(void) RT_MPI_API;
/*
 * The registered object that has the byte at that address, as its offset in the arena, and the
 * newest numbered construct; 0: there is none, or another thread asks.
 */
unsigned dvmdbg_mpi_object(const void *at, unsigned *newest) RT_MPI_API;
/* An error inside MPI is about to end the program, in a call at pc (NULL: not known): parks. */
void dvmdbg_mpi_error(int code, const char *text, const void *pc) RT_MPI_API;
/* A call of MPI at pc is not as it has to be: a finding (enum finding_kind). The call goes on. */
void dvmdbg_mpi_misuse(int kind, const char *text, const void *pc) RT_MPI_API;
/*
 * Memory that MPI may access now, and the program may not: what its own accesses do there is kept
 * in the page, when it has access hooks. The table is written by the thread that calls MPI, which
 * then says that it has changed, as it does when windows or what orders accesses to them have.
 */
#define MPI_PENDING 256 /* places in it */
struct mpistate_piece;
/* The place that was taken, -1: none is needed, or there is no more. arg: the number of the
 * argument. */
int dvmdbg_mpi_pending_add(const struct mpistate_piece *piece, int writes, unsigned call,
			   unsigned arg, const void *pc) RT_MPI_API;
void dvmdbg_mpi_pending_remove(int place) RT_MPI_API;
void dvmdbg_mpi_pending_changed(void) RT_MPI_API;
/* MPI has given the program that memory in a call at pc; 0 bytes: and takes it back. */
void dvmdbg_mpi_memory(const void *at, unsigned long bytes, const void *pc) RT_MPI_API;
/* The program is about to call MPI_Abort with code: parks. */
void dvmdbg_mpi_abort(int code) RT_MPI_API;

#endif
