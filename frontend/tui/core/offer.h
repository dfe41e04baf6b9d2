/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that a line can be completed to, in columns above it. */
#ifndef DVMDBG_FRONTEND_TUI_OFFER_H
#define DVMDBG_FRONTEND_TUI_OFFER_H

#include <stddef.h>

struct screen;

/* Zeroed: none. */
struct offer {
	char **word; /* owned */
	size_t n;
	int width; /* of the widest */
};

/* Words are copied; without memory there are none. */
void offer_set(struct offer *o, char *const *word, size_t n);
void offer_clear(struct offer *o);
/* Above row y, as many rows as are needed, half of those above y at most; how many there are is
 * reported. */
void offer_draw(const struct offer *o, struct screen *sc, int y, int columns);

#endif
