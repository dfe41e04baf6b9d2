/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/settings/settings.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/logical/point.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"

struct setting {
	const char *name;
	enum setting_kind kind;
	const char *preset, *choices;
	long low, high;
	const char *help;
};

static const struct setting table[] = {
#define X(name, kind, preset, choices, low, high, help) \
	{ #name, SETTING_##kind, preset, choices, low, high, help },
	SETTING_LIST(X)
#undef X
};

#define SETTINGS (sizeof(table) / sizeof(table[0]))

struct settings {
	char *value[SETTINGS]; /* NULL: the default */
};

struct settings *settings_create(void)
{
	return xcalloc(1, sizeof(struct settings));
}

void settings_destroy(struct settings *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < SETTINGS; i++)
		free(set->value[i]);
	free(set);
}

/* The index of name, in any case of letters, or -1. */
static int find(const char *name)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (!strcasecmp(table[i].name, name))
			return (int)i;
	return -1;
}

const char *settings_text(const struct settings *set, const char *name)
{
	int i = find(name);

	if (i < 0)
		return "";
	return set->value[i] ? set->value[i] : table[i].preset;
}

long settings_number(const struct settings *set, const char *name)
{
	return strtol(settings_text(set, name), NULL, 10);
}

const char *settings_allowed(size_t i, char *out, size_t size)
{
	size_t used;

	switch (table[i].kind) {
	case SETTING_NUMBER:
		snprintf(out, size, "a number, %ld to %ld", table[i].low, table[i].high);
		break;
	case SETTING_REAL:
		snprintf(out, size, "a number from 0%s%s", *table[i].choices ? ", or " : "",
			 table[i].choices);
		break;
	case SETTING_TEXT:
		snprintf(out, size, "a text");
		break;
	case SETTING_POINT:
		snprintf(out, size, "a point as 13.E or 6.2.1.B, or empty");
		break;
	case SETTING_CHOICE:
		used = (size_t)snprintf(out, size, strchr(table[i].choices, '|') ? "one of " : "");
		for (const char *p = table[i].choices; *p && used + 3 < size; p++) {
			out[used++] = *p == '|' ? ',' : *p;
			if (*p == '|')
				out[used++] = ' ';
		}
		out[used] = 0;
		break;
	}
	return out;
}

/* The choice that value is, in the table's spelling, allocated; NULL when it is none. */
static char *choice(const struct setting *s, const char *value)
{
	size_t len = strlen(value);

	for (const char *p = s->choices; *p;) {
		size_t n = strcspn(p, "|");

		if (n == len && !strncasecmp(p, value, n))
			return xstrndup(p, n);
		p += n + (p[n] == '|');
	}
	return NULL;
}

static bool number_fits(const struct setting *s, const char *value)
{
	int64_t v;

	return !parse_int(value, s->low, s->high, &v);
}

static bool real_fits(const char *value)
{
	double v;

	return !parse_real(value, 0, DBL_MAX, &v);
}

static int unknown(const char *name, struct err *err)
{
	char names[1600] = "";
	size_t used = 0;

	for (size_t i = 0; i < SETTINGS && used < sizeof(names); i++)
		if (names_near(name, table[i].name))
			used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
						 table[i].name);
	if (*names)
		return err_set(err, "unknown setting %.100s; near:%s", name, names);
	return err_set(err, "unknown setting %.100s; 'set' shows them all", name);
}

int settings_set(struct settings *set, const char *name, const char *value, struct err *err)
{
	int i = find(name);
	char allowed[256], *copy = NULL;
	struct point point;

	if (i < 0)
		return unknown(name, err);
	switch (table[i].kind) {
	case SETTING_CHOICE:
		copy = choice(&table[i], value);
		break;
	case SETTING_REAL:
		copy = real_fits(value) ? xstrdup(value) : choice(&table[i], value);
		break;
	case SETTING_TEXT:
		copy = xstrdup(value);
		break;
	case SETTING_POINT:
		copy = !*value || !point_parse(&point, value, NULL) ? xstrdup(value) : NULL;
		break;
	case SETTING_NUMBER:
		copy = number_fits(&table[i], value) ? xstrdup(value) : NULL;
		break;
	}
	if (!copy)
		return err_set(err, "%s cannot be '%s': allowed is %s", table[i].name, value,
			       settings_allowed((size_t)i, allowed, sizeof(allowed)));
	free(set->value[i]);
	set->value[i] = copy;
	return 0;
}

int settings_unset(struct settings *set, const char *name, struct err *err)
{
	int i = find(name);

	if (i < 0)
		return unknown(name, err);
	free(set->value[i]);
	set->value[i] = NULL;
	return 0;
}

const char *settings_name(size_t i)
{
	return i < SETTINGS ? table[i].name : NULL;
}

const char *settings_help(size_t i)
{
	return table[i].help;
}

const char *settings_default(size_t i)
{
	return table[i].preset;
}

const char *settings_choices(size_t i)
{
	return i < SETTINGS ? table[i].choices : "";
}
