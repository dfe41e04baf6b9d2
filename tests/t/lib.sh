# SPDX-License-Identifier: GPL-3.0-or-later
# For the shell tests: TAP, time limits, waiting, programs of both MPIs, and the search for what is left
# behind. A test sources this, makes assertions, and ends with `done_testing`. It runs in the build folder,
# with srcdir set (make check does both; by hand: cd build && srcdir=.. bash ../tests/t/NAME.sh).
set -u
srcdir=$(cd "${srcdir:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
builddir=${DVMDBG_BUILDDIR:-$PWD}
. "$builddir/tests/t/config.sh"

DVMDBG=${DVMDBG:-$builddir/frontend/dvmdbg}
EXEC=dvmdbg-exec
tmp=$(mktemp -d "${TMPDIR:-/tmp}/test-dvmdbg.XXXXXX")
tap=0

# Whatever we start has this in its environment; the shell itself has not, for it is set after its start.
TAG=DVMDBG_TEST_TAG=$$.$RANDOM$RANDOM
export "${TAG?}"
export LC_ALL=C.UTF-8 TERM=${TERM:-dumb}
unset DVMDBG_PAGE DVMDBG_RENDEZVOUS DVMDBG_SECRET DVMDBG_LIBDIR

# More ranks than cores, as root in containers. For the tests only; dvmdbg itself sets none of this.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Nor does a session wait for networks that are not there (0.2 s at each start), nor for a job that it ends (2 s).
# as_users_have_it takes all back, for tests of exactly that.
export OMPI_MCA_pml=ob1 OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0
# Nor for what it does not need: devices that are listed by libraries that are loaded for it, components of Open MPI,
# transports of MPICH. That is half of the time of a start.
export PMIX_MCA_gds=hash HWLOC_PLUGINS_PATH=/nonexistent HWLOC_COMPONENTS=-linuxio UCX_TLS=self,posix
export OMPI_MCA_schizo=ompi OMPI_MCA_state=app,hnp OMPI_MCA_errmgr=default_app,default_hnp OMPI_MCA_ess=pmi,hnp,singleton,tool \
	OMPI_MCA_shmem=mmap OMPI_MCA_reachable=weighted OMPI_MCA_btl=self,vader OMPI_MCA_op=^avx \
	OMPI_MCA_coll=basic,libnbc,self,inter,tuned OMPI_MCA_osc=sm,rdma,pt2pt
# Ranks that wait leave the processors to others.
[ ! -f "$builddir/tests/yield.so" ] || export LD_PRELOAD=$builddir/tests/yield.so
as_users_have_it()
{
	unset LD_PRELOAD OMPI_MCA_pml OMPI_MCA_odls_base_sigkill_timeout PRTE_MCA_odls_base_sigkill_timeout \
		PMIX_MCA_gds HWLOC_PLUGINS_PATH HWLOC_COMPONENTS UCX_TLS OMPI_MCA_schizo OMPI_MCA_state \
		OMPI_MCA_errmgr OMPI_MCA_ess OMPI_MCA_shmem OMPI_MCA_reachable OMPI_MCA_btl OMPI_MCA_op OMPI_MCA_coll \
		OMPI_MCA_osc
}

# Where mpiexec that we start ourselves has its files: one of another test that ends would take away the directory
# in which it begins.
mkdir "$tmp/.mpi"
export OMPI_MCA_orte_tmpdir_base=$tmp/.mpi PRTE_MCA_prte_tmpdir_base=$tmp/.mpi

# Pids of living processes that carry our tag. One grep for all: this is asked again and again while programs
# run, and must not take the processors from them.
tagged()
{
	local env pid state
	(unset DVMDBG_TEST_TAG; exec grep -lszF "$TAG" /proc/[0-9]*/environ 2>/dev/null) | while read -r env; do
		pid=${env#/proc/}
		pid=${pid%/environ}
		state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
		[ "$state" = Z ] || [ -z "$state" ] || echo "$pid"
	done
}

cleanup()
{
	local pid
	for pid in $(tagged); do
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

diag()
{
	local text="$*"
	printf '# %s\n' "${text//$'\n'/$'\n# '}"
}

# ok NAME, not_ok NAME [WHY]
ok() { tap=$((tap + 1)); echo "ok $tap - $1"; }
not_ok()
{
	tap=$((tap + 1))
	echo "not ok $tap - $1"
	[ $# -lt 2 ] || diag "$2"
	return 1
}
skip() { tap=$((tap + 1)); echo "ok $tap - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
# Failures are told by their lines; the driver would count a status as one more.
done_testing() { echo "1..$tap"; exit 0; }

# check NAME COMMAND…: the command succeeds
check()
{
	local name=$1
	shift
	if "$@"; then ok "$name"; else not_ok "$name" "failed: $*"; fi
}
# is NAME GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "$(printf 'got:\n%s\nwanted:\n%s' "$2" "$3")"
	fi
}
# A process costs 10 ms here, and what is read from a string behind <<< as much: what is asked for each case needs neither.
# split TEXT: its lines in the array lines, as the shell's own words; the text of a file is read by slurp FILE, into text.
split()
{
	local IFS=$'\n' options=$-
	set -f
	# shellcheck disable=SC2206
	lines=(x${1//$'\n'/$'\n'x}) # a line that is empty is no word
	[[ $options == *f* ]] || set +f
	lines=("${lines[@]#x}")
}
slurp()
{
	local IFS= parts
	{ mapfile -d '' -t parts <"$1"; } 2>/dev/null || return
	text=${parts[*]} # NUL is left out, as by $(cat FILE)
}
# has_line TEXT REGEX: a line of the text is like the regex (extended); grep reads what is long.
has_line()
{
	local line lines odd=
	if [ ${#1} -lt 16000 ]; then
		split "$1"
		for line in "${lines[@]}"; do
			[[ $line =~ $2 ]]
			case $? in
			0) return 0 ;;
			2) odd=yes ;; # a regex for grep alone
			esac
			[ -z "$odd" ] || break
		done 2>/dev/null
		[ -n "$odd" ] || return 1
	fi
	printf '%s\n' "$1" | grep -qE -e "$2"
}
# like NAME TEXT REGEX…: each regex is found
like()
{
	local name=$1 text=$2 re
	shift 2
	for re; do
		if ! has_line "$text" "$re"; then
			not_ok "$name" "$(printf 'no line is like: %s\nin:\n%s' "$re" "$text" | head -60)"
			return 1
		fi
	done
	ok "$name"
}
unlike()
{
	if has_line "$2" "$3"; then
		not_ok "$1" "$(printf 'a line is like: %s\nin:\n%s' "$3" "$2" | head -60)"
	else
		ok "$1"
	fi
}

# wait_for SECONDS COMMAND…: tries until it succeeds; between two tries it reads what nobody writes, which needs no process
mkfifo "$tmp/.never" && exec {never}<>"$tmp/.never"
wait_for()
{
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		read -rt 0.1 -u "$never" _ || :
	done
}
# One process where nothing is left; only the living have an environment.
nothing_tagged()
{
	! DVMDBG_TEST_TAG= grep -qszF "$TAG" /proc/[0-9]*/environ 2>/dev/null || [ -z "$(tagged)" ]
}
# no_leak NAME: within ten seconds nothing that we started is left
no_leak()
{
	local pid
	if wait_for 10 nothing_tagged; then
		ok "$1: nothing is left behind"
	else
		not_ok "$1: nothing is left behind"
		for pid in $(tagged); do
			diag "left: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
			kill -KILL "$pid" 2>/dev/null
		done
	fi
}

# in_set SET: this run has that set of tests, or a longer one: quick, check (what is run when nothing is said), compiler
# (all that depends on the compiler), all, long
in_set()
{
	local order=" quick check compiler all long " this=${DVMDBG_TEST_SET:-check}
	this=${order%" $this "*} order=${order%" $1 "*}
	[ "${#order}" -le "${#this}" ]
}
# rest_in SET, all_in SET: what follows, or the whole test, belongs to that set
rest_in() { in_set "$1" || done_testing; }
all_in() { in_set "$1" || skip_all "one of the set $1"; }
# The MPIs to test with: those of DVMDBG_TEST_MPIS; otherwise the first, and from the set all on each that there is,
# but in a build with clang: gcc's has them all.
mpis()
{
	local all=() mpi
	[ "$have_openmpi" != yes ] || all+=(openmpi)
	[ "$have_mpich" != yes ] || all+=(mpich)
	[ ${#all[@]} != 0 ] || return 0
	case ${DVMDBG_TEST_MPIS-}/$CC in
	/*clang*) echo "${all[0]}" ;;
	/*) if in_set all; then printf '%s\n' "${all[@]}"; else echo "${all[0]}"; fi ;;
	*)
		for mpi in $DVMDBG_TEST_MPIS; do
			[[ " ${all[*]} " != *" $mpi "* ]] || echo "$mpi"
		done ;;
	esac
}
first_mpi()
{
	local all
	all=$(mpis)
	echo "${all%%$'\n'*}"
}
# mpis_in SET: those from that set on, else the first: for what hardly depends on the MPI
mpis_in() { if in_set "$1"; then mpis; else first_mpi; fi; }
# mpi_compilers MPI: sets $cc and $fc to its commands
mpi_compilers()
{
	cc=mpicc.$1
	command -v "$cc" >/dev/null || cc=mpicc
	fc=mpifort.$1
	command -v "$fc" >/dev/null || fc=mpifort
}
# until_shown REGEX VERB: asks that of the session that start has begun until a line of the answer is like it
until_shown() { wait_for 20 shown_once "$@"; }
shown_once()
{
	tell "$2"
	sleep 0.2
	seen "$1"
}
# line_like REGEX FILE, line_with TEXT FILE: the number of the first line that is like the regex, or has the text
line_like()
{
	local text lines i
	slurp "$2" || return
	split "$text"
	for i in "${!lines[@]}"; do
		if [[ ${lines[i]} =~ $1 ]]; then
			echo $((i + 1))
			return
		fi
	done
}
line_with()
{
	local text lines i
	slurp "$2" || return
	split "$text"
	for i in "${!lines[@]}"; do
		if [[ ${lines[i]} == *"$1"* ]]; then
			echo $((i + 1))
			return
		fi
	done
}
# line_marked WORD FILE: the number of the line with the comment @WORD
line_marked() { line_like "[/!]\*? ?@$1( |\$)" "$2"; }
# prog PATH MPI: a program of the build tree for that MPI
prog()
{
	if [ "$2" = mpich ] && [ -x "$builddir/$1-mpich" ]; then
		echo "$builddir/$1-mpich"
	else
		echo "$builddir/$1"
	fi
}
# mpirun MPI N COMMAND…: without the debugger
mpirun()
{
	local mpi=$1 n=$2 exe
	shift 2
	exe=mpiexec.$mpi
	command -v "$exe" >/dev/null || exe=mpiexec
	timeout -k 5 120 "$exe" -n "$n" "$@"
}

# own_program FILE: the test is about a program that it compiles itself: $mpi is the first MPI, $src the source below
# tests/prog, $libs what it is linked with; the test's folder is where it goes on, with $TMPDIR inside.
own_program()
{
	mpi=$(first_mpi)
	[ -n "$mpi" ] || skip_all "no MPI"
	cd "$tmp" || exit 1
	mkdir scratch
	export TMPDIR=$tmp/scratch
	src=$srcdir/tests/prog/$1
	libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"
}
# hooked FILE, unhooked FILE: $src compiled to that, with and without access hooks; what the compiler says is in `said`
hooked()
{
	# shellcheck disable=SC2086
	DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g -O2 -I"$srcdir/runtime" "$src" -o "$1" $libs >said 2>&1
}
unhooked()
{
	# shellcheck disable=SC2086
	"mpicc.$mpi" -std=gnu11 -g -O2 -I"$srcdir/runtime" "$src" -o "$1" $libs >said 2>&1
}
# source_line TEXT: "file\.c:N" of the source's first line with the text, as a regex
source_line()
{
	local name=${src##*/}
	printf '%s:' "${name/./\\.}"
	line_with "$1" "$src"
}

# dvm SECONDS SCRIPT ARGS…: a session in batch mode with the commands of SCRIPT (text). Sets $out (both
# streams) and $status; 124 means that it took longer than SECONDS.
dvm()
{
	local seconds=$1
	printf '%s\n' "$2" >"$tmp/script"
	shift 2
	out=$(timeout -k 5 "$seconds" "$DVMDBG" --batch -x "$tmp/script" "$@" </dev/null 2>&1)
	status=$?
}
# talk SCRIPT ARGS…: a session that is not in batch mode and goes on after errors. Sets $out and $status.
talk()
{
	printf '%s\n' "$1" >"$tmp/talk"
	shift
	out=$(timeout -k 5 120 "$DVMDBG" "$@" <"$tmp/talk" 2>&1)
	status=$?
}
# answer LINE: what a session of talk has said to that line.
answer()
{
	local line lines on=
	if [ ${#out} -gt 16000 ]; then
		WANTED=$1 awk 'match($0, /^\[[^]]*\]> /) { on = substr($0, RLENGTH + 1) == ENVIRON["WANTED"]; next }
			on { sub(/^stdin:[0-9]*: /, ""); print }' <<<"$out"
		return
	fi
	split "$out"
	for line in "${lines[@]}"; do
		if [[ $line =~ ^\[[^]]*\]\>\  ]]; then
			on=
			[ "${line:${#BASH_REMATCH}}" != "$1" ] || on=yes
		elif [ -n "$on" ]; then
			[[ ! $line =~ ^stdin:[0-9]*:\  ]] || line=${line:${#BASH_REMATCH}}
			printf '%s\n' "$line"
		fi
	done
}
# The output without the program's own lines.
said()
{
	local line lines
	split "$out"
	for line in "${lines[@]}"; do
		[[ $line == '|'* ]] || printf '%s\n' "$line"
	done
}

# A session whose commands come while the program runs: start ARGS…, tell COMMANDS…, finish. What it says
# is in $tmp/o; $session is the process that waits for it.
session=
start()
{
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$tmp/o"
	timeout -k 5 120 "$DVMDBG" "$@" <"$tmp/in" >"$tmp/o" 2>&1 &
	session=$!
	exec 7>"$tmp/in"
}
tell() { (printf '%s\n' "$@" >&7) 2>/dev/null; } # apart: a session that has ended is no reason to die
seen()
{
	local text
	slurp "$tmp/o" && has_line "${text%$'\n'}" "$1"
}
# expect_out NAME SECONDS REGEX: a line of $tmp/o is like that, soon
expect_out()
{
	if wait_for "$2" seen "$3"; then
		ok "$1"
	else
		not_ok "$1" "$(printf 'not seen: %s\nin:\n' "$3"; tail -n 25 "$tmp/o")"
	fi
}
finish()
{
	exec 7>&-
	{ wait "$session"; } 2>/dev/null
	status=$?
	out_of "$tmp/o"
}
# out_of FILE: what $(cat FILE) would print, as out
out_of()
{
	local text
	slurp "$1"
	while [[ $text == *$'\n' ]]; do
		text=${text%$'\n'}
	done
	out=$text
}
# The pid of the front end: the first of ours that runs dvmdbg and is no guard, which may outlive its front end
front_end()
{
	local child
	# That of start is known without a search, which takes its time where there are many processes.
	if { read -r child _ <"/proc/$session/task/$session/children"; } 2>/dev/null && [ -n "$child" ]; then
		echo "$child"
		return
	fi
	tagged | while read -r p; do
		[ "$(readlink "/proc/$p/exe")" = "$(readlink -f "$DVMDBG")" ] &&
			[ "$(<"/proc/$p/comm")" != dvmdbg-guard ] &&
			echo "$(sed 's/.*) //' "/proc/$p/stat" | cut -d ' ' -f 20) $p"
	done | sort -n | head -n 1 | cut -d ' ' -f 2
}
# Pids of ours that run this file.
running()
{
	tagged | while read -r p; do
		[ "$(readlink "/proc/$p/exe")" = "$(readlink -f "$1")" ] && echo "$p"
	done
}
# typed SCRIPT ARGS…: an expect script (text) with a dvmdbg that is given ARGS in a terminal. In it:
# prompt waits for the prompt, enter LINE types one, sees REGEX… waits for each, interrupt is Ctrl-C; ends waits for
# the end, and agrees when ranks that live are asked about;
# until LINE REGEX types the line until the answer has the regex, and waits for the prompt.
typed()
{
	cat >"$tmp/typed" <<'EOT'
set timeout 40
match_max 100000
proc give_up {why} { send_user "\nGAVE UP: $why\n"; catch close; exit 1 }
proc prompt {} { expect -ex {[all]> } {} timeout { give_up "no prompt" } eof { give_up "ended before a prompt" } }
proc enter {line} { send -- "$line\r"; expect -ex "$line\r\n" {} timeout { give_up "no echo of $line" } eof { give_up "ended at $line" } }
proc sees {args} {
	foreach regex $args {
		expect -re $regex {} timeout { give_up "not seen: $regex" } eof { give_up "ended before $regex" }
	}
}
proc until {line regex} {
	for {set i 0} {$i < 400} {incr i} {
		enter $line
		expect -re "$regex.*\\\[all\\]> " { return } -ex {[all]> } {} timeout { break } eof { break }
		after 100
	}
	give_up "$line never says $regex"
}
proc interrupt {} { send "\003" }
proc ends {} { expect -ex {(y or n) } { send "y\r"; exp_continue } eof {} timeout { give_up "no end" }; catch wait }
eval spawn -noecho [lrange $argv 1 end]
source [lindex $argv 0]
exit 0
EOT
	printf '%s\n' "$1" >"$tmp/typed.in"
	shift
	timeout -k 5 120 expect -f "$tmp/typed" "$tmp/typed.in" "$DVMDBG" "$@" >"$tmp/o" 2>&1 </dev/null
	status=$?
	out=$(tr -d '\r' <"$tmp/o")
}
# typed_ok NAME SCRIPT ARGS…
typed_ok()
{
	local name=$1
	shift
	if ! command -v expect >/dev/null; then
		skip "$name" "no expect"
		return
	fi
	typed "$@"
	if [ $status = 0 ]; then ok "$name"; else not_ok "$name" "$(tail -n 30 "$tmp/o" | cat -v)"; fi
	no_leak "$name"
}
