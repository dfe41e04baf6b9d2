/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages: of each communicator, sender, receiver and tag, no more may be received as data of one
 * basic type than were sent of it, or of what fits anything. Which message was received where does
 * not have to be known for that. When all ranks have called MPI_Finalize, as many must have been
 * received as were sent.
 */
#include "frontend/match/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/finding_kind.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

/* Of one rank, as a message from one to another. */
struct entry {
	uint32_t from, to;
	const struct agree_message *m; /* borrowed */
};

/* A mismatch at one place of the receives and one of the sends. */
struct mismatch {
	char *text; /* owned */
	struct place place;
	struct rankset ranks; /* owned; that receive */
};

/* Messages of one tag, sent at one place, that nobody receives. */
struct lost {
	struct agree_message sent;
	struct rankset from, to; /* owned */
	uint64_t n;
};

struct answers {
	struct groups groups;
	struct agree_messages *of; /* owned; of the i-th group */
	struct entry *entry;	   /* owned */
	size_t n;
	struct rankset unsure;
	struct mismatch *mismatch; /* owned */
	size_t nmismatch;
	bool final;	 /* of all ranks */
	uint32_t *blind; /* owned; of each rank: receives of which nothing is known */
	struct lost *lost; /* owned */
	size_t nlost;
};

/* false: all that was sent has been received as what it is. */
static bool is_unbalanced(struct match *m)
{
	struct msg_query q = { .kind = QUERY_AGREE, .rank = MPISTATE_AGREE_BALANCE };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	uint64_t sum = 0, number = 0;
	bool asked = !ask(m->s, &q, job_set(m->s->job, JOB_ALL), &answers, &silent, NULL);

	for (size_t i = 0; asked && i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

		sum += buf_get_u64(&b) * rankset_count(&answers.group[i].ranks);
		number += buf_get_u64(&b) * rankset_count(&answers.group[i].ranks);
	}
	asked &= !silent.n;
	groups_clear(&answers);
	rankset_clear(&silent);
	return asked && (sum || number);
}

static int by_message(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->m->id != y->m->id)
		return x->m->id < y->m->id ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->m->tag < y->m->tag ? -1 : x->m->tag > y->m->tag;
}

static void take(struct answers *a, const struct agree_messages *list, uint32_t rank)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const struct agree_message *m = &list->message[i];
		struct entry *e = xvec_add(a->entry, a->n);

		e->from = m->received ? (uint32_t)m->peer : rank;
		e->to = m->received ? rank : (uint32_t)m->peer;
		e->m = m;
	}
}

static bool ask_all(struct match *m, struct answers *a)
{
	struct msg_query q = { .kind = QUERY_AGREE, .rank = MPISTATE_AGREE_MESSAGES };
	bool asked = !ask(m->s, &q, job_set(m->s->job, JOB_ALL), &a->groups, &a->unsure, NULL);

	a->of = xcalloc(a->groups.n + 1, sizeof(*a->of));
	a->blind = xcalloc((size_t)job_size(m->s->job) + 1, sizeof(*a->blind));
	a->final = asked && !a->unsure.n;
	for (size_t i = 0; asked && i < a->groups.n; i++) {
		const struct rankset *ranks = &a->groups.group[i].ranks;
		struct buf b = buf_view(a->groups.group[i].blob, a->groups.group[i].len);

		if (agree_messages_get(&a->of[i], &b) || a->of[i].unsure)
			xrankset_add_set(&a->unsure, ranks);
		a->final &= a->of[i].final;
		for (int64_t r = rankset_next(ranks, 0); r >= 0 && r < job_size(m->s->job);
		     r = rankset_next(ranks, (uint32_t)r + 1)) {
			a->blind[r] = a->of[i].blind;
			take(a, &a->of[i], (uint32_t)r);
		}
	}
	if (a->n)
		qsort(a->entry, a->n, sizeof(*a->entry), by_message);
	return asked;
}

/* Of the entries of one sender, receiver and tag: all that were sent, or received; or of a base. */
static const struct agree_message *find(const struct entry *e, size_t n, bool received,
					uint32_t base)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].m->received == received && e[i].m->base == base)
			return e[i].m;
	return NULL;
}

/* Of another base than that, more were sent than received. */
static const struct agree_message *other_sent(const struct entry *e, size_t n, uint32_t base)
{
	for (size_t i = 0; i < n; i++) {
		const struct agree_message *got, *m = e[i].m;

		if (m->received || !m->base || m->base == base)
			continue;
		got = find(e, n, true, m->base);
		if (!got || got->n < m->n)
			return m;
	}
	return NULL;
}

static void keep(struct answers *a, const char *text, const struct agree_message *got,
		 uint32_t rank)
{
	struct mismatch *x = NULL;

	for (size_t i = 0; i < a->nmismatch && !x; i++)
		if (!strcmp(a->mismatch[i].text, text))
			x = &a->mismatch[i];
	if (!x) {
		x = xvec_add(a->mismatch, a->nmismatch);
		x->text = xstrdup(text);
		x->place = got->place;
	}
	xrankset_add(&x->ranks, rank, rank);
}

static bool is_unsure(const struct answers *a, const struct entry *e)
{
	return rankset_has(&a->unsure, e->from) || rankset_has(&a->unsure, e->to);
}

/* All entries of one sender, receiver and tag. */
static void compare(struct match *m, struct answers *a, const struct entry *e, size_t n)
{
	const struct agree_message *sent = find(e, n, false, 0), *all = find(e, n, true, 0);

	if (!all || !sent || all->n > sent->n || is_unsure(a, e))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct agree_message *got = e[i].m, *same, *other;
		struct match_line l = { .n = 0 };

		if (!got->received || !got->base)
			continue;
		same = find(e, n, false, got->base);
		other = other_sent(e, n, got->base);
		if (got->n <= (same ? same->n : 0) + sent->any || !other)
			continue;
		match_put(&l, "%s receives as ", mpistate_call_name(got->call));
		match_put_base(&l, got->base);
		match_put(&l, " what %s", mpistate_call_name(other->call));
		match_put_place(m, &l, &other->place);
		match_put(&l, " sends as ");
		match_put_base(&l, other->base);
		keep(a, l.text, got, e->to);
	}
}

/* How many of the messages of one sender, receiver and tag were not received, as far as is
 * known. */
static uint64_t left_of(const struct entry *e, size_t n, const struct agree_message **sent)
{
	const struct agree_message *got = find(e, n, true, 0);

	*sent = find(e, n, false, 0);
	if (!*sent || (got && got->n >= (*sent)->n))
		return 0;
	return (*sent)->n - (got ? got->n : 0);
}

static size_t entries_of(const struct answers *a, size_t at)
{
	size_t n = 1;

	while (at + n < a->n && !by_message(&a->entry[at], &a->entry[at + n]))
		n++;
	return n;
}

static void keep_lost(struct answers *a, const struct entry *e, const struct agree_message *sent,
		      uint64_t n)
{
	struct lost *x = NULL;

	for (size_t i = 0; i < a->nlost && !x; i++)
		if (a->lost[i].sent.place.vaddr == sent->place.vaddr &&
		    a->lost[i].sent.tag == sent->tag && a->lost[i].sent.call == sent->call &&
		    !strcmp(a->lost[i].sent.place.module, sent->place.module))
			x = &a->lost[i];
	if (!x) {
		x = xvec_add(a->lost, a->nlost);
		x->sent = *sent;
	}
	xrankset_add(&x->from, e->from, e->from);
	xrankset_add(&x->to, e->to, e->to);
	x->n += n;
}

/*
 * What was sent to a rank and not received, where that is more than it has received without our
 * knowledge: of one message, or of none that it may have received so.
 */
static void find_lost(struct match *m, struct answers *a)
{
	uint32_t ranks = (uint32_t)job_size(m->s->job);
	uint32_t *kinds = xcalloc(ranks + 1, sizeof(*kinds));
	const struct agree_message *sent;

	for (size_t i = 0; i < a->n; i += entries_of(a, i))
		if (a->entry[i].to < ranks && left_of(&a->entry[i], entries_of(a, i), &sent))
			kinds[a->entry[i].to]++;
	for (size_t i = 0; i < a->n; i += entries_of(a, i)) {
		const struct entry *e = &a->entry[i];
		uint64_t n = left_of(e, entries_of(a, i), &sent);

		if (!n || e->to >= ranks || is_unsure(a, e) || n <= a->blind[e->to] ||
		    (a->blind[e->to] && kinds[e->to] > 1))
			continue;
		keep_lost(a, e, sent, n - a->blind[e->to]);
	}
	free(kinds);
}

static void give_lost(struct match *m, struct lost *x)
{
	struct report_finding f = { .kind = FINDING_UNRECEIVED, .place = x->sent.place };
	struct match_line l = { .n = 0 };

	match_put(&l, "%s: ", mpistate_call_name(x->sent.call));
	if (x->n == 1)
		match_put(&l, "its message of tag %d to ", x->sent.tag);
	else
		match_put(&l, "%llu of its messages of tag %d to ", (unsigned long long)x->n,
			  x->sent.tag);
	match_put_ranks(&l, &x->to);
	match_put(&l, " %s never received", x->n == 1 ? "is" : "are");
	f.detail = l.text;
	m->found(m->arg, &x->from, &f);
	rankset_clear(&x->from);
	rankset_clear(&x->to);
}

void match_messages(struct match *m)
{
	struct answers a = { .n = 0 };

	if (!is_unbalanced(m))
		return;
	if (ask_all(m, &a)) {
		for (size_t i = 0; i < a.n; i += entries_of(&a, i))
			compare(m, &a, &a.entry[i], entries_of(&a, i));
		if (a.final)
			find_lost(m, &a);
	}
	for (size_t i = 0; i < a.nlost; i++)
		give_lost(m, &a.lost[i]);
	for (size_t i = 0; i < a.nmismatch; i++) {
		struct mismatch *x = &a.mismatch[i];
		struct report_finding f = { .kind = FINDING_MESSAGE, .place = x->place,
					    .detail = x->text };

		m->found(m->arg, &x->ranks, &f);
		free(x->text);
		rankset_clear(&x->ranks);
	}
	for (size_t i = 0; i < a.groups.n; i++)
		agree_messages_clear(&a.of[i]);
	free(a.of);
	free(a.entry);
	free(a.mismatch);
	free(a.lost);
	free(a.blind);
	groups_clear(&a.groups);
	rankset_clear(&a.unsure);
}
