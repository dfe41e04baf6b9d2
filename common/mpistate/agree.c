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

static void extent_code(struct codec *c, struct agree_extent *e)
{
	codec_int_below(c, &e->call, 2, MPISTATE_CALLS);
	codec_u32(c, &e->arg);
	codec_flag(c, &e->writes);
	codec_u64(c, &e->bytes);
	codec_u64(c, &e->vaddr);
	codec_i64(c, &e->from_sp);
	codec_i64(c, &e->from_bp);
	place_code(c, &e->place);
}

int agree_extents_code(struct codec *c, struct agree_extents *l)
{
	codec_each(c, &l->extent, &l->n, MPISTATE_EXTENTS, 39, extent_code);
	return codec_end(c);
}

void agree_extents_clear(struct agree_extents *l)
{
	free(l->extent);
	*l = (struct agree_extents){ 0 };
}

void agree_messages_clear(struct agree_messages *m)
{
	free(m->message);
	*m = (struct agree_messages){ 0 };
}

static void clash_code(struct codec *c, struct agree_clash *x)
{
	codec_int_below(c, &x->call, 2, MPISTATE_CALLS + 1);
	codec_int_below(c, &x->by, 2, MPISTATE_CALLS + 1);
	codec_u32(c, &x->arg);
	codec_u32(c, &x->by_arg);
	codec_flag(c, &x->writes);
	codec_flag(c, &x->by_writes);
	place_code(c, &x->place);
	place_code(c, &x->by_place);
}

int agree_clashes_code(struct codec *c, struct agree_clashes *l)
{
	codec_flag(c, &l->accesses);
	codec_each(c, &l->clash, &l->n, MPISTATE_CLASHES, 30, clash_code);
	return codec_end(c);
}

void agree_clashes_clear(struct agree_clashes *l)
{
	free(l->clash);
	*l = (struct agree_clashes){ 0 };
}

static void window_code(struct codec *c, struct mpistate_window *w)
{
	codec_u64(c, &w->id);
	codec_u64(c, &w->pc);
	codec_u64(c, &w->base);
	codec_u64(c, &w->size);
	codec_u32(c, &w->unit);
	codec_u32_below(c, &w->call, MPISTATE_CALLS + 1);
}

static void event_code(struct codec *c, struct mpistate_event *e)
{
	codec_u32_below(c, &e->kind, MPISTATE_EVENTS_KINDS);
	codec_u32(c, &e->n);
	codec_u32(c, &e->size);
	codec_u32(c, &e->peer);
	codec_u32(c, &e->tag);
	codec_u32_below(c, &e->is_root, 2);
	codec_u32_below(c, &e->class, MPISTATE_EVENTS_KINDS);
	codec_u64(c, &e->id);
	codec_u64(c, &e->begin);
	codec_u64(c, &e->end);
}

static void access_code(struct codec *c, struct mpistate_access *a)
{
	codec_u64(c, &a->id);
	codec_u64(c, &a->pc);
	codec_u64(c, &a->disp);
	codec_u64(c, &a->piece.lo);
	codec_u64(c, &a->piece.block);
	codec_u64(c, &a->piece.stride);
	codec_u64(c, &a->piece.n);
	codec_check(c, a->piece.n && a->piece.block && a->piece.block < INT64_MAX / 4 &&
			       a->piece.lo > INT64_MIN / 4 && a->piece.lo < INT64_MAX / 4 &&
			       (a->piece.n == 1 ||
				(a->piece.stride && a->piece.stride < INT64_MAX / 4 / a->piece.n)));
	codec_u32(c, &a->begin);
	codec_u32(c, &a->end);
	codec_u32(c, &a->target);
	codec_u32_below(c, &a->call, MPISTATE_CALLS + 1);
	codec_u32_below(c, &a->kind, MPISTATE_ACCESS_KINDS);
	codec_u32(c, &a->base);
	codec_u32(c, &a->op);
	codec_u32_below(c, &a->gives, 2);
}

int agree_race_code(struct codec *c, struct agree_race *r)
{
	codec_flag(c, &r->over);
	codec_u64(c, &r->host);
	codec_each(c, &r->window, &r->nwindow, MPISTATE_WINDOWS, 40, window_code);
	codec_each(c, &r->event, &r->nevent, MPISTATE_EVENTS, 52, event_code);
	codec_each(c, &r->access, &r->naccess, MPISTATE_ACCESSES, 88, access_code);
	codec_each(c, &r->place, &r->nplace, MPISTATE_ACCESSES + MPISTATE_WINDOWS, 10, place_code);
	for (uint32_t i = 0; i < r->naccess && codec_good(c); i++)
		codec_check(c, r->access[i].pc < r->nplace);
	for (uint32_t i = 0; i < r->nwindow && codec_good(c); i++)
		codec_check(c, r->window[i].pc < r->nplace);
	return codec_end(c);
}

void agree_race_clear(struct agree_race *r)
{
	free(r->window);
	free(r->event);
	free(r->access);
	free(r->place);
	*r = (struct agree_race){ 0 };
}

uint64_t agree_weight(uint64_t id, uint32_t from, uint32_t to, int32_t tag, uint32_t base)
{
	uint64_t x = mpistate_mix(id, (uint64_t)from << 32 | to);

	return mpistate_mix(x, (uint64_t)(uint32_t)tag << 32 | base);
}
