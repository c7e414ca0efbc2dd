! SPDX-License-Identifier: GPL-3.0-or-later
! expect: CF0213|CF0217 sweep; processor
! Smooths the rows of a field. Planted: each row, which is not contiguous, is passed to a routine of
! the old kind, so that it is copied there and back each time.
module smoothing
  implicit none
contains
  subroutine smooth(row, n, weight)
    integer, intent(in) :: n
    real(8), intent(inout) :: row(n)
    real(8), intent(in) :: weight
    row(1) = row(1) * (1 - weight) + weight * row(n)
  end subroutine
end module

program strips
  use smoothing
  implicit none
  integer, parameter :: n = 1500
  real(8), allocatable :: field(:, :)
  integer :: turn

  allocate (field(n, n))
  call fill(field)
  do turn = 1, 120
    call sweep(field, 0.001d0 * turn)
  end do
  print '(f14.6)', sum(field)
contains
  subroutine fill(a)
    real(8), intent(out) :: a(:, :)
    integer :: i, j
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i, j) = mod(i * 7 + j * 13, 101) / 101d0
      end do
    end do
  end subroutine

  subroutine sweep(a, weight)
    real(8), intent(inout) :: a(:, :)
    real(8), intent(in) :: weight
    integer :: i
    do i = 1, size(a, 1)
#ifdef REPAIRED
      a(i, 1) = a(i, 1) * (1 - weight) + weight * a(i, size(a, 2))
#else
      call smooth(a(i, :), size(a, 2), weight)
#endif
    end do
  end subroutine
end program
