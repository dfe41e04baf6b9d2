/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "tests/unit/fake_node.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"

struct fake {
	struct conn *c;
	const char *scenario;
	unsigned goes; /* GO messages so far */
	uint32_t gen;
	struct rule last_rule;
	struct trace_config trace_config;
};

static char dir[] = "/tmp/dvmdbg-test-XXXXXX";

bool fake_node_wanted(void)
{
	return getenv("DVMDBG_SECRET") != NULL;
}

int fake_node_setup(void)
{
	char path[64], self[512] = "";
	int fd;

	if (!mkdtemp(dir) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/dvmdbg-exec", dir);
	if (symlink(self, path) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/libdvmdbg.so", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	close(fd);
	return setenv("DVMDBG_LIBDIR", dir, 1) | setenv("XDG_RUNTIME_DIR", dir, 1);
}

const char *fake_node_dir(void)
{
	return dir;
}

void fake_node_cleanup(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/dvmdbg-exec", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/libdvmdbg.so", dir);
	unlink(path);
	rmdir(dir);
}

struct job_spec fake_spec(const char *scenario)
{
	static char program[] = "/bin/true", what[64], *argv[] = { program, what, NULL };

	snprintf(what, sizeof(what), "%s", scenario);
	return (struct job_spec){ .n = FAKE_RANKS,
				  .argv = argv,
				  .launcher = "sh -c 'shift 2; exec \"$@\"' launch",
				  .transport = "unix" };
}

static void set(struct rankset *r, uint32_t lo, uint32_t hi)
{
	rankset_clear(r);
	rankset_add(r, lo, hi);
}

static void send_event(struct fake *f, unsigned kind, uint32_t gen, uint32_t lo, uint32_t hi,
		       const struct buf *blob)
{
	struct msg_event m = { .kind = (uint8_t)kind, .gen = gen };
	struct rankset who = { 0 };
	struct buf b = BUF_INIT;

	set(&who, lo, hi);
	groups_add(&m.groups, &who, blob->data, blob->len);
	msg_event_put(&m, &b);
	conn_send(f->c, MSG_EVENT, &b);
	msg_event_clear(&m);
	rankset_clear(&who);
	buf_clear(&b);
}

static void send_stop(struct fake *f, uint32_t gen, uint32_t lo, uint32_t hi, unsigned reason,
		      struct point at, uint64_t hash)
{
	struct report_stop r = {
		.reason = (uint8_t)reason,
		.nact = reason == STOP_POINT,
		.code = reason == STOP_SIGNAL ? SIGSEGV : 0,
		.hash_n = at.main,
		.hash = hash,
		.point = at,
		.frame = { .kind = CONSTRUCT_PL,
			   .point = at,
			   .place = { .file = "src/heat.c",
				      .func = "main",
				      .line = 61,
				      .module = "" } },
	};
	struct buf b = BUF_INIT;

	report_stop_put(&r, &b);
	send_event(f, EVENT_STOP, gen, lo, hi, &b);
	buf_clear(&b);
}

static void send_exit(struct fake *f, uint32_t lo, uint32_t hi, unsigned how, int code,
		      uint32_t hash_n)
{
	static struct report_exit r;
	struct buf b = BUF_INIT;

	r = (struct report_exit){ .how = (uint8_t)how,
				  .code = code,
				  .had_runtime = hash_n > 0,
				  .hash_n = hash_n,
				  .hash = 1000 + hash_n,
				  .released = how == EXIT_SIGNAL };
	r.point = (struct point){ .main = hash_n, .side = hash_n ? POINT_END : POINT_BEGIN };
	report_exit_put(&r, &b);
	send_event(f, EVENT_EXIT, f->gen, lo, hi, &b);
	buf_clear(&b);
}

static void send_finding(struct fake *f, uint32_t rank)
{
	struct report_finding r = {
		.kind = FINDING_MISUSE,
		.point = { .main = 3 },
		.place = { .file = "src/heat.c", .func = "main", .line = 61, .module = "" },
		.detail = "wrong"
	};
	struct buf b = BUF_INIT;

	report_finding_put(&r, &b);
	send_event(f, EVENT_FINDING, f->gen, rank, rank, &b);
	buf_clear(&b);
}

static void send_lost(struct fake *f, uint32_t rank)
{
	struct rankset who = { 0 };
	struct buf b = BUF_INIT;

	set(&who, rank, rank);
	rankset_put(&who, &b);
	conn_send(f->c, MSG_LOST, &b);
	rankset_clear(&who);
	buf_clear(&b);
}

static void send_reply(struct fake *f, uint32_t req, uint32_t lo, uint32_t hi,
		       const struct buf *blob)
{
	struct msg_reply m = { .req = req };
	struct buf b = BUF_INIT;

	set(&m.covered, lo, hi);
	groups_add(&m.groups, &m.covered, blob->data, blob->len);
	msg_reply_put(&m, &b);
	conn_send(f->c, MSG_REPLY, &b);
	msg_reply_clear(&m);
	buf_clear(&b);
}

static void reply_point(struct fake *f, uint32_t req, uint32_t lo, uint32_t hi, struct point p)
{
	struct buf b = BUF_INIT;

	point_put(&p, &b);
	send_reply(f, req, lo, hi, &b);
	buf_clear(&b);
}

static bool is(const struct fake *f, const char *scenario)
{
	return strcmp(f->scenario, scenario) == 0;
}

#define P(n, s) ((struct point){ .main = (n), .side = POINT_##s })

/*
 * These ranks have passed the point. Of u, which has an element for each rank, they tell theirs, of
 * dt that it is 0.5, on rank 3 0.25.
 */
static void send_sums(struct fake *f, uint32_t lo, uint32_t hi, struct point p)
{
	struct point_sums t = { .point = p, .kind = CONSTRUCT_PL };
	struct place here = { .file = "src/heat.c", .line = 61 };
	struct point_sums_item *u, *dt;
	int64_t n = FAKE_RANKS;
	struct buf b = BUF_INIT;

	point_sums_set_place(&t, &here);
	set(&t.passed, lo, hi);
	u = point_sums_add(&t, "u", "src/heat.c", 12, 0);
	sum_plan_make(&u->plan, 1, &n, VALUE_DOUBLE, 0, NULL);
	u->order = 'C';
	u->sum = sum_create(&u->plan, NULL);
	set(&u->ranks, lo, hi);
	dt = point_sums_add(&t, "dt", "src/heat.c", 13, 0);
	u = &t.item[1];
	dt->kind = ARRAY_REPLICATED;
	dt->order = 'C';
	sum_plan_make(&dt->plan, 0, NULL, VALUE_DOUBLE, 0, NULL);
	set(&dt->ranks, lo, hi);
	for (uint32_t r = lo; r <= hi && r < FAKE_RANKS; r++) {
		struct sum *s = sum_create(&dt->plan, NULL);
		double ten = 10 * r, step = r == 3 ? 0.25 : 0.5;
		struct rankset one = { 0 };

		sum_add(u->sum, &(struct layout){ .data = &ten, .first = { r }, .count = { 1 } },
			NULL);
		sum_add(s, &(struct layout){ .data = &step }, NULL);
		set(&one, r, r);
		buf_reset(&b);
		sum_put(s, &b);
		groups_add(&dt->copies, &one, b.data, b.len);
		rankset_clear(&one);
		sum_destroy(s);
	}
	buf_reset(&b);
	point_sums_put(&t, &b);
	conn_send(f->c, MSG_SUMS, &b);
	point_sums_clear(&t);
	buf_clear(&b);
}

#define IN_TASK(n, t, m, s) \
	((struct point){ .main = (n), .task = (t), .sub = (m), .side = POINT_##s })

/* Scenarios of checksums. */
static void on_go_sums(struct fake *f)
{
	if (is(f, "sums-two")) {
		send_sums(f, 0, 1, P(1, END));
		send_sums(f, 2, 3, P(1, END));
	} else if (is(f, "sums-wait")) {
		send_sums(f, 0, 2, P(1, END));
		send_stop(f, f->gen, 0, 3, STOP_POINT, P(1, END), 7);
	} else if (is(f, "sums-order")) {
		send_sums(f, 0, 1, P(1, END));
		send_sums(f, 0, 1, P(2, BEGIN));
		send_sums(f, 0, 1, P(2, END));
		send_sums(f, 2, 3, P(1, END));
		send_sums(f, 2, 3, P(2, END));
	} else if (is(f, "sums-exit")) {
		send_sums(f, 0, 2, P(1, END));
		send_exit(f, 3, 3, EXIT_CODE, 0, 0);
	} else if (is(f, "sums-lost")) {
		send_sums(f, 0, 1, P(1, END));
		send_sums(f, 3, 3, P(1, END));
		send_lost(f, 2);
	} else if (is(f, "sums-over")) {
		send_sums(f, 0, 0, P(1, END));
		send_sums(f, 0, 1, IN_TASK(2, 1, 1, END));
		send_exit(f, 0, 3, EXIT_CODE, 0, 0);
		/* too late */
		send_sums(f, 1, 1, P(1, END));
	} else if (is(f, "sums-tasks")) {
		send_sums(f, 0, 3, P(2, BEGIN));
		send_sums(f, 0, 1, IN_TASK(2, 1, 1, END));
		send_sums(f, 0, 3, IN_TASK(2, 5, 1, END));
		send_sums(f, 2, 3, IN_TASK(2, 0, 3, BEGIN));
		send_sums(f, 0, 0, IN_TASK(2, 5, 1, END));
		send_sums(f, 0, 3, P(2, END));
	} else if (is(f, "sums-hold")) {
		send_sums(f, 0, 3, P(f->goes, END));
	} else if (is(f, "sums-hostile")) {
		struct buf b = BUF_INIT;

		send_sums(f, 0, 900, P(1, END));
		buf_put_str(&b, "no checksums");
		conn_send(f->c, MSG_SUMS, &b);
		buf_clear(&b);
	}
}

static void on_verdict(struct fake *f, const struct msg_verdict *m)
{
	if (m->stop)
		send_stop(f, f->gen, 0, 3, STOP_MISMATCH, m->point, 7);
	else
		send_sums(f, 0, 3, (struct point){ .main = m->point.main + 1, .side = POINT_END });
}

static void on_go(struct fake *f, const struct msg_go *m)
{
	uint32_t gen = m->plan.gen;

	f->gen = gen;
	f->goes++;
	if (m->plan.mode == PLAN_TO) {
		/* All that are told to run to the target arrive there. */
		for (int64_t r = rankset_next(&m->who, 0); r >= 0;
		     r = rankset_next(&m->who, (uint32_t)r + 1))
			if (!is(f, "stale") || r != 1)
				send_stop(f, gen, (uint32_t)r, (uint32_t)r, STOP_HALT,
					  m->plan.target, 7);
	} else if (is(f, "stops")) {
		send_stop(f, gen, 0, 3, STOP_POINT, P(f->goes + 2, BEGIN), 7);
	} else if (is(f, "mismatch")) {
		send_stop(f, gen, 0, 3, STOP_MISMATCH, P(13, END), 7);
	} else if (is(f, "partial")) {
		send_stop(f, gen, 0, 2, STOP_POINT, P(3, BEGIN), 7);
	} else if (is(f, "crash")) {
		send_stop(f, gen, 1, 1, STOP_SIGNAL, P(3, BEGIN), 7);
	} else if (is(f, "finds")) {
		send_finding(f, 2);
		send_finding(f, 0);
		send_stop(f, gen, 0, 3, STOP_POINT, P(3, BEGIN), 7);
	} else if (is(f, "numbering")) {
		send_stop(f, gen, 0, 2, STOP_POINT, P(40, BEGIN), 7);
		send_stop(f, gen, 3, 3, STOP_POINT, P(40, BEGIN), 8);
	} else if (is(f, "straggler")) {
		send_stop(f, gen, 0, 1, STOP_POINT, P(40, BEGIN), 7);
		send_stop(f, gen, 3, 3, STOP_POINT, P(40, BEGIN), 8);
		conn_flush(f->c, 1000);
		usleep(100000);
		send_stop(f, gen, 2, 2, STOP_POINT, P(40, BEGIN), 7);
	} else if (is(f, "early")) {
		send_exit(f, 0, 2, EXIT_CODE, 0, 40);
		send_exit(f, 3, 3, EXIT_CODE, 0, 16);
	} else if (is(f, "exits")) {
		send_exit(f, 0, 0, EXIT_CODE, 0, 0);
		send_exit(f, 1, 1, EXIT_CODE, 3, 0);
		send_exit(f, 2, 3, EXIT_CODE, 0, 0);
	} else if (is(f, "clean")) {
		send_exit(f, 0, 3, EXIT_CODE, 0, 0);
	} else if (is(f, "lost")) {
		send_lost(f, 2);
		send_stop(f, gen, 0, 1, STOP_POINT, P(3, BEGIN), 7);
		send_stop(f, gen, 3, 3, STOP_POINT, P(3, BEGIN), 7);
	} else if (is(f, "breaks")) {
		close(conn_fd(f->c));
		sleep(60);
	} else if (is(f, "falls")) {
		_exit(0);
	} else if (is(f, "hostile")) {
		struct buf b = BUF_INIT;

		buf_put_str(&b, "no event at all");
		send_event(f, EVENT_STOP, gen, 0, 3, &b);
		send_event(f, EVENT_EXIT, gen, 0, 3, &b);
		send_event(f, EVENT_FINDING, gen, 0, 3, &b);
		send_stop(f, gen, 0, 900, STOP_POINT, P(3, BEGIN), 7);
		buf_clear(&b);
	} else if (is(f, "rules") && f->goes == 2) {
		send_stop(f, gen, 0, 3, STOP_POINT, f->last_rule.from, 7);
	} else if (is(f, "gauge")) {
		/* where it is told to begin */
		send_stop(f, gen, 0, 3, STOP_POINT, f->trace_config.start, 7);
	} else {
		on_go_sums(f);
	}
}

static void on_freeze(struct fake *f, const struct msg_freeze *m)
{
	if (is(f, "mute"))
		return;
	if (is(f, "partial")) {
		reply_point(f, m->req, 3, 3, P(3, BEGIN));
	} else if (is(f, "moving")) {
		/* Rank 0 parks at once, the others are somewhere behind 5.B. */
		send_stop(f, f->gen, 0, 0, STOP_HALT, P(5, BEGIN), 7);
		reply_point(f, m->req, 0, 0, P(5, BEGIN));
		reply_point(f, m->req, 1, 3, P(5, END));
	} else if (is(f, "stale")) {
		reply_point(f, m->req, 0, 3, P(5, BEGIN));
		send_stop(f, f->gen, 1, 1, STOP_POINT, P(5, BEGIN), 7);
	} else {
		reply_point(f, m->req, 0, 3, P(9, BEGIN));
	}
}

/* What those of ranks 0 … 2 and rank 3 that are asked say to QUERY_HASH in "numbering": they part
 * at construct 17. */
static void reply_hash(struct fake *f, const struct msg_query *m)
{
	uint32_t n = m->n, most = rankset_has(&m->who, 2) ? 2 : 1;

	for (uint32_t side = 0; side < 2; side++) {
		struct place p = { .file = "src/heat.c", .func = "main", .module = "" };
		bool known = !is(f, "early") || side == 0 || n <= 16;
		struct buf b = BUF_INIT;

		p.line = n == 17 && side ? 70 : 61;
		buf_put_u8(&b, known);
		buf_put_u64(&b, known ? n + (n >= 17 && side ? 5000 : 0) : 0);
		buf_put_u8(&b, known ? CONSTRUCT_PL : 0);
		place_put(&p, &b);
		send_reply(f, m->req, side ? 3 : 0, side ? 3 : most, &b);
		buf_clear(&b);
	}
}

static void reply_status(struct fake *f, uint32_t req, uint32_t lo, uint32_t hi, unsigned state,
			 uint32_t point)
{
	struct report_status r = { .state = (uint8_t)state,
				   .reason = STOP_POINT,
				   .point = { .main = point },
				   .frame = { .kind = CONSTRUCT_KINDS } };
	struct buf b = BUF_INIT;

	report_status_put(&r, &b);
	send_reply(f, req, lo, hi, &b);
	buf_clear(&b);
}

/*
 * All run. While they are asked, rank 0 answers by two ways, as its link was lost; rank 1 answers
 * that it is stopped and ends; rank 2 answers that it runs and stops; rank 3 is lost after its
 * answer. Asked again, rank 2 is stopped.
 */
static void reply_races(struct fake *f, const struct msg_query *m)
{
	static bool again;

	if (again) {
		reply_status(f, m->req, 2, 2, RANK_STOPPED, 5);
		again = false;
		return;
	}
	again = true;
	reply_status(f, m->req, 0, 0, RANK_RUNNING, 1);
	reply_status(f, m->req, 0, 1, RANK_STOPPED, 2);
	reply_status(f, m->req, 3, 3, RANK_RUNNING, 2);
	send_exit(f, 1, 1, EXIT_CODE, 7, 3);
	send_stop(f, f->gen, 2, 2, STOP_POINT, P(5, BEGIN), 7);
	send_lost(f, 3);
	reply_status(f, m->req, 2, 2, RANK_RUNNING, 4);
}

static void on_query(struct fake *f, const struct msg_query *m)
{
	struct report_status r = { .state = RANK_RUNNING,
				   .seconds = 40,
				   .point = P(2, END),
				   .frame = { .kind = CONSTRUCT_KINDS } };
	struct buf b = BUF_INIT;

	if (m->kind == QUERY_HASH) {
		reply_hash(f, m);
		return;
	}
	if (is(f, "races") && m->kind == QUERY_STATUS) {
		reply_races(f, m);
		return;
	}
	report_status_put(&r, &b);
	if (is(f, "silent"))
		send_reply(f, m->req, 0, 2, &b);
	else if (!is(f, "mute"))
		send_reply(f, m->req, 0, 3, &b);
	buf_clear(&b);
}

static void on_kill(struct fake *f, const struct msg_kill *m)
{
	if (is(f, "mute"))
		return;
	for (int64_t r = rankset_next(&m->who, 0); r >= 0;
	     r = rankset_next(&m->who, (uint32_t)r + 1))
		send_exit(f, (uint32_t)r, (uint32_t)r, EXIT_SIGNAL, SIGKILL, 0);
	if (m->final) {
		conn_flush(f->c, 1000);
		_exit(0);
	}
}

static void on_message(struct fake *f, unsigned type, struct buf *b)
{
	if (type == MSG_GO) {
		struct msg_go m = { 0 };

		if (msg_go_get(&m, b) == 0)
			on_go(f, &m);
		rankset_clear(&m.who);
	} else if (type == MSG_FREEZE) {
		struct msg_freeze m = { 0 };

		if (msg_freeze_get(&m, b) == 0)
			on_freeze(f, &m);
		rankset_clear(&m.who);
	} else if (type == MSG_QUERY) {
		struct msg_query m = { 0 };

		if (msg_query_get(&m, b) == 0)
			on_query(f, &m);
		msg_query_clear(&m);
	} else if (type == MSG_RULES) {
		struct msg_rules m = { 0 };

		if (msg_rules_get(&m, b) == 0) {
			f->trace_config = m.trace_config;
			if (m.n)
				f->last_rule = m.rule[m.n - 1];
		}
		msg_rules_clear(&m);
	} else if (type == MSG_VERDICT) {
		struct msg_verdict m;

		if (msg_verdict_get(&m, b) == 0)
			on_verdict(f, &m);
	} else if (type == MSG_KILL) {
		struct msg_kill m = { 0 };

		if (msg_kill_get(&m, b) == 0)
			on_kill(f, &m);
		rankset_clear(&m.who);
	}
}

/* All ranks are below this node, or, in "absent", all but the last. */
static void join(struct fake *f)
{
	struct msg_join m = { .size = FAKE_RANKS,
			      .pid = (uint32_t)getpid(),
			      .version = PACKAGE_VERSION,
			      .listen = "unix:/nowhere" };
	char host[256] = "";
	struct buf b = BUF_INIT;

	gethostname(host, sizeof(host) - 1);
	m.host = host;
	set(&m.subtree, 0, is(f, "absent") ? FAKE_RANKS - 2 : FAKE_RANKS - 1);
	msg_join_put(&m, &b);
	conn_send(f->c, MSG_JOIN, &b);
	buf_clear(&b);
	rankset_clear(&m.subtree);
}

int fake_node(char **argv)
{
	struct fake f = { .scenario = argv[2] ? argv[2] : "" };
	unsigned char secret[AUTH_SECRET];
	struct buf payload;
	unsigned type;

	if (is(&f, "dies")) {
		fprintf(stderr, "no slots\n");
		return 7;
	}
	if (auth_init(NULL) < 0 || auth_secret_from_hex(secret, getenv("DVMDBG_SECRET"), NULL) < 0)
		return 9;
	if (!is(&f, "never"))
		f.c = conn_create(addr_connect(getenv("DVMDBG_RENDEZVOUS"), 1000, NULL),
				  CONN_CLIENT, secret, NULL);
	if (is(&f, "mute"))
		signal(SIGTERM, SIG_IGN);
	if (!f.c) {
		sleep(60);
		return 9;
	}
	if (is(&f, "output")) {
		printf("out\n");
		fflush(stdout);
	}
	join(&f);
	for (;;) {
		struct pollfd p = { .fd = conn_fd(f.c), .events = conn_events(f.c) };
		int io;

		poll(&p, 1, -1);
		io = conn_io(f.c, p.revents, NULL);
		while (conn_recv(f.c, &type, &payload, NULL) > 0)
			on_message(&f, type, &payload);
		if (io < 0 && !is(&f, "mute"))
			return 0;
		if (io < 0)
			sleep(60);
	}
}
