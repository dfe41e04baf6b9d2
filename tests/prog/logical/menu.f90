! SPDX-License-Identifier: BSD-3-Clause
! menu.c in Fortran: rank 0 gives orders, the others wait for them in a dispatch loop, which is announced.
module work
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: n = 16
  double precision, target :: u(n)
  integer :: rank, ierr
contains
  subroutine fill_in_data()
    integer :: i

    call dvmdbg_pl_begin(first=1, last=n * 4, on=u, writes="u") ! @pl
    do i = 1, n
      u(i) = dble(rank * n + i)
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine dispatch()
    integer :: order

    do
      call dvmdbg_dispatch_begin()
      call MPI_Bcast(order, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! @wait
      if (order /= 0) call fill_in_data() ! @call
      call dvmdbg_dispatch_end()
      if (order == 0) exit
    end do
  end subroutine

  subroutine menu(path)
    character(len=*), intent(in) :: path
    integer :: order, ios

    open (unit=10, file=path, action="read", status="old", iostat=ios)
    do
      order = 0
      if (ios == 0) read (10, *, iostat=ios) order ! @read
      if (ios /= 0) order = 0
      call MPI_Bcast(order, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      if (order == 0) exit
      call fill_in_data() ! @give
    end do
  end subroutine
end module

program orders
  use work
  implicit none
  character(len=200) :: path

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call dvmdbg_array(u, "u", shape=4 * n, own_lo=rank * n + 1, own_hi=rank * n + n)
  call get_command_argument(1, path)
  if (rank == 0) then
    call menu(trim(path)) ! @zero
  else
    call dispatch() ! @others
  end if
  call MPI_Finalize(ierr)
end program
