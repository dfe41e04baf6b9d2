/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/action/internal.h"
#include "frontend/model/ask.h"
#include "frontend/model/focus.h"

/* Ranks that are inside MPI_Init or MPI_Finalize, as far as is seen. */
static int waiting(void *arg, struct rankset *out, struct err *err)
{
	return ask_waiting(arg, out, err);
}

struct focus_env action_focus_env(struct session *s)
{
	return (struct focus_env){ .job = s->job,
				   .program = s->spec.argv ? s->spec.argv[0] : NULL,
				   .held = action_held(s->action),
				   .waiting = waiting,
				   .arg = s };
}
