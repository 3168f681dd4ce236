"""A mechanism: bodies in a tree of joints, named frames, loop closures, gravity. Frozen data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from phalanx.base.arguments import check_fields, checked
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.base.notebook import page_of
from phalanx.mechanism.actuator import Actuator
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.fluid import Fluid
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.joint import Joint
from phalanx.mechanism.joint_numbers import NUMBERS
from phalanx.mechanism.limit_rows import position_limits, read_only
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.pose import Array, frozen_array
from phalanx.mechanism.random_positions import random_positions
from phalanx.mechanism.spring import Spring
from phalanx.mechanism.strut import Strut
from phalanx.mechanism.topology import (
    IntArray,
    check_unique,
    incidence_matrix,
    order_tree,
    path_matrix,
)
from phalanx.mechanism.validation import (
    check_actuators,
    check_couplings,
    check_ends,
    check_springs,
    resolve_mimics,
)

GRAVITY = (0.0, 0.0, -9.81)
PER_FREEDOM = (*NUMBERS, "reflected_inertia")


@dataclass(frozen=True, eq=False)
class Mechanism(Frozen):
    """A machine as data.

    Bodies and joints may come in any order; they are stored root first, and ``joints[k]`` moves
    ``bodies[k + 1]``. The root is fixed in the world unless its motion is given.

    Attributes:
        name: Shown in messages and tables.
        bodies: Root first.
        joints: ``joints[k].child`` is ``bodies[k + 1].name``.
        frames: Named places besides the body frames.
        loops: Closures between frames.
        gravity: Acceleration of free fall in the root frame [m/s²].
        struts: Cylinders between frames, for the eye; see :class:`Strut`.
        springs: Springs and dampers between frames; see :class:`Spring`.
        fluid: What it moves in; see :class:`Fluid`.
        actuators: Drives of a model file; see :class:`Actuator`.
        unsupported: What its file says and is not honoured, one phrase each. It is kept for
            reports and makes no difference to equality.
    """

    name: str
    bodies: Sequence[Body]
    joints: Sequence[Joint] = ()
    frames: Sequence[Frame] = ()
    loops: Sequence[Loop] = ()
    gravity: Array = field(default_factory=lambda: np.array(GRAVITY))
    struts: Sequence[Strut] = ()
    springs: Sequence[Spring] = ()
    fluid: Fluid | None = None
    actuators: Sequence[Actuator] = ()
    unsupported: Sequence[str] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Sort the tree and check the whole."""
        check_fields(self, InvalidModel)
        owner = f"mechanism '{self.name}'"
        if not self.bodies:
            raise InvalidModel(f"{owner} has no bodies.")
        check_unique(owner, "bodies", [body.name for body in self.bodies])
        check_unique(owner, "joints", [joint.name for joint in self.joints])
        check_unique(owner, "frames", self.frame_names)
        check_unique(owner, "loops", [loop.name for loop in self.loops])
        bodies, joints = order_tree(owner, self.bodies, self.joints)
        object.__setattr__(self, "bodies", tuple(bodies))
        object.__setattr__(self, "joints", tuple(joints))
        object.__setattr__(self, "frames", tuple(self.frames))
        object.__setattr__(self, "loops", tuple(self.loops))
        object.__setattr__(
            self, "gravity", frozen_array(self.gravity, (3,), f"the gravity of {owner}")
        )
        for frame in self.frames:
            self.body(frame.body)
        object.__setattr__(self, "struts", tuple(self.struts))
        check_unique(owner, "struts", [strut.name for strut in self.struts])
        object.__setattr__(self, "springs", tuple(self.springs))
        check_ends(owner, self.loops, self.struts, self.springs, self.frame_names)
        check_springs(owner, self.springs, self.joints, self.frame)
        object.__setattr__(self, "joints", tuple(resolve_mimics(owner, joints, self.joint)))
        check_couplings(self.loops, self.joint)
        object.__setattr__(self, "actuators", tuple(self.actuators))
        object.__setattr__(self, "unsupported", tuple(self.unsupported))
        check_unique(owner, "actuators", [actuator.name for actuator in self.actuators])
        check_actuators(self.actuators, self.joint)
        for box in (self.fluid.boxes or ()) if self.fluid else ():
            self.frame(box.frame)
        self.__dict__.pop("_joints_by_name", None)  # it has the joints as they were given

    # -- sizes -----------------------------------------------------------------------------------

    @cached_property
    def moving_joints(self) -> tuple[Joint, ...]:
        """The joints with coordinates of their own: not fixed, not following another."""
        return tuple(j for j in self.joints if j.motion.nv and j.mimic is None)

    @cached_property
    def actuated_joints(self) -> tuple[Joint, ...]:
        """The moving joints that can exert a force: those whose effort limit is not zero."""
        return tuple(j for j in self.moving_joints if max(np.asarray(j.effort_limit).tolist()) > 0)

    @cached_property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(joint.motion.nq for joint in self.moving_joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocity coordinates: degrees of freedom before loops."""
        return sum(joint.motion.nv for joint in self.moving_joints)

    @cached_property
    def q_slices(self) -> dict[str, slice]:
        """Where each moving joint's positions stand in q."""
        return _slices({joint.name: joint.motion.nq for joint in self.moving_joints})

    @cached_property
    def v_slices(self) -> dict[str, slice]:
        """Where each moving joint's velocities and forces stand in v, a and tau."""
        return _slices({joint.name: joint.motion.nv for joint in self.moving_joints})

    def per_freedom(self, attribute: str) -> Array:
        """A joint attribute ("damping", "lower", …) of all moving joints, shape (nv,)."""
        if not _is_name(attribute) or attribute not in PER_FREEDOM:
            raise UnknownName("a joint", "number", attribute, PER_FREEDOM)
        parts = [np.asarray(getattr(joint, attribute)) for joint in self.moving_joints]
        return np.concatenate(parts) if parts else np.zeros(0)

    @cached_property
    def total_mass(self) -> float:
        """Mass of all bodies, the root among them [kg]."""
        return math.fsum(body.mass for body in self.bodies)

    @cached_property
    def position_limits(self) -> tuple[Array, Array]:
        """Least and greatest of each position [rad or m], two arrays of shape (nq,).

        They are infinite where there is no limit, and for each number of a quaternion. Joints that
        follow others have no position of their own; their limits are not in here.
        """
        return position_limits(self.moving_joints)

    @cached_property
    def velocity_limits(self) -> Array:
        """Greatest speed of each freedom [rad/s or m/s], shape (nv,); infinite where none is."""
        return read_only(self.per_freedom("velocity_limit"))

    @cached_property
    def effort_limits(self) -> Array:
        """Greatest force of each freedom [N·m or N], shape (nv,); infinite where none is."""
        return read_only(self.per_freedom("effort_limit"))

    # -- names -----------------------------------------------------------------------------------

    def body(self, name: str) -> Body:
        """The body of that name."""
        return self.bodies[self.body_index(name)]

    def body_index(self, name: str) -> int:
        """Its place in ``bodies``."""
        if not _is_name(name) or name not in self._body_indices:
            raise UnknownName(f"mechanism '{self.name}'", "body", name, self._body_indices)
        return self._body_indices[name]

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        if not _is_name(name) or name not in self._joints_by_name:
            raise UnknownName(f"mechanism '{self.name}'", "joint", name, self._joints_by_name)
        return self._joints_by_name[name]

    def spring(self, name: str) -> Spring:
        """The spring between frames of that name."""
        by_name = {spring.name: spring for spring in self.springs}
        if not _is_name(name) or name not in by_name:
            raise UnknownName(f"mechanism '{self.name}'", "spring", name, by_name)
        return by_name[name]

    @cached_property
    def sprung_joints(self) -> tuple[Joint, ...]:
        """The joints that have springs in them."""
        return tuple(joint for joint in self.joints if np.any(joint.stiffness))

    def frame(self, name: str) -> Frame:
        """The frame of that name; every body is a frame too."""
        if _is_name(name) and name in self._frames_by_name:
            return self._frames_by_name[name]
        if _is_name(name) and name in self._body_indices:
            return Frame(name, name)
        raise UnknownName(f"mechanism '{self.name}'", "frame", name, self.frame_names)

    # A long chain asks for every name once: by scanning, that would be quadratic.

    @cached_property
    def _body_indices(self) -> dict[str, int]:
        return {body.name: i for i, body in enumerate(self.bodies)}

    @cached_property
    def _joints_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def _frames_by_name(self) -> dict[str, Frame]:
        return {frame.name: frame for frame in self.frames}

    @property
    def frame_names(self) -> list[str]:
        """All names that :meth:`frame` knows: named frames, then bodies."""
        return [*(frame.name for frame in self.frames), *(body.name for body in self.bodies)]

    # -- topology --------------------------------------------------------------------------------

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of each body's parent, -1 for the root."""
        return (-1, *(self._body_indices[joint.parent] for joint in self.joints))

    @cached_property
    def joints_on(self) -> tuple[tuple[Joint, ...], ...]:
        """The joints that each body carries."""
        carried: list[list[Joint]] = [[] for _ in self.bodies]
        for joint, parent in zip(self.joints, self.parents[1:], strict=True):
            carried[parent].append(joint)
        return tuple(map(tuple, carried))

    @property
    def incidence_matrix(self) -> IntArray:
        """Wong's U over the bodies beyond the root (F4): 1 on the diagonal, -1 at the parent."""
        return incidence_matrix([p - 1 for p in self.parents[1:]])

    @property
    def path_matrix(self) -> IntArray:
        """Wong's U⁻¹: 1 where a body lies on the path from the root to another."""
        return path_matrix([p - 1 for p in self.parents[1:]])

    # -- states ----------------------------------------------------------------------------------

    def neutral(self) -> Array:
        """The position in which every joint is at zero, shape (nq,)."""
        parts = [joint.motion.neutral() for joint in self.moving_joints]
        return np.concatenate(parts) if parts else np.zeros(0)

    @checked
    def random_positions(
        self, samples: int | tuple[int, ...] = (), seed: int | np.random.Generator = 0
    ) -> Array:
        """Positions spread over limits, within ±π or ±1 m where there are none: (..., nq).

        Raises:
            InvalidInput: When a number of samples or the seed is negative.
        """
        shape = tuple(samples) if isinstance(samples, tuple) else (samples,)
        if min(shape, default=0) < 0 or (isinstance(seed, int) and seed < 0):
            raise InvalidInput(
                f"samples={samples}, seed={seed!r}; expected whole numbers that are not negative."
            )
        rng = np.random.default_rng(seed)
        q = random_positions(self.moving_joints, math.prod(shape), rng)
        return q.reshape(*shape, self.nq)

    @cached_property
    def _hash(self) -> int:
        # names and masses tell machines apart; a long chain has numbers by the ten thousand
        masses = [(body.name, body.mass) for body in self.bodies]
        return hash((self.name, tuple(masses), tuple(joint.name for joint in self.joints)))

    def __hash__(self) -> int:
        return self._hash

    def _repr_html_(self) -> str | None:
        """For notebooks: the tree and a picture."""
        return page_of(self)

    def __repr__(self) -> str:
        loops = f", {len(self.loops)} loops" if self.loops else ""
        return (
            f"<Mechanism '{self.name}': {len(self.bodies)} bodies, "
            f"{len(self.moving_joints)} moving joints, nq={self.nq}, nv={self.nv}{loops}>"
        )


def _is_name(name: object) -> bool:
    """Whether something can be looked up; a list cannot."""
    return isinstance(name, str)


def _slices(sizes: dict[str, int]) -> dict[str, slice]:
    slices, start = {}, 0
    for name, size in sizes.items():
        slices[name] = slice(start, start + size)
        start += size
    return slices
