/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces as answers: records and what is chosen of them, statistics, costs, names and places; of
 * files that are damaged, too.
 */
#include "frontend/render/render.h"
#include "frontend/traceview/traceview.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"
#include "common/tracereport/tracereport.h"
#include "common/traceindex/traceindex.h"
#include "common/dvmtext/dvmtext.h"
#include "common/array/value.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/output/outcome.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"

static struct loop *loop;
static struct session *session;
static FILE *stream;
static char *text;
static size_t text_len;
static char top[] = "/tmp/test-trace-show-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][300];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", top, name);
	return path[turn];
}

/* What was said since the last time. */
static const char *said(void)
{
	static size_t before;
	const char *from;

	fflush(stream);
	from = text + before;
	before = text_len;
	return from;
}

static const char body[] = "MODE = FULL\nCPU_COUNT = 2\nEND_HEADER\n"
			   "AW: [4] \"eps\" = 0.5; {\"a.c\", 3}\n"
			   "SL: 1() [1]; {\"/src/a.c\", 10}\n"
			   "  IT: 1, (1)\n"
			   "  PL: 2(1) [2]; {\"/src/a.c\", 12}, 1.B\n"
			   "    IT: 0, (1,2)\n"
			   "    RD: [4] \"u[1][1]\" = 1.5; {\"/src/a.c\", 14}\n"
			   "    AW: [4] \"v[1][2]\" = 2.5; {\"/src/a.c\", 14}\n"
			   "    IT: 1, (1,3)\n"
			   "    RD: [1] \"n\" = 7; {\"/src/a.c\", 14}\n"
			   "    AW: [4] \"v[1][3]\" = -2.5; {\"/src/a.c\", 14}\n"
			   "  EL: 2; {\"/src/a.c\", 15}, 1.E\n"
			   "  RV: [4] 0.25; {\"/src/a.c\", 16}\n"
			   "EL: 1; {\"/src/a.c\", 17}\n"
			   "PL: 3() [1]; {\"/src/a.c\", 20}, 2.B\n"
			   "EL: 3; {\"/src/a.c\", 21}, 2.E\n"
			   "END_TRACE\n";

static void make(const char *name, uint32_t rank)
{
	struct err err = { "" };
	FILE *f = fopen(path_of("text"), "w");

	fputs(body, f);
	fclose(f);
	if (dvmtext_import(path_of("text"), path_of(name), rank, NULL, &err))
		fail_msg("%s", err.text);
	unlink(path_of("text"));
}

static int setup(void **state)
{
	loop = loop_create(NULL);
	stream = open_memstream(&text, &text_len);
	session = session_create(loop, out_create(stream, false));
	if (!session || !mkdtemp(top))
		return -1;
	make("trace.0.bin", 0);
	make("trace.1.bin", 1);
	return 0;
}

static int teardown(void **state)
{
	struct out *o = session->out;

	session_destroy(session);
	out_destroy(o);
	loop_destroy(loop);
	fclose(stream);
	free(text);
	unlink(path_of("trace.0.bin"));
	unlink(path_of("trace.1.bin"));
	return rmdir(top);
}

static const char *shown(const char *path, const struct trace_want *w)
{
	struct trace_files f;
	struct err err = { "" };

	if (trace_files_open(&f, path, &err) || traceview_show(session, &f, w, &err))
		fail_msg("%s", err.text);
	trace_files_close(&f);
	return said();
}

static void records(void **state)
{
	assert_string_equal(shown(path_of("trace.1.bin"), &(struct trace_want){ 0 }),
			    "[1] start    write eps = 0.5  a.c:3\n"
			    "[1]          begin SL  FULL  a.c:10\n"
			    "[1] start    iteration 1\n"
			    "[1] 1.B        begin PL  FULL  a.c:12\n"
			    "[1] 1.B        iteration (1,2)\n"
			    "[1] 1.B          read u[1][1] = 1.5  a.c:14\n"
			    "[1] 1.B          write v[1][2] = 2.5  a.c:14\n"
			    "[1] 1.B        iteration (1,3)\n"
			    "[1] 1.B          read n = 7  a.c:14\n"
			    "[1] 1.B          write v[1][3] = -2.5  a.c:14\n"
			    "[1] 1.E        end PL  a.c:15\n"
			    "[1] 1.E        reduction RV = 0.25  a.c:16\n"
			    "[1]          end SL  a.c:17\n"
			    "[1] 2.B      begin PL  FULL  a.c:20\n"
			    "[1] 2.E      end PL  a.c:21\n");
}

static void choices(void **state)
{
	struct trace_want w = { .array = "v" };

	rankset_add(&w.ranks, 0, 0);
	assert_string_equal(shown(top, &w), "[0] 1.B          write v[1][2] = 2.5  a.c:14\n"
					    "[0] 1.B          write v[1][3] = -2.5  a.c:14\n");
	rankset_clear(&w.ranks);
	w = (struct trace_want){ .element = "v[1][3]" };
	assert_string_equal(shown(top, &w), "[0] 1.B          write v[1][3] = -2.5  a.c:14\n"
					    "[1] 1.B          write v[1][3] = -2.5  a.c:14\n");
	w = (struct trace_want){ .nidx = 2, .index = { 1, 3 }, .most = 2 };
	assert_string_equal(shown(path_of("trace.0.bin"), &w),
			    "[0] 1.B        iteration (1,3)\n"
			    "[0] 1.B          read n = 7  a.c:14\n"
			    "... 1 more: -n, -from, -to, -rank, -array choose\n");
	w = (struct trace_want){ .from = { .main = 2 } };
	assert_string_equal(shown(path_of("trace.0.bin"), &w),
			    "[0] 2.B      begin PL  FULL  a.c:20\n"
			    "[0] 2.E      end PL  a.c:21\n");
	w = (struct trace_want){ .to = { .main = 1, .side = POINT_BEGIN }, .array = "u" };
	assert_string_equal(shown(path_of("trace.0.bin"), &w),
			    "[0] 1.B          read u[1][1] = 1.5  a.c:14\n");
	w = (struct trace_want){ .array = "nothing" };
	assert_string_equal(shown(top, &w),
			    "there is no object or variable nothing in these traces\n");
	w = (struct trace_want){ .element = "v[1]" };
	assert_string_equal(shown(top, &w), "-element v[1]: v has 2 dimensions, [1:1][2:3]\n");
	w = (struct trace_want){ .element = "v[1][*]" };
	assert_string_equal(shown(top, &w), "-element v[1][*]: give numbers as indices; "
					    "-array shows all elements\n");
	w = (struct trace_want){ .element = "v[1][9]" };
	assert_string_equal(shown(top, &w), "-element v[1][9] is outside of v[1:1][2:3]\n");
	w = (struct trace_want){ .element = "v[1][3]", .from = { .main = 2 } };
	assert_string_equal(shown(top, &w), "no record of v[1][3] matches\n");
	w = (struct trace_want){ 0 };
	rankset_add(&w.ranks, 7, 7);
	assert_string_equal(shown(top, &w), "no record matches: these are traces of [0:1]\n");
	rankset_clear(&w.ranks);
	w = (struct trace_want){ .most = 1 };
	assert_string_equal(shown(top, &w), "[0] start    write eps = 0.5  a.c:3\n"
					    "... 29 more: -n, -from, -to, -rank, -array choose\n");
}

/* A byte of the only block is changed; the file is cut off; it is none. */
static void damaged(void **state)
{
	const char *path = path_of("bad.bin");
	struct trace_files f;
	struct err err = { "" };
	char *bytes;
	size_t len;
	FILE *in = fopen(path_of("trace.0.bin"), "rb"), *out;

	bytes = malloc(1 << 16);
	len = fread(bytes, 1, 1 << 16, in);
	fclose(in);
	bytes[len / 2] ^= 1;
	out = fopen(path, "wb");
	fwrite(bytes, 1, len, out);
	fclose(out);
	if (!trace_files_open(&f, path, &err)) {
		assert_int_equal(traceview_show(session, &f, &(struct trace_want){ 0 }, &err), 0);
		trace_files_close(&f);
		/* the warning is apart */
		assert_non_null(strstr(said(), "no record matches\nNot fully shown: "));
		assert_int_equal(outcome_status(session->outcome), 2);
	}
	out = fopen(path, "wb");
	fwrite("dvmdbg trace", 1, 12, out);
	fclose(out);
	err.text[0] = '\0';
	assert_int_equal(trace_files_open(&f, path, &err), -1);
	assert_non_null(strstr(err.text, "bad.bin"));
	trace_files_close(&f);
	assert_int_equal(trace_files_count(&f), 0);
	unlink(path);
	assert_int_equal(trace_files_open(&f, path, &err), -1);
	assert_non_null(strstr(err.text, "bad.bin: No such file or directory"));
	free(bytes);
}

static void statistics(void **state)
{
	struct trace_files f;
	json_t *o, *one;

	assert_int_equal(trace_files_open(&f, top, NULL), 0);
	assert_int_equal(trace_files_count(&f), 2);
	o = traceview_stat(&f);
	trace_files_close(&f);
	assert_int_equal(json_integer_value(json_object_get(o, "records")), 30);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "counts"), "write")),
			 6);
	one = json_array_get(json_object_get(o, "list"), 1);
	assert_int_equal(json_integer_value(json_object_get(one, "rank")), 1);
	assert_int_equal(json_integer_value(json_object_get(one, "records")), 15);
	assert_string_equal(json_string_value(json_object_get(one, "last")), "2.E");
	assert_string_equal(json_string_value(json_object_get(one, "level")), "FULL");
	json_decref(o);
}

static void costs(void **state)
{
	struct dvmtext_head h;
	struct trace_files f;
	struct err err = { "" };
	FILE *in;

	assert_int_equal(trace_files_open(&f, top, NULL), 0);
	if (trace_costs(&f, session->symbols, -1, NULL, &h, &err))
		fail_msg("%s", err.text);
	assert_string_equal(dvmtext_setting(&h, "MODE"), "FULL");
	assert_int_equal(h.nloop, 3);
	assert_int_equal(h.loop[0].kind, CONSTRUCT_SL);
	assert_int_equal(h.loop[1].parent, 1);
	assert_int_equal(h.loop[1].depth, 1);
	assert_int_equal(h.loop[1].line, 12);
	/* two iterations on each of two ranks; the loop around has its own beside */
	assert_int_equal(h.loop[1].iterations, 4);
	assert_int_equal(h.loop[0].iterations, 2);
	/* of the text each line is counted, of what is inside, too */
	assert_int_equal(h.loop[1].lines, 2 * 8);
	assert_int_equal(h.loop[0].lines, 2 * (3 + 8 + 1));
	assert_true(h.loop[1].bytes > 100 && h.loop[0].bytes > h.loop[1].bytes + 2 * 50);
	assert_true(h.loop[1].native && h.native > h.loop[1].native);
	assert_int_equal(h.loop[1].nuse, 2);
	assert_int_equal(h.narray, 2);
	dvmtext_head_clear(&h);
	if (trace_costs(&f, session->symbols, 1, NULL, &h, &err))
		fail_msg("%s", err.text);
	assert_int_equal(h.loop[1].iterations, 2);
	dvmtext_head_clear(&h);
	assert_int_equal(trace_costs(&f, session->symbols, 2, NULL, &h, &err), -1);
	assert_string_equal(err.text, "rank 2 has no trace");
	dvmtext_head_clear(&h);

	assert_int_equal(
		traceview_costs_write(&f, session->symbols, -1, NULL, path_of("no/config"), &err),
		-1);
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_int_equal(
		traceview_costs_write(&f, session->symbols, -1, NULL, path_of("config"), &err), 0);
	in = fopen(path_of("config"), "r");
	assert_int_equal(dvmtext_head_read(&h, in, "config", &err), 0);
	fclose(in);
	assert_int_equal(h.nloop, 3);
	assert_int_equal(h.loop[1].iterations, 4);
	dvmtext_head_clear(&h);
	unlink(path_of("config"));
	trace_files_close(&f);
}

/* ---- places, values, names ---- */

static void places(void **state)
{
	static const unsigned char id[] = { 1, 2, 3 };
	struct trace_spot at = { .place = { .file = "/src/a.c", .line = 7 } };
	char out[100];

	assert_string_equal(trace_spot_text(session->symbols, &at, out, sizeof(out)), "a.c:7");
	at = (struct trace_spot){ .place = { .module = "/no/such/lib.so", .vaddr = 0x1f0 } };
	assert_string_equal(trace_spot_text(session->symbols, &at, out, sizeof(out)),
			    "lib.so+0x1f0");
	at = (struct trace_spot){ .place = { .module = "/proc/self/exe", .vaddr = 0x1f0 },
				  .build_id = id,
				  .nbuild_id = 3 };
	assert_string_equal(trace_spot_text(session->symbols, &at, out, sizeof(out)), "exe+0x1f0");
	at = (struct trace_spot){ .place = { .file = "", .module = "" } };
	assert_string_equal(trace_spot_text(session->symbols, &at, out, sizeof(out)), "");
	assert_null(trace_spot_name(session->symbols, &at, 8, NULL, out, sizeof(out)));
}

static void is_value(unsigned type, unsigned size, uint64_t bits, const char *wanted)
{
	const struct trace_pair v = { .type = (uint8_t)type, .size = (uint8_t)size };
	json_t *o = trace_value_json(&v, bits);
	char *got = json_dumps(o, JSON_ENCODE_ANY);

	assert_string_equal(got, wanted);
	free(got);
	json_decref(o);
}

static void values(void **state)
{
	is_value(VALUE_INT, 4, 0xffffffff, "-1");
	is_value(VALUE_DOUBLE, 8, UINT64_C(0x3fe0000000000000), "0.5");
	is_value(VALUE_TYPES, 8, 0x10, "\"0x0000000000000010\"");
	is_value(VALUE_TYPES, 2, 0x10, "\"0x0010\"");
	/* a part of a value is no number */
	is_value(VALUE_DOUBLE, 4, 0x10, "\"0x00000010\"");
}

struct pair {
	int n;
	double t[3];
};
static struct pair grid[4];
static char self[4096];
static uint64_t load;

static int find_load(struct dl_phdr_info *info, size_t size, void *arg)
{
	load = info->dlpi_addr;
	return 1;
}

static int resolve_site(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ .place = { .file = "a.c", .line = (uint32_t)pc } };
	return 0;
}

static int resolve_object(void *arg, uint32_t version, struct trace_object *out)
{
	return -1;
}

static int resolve_place(void *arg, uint32_t n, struct place *out)
{
	return -1;
}

static int resolve_module(void *arg, uint32_t i, struct trace_module *out)
{
	const unsigned char *changed = arg;

	if (i)
		return -1;
	*out = (struct trace_module){ self, changed, changed ? 3 : 0, load, 1, UINT32_MAX };
	return 0;
}

/* A block of one write to grid[2].t[1], and one to the stack; id: that of another build, or NULL.
 */
static void make_block(struct trace_block *b, const unsigned char *id)
{
	const struct trace_resolver r = { (void *)id, resolve_site, resolve_object, resolve_place,
					  resolve_module };
	const struct trace_start start = { .rank = 0 };
	struct trace_enc *e = calloc(1, sizeof(*e));
	uint64_t *mem = calloc(1, 1 << 16);
	double v = 0.75;
	struct err err = { "" };

	trace_enc_open(e, mem, 1 << 16, &start);
	assert_true(trace_enc_access(e, 11, 8 | TRACE_WRITES, TRACE_NOWHERE,
				     (uint64_t)(uintptr_t)&grid[2].t[1], &v));
	assert_true(trace_enc_access(e, 12, 8 | TRACE_WRITES, TRACE_NOWHERE,
				     (uint64_t)(uintptr_t)&v, &v));
	trace_enc_close(e);
	if (trace_block_from_raw(b, mem, 1 << 16, &r, &err))
		fail_msg("%s", err.text);
	free(mem);
	free(e);
}

static void names(void **state)
{
	static const unsigned char other[] = { 9, 9, 9 };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct trace_cursor *c;
	struct trace_range range[2];
	struct symbol_data data;
	struct trace_block b;
	struct trace_rec r;
	char out[100];

	assert_true(n > 0);
	dl_iterate_phdr(find_load, NULL);
	make_block(&b, NULL);
	c = trace_cursor_open(&b);
	assert_int_equal(trace_block_next(c, &r), 1);
	assert_string_equal(trace_access_name(session->symbols, &b, &r, &data, out, sizeof(out)),
			    "grid[2].t[1]");
	assert_int_equal(data.type, VALUE_DOUBLE);
	assert_int_equal(data.size, 8);
	assert_int_equal(trace_block_next(c, &r), 1);
	assert_null(trace_access_name(session->symbols, &b, &r, &data, out, sizeof(out)));
	assert_int_equal(trace_name_ranges(session->symbols, &b, "grid[2]", range, 2), 1);
	assert_int_equal(range[0].at, (uint64_t)(uintptr_t)&grid[2]);
	assert_int_equal(range[0].size, sizeof(grid[2]));
	assert_int_equal(trace_name_ranges(session->symbols, &b, "grid[4]", range, 2), 0);
	assert_int_equal(trace_name_ranges(session->symbols, &b, "nothing", range, 2), 0);
	trace_cursor_free(c);
	trace_block_clear(&b);
	/* of another build nothing is known but the address */
	make_block(&b, other);
	c = trace_cursor_open(&b);
	assert_int_equal(trace_block_next(c, &r), 1);
	assert_non_null(trace_access_name(session->symbols, &b, &r, &data, out, sizeof(out)));
	assert_non_null(strstr(out, "+0x"));
	assert_int_equal(data.type, VALUE_TYPES);
	assert_int_equal(trace_name_ranges(session->symbols, &b, "grid[2]", range, 2), 0);
	trace_cursor_free(c);
	trace_block_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records),    cmocka_unit_test(choices), cmocka_unit_test(damaged),
		cmocka_unit_test(statistics), cmocka_unit_test(costs),	 cmocka_unit_test(places),
		cmocka_unit_test(values),     cmocka_unit_test(names),
	};

	render_use();
	return cmocka_run_group_tests(tests, setup, teardown);
}
