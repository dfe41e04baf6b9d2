! SPDX-License-Identifier: GPL-3.0-or-later
! Accesses to memory that MPI or other ranks may access at the same time, in Fortran: race CASE, on 3 ranks. The lines of
! an error have the case's name in a comment, with 1 and 2.
program race
  use mpi
  implicit none
  integer, parameter :: n = 16
  integer :: ierr, rank, win, req, i
  integer :: memory(n), one(n), two(n)
  integer(kind=mpi_address_kind) :: bytes, at
  character(len=16) :: what

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  memory = 0
  one = rank
  bytes = 4 * n
  call mpi_win_create(memory, bytes, 4, mpi_info_null, mpi_comm_world, win, ierr)
  do i = 1, command_argument_count()
    call get_command_argument(i, what)
    call mpi_win_fence(0, win, ierr)
    select case (what)
    case ('puts')
      at = 3
      if (rank == 0) call mpi_put(one, 4, mpi_integer, 2, at, 4, mpi_integer, win, ierr) ! puts 1
      at = 6
      if (rank == 1) call mpi_put(one, 4, mpi_integer, 2, at, 4, mpi_integer, win, ierr) ! puts 2
    case ('into')
      call mpi_irecv(one, 4, mpi_integer, mod(rank + 2, 3), 1, mpi_comm_world, req, ierr) ! into 1
      call mpi_send(one(4), 4, mpi_integer, mod(rank + 1, 3), 1, mpi_comm_world, ierr) ! into 2
      call mpi_wait(req, mpi_status_ignore, ierr)
    case ('right')
      at = 4 * rank
      call mpi_put(one, 4, mpi_integer, 2, at, 4, mpi_integer, win, ierr)
      call mpi_win_fence(0, win, ierr)
      at = 0
      call mpi_get(two, 8, mpi_integer, 2, at, 8, mpi_integer, win, ierr)
      call mpi_win_fence(0, win, ierr)
      call mpi_irecv(one, 4, mpi_integer, mod(rank + 2, 3), 1, mpi_comm_world, req, ierr)
      call mpi_send(one(5), 4, mpi_integer, mod(rank + 1, 3), 1, mpi_comm_world, ierr)
      call mpi_wait(req, mpi_status_ignore, ierr)
      call mpi_send(one, 4, mpi_integer, mpi_proc_null, 1, mpi_comm_world, ierr)
    end select
    call mpi_win_fence(0, win, ierr)
  end do
  call mpi_win_free(win, ierr)
  if (rank == 0) print '(a)', 'done'
  call mpi_finalize(ierr)
end program
