/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/value_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array/array.h"
#include "common/array/values.h"
#include "common/array/value.h"
#include "frontend/model/ask.h"
#include "frontend/output/output.h"

/* The shortest number that reads back the same in its own type, so that float 0.1 is 0.1. */
static json_t *real_json(unsigned type, double x)
{
	struct value v = { .class = VALUE_IS_REAL, .re = x };
	char text[VALUE_TEXT];

	if (type == VALUE_DOUBLE && isfinite(x))
		return json_real(x);
	value_format(type, &v, 0, text);
	return isfinite(x) ? json_real(strtod(text, NULL)) : json_string(text);
}

json_t *value_json(unsigned type, const void *bytes)
{
	struct value v = value_load(type, bytes);
	unsigned part = type == VALUE_FLOAT || type == VALUE_FCOMPLEX ? VALUE_FLOAT : VALUE_DOUBLE;
	char text[32];
	json_t *pair;

	switch (value_class(type)) {
	case VALUE_IS_REAL:
		return real_json(part, v.re);
	case VALUE_IS_COMPLEX:
		pair = json_array();
		json_array_append_new(pair, real_json(part, v.re));
		json_array_append_new(pair, real_json(part, v.im));
		return pair;
	case VALUE_IS_BOOL:
		return json_boolean(v.i);
	case VALUE_IS_UINT:
		if (v.i >= 0)
			break;
		snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)v.i);
		return json_string(text);
	case VALUE_IS_INT:
		break;
	}
	return json_integer(v.i);
}

static json_t *field_json(const struct array_field *field, const unsigned char *object)
{
	json_t *values = json_array();

	for (uint32_t i = 0; i < field->count; i++)
		json_array_append_new(values,
				      value_json(field->type, object + field->offset +
								      i * value_size(field->type)));
	return json_pack("{s:o s:s s:o}", "name", out_json_text(field->name), "kind",
			 value_type_name(field->type), "values", values);
}

/* A structure's fields; of several structures each field with the values of all, in turn. */
static json_t *fields_json(const struct values *q, const unsigned char *bytes)
{
	json_t *fields = json_array();
	uint64_t total = values_total(q);

	for (uint32_t i = 0; i < q->nfield; i++) {
		json_t *field = field_json(&q->field[i], bytes);

		for (uint64_t k = 1; k < total; k++) {
			json_t *more = field_json(&q->field[i], bytes + k * q->elem_size);

			json_array_extend(json_object_get(field, "values"),
					  json_object_get(more, "values"));
			json_decref(more);
		}
		json_array_append_new(fields, field);
	}
	return fields;
}

/* Flat; stops early when the user has had enough. */
static json_t *values_json(const struct values *q, const unsigned char *bytes,
			   const unsigned char *missing)
{
	json_t *values = json_array();
	uint64_t total = values_total(q);

	for (uint64_t i = 0; i < total && (i % 4096 || !out_cut_short()); i++)
		json_array_append_new(values,
				      missing && missing[i]
					      ? json_null()
					      : value_json(q->type, bytes + i * q->elem_size));
	return values;
}

json_t *value_json_groups(const struct values *q, const unsigned char *missing)
{
	json_t *groups = json_array();
	uint64_t total = values_total(q);

	for (size_t g = 0; g < q->n; g++) {
		json_t *o = json_pack("{s:o}", "ranks", ask_ranks(&q->group[g].ranks));

		if (q->type == VALUE_STRUCT) {
			json_object_set_new(o, "fields", fields_json(q, q->group[g].bytes));
		} else {
			json_t *values = values_json(q, q->group[g].bytes, missing);

			if (json_array_size(values) < total)
				json_object_set_new(o, "error", json_string("interrupted"));
			json_object_set_new(o, "kind", json_string(value_type_name(q->type)));
			json_object_set_new(o, "values", values);
		}
		json_array_append_new(groups, o);
	}
	return groups;
}
