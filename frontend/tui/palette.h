/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours of owners. */
#ifndef DVMDBG_FRONTEND_TUI_PALETTE_H
#define DVMDBG_FRONTEND_TUI_PALETTE_H

#include <stddef.h>
#include <stdint.h>

struct screen;

/* The colour of a rank, 0xRRGGBB; after twelve they come again. UINT32_MAX: of nobody. */
uint32_t palette_rank(uint32_t rank);
/* A letter for a rank: 0 … 9, a … z, and again. */
char palette_letter(uint32_t rank);
/* "owners 0 1 2", each in its colour, as far as it fits. */
void palette_legend(struct screen *sc, int y, int x, int columns, const uint32_t *rank, size_t n);

#endif
