/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What halos and their owners held at one point, to be compared with a later one.
 */
#ifndef DVMDBG_FRONTEND_HALO_INTERNAL_H
#define DVMDBG_FRONTEND_HALO_INTERNAL_H

#include <stdint.h>

#include "common/protocol/msg.h"
#include "frontend/halo/halo.h"

/* As halo_check_again without an earlier report, as if arrays had been registered with that shift
 * (enum halo_shift and more). */
int halo_check_shift(struct session *s, unsigned shift, struct halo_report *out, struct err *err);

/*
 * Room for what is kept of the side of e: n elements, so many bytes; borrowed until the next. NULL:
 * out of memory.
 */
struct halo_kept *halo_kept_new(struct halo_report *out, const struct halo_entry *e, uint64_t n,
				uint64_t bytes);
/* To be called before anything is found. */
void halo_kept_sort(struct halo_report *r);
/* What was kept of the side; NULL: nothing, or it had another size. r may be NULL. */
const struct halo_kept *halo_kept_find(const struct halo_report *r, const struct halo_entry *e,
				       uint64_t bytes);
void halo_kept_clear(struct halo_report *r);

#endif
