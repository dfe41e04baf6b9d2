/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A legend of owners. */
#ifndef DVMDBG_FRONTEND_TUI_PALETTE_H
#define DVMDBG_FRONTEND_TUI_PALETTE_H

#include <stddef.h>
#include <stdint.h>

struct screen;

/* "owners 0 1 2", each in its colour, as far as it fits. */
void palette_legend(struct screen *sc, int y, int x, int columns, const uint32_t *rank, size_t n);

#endif
