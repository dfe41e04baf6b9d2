/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks all ranks what they do in MPI, and words what comes of it.
 */
#include "frontend/hang/hang.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/merge_equal.h"
#include "frontend/model/session.h"
#include "frontend/native/native.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define MOVED_MS 200 /* the time that a supervisor may take to see that its rank has moved */
#define TRIES 3	     /* to see a deadlock that holds still */

/* What all ranks have answered. */
struct answers {
	struct session *s;
	uint32_t n;
	struct mpistate_report *report;	      /* owned; of rank i */
	const struct mpistate_report **of;    /* owned; the same */
	struct groups groups;		      /* what texts of reports are in */
	struct hang_graph graph;
};

static void put_text(json_t *o, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(o, key, out_json_text(text));
}

/* "MPI_COMM_WORLD", "the communicator of MPI_Comm_split at f.c:12". Returns out. */
static const char *comm_words(struct session *s, const struct mpistate_comm *c, char *out,
			      size_t size)
{
	static const char *const what[] = { "communicator", "window", "file" };
	char place[256];

	if (c->name[0])
		snprintf(out, size, "%s", c->name);
	else if (c->made.module && *c->made.module)
		snprintf(out, size, "the %s of %s at %s", what[c->what],
			 mpistate_call_name(c->made_by),
			 symbols_text(s->symbols, &c->made, place, sizeof(place)));
	else
		snprintf(out, size, "a %s", what[c->what]);
	return out;
}

/* A rank in words: "1", "any rank". */
static json_t *peer_json(const struct mpistate_op *o)
{
	if (o->peer == MPISTATE_ANY)
		return json_string("any");
	return o->peer >= 0 ? json_integer(o->peer) : json_null();
}

/* MPI_Win_start and others that wait for the ranks of a group. */
static bool is_epoch(const struct mpistate_op *o)
{
	return o->kind == MPISTATE_OP_OTHER &&
	       (o->tag == MPISTATE_TAG_POSTED || o->tag == MPISTATE_TAG_COMPLETED);
}

static json_t *op_json(struct session *s, const struct mpistate_report *r,
		       const struct mpistate_op *o)
{
	static const char *const kinds[] = { "send", "receive", "collective", "other" };
	json_t *j = json_pack("{s:s s:s}", "kind", kinds[o->kind], "call",
			      o->call < MPISTATE_CALLS ? mpistate_call_name(o->call) : "request");
	char text[400];

	if (o->kind != MPISTATE_OP_COLL && o->peer != MPISTATE_UNKNOWN && !is_epoch(o))
		json_object_set_new(j, "peer", peer_json(o));
	if (o->kind <= MPISTATE_OP_RECV)
		json_object_set_new(j, "tag",
				    o->tag == MPISTATE_ANY ? json_string("any") :
							     json_integer(o->tag));
	if (o->kind == MPISTATE_OP_COLL && o->root >= 0)
		json_object_set_new(j, "root", json_integer(o->root));
	if (o->comm) {
		const struct mpistate_comm *c = &r->comm[o->comm - 1];

		put_text(j, "comm", comm_words(s, c, text, sizeof(text)));
		json_object_set_new(j, "size", json_integer(c->size));
	}
	if (o->type[0] || o->count) {
		json_object_set_new(j, "count", json_integer((json_int_t)o->count));
		put_text(j, "datatype",
			 o->type[0]	 ? o->type
			 : o->count == 1 ? "value of a derived type"
					 : "values of a derived type");
	}
	ask_put_place(s, j, &o->place);
	return j;
}

void hang_put_call(struct session *s, json_t *o, const struct mpistate_report *r)
{
	const char *doing = mpistate_doing_words(r->doing);
	json_t *ops;

	if (r->doing == MPISTATE_DOES_NO_MPI && s->job && !job_needs_mpi(s->job))
		doing = "without MPI";
	json_object_set_new(o, "doing", json_string(doing));
	if (r->call >= MPISTATE_CALLS || (r->doing != MPISTATE_DOES_CALL &&
					  r->doing != MPISTATE_DOES_POLLS &&
					  r->doing != MPISTATE_DOES_STOPPED &&
					  r->doing != MPISTATE_DOES_FINALIZES))
		return;
	json_object_set_new(o, "call", json_string(mpistate_call_name(r->call)));
	ask_put_place(s, o, &r->place);
	ops = json_array();
	/* of an epoch there is one for each rank that is waited for */
	for (uint32_t i = 0; i < r->nop && (!i || !is_epoch(&r->op[i])); i++)
		json_array_append_new(ops, op_json(s, r, &r->op[i]));
	json_object_set_new(o, "ops", ops);
	if (r->requests) {
		json_object_set_new(o, "requests", json_integer(r->requests));
		json_object_set_new(o, "any", json_boolean(r->any));
	}
}

static void answers_clear(struct answers *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		mpistate_report_clear(&a->report[i]);
	hang_graph_clear(&a->graph);
	groups_clear(&a->groups);
	free(a->report);
	free(a->of);
}

static void take_group(struct answers *a, const struct rank_group *g)
{
	for (int64_t r = rankset_next(&g->ranks, 0); r >= 0 && r < a->n;
	     r = rankset_next(&g->ranks, (uint32_t)r + 1)) {
		struct buf b = buf_view(g->blob, g->len);
		struct mpistate_report one;

		if (mpistate_report_get(&one, &b))
			continue;
		mpistate_report_clear(&a->report[r]);
		a->report[r] = one;
	}
}

static int ask_once(struct answers *a, struct session *s)
{
	struct msg_query q = { .kind = QUERY_MPI, .n = 1 };
	struct rankset silent = { 0 };
	int rc;

	*a = (struct answers){ .s = s, .n = (uint32_t)job_size(s->job) };
	a->report = xcalloc(a->n + 1, sizeof(*a->report));
	a->of = xcalloc(a->n + 1, sizeof(*a->of));
	rc = ask(s, &q, job_set(s->job, JOB_ALL), &a->groups, &silent, NULL);
	rankset_clear(&silent);
	if (rc)
		return -1;
	for (uint32_t i = 0; i < a->n; i++) {
		a->report[i].call = MPISTATE_CALLS;
		a->of[i] = &a->report[i];
	}
	for (size_t i = 0; i < a->groups.n; i++)
		take_group(a, &a->groups.group[i]);
	for (uint32_t i = 0; i < a->n; i++)
		if (rankset_has(job_set(s->job, JOB_EXITED), i))
			a->report[i].doing = MPISTATE_DOES_ENDED;
	hang_graph_make(&a->graph, a->of, a->n);
	return 0;
}

/* Whether one that can never go on has moved since: the ranks have answered one after the other. */
static bool has_moved(const struct answers *a, int64_t since)
{
	struct rankset stuck = { 0 };
	bool moved;

	xrankset_copy(&stuck, &a->graph.stuck);
	xrankset_intersect(&stuck, job_set(a->s->job, JOB_RUNNING));
	moved = stuck.n && !hang_still(a->s, &stuck, loop_now() - since + MOVED_MS);
	rankset_clear(&stuck);
	return moved;
}

/* No deadlock is seen between states of different moments. */
static int ask_all(struct answers *a, struct session *s)
{
	for (unsigned tries = 0;; tries++) {
		int64_t since = loop_now();

		if (ask_once(a, s))
			return -1;
		if (a->graph.verdict != HANG_DEADLOCK || !has_moved(a, since))
			return 0;
		if (tries == TRIES)
			break;
		answers_clear(a);
	}
	a->graph.verdict = HANG_NO_PROGRESS;
	for (uint32_t i = 0; i < a->graph.n; i++)
		a->graph.rank[i].stuck = false;
	rankset_clear(&a->graph.stuck);
	return 0;
}

/* What a group of ranks that do the same is told by: peers may differ. */
static json_t *group_key(struct answers *a, uint32_t rank)
{
	json_t *o = json_object(), *ops;
	size_t i;
	json_t *op;

	hang_put_call(a->s, o, &a->report[rank]);
	ops = json_object_get(o, "ops");
	json_array_foreach (ops, i, op) {
		json_object_del(op, "peer");
	}
	json_object_set_new(o, "stuck", json_boolean(a->graph.rank[rank].stuck));
	return o;
}

struct group {
	json_t *key; /* owned */
	struct rankset ranks, waits;
	uint32_t tenths, first;
};

static void group_take(struct answers *a, struct group **list, size_t *n, uint32_t rank)
{
	json_t *key = group_key(a, rank);
	struct group *g = NULL;

	for (size_t i = 0; i < *n && !g; i++)
		if (json_equal((*list)[i].key, key))
			g = &(*list)[i];
	if (!g) {
		g = xvec_add(*list, *n);
		if (!g)
			xalloc_failed();
		g->key = json_incref(key);
		g->first = rank;
		g->tenths = a->report[rank].tenths;
	}
	json_decref(key);
	xrankset_add(&g->ranks, rank, rank);
	xrankset_add_set(&g->waits, &a->graph.rank[rank].waits);
	if (a->report[rank].tenths < g->tenths)
		g->tenths = a->report[rank].tenths;
}

/* "peer" of each op: a rank, or of several ranks how far it is from each: "+1". */
static void put_peers(const struct answers *a, const struct group *g, json_t *o)
{
	json_t *ops = json_object_get(o, "ops"), *op;
	size_t i;

	json_array_foreach (ops, i, op) {
		const struct mpistate_op *first = &a->report[g->first].op[i];
		bool same = true, shifted = true;
		uint32_t shift = ((uint32_t)first->peer + a->n - g->first) % a->n;

		if (first->kind == MPISTATE_OP_COLL || first->peer == MPISTATE_UNKNOWN ||
		    is_epoch(first))
			continue;
		for (int64_t r = rankset_next(&g->ranks, 0); r >= 0;
		     r = rankset_next(&g->ranks, (uint32_t)r + 1)) {
			int32_t peer = a->report[r].op[i].peer;

			same &= peer == first->peer;
			shifted &= peer >= 0 && ((uint32_t)peer + a->n - r) % a->n == shift;
		}
		if (same)
			json_object_set_new(op, "peer", peer_json(first));
		else if (shifted && first->peer >= 0)
			json_object_set_new(op, "peer",
					    shift <= a->n / 2
						    ? json_sprintf("rank+%u", shift)
						    : json_sprintf("rank-%u", a->n - shift));
		else
			json_object_set_new(op, "peer", json_string("several"));
	}
}

static json_t *groups_json(struct answers *a)
{
	struct group *list = NULL;
	size_t n = 0;
	json_t *out = json_array();

	for (uint32_t i = 0; i < a->n; i++)
		group_take(a, &list, &n, i);
	for (size_t i = 0; i < n; i++) {
		struct group *g = &list[i];

		json_object_set_new(g->key, "ranks", ask_ranks(&g->ranks));
		if (g->waits.n)
			json_object_set_new(g->key, "waits_for", ask_ranks(&g->waits));
		json_object_set_new(g->key, "seconds", json_real(g->tenths / 10.0));
		put_peers(a, g, g->key);
		json_array_append_new(out, g->key);
		rankset_clear(&g->ranks);
		rankset_clear(&g->waits);
	}
	free(list);
	return out;
}

/* "f.c:12" of a place. Returns out. */
static const char *at_words(struct answers *a, const struct place *p, char *out, size_t size)
{
	if ((!p->module || !*p->module) && (!p->file || !*p->file))
		return "an unknown place";
	return symbols_text(a->s->symbols, p, out, (unsigned)size);
}

static void tag_words(int32_t tag, char out[24])
{
	if (tag == MPISTATE_ANY)
		strcpy(out, "any tag");
	else
		snprintf(out, 24, "tag %d", tag);
}

static json_t *missed_send(struct answers *a, uint32_t rank, const struct hang_rank *h)
{
	const struct mpistate_report *o = a->of[h->other];
	const struct mpistate_traffic *t = &o->traffic[h->with];
	const struct mpistate_op *op = &a->of[rank]->op[h->op];
	const struct mpistate_comm *there = &o->comm[t->comm - 1];
	const struct mpistate_comm *here = &a->of[rank]->comm[op->comm - 1];
	char tag[24], wants[24], at[256], c1[300], c2[300];

	tag_words(t->tag, tag);
	tag_words(op->tag, wants);
	if (there->id == here->id)
		return json_sprintf(
			"rank %u waits for %s; rank %d has sent it %s, which nobody has "
			"received (%s at %s)",
			rank, wants, h->other, tag, mpistate_call_name(t->call),
			at_words(a, &t->place, at, sizeof(at)));
	return json_sprintf("rank %u receives on %s; rank %d has sent to it on %s (%s, %s at %s)",
			    rank, comm_words(a->s, here, c1, sizeof(c1)), h->other,
			    comm_words(a->s, there, c2, sizeof(c2)), tag,
			    mpistate_call_name(t->call), at_words(a, &t->place, at, sizeof(at)));
}

static json_t *missed_receive(struct answers *a, uint32_t rank, const struct hang_rank *h)
{
	const struct mpistate_report *o = a->of[h->other];
	const struct mpistate_op *x = &o->op[h->with], *op = &a->of[rank]->op[h->op];
	char tag[24], sends[24], at[256], c1[300], c2[300];

	tag_words(x->tag, tag);
	tag_words(op->tag, sends);
	return json_sprintf("rank %u sends %s on %s; rank %d receives %s on %s (%s at %s)", rank,
			    sends,
			    comm_words(a->s, &a->of[rank]->comm[op->comm - 1], c1, sizeof(c1)),
			    h->other, tag, comm_words(a->s, &o->comm[x->comm - 1], c2, sizeof(c2)),
			    mpistate_call_name(x->call), at_words(a, &x->place, at, sizeof(at)));
}

static const char *root_words(int32_t root, char out[16])
{
	if (root == MPISTATE_ROOT)
		return "MPI_ROOT";
	if (root == MPISTATE_NULL)
		return "MPI_PROC_NULL";
	snprintf(out, 16, "%d", root);
	return out;
}

static json_t *collective_words(struct answers *a, uint32_t rank, const struct hang_rank *h)
{
	const struct mpistate_op *op = &a->of[rank]->op[h->op];
	const struct mpistate_comm *there = &a->of[h->other]->comm[h->with_comm - 1];
	const struct mpistate_past *x = &there->past[h->with];
	char at[256], other[256], comm[300], root[16], another[16];

	comm_words(a->s, there, comm, sizeof(comm));
	if (h->why == HANG_WHY_ROOT)
		return json_sprintf(
			"collective %u on %s has root %s on rank %u (%s at %s) and root %s "
			"on rank %d (at %s)",
			op->number, comm, root_words(op->root, root), rank,
			mpistate_call_name(op->call), at_words(a, &op->place, at, sizeof(at)),
			root_words(x->root, another), h->other,
			at_words(a, &x->place, other, sizeof(other)));
	return json_sprintf(
		"collective %u on %s is %s on rank %u (at %s) and %s on rank %d (at %s)",
		op->number, comm, mpistate_call_name(op->call), rank,
		at_words(a, &op->place, at, sizeof(at)), mpistate_call_name(x->call), h->other,
		at_words(a, &x->place, other, sizeof(other)));
}

static const char *gone_words(const struct mpistate_report *r)
{
	return r->doing == MPISTATE_DOES_FINALIZES || r->doing == MPISTATE_DOES_FINALIZED ?
		       "has called MPI_Finalize" :
		       "has ended";
}

#define CYCLE_WHOLE 6 /* ranks; of longer cycles the beginning is shown, CYCLE_SHOWN of them */
#define CYCLE_SHOWN 4
#define CANDIDATES 4 /* lines with causes, at most, when these are the last */

static json_t *cycle_words(const struct hang_graph *g)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = xmemstream(&text, &len);
	json_t *j;

	if (g->ncycle == 1)
		fprintf(f, "rank %u waits for itself", g->cycle[0]);
	for (uint32_t i = 0; i < g->ncycle && g->ncycle > 1; i++) {
		if (i == CYCLE_SHOWN && g->ncycle > CYCLE_WHOLE) {
			fprintf(f, " for ... (%u ranks)", g->ncycle);
			break;
		}
		if (i)
			fprintf(f, " for rank %u, ", g->cycle[i]);
		fprintf(f, i ? "rank %u" : "rank %u waits", g->cycle[i]);
	}
	if (g->ncycle > 1 && g->ncycle <= CYCLE_WHOLE)
		fprintf(f, " for rank %u", g->cycle[0]);
	xmemstream_close(f);
	j = json_string(text);
	free(text);
	return j;
}

static json_t *cause_words(struct answers *a, uint32_t rank)
{
	const struct hang_rank *h = &a->graph.rank[rank];

	switch (h->why) {
	case HANG_WHY_KIND:
	case HANG_WHY_ROOT:
		return collective_words(a, rank, h);
	case HANG_WHY_MISSED:
		return a->of[rank]->op[h->op].kind == MPISTATE_OP_RECV ? missed_send(a, rank, h) :
									missed_receive(a, rank, h);
	case HANG_WHY_GONE:
		return json_sprintf("rank %u waits for rank %d, which %s", rank, h->other,
				    gone_words(a->of[h->other]));
	}
	return NULL;
}

/* Whether what does not fit has been reported of another rank. */
static bool is_known(const struct answers *a, uint32_t rank)
{
	const struct hang_rank *h = &a->graph.rank[rank];
	const struct mpistate_op *op = &a->of[rank]->op[h->op];

	if (h->why != HANG_WHY_KIND && h->why != HANG_WHY_ROOT)
		return false;
	for (uint32_t i = 0; i < rank; i++) {
		const struct hang_rank *k = &a->graph.rank[i];
		const struct mpistate_op *other = &a->of[i]->op[k->op];

		if (k->stuck && k->why == h->why && other->number == op->number &&
		    a->of[i]->comm[other->comm - 1].id == a->of[rank]->comm[op->comm - 1].id)
			return true;
	}
	return false;
}

/* What a rank that waits for messages of others has been sent. */
static void put_candidates(struct answers *a, uint32_t rank, json_t *out)
{
	const struct hang_rank *h = &a->graph.rank[rank];
	char tag[24], at[256];
	uint32_t i;

	if (!h->stuck || (h->why != HANG_WHY_CYCLE && h->why != HANG_WHY_KNOT))
		return;
	for (uint32_t k = 0; k < a->of[rank]->nop; k++)
		for (uint32_t from = 0; from < a->n; from++) {
			const struct mpistate_op *op = &a->of[rank]->op[k];
			const struct mpistate_traffic *t;

			if (!hang_candidate(a->of, rank, op, from, &i))
				continue;
			t = &a->of[from]->traffic[i];
			tag_words(t->tag, tag);
			json_array_append_new(
				out,
				json_pack("{s:s s:i s:i s:o}", "kind", "source", "rank", (int)rank,
					  "other", (int)from, "text",
					  json_sprintf("rank %u receives from rank %d; rank %u has "
						       "sent it %s, which nobody has received "
						       "(%s at %s)",
						       rank, op->peer, from, tag,
						       mpistate_call_name(t->call),
						       at_words(a, &t->place, at, sizeof(at)))));
			return;
		}
}

/* The reasons: what does not fit first, then who is gone, or else a cycle. */
static json_t *causes_json(struct answers *a)
{
	static const uint8_t order[] = { HANG_WHY_KIND, HANG_WHY_ROOT, HANG_WHY_MISSED,
					 HANG_WHY_GONE };
	const struct hang_graph *g = &a->graph;
	json_t *out = json_array();

	for (size_t k = 0; k < sizeof(order); k++)
		for (uint32_t i = 0; i < g->n; i++)
			if (g->rank[i].stuck && g->rank[i].why == order[k] && !is_known(a, i))
				json_array_append_new(out, json_pack("{s:s s:i s:i s:o}", "kind",
								     hang_why_name(order[k]),
								     "rank", (int)i, "other",
								     (int)g->rank[i].other, "text",
								     cause_words(a, i)));
	if (g->ncycle && !json_array_size(out))
		json_array_append_new(out, json_pack("{s:s s:i s:i s:o}", "kind", "cycle", "rank",
						     (int)g->cycle[0], "other",
						     (int)g->cycle[g->ncycle > 1], "text",
						     cycle_words(g)));
	for (uint32_t i = 0; i < g->n && json_array_size(out) < CANDIDATES; i++)
		put_candidates(a, i, out);
	return out;
}

/* What MPI_Finalize may wait for, when all ranks are in it. */
static void put_unreceived(struct answers *a, json_t *causes)
{
	char at[256];

	for (uint32_t rank = 0; rank < a->n; rank++)
		for (uint32_t i = 0; i < a->of[rank]->ntraffic; i++) {
			const struct mpistate_traffic *t = &a->of[rank]->traffic[i];
			json_t *text;

			if (!hang_unreceived(a->of, a->n, rank, i))
				continue;
			text = json_sprintf(
				"rank %u has sent rank %d tag %d, which nobody receives "
				"(%s at %s)",
				rank, t->peer, t->tag, mpistate_call_name(t->call),
				at_words(a, &t->place, at, sizeof(at)));
			json_array_append_new(
				causes, json_pack("{s:s s:i s:i s:o}", "kind", "unreceived", "rank",
						  (int)rank, "other", (int)t->peer, "text", text));
		}
}

json_t *hang_report(struct session *s, enum hang_verdict *verdict)
{
	struct answers a;
	json_t *o, *causes;
	uint32_t least = UINT32_MAX;

	if (ask_all(&a, s)) {
		answers_clear(&a);
		return NULL;
	}
	for (uint32_t i = 0; i < a.n; i++)
		if (a.report[i].doing != MPISTATE_DOES_ENDED && a.report[i].tenths < least)
			least = a.report[i].tenths;
	causes = causes_json(&a);
	put_unreceived(&a, causes);
	o = json_pack("{s:s s:s s:f s:o s:o}", "type", "hang", "verdict",
		      a.graph.verdict == HANG_DEADLOCK ? "deadlock" : "no progress", "seconds",
		      least == UINT32_MAX ? 0.0 : least / 10.0, "groups", groups_json(&a), "causes",
		      causes);
	if (a.graph.stuck.n)
		json_object_set_new(o, "stuck", ask_ranks(&a.graph.stuck));
	if (verdict)
		*verdict = a.graph.verdict;
	answers_clear(&a);
	return o;
}

bool hang_blocked(struct session *s, const struct rankset *ranks, uint32_t tenths)
{
	struct answers a;
	bool all = ranks->n;

	if (!s->job)
		return false;
	if (ask_all(&a, s))
		all = false;
	for (int64_t r = rankset_next(ranks, 0); all && r >= 0;
	     r = rankset_next(ranks, (uint32_t)r + 1))
		all = r < a.n && a.report[r].doing == MPISTATE_DOES_CALL &&
		      !a.report[r].threads && a.report[r].tenths >= tenths;
	answers_clear(&a);
	return all;
}

/* ---- what has set something ---- */

static const struct mpistate_past *newest_of(const struct mpistate_report *r, const char *object,
					     uint32_t since)
{
	const struct mpistate_past *found = NULL;

	for (uint32_t k = 0; k < r->ncomm; k++)
		for (uint32_t i = 0; i < r->comm[k].npast; i++) {
			const struct mpistate_past *x = &r->comm[k].past[i];

			if (!strcmp(x->object, object) && x->main >= since &&
			    x->call < MPISTATE_CALLS && (!found || x->main >= found->main))
				found = x;
		}
	return found;
}

/* "MPI_Allreduce at heat.c:88", to be freed. */
static char *text_of(struct session *s, const struct mpistate_past *x)
{
	struct place place = x->place;
	char where[400];

	symbols_resolve(s->symbols, &place);
	return xasprintf("%s at %s", mpistate_call_name(x->call),
			 symbols_text(s->symbols, &place, where, sizeof(where)));
}

char *hang_result_of(struct session *s, const char *object, uint32_t since)
{
	const struct mpistate_past *x = NULL;
	struct answers a;
	char *text = NULL;

	if (!s->job || ask_all(&a, s)) {
		if (s->job)
			answers_clear(&a);
		return NULL;
	}
	for (uint32_t i = 0; i < a.n && !x; i++)
		x = newest_of(&a.report[i], object, since);
	if (x)
		text = text_of(s, x);
	answers_clear(&a);
	return text;
}

/* The place is in those lines of the file. */
static bool is_in(struct session *s, const struct place *at, const char *file, uint32_t first,
		  uint32_t last, uint32_t *line)
{
	struct place place = *at;

	symbols_resolve(s->symbols, &place);
	*line = place.line;
	return place.file && !strcmp(place.file, file) && place.line >= first && place.line <= last;
}

char *hang_collective_in(struct session *s, const char *file, uint32_t first, uint32_t last,
			 uint32_t since)
{
	const struct mpistate_past *found = NULL;
	uint32_t line, best = 0;
	struct answers a;
	char *text;

	if (!s->job || ask_all(&a, s)) {
		if (s->job)
			answers_clear(&a);
		return NULL;
	}
	for (uint32_t k = 0; a.n && k < a.report[0].ncomm; k++)
		for (uint32_t i = 0; i < a.report[0].comm[k].npast; i++) {
			const struct mpistate_past *x = &a.report[0].comm[k].past[i];

			if (x->main < since || x->call >= MPISTATE_CALLS ||
			    !is_in(s, &x->place, file, first, last, &line) || line < best)
				continue;
			found = x;
			best = line;
		}
	text = found ? text_of(s, found) : NULL;
	answers_clear(&a);
	return text;
}

/* The stack that all ranks of a group have; NULL: they have several, or none. */
static const struct native_stack *stack_of(const struct native_stacks *x, const json_t *group)
{
	const struct native_stack *found = NULL;
	struct rankset ranks = { 0 };
	char *text = xstrdup(out_str(group, "ranks") + 1); /* without its brackets */

	text[strcspn(text, "]")] = '\0';
	if (!rankset_parse(&ranks, text, NULL))
		for (size_t i = 0; i < x->n && !found; i++)
			if (rankset_covers(&x->stack[i].ranks, &ranks))
				found = &x->stack[i];
	rankset_clear(&ranks);
	free(text);
	return found;
}

/*
 * A library for Fortran may have made the call in the user's place, as MPICH's for mpi_f08: then
 * the stack shows where the user's code is.
 */
static void put_lines(const struct native_stacks *x, json_t *report)
{
	const struct native_frame *frame;
	const struct native_stack *stack;
	json_t *group;
	size_t i;

	json_array_foreach (json_object_get(report, "groups"), i, group) {
		if (!json_object_get(group, "call") || json_object_get(group, "line"))
			continue;
		stack = stack_of(x, group);
		frame = stack ? native_calling_frame(stack) : NULL;
		if (!frame || !frame->file || !*frame->file)
			continue;
		json_object_set_new(group, "file", out_json_text(frame->file));
		json_object_set_new(group, "line", json_integer(frame->line));
	}
}

/* Of all threads where others than main's are in the program, else of x. */
static json_t *tree_of(struct session *s, const struct native_stacks *x)
{
	struct native_stacks all;
	bool several = false;
	json_t *tree;

	if (!native_ask_threads(s, job_set(s->job, JOB_ALL), NULL, &all, NULL))
		for (size_t i = 0; i < all.n; i++)
			several |= all.stack[i].thread && all.stack[i].n;
	tree = native_tree(several ? &all : x);
	native_clear(&all);
	return tree;
}

void hang_put_calls(struct session *s, json_t *report)
{
	struct native_stacks x;
	json_t *tree;

	if (!native_ask(s, job_set(s->job, JOB_ALL), 0, &x, NULL)) {
		put_lines(&x, report);
		tree = tree_of(s, &x);
		if (json_array_size(tree))
			json_object_set(report, "calls", tree);
		json_decref(tree);
	}
	native_clear(&x);
}
