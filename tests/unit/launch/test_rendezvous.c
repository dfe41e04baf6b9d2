/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "frontend/util/loop.h"
#include "frontend/launch/launch.h"

static struct loop *loop;

struct heard {
	unsigned linked, vanished, refused, joined;
	uint32_t size, linked_rank, vanished_rank;
	struct rankset subtree;
	struct conn *link;
	char why[256];
};

static void on_size(void *arg, uint32_t n)
{
	((struct heard *)arg)->size = n;
}

static void on_joined(void *arg, const struct msg_join *m)
{
	((struct heard *)arg)->joined++;
}

static void on_linked(void *arg, struct conn *c, const struct msg_join *m)
{
	struct heard *h = arg;

	conn_destroy(h->link);
	h->link = c;
	h->linked++;
	h->linked_rank = m->rank;
	rankset_copy(&h->subtree, &m->subtree);
}

static void on_vanished(void *arg, uint32_t rank)
{
	struct heard *h = arg;

	h->vanished++;
	h->vanished_rank = rank;
}

static void on_refused(void *arg, const char *text)
{
	struct heard *h = arg;

	h->refused++;
	strncpy(h->why, text, sizeof(h->why) - 1);
}

static struct rendezvous *make(uint32_t n, bool tcp, struct heard *h)
{
	const struct rendezvous_spec spec = { .n = n, .use_unix = !tcp, .use_tcp = tcp };
	const struct rendezvous_watch watch = { .arg = h,
						.size = on_size,
						.joined = on_joined,
						.linked = on_linked,
						.vanished = on_vanished,
						.refused = on_refused };
	struct err err = { "" };
	struct rendezvous *r;

	memset(h, 0, sizeof(*h));
	r = rendezvous_create(&spec, loop, &watch, &err);
	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static void end(struct rendezvous *r, struct heard *h)
{
	conn_destroy(h->link);
	rankset_clear(&h->subtree);
	rendezvous_destroy(r);
}

static struct conn *connect_to(struct rendezvous *r)
{
	unsigned char secret[AUTH_SECRET];
	struct err err = { "" };
	int fd = addr_connect(rendezvous_addrs(r), 1000, &err);

	if (fd < 0)
		fail_msg("%s", err.text);
	assert_int_equal(auth_secret_from_hex(secret, rendezvous_secret(r), NULL), 0);
	return conn_create(fd, CONN_CLIENT, secret, NULL);
}

/* Lets both sides work. -1 when the connection has ended. */
static int turn(struct conn *c)
{
	struct pollfd p = { .fd = conn_fd(c), .events = conn_events(c) };

	loop_turn(loop, 5);
	poll(&p, 1, 5);
	return p.revents ? conn_io(c, p.revents, NULL) : 0;
}

/* The type of the next message within ms, 0 when there is none, -1 when the connection has ended.
 */
static int receive(struct conn *c, struct buf *payload, int ms)
{
	int64_t until = loop_now() + ms;
	unsigned type;
	int io, got;

	do {
		io = turn(c);
		got = conn_recv(c, &type, payload, NULL);
		if (got > 0)
			return (int)type;
	} while (io == 0 && got == 0 && loop_now() < until);
	return io < 0 || got < 0 ? -1 : 0;
}

static void send_join(struct conn *c, uint32_t rank, uint32_t size, uint32_t pid, bool orphan,
		      const char *version)
{
	char at[32];
	struct msg_join m = { .rank = rank,
			      .size = size,
			      .pid = pid,
			      .version = version,
			      .host = "elsewhere",
			      .listen = at,
			      .orphan = orphan };
	struct buf b = BUF_INIT;

	snprintf(at, sizeof(at), "unix:/r%u", rank);
	rankset_add(&m.subtree, rank, rank);
	msg_join_put(&m, &b);
	conn_send(c, MSG_JOIN, &b);
	buf_clear(&b);
	rankset_clear(&m.subtree);
}

static struct conn *join(struct rendezvous *r, uint32_t rank, uint32_t size)
{
	struct conn *c = connect_to(r);

	send_join(c, rank, size, 100 + rank, false, PACKAGE_VERSION);
	return c;
}

/* Expects PARENT with these ancestors, blanks between them. */
static void expect_parent(struct conn *c, const char *ancestors, int ms)
{
	struct buf payload;
	struct msg_parent m;
	char all[512] = "";

	assert_int_equal(receive(c, &payload, ms), MSG_PARENT);
	assert_int_equal(msg_parent_get(&m, &payload), 0);
	for (uint32_t i = 0; i < m.n; i++) {
		strcat(all, i ? " " : "");
		strcat(all, m.addr[i]);
	}
	assert_string_equal(all, ancestors);
}

static void expect_refusal(struct conn *c, const char *why)
{
	struct buf payload;

	assert_int_equal(receive(c, &payload, 1000), MSG_REFUSE);
	if (!strstr(buf_get_str(&payload), why))
		fail_msg("not refused because of %s", why);
	conn_destroy(c);
}

static int make_loop(void **state)
{
	loop = loop_create(NULL);
	return auth_init(NULL) < 0 || !loop ? -1 : 0;
}

static int end_loop(void **state)
{
	loop_destroy(loop);
	return 0;
}

static void the_first_rank_becomes_the_link(void **state)
{
	struct heard h;
	struct rendezvous *r = make(4, false, &h);
	struct conn *c = join(r, 0, 4);

	expect_parent(c, "", 1000);
	assert_int_equal(h.joined, 1);
	assert_int_equal(h.linked, 1);
	assert_int_equal(h.linked_rank, 0);
	assert_true(rankset_has(&h.subtree, 0));
	conn_destroy(c);
	end(r, &h);
}

static void a_parent_is_named_when_it_is_known(void **state)
{
	struct heard h;
	struct rendezvous *r = make(300, false, &h);
	struct conn *early = join(r, 17, 300), *parent, *root, *late;
	struct buf payload;

	assert_int_equal(receive(early, &payload, 200), 0);
	root = join(r, 0, 300);
	expect_parent(root, "", 1000);
	assert_int_equal(receive(early, &payload, 200), 0);
	parent = join(r, 1, 300);
	expect_parent(parent, "unix:/r0", 1000);
	expect_parent(early, "unix:/r1 unix:/r0", 1000);
	late = join(r, 18, 300);
	expect_parent(late, "unix:/r1 unix:/r0", 1000);
	conn_destroy(early);
	conn_destroy(parent);
	conn_destroy(late);
	conn_destroy(root);
	end(r, &h);
}

static void who_waits_too_long_gets_what_is_known(void **state)
{
	struct heard h;
	struct rendezvous *r = make(300, false, &h);
	struct conn *deep = join(r, 290, 300), *root = join(r, 0, 300), *alone;

	/* 290 is below 18, below 1, below 0 */
	expect_parent(root, "", 1000);
	expect_parent(deep, "unix:/r0", RENDEZVOUS_DEFER_MS + 1000);
	conn_destroy(root);
	conn_destroy(deep);
	end(r, &h);

	r = make(4, false, &h);
	alone = join(r, 3, 4);
	expect_parent(alone, "", RENDEZVOUS_DEFER_MS + 1000);
	assert_int_equal(h.linked_rank, 3);
	conn_destroy(alone);
	end(r, &h);
}

static void what_cannot_be_is_refused(void **state)
{
	struct heard h;
	struct rendezvous *r = make(4, false, &h);
	struct conn *c = connect_to(r), *first;

	send_join(c, 0, 4, 1, false, "0.0.1");
	expect_refusal(c, "0.0.1");
	expect_refusal(join(r, 4, 0), "only 4");
	expect_refusal(join(r, 0, 1), "1 rank, and 4");
	first = join(r, 0, 4);
	expect_parent(first, "", 1000);
	c = connect_to(r);
	send_join(c, 0, 4, 999, false, PACKAGE_VERSION);
	expect_refusal(c, "rank 0 connected twice");
	assert_int_equal(h.refused, 4);
	assert_int_equal(h.linked, 1);
	conn_destroy(first);
	end(r, &h);
}

static void an_orphan_becomes_a_link(void **state)
{
	struct heard h;
	struct rendezvous *r = make(4, false, &h);
	struct conn *root = join(r, 0, 4), *c = join(r, 2, 4), *again, *third;

	expect_parent(root, "", 1000);
	expect_parent(c, "unix:/r0", 1000);
	conn_destroy(c);
	again = connect_to(r);
	send_join(again, 2, 4, 102, true, PACKAGE_VERSION);
	expect_parent(again, "", 1000);
	assert_int_equal(h.linked_rank, 2);
	conn_destroy(again);
	/* one that could not reach its parent at all says nothing of being an orphan */
	third = connect_to(r);
	send_join(third, 2, 4, 102, false, PACKAGE_VERSION);
	expect_parent(third, "", 1000);
	assert_int_equal(h.linked, 3);
	assert_int_equal(h.joined, 2);
	conn_destroy(third);
	conn_destroy(root);
	end(r, &h);
}

static void one_that_goes_too_early_is_reported(void **state)
{
	struct heard h;
	struct rendezvous *r = make(40, false, &h);
	struct conn *c = join(r, 20, 40);
	struct buf payload;

	assert_int_equal(receive(c, &payload, 100), 0);
	conn_destroy(c);
	for (int64_t until = loop_now() + 10000; !h.vanished && loop_now() < until;)
		loop_turn(loop, 20);
	assert_int_equal(h.vanished, 1);
	assert_int_equal(h.vanished_rank, 20);
	end(r, &h);
}

static void the_size_can_come_with_a_join(void **state)
{
	struct heard h;
	struct rendezvous *r = make(0, false, &h);
	struct conn *c;

	expect_refusal(join(r, 0, 0), "number of ranks");
	c = join(r, 0, 7);
	expect_parent(c, "", 1000);
	assert_int_equal(h.size, 7);
	conn_destroy(c);
	end(r, &h);
}

/* The connection ends, and nothing was taken from it. */
static void expect_dropped(struct rendezvous *r, struct heard *h, const void *bytes, size_t len)
{
	int fd = addr_connect(rendezvous_addrs(r), 1000, NULL);
	int64_t until = loop_now() + 2000;
	char got[256];
	ssize_t n = -1;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	do {
		loop_turn(loop, 5);
		n = read(fd, got, sizeof(got));
	} while ((n > 0 || (n < 0 && errno == EAGAIN)) && loop_now() < until);
	assert_true(n == 0 || (n < 0 && errno != EAGAIN));
	close(fd);
	assert_int_equal(h->joined + h->linked + h->vanished, 0);
}

static void foreign_bytes_are_dropped(void **state)
{
	struct heard h;
	struct rendezvous *r = make(4, false, &h);
	unsigned char noise[4096], wrong[AUTH_SECRET] = { 1 };
	struct buf payload;
	struct conn *c;

	expect_dropped(r, &h, "GET / HTTP/1.0\r\n\r\n", 18);
	auth_random(noise, sizeof(noise));
	expect_dropped(r, &h, noise, sizeof(noise));
	memcpy(noise, "DVMW", 4);
	expect_dropped(r, &h, noise, sizeof(noise));
	/* speaks our language, does not know the secret */
	c = conn_create(addr_connect(rendezvous_addrs(r), 1000, NULL), CONN_CLIENT, wrong, NULL);
	send_join(c, 0, 4, 1, false, PACKAGE_VERSION);
	assert_int_equal(receive(c, &payload, 2000), -1);
	conn_destroy(c);
	assert_int_equal(h.joined, 0);
	/* knows it, but does not begin with JOIN */
	c = connect_to(r);
	conn_send(c, MSG_EVENT, &(struct buf){ 0 });
	assert_int_equal(receive(c, &payload, 2000), -1);
	conn_destroy(c);
	/* and a damaged JOIN */
	c = connect_to(r);
	conn_send(c, MSG_JOIN, &(struct buf){ 0 });
	assert_int_equal(receive(c, &payload, 2000), -1);
	conn_destroy(c);
	assert_int_equal(h.joined, 0);
	/* still there for those who belong */
	c = join(r, 0, 4);
	expect_parent(c, "", 1000);
	conn_destroy(c);
	end(r, &h);
}

static void tcp_serves_as_well(void **state)
{
	struct heard h;
	struct rendezvous *r = make(4, true, &h);
	struct conn *c = join(r, 0, 4);

	assert_int_equal(strncmp(rendezvous_addrs(r), "tcp:", 4), 0);
	assert_string_equal(rendezvous_dir(r), "");
	expect_parent(c, "", 1000);
	conn_destroy(c);
	end(r, &h);
}

static void the_directory_is_private_and_goes(void **state)
{
	struct heard h;
	struct rendezvous *r = make(4, false, &h);
	char dir[256];
	struct stat st;

	snprintf(dir, sizeof(dir), "%s", rendezvous_dir(r));
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	end(r, &h);
	assert_int_equal(stat(dir, &st), -1);
}

static void long_directories_are_passed_over(void **state)
{
	char base[] = "/tmp/dvmdbg-test-XXXXXX", longer[200];
	struct rendezvous *r;
	struct heard h;

	assert_non_null(mkdtemp(base));
	snprintf(longer, sizeof(longer), "%s/%0100d", base, 0);
	assert_int_equal(mkdir(longer, 0700), 0);
	setenv("XDG_RUNTIME_DIR", longer, 1);
	r = make(4, false, &h);
	assert_int_not_equal(strncmp(rendezvous_dir(r), base, strlen(base)), 0);
	end(r, &h);
	setenv("XDG_RUNTIME_DIR", base, 1);
	r = make(4, false, &h);
	assert_int_equal(strncmp(rendezvous_dir(r), base, strlen(base)), 0);
	end(r, &h);
	unsetenv("XDG_RUNTIME_DIR");
	rmdir(longer);
	rmdir(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_rank_becomes_the_link),
		cmocka_unit_test(a_parent_is_named_when_it_is_known),
		cmocka_unit_test(who_waits_too_long_gets_what_is_known),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(an_orphan_becomes_a_link),
		cmocka_unit_test(one_that_goes_too_early_is_reported),
		cmocka_unit_test(the_size_can_come_with_a_join),
		cmocka_unit_test(foreign_bytes_are_dropped),
		cmocka_unit_test(tcp_serves_as_well),
		cmocka_unit_test(the_directory_is_private_and_goes),
		cmocka_unit_test(long_directories_are_passed_over),
	};

	return cmocka_run_group_tests(tests, make_loop, end_loop);
}
