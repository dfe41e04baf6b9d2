/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/array/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/verbs/look/look.h"
#include "frontend/diff/diff.h"
#include "frontend/job/job.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/core.h"
#include "frontend/data/bins.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* What was found of it; not its name. */
static void forget(struct subject *x)
{
	if (x->found)
		pieces_clear(&x->p);
	owners_free(x->owner, x->nowner);
	bins_clear(&x->whole);
	halo_block_clear(&x->halo);
	x->owner = NULL;
	x->nowner = 0;
	x->found = x->summed = x->binned = false;
}

void subject_clear(struct subject *x)
{
	bool of_pair = x->of_pair;

	forget(x);
	rankset_clear(&x->who);
	free(x->name);
	*x = (struct subject){ .of_pair = of_pair };
}

/* The run that it is an array of. */
static struct session *run_of(const struct subject *x, const struct tui *t)
{
	return x->of_pair ? tui_own(t) : tui_session(t);
}

/* Why none of who stands, in words that follow a colon. */
static const char *why_none(const struct session *s, const struct rankset *who)
{
	if (rankset_meets(who, job_set(s->job, JOB_LOADED)))
		return "not started yet; c starts the program";
	if (rankset_meets(who, job_set(s->job, JOB_RUNNING)))
		return "no rank is stopped; Ctrl-C halts those that run";
	return "the program has ended; r starts it again";
}

/* The members of the focus that stand. */
static int find_ranks(struct subject *x, struct session *s, struct err *err)
{
	struct rankset all = { 0 };
	char text[100];
	int rc = 0;

	rankset_clear(&x->who);
	if (!s->job)
		return err_set(err, "No program is loaded.");
	if (shell_eval(s, s->focus, &x->who, err))
		return -1;
	xrankset_copy(&all, &x->who);
	xrankset_intersect(&x->who, job_set(s->job, JOB_STOPPED));
	if (!x->who.n)
		rc = err_set(err, "%s: %s", rankset_format(&all, text, sizeof(text)),
			     why_none(s, &all));
	rankset_clear(&all);
	return rc;
}

/* The name that text begins with, to be freed; NULL and err. */
static char *parse(struct subject *x, struct session *s, const char *text, struct section *sec,
		   struct err *err)
{
	struct named o;
	char *name;

	if (find_ranks(x, s, err) || named_parse(&o, s, &x->who, "tui", text, err))
		return NULL;
	name = xstrdup(o.e->name);
	if (o.e->nsub)
		xalloc_check(section_copy(sec, &o.sec));
	named_clear(&o);
	return name;
}

/* A section that was typed, if there is one, must be one of the array. */
static int bind(const struct subject *x, struct section *sec, struct err *err)
{
	const struct section *all = &x->p.section;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];

	for (unsigned d = 0; d < all->ndim; d++) {
		lower[d] = all->dim[d].first;
		extent[d] = (int64_t)section_count(all, d);
	}
	return sec->ndim ? section_bind(sec, x->name, all->ndim, lower, extent, err) : 0;
}

int subject_choose(struct subject *x, struct tui *t, const char *text, struct section *sec,
		   struct err *err)
{
	struct subject fresh = { .of_pair = x->of_pair };

	memset(sec, 0, sizeof(*sec));
	fresh.name = parse(&fresh, run_of(x, t), text, sec, err);
	if (!fresh.name || subject_find(&fresh, t, err) || bind(&fresh, sec, err)) {
		subject_clear(&fresh);
		return -1;
	}
	if (x->name && !strcmp(fresh.name, x->name) && x->found && x->epoch == fresh.epoch &&
	    x->run == fresh.run) {
		subject_clear(&fresh);
		return 0;
	}
	subject_clear(x);
	*x = fresh;
	x->p.who = &x->who; /* which has moved, too */
	return 0;
}

int subject_find(struct subject *x, struct tui *t, struct err *err)
{
	struct session *s = run_of(x, t);
	unsigned epoch = tui_epoch(t);

	if (x->found && x->epoch == epoch && x->run == s)
		return 0;
	forget(x);
	if (find_ranks(x, s, err) || pieces_find(&x->p, s, x->name, NULL, &x->who, err))
		return -1;
	if (!x->p.section.ndim) {
		pieces_clear(&x->p);
		return err_set(err, "%s is a single value: print shows it", x->name);
	}
	/* Without owners there are just no colours and blocks. */
	if (x->p.desc.kind == ARRAY_DISTRIBUTED)
		owners_of(s, x->name, &x->who, &x->owner, &x->nowner, NULL);
	x->found = true;
	x->epoch = epoch;
	x->run = s;
	return 0;
}

struct pieces subject_part(const struct subject *x, const struct section *s)
{
	struct pieces p = x->p;

	p.section = *s;
	return p;
}

bool subject_bounds(const struct bins_cell *c, double *from, double *to)
{
	if (!(c->least <= c->most))
		return false;
	*from = c->least;
	*to = c->most;
	if (*from == *to) { /* around the only value */
		*from -= fabs(c->least) / 2 + 0.5;
		*to += fabs(c->least) / 2 + 0.5;
	}
	return *from < *to && isfinite(*to - *from);
}

int subject_bins(struct subject *x, const struct section *s, const struct bins_cell *all,
		 struct bins *out, struct err *err)
{
	struct bins_spec spec = { .rows = 1, .cols = 1 };
	struct pieces p = subject_part(x, s);
	json_t *notes = json_array();
	uint32_t rank;
	int rc;

	spec.bins = subject_bounds(all, &spec.from, &spec.to);
	rc = bins_fetch(&p, &spec, out, &rank, notes, err);
	json_decref(notes);
	return rc;
}

int subject_sum(struct subject *x, bool bins, struct err *err)
{
	const struct section *all = &x->p.section;
	struct bins_cell nothing;
	struct bins z;

	bins_cell_init(&nothing);
	if (!x->summed) {
		if (subject_bins(x, all, &nothing, &x->whole, err))
			return -1;
		x->summed = true;
		x->binned = false;
	}
	if (!bins || x->binned)
		return 0;
	if (subject_bins(x, all, &x->whole.all, &z, err))
		return -1;
	bins_clear(&x->whole);
	x->whole = z;
	x->binned = true;
	return 0;
}

const struct halo_block *subject_halo(struct subject *x, uint32_t rank, struct err *err)
{
	struct halo_block *b = &x->halo;

	if (b->part && b->rank == rank)
		return b;
	halo_block_clear(b);
	return halo_block_ask(b, x->p.s, x->p.desc.name, x->p.desc.ndim, rank, err) ? NULL : b;
}

void subject_cut(const struct subject *x, struct cut *c)
{
	const struct section *s = &x->p.section;
	int64_t lower[ARRAY_DIMS];
	uint64_t extent[ARRAY_DIMS];

	for (unsigned d = 0; d < s->ndim; d++) {
		lower[d] = s->dim[d].first;
		extent[d] = section_count(s, d);
	}
	cut_make(c, s->ndim, x->p.desc.order == 'F', lower, extent);
}

uint32_t subject_owner(const struct subject *x, const int64_t *index)
{
	for (size_t i = 0; i < x->nowner; i++) {
		const struct array_desc *a = &x->owner[i].desc;
		unsigned d = 0;

		while (d < a->ndim && array_local(a, d, index[d]) >= 0)
			d++;
		if (d == a->ndim && !a->copy)
			return x->owner[i].rank;
	}
	return UINT32_MAX;
}

uint32_t subject_next(const struct subject *x, uint32_t rank)
{
	for (size_t i = 0; rank != UINT32_MAX && i < x->nowner; i++)
		if (x->owner[i].rank > rank)
			return x->owner[i].rank;
	return x->nowner ? x->owner[0].rank : UINT32_MAX;
}

const char *subject_unowned(const struct subject *x, char *out, size_t size)
{
	*out = 0;
	if (x->found && x->p.desc.kind == ARRAY_REPLICATED)
		snprintf(out, size, "%s is replicated: every rank has all of it", x->name);
	else if (x->found && !x->nowner)
		snprintf(out, size, "the owners of the elements of %s are unknown", x->name);
	return out;
}

void subject_enter(const struct subject *x, uint32_t rank, int64_t *index)
{
	for (size_t i = 0; i < x->nowner; i++) {
		const struct array_desc *a = &x->owner[i].desc;

		if (x->owner[i].rank != rank)
			continue;
		for (unsigned d = 0; d < a->ndim; d++)
			if (array_local(a, d, index[d]) < 0 &&
			    (a->list[d] ? a->list_n[d] > 0 : a->own_lo[d] <= a->own_hi[d]))
				index[d] = a->list[d] ? a->list[d][0] : a->own_lo[d];
	}
}

bool subject_corner(const struct subject *x, uint32_t rank, int64_t *index)
{
	const struct section *all = &x->p.section;

	for (size_t i = 0; i < x->nowner; i++) {
		const struct array_desc *a = &x->owner[i].desc;

		if (x->owner[i].rank != rank)
			continue;
		for (unsigned d = 0; d < a->ndim; d++) {
			if (a->list[d] ? !a->list_n[d] : a->own_lo[d] > a->own_hi[d])
				return false;
			index[d] = a->list[d] ? a->list[d][0] : a->own_lo[d];
			index[d] -= a->halo_lo[d];
			if (index[d] < all->dim[d].first)
				index[d] = all->dim[d].first;
		}
		return true;
	}
	return false;
}

bool subject_has_halo(const struct subject *x)
{
	for (size_t i = 0; i < x->nowner; i++)
		for (unsigned d = 0; d < x->owner[i].desc.ndim; d++)
			if (x->owner[i].desc.halo_lo[d] || x->owner[i].desc.halo_hi[d])
				return true;
	return false;
}

static bool choosable(const json_t *o)
{
	return *out_str(o, "shape") && strcmp(out_str(o, "kind"), "structure");
}

static void fill(struct list *l, const json_t *list)
{
	size_t wide = 0, kind = 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);
		size_t len = strlen(out_str(o, "name")) + strlen(out_str(o, "shape"));

		wide = choosable(o) && len > wide ? len : wide;
		len = strlen(out_str(o, "kind"));
		kind = choosable(o) && len > kind ? len : kind;
	}
	list_begin(l);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);
		const char *name = out_str(o, "name"), *shape = out_str(o, "shape");

		if (choosable(o))
			list_add(l, (int64_t)i, o,
				 SAY_BOLD "%s" SAY_NORMAL "%-*s  %-*s  %-11s  " SAY_DIM "%s", name,
				 (int)(wide - strlen(name)), shape, (int)kind, out_str(o, "kind"),
				 out_str(o, "held"), out_str(o, "place"));
	}
	list_end(l);
}

void subject_load_list(struct view *v)
{
	struct err err = { "No array is registered at this point." };
	json_t *what = tui_ask(v->tui, "what", &err, "what");

	fill(&v->list, out_get(what, "list"));
	json_decref(what);
	if (!v->list.n)
		view_why(v, err.text);
}
