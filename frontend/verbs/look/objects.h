/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is reported of a registered object.
 */
#ifndef DVMDBG_FRONTEND_CMD_OBJECTS_H
#define DVMDBG_FRONTEND_CMD_OBJECTS_H

#include <jansson.h>

struct fetch_object;
struct session;

/* {"name": "u", "kind": "double", "shape": "[10][10]", "held": "distributed", …}, as in the answer
 * of `what`. */
json_t *object_json(struct session *s, const struct fetch_object *o);

#endif
