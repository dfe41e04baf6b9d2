/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/conn.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "common/wire.h"

#define READ_CHUNK 65536
/* Compact the input when this much of it has been read. */
#define COMPACT (1u << 20)

/* Frames of the proof, below every message number. The client speaks first. */
enum {
	PROOF_HELLO = 0xff01, /* client: its nonce */
	PROOF_SERVER = 0xff02, /* server: its nonce, its proof */
	PROOF_CLIENT = 0xff03, /* client: its proof */
};

struct conn {
	int fd;
	enum conn_role role;
	bool ready, broken;
	unsigned char secret[AUTH_SECRET];
	unsigned char client_nonce[AUTH_NONCE], server_nonce[AUTH_NONCE];
	struct buf in;	/* read from pos */
	struct buf out; /* sent from pos */
	struct buf held; /* messages queued before the proof is through */
	uint64_t bytes_in, bytes_out;
};

struct conn *conn_create(int fd, enum conn_role role, const unsigned char secret[AUTH_SECRET],
			 struct err *err)
{
	struct conn *c = calloc(1, sizeof(*c));
	if (!c) {
		close(fd);
		err_set(err, "out of memory");
		return NULL;
	}
	c->fd = fd;
	c->role = role;
	memcpy(c->secret, secret, AUTH_SECRET);
	if (role == CONN_CLIENT) {
		auth_random(c->client_nonce, AUTH_NONCE);
		wire_put(&c->out, PROOF_HELLO, c->client_nonce, AUTH_NONCE);
	}
	return c;
}

void conn_destroy(struct conn *c)
{
	if (!c)
		return;
	close(c->fd);
	buf_clear(&c->in);
	buf_clear(&c->out);
	buf_clear(&c->held);
	explicit_bzero(c->secret, sizeof(c->secret));
	free(c);
}

int conn_fd(const struct conn *c)
{
	return c->fd;
}

bool conn_ready(const struct conn *c)
{
	return c->ready;
}

size_t conn_pending(const struct conn *c)
{
	return c->out.len - c->out.pos + c->held.len;
}

short conn_events(const struct conn *c)
{
	return (short)(POLLIN | (c->out.len > c->out.pos ? POLLOUT : 0));
}

uint64_t conn_bytes_in(const struct conn *c)
{
	return c->bytes_in;
}

uint64_t conn_bytes_out(const struct conn *c)
{
	return c->bytes_out;
}

/* Sends what the socket takes now. */
static int push(struct conn *c)
{
	while (!c->broken && c->out.len > c->out.pos) {
		ssize_t n = send(c->fd, c->out.data + c->out.pos, c->out.len - c->out.pos,
				 MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n < 0) {
			c->broken = true;
			return -1;
		}
		c->out.pos += (size_t)n;
		c->bytes_out += (uint64_t)n;
	}
	if (c->out.pos == c->out.len) {
		buf_reset(&c->out);
	} else if (c->out.pos > COMPACT && c->out.pos > c->out.len / 2) {
		memmove(c->out.data, c->out.data + c->out.pos, c->out.len - c->out.pos);
		c->out.len -= c->out.pos;
		c->out.pos = 0;
	}
	return c->broken || c->out.bad ? -1 : 0;
}

/* The proof is through: what was held goes out. */
static void become_ready(struct conn *c)
{
	c->ready = true;
	buf_put_raw(&c->out, c->held.data, c->held.len);
	buf_clear(&c->held);
}

static int prove(struct conn *c, unsigned type, const unsigned char *p, size_t len, struct err *err)
{
	unsigned char both[AUTH_NONCE + AUTH_PROOF];
	if (c->role == CONN_SERVER && type == PROOF_HELLO && len == AUTH_NONCE) {
		memcpy(c->client_nonce, p, AUTH_NONCE);
		auth_random(c->server_nonce, AUTH_NONCE);
		memcpy(both, c->server_nonce, AUTH_NONCE);
		auth_prove(both + AUTH_NONCE, c->secret, 'S', c->client_nonce, c->server_nonce);
		wire_put(&c->out, PROOF_SERVER, both, sizeof(both));
		return 0;
	}
	if (c->role == CONN_CLIENT && type == PROOF_SERVER && len == sizeof(both)) {
		memcpy(c->server_nonce, p, AUTH_NONCE);
		if (auth_check(p + AUTH_NONCE, c->secret, 'S', c->client_nonce, c->server_nonce))
			return err_set(err, "the peer does not know the session's secret");
		auth_prove(both, c->secret, 'C', c->client_nonce, c->server_nonce);
		wire_put(&c->out, PROOF_CLIENT, both, AUTH_PROOF);
		become_ready(c);
		return 0;
	}
	if (c->role == CONN_SERVER && type == PROOF_CLIENT && len == AUTH_PROOF) {
		static const unsigned char none[AUTH_NONCE];
		if (memcmp(c->server_nonce, none, AUTH_NONCE) == 0 ||
		    auth_check(p, c->secret, 'C', c->client_nonce, c->server_nonce))
			return err_set(err, "the peer does not know the session's secret");
		become_ready(c);
		return 0;
	}
	return err_set(err, "the peer speaks before it has proved the session's secret");
}

/* Takes proof frames from the input until the connection is ready. */
static int handshake(struct conn *c, struct err *err)
{
	while (!c->ready) {
		unsigned type;
		const void *p;
		size_t len;
		int got = wire_get(&c->in, WIRE_MAX_EARLY, &type, &p, &len, err);
		if (got == 0)
			return 0;
		if (got < 0 || prove(c, type, p, len, err) < 0) {
			c->broken = true;
			return -1;
		}
	}
	return 0;
}

/* Reads what has come; a bound keeps one busy peer from starving the others. */
static int pull(struct conn *c, struct err *err)
{
	unsigned char chunk[READ_CHUNK];
	if (c->in.pos > 0 && (c->in.pos == c->in.len || c->in.pos > COMPACT)) {
		memmove(c->in.data, c->in.data + c->in.pos, c->in.len - c->in.pos);
		c->in.len -= c->in.pos;
		c->in.pos = 0;
	}
	for (int turn = 0; turn < 64; turn++) {
		ssize_t n = recv(c->fd, chunk, sizeof(chunk), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n <= 0) {
			c->broken = true;
			return err_set(err, "the connection has ended%s%s", n < 0 ? ": " : "",
				       n < 0 ? strerror(errno) : "");
		}
		buf_put_raw(&c->in, chunk, (size_t)n);
		c->bytes_in += (uint64_t)n;
		if (c->in.bad)
			return err_set(err, "out of memory");
		if (!c->ready && c->in.len - c->in.pos > 4 * WIRE_MAX_EARLY)
			return 0;
		if ((size_t)n < sizeof(chunk))
			return 0;
	}
	return 0;
}

int conn_io(struct conn *c, short revents, struct err *err)
{
	int rc = 0;
	if (c->broken)
		return err_set(err, "the connection is broken");
	if (revents & (POLLIN | POLLHUP | POLLERR))
		rc = pull(c, err);
	if (!c->ready && handshake(c, err) < 0)
		rc = -1;
	if (push(c) < 0) {
		if (rc == 0)
			err_set(err, "the connection has ended: %s", strerror(errno));
		rc = -1;
	}
	if (rc < 0)
		c->broken = true;
	return rc;
}

int conn_send(struct conn *c, unsigned type, const struct buf *payload)
{
	static const struct buf nothing = BUF_INIT;
	const struct buf *p = payload ? payload : &nothing;
	if (c->broken || p->bad)
		return -1;
	wire_put(c->ready ? &c->out : &c->held, type, p->data, p->len);
	return push(c);
}

int conn_recv(struct conn *c, unsigned *type, struct buf *payload, struct err *err)
{
	const void *p;
	size_t len;
	if (!c->ready)
		return 0;
	int got = wire_get(&c->in, WIRE_MAX, type, &p, &len, err);
	if (got < 0)
		c->broken = true;
	if (got > 0)
		*payload = buf_view(p, len);
	return got;
}

int conn_flush(struct conn *c, int timeout_ms)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t end = now.tv_sec * 1000LL + now.tv_nsec / 1000000 + timeout_ms;
	while (!c->broken && conn_pending(c) > 0) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		int64_t left = end - (now.tv_sec * 1000LL + now.tv_nsec / 1000000);
		struct pollfd p = { .fd = c->fd, .events = conn_events(c) };
		if (left <= 0)
			return -1;
		if (poll(&p, 1, (int)left) > 0)
			conn_io(c, p.revents, NULL);
	}
	return c->broken ? -1 : 0;
}
