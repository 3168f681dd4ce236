"""Extensions: special machines registered for scenarios, reports and commands.

Scenarios, reports and commands are general: they know no kind of machine. A package with a machine
of its own (with a table in scenario files, numbers and figures of its recordings, commands to drive
it) describes these in one :class:`Extension` and offers it, or the module that holds it::

    offer("mine.extension")  # a module with a value EXTENSION

Nothing is imported until a scenario has a table that is not a general one, a caller asks what a
recording shows, or commands are listed; for the sake of these, a module loads the library only
inside its functions. What comes with Phalanx is offered in ``phalanx/__init__.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, final

from phalanx.base.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy import float64
    from numpy.typing import NDArray

    from phalanx.mechanism import Mechanism
    from phalanx.planning.motions import Trajectory
    from phalanx.simulation.record.recording import Recording
    from phalanx.simulation.scenario.section import Section

VALUE = "EXTENSION"
# what a machine may bring to its scenario
FIELDS = ("control", "actuation", "surroundings", "inputs")


@final
@dataclass(frozen=True, eq=False)
class SpecialMachine:
    """The machine that tables of a scenario describe; it takes the place of ``model``.

    Attributes:
        mechanism: The machine.
        fields: Further fields of the scenario, of :data:`FIELDS`.
        settings: Facts for the recording.
        step: Of the run [s], where the file has none.
        q0: Where it begins, where the file does not say; the neutral posture when None.
        posture: Positions from the table ``[initial.degrees]``; its keys are hinges when None.
    """

    mechanism: Mechanism
    fields: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    step: float = 1e-3
    q0: NDArray[float64] | None = None
    posture: Callable[[Section], NDArray[float64]] | None = None

    def __post_init__(self) -> None:
        """Check that fields are such as a machine may bring."""
        for name in self.fields:
            if name not in FIELDS:
                raise UnknownName("a special machine", "field", name, FIELDS)


@final
@dataclass(frozen=True)
class Findings:
    """Figures and summary of a special machine's recordings, in addition to general ones.

    Attributes:
        fits: Whether a recording is of such a machine.
        trends: Its numbers in words with units, by what they are.
        figures: Its plots by caption; none when None.
        shown: Signals that these plots show, so that they are not drawn again.
    """

    fits: Callable[[Recording], bool]
    trends: Callable[[Recording], Mapping[str, str]]
    figures: Callable[[Recording], Mapping[str, Figure]] | None = None
    shown: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class TrajectoryKind:
    """A kind of reference trajectory that ``[control.trajectory]`` of a scenario may name.

    Attributes:
        keys: Of its table, beside ``kind`` and ``period``.
        read: Makes the motion of the table, its period [s] and the number of joints.
    """

    keys: tuple[str, ...]
    read: Callable[[Section, float, int], Trajectory]


@final
@dataclass(frozen=True)
class MotorMotion:
    """Motion of a machine's motors, from rest to rest on a cycloid.

    Attributes:
        way: How far each motor goes [rad or m].
        period: How long that takes [s].
    """

    way: tuple[float, ...] = field(repr=False)
    period: float


@final
@dataclass(frozen=True)
class Extension:
    """Extension by a special machine: its scenarios, reports and commands.

    Attributes:
        tables: Keys at the top of a scenario that belong to it.
        read: Makes a machine of them; called with the file and its step [s] (None where it has
            none) when the file has at least one of them.
        findings: What its recordings show.
        uncounted: Signals beside which energy is not balanced: something takes some, which is not
            counts how much.
        commands: Functions that are commands of ``phalanx``, each as ``module:function``.
        trajectories: Wanted motions by the name that scenarios have for their kind.
        motor_motions: Give usual motions of motors, by the name of the machine: what they do
            where none are given.
    """

    tables: tuple[str, ...] = ()
    read: Callable[[Section, float | None], SpecialMachine] | None = None
    findings: Findings | None = None
    uncounted: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    trajectories: Mapping[str, TrajectoryKind] = field(default_factory=dict)
    motor_motions: Mapping[str, Callable[[], MotorMotion]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the tables have readers."""
        if self.tables and self.read is None:
            raise InvalidInput(f"tables {', '.join(self.tables)} need a function read.")


_offered: list[str | Extension] = []


def offer(extension: str | Extension) -> None:
    """Offer an extension: itself, or the name of its module, imported when it is first needed.

    Raises:
        InvalidInput: When it is neither.
    """
    parts = extension.split(".") if isinstance(extension, str) else []
    if not isinstance(extension, Extension) and not (parts and all(map(str.isidentifier, parts))):
        raise InvalidInput(
            f"offer({extension!r}): expected an Extension, or a module's name such as "
            "'mine.extension'."
        )
    if extension not in _offered:
        _offered.append(extension)


def extensions() -> list[Extension]:
    """All that are offered, in their order.

    Raises:
        InvalidInput: When a module has none, or two claim the same table.
    """
    loaded = [_load(one) if isinstance(one, str) else one for one in _offered]
    claimed: set[str] = set()
    for extension in loaded:
        for table in extension.tables:
            if table in claimed:
                raise InvalidInput(
                    f"two extensions claim the table [{table}] of scenarios; offer one of them."
                )
            claimed.add(table)
    return loaded


def trajectory_kinds() -> dict[str, TrajectoryKind]:
    """Return the reference trajectories that extensions add, by the name of their kind.

    Raises:
        InvalidInput: When two have the same name.
    """
    found: dict[str, TrajectoryKind] = {}
    for extension in extensions():
        for name, kind in extension.trajectories.items():
            if name in found:
                raise InvalidInput(
                    f"two extensions have a trajectory '{name}' for scenarios; offer one of them."
                )
            found[name] = kind
    return found


def usual_motor_motion(machine: str) -> MotorMotion | None:
    """Default motion of the motors of a machine of this name; None to keep still."""
    for extension in extensions():
        if machine in extension.motor_motions:
            return extension.motor_motions[machine]()
    return None


def findings_of(recording: Recording) -> list[Findings]:
    """Findings of extensions on a recording; none without samples."""
    if not len(recording):
        return []
    return [
        extension.findings
        for extension in extensions()
        if extension.findings is not None and extension.findings.fits(recording)
    ]


def summary_of(recording: Recording) -> dict[str, str]:
    """A recorded special machine in a few numbers; nothing of other machines."""
    summary: dict[str, str] = {}
    for findings in findings_of(recording):
        summary |= findings.trends(recording)
    return summary


def is_balanced(recording: Recording) -> bool:
    """Whether drives and joints account for all energy that a recording has."""
    uncounted = {name for extension in extensions() for name in extension.uncounted}
    return "energy" in recording and not uncounted & set(recording.signals)


@cache
def _load(module: str) -> Extension:
    try:
        value = getattr(import_module(module), VALUE, None)
    except ModuleNotFoundError as error:
        raise InvalidInput(f"offered extension '{module}' cannot be imported: {error}.") from error
    if not isinstance(value, Extension):
        raise InvalidInput(f"module '{module}' is offered and has no Extension named {VALUE}.")
    return value
