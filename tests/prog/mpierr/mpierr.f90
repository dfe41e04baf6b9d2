! SPDX-License-Identifier: GPL-3.0-or-later
! Errors of MPI in Fortran: the line of each has its name in a comment.
program mpierr
  use mpi
  implicit none
  integer :: ierr, rank, x, req, t, before, h

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  x = rank
  call mpi_comm_get_errhandler(mpi_comm_world, before, ierr)
  if (before /= mpi_errors_are_fatal) print '(a)', 'wrong handler'
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  call mpi_comm_set_errhandler(mpi_comm_world, before, ierr)
  call mpi_errhandler_free(before, ierr)
  call mpi_comm_get_errhandler(mpi_comm_world, h, ierr)
  if (h /= mpi_errors_are_fatal) print '(a)', 'wrong handler'
  call mpi_errhandler_free(h, ierr)
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  call mpi_comm_get_errhandler(mpi_comm_world, h, ierr)
  if (h /= mpi_errors_return) print '(a)', 'wrong handler'
  call mpi_send(x, -1, mpi_integer, 0, 0, mpi_comm_world, ierr) ! count
  call mpi_type_contiguous(2, mpi_integer, t, ierr) ! left
  call mpi_bcast(x, 1, t, 0, mpi_comm_world, ierr) ! uncommitted
  call mpi_isend(x, 1, mpi_integer, mpi_proc_null, 0, mpi_comm_world, req, ierr) ! lost
  call mpi_isend(x, 1, mpi_integer, mpi_proc_null, 0, mpi_comm_world, req, ierr)
  call mpi_wait(req, mpi_status_ignore, ierr)
  call mpi_finalize(ierr)
end program
