/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is put together from all rooms: the tables of verbs and views.
 */
#ifndef DVMDBG_FRONTEND_MAIN_MAIN_H
#define DVMDBG_FRONTEND_MAIN_MAIN_H

/* Before the first command or question about verbs. */
void main_use_verbs(void);
/* Before the full screen is made. */
void main_use_views(void);

#endif
