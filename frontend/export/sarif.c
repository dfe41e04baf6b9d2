/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/sarif.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/util/xalloc.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* "heat.c:61" as a location; NULL: it is none in a source file. */
static json_t *location_of(const char *place)
{
	const char *colon = strrchr(place, ':');
	json_t *o;
	int64_t line;
	char *file;

	if (!colon || colon == place || parse_int(colon + 1, 1, INT32_MAX, &line))
		return NULL;
	file = xstrndup(place, (size_t)(colon - place));
	o = json_pack("{s:{s:{s:s} s:{s:I}}}", "physicalLocation", "artifactLocation", "uri", file,
		      "region", "startLine", (json_int_t)line);
	free(file);
	return o;
}

static json_t *result_of(const json_t *finding)
{
	const char *detail = text_of(finding, "detail"), *place = text_of(finding, "place");
	json_int_t count = json_integer_value(json_object_get(finding, "count"));
	json_t *at = location_of(place), *other = location_of(text_of(finding, "reference_place")),
	       *o;
	char *message =
		xasprintf("%s%s%s; ranks %s%s%s", text_of(finding, "text"), *detail ? ": " : "",
			  detail, text_of(finding, "ranks"),
			  *text_of(finding, "point") ? ", at " : "", text_of(finding, "point"));

	o = json_pack("{s:s s:s s:{s:s}}", "ruleId", text_of(finding, "kind"), "level", "error",
		      "message", "text", message);
	free(message);
	if (at)
		json_object_set_new(o, "locations", json_pack("[o]", at));
	if (other)
		json_object_set_new(o, "relatedLocations", json_pack("[o]", other));
	if (count > 0)
		json_object_set_new(o, "occurrenceCount", json_integer(count));
	return o;
}

/* The kinds that occur, each once. */
static json_t *rules_of(const json_t *list)
{
	json_t *rules = json_array(), *known = json_object(), *finding;
	size_t i;

	json_array_foreach(list, i, finding)
	{
		const char *kind = text_of(finding, "kind");

		if (json_object_get(known, kind))
			continue;
		json_object_set_new(known, kind, json_true());
		json_array_append_new(rules,
				      json_pack("{s:s s:{s:s}}", "id", kind, "shortDescription",
						"text", text_of(finding, "text")));
	}
	json_decref(known);
	return rules;
}

json_t *sarif_of(const json_t *list, const char *version)
{
	json_t *results = json_array(), *finding;
	size_t i;

	json_array_foreach(list, i, finding) json_array_append_new(results, result_of(finding));
	return json_pack("{s:s s:s s:[{s:{s:{s:s s:s s:o}} s:o}]}", "$schema", SCHEMA, "version",
			 "2.1.0", "runs", "tool", "driver", "name", "dvmdbg", "version", version,
			 "rules", rules_of(list), "results", results);
}

int sarif_write(const char *path, const json_t *list, const char *version, struct err *err)
{
	json_t *o = sarif_of(list, version);
	FILE *f = fopen(path, "we");
	int rc = -1;

	if (f)
		rc = json_dumpf(o, f, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) ||
		     fputc('\n', f) == EOF;
	if (f && fclose(f))
		rc = -1;
	if (rc)
		err_set(err, "%s: %s", path, strerror(errno));
	json_decref(o);
	return rc ? -1 : 0;
}
