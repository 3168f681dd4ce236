from __future__ import annotations

from phalanx.view.web.rate_limit import ENDURED, HANDLED, RateLimit, Verdict


def test_a_page_may_say_so_much_a_second_and_no_more():
    allowance = RateLimit()
    verdicts = [allowance.judge(5.0 + k * 1e-4) for k in range(ENDURED + 1)]
    assert verdicts[:HANDLED] == [Verdict.HANDLE] * HANDLED
    assert verdicts[HANDLED:ENDURED] == [Verdict.DROP] * (ENDURED - HANDLED)
    assert verdicts[ENDURED] is Verdict.CUT
    assert allowance.judge(6.0) is Verdict.HANDLE


def test_a_steady_page_is_never_held_up():
    allowance = RateLimit()
    assert all(allowance.judge(k / 60) is Verdict.HANDLE for k in range(600))
