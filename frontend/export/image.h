/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures (libpng).
 */
#ifndef DVMDBG_FRONTEND_IMAGE_H
#define DVMDBG_FRONTEND_IMAGE_H

#include <stdint.h>

struct err;

/* rgb: width * height * 3 bytes, row by row from the top. Written beside and renamed. */
int image_write(const char *path, uint32_t width, uint32_t height, const uint8_t *rgb,
		struct err *err);

#endif
