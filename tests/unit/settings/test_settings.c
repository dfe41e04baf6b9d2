/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/core/err.h"
#include "frontend/settings/settings.h"

static void defaults(void **state)
{
	struct settings *s = settings_create();

	assert_int_equal(settings_number(s, "MAX_PROMPT"), 40);
	assert_int_equal(settings_number(s, "STOP_TIMER"), 5);
	assert_int_equal(settings_number(s, "PRINT_LIMIT"), 10000);
	assert_string_equal(settings_text(s, "ON_EXIT"), "kill");
	assert_string_equal(settings_text(s, "BAD_STOP"), "halt");
	assert_string_equal(settings_text(s, "SOURCE_PATH"), "");
	settings_destroy(s);
}

/* Every default is a value that the setting itself allows. */
static void defaults_are_allowed(void **state)
{
	struct settings *s = settings_create();
	struct err err = { "" };

	for (size_t i = 0; settings_name(i); i++) {
		assert_int_equal(settings_set(s, settings_name(i), settings_default(i), &err), 0);
		assert_true(*settings_help(i));
	}
	settings_destroy(s);
}

static void set_and_unset(void **state)
{
	struct settings *s = settings_create();
	struct err err = { "" };

	assert_int_equal(settings_set(s, "MAX_LIST", "7", &err), 0);
	assert_int_equal(settings_number(s, "MAX_LIST"), 7);
	assert_int_equal(settings_set(s, "on_exit", "RUN", &err), 0);
	assert_string_equal(settings_text(s, "ON_EXIT"), "run");
	assert_int_equal(settings_unset(s, "MAX_LIST", &err), 0);
	assert_int_equal(settings_number(s, "MAX_LIST"), 20);
	settings_destroy(s);
}

static void real_numbers(void **state)
{
	static const char *const bad[] = { "", "x", "-1", "nan", "inf", "1e999", "1 ", " 1" };
	struct settings *s = settings_create();
	struct err err = { "" };

	assert_string_equal(settings_text(s, "exp"), "auto");
	assert_int_equal(settings_set(s, "EXP", "1e-6", &err), 0);
	assert_string_equal(settings_text(s, "Exp"), "1e-6");
	assert_int_equal(settings_set(s, "Exp", "AUTO", &err), 0);
	assert_string_equal(settings_text(s, "Exp"), "auto");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(settings_set(s, "Exp", bad[i], &err), -1);
	assert_int_equal(settings_set(s, "RelCompareMin", "auto", &err), 0);
	assert_int_equal(settings_set(s, "RelCompareMin", "no", &err), -1);
	assert_string_equal(err.text,
			    "RelCompareMin cannot be 'no': it is a number from 0, or auto");
	assert_int_equal(settings_set(s, "Exp", "small", &err), -1);
	assert_string_equal(err.text, "Exp cannot be 'small': it is a number from 0, or auto");
	settings_destroy(s);
}

static void errors_name_what_is_allowed(void **state)
{
	struct settings *s = settings_create();
	struct err err = { "" };

	assert_int_equal(settings_set(s, "MAX_LIST", "0", &err), -1);
	assert_string_equal(err.text, "MAX_LIST cannot be '0': it is a number, 1 to 10000");
	assert_int_equal(settings_set(s, "MAX_LIST", "7x", &err), -1);
	assert_int_equal(settings_set(s, "MAX_LIST", "99999999999999999999", &err), -1);
	assert_int_equal(settings_set(s, "MAX_LIST", "", &err), -1);
	assert_int_equal(settings_number(s, "MAX_LIST"), 20);
	assert_int_equal(settings_set(s, "BAD_STOP", "hal", &err), -1);
	assert_string_equal(err.text, "BAD_STOP cannot be 'hal': it is halt or wait");
	assert_int_equal(settings_set(s, "NOTHING", "1", &err), -1);
	assert_string_equal(err.text, "unknown setting NOTHING; 'set' shows them all");
	assert_int_equal(settings_set(s, "max_lists", "1", &err), -1);
	assert_string_equal(err.text, "unknown setting max_lists; near: MAX_LIST");
	assert_int_equal(settings_set(s, "MAX_", "1", &err), -1);
	assert_non_null(strstr(err.text, " MAX_LIST MAX_LEVELS "));
	assert_null(strstr(err.text, "STOP_TIMER"));
	assert_int_equal(settings_unset(s, "NOTHING", &err), -1);
	settings_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(defaults_are_allowed),
		cmocka_unit_test(set_and_unset),
		cmocka_unit_test(real_numbers),
		cmocka_unit_test(errors_name_what_is_allowed),
	};

	return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
