/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/err.h"
#include "common/protocol/msg_list.h"
#include "common/net/internal.h"

static unsigned char secret[AUTH_SECRET] = "the session's secret";

/* A client and a server that can talk. */
struct pair {
	struct conn *client, *server;
};

static struct pair pair_create(const unsigned char *server_secret)
{
	struct pair p;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	p.client = conn_create(fd[0], CONN_CLIENT, secret, NULL);
	p.server = conn_create(fd[1], CONN_SERVER, server_secret, NULL);
	assert_non_null(p.client);
	assert_non_null(p.server);
	return p;
}

static void pair_destroy(struct pair *p)
{
	conn_destroy(p->client);
	conn_destroy(p->server);
}

static void pump(struct pair *p, int turns)
{
	for (int i = 0; i < turns; i++) {
		assert_int_equal(conn_io(p->client, POLLIN | POLLOUT, NULL), 0);
		assert_int_equal(conn_io(p->server, POLLIN | POLLOUT, NULL), 0);
	}
}

static struct pair ready_pair(void)
{
	struct pair p = pair_create(secret);

	pump(&p, 4);
	assert_true(conn_ready(p.client));
	assert_true(conn_ready(p.server));
	return p;
}

static void send_text(struct conn *c, unsigned type, const char *text)
{
	struct buf b = buf_view(text, strlen(text));

	assert_int_equal(conn_send(c, type, &b), 0);
}

static void assert_recv(struct conn *c, unsigned type, const char *text)
{
	struct buf b;
	unsigned t;

	assert_int_equal(conn_recv(c, &t, &b, NULL), 1);
	assert_int_equal(t, type);
	assert_int_equal(buf_left(&b), strlen(text));
	assert_memory_equal(b.data, text, strlen(text));
}

static void assert_nothing(struct conn *c)
{
	struct buf b;
	unsigned t;

	assert_int_equal(conn_recv(c, &t, &b, NULL), 0);
}

static void test_both_ways(void **state)
{
	struct pair p = ready_pair();

	send_text(p.client, MSG_JOIN, "up");
	send_text(p.client, MSG_RESYNC, "");
	send_text(p.server, MSG_PARENT, "down");
	assert_int_equal(conn_send(p.server, MSG_GO, NULL), 0);
	pump(&p, 1);
	assert_recv(p.server, MSG_JOIN, "up");
	assert_recv(p.server, MSG_RESYNC, "");
	assert_nothing(p.server);
	assert_recv(p.client, MSG_PARENT, "down");
	assert_recv(p.client, MSG_GO, "");
	assert_nothing(p.client);
	assert_int_equal(conn_pending(p.client), 0);
	assert_true(conn_bytes_out(p.client) == conn_bytes_in(p.server));
	assert_true(conn_bytes_out(p.server) == conn_bytes_in(p.client));
	assert_true(conn_bytes_out(p.client) ==
		    4 * WIRE_HEADER + AUTH_NONCE + AUTH_PROOF + 2 + 2 * AUTH_TAG);
	pair_destroy(&p);
	conn_destroy(NULL);
}

static void test_descriptor(void **state)
{
	struct pair p = pair_create(secret);

	assert_true(fcntl(conn_fd(p.client), F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(conn_fd(p.client), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(conn_events(p.client), POLLIN | POLLOUT); /* its nonce waits */
	pump(&p, 4);
	assert_int_equal(conn_events(p.client), POLLIN);
	pair_destroy(&p);
	assert_null(conn_create(-1, CONN_CLIENT, secret, NULL));
}

static void test_queued_before_ready(void **state)
{
	struct pair p = pair_create(secret);

	send_text(p.client, MSG_JOIN, "one");
	send_text(p.client, MSG_EVENT, "two");
	send_text(p.server, MSG_PARENT, "three");
	assert_false(conn_ready(p.client));
	assert_true(conn_pending(p.client) >= 2 * WIRE_HEADER + 6);
	assert_nothing(p.server);
	pump(&p, 4);
	send_text(p.client, MSG_REPLY, "four");
	pump(&p, 1);
	assert_recv(p.server, MSG_JOIN, "one");
	assert_recv(p.server, MSG_EVENT, "two");
	assert_recv(p.server, MSG_REPLY, "four");
	assert_nothing(p.server);
	assert_recv(p.client, MSG_PARENT, "three");
	assert_int_equal(conn_pending(p.client), 0);
	pair_destroy(&p);
}

static void test_wrong_secret(void **state)
{
	unsigned char wrong[AUTH_SECRET] = "another secret";
	struct pair p = pair_create(wrong);
	struct err err = { "" };
	int rc = 0;

	send_text(p.client, MSG_JOIN, "for the right one only");
	for (int i = 0; i < 4 && rc == 0; i++) {
		assert_int_equal(conn_io(p.client, POLLIN | POLLOUT, NULL), 0);
		rc = conn_io(p.server, POLLIN | POLLOUT, &err);
	}
	assert_int_equal(rc, -1);
	assert_non_null(strstr(err.text, "does not know the session's secret"));
	assert_false(conn_ready(p.server));
	assert_int_equal(conn_send(p.server, MSG_GO, NULL), -1);
	assert_int_equal(conn_io(p.server, POLLIN, NULL), -1); /* for good */
	/* of the client's bytes only the handshake has left it */
	assert_true(conn_bytes_out(p.client) == 2 * WIRE_HEADER + AUTH_NONCE + AUTH_PROOF);
	conn_destroy(p.server);
	assert_int_equal(conn_io(p.client, POLLIN | POLLHUP, &err), -1);
	assert_string_equal(err.text, "the peer has closed the connection during the handshake");
	assert_nothing(p.client);
	conn_destroy(p.client);
}

/* A connection under test whose other end is a plain descriptor. */
struct bare {
	struct auth_frames frames; /* for the tags of what it sends, once it is ready */
	struct conn *c;
	int fd;
};

static struct bare bare_create(enum conn_role role)
{
	struct bare b;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	b.c = conn_create(fd[0], role, secret, NULL);
	assert_non_null(b.c);
	b.fd = fd[1];
	return b;
}

static void bare_destroy(struct bare *b)
{
	conn_destroy(b->c);
	close(b->fd);
}

static void bare_write(struct bare *b, const void *bytes, size_t len)
{
	assert_int_equal(send(b->fd, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static void bare_frame(struct bare *b, unsigned type, const void *payload, size_t len)
{
	struct buf out = BUF_INIT;

	wire_put(&out, type, payload, len);
	bare_write(b, out.data, out.len);
	buf_clear(&out);
}

/* Reads the nonce that c sent. */
static void bare_nonce(struct bare *b, unsigned char nonce[AUTH_NONCE])
{
	unsigned char frame[WIRE_HEADER + AUTH_NONCE];

	assert_int_equal(conn_io(b->c, POLLOUT, NULL), 0);
	assert_int_equal(recv(b->fd, frame, sizeof(frame), MSG_WAITALL), sizeof(frame));
	memcpy(nonce, frame + WIRE_HEADER, AUTH_NONCE);
}

/* Appends a frame with its tag. */
static void put_tagged(struct bare *b, struct buf *out, unsigned type, const void *payload,
		       size_t len)
{
	unsigned char tag[AUTH_TAG];
	size_t at = out->len;

	wire_put(out, type, payload, len);
	auth_frame_tag(&b->frames, out->data + at, out->len - at, tag);
	buf_put_raw(out, tag, sizeof(tag));
}

/* What a client that knows the secret sends to the server b->c; to be freed. */
static struct buf client_bytes(struct bare *b)
{
	unsigned char own[AUTH_NONCE] = "once", peer[AUTH_NONCE], proof[AUTH_PROOF];
	struct buf out = BUF_INIT;

	bare_nonce(b, peer);
	auth_prove(proof, secret, 'C', own, peer);
	wire_put(&out, WIRE_NONCE, own, sizeof(own));
	wire_put(&out, WIRE_PROOF, proof, sizeof(proof));
	auth_frames_begin(&b->frames, secret, 'C', own, peer);
	return out;
}

static struct bare ready_server(void)
{
	struct bare b = bare_create(CONN_SERVER);
	struct buf out = client_bytes(&b);

	bare_write(&b, out.data, out.len);
	assert_int_equal(conn_io(b.c, POLLIN, NULL), 0);
	assert_true(conn_ready(b.c));
	buf_clear(&out);
	return b;
}

static void check_hostile_early(const void *bytes, size_t len, const char *part)
{
	for (int role = CONN_CLIENT; role <= CONN_SERVER; role++) {
		struct bare b = bare_create((enum conn_role)role);
		struct err err = { "" };
		struct buf payload;
		unsigned type;

		bare_write(&b, bytes, len);
		assert_int_equal(conn_io(b.c, POLLIN, &err), -1);
		if (!strstr(err.text, part))
			fail_msg("\"%s\" not in \"%s\"", part, err.text);
		assert_false(conn_ready(b.c));
		assert_int_equal(conn_recv(b.c, &type, &payload, NULL), -1);
		bare_destroy(&b);
	}
}

static void test_garbage(void **state)
{
	char flood[100000];

	memset(flood, 'D', sizeof(flood));
	check_hostile_early("GET / HTTP/1.1\r\n\r\n", 18, "not those of dvmdbg");
	check_hostile_early("S", 1, "not those of dvmdbg");
	check_hostile_early("\0\0\0\0", 4, "not those of dvmdbg");
	check_hostile_early(flood, sizeof(flood), "not those of dvmdbg");
	check_hostile_early("DVMW\12\0\x64\0\1\1\0\0", 12, "at most 256 are allowed");
	check_hostile_early("DVMW\12\0\x64\0\37\0\0\0abcdefghijklmnopqrstuvwxyz01234", 43,
			    "before its proof"); /* a nonce that is too short */
	check_hostile_early("DVMW\12\0\1\0\0\0\0\0", 12, "type 1 with 0 bytes before its proof");
	check_hostile_early("DVMW\1\0\x64\0\40\0\0\0", 12, "version 1");
}

static void test_second_nonce(void **state)
{
	struct bare b = bare_create(CONN_SERVER);
	char nonce[AUTH_NONCE] = "n";

	bare_frame(&b, WIRE_NONCE, nonce, sizeof(nonce));
	assert_int_equal(conn_io(b.c, POLLIN, NULL), 0);
	bare_frame(&b, WIRE_NONCE, nonce, sizeof(nonce));
	assert_int_equal(conn_io(b.c, POLLIN, NULL), -1);
	bare_destroy(&b);
}

/* Somebody who listens in the server's place gets nothing, and is found out. */
static void test_false_server(void **state)
{
	struct bare b = bare_create(CONN_CLIENT);
	unsigned char nonce[AUTH_NONCE], got[500];
	struct err err = { "" };
	struct buf payload = buf_view("private", 7);

	bare_nonce(&b, nonce);
	assert_int_equal(conn_send(b.c, MSG_JOIN, &payload), 0);
	bare_frame(&b, WIRE_NONCE, nonce, sizeof(nonce)); /* its own one back */
	assert_int_equal(conn_io(b.c, POLLIN, NULL), 0);
	assert_int_equal(recv(b.fd, got, sizeof(got), MSG_DONTWAIT), WIRE_HEADER + AUTH_PROOF);
	bare_write(&b, got, WIRE_HEADER + AUTH_PROOF); /* and its proof */
	assert_int_equal(conn_io(b.c, POLLIN, &err), -1);
	assert_non_null(strstr(err.text, "does not know the session's secret"));
	assert_int_equal(recv(b.fd, got, sizeof(got), MSG_DONTWAIT), -1);
	bare_destroy(&b);
}

static void test_byte_by_byte(void **state)
{
	struct bare b = bare_create(CONN_SERVER);
	struct buf out = client_bytes(&b);
	unsigned messages = 0;

	put_tagged(&b, &out, MSG_JOIN, "first", 5);
	put_tagged(&b, &out, MSG_EVENT, NULL, 0);
	put_tagged(&b, &out, MSG_EVENT, "third", 5);
	for (size_t i = 0; i < out.len; i++) {
		struct buf payload;
		unsigned type;
		int rc;

		bare_write(&b, out.data + i, 1);
		assert_int_equal(conn_io(b.c, POLLIN, NULL), 0);
		rc = conn_recv(b.c, &type, &payload, NULL);
		assert_true(rc >= 0);
		if (rc == 0)
			continue;
		assert_int_equal(type, messages ? MSG_EVENT : MSG_JOIN);
		assert_int_equal(buf_left(&payload), messages == 1 ? 0 : 5);
		messages++;
	}
	assert_int_equal(messages, 3);
	assert_true(conn_bytes_in(b.c) == out.len);
	buf_clear(&out);
	bare_destroy(&b);
}

static void check_hostile_late(const void *bytes, size_t len, const char *part)
{
	struct bare b = ready_server();
	struct err err = { "" };
	struct buf payload, good = BUF_INIT;
	unsigned type;

	put_tagged(&b, &good, MSG_JOIN, "good", 4);
	bare_write(&b, good.data, good.len);
	buf_clear(&good);
	bare_write(&b, bytes, len);
	assert_int_equal(conn_io(b.c, POLLIN, NULL), 0);
	assert_recv(b.c, MSG_JOIN, "good");
	assert_int_equal(conn_recv(b.c, &type, &payload, &err), -1);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" not in \"%s\"", part, err.text);
	assert_int_equal(conn_io(b.c, POLLIN, NULL), -1);
	assert_int_equal(conn_recv(b.c, &type, &payload, NULL), -1);
	assert_int_equal(conn_send(b.c, MSG_GO, NULL), -1);
	assert_false(conn_ready(b.c));
	bare_destroy(&b);
}

static void test_hostile_after_the_proof(void **state)
{
	char nonce[WIRE_HEADER + AUTH_NONCE] = "DVMW\12\0\x64\0\40\0\0";

	check_hostile_late("garbage", 7, "not those of dvmdbg");
	check_hostile_late("DVMW\12\0\1\0\1\0\0\20", 12, "at most 268435456 are allowed");
	check_hostile_late("DVMW\12\0\143\0\0\0\0\0", 12, "type 99");
	check_hostile_late(nonce, sizeof(nonce), "began the handshake again");
}

/* Frames on their way: changed, sent again, left out, turned round, from another connection. */
static void test_frames_on_their_way(void **state)
{
	enum { CHANGED = 1000, AGAIN = 2000, LEFT_OUT, ANOTHER, BACK };
	const size_t one = WIRE_HEADER + 5 + AUTH_TAG;
	const int cases[] = { AGAIN, LEFT_OUT, ANOTHER, BACK };

	for (size_t k = 0; k < one + 4; k++) {
		int how = k < one ? CHANGED : cases[k - one];
		struct bare b = ready_server(), other = ready_server();
		struct buf out = BUF_INIT, payload;
		struct err err = { "" };
		unsigned type;
		int rc;

		put_tagged(how == ANOTHER ? &other : &b, &out, MSG_JOIN, "first", 5);
		put_tagged(&b, &out, MSG_EVENT, "other", 5);
		if (how == CHANGED)
			out.data[k] ^= 4;
		if (how == BACK) {
			/* what it has sent itself */
			assert_int_equal(conn_send(b.c, MSG_JOIN, NULL), 0);
			/* nonce and proof went before */
			assert_int_equal(recv(b.fd, out.data, WIRE_HEADER + AUTH_PROOF, 0),
					 WIRE_HEADER + AUTH_PROOF);
			out.len = (size_t)recv(b.fd, out.data, one, 0);
			assert_int_equal(out.len, WIRE_HEADER + AUTH_TAG);
		}
		if (how == AGAIN)
			memcpy(out.data + one, out.data, one);
		bare_write(&b, how == LEFT_OUT ? out.data + one : out.data,
			   how == LEFT_OUT ? out.len - one : out.len);
		assert_int_equal(conn_io(b.c, POLLIN, NULL), 0);
		rc = conn_recv(b.c, &type, &payload, &err);
		if (how == AGAIN) {
			assert_int_equal(rc, 1);
			rc = conn_recv(b.c, &type, &payload, &err);
		}
		/* a length that has grown waits for more */
		if (rc != 0 || k < 8 || k >= WIRE_HEADER)
			assert_int_equal(rc, -1);
		if (k >= WIRE_HEADER && !strstr(err.text, "not as the peer has sent it"))
			fail_msg("case %zu: %s", k, err.text);
		buf_clear(&out);
		bare_destroy(&b);
		bare_destroy(&other);
	}
}

static void test_big_message(void **state)
{
	enum { BYTES = 20 << 20 };
	struct pair p = ready_pair();
	struct buf out = BUF_INIT, in;
	unsigned type;
	int rc = 0;

	for (uint32_t i = 0; i < BYTES / 4; i++)
		buf_put_u32(&out, i * 2654435761u);
	assert_int_equal(conn_send(p.client, MSG_REPLY, &out), 0);
	send_text(p.client, MSG_EVENT, "behind it");
	assert_true(conn_pending(p.client) > BYTES / 2); /* the socket cannot hold it */
	assert_int_equal(conn_events(p.client), POLLIN | POLLOUT);
	for (int i = 0; i < 100000 && rc == 0; i++) {
		pump(&p, 1);
		rc = conn_recv(p.server, &type, &in, NULL);
	}
	assert_int_equal(rc, 1);
	assert_int_equal(type, MSG_REPLY);
	assert_int_equal(in.len, out.len);
	assert_memory_equal(in.data, out.data, out.len);
	pump(&p, 2);
	assert_recv(p.server, MSG_EVENT, "behind it");
	assert_int_equal(conn_pending(p.client), 0);
	buf_clear(&out);
	pair_destroy(&p);
}

static void test_many_messages(void **state)
{
	enum { MESSAGES = 50000 };
	struct pair p = ready_pair();
	uint32_t next = 0, sent = 0;

	while (next < MESSAGES) {
		struct buf in;
		unsigned type;

		for (int i = 0; i < 700 && sent < MESSAGES; i++, sent++) {
			struct buf out = BUF_INIT;

			buf_put_u32(&out, sent);
			assert_int_equal(conn_send(p.server, MSG_QUERY, &out), 0);
			buf_clear(&out);
		}
		pump(&p, 1);
		while (conn_recv(p.client, &type, &in, NULL) == 1)
			assert_int_equal(buf_get_u32(&in), next++);
	}
	assert_nothing(p.client);
	pair_destroy(&p);
}

static void test_what_cannot_be_sent(void **state)
{
	struct pair p = ready_pair();
	struct buf big = buf_view("x", (size_t)WIRE_MAX + 1);
	struct buf bad = { .bad = true };

	assert_int_equal(conn_send(p.client, MSG_REPLY, &big), -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(conn_send(p.client, MSG_REPLY, &bad), -1);
	/* the connection is as it was */
	send_text(p.client, MSG_JOIN, "still there");
	pump(&p, 1);
	assert_recv(p.server, MSG_JOIN, "still there");
	pair_destroy(&p);
}

static void test_peer_gone(void **state)
{
	struct pair p = ready_pair();
	struct buf out = BUF_INIT, in;
	struct err err = { "" };
	unsigned type;
	int rc = 0;

	send_text(p.client, MSG_EVENT, "last words");
	conn_destroy(p.client);
	/* failing to send loses nothing of what was received */
	assert_int_equal(conn_send(p.server, MSG_GO, NULL), -1);
	assert_int_equal(conn_send(p.server, MSG_GO, NULL), -1);
	assert_int_equal(conn_events(p.server), POLLIN);
	assert_int_equal(conn_io(p.server, POLLIN | POLLHUP, &err), -1);
	assert_string_equal(err.text, "the peer has closed the connection");
	assert_recv(p.server, MSG_EVENT, "last words");
	assert_nothing(p.server);
	conn_destroy(p.server);

	/* a message that was cut off never appears */
	p = ready_pair();
	for (int i = 0; i < 1 << 20; i++)
		buf_put_u32(&out, 7);
	assert_int_equal(conn_send(p.client, MSG_REPLY, &out), 0);
	conn_destroy(p.client);
	while (rc == 0)
		rc = conn_io(p.server, POLLIN | POLLHUP, NULL);
	assert_int_equal(conn_recv(p.server, &type, &in, NULL), 0);
	conn_destroy(p.server);
	buf_clear(&out);
}

static void test_flush(void **state)
{
	struct pair p = ready_pair();
	struct buf out = BUF_INIT;

	assert_int_equal(conn_flush(p.client, 0), 0); /* nothing waits */
	for (int i = 0; i < 1 << 20; i++)
		buf_put_u32(&out, 7);
	assert_int_equal(conn_send(p.client, MSG_REPLY, &out), 0);
	errno = 0;
	assert_int_equal(conn_flush(p.client, 30), -1); /* nobody reads */
	assert_int_equal(errno, ETIMEDOUT);
	assert_true(conn_pending(p.client) > 0);
	conn_destroy(p.server);
	assert_int_equal(conn_flush(p.client, 1000), -1); /* and now nobody will */
	conn_destroy(p.client);
	buf_clear(&out);
}

/* Flushing goes on with the handshake that the messages wait for. */
static void test_flush_before_ready(void **state)
{
	struct pair p = pair_create(secret);
	int rc = -1;

	send_text(p.client, MSG_JOIN, "early");
	for (int i = 0; i < 10 && rc < 0; i++) {
		rc = conn_flush(p.client, 10);
		assert_int_equal(conn_io(p.server, POLLIN | POLLOUT, NULL), 0);
	}
	assert_int_equal(rc, 0);
	assert_recv(p.server, MSG_JOIN, "early");
	pair_destroy(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_descriptor),
		cmocka_unit_test(test_queued_before_ready),
		cmocka_unit_test(test_wrong_secret),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_second_nonce),
		cmocka_unit_test(test_false_server),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_hostile_after_the_proof),
		cmocka_unit_test(test_frames_on_their_way),
		cmocka_unit_test(test_big_message),
		cmocka_unit_test(test_many_messages),
		cmocka_unit_test(test_what_cannot_be_sent),
		cmocka_unit_test(test_peer_gone),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_flush_before_ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
