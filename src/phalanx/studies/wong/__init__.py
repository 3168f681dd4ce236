"""Wong (1991): dynamics by an orthogonal complement, counted, and its parallel rivals.

Reference:
    Wong, Parallel multibody dynamics for real-time simulation of excavators, PhD thesis, University
    of British Columbia (1991).
"""
