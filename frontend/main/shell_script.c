/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/main/shell_script.h"

#include <stdbool.h>
#include <string.h>

#include "frontend/cmd/cmd.h"
#include "frontend/main/options.h"
#include "frontend/settings/settings.h"

/* Words of "=a|=b" with blanks between. */
static void put_words(FILE *f, const char *values)
{
	const char *before = "";

	for (const char *p = values; *p;) {
		size_t n = strcspn(p, "|");

		fprintf(f, "%s%.*s", before, (int)n - 1, p + 1);
		before = " ";
		p += n + (p[n] == '|');
	}
}

/* The names of options that fn wants, with `between` between them. */
static void put_options(FILE *f, const char *between,
			bool (*fn)(const struct option_help *o, size_t arg), size_t arg)
{
	const struct option_help *o;
	const char *before = "";

	for (size_t i = 0; (o = options_at(i)); i++) {
		if (!fn(o, arg))
			continue;
		fprintf(f, "%s%s", before, o->name);
		before = between;
	}
}

static bool in_mode(const struct option_help *o, size_t mode)
{
	return o->help && o->modes & 1u << mode;
}

/* -r is compare's and, under the same name, locate's: told once, for both. */
static bool told_in_mode(const struct option_help *o, size_t mode)
{
	return in_mode(o, mode) || (o->modes & 1u << mode && o->name[2] == 0 && o->value);
}

static bool valued(const struct option_help *o, size_t unused)
{
	return o->value;
}

static void put_modes(FILE *f, const char *between)
{
	for (size_t i = 0; options_mode(i); i++)
		fprintf(f, "%s%s", i ? between : "", options_mode(i));
}

static const char bash_head[] = "# bash completion for dvmdbg; made by: dvmdbg --completion bash\n"
				"\n";

static const char bash_setting[] = "# What NAME=VALUE of --set can be.\n"
				   "_dvmdbg_setting()\n"
				   "{\n"
				   "\tlocal name=${1%%=*}\n"
				   "\tif [[ $1 != *=* ]]; then\n"
				   "\t\tcompgen -S = -W \"$2\" -- \"$1\"\n"
				   "\t\treturn\n"
				   "\tfi\n"
				   "\tcase $name in\n";

static const char bash_values[] = "\tesac\n"
				  "}\n"
				  "\n"
				  "# What can stand after an option: OPTION TYPED\n"
				  "_dvmdbg_value()\n"
				  "{\n"
				  "\tcase $1 in\n";

static const char bash_body[] =
	"\tesac\n"
	"}\n"
	"\n"
	"_dvmdbg()\n"
	"{\n"
	"\tlocal -a words\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} cur= mode=run option= program= first=1 i word cut\n"
	"\n"
	"\t# The line's own words: bash parts them at = and : as well.\n"
	"\tread -ra words <<<\"$line\"\n"
	"\tcase $line in\n"
	"\t*[[:blank:]]) ;;\n"
	"\t*) cur=${words[${#words[@]}-1]}; unset \"words[${#words[@]}-1]\" ;;\n"
	"\tesac\n"
	"\tfor ((i = 1; i < ${#words[@]}; i++)); do\n"
	"\t\tword=${words[i]}\n"
	"\t\tif [[ -n $option ]]; then\n"
	"\t\t\toption=\n"
	"\t\telif [[ $mode = pair && $word = : ]]; then\n"
	"\t\t\tprogram=\n"
	"\t\telif [[ -n $program ]]; then\n"
	"\t\t\tcontinue\n"
	"\t\telif [[ $word = -- ]]; then\n"
	"\t\t\tprogram=1\n"
	"\t\telif [[ $word = -* ]]; then\n";

static const char bash_tail[] =
	"\tcut=${cur%\"${cur##*=}\"}\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tif [[ -n $option ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(_dvmdbg_value \"$option\" \"$cur\")\n"
	"\telif [[ -n $program ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\telif [[ $cur = --*=* ]]; then\n"
	"\t\toption=${cur%%=*}\n"
	"\t\tmapfile -t COMPREPLY < <(_dvmdbg_value \"$option\" \"${cur#*=}\")\n"
	"\t\t[[ $COMP_WORDBREAKS = *=* ]] || COMPREPLY=(\"${COMPREPLY[@]/#/$option=}\")\n"
	"\t\tcut=${cut#\"$option=\"}\n"
	"\telif [[ $cur = -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(_dvmdbg_options \"$mode\")\" -- \"$cur\")\n"
	"\telse\n"
	"\t\tmapfile -t COMPREPLY < <(\n"
	"\t\t\t((first)) && compgen -W \"$_dvmdbg_modes\" -- \"$cur\"\n"
	"\t\t\tcompgen -f -- \"$cur\")\n"
	"\tfi\n"
	"\t[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
	"\t# bash replaces only what is behind the last =\n"
	"\t[[ $COMP_WORDBREAKS != *=* || -z $cut ]] || COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
	"}\n"
	"complete -F _dvmdbg dvmdbg\n";

/* "--image) compgen -f -- "$2" ;;" */
static void put_bash_value(FILE *f, const struct option_help *o)
{
	static const struct {
		const char *values, *how;
	} ways[] = {
		{ "file", "compgen -f -- \"$2\"" },
		{ "directory", "compgen -d -- \"$2\"" },
		{ "command", "compgen -c -- \"$2\"" },
	};

	fprintf(f, "\t%s) ", o->name);
	if (*o->values == '=') {
		fputs("compgen -W \"", f);
		put_words(f, o->values);
		fputs("\" -- \"$2\"", f);
	} else if (!strcmp(o->values, "verb")) {
		fputs("compgen -W \"", f);
		for (size_t i = 0; cmd_table[i]; i++)
			fprintf(f, "%s%s", i ? " " : "", cmd_table[i]->name);
		fputs("\" -- \"$2\"", f);
	} else if (!strcmp(o->values, "setting")) {
		fputs("_dvmdbg_setting \"$2\" \"", f);
		for (size_t i = 0; settings_name(i); i++)
			fprintf(f, "%s%s", i ? " " : "", settings_name(i));
		fputs("\"", f);
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(o->values, ways[i].values))
			fputs(ways[i].how, f);
	fputs(" ;;\n", f);
}

static bool first_of_name(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(options_at(k)->name, options_at(i)->name))
			return false;
	return true;
}

static void put_bash(FILE *f)
{
	const struct option_help *o;

	fputs(bash_head, f);
	fputs("_dvmdbg_modes='", f);
	put_modes(f, " ");
	fputs("'\n\n", f);
	fputs(bash_setting, f);
	for (size_t i = 0; settings_name(i); i++) {
		if (!*settings_choices(i))
			continue;
		fprintf(f, "\t%s) compgen -P \"$name=\" -W \"", settings_name(i));
		for (const char *p = settings_choices(i); *p; p++)
			fputc(*p == '|' ? ' ' : *p, f);
		fputs("\" -- \"${1#*=}\" ;;\n", f);
	}
	fputs(bash_values, f);
	for (size_t i = 0; (o = options_at(i)); i++)
		if (o->value && *o->values && first_of_name(i))
			put_bash_value(f, o);
	fputs("\tesac\n}\n\n_dvmdbg_options()\n{\n\tcase $1 in\n", f);
	for (size_t m = 0; options_mode(m); m++) {
		fprintf(f, "\t%s) echo \"", options_mode(m));
		put_options(f, " ", told_in_mode, m);
		fputs("\" ;;\n", f);
	}
	fputs(bash_body, f);
	fputs("\t\t\tcase $word in\n\t\t\t", f);
	put_options(f, "|", valued, 0);
	fputs(") option=$word ;;\n\t\t\tesac\n\t\telif ((i == 1)) && [[ \" $_dvmdbg_modes \" = *\" "
	      "$word "
	      "\"* ]]; then\n"
	      "\t\t\tmode=$word first=0\n\t\telse\n\t\t\tprogram=1\n\t\tfi\n\t\tfirst=0\n\tdone\n",
	      f);
	fputs(bash_tail, f);
}

/* Text of a description, in which brackets, colons and quotes have a meaning. */
static void put_zsh_text(FILE *f, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '\'')
			fputs("'\\''", f);
		else if (strchr("[]:\\", *p))
			fprintf(f, "\\%c", *p);
		else
			fputc(*p, f);
	}
}

static void put_zsh_values(FILE *f, const char *values)
{
	static const struct {
		const char *values, *how;
	} ways[] = {
		{ "file", "_files" },
		{ "directory", "_files -/" },
		{ "command", "_command_names -e" },
		{ "setting", "_dvmdbg_setting" },
	};

	if (*values == '=') {
		fputc('(', f);
		put_words(f, values);
		fputc(')', f);
	} else if (!strcmp(values, "verb")) {
		fputc('(', f);
		for (size_t i = 0; cmd_table[i]; i++)
			fprintf(f, "%s%s", i ? " " : "", cmd_table[i]->name);
		fputc(')', f);
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(values, ways[i].values))
			fputs(ways[i].how, f);
}

/* '*-x+[help]:FILE:_files' */
static void put_zsh_option(FILE *f, const struct option_help *o, const char *help)
{
	bool again = !strcmp(o->name, "-x") || !strcmp(o->name, "-e") || !strcmp(o->name, "--set");

	fprintf(f, "\t\t'%s%s%s[", again ? "*" : "", o->name,
		!o->value	    ? ""
		: o->name[1] == '-' ? "="
				    : "+");
	put_zsh_text(f, help);
	fputc(']', f);
	if (o->value) {
		fputc(':', f);
		put_zsh_text(f, o->value);
		fputc(':', f);
		put_zsh_values(f, o->values);
	}
	fputs("'\n", f);
}

/* The help of an option that has none itself: that of another mode's option of this name. */
static const char *zsh_help(const struct option_help *o)
{
	const struct option_help *other;

	for (size_t i = 0; !o->help && (other = options_at(i)); i++)
		if (other->help && !strcmp(other->name, o->name))
			return other->help;
	return o->help ? o->help : "";
}

static void put_zsh(FILE *f)
{
	const struct option_help *o;

	fputs("#compdef dvmdbg\n"
	      "# zsh completion for dvmdbg; made by: dvmdbg --completion zsh\n"
	      "\n"
	      "_dvmdbg_setting()\n"
	      "{\n"
	      "\tif compset -P 1 '*='; then\n"
	      "\t\tcase ${IPREFIX%=} in\n",
	      f);
	for (size_t i = 0; settings_name(i); i++) {
		if (!*settings_choices(i))
			continue;
		fprintf(f, "\t\t(*%s) compadd ", settings_name(i));
		for (const char *p = settings_choices(i); *p; p++)
			fputc(*p == '|' ? ' ' : *p, f);
		fputs(" ;;\n", f);
	}
	fputs("\t\tesac\n\telse\n\t\tcompadd -S = --", f);
	for (size_t i = 0; settings_name(i); i++)
		fprintf(f, " %s", settings_name(i));
	fputs("\n\tfi\n}\n\n_dvmdbg()\n{\n\tlocal mode=run\n\tlocal -a options\n\n\tcase $words[2] "
	      "in\n\t(",
	      f);
	put_modes(f, "|");
	fputs(")\n\t\tif ((CURRENT > 2)); then\n\t\t\tmode=$words[2]\n\t\t\tshift words\n"
	      "\t\t\t((CURRENT--))\n\t\tfi\n\t\t;;\n\tesac\n\tcase $mode in\n",
	      f);
	for (size_t m = 0; options_mode(m); m++) {
		fprintf(f, "\t(%s) options=(\n", options_mode(m));
		for (size_t i = 0; (o = options_at(i)); i++)
			if (told_in_mode(o, m) && *zsh_help(o))
				put_zsh_option(f, o, zsh_help(o));
		fputs("\t) ;;\n", f);
	}
	fputs("\tesac\n\t_arguments -S : $options '1:program:_dvmdbg_program' "
	      "'*::arguments:_files'\n}\n\n_dvmdbg_program()\n{\n\tcompadd ",
	      f);
	put_modes(f, " ");
	fputs("\n\t_files\n}\n\n_dvmdbg \"$@\"\n", f);
}

int shell_script(const char *shell, FILE *f)
{
	if (!strcmp(shell, "bash"))
		put_bash(f);
	else if (!strcmp(shell, "zsh"))
		put_zsh(f);
	else
		return -1;
	return 0;
}
