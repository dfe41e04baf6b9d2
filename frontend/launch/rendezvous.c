/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "frontend/launch/launch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "common/logical/tree.h"
#include "frontend/util/loop.h"
#include "frontend/util/private_dir.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define LISTENERS 4
#define EARLY_GUESTS 64 /* connections beyond one per rank */

/* A rank whose supervisor has come. */
struct known {
	char *listen; /* owned; NULL: not come */
	uint32_t pid;
	bool local;
};

enum guest_state { GUEST_EARLY, GUEST_WAITING, GUEST_TOLD };

/* A connection that is not a tree link. */
struct guest {
	struct rendezvous *r;
	struct guest *next;
	struct conn *c;
	enum guest_state state;
	int64_t until; /* when it is dropped, or sent whatever is known */
	uint32_t rank;
	bool orphan;
	struct rankset subtree;
};

struct rendezvous {
	struct loop *loop;
	struct rendezvous_watch watch;
	struct msg_params params;
	uint32_t n;
	struct known *known; /* n */
	struct guest *guests;
	unsigned nguests;
	int listener[LISTENERS];
	unsigned nlisten;
	unsigned char secret[AUTH_SECRET];
	char secret_hex[AUTH_HEX];
	char dir[PRIVATE_DIR_MAX];
	int dir_lock;
	char host[256];
	char addrs[LISTENERS * (ADDR_TEXT + 1)];
	struct rankset who; /* those that will come; none: all */
};

static void drop_due(void *arg);

/* Takes the guest out of the list and frees it; its connection too unless it was handed on. */
static void guest_drop(struct guest *g)
{
	struct guest **at = &g->r->guests;

	while (*at && *at != g)
		at = &(*at)->next;
	if (*at) {
		*at = g->next;
		g->r->nguests--;
	}
	if (g->c) {
		loop_remove(g->r->loop, conn_fd(g->c));
		conn_destroy(g->c);
	}
	rankset_clear(&g->subtree);
	free(g);
}

static void set_due(struct rendezvous *r)
{
	int64_t first = INT64_MAX;

	for (struct guest *g = r->guests; g; g = g->next)
		first = g->until < first ? g->until : first;
	if (r->guests)
		loop_at(r->loop, first, drop_due, r);
}

/* Says why not, and is done with it. */
static void refuse(struct guest *g, const char *text)
{
	struct rendezvous *r = g->r;
	struct buf b = BUF_INIT;

	buf_put_str(&b, text);
	conn_send(g->c, MSG_REFUSE, &b);
	conn_flush(g->c, 200);
	buf_clear(&b);
	log_debug("rendezvous", "refused: %s", text);
	if (r->watch.refused)
		r->watch.refused(r->watch.arg, text);
	guest_drop(g);
}

static const struct known *known_rank(const struct rendezvous *r, int64_t rank)
{
	return rank >= 0 && rank < r->n && r->known[rank].listen ? &r->known[rank] : NULL;
}

/* The connection becomes a tree link and leaves us. */
static void link_guest(struct guest *g)
{
	struct rendezvous *r = g->r;
	struct conn *c = g->c;
	struct msg_join m = {
		.rank = g->rank,
		.size = r->n,
		.pid = r->known[g->rank].pid,
		.version = PACKAGE_VERSION,
		.host = "",
		.listen = r->known[g->rank].listen,
		.orphan = g->orphan,
	};

	m.subtree = g->subtree;
	g->subtree = (struct rankset){ 0 };
	loop_remove(r->loop, conn_fd(c));
	g->c = NULL;
	guest_drop(g);
	r->watch.linked(r->watch.arg, c, &m);
	rankset_clear(&m.subtree);
}

/* Its parent in the tree has come, or never will. */
static bool knows_parent(const struct rendezvous *r, uint32_t rank)
{
	int64_t parent = tree_parent(rank);

	return known_rank(r, parent) || (r->who.n && !rankset_has(&r->who, (uint32_t)parent));
}

/* Sends PARENT with the ancestors that are known. */
static void report_parent(struct guest *g)
{
	struct rendezvous *r = g->r;
	struct msg_parent m = { .params = r->params };
	struct buf b = BUF_INIT;

	for (int64_t a = tree_parent(g->rank); a >= 0 && !g->orphan && m.n < MSG_ADDRS;
	     a = tree_parent((uint32_t)a)) {
		const struct known *k = known_rank(r, a);

		if (k && k->listen[0])
			m.addr[m.n++] = k->listen;
	}
	msg_parent_put(&m, &b);
	conn_send(g->c, MSG_PARENT, &b);
	buf_clear(&b);
	g->state = GUEST_TOLD;
	g->until = loop_now() + RENDEZVOUS_EARLY_MS;
	if (m.n == 0)
		link_guest(g);
}

/* Answers those who wait for this rank. */
static void report_children(struct rendezvous *r, uint32_t parent)
{
	struct guest *next;

	for (struct guest *g = r->guests; g; g = next) {
		next = g->next;
		if (g->state == GUEST_WAITING && tree_parent(g->rank) == (int64_t)parent)
			report_parent(g);
	}
}

static void drop_due(void *arg)
{
	struct rendezvous *r = arg;
	int64_t now = loop_now();
	struct guest *next;

	for (struct guest *g = r->guests; g; g = next) {
		next = g->next;
		if (g->until > now)
			continue;
		if (g->state == GUEST_WAITING) {
			report_parent(g);
		} else {
			log_debug("rendezvous", "a connection without a valid message is dropped");
			guest_drop(g);
		}
	}
	set_due(r);
}

/* Makes room for n ranks once n is known. */
static void learn_size(struct rendezvous *r, uint32_t n)
{
	if (r->n || n == 0)
		return;
	r->known = xcalloc(n, sizeof(*r->known));
	r->n = n;
	if (r->watch.size)
		r->watch.size(r->watch.arg, n);
}

/* Text why this JOIN cannot be taken, "" when it can. */
static void compare_join(const struct rendezvous *r, const struct msg_join *m, char *why,
			 size_t size)
{
	const struct known *k = known_rank(r, m->rank);

	why[0] = '\0';
	if (strcmp(m->version, PACKAGE_VERSION) != 0)
		snprintf(why, size, "rank %u is supervised by dvmdbg %s, the front end is %s",
			 m->rank, m->version, PACKAGE_VERSION);
	else if (r->n == 0)
		snprintf(why, size,
			 "the launcher does not report the number of ranks; give it with -n");
	else if (m->size != 0 && m->size != r->n)
		snprintf(why, size,
			 "the launcher has started %u rank%s, and %u were requested (is it the "
			 "launcher of the program's MPI?)",
			 m->size, m->size == 1 ? "" : "s", r->n);
	else if (m->rank >= r->n)
		snprintf(why, size, "rank %u connected, and there are only %u", m->rank, r->n);
	else if (k && k->pid != m->pid)
		snprintf(why, size,
			 "rank %u connected twice (is the launcher that of the program's MPI?)",
			 m->rank);
}

static void remember(struct rendezvous *r, const struct msg_join *m)
{
	struct known *k = &r->known[m->rank];
	char *text = xstrdup(m->listen);

	free(k->listen);
	k->listen = text;
	k->pid = m->pid;
	k->local = strcmp(m->host, r->host) == 0;
}

/* The guest is gone after this unless it has to wait. */
static void take_join(struct guest *g, const struct msg_join *m)
{
	struct rendezvous *r = g->r;
	bool is_new;
	char why[256];

	learn_size(r, m->size);
	compare_join(r, m, why, sizeof(why));
	if (why[0]) {
		refuse(g, why);
		return;
	}
	is_new = !known_rank(r, m->rank);
	g->rank = m->rank;
	/* One that comes again could not reach its ancestors. */
	g->orphan = m->orphan || !is_new;
	g->state = GUEST_WAITING;
	g->until = loop_now() + RENDEZVOUS_DEFER_MS;
	remember(r, m);
	xrankset_copy(&g->subtree, &m->subtree);
	log_debug("rendezvous", "rank %u of process %u at %s", m->rank, m->pid, m->listen);
	if (is_new && r->watch.joined)
		r->watch.joined(r->watch.arg, m);
	if (g->rank == 0 || g->orphan || knows_parent(r, g->rank))
		report_parent(g);
	if (is_new)
		report_children(r, m->rank);
	set_due(r);
}

/* The other side has closed, or sends what is not ours. */
static void guest_gone(struct guest *g, const char *why)
{
	struct rendezvous *r = g->r;
	bool vanished = g->state == GUEST_WAITING;
	uint32_t rank = g->rank;

	log_debug("rendezvous", "connection ends: %s", why);
	guest_drop(g);
	if (vanished && r->watch.vanished)
		r->watch.vanished(r->watch.arg, rank);
}

static void read_guest(void *arg, short revents)
{
	struct guest *g = arg;
	struct err err = { "" };
	struct msg_join m;
	struct buf payload;
	unsigned type;
	int io = conn_io(g->c, revents, &err), got;

	got = conn_recv(g->c, &type, &payload, &err);
	if (got == 0 && io == 0)
		return;
	if (got <= 0) {
		guest_gone(g, err.text);
		return;
	}
	if (g->state != GUEST_EARLY || type != MSG_JOIN) {
		guest_gone(g, "an unexpected message");
		return;
	}
	memset(&m, 0, sizeof(m));
	if (msg_join_get(&m, &payload) < 0) {
		rankset_clear(&m.subtree);
		guest_gone(g, "a damaged JOIN");
		return;
	}
	take_join(g, &m);
	rankset_clear(&m.subtree);
}

static short guest_wants(void *arg)
{
	struct guest *g = arg;

	return conn_events(g->c);
}

static int add_guest(struct rendezvous *r, int fd)
{
	struct guest *g = xcalloc(1, sizeof(*g));

	if (!(g->c = conn_create(fd, CONN_SERVER, r->secret, NULL))) {
		free(g);
		return -1;
	}
	g->r = r;
	g->until = loop_now() + RENDEZVOUS_EARLY_MS;
	g->next = r->guests;
	r->guests = g;
	r->nguests++;
	loop_add(r->loop, conn_fd(g->c), guest_wants, read_guest, g);
	set_due(r);
	return 0;
}

static void accept_on(struct rendezvous *r, int listener)
{
	int fd;

	while ((fd = addr_accept(listener, NULL)) >= 0 || errno == EPERM || errno == EINTR) {
		if (fd < 0)
			continue;
		if (r->nguests >= (r->n ? r->n : RANKSET_MAX) + EARLY_GUESTS) {
			log_debug("rendezvous", "too many connections, one is dropped");
			close(fd);
		} else if (add_guest(r, fd) < 0) {
			return;
		}
	}
}

static void accept_all(void *arg, short revents)
{
	struct rendezvous *r = arg;

	for (unsigned i = 0; i < r->nlisten; i++)
		accept_on(r, r->listener[i]);
}

static int listen_at(struct rendezvous *r, const char *addr, struct err *err)
{
	char actual[ADDR_TEXT];
	size_t len = strlen(r->addrs);
	int fd;

	if (r->nlisten == LISTENERS)
		return 0;
	fd = addr_listen(addr, actual, err);
	if (fd < 0)
		return -1;
	loop_add(r->loop, fd, NULL, accept_all, r);
	r->listener[r->nlisten++] = fd;
	snprintf(r->addrs + len, sizeof(r->addrs) - len, "%s%s", len ? " " : "", actual);
	return 0;
}

/* Each interface by which other hosts may reach us, or the loopback when there is none. */
static int listen_tcp(struct rendezvous *r, struct err *err)
{
	struct ifaddrs *list = NULL;
	unsigned before = r->nlisten;

	getifaddrs(&list);
	for (const struct ifaddrs *i = list; i && r->nlisten < LISTENERS; i = i->ifa_next) {
		char ip[INET_ADDRSTRLEN], addr[64];
		const struct sockaddr_in *in = (const void *)i->ifa_addr;

		if (!in || in->sin_family != AF_INET || !(i->ifa_flags & IFF_UP) ||
		    (i->ifa_flags & IFF_LOOPBACK) ||
		    !inet_ntop(AF_INET, &in->sin_addr, ip, sizeof(ip)))
			continue;
		snprintf(addr, sizeof(addr), "tcp:%s:0", ip);
		if (listen_at(r, addr, err) < 0)
			log_debug("rendezvous", "%s: %s", addr, err ? err->text : "");
	}
	if (list)
		freeifaddrs(list);
	if (r->nlisten > before)
		return 0;
	return listen_at(r, "tcp:127.0.0.1:0", err);
}

static int listen_unix(struct rendezvous *r, struct err *err)
{
	char addr[PRIVATE_DIR_MAX + 16];

	r->dir_lock = private_dir_make(r->dir, err);
	if (r->dir_lock < 0)
		return -1;
	snprintf(addr, sizeof(addr), "unix:%s/front", r->dir);
	return listen_at(r, addr, err);
}

struct rendezvous *rendezvous_create(const struct rendezvous_spec *spec, struct loop *loop,
				     const struct rendezvous_watch *watch, struct err *err)
{
	struct rendezvous *r = xcalloc(1, sizeof(*r));

	r->loop = loop;
	r->watch = *watch;
	r->params = spec->params;
	r->dir_lock = -1;
	if (spec->who)
		xrankset_copy(&r->who, spec->who);
	gethostname(r->host, sizeof(r->host) - 1);
	if (auth_init(err) < 0)
		goto fail;
	auth_random(r->secret, sizeof(r->secret));
	auth_secret_to_hex(r->secret, r->secret_hex);
	if (spec->n) {
		r->known = xcalloc(spec->n, sizeof(*r->known));
		r->n = spec->n;
	}
	if ((spec->use_unix && listen_unix(r, err) < 0) ||
	    (spec->use_tcp && listen_tcp(r, err) < 0))
		goto fail;
	return r;
fail:
	rendezvous_destroy(r);
	return NULL;
}

void rendezvous_close(struct rendezvous *r)
{
	loop_cancel(r->loop, drop_due, r);
	while (r->guests)
		guest_drop(r->guests);
	while (r->nlisten > 0) {
		int fd = r->listener[--r->nlisten];

		loop_remove(r->loop, fd);
		close(fd);
	}
}

void rendezvous_destroy(struct rendezvous *r)
{
	if (!r)
		return;
	rendezvous_close(r);
	if (r->dir[0])
		private_dir_remove(r->dir);
	if (r->dir_lock >= 0)
		close(r->dir_lock);
	for (uint32_t i = 0; r->known && i < r->n; i++)
		free(r->known[i].listen);
	free(r->known);
	rankset_clear(&r->who);
	free(r);
}

const char *rendezvous_addrs(const struct rendezvous *r)
{
	return r->addrs;
}

const char *rendezvous_secret(const struct rendezvous *r)
{
	return r->secret_hex;
}

const char *rendezvous_dir(const struct rendezvous *r)
{
	return r->dir;
}

void rendezvous_set_params(struct rendezvous *r, const struct msg_params *params)
{
	r->params = *params;
}

int rendezvous_local_pid(const struct rendezvous *r, uint32_t rank)
{
	const struct known *k = known_rank(r, rank);

	return k && k->local ? (int)k->pid : 0;
}
