! SPDX-License-Identifier: GPL-3.0-or-later
! Cells of a gas, an allocatable array of a derived type: block|cyclic [the cell whose t is wrong on several ranks].
program fields_f
  use mpi
  use dvmdbg
  implicit none

  type place
    real(8) :: x, y
  end type
  type cell
    real(8) :: t, rho
    integer :: kind
    real :: v(3)
    type(place) :: at
  end type

  integer, parameter :: n = 24
  type(cell), allocatable :: p(:)
  type(cell) :: c
  integer :: rank, ranks, ierr, first, count, step, wrong, it
  character(len=20) :: text

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  step = 1
  wrong = -1
  call get_command_argument(1, text)
  if (text == 'cyclic') step = ranks
  call get_command_argument(2, text)
  if (text /= '' .and. ranks > 1) read (text, *) wrong
  count = n / ranks
  first = merge(rank + 1, rank * count + 1, step > 1)
  allocate(p(count))
  call dvmdbg_field(c, c%t, 't')
  call dvmdbg_field(c, c%rho, 'rho')
  call dvmdbg_field(c, c%kind, 'kind')
  call dvmdbg_field(c, c%v, 'v')
  call dvmdbg_field(c, c%at%x, 'at%x')
  call dvmdbg_field(c, c%at%y, 'at%y')
  if (step > 1) then
    call dvmdbg_array(p, 'p', shape=[n], index1=dvmdbg_cyclic(first, n, step))
  else
    call dvmdbg_array(p, 'p', shape=[n], own_lo=[first], own_hi=[first + count - 1])
  end if
  call fill()
  call dvmdbg_sl_begin(first=1, last=3)
  do it = 1, 3
    call dvmdbg_iteration(it)
    call advance()
  end do
  call dvmdbg_sl_end()
  print '(a,i0,a,f0.3)', 'rank ', rank, ': ', p(1)%t
  deallocate(p)
  call MPI_Finalize(ierr)

contains

  subroutine fill()
    integer :: k, g, d
    call dvmdbg_pl_begin(first=1, last=n, on=p, writes='p')
    do k = 1, count
      g = first + (k - 1) * step
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(g)
      p(k)%t = g
      p(k)%rho = 100 + g
      p(k)%kind = mod(g, 3)
      do d = 1, 3
        p(k)%v(d) = g * 10 + d
      end do
      p(k)%at = place(0.5d0 * g, -g)
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine advance()
    integer :: k, g
    call dvmdbg_pl_begin(first=1, last=n, on=p, writes='p%rho, p%t', reads='p%v')
    do k = 1, count
      g = first + (k - 1) * step
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(g)
      p(k)%t = p(k)%t + 1
      p(k)%rho = p(k)%rho + p(k)%v(2)
      if (g == wrong .and. it == 2) p(k)%t = p(k)%t + 0.25
    end do
    call dvmdbg_pl_end()
  end subroutine
end program
