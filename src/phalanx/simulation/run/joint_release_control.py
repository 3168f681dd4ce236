"""Control of a machine with released joints."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.simulation.run.joint_release import Indices, JointRelease
from phalanx.simulation.setup.laws import Law


def law_after(law: Law, release: JointRelease) -> Law:
    """Wrap a law that was written for the machine before a joint release.

    Joints that are cut have no position and velocity (NaN), and forces along them reach nothing.
    """
    before, (q_from, q_to), (v_from, v_to) = release.before, release.kept_q, release.kept_v
    sizes = {"q": before.nq, "v": before.nv}
    nv = release.after.nv

    def function(model: Any, t: SX, q: SX, v: SX, **inputs: SX) -> SX:
        shown = _put(q, q_to, q_from, before.nq), _put(v, v_to, v_from, before.nv)
        tau = SX(law.function(model, t, *shown, **inputs))
        _check_known(release, tau[v_from.tolist()] if tau.numel() == before.nv else tau)
        wide = SX.zeros(nv, 1)
        if tau.shape == (before.nv, 1):  # else the plant says that it does not fit
            wide[v_to.tolist()] = tau[v_from.tolist()]
            return wide
        return tau

    law_inputs = {name: sizes.get(str(size)) or int(size) for name, size in law.inputs.items()}
    return Law(function, law_inputs, law.gains)


def _put(values: SX, taken: Indices, to: Indices, size: int) -> SX:
    shown = SX.nan(size, 1)
    shown[to.tolist()] = values[taken.tolist()]
    return shown


def _check_known(release: JointRelease, tau: SX) -> None:
    """Refuse a law whose forces on the joints that are left depend on those that are cut."""
    symbols = ca.symvar(tau)
    value = ca.Function("tau", symbols, [tau])(*(ca.DM.ones(s.shape) for s in symbols))
    if np.isnan(np.asarray(value)).any():
        raise InvalidInput(
            f"joint '{release.joints[0].name}' is cut on the way, and the control law needs its "
            "position or velocity for the forces on others. Use a law of each joint by itself "
            "(proportional_derivative), or simulate up to the cut and go on from there."
        )
