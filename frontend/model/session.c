/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/session.h"

#include <assert.h>

void session_hook(struct session *s, const struct session_hooks *hooks)
{
	size_t i = 0;

	while (i < SESSION_HOOKS && s->hooks[i] && s->hooks[i] != hooks)
		i++;
	assert(i < SESSION_HOOKS);
	s->hooks[i] = hooks;
}
