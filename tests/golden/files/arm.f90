! double_pendulum_recursive: Operations(22 = 11 add + 9 multiply + 2 sincos), written by Phalanx.
subroutine double_pendulum_recursive(q, v, a, tau) bind(c, name="double_pendulum_recursive")
  use, intrinsic :: iso_c_binding, only: dp => c_double
  implicit none
  real(dp), intent(in) :: q(2)
  real(dp), intent(in) :: v(2)
  real(dp), intent(in) :: a(2)
  real(dp), intent(out) :: tau(2)
  real(dp) :: P1, P2, P3, P4, P5, P6
  P1 = sin(q(1))
  P2 = cos(q(2))
  P3 = sin(q(2))
  P4 = a(1) + a(2)
  P5 = P2*(a(1) + 9.81d0*P1) + P3*(9.81d0*cos(q(1)) + v(1)*v(1)) + P4
  P6 = v(1) + v(2)
  tau(1) = P5 - (P6*P6*P3 - P4*P2) + (a(1) + a(1) + 19.62d0*P1)
  tau(2) = P5
end subroutine double_pendulum_recursive
