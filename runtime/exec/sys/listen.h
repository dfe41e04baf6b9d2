/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sockets on which a node of the tree can be reached.
 */
#ifndef DVMDBG_EXEC_LISTEN_H
#define DVMDBG_EXEC_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LISTEN_MAX 2 /* Unix-domain and TCP */

struct listen {
	int fd[LISTEN_MAX];
	size_t n;
	char path[512]; /* of the Unix-domain socket, removed by listen_close; "" for none */
};

/* See children_listen. Not being able to listen is no error: then nobody can come. */
void listen_open(struct listen *l, uint32_t rank, const char *rendezvous, int fd, char *out,
		 size_t size);
void listen_close(struct listen *l);
bool listen_has(const struct listen *l, int fd);

#endif
