"""``dir`` shows what is public and nothing else, and nothing is loaded before somebody asks."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import phalanx as px

ROOT = Path(px.__file__).parent
PACKAGES = [
    ".".join(["phalanx", *init.parent.relative_to(ROOT).parts])
    for init in sorted(ROOT.rglob("__init__.py"))
]
PUBLIC = [name for name in PACKAGES if hasattr(import_module(name), "__all__")]
STUBS = sorted(ROOT.rglob("*.pyi"))

# heavy or optional, of others and of our own: only what uses them may load them
NOT_AT_IMPORT = (
    "numpy casadi llvmlite phalanx.base.arguments phalanx.mechanism phalanx.kernel".split()
)
NOT_FOR_DYNAMICS = (
    "scipy matplotlib mcap zstandard lz4 yaml typer rich importlib.metadata mujoco pinocchio viser "
    "trimesh mpi4py gymnasium ortools pyarrow phalanx.simulation.run.plant phalanx.multiprocessor "
    "phalanx.distribute phalanx.actuators phalanx.machines phalanx.ground phalanx.studies "
    "phalanx.view phalanx.cli phalanx.mechanism.library phalanx.kernel.text phalanx.kernel.loops"
).split()
NOT_FOR_SIMULATE = (
    "scipy matplotlib mcap zstandard lz4 yaml typer rich importlib.metadata phalanx.multiprocessor "
    "phalanx.distribute phalanx.machines phalanx.ground phalanx.studies phalanx.view phalanx.cli "
    "phalanx.mechanism.library phalanx.actuators.hydraulics phalanx.simulation.realtime "
    "phalanx.simulation.scenario"
).split()
PENDULUM = """
<robot name="pendulum">
  <link name="base"/>
  <link name="bob">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="pivot" type="continuous">
    <parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""


def output_of(*lines: str) -> list[str]:
    """What a fresh interpreter prints, line by line."""
    command = [sys.executable, "-c", "\n".join(lines)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_there_are_packages_to_look_at():
    assert {"phalanx", "phalanx.multiprocessor", "phalanx.actuators"} <= set(PUBLIC)
    assert {"phalanx.machines.excavator", "phalanx.ground", "phalanx.distribute"} <= set(PUBLIC)
    assert "phalanx.equations.loops" in PUBLIC
    assert len(STUBS) >= 3


@pytest.mark.parametrize("name", PUBLIC)
def test_dir_shows_what_is_public_and_nothing_else(name):
    package = import_module(name)
    assert dir(package) == sorted(package.__all__)


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: ".".join(path.parent.parts[-2:]))
def test_a_stub_says_where_each_public_name_is_from(stub):
    name = ".".join(["phalanx", *stub.parent.relative_to(ROOT).parts])
    body = ast.parse(stub.read_text()).body
    imports = {
        alias.asname or alias.name: node.module
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    (listed,) = [ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign)]
    assert sorted(imports) == sorted(listed)
    assert import_module(name).__all__ == listed
    # a module of the same package and name would take the place of what is loaded
    modules = {path.stem for path in stub.parent.iterdir()} - {"__init__"}
    assert {public for public in imports if public in modules} == {
        public for public, home in imports.items() if home == name
    }


def test_every_public_name_can_be_the_first_that_is_asked_for():
    """Whatever the order, a name is the same thing: here backwards, after modules that share it."""
    lines = output_of(
        "import phalanx.simulation.run.simulate, phalanx.simulation.batch.rollout, phalanx as px",
        "import phalanx.mechanism.read.model_file, phalanx.equations.expression",
        "found = {name: getattr(px, name) for name in reversed(px.__all__)}",
        "print(all(found[name] is getattr(px, name) for name in px.__all__))",
        "for name in ('simulate', 'rollout', 'load', 'expression', 'compile'):",
        "    print(type(found[name]).__name__)",
        "print(px.rollout is phalanx.simulation.batch.rollout.rollout)",
        "print(sorted(found) == dir(px))",
    )
    assert lines == ["True", *["function"] * 5, "True", "True"]
    assert inspect.isfunction(px.simulate)


def test_a_name_that_does_not_exist_is_an_error_from_which_python_can_suggest():
    with pytest.raises(AttributeError, match="'phalanx' has no attribute 'simulat'") as error:
        px.simulat  # noqa: B018
    assert (error.value.name, error.value.obj) == ("simulat", px)
    with pytest.raises(ImportError):
        exec("from phalanx import simulat")


def test_only_what_is_used_is_loaded(tmp_path):
    model = tmp_path / "pendulum.urdf"
    model.write_text(PENDULUM)
    loaded = "print(*({!r}).intersection(sys.modules))"
    lines = output_of(
        "import sys, phalanx as px",
        loaded.format({*NOT_AT_IMPORT, *NOT_FOR_DYNAMICS}),
        f"px.Dynamics(px.load({str(model)!r})).inverse_dynamics([0.0], [0.0], [0.0])",
        loaded.format(set(NOT_FOR_DYNAMICS)),
        "px.simulate, px.rollout",
        loaded.format(set(NOT_FOR_SIMULATE)),
    )
    assert lines == ["", "", ""]


def test_threads_may_ask_for_first_names_at_the_same_time():
    """Packages that lean on each other, imported by several threads: Python gives up on some."""
    program = (
        "import threading",
        "import phalanx as px",
        "names = 'Dynamics rollout simulate sweep library Setup InverseKinematics load'.split()",
        "together, got = threading.Barrier(len(names)), []",
        "def ask(name):",
        "    together.wait()",
        "    got.append(getattr(px, name))",
        "threads = [threading.Thread(target=ask, args=(name,)) for name in names]",
        "for thread in threads: thread.start()",
        "for thread in threads: thread.join()",
        "print(len(got))",
    )
    assert output_of(*program) == ["8"]
