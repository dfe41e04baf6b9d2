# SPDX-License-Identifier: GPL-3.0-or-later
# The manual is made from the tables of the debugger; what is written by hand beside that agrees with them.
. "${0%/*}/lib.sh"

plain() { sed 's/\\-/-/g; s/\\f[BIRP]//g; s/\\&//g' "$1"; }
doc=$builddir/doc
for made in dvmdbg.1 dvmdbg.5 COMMANDS.md FROM-GDB.md; do
	"$doc/manual" "$srcdir/doc/$made.in" >"$tmp/$made"
	is "$made can be made" $? 0
	check "$made is that of this build" cmp -s "$tmp/$made" "$doc/$made"
	unlike "$made has no chapter left to be put in" "$(<"$tmp/$made")" '^@[A-Z]+@$'
done
"$doc/manual" "$tmp/none.in" >/dev/null 2>&1
is "no template is an error" $? 1

verbs_in_page() { sed -n '/^\.SH COMMANDS/,/^\.SH /p' "$tmp/dvmdbg.1" | grep -A 1 '^\.TP' | grep '^\.[BI]' |
	sed -E 's/^\.BI? "?//; s/[ "].*//; s/\\-/-/g' | sort -u; }
dvm 20 help --json
verbs=$(printf '%s\n' "$out" | grep -o '"list":\[.*\],"topics"' | grep -oE '"name":"[a-z-]+"' | cut -d '"' -f 4 | sort -u)
check "help knows many verbs" test "$(printf '%s\n' "$verbs" | wc -l)" -gt 50
is "dvmdbg.1 has the verbs of help" "$(verbs_in_page)" "$verbs"
is "COMMANDS.md has them too" "$(sed -n '/^## Programs/,/^# Topics/p' "$tmp/COMMANDS.md" | sed -n 's/^### //p' | sort -u)" "$verbs"
dvm 20 "$(printf '%s\n' "$verbs" | sed 's/^/help /')"
is "help of each verb" $status 0
help_of_verbs=$out
topics=$(dvm 20 help --json; printf '%s\n' "$out" | grep -o '"topics":\[.*' | grep -oE '"name":"[a-z-]+"' | cut -d '"' -f 4)
for topic in $topics; do
	grep -qx "### $topic" "$tmp/COMMANDS.md" || not_ok "COMMANDS.md has the topic $topic"
done
both=$(printf '%s\n' "$topics" | grep -cxF "$verbs")
is "each verb has an example, and each topic that is called like one" \
	"$(printf '%s\n' "$help_of_verbs" | grep -c '^    Example: ')" $(($(printf '%s\n' "$verbs" | wc -l) + both))
dvm 20 "$(printf '%s\n' "$topics" | sed 's/^/help /')"
is "help of each topic" $status 0
check "each has an example" test "$(printf '%s\n' "$out" | grep -c '^    Example: ')" -ge "$(printf '%s\n' "$topics" | wc -l)"

# Who reads on is not led to a template, nor nowhere.
links=$(cd "$srcdir" && grep -oE '\]\([^)#:]+\)' README.md HACKING.md doc/*.md | sed -E 's/:\]\(/ /; s/\)$//')
is "no link leads to a template" "$(printf '%s\n' "$links" | grep '\.in$')" ""
is "every link leads to a file" "$(printf '%s\n' "$links" | while read -r from to; do
	[ -e "$srcdir/$(dirname "$from")/$to" ] || echo "$from $to"
done)" ""
# The options of a verb, in help and in the pages.
options_in_help() { printf '%s\n' "$help_of_verbs" | sed -nE 's/^([a-z]+(-[a-z]+)?)( .*)?$/\1/p; s/^      (-[a-z]+) .*/\1/p'; }
options_in_page() { plain "$tmp/dvmdbg.1" | sed -n '/^\.SH COMMANDS/,/^\.SH TOPICS/p' |
	sed -nE 's/^\.BI "([a-z]+(-[a-z]+)?)".*/\1/p; s/^\.B (-[a-z]+)\b.*/\1/p'; }
by_verb() { awk '/^-/ { print verb, $1; next } { verb = $1 }' | sort -u; }
is "help and dvmdbg.1 have the same options" "$(options_in_help | by_verb)" "$(options_in_page | by_verb)"

settings_in_page() { plain "$tmp/dvmdbg.5" | sed -n '/^\.SH SETTINGS/,/^\.SH SEE/p' | grep -A 1 '^\.TP' |
	sed -nE 's/^\.BI "([A-Za-z_]+)"$/\1/p' | sort -u; }
settings_in_source() { sed -nE 's/^[[:space:]]+X\(([A-Za-z_]+), [A-Z]+, .*/\1/p' "$srcdir/frontend/settings/settings.h" | sort -u; }
is "dvmdbg.5 has every setting and no other" "$(settings_in_page)" "$(settings_in_source)"
missing=
dvm 20 set
for name in $(settings_in_source); do
	printf '%s\n' "$out" | grep -q "$name" || missing="$missing $name"
done
is "set shows every setting" "$missing" ""

# The options of the command line: --help is made from their table, the page is written.
in_help() { "$DVMDBG" --help | sed -nE 's/^  (--?[a-z-]+).*/\1/p' | sort -u; }
in_page() { plain "$tmp/dvmdbg.1" | sed -n '/^\.SH OPTIONS/,/^\.SH SETS/p' | sed -nE 's/^\.BI? "?(--?[a-z-]+).*/\1/p' | sort -u; }
is "dvmdbg.1 has the options of --help" "$(in_page)" "$(in_help)"

list() { sed -nE "s/^[[:space:]]+X\(([A-Z_]+), ([0-9]+), .*/| \2 | \1 |/p" "$srcdir/common/protocol/msg_list.h"; }
is "WIRE.md has every message" "$(list | while read -r row; do
	grep -qF "$row" "$srcdir/doc/WIRE.md" || echo "$row"; done)" ""

# doc/TUI.md shows screens of the tests and the table of keys. UPDATE_SCREENS=1 brings it up to date.
keys_table()
{
	sed -nE '/key_table\[\] = \{/,/^\};/ {
		s/^\t\{ NULL, NULL, 0, NULL, "([^"]*)" \},$/\n**\1**\n\n| keys | verb | |\n|---|---|---|/p
		s/^\t\{ "([^"]*)", NULL, KEY_ACT_VIEW, "([^"]*)", "([^"]*)" \},$/\1\t\t\2 \3/p
		s/^\t\{ "([^"]*)", [^ ]+ ([A-Z_0-9]+), NULL, "([^"]*)" \},$/\1\t\t\3/p
		s/^\t\{ "([^"]*)", [^ ]+ ([A-Z_0-9]+), "([^"]*)", "([^"]*)" \},$/\1\t\3\t\4/p
	}' "$srcdir/frontend/tui/core/keys.c" | awk -F '\t' 'NF < 3 { print; next }
	{
		gsub(/\|/, "\\|")
		gsub(/ +/, "` `", $1)
		if ($1 != ",")
			gsub(/,/, " ", $1)
		printf "| `%s` |%s | %s |\n", $1, $2 == "" ? "" : " " $2, $3
	}'
}
# The page with what belongs between its marks; of screens the text.
with_screens()
{
	local line name
	while IFS= read -r line; do
		printf '%s\n' "$line"
		case $line in
		'<!-- screen '*)
			name=${line#'<!-- screen '}
			printf '```\n%s\n```\n' "$(sed '/^~~~/,$d' "$srcdir/tests/screens/${name% -->}")"
			IFS= read -r line
			while IFS= read -r line && [ "$line" != '```' ]; do :; done
			;;
		'<!-- keys -->')
			keys_table
			while IFS= read -r line && [ "$line" != '<!-- end -->' ]; do :; done
			printf '\n%s\n' "$line"
			;;
		esac
	done <"$srcdir/doc/TUI.md"
}
with_screens >"$tmp/TUI.md"
[ -z "${UPDATE_SCREENS-}" ] || cp "$tmp/TUI.md" "$srcdir/doc/TUI.md"
is "TUI.md shows screens and keys as they are (UPDATE_SCREENS=1 writes them)" "$(diff "$srcdir/doc/TUI.md" "$tmp/TUI.md")" ""
is "every key is in TUI.md" "$(sed -n '/<!-- keys/,$p' "$tmp/TUI.md" | grep -c '^| `')" \
	"$(sed -n '/key_table\[\] = {/,/^};/p' "$srcdir/frontend/tui/core/keys.c" | grep -c $'^\t{ "')"
is "its pictures are there" "$(sed -nE 's/^!\[.*\]\((.*)\)$/\1/p' "$tmp/TUI.md" | while read -r name; do
	[ -s "$srcdir/doc/$name" ] || echo "$name"; done)" ""

if command -v man >/dev/null && man --version >/dev/null 2>&1; then
	for page in dvmdbg.1 dvmdbg.5; do
		is "$page has no mistakes for man" \
			"$(man --warnings -l -Tutf8 -Z "$tmp/$page" 2>&1 >/dev/null)" ""
	done
fi
# What the chapter on annotations shows is in the example, and is what a session answers; structures are in fields.sh.
shown=$(plain "$tmp/dvmdbg.1" | sed -n '/^\.SH ANNOTATIONS/,/^\.SH OPTIONS/p' | sed '/^\.SS Arrays of structures/,/^\.SS Arrays in derived/d' | sed -n '/^\.nf/,/^\.fi/p' | grep -v '^\.')
sources=$(printf '%s\n' "$shown" | sed '/^\$ /,/^type(fields)/{/^type(fields)/!d}')
check "the chapter has lines of the example" test "$(printf '%s\n' "$sources" | wc -l)" -ge 10
is "each is in stagger.f90" "$(printf '%s\n' "$sources" | while read -r line; do
	grep -qF -- "$line" "$srcdir/doc/examples/stagger.f90" || echo "$line"
done)" ""
stagger=$builddir/doc/examples/stagger
if [ -x "$stagger" ]; then
	session=$(printf '%s\n' "$shown" | sed -n '/^\$ /,/^type(fields)/p' | grep -v '^\$ \|^type(fields)')
	dvm 60 "$(printf '%s\n' "$session" | sed -n 's/^\[all\]> //p')" -n 4 "$stagger" 24 3
	is "the session answers that" "$(printf '%s\n' "$out" | grep -v '^actionpoint 0: ')" \
		"$(printf '%s\n' "$session" | grep -v '^\[all\]> ')"
else
	skip "the session of the chapter" "no Fortran compiler"
fi
done_testing
