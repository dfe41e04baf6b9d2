/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "tests/sim/sim.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"
#include "runtime/exec/sys/clock.h"

#define JOINING 64 /* nodes of a process that are on their way into the tree */
#define NODE_FDS                                                                        \
	40 /* of one node: the way up, listeners, children; more wait for the next turn \
	    */
#define LEAVE_MS 5000
#define LEAVE_POLL_MS 20
#define IDLE_MS 1000
#define PROCESSES 16

/*
 * Nodes that share a core are that much slower. So that timers expire as on hosts of their own, the
 * clock of all that they do is slower as well; 1: it is the real one.
 */
static int64_t slower = 1;
#define SHARE 256 /* nodes that one machine carries at full speed */

/* That of the C library enters the kernel for few clocks only. */
int clock_gettime(clockid_t id, struct timespec *t)
{
	static int (*real)(clockid_t, struct timespec *);
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(id, t);
	if (!rc && slower > 1 && id == CLOCK_MONOTONIC) {
		int64_t nsec = ((int64_t)t->tv_sec * 1000000000 + t->tv_nsec) / slower;

		t->tv_sec = nsec / 1000000000;
		t->tv_nsec = nsec % 1000000000;
	}
	return rc;
}

/* One rank and its node. */
struct seat {
	struct process *p;
	struct node *node; /* NULL: not begun, or left */
	uint32_t rank, gen, goes;
	uint8_t state; /* enum rank_state */
	bool started, joined, leaving;
	uint32_t act; /* the actionpoint that stops it */
	bool has_act;
	int64_t due, leave_at;
	struct pollfd fds[NODE_FDS];
	size_t nfds;
};

struct process {
	uint32_t size, step, n; /* ranks in all; every step-th is here; how many that are */
	struct seat *seat;	/* n */
	struct sim_ranks *ranks;
	struct sim_cost *cost;
	bool costs; /* and they are written */
	const char *rendezvous;
	unsigned char secret[AUTH_SECRET];
	int epoll;
	uint32_t next;	  /* place to begin */
	uint32_t joining; /* begun and not joined */
	uint32_t left;
};

static void event(struct seat *r, unsigned kind, struct buf *b)
{
	node_event(r->node, kind, r->gen, b);
	buf_clear(b);
}

static void show(struct seat *r)
{
	sim_ranks_show(r->p->ranks, r->rank, r->goes, r->state == RANK_STOPPED);
}

static void report_started(struct seat *r)
{
	struct buf b = BUF_INIT;

	buf_put_u8(&b, 1);
	buf_put_u8(&b, 1);
	event(r, EVENT_STARTED, &b);
}

static void show_stop(struct seat *r, unsigned reason)
{
	struct report_stop stop;
	struct buf b = BUF_INIT;

	r->state = RANK_STOPPED;
	show(r);
	sim_ranks_stop(r->p->ranks, reason, &stop);
	if (reason == STOP_POINT) {
		stop.nact = 1;
		stop.act[0] = r->act;
	}
	report_stop_put(&stop, &b);
	event(r, EVENT_STOP, &b);
}

static void show_exit(struct seat *r, int sig)
{
	static struct report_exit exit_report;
	struct report_exit *x = &exit_report;
	struct buf b = BUF_INIT;

	show(r);
	sim_ranks_exit(r->p->ranks, x);
	if (sig) {
		x->how = EXIT_SIGNAL;
		x->code = sig;
		x->released = 1;
	}
	r->state = RANK_EXITED;
	report_exit_put(x, &b);
	event(r, EVENT_EXIT, &b);
}

static void on_params(void *arg, const struct msg_params *params)
{
	struct seat *r = arg;

	if (!r->joined)
		r->p->joining--;
	r->joined = true;
}

static int on_rules(void *arg, const struct msg_rules *rules)
{
	struct seat *r = arg;

	r->has_act = rules->n > 0;
	r->act = rules->n ? rules->rule[0].id : 0;
	return 0;
}

/* Runs to the next point at once: what is measured is the tree. */
static void on_go(void *arg, const struct plan *plan)
{
	struct seat *r = arg;
	enum sim_scenario scenario = sim_ranks_scenario(r->p->ranks);

	/* told again, by a parent that could not know better */
	if (r->started && (int32_t)(plan->gen - r->gen) <= 0)
		return;
	sim_cost_begin(r->p->cost, r->rank, plan->gen);
	r->gen = plan->gen;
	if (r->state == RANK_EXITED || (r->state == RANK_STOPPED && plan->mode == PLAN_TO))
		return;
	r->goes++;
	r->state = RANK_RUNNING;
	if (!r->started)
		report_started(r);
	r->started = true;
	if (sim_never_stops(scenario))
		return;
	if (scenario == SIM_exits || (plan->mode == PLAN_CONT && !r->has_act))
		show_exit(r, 0);
	else
		show_stop(r, plan->mode == PLAN_CONT ? STOP_POINT : STOP_STEP);
}

static void on_go_others(void *arg, const struct plan *plan)
{
	((struct seat *)arg)->gen = plan->gen;
}

static void on_freeze(void *arg, uint32_t req)
{
	struct seat *r = arg;
	struct report_stop stop;
	struct buf b = BUF_INIT;

	show(r);
	sim_ranks_stop(r->p->ranks, STOP_HALT, &stop);
	point_put(&stop.point, &b);
	node_reply(r->node, req, &b);
	buf_clear(&b);
}

static void on_query(void *arg, const struct msg_query *q)
{
	struct seat *r = arg;
	struct buf b = BUF_INIT;

	sim_cost_begin(r->p->cost, r->rank, q->req);
	show(r);
	sim_ranks_answer(r->p->ranks, r->state, r->gen, q, &b);
	node_reply(r->node, q->req, &b);
	buf_clear(&b);
}

static void leave(struct seat *r)
{
	if (!r->leaving)
		r->leave_at = clock_msec() + LEAVE_MS;
	r->leaving = true;
}

static void on_kill(void *arg, bool final)
{
	struct seat *r = arg;

	if (r->state != RANK_EXITED)
		show_exit(r, SIGKILL);
	if (final)
		leave(r);
}

static void on_verdict(void *arg, const struct msg_verdict *m)
{
}

static void on_resync(void *arg)
{
	struct seat *r = arg;

	if (r->state == RANK_STOPPED)
		show_stop(r, STOP_STEP);
	else if (r->state == RANK_EXITED)
		show_exit(r, 0);
}

static void on_refused(void *arg, const char *why)
{
	fprintf(stderr, "rank %u: %s\n", ((struct seat *)arg)->rank, why);
	leave(arg);
}

static void on_abandoned(void *arg)
{
	leave(arg);
}

static void on_trace(void *arg, const struct msg_trace *m)
{
	(void)arg;
	(void)m;
}

static const struct node_ops ops = {
	.params = on_params,
	.rules = on_rules,
	.go = on_go,
	.go_others = on_go_others,
	.freeze = on_freeze,
	.query = on_query,
	.kill = on_kill,
	.verdict = on_verdict,
	.trace = on_trace,
	.resync = on_resync,
	.refused = on_refused,
	.abandoned = on_abandoned,
};

/* Tells epoll what the node waits for now. Its former descriptors may be closed, or be others. */
static void watch(struct seat *r)
{
	struct pollfd fds[NODE_FDS];
	size_t n = r->node ? node_poll(r->node, fds, NODE_FDS) : 0;

	for (size_t i = 0; i < r->nfds; i++) {
		size_t k = 0;

		while (k < n && fds[k].fd != r->fds[i].fd)
			k++;
		if (k == n)
			epoll_ctl(r->p->epoll, EPOLL_CTL_DEL, r->fds[i].fd, NULL);
	}
	for (size_t k = 0; k < n; k++) {
		struct epoll_event e = { .events = (uint32_t)fds[k].events,
					 .data.u32 = (uint32_t)(r - r->p->seat) };
		bool same = k > 0 && k < r->nfds && fds[k].fd == r->fds[k].fd &&
			    fds[k].events == r->fds[k].events;

		if (!same && epoll_ctl(r->p->epoll, EPOLL_CTL_MOD, fds[k].fd, &e) &&
		    errno == ENOENT)
			epoll_ctl(r->p->epoll, EPOLL_CTL_ADD, fds[k].fd, &e);
	}
	memcpy(r->fds, fds, n * sizeof(fds[0]));
	r->nfds = n;
	r->due = r->node ? node_due(r->node) : -1;
}

/* The time of processors, asked of the kernel; 0 when nobody wants to know what an order costs. */
static uint64_t cpu_nsec(const struct process *p)
{
	struct timespec t;

	if (!p->costs)
		return 0;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What a supervisor does in one turn. */
static void turn(struct seat *r)
{
	uint64_t since = cpu_nsec(r->p);

	if (!r->node)
		return;
	if (poll(r->fds, r->nfds, 0) >= 0)
		node_io(r->node, r->fds, r->nfds);
	node_tick(r->node, clock_msec());
	sim_cost_add(r->p->cost, r->rank, cpu_nsec(r->p) - since);
	if (r->leaving && (node_leave(r->node) || clock_msec() >= r->leave_at)) {
		node_flush(r->node, 1000);
		node_destroy(r->node);
		r->node = NULL;
		r->p->left++;
		if (!r->joined)
			r->p->joining--;
		r->joined = true;
	}
	watch(r);
}

static int begin(struct process *p, struct seat *r)
{
	struct node_spec spec = {
		.rank = r->rank, .size = p->size, .rendezvous = p->rendezvous, .ops = &ops, .arg = r
	};
	struct err err = { "" };

	memcpy(spec.secret, p->secret, sizeof(spec.secret));
	p->joining++;
	r->node = node_create(&spec, &err);
	if (!r->node) {
		fprintf(stderr, "rank %u: %s\n", r->rank, err.text);
		return -1;
	}
	watch(r);
	return 0;
}

/* Milliseconds until the first node has something to do; turns those that have it now. */
static int tick(struct process *p)
{
	int64_t now = clock_msec(), first = now + IDLE_MS;

	for (uint32_t i = 0; i < p->next; i++) {
		struct seat *r = &p->seat[i];

		if (r->node && ((r->due >= 0 && r->due <= now) || r->leaving))
			turn(r);
		if (r->node && r->due >= 0 && r->due < first)
			first = r->due;
		if (r->node && r->leaving && first > now + LEAVE_POLL_MS)
			first = now + LEAVE_POLL_MS;
	}
	return first <= now ? 0 : (int)((first - now) * slower);
}

static int run(struct process *p)
{
	struct epoll_event e[256];

	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	while (p->left < p->n) {
		int wait = tick(p), n;

		if (p->left == p->n)
			break;
		while (p->next < p->n && p->joining < JOINING) {
			if (begin(p, &p->seat[p->next++]))
				return 2;
			wait = 0;
		}
		n = epoll_wait(p->epoll, e, 256, wait);
		for (int i = 0; i < n; i++)
			turn(&p->seat[e[i].data.u32]);
	}
	return 0;
}

/* One process with every step-th rank, from `first`; its exit status. */
static int process(struct process *p, const char *scenario, uint32_t first)
{
	p->n = (p->size - first + p->step - 1) / p->step;
	p->seat = calloc(p->n, sizeof(*p->seat));
	p->ranks = sim_ranks_create(scenario, p->size);
	if (!p->seat || !p->ranks)
		return 2;
	for (uint32_t i = 0; i < p->n; i++)
		p->seat[i] = (struct seat){
			.p = p, .rank = first + i * p->step, .due = -1, .state = RANK_LOADED
		};
	return run(p);
}

/* As few processes as the limit of descriptors allows, but two for the cores of a large one. */
static uint32_t processes(uint32_t size)
{
	struct rlimit limit = { 0, 0 };
	uint64_t need = size * UINT64_C(5) / 2 + 64, n;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	n = limit.rlim_cur > 256 ? need / (limit.rlim_cur - 128) + 1 : PROCESSES;
	if (n < 2 && size > 1024)
		n = 2;
	return n < PROCESSES ? (uint32_t)n : PROCESSES;
}

int sim_main(char **argv)
{
	const char *size = getenv("DVMDBG_SIM_SIZE");
	struct process p = { .rendezvous = getenv("DVMDBG_RENDEZVOUS"),
			     .size = size ? (uint32_t)atoi(size) : 0 };
	int status, worst = 0;

	signal(SIGPIPE, SIG_IGN);
	if (!p.size || !argv[2] || auth_init(NULL) < 0 ||
	    auth_secret_from_hex(p.secret, getenv("DVMDBG_SECRET"), NULL) < 0)
		return 9;
	p.cost = sim_cost_create(p.size);
	p.costs = getenv("DVMDBG_SIM_COST") != NULL;
	if (!p.cost)
		return 9;
	p.step = processes(p.size);
	slower = p.size > SHARE ? p.size / SHARE : 1;
	for (uint32_t i = 0; i < p.step; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(process(&p, argv[2], i));
		}
		if (pid < 0)
			return 9;
	}
	while (wait(&status) > 0) {
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
			fprintf(stderr, "nodes ended by signal %d\n", WTERMSIG(status));
		worst = WIFEXITED(status) && WEXITSTATUS(status) <= worst ? worst : 2;
	}
	return worst;
}
