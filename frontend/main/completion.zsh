#compdef dvmdbg
# zsh completion for dvmdbg; made by: dvmdbg --completion zsh

_dvmdbg_setting()
{
	if compset -P 1 '*='; then
		case ${IPREFIX%=} in
@each setting@		(*@name@) compadd @words@ ;;
		esac
	else
		compadd -S = -- @settings@
	fi
}

_dvmdbg()
{
	local mode=run
	local -a options

	case $words[2] in
	(@modes|@)
		if ((CURRENT > 2)); then
			mode=$words[2]
			shift words
			((CURRENT--))
		fi
		;;
	esac
	case $mode in
@each option mode@	(@name@) options=(
@each option none@		'@again@@name@[@help@]'
@each option any@		'@again@@name@@sign@[@help@]:@value@:'
@each option file@		'@again@@name@@sign@[@help@]:@value@:_files'
@each option directory@		'@again@@name@@sign@[@help@]:@value@:_files -/'
@each option command@		'@again@@name@@sign@[@help@]:@value@:_command_names -e'
@each option verb@		'@again@@name@@sign@[@help@]:@value@:(@verbs@)'
@each option setting@		'@again@@name@@sign@[@help@]:@value@:_dvmdbg_setting'
@each option words@		'@again@@name@@sign@[@help@]:@value@:(@words@)'
@each option end@	) ;;
	esac
	_arguments -S : $options '1:program:_dvmdbg_program' '*::arguments:_files'
}

_dvmdbg_program()
{
	compadd @modes@
	_files
}

_dvmdbg "$@"
