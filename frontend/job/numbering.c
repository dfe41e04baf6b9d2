/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the ranks agree about the numbering? Each report of a stop or an end carries a running hash
 * over the places of constructs 1 … n. Where hashes differ, the first number on which ranks
 * disagree is found by bisection with QUERY_HASH, and reported as one finding per job.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/answer.h"
#include "common/protocol/finding_kind.h"
#include "common/core/log.h"
#include "frontend/job/internal.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define ASK_MS 2000
#define SIDES 64 /* different reports that are compared */
#define LATE_MS 1000 /* ranks that are on their way when others differ belong to the finding too */

/* What one group of equal reports says of the numbering. */
struct side {
	const struct rankset *ranks; /* borrowed */
	uint32_t hash_n;
	uint64_t hash;
	bool ended;	    /* orderly, so that nothing more can come */
	struct point point; /* where it stands, when that is a numbered point */
	struct place place;
	uint8_t kind;
};

static const char *place_words(const struct job *j, const struct place *p, char *out, size_t size)
{
	const char *base;

	if (j->watch.place)
		return j->watch.place(j->watch.arg, p, out, size);
	base = strrchr(p->file[0] ? p->file : p->module, '/');
	base = base ? base + 1 : p->file[0] ? p->file : p->module;
	if (p->file[0])
		snprintf(out, size, "%s:%u", base, p->line);
	else
		snprintf(out, size, "%s+0x%llx", base, (unsigned long long)p->vaddr);
	return out;
}

/* Appends "PL heat.c:61 on [0:2]" to detail. */
static void add_detail(const struct job *j, char *detail, size_t size, unsigned kind,
		       const struct place *place, const struct rankset *ranks)
{
	char where[256], list[80];
	size_t len = strlen(detail);

	if (len < size)
		snprintf(detail + len, size - len, "%s%s %s on %s", len ? ", " : "",
			 construct_brief(kind), place_words(j, place, where, sizeof(where)),
			 rankset_format(ranks, list, sizeof(list)));
}

static void report(struct job *j, const struct rankset *ranks, const struct point *point,
		   const struct place *place, const char *detail)
{
	struct report_finding f = {
		.kind = FINDING_NUMBERING, .point = *point, .place = *place, .detail = detail
	};

	j->numbering.done = true;
	if (j->watch.finding)
		j->watch.finding(j->watch.arg, ranks, &f);
}

/* The search has come to its number: one side per place. */
static void report_number(struct job *j, uint32_t number, struct groups *answers)
{
	struct point point = { .main = number };
	struct rankset all = { 0 }, without = { 0 };
	struct place place = { .file = "", .func = "", .module = "" };
	char detail[900], list[80];
	bool placed = false;

	snprintf(detail, sizeof(detail), "%s", "");
	groups_sort_minority(answers);
	xrankset_copy(&without, &j->numbering.who);
	for (size_t i = 0; i < answers->n; i++) {
		struct answer_hash a;
		struct buf b = buf_view(answers->group[i].blob, answers->group[i].len);

		if (answer_hash_get(&a, &b) || !a.known)
			continue;
		xrankset_add_set(&all, &answers->group[i].ranks);
		xrankset_remove_set(&without, &answers->group[i].ranks);
		add_detail(j, detail, sizeof(detail), a.kind, &a.place, &answers->group[i].ranks);
		if (!placed)
			place = a.place;
		placed = true;
	}
	j->numbering.done = true;
	if (without.n && placed) {
		size_t len = strlen(detail);

		xrankset_add_set(&all, &without);
		snprintf(detail + len, sizeof(detail) - len, "%snone on %s", len ? ", " : "",
			 rankset_format(&without, list, sizeof(list)));
	}
	if (placed) /* else it is too long ago for all of them */
		report(j, &all, &point, &place, detail);
	rankset_clear(&all);
	rankset_clear(&without);
}

static void ask(struct job *j, uint32_t n, void (*done)(struct job *, struct job_req *))
{
	struct msg_query q = { .kind = QUERY_HASH, .n = n };
	struct job_req *r = job_req_new(j, &j->numbering.who, ASK_MS, done);

	j->numbering.busy = true;
	job_send_query(j, &q, r);
}

/* Ranks that know the number differ about what leads to it; or, counted at an end, some have none.
 */
static bool differs(const struct groups *answers)
{
	uint64_t hash = 0;
	bool any = false;

	for (size_t i = 0; i < answers->n; i++) {
		struct answer_hash a;
		struct buf b = buf_view(answers->group[i].blob, answers->group[i].len);

		if (answer_hash_get(&a, &b) || !a.known)
			continue;
		if (any && a.hash != hash)
			return true;
		hash = a.hash;
		any = true;
	}
	return false;
}

static uint32_t middle(const struct job_numbering *s)
{
	return s->lo + (s->hi - s->lo) / 2;
}

static void number_found(struct job *j, struct job_req *r)
{
	j->numbering.busy = false;
	report_number(j, j->numbering.hi, &r->answers);
}

static void half_known(struct job *j, struct job_req *r)
{
	struct job_numbering *s = &j->numbering;
	uint32_t mid = middle(s);

	s->busy = false;
	if (differs(&r->answers))
		s->hi = mid;
	else
		s->lo = mid + 1;
	ask(j, s->lo < s->hi ? middle(s) : s->hi, s->lo < s->hi ? half_known : number_found);
}

/* The ranks differ somewhere in 1 … n. */
static void search(struct job *j, uint32_t n)
{
	j->numbering.lo = j->numbering.agreed + 1;
	j->numbering.hi = n;
	if (j->numbering.lo > n)
		j->numbering.lo = 1;
	log_debug("job", "ranks disagree about a number up to %u", n);
	if (j->numbering.lo < n)
		ask(j, middle(&j->numbering), half_known);
	else
		ask(j, n, number_found);
}

/* Fills in one side per group of reports; returns their number. */
static size_t collect(const struct job *j, struct side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < j->stops.n && n < SIDES; i++) {
		struct report_stop r;

		if (!job_read_stop(j->stops.group[i].blob, j->stops.group[i].len, &r))
			continue;
		side[n] = (struct side){ .ranks = &j->stops.group[i].ranks,
					 .hash_n = r.hash_n,
					 .hash = r.hash,
					 .place = r.frame.place,
					 .kind = r.frame.kind };
		if (construct_numbered(r.frame.kind) &&
		    point_compare(&r.frame.point, &r.point) == POINT_EQUAL)
			side[n].point = r.point;
		n++;
	}
	for (size_t i = 0; i < j->exits.n && n < SIDES; i++) {
		struct report_exit r;

		if (!job_read_exit(j->exits.group[i].blob, j->exits.group[i].len, &r) ||
		    !r.had_runtime)
			continue;
		side[n++] = (struct side){ .ranks = &j->exits.group[i].ranks,
					   .hash_n = r.hash_n,
					   .hash = r.hash,
					   .ended = r.how == EXIT_CODE && r.code == 0 };
	}
	return n;
}

/* Equal points with different places, as they are seen inside tasks, which the hash does not cover.
 */
static bool places_differ(struct job *j, const struct side *side, size_t n)
{
	char detail[900] = "";
	struct rankset both = { 0 };

	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			if (!side[a].point.sub ||
			    point_compare(&side[a].point, &side[b].point) != 0 ||
			    (side[a].kind == side[b].kind &&
			     place_equal(&side[a].place, &side[b].place)))
				continue;
			add_detail(j, detail, sizeof(detail), side[a].kind, &side[a].place,
				   side[a].ranks);
			add_detail(j, detail, sizeof(detail), side[b].kind, &side[b].place,
				   side[b].ranks);
			xrankset_copy(&both, side[a].ranks);
			xrankset_add_set(&both, side[b].ranks);
			report(j, &both, &side[a].point, &side[a].place, detail);
			rankset_clear(&both);
			return true;
		}
	}
	return false;
}

/* Some do not know the number, though they have come to it: it is that of their end. */
static bool is_end_of_some(const struct groups *answers)
{
	for (size_t i = 0; i < answers->n; i++) {
		struct answer_hash a;
		struct buf b = buf_view(answers->group[i].blob, answers->group[i].len);

		if (!answer_hash_get(&a, &b) && !a.known)
			return true;
	}
	return false;
}

/* All know 1 … n. Do they agree? */
static void common_known(struct job *j, struct job_req *r)
{
	struct job_numbering *s = &j->numbering;

	s->busy = false;
	if (!s->before_end && s->hi > 1 && is_end_of_some(&r->answers)) {
		s->before_end = true;
		ask(j, --s->hi, common_known);
		return;
	}
	if (differs(&r->answers))
		search(j, j->numbering.hi);
	else
		j->numbering.agreed = j->numbering.hi;
	if (!j->numbering.busy)
		job_check_numbering(j);
}

/*
 * Sides that have come to different numbers: all are asked about the last number that they share,
 * and an orderly end must not come before a number that others have.
 */
static void check_uneven(struct job *j, const struct side *side, size_t n)
{
	uint32_t least = UINT32_MAX, most = 0;
	bool early = false;

	for (size_t i = 0; i < n; i++) {
		least = side[i].hash_n < least ? side[i].hash_n : least;
		most = side[i].hash_n > most ? side[i].hash_n : most;
	}
	if (n < 2 || least == most)
		return;
	if (least > j->numbering.agreed) {
		j->numbering.hi = least;
		ask(j, least, common_known);
		return;
	}
	for (size_t i = 0; i < n; i++)
		early = early || (side[i].ended && side[i].hash_n == least);
	if (early) {
		j->numbering.hi = least + 1;
		ask(j, least + 1, number_found);
	}
}

static void check_again(void *arg)
{
	job_check_numbering(arg);
}

/* Some differ while others run: whether these are to be waited for. */
static bool waits_for_late(struct job *j)
{
	struct job_numbering *s = &j->numbering;

	if (!j->set[JOB_RUNNING].n)
		return false;
	if (!s->until) {
		s->until = loop_now() + LATE_MS;
		loop_at(j->loop, s->until, check_again, j);
	}
	return loop_now() < s->until;
}

/* The first two sides that have equally many numbers, and others. */
static uint32_t even_number(const struct side *side, size_t n)
{
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			if (side[a].hash_n && side[a].hash_n == side[b].hash_n &&
			    side[a].hash != side[b].hash)
				return side[a].hash_n;
	return 0;
}

void job_check_numbering(struct job *j)
{
	struct job_numbering *s = &j->numbering;
	struct side *side;
	uint32_t number;
	size_t n;

	s->late = false;
	if (s->done || s->busy || j->leaving || j->stops.n + j->exits.n < 2)
		return;
	side = xcalloc(SIDES, sizeof(*side));
	n = collect(j, side);
	rankset_clear(&s->who);
	for (size_t i = 0; i < n; i++)
		xrankset_add_set(&s->who, side[i].ranks);
	number = even_number(side, n);
	s->late = number && waits_for_late(j);
	if (number && !s->late)
		search(j, number);
	if (!number && !places_differ(j, side, n) && j->set[JOB_RUNNING].n == 0)
		check_uneven(j, side, n);
	free(side);
}

void job_numbering_clear(struct job *j)
{
	loop_cancel(j->loop, check_again, j);
	rankset_clear(&j->numbering.who);
	j->numbering = (struct job_numbering){ 0 };
}

bool job_checking(struct job *j)
{
	job_check_numbering(j);
	return j->numbering.busy || j->numbering.late;
}
