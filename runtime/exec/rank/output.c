/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program prints goes up the tree, numbered, or to the launcher when nobody is there to
 * read it. The newest is kept: a link that breaks may lose what is on its way.
 */
#include "runtime/exec/rank/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/msg.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/sys/output.h"
#include "runtime/exec/tree/tree.h"

#define PIECE 16384u
#define KEPT 64u	 /* pieces */
#define TURN 16u	 /* pieces of one turn: others want to be heard, too */
#define TURN_LAST 4096u

struct printed {
	struct buf kept[KEPT]; /* the blob of number i is at i % KEPT */
	uint32_t number;       /* of the newest; the first is 1 */
	char piece[PIECE];
};

int control_output_fd(const struct control *c, unsigned i)
{
	struct output *o = child_output(c->child);

	/* while the way up is blocked the program waits, as it would for a slow terminal */
	return o && !(c->node && node_is_blocked(c->node)) ? output_fd(o, i) : -1;
}

static void send_up(struct control *c, const struct buf *b)
{
	struct buf view = buf_view(b->data, b->len);

	if (b->len)
		node_event(c->node, EVENT_OUTPUT, 0, &view);
}

static void take(struct control *c, int stream, size_t n)
{
	struct printed *s = c->printed;
	struct buf *b = &s->kept[++s->number % KEPT];
	struct report_output r = { s->number, (uint8_t)stream, s->piece, n };

	buf_clear(b);
	report_output_put(&r, b);
	send_up(c, b);
}

void control_output(struct control *c, bool all)
{
	struct output *o = child_output(c->child);
	int stream;

	if (o && !c->printed)
		c->printed = calloc(1, sizeof(*c->printed));
	if (!o || !c->printed)
		return;
	for (unsigned i = 0; i < OUTPUT_STREAMS; i++)
		for (unsigned k = 0; k < (all ? TURN_LAST : TURN); k++) {
			size_t n = output_read(o, i, c->printed->piece, PIECE, &stream);

			if (!n)
				break;
			if (c->node)
				take(c, stream, n);
			else
				output_pass(stream, c->printed->piece, n);
		}
}

void control_output_again(struct control *c)
{
	struct printed *s = c->printed;

	for (uint32_t i = s && s->number > KEPT ? s->number - KEPT + 1 : 1; s && i <= s->number;
	     i++)
		send_up(c, &s->kept[i % KEPT]);
}

void control_output_clear(struct control *c)
{
	for (unsigned i = 0; c->printed && i < KEPT; i++)
		buf_clear(&c->printed->kept[i]);
	free(c->printed);
	c->printed = NULL;
}
