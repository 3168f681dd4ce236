"""Check 11: an integrator sees errors of iterations that stop above its own tolerance."""

from phalanx.studies.sharf.tolerance import sweep


def test_11_evaluations_by_the_tolerance_of_the_iteration():
    direct, loose, tied = sweep((10.0, 0.1), duration=0.3, budget=250)
    assert tied.departure is not None and tied.departure < 1e-4
    assert abs(tied.evaluations - direct.evaluations) <= 0.25 * direct.evaluations
    # it would need more than the 250 that it may have
    assert loose.departure is None and loose.evaluations >= 3 * direct.evaluations
