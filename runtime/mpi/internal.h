/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library: what its files share. In program threads only.
 */
#ifndef DVMDBG_RUNTIME_MPI_INTERNAL_H
#define DVMDBG_RUNTIME_MPI_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/mpistate/mpistate.h"
#include "runtime/order/order_next.h"

/* An argument of MPI: none is a floating-point number, or larger than a register. */
typedef uintptr_t mpi_word;

/* A wrapped function. */
struct mpi_slot {
	void *_Atomic to; /* NULL: not looked for yet */
	const char *name;
};

/* Where the call of a slot goes on. What its thread has written last is looked at before. */
void *slot_begin(struct mpi_slot *s) MPI_HIDDEN;
/* Four words: whether the program is debugged here, whether writes have to be looked at, whether
 * calls are recorded, and whether the memory is that they read and write. */
extern const _Atomic uint32_t *_Atomic slot_switch MPI_HIDDEN;
/* Looks for it, as long as it is not there. */
void slot_find_switch(void) MPI_HIDDEN;
extern _Atomic bool check_is_outside MPI_HIDDEN;
/* The same as slot_begin, without a call where there is nothing to do. */
static inline __attribute__((always_inline)) void *slot_to(struct mpi_slot *s)
{
	void *to = atomic_load_explicit(&s->to, memory_order_relaxed);
	const _Atomic uint32_t *flag = atomic_load_explicit(&slot_switch, memory_order_relaxed);

	if (__builtin_expect(to && !atomic_load_explicit(&check_is_outside, memory_order_relaxed) &&
				     !atomic_load_explicit(&flag[1], memory_order_relaxed),
			     1))
		return to;
	return slot_begin(s);
}

/*
 * A message that was sent or received before, or begun, without a finding: as long as state_epoch
 * is the same, the same arguments need not be looked at again. Count and buffer may be others, as
 * far as there are some. A call that waits for requests is known too: of its place in the code
 * nothing has to be found out.
 */
struct mpi_known {
	uint64_t pc, to; /* 0: nothing is here; peer, and tag << 32 */
	mpi_word type, comm;
	uint32_t call, epoch; /* call << 1 | fortran */
	struct mpistate_pair *pair;
	struct mpistate_kind *kind; /* which counts it, NULL: none does */
	uint32_t base, bytes;	    /* as in struct mpistate_kind; of a basic type, 0: it is none */
};
#define MPI_KNOWN 64 /* of each thread, a power of two */
#define MPI_WAITS 32 /* requests of a known call, at most MPISTATE_REQUESTS */
static inline unsigned known_at(uint64_t pc, uint64_t to)
{
	uint64_t x = pc + (to ^ to >> 27) * 11;

	return (unsigned)(x ^ x >> 6) & (MPI_KNOWN - 1);
}
static inline uint64_t known_to(int32_t peer, int32_t tag)
{
	return (uint64_t)(uint32_t)tag << 32 | (uint32_t)peer;
}
/* Rises when handles begin or cease to mean something. */
extern _Atomic uint32_t state_epoch MPI_HIDDEN;
static inline void state_changed(void)
{
	atomic_fetch_add_explicit(&state_epoch, 1, memory_order_release);
}

/*
 * state.c: a call begins and ends. frame: of the wrapper, by which calls inside of others are
 * known: these are not kept, and begin returns NULL; nor are they when nothing is debugged. Else
 * end is due, with what the call has returned.
 */
struct mpi_thread {
	struct mpistate_page *page;
	struct mpistate_slot *slot;
	const void *frame; /* of the outermost call; NULL: in none */
	const struct mpistate_shape *shape;
	unsigned call;
	bool fortran, active;		/* active: a test has requests to test */
	struct mpistate_object *object; /* of the call */
	struct mpistate_object *newest; /* of the newest call that had one */
	uint64_t *before;		/* the requests that it was given: n of them */
	uint32_t n, room;
	unsigned point; /* of the call, 0: it is none */
	uint64_t code, code_size; /* where the newest call came from */
	uint32_t reports, epoch;  /* findings so far and state_epoch, when the call began */
	struct mpi_known *known;  /* MPI_KNOWN of them, NULL: none yet */
	struct mpistate_posted *waits[MPI_WAITS]; /* nwaits requests of a known call, */
	uint8_t which[MPI_WAITS];		  /* and their places in its list */
	uint32_t nwaits;
	bool windows;		  /* reads of windows are followed: see onesided_found_nothing */
	uint64_t since;		  /* when the call began, 0: calls are not recorded */
	struct traced_polls *polls; /* owned; tests without success that are not recorded yet */
};
extern __thread struct mpi_thread state_self __attribute__((tls_model("initial-exec"))) MPI_HIDDEN;
struct mpi_thread *state_begin(unsigned call, bool fortran, const mpi_word *arg, const void *pc,
			       const void *frame) MPI_HIDDEN;
void state_end(struct mpi_thread *t, const mpi_word *arg, int rc) MPI_HIDDEN;
/* wrapped.c: keeps what is known of a call that has succeeded. */
void known_add(struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
/* Messages of o with that peer and tag; NULL: there is no more room. */
struct mpistate_pair *state_pair(struct mpistate_page *p, const struct mpistate_object *o,
				 int32_t peer, int32_t tag) MPI_HIDDEN;
/* Where MPI has put who has sent a message: the i-th status. */
struct mpi_status {
	const void *list; /* NULL: nowhere */
	size_t i;
};
/* The call of t has made the request that is at `at` now, k: of a known message; a request is
 * complete (e: NULL is fine). */
void state_posted(struct mpi_thread *t, const void *at, const mpi_word *arg,
		  const struct mpi_known *k) MPI_HIDDEN;
void state_done(struct mpi_thread *t, struct mpistate_posted *e, struct mpi_status status)
	MPI_HIDDEN;
const struct mpistate_shape *state_shape(unsigned call) MPI_HIDDEN;
/* What a call of Fortran has put into its last argument, behind those of C. */
static inline int state_code(const struct mpi_thread *t, const mpi_word *arg)
{
	const int *code = (const int *)arg[t->shape->words];

	/* lengths of texts may come before it */
	if (t->shape->class == MPISTATE_OTHER || t->shape->class == MPISTATE_NAME)
		return 0;
	return code ? *code : 0;
}
/* MPI_Finalize, which does not end. */
void state_finalize(const void *pc, const void *frame) MPI_HIDDEN;

/* The request of that handle; NULL: it is not known. */
struct mpistate_posted *state_request(const struct mpi_thread *t, uint64_t request) MPI_HIDDEN;

/*
 * check.c: what the calls of this thread must not do. begin: before the call; end: it has
 * succeeded.
 */
void check_begin(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
void check_end(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
/* Findings so far; whether a call that had none has none when it is made again. */
extern _Atomic uint32_t check_reports MPI_HIDDEN;
bool check_once(const struct mpi_thread *t) MPI_HIDDEN;
/* Buffers that MPI may access now; those of a call of t against them, k: of a known message. */
extern unsigned buffers_pending MPI_HIDDEN;
/* What the call of t reads before it begins, or has written at its end, into the trace. */
void buffers_moved(const struct mpi_thread *t, const mpi_word *arg, bool writes) MPI_HIDDEN;
void buffers_begin(const struct mpi_thread *t, const mpi_word *arg, const struct mpi_known *k)
	MPI_HIDDEN;
/* Where the program has made a call that returns to pc, which may be in a part of MPI that calls
 * the rest. */
const void *check_place(const void *pc) MPI_HIDDEN;
/* A request is about to be put at `at`. */
void check_overwrites(const struct mpi_thread *t, const void *at) MPI_HIDDEN;
/* A finding of `kind` in the call of t. */
void check_report(const struct mpi_thread *t, unsigned kind, const char *format, ...)
	__attribute__((format(printf, 3, 4))) MPI_HIDDEN;
/* A request with that shape is under way, whose data have that many bytes (0: that is not known);
 * it is complete. */
void check_posted(const struct mpi_thread *t, const struct mpistate_posted *e,
		  const struct mpistate_shape *h, uint64_t bytes) MPI_HIDDEN;
/* Of so many of a type; 0: it is not a basic one. */
uint64_t check_bytes(const struct mpi_thread *t, int8_t count, int8_t type, const uint64_t *word)
	MPI_HIDDEN;
void check_completed(const struct mpi_thread *t, const struct mpistate_posted *e) MPI_HIDDEN;
/* What is known of requests is all there is. */
bool check_buffers_are_sure(const struct mpi_thread *t) MPI_HIDDEN;
/* Another thread than those before has called MPI. */
void check_thread(const struct mpi_thread *t, const void *pc) MPI_HIDDEN;
/* MPI is up, with that level of threads; MPI_Finalize is called: what is left. */
void check_up(int level) MPI_HIDDEN;
void check_finalize(struct mpistate_page *p) MPI_HIDDEN;
/* MPI_Finalize is about to be called there: by whom, and what other threads do. */
void check_finalizes(const struct mpistate_page *p, const void *pc) MPI_HIDDEN;
/* The buffer of a one-sided access: its first argument, with count and type behind it. */
void check_origin(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
/* A function of that name is called before MPI is up, or when it is no longer. */
void check_outside(const char *name) MPI_HIDDEN;

/* The slot of a thread changes, between these two; the reader takes it only as it is outside of
 * them. */
static inline void slot_change(struct mpistate_slot *s)
{
	uint32_t n = atomic_load_explicit(&s->seq, memory_order_relaxed);

	atomic_store_explicit(&s->seq, n | 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}
static inline void slot_changed(struct mpistate_slot *s)
{
	uint32_t n = atomic_load_explicit(&s->seq, memory_order_relaxed);

	atomic_store_explicit(&s->seq, n + 1, memory_order_release);
}
/* Its thread has begun or completed a call. Only that writes, so it takes no locked instruction. */
static inline void slot_move(struct mpistate_slot *s)
{
	uint64_t n = atomic_load_explicit(&s->moves, memory_order_relaxed);

	atomic_store_explicit(&s->moves, n + 1, memory_order_relaxed);
	if (__builtin_expect(atomic_load_explicit(&s->polls, memory_order_relaxed) != 0, 0))
		atomic_store_explicit(&s->polls, 0, memory_order_relaxed);
}

/* arguments.c: those that are special to some calls; before the call. */
void arguments_check(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
/*
 * agree.c: what others have to fit to. A collective begins, the n-th of its communicator; messages
 * are sent, or have been received: with the base of their data (0: they fit anything), by that
 * call.
 */
void agree_collective(const struct mpi_thread *t, const mpi_word *arg, uint32_t n) MPI_HIDDEN;
uint32_t agree_base(const struct mpi_thread *t, int8_t count, int8_t type, const uint64_t *word)
	MPI_HIDDEN;
void agree_sent(struct mpistate_pair *e, uint32_t base, uint64_t pc, unsigned call) MPI_HIDDEN;
void agree_received(struct mpistate_pair *e, uint32_t base, uint64_t pc, unsigned call) MPI_HIDDEN;
/* Code that calls MPI lies there. */
void agree_module(struct mpistate_page *p, uint64_t pc) MPI_HIDDEN;
/*
 * The ranks of a group, an argument, in the object o: how many, and these in *out, which is to be
 * freed; -1: that is not known.
 */
int objects_group(struct mpistate_page *p, const struct mpistate_object *o, bool fortran,
		  mpi_word arg, int32_t **out) MPI_HIDDEN;
/* onesided.c: the same of windows. */
void onesided_begin(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
void onesided_end(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
/* The call has ended: whether it is one of a loop that only reads windows, and finds nothing new;
 * whether a call that begins may be. Calls without a window end such a loop, where there is one. */
bool onesided_found_nothing(struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
bool onesided_spins(unsigned call) MPI_HIDDEN;
/* error.c: MPI is up: errors that would end the program are reported from now on. */
void error_begin(void) MPI_HIDDEN;
/* The same of a window that was made, by its handle in C. */
void error_window(uint64_t handle) MPI_HIDDEN;
/* The call has returned that code: a finding, where the program leaves errors to itself. */
void error_returned(const struct mpi_thread *t, int code) MPI_HIDDEN;
/* What is to be called in the place of next, the next definition of name. */
void *error_wrapper(const char *name, void *next) MPI_HIDDEN;
/* Where the program has called MPI; NULL: that is not known. */
const void *error_caller(void) MPI_HIDDEN;

/*
 * traced.c: calls as records of the trace. Those that are recorded are never known, so that each
 * goes through state.c.
 */
static inline bool traced_on(void)
{
	const _Atomic uint32_t *flag = atomic_load_explicit(&slot_switch, memory_order_relaxed);

	return __builtin_expect(atomic_load_explicit(&flag[2], memory_order_relaxed) != 0, 0);
}
/* What calls read and write is recorded: likewise. */
static inline bool moved_on(void)
{
	const _Atomic uint32_t *flag = atomic_load_explicit(&slot_switch, memory_order_relaxed);

	return __builtin_expect(atomic_load_explicit(&flag[3], memory_order_relaxed) != 0, 0);
}
uint64_t traced_now(void) MPI_HIDDEN; /* nanoseconds since 1970 */
/* The call of t has returned rc; failed: it was a test or probe without success. */
void traced_end(struct mpi_thread *t, const mpi_word *arg, int rc, bool failed) MPI_HIDDEN;
/* MPI_Init, of which no thread knew yet. */
void traced_init(struct mpistate_page *p, uint64_t since, const void *pc) MPI_HIDDEN;
/* MPI_Finalize has returned. */
void traced_finalized(void) MPI_HIDDEN;

/*
 * objects.c: communicators, windows, files, as the page has them. Handles of C, or of Fortran as
 * its integers.
 */
/* After MPI_Init: numbers, types, MPI_COMM_WORLD and MPI_COMM_SELF. */
void objects_begin(struct mpistate_page *p) MPI_HIDDEN;
/* NULL: it is not known. */
struct mpistate_object *objects_find(struct mpistate_page *p, unsigned what, bool fortran,
				     uint64_t handle) MPI_HIDDEN;
/* A handle as it is compared, from an argument, and where it is kept. */
uint64_t objects_handle(unsigned what, bool fortran, uint64_t word) MPI_HIDDEN;
uint64_t objects_handle_at(unsigned what, bool fortran, const void *at) MPI_HIDDEN;
extern const unsigned objects_request_bytes MPI_HIDDEN; /* of a handle in C */
static inline uint64_t objects_request_at(bool fortran, const void *requests, size_t i)
{
	return fortran || objects_request_bytes == 4 ? ((const uint32_t *)requests)[i] :
						       ((const uint64_t *)requests)[i];
}
/* Of the i-th status in C; false: there is none. */
bool objects_status(const void *list, size_t i, int32_t *source, int32_t *tag) MPI_HIDDEN;
static inline bool objects_is_null(const struct mpistate_page *p, bool fortran, uint64_t request)
{
	return request == (fortran ? (uint32_t)p->numbers.request_null_fortran :
				     p->numbers.request_null);
}
/* Returns when all ranks of that communicator, given by the address of its handle, call it. */
void objects_await(bool fortran, const void *comm) MPI_HIDDEN;
/* A call has made one of parent (NULL: not known); at: where its handle is now. */
void objects_made(struct mpistate_page *p, struct mpistate_object *parent, unsigned what,
		  bool fortran, const void *at, unsigned call, uint64_t pc) MPI_HIDDEN;
void objects_gone(struct mpistate_page *p, struct mpistate_object *o) MPI_HIDDEN;
/* Whether the handle is one of those that were freed last, and not in use again. */
bool objects_was_freed(unsigned what, bool fortran, uint64_t handle) MPI_HIDDEN;
/* Handles may have come into use that are not known here. */
void objects_forget_freed(void) MPI_HIDDEN;
/* The program has named it. */
void objects_named(struct mpistate_object *o) MPI_HIDDEN;

#endif
