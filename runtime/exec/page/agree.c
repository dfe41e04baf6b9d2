/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls of MPI were given, out of the page. Everything is copied before it is looked at.
 */
#include "runtime/exec/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/core/vec.h"
#include "common/mpistate/agree.h"

static void copy_in(void *dst, const void *src, size_t len)
{
	memcpy(dst, src, len);
	__asm__ volatile("" ::: "memory");
}

struct places {
	struct page_read *read;
	const char *path[MPISTATE_MODULES]; /* of the modules that have been named */
};

/* The call that returns to pc: also when the program is gone. */
static struct place place_of(struct places *p, uint64_t pc)
{
	struct place at = { .file = "", .func = "", .module = "" };

	for (unsigned i = 0; pc && i < MPISTATE_MODULES; i++) {
		const struct mpistate_module *m = &p->read->page->mpi_calls.module[i];

		if (!atomic_load_explicit(&m->there, memory_order_acquire))
			return at;
		if (pc <= m->lo || pc > m->hi)
			continue;
		if (!p->path[i])
			p->path[i] = page_read_text(p->read, m->path, sizeof(m->path));
		at.module = p->path[i];
		at.vaddr = pc - 1 - m->load;
		return at;
	}
	return at;
}

static bool given_copy(const struct mpistate_page *p, uint32_t at, struct mpistate_given *out)
{
	copy_in(out, &p->given[at], sizeof(*out));
	return out->number && out->call && out->call <= MPISTATE_CALLS &&
	       atomic_load_explicit(&p->given[at].number, memory_order_acquire) == out->number;
}

/* How many places of collectives are in use. */
static uint32_t given_places(const struct mpistate_page *p)
{
	uint32_t n = atomic_load(&p->given_n);

	return n < MPISTATE_GIVEN ? n : MPISTATE_GIVEN;
}

static struct agree_object *object_of(struct agree_list *l, uint64_t id, uint32_t *hint)
{
	if (*hint < l->n && l->object[*hint].id == id)
		return &l->object[*hint];
	for (*hint = 0; *hint < l->n; ++*hint)
		if (l->object[*hint].id == id)
			return &l->object[*hint];
	return l->n < MPISTATE_OBJECTS ? vec_add(l->object, l->n) : NULL;
}

void page_read_agree(struct page_read *r, struct agree_list *out)
{
	const struct mpistate_page *p = &r->page->mpi_calls;
	uint32_t n = given_places(p), hint = 0;

	*out = (struct agree_list){ .unsure = atomic_load(&p->unsure) || atomic_load(&p->lost),
				    .final = atomic_load(&p->final) &&
					     atomic_load(&p->given_n) <= MPISTATE_GIVEN };
	for (uint32_t i = 0; i < n; i++) {
		struct mpistate_given g;
		struct agree_object *o;

		if (!given_copy(p, i, &g))
			continue;
		o = object_of(out, g.id, &hint);
		if (o && g.number > o->number)
			*o = (struct agree_object){ .id = g.id, .size = g.size, .number = g.number,
						    .sum = g.sum, .parts_sum = g.parts_sum };
	}
}

static void put_object(struct places *p, const struct mpistate_given *g, struct agree_one *out)
{
	struct mpistate_object o;

	out->made_by = MPISTATE_CALLS;
	out->made = (struct place){ .file = "", .func = "", .module = "" };
	if (g->object >= MPISTATE_OBJECTS)
		return;
	copy_in(&o, &p->read->page->mpi_calls.object[g->object], sizeof(o));
	if (o.id != g->id || o.what >= MPISTATE_WHATS)
		return;
	out->what = (uint8_t)o.what;
	out->world = o.world != 0;
	if (o.made_by && o.made_by <= MPISTATE_CALLS)
		out->made_by = (uint16_t)(o.made_by - 1);
	out->made = place_of(p, o.made_pc);
	snprintf(out->name, sizeof(out->name), "%s",
		 page_read_text(p->read, o.name, sizeof(o.name)));
}

static void put_parts(const struct mpistate_page *p, const struct mpistate_given *g,
		      struct agree_one *out)
{
	uint32_t n = g->nsent + g->nreceived;

	if (g->nsent > MPISTATE_PARTS || g->nreceived > MPISTATE_PARTS || !n ||
	    g->part > MPISTATE_PARTS || n > MPISTATE_PARTS - g->part)
		return;
	out->part = calloc(n, sizeof(*out->part));
	if (!out->part)
		return;
	copy_in(out->part, &p->parts[g->part], n * sizeof(*out->part));
	out->nsent = g->nsent;
	out->nreceived = g->nreceived;
}

void page_read_agree_one(struct page_read *r, uint64_t id, uint32_t number, struct agree_one *out)
{
	struct places places = { .read = r };
	const struct mpistate_page *p = &r->page->mpi_calls;
	uint32_t n = given_places(p);

	*out = (struct agree_one){ .call = MPISTATE_CALLS, .made_by = MPISTATE_CALLS };
	out->place = out->made = (struct place){ .file = "", .func = "", .module = "" };
	for (uint32_t i = 0; i < n; i++) {
		struct mpistate_given g;

		if (p->given[i].number != number || !given_copy(p, i, &g) || g.id != id ||
		    g.number != number)
			continue;
		out->known = true;
		out->unknown = g.unknown != 0;
		out->call = (uint16_t)(g.call - 1);
		out->size = g.size;
		/* else equal answers are to be equal */
		out->rank = g.parts ? g.rank : 0;
		out->root = g.root;
		out->op = g.op;
		out->sig = g.sig;
		out->sum = g.sum;
		out->parts_sum = g.parts_sum;
		out->place = place_of(&places, g.pc);
		put_object(&places, &g, out);
		put_parts(p, &g, out);
		return;
	}
}

/* Messages are compared when all of them were seen. */
static bool is_unsure(const struct mpistate_page *p)
{
	return atomic_load(&p->unsure) || atomic_load(&p->lost) || atomic_load(&p->pairs_lost) ||
	       atomic_load(&p->cancelled) || atomic_load(&p->posted_lost);
}

static bool pair_copy(const struct mpistate_page *p, uint32_t i, struct mpistate_pair *out)
{
	copy_in(out, &p->pair[i], sizeof(*out));
	return out->serial && out->id && out->world >= 0 && out->peer >= 0 && out->tag >= 0;
}

uint64_t page_read_balance(const struct page_read *r, uint32_t rank, uint64_t *number)
{
	const struct mpistate_page *p = &r->page->mpi_calls;
	uint64_t sum = 0;

	*number = 0 - (uint64_t)atomic_load(&p->blind);
	for (uint32_t i = 0; i < MPISTATE_PAIRS; i++) {
		struct mpistate_pair e;

		if (!pair_copy(p, i, &e))
			continue;
		*number += e.sends - (uint64_t)e.received;
		for (unsigned k = 0; k < MPISTATE_KINDS; k++) {
			sum += e.sent[k].n * agree_weight(e.id, rank, (uint32_t)e.world, e.tag,
							  e.sent[k].base);
			sum -= e.got[k].n * agree_weight(e.id, (uint32_t)e.world, rank, e.tag,
							 e.got[k].base);
		}
	}
	return sum;
}

static void put_kinds(struct agree_messages *out, struct places *p, const struct mpistate_pair *e,
		      bool received)
{
	const struct mpistate_kind *list = received ? e->got : e->sent;
	struct agree_message all = { .id = e->id, .peer = e->world, .tag = e->tag,
				     .received = received, .call = MPISTATE_CALLS,
				     .n = received ? e->received : e->sends, .any = e->any,
				     .place = { .file = "", .func = "", .module = "" } };
	struct agree_message *m;

	if (!received && e->call && e->call <= MPISTATE_CALLS) {
		all.call = (uint16_t)(e->call - 1);
		all.place = place_of(p, e->pc);
	}
	for (unsigned k = 0; k < MPISTATE_KINDS; k++) {
		m = list[k].n && list[k].base ? vec_add(out->message, out->n) : NULL;
		if (!m)
			continue;
		*m = all;
		m->base = list[k].base;
		m->n = list[k].n;
		m->call = list[k].call && list[k].call <= MPISTATE_CALLS
				  ? (uint16_t)(list[k].call - 1)
				  : MPISTATE_CALLS;
		m->place = place_of(p, list[k].pc);
	}
	m = all.n ? vec_add(out->message, out->n) : NULL;
	if (m)
		*m = all;
}

void page_read_messages(struct page_read *r, struct agree_messages *out)
{
	struct places places = { .read = r };
	const struct mpistate_page *p = &r->page->mpi_calls;

	*out = (struct agree_messages){ .unsure = is_unsure(p),
					.final = atomic_load(&p->final) && !atomic_load(&p->failed),
					.blind = atomic_load(&p->blind) };
	for (uint32_t i = 0; i < MPISTATE_PAIRS && !out->unsure; i++) {
		struct mpistate_pair e;

		if (!pair_copy(p, i, &e))
			continue;
		put_kinds(out, &places, &e, false);
		put_kinds(out, &places, &e, true);
	}
}

/* What is written once, and never changed: the number of those that are there is read before. */
static uint32_t count_of(const _Atomic uint32_t *n, uint32_t most)
{
	uint32_t have = atomic_load_explicit(n, memory_order_acquire);

	return have < most ? have : most;
}

void page_read_clashes(struct page_read *r, struct agree_clashes *out)
{
	struct places places = { .read = r };
	const struct mpistate_race *p = &r->page->mpi_calls.race;
	uint32_t n = count_of(&p->nclash, MPISTATE_CLASHES);

	*out = (struct agree_clashes){ .accesses = atomic_load(&p->naccess) != 0 };
	for (uint32_t i = 0; i < n; i++) {
		struct mpistate_clash x;
		struct agree_clash *to;

		copy_in(&x, &p->clash[i], sizeof(x));
		to = x.there && x.call && x.call <= MPISTATE_CALLS && x.by <= MPISTATE_CALLS ?
			     vec_add(out->clash, out->n) :
			     NULL;
		if (!to)
			continue;
		to->call = (uint16_t)(x.call - 1);
		to->by = (uint16_t)(x.by ? x.by - 1 : MPISTATE_CALLS);
		to->arg = x.arg;
		to->by_arg = x.by_arg;
		to->writes = x.writes != 0;
		to->by_writes = x.by_writes != 0;
		to->place = place_of(&places, x.pc);
		to->by_place = place_of(&places, x.by_pc);
	}
}

void page_read_extents(struct page_read *r, struct agree_extents *out)
{
	struct places places = { .read = r };
	const struct mpistate_page *p = &r->page->mpi_calls;
	uint32_t n = count_of(&p->nextent, MPISTATE_EXTENTS);

	*out = (struct agree_extents){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		struct mpistate_extent x;
		struct agree_extent *to;

		copy_in(&x, &p->extent[i], sizeof(x));
		to = x.there && x.call && x.call <= MPISTATE_CALLS ? vec_add(out->extent, out->n)
								   : NULL;
		if (!to)
			continue;
		*to = (struct agree_extent){ .call = (uint16_t)(x.call - 1), .arg = x.arg,
					     .writes = x.writes != 0, .bytes = x.bytes,
					     .from_sp = (int64_t)(x.addr - x.sp),
					     .from_bp = (int64_t)(x.addr - x.bp),
					     .place = place_of(&places, x.pc) };
		/* the place is that of the call, one byte before */
		to->vaddr = x.addr - (x.pc - 1 - to->place.vaddr);
	}
}

/* Equal where CLOCK_MONOTONIC is: in one run of one kernel. */
static uint64_t host_of_clock(void)
{
	char text[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	return n ? hash_bytes(HASH_START, text, n) : 0;
}

/* Each place once. */
static uint64_t place_index(struct places *places, struct agree_race *out, uint64_t *known,
			    uint64_t pc)
{
	struct place *to;

	for (uint32_t i = out->nplace; i--;)
		if (known[i] == pc)
			return i;
	to = vec_add(out->place, out->nplace);
	if (!to)
		return UINT64_MAX;
	*to = place_of(places, pc);
	known[out->nplace - 1] = pc;
	return out->nplace - 1;
}

static bool piece_is_fine(const struct mpistate_piece *p)
{
	return p->n && p->block && p->block < INT64_MAX / 4 && p->lo > INT64_MIN / 4 &&
	       p->lo < INT64_MAX / 4 &&
	       (p->n == 1 || (p->stride && p->stride < INT64_MAX / 4 / p->n));
}

static bool access_is_fine(const struct mpistate_access *a)
{
	return piece_is_fine(&a->piece) && a->call <= MPISTATE_CALLS &&
	       a->kind < MPISTATE_ACCESS_KINDS && a->gives < 2;
}

static bool event_is_fine(const struct mpistate_event *e)
{
	return e->kind < MPISTATE_EVENTS_KINDS && e->class < MPISTATE_EVENTS_KINDS &&
	       e->is_root < 2;
}

bool page_read_race(struct page_read *r, struct agree_race *out)
{
	struct places places = { .read = r };
	const struct mpistate_race *p = &r->page->mpi_calls.race;
	uint32_t na = count_of(&p->naccess, MPISTATE_ACCESSES);
	uint32_t ne = count_of(&p->nevent, MPISTATE_EVENTS);
	uint32_t nw = count_of(&p->nwindow, MPISTATE_WINDOWS);
	uint64_t *known = calloc(na + nw + 1, sizeof(*known));
	bool good = known;

	*out = (struct agree_race){ .over = atomic_load(&p->over) != 0, .host = host_of_clock() };
	for (uint32_t i = 0; good && i < nw; i++) {
		struct mpistate_window *w = vec_add(out->window, out->nwindow);

		good = w;
		if (!good)
			break;
		copy_in(w, &p->window[i], sizeof(*w));
		w->pc = place_index(&places, out, known, w->pc);
		good = w->pc != UINT64_MAX;
		w->call = w->call <= MPISTATE_CALLS ? w->call : 0;
	}
	for (uint32_t i = 0; good && i < ne; i++) {
		struct mpistate_event *e = vec_add(out->event, out->nevent);

		good = e;
		if (good)
			copy_in(e, &p->event[i], sizeof(*e));
		/* the order of what follows is not known */
		if (good && !event_is_fine(e)) {
			out->nevent--;
			out->over = true;
			break;
		}
	}
	for (uint32_t i = 0; good && i < na; i++) {
		struct mpistate_access a, *to;

		copy_in(&a, &p->access[i], sizeof(a));
		if (!access_is_fine(&a))
			continue;
		a.pc = place_index(&places, out, known, a.pc);
		to = a.pc == UINT64_MAX ? NULL : vec_add(out->access, out->naccess);
		good = to;
		if (good)
			*to = a;
	}
	free(known);
	if (!good)
		agree_race_clear(out);
	return good;
}
