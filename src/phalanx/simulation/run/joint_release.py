"""Joint release: a joint is cut during a run, which goes on in new coordinates.

A joint that is cut becomes a floating one of the same name, between the same bodies, so that all
other joints keep their coordinates and all names their meaning. What such a joint did before can be
said in the numbers of a floating joint too, and a run is recorded in the coordinates of the machine
as it is at the end: one set of signals from the first sample to the last. The other way round,
control goes on to speak in the coordinates of the machine that it was written for; a joint that is
cut has no position there (NaN), and forces along it reach nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Fixed, Floating, Joint, Mechanism
from phalanx.mechanism.motion import joint_axes, joint_pose
from phalanx.mechanism.pose import Array
from phalanx.mechanism.quaternions import quaternions_of
from phalanx.simulation.setup.laws import Law

Indices = NDArray[np.intp]


def released_joints(before: Mechanism, after: Mechanism) -> tuple[str, ...]:
    """Joints of ``before`` that float in ``after`` and did not before."""
    floating = {j.name for j in after.joints if isinstance(j.motion, Floating)}
    return tuple(
        joint.name
        for joint in before.joints
        if joint.name in floating and not isinstance(joint.motion, Floating)
    )


def keeps_other_coordinates(before: Mechanism, after: Mechanism) -> bool:
    """Whether both have the same coordinates in the same order, but for joints that are cut."""
    cut = released_joints(before, after)
    if not cut:
        return (before.nq, before.nv) == (after.nq, after.nv)
    held = [(j.name, j.motion.nq) for j in before.moving_joints if j.name not in cut]
    free = [(j.name, j.motion.nq) for j in after.moving_joints if j.name not in cut]
    return held == free


@final
class JointRelease:
    """From a machine to the same one with joints cut.

    Attributes:
        before: The machine whose joints hold.
        after: The machine in which some of them float.
        joints: Those that are cut, as they were.
    """

    def __init__(self, before: Mechanism, after: Mechanism) -> None:
        """Compare the two.

        Raises:
            InvalidInput: When they differ in more coordinates than those of joints that are cut.
        """
        self.before, self.after = before, after
        self.joints: tuple[Joint, ...] = tuple(map(before.joint, released_joints(before, after)))
        if not keeps_other_coordinates(before, after):
            raise InvalidInput(
                f"'{before.name}' and '{after.name}' differ in more than joints that are cut."
            )

    @cached_property
    def kept_q(self) -> tuple[Indices, Indices]:
        """Places of the positions that stay, in both machines."""
        return self._kept(self.before.q_slices), self._kept(self.after.q_slices)

    @cached_property
    def kept_v(self) -> tuple[Indices, Indices]:
        """The same of velocities and joint forces."""
        return self._kept(self.before.v_slices), self._kept(self.after.v_slices)

    def _kept(self, slices: dict[str, slice]) -> Indices:
        cut = {joint.name for joint in self.joints}
        ranges = [np.arange(s.start, s.stop) for name, s in slices.items() if name not in cut]
        return np.concatenate([np.zeros(0, np.intp), *ranges])

    def state(self, x: Array) -> Array:
        """A packed state (positions, velocities, more) in the coordinates after."""
        nq, nv = self.before.nq, self.before.nv
        q, v, _ = self._moved(x[:nq], x[nq : nq + nv], np.zeros(nv))
        return np.concatenate([q, v, x[nq + nv :]])

    def rows(self, table: Array) -> Array:
        """Rows of a recording (time, positions, velocities, joint forces, more), shape (T, n)."""
        nq, nv = self.before.nq, self.before.nv
        parts = np.split(table, [1, 1 + nq, 1 + nq + nv, 1 + nq + 2 * nv], axis=1)
        time, q, v, tau, rest = parts
        moved = [np.concatenate(self._moved(*row)) for row in zip(q, v, tau, strict=True)]
        wide = np.array(moved).reshape(len(table), self.after.nq + 2 * self.after.nv)
        return np.ascontiguousarray(np.hstack([time, wide, rest]))

    def seen(self, x: Array) -> Array:
        """A packed state in the coordinates before; NaN where there are none any more."""
        nq, nv = self.after.nq, self.after.nv
        q, v = np.full(self.before.nq, np.nan), np.full(self.before.nv, np.nan)
        q[self.kept_q[0]] = x[:nq][self.kept_q[1]]
        v[self.kept_v[0]] = x[nq : nq + nv][self.kept_v[1]]
        return np.concatenate([q, v, x[nq + nv :]])

    def forces(self, tau: Array) -> Array:
        """Joint forces (..., nv) in the coordinates after; those of joints that are cut go."""
        wide = np.zeros((*tau.shape[:-1], self.after.nv))
        wide[..., self.kept_v[1]] = tau[..., self.kept_v[0]]
        return wide

    def _moved(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        q_after, v_after, tau_after = (
            np.zeros(size) for size in (self.after.nq, self.after.nv, self.after.nv)
        )
        q_after[self.kept_q[1]] = q[self.kept_q[0]]
        v_after[self.kept_v[1]] = v[self.kept_v[0]]
        tau_after[self.kept_v[1]] = tau[self.kept_v[0]]
        for joint in self.joints:
            if isinstance(joint.motion, Fixed):
                own_q, own_v, own_tau = np.zeros(0), np.zeros(0), np.zeros(0)
            else:
                where_q, where_v = (
                    self.before.q_slices[joint.name],
                    self.before.v_slices[joint.name],
                )
                own_q, own_v, own_tau = q[where_q], v[where_v], tau[where_v]
            to_q, to_v = self.after.q_slices[joint.name], self.after.v_slices[joint.name]
            q_after[to_q], v_after[to_v], tau_after[to_v] = _floating(joint, own_q, own_v, own_tau)
        return q_after, v_after, tau_after


def _floating(joint: Joint, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
    """Position, velocity and force of a joint in the numbers of a floating one."""
    pose = joint_pose(joint.motion, q)
    R = pose.rotation
    angular, linear = joint_axes(joint.motion, q)
    S = np.vstack([R.T @ linear, R.T @ angular])
    # the wrench within the joint's freedoms that does the same work
    wrench = S @ np.linalg.solve(S.T @ S, tau)
    return np.concatenate([pose.translation, quaternions_of(R)]), S @ v, wrench


def machine_at_end(mechanism: Mechanism, events: Sequence[Any]) -> Mechanism:
    """The machine in whose coordinates a run with these events is recorded."""
    for event in sorted(events, key=lambda event: event.time):
        mechanism = event.apply(mechanism)
    return mechanism


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
