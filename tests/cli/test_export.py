from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px

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
    ("words", "said"),
    [
        (("bias",), "--to"),
        (("bias", "--to", "bias.f90"), "its suffix must be one of .c, .casadi"),
        (("bias", "--to", "no/bias.c"), "there is no folder"),
        (("bais", "--to", "bias.c"), "Did you mean 'bias'?"),
        (("jacobian", "--to", "j.c"), "needs --frame"),
    ],
)
def test_what_can_be_wrong(run, words, said):
    assert said in run("export", MODEL, *words, code=2).stderr


def test_nothing_is_overwritten(run, tmp_path):
    (tmp_path / "bias.c").write_text("precious")
    assert "--force" in run("export", MODEL, "bias", "--to", "bias.c", code=2).stderr
    assert (tmp_path / "bias.c").read_text() == "precious"
    run("export", MODEL, "bias", "--to", "bias.c", "--force")
    assert "precious" not in (tmp_path / "bias.c").read_text()
