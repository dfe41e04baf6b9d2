/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way down: the sockets that children come to, and the links to those that have.
 */
#ifndef DVMDBG_EXEC_CHILDREN_H
#define DVMDBG_EXEC_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/net/auth.h"
#include "common/logical/rankset.h"

struct buf;
struct children;
struct link;
struct pollfd;

#define CHILDREN_STRANGERS 64 /* connections that have not said who they are */
#define CHILDREN_MAX 4096
#define CHILDREN_LOST_MS 2000 /* a supervisor that has not come back by then is lost */
#define CHILDREN_BELOW_MS \
	10000 /* those below it that have not come up elsewhere by then are, too */

struct children_ops {
	/* A message from below; -1 when it is not one that can come from there. */
	int (*message)(void *arg, unsigned type, struct buf *payload);
	/* A child has come, or come back: it needs to receive what it has missed. */
	void (*arrived)(void *arg, struct link *link);
	/* The subtree has grown. */
	void (*grown)(void *arg);
	/* The link to these is broken: what they were about to say will not come. */
	void (*broken)(void *arg, const struct rankset *ranks);
	/* These have been below us and are nowhere any more. */
	void (*lost)(void *arg, const struct rankset *ranks);
};

struct children_spec {
	uint32_t rank;
	unsigned char secret[AUTH_SECRET];
	const struct children_ops *ops; /* borrowed */
	void *arg;
};

struct children *children_create(const struct children_spec *spec);
void children_destroy(struct children *c);
/*
 * Listens where those that know `rendezvous` can come: beside its Unix-domain socket, and,
 * when it has a TCP address, on the interface that fd (our connection to it) uses. Writes the
 * addresses to out,
 * "" when there are none.
 */
void children_listen(struct children *c, const char *rendezvous, int fd, char *out, size_t size);

/* Those below us, as far as linked; without ourselves. */
int children_ranks(const struct children *c, struct rankset *out);
size_t children_count(const struct children *c);
void children_broadcast(struct children *c, unsigned type, const struct buf *payload);
void children_send(struct children *c, struct link *link, unsigned type, const struct buf *payload);
/* No new ones, and nobody is lost any more: we leave. */
void children_leave(struct children *c);

/* For poll: how many descriptors there are; fills in at most cap. hold: do not read messages now.
 */
size_t children_poll(const struct children *c, struct pollfd *fds, size_t cap, bool hold);
/* fds as children_poll has filled them. */
void children_io(struct children *c, const struct pollfd *fds, size_t n);
int64_t children_due(const struct children *c);
void children_tick(struct children *c, int64_t now);

#endif
