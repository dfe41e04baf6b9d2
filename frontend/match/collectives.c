/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collectives. Each rank keeps sums over what it has given to the collectives of a communicator;
 * equal sums need no more. Where they differ, the first collective that does not match is found by
 * bisection, and the search goes on behind it.
 */
#include "frontend/match/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/finding_kind.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define SEARCHES 24 /* for collectives of one communicator that do not match */
#define SILENT_MS 5000 /* that a first question may take */

/* What a rank has after so many collectives. */
struct sums {
	bool known;
	uint64_t sum, parts;
};

/* One communicator, window or file, and the ranks that have called collectives on it. */
struct shared {
	uint64_t id;
	uint32_t size, least, most; /* ranks; collectives of all, and of some */
	struct rankset ranks;
	struct sums *last; /* owned; of all ranks of the job, when least is most */
};

/* The ranks' answers about one collective of it. */
struct asked {
	struct groups groups;
	struct agree_one *one; /* owned; of the i-th group */
};

struct side {
	const struct agree_one *one;
	struct rankset ranks; /* owned */
};

struct search {
	struct match *m;
	const struct shared *c;
	uint32_t nranks;
	struct sums *base, *at; /* owned; before the part that is searched, at its end */
	char *known[SEARCHES];	/* owned; what was found, without its number */
	unsigned nknown;
};

static void asked_clear(struct asked *a)
{
	for (size_t i = 0; i < a->groups.n; i++)
		agree_one_clear(&a->one[i]);
	free(a->one);
	groups_clear(&a->groups);
}

/* false: not all have answered. */
static bool ask_one(struct search *s, uint32_t number, struct asked *a)
{
	struct msg_query q = { .kind = QUERY_AGREE, .n = number, .rank = MPISTATE_AGREE_ONE };
	struct rankset silent = { 0 };
	char id[20];
	bool all;

	*a = (struct asked){ .one = NULL };
	snprintf(id, sizeof(id), "%llx", (unsigned long long)s->c->id);
	q.name = id;
	all = !ask(s->m->s, &q, &s->c->ranks, &a->groups, &silent, NULL) && !silent.n;
	rankset_clear(&silent);
	groups_sort_minority(&a->groups);
	a->one = xcalloc(a->groups.n + 1, sizeof(*a->one));
	for (size_t i = 0; i < a->groups.n; i++) {
		struct buf b = buf_view(a->groups.group[i].blob, a->groups.group[i].len);

		all &= !agree_one_get(&a->one[i], &b) && a->one[i].known;
	}
	return all;
}

static void put_sums(const struct asked *a, struct sums *to, uint32_t n)
{
	memset(to, 0, n * sizeof(*to));
	for (size_t i = 0; i < a->groups.n; i++) {
		const struct rankset *ranks = &a->groups.group[i].ranks;

		for (int64_t r = rankset_next(ranks, 0); r >= 0 && r < n;
		     r = rankset_next(ranks, (uint32_t)r + 1))
			to[r] = (struct sums){ true, a->one[i].sum, a->one[i].parts_sum };
	}
}

/* Whether ranks differ in what they have given since base. */
static bool differ(const struct search *s, const struct sums *at)
{
	uint64_t sum = 0, parts = 0, n = 0;

	for (uint32_t r = 0; r < s->nranks; r++) {
		if (!at[r].known)
			continue;
		if (n++ && at[r].sum - s->base[r].sum != sum)
			return true;
		sum = at[r].sum - s->base[r].sum;
		parts += at[r].parts - s->base[r].parts;
	}
	return n == s->c->size && parts;
}

/* What in the answers differs. */
struct what {
	bool call, root, op, data;
};

static bool same_data(const struct mpistate_sig *a, const struct mpistate_sig *b)
{
	return a->len == MPISTATE_SIG_UNKNOWN || b->len == MPISTATE_SIG_UNKNOWN ||
	       (a->len == b->len && a->base == b->base && a->hash == b->hash);
}

static bool same_op(uint32_t a, uint32_t b)
{
	return a == b || a == MPISTATE_GIVEN_ANY_OP || b == MPISTATE_GIVEN_ANY_OP;
}

static struct what compare(const struct asked *a)
{
	struct what w = { 0 };

	for (size_t i = 0; i < a->groups.n; i++)
		for (size_t k = i + 1; k < a->groups.n; k++) {
			const struct agree_one *x = &a->one[i], *y = &a->one[k];

			w.call |= x->call != y->call;
			w.root |= x->root != y->root;
			w.op |= !same_op(x->op, y->op);
			/* of those with parts each rank has its own */
			w.data |= !x->unknown && !y->unknown && !x->nsent && !x->nreceived &&
				  !y->nsent && !y->nreceived && !same_data(&x->sig, &y->sig);
		}
	if (w.call)
		w.root = w.op = w.data = false;
	return w;
}

/* "MPI_Bcast with root 0 of 10 integers of 4 bytes at f.c:12". */
static void put_side(struct search *s, struct match_line *l, const struct agree_one *o,
		     struct what w)
{
	match_put(l, "%s", mpistate_call_name(o->call));
	if (w.root)
		match_put(l, " with root %d", o->root);
	if (w.op)
		match_put(l, " with %s", match_op(o->op));
	if (w.data) {
		match_put(l, " of ");
		match_put_data(l, &o->sig);
	}
	match_put_place(s->m, l, &o->place);
}

/* "MPI_COMM_WORLD", "the communicator of MPI_Comm_split at f.c:12". */
static void put_name(struct search *s, struct match_line *l, const struct agree_one *o)
{
	static const char *const what[] = { "communicator", "window", "file" };

	if (o->name[0]) {
		match_put(l, "%s", o->name);
	} else if (o->made_by < MPISTATE_CALLS) {
		match_put(l, "the %s of %s", what[o->what], mpistate_call_name(o->made_by));
		match_put_place(s->m, l, &o->made);
	} else {
		match_put(l, "a communicator that has been freed");
	}
}

/* Gives the finding, unless one that differs in its number alone was given. */
static void give(struct search *s, uint32_t number, const struct agree_one *first,
		 const struct rankset *ranks, const char *text)
{
	struct match_line l = { .n = 0 };
	struct report_finding f = { .kind = FINDING_COLLECTIVE, .place = first->place };

	for (unsigned i = 0; i < s->nknown; i++)
		if (!strcmp(s->known[i], text))
			return;
	if (s->nknown == SEARCHES)
		return;
	s->known[s->nknown++] = xstrdup(text);
	match_put(&l, "collective %u on ", number);
	put_name(s, &l, first);
	match_put(&l, ": %s", text);
	f.detail = l.text;
	s->m->found(s->m->arg, ranks, &f);
}

/* The sides with the same words become one. */
static void give_sides(struct search *s, uint32_t number, const struct asked *a, struct what w)
{
	struct match_line l = { .n = 0 };
	struct rankset all = { 0 };
	bool *used = xcalloc(a->groups.n + 1, sizeof(*used));

	for (size_t i = 0; i < a->groups.n; i++) {
		struct match_line one = { .n = 0 };
		struct rankset ranks = { 0 };

		if (used[i])
			continue;
		put_side(s, &one, &a->one[i], w);
		for (size_t k = i; k < a->groups.n; k++) {
			struct match_line other = { .n = 0 };

			put_side(s, &other, &a->one[k], w);
			if (strcmp(one.text, other.text) ||
			    (w.data && !same_data(&a->one[i].sig, &a->one[k].sig)))
				continue;
			used[k] = true;
			xrankset_add_set(&ranks, &a->groups.group[k].ranks);
		}
		match_put(&l, "%s%s on ", l.n ? ", " : "", one.text);
		match_put_ranks(&l, &ranks);
		xrankset_add_set(&all, &ranks);
		rankset_clear(&ranks);
	}
	give(s, number, &a->one[0], &all, l.text);
	rankset_clear(&all);
	free(used);
}

/* Whose part for the other is not what that expects. */
struct part {
	const struct agree_one *from, *to;
	uint32_t rank_from, rank_to;
	const struct mpistate_sig *sent, *expected;
};

/* What a rank sends to another, as it was kept; NULL: it was not. */
static const struct mpistate_sig *sent_to(const struct agree_one *o, uint32_t to)
{
	if (o->nsent)
		return to < o->nsent ? &o->part[to] : NULL;
	return o->nreceived ? NULL : &o->sig;
}

static const struct mpistate_sig *expected_of(const struct agree_one *o, uint32_t from)
{
	if (o->nreceived)
		return from < o->nreceived ? &o->part[o->nsent + from] : NULL;
	return o->nsent ? NULL : &o->sig;
}

/* Which ranks have to do with one another: all, or each with the root. */
static bool are_partners(const struct agree_one *from, const struct agree_one *to)
{
	if (from->rank == to->rank)
		return false;
	if (from->root < 0)
		return true;
	return from->nsent || to->nreceived;
}

static bool find_part(const struct asked *a, struct part *out)
{
	for (size_t i = 0; i < a->groups.n; i++)
		for (size_t k = 0; k < a->groups.n; k++) {
			const struct agree_one *from = &a->one[i], *to = &a->one[k];

			if (i == k || !are_partners(from, to))
				continue;
			*out = (struct part){ .from = from,
					      .to = to,
					      .sent = sent_to(from, to->rank),
					      .expected = expected_of(to, from->rank),
					      .rank_from = (uint32_t)rankset_next(
						      &a->groups.group[i].ranks, 0),
					      .rank_to = (uint32_t)rankset_next(
						      &a->groups.group[k].ranks, 0) };
			if (out->sent && out->expected && !same_data(out->sent, out->expected))
				return true;
		}
	return false;
}

static void give_parts(struct search *s, uint32_t number, const struct asked *a)
{
	struct match_line l = { .n = 0 };
	struct rankset ranks = { 0 };
	struct part p;

	for (size_t i = 0; i < a->groups.n; i++)
		if (a->one[i].unknown)
			return;
	if (find_part(a, &p)) {
		match_put(&l, "%s: [%u] sends ", mpistate_call_name(p.from->call), p.rank_from);
		match_put_data(&l, p.sent);
		match_put_place(s->m, &l, &p.from->place);
		match_put(&l, ", [%u] expects ", p.rank_to);
		match_put_data(&l, p.expected);
		match_put(&l, " of it");
		match_put_place(s->m, &l, &p.to->place);
		xrankset_add(&ranks, p.rank_from, p.rank_from);
		xrankset_add(&ranks, p.rank_to, p.rank_to);
		give(s, number, p.from, &ranks, l.text);
	} else {
		match_put(&l, "%s: what some ranks send is not what others expect of them",
			  mpistate_call_name(a->one[0].call));
		xrankset_copy(&ranks, &s->c->ranks);
		give(s, number, &a->one[0], &ranks, l.text);
	}
	rankset_clear(&ranks);
}

/* What does not match at that number; false: nothing behind it can be compared. */
static bool explain(struct search *s, uint32_t number, const struct asked *a)
{
	struct what w = compare(a);

	if (w.call || w.root || w.op || w.data)
		give_sides(s, number, a, w);
	else
		give_parts(s, number, a);
	return !w.call;
}

/* The first number in lo + 1 … hi up to which ranks differ; they do at hi. 0: it is not kept. */
static uint32_t bisect(struct search *s, uint32_t lo, uint32_t hi)
{
	struct sums *at = xcalloc(s->nranks + 1, sizeof(*at));
	bool known = true;

	while (known && lo + 1 < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		struct asked a;

		known = ask_one(s, mid, &a);
		put_sums(&a, at, s->nranks);
		if (differ(s, at))
			hi = mid;
		else
			lo = mid;
		asked_clear(&a);
	}
	free(at);
	return known ? hi : 0;
}

/* Some differ, and what they have given at first is no longer kept. */
static void give_lost(struct search *s)
{
	struct report_finding f = { .kind = FINDING_COLLECTIVE,
				    .place = { .file = "", .func = "", .module = "" } };
	struct match_line l = { .n = 0 };

	match_put(&l,
		  "among the first %u collectives on one communicator some do not match; which "
		  "they are is "
		  "no longer known",
		  s->c->least);
	f.detail = l.text;
	s->m->found(s->m->arg, &s->c->ranks, &f);
}

static void search(struct match *m, const struct shared *c)
{
	uint32_t n = (uint32_t)job_size(m->s->job), lo = 0;
	struct search s = { .m = m, .c = c, .nranks = n,
			    .base = xcalloc(n + 1, sizeof(*s.base)),
			    .at = xcalloc(n + 1, sizeof(*s.at)) };
	struct asked a;
	bool on = true;

	if (c->least == c->most) {
		memcpy(s.at, c->last, n * sizeof(*s.at));
	} else {
		on = ask_one(&s, c->least, &a);
		put_sums(&a, s.at, n);
		asked_clear(&a);
	}
	for (unsigned i = 0; on && i < SEARCHES && lo < c->least && differ(&s, s.at); i++) {
		uint32_t at = bisect(&s, lo, c->least);

		if (!at) {
			give_lost(&s);
			break;
		}
		on = ask_one(&s, at, &a) && explain(&s, at, &a);
		put_sums(&a, s.base, n);
		asked_clear(&a);
		lo = at;
	}
	for (unsigned i = 0; i < s.nknown; i++)
		free(s.known[i]);
	free(s.base);
	free(s.at);
}

/*
 * All ranks have called MPI_Finalize, and some of them have called a collective that others have
 * not. Communicators may be freed by some alone.
 */
static void give_missing(struct match *m, const struct shared *c)
{
	bool absent = rankset_count(&c->ranks) < c->size;
	uint32_t number = absent ? 1 : c->least + 1;
	struct search s = { .m = m, .c = c };
	struct match_line l = { .n = 0 };
	struct rankset callers = { 0 }, others = { 0 };
	const struct agree_one *first = NULL;
	struct asked a;

	if (!absent && c->least == c->most)
		return;
	ask_one(&s, number, &a);
	for (size_t i = 0; i < a.groups.n; i++) {
		if (!a.one[i].known || a.one[i].call == MPISTATE_CALL_Comm_free)
			continue;
		first = first ? first : &a.one[i];
		xrankset_add_set(&callers, &a.groups.group[i].ranks);
	}
	if (first) {
		put_side(&s, &l, first, (struct what){ 0 });
		match_put(&l, " on ");
		match_put_ranks(&l, &callers);
		if (c->size == (uint32_t)job_size(m->s->job))
			xrankset_copy(&others, job_set(m->s->job, JOB_ALL));
		else if (!absent)
			xrankset_copy(&others, &c->ranks);
		xrankset_remove_set(&others, &callers);
		match_put(&l, ", not called on ");
		if (others.n)
			match_put_ranks(&l, &others);
		else
			match_put(&l, "%u of its ranks",
				  c->size - (uint32_t)rankset_count(&callers));
		give(&s, number, first, &callers, l.text);
	}
	for (unsigned i = 0; i < s.nknown; i++)
		free(s.known[i]);
	rankset_clear(&callers);
	rankset_clear(&others);
	asked_clear(&a);
}

static struct shared *shared_of(struct shared **list, size_t *n, uint64_t id)
{
	struct shared *c;

	for (size_t i = 0; i < *n; i++)
		if ((*list)[i].id == id)
			return &(*list)[i];
	c = xvec_add(*list, *n);
	c->id = id;
	return c;
}

static void take_object(struct shared *c, const struct agree_object *o, const struct rankset *ranks,
			uint32_t nranks)
{
	c->size = o->size;
	if (!c->last) {
		c->last = xcalloc(nranks + 1, sizeof(*c->last));
		c->least = o->number;
	}
	c->least = o->number < c->least ? o->number : c->least;
	c->most = o->number > c->most ? o->number : c->most;
	for (int64_t r = rankset_next(ranks, 0); r >= 0 && r < nranks;
	     r = rankset_next(ranks, (uint32_t)r + 1))
		c->last[r] = (struct sums){ true, o->sum, o->parts_sum };
	xrankset_add_set(&c->ranks, ranks);
}

void match_collectives(struct match *m)
{
	struct msg_query q = { .kind = QUERY_AGREE, .rank = MPISTATE_AGREE_COLLECTIVES };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct shared *list = NULL;
	size_t n = 0;
	bool sure = !ask(m->s, &q, job_set(m->s->job, JOB_ALL), &answers, &silent, NULL);
	bool final = sure && !silent.n;

	for (size_t i = 0; sure && i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct agree_list l;

		if (agree_list_get(&l, &b)) {
			final = false;
			continue;
		}
		sure &= !l.unsure;
		final &= l.final;
		for (uint32_t k = 0; k < l.n; k++)
			take_object(shared_of(&list, &n, l.object[k].id), &l.object[k],
				    &answers.group[i].ranks, (uint32_t)job_size(m->s->job));
		agree_list_clear(&l);
	}
	for (size_t i = 0; i < n; i++) {
		if (sure)
			search(m, &list[i]);
		if (sure && final)
			give_missing(m, &list[i]);
		rankset_clear(&list[i].ranks);
		free(list[i].last);
	}
	free(list);
	groups_clear(&answers);
	rankset_clear(&silent);
}

void match_check(struct session *s, match_found *found, void *arg)
{
	struct match m = { s, found, arg };
	int64_t begun = loop_now();
	bool accesses;

	if (!s->job || job_attached(s->job) || !job_needs_mpi(s->job) ||
	    job_set(s->job, JOB_ABSENT)->n)
		return;
	match_collectives(&m);
	/* who is silent would be waited for at each question */
	if (loop_now() - begun > SILENT_MS)
		return;
	accesses = match_buffers(&m);
	match_extents(&m);
	if (job_set(s->job, JOB_RUNNING)->n)
		return;
	match_messages(&m);
	match_truncated(&m);
	if (accesses)
		match_conflicts(&m);
}
