/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that can wait, and those that make what others wait for: their arguments are kept before
 * the next definition of their own name is called, and their end after it. One list has their
 * prototypes (common/mpistate/list.h): a number of words, as no argument of MPI is larger than a
 * register or a floating-point number, and on these processors one on the stack has eight bytes.
 */
#include "runtime/mpi/internal.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define P1 mpi_word a1
#define P2 P1, mpi_word a2
#define P3 P2, mpi_word a3
#define P4 P3, mpi_word a4
#define P5 P4, mpi_word a5
#define P6 P5, mpi_word a6
#define P7 P6, mpi_word a7
#define P8 P7, mpi_word a8
#define P9 P8, mpi_word a9
#define P10 P9, mpi_word a10
#define P11 P10, mpi_word a11
#define P12 P11, mpi_word a12
#define P13 P12, mpi_word a13
#define P14 P13, mpi_word a14
#define P15 P14, mpi_word a15
#define A1 a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A11 A10, a11
#define A12 A11, a12
#define A13 A12, a13
#define A14 A13, a14
#define A15 A14, a15

/*
 * Messages that are known (struct mpi_known): what state.c keeps of them, straight, as there is nothing to find out and
 * nothing to check. No locked instruction and no fence is needed, as the thread alone writes its slot and its counters: the
 * reader looks at the slot's number, and takes counters as they are.
 */

/* Numbers are read from their addresses in Fortran. */
#define VALUE(i) (fortran ? (mpi_word)(int64_t)*(const int32_t *)arg[i] : arg[i])

static inline __attribute__((always_inline)) void count_begin(const struct mpi_known *k,
							      uint32_t call, bool sends, uint32_t n)
{
	struct mpistate_pair *e = k->pair;

	if (!sends) {
		e->recvs++;
		return;
	}
	e->sends++;
	e->call = call + 1;
	e->count = n;
	e->type = k->type;
	e->pc = k->pc;
	if (k->kind) {
		k->kind->n++;
		k->kind->pc = k->pc;
		k->kind->call = call + 1;
	} else {
		e->any++;
	}
}

static inline __attribute__((always_inline)) void count_end(const struct mpi_known *k, uint32_t call)
{
	k->pair->received++;
	if (k->kind) {
		k->kind->n++;
		k->kind->pc = k->pc;
		k->kind->call = call + 1;
	}
}

/* NULL: it is not known, or not now. */
static inline __attribute__((always_inline)) const struct mpi_known *
known_begin(uint32_t call, bool fortran, bool sends, const mpi_word *arg, const void *at,
	    const void *frame)
{
	struct mpi_thread *t = &state_self;
	const struct mpi_known *k = t->known;
	const _Atomic uint32_t *on = atomic_load_explicit(&slot_switch, memory_order_relaxed);
	mpi_word n = VALUE(1), type = VALUE(2), comm = VALUE(5);
	uint64_t pc = (uintptr_t)at, to = known_to((int32_t)VALUE(3), (int32_t)VALUE(4));
	struct mpistate_slot *s = t->slot;

	if (!k || t->frame || !atomic_load_explicit(on, memory_order_relaxed))
		return NULL;
	k += known_at(pc, to);
	if (((k->pc ^ pc) | (k->to ^ to) | (k->type ^ type) | (k->comm ^ comm)) ||
	    k->call != (call << 1 | fortran) || (int32_t)n <= 0 || !arg[0] ||
	    k->epoch != atomic_load_explicit(&state_epoch, memory_order_acquire))
		return NULL;
	t->frame = frame;
	slot_change(s);
	s->call = call + 1;
	s->fortran = fortran;
	s->pc = pc;
	s->nrequest = s->all_requests = s->coll_object = 0;
	s->word[0] = arg[0];
	s->word[1] = n;
	s->word[2] = type;
	s->word[3] = VALUE(3);
	s->word[4] = VALUE(4);
	s->word[5] = comm;
	if (!sends)
		s->word[6] = arg[6];
	count_begin(k, call, sends, (uint32_t)n);
	slot_changed(s);
	if (__builtin_expect(check_spans != 0, 0))
		state_overlaps(t, k, arg);
	slot_move(s);
	atomic_store_explicit(&s->in, 1, memory_order_release);
	return k;
}

static inline __attribute__((always_inline)) void known_end(const struct mpi_known *k, uint32_t call,
							    bool sends, const mpi_word *arg, int rc)
{
	struct mpi_thread *t = &state_self;

	if (__builtin_expect(rc != 0, 0)) {
		state_failed(t, k, arg, rc);
		return;
	}
	if (!sends)
		count_end(k, call);
	t->frame = NULL;
	atomic_store_explicit(&t->slot->in, 0, memory_order_release);
	slot_move(t->slot);
}

/* What a call of Fortran puts into its last argument. */
static inline int code_at(mpi_word at)
{
	return at ? *(const int *)at : 0;
}

/* What C calls returns a code; Fortran's have it in an argument. */
#define WRAP(symbol, slot, call, is_fortran, n)                                                  \
	mpi_word wrapped_##slot(P##n) __asm__(#symbol) __attribute__((visibility("default")));   \
	mpi_word wrapped_##slot(P##n)                                                            \
	{                                                                                        \
		static struct mpi_slot next = { NULL, #symbol };                                 \
		const mpi_word arg[] = { A##n };                                                 \
		mpi_word (*to)(P##n) = (mpi_word(*)(P##n))slot_to(&next);                        \
		struct mpi_thread *t = state_begin(call, is_fortran, arg,                        \
						   __builtin_return_address(0),                  \
						   __builtin_frame_address(0));                  \
		mpi_word rc = to(A##n);                                                          \
                                                                                                 \
		if (t)                                                                           \
			state_end(t, arg, is_fortran ? state_code(t, arg) : (int)rc);            \
		return rc;                                                                       \
	}

/* The same of a message: buffer, count, type, peer, tag, communicator, and a status of what is received. */
#define MESSAGE(symbol, slot, call, is_fortran, sends, n)                                        \
	mpi_word wrapped_##slot(P##n) __asm__(#symbol) __attribute__((visibility("default")));   \
	mpi_word wrapped_##slot(P##n)                                                            \
	{                                                                                        \
		static struct mpi_slot next = { NULL, #symbol };                                 \
		const mpi_word arg[] = { A##n };                                                 \
		mpi_word (*to)(P##n) = (mpi_word(*)(P##n))slot_to(&next);                        \
		const void *pc = __builtin_return_address(0);                                    \
		const void *frame = __builtin_frame_address(0);                                  \
		const struct mpi_known *k =                                                      \
			known_begin(call, is_fortran, sends, arg, pc, frame);                    \
		struct mpi_thread *t = k ? NULL : state_begin(call, is_fortran, arg, pc, frame); \
		mpi_word rc = to(A##n);                                                          \
		int code = is_fortran ? code_at(arg[(n) - 1]) : (int)rc;                         \
                                                                                                 \
		if (k)                                                                           \
			known_end(k, call, sends, arg, code);                                    \
		else if (t)                                                                      \
			state_end(t, arg, code);                                                 \
		return rc;                                                                       \
	}

/* In C, in the four spellings of Fortran's compilers, and in that of Open MPI's mpi_f08. */
#define ALL(name, lower, upper, class, args, c, f)                                                 \
	WRAP_##class(MPI_##name, c_##name, MPISTATE_CALL_##name, false, c)                         \
	WRAP_##class(mpi_##lower##_, f1_##name, MPISTATE_CALL_##name, true, f)                     \
	WRAP_##class(mpi_##lower##__, f2_##name, MPISTATE_CALL_##name, true, f)                    \
	WRAP_##class(mpi_##lower, f3_##name, MPISTATE_CALL_##name, true, f)                        \
	WRAP_##class(MPI_##upper, f4_##name, MPISTATE_CALL_##name, true, f)                        \
	WRAP_##class(mpi_##lower##_f08_, f5_##name, MPISTATE_CALL_##name, true, f)
#define WRAP_SEND(symbol, slot, call, is_fortran, n) \
	MESSAGE(symbol, slot, call, is_fortran, true, n)
#define WRAP_RECV(symbol, slot, call, is_fortran, n) \
	MESSAGE(symbol, slot, call, is_fortran, false, n)
#define WRAP_SENDRECV WRAP
#define WRAP_POST WRAP
#define WRAP_INIT WRAP
#define WRAP_START WRAP
#define WRAP_WAIT WRAP
#define WRAP_WAITANY WRAP
#define WRAP_TEST WRAP
#define WRAP_TESTANY WRAP
#define WRAP_CANCEL WRAP
#define WRAP_PROBE WRAP
#define WRAP_IPROBE WRAP
#define WRAP_MRECV WRAP
#define WRAP_ALL WRAP
#define WRAP_FROM WRAP
#define WRAP_TO WRAP
#define WRAP_SCAN WRAP
#define WRAP_NEIGHBOR WRAP
#define WRAP_IALL WRAP
#define WRAP_IFROM WRAP
#define WRAP_ITO WRAP
#define WRAP_ISCAN WRAP
#define WRAP_INEIGHBOR WRAP
#define WRAP_GROUP WRAP
#define WRAP_NAME WRAP
#define WRAP_LOCAL WRAP
#define WRAP_OTHER WRAP
#define LATER(name, class, args, c) WRAP(MPI_##name, c_##name, MPISTATE_CALL_##name, false, c)

MPISTATE_LIST(ALL)
MPISTATE_LIST_LATER(LATER)

#endif
