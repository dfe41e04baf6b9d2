/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/net/net.h"
#include "common/core/err.h"

static unsigned char secret[AUTH_SECRET], client[AUTH_NONCE], server[AUTH_NONCE];

static int setup(void **state)
{
	if (auth_init(NULL) < 0)
		return -1;
	auth_random(secret, sizeof(secret));
	auth_random(client, sizeof(client));
	auth_random(server, sizeof(server));
	return 0;
}

static void test_right_proof(void **state)
{
	unsigned char proof[AUTH_PROOF];

	auth_prove(proof, secret, 'C', client, server);
	assert_int_equal(auth_check(proof, secret, 'C', client, server), 0);
	auth_prove(proof, secret, 'S', client, server);
	assert_int_equal(auth_check(proof, secret, 'S', client, server), 0);
}

static void test_wrong_proof(void **state)
{
	unsigned char proof[AUTH_PROOF], other[AUTH_SECRET];

	auth_prove(proof, secret, 'C', client, server);
	assert_int_not_equal(auth_check(proof, secret, 'S', client, server), 0); /* reflected */
	assert_int_not_equal(auth_check(proof, secret, 'C', server, client), 0);
	assert_int_not_equal(auth_check(proof, secret, 'C', client, client), 0); /* replayed */
	memcpy(other, secret, sizeof(other));
	other[31] ^= 1;
	assert_int_not_equal(auth_check(proof, other, 'C', client, server), 0);
	for (size_t i = 0; i < AUTH_PROOF * 8; i++) {
		proof[i / 8] ^= (unsigned char)(1u << i % 8);
		assert_int_not_equal(auth_check(proof, secret, 'C', client, server), 0);
		proof[i / 8] ^= (unsigned char)(1u << i % 8);
	}
}

static void test_hex(void **state)
{
	unsigned char back[AUTH_SECRET];
	char hex[AUTH_HEX];

	auth_secret_to_hex(secret, hex);
	assert_int_equal(strlen(hex), AUTH_HEX - 1);
	assert_int_equal(strspn(hex, "0123456789abcdef"), AUTH_HEX - 1);
	assert_int_equal(auth_secret_from_hex(back, hex, NULL), 0);
	assert_memory_equal(back, secret, AUTH_SECRET);
}

static void check_hex_refused(const char *hex)
{
	unsigned char back[AUTH_SECRET];
	struct err err = { "" };

	assert_int_equal(auth_secret_from_hex(back, hex, &err), -1);
	assert_non_null(strstr(err.text, "64 hexadecimal digits"));
	/* a mistyped secret is not shown */
	if (*hex)
		assert_null(strstr(err.text, hex));
}

static void test_bad_hex(void **state)
{
	char hex[AUTH_HEX + 2];

	memset(hex, 'a', sizeof(hex));
	hex[AUTH_HEX - 2] = '\0';
	check_hex_refused(hex);
	hex[AUTH_HEX - 2] = 'a';
	hex[AUTH_HEX] = '\0';
	check_hex_refused(hex);
	hex[AUTH_HEX - 1] = '\0';
	hex[10] = 'g';
	check_hex_refused(hex);
	hex[10] = ' ';
	check_hex_refused(hex);
	check_hex_refused("");
}

static void test_random(void **state)
{
	unsigned char a[AUTH_NONCE], b[AUTH_NONCE];

	auth_random(a, sizeof(a));
	auth_random(b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_proof), cmocka_unit_test(test_wrong_proof),
		cmocka_unit_test(test_hex),	    cmocka_unit_test(test_bad_hex),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
