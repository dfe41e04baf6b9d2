/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is taken away from marks that a trial, or a run with tags, refutes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/annotate/internal.h"
#include "frontend/output/text.h"

static void array(struct marks *m, const char *name)
{
	marks_add(m, MARK_ARRAY, "/src/heat.c", 27)->name = strdup(name);
}

/* Arrays u and v, a loop that writes each, and a loop of neither. */
static void marks_make(struct marks *m)
{
	struct mark *x;

	*m = (struct marks){ 0 };
	array(m, "u");
	array(m, "v");
	for (int i = 0; i < 2; i++) {
		x = marks_add(m, MARK_PARALLEL, "/src/heat.c", 30 + 10 * (uint32_t)i);
		x->last = x->line + 3;
		mark_name_add(&x->writes, i ? "v" : "u");
	}
	x = marks_add(m, MARK_PARALLEL, "/src/heat.c", 60);
	x->last = 62;
	marks_add(m, MARK_FORGET, "/src/heat.c", 70)->name = strdup("u");
}

/* What annotate has said of both. */
static json_t *answer_make(void)
{
	return json_pack(
		"{s:[{s:s s:s s:[b] s:{s:s s:s s:i}} {s:s s:s s:[b] s:{s:s s:s s:i}}] s:[]}",
		"arrays", "name", "u", "evidence", "strides", "split", 1, "mark", "name", "u",
		"file", "heat.c", "line", 27, "name", "v", "evidence", "strides", "split", 1,
		"mark", "name", "v", "file", "heat.c", "line", 27, "notes");
}

/* What tags say of u: so many halo elements are right and wrong; v is right. */
static json_t *tags_make(int right, int wrong)
{
	return json_pack("{s:[{s:s s:s s:i s:i s:i} {s:s s:s s:i s:i s:i}] s:[{s:s s:s s:s s:i}]}",
			 "arrays", "name", "u", "file", "heat.c", "line", 27, "right", right,
			 "wrong", wrong, "name", "v", "file", "heat.c", "line", 27, "right", 40,
			 "wrong", 0, "findings", "array", "u", "text",
			 "u[3] is owned by rank 0 and by rank 1", "file", "heat.c", "line", 27);
}

static json_t *of(const json_t *answer, size_t i)
{
	return json_array_get(json_object_get(answer, "arrays"), i);
}

/* More is refuted than proved: the array is left out, with the reason, and so is what needs it. */
static void refuted_by_tags(void **state)
{
	struct marks m;
	json_t *answer = answer_make(), *tags = tags_make(10, 10);

	(void)state;
	marks_make(&m);
	assert_int_equal(trial_tags(tags, &m, answer), 3);
	assert_int_equal(m.n, 3);
	assert_string_equal(m.mark[0].name, "v");
	assert_int_equal(m.mark[1].line, 40);
	assert_int_equal(m.mark[2].line, 60);
	assert_string_equal(out_str(of(answer, 0), "left_out"),
			    "its tags say otherwise: u[3] is owned by rank 0 and by rank 1");
	assert_null(json_object_get(of(answer, 0), "split"));
	assert_string_equal(out_str(of(answer, 1), "evidence"), "strides; tags");
	marks_clear(&m);
	json_decref(answer);
	json_decref(tags);
}

/* More is proved than refuted: the program may be wrong, and the mark stays. */
static void doubted_by_tags(void **state)
{
	struct marks m;
	json_t *answer = answer_make(), *tags = tags_make(11, 10);
	const json_t *note;

	(void)state;
	marks_make(&m);
	assert_int_equal(trial_tags(tags, &m, answer), 0);
	assert_int_equal(m.n, 6);
	assert_null(json_object_get(of(answer, 0), "left_out"));
	note = json_array_get(json_object_get(answer, "notes"), 0);
	assert_string_equal(
		json_string_value(note),
		"u: a mark is wrong, or the program: u[3] is owned by rank 0 and by rank 1");
	marks_clear(&m);
	json_decref(answer);
	json_decref(tags);
}

/* Of two arrays that are announced at one line that is taken away which a finding names; sums that
 * differ blame none. */
static void blamed_by_findings(void **state)
{
	struct marks m;
	json_t *taken = json_array(), *notes = json_array();
	json_t *trial =
		json_pack("{s:[{s:s s:s s:s s:s} {s:s s:s s:s s:s}]}", "findings", "kind",
			  "mismatch", "place", "heat.c:27", "detail", "u", "text", "sums differ",
			  "kind", "register", "place", "heat.c:27", "detail",
			  "v: own is not inside of the array", "text", "v cannot be registered");

	(void)state;
	marks_make(&m);
	assert_int_equal(trial_drop(trial, &m, notes, taken), 2);
	assert_string_equal(m.mark[0].name, "u");
	assert_int_equal(m.mark[1].line, 30);
	assert_int_equal(m.mark[2].line, 60);
	assert_string_equal(out_str(json_array_get(taken, 0), "why"), "v cannot be registered");
	marks_clear(&m);
	json_decref(trial);
	json_decref(taken);
	json_decref(notes);
}

/* Some that differ may be the program's fault; nearly all are the marks'. */
static void suspicious(void **state)
{
	static const struct {
		int sums, equal;
		bool is;
	} of[] = { { 84, 6, true }, { 84, 21, false }, { 84, 84, false }, { 0, 0, false }, { 3, 0, true } };

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		json_t *trial = json_pack("{s:i s:i}", "sums", of[i].sums, "equal", of[i].equal);

		assert_int_equal(trial_suspicious(trial), of[i].is);
		json_decref(trial);
	}
}

/* Checksums that differ in their last digits alone are no finding: they blame neither. */
static void amplified(void **state)
{
	static const char run[] =
		"{\"type\": \"compared\", \"sums\": 10, \"equal\": 2, \"rounding\": 0}\n"
		"{\"type\": \"finding\", \"kind\": \"checksum\", \"place\": \"cg.c:9\", \"text\": \"differ\", "
		"\"detail\": \"Different checksums for array (\\\"u\\\", 3): %s at the point 7.E\"}\n";
	static const struct {
		const char *sums;
		bool rounds;
	} of[] = { { "19522.9359319 != 19522.9359318", true },
		   { "-2.5 != -2.500000001", true },
		   { "19522.9359 != 19522.8359", false },
		   { "1e-17 != -3e-18", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		json_t *trial = json_pack("{s:i s:i s:[] s:[]}", "sums", 0, "equal", 0, "findings",
					  "incomplete");
		char text[400];

		snprintf(text, sizeof(text), run, of[i].sums);
		trial_take(trial, text, 4);
		assert_int_equal(trial_rounds(trial), of[i].rounds);
		assert_int_equal(trial_suspicious(trial), !of[i].rounds);
		json_decref(trial);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuted_by_tags),
		cmocka_unit_test(doubted_by_tags),
		cmocka_unit_test(blamed_by_findings),
		cmocka_unit_test(suspicious),
		cmocka_unit_test(amplified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
