! SPDX-License-Identifier: BSD-3-Clause
! Reductions as Fortran programs have them: variables of a procedure, without TARGET, right and with one fault.
!   freduced CASE; "right": all that are right
module reduced_loops
  use dvmdbg
  implicit none
  integer, parameter :: n = 48, wp = kind(1d0)
  real(wp), allocatable, target :: u(:)
  integer :: lo, hi, rank, ranks
contains
  subroutine fill()
    integer :: i
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      u(i) = 1.5_wp + sin(0.7_wp * i)
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine leave_out(from, to, count, type)
    real(wp) :: from(*), to(*)
    integer :: count, type
    if (count < 0) to(1) = from(1) + type
  end subroutine
end module

program freduced
  use mpi
  use reduced_loops
  implicit none
  character(len=32) :: what
  integer :: ierr
  what = 'right'
  if (command_argument_count() > 0) call get_command_argument(1, what)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  lo = n * rank / ranks + 1
  hi = n * (rank + 1) / ranks
  allocate (u(lo:hi))
  call dvmdbg_array(u, 'u', shape=[n], own_lo=[lo], own_hi=[hi])
  call fill()
  if (is('sum')) call add(0d0, MPI_SUM, dvmdbg_sum)
  if (is('product')) call multiply(MPI_PROD, dvmdbg_prod)
  if (is('maximum')) call greatest(MPI_MAX, dvmdbg_max)
  if (is('minimum')) call least(MPI_MIN, dvmdbg_min)
  if (is('in-place')) call in_place()
  if (is('arrays')) call arrays(MPI_SUM)
  if (is('single')) call single()
  if (is('integers')) call integers()
  if (is('truth')) call truth()
  if (is('bits')) call bits()
  if (is('complex')) call complexes()
  if (is('location')) call location(MPI_MAXLOC, 0)
  if (is('whole-location')) call whole_location()
  if (is('tasks')) call tasks()
  if (is('asynchronous')) call asynchronous()
  ! with a fault
  if (what == 'min-for-max') call least(MPI_MIN, dvmdbg_max)
  if (what == 'max-for-min') call greatest(MPI_MAX, dvmdbg_min)
  if (what == 'sum-for-prod') call add(0d0, MPI_SUM, dvmdbg_prod)
  if (what == 'prod-for-sum') call multiply(MPI_PROD, dvmdbg_sum)
  if (what == 'max-for-sum') call greatest(MPI_MAX, dvmdbg_sum)
  if (what == 'mpi-sum-for-max') call greatest(MPI_SUM, dvmdbg_max)
  if (what == 'initial') call add(3d0, MPI_SUM, dvmdbg_sum)
  if (what == 'only-own') call only_own()
  if (what == 'lost-part') call lost_part()
  if (what == 'array-max') call arrays(MPI_MAX)
  if (what == 'minloc') call location(MPI_MINLOC, 0)
  if (what == 'place') call location(MPI_MAXLOC, 2)
  call MPI_Finalize(ierr)
contains
  logical function is(name)
    character(len=*), intent(in) :: name
    is = what == name .or. what == 'right'
  end function

  subroutine add(first, op, declared)
    real(wp), intent(in) :: first
    integer, intent(in) :: op, declared
    real(wp) :: local, total
    integer :: i, step
    do step = 1, merge(3, 1, what == 'right')
      local = first
      call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
      do i = lo, hi
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
        local = local + u(i)
      end do
      call dvmdbg_pl_end()
      call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
      call dvmdbg_reduction(total, declared)
    end do
  end subroutine

  subroutine multiply(op, declared)
    integer, intent(in) :: op, declared
    real(wp) :: local, total
    integer :: i
    local = 1
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = local * u(i)
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, declared)
  end subroutine

  subroutine greatest(op, declared)
    integer, intent(in) :: op, declared
    real(wp) :: local, total
    integer :: i
    local = 0.25_wp
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = max(local, u(i))
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, declared)
  end subroutine

  subroutine least(op, declared)
    integer, intent(in) :: op, declared
    real(wp) :: local, total
    integer :: i
    local = huge(local)
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      if (u(i) < local) local = u(i)
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, declared)
  end subroutine

  subroutine in_place()
    real(wp) :: total
    integer :: i
    total = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      total = total + u(i)
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_sum)
  end subroutine

  subroutine arrays(op)
    integer, intent(in) :: op
    real(wp) :: local(4), total(4)
    integer :: i, k
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      k = mod(i, 4) + 1
      local(k) = local(k) + u(i)
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 4, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_sum)
  end subroutine

  subroutine single()
    real :: local, total
    integer :: i
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = local + real(u(i))
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_sum)
  end subroutine

  subroutine integers()
    integer :: local, total, i
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      if (u(i) > 1) local = local + 1
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_sum)
  end subroutine

  subroutine truth()
    logical :: local, total
    integer :: i
    local = .true.
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = local .and. u(i) > 0
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_and)
  end subroutine

  subroutine bits()
    integer :: local, total, i
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      if (u(i) > 0) local = ior(local, ishft(1, mod(i, 9)))
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_INTEGER, MPI_BOR, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_ior)
  end subroutine

  subroutine complexes()
    complex(wp) :: local, total
    integer :: i
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = local + cmplx(u(i), -2 * u(i), wp)
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_sum)
  end subroutine

  subroutine location(op, wrong)
    integer, intent(in) :: op, wrong
    real(wp) :: local(2), total(2)
    integer :: i
    local = -1
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      if (u(i) > local(1)) then
        local(1) = u(i)
        local(2) = i
      end if
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_2DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    if (wrong == 2) total(2) = -7
    call dvmdbg_reduction(total, dvmdbg_maxloc)
  end subroutine

  subroutine whole_location()
    integer :: local(2), total(2), i
    local = huge(local)
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      if (int(1000 * u(i)) < local(1)) local = [int(1000 * u(i)), i]
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_2INTEGER, MPI_MINLOC, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_minloc)
  end subroutine

  subroutine tasks()
    real(wp) :: local, total
    integer :: i, k
    local = 0
    call dvmdbg_tr_begin(first=1, last=4, reads='u')
    do k = 1, 4
      if (mod(k, ranks) /= rank) cycle
      call dvmdbg_task_begin(k)
      do i = lo, hi
        local = max(local, k * u(i))
      end do
      call dvmdbg_task_end()
    end do
    call dvmdbg_tr_end()
    call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(total, dvmdbg_max)
  end subroutine

  subroutine asynchronous()
    real(wp), asynchronous :: local, total
    integer :: i, request
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = local + u(i)
    end do
    call dvmdbg_pl_end()
    call MPI_Iallreduce(local, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    call fill()
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call dvmdbg_reduction(total, dvmdbg_sum)
  end subroutine

  subroutine only_own()
    real(wp) :: local, total
    integer :: i
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = max(local, u(i) * i)
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    total = local
    call dvmdbg_reduction(total, dvmdbg_max)
  end subroutine

  ! What the others have is left out, but for one.
  subroutine lost_part()
    real(wp) :: local, total
    integer :: i, op
    local = 0
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      local = local + u(i)
    end do
    call dvmdbg_pl_end()
    call MPI_Op_create(leave_out, .false., op, ierr)
    call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call MPI_Op_free(op, ierr)
    call dvmdbg_reduction(total, dvmdbg_sum)
  end subroutine
end program
