/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/halo_block.h"

#include <string.h>

#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "common/logical/rankset.h"
#include "frontend/model/ask.h"
#include "frontend/util/xrankset.h"

void halo_block_clear(struct halo_block *b)
{
	halo_parts_clear(&b->parts);
	groups_clear(&b->answers);
	memset(b, 0, sizeof(*b));
}

static const struct halo_part *find(const struct halo_parts *p, unsigned ndim)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->part[i].why && p->part[i].desc.ndim == ndim)
			return &p->part[i];
	return NULL;
}

int halo_block_ask(struct halo_block *b, struct session *s, const char *name, unsigned ndim,
		   uint32_t rank, struct err *err)
{
	struct msg_query q = { .kind = QUERY_HALO, .name = name };
	struct rankset one = { 0 };
	int rc;

	memset(b, 0, sizeof(*b));
	xrankset_add(&one, rank, rank);
	rc = ask(s, &q, &one, &b->answers, NULL, err);
	if (!rc)
		rc = halo_parts_make(&b->parts, &b->answers, err);
	rankset_clear(&one);
	if (rc)
		return -1;
	b->rank = rank;
	b->part = find(&b->parts, ndim);
	if (b->part)
		return 0;
	return err_set(err, "rank %u has no halo of %s%s%s", rank, name, b->parts.n ? ": " : "",
		       b->parts.n && b->parts.part[0].why ? b->parts.part[0].why : "");
}

bool halo_block_owns(const struct halo_block *b, const int64_t *index)
{
	const struct array_desc *a = &b->part->desc;

	for (unsigned d = 0; d < a->ndim; d++)
		if (array_local(a, d, index[d]) < 0)
			return false;
	return true;
}

static bool in_box(unsigned ndim, const struct halo_box *b, const int64_t *index, size_t *at)
{
	*at = 0;
	for (unsigned d = 0; d < ndim; d++) {
		if (index[d] < b->lo[d] || index[d] > b->hi[d])
			return false;
		*at = *at * (size_t)(b->hi[d] - b->lo[d] + 1) + (size_t)(index[d] - b->lo[d]);
	}
	return true;
}

const unsigned char *halo_block_copy(const struct halo_block *b, const int64_t *index)
{
	const struct halo_part *p = b->part;
	size_t at;

	for (size_t i = 0; i < p->nhalo; i++)
		if (in_box(p->desc.ndim, &p->box[i], index, &at))
			return p->box[i].bytes + at * p->desc.elem_size;
	return NULL;
}
