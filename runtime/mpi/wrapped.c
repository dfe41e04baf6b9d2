/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that can wait, and those that make what others wait for: their arguments are kept before
 * the next definition of their own name is called, and their end after it. One list has their
 * prototypes (common/mpistate/list.h): a number of words, as no argument of MPI is larger than a
 * register or a floating-point number, and on these processors one on the stack has eight bytes.
 */
#include "runtime/mpi/internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/race.h"

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
 * Calls that are known (struct mpi_known): what state.c keeps of them, straight, as there is
 * nothing to find out and nothing to check. What is kept of a call in one place is kept in the
 * other. No locked instruction and no fence is needed, as the thread alone writes its slot and its
 * counters: the reader looks at the slot's number, and takes counters as they are.
 */

#define HOT static inline __attribute__((always_inline))
/* Numbers are read from their addresses in Fortran. */
#define VALUE(i) (fortran ? (mpi_word)(int64_t)*(const int32_t *)arg[i] : arg[i])

/* Of the arguments of these calls, in C and in Fortran: a buffer, count, type, peer, tag,
 * communicator. */
static bool is_plain(const struct mpistate_shape *h)
{
	return (h->class == MPISTATE_SEND || h->class == MPISTATE_RECV ||
		h->class == MPISTATE_POST) &&
	       !h->large && h->count == 1 && h->type == 2 && (h->dest == 3 || h->source == 3) &&
	       (h->dest_tag == 4 || h->source_tag == 4) && h->comm == 5;
}

static struct mpistate_kind *kind_find(struct mpistate_kind *list, uint32_t base)
{
	for (unsigned i = 0; i < MPISTATE_KINDS; i++)
		if (list[i].n && list[i].base == base)
			return &list[i];
	return NULL;
}

/* What the message of a call is; false: it cannot be known. */
static bool message_of(const struct mpi_thread *t, const mpi_word *arg, struct mpi_known *out)
{
	const uint64_t *word = t->slot->word;
	bool sends = t->shape->dest >= 0;
	int32_t peer = (int32_t)word[3], tag = (int32_t)word[4];

	if (!t->object || peer < 0 || tag < 0 || (int32_t)word[1] <= 0 || !arg[0])
		return false;
	out->to = known_to(peer, tag);
	out->type = word[2];
	out->comm = word[5];
	out->pair = state_pair(t->page, t->object, peer, tag);
	out->base = agree_base(t, 1, 2, word);
	out->bytes = (uint32_t)(check_bytes(t, 1, 2, word) / (uint32_t)word[1]);
	/* the first of a kind is counted when its receive is complete */
	if (!out->pair || (t->shape->class == MPISTATE_POST && !sends))
		return out->pair;
	if (sends ? out->base != 0 : out->base && out->base != MPISTATE_BASE_MIXED) {
		out->kind = kind_find(sends ? out->pair->sent : out->pair->got, out->base);
		return out->kind;
	}
	return true;
}

void known_add(struct mpi_thread *t, const mpi_word *arg)
{
	struct mpi_known k = { .pc = t->slot->pc,
			       .call = t->call << 1 | t->fortran,
			       .epoch = t->epoch };

	if (t->call != MPISTATE_CALL_Wait && t->call != MPISTATE_CALL_Waitall &&
	    !is_plain(t->shape))
		return;
	/* accesses to windows are followed, with all that orders them; what is recorded is all
	 * looked at */
	if (!check_once(t) || traced_on() || moved_on() || race_is_on(t->page) ||
	    (is_plain(t->shape) && !message_of(t, arg, &k)))
		return;
	if (!t->known)
		t->known = calloc(MPI_KNOWN, sizeof(*t->known));
	if (t->known)
		t->known[known_at(k.pc, k.to)] = k;
}

/* The call is as state_begin leaves it. */
static void recall(struct mpi_thread *t, const struct mpi_known *k)
{
	t->call = k->call >> 1;
	t->fortran = k->call & 1;
	t->shape = state_shape(t->call);
	t->n = t->point = 0;
	t->active = false;
}

/* The same with its communicator. */
static __attribute__((noinline)) void recall_all(struct mpi_thread *t, const struct mpi_known *k)
{
	recall(t, k);
	t->object = t->shape->comm < 0 ? NULL :
		    objects_find(t->page, MPISTATE_COMM, t->fortran,
				 objects_handle(MPISTATE_COMM, t->fortran, k->comm));
}

static __attribute__((noinline)) void failed(struct mpi_thread *t, const struct mpi_known *k,
					     const mpi_word *arg, int rc)
{
	recall_all(t, k);
	state_end(t, arg, rc);
}

static __attribute__((noinline)) void overlaps(struct mpi_thread *t, const struct mpi_known *k,
					       const mpi_word *arg)
{
	recall(t, k);
	buffers_begin(t, arg, k);
}

/* A place that is known for that call; it is to be compared further. NULL: there is none, or not
 * now. */
HOT const struct mpi_known *known_find(const struct mpi_thread *t, uint32_t call, bool fortran,
				       uint64_t pc, uint64_t to)
{
	const _Atomic uint32_t *on = atomic_load_explicit(&slot_switch, memory_order_relaxed);
	const struct mpi_known *k = t->known;

	if (!k || t->frame || !atomic_load_explicit(on, memory_order_relaxed))
		return NULL;
	k += known_at(pc, to);
	if (((k->pc ^ pc) | (k->to ^ to)) || k->call != (call << 1 | fortran) ||
	    k->epoch != atomic_load_explicit(&state_epoch, memory_order_acquire))
		return NULL;
	return k;
}

/* One more message of that kind; NULL: there is none, and false is returned. */
HOT bool count_kind(struct mpistate_kind *kind, const struct mpi_known *k, uint32_t call)
{
	if (!kind)
		return false;
	kind->n++;
	kind->pc = k->pc;
	kind->call = call + 1;
	return true;
}

HOT void count_send(const struct mpi_known *k, uint32_t call, uint32_t n)
{
	struct mpistate_pair *e = k->pair;

	e->sends++;
	e->call = call + 1;
	e->count = n;
	e->type = k->type;
	e->pc = k->pc;
	if (!count_kind(k->kind, k, call))
		e->any++;
}

enum way { SEND, RECV, ISEND, IRECV };

/* NULL, and what MPI_IN_PLACE is: 1 or -1. */
static inline bool is_buffer(mpi_word at)
{
	return at + 1 > 2;
}

/* NULL: it is not known, or not now. */
HOT const struct mpi_known *known_begin(uint32_t call, bool fortran, enum way way,
					const mpi_word *arg, const void *at, const void *frame)
{
	struct mpi_thread *t = &state_self;
	mpi_word n = VALUE(1), type = VALUE(2), comm = VALUE(5);
	uint64_t pc = (uintptr_t)at, to = known_to((int32_t)VALUE(3), (int32_t)VALUE(4));
	const struct mpi_known *k = known_find(t, call, fortran, pc, to);
	struct mpistate_slot *s = t->slot;

	if (!k || ((k->type ^ type) | (k->comm ^ comm)) || (int32_t)n <= 0 || !is_buffer(arg[0]))
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
	if (way != SEND)
		s->word[6] = arg[6];
	if (way == SEND || way == ISEND)
		count_send(k, call, (uint32_t)n);
	else
		k->pair->recvs++;
	slot_changed(s);
	if (way == ISEND || way == IRECV) {
		recall(t, k);
		check_overwrites(t, (const void *)arg[6]);
		if (buffers_pending)
			buffers_begin(t, arg, k);
	} else if (__builtin_expect(buffers_pending != 0, 0)) {
		overlaps(t, k, arg);
	}
	slot_move(s);
	atomic_store_explicit(&s->in, 1, memory_order_release);
	return k;
}

/* It has returned. */
HOT void known_left(struct mpi_thread *t)
{
	t->frame = NULL;
	atomic_store_explicit(&t->slot->in, 0, memory_order_release);
	slot_move(t->slot);
}

HOT void known_end(const struct mpi_known *k, uint32_t call, enum way way, const mpi_word *arg,
		   int rc)
{
	struct mpi_thread *t = &state_self;

	if (__builtin_expect(rc != 0, 0)) {
		failed(t, k, arg, rc);
		return;
	}
	if (way == RECV) {
		k->pair->received++;
		count_kind(k->kind, k, call);
	}
	if ((way == ISEND || way == IRECV) &&
	    !objects_is_null(t->page, t->fortran,
			     objects_request_at(t->fortran, (const void *)arg[6], 0)))
		state_posted(t, (const void *)arg[6], arg, k);
	known_left(t);
}

/* The requests of a call that waits for all; false: some are none, or not under way as far as is
 * known. */
static bool find_requests(struct mpi_thread *t, const void *list, uint32_t n)
{
	uint32_t have = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t request = objects_request_at(t->fortran, list, i);
		struct mpistate_posted *e;

		if (objects_is_null(t->page, t->fortran, request))
			continue;
		e = state_request(t, request);
		if (!e || !e->active)
			return false;
		t->which[have] = (uint8_t)i;
		t->waits[have++] = e;
	}
	t->nwaits = have;
	return true;
}

static const struct mpi_known *wait_begin(uint32_t call, bool fortran, const mpi_word *arg,
					  const void *at, const void *frame)
{
	struct mpi_thread *t = &state_self;
	const struct mpi_known *k = known_find(t, call, fortran, (uintptr_t)at, 0);
	bool one = call == MPISTATE_CALL_Wait;
	int32_t n = one || !k ? 1 : (int32_t)VALUE(0);
	struct mpistate_slot *s = t->slot;

	if (!k || n < 0 || n > MPI_WAITS)
		return NULL;
	t->fortran = fortran;
	if (!find_requests(t, (const void *)arg[one ? 0 : 1], (uint32_t)n))
		return NULL;
	recall(t, k);
	t->object = NULL;
	t->frame = frame;
	slot_change(s);
	s->call = call + 1;
	s->fortran = fortran;
	s->pc = k->pc;
	s->nrequest = s->all_requests = t->nwaits;
	s->coll_object = 0;
	s->word[0] = one ? arg[0] : VALUE(0);
	s->word[1] = arg[1];
	if (!one)
		s->word[2] = arg[2];
	for (uint32_t i = 0; i < t->nwaits; i++)
		s->request[i] = t->waits[i]->key & ~MPISTATE_FORTRAN_KEY;
	slot_changed(s);
	slot_move(s);
	atomic_store_explicit(&s->in, 1, memory_order_release);
	return k;
}

static void wait_end(const struct mpi_known *k, const mpi_word *arg, int rc)
{
	struct mpi_thread *t = &state_self;
	bool one = t->call == MPISTATE_CALL_Wait;

	if (rc) {
		failed(t, k, arg, rc);
		return;
	}
	for (uint32_t i = 0; i < t->nwaits; i++)
		state_done(t, t->waits[i],
			   (struct mpi_status){ (const void *)arg[one ? 1 : 2], t->which[i] });
	known_left(t);
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

/*
 * mpi_f08 of MPICH passes buffers by descriptors (CFI_cdesc_t of Fortran 2018, 18.5.3, with the
 * members of gfortran's ISO_Fortran_binding.h); all other arguments are as in other Fortran.
 */
struct descriptor {
	void *base;
	size_t bytes; /* of an element */
	int version;
	int8_t rank, attribute;
	int16_t type;
	struct {
		ptrdiff_t lower, extent, stride; /* bytes */
	} dim[];
};

/* The arguments of a call that are buffers: a bit for each. */
static uint32_t buffers_of(const char *args)
{
	uint32_t mask = args[0] == '.';

	for (unsigned k = 1; args[k]; k++)
		if (args[k] == 'n' && args[k + 1] == 't' && args[k - 1] == '.')
			mask |= 1u << (k - 1);
	if (!strncmp(args, ".nt...", 6))
		mask |= 1u << 3; /* Gather, Allgather, Get_accumulate … */
	else if (!strncmp(args, "........", 8))
		mask |= 1u << 4; /* Alltoallv … */
	else if (!strncmp(args, "...td", 5))
		mask |= 3u << 1; /* Compare_and_swap */
	else if (!strncmp(args, "...t", 4) || !strncmp(args, "..td", 4) || !strcmp(args, "h.."))
		mask |= 1u << 1;
	return mask;
}

/* Where the data begin; NULL: they have gaps. */
static mpi_word begin_of(mpi_word at)
{
	const struct descriptor *d = (const struct descriptor *)at;
	ptrdiff_t stride;

	if (!d)
		return 0;
	stride = (ptrdiff_t)d->bytes;
	for (int8_t i = 0; i < d->rank; i++) {
		if (d->dim[i].extent > 1 && d->dim[i].stride != stride)
			return 0;
		stride *= d->dim[i].extent;
	}
	return (mpi_word)d->base;
}

static void describe(unsigned call, mpi_word *arg)
{
	for (uint32_t m = buffers_of(mpistate_call_args(call)); m; m &= m - 1)
		arg[__builtin_ctz(m)] = begin_of(arg[__builtin_ctz(m)]);
}

#define DESCRIBED(symbol, slot, call, n)                                                         \
	mpi_word wrapped_##slot(P##n) __asm__(#symbol) __attribute__((visibility("default")));   \
	mpi_word wrapped_##slot(P##n)                                                            \
	{                                                                                        \
		static struct mpi_slot next = { NULL, #symbol };                                 \
		mpi_word arg[] = { A##n };                                                       \
		mpi_word (*to)(P##n) = (mpi_word(*)(P##n))slot_to(&next);                        \
		struct mpi_thread *t;                                                            \
		mpi_word rc;                                                                     \
                                                                                                 \
		describe(call, arg);                                                             \
		t = state_begin(call, true, arg, __builtin_return_address(0),                    \
				__builtin_frame_address(0));                                     \
		rc = to(A##n);                                                                   \
		if (t)                                                                           \
			state_end(t, arg, state_code(t, arg));                                   \
		return rc;                                                                       \
	}

/* The same of calls that may be known. */
#define KNOWN(symbol, slot, call, is_fortran, n, begin, end) \
	mpi_word wrapped_##slot(P##n) __asm__(#symbol) __attribute__((visibility("default"))); \
	mpi_word wrapped_##slot(P##n) \
	{ \
		static struct mpi_slot next = { NULL, #symbol }; \
		const mpi_word arg[] = { A##n }; \
		mpi_word (*to)(P##n) = (mpi_word(*)(P##n))slot_to(&next); \
		const void *pc = __builtin_return_address(0); \
		const void *frame = __builtin_frame_address(0); \
		const struct mpi_known *k = begin; \
		struct mpi_thread *t = k ? NULL : state_begin(call, is_fortran, arg, pc, frame); \
		mpi_word rc = to(A##n); \
		int code = is_fortran ? code_at(arg[(n) - 1]) : (int)rc; \
 \
		if (k) \
			end; \
		else if (t) \
			state_end(t, arg, code); \
		return rc; \
	}

#define MESSAGE(symbol, slot, call, is_fortran, n, way)                        \
	KNOWN(symbol, slot, call, is_fortran, n,                               \
	      known_begin(call, is_fortran, way, arg, pc, frame),              \
	      known_end(k, call, way, arg, code))

/* In C, in the four spellings of Fortran's compilers, and in that of Open MPI's mpi_f08. */
#define ALL(name, lower, upper, class, args, c, f)                                                 \
	WRAP_##class(MPI_##name, c_##name, MPISTATE_CALL_##name, false, c)                         \
	WRAP_##class(mpi_##lower##_, f1_##name, MPISTATE_CALL_##name, true, f)                     \
	WRAP_##class(mpi_##lower##__, f2_##name, MPISTATE_CALL_##name, true, f)                    \
	WRAP_##class(mpi_##lower, f3_##name, MPISTATE_CALL_##name, true, f)                        \
	WRAP_##class(MPI_##upper, f4_##name, MPISTATE_CALL_##name, true, f)                        \
	WRAP_##class(mpi_##lower##_f08_, f5_##name, MPISTATE_CALL_##name, true, f)
#define WRAP_SEND(symbol, slot, call, is_fortran, n) \
	MESSAGE(symbol, slot, call, is_fortran, n, SEND)
#define WRAP_RECV(symbol, slot, call, is_fortran, n) \
	MESSAGE(symbol, slot, call, is_fortran, n, RECV)
#define WRAP_POST(symbol, slot, call, is_fortran, n) \
	MESSAGE(symbol, slot, call, is_fortran, n,   \
		(call) == MPISTATE_CALL_Irecv ? IRECV : ISEND)
/* MPI_Wait and MPI_Waitall: those that wait for any come here too, and are never known. */
#define WRAP_WAIT(symbol, slot, call, is_fortran, n)                                             \
	KNOWN(symbol, slot, call, is_fortran, n, wait_begin(call, is_fortran, arg, pc, frame), \
	      wait_end(k, arg, code))
#define WRAP_SENDRECV WRAP
#define WRAP_INIT WRAP
#define WRAP_START WRAP
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
#define LATER(name, class, args, c)                                    \
	WRAP(MPI_##name, c_##name, MPISTATE_CALL_##name, false, c)     \
	EXTENSION_##class(name, c)
/* Open MPI 4 has persistent collectives under names of its own. */
#define EXTENSION_INIT(name, c) WRAP(MPIX_##name, x_##name, MPISTATE_CALL_##name, false, c)
#define EXTENSION_SEND(name, c)
#define EXTENSION_RECV(name, c)
#define EXTENSION_ALL(name, c)
#define EXTENSION_FROM(name, c)
#define EXTENSION_TO(name, c)
#define EXTENSION_SCAN(name, c)
#define EXTENSION_IALL(name, c)
#define EXTENSION_IFROM(name, c)
#define EXTENSION_ITO(name, c)
#define EXTENSION_ISCAN(name, c)
#define EXTENSION_INEIGHBOR(name, c)
#define EXTENSION_LOCAL(name, c)
#define EXTENSION_MRECV(name, c)
#define EXTENSION_OTHER(name, c)
#define EXTENSION_POST(name, c)
#define EXTENSION_SENDRECV(name, c)

/* Those of mpi_f08 that have buffers, in MPICH. */
#define WITH_BUFFERS(name, lower, upper, class, args, c, f) BUFFERS_##class(name, lower, f)
#define BUFFERS_YES(name, lower, n) \
	DESCRIBED(mpi_##lower##_f08ts_, f6_##name, MPISTATE_CALL_##name, n)
#define BUFFERS_NO(name, lower, n)
#define BUFFERS_SEND BUFFERS_YES
#define BUFFERS_RECV BUFFERS_YES
#define BUFFERS_SENDRECV BUFFERS_YES
#define BUFFERS_POST BUFFERS_YES
#define BUFFERS_INIT BUFFERS_YES
#define BUFFERS_MRECV BUFFERS_YES
#define BUFFERS_ALL BUFFERS_YES
#define BUFFERS_FROM BUFFERS_YES
#define BUFFERS_TO BUFFERS_YES
#define BUFFERS_SCAN BUFFERS_YES
#define BUFFERS_NEIGHBOR BUFFERS_YES
#define BUFFERS_IALL BUFFERS_YES
#define BUFFERS_IFROM BUFFERS_YES
#define BUFFERS_ITO BUFFERS_YES
#define BUFFERS_ISCAN BUFFERS_YES
#define BUFFERS_INEIGHBOR BUFFERS_YES
#define BUFFERS_OTHER BUFFERS_YES
#define BUFFERS_START BUFFERS_NO
#define BUFFERS_WAIT BUFFERS_NO
#define BUFFERS_WAITANY BUFFERS_NO
#define BUFFERS_TEST BUFFERS_NO
#define BUFFERS_TESTANY BUFFERS_NO
#define BUFFERS_CANCEL BUFFERS_NO
#define BUFFERS_PROBE BUFFERS_NO
#define BUFFERS_IPROBE BUFFERS_NO
#define BUFFERS_GROUP BUFFERS_NO
#define BUFFERS_NAME BUFFERS_NO
#define BUFFERS_LOCAL BUFFERS_NO

MPISTATE_LIST(ALL)
MPISTATE_LIST(WITH_BUFFERS)
MPISTATE_LIST_LATER(LATER)

#endif
