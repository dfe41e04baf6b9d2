/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of decisions. One that is written is mapped, so that what is kept is there however the
 * program ends; no descriptor stays open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/mpi_table.h"
#include "runtime/order/order.h"

#define MAGIC "dvmdbg order 1\n"
#define MOST ((size_t)64 << 20) /* bytes of a file */
#define PIECE ((size_t)256 << 10)
#define PATH 4096
#define REPORT 192

struct head {
	char magic[16];
	uint32_t ranks, rank;
	uint32_t whole; /* the run came to its end, and all is here */
	uint32_t spare;
};

static struct {
	char path[PATH];
	struct head *head; /* mapped, MOST bytes; NULL: nothing is kept */
	size_t n, room;
} kept;

static struct {
	const struct head *head; /* mapped; NULL: nothing is followed */
	size_t n, at;
	int32_t passed; /* of the tests in vain that come next */
	int rank;
} followed;

static struct order_record *records(const struct head *h)
{
	return (struct order_record *)(h + 1);
}

/* Makes room for more, which is really there. */
static bool grow(size_t bytes)
{
	int fd = open(kept.path, O_RDWR | O_CLOEXEC), rc;

	if (fd < 0)
		return false;
	rc = posix_fallocate(fd, 0, (off_t)bytes);
	close(fd);
	if (!rc)
		kept.room = (bytes - sizeof(struct head)) / sizeof(struct order_record);
	return !rc;
}

static void keep_open(const char *dir, int rank, int ranks)
{
	int fd;
	void *at;

	if (snprintf(kept.path, sizeof(kept.path), "%s/order.%d", dir, rank) >= PATH)
		return;
	fd = open(kept.path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	at = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return;
	if (!grow(PIECE)) {
		munmap(at, MOST);
		return;
	}
	kept.head = at;
	memcpy(kept.head->magic, MAGIC, sizeof(MAGIC));
	kept.head->ranks = (uint32_t)ranks;
	kept.head->rank = (uint32_t)rank;
}

static void keep_close(bool whole)
{
	struct head *h = kept.head;
	size_t bytes = sizeof(*h) + kept.n * sizeof(struct order_record);

	kept.head = NULL;
	if (!h)
		return;
	h->whole = whole;
	munmap(h, MOST);
	if (truncate(kept.path, (off_t)bytes))
		return; /* what is behind is zero */
}

size_t order_keep(enum order_kind kind, int32_t a, int32_t b)
{
	struct order_record *r;

	if (!kept.head)
		return ORDER_NOWHERE;
	r = records(kept.head) + kept.n;
	if (kind == ORDER_NOT_YET && kept.n && r[-1].kind == ORDER_NOT_YET && r[-1].a < INT32_MAX) {
		r[-1].a++;
		return ORDER_NOWHERE;
	}
	if (kept.n == kept.room) {
		size_t bytes = sizeof(struct head) + kept.n * sizeof(*r) + PIECE;

		if (bytes > MOST || !grow(bytes)) {
			keep_close(false);
			return ORDER_NOWHERE;
		}
	}
	*r = (struct order_record){ kind, kind == ORDER_NOT_YET ? 1 : a, b, 0 };
	return kept.n++;
}

void order_fill(size_t at, int32_t a, int32_t b)
{
	if (!kept.head || at >= kept.n)
		return;
	records(kept.head)[at].a = a;
	records(kept.head)[at].b = b;
}

static void follow_open(const char *dir, int rank, int ranks)
{
	char path[PATH];
	struct stat st;
	void *at = MAP_FAILED;
	int fd;

	if (snprintf(path, sizeof(path), "%s/order.%d", dir, rank) >= PATH)
		return;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(struct head))
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return;
	followed.head = at;
	followed.rank = rank;
	followed.n = ((size_t)st.st_size - sizeof(struct head)) / sizeof(struct order_record);
	if (memcmp(followed.head->magic, MAGIC, sizeof(MAGIC)) ||
	    followed.head->ranks != (uint32_t)ranks || followed.head->rank != (uint32_t)rank)
		followed.head = NULL;
}

static const char *named(const char *variable)
{
	const char *dir = getenv(variable);

	return dir && *dir ? dir : NULL;
}

bool order_asked(void)
{
	return named("DVMDBG_ORDER_KEEP") || named("DVMDBG_ORDER_FOLLOW");
}

void order_begin(int rank, int ranks, bool one_thread)
{
	const char *keep = named("DVMDBG_ORDER_KEEP"), *follow = named("DVMDBG_ORDER_FOLLOW");
	int e = errno;

	if (one_thread && follow)
		follow_open(follow, rank, ranks);
	if (one_thread && keep)
		keep_open(keep, rank, ranks);
	errno = e;
}

void order_end(void)
{
	int e = errno;

	followed.head = NULL;
	keep_close(true);
	errno = e;
}

bool order_on(void)
{
	return kept.head || followed.head;
}

bool order_follows(void)
{
	return followed.head;
}

void order_give_up(const char *why)
{
	char text[REPORT];

	if (!followed.head)
		return;
	followed.head = NULL;
	snprintf(text, sizeof(text), "rank %d, decision %zu: %s", followed.rank, followed.at, why);
	if (dvmdbg_mpi_order)
		dvmdbg_mpi_order(text);
	order_widen();
}

const struct order_record *order_next(enum order_kind kind, bool test)
{
	const struct order_record *r;

	if (!followed.head)
		return NULL;
	r = records(followed.head) + followed.at;
	if (followed.at >= followed.n || r->kind == ORDER_NONE) {
		if (followed.head->whole)
			order_give_up("the recorded run has no more of them");
		followed.head = NULL;
		return NULL;
	}
	if (test && r->kind == ORDER_NOT_YET) {
		if (++followed.passed >= r->a) {
			followed.passed = 0;
			followed.at++;
		}
		return r;
	}
	followed.at++;
	if (r->kind == (uint32_t)kind)
		return r;
	order_give_up("the program calls another function of MPI than the recorded run");
	return NULL;
}
