/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Levels of constructs and arrays, from verbs, configuration files and references; and the file for
 * findings.
 */
#include "frontend/render/render.h"
#include "frontend/verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/dvmtext/dvmtext.h"
#include "frontend/model/actionpoints.h"
#include "frontend/model/error_file.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"

static struct loop *loop;
static struct session *session;
static FILE *stream;
static char *text;
static size_t text_len;
static char top[] = "/tmp/test-levels-XXXXXX";

static int setup(void **state)
{
	loop = loop_create(NULL);
	stream = open_memstream(&text, &text_len);
	session = session_create(loop, out_create(stream, false));
	return session && mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	struct out *o = session->out;

	session_destroy(session);
	out_destroy(o);
	loop_destroy(loop);
	fclose(stream);
	free(text);
	return rmdir(top);
}

static const char *path_of(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
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

static void read_head(struct dvmtext_head *h, const char *content)
{
	FILE *f = fmemopen((void *)content, strlen(content), "r");
	struct err err = { "" };

	if (dvmtext_head_read(h, f, "config", &err))
		fail_msg("%s", err.text);
	fclose(f);
}

static const struct trace_config_place *place_at(const struct trace_config_place *p, uint32_t n,
						 unsigned kind, const char *file, uint32_t line)
{
	for (uint32_t i = 0; i < n; i++)
		if (p[i].kind == kind && !strcmp(p[i].file, file) && p[i].line == line)
			return &p[i];
	fail_msg("no %s:%u", file, line);
	return NULL;
}

static void by_verb(void **state)
{
	struct location loop_at = { .kind = RULE_NAME, .file = "solve" };
	struct levels *l = levels_create();
	struct trace_config_place *p;
	struct err err = { "" };
	json_t *list;
	uint32_t n;

	assert_int_equal(levels_highest(l), TRACE_CONFIG_NONE);
	levels_places(l, session, &p, &n);
	assert_null(p);
	assert_int_equal(levels_set(l, &loop_at, -1, &err), -1);
	assert_string_equal(err.text, "this construct has no level of its own");
	assert_int_equal(levels_set(l, &loop_at, TRACE_CONFIG_FULL, &err), 0);
	assert_int_equal(levels_set(l, &loop_at, TRACE_CONFIG_MODIFY, &err), 0);
	assert_int_equal(levels_count(l), 1);
	assert_int_equal(levels_highest(l), TRACE_CONFIG_MODIFY);
	list = levels_json(l);
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "location")),
			    "solve");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "level")),
			    "MODIFY");
	json_decref(list);
	levels_places(l, session, &p, &n);
	assert_int_equal(n, 1);
	assert_int_equal(p[0].level, TRACE_CONFIG_MODIFY);
	free(p);
	assert_int_equal(levels_set(l, &loop_at, -1, &err), 0);
	assert_int_equal(levels_count(l), 0);
	for (unsigned i = 0; i < TRACE_CONFIG_PLACES; i++) {
		snprintf(loop_at.file, sizeof(loop_at.file), "f%u", i);
		assert_int_equal(levels_set(l, &loop_at, TRACE_CONFIG_FULL, &err), 0);
	}
	strcpy(loop_at.file, "more");
	assert_int_equal(levels_set(l, &loop_at, TRACE_CONFIG_FULL, &err), -1);
	assert_string_equal(err.text,
			    "at most 1024 constructs and arrays can have levels of their own");
	levels_destroy(l);
	levels_destroy(NULL);
}

static const char config[] = "MODE = MINIMAL\n"
			     "ARR: \"u\" (4) [2] {\"a.c\", 5, 0, 1} = MODIFY\n"
			     "ARR: \"v\" (4) [2] {\"a.c\", 6, 2, 1} = NONE\n"
			     "ARR: \"w\" (4) [2] {\"a.c\", 7, 0, 1} = FULL\n"
			     "ARR: \"x\" (4) [2] {\"a.c\", 8, 0, 1} = \n"
			     "PL: 1() [2] {\"/src/a.c\", 20} = # , (0:0,7,1), (1:0,7,1)\n"
			     "EL: 1\n"
			     "SL: 2() [1] {\"/src/a.c\", 28} = MODIFY\n"
			     "  PL: 3(2) [2] {\"/src/a.c\", 31} = , (1:9,1,-2)\n"
			     "  EL: 3\n"
			     "  PL: 4(2) [2] {\"/src/a.c\", 38} = NONE\n"
			     "  EL: 4\n"
			     "EL: 2\n"
			     "END_HEADER\n";

static void by_file(void **state)
{
	struct levels *l = levels_create();
	const struct trace_config_place *at;
	struct dvmtext_head h;
	struct trace_config_place *p;
	struct err err = { "" };
	uint32_t n;
	size_t read;

	read_head(&h, config);
	assert_int_equal(levels_read(l, &h, &read, &err), 0);
	dvmtext_head_clear(&h);
	/* of constructs three have something of their own; of arrays two are limited */
	assert_int_equal(read, 3);
	assert_int_equal(levels_count(l), 5);
	/* levels of arrays raise nothing */
	assert_int_equal(levels_highest(l), TRACE_CONFIG_MODIFY);
	assert_false(levels_cut(l, "w", 0));
	assert_true(levels_cut(l, "u", 0));
	assert_true(levels_cut(l, "v", 2));
	assert_false(levels_cut(l, "v", 1));
	assert_false(levels_cut(NULL, "v", 1));
	session->job = NULL;
	levels_forget_arrays(l);
	assert_int_equal(levels_count(l), 3);
	assert_false(levels_cut(l, "u", 0));
	levels_forget(l);
	levels_places(l, session, &p, &n);
	assert_int_equal(n, 0);
	/* arrays alone need no program to look into */
	read_head(&h, "ARR: \"u\" (4) [2] {\"a.c\", 5, 3, 1} = MINIMAL\nEND_HEADER\n");
	assert_int_equal(levels_read(l, &h, &read, &err), 0);
	dvmtext_head_clear(&h);
	assert_int_equal(read, 0);
	levels_places(l, session, &p, &n);
	assert_int_equal(n, 1);
	at = place_at(p, n, TRACE_CONFIG_ARRAY, "u", 5);
	assert_int_equal(at->level, TRACE_CONFIG_MINIMAL);
	assert_int_equal(at->vaddr, 4);
	free(p);
	levels_destroy(l);
}

static void by_reference(void **state)
{
	static const char *const bad[] = { "[1]",
					   "[{\"name\": \"u\"}]",
					   "[{\"array\": \"u\", \"line\": -1, \"counter\": 0, "
					   "\"level\": \"FULL\"}]",
					   "[{\"array\": \"u\", \"line\": 1, \"counter\": 0, "
					   "\"level\": \"SOME\"}]",
					   "[{\"array\": \"u\", \"line\": 1, \"counter\": -2, "
					   "\"level\": \"FULL\"}]",
					   "[{\"array\": \"u\", \"line\": 1, \"counter\": 0, "
					   "\"level\": \"CHECKSUM\"}]" };
	struct levels *l = levels_create(), *other = levels_create();
	struct dvmtext_head h;
	struct err err = { "" };
	json_t *list, *again;
	size_t n;

	read_head(&h, config);
	assert_int_equal(levels_read(l, &h, &n, &err), 0);
	dvmtext_head_clear(&h);
	list = levels_kept(l, NULL);
	assert_int_equal(json_array_size(list), 5);
	assert_int_equal(levels_take(other, list, TRACE_CONFIG_FULL, &err), 0);
	again = levels_kept(NULL, other);
	assert_true(json_equal(list, again));
	json_decref(again);
	assert_int_equal(levels_count(other), 5);
	levels_forget(other);
	assert_int_equal(levels_take(other, list, TRACE_CONFIG_MINIMAL, &err), 0);
	assert_int_equal(levels_highest(other), TRACE_CONFIG_MINIMAL);
	json_decref(list);
	assert_int_equal(levels_take(other, NULL, TRACE_CONFIG_FULL, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		list = json_loads(bad[i], 0, NULL);
		assert_non_null(list);
		assert_int_equal(levels_take(other, list, TRACE_CONFIG_FULL, &err), -1);
		assert_string_equal(err.text, "a level of a construct or array is damaged");
		json_decref(list);
	}
	list = levels_kept(NULL, NULL);
	assert_int_equal(json_array_size(list), 0);
	json_decref(list);
	levels_destroy(l);
	levels_destroy(other);
}

static void long_name(void **state)
{
	struct levels *l = levels_create();
	char content[800], name[400];
	struct dvmtext_head h;
	struct err err = { "" };
	size_t n;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(content, sizeof(content),
		 "ARR: \"%s\" (4) [2] {\"a.c\", 5, 0, 1} = MODIFY\nEND_HEADER\n", name);
	read_head(&h, content);
	assert_int_equal(levels_read(l, &h, &n, &err), -1);
	assert_non_null(strstr(err.text, "its name is too long for a level of its own"));
	dvmtext_head_clear(&h);
	levels_destroy(l);
}

/* ---- the file for findings ---- */

static void report(const char *words)
{
	error_file_report(session, json_pack("{s:s s:s}", "type", "note", "text", words));
}

static void set(const char *name, const char *value)
{
	struct err err = { "" };

	if (settings_set(session->set, name, value, &err))
		fail_msg("%s", err.text);
}

static void holds(const char *name, const char *wanted)
{
	FILE *f = fopen(path_of(name), "r");
	char got[200];
	size_t n;

	assert_non_null(f);
	n = fread(got, 1, sizeof(got) - 1, f);
	got[n] = '\0';
	fclose(f);
	assert_string_equal(got, wanted);
}

static void findings_file(void **state)
{
	set("ErrorFile", path_of("errors"));
	report("one");
	assert_string_equal(said(), "one\n"); /* ErrorToScreen is 1 */
	assert_int_equal(access(path_of("errors"), F_OK), -1);
	set("ErrorToScreen", "0");
	error_file_new_run(session);
	report("two");
	report("three");
	assert_string_equal(said(), "");
	holds("errors", "two\nthree\n");
	error_file_new_run(session);
	report("four");
	holds("errors", "four\n");
	set("AppendErrorFile", "1");
	error_file_new_run(session);
	report("five");
	holds("errors", "four\nfive\n");
	/* in TracePath unless it is absolute */
	set("TracePath", top);
	set("ErrorFile", "errors");
	report("six");
	holds("errors", "four\nfive\nsix\n");
	unlink(path_of("errors"));
	/* where it cannot be written, it is told, and why */
	set("ErrorFile", "no/such/file");
	report("seven");
	assert_non_null(strstr(said(), "seven\n"));
	/* a disk that is full */
	if (!access("/dev/full", W_OK)) {
		set("ErrorFile", "/dev/full");
		report("eight");
		assert_non_null(strstr(said(), "eight\n"));
	}
	set("ErrorFile", "");
	report("nine");
	assert_string_equal(said(), "nine\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_verb),	 cmocka_unit_test(by_file),
		cmocka_unit_test(by_reference),	 cmocka_unit_test(long_name),
		cmocka_unit_test(findings_file),
	};

	render_use();
	return cmocka_run_group_tests(tests, setup, teardown);
}
