/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/mpistate/agree.h"

#include <stdlib.h>

static void object_code(struct codec *c, struct agree_object *o)
{
	codec_u64(c, &o->id);
	codec_u32(c, &o->size);
	codec_u32(c, &o->number);
	codec_u64(c, &o->sum);
	codec_u64(c, &o->parts_sum);
}

int agree_list_code(struct codec *c, struct agree_list *l)
{
	codec_flag(c, &l->unsure);
	codec_flag(c, &l->final);
	codec_each(c, &l->object, &l->n, MPISTATE_GIVEN, 32, object_code);
	return codec_end(c);
}

void agree_list_clear(struct agree_list *l)
{
	free(l->object);
	*l = (struct agree_list){ 0 };
}

static void sig_code(struct codec *c, struct mpistate_sig *s)
{
	codec_u64(c, &s->len);
	codec_u64(c, &s->hash);
	codec_u32(c, &s->base);
}

/* Both lists of parts, one behind the other. */
static void parts_code(struct codec *c, struct agree_one *a)
{
	uint32_t n = a->nsent + a->nreceived;

	codec_u32_below(c, &a->nsent, MPISTATE_PARTS);
	codec_each(c, &a->part, &n, 2 * (uint64_t)MPISTATE_PARTS, 20, sig_code);
	codec_check(c, n >= a->nsent);
	if (c->get)
		a->nreceived = n - a->nsent;
}

int agree_one_code(struct codec *c, struct agree_one *a)
{
	codec_flag(c, &a->known);
	codec_flag(c, &a->unknown);
	codec_int_below(c, &a->call, 2, MPISTATE_CALLS + 1);
	codec_u32(c, &a->size);
	codec_u32(c, &a->rank);
	codec_u32(c, &a->root);
	codec_u32(c, &a->op);
	sig_code(c, &a->sig);
	codec_u64(c, &a->sum);
	codec_u64(c, &a->parts_sum);
	place_code(c, &a->place);
	codec_below(c, &a->what, MPISTATE_WHATS);
	codec_flag(c, &a->world);
	codec_text_in(c, a->name, sizeof(a->name));
	codec_int_below(c, &a->made_by, 2, MPISTATE_CALLS + 1);
	place_code(c, &a->made);
	parts_code(c, a);
	return codec_end(c);
}

void agree_one_clear(struct agree_one *a)
{
	free(a->part);
	a->part = NULL;
	a->nsent = a->nreceived = 0;
}

static void message_code(struct codec *c, struct agree_message *m)
{
	codec_u64(c, &m->id);
	codec_u32(c, &m->peer);
	codec_u32(c, &m->tag);
	codec_flag(c, &m->received);
	codec_u32(c, &m->base);
	codec_u32(c, &m->n);
	codec_u32(c, &m->any);
	codec_int_below(c, &m->call, 2, MPISTATE_CALLS + 1);
	place_code(c, &m->place);
}

int agree_messages_code(struct codec *c, struct agree_messages *m)
{
	codec_flag(c, &m->unsure);
	codec_flag(c, &m->final);
	codec_u32(c, &m->blind);
	codec_each(c, &m->message, &m->n, AGREE_MESSAGES, 31, message_code);
	return codec_end(c);
}

void agree_messages_clear(struct agree_messages *m)
{
	free(m->message);
	*m = (struct agree_messages){ 0 };
}

uint64_t agree_weight(uint64_t id, uint32_t from, uint32_t to, int32_t tag, uint32_t base)
{
	uint64_t x = mpistate_mix(id, (uint64_t)from << 32 | to);

	return mpistate_mix(x, (uint64_t)(uint32_t)tag << 32 | base);
}
