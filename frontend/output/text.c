/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/text.h"

#include <stdbool.h>
#include <string.h>

const char *out_str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

json_int_t out_int(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

const json_t *out_get(const json_t *o, const char *key)
{
	return json_object_get(o, key);
}

static const struct out_text *table;
static size_t ntable;

void out_text_use(const struct out_text *renderers, size_t n)
{
	table = renderers;
	ntable = n;
}

out_text_fn out_text_find(const char *type)
{
	for (size_t i = 0; i < ntable; i++)
		if (!strcmp(table[i].type, type))
			return table[i].fn;
	return NULL;
}
