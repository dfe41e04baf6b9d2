/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where supervisors report first: listening sockets, the session's secret, and who is whose parent
 * in the tree. It answers each JOIN with PARENT or REFUSE; connections that become tree links are
 * handed on.
 */
#ifndef DVMDBG_FRONTEND_RENDEZVOUS_H
#define DVMDBG_FRONTEND_RENDEZVOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/msg.h"

struct conn;
struct err;
struct loop;
struct rendezvous;

/* How long a supervisor waits for its parent in the tree to come. */
#define RENDEZVOUS_DEFER_MS 5000
/* How long a connection may take to prove the secret and say JOIN. */
#define RENDEZVOUS_EARLY_MS 10000

struct rendezvous_spec {
	uint32_t n; /* ranks; 0: the first JOIN that knows it gives it */
	bool use_unix, use_tcp;
	struct msg_params params;
};

struct rendezvous_watch {
	void *arg;
	/* The number of ranks has become known. */
	void (*size)(void *arg, uint32_t n);
	/* A supervisor has come for the first time; m is borrowed. */
	void (*joined)(void *arg, const struct msg_join *m);
	/* This connection is a tree link from now on; c becomes the callee's. PARENT was sent. */
	void (*linked)(void *arg, struct conn *c, const struct msg_join *m);
	/* It went before it was sent its parent. */
	void (*vanished)(void *arg, uint32_t rank);
	/* One line about a supervisor that was refused. */
	void (*refused)(void *arg, const char *text);
};

struct rendezvous *rendezvous_create(const struct rendezvous_spec *spec, struct loop *loop,
				     const struct rendezvous_watch *watch, struct err *err);
/* Takes nobody any more and drops those that are not linked. */
void rendezvous_close(struct rendezvous *r);
/* Closes all and removes the directory; NULL is fine. */
void rendezvous_destroy(struct rendezvous *r);
/* For DVMDBG_RENDEZVOUS and DVMDBG_SECRET; the directory is "" when there is none. Borrowed. */
const char *rendezvous_addrs(const struct rendezvous *r);
const char *rendezvous_secret(const struct rendezvous *r);
const char *rendezvous_dir(const struct rendezvous *r);
/* What PARENT says from now on. */
void rendezvous_set_params(struct rendezvous *r, const struct msg_params *params);
/* Process number of a rank's supervisor when it is on this host, else 0. */
int rendezvous_local_pid(const struct rendezvous *r, uint32_t rank);

#endif
