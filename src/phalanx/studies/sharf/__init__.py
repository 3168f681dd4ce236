"""Sharf and D'Eleuterio (1993): constraint forces of chains by iteration, and what they cost.

Reference:
    Sharf and D'Eleuterio, An iterative approach to multibody simulation dynamics suitable for
    parallel implementation, ASME J. Dyn. Syst. Meas. Control (1993).
"""
