/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sections seen from afar (common/array/bins.h), asked of the ranks.
 */
#ifndef DVMDBG_FRONTEND_ZOOM_H
#define DVMDBG_FRONTEND_ZOOM_H

#include <jansson.h>

#include "common/array/bins.h"

struct err;
struct pieces;

/*
 * Asks the ranks that p was found for, and waits. What is large is asked for in parts, so that
 * Ctrl-C ends it soon: that is an error. Of a replicated object the least rank is asked, which is
 * *rank; else that is UINT32_MAX. spec.part is filled in. Notes: ranks that are left out, and
 * why. The caller clears *out.
 */
int bins_fetch(const struct pieces *p, struct bins_spec *spec, struct bins *out, uint32_t *rank,
	       json_t *notes, struct err *err);

#endif
