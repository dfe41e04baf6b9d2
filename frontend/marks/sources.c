/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the sources were when the marks were made: lines "# source FILE FINGERPRINT" of their file.
 * Who has edited a source may have moved its lines away from the marks. And numbers that they
 * define.
 */
#include "frontend/marks/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/fingerprint.h"
#include "frontend/util/xalloc.h"

#define HEX (2 * FINGERPRINT_BYTES + 1)

/* The file's fingerprint in hexadecimal; false: it cannot be read. */
static bool print_of(const char *path, char out[HEX])
{
	unsigned char bytes[FINGERPRINT_BYTES], part[4096];
	struct fingerprint print = { 0 };
	FILE *f = fopen(path, "re");
	size_t n;
	bool read;

	if (!f)
		return false;
	while ((n = fread(part, 1, sizeof(part), f)))
		fingerprint_add(&print, part, n);
	read = !ferror(f);
	fclose(f);
	fingerprint_end(&print, bytes);
	for (unsigned i = 0; i < FINGERPRINT_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return read;
}

void marks_write_sources(const struct marks *m, FILE *f, const char *base)
{
	char print[HEX];

	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t k = 0;

		while (k < i && strcmp(m->mark[k].file, m->mark[i].file))
			k++;
		if (k == i && print_of(m->mark[i].file, print))
			fprintf(f, "# source %s %s\n", path_below(m->mark[i].file, base), print);
	}
}

char *marks_changed(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, *names = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) >= 0) {
		char *name = line + strlen("# source "), *print, now[HEX], *more;

		line[strcspn(line, "\r\n")] = '\0';
		print = strncmp(line, "# source ", strlen("# source ")) ? NULL : strrchr(name, ' ');
		if (!print)
			continue;
		*print++ = '\0';
		if (!print_of(name, now) || !strcmp(print, now))
			continue;
		more = names ? xasprintf("%s, %s", names, name) : xstrdup(name);
		free(names);
		names = more;
	}
	if (f)
		fclose(f);
	free(line);
	return names;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The number that "#define NAME number" gives the name in the text of a source; false: there is
 * none. */
static bool defined(const char *source, const char *name, size_t n, long long *value)
{
	for (const char *c = source; (c = strstr(c, "#define ")); c++) {
		const char *at = c + 8 + strspn(c + 8, " \t");
		char *end;

		if (strncmp(at, name, n) != 0 || (at[n] != ' ' && at[n] != '\t'))
			continue;
		*value = strtoll(at + n, &end, 10);
		if (end > at + n && (*end == '\n' || *end == '\r' || *end == ' ' || *end == '\t'))
			return true;
	}
	return false;
}

char *text_with_numbers(const char *path, const char *text)
{
	FILE *f = fopen(path, "re"), *to;
	char *source = f ? xalloc_read(f) : xstrdup(""), *all;
	long long value;
	size_t size, n;

	if (f)
		fclose(f);
	to = xmemstream(&all, &size);
	for (const char *c = text; *c; c += n) {
		for (n = 0; is_letter(c[n]); n++)
			;
		if (n && !marks_fortran(path) && (c == text || !strchr(".>", c[-1])) &&
		    defined(source, c, n, &value))
			fprintf(to, "%lld", value);
		else
			fprintf(to, "%.*s", n ? (int)n : 1, c);
		n += !n;
	}
	xmemstream_close(to);
	free(source);
	return all;
}
