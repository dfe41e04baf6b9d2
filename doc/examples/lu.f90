! SPDX-License-Identifier: BSD-3-Clause
! LU: implicit steps by symmetric successive over-relaxation, in the manner of the LU benchmark.
!   lu [N [STEPS]] [--fault NAME]; lu --fault list; lu --help
!
! Sound in a moving gas: five unknowns (pressure, three velocities, entropy) at N x N x N points,
! zero on the rim. A step takes the right-hand side from differences of the fluxes in three
! directions, solves a lower and an upper triangular system, and adds the answer. Each point of
! these needs its neighbours before it: columns of i and j lie in blocks on a grid of ranks, and
! the sweeps go plane by plane of k, each rank a plane behind those before it.
!
! A driving force makes the sound pulsate in a known way, cos(beat * t) * wave(i, j, k), so the
! program knows the right answer. All arrays have the same bits on any number of ranks; the
! residual norms come from sums and differ in the last ones.
program lu
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0)
  real(wp), parameter :: omega = 1.2d0, beat = 0.3d0
  real(wp), parameter :: sound = 1, wind(3) = [0.5d0, 0.3d0, 0.2d0]
  integer, target :: n = 48, steps = 60
  real(wp), target :: dt, rsdnm(5) = 0
  real(wp), allocatable, target :: u(:, :, :, :)      ! the unknowns
  real(wp), allocatable, target :: rsd(:, :, :, :)    ! right-hand side, then the sweeps' answer
  real(wp), allocatable, target :: flux(:, :, :, :)   ! in one direction at a time
  real(wp), allocatable, target :: force(:, :, :, :), push(:, :, :, :) ! of the driving force
  real(wp), allocatable :: edge_i(:, :), edge_j(:, :) ! what came from the neighbours for a plane
  real(wp) :: jac(5, 5, 3), low(5, 5, 3), up(5, 5, 3) ! flux; weights of points before and behind
  real(wp) :: diag, gain, r2h, rvisc, due(5), seconds
  integer :: rank, ranks, grid, west, east, south, north
  integer :: i0, i1, j0, j1     ! what this rank owns
  integer :: ib, ie, jb, je     ! of these, what is inside the rim
  integer :: t, ierr
  logical :: right
  character(len=32) :: fault = ''

  call options()
  call setup()
  call dvmdbg_function_begin('lu')
  call dvmdbg_replicated(n, 'n')
  call dvmdbg_replicated(steps, 'steps')
  call dvmdbg_replicated(dt, 'dt')
  call dvmdbg_replicated(rsdnm, 'rsdnm')
  call register(u, 'u', 1)
  call register(rsd, 'rsd', 1)
  call register(flux, 'flux', 1)
  call register(force, 'force', 0)
  call register(push, 'push', 0)
  call start()

  seconds = MPI_Wtime()
  call dvmdbg_sl_begin(first=1, last=steps)
  do t = 1, steps
    call dvmdbg_iteration(t)
    call right_hand_side()
    call norms()
    call lower_sweep()
    call upper_sweep()
    call update()
  end do
  call dvmdbg_sl_end()
  seconds = MPI_Wtime() - seconds

  right = check()
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)
  if (.not. right) stop 1

contains

  ! Tells the debugger an array with a halo of so many columns in i and j.
  subroutine register(a, name, halo)
    real(wp), intent(in), target :: a(:, :, :, :)
    character(len=*), intent(in) :: name
    integer, intent(in) :: halo
    call dvmdbg_array(a, name, shape=[5, n, n, n], own_lo=[1, i0, j0, 1], own_hi=[5, i1, j1, n], &
      halo=[0, halo, halo, 0])
  end subroutine

  ! What the sound is when t is 0.
  pure function wave(i, j, k)
    integer, intent(in) :: i, j, k
    real(wp) :: wave(5), x, y, z
    real(wp), parameter :: a(5, 4) = reshape([1d0, 2d0, -1d0, 1d0, 2d0, 1d0, -3d0, 2d0, 1d0, 3d0, &
      -2d0, 1d0, 3d0, -1d0, 1d0, 3d0, 1d0, -2d0, 2d0, -1d0], [5, 4])
    x = real(i - 1, wp) / (n - 1)
    y = real(j - 1, wp) / (n - 1)
    z = real(k - 1, wp) / (n - 1)
    wave = 64d3 * (x * (1 - x)) * (y * (1 - y)) * (z * (1 - z)) &
      * (a(:, 1) + a(:, 2) * x + a(:, 3) * y + a(:, 4) * z)
  end function

  ! A matrix of five rows times the unknowns of a point.
  pure function times(a, v)
    real(wp), intent(in) :: a(5, 5), v(5)
    real(wp) :: times(5)
    times = a(:, 1) * v(1) + a(:, 2) * v(2) + a(:, 3) * v(3) + a(:, 4) * v(4) + a(:, 5) * v(5)
  end function

  ! The wave after the upper triangular matrix (scaled: 1 on its diagonal); zero on the rim.
  pure function halfway(i, j, k)
    integer, intent(in) :: i, j, k
    real(wp) :: halfway(5)
    halfway = 0
    if (min(i, j, k) > 1) halfway = wave(i, j, k) &
      + omega / diag * (times(up(:, :, 1), wave(i + 1, j, k)) &
      + times(up(:, :, 2), wave(i, j + 1, k)) + times(up(:, :, 3), wave(i, j, k + 1)))
  end function

  ! The wave, and the force that keeps it pulsating: one part (force) against its own fluxes, the
  ! other (push) for what the sweeps are to make of it.
  subroutine start()
    integer :: i, j, k
    real(wp) :: local(5)
    logical :: corner
    call dvmdbg_function_begin('start')
    corner = fault == 'uninitialised-corner' .and. rank < ranks - 1

    call dvmdbg_pl_begin(first=[1, 1, 1], last=[n, n, n], on=u, writes='u')
    do k = 1, n
      do j = j0, j1
        do i = i0, i1
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
          if (corner .and. i == ie .and. j == je) cycle
          u(:, i, j, k) = wave(i, j, k)
        end do
      end do
    end do
    call dvmdbg_pl_end()

    local = 0
    call dvmdbg_pl_begin(first=[2, 2, 2], last=[n - 1, n - 1, n - 1], on=force, writes='force,push')
    do k = 2, n - 1
      do j = jb, je
        do i = ib, ie
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
          force(:, i, j, k) = 6 * rvisc * wave(i, j, k) &
            + times(low(:, :, 1), wave(i - 1, j, k)) + times(up(:, :, 1), wave(i + 1, j, k)) &
            + times(low(:, :, 2), wave(i, j - 1, k)) + times(up(:, :, 2), wave(i, j + 1, k)) &
            + times(low(:, :, 3), wave(i, j, k - 1)) + times(up(:, :, 3), wave(i, j, k + 1))
          push(:, i, j, k) = (diag * halfway(i, j, k) &
            + omega * (times(low(:, :, 1), halfway(i - 1, j, k)) &
            + times(low(:, :, 2), halfway(i, j - 1, k)) &
            + times(low(:, :, 3), halfway(i, j, k - 1)))) &
            / (omega * (2 - omega))
          local = local + push(:, i, j, k)**2
        end do
      end do
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local(1), due(1), 5, MPI_DOUBLE_PRECISION, MPI_SUM, grid, ierr)
    due = sqrt(due / real(n - 2, wp)**3)
    call dvmdbg_function_end()
  end subroutine

  ! rsd: the driving force less the differences of fluxes, plus the viscous part.
  subroutine right_hand_side()
    integer :: i, j, k, d, di, dj, dk, cut
    real(wp) :: g, dg
    call dvmdbg_function_begin('right_hand_side')
    g = cos(beat * (t - 1))
    dg = cos(beat * t) - g
    call renew(u, 1)
    call renew(u, 2)

    call dvmdbg_pl_begin(first=[2, 2, 2], last=[n - 1, n - 1, n - 1], on=rsd, writes='rsd')
    do k = 2, n - 1
      do j = jb, je
        do i = ib, ie
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
          rsd(:, i, j, k) = force(:, i, j, k) * g + push(:, i, j, k) * dg
        end do
      end do
    end do
    call dvmdbg_pl_end()

    cut = merge(1, 0, fault == 'off-by-one' .and. east /= MPI_PROC_NULL)
    do d = 1, 3
      call dvmdbg_pl_begin(first=[1, 1, 1], last=[n, n, n], on=flux, writes='flux')
      do k = 1, n
        do j = j0, j1
          do i = i0, i1 - cut
            if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
            flux(:, i, j, k) = times(jac(:, :, d), u(:, i, j, k))
          end do
        end do
      end do
      call dvmdbg_pl_end()
      if (fault /= 'missing-flux-halo' .or. d /= 1) call renew(flux, d)

      di = merge(1, 0, d == 1)
      dj = merge(1, 0, d == 2)
      dk = merge(1, 0, d == 3)
      call dvmdbg_pl_begin(first=[2, 2, 2], last=[n - 1, n - 1, n - 1], on=rsd, writes='rsd')
      do k = 2, n - 1
        do j = jb, je
          do i = ib, ie
            if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
            rsd(:, i, j, k) = rsd(:, i, j, k) &
              - r2h * (flux(:, i + di, j + dj, k + dk) - flux(:, i - di, j - dj, k - dk)) &
              + rvisc * (u(:, i + di, j + dj, k + dk) - 2 * u(:, i, j, k) &
            + u(:, i - di, j - dj, k - dk))
          end do
        end do
      end do
      call dvmdbg_pl_end()
    end do
    call dvmdbg_function_end()
  end subroutine

  ! The root of the mean square of rsd, for each unknown.
  subroutine norms()
    integer :: i, j, k
    real(wp) :: local(5), all(5)
    call dvmdbg_function_begin('norms')
    local = 0
    call dvmdbg_pl_begin(first=[2, 2, 2], last=[n - 1, n - 1, n - 1], on=rsd, reads='rsd')
    do k = 2, n - 1
      do j = jb, je
        do i = ib, ie
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
          local = local + rsd(:, i, j, k)**2
        end do
      end do
    end do
    call MPI_Allreduce(local(1), all(1), 5, MPI_DOUBLE_PRECISION, &
      merge(MPI_MAX, MPI_SUM, fault == 'wrong-reduction'), grid, ierr)
    call dvmdbg_reduction(all, dvmdbg_sum)
    rsdnm = sqrt(all / real(n - 2, wp)**3)
    call dvmdbg_pl_end()
    call dvmdbg_function_end()
  end subroutine

  ! Solves the lower triangular system, from the first plane and the west and south on.
  subroutine lower_sweep()
    integer :: i, j, k
    logical :: early
    call dvmdbg_function_begin('lower_sweep')
    early = fault == 'missing-wait'
    call dvmdbg_across(rsd, below=1); call dvmdbg_pl_begin(first=[2, 2, 2], last=[n - 1, n - 1, n - 1], on=rsd, writes='rsd')
    do k = 2, n - 1
      ! Without a wait the edges are those of the plane before.
      if (early) call take(k, i0 - 1, j0 - 1, west, south)
      call receive(k, west, south)
      if (.not. early) call take(k, i0 - 1, j0 - 1, west, south)
      do j = jb, je
        do i = ib, ie
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
          rsd(:, i, j, k) = (rsd(:, i, j, k) &
            - omega * (times(low(:, :, 1), rsd(:, i - 1, j, k)) &
            + times(low(:, :, 2), rsd(:, i, j - 1, k)) &
            + times(low(:, :, 3), rsd(:, i, j, k - 1)))) / diag
        end do
      end do
      if (dvmdbg_hooked) call dvmdbg_pl_iteration_end()
      call pass_on(k, i1, j1, east, north)
    end do
    call dvmdbg_pl_end()
    call dvmdbg_function_end()
  end subroutine

  ! Solves the upper triangular system, from the last plane and the east and north back.
  subroutine upper_sweep()
    integer :: i, j, k
    call dvmdbg_function_begin('upper_sweep')
    call dvmdbg_across(rsd, above=1); call dvmdbg_pl_begin(first=[2, 2, 2], last=[n - 1, n - 1, n - 1], on=rsd, writes='rsd')
    do k = n - 1, 2, -1
      call receive(k, east, north)
      call take(k, i1 + 1, j1 + 1, east, north)
      do j = je, jb, -1
        do i = ie, ib, -1
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
          rsd(:, i, j, k) = rsd(:, i, j, k) &
            - omega / diag * (times(up(:, :, 1), rsd(:, i + 1, j, k)) &
            + times(up(:, :, 2), rsd(:, i, j + 1, k)) + times(up(:, :, 3), rsd(:, i, j, k + 1)))
        end do
      end do
      if (dvmdbg_hooked) call dvmdbg_pl_iteration_end()
      call pass_on(k, i0, j0, west, south)
    end do
    call dvmdbg_pl_end()
    call dvmdbg_function_end()
  end subroutine

  subroutine update()
    integer :: i, j, k
    call dvmdbg_function_begin('update')
    call dvmdbg_pl_begin(first=[2, 2, 2], last=[n - 1, n - 1, n - 1], on=u, writes='u')
    do k = 2, n - 1
      do j = jb, je
        do i = ib, ie
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j, k)
          u(:, i, j, k) = u(:, i, j, k) + gain * rsd(:, i, j, k)
        end do
      end do
    end do
    call dvmdbg_pl_end()
    call dvmdbg_function_end()
  end subroutine

  ! Waits for the edges of plane k from both neighbours before this rank.
  subroutine receive(k, from_i, from_j)
    integer, intent(in) :: k, from_i, from_j
    integer :: requests(2)
    call MPI_Irecv(edge_i(1, j0), size(edge_i), MPI_DOUBLE_PRECISION, from_i, k, grid, &
      requests(1), ierr)
    call MPI_Irecv(edge_j(1, i0), size(edge_j), MPI_DOUBLE_PRECISION, from_j, k, grid, &
      requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  end subroutine

  ! Puts the edges into the halo of rsd at column i and row j.
  subroutine take(k, i, j, from_i, from_j)
    integer, intent(in) :: k, i, j, from_i, from_j
    if (from_i /= MPI_PROC_NULL) rsd(:, i, j0:j1, k) = edge_i
    if (from_j /= MPI_PROC_NULL) rsd(:, i0:i1, j, k) = edge_j
  end subroutine

  ! Sends column i and row j of plane k to both neighbours behind this rank.
  subroutine pass_on(k, i, j, to_i, to_j)
    integer, intent(in) :: k, i, j, to_i, to_j
    real(wp) :: column(5, j0:j1), row(5, i0:i1)
    column = rsd(:, i, j0:j1, k)
    row = rsd(:, i0:i1, j, k)
    call MPI_Send(column(1, j0), size(column), MPI_DOUBLE_PRECISION, to_i, k, grid, ierr)
    call MPI_Send(row(1, i0), size(row), MPI_DOUBLE_PRECISION, to_j, k, grid, ierr)
  end subroutine

  ! Renews the halo in direction d: 1 in i, 2 in j; in k no point is on another rank.
  subroutine renew(a, d)
    real(wp), intent(inout) :: a(5, i0 - 1:i1 + 1, j0 - 1:j1 + 1, n)
    integer, intent(in) :: d
    real(wp), allocatable :: first(:, :, :), last(:, :, :), before(:, :, :), behind(:, :, :)
    integer :: order(3)
    if (d == 1) then
      first = a(:, i0, j0:j1, :)
      last = a(:, i1, j0:j1, :)
      call exchange(west, east, first, last, before, behind)
      order = [1, 2, 3]
      if (fault == 'swapped-index') order = [1, 3, 2]
      if (west /= MPI_PROC_NULL) &
        a(:, i0 - 1, j0:j1, :) = reshape(before, shape(before), order=order)
      if (east /= MPI_PROC_NULL) a(:, i1 + 1, j0:j1, :) = behind
    else if (d == 2) then
      first = a(:, i0:i1, j0, :)
      last = a(:, i0:i1, j1, :)
      call exchange(south, north, first, last, before, behind)
      if (south /= MPI_PROC_NULL) a(:, i0:i1, j0 - 1, :) = before
      if (north /= MPI_PROC_NULL) a(:, i0:i1, j1 + 1, :) = behind
    end if; call dvmdbg_halo(a)
  end subroutine

  ! Sends the first plane to prev and the last to next; before and behind are what these sent.
  subroutine exchange(prev, next, first, last, before, behind)
    integer, intent(in) :: prev, next
    real(wp), intent(in), contiguous :: first(:, :, :), last(:, :, :)
    real(wp), intent(out), allocatable :: before(:, :, :), behind(:, :, :)
    allocate (before, behind, mold=first)
    call MPI_Sendrecv(first(1, 1, 1), size(first), MPI_DOUBLE_PRECISION, prev, 1, &
      behind(1, 1, 1), size(behind), MPI_DOUBLE_PRECISION, next, 1, grid, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(last(1, 1, 1), size(last), MPI_DOUBLE_PRECISION, next, 2, &
      before(1, 1, 1), size(before), MPI_DOUBLE_PRECISION, prev, 2, grid, MPI_STATUS_IGNORE, ierr)
  end subroutine

  ! Compares with the right answer and prints the verdict, the same on all ranks.
  logical function check()
    integer :: i, j, k
    real(wp) :: local, worst, off, dg
    local = 0
    do k = 1, n
      do j = j0, j1
        do i = i0, i1
          off = maxval(abs(u(:, i, j, k) - cos(beat * steps) * wave(i, j, k)))
          if (.not. off <= local) local = off
        end do
      end do
    end do
    call MPI_Allreduce(local, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid, ierr)
    dg = abs(cos(beat * steps) - cos(beat * (steps - 1)))
    check = worst < 1d-8
    if (steps > 0) check = check .and. all(abs(rsdnm - dg * due) < 1d-10 * due)
    if (rank == 0) print '(a,3(i0,a),es7.1,a,5(1x,es9.3),a,f8.3,a)', 'lu: n ', n, ', ', steps, &
      ' steps, ', ranks, ' ranks: error ', worst, ', residuals', rsdnm, ',', seconds, &
      trim(merge(' s OK   ', ' s WRONG', check))
  end function

  ! Starts MPI and takes this rank's block and the constants.
  subroutine setup()
    integer :: dims(2), at(2), d, m
    real(wp) :: h, visc
    call MPI_Init(ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .false., grid, ierr)
    call MPI_Comm_rank(grid, rank, ierr)
    call MPI_Cart_coords(grid, rank, 2, at, ierr)
    call MPI_Cart_shift(grid, 0, 1, west, east, ierr)
    call MPI_Cart_shift(grid, 1, 1, south, north, ierr)
    if (n < dims(1)) then
      if (rank == 0) write (error_unit, '(a,i0,a,i0,a)') 'lu: ', n, ' columns are too few for ', &
        ranks, ' ranks'
      call MPI_Finalize(ierr)
      stop 2
    end if
    i0 = n * at(1) / dims(1) + 1
    i1 = n * (at(1) + 1) / dims(1)
    j0 = n * at(2) / dims(2) + 1
    j1 = n * (at(2) + 1) / dims(2)
    ib = max(i0, 2)
    ie = min(i1, n - 1)
    jb = max(j0, 2)
    je = min(j1, n - 1)
    allocate (u(5, i0 - 1:i1 + 1, j0 - 1:j1 + 1, n), source=0d0)
    allocate (rsd, flux, source=u)
    allocate (force(5, i0:i1, j0:j1, n), push(5, i0:i1, j0:j1, n), source=0d0)
    allocate (edge_i(5, j0:j1), edge_j(5, i0:i1), source=0d0)

    h = 1d0 / (n - 1)
    visc = h
    dt = 2 * h
    r2h = dt / (2 * h)
    rvisc = dt * visc / h**2
    diag = 1 + 6 * rvisc
    gain = omega * (2 - omega)
    if (fault == 'rank-constant' .and. rank == ranks - 1 .and. ranks > 1) gain = 1
    jac = 0
    do d = 1, 3
      jac(1, d + 1, d) = sound
      jac(d + 1, 1, d) = sound
      do m = 1, 5
        jac(m, m, d) = wind(d)
      end do
      low(:, :, d) = -r2h * jac(:, :, d)
      up(:, :, d) = r2h * jac(:, :, d)
      do m = 1, 5
        low(m, m, d) = low(m, m, d) - rvisc
        up(m, m, d) = up(m, m, d) - rvisc
      end do
    end do
  end subroutine

  subroutine options()
    character(len=32) :: word
    character(len=*), parameter :: names = ' missing-flux-halo wrong-reduction swapped-index '// &
      'uninitialised-corner rank-constant off-by-one missing-wait list '
    integer :: k, given, bad
    logical :: named
    named = .false.
    given = 0
    do k = 1, command_argument_count()
      call get_command_argument(k, word)
      bad = 0
      if (named) then
        fault = word
        if (index(names, ' '//trim(word)//' ') == 0) bad = 1
        named = .false.
      else if (word == '--help') then
        call usage(output_unit)
        stop
      else if (word == '--fault') then
        named = .true.
        if (k == command_argument_count()) bad = 1
      else
        given = given + 1
        if (given == 1) read (word, *, iostat=bad) n
        if (given == 2) read (word, *, iostat=bad) steps
        if (given > 2 .or. n < 8 .or. n > 1000 .or. steps < 0) bad = 1
      end if
      if (bad /= 0) then
        write (error_unit, '(2a)') 'lu: not understood: ', trim(word)
        call usage(error_unit)
        stop 2
      end if
    end do
    if (fault == 'list') then
      call list_faults()
      stop
    end if
  end subroutine

  subroutine usage(to)
    integer, intent(in) :: to
    write (to, '(a)') 'usage: lu [N [STEPS]] [--fault NAME]', &
      'Sound at N x N x N points (8 to 1000, else 48), STEPS steps (60), on any number of MPI', &
      'ranks. It knows the right answer and says OK or, with exit status 1, WRONG.', &
      '  --fault NAME   with a fault: it shows on 2, 4 and more ranks, but not on one', &
      '  --fault list   the faults, one a line, with tabs between: name, array, first wrong', &
      '                 element, and file:line of the parallel loop that first leaves it wrong;', &
      '                 elements are those of 4 ranks (2 x 2) and the given N'
  end subroutine

  ! Where a debugger should find the first wrong value.
  subroutine list_faults()
    integer :: half
    half = n / 2
    call list('missing-flux-halo', 'rsd', [1, half, 2, 2], 195)
    call list('wrong-reduction', 'rsdnm', [1], 218)
    call list('swapped-index', 'rsd', [1, half + 1, 2, 2], 195)
    call list('uninitialised-corner', 'u', [1, half, half, 2], 120)
    call list('rank-constant', 'u', [1, half + 1, half + 1, 2], 289)
    call list('off-by-one', 'flux', [1, half, 2, 2], 180)
    call list('missing-wait', 'rsd', [1, half + 1, 2, 2], 241)
  end subroutine

  subroutine list(name, array, at, line)
    character(len=*), intent(in) :: name, array
    integer, intent(in) :: at(:), line
    character, parameter :: tab = achar(9)
    write (*, '(*(g0))', advance='no') name, tab, array, tab, array, '(', at(1)
    if (size(at) > 1) write (*, '(*(:",",i0))', advance='no') at(2:)
    write (*, '(*(g0))') ')', tab, 'lu.f90:', line
  end subroutine
end program
