/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What links up and down have in common.
 */
#ifndef DVMDBG_EXEC_LINK_H
#define DVMDBG_EXEC_LINK_H

#define LINK_READY_MS 10000	 /* to prove the secret and say who one is */
#define LINK_QUEUE (256u << 20)	 /* bytes that wait for a slow peer: more, and it is dropped */
#define LINK_BACKLOG (64u << 20) /* the queue up, from which on children are not read */

/* Makes a TCP peer whose host is gone be noticed within a minute. */
void link_keepalive(int fd);

#endif
