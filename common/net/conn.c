/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handshake: both send a nonce at once; the client proves the secret first, the server answers
 * with its own proof. Each side keeps its messages back until the other's proof is there.
 */
#include "common/net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/memory.h"
#include "common/net/internal.h"

#define READ_CHUNK 65536u
#define READ_TURN (1u << 20)   /* bytes read in one turn, so that no peer keeps others waiting */
#define KEEP_MEMORY (1u << 20) /* a buffer that grew beyond is freed when it has become empty */

enum conn_state { CONN_WANT_NONCE, CONN_WANT_PROOF, CONN_READY };

struct conn {
	int fd;
	enum conn_role role;
	enum conn_state state;
	bool broken;  /* nothing can be sent any more */
	bool hostile; /* nothing the peer sent is believed any more */
	struct buf in, out;
	struct buf late; /* messages that wait for the peer's proof */
	unsigned char secret[AUTH_SECRET];
	unsigned char own[AUTH_NONCE], peer[AUTH_NONCE];
	struct auth_frames sent, got; /* for the tags of frames, when CONN_READY */
	uint64_t bytes_in, bytes_out;
};

/* Moves what is left to read to the front when that is worth it. */
static void compact(struct buf *b)
{
	size_t left = b->len - b->pos;

	if (left == 0 && b->cap > KEEP_MEMORY) {
		buf_clear(b);
	} else if (left == 0) {
		b->len = b->pos = 0;
	} else if (b->pos >= left && b->pos >= READ_CHUNK) {
		memmove(b->data, b->data + b->pos, left);
		b->len = left;
		b->pos = 0;
	}
}

struct conn *conn_create(int fd, enum conn_role role, const unsigned char secret[AUTH_SECRET],
			 struct err *err)
{
	struct conn *c = NULL;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
		err_set(err, "not a usable descriptor: %s", strerror(errno));
		goto fail;
	}
	if (auth_init(err) < 0)
		goto fail;
	c = memory_got(calloc(1, sizeof(*c)));
	if (!c) {
		err_set(err, "out of memory");
		goto fail;
	}
	c->fd = fd;
	c->role = role;
	memcpy(c->secret, secret, AUTH_SECRET);
	auth_random(c->own, AUTH_NONCE);
	wire_put(&c->out, WIRE_NONCE, c->own, AUTH_NONCE);
	if (c->out.bad) {
		err_set(err, "out of memory");
		conn_destroy(c);
		return NULL;
	}
	return c;

fail:
	if (fd >= 0)
		close(fd);
	return NULL;
}

void conn_destroy(struct conn *c)
{
	if (!c)
		return;
	close(c->fd);
	buf_clear(&c->in);
	buf_clear(&c->out);
	buf_clear(&c->late);
	explicit_bzero(c->secret, sizeof(c->secret));
	explicit_bzero(&c->sent, sizeof(c->sent));
	explicit_bzero(&c->got, sizeof(c->got));
	free(c);
}

int conn_fd(const struct conn *c)
{
	return c->fd;
}

short conn_events(const struct conn *c)
{
	return (short)(POLLIN | (!c->broken && buf_left(&c->out) ? POLLOUT : 0));
}

bool conn_ready(const struct conn *c)
{
	return c->state == CONN_READY && !c->hostile;
}

uint64_t conn_bytes_in(const struct conn *c)
{
	return c->bytes_in;
}

uint64_t conn_bytes_out(const struct conn *c)
{
	return c->bytes_out;
}

size_t conn_pending(const struct conn *c)
{
	return buf_left(&c->out) + buf_left(&c->late);
}

/* Sends what the socket takes. */
static int conn_write(struct conn *c, struct err *err)
{
	if (c->out.bad || c->late.bad) {
		c->broken = true;
		return err_set(err, "out of memory");
	}
	if (c->broken)
		return err_set(err, "the connection is broken");
	while (buf_left(&c->out) > 0) {
		ssize_t n = send(c->fd, c->out.data + c->out.pos, buf_left(&c->out), MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n < 0) {
			c->broken = true;
			return err_set(err, "cannot send: %s", strerror(errno));
		}
		c->out.pos += (size_t)n;
		c->bytes_out += (uint64_t)n;
	}
	compact(&c->out);
	return 0;
}

/* Reads what has arrived, at most about a turn's worth. -1 at the end or when reading fails. */
static int conn_read(struct conn *c, struct err *err)
{
	size_t got = 0, most = READ_TURN;

	if (c->state != CONN_READY)
		most = 1; /* one chunk, looked at before a stranger may send more */
	else if (c->broken)
		most = WIRE_MAX; /* nothing can be sent any more: this is the last turn */
	compact(&c->in);
	while (got < most) {
		size_t had = c->in.len;
		unsigned char *to = buf_put_room(&c->in, READ_CHUNK);
		ssize_t n = to ? recv(c->fd, to, READ_CHUNK, 0) : 0;

		if (!to) {
			c->broken = true;
			return err_set(err, "out of memory");
		}
		c->in.len = had + (n > 0 ? (size_t)n : 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n <= 0) {
			const char *when = c->state == CONN_READY ? "" : " during the handshake";

			c->broken = true;
			return err_set(err, "the peer has closed the connection%s%s%s", when,
				       n ? ": " : "", n ? strerror(errno) : "");
		}
		got += (size_t)n;
		c->bytes_in += (uint64_t)n;
	}
	return 0;
}

static void prove(const struct conn *c, unsigned char proof[AUTH_PROOF])
{
	if (c->role == CONN_CLIENT)
		auth_prove(proof, c->secret, 'C', c->own, c->peer);
	else
		auth_prove(proof, c->secret, 'S', c->peer, c->own);
}

static int check(const struct conn *c, const unsigned char proof[AUTH_PROOF])
{
	if (c->role == CONN_CLIENT)
		return auth_check(proof, c->secret, 'S', c->own, c->peer);
	return auth_check(proof, c->secret, 'C', c->peer, c->own);
}

static void send_proof(struct conn *c)
{
	unsigned char proof[AUTH_PROOF];

	prove(c, proof);
	wire_put(&c->out, WIRE_PROOF, proof, sizeof(proof));
}

static void put_tagged(struct conn *c, unsigned type, const void *payload, size_t len)
{
	size_t at = c->out.len;
	unsigned char tag[AUTH_TAG];

	wire_put(&c->out, type, payload, len);
	if (c->out.bad)
		return;
	auth_frame_tag(&c->sent, c->out.data + at, c->out.len - at, tag);
	buf_put_raw(&c->out, tag, sizeof(tag));
}

/* Both have proved the secret: from here on each frame has a tag, also those that have waited. */
static void become_ready(struct conn *c)
{
	bool client = c->role == CONN_CLIENT;
	const unsigned char *cn = client ? c->own : c->peer, *sn = client ? c->peer : c->own;
	const void *payload;
	unsigned type;
	size_t len;

	auth_frames_begin(&c->sent, c->secret, client ? 'C' : 'S', cn, sn);
	auth_frames_begin(&c->got, c->secret, client ? 'S' : 'C', cn, sn);
	c->state = CONN_READY;
	c->out.bad |= c->late.bad;
	while (!c->out.bad && wire_get(&c->late, WIRE_MAX, &type, &payload, &len, NULL) > 0)
		put_tagged(c, type, payload, len);
	buf_clear(&c->late);
}

/* Takes one frame of the handshake. */
static int take_early(struct conn *c, unsigned type, const void *payload, size_t len,
		      struct err *err)
{
	if (c->state == CONN_WANT_NONCE && type == WIRE_NONCE && len == AUTH_NONCE) {
		memcpy(c->peer, payload, AUTH_NONCE);
		c->state = CONN_WANT_PROOF;
		if (c->role == CONN_CLIENT)
			send_proof(c);
		return 0;
	}
	if (c->state == CONN_WANT_PROOF && type == WIRE_PROOF && len == AUTH_PROOF) {
		if (check(c, payload) < 0)
			return err_set(err, "the peer does not know the session's secret");
		if (c->role == CONN_SERVER)
			send_proof(c);
		become_ready(c);
		return 0;
	}
	return err_set(err, "the peer sent a frame of type %u with %zu bytes before its proof",
		       type, len);
}

/* Goes on with the handshake as far as the bytes go. */
static int conn_handshake(struct conn *c, struct err *err)
{
	while (c->state != CONN_READY) {
		const void *payload;
		unsigned type;
		size_t len;
		int rc = wire_get(&c->in, WIRE_MAX_EARLY, &type, &payload, &len, err);

		if (rc == 0)
			return 0;
		if (rc < 0 || take_early(c, type, payload, len, err) < 0) {
			c->hostile = true;
			c->broken = true;
			return -1;
		}
	}
	return 0;
}

int conn_io(struct conn *c, short revents, struct err *err)
{
	int rc = 0;

	if (c->hostile)
		return err_set(err, "the peer sent bytes that are not valid");
	if (revents & (POLLIN | POLLHUP | POLLERR))
		rc = conn_read(c, err);
	/* also after the end of the stream: the error of what it sent says more than that it left
	 */
	if (conn_handshake(c, err) < 0)
		rc = -1;
	if (rc == 0)
		rc = conn_write(c, err);
	return rc;
}

int conn_send(struct conn *c, unsigned type, const struct buf *payload)
{
	const void *data = payload ? payload->data : NULL;
	size_t len = payload ? payload->len : 0;

	if (c->broken) {
		errno = EPIPE;
		return -1;
	}
	if (payload && payload->bad) {
		errno = ENOMEM;
		return -1;
	}
	if (len > WIRE_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	if (c->state == CONN_READY)
		put_tagged(c, type, data, len);
	else
		wire_put(&c->late, type, data, len);
	return conn_write(c, NULL);
}

/* The frame from `at` up to here: 1 its tag is right; 0 not all of the tag is there; -1 it is
 * wrong. */
static int take_tag(struct conn *c, size_t at, struct err *err)
{
	const unsigned char *tag;
	size_t end = c->in.pos;

	if (buf_left(&c->in) < AUTH_TAG) {
		c->in.pos = at;
		return 0;
	}
	tag = buf_get_raw(&c->in, AUTH_TAG);
	if (auth_frame_check(&c->got, c->in.data + at, end - at, tag))
		return err_set(err, "a frame is not as the peer has sent it");
	return 1;
}

int conn_recv(struct conn *c, unsigned *type, struct buf *payload, struct err *err)
{
	const void *data;
	size_t len, at = c->in.pos;
	int rc;

	if (c->hostile)
		return err_set(err, "the peer sent bytes that are not valid");
	if (c->state != CONN_READY)
		return 0;
	rc = wire_get(&c->in, WIRE_MAX, type, &data, &len, err);
	if (rc > 0 && (*type == WIRE_NONCE || *type == WIRE_PROOF))
		rc = err_set(err, "the peer began the handshake again");
	if (rc > 0)
		rc = take_tag(c, at, err);
	if (rc < 0) {
		c->hostile = true;
		c->broken = true;
	}
	if (rc > 0)
		*payload = buf_view(data, len);
	return rc;
}

int conn_flush(struct conn *c, int timeout_ms)
{
	struct timespec t;
	int64_t deadline, now;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	deadline = now + timeout_ms;
	if (conn_write(c, NULL) < 0)
		return -1;
	while (conn_pending(c) > 0) {
		struct pollfd p = { .fd = c->fd, .events = conn_events(c) };
		int n = now < deadline ? poll(&p, 1, (int)(deadline - now)) : 0;

		if (n == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0 && conn_io(c, p.revents, NULL) < 0)
			return -1;
		clock_gettime(CLOCK_MONOTONIC, &t);
		now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	}
	return 0;
}
