C     SPDX-License-Identifier: BSD-3-Clause
C     Halo columns
      SUBROUTINE EXCHNG
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      INTEGER IERR, STAT(MPI_STATUS_SIZE)
      CALL MPI_SENDRECV(T(1, NLOC), NX, MPI_DOUBLE_PRECISION, RIGHT, 1,
     &                  T(1, 0), NX, MPI_DOUBLE_PRECISION, LEFT, 1,
     &                  MPI_COMM_WORLD, STAT, IERR)
      CALL MPI_SENDRECV(T(1, 1), NX, MPI_DOUBLE_PRECISION, LEFT, 2,
     &                  T(1, NLOC+1), NX, MPI_DOUBLE_PRECISION, RIGHT,
     &                  2, MPI_COMM_WORLD, STAT, IERR)
      END
