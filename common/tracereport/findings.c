/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of findings.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"
#include "common/tracereport/tracereport.h"

static void found_clear(struct trace_found *i)
{
	free(i->key);
	free(i->rest);
	rankset_clear(&i->ranks);
}

void trace_findings_clear(struct trace_findings *l)
{
	for (size_t i = 0; i < l->n; i++)
		found_clear(&l->item[i]);
	free(l->item);
	*l = (struct trace_findings){ .most = l->most };
}

static unsigned char *copy(const void *from, size_t n)
{
	unsigned char *to = malloc(n ? n : 1);

	if (to && n)
		memcpy(to, from, n);
	return to;
}

static bool same_key(const struct trace_found *a, const struct trace_found *b)
{
	return a->nkey == b->nkey && !memcmp(a->key, b->key, a->nkey);
}

/* Equal occurrences are put in the order of their bytes, so that the result is one in any case. */
static int found_order(const struct trace_found *a, const struct trace_found *b)
{
	int order = finding_order(&a->point, a->order, a->rank, &b->point, b->order, b->rank);
	uint32_t n = a->nkey < b->nkey ? a->nkey : b->nkey;

	if (!order)
		order = memcmp(a->key, b->key, n);
	if (!order)
		order = (a->nkey > b->nkey) - (a->nkey < b->nkey);
	if (order)
		return order;
	n = a->nrest < b->nrest ? a->nrest : b->nrest;
	order = memcmp(a->rest, b->rest, n);
	return order ? order : (a->nrest > b->nrest) - (a->nrest < b->nrest);
}

/* Moves item i to where it belongs. */
static void settle(struct trace_findings *l, size_t i)
{
	struct trace_found one = l->item[i];

	for (; i > 0 && found_order(&one, &l->item[i - 1]) < 0; i--)
		l->item[i] = l->item[i - 1];
	l->item[i] = one;
}

void trace_findings_trim(struct trace_findings *l, size_t most)
{
	while (most && l->n > most) {
		found_clear(&l->item[--l->n]);
		l->more = true;
	}
}

static int append(struct trace_findings *l, const struct trace_found *from)
{
	struct trace_found *item;

	if (vec_more(l->item, l->n, 1))
		return -1;
	item = &l->item[l->n];
	*item = *from;
	item->reported = 0;
	item->fresh = true;
	item->key = copy(from->key, from->nkey);
	item->rest = copy(from->rest, from->nrest);
	item->ranks = (struct rankset){ 0 };
	if (!item->key || !item->rest || rankset_copy(&item->ranks, &from->ranks)) {
		found_clear(item);
		return -1;
	}
	l->n++;
	settle(l, l->n - 1);
	trace_findings_trim(l, l->most);
	return 0;
}

/* One that is as large as all that are kept would be dropped at once. */
static bool too_late(const struct trace_findings *l, const struct trace_found *from)
{
	return l->most && l->n >= l->most && found_order(from, &l->item[l->n - 1]) > 0;
}

static int add(struct trace_findings *l, const struct trace_found *from)
{
	size_t i = 0;

	while (i < l->n && !same_key(&l->item[i], from))
		i++;
	if (i == l->n) {
		if (!too_late(l, from))
			return append(l, from);
		l->more = true;
		return 0;
	}
	if (found_order(from, &l->item[i]) < 0) {
		unsigned char *rest = copy(from->rest, from->nrest);

		if (!rest)
			return -1;
		free(l->item[i].rest);
		l->item[i].rest = rest;
		l->item[i].nrest = from->nrest;
		l->item[i].fresh = true;
		memcpy(l->item[i].order, from->order, sizeof(from->order));
		l->item[i].point = from->point;
		l->item[i].rank = from->rank;
	}
	l->item[i].count += from->count;
	if (rankset_add_set(&l->item[i].ranks, &from->ranks))
		return -1;
	settle(l, i);
	return 0;
}

/* Those of a finding: several, or the one that it is of. */
static int copy_ranks(struct rankset *to, const struct trace_finding *f)
{
	if (f->ranks)
		return rankset_copy(to, f->ranks);
	return f->rank < RANKSET_MAX ? rankset_add(to, f->rank, f->rank) : 0;
}

int trace_findings_add(struct trace_findings *l, const struct trace_finding *f)
{
	struct buf key = BUF_INIT, rest = BUF_INIT;
	struct trace_found one = {
		.kind = f->kind, .count = f->count, .point = f->point, .rank = f->rank
	};
	int rc = -1;

	memcpy(one.order, f->order, sizeof(f->order));
	finding_key_code(CODEC_PUT(&key), (struct trace_finding *)f);
	finding_rest_code(CODEC_PUT(&rest), (struct trace_finding *)f);
	if (!key.bad && !rest.bad && !copy_ranks(&one.ranks, f)) {
		one.key = key.data;
		one.nkey = (uint32_t)key.len;
		one.rest = rest.data;
		one.nrest = (uint32_t)rest.len;
		rc = add(l, &one);
	}
	if (!rc)
		l->total += f->count;
	rankset_clear(&one.ranks);
	buf_clear(&key);
	buf_clear(&rest);
	return rc;
}

void trace_findings_count(struct trace_findings *l, const void *key, uint32_t nkey, uint64_t n)
{
	l->total += n;
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].nkey == nkey && !memcmp(l->item[i].key, key, nkey)) {
			l->item[i].count += n;
			return;
		}
	l->more = true;
}

int trace_findings_merge(struct trace_findings *l, const struct trace_findings *other)
{
	for (size_t i = 0; i < other->n; i++)
		if (add(l, &other->item[i]))
			return -1;
	l->total += other->total;
	l->more = l->more || other->more;
	return 0;
}

int trace_findings_take(struct trace_findings *l, struct trace_findings *out)
{
	trace_findings_clear(out);
	for (size_t i = 0; i < l->n; i++) {
		struct trace_found *from = &l->item[i], part = *from;

		if (!from->fresh && from->reported == from->count)
			continue;
		part.count -= from->reported;
		if (append(out, &part))
			return -1;
		from->reported = from->count;
		from->fresh = false;
	}
	out->total = l->total - l->reported;
	out->more = l->more;
	l->reported = l->total;
	return (int)out->n;
}

/* Reads what both hold, all of it; without the count. */
static int parts_get(struct trace_finding *f, const struct trace_found *i)
{
	struct buf key = buf_view(i->key, i->nkey), rest = buf_view(i->rest, i->nrest);

	*f = (struct trace_finding){ 0 };
	if (finding_key_code(CODEC_GET(&key), f) || finding_rest_code(CODEC_GET(&rest), f))
		return -1;
	return buf_left(&key) || buf_left(&rest) ? -1 : 0;
}

int trace_findings_get(const struct trace_findings *l, size_t i, struct trace_finding *f)
{
	if (i >= l->n || parts_get(f, &l->item[i]))
		return -1;
	f->count = l->item[i].count;
	f->ranks = &l->item[i].ranks;
	return 0;
}

/* Merges one that was got, whose bytes are not its own. */
static int take_one(struct trace_findings *l, struct trace_found *one)
{
	struct trace_finding f;

	if (parts_get(&f, one))
		return -1;
	one->kind = f.kind;
	one->point = f.point;
	one->rank = f.rank;
	memcpy(one->order, f.order, sizeof(f.order));
	return add(l, one);
}

int trace_findings_code(struct codec *c, struct trace_findings *l)
{
	uint64_t total = l->total;
	bool more = l->more;
	uint32_t n = (uint32_t)l->n;

	codec_u64(c, &total);
	codec_flag(c, &more);
	codec_u32(c, &n);
	if (c->get)
		trace_findings_clear(l);
	for (uint32_t i = 0; i < n && codec_good(c); i++) {
		struct trace_found one = c->get ? (struct trace_found){ 0 } : l->item[i];

		codec_u64(c, &one.count);
		codec_blob(c, &one.key, &one.nkey);
		codec_blob(c, &one.rest, &one.nrest);
		rankset_code(c, &one.ranks);
		codec_check(c, !take_one(l, &one));
		if (c->get)
			rankset_clear(&one.ranks);
	}
	if (!c->get)
		return codec_end(c);
	if (!codec_good(c)) {
		trace_findings_clear(l);
		return -1;
	}
	l->total = total;
	l->more = l->more || more;
	return 0;
}
