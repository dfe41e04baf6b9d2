/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb search: a pattern in what there is to be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/verbs/look/internal.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/util/pattern.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

#define CONTEXT_MOST 1000
#define SHOWN_MOST 100000

struct hunt {
	struct search *pattern;
	long context, most;
	json_t *groups; /* those with matches, or that could not be looked in */
	json_t *inspected; /* {"in": "source", "lines": 310} per place */
};

enum { SEARCH_IN, SEARCH_CONTEXT, SEARCH_IGNORECASE, SEARCH_MAX };

/* Characters before byte `to` of UTF-8. */
static json_int_t characters(const char *text, size_t to)
{
	json_int_t n = 0;

	for (size_t i = 0; i < to; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Whether the line fits; where is put into it then, counted in characters from 1. -1 and err. */
static int fits(const struct hunt *h, json_t *line, struct err *err)
{
	const char *text = out_str(line, "text");
	size_t from, to;
	int rc = search_find(h->pattern, text, &from, &to, err);

	if (rc < 1)
		return rc;
	json_object_set_new(line, "match", json_true());
	json_object_set_new(line, "column", json_integer(characters(text, from) + 1));
	json_object_set_new(line, "length", json_integer(characters(text + from, to - from)));
	return 1;
}

static bool is_match(const json_t *line)
{
	return json_is_true(json_object_get(line, "match"));
}

/* The matches from index `first` to `last` with what stands around them; "gap" where lines are left
 * out. */
static json_t *with_context(const json_t *lines, size_t first, size_t last, size_t context)
{
	size_t n = json_array_size(lines), shown = 0; /* all before are shown or passed */
	json_t *list = json_array();

	for (size_t i = first; i <= last && i < n; i++) {
		size_t from = i > context ? i - context : 0, to = i + context;

		if (!is_match(json_array_get(lines, i)))
			continue;
		if (from > shown && json_array_size(list))
			json_object_set_new(json_array_get(lines, from), "gap", json_true());
		for (size_t k = from > shown ? from : shown; k <= to && k < n; k++) {
			json_t *line = json_array_get(lines, k);

			/* what is shown only as context counts as such */
			if (k > last)
				json_object_del(line, "match");
			json_array_append(list, line);
			shown = k + 1;
		}
	}
	return list;
}

/*
 * Looks through lines (taken over), each with a text, and keeps those that fit: the first, or the
 * newest, that are not more than is left. group has what they are of, and becomes the answer's; -1
 * and err.
 */
static int look_through(struct hunt *h, json_t *group, json_t *lines, bool newest, long *left,
			struct err *err)
{
	size_t n = json_array_size(lines), first = 0, last = n;
	json_int_t total = 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		int rc = fits(h, json_array_get(lines, i), err);

		if (rc < 0 || out_cut_short()) {
			if (rc >= 0)
				err_set(err, "interrupted");
			json_decref(group);
			json_decref(lines);
			return -1;
		}
		total += rc;
	}
	for (size_t i = 0; i < n && kept < *left; i++) {
		size_t at = newest ? n - 1 - i : i;

		if (!is_match(json_array_get(lines, at)))
			continue;
		kept++;
		first = newest ? at : first;
		last = newest ? last : at;
	}
	*left -= kept;
	if (total) {
		json_object_set_new(group, "total", json_integer(total));
		json_object_set_new(group, "shown", json_integer(kept));
		json_object_set_new(group, "list",
				    kept ? with_context(lines, first, last, (size_t)h->context)
					 : json_array());
		json_array_append(h->groups, group);
	}
	json_decref(group);
	json_decref(lines);
	return 0;
}

/* Of which place the trouble is, and where in it. */
static int blame(struct err *err, const char *place, const json_t *group)
{
	const char *file = out_str(group, "file");

	return err_prefix(err, "%s%s%s", place, *file ? " " : "", file);
}

static int look_in(struct hunt *h, const struct search_place *place, struct session *s,
		   const struct rankset *who, bool asked_for, struct err *err)
{
	struct err why = { "" };
	json_t *groups = json_array(), *group;
	long left = h->most;
	json_int_t lines = 0;
	size_t i;
	int rc = place->gather(s, who, groups, &why);

	if (rc && !asked_for)
		json_array_append_new(h->inspected,
				      json_pack("{s:s s:s}", "in", place->name, "error", why.text));
	if (rc) {
		json_decref(groups);
		return asked_for ? err_set(err, "%s: %s", place->name, why.text) : 0;
	}
	json_array_foreach(groups, i, group)
	{
		json_t *list = json_incref(json_object_get(group, "list"));

		lines += (json_int_t)json_array_size(list);
		json_object_del(group, "list");
		json_object_set_new(group, "in", json_string(place->name));
		rc = look_through(h, json_incref(group), list, place->newest, &left, err);
		if (rc) {
			blame(err, place->name, group);
			break;
		}
	}
	json_decref(groups);
	json_array_append_new(h->inspected,
			      json_pack("{s:s s:I}", "in", place->name, "lines", lines));
	return rc;
}

/* The place that the first n letters of name are the beginning of, as -in source or -in so; NULL
 * and err. */
static const struct search_place *find_place(const char *name, size_t n, struct err *err)
{
	const struct search_place *found = NULL;

	for (size_t i = 0; n && search_places[i].name; i++) {
		if (strncmp(search_places[i].name, name, n))
			continue;
		if (!found || strlen(search_places[i].name) == n)
			found = &search_places[i];
	}
	if (!found)
		err_set(err,
			"-in %.*s: source, constructs, arrays, points, history and findings "
			"are allowed, and several with commas",
			(int)n, name);
	return found;
}

/* A bit per place of search_places; 0 and err. */
static unsigned places_of(const char *in, struct err *err)
{
	unsigned wanted = 0;

	if (!in)
		return ~0u;
	for (const char *p = in;;) {
		size_t n = strcspn(p, ",");
		const struct search_place *place = find_place(p, n, err);

		if (!place)
			return 0;
		wanted |= 1u << (place - search_places);
		if (!p[n])
			return wanted;
		p += n + 1;
	}
}

/* Quotes round the whole pattern are for blanks at its ends. To be freed.
 */
static char *pattern_of(const char *rest)
{
	size_t len = strlen(rest);

	if (len > 2 && (*rest == '"' || *rest == '\'') && rest[len - 1] == *rest)
		return xstrndup(rest + 1, len - 2);
	return xstrdup(rest);
}

static int number_of(const char *option, const char *value, long fallback, long low, long high,
		     long *out, struct err *err)
{
	*out = value ? strtol(value, NULL, 10) : fallback;
	if (*out >= low && *out <= high)
		return 0;
	return err_set(err, "search -%s %s: %ld to %ld are allowed", option, value, low, high);
}

static int search_all(struct session *s, const struct cmd_call *call, const char *text,
		      struct hunt *h, struct err *err)
{
	const char *in = call->option[SEARCH_IN];
	unsigned wanted = places_of(in, err);
	int rc = wanted ? 0 : -1;

	for (size_t i = 0; !rc && search_places[i].name; i++)
		if (wanted & 1u << i)
			rc = look_in(h, &search_places[i], s, &call->who, in, err);
	if (!rc)
		out_answer(s->out, json_pack("{s:s s:o s:O s:O}", "type", "search", "pattern",
					     out_json_text(text), "groups", h->groups, "looked",
					     h->inspected));
	return rc;
}

static int run_search(struct session *s, struct cmd_call *call, struct err *err)
{
	struct hunt h = { 0 };
	char *text;
	int rc = -1;

	if (!*call->rest)
		return err_set(err, "search: give a pattern, as in search u_new");
	if (number_of("context", call->option[SEARCH_CONTEXT], 0, 0, CONTEXT_MOST, &h.context,
		      err) ||
	    number_of("max", call->option[SEARCH_MAX], settings_number(s->set, "MAX_LIST"), 1,
		      SHOWN_MOST, &h.most, err))
		return -1;
	text = pattern_of(call->rest);
	h.pattern = search_create_pointing(text, call->option[SEARCH_IGNORECASE], err);
	h.groups = json_array();
	h.inspected = json_array();
	if (h.pattern)
		rc = search_all(s, call, text, &h, err);
	if (rc)
		err_prefix(err, "search");
	json_decref(h.groups);
	json_decref(h.inspected);
	search_destroy(h.pattern);
	free(text);
	return rc;
}

const struct cmd cmd_search = {
	.name = "search",
	.args = "pattern [-in places] [-context n] [-ignorecase] [-max n]",
	.brief = "a pattern in source, constructs, arrays, points, history and findings",
	.help = "The pattern is a regular expression (PCRE2); quotes round the whole of it keep "
		"blanks at its ends, and (?i) at its beginning is the same as -ignorecase. source "
		"are the program's files that its debug information and the constructs name; "
		"constructs are the kinds and places of those that were executed and of those that "
		"are open; arrays, points, history and findings are searched as what, points, "
		"history and findings show them. Each place shows at most MAX_LIST lines, of "
		"points, history and findings the newest.",
	.both = CMD_SHOW,
	.example = "search u_new|halo -in source,constructs -context 2",
	.raw = true,
	.option = { [SEARCH_IN] = { "in", CMD_STRING,
				    "where: source constructs arrays points history findings, "
				    "several with commas" },
		    [SEARCH_CONTEXT] = { "context", CMD_NUMBER,
					 "so many lines before and after each match" },
		    [SEARCH_IGNORECASE] = { "ignorecase", CMD_FLAG, "ignore the case of letters" },
		    [SEARCH_MAX] = { "max", CMD_NUMBER, "lines shown of each place" } },
	.values = { [SEARCH_IN] = "=source|=constructs|=arrays|=points|=history|=findings" },
	.run = run_search,
};
