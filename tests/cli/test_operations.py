from __future__ import annotations

import json

import pytest

import phalanx as px


def counted(run, *words: str) -> dict:
    return json.loads(run("operations", *words, "--json").stdout)


def test_methods_side_by_side(run):
    text = run("operations", "stanford").stdout
    lines = [line.split() for line in text.splitlines()]
    names = [line[0] for line in lines if line]
    for name in ("recursive", "modified", "conventional", "lagrangian-closed-form", "factorized"):
        assert name in names
    arm = px.library.stanford()
    own = px.count_operations(px.expression(px.inverse_dynamics.modified, arm))
    best = px.count_operations(px.expression(px.inverse_dynamics.recursive, arm))
    row = next(line for line in lines if line[:1] == ["modified"])
    numbers = [own.multiply, own.add, own.sincos, own.total]
    assert row[1:] == [*map(str, numbers), f"{own.total / best.total:.2f}"]


def test_json(run):
    found = counted(run, "puma560")
    assert found["nv"] == 6
    inverse = found["quantities"]["inverse_dynamics"]
    best = min(method["total"] for method in inverse.values())
    for method in inverse.values():
        assert method["ratio"] == pytest.approx(method["total"] / best)
        assert method["total"] == sum(
            method[kind] for kind in ("multiply", "add", "divide", "sqrt", "sincos", "other")
        )
    assert inverse["conventional"]["published"] == [852, 738]
    assert inverse["lagrangian-closed-form"]["published"] == [67143, 51548]
    assert inverse["modified"]["published"] is None
    assert found["left_out"] == {}
    assert "steps" not in found


def test_methods_of_wong_and_what_he_counts_for_them(run):
    found = counted(run, "puma600")["quantities"]
    assert found["mass_matrix"]["orthogonal-complement"]["published"] == [779, 585]
    assert found["mass_matrix"]["composite-body"]["published"] == [741, 601]
    assert found["forward_dynamics"]["orthogonal-complement"]["published"] == [1391, 1087]
    assert found["inverse_dynamics"]["natural-complement"]["published"] == [531, 445]
    assert found["inverse_dynamics"]["orthogonal-complement"]["published"] is None
    arm = px.library.puma600()
    for quantity, method in (
        ("mass_matrix", px.mass_matrix.in_root_frame.accumulated_inertia),
        ("forward_dynamics", px.forward_dynamics.in_root_frame.articulated_body),
    ):
        row = found[quantity][f"in-root-frame-{method.__name__.replace('_', '-')}"]
        assert row["total"] == px.count_operations(px.expression(method, arm)).total


def test_steps_add_up(run):
    found = counted(run, "double_pendulum", "--steps")
    steps = found["steps"]["all joints of double_pendulum"]
    for method in ("modified", "conventional"):
        multiply, add = map(sum, zip(*steps[method].values(), strict=True))
        total = found["quantities"]["inverse_dynamics"][method]
        assert (multiply, add) == (total["multiply"], total["add"])
    general = found["steps"]["a general revolute joint"]
    assert general["modified"]["n"] == [21, 21]


def test_steps_of_a_general_joint(run):
    text = run("operations", "double_pendulum", "--steps").stdout
    totals = [line.split()[1:] for line in text.splitlines() if line.startswith("total")]
    assert totals[0] == ["92", "82", "135", "110"]


def test_phases_of_the_complement_for_a_chain_of_as_many_joints(run):
    steps = counted(run, "puma600", "--steps")["steps"]
    phases = steps["mass matrix of a general chain of 6"]["orthogonal-complement"]
    printed = [sum(counts) for counts in zip(*phases.values(), strict=True)]
    # the source has 779 and 585; it leaves out the additions of the last phase
    assert printed == [779, 585 + phases["sum over bodies"][1]]
    assert list(phases)[:3] == ["A", "c", "rho"]


def test_methods_that_do_not_fit_are_named_with_the_reason(run):
    text = run("operations", "double_pendulum", "--floating-base").stdout
    assert "made for turning and sliding joints; 'floating_base'" in text
    assert "published" not in text  # no arm, so nobody has counted it


def test_the_closed_form_waits_for_a_word(run):
    long = counted(run, "chain")
    assert "--all counts it" in long["left_out"]["lagrangian-closed-form"]
    assert "lagrangian-recursive-3x3" in long["quantities"]["inverse_dynamics"]


def test_unknown_machine(run):
    assert "Did you mean" in run("operations", "puma561", code=2).stderr
