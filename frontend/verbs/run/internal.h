/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the verbs of actionpoints share.
 */
#ifndef DVMDBG_FRONTEND_VERBS_RUN_INTERNAL_H
#define DVMDBG_FRONTEND_VERBS_RUN_INTERNAL_H

#include <jansson.h>

#include "frontend/verbs/run/run.h"

struct actionpoint;
struct session;

/* An answer of the type actionpoint; text, which may be NULL, says what has become of it. */
json_t *act_json(struct session *s, const struct actionpoint *ap, const char *text);

#endif
