/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which ranks can go on. Those outside of blocking calls may do anything, so they can. One inside
 * can when what it waits for has been done, or is to be done by a rank that can; all ranks for
 * which that never comes true are stuck. Where something is not known it is taken to come true:
 * nobody is accused without a proof.
 */
#include "frontend/hang/hang.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

/*
 * Where a wildcard may have taken a message, what lacks cannot be counted. But between ranks that
 * have all been inside of MPI for so long (tenths of a second), what was sent has come, unless it
 * is large.
 */
#define SETTLED 20
#define SETTLED_COUNT (1u << 16)

/* How an op stands. */
enum need {
	NEED_DONE,  /* what it needs is there; its rank may not have seen that */
	NEED_MAY,   /* nothing is known that would prevent it */
	NEED_ALL,   /* all of its ranks have to do something */
	NEED_ANY,   /* one of them */
	NEED_NEVER, /* it cannot be */
};

struct op_state {
	enum need need;
	bool certain; /* it has not been completed */
	struct rankset on;
	struct hang_rank why; /* NEED_NEVER; its set is empty */
};

/* How one collective stands: what each of the many ranks that are in it would find. */
struct arrival {
	uint64_t id;
	uint32_t number;
	uint16_t call;
	int32_t root;
	const struct rankset *members; /* borrowed; between groups those of the other */
	bool never;	      /* why.other has begun another one */
	struct rankset missing; /* have not begun it */
	struct hang_rank why;
};

struct maker {
	const struct mpistate_report *const *r;
	uint32_t n;
	bool *may;
	struct hang_graph *g;
	struct arrival *arrival;
	size_t narrival;
};

static const char *const why_names[] = {
#define X(name, words) words,
	HANG_WHY_LIST(X)
#undef X
};

const char *hang_why_name(unsigned why)
{
	return why < sizeof(why_names) / sizeof(why_names[0]) ? why_names[why] : "?";
}

static bool gone(const struct mpistate_report *r)
{
	return r->doing == MPISTATE_DOES_FINALIZED || r->doing == MPISTATE_DOES_ENDED;
}

static bool blocked(const struct mpistate_report *r)
{
	return (r->doing == MPISTATE_DOES_CALL || r->doing == MPISTATE_DOES_FINALIZES) &&
	       !r->threads;
}

/* The communicator of that identity as r has it; NULL: it has none. */
static const struct mpistate_comm *comm_of(const struct mpistate_report *r, uint64_t id,
					   uint32_t *index)
{
	for (uint32_t i = 0; i < r->ncomm; i++)
		if (r->comm[i].id == id) {
			if (index)
				*index = i + 1;
			return &r->comm[i];
		}
	return NULL;
}

static bool covers(int32_t pattern, int32_t value)
{
	return pattern == MPISTATE_ANY || pattern == value;
}

/* Messages on that communicator, between r and peer with tag, both patterns: sent, or received. */
static uint64_t traffic(const struct mpistate_report *r, uint64_t id, int32_t peer, int32_t tag,
			bool sends)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->ntraffic; i++) {
		const struct mpistate_traffic *t = &r->traffic[i];

		if (r->comm[t->comm - 1].id == id && covers(peer, t->peer) && covers(tag, t->tag))
			sum += sends ? t->sends : t->recvs;
	}
	return sum;
}

/* Receives of r that could take a message of that peer and tag. */
static uint64_t takers(const struct mpistate_report *r, uint64_t id, int32_t peer, int32_t tag)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->ntraffic; i++) {
		const struct mpistate_traffic *t = &r->traffic[i];

		if (r->comm[t->comm - 1].id == id && covers(t->peer, peer) && covers(t->tag, tag))
			sum += t->recvs;
	}
	return sum;
}

static bool is_probe(const struct mpistate_op *o)
{
	return mpistate_call_class(o->call) == MPISTATE_PROBE ||
	       mpistate_call_class(o->call) == MPISTATE_IPROBE;
}

/* Pending receives of the same call that a message for o could go to as well. */
static uint64_t rivals(const struct mpistate_report *r, const struct mpistate_op *o)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < r->nop; i++) {
		const struct mpistate_op *x = &r->op[i];

		n += x->kind == MPISTATE_OP_RECV && x->comm == o->comm && !is_probe(x) &&
		     covers(o->peer, x->peer) && covers(o->tag, x->tag);
	}
	return n;
}

/* Whether a message for the receive may be there: how many were sent against how many were
 * taken. */
static bool message_there(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			  bool any)
{
	const struct mpistate_report *r = m->r[rank];
	uint64_t id = r->comm[o->comm - 1].id, sent = 0, taken;
	bool unsure = r->wild || r->partial;

	for (uint32_t p = 0; p < m->n; p++) {
		if (!covers(o->peer, (int32_t)p))
			continue;
		sent += traffic(m->r[p], id, (int32_t)rank, o->tag, true);
		unsure |= m->r[p]->partial && comm_of(m->r[p], id, NULL);
	}
	if (unsure)
		return true;
	taken = traffic(r, id, o->peer, o->tag, false);
	if (is_probe(o))
		return sent > taken;
	/* of several that wait the last goes without, if any does */
	return any ? sent + rivals(r, o) > taken : sent >= taken;
}

static bool meets(int32_t a, int32_t b)
{
	return covers(a, b) || covers(b, a);
}

static bool settled(const struct mpistate_report *r)
{
	return gone(r) || (blocked(r) && r->tenths >= SETTLED);
}

/*
 * Fewer messages were sent that o could get than receives were posted that could have taken them,
 * and none is on its way: o is without.
 */
static bool goes_without(const struct maker *m, uint32_t rank, const struct mpistate_op *o)
{
	const struct mpistate_report *r = m->r[rank];
	uint64_t id = r->comm[o->comm - 1].id, sent = 0, posted = is_probe(o);

	if (r->wild || r->partial || !settled(r))
		return false;
	for (uint32_t p = 0; p < m->n; p++) {
		const struct mpistate_report *from = m->r[p];

		if (!covers(o->peer, (int32_t)p) || !comm_of(from, id, NULL))
			continue;
		if (from->partial || !settled(from))
			return false;
		for (uint32_t i = 0; i < from->ntraffic; i++) {
			const struct mpistate_traffic *t = &from->traffic[i];

			if (from->comm[t->comm - 1].id != id || t->peer != (int32_t)rank ||
			    !covers(o->tag, t->tag))
				continue;
			if (t->sends && t->count > SETTLED_COUNT)
				return false;
			sent += t->sends;
		}
	}
	for (uint32_t i = 0; i < r->ntraffic; i++) {
		const struct mpistate_traffic *t = &r->traffic[i];

		if (r->comm[t->comm - 1].id == id && meets(o->peer, t->peer) &&
		    meets(o->tag, t->tag))
			posted += t->recvs;
	}
	return sent < posted;
}

/* Others of the communicator. */
static void all_others(const struct maker *m, uint32_t rank, const struct mpistate_comm *c,
		       struct rankset *out)
{
	struct rankset self = { 0 };

	if (c->members.n)
		xrankset_copy(out, &c->members);
	else if (m->n)
		xrankset_add(out, 0, m->n - 1);
	xrankset_add(&self, rank, rank);
	xrankset_remove_set(out, &self);
	rankset_clear(&self);
}

static void check_recv(const struct maker *m, uint32_t rank, const struct mpistate_op *o, bool any,
		       struct op_state *s)
{
	const struct mpistate_comm *c = &m->r[rank]->comm[o->comm - 1];

	if (message_there(m, rank, o, any) && !goes_without(m, rank, o)) {
		s->need = NEED_DONE;
		if (o->peer >= 0 && (uint32_t)o->peer < m->n)
			xrankset_add(&s->on, (uint32_t)o->peer, (uint32_t)o->peer);
		return;
	}
	s->certain = true;
	s->need = NEED_ANY;
	if (o->peer >= 0)
		xrankset_add(&s->on, (uint32_t)o->peer, (uint32_t)o->peer);
	else
		all_others(m, rank, c, &s->on);
}

static bool waits_in_probe(const struct mpistate_report *p, uint64_t id, uint32_t rank, int32_t tag)
{
	for (uint32_t i = 0; i < p->nop; i++)
		if (is_probe(&p->op[i]) && p->op[i].comm && p->comm[p->op[i].comm - 1].id == id &&
		    covers(p->op[i].peer, (int32_t)rank) && covers(p->op[i].tag, tag))
			return true;
	return false;
}

static void check_send(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
		       struct op_state *s)
{
	uint64_t id = m->r[rank]->comm[o->comm - 1].id;
	const struct mpistate_report *p = m->r[o->peer];
	uint64_t sent = traffic(m->r[rank], id, o->peer, o->tag, true);

	xrankset_add(&s->on, (uint32_t)o->peer, (uint32_t)o->peer);
	if (m->r[rank]->partial || p->partial || takers(p, id, (int32_t)rank, o->tag) >= sent ||
	    waits_in_probe(p, id, rank, o->tag))
		s->need = NEED_DONE;
	else
		s->need = NEED_ANY;
}

/* Roots of two ranks for one collective; between groups, of which one has the root. */
static bool roots_fit(bool inter, int32_t a, int32_t b)
{
	if (!inter || a == b)
		return a == b;
	return a >= 0 ? b == MPISTATE_ROOT : b >= 0;
}

/* Whether rank p has begun that collective; -1: it has begun another one, and why. */
static int arrived(const struct maker *m, const struct mpistate_op *o, uint64_t id, uint32_t p,
		   struct hang_rank *why)
{
	uint32_t index = 0;
	const struct mpistate_comm *c = comm_of(m->r[p], id, &index);

	if (!c || c->begun_n < o->number)
		return 0;
	for (uint32_t i = 0; i < c->npast; i++) {
		const struct mpistate_past *x = &c->past[i];

		if (x->number != o->number || (x->call == o->call && roots_fit(c->inter, o->root, x->root)))
			continue;
		*why = (struct hang_rank){ .why = x->call != o->call ? HANG_WHY_KIND
								     : HANG_WHY_ROOT,
					   .other = (int32_t)p,
					   .with = i,
					   .with_comm = index };
		return -1;
	}
	return 1;
}

/* A persistent collective that was started. */
static bool was_started(const struct mpistate_op *o)
{
	return o->request && mpistate_makes_collective(o->call);
}

static unsigned class_of(const struct mpistate_op *o)
{
	return was_started(o) ? mpistate_call_starts(o->call) : mpistate_call_class(o->call);
}

/* What a collective needs of those that are missing. */
static enum need need_of(const struct mpistate_op *o, uint32_t rank, struct rankset *missing)
{
	switch (class_of(o)) {
	case MPISTATE_ALL:
	case MPISTATE_IALL:
		return NEED_ALL;
	case MPISTATE_FROM:
	case MPISTATE_IFROM:
		if (o->peer < 0 || o->peer == (int32_t)rank ||
		    !rankset_has(missing, (uint32_t)o->peer))
			return NEED_ANY;
		rankset_clear(missing);
		xrankset_add(missing, (uint32_t)o->peer, (uint32_t)o->peer);
		return NEED_ALL;
	case MPISTATE_TO:
	case MPISTATE_ITO:
		return o->peer == (int32_t)rank ? NEED_ALL : NEED_ANY;
	}
	return NEED_ANY;
}

static bool of_all(const struct mpistate_op *o)
{
	return class_of(o) == MPISTATE_ALL || class_of(o) == MPISTATE_IALL;
}

/* Members of the communicator of o that have not begun that collective. */
static void add_missing(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			struct rankset *out)
{
	const struct mpistate_comm *c = &m->r[rank]->comm[o->comm - 1];

	for (int64_t p = rankset_next(&c->members, 0); p >= 0;
	     p = rankset_next(&c->members, (uint32_t)p + 1)) {
		const struct mpistate_comm *there;

		if (p == rank || (uint32_t)p >= m->n)
			continue;
		there = comm_of(m->r[p], c->id, NULL);
		if (!there || there->begun_n < o->number)
			xrankset_add(out, (uint32_t)p, (uint32_t)p);
	}
}

/*
 * MPI_Intercomm_create, which all of its own group have begun: the leader needs the leader of the
 * other group (peer) and its group; the others need their leader (local).
 */
static void check_bridge(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			 struct op_state *s)
{
	const struct mpistate_report *other =
		o->peer >= 0 && (uint32_t)o->peer < m->n ? m->r[o->peer] : NULL;

	if (o->local >= 0 && o->local != (int32_t)rank) {
		xrankset_add(&s->on, (uint32_t)o->local, (uint32_t)o->local);
	} else if (other && o->local == (int32_t)rank && settled(m->r[rank]) && settled(other)) {
		const struct mpistate_op *x = other->nop ? &other->op[0] : NULL;

		if (!x || x->call != MPISTATE_CALL_Intercomm_create || !x->comm)
			xrankset_add(&s->on, (uint32_t)o->peer, (uint32_t)o->peer);
		else
			add_missing(m, (uint32_t)o->peer, x, &s->on);
	}
	if (!s->on.n)
		return;
	s->certain = true;
	s->need = NEED_ALL;
}

/* Looks once at all members of the communicator. */
static const struct arrival *arrival_of(struct maker *m, const struct mpistate_op *o,
					const struct mpistate_comm *c)
{
	struct arrival *a;

	for (size_t i = 0; i < m->narrival; i++) {
		a = &m->arrival[i];
		if (a->id == c->id && a->number == o->number && a->call == o->call &&
		    a->root == o->root && rankset_equal(a->members, &c->members))
			return a;
	}
	a = xvec_add(m->arrival, m->narrival);
	*a = (struct arrival){ .id = c->id, .number = o->number, .call = o->call, .root = o->root,
			       .members = &c->members };
	for (int64_t p = rankset_next(&c->members, 0); p >= 0 && p < m->n && !a->never;
	     p = rankset_next(&c->members, (uint32_t)p + 1)) {
		int there = arrived(m, o, c->id, (uint32_t)p, &a->why);

		a->never = there < 0;
		if (!there)
			xrankset_add(&a->missing, (uint32_t)p, (uint32_t)p);
	}
	return a;
}

/* One that is persistent: all have to start it as often as this rank has. */
static void check_started(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			  struct op_state *s)
{
	const struct mpistate_comm *c = &m->r[rank]->comm[o->comm - 1];
	uint64_t starts = traffic(m->r[rank], c->id, MPISTATE_ANY, o->tag, true);

	for (int64_t p = rankset_next(&c->members, 0); p >= 0 && p < m->n;
	     p = rankset_next(&c->members, (uint32_t)p + 1)) {
		if (m->r[p]->partial)
			return;
		if (p != rank && traffic(m->r[p], c->id, MPISTATE_ANY, o->tag, true) < starts)
			xrankset_add(&s->on, (uint32_t)p, (uint32_t)p);
	}
	s->certain = s->on.n != 0;
	s->need = s->on.n ? need_of(o, rank, &s->on) : NEED_MAY;
}

/* Between groups, of a rank of the other group than the root's: it needs the root. */
static void check_from_other(const struct maker *m, const struct mpistate_op *o, uint64_t id,
			     struct op_state *s)
{
	bool known = o->root >= 0 && o->peer >= 0 && (uint32_t)o->peer < m->n && !was_started(o);
	int there = known ? arrived(m, o, id, (uint32_t)o->peer, &s->why) : 1;

	if (there > 0 || (!there && class_of(o) != MPISTATE_FROM && class_of(o) != MPISTATE_IFROM))
		return;
	xrankset_add(&s->on, (uint32_t)o->peer, (uint32_t)o->peer);
	s->need = there < 0 ? NEED_NEVER : NEED_ALL;
	s->certain = true;
}

/* The root between groups needs all of the other group when they send. */
static bool needs_others(const struct mpistate_op *o)
{
	return of_all(o) || (o->root == MPISTATE_ROOT && !was_started(o) &&
			     (class_of(o) == MPISTATE_TO || class_of(o) == MPISTATE_ITO));
}

static void check_collective(struct maker *m, uint32_t rank, const struct mpistate_op *o,
			     struct op_state *s)
{
	const struct mpistate_comm *c = &m->r[rank]->comm[o->comm - 1];
	struct rankset self = { 0 };
	const struct arrival *a;

	s->need = NEED_MAY;
	/* of one between groups those of the other are known */
	if (c->inter && !needs_others(o))
		check_from_other(m, o, c->id, s);
	if (!c->members.n || (c->inter && !needs_others(o)))
		return;
	a = arrival_of(m, o, c);
	if (a->never) {
		s->why = a->why;
		xrankset_add(&s->on, (uint32_t)a->why.other, (uint32_t)a->why.other);
		s->need = NEED_NEVER;
		s->certain = true;
		return;
	}
	if (was_started(o)) {
		check_started(m, rank, o, s);
		return;
	}
	xrankset_copy(&s->on, &a->missing);
	xrankset_add(&self, rank, rank);
	xrankset_remove_set(&s->on, &self);
	rankset_clear(&self);
	if (!s->on.n) {
		if (o->call == MPISTATE_CALL_Intercomm_create)
			check_bridge(m, rank, o, s);
		return;
	}
	s->certain = true;
	s->need = c->inter ? NEED_ALL : need_of(o, rank, &s->on);
}

/* What MPI_Win_post or MPI_Win_complete of the peer begins, or ends. */
static void check_epoch(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			struct op_state *s)
{
	const struct mpistate_report *r = m->r[rank], *p = m->r[o->peer];
	uint64_t id = r->comm[o->comm - 1].id;

	if (r->partial || p->partial)
		return;
	xrankset_add(&s->on, (uint32_t)o->peer, (uint32_t)o->peer);
	s->certain = traffic(p, id, (int32_t)rank, o->tag, true) <
		     traffic(r, id, o->peer, o->tag, false);
	s->need = s->certain ? NEED_ANY : NEED_DONE;
}

/* Locks of the target that p has and o cannot have beside its own. */
static bool holds_lock(const struct mpistate_report *p, uint64_t id, const struct mpistate_op *o)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < p->ntraffic; i++) {
		const struct mpistate_traffic *t = &p->traffic[i];

		if (p->comm[t->comm - 1].id == id &&
		    (t->peer == o->peer || t->peer == MPISTATE_ANY) &&
		    (t->tag == MPISTATE_TAG_EXCLUSIVE ||
		     (t->tag == MPISTATE_TAG_SHARED && o->tag == MPISTATE_TAG_EXCLUSIVE)))
			n += (int64_t)t->sends - (int64_t)t->recvs;
	}
	return n > 0;
}

/* A lock waits for all who have one that is in its way; nothing is known when nobody has. */
static void check_lock(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
		       struct op_state *s)
{
	uint64_t id = m->r[rank]->comm[o->comm - 1].id;

	for (uint32_t p = 0; p < m->n; p++) {
		if (p == rank)
			continue;
		if (m->r[p]->partial)
			return;
		if (holds_lock(m->r[p], id, o))
			xrankset_add(&s->on, p, p);
	}
	s->certain = s->on.n != 0;
	s->need = s->on.n ? NEED_ALL : NEED_MAY;
}

static void check_window(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			 struct op_state *s)
{
	if (o->peer < 0 || (uint32_t)o->peer >= m->n)
		return;
	if (o->tag == MPISTATE_TAG_POSTED || o->tag == MPISTATE_TAG_COMPLETED)
		check_epoch(m, rank, o, s);
	else if (o->tag == MPISTATE_TAG_SHARED || o->tag == MPISTATE_TAG_EXCLUSIVE)
		check_lock(m, rank, o, s);
}

static void check_op(struct maker *m, uint32_t rank, const struct mpistate_op *o, bool any,
		     struct op_state *s)
{
	*s = (struct op_state){ .need = NEED_MAY };
	if (!o->comm)
		return;
	if (o->kind == MPISTATE_OP_OTHER) {
		check_window(m, rank, o, s);
		return;
	}
	if (o->kind == MPISTATE_OP_COLL) {
		check_collective(m, rank, o, s);
		return;
	}
	if ((o->peer < 0 && o->peer != MPISTATE_ANY) || (o->peer >= 0 && (uint32_t)o->peer >= m->n))
		return;
	if (o->kind == MPISTATE_OP_RECV)
		check_recv(m, rank, o, any, s);
	else if (mpistate_call_class(o->call) != MPISTATE_OTHER)
		check_send(m, rank, o, s);
}

/* Whether the ranks that it needs can do their part. */
static bool comes(const struct maker *m, const struct op_state *s)
{
	bool all = s->need == NEED_ALL;

	if (s->need == NEED_MAY || s->need == NEED_NEVER)
		return s->need == NEED_MAY;
	if (s->need == NEED_DONE && !s->on.n)
		return true;
	for (int64_t p = rankset_next(&s->on, 0); p >= 0;
	     p = rankset_next(&s->on, (uint32_t)p + 1)) {
		bool may = (uint32_t)p < m->n && m->may[p] &&
			   m->r[p]->doing != MPISTATE_DOES_FINALIZES;

		if (may != all)
			return may;
	}
	return all;
}

/* In MPI_Finalize: until all are there. */
static bool finalize_comes(struct maker *m, uint32_t rank)
{
	for (uint32_t p = 0; p < m->n; p++)
		if (p != rank && m->r[p]->doing != MPISTATE_DOES_FINALIZES && !gone(m->r[p]) &&
		    !m->may[p])
			return false;
	return true;
}

static void keep_why(struct hang_rank *h, const struct op_state *s, uint32_t op)
{
	xrankset_add_set(&h->waits, &s->on);
	if (s->need == NEED_NEVER && !h->why) {
		h->why = s->why.why;
		h->other = s->why.other;
		h->with = s->why.with;
		h->with_comm = s->why.with_comm;
		h->op = op;
	}
}

/*
 * Of a call that waits for all of its ops. Sends may have left without a receiver, which cannot be
 * seen, and a message that is there may have been taken: what certainly lacks decides, or else one
 * of the sends, when each other op has all it needs.
 */
static bool all_come(struct maker *m, uint32_t rank, struct hang_rank *h)
{
	const struct mpistate_report *r = m->r[rank];
	bool certain = false, sends = false, one_send = false, unclear = false, comes_all = true;

	for (uint32_t i = 0; i < r->nop; i++) {
		struct op_state s;
		bool c;

		check_op(m, rank, &r->op[i], false, &s);
		c = comes(m, &s);
		if (s.certain) {
			certain = true;
			comes_all &= c;
		} else if (s.need == NEED_ANY) {
			sends = true;
			one_send |= c;
		} else {
			unclear |= c;
		}
		if (h && s.need != NEED_DONE && s.need != NEED_MAY)
			keep_why(h, &s, i);
		rankset_clear(&s.on);
	}
	if (certain)
		return comes_all;
	return !sends || one_send || unclear;
}

static bool any_comes(struct maker *m, uint32_t rank, struct hang_rank *h)
{
	const struct mpistate_report *r = m->r[rank];
	bool can = !r->nop;

	for (uint32_t i = 0; i < r->nop; i++) {
		struct op_state s;

		check_op(m, rank, &r->op[i], true, &s);
		can |= s.need == NEED_DONE || comes(m, &s);
		if (h && s.need != NEED_MAY)
			keep_why(h, &s, i);
		rankset_clear(&s.on);
	}
	return can;
}

/* h: to be filled with what it waits for; may be NULL. */
static bool can_go_on(struct maker *m, uint32_t rank, struct hang_rank *h)
{
	const struct mpistate_report *r = m->r[rank];

	if (r->doing == MPISTATE_DOES_FINALIZES) {
		for (uint32_t p = 0; h && p < m->n; p++)
			if (p != rank && m->r[p]->doing != MPISTATE_DOES_FINALIZES &&
			    !gone(m->r[p]))
				xrankset_add(&h->waits, p, p);
		return finalize_comes(m, rank);
	}
	if (r->nop && r->partial && r->requests > MPISTATE_REQUESTS)
		return true;
	return r->any ? any_comes(m, rank, h) : all_come(m, rank, h);
}

/* A message from `from` to rank on any communicator that nobody has received: the nearest to o. */
static bool find_missed(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			uint32_t from, struct hang_rank *h)
{
	const struct mpistate_report *s = m->r[from];
	uint64_t id = m->r[rank]->comm[o->comm - 1].id;
	int best = 0;

	for (uint32_t i = 0; i < s->ntraffic; i++) {
		const struct mpistate_traffic *t = &s->traffic[i];
		uint64_t there = s->comm[t->comm - 1].id;
		int fits = (there == id ? 2 : 1) + (covers(o->tag, t->tag) ? 2 : 0);

		/* epochs of windows have negative tags */
		if (t->tag < 0 || t->peer != (int32_t)rank || fits <= best ||
		    t->sends <= takers(m->r[rank], there, (int32_t)from, t->tag))
			continue;
		best = fits;
		h->why = HANG_WHY_MISSED;
		h->other = (int32_t)from;
		h->with = i;
	}
	return best > 0;
}

/* A receive of `by` that nearly fits a send of rank. */
static bool find_receiver(const struct maker *m, uint32_t rank, const struct mpistate_op *o,
			  uint32_t by, struct hang_rank *h)
{
	const struct mpistate_report *p = m->r[by];

	for (uint32_t i = 0; i < p->nop; i++) {
		const struct mpistate_op *x = &p->op[i];

		if (x->kind != MPISTATE_OP_RECV || !covers(x->peer, (int32_t)rank) || !x->comm)
			continue;
		if (covers(x->tag, o->tag) &&
		    p->comm[x->comm - 1].id == m->r[rank]->comm[o->comm - 1].id)
			continue;
		h->why = HANG_WHY_MISSED;
		h->other = (int32_t)by;
		h->with = i;
		return true;
	}
	return false;
}

static void find_why(const struct maker *m, uint32_t rank, struct hang_rank *h)
{
	const struct mpistate_report *r = m->r[rank];

	for (uint32_t i = 0; i < r->nop && !h->why; i++) {
		const struct mpistate_op *o = &r->op[i];

		for (int64_t p = rankset_next(&h->waits, 0); p >= 0 && !h->why && o->comm;
		     p = rankset_next(&h->waits, (uint32_t)p + 1)) {
			if ((uint32_t)p >= m->n || !covers(o->peer, (int32_t)p))
				continue;
			h->op = i;
			if (o->kind == MPISTATE_OP_RECV)
				find_missed(m, rank, o, (uint32_t)p, h);
			else if (o->kind == MPISTATE_OP_SEND)
				find_receiver(m, rank, o, (uint32_t)p, h);
		}
	}
	for (int64_t p = rankset_next(&h->waits, 0); p >= 0 && !h->why;
	     p = rankset_next(&h->waits, (uint32_t)p + 1))
		if ((uint32_t)p < m->n &&
		    (gone(m->r[p]) || m->r[p]->doing == MPISTATE_DOES_FINALIZES) &&
		    r->doing != MPISTATE_DOES_FINALIZES) {
			h->why = HANG_WHY_GONE;
			h->other = (int32_t)p;
		}
	if (!h->why)
		h->why = HANG_WHY_KNOT;
}

/* The first stuck rank for which that one waits; n: none. */
static uint32_t next_stuck(const struct hang_graph *g, uint32_t rank)
{
	const struct rankset *waits = &g->rank[rank].waits;

	for (int64_t p = rankset_next(waits, 0); p >= 0 && p < g->n;
	     p = rankset_next(waits, (uint32_t)p + 1))
		if (g->rank[p].stuck)
			return (uint32_t)p;
	return g->n;
}

/* Follows from each stuck rank the first for which it waits, until one comes again. */
static void find_cycle(struct hang_graph *g)
{
	uint32_t *seen = xcalloc(g->n + 1, sizeof(*seen)), *path = xcalloc(g->n + 1, sizeof(*path));

	for (uint32_t i = 0; i < g->n && !g->ncycle; i++) {
		uint32_t at = i, n = 0;

		if (!g->rank[i].stuck || seen[i])
			continue;
		/* where an earlier walk has been there is no cycle */
		while (at < g->n && !seen[at]) {
			path[n++] = at;
			seen[at] = i + 1;
			at = next_stuck(g, at);
		}
		if (at == g->n || seen[at] != i + 1)
			continue;
		g->cycle = xcalloc(n, sizeof(*g->cycle));
		for (uint32_t k = 0; k < n; k++)
			if (g->ncycle || path[k] == at)
				g->cycle[g->ncycle++] = path[k];
	}
	free(seen);
	free(path);
}

static void mark_stuck(struct maker *m)
{
	struct hang_graph *g = m->g;

	for (uint32_t i = 0; i < m->n; i++) {
		struct hang_rank *h = &g->rank[i];

		h->other = -1;
		if (!blocked(m->r[i]) && m->r[i]->doing != MPISTATE_DOES_CALL &&
		    m->r[i]->doing != MPISTATE_DOES_POLLS)
			continue;
		can_go_on(m, i, h);
		h->stuck = blocked(m->r[i]) && !m->may[i];
		if (!h->stuck) {
			h->why = HANG_WHY_NOT;
			continue;
		}
		xrankset_add(&g->stuck, i, i);
		if (!h->why)
			find_why(m, i, h);
	}
	find_cycle(g);
	for (uint32_t k = 0; k < g->ncycle; k++)
		if (g->rank[g->cycle[k]].why == HANG_WHY_KNOT)
			g->rank[g->cycle[k]].why = HANG_WHY_CYCLE;
}

void hang_graph_make(struct hang_graph *g, const struct mpistate_report *const *r, uint32_t n)
{
	struct maker m = { .r = r, .n = n, .g = g, .may = xcalloc(n + 1, sizeof(bool)) };
	bool more = true;

	*g = (struct hang_graph){ .n = n, .rank = xcalloc(n + 1, sizeof(*g->rank)) };
	for (uint32_t i = 0; i < n; i++)
		m.may[i] = !blocked(r[i]) && !gone(r[i]);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < n; i++)
			if (!m.may[i] && blocked(r[i]) && can_go_on(&m, i, NULL))
				m.may[i] = more = true;
	}
	mark_stuck(&m);
	g->verdict = g->stuck.n ? HANG_DEADLOCK : HANG_NO_PROGRESS;
	for (size_t i = 0; i < m.narrival; i++)
		rankset_clear(&m.arrival[i].missing);
	free(m.arrival);
	free(m.may);
}

bool hang_unreceived(const struct mpistate_report *const *r, uint32_t n, uint32_t rank, uint32_t i)
{
	const struct mpistate_traffic *t = &r[rank]->traffic[i];
	const struct mpistate_report *to;

	for (uint32_t p = 0; p < n; p++)
		if (r[p]->doing != MPISTATE_DOES_FINALIZES || r[p]->partial)
			return false;
	if (t->tag < 0 || t->peer < 0 || (uint32_t)t->peer >= n)
		return false;
	to = r[t->peer];
	return t->sends > takers(to, r[rank]->comm[t->comm - 1].id, (int32_t)rank, t->tag);
}

bool hang_candidate(const struct mpistate_report *const *r, uint32_t rank,
		    const struct mpistate_op *o, uint32_t from, uint32_t *i)
{
	const struct mpistate_report *s = r[from];
	uint64_t id;

	if (o->kind != MPISTATE_OP_RECV || !o->comm || from == rank || o->peer < 0 ||
	    o->peer == (int32_t)from || r[rank]->partial || s->partial)
		return false;
	id = r[rank]->comm[o->comm - 1].id;
	for (*i = 0; *i < s->ntraffic; ++*i) {
		const struct mpistate_traffic *t = &s->traffic[*i];

		if (t->tag >= 0 && t->peer == (int32_t)rank && covers(o->tag, t->tag) &&
		    s->comm[t->comm - 1].id == id &&
		    t->sends > takers(r[rank], id, (int32_t)from, t->tag))
			return true;
	}
	return false;
}

void hang_graph_clear(struct hang_graph *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		rankset_clear(&g->rank[i].waits);
	rankset_clear(&g->stuck);
	free(g->rank);
	free(g->cycle);
	*g = (struct hang_graph){ 0 };
}
