# bash completion for dvmdbg; made by: dvmdbg --completion bash

_dvmdbg_modes='@modes@'

# What NAME=VALUE of --set can be.
_dvmdbg_setting()
{
	local name=${1%%=*}
	if [[ $1 != *=* ]]; then
		compgen -S = -W "$2" -- "$1"
		return
	fi
	case $name in
@each setting@	@name@) compgen -P "$name=" -W "@words@" -- "${1#*=}" ;;
	esac
}

# What can stand after an option: OPTION TYPED
_dvmdbg_value()
{
	case $1 in
@each value file@	@name@) compgen -f -- "$2" ;;
@each value directory@	@name@) compgen -d -- "$2" ;;
@each value command@	@name@) compgen -c -- "$2" ;;
@each value verb@	@name@) compgen -W "@verbs@" -- "$2" ;;
@each value setting@	@name@) _dvmdbg_setting "$2" "@settings@" ;;
@each value words@	@name@) compgen -W "@words@" -- "$2" ;;
	esac
}

_dvmdbg_options()
{
	case $1 in
@each mode@	@name@) echo "@options@" ;;
	esac
}

_dvmdbg()
{
	local -a words
	local line=${COMP_LINE:0:COMP_POINT} cur= mode=run option= program= first=1 i word cut

	# The line's own words: bash parts them at = and : as well.
	read -ra words <<<"$line"
	case $line in
	*[[:blank:]]) ;;
	*) cur=${words[${#words[@]}-1]}; unset "words[${#words[@]}-1]" ;;
	esac
	for ((i = 1; i < ${#words[@]}; i++)); do
		word=${words[i]}
		if [[ -n $option ]]; then
			option=
		elif [[ $mode = pair && $word = : ]]; then
			program=
		elif [[ -n $program ]]; then
			continue
		elif [[ $word = -- ]]; then
			program=1
		elif [[ $word = -* ]]; then
			case $word in
			@valued|@) option=$word ;;
			esac
		elif ((i == 1)) && [[ " $_dvmdbg_modes " = *" $word "* ]]; then
			mode=$word first=0
		else
			program=1
		fi
		first=0
	done
	cut=${cur%"${cur##*=}"}
	compopt -o filenames 2>/dev/null
	if [[ -n $option ]]; then
		mapfile -t COMPREPLY < <(_dvmdbg_value "$option" "$cur")
	elif [[ -n $program ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	elif [[ $cur = --*=* ]]; then
		option=${cur%%=*}
		mapfile -t COMPREPLY < <(_dvmdbg_value "$option" "${cur#*=}")
		[[ $COMP_WORDBREAKS = *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$option=}")
		cut=${cut#"$option="}
	elif [[ $cur = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_dvmdbg_options "$mode")" -- "$cur")
	else
		mapfile -t COMPREPLY < <(
			((first)) && compgen -W "$_dvmdbg_modes" -- "$cur"
			compgen -f -- "$cur")
	fi
	[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
	# bash replaces only what is behind the last =
	[[ $COMP_WORDBREAKS != *=* || -z $cut ]] || COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}
complete -F _dvmdbg dvmdbg
