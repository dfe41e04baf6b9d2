/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trial: marks are used on a size, and a number of ranks, that they were not learned from. */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xvec.h"

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* Adds what a run reports to the trial: sums, and findings of each kind once. */
static void take(json_t *trial, char *answers, uint32_t ranks)
{
	json_t *findings = json_object_get(trial, "findings");
	char *rest = answers;

	for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *o = json_loads(line, 0, NULL);
		const char *type = text_of(o, "type");

		if (!strcmp(type, "compared")) {
			json_int_t sums = json_integer_value(json_object_get(trial, "sums")),
				   equal = json_integer_value(json_object_get(trial, "equal"));

			sums += json_integer_value(json_object_get(o, "sums"));
			equal += json_integer_value(json_object_get(o, "equal")) +
				 json_integer_value(json_object_get(o, "rounding"));
			json_object_set_new(trial, "sums", json_integer(sums));
			json_object_set_new(trial, "equal", json_integer(equal));
		} else if (!strcmp(type, "finding") && json_array_size(findings) < 8) {
			json_array_append_new(findings, json_pack("{s:s s:s s:s s:i}", "kind",
								  text_of(o, "kind"), "place",
								  text_of(o, "place"), "detail",
								  text_of(o, "detail"), "ranks", (int)ranks));
		} else if (!strcmp(type, "error")) {
			json_object_set_new(trial, "error", json_string(text_of(o, "text")));
		}
		json_decref(o);
	}
}

static int one(const struct trial *t, const char *ref, uint32_t ranks, json_t *trial,
	       struct err *err)
{
	bool records = !json_object_get(trial, "ranks");
	char count[16], *answers, **words;
	int rc;

	snprintf(count, sizeof(count), "%" PRIu32, ranks);
	words = run_words((const char *const[]){ t->dvmdbg, records ? "record" : "compare", "--json",
						 records ? "-o" : "-r", ref, "--marks", t->marks, "-n",
						 count, "--", NULL },
			  t->argv);
	rc = run_dvmdbg(words, NULL, NULL, &answers, err);
	free(words);
	if (rc)
		return -1;
	take(trial, answers, ranks);
	free(answers);
	if (records)
		json_object_set_new(trial, "ranks", json_array());
	else
		json_array_append_new(json_object_get(trial, "ranks"), json_integer(ranks));
	return 0;
}

json_t *trial_run(const struct trial *t, struct err *err)
{
	json_t *trial = json_pack("{s:i s:i s:[]}", "sums", 0, "equal", 0, "findings");
	char *ref = xasprintf("%s/trial", t->dir);
	int rc = one(t, ref, 1, trial, err);

	for (uint32_t i = 0; !rc && !json_object_get(trial, "error") && i < t->n; i++)
		rc = one(t, ref, t->count[i], trial, err);
	free(ref);
	if (!rc)
		return trial;
	json_decref(trial);
	return NULL;
}
