/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native stacks merged as STAT does: a tree of calls, each with the ranks that are in it.
 */
#include "frontend/native/internal.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/model/ask.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

struct call {
	const struct native_frame *frame; /* NULL: the root */
	const struct native_frame *outer; /* that of the call around it, likewise */
	struct rankset ranks;
	struct call **inner;
	size_t n;
};

#define ROUND 8 /* calls of a round that is looked for */

/* In place of those that were not read. */
static const struct native_frame outer = { .func = "... outer calls, not read", .file = "" };

bool native_same(const struct native_frame *a, const struct native_frame *b)
{
	return a->line == b->line && a->library == b->library && !strcmp(a->func, b->func) &&
	       !strcmp(a->file, b->file);
}

static struct call *inner_of(struct call *c, const struct native_frame *f)
{
	struct call *new;

	for (size_t i = 0; i < c->n; i++)
		if (native_same(c->inner[i]->frame, f))
			return c->inner[i];
	new = xcalloc(1, sizeof(*new));
	new->frame = f;
	new->outer = c->frame;
	*xvec_add(c->inner, c->n) = new;
	return new;
}

static int by_size(const void *pa, const void *pb)
{
	const struct call *a = *(struct call *const *)pa, *b = *(struct call *const *)pb;
	size_t na = rankset_count(&a->ranks), nb = rankset_count(&b->ranks);
	int64_t fa = rankset_next(&a->ranks, 0), fb = rankset_next(&b->ranks, 0);

	if (na != nb)
		return na > nb ? -1 : 1;
	return (fa > fb) - (fa < fb);
}

/* The one call so many inside that all its ranks are in; NULL: there is none. */
static struct call *inside(struct call *c, unsigned n)
{
	for (; n && c; n--)
		c = c->n == 1 && rankset_equal(&c->inner[0]->ranks, &c->ranks) ? c->inner[0] : NULL;
	return c;
}

/*
 * Of a call that has called itself at the same place again and again, in so many calls each time:
 * how often, and the call that the last of these begin with. 1: it has not.
 */
static unsigned repeated(struct call *c, unsigned calls, struct call **last)
{
	struct call *in = c, *ahead = inside(c, calls);
	unsigned n = calls;

	for (; ahead && native_same(in->frame, ahead->frame); n++) {
		in = inside(in, 1);
		ahead = inside(ahead, 1);
	}
	*last = inside(c, (n / calls - 1) * calls);
	return n / calls;
}

/* The shortest round of calls from c that is repeated: its calls; *times 1: there is none. */
static unsigned round_of(struct call *c, unsigned *times, struct call **last)
{
	for (unsigned calls = 1; calls <= ROUND; calls++) {
		*times = repeated(c, calls, last);
		if (*times >= NATIVE_RECURSION)
			return calls;
	}
	*times = 1;
	*last = c;
	return 1;
}

/* What a rank has of them, "1:3"; NULL: nothing. */
static char *threads_of(const struct rankset *s, uint32_t rank, uint32_t threads)
{
	struct rankset own = { 0 };
	char *text = NULL;

	for (int64_t n = rankset_next(s, rank * threads);
	     n >= 0 && n < (int64_t)(rank + 1) * threads; n = rankset_next(s, (uint32_t)n + 1))
		xrankset_add(&own, (uint32_t)n % threads, (uint32_t)n % threads);
	if (own.n) {
		size_t size = 32 * (own.n + 1);

		text = xmalloc(size);
		rankset_format(&own, text, size);
		/* without brackets */
		text[strlen(text) - 1] = '\0';
		memmove(text, text + 1, strlen(text));
	}
	rankset_clear(&own);
	return text;
}

/* Appends "0:3.1" for ranks that have the same threads; several parts of these are one each. */
static void put_alike(FILE *f, bool *comma, uint32_t first, uint32_t last, const char *threads)
{
	char *list = xstrdup(threads), *save = NULL;

	for (char *part = strtok_r(list, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
		if (*comma)
			fputc(',', f);
		*comma = true;
		if (first == last)
			fprintf(f, "%u.%s", first, part);
		else
			fprintf(f, "%u:%u.%s", first, last, part);
	}
	free(list);
}

json_t *native_threads_text(const struct rankset *s, uint32_t threads)
{
	char *text = NULL, *alike = NULL;
	size_t len = 0;
	FILE *f = xmemstream(&text, &len);
	uint32_t first = 0, last = 0;
	bool comma = false;
	json_t *o;

	fputc('[', f);
	for (int64_t n = rankset_next(s, 0); n >= 0;) {
		uint32_t rank = (uint32_t)n / threads;
		char *own = threads_of(s, rank, threads);

		if (alike && rank == last + 1 && !strcmp(own, alike)) {
			last = rank;
			free(own);
		} else {
			if (alike)
				put_alike(f, &comma, first, last, alike);
			free(alike);
			alike = own;
			first = last = rank;
		}
		n = rankset_next(s, (rank + 1) * threads);
	}
	if (alike)
		put_alike(f, &comma, first, last, alike);
	free(alike);
	fputc(']', f);
	xmemstream_close(f);
	o = json_string(text);
	free(text);
	return o;
}

static json_t *set_text(const struct rankset *s, uint32_t threads)
{
	return threads ? native_threads_text(s, threads) : ask_ranks(s);
}

static json_t *list_of(struct call *c, uint32_t threads);

/* calls: of a round that is shown once from here on. */
static json_t *call_of(struct call *c, uint32_t threads, unsigned calls, unsigned round,
		       unsigned times)
{
	json_t *o = json_pack("{s:o s:o}", "ranks", set_text(&c->ranks, threads), "name",
			      out_json_text(*c->frame->func ? c->frame->func : "?"));
	const char *part = c->outer ? calls_part(c->outer, c->frame) : NULL;

	if (part)
		json_object_set_new(o, "openmp", json_string(part));
	if (*c->frame->file)
		json_object_set_new(o, "file", out_json_text(c->frame->file));
	if (c->frame->line)
		json_object_set_new(o, "line", json_integer(c->frame->line));
	if (c->frame->library)
		json_object_set_new(o, "library", json_true());
	if (c->frame->inlined)
		json_object_set_new(o, "inlined", json_true());
	if (calls > 1) {
		json_object_set_new(o, "calls", json_pack("[o]", call_of(c->inner[0], threads,
									calls - 1, round, times)));
		return o;
	}
	if (times > 1)
		json_object_set_new(o, "times", json_integer(times));
	if (round > 1)
		json_object_set_new(o, "round", json_integer(round));
	if (c->n)
		json_object_set_new(o, "calls", list_of(c, threads));
	return o;
}

static json_t *list_of(struct call *c, uint32_t threads)
{
	json_t *list = json_array();

	if (c->n)
		qsort(c->inner, c->n, sizeof(struct call *), by_size);
	for (size_t i = 0; i < c->n; i++) {
		struct call *last;
		unsigned times, round = round_of(c->inner[i], &times, &last);

		json_array_append_new(list, call_of(last, threads, round, round, times));
	}
	return list;
}

static void clear(struct call *c)
{
	for (size_t i = 0; i < c->n; i++) {
		clear(c->inner[i]);
		free(c->inner[i]);
	}
	free(c->inner);
	rankset_clear(&c->ranks);
}

/* The members of a stack that are shown. */
static void shown(const struct native_stacks *x, const struct native_stack *st,
		  struct rankset *out)
{
	*out = (struct rankset){ 0 };
	if (!x->only) {
		xrankset_copy(out, &st->ranks);
		return;
	}
	for (int64_t n = rankset_next(&st->ranks, 0); n >= 0;
	     n = rankset_next(&st->ranks, (uint32_t)n + 1))
		if (thread_set_has(x->only, (uint32_t)n / x->threads, (uint32_t)n % x->threads))
			xrankset_add(out, (uint32_t)n, (uint32_t)n);
}

/* The stack of these, which is further in than the calls around it. */
static void put_stack(struct call *at, const struct native_stack *st, const struct calls *around,
		      const struct rankset *ranks)
{
	if (ranks->n && st->n && st->lost) {
		at = inner_of(at, &outer);
		xrankset_add_set(&at->ranks, ranks);
	}
	for (size_t k = 0; ranks->n && k < around->n + st->n; k++) {
		at = inner_of(at, k < around->n ? around->frame[k] : &st->frame[k - around->n]);
		xrankset_add_set(&at->ranks, ranks);
	}
}

static bool same_calls(const struct calls *a, const struct calls *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (!native_same(a->frame[i], b->frame[i]))
			return false;
	return a->n == b->n;
}

/* Each in the calls that are around it, which are mostly those of the one before. */
static void put_parts(struct call *root, const struct native_stacks *x,
		      const struct native_stack *st, const struct rankset *ranks)
{
	struct rankset alike = { 0 };
	struct calls around = { 0 };

	for (int64_t n = rankset_next(ranks, 0); n >= 0; n = rankset_next(ranks, (uint32_t)n + 1)) {
		struct calls own;

		calls_outer(x, st, (uint32_t)n, &own);
		if (!same_calls(&own, &around)) {
			put_stack(root, st, &around, &alike);
			rankset_clear(&alike);
		}
		free(around.frame);
		around = own;
		xrankset_add(&alike, (uint32_t)n, (uint32_t)n);
	}
	put_stack(root, st, &around, &alike);
	rankset_clear(&alike);
	free(around.frame);
}

json_t *native_tree(const struct native_stacks *x)
{
	struct call root = { 0 };
	json_t *list;

	for (size_t i = 0; i < x->n; i++) {
		const struct native_stack *st = &x->stack[i];
		struct rankset ranks;

		shown(x, st, &ranks);
		if (calls_are_part(st))
			put_parts(&root, x, st, &ranks);
		else
			put_stack(&root, st, &(struct calls){ 0 }, &ranks);
		rankset_clear(&ranks);
	}
	list = list_of(&root, x->threads);
	clear(&root);
	return list;
}

int native_show_only(struct native_stacks *x, const struct thread_set *only, struct err *err)
{
	bool any = false;

	x->only = only;
	for (size_t i = 0; i < x->n && !any; i++) {
		struct rankset ranks;

		shown(x, &x->stack[i], &ranks);
		any = ranks.n;
		rankset_clear(&ranks);
	}
	return any || x->silent.n ? 0 : native_no_threads(err);
}

json_t *native_answer(const struct native_stacks *x)
{
	json_t *o = json_pack("{s:s s:o}", "type", "calls", "tree", native_tree(x));
	json_t *lacking = native_lacking(x);
	struct rankset idle = { 0 };

	if (lacking)
		json_object_set_new(o, "lacking", lacking);
	for (size_t i = 0; x->threads && i < x->n; i++)
		if (!x->stack[i].n && !x->stack[i].why) {
			struct rankset ranks;

			shown(x, &x->stack[i], &ranks);
			xrankset_add_set(&idle, &ranks);
			rankset_clear(&ranks);
		}
	if (idle.n)
		json_object_set_new(o, "idle", set_text(&idle, x->threads));
	rankset_clear(&idle);
	if (x->silent.n)
		json_object_set_new(o, "silent", ask_ranks(&x->silent));
	return o;
}

json_t *native_lacking(const struct native_stacks *x)
{
	json_t *list = NULL;

	for (size_t i = 0; i < x->n; i++) {
		const struct native_stack *st = &x->stack[i];
		struct rankset ranks;

		if (!st->why)
			continue;
		shown(x, st, &ranks);
		if (ranks.n && !list)
			list = json_array();
		if (ranks.n)
			json_array_append_new(list, json_pack("{s:o s:o}", "ranks",
							      set_text(&ranks, x->threads), "text",
							      out_json_text(st->why)));
		rankset_clear(&ranks);
	}
	return list;
}
