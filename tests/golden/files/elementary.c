/* elementary: Operations(20 = 10 other + 4 multiply + 3 add + 1 divide + 1 sqrt + 1 sincos), written by Phalanx.
 * Arrays are in row-major order.
 *   x: in, shape (2,)
 *   y: in, shape (1,)
 *   table: out, shape (2, 2)
 *   radius: out, shape (1,)
 */
#include <math.h>

void elementary(const double x[2], const double y[1], double table[4], double radius[1]);

void elementary(const double x[2], const double y[1], double table[4], double radius[1])
{
    const double t2 = x[0] < y[0];
    const double t3 = sin(x[0]);
    const double t4 = x[0] * x[0];
    const double t6 = x[1] * x[1];
    const double t7 = t4 + t6;
    const double t9 = t7 + 1.0;
    const double t10 = sqrt(t9);
    const double t11 = t3 / t10;
    const double t12 = t2 != 0 ? t11 : 0;
    const double t13 = t2 == 0;
    const double t14 = cos(x[0]);
    const double t15 = t10 * t14;
    const double t16 = t13 != 0 ? t15 : 0;
    const double t17 = t12 + t16;
    const double t18 = atan2(x[1], t10);
    const double t19 = -y[0];
    const double t20 = fmax(x[1], t19);
    const double t21 = fabs(y[0]);
    const double t22 = fmin(t20, t21);
    const double t23 = x[0] < 0 ? -1 : x[0] > 0 ? 1 : x[0];
    const double t24 = floor(y[0]);
    const double t25 = t23 * t24;
    table[0] = t17;
    table[1] = t22;
    table[2] = t18;
    table[3] = t25;
    radius[0] = t10;
}
