/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses to windows, and what orders them between ranks, as they are kept for those who see all
 * ranks. Nothing is compared here, and no message is sent. What this does not understand ends
 * the list, as an order that is not known could acquit. Compiled once per ABI.
 */
#include <mpi.h>

#include <string.h>
#include <time.h>

#include "runtime/base/mpi_table.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/race.h"

void race_end(struct mpistate_page *p)
{
	atomic_store_explicit(&p->race.over, 1, memory_order_relaxed);
	if (dvmdbg_mpi_pending_changed)
		dvmdbg_mpi_pending_changed();
}

/* Another thread, or calls that are not seen. */
static bool goes_on(struct mpistate_page *p)
{
	if (!race_is_on(p))
		return false;
	if (!atomic_load_explicit(&p->unsure, memory_order_relaxed) &&
	    !atomic_load_explicit(&p->lost, memory_order_relaxed) &&
	    !atomic_load_explicit(&p->pairs_lost, memory_order_relaxed) &&
	    !atomic_load_explicit(&p->posted_lost, memory_order_relaxed) &&
	    !atomic_load_explicit(&p->cancelled, memory_order_relaxed))
		return true;
	race_end(p);
	return false;
}

static void event_add(struct mpistate_page *p, struct mpistate_event e)
{
	struct mpistate_race *r = &p->race;
	uint32_t n;

	if (!goes_on(p))
		return;
	n = atomic_load_explicit(&r->nevent, memory_order_relaxed);
	if (n >= MPISTATE_EVENTS) {
		race_end(p);
		return;
	}
	r->event[n] = e;
	atomic_store_explicit(&r->nevent, n + 1, memory_order_release);
	if (dvmdbg_mpi_pending_changed)
		dvmdbg_mpi_pending_changed();
}

static uint32_t now_at(const struct mpistate_page *p)
{
	return atomic_load_explicit(&p->race.nevent, memory_order_relaxed);
}

static int32_t world_of(const struct mpistate_page *p, const struct mpistate_object *o,
			int32_t rank)
{
	if (rank < 0 || (uint32_t)rank >= o->size)
		return MPISTATE_UNKNOWN;
	if (o->world)
		return rank;
	return o->members ? p->members[o->members + (uint32_t)rank] : MPISTATE_UNKNOWN;
}

/* Messages. */

static void message(struct mpistate_page *p, const struct mpistate_pair *e, unsigned kind,
		    uint32_t n)
{
	if (!e || !e->id || e->world < 0)
		race_end(p);
	else
		event_add(p, (struct mpistate_event){ .kind = kind, .n = n, .peer = e->world,
						      .tag = e->tag, .id = e->id });
}

void race_sent(struct mpistate_page *p, const struct mpistate_pair *e, unsigned call)
{
	if (call == MPISTATE_CALL_Issend || call == MPISTATE_CALL_Issend_c ||
	    call == MPISTATE_CALL_Ssend_init || call == MPISTATE_CALL_Ssend_init_c)
		race_end(p);
	else
		message(p, e, MPISTATE_EVENT_SEND, e ? e->sends : 0);
}

void race_received(struct mpistate_page *p, const struct mpistate_pair *e)
{
	/* which of those that wait for it has it is not known: it is not behind the last */
	message(p, e, MPISTATE_EVENT_RECV,
		!e			 ? 0
		: e->recvs > e->received ? e->recvs
					 : e->received);
}

void race_acknowledged(struct mpistate_page *p, const struct mpistate_pair *e)
{
	message(p, e, MPISTATE_EVENT_ACK, e ? e->sends : 0);
}

/* Collectives. */

static unsigned order_of(unsigned class)
{
	switch (class) {
	case MPISTATE_FROM:
	case MPISTATE_IFROM:
		return MPISTATE_EVENT_FROM;
	case MPISTATE_TO:
	case MPISTATE_ITO:
		return MPISTATE_EVENT_TO;
	}
	return MPISTATE_EVENT_ALL;
}

static void collective(struct mpistate_page *p, const struct mpistate_object *o, unsigned kind,
		       unsigned class, uint32_t n, int32_t root)
{
	if (o->inter)
		race_end(p);
	else
		event_add(p, (struct mpistate_event){ .kind = kind, .n = n, .size = o->size,
						      .id = o->id, .class = class,
						      .is_root = (uint32_t)root == o->rank });
}

void race_collective(const struct mpi_thread *t, uint32_t n)
{
	const struct mpistate_shape *h = t->shape;
	unsigned order = order_of(h->class);

	collective(t->page, t->object,
		   h->made_request >= 0 ? (unsigned)MPISTATE_EVENT_BEGUN : order, order, n,
		   h->root >= 0 ? (int32_t)t->slot->word[h->root] : -1);
}

void race_collected(const struct mpi_thread *t, const struct mpistate_posted *e)
{
	const struct mpistate_object *o = &t->page->object[e->coll_object - 1];
	struct mpistate_shape h = mpistate_shape(e->call - 1);

	if (o->serial != e->serial)
		race_end(t->page);
	else
		collective(t->page, o, MPISTATE_EVENT_ENDED, order_of(h.class), e->coll_n,
			   h.root >= 0 ? (int32_t)e->word[h.root] : -1);
}

/* Calls that order ranks in ways that are not followed. */
static bool is_strange(unsigned call, const struct mpistate_shape *h)
{
	switch (h->class) {
	case MPISTATE_GROUP:
	case MPISTATE_MRECV:
	case MPISTATE_CANCEL:
		return true;
	case MPISTATE_INIT:
		return h->dest < 0 && h->source < 0;
	case MPISTATE_OTHER:
		return h->win < 0 && h->file < 0;
	}
	return call == MPISTATE_CALL_Win_allocate_shared ||
	       call == MPISTATE_CALL_Intercomm_create || call == MPISTATE_CALL_Intercomm_merge ||
	       call == MPISTATE_CALL_Request_get_status;
}

/* Windows. */

static void on_window(const struct mpi_thread *t, unsigned kind, int32_t rank, uint32_t n)
{
	struct mpistate_event e = { .kind = kind, .n = n, .peer = -1, .id = t->object->id };

	if (rank >= 0)
		e.peer = world_of(t->page, t->object, rank);
	if (e.peer == MPISTATE_UNKNOWN)
		race_end(t->page);
	else
		event_add(t->page, e);
}

static MPI_Group group_of(const struct mpi_thread *t, const mpi_word *arg)
{
	return t->fortran ? GROUP_C(*(const MPI_Fint *)arg[0]) : (MPI_Group)arg[0];
}

#define GROUP_MOST 256

/* One message from or to each rank of a group, which are kept until the epoch's end. */
static struct epoch_group {
	uint64_t id;
	int n;
	int32_t rank[GROUP_MOST];
	uint32_t times[GROUP_MOST]; /* epochs with this rank so far */
} groups[2][MPISTATE_WINDOWS]; /* of MPI_Win_start, of MPI_Win_post */

static struct epoch_group *group_find(unsigned which, uint64_t id)
{
	for (unsigned i = 0; i < MPISTATE_WINDOWS; i++) {
		struct epoch_group *g = &groups[which][i];

		if (!g->id || g->id == id) {
			g->id = id;
			return g;
		}
	}
	return NULL;
}

/* Numbers of epochs between two ranks of one window, by either call. */
static uint32_t *epochs_with(const struct mpi_thread *t, unsigned which, int32_t rank)
{
	static uint32_t count[2][MPISTATE_WINDOWS][GROUP_MOST];
	struct epoch_group *g = group_find(which, t->object->id);

	return g && rank >= 0 && rank < GROUP_MOST ? &count[which][g - groups[which]][rank] : NULL;
}

static void group_begin(const struct mpi_thread *t, const mpi_word *arg, unsigned which)
{
	struct epoch_group *g = group_find(which, t->object->id);
	MPI_Group world, own = group_of(t, arg);
	int n = 0, from[GROUP_MOST];

	if (!g || NEXT(PMPI_Group_size, "PMPI_Group_size")(own, &n) || n > GROUP_MOST ||
	    NEXT(PMPI_Comm_group, "PMPI_Comm_group")(COMM_WORLD, &world)) {
		race_end(t->page);
		return;
	}
	for (int i = 0; i < n; i++)
		from[i] = i;
	g->n = n;
	if (NEXT(PMPI_Group_translate_ranks, "PMPI_Group_translate_ranks")(own, n, from, world,
									    g->rank))
		race_end(t->page);
	NEXT(PMPI_Group_free, "PMPI_Group_free")(&world);
	for (int i = 0; i < n; i++) {
		uint32_t *times = epochs_with(t, which, g->rank[i]);

		if (times)
			g->times[i] = ++*times;
		else
			race_end(t->page);
	}
}

static void group_events(const struct mpi_thread *t, unsigned which, unsigned kind, int32_t tag)
{
	const struct epoch_group *g = group_find(which, t->object->id);

	for (int i = 0; g && i < g->n; i++)
		event_add(t->page, (struct mpistate_event){ .kind = kind, .n = g->times[i],
							    .peer = g->rank[i], .tag = tag,
							    .id = t->object->id });
}

static uint64_t nanoseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t unlock_began;

void race_begin(const struct mpi_thread *t)
{
	if (!goes_on(t->page))
		return;
	atomic_store_explicit(&t->page->race.fresh, 0, memory_order_relaxed);
	if (is_strange(t->call, t->shape))
		race_end(t->page);
	if (!t->object || t->object->what != MPISTATE_WIN)
		return;
	switch (t->call) {
	case MPISTATE_CALL_Win_unlock:
	case MPISTATE_CALL_Win_unlock_all:
		unlock_began = nanoseconds();
		break;
	case MPISTATE_CALL_Win_complete:
		on_window(t, MPISTATE_EVENT_COMPLETE, -1, 0);
		group_events(t, 0, MPISTATE_EVENT_SEND, MPISTATE_TAG_COMPLETE);
		break;
	}
}

static void unlocked(const struct mpi_thread *t, int32_t rank)
{
	struct mpistate_page *p = t->page;
	uint32_t n = now_at(p);

	on_window(t, MPISTATE_EVENT_UNLOCK, rank, 0);
	if (now_at(p) == n)
		return;
	p->race.event[n].begin = unlock_began;
	p->race.event[n].end = nanoseconds();
}

static int64_t long_at(const struct mpi_thread *t, const mpi_word *arg, unsigned at)
{
	return t->fortran ? *(const MPI_Aint *)arg[at] : (int64_t)arg[at];
}

static int int_at(const struct mpi_thread *t, const mpi_word *arg, unsigned at)
{
	return t->fortran ? *(const int *)arg[at] : (int)arg[at];
}

/* Its memory, from the arguments: the attribute is not the same everywhere. */
static void put_memory(const struct mpi_thread *t, const mpi_word *arg, struct mpistate_window *w)
{
	bool made = t->call == MPISTATE_CALL_Win_create;
	int64_t size;
	int unit;

	if (!made && t->call != MPISTATE_CALL_Win_allocate)
		return;
	size = long_at(t, arg, made ? 1 : 0);
	unit = int_at(t, arg, made ? 2 : 1);
	w->base = made ? arg[0] : *(const uintptr_t *)arg[4];
	w->size = size > 0 ? (uint64_t)size : 0;
	w->unit = unit > 0 ? (uint32_t)unit : 1;
}

/* The program's accesses to it are to an object, as to what it allocates itself. */
static void memory_made(const struct mpi_thread *t, const mpi_word *arg)
{
	int64_t size;

	if (t->call == MPISTATE_CALL_Win_create && moved_on() && dvmdbg_mpi_window)
		dvmdbg_mpi_window((const void *)arg[0], (unsigned long)long_at(t, arg, 1));
	if (!dvmdbg_mpi_memory ||
	    (t->call != MPISTATE_CALL_Win_allocate && t->call != MPISTATE_CALL_Win_allocate_shared))
		return;
	size = long_at(t, arg, 0);
	if (size > 0)
		dvmdbg_mpi_memory(*(void *const *)arg[4], (unsigned long)size,
				  (const void *)(uintptr_t)t->slot->pc);
}

static void window_made(const struct mpi_thread *t, const mpi_word *arg)
{
	struct mpistate_page *p = t->page;
	const void *at = (const void *)arg[t->shape->made_win];
	struct mpistate_object *o = objects_find(p, MPISTATE_WIN, t->fortran,
						 objects_handle_at(MPISTATE_WIN, t->fortran, at));
	struct mpistate_window w = { .unit = 1, .call = t->call + 1, .pc = t->slot->pc };
	uint32_t n = atomic_load_explicit(&p->race.nwindow, memory_order_relaxed);

	if (!o || o->inter || o->size != p->object[0].size || o->size < 2)
		return;
	if (!atomic_exchange(&p->race.on, 1))
		state_changed();
	if (n >= MPISTATE_WINDOWS || !goes_on(p)) {
		race_end(p);
		return;
	}
	w.id = o->id;
	put_memory(t, arg, &w);
	p->race.window[n] = w;
	atomic_store(&p->race.nwindow, n + 1);
	atomic_store_explicit(&p->race.fresh, 1, memory_order_relaxed);
	if (dvmdbg_mpi_pending_changed)
		dvmdbg_mpi_pending_changed();
}

/* Its memory is the program's own again. */
static void window_gone(struct mpistate_page *p, uint64_t id)
{
	uint32_t n = atomic_load_explicit(&p->race.nwindow, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++)
		if (p->race.window[i].id == id) {
			atomic_store(&p->race.window[i].gone, 1);
			if (dvmdbg_mpi_memory &&
			    p->race.window[i].call == MPISTATE_CALL_Win_allocate + 1)
				dvmdbg_mpi_memory((const void *)(uintptr_t)p->race.window[i].base,
						  0, NULL);
		}
	if (dvmdbg_mpi_pending_changed)
		dvmdbg_mpi_pending_changed();
}

static void test_ended(const struct mpi_thread *t, const mpi_word *arg)
{
	if (*(const int *)arg[t->shape->flag])
		group_events(t, 1, MPISTATE_EVENT_RECV, MPISTATE_TAG_COMPLETE);
}

void race_ended(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	int32_t rank = h->dest >= 0 ? (int32_t)t->slot->word[h->dest] : -1;

	if (h->made_win >= 0) {
		memory_made(t, arg);
		window_made(t, arg);
	}
	if (!race_is_on(t->page) || !t->object || t->object->what != MPISTATE_WIN)
		return;
	switch (t->call) {
	case MPISTATE_CALL_Win_free:
		window_gone(t->page, t->object->id);
		break;
	case MPISTATE_CALL_Win_lock: {
		int how = t->fortran ? *(const int *)arg[0] : (int)arg[0];

		on_window(t, MPISTATE_EVENT_LOCK, rank, how == MPI_LOCK_EXCLUSIVE);
		break;
	}
	case MPISTATE_CALL_Win_lock_all:
		on_window(t, MPISTATE_EVENT_LOCK, -1, 0);
		break;
	case MPISTATE_CALL_Win_unlock:
	case MPISTATE_CALL_Win_unlock_all:
		unlocked(t, rank);
		break;
	case MPISTATE_CALL_Win_flush:
	case MPISTATE_CALL_Win_flush_all:
		on_window(t, MPISTATE_EVENT_FLUSH, rank, 0);
		break;
	case MPISTATE_CALL_Win_sync:
		on_window(t, MPISTATE_EVENT_SYNC, -1, 0);
		break;
	case MPISTATE_CALL_Win_start:
		group_begin(t, arg, 0);
		group_events(t, 0, MPISTATE_EVENT_RECV, MPISTATE_TAG_POST);
		break;
	case MPISTATE_CALL_Win_post:
		group_begin(t, arg, 1);
		group_events(t, 1, MPISTATE_EVENT_SEND, MPISTATE_TAG_POST);
		break;
	case MPISTATE_CALL_Win_wait:
		group_events(t, 1, MPISTATE_EVENT_RECV, MPISTATE_TAG_COMPLETE);
		break;
	case MPISTATE_CALL_Win_test:
		test_ended(t, arg);
		break;
	}
}

/* Accesses. */

/* Where the arguments of one-sided accesses are, the target's; -1: it has none. */
static const struct target {
	uint16_t call;
	uint8_t kind, disp;
	int8_t count, type, op;
	bool gives;
} targets[] = {
	{ MPISTATE_CALL_Put, MPISTATE_WRITE, 4, 5, 6, -1, false },
	{ MPISTATE_CALL_Rput, MPISTATE_WRITE, 4, 5, 6, -1, false },
	{ MPISTATE_CALL_Get, MPISTATE_READ, 4, 5, 6, -1, false },
	{ MPISTATE_CALL_Rget, MPISTATE_READ, 4, 5, 6, -1, false },
	{ MPISTATE_CALL_Accumulate, MPISTATE_ATOMIC, 4, 5, 6, 7, false },
	{ MPISTATE_CALL_Raccumulate, MPISTATE_ATOMIC, 4, 5, 6, 7, false },
	{ MPISTATE_CALL_Get_accumulate, MPISTATE_ATOMIC, 7, 8, 9, 10, true },
	{ MPISTATE_CALL_Rget_accumulate, MPISTATE_ATOMIC, 7, 8, 9, 10, true },
	{ MPISTATE_CALL_Fetch_and_op, MPISTATE_ATOMIC, 4, -1, 2, 5, true },
	{ MPISTATE_CALL_Compare_and_swap, MPISTATE_ATOMIC, 5, -1, 3, -1, true },
};

static struct mpistate_access *access_room(struct mpistate_page *p, uint32_t *n)
{
	*n = atomic_load_explicit(&p->race.naccess, memory_order_relaxed);
	return goes_on(p) && *n < MPISTATE_ACCESSES ? &p->race.access[*n] : NULL;
}

static const struct handle *type_of(const struct mpi_thread *t, const mpi_word *arg, int at)
{
	uint64_t word = t->fortran ? (uint64_t)*(const uint32_t *)arg[at] : arg[at];

	return handles_find(HANDLE_TYPE, t->fortran, word);
}

static uint32_t op_of(const struct mpi_thread *t, const mpi_word *arg, int at)
{
	uint64_t word = t->fortran ? (uint64_t)*(const uint32_t *)arg[at] : arg[at];
	const struct handle *h = handles_find(HANDLE_OP, t->fortran, word);

	if (!h)
		return MPISTATE_GIVEN_ANY_OP;
	return h->predefined ? handles_base(h) & 0xff : MPISTATE_GIVEN_USER_OP;
}

static bool is_no_op(const struct mpi_thread *t, const mpi_word *arg, int at)
{
	uint64_t word = t->fortran ? (uint64_t)*(const uint32_t *)arg[at] : arg[at];
	const struct handle *h = handles_find(HANDLE_OP, t->fortran, word);

	return h && h->predefined && !strcmp(h->name, "MPI_NO_OP");
}

static bool window_is_kept(const struct mpistate_page *p, uint64_t id)
{
	for (uint32_t i = 0; i < atomic_load_explicit(&p->race.nwindow, memory_order_relaxed); i++)
		if (p->race.window[i].id == id)
			return true;
	return false;
}

static void keep_pieces(const struct mpi_thread *t, struct mpistate_access a,
			const struct handle *type, int64_t count)
{
	struct mpistate_piece piece[BLOCKS_MOST];
	unsigned n = blocks_of(type, count, piece);

	for (unsigned i = 0; i < n; i++) {
		uint32_t at;
		struct mpistate_access *to = access_room(t->page, &at);

		if (!to)
			return;
		a.piece = piece[i];
		*to = a;
		atomic_store_explicit(&t->page->race.naccess, at + 1, memory_order_release);
	}
}

void race_access(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct target *x = NULL;
	struct mpistate_access a = { .id = t->object->id, .pc = t->slot->pc,
				     .begin = now_at(t->page), .end = MPISTATE_NOT_ENDED,
				     .call = t->call + 1 };
	const struct handle *type;
	int64_t count;

	for (unsigned i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		if (targets[i].call == t->call)
			x = &targets[i];
	if (!x || !race_is_on(t->page) || !window_is_kept(t->page, t->object->id))
		return;
	type = type_of(t, arg, x->type);
	count = x->count < 0 ? 1 :
		t->fortran   ? *(const int32_t *)arg[x->count] :
			       (int32_t)arg[x->count];
	a.disp = t->fortran ? *(const int64_t *)arg[x->disp] : (int64_t)arg[x->disp];
	a.target = world_of(t->page, t->object, (int32_t)t->slot->word[t->shape->dest]);
	a.kind = x->kind;
	a.gives = x->gives;
	a.op = x->op < 0 ? MPISTATE_GIVEN_ANY_OP : op_of(t, arg, x->op);
	a.base = handles_base(type);
	if (x->op >= 0 && is_no_op(t, arg, x->op))
		a.kind = MPISTATE_ATOMIC_READ;
	if (a.target >= 0)
		keep_pieces(t, a, type, count);
}

uint32_t race_own(const struct mpi_thread *t, const struct mpistate_piece *piece, bool writes,
		  bool pending)
{
	struct mpistate_page *p = t->page;
	uint32_t at, n = atomic_load_explicit(&p->race.nwindow, memory_order_relaxed);

	for (uint32_t i = 0; i < n && race_is_on(p); i++) {
		const struct mpistate_window *w = &p->race.window[i];
		struct mpistate_access *to;

		if (w->gone || piece->lo < (int64_t)w->base ||
		    mpistate_piece_end(piece) > (int64_t)(w->base + w->size))
			continue;
		to = access_room(p, &at);
		if (!to)
			return 0;
		*to = (struct mpistate_access){ .id = w->id, .pc = t->slot->pc, .piece = *piece,
						.begin = now_at(p), .target = MPISTATE_OWN,
						.call = t->call + 1,
						.kind = writes ? MPISTATE_WRITE : MPISTATE_READ };
		to->piece.lo -= (int64_t)w->base;
		to->end = pending ? MPISTATE_NOT_ENDED : to->begin;
		atomic_store_explicit(&p->race.naccess, at + 1, memory_order_release);
		return at + 1;
	}
	return 0;
}

void race_own_ended(struct mpistate_page *p, uint32_t number)
{
	struct mpistate_access *a;
	uint32_t now = now_at(p);

	if (!number || number > MPISTATE_ACCESSES)
		return;
	/* by the newest event, which may be a little early */
	a = &p->race.access[number - 1];
	a->end = now > a->begin ? now - 1 : a->begin;
}
