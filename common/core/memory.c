/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/memory.h"

void (*memory_failed)(void);
