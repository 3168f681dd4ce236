"""Forward dynamics with friction: the acceleration at which the drives' balance holds.

Friction in bearings grows with the loads, the loss of a transmission with its output, and both with
the acceleration that is sought. Loads are linear in it and traced once. What the links need must be
what the transmissions put out,

    needed(a) = out(tau - rotor(a)),    needed = links + friction in the joints.

The curve between in and out has corners (a load that changes sign, points of the efficiency), at
which Newton's method can run in circles. So a share of the left side is added to both: with
``kept`` = rotor inertia / link inertia,

    needed(a) = w,  where  kept w + in(w) = kept needed(a) + tau - rotor(a),

and the right side hardly depends on the joint's own acceleration any more. The scalar equation on
the left has one root and is solved by itself, corners and all; what is left to Newton's method is
smooth in what matters, and four iterations reach the last digits. The result fulfils inverse
dynamics with friction (:func:`drive_torques`): there is one model, read in two directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.direction import Direction, Smooth
from phalanx.actuators.drive import Drives, check_drives
from phalanx.actuators.loads import Loads, joint_loads
from phalanx.actuators.torques import frictions
from phalanx.base.cached import cached_property
from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

ITERATIONS = 4
# of the rotor's inertia, for links that have hardly any of their own
LEAST_LINK_INERTIA = 1e-6


@equation("a")
def driven(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    drives: Drives,
    direction: Direction | None = None,
    wrenches: Mapping[str, SX] | None = None,
    iterations: int = ITERATIONS,
) -> SX:
    """Accelerations under motor forces, with friction between the motors and the links.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        tau: Motor forces on the joint's side of the gear [N·m or N], shape (nv,): ``ratio`` times
            the ``tau_motor`` of :func:`drive_torques`.
        drives: Joint name to :class:`Drive`.
        direction: Which way friction points; :class:`Smooth` by default.
        wrenches: Frame name to external wrench, as for inverse dynamics.
        iterations: Of Newton's method; one is exact where no friction depends on loads.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,).
    """
    balance = Balance.of(model_of(mechanism), q, v, drives, wrenches)
    towards = (direction or Smooth())(v, tau)
    return balance.solve(tau, towards, SX.zeros(v.numel(), 1), iterations)


@final
@dataclass(frozen=True)
class Balance:
    """Motor forces as a function of accelerations, at one state.

    Attributes:
        still: Loads at zero acceleration.
        slope: Change of the packed loads with the accelerations.
    """

    mechanism: Mechanism
    drives: Drives
    v: SX
    still: Loads
    slope: SX

    @staticmethod
    def of(
        model: Model, q: SX, v: SX, drives: Drives, wrenches: Mapping[str, SX] | None = None
    ) -> Balance:
        """Trace the loads once."""
        a = SX.sym("a", model.nv)
        loads = joint_loads(model, q, v, a, drives, wrenches)
        packed = loads.packed()
        still = ca.substitute(packed, a, SX.zeros(model.nv, 1))
        slope = ca.jacobian(packed, a)
        return Balance(model.mechanism, drives, v, loads.unpacked(still), slope)

    def loads(self, a: SX) -> Loads:
        """Loads at accelerations ``a``."""
        return self.still.unpacked(self.still.packed() + self.slope @ a)

    def links_and_rotors(self, a: SX) -> SX:
        """Joint forces without friction: M a + c."""
        loads = self.loads(a)
        return loads.tau + loads.rotor

    def motors(self, a: SX, direction: SX) -> SX:
        """Motor forces, on the joint's side, that give accelerations ``a``."""
        loads = self.loads(a)
        friction, lost = frictions(self.mechanism, loads, self.v, direction, self.drives)
        return loads.tau + friction + lost + loads.rotor

    def solve(
        self, tau: SX, direction: SX, held: SX, iterations: int, start: SX | None = None
    ) -> SX:
        """Accelerations under motor forces; those of ``held`` joints (1, others 0) are zero."""
        n = self.mechanism.nv
        a = SX.zeros(n, 1) if start is None else start
        better, given = self._improvement
        for _ in range(iterations if self._depends_on_loads else 1):
            a = better(a, tau, direction, held, given)
        return a

    @cached_property
    def _improvement(self) -> tuple[ca.Function, SX]:
        """One iteration ``(a, tau, direction, held, given) -> a``, and what is given at the state.

        A function of symbols of its own, so that the state is not walked through again each time.
        """
        n = self.mechanism.nv
        v, still, slope = (_Opened.of(x) for x in (self.v, self.still.packed(), self.slope))
        here = replace(
            self, v=v.opened, still=self.still.unpacked(still.opened), slope=slope.opened
        )
        a, tau, direction, held = (SX.sym(name, n) for name in ("a", "tau", "direction", "held"))
        missing, rows = here._linearized(a, tau, direction)
        eye = SX.eye(n)
        for k in range(n):
            missing[k] = ca.if_else(held[k], a[k], missing[k])
            rows[k, :] = ca.if_else(held[k], eye[k, :], rows[k, :])
        symbols, values = (
            ca.vertcat(*(getattr(x, name) for x in (v, still, slope)))
            for name in ("symbols", "values")
        )
        better = a - ca.solve(rows, missing)
        return ca.Function("better", [a, tau, direction, held, symbols], [better]), values

    def _linearized(self, a: SX, tau: SX, direction: SX) -> tuple[SX, SX]:
        """How far ``needed`` is from what the transmissions put out, and its derivative."""
        loads = self.loads(a)
        friction, _ = frictions(self.mechanism, loads, self.v, direction, self.drives)
        needed, rotor = loads.tau + friction, loads.rotor
        d_needed, d_rotor = ca.jacobian(needed, a), ca.jacobian(rotor, a)
        missing, rows = SX(needed), ca.densify(SX(d_needed))
        drives = {self.mechanism.v_slices[name].start: drive for name, drive in self.drives.items()}
        for k in range(self.mechanism.nv):
            transmission = drives[k].transmission if k in drives else None
            if transmission is None:
                missing[k] += rotor[k] - tau[k]
                rows[k, :] += d_rotor[k, :]
                continue
            kept = d_rotor[k, k] / ca.fmax(d_needed[k, k], LEAST_LINK_INERTIA * d_rotor[k, k])
            given = tau[k] - rotor[k] + kept * needed[k]
            out, x = transmission.output(given, direction[k], kept), SX.sym("x")
            into = ca.jacobian(x + transmission.loss(x, direction[k]), x)
            gain = 1 / (kept + ca.substitute(into, x, out))
            missing[k] -= out
            rows[k, :] -= gain * (kept * d_needed[k, :] - d_rotor[k, :])
        return missing, rows

    @property
    def _depends_on_loads(self) -> bool:
        fitted = check_drives(self.mechanism, self.drives).values()
        return any(drive.bearings or drive.transmission for _, drive in fitted)


@dataclass(frozen=True)
class _Opened:
    """Expressions replaced by symbols; numbers stay, so that zeros still vanish."""

    opened: SX
    symbols: SX
    values: SX

    @staticmethod
    def of(x: SX) -> _Opened:
        entries = [SX(entry) for entry in x.nonzeros()]  # type: ignore[call-overload]
        symbols = [e if e.is_constant() else SX.sym(f"x{k}") for k, e in enumerate(entries)]
        opened = SX(x.sparsity(), ca.vertcat(*symbols))
        unknown = [(s, e) for s, e in zip(symbols, entries, strict=True) if not e.is_constant()]
        return _Opened(
            opened, ca.vertcat(*(s for s, _ in unknown)), ca.vertcat(*(e for _, e in unknown))
        )
