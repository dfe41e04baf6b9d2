/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps in the shared page what each thread does in MPI. A thread writes its own slot; requests and
 * numbers of messages are found by hashing, without locks: two threads that use one entry at a time
 * make the entry wrong, and nothing else.
 */
#include "runtime/mpi/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/mpi_table.h"
#include "runtime/mpi/race.h"

__thread struct mpi_thread state_self __attribute__((tls_model("initial-exec")));
_Atomic uint32_t state_epoch;
#define MESSAGE_WORDS 7 /* of a message that is known */
static struct mpistate_shape shape[MPISTATE_CALLS];
static uint32_t deref[MPISTATE_CALLS]; /* a bit for each argument that is a number in C */
static pthread_key_t leaving;
static _Atomic uint32_t stamp;
static bool synchronous; /* SENDS: nobody leaves a call before the others have come */

static void about_init(unsigned call);

static void thread_leaves(void *slot)
{
	atomic_store(&((struct mpistate_slot *)slot)->tid, 0);
	free(state_self.before);
	state_self.before = NULL;
	state_self.room = 0;
	free(state_self.known);
	state_self.known = NULL;
	free(state_self.polls);
	state_self.polls = NULL;
}

__attribute__((constructor)) static void state_init(void)
{
	for (unsigned i = 0; i < MPISTATE_CALLS; i++) {
		const char *args = mpistate_call_args(i);

		shape[i] = mpistate_shape(i);
		about_init(i);
		for (unsigned k = 0; args[k]; k++)
			for (const char *l = "ntdsgcrokhvNxXY"; *l; l++)
				deref[i] |= args[k] == *l ? 1u << k : 0;
	}
	pthread_key_create(&leaving, thread_leaves);
	synchronous = getenv("DVMDBG_SENDS") && *getenv("DVMDBG_SENDS");
}

/* This thread's slot; NULL: there are no more. */
static struct mpistate_slot *slot_take(struct mpistate_page *p)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);

	for (unsigned i = 0; i < MPISTATE_THREADS; i++) {
		uint32_t none = 0;

		if (atomic_load_explicit(&p->slot[i].tid, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&p->slot[i].tid, &none, tid))
			continue;
		pthread_setspecific(leaving, &p->slot[i]);
		return &p->slot[i];
	}
	return NULL;
}

/* A forked child has no page. */
static bool have_slot(struct mpi_thread *t, const void *pc)
{
	struct mpistate_page *p = dvmdbg_mpi_page ? dvmdbg_mpi_page() : NULL;

	if (!p || !atomic_load_explicit(&p->on, memory_order_relaxed))
		return false;
	if (t->page != p) {
		t->page = p;
		t->slot = slot_take(p);
		check_thread(t, pc);
	}
	if (!t->slot)
		atomic_fetch_add_explicit(&p->lost, 1, memory_order_relaxed);
	return t->slot;
}

static int32_t number(const struct mpistate_slot *s, int8_t at)
{
	return at < 0 ? 0 : (int32_t)s->word[at];
}

/* A rank or a tag, with our numbers for MPI's. */
static int32_t peer_of(const struct mpistate_numbers *n, int32_t peer)
{
	return peer == n->any_source ? MPISTATE_ANY : peer == n->proc_null ? MPISTATE_NULL : peer;
}

static int32_t tag_of(const struct mpistate_numbers *n, int32_t tag)
{
	return tag == n->any_tag ? MPISTATE_ANY : tag;
}

/* A rank of o in MPI_COMM_WORLD. */
static int32_t world_of(const struct mpistate_page *p, const struct mpistate_object *o,
			int32_t rank)
{
	if (rank < 0 || (uint32_t)rank >= o->size)
		return MPISTATE_UNKNOWN;
	if (o->world)
		return rank;
	return o->members ? p->members[o->members + (uint32_t)rank] : MPISTATE_UNKNOWN;
}

struct mpistate_pair *state_pair(struct mpistate_page *p, const struct mpistate_object *o,
				 int32_t peer, int32_t tag)
{
	uint32_t serial = o->serial, at = mpistate_pair_at(serial, peer, tag);

	for (unsigned i = 0; i < MPISTATE_PROBES; i++) {
		struct mpistate_pair *e = &p->pair[(at + i) & (MPISTATE_PAIRS - 1)];
		uint32_t none = 0;

		if (atomic_load_explicit(&e->serial, memory_order_relaxed) == serial) {
			if (e->peer == peer && e->tag == tag)
				return e;
		} else if (atomic_compare_exchange_strong(&e->serial, &none, serial)) {
			e->peer = peer;
			e->tag = tag;
			e->world = world_of(p, o, peer);
			e->id = o->inter || e->world < 0 ? 0 : o->id;
			return e;
		}
	}
	atomic_fetch_add_explicit(&p->pairs_lost, 1, memory_order_relaxed);
	return NULL;
}

static void count_send(struct mpi_thread *t, const struct mpistate_shape *h, unsigned call,
		       const uint64_t *word, uint64_t pc, const struct mpistate_object *o)
{
	int32_t peer = peer_of(&t->page->numbers, (int32_t)word[h->dest]);
	struct mpistate_pair *e;

	if (peer == MPISTATE_NULL)
		return;
	e = state_pair(t->page, o, peer, (int32_t)word[h->dest_tag]);
	if (!e)
		return;
	e->sends++;
	e->call = call + 1;
	e->count = (uint32_t)word[h->count];
	e->type = word[h->type];
	e->pc = pc;
	agree_sent(e, agree_base(t, h->count, h->type, word), pc, call);
	if (race_is_on(t->page))
		race_sent(t->page, e, call);
}

static void count_recv(struct mpi_thread *t, const struct mpistate_shape *h, const uint64_t *word,
		       const struct mpistate_object *o)
{
	int32_t peer = peer_of(&t->page->numbers, (int32_t)word[h->source]);
	struct mpistate_pair *e;

	if (peer == MPISTATE_NULL)
		return;
	e = state_pair(t->page, o, peer,
		       tag_of(&t->page->numbers, (int32_t)word[h->source_tag]));
	if (e)
		e->recvs++;
}

/* Messages of a call, or of a request that is started. */
static void count_messages(struct mpi_thread *t, unsigned call, const uint64_t *word, uint64_t pc,
			   const struct mpistate_object *o)
{
	const struct mpistate_shape *h = &shape[call];

	if (!o || h->comm < 0)
		return;
	if (h->dest >= 0 && h->dest_tag >= 0)
		count_send(t, h, call, word, pc, o);
	if (h->source >= 0 && h->source_tag >= 0)
		count_recv(t, h, word, o);
}

/* Receives that have taken, or may yet take, messages of which nothing is known. */
static void count_blind(struct mpistate_page *p, uint32_t n)
{
	atomic_fetch_add_explicit(&p->blind, n, memory_order_relaxed);
}

/*
 * A receive has ended with its message, of data of that base. Those of any source or tag are
 * followed where there is a status of C.
 */
static void count_received(struct mpi_thread *t, unsigned call, const uint64_t *word, uint64_t pc,
			   const struct mpistate_object *o, uint32_t base,
			   struct mpi_status status)
{
	const struct mpistate_shape *h = &shape[call];
	const struct mpistate_numbers *n = &t->page->numbers;
	int32_t source = (int32_t)word[h->source], tag = (int32_t)word[h->source_tag];
	struct mpistate_pair *e;

	if (source == n->proc_null)
		return;
	if (!o || ((source == n->any_source || tag == n->any_tag) &&
		   (!status.list || t->fortran ||
		    !objects_status(status.list, status.i, &source, &tag)))) {
		count_blind(t->page, 1);
		if (race_is_on(t->page))
			race_received(t->page, NULL);
		return;
	}
	e = state_pair(t->page, o, source, tag);
	if (e)
		agree_received(e, base, pc, call);
	/* of too many kinds */
	if (e && !e->id && !o->inter)
		atomic_store_explicit(&t->page->failed, 1, memory_order_relaxed);
	if (race_is_on(t->page))
		race_received(t->page, e);
}

static struct mpistate_posted *posted_find(struct mpistate_page *p, uint64_t key)
{
	uint32_t at = mpistate_posted_at(key);

	for (unsigned i = 0; i < MPISTATE_PROBES; i++) {
		struct mpistate_posted *e = &p->posted[(at + i) & (MPISTATE_POSTED - 1)];

		if (atomic_load_explicit(&e->key, memory_order_relaxed) == key)
			return e;
	}
	return NULL;
}

/* Where that request may be kept: the place of one that is complete, or else of the oldest. */
static struct mpistate_posted *posted_room(struct mpistate_page *p, uint64_t key)
{
	uint32_t at = mpistate_posted_at(key);
	struct mpistate_posted *best = posted_find(p, key);
	bool best_done = false;

	for (unsigned i = 0; !best && i < MPISTATE_PROBES; i++) {
		struct mpistate_posted *e = &p->posted[(at + i) & (MPISTATE_POSTED - 1)];

		if (!atomic_load_explicit(&e->key, memory_order_relaxed))
			return e;
	}
	for (unsigned i = 0; (!best || best->key != key) && i < MPISTATE_PROBES; i++) {
		struct mpistate_posted *e = &p->posted[(at + i) & (MPISTATE_POSTED - 1)];
		bool done = !e->active && !e->persistent;

		if (best && (done < best_done ||
			     (done == best_done && (int32_t)(e->stamp - best->stamp) > 0)))
			continue;
		best = e;
		best_done = done;
	}
	if (best->key != key && !best_done)
		atomic_store_explicit(&p->posted_lost, 1, memory_order_relaxed);
	return best;
}

static uint64_t key_of(bool fortran, uint64_t request)
{
	return fortran ? request | MPISTATE_FORTRAN_KEY : request;
}

const struct mpistate_shape *state_shape(unsigned call)
{
	return &shape[call];
}

struct mpistate_posted *state_request(const struct mpi_thread *t, uint64_t request)
{
	return posted_find(t->page, key_of(t->fortran, request));
}

/* Of messages that are known: from whom they come. */
static struct mpistate_pair *_Atomic sender[MPISTATE_POSTED];

void state_posted(struct mpi_thread *t, const void *at, const mpi_word *arg,
		  const struct mpi_known *k)
{
	const struct mpistate_slot *s = t->slot;
	uint64_t key = key_of(t->fortran, objects_request_at(t->fortran, at, 0));
	struct mpistate_posted *first = &t->page->posted[mpistate_posted_at(key)];
	struct mpistate_posted *e =
		atomic_load_explicit(&first->key, memory_order_relaxed) == key ?
			first : posted_room(t->page, key);
	uint32_t active = e->key == key && !e->persistent ? e->active : 0;

	atomic_store_explicit(&e->key, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	e->call = t->call + 1;
	e->stamp = atomic_load_explicit(&stamp, memory_order_relaxed) + 1;
	atomic_store_explicit(&stamp, e->stamp, memory_order_relaxed);
	e->pc = s->pc;
	e->fortran = t->fortran;
	e->coll_object = s->coll_object;
	e->coll_n = s->coll_n;
	e->persistent = t->shape->class == MPISTATE_INIT;
	/* what is written here is there before key is: no store needs an order of its own */
	atomic_store_explicit(&e->active, e->persistent ? 0 : active + 1, memory_order_relaxed);
	e->starts = e->overwritten = 0;
	e->at = (uintptr_t)at;
	/* with fixed sizes these are a few instructions */
	if (k)
		memcpy(e->word, s->word, MESSAGE_WORDS * sizeof(*e->word));
	else
		memcpy(e->word, s->word, sizeof(e->word));
	e->serial = k ? k->pair->serial : t->object ? t->object->serial : 0;
	e->base = t->shape->source_tag < 0 ? 0
		  : k			   ? k->base
		      : agree_base(t, t->shape->recv_count, t->shape->recv_type, s->word);
	atomic_store_explicit(&sender[e - t->page->posted],
			      k && t->shape->source_tag >= 0 ? k->pair : NULL,
			      memory_order_relaxed);
	atomic_store_explicit(&e->key, key, memory_order_release);
	if (t->shape->class == MPISTATE_POST)
		check_posted(t, e, t->shape,
			     k ? (uint64_t)k->bytes * (uint32_t)s->word[1] :
				 check_bytes(t, t->shape->count, t->shape->type, s->word));
	if (!e->persistent)
		buffers_posted(t, e, arg, k);
}

/* The message of a receive has come, of one that is known from there. */
static void count_from(struct mpi_thread *t, struct mpistate_pair *from,
		       const struct mpistate_posted *e)
{
	bool followed = from->id;

	agree_received(from, e->base, e->pc, e->call - 1);
	if (followed && !from->id)
		atomic_store_explicit(&t->page->failed, 1, memory_order_relaxed);
	if (race_is_on(t->page))
		race_received(t->page, from);
}

static void count_done(struct mpi_thread *t, const struct mpistate_posted *e,
		       struct mpi_status status)
{
	const struct mpistate_shape *h = &shape[e->call - 1];
	struct mpistate_object *o;

	if (h->comm < 0 || h->source < 0 || h->source_tag < 0)
		return;
	if (t->call == MPISTATE_CALL_Request_free) {
		count_blind(t->page, 1);
		return;
	}
	o = objects_find(t->page, MPISTATE_COMM, t->fortran,
			 objects_handle(MPISTATE_COMM, t->fortran, e->word[h->comm]));
	count_received(t, e->call - 1, e->word, e->pc, o && o->serial == e->serial ? o : NULL,
		       e->base, status);
}

/* A request is complete: one that can be started again is inactive then. */
void state_done(struct mpi_thread *t, struct mpistate_posted *e, struct mpi_status status)
{
	struct mpistate_pair *from;

	if (!e || !e->active)
		return;
	/* that of its thread alone, as the whole entry is */
	atomic_store_explicit(&e->active, e->active - 1, memory_order_relaxed);
	check_completed(t, e);
	from = atomic_load_explicit(&sender[e - t->page->posted], memory_order_relaxed);
	if (race_is_on(t->page) && e->coll_object)
		race_collected(t, e);
	if (from && t->call != MPISTATE_CALL_Request_free)
		count_from(t, from, e);
	else
		count_done(t, e, status);
	if (buffers_pending)
		buffers_completed(t, e);
}

/* Receives that are under way when MPI_Finalize is called: they may have their messages. */
static void count_left(struct mpistate_page *p)
{
	for (unsigned i = 0; i < MPISTATE_POSTED; i++) {
		const struct mpistate_posted *e = &p->posted[i];

		if (e->key && e->call && e->call <= MPISTATE_CALLS &&
		    shape[e->call - 1].source_tag >= 0)
			count_blind(p, e->active);
	}
}

/* The handles that the call was given, as it may set them to MPI_REQUEST_NULL. */
static void keep_requests(struct mpi_thread *t, const void *at, int32_t n)
{
	t->n = 0;
	if (n > 0 && (uint32_t)n > t->room) {
		uint32_t room = (uint32_t)n > MPISTATE_REQUESTS ? (uint32_t)n : MPISTATE_REQUESTS;
		uint64_t *more = realloc(t->before, room * sizeof(*more));

		if (!more)
			return;
		t->before = more;
		t->room = room;
	}
	for (int32_t i = 0; i < n; i++)
		t->before[t->n++] = objects_request_at(t->fortran, at, (size_t)i);
}

static const void *requests_of(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;

	return (const void *)(h->requests >= 0 ? arg[h->requests] : arg[h->request]);
}

/* Of a call that completes one of several: whether it is the i-th. */
static bool is_chosen(const struct mpi_thread *t, const mpi_word *arg, uint32_t i)
{
	const int32_t *out = NULL;
	int32_t base = t->fortran, n = 1;

	switch (t->call) {
	case MPISTATE_CALL_Waitany:
	case MPISTATE_CALL_Testany:
		out = (const int32_t *)arg[2];
		break;
	case MPISTATE_CALL_Waitsome:
	case MPISTATE_CALL_Testsome:
		n = *(const int32_t *)arg[2];
		out = (const int32_t *)arg[3];
		break;
	}
	for (int32_t k = 0; out && k < n; k++)
		if (out[k] - base == (int32_t)i)
			return true;
	return false;
}

/* Of the i-th request that the call has completed. */
static struct mpi_status status_of(const struct mpi_thread *t, const mpi_word *arg, uint32_t i)
{
	switch (t->call) {
	case MPISTATE_CALL_Wait:
		return (struct mpi_status){ (const void *)arg[1], 0 };
	case MPISTATE_CALL_Test:
		return (struct mpi_status){ (const void *)arg[2], 0 };
	case MPISTATE_CALL_Waitall:
		return (struct mpi_status){ (const void *)arg[2], i };
	case MPISTATE_CALL_Testall:
		return (struct mpi_status){ (const void *)arg[3], i };
	case MPISTATE_CALL_Waitany:
		return (struct mpi_status){ (const void *)arg[3], 0 };
	case MPISTATE_CALL_Testany:
		return (struct mpi_status){ (const void *)arg[4], 0 };
	}
	return (struct mpi_status){ NULL, 0 };
}

/* A blocking receive has ended. */
static void end_receive(struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	const struct mpistate_slot *s = t->slot;

	count_received(t, t->call, s->word, s->pc, t->object,
		       agree_base(t, h->recv_count, h->recv_type, s->word),
		       (struct mpi_status){ (const void *)arg[h->words - 1], 0 });
}

/* Those that the call has completed: it has returned without an error. */
static void end_requests(struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	const void *at = requests_of(t, arg);
	bool some = h->class == MPISTATE_WAITANY || h->class == MPISTATE_TESTANY;
	bool none = h->flag >= 0 && *(const int *)arg[h->flag] <= 0;

	for (uint32_t i = 0; i < t->n && !none; i++) {
		uint64_t request = t->before[i];
		struct mpistate_posted *e;

		if (objects_is_null(t->page, t->fortran, request))
			continue;
		if (some && objects_request_at(t->fortran, at, i) == request &&
		    !is_chosen(t, arg, i))
			continue;
		e = state_request(t, request);
		if (e && t->call == MPISTATE_CALL_Request_free)
			e->persistent = 0;
		state_done(t, e, status_of(t, arg, i));
	}
}

/* What persistent collectives wait for: that the others have started them as often. */
static void count_started(struct mpi_thread *t, const struct mpistate_posted *e)
{
	const struct mpistate_object *o = &t->page->object[e->coll_object - 1];
	struct mpistate_pair *pair = NULL;

	if (o->serial == e->serial)
		pair = state_pair(t->page, o, MPISTATE_ANY, MPISTATE_TAG_STARTED(e->coll_n));
	if (pair)
		pair->sends++;
}

/* Requests that are started again send and receive again. */
static void started(struct mpi_thread *t, uint64_t request)
{
	struct mpistate_posted *e = state_request(t, request);
	const struct mpistate_shape *h;

	if (!e || !e->call || e->call > MPISTATE_CALLS)
		return;
	atomic_store_explicit(&e->active, 1, memory_order_relaxed);
	e->starts++;
	h = &shape[e->call - 1];
	check_posted(t, e, h, check_bytes(t, h->count, h->type, e->word));
	buffers_posted(t, e, NULL, NULL);
	if (e->coll_object)
		count_started(t, e);
	else if (h->comm >= 0)
		count_messages(t, e->call - 1, e->word, e->pc,
			       objects_find(t->page, MPISTATE_COMM, t->fortran,
					    objects_handle(MPISTATE_COMM, t->fortran,
							   e->word[h->comm])));
}

/* The requests of a call. */
static void put_requests(struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	struct mpistate_slot *s = t->slot;
	const void *at = (const void *)(h->requests >= 0 ? arg[h->requests] :
					h->request >= 0	 ? arg[h->request] :
							   (mpi_word)&s->word[h->value]);
	int32_t n = h->requests >= 0 ? number(s, h->number) : 1;

	keep_requests(t, at, n);
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t request = t->before[i];

		if (objects_is_null(t->page, t->fortran, request))
			continue;
		if (s->nrequest < MPISTATE_REQUESTS)
			s->request[s->nrequest++] = request;
		s->all_requests++;
	}
}

/* The number among the collectives of its communicator, window or file. */
static void put_collective(struct mpi_thread *t, const mpi_word *arg)
{
	struct mpistate_slot *s = t->slot;
	struct mpistate_object *o = t->object;
	uint32_t n = atomic_load_explicit(&o->begun_n, memory_order_relaxed) + 1;
	struct mpistate_begun *b = &o->begun[n & (MPISTATE_RECENT - 1)];
	int8_t result = mpistate_call_result(t->call);

	b->call = t->call + 1;
	b->root = t->shape->root >= 0 ? mpistate_root(&t->page->numbers, o->inter,
						      number(s, t->shape->root)) :
					-1;
	b->pc = s->pc;
	b->main = 0;
	b->object = result >= 0 && dvmdbg_mpi_object ?
			    dvmdbg_mpi_object((const void *)(mpi_word)s->word[result], &b->main) :
			    0;
	atomic_store_explicit(&o->begun_n, n, memory_order_release);
	s->coll_object = (uint32_t)(o - t->page->object) + 1;
	s->coll_n = n;
	agree_collective(t, arg, n);
	if (race_is_on(t->page))
		race_collective(t, n);
}

/* What a call is about: the argument with its handle, or the address of that of one that ends. */
static struct about {
	int8_t at; /* -1: nothing */
	uint8_t what;
	bool ends;
} about[MPISTATE_CALLS];

static void about_init(unsigned call)
{
	const struct mpistate_shape *h = &shape[call];
	const int8_t given[] = { h->comm, h->win, h->file };
	const int8_t ends[] = { h->ends_comm, h->ends_win, h->ends_file };

	about[call].at = -1;
	for (unsigned i = MPISTATE_WHATS; i--;)
		if (ends[i] >= 0 || given[i] >= 0)
			about[call] = (struct about){ ends[i] >= 0 ? ends[i] : given[i], (uint8_t)i,
						      ends[i] >= 0 };
}

/* Whether it is the object of the call before, as it mostly is. */
static bool is_object(const struct mpistate_object *o, unsigned what, bool fortran, uint64_t handle)
{
	return o && atomic_load_explicit(&o->serial, memory_order_relaxed) && o->what == what &&
	       (fortran ? (uint64_t)o->fortran : o->handle) == handle;
}

static void find_object(struct mpi_thread *t, const mpi_word *arg)
{
	const struct about *a = &about[t->call];
	uint64_t handle;

	t->object = NULL;
	if (a->at < 0)
		return;
	if (a->ends) {
		handle = objects_handle_at(a->what, t->fortran, (const void *)arg[a->at]);
		t->slot->word[a->at] = handle;
	} else {
		handle = objects_handle(a->what, t->fortran, t->slot->word[a->at]);
	}
	if (!is_object(t->newest, a->what, t->fortran, handle))
		t->newest = objects_find(t->page, a->what, t->fortran, handle);
	t->object = t->newest;
}

/* Numbers, of which Fortran gives the addresses. */
static void put_words(struct mpi_thread *t, const mpi_word *arg)
{
	uint64_t *word = t->slot->word;

	for (unsigned i = 0; i < t->shape->words; i++)
		word[i] = arg[i];
	for (uint32_t m = t->fortran ? deref[t->call] : 0; m; m &= m - 1) {
		const int32_t *at = (const int32_t *)arg[__builtin_ctz(m)];

		word[__builtin_ctz(m)] = at ? (uint64_t)(int64_t)*at : 0;
	}
}

/* The calls that follow come from the same file, mostly. */
static void see_module(struct mpi_thread *t, uint64_t pc)
{
	agree_module(t->page, pc);
	t->code = t->code_size = 0;
	for (unsigned i = 0; i < MPISTATE_MODULES && !t->code_size; i++) {
		const struct mpistate_module *m = &t->page->module[i];

		if (!m->there || pc < m->lo || pc >= m->hi)
			continue;
		t->code = m->lo;
		t->code_size = m->hi - m->lo;
	}
}

static void record(struct mpi_thread *t, const mpi_word *arg, const void *pc)
{
	struct mpistate_slot *s = t->slot;
	unsigned class = t->shape->class;

	slot_change(s);
	s->call = t->call + 1;
	s->fortran = t->fortran;
	s->pc = (uintptr_t)pc;
	s->nrequest = s->all_requests = s->coll_object = 0;
	put_words(t, arg);
	if (__builtin_expect(s->pc - t->code >= t->code_size, 0))
		see_module(t, s->pc);
	find_object(t, arg);
	if (t->shape->request >= 0 || t->shape->requests >= 0 || t->shape->value >= 0)
		put_requests(t, arg);
	if ((mpistate_is_collective(class) || mpistate_makes_collective(t->call)) && t->object)
		put_collective(t, arg);
	if (class <= MPISTATE_POST)
		count_messages(t, t->call, s->word, s->pc, t->object);
	slot_changed(s);
	check_begin(t, arg);
	if (moved_on())
		buffers_moved(t, arg, false);
	for (uint32_t i = 0; class == MPISTATE_START && i < t->n; i++)
		started(t, t->before[i]);
}

/*
 * Collective calls on MPI_COMM_WORLD are numbered points when the user wants them (POINTS): all
 * ranks call them in one order, so they count alike, as constructs that are announced do.
 */

/* Where a call puts what all ranks receive alike: its argument. */
static const struct {
	unsigned call, argument;
} results[] = {
	{ MPISTATE_CALL_Bcast, 0 },	 { MPISTATE_CALL_Bcast_c, 0 },
	{ MPISTATE_CALL_Allreduce, 1 },	 { MPISTATE_CALL_Allreduce_c, 1 },
	{ MPISTATE_CALL_Allgather, 3 },	 { MPISTATE_CALL_Allgather_c, 3 },
	{ MPISTATE_CALL_Allgatherv, 3 }, { MPISTATE_CALL_Allgatherv_c, 3 },
};

static const void *result_of(unsigned call, const mpi_word *arg)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].call == call)
			return (const void *)arg[results[i].argument];
	return NULL;
}

/* The communicator that comes first is MPI_COMM_WORLD (objects_begin). */
static bool is_world(struct mpistate_page *p, bool fortran, mpi_word arg)
{
	uint64_t word = fortran ? (uint64_t)(int64_t)*(const int32_t *)arg : arg;

	return objects_find(p, MPISTATE_COMM, fortran,
			    objects_handle(MPISTATE_COMM, fortran, word)) == &p->object[0];
}

/* What to end the call's point with, 0: it is none. */
static unsigned point_begin(const struct mpi_thread *t, const mpi_word *arg, const void *pc)
{
	if (!mpistate_is_collective(t->shape->class) || t->shape->comm < 0 || !dvmdbg_mpi_points ||
	    !dvmdbg_mpi_points() || !is_world(t->page, t->fortran, arg[t->shape->comm]))
		return 0;
	return dvmdbg_mpi_begin(mpistate_call_name(t->call), check_place(pc),
				result_of(t->call, arg));
}

/* Of collectives that some ranks may leave at once: all are waited for, as MPI may do as well. */
static void await_all(const struct mpi_thread *t, const mpi_word *arg)
{
	unsigned class = t->shape->class;
	int8_t at = t->shape->comm;

	if ((class == MPISTATE_FROM || class == MPISTATE_TO || class == MPISTATE_SCAN) && at >= 0 &&
	    t->object && !t->object->inter)
		objects_await(t->fortran, t->fortran ? (const void *)arg[at] : &arg[at]);
}

struct mpi_thread *state_begin(unsigned call, bool fortran, const mpi_word *arg, const void *pc,
			       const void *frame)
{
	struct mpi_thread *t = &state_self;
	struct mpistate_slot *s;
	bool polled;

	/* below an outer call on the stack: inside of it */
	if ((t->frame && frame < t->frame) || check_is_outside || !have_slot(t, pc))
		return NULL;
	s = t->slot;
	t->frame = frame;
	t->call = call;
	t->fortran = fortran;
	t->shape = &shape[call];
	t->point = point_begin(t, arg, pc);
	t->epoch = atomic_load_explicit(&state_epoch, memory_order_acquire);
	t->reports = atomic_load_explicit(&check_reports, memory_order_relaxed);
	polled = atomic_load_explicit(&s->polls, memory_order_relaxed) != 0;
	record(t, arg, pc);
	t->active = s->all_requests || t->shape->class == MPISTATE_IPROBE;
	if (!(polled && (mpistate_is_poll(t->shape->class) || onesided_spins(call))))
		slot_move(s);
	atomic_store_explicit(&s->in, 1, memory_order_release);
	if (t->shape->class == MPISTATE_CANCEL)
		atomic_store_explicit(&t->page->cancelled, 1, memory_order_relaxed);
	if (t->shape->class == MPISTATE_OTHER && t->shape->dest_tag >= 0)
		atomic_store_explicit(&t->page->unsure, 1, memory_order_relaxed);
	t->since = traced_on() ? traced_now() : 0;
	if (__builtin_expect(synchronous, 0))
		await_all(t, arg);
	return t;
}

void state_finalize(const void *pc, const void *frame)
{
	const mpi_word none = 0;

	struct mpistate_page *p = dvmdbg_mpi_page && !check_is_outside ? dvmdbg_mpi_page() : NULL;

	if (p) {
		check_finalizes(p, pc);
		check_finalize(p);
		count_left(p);
		atomic_store(&p->final, 1);
	}
	state_begin(MPISTATE_CALL_Finalize, false, &none, pc, frame);
}

/* What the call has made or ended. */
static void end_objects(struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	const int8_t made[] = { h->made_comm, h->made_win, h->made_file };
	uint64_t pc = t->slot->pc;

	for (unsigned i = 0; i < MPISTATE_WHATS; i++)
		if (made[i] >= 0)
			objects_made(t->page, t->object, i, t->fortran, (const void *)arg[made[i]],
				     t->call, pc);
	if (t->object && (h->ends_comm >= 0 || h->ends_win >= 0 || h->ends_file >= 0))
		objects_gone(t->page, t->object);
	if (t->object && h->class == MPISTATE_NAME)
		objects_named(t->object);
}

void state_end(struct mpi_thread *t, const mpi_word *arg, int rc)
{
	const struct mpistate_shape *h = t->shape;
	struct mpistate_slot *s = t->slot;
	bool succeeded;

	if (!rc) {
		const void *made = h->made_request >= 0 ? (const void *)arg[h->made_request] : NULL;

		if (made && !objects_is_null(t->page, t->fortran,
					     objects_request_at(t->fortran, made, 0)))
			state_posted(t, made, arg, NULL);
		if ((h->request >= 0 || h->requests >= 0) && h->class != MPISTATE_START &&
		    h->class != MPISTATE_CANCEL)
			end_requests(t, arg);
		if (moved_on())
			buffers_moved(t, arg, true);
		if (h->class == MPISTATE_RECV || h->class == MPISTATE_SENDRECV)
			end_receive(t, arg);
		else if (t->call == MPISTATE_CALL_Ssend && race_is_on(t->page) && t->object)
			race_acknowledged(t->page,
					  state_pair(t->page, t->object, number(s, h->dest),
						     number(s, h->dest_tag)));
		if (h->class == MPISTATE_MRECV || t->call == MPISTATE_CALL_Imrecv ||
		    t->call == MPISTATE_CALL_Imrecv_c)
			count_blind(t->page, 1);
		if (h->class >= MPISTATE_ALL)
			end_objects(t, arg);
		check_end(t, arg);
		known_add(t, arg);
	} else {
		error_returned(t, rc);
		/* what has become of requests is not known */
		if (h->class >= MPISTATE_WAIT && h->class <= MPISTATE_TESTANY)
			atomic_store_explicit(&t->page->posted_lost, 1, memory_order_relaxed);
		else if (h->class <= MPISTATE_START)
			atomic_store_explicit(&t->page->failed, 1, memory_order_relaxed);
	}
	succeeded = !mpistate_is_poll(h->class) || (t->active && *(const int *)arg[h->flag] > 0);
	if (t->since)
		traced_end(t, arg, rc, !succeeded);
	t->frame = NULL;
	atomic_store_explicit(&s->in, 0, memory_order_release);
	if (succeeded &&
	    (rc || (h->win < 0 && !t->windows) || !onesided_found_nothing(t, arg))) {
		slot_move(s);
		if (t->point)
			dvmdbg_mpi_end(t->point);
		return;
	}
	atomic_fetch_add_explicit(&s->polls, 1, memory_order_relaxed);
}
