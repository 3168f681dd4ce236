"""Support table of every element of URDF, SDF and MJCF.

An element is ``parent/child``, with a trailing ``/…`` for all that is in it; an attribute is
``element@attribute``. The tables are those of the documentation (``docs/models.md``), and a test
walks the schemas of the formats: none has an element that is not in here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import final
from xml.etree.ElementTree import Element

from phalanx.base.guarded_xml import foreign_name
from phalanx.mechanism.read.report import Remark, Unsupported

HONOURED = "honoured"
PARTLY = "honoured or named"  # what of it cannot be honoured is found by the reader, and named
NAMED = "named"  # in a warning at load, and by `phalanx info`
LISTED = "listed"  # by `phalanx info` only
REFUSED = "refused"
NO_EFFECT = "no effect"  # on how a machine moves: looks, names, settings of another program

INSIDE = "/…"
NOTHING = ("0", "false", "0.0")
SHOWN_AS = {NAMED: False, LISTED: True}  # and whether that is quiet


@final
@dataclass(frozen=True)
class ElementGroup:
    """Elements that have the same fate.

    Attributes:
        status: One of the words above.
        what: What they are, as messages and the documentation have it.
        elements: Them.
    """

    status: str
    what: str
    elements: tuple[str, ...]


def _row(status: str, what: str, elements: str) -> ElementGroup:
    return ElementGroup(status, what, tuple(elements.split()))


def _under(parent: str, children: str) -> str:
    return " ".join(f"{parent}/{child}" for child in children.split())


URDF = (
    _row(HONOURED, "bodies and joints", "robot/link robot/joint"),
    _row(
        HONOURED,
        "mass and inertia",
        _under("link", "inertial") + " " + _under("inertial", "origin mass inertia"),
    ),
    _row(
        HONOURED,
        "place, axis, limits, damping, friction, mimic",
        _under("joint", "origin parent child axis limit dynamics mimic"),
    ),
    _row(
        HONOURED,
        "shapes and colours that are drawn",
        "link/visual visual/origin visual/geometry visual/material robot/material material/color "
        + _under("geometry", "box cylinder sphere mesh capsule"),
    ),
    _row(NO_EFFECT, "textures", "material/texture"),
    _row(
        PARTLY,
        "ratio and rotor inertia of transmissions of one joint",
        "robot/transmission transmission/joint transmission/actuator "
        "transmission/mechanicalReduction actuator/mechanicalReduction actuator/rotor_inertia "
        "actuator/gear_ratio transmission/rotor_inertia",
    ),
    _row(PARTLY, "shapes of other programs, not drawn", "geometry/ellipsoid"),
    _row(PARTLY, "closures in words of other programs", "robot/loop_joint/…"),
    _row(
        NO_EFFECT,
        "words for controllers",
        "transmission/type transmission/hardwareInterface joint/hardwareInterface joint/role "
        "joint/offset joint/mechanicalReduction actuator/hardwareInterface actuator/role "
        "actuator/motorTorqueConstant joint/calibration robot/ros2_control/… "
        + _under("joint", "saturationLower saturationUpper deadBandUpper deadBandLower")
        + " joint/ignoreTransmissionAbsoluteEncoder",
    ),
    _row(
        LISTED,
        "transmissions of a PR2",
        _under(
            "transmission",
            "leftActuator/… rightActuator/… flexJoint/… rollJoint/… gap_joint/… passive_joint/… "
            "use_simulated_gripper_joint/… simulated_actuated_joint/… compensator/… "
            "simulated_reduction/… preload/…",
        ),
    ),
    _row(LISTED, "collision shapes", "link/collision/…"),
    _row(
        LISTED,
        "contacts in words of other programs",
        "link/contact/… link/self_filter/… link/collision_checking/…",
    ),
    _row(LISTED, "safety controllers", "joint/safety_controller"),
    _row(LISTED, "extensions of Gazebo", "robot/gazebo/… link/gazebo/… joint/gazebo/…"),
    _row(NAMED, "sensors", "robot/sensor/… link/sensor/…"),
    _row(HONOURED, "gravity, in a word of Phalanx", "robot/gravity"),
)

SDF = (
    _row(HONOURED, "world, model, gravity", "sdf/world sdf/model world/model world/gravity"),
    _row(HONOURED, "bodies, joints, frames", "model/link model/joint model/frame model/static"),
    _row(
        HONOURED,
        "places",
        "model/pose link/pose joint/pose frame/pose visual/pose inertial/pose link/frame "
        "joint/frame visual/frame inertial/frame frame/frame model/scale",
    ),
    _row(
        HONOURED,
        "mass and inertia",
        "link/inertial inertial/mass inertial/inertia "
        + _under("inertia", "ixx ixy ixz iyy iyz izz"),
    ),
    _row(
        HONOURED,
        "axes, limits, damping, friction, springs, mimic, gears and screws",
        _under(
            "joint",
            "parent child axis axis2 gearbox_ratio gearbox_reference_body screw_thread_pitch "
            "thread_pitch",
        )
        + " "
        + _under("axis", "xyz limit dynamics mimic use_parent_model_frame")
        + " "
        + _under("axis2", "xyz limit dynamics mimic use_parent_model_frame")
        + " "
        + _under("limit", "lower upper effort velocity")
        + " "
        + _under("dynamics", "damping friction spring_reference spring_stiffness")
        + " "
        + _under("mimic", "multiplier offset reference"),
    ),
    _row(
        HONOURED,
        "shapes and colours that are drawn",
        "link/visual visual/geometry visual/material material/diffuse box/size sphere/radius "
        + _under("geometry", "box sphere cylinder capsule mesh")
        + " cylinder/radius cylinder/length capsule/radius capsule/length mesh/uri mesh/scale",
    ),
    _row(
        NO_EFFECT,
        "shapes that are not drawn, and looks",
        _under("geometry", "plane/… ellipsoid/… cone/… heightmap/… image/… polyline/… empty")
        + " mesh/submesh/… mesh/convex_decomposition/… "
        + _under(
            "material",
            "ambient specular/… emissive lighting double_sided render_order shininess pbr/… "
            "script/… shader/…",
        )
        + " "
        + _under(
            "visual", "cast_shadows laser_retro transparency visibility_flags meta/… plugin/…"
        ),
    ),
    _row(
        NO_EFFECT,
        "light, sound, particles, batteries and the user's window",
        _under("link", "light/… projector/… audio_sink/… audio_source/… battery/…")
        + " link/particle_emitter/… sdf/light/… world/light/… world/scene/… world/gui/… "
        "world/audio/… world/road/…",
    ),
    _row(
        NO_EFFECT,
        "places on Earth, magnetism",
        "world/spherical_coordinates/… world/magnetic_field "
        "model/allow_auto_disable link/must_be_base_link",
    ),
    _row(PARTLY, "gravity that is switched off for a link", "link/gravity"),
    _row(REFUSED, "mass from shapes", "inertial/density inertial/auto_inertia_params/…"),
    _row(
        HONOURED,
        "models in models, included models, joints and frames between them",
        "model/model model/include/… world/include/… world/joint world/frame",
    ),
    _row(
        NAMED,
        "contacts",
        "link/collision/… friction/ode/… friction/bullet/… friction/torsional/…",
    ),
    _row(LISTED, "contacts within a model", "model/self_collide link/self_collide"),
    _row(NAMED, "sensors", "link/sensor/… joint/sensor/…"),
    _row(NAMED, "plugins", "model/plugin/… world/plugin/… sdf/plugin/…"),
    _row(
        NAMED, "wind and air", "world/wind/… world/atmosphere/… model/enable_wind link/enable_wind"
    ),
    _row(NAMED, "added mass of a fluid", "inertial/fluid_added_mass/…"),
    _row(NAMED, "velocity decay of links", "link/velocity_decay/…"),
    _row(NAMED, "links that are moved from outside", "link/kinematic"),
    _row(NAMED, "compliance of joint limits", "limit/stiffness limit/dissipation"),
    _row(NAMED, "initial positions of joints", "axis/initial_position axis2/initial_position"),
    _row(
        NAMED,
        "states",
        "world/state/… model/model_state/… link/acceleration link/velocity link/wrench/… "
        "joint/angle",
    ),
    _row(NAMED, "grippers", "model/gripper/…"),
    _row(NAMED, "actors", "sdf/actor/… world/actor/…"),
    _row(NAMED, "populations", "world/population/…"),
    _row(HONOURED, "gravity, as up to version 1.5", "physics/gravity"),
    _row(
        LISTED,
        "settings of a physics engine, which a run chooses",
        "joint/physics/… limit/cfm limit/erp world/physics "
        + _under(
            "physics",
            "bullet/… dart/… ode/… simbody/… magnetic_field max_contacts max_step_size "
            "provide_feedback real_time_factor real_time_update_rate",
        ),
    ),
)

MJCF = (
    _row(
        HONOURED,
        "what MuJoCo's compiler makes of it",
        "mujoco/compiler/… mujoco/default/… mujoco/include mujoco/worldbody mujoco/body "
        "body/frame body/replicate body/attach body/body body/composite/… asset/model mujoco/asset",
    ),
    _row(
        HONOURED,
        "masses, joints, places",
        "body/inertial body/joint body/freejoint body/site mujoco/option",
    ),
    _row(PARTLY, "drawn; contacts of geoms are named", "body/geom asset/mesh geom/plugin/…"),
    _row(
        HONOURED,
        "gravity and fluid",
        "option@gravity option@density option@viscosity option@wind geom@fluidcoef",
    ),
    _row(NAMED, "drag on ellipsoids; the box of the body stands in", "geom@fluidshape"),
    _row(
        LISTED,
        "timestep and integrator, which a run chooses",
        "option@timestep option@integrator flag@eulerdamp",
    ),
    _row(
        HONOURED,
        "switched off",
        "option/flag option@actuatorgroupdisable flag@actuation flag@clampctrl flag@constraint "
        "flag@damper flag@equality flag@frictionloss flag@gravity flag@limit flag@spring "
        "flag@contact flag@filterparent",
    ),
    _row(NAMED, "sleeping bodies", "flag@sleep option@sleep_tolerance body@sleep"),
    _row(
        NO_EFFECT,
        "settings of MuJoCo's solvers, contacts and sensors",
        "option@ccd_iterations option@ccd_tolerance option@cone option@impratio option@iterations "
        "option@jacobian option@ls_iterations option@ls_tolerance option@magnetic "
        "option@noslip_iterations option@noslip_tolerance option@o_friction option@o_margin "
        "option@o_solimp option@o_solref option@sdf_initpoints option@sdf_iterations "
        "option@solver option@tolerance flag@autoreset flag@diagexact flag@energy flag@fwdinv "
        "flag@invdiscrete flag@ipc flag@island flag@midphase flag@multiccd flag@nativeccd "
        "flag@override flag@refsafe flag@sensor flag@speculative flag@warmstart "
        "option@apirate option@passive flag@passive",
    ),
    _row(
        NO_EFFECT,
        "sizes, looks and notes",
        "mujoco/size mujoco/statistic mujoco/visual/… asset/texture asset/material/… "
        "asset/skin/… asset/hfield body/camera body/light deformable/skin/… mujoco/custom/…",
    ),
    _row(LISTED, "keyframes", "mujoco/keyframe/…"),
    _row(NAMED, "gravity compensation", "body@gravcomp joint@actuatorgravcomp"),
    _row(
        PARTLY,
        "springs and dampers of joints; terms of higher order and yield are named",
        "joint@stiffness joint@damping joint@springyield",
    ),
    _row(NAMED, "motion of mocap bodies", "body@mocap"),
    _row(NAMED, "contacts", "mujoco/contact contact/pair contact/exclude"),
    _row(
        PARTLY,
        "springs between two sites, and fixed tendons of actuators; forces and limits of others "
        "are named",
        "mujoco/tendon tendon/spatial spatial/site spatial/geom spatial/pulley tendon/fixed "
        "fixed/joint",
    ),
    _row(
        HONOURED,
        "loops and couplings",
        "mujoco/equality equality/connect equality/weld equality/joint",
    ),
    _row(
        NAMED,
        "equalities other than connect, weld and joint",
        "equality/tendon equality/flex/… equality/flexvert equality/flexstrain equality/distance",
    ),
    _row(
        PARTLY,
        "actuators of hinges, slides and fixed tendons, affine in command, length and velocity",
        "mujoco/actuator actuator/general actuator/motor actuator/position actuator/velocity "
        "actuator/damper",
    ),
    _row(
        NAMED,
        "other actuators",
        "actuator/intvelocity actuator/orientation actuator/pid actuator/cylinder "
        "actuator/muscle actuator/adhesion actuator/dcmotor actuator/plugin/…",
    ),
    _row(
        NAMED,
        "delay, damping and armature of actuators",
        "general@delay general@damping general@armature",
    ),
    _row(NAMED, "sensors", "mujoco/sensor/…"),
    _row(NAMED, "flexible bodies", "body/flexcomp/… mujoco/deformable deformable/flex/…"),
    _row(NAMED, "plugins", "mujoco/extension/… body/plugin/… mesh/plugin/…"),
)

FORMATS = {"URDF": URDF, "SDF": SDF, "MJCF": MJCF}


@cache
def _by_element(rows: tuple[ElementGroup, ...]) -> dict[str, ElementGroup]:
    return {element: row for row in rows for element in row.elements}


def row_of(
    rows: tuple[ElementGroup, ...], parent: str, child: str
) -> tuple[ElementGroup | None, bool]:
    """The row of an element, None where there is none; and whether it covers all that is in it."""
    table, element = _by_element(rows), f"{parent}/{child}"
    inside = table.get(element + INSIDE)
    return (inside, True) if inside else (table.get(element), False)


def ignored_elements(name: str, *roots: Element) -> list[Remark]:
    """Elements of a file that its reader ignores, and those that its format does not have.

    Args:
        name: Of the format.
        roots: The file, and those that it includes.
    """
    rows = FORMATS[name]
    counts: dict[ElementGroup, int] = {}
    unknown: dict[str, None] = {}
    for parent, child, row in (found for root in roots for found in _walked(rows, root)):
        if row is None and name == "SDF" and foreign_name(child.tag):
            continue  # words of other programs, some of which the reader takes, it names itself
        if row is None:
            unknown[f"<{child.tag}> in <{parent}>"] = None
        elif row.status in SHOWN_AS and not _says_nothing(child):
            counts[row] = counts.get(row, 0) + 1
    ordered = [row for row in rows if row in counts]
    return [
        *(Unsupported(row.what, [str(counts[row])], SHOWN_AS[row.status]) for row in ordered),
        Unsupported(f"elements that {name} does not have", list(unknown)),
    ]


def _walked(
    rows: tuple[ElementGroup, ...], root: Element
) -> Iterator[tuple[str, Element, ElementGroup | None]]:
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        further = []
        for child in parent:
            tag = _local(child.tag)
            row, covers = row_of(rows, _local(parent.tag), tag)
            yield _local(parent.tag), child, row
            if row is not None and not covers:
                further.append(child)
        waiting += reversed(further)


def _local(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition("}")[2]


def _says_nothing(element: Element) -> bool:
    """Whether all that an element says is no, or zero."""
    texts = [text for x in element.iter() if (text := (x.text or "").strip())]
    words = [word for text in texts for word in text.lower().split()]
    return bool(words) and all(word in NOTHING for word in words)
