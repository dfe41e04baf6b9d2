/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands at the start: .hpdinit of the home directory, and that of the current one, which may
 * come with files of others. The user is asked about it once; what was answered is kept by its path
 * and contents.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/fingerprint.h"
#include "frontend/cmd/cmd.h"
#include "frontend/main/internal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

#define NAME ".hpdinit"
#define MOST_BYTES (1 << 20)

/* Whether the file is the user's own: commands of others are not run. */
static bool own_file(struct session *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	if (st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	out_warning(s->out, "%s was not read: it is not yours, or others can write to it", path);
	return false;
}

/* Both are one file. */
static bool one_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The file and its contents as one line, to be freed; NULL: it cannot be read. */
static char *identity(const char *path)
{
	char real[PATH_MAX], text[2 * FINGERPRINT_BYTES + 1];
	unsigned char bytes[FINGERPRINT_BYTES], *data = xmalloc(MOST_BYTES + 1);
	FILE *f = realpath(path, real) ? fopen(real, "re") : NULL;
	size_t n = f ? fread(data, 1, MOST_BYTES + 1, f) : 0;
	bool whole = f && !ferror(f) && n <= MOST_BYTES && !strchr(real, '\n');
	struct fingerprint print = { 0 };

	if (f)
		fclose(f);
	fingerprint_add(&print, data, n);
	fingerprint_end(&print, bytes);
	free(data);
	for (size_t i = 0; i < FINGERPRINT_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return whole ? xasprintf("%s %s\n", text, real) : NULL;
}

/* Where answers are kept, to be freed; NULL: who has no home keeps none. */
static char *answers_path(const char *name)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (base && *base == '/')
		return xasprintf("%s/dvmdbg%s", base, name);
	return home && *home ? xasprintf("%s/.config/dvmdbg%s", home, name) : NULL;
}

/* 'y', 'n', or 0: nobody was asked about it. */
static char answered(const char *id)
{
	char *path = answers_path("/hpdinit"), *line = NULL, answer = 0;
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 2)
		if (strchr("yn", line[0]) && !strcmp(line + 2, id))
			answer = line[0];
	if (f)
		fclose(f);
	free(line);
	free(path);
	return answer;
}

static void keep_answer(const char *id, char answer)
{
	char *path = answers_path("/hpdinit");
	FILE *f;

	for (char *p = path ? path + 1 : NULL; p && (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	f = path ? fopen(path, "ae") : NULL;
	if (f) {
		fprintf(f, "%c %s", answer, id);
		fclose(f);
	}
	free(path);
}

/* Whether that of the current directory may be run. */
static bool agreed(struct session *s)
{
	char *id, answer;

	if (!shell_can_ask(s)) {
		out_warning(s->out,
			    "./" NAME " was not read: without a terminal only --init ./" NAME
			    " reads it");
		return false;
	}
	if (!own_file(s, NAME))
		return false;
	id = identity(NAME);
	answer = id ? answered(id) : 'n';
	if (!answer) {
		answer = shell_confirm(s, CHECKS_NORMAL,
				       "This directory has a file " NAME
				       " with commands. Run them, now and later?")
				 ? 'y'
				 : 'n';
		keep_answer(id, answer);
	} else if (answer == 'n') {
		out_note(s->out, "./" NAME " is not read; --init ./" NAME " reads it");
	}
	free(id);
	return answer == 'y';
}

int main_run_init(struct session *s, const char *named)
{
	const char *home = getenv("HOME");
	char own[PATH_MAX] = "";
	const char *path = named;
	struct err err = { "" };
	int rc;

	if (home && snprintf(own, sizeof(own), "%s/" NAME, home) >= (int)sizeof(own))
		own[0] = '\0';
	if (!named && !access(NAME, F_OK) && !one_file(NAME, own) && agreed(s))
		path = NAME;
	else if (!named && !s->batch && !access(own, F_OK) && own_file(s, own))
		path = own;
	rc = path ? cmd_file(s, path, &err) : 0;
	if (rc && *err.text)
		out_error(s->out, "%s", err.text);
	return named ? rc : 0;
}
