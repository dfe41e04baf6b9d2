/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of passed points and of the source: points list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "frontend/model/actionpoints.h"
#include "frontend/model/ask.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/util/pattern.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/model/trail.h"

static json_t *passed_json(struct session *s, const struct passed *p, const struct rankset *who)
{
	char point[POINT_TEXT];
	json_t *o = json_pack("{s:s s:s}", "point", point_format(&p->r.point, point), "construct",
			      construct_words(p->r.kind));

	ask_put_place(s, o, &p->r.place);
	if (p->r.usec)
		json_object_set_new(o, "seconds", json_real((double)p->r.usec / 1e6));
	if (!rankset_covers(&p->ranks, who))
		json_object_set_new(o, "ranks", ask_ranks(&p->ranks));
	return o;
}

/* Whether the pattern matches the point as it is shown: "3.B  parallel loop  heat.c:61". */
static bool wanted(struct session *s, const struct search *pattern, const struct passed *p)
{
	char point[POINT_TEXT], place[512], text[700];

	if (!pattern)
		return true;
	snprintf(text, sizeof(text), "%s  %s  %s", point_format(&p->r.point, point),
		 construct_words(p->r.kind),
		 symbols_text(s->symbols, &p->r.place, place, sizeof(place)));
	return search_match(pattern, text);
}

enum { POINTS_LAST };

static int run_points(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *last = call->option[POINTS_LAST];
	long n = last ? strtol(last, NULL, 10) : settings_number(s->set, "MAX_LIST");
	struct search *pattern = NULL;
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct trail trail = { 0 };
	json_t *list, *o;
	size_t first;
	int rc;

	if (n < 1 || n > TRAIL_MOST)
		return err_set(err, "points -last %s: 1 to %d are allowed", last, TRAIL_MOST);
	if (*call->rest) {
		pattern = search_create(call->rest, err);
		if (!pattern)
			return -1;
	}
	/* A pattern is looked for in all that is kept; the newest of what fits is shown. */
	rc = trail_ask(s, &call->who, pattern ? TRAIL_MOST : (uint32_t)n, &answers, &silent,
		       &trail, err);
	list = json_array();
	for (first = trail.n; !rc && first && json_array_size(list) < (size_t)n; first--)
		if (wanted(s, pattern, &trail.item[first - 1]))
			json_array_insert_new(list, 0,
					      passed_json(s, &trail.item[first - 1], &call->who));
	if (rc) {
		json_decref(list);
	} else {
		o = json_pack("{s:s s:o}", "type", "points", "list", list);
		if (trail.n && !json_array_size(list))
			json_object_set_new(o, "text", json_string("no point matches the pattern"));
		if (silent.n)
			json_object_set_new(o, "silent", ask_ranks(&silent));
		out_answer(s->out, o);
	}
	search_destroy(pattern);
	trail_clear(&trail);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

const struct cmd cmd_points = {
	.name = "points",
	.args = "[pattern] [-last n]",
	.brief = "the points passed so far, with construct, place and time",
	.help = "The newest come last, MAX_LIST of them or the number of -last. A pattern (PCRE2) "
		"is matched against the line as shown. Times are seconds since the start of the "
		"first rank of the set, for the points that it has passed. Ranks are shown where "
		"not all members have passed the point.",
	.both = CMD_SHOW,
	.example = "points heat.c:6. -last 5",
	.raw = true,
	.needs_job = true,
	.option = { [POINTS_LAST] = { "last", CMD_NUMBER, "how many of the newest" } },
	.run = run_points,
};
