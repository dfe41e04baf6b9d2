C     SPDX-License-Identifier: BSD-3-Clause
C     Own columns, first values
      SUBROUTINE SETUP
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      INTEGER I, J, JG
      DT = 0.1D0
      ALPHA = 0.8D0
      JLO = MYID * NY / NPROC + 1
      JHI = (MYID + 1) * NY / NPROC
      NLOC = JHI - JLO + 1
      LEFT = MYID - 1
      IF (LEFT .LT. 0) LEFT = MPI_PROC_NULL
      RIGHT = MYID + 1
      IF (RIGHT .GE. NPROC) RIGHT = MPI_PROC_NULL
      DO 20 J = 1, NLOC
         JG = JLO + J - 1
         DO 10 I = 1, NX
            T(I, J) = SIN(0.1D0 * I) + COS(0.17D0 * JG)
            TN(I, J) = 0.0D0
            SRC(I, J) = 0.001D0 * MOD(I * JG, 7)
   10    CONTINUE
   20 CONTINUE
      END
