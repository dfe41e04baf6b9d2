! SPDX-License-Identifier: GPL-3.0-or-later
!
! Writes to what MPI changes next, as in pending_mpi.c; with F08 from the module mpi_f08. Compiled
! with dvmdbg-fc.
program pending_mpi
  use dvmdbg
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  double precision, target :: a(0:15)
  double precision :: twenty
  integer, target :: of(0:3)
  integer :: ierr
#ifdef F08
  type(MPI_Request) :: r
#else
  integer :: r
#endif

  call MPI_Init(ierr)
  twenty = 20
  call dvmdbg_array(a, 'a', shape=[16])
  call dvmdbg_array(of, 'of', shape=[4])
  call dvmdbg_pl_begin(first=[0], last=[15])
  call dvmdbg_pl_iteration(0)
  a(1) = 1
  call MPI_Sendrecv(twenty, 1, MPI_DOUBLE_PRECISION, 0, 1, a(1), 1, MPI_DOUBLE_PRECISION, 0, 1, &
    MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
  call MPI_Isend(twenty, 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, r, ierr)
  a(2) = 2
  call MPI_Recv(a(2), 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
  a(4) = 4
  call MPI_Gather(twenty, 1, MPI_DOUBLE_PRECISION, a(4), 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
  a(6) = 6
  call MPI_Allreduce(twenty, a(6), 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_SELF, ierr)
  of(1) = 7
  call MPI_Comm_size(MPI_COMM_SELF, of(1), ierr)
  a(15) = a(1) + a(2) + a(4) + a(6) + of(1)
  call dvmdbg_pl_end()
  call MPI_Finalize(ierr)
end program
