/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Verbs whose set names threads: each thread is asked for itself, and equal answers are shown once,
 * with the threads that gave them.
 */
#include "frontend/session/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "frontend/model/merge_equal.h"
#include "frontend/native/native.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* Ranks as they are in answers, "[0:3]"; empty: they are none. */
static void read_ranks(const json_t *o, struct rankset *out)
{
	const char *text = out_str(o, "ranks");
	char *bare = strlen(text) > 2 ? xstrndup(text + 1, strlen(text) - 2) : NULL;

	if (bare && rankset_parse(out, bare, NULL))
		rankset_clear(out);
	free(bare);
}

static void write_ranks(json_t *o, const struct rankset *ranks)
{
	size_t size = 32 * (ranks->n + 1);
	char *text = xmalloc(size);

	json_object_set_new(o, "ranks", json_string(rankset_format(ranks, text, size)));
	free(text);
}

/* Every set of ranks in an answer becomes numbers of that thread, rank * threads + thread. */
static void number_ranks(json_t *o, uint32_t threads, uint32_t thread)
{
	struct rankset ranks = { 0 }, numbers = { 0 };
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(o, i, v) number_ranks(v, threads, thread);
	if (!json_is_object(o))
		return;
	json_object_foreach(o, key, v) if (json_is_array(v)) number_ranks(v, threads, thread);
	if (!out_get(o, "ranks"))
		return;
	read_ranks(o, &ranks);
	for (int64_t r = rankset_next(&ranks, 0); r >= 0; r = rankset_next(&ranks, (uint32_t)r + 1))
		xrankset_add(&numbers, (uint32_t)r * threads + thread,
			     (uint32_t)r * threads + thread);
	write_ranks(o, &numbers);
	rankset_clear(&ranks);
	rankset_clear(&numbers);
}

/* And these become text. */
static void name_ranks(json_t *o, uint32_t threads)
{
	struct rankset numbers = { 0 };
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(o, i, v) name_ranks(v, threads);
	if (!json_is_object(o))
		return;
	json_object_foreach(o, key, v) if (json_is_array(v)) name_ranks(v, threads);
	if (!out_get(o, "ranks"))
		return;
	read_ranks(o, &numbers);
	json_object_set_new(o, "ranks", native_threads_text(&numbers, threads));
	rankset_clear(&numbers);
}

/* Equal but for the ranks, and lists of what they have: the same call, variable or value. */
static bool same(const json_t *a, const json_t *b)
{
	static const char *const apart[] = { "ranks", "groups", "variables" };
	json_t *x = json_copy((json_t *)a), *y = json_copy((json_t *)b);
	bool equal;

	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
		json_object_del(x, apart[i]);
		json_object_del(y, apart[i]);
	}
	equal = json_equal(x, y);
	json_decref(x);
	json_decref(y);
	return equal;
}

static void merge(json_t *to, const json_t *from);

static void merge_list(json_t *to, const json_t *from)
{
	for (size_t i = 0; i < json_array_size(from); i++) {
		const json_t *item = json_array_get(from, i);
		json_t *old = NULL;

		for (size_t k = 0; k < json_array_size(to) && !old; k++)
			old = same(json_array_get(to, k), item) ? json_array_get(to, k) : NULL;
		if (old)
			merge(old, item);
		else
			json_array_append_new(to, json_deep_copy(item));
	}
}

static void merge(json_t *to, const json_t *from)
{
	static const char *const lists[] = { "groups", "calls", "variables", "lacking" };
	struct rankset all = { 0 }, more = { 0 };

	if (out_get(to, "ranks")) {
		read_ranks(to, &all);
		read_ranks(from, &more);
		xrankset_add_set(&all, &more);
		write_ranks(to, &all);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const json_t *new = out_get(from, lists[i]);

		if (new && !out_get(to, lists[i]))
			json_object_set_new(to, lists[i], json_array());
		if (new)
			merge_list(json_object_get(to, lists[i]), new);
	}
	rankset_clear(&all);
	rankset_clear(&more);
}

/* Those of the named threads at that place that are in functions of the program. */
static void members_at(const struct native_stacks *x, uint32_t place, struct rankset *out)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct native_stack *st = &x->stack[i];

		if (st->thread != place || (!st->n && !st->why))
			continue;
		for (int64_t n = rankset_next(&st->ranks, 0); n >= 0;
		     n = rankset_next(&st->ranks, (uint32_t)n + 1))
			xrankset_add(out, (uint32_t)n / x->threads, (uint32_t)n / x->threads);
	}
}

/* Members without an answer, with the reason, are a warning. */
static void warn_lacking(struct session *s, const json_t *lacking)
{
	for (size_t i = 0; i < json_array_size(lacking); i++)
		out_warning(s->out, "%s left out: %s", out_str(json_array_get(lacking, i), "ranks"),
			    out_str(json_array_get(lacking, i), "text"));
}

json_t *session_each_thread(struct session *s, const struct rankset *who, session_answer *answer,
			    void *arg, struct err *err)
{
	unsigned outer = s->shell->thread;
	json_t *all = NULL, *lacking = json_array();
	struct native_stacks x;
	struct err why = { "" };

	if (native_ask_threads(s, who, s->shell->threads, &x, err)) {
		native_clear(&x);
		json_decref(lacking);
		return NULL;
	}
	for (uint32_t place = 0; place < x.threads; place++) {
		struct rankset part = { 0 };
		json_t *o;

		members_at(&x, place, &part);
		s->shell->thread = place;
		o = part.n ? answer(arg, &part, &why) : NULL;
		if (part.n && !o) {
			json_t *l = json_pack("{s:o}", "text", out_json_text(why.text));

			write_ranks(l, &part);
			number_ranks(l, x.threads, place);
			merge_list(lacking, json_pack("[o]", l));
		} else if (o) {
			number_ranks(o, x.threads, place);
			if (all)
				merge(all, o);
			else
				all = json_incref(o);
		}
		json_decref(o);
		rankset_clear(&part);
	}
	s->shell->thread = outer;
	if (all) {
		name_ranks(all, x.threads);
		name_ranks(lacking, x.threads);
		if (out_get(all, "differing"))
			json_object_set_new(
				all, "differing",
				json_boolean(json_array_size(out_get(all, "groups")) > 1));
		warn_lacking(s, lacking);
	} else {
		*err = why;
		if (!*why.text)
			err_set(err, "no such thread is in a function of the program");
	}
	native_clear(&x);
	json_decref(lacking);
	return all;
}

/* The user's function that frame `level` of a stack, from the innermost, is in or is; in *call how
 * many calls of it are further in. NULL: it is none. */
static const char *function_at(const struct native_stack *st, size_t level, unsigned *call)
{
	size_t at = st->n > level ? st->n - level : 0;
	const char *func = NULL;

	for (; at && !func; at--)
		if (!st->frame[at - 1].library && *st->frame[at - 1].file)
			func = st->frame[at - 1].func;
	*call = 0;
	for (size_t i = at + 1; func && i < st->n; i++)
		*call += !st->frame[i].library && !strcasecmp(st->frame[i].func, func);
	return func;
}

int choice_find_threads(struct session *s, const struct rankset *who, size_t level,
			struct choice *out, struct err *err)
{
	struct thread_set only = { 0 };
	struct native_stacks x;
	int rc;

	for (size_t i = 0; i < who->n; i++)
		xalloc_check(thread_set_add(
			&only, &(struct thread_part){ who->run[i].lo, who->run[i].hi,
						      s->shell->thread, s->shell->thread, true }));
	rc = native_ask_threads(s, who, &only, &x, err);
	for (size_t i = 0; i < x.n && !rc; i++) {
		struct rankset ranks = { 0 };
		unsigned call;
		const char *func = function_at(&x.stack[i], level, &call);

		for (int64_t n = rankset_next(&x.stack[i].ranks, 0); n >= 0;
		     n = rankset_next(&x.stack[i].ranks, (uint32_t)n + 1))
			xrankset_add(&ranks, (uint32_t)n / x.threads, (uint32_t)n / x.threads);
		if (func)
			choice_add(out, &ranks, func, 0, call);
		else
			xrankset_add_set(&out->lacking, &ranks);
		rankset_clear(&ranks);
	}
	native_clear(&x);
	thread_set_clear(&only);
	return rc;
}

/* {"name", "file", "line"} of a frame; owned. */
static json_t *frame_json(const struct native_frame *f)
{
	json_t *o = json_pack("{s:o}", "name", out_json_text(*f->func ? f->func : "?"));

	if (*f->file)
		json_object_set_new(o, "file", out_json_text(f->file));
	if (f->line)
		json_object_set_new(o, "line", json_integer(f->line));
	return o;
}

/* The groups as a list, and they are cleared. */
static json_t *take_frames(struct merge_equal *frames, uint32_t threads)
{
	json_t *list = json_array();

	merge_equal_sort(frames);
	for (size_t i = 0; i < frames->n; i++) {
		json_object_set_new(frames->group[i].answer, "ranks",
				    native_threads_text(&frames->group[i].ranks, threads));
		json_array_append(list, frames->group[i].answer);
	}
	merge_equal_clear(frames);
	return list;
}

json_t *session_thread_places(struct session *s, const struct rankset *who)
{
	struct merge_equal places = { 0 };
	struct native_stacks x;
	json_t *list;

	if (!native_ask_threads(s, who, s->shell->threads, &x, NULL))
		for (size_t i = 0; i < x.n; i++) {
			const struct native_frame *f = native_user_frame(&x.stack[i], NULL);

			if (!x.stack[i].why)
				merge_equal_add(&places, f ? frame_json(f) : json_object(),
						&x.stack[i].ranks, -1);
		}
	list = take_frames(&places, x.threads);
	native_clear(&x);
	return list;
}

json_t *session_thread_frames(struct session *s, const struct rankset *who, long *level,
			      struct err *err)
{
	struct merge_equal frames = { 0 };
	struct native_stacks x;
	json_t *tree;
	size_t deepest = 0;
	int rc = native_ask_threads(s, who, s->shell->threads, &x, err);

	for (size_t i = 0; i < x.n; i++)
		deepest = x.stack[i].n > deepest ? x.stack[i].n : deepest;
	if (!rc && !deepest)
		rc = err_set(err, "no such thread is in a function of the program");
	if (*level >= (long)deepest)
		*level = (long)deepest - 1;
	if (*level < 0)
		*level = 0;
	for (size_t i = 0; i < x.n && !rc; i++) {
		const struct native_stack *st = &x.stack[i];

		if (st->n > (size_t)*level)
			merge_equal_add(&frames, frame_json(&st->frame[st->n - 1 - (size_t)*level]),
					&st->ranks, -1);
	}
	tree = take_frames(&frames, x.threads);
	native_clear(&x);
	if (rc) {
		json_decref(tree);
		return NULL;
	}
	return json_pack("{s:s s:o}", "type", "calls", "tree", tree);
}
