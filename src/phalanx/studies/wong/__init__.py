"""Wong (1991): dynamics by an orthogonal complement, counted, and its parallel rivals.

Reference:
    Wong, Parallel implementation of multibody dynamics for real-time simulation, PhD thesis,
    University of British Columbia (1991).
"""
