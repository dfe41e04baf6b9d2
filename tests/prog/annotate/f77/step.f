C     SPDX-License-Identifier: BSD-3-Clause
C     A step, and how much it changes
      SUBROUTINE STEP(RES)
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      DOUBLE PRECISION RES, LOCAL
      INTEGER I, J, J1, J2, IERR
      J1 = 1
      J2 = NLOC
      IF (JLO .EQ. 1) J1 = 2
      IF (JHI .EQ. NY) J2 = NLOC - 1
      DO 40 J = J1, J2
         DO 30 I = 2, NX - 1
            TN(I, J) = T(I, J) + DT * ALPHA * (T(I-1, J) + T(I+1, J)
     &               + T(I, J-1) + T(I, J+1) - 4.0D0 * T(I, J))
     &               + DT * SRC(I, J)
   30    CONTINUE
   40 CONTINUE
      LOCAL = 0.0D0
      DO 60 J = J1, J2
         DO 50 I = 2, NX - 1
            LOCAL = MAX(LOCAL, ABS(TN(I, J) - T(I, J)))
            T(I, J) = TN(I, J)
   50    CONTINUE
   60 CONTINUE
      CALL MPI_ALLREDUCE(LOCAL, RES, 1, MPI_DOUBLE_PRECISION, MPI_MAX,
     &                   MPI_COMM_WORLD, IERR)
      END
