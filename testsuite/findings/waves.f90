! SPDX-License-Identifier: GPL-3.0-or-later
! expect: CF0213 advance; processor
! A wave on a membrane. Planted: arrays of Fortran lie by columns, and the inner loop goes along a row.
module membrane
  implicit none
  integer, parameter :: n = 2400
  real, allocatable :: before(:,:), now(:,:), after(:,:)
contains
  subroutine start()
    integer :: i, j
    allocate(before(n, n), now(n, n), after(n, n))
    do j = 1, n
      do i = 1, n
        now(i, j) = exp(-((i - n / 2.0)**2 + (j - n / 3.0)**2) / 900.0)
        before(i, j) = now(i, j)
      end do
    end do
    after = 0
  end subroutine

  subroutine advance(c)
    real, intent(in) :: c
    integer :: i, j
#ifdef REPAIRED
    do j = 2, n - 1
      do i = 2, n - 1
#else
    do i = 2, n - 1
      do j = 2, n - 1
#endif
        after(i, j) = 2 * now(i, j) - before(i, j) + c * (now(i - 1, j) + now(i + 1, j) &
                      + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j))
      end do
    end do
  end subroutine

  subroutine rotate()
    real, allocatable :: t(:,:)
    call move_alloc(before, t)
    call move_alloc(now, before)
    call move_alloc(after, now)
    call move_alloc(t, after)
  end subroutine

  real function energy()
    energy = sum(now * now) / n
  end function
end module

program waves
  use membrane
  implicit none
  integer :: step
  call start()
  do step = 1, 12
    call advance(0.2)
    call rotate()
  end do
  print '(a, f12.6)', 'energy ', energy()
end program
