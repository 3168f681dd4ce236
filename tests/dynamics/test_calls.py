"""Quantities as people and tools see them: signatures, texts, examples, types."""

from __future__ import annotations

import doctest
import inspect
import os
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import UnsupportedLoad
from phalanx.dynamics.evaluators.choice import SIZES, Sizes

OPEN = {"parameters": ["lower.mass", "gravity"], "wrenches": ["tip"], "moving_base": True}
QUANTITIES = sorted(
    name
    for name, method in inspect.getmembers(px.Dynamics, inspect.isfunction)
    if not name.startswith("_") and "out" in inspect.signature(method).parameters
)
# methods that do more than to call a kernel
CHECKED = (
    "actuation",
    "complete_motion",
    "complete_motion_of_frame",
    "reduced_inverse_dynamics",
    "reduced_mass_matrix",
    "reduced_bias",
    "reduced_gravity",
)
OF_FRAMES = (
    "forward_kinematics",
    "jacobian",
    "jacobian_rate",
    "frame_velocity",
    "frame_acceleration",
)
MACHINES = {
    "pendulum": lambda: px.Dynamics(px.library.double_pendulum()),
    "opened": lambda: px.Dynamics(px.library.double_pendulum(), **OPEN),
    "loops": lambda: px.Dynamics(px.library.four_bar(), actuated=["crank"]),
    "long": lambda: _long(px.with_floating_base(px.library.puma560())),
}


def _long(mechanism: px.Mechanism) -> px.Dynamics:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SIZES, "quantity", Sizes(0, 3000))
        return px.Dynamics(mechanism)


@pytest.fixture(scope="module", params=MACHINES)
def d(request: pytest.FixtureRequest) -> px.Dynamics:
    return MACHINES[request.param]()


def state_names(signature: inspect.Signature) -> list[str]:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [p.name for p in signature.parameters.values() if p.kind is kind and p.name != "self"]


# -- what the tools see --------------------------------------------------------------------------


def test_every_quantity_of_the_table_is_a_method(d: px.Dynamics) -> None:
    inner = {"free_amplification", "loop_inconsistency", "loop_wrenches"}
    assert set(d.quantities) - inner <= set(QUANTITIES)
    assert set(QUANTITIES) <= set(dir(px.Dynamics)) & set(dir(d))
    of_the_tree = {f"tree_{name}" for name, own in d.quantities.items() if own.of_the_tree}
    assert len(of_the_tree) == 10
    assert of_the_tree <= set(QUANTITIES)


def test_signatures_are_those_of_the_kernels(d: px.Dynamics) -> None:
    seen = 0
    for name in d.quantities:
        if name not in QUANTITIES or d.is_too_large(name):
            continue
        if d.quantities[name].unloaded and d.wrenches:
            with pytest.raises(UnsupportedLoad, match=name):
                d.kernel(name)
            continue
        frame = d.mechanism.bodies[-1].name if d.quantities[name].of_frame else None
        kernel = d.kernel(name, frame)
        inputs = [port.name for port in kernel.inputs]
        assert list(inspect.signature(kernel.call).parameters) == [*inputs, "out"]
        written = state_names(inspect.signature(getattr(px.Dynamics, name)))
        assert inputs[: len(written)] == written
        assert kernel.call.__name__ == name
        if name not in (*CHECKED, *OF_FRAMES):
            assert getattr(d, name) is kernel.call
        seen += 1
    assert seen >= 15


@pytest.mark.parametrize("name", QUANTITIES)
def test_methods_of_the_class_are_described(name: str) -> None:
    method = getattr(px.Dynamics, name)
    signature, text = inspect.signature(method), inspect.getdoc(method)
    assert inspect.isfunction(method) and method.__name__ == name and text
    assert method.__qualname__.endswith(f".{name}")
    for parameter in signature.parameters.values():
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        if parameter.name in ("inputs", "out", "named"):  # of all quantities: told once
            word = f"``{stars.get(parameter.kind, '')}{parameter.name}"
            assert word in str(inspect.getdoc(px.Dynamics)), parameter
        elif parameter.name != "self":
            assert f"    {parameter.name}: " in text, parameter
            assert parameter.annotation is not parameter.empty
    assert "\nReturns:\n" in text and "\nExample:\n    >>> d = px.Dynamics(" in text


def test_what_is_open_in_an_object_stands_in_its_signature() -> None:
    d = px.Dynamics(px.library.double_pendulum(), **OPEN)
    assert str(inspect.signature(d.inverse_dynamics)) == (
        "(q, v, a, lower_mass, gravity, wrench_tip, base_velocity, base_acceleration, *, out=None)"
    )
    assert str(inspect.signature(d.mass_matrix)) == "(q, lower_mass, gravity, *, out=None)"
    text = pydoc.render_doc(d.mass_matrix, renderer=pydoc.plaintext)
    assert "mass_matrix(q, lower_mass, gravity, *, out=None)" in text
    assert "q (2,), lower_mass (), gravity (3,) -> M (2, 2)" in text
    assert "kinetic energy is vᵀ M v / 2" in text


def test_names_of_the_tree_are_the_same_call() -> None:
    d = px.Dynamics(px.library.four_bar())
    assert d.tree_bias is d.bias
    assert "by its full name" in (px.Dynamics.tree_bias.__doc__ or "")
    assert inspect.signature(px.Dynamics.tree_bias) == inspect.signature(px.Dynamics.bias)


# -- how they are called -------------------------------------------------------------------------


def test_a_call_finds_the_builtin_in_the_object() -> None:
    d = px.Dynamics(px.library.double_pendulum())
    assert "gravity" not in vars(d)
    first = d.gravity
    assert vars(d)["gravity"] is first is d.gravity
    assert inspect.isbuiltin(first)


def test_methods_of_the_class_take_an_object() -> None:
    d = px.Dynamics(px.library.double_pendulum())
    q = np.array([0.1, 0.2])
    np.testing.assert_array_equal(px.Dynamics.gravity(d, q), d.gravity(q))
    np.testing.assert_array_equal(px.Dynamics.tree_gravity(d, q=q), d.gravity(q))


def test_several_results_have_the_class_that_is_announced() -> None:
    d = px.Dynamics(px.library.double_pendulum())
    state = np.random.default_rng(0).standard_normal((3, 2))
    found = d.inverse_dynamics_derivatives(*state)
    assert type(found).__name__ == "InverseDerivatives"
    assert type(d.inverse_dynamics_derivatives(*state.tolist())) is type(found)


def test_numbers_of_frames_go_by_name_too() -> None:
    d = px.Dynamics(px.library.double_pendulum(), parameters=["gravity"])
    q, g = np.array([0.1, 0.2]), np.zeros(3)
    by_name = d.jacobian(q, gravity=g, frame="tip", axes="local")
    np.testing.assert_array_equal(d.jacobian(q, g, frame="tip", axes="local"), by_name)


@pytest.mark.parametrize("name", [*QUANTITIES, "check_loops", "loop_wrenches"])
def test_examples_run(name: str) -> None:
    text = inspect.getdoc(getattr(px.Dynamics, name)) or ""
    test = doctest.DocTestParser().get_doctest(text, {"px": px, "np": np}, name, None, 0)
    assert len(test.examples) >= 2
    said: list[str] = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)


# -- types ---------------------------------------------------------------------------------------

# line by line: what is written, and a word of what mypy says
WRONG = {
    "d.inverse_dynamics(1, 2)": "Missing positional argument",
    "d.inverse_dynamics(q, q, q, out=3)": "out",
    "d.inverse_dynamics(q, q, a=q, v=q)": "multiple values",
    "d.inverse_dynamic(q, q, q)": "has no attribute",
    "d.tree_inverse_dynamics(q)": "Too few arguments",
    "d.tree_inverse_dynamics(q, q, b=q)": "Too few arguments",
    "d.mass_matrix()": "Missing positional argument",
    "d.jacobian(q)": 'Missing named argument "frame"',
    "d.jacobian(q, frame='tip', axes='body')": "axes",
    "d.forward_dynamics(q, q, object())": "incompatible type",
    "d.inverse_dynamics_derivatives(q, q, q).dtau": "has no attribute",
    "d.loop_forces(q, q)": "Missing positional argument",
    "d.complete_motion(q, q)": "Missing positional argument",
    "d.gravity(q).nonsense": "has no attribute",
}
FINE = (
    "d.inverse_dynamics(q, [0.0, 0.0], q)",
    "d.inverse_dynamics(q, q, q, 1.0, out=q)",
    "d.inverse_dynamics(q, q, a=q, lower_mass=1.0)",
    "d.tree_bias(q, q).shape",
    "d.inverse_dynamics_derivatives(q, q, q).dtau_dq.shape",
    "by_q, by_v, by_a = d.inverse_dynamics_derivatives(q, q, q)",
    "d.jacobian(q, frame='tip', axes='local')",
    "d.interpolate(q, q, 0.5)",
    "d.difference(q, q) + 1.0",
    "px.Dynamics.gravity(d, q)",
    "d.actuation(q, q, q, check=False).tau",
)
SNIPPET = """
import numpy as np
import phalanx as px

d = px.Dynamics(px.library.double_pendulum())
q = np.zeros((5, 2))
"""
# all that does not bear on these calls stays unread, which saves half a minute
SETTINGS = """
[mypy]
strict = True
[mypy-phalanx.*]
follow_imports = skip
[mypy-phalanx,phalanx.dynamics.*,phalanx.equations,phalanx.equations.quantities,phalanx.equations.quantities.axes,phalanx.base.arguments.*,phalanx.base.keywords]
follow_imports = silent
"""


def test_mypy_knows_every_call(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    lines = [*FINE, *WRONG]
    head = SNIPPET.count("\n")
    (tmp_path / "snippet.py").write_text(SNIPPET + "\n".join(lines) + "\n")
    (tmp_path / "mypy.ini").write_text(SETTINGS)
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "snippet.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(Path(px.__file__).parents[1])},
        capture_output=True,
        text=True,
    ).stdout
    found: dict[int, str] = {}
    for line in said.splitlines():
        place, _, message = line.partition(": error: ")
        if message:
            number = int(place.split(":")[1])
            found[number] = found.get(number, "") + message
    wanted = {head + 1 + k: line for k, line in enumerate(lines) if line in WRONG}
    assert found.keys() == wanted.keys(), said
    for number, line in wanted.items():
        assert WRONG[line] in found[number], (line, found[number])
