/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/search.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "common/err.h"

#define MATCH_LIMIT 1000000

struct search {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

struct search *search_create_at(const char *pattern, size_t *wrong, struct err *err)
{
	struct search *s = calloc(1, sizeof(*s));
	PCRE2_UCHAR text[256];
	PCRE2_SIZE at;
	int code;

	if (!s) {
		err_set(err, "out of memory");
		return NULL;
	}
	s->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
	if (!s->code) {
		*wrong = at;
		pcre2_get_error_message(code, text, sizeof(text));
		err_set(err, "pattern '%s', column %zu: %s", pattern, (size_t)at + 1,
			(const char *)text);
		search_destroy(s);
		return NULL;
	}
	s->data = pcre2_match_data_create_from_pattern(s->code, NULL);
	s->context = pcre2_match_context_create(NULL);
	if (!s->data || !s->context) {
		err_set(err, "out of memory");
		search_destroy(s);
		return NULL;
	}
	pcre2_set_match_limit(s->context, MATCH_LIMIT);
	return s;
}

struct search *search_create(const char *pattern, struct err *err)
{
	size_t wrong;

	return search_create_at(pattern, &wrong, err);
}

void search_destroy(struct search *s)
{
	if (!s)
		return;
	pcre2_match_context_free(s->context);
	pcre2_match_data_free(s->data);
	pcre2_code_free(s->code);
	free(s);
}

bool search_match(const struct search *s, const char *text)
{
	return pcre2_match(s->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, s->data,
			   s->context) >= 0;
}
