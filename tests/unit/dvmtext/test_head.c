/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heads of text traces, and configuration files.
 */
#include "common/dvmtext/dvmtext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/array/value.h"
#include "tests/unit/trace_help.h"

static void test_head(void **state)
{
	FILE *f = fopen(trace_help_data("small.trd"), "rb");
	const struct dvmtext_loop *l;
	struct dvmtext_head h;
	struct err err = { "" };

	if (!f || dvmtext_head_read(&h, f, "small", &err))
		fail_msg("%s", err.text);
	fclose(f);
	assert_int_equal(h.nsetting, 24);
	assert_string_equal(dvmtext_setting(&h, "TASK_NAME"), "./small");
	assert_string_equal(dvmtext_setting(&h, "IG_LEFT"), "-1");
	assert_null(dvmtext_setting(&h, "NONE"));
	assert_int_equal(h.narray, 2);
	assert_string_equal(h.array[0].name, "A");
	assert_int_equal(h.array[0].type, VALUE_DOUBLE);
	assert_int_equal(h.array[0].level, -1);
	assert_true(h.array[0].distributed);
	assert_false(h.array[1].distributed);
	assert_int_equal(h.array[1].counter, 1);
	assert_int_equal(h.array[1].level, TRACE_CONFIG_MINIMAL);
	assert_int_equal(h.nloop, 4);
	assert_int_equal(h.loop[0].nuse, 2);
	assert_true(h.loop[0].use[0].written && !h.loop[0].use[0].read);
	assert_int_equal(h.loop[0].use[1].counter, 2);
	assert_true(h.loop[0].last[1] == 3 && h.loop[0].step[1] == 1 && !h.loop[0].noted);
	l = dvmtext_loop_at(&h, CONSTRUCT_PL, "small.c", 33);
	assert_non_null(l);
	assert_int_equal(l->number, 3);
	assert_int_equal(l->parent, 2);
	assert_int_equal(l->depth, 2);
	assert_int_equal(l->level, TRACE_CONFIG_NONE);
	assert_null(dvmtext_loop_at(&h, CONSTRUCT_SL, "small.c", 33));
	assert_int_equal(dvmtext_set(&h, "MODE", "MODIFY", false), 0);
	assert_int_equal(dvmtext_set(&h, "NEW", "x y", true), 0);
	assert_int_equal(h.nsetting, 25);
	assert_string_equal(dvmtext_setting(&h, "MODE"), "MODIFY");
	dvmtext_head_clear(&h);
}

/* What was read is written as it was. */
static void same_head(const char *name, bool config)
{
	char *text = trace_help_text(trace_help_data(name)), *out = NULL, *end;
	struct dvmtext_head h;
	struct err err = { "" };
	size_t n;
	FILE *f = fmemopen(text, strlen(text), "rb");

	if (dvmtext_head_read(&h, f, name, &err))
		fail_msg("%s", err.text);
	fclose(f);
	f = open_memstream(&out, &n);
	assert_int_equal(dvmtext_head_write(&h, f, config), 0);
	fclose(f);
	end = strstr(text, "END_HEADER\n") + strlen("END_HEADER\n");
	if (!config)
		end = strstr(end, "\n\n") + 2;
	*end = '\0';
	assert_string_equal(out, text);
	free(out);
	free(text);
	dvmtext_head_clear(&h);
}

static void test_head_again(void **state)
{
	same_head("small.trd", false);
	same_head("small-config.trd", true);
}

static void test_config(void **state)
{
	FILE *f = fopen(trace_help_data("small-config.trd"), "rb");
	struct dvmtext_head h;
	struct err err = { "" };

	if (!f || dvmtext_head_read(&h, f, "config", &err))
		fail_msg("%s", err.text);
	fclose(f);
	assert_int_equal(h.bytes, 5066);
	assert_int_equal(h.lines, 101);
	assert_int_equal(h.memory, 19531);
	assert_true(h.loop[0].noted);
	assert_int_equal(h.loop[0].iterations, 64);
	assert_int_equal(h.loop[2].memory, 4288);
	assert_int_equal(h.loop[2].level, TRACE_CONFIG_MODIFY);
	assert_true(h.loop[2].first[1] == -1 && h.loop[2].step[1] == 2 && !h.loop[2].noted);
	dvmtext_head_clear(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_head_again),
		cmocka_unit_test(test_config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
