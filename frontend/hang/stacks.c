/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of a job that was attached to: nothing is known of its messages, so that two looks at
 * the stacks show who is in the same call still, and who computes.
 */
#include "frontend/hang/hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/native/native.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

struct looks {
	struct native_stacks before, after;
	struct groups processes; /* answers: which they are */
	int64_t *used; /* owned; by rank, the processor time of its thread: first as it was, then
			  since */
	int64_t least;		 /* who computes uses more than that */
};

/* The processor time of the main thread of a process on this host, in ticks; 0: it is not known. */
static int64_t time_used(uint32_t pid)
{
	unsigned long long user = 0, system = 0;
	char path[64], text[1024], *p;
	FILE *f;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	/* the name is in parentheses and may hold anything */
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
			 &system) != 2)
		return 0;
	return (int64_t)(user + system);
}

/* Of each rank, what it has used since it was asked before. */
static void take_times(struct looks *l, uint32_t n)
{
	for (size_t i = 0; i < l->processes.n; i++) {
		const struct rank_group *g = &l->processes.group[i];
		int64_t r = rankset_next(&g->ranks, 0);
		struct buf b = buf_view(g->blob, g->len);
		struct answer_process a;

		if (r >= 0 && r < n && !answer_process_get(&a, &b) && a.pid)
			l->used[r] = time_used(a.pid) - l->used[r];
	}
}

static const struct native_stack *stack_of(const struct native_stacks *x, uint32_t rank)
{
	for (size_t i = 0; i < x->n; i++)
		if (rankset_has(&x->stack[i].ranks, rank))
			return &x->stack[i];
	return NULL;
}

static bool same_calls(const struct native_stack *a, const struct native_stack *b)
{
	if (a->n != b->n || a->why || b->why)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->frame[i].line != b->frame[i].line ||
		    strcmp(a->frame[i].func, b->frame[i].func) ||
		    strcmp(a->frame[i].file, b->frame[i].file))
			return false;
	return true;
}

/* In a call of a library: MPI's wait by computing, others by not doing so. */
static bool computes_inside(const struct looks *l, const struct native_frame *library,
			    uint32_t rank)
{
	return strncmp(library->func, "MPI_", 4) != 0 && l->used[rank] > l->least;
}

/* What is said of a rank, without its number. */
static json_t *rank_json(struct session *s, const struct looks *l, uint32_t rank)
{
	const struct native_stack *a = stack_of(&l->before, rank), *b = stack_of(&l->after, rank);
	const struct native_frame *library = NULL,
				  *user = b ? native_user_frame(b, &library) : NULL;
	const char *doing = "computes";
	json_t *o;

	if (rankset_has(job_set(s->job, JOB_EXITED), rank))
		return json_pack("{s:s}", "doing", "has ended");
	if (!b || b->why)
		return json_pack("{s:s s:s}", "doing", "unknown", "why",
				 b ? b->why : "it does not answer");
	if (rankset_has(job_set(s->job, JOB_STOPPED), rank))
		doing = "stopped";
	else if (library && !computes_inside(l, library, rank))
		doing = "call";
	o = json_pack("{s:s s:b}", "doing", doing, "moved",
		      strcmp(doing, "stopped") && !(a && same_calls(a, b)));
	if (library && *library->func)
		json_object_set_new(o, "call", out_json_text(library->func));
	if (user && *user->func)
		json_object_set_new(o, "name", out_json_text(user->func));
	if (user && *user->file) {
		json_object_set_new(o, "file", out_json_text(user->file));
		json_object_set_new(o, "line", json_integer(user->line));
	}
	return o;
}

struct kind {
	json_t *key; /* owned */
	struct rankset ranks;
};

static json_t *groups_json(struct session *s, const struct looks *l)
{
	const struct rankset *all = job_set(s->job, JOB_ALL);
	struct kind *list = NULL;
	size_t n = 0;
	json_t *out = json_array();

	for (int64_t r = rankset_next(all, 0); r >= 0; r = rankset_next(all, (uint32_t)r + 1)) {
		json_t *key = rank_json(s, l, (uint32_t)r);
		struct kind *k = NULL;

		for (size_t i = 0; i < n && !k; i++)
			if (json_equal(list[i].key, key))
				k = &list[i];
		if (!k) {
			k = xvec_add(list, n);
			k->key = json_incref(key);
		}
		json_decref(key);
		xrankset_add(&k->ranks, (uint32_t)r, (uint32_t)r);
	}
	for (size_t i = 0; i < n; i++) {
		json_object_set_new(list[i].key, "ranks", ask_ranks(&list[i].ranks));
		json_array_append_new(out, list[i].key);
		rankset_clear(&list[i].ranks);
	}
	free(list);
	return out;
}

/* Those that wait in the same call still; others, as far as they are there, compute or have gone
 * on. */
static void sum_up(json_t *o, bool *still)
{
	json_t *groups = json_object_get(o, "groups"), *g;
	bool waits = false, moves = false;
	size_t i;

	json_array_foreach(groups, i, g)
	{
		bool moved = json_is_true(json_object_get(g, "moved"));

		waits |= !strcmp(out_str(g, "doing"), "call") && !moved;
		moves |= !strcmp(out_str(g, "doing"), "computes") || moved;
	}
	*still = waits && !moves;
	json_object_set_new(o, "verdict",
			    json_string(*still	? "no progress"
					: moves ? "moves"
						: "stopped"));
}

json_t *hang_stacks(struct session *s, int ms, bool *still, struct err *err)
{
	uint32_t n = (uint32_t)job_size(s->job);
	struct looks l = { .used = xcalloc(n + 1, sizeof(*l.used)) };
	struct msg_query q = { .kind = QUERY_PROCESS };
	struct rankset live = { 0 };
	int64_t since = loop_now();
	json_t *o = NULL;

	xrankset_copy(&live, job_set(s->job, JOB_RUNNING));
	xrankset_add_set(&live, job_set(s->job, JOB_STOPPED));
	if (native_ask(s, &live, 0, &l.before, err) ||
	    ask(s, &q, &live, &l.processes, NULL, err))
		goto out;
	take_times(&l, n);
	out_progress(s->out, "looking whether anything moves");
	/* those that stand still do so by our order */
	while (job_set(s->job, JOB_RUNNING)->n && loop_now() < since + ms &&
	       !loop_interrupted(s->loop))
		loop_turn(s->loop, 100);
	out_progress(s->out, NULL);
	take_times(&l, n);
	/* a hundredth, where many ranks share a processor */
	l.least = (loop_now() - since) * sysconf(_SC_CLK_TCK) / 100000 + 1;
	if (native_ask(s, &live, 0, &l.after, err))
		goto out;
	o = json_pack("{s:s s:s s:f s:o}", "type", "hang", "by", "stacks", "seconds",
		      (double)(loop_now() - since) / 1000, "groups", groups_json(s, &l));
	sum_up(o, still);
out:
	native_clear(&l.before);
	native_clear(&l.after);
	groups_clear(&l.processes);
	free(l.used);
	rankset_clear(&live);
	return o;
}
