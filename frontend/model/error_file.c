/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/error_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/output/output.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

/* The file, to be freed; NULL: findings are for the screen. */
static char *path_of(const struct session *s)
{
	const char *file = settings_text(s->set, "ErrorFile"),
		   *dir = settings_text(s->set, "TracePath");

	if (!*file || !settings_is(s->set, "ErrorToScreen", "0"))
		return NULL;
	if (*file == '/' || !*dir)
		return xstrdup(file);
	return xasprintf("%s/%s", dir, file);
}

void error_file_new_run(struct session *s)
{
	s->error_file_begun = settings_is(s->set, "AppendErrorFile", "1");
}

void error_file_report(struct session *s, json_t *answer)
{
	char *path = path_of(s), *text;
	FILE *f = path ? fopen(path, s->error_file_begun ? "ae" : "we") : NULL;

	if (path && !f)
		out_warning(s->out, "ErrorFile: %s: %s", path, strerror(errno));
	free(path);
	if (!f) {
		out_answer(s->out, answer);
		return;
	}
	s->error_file_begun = true;
	text = out_render(answer);
	if (text)
		fputs(text, f);
	if (fclose(f) || !text)
		out_answer(s->out, json_incref(answer));
	free(text);
	json_decref(answer);
}
