/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/addr.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/err.h"

#define BACKLOG 512

/* Closes and keeps errno. Returns -1. */
static int give_up(int fd)
{
	int kept = errno;
	close(fd);
	errno = kept;
	return -1;
}

static int unix_name(struct sockaddr_un *sun, const char *path, struct err *err)
{
	*sun = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(sun->sun_path))
		return err_set(err, "%s: a socket's path has at most %zu characters", path,
			       sizeof(sun->sun_path) - 1);
	strcpy(sun->sun_path, path);
	return 0;
}

/* Parts "host:port" or "[v6]:port". */
static int host_port(const char *text, char host[256], char port[32], struct err *err)
{
	const char *colon = strrchr(text, ':');
	const char *from = text, *to = colon;
	if (colon && *from == '[' && colon > from && colon[-1] == ']') {
		from++;
		to--;
	}
	if (!colon || to == from || to - from > 255 || strlen(colon + 1) > 31 || !colon[1])
		return err_set(err, "tcp:%s: an address is tcp:host:port", text);
	memcpy(host, from, (size_t)(to - from));
	host[to - from] = '\0';
	strcpy(port, colon + 1);
	return 0;
}

static struct addrinfo *look_up(const char *text, int flags, struct err *err)
{
	char host[256], port[32];
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM, .ai_flags = flags }, *found;
	if (host_port(text, host, port, err) < 0)
		return NULL;
	int why = getaddrinfo(host, port, &hint, &found);
	if (why != 0) {
		err_set(err, "%s: %s", host, gai_strerror(why));
		return NULL;
	}
	return found;
}

static int listen_unix(const char *path, char actual[ADDR_TEXT], struct err *err)
{
	struct sockaddr_un sun;
	if (unix_name(&sun, path, err) < 0)
		return -1;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(err, "socket: %s", strerror(errno));
	mode_t mask = umask(0177);
	int bound = bind(fd, (struct sockaddr *)&sun, sizeof(sun));
	umask(mask);
	if (bound < 0 || listen(fd, BACKLOG) < 0) {
		err_set(err, "%s: %s", path, strerror(errno));
		return give_up(fd);
	}
	snprintf(actual, ADDR_TEXT, "unix:%s", path);
	return fd;
}

static int listen_tcp(const char *text, char actual[ADDR_TEXT], struct err *err)
{
	struct addrinfo *ai = look_up(text, AI_PASSIVE, err);
	if (!ai)
		return -1;
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_storage got;
	socklen_t len = sizeof(got);
	char host[256], port[32];
	if (fd < 0 || bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0 ||
	    getsockname(fd, (struct sockaddr *)&got, &len) < 0) {
		err_set(err, "tcp:%s: %s", text, strerror(errno));
		freeaddrinfo(ai);
		return fd < 0 ? -1 : give_up(fd);
	}
	freeaddrinfo(ai);
	int why = getnameinfo((struct sockaddr *)&got, len, host, sizeof(host), port, sizeof(port),
			      NI_NUMERICHOST | NI_NUMERICSERV);
	if (why != 0) {
		err_set(err, "tcp:%s: %s", text, gai_strerror(why));
		return give_up(fd);
	}
	snprintf(actual, ADDR_TEXT, strchr(host, ':') ? "tcp:[%s]:%s" : "tcp:%s:%s", host, port);
	return fd;
}

int addr_listen(const char *addr, char actual[ADDR_TEXT], struct err *err)
{
	if (strncmp(addr, "unix:", 5) == 0)
		return listen_unix(addr + 5, actual, err);
	if (strncmp(addr, "tcp:", 4) == 0)
		return listen_tcp(addr + 4, actual, err);
	return err_set(err, "%s: an address is unix:/path or tcp:host:port", addr);
}

/* Waits until a connect that is under way has ended. */
static int connected(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int why = 0;
	socklen_t len = sizeof(why);
	int n;
	do
		n = poll(&p, 1, timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		errno = ETIMEDOUT;
	if (n <= 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) < 0)
		return -1;
	errno = why;
	return why ? -1 : 0;
}

static int connect_to(int family, const struct sockaddr *sa, socklen_t len, int timeout_ms)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	/* a Unix-domain connect says EAGAIN when the backlog is full: try again until the limit */
	int rest = timeout_ms;
	while (connect(fd, sa, len) < 0) {
		if (errno == EINPROGRESS) {
			if (connected(fd, timeout_ms) < 0)
				return give_up(fd);
			break;
		}
		if (errno != EAGAIN || rest <= 0)
			return give_up(fd);
		poll(NULL, 0, 10);
		rest -= 10;
	}
	return fd;
}

static int connect_one(const char *addr, int timeout_ms, struct err *err)
{
	int fd = -1;
	if (strncmp(addr, "unix:", 5) == 0) {
		struct sockaddr_un sun;
		if (unix_name(&sun, addr + 5, err) < 0)
			return -1;
		fd = connect_to(AF_UNIX, (struct sockaddr *)&sun, sizeof(sun), timeout_ms);
	} else if (strncmp(addr, "tcp:", 4) == 0) {
		struct addrinfo *all = look_up(addr + 4, 0, err);
		if (!all)
			return -1;
		for (struct addrinfo *ai = all; ai && fd < 0; ai = ai->ai_next)
			fd = connect_to(ai->ai_family, ai->ai_addr, ai->ai_addrlen, timeout_ms);
		freeaddrinfo(all);
		int on = 1;
		if (fd >= 0)
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	} else {
		return err_set(err, "%s: an address is unix:/path or tcp:host:port", addr);
	}
	return fd >= 0 ? fd : err_set(err, "%s: %s", addr, strerror(errno));
}

int addr_connect(const char *addrs, int timeout_ms, struct err *err)
{
	char *copy = strdup(addrs), *save = NULL;
	int fd = -1;
	if (!copy)
		return err_set(err, "out of memory");
	err_set(err, "no address to connect to");
	for (char *one = strtok_r(copy, " ", &save); one && fd < 0; one = strtok_r(NULL, " ", &save))
		fd = connect_one(one, timeout_ms, err);
	free(copy);
	return fd;
}

int addr_accept(int fd, struct err *err)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	int got = accept4(fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (got < 0) {
		if (errno == ECONNABORTED || errno == EINTR)
			errno = EAGAIN;
		return err_set(err, "accept: %s", strerror(errno));
	}
	if (from.ss_family == AF_UNIX) {
		struct ucred peer;
		len = sizeof(peer);
		if (getsockopt(got, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
		    peer.uid != geteuid()) {
			close(got);
			errno = EPERM;
			return err_set(err, "a connection of another user was refused");
		}
	} else {
		int on = 1;
		setsockopt(got, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	}
	return got;
}
