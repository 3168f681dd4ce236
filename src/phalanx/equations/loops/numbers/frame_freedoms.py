"""Check that the motion of a frame determines that of a machine with loops."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.assembly.pivoting import RANK
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.kinematics import jacobian
from phalanx.equations.tree.model import Model
from phalanx.mechanism.pose import Array


def check_frame_determines(model: Model, frame: str) -> None:
    """InvalidInput where a machine can move, in every posture, while a frame stands still."""
    postures = list(closed_loops(model.mechanism).postures())
    missing = min((freedoms_missing(model, frame, q) for q in postures), default=0)
    if missing:
        raise InvalidInput(too_little_said(model, frame, missing))


def freedoms_missing(model: Model, frame: str, q: Array) -> int:
    """In how many ways a machine can move at a posture while a frame stands still."""
    with_numbers = model_of(model.mechanism)  # for parameters, those of the mechanism
    x = SX.sym("q", model.mechanism.nq)
    J = ca.Function("J", [x], [ca.densify(jacobian(with_numbers, x, frame=frame))])
    rows = list(independent_rows(model.mechanism))
    A = np.asarray(derivative_function(with_numbers)(q)).reshape(-1, model.nv)[rows]
    stacked = np.vstack([A, np.asarray(J(q)).reshape(6, model.nv)])
    values = np.linalg.svd(stacked, compute_uv=False)
    return model.nv - int((values > RANK * values.max(initial=1e-300)).sum())


def too_little_said(model: Model, frame: str, missing: int, where: str = "") -> str:
    """Describe why the motion of a frame does not determine that of the machine."""
    freedoms = model.nv - len(independent_rows(model.mechanism))
    return (
        f"the motion of frame '{frame}' determines {freedoms - missing} of the {freedoms} degrees "
        f"of freedom of '{model.mechanism.name}'{where}; {missing} more can move while it stands "
        "still. Take a frame further along, or give the motion of the free joints to "
        "complete_motion."
    )
