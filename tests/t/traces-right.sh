# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of programs that are right: no finding, on whatever number of ranks they run and were recorded, at each level.
. "${0%/*}/lib.sh"
. "${0%/*}/compares.sh"
[ -x "$(hooked heat)" ] || skip_all "no programs with access hooks"

right heat "24 2" $((2 * 24 * 24 + 2 * 22 * 22))
rest_in all
right cg "16 3" $((3 * 16 * 16 + 3 * 4 * 16 * 16))
right multiblock "16 2" $((16 * 16 + 2 * 2 * 16 * 16))
# of each pivot's row 13 and 1 in those below it; of each unknown, 1 in those above it
right ring "12 2" $((2 * (12 * 13 + 66 * 14 + 66)))
if [ -x "$(hooked lu)" ]; then
	right jacobi "24 2" $((24 * 24 + 2 * 2 * 22 * 22))
	right lu "10 1" -
	# halos are computed by several ranks, so more is compared on more
	record stagger.FULL.1 FULL 1 "$(hooked stagger)" 10 1
	for n in 1 4; do
		compare stagger.$n stagger.FULL.1 $n "$(hooked stagger)" 10 1
		is "stagger at level FULL is right on $n" "$(<stagger.$n.status) $(found stagger.$n)" "0 "
	done
	check "stagger: what several ranks compute is compared on each" \
		test "$(total stagger.4 accesses)" -gt "$(total stagger.1 accesses)"
else
	skip "Fortran" "no Fortran compiler"
fi

# Sums of ranks differ in their last bits. That is within the tolerance, and to the bit it is a finding.
compare cg cg.FULL.1 4 "$(hooked cg)" 16 3
is "cg: with a tolerance it is told as rounding" "$(total cg verdict)" rounding
compare cg cg.FULL.1 4 --set StrictCompare=ON "$(hooked cg)" 16 3
is "cg: to the bit it differs" "$(<cg.status) $(found cg | head -n 1 | cut -d ' ' -f 1)" "1 reduction"
compare cg cg.FULL.4 4 --set StrictCompare=ON "$(hooked cg)" 16 3
equal "cg: and on as many ranks it does not" cg "$(total cg.FULL.1.1 accesses)"
compare cg cg.FULL.1 4 --set Exp=1e-17 "$(hooked cg)" 16 3
is "cg: with a tolerance that is too small it differs" "$(<cg.status)" 1
compare lu heat.FULL.1 4 --set StrictCompare=ON "$(hooked heat)" 24 2
equal "heat: to the bit on any number of ranks" lu "$(total heat.FULL.1.1 accesses)"
no_leak "tolerances"
done_testing
