/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the verbs of actionpoints share.
 */
#ifndef DVMDBG_FRONTEND_CMD_BREAK_H
#define DVMDBG_FRONTEND_CMD_BREAK_H

#include <jansson.h>

struct actionpoint;
struct session;

/* An answer of the type actionpoint; text, which may be NULL, says what has become of it. */
json_t *act_json(struct session *s, const struct actionpoint *ap, const char *text);

#endif
