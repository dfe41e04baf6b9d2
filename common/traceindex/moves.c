/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where objects are. A version of one keeps the address at which it was made; the memory of those
 * that are registered by a pointer is another one when pointers are swapped, which a note says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"
#include "common/traceindex/traceindex.h"

struct trace_move {
	size_t block;
	uint32_t version;
	uint64_t addr;
};

bool trace_move_is(const struct trace_rec *r, uint32_t *version, uint64_t *addr)
{
	char text[64];

	if (r->op != TRACE_NOTE || r->kind != TRACE_NOTE_CONTROL || !r->nbytes ||
	    *r->bytes != 'V' || r->nbytes >= sizeof(text))
		return false;
	memcpy(text, r->bytes, r->nbytes);
	text[r->nbytes] = 0;
	return sscanf(text, "V %" SCNx64 " %" SCNu32, addr, version) == 2;
}

void trace_move_take(const struct trace_block *b, const struct trace_rec *r, uint64_t *addr)
{
	uint32_t version;
	uint64_t now;

	if (!trace_move_is(r, &version, &now))
		return;
	for (uint32_t i = 0; i < b->nobject; i++)
		if (b->object[i].version == version)
			addr[i] = now;
}

/* -1: no memory, or a block cannot be read; what is there holds. */
static int moves_of_block(struct trace_moves *m, struct trace_index *index, uint32_t file, size_t at)
{
	struct trace_block *b = trace_reader_block(index->file[file].map, at, NULL);
	struct trace_cursor *c = b ? trace_cursor_open(b) : NULL;
	struct trace_rec *r = calloc(1, sizeof(*r));
	int rc = c && r ? 1 : -1;

	while (rc == 1 && (rc = trace_block_next(c, r)) == 1) {
		struct trace_move move = { .block = at }, *to;

		if (!trace_move_is(r, &move.version, &move.addr))
			continue;
		to = vec_add(m->move, m->n);
		if (!to)
			rc = -1;
		else
			*to = move;
	}
	free(r);
	trace_cursor_free(c);
	trace_block_free(b);
	return rc;
}

uint64_t trace_moves_before(struct trace_moves *m, struct trace_index *index, uint32_t file,
			    size_t block, const struct trace_object *o)
{
	for (; m->looked < block; m->looked++)
		if (ref_info(index, file, m->looked)->count[TRACE_NOTE] &&
		    moves_of_block(m, index, file, m->looked))
			m->cut = true;
	for (size_t i = m->n; i-- > 0;)
		if (m->move[i].block < block && m->move[i].version == o->version)
			return m->move[i].addr;
	return o->desc.addr;
}

void trace_moves_clear(struct trace_moves *m)
{
	free(m->move);
	*m = (struct trace_moves){ .n = 0 };
}
