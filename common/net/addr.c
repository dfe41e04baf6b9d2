/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"

#define BACKLOG 1024
#define SOCKET_FLAGS (SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC)
#define UNIX_RETRY_MS 10
#define SILENT_S 30

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void set_number(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof(value));
}

/* What is sent goes at once; a host that says nothing for so long, not even that it is there, is
 * gone. */
static void prepare_tcp(int fd)
{
	const char *text = getenv("DVMDBG_PEER_TIMER");
	uint64_t n = SILENT_S;
	int s;

	if (!text || parse_uint(text, 1, 3600, &n))
		n = SILENT_S;
	s = (int)n;
	set_number(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_number(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_number(fd, IPPROTO_TCP, TCP_KEEPIDLE, s > 2 ? s / 3 : 1);
	set_number(fd, IPPROTO_TCP, TCP_KEEPINTVL, s > 6 ? s / 6 : 1);
	set_number(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
	/* what was sent and not acknowledged, and probes */
	set_number(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, s * 1000);
}

static void close_keep(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

static int unix_address(struct sockaddr_un *sun, const char *path, struct err *err)
{
	size_t len = strlen(path);

	*sun = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (len == 0 || len >= sizeof(sun->sun_path)) {
		errno = len ? ENAMETOOLONG : EINVAL;
		return err_set(err, "unix:%s: the path must have 1 to %zu bytes", path,
			       sizeof(sun->sun_path) - 1);
	}
	memcpy(sun->sun_path, path, len + 1);
	return 0;
}

/* The parts of "host:port", "[host]:port", pointing into own, a copy of the text. */
struct tcp_name {
	char own[ADDR_TEXT];
	const char *host, *port;
};

static int tcp_name_split(struct tcp_name *t, const char *text, struct err *err)
{
	char *colon, *host = t->own;
	uint64_t port;

	if (snprintf(t->own, sizeof(t->own), "%s", text) >= (int)sizeof(t->own))
		goto bad;
	colon = strrchr(t->own, ':');
	if (!colon || colon[1] == '+' || parse_uint(colon + 1, 0, 65535, &port))
		goto bad;
	*colon = '\0';
	if (host[0] == '[') {
		if (colon < host + 2 || colon[-1] != ']')
			goto bad;
		colon[-1] = '\0';
		host++;
	} else if (strchr(host, ':')) {
		goto bad;
	}
	t->host = host;
	t->port = colon + 1;
	return 0;

bad:
	errno = EINVAL;
	return err_set(err, "tcp:%s: the form is tcp:HOST:PORT, with a port from 0 to 65535", text);
}

/* NULL and err when the name is unknown. Free with freeaddrinfo. */
static struct addrinfo *tcp_resolve(const char *text, bool listening, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICSERV | (listening ? AI_PASSIVE : 0) };
	struct addrinfo *list = NULL;
	struct tcp_name name;
	const char *host;
	int rc;

	if (tcp_name_split(&name, text, err) < 0)
		return NULL;
	host = name.host;
	if (listening && (!*host || !strcmp(host, "*")))
		host = NULL;
	rc = getaddrinfo(host, name.port, &hints, &list);
	if (rc) {
		if (rc != EAI_SYSTEM)
			errno = EADDRNOTAVAIL;
		err_set(err, "tcp:%s: %s", text,
			rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
		return NULL;
	}
	return list;
}

static bool is_wildcard(const struct sockaddr_storage *ss)
{
	if (ss->ss_family == AF_INET)
		return ((const struct sockaddr_in *)ss)->sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)ss)->sin6_addr);
}

/* The address fd is bound to; where it is bound to all of them, this host's name. */
static int tcp_actual(int fd, char actual[ADDR_TEXT])
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);
	char host[256], port[16];

	if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0)
		return -1;
	if (getnameinfo((struct sockaddr *)&ss, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	if (is_wildcard(&ss)) {
		if (gethostname(host, sizeof(host)) < 0)
			return -1;
		host[sizeof(host) - 1] = '\0';
	}
	snprintf(actual, ADDR_TEXT, strchr(host, ':') ? "tcp:[%s]:%s" : "tcp:%s:%s", host, port);
	return 0;
}

static int listen_unix(const char *path, char actual[ADDR_TEXT], struct err *err)
{
	struct sockaddr_un sun;
	int fd;

	if (unix_address(&sun, path, err) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCKET_FLAGS, 0);
	/* the mode is set before the name exists, so nobody else can connect in between */
	if (fd < 0 || fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) < 0 ||
	    listen(fd, BACKLOG) < 0) {
		err_set(err, "unix:%s: cannot listen: %s", path, strerror(errno));
		if (fd >= 0)
			close_keep(fd);
		return -1;
	}
	snprintf(actual, ADDR_TEXT, "unix:%s", path);
	return fd;
}

static int listen_tcp(const char *text, char actual[ADDR_TEXT], struct err *err)
{
	struct addrinfo *list = tcp_resolve(text, true, err);
	int fd = -1, one = 1;

	if (!list)
		return -1;
	for (const struct addrinfo *ai = list; ai; ai = ai->ai_next) {
		fd = socket(ai->ai_family, SOCKET_FLAGS, ai->ai_protocol);
		if (fd < 0)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0 &&
		    tcp_actual(fd, actual) == 0)
			break;
		close_keep(fd);
		fd = -1;
	}
	if (fd < 0)
		err_set(err, "tcp:%s: cannot listen: %s", text, strerror(errno));
	freeaddrinfo(list);
	return fd;
}

int addr_listen(const char *addr, char actual[ADDR_TEXT], struct err *err)
{
	if (!strncmp(addr, "unix:", 5))
		return listen_unix(addr + 5, actual, err);
	if (!strncmp(addr, "tcp:", 4))
		return listen_tcp(addr + 4, actual, err);
	errno = EINVAL;
	return err_set(err, "\"%s\" is not an address: unix:PATH or tcp:HOST:PORT", addr);
}

/* Waits until fd is connected. -1 and errno when it is not before the deadline. */
static int wait_connected(int fd, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int error = 0;
	socklen_t len = sizeof(error);
	int64_t left;
	int n;

	do {
		left = deadline - now_ms();
		n = poll(&p, 1, left > 0 ? (int)left : 0);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		errno = ETIMEDOUT;
	if (n <= 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return -1;
	errno = error;
	return error ? -1 : 0;
}

/* A new descriptor connected to that address, or -1 and errno. */
static int connect_one(const struct sockaddr *sa, socklen_t len, int64_t deadline)
{
	int fd = socket(sa->sa_family, SOCKET_FLAGS, 0);
	int rc;

	if (fd < 0)
		return -1;
	/* a Unix listener with a full queue says EAGAIN and cannot be polled for room */
	while ((rc = connect(fd, sa, len)) < 0 && errno == EAGAIN && now_ms() < deadline)
		poll(NULL, 0, UNIX_RETRY_MS);
	if (rc < 0 && (errno == EINPROGRESS || errno == EINTR))
		rc = wait_connected(fd, deadline);
	if (rc < 0) {
		close_keep(fd);
		return -1;
	}
	return fd;
}

static int connect_unix(const char *path, int64_t deadline, struct err *err)
{
	struct sockaddr_un sun;
	int fd;

	if (unix_address(&sun, path, err) < 0)
		return -1;
	fd = connect_one((struct sockaddr *)&sun, sizeof(sun), deadline);
	if (fd < 0)
		err_set(err, "unix:%s: cannot connect: %s", path, strerror(errno));
	return fd;
}

static int connect_tcp(const char *text, int64_t deadline, struct err *err)
{
	struct addrinfo *list = tcp_resolve(text, false, err);
	int fd = -1;

	if (!list)
		return -1;
	for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next)
		fd = connect_one(ai->ai_addr, ai->ai_addrlen, deadline);
	if (fd < 0)
		err_set(err, "tcp:%s: cannot connect: %s", text, strerror(errno));
	else
		prepare_tcp(fd);
	freeaddrinfo(list);
	return fd;
}

int addr_connect(const char *addrs, int timeout_ms, struct err *err)
{
	size_t n;

	errno = EINVAL;
	err_set(err, "there is no address to connect to");
	for (; *(addrs += strspn(addrs, " ")); addrs += n) {
		char addr[ADDR_TEXT];
		int64_t deadline = now_ms() + timeout_ms;
		int fd;

		n = strcspn(addrs, " ");
		if (n >= sizeof(addr)) {
			errno = ENAMETOOLONG;
			err_set(err, "an address has more than %d bytes", ADDR_TEXT - 1);
			continue;
		}
		memcpy(addr, addrs, n);
		addr[n] = '\0';
		if (!strncmp(addr, "unix:", 5)) {
			fd = connect_unix(addr + 5, deadline, err);
		} else if (!strncmp(addr, "tcp:", 4)) {
			fd = connect_tcp(addr + 4, deadline, err);
		} else {
			errno = EINVAL;
			fd = err_set(err, "\"%s\" is not an address: unix:PATH or tcp:HOST:PORT",
				     addr);
		}
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* The peer of a Unix-domain connection runs as the same user. */
static bool peer_is_us(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
}

int addr_accept(int fd, struct err *err)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);
	int got = accept4(fd, (struct sockaddr *)&ss, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (got < 0) {
		/* gone before it was taken, or interrupted: as if it had not been there */
		if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO)
			errno = EAGAIN;
		return err_set(err, "cannot accept a connection: %s", strerror(errno));
	}
	if (ss.ss_family != AF_UNIX) {
		prepare_tcp(got);
		return got;
	}
	if (!peer_is_us(got)) {
		close(got);
		errno = EPERM;
		return err_set(err, "a connection of another user was refused");
	}
	return got;
}
