/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/logical/rankset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/vec.h"

void rankset_clear(struct rankset *s)
{
	free(s->run);
	*s = (struct rankset){ 0 };
}

/* The index of the first run that ends at or after rank; s->n when none does. */
static size_t rankset_find(const struct rankset *s, uint64_t rank)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->run[mid].hi < rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Appends a run that starts at or after the last one's start, joining what overlaps or touches. */
static void rankset_append(struct rankset *s, struct rank_run run)
{
	struct rank_run *last = s->n ? &s->run[s->n - 1] : NULL;

	if (last && run.lo <= last->hi + 1) {
		if (run.hi > last->hi)
			last->hi = run.hi;
	} else {
		s->run[s->n++] = run;
	}
}

int rankset_add(struct rankset *s, uint32_t lo, uint32_t hi)
{
	struct rank_run run = { lo, hi };
	size_t first, end;

	if (lo > hi || hi >= RANKSET_MAX) {
		errno = ERANGE;
		return -1;
	}
	if (vec_room(s->run, s->cap, s->n + 1) < 0)
		return -1;
	if (s->n == 0 || lo >= s->run[s->n - 1].lo) {
		rankset_append(s, run);
		return 0;
	}
	/* the runs first … end - 1 overlap or touch lo … hi and become one */
	first = rankset_find(s, lo ? lo - 1 : 0);
	end = rankset_find(s, (uint64_t)hi + 1);
	if (end < s->n && s->run[end].lo <= hi + 1)
		end++;
	if (end > first) {
		if (s->run[first].lo < lo)
			run.lo = s->run[first].lo;
		if (s->run[end - 1].hi > hi)
			run.hi = s->run[end - 1].hi;
	}
	memmove(&s->run[first + 1], &s->run[end], (s->n - end) * sizeof(run));
	s->n -= end - first;
	s->n++;
	s->run[first] = run;
	return 0;
}

int rankset_add_set(struct rankset *s, const struct rankset *other)
{
	struct rankset sum = { 0 };
	size_t i = 0, j = 0;

	if (s == other || other->n == 0)
		return 0;
	if (other->n == 1)
		return rankset_add(s, other->run[0].lo, other->run[0].hi);
	if (s->n == 0 || other->run[0].lo >= s->run[s->n - 1].lo) {
		if (vec_room(s->run, s->cap, s->n + other->n) < 0)
			return -1;
		while (j < other->n)
			rankset_append(s, other->run[j++]);
		return 0;
	}
	if (vec_room(sum.run, sum.cap, s->n + other->n) < 0)
		return -1;
	while (i < s->n || j < other->n) {
		if (j == other->n || (i < s->n && s->run[i].lo <= other->run[j].lo))
			rankset_append(&sum, s->run[i++]);
		else
			rankset_append(&sum, other->run[j++]);
	}
	rankset_clear(s);
	*s = sum;
	return 0;
}

int rankset_remove_set(struct rankset *s, const struct rankset *other)
{
	struct rankset rest = { 0 };
	size_t j = 0;

	if (!rankset_meets(s, other))
		return 0;
	if (vec_room(rest.run, rest.cap, s->n + other->n) < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t at = s->run[i].lo, hi = s->run[i].hi;

		while (j < other->n && other->run[j].hi < at)
			j++;
		/* what is before each run of other inside this one stays */
		for (; j < other->n && other->run[j].lo <= hi; j++) {
			if (other->run[j].lo > at)
				rest.run[rest.n++] = (struct rank_run){ at, other->run[j].lo - 1 };
			at = other->run[j].hi + 1;
			if (at > hi)
				break; /* that run may reach into the next of ours */
		}
		if (at <= hi)
			rest.run[rest.n++] = (struct rank_run){ at, hi };
	}
	rankset_clear(s);
	*s = rest;
	return 0;
}

int rankset_copy(struct rankset *dst, const struct rankset *src)
{
	if (dst == src)
		return 0;
	if (vec_room(dst->run, dst->cap, src->n) < 0)
		return -1;
	if (src->n)
		memcpy(dst->run, src->run, src->n * sizeof(*src->run));
	dst->n = src->n;
	return 0;
}

int rankset_intersect(struct rankset *s, const struct rankset *other)
{
	struct rankset both = { 0 };
	size_t i = 0, j = 0;

	if (s == other)
		return 0;
	if (vec_room(both.run, both.cap, s->n + other->n) < 0)
		return -1;
	while (i < s->n && j < other->n) {
		const struct rank_run *a = &s->run[i], *b = &other->run[j];
		struct rank_run run = { a->lo > b->lo ? a->lo : b->lo,
					a->hi < b->hi ? a->hi : b->hi };

		if (run.lo <= run.hi)
			both.run[both.n++] = run;
		if (a->hi < b->hi)
			i++;
		else
			j++;
	}
	rankset_clear(s);
	*s = both;
	return 0;
}

bool rankset_has(const struct rankset *s, uint32_t rank)
{
	size_t i = rankset_find(s, rank);

	return i < s->n && s->run[i].lo <= rank;
}

bool rankset_equal(const struct rankset *a, const struct rankset *b)
{
	return a->n == b->n && (a->n == 0 || !memcmp(a->run, b->run, a->n * sizeof(*a->run)));
}

bool rankset_meets(const struct rankset *a, const struct rankset *b)
{
	size_t i = 0, j = 0;

	while (i < a->n && j < b->n) {
		if (a->run[i].hi < b->run[j].lo)
			i++;
		else if (b->run[j].hi < a->run[i].lo)
			j++;
		else
			return true;
	}
	return false;
}

bool rankset_covers(const struct rankset *a, const struct rankset *b)
{
	size_t i = 0;

	for (size_t j = 0; j < b->n; j++) {
		while (i < a->n && a->run[i].hi < b->run[j].lo)
			i++;
		/* runs do not touch, so one of a has to hold all of it */
		if (i == a->n || a->run[i].lo > b->run[j].lo || a->run[i].hi < b->run[j].hi)
			return false;
	}
	return true;
}

size_t rankset_count(const struct rankset *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->n; i++)
		count += s->run[i].hi - s->run[i].lo + 1;
	return count;
}

int64_t rankset_next(const struct rankset *s, uint32_t from)
{
	size_t i = rankset_find(s, from);

	if (i == s->n)
		return -1;
	return s->run[i].lo > from ? s->run[i].lo : from;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* Reads one rank and the blanks round it; NULL when there is none, *out RANKSET_MAX when too big.
 */
static const char *parse_rank(const char *at, uint32_t *out)
{
	uint32_t v = 0;

	at = skip_blanks(at);
	if (*at < '0' || *at > '9')
		return NULL;
	for (; *at >= '0' && *at <= '9'; at++) {
		v = v * 10 + (uint32_t)(*at - '0');
		if (v > RANKSET_MAX)
			v = RANKSET_MAX;
	}
	*out = v;
	return skip_blanks(at);
}

/* Reads "3" or "0:3" into s; the text behind it, or NULL and err. */
static const char *parse_run(struct rankset *s, const char *at, const char *text, struct err *err)
{
	const char *next;
	uint32_t lo, hi;

	next = parse_rank(at, &lo);
	if (!next)
		goto bad_number;
	hi = lo;
	if (*next == ':' || *next == '-' || !strncmp(next, "..", 2)) {
		at = next + (*next == '.' ? 2 : 1);
		next = parse_rank(at, &hi);
		if (!next)
			goto bad_number;
	}
	if (lo >= RANKSET_MAX || hi >= RANKSET_MAX) {
		err_set(err, "\"%s\": ranks are below %u", text, RANKSET_MAX);
		return NULL;
	}
	if (lo > hi) {
		err_set(err, "\"%s\": the range %u:%u runs backwards", text, lo, hi);
		return NULL;
	}
	if (rankset_add(s, lo, hi) < 0) {
		err_set(err, "out of memory");
		return NULL;
	}
	return next;

bad_number:
	at = skip_blanks(at);
	if (*at)
		err_set(err,
			"\"%s\" is not a set of ranks like 0:3,8: a rank is expected at \"%s\"",
			text, at);
	else
		err_set(err,
			"\"%s\" is not a set of ranks like 0:3,8: a rank is missing at the end",
			text);
	return NULL;
}

int rankset_parse(struct rankset *s, const char *text, struct err *err)
{
	struct rankset now = { 0 };
	const char *at = text;

	for (;;) {
		at = parse_run(&now, at, text, err);
		if (!at || *at != ',')
			break;
		at++;
	}
	if (at && *at) {
		err_set(err, "\"%s\" is not a set of ranks like 0:3,8: \"%s\" is not expected",
			text, at);
		at = NULL;
	}
	if (!at) {
		rankset_clear(&now);
		return -1;
	}
	rankset_clear(s);
	*s = now;
	return 0;
}

const char *rankset_format(const struct rankset *s, char *out, size_t size)
{
	static const char cut[] = "...]";
	size_t len = 1;

	if (size == 0)
		return out;
	if (size < sizeof("[]")) {
		out[0] = '\0';
		return out;
	}
	strcpy(out, "[");
	for (size_t i = 0; i < s->n; i++) {
		const struct rank_run *r = &s->run[i];
		char item[32];
		size_t n, room;

		if (r->lo == r->hi)
			n = (size_t)snprintf(item, sizeof(item), "%s%u", i ? "," : "", r->lo);
		else
			n = (size_t)snprintf(item, sizeof(item), "%s%u:%u", i ? "," : "", r->lo,
					     r->hi);
		/* an item that is not the last leaves room for ",...]" */
		room = i + 1 < s->n ? sizeof(cut) + 1 : sizeof("]");
		if (len + n + room > size) {
			if (i && len + 1 + sizeof(cut) <= size)
				out[len++] = ',';
			snprintf(out + len, size - len, "%s", cut);
			return out;
		}
		memcpy(out + len, item, n + 1);
		len += n;
	}
	strcpy(out + len, "]");
	return out;
}

int rankset_code(struct codec *c, struct rankset *s)
{
	uint32_t n = (uint32_t)s->n, least = 0;

	if (c->get) {
		s->n = 0;
		n = codec_take_count(c, RANKSET_MAX, 8);
		if (vec_room(s->run, s->cap, n) < 0)
			return codec_no_memory(c);
	} else {
		codec_u32(c, &n);
	}
	for (uint32_t i = 0; i < n && codec_good(c); i++) {
		codec_u32(c, &s->run[i].lo);
		codec_u32(c, &s->run[i].hi);
		codec_check(c, s->run[i].lo >= least && s->run[i].lo <= s->run[i].hi);
		codec_check(c, s->run[i].hi < RANKSET_MAX);
		least = s->run[i].hi + 2;
	}
	if (c->get)
		s->n = codec_good(c) ? n : 0;
	return codec_end(c);
}

bool rankset_inspect(struct buf *b, uint32_t rank)
{
	bool has = false;

	for (uint32_t n = buf_get_u32(b); n && !b->bad; n--) {
		uint32_t lo = buf_get_u32(b), hi = buf_get_u32(b);

		has |= !b->bad && rank >= lo && rank <= hi;
	}
	return has;
}
