/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Contents of messages and reports: the first byte chooses which. What is read must give, when
 * written and read once more, the same bytes.
 */
#include "tests/fuzz/fuzz.h"

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"
#include "common/array/bins.h"

/* Reads one from `in` and writes it to `out`; -1 when it is refused. */
#define CODEC(type, clear)                                       \
	static int type##_codec(struct buf *in, struct buf *out) \
	{                                                        \
		struct type m;                                   \
		if (type##_get(&m, in))                          \
			return -1;                               \
		type##_put(&m, out);                             \
		clear;                                           \
		return 0;                                        \
	}

CODEC(msg_params, (void)0)
CODEC(msg_join, rankset_clear(&m.subtree))
CODEC(msg_parent, (void)0)
CODEC(msg_attach, rankset_clear(&m.subtree))
CODEC(msg_rules, msg_rules_clear(&m))
CODEC(msg_go, rankset_clear(&m.who))
CODEC(msg_freeze, rankset_clear(&m.who))
CODEC(msg_query, msg_query_clear(&m))
CODEC(msg_kill, rankset_clear(&m.who))
CODEC(msg_reply, msg_reply_clear(&m))
CODEC(msg_event, msg_event_clear(&m))
CODEC(report_stack, (void)0)
CODEC(report_stop, (void)0)
CODEC(report_exit, (void)0)
CODEC(report_status, (void)0)
CODEC(report_finding, (void)0)
CODEC(section, section_clear(&m))
CODEC(trace_config, (void)0)
CODEC(msg_verdict, (void)0)
CODEC(msg_trace, (void)0)
CODEC(report_trace, (void)0)
CODEC(trace_config_place, (void)0)

static int report_point_codec(struct buf *in, struct buf *out)
{
	struct report_point r;

	report_point_get(&r, in);
	if (in->bad)
		return -1;
	report_point_put(&r, out);
	return 0;
}

static int array_codec(struct buf *in, struct buf *out)
{
	struct array_desc a;
	int rc = array_desc_get_global(&a, in);

	if (rc)
		return -1;
	rc = array_desc_get_local(&a, in);
	if (!rc) {
		array_desc_put_global(&a, out);
		array_desc_put_local(&a, out);
	}
	array_desc_clear(&a);
	return rc;
}

static int point_sums_codec(struct buf *in, struct buf *out)
{
	struct point_sums t;

	if (point_sums_get(&t, in, NULL))
		return -1;
	point_sums_put(&t, out);
	point_sums_clear(&t);
	return 0;
}

static int bins_codec(struct buf *in, struct buf *out)
{
	struct bins z;

	if (bins_get(&z, in))
		return -1;
	bins_put(&z, out);
	bins_clear(&z);
	return 0;
}

static int (*const codec[])(struct buf *in, struct buf *out) = {
	msg_params_codec,    msg_join_codec,
	msg_parent_codec,    msg_attach_codec,
	msg_rules_codec,     msg_go_codec,
	msg_freeze_codec,    msg_query_codec,
	msg_kill_codec,	     msg_reply_codec,
	msg_event_codec,     report_stack_codec,
	report_stop_codec,   report_exit_codec,
	report_status_codec, report_finding_codec,
	section_codec,	     report_point_codec,
	array_codec,	     trace_config_codec,
	msg_verdict_codec,   point_sums_codec,
	bins_codec,	     msg_trace_codec,
	report_trace_codec,  trace_config_place_codec,
};

#define CODECS (sizeof codec / sizeof *codec)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf in, once = BUF_INIT, twice = BUF_INIT;

	if (!size)
		return 0;
	in = buf_view(data + 1, size - 1);
	if (!codec[data[0] % CODECS](&in, &once)) {
		struct buf back = buf_view(once.data, once.len);

		FUZZ_CHECK(!codec[data[0] % CODECS](&back, &twice));
		FUZZ_CHECK(once.len == twice.len);
		FUZZ_CHECK(!once.len || !memcmp(once.data, twice.data, once.len));
	}
	buf_clear(&once);
	buf_clear(&twice);
	return 0;
}

#ifdef FUZZ_MAIN

static const struct place here = { .file = "heat.c", .func = "main", .line = 61, .module = "" };
static const struct point third = { .main = 3, .side = POINT_END };

static const struct report_frame frame_here = {
	.kind = 1,
	.nidx = 2,
	.idx = { 4, -5 },
	.point = { .main = 3 },
	.place = { .file = "heat.c", .func = "main", .line = 61, .module = "" },
};

static void seed_report(unsigned i, struct buf *out)
{
	struct report_stack stack = { .n = 2, .lost = 1, .frame = { frame_here, frame_here } };

	switch (i) {
	case 11:
		report_stack_put(&stack, out);
		break;
	case 12:
		report_stop_put(&(struct report_stop){ .nact = 2,
						       .act = { 1, 7 },
						       .hash_n = 3,
						       .hash = 99,
						       .point = third,
						       .frame = frame_here },
				out);
		break;
	case 13:
		report_exit_put(&(struct report_exit){ .how = EXIT_SIGNAL,
						       .code = 9,
						       .mpi = MPI_STATE_UP,
						       .had_runtime = 1,
						       .point = third,
						       .stack = stack },
				out);
		break;
	case 14:
		report_status_put(&(struct report_status){ .state = RANK_STOPPED,
							   .mpi = MPI_STATE_UP,
							   .annotated = 1,
							   .point = third,
							   .frame = frame_here },
				  out);
		break;
	case 15:
		report_finding_put(&(struct report_finding){ .kind = FINDING_NESTING,
							     .point = third,
							     .place = here,
							     .detail = "in PL" },
				   out);
		break;
	default:
		report_point_put(&(struct report_point){ .point = third, .place = here, .usec = 5 },
				 out);
	}
}

static void seed_array(struct buf *out)
{
	struct array_field field[] = { { "x", 4, 0, 3 }, { "id", 1, 24, 1 } };
	int64_t list[] = { 1, 4, 7 };
	struct array_desc a = { .name = "part",
				.file = "nbody.c",
				.line = 12,
				.type = 64,
				.order = 'C',
				.elem_size = 32,
				.ndim = 2,
				.extent = { 10, 8 },
				.own_hi = { 4, 7 },
				.halo_lo = { 1, 1 },
				.field = field,
				.nfield = 2 };

	a.list[1] = list;
	a.list_n[1] = 3;
	array_desc_put_global(&a, out);
	array_desc_put_local(&a, out);
}

/* Messages that hold rank sets and groups. */
static void seed_ranks(unsigned i, struct rankset *who, struct buf *out)
{
	int64_t vector[] = { 3, 1, 4 };
	struct section s = { .ndim = 3,
			     .dim = { { .last = 9, .step = 3 },
				      { .scalar = true, .first = 7 },
				      { .vector = vector, .n = 3 } } };
	struct groups d = { 0 };

	groups_add(&d, who, "some bytes", 10);
	switch (i) {
	case 1:
		msg_join_put(&(struct msg_join){ .rank = 2,
						 .size = 4,
						 .pid = 77,
						 .version = "1",
						 .host = "node1",
						 .listen = "unix:/a",
						 .subtree = *who },
			     out);
		break;
	case 3:
		msg_attach_put(&(struct msg_attach){ .rank = 2, .subtree = *who }, out);
		break;
	case 5:
		msg_go_put(
			&(struct msg_go){ .who = *who,
					  .plan = { .gen = 4, .mode = PLAN_TO, .target = third } },
			out);
		break;
	case 6:
		msg_freeze_put(&(struct msg_freeze){ .req = 1, .who = *who }, out);
		break;
	case 7:
		msg_query_put(&(struct msg_query){ .req = 1,
						   .kind = QUERY_FETCH,
						   .who = *who,
						   .name = "u",
						   .section = s },
			      out);
		break;
	case 8:
		msg_kill_put(&(struct msg_kill){ .who = *who, .final = 1 }, out);
		break;
	case 9:
		msg_reply_put(&(struct msg_reply){ .req = 8, .covered = *who, .groups = d }, out);
		break;
	case 10:
		msg_event_put(&(struct msg_event){ .kind = EVENT_STOP, .gen = 3, .groups = d },
			      out);
		break;
	default:
		section_put(&s, out);
	}
	groups_clear(&d);
}

/* Two ranks, one array, one scalar. */
static void seed_point_sums(struct buf *out)
{
	struct point_sums t = { .point = third, .kind = CONSTRUCT_PL };
	struct rankset both = { 0 };
	int64_t n = 2;
	double v = 1.5;

	rankset_add(&both, 0, 1);
	point_sums_set_place(&t, &here);
	rankset_copy(&t.passed, &both);
	rankset_add(&t.dropped, 1, 1);
	for (unsigned kind = 0; kind < 2; kind++) {
		struct point_sums_item *i = point_sums_add(&t, kind ? "dt" : "u", "heat.c", 12, 0);
		struct buf b = BUF_INIT;
		struct sum *s;

		sum_plan_make(&i->plan, !kind, &n, VALUE_DOUBLE, 0, NULL);
		s = sum_create(&i->plan, NULL);
		sum_add(s, &(struct layout){ .data = &v, .count = { 1 } }, NULL);
		i->kind = (uint8_t)kind;
		i->order = 'C';
		rankset_copy(&i->ranks, &both);
		sum_put(s, &b);
		if (kind)
			groups_add(&i->copies, &both, b.data, b.len);
		else
			i->sum = s;
		if (kind)
			sum_destroy(s);
		buf_clear(&b);
	}
	point_sums_put(&t, out);
	point_sums_clear(&t);
	rankset_clear(&both);
}

/* Two cells of four. */
static void seed_bins(struct buf *out)
{
	struct bins z;

	if (bins_make(&z, 2, false, 2, 2))
		return;
	z.cell[1] =
		(struct bins_cell){ .count = 300, .sum = 3, .least = -1, .most = 2.5, .nan = 1 };
	z.cell[2] =
		(struct bins_cell){ .count = 300, .sum = 300, .least = 1, .most = 1, .owner = 3 };
	bins_cell_add(&z.all, &z.cell[1]);
	z.found_nan = true;
	z.bin[3] = 9;
	bins_put(&z, out);
	bins_clear(&z);
}

static bool fuzz_seed(unsigned i, struct buf *out)
{
	struct rule rule[2] = { { .id = 1, .kind = RULE_POINT, .point = third },
				{ .id = 2, .kind = RULE_LINE, .line = 61, .file = "heat.c" } };
	struct rankset who = { 0 };

	if (i >= CODECS)
		return false;
	buf_put_u8(out, (uint8_t)i);
	rankset_add(&who, 0, 3);
	rankset_add(&who, 9, 9);
	if (i == 0)
		msg_params_put(&(struct msg_params){ 1 }, out);
	else if (i == 2)
		msg_parent_put(&(struct msg_parent){ .n = 2, .addr = { "unix:/a", "tcp:b:1" } },
			       out);
	else if (i == 4)
		msg_rules_put(&(struct msg_rules){ .n = 2, .rule = rule }, out);
	else if (i == 18)
		seed_array(out);
	else if (i == 19)
		trace_config_put(&(struct trace_config){ .level = TRACE_CONFIG_CHECKSUM,
							 .hold = 1,
							 .start = third },
				 out);
	else if (i == 20)
		msg_verdict_put(&(struct msg_verdict){ .point = third, .stop = 1 }, out);
	else if (i == 21)
		seed_point_sums(out);
	else if (i == 22)
		seed_bins(out);
	else if (i == 23)
		msg_trace_put(
			&(struct msg_trace){ .record = "/a", .memory = 64 << 20, .effort = 1 },
			out);
	else if (i == 24)
		report_trace_put(&(struct report_trace){ .state = 1, .why = "no room" }, out);
	else if (i == 25)
		trace_config_place_put(&(struct trace_config_place){ .kind = RULE_LINE,
								     .level = 2,
								     .nrange = 1,
								     .step = { 1 },
								     .file = "heat.c" },
				       out);
	else if ((i >= 11 && i <= 15) || i == 17)
		seed_report(i, out);
	else
		seed_ranks(i, &who, out);
	rankset_clear(&who);
	return true;
}
#endif
