/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Completion of dvmdbg's command line by shells, made from the tables of options and settings.
 */
#ifndef DVMDBG_FRONTEND_SHELL_SCRIPT_H
#define DVMDBG_FRONTEND_SHELL_SCRIPT_H

#include <stdio.h>

/* Writes the script for "bash" or "zsh" to f; -1 for another shell. */
int shell_script(const char *shell, FILE *f);

#endif
