/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/session/session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/protocol/trace_config.h"

static const char table_size[] = "tables need no sizes";

static const struct {
	const char *name, *note;
} without[] = {
	{ "TableTraceSize", table_size },
	{ "HashIterIndex", table_size },
	{ "HashIterSize", table_size },
	{ "ReductHashIndexSize", table_size },
	{ "ReductHashTableSize", table_size },
	{ "ReductVarTableSize", table_size },
	{ "drarr", "arrays are registered by the program's marks" },
	{ "SaveThroughExec", "traces are always written while the program runs" },
	{ "FloatPrecision", "values are kept to the last bit" },
	{ "Irep_right", "Parameter TraceOptions.Irep_right is reserved for further versions; it is "
			"switched off for this run." },
};

const char *historical_name(const char *name)
{
	static const char *const prefix[] = { "TraceOptions.", "DebugOptions." };

	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (!strncasecmp(name, prefix[i], strlen(prefix[i])))
			return name + strlen(prefix[i]);
	return name;
}

const char *historical_note(const char *name)
{
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (!strcasecmp(without[i].name, name))
			return without[i].note;
	return NULL;
}

void historical_setting(const char **name, const char **value)
{
	int level;

	if (!strcasecmp(*name, "StrictCompare") && *value) {
		if (!strcmp(*value, "0") || !strcmp(*value, "1"))
			*value = **value == '0' ? "OFF" : "ON";
		return;
	}
	if (strcasecmp(*name, "TraceLevel") && strcasecmp(*name, "LEVEL"))
		return;
	*name = "LEVEL";
	level = *value ? trace_config_level_parse(*value) : -1;
	if (level >= 0)
		*value = trace_config_level_word((unsigned)level);
}

const char *historical_refused(const char *name, const char *value)
{
	if (!strcasecmp(name, "ChecksumMode") && value && !strcmp(value, "0"))
		return "TraceOptions.ChecksumMode = 0 is not supported yet.";
	return NULL;
}

const char *historical_words(const char *name, const char *value, char *out, size_t size)
{
	static const char *const modes[] = { "ChecksumMode", "TrapArraysAnyway" };
	static const char *const limits[] = { "Ig_left", "Ig_right", "Iloc_left", "Iloc_right",
					      "Irep_left" };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (strcasecmp(limits[i], name))
			continue;
		snprintf(out, size, "Incorrect parameter TraceOptions.%s value.", limits[i]);
		return out;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcasecmp(modes[i], name))
			continue;
		snprintf(out, size, "Incorrect parameter value: TraceOptions.%s = %.40s.", modes[i],
			 value);
		return out;
	}
	return NULL;
}

/* Cuts comments: from '#' or "//" to the end, between the others; *inside: one goes on. */
static void cut_comments(char *line, bool *inside)
{
	char *to = line, quote = 0;

	for (char *p = line; *p; p++) {
		if (*inside) {
			if (p[0] == '*' && p[1] == '/') {
				*inside = false;
				p++;
			}
			continue;
		}
		if (!quote && p[0] == '/' && p[1] == '*') {
			*inside = true;
			p++;
			continue;
		}
		if (!quote && (*p == '#' || (p[0] == '/' && p[1] == '/')))
			break;
		if (*p == '"')
			quote = quote ? 0 : '"';
		*to++ = *p;
	}
	*to = '\0';
}

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n && strchr(" \t\r\n;,", text[n - 1]))
		text[--n] = '\0';
	return text;
}

static char *unquote(char *text)
{
	size_t n = strlen(text);

	if (n < 2 || *text != '"' || text[n - 1] != '"')
		return text;
	text[n - 1] = '\0';
	return text + 1;
}

static int take_line(struct session *s, char *line, struct err *err)
{
	char *text = trim(line), *mark = strchr(text, '=');

	if (!*text)
		return 0;
	if (!mark || mark == text)
		return err_set(err, "'%s' is not NAME = VALUE", text);
	*mark = '\0';
	return shell_set(s, trim(text), unquote(trim(mark + 1)), err);
}

#define MOST_BYTES (1 << 20)

/* A pipe or a device could block, or never end: regular files of at most that size only. */
static FILE *open_file(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *f = NULL;

	if (fd < 0 || fstat(fd, &st))
		err_set(err, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		err_set(err, "%s is not a regular file", path);
	else if (st.st_size > MOST_BYTES)
		err_set(err, "%s has %lld bytes; a parameter file can have 1 MiB", path,
			(long long)st.st_size);
	else if (!(f = fdopen(fd, "r")))
		err_set(err, "%s: %s", path, strerror(errno));
	if (!f && fd >= 0)
		close(fd);
	return f;
}

int historical_file(struct session *s, const char *path, struct err *err)
{
	FILE *f = open_file(path, err);
	char *line = NULL;
	size_t room = 0;
	unsigned n = 0;
	bool inside = false;
	int rc = 0;

	if (!f)
		return -1;
	while (!rc && getline(&line, &room, f) >= 0) {
		n++;
		cut_comments(line, &inside);
		rc = take_line(s, line, err);
	}
	if (rc)
		err_prefix(err, "%s:%u", path, n);
	free(line);
	fclose(f);
	return rc;
}
