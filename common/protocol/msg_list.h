/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every message, once. X(name, number, direction, what). Numbers never change within a version.
 */
#ifndef DVMDBG_COMMON_MSG_LIST_H
#define DVMDBG_COMMON_MSG_LIST_H

#define WIRE_VERSION 10

#define MSG_LIST(X)                                                                              \
	X(JOIN, 1, "up", "a supervisor introduces itself to the front end")                      \
	X(PARENT, 2, "down", "the parent to attach to")                                          \
	X(REFUSE, 3, "down", "why it is refused")                                                \
	X(ATTACH, 4, "up", "a child introduces itself to its parent, and again when it grows")   \
	X(RULES, 10, "down", "replaces all stop rules")                                          \
	X(GO, 11, "down", "start or go on with this plan")                                       \
	X(FREEZE, 12, "down", "freeze at the next point, answer with the furthest one possible") \
	X(QUERY, 13, "down", "a question to a set of ranks")                                     \
	X(PARAMS, 14, "down", "settings of the session")                                         \
	X(KILL, 15, "down", "kill the program; with `final` leave as well")                      \
	X(RESYNC, 16, "down", "report the present state again")                                  \
	X(VERDICT, 17, "down", "the checksums up to a point have been compared")                 \
	X(TRACE, 18, "down", "where traces are written, what they are compared with")            \
	X(REPLY, 20, "up", "answers to FREEZE and QUERY")                                        \
	X(EVENT, 21, "up", "ranks have stopped, started, ended, found something")                \
	X(LOST, 22, "up", "supervisors that are gone")                                           \
	X(SUMS, 23, "up", "checksums of a point: point sums")

enum msg_type {
#define X(name, number, direction, what) MSG_##name = number,
	MSG_LIST(X)
#undef X
};

const char *msg_name(unsigned type); /* "?" for none */

#endif
