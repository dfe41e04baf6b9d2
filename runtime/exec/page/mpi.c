/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the page has of calls of MPI, as a report. Everything is copied before it is looked at.
 */
#include "runtime/exec/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/array/array.h"
#include "common/core/vec.h"
#include "common/mpistate/report.h"

#define SLOT_NAPS 20	/* waits for a thread that is writing its slot, */
#define SLOT_NAP 500000 /* ns each */

struct reader {
	struct page_read *read;
	const struct mpistate_page *page;
	struct modules *modules;
	pid_t pid;
	struct mpistate_numbers numbers;
	struct mpistate_report *out;
	bool full;
	uint32_t serial[MPISTATE_OBJECTS]; /* of the objects that are in out */
};

static void copy_in(void *dst, const void *src, size_t len)
{
	memcpy(dst, src, len);
	__asm__ volatile("" ::: "memory");
}

static struct place place_of(struct reader *r, uint64_t pc)
{
	struct place p = { .file = "", .func = "", .module = "" };
	const char *path = pc ? modules_find(r->modules, r->pid, pc - 1, &p.vaddr) : NULL;

	if (path)
		p.module = path;
	else
		p.vaddr = 0;
	return p;
}

/* Text from the page, with nothing that would disturb a screen. */
static void text_in(char *to, const char *from, size_t size)
{
	copy_in(to, from, size);
	to[size - 1] = '\0';
	for (char *c = to; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	memset(to + strlen(to), 0, size - strlen(to));
}

static uint16_t call_in(uint32_t call)
{
	return (uint16_t)(call && call <= MPISTATE_CALLS ? call - 1 : MPISTATE_CALLS);
}

/* Handles of C that are integers have anything above. */
static uint64_t handle_in(const struct reader *r, unsigned what, bool fortran, uint64_t word)
{
	if (fortran)
		return (uint64_t)(int64_t)(int32_t)word;
	return r->numbers.request_bytes == 4 && what != MPISTATE_FILE ? (uint32_t)word : word;
}

static void type_in(const struct reader *r, bool fortran, uint64_t word, char *out, size_t size)
{
	uint64_t handle = handle_in(r, MPISTATE_COMM, fortran, word);

	for (unsigned i = 0; i < MPISTATE_TYPES; i++) {
		struct mpistate_type t;

		copy_in(&t, &r->page->type[i], sizeof(t));
		if (!t.name[0] || (fortran ? (uint64_t)t.fortran : t.handle) != handle)
			continue;
		text_in(out, t.name, size < sizeof(t.name) ? size : sizeof(t.name));
		return;
	}
}

/* Members of MPI_COMM_WORLD by their rank in o. */
static int32_t world_rank(const struct reader *r, const struct mpistate_object *o, int32_t local)
{
	int32_t rank = MPISTATE_UNKNOWN;

	if (local == MPISTATE_ANY || local == MPISTATE_NULL)
		return local;
	if (local < 0 || (uint32_t)local >= o->size)
		return MPISTATE_UNKNOWN;
	if (o->world)
		return local;
	if (o->members && o->members < MPISTATE_MEMBERS &&
	    o->size <= MPISTATE_MEMBERS - o->members)
		copy_in(&rank, &r->page->members[o->members + (uint32_t)local], sizeof(rank));
	return rank >= 0 && (uint32_t)rank < RANKSET_MAX ? rank : MPISTATE_UNKNOWN;
}

static void put_members(const struct reader *r, const struct mpistate_object *o,
			struct rankset *out)
{
	if (o->size > RANKSET_MAX)
		return;
	if (o->world && o->size) {
		rankset_add(out, 0, o->size - 1);
		return;
	}
	for (uint32_t i = 0; i < o->size; i++) {
		int32_t rank = world_rank(r, o, (int32_t)i);

		if (rank < 0) {
			rankset_clear(out);
			return;
		}
		rankset_add(out, (uint32_t)rank, (uint32_t)rank);
	}
}

static void put_object(struct reader *r, uint32_t off, char name[MPISTATE_NAME])
{
	struct array_desc a = { 0 };

	if (off && !object_version(r->read, off, &a)) {
		snprintf(name, MPISTATE_NAME, "%s", a.name);
		array_desc_clear(&a);
	}
}

static void put_past(struct reader *r, const struct mpistate_object *o, struct mpistate_comm *c)
{
	uint32_t n = c->begun_n, have = n < MPISTATE_RECENT ? n : MPISTATE_RECENT;

	for (uint32_t i = n - have + 1; have && i <= n; i++) {
		const struct mpistate_begun *b = &o->begun[i & (MPISTATE_RECENT - 1)];

		struct mpistate_past *x = &c->past[c->npast++];

		*x = (struct mpistate_past){ .number = i,
					     .call = call_in(b->call),
					     .root = b->root,
					     .main = b->main,
					     .place = place_of(r, b->pc) };
		put_object(r, b->object, x->object);
	}
}

/* The index + 1 of object i in the report; 0: it is none, or there is no memory. */
static uint32_t comm_in(struct reader *r, uint32_t i)
{
	struct mpistate_report *out = r->out;
	struct mpistate_object o;
	struct mpistate_comm *c;

	if (i >= MPISTATE_OBJECTS)
		return 0;
	copy_in(&o, &r->page->object[i], sizeof(o));
	if (!o.serial || o.what >= MPISTATE_WHATS)
		return 0;
	for (uint32_t k = 0; k < out->ncomm; k++)
		if (r->serial[k] == o.serial)
			return k + 1;
	c = out->ncomm < MPISTATE_OBJECTS ? vec_add(out->comm, out->ncomm) : NULL;
	if (!c)
		return 0;
	r->serial[out->ncomm - 1] = o.serial;
	*c = (struct mpistate_comm){ .id = o.id,
				     .what = (uint8_t)o.what,
				     .inter = o.inter != 0,
				     .size = o.size,
				     .made_by = call_in(o.made_by),
				     .made = place_of(r, o.made_pc) };
	text_in(c->name, o.name, sizeof(c->name));
	if (r->full) {
		put_members(r, &o, &c->members);
		c->begun_n = o.begun_n;
		put_past(r, &o, c);
	}
	return out->ncomm;
}

/* The object with that handle: its index; MPISTATE_OBJECTS: there is none. */
static uint32_t object_of(const struct reader *r, unsigned what, bool fortran, uint64_t word)
{
	uint64_t handle = handle_in(r, what, fortran, word);

	for (uint32_t i = 0; i < MPISTATE_OBJECTS; i++) {
		const struct mpistate_object *o = &r->page->object[i];

		if (o->serial && o->what == what &&
		    (fortran ? (uint64_t)o->fortran : o->handle) == handle)
			return i;
	}
	return MPISTATE_OBJECTS;
}

/* A call, or one that made a request, as it was kept. */
struct kept {
	uint32_t call;
	bool fortran, request;
	uint64_t pc;
	const uint64_t *word;
	uint32_t coll_object, coll_n;
};

static struct mpistate_op *op_add(struct reader *r, const struct kept *k, unsigned kind)
{
	struct mpistate_op *o = NULL;

	if (r->out->nop < MPISTATE_REPORT_OPS)
		o = vec_add(r->out->op, r->out->nop);
	if (!o)
		return NULL;
	*o = (struct mpistate_op){ .kind = (uint8_t)kind,
				   .request = k->request,
				   .call = (uint16_t)k->call,
				   .peer = MPISTATE_UNKNOWN,
				   .local = MPISTATE_UNKNOWN,
				   .tag = MPISTATE_ANY,
				   .root = -1,
				   .place = place_of(r, k->pc) };
	return o;
}

static void op_counts(const struct reader *r, const struct kept *k, struct mpistate_op *o,
		      int8_t count, int8_t type, bool large)
{
	if (count >= 0)
		o->count = large && !k->fortran ? k->word[count] : (uint32_t)k->word[count];
	if (type >= 0)
		type_in(r, k->fortran, k->word[type], o->type, sizeof(o->type));
}

/* A message: to or from local rank `peer` with `tag`. Nobody waits for MPI_PROC_NULL. */
static void put_message(struct reader *r, const struct kept *k, const struct mpistate_shape *h,
			unsigned kind, int32_t peer, int32_t tag)
{
	uint32_t at = object_of(r, MPISTATE_COMM, k->fortran, k->word[h->comm]);
	struct mpistate_object object = { 0 };
	struct mpistate_op *o;

	if (peer == r->numbers.proc_null)
		return;
	o = op_add(r, k, kind);
	if (!o)
		return;
	o->local = peer == r->numbers.any_source ? MPISTATE_ANY : peer;
	o->tag = tag == r->numbers.any_tag ? MPISTATE_ANY : tag;
	if (kind == MPISTATE_OP_RECV)
		op_counts(r, k, o, h->recv_count, h->recv_type, h->large);
	else
		op_counts(r, k, o, h->count, h->type, h->large);
	o->comm = comm_in(r, at);
	if (at < MPISTATE_OBJECTS)
		copy_in(&object, &r->page->object[at], sizeof(object));
	o->peer = world_rank(r, &object, o->local);
}

/*
 * MPI_Intercomm_create: its communicator, the leader there, a communicator of both leaders, the
 * rank of the other one there.
 */
static void put_leaders(const struct reader *r, const struct kept *k, struct mpistate_op *o,
			const struct mpistate_object *local)
{
	uint32_t at = object_of(r, MPISTATE_COMM, k->fortran, k->word[2]);
	struct mpistate_object bridge;

	o->local = world_rank(r, local, (int32_t)k->word[1]);
	if (at == MPISTATE_OBJECTS)
		return;
	copy_in(&bridge, &r->page->object[at], sizeof(bridge));
	o->peer = world_rank(r, &bridge, (int32_t)k->word[3]);
}

static void put_collective(struct reader *r, const struct kept *k, const struct mpistate_shape *h)
{
	struct mpistate_op *o = op_add(r, k, MPISTATE_OP_COLL);
	struct mpistate_object object;

	if (!o)
		return;
	op_counts(r, k, o, h->count, h->type, h->large);
	o->root = h->root >= 0 ? (int32_t)k->word[h->root] : -1;
	o->comm = k->coll_object ? comm_in(r, k->coll_object - 1) : 0;
	o->number = k->coll_n;
	if (k->request && mpistate_makes_collective(k->call))
		o->tag = MPISTATE_TAG_STARTED(k->coll_n);
	if (!o->comm)
		return;
	copy_in(&object, &r->page->object[k->coll_object - 1], sizeof(object));
	o->root = mpistate_root(&r->numbers, object.inter, o->root);
	if (o->root >= 0)
		o->peer = world_rank(r, &object, o->root);
	if (k->call == MPISTATE_CALL_Intercomm_create)
		put_leaders(r, k, o, &object);
}

/* The pairs of the window of o that fit, each as an op like o: with its peer, and its tag. */
static void put_pairs(struct reader *r, uint32_t first, uint32_t object, int32_t tag)
{
	const struct mpistate_op like = r->out->op[first];
	struct mpistate_object o;
	bool more = false;

	copy_in(&o, &r->page->object[object], sizeof(o));
	for (uint32_t i = 0; i < MPISTATE_PAIRS; i++) {
		struct mpistate_pair e;
		struct mpistate_op *to = &r->out->op[first];

		copy_in(&e, &r->page->pair[i], sizeof(e));
		if (e.serial != o.serial || e.tag != tag || e.recvs == e.received)
			continue;
		if (more && r->out->nop == MPISTATE_REPORT_OPS)
			return;
		to = more ? vec_add(r->out->op, r->out->nop) : to;
		if (!to)
			return;
		*to = like;
		more = true;
		to->local = e.peer;
		to->peer = world_rank(r, &o, e.peer);
		to->tag = tag;
	}
}

/* Of what locks a window: whether for itself alone. */
static void put_lock(struct reader *r, struct mpistate_op *op, uint32_t object)
{
	uint32_t serial = atomic_load(&r->page->object[object].serial);

	for (uint32_t i = 0; i < MPISTATE_PAIRS; i++) {
		struct mpistate_pair e;

		copy_in(&e, &r->page->pair[i], sizeof(e));
		if (e.serial == serial && e.any && e.peer == op->local &&
		    (e.tag == MPISTATE_TAG_SHARED || e.tag == MPISTATE_TAG_EXCLUSIVE))
			op->tag = e.tag;
	}
}

/* What a call of a window waits for: others' calls. */
static void put_epoch(struct reader *r, const struct kept *k, uint32_t op, uint32_t object)
{
	switch (k->call) {
	case MPISTATE_CALL_Win_start:
	case MPISTATE_CALL_Win_complete:
		put_pairs(r, op, object, MPISTATE_TAG_POSTED);
		break;
	case MPISTATE_CALL_Win_wait:
		put_pairs(r, op, object, MPISTATE_TAG_COMPLETED);
		break;
	case MPISTATE_CALL_Win_lock:
		put_lock(r, &r->out->op[op], object);
		break;
	}
}

static void put_other(struct reader *r, const struct kept *k, const struct mpistate_shape *h)
{
	struct mpistate_op *o = op_add(r, k, MPISTATE_OP_OTHER);
	int8_t at[] = { h->comm, h->win, h->file };

	if (!o)
		return;
	op_counts(r, k, o, h->count, h->type, h->large);
	for (unsigned i = 0; i < MPISTATE_WHATS && !o->comm; i++) {
		struct mpistate_object object;
		uint32_t n = at[i] >= 0 ? object_of(r, i, k->fortran, k->word[at[i]]) :
					  MPISTATE_OBJECTS;

		if (n == MPISTATE_OBJECTS)
			continue;
		o->comm = comm_in(r, n);
		copy_in(&object, &r->page->object[n], sizeof(object));
		if (h->dest >= 0) {
			o->local = (int32_t)k->word[h->dest];
			o->peer = world_rank(r, &object, o->local);
		}
		if (i == MPISTATE_WIN && o->comm) {
			put_epoch(r, k, r->out->nop - 1, n);
			return;
		}
	}
}

/* The index of the object with that serial number, and a copy; MPISTATE_OBJECTS: there is none. */
static uint32_t object_numbered(const struct reader *r, uint32_t serial, struct mpistate_object *o)
{
	for (uint32_t i = 0; i < MPISTATE_OBJECTS; i++) {
		if (atomic_load(&r->page->object[i].serial) != serial)
			continue;
		copy_in(o, &r->page->object[i], sizeof(*o));
		return i;
	}
	return MPISTATE_OBJECTS;
}

static bool is_buffered(unsigned call)
{
	switch (call) {
	case MPISTATE_CALL_Bsend:
	case MPISTATE_CALL_Bsend_c:
	case MPISTATE_CALL_Ibsend:
	case MPISTATE_CALL_Ibsend_c:
	case MPISTATE_CALL_Bsend_init:
	case MPISTATE_CALL_Bsend_init_c:
		return true;
	}
	return false;
}

/* MPI_Buffer_detach waits until all that is in the buffer is sent. */
static void put_buffered(struct reader *r, bool fortran)
{
	for (uint32_t i = 0; i < MPISTATE_PAIRS; i++) {
		struct mpistate_object object;
		struct mpistate_pair e;
		struct mpistate_op *o;
		uint32_t at;

		copy_in(&e, &r->page->pair[i], sizeof(e));
		if (!e.serial || !is_buffered(call_in(e.call)))
			continue;
		at = object_numbered(r, e.serial, &object);
		o = at == MPISTATE_OBJECTS ? NULL :
			op_add(r, &(struct kept){ .call = call_in(e.call), .request = true, .pc = e.pc },
			       MPISTATE_OP_SEND);
		if (!o)
			continue;
		r->out->requests++;
		o->tag = e.tag;
		o->count = e.count;
		type_in(r, fortran, e.type, o->type, sizeof(o->type));
		o->local = e.peer;
		o->peer = world_rank(r, &object, e.peer);
		o->comm = comm_in(r, at);
	}
}

/* What the call itself waits for, without its requests. */
static void put_ops(struct reader *r, const struct kept *k)
{
	struct mpistate_shape h = mpistate_shape(k->call);

	if (h.comm >= 0 && h.dest >= 0 && h.dest_tag >= 0)
		put_message(r, k, &h, MPISTATE_OP_SEND, (int32_t)k->word[h.dest],
			    (int32_t)k->word[h.dest_tag]);
	if (h.comm >= 0 && h.source >= 0 && h.source_tag >= 0)
		put_message(r, k, &h, MPISTATE_OP_RECV, (int32_t)k->word[h.source],
			    (int32_t)k->word[h.source_tag]);
	else if (mpistate_is_collective(h.class) || mpistate_makes_collective(k->call))
		put_collective(r, k, &h);
	else if (k->call == MPISTATE_CALL_Buffer_detach ||
		 k->call == MPISTATE_CALL_Buffer_detach_c)
		put_buffered(r, k->fortran);
	else if (h.class == MPISTATE_OTHER || h.class == MPISTATE_GROUP ||
		 h.class == MPISTATE_MRECV)
		put_other(r, k, &h);
	else if (h.class == MPISTATE_IPROBE && h.win >= 0)
		put_other(r, k, &h);
}

static void put_request(struct reader *r, bool fortran, uint64_t request)
{
	uint64_t key = fortran ? request | MPISTATE_FORTRAN_KEY : request;
	uint32_t at = mpistate_posted_at(key), had = r->out->nop;

	for (unsigned i = 0; i < MPISTATE_PROBES; i++) {
		struct mpistate_posted e;
		struct kept k;

		copy_in(&e, &r->page->posted[(at + i) & (MPISTATE_POSTED - 1)], sizeof(e));
		if (e.key != key || !e.call || e.call > MPISTATE_CALLS)
			continue;
		k = (struct kept){ .call = e.call - 1, .fortran = e.fortran != 0, .request = true,
				   .pc = e.pc, .word = e.word, .coll_object = e.coll_object,
				   .coll_n = e.coll_n };
		put_ops(r, &k);
		/* of what it is, nothing is known */
		if (r->out->nop == had)
			op_add(r, &k, MPISTATE_OP_OTHER);
		return;
	}
	/* made by a call that is not wrapped */
	op_add(r, &(struct kept){ .call = MPISTATE_CALLS, .request = true }, MPISTATE_OP_OTHER);
}

static bool slot_try(const struct mpistate_slot *s, struct mpistate_slot *out)
{
	for (int i = 0; i < PAGE_READ_TRIES; i++) {
		uint32_t before = atomic_load_explicit(&s->seq, memory_order_acquire);

		copy_in(out, s, sizeof(*out));
		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) && atomic_load_explicit(&s->seq, memory_order_relaxed) == before)
			return true;
	}
	return false;
}

/*
 * A slot, copied while its thread did not write. One that writes and has no processor at the moment
 * is given time for that: without the copy it would be said to compute.
 */
static bool slot_copy(const struct mpistate_slot *s, struct mpistate_slot *out)
{
	const struct timespec nap = { .tv_nsec = SLOT_NAP };

	for (int i = 0; i < SLOT_NAPS; i++) {
		if (slot_try(s, out))
			return true;
		nanosleep(&nap, NULL);
	}
	return slot_try(s, out);
}

static bool thread_lives(pid_t pid, uint32_t tid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/task/%u", (int)pid, tid);
	return !access(name, F_OK);
}

/*
 * The slot that shows what the rank does: of those in a call, the first; live: how many there are,
 * others: in calls beside that.
 */
static bool slot_choose(const struct reader *r, struct mpistate_slot *out, unsigned *live,
			struct mpistate_slot *others, unsigned *nothers)
{
	bool have = false;

	*live = *nothers = 0;
	for (unsigned i = 0; i < MPISTATE_THREADS; i++) {
		const struct mpistate_slot *s = &r->page->slot[i];
		uint32_t tid = atomic_load(&s->tid);
		struct mpistate_slot one;

		if (!tid || !thread_lives(r->pid, tid) || !slot_copy(s, &one))
			continue;
		++*live;
		if (have && one.in && out->in)
			others[(*nothers)++] = one;
		else if (!have || one.in)
			*out = one;
		have = true;
	}
	return have;
}

static void put_call(struct reader *r, const struct mpistate_slot *s)
{
	struct mpistate_report *out = r->out;
	unsigned class;
	struct kept k = { .fortran = s->fortran != 0, .pc = s->pc, .word = s->word,
			  .coll_object = s->coll_object, .coll_n = s->coll_n };

	if (s->spin_call && s->polls) {
		out->call = call_in(s->spin_call);
		out->doing = MPISTATE_DOES_POLLS;
		out->place = place_of(r, s->spin_pc);
		return;
	}
	out->call = call_in(s->call);
	if (out->call == MPISTATE_CALLS)
		return;
	k.call = out->call;
	class = mpistate_call_class(k.call);
	if (class == MPISTATE_LOCAL)
		return;
	if (out->call == MPISTATE_CALL_Finalize)
		out->doing = MPISTATE_DOES_FINALIZES;
	else if (s->polls && mpistate_is_poll(class))
		out->doing = MPISTATE_DOES_POLLS;
	else if (s->in)
		out->doing = MPISTATE_DOES_CALL;
	if (out->doing == MPISTATE_DOES_COMPUTES)
		return;
	out->place = place_of(r, s->pc);
	out->any = class == MPISTATE_WAITANY || class == MPISTATE_TESTANY;
	out->requests = s->all_requests;
	out->partial |= s->all_requests > MPISTATE_REQUESTS;
	put_ops(r, &k);
	for (uint32_t i = 0; i < s->nrequest && i < MPISTATE_REQUESTS; i++)
		put_request(r, k.fortran, s->request[i]);
}

/* What another thread waits for meanwhile. */
static void put_other_call(struct reader *r, const struct mpistate_slot *s)
{
	struct kept k = { .call = call_in(s->call), .fortran = s->fortran != 0, .request = true,
			  .pc = s->pc, .word = s->word, .coll_object = s->coll_object,
			  .coll_n = s->coll_n };

	if (k.call == MPISTATE_CALLS || mpistate_call_class(k.call) == MPISTATE_LOCAL)
		return;
	put_ops(r, &k);
	for (uint32_t i = 0; i < s->nrequest && i < MPISTATE_REQUESTS; i++)
		put_request(r, k.fortran, s->request[i]);
}

static void put_threads(struct reader *r)
{
	struct mpistate_slot *others = calloc(MPISTATE_THREADS, sizeof(*others)), s;
	unsigned live, nothers;

	if (others && slot_choose(r, &s, &live, others, &nothers)) {
		put_call(r, &s);
		for (unsigned i = 0; i < nothers; i++)
			put_other_call(r, &others[i]);
		/* the rank can go on when one of its threads can */
		r->out->any |= nothers != 0;
		r->out->threads = atomic_load(&r->page->several)
					  ? page_threads_may_call(r->page, r->pid)
					  : live > 1;
	}
	free(others);
}

static void put_traffic(struct reader *r)
{
	for (uint32_t i = 0; i < MPISTATE_PAIRS; i++) {
		struct mpistate_pair e;
		struct mpistate_object o;
		struct mpistate_traffic *t;
		uint32_t comm = 0, at;

		copy_in(&e, &r->page->pair[i], sizeof(e));
		if (!e.serial)
			continue;
		at = object_numbered(r, e.serial, &o);
		if (at < MPISTATE_OBJECTS)
			comm = comm_in(r, at);
		t = comm ? vec_add(r->out->traffic, r->out->ntraffic) : NULL;
		if (!t)
			continue;
		*t = (struct mpistate_traffic){ .comm = comm, .peer = world_rank(r, &o, e.peer),
						.tag = e.tag, .sends = e.sends, .recvs = e.recvs,
						.call = call_in(e.call), .count = e.count,
						.place = place_of(r, e.pc) };
	}
}

/* All communicators: what others miss here may be in any. */
static void put_comms(struct reader *r)
{
	for (uint32_t i = 0; i < MPISTATE_OBJECTS; i++)
		if (atomic_load(&r->page->object[i].serial))
			comm_in(r, i);
}

void page_read_calls(struct page_read *read, struct modules *modules, pid_t pid, bool full,
		     struct mpistate_report *out)
{
	struct reader *r = calloc(1, sizeof(*r));
	const struct mpistate_page *p = &read->page->mpi_calls;
	unsigned mpi = page_read_mpi(read);

	*out = (struct mpistate_report){ .call = MPISTATE_CALLS,
					 .doing = MPISTATE_DOES_UNKNOWN,
					 .place = { .file = "", .func = "", .module = "" } };
	if (!r || page_read_state(read) == PAGE_OFF || page_read_state(read) == PAGE_FRESH) {
		free(r);
		return;
	}
	*r = (struct reader){ .read = read, .page = p, .modules = modules, .pid = pid, .out = out,
			      .full = full };
	copy_in(&r->numbers, &p->numbers, sizeof(r->numbers));
	out->wild = atomic_load(&p->cancelled) != 0;
	out->partial = atomic_load(&p->pairs_lost) != 0;
	if (mpi == MPI_STATE_DOWN)
		out->doing = MPISTATE_DOES_FINALIZED;
	else if (mpi == MPI_STATE_NONE)
		out->doing = MPISTATE_DOES_NO_MPI;
	else if (mpi == MPI_STATE_IN_INIT)
		out->doing = MPISTATE_DOES_INITS;
	else if (atomic_load(&p->on) && !atomic_load(&p->lost))
		out->doing = MPISTATE_DOES_COMPUTES;
	if (out->doing == MPISTATE_DOES_COMPUTES)
		put_threads(r);
	if (full && atomic_load(&p->on)) {
		put_comms(r);
		put_traffic(r);
	}
	free(r);
}

void page_read_stopped(struct mpistate_report *out)
{
	if (out->doing != MPISTATE_DOES_CALL && out->doing != MPISTATE_DOES_FINALIZES)
		out->call = MPISTATE_CALLS;
	out->doing = MPISTATE_DOES_STOPPED;
}

uint64_t page_read_moves(const struct page_read *read)
{
	const struct page *p = read->page;
	uint64_t n = atomic_load(&p->stack_seq) + atomic_load(&p->stop_count);

	for (unsigned i = 0; i < MPISTATE_THREADS; i++)
		n += atomic_load(&p->mpi_calls.slot[i].moves);
	return n + ((uint64_t)page_read_mpi(read) << 60);
}
