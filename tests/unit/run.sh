# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a unit test for make check. cmocka's TAP calls a test that was skipped "not ok N # SKIP".
"$@" | sed -u 's/^not ok \([0-9]* # SKIP\)/ok \1/'
exit "${PIPESTATUS[0]}"
