/* double_pendulum_recursive: Operations(22 = 11 add + 9 multiply + 2 sincos), written by Phalanx.
 * Arrays are in row-major order.
 *   q: in, shape (2,)
 *   v: in, shape (2,)
 *   a: in, shape (2,)
 *   tau: out, shape (2,)
 */
#include <math.h>

void double_pendulum_recursive(const double q[2], const double v[2], const double a[2], double tau[2]);

void double_pendulum_recursive(const double q[2], const double v[2], const double a[2], double tau[2])
{
    const double t1 = a[0] + a[0];
    const double t3 = sin(q[0]);
    const double t5 = t3 * 19.620000000000001;
    const double t6 = t1 + t5;
    const double t8 = a[0] + a[1];
    const double t10 = cos(q[1]);
    const double t12 = t3 * 9.8100000000000005;
    const double t13 = a[0] + t12;
    const double t14 = t10 * t13;
    const double t15 = sin(q[1]);
    const double t16 = cos(q[0]);
    const double t17 = 9.8100000000000005 * t16;
    const double t19 = v[0] * v[0];
    const double t20 = t17 + t19;
    const double t21 = t15 * t20;
    const double t22 = t14 + t21;
    const double t23 = t8 + t22;
    const double t25 = v[0] + v[1];
    const double t26 = t25 * t25;
    const double t27 = t15 * t26;
    const double t28 = t8 * t10;
    const double t29 = t27 - t28;
    const double t30 = t23 - t29;
    const double t31 = t6 + t30;
    tau[0] = t31;
    tau[1] = t23;
}
