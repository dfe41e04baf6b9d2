/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/expr/expr.h"
#include "common/protocol/msg.h"
#include "common/array/layout.h"
#include "common/array/section.h"
#include "common/checksum/checksum.h"
#include "common/protocol/point_sums.h"
#include "tests/oom/cases.h"

/* Ranks lo … hi and some more, so that there are several runs. */
static int some_ranks(struct rankset *s, uint32_t lo)
{
	for (uint32_t i = 0; i < 6; i++)
		if (rankset_add(s, lo + 4 * i, lo + 4 * i + 1))
			return -1;
	return 0;
}

static int add_groups(struct groups *d, unsigned n)
{
	char text[] = "group 0";

	for (unsigned i = 0; i < n; i++) {
		struct rankset ranks = { 0 };
		int rc;

		text[6] = (char)('0' + i);
		rc = rankset_add(&ranks, i, i + 3) || groups_add(d, &ranks, text, sizeof(text));
		rankset_clear(&ranks);
		if (rc)
			return -1;
	}
	return 0;
}

static int run_ranksets(struct result *r)
{
	struct rankset a = { 0 }, b = { 0 }, c = { 0 };
	struct buf out = BUF_INIT;
	int rc = -1;

	if (some_ranks(&a, 3) || rankset_parse(&b, "0:3,9,20:30", &r->err) ||
	    rankset_copy(&c, &a) || rankset_add_set(&c, &b) || rankset_remove_set(&a, &b) ||
	    rankset_intersect(&b, &c))
		goto out;
	rankset_put(&a, &out);
	rankset_put(&b, &out);
	rankset_put(&c, &out);
	rc = case_buf(r, &out);
	if (!rc)
		rc = rankset_get(&b, &out) || rankset_get(&a, &out) || rankset_get(&c, &out);
	case_add(r, a.run, a.n * sizeof(*a.run));
	case_add(r, c.run, c.n * sizeof(*c.run));
out:
	rankset_clear(&a);
	rankset_clear(&b);
	rankset_clear(&c);
	buf_clear(&out);
	return rc ? -1 : 0;
}

static int run_groups(struct result *r)
{
	struct groups a = { 0 }, b = { 0 };
	struct buf out = BUF_INIT;
	int rc = -1;

	if (add_groups(&a, 4) || add_groups(&b, 8) || groups_merge(&a, &b))
		goto out;
	groups_sort_minority(&b);
	groups_put(&a, &out);
	rc = case_buf(r, &out);
	if (!rc)
		rc = groups_get(&b, &out);
	case_add(r, &b.n, sizeof(b.n));
out:
	groups_clear(&a);
	groups_clear(&b);
	buf_clear(&out);
	return rc;
}

static int put_rules(struct buf *b)
{
	struct rankset set[2] = { { 0 }, { 0 } };
	struct rule rule[3] = { { .id = 1, .set = 1 }, { .id = 2, .stop = 2 }, { .id = 3 } };
	struct watch watch = { .id = 4, .name = "u", .ndim = 1, .last = { 3 }, .step = { 1 } };
	struct trace_config_place place = { .level = 1 };
	struct msg_rules m = {
		.nset = 2, .n = 3, .nwatch = 1, .set = set, .rule = rule, .watch = &watch
	};
	int rc = some_ranks(&set[0], 1) || some_ranks(&set[1], 2);

	(void)place;
	msg_rules_put(&m, b);
	rankset_clear(&set[0]);
	rankset_clear(&set[1]);
	return rc;
}

static int run_rules(struct result *r)
{
	struct buf b = BUF_INIT, again = BUF_INIT;
	struct msg_rules m = { 0 };
	int rc = put_rules(&b) || case_buf(r, &b) || msg_rules_get(&m, &b);

	if (!rc) {
		msg_rules_put(&m, &again);
		rc = case_buf(r, &again);
	}
	msg_rules_clear(&m);
	buf_clear(&b);
	buf_clear(&again);
	return rc ? -1 : 0;
}

static int run_query(struct result *r)
{
	int64_t vector[] = { 1, 3, 2 };
	struct msg_query m = {
		.req = 7, .kind = QUERY_FETCH, .name = "u", .section = { .ndim = 2 }
	};
	struct buf b = BUF_INIT, again = BUF_INIT;
	int rc;

	m.section.dim[0] = (struct section_dim){ .vector = vector, .n = 3 };
	m.section.dim[1] = (struct section_dim){ .first = 1, .last = 9, .step = 2 };
	rc = some_ranks(&m.who, 1);
	msg_query_put(&m, &b);
	rankset_clear(&m.who);
	if (!rc)
		rc = case_buf(r, &b) || msg_query_get(&m, &b);
	if (!rc) {
		msg_query_put(&m, &again);
		rc = case_buf(r, &again);
		msg_query_clear(&m);
	}
	buf_clear(&b);
	buf_clear(&again);
	return rc ? -1 : 0;
}

static int run_messages(struct result *r)
{
	struct msg_reply reply = { .req = 5 }, got = { 0 };
	struct msg_event event = { .kind = EVENT_STOP, .gen = 2 }, event_got = { 0 };
	struct msg_go go = { .plan = { .gen = 3 } }, go_got = { 0 };
	struct buf b = BUF_INIT;
	int rc = some_ranks(&reply.covered, 0) || add_groups(&reply.groups, 3) ||
		 add_groups(&event.groups, 5) || some_ranks(&go.who, 9);

	if (!rc) {
		msg_reply_put(&reply, &b);
		rc = case_buf(r, &b) || msg_reply_get(&got, &b);
	}
	if (!rc) {
		buf_reset(&b);
		msg_event_put(&event, &b);
		rc = case_buf(r, &b) || msg_event_get(&event_got, &b);
	}
	if (!rc) {
		buf_reset(&b);
		msg_go_put(&go, &b);
		rc = case_buf(r, &b) || msg_go_get(&go_got, &b);
	}
	case_add(r, &got.groups.n, sizeof(got.groups.n));
	case_add(r, &event_got.groups.n, sizeof(got.groups.n));
	case_add(r, &go_got.who.n, sizeof(got.groups.n));
	msg_reply_clear(&reply);
	msg_reply_clear(&got);
	msg_event_clear(&event);
	msg_event_clear(&event_got);
	rankset_clear(&go.who);
	rankset_clear(&go_got.who);
	buf_clear(&b);
	return rc ? -1 : 0;
}

/* A sum of n numbers that begin at element `first` of 1,000. */
static struct sum *make_sum(const double *v, int64_t first, int64_t n, struct err *err)
{
	int64_t extent = 1000;
	struct sum_plan p;
	struct sum *s;

	if (sum_plan_make(&p, 1, &extent, VALUE_DOUBLE, 0, err))
		return NULL;
	s = sum_create(&p, err);
	if (s && sum_add(s,
			 &(struct layout){
				 .data = v, .first = { first }, .count = { n }, .stride = { 8 } },
			 err)) {
		sum_destroy(s);
		return NULL;
	}
	return s;
}

static int run_sums(struct result *r)
{
	double v[500];
	struct sum *a, *b, *c = NULL;
	struct sum_result *all = NULL, *copy = NULL;
	struct buf out = BUF_INIT;
	int rc = -1;

	for (unsigned i = 0; i < 500; i++)
		v[i] = i * 0.1;
	a = make_sum(v, 0, 500, &r->err);
	b = make_sum(v, 500, 500, &r->err);
	if (!a || !b || sum_merge(a, b, &r->err))
		goto out;
	sum_put(a, &out);
	if (case_buf(r, &out) || !(c = sum_get(&out, &r->err)) || !(all = sum_finish(c, &r->err)))
		goto out;
	buf_reset(&out);
	sum_result_put(all, &out);
	copy = case_buf(r, &out) ? NULL : sum_result_get(&out, &r->err);
	rc = copy ? 0 : -1;
	if (copy)
		case_add(r, &copy->all.hash, sizeof(copy->all.hash));
out:
	sum_result_destroy(all);
	sum_result_destroy(copy);
	sum_destroy(a);
	sum_destroy(b);
	sum_destroy(c);
	buf_clear(&out);
	return rc;
}

static struct sum *make_scalar(double v, struct err *err)
{
	struct sum_plan p;
	struct sum *s;

	if (sum_plan_make(&p, 0, NULL, VALUE_DOUBLE, 0, err))
		return NULL;
	s = sum_create(&p, err);
	if (!s || !sum_add(s, &(struct layout){ .data = &v }, err))
		return s;
	sum_destroy(s);
	return NULL;
}

static int fill_point_sums(struct point_sums *t, uint32_t rank, struct err *err)
{
	struct place here = { .file = "heat.c", .func = "main", .line = 61, .module = "" };
	static const char *const names[] = { "u", "dt", "par.x" };
	double v[4] = { 1, 2, 3, 4 };
	struct point_sums_item *i;
	struct buf b = BUF_INIT;
	struct sum *s;
	int rc;

	*t = (struct point_sums){ .point = { .main = 3, .side = POINT_END }, .kind = 1 };
	if (point_sums_set_place(t, &here) || rankset_add(&t->passed, rank, rank))
		return -1;
	for (unsigned n = 0; n < 3; n++) {
		i = point_sums_add(t, names[n], "heat.c", 12 + n + (n == 2 ? rank : 0), 0);
		if (!i || rankset_add(&i->ranks, rank, rank))
			return -1;
		i->kind = n ? ARRAY_REPLICATED : ARRAY_DISTRIBUTED;
		i->order = 'C';
		if (n) {
			s = make_scalar(v[rank & 1], err);
			if (!s)
				return -1;
			i->plan = *sum_plan_of(s);
			buf_reset(&b);
			sum_put(s, &b);
			sum_destroy(s);
			rc = b.bad || groups_add(&i->copies, &i->ranks, b.data, b.len);
			buf_clear(&b);
			if (rc)
				return -1;
			continue;
		}
		i->sum = make_sum(v, 4 * rank, 4, err);
		if (!i->sum)
			return -1;
		i->plan = *sum_plan_of(i->sum);
	}
	return 0;
}

static int run_tallies(struct result *r)
{
	struct point_sums a = { 0 }, b = { 0 };
	struct buf out = BUF_INIT;
	int rc = fill_point_sums(&a, 0, &r->err);

	for (uint32_t rank = 1; !rc && rank < 4; rank++) {
		rc = fill_point_sums(&b, rank, &r->err) || point_sums_merge(&a, &b);
		point_sums_clear(&b);
	}
	if (!rc) {
		point_sums_put(&a, &out);
		rc = case_buf(r, &out) || point_sums_get(&b, &out, &r->err);
		case_add(r, &b.n, sizeof(b.n));
	}
	point_sums_clear(&a);
	point_sums_clear(&b);
	buf_clear(&out);
	return rc ? -1 : 0;
}

/* u is a vector of four numbers, everything else 2. */
static int resolve(void *arg, const char *name, const struct section *asked, struct values *out,
		   struct err *err)
{
	double v[4] = { 2, 1, 4, 3 };
	struct section s = { 0 };
	int rc;

	(void)err;
	out->type = VALUE_DOUBLE;
	out->elem_size = 8;
	if (!strcmp(name, "u")) {
		rc = asked ? section_copy(&s, asked) : 0;
		section_clear(&s);
		if (rc)
			return -1;
		out->ndim = 1;
		out->count[0] = 4;
	}
	return values_add(out, arg, v);
}

static bool known(void *arg, const char *name)
{
	(void)arg;
	return !strcmp(name, "u") || !strcmp(name, "dt");
}

static int run_expressions(struct result *r)
{
	static const char *const texts[] = { "dt * 2 + u", "sum (u) > 3 && max (u * u) < 20",
					     "u (1:2)", "abs (-u) - dt ** 2" };
	struct rankset who = { 0 };
	const struct expr_scope scope = { .arg = &who, .resolve = resolve, .known = known };
	int rc = rankset_add(&who, 0, 3) ? -1 : 0;

	for (unsigned i = 0; !rc && i < 4; i++) {
		struct values q = { 0 };
		struct expr *e = expr_parse(texts[i], &r->err);

		rc = e ? expr_eval(e, &who, &scope, &q, &r->err) : -1;
		for (uint64_t k = 0; !rc && k < values_total(&q); k++) {
			struct value v = values_value(&q, 0, k);

			case_add(r, &v.i, sizeof(v.i));
			case_add(r, &v.re, sizeof(v.re));
		}
		values_clear(&q);
		expr_destroy(e);
	}
	rankset_clear(&who);
	return rc;
}

const struct oom_case cases_common[] = {
	{ .name = "ranksets", .run = run_ranksets },
	{ .name = "groups", .run = run_groups },
	{ .name = "rules", .run = run_rules },
	{ .name = "query", .run = run_query },
	{ .name = "messages", .run = run_messages },
	{ .name = "sums", .run = run_sums },
	{ .name = "tallies", .run = run_tallies },
	{ .name = "expressions", .run = run_expressions },
	{ 0 },
};
