/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings as SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format), which editors and
 * services for code review show beside the source.
 */
#ifndef DVMDBG_FRONTEND_SARIF_H
#define DVMDBG_FRONTEND_SARIF_H

#include <jansson.h>

struct err;

/* A document of the findings of a list as findings_list has it; version: of dvmdbg. */
json_t *sarif_of(const json_t *list, const char *version);
/* Writes that, in place of what the file has. -1: err. */
int sarif_write(const char *path, const json_t *list, const char *version, struct err *err);

#endif
