/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int set(struct err *err, enum err_code code, const char *fmt, va_list ap)
{
	int saved = errno;

	if (err) {
		/* by way of a copy: an argument may be the old text */
		struct err now;

		if (vsnprintf(now.text, sizeof(now.text), fmt, ap) < 0)
			now.text[0] = '\0';
		memcpy(err->text, now.text, strlen(now.text) + 1);
		err->code = (unsigned char)code;
		err->at = '\0';
	}
	errno = saved;
	return -1;
}

int err_set(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(err, ERR_OTHER, fmt, ap);
	va_end(ap);
	return -1;
}

int err_set_code(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(err, code, fmt, ap);
	va_end(ap);
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	int saved = errno;

	if (err) {
		struct err now;
		va_list ap;
		size_t used, len;

		va_start(ap, fmt);
		if (vsnprintf(now.text, sizeof(now.text) - 2, fmt, ap) < 0)
			now.text[0] = '\0';
		va_end(ap);
		strcat(now.text, ": ");
		used = strlen(now.text);
		len = strnlen(err->text, sizeof(now.text) - used - 1);
		memmove(err->text + used, err->text, len);
		memcpy(err->text, now.text, used);
		err->text[used + len] = '\0';
	}
	errno = saved;
	return -1;
}
