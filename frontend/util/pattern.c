/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

#define MATCH_LIMIT 1000000
#define HEAP_LIMIT_KIB 65536
/* Of a pattern, shown above a ^. */
#define PATTERN_SHOWN 200

/* Texts that are no UTF-8 are no error for newer libraries; with older ones characters are bytes.
 */
#ifdef PCRE2_MATCH_INVALID_UTF
#define UTF_OPTIONS (PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF)
#else
#define UTF_OPTIONS 0
#endif

struct search {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

/* Characters in the first bytes of text. */
static size_t characters(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes && text[i]; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* The pattern with the column below it; control characters are blanks, so that columns agree. */
static int point_at(struct err *err, const char *pattern, size_t column, const char *why)
{
	size_t len = strlen(pattern), shown = len < PATTERN_SHOWN ? len : PATTERN_SHOWN;
	char copy[PATTERN_SHOWN + 1];

	if (column > PATTERN_SHOWN)
		return err_set(err, "column %zu of the pattern: %s", column, why);
	while (shown < len && shown && ((unsigned char)pattern[shown] & 0xc0) == 0x80)
		shown--;
	memcpy(copy, pattern, shown);
	copy[shown] = 0;
	for (size_t i = 0; i < shown; i++)
		if ((unsigned char)copy[i] < ' ')
			copy[i] = ' ';
	return err_set(err, "column %zu of the pattern: %s\n  %s%s\n  %*s", column, why, copy,
		       shown < len ? "..." : "", (int)column, "^");
}

static pcre2_code *compile(const char *pattern, uint32_t options, int *code, size_t *at)
{
	pcre2_code *made = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
					 options | UTF_OPTIONS, code, at, NULL);

	/* A pattern may be bytes of another code. */
	if (!made && *code <= PCRE2_ERROR_UTF8_ERR1 && *code >= PCRE2_ERROR_UTF8_ERR21)
		made = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, code, at,
				     NULL);
	return made;
}

/* wrong: where the pattern is wrong, in bytes from 0; NULL when that is not asked for. */
static struct search *create(const char *pattern, bool ignorecase, bool pointing, size_t *wrong,
			     struct err *err)
{
	struct search *s = xcalloc(1, sizeof(*s));
	PCRE2_UCHAR text[256];
	size_t at = 0;
	int code = 0;

	s->code = compile(pattern, ignorecase ? PCRE2_CASELESS : 0, &code, &at);
	if (!s->code) {
		size_t column = characters(pattern, at) + 1;

		if (wrong)
			*wrong = at;
		pcre2_get_error_message(code, text, sizeof(text));
		if (pointing)
			point_at(err, pattern, column, (const char *)text);
		else
			err_set(err, "pattern '%s', column %zu: %s", pattern, column,
				(const char *)text);
		search_destroy(s);
		return NULL;
	}
	s->data = xalloc_checked(pcre2_match_data_create_from_pattern(s->code, NULL));
	s->context = xalloc_checked(pcre2_match_context_create(NULL));
	pcre2_set_match_limit(s->context, MATCH_LIMIT);
	pcre2_set_heap_limit(s->context, HEAP_LIMIT_KIB);
	return s;
}

struct search *search_create(const char *pattern, struct err *err)
{
	return create(pattern, false, false, NULL, err);
}

struct search *search_create_at(const char *pattern, size_t *wrong, struct err *err)
{
	return create(pattern, false, false, wrong, err);
}

struct search *search_create_pointing(const char *pattern, bool ignorecase, struct err *err)
{
	return create(pattern, ignorecase, true, NULL, err);
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

int search_find(const struct search *s, const char *text, size_t *from, size_t *to, struct err *err)
{
	int rc = pcre2_match(s->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, s->data,
			     s->context);
	const PCRE2_SIZE *at;
	PCRE2_UCHAR why[256];

	if (rc == PCRE2_ERROR_NOMATCH || rc == PCRE2_ERROR_PARTIAL)
		return 0;
	if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT ||
	    rc == PCRE2_ERROR_DEPTHLIMIT)
		return err_set(err,
			       "the pattern takes more than %d steps here; avoid nested "
			       "repetitions like (a+)+",
			       MATCH_LIMIT);
	if (rc < 0) {
		pcre2_get_error_message(rc, why, sizeof(why));
		return err_set(err, "%s", (const char *)why);
	}
	at = pcre2_get_ovector_pointer(s->data);
	/* with \K a match may end before it begins */
	*from = at[0];
	*to = at[1] < at[0] ? at[0] : at[1];
	return 1;
}

bool search_match(const struct search *s, const char *text)
{
	size_t from, to;

	return search_find(s, text, &from, &to, NULL) > 0;
}
