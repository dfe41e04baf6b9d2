/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/form.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "frontend/output/text.h"

#define KEY 40

void out_index(FILE *f, const json_t *index)
{
	size_t n = json_array_size(index);

	if (n > 1)
		fputc('(', f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, i ? ",%lld" : "%lld",
			(long long)json_integer_value(json_array_get(index, i)));
	if (n > 1)
		fputc(')', f);
}

/* Copies the key that begins at p; the character behind it. */
static const char *key_at(const char *p, char key[KEY])
{
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_");

	assert(n && n < KEY);
	memcpy(key, p, n);
	key[n] = '\0';
	return p + n;
}

static bool holds(const json_t *v)
{
	if (json_is_string(v))
		return *json_string_value(v);
	if (json_is_array(v))
		return json_array_size(v);
	if (json_is_integer(v))
		return json_integer_value(v);
	return v && !json_is_false(v) && !json_is_null(v);
}

/* The end of the part that begins behind an opening character, its closing one. */
static const char *part_end(const char *p, char open, char close)
{
	unsigned depth = 1;

	for (; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == open)
			depth++;
		else if (*p == close && !--depth)
			return p;
	}
	assert(!"a form that is not closed");
	return p;
}

static void put_member(FILE *f, const json_t *o, const char *p, const char *end)
{
	char key[KEY];
	const char *rest = key_at(p, key), *colon;
	const json_t *v = json_object_get(o, key);
	long long n = (long long)json_integer_value(v);

	if (*rest == '#') {
		fputs(out_ranks(o, key), f);
	} else if (*rest == '|') {
		fprintf(f, "%lld %.*s%s", n, (int)(end - rest - 1), rest + 1, n == 1 ? "" : "s");
	} else if (*rest == '?') {
		colon = memchr(rest, ':', (size_t)(end - rest));
		assert(colon);
		if (n == 1 || json_is_true(v))
			fprintf(f, "%.*s", (int)(colon - rest - 1), rest + 1);
		else
			fprintf(f, "%.*s", (int)(end - colon - 1), colon + 1);
	} else {
		assert(rest == end);
		if (json_is_integer(v))
			fprintf(f, "%lld", n);
		else if (json_is_array(v))
			out_index(f, v);
		else
			fputs(out_str(o, key), f);
	}
}

/* Whether all members hold that are named from p to end, outside of inner parts. */
static bool all_hold(const json_t *o, const char *p, const char *end)
{
	char key[KEY];

	for (; p < end; p++) {
		if (*p == '\\') {
			p++;
		} else if (*p == '<') {
			p = part_end(p + 1, '<', '>');
		} else if (*p == '{') {
			key_at(p + 1, key);
			if (!holds(json_object_get(o, key)))
				return false;
		}
	}
	return true;
}

/* Whether a part is shown; *p goes to what it shows. */
static bool shown(const json_t *o, const char **p, const char *end)
{
	char what = **p, key[KEY];
	const json_t *v;

	if (!strchr("?@!", what))
		return all_hold(o, *p, end);
	*p = key_at(*p + 1, key);
	assert(**p == ':');
	++*p;
	v = json_object_get(o, key);
	return what == '?' ? holds(v) : what == '@' ? v != NULL : json_is_false(v);
}

static void put(FILE *f, const json_t *o, const char *p, const char *end)
{
	for (; p < end; p++) {
		if (*p == '\\') {
			fputc(*++p, f);
		} else if (*p == '{') {
			const char *close = part_end(p + 1, '{', '}');

			put_member(f, o, p + 1, close);
			p = close;
		} else if (*p == '<') {
			const char *close = part_end(p + 1, '<', '>');

			p++;
			if (shown(o, &p, close))
				put(f, o, p, close);
			p = close;
		} else {
			fputc(*p, f);
		}
	}
}

void out_form(FILE *f, const json_t *answer, const char *form)
{
	put(f, answer, form, form + strlen(form));
}

void out_form_each(FILE *f, const json_t *list, size_t n, const char *form)
{
	for (size_t i = 0; i < n && i < json_array_size(list); i++)
		out_form(f, json_array_get(list, i), form);
}
