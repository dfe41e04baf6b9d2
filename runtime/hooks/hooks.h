/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is between the access hooks, an archive that dvmdbg-cc and dvmdbg-fc link into programs
 * and into their shared libraries, and libdvmdbg. The archive is as old as the program's last link,
 * so nothing here changes without a new HOOKS_ABI; new members come at the end, and `size` shows
 * them.
 */
#ifndef HOOKS_H
#define HOOKS_H

#include <stddef.h>
#include <stdint.h>

#define HOOKS_ABI 1

/* In the executable's symbol table when the archive is in it … */
#define HOOKS_MARKER "dvmdbg_hooked_"
/* … and a note that is still there when it has been stripped: this name and type, and HOOKS_ABI. */
#define HOOKS_NOTE_SECTION ".note.dvmdbg"
#define HOOKS_NOTE_NAME "dvmdbg"
#define HOOKS_NOTE_TYPE 1

/* The bytes of an access, one of 1, 2, 4, 8, 16, and what it does. Without HOOK_WRITE and HOOK_RMW:
 * a read. */
enum {
	HOOK_SIZE = 0x1f,
	HOOK_WRITE = 0x20, /* it writes and does not read */
	HOOK_ATOMIC = 0x40,
	HOOK_RMW = 0x80, /* it reads, and then writes */
};

/*
 * One per linked object that has the archive: the program, each shared library. It is zero but for
 * abi and size until dvmdbg_hooks_join, which fills in all functions, and only then may raise gate
 * and heap. All functions keep errno, may be called by any thread and in signal handlers, and call
 * nothing that is hooked. pc is a return address into the program: the access is of the line of pc
 * - 1.
 */
struct dvmdbg_hooks {
	uint32_t abi, size;
	/* Read relaxed by hooks, and where they are called (dvmdbg_gate_, inline.s); other than 0:
	 * accesses are reported. */
	_Atomic uint32_t gate;
	_Atomic uint32_t heap; /* other than 0: allocations are reported, even with a closed gate */
	/* Before the access. */
	void (*access)(const void *addr, unsigned flags, const void *pc);
	/* As that, of n bytes, any n; not aligned, perhaps. Also what has no size of its own:
	 * structures. */
	void (*range)(const void *addr, size_t n, unsigned flags, const void *pc);
	/* Before n bytes are copied (memcpy, memmove); from NULL: set (memset). */
	void (*copy)(void *to, const void *from, size_t n, const void *pc);
	/*
	 * Pending values of this thread's writes are to be read now: memory is about to go (free,
	 * realloc, munmap), a function is entered or left, an atomic write has been done. With the
	 * gate open only.
	 */
	void (*flush)(void);
	/* The block p of n bytes is the program's; it is going to be freed. p is never NULL. */
	void (*allocated)(void *p, size_t n, const void *pc);
	void (*freed)(void *p);
	struct dvmdbg_hooks *next; /* for libdvmdbg's list of those that have joined */
	/* What is in n bytes at p is set, by what has no hooks: calloc, realloc. NULL: a libdvmdbg
	 * that is older. */
	void (*settled)(void *p, size_t n);
	/*
	 * Of OpenMP: what the thread executes from here on (part, enum hook_part); a loop is
	 * divided by the compiler (loop), by the code before pc. NULL: as above.
	 */
	void (*part)(int what);
	void (*loop)(const void *pc);
	/* The thread has n bytes at p for a task that it is going to create. NULL: as above. */
	void (*task)(void *p, size_t n);
	/*
	 * The thread begins a region by the call before pc, with these registers, in which each
	 * thread calls code with data. pc NULL: it has ended. NULL: as above.
	 */
	void (*begins)(const void *pc, const void *frame, const void *code, const void *data);
	/* An atomic operation there that orders others (enum hook_order), of which value is what
	 * was read; behind what acquires, before what releases. NULL: as above. */
	void (*orders)(const volatile void *addr, int what, uint64_t value);
	/* An iteration of a SIMD loop begins, of which so many may run at the same time (0: any
	 * number; HOOK_SIMD_REDUCES: into an array), in the function with that frame; < 0: it has
	 * ended. NULL: as above. */
	void (*simd)(int length, const void *pc, const void *frame);
	/* The thread is going to enter the critical region that has this variable, whose symbol has
	 * its name; NULL: the one without a name. NULL: as above. */
	void (*enters)(const void *variable);
	/* The n bytes of that variable of the thread have no value; they are filled. NULL: as
	 * above. */
	void (*fresh)(void *p, size_t n, const char *name, const void *pc);
	/* The n bytes at p are copies of what tasks reduce, each a thread's own; p NULL: n is an
	 * enum hook_reduction. NULL: as above. */
	void (*reduces)(void *p, size_t n);
};

/* By their memory order: a fence makes both of relaxed ones. */
enum hook_order { HOOK_ACQUIRES, HOOK_RELEASES, HOOK_LOADS, HOOK_STORES, HOOK_FENCE };

/* A group of tasks that reduce begins; some group ends; a loop over their results comes next. */
enum hook_reduction { HOOK_REDUCTION_BEGINS, HOOK_REDUCTION_ENDS, HOOK_REDUCTION_COMBINES };

#define HOOK_SIMD_REDUCES (1 << 30)

enum hook_part {
	HOOK_NO_PART,	   /* of none of the parts of a construct that shares work */
	HOOK_PART,	   /* a part of its own */
	HOOK_ITERATION,	   /* an iteration of a loop, or of a chunk of it */
	HOOK_LOOP_ENDS,	   /* what is behind the loop of these */
	HOOK_HAS_A_NUMBER, /* that, and the program has asked which thread it is */
	HOOK_ELEMENTS	   /* up to HOOK_LOOP_ENDS loops are statements with arrays (workshare) */
};

/*
 * Exported by libdvmdbg, looked up by the archive's constructor when its object is loaded, which in
 * a shared library may be before libdvmdbg's own. 0: joined; -1: an ABI that libdvmdbg does not
 * know, or no debugger: the hooks stay shut.
 */
int dvmdbg_hooks_join(struct dvmdbg_hooks *h);
/* The object is unloaded: no function of it, and not h itself, is touched afterwards. */
void dvmdbg_hooks_part(struct dvmdbg_hooks *h);

#endif
