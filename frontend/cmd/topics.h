/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Topics of help that are no verbs. The manual is made from them too.
 */
#ifndef DVMDBG_FRONTEND_TOPICS_H
#define DVMDBG_FRONTEND_TOPICS_H

#define TOPIC_EXAMPLES 6

struct topic {
	const char *name;  /* "exit-status" */
	const char *brief; /* one line */
	const char *text;  /* paragraphs, parted by newlines */
	/* commands, each with what it does behind a "#" or without; NULL behind the last */
	const char *example[TOPIC_EXAMPLES];
};

/* Ends with a name that is NULL. */
extern const struct topic topics[];

/* By its name, in which blanks are as good as hyphens; NULL when there is none. */
const struct topic *topic_find(const char *name);

#endif
