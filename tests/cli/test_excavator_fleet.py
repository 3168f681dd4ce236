from __future__ import annotations


def test_a_fleet_says_how_fast_it_was_and_where_it_ended(run):
    text = run("excavator-fleet", "--machines", "9", "--seconds", "0.2", "--step", "2e-3").output
    assert "9 machines, 0.2 s each" in text
    assert "machine-seconds per second" in text
    assert "final position of teeth" in text


def test_a_fleet_takes_either_curve_of_its_spools(run):
    few = ("excavator-fleet", "--machines", "3", "--seconds", "0.5", "--step", "5e-3")

    def tips(*curve):
        return run(*few, *curve).output.partition(" machines, ")[0]

    shifted, gated = tips("--spool-curve", "shift"), tips("--spool-curve", "gate")
    assert shifted != gated and "final position of teeth" in gated
    assert tips() == gated
    result = run(*few, "--machine", "cylinders", "--spool-curve", "gate", code=2)
    assert "--spool-curve gate with --machine cylinders, whose control has no" in result.stderr


def test_with_ground_it_says_what_became_of_the_soil(run):
    few = ("--machines", "2", "--seconds", "0.1", "--step", "2e-3", "--ground", "sand")
    assert "% lost soil" in run("excavator-fleet", *few).output


def test_wrong_numbers_are_one_line(run):
    for wrong, said in (
        (("--machines", "0"), "--machines"),
        (("--step", "0.5"), "--step 0.5"),
        (("--hold", "0"), "--hold 0"),
        (("--seconds", "0.00015"), "whole number of steps"),
    ):
        result = run("excavator-fleet", *wrong, code=2)
        assert said in result.stderr
        assert "Traceback" not in result.stderr
