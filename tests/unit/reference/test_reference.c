/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/reference/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/array/array.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/reference/internal.h"

static char top[] = "/tmp/test-reference-XXXXXX";

static char *path_of(const char *name)
{
	static char path[2][300];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", top, name);
	return path[turn];
}

static struct sum_result *sum_of(double v)
{
	struct sum_plan plan;
	struct sum *s;
	struct sum_result *r;
	int64_t three = 3;
	double data[3] = { v, 2 * v, -v };

	assert_int_equal(sum_plan_make(&plan, 1, &three, VALUE_DOUBLE, 1, NULL), 0);
	s = sum_create(&plan, NULL);
	assert_int_equal(
		sum_add(s, &(struct layout){ .data = data, .count = { 3 }, .stride = { 8 } }, NULL),
		0);
	r = sum_finish(s, NULL);
	sum_destroy(s);
	return r;
}

static struct sums_point *make_point(uint32_t main, uint32_t task, uint32_t sub, double v)
{
	struct sums_point *p = calloc(1, sizeof(*p));

	p->point = (struct point){ main, task, sub, POINT_END };
	p->kind = CONSTRUCT_PL;
	p->where = strdup("heat.c:61");
	p->func = strdup("main");
	p->n = 2;
	p->array = calloc(2, sizeof(*p->array));
	p->array[0] = (struct sums_array){ .name = strdup("u"),
					   .file = strdup("/x/heat.c"),
					   .line = 31,
					   .counter = 2,
					   .order = 'C',
					   .flags = 6,
					   .lower = { -4 },
					   .sum = sum_of(v) };
	p->array[1] = (struct sums_array){ .name = strdup("w"),
					   .file = strdup(""),
					   .kind = ARRAY_REPLICATED,
					   .order = 'F',
					   .failed = strdup("1 of 3 elements") };
	assert_int_equal(rankset_add(&p->array[0].ranks, 0, 3), 0);
	return p;
}

static const struct reference_info *info(void)
{
	static char *argv[] = { "./heat", "100", "a b", NULL };
	static const struct reference_info i = { .program = "/x/heat",
						 .build_id = "00ff",
						 .version = "0.1",
						 .argv = argv,
						 .ranks = 4,
						 .trace_config = { .level = TRACE_CONFIG_CHECKSUM,
								   .start = { 2, 0, 0, 0 } } };

	return &i;
}

static void add(struct reference *r, uint32_t main, uint32_t task, uint32_t sub, double v)
{
	struct sums_point *p = make_point(main, task, sub, v);

	assert_int_equal(reference_add(r, p, NULL), 0);
	sums_point_destroy(p);
}

/* n points: 1.E, 2.E, …, and 5.7.1.E before 5.E. */
static void make(const char *dir, uint32_t n)
{
	struct err err = { "" };
	struct reference *r = reference_create(dir, info(), &err);

	assert_non_null(r);
	for (uint32_t i = 1; i <= n; i++) {
		if (i == 5)
			add(r, 5, 7, 1, 57);
		add(r, i, 0, 0, i);
	}
	assert_int_equal(reference_finish(r, true, &err), 0);
	reference_destroy(r);
}

static void what_was_written_is_read(void **state)
{
	const struct point at = { 5, 7, 1, POINT_END }, none = { 9999, 0, 0, POINT_END };
	struct err err = { "" };
	const struct sums_point *p;
	struct reference *r;

	make(path_of("a"), 3000);
	r = reference_open(path_of("a"), &err);
	assert_non_null(r);
	assert_null(reference_note(r));
	assert_int_equal(reference_count(r), 3001);
	assert_true(reference_info(r)->complete);
	assert_int_equal(reference_info(r)->ranks, 4);
	assert_string_equal(reference_info(r)->argv[2], "a b");
	assert_string_equal(reference_info(r)->build_id, "00ff");
	assert_int_equal(reference_info(r)->trace_config.start.main, 2);
	p = reference_point(r, &at, &err);
	assert_non_null(p);
	assert_true(sum_mean(p->array[0].sum, 0) == 2 * 57.0 / 3);
	assert_int_equal(p->array[0].lower[0], -4);
	assert_int_equal(p->array[0].line, 31);
	assert_int_equal(p->array[0].flags, 6);
	assert_true(rankset_has(&p->array[0].ranks, 3));
	assert_null(p->array[1].sum);
	assert_string_equal(p->array[1].failed, "1 of 3 elements");
	assert_null(reference_point(r, &none, &err));
	assert_string_equal(err.text, "");
	p = reference_at(r, 3000, &err);
	assert_int_equal(p->point.main, 3000);
	assert_null(reference_at(r, 3001, &err));
	reference_destroy(r);
}

static void cut_off_and_damaged_files_are_reported(void **state)
{
	char *file = strdup(path_of("b/sums.bin"));
	struct err err = { "" };
	struct reference *r;
	struct stat st;
	FILE *f;

	make(path_of("b"), 20000);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(truncate(file, st.st_size - 1), 0);
	r = reference_open(path_of("b"), &err);
	assert_non_null(r);
	assert_true(reference_count(r) > 1000 && reference_count(r) < 20001);
	assert_non_null(strstr(reference_note(r), "/b/sums.bin is cut off at byte "));
	reference_destroy(r);
	/* a byte inside the first block */
	f = fopen(file, "r+b");
	fseek(f, 16 + 16 + 64 * 20 + 16 + 100, SEEK_SET);
	fputc(0x55, f);
	fputc(0xaa, f);
	fclose(f);
	r = reference_open(path_of("b"), &err);
	assert_non_null(r);
	assert_null(reference_at(r, 0, &err));
	assert_non_null(strstr(err.text, "/b/sums.bin: the block at byte 16 is damaged"));
	reference_destroy(r);
	assert_int_equal(truncate(file, 0), 0);
	assert_null(reference_open(path_of("b"), &err));
	assert_non_null(strstr(err.text, "sums.bin is empty or not a file of checksums"));
	/* a pipe would be waited for */
	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_null(reference_open(path_of("b"), &err));
	assert_non_null(strstr(err.text, "sums.bin: Invalid argument"));
	free(file);
}

static void touch(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fclose(f);
}

static void other_directories_are_left_alone(void **state)
{
	struct err err = { "" };
	FILE *f;

	assert_null(reference_open(path_of("nothing"), &err));
	assert_non_null(
		strstr(err.text, "/nothing is not a reference: manifest.json: No such file"));
	mkdir(path_of("mine"), 0777);
	f = fopen(path_of("mine/letter"), "w");
	fclose(f);
	assert_null(reference_create(path_of("mine"), info(), &err));
	assert_non_null(
		strstr(err.text, "/mine: the directory is not empty, and it is not a reference"));
	assert_int_equal(access(path_of("mine/letter"), F_OK), 0);
	f = fopen(path_of("mine/manifest.json"), "w");
	fputs("{\"type\": \"letter\"}", f);
	fclose(f);
	assert_null(reference_open(path_of("mine"), &err));
	assert_non_null(strstr(err.text, "manifest.json is not that of a reference"));
}

/* Opens a reference whose manifest has `now` in place of `was`, and expects that error. */
static void refuse(const char *was, const char *now, const char *why)
{
	char *file = strdup(path_of("d/manifest.json")), text[2000], *at;
	struct err err = { "" };
	FILE *f;

	make(path_of("d"), 1);
	f = fopen(file, "r");
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	at = strstr(text, was);
	assert_non_null(at);
	f = fopen(file, "w");
	fprintf(f, "%.*s%s%s", (int)(at - text), text, now, at + strlen(was));
	fclose(f);
	assert_null(reference_open(path_of("d"), &err));
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	/* without a place for words as well */
	assert_null(reference_open(path_of("d"), NULL));
	free(file);
}

static void manifests_that_cannot_be_are_refused(void **state)
{
	refuse("\"format\": 2", "\"format\": 3",
	       "/d: a reference of format 3; this dvmdbg reads 2");
	refuse("\"format\": 2", "\"format\": 1",
	       "/d: a reference of format 1, of an older dvmdbg; this one reads 2: record it "
	       "again");
	refuse("\"format\": 2,", "\"format\": 3} #", "/d/manifest.json: line ");
	refuse("\"dvmdbg reference\"", "\"letter\"", "/d/manifest.json is not that of a reference");
	refuse("\"ranks\": 4", "\"ranks\": 0", "/d/manifest.json is damaged");
	refuse("\"ranks\": 4", "\"ranks\": 4294967300", "/d/manifest.json is damaged");
	refuse("\"program\"", "\"programme\"", "/d/manifest.json is damaged");
	refuse("\"2.B\"", "\"2.X\"", "/d/manifest.json: \"2.X\" is not a point");
}

/* Its list says 1.E, its record 2.E. */
static void a_point_in_the_place_of_another_is_refused(void **state)
{
	struct sums_point *p = make_point(1, 0, 0, 1);
	struct err err = { "" };
	struct reference *r = reference_create(path_of("e"), info(), &err);

	assert_non_null(r);
	assert_int_equal(reference_add(r, p, &err), 0);
	sums_point_destroy(p);
	assert_int_equal(r->npending, 1);
	r->pending[0].point.main = 2;
	assert_int_equal(reference_finish(r, true, &err), 0);
	assert_int_equal(reference_count(r), 1);
	assert_null(reference_at(r, 0, &err));
	assert_non_null(strstr(err.text, "/e/sums.bin: point 0 is not the one of its list"));
	assert_null(reference_point(r, &(struct point){ 2, 0, 0, POINT_END }, NULL));
	reference_destroy(r);
}

static void a_reference_is_replaced_only_by_a_finished_one(void **state)
{
	struct err err = { "" };
	struct reference *r;

	make(path_of("c"), 3);
	r = reference_create(path_of("c"), info(), &err);
	assert_non_null(r);
	add(r, 1, 0, 0, 1);
	reference_destroy(r);
	r = reference_open(path_of("c"), &err);
	assert_int_equal(reference_count(r), 3);
	reference_destroy(r);
	assert_int_not_equal(access(path_of("c.partial"), F_OK), 0);
	/* what is somebody else's stays, whole arrays of the former run do not */
	mkdir(path_of("c/arrays"), 0777);
	touch(path_of("c/mine"));
	touch(path_of("c/arrays/notes"));
	touch(path_of("c/arrays/u@1.E.npy"));
	r = reference_create(path_of("c"), info(), &err);
	add(r, 1, 0, 0, 1);
	assert_int_equal(reference_finish(r, false, &err), 0);
	reference_destroy(r);
	assert_int_equal(access(path_of("c/mine"), F_OK), 0);
	assert_int_equal(access(path_of("c/arrays/notes"), F_OK), 0);
	assert_int_not_equal(access(path_of("c/arrays/u@1.E.npy"), F_OK), 0);
	assert_int_not_equal(access(path_of("c.partial"), F_OK), 0);
	r = reference_open(path_of("c"), &err);
	assert_int_equal(reference_count(r), 1);
	assert_non_null(strstr(reference_note(r), "did not end"));
	reference_destroy(r);
}

/* Two processes record into one directory: the second is refused, the first keeps what it has. */
static void one_process_records_into_a_directory(void **state)
{
	struct err err = { "" };
	struct reference *r;
	int reported[2], go[2], status;
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(reported) | pipe(go), 0);
	pid = fork();
	if (!pid) {
		r = reference_create(path_of("two"), info(), &err);
		if (!r || write(reported[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		add(r, 1, 0, 0, 1);
		_exit(reference_finish(r, true, &err) != 0);
	}
	assert_int_equal(read(reported[0], &c, 1), 1);
	assert_null(reference_create(path_of("two"), info(), &err));
	assert_non_null(strstr(err.text, "/two.partial: process "));
	assert_non_null(strstr(err.text, " records there now"));
	assert_int_equal(write(go[1], &c, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	r = reference_open(path_of("two"), &err);
	assert_non_null(r);
	assert_int_equal(reference_count(r), 1);
	reference_destroy(r);
	for (int i = 0; i < 2; i++) {
		close(reported[i]);
		close(go[i]);
	}
}

static int setup(void **state)
{
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	char *command;
	int rc;

	if (asprintf(&command, "rm -rf %s", top) < 0)
		return -1;
	rc = system(command);
	free(command);
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(cut_off_and_damaged_files_are_reported),
		cmocka_unit_test(other_directories_are_left_alone),
		cmocka_unit_test(manifests_that_cannot_be_are_refused),
		cmocka_unit_test(a_point_in_the_place_of_another_is_refused),
		cmocka_unit_test(a_reference_is_replaced_only_by_a_finished_one),
		cmocka_unit_test(one_process_records_into_a_directory),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
