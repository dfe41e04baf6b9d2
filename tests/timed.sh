# SPDX-License-Identifier: GPL-3.0-or-later
# timed.sh COMMAND… --trs-file FILE …: runs a test's driver and appends to its results how long the test took, and how
# long processors worked for it: seconds, for times.sh.
trs=
for ((i = 1; i < $#; i++)); do
	next=$((i + 1))
	[ "${!i}" != --trs-file ] || trs=${!next}
done
TIMEFORMAT='%R %U %S'
exec 3>&2
{ time "$@" 2>&3; } 2>"$trs.time"
status=$?
awk '{ printf ":seconds: %.2f %.2f\n", $1, $2 + $3 }' "$trs.time" >>"$trs"
rm -f "$trs.time"
exit $status
