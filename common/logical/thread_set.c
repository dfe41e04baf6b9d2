/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/logical/thread_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

void thread_set_clear(struct thread_set *s)
{
	free(s->part);
	*s = (struct thread_set){ 0 };
}

int thread_set_add(struct thread_set *s, const struct thread_part *part)
{
	struct thread_part *to = vec_add(s->part, s->n);

	if (!to)
		return -1;
	*to = *part;
	return 0;
}

int thread_set_add_ranks(struct thread_set *s, const struct rankset *ranks)
{
	for (size_t i = 0; i < ranks->n; i++)
		if (thread_set_add(s, &(struct thread_part){ ranks->run[i].lo, ranks->run[i].hi, 0,
							     THREAD_LAST, false }))
			return -1;
	return 0;
}

bool thread_set_meets(const struct thread_set *s, const struct thread_part *part)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct thread_part *p = &s->part[i];

		if (p->rank_lo <= part->rank_hi && part->rank_lo <= p->rank_hi &&
		    p->first <= part->last && part->first <= p->last)
			return true;
	}
	return false;
}

bool thread_set_has(const struct thread_set *s, uint32_t rank, uint32_t thread)
{
	return thread_set_meets(s, &(struct thread_part){ rank, rank, thread, thread, true });
}

bool thread_set_names(const struct thread_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->part[i].named)
			return true;
	return false;
}

int thread_set_only(const struct thread_set *s, uint32_t thread, struct rankset *ranks)
{
	struct rankset with = { 0 };
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct thread_part *p = &s->part[i];
		uint32_t hi = p->rank_hi < RANKSET_MAX ? p->rank_hi : RANKSET_MAX - 1;

		if (p->first <= thread && thread <= p->last && p->rank_lo <= hi)
			rc = rankset_add(&with, p->rank_lo, hi);
	}
	rc = rc ? rc : rankset_intersect(ranks, &with);
	rankset_clear(&with);
	return rc;
}

uint32_t thread_set_greatest(const struct thread_set *s)
{
	uint32_t last = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->part[i].last > last)
			last = s->part[i].last;
	return last;
}

/* "0:3.1:2", "0:3", "1.2:*" */
static int format_part(const struct thread_part *p, char *out, size_t size)
{
	char ranks[24], threads[32] = "";

	if (p->rank_lo == p->rank_hi)
		snprintf(ranks, sizeof(ranks), "%u", p->rank_lo);
	else
		snprintf(ranks, sizeof(ranks), "%u:%u", p->rank_lo, p->rank_hi);
	if (p->first == p->last)
		snprintf(threads, sizeof(threads), ".%u", p->first);
	else if (p->last != THREAD_LAST)
		snprintf(threads, sizeof(threads), ".%u:%u", p->first, p->last);
	else if (p->first)
		snprintf(threads, sizeof(threads), ".%u:*", p->first);
	else if (p->named)
		snprintf(threads, sizeof(threads), ".*");
	return snprintf(out, size, "%s%s", ranks, threads);
}

const char *thread_set_format(const struct thread_set *s, char *out, size_t size)
{
	static const char cut[] = "...]";
	size_t used = (size_t)snprintf(out, size, "[");

	for (size_t i = 0; i < s->n; i++) {
		char part[64];
		size_t len = (size_t)format_part(&s->part[i], part, sizeof(part));

		if (used + len + 1 + sizeof(cut) > size) {
			snprintf(out + used, size - used, "%s", cut);
			return out;
		}
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "", part);
	}
	snprintf(out + used, size - used, "]");
	return out;
}
