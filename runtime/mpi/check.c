/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls of MPI are given, and what is left when MPI_Finalize is called. MPI may find some of
 * this itself and end the program with its own words; others it does not see. Where something is
 * not known (a handle that came from elsewhere), nothing is said of it. Compiled once per ABI.
 */
#include <mpi.h>

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/protocol/finding_kind.h"
#include "runtime/base/mpi_table.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/internal.h"
#include "runtime/mpi/race.h"

#define TEXT 192
#define SPANS 128	 /* sends of which some bytes are known at a time */
#define SAMPLES 16	 /* pieces of a buffer, 8 bytes each */
/* Sends of which each is looked at, each 16th, and then each 128th, as that takes longer than all
 * else. */
#define ALL_SAMPLED 256
#define MANY_SAMPLED 4096
#define LEFT 128 /* different places where something that is left was made */

_Atomic bool check_is_outside = true;
_Atomic uint32_t check_reports;
static int threads = MPI_THREAD_MULTIPLE;
static uint32_t first_thread;
static pid_t own_pid;
static _Atomic bool several; /* threads: what requests are is not known for certain */
static int tag_most = -1;
static _Atomic bool types_unsure; /* those that were freed may be there again */
/*
 * The code of MPICH's library for Fortran. What mpi_f08 has there calls some of the C functions by
 * their MPI_ names, which we see, and others by PMPI_, which we do not: requests are made and never
 * waited for, windows have no epochs.
 */
static struct {
	uintptr_t begin, end;
} part;
static _Atomic bool partly; /* calls came from there */

/* Buffers of sends that are under way, of which some bytes are known. */
struct span {
	const struct mpistate_posted *of;
	uint64_t lo, hi, hash;
	unsigned call;
};
static struct {
	struct span span[SPANS];
	unsigned n, sent;
	bool unsure; /* requests come from elsewhere, or their end was seen elsewhere */
} buffers;

void check_report(const struct mpi_thread *t, unsigned kind, const char *format, ...)
{
	char text[TEXT];
	int n = snprintf(text, sizeof(text), "%s: ", mpistate_call_name(t->call));
	va_list ap;

	atomic_fetch_add_explicit(&check_reports, 1, memory_order_relaxed);
	va_start(ap, format);
	vsnprintf(text + n, sizeof(text) - (size_t)n, format, ap);
	va_end(ap);
	if (dvmdbg_mpi_misuse)
		dvmdbg_mpi_misuse((int)kind, text, (const void *)(uintptr_t)t->slot->pc);
}

bool check_once(const struct mpi_thread *t)
{
	return t->reports == atomic_load_explicit(&check_reports, memory_order_relaxed) &&
	       threads != MPI_THREAD_SERIALIZED;
}

/* On the way of each call. */
#define HOT static inline __attribute__((always_inline))
#define wrong(t, ...) check_report(t, FINDING_MISUSE, __VA_ARGS__)

static inline int32_t number(const struct mpi_thread *t, int8_t at)
{
	return (int32_t)t->slot->word[at];
}

/* Arguments that MPI does not look at: what takes the place of data, or of both groups of an
 * intercommunicator. */
static bool is_ignored(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;

	if ((!mpistate_is_collective(h->class) && !mpistate_makes_collective(t->call)) ||
	    h->op >= 0)
		return false;
	if (t->object && t->object->inter)
		return true;
	return (h->count > 1 || h->made_request >= 0 || h->comm > 4) &&
	       (t->fortran || arg[h->count < 0 ? 0 : h->count - 1] == (mpi_word)MPI_IN_PLACE);
}

HOT void check_count(const struct mpi_thread *t, int8_t at)
{
	const struct mpistate_shape *h = t->shape;
	int64_t n = at < 0 ? 0 : h->large ? (int64_t)t->slot->word[at] : number(t, at);

	if (n < 0)
		wrong(t, "the count (argument %d) is %lld; it has to be 0 or more", at + 1,
		      (long long)n);
}

/* Types that are communicated have to be committed, those that others are made of need not. */
HOT void check_type(const struct mpi_thread *t, int8_t at)
{
	uint64_t word = at < 0 ? 0 : t->slot->word[at];
	const struct handle *type;

	if (at < 0)
		return;
	type = handles_find(HANDLE_TYPE, t->fortran, word);
	if (__builtin_expect(type && type->live && type->committed && !type->overlaps, 1))
		return;
	if (handles_is_null(HANDLE_TYPE, t->fortran, word))
		wrong(t, "the datatype (argument %d) is MPI_DATATYPE_NULL", at + 1);
	else if (type && !type->live && !atomic_load(&types_unsure))
		wrong(t, "the datatype (argument %d) has been freed", at + 1);
	else if (type && type->live && !type->committed && t->shape->made_type < 0)
		wrong(t, "the datatype (argument %d) has not been committed", at + 1);
	else if (type && type->overlaps && buffers_writes(t->call, at))
		wrong(t, "parts of the datatype (argument %d) overlap, of data that are received",
		      at + 1);
}

/* A rank of the communicator or window, or one of these two values. */
HOT bool check_rank(const struct mpi_thread *t, int8_t at, const char *what, int32_t or_any)
{
	const struct mpistate_object *o = t->object;
	int32_t rank;

	if (at < 0 || !o)
		return false;
	rank = number(t, at);
	if (rank == t->page->numbers.proc_null || rank == or_any)
		return rank == or_any;
	if (rank >= 0 && (uint32_t)rank < o->size)
		return true;
	wrong(t, "the %s (argument %d) is rank %d, of a %s with %u rank%s", what, at + 1, rank,
	      o->what == MPISTATE_WIN ? "window" : "communicator", o->size,
	      o->size == 1 ? "" : "s");
	return false;
}

HOT void check_tag(const struct mpi_thread *t, int8_t at, bool receive)
{
	int32_t tag = at < 0 ? 0 : number(t, at);

	if (at < 0 || (receive && tag == t->page->numbers.any_tag) ||
	    (tag >= 0 && (tag_most < 0 || tag <= tag_most)))
		return;
	if (tag < 0)
		wrong(t, "the tag (argument %d) is %d", at + 1, tag);
	else
		wrong(t, "the tag (argument %d) is %d, the largest that is allowed is %d", at + 1,
		      tag, tag_most);
}

static void check_op(const struct mpi_thread *t, int8_t at)
{
	uint64_t word = at < 0 ? 0 : t->slot->word[at];
	const struct handle *op = at < 0 ? NULL : handles_find(HANDLE_OP, t->fortran, word);

	if (at < 0)
		return;
	if (handles_is_null(HANDLE_OP, t->fortran, word))
		wrong(t, "the operation (argument %d) is MPI_OP_NULL", at + 1);
	else if (op && !op->live)
		wrong(t, "the operation (argument %d) has been freed", at + 1);
}

static uint64_t null_of(unsigned what, bool fortran)
{
	const MPI_Win win = WIN_NULL_;
	const MPI_File file = FILE_NULL_;

	switch (what) {
	case MPISTATE_WIN:
		return fortran ? (uint64_t)WIN_FORTRAN(&win) : (uint64_t)(uintptr_t)win;
	case MPISTATE_FILE:
		return fortran ? (uint64_t)FILE_FORTRAN(&file) : (uint64_t)(uintptr_t)file;
	}
	return fortran ? (uint64_t)COMM_FORTRAN(MPI_COMM_NULL_) : COMM_WORD(MPI_COMM_NULL_);
}

/* That of the call is not known. */
static void check_object(const struct mpi_thread *t)
{
	static const char *const words[] = { "communicator", "window", "file" };
	static const char *const nulls[] = { "MPI_COMM_NULL", "MPI_WIN_NULL", "MPI_FILE_NULL" };
	const struct mpistate_shape *h = t->shape;
	const int8_t ends[] = { h->ends_comm, h->ends_win, h->ends_file };
	const int8_t at[] = { h->comm, h->win, h->file };

	for (unsigned i = 0; i < MPISTATE_WHATS; i++) {
		int8_t k = ends[i] >= 0 ? ends[i] : at[i];
		uint64_t handle;

		if (k < 0)
			continue;
		handle = objects_handle(i, t->fortran, t->slot->word[k]);
		if (handle == objects_handle(i, t->fortran, null_of(i, t->fortran)))
			wrong(t, "the %s (argument %d) is %s", words[i], k + 1, nulls[i]);
		else if (objects_was_freed(i, t->fortran, handle))
			wrong(t, "the %s (argument %d) has been freed", words[i], k + 1);
	}
}

/* A buffer at no address, which only types with addresses of their own can mean. */
static void check_buffer(const struct mpi_thread *t, const mpi_word *arg, int8_t buffer,
			 int8_t count, int8_t type)
{
	const struct handle *h;

	if (count < 0 || type < 0 || number(t, count) <= 0)
		return;
	if (__builtin_expect(arg[buffer] == (mpi_word)MPI_IN_PLACE && !t->fortran, 0))
		wrong(t, "MPI_IN_PLACE is not allowed for this buffer (argument %d)", buffer + 1);
	if (arg[buffer])
		return;
	h = handles_find(HANDLE_TYPE, t->fortran, t->slot->word[type]);
	if (h && h->predefined)
		wrong(t, "the buffer (argument %d) is NULL", buffer + 1);
}

void check_origin(const struct mpi_thread *t, const mpi_word *arg)
{
	check_buffer(t, arg, 0, 1, 2);
}

/* What is sent and what is received must not overlap. */
static void check_overlap(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	int32_t null = t->page->numbers.proc_null;
	uint64_t sends, receives;

	if (t->call != MPISTATE_CALL_Sendrecv || number(t, h->dest) == null ||
	    number(t, h->source) == null)
		return;
	sends = check_bytes(t, h->count, h->type, t->slot->word);
	receives = check_bytes(t, h->recv_count, h->recv_type, t->slot->word);
	if (sends && receives && arg[0] < arg[5] + receives && arg[5] < arg[0] + sends)
		wrong(t, "the buffers (arguments 1 and 6) overlap");
}

/* Reductions: one buffer for both is said by MPI_IN_PLACE. */
static void check_aliases(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;

	if (!mpistate_is_collective(h->class) || h->op < 3 || h->op > 4 || arg[0] != arg[1] ||
	    t->fortran || !t->object || t->object->inter || arg[0] == (mpi_word)MPI_IN_PLACE ||
	    !arg[0] || h->count < 0 || number(t, h->count) <= 0 || h->root >= 0)
		return;
	wrong(t, "the buffers (arguments 1 and 2) are the same: give MPI_IN_PLACE for the first");
}

static void check_messages(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	bool two = h->recv_count != h->count;

	check_count(t, h->count);
	check_type(t, h->type);
	if (check_rank(t, h->dest, "destination", t->page->numbers.proc_null))
		check_tag(t, h->dest_tag, false);
	if (check_rank(t, h->source, "source", t->page->numbers.any_source))
		check_tag(t, h->source_tag, true);
	if (two) {
		check_count(t, h->recv_count);
		check_type(t, h->recv_type);
	}
	if (h->count == 1 && h->type == 2)
		check_buffer(t, arg, 0, 1, 2);
	if (two)
		check_buffer(t, arg, (int8_t)(h->recv_count - 1), h->recv_count, h->recv_type);
	if (h->class == MPISTATE_SENDRECV)
		check_overlap(t, arg);
}

/* What each rank sends to each, itself included, is what it receives from it. */
static void check_own_part(const struct mpi_thread *t, const mpi_word *arg)
{
	uint64_t sent, received;

	switch (t->call) {
	case MPISTATE_CALL_Allgather:
	case MPISTATE_CALL_Iallgather:
	case MPISTATE_CALL_Alltoall:
	case MPISTATE_CALL_Ialltoall:
		break;
	default:
		return;
	}
	if ((int)arg[1] < 0 || (int)arg[4] < 0)
		return;
	sent = handles_signature(handles_find(HANDLE_TYPE, false, arg[2]), (uint32_t)arg[1]);
	received = handles_signature(handles_find(HANDLE_TYPE, false, arg[5]), (uint32_t)arg[4]);
	if (sent && received && sent != received)
		check_report(t, FINDING_COLLECTIVE,
			     "the data that are sent (arguments 2 and 3) are not those that are "
			     "received (arguments 5 and 6)");
}

static void check_collective(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;

	if (h->root >= 0 && t->object && !t->object->inter)
		check_rank(t, h->root, "root", t->page->numbers.proc_null);
	check_op(t, h->op);
	if (is_ignored(t, arg))
		return;
	check_count(t, h->count);
	check_type(t, h->type);
	if (h->root == 3 && h->count == 1 && arg[0] != (mpi_word)MPI_IN_PLACE)
		check_buffer(t, arg, 0, 1, 2);
	if (h->op >= 0)
		check_aliases(t, arg);
	check_own_part(t, arg);
}

static void check_started(const struct mpi_thread *t, const struct mpistate_posted *e)
{
	if (!e->persistent)
		check_report(t, FINDING_REQUEST, "the request is of %s, which cannot be started",
			     mpistate_call_name(e->call - 1));
	else if (e->active)
		check_report(t, FINDING_REQUEST,
			     "the request of %s is started again before it is complete",
			     mpistate_call_name(e->call - 1));
}

/* The handle was copied, and used up elsewhere. */
static void check_used_up(const struct mpi_thread *t, const struct mpistate_posted *e)
{
	if (!e->persistent && !e->active)
		check_report(t, FINDING_REQUEST, "the request of %s is complete or freed already",
			     mpistate_call_name(e->call - 1));
	else if (e->persistent && !e->active && t->shape->class == MPISTATE_CANCEL)
		check_report(t, FINDING_REQUEST, "the request of %s has not been started",
			     mpistate_call_name(e->call - 1));
}

/* Requests that are started, waited for or freed. */
static void check_requests(const struct mpi_thread *t)
{
	bool starts = t->shape->class == MPISTATE_START;

	if (atomic_load_explicit(&several, memory_order_relaxed))
		return;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct mpistate_posted *e;

		if (objects_is_null(t->page, t->fortran, t->before[i])) {
			if (starts)
				check_report(t, FINDING_REQUEST, "the request is MPI_REQUEST_NULL");
			continue;
		}
		e = state_request(t, t->before[i]);
		/* whose buffer may be accessed from now on is not known */
		if (!e || t->call == MPISTATE_CALL_Request_get_status)
			buffers.unsure = true;
		if (!e)
			continue;
		if (starts)
			check_started(t, e);
		else if (!atomic_load_explicit(&t->page->posted_lost, memory_order_relaxed))
			check_used_up(t, e);
	}
}

uint64_t check_bytes(const struct mpi_thread *t, int8_t count, int8_t type, const uint64_t *word)
{
	int32_t n = count < 0 || type < 0 ? 0 : (int32_t)word[count];
	const struct handle *h = n > 0 ? handles_find(HANDLE_TYPE, t->fortran, word[type]) : NULL;

	return h && h->predefined ? (uint64_t)n * (handles_base(h) & 0xff) : 0;
}

bool check_buffers_are_sure(const struct mpi_thread *t)
{
	return !buffers.unsure && !atomic_load_explicit(&several, memory_order_relaxed) &&
	       !atomic_load_explicit(&partly, memory_order_relaxed) &&
	       !atomic_load_explicit(&t->page->posted_lost, memory_order_relaxed);
}

/*
 * Some of the bytes, by the kernel: the memory may be gone. The more requests there are the fewer
 * are looked at.
 */
static bool sample(const struct span *x, uint64_t *hash)
{
	uint64_t piece[SAMPLES] = { 0 }, bytes = x->hi - x->lo, h = bytes;
	struct iovec local[SAMPLES] = { 0 }, remote[SAMPLES] = { 0 };
	unsigned n = 0;
	ssize_t got = 0;

	for (; n < SAMPLES && n * 8 < bytes; n++) {
		uint64_t at = bytes <= SAMPLES * 8 ? n * 8 : (bytes - 8) / (SAMPLES - 1) * n;
		size_t len = bytes - at < 8 ? (size_t)(bytes - at) : 8;

		local[n] = (struct iovec){ &piece[n], len };
		remote[n] = (struct iovec){ (void *)(uintptr_t)(x->lo + at), len };
		got += (ssize_t)len;
	}
	if (process_vm_readv(own_pid, local, n, remote, n, 0) != got)
		return false;
	for (unsigned i = 0; i < n; i++)
		h = mpistate_mix(h, piece[i]);
	*hash = h;
	return true;
}

static void forget_span(const struct mpistate_posted *e, struct span *out)
{
	for (unsigned i = 0; i < buffers.n;) {
		if (buffers.span[i].of != e) {
			i++;
			continue;
		}
		*out = buffers.span[i];
		buffers.span[i] = buffers.span[--buffers.n];
	}
}

static bool is_sampled(unsigned n)
{
	return n < ALL_SAMPLED || n % (n < MANY_SAMPLED ? 16 : 128) == 0;
}

void check_posted(const struct mpi_thread *t, const struct mpistate_posted *e,
		  const struct mpistate_shape *h, uint64_t bytes)
{
	struct span x = {
		.of = e, .call = e->call - 1, .lo = e->word[0], .hi = e->word[0] + bytes
	};

	forget_span(e, &(struct span){ 0 });
	/* MPI has one handle for several */
	if (h->dest < 0 || (int32_t)e->word[h->dest] == t->page->numbers.proc_null ||
	    e->active > 1 || !bytes || !x.lo || !check_buffers_are_sure(t))
		return;
	if (is_sampled(buffers.sent++) && buffers.n < SPANS && sample(&x, &x.hash))
		buffers.span[buffers.n++] = x;
}

void check_completed(const struct mpi_thread *t, const struct mpistate_posted *e)
{
	struct span x = { .of = NULL };
	char text[TEXT];
	uint64_t now;

	forget_span(e, &x);
	if (!x.of || buffers.unsure || t->call == MPISTATE_CALL_Request_free ||
	    !sample(&x, &now) || now == x.hash || !dvmdbg_mpi_misuse)
		return;
	snprintf(text, sizeof(text), "%s: its buffer (argument 1) is changed before it is complete",
		 mpistate_call_name(x.call));
	dvmdbg_mpi_misuse(FINDING_BUFFER, text, (const void *)(uintptr_t)e->pc);
}

/* The handle of a request that is under way is about to be overwritten. */
void check_overwrites(const struct mpi_thread *t, const void *at)
{
	struct mpistate_posted *e;
	uint64_t old = objects_request_at(t->fortran, at, 0);

	if (atomic_load_explicit(&partly, memory_order_relaxed) ||
	    objects_is_null(t->page, t->fortran, old))
		return;
	e = state_request(t, old);
	if (e && (e->active || e->persistent) && e->at == (uintptr_t)at)
		e->overwritten = t->call + 1;
}

static void check_local(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	struct handle *x;

	if (h->made_type >= 0) {
		check_count(t, h->count);
		check_type(t, h->type);
	}
	if (h->commits >= 0 || h->ends_type >= 0) {
		x = handles_at(HANDLE_TYPE, t->fortran,
			       (const void *)arg[h->commits >= 0 ? h->commits : h->ends_type]);
		if (x && !x->live && !atomic_load(&types_unsure))
			wrong(t, "the datatype (argument 1) has been freed");
		else if (x && x->predefined && h->ends_type >= 0)
			wrong(t, "the datatype (argument 1) is %s, which cannot be freed", x->name);
		else if (h->ends_type >= 0)
			handles_freed(x);
	}
	if (h->ends_op >= 0) {
		x = handles_at(HANDLE_OP, t->fortran, (const void *)arg[h->ends_op]);
		if (x && x->predefined)
			wrong(t, "the operation (argument 1) is %s, which cannot be freed",
			      x->name);
		else
			handles_freed(x);
	}
	if (h->ends_group >= 0) {
		x = handles_at(HANDLE_GROUP, t->fortran, (const void *)arg[h->ends_group]);
		if (x && !x->live)
			wrong(t, "the group (argument 1) has been freed");
		handles_freed(x);
	}
}

/* Threads that must not be in MPI at a time. */
static void check_alone(const struct mpi_thread *t)
{
	for (unsigned i = 0; i < MPISTATE_THREADS; i++) {
		const struct mpistate_slot *s = &t->page->slot[i];

		if (s != t->slot && s->tid && atomic_load_explicit(&s->in, memory_order_relaxed)) {
			wrong(t,
			      "another thread is in %s, and MPI was begun with "
			      "MPI_THREAD_SERIALIZED",
			      mpistate_call_name(s->call - 1));
			return;
		}
	}
}

static int find_part(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = strrchr(info->dlpi_name, '/');

	if (!name || (strncmp(name, "/libmpichf", 10) && strncmp(name, "/libmpifort", 11)))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && h->p_flags & PF_X) {
			part.begin = info->dlpi_addr + h->p_vaddr;
			part.end = part.begin + h->p_memsz;
		}
	}
	return 1;
}

const void *check_place(const void *pc)
{
	const void *from = NULL;

	if ((uintptr_t)pc - part.begin < part.end - part.begin)
		from = error_caller();
	return from ? from : pc;
}

/* A request is freed: a receive may still be under way. */
static void check_freed(const struct mpi_thread *t)
{
	const struct mpistate_posted *e = state_request(t, t->before[0]);
	const struct mpistate_shape *h = e && e->call ? state_shape(e->call - 1) : NULL;
	char text[TEXT];

	check_requests(t);
	/* a send is complete when its message has been received, which the program may know */
	if (!h || !e->active || h->source < 0 || !dvmdbg_mpi_misuse)
		return;
	snprintf(text, sizeof(text),
		 "%s: its request is freed before it is complete, so that nothing says when the "
		 "data are there",
		 mpistate_call_name(e->call - 1));
	dvmdbg_mpi_misuse(FINDING_LEAK, text, (const void *)(uintptr_t)t->slot->pc);
}

/* Whether all calls that belong to this one are seen. */
HOT bool is_whole(const struct mpi_thread *t)
{
	if (__builtin_expect(t->slot->pc - part.begin < part.end - part.begin, 0)) {
		atomic_store_explicit(&partly, true, memory_order_relaxed);
		atomic_store_explicit(&t->page->unsure, 1, memory_order_relaxed);
	}
	return !atomic_load_explicit(&partly, memory_order_relaxed);
}

void check_begin(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	bool whole = is_whole(t);

	if (__builtin_expect(threads == MPI_THREAD_SERIALIZED, 0))
		check_alone(t);
	if (__builtin_expect(!t->object, 0))
		check_object(t);
	if (h->class > MPISTATE_MRECV || mpistate_makes_collective(t->call))
		arguments_check(t, arg);
	if (h->class == MPISTATE_LOCAL)
		check_local(t, arg);
	else if (mpistate_is_collective(h->class) || mpistate_makes_collective(t->call))
		check_collective(t, arg);
	else if (h->class <= MPISTATE_INIT || h->class == MPISTATE_PROBE ||
		 h->class == MPISTATE_IPROBE || h->class == MPISTATE_MRECV)
		check_messages(t, arg);
	if (!whole)
		return;
	if (h->number >= 0 && number(t, h->number) < 0)
		wrong(t, "the number of requests (argument %d) is %d", h->number + 1,
		      number(t, h->number));
	if (t->n && (h->class >= MPISTATE_START && h->class <= MPISTATE_CANCEL))
		check_requests(t);
	else if (t->n && t->call == MPISTATE_CALL_Request_free)
		check_freed(t);
	buffers_begin(t, arg, NULL);
	if (h->made_request >= 0)
		check_overwrites(t, (const void *)arg[h->made_request]);
	if (race_is_on(t->page))
		race_begin(t);
	if (h->win >= 0 || h->ends_win >= 0)
		onesided_begin(t, arg);
}

/* Types, groups and operations that a call has made or committed. */
static void end_local(const struct mpi_thread *t, const mpi_word *arg)
{
	static const uint8_t what[] = { HANDLE_TYPE, HANDLE_GROUP, HANDLE_OP };
	const struct mpistate_shape *h = t->shape;
	const int8_t made[] = { h->made_type, h->made_group, h->made_op };
	bool committed = false;

	if (t->call == MPISTATE_CALL_Type_get_contents ||
	    t->call == MPISTATE_CALL_Type_get_contents_c ||
	    t->call == MPISTATE_CALL_File_get_view) {
		atomic_store(&types_unsure, true);
		atomic_store(&t->page->unsure, 1);
	}
	if (t->call == MPISTATE_CALL_Type_dup) {
		const struct handle *of = handles_find(HANDLE_TYPE, t->fortran, t->slot->word[0]);

		committed = !of || of->committed;
	}
	for (unsigned i = 0; i < sizeof(what); i++)
		if (made[i] >= 0)
			handles_made(what[i], t->fortran, (const void *)arg[made[i]], t->call,
				     t->slot->pc, committed);
	if (h->commits >= 0) {
		struct handle *x =
			handles_at(HANDLE_TYPE, t->fortran, (const void *)arg[h->commits]);

		if (x) {
			x->committed = true;
			x->overlaps = !x->predefined && blocks_overlap(x);
		}
		state_changed();
	}
}

void check_end(const struct mpi_thread *t, const mpi_word *arg)
{
	if (t->shape->class < MPISTATE_ALL && t->shape->win < 0)
		return;
	if (t->shape->win >= 0 || t->shape->made_win >= 0 || t->shape->ends_win >= 0) {
		onesided_end(t, arg);
		race_ended(t, arg);
	}
	if (t->call >= MPISTATE_CALL_Comm_accept && t->call <= MPISTATE_CALL_Comm_spawn_multiple)
		objects_forget_freed();
	if (t->shape->class == MPISTATE_LOCAL)
		end_local(t, arg);
}

static int exit_status;

static void on_leaving(int status, void *arg)
{
	(void)arg;
	exit_status = status;
}

/* The program has called exit; here it would have called MPI_Finalize, in whatever handler or
 * destructor it has. */
__attribute__((destructor)) static void leave_open(void)
{
	const struct mpi_thread *t = &state_self;
	char text[TEXT] = "";
	uint64_t pc = t->slot ? t->slot->pc : 0;

	if (check_is_outside || exit_status || own_pid != getpid() || !dvmdbg_mpi_misuse)
		return;
	if (t->slot && t->slot->call == MPISTATE_CALL_Finalize + 1)
		return;
	if (t->slot && t->slot->call)
		snprintf(text, sizeof(text), "after %s", mpistate_call_name(t->slot->call - 1));
	dvmdbg_mpi_misuse(FINDING_UNFINALIZED, text, (const void *)(uintptr_t)pc);
}

void check_up(int level)
{
	int *most, have = 0;

	threads = level;
	first_thread = (uint32_t)syscall(SYS_gettid);
	own_pid = getpid();
	on_exit(on_leaving, NULL);
	handles_begin();
	dl_iterate_phdr(find_part, NULL);
	if (!NEXT(PMPI_Comm_get_attr, "PMPI_Comm_get_attr")(COMM_WORLD, MPI_TAG_UB, &most, &have) &&
	    have)
		tag_most = *most;
}

void check_thread(const struct mpi_thread *t, const void *pc)
{
	if (!t->slot || t->slot->tid == first_thread)
		return;
	atomic_store(&several, true);
	atomic_store(&t->page->unsure, 1);
	if (threads == MPI_THREAD_SINGLE || threads == MPI_THREAD_FUNNELED)
		if (dvmdbg_mpi_misuse)
			dvmdbg_mpi_misuse(
				FINDING_MISUSE,
				threads == MPI_THREAD_SINGLE
					? "a second thread calls MPI, which was begun with "
					  "MPI_THREAD_SINGLE"
					: "another thread than the first calls MPI, which was "
					  "begun with MPI_THREAD_FUNNELED",
				pc);
}

void check_finalizes(const struct mpistate_page *p, const void *pc)
{
	uint32_t self = (uint32_t)syscall(SYS_gettid);
	char text[TEXT];

	if (!dvmdbg_mpi_misuse || own_pid != getpid())
		return;
	if (self != first_thread)
		dvmdbg_mpi_misuse(FINDING_MISUSE,
				  "MPI_Finalize is called by another thread than MPI_Init", pc);
	for (unsigned i = 0; i < MPISTATE_THREADS; i++) {
		const struct mpistate_slot *s = &p->slot[i];
		uint32_t call = s->call;

		if (s->tid == self || !atomic_load(&s->in) || !call || call > MPISTATE_CALLS)
			continue;
		snprintf(text, sizeof(text),
			 "MPI_Finalize is called while another thread is in %s",
			 mpistate_call_name(call - 1));
		dvmdbg_mpi_misuse(FINDING_MISUSE, text, pc);
		return;
	}
}

void check_outside(const char *name)
{
	static const char *const allowed[] = {
		"initialized", "finalized",  "get_version",  "get_library_version",
		"init",	       "session_",   "info_",	     "error_",
		"errhandler_", "add_error_", "remove_error_"
	};
	static _Atomic bool reported;
	char text[TEXT];
	int len = (int)strcspn(name + 4, "");

	if (!dvmdbg_mpi_on || !dvmdbg_mpi_on() || !dvmdbg_mpi_misuse)
		return;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (!strncasecmp(name + 4, allowed[i], strlen(allowed[i])))
			return;
	if (strcasestr(name, "create_errhandler") || atomic_exchange(&reported, true))
		return;
	while (len && name[3 + len] == '_')
		len--;
	snprintf(text, sizeof(text), "MPI_%.*s is called %s", len, name + 4,
		 dvmdbg_mpi_page && dvmdbg_mpi_page() && dvmdbg_mpi_page()->on
			 ? "after MPI_Finalize"
			 : "before MPI_Init");
	dvmdbg_mpi_misuse(FINDING_MISUSE, text, error_caller());
}

/* What is left at MPI_Finalize: of each place where such was made, how many. */
struct left {
	unsigned kind, call, n;
	const char *what;
	uint64_t pc;
	unsigned overwritten; /* by what call; MPISTATE_CALLS: by none */
};

static struct left left[LEFT];
static unsigned nleft;

static void leave(unsigned kind, unsigned call, uint64_t pc, const char *what, unsigned overwritten)
{
	for (unsigned i = 0; i < nleft; i++)
		if (left[i].pc == pc && left[i].call == call && left[i].kind == kind) {
			left[i].n++;
			return;
		}
	if (nleft < LEFT)
		left[nleft++] = (struct left){ kind, call, 1, what, pc, overwritten };
}

static void leave_handle(const struct handle *h)
{
	static const char *const what[] = { "datatype", "group", "operation" };

	leave(FINDING_LEAK, h->call, h->pc, what[h->what], MPISTATE_CALLS);
}

static void leave_object(const struct mpistate_object *o)
{
	static const char *const what[] = { "communicator", "window", "file" };

	if (o->serial && o->what < MPISTATE_WHATS && o->made_by &&
	    o->made_by != MPISTATE_CALL_Init + 1)
		leave(FINDING_LEAK, o->made_by - 1, o->made_pc, what[o->what], MPISTATE_CALLS);
}

static void leave_request(const struct mpistate_posted *e)
{
	unsigned by = e->overwritten ? e->overwritten - 1 : MPISTATE_CALLS;

	if (!e->key || !e->call)
		return;
	if (e->active)
		for (uint32_t i = 0; i < e->active; i++)
			leave(FINDING_REQUEST, e->call - 1, e->pc, "request", by);
	else if (e->persistent)
		leave(FINDING_LEAK, e->call - 1, e->pc, "request", by);
}

void check_finalize(struct mpistate_page *p)
{
	nleft = 0;
	if (atomic_load(&partly))
		return;
	handles_left(leave_handle);
	for (unsigned i = 0; i < MPISTATE_OBJECTS; i++)
		leave_object(&p->object[i]);
	for (unsigned i = 0; i < MPISTATE_POSTED; i++)
		if (!atomic_load(&several) && !atomic_load(&p->posted_lost))
			leave_request(&p->posted[i]);
	for (unsigned i = 0; i < nleft && dvmdbg_mpi_misuse; i++) {
		const struct left *l = &left[i];
		bool never = l->kind == FINDING_REQUEST;
		char text[TEXT], by[64] = "";

		if (l->overwritten < MPISTATE_CALLS)
			snprintf(by, sizeof(by), ": %s has put another in its place",
				 mpistate_call_name(l->overwritten));
		if (l->n == 1)
			snprintf(text, sizeof(text), "%s: its %s is never %s%s",
				 mpistate_call_name(l->call), l->what,
				 never ? "completed" : "freed", by);
		else
			snprintf(text, sizeof(text), "%s: %u of its %ss are never %s%s",
				 mpistate_call_name(l->call), l->n, l->what,
				 never ? "completed" : "freed", by);
		dvmdbg_mpi_misuse((int)l->kind, text, (const void *)(uintptr_t)l->pc);
	}
}
