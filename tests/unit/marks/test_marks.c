/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks beside the source: their file, also damaged ones, what expressions are compiled to, and the
 * instructions that are executed elsewhere.
 */
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/markcode/markcode.h"
#include "frontend/marks/marks.h"
#include "frontend/symbols/symbols.h"

struct cell {
	char tag;
	int m[2][3];
	struct cell *next;
	unsigned short few;
};
/* others could change them: so they stay where they are */
struct cell second = { .m = { { 1, 2, 3 }, { 4, -5, 6 } }, .few = 65000 };
struct cell first = { .next = &second };
double ratio = 0.5;
long many[4] = { 10, 20, 30, 40 };
enum level { LOW = 3, HIGH = 9 };
enum level level = HIGH;

static const char good[] =
	"# marks\n"
	"\n"
	"function    a.c:20\n"
	"replicated  a.c:29  eps\n"
	"array       a.c:31  u  shape [n, n]  own [r0:r1, c0:c1]  halo [1:2, 1]\n"
	"sequential  a.c:52-70  range [1:steps]  iteration [t] at 53\n"
	"parallel    a.c:61-67  on v  range [1:n - 2]  writes [v]  reads [u, w]  iteration "
	"[i] at 63\n"
	"reduction   a.c:68  change max\n"
	"forget      a.c:75  u\n"
	"array       a.c:76  w  shape [n, n, n]  own [0:n - 1, r:n - 1:p, b * r:n - 1:b * p:b]\n"
	"array       a.c:77  c[].rho  shape [n]  own [0:n - 1]\n"
	"skip        a.c:77\n";

static char path[] = "/tmp/test-marks.XXXXXX";

static int read_text(struct marks *m, const char *text, size_t n, struct err *err)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	err->text[0] = '\0';
	return marks_read(m, path, err);
}

static void test_file(void **state)
{
	struct marks m;
	struct err err;
	const struct mark *u;
	char *text = NULL, *element;
	unsigned dims;
	size_t n = 0;
	FILE *f;

	assert_int_equal(read_text(&m, good, strlen(good), &err), 0);
	assert_int_equal(m.n, 10);
	u = &m.mark[2];
	assert_int_equal(u->kind, MARK_ARRAY);
	assert_int_equal(u->line, 31);
	assert_string_equal(u->name, "u");
	assert_string_equal(u->to.name[1], "c1");
	assert_string_equal(u->halo_hi.name[0], "2");
	assert_int_equal(m.mark[4].last, 67);
	assert_int_equal(m.mark[4].iteration_line, 63);
	assert_int_equal(u->step.n, 0);
	u = &m.mark[7];
	assert_string_equal(u->to.name[1], "n - 1");
	assert_string_equal(u->step.name[0], "0");
	assert_string_equal(u->block.name[0], "0");
	assert_string_equal(u->step.name[1], "p");
	assert_string_equal(u->block.name[1], "1");
	assert_string_equal(u->step.name[2], "b * p");
	assert_string_equal(u->block.name[2], "b");
	assert_string_equal(mark_member(m.mark[8].name), "[].rho");
	assert_string_equal(mark_member("p[1][][].u"), "[][].u");
	element = mark_element("p[1][][].u", &dims);
	assert_string_equal(element, "p[1][0][0]");
	assert_int_equal(dims, 2);
	free(element);
	assert_null(mark_member(u->name));
	f = open_memstream(&text, &n);
	for (uint32_t i = 0; i < m.n; i++)
		mark_write(&m.mark[i], f, "");
	fclose(f);
	/* what is written is what was read */
	assert_string_equal(text, good + strlen("# marks\n\n"));
	free(text);
	marks_clear(&m);
}

/* An array goes, and the loops on it; what is only read there stays, and the last array. */
static void test_drop(void **state)
{
	static const char text[] = "array       a.c:31  v  shape [n]  own [r0:r1]\n"
				   "array       a.c:31  v2  shape [n]  own [r0:r1]\n"
				   "parallel    a.c:61-67  on v  writes [v]\n"
				   "parallel    a.c:71-77  on v2  writes [v2]  reads [v]\n";
	struct marks m;
	struct err err;

	assert_int_equal(read_text(&m, text, strlen(text), &err), 0);
	marks_clear(&m);
	assert_false(marks_drop_array(path, "w"));
	assert_true(marks_drop_array(path, "v"));
	assert_int_equal(marks_read(&m, path, &err), 0);
	assert_int_equal(m.n, 2);
	assert_string_equal(m.mark[0].name, "v2");
	assert_int_equal(m.mark[1].line, 71);
	marks_clear(&m);
	assert_false(marks_drop_array(path, "v2"));
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *line, *why;
	} bad[] = {
		{ "\nloop a.c:3\n", ":2: ", "'loop': a line begins with function, replicated" },
		{ "parallel a.c:3\n", ":1: ", "a loop needs FILE:FIRST-LAST" },
		{ "parallel a.c\n", ":1: ", "behind parallel stands FILE:LINE, for loops FILE:FIRST-LAST, not 'a.c'" },
		{ "parallel a.c:9-3\n", ":1: ", "behind parallel stands FILE:LINE" },
		{ "#\n#\narray a.c:3 u own [0:1]\n", ":3: ", "needs shape" },
		{ "array a.c:3 u shape [2] own [0:1, 0:1]\n", ":1: ", "as many dimensions" },
		{ "array a.c:3 u shape [2\n", ":1: ", "the list of shape has no end: ] is missing" },
		{ "array a.c:3 u shape [2] own [0:1] halo [1, 1]\n",
		  ":1: ", "halo, lower and periodic need as many" },
		{ "array a.c:3 u shape [2] own [0:1:2:3:4]\n",
		  ":1: ", "own [a:b] or [a:b:step:block]" },
		{ "replicated a.c:3\n", ":1: ", "variable is missing" },
		{ "reduction a.c:3 x\n", ":1: ", "needs its operation" },
		{ "parallel a.c:3-5 iteration [i]\n", ":1: ", "needs: at LINE" },
		{ "parallel a.c:3-5 color [red]\n", ":1: ", "'color [red]' is not understood: allowed are" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct marks m;
		struct err err;

		if (!read_text(&m, bad[i].text, strlen(bad[i].text), &err))
			fail_msg("no error: %s", bad[i].text);
		if (!strstr(err.text, bad[i].line) || !strstr(err.text, bad[i].why))
			fail_msg("%s: %s", bad[i].text, err.text);
		assert_null(m.mark);
	}
}

/* Files that somebody has damaged: an error or other marks, and nothing else. */
static void test_damaged_files(void **state)
{
	uint32_t seed = 12345;

	for (int k = 0; k < 3000; k++) {
		char text[sizeof(good)];
		size_t n = strlen(good);
		struct marks m;
		struct err err;

		memcpy(text, good, sizeof(good));
		for (int c = 0; c < 1 + k % 5; c++) {
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 8) % n] = "[]:,-# \n0x%(\0\xff"[(seed >> 24) % 14];
		}
		if (k % 7 == 0)
			n = (seed >> 12) % n;
		if (!read_text(&m, text, n, &err))
			marks_clear(&m);
		else
			assert_non_null(strstr(err.text, path));
	}
}

/* ---- expressions ---- */

static struct symbols *symbols;
static uint64_t load;
static char self[4096];

static bool read_here(void *arg, uint64_t addr, void *to, size_t n)
{
	if (addr < 4096)
		return false;
	memcpy(to, (const void *)(uintptr_t)addr, n);
	return true;
}

static int compute(const char *text, int64_t *out, struct err *err)
{
	const struct markcode_frame f = { .base = load, .rank = 1, .ranks = 3, .read = read_here };
	struct symbol_object o;
	int rc = symbols_object(symbols, self, (uintptr_t)compute - load, text, &o, err);

	if (!rc && !o.value.n)
		rc = err_set(err, "no value");
	if (!rc && markcode_eval(o.value.op, o.value.n, &f, out))
		rc = err_set(err, "cannot be computed");
	symbol_object_clear(&o);
	return rc;
}

static void test_expressions(void **state)
{
	static const struct {
		const char *text;
		int64_t is;
	} good_ones[] = {
		{ "1 + 2 * 3", 7 },
		{ "-(7 - 9) % 5", 2 },
		{ "17 / -4", -4 },
		{ "first.next->m[1][1]", -5 },
		{ "(*first.next).m[0][2] * 2", 6 },
		{ "second.few + 1", 65001 },
		{ "many[second.m[0][1]] - 0x10", 14 },
		{ "level - LOW", 6 },
		{ "first.next->next", 0 },
		{ "of_rank(1 = 5; 3 = 0 -7 9) + 1", -6 },
	};
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "nobody + 1", "there is no variable 'nobody' in scope" },
		{ "ratio * 2", "only whole numbers" },
		{ "1 +", "it ends too soon" },
		{ "(1", "a bracket is not closed" },
		{ "many[1", "a bracket is not closed" },
		{ "level[1]", "what has an index is no array" },
		{ "first.nothing", "there is no member 'nothing'" },
		{ "1.5", "only whole numbers" },
		{ "level ! 2", "are allowed" },
		{ "1 / (level - 9)", "cannot be computed" },
		{ "of_rank(1 = 5; 2 = 4 4)", "cannot be computed" },
		{ "of_rank(2 = 4)", "of_rank(RANKS = NUMBER ...; ...) is meant" },
		{ "first.next->next->few", "cannot be computed" },
		{ "((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))",
		  "too many" },
	};
	struct err err;
	int64_t v;

	for (size_t i = 0; i < sizeof(good_ones) / sizeof(good_ones[0]); i++) {
		if (compute(good_ones[i].text, &v, &err))
			fail_msg("%s: %s", good_ones[i].text, err.text);
		if (v != good_ones[i].is)
			fail_msg("%s is %lld", good_ones[i].text, (long long)v);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!compute(bad[i].text, &v, &err))
			fail_msg("no error: %s", bad[i].text);
		if (!strstr(err.text, bad[i].why))
			fail_msg("%s: %s", bad[i].text, err.text);
	}
}

static void test_damaged_expressions(void **state)
{
	const char *text = "first.next->m[1][second.few % 2] * -(many[3] - LOW) / 2";
	uint32_t seed = 99;

	for (int k = 0; k < 1000; k++) {
		char damaged[80];
		struct symbol_object o;
		struct err err;

		strcpy(damaged, text);
		for (int c = 0; c < 1 + k % 3; c++) {
			seed = seed * 1664525 + 1013904223;
			damaged[(seed >> 8) % strlen(text)] = "[]()->.%*/+x0 "[(seed >> 24) % 14];
		}
		symbols_object(symbols, self, (uintptr_t)compute - load, damaged, &o, &err);
		symbol_object_clear(&o);
	}
}

/* ---- the compiled form ---- */

static void test_compiled(void **state)
{
	struct marks m = { 0 };
	struct mark *x = marks_add(&m, MARK_REPLICATED, "test_marks.c", __LINE__);
	struct markcode c;
	struct err err = { "" };
	void *code;
	unsigned char *damaged;
	char *left;
	size_t n;

	x->name = strdup("level");
	if (marks_compile(&m, symbols, self, NULL, &code, &n, &left, &err))
		fail_msg("%s", err.text);
	assert_null(left);
	assert_int_equal(markcode_open(&c, code, n), 0);
	assert_int_equal(c.head->nsite, 1);
	assert_int_equal(c.mark[0].kind, MARKCODE_REPLICATED);
	assert_int_equal(c.mark[0].type, VALUE_UINT);
	assert_string_equal(c.text + c.mark[0].name, "level");
	assert_int_equal(markcode_open(&c, code, n - 1), -1);
	/* whatever is damaged, what is opened does not lead outside */
	damaged = malloc(n);
	for (size_t bit = 0; bit < n * 8; bit++) {
		memcpy(damaged, code, n);
		damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
		markcode_open(&c, damaged, n);
	}
	free(damaged);
	free(code);
	marks_clear(&m);
}

static void test_instructions(void **state)
{
	static const struct {
		const char *code;
		size_t n;
		unsigned len, kind;
		int64_t target;
	} known[] = {
		{ "\x55", 1, 1, INSN_PLAIN, 0 },
		{ "\xf3\x0f\x1e\xfa", 4, 4, INSN_PLAIN, 0 },		    /* endbr64 */
		{ "\xc7\x45\xfc\x01\x00\x00\x00", 7, 7, INSN_PLAIN, 0 },    /* movl $1,-4(%rbp) */
		{ "\x48\x8b\x05\x10\x20\x00\x00", 7, 7, INSN_RELATIVE, 0 }, /* mov x(%rip),%rax */
		{ "\x48\xc7\x05\x10\x20\x00\x00\x05\x00\x00\x00", 11, 11, INSN_RELATIVE, 0 },
		{ "\xf2\x0f\x10\x05\x10\x20\x00\x00", 8, 8, INSN_RELATIVE,
		  0 },					     /* movsd x(%rip),%xmm0 */
		{ "\x66\x0f\xef\xc0", 4, 4, INSN_PLAIN, 0 }, /* pxor */
		{ "\xe8\x10\x00\x00\x00", 5, 5, INSN_CALL, 0x15 },
		{ "\xeb\xfe", 2, 2, INSN_JUMP, 0 },
		{ "\x0f\x8e\x20\x00\x00\x00", 6, 6, INSN_BRANCH, 0x26 },
		{ "\x7e\xf0", 2, 2, INSN_BRANCH, -14 },
		{ "\xff\xd0", 2, 2, INSN_CALL_AT, 0 },
		{ "\xff\x25\x10\x00\x00\x00", 6, 6, INSN_JUMP_AT, 0 },
		{ "\xc3", 1, 1, INSN_RETURN, 0 },
		{ "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, 10, INSN_PLAIN, 0 }, /* movabs */
		{ "\xf7\x45\xfc\x01\x00\x00\x00", 7, 7, INSN_PLAIN, 0 }, /* testl $1,… */
		{ "\xf7\x7d\xfc", 3, 3, INSN_PLAIN, 0 },		 /* idivl */
		{ "\xc5\xf8\x77", 3, 3, INSN_PLAIN, 0 },		 /* vzeroupper */
		{ "\xc5\xfb\x10\x05\x10\x00\x00\x00", 8, 8, INSN_RELATIVE, 0 },
		{ "\xc4\xe3\x7d\x19\xc1\x01", 6, 6, INSN_PLAIN, 0 }, /* vextractf128 */
		{ "\x66\xc7\x04\x24\x01\x00", 6, 6, INSN_PLAIN, 0 }, /* movw $1,(%rsp) */
	};
	struct markcode_insn x;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const unsigned char *code = (const unsigned char *)known[i].code;

		if (markcode_insn(code, known[i].n, &x) || x.len != known[i].len ||
		    x.kind != known[i].kind || x.target != known[i].target)
			fail_msg("instruction %zu: %u bytes, kind %u, target %lld", i, x.len,
				 (unsigned)x.kind, (long long)x.target);
		/* one that is cut off is not known */
		assert_int_equal(markcode_insn(code, known[i].n - 1, &x), -1);
	}
	assert_int_equal(markcode_insn((const unsigned char *)"\x06\x00", 2, &x), -1);
}

static int set_up(void **state)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd = mkstemp(path);

	assert_true(n > 0 && fd >= 0);
	close(fd);
	load = _r_debug.r_map->l_addr;
	symbols = symbols_create();
	return 0;
}

static int tear_down(void **state)
{
	symbols_destroy(symbols);
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),	    cmocka_unit_test(test_drop),
		cmocka_unit_test(test_errors),	    cmocka_unit_test(test_damaged_files),
		cmocka_unit_test(test_expressions), cmocka_unit_test(test_damaged_expressions),
		cmocka_unit_test(test_compiled),    cmocka_unit_test(test_instructions),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
