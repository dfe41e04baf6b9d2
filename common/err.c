/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, const char *fmt, ...)
{
	int saved = errno;

	if (err) {
		/* by way of a copy: an argument may be the old text */
		struct err now;
		va_list ap;

		va_start(ap, fmt);
		if (vsnprintf(now.text, sizeof(now.text), fmt, ap) < 0)
			now.text[0] = '\0';
		va_end(ap);
		memcpy(err->text, now.text, strlen(now.text) + 1);
	}
	errno = saved;
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	int saved = errno;

	if (err) {
		struct err now;
		va_list ap;
		size_t used, room;

		va_start(ap, fmt);
		if (vsnprintf(now.text, sizeof(now.text), fmt, ap) < 0)
			now.text[0] = '\0';
		va_end(ap);
		used = strlen(now.text);
		room = sizeof(now.text) - used;
		snprintf(now.text + used, room, ": %.*s", (int)sizeof(err->text) - 1, err->text);
		memcpy(err->text, now.text, strlen(now.text) + 1);
	}
	errno = saved;
	return -1;
}
