/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oom/cases.h"

const struct oom_case cases_trace[] = {
	{ 0 },
};
