"""Other solvers of inverse kinematics, each a process of its own: see inverse_kinematics.py.

    PYTHON inverse_kinematics_peers.py toolbox problem.npz

Says its name when it is ready, solves all targets and says how long that took [s] whenever a line
"go" comes, and gives the postures at "end". Imports nothing of Phalanx, so that any environment
with NumPy and the solver can run it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

TOLERANCE = 1e-8
# what others get: as many starts as the toolbox has by default, and a step's share of the way
SEARCHES, STEPS = 100, 30
INSTALL = {
    "toolbox": "pip install roboticstoolbox-python, and --toolbox PYTHON",
    "mink": "pip install mink daqp, and --mink PYTHON",
    "pink": "pip install pin-pink daqp, and --pink PYTHON",
}
FEW = {"toolbox": 2000, "mink": 40, "pink": 40}

Array = np.ndarray[Any, Any]
Solve = Callable[[Array], Array]  # a pose to a posture, NaN where none was found


def toolbox(between: Array, limits: Array) -> tuple[str, Solve]:
    """The Robotics Toolbox's Levenberg-Marquardt solver in C++."""
    from roboticstoolbox import ET, ETS

    parts = [ET.SE3(between[0])]
    for k, C in enumerate(between[1:]):
        parts += [ET.Rz(qlim=limits[:, k]), ET.SE3(C)]
    arm = ETS(parts)

    def solve(X: Array) -> Array:
        # its residual is half the squared error; damping of the kind and size that did best here
        found = arm.ik_LM(
            X, ilimit=STEPS, slimit=SEARCHES, tol=TOLERANCE**2 / 2, method="chan", k=0.1
        )
        return found.q if found.success else np.full(len(limits[0]), np.nan)

    return f"Robotics Toolbox {version('roboticstoolbox-python')}, C++", solve


def stepped(
    limits: Array, start: Callable[[Array, Array], None], step: Callable[[], tuple[Array, float]]
) -> Solve:
    """A solver by steps with restarts: ``step`` gives the posture and its error before the step."""
    rng = np.random.default_rng(0)

    def solve(X: Array) -> Array:
        for _ in range(SEARCHES):
            start(X, rng.uniform(*limits))
            for _ in range(2 * STEPS):
                q, error = step()
                if error <= TOLERANCE:
                    return q
        return np.full(len(limits[0]), np.nan)

    return solve


def mink(between: Array, limits: Array) -> tuple[str, Solve]:
    """mink: steps by quadratic programs on MuJoCo's kinematics."""
    import mink as library
    import mujoco

    n = len(limits[0])
    text = "".join(
        f'<body {_pose(C)}><joint name="j{k}" axis="0 0 1" range="{low} {high}" limited="true"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        for k, (C, low, high) in enumerate(zip(between, *limits, strict=False))
    )
    tip = f'<body name="tip" {_pose(between[-1])}/>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><worldbody>{text}{tip}{"</body>" * n}</worldbody>'
        "</mujoco>"
    )
    configuration = library.Configuration(model)
    task = library.FrameTask("tip", "body", position_cost=1.0, orientation_cost=1.0, lm_damping=0.1)
    bounds = [library.ConfigurationLimit(model)]

    def start(X: Array, q: Array) -> None:
        configuration.update(q)
        task.set_target(library.SE3.from_matrix(X))

    def step() -> tuple[Array, float]:
        q, error = configuration.q.copy(), np.linalg.norm(task.compute_error(configuration))
        v = library.solve_ik(configuration, [task], 1.0, solver="daqp", limits=bounds)
        configuration.integrate_inplace(v, 1.0)
        return q, float(error)

    return f"mink {version('mink')}, Python", stepped(limits, start, step)


def pink(between: Array, limits: Array) -> tuple[str, Solve]:
    """Pink: steps by quadratic programs on Pinocchio's kinematics."""
    import pink as library
    import pinocchio as pin

    model = pin.Model()
    at = 0
    for k, (C, low, high) in enumerate(zip(between, *limits, strict=False)):
        row = [np.array([x]) for x in (1e3, 1e3, low, high)]
        at = model.addJoint(at, pin.JointModelRZ(), pin.SE3(C), f"j{k}", *row)
        model.appendBodyToJoint(at, pin.Inertia.Random(), pin.SE3.Identity())
    model.addFrame(pin.Frame("tip", at, 0, pin.SE3(between[-1]), pin.FrameType.OP_FRAME))
    data = model.createData()
    task = library.FrameTask("tip", position_cost=1.0, orientation_cost=1.0, lm_damping=0.1)
    state: list[Any] = [None]

    def start(X: Array, q: Array) -> None:
        state[0] = library.Configuration(model, data, q)
        task.set_target(pin.SE3(X))

    def step() -> tuple[Array, float]:
        q, error = state[0].q.copy(), np.linalg.norm(task.compute_error(state[0]))
        v = library.solve_ik(state[0], [task], 1.0, solver="daqp", safety_break=False)
        state[0].integrate_inplace(v, 1.0)
        return q, float(error)

    return f"Pink {version('pin-pink')}, Python", stepped(limits, start, step)


def _pose(C: Array) -> str:
    """Of a body in MJCF."""
    x, y = C[:3, 0], C[:3, 1]
    numbers = " ".join(repr(float(v)) for v in (*x, *y))
    return f'pos="{" ".join(repr(float(v)) for v in C[:3, 3])}" xyaxes="{numbers}"'


def main() -> None:
    """Wait for turns."""
    name, path = sys.argv[1:]
    problem = np.load(path)
    what, solve = {"toolbox": toolbox, "mink": mink, "pink": pink}[name](
        problem["between"], problem["limits"]
    )
    targets = problem["targets"][: FEW[name]]
    print(what, flush=True)
    found: list[Array] = []
    for line in sys.stdin:
        if line.strip() != "go":
            print(json.dumps([q.tolist() for q in found]), flush=True)
            return
        begin = time.perf_counter()
        found = [solve(X) for X in targets]
        print(time.perf_counter() - begin, flush=True)


if __name__ == "__main__":
    main()
