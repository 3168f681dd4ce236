/* puma560_arm_modified: Operations(142 = 80 multiply + 60 add + 2 sincos), written by Phalanx.
 * Arrays are in row-major order.
 *   q: in, shape (3,)
 *   v: in, shape (3,)
 *   a: in, shape (3,)
 *   tau: out, shape (3,)
 */
#include <math.h>

void puma560_arm_modified(const double q[3], const double v[3], const double a[3], double tau[3]);

void puma560_arm_modified(const double q[3], const double v[3], const double a[3], double tau[3])
{
    const double C2 = cos(q[1]);
    const double S2 = sin(q[1]);
    const double C3 = cos(q[2]);
    const double S3 = sin(q[2]);
    const double AV2X = -S2*v[0];
    const double AV2Y = -v[0]*C2;
    const double RXM2 = a[0]*S2;
    const double KX2 = v[1]*AV2Y;
    const double AA2X = KX2 - RXM2;
    const double KY2 = v[1]*AV2X;
    const double AA2Y = -(KY2 + a[0]*C2);
    const double RX2 = AV2X*AV2X;
    const double RY2 = AV2Y*AV2Y;
    const double RZ2 = v[1]*v[1];
    const double RSX2 = -(RY2 + RZ2);
    const double RYP2 = AA2Y + KY2;
    const double RYM2 = KY2 - AA2Y;
    const double KZ2 = AV2X*AV2Y;
    const double RSZ2 = -(RY2 + RX2);
    const double RZP2 = KZ2 + a[1];
    const double LA2X = -9.8*S2;
    const double LA2Y = -9.8*C2;
    const double LAP3X = LA2X + 0.4318*RSX2;
    const double LAP3Y = 0.4318*RZP2 + LA2Y;
    const double LAP3Z = 0.4318*RYM2;
    const double AV3X = C3*AV2X + S3*AV2Y;
    const double AV3Y = C3*AV2Y - S3*AV2X;
    const double AV3Z = v[1] + v[2];
    const double AA3X = S3*AA2Y + C3*AA2X + v[2]*AV3Y;
    const double AA3Y = C3*AA2Y - S3*AA2X - v[2]*AV3X;
    const double AA3Z = a[1] + a[2];
    const double KX3 = AV3Y*AV3Z;
    const double RX3 = AV3X*AV3X;
    const double RXP3 = AA3X + KX3;
    const double RXM3 = KX3 - AA3X;
    const double KY3 = AV3Z*AV3X;
    const double RY3 = AV3Y*AV3Y;
    const double RZ3 = AV3Z*AV3Z;
    const double RSY3 = -(RX3 + RZ3);
    const double RYP3 = AA3Y + KY3;
    const double KZ3 = AV3Y*AV3X;
    const double RSZ3 = -(RX3 + RY3);
    const double RZM3 = KZ3 - AA3Z;
    const double LA3X = S3*LAP3Y + C3*LAP3X;
    const double LA3Y = C3*LAP3Y - S3*LAP3X;
    const double IN1Z = 1.49*a[0];
    const double LC2X = 0.2435*RYP2 - 0.068*RSX2 + LA2X;
    const double LC2Y = 0.2435*RXM2 - 0.068*RZP2 + LA2Y;
    const double LC2Z = 0.2435*RSZ2 - 0.068*RYM2;
    const double IN2X = 0.13*AA2X + 4.725*KX2;
    const double IN2Y = 0.524*AA2Y - 5.119*KY2;
    const double IN2Z = 5.249*a[1] + 0.394*KZ2;
    const double LC3X = 0.1501*RYP3 - 0.07*RZM3 + LA3X;
    const double LC3Y = 0.1501*RXM3 - 0.07*RSY3 + LA3Y;
    const double LC3Z = LAP3Z - (0.07*RXP3 - 0.1501*RSZ3);
    const double IF3X = 6.05*LC3X;
    const double IF3Y = 6.05*LC3Y;
    const double IN3X = 0.192*AA3X + 1.0266*KX3;
    const double IN3Y = 0.0154*AA3Y - 0.85*KY3;
    const double IN3Z = 1.042*AA3Z - 0.1766*KZ3;
    const double JM3X = IN3X - (0.42350000000000004*LC3Z + 0.908105*LC3Y);
    const double JM3Y = IN3Y + 0.908105*LC3X;
    const double JM3Z = IN3Z + 0.42350000000000004*LC3X;
    const double JFP3Y = S3*IF3X + C3*IF3Y;
    const double JM2X = C3*JM3X - S3*JM3Y - (4.2368999999999994*LC2Y - IN2X);
    const double JM2Y = S3*JM3X + C3*JM3Y + (4.2368999999999994*LC2X + 1.1832*LC2Z + IN2Y) -
        2.61239*LC3Z;
    const double JM2Z = IN2Z - 1.1832*LC2Y + JM3Z + 0.4318*JFP3Y;
    const double JM1Z = IN1Z - (S2*JM2X + C2*JM2Y);
    tau[0] = JM1Z;
    tau[1] = JM2Z;
    tau[2] = JM3Z;
}
