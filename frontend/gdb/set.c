/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/gdb/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/model/ask.h"
#include "frontend/model/merge_equal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define ATTACH_MS 30000 /* for gdb to read the program's symbols */
#define FREEZE_MS 200	/* for the word to arrive that ranks are to stop at their next points */

struct gdb_set {
	struct item {
		uint32_t rank;
		struct mi *mi; /* owned */
	} *item;
	size_t n;
	struct rankset ranks;
};

static bool any_busy(const struct gdb_set *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (mi_busy(g->item[i].mi))
			return true;
	return false;
}

/* Of a rank that comes to a point where it shall stop: gdb has it, so it goes on. */
static void release(struct session *s, const struct gdb_set *g)
{
	struct rankset parked = { 0 };

	xrankset_copy(&parked, job_set(s->job, JOB_STOPPED));
	xrankset_intersect(&parked, &g->ranks);
	xrankset_remove_set(&parked, job_set(s->job, JOB_BAD));
	if (parked.n)
		job_go(s->job, &parked, PLAN_CONT, 0, NULL, &(struct err){ "" });
	rankset_clear(&parked);
}

static void interrupt_all(struct session *s, struct gdb_set *g)
{
	loop_clear_interrupt(s->loop);
	for (size_t i = 0; i < g->n; i++)
		mi_interrupt(g->item[i].mi);
}

/*
 * Those that run may wait in MPI for ranks that dvmdbg has stopped. Nobody is there to stop them
 * without a terminal.
 */
static void report_waiting(struct session *s, struct gdb_set *g)
{
	struct rankset busy = { 0 }, stopped = { 0 };
	char a[80], b[80];

	for (size_t i = 0; i < g->n; i++)
		if (mi_busy(g->item[i].mi))
			xrankset_add(&busy, g->item[i].rank, g->item[i].rank);
	xrankset_copy(&stopped, job_set(s->job, JOB_STOPPED));
	xrankset_remove_set(&stopped, &g->ranks);
	if (busy.n && stopped.n) {
		out_warning(s->out, "gdb: %s still running: it may wait for %s, at points%s",
			    rankset_format(&busy, a, sizeof(a)),
			    rankset_format(&stopped, b, sizeof(b)),
			    s->interactive ? "; Ctrl-C stops it" : ", and is stopped");
		if (!s->interactive)
			interrupt_all(s, g);
	}
	rankset_clear(&busy);
	rankset_clear(&stopped);
}

/* Until all have answered and stand; timeout_ms 0: however long it takes. */
static void wait_answers(struct session *s, struct gdb_set *g, int64_t timeout_ms, bool releases)
{
	int64_t until = loop_now() + timeout_ms;
	int64_t report = loop_now() + 1000 * (int64_t)settings_number(s->set, "STOP_TIMER");
	bool reported = timeout_ms != 0;

	while (s->job && any_busy(g) && !s->quitting && (!timeout_ms || loop_now() < until)) {
		if (releases)
			release(s, g);
		loop_turn(s->loop, 20);
		if (loop_interrupted(s->loop))
			interrupt_all(s, g);
		if (!reported && s->job && loop_now() >= report) {
			report_waiting(s, g);
			reported = true;
		}
	}
}

static void drop(struct gdb_set *g, size_t i)
{
	struct rankset one = { 0 };

	mi_end(g->item[i].mi);
	xrankset_add(&one, g->item[i].rank, g->item[i].rank);
	xrankset_remove_set(&g->ranks, &one);
	rankset_clear(&one);
	g->item[i] = g->item[--g->n];
}

static void forget(struct gdb_set *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(mi_take(g->item[i].mi));
}

static void destroy(struct session *s)
{
	struct gdb_set *g = s->gdb;

	s->gdb = NULL;
	while (g && g->n)
		drop(g, 0);
	if (g) {
		s->hang.busy = false;
		s->hang.next = loop_now() + 1000 * (int64_t)settings_number(s->set, "HANG_TIMER");
		rankset_clear(&g->ranks);
		free(g->item);
	}
	free(g);
}

/* Those that could not attach are reported. */
static void drop_failed(struct session *s, struct gdb_set *g)
{
	for (size_t i = g->n; i-- > 0;) {
		char *text;

		if (!mi_failed(g->item[i].mi) && !mi_gone(g->item[i].mi) && !mi_busy(g->item[i].mi))
			continue;
		text = mi_take(g->item[i].mi);
		text[strcspn(text, "\n")] = 0;
		out_warning(s->out, "gdb: rank %u: %s", g->item[i].rank,
			    *text ? text : "gdb has not attached to its process");
		free(text);
		drop(g, i);
	}
}

static const struct gdb_rank *find(const struct gdb_rank *list, size_t n, uint32_t rank)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].rank == rank)
			return &list[i];
	return NULL;
}

/* Into the user's frame; who is parked returns there from the runtime. */
static void to_user(struct session *s, struct gdb_set *g, const struct gdb_rank *list, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < g->n; i++) {
		const struct gdb_rank *r = find(list, n, g->item[i].rank);

		if (r->frame)
			mi_command(g->item[i].mi, r->frame);
	}
	wait_answers(s, g, ATTACH_MS, false);
	for (size_t i = 0; i < g->n; i++) {
		const struct gdb_rank *r = find(list, n, g->item[i].rank);

		if (r->frame && r->parked && !mi_failed(g->item[i].mi)) {
			mi_command(g->item[i].mi, "down");
			any = true;
		}
	}
	wait_answers(s, g, ATTACH_MS, false);
	for (size_t i = 0; i < g->n; i++)
		if (find(list, n, g->item[i].rank)->parked && !mi_failed(g->item[i].mi))
			mi_command(g->item[i].mi, "finish");
	if (any)
		wait_answers(s, g, ATTACH_MS, true);
}

static void over(struct session *s)
{
	destroy(s);
}

static const struct session_hooks hooks = { .over = over };

int gdb_begin(struct session *s, const char *gdb, const struct gdb_rank *list, size_t n,
	      struct err *err)
{
	struct gdb_set *g = xcalloc(1, sizeof(*g));

	session_hook(s, &hooks);
	s->gdb = g;
	s->hang.busy = true;
	for (size_t i = 0; i < n; i++) {
		struct mi *m = mi_start(s->loop, gdb, list[i].pid, err);
		struct item *x;

		if (!m)
			continue;
		x = xvec_add(g->item, g->n);
		*x = (struct item){ list[i].rank, m };
		xrankset_add(&g->ranks, list[i].rank, list[i].rank);
	}
	wait_answers(s, g, ATTACH_MS, false);
	drop_failed(s, g);
	if (!g->n) {
		destroy(s);
		return *err->text ? -1 : err_set(err, "gdb could not attach to any rank");
	}
	forget(g);
	to_user(s, g, list, n);
	forget(g);
	return 0;
}

const struct rankset *gdb_ranks(const struct session *s)
{
	return s->gdb ? &s->gdb->ranks : NULL;
}

const char *gdb_why(const struct session *s, const struct rankset *who)
{
	return s->gdb && rankset_meets(who, &s->gdb->ranks)
		       ? "gdb has stopped it; gdb -all quit leaves it to dvmdbg again"
		       : NULL;
}

static json_t *answer(struct gdb_set *g, const char *command, const struct rankset *who)
{
	struct merge_equal merged = { 0 };
	json_t *groups = json_array();

	for (size_t i = 0; i < g->n; i++) {
		struct rankset one = { 0 };
		char *text;
		size_t len;

		if (!rankset_has(who, g->item[i].rank))
			continue;
		text = mi_take(g->item[i].mi);
		len = strlen(text);
		while (len && text[len - 1] == '\n')
			text[--len] = 0;
		xrankset_add(&one, g->item[i].rank, g->item[i].rank);
		merge_equal_add(&merged,
				json_pack("{s:o s:b}", "text", out_json_text(text), "running",
					  mi_busy(g->item[i].mi)),
				&one, -1);
		rankset_clear(&one);
		free(text);
	}
	merge_equal_sort(&merged);
	for (size_t i = 0; i < merged.n; i++) {
		json_object_set_new(merged.group[i].answer, "ranks",
				    ask_ranks(&merged.group[i].ranks));
		json_array_append(groups, merged.group[i].answer);
	}
	merge_equal_clear(&merged);
	return json_pack("{s:s s:o s:b s:o}", "type", "gdb", "command", out_json_text(command),
			 "some", !rankset_covers(&g->ranks, who), "groups", groups);
}

json_t *gdb_command(struct session *s, const struct rankset *who, const char *text, struct err *err)
{
	struct gdb_set *g = s->gdb;
	char has[80], asked[80];
	json_t *o;

	if (!rankset_meets(who, &g->ranks)) {
		err_set(err,
			"%s: gdb has %s; gdb -all quit ends that, and gdb can be started on others",
			rankset_format(who, asked, sizeof(asked)),
			rankset_format(&g->ranks, has, sizeof(has)));
		return NULL;
	}
	for (size_t i = 0; i < g->n; i++)
		if (rankset_has(who, g->item[i].rank))
			mi_command(g->item[i].mi, text);
	wait_answers(s, g, 0, true);
	if (s->gdb != g) {
		err_set(err, "the program has ended");
		return NULL;
	}
	o = answer(g, text, who);
	for (size_t i = g->n; i-- > 0;)
		if (mi_gone(g->item[i].mi))
			drop(g, i);
	if (!g->n)
		destroy(s);
	return o;
}

void gdb_end(struct session *s, struct rankset *ranks)
{
	int64_t until = loop_now() + FREEZE_MS;

	xrankset_copy(ranks, &s->gdb->ranks);
	xrankset_intersect(ranks, job_set(s->job, JOB_RUNNING));
	if (ranks->n)
		job_halt(s->job, ranks);
	while (loop_now() < until)
		loop_turn(s->loop, 10);
	destroy(s);
}
