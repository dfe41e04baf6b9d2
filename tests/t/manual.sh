# SPDX-License-Identifier: GPL-3.0-or-later
# The manual pages and the built-in help tell of the same verbs and settings.
. "$(dirname "$0")/lib.sh"

plain() { sed 's/\\-/-/g; s/\\f[BIRP]//g; s/\\&//g' "$1"; }
verbs_in_page() { sed -n '/^\.SH COMMANDS/,/^\.SH /p' "$srcdir/doc/dvmdbg.1" | grep -A 1 '^\.TP' | grep '^\.[BI]' |
	sed -E 's/^\.BI? "?//; s/[ "].*//' | sort -u; }

dvm 20 'help'
like "help lists verbs" "$out" '\bbreak\b' '\bprint\b'
for verb in $(verbs_in_page); do
	dvm 20 "help $verb"
	is "help $verb is there" $status 0
done
missing=
dvm 20 'help'
for verb in $(printf '%s\n' "$out" | sed -nE 's/^  ?([a-z]+)( .*)?$/\1/p'); do
	verbs_in_page | grep -qx "$verb" || missing="$missing $verb"
done
is "every verb of help is in dvmdbg.1" "$missing" ""

# The options of a verb, in help and in the page.
dvm 20 "$(verbs_in_page | sed 's/^/help /')"
options_in_help() { printf '%s\n' "$out" | sed -nE 's/^([a-z]+)( .*)?$/\1/p; s/^      (-[a-z]+) .*/\1/p'; }
options_in_page() { plain "$srcdir/doc/dvmdbg.1" | sed -n '/^\.SH COMMANDS/,/^\.SH EXIT/p' |
	sed -nE 's/^\.BI "([a-z]+)".*/\1/p; s/^\.BI? "?(-[a-z]+)\b.*/\1/p'; }
by_verb() { awk '/^-/ { print verb, $1; next } { verb = $1 }' | sort -u; }
is "help and dvmdbg.1 have the same options" "$(options_in_help | by_verb)" "$(options_in_page | by_verb)"

settings_in_page() { plain "$srcdir/doc/dvmdbg.5" | sed -n '/^\.SH SETTINGS/,/^\.SH SEE/p' | grep -A 1 '^\.TP' |
	sed -nE 's/^\.B ([A-Za-z_]+)( .*)?$/\1/p' | sort -u; }
settings_in_source() { sed -nE 's/^[[:space:]]+X\(([A-Za-z_]+), [A-Z]+, .*/\1/p' "$srcdir/frontend/settings.h" | sort -u; }
is "dvmdbg.5 has every setting and no other" "$(settings_in_page)" "$(settings_in_source)"
dvm 20 set
for name in $(settings_in_source); do
	printf '%s\n' "$out" | grep -q "$name" || missing="$missing $name"
done
is "set shows every setting" "$missing" ""

list() { sed -nE "s/^[[:space:]]+X\(([A-Z]+), ([0-9]+), .*/| \2 | \1 |/p" "$srcdir/common/msg_list.h"; }
is "WIRE.md has every message" "$(list | while read -r row; do
	grep -qF "$row" "$srcdir/doc/WIRE.md" || echo "$row"; done)" ""

if command -v man >/dev/null && man --version >/dev/null 2>&1; then
	for page in dvmdbg.1 dvmdbg.5; do
		is "$page has no mistakes for man" \
			"$(man --warnings -l -Tutf8 -Z "$srcdir/doc/$page" 2>&1 >/dev/null)" ""
	done
fi
done_testing
