/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of the logical stack: constructs, iterations and functions, with the ranks that differ.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/tui/views/views.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/core.h"
#include "frontend/util/xalloc.h"

#define FRAMES 64

struct stack_view {
	struct view v;
	uint64_t folded; /* a bit a frame, counted from the outermost, which stays the same */
	size_t total;
};

/* "PL  heat.c:61   3.B", "SL  heat.c:52   iteration 1" */
static void put_frame(FILE *f, const json_t *v)
{
	const char *construct = out_str(v, "construct");
	char place[300], index[100];
	bool function = !strcmp(construct, "function") || !strcmp(construct, "MPI");

	fprintf(f, SAY_BOLD "%s" SAY_NORMAL "  %s", function ? out_str(v, "name") : construct,
		data_place(v, place, sizeof(place)));
	if (*out_str(v, "point"))
		fprintf(f, "  " SAY_POINT "%s" SAY_NORMAL, out_str(v, "point"));
	if (*data_iteration(v, index, sizeof(index)))
		fprintf(f, "  iteration %s", index);
}

static uint64_t bit_of(const struct stack_view *st, size_t index)
{
	size_t from_outside = st->total - index;

	return from_outside < FRAMES ? (uint64_t)1 << from_outside : 0;
}

static void add_frame(struct stack_view *st, const json_t *frame, size_t level)
{
	const json_t *variants = out_get(frame, "variants");
	size_t index = (size_t)out_int(frame, "index"), n = json_array_size(variants);
	bool folded = st->folded & bit_of(st, index);
	const char *kind = out_str(frame, "kind");
	char *text = NULL;
	size_t len;
	FILE *f = xmemstream(&text, &len);

	fprintf(f, "%s%c%3zu " SAY_RANKS "%s ", index == level ? SAY_HERE : SAY_NORMAL,
		n < 2	 ? ' '
		: folded ? '+'
			 : '-',
		index, out_str(frame, "ranks"));
	fputs(SAY_NORMAL " ", f);
	if (n == 1)
		put_frame(f, json_array_get(variants, 0));
	else
		fprintf(f, SAY_BAD "%s" SAY_NORMAL ", %zu groups", kind, n);
	xmemstream_close(f);
	if (text)
		list_add(&st->v.list, (int64_t)index << 16, frame, "%s", text);
	free(text);
	for (size_t i = 0; n > 1 && !folded && i < n; i++) {
		const json_t *v = json_array_get(variants, i);

		text = NULL;
		f = xmemstream(&text, &len);
		put_frame(f, v);
		xmemstream_close(f);
		if (text)
			list_add(&st->v.list, ((int64_t)index << 16) + (int64_t)i + 1, frame,
				 "      " SAY_RANKS "%-8s" SAY_NORMAL " %s", out_str(v, "ranks"),
				 text);
		free(text);
	}
}

static void load(struct view *v)
{
	struct stack_view *st = (struct stack_view *)v;
	struct err err = { "" };
	json_t *where = tui_ask(v->tui, "where", &err, "where -all");
	const json_t *frames = out_get(where, "frames");

	if (!where) {
		view_why(v, err.text);
		return;
	}
	st->total = (size_t)out_int(where, "total");
	list_begin(&v->list);
	for (size_t i = 0; i < json_array_size(frames); i++)
		add_frame(st, json_array_get(frames, i), tui_session(v->tui)->shell->level);
	list_end(&v->list);
	if (!v->list.n)
		view_why(v, "No construct or function is open.");
	json_decref(where);
}

/* The frame becomes the chosen one: as many steps up or down as it takes. */
static void choose(struct view *v, size_t index)
{
	size_t level = tui_session(v->tui)->shell->level;

	if (index > level)
		tui_run(v->tui, "up %zu", index - level);
	else if (index < level)
		tui_run(v->tui, "down %zu", level - index);
	else
		tui_run(v->tui, "where 1");
}

static bool act(struct view *v, enum key_action action)
{
	struct stack_view *st = (struct stack_view *)v;
	const struct row *row = list_row(&v->list);
	size_t index = row ? (size_t)out_int(row->data, "index") : 0;

	if (!row)
		return false;
	if (action == KEY_ACT_OPEN)
		choose(v, index);
	else if (action == KEY_ACT_FOLD)
		st->folded ^= bit_of(st, index);
	else if (action == KEY_ACT_FOLD_ALL)
		st->folded = st->folded ? 0 : UINT64_MAX;
	else
		return false;
	if (action != KEY_ACT_OPEN)
		v->epoch = 0; /* the rows are rebuilt */
	return true;
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct stack_view *st = (const struct stack_view *)v;

	if (v->list.n)
		snprintf(out, size, "%zu frames", st->total);
}

const struct view_class view_stack = {
	.name = "stack",
	.size = sizeof(struct stack_view),
	.hint = "Enter chooses the frame  Space folds  z all  : command  Tab 0-9 views  / search",
	.load = load,
	.act = act,
	.title = title,
};
