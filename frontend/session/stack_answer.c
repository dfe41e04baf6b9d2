/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/session/session.h"

#include <stdlib.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/stack_merge.h"
#include "frontend/model/merge_equal.h"
#include "frontend/model/ask.h"
#include "frontend/native/native.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* What differs only in the frames outside is one line here. */
static json_t *variants_of(struct session *s, const struct stack_merge_variant *v, size_t n)
{
	json_t *variants = json_array();
	struct merge_equal equal = { 0 };

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		ask_put_frame(s, o, &v[i].frame);
		if (v[i].call)
			json_object_set_new(o, "call", out_json_text(v[i].call));
		merge_equal_add(&equal, o, &v[i].ranks, -1);
	}
	merge_equal_sort(&equal);
	for (size_t i = 0; i < equal.n; i++) {
		json_object_set_new(equal.group[i].answer, "ranks",
				    ask_ranks(&equal.group[i].ranks));
		json_array_append(variants, equal.group[i].answer);
	}
	merge_equal_clear(&equal);
	return variants;
}

static json_t *frame(struct session *s, const struct stack_merge_frame *f, size_t index)
{
	json_t *o = json_pack("{s:I s:s s:o s:o}", "index", (json_int_t)index, "kind",
			      stack_merge_kind_words(f->kind), "ranks", ask_ranks(&f->ranks),
			      "variants", variants_of(s, f->variant, f->n));

	if (f->ndispatch)
		json_object_set_new(o, "dispatch", variants_of(s, f->dispatch, f->ndispatch));
	return o;
}

/* The frames that were too deep to be kept, of the group that has most. */
static uint32_t lost_frames(const struct groups *stacks)
{
	uint32_t lost = 0;

	for (size_t i = 0; i < stacks->n; i++) {
		struct buf b = buf_view(stacks->group[i].blob, stacks->group[i].len);
		struct report_stack *r = xcalloc(1, sizeof(*r));

		if (!report_stack_get(r, &b) && r->lost > lost)
			lost = r->lost;
		free(r);
	}
	return lost;
}

struct stack_merge *stack_answer_ask(struct session *s, const struct rankset *who,
				     struct groups *answers, struct rankset *silent,
				     struct err *err)
{
	struct msg_query q = { .kind = QUERY_STACK };

	if (ask(s, &q, who, answers, silent, err))
		return NULL;
	return stack_merge_create(answers, err);
}

struct stack_merge *stack_answer_joined(struct session *s, const struct rankset *who,
					struct groups *answers, struct rankset *silent,
					json_t **lacking, struct err *err)
{
	struct native_stacks x;
	char ranks[80];

	*lacking = NULL;
	if (!native_ask(s, who, NATIVE_LOGICAL, &x, err)) {
		native_join(s, &x, answers);
		*lacking = native_lacking(&x);
		xrankset_add_set(silent, &x.silent);
		if (!answers->n)
			err_set(err, "%s: no construct and no call is known",
				rankset_format(who, ranks, sizeof(ranks)));
	}
	native_clear(&x);
	return answers->n ? stack_merge_create(answers, err) : NULL;
}

unsigned session_level(struct session *s, const struct rankset *who)
{
	const struct shell *sh = s->shell;
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct stack_merge *st = NULL;
	json_t *lacking = NULL;
	unsigned level = 0;

	if (!sh->level || rankset_equal(who, &sh->level_who))
		return sh->level;
	if (rankset_covers(&sh->level_who, who))
		st = stack_answer_joined(s, &sh->level_who, &answers, &silent, &lacking,
					 &(struct err){ "" });
	for (size_t i = 0; st && i < sh->level && i < st->n; i++)
		level += rankset_meets(&st->frame[i].ranks, who);
	stack_merge_destroy(st);
	json_decref(lacking);
	groups_clear(&answers);
	rankset_clear(&silent);
	return level;
}

void session_choose_level(struct session *s, const struct rankset *who, unsigned level)
{
	struct rankset of = { 0 };

	xrankset_copy(&of, who);
	rankset_clear(&s->shell->level_who);
	s->shell->level_who = of;
	s->shell->level = level;
}

bool session_at_no_mark(const struct report_stop *r)
{
	return stop_is_end(r->reason) || r->reason == STOP_PAUSED || r->reason == STOP_CORE;
}

bool session_native_place(struct session *s, const struct rankset *ranks, char *file, size_t size,
			  uint32_t *line)
{
	int64_t first = rankset_next(ranks, 0);
	struct rankset one = { 0 };
	struct native_stacks x = { 0 };
	bool known = false;

	if (first < 0)
		return false;
	xrankset_add(&one, (uint32_t)first, (uint32_t)first);
	if (!native_ask(s, &one, 0, &x, NULL) && x.n) {
		const struct native_frame *f = native_user_frame(&x.stack[0], NULL);

		known = f && *f->file && f->line;
		if (known) {
			snprintf(file, size, "%s", f->file);
			*line = f->line;
		}
	}
	native_clear(&x);
	rankset_clear(&one);
	return known;
}

json_t *stack_answer(struct session *s, const struct stack_merge *stack, unsigned level,
		     size_t first, size_t count, const struct groups *answers,
		     const struct rankset *silent)
{
	json_t *frames = json_array(), *o;

	for (size_t i = first; i < stack->n && i - first < count; i++)
		json_array_append_new(frames, frame(s, &stack->frame[i], i));
	o = json_pack("{s:s s:o s:I s:I s:o}", "type", "where", "ranks", ask_ranks(&stack->ranks),
		      "level", (json_int_t)level, "total", (json_int_t)stack->n, "frames", frames);
	if (lost_frames(answers))
		json_object_set_new(o, "lost", json_integer(lost_frames(answers)));
	if (silent->n)
		json_object_set_new(o, "silent", ask_ranks(silent));
	return o;
}
