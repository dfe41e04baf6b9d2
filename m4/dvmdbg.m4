# SPDX-License-Identifier: BSD-3-Clause

# DVMDBG_NEED(VARIABLE, PKG-CONFIG MODULE, DEBIAN PACKAGE)
# Sets VARIABLE_CFLAGS and VARIABLE_LIBS, or adds a line to $missing.
AC_DEFUN([DVMDBG_NEED], [
PKG_CHECK_MODULES([$1], [$2], [:],
	[missing="$missing
  $2 (Debian package $3)"])
])

# DVMDBG_MPI(VARIABLE, PKG-CONFIG MODULE, COMPILER WRAPPER, MACRO OF ITS mpi.h, DEBIAN PACKAGES)
# Sets VARIABLE_CFLAGS and VARIABLE_LIBS, have_variable, and the conditional HAVE_VARIABLE. The flags come
# from pkg-config, else from the wrapper with the ABI in its name, else from a plain mpicc.
AC_DEFUN([DVMDBG_MPI], [
m4_pushdef([have], [have_]m4_tolower([$1]))
AS_VAR_SET([have], [no])
$1_CFLAGS_found=
$1_LIBS_found=
AS_IF([$PKG_CONFIG --exists $2 2>/dev/null],
	[$1_CFLAGS_found=`$PKG_CONFIG --cflags-only-I $2`
	 $1_LIBS_found="`$PKG_CONFIG --libs-only-L $2` `$PKG_CONFIG --libs-only-l $2 | tr ' ' '\n' | grep '^-lmpi' | tr '\n' ' '`"
	 AS_VAR_SET([have], [maybe])],
	[for wrapper in $3 mpicc; do
		AS_IF([command -v $wrapper >/dev/null 2>&1 && test "x$have" != xmaybe],
			[line=`$wrapper -show 2>/dev/null`
			 for word in $line; do
				AS_CASE([$word],
					[-I*], [$1_CFLAGS_found="$$1_CFLAGS_found $word"],
					[-L*|-lmpi*|-lmpich*], [$1_LIBS_found="$$1_LIBS_found $word"])
			 done
			 AS_VAR_SET([have], [maybe])])
	done])
AS_VAR_IF([have], [maybe],
	[AC_MSG_CHECKING([whether mpi.h and the library of $1 work])
	 save_CPPFLAGS=$CPPFLAGS; save_LIBS=$LIBS
	 CPPFLAGS="$CPPFLAGS $$1_CFLAGS_found"; LIBS="$$1_LIBS_found $LIBS"
	 AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <mpi.h>
#ifndef $4
#error another MPI
#endif], [MPI_Init(0, 0);])],
		[AS_VAR_SET([have], [yes])], [AS_VAR_SET([have], [no])])
	 CPPFLAGS=$save_CPPFLAGS; LIBS=$save_LIBS
	 AC_MSG_RESULT([$have])])
AS_VAR_IF([have], [yes],
	[AC_SUBST([$1_CFLAGS], ["$$1_CFLAGS_found"])
	 AC_SUBST([$1_LIBS], ["$$1_LIBS_found"])],
	[AC_MSG_WARN([$1 not found: no support for its programs (Debian: $5)])])
AM_CONDITIONAL([HAVE_$1], [test "x$have" = xyes])
m4_popdef([have])
])
