/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Growable arrays (common/core/vec.h) without paths for a lack of memory. A number of items whose
 * type overflows counts as one.
 */
#ifndef DVMDBG_FRONTEND_UTIL_XVEC_H
#define DVMDBG_FRONTEND_UTIL_XVEC_H

#include "common/core/vec.h"
#include "frontend/util/xalloc.h"

/* Room for `need` items in the array p, whose room `room` counts. */
#define xvec_room(p, room, need) xalloc_check(vec_room(p, room, need))

/* Room for `add` items behind the n ones of the array p; n stays. */
#define xvec_more(p, n, add) xalloc_check(vec_more(p, n, add))

/* A new last item of the array p, all zero, and n is one more. */
#define xvec_add(p, n) ((__typeof__(p))xalloc_checked(vec_add(p, n)))

#endif
