/* double_pendulum_articulated_body: Operations(27 = 13 add + 11 multiply + 2 sincos + 1 divide), written by Phalanx.
 * Arrays are in row-major order.
 *   q: in, shape (2,)
 *   v: in, shape (2,)
 *   tau: in, shape (2,)
 *   a: out, shape (2,)
 */
#include <math.h>

void double_pendulum_articulated_body(const double q[2], const double v[2], const double tau[2], double a[2]);

void double_pendulum_articulated_body(const double q[2], const double v[2], const double tau[2], double a[2])
{
    const double t2 = cos(q[1]);
    const double t5 = sin(q[0]);
    const double t6 = 9.8100000000000005 * t5;
    const double t7 = t2 * t6;
    const double t8 = sin(q[1]);
    const double t9 = cos(q[0]);
    const double t10 = 9.8100000000000005 * t9;
    const double t12 = v[0] * v[0];
    const double t13 = t10 + t12;
    const double t14 = t8 * t13;
    const double t15 = t7 + t14;
    const double t17 = v[0] + v[1];
    const double t18 = t17 * t17;
    const double t19 = t8 * t18;
    const double t20 = t15 - t19;
    const double t22 = t5 * 19.620000000000001;
    const double t23 = t20 + t22;
    const double t24 = tau[0] - t23;
    const double t26 = tau[1] - t15;
    const double t27 = t2 * t26;
    const double t28 = t26 + t27;
    const double t29 = t24 - t28;
    const double t31 = t8 * t8;
    const double t33 = t31 - 1.0;
    const double t34 = 2.0 + t33;
    const double t35 = t29 / t34;
    const double t36 = t2 * t35;
    const double t37 = t35 + t36;
    const double t38 = t26 - t37;
    a[0] = t35;
    a[1] = t38;
}
