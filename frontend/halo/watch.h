/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Since when halos are stale: with CHECK_HALO ON they are compared at the beginning and the end of
 * every construct of a run, and what differs is remembered until it is renewed.
 */
#ifndef DVMDBG_FRONTEND_HALO_WATCH_H
#define DVMDBG_FRONTEND_HALO_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/logical/point.h"
#include "common/protocol/rule.h"
#include "frontend/session/session.h"

struct err;
struct halo_entry;
struct halo_report;
struct halo_watch;
struct rankset;

/* One per job. */
struct halo_watch *halo_watch_create(void);
void halo_watch_destroy(struct halo_watch *w); /* NULL is fine */
/*
 * The halos of all ranks have been compared at p, the beginning or end of a construct at `where`
 * ("heat.c:61"). What is stale at a beginning, where it may be read, is reported as a note, once
 * per array, construct, and construct since which it is that.
 */
void halo_watch_take(struct halo_watch *w, struct session *s, const struct point *p,
		     const char *where, const struct halo_report *r);
/*
 * Whether e was stale at the last comparison; *since is the first point at which it was seen so,
 * *equal the one of the comparison before, where it was not (main 0: there was none). w may be
 * NULL.
 */
bool halo_watch_since(const struct halo_watch *w, const struct halo_entry *e, struct point *since,
		      struct point *equal);

/* The point of the last comparison; main 0: there was none. */
struct point halo_watch_last(const struct halo_watch *w);
/* Ranks that halo_watch_go has left on their way; owned by w. */
struct rankset *halo_watch_left(struct halo_watch *w);

/* In halo_go.c. The setting CHECK_HALO is ON. */
bool halo_watch_on(const struct session *s);
/*
 * In place of job_go and session_wait: lets those members go on that are stopped or loaded, from
 * construct to construct, until a stop that the user wants (modes PLAN_CONT and PLAN_STEP; others
 * in one go), and compares halos at each end that all ranks have come to. Adds to who those that an
 * earlier call has left on their way.
 */
int halo_watch_go(struct session *s, struct rankset *who, enum plan_mode mode, uint32_t n,
		  enum stop_verdict *verdict, struct err *err);

#endif
