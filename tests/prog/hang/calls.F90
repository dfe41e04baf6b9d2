! SPDX-License-Identifier: GPL-3.0-or-later
! As calls.c in Fortran, with the module mpi, or mpi_f08 (-DF08): rank 0 of each pair makes a call that the other one never
! makes, or makes late. gfortran gives a call its own line when an argument has to be computed.
program calls
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
  type(MPI_Comm) :: pair, made
  type(MPI_Request) :: r(1)
#else
  integer :: pair, made, r(1)
#endif
  integer :: ierr, rank, me, x(2), y(4)
  logical :: late
  double precision :: until, z

  x = 0
  late = command_argument_count() > 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, pair, ierr)
  call MPI_Comm_rank(pair, me, ierr)
  if (me == 1 .and. .not. late) then
    call MPI_Recv(x, 1 + 0 * me, MPI_INTEGER, 0, 99, pair, MPI_STATUS_IGNORE, ierr) ! other
  else if (me == 1) then
    until = MPI_Wtime() + 1.5
    do while (MPI_Wtime() < until)
      z = z * 1.0000001d0
    end do
  end if
  select case (rank / 2)
  case (0)
    call MPI_Allgather(x, 1 + 0 * me, MPI_INTEGER, y, 1, MPI_INTEGER, pair, ierr) ! allgather
  case (1)
    call MPI_Comm_split(pair, 0 * me, 0, made, ierr) ! split
    call MPI_Comm_free(made, ierr)
  case (2)
    if (me == 0) then
      call MPI_Ssend(x, 1, MPI_INTEGER, 1 - me, 3, pair, ierr) ! ssend
    else
      call MPI_Recv(x, 1, MPI_INTEGER, 1 - me, 3, pair, MPI_STATUS_IGNORE, ierr)
    end if
  case default
    call MPI_Ibarrier(pair, r(1), ierr)
    call MPI_Waitall(1 + 0 * me, r, MPI_STATUSES_IGNORE, ierr) ! ibarrier
  end select
  call MPI_Comm_free(pair, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'done'
end program
