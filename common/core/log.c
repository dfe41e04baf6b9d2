/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOG_LINE 1024

static char log_who[64];
static char log_domains[256]; /* "" while silent */
static int log_fd = -1;

void log_init(const char *who)
{
	const char *domains = getenv("DVMDBG_DEBUG");
	const char *file = getenv("DVMDBG_DEBUG_FILE");
	int saved = errno;

	if (log_fd > STDERR_FILENO)
		close(log_fd);
	log_fd = -1;
	snprintf(log_who, sizeof(log_who), "%s", who);
	snprintf(log_domains, sizeof(log_domains), "%s", domains ? domains : "");
	if (log_domains[0]) {
		if (file && *file)
			log_fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (log_fd < 0)
			log_fd = STDERR_FILENO;
	}
	errno = saved;
}

bool log_wants(const char *domain)
{
	size_t len = strlen(domain);
	const char *at = log_domains;

	while (*at) {
		size_t n = strcspn(at, ",");

		if ((n == 3 && !memcmp(at, "all", 3)) || (n == len && !memcmp(at, domain, len)))
			return true;
		at += n;
		at += *at == ',';
	}
	return false;
}

void log_debug(const char *domain, const char *fmt, ...)
{
	int saved = errno;
	char line[LOG_LINE];
	struct timespec now;
	va_list ap;
	size_t len;

	if (!log_wants(domain))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(line, sizeof(line) - 1, "%lld.%06ld %s: %s: ", (long long)now.tv_sec,
		 now.tv_nsec / 1000, log_who, domain);
	len = strlen(line);
	va_start(ap, fmt);
	if (vsnprintf(line + len, sizeof(line) - 1 - len, fmt, ap) < 0)
		line[len] = '\0';
	va_end(ap);
	len = strlen(line);
	line[len++] = '\n';
	/* one write a line, so that processes sharing the file do not mix theirs */
	if (write(log_fd, line, len) < 0)
		log_domains[0] = '\0';
	errno = saved;
}
