from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from assignments import flaws, read_c, read_fortran
from assignments import run as evaluate

MODEL = "double_pendulum"


def test_c(run, tmp_path):
    result = run("export", MODEL, "inverse-dynamics", "--to", "id.c")
    text = (tmp_path / "id.c").read_text()
    assert "#include <math.h>" in text
    assert "const double q[2]" in text
    assert "(q, v, a, tau)" in result.stderr


def test_casadi(run, tmp_path):
    run("export", MODEL, "jacobian", "--frame", "base", "--to", "jacobian.casadi")
    run("export", MODEL, "bias", "--to", "bias.casadi")
    loaded = ca.Function.load(str(tmp_path / "bias.casadi"))
    q, v = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    expected = px.Dynamics(px.library.double_pendulum()).bias(q, v)
    np.testing.assert_allclose(loaded(q, v).full().ravel(), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (("--to", "id.f90"), read_fortran),
        (("--to", "id.f90", "--method", "modified", "--named"), read_fortran),
        (("--to", "id.c", "--method", "conventional", "--named"), read_c),
        (("--to", "id.txt", "--language", "fortran", "--method", "modified"), read_fortran),
    ],
)
def test_methods_and_languages(run, tmp_path, words, read):
    run("export", "puma560", "inverse-dynamics", *words)
    (written,) = tmp_path.glob("id.*")
    statements = read(written.read_text())
    x = dict(zip("qva", np.random.default_rng(1).standard_normal((3, 6)), strict=True))
    tau = evaluate(statements, x | {"tau": np.empty(6)})["tau"]
    expected = px.Dynamics(px.library.puma560()).inverse_dynamics(**x)
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-10)
    assert flaws(statements) == []
    assert ("AV2X" in {target for target, _ in statements}) == ("--named" in words)


def test_forward_dynamics_by_a_method(run, tmp_path):
    words = ("--method", "articulated-body", "--to", "fd.casadi")
    run("export", MODEL, "forward-dynamics", *words)
    loaded = ca.Function.load(str(tmp_path / "fd.casadi"))
    assert loaded.name() == "double_pendulum_articulated_body"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bias",), "--to"),
        (("bias", "--to", "bias.f77"), "its suffix must be one of .c, .f90, .f08, .casadi"),
        (("bias", "--to", "no/bias.c"), "there is no folder"),
        (("bais", "--to", "bias.c"), "Did you mean 'bias'?"),
        (("jacobian", "--to", "j.c"), "needs --frame"),
        (("bias", "--to", "b.c", "--method", "modified"), "bias has one method"),
        (
            ("inverse-dynamics", "--to", "b.c", "--method", "modifed"),
            "inverse-dynamics has no method 'modifed'. Did you mean 'modified'?",
        ),
        (
            ("inverse-dynamics", "--to", "b.c", "--named"),
            "recursive names no intermediates; --named is for inverse-dynamics --method",
        ),
    ],
)
def test_what_can_be_wrong(run, tmp_path, words, said):
    assert said in run("export", MODEL, *words, code=2).stderr
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(run, tmp_path):
    (tmp_path / "bias.c").write_text("precious")
    assert "--force" in run("export", MODEL, "bias", "--to", "bias.c", code=2).stderr
    assert (tmp_path / "bias.c").read_text() == "precious"
    run("export", MODEL, "bias", "--to", "bias.c", "--force")
    assert "precious" not in (tmp_path / "bias.c").read_text()


def test_a_model_as_urdf(run, tmp_path):
    result = run("export", "stewart", "--urdf", "stewart.urdf")
    assert "stewart.closures.yaml" in result.stderr
    with pytest.warns(px.mechanism.read.ModelWarning, match="without a mass"):
        again = px.load(tmp_path / "stewart.urdf")
    assert (again.nq, len(again.loops)) == (25, 6)


def test_what_is_lost_in_urdf_is_said(run):
    result = run("export", "chain:2,spherical", "--urdf", "balls.urdf")
    assert "Warning:" in result.stderr and "three hinges" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--urdf", "arm.xml"), "suffix"),
        (("bias", "--urdf", "arm.urdf"), "leave out QUANTITY"),
        (("--urdf", "arm.urdf", "--named"), "leave out QUANTITY"),
        ((), "nothing to write"),
        (("bias",), "nothing to write"),
        (("--urdf", "there.urdf"), "--force"),
    ],
)
def test_urdf_that_cannot_be_written(run, tmp_path, words, said):
    (tmp_path / "there.urdf").write_text("mine")
    result = run("export", MODEL, *words, code=2)
    assert said in result.stderr
    assert (tmp_path / "there.urdf").read_text() == "mine"


def test_machine_code_for_another_processor(run, tmp_path):
    path = tmp_path / "torques.o"
    words = ["export", "double_pendulum", "inverse-dynamics", "--to", str(path)]
    run(*words, "--processor", "x86-64")
    assert path.read_bytes()[:4] == b"\x7fELF"
    header = (tmp_path / "torques.h").read_text()
    assert "x86_64" in header and "double *tau" in header
    path.unlink()
    assert "torques.h" in run(*words, code=2).output  # its header is there
    assert not path.exists()
