/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.json: what a reference is of.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "common/core/err.h"
#include "frontend/output/output.h"
#include "frontend/reference/internal.h"
#include "frontend/util/xalloc.h"

void reference_info_clear(struct reference *r)
{
	free((char *)r->info.program);
	free((char *)r->info.build_id);
	free((char *)r->info.marks);
	free((char *)r->info.version);
	for (size_t i = 0; r->argv && r->argv[i]; i++)
		free(r->argv[i]);
	free(r->argv);
	json_decref(r->info.levels);
	r->argv = NULL;
	r->info = (struct reference_info){ 0 };
}

void reference_info_copy(struct reference *r, const struct reference_info *info)
{
	size_t n = 0;

	r->info = *info;
	r->info.argv = NULL;
	json_incref(r->info.levels);
	while (info->argv && info->argv[n])
		n++;
	r->info.program = xstrdup(info->program);
	r->info.build_id = xstrdup(info->build_id);
	r->info.marks = xstrdup(info->marks ? info->marks : "");
	r->info.version = xstrdup(info->version);
	r->argv = xcalloc(n + 1, sizeof(*r->argv));
	for (size_t i = 0; i < n; i++)
		r->argv[i] = xstrdup(info->argv[i]);
	r->info.argv = r->argv;
}

static json_t *point_json(const struct point *p)
{
	char text[POINT_TEXT];

	return p->main ? json_string(point_format(p, text)) : json_null();
}

int reference_manifest_write(struct reference *r, const char *dir, struct err *err)
{
	const struct reference_info *i = &r->info;
	json_t *argv = json_array(), *o;
	char *path, *new = NULL;
	int rc;

	for (size_t k = 0; r->argv[k]; k++)
		json_array_append_new(argv, out_json_text(r->argv[k]));
	o = json_pack("{s:s s:i s:s s:o s:s s:o s:i s:s s:b s:b s:b s:o s:o s:b s:I}", "type",
		      REFERENCE_MAGIC, "format", REFERENCE_FORMAT, "dvmdbg", i->version, "program",
		      out_json_text(i->program), "build_id", i->build_id, "arguments", argv,
		      "ranks", (int)i->ranks, "level", "CHECKSUM", "exact",
		      i->trace_config.exact, "reads", i->trace_config.reads,
		      "drop", i->trace_config.drop, "start", point_json(&i->trace_config.start),
		      "finish", point_json(&i->trace_config.finish), "complete", i->complete,
		      "points", (json_int_t)i->points);
	if (i->order)
		json_object_set_new(o, "order", json_true());
	if (*i->marks)
		json_object_set_new(o, "marks", json_string(i->marks));
	if (i->chosen)
		json_object_set_new(o, "chosen", json_true());
	if (json_array_size(i->levels))
		json_object_set(o, "levels", i->levels);
	path = xasprintf("%s/manifest.json", dir);
	new = xasprintf("%s.new", path);
	errno = 0;
	rc = json_dump_file(o, new, JSON_INDENT(2) | JSON_PRESERVE_ORDER) || rename(new, path) ? -1
											       : 0;
	if (rc) {
		err_set(err, "%s: %s", path, errno ? strerror(errno) : "cannot be written");
		unlink(new);
	}
	free(path);
	free(new);
	json_decref(o);
	return rc;
}

/* A point of the manifest; null is none. */
static int read_point(struct point *p, const json_t *o, const char *key, struct err *err)
{
	const json_t *value = json_object_get(o, key);

	*p = (struct point){ 0 };
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return err_set(err, "%s is not a point", key);
	return point_parse(p, json_string_value(value), err);
}

/* What is in it depends on the format, so that is looked at first. */
static int check_format(const struct reference *r, const json_t *o, struct err *err)
{
	const char *type = "";
	json_int_t format = 0;

	if (json_unpack((json_t *)o, "{s:s s:I}", "type", &type, "format", &format) ||
	    strcmp(type, REFERENCE_MAGIC))
		return err_set(err, "%s/manifest.json is not that of a reference", r->dir);
	if (format < REFERENCE_FORMAT)
		return err_set(
			err,
			"%s: a reference of format %lld, of an older dvmdbg; this one reads %d: "
			"record it again",
			r->dir, (long long)format, REFERENCE_FORMAT);
	if (format != REFERENCE_FORMAT)
		return err_set(err, "%s: a reference of format %lld; this dvmdbg reads %d", r->dir,
			       (long long)format, REFERENCE_FORMAT);
	return 0;
}

static int read_info(struct reference *r, const json_t *o, struct err *err)
{
	struct reference_info i = { 0 };
	const char *program = "", *build_id = "", *version = "";
	json_t *argv = NULL, *word;
	json_int_t points = 0, ranks = 0;
	int complete = 0, reads = 0, drop = 0, rc;
	const char **words;
	size_t k;

	if (check_format(r, o, err))
		return -1;
	if (json_unpack((json_t *)o, "{s:s s:s s:s s:o s:I s:b s:I s?b s?b}", "dvmdbg", &version,
			"program", &program, "build_id", &build_id, "arguments", &argv, "ranks",
			&ranks, "complete", &complete, "points", &points, "reads", &reads, "drop",
			&drop) ||
	    !json_is_array(argv) || ranks < 1 || ranks > RANKSET_MAX)
		return err_set(err, "%s/manifest.json is damaged", r->dir);
	words = xcalloc(json_array_size(argv) + 1, sizeof(*words));
	json_array_foreach(argv, k, word) words[k] =
		json_string_value(word) ? json_string_value(word) : "";
	i.program = program;
	i.build_id = build_id;
	i.version = version;
	i.argv = (char *const *)words;
	i.ranks = (uint32_t)ranks;
	i.complete = complete;
	i.points = (uint64_t)points;
	i.trace_config.level = TRACE_CONFIG_CHECKSUM;
	/* those without the word are of a time when all were */
	i.trace_config.exact = !json_is_false(json_object_get(o, "exact"));
	i.trace_config.reads = reads != 0;
	i.trace_config.drop = drop != 0;
	i.chosen = json_is_true(json_object_get(o, "chosen"));
	i.order = json_is_true(json_object_get(o, "order"));
	i.marks = json_string_value(json_object_get(o, "marks"));
	i.levels = json_object_get(o, "levels");
	rc = 0;
	if (read_point(&i.trace_config.start, o, "start", err) ||
	    read_point(&i.trace_config.finish, o, "finish", err))
		rc = err_prefix(err, "%s/manifest.json", r->dir);
	if (!rc)
		reference_info_copy(r, &i);
	free(words);
	return rc;
}

int reference_manifest_read(struct reference *r, struct err *err)
{
	json_error_t why;
	json_t *o;
	char *path;
	FILE *f;
	int rc;

	path = xasprintf("%s/manifest.json", r->dir);
	f = reference_fopen(path);
	if (!f) {
		rc = err_set(err,
			     "%s is not a reference: manifest.json: "
			     "%s",
			     r->dir, strerror(errno));
		free(path);
		return rc;
	}
	o = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
	fclose(f);
	rc = o ? read_info(r, o, err) : err_set(err, "%s: line %d: %s", path, why.line, why.text);
	json_decref(o);
	free(path);
	return rc;
}
