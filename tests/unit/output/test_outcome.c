/* SPDX-License-Identifier: BSD-3-Clause */
/* What an invocation has come to, and the exit status of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/output/outcome.h"
#include "frontend/output/output.h"

/* Of all combinations, by the bits of the kinds. */
static void the_first_that_holds_is_the_status(void **state)
{
	static const int of_kind[OUTCOME_KINDS] = { 1, 3, 1, 3, 2, 2 };

	for (unsigned bits = 0; bits < 1u << OUTCOME_KINDS; bits++) {
		struct outcome *o = outcome_create();
		/* two kinds are called findings */
		bool twice = bits & 1u << OUTCOME_FINDINGS && bits & 1u << OUTCOME_MISUSE;
		int wanted = bits ? of_kind[__builtin_ctz(bits)] : 0;
		json_t *json;

		for (unsigned k = 0; k < OUTCOME_KINDS; k++)
			if (bits >> k & 1)
				outcome_add(o, k);
		json = outcome_json(o);
		assert_int_equal(outcome_status(o), wanted);
		assert_int_equal(json_integer_value(json_object_get(json, "status")), wanted);
		assert_int_equal(json_array_size(json_object_get(json, "holds")),
				 __builtin_popcount(bits) - twice);
		json_decref(json);
		outcome_destroy(o);
	}
}

/* What the report says, or NULL; to be freed. */
static char *report(struct outcome *o)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct out *out = out_create(f, true);

	outcome_report(o, out, "compared");
	out_destroy(out);
	fclose(f);
	return text;
}

static void each_text_is_reported_once(void **state)
{
	struct outcome *o = outcome_create(), *side = outcome_create();
	char *text;
	json_t *json;

	text = report(o);
	assert_string_equal(text, "");
	free(text);
	outcome_incomplete(o, "rank %d is missing", 1);
	outcome_incomplete(o, "rank %d is missing", 1);
	outcome_incomplete(side, "rank %d is missing", 2);
	outcome_merge(o, side);
	text = report(o);
	assert_string_equal(text, "{\"type\":\"incomplete\",\"what\":\"compared\",\"list\":"
				  "[\"rank 1 is missing\",\"rank 2 is missing\"]}\n");
	free(text);
	text = report(o);
	assert_string_equal(text, "");
	free(text);
	json = outcome_json(o);
	assert_int_equal(json_array_size(json_object_get(json, "incomplete")), 2);
	assert_int_equal(outcome_status(o), 2);
	json_decref(json);
	outcome_destroy(side);
	outcome_destroy(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_holds_is_the_status),
		cmocka_unit_test(each_text_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
