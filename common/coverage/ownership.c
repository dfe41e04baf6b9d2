/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/coverage/coverage.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"
#include "common/traceindex/traceindex.h"
#include "common/tracereport/tracereport.h"

#define LEAST 28 /* bytes of one on the wire: of no dimension, with a name of one letter */

void ownership_clear(struct ownership *o)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->item[i].desc)
			array_desc_clear(o->item[i].desc);
		free(o->item[i].desc);
	}
	free(o->item);
	*o = (struct ownership){ 0 };
}

/* desc is taken over. */
static int append(struct ownership *o, uint32_t rank, struct array_desc *desc)
{
	struct ownership_part *x = vec_add(o->item, o->n);

	if (!x) {
		array_desc_clear(desc);
		free(desc);
		return -1;
	}
	*x = (struct ownership_part){ rank, desc };
	return 0;
}

int ownership_add(struct ownership *o, uint32_t rank, const struct array_desc *desc)
{
	struct array_desc *copy = object_id_desc_copy(desc);

	return copy ? append(o, rank, copy) : -1;
}

int ownership_move(struct ownership *to, struct ownership *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n; i++)
		if (append(to, from->item[i].rank, from->item[i].desc))
			rc = -1;
	from->n = 0;
	ownership_clear(from);
	return rc;
}

static bool of_array(const struct array_desc *a, const char *name, uint32_t counter, unsigned ndim)
{
	return a->ndim == ndim && a->counter == counter && !strcmp(a->name, name);
}

uint32_t ownership_find(const struct ownership *o, const char *name, uint32_t counter,
			unsigned ndim, const int64_t *index)
{
	uint32_t least = TRACE_NO_RANK;

	for (size_t i = 0; i < o->n; i++) {
		const struct ownership_part *x = &o->item[i];
		bool later = false;

		if (x->rank >= least || x->desc->copy || !of_array(x->desc, name, counter, ndim) ||
		    !object_id_desc_has(x->desc, index, false))
			continue;
		for (size_t k = i + 1; k < o->n && !later; k++)
			later = o->item[k].rank == x->rank &&
				of_array(o->item[k].desc, name, counter, ndim);
		if (!later)
			least = x->rank;
	}
	return least;
}

static int owner_code(struct codec *c, struct ownership_part *o)
{
	codec_u32(c, &o->rank);
	if (c->get)
		o->desc = codec_room(c, 1, sizeof(*o->desc));
	if (!o->desc)
		return -1;
	array_global_code(c, o->desc);
	return array_local_code(c, o->desc);
}

int ownership_code(struct codec *c, struct ownership *o)
{
	codec_each(c, &o->item, &o->n, UINT32_MAX, LEAST, owner_code);
	return codec_end(c);
}
