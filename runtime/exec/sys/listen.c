/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/listen.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/err.h"
#include "common/core/log.h"

static void listen_on(struct listen *l, const char *addr, char *out, size_t size)
{
	char actual[ADDR_TEXT];
	struct err err;
	size_t used = strlen(out);
	int fd;

	if (l->n == LISTEN_MAX)
		return;
	fd = addr_listen(addr, actual, &err);
	if (fd < 0) {
		log_debug("tree", "cannot listen on %s: %s", addr, err.text);
		return;
	}
	if (used + strlen(actual) + 2 > size) {
		close(fd);
		return;
	}
	if (strncmp(actual, "unix:", 5) == 0)
		snprintf(l->path, sizeof(l->path), "%s", actual + 5);
	l->fd[l->n++] = fd;
	snprintf(out + used, size - used, "%s%s", used ? " " : "", actual);
}

/* Beside the rendezvous's own socket, where that directory exists here and is ours. */
static void listen_unix(struct listen *l, uint32_t rank, const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	char dir[ADDR_TEXT], addr[ADDR_TEXT + 64];

	if (!slash)
		return;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	if (access(dir, W_OK | X_OK))
		return;
	snprintf(addr, sizeof(addr), "unix:%s/x%u.%d", dir, rank, getpid());
	listen_on(l, addr, out, size);
}

/* The address of our own end of the connection, "" when that is not TCP. */
static void own_host(int fd, char *host, size_t size)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);
	char text[INET6_ADDRSTRLEN];

	*host = '\0';
	if (fd < 0 || getsockname(fd, (struct sockaddr *)&ss, &len))
		return;
	if (ss.ss_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)&ss;

		if (inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)))
			snprintf(host, size, "%s", text);
	} else if (ss.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)&ss;

		if (inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof(text)))
			snprintf(host, size, "[%s]", text);
	}
}

/* On the interface that the front end can be reached through; beside it when we share its host. */
static void listen_tcp(struct listen *l, const char *addr, int fd, char *out, size_t size)
{
	const char *colon = strrchr(addr, ':');
	char host[ADDR_TEXT], text[ADDR_TEXT + 16];

	own_host(fd, host, sizeof(host));
	if (!*host && colon)
		snprintf(host, sizeof(host), "%.*s", (int)(colon - addr), addr);
	if (!*host)
		return;
	snprintf(text, sizeof(text), "tcp:%s:0", host);
	listen_on(l, text, out, size);
}

void listen_open(struct listen *l, uint32_t rank, const char *rendezvous, int fd, char *out,
		 size_t size)
{
	char *copy = strdup(rendezvous), *save = NULL;

	*out = '\0';
	for (char *a = copy ? strtok_r(copy, " ", &save) : NULL; a;
	     a = strtok_r(NULL, " ", &save)) {
		if (strncmp(a, "unix:", 5) == 0)
			listen_unix(l, rank, a + 5, out, size);
		else if (strncmp(a, "tcp:", 4) == 0)
			listen_tcp(l, a + 4, fd, out, size);
	}
	free(copy);
}

void listen_close(struct listen *l)
{
	for (size_t i = 0; i < l->n; i++)
		close(l->fd[i]);
	l->n = 0;
	if (*l->path)
		unlink(l->path);
	*l->path = '\0';
}

bool listen_has(const struct listen *l, int fd)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->fd[i] == fd)
			return true;
	return false;
}
