/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/ring.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"

void trace_config_on(void)
{
	s.trace_config = (struct trace_config){ .level = TRACE_CONFIG_CHECKSUM, .exact = 1 };
}

void ring_wake(void)
{
	atomic_fetch_add(&s.p->wake, 1);
	syscall(SYS_futex, &s.p->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* False: the program has ended, and there is none. */
static bool wait_for_record(void)
{
	for (int ms = 0; ms < PATIENCE; ms++) {
		if (s.p->sums_head != s.p->sums_tail)
			return true;
		if (s.ended)
			return false;
		if (waitpid(s.pid, &s.status, WNOHANG) == s.pid)
			s.ended = true;
		else
			pause_ms(1);
	}
	fail_msg("no record of checksums, and no end");
	return false;
}

static void copy_out(void *to, uint64_t from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((unsigned char *)to)[i] = s.p->sums[(from + i) % PAGE_SUMS];
}

static void name_of(struct ring_sum *sum)
{
	const struct page_entity *e = (const void *)(s.p->arena + sum->head.entity);
	const struct page_field *f = (const void *)(s.p->arena + e->field);

	assert_in_range(sum->head.entity, 8, PAGE_ARENA - sizeof(*e));
	snprintf(sum->name, sizeof(sum->name), "%s%s%s", text(e->name), sum->head.field ? "." : "",
		 sum->head.field ? text(f[sum->head.field - 1].name) : "");
}

const struct ring_record *ring_take(void)
{
	static struct ring_record r;
	size_t at = sizeof(r.head);

	if (!wait_for_record())
		return NULL;
	copy_out(&r.head, s.p->sums_tail, sizeof(r.head));
	assert_int_equal(r.head.bytes % 8, 0);
	assert_in_range(r.head.bytes, sizeof(r.head), sizeof(r.bytes));
	assert_in_range(r.head.bytes, sizeof(r.head), s.p->sums_head - s.p->sums_tail);
	assert_in_range(r.head.n, 0, RING_SUMS);
	copy_out(r.bytes, s.p->sums_tail, r.head.bytes);
	point_format(&r.head.point, r.point);
	for (uint32_t i = 0; i < r.head.n; i++) {
		struct ring_sum *sum = &r.sum[i];

		memcpy(&sum->head, r.bytes + at, sizeof(sum->head));
		sum->bytes = buf_view(r.bytes + at + sizeof(sum->head), sum->head.bytes);
		at += sizeof(sum->head) + ((sum->head.bytes + 7u) & ~7u);
		assert_in_range(at, 0, r.head.bytes);
		name_of(sum);
	}
	assert_int_equal(at, r.head.bytes);
	atomic_fetch_add(&s.p->sums_tail, r.head.bytes);
	if (atomic_load(&s.p->sums_waiting))
		ring_wake();
	return &r;
}

const struct ring_record *ring_expect(const char *point, unsigned n)
{
	const struct ring_record *r = ring_take();

	assert_non_null(r);
	assert_string_equal(r->point, point);
	assert_int_equal(r->head.n, n);
	return r;
}

static const struct ring_sum *find(const struct ring_record *r, const char *name)
{
	for (uint32_t i = 0; i < r->head.n; i++)
		if (!strcmp(r->sum[i].name, name))
			return &r->sum[i];
	return NULL;
}

bool ring_has(const struct ring_record *r, const char *name)
{
	return find(r, name) != NULL;
}

const struct ring_sum *ring_sum(const struct ring_record *r, const char *name)
{
	const struct ring_sum *sum = find(r, name);

	if (!sum)
		fail_msg("nothing is said of %s at %s", name, r->point);
	return sum;
}

struct sum *ring_decode(const struct ring_sum *sum)
{
	struct buf b = sum->bytes;
	struct err err = { "" };
	struct sum *decoded = sum_get(&b, &err);

	if (!decoded)
		fail_msg("%s: %s", sum->name, err.text);
	assert_int_equal(buf_left(&b), 0);
	return decoded;
}

double ring_total(const struct ring_sum *sum)
{
	struct sum *decoded = ring_decode(sum);
	struct sum_result *r = sum_finish(decoded, NULL);
	double total = r->all.part[0].sum;

	sum_result_destroy(r);
	sum_destroy(decoded);
	return total;
}
