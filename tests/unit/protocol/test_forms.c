/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forms of all that travels or is kept in files do not change: fixed contents have the same
 * bytes as ever. What was read is put back as the same bytes, and no beginning of them is read.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/mpistate/agree.h"
#include "common/protocol/answer.h"
#include "common/protocol/finding_kind.h"
#include "common/core/fingerprint.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"
#include "common/checksum/checksum.h"
#include "common/protocol/point_sums.h"
#include "common/coverage/coverage.h"
#include "common/trace/block.h"
#include "common/tracereport/tracereport.h"
#include "common/tracefile/internal.h"
#include "common/array/value.h"
#include "common/array/bins.h"
#include "frontend/sumdiff/sumdiff.h"
#include "tests/unit/protocol/form_values.h"

/* What a form is put by, and how it is read and put back. */
#define FORM(name, type, get, put, clear)                        \
	static int again_##name(struct buf *in, struct buf *out) \
	{                                                        \
		type x = { 0 };                                  \
                                                                 \
		if (get(&x, in))                                 \
			return -1;                               \
		put(&x, out);                                    \
		clear;                                           \
		return 0;                                        \
	}                                                        \
	static void put_##name(struct buf *b)
#define FORM_OF(name, clear) FORM(name, struct name, name##_get, name##_put, clear)
/* One that is made when it is read. */
#define FORM_NEW(name, type, get, put, destroy)                  \
	static int again_##name(struct buf *in, struct buf *out) \
	{                                                        \
		type *x = get;                                   \
                                                                 \
		if (!x)                                          \
			return -1;                               \
		put(x, out);                                     \
		destroy(x);                                      \
		return 0;                                        \
	}                                                        \
	static void put_##name(struct buf *b)

FORM_OF(msg_params, (void)0)
{
	msg_params_put(&(struct msg_params){ 1 }, b);
}

FORM_OF(msg_join, rankset_clear(&x.subtree))
{
	struct msg_join m = {
		3, 16, 4711, "0.1", "node3", "unix:/tmp/x tcp:node3:5000", 1, ranks("3,10:12")
	};

	msg_join_put(&m, b);
	rankset_clear(&m.subtree);
}

FORM_OF(msg_parent, (void)0)
{
	msg_parent_put(&(struct msg_parent){ 2, { "unix:/a", "tcp:h:1" }, { 1 } }, b);
}

FORM_OF(msg_attach, rankset_clear(&x.subtree))
{
	struct msg_attach m = { 17, ranks("17:20,33") };

	msg_attach_put(&m, b);
	rankset_clear(&m.subtree);
}

FORM_OF(msg_rules, msg_rules_clear(&x))
{
	struct rankset set[] = { ranks("0:3"), ranks("5") };
	struct rule r[] = { rule(), { .kind = RULE_POINT, .point = main_point } };
	struct watch w = watch();
	struct trace_config_place p = trace_config_place();
	struct msg_rules m = { trace_config(), 2, 2, 1, 1, set, r, &w, &p };

	msg_rules_put(&m, b);
	rankset_clear(&set[0]);
	rankset_clear(&set[1]);
}

FORM_OF(msg_go, rankset_clear(&x.who))
{
	struct msg_go m = { ranks("0:3"), { 5, 4, PLAN_TO, 7, task_point } };

	msg_go_put(&m, b);
	rankset_clear(&m.who);
}

FORM_OF(msg_freeze, rankset_clear(&x.who))
{
	struct msg_freeze m = { 8, ranks("0:3") };

	msg_freeze_put(&m, b);
	rankset_clear(&m.who);
}

static void put_query(uint8_t kind, struct buf *b)
{
	struct msg_query m = { .req = 77,
			       .kind = kind,
			       .who = ranks("1,3"),
			       .name = "u",
			       .n = 2,
			       .rank = 3,
			       .section = vector_section(),
			       .bins = spec(),
			       .value = { VALUE_DCOMPLEX, "0123456789abcdef" },
			       .func = "f",
			       .id = 5 };

	msg_query_put(&m, b);
	msg_query_clear(&m);
}

FORM_OF(msg_query, msg_query_clear(&x))
{
	put_query(QUERY_FETCH, b);
}

#define PUT_QUERY(what, kind)                               \
	static void put_msg_query_##what(struct buf *b)     \
	{                                                   \
		put_query(kind, b);                         \
	}
PUT_QUERY(bins, QUERY_BINS)
PUT_QUERY(assign, QUERY_ASSIGN)
PUT_QUERY(watch, QUERY_WATCH)

FORM_OF(msg_kill, rankset_clear(&x.who))
{
	struct msg_kill m = { ranks("0:3"), 1 };

	msg_kill_put(&m, b);
	rankset_clear(&m.who);
}

FORM_OF(msg_verdict, (void)0)
{
	msg_verdict_put(&(struct msg_verdict){ main_point, 1 }, b);
}

FORM_OF(msg_trace, (void)0)
{
	struct msg_trace m = {
		"/a", "/b", "heat", "0123", 12, MSG_TRACE_LEAST, 3, { SUM_RELATIVE, 1e-9, -1 },
		100,  1, 0,    1,      2,	 { 2, 3 }
	};

	msg_trace_put(&m, b);
}

FORM_OF(msg_reply, msg_reply_clear(&x))
{
	struct msg_reply m = { 5, ranks("0:8"), groups() };

	msg_reply_put(&m, b);
	msg_reply_clear(&m);
}

FORM_OF(msg_event, msg_event_clear(&x))
{
	struct msg_event m = { EVENT_STOP, 6, groups() };

	msg_event_put(&m, b);
	msg_event_clear(&m);
}

FORM_OF(report_stop, (void)0)
{
	struct report_stop r = { STOP_SIGNAL, 1,  2,	    3,		{ 4, 9 }, -11,
				 0x7fff0000,  12, 0xabcdef, task_point, frame() };

	report_stop_put(&r, b);
}

static void put_report_stop_empty(struct buf *b)
{
	report_stop_put(&(struct report_stop){ .frame.kind = CONSTRUCT_KINDS }, b);
}

FORM_OF(report_stack, (void)0)
{
	report_stack_put(&(struct report_stack){ 2, 7, { frame(), frame() } }, b);
}

FORM_OF(report_exit, (void)0)
{
	struct report_exit r = { .how = EXIT_SIGNAL,
				 .code = -6,
				 .core = 1,
				 .mpi = MPI_STATE_UP,
				 .had_runtime = 1,
				 .abort_code = -3,
				 .aborted = 1,
				 .hash_n = 7,
				 .hash = 0xfedcba,
				 .point = main_point,
				 .stack = { 1, 0, { frame() } } };

	report_exit_put(&r, b);
}

FORM_OF(report_trace, (void)0)
{
	struct report_trace r = { 1, 1, 1,  2,	3,  4, 5,	   6,	       7,	  8,
				  9, 10, 11, 12, 13, 14, { 15, 16, 17, 18 }, 19, 20, 21, { 22, 23, 24, 25, 26 }, 1, main_point, task_point, "no space" };

	report_trace_put(&r, b);
}

FORM_OF(report_status, (void)0)
{
	struct report_status r = { RANK_STOPPED, MPI_STATE_UP, 1,      STOP_STEP, 8,
				   90,		 main_point,   frame() };

	report_status_put(&r, b);
}

static int point_of_report(struct report_point *r, struct buf *b)
{
	report_point_get(r, b);
	return b->bad ? -1 : 0;
}

FORM(report_point, struct report_point, point_of_report, report_point_put, (void)0)
{
	report_point_put(&(struct report_point){ task_point, CONSTRUCT_TR, call_place, 99 }, b);
}

FORM_OF(report_finding, (void)0)
{
	struct report_finding r = { FINDING_NESTING, main_point, line_place, "in a task" };

	report_finding_put(&r, b);
}

FORM(global, struct array_desc, array_desc_get_global, array_desc_put_global, array_desc_clear(&x))
{
	struct array_desc a = array();

	array_desc_put_global(&a, b);
	array_desc_clear(&a);
}

/* For an array of two dimensions. */
static int get_local(struct array_desc *a, struct buf *b)
{
	int rc;

	a->ndim = 2;
	rc = array_desc_get_local(a, b);
	if (rc)
		array_desc_clear(a);
	return rc;
}

FORM(local, struct array_desc, get_local, array_desc_put_local, array_desc_clear(&x))
{
	struct array_desc a = array();

	array_desc_put_local(&a, b);
	array_desc_clear(&a);
}

FORM_NEW(sum, struct sum, sum_get(in, NULL), sum_put, sum_destroy)
{
	struct sum *s = some_sum(VALUE_DOUBLE);

	sum_put(s, b);
	sum_destroy(s);
}

static void put_sum_complex(struct buf *b)
{
	struct sum *s = some_sum(VALUE_DCOMPLEX);

	sum_put(s, b);
	sum_destroy(s);
}

static void put_sum_integer(struct buf *b)
{
	struct sum *s = some_sum(VALUE_LONG);

	sum_put(s, b);
	sum_destroy(s);
}

FORM_NEW(sum_result, struct sum_result, sum_result_get(in, NULL), sum_result_put,
	 sum_result_destroy)
{
	struct sum *s = some_sum(VALUE_DCOMPLEX);
	struct sum_result *r = sum_finish(s, NULL);

	assert_non_null(r);
	sum_result_put(r, b);
	sum_result_destroy(r);
	sum_destroy(s);
}

static int get_point_sums(struct point_sums *t, struct buf *b)
{
	return point_sums_get(t, b, NULL);
}

FORM(point_sums, struct point_sums, get_point_sums, point_sums_put, point_sums_clear(&x))
{
	struct point_sums t = { .point = main_point,
				.kind = CONSTRUCT_PL,
				.passed = ranks("0:8"),
				.dropped = ranks("2"),
				.differ = ranks("0,3") };
	struct point_sums_item *i;
	struct sum *s = some_sum(VALUE_DOUBLE);
	struct rankset some = ranks("1:2"), two = ranks("4");
	struct buf one = BUF_INIT;

	assert_int_equal(point_sums_set_place(&t, &line_place), 0);
	i = point_sums_add(&t, "dt", "", 0, 0);
	assert_non_null(i);
	i->kind = ARRAY_REPLICATED;
	i->order = 'F';
	i->flags = POINT_SUMS_READ | POINT_SUMS_CHANGED;
	assert_int_equal(point_sums_item_set_module(i, "/bin/heat", 0x4000), 0);
	assert_int_equal(rankset_add(&i->ranks, 0, 8), 0);
	i->plan = *sum_plan_of(s);
	i->lower[1] = -7;
	sum_put(s, &one);
	assert_int_equal(groups_add(&i->copies, &some, one.data, one.len), 0);
	buf_reset(&one);
	sum_reset(s);
	sum_put(s, &one);
	assert_int_equal(groups_add(&i->copies, &two, one.data, one.len), 0);
	i = point_sums_add(&t, "u", "heat.c", 41, 1);
	assert_non_null(i);
	i->kind = ARRAY_DISTRIBUTED;
	i->order = 'C';
	i->flags = POINT_SUMS_WRITE | POINT_SUMS_WRITTEN;
	assert_int_equal(rankset_add(&i->ranks, 1, 7), 0);
	i->sum = some_sum(VALUE_DOUBLE);
	i->plan = *sum_plan_of(s);
	i->lower[0] = 1;
	point_sums_put(&t, b);
	point_sums_clear(&t);
	buf_clear(&one);
	sum_destroy(s);
	rankset_clear(&some);
	rankset_clear(&two);
}

FORM_OF(bins, bins_clear(&x))
{
	struct bins z = picture();

	bins_put(&z, b);
	bins_clear(&z);
}

FORM_OF(trace_finding, (void)0)
{
	struct trace_finding f = finding(4);

	trace_finding_put(&f, b);
}

FORM(trace_findings, struct trace_findings, trace_findings_read, trace_findings_put,
     trace_findings_clear(&x))
{
	struct trace_findings l = { 0 };
	struct trace_finding f = finding(4);

	assert_int_equal(trace_findings_add(&l, &f), 0);
	f.kind = FINDING_USE;
	f.rank = 2;
	f.fewer = true;
	assert_int_equal(trace_findings_add(&l, &f), 0);
	l.more = true;
	trace_findings_put(&l, b);
	trace_findings_clear(&l);
}

FORM_NEW(index_set, struct index_set, index_set_get(in), index_set_put, index_set_destroy)
{
	struct index_set *s = some_set();

	index_set_put(s, b);
	index_set_destroy(s);
}

FORM_OF(cover, cover_clear(&x))
{
	struct cover c = { .point = main_point,
			   .kind = CONSTRUCT_PL,
			   .place = line_place,
			   .ranks = 3,
			   .extra = true,
			   .heard = true,
			   .ref_files = 2,
			   .ref_count = 1000,
			   .iterations = some_set(),
			   .nitem = 1 };
	struct cover_item item = { "u", "heat.c", 41, 1, 'C', 2, NULL, NULL, NULL };
	struct array_desc a = array();

	item.written = some_set();
	item.unwritten = index_set_create(2);
	item.fewer = index_set_create(2);
	index_set_lose(item.fewer);
	c.item = &item;
	assert_int_equal(ownership_add(&c.owners, 7, &a), 0);
	cover_put(&c, b);
	index_set_destroy(item.written);
	index_set_destroy(item.unwritten);
	index_set_destroy(item.fewer);
	index_set_destroy(c.iterations);
	ownership_clear(&c.owners);
	array_desc_clear(&a);
}

FORM_OF(trace_info, (void)0)
{
	struct trace_info i = { .rank = 3,
				.thread = 1,
				.seq = 99,
				.first = main_point,
				.last = task_point,
				.half = 1,
				.loops = 1,
				.boxed = 2,
				.box_of = main_point,
				.lo = { -1, 2 },
				.hi = { 5, INT64_MAX } };

	/* those that came later are there only when they occur */
	for (unsigned k = 0; k <= TRACE_SUM; k++)
		i.count[k] = 1000 * k + 3;
	trace_info_put(&i, b);
}

static int get_meta(struct trace_meta *m, struct buf *b)
{
	uint32_t format;

	return trace_meta_get(m, &format, b);
}

FORM(trace_meta, struct trace_meta, get_meta, trace_meta_put, (void)0)
{
	struct trace_meta m = { .rank = 3,
				.ranks = 8,
				.level = 2,
				.start = main_point,
				.finish = task_point,
				.seconds = 1700000000,
				.program = "/bin/heat",
				.build_id = "0123",
				.version = "0.9",
				.origin = "recorded" };

	trace_meta_put(&m, b);
}

FORM_NEW(sums_point, struct sums_point, sums_point_get(in, NULL), sums_point_put,
	 sums_point_destroy)
{
	struct sum *s = some_sum(VALUE_DOUBLE);
	struct sums_array a[] = { { .name = (char[]){ "u" },
				    .file = (char[]){ "heat.c" },
				    .line = 41,
				    .counter = 1,
				    .kind = ARRAY_DISTRIBUTED,
				    .order = 'C',
				    .flags = POINT_SUMS_WRITE,
				    .lower = { -1, 2 },
				    .ranks = ranks("0:8") },
				  { .name = (char[]){ "dt" },
				    .file = (char[]){ "" },
				    .kind = ARRAY_REPLICATED,
				    .order = 'F',
				    .failed = (char[]){ "not registered on [2]" },
				    .ranks = ranks("0:1") } };
	struct sums_point p = { .point = main_point,
				.kind = CONSTRUCT_PL,
				.where = (char[]){ "heat.c:61" },
				.func = (char[]){ "" },
				.array = a,
				.n = 2,
				.partial = true };

	a[0].sum = sum_finish(s, NULL);
	assert_non_null(a[0].sum);
	sums_point_put(&p, b);
	sum_result_destroy(a[0].sum);
	sum_destroy(s);
	rankset_clear(&a[0].ranks);
	rankset_clear(&a[1].ranks);
}

FORM_OF(report_started, (void)0)
{
	report_started_put(&(struct report_started){ 1, 2 }, b);
}

#include "tests/unit/protocol/form_answers.h"
#include "tests/unit/set.h"

static const struct array_desc box_of = {
	.ndim = 2, .elem_size = 4, .lower = { -1, 2 }, .extent = { 10, 10 }
};

static int get_halo_box(struct halo_box *x, struct buf *b)
{
	return halo_box_code(CODEC_GET(b), x, &box_of);
}

static void put_box(struct halo_box *x, struct buf *b)
{
	halo_box_code(CODEC_PUT(b), x, &box_of);
}

FORM(halo_box, struct halo_box, get_halo_box, put_box, (void)0)
{
	struct halo_box x = { { -1, 4 }, { 0, 4 }, (const unsigned char *)"elements" };

	put_box(&x, b);
}

#define again_answer_fetch_value again_answer_fetch
#define again_msg_query_bins again_msg_query
#define again_msg_query_assign again_msg_query
#define again_msg_query_watch again_msg_query
#define again_report_stop_empty again_report_stop
#define again_sum_complex again_sum
#define again_sum_integer again_sum

static const struct form {
	const char *name;
	void (*put)(struct buf *b);
	int (*again)(struct buf *in, struct buf *out);
	size_t len;
	uint64_t hash;
	uint64_t damaged; /* of what becomes of it with one bit changed */
} forms[] = {
#define ROW(name, len, hash, damaged)                                                   \
	{                                                                               \
#name, put_##name, again_##name, len, UINT64_C(hash), UINT64_C(damaged) \
	}
	ROW(msg_params, 7, 0xb2389e8a64b397cc, 0x93e2c0374af091b2),
	ROW(msg_join, 70, 0x6215bb6111cbf3c4, 0x7be7f1d24cc34e8c),
	ROW(msg_parent, 27, 0xb2b27e760260bbb6, 0x650144947a2acada),
	ROW(msg_attach, 24, 0x1f835a06a36e3f63, 0xf40aec8a1b4cc2df),
	ROW(msg_rules, 360, 0x504a040c1b3ef071, 0x6ef797e936f1a157),
	ROW(msg_go, 38, 0x9478b830dd015f59, 0x634ea677ee366ed),
	ROW(msg_freeze, 16, 0xeabd4e72a17b236f, 0xdcaf4557de04478d),
	ROW(msg_query, 147, 0x1c449a007b82437a, 0xe48a12ebd8d1081e),
	ROW(msg_query_watch, 153, 0x1224040c4c6f791f, 0x13b334a9e6474c50),
	ROW(msg_query_bins, 247, 0x2398b959d2ead0ee, 0x59afa015525a95a3),
	ROW(msg_query_assign, 166, 0x992f1e8fee7d1faf, 0xa57090656028878b),
	ROW(msg_kill, 13, 0x12b165a48e5ed1e2, 0x3b541774cb01ff46),
	ROW(msg_verdict, 14, 0x97054210b3849412, 0x31ca457c5518808b),
	ROW(msg_trace, 62, 0x37c8028d7ad77511, 0x35d42b9813ff589),
	ROW(msg_reply, 69, 0x68cae567e45bb929, 0x8c39c341c0da7839),
	ROW(msg_event, 58, 0xced74919c36339b4, 0x6a0de05b8a3c01de),
	ROW(report_stop, 117, 0x4def81c4cd892143, 0xb9a0d33b39af14ec),
	ROW(report_stop_empty, 49, 0xc49a011f04753304, 0x953300ea21c2e021),
	ROW(report_stack, 130, 0x64cb2092707e8262, 0x311c8fe991f3ffc1),
	ROW(report_exit, 109, 0xe69d222bf1f378b, 0x7a93ab7b915e2c00),
	ROW(report_trace, 270, 0x27e7dfa9b718c18, 0xe951ea62c50b9a0c),
	ROW(report_status, 86, 0x9ee0e014bab9f729, 0x717992be5b1aca71),
	ROW(report_point, 54, 0x3615e48927346db0, 0xab20da06ec2cfb7a),
	ROW(report_finding, 53, 0x55941b314119dff0, 0x8d7d2b1760c2dd3c),
	ROW(global, 84, 0xef556d1942f369e0, 0x26659c182a926f00),
	ROW(local, 99, 0x45a72b2365fbe01, 0x85eda5b5ff30d045),
	ROW(sum, 4365, 0x84c754687ba93cd9, 0x6c1a95cb37dd5c62),
	ROW(sum_complex, 8079, 0xeec09a2fad75f2f0, 0x5d00c73f36f0762c),
	ROW(sum_integer, 717, 0xed051526eec2ee1a, 0x44540fb309914e76),
	ROW(sum_result, 1615, 0xe915ddadc138a0c3, 0xd39db805748cbc35),
	ROW(point_sums, 9018, 0x16b4c92b1acb3276, 0x992a155739da7ef),
	ROW(answer_head, 9, 0x5677c290452d8dfa, 0x38d0eb296d46b29d),
	ROW(answer_fetch, 32, 0x22b9efef0537ec32, 0xc0afe77a6cd2006),
	ROW(answer_fetch_value, 10, 0x6083584a5dfeebdb, 0x6bf2b44d2b7e32e8),
	ROW(answer_assign, 9, 0x1c00700b6f11973c, 0x89a233fcc5e2953a),
	ROW(answer_called, 47, 0x7d3ae88089492485, 0x3416d9f115ff718),
	ROW(answer_points, 4, 0xc5112a962b05756e, 0x2ee481f01b8b5309),
	ROW(answer_hash, 39, 0x1425a73b2040b2ea, 0x99de6b42276fde79),
	ROW(answer_process, 10, 0x5db04af8b2613b43, 0xa0e7c421511faab4),
	ROW(answer_halo, 5, 0x1802c4bf5447f80e, 0xbb8f2ed2a15b4424),
	ROW(answer_array, 84, 0x7106eb0169afd9d9, 0x4978ed08f24e2e36),
	ROW(agree_clashes, 80, 0x1b4a2de150f2e467, 0x552deb4e451cfdf6),
	ROW(agree_race, 318, 0xad352e056043538, 0x1d1425d51ce54c47),
	ROW(halo_box, 40, 0x7146e4ccf808f7f4, 0x494e31c60b926c1),
	ROW(report_started, 2, 0x82f2407b4e8902a, 0x50ee870747fdfc37),
	ROW(trace_index_head, 17, 0x5be5904f39e87079, 0xd7f4daff9176358c),
	ROW(trace_index_entry, 24, 0x2a64a28043a1356, 0xfc5c6f4645705a9d),
	ROW(trace_tail, 12, 0x989c351c8d11b7fb, 0xc5fcba0af50baccd),
	ROW(bins, 219, 0x28be43154fe6d50a, 0x7aab23f7b25364a5),
	ROW(trace_finding, 621, 0x7ecdb234f4a5261f, 0x7d78b20aa24415c9),
	ROW(trace_findings, 1295, 0x1a3bbdf535ef65ee, 0xf2cfd02c6860579f),
	ROW(index_set, 194, 0x8e507a01f7102cd8, 0x2fccb70166b79feb),
	ROW(cover, 674, 0x6a9a75b5258143d, 0x442316d318e27897),
	ROW(trace_info, 179, 0x782eba4ff760379, 0x8721414ba9303a64),
	ROW(trace_meta, 75, 0x90749e1c101dba35, 0xb2dc11865df64754),
	ROW(sums_point, 1560, 0x2d764bc72307e3f7, 0x1c169f3fd7c6b5d),
#undef ROW
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

#define HASH_FIRST UINT64_C(0xcbf29ce484222325)

static uint64_t hash_of(uint64_t h, const struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		h = (h ^ b->data[i]) * UINT64_C(0x100000001b3);
	return h;
}

/*
 * Of each of these bytes with one bit changed: whether it is read, and what is put back then. So no
 * check goes, and none comes. Nothing is read beyond the end, and nothing leaks.
 */
static uint64_t hash_damaged(const struct form *f, struct buf *b, unsigned step)
{
	uint64_t h = HASH_FIRST;
	struct buf out = BUF_INIT, in;

	for (size_t bit = 0; bit < 8 * b->len; bit += step) {
		b->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		in = buf_view(b->data, b->len);
		buf_reset(&out);
		if (f->again(&in, &out))
			h *= UINT64_C(0x100000001b3);
		else
			h = hash_of(h + 1, &out);
		b->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	buf_clear(&out);
	return h;
}

static int some_site(void *arg, uint64_t pc, struct trace_site *out)
{
	static const struct trace_module module = { "/bin/heat", (const unsigned char *)"\1\2",
						    2,		 0x400000,
						    0x1000,	 0x9000 };

	if (pc == 3)
		return -1;
	*out = (struct trace_site){ .place = line_place, .module = pc == 1 ? &module : NULL };
	return 0;
}

static int some_object(void *arg, uint32_t version, struct trace_object *out)
{
	struct array_desc *a = arg;

	if (version == 9)
		return -1;
	*out = (struct trace_object){
		.version = version, .kind = TRACE_ARRAY, .site = TRACE_NONE, .pc = 2, .desc = *a
	};
	out->desc.addr = 0x7000;
	out->desc.stride[0] = 5;
	out->desc.stride[1] = 1;
	return 0;
}

static int some_place(void *arg, uint32_t place, struct place *out)
{
	*out = place ? call_place : line_place;
	return 0;
}

/* The tables of a block of a trace, and columns of a few bytes. */
static void put_block(struct buf *b)
{
	struct array_desc a = array();
	struct trace_resolver r = {
		.arg = &a, .site = some_site, .object = some_object, .place = some_place
	};
	struct trace_tables *t = trace_tables_create(&r);
	struct trace_frame f = { .kind = CONSTRUCT_PL,
				 .nidx = 2,
				 .level = 3,
				 .place = trace_tables_place(t, 1),
				 .point = main_point,
				 .index = { -1, 7 } };
	struct trace_slot slot[] = { { trace_tables_site(t, 1), trace_tables_object(t, 4), 8 },
				     { trace_tables_site(t, 3), trace_tables_object(t, 9), 4 },
				     { trace_tables_site(t, 1), TRACE_NOWHERE, 1 } };
	struct trace_col col[TRACE_COLS] = { { (const unsigned char *)"ops", 3 },
					     { (const unsigned char *)"12", 2 } };
	unsigned char *bytes;
	size_t n;

	trace_tables_place(t, 0);
	trace_tables_frame(t, &f);
	f.place = TRACE_NONE;
	f.nidx = 0;
	trace_tables_frame(t, &f);
	bytes = trace_tables_content(t, slot, 3, col, &n);
	assert_non_null(bytes);
	buf_put_raw(b, bytes, n);
	free(bytes);
	trace_tables_destroy(t);
	array_desc_clear(&a);
}

/* What of a block is read, in another form. */
static int block_fields(const struct buf *in, struct buf *out)
{
	struct trace_block b = { 0 };
	unsigned char *data = malloc(in->len ? in->len : 1);

	assert_non_null(data);
	memcpy(data, in->data, in->len);
	if (trace_block_get(&b, data, in->len, NULL))
		return -1;
	for (uint32_t i = 0; i < b.nmodule; i++) {
		buf_put_str(out, b.module[i].path);
		buf_put_blob(out, b.module[i].build_id, b.module[i].nbuild_id);
		buf_put_u64(out, b.module[i].load ^ b.module[i].lo ^ b.module[i].hi);
	}
	for (uint32_t i = 0; i < b.nsite; i++) {
		place_put(&b.site[i].place, out);
		buf_put_u32(out, b.site[i].nbuild_id);
		buf_put_u32(out, b.site[i].module ? (uint32_t)(b.site[i].module - b.module) : 77);
	}
	for (uint32_t i = 0; i < b.nplace; i++)
		place_put(&b.place[i], out);
	for (uint32_t i = 0; i < b.nobject; i++) {
		buf_put_u32(out, b.object[i].version ^ b.object[i].kind << 8 ^ b.object[i].site);
		buf_put_u64(out, b.object[i].desc.addr);
		array_desc_put_global(&b.object[i].desc, out);
		array_desc_put_local(&b.object[i].desc, out);
		buf_put_u64(out, (uint64_t)b.object[i].desc.stride[0] ^
					 3 * (uint64_t)b.object[i].desc.stride[1]);
	}
	for (uint32_t i = 0; i < b.nslot; i++) {
		buf_put_u32(out, b.slot[i].site);
		buf_put_u32(out, b.slot[i].object);
		buf_put_u8(out, b.slot[i].flags);
	}
	for (uint32_t i = 0; i < b.nframe; i++) {
		const struct trace_frame *f = &b.frame[i];

		buf_put_u32(out, f->place ^ f->kind << 8 ^ f->level << 16 ^ f->nidx << 24);
		point_put(&f->point, out);
		for (unsigned d = 0; d < f->nidx; d++)
			buf_put_i64(out, f->index[d]);
	}
	for (unsigned c = 0; c < TRACE_COLS; c++)
		buf_put_blob(out, b.col[c].data, b.col[c].n);
	trace_block_clear(&b);
	return 0;
}

/* As hash_damaged; of a block that is read, its fields. */
static void test_block(void **state)
{
	struct buf b = BUF_INIT, out = BUF_INIT;
	uint64_t h = HASH_FIRST;

	put_block(&b);
	assert_int_equal(b.len, 570);
	assert_true(hash_of(HASH_FIRST, &b) == UINT64_C(0x215e4fc3bad4b051));
	assert_int_equal(block_fields(&b, &out), 0);
	assert_true(hash_of(HASH_FIRST, &out) == UINT64_C(0x49cf593845de772b));
	for (size_t bit = 0; bit < 8 * b.len; bit++) {
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		buf_reset(&out);
		h = block_fields(&b, &out) ? h * 3 : hash_of(h + 1, &out);
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	if (h != UINT64_C(0x9b431e0ecdbaff69))
		fail_msg("block: 0x%" PRIx64, h);
	for (; b.len; b.len--) {
		struct buf cut = buf_view(b.data, b.len - 1);

		assert_int_equal(block_fields(&cut, &out), -1);
	}
	buf_clear(&b);
	buf_clear(&out);
}

static void test_bytes(void **state)
{
	for (size_t i = 0; i < FORMS; i++) {
		const struct form *f = &forms[i];
		struct buf b = BUF_INIT;

		f->put(&b);
		assert_false(b.bad);
		if (b.len != f->len || hash_of(HASH_FIRST, &b) != f->hash)
			fail_msg("%s: %zu, 0x%" PRIx64, f->name, b.len, hash_of(HASH_FIRST, &b));
		buf_clear(&b);
	}
}

/* Read and put back they are the same bytes; none of their beginnings is read. */
static void test_read(void **state)
{
	for (size_t i = 0; i < FORMS; i++) {
		const struct form *f = &forms[i];
		struct buf b = BUF_INIT, out = BUF_INIT, in;

		f->put(&b);
		in = buf_view(b.data, b.len);
		assert_int_equal(f->again(&in, &out), 0);
		assert_int_equal(buf_left(&in), 0);
		assert_int_equal(out.len, b.len);
		assert_memory_equal(out.data, b.data, b.len);
		for (size_t len = 0; len < b.len; len++) {
			/* of its own, so that sanitizers see a read beyond it */
			void *copy = malloc(len ? len : 1);

			assert_non_null(copy);
			memcpy(copy, b.data, len);
			in = buf_view(copy, len);
			buf_reset(&out);
			assert_int_equal(f->again(&in, &out), -1);
			free(copy);
		}
		buf_clear(&b);
		buf_clear(&out);
	}
}

static void test_damaged(void **state)
{
	unsigned step = 1;

#ifdef __SANITIZE_ADDRESS__ /* always: what damaged input does to memory, another bit of each byte */
	step = 5;
#else
	if (!in_set_all())
		skip();
#endif
	for (size_t i = 0; i < FORMS; i++) {
		const struct form *f = &forms[i];
		struct buf b = BUF_INIT;
		uint64_t h;

		f->put(&b);
		h = hash_damaged(f, &b, step);
		if (step == 1 && h != f->damaged)
			fail_msg("%s: 0x%" PRIx64, f->name, h);
		buf_clear(&b);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_block),
	};

	for (size_t i = 0; argc > 1 && i < FORMS; i++) {
		struct buf b = BUF_INIT;

		forms[i].put(&b);
		printf("\tX(%s, %zu, 0x%" PRIx64 ", 0x%" PRIx64 ")\n", forms[i].name, b.len,
		       hash_of(HASH_FIRST, &b), hash_damaged(&forms[i], &b, 1));
		buf_clear(&b);
	}
	return argc > 1 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
