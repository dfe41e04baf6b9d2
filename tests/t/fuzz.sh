# SPDX-License-Identifier: GPL-3.0-or-later
# Each fuzz target takes its made-up inputs: 20000, or as many as it gets through in its time; with
# make check-long ten minutes and another seed. An input that hangs is given half a minute at least.
. "${0%/*}/lib.sh"

# ./quickstart check runs them in the build with sanitizers
[ -n "$sanitized" ] || all_in all
count=20000 seed=1 seconds=3
! in_set long || { count=1000000000000; seed=$(date +%N); seconds=600; }
for target in "$builddir"/tests/fuzz/fuzz_*; do
	[ -f "$target" ] && [ -x "$target" ] || continue
	name=$(basename "$target")
	cd "$tmp" || exit 1
	if timeout $((30 + 2 * seconds)) "$target" $count "$seed" $seconds >"$tmp/o" 2>&1; then
		ok "$(tail -n 1 "$tmp/o")"
	else
		not_ok "$name (seed $seed)" "$(tail -n 30 "$tmp/o")
the input: $(od -An -tx1 "$tmp/crash-$name" 2>/dev/null | head -n 20)"
	fi
done
[ $tap -gt 0 ] || not_ok "there are fuzz targets"
done_testing
