# SPDX-License-Identifier: GPL-3.0-or-later
# link.sh COMMAND…: links a program of the tests. Each library.la is one of ours that is static, and becomes its archive:
# libtool would do the same, and takes ten times as long as the linker.
for word; do
	shift
	case $word in
	*.la)
		name=${word##*/}
		word=${word%"$name"}.libs/${name%.la}.a ;;
	esac
	set -- "$@" "$word"
done
exec "$@"
