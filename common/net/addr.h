/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of our sockets: "unix:/path" and "tcp:host:port" (IPv6 in brackets). Several in one text
 * are separated by blanks, the best first.
 */
#ifndef DVMDBG_COMMON_ADDR_H
#define DVMDBG_COMMON_ADDR_H

#include <stddef.h>

struct err;

#define ADDR_TEXT 512

/*
 * Listens; "tcp:host:0" takes a free port, "unix:" paths are made with mode 0600. Writes the address that
 * others can use to actual. Returns a non-blocking, close-on-exec descriptor or -1.
 */
int addr_listen(const char *addr, char actual[ADDR_TEXT], struct err *err);
/*
 * Connects to the first of the addresses that answers within timeout_ms each; a "unix:" path that does
 * not exist here is passed over. Returns a non-blocking, close-on-exec descriptor or -1.
 */
int addr_connect(const char *addrs, int timeout_ms, struct err *err);
/*
 * Takes one waiting connection; refuses Unix-domain peers of another user. -1 with errno EAGAIN when
 * none waits, EPERM when one was refused.
 */
int addr_accept(int fd, struct err *err);

#endif
