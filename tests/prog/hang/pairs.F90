! SPDX-License-Identifier: GPL-3.0-or-later
! As pairs.c in Fortran, with the module mpi, or mpi_f08 (-DF08): pairs 0 to 2 wait for ever, in the last one rank
! computes. gfortran gives a call its own line when an argument has to be computed.
program pairs
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
  type(MPI_Comm) :: pair
  type(MPI_Request) :: r(1)
#else
  integer :: pair, r(1)
#endif
  integer :: ierr, rank, me, x(2)
  double precision :: until, y

  x = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, pair, ierr) ! split
  call MPI_Comm_rank(pair, me, ierr)
  select case (rank / 2)
  case (0)
    call MPI_Recv(x, 1, MPI_INTEGER, 1 - me, 3, pair, MPI_STATUS_IGNORE, ierr) ! recv
  case (1)
    call MPI_Irecv(x, 1, MPI_INTEGER, 1 - me, 4, pair, r(1), ierr) ! post
    call MPI_Waitall(1 + 0 * me, r, MPI_STATUSES_IGNORE, ierr) ! wait
  case (2)
    if (me == 0) then
      call MPI_Bcast(x, 1, MPI_INTEGER, 1 - me, pair, ierr) ! bcast
    else
      call MPI_Recv(x, 1, MPI_INTEGER, 1 - me, 5, pair, MPI_STATUS_IGNORE, ierr) ! other
    end if
  case default
    if (me == 1) then
      until = MPI_Wtime() + 60
      do while (MPI_Wtime() < until)
        y = y * 1.0000001d0
      end do
    end if
    call MPI_Bcast(x, 1, MPI_INTEGER, 1 - 0 * me, pair, ierr) ! late
  end select
  call MPI_Finalize(ierr)
end program
