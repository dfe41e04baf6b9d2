! SPDX-License-Identifier: GPL-3.0-or-later
! Errors of parallelisation in arrays and exchanges of many shapes, and near misses that have none: shapes CASE; "faults"
! are all that are wrong, "right" all that are not. The line that is wrong has the case's name in a comment.
module fields
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: n = 16, m = 5
  integer :: rank, size, ierr, before, behind, c0, c1, from, to
  ! The last dimension is distributed: columns with a halo of 1, planes with one of 2.
  real(8), allocatable, target :: u(:, :), v(:, :)
  real(8), allocatable :: w(:, :, :)
  type state
    real(8), allocatable :: h(:, :), q(:, :)
    real(8) :: mass, energy
  end type
  type(state), target :: s
  real(8), target :: total, worst
  real(8), target :: bins(3)
contains

  subroutine set_up()
    allocate (u(n, c0 - 1:c1 + 1), v(n, c0 - 1:c1 + 1), w(m, m, c0 - 2:c1 + 2), source=0d0)
    allocate (s%h(n, c0 - 1:c1 + 1), s%q(n, c0 - 1:c1 + 1), source=0d0)
    call dvmdbg_array(u, "u", shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
    call dvmdbg_array(v, "v", shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
    call dvmdbg_array(w, "w", shape=[m, m, n], own_lo=[1, 1, c0], own_hi=[m, m, c1], halo=[0, 0, 2])
    call dvmdbg_array(s%h, "s%h", shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
    call dvmdbg_array(s%q, "s%q", shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
    call fill()
  end subroutine

  subroutine clean_up()
    call dvmdbg_forget("u")
    call dvmdbg_forget("v")
    call dvmdbg_forget("w")
    call dvmdbg_forget("s%h")
    call dvmdbg_forget("s%q")
    deallocate (u, v, w, s%h, s%q)
  end subroutine

  subroutine fill()
    integer :: j
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u,v,w,s%h,s%q')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      u(:, j) = j
      v(:, j) = 1
      w(:, :, j) = 2
      s%h(:, j) = 3
      s%q(:, j) = 4
    end do
    call dvmdbg_pl_end()
    call renew(u)
    call renew(v)
    call renew(s%h)
    call renew(s%q)
    call renew_planes()
  end subroutine

  subroutine renew(a)
    real(8), intent(inout) :: a(n, c0 - 1:c1 + 1)
    call dvmdbg_halo_start(a)
    call MPI_Sendrecv(a(1, c0), n, MPI_DOUBLE_PRECISION, before, 1, a(1, c1 + 1), n, MPI_DOUBLE_PRECISION, behind, 1, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(1, c1), n, MPI_DOUBLE_PRECISION, behind, 2, a(1, c0 - 1), n, MPI_DOUBLE_PRECISION, before, 2, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call dvmdbg_halo(a)
  end subroutine

  ! Copies are sent, as section and whole array.
  subroutine renew_planes()
    real(8) :: out(m, m, 2), in(m, m, 2)
    call dvmdbg_halo_start(w)
    out = w(:, :, c0:c0 + 1)
    call MPI_Sendrecv(out, 2 * m * m, MPI_DOUBLE_PRECISION, before, 1, in, 2 * m * m, MPI_DOUBLE_PRECISION, behind, 1, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (behind /= MPI_PROC_NULL) w(:, :, c1 + 1:c1 + 2) = in
    out = w(:, :, c1 - 1:c1)
    call MPI_Sendrecv(out, 2 * m * m, MPI_DOUBLE_PRECISION, behind, 2, in, 2 * m * m, MPI_DOUBLE_PRECISION, before, 2, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (before /= MPI_PROC_NULL) w(:, :, c0 - 2:c0 - 1) = in
    call dvmdbg_halo(w)
  end subroutine

  ! ---- dependences ----

  subroutine columns(right)
    logical, intent(in) :: right
    integer :: j
    call dvmdbg_pl_begin(first=2, last=n - 1, on=u, writes='u')
    do j = from, to
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      if (right) then
        u(2:n, j) = u(1:n - 1, j)
      else
        u(:, j) = u(:, j - 1) + 1 ! columns
      end if
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine component(right)
    logical, intent(in) :: right
    integer :: i, j
    call dvmdbg_pl_begin(first=[2, 1], last=[n - 1, n], on=s%h, writes='s%h')
    do j = c0, c1
      do i = 2, n - 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        if (right) then
          s%h(i, j) = s%q(i - 1, j) + s%q(i + 1, j)
        else
          s%h(i, j) = s%h(i + 1, j) + s%q(i + 1, j) ! component
        end if
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! Both ways, one after the other.
  subroutine both_ways(right)
    logical, intent(in) :: right
    integer :: i, j
    call dvmdbg_across(v, below=[1, 0])
    call dvmdbg_pl_begin(first=[2, 1], last=[n, n], on=v, writes='v')
    do j = c0, c1
      do i = 2, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        v(i, j) = v(i - 1, j) + 1
      end do
    end do
    call dvmdbg_pl_end()
    if (right) call dvmdbg_across(v, above=[2, 0])
    if (.not. right) call dvmdbg_across(v, above=[1, 0])
    call dvmdbg_pl_begin(first=[1, 1], last=[n - 2, n], on=v, writes='v')
    do j = c0, c1
      do i = n - 2, 1, -1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        v(i, j) = v(i + 1, j) + v(i + 2, j) ! both-ways
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine parts_of_work(right)
    logical, intent(in) :: right
    integer :: k
    call dvmdbg_tr_begin(first=1, last=3, writes='u')
    do k = 1, 3
      if (right .and. k > 1) call dvmdbg_after(k - 1)
      call dvmdbg_task_begin(k)
      u(k:k + 3, c0) = k ! parts
      call dvmdbg_task_end()
    end do
    call dvmdbg_tr_end()
  end subroutine

  ! ---- what was not written ----

  subroutine last_one(right)
    logical, intent(in) :: right
    real(8), allocatable :: x(:)
    integer :: j
    allocate (x(n))
    x(1:n - 1) = 1
    if (right) x(n) = 2
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      u(:, j) = x ! last-one
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! Every other one is sent.
  subroutine section_sent(right)
    logical, intent(in) :: right
    real(8), allocatable :: x(:)
    real(8) :: got(8)
    allocate (x(8))
    x(1:8:2) = 1
    if (right) then
      call MPI_Sendrecv(x(1:8:2), 4, MPI_DOUBLE_PRECISION, rank, 1, got, 4, MPI_DOUBLE_PRECISION, rank, 1, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else
      call MPI_Sendrecv(x, 8, MPI_DOUBLE_PRECISION, rank, 1, got, 8, MPI_DOUBLE_PRECISION, rank, 1, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! section
    end if
    total = got(4)
  end subroutine

  subroutine moved(right)
    logical, intent(in) :: right
    real(8), allocatable :: x(:), y(:)
    integer :: j
    allocate (x(4), source=1d0)
    allocate (y(8))
    y(1:4) = x
    if (right) y(5:) = 0
    call move_alloc(y, x)
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      u(1, j) = sum(x) ! moved
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! ---- what is not distributed ----

  subroutine two_sums(right)
    logical, intent(in) :: right
    real(8) :: mine(2)
    integer :: j
    s%mass = 0
    s%energy = 0
    call dvmdbg_pl_begin(first=1, last=n, on=s%h, reads='s%h')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      s%mass = s%mass + sum(s%h(:, j))
      s%energy = s%energy + sum(s%h(:, j)**2) ! two-sums
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(MPI_IN_PLACE, s%mass, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (right) call MPI_Allreduce(MPI_IN_PLACE, s%energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    mine = [s%mass, s%energy]
  end subroutine

  subroutine largest(right)
    logical, intent(in) :: right
    integer :: j
    real(8) :: pair(2)
    worst = -1
    if (right) call dvmdbg_reduces(worst)
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      worst = max(worst, maxval(u(:, j))) ! largest
    end do
    call dvmdbg_pl_end()
    pair = [worst, real(rank, 8)]
    if (right) call MPI_Allreduce(MPI_IN_PLACE, pair, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
    worst = pair(1)
  end subroutine

  subroutine scratch(right)
    logical, intent(in) :: right
    real(8), allocatable :: x(:)
    integer :: j
    allocate (x(n), source=0d0)
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      if (right) x = 0
      x(2:) = x(2:) + u(2:, j) ! scratch
      u(2:, j) = x(2:)
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! Of a variable on the stack.
  subroutine own_room(right)
    logical, intent(in) :: right
    real(8), target :: room(3)
    integer :: j
    room = 0
    call dvmdbg_private(room)
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      call set(room, merge(2, 3, mod(j, 8) == 3 .and. .not. right))
      u(1, j) = room(3) ! own-room
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine set(x, k)
    integer, intent(in) :: k
    real(8), intent(inout) :: x(k)
    x = k
  end subroutine

  ! ---- before a reduction is complete ----

  subroutine early(right)
    logical, intent(in) :: right
    integer :: j
    bins = [0, 0, 9]
    call dvmdbg_reduces(bins(1:2))
    call dvmdbg_pl_begin(first=1, last=n, on=u, reads='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      bins(1 + mod(j, 2)) = bins(1 + mod(j, 2)) + u(1, j)
    end do
    call dvmdbg_pl_end()
    call dvmdbg_reduction_start(bins(1:2))
    if (right) total = bins(3)
    if (.not. right) total = sum(bins) ! early
    call MPI_Allreduce(MPI_IN_PLACE, bins, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(bins(1:2), dvmdbg_sum)
    total = sum(bins)
  end subroutine

  ! ---- outside of the array, of another processor ----

  subroutine beyond(right)
    logical, intent(in) :: right
    integer :: j
    call dvmdbg_pl_begin(first=1, last=n, on=v, writes='v')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      v(:, j) = u(:, merge(j, j + 2, right .or. j < n)) ! beyond
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine third_plane(right)
    logical, intent(in) :: right
    integer :: j, away
    away = merge(2, 3, right)
    call dvmdbg_pl_begin(first=1, last=n - 3, on=v, writes='v')
    do j = c0, min(c1, n - 3)
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      v(1, j) = w(1, 1, j + away) ! third-plane
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! The loop's first index is the array's second.
  subroutine mapped(right)
    logical, intent(in) :: right
    integer :: i, j
    if (right) call dvmdbg_pl_begin(first=[2, 1], last=[n - 1, n], on=v, writes='v', shift=[0, 1], by=[2, 1])
    if (.not. right) call dvmdbg_pl_begin(first=[2, 1], last=[n - 1, n], on=v, writes='v', shift=[0, -1], by=[2, 1])
    do j = max(c0, 3), c1
      do i = 1, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(j - 1, i)
        v(i, j) = u(i, j) ! mapped
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! ---- a halo that is written ----

  subroutine pairs(right)
    logical, intent(in) :: right
    integer :: j
    call dvmdbg_pl_begin(first=1, last=n - 1, on=v, writes='v')
    do j = merge(c0, c0 + 1, right), min(c1, n - 1), 2
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      v(:, j:j + 1) = 5 ! pairs
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! ---- halos that are stale, and what is sent ----

  subroutine one_component(right)
    logical, intent(in) :: right
    integer :: j
    call dvmdbg_pl_begin(first=1, last=n, on=s%h, writes='s%h,s%q')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      s%h(:, j) = 5
      s%q(:, j) = 6
    end do
    call dvmdbg_pl_end()
    call renew(s%h)
    if (right) call renew(s%q)
    call dvmdbg_pl_begin(first=2, last=n - 1, on=u, writes='u')
    do j = from, to
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      u(:, j) = s%h(:, j + 1) - s%q(:, j + 1) ! one-component
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine changed(right)
    logical, intent(in) :: right
    real(8) :: out(n), in(n)
    integer :: j
    call dvmdbg_halo_start(u)
    out = u(:, c1)
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      if (j == 8 .and. .not. right) u(3:5, j) = 0 ! changed
      if (j == 7) u(3:5, j) = 0
    end do
    call dvmdbg_pl_end()
    call MPI_Sendrecv(out, n, MPI_DOUBLE_PRECISION, behind, 2, in, n, MPI_DOUBLE_PRECISION, before, 2, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (before /= MPI_PROC_NULL) u(:, c0 - 1) = in
    call dvmdbg_halo(u)
  end subroutine

  subroutine remote(right)
    logical, intent(in) :: right
    real(8), allocatable :: x(:, :)
    integer :: j
    allocate (x(3, n), source=0d0)
    call dvmdbg_remote(x)
    if (right) x = 2
    if (.not. right) x(:, :n - 1) = 2
    call dvmdbg_pl_begin(first=1, last=n, on=u, writes='u')
    do j = c0, c1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(j)
      u(1:3, j) = x(:, n + 1 - j) ! remote
    end do
    call dvmdbg_pl_end()
  end subroutine
end module

program shapes
  use fields
  implicit none
  character(len=32) :: wanted
  integer :: k
  call get_command_argument(1, wanted)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  behind = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
  c0 = n * rank / size + 1
  c1 = n * (rank + 1) / size
  from = max(c0, 2)
  to = min(c1, n - 1)
  do k = 1, 19
    call try(k, .false.)
    call try(k, .true.)
  end do
  call MPI_Finalize(ierr)

contains

  subroutine try(k, right)
    integer, intent(in) :: k
    logical, intent(in) :: right
    character(len=16), parameter :: name(19) = [character(len=16) :: 'columns', 'component', 'both-ways', 'parts', &
      'last-one', 'section', 'moved', 'two-sums', 'largest', 'scratch', 'early', 'beyond', 'third-plane', 'mapped', &
      'pairs', 'one-component', 'changed', 'remote', 'own-room']
    if (right .and. wanted /= 'right' .and. wanted /= 'right-'//name(k)) return
    if (.not. right .and. wanted /= 'faults' .and. wanted /= name(k)) return
    call set_up()
    select case (k)
    case (1); call columns(right)
    case (2); call component(right)
    case (3); call both_ways(right)
    case (4); call parts_of_work(right)
    case (5); call last_one(right)
    case (6); call section_sent(right)
    case (7); call moved(right)
    case (8); call two_sums(right)
    case (9); call largest(right)
    case (10); call scratch(right)
    case (11); call early(right)
    case (12); call beyond(right)
    case (13); call third_plane(right)
    case (14); call mapped(right)
    case (15); call pairs(right)
    case (16); call one_component(right)
    case (17); call changed(right)
    case (18); call remote(right)
    case (19); call own_room(right)
    end select
    call clean_up()
  end subroutine
end program
