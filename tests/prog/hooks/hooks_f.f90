! SPDX-License-Identifier: GPL-3.0-or-later
!
! Loops whose accesses can be counted by hand, for hooks.sh, which links hooks_count.c. Only those of the arrays
! are counted. Numbers are whole, so sums are exact.
module kernels
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 10
  ! One block of memory, so that its accesses are counted together.
  type :: block
    real(8) :: u(n, n), v(n, n), w(n, n), s
  end type
  type(block), target, save :: d
  real(8), allocatable, target :: a(:, :)

  interface
    subroutine count_begin(p, bytes) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: p
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine count_end(name) bind(c)
      import :: c_char
      character(kind=c_char) :: name(*)
    end subroutine
  end interface

contains
  subroutine fill()
    integer :: i, j
    d%s = 0
    do j = 1, n
      do i = 1, n
        d%u(i, j) = i + j - 2
        d%v(i, j) = i + j - 2
        d%w(i, j) = i + j - 2
        a(i, j) = i + j - 2
      end do
    end do
  end subroutine

  subroutine count(name)
    character(*), intent(in) :: name
    call count_end(name//c_null_char)
    call fill()
    call count_begin(c_loc(d), storage_size(d, c_size_t) / 8)
  end subroutine

  ! 64 elements: 5 reads and a write each.
  subroutine stencil(n, u, v)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n, n)
    real(8), intent(inout) :: v(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        v(i, j) = u(i, j) + u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)
      end do
    end do
  end subroutine

  ! The same of an array of the module, bounds known.
  subroutine stencil_module()
    integer :: i, j
    do j = 2, 9
      do i = 2, 9
        d%v(i, j) = a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)
      end do
    end do
  end subroutine

  subroutine in_place(n, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        u(i, j) = u(i, j) + u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)
      end do
    end do
  end subroutine

  ! Its sum lies in memory: read and written each time.
  subroutine reduce(n, u, s)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n)
    real(8), intent(inout) :: s
    integer :: i
    do i = 1, n
      s = s + u(i)
    end do
  end subroutine

  subroutine multiply(n, x, y, z)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n, n), y(n, n)
    real(8), intent(inout) :: z(n, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, n
        do k = 1, n
          z(i, j) = z(i, j) + x(i, k) * y(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine whole_zero(n, v)
    integer, intent(in) :: n
    real(8), intent(out) :: v(n, n)
    v = 0
  end subroutine

  subroutine whole_copy(n, v, u)
    integer, intent(in) :: n
    real(8), intent(out) :: v(n, n)
    real(8), intent(in) :: u(n, n)
    v = u
  end subroutine

  subroutine section(n, v, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(:, :)
    real(8), intent(in) :: u(:, :)
    v(2:n - 1, 3) = u(2:n - 1, 4) + 1
  end subroutine

  subroutine masked(n, v, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    real(8), intent(in) :: u(n)
    integer :: i
    do i = 1, n
      if (u(i) > 4) v(i) = 1
    end do
  end subroutine

  ! What does not change may be read once.
  subroutine scale(n, v, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    real(8), intent(in) :: c
    integer :: i
    do i = 1, n
      v(i) = v(i) * c
    end do
  end subroutine

  ! A section with gaps is passed as a copy, which is copied back.
  subroutine packed(n, m, v)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: v(n, m)
    integer :: i, j
    do j = 1, m
      do i = 1, n
        v(i, j) = v(i, j) * 2
      end do
    end do
  end subroutine
end module

program hooks_f
  use kernels
  implicit none
  integer :: m = n
  allocate (a(n, n))
  call fill()
  call count_begin(c_loc(d), storage_size(d, c_size_t) / 8)
  call stencil(m, d%u, d%v); call count("stencil")
  call stencil_module(); call count("module")
  call in_place(m, d%u); call count("in-place")
  call reduce(m, d%u(:, 2), d%s); call count("reduce")
  call multiply(m, d%u, d%v, d%w); call count("multiply")
  call whole_zero(m, d%v); call count("zero")
  call whole_copy(m, d%v, d%u); call count("copy")
  call section(m, d%v, d%u); call count("section")
  call masked(m, d%v(:, 1), d%u(:, 1)); call count("masked")
  call packed(m / 2, m, d%w(::2, :)); call count("packed")
  call scale(m, d%v(:, 1), d%u(1, 2)); call count_end("scale"//c_null_char)
  call fill()
  call count_begin(c_loc(a), storage_size(a, c_size_t) / 8 * size(a))
  call stencil_module(); call count_end("allocated"//c_null_char)
  deallocate (a)
end program
