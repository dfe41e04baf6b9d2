/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What help and the manual say of a setting beyond its line in the table.
 */
#ifndef DVMDBG_FRONTEND_SETTINGS_MORE_H
#define DVMDBG_FRONTEND_SETTINGS_MORE_H

#include <stddef.h>

/* Paragraphs parted by newlines; of setting number i, or its line of help when there is no more to
 * say. */
const char *settings_more(size_t i);
/* The i-th name that has more, for a test against the table; NULL behind the last. */
const char *settings_more_name(size_t i);

#endif
