/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers that MPI may access until a call is complete: of requests, and of one-sided accesses.
 * Other calls that use them meanwhile are found here; the program's own accesses where it has
 * access hooks (dvmdbg_mpi_pending_add). Compiled once per ABI.
 */
#include <mpi.h>

#include <string.h>

#include "common/protocol/finding_kind.h"
#include "runtime/base/mpi_table.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/race.h"

#define PENDING 256  /* pieces that are known at a time */
#define USES 3	     /* buffers of a call */
#define RANKS 4096   /* of lists of counts that are looked at */

enum {
	READS = 1,
	WRITES = 2,
	AT_ROOT = 4,  /* only the root uses it */
	EACH = 8,     /* the count is for each rank */
	LIST = 16,    /* a list of counts, and behind it one of displacements */
	ONE = 32,     /* one element */
	ROOT_READS = 64, /* the root reads, the others write */
};

struct uses {
	uint16_t call;
	struct {
		uint8_t how; /* 0: no more */
		uint8_t at, count, type;
	} use[USES];
};

#define BOTH(Name, name, ...)                   \
	{ MPISTATE_CALL_##Name, __VA_ARGS__ },  \
	{                                       \
		MPISTATE_CALL_I##name, __VA_ARGS__ \
	}
static const struct uses table[] = {
	BOTH(Send, send, { { READS, 0, 1, 2 } }),
	BOTH(Bsend, bsend, { { READS, 0, 1, 2 } }),
	BOTH(Rsend, rsend, { { READS, 0, 1, 2 } }),
	BOTH(Ssend, ssend, { { READS, 0, 1, 2 } }),
	BOTH(Recv, recv, { { WRITES, 0, 1, 2 } }),
	{ MPISTATE_CALL_Send_init, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Bsend_init, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Rsend_init, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Ssend_init, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Recv_init, { { WRITES, 0, 1, 2 } } },
	{ MPISTATE_CALL_Sendrecv, { { READS, 0, 1, 2 }, { WRITES, 5, 6, 7 } } },
	{ MPISTATE_CALL_Sendrecv_replace, { { WRITES, 0, 1, 2 } } },
	BOTH(Bcast, bcast, { { ROOT_READS, 0, 1, 2 } }),
	BOTH(Reduce, reduce, { { READS, 0, 2, 3 }, { WRITES | AT_ROOT, 1, 2, 3 } }),
	BOTH(Allreduce, allreduce, { { READS, 0, 2, 3 }, { WRITES, 1, 2, 3 } }),
	BOTH(Scan, scan, { { READS, 0, 2, 3 }, { WRITES, 1, 2, 3 } }),
	BOTH(Exscan, exscan, { { READS, 0, 2, 3 }, { WRITES, 1, 2, 3 } }),
	BOTH(Reduce_scatter_block, reduce_scatter_block,
	     { { READS | EACH, 0, 2, 3 }, { WRITES, 1, 2, 3 } }),
	BOTH(Gather, gather, { { READS, 0, 1, 2 }, { WRITES | AT_ROOT | EACH, 3, 4, 5 } }),
	BOTH(Gatherv, gatherv, { { READS, 0, 1, 2 }, { WRITES | AT_ROOT | LIST, 3, 4, 6 } }),
	BOTH(Scatter, scatter, { { READS | AT_ROOT | EACH, 0, 1, 2 }, { WRITES, 3, 4, 5 } }),
	BOTH(Scatterv, scatterv, { { READS | AT_ROOT | LIST, 0, 1, 3 }, { WRITES, 4, 5, 6 } }),
	BOTH(Allgather, allgather, { { READS, 0, 1, 2 }, { WRITES | EACH, 3, 4, 5 } }),
	BOTH(Allgatherv, allgatherv, { { READS, 0, 1, 2 }, { WRITES | LIST, 3, 4, 6 } }),
	BOTH(Alltoall, alltoall, { { READS | EACH, 0, 1, 2 }, { WRITES | EACH, 3, 4, 5 } }),
	BOTH(Alltoallv, alltoallv, { { READS | LIST, 0, 1, 3 }, { WRITES | LIST, 4, 5, 7 } }),
	{ MPISTATE_CALL_Pack, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Unpack, { { WRITES, 3, 4, 5 } } },
	{ MPISTATE_CALL_Put, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Rput, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Get, { { WRITES, 0, 1, 2 } } },
	{ MPISTATE_CALL_Rget, { { WRITES, 0, 1, 2 } } },
	{ MPISTATE_CALL_Accumulate, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Raccumulate, { { READS, 0, 1, 2 } } },
	{ MPISTATE_CALL_Get_accumulate, { { READS, 0, 1, 2 }, { WRITES, 3, 4, 5 } } },
	{ MPISTATE_CALL_Rget_accumulate, { { READS, 0, 1, 2 }, { WRITES, 3, 4, 5 } } },
	{ MPISTATE_CALL_Fetch_and_op, { { READS | ONE, 0, 0, 2 }, { WRITES | ONE, 1, 0, 2 } } },
	{ MPISTATE_CALL_Compare_and_swap,
	  { { READS | ONE, 0, 0, 3 }, { READS | ONE, 1, 0, 3 }, { WRITES | ONE, 2, 0, 3 } } },
};
#undef BOTH

static uint8_t row_of[MPISTATE_CALLS]; /* index + 1 */

__attribute__((constructor)) static void buffers_init(void)
{
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		row_of[table[i].call] = (uint8_t)(i + 1);
}

/* A piece of a buffer that MPI may access. */
struct pending {
	const struct mpistate_posted *of; /* its request; NULL: it has none */
	uint64_t pc;
	struct mpistate_piece piece;
	uint32_t window; /* serial of the window that is accessed; 0: none */
	int32_t target;
	uint16_t call; /* enum mpistate_call + 1 */
	uint8_t arg;
	bool writes;
	int place; /* dvmdbg_mpi_pending_add */
	uint32_t own; /* race_own */
};
static struct pending pending[PENDING];
unsigned buffers_pending;
/* From where to where each of them is: what is looked at for each call. */
static struct bounds {
	int64_t lo, end;
} bounds[PENDING];
/* Of each request: how many pieces, and where one of them is. */
static struct {
	uint16_t n, at;
} pieces_of[MPISTATE_POSTED];

/* Buffers of a call, as pieces in memory. */
struct piece {
	struct mpistate_piece piece;
	uint32_t arg; /* its number, from 1 */
	bool writes;
};
struct pieces {
	unsigned n;
	struct piece piece[USES * BLOCKS_MOST];
};

/* The arguments of a call: those of C, or Fortran's addresses; or, of a request, what was read
 * there. */
struct given {
	const struct mpi_thread *t;
	const struct mpistate_shape *h;
	const mpi_word *arg;
	bool read;	/* Fortran's numbers are in arg */
	bool is_root;
	bool moves; /* what it writes is of interest, though what it reads may be MPI_IN_PLACE */
	uint32_t ranks;
};

static int64_t number_at(const struct given *v, unsigned at)
{
	if (v->t->fortran && !v->read)
		return v->arg[at] ? *(const int32_t *)v->arg[at] : 0;
	return (int32_t)v->arg[at];
}

static const struct handle *type_at(const struct given *v, unsigned at)
{
	uint64_t word = v->arg[at];

	if (v->t->fortran && !v->read)
		word = word ? *(const uint32_t *)word : 0;
	return handles_find(HANDLE_TYPE, v->t->fortran, word);
}

static void add_pieces(struct pieces *out, const struct handle *type, int64_t count, uint64_t at,
		       uint32_t arg, bool writes)
{
	struct mpistate_piece piece[BLOCKS_MOST];
	unsigned n = blocks_of(type, count, piece);

	for (unsigned i = 0; i < n && out->n < USES * BLOCKS_MOST; i++) {
		piece[i].lo += (int64_t)at;
		out->piece[out->n++] = (struct piece){ piece[i], arg, writes };
	}
}

static void add_list(struct pieces *out, const struct given *v, unsigned count, unsigned type,
		     uint64_t at, uint32_t arg, bool writes)
{
	const int32_t *counts = (const int32_t *)v->arg[count];
	const int32_t *disps = (const int32_t *)v->arg[count + 1];
	const struct handle *h = type_at(v, type);
	int64_t extent;

	/* of basic types: others would be too many */
	if (!counts || !disps || !h || !h->predefined || !handles_base(h) || v->ranks > RANKS)
		return;
	extent = handles_base(h) & 0xff;
	for (uint32_t i = 0; i < v->ranks; i++)
		add_pieces(out, h, counts[i], at + (uint64_t)(disps[i] * extent), arg, writes);
}

/* MPI_IN_PLACE, or MPI_BOTTOM, which only types with addresses of their own can mean. */
static bool is_no_buffer(uint64_t at)
{
	return !at || at == (uint64_t)(uintptr_t)MPI_IN_PLACE;
}

/* Nobody is there to send that, or to receive it; of both halves of a call one may be. */
static bool is_half_empty(const struct given *v, unsigned at)
{
	const struct mpistate_shape *h = v->h;
	int32_t null = v->t->page->numbers.proc_null;

	if (!v->moves || h->class > MPISTATE_POST)
		return false;
	if (h->source >= 0 && (h->dest < 0 || at > 0 || h->recv_count < 0))
		return number_at(v, (unsigned)h->source) == null;
	return h->dest >= 0 && number_at(v, (unsigned)h->dest) == null;
}

static void collect(const struct given *v, unsigned call, struct pieces *out)
{
	const struct uses *u;
	bool collective = mpistate_is_collective(v->h->class);

	out->n = 0;
	if (!row_of[call])
		return;
	/* what has no buffer in Fortran is not known */
	if (collective && !v->moves && (v->t->fortran ? v->h->class != MPISTATE_FROM : false))
		return;
	u = &table[row_of[call] - 1];
	for (unsigned i = 0; i < USES && u->use[i].how; i++) {
		unsigned how = u->use[i].how, at = u->use[i].at;
		bool writes = how & WRITES || (how & ROOT_READS && !v->is_root);
		int64_t n;

		if (is_no_buffer(v->arg[at])) {
			/* the other one is read and written */
			continue;
		}
		if ((how & AT_ROOT && !v->is_root) || is_half_empty(v, u->use[i].at))
			continue;
		if (how & LIST) {
			add_list(out, v, u->use[i].count, u->use[i].type, v->arg[at], at + 1u,
				 writes);
			continue;
		}
		n = how & ONE ? 1 : number_at(v, u->use[i].count);
		if (how & EACH)
			n *= v->ranks;
		add_pieces(out, type_at(v, u->use[i].type), n, v->arg[at], at + 1u, writes);
	}
}

static struct given given_of(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;

	return (struct given){ .t = t, .h = h, .arg = arg,
			       .is_root = h->root >= 0 && t->object &&
					  (uint32_t)t->slot->word[h->root] == t->object->rank,
			       .ranks = t->object ? t->object->size : 0 };
}

/* ---- what is read and written, for the trace ---- */

static void moved(const struct mpistate_piece *p, bool writes, unsigned call, uint64_t pc)
{
	struct rt_mpi_moved m = { .addr = (unsigned long)p->lo,
				  .block = p->block,
				  .stride = p->stride,
				  .n = p->n,
				  .call = mpistate_call_name(call) };

	if (dvmdbg_mpi_moved && p->block && p->n)
		dvmdbg_mpi_moved(writes ? 'G' : 'U', &m, (const void *)(uintptr_t)pc);
}

static void moved_lost(void)
{
	if (dvmdbg_mpi_moved)
		dvmdbg_mpi_moved('X', NULL, NULL);
}

/* It reads all of what it writes. */
static bool reads_same(const struct mpi_thread *t, const mpi_word *arg)
{
	switch (t->call) {
	case MPISTATE_CALL_Sendrecv_replace:
		return true;
	case MPISTATE_CALL_Reduce:
	case MPISTATE_CALL_Ireduce:
	case MPISTATE_CALL_Allreduce:
	case MPISTATE_CALL_Iallreduce:
	case MPISTATE_CALL_Scan:
	case MPISTATE_CALL_Iscan:
		return (uint64_t)arg[0] == (uint64_t)(uintptr_t)MPI_IN_PLACE;
	default:
		return false;
	}
}

static void pieces_moved(const struct mpi_thread *t, const struct pieces *x, bool writes, bool both)
{
	for (unsigned i = 0; i < x->n; i++)
		if (both || x->piece[i].writes == writes)
			moved(&x->piece[i].piece, writes, t->call, t->slot->pc);
}

/* Counts, displacements and a type stand before its receive buffer, or a count and a type. */
static bool is_v(unsigned call)
{
	const char *name = mpistate_call_name(call);
	size_t n = strlen(name);

	return n && (strchr("vw", name[n - 1]) && strstr(name, "alltoall"));
}

/* A call that writes what it is not known how much of: all of the array there. */
static void moved_unknown(const struct mpi_thread *t, const mpi_word *arg)
{
	struct rt_mpi_moved m = { .call = mpistate_call_name(t->call) };
	unsigned class = t->shape->class;

	if (class == MPISTATE_MRECV)
		m.addr = (unsigned long)arg[0];
	else if (class == MPISTATE_NEIGHBOR || class == MPISTATE_INEIGHBOR)
		m.addr = (unsigned long)arg[is_v(t->call) ? 4 : 3];
	else if (t->call == MPISTATE_CALL_Reduce_scatter ||
		 t->call == MPISTATE_CALL_Ireduce_scatter)
		m.addr = (unsigned long)arg[1];
	else if (t->call == MPISTATE_CALL_Alltoallw || t->call == MPISTATE_CALL_Ialltoallw)
		m.addr = (unsigned long)arg[4];
	else
		return;
	if (dvmdbg_mpi_moved && !is_no_buffer(m.addr))
		dvmdbg_mpi_moved('G', &m, (const void *)(uintptr_t)t->slot->pc);
}

/* Up to where it goes on. */
static void packed(const struct mpi_thread *t, const mpi_word *arg)
{
	int32_t position = *(const int32_t *)arg[5];
	struct mpistate_piece p = { (int64_t)arg[3], (uint64_t)position, (uint64_t)position, 1 };

	if (position > 0)
		moved(&p, true, t->call, t->slot->pc);
}

void buffers_moved(const struct mpi_thread *t, const mpi_word *arg, bool writes)
{
	const struct mpistate_shape *h = t->shape;
	bool later = h->made_request >= 0;
	struct given v;
	struct pieces x;

	if (h->class == MPISTATE_INIT || h->win >= 0)
		return;
	if (!row_of[t->call]) {
		if (writes)
			moved_unknown(t, arg);
		return;
	}
	if (mpistate_is_collective(h->class) && t->object && t->object->inter)
		return;
	/* what a request writes is there when it is complete; of Fortran's collectives it is not
	 * followed */
	if (later && writes && !(t->fortran && mpistate_is_collective(h->class)))
		return;
	v = given_of(t, arg);
	v.moves = true;
	collect(&v, t->call, &x);
	pieces_moved(t, &x, writes, !writes && reads_same(t, arg));
	if (writes && t->call == MPISTATE_CALL_Pack)
		packed(t, arg);
}

bool buffers_writes(unsigned call, int8_t at)
{
	const struct uses *u = row_of[call] ? &table[row_of[call] - 1] : NULL;

	for (unsigned i = 0; u && i < USES && u->use[i].how; i++)
		if (u->use[i].how & WRITES && u->use[i].type == at)
			return true;
	return false;
}

/* Two buffers of one call overlap where MPI writes. */
static void check_own(const struct mpi_thread *t, const struct pieces *x)
{
	for (unsigned i = 0; i < x->n; i++)
		for (unsigned k = i + 1; k < x->n; k++) {
			const struct piece *a = &x->piece[i], *b = &x->piece[k];

			if (a->arg == b->arg || (!a->writes && !b->writes) ||
			    !mpistate_pieces_meet(&a->piece, &b->piece))
				continue;
			check_report(t, FINDING_MISUSE, "the buffers (arguments %u and %u) overlap",
				     a->arg, b->arg);
			return;
		}
}

static bool is_known(const struct mpistate_race *r, uint32_t n, const struct mpistate_clash *c)
{
	for (uint32_t i = 0; i < n; i++)
		if (r->clash[i].pc == c->pc && r->clash[i].by_pc == c->by_pc &&
		    r->clash[i].arg == c->arg && r->clash[i].by_arg == c->by_arg)
			return true;
	return false;
}

static void clash(const struct mpi_thread *t, const struct pending *p, const struct piece *x)
{
	struct mpistate_race *r = &t->page->race;
	uint32_t n = atomic_load(&r->nclash);
	struct mpistate_clash c = { .call = p->call, .arg = p->arg, .writes = p->writes,
				    .pc = p->pc, .by = t->call + 1, .by_arg = x->arg,
				    .by_writes = x->writes, .by_pc = t->slot->pc };

	if (is_known(r, n < MPISTATE_CLASHES ? n : MPISTATE_CLASHES, &c))
		return;
	n = atomic_fetch_add(&r->nclash, 1);
	if (n >= MPISTATE_CLASHES) {
		atomic_store(&r->nclash, MPISTATE_CLASHES);
		return;
	}
	r->clash[n] = c;
	atomic_store(&r->clash[n].there, 1);
}

/* The call is about to use buffers of others that are not complete. */
static void check_piece(const struct mpi_thread *t, const struct piece *a)
{
	struct bounds x = { a->piece.lo, mpistate_piece_end(&a->piece) };

	for (unsigned i = 0; i < buffers_pending; i++)
		if (__builtin_expect(x.lo < bounds[i].end && bounds[i].lo < x.end, 0) &&
		    (a->writes || pending[i].writes) &&
		    mpistate_pieces_meet(&a->piece, &pending[i].piece) && check_buffers_are_sure(t))
			clash(t, &pending[i], a);
}

static void check_pending(const struct mpi_thread *t, const struct pieces *x)
{
	for (unsigned i = 0; i < x->n; i++)
		check_piece(t, &x->piece[i]);
}

/* A known message of a basic type is one block. */
static struct piece known_piece(const struct mpi_thread *t, const struct mpi_known *k)
{
	uint64_t bytes = (uint64_t)k->bytes * (uint32_t)t->slot->word[1];

	return (struct piece){ { (int64_t)t->slot->word[0], bytes, bytes, 1 },
			       1,
			       t->shape->dest < 0 };
}

/* Nobody is there to send or receive. */
static bool goes_nowhere(const struct mpi_thread *t, const mpi_word *word,
			 const struct mpistate_shape *h)
{
	int32_t null = t->page->numbers.proc_null;

	return (h->dest >= 0 && (int32_t)word[h->dest] == null) ||
	       (h->source >= 0 && (int32_t)word[h->source] == null);
}

/* ---- how long buffers are ---- */

#define PLACES 256 /* of calls, of which the first are looked at */
#define NEAR 4 /* where a place may be, when others have its own */
#define FIRST 8

/* One of the first calls from that place. */
static bool is_first(uint64_t pc)
{
	static struct {
		_Atomic uint64_t pc;
		_Atomic uint32_t n;
	} seen[PLACES];
	unsigned at = (unsigned)mpistate_mix(pc, 0);

	for (unsigned k = 0; k < NEAR; k++) {
		unsigned i = (at + k) % PLACES;
		uint64_t has = atomic_load_explicit(&seen[i].pc, memory_order_relaxed);

		if (has != pc &&
		    (has || (!atomic_compare_exchange_strong(&seen[i].pc, &has, pc) && has != pc)))
			continue;
		return atomic_load_explicit(&seen[i].n, memory_order_relaxed) < FIRST &&
		       atomic_fetch_add_explicit(&seen[i].n, 1, memory_order_relaxed) < FIRST;
	}
	return false;
}

/* Behind the call's frame pointer its caller's is kept, and where it returns to. */
static void caller_registers(const struct mpi_thread *t, struct mpistate_extent *x)
{
#if defined(__x86_64__)
	const uint64_t *frame = t->frame;

	if (!frame || frame[1] != t->slot->pc)
		return;
	x->bp = frame[0];
	x->sp = (uintptr_t)(frame + 2);
#endif
}

/* It is no block of malloc's: what it is is found by those who have debug information. */
static void keep_extent(const struct mpi_thread *t, const struct mpistate_extent *x)
{
	struct mpistate_page *p = t->page;
	uint32_t n = atomic_load(&p->nextent);

	for (uint32_t i = 0; i < n && i < MPISTATE_EXTENTS; i++)
		if (p->extent[i].pc == x->pc && p->extent[i].arg == x->arg &&
		    p->extent[i].addr - p->extent[i].sp == x->addr - x->sp &&
		    p->extent[i].bytes >= x->bytes)
			return;
	n = atomic_fetch_add(&p->nextent, 1);
	if (n >= MPISTATE_EXTENTS) {
		atomic_store(&p->nextent, MPISTATE_EXTENTS);
		return;
	}
	p->extent[n] = *x;
	atomic_store(&p->extent[n].there, 1);
}

/* A call uses so many bytes of its argument arg; true: that is reported. */
static bool check_extent(const struct mpi_thread *t, uint64_t addr, uint64_t bytes,
			 const struct piece *piece)
{
	struct mpistate_extent x = { .call = t->call + 1, .arg = piece->arg,
				     .writes = piece->writes, .pc = t->slot->pc, .addr = addr,
				     .bytes = bytes };
	uint64_t left = dvmdbg_mpi_block ? dvmdbg_mpi_block((const void *)(uintptr_t)addr) : 0;

	if (!left) {
		caller_registers(t, &x);
		keep_extent(t, &x);
	}
	if (!left || bytes <= left)
		return false;
	check_report(t, FINDING_MISUSE,
		     "the buffer (argument %u) has %llu bytes, of a block that malloc has given, "
		     "and %llu are %s",
		     piece->arg, (unsigned long long)left, (unsigned long long)bytes,
		     piece->writes ? "written" : "read");
	return true;
}

/* Each block of a type by itself: they may be in different variables. */
static void check_extents(const struct mpi_thread *t, const mpi_word *arg)
{
	struct given v = given_of(t, arg);
	bool reported = false;
	struct pieces x;

	if (mpistate_is_collective(t->shape->class) && t->object && t->object->inter)
		return;
	v.moves = true;
	collect(&v, t->call, &x);
	for (unsigned i = 0; i < x.n && !reported; i++) {
		const struct mpistate_piece *p = &x.piece[i].piece;

		reported = check_extent(t, (uint64_t)p->lo, p->block, &x.piece[i]);
		if (p->n > 1 && !reported)
			reported = check_extent(t, (uint64_t)p->lo + (p->n - 1) * p->stride,
						p->block, &x.piece[i]);
	}
}

/* A blocking call has its buffers to itself from now to its end; others are begun here. */
void buffers_begin(const struct mpi_thread *t, const mpi_word *arg, const struct mpi_known *k)
{
	struct given v;
	struct pieces x;
	bool twice = t->shape->win >= 0;

	if (k && k->bytes) {
		struct piece a = known_piece(t, k);

		check_piece(t, &a);
		return;
	}
	if (row_of[t->call] && is_first(t->slot->pc))
		check_extents(t, arg);
	if (!row_of[t->call] || t->shape->class == MPISTATE_INIT ||
	    (!buffers_pending && !twice && !race_is_on(t->page)) || !check_buffers_are_sure(t) ||
	    goes_nowhere(t, (const mpi_word *)t->slot->word, t->shape))
		return;
	if (mpistate_is_collective(t->shape->class) && t->object && t->object->inter)
		return;
	v = given_of(t, arg);
	collect(&v, t->call, &x);
	if (twice)
		check_own(t, &x);
	check_pending(t, &x);
	for (unsigned i = 0; i < x.n && t->shape->class <= MPISTATE_POST; i++)
		if (!x.piece[i].writes)
			race_own(t, &x.piece[i].piece, false, false);
}

static void add_piece(const struct mpi_thread *t, const struct piece *a, const struct pending *like)
{
	struct pending *p = &pending[buffers_pending];

	if (buffers_pending == PENDING) {
		if (moved_on())
			moved_lost();
		return;
	}
	*p = *like;
	p->arg = (uint8_t)a->arg;
	p->writes = a->writes;
	p->piece = a->piece;
	p->own = p->window ? race_own(t, &a->piece, a->writes, true) : 0;
	p->place = !dvmdbg_mpi_pending_add ? -1 :
		   dvmdbg_mpi_pending_add(&a->piece, a->writes, p->call - 1, a->arg,
					  (const void *)(uintptr_t)p->pc);
	if (p->of) {
		pieces_of[p->of - t->page->posted].n++;
		pieces_of[p->of - t->page->posted].at = (uint16_t)buffers_pending;
	}
	bounds[buffers_pending++] = (struct bounds){ a->piece.lo, mpistate_piece_end(&a->piece) };
}

static void add_pending(const struct mpi_thread *t, const struct pieces *x, const struct pending *p)
{
	for (unsigned i = 0; i < x->n; i++)
		add_piece(t, &x->piece[i], p);
}

static void drop(const struct mpi_thread *t, unsigned i)
{
	const struct pending *last = &pending[--buffers_pending];

	if (pending[i].place >= 0)
		dvmdbg_mpi_pending_remove(pending[i].place);
	if (pending[i].own)
		race_own_ended(t->page, pending[i].own);
	if (pending[i].of)
		pieces_of[pending[i].of - t->page->posted].n--;
	if (last->of)
		pieces_of[last->of - t->page->posted].at = (uint16_t)i;
	if (last == &pending[i])
		return;
	pending[i] = *last;
	bounds[i] = bounds[buffers_pending];
}

/* Those of a request: it is complete, or was taken for another. */
static void drop_all(const struct mpi_thread *t, const struct mpistate_posted *e, bool complete)
{
	unsigned n = pieces_of[e - t->page->posted].n, at = pieces_of[e - t->page->posted].at;
	bool there = n == 1 && at < buffers_pending && pending[at].of == e;

	for (unsigned i = there ? at + 1 : buffers_pending; n && i--;) {
		if (pending[i].of != e)
			continue;
		if (complete && race_is_on(t->page) && pending[i].writes && !pending[i].window)
			race_own(t, &pending[i].piece, true, false);
		if (complete && pending[i].writes && !pending[i].window && moved_on())
			moved(&pending[i].piece, true, pending[i].call - 1u, pending[i].pc);
		drop(t, i);
		n--;
	}
}

void buffers_posted(const struct mpi_thread *t, const struct mpistate_posted *e,
		    const mpi_word *arg, const struct mpi_known *k)
{
	const struct mpistate_shape *h = state_shape(e->call - 1);
	struct given v;
	struct pieces x;
	mpi_word word[MPISTATE_WORDS];
	struct pending like = { .of = e, .call = (uint16_t)e->call, .pc = e->pc };

	if (pieces_of[e - t->page->posted].n)
		drop_all(t, e, false);
	/* MPI has one handle for several */
	if (moved_on() && (e->active > 1 || !check_buffers_are_sure(t)) &&
	    h->source >= 0 && !goes_nowhere(t, (const mpi_word *)e->word, h))
		moved_lost();
	if (e->active > 1 || !row_of[e->call - 1] ||
	    (mpistate_is_collective(h->class) && t->object && t->object->inter) || h->win >= 0 ||
	    !check_buffers_are_sure(t) || goes_nowhere(t, (const mpi_word *)e->word, h))
		return;
	if (k && k->bytes) {
		struct piece a = known_piece(t, k);

		add_piece(t, &a, &like);
		return;
	}
	v = given_of(t, arg);
	if (!mpistate_is_collective(h->class)) {
		for (unsigned i = 0; i < MPISTATE_WORDS; i++)
			word[i] = (mpi_word)e->word[i];
		v.arg = word;
		v.read = true;
	}
	v.h = h;
	collect(&v, e->call - 1, &x);
	if (t->shape->class == MPISTATE_START)
		check_pending(t, &x);
	add_pending(t, &x, &like);
}

void buffers_completed(const struct mpi_thread *t, const struct mpistate_posted *e)
{
	drop_all(t, e, true);
}

void buffers_accessed(const struct mpi_thread *t, const mpi_word *arg)
{
	struct given v = given_of(t, arg);
	struct pending p = { .window = t->object->serial,
			     .call = (uint16_t)(t->call + 1),
			     .pc = t->slot->pc };
	struct pieces x;

	if (!row_of[t->call] || !check_buffers_are_sure(t))
		return;
	p.target = (int32_t)t->slot->word[t->shape->dest];
	if (p.target == t->page->numbers.proc_null)
		return;
	if (t->shape->made_request >= 0)
		p.of = state_request(
			t, objects_request_at(t->fortran, (const void *)arg[t->shape->made_request],
					      0));
	collect(&v, t->call, &x);
	add_pending(t, &x, &p);
}

void buffers_window(const struct mpi_thread *t, int32_t target)
{
	for (unsigned i = buffers_pending; i--;)
		if (pending[i].window == t->object->serial &&
		    (target < 0 || pending[i].target == target)) {
			if (pending[i].writes && moved_on())
				moved(&pending[i].piece, true, pending[i].call - 1u, pending[i].pc);
			drop(t, i);
		}
}
