# SPDX-License-Identifier: GPL-3.0-or-later
# times.sh MOST FILE.trs…: where the time of a run of tests went, the slowest first: seconds, seconds of processors, cases.
most=$1
shift
awk -v most="$most" '
FNR == 1 { name = FILENAME; sub(/\.trs$/, "", name); sub(/^.*tests\//, "", name) }
/^:test-result:/ { cases[name]++ }
/^:seconds:/ { wall[name] = $2; cpu[name] = $3; all++; total += $2; work += $3 }
END {
	for (name in wall)
		printf "%8.1f %8.1f %6d  %s\n", wall[name], cpu[name], cases[name], name | "sort -rn | head -n " most
	close("sort -rn | head -n " most)
	if (all > most)
		printf "%8.1f %8.1f         all %d\n", total, work, all
}' "$@" | sed '1i\ seconds     CPU  cases' 
