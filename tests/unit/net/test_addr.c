/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/err.h"

static char dir[] = "/tmp/dvmdbg-test-addr-XXXXXX";
static char path[64];

static void assert_flags(int fd)
{
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

/* Connects to addrs, which name the listener, and sees that bytes pass. */
static void check_pass(int listener, const char *addrs)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	struct err err = { "" };
	int a = addr_connect(addrs, 2000, &err);
	int b;
	char c;

	if (a < 0)
		fail_msg("%s", err.text);
	assert_flags(a);
	assert_int_equal(poll(&p, 1, 2000), 1);
	b = addr_accept(listener, &err);
	if (b < 0)
		fail_msg("%s", err.text);
	assert_flags(b);
	assert_int_equal(send(a, "x", 1, 0), 1);
	p.fd = b;
	assert_int_equal(poll(&p, 1, 2000), 1);
	assert_int_equal(recv(b, &c, 1, 0), 1);
	assert_int_equal(c, 'x');
	errno = 0;
	assert_int_equal(addr_accept(listener, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	close(a);
	close(b);
}

static int listen_on(const char *addr, char actual[ADDR_TEXT])
{
	struct err err = { "" };
	int fd = addr_listen(addr, actual, &err);

	if (fd < 0)
		fail_msg("%s", err.text);
	assert_flags(fd);
	return fd;
}

static void test_unix(void **state)
{
	char actual[ADDR_TEXT], addr[100];
	struct stat st;
	mode_t old = umask(0);
	int fd;

	snprintf(addr, sizeof(addr), "unix:%s", path);
	fd = listen_on(addr, actual);
	umask(old);
	assert_string_equal(actual, addr);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	check_pass(fd, actual);
	close(fd);
	unlink(path);
}

static void test_tcp(void **state)
{
	char actual[ADDR_TEXT];
	int fd = listen_on("tcp:127.0.0.1:0", actual);

	assert_memory_equal(actual, "tcp:127.0.0.1:", 14);
	assert_true(atoi(actual + 14) > 0);
	check_pass(fd, actual);
	close(fd);
}

static void test_tcp6(void **state)
{
	char actual[ADDR_TEXT];
	int fd = addr_listen("tcp:[::1]:0", actual, NULL);

	if (fd < 0)
		skip(); /* a host without IPv6 */
	assert_memory_equal(actual, "tcp:[::1]:", 10);
	check_pass(fd, actual);
	close(fd);
}

static void test_all_interfaces(void **state)
{
	char actual[ADDR_TEXT], local[100], host[256];
	int fd = listen_on("tcp:*:0", actual);

	/* others are told the host's name, not 0.0.0.0 */
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	assert_memory_equal(actual + 4, host, strlen(host));
	snprintf(local, sizeof(local), "tcp:127.0.0.1%s", strrchr(actual, ':'));
	check_pass(fd, local);
	close(fd);
}

static void test_first_that_answers(void **state)
{
	char actual[ADDR_TEXT], list[3 * ADDR_TEXT];
	int fd = listen_on("tcp:127.0.0.1:0", actual);

	snprintf(list, sizeof(list), "unix:%s/none  tcp:127.0.0.1:1 nonsense %s ", dir, actual);
	check_pass(fd, list);
	close(fd);
}

static void check_connect_refused(const char *addrs, const char *part)
{
	struct err err = { "" };

	assert_int_equal(addr_connect(addrs, 200, &err), -1);
	assert_true(errno != 0);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" not in \"%s\"", part, err.text);
}

static void test_connect_errors(void **state)
{
	char longer[ADDR_TEXT + 10];

	check_connect_refused("", "no address");
	check_connect_refused("   ", "no address");
	check_connect_refused("unix:/nonexistent/x",
			      "unix:/nonexistent/x: cannot connect: No such");
	check_connect_refused("tcp:127.0.0.1:1", "tcp:127.0.0.1:1: cannot connect");
	check_connect_refused("udp:1", "\"udp:1\" is not an address");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	check_connect_refused(longer, "more than");
	memcpy(longer, "unix:", 5);
	longer[200] = '\0';
	check_connect_refused(longer, "must have 1 to 107 bytes");
}

static void test_forms(void **state)
{
	static const char *const bad[] = {
		"tcp:",
		"tcp:host",
		"tcp:host:",
		"tcp:127.0.0.1:65536",
		"tcp:127.0.0.1:-1",
		"tcp:127.0.0.1:1x",
		"tcp:::1:5",
		"tcp:[::1:5",
		"tcp:[]5:5",
		"tcp:127.0.0.1:99999999999999999999",
	};
	struct err err;
	char actual[ADDR_TEXT];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err.text[0] = '\0';
		if (addr_listen(bad[i], actual, &err) >= 0)
			fail_msg("listens on %s", bad[i]);
		if (!strstr(err.text, "tcp:HOST:PORT"))
			fail_msg("%s: %s", bad[i], err.text);
	}
	assert_int_equal(addr_listen("", actual, &err), -1);
	assert_int_equal(addr_listen("unix:", actual, &err), -1);
	assert_int_equal(addr_listen("/tmp/x", actual, &err), -1);
	assert_non_null(strstr(err.text, "is not an address"));
}

static void test_already_there(void **state)
{
	char actual[ADDR_TEXT], again[ADDR_TEXT], addr[100];
	struct err err;
	int fd;

	snprintf(addr, sizeof(addr), "unix:%s", path);
	fd = listen_on(addr, actual);
	assert_int_equal(addr_listen(addr, again, &err), -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_non_null(strstr(err.text, path));
	close(fd);
	unlink(path);
	fd = listen_on("tcp:127.0.0.1:0", actual);
	assert_int_equal(addr_listen(actual, again, &err), -1);
	assert_int_equal(errno, EADDRINUSE);
	close(fd);
}

/* The rights of the path would let him in, who he is does not. */
static void test_other_user(void **state)
{
	char actual[ADDR_TEXT], addr[100];
	struct pollfd p = { .events = POLLIN };
	struct err err = { "" };
	int fd, as_other;

	if (geteuid() != 0)
		skip(); /* only root can become another user */
	snprintf(addr, sizeof(addr), "unix:%s", path);
	fd = listen_on(addr, actual);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(seteuid(65534), 0);
	as_other = addr_connect(addr, 1000, &err);
	assert_int_equal(seteuid(0), 0);
	if (as_other < 0)
		fail_msg("%s", err.text);
	p.fd = fd;
	assert_int_equal(poll(&p, 1, 1000), 1);
	assert_int_equal(addr_accept(fd, &err), -1);
	assert_int_equal(errno, EPERM);
	assert_non_null(strstr(err.text, "another user"));
	p.fd = as_other; /* and it is told so by the end of its stream */
	assert_int_equal(poll(&p, 1, 1000), 1);
	assert_true(p.revents & POLLHUP);
	close(as_other);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_tcp6),
		cmocka_unit_test(test_all_interfaces),
		cmocka_unit_test(test_first_that_answers),
		cmocka_unit_test(test_connect_errors),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_already_there),
		cmocka_unit_test(test_other_user),
	};
	int rc;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/socket", dir);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return rc;
}
