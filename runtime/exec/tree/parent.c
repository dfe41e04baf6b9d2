/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/internal.h"

#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "common/protocol/msg.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/link.h"

#define CONNECT_MS 1000
#define JOIN_MS 5000 /* the first connection: thousands may come at once */
#define JOIN_TRIES 4
#define RETRY_MS 100
#define RETRIES 5     /* links that break at once, one after another */
#define SHORT_MS 1000 /* at once */

enum state {
	JOINING, /* connected to the rendezvous, PARENT is to come */
	ATTACHED,
	RETRYING, /* there is no link; at retry_at something is tried */
	CLOSED,
};

struct parent {
	struct parent_spec spec;
	char *listen;
	enum state state;
	struct conn *conn;
	unsigned serial; /* of the connection */
	int64_t since;	 /* when it was made */
	int64_t retry_at;
	unsigned retries; /* links in a row that have broken at once */
	bool was_attached;
	char *ancestor[MSG_ADDRS];
	uint32_t nancestor;
	uint32_t next; /* ancestor to try */
	uint32_t via;  /* ancestor we are attached to; nancestor: the front end */
};

void link_keepalive(int fd)
{
	int on = 1, idle = 20, every = 10, count = 3;

	/* not TCP: these fail, and nothing is lost */
	if (setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)))
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

static void drop(struct parent *p)
{
	conn_destroy(p->conn);
	p->conn = NULL;
	p->serial++;
}

static int open_conn(struct parent *p, const char *addr, int timeout_ms, struct err *err)
{
	int fd = addr_connect(addr, timeout_ms, err);

	if (fd < 0)
		return -1;
	link_keepalive(fd);
	drop(p);
	p->conn = conn_create(fd, CONN_CLIENT, p->spec.secret, err);
	p->since = clock_msec();
	return p->conn ? 0 : -1;
}

struct parent *parent_create(const struct parent_spec *spec, struct err *err)
{
	struct parent *p = calloc(1, sizeof(*p));

	if (!p) {
		err_set(err, "out of memory");
		return NULL;
	}
	p->spec = *spec;
	for (int i = 0; open_conn(p, spec->rendezvous, JOIN_MS, err); i++) {
		if (i + 1 == JOIN_TRIES) {
			parent_destroy(p);
			return NULL;
		}
		usleep(RETRY_MS * 1000);
	}
	return p;
}

static void ancestors_clear(struct parent *p)
{
	for (uint32_t i = 0; i < p->nancestor; i++)
		free(p->ancestor[i]);
	p->nancestor = p->next = 0;
}

void parent_destroy(struct parent *p)
{
	if (!p)
		return;
	drop(p);
	ancestors_clear(p);
	free(p->listen);
	free(p);
}

static int send_join(struct parent *p)
{
	char host[256] = "";
	struct buf b = BUF_INIT;
	struct msg_join m = {
		.rank = p->spec.rank,
		.size = p->spec.size,
		.pid = (uint32_t)getpid(),
		.version = PACKAGE_VERSION,
		.host = host,
		.listen = p->listen,
		.orphan = p->was_attached,
		.subtree = *p->spec.subtree, /* borrowed */
	};
	int ret;

	gethostname(host, sizeof(host) - 1);
	msg_join_put(&m, &b);
	ret = b.bad ? -1 : conn_send(p->conn, MSG_JOIN, &b);
	buf_clear(&b);
	p->state = JOINING;
	return ret;
}

int parent_join(struct parent *p, const char *listen, struct err *err)
{
	p->listen = strdup(listen);
	if (!p->listen)
		return err_set(err, "out of memory");
	errno = 0;
	if (send_join(p))
		return err_set(err, errno == ENOMEM ? "out of memory"
						    : "the front end has closed the connection");
	return 0;
}

bool parent_is_up(const struct parent *p)
{
	return p->state == ATTACHED && p->conn;
}

static void retry(struct parent *p, int64_t at)
{
	drop(p);
	p->state = RETRYING;
	p->retry_at = at;
}

/* The link is gone. Where to go next depends on whether it was any good. */
static void broken(struct parent *p, const char *why)
{
	int64_t now = clock_msec();
	bool good = p->conn && conn_ready(p->conn) && now - p->since >= SHORT_MS;

	if (p->state == CLOSED)
		return;
	log_debug("tree", "the link up is gone: %s", why);
	if (good)
		p->retries = 0;
	else
		p->retries++;
	p->next = p->state == ATTACHED && !good ? p->via + 1 : 0;
	retry(p, good ? now : now + RETRY_MS * p->retries);
}

int parent_send(struct parent *p, unsigned type, const struct buf *payload)
{
	if (!parent_is_up(p))
		return -1;
	if (conn_send(p->conn, type, payload) == 0) {
		if (conn_pending(p->conn) <= LINK_QUEUE)
			return 0;
	} else if (errno == EMSGSIZE) {
		log_debug("tree", "%s with %zu bytes is too large", msg_name(type), payload->len);
		return -1;
	}
	broken(p, "cannot send");
	return -1;
}

void parent_again(struct parent *p, const char *why)
{
	if (p->conn)
		broken(p, why);
}

int parent_announce(struct parent *p)
{
	struct msg_attach m = { .rank = p->spec.rank, .subtree = *p->spec.subtree };
	struct buf b = BUF_INIT;
	int rc;

	msg_attach_put(&m, &b);
	rc = b.bad ? -1 : parent_send(p, MSG_ATTACH, &b);
	buf_clear(&b);
	return rc;
}

static void attached(struct parent *p, uint32_t via)
{
	bool again = p->was_attached;

	p->state = ATTACHED;
	p->via = via;
	p->was_attached = true;
	log_debug("tree", "attached to %s",
		  via < p->nancestor ? p->ancestor[via] : "the front end");
	/* the front end knows us by JOIN */
	if (via < p->nancestor && parent_announce(p) && parent_is_up(p))
		broken(p, "out of memory");
	if (parent_is_up(p))
		p->spec.ops->attached(p->spec.arg, again);
}

static void abandon(struct parent *p)
{
	parent_close(p);
	p->spec.ops->abandoned(p->spec.arg);
}

/* Tries the ancestors that are left, then the front end. */
static void reconnect(struct parent *p)
{
	struct err err;

	while (p->next < p->nancestor) {
		uint32_t i = p->next++;

		if (open_conn(p, p->ancestor[i], CONNECT_MS, &err) == 0) {
			attached(p, i);
			return;
		}
		log_debug("tree", "%s: %s", p->ancestor[i], err.text);
	}
	errno = 0;
	if (p->retries <= RETRIES && open_conn(p, p->spec.rendezvous, CONNECT_MS, &err)) {
		if (errno == ENOMEM) {
			broken(p, "out of memory");
			return;
		}
		p->retries = RETRIES + 1;
	}
	if (p->retries > RETRIES) {
		abandon(p);
		return;
	}
	if (send_join(p))
		broken(p, "cannot join");
}

static int take_parent(struct parent *p, struct buf *payload)
{
	struct msg_parent m;

	if (msg_parent_get(&m, payload))
		return -1;
	ancestors_clear(p);
	for (uint32_t i = 0; i < m.n; i++) {
		p->ancestor[i] = strdup(m.addr[i]);
		if (!p->ancestor[i])
			return -1;
		p->nancestor++;
	}
	p->spec.ops->params(p->spec.arg, &m.params);
	if (m.n == 0)
		attached(p, 0);
	else
		reconnect(p);
	return 0;
}

/* -1 when the message cannot come now. */
static int take(struct parent *p, unsigned type, struct buf *payload)
{
	if (type == MSG_REFUSE) {
		const char *why = buf_get_str(payload);

		if (payload->bad)
			return -1;
		p->spec.ops->refused(p->spec.arg, why);
		return 0;
	}
	if (p->state == JOINING)
		return type == MSG_PARENT ? take_parent(p, payload) : -1;
	return p->spec.ops->message(p->spec.arg, type, payload);
}

void parent_io(struct parent *p, short revents)
{
	unsigned type, serial = p->serial;
	struct buf payload;
	struct err err = { "" };
	int io, got;

	if (!p->conn)
		return;
	io = conn_io(p->conn, revents, &err);
	while ((got = conn_recv(p->conn, &type, &payload, &err)) > 0) {
		if (take(p, type, &payload)) {
			err_set(&err, "an invalid message (%s)", msg_name(type));
			got = -1;
		}
		/* another link, or none */
		if (p->serial != serial)
			return;
		if (got < 0)
			break;
	}
	if (io < 0 || got < 0)
		broken(p, err.text);
}

size_t parent_pending(const struct parent *p)
{
	return p->conn ? conn_pending(p->conn) : 0;
}

int parent_flush(struct parent *p, int timeout_ms)
{
	return p->conn ? conn_flush(p->conn, timeout_ms) : 0;
}

void parent_close(struct parent *p)
{
	drop(p);
	p->state = CLOSED;
}

int parent_fd(const struct parent *p)
{
	return p->conn ? conn_fd(p->conn) : -1;
}

short parent_events(const struct parent *p)
{
	return p->conn ? conn_events(p->conn) : 0;
}

int64_t parent_due(const struct parent *p)
{
	if (p->state == RETRYING)
		return p->retry_at;
	if (p->conn && !conn_ready(p->conn))
		return p->since + LINK_READY_MS;
	return -1;
}

void parent_tick(struct parent *p, int64_t now)
{
	int64_t due = parent_due(p);

	if (due < 0 || now < due)
		return;
	if (p->state == RETRYING)
		reconnect(p);
	else
		broken(p, "the other side has not proved its identity");
}
