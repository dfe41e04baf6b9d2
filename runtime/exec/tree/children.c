/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "common/core/vec.h"
#include "common/net/net.h"
#include "common/protocol/msg.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/link.h"
#include "runtime/exec/sys/listen.h"

#define ACCEPT_PAUSE_MS 100 /* when there are no descriptors left */

struct link {
	struct conn *conn; /* NULL: broken */
	bool attached;	   /* has said who it is */
	uint32_t rank;
	struct rankset subtree;
	int64_t since; /* of the connection, or when it broke */
	bool reported_lost;
};

struct children {
	struct children_spec spec;
	struct listen listen;
	struct link **link;
	size_t n;
	int64_t accept_at; /* not before */
	bool leaving;
};

struct children *children_create(const struct children_spec *spec)
{
	struct children *c = calloc(1, sizeof(*c));

	if (c)
		c->spec = *spec;
	return c;
}

static void link_free(struct link *l)
{
	conn_destroy(l->conn);
	rankset_clear(&l->subtree);
	free(l);
}

void children_destroy(struct children *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		link_free(c->link[i]);
	free(c->link);
	listen_close(&c->listen);
	free(c);
}

void children_listen(struct children *c, const char *rendezvous, int fd, char *out, size_t size)
{
	listen_open(&c->listen, c->spec.rank, rendezvous, fd, out, size);
}

int children_ranks(const struct children *c, struct rankset *out)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->link[i]->conn && rankset_add_set(out, &c->link[i]->subtree))
			return -1;
	return 0;
}

size_t children_count(const struct children *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->link[i]->conn && c->link[i]->attached;
	return n;
}

void children_leave(struct children *c)
{
	c->leaving = true;
	listen_close(&c->listen);
}

/* Closes the connection; the link itself stays until children_tick. */
static void break_link(struct children *c, struct link *l, const char *why)
{
	if (!l->conn)
		return;
	conn_destroy(l->conn);
	l->conn = NULL;
	l->since = clock_msec();
	if (!l->attached)
		return;
	log_debug("tree", "the link to rank %u is gone: %s", l->rank, why);
	c->spec.ops->broken(c->spec.arg, &l->subtree);
}

void children_send(struct children *c, struct link *l, unsigned type, const struct buf *payload)
{
	if (!l->conn)
		return;
	if (conn_send(l->conn, type, payload) || conn_pending(l->conn) > LINK_QUEUE)
		break_link(c, l, "cannot send");
}

void children_broadcast(struct children *c, unsigned type, const struct buf *payload)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->link[i]->attached)
			children_send(c, c->link[i], type, payload);
}

/* The newest link of a rank is the one that counts. */
static void replace_former(struct children *c, const struct link *l)
{
	for (size_t i = 0; i < c->n; i++) {
		struct link *o = c->link[i];

		if (o == l || !o->attached || o->rank != l->rank)
			continue;
		break_link(c, o, "another one has replaced it");
		o->attached = false;
	}
}

static int take_attach(struct children *c, struct link *l, struct buf *payload)
{
	struct msg_attach m = { 0 };
	bool first = !l->attached, grown;

	if (msg_attach_get(&m, payload) || m.rank == c->spec.rank ||
	    (l->attached && m.rank != l->rank) || !rankset_has(&m.subtree, m.rank) ||
	    rankset_has(&m.subtree, c->spec.rank)) {
		rankset_clear(&m.subtree);
		return -1;
	}
	grown = !rankset_covers(&l->subtree, &m.subtree);
	rankset_clear(&l->subtree);
	l->subtree = m.subtree;
	l->rank = m.rank;
	l->attached = true;
	if (first) {
		replace_former(c, l);
		c->spec.ops->arrived(c->spec.arg, l);
	}
	if (grown)
		c->spec.ops->grown(c->spec.arg);
	return 0;
}

/* Takes away from ranks those that are below us on another way than l. */
static int remove_present(const struct children *c, const struct link *l, struct rankset *ranks)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct link *o = c->link[i];

		if (o != l && o->conn && o->attached && rankset_remove_set(ranks, &o->subtree))
			return -1;
	}
	return 0;
}

/* Who says that a rank is lost has only lost its own link: it may have come to us another way. */
static int take_lost(struct children *c, struct link *l, struct buf *payload)
{
	struct rankset ranks = { 0 };
	int ret = -1;

	if (rankset_get(&ranks, payload) == 0 && !rankset_has(&ranks, c->spec.rank) &&
	    !rankset_has(&ranks, l->rank)) {
		ret = 0;
		rankset_remove_set(&l->subtree, &ranks);
		remove_present(c, l, &ranks);
		if (ranks.n)
			c->spec.ops->lost(c->spec.arg, &ranks);
	}
	rankset_clear(&ranks);
	return ret;
}

/* -1 when the message cannot come now. */
static int take(struct children *c, struct link *l, unsigned type, struct buf *payload)
{
	if (type == MSG_ATTACH)
		return take_attach(c, l, payload);
	if (!l->attached)
		return -1;
	if (type == MSG_LOST)
		return take_lost(c, l, payload);
	return c->spec.ops->message(c->spec.arg, type, payload);
}

static void link_io(struct children *c, struct link *l, short revents)
{
	struct err err = { "" };
	struct buf payload;
	unsigned type;
	int io, got = 0;

	/* a hang-up is seen by reading, even while messages are held back */
	if (revents & (POLLHUP | POLLERR))
		revents |= POLLIN;
	io = conn_io(l->conn, revents, &err);
	while (l->conn && (got = conn_recv(l->conn, &type, &payload, &err)) > 0) {
		if (take(c, l, type, &payload) == 0)
			continue;
		err_set(&err, "an invalid message (%s)", msg_name(type));
		got = -1;
		break;
	}
	if (io < 0 || got < 0)
		break_link(c, l, err.text);
}

static size_t strangers(const struct children *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += !c->link[i]->attached;
	return n;
}

static bool may_accept(const struct children *c)
{
	return c->n < CHILDREN_MAX && strangers(c) < CHILDREN_STRANGERS;
}

static void add_link(struct children *c, int fd)
{
	struct link *l = vec_more(c->link, c->n, 1) ? NULL : calloc(1, sizeof(*l));
	struct err err;

	link_keepalive(fd);
	/* takes fd in any case */
	if (l)
		l->conn = conn_create(fd, CONN_SERVER, c->spec.secret, &err);
	else
		conn_destroy(conn_create(fd, CONN_SERVER, c->spec.secret, &err));
	if (!l || !l->conn) {
		free(l);
		return;
	}
	l->since = clock_msec();
	c->link[c->n++] = l;
}

static void accept_all(struct children *c, int listen_fd)
{
	struct err err;
	int fd;

	while (may_accept(c)) {
		fd = addr_accept(listen_fd, &err);
		if (fd >= 0) {
			add_link(c, fd);
			continue;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		log_debug("tree", "not accepted: %s", err.text);
		if (errno == EPERM || errno == EINTR || errno == ECONNABORTED)
			continue;
		c->accept_at = clock_msec() + ACCEPT_PAUSE_MS;
		return;
	}
}

size_t children_poll(const struct children *c, struct pollfd *fds, size_t cap, bool hold)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n && n < cap; i++) {
		const struct link *l = c->link[i];

		if (!l->conn)
			continue;
		fds[n].fd = conn_fd(l->conn);
		fds[n].events = conn_events(l->conn);
		fds[n].revents = 0;
		if (hold && l->attached)
			fds[n].events &= ~POLLIN;
		n++;
	}
	if (!may_accept(c) || c->accept_at > clock_msec())
		return n;
	for (size_t i = 0; i < c->listen.n && n < cap; i++)
		fds[n++] = (struct pollfd){ .fd = c->listen.fd[i], .events = POLLIN };
	return n;
}

static struct link *link_by_fd(struct children *c, int fd)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->link[i]->conn && conn_fd(c->link[i]->conn) == fd)
			return c->link[i];
	return NULL;
}

void children_io(struct children *c, const struct pollfd *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct link *l = fds[i].revents ? link_by_fd(c, fds[i].fd) : NULL;

		if (l)
			link_io(c, l, fds[i].revents);
	}
	/* last, so that a new descriptor is not taken for the old one with its number */
	for (size_t i = 0; i < n; i++)
		if (fds[i].revents && listen_has(&c->listen, fds[i].fd))
			accept_all(c, fds[i].fd);
}

/* When something is to be done about l, or -1; 0 means now. */
static int64_t link_due(const struct link *l)
{
	if (l->conn)
		return l->attached ? -1 : l->since + LINK_READY_MS;
	if (!l->attached)
		return 0;
	return l->since + (l->reported_lost ? CHILDREN_BELOW_MS : CHILDREN_LOST_MS);
}

int64_t children_due(const struct children *c)
{
	int64_t due = c->accept_at > clock_msec() ? c->accept_at : -1;

	for (size_t i = 0; i < c->n; i++)
		due = clock_earlier(due, link_due(c->link[i]));
	return due;
}

/* A broken link whose time has come: first it alone is lost, later all that were below it. */
static bool link_is_over(struct children *c, struct link *l)
{
	struct rankset gone = { 0 };
	bool over = l->reported_lost;

	if (!l->attached || c->leaving)
		return true;
	if (!l->reported_lost)
		rankset_add(&gone, l->rank, l->rank);
	else
		rankset_copy(&gone, &l->subtree);
	remove_present(c, l, &gone);
	rankset_remove_set(&l->subtree, &gone);
	l->reported_lost = true;
	if (gone.n)
		c->spec.ops->lost(c->spec.arg, &gone);
	rankset_clear(&gone);
	return over || l->subtree.n == 0;
}

void children_tick(struct children *c, int64_t now)
{
	for (size_t i = 0; i < c->n;) {
		struct link *l = c->link[i];
		int64_t due = link_due(l);

		if (due < 0 || now < due) {
			i++;
			continue;
		}
		if (l->conn) {
			break_link(c, l, "it does not identify itself");
			continue;
		}
		if (!link_is_over(c, l)) {
			i++;
			continue;
		}
		link_free(l);
		memmove(&c->link[i], &c->link[i + 1], (c->n - i - 1) * sizeof(c->link[0]));
		c->n--;
	}
}
