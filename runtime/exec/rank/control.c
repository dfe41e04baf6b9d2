/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/rank/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "common/protocol/msg.h"
#include "runtime/exec/native/native.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/futex.h"
#include "runtime/exec/tree/tree.h"

#define WATCH_MS 100  /* between looks whether it moves */
#define KNOWN_MS 2000 /* a stop that was reported so long ago has arrived */

/* What is registered at an address; for pointers of variables. */
static void name_object(void *arg, uint64_t addr, char *out, size_t size)
{
	struct control *c = arg;
	char words[256];

	near_words(&c->read, &c->memory, addr, words, sizeof(words));
	snprintf(out, size, "%s", strncmp(words, "in ", 3) ? "" : words + 3);
}

static int holds(void *arg, const char *name, uint64_t addr)
{
	struct control *c = arg;

	return query_holds(&c->read, &c->memory, name, addr);
}

/* Puts rules and plan into the order that is not valid, and makes it so. */
static void write_block(struct control *c)
{
	struct page_order *o = &c->page->order[(c->rule_seq + 1) & 1];

	o->n = c->nrule < PAGE_RULES_MAX ? c->nrule : (uint32_t)PAGE_RULES_MAX;
	o->plan = c->plan;
	o->plan.gen += c->before;
	o->trace_config = c->trace_config;
	if (c->written != c->version) {
		/* the other list may be being copied */
		c->which ^= 1;
		c->written = c->version;
		if (o->n)
			memcpy(c->page->rules[c->which], c->rule, o->n * sizeof(c->rule[0]));
		if (c->nplace)
			memcpy(c->page->place[c->which], c->place, c->nplace * sizeof(c->place[0]));
	}
	o->which = c->which;
	o->version = c->version;
	o->nwatch = c->nwatch;
	o->nplace = c->nplace;
	memcpy(o->watch, c->watch, c->nwatch * sizeof(c->watch[0]));
	c->rule_seq++;
	atomic_store(&c->page->rule_seq, c->rule_seq);
}

struct control *control_create(struct child *child, bool bounce, struct err *err)
{
	struct control *c = calloc(1, sizeof(*c));

	if (!c || page_read_init(&c->read, child_page(child))) {
		err_set(err, "out of memory");
		free(c);
		return NULL;
	}
	c->child = child;
	c->page = child_page(child);
	c->rank = c->page->rank;
	c->memory.page = c->page;
	c->memory.bounce = bounce;
	c->memory.pid = child_pid(child);
	c->memory.core = child_core_of(child);
	c->native = native_create(c->page, &c->memory);
	if (!c->native) {
		err_set(err, "out of memory");
		page_read_clear(&c->read);
		free(c);
		return NULL;
	}
	native_name_with(c->native, name_object, holds, c);
	/*
	 * One that was attached to may have obeyed others before: it would take a plan with the
	 * number of the last one for that.
	 */
	c->rule_seq = atomic_load(&c->page->rule_seq);
	c->before = c->go_gen = c->page->order[c->rule_seq & 1].plan.gen;
	atomic_store(&c->page->go_gen, c->go_gen);
	c->which = c->page->order[c->rule_seq & 1].which & 1;
	c->version = c->page->order[0].version + c->page->order[1].version;
	c->call_request = atomic_load(&c->page->call.request);
	if (c->rule_seq)
		write_block(c);
	/* nobody else has written to the page so far */
	page_sums_init(&c->sums, &c->read, c->page->rank);
	return c;
}

void control_destroy(struct control *c)
{
	if (!c)
		return;
	traces_destroy(c->traces);
	buf_clear(&c->trace_order);
	buf_clear(&c->left);
	control_output_clear(c);
	control_call_clear(c);
	placed_clear(c);
	native_destroy(c->native);
	page_read_clear(&c->read);
	free(c->rule);
	free(c->place);
	free(c);
}

void control_report_to(struct control *c, struct node *node)
{
	c->node = node;
}

bool control_on_exit_run(const struct control *c)
{
	return c->on_exit_run;
}

bool control_is_over(const struct control *c)
{
	return c->dead || c->start_errno || child_ended(c->child);
}

bool control_is_started(const struct control *c)
{
	return child_pid(c->child) && !child_ended(c->child);
}

bool control_is_idle(const struct control *c)
{
	return !control_is_started(c);
}

/* Parked, and nothing we have written lets it go on: it may only not have woken up yet. */
bool control_is_parked(const struct control *c)
{
	uint32_t stop_gen = atomic_load(&c->page->stop_gen);

	return control_is_started(c) && page_read_state(&c->read) == PAGE_PARKED &&
	       (int32_t)(c->go_gen - stop_gen) <= 0;
}

/* What of the program waits for us. */
static bool waits_for_us(const struct control *c)
{
	return atomic_load(&c->page->sums_hold) || atomic_load(&c->page->sums_waiting) ||
	       atomic_load(&c->page->trace.waiting) || control_is_parked(c);
}

uint32_t control_still(struct control *c)
{
	uint64_t moves = page_read_moves(&c->read);
	int64_t now = clock_msec();

	if (moves != c->moves || waits_for_us(c) || !c->moved_at) {
		c->moves = moves;
		c->moved_at = now;
	}
	c->watched_at = now;
	return (uint32_t)((now - c->moved_at) / WATCH_MS);
}

int64_t control_watch_due(const struct control *c)
{
	return control_is_started(c) ? c->watched_at + WATCH_MS : -1;
}

/* -1: it is lost, and control_resync is called. */
static int event(struct control *c, unsigned kind, struct buf *b)
{
	int rc = c->node ? node_event(c->node, kind, c->plan.gen, b) : 0;

	buf_clear(b);
	page_read_reset(&c->read);
	return rc;
}

static void wake(struct control *c)
{
	atomic_fetch_add(&c->page->wake, 1);
	futex_wake(&c->page->wake);
}

static void release(struct control *c)
{
	c->go_gen = c->plan.gen + c->before;
	atomic_store(&c->page->go_gen, c->go_gen);
	wake(c);
}

static void report_started(struct control *c)
{
	uint32_t abi;
	uint8_t annotated = atomic_load(&c->page->annotated) != 0;
	struct buf b = BUF_INIT;

	memcpy(&abi, &c->page->mpi_abi, sizeof(abi));
	if (abi > 2)
		abi = 0;
	if (c->reported_started && c->reported_annotated == annotated && c->reported_abi == abi)
		return;
	c->reported_started = true;
	c->reported_annotated = annotated;
	c->reported_abi = (uint8_t)abi;
	report_started_put(&(struct report_started){ annotated, (uint8_t)abi }, &b);
	event(c, EVENT_STARTED, &b);
}

static void report_findings(struct control *c)
{
	uint32_t n = page_read_findings(&c->read);

	/* another program in the same process begins again */
	if (n < c->reported_findings)
		c->reported_findings = 0;
	while (c->reported_findings < n) {
		struct report_finding f;
		struct buf b = BUF_INIT;
		uint64_t pc;

		if (page_read_finding(&c->read, c->reported_findings, &f, &pc)) {
			const char *path = pc ? modules_find(&c->modules, child_pid(c->child),
							     pc - 1, &f.place.vaddr) :
						NULL;

			if (path)
				f.place.module = path;
			report_finding_put(&f, &b);
			if (event(c, EVENT_FINDING, &b))
				return;
		}
		c->reported_findings++;
	}
}

/* Where what is watched has been written. */
static struct place place_of_write(struct control *c, uint64_t pc)
{
	struct place p = { .file = "", .func = "", .module = "" };
	const char *path = pc ? modules_find(&c->modules, child_pid(c->child), pc - 1, &p.vaddr) :
				NULL;

	if (path)
		p.module = path;
	return p;
}

static void show_stop(struct control *c)
{
	struct report_stop stop;
	struct buf b = BUF_INIT;

	control_sums(c, true);
	page_read_stop(&c->read, &stop);
	if (stop.reason == STOP_WRITE) {
		stop.place = place_of_write(c, stop.fault);
		stop.fault = 0;
	}
	report_stop_put(&stop, &b);
	log_debug("stop", "gen %u arrived", c->plan.gen);
	event(c, EVENT_STOP, &b);
}

/* It is at no mark: the point is the last one, and nothing is said about the numbering. */
static void show_pause(struct control *c)
{
	struct report_stop stop;
	struct buf b = BUF_INIT;

	page_read_stop(&c->read, &stop);
	stop.reason = c->memory.core ? STOP_CORE : STOP_PAUSED;
	stop.done = 1;
	stop.nact = stop.changed = 0;
	stop.code = 0;
	stop.fault = stop.hash = stop.hash_n = 0;
	report_stop_put(&stop, &b);
	event(c, EVENT_STOP, &b);
}

static void show_exit(struct control *c)
{
	struct report_exit *x = &c->exit;
	struct buf b = BUF_INIT;
	int status = 0, e;

	*x = (struct report_exit){ 0 };
	control_sums(c, true);
	page_read_exit(&c->read, x);
	e = child_status(c->child, &status);
	if (e < 0) {
		x->how = EXIT_UNKNOWN;
	} else if (c->start_errno || e) {
		x->how = EXIT_NOEXEC;
		x->code = e ? e : c->start_errno;
	} else if (c->dead || WIFSIGNALED(status)) {
		x->how = EXIT_SIGNAL;
		x->code = c->dead ? SIGKILL : WTERMSIG(status);
		x->core = !c->dead && WCOREDUMP(status);
		x->released = x->code == SIGKILL && child_was_killed(c->child);
		x->no_memory =
			x->code == SIGKILL && !x->released && child_oom_kills() > c->oom_kills;
	} else {
		x->how = EXIT_CODE;
		x->code = WEXITSTATUS(status);
	}
	report_exit_put(x, &b);
	event(c, EVENT_EXIT, &b);
	c->reported_exit = true;
}

/*
 * Whether a rank that is parked under an older plan shall stay where it is. sent: the new plan came
 * while it was parked; else it ran when that plan came, and stopped before it saw it.
 */
static bool stays(struct control *c, bool sent)
{
	struct point p, target = c->plan.target;
	uint32_t reason;
	enum point_order o;

	memcpy(&reason, &c->page->reason, sizeof(reason));
	if (c->plan.mode == PLAN_TO) {
		/* it is about to die and would never arrive */
		if (stop_is_end(reason))
			return true;
		p = page_read_point(&c->read);
		o = point_compare(&p, &target);
		return p.main && (o == POINT_EQUAL || o == POINT_AFTER);
	}
	/* the front end could not know of this stop: it is not lost, except for our own halt */
	return !sent && reason != STOP_HALT;
}

static void inspect_stop(struct control *c, bool sent)
{
	uint32_t count = atomic_load(&c->page->stop_count), gen = c->plan.gen + c->before;
	uint32_t stop_gen = atomic_load(&c->page->stop_gen);

	if (!control_is_parked(c))
		return;
	if ((int32_t)(gen - stop_gen) > 0 &&
	    !(c->kept && c->kept_count == count && c->kept_gen == gen)) {
		if (!stays(c, sent)) {
			release(c);
			return;
		}
		c->kept = true;
		c->kept_count = count;
		c->kept_gen = gen;
	}
	if (c->reported_stop && c->reported_stop_count == count && c->reported_stop_gen == gen)
		return;
	if (!tracing_stopped(c))
		return;
	c->reported_stop = true;
	c->reported_stop_count = count;
	c->reported_stop_gen = gen;
	c->reported_stop_at = clock_msec();
	show_stop(c);
}

void control_inspect(struct control *c)
{
	if (!child_pid(c->child) || c->reported_exit)
		return;
	if (page_read_state(&c->read) != PAGE_FRESH)
		report_started(c);
	control_sums(c, false);
	report_findings(c);
	if (atomic_load(&c->page->leaving) == PAGE_LEAVES && control_is_started(c)) {
		control_leaves(c);
		atomic_store(&c->page->leaving, PAGE_LEAVES_SEEN);
		wake(c);
	}
	inspect_stop(c, false);
}

void control_ended(struct control *c)
{
	if (c->reported_exit)
		return;
	control_call_clear(c);
	control_output(c, true);
	control_inspect(c);
	if (tracing_ended(c))
		show_exit(c);
}

/* A program that was stopped where it is runs again. */
static void let_go(struct control *c)
{
	native_resume(c->native);
	if (c->yielded)
		child_signal(c->child, SIGCONT);
	c->yielded = false;
}

int control_pause(struct control *c, struct err *err)
{
	if (native_pause(c->native, err))
		return -1;
	if (control_is_parked(c)) {
		/* it has come to a mark meanwhile, and that is reported */
		native_resume(c->native);
		return 0;
	}
	show_pause(c);
	return 0;
}

void control_params(struct control *c, const struct msg_params *params)
{
	bool run = params->on_exit_run != 0;

	if (!control_is_started(c)) {
		c->page->points = params->points;
		c->page->marks_n = params->nmarks;
		if (params->nmarks)
			memcpy(c->page->marks, params->marks, params->nmarks);
	}
	if (run == c->on_exit_run && params->fpe == c->fpe)
		return;
	c->on_exit_run = run;
	c->fpe = params->fpe;
	atomic_store(&c->page->on_exit_run, run || child_is_attached(c->child));
	atomic_store(&c->page->fpe, c->fpe);
	/* the program looks at it when it looks at the rules */
	write_block(c);
	wake(c);
}

/* Whether this rank is in the set with that number. */
static bool is_in(const struct control *c, const struct msg_rules *rules, uint16_t set)
{
	return set && set <= rules->nset && rankset_has(&rules->set[set - 1], c->rank);
}

/* The rules for this rank, allocated; NULL: no memory. */
static struct rule *own_rules(const struct control *c, const struct msg_rules *rules, uint32_t *n)
{
	struct rule *own = calloc(rules->n ? rules->n : 1, sizeof(*own));

	*n = 0;
	for (uint32_t i = 0; own && i < rules->n; i++) {
		const struct rule *r = &rules->rule[i];
		bool mine = !r->set || is_in(c, rules, r->set);

		if (!mine && !is_in(c, rules, r->stop))
			continue;
		own[*n] = *r;
		own[(*n)++].common = !mine;
	}
	return own;
}

static bool same_places(const struct control *c, const struct msg_rules *m)
{
	return m->nplace == c->nplace &&
	       (!m->nplace || !memcmp(m->place, c->place, m->nplace * sizeof(*m->place)));
}

/* Takes over the levels of places; false: no memory. */
static bool take_places(struct control *c, const struct msg_rules *m)
{
	struct trace_config_place *own;

	if (same_places(c, m))
		return true;
	own = calloc(m->nplace ? m->nplace : 1, sizeof(*own));
	if (!own)
		return false;
	if (m->nplace)
		memcpy(own, m->place, m->nplace * sizeof(*own));
	free(c->place);
	c->place = own;
	c->nplace = m->nplace;
	c->version++;
	return true;
}

static bool same_rules(const struct control *c, const struct rule *rule, uint32_t n,
		       const struct watch *watch, uint32_t nwatch)
{
	return n == c->nrule && nwatch == c->nwatch &&
	       (!n || !memcmp(rule, c->rule, n * sizeof(*rule))) &&
	       (!nwatch || !memcmp(watch, c->watch, nwatch * sizeof(*watch)));
}

int control_rules(struct control *c, const struct msg_rules *rules)
{
	struct watch watch[WATCH_MOST];
	uint32_t n, nwatch = 0;
	struct rule *own = own_rules(c, rules, &n);

	if (!own || !take_places(c, rules)) {
		free(own);
		return -1;
	}
	for (uint32_t i = 0; i < rules->nwatch && i < WATCH_MOST; i++) {
		struct watch w = rules->watch[i];

		w.look = !w.set || is_in(c, rules, w.set);
		w.hold = w.stop && (w.look || is_in(c, rules, w.stop));
		if (w.native)
			placed_fill(c, &w);
		if (w.look || w.hold)
			watch[nwatch++] = w;
	}
	if (!same_rules(c, own, n, watch, nwatch))
		c->version++;
	free(c->rule);
	c->rule = own;
	c->nrule = n;
	memcpy(c->watch, watch, nwatch * sizeof(*watch));
	c->nwatch = nwatch;
	c->trace_config = rules->trace_config;
	write_block(c);
	wake(c);
	return 0;
}

static void start(struct control *c)
{
	struct err err;

	c->go_gen = c->plan.gen + c->before;
	atomic_store(&c->page->go_gen, c->go_gen);
	c->oom_kills = child_oom_kills();
	tracing_start(c);
	if (child_start(c->child, !c->on_exit_run, &err) == 0) {
		c->memory.pid = child_pid(c->child);
		return;
	}
	c->start_errno = errno ? errno : EAGAIN;
	log_debug("control", "%s", err.text);
	show_exit(c);
}

/*
 * Whether whoever sent a plan knew that this rank is parked. After a freeze the front end may take
 * a rank for running that has meanwhile stopped by itself, unless that is some time ago.
 */
static bool is_known_parked(const struct control *c)
{
	return !c->froze_running ||
	       (c->reported_stop && clock_msec() > c->reported_stop_at + KNOWN_MS);
}

void control_go(struct control *c, const struct plan *plan)
{
	bool first = !child_pid(c->child), parked;

	if (control_is_over(c))
		return;
	/* reported again, by a parent that could not know better */
	if (!first && (int32_t)(plan->gen - c->plan.gen) <= 0)
		return;
	/* one that was paused where it was may come to a stop before it sees the plan */
	parked = !first && control_is_parked(c);
	/* what it has stopped at under the former plan is reported under that */
	if (!first)
		control_inspect(c);
	let_go(c);
	c->plan = *plan;
	write_block(c);
	atomic_store(&c->page->freeze, 0);
	if (first) {
		start(c);
		return;
	}
	/* the rest of a halt: it comes to no mark, and has not to be waited for */
	if (child_is_attached(c->child) && page_read_state(&c->read) == PAGE_OFF &&
	    plan->mode == PLAN_TO) {
		control_pause(c, NULL);
		return;
	}
	inspect_stop(c, parked && is_known_parked(c));
	c->froze_running = false;
	wake(c);
}

/* The end of a halt that leaves us out: the front end knows that we have stopped by ourselves. */
void control_go_others(struct control *c, const struct plan *plan)
{
	if (plan->mode == PLAN_TO)
		c->froze_running = false;
}

/*
 * The program holds at p: it looks at freeze before it goes on. Else its next point is the one
 * where it is sure to look.
 */
static bool holds_at(const struct control *c, const struct point *p)
{
	uint64_t hold = atomic_load(&c->page->sums_hold);

	return hold && !p->sub && hold == point_order_number(p);
}

void control_freeze(struct control *c, uint32_t req)
{
	struct point p = { 0 };
	struct buf b = BUF_INIT;

	if (control_is_started(c)) {
		/* in this order: the program stores its point, then reads freeze */
		atomic_store(&c->page->freeze, 1);
		p = page_read_point(&c->read);
		if (control_is_parked(c)) {
			p = page_read_point(&c->read);
		} else if (page_read_state(&c->read) == PAGE_OFF) {
			p = (struct point){ 0 };
		} else {
			if (p.main && holds_at(c, &p))
				;
			else if (c->page->points)
				p = point_after(&p); /* of either kind */
			else
				p = p.main ? point_next(&p) : (struct point){ .main = 1 };
			c->froze_running = true;
		}
	}
	point_target_put(&p, &b);
	if (c->node)
		node_reply(c->node, req, &b);
	buf_clear(&b);
}

void control_kill(struct control *c)
{
	if (!child_pid(c->child) && !c->start_errno && !c->dead) {
		c->dead = true;
		child_kill(c->child);
		show_exit(c);
		return;
	}
	child_kill(c->child);
	wake(c);
}

void control_resync(struct control *c)
{
	control_output_again(c);
	tracing_resync(c);
	if (c->reported_exit) {
		show_exit(c);
		return;
	}
	c->reported_started = c->reported_stop = false;
	control_sums_resync(c);
	control_inspect(c);
	if (native_paused(c->native) || c->yielded)
		show_pause(c);
}

void control_release(struct control *c)
{
	let_go(c);
	c->nrule = c->nwatch = c->nplace = 0;
	c->version++;
	control_sums_release(c);
	tracing_release(c);
	c->plan = (struct plan){ .gen = c->plan.gen + 1, .mode = PLAN_CONT };
	atomic_store(&c->page->on_exit_run, 1);
	write_block(c);
	atomic_store(&c->page->freeze, 0);
	release(c);
}
