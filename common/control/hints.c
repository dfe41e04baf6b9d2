/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declarations that nothing needs: hints, of what no iteration of any instance of its construct has
 * used. A mark is known by where it is called.
 */
#include "common/control/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

struct hint {
	uint64_t pc;
	char kind;
	bool used;
	struct trace_spot spot; /* of the mark; owned */
	char name[80];		/* of the object; "": it is not registered */
};

static struct hint *hint_of(struct dyncontrol *e, const struct clause *c)
{
	struct hint *to;

	for (size_t i = 0; i < e->nhint; i++)
		if (e->hint[i].pc == c->pc && e->hint[i].kind == c->kind)
			return &e->hint[i];
	to = vec_add(e->hint, e->nhint);
	if (!to)
		return NULL;
	to->pc = c->pc;
	to->kind = c->kind;
	return to;
}

/* What the mark is about; the block has its texts now. */
static int describe(struct dyncontrol *e, struct hint *h, const struct clause *c)
{
	struct trace_site site = { 0 };
	struct trace_spot spot = { 0 };
	const struct array_desc *d = NULL;

	for (uint32_t i = 0; i < e->block->nobject && !d; i++) {
		const struct slot *s = slot_at(e, i, c->lo);

		if (s && !s->heap && s->addr <= c->lo && c->lo < s->addr + s->desc->elem_size)
			d = s->desc;
	}
	if (d && d->name)
		snprintf(h->name, sizeof(h->name), "%s", d->name);
	if (!trace_block_module(e->block, c->pc - 1, &site))
		return 0;
	spot = trace_spot_of_site(&site);
	return trace_spot_copy(&h->spot, &spot) ? 0 : -1;
}

int hint_declared(struct dyncontrol *e, const struct clause *c)
{
	struct hint *h = c->pc ? hint_of(e, c) : NULL;

	if (!c->pc)
		return 0;
	if (!h)
		return -1;
	return h->spot.place.module || h->spot.place.file ? 0 : describe(e, h, c);
}

struct looked {
	uint32_t since;
	bool used;
};

static void look(void *arg, struct cell *c, uint64_t at, unsigned bytes)
{
	struct looked *l = arg;

	(void)at;
	(void)bytes;
	l->used = l->used || c->write > l->since || c->read > l->since;
}

void hints_used(struct dyncontrol *e, const struct level *l)
{
	for (size_t i = 0; i < l->nclause; i++) {
		const struct clause *c = &l->clause[i];
		struct looked at = { .since = l->begun };
		struct hint *h = c->pc ? hint_of(e, c) : NULL;

		if (!h || h->used)
			continue;
		if (c->kind != 'A')
			shadow_each(&e->shadow, c->lo, c->hi > c->lo ? c->hi - c->lo : 1, look,
				    &at);
		h->used = c->used || at.used;
	}
}

int hints_end(struct dyncontrol *e)
{
	static const struct {
		char kind;
		const char *text;
	} says[] = { { 'P', "%s is declared as private, and no iteration uses it" },
		     { 'R', "%s is declared as read only, and no iteration reads it" },
		     { 'D', "%s is declared as a reduction variable, and no iteration uses it" },
		     { 'A', "iterations are declared to depend on %s of others, and none does" } };
	char note[200];

	for (size_t i = 0; i < e->nhint; i++) {
		const struct hint *h = &e->hint[i];
		const struct access a = { .spot = &h->spot };

		for (size_t k = 0; !h->used && k < sizeof(says) / sizeof(*says); k++) {
			if (says[k].kind != h->kind)
				continue;
			snprintf(note, sizeof(note), says[k].text,
				 *h->name ? h->name : "the variable");
			if (dyncontrol_hint(e, &a, note))
				return -1;
		}
	}
	return 0;
}

void hints_forget(struct dyncontrol *e)
{
	for (size_t i = 0; i < e->nhint; i++)
		trace_spot_clear(&e->hint[i].spot);
	free(e->hint);
}
