/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "common/core/err.h"

struct output {
	struct {
		int ours, its; /* -1: none */
	} end[OUTPUT_STREAMS];
	bool one; /* both are the first: the order of what comes is kept */
};

static bool same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A terminal that is like that of fd; nobody's controlling terminal. */
static int open_terminal(int fd, int *ours, int *its)
{
	struct termios modes;
	struct winsize size;
	char name[128];

	*ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ours < 0 || grantpt(*ours) || unlockpt(*ours) ||
	    ptsname_r(*ours, name, sizeof(name)))
		return -1;
	*its = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*its < 0)
		return -1;
	if (!tcgetattr(fd, &modes))
		tcsetattr(*its, TCSANOW, &modes);
	if (!ioctl(fd, TIOCGWINSZ, &size))
		ioctl(*its, TIOCSWINSZ, &size);
	return 0;
}

static int open_pipe(int *ours, int *its)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	*ours = fd[0];
	*its = fd[1];
	return 0;
}

struct output *output_create(struct err *err)
{
	struct output *o = calloc(1, sizeof(*o));

	if (!o) {
		err_set(err, "out of memory");
		return NULL;
	}
	for (unsigned i = 0; i < OUTPUT_STREAMS; i++)
		o->end[i].ours = o->end[i].its = -1;
	o->one = same_file(STDOUT_FILENO, STDERR_FILENO);
	for (unsigned i = 0; i < (o->one ? 1 : OUTPUT_STREAMS); i++) {
		int fd = i ? STDERR_FILENO : STDOUT_FILENO;
		int rc = isatty(fd) ? open_terminal(fd, &o->end[i].ours, &o->end[i].its)
				    : open_pipe(&o->end[i].ours, &o->end[i].its);

		if (rc) {
			err_set(err, "the program's output: %s", strerror(errno));
			output_destroy(o);
			return NULL;
		}
		fcntl(o->end[i].ours, F_SETFL, O_NONBLOCK);
	}
	return o;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void output_destroy(struct output *o)
{
	if (!o)
		return;
	for (unsigned i = 0; i < OUTPUT_STREAMS; i++) {
		close_end(&o->end[i].ours);
		close_end(&o->end[i].its);
	}
	free(o);
}

void output_enter(const struct output *o)
{
	dup2(o->end[0].its, STDOUT_FILENO);
	dup2(o->end[o->one ? 0 : 1].its, STDERR_FILENO);
}

void output_entered(struct output *o)
{
	for (unsigned i = 0; i < OUTPUT_STREAMS; i++)
		close_end(&o->end[i].its);
}

int output_fd(const struct output *o, unsigned i)
{
	return o->end[i].ours;
}

size_t output_read(struct output *o, unsigned i, char *to, size_t n, int *stream)
{
	ssize_t got;

	*stream = i ? STDERR_FILENO : STDOUT_FILENO;
	if (o->end[i].ours < 0)
		return 0;
	got = read(o->end[i].ours, to, n);
	if (got > 0)
		return (size_t)got;
	/* of a terminal whose other end nobody has any more: EIO */
	if (!got || (errno != EAGAIN && errno != EINTR))
		close_end(&o->end[i].ours);
	return 0;
}

void output_pass(int stream, const char *text, size_t n)
{
	while (n) {
		ssize_t put = write(stream, text, n);
		struct pollfd p = { .fd = stream, .events = POLLOUT };

		if (put < 0 && errno != EINTR && (errno != EAGAIN || poll(&p, 1, 1000) <= 0))
			return;
		if (put > 0) {
			text += put;
			n -= (size_t)put;
		}
	}
}
