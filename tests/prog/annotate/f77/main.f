C     SPDX-License-Identifier: BSD-3-Clause
C     Diffusion with a source, columns in blocks, without marks: f77 NX NY
      PROGRAM DIFFUS
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      INTEGER IERR, IT
      DOUBLE PRECISION RES
      CHARACTER*16 ARG
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, MYID, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NPROC, IERR)
      NX = 20
      NY = 24
      NSTEP = 5
      IF (IARGC() .GE. 1) THEN
         CALL GETARG(1, ARG)
         READ (ARG, *) NX
      END IF
      IF (IARGC() .GE. 2) THEN
         CALL GETARG(2, ARG)
         READ (ARG, *) NY
      END IF
      CALL SETUP
      DO 100 IT = 1, NSTEP
         CALL EXCHNG
         CALL STEP(RES)
         IF (MYID .EQ. 0 .AND. IT .EQ. NSTEP)
     &      WRITE (*, '(A,I4,E16.8)') ' STEP', IT, RES
  100 CONTINUE
      CALL MPI_FINALIZE(IERR)
      END
