"""Mutation testing of the rows of coverage.toml: do a row's tests catch wrong product code?

A mutant is the product with one small fault: a sign, an index, a term, a number. Each is judged by
the tests that one row of ``tests/papers/coverage.toml`` names, and by no others. A mutant that
these tests do not notice survives, and shows what the row claims without a test.

    operators.py                small faults of one function, found with ast
    rows.py                     rows, their tests, and the functions behind them
    judge.py                    a process for each mutant, forked from a warm one
    process/sitecustomize.py    an import hook, in that process and in those that its tests start
    report.py                   the table of survivors, totals, JSON
    __main__.py                 make mutants
    caught.toml                 mutants that must be caught; ``make mutants-sample`` checks them
    equivalent.toml             mutants that compute the same

Why no tool from the package index (looked at in November 2026):

- mutmut 3.8 picks tests by what they call; a mutant is judged by every test that reaches its
  function. The question here is what the tests of one row catch by themselves. It writes a second
  tree with a dispatcher in each function, which has another name and signature, and it needs
  libcst, textual, coverage and setproctitle.
- cosmic-ray 8.7 has one test command for all mutants. It writes each into the source file itself
  and puts that back later, so nobody else may use the tree meanwhile, and starts a new process
  each, where more than 1 s of imports comes before the first test. It needs thirteen packages.
- Neither swaps indices or operands, nor drops a term, which are the faults of mechanics.
"""
