/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms: what is shown of members that are there, absent, empty, 0, true, false. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/output/form.h"
#include "frontend/output/text.h"

static const char answer[] =
	"{\"name\": \"u\", \"empty\": \"\", \"one\": 1, \"three\": 3, \"zero\": 0, \"yes\": true, "
	"\"no\": false,"
	" \"null\": null, \"index\": [4], \"point\": [1, 2], \"none\": [], \"ranks\": \"[0:3]\"}";

static void assert_form(const char *form, const char *expected)
{
	json_t *o = json_loads(answer, 0, NULL);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(o);
	out_form(f, o, form);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
	json_decref(o);
}

static void members(void **state)
{
	assert_form("{name} has {three}", "u has 3");
	assert_form("{absent}{empty}{none}.", ".");
	assert_form("{index} {point}", "4 (1,2)");
	assert_form("{ranks#}", "[0:3]");
}

static void numbers_with_words(void **state)
{
	assert_form("{one|record}, {three|record}, {zero|record}",
		    "1 record, 3 records, 0 records");
	assert_form("{one?is:are} {three?is:are} {yes?:not }{no?:not }shown", "is are not shown");
}

static void parts(void **state)
{
	assert_form("a< {name}>< {absent}>< {empty}>< {zero}>< {none}>< {null}>< {no}>", "a u");
	assert_form("<x {name} {absent}>", "");
	assert_form("<x {name}< y {absent}>< z {three}>>", "x u z 3");
	assert_form("<only words>", "only words");
}

static void parts_with_conditions(void **state)
{
	assert_form("<?yes:y><?no:n><?three:t><?absent:a><?zero:z>", "yt");
	assert_form("<@zero:{zero} s><@absent:no>", "0 s");
	assert_form("<!no:not {name}><!yes:y><!absent:a>", "not u");
}

static void characters_themselves(void **state)
{
	assert_form("\\<{name}\\> \\{x\\}", "<u> {x}");
}

static void lists(void **state)
{
	json_t *list = json_loads("[{\"n\": 1}, {\"n\": 2}, {\"n\": 3}]", 0, NULL);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	out_form_each(f, list, 2, "{n};");
	out_form_each(f, list, 9, "{n}.");
	fclose(f);
	assert_string_equal(text, "1;2;1.2.3.");
	free(text);
	json_decref(list);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(numbers_with_words),
		cmocka_unit_test(parts),
		cmocka_unit_test(parts_with_conditions),
		cmocka_unit_test(characters_themselves),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
